"""README.md knows every command and flag, and the two commands that do everything."""

import inspect
import re

import lab
import pytest

import ctx

README = (lab.SCRIPT.parent / "README.md").read_text("utf-8")


@pytest.mark.parametrize("name", ctx.COMMANDS)
def test_a_command_and_its_flags_are_in_the_readme(name: str) -> None:
    door = ctx.COMMANDS[name]
    assert f"`{name}" in README
    for names, _ in door.flags:
        long = [each for each in names if each.startswith("--")]
        for each in long:
            assert f"`{each}" in README, f"{name} {each}"


@pytest.mark.parametrize("name", ctx.COMMANDS)
def test_a_command_has_a_docstring_and_an_example(name: str) -> None:
    door = ctx.COMMANDS[name]
    assert door.run.__name__ == f"cmd_{name}"
    first = (inspect.getdoc(door.run) or "").split("\n")[0]
    assert first.endswith(".") and len(first) <= 100
    assert door.example.startswith(f"python ctx.py {name}")


@pytest.mark.parametrize("flag", ["--root", "--quiet", "--verbose", "--version"])
def test_the_flags_for_all_are_in_the_readme(flag: str) -> None:
    assert f"`{flag}" in README


@pytest.mark.parametrize("command", ["python ctx.py init", "sh tests/run"])
def test_the_two_commands_stand_exactly_so(command: str) -> None:
    assert f"\n    {command}\n" in README


@pytest.mark.parametrize("field", ctx.Config._fields)
def test_every_setting_is_in_the_readme(field: str) -> None:
    assert f"`{field.replace('_', '.', 1)}" in README


def test_the_readme_calls_only_commands_that_exist() -> None:
    called = set(re.findall(r"python ctx\.py ([a-z]+)", README))
    assert called <= set(ctx.COMMANDS)


def test_the_readme_never_sends_anyone_to_a_foreign_package() -> None:
    assert "pip install ctx" not in README
