"""How fast ctx.py is, as ratios to what cannot be avoided: `python tests/bench/speed.py`.

Downloads real packages from the registries that pip and npm are set up with, unpacks them as repositories,
and measures in one run, interleaved, the median of `--runs`: Python's start, listing and stat of all files, a bare
tree-sitter parse of every source file in one process, and ctx.py cold, warm, after one file got a blank line or a
new function, for its help and for a hook. Prints a table for the README. Needs git, and an interpreter with the packages of ctx.py (`--python`).
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent.parent.parent / "ctx.py"
CORPORA = {
    "django": ("pip", "django==5.2"),
    "sympy": ("pip", "sympy==1.13.3"),
    "rxjs": ("npm", "rxjs@7.8.2"),
}
LISTING = (
    "import os, subprocess\n"
    "names = subprocess.run(['git', 'ls-files', '-z'], capture_output=True).stdout.split(b'\\0')[:-1]\n"
    "for name in names: os.lstat(name)\n"
)
PARSING = (
    "import sys, ctx\n"
    "from tree_sitter_language_pack import get_parser\n"
    "import subprocess, os\n"
    "for name in subprocess.run(['git', 'ls-files', '-z'], capture_output=True).stdout.split(b'\\0')[:-1]:\n"
    "    language = ctx.find_language(os.fsdecode(name))\n"
    "    if language: get_parser(language.grammar).parse(open(name, 'rb').read())\n"
)
NEW = {  # a function that calls another: after it everything is ranked anew
    ".py": b"\n\ndef added%d():\n    return print(1)\n",
    ".ts": b"\nexport function added%d() {\n  return print(1);\n}\n",
}
EVENT = {"hook_event_name": "SessionStart", "source": "startup", "session_id": "bench"}


def download(name: str, folder: Path) -> Path:
    """One corpus as a git repository."""
    root = folder / name
    if root.is_dir():
        return root
    kind, wanted = CORPORA[name]
    with tempfile.TemporaryDirectory() as parts:
        if kind == "pip":
            get = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", parts]
            subprocess.run([*get, "--only-binary=:all:", wanted], check=True)
        else:
            subprocess.run(
                ["npm", "pack", "--silent", wanted],
                cwd=parts,
                check=True,
                stdout=subprocess.DEVNULL,
            )
        (archive,) = Path(parts).iterdir()
        if archive.suffix == ".whl":
            with zipfile.ZipFile(archive) as packed:
                packed.extractall(root)
        else:
            with tarfile.open(archive) as packed:
                packed.extractall(root, filter="data")
    who = [
        "-c",
        "user.name=bench",
        "-c",
        "user.email=bench@localhost",
        "-c",
        "commit.gpgsign=false",
    ]
    for args in (["init", "-q"], ["add", "-A", "-f"], [*who, "commit", "-q", "-m", "corpus"]):
        subprocess.run(["git", *args], cwd=root, check=True)
    return root


def clock(command: list[str], root: Path, stdin: str = "") -> tuple[float, float]:
    """Wall seconds and processor seconds of one run, its children included."""
    before = os.times()
    begin = time.perf_counter()
    env = {**os.environ, "PYTHONPATH": str(SCRIPT.parent)}
    subprocess.run(
        command, cwd=root, input=stdin.encode(), capture_output=True, check=True, env=env
    )
    wall = time.perf_counter() - begin
    after = os.times()
    return (
        wall,
        after.children_user + after.children_system - before.children_user - before.children_system,
    )


def measure(root: Path, python: str, runs: int) -> dict[str, tuple[float, float]]:
    """The median wall and processor seconds of every row."""
    ctx = [python, str(SCRIPT)]
    out = ["map", "--output", os.devnull]
    sources = sorted(root.rglob("*.py")) or sorted(root.rglob("*.ts"))
    victim = sources[len(sources) // 2]
    text = victim.read_bytes()
    samples: dict[str, list[tuple[float, float]]] = {}

    def take(row: str, command: list[str], stdin: str = "") -> None:
        samples.setdefault(row, []).append(clock(command, root, stdin))

    for turn in range(runs):
        take("python", [python, "-c", "import json"])
        take("listing", [python, "-c", LISTING])
        take("bare parse", [python, "-c", PARSING])
        shutil.rmtree(root / ".ctx", ignore_errors=True)
        take("cold", [*ctx, *out])
        time.sleep(0.3)  # else the answer is too fresh to be kept
        clock([*ctx, *out], root)
        take("warm", [*ctx, *out])
        victim.write_bytes(text + b"\n" * (turn + 1))
        take("touched", [*ctx, *out])
        victim.write_bytes(text + NEW[victim.suffix] % turn)
        take("edited", [*ctx, *out])
        victim.write_bytes(text)
        take("help", [*ctx, "--help"])
        if "hook" in subprocess.run([*ctx, "--help"], capture_output=True, text=True).stdout:
            take("hook", [*ctx, "hook"], json.dumps({**EVENT, "cwd": str(root)}))
    return {
        row: (
            statistics.median(wall for wall, _ in each),
            statistics.median(cpu for _, cpu in each),
        )
        for row, each in samples.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpora", nargs="*", default=list(CORPORA))
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--folder", type=Path, help="where corpora are kept between runs")
    args = parser.parse_args()
    folder = args.folder or Path(tempfile.mkdtemp(prefix="ctx-speed-"))
    over = {
        "cold": "bare parse",
        "touched": "cold",
        "edited": "cold",
        "warm": "listing",
        "help": "python",
        "hook": "python",
    }
    print("| corpus | files | what | wall s | processor s | over | ratio |")
    print("|---|--:|---|--:|--:|---|--:|")
    for name in args.corpora:
        root = download(name, folder)
        count = len(
            subprocess.run(["git", "ls-files"], cwd=root, capture_output=True).stdout.splitlines()
        )
        rows = measure(root, args.python, args.runs)
        for row, (wall, cpu) in rows.items():
            base = over.get(row, "")
            ratio = f"{wall / rows[base][0]:.2f}" if base else ""
            print(
                f"| {name} | {count} | {row} | {wall:.3f} | {cpu:.3f} | {base} | {ratio} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
