"""Loops over tasks end right: with an agent that lies, fails, is interrupted, splits and gets stuck."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import lab
import pytest
import scripted
from lab import SCRIPT

import ctx


def git(root: Path, *args: str) -> None:
    who = ["-c", "user.name=n", "-c", "user.email=e@example.com", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *who, *args], cwd=root, check=True, capture_output=True)


def plant_loop(root: Path, agent: str, guard: str = "true") -> dict[str, str]:
    """A repository with ctx.py and its loop.sh; the environment of a run."""
    git(root, "init", "-q")
    (root / "ctx.py").write_bytes(SCRIPT.read_bytes())
    tools = root / ".git" / "tools"
    tools.mkdir()
    start = shlex.join(lab.command(Path("ctx.py"), "-I", "-S"))
    other = shlex.join([sys.executable, "-I", "-S"])
    (tools / "python3").write_text(
        f'#!/bin/sh\n[ "$1" = ctx.py ] || exec {other} "$@"\nshift\nexec {start} "$@"\n'
    )
    (tools / "python3").chmod(0o755)
    (root / "agent.py").write_text(agent)
    environment = {
        **os.environ,
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
        "AGENT": "python3 agent.py",
        "GUARD": guard,
        "PAUSE": "0",
    }
    script = subprocess.run(
        ["python3", "ctx.py", "loop"], cwd=root, env=environment, capture_output=True, check=True
    )
    (root / "loop.sh").write_bytes(script.stdout)
    git(root, "add", ".")
    git(root, "commit", "-qm", "first")
    return environment


@pytest.mark.parametrize("source", ["plain", "taskmaster"])
def test_twenty_tasks_end_right_whatever_the_agent_does(
    source: str, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    scripted.TRACKERS[source].make(tmp_path)
    git(tmp_path, "init", "-q")
    answer = tmp_path / ".runner" / "answer.txt"

    def run(*args: str) -> tuple[int, str]:
        capsysbinary.readouterr()
        code = ctx.main(["--root", str(tmp_path), "--quiet", *args])
        return code, capsysbinary.readouterr().out.decode()

    for _ in range(100):
        code, task = run("tasks", "--next", "--claim", "me")
        task = task.strip()
        if code:
            break
        if task.endswith("15"):  # only its agent changes nothing, which `record` sees by the prompt
            assert run("prompt", task)[0] == 0
        agent, text = scripted.act(tmp_path, source, task)
        answer.write_text(text)
        failed = "0" if scripted.guard(tmp_path, task) else "1"
        codes = ("--exit", str(agent), "--guard-exit", failed)
        assert run("record", task, "--answer", str(answer), *codes)[0] == 0
    else:
        raise AssertionError("the loop does not end")
    tasks = json.loads(run("tasks", "--json")[1])["tasks"]
    assert scripted.list_wrong(tmp_path, source, tasks) == []
    counts = json.loads((tmp_path / ".runner" / "counts.json").read_text())
    assert max(counts.values()) == 5 and sum(counts.values()) < 45


AGENT = """
import os, pathlib, sys
prompt, task = sys.stdin.read(), os.environ["TASK"]
if task == "T-1" and "needs a door" not in prompt.partition("## Selected")[0]:
    sys.exit()
