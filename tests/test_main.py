"""The habits of the command line: help, exit codes, pipes, interrupts."""

import hashlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import lab
import pytest

import ctx


def test_no_command_prints_the_help(tmp_path: Path) -> None:
    done = lab.run(tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == lab.run(tmp_path, "--help").stdout == lab.run(tmp_path, "-h").stdout
    assert done.stdout == lab.run(tmp_path, "--quiet", "--help").stdout
    assert all(f"\n  {name}" in done.stdout for name in ctx.list_commands())


@pytest.mark.parametrize("name", ctx.list_commands())
def test_the_help_of_a_command_has_an_example_and_no_colours(tmp_path: Path, name: str) -> None:
    done = lab.run(tmp_path, name, "--help", env={"FORCE_COLOR": "1"})
    assert (done.returncode, done.stderr) == (0, "")
    assert f"example:\n  {ctx.parse_command(name)[0]}" in done.stdout
    assert "\x1b" not in done.stdout
    assert os.listdir(tmp_path) == []


def test_help_is_a_word_too(tmp_path: Path) -> None:
    assert lab.run(tmp_path, "help").stdout == lab.run(tmp_path, "--help").stdout
    assert lab.run(tmp_path, "help", "map").stdout == lab.run(tmp_path, "map", "--help").stdout


def test_a_map_is_asked_for_as_people_type_it(tmp_path: Path) -> None:
    lab.plant(tmp_path, {"src/a.py": "def first(): ...\n", "src/b.py": "def second(): ...\n"})
    whole = lab.run(tmp_path, "map", ".", "-t", "800", "-v", "-o", "-")
    assert whole.returncode == 0 and "of 800 tokens" in whole.stdout
    lab.plant(tmp_path, {".git/HEAD": ""})
    focused = lab.run(tmp_path, "map", "b.py", "-o", "-", cwd=tmp_path / "src").stdout
    assert focused == lab.run(tmp_path, "map", "--focus", "src/b.py", "-o", "-").stdout


def test_an_empty_git_folder_above_is_no_repository(tmp_path: Path) -> None:
    inner = lab.plant(tmp_path, {"other.py": "", "inner/a.py": "def first(): ...\n"}) / "inner"
    (tmp_path / ".git").mkdir()
    assert "other" not in lab.run(inner, "map", "-o", "-").stdout
    assert not (tmp_path / ".ctx").exists()


def test_a_budget_is_a_share_of_the_models_window(tmp_path: Path) -> None:
    lab.plant(tmp_path, {"a.py": "def first(): ...\n", "TASKS.md": "- [ ] T-1: Call first\n"})
    for window in ("200000", "claude-opus-5", "Claude"):
        done = lab.run(tmp_path, "map", "--window", window, "-o", "-")
        assert "of 1500 tokens" in done.stdout
    assert "of 8000 tokens" in lab.run(tmp_path, "pack", "first", "--window", "claude").stdout
    done = lab.run(tmp_path, "map", "-o", "-", env={"CTX_MAP_WINDOW": "400000"})
    assert "of 3000 tokens" in done.stdout
    env = {"CTX_MAP_WINDOW": "400000", "CTX_MAP_TOKEN_BUDGET": "800"}
    assert "of 800 tokens" in lab.run(tmp_path, "map", "-o", "-", env=env).stdout
    done = lab.run(tmp_path, "prompt", "T-1", "--window", "8000")
    assert done.returncode == 2 or len(done.stdout.encode()) <= 1600
    assert "give tokens, or one of claude" in lab.run(tmp_path, "map", "--window", "huge").stderr


def test_a_map_replaces_no_file_but_a_map(tmp_path: Path) -> None:
    lab.plant(tmp_path, {"a.py": "x = 1\n", "empty": ""})
    done = lab.run(tmp_path, "map", "--output", "a.py")
    assert done.returncode == 2 and "a.py: exists and is no map" in done.stderr
    assert (tmp_path / "a.py").read_text() == "x = 1\n"
    for args in (["-o", "empty"], ["-o", "m.md"], ["-o", "m.md"], ["-o", "m.md", "--json"]):
        assert lab.run(tmp_path, "map", *args).returncode == 0
    assert lab.run(tmp_path, "map", "-o", "m.md").returncode == 0


def test_an_id_like_those_of_the_tracker_must_be_a_task(tmp_path: Path) -> None:
    lab.plant(tmp_path, {"TASKS.md": "- [ ] T-1: Read the table\n", "a.py": "table = 99\n"})
    done = lab.run(tmp_path, "pack", "T-99")
    assert done.returncode == 2 and "T-99: no such task in plain" in done.stderr
    assert "T-99" not in lab.run(tmp_path, "pack", "utf-8 table").stderr


def test_the_version_is_told(tmp_path: Path) -> None:
    build = hashlib.sha256(Path(ctx.__file__).read_bytes()).hexdigest()[:12]
    assert lab.run(tmp_path, "--version").stdout == f"ctx {ctx.VERSION} ({build})\n"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("inti", "init"), ("mpa", "map"), ("updat", "update"), ("docter", "doctor")],
)
def test_a_mistyped_command_is_guessed(tmp_path: Path, typed: str, meant: str) -> None:
    done = lab.run(tmp_path, typed)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"ctx: {typed}: unknown command; did you mean {meant}?\n"


