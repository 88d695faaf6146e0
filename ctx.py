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

import functools
import json
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

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
# Texts of config files in, stack, commands and key files out. Uses: TYPES TEXT.


# ---- 7 LINKS (pure) --------------------------------------------------------
# Imports as written in, files of this repository out. Knows no grammar: it compares names with
# paths. A language is a word in _FAMILIES; most share a resolver. Uses: nothing.

_Resolve = Callable[[str, str], Iterable[str]]  # importing folder (Rust: file), import -> files

_OUTSIDE = "/"  # what a path that leaves the repository becomes: no path here begins with a slash
_TOO_VAGUE = 50  # a namespace of more files than this says nothing about any one of them


class _Tree(NamedTuple):
    """What every resolver looks things up in, built once."""

    files: frozenset[str]
    folders: dict[str, list[str]]  # folder -> files directly in it, sorted
    tails: list[str]  # "/" + path, reversed, sorted: paths with the same ending stand together
    imports: Mapping[str, Sequence[str]]
    configs: Mapping[str, str]


class _Family(NamedTuple):
    """Languages whose imports find their files in the same way."""

    suffixes: str
    make: Callable[[_Tree, _Family], _Resolve]
    separator: str = "/"  # between the parts of an import
    endings: str = ""  # what makes a module's path a file's, by rank; " .rb" is: as it is, or ".rb"


def resolve_imports(
    imports: Mapping[str, Sequence[str]], files: Sequence[str], configs: Mapping[str, str]
) -> dict[str, list[str]]:
    """For each importing file the files of this repository that it imports, sorted.

    `imports` holds imports as written, and "package X" for a file's own namespace; `configs` the
    texts of manifests. What does not belong to this repository resolves to nothing.
    """
    tree = _build_tree(imports, files, configs)
    families = {f".{suffix}": row for row in _FAMILIES for suffix in row.suffixes.split()}
    resolvers: dict[str, _Resolve] = {}
    known: dict[tuple[str, str], dict[str, tuple[str, ...]]] = {}
    links = {}
    for path in sorted(imports):
        family = families.get(path[path.rfind(".") :].lower())
        if family is None:
            continue
        if family.suffixes not in resolvers:
            resolvers[family.suffixes] = family.make(tree, family)
        resolve = resolvers[family.suffixes]
        # In Rust two files of one folder mean different things by "super"; elsewhere all agree.
        place = path if family.make is _rust else _parent(path)
        memory = known.setdefault((family.suffixes, place), {})
        found: set[str] = set()
        for name in imports[path]:
            if name not in memory:
                own = name.startswith("package ")
                memory[name] = () if own or not name else tuple(resolve(place, name))
            found.update(memory[name])
        found.discard(path)
        if found:
            links[path] = sorted(found)
    return links


def is_manifest(path: str) -> bool:
    """Whether resolve_imports() wants the text of this file."""
    return bool(_MANIFEST.fullmatch(path.rpartition("/")[2]))


_MANIFEST = re.compile(
    r"package\.json|[tj]sconfig.*\.json|deno\.jsonc?|import_map\.json|composer\.json"
    r"|go\.mod|go\.work|Cargo\.toml|pubspec\.yaml"
)


def _build_tree(
    imports: Mapping[str, Sequence[str]], files: Sequence[str], configs: Mapping[str, str]
) -> _Tree:
    """The lookup tables that all languages share."""
    paths = frozenset(files)
    folders: dict[str, list[str]] = {}
    for path in sorted(paths):
        folders.setdefault(_parent(path), []).append(path)
    return _Tree(paths, folders, sorted(f"/{path}"[::-1] for path in paths), imports, configs)


def _parent(path: str) -> str:
    """The folder of a path; "" is the root."""
    return path.rpartition("/")[0]


