"""The language table and its compiler."""

import json
import re
from pathlib import Path

import lab
import pytest

import ctx


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a/b.py", "python"),
        ("a/b.PY", "python"),
        ("x.pyi", "python"),
        ("x.mjs", "javascript"),
        ("x.jsx", "javascript"),
        ("x.ts", "typescript"),
        ("x.tsx", "tsx"),
        ("x.go", "go"),
        ("x.rs", "rust"),
        ("X.java", "java"),
        ("x.c", "c"),
        ("x.h", "c"),
        ("x.hpp", "cpp"),
        ("x.cs", "csharp"),
        ("lib/Rakefile", "ruby"),
        ("x.rb", "ruby"),
        ("x.php", "php"),
        ("x.kts", "kotlin"),
        ("x.swift", "swift"),
        ("x.scala", "scala"),
        ("x.dart", "dart"),
        ("x.lua", "lua"),
        ("x.sh", "bash"),
        ("x.exs", "elixir"),
        ("x.hs", "haskell"),
        ("x.vue", "vue"),
        ("x.pm", "perl"),
        ("x.R", "r"),
        ("Jenkinsfile", "groovy"),
        ("main.tf", "hcl"),
        ("src/CMakeLists.txt", "cmake"),
        ("Makefile", "make"),
        ("Dockerfile", "dockerfile"),
        ("Dockerfile.dev", "dockerfile"),
        ("Justfile", "just"),
        ("src/BUILD", "starlark"),
        ("BUILD.bazel", "starlark"),
        ("x.ipynb", "notebook"),
        ("x.cob", "cobol"),
        ("x.cu", "cuda"),
        ("x.m", "objc"),
    ],
)
def test_a_path_has_its_language(path: str, name: str):
    language = ctx.find_language(path)
    assert language is not None
    assert language.name == name


@pytest.mark.parametrize("path", ["README", "py", ".py/", "a.unknown", "x.cobol9", ""])
def test_other_paths_have_none(path: str):
    assert ctx.find_language(path) is None


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("#!/usr/bin/env python3", "python"),
        ("#!/usr/bin/python3.11 -u", "python"),
        ("#!/usr/bin/env -S node --no-warnings", "javascript"),
        ("#! /usr/bin/ruby", "ruby"),
        ("#!/bin/sh", "bash"),
        ("#!/usr/bin/env Rscript", "r"),
        ("#!/bin/unknown", ""),
        ("#!", ""),
        ("python", ""),
    ],
)
def test_a_script_without_suffix_is_known_by_its_interpreter(line: str, name: str):
    language = ctx.find_language("bin/tool", line)
    assert (language.name if language else "") == name


def test_rows_compile_to_patterns():
    table = "x: xx\n  def  a=class b>c=type\n  ref  d.e>f|g h>i+\n  value j>=\n  raw  (k) @use\n"
    assert ctx.get_language("x", table).query.splitlines() == [
        "(a name: [(_)] @name) @def.class",
        "(b [(c)] @name) @def.type",
        "(d e: [(f) (g)] @ref)",
        '((h [(i)] @ref) (#match? @ref "^[A-Z]"))',
        '(j "=" . (_) @value)',
        "(k) @use",
    ]


def test_like_brings_the_rows_of_another_stanza():
    language = ctx.get_language("b", "a: aa\n  ref  x\n\nb: bb\n  like a\n  ref  y\n")
    assert language.query == "[(x)] @ref\n[(y)] @ref"
    assert language.suffixes == ("bb",)


def test_like_of_nothing_is_an_error():
    with pytest.raises(ctx.CtxError):
        ctx.get_language("b", "b: bb\n  like a\n")


def test_no_two_languages_share_a_suffix():
    languages = map(ctx.get_language, ctx.list_languages())
    suffixes = [suffix for language in languages for suffix in language.suffixes]
    assert len(suffixes) == len(set(suffixes))


def test_every_query_compiles():
    for language in map(ctx.get_language, ctx.list_languages()):
        if language.suffixes and language.grammar != "-":
            assert ctx.load_grammar(language.grammar, language.query), language.name


def test_rows_of_words_compile_to_regexes():
    table = "x: xx\n  word  > public / class fn=function\n"
    assert ctx.get_language("x", table).texts == (
        ("class", r"^[ \t]*(?:(?:public)\s+)*class\s+(\w[\w']*(?:(?:\.|::)\w+)*)"),
        ("function", r"^[ \t]*(?:(?:public)\s+)*fn\s+(\w[\w']*(?:(?:\.|::)\w+)*)"),
    )


