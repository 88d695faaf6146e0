"""README.md knows every command and flag, and the two commands that do everything."""

import inspect
import re
import shutil
from pathlib import Path

import lab
import pytest
import readme
import test_prompt

import ctx

README = readme.README.read_text("utf-8")


@pytest.mark.parametrize("name", ctx.list_commands())
def test_a_command_and_its_flags_are_in_the_readme(name: str) -> None:
    assert f"`{name}" in README
    for names, _ in ctx.parse_command(name)[1]:
        for flag in [flag for flag in names if flag.startswith("--")]:
            assert f"`{flag}" in README, f"{name} {flag}"


@pytest.mark.parametrize("name", ctx.list_commands())
def test_a_command_has_a_docstring_and_an_example(name: str) -> None:
    assert ctx.list_commands()[name].__name__ == f"cmd_{name}"
    first = (inspect.getdoc(ctx.list_commands()[name]) or "").split("\n")[0]
    assert first.endswith(".") and len(first) <= 100
    assert ctx.parse_command(name)[0].startswith(f"python3 ctx.py {name}")


@pytest.mark.parametrize("flag", ["--root", "--quiet", "--verbose", "--version"])
def test_the_flags_for_all_are_in_the_readme(flag: str) -> None:
    assert f"`{flag}" in README


@pytest.mark.parametrize("command", ["python3 ctx.py init", "sh tests/run"])
def test_the_two_commands_stand_exactly_so(command: str) -> None:
    assert f"\n    {command}\n" in README


TRACKERS = re.findall(r"(?m)^([a-z]+)$", ctx.TEMPLATES["trackers.txt"])


@pytest.mark.parametrize("name", TRACKERS)
def test_every_tracker_is_in_the_readme(name: str) -> None:
    assert f"| `{name}` |" in README


@pytest.mark.parametrize("field", ctx.Config._fields)
def test_every_setting_is_in_the_readme(field: str) -> None:
    assert f"`{field.replace('_', '.', 1)}" in README


def test_the_readme_calls_only_commands_that_exist() -> None:
    called = set(re.findall(r"python3 ctx\.py ([a-z]+)", README))
    assert called <= set(ctx.list_commands())


def test_the_readme_never_sends_anyone_to_a_foreign_package() -> None:
    assert "pip install ctx" not in README


@pytest.fixture(scope="module")
def flask(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real project, with ctx.py dropped in."""
    if not readme.SOURCES.is_dir():
        pytest.skip("the project of the sessions is downloaded by `sh tests/run`")
    return readme.unpack(tmp_path_factory.mktemp("sessions"))


@pytest.fixture
def ready(flask: Path, tmp_path: Path) -> Path:
    """A copy of the project, set up and committed."""
    if not (flask / "AGENTS.md").exists():
        assert readme.run(flask, "python3 ctx.py init").returncode == 0
    root = shutil.copytree(flask, tmp_path / "flask", symlinks=True)
    commit(root)
    return root


def test_the_sessions_print_what_the_readme_shows(flask: Path) -> None:
    for block in readme.BLOCK.findall(README):
        assert readme.replay(flask, block) == block, "run: .venv/bin/python tests/readme.py"


def test_the_tables_are_what_the_code_says() -> None:
    assert readme.write_tables(README) == README, "run: .venv/bin/python tests/readme.py"


def test_the_readme_is_short() -> None:
    assert len(README.splitlines()) <= 400


def test_the_picture_shows_what_is_printed_now(flask: Path) -> None:
    assert readme.PICTURE.read_text("utf-8") == readme.draw_picture(flask)


# the commands that stand in paragraphs of code, without what a shell does with their output
SHOWN = re.findall(r"^    .*?(python3 ctx\.py [\w -]+)", README, re.M)


def test_every_command_shown_works(flask: Path) -> None:
    assert len(SHOWN) >= 5
    for command in SHOWN:
        done = readme.run(flask, command.strip())
        assert done.returncode == 0, f"{command}: {done.stdout}"


def find_recipe(title: str) -> str:
    """The first block after a recipe's title."""
    found = re.search(rf"^\*\*{re.escape(title)}\*\*.*?^```\w+\n(.*?)^```$", README, re.M | re.S)
    assert found, title
    return found[1]


def test_the_recipe_for_an_agent_gives_it_prompt_and_rules(ready: Path) -> None:
    lab.plant(ready, {"claude": '#!/bin/sh\necho "$@"; cat "$3"; cat\n'})
    (ready / "claude").chmod(0o755)
    done = readme.run(ready, f'PATH="$PWD:$PATH"\n{find_recipe("Claude Code.")}')
    assert done.returncode == 0
    assert "-p --append-system-prompt-file .ctx/system.md\n" in done.stdout
    assert "# Run loop" in done.stdout and "Title: Stream large files" in done.stdout


def commit(root: Path) -> None:
    assert readme.run(root, "git add -A && git commit -qm more").returncode == 0


def test_the_recipe_for_pre_commit_stops_a_stale_section(ready: Path) -> None:
    lab.plant(ready, {".pre-commit-config.yaml": find_recipe("pre-commit.")})
    assert readme.run(ready, "python3 ctx.py update").returncode == 0
    commit(ready)
    check = "PRE_COMMIT_HOME=$PWD/../cache python -m pre_commit run --all-files"
    assert readme.run(ready, check).returncode == 0
    (ready / "src/flask/app.py").unlink()
    done = readme.run(ready, check)
    assert done.returncode == 1 and "stale; run `python3 ctx.py update`" in done.stdout


def test_the_recipe_for_ci_passes_a_fresh_clone_and_stops_a_stale_one(ready: Path) -> None:
    steps = re.findall(r"^- run: (.+)$", find_recipe("CI."), re.M)
    assert len(steps) == 2
    readme.run(ready, "git clone -q . ../clone")
    clone = ready.parent / "clone"
    assert [readme.run(clone, step).returncode for step in steps] == [0, 0]
    (clone / "src/flask/app.py").unlink()
    assert readme.run(clone, steps[-1]).returncode == 1


def test_the_sections_of_the_prompt_are_those_of_the_code() -> None:
    titles = re.findall(r'^        Section\("([^"]+)"', inspect.getsource(ctx.make_prompt), re.M)
    told = re.search(r"- \*\*Prompt\.\*\* ([^.]+)\.", README)
    assert told and [name.strip().capitalize() for name in told[1].split(",")] == titles
    assert titles == test_prompt.ORDER


def test_counts_and_limits_are_those_of_the_code() -> None:
    languages = [ctx.get_language(name) for name in ctx.list_languages()]
    number = sum(bool(language.suffixes or language.words("names")) for language in languages)
    assert f"- {number} languages have tags" in README
    assert f"within {ctx.HOOK_CHARS:,} characters" in README
