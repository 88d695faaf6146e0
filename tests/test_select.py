"""SELECT: a budget is a limit, used well; what is skipped does not stop the rest."""

from hypothesis import given
from hypothesis import strategies as st

import ctx


def symbol(score: float, path: str, name: str, line: int = 1) -> ctx.Symbol:
    return ctx.Symbol(score, path, ctx.Definition(line, line, "function", name, "", name, "", True))


def cost(each: ctx.Symbol, form: str) -> int:
    return len(each.definition.name) * (3 if form == "full" else 1)


def spent(picks: list[ctx.Symbol]) -> int:
    files = {pick.path for pick in picks}
    return sum(cost(pick, pick.form) for pick in picks) + sum(map(len, files))


SYMBOLS = st.lists(
    st.tuples(
        st.floats(0, 1), st.sampled_from(["a.py", "b/c.py", "b/d.py"]), st.text("xyz", min_size=1)
    ),
    max_size=30,
).map(lambda rows: [symbol(score, path, name, at) for at, (score, path, name) in enumerate(rows)])


@given(SYMBOLS, st.integers(0, 300))
def test_symbols_never_exceed_their_budget(symbols: list[ctx.Symbol], budget: int) -> None:
    assert spent(ctx.fit_symbols(symbols, budget, cost, len)) <= budget


def test_the_best_are_shown_in_full_and_more_by_name() -> None:
    symbols = [symbol(1 - n / 100, f"f{n}.py", f"name_{n:02d}") for n in range(40)]
    picks = ctx.fit_symbols(symbols, 300, cost, len)
    forms = [pick.form for pick in picks]
    assert forms[0] == "full" and forms[-1] == "name"
    assert forms == sorted(forms)


def test_names_do_not_crowd_out_signatures() -> None:
    symbols = [symbol(1 - n / 400, "f.py", f"n{n:03d}", n) for n in range(200)]
    picks = ctx.fit_symbols(symbols, 800, cost, len)  # a name is 4, and all 200 of them would fit
    forms = [pick.form for pick in picks]
    assert 90 < len(picks) < 110 and forms.count("full") > 30
    assert forms == sorted(forms)


def test_one_file_does_not_take_all() -> None:
    crowd = [symbol(1.0, "big.py", f"name_{n:02d}", n) for n in range(40)]
    other = [symbol(0.6, "small.py", "name_other")]
    picks = ctx.fit_symbols([*crowd, *other], 200, cost, len)
    assert "small.py" in {pick.path for pick in picks}


def test_a_symbol_declared_twice_is_shown_once() -> None:
    twins = [symbol(1.0, "door.h", "open_door"), symbol(0.9, "door.c", "open_door")]
    assert len(ctx.fit_symbols(twins, 500, cost, len)) == 1


def test_room_that_is_left_shows_more_of_the_best() -> None:
    picks = ctx.fit_symbols(
        [symbol(1.0, "a.py", "alpha"), symbol(0.5, "a.py", "omega")], 999, cost, len
    )
    assert [pick.form for pick in picks] == ["full", "full"]


def test_a_line_too_long_is_skipped_not_a_reason_to_stop() -> None:
    assert ctx.fit_lines(["aaaa", "b" * 50, "cc"], 10, len) == [0, 2]


def test_what_is_left_out_is_named_before_the_last_section_which_stays_the_last() -> None:
    sections = [
        ctx.Section(name, name * 500, drop) for name, drop in (("a", 1), ("b", 3), ("c", 2))
    ]
    kept = ctx.fit_sections([*sections, ctx.Section("End", "end")], 1_200, len)
    assert [section.title for section in kept] == ["a", "c", "", "End"]
    assert kept[2].body == "[left out to fit the budget: b]"


def test_a_package_is_never_empty_where_a_smaller_one_fits() -> None:
    def make(room: int) -> ctx.Pack:  # of what it holds, most is of one size
        size = 0 if room < 40 else 390 if room < 900 else 404 if room < 1400 else 500 + room
        return ctx.Pack("", "", (), (ctx.Block("a", 1, 1, None, 1),), (), 400, "", "", size=size)

    assert ctx.fit_pack(make, 400).size == 390


def test_a_short_definition_or_file_is_shown_a_scrap_opens_no_file() -> None:
    hello = ctx.Definition(40, 41, "function", "hello", "", "def hello()", "", True)
    lone = ctx.Block("a.py", 40, 41, hello, 30, score=1.0)
    rest = ctx.Block("a.py", 1, 39, None, 2000, score=0.1)
    small = ctx.Block("one.py", 1, 1, None, 20, score=1.0)
    taken = ctx.fit_blocks(ctx.group_blocks([rest, lone, small]), 400)
    assert [block.path for block in taken] == ["one.py", "a.py"]
    scrap = ctx.Block("b.py", 50, 50, None, 30, score=1.0)
    more = ctx.Block("b.py", 1, 49, None, 2000, score=0.1)
    assert ctx.fit_blocks(ctx.group_blocks([scrap, more]), 400) == []


def test_a_method_does_not_hide_the_function_of_its_name() -> None:
    function, namesake = symbol(0.9, "api.py", "get"), symbol(1.0, "jar.py", "get")
    method = namesake.definition._replace(owner="Jar", kind="method")
    fillers = [symbol(0.5 - n / 100, f"g{n}.py", f"name_{n:02d}") for n in range(20)]
    rows = [namesake._replace(definition=method), function, *fillers]
    assert "api.py" in {pick.path for pick in ctx.fit_symbols(rows, 60, cost, len)}
