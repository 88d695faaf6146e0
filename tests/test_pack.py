"""The context package and search: real files, real git, one process a run."""

import contextlib
import json
import sqlite3
from pathlib import Path

import pytest
from lab import git, plant, run, talk

import ctx

FILES: dict[str, bytes | str] = {
    "src/store.py": '"""Keeps orders."""\n\n\nclass OrderStore:\n    """All orders."""\n\n'
    "    def save_order(self, order):\n        return order\n\n"
    "    def cancel_order(self, order):\n        return None\n",
    "src/mail.py": '"""Sends mail."""\n\n\ndef send_mail(to, text):\n    return to, text\n',
    "src/shop.py": '"""The shop."""\n\nfrom src.store import OrderStore\n\n\n'
    "def checkout(cart):\n    return OrderStore().save_order(cart)\n",
    "tests/test_store.py": "from src.store import OrderStore\n\n\n"
    "def test_cancel_order():\n    assert OrderStore().cancel_order(1) is None\n",
    "docs/mail.md": "# Mail\n\nHow `send_mail` sends mail.\n",
    "settings.yaml": "mail:\n  password: hunter2hunter2\n",
}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    root = plant(tmp_path / "shop", FILES)
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "orders and mail")
    return root


def pack(root: Path, *args: str) -> dict[str, object]:
    done = run(root, "pack", *args, "--json")
    assert talk(done) == ""
    found: dict[str, object] = json.loads(done.stdout)
    return found


def paths(package: dict[str, object]) -> list[str]:
    files = package["files"]
    assert isinstance(files, list)
    return [each["path"] for each in files]


def test_words_are_found_by_their_parts_and_stems() -> None:
    assert ctx.word_forms("parseHTTPHeaders2") == ("pars", "http", "head", "parsehttpheaders2")
    for word in ("validation", "validate", "validates", "validating", "validators"):
        assert ctx.stem(word) == "valid"
    for word in ("queries", "running", "caches", "string", "class", "status"):
        assert word.startswith(ctx.stem(word))


def test_scripts_without_blanks_are_found_by_pairs() -> None:
    assert ctx.word_forms("設定を") == ("設定", "定を")
    assert ctx.find_task_words("設定を") == {"設定": "設定", "定を": "定を"}  # a file may hold one


def test_a_task_is_taken_apart() -> None:
    text = (
        'Fix crash in `Parser.parse_block`\n\nFile "/x/lib/core/lexer.py", line 3: KeyError, '
        'it says "no such token here" with --strict; see app.util and ../../etc/passwd'
    )
    known = ["core/lexer.py", "app/util.py", "lexer.txt"]
    hints = ctx.parse_hints(text, known)
    assert hints.paths == ("core/lexer.py", "app/util.py")
    assert hints.names[:2] == ("Parser", "parse_block")
    assert hints.action == "fix"
    assert hints.words["crash"] > hints.words["token"]


def test_a_part_of_a_name_that_says_nothing_is_no_word_of_the_task() -> None:
    words = ctx.parse_hints("Repair `url_for`", []).words
    assert {"url", "urlfor"} <= words.keys() and "for" not in words


def test_a_name_that_fits_many_files_means_none() -> None:
    eight = [f"p{number}/index.js" for number in range(8)]
    assert ctx.find_named_paths("see index.js", eight) == tuple(eight)
    assert ctx.find_named_paths("see index.js", [*eight, "q/index.js"]) == ()
    assert ctx.find_named_paths("see q/index.js", [*eight, "q/index.js"]) == ("q/index.js",)


def test_a_task_says_less_line_by_line() -> None:
    weights = ctx.parse_hints("door\nwindow\nroof\n" + "\n" * 40 + "cellar", []).words
    assert weights["door"] > weights["window"] > weights["roof"] > weights["cellar"] > 0


@pytest.mark.parametrize(
    ("title", "action"),
    [
        ("Add a limit to the cache; add tests", "implement"),
        ("Check the name and raise an error otherwise", "implement"),
        ("Raise an error if the name is empty", "implement"),
        ("TypeError when the name is empty", "fix"),
        ("Add tests for the parser", "test"),
        ("Document the parser. Fix nothing", "document"),
        ("The sky is blue", ""),
    ],
)
def test_the_action_is_what_the_title_asks_for(title: str, action: str) -> None:
    assert ctx.parse_hints(f"{title}\n\nfix the docs, add tests", []).action == action


