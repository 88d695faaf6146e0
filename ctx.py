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
# does otherwise loses, and so does the tooling of a language that is only a guest here.
_SCRIPTED, _FROM_CI, _IMPLIED, _WEAK = 40, 30, 25, 15
_CALLED, _CALLED_ALIKE, _UNCALLED, _GUEST = 20, 10, -16, -36
_ENOUGH, _ENOUGH_AS_SECOND = 9, 25

# What becomes a command holds no quote, assignment, variable, URL or control character.
_SAFE_NAME = re.compile(r"[\w.:@/+-]{1,60}", re.ASCII)
_SAFE_LINE = re.compile(r"(?!.*://)[\w.:@/+*, &\[\]-]{2,90}", re.ASCII)


class TreeEntry(NamedTuple):
    """One line of the structure. Any first N of them are a tree; sort those by `tree_key`."""

    path: str  # "src/main/java/", "." for the root, "src/…" for the siblings left out
    depth: int  # 0 for the root, 1 below it; a chain of only children counts once
    note: str  # "command line interface", "tests, 34 files", "12 Python files"


class Module(NamedTuple):
    """One part of the code, described by its own words."""

    path: str  # its folder; "." is what lies in the root itself
    files: int  # source files in it that are in no other module
    doc: str  # one sentence, or ""


class _Find(NamedTuple):
    """One thing that one config says."""

    kind: str  # a verb, or: name about version dep tool entry member style
    text: str
    note: str = ""  # version of a dep or language, why of an entry, ecosystem of a command
    score: int = 0  # of a command


def is_config(path: str) -> bool:
    """Whether the text of this file tells facts: manifests, task runners, CI."""
    if _find_stanza(path) is None or path.count("/") > 5:
        return False
    folders, _, name = path.lower().rpartition("/")
    role = _role_of_folders(folders.split("/") if folders else [], name)
    return role in ("", "build") or _CI_PATH.fullmatch(path) is not None


def detect_facts(files: Sequence[str], configs: Mapping[str, str]) -> Facts:
    """What names of files and texts of configs say about a project, most important first."""
    known = frozenset(files)
    sources = [path for path in files if role_of(path) == "source"] or files
    homes = _home_ecosystems(sources)
    finds = {path: _read_config(path, text, known) for path, text in _by_depth(configs)}
    return Facts(
        tuple(_list_stack(sources, finds)),
        tuple(_choose_commands(homes, known, configs, finds)),
        tuple(_list_key_files(files, homes, finds)),
        tuple(_list_packages(files, homes, finds)),
        tuple(_list_conventions(files, homes, finds)),
    )


def find_descriptions(configs: Mapping[str, str]) -> dict[str, str]:
    """Path of a manifest -> the sentence in which it describes its package."""
    return {
        path: first_sentence(find.text)
        for path, text in _by_depth(configs)
        for find in _read_config(path, text, frozenset())
        if find.kind == "about" and first_sentence(find.text)
    }


def _by_depth(configs: Mapping[str, str]) -> list[tuple[str, str]]:
    return sorted(configs.items(), key=lambda item: (item[0].count("/"), item[0]))


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


# One stanza per kind of config: pattern of its name, ecosystem ("-" for all), why it is a key file.
# A row is: kind, text, and where its {} comes from: "~ pattern" in the text, or "@ place" in TOML,
# JSON or YAML ("*" is any key). A row without a source always holds. "!" is surer, "?" less sure.
# A "task" gives a line for those names in a table that mean a verb.
_STANZAS_TEXT = r"""
pyproject\.toml : python : Python project
  name {} @ project/name
  name {} @ tool/poetry/name
  about {} @ project/description
  about {} @ tool/poetry/description
  version Python {} @ project/requires-python
  version Python {} @ tool/poetry/dependencies/python
  dep {} @ project/dependencies
  dep {} @ tool/poetry/dependencies
  devdep {} @ project/optional-dependencies/*
  devdep {} @ dependency-groups/*
  devdep {} @ tool/poetry/group/*/dependencies
  member {} @ tool/uv/workspace/members
  test pytest @ tool/pytest
  lint ruff check @ tool/ruff
  format ruff format @ tool/ruff/format
  format black . @ tool/black
  typecheck pyright @ tool/pyright
  typecheck basedpyright @ tool/basedpyright
  tool tox @ tool/tox
  test! tox @ tool/tox/env_run_base
  task tox -e {} @ tool/tox/env
  task hatch run {} @ tool/hatch/envs/default/scripts
  task pdm run {} @ tool/pdm/scripts
  task poe {} @ tool/poe/tasks
  task task {} @ tool/taskipy/tasks
  style lines up to {} columns (ruff) @ tool/ruff/line-length
  style lines up to {} columns (black) @ tool/black/line-length
  style {} quotes (ruff) @ tool/ruff/format/quote-style
  style mypy strict @ tool/mypy/strict
  style pyright {} @ tool/pyright/typeCheckingMode
  style changelog fragments in {}/ (towncrier) @ tool/towncrier/directory
  style commit messages by commitizen @ tool/commitizen
setup\.cfg|tox\.ini|pytest\.ini|mypy\.ini|\.flake8 : python :
  name {} ~ ^name\s*=\s*([\w.-]+)$
  version Python {} ~ ^python_requires\s*=\s*(.+)
  install pip install -e . ~ ^\[options\]
  test pytest ~ ^\[(?:tool:)?pytest\]
  lint flake8 ~ ^\[flake8\]
  tool tox ~ ^\[tox\]
  test! tox ~ ^\[testenv\]
  task tox -e {} ~ ^\[testenv:([\w.-]+)\]
  style lines up to {} columns (flake8) ~ ^max[-_]line[-_]length\s*=\s*(\d+)
setup\.py : python : Python package
  name {} ~ \bname\s*=\s*['"]([\w.-]+)
  version Python {} ~ python_requires\s*=\s*['"]([^'"\n]+)
  dep {} ~ ^[ \t]*['"]([\w.-]+)([^'"\n]*)['"],?[ \t]*$
  install pip install -e . ~ \bsetup\(
requirements\.txt : python : Python dependencies
  dep {} ~ ^([A-Za-z][\w.-]*)(?:\[[^\]\n]*\])?([=<>~!][^\s;#]*)?
  install? pip install -r requirements.txt
noxfile\.py : python : task runner
  task nox -s {} ~ ^def (\w+)\(session
package\.json : node : npm package
  name {} @ name
  about {} @ description
  version Node.js {} @ engines/node
  dep {} @ dependencies
  dep {} @ devDependencies
  dep {} @ peerDependencies
  member {} @ workspaces
  member {} @ workspaces/packages
pnpm-workspace\.yaml : node : workspace members
  member {} @ packages
lerna\.json : node :
  member {} @ packages
deno\.jsonc? : node : Deno project
  tool Deno
  task deno task {} @ tasks
  test deno test
  lint deno lint
  format deno fmt
tsconfig\.json : node :
  style TypeScript strict @ compilerOptions/strict
\.prettierrc(?:\.json|\.ya?ml)? : node :
  style formatted by Prettier
  style single quotes @ singleQuote
  style lines up to {} columns @ printWidth
Cargo\.toml : rust : Cargo manifest
  name {} @ package/name
  about {} @ package/description
  version Rust {}+ @ package/rust-version
  version Rust {}+ @ workspace/package/rust-version
  version Rust {}-edition @ package/edition
  version Rust {}-edition @ workspace/package/edition
  dep {} @ dependencies
  dep {} @ workspace/dependencies
  member {} @ workspace/members
  build cargo build
\.?rustfmt\.toml : rust :
  format cargo fmt --all
  style lines up to {} columns (rustfmt) @ max_width
go\.mod : go : Go module
  name {} ~ ^module\s+(\S+)
  version Go {} ~ ^go\s+([\d.]+)
  dep {} ~ ^(?:require)?[ \t]+(\S+\.\S+/\S+) (v\S+)$
  build go build ./...
  test go test ./...
  lint? go vet ./...
  format? gofmt -w .
go\.work : go : Go workspace
  member {} ~ ^(?:use)?[ \t]*(\.[\w./-]*)[ \t]*$
magefile\.go : go : task runner
  task mage {} ~ ^func ([A-Z]\w*)\([^()\n]*\)(?: error)? \{
(?:GNU)?[Mm]akefile : - : task runner
\.?[Jj]ustfile : - : task runner
  task just {} ~ ^@?([A-Za-z][\w-]*)(?: [^:\n]*)?:(?!=)
[Tt]askfile\.ya?ml : - : task runner
  task task {} @ tasks
pom\.xml : jvm : Maven project
  tool Maven
  about {} ~ <description>\s*([^<]+)<
  version Java {}+ ~ <(?:maven\.compiler\.(?:release|source)|java\.version)>\s*([\d.]+)\s*<
  dep {} ~ <(?:groupId|artifactId)>\s*([\w.-]+)\s*<
  member {} ~ <module>\s*([^<\s]+)\s*</module>
  build mvn package
  test mvn test
  run mvn spring-boot:run ~ spring-boot-maven-plugin
(?:build|settings)\.gradle(?:\.kts)? : jvm : Gradle build
  tool Gradle
  version Java {}+ ~ (?:JavaLanguageVersion\.of\(|jvmToolchain\()(\d+)
  version Java {}+ ~ (?:source|target)Compatibility\s*=\s*['"]?(?:JavaVersion\.VERSION_)?(\d+)
  dep {} ~ ['"(]([a-z][\w-]*(?:\.[\w-]+)+)[:'"]
  member {} ~ ^[ \t]*include\b[ (]*['"]:?([\w:./-]+)['"]
  member {} ~ ^[ \t]+['"]:([\w:./-]+)['"],?\)?$
  build gradle build
  test gradle test
  run gradle bootRun ~ ['"]org\.springframework\.boot['"]
  run gradle run ~ ['"]application['"]|^[ \t]*application[ \t]*$
CMakeLists\.txt : c : CMake build
  tool CMake
  name {} ~ ^(?i:project)\s*\(\s*([\w.-]+)
  version C++ {} ~ CMAKE_CXX_STANDARD\s+(\d+)
  build cmake -B build && cmake --build build ~ ^(?i:project)\s*\(
  test ctest --test-dir build ~ (?i:enable_testing|add_test)\s*\(|include\s*\(CTest
Gemfile|[\w.-]+\.gemspec : ruby : Ruby dependencies
  about {} ~ \.summary\s*=\s*["']([^"'\n]+)
  version Ruby {} ~ ^ruby\s+["']([^"'\n]+)
  version Ruby {} ~ required_ruby_version\s*=\s*["']([^"'\n]+)
  dep {} ~ ^[ \t]*gem[ (]+["']([\w-]+)["'](?:,\s*["']([^"'\n]*))?
  dep {} ~ \.add_(?:runtime_)?dependency[ (]+["']([\w-]+)["'](?:,\s*["']([^"'\n]*))?
  tool Bundler ~ ^source\b
  install! bundle install ~ ^source\b
Rakefile : ruby : task runner
  task bundle exec rake {} ~ ^task[ (]+:?["']?([\w:-]+)
  test! bundle exec rake test ~ ^Rake::TestTask\.new
  test! bundle exec rake spec ~ ^RSpec::Core::RakeTask\.new
  lint! bundle exec rake rubocop ~ ^RuboCop::RakeTask\.new
composer\.json : php : Composer package
  tool Composer
  name {} @ name
  about {} @ description
  version PHP {} @ require/php
  dep {} @ require
  devdep {} @ require-dev
  install! composer install
  task composer {} @ scripts
mix\.exs : elixir : Mix project
  name {} ~ \bapp:\s*:(\w+)
  version Elixir {} ~ elixir:\s*"([^"\n]+)
  dep {} ~ \{:(\w+),\s*"([^"\n]*)
  install mix deps.get
  build mix compile
  test mix test
  run mix phx.server ~ \{:phoenix,
[\w.-]+\.(?:sln|slnx|csproj|fsproj|vbproj) : dotnet : .NET project
  version .NET {} ~ <TargetFrameworks?>(?:[^<]*;)?net(\d+\.\d)
  dep {} ~ <PackageReference\s+Include="([\w.]+)"(?:\s+Version="([^"]*)")?
  dep microsoft.aspnetcore ~ Sdk="Microsoft\.NET\.Sdk\.Web"
  member {} ~ "([^"\n]+)[\\/][^"\\/\n]+\.(?:cs|fs|vb)proj"
Package\.swift : swift : Swift package
  tool SwiftPM
  name {} ~ \bPackage\(\s*name:\s*"([^"\n]+)
  version Swift {}+ ~ swift-tools-version:\s*([\d.]+)
  dep {} ~ url:\s*"[^"\n]*/([\w.-]+?)(?:\.git)?"
  build swift build
  test swift test ~ \.testTarget\(
  run swift run ~ \.executableTarget\(
pubspec\.yaml : dart : Dart package
  name {} @ name
  about {} @ description
  version Dart {} @ environment/sdk
  dep {} @ dependencies
  member {} @ workspace
  install! flutter pub get @ dependencies/flutter
  install dart pub get
  test! flutter test @ dependencies/flutter
  test dart test
  lint! flutter analyze @ dependencies/flutter
  lint dart analyze
  format dart format .
  run flutter run @ dependencies/flutter
(?:docker-)?compose\.ya?ml : - : services
  run? docker compose up @ services/*/build
\.editorconfig : - :
  style indent with tabs ~ ^\[\*\]\n(?:[a-z][^\n]*\n)*?indent_style *= *tab
  style indent with {} spaces ~ ^\[\*\]\n(?:[a-z][^\n]*\n)*?indent_size *= *(\d+)
  style lines up to {} columns ~ ^\[\*\]\n(?:[a-z][^\n]*\n)*?max_line_length *= *(\d+)
"""

