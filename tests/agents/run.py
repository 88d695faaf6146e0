"""What reaches the model in real agents: `python tests/agents/run.py [--clients DIR] [--big REPO] [NAME...]`.

Each client is installed from npm into DIR (a temporary folder by default), started in a scratch repository that
`ctx.py init` has set up, and talks to a stub of its model's API on loopback with a dummy key. What arrived is read off
the logged requests. A client that cannot be had is skipped. Prints a table; exit 1 if something is missing or comes twice.
`--ctx FILE --only bytes` measures another version; `--big REPO` pipes a prompt made in a copy of that repository.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from stub import Step, Stub

SCRIPT = Path(__file__).parent.parent.parent / "ctx.py"
FILES = {
    "shop/cart.py": 'from shop.prices import PriceList\n\n\ndef load_cart(size: int) -> PriceList:\n    """Read the cart."""\n    return PriceList()\n',
    "shop/prices.py": 'class PriceList:\n    """What things cost."""\n\n    def total(self) -> int:\n        return 0\n',
    "pyproject.toml": '[project]\nname = "shop"\n\n[tool.pytest.ini_options]\ntestpaths = ["tests"]\n',
    "TASKS.md": "- [-] T-1: Count the stock in load_cart\n- [ ] T-2: Show the total\n- [ ] T-3: Sort the prices\n",
    ".ctx/config.toml": '[map]\nexclude = ["ctx.py"]\n',
}
PROMPT = "Explain load_cart for T-2"
FOUND = "4: def load_cart(size"  # in what the tool `search` answers, and nowhere else
FINE: dict[str, list[Step]] = {"": [{"text": "All fine."}]}
# what each text is told by: once in a session, or not at all
TEXTS = {
    "commands": "- Test: `pytest`",
    "AGENTS.md": "## Working in this repository",
    "map": "def load_cart(size: int) -> PriceList",
    "constitution": "# Constitution",
    "session": "ready: `T-2`",
    "prompt": "## Context package",
}


class Client:
    """One agent: its package, how it is started, and what it should get."""

    big: Path | None = None  # a large repository, for the pipe

    def __init__(self, package: str, arrives: str, folder: Path) -> None:
        self.package, self.arrives = package, arrives.split()
        self.name = {
            "claude-code": "claude",
            "gemini-cli": "gemini",
            "opencode-ai": "opencode",
        }.get(package.rpartition("/")[2], package.rpartition("/")[2])
        self.folder = folder / self.name
        self.program = self.folder / "node_modules/.bin" / self.name

    def install(self) -> bool:
        npm = shutil.which("npm")
        if not self.program.exists() and npm:
            wanted = ["--silent", "--no-audit", "--no-fund", self.package]
            wanted += (
                ["@vscode/ripgrep"] if self.name == "opencode" else []
            )  # else it downloads one
            subprocess.run(
                [npm, "install", "--prefix", self.folder, *wanted], check=False, timeout=600
            )
        return self.program.exists()

    def version(self) -> str:
        done = subprocess.run(
            [self.program, "--version"], capture_output=True, text=True, timeout=60
        )
        found = re.search(r"\d+(\.\d+)+", done.stdout)
        return found[0] if found else "?"

    def environment(self, home: Path, root: Path, url: str) -> dict[str, str]:
        """A home of its own, a dummy key, and the stub as the only address."""
        tools = [self.program.parent, *self.folder.glob("node_modules/@vscode/ripgrep-*/bin")]
        path = ":".join(
            map(str, [*tools, Path(sys.executable).parent, "/usr/local/bin:/usr/bin:/bin"])
        )
        env = {"PATH": path, "HOME": str(home), "LANG": "C.UTF-8", "TERM": "dumb"}
        if self.name == "claude":
            off = ("DISABLE_AUTOUPDATER", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "IS_SANDBOX")
            return env | {
                "ANTHROPIC_BASE_URL": url,
                "ANTHROPIC_API_KEY": "dummy",
                **dict.fromkeys(off, "1"),
            }
        if self.name == "codex":
            (home / ".codex").mkdir(exist_ok=True)
            (home / ".codex/config.toml").write_text(
                f'model = "gpt-5"\nmodel_provider = "stub"\n[model_providers.stub]\nname = "stub"\nbase_url = "{url}/v1"\n'
                f'wire_api = "responses"\nenv_key = "STUB_KEY"\n[projects."{root}"]\ntrust_level = "trusted"\n[sandbox_workspace_write]\nexclude_slash_tmp = true\nexclude_tmpdir_env_var = true\n'
            )
            return env | {"STUB_KEY": "dummy"}
        if self.name == "gemini":
            (home / ".gemini").mkdir(exist_ok=True)
            settings = {
                "security": {
                    "auth": {"selectedType": "gemini-api-key"},
                    "folderTrust": {"enabled": False},
                }
            }
            (home / ".gemini/settings.json").write_text(json.dumps(settings))
            return env | {"GEMINI_API_KEY": "dummy", "GOOGLE_GEMINI_BASE_URL": url}
        provider = {"anthropic": {"options": {"baseURL": f"{url}/v1", "apiKey": "dummy"}}}
        config = {"provider": provider, "model": "anthropic/claude-sonnet-4-5", "autoupdate": False}
        return env | {"OPENCODE_CONFIG_CONTENT": json.dumps(config)}

    def command(self, prompt: str) -> list[str]:
        """How a user would start it once; "" is a prompt on stdin."""
        given = [prompt] if prompt else []
        return {
            "claude": [
                "-p",
                *given,
                "--permission-mode",
                "acceptEdits",
                "--allowedTools",
                "mcp__ctx",
                "Skill",
            ],
            "codex": [
                "exec",
                "--dangerously-bypass-hook-trust",
                "--skip-git-repo-check",
                *(given or ["-"]),
            ],
            "gemini": ["-m", "gemini-2.5-pro", *(["-p", prompt] if prompt else [])],
            "opencode": ["run", *given],
        }[self.name]

    def shell(self, line: str) -> dict[str, Any]:
        """A scripted call of the tool that runs a command."""
        name = {"claude": "Bash", "codex": "exec_command", "gemini": "run_shell_command"}
        given = {"cmd": line} if self.name == "codex" else {"command": line, "description": "x"}
        return {"tool": name.get(self.name, "bash"), "input": given}

    def tool(self, name: str) -> dict[str, Any]:
        """A scripted call of one of our MCP tools, as this client names it."""
        step = {"input": {"words": "cart"}}
        if self.name == "codex":
            return {**step, "tool": name, "namespace": "mcp__ctx"}
        return {
            **step,
            "tool": {"claude": "mcp__ctx__", "gemini": "mcp_ctx_", "opencode": "ctx_"}[self.name]
            + name,
        }


def plant(root: Path, client: Client, files: dict[str, str], script: Path = SCRIPT) -> Path:
    """The scratch repository, set up for one client."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    shutil.copy(script, root / "ctx.py")
    (root / "ctx.py").chmod(0o755)
    who = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"]
    flags = ["--no-setup", "--quiet", "--hooks", "--mcp", "--agents"]
    flags += [client.name] if script == SCRIPT else []  # 0.1 found agents by their folders alone
    if script != SCRIPT:
        (root / f".{client.name}").mkdir()
        (root / f".{client.name}/mine").touch()
    for command in ([*who, "init", "-q"], [sys.executable, "ctx.py", "init", *flags]):
        subprocess.run(command, cwd=root, check=True)
    for key, value in {"user.name": "a", "user.email": "a@example.org"}.items():
        subprocess.run(["git", "config", key, value], cwd=root, check=True)
    for command in ([*who, "add", "-A"], [*who, "commit", "-qm", "start"]):
        subprocess.run(command, cwd=root, check=True)
    return root


