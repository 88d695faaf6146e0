"""The sessions that README.md shows, run for real; `python tests/session.py` writes what they print now.

A block marked `console` is a session: lines that begin with `$ ` are commands, what follows is what they print. All of them
run in order in one folder, a real project of a pinned version that `sh tests/run` downloads, under git, with ctx.py beside it.
"""

import os
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import lab

README = lab.SCRIPT.parent / "README.md"
SOURCES = lab.SCRIPT.parent / ".venv" / "sources"
PROJECT = "flask-3.1.2"
TASKS = """\
- [x] T-1: Reject a cookie path without a leading slash
- [ ] T-2: Reject a SESSION_COOKIE_DOMAIN that holds a scheme
  `http://example.com` is sent as it is, and every browser drops the cookie silently. Fail early instead.
  - [ ] a ValueError names the setting and the value
  - [ ] tests for "http://", "https://" and a bare host
- [ ] T-3: Stream large files in send_from_directory
"""
BLOCK = re.compile(r"^````console\n(.*?)^````$", re.M | re.S)
ALWAYS = {  # what makes a run print the same everywhere
    "CTX_TOKENS_ENCODING": "estimate",
    **{f"GIT_{who}_DATE": "2000-01-01T00:00:00Z" for who in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{who}_NAME": "a" for who in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{who}_EMAIL": "a@example.org" for who in ("AUTHOR", "COMMITTER")},
    "GIT_CONFIG_GLOBAL": os.devnull,
    "LC_ALL": "C.UTF-8",
}


def unpack(folder: Path) -> Path:
    """The project as its people have it: a git repository with one commit, and ctx.py dropped in."""
    with tarfile.open(SOURCES / f"{PROJECT}.tar.gz") as packed:
        safe = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}  # since 3.11.4
        packed.extractall(folder, **safe)
    root = (folder / PROJECT).rename(folder / "flask")
    (root / "PKG-INFO").unlink()  # of the archive, not of the project
    (root / "TASKS.md").write_text(TASKS)
    run(root, "git init -qb main && git add -A && git commit -qm 'Flask 3.1.2'")
    return lab.copy_script(root)


def run(root: Path, command: str) -> subprocess.CompletedProcess[str]:
    """One line of shell as a user of this interpreter types it; stdout has stderr in it."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-c", command],
        cwd=root,
        env={**os.environ, **ALWAYS, "PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
    )


def replay(root: Path, block: str) -> str:
    """The block with what its commands print now."""
    commands = re.findall(r"^\$ (.*)", block, re.M)
    return "".join(f"$ {command}\n{run(root, command).stdout}" for command in commands)


def main() -> None:
    text = README.read_text("utf-8")
    with tempfile.TemporaryDirectory() as folder:
        root = unpack(Path(folder))
        text = BLOCK.sub(lambda found: f"````console\n{replay(root, found[1])}````", text)
    README.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
