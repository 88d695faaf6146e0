"""An agent that works by a script: honest, lying, failing, interrupted; and trackers of 20 tasks.

As a program: `python tests/scripted.py TRACKER` is the agent of one iteration, in the repository's root.
"""

import json
import os
import re
import sys
from pathlib import Path

HABITS = {  # number of a task -> what its agent does; the others are done at once
    9: "lies once",
    10: "lies always",
    11: "fails twice",
    12: "is interrupted twice",
    13: "decomposes",
    14: "is stuck",
    15: "claims without a change",
    16: "gives no result line",
    17: "forgets to close",
    18: "meets a rate limit",
    20: "crashes always",
}
ENDS = {10: "set aside after 5 attempts", 14: "stuck", 20: "set aside after 5 attempts"}
NUMBERS = range(1, 21)
WAITS = 19  # depends on 10, which is never done


class Plain:
    """TASKS.md."""

    source, name = "plain", "T-{}"

    def make(self, root: Path) -> None:
        lines = [f"- [ ] T-{n}: Write part {n}" for n in NUMBERS]
        lines[WAITS - 1] += " (depends on T-10)"
        (root / "TASKS.md").write_text("\n".join(lines) + "\n")

    def close(self, root: Path, task: str) -> None:
        text = (root / "TASKS.md").read_text()
        (root / "TASKS.md").write_text(text.replace(f"- [ ] {task}:", f"- [x] {task}:"))

    def split(self, root: Path, task: str) -> None:
        with open(root / "TASKS.md", "a") as file:
            file.write(f"- [ ] {task}.1: First half\n- [ ] {task}.2: Second half\n")


class Backlog:
    """Backlog.md: a file a task, statuses of its own."""

    source, name = "backlog", "TASK-{}"

    def make(self, root: Path) -> None:
        (root / "backlog" / "tasks").mkdir(parents=True)
        config = 'statuses: ["To Do", "In Progress", "Shipped"]\ntask_prefix: "task"\n'
        (root / "backlog" / "config.yml").write_text(config)
        for n in NUMBERS:
            self.write(root, f"TASK-{n}", f"Write part {n}", "[TASK-10]" if n == WAITS else "[]")

    def write(self, root: Path, task: str, title: str, needs: str = "[]", parent: str = "") -> None:
        above = f"parent_task_id: {parent}\n" if parent else ""
        (root / "backlog" / "tasks" / f"{task.lower()} - x.md").write_text(
            f"---\nid: {task}\ntitle: {title}\nstatus: To Do\ndependencies: {needs}\n{above}---\n"
            f"\n## Description\n\n{title}.\n"
        )

    def close(self, root: Path, task: str) -> None:
        path = root / "backlog" / "tasks" / f"{task.lower()} - x.md"
        path.write_text(path.read_text().replace("status: To Do", "status: Shipped"))

    def split(self, root: Path, task: str) -> None:
        for part in ("1", "2"):
            self.write(root, f"{task}.{part}", f"Half {part}", parent=task)


class TaskMaster:
    """Task Master: one JSON file, a tag that is not the default one."""

    source, name = "taskmaster", "{}"
    path = ".taskmaster/tasks/tasks.json"

    def make(self, root: Path) -> None:
        tasks = [
            {
                "id": n,
                "title": f"Write part {n}",
                "status": "pending",
                "dependencies": [10] if n == WAITS else [],
                "subtasks": [],
            }
            for n in NUMBERS
        ]
        (root / ".taskmaster" / "tasks").mkdir(parents=True)
        (root / ".taskmaster" / "state.json").write_text('{"currentTag": "spring"}')
        old = [task | {"status": "done", "title": "Of another tag"} for task in tasks]
        (root / self.path).write_text(
            json.dumps({"master": {"tasks": old}, "spring": {"tasks": tasks}}, indent=2)
        )

    def change(self, root: Path, task: str, **values: object) -> None:
        data = json.loads((root / self.path).read_text())
        number, _, part = task.partition(".")
        for record in data["spring"]["tasks"]:
            if str(record["id"]) == number:
                own = [sub for sub in record["subtasks"] if str(sub["id"]) == part]
                (own[0] if part else record).update(values)
        (root / self.path).write_text(json.dumps(data, indent=2))

    def close(self, root: Path, task: str) -> None:
        self.change(root, task, status="done")

    def split(self, root: Path, task: str) -> None:
        halves = [{"id": n, "title": f"Half {n}", "status": "pending"} for n in (1, 2)]
        self.change(root, task, subtasks=halves)


