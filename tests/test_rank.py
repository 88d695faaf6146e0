"""RANK: references find what they mean, PageRank converges, symbols are ordered for a reader."""

import math
from array import array

import pytest

import ctx


def define(name: str, line: int = 1, kind: str = "function", **more: object) -> ctx.Definition:
    values = {"owner": "", "signature": name, "doc": "", "exported": True} | more
    return ctx.Definition(line, line + 1, kind, name, **values)  # type: ignore[arg-type]


def tags(*definitions: ctx.Definition, refs: dict[str, int] | None = None) -> ctx.FileTags:
    return ctx.FileTags(definitions, refs or {}, (), "")


def links(
    files: dict[str, ctx.FileTags],
    imports: dict[str, list[str]] | None = None,
    weights: dict[str, float] | None = None,
) -> ctx.Links:
    return ctx.build_links(
        files, imports or {}, weights or {}, {path: path.rpartition(".")[2] for path in files}
    )


def targets(found: ctx.Links, path: str) -> dict[str, float]:
    numbers, strengths = found.mentions[path]
    names = [":".join(found.symbols[number]) for number in numbers]
    return dict(zip(names, strengths, strict=True))


def test_a_reference_means_the_imported_definition_before_any_other() -> None:
    files = {
        "app/main.py": tags(refs={"load_user": 1}),
        "app/near.py": tags(define("load_user")),
        "lib/users.py": tags(define("load_user")),
    }
    found = targets(links(files, {"app/main.py": ["lib/users.py"]}), "app/main.py")
    assert list(found) == ["lib/users.py:load_user"]


def test_a_reference_means_its_own_folder_before_the_rest() -> None:
    files = {
        "app/main.py": tags(refs={"load_user": 1}),
        "app/near.py": tags(define("load_user")),
        "lib/users.py": tags(define("load_user")),
    }
    assert list(targets(links(files), "app/main.py")) == ["app/near.py:load_user"]


def test_what_a_package_reexports_counts_as_imported() -> None:
    files = {
        "cli.py": tags(refs={"load_user": 1}),
        "lib/__init__.py": tags(),
        "lib/users.py": tags(define("load_user")),
        "other/users.py": tags(define("load_user")),
    }
    imports = {"cli.py": ["lib/__init__.py"], "lib/__init__.py": ["lib/users.py"]}
    assert list(targets(links(files, imports), "cli.py")) == ["lib/users.py:load_user"]


def test_equal_candidates_share_a_reference_and_many_of_them_fade() -> None:
    few = {"a/x.py": tags(refs={"make_thing": 1})} | {
        f"b{n}/y.py": tags(define("make_thing")) for n in range(2)
    }
    many = {"a/x.py": tags(refs={"make_thing": 1})} | {
        f"b{n}/y.py": tags(define("make_thing")) for n in range(20)
    }
    shares = set(targets(links(few), "a/x.py").values())
    assert len(shares) == 1
    total_few = sum(targets(links(few), "a/x.py").values())
    total_many = sum(targets(links(many), "a/x.py").values())
    assert total_many < total_few / 2


def test_a_name_defined_in_the_file_itself_says_nothing_of_others() -> None:
    files = {"a.py": tags(define("helper"), refs={"helper": 9}), "b.py": tags(define("helper"))}
    assert targets(links(files), "a.py") == {}


def test_languages_do_not_refer_to_each_other() -> None:
    files = {"a.py": tags(refs={"render_page": 1}), "b.js": tags(define("render_page"))}
    assert targets(links(files), "a.py") == {}


def test_short_plain_words_link_less_than_telling_names() -> None:
    files = {
        "a.py": tags(refs={"run": 1, "run_migrations": 1}),
        "b.py": tags(define("run"), define("run_migrations", 5)),
    }
    found = targets(links(files), "a.py")
    assert found["b.py:run"] < found["b.py:run_migrations"] / 2


