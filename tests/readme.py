"""What README.md shows, made for real; `.venv/bin/python tests/readme.py` writes it again.

A block marked `console` is a session: lines that begin with `$ ` are commands, what follows is what they print. All of
them run in order in one folder, a real project of a pinned version that `sh tests/run` downloads, under git, with ctx.py
beside it. A line `…` stands for output left out. Between `<!-- table: NAME -->` and `<!-- end of table -->` stands a table
of TABLES. `tests/pictures/session.svg` is the session of PICTURE, drawn as a terminal.
"""

import html
import inspect
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import lab

sys.path.insert(0, str(lab.SCRIPT.parent))
import ctx  # noqa: E402 -- found beside this folder, also when this file is run as a script

README = lab.SCRIPT.parent / "README.md"
PICTURE = Path(__file__).parent / "pictures" / "session.svg"
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
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)
TABLE = re.compile(r"^<!-- table: (\w+) -->\n(.*?)^<!-- end of table -->$", re.M | re.S)
OMITTED = "…\n"
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
    with tarfile.open(SOURCES / f"{PROJECT}.tar.gz") as archive:
        safe = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}  # since 3.11.4
        archive.extractall(folder, **safe)
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


def parse_session(block: str) -> list[tuple[str, str]]:
    """The commands of a console block, each with the output shown below it."""
    parts = re.split(r"^\$ (.*)\n", block, flags=re.M)
    return list(zip(parts[1::2], parts[2::2], strict=True))


def is_shown(shown: str, output: str) -> bool:
    """Whether every passage between omissions stands in the output, in this order."""
    if OMITTED not in shown:
        return shown == output
    position = 0
    for passage in shown.split(OMITTED):
        position = output.find(passage, position)
        if position < 0:
            return False
        position += len(passage)
    return True


def replay(root: Path, block: str) -> str:
    """The block with what its commands print now; a shortened output that is still true stays."""
    lines = []
    for command, shown in parse_session(block):
        output = run(root, command).stdout
        lines.append(f"$ {command}\n{shown if is_shown(shown, output) else output}")
    return "".join(lines)


def render_commands() -> str:
    rows = ["| command | what it does | flags |", "|---|---|---|"]
    for name, run_command in ctx.list_commands().items():
        names = [names[-1] for names, _ in ctx.parse_command(name)[1]]
        words = [name, *(word.upper() for word in names if not word.startswith("-"))]
        flags = [f"`{word}`" for word in names if word.startswith("-")]
        about = (inspect.getdoc(run_command) or "").split("\n")[0].removesuffix(".")
        rows.append(f"| `{' '.join(words)}` | {about} | {', '.join(flags)} |")
    return "\n".join(rows) + "\n"


def render_settings() -> str:
    rows = ["| key | default | values |", "|---|---|---|"]
    limits = dict(re.findall(r"(?m)^(\w+) (.+)$", ctx.TEMPLATES["settings.txt"]))
    for field, default in ctx.Config._field_defaults.items():
        if isinstance(default, dict) or field == "languages":
            continue  # tables of their own, explained below
        first, *rest = limits.get(field, "").split(" ")
        values = f"{first} to {rest[0]}" if first.isdigit() else ", ".join([first, *rest])
        shown = ", ".join(default) if isinstance(default, tuple) else str(default)
        shown = shown.lower() if isinstance(default, bool) else shown
        rows.append(f"| `{field.replace('_', '.', 1)}` | {shown or 'none'} | {values} |")
    return "\n".join(rows) + "\n"


TABLES = {"commands": render_commands, "settings": render_settings}


def write_tables(text: str) -> str:
    """The text with every generated table as it is now."""
    return TABLE.sub(
        lambda match: f"<!-- table: {match[1]} -->\n{TABLES[match[1]]()}<!-- end of table -->", text
    )


def draw_terminal(text: str, columns: int = 104) -> str:
    """A terminal window with this text, as SVG."""
    lines = [
        line if len(line) <= columns else f"{line[: columns - 1]}…"
        for line in text.rstrip("\n").split("\n")
    ]
    width, height = columns * 7.8 + 40, len(lines) * 18 + 62
    rows = []
    for number, line in enumerate(lines):
        colour = (
            "#7ee787" if line.startswith("$ ") else "#79c0ff" if line.startswith("#") else "#e6edf3"
        )
        rows.append(
            f'<text x="20" y="{58 + number * 18}" fill="{colour}" xml:space="preserve">'
            f"{html.escape(line)}</text>"
        )
    dots = "".join(
        f'<circle cx="{20 + at * 18}" cy="20" r="5.5" fill="{colour}"/>'
        for at, colour in enumerate(("#ff5f57", "#febc2e", "#28c840"))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" '
        f'viewBox="0 0 {width:.0f} {height}" font-family="ui-monospace,Menlo,Consolas,monospace" '
        f'font-size="13"><rect width="100%" height="100%" rx="8" fill="#0d1117"/>{dots}\n'
        + "\n".join(rows)
        + "\n</svg>\n"
    )


PICTURED = "python3 ctx.py pack T-2 --tokens 650"  # the command that the picture shows
PICTURED_LINES = 26


def draw_picture(root: Path) -> str:
    output = run(root, PICTURED).stdout.strip("\n").split("\n")
    lines = [f"$ {PICTURED}", *output[:PICTURED_LINES], "…", output[-1]]
    return draw_terminal("\n".join(lines))


def main() -> None:
    text = write_tables(README.read_text("utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        root = unpack(Path(folder))
        text = BLOCK.sub(lambda match: f"```console\n{replay(root, match[1])}```", text)
        PICTURE.write_text(draw_picture(root), "utf-8")
    README.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