def run(
    client: Client,
    root: Path,
    prompt: str,
    script: dict[str, list[Step]],
    *,
    cwd: str = "",
    shell: str = "",
) -> list[dict[str, Any]]:
    """The requests that carried tools (others ask for titles) of one run against the stub."""
    with Stub(script) as stub, tempfile.TemporaryDirectory() as home:
        env = client.environment(Path(home), root, stub.url)
        command = ["sh", "-c", shell] if shell else [str(client.program), *client.command(prompt)]
        with open(os.devnull) as empty, open(root.parent / f"{client.name}.log", "a") as log:
            try:
                subprocess.run(
                    command,
                    cwd=root / cwd,
                    env=env,
                    stdin=empty,
                    stdout=log,
                    stderr=log,
                    timeout=600 if shell else 180,
                )
            except subprocess.TimeoutExpired:
                log.write("timed out\n")
        return [request["body"] for request in stub.requests if request["body"].get("tools")]


def text_of(body: object) -> str:
    """Every text of a request, without what JSON escapes."""
    if isinstance(body, dict):
        return "\n".join(map(text_of, body.values()))
    return "\n".join(map(text_of, body)) if isinstance(body, list) else str(body)


def count_texts(requests: list[dict[str, Any]]) -> dict[str, int]:
    first = text_of(requests[:1]).lower()
    return {name: first.count(mark.lower()) for name, mark in TEXTS.items()}


def try_session(client: Client, root: Path) -> str:
    counts = count_texts(run(client, root, PROMPT, FINE))
    wrong = [name for name in counts if name in client.arrives and not counts[name]]
    told = " ".join(name for name in counts if counts[name] == 1)
    return f"{f'MISSING {wrong}' if wrong else 'ok'}: {told}"