def test_pagerank_is_the_fixed_point_of_its_equation() -> None:
    files = {
        "a.py": tags(define("alpha_one"), refs={"beta_two": 3, "gamma_three": 1}),
        "b.py": tags(define("beta_two"), refs={"gamma_three": 1}),
        "c.py": tags(define("gamma_three"), refs={"alpha_one": 2}),
    }
    found = links(files)
    ranks = ctx.rank_files(found, {})
    assert math.isclose(sum(ranks.values()), 1.0)
    for path in files:
        flow = 0.0
        for source in files:
            out = targets(found, source)
            here = sum(weight for key, weight in out.items() if key.startswith(path + ":"))
            flow += ranks[source] * here / sum(out.values())
        assert math.isclose(ranks[path], 0.15 / 3 + 0.85 * flow, abs_tol=1e-4)


def test_focus_moves_the_ranks_to_what_it_depends_on() -> None:
    files = {
        "a.py": tags(refs={"beta_two": 1}),
        "b.py": tags(define("beta_two")),
        "c.py": tags(refs={"delta_four": 1}),
        "d.py": tags(define("delta_four")),
    }
    found = links(files)
    plain, focused = ctx.rank_files(found, {}), ctx.rank_files(found, {"a.py": 1.0})
    assert math.isclose(plain["b.py"], plain["d.py"])
    assert focused["b.py"] > 0.3 and focused["d.py"] == 0.0


def ranked(files: dict[str, ctx.FileTags], *guides: ctx.FileTags) -> list[str]:
    found = links(files, weights={path: 0.05 if "test" in path else 1.0 for path in files})
    symbols = ctx.rank_symbols(found, ctx.rank_files(found, {}), files, guides)
    return [symbol.definition.name for symbol in symbols]


MANY = tuple(define(f"filler_{n}", 10 * n + 100) for n in range(20))


def test_a_symbol_that_others_use_comes_before_one_that_nobody_does() -> None:
    files = {
        "core.py": tags(define("unused_thing"), define("used_thing", 9)),
        "app.py": tags(*MANY, refs={"used_thing": 4}),
    }
    names = ranked(files)
    assert names.index("used_thing") < names.index("unused_thing")


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (define("open_door"), define("_open_door", 9, exported=False)),
        (define("Door", kind="class"), define("get_door", 9, kind="method", owner="Door")),
        (define("make_door", doc="Makes a door."), define("move_door", 9)),
        (define("door_size"), define("__door__", 9)),
        (define("use_door"), define("Dummy", 9, kind="class", owner="tests")),
    ],
)
def test_what_a_reader_needs_comes_first(better: ctx.Definition, worse: ctx.Definition) -> None:
    names = ranked({"core.py": tags(better, worse, *MANY)})
    assert names.index(better.name) < names.index(worse.name)


def test_members_of_a_hidden_type_are_hidden() -> None:
    hidden = define("engineImpl", kind="class", exported=False)
    member = define("StartEngine", 5, kind="method", owner="engineImpl")
    names = ranked({"core.go": tags(hidden, member, define("StopEngine", 9, kind="method"), *MANY)})
    assert names.index("StopEngine") < names.index("StartEngine")


def test_names_that_the_documents_mention_rise() -> None:
    files = {"core.py": tags(define("alpha_it"), define("omega_it", 9), *MANY)}
    assert ranked(files)[0] == "alpha_it"
    assert ranked(files, tags(refs={"omega_it": 1}))[0] == "omega_it"


def test_documents_do_not_lift_hidden_names_nor_much_the_inner_type_of_that_name() -> None:
    guide = tags(refs={"Widget": 9})
    hidden, plain = define("Widget", 1, "class", exported=False), define("Gadget", 1, "class")
    names = ranked({"a.py": tags(hidden), "b.py": tags(plain), "c.py": tags(*MANY)}, guide)
    assert names.index("Gadget") < names.index("Widget")
    inner, outer = define("Widget", 2, "class", owner="Outer"), define("Outer", 1, "class")
    both = tags(refs={"Widget": 1, "Gadget": 1})
    names = ranked({"a.py": tags(outer, inner), "b.py": tags(plain), "c.py": tags(*MANY)}, both)
    assert names.index("Gadget") < names.index("Widget")