# What the presence of a file or of a dependency implies.
_SIGNS_TEXT = r"""
.pre-commit-config.yaml : - : lint! pre-commit run --all-files
script/bootstrap : - : install! script/bootstrap
script/setup : - : install! script/setup
bin/setup : - : install! bin/setup
script/test : - : test! script/test
bin/test : - : test! bin/test
script/lint : - : lint! script/lint
script/fmt : - : lint! script/fmt
bin/lint : - : lint! bin/lint
script/server : - : run! script/server
bin/dev : - : run! bin/dev
manage.py : python : test python manage.py test : run python manage.py runserver
ruff.toml : python : lint ruff check
.ruff.toml : python : lint ruff check
pyrightconfig.json : python : typecheck pyright
Pipfile : python : install! pipenv install --dev
environment.yml : python : install? conda env create -f environment.yml
biome.json : node : lint npx biome check
clippy.toml : rust : lint cargo clippy
.golangci.yml : go : lint golangci-lint run
.golangci.yaml : go : lint golangci-lint run
artisan : php : test! php artisan test : run! php artisan serve
phpstan.neon : php : typecheck vendor/bin/phpstan analyse
phpstan.neon.dist : php : typecheck vendor/bin/phpstan analyse
psalm.xml : php : typecheck vendor/bin/psalm
bin/rails : ruby : test! bin/rails test : run! bin/rails server
.rubocop.yml : ruby : lint bundle exec rubocop
.formatter.exs : elixir : format mix format
.swiftlint.yml : swift : lint swiftlint
.swiftformat : swift : format swiftformat .
meson.build : c : build meson setup build && meson compile -C build : test meson test -C build
configure : c : build ./configure && make : test make check
build.sbt : jvm : build sbt compile : test sbt test
deps.edn : jvm : test clojure -M:test
project.clj : jvm : test lein test
stack.yaml : haskell : build stack build : test stack test
cabal.project : haskell : build cabal build all : test cabal test all
dune-project : ocaml : build dune build : test dune test
rebar.config : erlang : build rebar3 compile : test rebar3 eunit
gleam.toml : gleam : build gleam build : test gleam test
build.zig : zig : build zig build : test? zig build test
shard.yml : crystal : install shards install : test crystal spec
foundry.toml : solidity : build forge build : test forge test
MODULE.bazel : - : build bazel build //... : test bazel test //...
WORKSPACE : - : build bazel build //... : test bazel test //...
pants.toml : - : test pants test ::
"""
_IMPLIED_BY_DEP = {
    "pytest": "test pytest",
    "phpunit/phpunit": "test vendor/bin/phpunit",
    "pestphp/pest": "test vendor/bin/pest",
    "laravel/pint": "format vendor/bin/pint",
    "rspec": "test bundle exec rspec",
    "credo": "lint mix credo",
    "dialyxir": "typecheck mix dialyzer",
    "@commitlint/config-conventional": "style conventional commits (commitlint)",
    "@changesets/cli": "style a changeset per change in .changeset/",
}

# Task names that mean a verb, the best first. Only these become commands.
_VERB_OF_TASK = {
    name: (verb, place)
    for verb, names in (
        ("install", "setup bootstrap deps install-deps install-dev dev-install dev-setup"),
        ("build", "build compile build:all build-all bundle"),
        ("test", "test tests test:unit test-unit unit unit-test unittest test:all test-all check"),
        ("test", "runtests runtest run_tests run-tests spec specs test-ci test:ci pytest phpunit"),
        ("lint", "lint lint:all lint-all lint:check lint-check linters lint:js eslint style cs"),
        (
            "lint",
            "linting ruff flake8 rubocop clippy golangci-lint vet pre-commit analyze",
        ),
        ("typecheck", "typecheck type-check check-types check:types types typing type_check"),
        ("typecheck", "check:ts tsc mypy pyright flow phpstan stan analyse static-analysis"),
        ("format", "format fmt format:write prettier fix black format:fix cs-fix pint reformat"),
        ("run", "start dev serve run server runserver develop"),
    )
    for place, name in enumerate(names.split())
}


class _Row(NamedTuple):
    """One line of a stanza."""

    kind: str
    text: str
    note: str
    score: int
    pattern: str  # compiled at its first use: a hundred of them would slow every start
    place: str  # "project/name", or ""


class _Stanza(NamedTuple):
    """How one kind of config is known and read."""

    name: str  # pattern of the file's name
    ecosystem: str  # of whose code its commands are; "" for all
    why: str  # what it is as a key file, or ""
    rows: tuple[_Row, ...]


def _parse_row(line: str) -> _Row:
    head, pattern, place = line, "", ""
    if " ~ " in line:
        head, _, pattern = line.partition(" ~ ")
    elif " @ " in line:
        head, _, place = line.partition(" @ ")
    kind, _, text = head.strip().partition(" ")
    score = {"!": _SCRIPTED, "?": _WEAK}.get(kind[-1], _IMPLIED)
    text, _, note = text.partition(" ") if kind == "version" else (text, "", "")
    return _Row(kind.rstrip("!?"), text, note, score, pattern, place)


