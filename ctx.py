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

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

VERSION = "0.1.0"

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


# ---- 2 TEXT (pure) ---------------------------------------------------------
# Strings: words, fences, names to show, the managed section. Uses: TYPES.


# ---- 3 LANGUAGES (pure) ----------------------------------------------------
# The language table and its compiler. Knows nothing of tree-sitter itself. Uses: TYPES.


# ---- 4 TEMPLATES (pure) ----------------------------------------------------
# The texts that ctx.py writes, copied from templates/ by tests/embed.py. Uses: TYPES.


# ---- 5 TAGS (pure) ---------------------------------------------------------
# Bytes of one file in, its tags out. Uses: TYPES LANGUAGES.


# ---- 6 FACTS (pure) --------------------------------------------------------
# Texts of config files in, stack, commands and key files out; roles, tree and modules from paths.
# Of a script or target it takes the name, never the text, which may hold secrets. Uses: TYPES.

_MAX_CONFIG = 200_000  # characters read of one config; what is longer was not written by hand
_VERBS = ("install", "build", "test", "lint", "typecheck", "format", "run")

# How sure it is that people type a line, by where it was found. What CI runs too gains, what CI
# runs otherwise loses, and so does the tooling of a language that is only a guest here.
_SCRIPTED, _FROM_CI, _IMPLIED, _WEAK = 40, 30, 25, 15
_CALLED, _UNCALLED, _FOREIGN = 20, -12, -30
_ENOUGH_ALONE, _ENOUGH_AS_SECOND = 1, 25

_SAFE_NAME = re.compile(r"[\w.:@/+-]{1,60}")
_SAFE_LINE = re.compile(r"[\w.:@/+*, &\[\]~-]{2,90}")


class TreeEntry(NamedTuple):
    """One line of the structure. Any first N of them are a tree; sort those by `tree_key`."""

    path: str  # "src/main/java/", "." for the root, "src/…" for the siblings left out
    depth: int  # 0 for the root, 1 below it; a chain of only children counts once
    note: str  # "command line interface", "tests, 34 files", "12 Python files"


class Module(NamedTuple):
    """One part of the code, described by its own words."""

    path: str  # its folder
    files: int  # source files in it, at any depth
    doc: str  # one sentence, or ""


class _Find(NamedTuple):
    """One thing that one config says."""

    kind: str  # a verb, or: name about version dep tool entry member style
    text: str
    note: str = ""  # the version of a dep, the reason of an entry
    score: int = 0


def is_config(path: str) -> bool:
    """Whether the text of this file tells facts: manifests, task runners, CI."""
    if path.count("/") > 5 or _find_reader(path) is None:
        return False
    if _CI_PATH.fullmatch(path):
        return True
    folders, _, name = path.lower().rpartition("/")
    return _role_of_folders(folders.split("/") if folders else [], name) in ("", "build")


def detect_facts(files: Sequence[str], configs: Mapping[str, str]) -> Facts:
    """What names of files and texts of configs say about a project, most important first."""
    known = frozenset(files)
    finds = {path: _read_config(path, text, known) for path, text in _by_depth(configs)}
    return Facts(
        tuple(_list_stack(files, finds)),
        tuple(_choose_commands(files, configs, finds)),
        tuple(_list_key_files(files, finds)),
        tuple(_list_packages(files, finds)),
        tuple(_list_conventions(files, configs, finds)),
    )


def find_descriptions(configs: Mapping[str, str]) -> dict[str, str]:
    """Path of a manifest -> the sentence in which it describes its package."""
    return {
        path: first_sentence(find.text)
        for path, text in _by_depth(configs)
        for find in _read_config(path, text, frozenset())
        if find.kind == "about"
    }


def _by_depth(configs: Mapping[str, str]) -> list[tuple[str, str]]:
    return sorted(configs.items(), key=lambda item: (item[0].count("/"), item[0]))


def _read_config(path: str, text: str, known: frozenset[str]) -> list[_Find]:
    reader = _find_reader(path)
    return list(reader.read(path, text[:_MAX_CONFIG], known)) if reader else []


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


# Tolerant readers: odd input gives less, never an error.


def _parse_toml(text: str) -> dict[str, object]:
    import tomllib

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):
        return {}


def _parse_json(text: str) -> dict[str, object]:
    """A JSON object; comments and trailing commas are forgiven."""
    plain = re.sub(r'("(?:\\.|[^"\\\n])*")|//[^\n]*|/\*(?s:.*?)(?:\*/|\Z)', r"\1", text)
    for attempt in (text, re.sub(r",(?=\s{0,99}[}\]])", "", plain)):
        try:
            data = json.loads(attempt)
        except (ValueError, RecursionError):
            continue
        return data if isinstance(data, dict) else {}
    return {}


def _parse_yaml(text: str) -> dict[tuple[str, ...], str]:
    """Path of keys and list positions -> scalar: as much YAML as workflows and manifests use."""
    found: dict[tuple[str, ...], str] = {}
    stack: list[tuple[int, str]] = []  # (indent, key), from the root to where the line is
    counts: dict[tuple[str, ...], int] = {}
    block = -1  # indent of the key whose block scalar is being read, or -1
    for line in text.splitlines():
        body = line.strip()
        indent = len(line) - len(line.lstrip(" "))
        where = tuple(key for _, key in stack)
        if block >= 0 and (indent > block or not body):
            found[where] = f"{found[where]}\n{body}".lstrip("\n")
            continue
        block = -1
        if not body or body.startswith(("#", "---", "%")) or len(stack) > 30:
            continue
        while item := re.match(r"-(?:\s+|\Z)", body):
            # A list may stand at the indent of its key, so equal indent ends only another item.
            while stack and (
                stack[-1][0] > indent or (stack[-1][0] == indent and stack[-1][1].isdigit())
            ):
                stack.pop()
            parent = tuple(key for _, key in stack)
            counts[parent] = counts.get(parent, -1) + 1
            stack.append((indent, str(counts[parent])))
            indent, body = indent + item.end(), body[item.end() :]
        pair = re.match(r"""(?:"([^"]*)"|'([^']*)'|([^\s"'#:{\[][^:]*?)) ?:(?:\s+(.*)|\Z)""", body)
        if pair:
            while stack and stack[-1][0] >= indent:
                stack.pop()
            stack.append((indent, next(key for key in pair.groups()[:3] if key is not None)))
            body = pair[4] or ""
            if re.match(r"[|>][+\-\d]*\s*(?:#|\Z)", body):
                block, body = indent, ""
        where = tuple(key for _, key in stack)
        body = re.sub(r"\s#.*", "", body).strip()
        if body[:1] == "[" and body[-1:] == "]":
            for number, part in enumerate(body[1:-1].split(",")):
                found[(*where, str(number))] = part.strip().strip("\"'")
        elif where:
            found[where] = f"{found.get(where, '')} {body.strip(chr(34) + chr(39))}".strip()
    return found


def _table(data: object, *keys: str) -> dict[str, object]:
    """The table at that place of TOML or JSON, empty if there is none."""
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return data if isinstance(data, dict) else {}


def _strings(value: object) -> list[str]:
    """The strings of a list, the keys of a table, or one string alone."""
    items = [value] if isinstance(value, str) else value if isinstance(value, (list, dict)) else []
    return [item for item in items if isinstance(item, str)]


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""


def _matches(pattern: str, text: str) -> list[str]:
    return [match[match.lastindex or 0] for match in re.finditer(pattern, text, re.MULTILINE)]


# Task names that mean a verb, the best first. Only these become commands.
_TASKS = {
    "install": "setup bootstrap deps install-deps install-dev dev-install dev-setup deps:get",
    "build": "build compile build:all build-all bundle",
    "test": "test tests test:unit test-unit unit unit-test unittest test:all test-all check spec "
    "specs test-ci test:ci pytest phpunit",
    "lint": "lint lint:all lint-all lint:check lint-check linters lint:js eslint style cs lint:py "
    "ruff flake8 rubocop clippy golangci-lint vet code-style check:lint pre-commit analyze",
    "typecheck": "typecheck type-check check-types check:types types typing type_check ts:check "
    "check:ts tsc mypy pyright flow test:types phpstan stan analyse static-analysis types:check",
    "format": "format fmt format:write prettier fix black format:fix cs-fix pint reformat",
    "run": "start dev serve run server runserver develop",
}
_VERB_OF_TASK = {
    name: (verb, place)
    for verb, names in _TASKS.items()
    for place, name in enumerate(names.split())
}


def _tasks(names: Iterable[str], line: str, without: str = "") -> Iterator[_Find]:
    """Commands for those task names that say what they do; `line` holds {} for the name."""
    for name in dict.fromkeys(names):
        verb, place = _VERB_OF_TASK.get(name.lower(), ("", 0))
        if verb and name not in without.split() and _SAFE_NAME.fullmatch(name):
            yield _Find(verb, line.replace("{}", name), score=_SCRIPTED - min(place, 10))


def _implied(*lines: str, score: int = _IMPLIED) -> Iterator[_Find]:
    """Commands written as "verb: line"."""
    for line in lines:
        verb, _, rest = line.partition(": ")
        yield _Find(verb, rest, score=score)


def _deps(pairs: Iterable[tuple[str, object]]) -> Iterator[_Find]:
    for name, version in pairs:
        if isinstance(version, dict):
            version = version.get("version")
        yield _Find("dep", name.lower(), _string(version))


# One reader per kind of config: path, text and all known paths in, finds out.

_PYTHON_TOOLS = (
    ("pytest", "test: pytest"),
    ("ruff", "lint: ruff check"),
    ("flake8", "lint: flake8"),
    ("pylint", "lint: pylint {}"),
    ("mypy", "typecheck: mypy {}"),
    ("pyright", "typecheck: pyright"),
    ("basedpyright", "typecheck: basedpyright"),
    ("black", "format: black ."),
)


def _python_tools(named: Iterable[str], target: str) -> Iterator[_Find]:
    names = set(named)
    for tool, line in _PYTHON_TOOLS:
        if tool in names:
            yield from _implied(line.replace("{}", target).strip())


def _python_package(folder: str, known: frozenset[str]) -> str:
    """The folder of Python code to hand to a checker: src, the only package, or all."""
    prefix = folder + "/" if folder else ""
    inits = [path for path in known if path.startswith(prefix) and path.endswith("/__init__.py")]
    tops = {path[len(prefix) :].split("/")[0] for path in inits}
    packages = {
        top
        for top in tops
        if f"{prefix}{top}/__init__.py" in known and role_of(f"{top}/x.py") == "source"
    }
    return "src" if "src" in tops else packages.pop() if len(packages) == 1 else "."


def _read_pyproject(path: str, text: str, known: frozenset[str]) -> Iterator[_Find]:
    data, folder = _parse_toml(text), _folder(path)
    project, tool = _table(data, "project"), _table(data, "tool")
    poetry, hatch = _table(tool, "poetry"), _table(tool, "hatch", "envs")
    yield _Find("name", _string(project.get("name") or poetry.get("name")))
    yield _Find("about", _string(project.get("description") or poetry.get("description")))
    python = project.get("requires-python") or _table(poetry, "dependencies").get("python")
    yield _Find("version", "Python", _string(python))
    needs = _strings(project.get("dependencies"))
    groups = {
        **_table(data, "project", "optional-dependencies"),
        **_table(data, "dependency-groups"),
    }
    extra = [need for group in groups.values() for need in _strings(group)]
    poetry_dev = [_table(group, "dependencies") for group in _table(poetry, "group").values()]
    yield from _deps(re.match(r"([\w.-]*)(?:\[[^\]]*\])?([^;]*)", need).groups() for need in needs)  # type: ignore[union-attr]
    yield from _deps(_table(poetry, "dependencies").items())
    used = {re.split(r"[^\w-]", need)[0].lower() for need in extra} | {
        n for t in poetry_dev for n in t
    }
    target = (
        ""
        if _table(tool, "mypy").keys() & {"files", "packages", "modules"}
        else _python_package(folder, known)
    )
    yield from _python_tools({*tool, *(used & {"pytest"})}, target)
    if "format" in _table(tool, "ruff"):
        yield from _implied("format: ruff format")
    yield from _python_install(data, folder, known)
    for name, place in {**_table(project, "scripts"), **_table(poetry, "scripts")}.items():
        yield from _python_entry(name, _string(place), folder, known)
    if "tox" in tool:
        yield from _read_tox_names(
            _strings(_table(tool, "tox", "env")), "legacy_tox_ini" not in tool["tox"]
        )  # type: ignore[operator]
    for env, table in hatch.items():
        line = "hatch run {}" if env == "default" else f"hatch run {env}:{{}}"
        yield from _tasks(_strings(_table(table, "scripts")), line)
    for runner, line in (("pdm", "pdm run {}"), ("poe", "poe {}"), ("taskipy", "task {}")):
        names = _table(tool, runner, "scripts") or _table(tool, runner, "tasks")
        yield from _tasks(_strings(names), line)
    for member in _strings(_table(tool, "uv", "workspace").get("members")):
        yield _Find("member", member)
    yield from _python_styles(tool)


