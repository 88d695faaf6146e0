"""TEXT: what is shown is safe, secrets stay home, and a managed section owns only itself."""

import re
import subprocess
from pathlib import Path

import lab
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import ctx

BEGIN = b"<!-- BEGIN CTX MANAGED SECTION v1 -->"
END = b"<!-- END CTX MANAGED SECTION -->"
BODY = "## House\n\n- Test: `pytest`\n"

# -- names and messages


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain name.py", "plain name.py"),
        ("two\nlines", "two\\x0alines"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("right\u202eleft", "right\\u202eleft"),
        (b"caf\xe9".decode("utf-8", "surrogateescape"), "caf\\xe9"),
        ("a <!-- b --> c", "a <!\\-- b --\\> c"),
        ("naïve 文字", "naïve 文字"),
    ],
)
def test_a_shown_name_is_one_line_that_steers_nothing(text: str, shown: str) -> None:
    assert ctx.show(text) == shown


def test_a_long_name_is_cut() -> None:
    assert ctx.show("x" * 500, 10) == "x" * 9 + "…"


@given(st.text())
def test_nothing_closes_a_code_span_from_inside(text: str) -> None:
    span = ctx.code_span(text)
    tick = re.match("`+", span)
    assert tick and span.endswith(tick[0]) and "\n" not in span
    assert f"{tick[0]}" not in re.findall("`+", span[len(tick[0]) : -len(tick[0])])


@given(st.text(alphabet="`~a\n "))
def test_nothing_closes_a_fence_from_inside(text: str) -> None:
    first, *inside, last = ctx.fence(text, "py").rstrip("\n").split("\n")
    tick = first.removesuffix("py")
    assert last == tick and set(tick) == {"`"}
    assert not [line for line in inside if re.match(f" {{0,3}}{tick}", line)]


def test_terminal_codes_are_stripped_and_overdrawn_lines_show_what_was_left() -> None:
    assert ctx.strip_ansi("\x1b[1;31mred\x1b[0m \x1b]0;title\x07end\r\n") == "red end\n"
    assert ctx.strip_ansi("10%\r50%\r100%\nok") == "100%\nok"
    assert ctx.strip_ansi("bell\x07 back\x08") == "bell back"


# -- secrets

SECRETS = [
    ("url = 'https://user:hunter22@example.org/x'", "hunter22"),
    ('PASSWORD = "correct horse"', "correct horse"),
    ("password: 'swordfish'", "swordfish"),
    ('"client_secret": "swordfish"', "swordfish"),
    ("login(password='swordfish')", "swordfish"),
    ("api_key = 'a1b2c3d4e5f6g7'", "a1b2c3d4e5f6g7"),
    ("API_KEY=a1b2c3d4e5f6", "a1b2c3d4e5f6"),
    ("AUTH_TOKEN=abc12345", "abc12345"),
    ("user.set_password('hunter22')", "hunter22"),
    ("token = 'swordfish'", "swordfish"),
    ("password = 'password123'", "password123"),
    ("db.password: s3cret99", "s3cret99"),
    ("curl -u admin:s3cret https://example.org", "s3cret"),
    ("ghp_0123456789abcdefghijABCDEFGHIJ", "0123456789abcdef"),
    ("sk-abcdefghijklmnopqrstuv", "abcdefghijklmnop"),
    ("xoxb-123456789012-abcdef", "123456789012"),
    ("AKIAIOSFODNN7EXAMPLE", "IOSFODNN7"),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc", "hbGciOi"),
    ("-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----", "MIIEow"),
    ("-----BEGIN PRIVATE KEY-----\nMIIEow", "MIIEow"),
    ('"Authorization": "Bearer abcdefgh12"', "abcdefgh12"),
    ("Authorization: Basic dXNlcjpwYXNz", "dXNlcjpwYXNz"),
    ("AccountKey=" + "a1B2" * 8, "a1B2a1B2"),
    ("https://hooks.slack.com/services/T0/B0/x1y2", "x1y2"),
    ("passphrase = 'open sesame'", "open sesame"),
    ('db_pwd = "Pa55w0rd!"', "Pa55w0rd!"),
    ("mysql -u root -phunter22 shop", "hunter22"),
    ("login failed, password: hunter2\nbye", "hunter2"),
    *(
        (f"key {mark}{'a1B2' * 9}", "a1B2a1B2")
        for mark in ("sk_live_", "AIza", "npm_", "glpat-", "hf_")
    ),
]
CODE = [
    "def login(user: str, token: str, password: str = …) -> Session",
    "token: str",
    "password: string1,",
    "headers = {'Authorization': 'Bearer ' + token}",
    'key="name"',
    "sorted(rows, key=lambda row: row.name)",
    "def parse_token(self, tokens: list[Token], budget: int) -> int",
    "class TokenBudget(NamedTuple)",
    "password: Optional[str] = None",
    "auth = Depends(get_current_user)",
    "secret_name: SecretStr",
    "authorization: Bearer",
    "def author(self) -> Author",
    "keys = dict.keys()",
    "token_budget = 1500",
    "- Test: `npm run test:auth`",
    "see https://example.org/a@b and mail me@example.org",
    "fn next_token(&mut self) -> Option<Token>",
    'csrf_token = context.get("csrf_token")',
    'password1_field_name="password1",',
    'PASSWORD_RESET = "passwords.reset"',
    "password1 = self.cleaned_data.get(password1_field_name)",
    "auth_name = models.CharField(max_length=256)",
    'self.validate_passwords("new_password1", "new_password2")',
    'const tlsH1OnlyVarKey = "reverse_proxy.tls_h1_only"',
    'if token == "COLLATE":',
    "withCredentials = 'same-origin'",
    "'secret' => env('AWS_SECRET_ACCESS_KEY'),",
]