def test_what_many_files_use_near_the_root_comes_before_what_one_uses_below() -> None:
    files = {
        "core.py": tags(define("alpha_it")),
        "deep/down/core.py": tags(define("omega_it")),
        **{f"app{n}.py": tags(refs={"alpha_it": 1}) for n in range(3)},
        "app9.py": tags(*MANY, refs={"omega_it": 9}),
    }
    names = ranked(files)
    assert names.index("alpha_it") < names.index("omega_it")


def test_of_two_types_the_larger_comes_first() -> None:
    parts = [define(f"part_{n}", 30 + n, kind="method", owner="Omega") for n in range(5)]
    names = ranked({"core.py": tags(define("Alpha", kind="class"), *MANY)})
    assert names[0] == "Alpha"
    omega = define("Omega", 9, kind="class")
    names = ranked({"core.py": tags(define("Alpha", kind="class"), omega, *parts, *MANY)})
    assert names[0] == "Omega"


def test_tests_are_no_filling_unless_there_is_nothing_else() -> None:
    tests = {"test_it.py": tags(define("check_everything"))}
    assert "check_everything" not in ranked({"core.py": tags(*MANY), **tests})
    assert ranked(tests) == ["check_everything"]


def test_relations_are_imports_and_never_names_that_look_alike() -> None:
    files = {
        "web/views.py": tags(refs={"load_user": 2, "render": 1}),
        "db/users.py": tags(define("load_user")),
        "ui/pages.py": tags(define("render")),
        "cli/main.py": tags(),
        "doc/conf.py": tags(),
    }
    found = links(files, {"web/views.py": ["db/users.py"]}, dict.fromkeys(files, 1.0))
    folders = {"web", "db", "ui", "cli", "doc"}
    *_, relations = ctx.build_parts(found, ctx.rank_files(found, {}), folders)
    assert relations == [("web", ["db"])]


def test_one_import_among_many_is_no_relation_and_the_strongest_come_first() -> None:
    folders = {"web", "db", "ui", "cli", "doc"}
    files = {f"{folder}/x.py": tags() for folder in folders}
    files |= {f"web/{number:02d}.py": tags() for number in range(20)}
    imports = {f"web/{number:02d}.py": ["db/x.py"] for number in range(15)}
    imports |= {f"web/{number:02d}.py": ["ui/x.py"] for number in range(15, 19)}
    imports |= {"web/19.py": ["cli/x.py"]}
    found = links(files, imports, dict.fromkeys(files, 1.0))
    *_, relations = ctx.build_parts(found, ctx.rank_files(found, {}), folders)
    assert relations == [("web", ["db", "ui"])]


def test_a_rare_import_against_the_rule_is_no_relation_and_the_root_is_a_part() -> None:
    folders = {"web", "db", "ui", "cli", "."}
    files = {f"{folder}/{number}.py": tags() for folder in folders - {"."} for number in range(4)}
    files["main.py"] = tags()
    imports = {f"web/{number}.py": ["db/0.py"] for number in range(4)}
    imports |= {"db/0.py": ["web/0.py"], "main.py": ["web/0.py"]}
    found = links(files, imports, dict.fromkeys(files, 1.0))
    *_, relations = ctx.build_parts(found, ctx.rank_files(found, {}), folders)
    assert relations == [("web", ["db"]), (".", ["web"])]


def test_the_folder_of_a_gem_is_the_gem() -> None:
    files = {f"{name}/lib/{inner}/x.rb": tags() for name, inner in GEMS.items()}
    files |= {"activerecord/app/y.rb": tags()}
    imports = {"web/lib/web/x.rb": ["activerecord/lib/active_record/x.rb"]}
    found = links(files, imports, dict.fromkeys(files, 1.0))
    folders = {path.rpartition("/")[0] for path in files}
    of, _, relations = ctx.build_parts(found, ctx.rank_files(found, {}), folders)
    assert relations == [("web", ["activerecord"])] and of["pay/lib/other/x.rb"] == "pay/lib/other"


