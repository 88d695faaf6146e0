"""The private environment: whole or not at all, found by later runs, and never in the way."""

import os
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import lab
import pytest

import ctx

PINNED = {"tree-sitter": "0.25.2", "tree-sitter-language-pack": "0.13.0", "tiktoken": "0.7.0"}


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with empty packages of the pinned names, for a real pip without a registry."""
    folder = tmp_path_factory.mktemp("wheels")
    for name, version in PINNED.items():
        module = name.replace("-", "_")
        info = f"{module}-{version}.dist-info"
        with zipfile.ZipFile(folder / f"{module}-{version}-py3-none-any.whl", "w") as wheel:
            wheel.writestr(f"{module}/__init__.py", "")
            wheel.writestr(
                f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
            )
            wheel.writestr(
                f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
            )
            wheel.writestr(f"{info}/RECORD", "")
    return folder


# `python -m venv` that takes the pip of this environment: installing one takes seconds.
QUICK_VENV = """
import glob, importlib.util, os, sys
sys.path = [path for path in sys.path if not path.endswith("quick")]
import venv
venv.EnvBuilder(symlinks=os.name != "nt").create(sys.argv[1])
site, = glob.glob(os.path.join(sys.argv[1], "[Ll]ib*", "**", "site-packages"), recursive=True)[:1]
os.symlink(os.path.dirname(importlib.util.find_spec("pip").origin), os.path.join(site, "pip"))
"""


@pytest.fixture
def env(tmp_path: Path, wheels: Path) -> dict[str, str]:
    """A cache of its own, and a pip that knows only the empty packages."""
    lab.plant(tmp_path, {"quick/venv.py": QUICK_VENV})
    return {
        "PYTHONPATH": str(tmp_path / "quick"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(wheels),
        "TIKTOKEN_CACHE_DIR": str(tmp_path / "none"),
    }


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    return lab.copy_script(tmp_path / "root")


def environments(env: dict[str, str]) -> list[str]:
    """What is in the cache folder but for the compiled script: environments, whole or half-made."""
    folder = Path(env["XDG_CACHE_HOME"], "ctx")
    return sorted({each.name for each in folder.glob("*")} - {"compiled"})


def test_the_real_packages_are_installed_and_found_by_a_bare_python(
    tmp_path: Path, root: Path
) -> None:
    env = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = lab.run(root, "init", env=env)
    if "installing the parsers failed" in done.stderr:
        pytest.skip(f"the package registry cannot be reached: {done.stderr.splitlines()[0]}")
    assert done.returncode == 0 and "parsers: installed\n" in done.stderr
    report = lab.run(root, "doctor", env=env).stdout
    for name in PINNED:
        assert f"ok    {name}: " in report
    assert "parsers: already installed" in lab.run(root, "setup", env=env).stderr
    site = next((tmp_path / "cache").glob("ctx/*/lib/*/site-packages"))
    code = "import sys; sys.path.append(sys.argv[1]); import tree_sitter_language_pack as pack\n"
    code += "print(pack.get_parser('python').parse(b'x = 1').root_node.type)"
    parsed = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, str(site)], capture_output=True, text=True
    )
    assert parsed.stdout == "module\n"


def test_two_setups_at_once_make_one_environment(root: Path, env: dict[str, str]) -> None:
    command = [*lab.command(root / "ctx.py", "-I", "-S"), "setup"]
    both = [
        subprocess.Popen(command, cwd=root, env={**os.environ, **env}, stderr=subprocess.PIPE)
        for _ in range(2)
    ]
    for each in both:
        _, err = each.communicate(timeout=300)
        assert each.returncode == 0 and b"parsers: installed\n" in err
    assert len(environments(env)) == 1
    assert "ok    tree-sitter: 0.25.2" in lab.run(root, "doctor", env=env).stdout


def test_a_setup_that_was_killed_is_completed_by_the_next(root: Path, env: dict[str, str]) -> None:
    command = [*lab.command(root / "ctx.py", "-I", "-S"), "setup"]
    with subprocess.Popen(
        command,
        cwd=root,
        env={**os.environ, **env},
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        while not list(Path(env["XDG_CACHE_HOME"]).glob("ctx/.ctx-tmp-*/*")):
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGKILL)
    assert environments(env)[0].startswith(".ctx-tmp-")
    assert "todo  tree-sitter: missing" in lab.run(root, "doctor", env=env).stdout
    os.utime(Path(env["XDG_CACHE_HOME"], "ctx", environments(env)[0]), (time.time() - 4000,) * 2)
    assert lab.run(root, "setup", env=env).returncode == 0
    assert [name for name in environments(env) if name.startswith(".ctx-tmp-")] == []
    assert "ok    tree-sitter: 0.25.2" in lab.run(root, "doctor", env=env).stdout


def test_offline_setup_is_one_line_and_init_does_the_rest(root: Path, env: dict[str, str]) -> None:
    env |= {"PIP_NO_INDEX": "0", "PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_RETRIES": "0"}
    env["PIP_FIND_LINKS"] = ""
    done = lab.run(root, "init", env=env)
    assert done.returncode == 0 and (root / "AGENTS.md").exists()
    lines = [line for line in done.stderr.splitlines() if not line.startswith("ctx: wrote ")]
    assert lines.pop(0).startswith("ctx: parsers: installing into ")
    assert lines[0].startswith("ctx: setup: installing the parsers failed: ")
    assert lines[0].endswith("check network and pip; continuing without the parsers")
    assert environments(env) == []


def test_setup_without_pip_is_one_line(tmp_path: Path, root: Path, env: dict[str, str]) -> None:
    broken = lab.plant(tmp_path, {"broken/venv.py": "raise SystemExit('Error: no ensurepip')\n"})
    env["PYTHONPATH"] = str(broken / "broken")
    done = lab.run(root, "setup", env=env)
    assert (done.returncode, done.stderr.count("\n")) == (2, 2)
    assert "making a private environment failed: Error: no ensurepip" in done.stderr
    done = lab.run(root, "init", env=env)
    assert done.returncode == 0 and (root / "AGENTS.md").exists()


def test_a_cache_folder_that_cannot_be_made_is_one_line(root: Path, env: dict[str, str]) -> None:
    lab.plant(root, {"file": ""})
    done = lab.run(root, "setup", env={**env, "XDG_CACHE_HOME": str(root / "file")})
    assert (done.returncode, done.stderr.count("\n")) == (2, 2)
    assert "set XDG_CACHE_HOME" in done.stderr


def test_an_interpreter_that_has_the_packages_is_used_as_it_is(
    root: Path, env: dict[str, str], wheels: Path
) -> None:
    for wheel in wheels.glob("*.whl"):
        zipfile.ZipFile(wheel).extractall(root / "site")
    env["PYTHONPATH"] = f"{root / 'site'}{os.pathsep}{env['PYTHONPATH']}"
    done = lab.run(root, "init", python=("-S",), env=env)
    assert done.returncode == 0
    assert environments(env) == []
    done = lab.run(root, "setup", python=("-S",), env=env)
    assert done.returncode == 0 and "parsers: already installed" in done.stderr


def test_what_an_interpreter_lacks_comes_from_the_private_environment(
    root: Path, env: dict[str, str], wheels: Path
) -> None:
    """Also when its language pack is outside the pin: the pinned one goes first."""
    zipfile.ZipFile(next(wheels.glob("tree_sitter-*.whl"))).extractall(root / "site")
    info = "tree_sitter_language_pack-1.2.0.dist-info/METADATA"
    text = "Metadata-Version: 2.1\nName: tree-sitter-language-pack\nVersion: 1.2.0\n"
    lab.plant(root / "site", {"tree_sitter_language_pack/__init__.py": "", info: text})
    env["PYTHONPATH"] = f"{root / 'site'}{os.pathsep}{env['PYTHONPATH']}"
    assert (
        "1.2.0 of this Python is outside" in lab.run(root, "doctor", python=("-S",), env=env).stdout
    )
    assert lab.run(root, "setup", python=("-S",), env=env).returncode == 0
    report = lab.run(root, "doctor", python=("-S",), env=env).stdout
    for name, version in PINNED.items():
        assert f"ok    {name}: {version}" in report
    assert "tree-sitter-language-pack: 0.13.0 (1.2.0 of this Python is outside" in report
    done = lab.run(root, "scan", python=("-S",), env=env)
    assert (
        done.stderr.count(
            "ctx.py cannot use tree-sitter-language-pack 1.2.0; the private environment is used"
        )
        == 1
    )


def test_wheels_and_a_vocabulary_that_the_user_brings_are_put_in_place(
    root: Path, env: dict[str, str], wheels: Path, tmp_path: Path
) -> None:
    del env["PIP_NO_INDEX"], env["PIP_FIND_LINKS"]
    brought = shutil.copytree(wheels, tmp_path / "brought")
    lab.plant(brought, {"o200k_base.tiktoken": "not the right one"})
    done = lab.run(root, "setup", "--from", "../brought", python=("-S",), env=env)
    assert done.returncode == 0 and "parsers: installed\n" in done.stderr
    assert "tokens: estimated: no vocabulary" in done.stderr
    assert not (tmp_path / "cache/ctx/vocabulary").exists()
    done = lab.run(root, "setup", "--from", "../brought", python=("-S",), env=env)
    assert done.returncode == 0 and "parsers: already installed" in done.stderr
    done = lab.run(root, "setup", "--from", "../none", python=("-S",), env=env)
    assert done.returncode == 2 and "--from ../none: not a folder" in done.stderr


def test_packages_are_fetched_into_a_folder_for_another_machine(
    root: Path, env: dict[str, str], wheels: Path
) -> None:
    done = lab.run(root, "setup", "--download", "wheels", python=("-S",), env=env)
    assert done.returncode == 0, done.stderr
    assert "wrote the packages to wheels; the vocabulary could not be fetched" in done.stderr
    names = {each.name for each in wheels.glob("*.whl")}
    assert {each.name for each in (root / "wheels").iterdir()} == names


def test_a_version_outside_its_pin_is_not_used(root: Path, env: dict[str, str]) -> None:
    """tree-sitter 0.26 ends the process on ordinary files."""
    versions = {"tree-sitter": "0.26.0", "tree-sitter-language-pack": "0.13.1"}
    for name, version in versions.items():
        module = name.replace("-", "_")
        info = f"{module}-{version}.dist-info/METADATA"
        lab.plant(root / "site", {f"{module}/__init__.py": "raise SystemExit(9)\n", info: ""})
    lab.plant(root, {"a.py": "def known(): pass\n"})
    env["PYTHONPATH"] = f"{root / 'site'}{os.pathsep}{env['PYTHONPATH']}"
    done = lab.run(root, "map", "--output", "-", python=("-S",), env=env)
    assert done.returncode == 0 and "def known()" in done.stdout
    assert done.stderr.count("\n") == 1
    assert "ctx.py cannot use tree-sitter 0.26.0; the map is approximate" in done.stderr


def test_a_missing_parser_is_one_line_that_names_setup(root: Path, env: dict[str, str]) -> None:
    code = "import sys; sys.path.insert(0, sys.argv[1]); import ctx\n"
    code += "print(ctx.check_parsers(ctx.Project(sys.argv[1], quiet=sys.argv[2] == 'quiet')))"
    for mode, told in (("loud", 1), ("quiet", 0)):
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", code, os.path.realpath(root), mode],
            env={**os.environ, **env},
            capture_output=True,
            text=True,
        )
        assert (done.stdout, done.stderr.count("\n")) == ("False\n", told)
        assert done.stderr.count("run `python3 ctx.py setup`") == told


def test_the_environment_is_keyed_by_pins_and_python() -> None:
    assert list(ctx.read_pins()) == list(PINNED)
    assert sys.implementation.cache_tag in ctx.private_environment()