def _parse_stanzas(text: str) -> list[_Stanza]:
    stanzas: list[_Stanza] = []
    for line in text.strip().splitlines():
        if line.startswith(" "):
            stanzas[-1] = stanzas[-1]._replace(rows=(*stanzas[-1].rows, _parse_row(line)))
        else:
            name, ecosystem, why = (part.strip() for part in f"{line} ".split(" :"))
            stanzas.append(_Stanza(name, ecosystem.strip("-"), why, ()))
    return stanzas


_STANZAS = _parse_stanzas(_STANZAS_TEXT)
_STANZA_BY_NAME = re.compile("|".join(f"({stanza.name})" for stanza in _STANZAS))
_CI_PATH = re.compile(
    r"\.github/workflows/[^/]+\.ya?ml|\.gitlab-ci\.yml|\.circleci/config\.yml|\.travis\.yml"
)
_CI_STANZA = _Stanza("", "", "continuous integration", ())


def _find_stanza(path: str) -> _Stanza | None:
    match = _STANZA_BY_NAME.fullmatch(_name(path))
    if match and match.lastindex:
        return _STANZAS[match.lastindex - 1]
    return _CI_STANZA if _CI_PATH.fullmatch(path) else None


def _read_config(path: str, text: str, known: frozenset[str]) -> list[_Find]:
    """What the rows of its stanza find in a config, then what needs more than a row."""
    stanza = _find_stanza(path)
    if stanza is None:
        return []
    text = text[:_MAX_CONFIG]
    data: object = None
    found: list[_Find] = []
    for row in stanza.rows:
        if row.pattern:
            matches = re.finditer(row.pattern, text, re.MULTILINE)
            values: list[object] = [match.groups() for match in matches]
        elif row.place:
            data = _parse_config(path, text) if data is None else data
            values = _dig(data, row.place.split("/"))
        else:
            values = [""]
        found += [find for value in values for find in _fill_row(row, value)]
    special = _SPECIAL.get(_name(path)) or _SPECIAL.get(path.rpartition(".")[2])
    if special:
        data = _parse_config(path, text) if data is None else data
        found += special(path, text, data, known)
    for find in [find for find in found if find.kind in ("dep", "devdep")]:
        if find.text in _IMPLIED_BY_DEP:
            found += _fill_row(_parse_row(_IMPLIED_BY_DEP[find.text]), "")
    return found


def _fill_row(row: _Row, value: object) -> Iterator[_Find]:
    """The finds of one row for one value: what a pattern matched, or what stands at a place."""
    if row.kind in ("dep", "devdep"):
        for name, version in _pairs(value):
            yield _Find(row.kind, row.text.replace("{}", name.lower()), version)
    elif row.kind == "task":
        yield from _find_tasks(_strings(value), row.text)
    elif row.kind == "member":
        yield from (_Find("member", name) for name in _strings(value))
    elif value not in (None, False):
        words = _strings(value) if not isinstance(value, dict) else []
        word = str(value) if isinstance(value, int) else words[0] if words else ""
        if word or "{}" not in row.text + row.note:
            text, note = row.text.replace("{}", word), row.note.replace("{}", word)
            yield _Find(row.kind, text, note, row.score)


def _find_tasks(names: Iterable[str], line: str) -> Iterator[_Find]:
    """For each verb the task whose name says it best."""
    best: dict[str, tuple[int, str]] = {}
    for name in names:
        verb, place = _VERB_OF_TASK.get(re.sub(r"^(?:turbo|nx):", "", name.lower()), ("", 0))
        if verb and _SAFE_NAME.fullmatch(name):
            best[verb] = min(best.get(verb, (99, "")), (place, name))
    for verb, (place, name) in best.items():
        name = name[0].lower() + name[1:] if line.startswith("mage") else name
        yield _Find(verb, line.replace("{}", name), score=_SCRIPTED - min(place, 10))


# Tolerant readers: odd input gives less, never an error.


def _parse_config(path: str, text: str) -> object:
    if path.endswith(".toml"):
        return _parse_toml(text)
    return _nest(_parse_yaml(text)) if path.endswith((".yaml", ".yml")) else _parse_json(text)


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


_YAML_PAIR = re.compile(r"""(?:"([^"]*)"|'([^']*)'|([^\s"'#:{\[][^:]*)):(?:\s+(.*)|\Z)""")


def _parse_yaml(text: str) -> dict[tuple[str, ...], str]:
    """Path of keys and list positions -> scalar: as much YAML as workflows and manifests use."""
    found: dict[tuple[str, ...], str] = {}
    stack: list[tuple[int, str]] = []  # (indent, key) from the root to the line at hand
    counts: dict[tuple[str, ...], int] = {}
    block = -1  # indent of the key whose block of text is being read, or -1
    for line in text.splitlines():
        body = line.strip()
        indent = len(line) - len(line.lstrip(" "))
        if block >= 0 and (indent > block or not body):
            where = tuple(key for _, key in stack)
            found[where] += body + "\n"
            continue
        block = -1
        if not body or body.startswith(("#", "---", "%")) or len(stack) > 30:
            continue
        while len(stack) < 30 and (item := re.match(r"-(?:\s+|\Z)", body)):
            # A list may stand at the indent of its key: equal indent ends another item only.
            while stack and (stack[-1][0], stack[-1][1].isdigit()) >= (indent, True):
                stack.pop()
            parent = tuple(key for _, key in stack)
            counts[parent] = counts.get(parent, -1) + 1
            stack.append((indent, str(counts[parent])))
            indent, body = indent + item.end(), body[item.end() :]
        if pair := _YAML_PAIR.match(body):
            while stack and stack[-1][0] >= indent:
                stack.pop()
            stack.append((indent, next(key for key in pair.groups() if key is not None).strip()))
            body = pair[4] or ""
            if re.match(r"[|>][+\-\d]*\s*(?:#|\Z)", body):
                block, body = indent, ""
        where = tuple(key for _, key in stack)
        body = re.sub(r"(?:^|\s)#.*", "", body).strip()
        if body[:1] == "[" and body[-1:] == "]":
            for number, part in enumerate(body[1:-1].split(",")):
                found[(*where, str(number))] = part.strip().strip("\"'")
        else:
            found[where] = f"{found.get(where, '')} {body}".strip().strip("\"'")
    return found


def _nest(flat: Mapping[tuple[str, ...], str]) -> dict[str, object]:
    root: dict[str, object] = {}
    for where, value in flat.items():
        table = root
        for key in where[:-1]:
            inner = table.get(key)
            if not isinstance(inner, dict):
                inner = table[key] = {}
            table = inner
        if where and not isinstance(table.get(where[-1]), dict):
            table[where[-1]] = value
    return root


def _dig(data: object, keys: Sequence[str]) -> list[object]:
    """What stands at that place; "*" goes through every key."""
    for number, key in enumerate(keys):
        if not isinstance(data, dict):
            return []
        if key == "*":
            return [one for inner in data.values() for one in _dig(inner, keys[number + 1 :])]
        data = data.get(key)
    return [] if data is None else [data]


def _table(data: object, *keys: str) -> dict[str, object]:
    found = _dig(data, keys)
    return found[0] if found and isinstance(found[0], dict) else {}


def _strings(value: object) -> list[str]:
    """The strings of a list, the keys of a table, or one string alone."""
    if isinstance(value, dict) and all(isinstance(key, str) and key.isdigit() for key in value):
        value = list(value.values())  # a list, as _nest gives it
    items = [value] if isinstance(value, str) else value
    return (
        [one for one in items if isinstance(one, str)]
        if isinstance(items, (list, dict, tuple))
        else []
    )


def _pairs(value: object) -> Iterator[tuple[str, str]]:
    """(name, version) of dependencies: a table, a list of requirements, or what a pattern found."""
    if isinstance(value, dict):
        for name, version in value.items():
            version = version.get("version") if isinstance(version, dict) else version
            yield str(name), version if isinstance(version, str) else ""
    elif isinstance(value, tuple):
        yield str(value[0] if value else ""), str((value[1] if len(value) > 1 else "") or "")
    else:
        for need in _strings(value):
            match = re.match(r"([\w.-]*)(?:\[[^\]]*\])?([^;]*)", need)
            yield (match[1], match[2]) if match else ("", "")


def _word(value: object) -> str:
    return value if isinstance(value, str) else ""


# What needs more than a row.


def _more_python(path: str, text: str, data: object, known: frozenset[str]) -> Iterator[_Find]:
    folder, tool = _folder(path), _table(data, "tool")
    managers = [m for m in _PYTHON_MANAGERS if m in tool or _join(folder, m + ".lock") in known]
    backend = _word(_table(data, "build-system").get("build-backend"))
    extras = _table(data, "project", "optional-dependencies")
    extra = next((name for name in ("dev", "test", "tests", "testing") if name in extras), "")
    # meson-python builds at import, with the tools of this environment.
    isolation = "--no-build-isolation " if backend == "mesonpy" else ""
    if managers:
        yield _Find("tool", managers[0])
        yield _Find("install", _PYTHON_MANAGERS[managers[0]], score=_SCRIPTED)
    elif backend or "project" in _table(data):
        line = f"pip install {isolation}-e .{f'[{extra}]' if extra else ''}"
        yield _Find("install", line, score=_IMPLIED)
    if "mypy" in tool:
        listed = _table(tool, "mypy").keys() & {"files", "packages", "modules"}
        target = "" if listed else " " + _python_target(folder, known)
        yield _Find("typecheck", f"mypy{target}", score=_IMPLIED)
    scripts = {**_table(data, "project", "scripts"), **_table(tool, "poetry", "scripts")}
    for name, place in scripts.items():
        module = _word(place).partition(":")[0].strip().replace(".", "/")
        for file in (
            f"src/{module}.py",
            f"{module}.py",
            f"src/{module}/__init__.py",
            f"{module}/__init__.py",
        ):
            if _join(folder, file) in known:
                yield _Find("entry", _join(folder, file), f"command `{name}`")