GEMS = {"activerecord": "active_record", "web": "web", "pay": "other", "mail": "mail", "job": "job"}


def test_a_type_that_its_file_is_named_for_comes_first() -> None:
    pair = define("UserBase", kind="class"), define("UserRole", 9, kind="class")
    assert ranked({"user_role.rb": tags(*pair, *MANY)})[:2] == ["UserRole", "UserBase"]
    assert ranked({"user.rb": tags(*pair, *MANY)})[:2] == ["UserBase", "UserRole"]


def found_words(**postings: list[ctx.Posting]) -> ctx.Words:
    """Three files of equal length."""
    sizes = array("I", [2, 2, 5, 5, 10] * 3)
    return ctx.Words(["a.py", "b.py", "c.py"], sizes, 3, postings)


IN_CODE, IN_NAMES, IN_PATH = 1 << 24, 1 << 2, 1  # packed


def test_a_rare_word_says_more_than_a_common_one() -> None:
    words = found_words(rare=[(0, IN_CODE)], common=[(at, IN_CODE) for at in range(3)])
    worth = ctx.weigh_words(words, {"common": 1.0, "rare": 1.0, "absent": 1.0})
    assert list(worth) == ["rare", "common"]
    assert ctx.rank_keys(ctx.score_words(words, worth)["all"])[0] == "a.py"


def test_of_a_long_task_the_words_that_say_most_count() -> None:
    words = found_words(**{f"w{number:03d}": [(0, IN_CODE)] for number in range(200)})
    query = {f"w{number:03d}": 1.0 + number / 1000 for number in range(200)}
    worth = list(ctx.weigh_words(words, query))
    assert worth == [f"w{number:03d}" for number in range(199, 119, -1)]


def test_a_word_that_most_files_hold_still_speaks_for_the_path_it_stands_in() -> None:
    paths = [f"{at}.py" for at in range(300)]
    usual = [(at, IN_PATH + IN_CODE if at == 7 else IN_CODE) for at in range(230)]
    words = ctx.Words(paths, array("I", [2] * 1500), 300, {"text": usual, "rare": [(8, IN_CODE)]})
    worth = ctx.weigh_words(words, {"text": 1.0, "rare": 1.0})
    assert ctx.score_words(words, worth)["path"] == {"7.py": 1.0}


def test_fields_are_scored_alone_and_together() -> None:
    words = found_words(door=[(0, IN_CODE), (1, IN_NAMES), (2, IN_PATH)])
    scores = ctx.score_words(words, {"door": 1.0})
    assert scores["names"] == {"b.py": 1.0} and scores["path"] == {"c.py": 1.0}
    assert scores["all"].keys() == {"a.py", "b.py", "c.py"}


HISTORY = ctx.History(
    {"door": [0, 1], "paint": [2]}, [3, 3, 3], [["a.py"], ["a.py", "b.py"], ["c.py", "gone.py"]]
)


def test_messages_of_earlier_commits_speak_for_the_files_they_touched() -> None:
    known = {"a.py", "b.py", "c.py"}
    assert ctx.rank_keys(ctx.score_history(HISTORY, {"door": 1.0}, known)) == ["a.py", "b.py"]
    assert ctx.score_history(HISTORY, {"paint": 1.0}, known) == {"c.py": 1.0}


def test_a_commit_speaks_for_a_file_by_how_short_it_is_and_how_few_it_touched() -> None:
    talk = ctx.History({"door": [0, 1]}, [3, 30], [["a.py"], ["b.py"]])
    scores = ctx.score_history(talk, {"door": 1.0}, {"a.py", "b.py"})
    assert scores["a.py"] > 2 * scores["b.py"] > 0
    crowd = ctx.History({"door": [0, 1]}, [3, 3], [["a.py"], ["b.py", "c.py"]])
    scores = ctx.score_history(crowd, {"door": 1.0}, {"a.py", "b.py", "c.py"})
    assert scores["a.py"] > scores["b.py"] == scores["c.py"] > 0