def _locate(folder: str, relative: str) -> str:
    """The path that `relative` means in `folder`, or _OUTSIDE."""
    parts = folder.split("/") if folder else []
    for part in relative.split("/"):
        if part == "..":
            if not parts:
                return _OUTSIDE
            parts.pop()
        elif part and part != ".":
            parts.append(part)
    return "/".join(parts)


def _ancestors(folder: str) -> list[str]:
    """A folder and all above it, the root last."""
    found = [folder]
    while folder:
        folder = _parent(folder)
        found.append(folder)
    return found


def _build_modules(tree: _Tree, endings: Sequence[str]) -> dict[str, str]:
    """Module path -> its file, where "a/b" may be "a/b.js" or "a/b/index.js"."""
    best: dict[str, tuple[int, str]] = {}
    for path in tree.files:
        rooted = f"/{path}"  # so that "index.js" in the root is the module ""
        for rank, ending in enumerate(endings):
            if rooted.endswith(ending):
                module = rooted[: -len(ending)][1:]
                best[module] = min(best.get(module, (rank, path)), (rank, path))
    return {module: path for module, (_, path) in best.items()}


def _find_longest(modules: Mapping[str, str], root: str, rest: str) -> tuple[str, str]:
    """The longest front of `rest` that is a module below `root`, and its file; else two ""."""
    above = f"{root}/" if root else ""
    while rest and above + rest not in modules:
        rest = rest.rpartition("/")[0]
    return rest, modules[above + rest] if rest else ""


def _ending_with(tree: _Tree, tail: str) -> list[str]:
    """Every path that is `tail` or ends with "/" and `tail`."""
    key = f"/{tail}"[::-1]
    start = end = bisect_left(tree.tails, key)
    while end < len(tree.tails) and tree.tails[end].startswith(key):
        end += 1
    return [reverse[-2::-1] for reverse in tree.tails[start:end]]


def _nearest(folder: str, paths: Sequence[str]) -> list[str]:
    """The path that shares most folders with `folder`: of equals the shortest, then the first."""
    if len(paths) < 2:
        return list(paths)
    home = folder.split("/")

    def distance(path: str) -> tuple[int, int, int, str]:
        parts = path.split("/")
        shared = 0
        while shared < min(len(home), len(parts)) and home[shared] == parts[shared]:
            shared += 1
        return -shared, len(parts), len(path), path

    return [min(paths, key=distance)]


def _manifests(tree: _Tree, names: str) -> list[str]:
    """Paths of the manifests whose file name matches the pattern `names`, the outermost first."""
    matches = re.compile(rf"(?:.*/)?(?:{names})").fullmatch
    return sorted(filter(matches, tree.configs), key=lambda path: (path.count("/"), path))


def _parse_jsonc(text: str) -> dict[str, Any]:
    """The object of a JSON text with comments and trailing commas; {} when it is malformed."""
    # What is left open is closed by the end: trying it again from every place would take hours.
    string = r'("(?:\\.|[^"\\])*(?:"|\Z))'
    text = re.sub(rf"(?s){string}|//[^\n]*|/\*.*?(?:\*/|\Z)", r"\1", text.lstrip("\ufeff"))
    try:
        return _mapping(json.loads(re.sub(rf"(?s){string}|,(?=\s*[}}\]])", r"\1", text)))
    except (ValueError, RecursionError):
        return {}


def _parse_cargo(text: str) -> dict[str, Any]:
    """The tables of a Cargo.toml; {} when it is malformed."""
    import tomllib  # here, because it costs start-up time

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):
        return {}


def _mapping(value: object) -> dict[str, Any]:
    """What should be a table, or an empty one."""
    return value if isinstance(value, dict) else {}


def _texts(value: object, depth: int = 5) -> list[str]:
    """The strings in a value, also in its lists and tables."""
    if isinstance(value, str):
        return [value]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for item in items for text in _texts(item, depth - 1)] if depth else []