@pytest.mark.parametrize(("text", "value"), SECRETS)
def test_a_credential_is_never_shown(text: str, value: str) -> None:
    assert value in text
    assert value not in ctx.redact(text)
    assert "…" in ctx.redact(text)


@pytest.mark.parametrize("text", CODE)
def test_ordinary_code_survives_redaction(text: str) -> None:
    assert ctx.redact(text) == text


@pytest.mark.parametrize(
    "path",
    [".env", "a/.env.local", "prod.env", "x/key.pem", ".ssh/id_rsa", ".npmrc", "secrets.yaml"],
)
def test_files_of_credentials_are_known_by_name(path: str) -> None:
    assert ctx.is_secret_path(path)


@pytest.mark.parametrize("path", ["environment.py", "src/secrets.py", "id_card/view.ts", "key.py"])
def test_sources_are_not_taken_for_credentials(path: str) -> None:
    assert not ctx.is_secret_path(path)


# -- tokens


def test_a_text_without_a_list_is_its_lines_and_no_heading_or_comment() -> None:
    text = "# Title\n\nfirst\n<!-- note -->\nsecond\n"
    assert ctx.parse_items(text) == ("first", "second")
    assert ctx.parse_items(f"{text}- [ ] one\n  and more\n2. two\n") == ("one and more", "two")


def test_an_estimate_grows_with_the_text() -> None:
    line = "def rank_files(graph: Graph, focus: Mapping[str, float]) -> dict[str, float]:\n"
    assert ctx.estimate_tokens("") == 0
    assert 20 <= ctx.estimate_tokens(line) <= 40
    assert ctx.estimate_tokens(line * 10) > 9 * ctx.estimate_tokens(line)


