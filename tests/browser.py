"""A real browser without a driver: Chromium's own protocol over two pipes."""

import base64
import itertools
import json
import os
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync "
    "--disable-background-networking --disable-component-update --disable-dev-shm-usage "
    "--remote-debugging-pipe"
).split()
# Chromium listens on descriptor 3 and answers on 4: the pipes are moved there before it starts.
START = """
import fcntl, os, sys
ends = [fcntl.fcntl(int(each), fcntl.F_DUPFD, 10) for each in sys.argv[1:3]]
os.dup2(ends[0], 3)
os.dup2(ends[1], 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


def find_browser() -> str | None:
    """The first Chromium on the PATH."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One page of a headless Chromium; `faults` is what its console complained about."""

    def __init__(self, folder: Path) -> None:
        commands, self.commands = os.pipe()
        self.answers, answers = os.pipe()
        self.process = subprocess.Popen(
            [sys.executable, "-c", START, str(commands), str(answers)]
            + [find_browser() or "", *FLAGS, f"--user-data-dir={folder}", "about:blank"],
            pass_fds=(commands, answers),
            stderr=subprocess.DEVNULL,
        )
        os.close(commands)
        os.close(answers)
        self.numbers, self.buffer = itertools.count(1), b""
        self.events: list[dict[str, Any]] = []
        self.faults: list[str] = []
        self.session = ""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Runtime", "Log", "Page", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self) -> "Browser":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.commands)
        os.close(self.answers)

    def read(self, limit: float = 30) -> dict[str, Any]:
        """The next message."""
        end = time.monotonic() + limit
        while b"\0" not in self.buffer:
            if not select.select([self.answers], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError("the browser says nothing")
            chunk = os.read(self.answers, 1 << 20)
            if not chunk:
                raise EOFError("the browser ended")
            self.buffer += chunk
        line, _, self.buffer = self.buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        name, told = message.get("method", ""), message.get("params", {})
        if name == "Runtime.exceptionThrown":
            self.faults.append(told["exceptionDetails"]["exception"]["description"])
        elif name == "Log.entryAdded" and told["entry"]["level"] in ("error", "warning"):
            self.faults.append(told["entry"]["text"])
        elif name == "Runtime.consoleAPICalled":
            self.faults.append(str(told["args"]))
        self.events.append(message)
        return message

    def call(self, name: str, **values: object) -> dict[str, Any]:
        """One command and its result."""
        number = next(self.numbers)
        message: dict[str, object] = {"id": number, "method": name, "params": values}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while (answer := self.read()).get("id") != number:
            pass
        if "error" in answer:
            raise RuntimeError(f"{name}: {answer['error']}")
        result: dict[str, Any] = answer["result"]
        return result

    def open(self, place: Path) -> None:
        """Open a file and wait until it is loaded."""
        self.events.clear()
        self.call("Page.navigate", url=place.as_uri())
        while not any(each.get("method") == "Page.loadEventFired" for each in self.events):
            self.read()

    def ask(self, expression: str) -> Any:
        """The value of an expression in the page."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in found:
            raise RuntimeError(str(found["exceptionDetails"]))
        return found["result"].get("value")

    def press(self, key: str, text: str = "") -> None:
        """One key, down and up."""
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, text=text)

    def shoot(self, place: Path, width: int, height: int, scheme: str = "light") -> None:
        """A picture of the window at this size and in this scheme."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **size)
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.call("Emulation.setEmulatedMedia", features=[feature])
        place.write_bytes(base64.b64decode(self.call("Page.captureScreenshot")["data"]))