@pytest.mark.parametrize(
    "extra", ["; add tests", ", with tests", " and add unit tests for it", ". Update the docs"]
)
def test_the_tests_and_docs_that_come_along_are_not_the_task(shop: Path, extra: str) -> None:
    title = "cancel_order should return the order"
    assert ctx.parse_hints(title + extra, []).title == ctx.parse_hints(title, []).title
    assert paths(pack(shop, title + extra)) == paths(pack(shop, title))


def test_a_task_that_is_about_tests_stays_one() -> None:
    assert "test" in ctx.parse_hints("Add tests", []).title


def test_a_method_is_no_file_named_like_it() -> None:
    known = ["test/res.send.js", "lib/core/lexer.py"]
    assert ctx.parse_hints("res.send() hangs", known).paths == ()
    assert ctx.parse_hints("core.lexer drops res.send.js", known).paths == (
        "lib/core/lexer.py",
        "test/res.send.js",
    )


def test_the_members_of_a_class_that_the_task_names_come_with_it() -> None:
    methods = [
        ctx.Definition(first, first + 9, "method", "open", owner, "", "", True)
        for first, owner in ((1, "Basket"), (11, "Parcel"))
    ]
    lines = ["the door", *["pass"] * 9] * 2
    hits = {"a.py": {1: {"door": 1}, 11: {"door": 1}}}
    worth, scores = {"door": 1.0}, {"a.py": 1.0}
    task = ctx.Evidence(ctx.Hints(names=("Parcel",), words=worth), {}, worth, hits, scores)
    blocks = ctx.cut_blocks("a.py", lines, methods)
    basket, parcel = ctx.score_blocks(blocks, {"a.py": lines}, task)
    assert parcel.score > basket.score > 0


def test_an_ordinary_word_is_no_identifier() -> None:
    assert ctx.find_identifiers("Implement the parser and call run_all() on HttpServer") == [
        "run_all",
        "HttpServer",
    ]


def test_changed_lines_are_found() -> None:
    assert ctx.find_changed_lines("a\nb\nc\n", "a\nB\nc\nd\n") == [(2, 2), (4, 4)]
    assert ctx.find_changed_lines("", "a\nb\n") == [(1, 2)]
    assert ctx.find_changed_lines("a\n", "a\n") == []


def test_the_file_that_defines_a_name_comes_first(shop: Path) -> None:
    package = pack(shop, "cancel_order should return the order")
    assert paths(package)[0] == "src/store.py"
    files = package["files"]
    assert isinstance(files, list)
    assert "cancel_order" in files[0]["symbols"]
    assert files[0]["reason"] == "defines cancel_order, which the task names"
    assert all(0 <= each["score"] <= 1 for each in files)
    assert len(set(paths(package))) == len(files)
    assert package["metadata"] == {
        "git_sha": git(shop, "rev-parse", "HEAD").strip(),
        "outside_role": [],
    }


def test_an_identifier_that_few_files_hold_decides_which_leads(shop: Path) -> None:
    talk = "def send(mail):\n    # a slow mail of a shop, an order of mail, a shop that cancels\n"
    plant(shop, {"src/options.py": 'KEYS = ("max_wait_per_child",)\n', "src/talk.py": talk * 5})
    task = "max_wait_per_child is wrong when the mail of an order is slow and a shop cancels"
    assert paths(pack(shop, task))[0] == "src/options.py"
    same = task.replace("max_wait_per_child", "it")
    assert paths(pack(shop, same))[0] != "src/options.py"


def test_a_file_that_holds_a_message_which_the_task_quotes_leads(shop: Path) -> None:
    plant(shop, {"src/z.py": 'def check(x):\n    raise ValueError("no such parcel here")\n'})
    task = 'Cancelling an order of the store by mail fails with "no such parcel here"'
    files = pack(shop, task)["files"]
    assert isinstance(files, list) and files[0]["path"] == "src/z.py"


def test_a_file_that_uses_what_the_task_names_says_so(shop: Path) -> None:
    plant(shop, {"src/bills.py": 'def read_limit(config):\n    return config["BILL_LIMIT"]\n'})
    files = pack(shop, "Raise BILL_LIMIT for shops")["files"]
    assert isinstance(files, list)
    assert files[0]["path"] == "src/bills.py"
    assert files[0]["reason"] == "uses BILL_LIMIT, which the task names"