def _tails(
    tree: _Tree,
    family: _Family,
    spell: Callable[[str], str] = str,
    is_root: Callable[[str, str], bool] = lambda folder, root: True,
) -> _Resolve:
    """For imports that name a path: beside the importing file, else below any root."""
    endings = family.endings.split(" ")

    @functools.cache
    def find_anywhere(stem: str) -> list[tuple[str, str]]:
        tails = [stem + ending for ending in endings]
        return [(p[: -len(tail) - 1], p) for tail in tails for p in _ending_with(tree, tail)]

    def resolve(folder: str, name: str) -> list[str]:
        stem = spell(name).replace(family.separator, "/")
        if name.startswith(".") or is_root(folder, folder):
            for ending in endings:
                if (beside := _locate(folder, stem + ending)) in tree.files:
                    return [beside]
        if name.startswith("."):
            return []
        return _nearest(folder, [p for root, p in find_anywhere(stem) if is_root(folder, root)])

    return resolve


# Headers that every system has: a file of that name deep in a vendored tree is not meant.
_SYSTEM_HEADER = re.compile(
    r"(?:assert|complex|ctype|dirent|dlfcn|errno|fcntl|features|fenv|float|getopt|inttypes|limits"
    r"|locale|malloc|math|memory|poll|pthread|sched|semaphore|setjmp|signal|std(?:align|arg|atomic"
    r"|bool|def|int|io|lib)|strings?|syslog|termios|tgmath|threads|time|unistd|utime|wchar|wctype"
    r"|windows|sys/\w+)\.h"
)


def _includes(tree: _Tree, family: _Family) -> _Resolve:
    """C and its kin: a header beside the including file, else below the nearest include root."""
    resolve = _tails(tree, family)
    is_system = _SYSTEM_HEADER.fullmatch
    return lambda folder, name: resolve(folder, f"./{name}" if is_system(name) else name)


def _snake(tree: _Tree, family: _Family) -> _Resolve:
    """Modules in camel case whose files are in snake case: "MyApp.UserName", my_app/user_name."""
    hump = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
    return _tails(tree, family, spell=lambda name: hump.sub("_", name).lower())


def _titled(tree: _Tree, family: _Family) -> _Resolve:
    """Modules and folders in title case: "Prelude" is not Project/Prelude.hs, for roots are not."""
    title = re.compile(r"(?:.*/)?[A-Z][^/]*").fullmatch
    return _tails(tree, family, is_root=lambda folder, root: not title(root))


def _scoped(tree: _Tree, family: _Family) -> _Resolve:
    """Paths that may begin with a package: "@scope/contracts/x.sol" is contracts/x.sol."""
    return _tails(tree, family, spell=lambda name: re.sub(r"^@[^/]*/", "", name))


def _ruby(tree: _Tree, family: _Family) -> _Resolve:
    """Below a load root only, else `require "json"` would find any json.rb."""
    is_library = re.compile(r"(?:.*/)?(?:lib|app/[^/]+|app/[^/]+/concerns)").fullmatch
    is_own = re.compile(r"(?:.*/)?(?:src|test|spec)|").fullmatch  # its tests load these, no others

    def is_root(folder: str, root: str) -> bool:
        above = f"{folder}/".startswith(f"{root}/") or not root
        return bool(is_library(root) or above and is_own(root))

    return _tails(tree, family, is_root=is_root)


def _dart(tree: _Tree, family: _Family) -> _Resolve:
    """By path, or "package:name/x.dart": lib/x.dart of what pubspec.yaml gives that name."""
    packages = {}
    for path in reversed(_manifests(tree, r"pubspec\.yaml")):
        if match := re.search(r"^name:\s*[\"']?(\w+)", tree.configs[path], re.MULTILINE):
            packages[match[1]] = _parent(path)
    beside = _tails(tree, family)

    def resolve(folder: str, name: str) -> Iterable[str]:
        package, _, rest = name.removeprefix("package:").partition("/")
        if not name.startswith("package:"):
            return beside(folder, f"./{name}")
        return beside(packages[package], f"./lib/{rest}") if package in packages else ()

    return resolve


