#!/usr/bin/env python3
# /// script
# requires-python = ">=3.11"
# dependencies = [
#     "tree-sitter>=0.25.2,<0.27",
#     "tree-sitter-language-pack>=0.13,<1",
#     "tiktoken>=0.7,<1",
# ]
# ///
"""ctx.py prepares context for coding agents: one file, any repository.

    python ctx.py init            managed sections, constitution, run loop, map
    python ctx.py map             a ranked project map under a hard token budget
    python ctx.py prompt T-3      everything one task needs, under a hard byte budget

Rooms, in order; each uses only rooms above it (`grep -n '^# ----' ctx.py`):

    1 TYPES      every record that crosses a room
    2 TEXT       strings: words, fences, names to show, the managed section
    3 LANGUAGES  the language table and its compiler
    4 TEMPLATES  the texts that ctx.py writes
    5 TAGS       bytes of one file -> what it defines, mentions, imports
    6 FACTS      texts of config files -> stack, commands, key files, tree
    7 LINKS      imports as written -> files of this repository
    8 RANK       graph, PageRank, word scores
    9 SELECT     what fits a budget
    10 RENDER    values -> markdown and JSON
    11 DISK      files, git, environment, configuration, tokens, talk
    12 INDEX     list, read, tag, remember
    13 TASKS     tasks and earlier attempts, from their files
    14 FLOWS     each product as one paragraph of calls
    15 COMMANDS  one cmd_* per subcommand
    16 SERVE     hook and mcp: JSON in, JSON out
    17 MAIN      arguments in, exit code out

Glossary: a *path* is a str, posix, relative to the root; a *text* is str, a *source* is bytes;
a *budget* is in tokens unless it says bytes; a *tag* is a definition, reference or import.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeVar

if TYPE_CHECKING:  # main() loads it when there is something to parse
    import argparse

VERSION = "0.1.0"
T = TypeVar("T")

# ---- 1 TYPES (pure) --------------------------------------------------------
# Every record that crosses a room. Uses: nothing.

Graph = dict[str, dict[str, float]]  # referring file -> defining file -> weight
Count = Callable[[str], int]  # tokens of a text; tests pass len


class CtxError(Exception):
    """A problem the user can act on; main() prints it as one line and exits 2."""


class Definition(NamedTuple):
    """One thing that a file defines."""

    line: int  # 1-based, where its own text begins (after decorators and doc comments)
    end: int  # its last line
    kind: str  # a label of the language table: "class", "function", "method", ...
    name: str
    owner: str  # dotted names of what encloses it: "Outer.Inner"; "" at the top level
    signature: str  # one line, values replaced by "…"
    doc: str  # first sentence of its doc comment, or ""
    exported: bool


class FileTags(NamedTuple):
    """What one file defines, mentions and imports."""

    definitions: tuple[Definition, ...]
    references: dict[str, int]  # name -> how often it is called, used as a type, inherited from
    imports: tuple[str, ...]  # as the language writes them: "..pkg.mod.Name", "./util", "a/b.h"
    doc: str  # first sentence of the file's own doc, or ""
    mark: str = ""  # what the content says of itself: "generated", "minified", or ""


class Command(NamedTuple):
    """One line to type, found in the project's own files."""

    verb: str  # install, build, test, lint, typecheck, format, run
    line: str  # "npm test"
    source: str  # path of the file it was found in
    folder: str = ""  # where to run it: a member of a monorepo; "" is the root


class KeyFile(NamedTuple):
    """A file that a newcomer should know of."""

    path: str
    why: str  # "entry point of `flask`", "package manifest"


class Package(NamedTuple):
    """One member of a repository that holds several."""

    path: str  # its folder
    name: str
    stack: str  # "TypeScript, React 19"


class Facts(NamedTuple):
    """What a project's configuration says about it."""

    stack: tuple[str, ...]  # "Python >=3.10", "Flask 3.0"
    commands: tuple[Command, ...]
    key_files: tuple[KeyFile, ...]
    packages: tuple[Package, ...]
    conventions: tuple[str, ...]  # "tests in tests/, named test_*.py (pytest)"


class Section(NamedTuple):
    """One titled part of a prompt; drop 0 always stays, the highest goes first."""

    title: str
    body: str
    drop: int = 0


class Change(NamedTuple):
    """One file to write: `old` None for a new file, `new` None for a file to delete."""

    path: str
    old: bytes | None
    new: bytes | None


class Config(NamedTuple):
    """What the user may set; map_token_budget is `[map] token_budget`, CTX_MAP_TOKEN_BUDGET."""

    map_token_budget: int = 1500
    map_max_depth: int = 4
    map_code_intel: bool = True
    map_ledger_stats: bool = False
    map_exclude: tuple[str, ...] = ()  # globs
    pack_enabled: bool = True
    pack_token_budget: int = 100_000
    pack_ast_weight: float = 0.6
    pack_semantic_weight: float = 0.4
    pack_min_relevance: float = 0.2
    pack_summary_max_tokens: int = 4000
    prompt_budget_bytes: int = 40_000
    anchor_enabled: bool = True
    anchor_sources: tuple[str, ...] = ("prompt", "task", "git")
    anchor_frequency: int = 1
    anchor_git_commits: int = 3
    anchor_progress_lines: int = 20
    anchor_max_prompt_lines: int = 100
    anchor_include_epic: bool = True
    tasks_source: str = "auto"
    scan_mode: str = "incremental"
    tokens_encoding: str = "o200k_base"
    roles: Mapping[str, tuple[str, ...]] = {}  # role -> globs that it may see
    domains: Mapping[str, str] = {}  # folder prefix -> a name for it


class Project(NamedTuple):
    """The repository at hand; built once in main()."""

    root: str  # absolute, without symlinks
    config: Config = Config()
    quiet: bool = False
    verbose: bool = False


class Plan(NamedTuple):
    """Changes that belong together, and what the user should be told about them."""

    changes: list[Change]
    notes: list[str]


class Finding(NamedTuple):
    """One thing that doctor looked at; `fix` is what to do about it, "" if nothing."""

    what: str
    state: str
    fix: str


class Stamp(NamedTuple):
    """How a file looks from outside; equal stamps of an old file mean equal content."""

    size: int
    mtime: int  # nanoseconds, as the next one
    ctime: int
    inode: int
    device: int


class Span(NamedTuple):
    """Where a managed section stands in a file, and what it says of itself."""

    start: int  # offset of the first byte of its BEGIN line
    stop: int  # offset after its END line and that line's ending
    version: int
    body: bytes  # its lines between the hash line and END, with \n endings
    digest: str  # the sha256 it claims for that body, or ""
    eol: bytes  # the line ending it was written with


# ---- 2 TEXT (pure) ---------------------------------------------------------
# Strings: words, fences, names to show, the managed section. Uses: TYPES.


def show(text: str, limit: int = 120) -> str:
    """A name or message on one line: nothing in it can steer a terminal or a reader."""
    shown = re.sub(_UNSAFE, lambda match: _escape(match[0]), text)
    shown = shown.replace("<!--", "<!\\--").replace("-->", "--\\>")
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


# C0, C1, DEL, line and paragraph separators, bidirectional controls, lone surrogates.
# Patterns of this room are compiled at their first use: a start must not pay for all of them.
_UNSAFE = "[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"


def _escape(char: str) -> str:
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:  # a byte of a name that is not UTF-8, kept by surrogateescape
        code -= 0xDC00
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"


def code_span(text: str, limit: int = 120) -> str:
    """The text as a markdown code span that nothing inside can close."""
    shown = show(text, limit)
    runs = [len(run) for run in re.findall("`+", shown)]
    tick = "`" * (max(runs, default=0) + 1)
    pad = " " if runs or shown != shown.strip(" ") or not shown else ""
    return f"{tick}{pad}{shown}{pad}{tick}"


def fence(text: str, info: str = "") -> str:
    """The text as a fenced block that no line inside can close."""
    longest = max((len(run) for run in re.findall("`{3,}", text)), default=2)
    tick = "`" * (longest + 1)
    return f"{tick}{info}\n{text.rstrip(chr(10))}\n{tick}\n"


def strip_ansi(text: str) -> str:
    """The text without terminal escape codes; of a line drawn over, only what was left."""
    text = re.sub(_ANSI, "", text).replace("\r\n", "\n")
    text = re.sub(r"[^\n]*\r(?=[^\n])", "", text)
    return re.sub("[\x00-\x08\x0b-\x1f\x7f-\x9f]", "", text)


_ANSI = "\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|[@-Z\\\\-_])"


def redact(text: str) -> str:
    """The text without what looks like a credential; the net below redaction at the source."""
    for pattern, replacement in _SECRETS:
        text = re.sub(pattern, replacement, text)
    return text


