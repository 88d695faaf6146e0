"""What tests of whole runs share: a copy of ctx.py, real folders, real git."""

import atexit
import ctypes
import filecmp
import functools
import json
import os
import py_compile
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

SCRIPT = Path(__file__).parent.parent / "ctx.py"
FORKS = Path(__file__).parent / "forks.py"
START = Path(__file__).parent / "start.py"


def run(
    root: Path, *args: str, python: tuple[str, ...] = ("-I", "-S"), **options: Any
) -> subprocess.CompletedProcess[str]:
    """`ctx.py ARGS` in a folder, without site-packages; its own copy there if there is one."""
    copy = root / "ctx.py"
    script = copy if copy.exists() else SCRIPT
    env = options.pop("env", {})
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache_home()), **env}
    folder = options.pop("cwd", root)
    stdin = options.pop("input", b"")
    same = filecmp.cmp(script, SCRIPT, shallow=False)
    plain = same and python in ((), ("-I", "-S")) and not options
    plain = plain and not any(name.startswith(("PYTHON", "LC_", "LANG")) for name in env)
    if plain and hasattr(os, "fork"):
        code, out, err = _server(python).run(script, args, folder, environment, stdin)
        return subprocess.CompletedProcess([str(script), *args], code, decode(out), decode(err))
    done = subprocess.run(
        [*(command(script, *python) if same else [sys.executable, *python, str(script)]), *args],
        cwd=folder,
        env=environment,
        input=stdin,
        capture_output=True,
        timeout=300,
        **options,
    )
    out, err = decode(done.stdout), decode(done.stderr)
    return subprocess.CompletedProcess(done.args, done.returncode, out, err)


def command(script: Path = SCRIPT, *python: str) -> list[str]:
    """What starts a process of ctx.py, or of a copy, without compiling it each time."""
    compiled = f"pycache_prefix={cache_home() / 'compiled'}"
    return [sys.executable, *python, "-X", compiled, str(START), str(script)]


def decode(source: bytes) -> str:
    return source.decode("utf-8", "surrogateescape")


@functools.cache
def cache_home() -> Path:
    """A cache folder for all runs of this process, empty at first, gone at its end."""
    folder = tempfile.TemporaryDirectory(prefix="ctx-tests-")
    atexit.register(folder.cleanup)
    return Path(folder.name)


class _Server:
    """One process of tests/forks.py."""

    def __init__(self, python: tuple[str, ...]) -> None:
        requests, answers = os.pipe(), os.pipe()
        ends = (requests[0], answers[1])
        command = [sys.executable, *python, "-X", f"pycache_prefix={cache_home() / 'compiled'}"]
        self.process = subprocess.Popen(
            [*command, str(FORKS), *map(str, ends)], pass_fds=ends, cwd=cache_home()
        )
        for end in ends:
            os.close(end)
        self.requests, self.answers = requests[1], open(answers[0], "rb")  # noqa: SIM115
        self.files = [cache_home() / f"{name}-{ends[0]}" for name in ("in", "out", "err")]
        atexit.register(self.close)

    def close(self) -> None:
        os.close(self.requests)
        self.process.wait()

    def run(
        self, script: Path, args: Sequence[str], folder: Path, environment: object, stdin: bytes
    ) -> tuple[int, bytes, bytes]:
        """The exit code, stdout and stderr of one command."""
        for file, content in zip(self.files, (stdin, b"", b""), strict=True):
            file.write_bytes(content)
        request = {"script": str(script), "args": args, "folder": str(folder)}
        request |= {"environment": environment, "files": [str(file) for file in self.files]}
        os.write(self.requests, json.dumps(request).encode() + b"\n")
        code = int(self.answers.readline())
        out, err = (file.read_bytes() for file in self.files[1:])
        return code, out, err


@functools.cache
def _server(python: tuple[str, ...]) -> _Server:
    return _Server(python)


def talk(done: subprocess.CompletedProcess[str]) -> str:
    """What a run said on stderr, but for the one line about missing parsers."""
    lines = done.stderr.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("ctx: parsers: not installed"))


def plant(root: Path, files: dict[str, bytes | str]) -> Path:
    """Write these files below a folder; the folder."""
    for name, content in files.items():
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def git(root: Path, *args: str) -> str:
    """git with an identity of its own."""
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgSign=false"]
    return subprocess.run(
        ["git", *who, *args], cwd=root, check=True, capture_output=True, text=True
    ).stdout


def snapshot(root: Path) -> dict[str, tuple[bytes, int]]:
    """Every file's bytes and time, and every link's target; a cache is nobody's content."""
    found = {}
    for place in sorted(root.rglob("*")):
        name = str(place.relative_to(root))
        if name.startswith(".ctx/cache"):
            continue
        if place.is_symlink():
            found[name] = (os.fsencode(os.readlink(place)), 0)
        elif place.is_file():
            found[name] = (place.read_bytes(), place.stat().st_mtime_ns)
        else:
            found[name] = (b"", 0)
    return found


def contents(root: Path) -> dict[str, bytes]:
    return {name: source for name, (source, _) in snapshot(root).items()}


def copy_script(root: Path) -> Path:
    """A copy of ctx.py in this folder, as a user would have it; workers find it compiled."""
    shutil.copy2(SCRIPT, root / "ctx.py")
    folder = cache_home() / "ctx/compiled" / root.resolve().relative_to("/")
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / f"ctx.{sys.implementation.cache_tag}.pyc"
    if not place.exists():
        os.link(_compile(), place)
    return root


@functools.cache
def _compile() -> str:
    """ctx.py compiled, valid for every copy of its time and size."""
    made = py_compile.compile(str(SCRIPT), str(cache_home() / "ctx.pyc"), doraise=True)
    assert made
    return made


def drop_power() -> None:
    """Between fork and exec: permissions bind root too, as they bind every owner (Linux)."""
    if os.geteuid() == 0:
        for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
            ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP


def old_section(source: bytes | None, body: str, version: int) -> bytes:
    """A file with a section that another version of ctx.py wrote."""
    import ctx

    return ctx.upsert_section(source, body).replace(b"SECTION v1 ", b"SECTION v%d " % version)