_PYTHON_ROOTS = ("", "src", "lib", "python")  # where a project may keep its packages
_SIDE_FOLDER = re.compile(r"(?:tests?|examples?|docs?)/")  # only their own files import from these


def _python(tree: _Tree, family: _Family) -> _Resolve:
    """A name starts at a folder that is no package itself; the longest prefix that is a module."""
    modules = _build_modules(tree, family.endings.split())
    packages = {module for module, path in modules.items() if "/__init__.py" in f"/{path}"}
    starts: dict[str, set[str]] = {}  # first part of a name -> folders it can start at
    folders = {above for module in modules for above in _ancestors(_parent(module))}
    for module in folders.union(modules):
        if module and _parent(module) not in packages:
            starts.setdefault(module.rpartition("/")[2], set()).add(_parent(module))

    @functools.cache
    def list_near_roots(folder: str) -> list[str]:
        near = [_locate(above, sub) for above in _ancestors(folder) for sub in _PYTHON_ROOTS]
        return [root for root in near if root in folders and root not in packages]

    @functools.cache
    def find_elsewhere(rest: str) -> list[str]:
        found = [_find_longest(modules, root, rest) for root in starts[rest.partition("/")[0]]]
        # A script in a foreign folder, or a package without the module: more likely a library.
        found = [(n, p) for n, p in found if "/" in n or n and "/__init__.py" in f"/{p}"]
        found = [(n, p) for n, p in found if n.count("/") >= rest.count("/") - 1]
        longest = max((len(front) for front, _ in found), default=0)
        return [path for front, path in found if len(front) == longest]

    def resolve(folder: str, name: str) -> list[str]:
        rest = name.strip(".").replace(".", "/")
        dots = len(name) - len(name.lstrip("."))
        if dots:
            base = _locate(folder, "../" * (dots - 1))
            path = _find_longest(modules, base, rest)[1] or modules.get(base)
            return [path] if path else []
        roots = starts.get(rest.partition("/")[0])
        if roots is None:
            return []
        for root in list_near_roots(folder):
            if root in roots and (path := _find_longest(modules, root, rest)[1]):
                return [path]
        own = folder.partition("/")[0] + "/"
        found = find_elsewhere(rest)
        return _nearest(
            folder, [p for p in found if p.startswith(own) or not _SIDE_FOLDER.match(p)]
        )

    return resolve


# What a package's own alias usually means where only a bundler's code says so.
_ALIASES = {"@/*": ["src/*", "app/*", "*"], "~/*": ["src/*", "app/*", "*"], "$lib/*": ["src/lib/*"]}
_BUILT = re.compile(r"^(?:\./)?(?:dist|lib|build|out|es|esm|cjs)/(?:(?:src|es|esm|cjs)/)?")