_SECRETS = [
    (r"\b([a-zA-Z][\w+.-]{1,20}://)[^\s/@:'\"`]*:[^\s/@'\"`]+@", r"\1…@"),
    (r"(?i)(\w*(?:passw|secret)\w*[\"']?\s*[=:]\s*)([\"'])[^\"'\n]{4,}\2", r"\1\2…\2"),
    (
        r"(?i)(\w*(?:passw|secret|token|credential)\w*[\"']?(?:[^\n\"'`]{0,40}[=:(]|[ \t])\s*)"
        r"([\"'`])[^\s\"'`]{4,}\2",
        r"\1\2…\2",
    ),
    (
        r"(?i)(\w*(?:key|auth|pwd)\w*[\"']?(?:[^\n\"'`]{0,40}[=:(]|[ \t])\s*)"
        r"([\"'`])(?=[^\"'`]*[0-9])(?=[^\"'`]*[a-zA-Z])[\w+/=.-]{12,}\2",
        r"\1\2…\2",
    ),
    (
        r"(?i)\b([\w.-]*(?:passw|secret|token|api_?key|credential|auth)[\w.-]*\s*[=:]\s*)"
        r"(?=[^\s]*[0-9])(?=[^\s]*[a-zA-Z])[\w+/=.~-]{8,}",
        r"\1…",
    ),
    (r"(\s-u\s+[\w.-]+:)\S+", r"\1…"),
    (
        r"\b(?:gh[pousr]_\w{16,}|github_pat_\w{20,}|sk-[\w-]{16,}|xox[a-z]-[\w-]{10,}|"
        r"AKIA[0-9A-Z]{12,}|eyJ[\w-]{10,}\.[\w-]{5,}[\w.-]*)",
        "…",
    ),
    (r"(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", "…"),
]


def is_secret_path(path: str) -> bool:
    """Whether a file is one that holds credentials: it is listed by name and never opened."""
    return re.search(_SECRET_PATH, path) is not None


_SECRET_PATH = (
    r"(?i)(?:^|/)(?:\.env(?:\..*)?|.*\.env|[^/]*\.(?:pem|key|p12|pfx|jks|keystore|tfvars)|id_[a-z0-9]+"
    r"|\.npmrc|\.netrc|\.pypirc|\.pgpass|\.htpasswd|credentials|secrets?\.(?:ya?ml|json|toml|ini|env))$"
)