def test_a_strange_command_lists_the_known_ones_on_one_line(tmp_path: Path) -> None:
    done = lab.run(tmp_path, "x\ny\x1b[31m")
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and "\x1b" not in done.stderr


def test_flags_are_not_guessed_from_their_beginnings(tmp_path: Path) -> None:
    assert lab.run(tmp_path, "init", "--dry").returncode == 2
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("args", [["--help"], ["init", "--help"], ["doctor", "--quiet"]])
def test_a_broken_pipe_ends_quietly(tmp_path: Path, args: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [*lab.command(lab.SCRIPT, "-I", "-S"), *args],
        cwd=tmp_path,
        stdout=writer,
        stderr=subprocess.PIPE,
    )
    os.close(writer)
    assert done.stderr == b"" and done.returncode in (0, 1)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_behind_stdout_is_one_line(tmp_path: Path) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-I", "-S", str(lab.SCRIPT), "--help"],
            stdout=full,
            stderr=subprocess.PIPE,
        )
    assert done.returncode == 2
    assert done.stderr.startswith(b"ctx: stdout: cannot write: ") and done.stderr.count(b"\n") == 1


def test_closed_outputs_do_not_crash(tmp_path: Path) -> None:
    line = f"'{sys.executable}' -I -S '{lab.SCRIPT}'"
    done = subprocess.run(f"{line} --help >&-; echo $?", shell=True, capture_output=True)
    assert (done.stdout, done.stderr.count(b"\n")) == (b"2\n", 1)
    done = subprocess.run(f"{line} inti 2>&-; echo $?", shell=True, capture_output=True)
    assert done.stdout == b"2\n"


def test_an_interrupt_is_130_without_a_word(tmp_path: Path) -> None:
    """init waits in a pipe that nobody writes to while Ctrl-C comes."""
    slow = lab.plant(tmp_path, {"bin/git": '#!/bin/sh\necho here >"$MARK"\nexec sleep 60\n'})
    (slow / "bin/git").chmod(0o755)
    lab.plant(slow, {".git/HEAD": ""})
    mark = tmp_path / "mark"
    os.mkfifo(mark)
    with subprocess.Popen(
        [*lab.command(lab.SCRIPT, "-I", "-S"), "update"],
        cwd=tmp_path,
        env={**os.environ, "PATH": f"{slow / 'bin'}:{os.environ['PATH']}", "MARK": str(mark)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # a shell that starts the tests in the background ignores interrupts for them
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        start_new_session=True,
    ) as process:
        mark.read_text()  # git has been started
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, b"", b"")