_PYTHON_MANAGERS = {"uv": "uv sync", "poetry": "poetry install", "pdm": "pdm install"}


def _python_target(folder: str, known: frozenset[str]) -> str:
    """The Python code to hand to a checker: src, the only package, or all."""
    packages = {
        path[len(folder) :].strip("/").split("/")[0]
        for path in known
        if path.endswith("/__init__.py") and path.startswith(folder) and role_of(path) == "source"
    }
    packages = {"src"} & packages or {
        p for p in packages if _join(folder, p + "/__init__.py") in known
    }
    return packages.pop() if len(packages) == 1 else "."


_LOCKS = {
    "pnpm-lock.yaml": "pnpm",
    "yarn.lock": "yarn",
    "bun.lock": "bun",
    "bun.lockb": "bun",
    "package-lock.json": "npm",
}


def _more_node(path: str, text: str, data: object, known: frozenset[str]) -> Iterator[_Find]:
    table, folder = _table(data), _folder(path)
    named = _word(table.get("packageManager")).partition("@")[0]
    locks = [manager for name, manager in _LOCKS.items() if _join(folder, name) in known]
    manager = named if named in _LOCKS.values() else (locks or ["npm"])[0]
    if table.keys() & {"dependencies", "devDependencies", "workspaces"} or locks:
        yield _Find("install", f"{manager} install", score=_SCRIPTED)
        yield _Find("tool", manager)
    scripts = _table(table, "scripts")
    names = [name for name, body in scripts.items() if "no test specified" not in _word(body)]
    # "check" may be anything: here, and only here, the text of a script is looked at.
    check = _word(scripts.get("check"))
    verb = (
        "typecheck"
        if "tsc" in check
        else "lint"
        if re.search(r"eslint|biome|oxlint", check)
        else ""
    )
    run = "yarn {}" if manager == "yarn" else f"{manager} run {{}}"
    for find in _find_tasks((name for name in names if name != "check"), run):
        plain = manager != "bun" and find.text.endswith((" run test", " run start"))
        yield find._replace(text=find.text.replace(" run ", " ")) if plain else find
    if verb:
        yield _Find(verb, run.replace("{}", "check"), score=_SCRIPTED - 5)
    bins = table.get("bin")
    places = [("command", _word(bins))] + [
        (f"command `{key}`", _word(v)) for key, v in _table(bins).items()
    ]
    places += [
        ("package entry point", _word(table.get(key))) for key in ("source", "module", "main")
    ]
    for why, place in [
        *places,
        ("package entry point", "index.js"),
        ("package entry point", "src/index.ts"),
    ]:
        stem = re.sub(r"\.[cm]?[jt]sx?$", "", place.removeprefix("./"))
        # What is published is often built: the source of dist/x.js is mostly src/x.ts.
        for base in (stem, re.sub(r"^(?:dist|lib|build|out)/", "src/", stem)):
            for suffix in ("", ".js", ".ts", ".mjs", ".cjs", ".tsx"):
                if base and _join(folder, base + suffix) in known:
                    yield _Find("entry", _join(folder, base + suffix), why)


def _more_cargo(path: str, text: str, data: object, known: frozenset[str]) -> Iterator[_Find]:
    folder, name = _folder(path), _word(_table(data, "package").get("name"))
    # In a workspace with a package at its root, cargo means that package alone.
    everything = " --workspace" if name and _table(data, "workspace").get("members") else ""
    yield _Find("test", "cargo test" + everything, score=_IMPLIED)
    bins = _table(data).get("bin")
    mains = (
        [(_word(_table(one).get("path")), _word(_table(one).get("name"))) for one in bins]
        if isinstance(bins, list)
        else []
    )
    for place, command in [*mains, ("src/main.rs", name)]:
        if place and _join(folder, place) in known:
            yield _Find("entry", _join(folder, place), f"command `{command}`")
            yield _Find("run", "cargo run", score=_IMPLIED)
    if _join(folder, "src/lib.rs") in known:
        yield _Find("entry", _join(folder, "src/lib.rs"), f"root of crate `{name}`")


def _more_go(path: str, text: str, data: object, known: frozenset[str]) -> Iterator[_Find]:
    prefix = _join(_folder(path), "")
    mains = sorted(p for p in known if re.fullmatch(re.escape(prefix) + r"cmd/[^/]+/main\.go", p))
    yield from (_Find("entry", main, f"command `{main.split('/')[-2]}`") for main in mains)
    if prefix + "main.go" in known:
        yield _Find("entry", prefix + "main.go", "program entry point")
        yield _Find("run", "go run .", score=_IMPLIED)
    elif len(mains) == 1:
        yield _Find("run", f"go run ./{_folder(mains[0])[len(prefix) :]}", score=_IMPLIED)


def _more_make(path: str, text: str, data: object, known: frozenset[str]) -> Iterator[_Find]:
    lines = re.findall(r"^([A-Za-z][\w./ -]*):(?!=)", text, re.MULTILINE)
    names = [name for line in lines for name in line.split()]
    # `make dev` may run or install; `make check` is for tests where there is no `make test`.
    yield from _find_tasks(
        (name for name in names if name not in ("dev", "develop", "fix")), "make {}"
    )
    if {"all", "default"} & set(names):
        yield _Find("build", "make", "c", _SCRIPTED + 1)


def _more_ruby(path: str, text: str, data: object, known: frozenset[str]) -> Iterator[_Find]:
    name = _name(path).removesuffix(".gemspec")
    yield _Find("name", name)
    for place in (f"exe/{name}", f"bin/{name}", f"lib/{name.replace('-', '/')}.rb"):
        if _join(_folder(path), place) in known:
            why = "root of gem" if place.endswith(".rb") else "command"
            yield _Find("entry", _join(_folder(path), place), f"{why} `{name}`")


def _more_dotnet(path: str, text: str, data: object, known: frozenset[str]) -> Iterator[_Find]:
    """What to build has to be named when a folder holds two projects or solutions."""
    folder, name = _folder(path), _name(path)
    beside = [p for p in known if _folder(p) == folder and p.endswith((".sln", ".slnx", "proj"))]
    target = "" if len(beside) == 1 else f" {name}"
    score = _IMPLIED + 2 * name.endswith((".sln", ".slnx"))
    yield _Find("name", name.rpartition(".")[0])
    yield _Find("build", f"dotnet build{target}", score=score)
    yield _Find("test", f"dotnet test{target}", score=score)


_SPECIAL: dict[str, Callable[[str, str, object, frozenset[str]], Iterator[_Find]]] = {
    "pyproject.toml": _more_python,
    "package.json": _more_node,
    "Cargo.toml": _more_cargo,
    "go.mod": _more_go,
    "Makefile": _more_make,
    "GNUmakefile": _more_make,
    "makefile": _more_make,
    "gemspec": _more_ruby,
    "sln": _more_dotnet,
    "slnx": _more_dotnet,
    "csproj": _more_dotnet,
    "fsproj": _more_dotnet,
}


