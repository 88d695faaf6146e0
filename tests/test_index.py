"""INDEX: only what changed is parsed, whatever happens to the cache or a parser."""

import json
import os
import shutil
import sqlite3
from pathlib import Path

import lab
import pytest

import ctx

FILES = {
    "src/kernel.py": "class Kernel:\n    def spin(self):\n        pass\n\n\ndef make_kernel():\n    return Kernel()\n",
    "src/driver.py": "from kernel import make_kernel\n\n\ndef drive():\n    return make_kernel()\n",
    "web/panel.js": "export function renderPanel(state) {\n  return state;\n}\n",
    "README.md": "# Kernels\n\nUse `make_kernel()` first.\n",
}


@pytest.fixture
def project(tmp_path: Path) -> ctx.Project:
    lab.plant(tmp_path, FILES)
    for place in tmp_path.rglob("*"):
        os.utime(place, (1_000_000_000, 1_000_000_000))
    return ctx.Project(os.path.realpath(tmp_path), quiet=True)


def index(project: ctx.Project) -> ctx.Index:
    return ctx.read_index(project, ctx.list_files(project))


def names(found: ctx.Index) -> list[str]:
    return [each.name for path in found.tags for each in found.tags[path].definitions]


def settle(project: ctx.Project) -> None:
    """As if time had passed: no file is too fresh for the cache to be sure of."""
    import time

    time.sleep(0.15)
    index(project)


def test_every_file_is_parsed_once(project: ctx.Project) -> None:
    assert index(project).parsed == len(FILES)
    settle(project)
    again = index(project)
    assert again.parsed == 0
    assert sorted(names(again)) == ["Kernel", "drive", "make_kernel", "renderPanel", "spin"]


def test_only_the_changed_file_is_parsed_again(project: ctx.Project) -> None:
    settle(project)
    lab.plant(Path(project.root), {"src/driver.py": "def steer():\n    pass\n"})
    found = index(project)
    assert found.parsed == 1
    assert "steer" in names(found) and "drive" not in names(found)


def test_content_that_comes_back_is_known_by_its_hash(project: ctx.Project) -> None:
    settle(project)
    place = Path(project.root) / "src/driver.py"
    place.write_text("def steer():\n    pass\n")
    index(project)
    place.write_text(FILES["src/driver.py"])
    assert index(project).parsed == 0


def test_a_file_that_is_gone_is_forgotten(project: ctx.Project) -> None:
    settle(project)
    (Path(project.root) / "src/driver.py").unlink()
    assert "src/driver.py" not in index(project).tags


@pytest.mark.parametrize("damage", ["garbage", "empty", "rows", "foreign", "folder"])
def test_a_damaged_cache_costs_only_time(project: ctx.Project, damage: str) -> None:
    settle(project)
    wanted = index(project).tags
    (place,) = Path(project.root, ".ctx/cache").glob("*.db")
    if damage == "garbage":
        place.write_bytes(b"\x01" * 5000)
    elif damage == "empty":
        place.write_bytes(b"")
    elif damage == "rows":
        with sqlite3.connect(place) as cache:
            cache.execute("UPDATE tags SET data = ?", (b'[[["x"]],{},[],"",""]',))
    elif damage == "foreign":
        with sqlite3.connect(place) as cache:
            cache.execute("UPDATE about SET value = 'another'")
    else:
        place.unlink()
        place.mkdir()
    assert index(project).tags == wanted
    assert index(project).tags == wanted