def test_a_comment_and_an_inline_test_give_way_to_code_that_says_the_same() -> None:
    def define(line: int, name: str) -> ctx.Definition:
        return ctx.Definition(line, line + 9, "function", name, "", "", "", True)

    def score(title: str) -> list[float]:
        blocks = [
            ctx.Block("a.py", 1, 10, define(1, "open_it"), 300),
            ctx.Block("a.py", 11, 20, define(11, "open_up"), 300, comment=True),
            ctx.Block("a.py", 21, 30, define(21, "test_open"), 300),
        ]
        hits = {line: {"door": 1} for line in (5, 15, 25)}
        lines = {"a.py": ["the door"] * 30}
        evidence = ctx.Evidence(
            ctx.Hints(words={"door": 1.0}, title=frozenset({title})),
            {},
            {"door": 1.0},
            {"a.py": hits},
            {"a.py": 1.0},
        )
        return [block.score for block in ctx.score_blocks(blocks, lines, evidence)]

    code, comment, test = score("door")
    assert code > 2 * comment > 0 and code > 2 * test > 0
    code, comment, test = score("test")
    assert code > 2 * comment > 0 and test > 0.9 * code


def test_what_changes_together_with_a_match_is_found() -> None:
    assert ctx.score_together(HISTORY, {"a.py": 1.0}, {"a.py", "b.py", "c.py"}) == {"b.py": 1.0}


def test_a_walk_goes_both_ways_and_two_steps() -> None:
    uses = {"a.py": {"b.py": 1.0}, "b.py": {"c.py": 1.0}, "x.py": {"a.py": 1.0}}
    users = {"b.py": {"a.py": 1.0}, "c.py": {"b.py": 1.0}, "a.py": {"x.py": 1.0}}
    near = ctx.score_near({"a.py": 1.0}, lambda paths: (uses, users))
    assert near.keys() == {"a.py", "b.py", "c.py", "x.py"}
    assert near["a.py"] == 1.0 > near["b.py"] > near["c.py"]


def test_a_passage_counts_only_what_stands_together() -> None:
    worth = {"door": 1.0, "lock": 1.0}
    close = {10: {"door": 1}, 12: {"lock": 1}}
    apart = {10: {"door": 1}, 900: {"lock": 1}}
    scores = ctx.score_chunks({"a.py": close, "b.py": apart}, worth)
    assert scores == {"a.py": 1.0, "b.py": 0.5}


def test_files_beside_the_best_matches_count() -> None:
    scores = ctx.score_beside(
        {"src/a.py": 1.0}, ["src/a.py", "src/b.py", "lib/c.py"], ctx.folder_of
    )
    assert scores == {"src/b.py": 1.0}


def test_a_header_counts_with_its_source() -> None:
    paths = ["lib/door.c", "include/door.h", "lib/wall.c"]
    scores = ctx.score_beside(
        {"lib/door.c": 1.0}, paths, lambda path: ctx.name_of(path).partition(".")[0]
    )
    assert scores == {"include/door.h": 1.0}


def test_a_common_word_still_adds_the_files_that_are_named_by_it() -> None:
    code, both = IN_CODE, IN_PATH + IN_CODE
    postings = {"rare": [(0, code)], "door": [(0, code), (1, code), (2, both)]}
    words = ctx.Words(["a.py", "b.py", "door.py"], array("I", [9] * 15), 3, postings)
    scores = ctx.score_words(words, {"rare": 2.0, "door": 1.0}, 1)
    assert scores["all"].keys() == {"a.py", "door.py"}


def test_a_half_that_says_nothing_leaves_the_other_its_share() -> None:
    alone = ctx.blend({"body": {"a.py": 1.0}}, 0.6, 0.4)
    assert alone == ctx.combine({"body": {"a.py": 1.0}}, "text")