def _python_install(data: dict[str, object], folder: str, known: frozenset[str]) -> Iterator[_Find]:
    tool = _table(data, "tool")
    backend = _string(_table(data, "build-system").get("build-backend"))
    for manager, line in _PYTHON_MANAGERS.items():
        if manager in tool and manager != "hatch" or _join(folder, manager + ".lock") in known:
            yield _Find("tool", manager)
            yield from _implied(f"install: {line}", score=_SCRIPTED)
            return
    extras = set(_strings(_table(data, "project", "optional-dependencies")))
    extra = next(
        (name for name in ("dev", "test", "tests", "testing", "all") if name in extras), ""
    )
    # meson-python rebuilds at import, which needs the build tools of this environment.
    isolation = "--no-build-isolation " if backend == "mesonpy" else ""
    if backend or "project" in data:
        yield from _implied(f"install: pip install {isolation}-e .{f'[{extra}]' if extra else ''}")


_PYTHON_MANAGERS = {"uv": "uv sync", "poetry": "poetry install", "pdm": "pdm install"}


def _python_entry(name: str, place: str, folder: str, known: frozenset[str]) -> Iterator[_Find]:
    module = place.partition(":")[0].strip().replace(".", "/")
    for prefix in ("src/", "", "lib/"):
        for suffix in (".py", "/__init__.py"):
            if (path := _join(folder, prefix + module + suffix)) in known:
                yield _Find("entry", path, f"command `{name}`")
                return


def _python_styles(tool: dict[str, object]) -> Iterator[_Find]:
    for name in ("ruff", "black"):
        if width := _table(tool, name).get("line-length"):
            yield _Find("style", f"lines up to {width} columns ({name})")
    if _table(tool, "mypy").get("strict") is True:
        yield _Find("style", "mypy strict: everything is annotated")
    if mode := _string(_table(tool, "pyright").get("typeCheckingMode")):
        yield _Find("style", f"pyright {mode}")
    quotes = _table(tool, "ruff", "format").get("quote-style")
    if quotes in ("single", "preserve") or _table(tool, "black").get("skip-string-normalization"):
        yield _Find("style", "quotes: " + ("single" if quotes == "single" else "left as written"))
    if folder := _string(_table(tool, "towncrier").get("directory")):
        yield _Find("style", f"a changelog fragment per change in {folder}/ (towncrier)")
    if "commitizen" in tool:
        yield _Find("style", "commit messages are checked (commitizen)")


def _read_ini(path: str, text: str, known: frozenset[str]) -> Iterator[_Find]:
    """setup.cfg, tox.ini and their kin: sections, and a few keys."""
    sections = set(_matches(r"^\[([^\]\n]+)\]", text))
    target = (
        ""
        if re.search(r"^(files|packages)\s*=", text, re.M)
        else _python_package(_folder(path), known)
    )
    names = {name.removeprefix("tool:") for name in sections}
    yield from _python_tools(names & {"pytest", "flake8", "mypy"}, target)
    if path.endswith("tox.ini") and any(name.startswith("testenv") for name in sections):
        listed = re.findall(
            r"[\w.-]+", " ".join(_matches(r"^env_?list\s*=((?:.*\n)(?:[ \t]+.*\n)*)", text))
        )
        named = [name.partition(":")[2] for name in sorted(sections) if name.startswith("testenv:")]
        yield from _read_tox_names([*named, *listed], "testenv" in sections)
    if path.endswith("setup.cfg"):
        yield _Find("name", "".join(_matches(r"^name\s*=\s*(\S+)", text)[:1]))
        yield _Find(
            "version", "Python", "".join(_matches(r"^python_requires\s*=\s*(.+)", text)[:1])
        )
    if "options" in sections:
        yield from _implied("install: pip install -e .")
    for width in _matches(r"^max[-_]line[-_]length\s*=\s*(\d+)", text)[:1]:
        yield _Find("style", f"lines up to {width} columns (flake8)")


def _read_tox_names(names: Iterable[str], whole: object) -> Iterator[_Find]:
    yield _Find("tool", "tox")
    if whole:
        yield _Find("test", "tox", score=_SCRIPTED)
    yield from _tasks(names, "tox -e {}", without="dev")


def _read_setup_py(path: str, text: str, known: frozenset[str]) -> Iterator[_Find]:
    yield _Find("name", "".join(_matches(r"\bname\s*=\s*['\"]([\w.-]+)", text)[:1]))
    yield _Find(
        "version", "Python", "".join(_matches(r"python_requires\s*=\s*['\"]([^'\"]+)", text)[:1])
    )
    yield from _deps((name, "") for name in _matches(r"^\s*['\"]([\w.-]+)[^'\"]*['\"],?\s*$", text))
    if "setup(" in text:
        yield from _implied("install: pip install -e .")
    for name, place in re.findall(r"['\"]([\w.-]+)\s*=\s*([\w.]+):\w+['\"]", text):
        yield from _python_entry(name, place, _folder(path), known)


def _read_requirements(path: str, text: str, known: frozenset[str]) -> Iterator[_Find]:
    yield from _deps(
        re.findall(r"^([A-Za-z][\w.-]*)(?:\[[^\]\n]*\])?([=<>~!][^\s;#]*)?", text, re.M)
    )
    if not path.endswith(("pyproject.toml", "dev.txt")):
        yield from _implied(f"install: pip install -r {path.rpartition('/')[2]}", score=_WEAK)
    if re.search(r"^pytest\b", text, re.M):
        yield from _implied("test: pytest")


def _read_nox(path: str, text: str, known: frozenset[str]) -> Iterator[_Find]:
    names = re.findall(
        r"^@nox\.session(?:\([^\n]*?name=['\"]([\w-]+))?[^\n]*\n(?:@.*\n)*def (\w+)", text, re.M
    )
    yield from _tasks((given or name for given, name in names), "nox -s {}", without="dev")


_LOCKS = {
    "pnpm-lock.yaml": "pnpm",
    "yarn.lock": "yarn",
    "bun.lock": "bun",
    "bun.lockb": "bun",
    "package-lock.json": "npm",
}


def _read_package_json(path: str, text: str, known: frozenset[str]) -> Iterator[_Find]:
    data, folder = _parse_json(text), _folder(path)
    named = _string(data.get("packageManager")).partition("@")[0]
    locks = [manager for name, manager in _LOCKS.items() if _join(folder, name) in known]
    manager = named if named in _LOCKS.values() else (locks or ["npm"])[0]
    scripts = {name: _string(body) for name, body in _table(data, "scripts").items()}
    deps = _table(data, "dependencies")
    if "no test specified" in scripts.get("test", ""):
        del scripts["test"]
    yield _Find("name", _string(data.get("name")))
    yield _Find("about", _string(data.get("description")))
    yield _Find("version", "Node.js", _string(_table(data, "engines").get("node")))
    yield from _deps(
        {**_table(data, "devDependencies"), **deps, **_table(data, "peerDependencies")}.items()
    )
    if deps or "devDependencies" in data or locks:
        yield from _implied(f"install: {manager} install", score=_SCRIPTED)
        yield _Find("tool", manager)
    # `bun test` and `npm ci` are commands of their own: a script of that name needs `run`.
    yield from _tasks(
        scripts, f"{manager} {{}}" if manager == "yarn" else f"{manager} run {{}}", without="check"
    )
    if re.search(r"\btsc\b|\bvue-tsc\b", scripts.get("check", "")):
        yield _Find("typecheck", f"{manager} run check", score=_SCRIPTED)
    elif re.search(r"\b(?:eslint|biome|oxlint)\b", scripts.get("check", "")):
        yield _Find("lint", f"{manager} run check", score=_SCRIPTED - 5)
    workspaces = data.get("workspaces")
    for member in _strings(
        workspaces if isinstance(workspaces, list) else _table(workspaces).get("packages")
    ):
        yield _Find("member", member)
    yield from _node_entries(data, folder, known)
    for style in _STYLE_DEPS:
        if style in {**_table(data, "devDependencies"), **deps}:
            yield _Find("style", _STYLE_DEPS[style])


_STYLE_DEPS = {
    "@commitlint/config-conventional": "commit messages: conventional commits (commitlint)",
    "commitizen": "commit messages are checked (commitizen)",
    "@changesets/cli": "a changeset per change in .changeset/",
}


def _node_entries(data: dict[str, object], folder: str, known: frozenset[str]) -> Iterator[_Find]:
    bins = data.get("bin")
    places = [(_string(bins), "command")] if isinstance(bins, str) else []
    places += [(_string(place), f"command `{name}`") for name, place in _table(bins).items()]
    places += [
        (_string(data.get(key)), "package entry point") for key in ("source", "module", "main")
    ]
    for place, why in [
        *places,
        ("index.js", "package entry point"),
        ("src/index.ts", "package entry point"),
    ]:
        stem = re.sub(r"\.[cm]?[jt]sx?$", "", place.removeprefix("./"))
        # A published entry is often built: the source of dist/x.js is mostly src/x.ts.
        for base in (stem, re.sub(r"^(?:dist|lib|build|out)/", "src/", stem)):
            path = next(
                (
                    p
                    for s in ("", ".js", ".ts", ".mjs", ".cjs", ".tsx")
                    if (p := _join(folder, base + s)) in known
                ),
                "",
            )
            if base and path:
                yield _Find("entry", path, why)
                break


def _read_pnpm(path: str, text: str, known: frozenset[str]) -> Iterator[_Find]:
    for where, value in _parse_yaml(text).items():
        if where[0] == "packages" and len(where) == 2:
            yield _Find("member", value)


def _read_lerna(path: str, text: str, known: frozenset[str]) -> Iterator[_Find]:
    yield from (_Find("member", member) for member in _strings(_parse_json(text).get("packages")))


def _read_deno(path: str, text: str, known: frozenset[str]) -> Iterator[_Find]:
    data = _parse_json(text)
    yield _Find("tool", "Deno")
    yield from _tasks(_strings(_table(data, "tasks")), "deno task {}")
    yield from _implied("test: deno test", "lint: deno lint", "format: deno fmt")