# What CI runs. Lines that may be shown: verb, ecosystem, how the line begins.
_SHAPES_TEXT = r"""
test python pytest|tox(?: run)?\Z|nox\Z|unittest|python manage\.py test|hatch test
test go go test|gotestsum
test rust cargo (?:test|nextest run)
test jvm (?:\./)?mvnw? (?:clean )?(?:test|verify)|sbt test
test jvm (?:\./)?gradlew? (?:clean )?(?:test|check)
test c ctest|meson test|make check
test ruby rake(?: test| spec)?\Z|rspec|bin/rails test
test php vendor/bin/(?:phpunit|pest)|php artisan test
test dotnet dotnet test
test swift swift test
test elixir mix test
test dart (?:dart|flutter) test
test haskell (?:stack|cabal) test
test - make test\Z|bazel test
lint python ruff check|flake8|pylint
lint node eslint|biome (?:check|lint|ci)
lint go golangci-lint run|go vet|staticcheck
lint rust cargo clippy
lint ruby rubocop
lint php vendor/bin/phpcs
lint elixir mix credo
lint swift swiftlint
lint - pre-commit run|make lint\Z
typecheck python mypy|pyright|ty check
typecheck node tsc|vue-tsc
typecheck php vendor/bin/(?:phpstan|psalm)
format rust cargo fmt
format python black|ruff format
build go go build
build rust cargo build
build jvm (?:\./)?mvnw? (?:clean )?(?:package|install|compile)
build jvm (?:\./)?gradlew? (?:clean )?(?:build|assemble)
build c cmake|meson (?:setup|compile)|make\Z
build dotnet dotnet build
build swift swift build
install python pip install (?:-r \S+ )*-e
install ruby bundle install
install php composer install
"""
_SHAPES = [row.split(maxsplit=2) for row in _SHAPES_TEXT.strip().splitlines()]
_ACTIONS = {
    "golangci/golangci-lint-action": "golangci-lint run",
    "pre-commit/action": "pre-commit run",
    "astral-sh/ruff-action": "ruff check",
    "psf/black": "black .",
}
# Workflows beside the main road: what they run is not what a contributor runs.
_SIDE_WORKFLOW = re.compile(
    r"(?i)release|publish|deploy|nightly|bench|fuzz|codeql|stale|label|sched|daily|docs?\b|audit"
)
_WRAPPER = re.compile(
    r"(?:(?:uv|poetry|pdm|hatch|pipenv|rye) run|bundle exec|npx|bunx|(?:pnpm|yarn|npm) exec|sudo"
    r"|python3? -m) (?:--(?:group|extra|only-group|python|with|package) \S+ |-\S+ )*"
)
# Flags of CI that mean nothing at a desk.
_CI_FLAG = re.compile(
    r" (?:-v+|-v\d|--verbose|--verbosity[= ]\d|--colou?r(?:=\w+)?|--locked|--frozen(?:-lockfile)?"
    r"|-B|--no-default-groups|--no-progress|--no-interaction|-U|-ntp|--batch-mode|-q|--quiet|--ci|-Wall"
    r"|--no-transfer-progress|--noinput|--no-daemon|--stacktrace|--immutable|--no-audit|--no-fund"
    r"|--ignore-scripts|--prefer-dist|--logger \S+|[-/]p:\S+|--no-restore|--no-build|--no-coverage"
    r"|--show-diff-on-failure|--cov\S*|--junit\S*|--durations\S*|-n \w+|-race|-count=1"
    r"|-j ?\d+)(?= )"
)
_SCRIPT = re.compile(
    r"((?:bash |sh |python3? )?(?:\./)?)((?:(?:scripts?|bin|tests?|tools|dev)/)?[\w.-]+)(?: |\Z)"
)
_ONE_WORD_TOOLS = frozenset(
    {"pytest", "mypy", "flake8", "pylint", "pyright", "black", "eslint", "rubocop", "rspec", "tsc"}
    | {"vitest", "jest", "staticcheck"}
)


class _Offer(NamedTuple):
    """A command that may be shown."""

    command: Command
    ecosystem: str
    score: int


def _list_calls(configs: Mapping[str, str]) -> Iterator[Command]:
    """Every line that CI runs and that is safe to show, with its folder; the verb is still ""."""
    for path, text in _by_depth(configs):
        if not _CI_PATH.fullmatch(path) or _SIDE_WORKFLOW.search(_name(path)):
            continue
        values = _parse_yaml(text[:_MAX_CONFIG])
        for where, value in values.items():
            if where[-1:] == ("uses",) and (action := value.partition("@")[0]) in _ACTIONS:
                yield Command("", _ACTIONS[action], path)
            if not {"run", "script", "command"} & {*where[-2:]}:
                continue
            folder = values.get((*where[:-1], "working-directory"), "")
            folder = folder or values.get((*where[:2], "defaults", "run", "working-directory"), "")
            for line in re.split(r"\n|&&|;", value.replace("\\\n", " ")):
                line = " ".join(_CI_FLAG.sub("", f" {' '.join(line.split())} ").split())
                if line.startswith("cd "):
                    folder = _join(folder, line[3:])
                elif _SAFE_LINE.fullmatch(line):
                    yield Command("", line, path, folder.removeprefix("./").strip("/"))


def _call_key(line: str) -> str:
    """What a line calls, without wrappers, flags and arguments: "npm test", "cargo test"."""
    line = _unwrap(line)
    line = re.sub(
        r"^(npm|pnpm|yarn|bun|tox|deno)(?: run(?:-script)?)?(?= |\Z)(?: -e)?", r"\1", line
    )
    words = [word.removeprefix("./") for word in line.split() if not word.startswith("-")] or [line]
    if words[0] in ("bash", "sh"):
        words = words[1:] or words
    single = words[0] in _ONE_WORD_TOOLS or "/" in words[0]
    # Which requirements or which project is a difference.
    return " ".join(words[: 1 if single else 3 if words[0] in ("pip", "dotnet") else 2])


def _unwrap(line: str) -> str:
    while wrapper := _WRAPPER.match(line):
        line = line[wrapper.end() :]
    return line


def _classify_call(call: Command, known: frozenset[str]) -> _Offer | None:
    """A line of CI as an offer, if its shape is known."""
    script = _SCRIPT.match(call.line)
    if script and script[2] in known:
        name = script[2].rpartition("/")[2].partition(".")[0].lower()
        verb, _ = _VERB_OF_TASK.get(name, ("", 0))
        return (
            _Offer(call._replace(verb=verb, line=script[1] + script[2]), "", _FROM_CI)
            if verb
            else None
        )
    bare = _unwrap(call.line)
    for verb, ecosystem, shape in _SHAPES:
        named = [word for word in bare.split() if word.endswith((".txt", "proj", ".sln", ".slnx"))]
        if re.match(rf"(?:{shape})(?: |\Z)", bare) and all(
            _join(call.folder, word) in known for word in named
        ):
            # A plain line is right more often than a variant or one for a single folder; but of
            # requirements all are needed.
            partial = any("/" in word and not word.startswith("./") for word in bare.split()[1:])
            score = _FROM_CI - bare.count(" ") - 15 * partial
            score = _SCRIPTED if _tool(bare) == "pip -r" else score
            return _Offer(call._replace(verb=verb), ecosystem.strip("-"), score)
    return None


def _list_offers(known: frozenset[str], finds: Mapping[str, list[_Find]]) -> Iterator[_Offer]:
    for path, found in finds.items():
        for find in found:
            if find.kind in _VERBS:
                command = Command(find.kind, find.text, path, _folder(path))
                yield _Offer(command, find.note or _ecosystem(path), find.score)
    for line in _SIGNS_TEXT.strip().splitlines():
        path, ecosystem, *commands = line.split(" : ")
        for row in [_parse_row(command) for command in commands if path in known]:
            yield _Offer(Command(row.kind, row.text, path), ecosystem.strip("-"), row.score)


def _ecosystem(path: str) -> str:
    stanza = _find_stanza(path)
    return stanza.ecosystem if stanza else ""


def _choose_commands(
    homes: frozenset[str],
    known: frozenset[str],
    configs: Mapping[str, str],
    finds: Mapping[str, list[_Find]],
) -> list[Command]:
    """For the root, and folders that need their own, the line to type for each verb."""
    calls = list(_list_calls(configs))
    offers = list(_list_offers(known, finds))
    tools = {(*_place(offer), _tool(offer.command.line)) for offer in offers}
    # A line of CI whose tool a config offers too confirms that offer; else it is one itself.
    seen: dict[tuple[str, str, str], list[_Offer]] = {}
    for call in calls:
        offer = _classify_call(call, known)
        if offer and (*_place(offer), _tool(offer.command.line)) not in tools:
            seen.setdefault((*_place(offer), offer.command.line), []).append(offer)
    from_ci = [same[0]._replace(score=same[0].score + min(len(same), 9)) for same in seen.values()]
    settled = {_place(offer) for offer in from_ci if offer.ecosystem in {"", *homes}}
    manager = _python_manager(finds)
    ranked: dict[tuple[str, str], list[_Offer]] = {}
    for command, ecosystem, score in [*_weigh_by_ci(offers, calls, homes, settled), *from_ci]:
        score += _GUEST if ecosystem and ecosystem not in homes else 0
        line = _local_line(command, known, manager if ecosystem == "python" else "")
        if _SAFE_LINE.fullmatch(line):
            place = (command.folder, command.verb)
            ranked.setdefault(place, []).append(
                _Offer(command._replace(line=line), ecosystem, score)
            )
    places = [
        (folder, verb) for folder in _command_folders(ranked, finds, homes) for verb in _VERBS
    ]
    return [command for place in places for command in _best(ranked.get(place, []))]


def _weigh_by_ci(
    offers: Sequence[_Offer],
    calls: Sequence[Command],
    homes: frozenset[str],
    settled: set[tuple[str, str]],
) -> Iterator[_Offer]:
    """The offers, each the surer the more CI does the same; `settled` is what CI does otherwise."""
    exact = {(call.folder, _unwrap(call.line)) for call in calls}
    alike = {(call.folder, _call_key(call.line)) for call in calls}
    lines = [(offer.command.folder, _unwrap(offer.command.line)) for offer in offers]
    called = [offer for offer, line in zip(offers, lines, strict=True) if line in exact]
    settled = settled | {_place(offer) for offer in called if offer.ecosystem in {"", *homes}}
    for offer, line in zip(offers, lines, strict=True):
        if line in exact:
            change = _CALLED
        elif (line[0], _call_key(line[1])) in alike:
            change = _CALLED_ALIKE
        else:
            change = _UNCALLED if _place(offer) in settled else 0
        yield offer._replace(score=offer.score + change)


def _place(offer: _Offer) -> tuple[str, str]:
    return offer.command.folder, offer.command.verb


def _tool(line: str) -> str:
    """The program that a line runs; pip with a file of requirements is more than pip alone."""
    tool = _call_key(line).split()[0]
    return "pip -r" if tool == "pip" and " -r " in line else tool


