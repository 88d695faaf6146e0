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

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
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
# Texts of config files in, stack, commands and key files out. Uses: TYPES TEXT.


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