def _read_cargo(path: str, text: str, known: frozenset[str]) -> Iterator[_Find]:
    data, folder = _parse_toml(text), _folder(path)
    package, workspace = _table(data, "package"), _table(data, "workspace")
    shared = _table(workspace, "package")
    yield _Find("name", _string(package.get("name")))
    yield _Find("about", _string(package.get("description")))
    version = _string(package.get("rust-version")) or _string(shared.get("rust-version"))
    edition = _string(package.get("edition")) or _string(shared.get("edition"))
    yield _Find(
        "version", "Rust", version + "+" if version else f"{edition} edition" if edition else ""
    )
    yield from _deps({**_table(data, "dependencies"), **_table(workspace, "dependencies")}.items())
    for member in _strings(workspace.get("members")):
        yield _Find("member", member)
    # In a workspace with a package at its root, cargo means that package alone.
    everything = " --workspace" if package and workspace.get("members") else ""
    yield from _implied("build: cargo build", f"test: cargo test{everything}")
    bins = (
        [table for table in data.get("bin", []) if isinstance(table, dict)]
        if isinstance(data.get("bin"), list)
        else []
    )  # type: ignore[union-attr]
    mains = [(_string(table.get("path")), _string(table.get("name"))) for table in bins]
    for place, name in [*mains, ("src/main.rs", _string(package.get("name")))]:
        if place and (main := _join(folder, place)) in known:
            yield _Find("entry", main, f"command `{name}`")
            yield from _implied("run: cargo run")
    if (library := _join(folder, "src/lib.rs")) in known:
        yield _Find("entry", library, f"root of crate `{_string(package.get('name'))}`")


def _read_go_mod(path: str, text: str, known: frozenset[str]) -> Iterator[_Find]:
    folder = _folder(path)
    yield _Find("name", "".join(_matches(r"^module\s+(\S+)", text)[:1]))
    yield _Find("version", "Go", "".join(_matches(r"^go\s+([\d.]+)", text)[:1]))
    direct = "\n".join(line for line in text.splitlines() if "// indirect" not in line)
    yield from _deps(re.findall(r"^(?:require)?\s+(\S+\.\S+/\S+) (v\S+)", direct, re.M))
    yield from _implied("build: go build ./...", "test: go test ./...")
    yield from _implied("lint: go vet ./...", "format: gofmt -w .", score=_WEAK)
    commands = sorted(
        p for p in known if re.fullmatch(r"cmd/[^/]+/main\.go", p[len(folder) :].lstrip("/"))
    )
    for main in commands:
        yield _Find("entry", main, f"command `{main.split('/')[-2]}`")
    if _join(folder, "main.go") in known:
        yield _Find("entry", _join(folder, "main.go"), "program entry point")
        yield from _implied("run: go run .")
    elif len(commands) == 1:
        yield from _implied(f"run: go run ./{_folder(commands[0])[len(folder) :].lstrip('/')}")


def _read_go_work(path: str, text: str, known: frozenset[str]) -> Iterator[_Find]:
    for member in _matches(r"^(?:use)?\s*(\.[\w./-]*)\s*$", text):
        yield _Find("member", member.removeprefix("./"))


def _read_make(path: str, text: str, known: frozenset[str]) -> Iterator[_Find]:
    names = [
        name for names in _matches(r"^([A-Za-z][\w./ -]*):(?!=)", text) for name in names.split()
    ]
    yield from _tasks(names, "make {}", without="develop dev")
    if {"all", "default"} & set(names) and any(
        role_of(p) == "source" and p.endswith((".c", ".cc", ".cpp")) for p in known
    ):
        yield _Find("build", "make", score=_SCRIPTED + 1)


def _read_just(path: str, text: str, known: frozenset[str]) -> Iterator[_Find]:
    yield from _tasks(_matches(r"^@?([A-Za-z][\w-]*)(?: [^:=\n]*)?:(?!=)", text), "just {}")


def _read_taskfile(path: str, text: str, known: frozenset[str]) -> Iterator[_Find]:
    names = [where[1] for where in _parse_yaml(text) if where[0] == "tasks" and len(where) > 1]
    yield from _tasks(names, "task {}")


def _read_mage(path: str, text: str, known: frozenset[str]) -> Iterator[_Find]:
    names = _matches(r"^func ([A-Z]\w*)\([^()\n]*\)(?: error)? \{", text)
    yield from _tasks((name[0].lower() + name[1:] for name in names), "mage {}")


def _read_pom(path: str, text: str, known: frozenset[str]) -> Iterator[_Find]:
    maven = "./mvnw" if _join(_folder(path), "mvnw") in known else "mvn"
    own = re.sub(r"<parent>[^\0]*?</parent>", "", text, count=1)
    yield _Find("name", "".join(_matches(r"<artifactId>\s*([\w.-]+)\s*</artifactId>", own)[:1]))
    yield _Find("about", "".join(_matches(r"<description>\s*([^<]+)</description>", own)[:1]))
    tag = r"<(?:maven\.compiler\.release|java\.version|maven\.compiler\.source|maven\.compiler\.target|jdk\.version)>\s*([\d.]+)\s*<"
    yield _Find("version", "Java", "".join(version + "+" for version in _matches(tag, text)[:1]))
    yield _Find("tool", "Maven")
    yield from _deps(
        (name, "") for name in _matches(r"<(?:groupId|artifactId)>\s*([\w.-]+)\s*<", text)
    )
    yield from _implied(f"build: {maven} package", f"test: {maven} test")
    if "spring-boot-maven-plugin" in text:
        yield from _implied(f"run: {maven} spring-boot:run")
    for member in _matches(r"<module>\s*([^<\s]+)\s*</module>", text):
        yield _Find("member", member)


def _read_gradle(path: str, text: str, known: frozenset[str]) -> Iterator[_Find]:
    gradle = "./gradlew" if _join(_folder(path), "gradlew") in known else "gradle"
    yield _Find("tool", "Gradle")
    for line in _matches(r"^\s*include\b([^\n]*(?:,\s*\n[^\n]*)*)", text):
        for member in re.findall(r"['\"]:?([\w:./-]+)['\"]", line):
            yield _Find("member", member.replace(":", "/"))
    version = _matches(
        r"(?:JavaLanguageVersion\.of\(|jvmToolchain\(|(?:source|target)Compatibility\s*=\s*['\"]?(?:JavaVersion\.VERSION_)?)(\d+)",
        text,
    )
    yield _Find("version", "Java", "".join(number + "+" for number in version[:1]))
    yield from _deps(
        (name, "") for name in re.findall(r"['\"(]([a-z][\w-]*(?:\.[\w-]+)+)[:'\"]", text)
    )
    yield from _implied(f"build: {gradle} build", f"test: {gradle} test")
    for plugin, task in (("org.springframework.boot", "bootRun"), ("application", "run")):
        if re.search(
            rf"(?:id|plugin:?)\s*\(?['\"]{re.escape(plugin)}['\"]|^\s*{re.escape(plugin)}\s*$",
            text,
            re.M,
        ):
            yield from _implied(f"run: {gradle} {task}")
            break


def _read_cmake(path: str, text: str, known: frozenset[str]) -> Iterator[_Find]:
    yield _Find("name", "".join(_matches(r"(?i)^\s*project\s*\(\s*([\w.-]+)", text)[:1]))
    yield _Find("version", "C++", "".join(_matches(r"CMAKE_CXX_STANDARD\s+(\d+)", text)[:1]))
    yield _Find("tool", "CMake")
    if re.search(r"(?i)^\s*project\s*\(", text, re.M):
        yield from _implied("build: cmake -B build && cmake --build build")
    if re.search(r"(?i)enable_testing\s*\(|include\s*\(\s*CTest|add_test\s*\(", text):
        yield from _implied("test: ctest --test-dir build")


def _read_ruby(path: str, text: str, known: frozenset[str]) -> Iterator[_Find]:
    """Gemfile and *.gemspec."""
    yield _Find(
        "version",
        "Ruby",
        "".join(
            _matches(r"^\s*ruby\s+['\"]([^'\"]+)|required_ruby_version\s*=\s*['\"]([^'\"]+)", text)[
                :1
            ]
        ),
    )
    yield from _deps(
        re.findall(
            r"(?:^\s*gem|add_(?:runtime_)?dependency)[ (]+['\"]([\w-]+)['\"](?:,\s*['\"]([^'\"]*))?",
            text,
            re.M,
        )
    )
    yield _Find("about", "".join(_matches(r"\.summary\s*=\s*['\"]([^'\"\n]+)", text)[:1]))
    if path.endswith(".gemspec"):
        name = path.rpartition("/")[2].removesuffix(".gemspec")
        yield _Find("name", name)
        for place in (
            f"exe/{name}",
            f"bin/{name}",
            f"lib/{name.replace('-', '/')}.rb",
            f"lib/{name}.rb",
        ):
            if (entry := _join(_folder(path), place)) in known:
                yield _Find(
                    "entry",
                    entry,
                    f"{'root of gem' if place.endswith('.rb') else 'command'} `{name}`",
                )
    elif "gem" in text:
        yield from _implied("install: bundle install", score=_SCRIPTED)
        yield _Find("tool", "Bundler")
    if _join(_folder(path), "spec/spec_helper.rb") in known:
        yield from _implied("test: bundle exec rspec")


def _read_rake(path: str, text: str, known: frozenset[str]) -> Iterator[_Find]:
    flat = re.sub(r"^namespace\b[^\n]*\n(?:[ \t]+[^\n]*\n|\n)*", "", text, flags=re.M)
    names = _matches(r"^task[ (]+:?['\"]?([\w:-]+)", flat)
    names += [
        name or "test" for name in re.findall(r"Rake::TestTask\.new(?:[ (]+:?['\"]?(\w+))?", flat)
    ]
    names += [
        name or "spec"
        for name in re.findall(r"RSpec::Core::RakeTask\.new(?:[ (]+:?['\"]?(\w+))?", flat)
    ]
    prefix = "bundle exec " if _join(_folder(path), "Gemfile") in known else ""
    yield from _tasks(names, prefix + "rake {}")
    if "RuboCop::RakeTask" in text:
        yield _Find("lint", prefix + "rake rubocop", score=_SCRIPTED)


def _read_composer(path: str, text: str, known: frozenset[str]) -> Iterator[_Find]:
    data = _parse_json(text)
    yield _Find("name", _string(data.get("name")))
    yield _Find("about", _string(data.get("description")))
    yield _Find("version", "PHP", _string(_table(data, "require").get("php")))
    yield from _deps(_table(data, "require").items())
    yield _Find("tool", "Composer")
    yield from _implied("install: composer install", score=_SCRIPTED)
    yield from _tasks(_strings(_table(data, "scripts")), "composer {}", without="check run")
    for dep in _strings(_table(data, "require-dev")):
        yield from _implied(*(_PHP_TOOLS[dep],) if dep in _PHP_TOOLS else ())


_PHP_TOOLS = {
    "phpunit/phpunit": "test: vendor/bin/phpunit",
    "pestphp/pest": "test: vendor/bin/pest",
    "laravel/pint": "format: vendor/bin/pint",
    "squizlabs/php_codesniffer": "lint: vendor/bin/phpcs",
}


def _read_mix(path: str, text: str, known: frozenset[str]) -> Iterator[_Find]:
    yield _Find("name", "".join(_matches(r"\bapp:\s*:(\w+)", text)[:1]))
    yield _Find("version", "Elixir", "".join(_matches(r"elixir:\s*\"([^\"]+)", text)[:1]))
    yield from _deps(re.findall(r"\{:(\w+),\s*\"([^\"]*)", text))
    yield from _implied("install: mix deps.get", "build: mix compile", "test: mix test")
    for name, line in (
        ("phoenix", "run: mix phx.server"),
        ("credo", "lint: mix credo"),
        ("dialyxir", "typecheck: mix dialyzer"),
    ):
        yield from _implied(*[line] if f"{{:{name}," in text else [])