def _python_manager(finds: Mapping[str, list[_Find]]) -> str:
    tools = [
        f.text
        for path, found in finds.items()
        if "/" not in path
        for f in found
        if f.kind == "tool"
    ]
    return next((tool for tool in tools if tool in _PYTHON_MANAGERS), "")


def _local_line(command: Command, known: frozenset[str], manager: str) -> str:
    """The line as it works here: with the project's own wrapper, inside its environment."""
    tool, _, rest = command.line.partition(" ")
    for name, wrapper in (("mvn", "mvnw"), ("gradle", "gradlew")):
        if tool == name and _join(command.folder, wrapper) in known:
            return f"./{wrapper} {rest}"
    if tool == "bundle" and _join(command.folder, "Gemfile") not in known:
        return rest.removeprefix("exec ")
    if manager and (tool in _ONE_WORD_TOOLS or tool in ("tox", "nox", "ruff", "python")):
        return f"{manager} run {command.line}"
    return command.line


def _best(offers: Sequence[_Offer]) -> list[Command]:
    """The best line, and a second one if it is sure as well and another tool."""
    ranked = sorted(offers, key=lambda o: (-o.score, o.command.source.count("/"), o.command.line))
    if not ranked or ranked[0].score < _ENOUGH:
        return []
    first = ranked[0].command
    tool = _call_key(first.line).split()[0]
    # Beside what runs all tests, what can run one of them.
    enough = _ENOUGH if first.verb == "test" else _ENOUGH_AS_SECOND
    others = [offer.command for offer in ranked[1:] if offer.score >= enough]
    return [first, *[one for one in others if _call_key(one.line).split()[0] != tool][:1]]


def _command_folders(
    ranked: Mapping[tuple[str, str], list[_Offer]],
    finds: Mapping[str, list[_Find]],
    homes: frozenset[str],
) -> list[str]:
    """The root; and for a main language that has no manifest there, the folders that have one."""
    missing = homes - {_ecosystem(path) for path in finds if "/" not in path}
    if any(
        offer.ecosystem == "" and offer.score >= _SCRIPTED for offer in ranked.get(("", "test"), [])
    ):
        return [""]
    folders = sorted(
        {_folder(p) for p in finds if 0 < p.count("/") < 3 and _ecosystem(p) in missing}
    )
    outer = [f for f in folders if not any(f.startswith(other + "/") for other in folders)]
    return ["", *sorted(outer, key=lambda folder: (folder.count("/"), folder))[:3]]


# Languages: name, ecosystem, suffixes.
_LANGUAGES_TEXT = """
Python python py pyi pyx pxd; Jupyter python ipynb; JavaScript node js jsx mjs cjs; Vue node vue
TypeScript node ts tsx mts cts; Svelte node svelte; Go go go; Rust rust rs; Java jvm java
Kotlin jvm kt kts; Scala jvm scala sc; Groovy jvm groovy; Clojure jvm clj cljs cljc; C c c h
C++ c cc cpp cxx hpp hh hxx; CUDA c cu cuh; Assembly c s asm; C# dotnet cs; F# dotnet fs
Visual_Basic dotnet vb; Ruby ruby rb; PHP php php; Swift swift swift; Objective-C swift m mm
Dart dart dart; Elixir elixir ex exs; Erlang erlang erl hrl; Gleam gleam gleam; Haskell haskell hs
OCaml ocaml ml mli; Elm elm elm; Lua lua lua luau; Perl perl pl pm; R r r; Julia julia jl
Zig zig zig; Nim nim nim; Crystal crystal cr; D d d; Solidity solidity sol; Shell shell sh bash
PowerShell shell ps1 psm1; Terraform terraform tf; Protobuf proto proto; GraphQL graphql graphql
Fortran fortran f90 f f95 f03; Pascal pascal pas; Ada ada adb ads; COBOL cobol cob cbl
Verilog verilog v sv; VHDL vhdl vhd vhdl; Tcl tcl tcl; Lisp lisp lisp cl el; Scheme scheme scm rkt
Nix nix nix; GLSL glsl glsl vert frag wgsl hlsl; SQL sql sql
"""
_LANGUAGE_OF = {
    suffix: (name.replace("_", " "), ecosystem)
    for row in re.split(r"[;\n]", _LANGUAGES_TEXT.strip())
    for name, ecosystem, *suffixes in [row.split()]
    for suffix in suffixes
}
_ECOSYSTEM_OF = dict(_LANGUAGE_OF.values())

# Dependency -> its name in the stack. Test runners and linters are told elsewhere.
_KNOWN_DEPS_TEXT = """
django=Django djangorestframework=Django_REST flask=Flask fastapi=FastAPI starlette=Starlette
tornado=Tornado aiohttp=aiohttp sanic=Sanic pyramid=Pyramid litestar=Litestar streamlit=Streamlit
airflow=Airflow apache-airflow=Airflow dagster=Dagster scrapy=Scrapy celery=Celery torch=PyTorch
tensorflow=TensorFlow jax=JAX transformers=Transformers scikit-learn=scikit-learn numpy=NumPy
scipy=SciPy pandas=pandas polars=Polars sqlalchemy=SQLAlchemy pydantic=Pydantic pyqt6=PyQt
pyside6=PySide langchain=LangChain werkzeug=Werkzeug jinja2=Jinja typer=Typer click=Click
react=React react-native=React_Native next=Next.js vue=Vue nuxt=Nuxt svelte=Svelte
@sveltejs/kit=SvelteKit @angular/core=Angular solid-js=Solid preact=Preact express=Express
fastify=Fastify koa=Koa @nestjs/core=NestJS hono=Hono astro=Astro electron=Electron expo=Expo
gatsby=Gatsby @remix-run/react=Remix lit=Lit ember-source=Ember three=three.js socket.io=Socket.IO
@trpc/server=tRPC redux=Redux @reduxjs/toolkit=Redux prisma=Prisma @prisma/client=Prisma
drizzle-orm=Drizzle typeorm=TypeORM graphql=GraphQL @modelcontextprotocol/sdk=MCP
tailwindcss=Tailwind commander=Commander zod=Zod turbo=Turborepo nx=Nx lerna=Lerna vite=Vite
webpack=webpack rollup=Rollup esbuild=esbuild
github.com/gin-gonic/gin=Gin github.com/labstack/echo/v4=Echo github.com/gofiber/fiber/v2=Fiber
github.com/go-chi/chi/v5=chi github.com/gorilla/mux=gorilla/mux github.com/spf13/cobra=Cobra
gorm.io/gorm=GORM google.golang.org/grpc=gRPC k8s.io/client-go=Kubernetes_client
github.com/charmbracelet/bubbletea=Bubble_Tea
actix-web=Actix axum=Axum rocket=Rocket warp=warp bevy=Bevy tauri=Tauri leptos=Leptos yew=Yew
tonic=tonic hyper=hyper tokio=Tokio diesel=Diesel sqlx=SQLx rayon=Rayon clap=clap serde=Serde
org.springframework.boot=Spring_Boot spring-boot-starter-parent=Spring_Boot io.quarkus=Quarkus
org.springframework=Spring io.micronaut=Micronaut com.android.application=Android
com.android.library=Android io.ktor=Ktor org.hibernate=Hibernate io.vertx=Vert.x
rails=Rails railties=Rails sinatra=Sinatra hanami=Hanami jekyll=Jekyll sidekiq=Sidekiq liquid=Liquid
laravel/framework=Laravel symfony/framework-bundle=Symfony slim/slim=Slim cakephp/cakephp=CakePHP
livewire/livewire=Livewire symfony/console=Symfony_Console
phoenix=Phoenix phoenix_live_view=LiveView ecto=Ecto flutter=Flutter
microsoft.aspnetcore=ASP.NET_Core microsoft.entityframeworkcore=EF_Core avalonia=Avalonia
vapor=Vapor swift-nio=SwiftNIO
"""
_KNOWN_DEPS = dict(pair.replace("_", " ").split("=") for pair in _KNOWN_DEPS_TEXT.split() if pair)


def _count_languages(sources: Iterable[str]) -> list[tuple[str, int]]:
    """(language, files), the largest first."""
    totals: dict[str, int] = {}
    for path in sources:
        name, _ = _LANGUAGE_OF.get(path.rpartition(".")[2].lower(), ("", ""))
        totals[name] = totals.get(name, 0) + 1
    totals.pop("", None)
    return sorted(totals.items(), key=lambda item: (-item[1], item[0]))


def _home_ecosystems(sources: Iterable[str]) -> frozenset[str]:
    """The ecosystems that hold much of the code; the tooling of others serves a corner of it."""
    totals: dict[str, int] = {}
    for name, count in _count_languages(sources):
        totals[_ECOSYSTEM_OF[name]] = totals.get(_ECOSYSTEM_OF[name], 0) + count
    most = max(totals.values(), default=0)
    return frozenset(name for name, count in totals.items() if count * 3 >= most)


def _version(text: str) -> str:
    """A version range, short; "" for what is none."""
    text = re.sub(r"\s+|\|\|.*|-edition$", lambda m: " edition" if m[0][0] == "-" else "", text)
    return (
        text
        if re.fullmatch(r"[\w.*^~<>=!,+-]{1,24}(?: edition)?", text) and re.search(r"\d", text)
        else ""
    )