def test_a_reason_names_only_what_stands_in_the_file(shop: Path) -> None:
    parts = {"src/parts.py": "def read(json, kind):\n    return getattr(json, kind)\n"}
    whole = {
        "src/whole.py": "class JsonKind:\n    def __getattr__(self, name):\n        return 1\n"
    }
    plant(shop, {**parts, **whole})
    files = pack(shop, "JsonKind and `__getattr__` go wrong")["files"]
    assert isinstance(files, list)
    reasons = {file["path"]: file["reason"] for file in files}
    assert reasons["src/whole.py"].startswith("defines __getattr__ and JsonKind")
    assert not {"JsonKind", "__getattr__"} & {*reasons["src/parts.py"].replace(",", "").split()}


def test_what_is_no_text_is_not_in_a_package(shop: Path) -> None:
    plant(shop, {"src/stamp.png": b"\x89PNG\r\n\x1a\n\0\0", "src/stamp.py": "STAMP = 1\n"})
    assert paths(pack(shop, "The stamp is wrong"))[:1] == ["src/stamp.py"]
    assert "src/stamp.png" not in paths(pack(shop, "The stamp is wrong"))


def test_a_second_run_and_a_run_without_cache_say_the_same(shop: Path) -> None:
    first = run(shop, "pack", "mail after checkout")
    again = run(shop, "pack", "mail after checkout")
    (shop / ".ctx/cache").rename(shop.parent / "gone")
    (shop / ".ctx/cache").write_text("no folder")
    without = run(shop, "pack", "mail after checkout")
    assert first.stdout == again.stdout == without.stdout != ""


def test_a_changed_file_is_counted_anew(shop: Path) -> None:
    assert run(shop, "search", "zeppelin").returncode == 1
    plant(shop, {"src/mail.py": "def zeppelin():\n    return 1\n"})
    (shop / "src/shop.py").unlink()
    assert "src/mail.py" in run(shop, "search", "zeppelin").stdout
    assert "src/shop.py" not in run(shop, "search", "checkout").stdout


@pytest.mark.parametrize("budget", [100, 300, 1000])
def test_a_budget_is_a_ceiling(shop: Path, budget: int) -> None:
    text = run(shop, "pack", "cancel an order by mail", "--tokens", str(budget)).stdout
    assert ctx.estimate_tokens(text) <= budget
    assert f"of {budget} tokens" in text


def test_the_budget_is_used_and_no_line_stands_twice(shop: Path) -> None:
    body = "\n".join(f"    order.item_{n} = mail_{n}" for n in range(20))
    plant(shop, {"src/big.py": "\n".join(f"def order_{n}(x):\n{body}\n" for n in range(60))})
    package = pack(shop, "order_7 by mail", "--tokens", "2000")
    assert 0.92 * 2000 <= package["tokens"] <= 2000  # type: ignore[operator]
    (big,) = [each for each in package["files"] if each["path"] == "src/big.py"]  # type: ignore[attr-defined]
    text, lines = str(package["text"]), (shop / "src/big.py").read_text().split("\n")
    assert "def order_7(x):" in text and "src/big.py" in text
    shown = [n for first, last in big["spans"] for n in range(first, last + 1)]
    assert len(shown) == len(set(shown))
    assert all(lines[n - 1] in text for n in shown)


def test_forms_get_smaller_with_the_budget(shop: Path) -> None:
    plant(shop, {"src/big.py": "\n".join(f"def order_{n}(x):\n    return x\n" for n in range(300))})
    wide = pack(shop, "order_7 of big", "--tokens", "50000")
    small = pack(shop, "order_7 of big", "--tokens", "900")
    forms = [
        next(each["form"] for each in package["files"] if each["path"] == "src/big.py")  # type: ignore[attr-defined]
        for package in (wide, small)
    ]
    assert forms == ["whole", "code"]


def test_a_domain_that_the_task_names_lifts_its_folder(shop: Path) -> None:
    plant(shop, {"api/hooks.py": "def check_order():\n    return 1\n"})
    plant(shop, {"web/hooks.py": "def check_order():\n    return 2\n"})
    assert paths(pack(shop, "check_order of billing fails"))[0] == "api/hooks.py"
    plant(shop, {".ctx/config.toml": '[domains]\n"web/" = "billing"\n'})
    assert paths(pack(shop, "check_order of billing fails"))[0] == "web/hooks.py"


