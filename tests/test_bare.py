"""ctx.py alone, copied anywhere, without a package: it runs, and gives the same bytes each time."""

import glob
import json
import os
import pwd
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import lab
import pytest

ROOT = lab.SCRIPT.parent
FILES: dict[str, bytes | str] = {
    "pyproject.toml": '[project]\nname = "sample"\nversion = "1"\n',
    "src/app.py": '"""An app."""\n\n\ndef main() -> None:\n    """Start it."""\n',
    "web/index.js": "export function start() {}\n",
}


def test_help_needs_no_package_and_no_other_file(tmp_path: Path) -> None:
    lab.copy_script(tmp_path)
    done = lab.run(tmp_path, "--help", env={"HOME": "/nonexistent"})
    assert (done.returncode, done.stderr) == (0, "")
    assert os.listdir(tmp_path) == ["ctx.py"]


def test_help_loads_nothing_that_it_does_not_need(tmp_path: Path) -> None:
    done = lab.run(tmp_path, "--help", python=("-I", "-S", "-X", "importtime"))
    loaded = set(re.findall(r"\| +(\S+)\n", done.stderr))
    assert "re" in loaded
    heavy = {"argparse", "dataclasses", "inspect", "json", "pathlib", "subprocess", "tempfile"}
    assert loaded & heavy == set()


@pytest.mark.parametrize("version", ["3.8", "3.9", "3.10"])
def test_an_older_python_gets_one_line(version: str, tmp_path: Path) -> None:
    home = pwd.getpwuid(os.getuid()).pw_dir  # HOME is not the user's in a test
    known = glob.glob(f"{home}/.pyenv/versions/{version}.*/bin/python")
    python = next(iter(known), "") or shutil.which(f"python{version}") or "false"
    if subprocess.run([python, "--version"], capture_output=True).returncode:
        pytest.skip(f"there is no Python {version} on this machine")
    done = subprocess.run([python, lab.SCRIPT, "map"], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith(f"ctx: needs Python 3.11 or newer; this is {version}.")


def test_the_map_is_the_same_bytes_under_any_locale(tmp_path: Path) -> None:
    files: dict[str, bytes | str] = {"ä中🚀.py": "def known(): pass\n", "ü/x.md": "# Über\n"}
    strict = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    seen = []
    for name, env in (("a", {"PYTHONUTF8": "1"}), ("b", strict)):
        root = lab.plant(tmp_path / name / "sample", files)
        done = lab.run(root, "map", "--output", "-", python=("-S",), env=env)
        assert done.returncode == 0 and "ä中🚀.py" in done.stdout
        seen.append((done.stdout, done.stderr))
    assert seen[0] == seen[1]


def test_a_home_that_is_missing_leaves_nothing_anywhere(tmp_path: Path) -> None:
    root = lab.plant(tmp_path / "root", FILES)
    lab.copy_script(root)
    before = lab.snapshot(root)
    env = {"HOME": str(tmp_path / "nope"), "XDG_CACHE_HOME": ""}
    python = (sys.executable, "-S")
    for args in (["init", "--dry-run"], ["map", "--output", "-"]):
        done = subprocess.run(
            [*python, "ctx.py", *args], cwd=root, env={**os.environ, **env}, capture_output=True
        )
        assert done.returncode == 0
        made = set(lab.snapshot(root)) - set(before)
        assert {name for name in made if not name.startswith(".ctx")} == set()
        assert "--dry-run" not in args or not made
    assert os.listdir(tmp_path) == ["root"]


def test_two_hash_seeds_give_the_same_bytes(tmp_path: Path) -> None:
    seen = []
    for seed in ("1", "2"):
        root = lab.copy_script(lab.plant(tmp_path / seed / "sample", FILES))
        texts = [lab.run(root, *args, python=("-S",), env={"PYTHONHASHSEED": seed}).stdout
                 for args in (["--help"], ["init", "--dry-run"], ["doctor", "--json"])]  # fmt: skip
        lab.run(root, "init", "--no-setup", python=("-S",), env={"PYTHONHASHSEED": seed})
        made = lab.contents(root)
        seen.append((texts, {name: made[name] for name in made if "/cache" not in name}))
    assert seen[0] == seen[1]


def test_no_generated_file_names_this_machine(tmp_path: Path) -> None:
    root = lab.plant(tmp_path / "sample", FILES)
    assert lab.run(root, "init", "--no-setup").returncode == 0
    for name, source in lab.contents(root).items():
        if "/cache" not in name:
            assert str(tmp_path).encode() not in source, name


def test_a_copy_without_a_name_ending_in_py_works_too(tmp_path: Path) -> None:
    script = tmp_path / "tool"
    script.write_bytes(lab.SCRIPT.read_bytes())
    done = subprocess.run([sys.executable, "-I", "-S", str(script), "--version"])
    assert done.returncode == 0


def test_the_extra_in_pyproject_equals_the_pins_of_the_header() -> None:
    header = re.search(r"(?ms)^# /// script\n(.*?)^# ///\n", lab.SCRIPT.read_text("utf-8"))
    assert header is not None
    script = tomllib.loads(re.sub(r"(?m)^# ?", "", header[1]))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert script["dependencies"] == project["optional-dependencies"]["full"]
    assert script["requires-python"] == project["requires-python"]


@pytest.mark.parametrize("name", ["types", "json", "operator", "queue", "signal", "re"])
def test_a_module_of_the_repository_is_never_run(tmp_path: Path, name: str) -> None:
    root = lab.plant(
        tmp_path, {f"{name}.py": "raise SystemExit('run by ctx.py')\n", "a.js": "open_door()\n"}
    )
    lab.copy_script(root)
    for args in (["map", "--output", "-"], ["pack", "open_door"]):
        done = subprocess.run(
            [sys.executable, "-S", "ctx.py", *args], cwd=root, capture_output=True
        )
        assert done.returncode == 0 and b"run by" not in done.stderr, done.stderr
    assert lab.run(root, "init", "--no-setup", "--hooks").returncode == 0
    line = json.loads((root / ".claude/settings.json").read_text())
    line = line["hooks"]["SessionStart"][0]["hooks"][0]["command"]
    event = b'{"hook_event_name": "SessionStart"}'
    done = subprocess.run(["sh", "-c", line], cwd=root, input=event, capture_output=True)
    assert done.returncode == 0 and b"additionalContext" in done.stdout, done.stderr
