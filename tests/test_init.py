"""init and update on real folders: every word a user had is still there, byte for byte."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import lab
import pytest

import ctx

BEGIN = "<!-- BEGIN CTX MANAGED SECTION v1 -->\n"
END = "<!-- END CTX MANAGED SECTION -->\n"
OWN_FILES = [".ctx/.gitignore", ".ctx/constitution.md", ".ctx/map.md", ".ctx/runloop.md"]


def init(root: Path, *args: str) -> None:
    done = lab.run(root, "init", "--no-setup", *args)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def section_of(place: Path) -> str:
    source = place.read_bytes()
    span = ctx.find_section(source)
    assert span is not None
    return "\n".join(source[span[0] : span[1]].decode().splitlines()[2:-1])


# -- the whole way, there and back

HOLDINGS: dict[str, dict[str, bytes | str]] = {
    "nothing": {},
    "crlf": {"AGENTS.md": b"# Mine\r\n\r\nwords\r\n", "CLAUDE.md": b"@AGENTS.md\r\n"},
    "bom": {"AGENTS.md": b"\xef\xbb\xbf# Mine\n"},
    "only a bom": {"AGENTS.md": b"\xef\xbb\xbf"},
    "latin-1": {"AGENTS.md": b"caf\xe9\n", "CLAUDE.md": b"na\xefve, no newline at the end"},
    "empty": {"AGENTS.md": b"", "CLAUDE.md": b"\n"},
    "quoted": {"AGENTS.md": f"```md\n{BEGIN}{END}```\n"},
}


@pytest.mark.parametrize("with_git", [False, True])
@pytest.mark.parametrize("holding", HOLDINGS)
def test_init_update_and_remove_give_the_original_bytes_back(
    tmp_path: Path, holding: str, with_git: bool
) -> None:
    root = lab.copy_script(lab.plant(tmp_path, HOLDINGS[holding]))
    if with_git:
        lab.git(root, "init", "-q")
    before = lab.contents(root)
    init(root)
    after = lab.contents(root)
    assert set(after) - set(before) >= set(OWN_FILES)
    for name in ("AGENTS.md", "CLAUDE.md"):
        assert after[name].startswith(before.get(name, b""))
        assert ctx.find_section(after[name]) is not None
    settled = lab.snapshot(root)
    for args in (["update"], ["init", "--no-setup"], ["update", "--check"], ["update", "--force"]):
        done = lab.run(root, *args)
        assert (done.returncode, done.stdout, lab.talk(done)) == (0, "", "")
        assert lab.snapshot(root) == settled
    assert lab.run(root, "update", "--remove").returncode == 0
    left = lab.contents(root)
    assert {name: source for name, source in left.items() if not name.startswith(".ctx")} == before


def test_init_works_from_a_sub_folder_and_leaves_nothing_there(tmp_path: Path) -> None:
    lab.plant(tmp_path, {"a/b/x.py": ""})
    lab.git(tmp_path, "init", "-q")
    assert lab.run(tmp_path, "init", "--no-setup", cwd=tmp_path / "a/b").returncode == 0
    assert (tmp_path / "AGENTS.md").exists() and os.listdir(tmp_path / "a/b") == ["x.py"]
    assert lab.run(tmp_path, "update", "--check", cwd=tmp_path / "a").returncode == 0


def test_a_root_can_be_given(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    assert lab.run(tmp_path, "--root", "there", "init", "--no-setup").returncode == 0
    assert lab.run(tmp_path, "update", "--check", "--root", "there").returncode == 0
    assert os.listdir(tmp_path) == ["there"]


def test_quiet_says_nothing(tmp_path: Path) -> None:
    done = lab.run(tmp_path, "init", "--no-setup", "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


# -- what the sections say


def test_a_section_is_short_and_its_paths_resolve(tmp_path: Path) -> None:
    init(lab.copy_script(tmp_path))
    for name in ("AGENTS.md", "CLAUDE.md"):
        text = section_of(tmp_path / name)
        assert text.count("\n") < ctx.SECTION_LINES
        assert ctx.estimate_tokens(text) <= ctx.SECTION_TOKENS
        assert "python3 ctx.py update --remove" in text
    for path in (".ctx/map.md", ".ctx/constitution.md", ".ctx/runloop.md", "AGENTS.md"):
        assert path in section_of(tmp_path / "AGENTS.md") + section_of(tmp_path / "CLAUDE.md")
        assert (tmp_path / path).is_file()
    advice = section_of(tmp_path / "AGENTS.md")  # a package is where to start, and not all there is
    assert "Start there; more of it: `python3 ctx.py search WORDS`" in advice


def test_commands_that_would_make_a_section_too_long_are_left_out() -> None:
    verbs = ("install", "build", "test", "lint", "typecheck", "format", "run")
    few = [ctx.Command(verb, f"make {verb}", "Makefile") for verb in verbs]
    many = [ctx.Command(verb, f"{verb} " + "--with-an-option " * 30, "x") for verb in verbs * 20]

    def fit(commands: list[ctx.Command]) -> str:
        lines = ctx.render_section_commands(commands)
        values = {"ctx": "python3 tools/deep/down/ctx.py", "tasks": "", "commands": lines}
        return ctx.fit_section("agents-section.md", values)

    assert fit(few).count("`make ") == len(verbs)
    for commands in (few, many, few + many, []):
        text = fit(commands)
        assert ctx.estimate_tokens(text) <= ctx.SECTION_TOKENS
        assert text.count("\n") <= ctx.SECTION_LINES


def test_a_new_claude_file_imports_agents_first(tmp_path: Path) -> None:
    init(lab.plant(tmp_path, {"AGENTS.md": "# Mine\n"}))
    imports = [line for line in section_of(tmp_path / "CLAUDE.md").split("\n") if line[:1] == "@"]
    assert imports == ["@AGENTS.md", "@.ctx/map.md", "@.ctx/constitution.md"]


def test_an_import_that_the_user_has_already_is_not_repeated(tmp_path: Path) -> None:
    init(lab.plant(tmp_path, {"CLAUDE.md": b"# Mine\r\n@AGENTS.md\r\n"}))
    assert (tmp_path / "CLAUDE.md").read_bytes().count(b"@AGENTS.md") == 1


def test_imports_of_a_deeper_claude_file_lead_up(tmp_path: Path) -> None:
    init(tmp_path, "--file", ".claude/CLAUDE.md")
    assert "@../AGENTS.md\n@../.ctx/map.md\n" in section_of(tmp_path / ".claude/CLAUDE.md")


def test_a_script_with_a_space_in_its_path_is_quoted(tmp_path: Path) -> None:
    (tmp_path / "my tools").mkdir()
    lab.copy_script(tmp_path / "my tools")
    lab.run(tmp_path / "my tools", "--root", str(tmp_path), "init", "--no-setup")
    assert "`python3 'my tools/ctx.py' update`" in section_of(tmp_path / "AGENTS.md")


# -- what init says, and what may be left out


def test_init_tells_what_every_session_imports_and_what_comes_next(tmp_path: Path) -> None:
    lab.plant(tmp_path, {".gitignore": "AGENTS.md\n"})
    lab.git(tmp_path, "init", "-q")
    text = lab.talk(lab.run(lab.copy_script(tmp_path), "init", "--no-setup"))
    assert "every Claude session imports .ctx/map.md and .ctx/constitution.md" in text
    assert "`init --no-map`, `init --no-constitution`" in text
    assert "ctx: AGENTS.md: ignored by git" in text
    assert text.splitlines()[-1].startswith("ctx: next: `python3 ctx.py pack")


def test_commands_stand_in_agents_md_and_not_in_the_map_beside_it(tmp_path: Path) -> None:
    config = '[project]\nname = "shop"\n\n[tool.pytest.ini_options]\ntestpaths = ["tests"]\n'
    lab.plant(tmp_path, {"pyproject.toml": config, "shop.py": "def load(): ...\n"})
    assert lab.run(tmp_path, "map").returncode == 0
    assert "- test: `pytest`" in (tmp_path / ".ctx/map.md").read_text()
    done = lab.run(tmp_path, "init", "--no-setup")
    assert ".ctx/map.md: left out: test: `pytest`" in done.stderr
    assert "- Test: `pytest`" in section_of(tmp_path / "AGENTS.md")
    assert "`pytest`" not in (tmp_path / ".ctx/map.md").read_text()
    assert "- test: `pytest`" in lab.run(tmp_path, "map", "--output", "-").stdout
    for args in (["map"], ["update", "--check"]):
        assert lab.run(tmp_path, *args).returncode == 0
    (tmp_path / "pyproject.toml").write_text(f"{config}[tool.ruff]\nline-length = 90\n")
    done = lab.run(tmp_path, "update")
    assert "AGENTS.md: new: Lint: `ruff check" in done.stderr


def test_in_a_commit_what_is_current_and_not_staged_is_told(tmp_path: Path) -> None:
    lab.copy_script(lab.plant(tmp_path, {"shop.py": "def load(): ...\n"}))
    lab.git(tmp_path, "init", "-q")
    init(tmp_path)
    lab.git(tmp_path, "add", ".")
    hook = f"#!/bin/sh\nexec '{sys.executable}' -I -S ctx.py update --check\n"
    lab.plant(tmp_path, {".git/hooks/pre-commit": hook})
    (tmp_path / ".git/hooks/pre-commit").chmod(0o755)

    def commit(*args: str) -> tuple[int, str]:
        who = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"]
        command = [*who, "commit", "-qm", "x", *args]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        return done.returncode, done.stderr

    assert commit()[0] == 0
    lab.plant(tmp_path, {"TASKS.md": "- [ ] T-1: Sort\n"})
    lab.git(tmp_path, "add", "TASKS.md")
    code, told = commit()
    assert code == 1 and "AGENTS.md: stale; run `python3 ctx.py update`, then `git add` it" in told
    assert lab.run(tmp_path, "update").returncode == 0
    code, told = commit()
    assert code == 1 and "AGENTS.md: current, but not as staged; `git add` it" in told
    (tmp_path / "AGENTS.md").write_text("Mine\n" + (tmp_path / "AGENTS.md").read_text())
    assert commit("-a")[0] == 0
    (tmp_path / "AGENTS.md").write_text("More\n" + (tmp_path / "AGENTS.md").read_text())
    assert commit("--allow-empty")[0] == 0  # our part is as staged
    assert lab.run(tmp_path, "update", "--check").returncode == 0


def test_doctor_tells_of_each_agent_what_is_registered_and_what_to_do(tmp_path: Path) -> None:
    root, home = lab.plant(tmp_path / "r", {"a.py": "x = 1\n"}), tmp_path / "home"
    lab.copy_script(root)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"

    def lines(**env: str) -> dict[str, str]:
        done = lab.run(root, "doctor", env={"HOME": str(home), "PATH": path, **env})
        rows = (line[6:].partition(": ") for line in done.stdout.splitlines())
        return {name: text for name, _, text in rows}

    done = lab.run(root, "init", "--no-setup", "--agents", "codex,gemini", "--hooks", "--mcp")
    assert "Trust all and continue" in done.stderr and "CLAUDE.md" not in lines()
    assert lines()["agent codex"].startswith("hooks registered, mcp registered, not trusted; do: ")
    assert lines()["agent gemini"].startswith("mcp registered, not trusted; do: start `gemini`")
    lab.plant(home, {".codex/config.toml": f'[hooks.state."{root}/.codex/hooks.json:a:0:0"]\n'})
    lab.plant(home, {".gemini/trustedFolders.json": json.dumps({str(root): "TRUST_FOLDER"})})
    assert lines()["agent codex"] == "hooks registered, mcp registered, trusted"
    assert lines()["agent gemini"] == "mcp registered, trusted"
    other = lines(CTX_AGENTS_COMMAND="python3 gone.py")["agent gemini"]
    assert other == "mcp registered with another command, trusted; do: python3 gone.py update"
    (root / "ctx.py").rename(root / "other.py")
    (root / ".gemini/settings.json").write_text("{}\n")
    init(root, "--agents", "claude")
    assert "not registered (`" in lines()["agent claude"]


def test_what_was_left_out_stays_out_and_no_section_names_it(tmp_path: Path) -> None:
    init(tmp_path, "--no-constitution", "--no-map")
    for args in (["update"], ["update", "--check"]):
        assert lab.run(tmp_path, *args).returncode == 0
        names = {*os.listdir(tmp_path / ".ctx")} - {"cache"}
        assert names == {".gitignore", "runloop.md"}
    for name in ("AGENTS.md", "CLAUDE.md"):
        assert "constitution.md" not in (tmp_path / name).read_text()
        assert ".ctx/map.md" not in (tmp_path / name).read_text()
    assert ".ctx/constitution.md: left out\n" in lab.run(tmp_path, "doctor").stdout


def test_a_constitution_is_chosen_and_replaced_on_demand_with_a_copy(tmp_path: Path) -> None:
    init(tmp_path, "--constitution", "library")
    place = tmp_path / ".ctx/constitution.md"
    assert "public interface" in place.read_text()
    place.write_text("ours\n")
    assert lab.run(tmp_path, "update").returncode == 0 and place.read_text() == "ours\n"
    done = lab.run(tmp_path, "update", "--force-constitution", "minimal")
    assert "No placeholders" in place.read_text() and "your text is in" in done.stderr
    assert [copy.read_text() for copy in (tmp_path / ".ctx/kept").iterdir()] == ["ours\n"]


def test_a_vendored_copy_is_what_the_texts_call_and_works_from_anywhere(tmp_path: Path) -> None:
    (tmp_path / "r/src").mkdir(parents=True)
    done = lab.run(tmp_path / "r", "init", "--no-setup", "--vendor", "--mcp")
    assert "not on PATH" not in done.stderr
    assert "`python3 .ctx/ctx.py update`" in section_of(tmp_path / "r/AGENTS.md")
    copy = tmp_path / "r/.ctx/ctx.py"
    assert copy.read_bytes() == lab.SCRIPT.read_bytes()
    command = [sys.executable, str(copy), "update", "--check"]
    assert subprocess.run(command, cwd=tmp_path / "r/src", capture_output=True).returncode == 0
    line = json.loads((tmp_path / "r/.mcp.json").read_text())["mcpServers"]["ctx"]["args"][1]
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-c", line],
        cwd=tmp_path / "r/src",
        env={**os.environ, "PATH": path},
        input=b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n',
        capture_output=True,
    )
    assert json.loads(done.stdout) == {"jsonrpc": "2.0", "id": 1, "result": {}}


def test_a_command_that_cannot_be_run_is_told_by_init_and_doctor(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    lab.plant(tmp_path, {"r/a": "", "bin/python3": "#!/bin/sh\necho Python 3.8.1\n"})
    (tmp_path / "bin/python3").chmod(0o755)
    env = {"PATH": f"{tmp_path}/bin:/usr/bin:/bin"}
    done = lab.run(tmp_path / "r", "init", "--no-setup", env=env)
    assert "`ctx`: ctx is not on PATH; `init --vendor` copies ctx.py to .ctx/ctx.py" in done.stderr
    (command,) = re.findall("next: `(.*) pack", done.stderr)  # one that works nevertheless
    assert subprocess.check_output(f"{command} --version", shell=True).startswith(b"ctx ")
    lab.copy_script(tmp_path / "r")
    done = lab.run(tmp_path / "r", "doctor", env=env)
    assert "todo  command: `python3 ctx.py`: Python 3.8.1 is too old; do: " in done.stdout
    config = {"CTX_AGENTS_COMMAND": "sh ctx.py"}
    assert "ok    command: `sh ctx.py`" in lab.run(tmp_path / "r", "doctor", env=config).stdout
    assert lab.run(tmp_path / "r", "update", env=config).returncode == 0
    assert "`sh ctx.py update`" in section_of(tmp_path / "r/AGENTS.md")


def test_a_copy_in_the_root_is_named_whichever_copy_runs(tmp_path: Path) -> None:
    lab.plant(tmp_path, {"r/a.py": "x = 1\n", "out/a": ""})
    lab.copy_script(tmp_path / "r")
    init(tmp_path / "r")
    before = lab.contents(tmp_path / "r")
    done = lab.run(tmp_path / "out", "--root", str(tmp_path / "r"), "update")
    assert (done.returncode, lab.talk(done)) == (0, "")
    assert lab.contents(tmp_path / "r") == before


def test_remove_says_what_stays_and_leaves_no_empty_folder(tmp_path: Path) -> None:
    lab.plant(tmp_path, {"a.py": "x = 1\n", ".runner/state/x": ""})
    init(tmp_path, "--hooks", "--agents", "--mcp")
    claude = section_of(tmp_path / "CLAUDE.md")  # what only Claude has here
    assert all(
        word in claude for word in ("plan mode", "The skill `ctx`", "The agent `repo-mapper`")
    )
    done = lab.run(tmp_path, "update", "--remove")
    assert sorted(os.listdir(tmp_path)) == [".ctx", ".runner", "a.py"]
    assert ".ctx/ stays: " in done.stderr and ".runner/ stays: " in done.stderr


def test_remove_keeps_a_copy_of_what_was_edited_and_the_folder_itself(tmp_path: Path) -> None:
    root = tmp_path / "outer/inner"
    root.mkdir(parents=True)
    init(root)
    agents = root / "AGENTS.md"
    agents.write_text(agents.read_text().replace("## Working", "Ask Ann first.\n\n## Working"))
    done = lab.run(root, "update", "--remove")
    assert "AGENTS.md: was edited by hand; your text is in .ctx/kept/AGENTS.md." in done.stderr
    assert any("Ask Ann" in copy.read_text() for copy in (root / ".ctx/kept").iterdir())
    shutil.rmtree(root / ".ctx")
    (root / "AGENTS.md").write_bytes(ctx.upsert_section(None, "- all there is\n"))
    assert lab.run(root, "--root", str(root), "update", "--remove").returncode == 0
    assert root.is_dir() and not list(root.iterdir())


# -- the agents of a repository

AGENTS: dict[str, tuple[list[str], dict[str, str]]] = {  # what is there; file -> text it then holds
    "codex": ([".codex/"], {".codex/hooks.json": "SessionStart", ".codex/config.toml": "ctx mcp"}),
    "gemini": ([".gemini/"], {"GEMINI.md": "@AGENTS.md\n@.ctx/map.md", ".gemini/settings.json": "mcp"}),
    "opencode": (["opencode.json"], {"opencode.json": '"type": "local"'}),
    "copilot": (
        [".github/copilot-instructions.md"],
        {".github/copilot-instructions.md": "`AGENTS.md`", ".vscode/mcp.json": '"servers"'},
    ),
    "cursor": (
        [".cursor/"],
        {".cursor/rules/ctx.mdc": "alwaysApply: true", ".cursor/mcp.json": "mcp", ".cursor/hooks.json": "1"},
    ),
    "zed": ([".zed/", ".rules"], {".rules": "`AGENTS.md`", ".zed/settings.json": "context_servers"}),
    "windsurf": ([".windsurf/"], {".windsurf/rules/ctx.md": "trigger: always_on"}),
}  # fmt: skip


@pytest.mark.parametrize("agent", AGENTS)
def test_each_agent_gets_what_it_reads_and_nothing_of_it_stays(tmp_path: Path, agent: str) -> None:
    present, expected = AGENTS[agent]
    lab.plant(tmp_path, {"a.py": "x = 1\n"})
    for name in present:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).mkdir() if name.endswith("/") else (tmp_path / name).write_text(
            "{}\n" if name.endswith(".json") else "mine\n"
        )
    before = {name: source for name, source in lab.contents(tmp_path).items() if source}
    init(tmp_path, "--hooks", "--mcp")
    for path, text in expected.items():
        assert text in (tmp_path / path).read_text(), path
    found = {path for name in AGENTS if name != agent for path in AGENTS[name][1]} - {*expected}
    assert not [path for path in found if (tmp_path / path).exists()]
    mark = "todo" if agent in ("codex", "gemini") else "ok  "  # not trusted
    assert f"\n{mark}  agent {agent}: " in lab.run(tmp_path, "doctor").stdout
    assert lab.run(tmp_path, "update", "--check").returncode == 0
    assert lab.run(tmp_path, "update", "--remove").returncode == 0
    left = lab.contents(tmp_path)
    left = {name: left[name] for name in left if left[name] and name[:4] != ".ctx"}
    assert left == before or agent == "opencode"  # an empty object is not worth keeping


def test_agents_can_be_chosen_by_name(tmp_path: Path) -> None:
    init(tmp_path, "--agents", "gemini,codex", "--mcp")
    assert (tmp_path / "GEMINI.md").exists() and (tmp_path / ".codex/config.toml").exists()
    assert not (tmp_path / "CLAUDE.md").exists() and not (tmp_path / ".mcp.json").exists()
    done = lab.run(tmp_path, "init", "--no-setup", "--agents", "gemni")
    assert done.returncode == 2 and "unknown agent; did you mean gemini?" in done.stderr


def test_gemini_that_reads_agents_md_needs_no_file_of_its_own(tmp_path: Path) -> None:
    settings = '{"context": {"fileName": ["AGENTS.md"]}}\n'
    init(lab.plant(tmp_path, {".gemini/settings.json": settings}))
    assert not (tmp_path / "GEMINI.md").exists()


@pytest.mark.parametrize(
    "text", ["", 'model = "x"\n', 'model = "x"\n\n[mcp_servers.other]\ncommand = "y"\n']
)
def test_toml_settings_are_merged_and_taken_out_again(tmp_path: Path, text: str) -> None:
    place = lab.plant(tmp_path, {".codex/config.toml": text, "a.py": ""}) / ".codex/config.toml"
    init(tmp_path, "--mcp")
    merged = tomllib.loads(place.read_text())
    assert merged["mcp_servers"]["ctx"]["command"] == "sh"
    assert merged.get("model") == tomllib.loads(text).get("model")
    settled = place.read_text()
    init(tmp_path, "--mcp")
    assert place.read_text() == settled
    assert lab.run(tmp_path, "update", "--remove").returncode == 0
    assert (place.read_text() if place.exists() else "") == text


def test_a_toml_entry_of_somebody_else_is_refused(tmp_path: Path) -> None:
    text = '[mcp_servers.ctx]\ncommand = "other"\n'
    lab.plant(tmp_path, {".codex/config.toml": text, "a.py": ""})
    done = lab.run(tmp_path, "init", "--no-setup", "--mcp")
    assert done.returncode == 2 and "the entry `ctx` is not ours" in done.stderr
    assert (tmp_path / ".codex/config.toml").read_text() == text


# -- links


@pytest.mark.parametrize(
    "links",
    [
        {"CLAUDE.md": "AGENTS.md"},
        {"AGENTS.md": "CLAUDE.md"},
        {"CLAUDE.md": "docs/mid.md", "docs/mid.md": "../AGENTS.md"},
        {"AGENTS.md": "docs/rules.md", "CLAUDE.md": "docs/rules.md"},
    ],
)
@pytest.mark.parametrize("dangling", [False, True])
def test_a_linked_pair_gets_one_section_and_stays_linked(
    tmp_path: Path, links: dict[str, str], dangling: bool
) -> None:
    (tmp_path / "docs").mkdir()
    for name, target in links.items():
        (tmp_path / name).symlink_to(target)
    real = Path(os.path.realpath(tmp_path / "AGENTS.md"))
    if not dangling:
        real.write_bytes(b"# Mine\r\n")
    before = lab.contents(tmp_path)
    init(tmp_path)
    assert {name: os.readlink(tmp_path / name) for name in links} == links
    source = (tmp_path / "CLAUDE.md").read_bytes()
    assert source.count(BEGIN.strip().encode()) == 1 and b"@AGENTS.md" not in source
    assert lab.run(tmp_path, "update").returncode == 0  # a target made just now joins the map
    assert lab.run(tmp_path, "update", "--check").returncode == 0
    assert lab.run(tmp_path, "update", "--remove").returncode == 0
    left = lab.contents(tmp_path)
    assert {name: source for name, source in left.items() if not name.startswith(".ctx")} == before


def test_a_linked_constitution_is_the_users_choice(tmp_path: Path) -> None:
    lab.plant(tmp_path, {"shared/rules.md": "ours\n", ".ctx/.gitignore": "cache/\nmine\n"})
    (tmp_path / ".ctx/constitution.md").symlink_to("../shared/rules.md")
    init(tmp_path)
    assert os.readlink(tmp_path / ".ctx/constitution.md") == "../shared/rules.md"
    assert (tmp_path / "shared/rules.md").read_text() == "ours\n"
    assert (tmp_path / ".ctx/.gitignore").read_text() == "cache/\nmine\n"


# -- further files

FRONT = b"---\ndescription: house rules\nalwaysApply: true\n---\n"


@pytest.mark.parametrize(
    ("path", "source"),
    [
        (".github/copilot-instructions.md", b"Be brief.\n"),
        ("GEMINI.md", None),
        (".cursor/rules/x.mdc", FRONT),
        (".cursorrules", b"one rule"),
        ("CLAUDE.local.md", b"ignored by git\n"),
    ],
)
def test_a_further_file_is_managed_like_the_others(
    tmp_path: Path, path: str, source: bytes | None
) -> None:
    lab.plant(tmp_path, {".gitignore": "CLAUDE.local.md\n", **({path: source} if source else {})})
    lab.git(tmp_path, "init", "-q")
    init(tmp_path, "--file", f"./{path}")
    place = tmp_path / path
    assert place.read_bytes().startswith(source or b"<!-- BEGIN")
    pristine = place.read_bytes()
    stale = lab.old_section(source, "- older text\n", 0)
    place.write_bytes(stale)
    assert lab.run(tmp_path, "update", "--check").returncode == 1
    assert f"{path}: section v0 replaced by v1" in lab.run(tmp_path, "update").stderr
    assert place.read_bytes() == pristine
    assert lab.run(tmp_path, "update", "--remove").returncode == 0
    assert (place.read_bytes() if place.exists() else None) == source


# -- who owns what


def test_a_stale_section_is_told_by_check_and_mended_by_update(tmp_path: Path) -> None:
    init(tmp_path)
    place = tmp_path / "AGENTS.md"
    fresh = place.read_bytes()
    stale = lab.old_section(b"# Mine\n", "- what an older ctx.py wrote\n", 1)
    place.write_bytes(stale)
    done = lab.run(tmp_path, "update", "--check")
    assert done.returncode == 1 and "AGENTS.md: stale; run `ctx update`" in done.stderr
    assert place.read_bytes() == stale
    assert lab.talk(lab.run(tmp_path, "update")) == "ctx: wrote AGENTS.md\n"
    assert place.read_bytes() == b"# Mine\n\n" + fresh


def test_an_edited_section_is_kept_and_named_until_forced(tmp_path: Path) -> None:
    init(tmp_path)
    place = tmp_path / "AGENTS.md"
    fresh = place.read_bytes()
    edited = fresh.replace(b"House rules", b"My rules")
    place.write_bytes(edited)
    for args in (["update"], ["update", "--check"], ["init", "--no-setup"]):
        done = lab.run(tmp_path, *args)
        assert done.returncode == 0 and "AGENTS.md: section edited by hand; kept" in done.stderr
        assert place.read_bytes() == edited
    done = lab.run(tmp_path, "update", "--force")
    assert place.read_bytes() == fresh
    copies = list((tmp_path / ".ctx/kept").iterdir())
    assert [copy.read_bytes() for copy in copies] == [edited]
    assert copies[0].name in done.stderr


def test_a_section_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    newer = lab.old_section(b"# Mine\n", "- from the future\n", 2)
    lab.plant(tmp_path, {"AGENTS.md": newer})
    done = lab.run(tmp_path, "init", "--no-setup")
    assert done.returncode == 0 and "newer ctx.py; left alone" in done.stderr
    assert lab.run(tmp_path, "update", "--force").returncode == 0
    assert (tmp_path / "AGENTS.md").read_bytes() == newer


def test_the_constitution_is_written_once_and_the_run_loop_while_pristine(tmp_path: Path) -> None:
    init(tmp_path)
    constitution, runloop = tmp_path / ".ctx/constitution.md", tmp_path / ".ctx/runloop.md"
    fresh = runloop.read_bytes()
    constitution.write_text("ours\n")
    runloop.write_bytes(ctx.seal("what an older ctx.py wrote\n"))
    assert lab.run(tmp_path, "update").returncode == 0
    assert (constitution.read_text(), runloop.read_bytes()) == ("ours\n", fresh)
    runloop.write_bytes(fresh.replace(b"\n", b"\r\n"))  # as a checkout on Windows has it
    assert lab.run(tmp_path, "update", "--check").returncode == 0
    runloop.write_bytes(b"my own loop\n" + fresh)
    done = lab.run(tmp_path, "update")
    assert done.returncode == 0 and ".ctx/runloop.md: edited by hand; kept" in done.stderr
    assert runloop.read_bytes() == b"my own loop\n" + fresh


def test_the_run_loop_is_the_repositorys_own_else_the_embedded_one(tmp_path: Path) -> None:
    project = ctx.Project(os.path.realpath(tmp_path))
    assert ctx.make_run_loop(project) == ctx.TEMPLATES["runloop.md"]
    init(tmp_path)
    assert ctx.make_run_loop(project) == ctx.TEMPLATES["runloop.md"]
    lab.plant(tmp_path, {".ctx/runloop.md": "my own loop\n"})
    assert ctx.make_run_loop(project) == "my own loop\n"


def test_a_document_that_quotes_the_markers_is_not_managed(tmp_path: Path) -> None:
    quoted = f"```md\n{BEGIN}x\n{END}```\n    {BEGIN}"
    lab.plant(tmp_path, {"docs/how.md": quoted, "README.md": quoted})
    init(tmp_path)
    assert lab.run(tmp_path, "update").returncode == 0
    assert (tmp_path / "docs/how.md").read_text() == (tmp_path / "README.md").read_text() == quoted


# -- dry runs


@pytest.mark.parametrize("holding", HOLDINGS)
def test_a_dry_run_prints_a_diff_that_git_applies_to_the_same_result(
    tmp_path: Path, holding: str
) -> None:
    dry = lab.plant(tmp_path / "dry/sample", {"x": "", **HOLDINGS[holding]})
    wet = lab.plant(tmp_path / "wet/sample", {"x": "", **HOLDINGS[holding]})
    before = lab.snapshot(dry)
    done = lab.run(dry, "init", "--dry-run")
    assert done.returncode == 0 and lab.snapshot(dry) == before
    init(wet)
    patch = done.stdout.encode("utf-8", "surrogateescape")
    subprocess.run(["git", "apply", "-"], input=patch, cwd=dry, check=True)
    assert lab.contents(dry) == lab.contents(wet)


def test_a_dry_run_of_update_and_remove_writes_nothing(tmp_path: Path) -> None:
    init(tmp_path)
    before = lab.snapshot(tmp_path)
    assert lab.run(tmp_path, "update", "--dry-run").stdout == ""
    assert "+++ /dev/null" in lab.run(tmp_path, "update", "--remove", "--dry-run").stdout
    assert lab.snapshot(tmp_path) == before


# -- bad input: one line, exit 2, nothing changed

PAIR = f"{BEGIN}x\n{END}"
BAD: dict[str, tuple[dict[str, bytes | str], list[str], str]] = {
    "missing END": ({"AGENTS.md": f"a\n{BEGIN}b\n"}, ["init"], "AGENTS.md:2: managed section has no"),
    "missing BEGIN": ({"AGENTS.md": f"a\n{END}b\n"}, ["init"], "AGENTS.md:2: managed section ends"),
    "END before BEGIN": ({"CLAUDE.md": END + BEGIN}, ["init"], "CLAUDE.md:1: managed section ends"),
    "two pairs": ({"AGENTS.md": PAIR + PAIR}, ["init"], "AGENTS.md:4: a second managed section"),
    "nested": ({"AGENTS.md": BEGIN + PAIR + END}, ["init"], "AGENTS.md:2: a second managed section"),
    "damage met by update": ({"CLAUDE.md": BEGIN}, ["update"], "CLAUDE.md:1: managed section has no"),
    "damage met by remove": ({"AGENTS.md": BEGIN}, ["update", "--remove"], "AGENTS.md:1: managed"),
    "a folder": ({"AGENTS.md/x": ""}, ["init"], "AGENTS.md: is a folder; move it away"),
    "unknown key": ({".ctx/config.toml": "[map]\nx = 1\n"}, ["init"], ".ctx/config.toml: unknown key"),
    "out of range": (
        {".ctx/config.toml": "[map]\nmax_depth = 11\n"},
        ["init"],
        ".ctx/config.toml: map.max_depth is 11; it must be 1 to 10",
    ),
    "broken TOML": ({".ctx/config.toml": "[map\n"}, ["init"], ".ctx/config.toml: not valid TOML"),
    "unknown command": ({"a": ""}, ["inti"], "inti: unknown command; did you mean init?"),
    "unknown flag": ({"a": ""}, ["init", "--forse"], "init: unrecognized arguments: --forse"),
    "unknown global flag": ({"a": ""}, ["--forse"], "arguments: unrecognized arguments: --forse"),
    "missing value": ({"a": ""}, ["init", "--file"], "init: argument --file: expected one argument"),
    "no such root": ({"a": ""}, ["--root", "nowhere", "init"], "nowhere: not a folder"),
    "not set up": ({"a": ""}, ["update"], "not set up; run `ctx init`"),
    "a file outside": ({"a": ""}, ["init", "--file", "../x.md"], "../x.md: is not a file of this"),
    "a file of git": ({"a": ""}, ["init", "--file", ".git/x.md"], ".git/x.md: is not a file of this"),
    "no instruction file": ({"a.py": ""}, ["init", "--file", "a.py"], "a.py: no instruction file"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_line_and_changes_nothing(tmp_path: Path, case: str) -> None:
    files, args, complaint = BAD[case]
    root = lab.plant(tmp_path, files)
    before = lab.snapshot(root)
    args = [*args, "--no-setup"] if args[0] == "init" else args
    done = lab.run(root, *args)
    assert (done.returncode, done.stdout, lab.talk(done).count("\n")) == (2, "", 1)
    assert done.stderr.startswith("ctx: ") and complaint in done.stderr
    assert lab.snapshot(root) == before


def test_a_link_that_leads_out_is_refused(tmp_path: Path) -> None:
    lab.plant(tmp_path, {"out.md": "theirs", "in/a": ""})
    for target in ("../out.md", "AGENTS.md"):
        (tmp_path / "in/AGENTS.md").symlink_to(target)
        done = lab.run(tmp_path / "in", "init", "--no-setup")
        assert done.returncode == 2 and "replace" in done.stderr and lab.talk(done).count("\n") == 1
        assert sorted(os.listdir(tmp_path / "in")) == ["AGENTS.md", "a"]
        (tmp_path / "in/AGENTS.md").unlink()
    assert (tmp_path / "out.md").read_text() == "theirs"


def test_a_ctx_folder_that_leads_out_is_refused(tmp_path: Path) -> None:
    lab.plant(tmp_path, {"out/x": "", "in/a": ""})
    (tmp_path / "in/.ctx").symlink_to("../out")
    done = lab.run(tmp_path / "in", "init", "--no-setup")
    assert done.returncode == 2 and "leads through a link" in done.stderr
    assert os.listdir(tmp_path / "out") == ["x"]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="permissions bind here only")
@pytest.mark.parametrize("shut", [".", "docs"])
def test_a_read_only_folder_is_one_line_and_changes_nothing(tmp_path: Path, shut: str) -> None:
    root = lab.plant(tmp_path / "r", {"docs/a.md": "mine\n", "AGENTS.md": "mine\n"})
    before = lab.snapshot(root)
    (root / shut).chmod(0o555)
    args = ("init", "--no-setup", "--file", "docs/a.md")
    done = lab.run(root, *args, preexec_fn=lab.drop_power)
    (root / shut).chmod(0o755)
    assert (done.returncode, lab.talk(done).count("\n")) == (2, 1)
    assert "Permission denied; nothing was changed" in done.stderr
    after = lab.snapshot(root)
    assert {name: after[name] for name in after if not name.startswith(".ctx")} == before
    assert not (root / ".ctx/constitution.md").exists()


def test_a_section_that_would_hold_a_marker_is_refused(tmp_path: Path) -> None:
    """The script's own path is part of the text; a folder may be named like a marker."""
    folder = tmp_path / f"a\n{END}b"
    folder.mkdir()
    lab.copy_script(folder)
    done = lab.run(folder, "--root", str(tmp_path), "init", "--no-setup")
    assert (done.returncode, lab.talk(done).count("\n")) == (2, 1)
    assert "contains a marker line" in done.stderr
    assert os.listdir(tmp_path) == [folder.name]


def test_commands_of_the_instruction_file_win_and_are_not_said_again(tmp_path: Path) -> None:
    own = "# Mine\n\n```sh\ngo test -race ./...\n```\n"
    files = {"go.mod": "module example.org/x\n\ngo 1.25\n", "x.go": "package x\n", "AGENTS.md": own}
    init(lab.plant(tmp_path, files))
    section = section_of(tmp_path / "AGENTS.md")
    assert "go test" not in section and "Build: `go build ./...`" in section
    told = lab.run(tmp_path, "map", "--json").stdout
    assert "go test -race ./..." in told and '"AGENTS.md:' in told
