"""What a start costs: `python tests/bench/start.py`, medians of interleaved runs.

The whole file is compiled at each start, so this ratio grows with ctx.py; the second table tells
how much of it that is.
"""

import statistics
import subprocess
import sys
import time
from pathlib import Path

SCRIPT = Path(__file__).parent.parent.parent / "ctx.py"
RUNS = 15
BARE = [sys.executable, "-I", "-S"]
COMMANDS = {
    "python alone": [*BARE, "-c", ""],
    "import argparse, re, json": [*BARE, "-c", "import argparse, re, json"],
    "ctx.py --help": [*BARE, str(SCRIPT), "--help"],
    "ctx.py compiled only": [
        *BARE,
        "-c",
        f"compile(open({str(SCRIPT)!r}, 'rb').read(), 'ctx', 'exec')",
    ],
}


def measure() -> dict[str, float]:
    """Median seconds of each command; the rounds are interleaved so that noise hits all alike."""
    taken: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(RUNS):
        for name, command in COMMANDS.items():
            begin = time.perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            taken[name].append(time.perf_counter() - begin)
    return {name: statistics.median(seconds) for name, seconds in taken.items()}


if __name__ == "__main__":
    medians = measure()
    base = medians["import argparse, re, json"]
    lines = len(SCRIPT.read_text("utf-8").splitlines())
    print(f"Python {sys.version.split()[0]}, ctx.py of {lines} lines, median of {RUNS}\n")
    print("| command | ms | ratio |\n|---|--:|--:|")
    for name, seconds in medians.items():
        print(f"| {name} | {seconds * 1000:.1f} | {seconds / base:.2f} |")
