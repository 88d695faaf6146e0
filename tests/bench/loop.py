"""The printed loop over 20 tasks on four trackers, with an agent that lies, fails and gets stuck.

`python tests/bench/loop.py [TRACKER ...]` prints a row for each tracker: iterations, the most
attempts at one task, how the loop ended, and every task that is not in the state it should be in.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import scripted
from lab import SCRIPT


def run_loop(root: Path, source: str) -> list[object]:
    """A row of the table."""
    scripted.TRACKERS[source].make(root)
    who = ["-c", "user.name=n", "-c", "user.email=e@example.com"]
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    agent = [sys.executable, str(Path(scripted.__file__)), source]
    environment = os.environ | {
        "AGENT": " ".join(agent),
        "GUARD": 'test -f "out/$TASK"',
        "STUCK": "skip",
        "PAUSE": "0",
    }
    (root / "ctx.py").write_bytes(SCRIPT.read_bytes())
    subprocess.run(["git", *who, "add", "."], cwd=root, check=True)
    subprocess.run(["git", *who, "commit", "-qm", "first"], cwd=root, check=True)

    def ctx(*args: str) -> str:
        command = [sys.executable, "ctx.py", "--quiet", *args]
        return subprocess.run(command, cwd=root, capture_output=True, encoding="utf-8").stdout

    (root / ".runner").mkdir()
    (root / ".runner" / "loop.sh").write_text(ctx("loop"))
    done = subprocess.run(
        ["sh", ".runner/loop.sh"], cwd=root, env=environment, capture_output=True, encoding="utf-8"
    )
    lines = done.stdout.splitlines()
    tasks = json.loads(ctx("tasks", "--json"))["tasks"]
    counts = json.loads((root / ".runner" / "counts.json").read_text())
    wrong = scripted.list_wrong(root, source, tasks)
    return [source, len(lines) - 1, max(counts.values()), lines[-1], "; ".join(wrong) or "none"]


if __name__ == "__main__":
    print("| tracker | iterations | most at one task | end | wrong |\n|---|---|---|---|---|")
    for name in sys.argv[1:] or scripted.TRACKERS:
        with tempfile.TemporaryDirectory() as folder:
            print("|", " | ".join(map(str, run_loop(Path(folder), name))), "|", flush=True)