def test_a_cache_behind_a_link_is_not_used(
    project: ctx.Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (Path(project.root) / ".ctx").symlink_to(outside)
    assert index(project).parsed == len(FILES)
    assert list(outside.iterdir()) == []


def test_documents_are_read_for_the_names_they_mention(project: ctx.Project) -> None:
    assert index(project).tags["README.md"].references == {"make_kernel": 1}


def test_the_answer_to_the_same_question_is_found_again(project: ctx.Project) -> None:
    import time

    time.sleep(0.15)
    files = ctx.list_files(project)
    ctx.write_answer(project, "question", files, "the answer\n", time.time_ns())
    assert ctx.read_answer(project, "question", files) == "the answer\n"
    assert ctx.read_answer(project, "another", files) is None
    lab.plant(Path(project.root), {"new.py": "x = 1\n"})
    assert ctx.read_answer(project, "question", ctx.list_files(project)) is None


def test_an_answer_about_fresh_files_is_not_kept(project: ctx.Project) -> None:
    import time

    files = ctx.list_files(project)
    newest = max(stamp.ctime for stamp in files.values())
    ctx.write_answer(project, "question", files, "the answer\n", newest + 1000)
    assert ctx.read_answer(project, "question", files) is None
    assert time.time_ns() > newest


@pytest.mark.parametrize("python", [("-I", "-S"), ()], ids=["bare", "full"])
def test_any_number_of_workers_gives_the_same_bytes(
    project: ctx.Project, python: tuple[str, ...]
) -> None:
    root = Path(project.root)
    texts = set()
    for workers in ("1", "3"):
        shutil.rmtree(root / ".ctx", ignore_errors=True)
        done = lab.run(root, "map", "--output", "-", python=python, env={"CTX_WORKERS": workers})
        assert done.returncode == 0, done.stderr
        texts.add(done.stdout)
    assert len(texts) == 1


def test_scan_tells_what_it_did(project: ctx.Project) -> None:
    root = Path(project.root)
    first = json.loads(lab.run(root, "scan", "--json").stdout)
    assert first["files_scanned"] == first["files_changed"] == len(FILES)
    assert first["symbols_indexed"] == 5 and first["dependencies_indexed"] == 1
    assert first["mode"] == "incremental" and first["git_sha"] is None
    again = json.loads(lab.run(root, "scan", "--json", "--full").stdout)
    assert again["files_changed"] == len(FILES) and again["mode"] == "full"


def test_scan_exports_the_structure_of_each_module(project: ctx.Project) -> None:
    root = Path(project.root)
    done = lab.run(root, "scan", "--export", "out")
    assert done.returncode == 0, done.stderr
    module = json.loads((root / "out/src/ast_context.json").read_text())
    assert module["files"]["src/driver.py"]["dependencies"] == ["src/kernel.py"]
    assert [each["name"] for each in module["files"]["src/kernel.py"]["symbols"]] == [
        "Kernel",
        "spin",
        "make_kernel",
    ]


def test_a_parser_that_dies_costs_its_own_file(project: ctx.Project) -> None:
    """A worker that is ended in the middle, as a crash in a grammar would."""
    root = Path(project.root)
    broken = root / "ctx.py"
    source = lab.SCRIPT.read_text()
    old = "            source = read_file(os.path.join(root, path), MAX_SOURCE_BYTES + 1)\n"
    assert old in source
    broken.write_text(
        source.replace(old, old + "            if 'panel' in path:\n                os._exit(7)\n")
    )
    done = lab.run(root, "map", "--output", "-")
    assert done.returncode == 0
    assert "web/panel.js: the parser did not finish; listed by name only" in done.stderr
    assert "make_kernel" in done.stdout and "renderPanel" not in done.stdout


def test_a_row_that_is_damaged_later_is_parsed_again(project: ctx.Project) -> None:
    settle(project)
    wanted = index(project).tags
    found = index(project)
    (place,) = Path(project.root, ".ctx/cache").glob("*.db")
    with sqlite3.connect(place) as cache:
        cache.execute("UPDATE tags SET data = X'00'")
    assert found.parsed == 0 and found.tags == wanted
    assert index(project).tags == wanted


def test_content_long_out_of_use_is_dropped(
    project: ctx.Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ctx, "_KEPT_CONTENT", 3)
    for number in range(9):
        lab.plant(Path(project.root), {"src/driver.py": f"def drive{number}():\n    pass\n"})
        index(project)
    (place,) = Path(project.root, ".ctx/cache").glob("*.db")
    with sqlite3.connect(place) as cache:
        assert cache.execute("SELECT count(*) FROM tags").fetchone()[0] <= len(FILES) + 4


def test_git_is_asked_only_for_commits_that_are_new(
    project: ctx.Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    run_git = ctx.run_git

    def spy(project: ctx.Project, *args: str, limit: float = 60) -> bytes | None:
        asked.extend(args[-1:] if args[0] == "log" else ())
        return run_git(project, *args, limit=limit)

    def commit(text: str, *flags: str) -> str:
        lab.plant(root, {"src/kernel.py": f"# {text}\n"})
        lab.git(root, "add", "-A", "src")
        lab.git(root, "commit", "-q", "-m", text, *flags)
        return ctx.read_head(project)

    monkeypatch.setattr(ctx, "run_git", spy)
    root = Path(project.root)
    lab.git(root, "init", "-q")
    first = commit("open the door")
    ctx.read_history(project, first)
    second = commit("paint the wall")
    grown = ctx.read_history(project, second)
    assert grown == ctx.read_history(project, second)
    assert grown == (
        {"open": [0], "door": [0], "paint": [1], "wall": [1]},
        [2, 2],
        [["src/driver.py", "src/kernel.py"], ["src/kernel.py"]],
    )
    third = commit("mend the roof", "--amend")
    assert ctx.read_history(project, third).words == {
        "open": [0],
        "door": [0],
        "mend": [1],
        "roof": [1],
    }
    assert asked == [first, f"{first}...{second}", f"{second}...{third}", third]


def test_a_log_that_could_not_be_read_is_read_whole_after_the_next_commit(
    project: ctx.Project,
) -> None:
    root = Path(project.root)
    lab.git(root, "init", "-q")
    heads = []
    for text in ("open the door", "paint the wall"):
        lab.plant(root, {"src/kernel.py": f"# {text}\n"})
        lab.git(root, "add", "-A", "src")
        lab.git(root, "commit", "-q", "-m", text)
        heads.append(ctx.read_head(project))
    ctx.read_index(project, ctx.list_files(project))  # makes the cache
    ctx.write_answer(project, "history", {}, json.dumps([heads[0], {}, [], []]), 0)
    assert ctx.read_history(project, heads[0]).paths == []  # not paid for twice
    assert len(ctx.read_history(project, heads[1]).paths) == 2


def test_of_too_many_commits_the_first_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctx, "_MOST_COMMITS", 2)
    wide = b"".join(b"\0%d.py" % number for number in range(31))
    log = b"\x01>one door\x02\0a.py\0\x01>one wall\x02\0b.py\0\x01>much\x02" + wide
    found = ctx._add_commits(ctx.History({}, [], []), log)
    assert found == ({"wall": [0]}, [1, 0], [["b.py"], []])