def try_twice(client: Client, root: Path) -> str:
    """No line of our files, and nothing that tells a text, reaches a session twice."""
    requests = run(client, root, PROMPT, FINE)
    first = text_of(requests[:1])
    files = [*root.glob("*.md"), *root.glob(".ctx/*.md")]
    lines = {line.strip() for file in files for line in file.read_text().splitlines()}
    lines = {line for line in lines if len(line) > 25 and line[:4] != "<!--"}  # marks are no text
    twice = [line for line in lines if first.count(line) > 1]
    twice += [name for name, count in count_texts(requests).items() if count > 1]
    return f"MISSING: twice {sorted(twice)}" if twice else "nothing"


def try_untrusted(client: Client, root: Path) -> str:
    """What arrives before the user has trusted the hooks; - where nobody is asked."""
    if client.name != "codex":
        return "-"
    script, given = FINE, [word for word in client.command(PROMPT) if "bypass" not in word]
    words = " ".join(f"'{word}'" for word in given)
    counts = count_texts(run(client, root, "", script, shell=f"{client.program} {words}"))
    return " ".join(name for name in counts if counts[name])


def try_bytes(client: Client, root: Path) -> str:
    with_ctx = len(text_of(run(client, root, PROMPT, FINE)[:1]))
    bare = root.parent / f"{client.name}-bare"
    shutil.copytree(root, bare, ignore=shutil.ignore_patterns(".*", "*.md", "opencode.json"))
    subprocess.run(["git", "init", "-q"], cwd=bare, check=True)
    return f"+{with_ctx - len(text_of(run(client, bare, PROMPT, FINE)[:1]))}"


def try_tool(client: Client, root: Path) -> str:
    steps: list[Step] = [client.tool("search"), {"text": "Found."}]
    for _ in range(2):  # Codex asks its model before a slow server has started
        requests = run(client, root, "Find the cart", {"": steps})
        if any(FOUND in text_of(body) for body in requests[1:]):
            return "ok"
    return "MISSING"


def try_helper(client: Client, root: Path) -> str:
    if client.name == "codex":  # its helpers have no names; they get what SubagentStart says
        start = {"tool": "spawn_agent", "namespace": "multi_agent_v1"}
        steps: list[Step] = [
            {**start, "input": {"message": "Look for the wagon"}},
            {"text": "Done."},
        ]
        again = client.shell("sleep 5")  # it must not end before its helper has begun
        requests = run(client, root, "Delegate", {"": [*steps[:1], again, *steps[1:]]})
        told = [text for text in map(text_of, requests) if "Delegate" not in text]
        return "ok" if any("## Context package" in text for text in told) else "MISSING"
    if client.name != "claude":
        return "-"
    start = {"description": "look", "prompt": "Find load_cart", "subagent_type": "repo-mapper"}
    script: dict[str, list[Step]] = {
        "You find things in this repository": [client.tool("search"), {"text": "Found."}],
        "": [{"tool": "Agent", "input": start}, {"text": "Done."}],
    }
    requests = [
        body for body in run(client, root, "Look", script) if "You find things" in text_of(body)
    ]
    tools = {tool["name"] for body in requests for tool in body["tools"]} - {
        "DeferredToolPlaceholder"
    }
    alone = tools and all(name == "Read" or name.startswith("mcp__ctx__") for name in tools)
    told = text_of(requests[:1])
    package = "Count the stock" in told and told.count("## Context package") == 1
    return (
        "ok"
        if alone and package and "this is a selection" in told and len(requests) > 1
        else f"MISSING: {sorted(tools)}, package {package}"
    )


def try_skill(client: Client, root: Path) -> str:
    calls = {"claude": ("Skill", {"skill": "ctx"}), "opencode": ("skill", {"name": "ctx"})}
    if client.name not in calls:
        return "-"
    name, given = calls[client.name]
    steps: list[Step] = [{"tool": name, "input": given}, {"text": "Used."}]
    told = "".join(text_of(body) for body in run(client, root, "Use the skill", {"": steps})[1:])
    if "ripgrep execution failed" in told:
        return "listed; not loaded, its client needs ripgrep"
    return "ok" if "answers from an index of this repository" in told else "MISSING"


def try_subfolder(client: Client, root: Path) -> str:
    requests = run(
        client, root, PROMPT, {"": [client.tool("search"), {"text": "Found."}]}, cwd="shop"
    )
    counts = count_texts(requests)
    mcp = any(FOUND in text_of(body) for body in requests[1:])
    return (
        " ".join([*(name for name in counts if counts[name]), *(["MCP"] if mcp else [])])
        or "nothing"
    )