def _javascript(tree: _Tree, family: _Family) -> _Resolve:
    """Relative paths, then the rules of tsconfig and package.json, then workspace packages."""
    endings = family.endings.split()
    modules = _build_modules(tree, [*endings, *(f"/index{ending}" for ending in endings)])
    paths = _manifests(tree, r"package\.json")
    manifests = {_parent(path): _parse_jsonc(tree.configs[path]) for path in paths}
    rules = _build_rules(tree, ["", *manifests])
    packages: dict[str, str] = {}  # name -> folder
    for folder, manifest in manifests.items():
        for name in _texts(manifest.get("name")):
            packages.setdefault(name, folder)

    def find_file(path: str) -> str:
        if path in tree.files:
            return path
        return modules.get(path) or modules.get(re.sub(r"(\.d)?\.[mc]?[jt]sx?$", "", path)) or ""

    def find_in_package(folder: str, rest: str) -> str:
        manifest = manifests.get(folder, {})
        fields = _texts([manifest.get(key) for key in ("source", "module", "main", "types")])
        for name in [rest] if rest else ["src/index", *fields, "index"]:
            for guess in (name, _BUILT.sub("src/", name), f"src/{name}", f"lib/{name}"):
                if path := find_file(_locate(folder, guess)):
                    return path
        return ""

    @functools.cache
    def find_by_rule(folder: str, name: str) -> str:
        fronts = [name, *(f"{name[:end]}*" for end in range(len(name), -1, -1))]
        for front in fronts if folder in rules else ():
            for tail, target in rules[folder].get(front, ()):
                rest = name[len(front) - 1 :]
                path = _locate("", target.replace("*", rest.removesuffix(tail)))
                if rest.endswith(tail) and (path := find_file(path)):
                    return path
        return find_by_rule(_parent(folder), name) if folder else ""

    def resolve(folder: str, name: str) -> list[str]:
        name = name.partition("?")[0]
        if name.startswith((".", "/")):
            path = _locate("" if name[0] == "/" else folder, name)
            found = find_file(path) or (path in manifests and find_in_package(path, ""))
        else:
            parts = name.split("/")
            size = 2 if name.startswith("@") else 1
            package, rest = "/".join(parts[:size]), "/".join(parts[size:])
            found = find_by_rule(folder, name)
            if not found and package in packages:
                found = find_in_package(packages[package], rest)
        return [found] if found else []

    return resolve


_Rules = dict[str, list[tuple[str, str]]]  # pattern to its star -> (rest of it, target)


def _build_rules(tree: _Tree, packages: Iterable[str]) -> dict[str, _Rules]:
    """Folder -> the rules for imports that hold below it, from tsconfig and import maps."""
    rules: dict[str, _Rules] = {}

    @functools.cache
    def parse_config(path: str) -> dict[str, Any]:
        return _parse_jsonc(tree.configs.get(path, ""))

    def add_rules(folder: str, base: str, mapping: Mapping[str, object]) -> None:
        for pattern, targets in mapping.items():
            # An import map writes "a/" where a tsconfig writes "a/*".
            slash = "*" if pattern.endswith("/") else ""
            head, star, tail = (pattern + slash).partition("*")
            found = [(tail, _locate(base, target + slash)) for target in _texts(targets)]
            rules.setdefault(folder, {}).setdefault(head + star, []).extend(found)

    def add_config(folder: str, path: str, seen: set[str]) -> None:
        seen.add(path)
        options = _mapping(parse_config(path).get("compilerOptions"))
        base = _locate(_parent(path), "".join(_texts(options.get("baseUrl"))))
        add_rules(folder, base, _mapping(options.get("paths")))
        if "baseUrl" in options:
            add_rules(folder, base, {"*": "*"})
        for name in _texts(parse_config(path).get("extends")):
            parent = _locate(_parent(path), name.removesuffix(".json")) + ".json"
            if parent not in seen:
                add_config(folder, parent, seen)

    for path in _manifests(tree, r"[tj]sconfig[^/]*\.json"):
        add_config(_parent(path), path, set())
    for path in _manifests(tree, r"package\.json|deno\.jsonc?|import_map\.json"):
        add_rules(_parent(path), _parent(path), _mapping(parse_config(path).get("imports")))
    for folder in packages:
        add_rules(folder, folder, _ALIASES)
    return rules


_GO_REPLACE = re.compile(
    r"^[ \t]*(?:replace[ \t]+)?([^\s=]+)(?:[ \t]+v\S+)?[ \t]+=>[ \t]+(\.\.?/\S*)", re.MULTILINE
)