@pytest.mark.parametrize(
    ("text", "tokens", "most"),
    [  # tokens as o200k_base counts them
        (
            "def rank_files(links: Links, focus: Mapping[str, float]) -> list[float]:\n"
            '    """PageRank of every file over its mentions and imports."""\n'
            "    restart = focus or dict(zip(links.paths, links.weights, strict=True))\n"
            "    total = sum(restart.values()) or 1.0\n"
            "    return [rank / total for rank in ranks.values()]\n",
            76,
            1.3,
        ),
        (
            "src/billing/\n"
            "  invoice.py\n"
            "    class InvoiceStore\n"
            "      def save_invoice(self, invoice, when=None)\n"
            "    send_reminder, closeMonth, MAX_RETRIES\n"
            "  ledger.py: Ledger, post_entry, balance_of, LedgerError\n"
            "  taxRules.ts: TaxRule, roundHalfUp, applyVatRate\n",
            67,
            1.3,
        ),
        (
            "Money flows from the shop to the till. Every receipt is kept for ten years, and nobody may change one afterwards; a correction is a receipt of its own, which names the one that it corrects.\n",
            42,
            1.3,
        ),
        (
            "HTTP_STATUS_OK, MAX_BUFFER_SIZE, EINVAL, XMLHttpRequest, IOError, parseURLAndQuery, DEFAULT_TIMEOUT_MS, UTF8_BOM\n",
            30,
            1.3,
        ),
        (
            '{"id": 40213, "total": 1999.95, "paid": false, "lines": [[1, 2, 3], [10, 20, 30]], "when": "2024-05-17T08:30:00Z"}\n',
            60,
            1.3,
        ),
        (
            "## Key Files\n"
            "\n"
            "- `src/app.py`: program entry point\n"
            "- `docs/adr/0001-use-sqlite.md`: architecture decisions\n"
            "\n"
            "| command | what it does |\n"
            "|---|---|\n"
            "| `make test` | runs all tests |\n",
            53,
            1.3,
        ),
        (
            "読み込みに失敗しました。設定ファイルを確認してください。数据库连接失败，请检查网络设置。\n",
            22,
            1.8,
        ),
        (
            "Не удалось открыть файл настроек, проверьте путь и права доступа.\n",
            15,
            1.8,
        ),
    ],
)
def test_an_estimate_is_just_above_the_true_count(text: str, tokens: int, most: float) -> None:
    assert 0.99 * tokens <= ctx.estimate_tokens(text) <= most * tokens


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        (
            26,
            "def open_shop(name: str, *, wait: bool = True) -> Till :12 — Open the shop in the morning.\n",
        ),
        (23, "src/jq/jv_print.c: jv_dump, jv_sort_keys, jvp_dtoa_fmt\n"),
        (
            26,
            "- `okhttp/src/commonJvmAndroid/kotlin/okhttp3/OkHttpClient.kt`: defines `OkHttpClient`\n",
        ),
        (
            7,
            "/*********************************************************************\n * Licensed to all.\n",
        ),
        (
            20,
            "Read the whole file before you change a line of it, and say what you changed and why.\n",
        ),
    ],
)
def test_an_estimate_is_near_what_the_vocabulary_counts(tokens: int, text: str) -> None:
    assert tokens <= ctx.estimate_tokens(text) <= tokens * 1.16


# -- the managed section

EOLS = [b"\n", b"\r\n", b"\r", b"\n\n", b"\r\n\r\n"]
PIECES = [
    b"words of mine",
    b"caf\xe9 in latin-1",
    "naïve".encode(),
    b"```",
    b"````md",
    b"~~~",
    b"  ```",
    b"<!-- BEGIN CTX MANAGED SECTION -->",
    b"x <!-- END CTX MANAGED SECTION -->",
    b"<!-- sha256:00 -->",
    b"\x00\x0c\xff",
    b"",
]


@st.composite
def user_texts(draw: st.DrawFn) -> bytes:
    """Anything a user's file may hold, but for whole marker lines."""
    lines = draw(st.lists(st.tuples(st.sampled_from(PIECES) | st.binary(), st.sampled_from(EOLS))))
    text = b"".join(piece + eol for piece, eol in lines)
    text = draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + text
    text += draw(st.sampled_from([b"", b"no newline at the end"]))
    assume(not re.search(rb"(?m)^(\xef\xbb\xbf)?<!-- (BEGIN CTX MANAGED SECTION v|END)", text))
    return text


bodies = st.lists(st.sampled_from(["- one", "", "## two", "- `three`"]), min_size=1).map(
    lambda lines: "\n".join([*lines, "end"]) + "\n"
)


@settings(max_examples=400)
@given(user_texts(), bodies)
@example(b"\xef\xbb\xbf", BODY)
@example(b"a\r\nb\nc\r\n", BODY)
def test_applying_twice_is_applying_once_and_removing_gives_the_file_back(
    text: bytes, body: str
) -> None:
    once = ctx.upsert_section(text, body)
    assert once.startswith(text)
    assert ctx.upsert_section(once, body) == once
    assert ctx.section_state(once, body) == "current"
    assert ctx.remove_section(once) == text