def test_the_grammar_that_hangs_is_in_no_stanza():
    languages = map(ctx.get_language, ctx.list_languages())
    assert "cobol" not in [language.grammar for language in languages]


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("a.c++", "code"),
        ("a.h++", "code"),
        ("a.pp", "code"),
        ("build.sbt", "code"),
        ("a.pyx", "code"),
        ("deps.edn", "data"),
        ("index.html", "data"),
        ("lib/tasks/a.rake", "build"),
        ("a.bzl", "build"),
        ("Rakefile", "build"),
        ("a.unknown", ""),
    ],
)
def test_the_row_of_a_language_tells_the_role_of_its_files(path: str, role: str):
    assert ctx.find_role(path) == role


def test_every_code_suffix_of_the_table_is_source_for_the_facts():
    for name in ctx.list_languages():
        for suffix in ctx.get_language(name).suffixes:
            path = f"pkg/code.{suffix}"
            if ctx.find_role(path) == "code" and suffix != "t":  # a .t file is a test of Perl
                assert ctx.role_of(path) == "source", path


def test_every_language_has_a_sample_and_every_import_rule_exists():
    samples = Path(__file__).parent / "fixtures" / "languages"
    sampled = {
        ctx.find_content_language(path.name, path.read_bytes(), language)[1].name
        for path in samples.glob("*/sample.*")
        if (language := ctx.find_language(path.name))
    } | {"notebook", "ocaml_interface", "flow"}
    for language in map(ctx.get_language, ctx.list_languages()):
        if language.suffixes:
            assert language.name in sampled


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.ml", "let one = 1\n(* green\n   grass *)\nlet two = 2\n"),
        ("a.pas", "one := 1;\n{ green\n  grass }\n(* green\n grass *)\ntwo := 2;\n"),
        ("a.lisp", "(one)\n#| green\n   grass |#\n(two)\n"),
        ("a.c", "int one;\n/* green\n   grass */\nint two;\n"),
    ],
)
def test_a_block_comment_is_a_comment_on_every_line(path: str, text: str):
    language = ctx.find_language(path)
    assert language is not None
    code = re.sub(ctx.comment_pattern(language.comments), " ", text)
    assert "one" in code and "two" in code
    assert "green" not in code and "grass" not in code


# -- a user's own stanzas

OWN = """
[languages.mini]
suffixes = "mini"
grammar = "python"
def = "class_definition=class function_definition=function"

[languages.shout]
suffixes = "sht"
grammar = "-"
text = ["function ^SHOUT (\\\\w+)"]

[languages.ruby]
like = "ruby"
names = "Kitchenfile"
"""


def scan(root: Path) -> dict[str, list[str]]:
    """The names that each file defines, by the parsers of this environment."""
    done = lab.run(root, "map", "--json", python=())
    assert done.returncode == 0, done.stderr
    found: dict[str, list[str]] = {}
    for symbol in json.loads(done.stdout)["symbols"]:
        found.setdefault(symbol["path"], []).append(symbol["name"])
    return found


def test_an_own_stanza_has_several_suffixes_and_docs_below() -> None:
    rows = {"grammar": "python", "def": "function_definition=function", "below": r"\n(#.*)\n\n"}
    own = ctx.parse_own_languages({"mini": {"suffixes": ["mini", "min"], "comment": "#", **rows}})
    language = ctx.find_language("a.min", stanzas=own)
    assert language and language.suffixes == ("mini", "min")
    tags = ctx.tag_source(
        "a.min", b"def a():\n    pass\n# Opens it.\n\ndef b():\n    pass\n", language
    )
    assert tags and [each.doc for each in tags.definitions] == ["Opens it.", ""]


def test_a_comment_that_begins_with_a_quote_mentions_nothing() -> None:
    source = b"' Like Window\nPublic Class Door\nEnd Class\n"
    assert "Window" not in ctx.tag_source("a.vb", source, ctx.get_language("vb")).references


def test_an_own_stanza_may_have_no_comments() -> None:
    rows = {"suffixes": "plain", "comment": "", "grammar": "-", "text": r"function ^fn (\w+)"}
    language = ctx.get_language("plain", ctx.parse_own_languages({"plain": rows}))
    tags = ctx.tag_source("a.plain", b"fn hello\n", language)
    assert [each.name for each in tags.definitions] == ["hello"]