def _list_stack(sources: Sequence[str], finds: Mapping[str, list[_Find]]) -> list[str]:
    """Languages with versions, then runtimes, frameworks, tools."""
    every = [(path, find) for path, found in finds.items() for find in found]
    versions: dict[str, str] = {}
    for _, find in every:
        if find.kind == "version" and _version(find.note):
            versions.setdefault(find.text, _version(find.note))
    languages = _count_languages(sources)
    total = sum(count for _, count in languages)
    main = [name for name, count in languages[:4] if count * 12 >= total]
    homes = {_ECOSYSTEM_OF[name] for name in main}
    runtimes = [name for name, home in (("Node.js", "node"), (".NET", "dotnet")) if home in homes]
    stack = [f"{name} {versions.get(name, '')}".strip() for name in main]
    stack += [f"{name} {versions[name]}" for name in runtimes if name in versions]
    own = {find.text.lower() for _, find in every if find.kind == "name"}
    uses: dict[str, tuple[int, str]] = {}
    for path, find in every:
        label = _KNOWN_DEPS.get(find.text, "") if find.kind == "dep" else ""
        if label and find.text not in own and _ecosystem(path) in homes:
            number = re.search(r"\d+(?:\.\d+)?", find.note)
            count, version = uses.get(label, (0, ""))
            version = version or (number[0].removesuffix(".0") if number else "")
            uses[label] = (count + (5 if "/" not in path else 1), version)
    order = list(_KNOWN_DEPS.values())
    rare = 1 if len(finds) > 20 else 0  # in a large monorepo one package's taste is not the stack
    ranked = sorted(uses, key=lambda label: (-uses[label][0], order.index(label)))
    ranked = [label for label in ranked if uses[label][0] > rare]
    stack += [f"{label} {uses[label][1]}".strip() for label in ranked[:4]]
    stack += [
        f.text
        for path, f in every
        if f.kind == "tool" and "/" not in path and _ecosystem(path) in homes
    ]
    return list(dict.fromkeys(stack))[:8]


_MAX_PACKAGES = 60


def _list_packages(
    files: Sequence[str], homes: frozenset[str], finds: Mapping[str, list[_Find]]
) -> list[Package]:
    """The members that the outermost workspace names, else folders with a manifest of their own."""
    manifests: dict[str, list[str]] = {}
    for path in files:
        stanza = _find_stanza(path) if "/" in path else None
        if stanza and stanza.why in _MANIFESTS and is_config(path):
            manifests.setdefault(_folder(path), []).append(path)
    named: set[str] = set()
    for path, found in finds.items():
        if _ecosystem(path) in homes and (not named or "/" not in path):
            named |= set(_list_members(path, found, manifests))
    near = [
        f
        for f in manifests
        if f.count("/") < (2 + any(_ecosystem(m) in homes for m in manifests[f]))
    ]
    near = [f for f in near if _role_of_folders(f.lower().split("/"), "") == ""]
    loose = [f for f in near if not any(f.startswith(other + "/") for other in near)]
    folders = sorted(named or (loose if len(loose) > 1 else ()))[:_MAX_PACKAGES]
    inside = _split_by_folder(files, folders)
    packages = []
    for folder in folders:
        found = [find for path in manifests.get(folder, ()) for find in finds.get(path, ())]
        name = next((find.text for find in found if find.kind == "name" and find.text), "")
        languages = _count_languages(path for path in inside[folder] if role_of(path) == "source")
        stack = [language for language, _ in languages[:1]]
        stack += [_KNOWN_DEPS[f.text] for f in found if f.kind == "dep" and f.text in _KNOWN_DEPS][
            :2
        ]
        name = name or folder.rpartition("/")[2]
        packages.append(Package(folder, name, ", ".join(dict.fromkeys(stack))))
    return packages


def _split_by_folder(files: Iterable[str], folders: Iterable[str]) -> dict[str, list[str]]:
    """Folder -> its files, each file in the innermost of the folders."""
    inside: dict[str, list[str]] = {folder: [] for folder in folders}
    for path in files:
        parent = _folder(path)
        while parent and parent not in inside:
            parent = _folder(parent)
        if parent in inside:
            inside[parent].append(path)
    return inside


# What makes a folder a package of its own; the other stanzas are about a whole repository.
_MANIFESTS = frozenset(
    stanza.why
    for stanza in _STANZAS
    if re.search(r"project|package|manifest|module|build", stanza.why)
) | {"Ruby dependencies"}