def _go(tree: _Tree, family: _Family) -> _Resolve:
    """All files of the package's folder, by the module paths of go.mod and its local replaces."""
    modules: dict[str, list[str]] = {}
    for path in _manifests(tree, r"go\.mod|go\.work"):
        text, folder = tree.configs[path], _parent(path)
        for match in re.finditer(r"^module\s+\"?([^\s\"]+)", text, re.MULTILINE):
            modules.setdefault(match[1], []).append(folder)
        for match in re.finditer(_GO_REPLACE, text):
            modules.setdefault(match[1], []).append(_locate(folder, match[2]))

    def resolve(folder: str, name: str) -> list[str]:
        for module in _ancestors(name):
            for root in _nearest(folder, modules.get(module, [])):
                paths = tree.folders.get(_locate(root, name[len(module) :]), [])
                found = [p for p in paths if p.endswith(".go") and not p.endswith("_test.go")]
                if found:
                    return found
        return []

    return resolve


def _rust(tree: _Tree, family: _Family) -> _Resolve:
    """The longest prefix that is a module file, from self, super, the crate or a crate's name."""
    modules = _build_modules(tree, family.endings.split())
    crates: dict[str, str] = {}  # name -> folder of its root file
    roots = {p for p in tree.files if f"/{p}".endswith(("/lib.rs", "/main.rs", "/build.rs"))}
    for path in _manifests(tree, r"Cargo\.toml"):
        folder, manifest = _parent(path), _parse_cargo(tree.configs[path])
        lib = _mapping(manifest.get("lib"))
        lib_path = _locate(folder, str(lib.get("path", "src/lib.rs")))
        for name in _texts([lib.get("name"), _mapping(manifest.get("package")).get("name")]):
            crates.setdefault(name.replace("-", "_"), _parent(lib_path))
        if lib_path in tree.files:
            modules[_parent(lib_path)] = lib_path
        targets = [text for key in ("bin", "test", "example") for text in _texts(manifest.get(key))]
        roots.update([lib_path, *(_locate(folder, text) for text in targets)])
        for usual in ("src/bin", "tests", "examples", "benches"):
            roots.update(tree.folders.get(_locate(folder, usual), ()))
    root_folders = {_parent(path) for path in roots & tree.files}

    @functools.cache
    def find_homes(path: str) -> tuple[str, str]:
        folder = _parent(path)
        root = next((above for above in _ancestors(folder) if above in root_folders), folder)
        is_folder = path in roots or path.endswith("/mod.rs")
        return folder if is_folder else path.removesuffix(".rs"), root

    def resolve(path: str, name: str) -> list[str]:
        home, root = find_homes(path)
        name = name.partition(" as ")[0].partition("{")[0].replace("r#", "")
        parts = name.rstrip(":*").replace("::", "/").split("/")
        if parts[0] in ("std", "core", "alloc") or name == "super::*":
            return []  # `use super::*` mostly stands in a test module and means its own file
        if parts[0] == "crate":
            home, parts = root, parts[1:]
        elif parts[0] not in ("self", "super"):
            if local := _find_longest(modules, home, "/".join(parts))[1]:
                return [local]
            if parts[0] not in crates:
                return []
            home, parts = crates[parts[0]], parts[1:]
        while parts and parts[0] in ("self", "super"):
            home = _locate(home, "..") if parts[0] == "super" else home
            parts = parts[1:]
        found = _find_longest(modules, home, "/".join(parts))[1] or modules.get(home)
        return [found] if found else []

    return resolve


def _namespaces(tree: _Tree, family: _Family) -> _Resolve:
    """By the namespaces that files declare: a type is its namespace and its file's name."""
    types: dict[str, list[str]] = {}
    members: dict[str, list[str]] = {}
    suffixes = tuple(f".{suffix}" for suffix in family.suffixes.split())
    for path in sorted(tree.imports):
        for name in tree.imports[path] if path.endswith(suffixes) else ():
            if name.startswith("package "):
                space = name[8:].strip().replace(family.separator, ".").strip(".")
                stem = path.rpartition("/")[2].partition(".")[0]
                types.setdefault(f"{space}.{stem}", []).append(path)
                members.setdefault(space, []).append(path)

    def resolve(folder: str, name: str) -> list[str]:
        whole = name.replace(family.separator, ".").strip(".")
        prefix, _, last = whole.rpartition(".")
        if last in ("*", "_"):
            return members.get(prefix) or _nearest(folder, types.get(prefix, []))
        paths = members.get(whole, [])
        if paths:
            return paths if len(paths) <= _TOO_VAGUE else []
        front = whole
        while front and front not in types:
            front = front.rpartition(".")[0]
        if front:
            return _nearest(folder, types[front])
        # A function of a namespace has no file of its own name; types are not in lower case.
        paths = members.get(prefix, []) if last[:1].islower() else []
        return paths if len(paths) <= _TOO_VAGUE else []

    return resolve


