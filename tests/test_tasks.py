"""Trackers, as their real files look, read into one kind of task."""

import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ctx

REPOS = Path(__file__).parent / "fixtures" / "repos"


def project(root: Path | str) -> ctx.Project:
    return ctx.Project(os.path.realpath(root), quiet=True)


def tracker(name: str) -> ctx.Tracker:
    return ctx.read_tasks(project(REPOS / name))


def by_id(found: ctx.Tracker) -> dict[str, ctx.Task]:
    return {task.id: task for task in found.tasks}


@pytest.mark.parametrize("name", sorted(os.listdir(REPOS)))
def test_each_tracker_tells_how_a_task_is_claimed_and_completed(name: str) -> None:
    one = tracker(name).tasks[0]
    assert all(ctx.tracker_step(project(REPOS / name), one, step) for step in ("claim", "close"))


@pytest.mark.parametrize("name", sorted(os.listdir(REPOS)))
def test_each_tracker_is_found_by_itself(name: str) -> None:
    found = tracker(name)
    assert found.source == name
    assert all(task.source == name and task.path for task in found.tasks)
    assert {task.status for task in found.tasks} <= {"open", "in_progress", "blocked", "done"}


@pytest.mark.parametrize(
    ("name", "chosen"),
    [
        ("runner", "label"),
        ("cub", "shop-1.2"),
        ("beads", "bd-a1b2.2"),
        ("taskmaster", "5.2"),
        ("backlog", "KIOSK-1.1"),
        ("flow", "fn-9-night-train.3"),
        ("speckit", "002/T012"),
        ("openspec", "add-dark-mode/2.1"),
        ("prd", "US-2"),
        ("plain", "sweep-the-floor"),
    ],
)
def test_the_next_task_is_the_first_that_nothing_holds_up(name: str, chosen: str) -> None:
    assert ctx.list_ready(tracker(name))[0].id == chosen


def test_runner_nodes_are_read_in_their_order_with_the_node_above_as_parent() -> None:
    found = tracker("runner")
    assert [task.id for task in found.tasks] == ["root", "send", "weigh", "label", "stamp", "track"]
    tasks = by_id(found)
    assert tasks["label"].parent == "send" and tasks["label"].acceptance[0] == "the bar code scans"
    assert tasks["stamp"].status == "blocked" and tasks["weigh"].status == "done"
    assert ctx.find_task(found, "root/send/label") == tasks["label"]


def test_cub_records_take_criteria_parents_and_dependencies_from_where_they_are() -> None:
    tasks = by_id(tracker("cub"))
    card = tasks["shop-1.2"]
    assert card.acceptance == ("a declined card shows why", "a paid order is stored")
    assert (card.parent, card.depends_on, card.priority) == ("shop-1", ("shop-1.1",), 0)
    assert tasks["shop-1.3"].depends_on == ("shop-1.4",)  # by the other's `blocks`


def test_what_is_wrong_with_a_record_is_told_with_file_and_line_and_survived() -> None:
    told = "\n".join(tracker("cub").faults)
    for line, why in (
        (6, "shop-1.2: duplicate id"),
        (7, "not valid JSON"),
        (8, "not an object"),
        (9, "no parent shop-404"),
        (10, "form a circle"),
        (12, "without an id"),
    ):
        assert any(
            fault.startswith(f".cub/tasks.jsonl:{line}: ") and why in fault
            for fault in told.split("\n")
        ), (line, why, told)


def test_beads_links_say_what_is_a_parent_and_what_blocks() -> None:
    tasks = by_id(tracker("beads"))
    assert "m-1" not in tasks and "bd-e5" not in tasks
    assert tasks["bd-a1b2.2"].parent == "bd-a1b2"
    assert tasks["bd-a1b2.2"].depends_on == ("bd-a1b2.1",)
    assert tasks["bd-a1b2.1"].parent == "bd-a1b2"  # by its id
    assert tasks["bd-c3"].parent == "bd-a1b2"  # by its label
    assert tasks["bd-a1b2.1"].acceptance[1] == "built within a minute"
    assert "mind the accents" in tasks["bd-a1b2.2"].notes


def test_an_export_older_than_the_beads_store_is_told_to_be_stale(tmp_path: Path) -> None:
    folder = tmp_path / ".beads"
    (folder / "dolt" / ".dolt" / "noms").mkdir(parents=True)
    (folder / "issues.jsonl").write_text('{"id": "b-1", "title": "One"}\n')
    os.utime(folder / "issues.jsonl", (1_000_000, 1_000_000))
    (folder / "dolt" / ".dolt" / "noms" / "manifest").write_text("x")
    assert any("stale" in fault for fault in ctx.read_tasks(project(tmp_path)).faults)


