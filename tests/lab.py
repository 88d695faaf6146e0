"""What tests of whole runs share: a copy of ctx.py, real folders, real git."""

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parent.parent / "ctx.py"


def run(
    root: Path, *args: str, python: tuple[str, ...] = ("-I", "-S"), **options: object
) -> subprocess.CompletedProcess[str]:
    """`ctx.py ARGS` in a folder, without site-packages; its own copy there if there is one."""
    script = root / "ctx.py" if (root / "ctx.py").exists() else SCRIPT
    environment = {**os.environ, "XDG_CACHE_HOME": "/nonexistent", **options.pop("env", {})}  # type: ignore[dict-item]
    done = subprocess.run(
        [sys.executable, *python, str(script), *args],
        cwd=options.pop("cwd", root),
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=300,
        **options,
    )
    out, err = (text.decode("utf-8", "surrogateescape") for text in (done.stdout, done.stderr))
    return subprocess.CompletedProcess(done.args, done.returncode, out, err)


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
    """A copy of ctx.py in this folder, as a user would have it."""
    shutil.copy(SCRIPT, root / "ctx.py")
    return root


def drop_power() -> None:
    """Between fork and exec: permissions bind root too, as they bind every owner (Linux)."""
    if os.geteuid() == 0:
        for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
            ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP
