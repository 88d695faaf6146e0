"""FLOWS: the map as a user gets it, from real files through the real command."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import lab
import pytest

import ctx

SHOP = {
    "pyproject.toml": '[project]\nname = "shop"\nrequires-python = ">=3.11"\n[tool.pytest.ini_options]\n',
    "README.md": "# Shop\n\nStart with `open_shop()`.\n",
    "src/shop/__init__.py": '"""A shop that sells things."""\n\nfrom shop.till import Till\n',
    "src/shop/till.py": (
        '"""The till."""\n\n\nclass Till:\n    """Takes money."""\n\n'
        "    def charge(self, amount: int, currency: str = 'EUR') -> int:\n"
        '        """Charge an amount."""\n        return amount\n'
    ),
    "src/shop/door.py": (
        "from shop.till import Till\n\n\ndef open_shop(name):\n"
        '    """Open the shop in the morning."""\n    return Till()\n'
    ),
    "tests/test_till.py": "from shop.till import Till\n\n\ndef test_charge():\n    assert Till().charge(1)\n",
    "vendor/lib.min.js": "function a(){}" * 50,
}


def forest(count: int) -> dict[str, str]:
    """Modules that use each other: more to say than any budget holds."""
    return {
        f"pkg{n % 7}/mod{n:03d}.py": (
            f"from pkg{(n + 1) % 7}.mod{(n * 3 + 1) % count:03d} import Part{(n * 3 + 1) % count:03d}\n\n\n"
            f"class Part{n:03d}:\n"
            f'    """Part number {n} of the forest."""\n\n'
            f"    def turn_part_{n:03d}(self, angle):\n        return Part{(n * 3 + 1) % count:03d}()\n"
        )
        for n in range(count)
    }


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return lab.plant(tmp_path / "shop", SHOP)  # type: ignore[arg-type]


def test_a_name_with_markup_makes_no_tag(tmp_path: Path) -> None:
    script = "<script>alert(1)<script>.js"
    manifest = {"name": "<b>shop", "description": "A <img src=x> shop.", "main": f"src/{script}"}
    member = {"name": "<u>till", "description": "The <i>till</i>."}
    files = {
        "package.json": json.dumps({**manifest, "workspaces": ["packages/*"]}),
        "packages/till/package.json": json.dumps(member),
        f"src/{script}": "function open_shop() {}\n",
        "packages/till/index.js": "function till() {}\n",
    }
    text = make(lab.plant(tmp_path / "shop", files))  # type: ignore[arg-type]
    prose = re.sub(r"(?ms)^```.*?^```|`[^`]*`|\\<", "", text)
    assert "\\<b>shop" in text and f"`src/{script}`" in text
    assert re.findall(r"<[A-Za-z/!?]", prose) == []


def make(root: Path, *args: str, **how: object) -> str:
    done = lab.run(root, "map", "--output", "-", *args, python=(), **how)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_plans_and_decisions_are_key_files_with_their_first_sentence(shop: Path) -> None:
    lab.plant(shop, {"SYSTEM-PLAN.md": "# Plan\n\nMoney flows from shop to till. Then home.\n"})
    lab.plant(shop, {"ARCHITECTURE.md": "# Parts\n\nTwo parts: till and door.\n"})
    lab.plant(shop, {"docs/adr/0001-db.md": "# 1. Use SQLite\n\nWe keep sales in one file.\n"})
    text = make(shop, "--tokens", "4000")
    assert "- `SYSTEM-PLAN.md`: architecture: Money flows from shop to till.\n" in text
    assert "- `ARCHITECTURE.md`: architecture: Two parts: till and door.\n" in text
    assert "- `docs/adr/0001-db.md`: architecture decisions: We keep sales in one file.\n" in text


def test_the_map_that_init_wrote_is_current_though_symbols_are_its_last_section(
    tmp_path: Path,
) -> None:
    lab.plant(tmp_path, {"a.py": 'def open_shop():\n    """Open it."""\n'})
    assert lab.run(tmp_path, "init", "--no-setup", python=()).returncode == 0
    assert "ok    .ctx/map.md: current" in lab.run(tmp_path, "doctor", python=()).stdout
    assert lab.run(tmp_path, "update", python=()).stderr == ""


def sections(text: str) -> list[str]:
    return re.findall(r"^## (.*)$", text, re.M)


def test_the_map_of_a_small_project_says_what_a_newcomer_asks(shop: Path) -> None:
    text = make(shop)
    assert text.startswith("# shop\n")
    assert "Python >=3.11" in text and "`pytest`" in text
    assert "class Till :4 — Takes money." in text
    assert "def charge(self, amount: int, currency: str = …) -> int :7" in text
    assert "def open_shop(name) :4 — Open the shop in the morning." in text
    assert sections(text) == [title for title in ctx.MAP_ORDER if title in sections(text)]


def test_tests_and_minified_files_lend_no_symbol(tmp_path: Path) -> None:
    text = make(lab.plant(tmp_path, {**SHOP, **forest(30)}))  # type: ignore[dict-item]
    assert "test_charge" not in text and "lib.min.js" not in text


def test_no_value_of_the_code_is_shown(shop: Path) -> None:
    assert "EUR" not in make(shop) + make(shop, "--json")


@pytest.mark.parametrize("budget", [100, 250, 700, 1500, 4000, 10_000])
def test_a_budget_is_never_exceeded_and_well_used(tmp_path: Path, budget: int) -> None:
    lab.plant(tmp_path, forest(400))  # type: ignore[arg-type]
    text = make(tmp_path, "--tokens", str(budget))
    used = ctx.estimate_tokens(text)
    assert used <= budget
    assert used >= 0.92 * budget
    assert f"{used} of {budget} tokens, counted with estimate." in text.splitlines()[-1]


def test_a_larger_budget_keeps_what_a_smaller_one_shows(tmp_path: Path) -> None:
    lab.plant(tmp_path, {**forest(400), **SHOP})  # type: ignore[dict-item]
    shown: set[str] = set()
    titles: set[str] = set()
    for budget in (300, 800, 2000, 6000):
        text = make(tmp_path, "--tokens", str(budget))
        now = set(re.findall(r"\bPart\d{3}\b|\bturn_part_\d{3}\b", text))
        assert shown <= now and titles <= set(sections(text))
        shown, titles = now, set(sections(text))


def test_a_tiny_project_is_not_padded(tmp_path: Path) -> None:
    lab.plant(tmp_path, {"one.py": "def only_one():\n    return 1\n"})
    small, large = make(tmp_path), make(tmp_path, "--tokens", "10000")
    assert small.replace("of 1500", "of 10000") == large
    assert ctx.estimate_tokens(large) < 200


def test_the_same_repository_gives_the_same_bytes(shop: Path, tmp_path: Path) -> None:
    wanted = make(shop)
    assert make(shop) == wanted
    shutil.rmtree(shop / ".ctx")
    assert make(shop, env={"PYTHONHASHSEED": "77"}) == wanted
    other = tmp_path / "elsewhere" / "shop"
    lab.plant(other, dict(reversed(SHOP.items())))  # type: ignore[arg-type]
    assert make(other) == wanted
    assert str(tmp_path) not in wanted


def test_focus_changes_the_order_and_an_unknown_one_is_refused(tmp_path: Path) -> None:
    lab.plant(tmp_path, forest(60))  # type: ignore[arg-type]
    assert make(tmp_path, "--focus", "pkg3") != make(tmp_path)
    assert make(tmp_path, "--focus", "Part007") != make(tmp_path)
    done = lab.run(tmp_path, "map", "--focus", "nowhere")
    assert done.returncode == 2 and "--focus nowhere: no such file" in done.stderr


def test_without_code_intelligence_the_files_are_listed(shop: Path) -> None:
    text = make(shop, "--no-code-intel")
    assert "till.py" in text and "Key Symbols" not in text
    assert make(shop, env={"CTX_MAP_CODE_INTEL": "false"}) == text


def test_json_holds_the_same_choice_with_scores(shop: Path) -> None:
    data = json.loads(make(shop, "--json"))
    assert data["name"] == "shop" and data["tokens"] <= data["budget"] == 1500
    first, second = data["symbols"][:2]
    assert first["name"] == "Till" and first["path"] == "src/shop/till.py"
    assert second["name"] == "open_shop"  # which the README names
    scores = [symbol["score"] for symbol in data["symbols"]]
    assert all(score > 0 for score in scores)
    assert [command["line"] for command in data["commands"] if command["verb"] == "test"] == [
        "pytest"
    ]


def test_diff_tells_what_came_and_went(shop: Path) -> None:
    assert lab.run(shop, "map", python=()).returncode == 0
    same = lab.run(shop, "map", "--diff", python=())
    assert (same.returncode, same.stdout) == (0, "nothing changed\n")
    (shop / "src/shop/door.py").write_text("def close_shop(name):\n    return name\n")
    changed = lab.run(shop, "map", "--diff", python=())
    assert changed.returncode == 0
    assert "gone or changed: def open_shop(name)\n" in changed.stdout


def test_the_map_file_keeps_still_until_an_agent_should_know_more(shop: Path) -> None:
    assert lab.run(shop, "init", "--no-setup", python=()).returncode == 0
    place = shop / ".ctx/map.md"
    written = place.read_text("utf-8")
    assert " :" not in written and "counted with" not in written
    door = shop / "src/shop/door.py"
    door.write_text("# a comment\n\n" + door.read_text("utf-8"))
    (shop / "src/shop/small.py").write_text("def helper():\n    pass\n")
    assert lab.run(shop, "update", "--check", python=()).returncode == 0
    assert lab.run(shop, "update", python=()).returncode == 0
    assert place.read_text("utf-8") == written
    assert (
        lab.run(shop, "map", python=()).returncode == 0
    )  # who asks for a map gets it as it is now
    assert "helper" in place.read_text("utf-8")
    place.write_text(written)
    door.write_text("def close_shop(name):\n    return name\n")
    checked = lab.run(shop, "update", "--check", python=())
    assert checked.returncode == 1 and "gone or changed: def open_shop(name)" in checked.stderr
    bare = lab.run(shop, "update", "--check")
    assert bare.returncode == 0 and "symbols not compared" in bare.stderr


def test_a_key_file_that_is_gone_makes_the_map_stale(shop: Path) -> None:
    lab.plant(shop, {"SYSTEM-PLAN.md": "# Plan\n\nMoney flows to the shop.\n"})
    assert lab.run(shop, "init", "--no-setup").returncode == 0
    assert "- `SYSTEM-PLAN.md`: " in (shop / ".ctx/map.md").read_text("utf-8")
    (shop / "SYSTEM-PLAN.md").unlink()
    checked = lab.run(shop, "update", "--check")
    assert checked.returncode == 1 and "gone: SYSTEM-PLAN.md" in checked.stderr


def test_a_map_just_written_has_lost_nothing(tmp_path: Path) -> None:
    members = "".join(f"  def {name}(k)\n  end\n" for name in ("[]=", "key?", "size=", "join"))
    ruby = f"class Table < Hash\n{members}end\n"
    script = "var res = Object.create(base);\nres.send = function send(body) { return this; };\n"
    script += "res.end = function end() { return this; };\nmodule.exports = res;\n"
    repo = lab.plant(tmp_path, {"lib/table.rb": ruby, "lib/response.js": script})
    for _ in range(2):
        lab.run(repo, "map", python=())
        assert lab.run(repo, "map", "--diff", python=()).stdout == "nothing changed\n"


@pytest.mark.parametrize(
    ("line", "settled"),
    [
        ("def run() :12 — Runs.", "def run() — Runs."),
        (".  823 files", ".  500+ files"),
        ("src/  12 Python files", "src/  10+ Python files"),
        ("docs/  docs, 1 file", "docs/  docs, 1 file"),
        ("…  and 34 more", "…  and 20+ more"),
    ],
)
def test_what_changes_by_itself_is_not_in_the_map_file(line: str, settled: str) -> None:
    assert ctx.settle_map(line) == settled


def test_the_map_file_is_not_touched_when_nothing_changed(shop: Path) -> None:
    assert lab.run(shop, "map", python=()).returncode == 0
    place = shop / ".ctx/map.md"
    os.utime(place, (1_000_000_000, 1_000_000_000))
    assert lab.run(shop, "map", python=()).returncode == 0
    assert place.stat().st_mtime == 1_000_000_000


def test_without_parsers_the_map_says_that_it_is_approximate(shop: Path) -> None:
    done = lab.run(shop, "map", "--output", "-")
    assert "class Till" in done.stdout and "approximate: no parsers" in done.stdout
    assert done.stderr.count("\n") == 1 and "setup" in done.stderr


def test_folders_may_be_as_deep_as_they_like() -> None:
    each = ctx.Definition(3, 4, "function", "run", "", "def run()", "", True)
    paths = ["d/" * depth + "a.py" for depth in range(1, 1500, 7)]
    picks = [ctx.Symbol(1.0, path, each, "name") for path in paths]
    assert len(ctx.render_symbols(picks)) >= len(paths)


def test_symbols_stand_below_their_files_and_folders() -> None:
    def pick(path: str, name: str, form: str, owner: str = "") -> ctx.Symbol:
        each = ctx.Definition(3, 4, "function", name, owner, f"def {name}(x)", "Does it.", True)
        return ctx.Symbol(1.0, path, each, form)

    picks = [
        pick("app.py", "start", "full"),
        pick("app.py", "stop", "name"),
        pick("a/rather/long/folder/Gate.java", "Gate", "name"),
        pick("a/rather/long/folder/door.py", "open_it", "full", owner="Door"),
        pick("a/rather/long/folder/of/very/old/locks/Lock.java", "turn", "name"),
        pick("a/rather/long/folder/of/very/old/locks/key.py", "fit", "full"),
        pick("a/rather/long/folder/of/very/old/locks/key.py", "cut", "name"),
        pick("a/rather/long/folder/user_role.rb", "UserRole", "name"),
        pick("a/rather/long/folder/Bolt.java", "Bolt", "name"),
        pick("solo.py", "alone", "name"),
    ]
    text = ctx.render_map(ctx.detect_facts([], {}), [], picks, "")
    assert "\na/rather/long/folder/\n  door.py\n" in text
    assert "\n  of/very/old/locks/\n    Lock.java: turn\n    key.py\n" in text
    assert "\n  *.java: Gate, Bolt\n  *.rb: UserRole\n" in text  # their files are named like them


def test_members_stand_with_their_owner() -> None:
    def pick(line: int, kind: str, name: str, form: str, owner: str = "") -> ctx.Symbol:
        each = ctx.Definition(line, line, kind, name, owner, f"{kind} {name}", "", True)
        return ctx.Symbol(1.0, "app.py", each, form)

    door = [pick(1, "class", "Door", "full"), pick(2, "method", "turn", "name", "Door")]
    gate = [pick(5, "method", "lift", "full", "Gate"), pick(4, "method", "drop", "name", "Gate")]
    wall = [pick(8, "method", "paint", "name", "Wall"), pick(7, "class", "Wall", "name")]
    roof = [pick(10, "method", "mend", "name", "Roof"), pick(11, "method", "tile", "name", "Roof")]
    lines = ctx.render_symbols([*door, *gate, *wall, *roof, pick(13, "function", "run", "name")])
    assert "".join(lines) == (
        "app.py\n  class Door :1\n    turn\n  Gate\n    method lift :5\n    drop\n"
        "  Wall.paint, Roof.{mend, tile}, run\n"
    )


def test_the_ledger_shows_how_attempts_went(shop: Path) -> None:
    lab.plant(shop, {"TASKS.md": "- [ ] T-1: Open the door\n- [ ] T-2: Sweep\n"})
    for task, status in (("T-1", "retry"), ("T-1", "retry"), ("T-2", "done")):
        assert lab.run(shop, "record", task, "--status", status).returncode == 0
    assert "Project Health" not in make(shop)
    text = make(shop, "--ledger")
    assert "- 3 attempts at 2 tasks, 1 of them open, 1.5 attempts on average" in text
    assert "- `T-1`: not done after 2 attempts" in text
    entry = {"attempts": [{"success": False}], "outcome": {"files_changed": ["src/shop/door.py"]}}
    lab.plant(shop, {".cub/ledger/by-task/C-7.json": json.dumps(entry)})
    text = make(shop, "--ledger")
    assert "- 4 attempts at 3 tasks, 2 of them open" in text and "- active: `src/shop`" in text
    assert "- `C-7`: not done after 1 attempt\n" in text


def test_a_copy_of_ctx_in_the_repository_is_no_part_of_the_project(shop: Path) -> None:
    wanted = make(shop)
    lab.copy_script(shop)
    assert make(shop) == wanted


def test_an_edit_that_a_ranking_cannot_see_ranks_nothing_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = lab.plant(tmp_path, SHOP)  # type: ignore[arg-type]
    project = ctx.Project(os.path.realpath(root), quiet=True)
    time.sleep(0.15)  # nothing is cached that depends on a file of this very moment
    first = ctx.make_map(project, 1500)
    till = root / "src/shop/till.py"
    till.write_text("\n\n" + till.read_text().replace("amount: int", "cents: int"))
    with monkeypatch.context() as patch:
        patch.setattr(ctx, "rank_files", None)
        moved = ctx.make_map(project, 1500)
    assert moved == first.replace("amount: int", "cents: int").replace(":4 — T", ":6 — T").replace(
        ":7 — Charge", ":9 — Charge"
    )
    till.write_text(till.read_text() + "\n\ndef count_money(till):\n    return till.charge(2)\n")
    changed = ctx.make_map(project, 1500)
    assert "count_money" in changed
    shutil.rmtree(root / ".ctx")
    assert ctx.make_map(project, 1500) == changed


def test_verbose_names_the_source_of_each_command(shop: Path) -> None:
    lab.plant(shop, {"CONTRIBUTING.md": "# Tests\n\n```sh\npytest\n```\n"})
    told = lab.run(shop, "map", "--output", "-", "--verbose").stderr
    assert "CONTRIBUTING.md:4: test `pytest`" in told
    assert "CONTRIBUTING.md" not in lab.run(shop, "map", "--output", "-").stderr


def test_relations_stand_below_the_folder_that_holds_them_and_never_break_a_name() -> None:
    long = [f"src/core/{'x' * 30}{number}" for number in range(5)]
    rows = [("src/web", ["src/db", "src/ui"]), ("cmd", ["src/web"]), ("src/ui", long)]
    lines = ctx.render_relations(rows)
    assert lines[0] == "src/\n  web -> db, ui\n" and lines[1].startswith("src/\n  ui -> core/")
    assert lines[-1] == "cmd -> src/web\n" and "…" not in "".join(lines)
    part = ctx.MapPart("How They Relate", [*lines, "src/\n  a -> b\n"], 1.0)
    facts = ctx.Facts((), (), (), (), (), (), {}, "x", "")
    shown = ctx.render_map(facts, [part], [], "")
    assert shown.count("src/\n") == 2  # of neighbours the folder is named once
    assert max(map(len, lines)) < 130


def test_a_copy_of_ctx_is_no_part_of_the_project(tmp_path: Path) -> None:
    root = lab.plant(tmp_path, {"app.py": "class Till:\n    pass\n"})
    for path in (root / "ctx.py", root / ".ctx/ctx.py"):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(lab.SCRIPT.read_bytes())
    vendored = [sys.executable, "-I", "-S", ".ctx/ctx.py", "map", "--output", "-"]
    done = subprocess.run(vendored, cwd=root, capture_output=True, text=True)
    assert "Till" in done.stdout and "ctx.py" not in done.stdout


def test_without_parsers_a_map_made_so_is_compared_and_refreshed(tmp_path: Path) -> None:
    root = lab.plant(tmp_path, {"app.py": "class Till:\n    pass\n"})
    assert lab.run(root, "init", "--no-setup").returncode == 0
    (root / "app.py").write_text("class Desk:\n    pass\n")
    checked = lab.run(root, "update", "--check")
    assert checked.returncode == 1 and "Till" in checked.stderr
    assert "not compared" not in checked.stderr