def test_task_master_reads_the_current_tag_and_full_ids_of_subtasks() -> None:
    tasks = by_id(tracker("taskmaster"))
    assert "1" not in tasks and tasks["5.2"].parent == "5"
    assert tasks["5.2"].depends_on == ("5.1",) and tasks["5.3"].depends_on == ("5.2",)
    assert tasks["5"].acceptance == ("beans come up", "none is eaten")
    assert "garden/beans.md" in tasks["5"].description


def test_backlog_front_matter_survives_quotes_folding_and_windows_lines() -> None:
    tasks = by_id(tracker("backlog"))
    assert tasks["KIOSK-1"].title == 'Sell: papers, "magazines" & more'
    assert tasks["KIOSK-1"].labels == ("sales", "front desk", "milestone:m-1")
    assert tasks["KIOSK-1"].description == "Customers buy papers."
    change = tasks["KIOSK-1.1"]
    assert (change.title, change.parent) == ("Count the change", "KIOSK-1")
    assert change.depends_on == ("KIOSK-2",) and change.notes == "Begin with coins."
    assert change.acceptance == ("coins are counted", "notes are counted")
    assert tasks["KIOSK-2"].status == "done"  # the last of the statuses in config.yml


def test_flow_believes_the_live_state_then_the_done_summary_then_the_committed_status() -> None:
    tasks = by_id(tracker("flow"))
    states = [tasks[f"fn-9-night-train.{number}"].status for number in (1, 2, 3)]
    assert states == ["done", "done", "open"]
    assert tasks["fn-9-night-train.3"].acceptance == ("coffee is hot",)


def test_spec_kit_ids_carry_their_feature_and_stories_give_the_criteria() -> None:
    found = tracker("speckit")
    tasks = by_id(found)
    form = tasks["001/T012"]
    assert form.depends_on == ("001/T001",) and form.title == "Form in src/form.py"
    assert len(form.acceptance) == 2 and "People get in" in form.description
    assert "001/T099" not in tasks  # an example in a code fence
    assert ctx.find_task(found, "T012").id == "002/T012"  # the current feature's


