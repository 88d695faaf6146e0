"""INDEX: only what changed is parsed, whatever happens to the cache or a parser."""

import json
import os
import shutil
import sqlite3
import time
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
    files = ctx.list_files(project)
    return ctx.read_index(project, ctx.open_cache(project), files, ctx.read_kinds(project, files))


def tags(found: ctx.Index) -> dict[str, ctx.FileTags]:
    return found.load(found.entries)


def names(found: ctx.Index) -> list[str]:
    return [each.name for file in tags(found).values() for each in file.definitions]


def settle(project: ctx.Project) -> None:
    """As if time had passed: no file is too fresh for the cache to be sure of."""
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


def test_a_file_that_was_only_touched_is_known_by_its_hash(project: ctx.Project) -> None:
    settle(project)
    place = Path(project.root) / "src/driver.py"
    place.write_text(FILES["src/driver.py"])
    found = index(project)
    assert found.parsed == 0 and "drive" in names(found)


def test_a_file_that_is_gone_is_forgotten(project: ctx.Project) -> None:
    settle(project)
    (Path(project.root) / "src/driver.py").unlink()
    assert "src/driver.py" not in tags(index(project))
    assert "src/driver.py" not in ctx.open_cache(project).list_keys("stamps")


@pytest.mark.parametrize("damage", ["garbage", "empty", "rows", "foreign", "folder"])
def test_a_damaged_cache_costs_only_time(project: ctx.Project, damage: str) -> None:
    settle(project)
    wanted = tags(index(project))
    (place,) = Path(project.root, ".ctx/cache").glob("*.db")
    if damage == "garbage":
        place.write_bytes(b"\x01" * 5000)
    elif damage == "empty":
        place.write_bytes(b"")
    elif damage == "rows":
        with sqlite3.connect(place) as cache:
            cache.execute("UPDATE cache SET data = ?", (b'[[["x"]],{},[],"",""]',))
    elif damage == "foreign":
        with sqlite3.connect(place) as cache:
            cache.execute("UPDATE cache SET state = 'another' WHERE kind = 'version'")
    else:
        place.unlink()
        place.mkdir()
    assert tags(index(project)) == wanted
    assert tags(index(project)) == wanted