def test_values_of_configuration_and_secrets_stay_inside(shop: Path) -> None:
    plant(shop, {"src/conn.py": "PASSWORD = 'hunter3hunter3'\n", ".env": "MAIL=hunter4hunter4\n"})
    for args in (["pack", "mail password connection"], ["search", "password", "mail"]):
        for form in ([], ["--json"]):
            assert "hunter" not in run(shop, *args, *form).stdout


def test_a_role_sees_only_its_paths(shop: Path) -> None:
    plant(shop, {".ctx/config.toml": '[roles.writer]\npaths = ["docs/**"]\n'})
    done = run(shop, "pack", "mail in src/mail.py", "--role", "writer", "--json")
    package = json.loads(done.stdout)
    assert paths(package) == ["docs/mail.md"]
    assert package["metadata"]["outside_role"] == ["src/mail.py"]
    assert "may not see src/mail.py" in done.stderr
    plant(shop, {"src/store.py": (shop / "src/store.py").read_text().replace("None", "order")})
    for flags in (["--files", "src/mail.py"], ["--diff", "HEAD"]):
        done = run(shop, "pack", "mail", "--role", "writer", "--json", *flags)
        assert paths(json.loads(done.stdout)) == ["docs/mail.md"] and "may not see" in done.stderr
    wrong = run(shop, "pack", "mail", "--role", "writers")
    assert wrong.returncode == 2 and "did you mean writer?" in wrong.stderr


@pytest.mark.parametrize("tokens", [100, 150, 4000])
def test_a_summary_names_as_many_files_as_fit_and_their_dependencies(
    shop: Path, tokens: int
) -> None:
    package = pack(shop, "cancel_order of OrderStore", "--summary", "--tokens", str(tokens))
    names = paths(package)
    assert names[0] == "src/store.py" and (tokens < 4000 or "src/shop.py" in names)
    edges: list[dict[str, str]] = package["dependencies"]  # type: ignore[assignment]
    assert all({edge["from"], edge["to"]} <= {*names} for edge in edges)
    assert ({"from": "src/shop.py", "to": "src/store.py"} in edges) == ("src/shop.py" in names)


def test_pinned_files_come_first(shop: Path) -> None:
    assert paths(pack(shop, "cancel_order", "--files", "src/mail.py"))[0] == "src/mail.py"
    for text in ([], ["cancel_order"]):  # with a task or without, its code is what was asked for
        assert (
            "def send_mail(to, text):" in run(shop, "pack", *text, "--files", "src/mail.py").stdout
        )
    outside = run(shop, "pack", "x", "--files", "../../etc/passwd")
    assert outside.returncode == 2
    assert run(shop, "pack", "x", "--files", "src/none.py").returncode == 2


def test_a_review_package_holds_what_changed_its_users_and_tests(shop: Path) -> None:
    source = (shop / "src/store.py").read_text()
    plant(shop, {"src/store.py": source.replace("return None", "return order")})
    package = pack(shop, "--diff", "HEAD")
    files = package["files"]
    assert isinstance(files, list)
    assert files[0]["path"] == "src/store.py" and "cancel_order" in files[0]["symbols"]
    assert "tests/test_store.py" in paths(package)
    for ref in ("nowhere", "--output=x", "HEAD:src/store.py"):
        assert run(shop, "pack", "--diff", ref).returncode == 2


def test_a_summary_has_task_size_key_files_and_dependencies(shop: Path) -> None:
    text = run(shop, "pack", "cancel_order", "--summary", "--tokens", "900").stdout
    assert text.startswith("Task: cancel_order\n") and "of 900 tokens. Start here;" in text
    key_files, dependencies = text.partition("### Key files\n")[2].split("### Dependencies\n")
    assert key_files.lstrip().startswith("- `src/store.py`: defines cancel_order, which the task")
    assert "OrderStore.cancel_order :10" in key_files
    assert "- src/shop.py -> src/store.py" in dependencies


