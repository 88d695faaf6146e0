"""The doors for agents: hook answers any event, mcp any client, init registers both without harm."""

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

import lab
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ctx

EVENTS = Path(__file__).parent / "fixtures/events"
SHOP = {
    "shop/__init__.py": "",
    "shop/cart.py": "from shop.prices import PriceList\n\n\ndef load_cart(size: int) -> PriceList:\n"
    '    """Read the cart."""\n    return PriceList()\n',
    "shop/prices.py": 'class PriceList:\n    """What things cost."""\n\n    def total(self) -> int:\n'
    "        return 0\n",
    "shop/page.py": "from shop.cart import load_cart\n\n\ndef show_page() -> None:\n    load_cart(3)\n",
    "web/style.py": "def paint() -> None: ...\n",
    "pyproject.toml": '[project]\nname = "shop"\n\n[tool.pytest.ini_options]\ntestpaths = ["tests"]\n',
    "TASKS.md": "- [-] T-1: Count the stock\n- [ ] T-2: Show the total\n  - [ ] it is in cents\n",
    ".ctx/config.toml": '[roles.reviewer]\npaths = ["shop/**"]\n[map]\nexclude = ["ctx.py"]\n',
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small repository, set up and indexed."""
    root = lab.plant(tmp_path_factory.mktemp("shop"), SHOP)  # type: ignore[arg-type]
    lab.copy_script(root)
    lab.git(root, "init", "-q")
    lab.git(root, "add", ".")
    lab.git(root, "commit", "-q", "-m", "T-1: start")
    assert lab.run(root, "init", "--no-setup", "--hooks").returncode == 0
    return root


def send(
    root: Path, source: bytes | str, *args: str, **env: str
) -> subprocess.CompletedProcess[bytes]:
    """`ctx.py hook` with this on stdin."""
    stdin = source.encode() if isinstance(source, str) else source
    done = lab.run(root, *(args or ("hook",)), input=stdin, env=env)
    out, err = (text.encode("utf-8", "surrogateescape") for text in (done.stdout, done.stderr))
    return subprocess.CompletedProcess(done.args, done.returncode, out, err)


def ask(root: Path, name: str, **env: str) -> Any:
    """The answer to a recorded event, or None."""
    done = send(root, (EVENTS / f"{name}.json").read_text().replace("{root}", str(root)), **env)
    assert (done.returncode, done.stderr) == (0, b""), done.stderr
    return json.loads(done.stdout) if done.stdout else None


def context(answer: Any) -> str:
    text = answer["hookSpecificOutput"]["additionalContext"]
    assert len(text) <= 9_000
    return str(text)


# -- hook


@pytest.mark.parametrize("source", ["startup", "resume", "clear", "compact"])
def test_a_session_starts_with_commands_tasks_and_map(shop: Path, source: str) -> None:
    answer = ask(shop, f"claude-session-start-{source}")
    assert answer["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    text = context(answer)
    places = [text.index(part) for part in ("current: `T-1`", "ready: `T-2`", "PriceList")]
    assert places == sorted(places)
    assert "The map is current." in text and "pytest" not in text  # AGENTS.md holds the commands


def test_claude_that_imports_the_map_gets_only_what_changes(shop: Path, tmp_path: Path) -> None:
    root = shutil.copytree(shop, tmp_path / "r")
    text = context(ask(root, "claude-session-start-startup", CLAUDE_PROJECT_DIR=str(root)))
    assert "ready: `T-2`" in text and "PriceList" not in text and "map" not in text
    (root / "TASKS.md").unlink()
    lab.run(root, "map")
    assert ask(root, "claude-session-start-startup", CLAUDE_PROJECT_DIR=str(root)) is None
    (root / "CLAUDE.md").unlink()
    assert "PriceList" in context(ask(root, "claude-session-start-startup", CLAUDE_PROJECT_DIR="x"))


def test_a_prompt_of_ours_gets_no_answer(shop: Path) -> None:
    prompt = lab.run(shop, "prompt", "T-2").stdout
    assert "load_cart" in prompt or "Show the total" in prompt
    event = {"hook_event_name": "UserPromptSubmit", "cwd": str(shop), "prompt": prompt}
    done = send(shop, json.dumps(event))
    assert (done.returncode, done.stdout) == (0, b"")


def test_of_pasted_code_the_most_specific_names_are_looked_up(shop: Path) -> None:
    pasted = "".join(
        f"def make_{number}(a, b): return helper_{number}(a)\n" for number in range(900)
    )
    prompt = f"Why does shop/cart.py fail?\n{pasted}"
    event = {"hook_event_name": "UserPromptSubmit", "cwd": str(shop), "prompt": prompt}
    text = context(json.loads(send(shop, json.dumps(event)).stdout))
    assert "load_cart" in text and "`shop/cart.py`: named in the task" in text


@pytest.mark.parametrize("name", ["codex-session-start", "codex-prompt-task"])
def test_codex_gets_the_same_shape(shop: Path, name: str) -> None:
    assert "T-2" in context(ask(shop, name))


@pytest.mark.parametrize("name", ["cursor-session-start", "cursor-session-start-camel"])
def test_cursor_gets_its_own_shape(shop: Path, name: str) -> None:
    answer = ask(shop, name)
    assert list(answer) == ["additional_context"]
    assert "T-2" in answer["additional_context"]


def test_a_prompt_that_names_a_task_gets_it(shop: Path) -> None:
    text = context(ask(shop, "claude-prompt-task"))
    assert "Show the total" in text and "it is in cents" in text
    assert "Count the stock" not in text


def test_a_prompt_that_names_code_gets_where_it_is(shop: Path) -> None:
    text = context(ask(shop, "claude-prompt-code"))
    assert "`shop/cart.py`: named in the task" in text and "load_cart :4" in text
    assert "PriceList :1" in text


def test_the_first_prompt_after_init_gets_a_package(shop: Path) -> None:
    _, _, package = context(ask(shop, "claude-prompt-code")).partition("## Context package")
    assert "cart.py" in package


@pytest.mark.parametrize(
    "name",
    [
        "claude-prompt-plain",
        "claude-stop",
        "claude-bash-tool",
        "claude-agent-tool",
        "codex-pre-compact",
        "cursor-before-submit-prompt",
    ],
)
def test_other_events_get_nothing(shop: Path, name: str) -> None:
    assert ask(shop, name) is None


def test_a_helper_is_told_where_its_role_may_look(shop: Path, tmp_path: Path) -> None:
    text = context(ask(shop, "claude-subagentstart"))
    assert "`reviewer` keeps to: `shop/**`" in text and "Count the stock" in text
    assert "web/style.py" not in text and "## Structure" not in text
    cursor = ask(shop, "cursor-subagentstart")["additional_context"]
    assert "load_cart" in cursor
    root = shutil.copytree(shop, tmp_path / "copy")
    (root / "TASKS.md").write_text("- [~] T-1: Mend `load_cart`\n")
    assert "Review against this code" in context(ask(root, "claude-subagentstart"))


def test_a_helper_is_told_how_to_use_its_package_by_role_and_by_action(
    shop: Path, tmp_path: Path
) -> None:
    root = shutil.copytree(shop, tmp_path / "r")
    (root / "TASKS.md").write_text("- [-] T-1: Count what load_cart and paint use\n")
    sentences = {"reviewer": "Review against", "test-writer": "code to test", "x": "Start here"}
    for name, sentence in sentences.items():  # only the first is a role of this repository
        event = {"hook_event_name": "SubagentStart", "cwd": str(root), "agent_type": name}
        text = context(json.loads(send(root, json.dumps(event)).stdout))
        assert "`shop/cart.py`" in text and sentence in text
        assert ("`web/style.py`" in text) == (name != "reviewer")
    (root / "TASKS.md").write_text("- [-] T-1: Document load_cart\n")
    text = context(json.loads(send(root, json.dumps(event)).stdout))
    assert "the code to document" in text


def test_an_agents_prompt_is_extended_only_when_enabled(shop: Path, tmp_path: Path) -> None:
    answer = ask(shop, "claude-agent-tool", CTX_HOOK_AGENT_PROMPTS="true")["hookSpecificOutput"]
    assert answer["permissionDecision"] == "allow"
    given = answer["updatedInput"]
    assert (given["description"], given["subagent_type"]) == ("look", "Explore")
    assert given["prompt"].startswith("Find the callers of load_cart\n\n")
    assert "shop/cart.py" in given["prompt"]
    roles = '[roles.Explore]\npaths = ["web/**"]\n'
    root = shutil.copytree(shop, tmp_path / "r")
    (root / ".ctx/config.toml").write_text(roles)
    assert ask(root, "claude-agent-tool", CTX_HOOK_AGENT_PROMPTS="true") is None
    source = (EVENTS / "claude-agent-tool.json").read_text().replace("{root}", str(shop))
    assert '"tool_name": "Agent"' in source
    other = source.replace('"tool_name": "Agent"', '"tool_name": "Bash"').encode()
    assert send(shop, other, CTX_HOOK_AGENT_PROMPTS="true").stdout == b""


def test_the_branch_names_the_current_task(shop: Path, tmp_path: Path) -> None:
    root = shutil.copytree(shop, tmp_path / "r")
    lab.git(root, "checkout", "-q", "-b", "feature/t-2-total")
    assert "current: `T-2`" in context(ask(root, "claude-session-start-startup"))


def test_a_stale_index_is_used_and_said_so(shop: Path, tmp_path: Path) -> None:
    root = shutil.copytree(shop, tmp_path / "r")
    (root / "shop/cart.py").write_text("def load_wagon() -> None: ...\n")
    (root / "web/style.py").unlink()
    text = context(ask(root, "claude-session-start-startup"))
    assert "2 files changed since the map was made" in text
    assert "load_cart :4" in context(ask(root, "claude-prompt-code"))


def test_a_map_that_was_looked_at_again_and_holds_is_current(shop: Path, tmp_path: Path) -> None:
    root = shutil.copytree(shop, tmp_path / "r")
    place, text = root / "shop/page.py", (root / ".ctx/map.md").read_bytes()
    place.write_text(place.read_text().replace("(3)", "(4)"))
    assert "1 file changed" in context(ask(root, "claude-session-start-startup"))
    assert lab.run(root, "map").returncode == 0 and (root / ".ctx/map.md").read_bytes() == text
    assert "The map is current." in context(ask(root, "claude-session-start-startup"))
    place.write_text(place.read_text().replace("(4)", "(5)"))
    assert "1 file changed" in context(ask(root, "claude-session-start-startup"))


def test_a_file_that_is_not_indexed_yet_makes_the_map_stale(shop: Path, tmp_path: Path) -> None:
    root = shutil.copytree(shop, tmp_path / "r")
    lab.plant(root, {".gitignore": "/build\n*_local.py\n"})
    assert lab.run(root, "map").returncode == 0
    lab.plant(root, {"build/made.py": "", "shop/mine_local.py": "", "shop/notes.odd": ""})
    assert "The map is current." in context(ask(root, "claude-session-start-startup"))
    lab.plant(root, {"shop/wagon.py": "", "depot/yard.py": ""})
    text = context(ask(root, "claude-session-start-startup"))
    assert "2 files changed since the map was made" in text


def test_without_an_index_the_map_is_given_and_without_a_map_the_tasks(
    shop: Path, tmp_path: Path
) -> None:
    root = shutil.copytree(shop, tmp_path / "r")
    shutil.rmtree(root / ".ctx/cache")
    text = context(ask(root, "claude-session-start-startup"))
    assert "No index on this machine" in text and "PriceList" in text
    (root / ".ctx/map.md").unlink()
    text = context(ask(root, "claude-session-start-startup"))
    assert "ready: `T-2`" in text and "map" not in text
    assert not (root / ".ctx/cache").exists()


def test_a_long_answer_is_cut_between_lines_with_fences_closed(shop: Path, tmp_path: Path) -> None:
    root = shutil.copytree(shop, tmp_path / "r")
    body = "".join(f"  name_{number}, other_{number}\n" for number in range(2000))
    (root / ".ctx/map.md").write_text(f"# r\n\n## Key Symbols\n\n```\n{body}```\n")
    text = context(ask(root, "claude-session-start-startup"))
    assert len(text) > 7_000 and text.count("```") == 2 and "[truncated" in text[-200:]


@pytest.mark.parametrize(
    "source",
    [
        b"",
        b"\n",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe{",
        b'"text"',
        b"{}",
        b'{"hook_event_name": 3}',
        b'{"hook_event_name": ""}',
        b'{"hook_event_name": "SessionStart", "cwd": 7}',
        b'{"hook_event_name": "SessionStart", "cwd": "/nonexistent/gone"}',
        b'{"hook_event_name": "SessionStart", "cwd": "/", "workspace_roots": {}}',
        b'{"hook_event_name": "UserPromptSubmit", "prompt": ["T-2"]}',
        b'{"hook_event_name": "PreToolUse", "tool_name": "Agent", "tool_input": "T-2"}',
        b'{"hook_event_name": "SubagentStart", "agent_type": {}}',
        b'{"hook_event_name": "\\u0000SessionStart"}',
        b'{"a":' * 100_000,
        b'{"hook_event_name": "UserPromptSubmit", "prompt": "' + b"word_a T-2 " * 500_000 + b'"}',
    ],
    ids=lambda source: repr(source[:40]),
)
def test_whatever_comes_in_the_hook_ends_well(shop: Path, source: bytes) -> None:
    done = send(shop, source, CTX_HOOK_AGENT_PROMPTS="1")
    assert done.returncode == 0
    assert done.stdout == b"" or isinstance(json.loads(done.stdout), dict)
    assert done.stderr.count(b"\n") <= 1


def test_a_hook_ends_well_where_nothing_is_as_it_should_be(shop: Path, tmp_path: Path) -> None:
    event = '{"hook_event_name": "SessionStart"}'
    lab.plant(tmp_path, {".ctx/config.toml": "broken", ".ctx/cache/index-1.db": "no database"})
    for args in (("hook",), ("hook", "--root", str(tmp_path / "none")), ("hook", "--odd")):
        done = send(tmp_path, event, *args)
        assert (done.returncode, done.stdout) == (0, b"")
    (tmp_path / ".ctx/config.toml").unlink()
    assert send(tmp_path, event).returncode == 0
    gone = tmp_path / "gone"
    gone.mkdir()
    code = f"import os, runpy, sys; os.rmdir({str(gone)!r}); sys.argv[1:] = ['hook'];"
    code += f"runpy.run_path({str(lab.SCRIPT)!r}, run_name='__main__')"
    done = subprocess.run([sys.executable, "-c", code], cwd=gone, input=event.encode())
    assert done.returncode == 0
    assert send(shop, event, "hook", "--root", str(shop)).stdout


def test_a_hook_waits_for_no_network(shop: Path, tmp_path: Path) -> None:
    trap = lab.plant(tmp_path, {"gh": f"#!/bin/sh\ntouch {tmp_path}/called\n"}) / "gh"
    trap.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    answer = ask(shop, "claude-session-start-startup", CTX_TASKS_SOURCE="gh", PATH=path)
    assert "T-2" in context(answer) and not (tmp_path / "called").exists()


def test_a_hook_writes_nothing(shop: Path) -> None:
    before = lab.snapshot(shop)
    for place in sorted(EVENTS.iterdir()):
        ask(shop, place.stem, CTX_HOOK_AGENT_PROMPTS="1")
    assert lab.snapshot(shop) == before


def test_the_registered_command_answers_and_never_blocks(shop: Path, tmp_path: Path) -> None:
    root = shutil.copytree(shop, tmp_path / "r")
    settings = json.loads((root / ".claude/settings.json").read_text())
    line = settings["hooks"]["SessionStart"][0]["hooks"][0]["command"]
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    event = (EVENTS / "claude-session-start-startup.json").read_text().replace("{root}", str(root))

    def start() -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            ["sh", "-c", line],
            input=event.encode(),
            cwd=root / "shop",  # agents start hooks where they work
            env={**os.environ, "PATH": path},
            capture_output=True,
        )

    assert "T-2" in context(json.loads(start().stdout))
    assert not (root / "__pycache__").exists()
    (root / "ctx.py").unlink()
    assert start().returncode == 1  # a 2 would take the user's prompt away


# -- init


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        '{"model": "x"}',
        '{"model":"x","hooks":{}}\n',
        '{\n    "b": 1.50,\n    "a": ["x", "y"],\n    "hooks": {\n        "Stop": []\n    }\n}',
        '\ufeff{\r\n\t"hooks": {\r\n\t\t"SessionStart": [\r\n\t\t\t{"hooks": [{"type": "command",'
        ' "command": "mine"}]}\r\n\t\t]\r\n\t},\r\n\t"z": "\\u00e9"\r\n}\r\n',
    ],
)
def test_hooks_are_merged_and_taken_out_again_byte_for_byte(tmp_path: Path, text: str) -> None:
    place = tmp_path / ".claude/settings.json"
    lab.plant(tmp_path, {".claude/settings.json": text, "a.py": "x = 1\n"})
    old = json.loads(text.removeprefix("\ufeff"))
    assert lab.run(tmp_path, "init", "--no-setup", "--hooks").returncode == 0
    merged = place.read_bytes()
    new = json.loads(merged.decode("utf-8-sig"))
    assert [key for key in new if key in old] == list(old)
    assert {key: new[key] for key in old if key != "hooks"} == {
        key: old[key] for key in old if key != "hooks"
    }
    for event, groups in old.get("hooks", {}).items():
        assert new["hooks"][event][: len(groups)] == groups
    assert {"SessionStart", "UserPromptSubmit", "SubagentStart", "PreToolUse"} <= set(new["hooks"])
    assert lab.run(tmp_path, "init", "--no-setup", "--hooks").returncode == 0
    assert lab.run(tmp_path, "update", "--check").returncode == 0
    assert place.read_bytes() == merged
    assert lab.run(tmp_path, "update", "--remove").returncode == 0
    if text.startswith(('{"model":"x"', "{}")):  # an empty object is not worth keeping
        assert not place.exists() or json.loads(place.read_text()) == {"model": "x"}
    else:
        assert place.read_bytes() == text.encode()


def test_commands_that_look_like_ours_are_the_users(tmp_path: Path) -> None:
    mine = {"command": "python3", "args": ["-c", "import mine; mine.main()"], "env": {"A": "1"}}
    hook = {"type": "command", "command": "[ -d .ctx ] && ./notify.sh"}
    settings = json.dumps({"hooks": {"Stop": [{"hooks": [hook]}]}})
    files = {
        ".mcp.json": json.dumps({"mcpServers": {"mine": mine}}),
        ".claude/settings.json": settings,
    }
    lab.plant(tmp_path, files)
    for args in (("init", "--no-setup"), ("update",), ("update", "--remove")):
        assert lab.run(tmp_path, *args).returncode == 0
        assert {path: (tmp_path / path).read_text() for path in files} == files, args


@pytest.mark.parametrize(
    "text",
    [
        "mcp_servers = { a = { command = 'x' } }\n",
        "mcp_servers.ctx.command = 'x'\n",
        "[mcp_servers.\"ctx\"]\ncommand = 'x'\n",
        "[mcp_servers.ctx] # mine\ncommand = 'x'\n",
        "[broken\n",
    ],
)
def test_a_toml_file_stays_valid_or_as_it_is(tmp_path: Path, text: str) -> None:
    lab.plant(tmp_path, {".codex/config.toml": text})
    done = lab.run(tmp_path, "init", "--no-setup", "--mcp", "--agents", "codex")
    assert done.returncode == 2 and done.stderr.startswith("ctx: .codex/config.toml: ")
    assert (tmp_path / ".codex/config.toml").read_text() == text


@pytest.mark.parametrize("text", ["", "a = 1", "a = 1\n", "[mcp_servers.b]\ncommand = 'x'\n"])
def test_a_toml_file_gets_its_bytes_back(tmp_path: Path, text: str) -> None:
    place = lab.plant(tmp_path, {".codex/config.toml": text}) / ".codex/config.toml"
    for _ in range(2):
        assert lab.run(tmp_path, "init", "--no-setup", "--mcp").returncode == 0
        servers = tomllib.loads(place.read_text())["mcp_servers"]
        assert servers["ctx"]["command"] == "sh" and text in place.read_text()
    assert lab.run(tmp_path, "update", "--remove").returncode == 0
    assert (place.read_text() if place.exists() else "") == text


def test_settings_with_comments_are_left_and_named(tmp_path: Path) -> None:
    text = '// mine\n{"context_servers": {}}\n'
    lab.plant(tmp_path, {".zed/settings.json": text})
    done = lab.run(tmp_path, "init", "--no-setup", "--mcp")
    told = ".zed/settings.json: has comments, left as it is; write its `ctx` by hand"
    assert done.returncode == 0 and told in done.stderr and (tmp_path / ".mcp.json").exists()
    assert (tmp_path / ".zed/settings.json").read_text() == text


def test_a_hook_never_blocks_wherever_its_flags_stand(tmp_path: Path) -> None:
    lab.plant(tmp_path, {".ctx/config.toml": "broken"})
    for args in (("-q", "hook"), (f"--root={tmp_path}", "hook"), ("--root", str(tmp_path), "hook")):
        assert lab.run(tmp_path, *args).returncode == 0
    assert lab.run(tmp_path, "pack", "hook").returncode == 2


def test_every_tool_that_is_used_here_is_registered_and_removed(tmp_path: Path) -> None:
    lab.plant(tmp_path, {".codex/config.toml": "", ".cursor/rules/a.mdc": "x\n", "a.py": "x = 1\n"})
    lab.plant(tmp_path, {".ctx/config.toml": '[map]\nexclude = ["ctx.py"]\n'})
    lab.copy_script(tmp_path)
    before = lab.contents(tmp_path)
    flags = ("--no-setup", "--hooks", "--agents", "--mcp")
    shown = lab.run(tmp_path, "init", *flags, "--dry-run").stdout
    assert lab.contents(tmp_path) == before
    assert lab.run(tmp_path, "init", *flags).returncode == 0
    for path in (".codex/hooks.json", ".cursor/hooks.json", ".mcp.json", ".claude/settings.json"):
        assert json.loads((tmp_path / path).read_text()) and f"+++ b/{path}" in shown, path
    cursor = json.loads((tmp_path / ".cursor/hooks.json").read_text())
    assert cursor["version"] == 1 and list(cursor["hooks"]) == ["sessionStart", "subagentStart"]
    line = json.loads((tmp_path / ".codex/hooks.json").read_text())
    line = line["hooks"]["SessionStart"][0]["hooks"][0]["command"]
    event = '{"hook_event_name": "SessionStart"}'
    for command in (cursor["hooks"]["sessionStart"][0]["command"], line):
        done = subprocess.run(
            command, shell=True, cwd=tmp_path, input=event.encode(), capture_output=True
        )
        assert json.loads(done.stdout), done.stderr
    assert lab.run(tmp_path, "update", "--check").returncode == 0
    assert lab.run(tmp_path, "update", "--remove").returncode == 0
    after = {name: lab.contents(tmp_path)[name] for name in lab.contents(tmp_path)}
    assert {name for name in after if name[:5] != ".ctx/" and after[name]} <= set(before)


def test_what_a_user_took_out_or_changed_is_respected(tmp_path: Path) -> None:
    place = tmp_path / ".claude/settings.json"
    lab.plant(tmp_path, {"a.py": "x = 1\n"})
    assert lab.run(tmp_path, "init", "--no-setup", "--hooks").returncode == 0
    settings = json.loads(place.read_text())
    own = settings["hooks"]["SessionStart"][0]["hooks"][0]
    mine = {"type": "command", "command": "tools/my-ctx hook"}
    settings["hooks"] = {"SessionStart": [{"hooks": [mine, {**own, "timeout": 1}]}]}
    place.write_text(json.dumps(settings))
    assert lab.run(tmp_path, "update").returncode == 0
    assert json.loads(place.read_text())["hooks"] == {"SessionStart": [{"hooks": [mine, own]}]}
    assert lab.run(tmp_path, "update", "--remove").returncode == 0
    assert json.loads(place.read_text())["hooks"] == {"SessionStart": [{"hooks": [mine]}]}


def test_without_their_folders_other_tools_are_left_alone(shop: Path) -> None:
    assert (shop / ".claude/settings.json").exists()
    assert not (shop / ".codex").exists() and not (shop / ".cursor").exists()


@pytest.mark.parametrize(
    ("path", "text", "flag"),
    [
        (".claude/settings.json", '{"a": 1,}', "--hooks"),
        (".claude/settings.json", "[]", "--hooks"),
        (".claude/settings.json", '{"hooks": []}', "--hooks"),
        (".claude/settings.json", '{"hooks": {"SessionStart": {}}}', "--hooks"),
        (".claude/settings.json", "// mine\n{}", "--hooks"),
        (".mcp.json", "{", "--mcp"),
        (".mcp.json", '{"mcpServers": {"ctx": {"command": "other"}}}', "--mcp"),
    ],
)
def test_settings_that_cannot_be_merged_are_refused_untouched(
    tmp_path: Path, path: str, text: str, flag: str
) -> None:
    lab.plant(tmp_path, {path: text, "a.py": "x = 1\n"})
    done = lab.run(tmp_path, "init", "--no-setup", flag)
    assert (done.returncode, lab.talk(done).count("\n")) == (2, 1)
    assert lab.talk(done).startswith(f"ctx: {path}: ")
    assert (tmp_path / path).read_text() == text and not (tmp_path / "AGENTS.md").exists()
    for args in (("init", "--no-setup"), ("update",), ("update", "--remove")):
        assert lab.run(tmp_path, *args).returncode == 0  # who asks for no door needs no valid one
        assert (tmp_path / path).read_text() == text


def test_agent_files_are_refreshed_while_pristine(tmp_path: Path) -> None:
    lab.plant(tmp_path, {"a.py": "x = 1\n"})
    assert lab.run(tmp_path, "init", "--no-setup", "--agents").returncode == 0
    agent, skill = (
        tmp_path / ".claude/agents/repo-mapper.md",
        tmp_path / ".claude/skills/ctx/SKILL.md",
    )
    fresh = agent.read_bytes()
    assert fresh.startswith(b"---\nname: repo-mapper\n")
    agent.write_bytes(ctx.seal("an older text\n"))
    skill.write_bytes(skill.read_bytes() + b"mine\n")
    done = lab.run(tmp_path, "update")
    assert agent.read_bytes() == fresh and skill.read_bytes().endswith(b"mine\n")
    assert ".claude/skills/ctx/SKILL.md: edited by hand; kept" in done.stderr
    assert lab.run(tmp_path, "update", "--remove").returncode == 0
    assert not agent.exists() and skill.exists()


# -- mcp


class Server:
    """`ctx.py mcp` on pipes."""

    def __init__(self, root: Path) -> None:
        command = [*lab.command(lab.SCRIPT, "-I", "-S"), "--root", str(root), "mcp"]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    def send(self, message: object) -> None:
        assert self.process.stdin
        source = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.process.stdin.write(source + b"\n")
        self.process.stdin.flush()

    def ask(self, message: object) -> Any:
        self.send(message)
        assert self.process.stdout
        return json.loads(self.process.stdout.readline())

    def end(self) -> tuple[bytes, int]:
        """What was left on stdout, and the exit code, after its input ended."""
        out, _ = self.process.communicate(timeout=20)
        return out, self.process.returncode


@pytest.fixture
def server(shop: Path) -> Any:
    server = Server(shop)
    yield server
    server.process.kill()
    server.process.communicate()


META = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}
CALLS = {
    "map": {"tokens": 500},
    "pack": {"task": "let load_cart use another PriceList"},
    "search": {"words": "price list"},
    "symbol": {"name": "load_cart"},
    "impact": {"paths": ["shop/prices.py"]},
    "task": {"id": "T-2"},
}


def request(number: object, method: str, **params: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


@pytest.mark.parametrize(
    "asked", ["2024-11-05", "2025-06-18", "2025-11-25", "2026-07-28", "1", None]
)
def test_an_old_client_shakes_hands(server: Server, asked: str | None) -> None:
    result = server.ask(request(0, "initialize", protocolVersion=asked))["result"]
    assert result["protocolVersion"] == (
        asked if asked and asked < "2026" and "-" in asked else "2025-11-25"
    )
    assert result["serverInfo"]["name"] == "ctx" and "tools" in result["capabilities"]
    server.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert server.ask(request("p", "ping")) == {"jsonrpc": "2.0", "id": "p", "result": {}}


def test_a_new_client_discovers_without_a_handshake(server: Server) -> None:
    result = server.ask(request(0, "server/discover", **META))["result"]
    assert "2026-07-28" in result["supportedVersions"]
    assert {"ttlMs", "cacheScope", "capabilities", "instructions"} <= set(result)
    assert result["resultType"] == "complete"
    assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "ctx"
    listed = server.ask(request(1, "tools/list", **META))["result"]
    assert [tool["name"] for tool in listed["tools"]] == list(ctx.TOOLS)
    assert listed["ttlMs"] and listed["cacheScope"] == "public"
    assert server.ask(request(2, "ping", **META))["error"]["code"] == -32601
    other = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2099-01-01"}}
    error = server.ask(request(3, "tools/list", **other))["error"]
    assert (error["code"], error["data"]["requested"]) == (-32022, "2099-01-01")


def test_descriptions_and_schemas_are_short(server: Server) -> None:
    for tool in server.ask(request(0, "tools/list"))["result"]["tools"]:
        assert len(json.dumps(tool)) < 800
        assert tool["annotations"] == {"readOnlyHint": True, "openWorldHint": False}
        assert "tokens" in tool["inputSchema"]["properties"]


def call(server: Server, number: object, name: str, arguments: object) -> Any:
    return server.ask(request(number, "tools/call", name=name, arguments=arguments))


def text_of(answer: Any) -> str:
    (content,) = answer["result"]["content"]
    return str(content["text"])


def test_every_tool_answers(server: Server) -> None:
    texts = {name: text_of(call(server, 1, name, CALLS[name])) for name in ctx.TOOLS}
    assert "PriceList" in texts["map"] and "shop/prices.py" in texts["search"]
    assert "shop/cart.py" in texts["pack"]
    assert (
        "shop/cart.py:4" in texts["symbol"] and "`shop/page.py:5` in show_page" in texts["symbol"]
    )
    assert "PriceList `shop/prices.py:1`" in texts["symbol"]
    assert texts["impact"].index("shop/cart.py") < texts["impact"].index("shop/page.py")
    assert "Show the total" in texts["task"]


def test_numbers_may_be_texts_and_a_package_knows_roles_and_files(server: Server) -> None:
    wanted = text_of(call(server, 1, "map", {"tokens": 300}))
    for tokens in ("300", 300.0, "300.0"):
        assert text_of(call(server, 1, "map", {"tokens": tokens})) == wanted
    text = text_of(call(server, 2, "pack", {"task": "paint the cart", "role": "reviewer"}))
    assert "shop/cart.py" in text and "web/style.py" not in text
    text = text_of(call(server, 3, "pack", {"task": "load the cart", "files": ["web/style.py"]}))
    assert "web/style.py" in text


def test_calls_run_side_by_side_and_a_cancelled_one_is_not_answered(shop: Path) -> None:
    code = f"""
import sys, threading
sys.path.insert(0, {str(lab.SCRIPT.parent)!r})
import ctx
gate = threading.Event()
def wait(project, tokens):
    gate.wait(30)
    return "waited"
def open_gate(project, tokens):
    gate.set()
    return "open"
ctx.TOOLS |= {{"map": wait, "impact": open_gate}}
sys.exit(ctx.main(["mcp"]))
"""
    messages = [
        request(1, "tools/call", name="map"),
        request(2, "tools/call", name="map"),
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
        request(3, "ping"),
        request(4, "tools/call", name="impact"),
    ]
    source = "".join(json.dumps(message) + "\n" for message in messages)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=shop, input=source.encode(), capture_output=True
    )
    ids = [json.loads(line)["id"] for line in done.stdout.splitlines()]
    assert ids[0] == 3 and sorted(ids) == [2, 3, 4]


def test_impact_knows_what_changed_since_a_commit(shop: Path, tmp_path: Path) -> None:
    root = shutil.copytree(shop, tmp_path / "r")
    server = Server(root)
    prices = root / "shop/prices.py"
    prices.write_text(prices.read_text() + "\n\nLIMIT = 3\n")
    assert "shop/page.py" in text_of(call(server, 1, "impact", {"since": "HEAD"}))
    assert call(server, 2, "impact", {"since": "--output=x"})["result"]["isError"]
    assert server.end() == (b"", 0)


def test_the_index_follows_the_files(shop: Path, tmp_path: Path) -> None:
    root = shutil.copytree(shop, tmp_path / "r")
    server = Server(root)
    assert call(server, 1, "symbol", {"name": "load_wagon"})["result"]["isError"]
    (root / "shop/wagon.py").write_text("def load_wagon() -> None: ...\n")
    assert "shop/wagon.py:1" in text_of(call(server, 2, "symbol", {"name": "load_wagon"}))
    assert server.end() == (b"", 0)


def test_too_few_tokens_for_a_task_is_told_with_the_number_that_does(server: Server) -> None:
    answer = call(server, 1, "task", {"id": "T-2", "tokens": 100})
    assert answer["result"]["isError"]
    needed = re.search(r"give tokens (\d+) or more", text_of(answer))
    assert needed is not None
    answer = call(server, 2, "task", {"id": "T-2", "tokens": int(needed[1])})
    assert "Show the total" in text_of(answer) and not answer["result"]["isError"]


def test_budgets_hold(server: Server) -> None:
    for name, arguments in CALLS.items():
        for tokens in (100, 300, 1000):
            answer = call(server, 1, name, {**arguments, "tokens": tokens})
            if not answer["result"]["isError"]:
                assert ctx.estimate_tokens(text_of(answer)) <= tokens


BAD: list[tuple[object, int]] = [
    (b"{", -32700),
    (b"\xff", -32700),
    (b"[" * 100_000, -32700),
    (b"[]", -32600),
    (b"3", -32600),
    ({"jsonrpc": "2.0", "id": 1}, -32600),
    ({"jsonrpc": "2.0", "id": 1, "method": 5}, -32600),
    ({"jsonrpc": "2.0", "id": None, "method": "ping"}, -32600),
    ({"jsonrpc": "2.0", "id": [], "method": "ping"}, -32600),
    ({"jsonrpc": "2.0", "id": True, "method": "ping"}, -32600),
    ({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}, -32602),
    (request(1, "no/such"), -32601),
    (request(1, "tools/call", name="no_such"), -32602),
    (request(1, "tools/call", name=[]), -32602),
    (request(1, "tools/call"), -32602),
]
FAILING: list[tuple[str, object]] = [
    ("map", {"tokens": 5}),
    ("map", {"tokens": "5"}),
    ("map", {"tokens": "1e3"}),
    ("map", {"tokens": 300.5}),
    ("pack", {"task": "cart", "role": "nobody"}),
    ("pack", {"task": "cart", "files": ["nowhere.py"]}),
    ("map", {"tokens": True}),
    ("map", {"tokens": 99}),
    ("map", {"tokens": 10_001}),
    ("map", {"tokens": 10**9}),
    ("map", {"focus": "shop"}),
    ("map", {"focus": ["nowhere"]}),
    ("map", {"odd": 1}),
    ("map", [1]),
    ("symbol", {}),
    ("symbol", {"name": ""}),
    ("symbol", {"name": 3}),
    ("symbol", {"name": "nowhere\n\x1b[31m"}),
    ("impact", {}),
    ("impact", {"paths": []}),
    ("impact", {"paths": ["../../etc/passwd"]}),
    ("impact", {"paths": ["nowhere.py"]}),
    ("impact", {"since": "nowhere"}),
    ("task", {"id": "../x"}),
    ("task", {"id": "T-99"}),
]


def test_a_long_session_with_bad_calls_stays_alive_and_correct(server: Server) -> None:
    wanted = {name: text_of(call(server, 0, name, CALLS[name])) for name in CALLS}
    names = list(CALLS)
    for number in range(100):
        message, code = BAD[number % len(BAD)]
        assert server.ask(message)["error"]["code"] == code, message
        name, arguments = FAILING[number % len(FAILING)]
        answer = call(server, number, name, arguments)
        assert answer["id"] == number and answer["result"]["isError"], (name, arguments)
        cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled"}
        server.send(cancelled)
        server.send({**cancelled, "params": {"requestId": [number]}})
        server.send({"jsonrpc": "2.0", "id": 5, "result": {}})
        server.send(b"")
        name = names[number % len(names)]
        answer = call(server, str(number), name, CALLS[name])
        assert answer["id"] == str(number) and text_of(answer) == wanted[name]
    assert server.end() == (b"", 0)


def test_end_of_input_ends_the_server_at_once(shop: Path) -> None:
    server = Server(shop)
    server.ask(request(1, "ping"))
    begin = time.monotonic()
    assert server.end() == (b"", 0)
    assert time.monotonic() - begin < 2


def test_what_a_library_prints_does_not_reach_the_client(shop: Path) -> None:
    code = f"""
import os, sys
sys.path.insert(0, {str(lab.SCRIPT.parent)!r})
import ctx
def loud(project, tokens):
    print("noise"); os.write(1, b"noise"); os.system("echo noise")
    return "quiet"
ctx.TOOLS["map"] = loud
sys.exit(ctx.main(["mcp"]))
"""
    message = json.dumps(request(1, "tools/call", name="map"))
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=shop, input=message.encode(), capture_output=True
    )
    assert text_of(json.loads(done.stdout)) == "quiet"


@pytest.mark.parametrize("mode", ["auto", "legacy", "2026-07-28"])
def test_the_official_client_lists_and_calls_every_tool(shop: Path, mode: str) -> None:
    mcp = pytest.importorskip("mcp", reason="the mcp package is not installed")

    async def talk() -> None:
        python, *args = [*lab.command(lab.SCRIPT, "-I", "-S"), "--root", str(shop), "mcp"]
        transport = mcp.stdio_client(mcp.StdioServerParameters(command=python, args=args))
        async with mcp.Client(transport, mode=mode) as client:
            assert client.protocol_version == ("2025-11-25" if mode == "legacy" else "2026-07-28")
            listed = await client.list_tools()
            assert [tool.name for tool in listed.tools] == list(CALLS)
            for name, arguments in CALLS.items():
                answer = await client.call_tool(name, arguments)
                assert not answer.is_error and answer.content[0].text
            answer = await client.call_tool("symbol", {"name": "nowhere"})
            assert answer.is_error

    asyncio.run(asyncio.wait_for(talk(), 60))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(
    data=st.dictionaries(st.text(max_size=3), VALUES, max_size=4),
    indent=st.sampled_from([None, 0, 2, "\t"]),
    key=st.text(max_size=4),
    eol=st.sampled_from(["\n", "\r\n"]),
)
def test_json_is_edited_in_place_and_back(data: Any, indent: Any, key: str, eol: str) -> None:
    text = json.dumps(data, indent=indent).replace("\n", eol) + eol
    hooks = data.get("hooks")
    new = data | {"hooks": (hooks if isinstance(hooks, dict) else {}) | {key: [{"a": [1]}]}}
    edited = ctx.edit_json(text, new)
    assert json.loads(edited) == new and list(json.loads(edited)) == list(new)
    assert ctx.edit_json(edited, new) == edited
    back = ctx.edit_json(edited, data)
    assert json.loads(back) == data
    if "hooks" not in data:
        assert back == text or not data


@given(data=VALUES, other=VALUES, indent=st.sampled_from([None, 0, 2, "\t"]))
def test_an_edited_json_text_has_the_value_that_was_asked_for(
    data: Any, other: Any, indent: Any
) -> None:
    text = json.dumps([data, {"kept": 1.50, "gone": data}], indent=indent)
    edited = json.loads(ctx.edit_json(text, [other, {"kept": 1.5, "new": other}, data]))
    assert edited == [other, {"kept": 1.5, "new": other}, data]
    assert json.loads(ctx.edit_json(text, [..., {"kept": 1.5}])) == [{"kept": 1.5}]


@pytest.mark.skipif(os.name == "nt", reason="a shell closes them")
@pytest.mark.parametrize("closed", ["<&-", ">&-"])
def test_a_server_without_stdin_or_stdout_says_so(tmp_path: Path, closed: str) -> None:
    command = f'exec "{sys.executable}" "{ctx.__file__}" --root "{tmp_path}" mcp {closed}'
    done = subprocess.run(["sh", "-c", command], capture_output=True, timeout=60)
    assert done.returncode == 2 and done.stderr.startswith(b"ctx: mcp: needs stdin and stdout")
