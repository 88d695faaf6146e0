"""What a hook costs on a warm repository: `python tests/bench/hook.py [FILES]`, medians of interleaved runs.

The measure is `python -c "import json, sqlite3"` in the same run. A hook is called as `init --hooks`
registers it, which uses the compiled ctx.py; `python ctx.py hook` compiles the file at each start.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SCRIPT = Path(__file__).parent.parent.parent / "ctx.py"
RUNS = 9
LIMIT = 4.0
EVENTS = {
    "SessionStart": {"source": "startup"},
    "UserPromptSubmit": {"prompt": "work on T-2: `make_value_7` in pkg3/module_77.py is slow"},
    "UserPromptSubmit, names nothing": {"prompt": "please go on"},
    "SubagentStart": {"agent_type": "reviewer"},
}
ENVIRONMENT = {name: os.environ[name] for name in os.environ if name[:6] != "PYTHON"}


def plant(root: Path, files: int) -> None:
    """A repository of that many Python files that import one another, with tasks and hooks."""
    for number in range(files):
        place = root / f"pkg{number % 20}" / f"module_{number}.py"
        place.parent.mkdir(exist_ok=True)
        other = (number * 7 + 1) % files
        place.write_text(
            f"from pkg{other % 20}.module_{other} import make_value_{other}\n\n\n"
            f"class Thing{number}:\n"
            f'    """What number {number} is."""\n\n'
            f"    def run(self, size: int) -> int:\n        return make_value_{other}(size)\n\n\n"
            f"def make_value_{number}(size: int) -> int:\n    return size + {number}\n"
        )
    (root / "TASKS.md").write_text("- [-] T-1: First\n- [ ] T-2: Second\n- [ ] T-3: Third\n")
    shutil.copy(SCRIPT, root / "ctx.py")
    subprocess.run(["git", "init", "-q", root], check=True)
    init = [sys.executable, "ctx.py", "--quiet", "init", "--no-setup", "--hooks"]
    subprocess.run(init, cwd=root, check=True, env=ENVIRONMENT)
    search = [sys.executable, "ctx.py", "search", "value"]  # counts the words that a package needs
    subprocess.run(search, cwd=root, check=True, env=ENVIRONMENT, stdout=subprocess.DEVNULL)


def registered(root: Path) -> list[str]:
    """The command of .claude/settings.json, as its tool would start it."""
    settings = json.loads((root / ".claude/settings.json").read_text())
    line = settings["hooks"]["SessionStart"][0]["hooks"][0]["command"]
    return ["sh", "-c", line.replace("python3", f"'{sys.executable}'")]


def measure(root: Path) -> dict[str, float]:
    """Median seconds of each command; the rounds are interleaved so that noise hits all alike."""
    commands = {"import json, sqlite3": ([sys.executable, "-c", "import json, sqlite3"], b"")}
    for name, fields in EVENTS.items():
        event = json.dumps(
            {"hook_event_name": name.partition(",")[0], "cwd": str(root), **fields}
        ).encode()
        commands[name] = (registered(root), event)
        commands[f"{name}, compiled anew"] = ([sys.executable, "ctx.py", "hook"], event)
    taken: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(RUNS):
        for name, (command, event) in commands.items():
            begin = time.perf_counter()
            done = subprocess.run(
                command, input=event, cwd=root, env=ENVIRONMENT, capture_output=True, check=True
            )
            taken[name].append(time.perf_counter() - begin)
            assert not event or not done.stdout or json.loads(done.stdout), name
    return {name: statistics.median(seconds) for name, seconds in taken.items()}


if __name__ == "__main__":
    files = int(sys.argv[1]) if len(sys.argv) > 1 else 3000
    with tempfile.TemporaryDirectory() as folder:
        plant(Path(folder), files)
        medians = measure(Path(folder))
    base = medians["import json, sqlite3"]
    print(f"Python {sys.version.split()[0]}, {files} files, median of {RUNS}\n")
    print("| command | ms | ratio |\n|---|--:|--:|")
    for name, seconds in medians.items():
        print(f"| {name} | {seconds * 1000:.1f} | {seconds / base:.2f} |")
    worst = max(medians[name] for name in EVENTS) / base
    sys.exit(f"over {LIMIT} times the measure" if worst > LIMIT else 0)