def test_spec_kit_tasks_keep_their_phase_and_its_goal_below_a_deeper_heading(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "specs" / "001-entry"
    folder.mkdir(parents=True)
    (folder / "tasks.md").write_text(
        "# Tasks: Entry\n\n## Phase 3: Story 1\n\n**Goal**: People get in\n\n### Checks\n\n"
        "- [X] T001 [P] [US1] Test the form\n\n### Code\n\n- [ ] T002 [US1] Write the form\n\n"
        "## Phase 4: Polish\n\n- [ ] T003 Docs\n- [ ] No id\n\n## Notes\n\n- [P] tasks: other files\n"
    )
    read = ctx.read_tasks(project(tmp_path))
    tasks = by_id(read)
    phase = "Part: Phase 3: Story 1\nGoal: People get in\n"
    assert tasks["001/T001"].description == phase + "Part: Checks"
    assert tasks["001/T002"].description == phase + "Part: Code"
    assert tasks["001/T003"].description == "Part: Phase 4: Polish"
    # the legend of the marks is no box
    assert read.faults == ("specs/001-entry/tasks.md:18: a box without an id; skipped",)


def test_spec_kit_features_numbered_by_time_keep_their_ids(tmp_path: Path) -> None:
    for name in ("20250102-030405-entry", "20250102-040506-exit"):
        (tmp_path / "specs" / name).mkdir(parents=True)
        (tmp_path / "specs" / name / "tasks.md").write_text("- [ ] T001 Write it\n")
        assert name[:15] + "/T001" in by_id(ctx.read_tasks(project(tmp_path)))


def test_openspec_changes_are_epics_and_archived_ones_are_not_read() -> None:
    tasks = by_id(tracker("openspec"))
    assert tasks["add-dark-mode/1.2"].parent == "add-dark-mode"
    assert tasks["add-dark-mode"].description == "Eyes hurt at night."
    assert tasks["add-dark-mode"].acceptance == ("Dark at night",)
    assert tasks["add-dark-mode/1.2"].acceptance == ()  # one step need not meet them all
    assert not any("old-one" in name for name in tasks)


def test_openspec_counts_every_box_as_its_own_tool_does(tmp_path: Path) -> None:
    folder = tmp_path / "openspec" / "changes" / "rename"
    folder.mkdir(parents=True)
    (folder / "tasks.md").write_text(
        "- [ ] 1.1 Rename code that depends on the parser\n  - [ ] imports\n  - [x] docs\n"
        "- [ ] 1.2 Release (depends on 1.1)\n  - [x] 1.2.1 Tag it\n"
        "1. [ ] By number\n* [ x] Loose mark\n+ [] No mark\n- [x](a.md) A link\n"
    )
    read = ctx.read_tasks(project(tmp_path))
    tasks = by_id(read)
    assert not read.faults and [name.removeprefix("rename/") for name in tasks] == [
        "rename",
        *("1.1", "imports", "docs", "1.2", "1.2.1", "by-number", "loose-mark", "no-mark"),
    ]
    assert tasks["rename/imports"].parent == "rename/1.1" and tasks["rename/imports"].made_id
    assert tasks["rename/1.1"].title == "Rename code that depends on the parser"
    assert tasks["rename/1.2"].depends_on == ("rename/1.1",)
    assert tasks["rename/1.2.1"].status == tasks["rename/loose-mark"].status == "done"
    assert [task.id for task in ctx.list_ready(read)] == [
        "rename/imports",
        "rename/by-number",
        "rename/no-mark",
    ]


def test_plain_boxes_without_ids_get_them_from_their_text_and_headings_are_epics() -> None:
    tasks = by_id(tracker("plain"))
    assert tasks["T-4"].parent == "E-1" and tasks["T-4"].depends_on == ("T-3",)
    assert tasks["T-4"].acceptance == ("the crust cracks", "it sounds hollow")
    assert tasks["T-4"].description == "Until it is brown."
    assert "Shop front" not in tasks and "Shop front" in tasks["clean-the-window"].description
    assert tasks["sweep-the-floor"].made_id and tasks["sweep-the-floor"].parent == ""
    assert "T-9" not in tasks and tasks["T-5"].status == "in_progress"


@pytest.mark.parametrize(
    ("name", "short", "full"),
    [
        ("flow", "fn-9.3", "fn-9-night-train.3"),
        ("backlog", "kiosk-1.1", "KIOSK-1.1"),
        ("backlog", "1.1", "KIOSK-1.1"),
        ("cub", "SHOP-9", "shop-9"),
        ("beads", "bd-c", "bd-c3"),
        ("openspec", "1.2", "add-dark-mode/1.2"),
    ],
)
def test_a_short_form_resolves_when_it_is_unique(name: str, short: str, full: str) -> None:
    assert ctx.find_task(tracker(name), short).id == full


def test_an_unknown_id_names_the_closest_and_the_source() -> None:
    with pytest.raises(ctx.CtxError, match="no such task in cub; did you mean shop-1"):
        ctx.find_task(tracker("cub"), "shop-12")
    with pytest.raises(ctx.CtxError, match="matches 2 tasks in beads: bd-a1b2.1, bd-a1b2.2"):
        ctx.find_task(tracker("beads"), "bd-a1b2.")


@pytest.mark.parametrize("name", ["../x", "a/../b", "/etc/passwd", "a\\b", "C:/x", "", "a\nb"])
def test_a_path_is_no_task_id(name: str) -> None:
    with pytest.raises(ctx.CtxError, match="not a task id"):
        ctx.find_task(tracker("cub"), name)


def test_an_unknown_source_is_named_with_the_known_ones() -> None:
    with pytest.raises(ctx.CtxError, match="did you mean beads"):
        ctx.read_tasks(project(REPOS), "bead")


def test_done_siblings_come_newest_first_whatever_their_time_zone() -> None:
    found = tracker("cub")
    epic, done, rest = ctx.find_siblings(found, by_id(found)["shop-1.2"])
    assert epic and epic.id == "shop-1"
    assert [task.id for task in done] == ["shop-1.4", "shop-1.1"]
    assert [task.id for task in rest] == ["shop-1.3"]


def test_a_number_where_a_list_is_usual_is_a_list_of_one(tmp_path: Path) -> None:
    second = {"id": "c-2", "title": "B", "dependsOn": 1, "relevantFiles": 7}
    rows = [{"id": 1, "title": "A"}, second]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    task = plant(tmp_path, {".cub/tasks.jsonl": text}).tasks[1]
    assert task.depends_on == ("1",) and task.description == "Relevant files:\n- 7"


def test_github_is_asked_again_without_the_fields_it_does_not_know(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools, repo = tmp_path / "tools", tmp_path / "repo"
    tools.mkdir()
    repo.mkdir()
    record = {
        "number": 12,
        "title": "Paint it",
        "body": "## Acceptance\n- it is blue",
        "state": "OPEN",
        "labels": [{"name": "bug"}],
        "milestone": {"title": "Spring", "description": "All fresh."},
        "comments": [{"body": "dark blue"}],
        "url": "",
    }
    script = tools / "gh"
    script.write_text(
        "#!/bin/sh\ncase \"$*\" in *blockedBy*) echo 'Unknown JSON field' >&2; exit 1;; esac\n"
        f"cat <<'END'\n{json.dumps(record)}\nEND\n"
    )
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    found = ctx.read_tasks(project(repo), "gh", "12")
    task = ctx.find_task(found, "12")
    assert task.title == "Paint it" and task.acceptance == ("it is blue",)
    assert task.parent == "milestone Spring"
    assert task.notes == "dark blue" and task.labels == ("bug",)


def test_a_program_inside_the_repository_is_never_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "gh"
    script.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\necho '{{}}'\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(ctx.CtxError, match="gh"):
        ctx.read_tasks(project(tmp_path), "gh", "12")
    assert not (tmp_path / "ran").exists()


def plant(root: Path, files: dict[str, str]) -> ctx.Tracker:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return ctx.read_tasks(project(root))


@pytest.mark.parametrize(
    ("path", "text", "ready"),
    [
        ("prd.json", '[{"id": 2, "title": "B", "passes": true}, {"id": 1, "title": "A"}]', "1"),
        ("prd.json", '{"stories": [{"id": "S-1", "title": "A", "passes": false}]}', "S-1"),
        (
            "scripts/ralph/prd.json",
            '{"phases": [{"id": "P1", "name": "One", "tasks": [{"id": "a", "title": "A"}]}]}',
            "a",
        ),
        (
            "feature_list.json",
            '[{"category": "ui", "description": "Chat opens", "steps": ["x"], "passes": false}]',
            "chat-opens",
        ),
        (
            "feature_list.json",
            '{"features": [{"id": "F1", "title": "A", "status": "passing"},'
            ' {"id": "F2", "title": "B", "status": "not_started"}]}',
            "F2",
        ),
        ("IMPLEMENTATION_PLAN.md", "# Plan\n1. [x] One\n2. [ ] Two\n", "two"),
        (".ralph/fix_plan.md", "## High Priority\n- [ ] Fix the door\n", "fix-the-door"),
        ("tasks/todo.md", "- [ ] Set-up the re-run\n", "set-up-the-re-run"),
        (
            ".planning/ROADMAP.md",
            "- [x] **Phase 1: Base** - all\n- [ ] **Phase 2: More** - it\n\n### Phase 1: Base\n"
            "- [ ] 01-01-PLAN.md — Old\n\n### Phase 2: More\n- [ ] 02-01-PLAN.md — New\n",
            "02-01",
        ),
        (
            "TASKS.md",
            "- [ ] T-1: A\n  Depends on: T-2\n- [ ] T-3: C (after T-2)\n- [ ] T-2: B\n",
            "T-2",
        ),
    ],
)
def test_more_files_that_hold_tasks(path: str, text: str, ready: str, tmp_path: Path) -> None:
    tracker = plant(tmp_path, {path: text})
    assert not tracker.faults
    assert [task.id for task in ctx.list_ready(tracker)] == [ready]


def test_tasks_of_a_phase_that_stands_beside_them_are_its_parts(tmp_path: Path) -> None:
    text = (
        '{"phases": [{"id": 7, "name": "One"}], "tasks": [{"id": "a", "title": "A", "phase": 7}]}'
    )
    assert by_id(plant(tmp_path, {"prd.json": text}))["a"].parent == "7"
    text = '[{"id": 1, "title": "A", "phase": 1}, {"id": 2, "title": "B", "phase": 1}]'
    tasks = by_id(plant(tmp_path, {"prd.json": text}))  # a number that names no phase
    assert tasks["2"].parent == "" and not tasks["2"].made_id


def test_kiro_parts_that_stand_beside_the_whole_come_before_it(tmp_path: Path) -> None:
    text = "- [x] 1. Model\n- [ ] 2. Form\n- [x] 2.1 Fields\n- [ ] 2.2 Page\n"
    path = ".kiro/specs/login/tasks.md"
    ready = ctx.list_ready(plant(tmp_path, {path: text}))
    assert [task.id for task in ready] == ["login/2.2"]
    ready = ctx.list_ready(plant(tmp_path, {path: text.replace("[ ] 2.2", "[x] 2.2")}))
    assert [task.id for task in ready] == ["login/2"]


def test_a_heading_with_a_number_does_not_hide_the_story_of_that_number(tmp_path: Path) -> None:
    spec = (
        "# Entry\n\n### Phase 1: Now\n\nx\n\n### User Story 1 - In\n\n1. **Given** a **Then** b\n"
    )
    files = {"specs/001-a/spec.md": spec, "specs/001-a/tasks.md": "- [ ] T001 [US1] Form\n"}
    assert by_id(plant(tmp_path, files))["001/T001"].acceptance == ("**Given** a **Then** b",)


def test_kiro_specs_give_criteria_and_optional_tasks_come_last(tmp_path: Path) -> None:
    tracker = plant(
        tmp_path,
        {
            ".kiro/specs/login/tasks.md": "# Implementation Plan\n\n- [x] 1. Model\n"
            "- [ ] 2. Form\n  - [ ]* 2.1 Property test\n  - [ ] 2.2 Fields\n    - two of them\n"
            "    - _Requirements: 1.2_\n- [ ] 3. Page\n",
            ".kiro/specs/login/requirements.md": "# Requirements\n\n### Requirement 1\n\n"
            "#### Acceptance Criteria\n\n1. WHEN a THEN b\n2. WHEN c THEN d\n",
        },
    )
    tasks = by_id(tracker)
    assert tracker.source == "kiro" and tasks["login/2.2"].acceptance == ("WHEN c THEN d",)
    assert tasks["login/2.1"].labels == ("optional",) and tasks["login/2.1"].parent == "login/2"
    ready = [task.id for task in ctx.list_ready(tracker)]
    assert ready == ["login/2.2", "login/3", "login/2.1"]


def test_a_task_below_a_blocked_one_is_not_ready_and_a_whole_with_its_parts_done_is(
    tmp_path: Path,
) -> None:
    tasks = [
        {"id": 1, "title": "A", "status": "pending", "subtasks": [
            {"id": 1, "title": "a", "status": "done"}]},
        {"id": 2, "title": "B", "status": "pending", "dependencies": [1], "subtasks": [
            {"id": 1, "title": "b", "status": "pending"}]},
        {"id": 3, "title": "C", "status": "review"},
        {"id": 4, "title": "D", "status": "pending", "dependencies": [99]},
        {"id": 10, "title": "E", "status": "pending", "priority": "high", "subtasks": [
            {"id": 10, "title": "e", "status": "pending"},
            {"id": 9, "title": "f", "status": "pending"}]},
    ]  # fmt: skip
    files = {".taskmaster/tasks/tasks.json": json.dumps({"master": {"tasks": tasks}})}
    tracker = plant(tmp_path, files)
    assert [task.id for task in ctx.list_ready(tracker)] == ["10.9", "10.10", "1"]
    holds = ctx.find_holds(tracker)
    assert holds["2.1"] == "part of 2, which is blocked" and holds["3"] == "in review"
    assert holds["4"] == "waits for 99"


def test_task_master_goes_by_begun_wholes_priority_number_of_dependencies_and_id(
    tmp_path: Path,
) -> None:
    tasks = [
        {"id": 1, "title": "A", "status": "done"},
        {"id": 2, "title": "B", "status": "done"},
        {"id": 3, "title": "C", "status": "pending", "dependencies": [1, 2]},
        {"id": 10, "title": "D", "status": "pending", "dependencies": [1]},
        {"id": 9, "title": "E", "status": "pending", "dependencies": [1]},
        {"id": 4, "title": "F", "status": "in-progress", "priority": "low"},
        {"id": 5, "title": "G", "status": "in-progress", "priority": "low", "subtasks": [
            {"id": 1, "title": "g", "status": "pending"}]},
    ]  # fmt: skip
    files = {".taskmaster/tasks/tasks.json": json.dumps({"master": {"tasks": tasks}})}
    ready = ctx.list_ready(plant(tmp_path, files))
    assert [task.id for task in ready] == ["5.1", "9", "10", "3", "4"]


def test_beads_gates_deferred_issues_and_those_that_wait_are_not_ready(tmp_path: Path) -> None:
    rows = [
        {"id": "b-1", "title": "A", "created_at": "2026-01-01T00:00:00Z"},
        {"id": "b-2", "title": "B", "created_at": "2026-01-02T00:00:00Z"},
        {"id": "b-3", "title": "C", "issue_type": "gate"},
        {"id": "b-4", "title": "D", "defer_until": "2999-01-01T00:00:00Z"},
        {
            "id": "b-5",
            "title": "E",
            "dependencies": [{"depends_on_id": "b-1", "type": "waits-for"}],
        },
        {"id": "b-6", "title": "F", "status": "in_progress", "assignee": "someone else"},
        {"id": "b-7", "title": "G", "status": "hooked"},
    ]
    text = "\n".join(json.dumps(row) for row in rows)
    tracker = plant(tmp_path, {".beads/issues.jsonl": text})
    assert [task.id for task in ctx.list_ready(tracker)] == ["b-2", "b-1"]
    assert ctx.find_holds(tracker)["b-6"] == "claimed by someone else"


def test_beads_is_asked_by_its_own_program_where_the_export_is_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo, tools = tmp_path / "repo", tmp_path / "tools"
    tools.mkdir()
    (tools / "bd").write_text(
        '#!/bin/sh\n[ "$1" = export ] && echo \'{"id": "b-1", "title": "A"}\'\n'
    )
    (tools / "bd").chmod(0o755)
    (repo / ".beads" / "embeddeddolt").mkdir(parents=True)
    (repo / "TODO.md").write_text("- [ ] T-1: Not this\n")
    assert ctx.read_tasks(project(repo)).source == "plain"
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    assert [task.id for task in ctx.read_tasks(project(repo)).tasks] == ["b-1"]


def test_backlog_settings_give_the_folder_the_states_and_the_commands(tmp_path: Path) -> None:
    form = "---\nid: TASK-{0}\ntitle: T{0}\nstatus: {1}\n{2}---\n\n## Description\n\nx\n"
    tracker = plant(
        tmp_path,
        {
            "backlog.config.yml": "backlog_directory: docs/plan\nstatuses: [Idea, Doing, Shipped]\n",
            "docs/plan/tasks/task-2 - a.md": form.format(2, "Idea", "priority: low\n"),
            "docs/plan/tasks/task-11 - b.md": form.format(11, "Doing", "priority: low\n"),
            "docs/plan/tasks/task-3 - c.md": form.format(3, "Idea", ""),
            "docs/plan/tasks/task-4 - d.md": form.format(4, "Shipped", ""),
        },
    )
    tasks = by_id(tracker)
    assert tasks["TASK-4"].status == "done" and not tracker.faults
    assert [task.id for task in ctx.list_ready(tracker)] == ["TASK-2", "TASK-11", "TASK-3"]
    close = ctx.tracker_step(project(tmp_path), tasks["TASK-2"], "close")
    assert close == "close it: `backlog task edit TASK-2 -s Shipped`"
    reopen = ctx.tracker_step(project(tmp_path), tasks["TASK-2"], "reopen")
    assert reopen == "`backlog task edit TASK-2 -s Idea`"


def test_backlog_settings_give_the_priorities_and_links_keep_their_drafts(tmp_path: Path) -> None:
    form = "---\nid: BACK-{0}\ntitle: T{0}\nstatus: To Do\n{1}---\n"
    lines = ("priority: could", "priority: Must", "", "priority: high", "dependencies: [task-1]")
    files = {
        f"backlog/tasks/back-{n} - a.md": form.format(n, f"{line}\n")
        for n, line in enumerate((*lines, "dependencies: [draft-1]"), 1)
    }
    tracker = plant(tmp_path, files | {"backlog/config.yml": "priorities: [Must, Could]\n"})
    ready = [task.id for task in ctx.list_ready(tracker)]
    assert ready == ["BACK-2", "BACK-1", "BACK-3", "BACK-4"]  # one that is not in the list is none
    holds = ctx.find_holds(tracker)
    assert (holds["BACK-5"], holds["BACK-6"]) == ("waits for BACK-1", "waits for draft-1")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("- [x] T-1: A\n", "the only task in plain is done"),
        ("- [x] T-1: A\n- [x] T-2: B\n", "all 2 tasks in plain are done"),
        (
            "- [ ] T-1: A (depends on T-2)\n- [ ] T-2: B (depends on T-1)\n",
            "1 waits for T-2, 1 waits for T-1",
        ),
    ],
)
def test_why_no_task_is_ready_is_told(text: str, reason: str, tmp_path: Path) -> None:
    tracker = plant(tmp_path, {"TASKS.md": text})
    assert reason in ctx.explain_holds(tracker, "")


def test_a_tracker_that_cannot_be_read_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "prd.json").write_text("{")
    assert ctx.main(["--root", str(tmp_path), "tasks", "--next"]) == 2
    (tmp_path / "TASKS.md").write_text("- [ ] T-1: A\n")
    assert ctx.main(["--root", str(tmp_path), "tasks", "--next", "--source", "prd"]) == 2
    capsys.readouterr()
    assert ctx.read_tasks(project(tmp_path)).source == "plain"


@pytest.mark.parametrize("name", [*sorted(os.listdir(REPOS)), "kiro", "features"])
def test_every_tracker_says_how_a_task_is_claimed_closed_and_reopened(name: str) -> None:
    task = ctx.Task("X-1", "x", source=name, path="p.md", acceptance=("a",))
    for step in ("claim", "close", "reopen"):
        text = ctx.tracker_step(project(REPOS), task, step)
        assert text and "{" not in text


def test_two_thousand_tasks_are_read_within_a_second(tmp_path: Path) -> None:
    lines = [
        json.dumps(
            {
                "id": f"b-{number}",
                "title": f"Task {number}",
                "description": "Some words about it.\n\n## Acceptance\n\n- works\n" * 5,
                "status": "open",
                "dependencies": [{"depends_on_id": f"b-{number - 1}", "type": "blocks"}],
            }
        )
        for number in range(2000)
    ]
    (tmp_path / ".beads").mkdir()
    (tmp_path / ".beads" / "issues.jsonl").write_text("\n".join(lines))
    start = time.process_time()
    found = ctx.read_tasks(project(tmp_path))
    assert len(found.tasks) == 2000 and time.process_time() - start < 1


@pytest.mark.parametrize(
    ("text", "criteria"),
    [
        ("## Acceptance Criteria\n\n- a\n- [x] b\n\n## Notes\n- c", ("a", "b")),
        (
            "**Acceptance criteria:**\n1. a\n2) b\n   goes on\n\n**Files:** x\n\n**More**\n- c",
            ("a", "b goes on"),
        ),
        ("Done when: it rings\n\nMore words.", ("it rings",)),
        ("### Success Criteria\n* a", ("a",)),
        ("## Acceptance Tests\n- a", ()),
        ("```\n## Acceptance\n- a\n```", ()),
        ("Acceptance criteria are below", ()),
        ("## Acceptance\n- [ ] TBD\n", ()),
    ],
)
def test_acceptance_criteria_are_found_in_a_description(
    text: str, criteria: tuple[str, ...]
) -> None:
    assert ctx.parse_acceptance(text) == criteria


def test_front_matter_takes_both_kinds_of_lists_and_folded_texts() -> None:
    keys, body = ctx.parse_front_matter(
        "---\na: [x, 'y, z', \"w\"]\nb:\n- one\n- 'it''s'\nc: |\n  two\n  lines\nd: null\ne: x: y\n---\nbody"
    )
    assert keys == {
        "a": ["x", "y, z", "w"],
        "b": ["one", "it's"],
        "c": "two\nlines",
        "d": "",
        "e": "x: y",
    }
    assert body == "body"