@settings(max_examples=300)
@given(user_texts(), user_texts(), st.integers(0, 1), bodies, bodies, st.sampled_from(EOLS[:2]))
def test_bytes_outside_a_section_never_change(
    before: bytes, after: bytes, version: int, old: str, new: str, eol: bytes
) -> None:
    """A section of an older version, somewhere in the middle, is replaced in its place."""
    section = lab.old_section(None, old, version).replace(b"\n", eol)
    before = before + b"\n" if before else before
    source = before + section + after
    try:
        span = ctx.find_section(source)
    except ctx.CtxError:
        span = None  # random text can always open a fence around it, or hold half a fence
    if span is None:
        return
    start, stop, _, pristine, _ = span
    assert (source[:start], source[stop:]) == (before, after)
    assert pristine
    result = ctx.upsert_section(source, new)
    again = ctx.find_section(result)
    assert again is not None and again[2] == ctx.SECTION_VERSION
    assert (result[: again[0]], result[again[1] :]) == (before, after)
    assert ctx.upsert_section(result, new) == result
    removed = ctx.remove_section(result)
    assert removed is None or removed.endswith(after)
    kept = (removed or b"").removesuffix(after) if after else removed or b""
    assert before.startswith(kept) and before[len(kept) :].strip(b"\r\n") == b""


DAMAGES = [
    [BEGIN],
    [END],
    [END, BEGIN],
    [BEGIN, BEGIN, END],
    [BEGIN, END, END],
    [BEGIN, END, BEGIN, END],
    [BEGIN, BEGIN, END, END],
]


@given(st.sampled_from(DAMAGES), st.lists(st.sampled_from([b"a", b"", b"caf\xe9"]), min_size=9))
def test_damaged_markers_are_refused_with_their_line(
    marks: list[bytes], words: list[bytes]
) -> None:
    lines = [line for pair in zip(words, marks, strict=False) for line in pair]
    source = b"\n".join([*lines, b"the end", b""])
    with pytest.raises(ctx.CtxError, match=r"^a\.md:\d+: .*; "):
        ctx.upsert_section(source, BODY, "a.md")
    with pytest.raises(ctx.CtxError, match=r"^a\.md:\d+: .*; "):
        ctx.remove_section(source, "a.md")


def test_markers_inside_a_fence_are_only_quoted() -> None:
    source = b"```md\n" + BEGIN + b"\nx\n" + END + b"\n```\n"
    assert ctx.find_section(source) is None
    assert ctx.remove_section(ctx.upsert_section(source, BODY)) == source


def test_markers_in_a_fence_that_is_never_closed_still_count() -> None:
    source = ctx.upsert_section(b"```\nopen for ever\n", BODY)
    assert ctx.find_section(source) is not None


def test_a_marker_with_anything_else_on_its_line_is_no_marker() -> None:
    assert ctx.find_section(b"  " + BEGIN + b"\n" + END + b" \n") is None


def test_a_section_edited_by_hand_is_reported() -> None:
    source = ctx.upsert_section(b"mine\n", BODY).replace(b"pytest", b"tox")
    assert ctx.section_state(source, BODY) == "edited"


def test_a_section_without_a_hash_counts_as_edited() -> None:
    assert ctx.section_state(BEGIN + b"\nold text\n" + END + b"\n", BODY) == "edited"


def test_an_older_version_is_stale_even_with_the_same_text() -> None:
    assert ctx.section_state(lab.old_section(b"", BODY, 0), BODY) == "stale"


def test_a_newer_version_is_known_as_newer() -> None:
    assert ctx.section_state(lab.old_section(b"", BODY, 2), BODY) == "newer"


def test_changed_line_endings_do_not_make_a_section_edited() -> None:
    source = ctx.upsert_section(b"mine\n", BODY).replace(b"\n", b"\r\n")
    assert ctx.section_state(source, BODY) == "current"
    assert ctx.remove_section(source) == b"mine\r\n"


@pytest.mark.parametrize("line", [BEGIN.decode(), END.decode()])
def test_a_body_that_holds_a_marker_is_refused(line: str) -> None:
    with pytest.raises(ctx.CtxError, match="contains a marker line"):
        ctx.upsert_section(b"mine\n", f"- a\n{line}\n- b\n")


