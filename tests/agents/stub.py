"""A model's API on loopback: it logs what reaches it and gives scripted answers, streamed.

It speaks the Messages API (Claude Code, opencode), the Responses API (Codex) and generateContent (Gemini CLI). An answer
is the step of the script whose number is the count of tool results in the conversation; a script may have one list
of steps for each conversation, told apart by a text that its first request holds.
"""

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Step = (
    dict[str, Any] | Callable[[str], dict[str, Any]]
)  # {"text": ...}, {"tool": NAME, "input": {...}}, or made from the request


class Stub:
    """The server; `requests` holds every request with its path, oldest first."""

    def __init__(self, scripts: dict[str, list[Step]]) -> None:
        self.scripts = scripts
        self.requests: list[dict[str, Any]] = []
        stub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self.reply(b'{"data": [], "models": []}', "application/json")

            def do_POST(self) -> None:
                source = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                try:
                    body = json.loads(source)
                except ValueError:
                    body = {}
                stub.requests.append({"path": self.path, "body": body})
                kind, text = stub.answer(self.path, body)
                self.reply(text.encode(), kind)

            def reply(self, body: bytes, kind: str) -> None:
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args: object) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self) -> "Stub":
        return self

    def __exit__(self, *args: object) -> None:
        self.server.shutdown()

    def answer(self, path: str, body: dict[str, Any]) -> tuple[str, str]:
        """The content type and the text of the answer to one request."""
        if "count_tokens" in path or "countTokens" in path:
            return "application/json", '{"input_tokens": 10, "totalTokens": 10}'
        if "/messages" in path:
            return self.messages(body)
        if path.endswith("/responses"):
            return self.responses(body)
        if "enerateContent" in path:
            return self.contents(path, body)
        return "application/json", "{}"

    def step(self, body: dict[str, Any], results: int, *, tools: bool) -> dict[str, Any]:
        """The scripted answer; a request without tools asks for a title or the like."""
        if not tools:
            return {"text": "A title"}
        text = json.dumps(body, ensure_ascii=False)
        keys = [key for key in self.scripts if key and key in text]
        steps = self.scripts[keys[0] if keys else ""]
        step = steps[min(results, len(steps) - 1)]
        return step(text) if callable(step) else step

    def messages(self, body: dict[str, Any]) -> tuple[str, str]:
        results = [
            part
            for message in body.get("messages", [])
            for part in (message["content"] if isinstance(message["content"], list) else [])
            if part.get("type") == "tool_result"
        ]
        step = self.step(body, len(results), tools=bool(body.get("tools")))
        if "tool" in step:
            block: dict[str, Any] = {
                "type": "tool_use",
                "id": f"toolu_{len(self.requests)}",
                "name": step["tool"],
            }
            delta = {"type": "input_json_delta", "partial_json": json.dumps(step["input"])}
            start, block, reason = (
                {**block, "input": {}},
                {**block, "input": step["input"]},
                "tool_use",
            )
        else:
            start, block = {"type": "text", "text": ""}, {"type": "text", "text": step["text"]}
            delta, reason = {"type": "text_delta", "text": step["text"]}, "end_turn"
        message = {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": body.get("model"),
        }
        message |= {"content": [], "stop_reason": None, "stop_sequence": None}
        message["usage"] = {"input_tokens": 1, "output_tokens": 1}
        if not body.get("stream"):
            return "application/json", json.dumps(
                {**message, "content": [block], "stop_reason": reason}
            )
        return stream(
            {"type": "message_start", "message": message},
            {"type": "content_block_start", "index": 0, "content_block": start},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {
                "type": "message_delta",
                "delta": {"stop_reason": reason},
                "usage": {"output_tokens": 1},
            },
            {"type": "message_stop"},
        )

    def responses(self, body: dict[str, Any]) -> tuple[str, str]:
        items = [item for item in body.get("input", []) if isinstance(item, dict)]
        results = [item for item in items if str(item.get("type")).endswith("call_output")]
        step = self.step(body, len(results), tools=bool(body.get("tools")))
        if "tool" in step:
            item = {"type": "function_call", "id": "fc_1", "call_id": f"call_{len(self.requests)}"}
            item |= {"name": step["tool"], "arguments": json.dumps(step["input"])}
            item |= {"namespace": step["namespace"]} if "namespace" in step else {}
        else:
            content = [{"type": "output_text", "text": step["text"]}]
            item = {"type": "message", "id": "msg_1", "role": "assistant", "content": content}  # type: ignore[dict-item]
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        return stream(
            {"type": "response.created", "response": {"id": "resp_1"}},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": {"id": "resp_1", "usage": usage}},
        )

    def contents(self, path: str, body: dict[str, Any]) -> tuple[str, str]:
        parts = [part for content in body.get("contents", []) for part in content.get("parts", [])]
        results = [part for part in parts if "functionResponse" in part]
        step = self.step(body, len(results), tools=bool(body.get("tools")))
        part = (
            {"text": step["text"]}
            if "text" in step
            else {"functionCall": {"name": step["tool"], "args": step["input"]}}
        )
        candidate = {
            "content": {"role": "model", "parts": [part]},
            "finishReason": "STOP",
            "index": 0,
        }
        answer = {"candidates": [candidate], "usageMetadata": {"totalTokenCount": 2}}
        if "stream" in path:
            return "text/event-stream", f"data: {json.dumps(answer)}\n\n"
        return "application/json", json.dumps(answer)


def stream(*events: dict[str, Any]) -> tuple[str, str]:
    """Events as a client reads them one by one."""
    return "text/event-stream", "".join(
        f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events
    )
