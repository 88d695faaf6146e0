"""The language table and its compiler."""

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
        ("#!/bin/unknown", ""),
        ("#!", ""),
        ("python", ""),
    ],
)
def test_a_script_without_suffix_is_known_by_its_interpreter(line: str, name: str):
    language = ctx.find_language("bin/tool", line)
    assert (language.name if language else "") == name


def test_rows_compile_to_patterns():
    table = (
        "x: xx\n  def  a=class b>c=type\n  ref  d.e>f|g\n  Ref h>i\n  value j>=\n  raw  (k) @use\n"
    )
    assert ctx.parse_language_table(table)["x"].query.splitlines() == [
        "(a name: [(_)] @name) @def.class",
        "(b [(c)] @name) @def.type",
        "(d e: [(f) (g)] @ref)",
        '((h [(i)] @ref) (#match? @ref "^[A-Z]"))',
        '(j "=" . (_) @value)',
        "(k) @use",
    ]


def test_like_brings_the_rows_of_another_stanza():
    languages = ctx.parse_language_table("a: aa\n  ref  x\n\nb: bb\n  like a\n  ref  y\n")
    assert languages["b"].query == "[(x)] @ref\n[(y)] @ref"
    assert languages["b"].suffixes == ("bb",)


def test_like_of_nothing_is_an_error():
    with pytest.raises(ctx.CtxError):
        ctx.parse_language_table("b: bb\n  like a\n")


def test_no_two_languages_share_a_suffix():
    languages = ctx.parse_language_table(ctx.LANGUAGE_TABLE).values()
    suffixes = [suffix for language in languages for suffix in language.suffixes]
    assert len(suffixes) == len(set(suffixes))


def test_every_query_compiles():
    for language in ctx.parse_language_table(ctx.LANGUAGE_TABLE).values():
        if language.suffixes and language.grammar != "-":
            assert ctx._load_grammar(language.grammar, language.query) is not None, language.name


def test_the_grammar_that_hangs_is_in_no_stanza():
    languages = ctx.parse_language_table(ctx.LANGUAGE_TABLE).values()
    assert "cobol" not in [language.grammar for language in languages]