def _list_members(path: str, found: Iterable[_Find], manifests: Iterable[str]) -> Iterator[str]:
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
_ENTRY_FILES = [
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


def _list_key_files(
    files: Sequence[str], homes: frozenset[str], finds: Mapping[str, list[_Find]]
) -> list[KeyFile]:
    """Entry points, then manifests, CI, and what there is to read."""
    ours = [path for path in finds if _ecosystem(path) in {"", *homes}]
    sizes = {f: len(paths) for f, paths in _split_by_folder(files, {*map(_folder, ours)}).items()}
    # Of many packages the largest are what the others serve.
    ours.sort(key=lambda path: (path.count("/") > 0, -sizes[_folder(path)], path))
    large = [path for path in ours if "/" not in path or sizes[_folder(path)] * 20 > len(files)]
    entries = [KeyFile(f.text, f.note) for path in large for f in finds[path] if f.kind == "entry"]
    shallow = [path for path in files if path.count("/") < 8 and role_of(path) not in _NO_KEY_FILE]
    entries += _match_files(_ENTRY_FILES, shallow)
    tops = [(path, _find_stanza(path)) for path in ours if "/" not in path]
    manifests = [KeyFile(path, stanza.why) for path, stanza in tops if stanza and stanza.why]
    flows = [p for p in finds if _CI_PATH.fullmatch(p) and not _SIDE_WORKFLOW.search(_name(p))]
    main = [p for p in flows if re.search(r"(?i)/(?:ci|tests?|main|build|pr)\.", p)]
    main += [p for p in flows if re.search(r"(?i)[/_-](?:ci|tests?|build)[._-]", p)]
    ci = [KeyFile(path, "continuous integration") for path in main or flows[: len(flows) < 3]]
    about = _match_files(_ABOUT_FILES, shallow)
    return _unique([*_unique(entries)[:5], *manifests[:4], *ci[:1], *about])[:12]


_NO_KEY_FILE = ("test", "example", "vendored", "generated", "minified")


def _match_files(
    table: Iterable[tuple[re.Pattern[str], str]], paths: Sequence[str]
) -> list[KeyFile]:
    return [
        KeyFile(path, why) for pattern, why in table for path in paths if pattern.fullmatch(path)
    ]


def _unique(entries: Iterable[KeyFile]) -> list[KeyFile]:
    return list({entry.path: entry for entry in reversed(list(entries))}.values())[::-1]


_TEST_NAMES = [
    (re.compile(pattern), label, runners.split())
    for pattern, label, runners in (
        (r"test_\w+\.py", "test_*.py", "pytest"),
        (r"\w+_test\.py", "*_test.py", "pytest"),
        (r"test_\w+\.rb", "test_*.rb", "minitest"),
        (r"\w+_spec\.rb", "*_spec.rb", "rspec"),
        (r"\w+_test\.rb", "*_test.rb", "minitest"),
        (r".+[.-](test|spec)\.[cm]?([jt]s)x?", r"*.\1.\2", "vitest jest mocha ava"),
        (r"\w+(Tests?)\.(java|kt|scala)", r"*\1.\2", "junit testng"),
        (r"\w+(Tests?)\.(cs|fs)", r"*\1.\2", "xunit nunit mstest"),
        (r"\w+(Tests?)\.(php|swift)", r"*\1.\2", "phpunit pest"),
        (r"\w+_test\.(go|cc|cpp|c|exs|dart)", r"*_test.\1", ""),
        (r".+\.([jt]s)x?", "", "vitest jest mocha ava"),
    )
]
_STYLE_FILES = {
    ".pre-commit-config.yaml": "pre-commit hooks",
    ".clang-format": "formatted by clang-format",
    "commitlint.config.js": "commit messages are checked (commitlint)",
    ".releaserc": "commit messages drive releases (semantic-release)",
    "release-please-config.json": "conventional commits drive releases (release-please)",
}


def _list_conventions(
    files: Sequence[str], homes: frozenset[str], finds: Mapping[str, list[_Find]]
) -> list[str]:
    ours = [path for path in finds if _ecosystem(path) in {"", *homes}]
    told = [f.text for path in ours if "/" not in path for f in finds[path] if f.kind == "style"]
    told += [line for name, line in _STYLE_FILES.items() if name in frozenset(files)]
    deps = {find.text for path in ours for find in finds[path] if find.kind in ("dep", "devdep")}
    lines = {find.text for path in ours for find in finds[path] if find.kind == "test"}
    tests = [
        path
        for path in files
        if role_of(path) == "test" and path.rpartition(".")[2].lower() in _LANGUAGE_OF
    ]
    return [*_describe_tests(tests, " ".join(sorted(deps | lines))), *dict.fromkeys(told)][:8]


def _describe_tests(tests: Sequence[str], used: str) -> list[str]:
    """Where tests are, what they are called, what runs them; nothing for a handful of files."""
    homes: dict[str, int] = {}
    names: dict[tuple[str, str], int] = {}
    for path in tests:
        *parts, name = path.split("/")
        marks = [
            n for n, part in enumerate(parts) if part.lower() in _TEST_FOLDERS | _MAYBE_TEST_FOLDERS
        ]
        start = marks[0] - (parts[marks[0] - 1] == "src") if marks and marks[0] else 0
        # Where the same folder stands in many places, its name says more than each place.
        home = ("*/" if start else "") + "/".join(parts[start : marks[0] + 1]) if marks else ""
        homes[home] = homes.get(home, 0) + 1
        for pattern, label, runners in _TEST_NAMES:
            if match := pattern.fullmatch(name):
                key = (match.expand(label), next((r for r in runners if r in used), ""))
                names[key] = names.get(key, 0) + 1
                break
    if len(tests) < 2:
        return []
    home = max(sorted(homes), key=lambda one: homes[one])
    label, runner = max(sorted(names), key=lambda one: names[one], default=("", ""))
    label = label if names and names[label, runner] * 3 > len(tests) else ""
    text = f"tests in {home}/" if home else "tests beside the code"
    return [text + (f", named {label}" if label else "") + (f" ({runner})" if runner else "")]


# Roles, by path alone.

_FOLDERS_TEXT = """
vendored vendor vendored _vendor third_party third-party thirdparty 3rdparty node_modules pods
vendored bower_components site-packages carthage godeps .yarn externals
vendored-top deps external extern
generated generated __generated__ dist __pycache__ _build __snapshots__ .next .nuxt
generated-top target out coverage gen
test tests __tests__ testdata test-data test_data fixtures __fixtures__ test-fixtures mocks
test __mocks__
test e2e integration-tests integration_tests functional-tests testsuite testsuites unittests cypress
test testutil testutils testhelpers test_helpers testhelper step_definitions fuzz jmh
test bench benches benchmark benchmarks
maybe-test test spec specs
example example examples _examples sample samples demo demos playground playgrounds quickstart
example tutorial tutorials cookbook
doc-top doc site website guides man wiki documentation www
build-top build build_tools build-tools buildscripts buildsrc ci .ci script scripts cmake packaging
build-top hack gradle
locale locale locales translations lc_messages
"""


def _folder_names(role: str) -> frozenset[str]:
    rows = [row.split() for row in _FOLDERS_TEXT.strip().splitlines()]
    return frozenset(name for first, *names in rows if first == role for name in names)


_VENDORED, _VENDORED_TOP = _folder_names("vendored"), _folder_names("vendored-top")
_GENERATED, _GENERATED_TOP = _folder_names("generated"), _folder_names("generated-top")
_TEST_FOLDERS, _MAYBE_TEST_FOLDERS = _folder_names("test"), _folder_names("maybe-test")
_EXAMPLES, _DOCS_TOP = _folder_names("example"), _folder_names("doc-top")
_BUILD_TOP, _LOCALES = _folder_names("build-top"), _folder_names("locale")
_TEST_TREE = re.compile(
    r"(?:^|.*/)(?:[^/]+(?:[-_.]tests|[-_]testsuite)|tests[-_][^/]+|src/\w*test\w*)(?:/|\Z)"
)
_EXAMPLE_TREE = re.compile(r"(?:^|.*/)[^/]+[-_](?:examples?|demos?|samples?|playground)(?:/|\Z)")
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
    if _TEST_CLASS.fullmatch(_name(path)) and "src/main/" not in path:
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
    every, text = frozenset(folders), "/".join(folders)
    if every & _VENDORED or folders[0] in _VENDORED_TOP:
        return "vendored"
    if every & _GENERATED or folders[0] in _GENERATED_TOP:
        return "generated"
    if every & _TEST_FOLDERS or ("test" in text and _TEST_TREE.match(text)):
        return "test"
    if every & _MAYBE_TEST_FOLDERS and _is_test_tree(folders, name):
        return "test"
    if every & _EXAMPLES or _EXAMPLE_TREE.match(text):
        return "example"
    if folders[0] in _DOCS_TOP or "docs" in folders[:3]:
        return "doc"
    if folders[0] in _BUILD_TOP:
        return "build"
    return "config" if folders[0].startswith(".") else ""


def _is_test_tree(folders: Sequence[str], name: str) -> bool:
    """Whether `test` or `spec` holds tests: inside a library it may be what the product offers."""
    place = next(place for place, folder in enumerate(folders) if folder in _MAYBE_TEST_FOLDERS)
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
        source = self.roles.get("source", 0)
        if source > 20 or source * 4 >= sum(self.roles.values()):
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


_MIN_MODULES, _MAX_MODULES, _MAX_SPLIT = 4, 20, 12
_LARGE_SHARE = 5  # a module with more than a 5th of the source is split while there is room


def describe_modules(files: Sequence[str], docs: Mapping[str, str]) -> list[Module]:
    """The parts of the code, largest first; `docs` is path of file or README -> its sentence."""
    folders = _build_folders(files)
    sizes = {path: folder.roles.get("source", 0) for path, folder in folders.items()}
    parts = {path: sizes[path] for path in folders[""].children if sizes[path]}
    parts["."] = sizes[""] - sum(parts.values())
    whole = set(parts) - {"."}  # what may still be split
    while len(parts) < _MAX_MODULES and whole:
        largest = min(whole, key=lambda path: (-parts[path], path))
        if len(parts) >= _MIN_MODULES and parts[largest] * _LARGE_SHARE < sizes[""]:
            break
        whole.remove(largest)
        inner = sorted(folders[largest].children, key=lambda path: (-sizes[path], path))
        worth = [path for path in inner if sizes[path] * 100 > sizes[""] or sizes[path] > 4]
        for path in worth[: min(_MAX_MODULES - len(parts), _MAX_SPLIT)]:
            parts[path] = sizes[path]
            parts[largest] -= sizes[path]
            whole.add(path)
    kept = [path for path in parts if parts[path] > (len(parts) > _MIN_MODULES)]
    ranked = sorted(kept, key=lambda path: (-parts[path], path))[:_MAX_MODULES]
    return [Module(path, parts[path], _find_doc(path, folders, docs)) for path in ranked]


_DOC_FILES = re.compile(
    r"(?i)__init__\.py|doc\.go|lib\.rs|mod\.rs|main\.rs|index\.[jt]sx?|package-info\.java|readme(?:\.\w+)?|package\.json|cargo\.toml|pyproject\.toml|.*\.gemspec|composer\.json|pom\.xml"
)


def _find_doc(folder: str, folders: Mapping[str, _Folder], docs: Mapping[str, str]) -> str:
    """The sentence of the file that speaks for a folder: its package file, namesake, README."""
    name = folder.rpartition("/")[2].lower()
    for place in (folder.strip("."), folder + "/src", folder + "/lib"):
        for path in sorted(folders[place].here) if place in folders else ():
            base = _name(path)
            if docs.get(path) and (
                _DOC_FILES.fullmatch(base) or base.partition(".")[0].lower() == name
            ):
                return docs[path]
    return ""


_MAX_SENTENCE = 160  # characters


def first_sentence(text: str) -> str:
    """The first sentence of prose in markdown, reStructuredText or plain text, without markup."""
    text = re.sub(r"\A\ufeff?---\n(?s:.*?)\n---\n", "", text[:20_000].replace("\r\n", "\n"))
    text = re.sub(r"<!--(?s:.*?)(?:-->|\Z)|^(```|~~~)(?s:.*?)(?:^\1.*$|\Z)", "", text, flags=re.M)
    text = re.sub(r"</?(?:p|div|br|center)\b[^<>]{0,500}>", "\n\n", text)
    for paragraph in re.split(r"\n\s*\n", text):
        lines = [line.strip() for line in paragraph.splitlines() if line.strip()]
        pairs = zip(lines, [*lines[1:], ""], strict=False)
        prose = _plain(" ".join(line for line, after in pairs if not _is_markup(line, after)))
        if len(re.findall(r"(?<!\S)[^\W\d_]{2,}", re.sub(r"\b\w{2,9}://\S+", "", prose))) < 3:
            continue
        end = re.search(r"(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)[.!?](?=\s+[^a-z\s]|\Z)", prose)
        sentence = prose[: end.end()] if end else prose
        if len(sentence) > _MAX_SENTENCE:
            sentence = sentence[: _MAX_SENTENCE - 1].rsplit(" ", 1)[0] + "…"
        return sentence
    return ""


_MARKUP = re.compile(
    r"#|=+ |[=\-~^*_+]{3,}\Z|\||\.\. |:\w+:|<h\d|[-*+] |\d+\. |>\s*\[!|\[[^\]]+\]:\s|Note:"
)


def _is_markup(line: str, following: str) -> bool:
    """Headings, rules, tables, directives, lists, link targets: what stands before the prose."""
    underlined = re.fullmatch(r"([=\-~^*#])\1{2,}", following)
    return underlined is not None or _MARKUP.match(line) is not None


def _plain(line: str) -> str:
    line = re.sub(r"!\[[^\]]{0,300}\](?:\([^)]{0,500}\)|\[[^\]]{0,300}\])?", "", line)
    line = re.sub(r"\[([^\[\]]*)\](?:\([^()]*\)|\[[^\]]*\])?", r"\1", line)
    line = re.sub(r"`([^`<>]+?)\s*<[^>`]*>`_+", r"\1", line)
    line = re.sub(r"<[^<>]*>|\*\*|__|:\w+:(?=`)|`+|\\(?=[^\w\s]|[A-Z])", "", line)
    line = re.sub(r"(?<!\w)[*_]([^*_]{1,80})[*_](?!\w)", r"\1", line).replace("&amp;", "&")
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