def test_a_summary_keeps_to_role_files_and_json(shop: Path) -> None:
    plant(shop, {".ctx/config.toml": '[roles.tester]\npaths = ["tests/**", "src/mail.py"]\n'})
    ask = ["cancel_order", "--summary", "--role", "tester", "--files", "src/mail.py"]
    package = pack(shop, *ask)
    assert paths(package) == ["src/mail.py", "tests/test_store.py"]
    assert "This is the code to test" in str(package["text"])


def test_a_summary_names_the_words_and_the_lines(shop: Path) -> None:
    text = run(shop, "pack", "an order that somebody cancels stays", "--summary").stdout
    best = next(line for line in text.splitlines() if line.startswith("- "))
    assert best.startswith("- `src/store.py`: mentions cancels")
    assert "OrderStore.cancel_order :10" in best


def test_the_tasks_own_file_is_no_part_of_its_package(shop: Path) -> None:
    plant(shop, {"TASKS.md": "- [ ] T-1: Make cancel_order tell who cancelled it\n"})
    assert "TASKS.md" not in paths(pack(shop, "T-1"))
    assert "TASKS.md" in paths(pack(shop, "T-1", "--files", "TASKS.md"))


def test_a_stale_index_is_taken_as_it_is_if_the_caller_says_so(shop: Path) -> None:
    project = ctx.Project(str(shop), quiet=True)
    assert ctx.make_pack_summary(project, "cancel_order", stale_ok=True) == ""
    whole = ctx.make_pack_summary(project, "cancel_order")
    plant(shop, {"src/mail.py": "def cancel_order_by_mail():\n    return 1\n"})
    (shop / "src/shop.py").unlink()
    quick = ctx.make_pack_summary(project, "cancel_order", stale_ok=True)
    assert "`src/store.py`" in whole and "`src/store.py`" in quick
    assert "shop.py" in whole and "shop.py" not in quick and "by_mail" not in quick
    with contextlib.closing(sqlite3.connect(next(shop.glob(".ctx/cache/*.db")))) as store:
        store.execute("UPDATE cache SET state = 'made elsewhere' WHERE kind = 'version'")
        store.commit()  # as by a Python with other packages
    assert ctx.make_pack_summary(project, "cancel_order", stale_ok=True) == quick


def test_tests_are_parsed_once_a_package_shows_them(shop: Path) -> None:
    sources = {f"src/part{at}.py": f"def part{at}(): ...\n" for at in range(5)}
    rain = "def test_rain():\n    assert weather() == 1\n"
    plant(shop, {**sources, "tests/test_rain.py": rain})
    cold = pack(shop, "cancel_order")
    project = ctx.Project(str(shop), quiet=True)
    parsed = ctx.open_cache(project, stale_ok=True).list_keys("tags")
    assert {"src/part4.py", "tests/test_store.py"} < {
        *parsed
    } and "tests/test_rain.py" not in parsed
    assert "test_rain" in pack(shop, "the weather of rain")["files"][0]["symbols"]
    assert pack(shop, "cancel_order") == cold
    assert run(shop, "scan", "--json").returncode == 0 and pack(shop, "cancel_order") == cold


def test_a_budget_may_be_in_bytes(shop: Path) -> None:
    project = ctx.Project(str(shop), quiet=True)
    request = ctx.Request("cancel_order", 700, form="part", measure=lambda text: len(text.encode()))
    package = ctx.make_pack(project, request)
    assert "def cancel_order" in package.text
    assert len(package.text.encode()) == package.size <= 700


def test_links_outlive_an_edit_that_changes_none(shop: Path) -> None:
    project = ctx.Project(str(shop), quiet=True)
    before = ctx.read_neighbours(
        ctx.read_word_index(project, ctx.list_files(project)), ["src/shop.py", "src/store.py"]
    )
    assert before[0]["src/shop.py"].keys() == {"src/store.py"}
    assert before[1]["src/store.py"].keys() == {"src/shop.py", "tests/test_store.py"}
    source = (shop / "src/mail.py").read_text()
    plant(shop, {"src/mail.py": f"{source}# done\n"})
    assert (
        ctx.read_neighbours(ctx.read_word_index(project, ctx.list_files(project)), before[0])
        == before
    )


def test_an_explanation_names_the_blocks(shop: Path) -> None:
    text = run(shop, "pack", "Fix cancel_order", "--explain").stdout
    taken = text.partition("Blocks taken\n")[2]
    assert "src/store.py:4-11 OrderStore: its words and names match" in taken