def _read_dotnet(path: str, text: str, known: frozenset[str]) -> Iterator[_Find]:
    """Projects and solutions: what to build has to be named when a folder holds two."""
    folder, name = _folder(path), path.rpartition("/")[2]
    beside = [p for p in known if _folder(p) == folder and p.endswith((".sln", ".slnx", "proj"))]
    target = "" if len(beside) == 1 else f" {name}"
    solution = name.endswith((".sln", ".slnx"))
    yield _Find("name", name.rpartition(".")[0])
    for framework in _matches(r"<TargetFrameworks?>([^<$]+)<", text)[:1]:
        yield _Find("version", ".NET", framework.split(";")[-1].strip())
    yield from _deps(
        re.findall(r"<PackageReference\s+Include=\"([\w.]+)\"(?:\s+Version=\"([^\"]*)\")?", text)
    )
    if 'Sdk="Microsoft.NET.Sdk.Web"' in text:
        yield _Find("dep", "microsoft.aspnetcore")
    yield from _implied(
        f"build: dotnet build{target}", f"test: dotnet test{target}", score=_IMPLIED + solution
    )
    for member in (
        _matches(r"\"([^\"\n]+)[\\/][^\"\\/\n]+\.(?:cs|fs|vb)proj\"", text) if solution else []
    ):
        yield _Find("member", member.replace("\\", "/"))


def _read_swift(path: str, text: str, known: frozenset[str]) -> Iterator[_Find]:
    yield _Find(
        "version",
        "Swift",
        "".join(v + "+" for v in _matches(r"swift-tools-version:\s*([\d.]+)", text)[:1]),
    )
    yield _Find("name", "".join(_matches(r"Package\(\s*name:\s*\"([^\"]+)", text)[:1]))
    yield _Find("tool", "SwiftPM")
    yield from _deps(
        (name, "") for name in _matches(r"url:\s*\"[^\"]*/([\w.-]+?)(?:\.git)?\"", text)
    )
    yield from _implied(
        "build: swift build", *["test: swift test"] if ".testTarget(" in text else []
    )
    yield from _implied(*["run: swift run"] if ".executableTarget(" in text else [])


def _read_pubspec(path: str, text: str, known: frozenset[str]) -> Iterator[_Find]:
    data = _parse_yaml(text)
    tool = "flutter" if ("dependencies", "flutter", "sdk") in data else "dart"
    yield _Find("name", data.get(("name",), ""))
    yield _Find("about", data.get(("description",), ""))
    yield _Find("version", "Dart", data.get(("environment", "sdk"), ""))
    yield from _deps(
        (where[1], value)
        for where, value in data.items()
        if where[0] == "dependencies" and len(where) == 2
    )
    yield from _implied(
        f"install: {tool} pub get",
        f"test: {tool} test",
        f"lint: {tool} analyze",
        "format: dart format .",
    )
    yield from _implied(*["run: flutter run"] if tool == "flutter" else [])
    for where, value in data.items():
        if where[0] == "workspace":
            yield _Find("member", value)


def _read_compose(path: str, text: str, known: frozenset[str]) -> Iterator[_Find]:
    yield _Find("tool", "Docker Compose")
    if any(where[0] == "services" and where[2:3] == ("build",) for where in _parse_yaml(text)):
        yield from _implied("run: docker compose up", score=_WEAK)


def _read_tsconfig(path: str, text: str, known: frozenset[str]) -> Iterator[_Find]:
    if _table(_parse_json(text), "compilerOptions").get("strict") is True:
        yield _Find("style", "TypeScript strict")


def _read_editorconfig(path: str, text: str, known: frozenset[str]) -> Iterator[_Find]:
    general = "".join(_matches(r"^\[\*\]\s*\n((?:[^\[\n][^\n]*\n|\n)*)", text + "\n")[:1])
    style = dict(re.findall(r"^(\w+)\s*=\s*(\w+)", general.lower(), re.M))
    size = style.get("indent_size", "")
    if style.get("indent_style") == "tab":
        yield _Find("style", "indent with tabs")
    elif style.get("indent_style") == "space" and size.isdigit():
        yield _Find("style", f"indent with {size} spaces")
    if style.get("max_line_length", "").isdigit():
        yield _Find("style", f"lines up to {style['max_line_length']} columns")


def _read_prettier(path: str, text: str, known: frozenset[str]) -> Iterator[_Find]:
    data = _parse_json(text) or dict(
        item for item in ((w[0], v) for w, v in _parse_yaml(text).items())
    )
    said = {key: str(value).lower() for key, value in data.items()}
    words = [f"{said['printWidth']} columns"] if said.get("printWidth", "").isdigit() else []
    words += ["single quotes"] if said.get("singleQuote") == "true" else []
    words += ["no semicolons"] if said.get("semi") == "false" else []
    words += ["tabs"] if said.get("useTabs") == "true" else []
    yield _Find("style", "Prettier" + (": " if words else "") + ", ".join(words))


def _read_rustfmt(path: str, text: str, known: frozenset[str]) -> Iterator[_Find]:
    width = _parse_toml(text).get("max_width")
    if isinstance(width, int):
        yield _Find("style", f"lines up to {width} columns (rustfmt)")


def _read_nothing(path: str, text: str, known: frozenset[str]) -> Iterator[_Find]:
    yield from ()


class _Reader(NamedTuple):
    """How one kind of config is known and read."""

    name: str  # pattern of its file name
    ecosystem: str  # of whose code the commands are; "" for all
    why: str  # as a key file, or ""
    read: Callable[[str, str, frozenset[str]], Iterator[_Find]]


_READERS = (
    _Reader(r"pyproject\.toml", "python", "Python project", _read_pyproject),
    _Reader(r"setup\.cfg|tox\.ini|pytest\.ini|mypy\.ini|\.flake8", "python", "", _read_ini),
    _Reader(r"setup\.py", "python", "Python package", _read_setup_py),
    _Reader(r"requirements(?:[-_]?dev)?\.txt", "python", "Python dependencies", _read_requirements),
    _Reader(r"noxfile\.py", "python", "task runner", _read_nox),
    _Reader(r"package\.json", "node", "npm package", _read_package_json),
    _Reader(r"pnpm-workspace\.yaml", "node", "workspace members", _read_pnpm),
    _Reader(r"lerna\.json", "node", "", _read_lerna),
    _Reader(r"deno\.jsonc?", "node", "Deno project", _read_deno),
    _Reader(r"tsconfig\.json", "node", "", _read_tsconfig),
    _Reader(r"\.prettierrc(?:\.json|\.ya?ml)?", "node", "", _read_prettier),
    _Reader(r"Cargo\.toml", "rust", "Cargo manifest", _read_cargo),
    _Reader(r"\.?rustfmt\.toml", "rust", "", _read_rustfmt),
    _Reader(r"go\.mod", "go", "Go module", _read_go_mod),
    _Reader(r"go\.work", "go", "Go workspace", _read_go_work),
    _Reader(r"magefile\.go", "go", "task runner", _read_mage),
    _Reader(r"(?:GNU)?[Mm]akefile", "", "task runner", _read_make),
    _Reader(r"\.?[Jj]ustfile", "", "task runner", _read_just),
    _Reader(r"[Tt]askfile\.ya?ml", "", "task runner", _read_taskfile),
    _Reader(r"pom\.xml", "jvm", "Maven project", _read_pom),
    _Reader(r"(?:build|settings)\.gradle(?:\.kts)?", "jvm", "Gradle build", _read_gradle),
    _Reader(r"CMakeLists\.txt", "c", "CMake build", _read_cmake),
    _Reader(r"Gemfile|[\w.-]+\.gemspec", "ruby", "Ruby dependencies", _read_ruby),
    _Reader(r"Rakefile", "ruby", "task runner", _read_rake),
    _Reader(r"composer\.json", "php", "Composer package", _read_composer),
    _Reader(r"mix\.exs", "elixir", "Mix project", _read_mix),
    _Reader(r"[\w.-]+\.(?:sln|slnx|csproj|fsproj|vbproj)", "dotnet", ".NET project", _read_dotnet),
    _Reader(r"Package\.swift", "swift", "Swift package", _read_swift),
    _Reader(r"pubspec\.yaml", "dart", "Dart package", _read_pubspec),
    _Reader(r"(?:docker-)?compose\.ya?ml", "", "services", _read_compose),
    _Reader(r"\.editorconfig", "", "", _read_editorconfig),
)
_READER_BY_NAME = re.compile("|".join(f"({row.name})" for row in _READERS))
_CI_PATH = re.compile(
    r"\.github/workflows/[^/]+\.ya?ml|\.gitlab-ci\.yml|\.circleci/config\.yml|\.travis\.yml|azure-pipelines\.yml"
)
_CI_READER = _Reader("", "", "continuous integration", _read_nothing)


def _find_reader(path: str) -> _Reader | None:
    match = _READER_BY_NAME.fullmatch(path.rpartition("/")[2])
    if match and match.lastindex:
        return _READERS[match.lastindex - 1]
    return _CI_READER if _CI_PATH.fullmatch(path) else None


# Commands that the mere presence of a file at the root gives: score, file, ecosystem, verb, line.
_SIGNS = [
    (int(score), name, ecosystem.strip("-"), verb, line)
    for score, name, ecosystem, verb, line in (
        row.split(maxsplit=4)
        for row in """\
35 .pre-commit-config.yaml - lint pre-commit run --all-files
35 script/bootstrap - install script/bootstrap
35 script/setup - install script/setup
35 bin/setup - install bin/setup
35 script/test - test script/test
35 bin/test - test bin/test
35 script/lint - lint script/lint
35 script/fmt - lint script/fmt
35 bin/lint - lint bin/lint
35 script/server - run script/server
35 bin/dev - run bin/dev
30 manage.py python run python manage.py runserver
30 manage.py python test python manage.py test
25 ruff.toml python lint ruff check
25 .ruff.toml python lint ruff check
25 .pylintrc python lint pylint .
25 pyrightconfig.json python typecheck pyright
25 Pipfile python install pipenv install --dev
15 environment.yml python install conda env create -f environment.yml
25 biome.json node lint npx biome check
25 clippy.toml rust lint cargo clippy
25 rustfmt.toml rust format cargo fmt --all
25 .rustfmt.toml rust format cargo fmt --all
30 .golangci.yml go lint golangci-lint run
30 .golangci.yaml go lint golangci-lint run
30 .golangci.toml go lint golangci-lint run
35 artisan php run php artisan serve
35 artisan php test php artisan test
25 phpstan.neon php typecheck vendor/bin/phpstan analyse
25 phpstan.neon.dist php typecheck vendor/bin/phpstan analyse
25 psalm.xml php typecheck vendor/bin/psalm
25 .php-cs-fixer.dist.php php format vendor/bin/php-cs-fixer fix
35 bin/rails ruby run bin/rails server
35 bin/rails ruby test bin/rails test
30 .rubocop.yml ruby lint bundle exec rubocop
25 .formatter.exs elixir format mix format
25 .swiftlint.yml swift lint swiftlint
25 .swiftformat swift format swiftformat .
25 meson.build c build meson setup build && meson compile -C build
25 meson.build c test meson test -C build
25 configure c build ./configure && make
25 configure c test make check
25 build.sbt jvm build sbt compile
25 build.sbt jvm test sbt test
25 build.mill jvm test mill __.test
25 deps.edn jvm test clojure -M:test
25 project.clj jvm test lein test
25 stack.yaml haskell build stack build
25 stack.yaml haskell test stack test
25 cabal.project haskell build cabal build all
25 cabal.project haskell test cabal test all
25 dune-project ocaml build dune build
25 dune-project ocaml test dune test
25 rebar.config erlang build rebar3 compile
25 rebar.config erlang test rebar3 eunit
25 gleam.toml gleam build gleam build
25 gleam.toml gleam test gleam test
25 build.zig zig build zig build
20 build.zig zig test zig build test
25 shard.yml crystal install shards install
25 shard.yml crystal test crystal spec
25 Project.toml julia test julia --project -e 'using Pkg; Pkg.test()'
25 DESCRIPTION r test Rscript -e 'devtools::test()'
25 foundry.toml solidity build forge build
25 foundry.toml solidity test forge test
25 MODULE.bazel - build bazel build //...
25 MODULE.bazel - test bazel test //...
25 WORKSPACE - build bazel build //...
25 WORKSPACE - test bazel test //...
25 pants.toml - test pants test ::
""".splitlines()
    )
]