def test_a_cache_behind_a_link_is_not_used(
    project: ctx.Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (Path(project.root) / ".ctx").symlink_to(outside)
    assert index(project).parsed == len(FILES)
    assert list(outside.iterdir()) == []


def test_documents_are_read_for_the_names_they_mention(project: ctx.Project) -> None:
    assert tags(index(project))["README.md"].references == {"make_kernel": 1}


def test_what_was_computed_from_the_same_files_is_not_computed_again(project: ctx.Project) -> None:
    made: list[int] = []

    def ask(question: str) -> object:
        """What the cache of a new run says."""
        cache, files = ctx.open_cache(project), ctx.list_files(project)
        return cache.compute(question, files, lambda: made.append(1) or len(made))

    time.sleep(0.15)
    assert [ask("one"), ask("one"), ask("two")] == [1, 1, 2]
    lab.plant(Path(project.root), {"new.py": "x = 1\n"})
    time.sleep(0.15)
    assert [ask("one"), ask("one"), ask("two")] == [3, 3, 4]
    lab.plant(Path(project.root), {"new.py": "x = 2\n"})
    os.utime(Path(project.root, "new.py"), (time.time() + 60,) * 2)  # however slow this machine is
    assert ask("one") != ask("one"), "a file that fresh may change again unseen"


def test_only_so_many_answers_are_kept(project: ctx.Project) -> None:
    cache = ctx.open_cache(project)
    for number in range(ctx.KEPT_ANSWERS + 9):
        cache.compute(f"question {number}", {}, lambda: 1)
    assert len(cache.list_keys("answers")) == ctx.KEPT_ANSWERS


def test_a_cache_that_cannot_be_written_goes_on_in_memory(project: ctx.Project) -> None:
    import contextlib

    index(project)
    (place,) = Path(project.root, ".ctx/cache").glob("*.db")
    cache = ctx.open_cache(project)
    row = ctx.CacheRow("tags", "b", "1", b"two")
    with contextlib.closing(sqlite3.connect(place, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        cache.write([row])
        assert cache.read("tags", "b") == row and "b" in cache.list_keys("tags")
        assert ctx.open_cache(project, stale_ok=True).list_keys("tags") == []
    cache.invalidate("tags", ["b"])
    assert cache.read("tags", "b") is None
    assert ctx.open_cache(project).read("tags", "src/kernel.py")


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


def test_a_scan_leaves_words_and_links_ready(project: ctx.Project) -> None:
    root = Path(project.root)
    os.utime(root / "README.md")
    time.sleep(0.15)
    for _ in range(2):
        assert lab.run(root, "scan").returncode == 0
    (place,) = (root / ".ctx/cache").glob("*.db")
    with sqlite3.connect(place) as cache:
        kinds = {kind for (kind,) in cache.execute("SELECT kind FROM cache")}
    assert {"tags", "words", "links"} <= kinds


def test_scan_exports_the_structure_of_each_module(project: ctx.Project) -> None:
    root = Path(project.root)
    done = lab.run(root, "scan", "--export", "out")
    assert done.returncode == 0, done.stderr
    files = json.loads((root / "out/src/ast_context.json").read_text())["files"]
    assert files["src/driver.py"]["dependencies"] == ["src/kernel.py"]
    names = [symbol["name"] for symbol in files["src/kernel.py"]["symbols"]]
    assert names == ["Kernel", "spin", "make_kernel"]


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
    assert "web/panel.js: failed to parse; listed by name only" in done.stderr
    assert "make_kernel" in done.stdout and "renderPanel" not in done.stdout


def test_a_row_that_is_damaged_later_is_parsed_again(project: ctx.Project) -> None:
    settle(project)
    wanted = tags(index(project))
    found = index(project)
    (place,) = Path(project.root, ".ctx/cache").glob("*.db")
    with sqlite3.connect(place) as cache:
        cache.execute("UPDATE cache SET data = X'00' WHERE kind = 'tags'")
    assert found.parsed == 0 and tags(found) == wanted
    assert tags(index(project)) == wanted


def test_history_is_what_commits_said_and_touched(project: ctx.Project) -> None:
    root = Path(project.root)
    assert ctx.read_history(project, "") == ({}, [], [])
    lab.git(root, "init", "-q")
    for text in ("open the door", "paint the wall"):
        lab.plant(root, {"src/kernel.py": f"# {text}\n"})
        lab.git(root, "add", "-A", "src")
        lab.git(root, "commit", "-q", "-m", text)
    head = ctx.read_head(project)
    assert ctx.read_history(project, head) == ctx.read_history(project, head)
    assert ctx.read_history(project, head) == (
        {"open": [0], "door": [0], "paint": [1], "wall": [1]},
        [2, 2],
        [["src/driver.py", "src/kernel.py"], ["src/kernel.py"]],
    )


@pytest.mark.skipif(os.name == "nt", reason="git is a shell script here")
def test_git_is_asked_only_for_commits_that_are_new(
    project: ctx.Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, log, real = Path(project.root), tmp_path / "asked", shutil.which("git")
    script = f'#!/bin/sh\ncase " $* " in *" log "*) echo "$*" >> {log};; esac\nexec {real} "$@"\n'
    lab.plant(tmp_path / "bin", {"git": script})
    (tmp_path / "bin/git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin{os.pathsep}{os.environ['PATH']}")
    lab.git(root, "init", "-q")

    def commit(text: str, *flags: str) -> tuple[str, ctx.History]:
        lab.plant(root, {"src/kernel.py": f"# {text}\n"})
        lab.git(root, "add", "-A", "src")
        lab.git(root, "commit", "-q", "-m", text, *flags)
        head = ctx.read_head(project)
        return head, ctx.read_history(project, head)

    first, _ = commit("open the door")
    second, grown = commit("paint the wall")
    assert grown.words == {"open": [0], "door": [0], "paint": [1], "wall": [1]}
    third, other = commit("mend the roof", "--amend")
    assert other.words == {"open": [0], "door": [0], "mend": [1], "roof": [1]}
    asked = [line.split()[-1] for line in log.read_text().splitlines()]
    assert asked == [first, f"{first}..{second}", f"{second}..{third}"]


def test_a_commit_of_too_many_files_says_nothing(project: ctx.Project) -> None:
    root = lab.plant(Path(project.root), {f"wide/{number}.py": "" for number in range(31)})
    lab.git(root, "init", "-q")
    lab.git(root, "add", "-A", "wide")
    lab.git(root, "commit", "-q", "-m", "much at once")
    assert ctx.read_history(project, ctx.read_head(project)) == ({}, [0], [[]])


def test_a_file_that_changed_a_moment_ago_may_change_again_unseen() -> None:
    second, millisecond = 10**9, 10**6
    when = 1_000 * second + 1  # a fine clock; whole seconds are a coarse one
    for times, is_racy in [
        ((when - 50 * millisecond, when - 50 * millisecond), True),
        ((when - 200 * millisecond, when - 200 * millisecond), False),
        ((when - 900 * second, when - 50 * millisecond), True),  # a time set back
        ((999 * second, 999 * second), True),
        ((997 * second, 997 * second), False),
    ]:
        assert ctx.is_racy((5, *times), when) is is_racy, times