def test_search_shows_lines_and_symbols(shop: Path) -> None:
    found = json.loads(run(shop, "search", "cancel", "order", "--json").stdout)["files"]
    assert found[0]["path"] == "src/store.py"
    assert found[0]["symbols"][0]["name"] == "cancel_order"
    assert any("cancel_order" in line["text"] for line in found[0]["lines"])
    plant(shop, {"src/tab.go": "package tab\n\n//\tprivateTab is indented\nvar privateTab = 1\n"})
    assert "3: // privateTab is" in run(shop, "search", "privateTab").stdout


@pytest.mark.parametrize(
    "text",
    ["", "   ", "the of and", "zzqqxx", "\udcff\udcfe", "設定を変更する", "../../etc/passwd", "-"],
)
def test_bad_input_is_an_answer_or_a_no(shop: Path, text: str) -> None:
    for verb in ("pack", "search"):
        done = run(shop, verb, text)
        is_empty = verb == "pack" and not text.strip(" -")
        assert done.returncode in ((2,) if is_empty else (0, 1)), done.stderr
        assert "Traceback" not in done.stderr


def test_a_long_text_is_understood_quickly() -> None:
    import time

    text = "fix the Parser of src/a.py\n" + "word_of_many `quoted` other.thing " * 150_000
    start = time.process_time()
    ctx.parse_hints(text, ["src/a.py"])
    assert time.process_time() - start < 0.5  # a loaded machine; 0.05 on an idle one


def test_without_git_the_package_is_made_from_the_rest(tmp_path: Path) -> None:
    root = plant(tmp_path / "plain", FILES)
    assert paths(pack(root, "cancel_order"))[0] == "src/store.py"


def test_a_damaged_word_cache_is_made_anew(shop: Path) -> None:
    whole = run(shop, "pack", "cancel_order").stdout
    (place,) = (shop / ".ctx/cache").glob("*.db")
    for damage in (b"junk", place.read_bytes()[:3000] + b"\xff" * 9000):
        place.write_bytes(damage)
        assert run(shop, "pack", "cancel_order").stdout == whole


def test_a_test_beside_the_code_gives_way_to_it(tmp_path: Path) -> None:
    body = "\n".join(f"    let range_{n} = parse_range({n});" for n in range(24))
    code = f"pub fn parse_range(text: &str) -> Range {{\n{body}\n}}\n\n"
    checks = f"#[test]\nfn test_parse_range_is_empty() {{\n{body}\n}}\n"
    plant(tmp_path, {"src/range.rs": code + checks, "src/main.rs": "fn main() {}\n"})
    git(tmp_path, "init", "-q")

    task = "parse_range panics on an empty range"
    shown = json.loads(run(tmp_path, "pack", task, "--tokens", "450", "--json").stdout)
    spans = next(file["spans"] for file in shown["files"] if file["path"] == "src/range.rs")
    assert spans[0][0] == 1 and spans[-1][1] < 30


def test_the_best_match_is_never_explained_by_the_best_matches(shop: Path) -> None:
    first = json.loads(run(shop, "pack", "orders", "--json").stdout)["files"][0]
    assert "best match" not in first["reason"] and "a match" not in first["reason"]


def test_a_part_of_a_file_is_marked_as_one_and_hidden_values_are_told() -> None:
    lines = ["def a():", "    pass", "", "password = 'swordfish'"]
    whole = [ctx.Block("a.py", 1, 4, None, 50)]
    assert ctx.render_code(lines[:2], [ctx.Block("a.py", 1, 2, None, 20)]) == "def a():\n    pass"
    assert ctx.render_code(lines, [ctx.Block("a.py", 1, 2, None, 20)]).startswith("@@ 1-2 @@\ndef")
    told = "password = '…'\n@@ … stands for what looks like a credential @@"
    assert ctx.render_code(lines, whole).endswith(told)


def test_a_function_that_is_cut_says_where_it_ends() -> None:
    lines = [f"line {number}" for number in range(1, 41)]
    function = ctx.Definition(1, 30, "function", "render", "", "def render()", "", True)
    first = ctx.Block("a.py", 1, 10, function, 80)
    assert ctx.render_code(lines, [first]).startswith("@@ 1-10 @@ (render goes on to line 30)\n")
    rest = [first, ctx.Block("a.py", 11, 30, function, 160)]
    assert ctx.render_code(lines, rest).startswith("@@ 1-30 @@\n")
    part = ctx.Block("a.py", 5, 9, function, 40)
    mark = "@@ 5-9 @@ render (goes on to line 30)\n"
    assert ctx.render_code(lines, [part]).startswith(mark)