# Lines of CI that may be shown: verb, ecosystem, shape of the line's beginning.
_SHAPES = [
    (verb, ecosystem.strip("-"), re.compile(rf"(?:{shape})(?= |\Z)"))
    for verb, ecosystem, shape in (
        row.split(maxsplit=2)
        for row in r"""
test python pytest|tox(?: run)?(?! -| run -)|nox|unittest|python manage\.py test|hatch test
test node (?:npm|pnpm|yarn|bun)(?: run)? test\S*|vitest|jest|mocha|deno test
test go go test|gotestsum
test rust cargo (?:test|nextest run)
test jvm (?:\./)?mvnw? (?:clean )?(?:test|verify)|(?:\./)?gradlew? (?:clean )?(?:test|check)|sbt test
test c ctest|meson test|make check
test ruby rake(?: test| spec)?|rspec|bin/rails test
test php vendor/bin/(?:phpunit|pest)|composer test|php artisan test
test dotnet dotnet test
test swift swift test
test elixir mix test
test dart (?:dart|flutter) test
test haskell (?:stack|cabal) test
test - make test|just test|task test|mage test|bazel test
lint python ruff check|flake8|pylint|tox -e (?:lint|style|flake8)
lint node (?:npm|pnpm|yarn|bun)(?: run)? lint|eslint|biome (?:check|lint|ci)
lint go golangci-lint run|go vet|staticcheck
lint rust cargo clippy
lint ruby rubocop
lint php vendor/bin/(?:phpcs|rector)
lint dart (?:dart|flutter) analyze
lint elixir mix credo
lint swift swiftlint
lint - pre-commit run|make lint|just lint|task lint
typecheck python mypy|pyright|ty check|tox -e (?:typing|mypy)
typecheck node tsc|vue-tsc|(?:npm|pnpm|yarn|bun)(?: run)? (?:typecheck|type-check|check-types|check:types|flow)
typecheck php vendor/bin/(?:phpstan|psalm)
typecheck elixir mix dialyzer
format python ruff format|black
format rust cargo fmt
format elixir mix format
format node prettier
build node (?:npm|pnpm|yarn|bun)(?: run)? build
build go go build
build rust cargo build
build jvm (?:\./)?mvnw? (?:clean )?(?:package|install|compile)|(?:\./)?gradlew? (?:clean )?(?:build|assemble)
build c cmake|meson (?:setup|compile)|\./configure|make
build dotnet dotnet build
build swift swift build
build - make build
install python (?:python -m )?pip install|uv sync|poetry install|pdm install
install node (?:npm|pnpm|yarn|bun) (?:ci|install)
install ruby bundle install
install php composer (?:install|update)
install elixir mix deps\.get
""".strip().splitlines()
    )
]
_ACTIONS = {
    "golangci/golangci-lint-action": "golangci-lint run",
    "pre-commit/action": "pre-commit run",
    "astral-sh/ruff-action": "ruff check",
    "psf/black": "black .",
}
_SIDE_WORKFLOW = re.compile(
    r"(?i)release|publish|deploy|nightly|bench|fuzz|codeql|stale|label|sched|daily|docs?\b|audit|external|cross|backport"
)
_WRAPPER = re.compile(
    r"(?:(?:uv|poetry|pdm|hatch|pipenv|rye) run|bundle exec|npx|bunx|(?:pnpm|yarn|npm) exec|python3? -m|sudo|time|bash|sh)"
    r" (?:--(?:group|extra|only-group|python|with|package) \S+ |-\S+ )*"
)
# Flags of CI that mean nothing at a desk.
_CI_FLAG = re.compile(
    r" (?:-v+|-v\d|--verbose|--verbosity[= ]\d|--colou?r(?:=\w+)?|--locked|--frozen(?:-lockfile)?|--no-default-groups|--no-progress|--no-interaction"
    r"|-B|-U|-ntp|--batch-mode|--no-transfer-progress|-q|--quiet|--ci|-Wall|--noinput|--no-daemon|--stacktrace|--immutable"
    r"|--no-audit|--no-fund|--ignore-scripts|--prefer-dist|--logger \S+|[-/]p:\S+|--no-restore|--no-build|--no-coverage|--show-diff-on-failure"
    r"|--cov\S*|--junit\S*|--durations\S*|-n \w+|-race|-count=1|-j ?\d+|--linker=\w+|--include=dev)(?= |\Z)"
)
_ONE_WORD = frozenset(
    "pytest mypy flake8 pylint pyright black eslint rubocop rspec phpunit tsc vitest jest mocha prettier".split()
)


def _list_calls(configs: Mapping[str, str], known: frozenset[str]) -> list[tuple[str, str, str]]:
    """(workflow, folder, line) for each line that CI runs and that is safe to show."""
    calls = []
    for path, text in _by_depth(configs):
        if not _CI_PATH.fullmatch(path) or _SIDE_WORKFLOW.search(path.rpartition("/")[2]):
            continue
        values = _parse_yaml(text[:_MAX_CONFIG])
        for where, value in values.items():
            if where[-1] == "uses" and (action := value.partition("@")[0]) in _ACTIONS:
                calls.append((path, "", _ACTIONS[action]))
            if (
                where[-1] not in ("run", "script", "command", "bash")
                and "script" not in where[-2:-1]
            ):
                continue
            folder = values.get((*where[:-1], "working-directory"), "")
            folder = folder or values.get((*where[:2], "defaults", "run", "working-directory"), "")
            for line in re.split(r"\n|&&|;", value.replace("\\\n", " ")):
                line = " ".join(_CI_FLAG.sub("", f" {' '.join(line.split())} ").split())
                if line.startswith("cd "):
                    folder = _join(folder, line[3:])
                elif _SAFE_LINE.fullmatch(line):
                    calls.append((path, folder.removeprefix("./").rstrip("/"), line))
    return calls


def _call_key(line: str) -> str:
    """What a line calls, without wrappers, flags and arguments: "npm test", "cargo test"."""
    for _ in range(3):
        line = _WRAPPER.sub("", line, count=1) if _WRAPPER.match(line) else line
    line = re.sub(
        r"^(npm|pnpm|yarn|bun|tox|deno)(?: run(?:-script)?)?(?= |\Z)(?: -e)?", r"\1", line
    )
    words = [word for word in line.split() if not word.startswith("-")] or [line]
    single = words[0] in _ONE_WORD or "/" in words[0]
    return " ".join(words[: 1 if single else 2]).removeprefix("./")


def _shape_of(line: str, known: frozenset[str]) -> tuple[str, str, str]:
    """(verb, ecosystem, line to show) of a line of CI, or ("", "", "")."""
    script = re.match(
        r"((?:bash |sh |python3? )?(?:\./)?)((?:(?:scripts?|bin|tests?|tools|dev)/)?[\w.-]+)(?: |\Z)",
        line,
    )
    if script and script[2] in known and role_of(script[2]) != "source" | True:
        stem = script[2].rpartition("/")[2].partition(".")[0].lower()
        verb, _ = _VERB_OF_TASK.get(re.sub(r"^run[-_]?(?=tests?$)", "", stem), ("", 0))
        return (verb, "", (script[1] + script[2])) if verb else ("", "", "")
    bare = line
    while wrapper := _WRAPPER.match(bare):
        bare = bare[wrapper.end() :]
    for verb, ecosystem, shape in _SHAPES:
        if shape.match(bare) and all(
            word in known or not word.endswith(".txt") for word in bare.split()
        ):
            return verb, ecosystem, line
    return "", "", ""


class _Candidate(NamedTuple):
    score: int
    command: Command


def _choose_commands(
    files: Sequence[str], configs: Mapping[str, str], finds: Mapping[str, list[_Find]]
) -> list[Command]:
    known = frozenset(files)
    calls = _list_calls(configs, known)
    homes = _home_ecosystems(files)
    offers = [
        (_reader_ecosystem(path), Command(find.kind, find.text, path, _folder(path)), find.score)
        for path, found in finds.items()
        for find in found
        if find.kind in _VERBS
    ]
    offers += [
        (eco, Command(verb, line, name), score)
        for score, name, eco, verb, line in _SIGNS
        if name in known
    ]
    seen = {}
    for path, folder, line in calls:
        verb, ecosystem, shown = _shape_of(line, known)
        if verb:
            seen.setdefault((folder, verb), set()).add(ecosystem)
            # Of many variants the plain one is right more often.
            offers.append(
                (ecosystem, Command(verb, shown, path, folder), _FROM_CI - line.count(" "))
            )
    called = {(folder, _call_key(line)) for _, folder, line in calls}
    python = next(
        (
            find.text
            for path in finds
            if "/" not in path
            for find in finds[path]
            if find.text in _PYTHON_MANAGERS and find.kind == "tool"
        ),
        "",
    )
    candidates: dict[tuple[str, str], list[_Candidate]] = {}
    for ecosystem, command, score in offers:
        if not _SAFE_LINE.fullmatch(command.line) and ecosystem not in ("julia", "r"):
            continue
        if score != _FROM_CI and (command.folder, _call_key(command.line)) in called:
            score += _CALLED
        elif seen.get((command.folder, command.verb), set()) & {ecosystem, *homes}:
            score += _UNCALLED
        score += _FOREIGN if ecosystem and ecosystem not in homes else 0
        if ecosystem == "python" and python and _needs_environment(command.line):
            command = command._replace(line=f"{python} run {command.line}")
        candidates.setdefault((command.folder, command.verb), []).append(_Candidate(score, command))
    return [
        command
        for folder in _command_folders(candidates, finds, homes)
        for verb in _VERBS
        for command in _best(candidates.get((folder, verb), []))
    ]


def _needs_environment(line: str) -> bool:
    return line.split()[0] in {"tox", "nox", "pylint", "basedpyright", "ruff", "python", *_ONE_WORD}


def _reader_ecosystem(path: str) -> str:
    reader = _find_reader(path)
    return reader.ecosystem if reader else ""


def _best(candidates: Sequence[_Candidate]) -> list[Command]:
    """The best line, and a second one that is sure as well and another tool."""
    ranked = sorted(
        candidates, key=lambda one: (-one.score, one.command.source.count("/"), one.command.line)
    )
    if not ranked or ranked[0].score < _ENOUGH_ALONE:
        return []
    first = ranked[0].command
    tool = _call_key(first.line).split()[0]
    others = [
        one.command
        for one in ranked[1:]
        if one.score >= _ENOUGH_AS_SECOND and _call_key(one.command.line).split()[0] != tool
    ]
    return [first, *others[:1]]


def _command_folders(
    candidates: Mapping[tuple[str, str], list[_Candidate]],
    finds: Mapping[str, list[_Find]],
    homes: frozenset[str],
) -> list[str]:
    """The root; and where the root cannot build or test the main language, the folders that can."""
    at_root = {_reader_ecosystem(path) for path in finds if "/" not in path}
    if ("", "test") in candidates and at_root & {*homes, ""}:
        return [""]
    missing = homes - at_root
    folders = {
        _folder(path)
        for path in finds
        if 0 < path.count("/") < 3 and _reader_ecosystem(path) in missing
    }
    inner = {
        folder
        for folder in folders
        if any(_join(_folder(folder), "") and folder.startswith(other + "/") for other in folders)
    }
    return ["", *sorted(folders - inner, key=lambda folder: (folder.count("/"), folder))[:3]]