def try_pipe(client: Client, root: Path) -> str:
    """A prompt straight from a cold index: of a copy of --big, or of 3,000 small files."""
    place = root.parent / f"{client.name}-big"
    if client.big:
        shutil.copytree(
            client.big, place, ignore=shutil.ignore_patterns(".git", ".ctx"), symlinks=True
        )
    big = (
        {}
        if client.big
        else {f"pkg{n % 30}/module_{n}.py": f"def value_{n}(): ...\n" for n in range(3000)}
    )
    plant(place, client, {**FILES, **big})
    listed = subprocess.run(["git", "ls-files"], cwd=place, capture_output=True, check=True)
    files = listed.stdout.count(b"\n")
    shutil.rmtree(place / ".ctx/cache", ignore_errors=True)
    words = " ".join(f"'{word}'" for word in client.command(""))
    line = f"python3 ctx.py --quiet prompt T-2 | {client.program} {words}"
    told = text_of(run(client, place, "", FINE, shell=line)[:1])
    whole = "Show the total" in told and "Output contract" in told
    return f"ok, {files:,} files" if whole else "MISSING"


def try_loop(client: Client, root: Path) -> str:
    def task_of(text: str) -> str:
        return re.findall(r"T-[123]", text.partition("Selected task")[2] or text)[0]

    def edit(text: str) -> dict[str, Any]:
        return {"file_path": str(root / "TASKS.md"), **tick(root, task_of(text))}

    steps: list[Step] = [
        lambda text: client.shell(
            f"sed -i 's/\\[.\\] {task_of(text)}:/[x] {task_of(text)}:/' TASKS.md"
        ),
        lambda text: client.shell(f"git commit -qam '{task_of(text)}: done'"),
        {"text": 'Done.\n\n{"status": "done", "summary": "ticked"}'},
    ]
    if client.name == "claude":  # edits by its own tools, as its permissions want it
        read: Step = {"tool": "Read", "input": {"file_path": str(root / "TASKS.md")}}
        steps = [read, lambda text: {"tool": "Edit", "input": edit(text)}, *steps[1:]]
    line = f"python3 ctx.py --quiet loop --agent {client.name} --guard true > ../loop.sh"
    run(client, root, "", {"": steps}, shell=f"{line} && sh ../loop.sh 4")
    done = (root / "TASKS.md").read_text().count("- [x]")
    log = subprocess.run(["git", "log", "--format=%s"], cwd=root, capture_output=True, text=True)
    commits = len(set(re.findall(r"T-[123](?=: done)", log.stdout)))
    return f"{'ok' if done == commits == 3 else 'MISSING'}: {done} of 3 done, {commits} committed"


def tick(root: Path, task: str) -> dict[str, str]:
    """The edit that ticks a task's box, whatever is in it."""
    line = next(line for line in (root / "TASKS.md").read_text().splitlines() if task in line)
    return {"old_string": line, "new_string": re.sub(r"\[.\]", "[x]", line)}


CHECKS: dict[str, Callable[[Client, Path], str]] = {
    "session": try_session,
    "twice": try_twice,
    "untrusted": try_untrusted,
    "bytes": try_bytes,
    "MCP tool": try_tool,
    "helper": try_helper,
    "skill": try_skill,
    "subfolder": try_subfolder,
    "pipe": try_pipe,
    "loop": try_loop,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=Path, help="where clients are installed, and kept")
    parser.add_argument("--ctx", type=Path, default=SCRIPT, help="another version to try")
    parser.add_argument("--big", type=Path, help="a large repository; a copy of it is used")
    parser.add_argument("--only", action="append", choices=[*CHECKS], help="one check")
    parser.add_argument("names", nargs="*", metavar="NAME")
    args = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        home = args.clients or Path(folder) / "clients"
        clients = [
            Client(
                "@anthropic-ai/claude-code",
                "commands AGENTS.md map constitution session prompt",
                home,
            ),
            Client("@openai/codex", "commands AGENTS.md map session prompt", home),
            Client("@google/gemini-cli", "commands AGENTS.md map constitution", home),
            Client("opencode-ai", "commands AGENTS.md", home),
        ]
        for client in clients:
            if args.names and client.name not in args.names:
                continue
            if not client.install():
                print(f"{client.name}: skipped, cannot be installed here", flush=True)
                continue
            print(f"{client.name} {client.version()}", flush=True)
            client.big = args.big
            root = plant(Path(folder) / client.name / "shop", client, FILES, args.ctx)
            for name in args.only or CHECKS:
                told = CHECKS[name](client, root)
                failed |= "MISSING" in told
                print(f"  {name}: {told}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