def test_an_own_stanza_adds_or_overrides_a_language(tmp_path: Path):
    lab.plant(tmp_path, {
        ".ctx/config.toml": OWN,
        "a.mini": "class A:\n    pass\n",
        "b.sht": "SHOUT hello\n",
        "Kitchenfile": "class Cook\nend\n",
        "c.rb": "class Plain\nend\n",
    })  # fmt: skip
    names = {"a.mini": ["A"], "b.sht": ["hello"], "Kitchenfile": ["Cook"], "c.rb": ["Plain"]}
    assert scan(tmp_path) == names
    changed = OWN.replace("class_definition=class ", "").replace("SHOUT", "WHISPER")
    lab.plant(tmp_path, {".ctx/config.toml": changed})
    del names["a.mini"], names["b.sht"]
    assert scan(tmp_path) == names  # nothing that the old stanza found is left in the cache


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        (
            "class_definition=",
            "clas=",
            "languages.mini: grammar python: Invalid node type at row",
        ),
        ("^SHOUT (", "^SHOUT ((", "languages.shout: missing ), unterminated subpattern"),
        ('like = "ruby"', 'like = "rubi"', "languages.ruby: like rubi: no such language"),
        ('grammar = "python"', 'grammar = "pyton"', "languages.mini: no grammar pyton in the pack"),
        ("names =", "nam =", "languages.ruby: unknown row 'nam'; known: like below"),
        ('suffixes = "sht"', "cut = 3", "languages.shout: cut must be a line or a list of lines"),
        (
            'suffixes = "sht"',
            'import = "path"',
            "languages.shout: import must be a resolver, a sep",
        ),
        ('suffixes = "sht"', 'docs = "below #"', "languages.shout: docs can only be inside; see"),
    ],
)
def test_a_wrong_stanza_is_one_line_that_says_what_is_wrong(
    tmp_path: Path, old: str, new: str, complaint: str
):
    assert old in OWN
    lab.plant(tmp_path, {".ctx/config.toml": OWN.replace(old, new), "a.mini": "x = 1\n"})
    done = lab.run(tmp_path, "map", "--output", "-", python=())
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"ctx: .ctx/config.toml: {complaint}")
    assert done.stderr.count("\n") == 1


# -- scripts and coverage


@pytest.mark.parametrize(
    ("kernel", "code", "name"),
    [
        ('"kernelspec": {"language": "R"}', "load <- function(x) x", "load"),
        ('"kernelspec": {"language": "C++"}', "int pour(int x) { return x; }", "pour"),
        ('"language_info": {"file_extension": ".scala", "name": "scala"}', "class Pot", "Pot"),
        ('"language_info": {"name": "python"}', "def boil(): pass", "boil"),
    ],
)
def test_the_cells_of_a_notebook_are_in_its_kernels_language(kernel: str, code: str, name: str):
    cell = f'{{"cell_type": "code",\n"source": [\n{json.dumps(code)}\n]}}'
    source = f'{{"cells": [\n{cell}\n],\n"metadata": {{{kernel}}}}}\n'.encode()
    tags = ctx.tag_source("a.ipynb", source, ctx.get_language("notebook"))
    assert tags and [each.name for each in tags.definitions] == [name]


def test_a_script_without_suffix_has_its_symbols_in_the_map(tmp_path: Path):
    lab.plant(
        tmp_path, {"bin/tool": "#!/usr/bin/env python3\ndef run():\n    pass\n", "NEWS": "x\n"}
    )
    assert scan(tmp_path) == {"bin/tool": ["run"]}


def test_doctor_lists_every_language_with_its_means_and_files(tmp_path: Path):
    lab.plant(tmp_path, {
        "a.py": "x = 1\n", "bin/b": "#!/usr/bin/python3\n", "c.m": "function c\nend\n",
        "d.vue": "<script></script>\n", "e.cob": "x\n",
    })  # fmt: skip
    done = lab.run(tmp_path, "doctor", "--languages", "--json", python=())
    assert done.returncode == 0
    rows = {row["language"]: (row["means"], row["files"]) for row in json.loads(done.stdout)}
    assert rows["python"] == ("grammar", 2)
    assert rows["matlab"] == ("grammar", 1)  # by what the file holds: .m may be either
    assert rows["vue"] == ("script parts", 1)
    assert rows["cobol"] == ("pattern", 1)
    assert rows["objc"] == ("grammar", 0)
    assert "ecma" not in rows
    text = lab.run(tmp_path, "doctor", "--languages").stdout.splitlines()
    assert text[0].split() == ["language", "read", "by", "files"]
    assert text[1].split() == ["python", "standard", "library", "2"]
    assert len(text) == len(rows) + 1