@pytest.mark.parametrize("text", ["", "None.", "# Open Questions\n", "- [ ] TBD", "# A\n\nNone.\n"])
def test_a_placeholder_says_nothing(text: str) -> None:
    assert ctx.is_empty_note(text) and not ctx.is_empty_note(text + "\nreal words")


JSON_FILES = [
    "runner/.runner/state/tree.json",
    "runner/.runner/state/run_state.json",
    "runner/.runner/iterations/run-7/4/meta.json",
    "runner/.runner/iterations/run-7/4/output.json",
    "cub/.cub/tasks.jsonl",
    "cub/.cub/ledger/by-task/shop-1.2.json",
    "beads/.beads/issues.jsonl",
    "taskmaster/.taskmaster/tasks/tasks.json",
    "taskmaster/.taskmaster/state.json",
    "flow/.flow/tasks/fn-9-night-train.1.json",
    "prd/prd.json",
    "speckit/.specify/feature.json",
]
ODD = st.sampled_from(
    [None, True, -1, 1.5, 10**20, "", "\ud800\n# x", [], [1, None], {}, {"id": []}]
)


@settings(max_examples=150, deadline=None)
@given(path=st.sampled_from(JSON_FILES), pick=st.integers(0, 10**6), odd=ODD)
def test_a_damaged_value_never_stops_the_run(path: str, pick: int, odd: object) -> None:
    name = path.partition("/")[0]
    text = (REPOS / path).read_text("utf-8")
    lines = text.split("\n") if path.endswith("l") else [text]
    at = pick % len(lines)
    try:
        value = json.loads(lines[at])
    except ValueError:
        return
    lines[at] = json.dumps(damaged(value, pick, odd))
    with tempfile.TemporaryDirectory() as folder:
        root = shutil.copytree(REPOS / name, Path(folder) / "repo")
        (root / path.partition("/")[2]).write_text("\n".join(lines), "utf-8")
        here = project(root)
        for each in ctx.read_tasks(here).tasks[:3]:
            ctx.read_previous(ctx.read_attempts(here, each))