# Language, ecosystem, suffixes.
_LANGUAGE_OF = {
    suffix: (name.replace("_", " "), ecosystem)
    for name, ecosystem, *suffixes in (
        row.split()
        for row in """\
Python python py pyi pyx pxd
Jupyter python ipynb
JavaScript node js jsx mjs cjs
TypeScript node ts tsx mts cts
Vue node vue
Svelte node svelte
Go go go
Rust rust rs
Java jvm java
Kotlin jvm kt kts
Scala jvm scala sc
Groovy jvm groovy
Clojure jvm clj cljs cljc
C c c h
C++ c cc cpp cxx hpp hh hxx
CUDA c cu cuh
Objective-C swift m mm
C# dotnet cs
F# dotnet fs
Visual_Basic dotnet vb
Ruby ruby rb
PHP php php
Swift swift swift
Dart dart dart
Elixir elixir ex exs
Erlang erlang erl hrl
Gleam gleam gleam
Haskell haskell hs
OCaml ocaml ml mli
Elm elm elm
Lua lua lua luau
Perl perl pl pm
R r r
Julia julia jl
Zig zig zig
Nim nim nim
Crystal crystal cr
D d d
Solidity solidity sol
Shell shell sh bash zsh fish
PowerShell shell ps1 psm1
SQL sql sql
Terraform terraform tf
Protobuf proto proto
GraphQL graphql graphql
Fortran fortran f90 f f95 f03
Pascal pascal pas
Ada ada adb ads
COBOL cobol cob cbl
Verilog verilog v sv
VHDL vhdl vhd vhdl
Assembly c s asm
Tcl tcl tcl
Lisp lisp lisp cl el
Scheme scheme scm rkt
Nix nix nix
GLSL glsl glsl vert frag wgsl hlsl
""".splitlines()
    )
    for suffix in suffixes
}

# Dependency -> what to call it in the stack. Test runners and linters are told elsewhere.
_KNOWN_DEPS = dict(
    pair.replace("_", " ").split("=")
    for pair in """
django=Django djangorestframework=Django_REST flask=Flask fastapi=FastAPI starlette=Starlette tornado=Tornado aiohttp=aiohttp sanic=Sanic
pyramid=Pyramid litestar=Litestar celery=Celery sqlalchemy=SQLAlchemy pydantic=Pydantic numpy=NumPy scipy=SciPy pandas=pandas polars=Polars
torch=PyTorch tensorflow=TensorFlow jax=JAX transformers=Transformers scikit-learn=scikit-learn streamlit=Streamlit scrapy=Scrapy click=Click
typer=Typer werkzeug=Werkzeug jinja2=Jinja langchain=LangChain pyqt6=PyQt pyside6=PySide airflow=Airflow apache-airflow=Airflow dagster=Dagster
react=React react-native=React_Native next=Next.js vue=Vue nuxt=Nuxt svelte=Svelte @sveltejs/kit=SvelteKit @angular/core=Angular solid-js=Solid
preact=Preact express=Express fastify=Fastify koa=Koa @nestjs/core=NestJS hono=Hono astro=Astro electron=Electron vite=Vite webpack=webpack
rollup=Rollup esbuild=esbuild tailwindcss=Tailwind prisma=Prisma @prisma/client=Prisma drizzle-orm=Drizzle typeorm=TypeORM graphql=GraphQL three=three.js
gatsby=Gatsby expo=Expo @remix-run/react=Remix lit=Lit ember-source=Ember turbo=Turborepo nx=Nx lerna=Lerna socket.io=Socket.IO commander=Commander
@trpc/server=tRPC redux=Redux @reduxjs/toolkit=Redux zod=Zod @modelcontextprotocol/sdk=MCP
github.com/gin-gonic/gin=Gin github.com/labstack/echo/v4=Echo github.com/gofiber/fiber/v2=Fiber github.com/go-chi/chi/v5=chi github.com/spf13/cobra=Cobra
github.com/gorilla/mux=gorilla/mux gorm.io/gorm=GORM google.golang.org/grpc=gRPC k8s.io/client-go=Kubernetes_client github.com/charmbracelet/bubbletea=Bubble_Tea
tokio=Tokio actix-web=Actix axum=Axum rocket=Rocket warp=warp hyper=hyper serde=Serde clap=clap diesel=Diesel sqlx=SQLx bevy=Bevy tauri=Tauri
leptos=Leptos yew=Yew tonic=tonic rayon=Rayon
org.springframework.boot=Spring_Boot spring-boot-starter-parent=Spring_Boot org.springframework=Spring io.quarkus=Quarkus io.micronaut=Micronaut
com.android.application=Android com.android.library=Android org.jetbrains.kotlin.android=Android io.ktor=Ktor org.hibernate=Hibernate io.vertx=Vert.x
rails=Rails railties=Rails sinatra=Sinatra hanami=Hanami jekyll=Jekyll sidekiq=Sidekiq liquid=Liquid
laravel/framework=Laravel symfony/framework-bundle=Symfony symfony/console=Symfony_Console slim/slim=Slim cakephp/cakephp=CakePHP livewire/livewire=Livewire
phoenix=Phoenix phoenix_live_view=LiveView ecto=Ecto flutter=Flutter
microsoft.aspnetcore=ASP.NET_Core microsoft.entityframeworkcore=EF_Core avalonia=Avalonia vapor=Vapor swift-nio=SwiftNIO
""".split()
)


def _count_languages(files: Iterable[str]) -> dict[str, int]:
    """Suffix -> source files; all files when there is no source."""
    paths = [path for path in files if role_of(path) == "source"] or list(files)
    counts: dict[str, int] = {}
    for path in paths:
        suffix = path.rpartition(".")[2].lower()
        if suffix in _LANGUAGE_OF:
            counts[suffix] = counts.get(suffix, 0) + 1
    return counts


def _languages(files: Iterable[str]) -> list[tuple[str, int]]:
    """(language, source files), the largest first."""
    totals: dict[str, int] = {}
    for suffix, count in _count_languages(files).items():
        name = _LANGUAGE_OF[suffix][0]
        totals[name] = totals.get(name, 0) + count
    return sorted(totals.items(), key=lambda item: (-item[1], item[0]))


def _home_ecosystems(files: Iterable[str]) -> frozenset[str]:
    """The ecosystems that hold much of the code; the tooling of others serves a corner of it."""
    totals: dict[str, int] = {}
    for suffix, count in _count_languages(files).items():
        ecosystem = _LANGUAGE_OF[suffix][1]
        totals[ecosystem] = totals.get(ecosystem, 0) + count
    most = max(totals.values(), default=0)
    return frozenset(name for name, count in totals.items() if count * 3 >= most)


def _version(text: str) -> str:
    """A version range, short; "" for what is none."""
    text = re.sub(r"\s+", "", text.partition("||")[0])
    return text if re.fullmatch(r"[\w.*^~<>=!,+-]{1,24}", text) and re.search(r"\d", text) else ""


def _list_stack(files: Sequence[str], finds: Mapping[str, list[_Find]]) -> list[str]:
    every = [(path, find) for path, found in finds.items() for find in found]
    versions: dict[str, str] = {}
    for _, find in every:
        if find.kind == "version" and (
            version := _version(find.note) or find.note.endswith("edition") and find.note
        ):
            versions.setdefault(find.text, version)
    languages = _languages(files)
    total = sum(count for _, count in languages)
    main = [name for name, count in languages[:4] if count * 12 >= total]
    stack = [f"{name} {versions.get(name, '')}".strip() for name in main]
    ecosystems = {_LANGUAGE_NAMES.get(name) for name in main}
    for name, ecosystem in (("Node.js", "node"), (".NET", "dotnet")):
        if name in versions and ecosystem in ecosystems:
            stack.append(f"{name} {versions[name]}")
    uses: dict[str, tuple[int, str]] = {}
    names = {find.text for _, find in every if find.kind == "name"}
    for path, find in every:
        if (
            find.kind == "dep"
            and (label := _KNOWN_DEPS.get(find.text))
            and _reader_ecosystem(path) in ecosystems
            and find.text not in names
        ):
            number = re.search(r"\d+(?:\.\d+)?", find.note)
            count, version = uses.get(label, (0, ""))
            uses[label] = (
                count + 1 + 5 * ("/" not in path),
                version or (number[0].removesuffix(".0") if number else ""),
            )
    order = list(_KNOWN_DEPS.values())
    ranked = sorted(uses, key=lambda label: (-uses[label][0], order.index(label)))
    stack += [f"{label} {uses[label][1]}".strip() for label in ranked[:4]]
    tools = dict.fromkeys(
        find.text
        for path, find in every
        if find.kind == "tool" and "/" not in path and _reader_ecosystem(path) in {*ecosystems, ""}
    )
    return list(dict.fromkeys([*stack, *list(tools)[:3]]))[:9]


_LANGUAGE_NAMES = {name: ecosystem for name, ecosystem in _LANGUAGE_OF.values()}
_MAX_PACKAGES = 60


def _list_packages(files: Sequence[str], finds: Mapping[str, list[_Find]]) -> list[Package]:
    """Members that a workspace names; else folders with a manifest of their own."""
    manifests: dict[str, list[str]] = {}
    for path in files:
        if (
            "/" in path
            and is_config(path)
            and (reader := _find_reader(path))
            and reader.why in _MANIFESTS
        ):
            manifests.setdefault(_folder(path), []).append(path)
    named = {folder for path, found in finds.items() for folder in _members(path, found, manifests)}
    # Without a workspace: apart from a package's own inner manifests, and not for one stray alone.
    loose = {f for f in manifests if f.count("/") < 3 and role_of(f + "/x.py") == "source"}
    loose = {f for f in loose if not any(f.startswith(other + "/") for other in loose)}
    folders = sorted(named or (loose if len(loose) > 1 else ()))[:_MAX_PACKAGES]
    inside: dict[str, list[str]] = {folder: [] for folder in folders}
    for path in files:
        parent = _folder(path)
        while parent and parent not in inside:
            parent = _folder(parent)
        if parent:
            inside[parent].append(path)
    packages = []
    for folder in folders:
        found = [find for path in manifests.get(folder, ()) for find in finds.get(path, ())]
        name = next((find.text for find in found if find.kind == "name" and find.text), "")
        stack = [language for language, _ in _languages(inside[folder])[:1]]
        stack += [
            _KNOWN_DEPS[find.text]
            for find in found
            if find.kind == "dep" and find.text in _KNOWN_DEPS
        ][:2]
        packages.append(
            Package(folder, name or folder.rpartition("/")[2], ", ".join(dict.fromkeys(stack)))
        )
    return packages


_MANIFESTS = frozenset(
    {
        "Python project",
        "Python package",
        "npm package",
        "Deno project",
        "Cargo manifest",
        "Go module",
        "Maven project",
        "Gradle build",
    }
    | {
        "Ruby dependencies",
        "Composer package",
        "Mix project",
        ".NET project",
        "Swift package",
        "Dart package",
    }
)


def _members(path: str, found: Iterable[_Find], manifests: Iterable[str]) -> Iterator[str]:
    globs = [find.text.strip("/").removeprefix("./") for find in found if find.kind == "member"]
    for glob in globs:
        if glob.startswith("!") or not glob or len(glob) > 200:
            continue
        parts = re.split(r"(\*+)", _join(_folder(path), glob))
        pattern = "".join(
            ".*" if p == "**" else "[^/]*" if p[:1] == "*" else re.escape(p) for p in parts
        )
        yield from (
            folder
            for folder in manifests
            if re.fullmatch(pattern, folder) and "!" + glob not in globs
        )


