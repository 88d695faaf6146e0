"""How long one prompt takes in a repository of 3,000 files: `python tests/bench/bench_prompt.py`.

Prints seconds of CPU, children included, and the ratio to the start of Python itself; the best run
counts, as the first fills the cache.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SCRIPT = Path(__file__).parent.parent.parent / "ctx.py"
FILES = 3_000


def build(root: Path) -> None:
    """A repository with one task and many small files, all committed."""
    for number in range(FILES):
        folder = root / "src" / f"part{number % 60}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"module{number}.py").write_text(f"def f{number}():\n    return {number}\n" * 10)
    (root / "TASKS.md").write_text("- [ ] T-1: One\n")
    who = ["-c", "user.name=n", "-c", "user.email=e@example.com", "-c", "commit.gpgsign=false"]
    for args in (["init", "-q"], ["add", "-A"], [*who, "commit", "-q", "-m", "all"]):
        subprocess.run(["git", *args], cwd=root, check=True)


def best_of(command: list[str], cwd: Path, runs: int = 7) -> float:
    """The shortest of some runs, in seconds of CPU; what else the machine does matters less so."""
    spent = []
    for _ in range(runs):
        start = os.times()
        subprocess.run(command, cwd=cwd, check=True, capture_output=True)
        end = os.times()
        spent.append(sum(end[2:4]) - sum(start[2:4]))
    return min(spent)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        build(root)
        time.sleep(3)  # files younger than two seconds are not trusted by the cache
        bare = best_of([sys.executable, "-c", "pass"], root)
        for what in (["--version"], ["tasks"], ["prompt", "T-1"]):
            took = best_of([sys.executable, str(SCRIPT), *what], root)
            print(
                f"{' '.join(what):<12} {took:.3f} s, {took / max(bare, 0.01):.1f} times Python's own start"
            )