def test_a_file_made_for_the_section_goes_with_it() -> None:
    assert ctx.remove_section(ctx.upsert_section(None, BODY)) is None


def test_text_written_below_the_section_stays() -> None:
    source = ctx.upsert_section(b"above\n", BODY) + b"below\n"
    assert ctx.remove_section(source) == b"above\nbelow\n"


# -- files that ctx.py owns until somebody edits them


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\r")))
def test_a_sealed_text_is_pristine_until_edited(text: str) -> None:
    assert ctx.unseal(ctx.seal(text)) == (text, True)
    assert ctx.unseal(ctx.seal(text).replace(b"\n", b"\r\n")) == (text, True)
    assert not ctx.unseal(b"x" + ctx.seal(text))[1]


# -- .gitignore, compared with git itself

IGNORE_LINES = [
    "*.log", "/build", "build/", "docs/*.txt", "a/**/z", "**/cache", "cache/**", "!keep.log",
    "!/src/keep.log", "temp?", "[abc].py", "[!abc].js", "[^a]x", "\\#odd", "\\!bang", "# words",
    "trail  ", "esc\\ ", "src/", "!src/", "*.tx[st]", "a**b", "**", "*", "!*/", "!*.md", "x/y/",
    "/x", "dir", "a\\*b", "back\\", "foo//", "/", "**/", "[]a]k", "s/**", "tab\t",
    "two\\\\ ", "a-[0-9]", "\u2028odd", "[[]w", "*/q", "!x",
]  # fmt: skip
NAMES = [
    "a.log", "keep.log", "build", "docs", "z", "cache", "temp1", "a.py", "d.js", "#odd", "!bang",
    "trail", "esc ", "src", "n.txt", "axb", "r.md", "x", "y", "dir", "a*b", "back", "foo",
    "]k", "s", "tab\t", "two\\", "a-7", "bx", "[w", "q", "a",
]  # fmt: skip


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("ignore")
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    return root


PATHS = sorted([*NAMES, *(f"{folder}/{name}" for folder in NAMES for name in NAMES), "a/x/y/z"])


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(IGNORE_LINES), min_size=2, max_size=6))
def test_ignore_rules_agree_with_git(repository: Path, lines: list[str]) -> None:
    assert_agreement(repository, lines)


@pytest.mark.parametrize("line", IGNORE_LINES)
def test_each_ignore_rule_agrees_with_git(repository: Path, line: str) -> None:
    assert_agreement(repository, ["*", line] if line.startswith("!") else [line])


def assert_agreement(repository: Path, lines: list[str]) -> None:
    (repository / ".gitignore").write_text("\n".join(lines) + "\n", "utf-8")
    rules = ctx.parse_ignore("\n".join(lines) + "\n", "")
    told = subprocess.run(
        ["git", "check-ignore", "-z", "--stdin", "--no-index"],
        cwd=repository,
        input="\0".join(PATHS).encode() + b"\0",
        capture_output=True,
    )
    by_git = [name.decode() for name in told.stdout.split(b"\0")[:-1]]
    assert [path for path in PATHS if _is_left_out(path, rules)] == by_git


def _is_left_out(path: str, rules: list[ctx.IgnoreRule]) -> bool:
    """As the walk sees it: a folder that is left out hides all below it."""
    parts = path.split("/")
    above = ["/".join(parts[:count]) for count in range(1, len(parts))]
    hidden = any(ctx.is_ignored(folder, rules, folder=True) for folder in above)
    return hidden or ctx.is_ignored(path, rules, folder=False)


@pytest.mark.parametrize(
    ("glob", "path", "matches"),
    [
        ("src/**", "src/a/b.py", True),
        ("src/**", "src", False),
        ("**/test_*.py", "test_a.py", True),
        ("**/test_*.py", "a/b/test_a.py", True),
        ("*.py", "a/b.py", False),
        ("a?c", "a/c", False),
        ("[!a]b", "/b", False),
        ("[[]x", "[x", True),
        ("{a,b}", "{a,b}", True),
        ("[z-a]", "m", False),
    ],
)
def test_globs_cross_folders_only_with_two_stars(glob: str, path: str, matches: bool) -> None:
    assert bool(re.fullmatch(ctx.glob_pattern(glob), path)) is matches