pathlib.Path("house-" + task).write_text("door")
tasks = pathlib.Path("TASKS.md")
tasks.write_text(tasks.read_text().replace(f"- [ ] {task}:", f"- [x] {task}:"))
print('{"status": "%s", "summary": "built"}' % ("stuck" if task == "T-3" else "done"))
"""


def test_the_printed_loop_has_memory_and_stops_where_a_person_is_needed(tmp_path: Path) -> None:
    (tmp_path / "TASKS.md").write_text("- [ ] T-1: House\n- [ ] T-2: Shed\n- [ ] T-3: Bridge\n")
    guard = 'test -f "house-$TASK" || { echo "house needs a door"; exit 1; }'
    environment = plant_loop(tmp_path, AGENT, guard)
    done = subprocess.run(
        ["sh", "loop.sh"], cwd=tmp_path, env=environment, capture_output=True, encoding="utf-8"
    )
    assert done.returncode == 3, done.stderr
    assert done.stdout.splitlines()[:4] == [
        "loop: 1 T-1 retry (agent exit 0, guard exit 1)",
        "loop: 2 T-1 done (agent exit 0, guard exit 0)",
        "loop: 3 T-2 done (agent exit 0, guard exit 0)",
        "loop: 4 T-3 stuck (agent exit 0, guard exit 0)",
    ]
    lines = (tmp_path / ".ctx" / "ledger" / "T-1.jsonl").read_text().splitlines()
    assert [json.loads(line)["status"] for line in lines] == ["retry", "done"]
    state = json.loads((tmp_path / ".runner" / "state" / "run_state.json").read_text())
    assert state["next_iter"] == 5


@pytest.mark.skipif(os.name == "nt", reason="signals of a POSIX shell")
def test_a_loop_that_is_stopped_leaves_its_task_free_and_uncounted(tmp_path: Path) -> None:
    (tmp_path / "TASKS.md").write_text("- [ ] T-1: House\n")
    environment = plant_loop(tmp_path, "import time\nopen('started', 'w')\ntime.sleep(60)\n")
    loop = subprocess.Popen(
        ["sh", "loop.sh"],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    for _ in range(1200):
        if (tmp_path / "started").exists():
            break
        time.sleep(0.05)
    os.killpg(loop.pid, signal.SIGINT)
    assert loop.wait(30) == 130
    (task,) = ctx.read_tasks(ctx.Project(str(tmp_path))).tasks
    assert (task.recorded, task.attempts, task.owner) == ("interrupted", 0, "")


# -- what `record` and `tasks` say


def run(root: Path, capsysbinary: pytest.CaptureFixture[bytes], *args: str) -> tuple[int, str, str]:
    capsysbinary.readouterr()
    code = ctx.main(["--root", str(root), "--quiet", *args])
    out, err = capsysbinary.readouterr()
    return code, out.decode(), err.decode()


def hear(root: Path, capsysbinary: pytest.CaptureFixture[bytes], *args: str) -> str:
    """What a command says beside its result."""
    capsysbinary.readouterr()
    ctx.main(["--root", str(root), *args])
    return capsysbinary.readouterr()[1].decode()


Capture = pytest.CaptureFixture[bytes]


def test_a_false_done_is_offered_again_before_new_tasks(
    tmp_path: Path, capsysbinary: Capture
) -> None:
    (tmp_path / "TASKS.md").write_text("- [ ] T-1: One\n- [x] T-2: Two\n- [ ] T-3: Three\n")
    told = run(tmp_path, capsysbinary, "record", "T-2", "--status", "done", "--guard", "fail")
    assert told[:2] == (0, "retry\n")
    assert "the tracker calls it done; reopen it: clear its box" in told[2]
    assert run(tmp_path, capsysbinary, "tasks", "--next")[1] == "T-2\n"
    assert run(tmp_path, capsysbinary, "tasks", "--next", "--skip", "T-2")[1] == "T-1\n"
    run(tmp_path, capsysbinary, "record", "T-2", "--status", "done", "--guard", "pass")
    assert run(tmp_path, capsysbinary, "tasks", "--next")[1] == "T-1\n"


def test_a_task_is_set_aside_after_the_limit_and_a_person_can_open_it_again(
    tmp_path: Path, capsysbinary: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "TASKS.md").write_text("- [ ] T-1: One\n")
    monkeypatch.setenv("CTX_TASKS_MAX_ATTEMPTS", "2")
    for status in ("retry", "interrupted", "interrupted"):
        run(tmp_path, capsysbinary, "record", "T-1", "--status", status)
    assert run(tmp_path, capsysbinary, "tasks", "--next")[1] == "T-1\n"
    run(tmp_path, capsysbinary, "record", "T-1", "--status", "retry")
    assert "set aside after 2 attempts" in run(tmp_path, capsysbinary, "tasks")[1]
    code, out, err = run(tmp_path, capsysbinary, "tasks", "--next")
    assert (code, out) == (1, "") and "1 set aside after 2 attempts" in err
    run(tmp_path, capsysbinary, "record", "T-1", "--status", "open")
    assert run(tmp_path, capsysbinary, "tasks", "--next")[1] == "T-1\n"


@pytest.mark.parametrize(
    ("text", "codes", "status", "told"),
    [
        ('ok\n{"status": "done", "summary": "s"}\n', "0 0", "done", "does not call it done"),
        ('{"status": "done", "summary": "s"}', "0 1", "retry", "the guard failed"),
        ('{"status": "stuck"}\n', "0 1", "stuck", ""),
        (
            '```json\n{\n "status": "decomposed",\n "summary": "x"\n}\n```\n',
            "0 0",
            "decomposed",
            "",
        ),
        ('{"type": "result", "result": "a\\n{\\"status\\": \\"stuck\\"}"}', "0 0", "stuck", ""),
        ("I did it", "0 0", "retry", "the answer has no line"),
        ("", "124 1", "interrupted", "the answer has no line"),
        ("API Error: rate limit", "1 1", "interrupted", "the answer has no line"),
        ("Traceback", "1 1", "retry", "the answer has no line"),
    ],
)
def test_record_takes_the_status_from_the_answer_and_the_exit_codes(
    text: str, codes: str, status: str, told: str, tmp_path: Path, capsysbinary: Capture
) -> None:
    (tmp_path / "TASKS.md").write_text("- [ ] T-1: One\n")
    (tmp_path / "answer").write_text(text)
    agent, guard = codes.split()
    args = ("--answer", str(tmp_path / "answer"), "--exit", agent, "--guard-exit", guard)
    code, out, err = run(tmp_path, capsysbinary, "record", "T-1", *args)
    assert (code, out) == (0, f"{status}\n") and told in err


def test_done_without_any_change_is_recorded_as_retry(
    tmp_path: Path, capsysbinary: Capture
) -> None:
    (tmp_path / "TASKS.md").write_text("- [ ] T-1: One\n")
    git(tmp_path, "init", "-q")
    run(tmp_path, capsysbinary, "prompt", "T-1")
    told = run(tmp_path, capsysbinary, "record", "T-1", "--status", "done", "--guard", "pass")
    assert told[1] == "retry\n" and "nothing changed since its prompt" in told[2]
    (tmp_path / "new.py").write_text("x = 1\n")
    told = run(tmp_path, capsysbinary, "record", "T-1", "--status", "done", "--guard", "pass")
    assert told[1] == "done\n"


def test_a_reused_id_does_not_inherit_the_attempts_of_another_title(
    tmp_path: Path, capsysbinary: Capture
) -> None:
    (tmp_path / "TASKS.md").write_text("- [ ] T-1: One\n")
    run(tmp_path, capsysbinary, "record", "T-1", "--status", "stuck", "--summary", "no key")
    (tmp_path / "TASKS.md").write_text("- [ ] T-1: Something else\n")
    here = ctx.Project(str(tmp_path))
    tracker = ctx.read_tasks(here)
    assert tracker.tasks[0].attempts == 0 and ctx.read_attempts(here, tracker.tasks[0]) == []
    told = ".ctx/ledger/T-1.jsonl: 1 attempt under another title; not counted"
    assert told in hear(tmp_path, capsysbinary, "tasks")
    assert "1 fault in the tracker" in hear(tmp_path, capsysbinary, "prompt", "T-1")


def test_a_record_of_a_task_that_left_the_tracker_is_kept(
    tmp_path: Path, capsysbinary: Capture
) -> None:
    (tmp_path / "TASKS.md").write_text("- [ ] T-1: One\n- [ ] T-10: Ten\n")
    run(tmp_path, capsysbinary, "prompt", "T-1")
    (tmp_path / "TASKS.md").write_text("- [ ] T-10: Ten\n")
    code, _, err = run(tmp_path, capsysbinary, "record", "T-1", "--status", "done")
    assert code == 0 and "T-1: is not in the tracker any more" in err
    assert (tmp_path / ".ctx" / "ledger" / "T-1.jsonl").exists()
    assert run(tmp_path, capsysbinary, "record", "T-7", "--status", "done")[0] == 2


def test_attempts_are_kept_per_tag_of_task_master(tmp_path: Path, capsysbinary: Capture) -> None:
    scripted.TRACKERS["taskmaster"].make(tmp_path)
    run(tmp_path, capsysbinary, "record", "3", "--status", "stuck")
    assert ctx.read_tasks(ctx.Project(str(tmp_path))).tasks[2].hold == "stuck"
    (tmp_path / ".taskmaster" / "state.json").write_text('{"currentTag": "master"}')
    tracker = ctx.read_tasks(ctx.Project(str(tmp_path)))
    assert tracker.tasks[2].attempts == 0 and not tracker.faults


def test_two_loops_never_get_the_same_task(tmp_path: Path, capsysbinary: Capture) -> None:
    (tmp_path / "TASKS.md").write_text("".join(f"- [ ] T-{n}: Part {n}\n" for n in range(1, 7)))
    git(tmp_path, "init", "-q")
    script = (
        "import sys; sys.path.insert(0, sys.argv[1]); import ctx\n"
        "for _ in range(3): ctx.main(['--root', sys.argv[2], 'tasks', '--next', '--claim', sys.argv[3]])"
    )
    # one name gets its own task again, so each claim has a name of its own
    script = script.replace("sys.argv[3]]", "sys.argv[3] + str(_)]")
    loops = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(SCRIPT.parent), str(tmp_path), name],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        for name in ("a", "b")
    ]
    taken = [line for loop in loops for line in loop.communicate()[0].decode().split()]
    assert sorted(taken) == [f"T-{n}" for n in range(1, 7)]
    code, _, err = run(tmp_path, capsysbinary, "tasks", "--next", "--claim", "c")
    assert code == 1 and "claimed by" in err
    assert run(tmp_path, capsysbinary, "tasks", "--next", "--claim", "a0")[1].strip() in taken


def test_ids_made_from_titles_are_told_and_stay_when_other_lines_go(
    tmp_path: Path, capsysbinary: Capture
) -> None:
    here = ctx.Project(str(tmp_path))
    (tmp_path / "TODO.md").write_text("- [ ] Sweep the floor\n- [ ] Clean it\n- [ ] Clean it\n")
    tasks = ctx.read_tasks(here).tasks
    assert [task.id for task in tasks] == ["sweep-the-floor", "clean-it", "clean-it-2"]
    assert "3 ready; 3 ids made from titles\n" in hear(tmp_path, capsysbinary, "tasks")
    (tmp_path / "TODO.md").write_text("- [ ] Clean it\n")
    assert ctx.read_tasks(here).tasks[0].id == "clean-it"


@pytest.mark.parametrize(
    ("agent", "part"),
    [
        ("claude", "--permission-mode acceptEdits --allowedTools"),
        ("codex", "--add-dir"),  # else its sandbox lets it commit nothing
        ("gemini", "--approval-mode yolo"),
        ("opencode", "opencode run"),
    ],
)
def test_each_agent_is_started_so_that_it_may_edit_and_commit(
    tmp_path: Path, agent: str, part: str
) -> None:
    done = lab.run(tmp_path, "loop", "--agent", agent)
    (line,) = [line for line in done.stdout.splitlines() if "|| AGENT=" in line]
    assert agent in line and part in line