# Files that a newcomer should know of, by path; the first match tells why, and the order ranks.
_KEY_FILES = [
    (re.compile(pattern), why)
    for pattern, why in (
        (r"(?:src/)?(?:[\w-]+/)?__main__\.py", "runs as `python -m`"),
        (r"(?:src/|app/)?(?:main|app|server)\.(?:py|ts|js|mjs)", "program entry point"),
        (r"manage\.py", "Django commands"),
        (r"(?:\w+/)?(?:wsgi|asgi)\.py", "web entry point"),
        (r"src/main\.(?:c|cc|cpp|swift|zig)|main\.(?:c|cc|cpp)", "program entry point"),
        (r"src/main/(?:java|kotlin)/.*(?:Application|Main)\.(?:java|kt)", "program entry point"),
        (r"(?:src/)?(?:[\w.-]+/)?Program\.cs", "program entry point"),
        (r"Sources/[\w-]+/main\.swift|lib/main\.dart", "program entry point"),
        (
            r"(?:public/)?index\.php|artisan|config\.ru|config/routes\.rb|routes/web\.php",
            "web entry point",
        ),
        (
            r"src/(?:index|main|App)\.[jt]sx?|(?:src/)?app/(?:layout|page)\.tsx|pages/_app\.[jt]sx",
            "program entry point",
        ),
    )
]
_ABOUT_FILES = [
    (re.compile(pattern, re.IGNORECASE), why)
    for pattern, why in (
        (r"readme(?:\.\w+)?", "what it is"),
        (r"agents\.md|claude\.md", "instructions for agents"),
        (
            r"contributing(?:\.\w+)?|docs/contributing(?:\.\w+)?|\.github/contributing\.md",
            "how to contribute",
        ),
        (r"(?:docs?/)?architecture\.\w+|(?:docs?/)?design\.md", "architecture"),
        (r"dockerfile", "container image"),
    )
]


def _list_key_files(files: Sequence[str], finds: Mapping[str, list[_Find]]) -> list[KeyFile]:
    ordered = sorted(files, key=lambda path: (path.count("/"), path))
    entries = [
        KeyFile(f.text, f.note) for path, found in finds.items() for f in found if f.kind == "entry"
    ]
    entries = (
        sorted(entries, key=lambda entry: "command" not in entry.why)
        if len(entries) > 5
        else entries
    )
    shallow = [
        path
        for path in ordered
        if path.count("/") < 8 and role_of(path) in ("source", "config", "build", "doc")
    ]
    entries += [
        KeyFile(path, why)
        for pattern, why in _KEY_FILES
        for path in shallow
        if pattern.fullmatch(path)
    ]
    manifests = [
        KeyFile(path, reader.why)
        for path in finds
        if "/" not in path and (reader := _find_reader(path)) and reader.why
    ]
    about = [
        KeyFile(path, why)
        for pattern, why in _ABOUT_FILES
        for path in shallow
        if pattern.fullmatch(path)
    ]
    workflows = [
        p
        for p in finds
        if _CI_PATH.fullmatch(p) and not _SIDE_WORKFLOW.search(p.rpartition("/")[2])
    ]
    workflows.sort(key=lambda path: (not re.search(r"(?i)/(?:ci|tests?|main|build)\.", path), path))
    found = [
        *_unique(entries)[:5],
        *manifests[:4],
        *(KeyFile(p, "continuous integration") for p in workflows[:1]),
        *about,
    ]
    return _unique(found)[:12]


def _unique(entries: Iterable[KeyFile]) -> list[KeyFile]:
    return list({entry.path: entry for entry in reversed(list(entries))}.values())[::-1]


_TEST_NAMES = [
    (re.compile(pattern), label)
    for pattern, label in (
        (r"test_\w+\.py", "test_*.py"),
        (r"\w+_test\.py", "*_test.py"),
        (r"\w+_test\.go", "*_test.go"),
        (r".+\.test\.[cm]?[jt]sx?", "*.test.*"),
        (r".+\.spec\.[cm]?[jt]sx?", "*.spec.*"),
        (r"\w+-test\.[cm]?[jt]sx?", "*-test.js"),
        (r"\w+_test\.rb", "*_test.rb"),
        (r"\w+_spec\.rb", "*_spec.rb"),
        (r"test_\w+\.rb", "test_*.rb"),
        (r"\w+Tests?\.(?:java|kt|php|cs|swift|scala)", "*Test"),
        (r"\w+_test\.(?:cc|cpp|c|exs|dart)", "*_test"),
    )
]
_RUNNERS = (
    "pytest vitest jest mocha ava rspec minitest phpunit pest junit testng xunit nunit".split()
)


def _list_conventions(
    files: Sequence[str], configs: Mapping[str, str], finds: Mapping[str, list[_Find]]
) -> list[str]:
    told = [
        f.text
        for path, found in finds.items()
        if "/" not in path
        for f in found
        if f.kind == "style"
    ]
    known = frozenset(files)
    if any(path.endswith("/py.typed") for path in known):
        told.append("typed package (py.typed)")
    told += [
        line
        for name, line in (
            (".pre-commit-config.yaml", "pre-commit hooks"),
            (".clang-format", "formatted by clang-format"),
            ("rustfmt.toml", "formatted by rustfmt"),
            (".gitmessage", "commit template in .gitmessage"),
            ("commitlint.config.js", "commit messages are checked (commitlint)"),
            (".releaserc", "commit messages drive releases (semantic-release)"),
            ("release-please-config.json", "conventional commits drive releases (release-please)"),
        )
        if name in known
    ]
    return [*_test_convention(files, configs, finds), *dict.fromkeys(told)][:8]


def _test_convention(
    files: Sequence[str], configs: Mapping[str, str], finds: Mapping[str, list[_Find]]
) -> list[str]:
    tests = [
        path
        for path in files
        if role_of(path) == "test" and path.rpartition(".")[2].lower() in _LANGUAGE_OF
    ]
    if len(tests) < 2:
        return []
    homes: dict[str, int] = {}
    labels: dict[str, int] = {}
    for path in tests:
        name = path.rpartition("/")[2]
        label = next((label for pattern, label in _TEST_NAMES if pattern.fullmatch(name)), "")
        parts = path.split("/")[:-1]
        marks = [
            place
            for place, part in enumerate(parts)
            if part.lower() in _TEST_FOLDERS or part.lower() in _NESTED_TEST_FOLDERS
        ]
        # Where the same folder stands in many places, its name says more than each place.
        home = (
            "" if not marks else parts[0] + "/" if marks[0] == 0 else "*/" + parts[marks[0]] + "/"
        )
        homes[home] = homes.get(home, 0) + 1
        if label:
            labels[label] = labels.get(label, 0) + 1
    home = max(sorted(homes), key=lambda one: homes[one])
    text = f"tests in {home}" if home else "tests beside the code"
    if (
        labels
        and (label := max(sorted(labels), key=lambda one: labels[one]))
        and labels[label] * 3 > len(tests)
    ):
        text += f", named {label}"
    deps = {find.text for found in finds.values() for find in found if find.kind == "dep"}
    lines = " ".join(find.text for found in finds.values() for find in found if find.kind == "test")
    runner = next((name for name in _RUNNERS if name in deps or name in lines), "")
    return [text + (f" ({runner})" if runner else "")]


# Roles, by path alone.

_VENDORED = frozenset(
    "vendor vendored _vendor third_party third-party thirdparty 3rdparty node_modules bower_components site-packages pods carthage godeps .yarn externals".split()
)
_VENDORED_TOP = frozenset("deps external extern".split())
_GENERATED = frozenset(
    "generated __generated__ dist __pycache__ _build __snapshots__ .next .nuxt storybook-static".split()
)
_GENERATED_TOP = frozenset("target out coverage gen".split())
_TEST_FOLDERS = frozenset(
    "tests __tests__ testdata test-data test_data fixtures __fixtures__ __mocks__ mocks e2e integration-tests integration_tests "
    "testsuite testsuites unittests cypress testutil testutils testhelpers test_helpers testhelper step_definitions functional-tests "
    "bench benches benchmark benchmarks test-fixtures jmh".split()
)
_NESTED_TEST_FOLDERS = frozenset("test spec specs".split())
_EXAMPLES = frozenset(
    "example examples sample samples demo demos playground playgrounds tutorial tutorials _examples quickstart cookbook".split()
)
_DOCS_TOP = frozenset("doc site website guides man wiki documentation www".split())
_BUILD_TOP = frozenset(
    "build build_tools build-tools buildscripts buildsrc ci script scripts cmake packaging hack gradle .ci".split()
)
_LOCALES = frozenset("locale locales translations lc_messages".split())
_TEST_SUFFIX = re.compile(r".+(?:[-_.]tests|[-_]testsuite|-e2e)|tests-.+|tests_.+")
_EXAMPLE_SUFFIX = re.compile(r".+[-_](?:examples?|demos?|samples?|playground)")
_TEST_NAME = re.compile(
    r"test_.*\.(?:py|rb|c|cc|cpp|jl)|.*_test\.(?:py|go|rb|exs|dart|c|cc|cpp|h|clj|lua|ml)|.*_spec\.(?:rb|lua|cr)|.*_unittest\.(?:cc|cpp|py)"
    r"|.*[.-](?:test|spec|e2e|cy|stories)\.[cm]?[jt]sx?|.*[.-](?:test|spec)\.(?:vue|svelte|coffee)|conftest\.py|tests\.(?:py|rs)|(?:test|spec)_helper\.rb|.*\.feature"
)
# Camel case is seen only in the name as written; below src/main a "…Test" is the product itself.
_TEST_CLASS = re.compile(
    r"(?:\w*[a-z0-9](?:Tests?|IT|Spec|Suite)|Test[A-Z]\w*)\.(?:java|kt|scala|groovy|cs|fs|vb|php|swift)"
)
_GENERATED_NAME = re.compile(
    r".*_pb2(?:_grpc)?\.pyi?|.*\.pb(?:\.gw)?\.(?:go|cc|h)|.*[._](?:generated|gen)\.\w+|zz_generated.*|.*\.(?:g|freezed)\.dart|.*\.(?:designer|g)\.cs|.*\.snap|.*\.map"
    r"|.*\.tsbuildinfo|.*\.lock|package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|go\.sum|go\.work\.sum|bun\.lockb|packages\.lock\.json|gradle\.lockfile|bindata\.go"
)
_MIGRATION = re.compile(r"(?:.*/)?(?:migrations?|migrate)/v?\d{3,}[^/]*")
_MINIFIED_NAME = re.compile(r".*[.-]min\.(?:js|css|mjs|cjs)|.*\.bundle\.js")
_DOC_NAME = re.compile(
    r".*\.(?:md|mdx|rst|adoc|markdown|pod|org|textile|rdoc)|(?:license|licence|copying|notice|authors|changelog|changes|readme|contributing|history|news|install|todo)(?:[-.]\w+)?"
)
_BUILD_NAME = re.compile(
    r"(?:gnu)?makefile|.*\.mk|cmakelists\.txt|.*\.cmake|dockerfile.*|containerfile|.*\.gradle(?:\.kts)?|meson\.build|meson_options\.txt|build(?:\.bazel)?|workspace|.*\.bzl"
    r"|gulpfile\.\w+|gruntfile\.\w+|setup\.py|build\.rs|noxfile\.py|magefile\.go|rakefile|.*\.rake|conanfile\.\w+|jenkinsfile|.*\.nix|gradlew|mvnw|configure(?:\.ac)?|justfile"
)
_CONFIG_NAME = re.compile(
    r"\..*|.*\.(?:toml|ini|cfg|conf|properties|csproj|fsproj|sln|slnx|props|targets|gemspec|podspec|editorconfig)|.*\.config\.[cm]?[jt]s|[jt]sconfig.*\.json|gemfile|procfile|go\.mod|package\.swift|mix\.exs|pom\.xml"
)
_DATA_SUFFIXES = frozenset("tf sql graphql proto".split())


def role_of(path: str) -> str:
    """What a file is for, by its path: source, test, example, doc, vendored, generated, minified,
    data, config or build. A weight, not a verdict."""
    lower = path.lower()
    folders, _, name = lower.rpartition("/")
    if _MINIFIED_NAME.fullmatch(name):
        return "minified"
    role = _role_of_folders(folders.split("/") if folders else [], name)
    if role in ("vendored", "generated"):
        return role
    if _GENERATED_NAME.fullmatch(name) or "migrat" in lower and _MIGRATION.fullmatch(lower):
        return "generated"
    if role in ("test", "example", "doc"):
        return role
    suffix = name.rpartition(".")[2]
    if _TEST_NAME.fullmatch(name):
        return "test"
    if _TEST_CLASS.fullmatch(path.rpartition("/")[2]) and "src/main/" not in path:
        return "test"
    if _DOC_NAME.fullmatch(name):
        return "doc"
    if _BUILD_NAME.fullmatch(name):
        return "build"
    if _CONFIG_NAME.fullmatch(name) or (not folders and suffix in ("json", "yml", "yaml", "xml")):
        return "config"
    if role:
        return role
    return "source" if suffix in _LANGUAGE_OF and not _LOCALES & set(folders.split("/")) else "data"