def test_a_reason_does_not_take_a_comment_for_a_use_nor_one_word_for_another(shop: Path) -> None:
    notes = "def weigh(parcel):\n    # not BILL_LIMIT\n    return parcel.authority + parcel.bill\n"
    plant(shop, {"src/notes.py": notes, "src/b.py": "BILL_LIMIT = 1\nauthorization = BILL_LIMIT\n"})
    files = pack(shop, "authorization of a bill ignores BILL_LIMIT")["files"]
    assert isinstance(files, list)
    reasons = {file["path"]: file["reason"] for file in files}
    assert "uses" not in reasons["src/notes.py"]
    assert "authorization" not in reasons["src/notes.py"]


def test_what_is_shown_as_code_is_not_listed_again(shop: Path) -> None:
    body = "".join(f"LIMIT_{n} = {n}\n" for n in range(6)) + "def cancel_limit():\n    return 1\n"
    plant(shop, {"src/limits.py": body})
    text = str(pack(shop, "cancel_limit and LIMIT_3 are wrong")["text"])
    part = text.partition("`src/limits.py`")[2].partition("\n## ")[0]
    assert "LIMIT_3 = 3" in part and "Also there" not in part


def test_a_name_may_end_in_a_mark() -> None:
    assert "changed?" in ctx.find_identifiers("`Ecto.Changeset.changed?(x)` is wrong")
    assert "save!" in ctx.find_identifiers("call `save!`")
    assert "bar" in ctx.find_identifiers("what of foo.bar?")


def test_only_imports_are_dependencies(tmp_path: Path) -> None:
    files: dict[str, bytes | str] = {
        "index.js": "export function order(mapper) {\n  return mapper(1)\n}\n",
        "test.js": "import { order } from './index.js'\nexport const mapper = n => order(n)\n",
    }
    project = ctx.Project(str(plant(tmp_path.resolve(), files)), quiet=True)
    package = ctx.make_pack(project, ctx.Request("order mapper", 900, ("index.js", "test.js")))
    assert package.dependencies == (("test.js", "index.js"),)


@pytest.mark.parametrize(
    ("title", "action"),
    [
        ("Comment inside an object breaks the writer", "fix"),
        ("Timeout is ignored by send()", "fix"),
        ("Document the retry flag", "document"),
        ("Add comments to the parser", "document"),
        ("Add a comment field to orders", "implement"),
    ],
)
def test_a_title_says_what_is_asked(title: str, action: str) -> None:
    assert ctx.parse_hints(title, []).action == action


def test_words_that_only_begin_alike_are_not_the_same() -> None:
    stems = {word: ctx.stem(word) for word in ("comment", "commit", "generate", "generics")}
    assert len({*stems.values()}) == 4
    for one, other in (("parser", "parsing"), ("connections", "connected"), ("types", "typed")):
        assert ctx.stem(one) == ctx.stem(other), (one, other)


def test_a_word_with_an_accent_is_one_word() -> None:
    assert ctx.word_forms("Grüße") == ("grüße",) and ctx.word_forms("setÉtat") == (
        "set",
        "état",
        "setétat",
    )


def test_a_stem_keeps_short_words_whole() -> None:
    assert [ctx.stem(word) for word in ("commit", "audit", "limit")] == ["commit", "audit", "limit"]
    assert ctx.stem("committed") == ctx.stem("commits") == ctx.stem("commit")


def test_a_word_whose_stem_is_a_usual_word_is_none(tmp_path: Path) -> None:
    assert ctx.parse_hints("delete notes of url_for", []).words.keys() >= {"delet", "not", "url"}
    assert "for" not in ctx.parse_hints("delete notes of url_for", []).words


def test_in_a_small_project_usual_words_are_enough(tmp_path: Path) -> None:
    (tmp_path / "lib.go").write_text("package lib\n\nfunc Add(a, b int) int { return a + b }\n")
    text = run(tmp_path, "pack", "Add subtract next to Add").stdout
    assert "func Add(a, b int)" in text