def estimate_tokens(text: str) -> int:
    """Tokens of a text without a tokenizer, fitted to stay above what o200k_base counts."""
    total = 0.0
    for piece in re.finditer(_PIECES, text):
        total += _piece_cost(piece[0], piece.lastgroup or "")
    return max(-int(-total * _ESTIMATE_MARGIN // 1), -(-len(text.encode("utf-8", "replace")) // 3))


_ESTIMATE_MARGIN = 1.12  # measured elsewhere: 99.7 % of maps stay within their true budget
_PIECES = (
    r"(?s)(?P<word>[^\w\r\n]?(?:[A-Z]?[a-z]+|[A-Z]+(?![a-z])))|(?P<number>[0-9]{1,3})"
    r"|(?P<cjk>[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]+)|(?P<letters>[^\W\d_A-Za-z]+)"
    r"|(?P<space>\s+)|(?P<marks>[^\w\s]+|_)|(?P<other>.)"
)
_GLUE = {"": 0.0, " ": 0.0, ".": 0.05, "_": 0.05, "(": 0.05} | dict.fromkeys("-\\#\t/=[<;'", 0.35)


def _piece_cost(piece: str, kind: str) -> float:
    if kind == "word":
        glued = "" if piece[0].isalpha() else piece[0]
        size, glue = len(piece) - len(glued), _GLUE.get(glued, 0.67)
        if size > 1 and piece[-2:].isupper():
            return 0.83 + glue + 0.16 * size + 0.2 * max(0, size - 12)
        long = 0.045 * max(0, size - 4) + 0.035 * max(0, size - 8) + 0.2 * max(0, size - 12)
        return 1 + glue + long
    size = len(piece)
    if kind == "cjk":
        return 0.66 + 0.72 * size
    if kind == "letters":
        return (1.08 + 0.14 * size) if piece[0] < "\u0250" else 0.8 + 0.2 * size
    if kind == "space":
        return 1 + size // 90
    if kind == "marks":
        if not piece.isascii():
            return 1 + (1.3 if piece[0] > "\uffff" else 0.6) * size
        if size > 2 and len(set(piece)) == 1:
            return 1 + 0.045 * min(size, 40) + size // 64
        return 1.0 if size < 3 else 1 + 0.4 * (size - 2)
    return 1.0


SECTION_VERSION = 1
_BEGIN = rb"<!-- BEGIN CTX MANAGED SECTION v(\d{1,6}) -->"
_END = b"<!-- END CTX MANAGED SECTION -->"
_DIGEST = rb"<!-- sha256:([0-9a-f]{64}) -->"


def find_section(source: bytes) -> Span | None:
    """The managed section of a file, or None; CtxError `LINE: what` unless it is one whole pair."""
    begin: tuple[int, int, bytes, int] | None = None  # line number, version, line ending, offset
    found: Span | None = None
    inside: list[bytes] = []
    offset = len(_BOM) if source.startswith(_BOM) else 0
    lines = _lines(source[offset:])
    hidden = _fenced_lines(lines)
    for number, line in enumerate(lines, 1):
        bare = re.sub(rb"\r?\n\Z", b"", line)
        mark = None if number in hidden else re.fullmatch(_BEGIN, bare)
        if mark:
            if begin or found:
                raise CtxError(f"{number}: a second managed section begins; keep one of them")
            begin = number, int(mark[1]), line[len(bare) :] or b"\n", offset
            inside = []
        elif bare == _END and number not in hidden:
            if not begin or found:
                raise CtxError(
                    f"{number}: managed section ends without a beginning; remove this line"
                )
            body, digest = b"\n".join(inside), ""
            claim = re.fullmatch(_DIGEST, inside[0]) if inside else None
            if claim:
                body, digest = b"\n".join(inside[1:]), claim[1].decode()
            found = Span(begin[3], offset + len(line), begin[1], body, digest, begin[2])
            begin = None
        elif begin:
            inside.append(bare)
        offset += len(line)
    if begin:
        raise CtxError(f"{begin[0]}: managed section has no end; restore its END marker")
    return found


def _lines(source: bytes) -> list[bytes]:
    """Lines that end in \n, with their endings; a lone \r does not end a line."""
    return [line + b"\n" for line in source.split(b"\n")[:-1]] + [
        line for line in [source.rpartition(b"\n")[2]] if line
    ]


def _fenced_lines(lines: Sequence[bytes]) -> set[int]:
    """Numbers of the lines inside closed code fences, where markers are only quoted."""
    hidden: set[int] = set()
    opened, mark = 0, b""
    for number, line in enumerate(lines, 1):
        found = re.match(rb" {0,3}(`{3,}|~{3,})([^\r\n]*)", line)
        if not found:
            continue
        if not mark:
            if not (found[1][:1] == b"`" and b"`" in found[2]):
                opened, mark = number, found[1]
        elif found[1].startswith(mark) and not found[2].strip():
            hidden.update(range(opened, number + 1))
            mark = b""
    return hidden


def is_pristine(span: Span) -> bool:
    """Whether the section is as ctx.py wrote it."""
    return bool(span.digest) and span.digest == content_hash(span.body)


def content_hash(source: bytes) -> str:
    """The sha256 of some bytes, in hex."""
    import hashlib

    return hashlib.sha256(source).hexdigest()


def upsert_section(source: bytes | None, body: str, version: int = SECTION_VERSION) -> bytes:
    """The file with this section, in place of its old one or at its end; all else as it was."""
    span = find_section(source or b"")
    if any(re.fullmatch(_BEGIN, line) or line == _END for line in body.encode().split(b"\n")):
        raise CtxError("0: the section's text holds a marker line; take it out of that text")
    eol = span.eol if span else _line_ending(source or b"")
    inner = body.rstrip("\n").encode()
    section = eol.join(
        [
            f"<!-- BEGIN CTX MANAGED SECTION v{version} -->".encode(),
            f"<!-- sha256:{content_hash(inner)} -->".encode(),
            *inner.split(b"\n"),
            _END,
        ]
    )
    if span and source is not None:
        tail = eol if source[: span.stop].endswith(b"\n") else b""
        return source[: span.start] + section + tail + source[span.stop :]
    if source is None:
        return section + eol
    if source in (b"", _BOM):
        return source + section
    # No blank line is lost or gained on removal: a file without a final newline gets none.
    return source + (eol + section + eol if source.endswith(b"\n") else eol + eol + section)


_BOM = b"\xef\xbb\xbf"


def _line_ending(source: bytes) -> bytes:
    windows = source.count(b"\r\n")
    return b"\r\n" if windows * 2 > source.count(b"\n") else b"\n"


def remove_section(source: bytes) -> bytes | None:
    """The file as if the section had never been there; None if it was all the file held."""
    span = find_section(source)
    if not span:
        return source
    before, after = source[: span.start], source[span.stop :]
    if not after and not source.endswith(b"\n"):  # the file had no final newline
        return before.removesuffix(span.eol + span.eol)
    if not before and not after:
        return None
    blank = span.eol if before.endswith(b"\n" + span.eol) else b""
    return before.removesuffix(blank) + after


def section_state(source: bytes | None, body: str) -> str:
    """How a file's section stands to the text it should have: absent, current, stale, edited, newer."""
    span = find_section(source or b"")
    if span is None:
        return "absent"
    if span.version > SECTION_VERSION:
        return "newer"
    if not is_pristine(span):
        return "edited"
    return "current" if upsert_section(source, body) == source else "stale"


def seal(text: str) -> bytes:
    """A file that ctx.py owns until somebody edits it: the text, and a last line with its hash."""
    return f"{text}<!-- ctx sha256:{content_hash(text.encode())} -->\n".encode()


def unseal(source: bytes) -> tuple[str, bool]:
    """The text of a sealed file, and whether it is still as ctx.py wrote it."""
    text = source.decode("utf-8", "replace").replace("\r\n", "\n")
    match = re.search(r"<!-- ctx sha256:([0-9a-f]{64}) -->\n?\Z", text)
    if not match:
        return text, False
    return text[: match.start()], content_hash(text[: match.start()].encode()) == match[1]


class IgnoreRule(NamedTuple):
    """One line of a .gitignore, as a pattern over paths relative to the root."""

    pattern: re.Pattern[str]
    keep: bool  # a line with `!`
    folders_only: bool


def parse_ignore(text: str, folder: str) -> list[IgnoreRule]:
    """The rules of a .gitignore that stands in `folder` ("" is the root)."""
    rules = []
    for line in text.replace("\r\n", "\n").split("\n"):
        whole = re.fullmatch(r"((?:\\.|[^\\])*?) *", line)  # spaces at the end need a backslash
        line = whole[1] if whole else ""
        if not line or line.startswith("#"):
            continue
        keep, line = line.startswith("!"), line.removeprefix("!")
        folders_only, line = line.endswith("/"), line.removesuffix("/")
        anchored, line = "/" in line, line.removeprefix("/")
        prefix = re.escape(folder + "/") if folder else ""
        pattern = prefix + ("" if anchored else "(?:.*/)?") + glob_pattern(line)
        rules.append(IgnoreRule(re.compile(pattern, re.S), keep, folders_only))
    return rules


def is_ignored(path: str, rules: Sequence[IgnoreRule], *, folder: bool) -> bool:
    """Whether the last rule that matches leaves the path out."""
    for rule in reversed(rules):
        if (folder or not rule.folders_only) and rule.pattern.fullmatch(path):
            return not rule.keep
    return False


def glob_pattern(glob: str) -> str:
    """A regular expression for a glob: `**` crosses folders, `*` and `?` do not."""
    out = []
    for token in re.finditer(_GLOB_TOKEN, glob, re.S):
        text = token[0]
        if token["across"] is not None:
            out.append("(?:.*/)?" if text[-1] == "/" else ".*")
        elif text[0] == "*":
            out.append("[^/]*")
        elif text == "?":
            out.append("[^/]")
        elif token["some"] is not None:
            out.append(_bracket_pattern(token["not"] is not None, token["some"]))
        else:
            out.append(re.escape(text[-1]))
    return "".join(out)


_GLOB_TOKEN = (
    r"(?P<across>(?:^|(?<=/))\*{2,}(?:/|$))|\*+|\?"
    r"|\[(?P<not>[!^])?(?P<some>\]?(?:\\.|[^\]\\])*)\]|\\.|."
)


def _bracket_pattern(negated: bool, some: str) -> str:
    """A regular expression for `[a-z]` of a glob; a range that runs backwards matches nothing."""
    inner = re.sub(r"\\?(.)", lambda char: char[1] if char[0] == "-" else re.escape(char[1]), some)
    try:
        re.compile(f"[{inner}]")
    except re.error:
        return "(?!)"
    return f"(?!/)[{'^' if negated else ''}{inner}]"


# ---- 3 LANGUAGES (pure) ----------------------------------------------------
# The language table and its compiler. Knows nothing of tree-sitter itself. Uses: TYPES.


# ---- 4 TEMPLATES (pure) ----------------------------------------------------
# The texts that ctx.py writes, copied from templates/ by tests/embed.py. Uses: TYPES.

# fmt: off
# begin generated by tests/embed.py from templates/ -- do not edit
TEMPLATES = {
    "agents-section.md": r"""
<!-- Written by `{ctx} update`. Put your own words outside this section; `{ctx} update --remove` takes it out. -->
## Working in this repository

- Map of the code, most depended-on first: `.ctx/map.md` (refresh: `{ctx} map`). Read it before searching.
- House rules: `.ctx/constitution.md`. How a task is worked through: `.ctx/runloop.md`.
{commands}{tasks}- Files for one task, with reasons: `{ctx} pack "what to do"`. Work within that package; report gaps rather than searching everywhere.
"""[1:],
    "claude-section.md": r"""
<!-- Written by `{ctx} update`. Put your own words outside this section; `{ctx} update --remove` takes it out. -->
{agents}@{up}.ctx/map.md
@{up}.ctx/constitution.md

- One task as a prompt: `{ctx} prompt TASK | claude -p`. The run loop for `--append-system-prompt-file`: `.ctx/runloop.md`.
"""[1:],
    "constitution.md": r"""
# Constitution

How we work here, whoever does the work. Change it freely: `ctx.py` wrote it once and will not touch it again.

1. **Serve, do not extract.** Every change leaves the person who uses this better off. If it only helps us, it does not ship.
2. **Earn attention, never manipulate it.** No dark patterns, no false urgency, no noise. Quiet software is respected.
3. **Verify before you ship.** Run the tests, run the thing itself, read the result. "Should work" is not a state.
4. **Say what you do not know.** Name the gap, the guess and the risk. A clear "I could not find out" beats a confident wrong answer.
5. **Build for the person who cannot afford to get it wrong.** Assume one chance, a slow machine, a bad day. Fail safe, lose nothing, explain the way back.
6. **Search before writing.** The helper, the pattern or the fix may already be here. Reuse it; two of a kind drift apart.
7. **No placeholders.** Nothing half-built is called done: no stubs, no skipped tests, no "later" without a task that says so.
8. **Leave it simpler.** The best change removes code. Explain the why where code cannot.
"""[1:],
    "runloop.md": r"""
# Run loop

You work on one task at a time, from its text to a verified end. The task, its acceptance criteria and the state of
the work are in your prompt; what is not there, look up in the repository before you assume it.

## For the task you were given

1. **Understand.** Read the task, its acceptance criteria and what earlier attempts learnt. Restate the goal to yourself
   in one sentence. If two readings are possible, take the one that the acceptance criteria support and write the
   assumption down.
2. **Search.** Find the code that already does this or something close: the map, then the named files, then a search.
   Reuse what exists. Do not start a second version of anything.
3. **Implement.** The smallest change that meets every criterion. No placeholders, no unrelated clean-up, no new
   dependency without need. Follow the habits of the code around you.
4. **Validate.** Run the feedback loops of this repository: build, tests, linter, type checker. Run the feature itself
   once, the way a user would. Add a test that fails without your change.
5. **Complete.** Only when every criterion holds: commit, close the task in its tracker, and report what was done, how
   it was checked, and what the next person should know.

## Rules

- One task. What else you notice becomes a note or a new task, not part of this change.
- Feedback loops run before the task is closed, never after.
- A failing check is information: find the cause. Do not weaken the check, skip the test or silence the warning.
- If the same approach failed before, choose another one and say why.
- Files that belong to the loop (its state, its ledger, its logs) are read, not edited.

## Signals

- Blocked, by a missing decision, access or fact that you cannot get: stop changing code, leave the repository in a
  working state, and answer with `<stuck>` followed by what is missing and what you tried.
- The escape hatch: if the task turns out wrong, already done or far larger than it says, do not force it. Say so,
  propose how to split or change it, and end with `<stuck>`.
- Everything in the list of tasks is done and verified: answer with `<promise>COMPLETE</promise>`. Never before.
"""[1:],
}
# end generated
# fmt: on


def fill(name: str, **values: str) -> str:
    """A template with its `{placeholders}` filled; a missing or unknown name is an error."""
    text = TEMPLATES[name]
    wanted = set(re.findall(r"\{([a-z_]+)\}", text))
    if wanted != set(values):
        odd = ", ".join(sorted(wanted ^ set(values)))
        raise CtxError(f"templates/{name}: placeholders and values differ: {odd}; correct the call")
    return re.sub(r"\{([a-z_]+)\}", lambda match: values[match[1]], text)


# ---- 5 TAGS (pure) ---------------------------------------------------------
# Bytes of one file in, its tags out. Uses: TYPES LANGUAGES.


# ---- 6 FACTS (pure) --------------------------------------------------------
# Texts of config files in, stack, commands and key files out. Uses: TYPES TEXT.


# ---- 7 LINKS (pure) --------------------------------------------------------
# Imports as written in, files of this repository out. Uses: TYPES.


# ---- 8 RANK (pure) ---------------------------------------------------------
# Tags in, scores out. Knows nothing of files, tokens or markdown. Uses: TYPES.


# ---- 9 SELECT (pure) -------------------------------------------------------
# What fits a budget. Uses: TYPES.


# ---- 10 RENDER (pure) ------------------------------------------------------
# Values in, markdown and JSON out. Uses: TYPES TEXT.


_VERBS = ("install", "build", "test", "lint", "typecheck", "format", "run")


def render_section_commands(commands: Sequence[Command]) -> str:
    """One line a verb, for the managed section: `- Test: `pytest``."""
    lines = []
    for verb in _VERBS:
        found = [each for each in commands if each.verb == verb and not each.folder]
        if found:
            lines.append(f"- {verb.capitalize()}: {code_span(redact(found[0].line))}\n")
    return "".join(lines)


def render_findings(findings: Sequence[Finding], form: str) -> str:
    """The doctor's findings as lines for a person, or as JSON."""
    if form == "json":
        import json

        return json.dumps([finding._asdict() for finding in findings], indent=2) + "\n"
    lines = []
    for finding in findings:
        mark, todo = ("todo", f"; do: {finding.fix}") if finding.fix else ("ok", "")
        lines.append(f"{mark:<5} {show(finding.what)}: {show(finding.state, 200)}{todo}\n")
    return "".join(lines)


def render_diff(changes: Sequence[Change]) -> str:
    """What a plan would change, as a unified diff."""
    import difflib

    out = []
    for change in changes:
        if change.old == change.new:
            continue
        old, new = (_diff_lines(side) for side in (change.old, change.new))
        names = (
            "/dev/null" if change.old is None else f"a/{change.path}",
            "/dev/null" if change.new is None else f"b/{change.path}",
        )
        for line in difflib.unified_diff(old, new, *names, n=3):
            out.append(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n")
    return "".join(out)


def _diff_lines(source: bytes | None) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+", (source or b"").decode("utf-8", "surrogateescape"))


# ---- 11 DISK (world) -------------------------------------------------------
# Files, git, environment, configuration, tokens, talk. Decides nothing. Uses: TYPES TEXT.


def say(project: Project, text: str) -> None:
    """One line of talk on stderr, unless the user asked for quiet."""
    if not project.quiet:
        warn(text)


def warn(text: str) -> None:
    """One line on stderr that also a quiet run shows."""
    line = f"ctx: {show(redact(text), 400)}\n".encode("utf-8", "backslashreplace")
    try:
        sys.stderr.buffer.write(line)
        sys.stderr.buffer.flush()
    except (OSError, ValueError, AttributeError):
        pass  # nobody listens; the exit code still tells


def write_stdout(text: str) -> None:
    """The product, as UTF-8 whatever the locale; a closed pipe ends it quietly."""
    if sys.stdout is None:
        raise CtxError("stdout: is closed; give the output a place")
    try:
        sys.stdout.buffer.write(to_bytes(text))
        sys.stdout.buffer.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # so that the exit does not complain either
        if not isinstance(error, BrokenPipeError):
            raise CtxError(f"stdout: cannot write: {error.strerror}; make room") from error


def to_bytes(text: str) -> bytes:
    """UTF-8; bytes of a file that are not, kept by surrogateescape, are themselves again."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace")


def find_root(start: str) -> str:
    """The repository's root at or above a folder: where .ctx or .git is, else the folder itself."""
    try:
        here = os.path.realpath(start)
    except OSError as error:
        raise CtxError(f"working folder: {error.strerror}; change to another folder") from error
    if not os.path.isdir(here):
        raise CtxError(f"{start}: not a folder; give --root an existing folder")
    folder = here
    while True:
        if any(os.path.lexists(os.path.join(folder, name)) for name in (".git", ".ctx")):
            return folder
        above = os.path.dirname(folder)
        if above == folder:
            return here
        folder = above


# -- configuration

_RANGES: dict[str, tuple[float, float]] = {
    "map_token_budget": (100, 10_000),
    "map_max_depth": (1, 10),
    "pack_token_budget": (100, 1_000_000),
    "pack_ast_weight": (0, 1),
    "pack_semantic_weight": (0, 1),
    "pack_min_relevance": (0, 1),
    "pack_summary_max_tokens": (100, 100_000),
    "prompt_budget_bytes": (1_000, 10_000_000),
    "anchor_frequency": (1, 1_000),
    "anchor_git_commits": (0, 100),
    "anchor_progress_lines": (0, 1_000),
    "anchor_max_prompt_lines": (0, 10_000),
}
ANCHOR_SOURCES = ("prompt", "agent", "task", "git", "progress", "epic", "deps", "retry")
_CHOICES: dict[str, tuple[str, ...]] = {
    "scan_mode": ("incremental", "full"),
    "tokens_encoding": ("o200k_base", "cl100k_base", "estimate"),
    "anchor_sources": ANCHOR_SOURCES,
}


def read_config(root: str) -> Config:
    """Environment over .ctx/config.toml over [tool.ctx] of pyproject.toml over the defaults."""
    values: dict[str, object] = {}
    pyproject = _read_toml(root, "pyproject.toml", strict=False)
    tool = pyproject.get("tool")
    if isinstance(tool, dict) and isinstance(tool.get("ctx"), dict):
        values |= _flat_settings("pyproject.toml [tool.ctx]", tool["ctx"])
    values |= _flat_settings(".ctx/config.toml", _read_toml(root, ".ctx/config.toml", strict=True))
    for field, default in Config._field_defaults.items():
        text = os.environ.get(f"CTX_{field.upper()}")
        if text is not None and not isinstance(default, dict):
            where = f"CTX_{field.upper()}"
            values[field] = check_setting(where, field, _parse_setting(where, text, default))
    return Config(**values)  # type: ignore[arg-type]


def _read_toml(root: str, path: str, *, strict: bool) -> dict[str, object]:
    place = os.path.join(root, path)
    source = read_file(place)
    if strict and source is None and os.path.lexists(place):
        raise CtxError(f"{path}: cannot be read; make it a plain, readable file")
    if source is None or (not strict and b"tool.ctx" not in source):
        return {}
    import tomllib

    try:
        return tomllib.loads(source.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:  # also numbers and nesting beyond all measure
        raise CtxError(f"{path}: not valid TOML: {error}; correct it") from error


def _flat_settings(where: str, table: Mapping[str, object]) -> dict[str, object]:
    """{"map_token_budget": 800} of {"map": {"token_budget": 800}}, each checked."""
    values: dict[str, object] = {}
    for group, inner in table.items():
        if not isinstance(inner, dict):
            raise CtxError(f"{where}: unknown key {group}; keys stand in tables such as [map]")
        if group == "domains":
            if not all(isinstance(name, str) for name in inner.values()):
                raise CtxError(f"{where}: domains: each prefix needs a name in quotes; correct it")
            values["domains"] = dict(inner)
        elif group == "roles":
            values["roles"] = {name: _role_paths(where, name, role) for name, role in inner.items()}
        else:
            for key, value in inner.items():
                values[f"{group}_{key}"] = check_setting(where, f"{group}_{key}", value)
    return values


def _role_paths(where: str, name: str, role: object) -> tuple[str, ...]:
    paths = role.get("paths") if isinstance(role, dict) else None
    if not isinstance(paths, list) or not all(isinstance(path, str) for path in paths):
        raise CtxError(f"{where}: roles.{name}: needs paths, a list of globs; correct it")
    return tuple(paths)


def check_setting(where: str, field: str, value: object) -> object:
    """The value if it has the setting's type and range; CtxError names the file, key and range."""
    key = field.replace("_", ".", 1)
    default = Config._field_defaults.get(field)
    if default is None or isinstance(default, dict):
        raise CtxError(f"{where}: unknown key {key}; {closest(key, _setting_keys())}")
    if isinstance(default, tuple):
        if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
            raise CtxError(f"{where}: {key} must be a list of texts; correct it")
        value = tuple(value)
    elif isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if type(value) is not type(default):
        kinds = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
        raise CtxError(f"{where}: {key} must be {kinds[type(default)]}; correct it")
    low, high = _RANGES.get(field, (0, 0))
    if field in _RANGES and not low <= float(str(value)) <= high:
        raise CtxError(f"{where}: {key} is {value}; it must be {low} to {high}")
    for word in value if isinstance(value, tuple) else (value,):
        if field in _CHOICES and word not in _CHOICES[field]:
            raise CtxError(f"{where}: {key} is {word}; it must be {', '.join(_CHOICES[field])}")
    return value


def _parse_setting(where: str, text: str, default: object) -> object:
    """The text of an environment variable as a value of the default's type."""
    if isinstance(default, tuple):
        return [word for word in re.split(r"[\s,]+", text) if word]
    if isinstance(default, bool):
        words = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
        if text.lower() not in words:
            raise CtxError(f"{where}: must be true or false; correct it")
        return words[text.lower()]
    if isinstance(default, int):
        return parse_number(where, text)
    if isinstance(default, float):
        if not re.fullmatch(r"\d{1,7}(\.\d{1,9})?", text):
            raise CtxError(f"{where}: must be a number; correct it")
        return float(text)
    return text


def parse_number(where: str, text: str) -> int:
    """A whole number of at most 7 digits; CtxError names what it was for."""
    if not re.fullmatch(r"[0-9]{1,7}", text, re.ASCII):
        raise CtxError(
            f"{where}: {show(text, 20)!r} is not a whole number up to 9999999; give digits"
        )
    return int(text)


def _setting_keys() -> list[str]:
    return [field.replace("_", ".", 1) for field in Config._fields]


def closest(word: str, known: Sequence[str]) -> str:
    """What to do about a word that is not known: the nearest one, or all of them."""
    import difflib

    close = difflib.get_close_matches(word, known, 1)
    return f"did you mean {close[0]}?" if close else f"known: {', '.join(known)}"


# -- reading


def read_file(place: str, limit: int = 50_000_000) -> bytes | None:
    """The bytes of a regular file, never through a symlink; None if that cannot be had."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        handle = os.open(place, flags | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0))
    except (OSError, ValueError):
        return None
    try:
        info = os.fstat(handle)
        if not stat.S_ISREG(info.st_mode) or info.st_size > limit:
            return None
        with open(handle, "rb", closefd=False) as file:
            return file.read(limit)
    except OSError:
        return None
    finally:
        os.close(handle)


def read_source(project: Project, path: str) -> bytes | None:
    """The bytes of a file of the repository; None if it is absent, unreadable or leads out."""
    place = os.path.join(project.root, path)
    folder = os.path.realpath(os.path.dirname(place))
    if folder != project.root and not folder.startswith(project.root.rstrip(os.sep) + os.sep):
        return None
    return None if is_secret_path(path) else read_file(place)


def read_text(project: Project, path: str) -> str | None:
    """The text of a file of the repository, or None; bytes that are no UTF-8 become marks."""
    source = read_source(project, path)
    if source is None:
        return None
    return source.decode("utf-8-sig", "replace").replace("\r\n", "\n")


def list_folder(project: Project, folder: str) -> list[str]:
    """The names in a folder of the repository, sorted; empty if there is no such folder."""
    try:
        return sorted(os.listdir(os.path.join(project.root, folder)))
    except OSError:
        return []


def run_git(project: Project, *args: str, limit: float = 60) -> bytes | None:
    """What git prints, or None if it fails; no setting of the repository makes it run a program."""
    import subprocess

    settings = (
        "core.fsmonitor=false",
        f"core.hooksPath={os.devnull}",
        "core.untrackedCache=false",
        "log.showSignature=false",
        "core.quotePath=false",
    )
    command = ["git", "--no-pager", "--literal-pathspecs"]
    command += [part for setting in settings for part in ("-c", setting)]
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    # the user's own choice of configuration files is not the repository's
    for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM"):
        if name in os.environ:
            env[name] = os.environ[name]
    env |= {
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "LC_ALL": "C",
    }
    try:
        done = subprocess.run(
            [*command, "-C", project.root, *args],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=env,
            timeout=limit,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout if done.returncode == 0 else None


# -- writing

_TEMPORARY = ".ctx-tmp-"  # then process id and random letters; see _sweep


def write_changes(project: Project, changes: Iterable[Change]) -> list[str]:
    """Write every file or none; the paths that changed. Equal bytes are not written again."""
    staged: list[tuple[Change, str, str]] = []  # change, real place, temporary file ("" to delete)
    made: list[str] = []  # folders, outermost first
    try:
        for change in changes:
            if change.new != change.old:
                place = find_place(project, change.path)
                made += _missing_folders(place)
                staged.append((change, place, _stage(change, place)))
        for change, place, _ in staged:
            if read_file(place) != change.old:
                raise CtxError(f"{change.path}: changed while ctx was running; run it again")
        _commit(staged)
    except OSError as error:
        path = staged[-1][0].path if staged else "?"
        raise CtxError(f"{path}: cannot write: {error.strerror}; nothing was changed") from error
    finally:
        _unstage([temporary for _, _, temporary in staged], made)
    return [change.path for change, _, _ in staged]


def _missing_folders(place: str) -> list[str]:
    """The folders that a file at this place still needs, outermost first."""
    missing: list[str] = []
    folder = os.path.dirname(place)
    while not os.path.lexists(folder):
        missing.insert(0, folder)
        folder = os.path.dirname(folder)
    return missing


def _unstage(temporaries: Sequence[str], made: Sequence[str]) -> None:
    """Take away what was prepared and not used: temporary files, and folders still empty."""
    for temporary in filter(None, temporaries):
        with contextlib.suppress(OSError):
            os.unlink(temporary)
    for folder in reversed(made):
        with contextlib.suppress(OSError):
            os.rmdir(folder)


def plan_file(project: Project, path: str, new: bytes | None) -> Change:
    """The change that gives a file these bytes; CtxError if what is there cannot be read."""
    return Change(path, read_old(project, path), new)


def read_old(project: Project, path: str) -> bytes | None:
    """The bytes that a change would replace, None if there are none; what is unreadable is refused."""
    place = find_place(project, path)
    source = read_file(place)
    if source is None and os.path.lexists(place) and not os.path.islink(place):
        what = "is a folder" if os.path.isdir(place) else "cannot be read"
        raise CtxError(f"{path}: {what}; move it away or make it readable")
    return source


def write_file(place: str, source: bytes) -> None:
    """Replace one file that the user named, in one step; relative to the working folder."""
    full = os.path.realpath(place)
    change = Change(place, None, source)
    temporary = ""
    try:
        if os.path.exists(full) and not os.path.isfile(full) and not os.path.isdir(full):
            with open(full, "wb") as file:  # a device or a pipe is written to, never replaced
                file.write(source)
            return
        temporary = _stage(change, full)
        _commit([(change, full, temporary)])
    except OSError as error:
        raise CtxError(f"{place}: cannot write: {error.strerror}; choose another place") from error
    finally:
        _unstage([temporary], [])


def find_place(project: Project, path: str) -> str:
    """Where a path really lies: instruction files may be links inside the repository."""
    place = os.path.join(project.root, path)
    folder = os.path.realpath(os.path.dirname(place))
    place = os.path.join(folder, os.path.basename(place))
    if os.path.islink(place) and not path.startswith((".ctx/", ".runner/")):
        place = os.path.realpath(place)
        if os.path.islink(place):
            raise CtxError(f"{path}: a link that leads back to itself; replace it by a file")
    if not is_inside(project, place):
        raise CtxError(f"{path}: leads out of the repository; replace the link by a file")
    return place


def find_path(project: Project, text: str) -> str:
    """The path of a file that the user named, from the root or in full; CtxError if it is outside."""
    path = os.path.relpath(os.path.join(project.root, text), project.root).replace(os.sep, "/")
    if path.split("/")[0] in ("..", ".git"):
        raise CtxError(f"{text}: is not a file of this repository; give a path inside it")
    return path


def is_inside(project: Project, place: str) -> bool:
    """Whether an absolute place without symlinks lies in the repository."""
    return place.startswith(project.root.rstrip(os.sep) + os.sep)


def _stage(change: Change, place: str) -> str:
    """A temporary file beside `place` with the new bytes, safe on the disk; "" for a deletion."""
    try:
        if os.path.isdir(place):
            raise CtxError(f"{change.path}: is a folder; move it away")
        folder = os.path.dirname(place)
        if change.new is None:
            if not os.access(folder, os.W_OK | os.X_OK):
                raise CtxError(f"{change.path}: its folder is read-only; nothing was changed")
            return ""
        os.makedirs(folder, exist_ok=True)
        _sweep(folder)
        name = f"{_TEMPORARY}{os.getpid()}-{os.urandom(6).hex()}"
        temporary = os.path.join(folder, name)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        handle = os.open(temporary, flags, 0o600)
        try:
            with open(handle, "wb") as file:
                file.write(change.new)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(temporary, _mode_of(place))
        except OSError:
            os.unlink(temporary)
            raise
        return temporary
    except OSError as error:
        reason = error.strerror or "failed"
        raise CtxError(f"{change.path}: cannot write: {reason}; nothing was changed") from error


def _mode_of(place: str) -> int:
    try:
        return stat.S_IMODE(os.stat(place).st_mode)
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def _sweep(folder: str) -> None:
    """Remove what a killed run left behind: temporary files whose process is gone."""
    for name in os.listdir(folder):
        if not name.startswith(_TEMPORARY):
            continue
        owner = name.removeprefix(_TEMPORARY).partition("-")[0]
        if owner.isdigit() and not _is_alive(int(owner)):
            with contextlib.suppress(OSError):
                os.unlink(os.path.join(folder, name))


def _is_alive(process: int) -> bool:
    if os.name == "nt":
        return False  # an open file cannot be removed there, so trying is safe
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _commit(staged: Sequence[tuple[Change, str, str]]) -> None:
    """Put the staged files in place; what was replaced comes back if a later one fails."""
    done: list[tuple[Change, str]] = []
    try:
        for change, place, temporary in staged:
            if temporary:
                os.replace(temporary, place)
            else:
                os.unlink(place)
            done.append((change, place))
            _sync_folder(os.path.dirname(place))
    except OSError:
        for change, place in done:
            if change.old is None:
                os.unlink(place)
            else:
                with open(place, "wb") as file:
                    file.write(change.old)
        raise


def _sync_folder(folder: str) -> None:
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


# -- listing

OWN_FOLDERS = (".ctx", ".runner", ".git")
# what a walk without git would drown in; git's own list is taken as it is
_SKIPPED_FOLDERS = frozenset(
    ".git .hg .svn .ctx .runner node_modules bower_components __pycache__ .venv venv .tox .nox"
    " .mypy_cache .pytest_cache .ruff_cache .gradle .idea .vscode .next .nuxt .terraform .cache".split()
)


def list_files(project: Project) -> dict[str, Stamp]:
    """Every regular file of the repository with its stamp, sorted by the bytes of its name."""
    names = _list_by_git(project)
    if names is None:
        names = _list_by_walk(project)
    exclude = [re.compile(glob_pattern(glob)) for glob in project.config.map_exclude]
    files: dict[str, Stamp] = {}
    folders: dict[str, bool] = {
        "": True
    }  # folder -> whether it is really inside, no link on the way
    base = os.fsencode(project.root) + b"/"
    for name in sorted(set(names)):
        path = os.fsdecode(name)
        folder, _, _ = path.rpartition("/")
        if folder not in folders:
            folders[folder] = _is_plain_folder(project, folder)
        if not folders[folder] or any(pattern.fullmatch(path) for pattern in exclude):
            continue
        try:
            info = os.lstat(base + name)
        except OSError:
            continue  # tracked, but gone: sparse, deleted, or deleted just now
        if stat.S_ISREG(info.st_mode):
            files[path] = Stamp(
                info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino, info.st_dev
            )
    return files


def _is_plain_folder(project: Project, folder: str) -> bool:
    if folder.partition("/")[0] in OWN_FOLDERS:
        return False
    place = os.path.join(project.root, folder)
    return os.path.realpath(place) == os.path.normpath(place)


def _list_by_git(project: Project) -> list[bytes] | None:
    """What git tracks or would track; None where git cannot say."""
    if not has_git_folder(project.root):
        return None
    out = run_git(project, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    if out is None:
        say(project, "git: cannot list this repository; files are found by walking instead")
        return None
    return out.split(b"\0")[:-1] or None


def has_git_folder(root: str) -> bool:
    """Whether a folder or one above it is a git work tree."""
    folder = root
    while not os.path.lexists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return False
        folder = above
    return True


def _list_by_walk(project: Project) -> list[bytes]:
    """Every file below the root that no .gitignore leaves out; links are not followed."""
    found: list[bytes] = []
    pending: list[tuple[str, list[IgnoreRule]]] = [("", [])]
    while pending:
        folder, rules = pending.pop()
        source = read_file(os.path.join(project.root, folder, ".gitignore"), 1_000_000)
        if source is not None:
            rules = rules + parse_ignore(source.decode("utf-8", "replace"), folder)
        try:
            entries = list(os.scandir(os.path.join(project.root, folder)))
        except OSError:
            continue
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            is_folder = entry.is_dir(follow_symlinks=False)
            if is_ignored(path, rules, folder=is_folder):
                continue
            if not is_folder:
                found.append(os.fsencode(path))
            elif entry.name not in _SKIPPED_FOLDERS:
                pending.append((path, rules))
    return found


# -- the private environment


def script_command(project: Project) -> str:
    """How to call this very script from the repository's root: `python ctx.py`, or `ctx`."""
    script = os.path.realpath(__file__)
    if not is_inside(project, script):
        return "ctx"
    path = os.path.relpath(script, project.root).replace(os.sep, "/")
    if re.fullmatch(r"[\w./-]+", path):
        return f"python {path}"
    import shlex

    return f"python {shlex.quote(path)}"


def cache_home() -> str:
    """The user's cache folder for ctx, on this platform."""
    if os.name == "nt":
        base = os.environ.get("LOCALAPPDATA") or os.path.expanduser("~\\AppData\\Local")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(base, "ctx")


def read_pins() -> list[str]:
    """The packages that this file's own header asks for."""
    source = read_file(os.path.realpath(__file__)) or b""
    header = source.decode("utf-8", "replace").partition("# ///\n")[0]
    return re.findall(r'^#     "([^"]+)",$', header, re.M)


def private_environment() -> str:
    """Where setup keeps the packages of these pins for this Python; it may not exist yet."""
    import hashlib

    tag = f"{sys.implementation.cache_tag}-{sys.platform}"
    key = hashlib.sha256("\n".join([tag, *read_pins()]).encode()).hexdigest()[:12]
    return os.path.join(cache_home(), f"{tag}-{key}")


def _site_packages(environment: str) -> str:
    if os.name == "nt":
        return os.path.join(environment, "Lib", "site-packages")
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    return os.path.join(environment, "lib", version, "site-packages")


def has_parsers(project: Project) -> bool:
    """Whether the parsers can be used; says what to do if not. A command asks once."""
    if use_packages():
        return True
    say(
        project,
        f"parsers: not installed, the map is approximate; run `{script_command(project)} setup`",
    )
    return False


def use_packages() -> bool:
    """Whether the parsers can be imported, after looking into the private environment too."""
    return _PARSERS not in list_missing()


_PARSERS = "tree-sitter-language-pack"


def list_missing() -> list[str]:
    """The pinned packages that cannot be used, neither from here nor from the private environment.

    An interpreter that has them all is used as it is; else the private environment goes first.
    """
    names = [_pin_name(pin) for pin in read_pins()]
    missing = [name for name in names if not _has_package(name)]
    folder = _site_packages(private_environment()) if missing else ""
    if folder and folder not in sys.path and os.path.isdir(folder):
        import importlib

        sys.path.insert(0, folder)
        importlib.invalidate_caches()
        missing = [name for name in names if not _has_package(name)]
    return missing


def _has_package(name: str) -> bool:
    """Whether a package can be imported; one that would download its grammars does not count."""
    from importlib.util import find_spec

    spec = find_spec(name.replace("-", "_"))
    if spec is None or name != _PARSERS:
        return spec is not None
    site = os.path.dirname(os.path.dirname(spec.origin or ""))
    try:
        return not any(
            re.match(r"tree_sitter_language_pack-[1-9]", entry) for entry in os.listdir(site)
        )
    except OSError:
        return True


def _pin_name(pin: str) -> str:
    return re.split(r"[<>=]", pin)[0]


def write_environment(project: Project) -> str:
    """Install the pinned packages into the private environment, whole or not at all; its place."""
    import shutil
    import tempfile

    target = private_environment()
    if os.path.isdir(target):
        return target
    try:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        _sweep_folders(os.path.dirname(target))
        folder = tempfile.mkdtemp(prefix=f"{_TEMPORARY}{os.getpid()}-", dir=os.path.dirname(target))
    except OSError as error:
        raise CtxError(f"setup: {error.strerror}: {cache_home()}; set XDG_CACHE_HOME") from error
    try:
        _run_step(project, "making a private environment", [sys.executable, "-m", "venv", folder])
        python = os.path.join(folder, "Scripts" if os.name == "nt" else "bin", "python")
        pip = [python, "-m", "pip", "--disable-pip-version-check", "--no-input", "install", "-q"]
        _run_step(project, "installing the parsers", [*pip, *read_pins()])
        with contextlib.suppress(OSError):  # another setup was faster: its result is the same
            os.rename(folder, target)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if not os.path.isdir(target):
        raise CtxError(f"setup: could not keep {show(target)}; free the place and run it again")
    return target


def _run_step(project: Project, what: str, command: Sequence[str], limit: float = 1800) -> None:
    """Run one step of setup within `limit` seconds, showing on a terminal that it goes on."""
    import subprocess
    import time

    begin = time.monotonic()
    try:
        with subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        ) as process:
            while True:
                try:
                    out, _ = process.communicate(timeout=0.5)
                    break
                except subprocess.TimeoutExpired:
                    if time.monotonic() - begin > limit:
                        process.kill()
                    show_progress(project, f"{what} … {time.monotonic() - begin:.0f} s")
                except BaseException:
                    process.kill()
                    raise
    except OSError as error:
        raise CtxError(f"setup: {what}: {error.strerror}; is Python whole?") from error
    finally:
        show_progress(project, "")
    if process.returncode:
        lines = [line for line in out.decode("utf-8", "replace").splitlines() if line.strip()]
        reason = next(
            (line for line in reversed(lines) if "rror" in line), lines[-1] if lines else "failed"
        )
        raise CtxError(f"setup: {what} failed: {show(reason, 160)}; check network and pip")


def _sweep_folders(parent: str) -> None:
    """Remove half-made environments whose process is gone."""
    import shutil

    for name in os.listdir(parent):
        owner = name.removeprefix(_TEMPORARY).partition("-")[0]
        if name.startswith(_TEMPORARY) and owner.isdigit() and not _is_alive(int(owner)):
            shutil.rmtree(os.path.join(parent, name), ignore_errors=True)


def show_progress(project: Project, text: str) -> None:
    """One line that is drawn over, only on a terminal; an empty text takes it away."""
    if not project.quiet and sys.stderr is not None and sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{text[:79]}")
        sys.stderr.flush()


def read_versions() -> dict[str, str]:
    """The installed version of each pinned package, "" where it is missing."""
    from importlib import metadata

    found = {}
    for pin in read_pins():
        name = _pin_name(pin)
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = ""
    return found


# -- tokens

_VOCABULARIES = {  # encoding -> file name in tiktoken's cache, sha256 of the right file
    "o200k_base": (
        "fb374d419588a4632f3f557e76b4b70aebbca790",
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    ),
    "cl100k_base": (
        "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    ),
}


class Counter(NamedTuple):
    """A way to count tokens, and its name."""

    name: str
    count: Count


def read_counter(project: Project) -> Counter:
    """tiktoken if its vocabulary is on this machine already, else the estimate."""
    encoding = project.config.tokens_encoding
    folder = find_vocabulary(encoding)
    if folder and "tiktoken" not in list_missing():
        os.environ["TIKTOKEN_CACHE_DIR"] = folder
        try:
            import tiktoken
        except ImportError:
            return Counter("estimate", estimate_tokens)
        encoder = tiktoken.get_encoding(encoding)
        return Counter(encoding, lambda text: len(encoder.encode_ordinary(text)))
    return Counter("estimate", estimate_tokens)


def find_vocabulary(encoding: str) -> str:
    """The folder that holds this encoding's vocabulary, whole and unchanged, or ""."""
    if encoding not in _VOCABULARIES:
        return ""
    import hashlib
    import tempfile

    name, digest = _VOCABULARIES[encoding]
    folders = [os.environ.get("TIKTOKEN_CACHE_DIR", ""), os.environ.get("DATA_GYM_CACHE_DIR", "")]
    folders += [os.path.join(cache_home(), "vocabulary")]
    folders += [os.path.join(tempfile.gettempdir(), "data-gym-cache")]
    for folder in filter(None, folders):
        source = read_file(os.path.join(folder, name))
        if source is not None and hashlib.sha256(source).hexdigest() == digest:
            return folder
    return ""


def write_packages(project: Project) -> None:
    """Install the parsers and fetch the vocabulary, what is missing of them; CtxError without them."""
    if not list_missing():
        say(project, "parsers: already there")
    else:
        say(project, f"parsers: installed in {write_environment(project)}")
    exact = write_vocabulary(project)
    state = "counted exactly" if exact else "estimated: the vocabulary could not be fetched"
    say(project, f"tokens: {state}")


def write_vocabulary(project: Project) -> bool:
    """Fetch the tokenizer's vocabulary into the user's cache; whether it is there now."""
    encoding = project.config.tokens_encoding
    if encoding == "estimate" or find_vocabulary(encoding):
        return True
    list_missing()  # so that the path below holds the private environment
    folder = os.path.join(cache_home(), "vocabulary")
    code = (
        f"import os, sys; os.environ['TIKTOKEN_CACHE_DIR'] = {folder!r}; sys.path += {sys.path!r}\n"
        f"import tiktoken; tiktoken.get_encoding({encoding!r})"
    )
    with contextlib.suppress(CtxError):  # told by the caller, who knows what it means
        fetch = [sys.executable, "-c", code]
        _run_step(project, "fetching the tokenizer's vocabulary", fetch, limit=120)
    return bool(find_vocabulary(encoding))


# ---- 12 INDEX (world) ------------------------------------------------------
# List, read, tag, remember. Uses: TYPES LANGUAGES TAGS DISK.


# ---- 13 TASKS (world) ------------------------------------------------------
# Tasks and earlier attempts, from their files. Uses: TYPES TEXT DISK.


# ---- 14 FLOWS (world) ------------------------------------------------------
# Each product as one paragraph of calls. Uses: TYPES TEXT TEMPLATES RENDER DISK.


AGENT_FILES = ("AGENTS.md", "CLAUDE.md")
MAP_PATH = ".ctx/map.md"
CONSTITUTION_PATH = ".ctx/constitution.md"
RUNLOOP_PATH = ".ctx/runloop.md"
SECTION_TOKENS, SECTION_LINES = 300, 25  # longer ones did no better, and cost every session
IGNORE_PATH = ".ctx/.gitignore"


def plan_init(project: Project, paths: Sequence[str]) -> Plan:
    """Everything `init` writes: sections in `paths`, constitution, run loop, map."""
    plan = _plan_sections(project, paths, force=False)
    return Plan([*_plan_own_files(project), *plan.changes], plan.notes)


def plan_update(project: Project, *, force: bool) -> Plan:
    """Everything `update` refreshes: what init made and nobody has edited since."""
    paths = list_managed(project)
    if not paths and not os.path.isdir(os.path.join(project.root, ".ctx")):
        ctx = script_command(project)
        raise CtxError(f"{show(os.path.basename(project.root))}: not set up; run `{ctx} init`")
    plan = _plan_sections(project, paths, force=force)
    return Plan([*_plan_own_files(project), *plan.changes], plan.notes)


def plan_remove(project: Project) -> Plan:
    """The changes that take every managed section out again."""
    changes = []
    for path in list_managed(project):
        old = read_old(project, path) or b""
        changes.append(Change(path, old, _in_file(path, remove_section, old)))
    notes = [] if changes else ["no managed section found; nothing to remove"]
    return Plan(changes, notes)


def _plan_own_files(project: Project) -> list[Change]:
    """The files below .ctx: what belongs to the user is only made, never changed."""
    runloop = TEMPLATES["runloop.md"]
    texts = {
        IGNORE_PATH: b"cache/\n",
        CONSTITUTION_PATH: TEMPLATES["constitution.md"].encode(),
        RUNLOOP_PATH: seal(runloop),
    }
    changes = [
        Change(path, None, text)
        for path, text in texts.items()
        if not os.path.lexists(find_place(project, path))
    ]
    old = read_old(project, RUNLOOP_PATH)
    text, pristine = unseal(old or b"")
    if pristine and text != runloop:
        changes.append(Change(RUNLOOP_PATH, old, seal(runloop)))
    map_text = make_map(project, project.config.map_token_budget)
    return [*changes, plan_file(project, MAP_PATH, map_text.encode())]


def read_runloop(project: Project) -> str:
    """The run loop of this repository, else the one that ctx.py brings along."""
    source = read_source(project, RUNLOOP_PATH)
    return TEMPLATES["runloop.md"] if source is None else unseal(source)[0]


def _plan_sections(project: Project, paths: Sequence[str], *, force: bool) -> Plan:
    """Sections for these files, one for a pair that is linked; edited ones are kept and named."""
    changes: list[Change] = []
    notes: list[str] = []
    seen: set[str] = set()
    for path in paths:
        place = find_place(project, path)
        if place in seen:
            continue
        seen.add(place)
        if not can_be_managed(path):
            raise CtxError(
                f"{path}: no instruction file; name a .md, .mdc or .txt file near the root"
            )
        old = read_old(project, path)
        body = make_section(project, path, old or b"")
        state = _in_file(path, section_state, old, body)
        if state == "newer":
            notes.append(f"{path}: its section was written by a newer ctx.py; left alone")
        elif state == "edited" and not force:
            ctx = script_command(project)
            notes.append(
                f"{path}: section edited by hand; kept (`{ctx} update --force` replaces it)"
            )
        else:
            if state == "edited" and old is not None:
                changes.append(_plan_copy(project, path, old))
                notes.append(f"{path}: section replaced; your text is in {changes[-1].path}")
            changes.append(Change(path, old, _in_file(path, upsert_section, old, body)))
    return Plan(changes, notes)


def _plan_copy(project: Project, path: str, old: bytes) -> Change:
    """The edited section, kept as a file of its own before it is replaced."""
    span = find_section(old)
    text = old[span.start : span.stop] if span else b""
    name = f"{path.replace('/', '-')}.{content_hash(text)[:8]}.md"
    return plan_file(project, f".ctx/kept/{name}", text)


def _in_file(path: str, step: Callable[..., T], *args: Any) -> T:
    """What a step on a file's bytes gives; its complaint begins with the file's name."""
    try:
        return step(*args)
    except CtxError as error:
        raise CtxError(f"{path}:{error}") from error


def make_section(project: Project, path: str, source: bytes) -> str:
    """The text of the managed section of one instruction file."""
    ctx = script_command(project)
    if os.path.basename(path).upper().startswith("CLAUDE") and not is_linked_pair(project):
        up = "../" * path.count("/")  # imports are relative to the importing file
        agents = f"@{up}AGENTS.md\n"
        own = (_in_file(path, remove_section, source) or b"").splitlines()
        has_own = agents.encode() in (line.strip() + b"\n" for line in own)
        return fill("claude-section.md", ctx=ctx, up=up, agents="" if has_own else agents)
    return make_agents_section(ctx, read_facts(project).commands, "")


def make_agents_section(ctx: str, commands: Sequence[Command], tasks: str) -> str:
    """The vendor-neutral section; commands that would make it too long are left out."""
    lines = render_section_commands(commands).splitlines(keepends=True)
    for kept in range(len(lines), -1, -1):
        text = fill("agents-section.md", ctx=ctx, commands="".join(lines[:kept]), tasks=tasks)
        if estimate_tokens(text) <= SECTION_TOKENS and text.count("\n") <= SECTION_LINES:
            return text
    return text


def is_linked_pair(project: Project) -> bool:
    """Whether AGENTS.md and CLAUDE.md are one file."""
    return find_place(project, AGENT_FILES[0]) == find_place(project, AGENT_FILES[1])


def list_managed(project: Project) -> list[str]:
    """The instruction files that hold a managed section, whole or damaged; a linked pair once."""
    names = {*list_files(project), *list_folder(project, "")}  # also those that git does not list
    names = {path for path in names if can_be_managed(path)} | {*AGENT_FILES}
    found: dict[str, str] = {}  # real place -> path
    for path in sorted(names, key=lambda path: (path not in AGENT_FILES, path)):
        source = read_old(project, path) if path in AGENT_FILES else read_source(project, path)
        if source and b" CTX MANAGED SECTION" in source and _has_section(source):
            found.setdefault(find_place(project, path), path)
    return list(found.values())


def can_be_managed(path: str) -> bool:
    """Whether `update` will look for a section in a file of this name."""
    return path.count("/") <= 3 and path.endswith((".md", ".mdc", ".markdown", ".txt", "rules"))


def _has_section(source: bytes) -> bool:
    try:
        return find_section(source) is not None
    except CtxError:
        return True  # damaged: whoever uses it will be told where


def read_facts(project: Project) -> Facts:
    """What the project's configuration files say."""
    return Facts((), (), (), (), ())


def make_map(project: Project, budget: int) -> str:
    """The map of this project, within `budget` tokens."""
    return "# Map\n"


def check_health(project: Project) -> list[Finding]:
    """What is installed, found, stale or broken, and for each fault the command that mends it."""
    ctx = script_command(project)
    return [
        *_check_packages(project, ctx),
        *_check_git(project),
        *_check_sections(project, ctx),
        *_check_own_files(project, ctx),
    ]


def _check_packages(project: Project, ctx: str) -> list[Finding]:
    import platform

    found = [Finding("python", platform.python_version(), "")]
    full = use_packages()
    for name, version in read_versions().items():
        fix = "" if version else f"{ctx} setup"
        if name == "tree-sitter-language-pack" and version and not version.startswith("0."):
            version, fix = f"{version}: downloads grammars at the first parse", f"{ctx} setup"
        found.append(Finding(name, version or "missing: stdlib mode, approximate map", fix))
    counter = read_counter(project)
    exact = counter.name != "estimate" or project.config.tokens_encoding == "estimate"
    how = counter.name if exact else "estimate (no vocabulary on this machine)"
    return [*found, Finding("tokens", how, "" if exact or not full else f"{ctx} setup")]


def _check_git(project: Project) -> list[Finding]:
    if not has_git_folder(project.root):
        return [Finding("git", "not a git work tree: files are found by walking", "")]
    version = run_git(project, "version")
    if version is None:
        return [Finding("git", "not installed or not usable here", "install git")]
    return [Finding("git", version.decode("utf-8", "replace").strip(), "")]


def _check_sections(project: Project, ctx: str) -> list[Finding]:
    try:
        managed = list_managed(project)
    except CtxError:
        managed = []  # what is wrong with AGENTS.md or CLAUDE.md is found again below
    paths = dict.fromkeys([*AGENT_FILES, *managed])
    return [_check_file(project, ctx, path, _section_state) for path in paths]


def _check_own_files(project: Project, ctx: str) -> list[Finding]:
    paths = (CONSTITUTION_PATH, RUNLOOP_PATH, MAP_PATH)
    return [_check_file(project, ctx, path, _own_file_state) for path in paths]


def _check_file(
    project: Project, ctx: str, path: str, look: Callable[[Project, str], str]
) -> Finding:
    """What `look` says of a file, with the command that mends it."""
    try:
        state = look(project, path)
    except CtxError as error:
        what, _, fix = str(error).rpartition("; ")
        return Finding(path, what, fix)
    fixes = {"absent": f"{ctx} init", "stale": f"{ctx} update"}
    return Finding(path, state, fixes.get(state.split()[-1], ""))


def _section_state(project: Project, path: str) -> str:
    old = read_old(project, path)
    body = make_section(project, path, old or b"")
    return "section " + _in_file(path, section_state, old, body)


def _own_file_state(project: Project, path: str) -> str:
    if not os.path.lexists(find_place(project, path)):
        return "absent"
    if path != MAP_PATH:
        return "present"
    current = make_map(project, project.config.map_token_budget).encode()
    return "current" if read_old(project, path) == current else "stale"


# ---- 15 COMMANDS (door) ----------------------------------------------------
# One cmd_* per subcommand, its flags above it. Uses: TYPES RENDER DISK FLOWS.


class Flag(NamedTuple):
    """One argument of a command, as argparse takes it."""

    names: tuple[str, ...]
    options: dict[str, Any]


class Door(NamedTuple):
    """One subcommand: its function, whose docstring is the help text, and its flags."""

    run: Callable[[Project, argparse.Namespace], int]
    flags: tuple[Flag, ...]
    example: str


COMMANDS: dict[str, Door] = {}  # filled at import, never after


def flag(*names: str, **options: Any) -> Flag:
    """An argument of a command, declared above the function that reads it."""
    return Flag(names, options)


def command(
    *flags: Flag, example: str
) -> Callable[[Callable[[Project, argparse.Namespace], int]], Callable[..., int]]:
    """Register `cmd_name` as the subcommand `name`."""

    def register(run: Callable[[Project, argparse.Namespace], int]) -> Callable[..., int]:
        COMMANDS[run.__name__.removeprefix("cmd_")] = Door(run, flags, example)
        return run

    return register


@command(
    flag(
        "--no-setup", action="store_true", help="do not install the parsers when they are missing"
    ),
    flag("--dry-run", action="store_true", help="print the diff and write nothing"),
    flag("--file", action="append", default=[], metavar="PATH", help="manage a section here too"),
    example="python ctx.py init --dry-run",
)
def cmd_init(project: Project, args: argparse.Namespace) -> int:
    """Set this repository up: sections in AGENTS.md and CLAUDE.md, constitution, run loop, map.

    Not a byte of yours outside the managed sections changes; `update --remove` takes them out.
    """
    if not args.no_setup and not args.dry_run and list_missing():
        try:
            write_packages(project)
        except CtxError as error:
            say(project, f"{error}; going on without the parsers")
    files = [find_path(project, path) for path in args.file]
    return _apply(project, plan_init(project, [*AGENT_FILES, *files]), dry=args.dry_run)


def _apply(project: Project, plan: Plan, *, dry: bool) -> int:
    """Write a plan, or show it, and say what happened."""
    if dry:
        write_stdout(render_diff(plan.changes))
    else:
        gone = {change.path for change in plan.changes if change.new is None}
        for path in write_changes(project, plan.changes):
            say(project, f"{'removed' if path in gone else 'wrote'} {path}")
    for note in plan.notes:
        say(project, note)
    return 0


@command(
    flag("--check", action="store_true", help="write nothing; exit 1 if something is stale"),
    flag("--force", action="store_true", help="replace sections edited by hand, leaving a copy"),
    flag("--remove", action="store_true", help="take the managed sections out again"),
    flag("--dry-run", action="store_true", help="print the diff and write nothing"),
    example="python ctx.py update --check",
)
def cmd_update(project: Project, args: argparse.Namespace) -> int:
    """Refresh what init made; parts that you edited are kept and named."""
    plan = plan_remove(project) if args.remove else plan_update(project, force=args.force)
    if args.check:
        stale = [change.path for change in plan.changes if change.old != change.new]
        for path in stale:
            say(project, f"{path}: stale; run `{script_command(project)} update`")
        for note in plan.notes:
            say(project, note)
        return 1 if stale else 0
    return _apply(project, plan, dry=args.dry_run)


@command(
    flag("--json", action="store_true", help="the findings for a program"),
    example="python ctx.py doctor",
)
def cmd_doctor(project: Project, args: argparse.Namespace) -> int:
    """Tell what is installed, found, stale or broken, and what to do; exit 1 if anything is."""
    findings = check_health(project)
    write_stdout(render_findings(findings, form="json" if args.json else "text"))
    return 1 if any(finding.fix for finding in findings) else 0


@command(example="python ctx.py setup")
def cmd_setup(project: Project, args: argparse.Namespace) -> int:
    """Install the parsers into a private environment and fetch the tokenizer's vocabulary.

    The only command that uses the network. Later runs find both by themselves.
    """
    write_packages(project)
    return 0


# ---- 16 SERVE (door) -------------------------------------------------------
# hook and mcp: JSON in, JSON out. Uses: TYPES.


# ---- 17 MAIN (door) --------------------------------------------------------
# Arguments in, exit code out. Uses: TYPES DISK COMMANDS.


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code. Bad input is one line on stderr and 2."""
    try:
        return _run(list(sys.argv[1:] if argv is None else argv))
    except CtxError as error:
        warn(str(error))
        return 2
    except KeyboardInterrupt:
        return 130


def _run(argv: list[str]) -> int:
    if argv in ([], ["-h"], ["--help"]):  # before argparse is loaded: this should be instant
        write_stdout(_help())
        return 0
    top = _new_parser("ctx", add_help=False)
    _add_global_flags(top, None)
    top.add_argument("--help", "-h", action="store_true")
    top.add_argument("--version", action="store_true")
    top.add_argument("command", nargs="?")
    top.add_argument("rest", nargs="...")
    args = top.parse_args(argv)
    if args.version:
        write_stdout(f"ctx {VERSION}\n")
        return 0
    if args.help or args.command is None:
        write_stdout(_help())
        return 0
    if args.command not in COMMANDS:
        raise CtxError(f"{args.command}: unknown command; {closest(args.command, list(COMMANDS))}")
    door = COMMANDS[args.command]
    args = _command_parser(args.command, door).parse_args(args.rest, args)
    root = os.path.realpath(args.root) if args.root else find_root(".")
    if not os.path.isdir(root):
        raise CtxError(f"{args.root}: not a folder; give --root an existing folder")
    return door.run(Project(root, read_config(root), args.quiet, args.verbose), args)


def _new_parser(prog: str, **options: Any) -> argparse.ArgumentParser:
    """argparse whose complaints are one line, and whose help has no colours."""
    import argparse

    class Parser(argparse.ArgumentParser):
        def error(self, message: str) -> NoReturn:
            name = self.prog.removeprefix("ctx").strip()
            raise CtxError(f"{name or 'arguments'}: {message}; see `{self.prog} --help`")

        def print_help(self, file: object = None) -> None:
            self.color = False  # newer Pythons paint
            write_stdout(self.format_help())

    shape = argparse.RawDescriptionHelpFormatter
    return Parser(prog=prog, formatter_class=shape, allow_abbrev=False, **options)


def _add_global_flags(parser: argparse.ArgumentParser, default: Any) -> None:
    """--root, --quiet and --verbose are known before and after the command's name."""
    parser.add_argument(
        "--root", metavar="DIR", default=default, help="the repository (default: found above here)"
    )
    for name, text in (("quiet", "no talk on stderr"), ("verbose", "more talk on stderr")):
        parser.add_argument(f"--{name}", action="store_true", default=default or False, help=text)


def _command_parser(name: str, door: Door) -> argparse.ArgumentParser:
    parser = _new_parser(
        f"ctx {name}",
        description=re.sub(r"\n +", "\n", door.run.__doc__ or "").strip(),
        epilog=f"example:\n  {door.example}",
    )
    for each in door.flags:
        parser.add_argument(*each.names, **each.options)
    _add_global_flags(
        parser, "==SUPPRESS=="
    )  # argparse's own word for: do not set what is not given
    return parser


def _help() -> str:
    """What `ctx --help` prints: every command with the first line of its help."""
    lines = ["usage: ctx [--root DIR] [--quiet] [--verbose] COMMAND [flags]", ""]
    lines += ["Context for coding agents, from this repository alone.", "", "commands:"]
    for name, door in COMMANDS.items():
        lines.append(f"  {name:<12}{(door.run.__doc__ or '').strip().splitlines()[0]}")
    lines += ["", "`ctx COMMAND --help` tells more. Start with: python ctx.py init"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