def _php(tree: _Tree, family: _Family) -> _Resolve:
    """Declared namespaces, then PSR-4 prefixes of composer.json; paths for plain includes."""
    prefixes: dict[str, list[str]] = {}
    for path in _manifests(tree, r"composer\.json"):
        manifest = _parse_jsonc(tree.configs[path])
        for key in ("autoload", "autoload-dev"):
            for prefix, targets in _mapping(_mapping(manifest.get(key)).get("psr-4")).items():
                found = [_locate(_parent(path), target) for target in _texts(targets)]
                prefixes.setdefault(prefix.replace("\\", "/").strip("/"), []).extend(found)
    by_namespace, by_path = _namespaces(tree, family), _tails(tree, family)

    def resolve(folder: str, name: str) -> Iterable[str]:
        if name.endswith((".php", ".inc")):
            return by_path(folder, name)
        if declared := by_namespace(folder, name):
            return declared
        module = name.strip("\\").replace("\\", "/")
        for prefix in _ancestors(module):
            rest = f"{module[len(prefix) :]}.php"
            paths = [_locate(base, rest) for base in prefixes.get(prefix, ())]
            if found := [path for path in paths if path in tree.files]:
                return _nearest(folder, found)
        return []

    return resolve


_FAMILIES = (
    _Family("py pyi pyx pxd ipynb", _python, ".", "/__init__.py .py /__init__.pyi .pyi .pyx .pxd"),
    _Family(
        "js mjs cjs jsx ts mts cts tsx vue svelte astro html",
        _javascript,
        endings=".ts .tsx .mts .cts .js .jsx .mjs .cjs .vue .svelte .d.ts .json",
    ),
    _Family("go", _go),
    _Family("rs", _rust, "::", ".rs /mod.rs /lib.rs /main.rs"),
    _Family("java kt kts scala sc groovy gradle", _namespaces, "."),
    _Family("cs fs vb", _namespaces, "."),
    _Family("php inc phtml", _php, "\\"),
    _Family(
        "c h cc cpp cxx hh hpp hxx ipp inl m mm cu cuh glsl v sv vh f f90 s asm",
        _includes,
        endings=" .in",  # a header that is configured out of a template
    ),
    _Family("rb rake gemspec ru cr", _ruby, "/", " .rb .cr"),
    _Family("dart", _dart),
    _Family("lua luau", _tails, ".", ".lua .luau /init.lua /init.luau"),
    _Family("hs lhs elm purs", _titled, ".", ".hs .lhs .elm .purs"),
    _Family("pl pm t", _titled, "::", ".pm .pl"),
    _Family("ex exs", _snake, ".", ".ex .exs"),
    _Family("ml mli", _snake, ".", ".ml .mli"),
    _Family("clj cljs cljc", _tails, ".", ".clj .cljs .cljc"),
    _Family("d", _tails, ".", ".d /package.d"),
    _Family("nim gleam", _tails, "/", ".nim .gleam"),
    _Family("nix tf", _tails, "/", " /default.nix /main.tf"),
    _Family("sol", _scoped),
    _Family("proto thrift zig erl hrl jl sh bash zsh r graphql rkt mk cmake", _tails),
)


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