def test_a_bare_name_elsewhere_is_not_a_type_inside_another() -> None:
    inside = tags(define("Route", kind="class"), define("Link", kind="class", owner="Route"))
    files = {"api/route.kt": inside, "web/page.kt": tags(refs={"Link": 3, "Route": 1})}
    for imports, meant in (({}, ["Route"]), ({"web/page.kt": ["api/route.kt"]}, ["Link", "Route"])):
        found = links(files, imports)
        assert [found.symbols[number][1] for number in found.mentions["web/page.kt"][0]] == meant


def test_files_share_what_they_have_among_their_links() -> None:
    users = {"a.py": {"x.py": 1.0}, "b.py": {"x.py": 1.0, "y.py": 3.0}}
    shares = ctx.spread({"a.py": 0.5, "b.py": 1.0, "lone.py": 1.0}, users)
    assert shares == {"x.py": 0.75, "y.py": 0.75}


def test_followers_rise_behind_the_leaders_and_never_past_them() -> None:
    scores = {f"{at}.py": 1.0 - at / 100 for at in range(8)}
    first = ctx.rank_keys(scores)
    assert ctx.rank_keys(ctx.lift_followers(scores, {})) == first
    lifted = ctx.lift_followers(scores, {"follows": {"7.py": 1.0, "0.py": 1.0}, "users": {}})
    assert ctx.rank_keys(lifted) == [*first[: ctx.LEADERS], "7.py", "5.py", "6.py"]
    assert all(0 < value <= 1 for value in lifted.values())
    assert ctx.lift_followers({}, {}) == {}


def test_every_second_symbol_is_of_the_focus_and_its_neighbours() -> None:
    names = ("used.py", "user.py", "far.py", "farther.py", "farthest.py")
    files = {path: tags(define(f"in_{path[:-3]}")) for path in names}
    files["used.py"] = tags(define("in_used"), define("beside_it", 9))
    files["focus.py"] = tags(define("in_focus"), define("more", 9), refs={"in_used": 1})
    found = links(files, {"focus.py": ["used.py"], "user.py": ["focus.py"]})
    symbols = ctx.rank_symbols(found, ctx.rank_files(found, {}), files, [tags(refs={"in_far": 1})])
    lifted = [symbol.definition.name for symbol in ctx.lift_focus(symbols, found, ["focus.py"])]
    near = lifted[::2]
    assert lifted[1] == "in_far" and {near[0], near[2]} == {"in_focus", "more"}
    assert {near[1], near[3]} == {"in_used", "in_user"}  # and not what stands beside it


def test_a_long_definition_is_cut_where_a_blank_line_or_the_least_indentation_is_near() -> None:
    lines = ["def long():", *(["    x = 1", "    if x:", "        y = 2", ""] * 30)]
    whole = ctx.Definition(1, len(lines), "function", "long", "", "", "", True)
    blocks = ctx.cut_blocks("a.py", lines, [whole])
    assert len(blocks) == 5 and all(block.last - block.first < 30 + 8 for block in blocks)
    assert [block.first for block in blocks[1:]] == [block.last + 1 for block in blocks[:-1]]
    assert (blocks[0].first, blocks[-1].last) == (1, len(lines))
    assert all(lines[block.first - 1] == "    x = 1" for block in blocks[1:])


def test_comments_are_what_the_language_says() -> None:
    def long_comments(path: str, text: str) -> list[int]:
        lines = text.split("\n")
        blocks = ctx.cut_blocks(path, lines, [])
        return [n for block in blocks if block.comment for n in range(block.first, block.last + 1)]

    prose = "word\n" * 7
    code = "".join(f"run({n})\n" for n in range(8))
    assert long_comments("a.py", f'USAGE = """\n{prose}"""\n{code}') == []
    assert long_comments("a.py", f'{code}"""\n{prose}"""\n{code}') == [*range(9, 18)]
    assert long_comments("a.ex", f'@doc """\n{prose}"""\n{code}') == [*range(1, 10)]
    assert long_comments("a.c", f"{code}/*\n{prose}*/\n{code}") == [*range(9, 18)]
    assert long_comments("a.c", "#include <a>\n" * 9) == []