class Beads:
    """beads: the export, a line a task."""

    source, name = "beads", "bd-{}"
    path = ".beads/issues.jsonl"

    def make(self, root: Path) -> None:
        (root / ".beads").mkdir()
        needs = [{"depends_on_id": "bd-10", "type": "blocks"}]
        rows = [
            {
                "id": f"bd-{n}",
                "title": f"Write part {n}",
                "status": "open",
                "priority": 2,
                "dependencies": needs if n == WAITS else [],
            }
            for n in NUMBERS
        ]
        self.write(root, rows)

    def write(self, root: Path, rows: list[dict[str, object]]) -> None:
        (root / self.path).write_text("".join(json.dumps(row) + "\n" for row in rows))

    def read(self, root: Path) -> list[dict[str, object]]:
        return [json.loads(line) for line in (root / self.path).read_text().splitlines()]

    def close(self, root: Path, task: str) -> None:
        rows = self.read(root)
        self.write(
            root, [row | ({"status": "closed"} if row["id"] == task else {}) for row in rows]
        )

    def split(self, root: Path, task: str) -> None:
        links = [{"depends_on_id": task, "type": "parent-child"}]
        parts = [
            {"id": f"{task}.{n}", "title": f"Half {n}", "status": "open", "dependencies": links}
            for n in (1, 2)
        ]
        self.write(root, [*self.read(root), *parts])


TRACKERS = {kind.source: kind() for kind in (Plain, Backlog, TaskMaster, Beads)}


def act(root: Path, source: str, task: str) -> tuple[int, str]:
    """One iteration of the agent at a task: its exit code and what it prints."""
    tracker = TRACKERS[source]
    counts = root / ".runner" / "counts.json"
    counts.parent.mkdir(exist_ok=True)
    seen = json.loads(counts.read_text()) if counts.exists() else {}
    seen[task] = seen.get(task, 0) + 1
    counts.write_text(json.dumps(seen))
    number = int((re.search(r"(\d+)$", task) or ["", "0"])[1]) if "." not in task else 0
    habit, first = HABITS.get(number, ""), seen[task] == 1
    result = '{"status": "%s", "summary": "%s"}'
    if habit == "is stuck":
        return 0, result % ("stuck", "needs a password")
    if habit == "crashes always":
        return 1, "Traceback: no such model\n"
    if habit == "claims without a change" and first:
        return 0, "All is well.\n" + result % ("done", "nothing to do")
    if habit == "lies always" or (habit == "lies once" and first):
        tracker.close(root, task)
        return 0, result % ("done", "wrote it, all checks pass")
    if habit == "fails twice" and seen[task] < 3:
        return 0, result % ("retry", "the parser is not clear yet")
    if habit == "is interrupted twice" and seen[task] < 3:
        return 124, "thinking..."
    if habit == "meets a rate limit" and first:
        return 1, "Error: usage limit reached, resets at 5pm\n"
    if habit == "decomposes" and first:
        tracker.split(root, task)
        return 0, result % ("decomposed", "in two halves")
    (root / "out").mkdir(exist_ok=True)
    (root / "out" / task).write_text("done\n")
    if not (habit == "forgets to close" and first):
        tracker.close(root, task)
    if habit == "gives no result line":
        return 0, "Everything is done.\n"
    return 0, f"Here is the result:\n```json\n{result % ('done', 'wrote it')}\n```\n"


def guard(root: Path, task: str) -> bool:
    """The checks: the work of this task is there."""
    return (root / "out" / task).exists()


def list_wrong(root: Path, source: str, tasks: list[dict[str, object]]) -> list[str]:
    """What is not as it should be after the loop, given `tasks --json`."""
    name = TRACKERS[source].name.format
    ends = {name(number): end for number, end in ENDS.items()}
    wrong = []
    for task in tasks:
        key = str(task["id"])
        wanted = ends.get(key, "")
        status = "open" if wanted or key == name(WAITS) else "done"
        if (task["status"], task["hold"]) != (status, wanted):
            wrong.append(f"{key}: {task['status']} {task['hold']}, not {status} {wanted}")
        if int(str(task["attempts"])) > 5:
            wrong.append(f"{key}: {task['attempts']} attempts")
        if (status == "done") != guard(root, key):
            wrong.append(f"{key}: {status}, but its work is {guard(root, key)}")
    return wrong + ([] if len(tasks) == len(NUMBERS) + 2 else [f"{len(tasks)} tasks"])


if __name__ == "__main__":
    sys.stdin.read()
    code, text = act(Path.cwd(), sys.argv[1], os.environ["TASK"])
    sys.stdout.write(text)
    sys.exit(code)