def test_a_working_folder_that_is_gone_is_one_line(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    line = f"cd '{gone}' && rmdir '{gone}' && '{sys.executable}' -I -S '{lab.SCRIPT}' doctor"
    done = subprocess.run(line, shell=True, capture_output=True)
    assert done.returncode == 2 and done.stderr.count(b"\n") == 1


def test_output_is_utf8_whatever_the_locale(tmp_path: Path) -> None:
    root = tmp_path / "naïve"
    root.mkdir()
    lab.plant(root, {"AGENTS.md": "naïve\n"})
    done = lab.run(root, "init", "--dry-run", env={"LC_ALL": "C", "PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0 and "naïve" in done.stdout


# -- doctor


def test_doctor_names_the_command_for_each_fault_and_exits_1(tmp_path: Path) -> None:
    lab.copy_script(tmp_path)
    done = lab.run(tmp_path, "doctor", env={"XDG_CACHE_HOME": str(tmp_path / "none")})
    assert (done.returncode, lab.talk(done)) == (1, "")
    assert "todo  AGENTS.md: section absent; do: python3 ctx.py init\n" in done.stdout
    assert "tree-sitter: missing" in done.stdout and "do: python3 ctx.py setup" in done.stdout
    assert "git: not a git work tree" in done.stdout
    assert "\nok    tokens: estimate" in done.stdout


def test_doctor_tells_each_state_of_a_section(tmp_path: Path) -> None:
    assert lab.run(tmp_path, "init", "--no-setup").returncode == 0
    place = tmp_path / "AGENTS.md"
    fresh = place.read_bytes()
    states = {
        "section current": fresh,
        "section edited": fresh.replace(b"House", b"My"),
        "section stale; do: ctx update": ctx.upsert_section(b"", "- old\n"),
        "section newer": lab.old_section(b"", "- new\n", 2),
        "AGENTS.md:1: managed section has no end; do: restore its END marker": fresh[:300],
    }
    for state, source in states.items():
        place.write_bytes(source)
        assert f"AGENTS.md: {state}\n" in lab.run(tmp_path, "doctor").stdout


def test_doctor_writes_nothing_and_speaks_json(tmp_path: Path) -> None:
    import json

    lab.plant(tmp_path, {"AGENTS.md/x": "", "CLAUDE.md": "<!-- BEGIN CTX MANAGED SECTION v1 -->\n"})
    before = lab.snapshot(tmp_path)
    done = lab.run(tmp_path, "doctor", "--json")
    findings = json.loads(done.stdout)
    assert done.returncode == 1 and lab.snapshot(tmp_path) == before
    assert {"what", "state", "fix"} == set(findings[0])
    assert [each["fix"] for each in findings if each["what"] == "AGENTS.md"] != [""]


def test_doctor_names_a_package_outside_its_pin(tmp_path: Path) -> None:
    for name, version in (("tree-sitter", "0.25.2"), ("tree-sitter-language-pack", "1.2.0")):
        module = name.replace("-", "_")
        lab.plant(
            tmp_path / "site",
            {
                f"{module}/__init__.py": "",
                f"{module}-{version}.dist-info/METADATA": f"Name: {name}\nVersion: {version}\n",
            },
        )
    env = {"PYTHONPATH": str(tmp_path / "site"), "XDG_CACHE_HOME": str(tmp_path / "none")}
    done = lab.run(tmp_path, "doctor", python=("-S",), env=env)
    assert "todo  tree-sitter-language-pack: 1.2.0 of this Python is outside" in done.stdout
    assert "todo  tiktoken: missing" in done.stdout
    assert "ok    tree-sitter: 0.25.2" in done.stdout


def test_words_that_look_like_flags_can_be_searched(tmp_path: Path) -> None:
    lab.plant(tmp_path, {"a.py": "PARSER.add('--max-age')\n"})
    done = lab.run(tmp_path, "--root", str(tmp_path), "search", "--", "--max-age")
    assert done.returncode == 0 and done.stdout.startswith("a.py 1.00")


def test_help_and_errors_name_the_command_that_was_typed(tmp_path: Path) -> None:
    assert lab.run(tmp_path, "map", "--help").stdout.startswith("usage: python3 ctx.py map ")
    assert "see `python3 ctx.py map --help`" in lab.run(tmp_path, "map", "--nope").stderr


@pytest.mark.parametrize("args", [("pack",), ("pack", " "), ("tasks", "--claim", "me")])
def test_a_call_that_asks_for_nothing_is_an_error(args: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "TASKS.md").write_text("- [ ] T-1: One\n")
    done = lab.run(tmp_path, *args)
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and "; " in done.stderr