def _role_of_folders(folders: Sequence[str], name: str) -> str:
    """The role that the folders of a path give it, or ""."""
    if not folders:
        return ""
    every = frozenset(folders)
    if every & _VENDORED or folders[0] in _VENDORED_TOP:
        return "vendored"
    if every & _GENERATED or folders[0] in _GENERATED_TOP:
        return "generated"
    if every & _TEST_FOLDERS or any(_TEST_SUFFIX.fullmatch(folder) for folder in folders):
        return "test"
    if every & _NESTED_TEST_FOLDERS and _is_test_tree(folders, name):
        return "test"
    if "src" in every and re.search(r"(?:^|/)src/\w*test\w*/", "/".join(folders) + "/"):
        return "test"
    if every & _EXAMPLES or any(_EXAMPLE_SUFFIX.fullmatch(folder) for folder in folders):
        return "example"
    if folders[0] in _DOCS_TOP or "docs" in folders[:3]:
        return "doc"
    if folders[0] in _BUILD_TOP:
        return "build"
    return "config" if folders[0].startswith(".") else ""


def _is_test_tree(folders: Sequence[str], name: str) -> bool:
    """Whether `test` or `spec` holds tests: inside a library it may be what the product offers."""
    place = next(place for place, folder in enumerate(folders) if folder in _NESTED_TEST_FOLDERS)
    product = "lib" in folders[:place] or (place > 0 and name.endswith((".py", ".pyi")))
    return not product


# Structure and modules.

_MAX_CHILDREN = (24, 10, 6)  # folders shown below one folder, by depth
_ROLE_NAMES = {
    "test": "tests",
    "example": "examples",
    "doc": "docs",
    "vendored": "vendored",
    "generated": "generated",
    "minified": "minified",
    "config": "configuration",
    "build": "build and tooling",
    "data": "data",
}
_OPEN_ROLES = ("source", "build")  # only their folders are looked into


class _Folder(NamedTuple):
    """What one folder holds, at any depth; filled while the paths are walked."""

    children: set[str]
    here: list[str]  # files in the folder itself
    roles: dict[str, int]
    languages: dict[str, int]  # of its source files

    def role(self) -> str:
        """Source if there is a good part of it, else what most files are."""
        total = sum(self.roles.values())
        if self.roles.get("source", 0) * 4 >= total:
            return "source"
        return max(sorted(self.roles), key=lambda role: self.roles[role], default="data")

    def describe(self) -> str:
        """The fewest words that say what is in it."""
        total, role = sum(self.roles.values()), self.role()
        if role != "source":
            return f"{_ROLE_NAMES[role]}, {total} file{'s' * (total != 1)}"
        language = max(sorted(self.languages), key=lambda name: self.languages[name])
        count = self.languages[language]
        return f"{count} {language} file{'s' * (count != 1)}"


def _build_folders(files: Iterable[str]) -> dict[str, _Folder]:
    """Every folder by path; the root is ""."""
    folders = {"": _Folder(set(), [], {}, {})}
    for path in files:
        role = role_of(path)
        language = (
            _LANGUAGE_OF.get(path.rpartition(".")[2].lower(), ("",))[0] if role == "source" else ""
        )
        folder, inner = _folder(path), ""
        while True:
            if folder not in folders:
                folders[folder] = _Folder(set(), [], {}, {})
            entry = folders[folder]
            if inner:
                entry.children.add(inner)
            else:
                entry.here.append(path)
            entry.roles[role] = entry.roles.get(role, 0) + 1
            if language:
                entry.languages[language] = entry.languages.get(language, 0) + 1
            if not folder:
                break
            folder, inner = _folder(folder), folder
    return folders


def build_tree(files: Sequence[str], max_depth: int, notes: Mapping[str, str]) -> list[TreeEntry]:
    """Folders breadth first, code before the rest; `notes` has better words for some of them."""
    folders = _build_folders(files)
    entries = [TreeEntry(".", 0, notes.get("", "") or f"{len(files)} files" if files else "empty")]
    level = [""]
    for depth in range(1, max_depth + 1):
        below: list[str] = []
        for folder in level:
            ranked = sorted(
                folders[folder].children, key=lambda child: _tree_rank(child, folders[child])
            )
            limit = _MAX_CHILDREN[min(depth, len(_MAX_CHILDREN)) - 1]
            for child in ranked[:limit]:
                while (
                    len(folders[child].children) == 1
                    and not folders[child].here
                    and child not in notes
                ):
                    (child,) = folders[child].children
                entries.append(
                    TreeEntry(child + "/", depth, notes.get(child) or folders[child].describe())
                )
                below += [child] if folders[child].role() in _OPEN_ROLES else []
            if len(ranked) > limit:
                entries.append(
                    TreeEntry(_join(folder, "…"), depth, f"and {len(ranked) - limit} more")
                )
        level = below
    return entries


def tree_key(entry: TreeEntry) -> list[str]:
    """Sorts any first entries of a tree into the order in which it is printed."""
    return [] if entry.path == "." else entry.path.rstrip("/").split("/")


def _tree_rank(path: str, folder: _Folder) -> tuple[int, int, str]:
    order = ("source", "build", "test", "example", "doc", "config")
    role = folder.role()
    return (order.index(role) if role in order else len(order), -sum(folder.roles.values()), path)


_MIN_MODULES, _MAX_MODULES = 4, 20
_LARGE_SHARE = 4  # a module with more than a 4th of the source is split while there is room


def describe_modules(files: Sequence[str], docs: Mapping[str, str]) -> list[Module]:
    """The parts of the code, largest first; `docs` is path of file or README -> its sentence."""
    folders = _build_folders(files)
    sizes = {path: folder.roles.get("source", 0) for path, folder in folders.items()}
    parts = [path for path in folders[""].children if sizes[path]]
    done: set[str] = set()
    while len(parts) < _MAX_MODULES:
        open_parts = [path for path in parts if path not in done]
        largest = max(sorted(open_parts), key=lambda path: sizes[path], default="")
        if not largest or len(parts) >= _MIN_MODULES and sizes[largest] * _LARGE_SHARE < sizes[""]:
            break
        inner = sorted(
            (c for c in folders[largest].children if sizes[c]), key=lambda c: (-sizes[c], c)
        )
        own = any(role_of(path) == "source" for path in folders[largest].here)
        room = _MAX_MODULES - len(parts) + (not own)
        if not inner or len(inner) > room and len(inner) > 12:
            done.add(largest)
        parts = [path for path in parts if path != largest or own or largest in done]
        parts += [] if largest in done else inner[:room]
        done.add(largest)
    parts = sorted(set(parts), key=lambda path: (-sizes[path], path))[:_MAX_MODULES]
    return [Module(path, sizes[path], _find_doc(path, folders, docs)) for path in parts]


_DOC_FILES = re.compile(
    r"(?i)__init__\.py|doc\.go|lib\.rs|mod\.rs|main\.rs|index\.[jt]sx?|package-info\.java|readme(?:\.\w+)?|package\.json|cargo\.toml|pyproject\.toml|.*\.gemspec|composer\.json|pom\.xml"
)


def _find_doc(folder: str, folders: Mapping[str, _Folder], docs: Mapping[str, str]) -> str:
    """The sentence of the file that speaks for a folder: its package file, namesake, README."""
    name = folder.rpartition("/")[2].lower()
    for place in (folder, folder + "/src", folder + "/lib"):
        for path in sorted(folders[place].here) if place in folders else ():
            base = path.rpartition("/")[2]
            if docs.get(path) and (
                _DOC_FILES.fullmatch(base) or base.partition(".")[0].lower() == name
            ):
                return docs[path]
    return ""


_MAX_SENTENCE = 160  # characters


def first_sentence(text: str) -> str:
    """The first sentence of prose in markdown, reStructuredText or plain text, without markup."""
    text = re.sub(r"\A\ufeff?---\n(?s:.*?)\n---\n", "", text[:20_000])
    text = re.sub(
        r"<!--(?s:.*?)(?:-->|\Z)|^(```|~~~)(?s:.*?)(?:^\1[^\n]*$|\Z)", "", text, flags=re.M
    )
    for paragraph in re.split(r"\n\s*\n", text):
        lines = [line.strip() for line in paragraph.splitlines() if line.strip()]
        lines = [
            line
            for place, line in enumerate(lines)
            if not _is_markup(line, lines[place + 1 : place + 2])
        ]
        prose = _plain(" ".join(lines))
        if len(re.findall(r"[^\W\d_]{2,}", prose)) >= 3:
            end = re.search(
                r"(?<![.\s][a-z])(?<!\b(?:vs|cf|no))(?<!e\.g)(?<!i\.e)[.!?](?=\s+[^a-z\s]|\s*\Z)",
                prose,
            )
            sentence = prose[: end.end()] if end else prose
            return (
                sentence
                if len(sentence) <= _MAX_SENTENCE
                else sentence[: _MAX_SENTENCE - 1].rsplit(" ", 1)[0] + "…"
            )
    return ""


def _is_markup(line: str, following: Sequence[str]) -> bool:
    """Headings, rules, badges, tables, directives, lists: what stands before the prose."""
    underlined = bool(following) and re.fullmatch(r"([=\-~^*#])\1{2,}", following[0]) is not None
    return (
        underlined
        or re.match(r"#|[=\-~^*_+]{3,}\Z|\||\.\. |:\w+:|<h\d|[-*+] |\d+\. |>\s*\[!", line)
        is not None
    )


def _plain(line: str) -> str:
    line = re.sub(r"!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])?", "", line)
    line = re.sub(r"\[([^\[\]]*)\](?:\([^()]*\)|\[[^\]]*\])", r"\1", line)
    line = re.sub(r"`([^`<>]+?)\s*<[^>`]*>`_+", r"\1", line)
    line = re.sub(r"<[^<>]*>|\*\*|__|``?|:\w+:(?=`)|\\(?=[^\w\s])", "", line)
    return " ".join(line.strip("> ").split())


# ---- 7 LINKS (pure) --------------------------------------------------------
# Imports as written in, files of this repository out. Uses: TYPES.


# ---- 8 RANK (pure) ---------------------------------------------------------
# Tags in, scores out. Knows nothing of files, tokens or markdown. Uses: TYPES.


# ---- 9 SELECT (pure) -------------------------------------------------------
# What fits a budget. Uses: TYPES.


# ---- 10 RENDER (pure) ------------------------------------------------------
# Values in, markdown and JSON out. Uses: TYPES TEXT TEMPLATES.


# ---- 11 DISK (world) -------------------------------------------------------
# Files, git, environment, configuration, tokens, talk. Decides nothing. Uses: TYPES TEXT.


# ---- 12 INDEX (world) ------------------------------------------------------
# List, read, tag, remember. Uses: TYPES LANGUAGES TAGS DISK.


# ---- 13 TASKS (world) ------------------------------------------------------
# Tasks and earlier attempts, from their files. Uses: TYPES TEXT DISK.


# ---- 14 FLOWS (world) ------------------------------------------------------
# Each product as one paragraph of calls. Uses: TYPES.


# ---- 15 COMMANDS (door) ----------------------------------------------------
# One cmd_* per subcommand, its flags above it. Uses: TYPES.


# ---- 16 SERVE (door) -------------------------------------------------------
# hook and mcp: JSON in, JSON out. Uses: TYPES.


# ---- 17 MAIN (door) --------------------------------------------------------
# Arguments in, exit code out. Uses: TYPES.