def damaged(value: object, pick: int, odd: object) -> object:
    """The value with one of its inner values replaced."""
    inner = list(value.items()) if isinstance(value, dict) else list(enumerate(value))  # type: ignore[arg-type]
    if not inner:
        return odd
    key, old = inner[pick % len(inner)]
    deeper = isinstance(old, dict | list) and old and pick % 3
    copy = dict(inner)
    copy[key] = damaged(old, pick // 7, odd) if deeper else odd
    return copy if isinstance(value, dict) else list(copy.values())


# -- what happened before


def task(name: str, wanted: str) -> tuple[ctx.Project, ctx.Task]:
    return project(REPOS / name), ctx.find_task(tracker(name), wanted)


def previous(here: ctx.Project, wanted: ctx.Task) -> tuple[str, str]:
    return ctx.read_previous(ctx.read_attempts(here, wanted))


def test_the_runners_previous_iteration_counts_only_for_its_own_node() -> None:
    history, failure = previous(*task("runner", "label"))
    assert history == "The bar code is too small."
    assert failure == "FAIL test_bar_code: width 3 < 9\n1 failed\n"
    assert previous(*task("runner", "track")) == ("", "")
    assert previous(*task("runner", "weigh")) == ("", "")


def test_cub_attempts_come_from_both_layouts_and_a_log_is_evidence_enough(
    tmp_path: Path,
) -> None:
    first, second = ctx.read_attempts(*task("cub", "shop-1.2"))
    assert (first.status, first.category) == ("failed", "timeout")
    assert second.summary == "" and second.guard == "fail"
    assert previous(*task("cub", "shop-1.2"))[1].endswith("exit code 3\n")
    (older,) = ctx.read_attempts(*task("cub", "shop-1.3"))
    (tmp_path / ".cub/ledger/by-task/x/attempts").mkdir(parents=True)
    (tmp_path / ".cub/ledger/by-task/x.json").write_text('{"attempts": [{"attempt_number": 7}]}')
    (tmp_path / ".cub/ledger/by-task/x/attempts/007-harness.log").write_text("no 7\n")
    (seventh,) = ctx.read_attempts(project(tmp_path), ctx.Task("x", "X"))
    assert seventh.log == "no 7\n"  # the log is named by the attempt's own number
    assert older.status == "failed" and older.lessons == ("The queue drops mails over 1 MB.",)


def test_a_runner_error_never_reaches_the_agent(tmp_path: Path) -> None:
    folder = tmp_path / ".runner" / "iterations" / "r" / "1"
    folder.mkdir(parents=True)
    (tmp_path / ".runner" / "state").mkdir()
    (tmp_path / ".runner" / "state" / "run_state.json").write_text(
        '{"run_id": "r", "next_iter": 2, "last_status": "retry", "last_guard": "fail"}'
    )
    (tmp_path / "TASKS.md").write_text("- [ ] T-1: One\n")
    (folder / "meta.json").write_text('{"node_id": "T-1", "status": "retry", "guard": "fail"}')
    (folder / "output.json").write_text('{"status": "retry", "summary": "runner error: no disk"}')
    (folder / "failure.log").write_text("runner error: no disk\n" + "x" * 90_000)
    (folder / "guard.log").write_text("2 failed\n")
    here = project(tmp_path)
    one = ctx.find_task(ctx.read_tasks(here), "T-1")
    assert previous(here, one) == ("", "2 failed\n")


def test_a_log_of_twenty_megabytes_on_one_line_is_read_from_its_end(tmp_path: Path) -> None:
    (tmp_path / "big.log").write_bytes("é".encode() * 10_000_000 + b" the end")
    start = time.process_time()
    text = ctx.read_log(project(tmp_path), "big.log")
    assert text.endswith("é the end\n") and "\ufffd" not in text
    assert len(text.encode()) <= ctx.DIGEST_BYTES and time.process_time() - start < 1


@pytest.mark.parametrize("name", ["003/T012", "a b", "..", "con", "x" * 300, "é", ".hidden"])
def test_any_id_has_a_ledger_of_its_own(name: str) -> None:
    path = ctx.ledger_path(name)
    assert path.startswith(".ctx/ledger/") and ".." not in path
    assert ctx.pattern("file_name").fullmatch(
        path.removeprefix(".ctx/ledger/").removesuffix(".jsonl")
    )
    assert path != ctx.ledger_path(name + "_") and path != ctx.ledger_path("003_T012")


# -- git


def git(root: Path, *args: str) -> None:
    who = ["-c", "user.name=n", "-c", "user.email=e@example.com", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *who, *args], cwd=root, check=True, capture_output=True)


def test_uncommitted_files_are_counted_without_running_a_filter(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "work")
    for name in ("same", "changed", "staged", "gone", "touched"):
        (tmp_path / name).write_text(f"{name}\n")
    (tmp_path / "TASKS.md").write_text("- [ ] T-1: One\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "feat(T-1): first words")
    (tmp_path / "changed").write_text("other\n")
    (tmp_path / "gone").unlink()
    os.utime(tmp_path / "touched", (5, 5))
    (tmp_path / "new file").write_text("")
    (tmp_path / ".runner").mkdir()
    (tmp_path / ".runner" / "x").write_text("")
    git(tmp_path, "rm", "-q", "--cached", "staged")
    ran = tmp_path / ".git" / "ran"
    for name in ("spy", "a.b"):
        git(tmp_path, "config", f"filter.{name}.clean", f"touch {ran}; cat")
        git(tmp_path, "config", f"filter.{name}.process", f"touch {ran}")
        git(tmp_path, "config", f"filter.{name}.required", "true")
    (tmp_path / ".gitattributes").write_text("* filter=spy\nchanged filter=a.b\n")
    here = project(tmp_path)
    one = ctx.find_task(ctx.read_tasks(here), "T-1")
    state = ctx.read_git_state(here, one, ctx.read_tasks(here))
    assert state and state.branch == "work"
    assert state.changed == (".gitattributes", "changed", "gone", "new file", "staged")
    assert state.commits[0].endswith("feat(T-1): first words") and "same" in state.touched
    with open(tmp_path / ".git" / "config", "a") as file:  # a name that no flag can carry
        file.write(f'[filter "c=d"]\n\tclean = touch {ran}\n')
    (tmp_path / ".gitattributes").write_text("* filter=c=d\n")
    assert ctx.read_git_state(here, one, ctx.read_tasks(here)) and not ran.exists()


def test_without_git_there_is_no_git_state(tmp_path: Path) -> None:
    assert ctx.read_git_state(project(tmp_path), ctx.Task("T-1", "x"), ctx.Tracker("")) is None
