"""Bytes of one file in, its tags out."""

import pathlib
import sys
import time

import pytest

import ctx

FIXTURES = pathlib.Path(__file__).parent / "fixtures" / "languages"
SAMPLES = sorted(FIXTURES.glob("*/sample.*"))


def tag(path: str, text: str) -> ctx.FileTags:
    language = ctx.find_language(path)
    assert language is not None
    tags = ctx.tag_source(path, text.encode(), language)
    assert tags is not None
    return tags


def render_tags(tags: ctx.FileTags) -> str:
    """One line for each thing found, to be read and reviewed."""
    lines = [f"doc    {tags.doc}"] if tags.doc else []
    lines += [f"mark   {tags.mark}"] if tags.mark else []
    lines += [f"import {name}" for name in tags.imports]
    for found in tags.definitions:
        sign = "+" if found.exported else "-"
        name = f"{found.owner}.{found.name}" if found.owner else found.name
        line = f"def    {found.line}-{found.end} {sign} {found.kind} {name} | {found.signature}"
        lines.append(f"{line} | {found.doc}" if found.doc else line)
    lines += [f"ref    {name} {count}" for name, count in tags.references.items()]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("sample", SAMPLES, ids=[sample.parent.name for sample in SAMPLES])
def test_each_sample_gives_its_expected_tags(sample: pathlib.Path, request: pytest.FixtureRequest):
    language = ctx.find_language(sample.name)
    assert language is not None
    tags = ctx.tag_source(sample.name, sample.read_bytes(), language)
    assert tags is not None
    text = render_tags(tags)
    expected = sample.with_name("expected.tags")
    if request.config.getoption("--regen"):
        expected.write_text(text, encoding="utf-8")
    assert text == expected.read_text(encoding="utf-8")
    assert "hunter2" not in text


@pytest.mark.parametrize("sample", SAMPLES, ids=[sample.parent.name for sample in SAMPLES])
def test_windows_line_ends_change_nothing_but_bytes(sample: pathlib.Path):
    language = ctx.find_language(sample.name)
    assert language is not None
    source = sample.read_bytes()
    plain = ctx.tag_source(sample.name, source, language)
    windows = ctx.tag_source(sample.name, source.replace(b"\n", b"\r\n"), language)
    assert plain == windows


@pytest.mark.parametrize("sample", SAMPLES, ids=[sample.parent.name for sample in SAMPLES])
def test_half_a_file_keeps_most_of_what_stands_before_the_break(sample: pathlib.Path):
    language = ctx.find_language(sample.name)
    assert language is not None
    source = sample.read_bytes()
    whole = ctx.tag_source(sample.name, source, language)
    half = ctx.tag_source(sample.name, source[: len(source) // 2], language)
    assert whole and half
    before = [d.name for d in whole.definitions if d.end < source.count(b"\n") // 2 - 3]
    kept = {d.name for d in half.definitions}
    assert sum(name in kept for name in before) >= 0.6 * len(before)


@pytest.mark.parametrize(
    "name",
    [each for each in ctx.list_languages() if ctx.get_language(each).suffixes],
)
def test_deep_nesting_ends_and_is_quick(name: str):
    language = ctx.get_language(name)
    began = time.process_time()
    # Some grammars take time that is quadratic in the depth; workers have a time limit for that.
    deep = 20_000 if name in ("python", "c", "go", "java") else 2_000
    for opening, closing, depth in (("(", ")", deep), ("[", "]", 2_000), ("{", "}", 2_000)):
        source = f"x = {opening * depth}{closing * depth}".encode()
        assert ctx.tag_source("x." + language.suffixes[0], source, language) is not None
    assert time.process_time() - began < 20


def test_a_dollar_is_a_letter_in_javascript():
    text = "declare function $state<T>(value: T): T;\n"
    assert [it.name for it in tag("a.d.ts", text).definitions] == ["$state"]


def test_empty_and_binary_files_have_no_definitions():
    for text in ("", "\n", "\x00\x01", "\ufeff"):
        assert tag("a.py", text).definitions == ()


def test_bytes_that_are_no_utf8_are_shown_replaced():
    language = ctx.find_language("a.py")
    assert language is not None
    tags = ctx.tag_source(
        "a.py", b"def caf\xe9(x='\xff'): pass\ndef b(): ''' \xff. '''\n", language
    )
    assert tags is not None
    assert "b" in [found.name for found in tags.definitions]


def test_two_runs_give_the_same_order():
    source = "def b(): pass\ndef a(): pass\nclass C:\n  def z(self): pass\n  def y(self): pass\n"
    assert [d.name for d in tag("a.py", source).definitions] == ["b", "a", "C", "z", "y"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a", ["a"]),
        ("a.{b, c as d}", ["a.b", "a.c"]),
        ("a::{self, b::{c, d}, e::*}", ["a", "a::b::c", "a::b::d", "a::e::*"]),
        ("'x/y'", ["x/y"]),
        ("$name . '/x.php'", []),
        ("{a, b}", ["a", "b"]),
        ("a.{", []),
        ("}}", []),
    ],
)
def test_braces_expand_to_one_name_each(text: str, names: list[str]):
    assert ctx.expand_braces(text) == names


@pytest.mark.parametrize(
    ("line", "imports"),
    [
        ("import a.b", ["a.b"]),
        ("import a.b as c, d", ["a.b", "d"]),
        ("from a.b import c, d", ["a.b.c", "a.b.d"]),
        ("from . import x", [".x"]),
        ("from .. import x as y", ["..x"]),
        ("from ..p import *", ["..p"]),
        ("from . import *", ["."]),
        ("from .a import (b,\n  c,  # why\n)", [".a.b", ".a.c"]),
    ],
)
def test_python_imports_are_dotted_names(line: str, imports: list[str]):
    assert list(tag("a.py", line + "\n").imports) == imports


@pytest.mark.parametrize(
    ("head", "mark"),
    [
        ("# Code generated by protoc. DO NOT EDIT.\n", "generated"),
        ("# @generated\n", "generated"),
        ("# This file was automatically generated.\n", "generated"),
        ("/* A Bison parser, made by GNU Bison 3. */\n", "generated"),
        ("// <auto-generated>\n", "generated"),
        ("# Autogenerated from the schema\n", "generated"),
        ("# The password is auto-generated if none is given.\n", ""),
        ("@generated function f() end\n", ""),
        ("# written by hand\n", ""),
        ("x = [" + "1," * 3000 + "]\n", "minified"),
    ],
)
def test_content_tells_what_it_is(head: str, mark: str):
    assert tag("a.py", head).mark == mark


def test_a_header_that_speaks_cpp_is_read_as_cpp():
    assert [d.kind for d in tag("a.h", "class A { void f(); };\n").definitions] == [
        "class",
        "method",
    ]
    assert [d.kind for d in tag("a.h", "struct class_of { int x; };\n").definitions] == ["struct"]


def test_a_loop_where_a_method_should_be_is_no_method():
    found = tag("a.js", "class A {\n  walk(x) {}\n  for (; x; x = y) {\n    go();\n  }\n}\n")
    assert [each.name for each in found.definitions] == ["A", "walk"]


def test_a_box_above_a_docstring_is_not_its_first_sentence():
    box = '!!! abstract "Usage"\n        [Models](models.md)\n\n    A model with fields.'
    found = tag("a.py", f'class A:\n    """{box}\n    """\n')
    assert found.definitions[0].doc == "A model with fields."


def test_no_value_leaves_through_a_sibling():
    tags = tag("a.js", "export let first = 'hunter2', SECOND = 'hunter2';\n")
    assert [d.signature for d in tags.definitions] == ["let first = …, SECOND = …"] * 2


def test_a_file_without_its_grammar_is_read_by_patterns():
    language = ctx.get_language("go")._replace(grammar="no_such_one")
    tags = ctx.tag_source("a.go", b"package a\n\nfunc F() {}\n", language)
    assert [d.name for d in tags.definitions] == ["F"]


def test_a_file_is_read_by_patterns_where_the_packages_are_missing(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "tree_sitter", None)
    ctx.load_grammar.cache_clear()
    try:
        tags = ctx.tag_file("a.go", b"package a\n\nfunc F() {}\n", "go")
        assert [d.name for d in tags.definitions] == ["F"]
    finally:
        ctx.load_grammar.cache_clear()


def test_python_without_a_grammar_is_read_nearly_as_well():
    sample = FIXTURES / "python" / "sample.py"
    source = sample.read_bytes().partition(b"class Broken")[0].replace(b"type Grams = int", b"")
    language = ctx.get_language("python")
    with_grammar = ctx.tag_source("a.py", source, language)
    without = ctx.tag_source("a.py", source, language, bare=True)
    assert with_grammar and without
    for fields in (slice(0, 5), slice(6, None)):
        assert [d[fields] for d in with_grammar.definitions] == [
            d[fields] for d in without.definitions
        ]
    assert with_grammar.imports == without.imports
    assert with_grammar.doc == without.doc
    assert with_grammar.references.keys() <= without.references.keys()
    assert "hunter2" not in str(without)


@pytest.mark.parametrize("sample", SAMPLES, ids=[sample.parent.name for sample in SAMPLES])
def test_without_a_grammar_what_stands_at_the_top_is_found(sample: pathlib.Path):
    language = ctx.find_language(sample.name)
    assert language is not None
    source = sample.read_bytes().partition(b"class Broken")[0]
    best = ctx.tag_source(sample.name, source, language)
    rough = ctx.tag_source(sample.name, source, language, bare=True)
    assert best and rough
    kinds = {"class", "interface", "struct", "trait", "enum", "protocol", "object", "module"}
    wanted = {d.name for d in best.definitions if d.kind in kinds and not d.owner}
    found = {d.name for d in rough.definitions}
    assert len(wanted & found) >= 0.7 * len(wanted) - 1
    assert len(found - {d.name for d in best.definitions}) <= 2
    assert "hunter2" not in str(rough)


def test_python_that_does_not_parse_is_read_by_its_lines():
    source = b"def f(:\n  x\nclass A:\n"
    tags = ctx.tag_source("a.py", source, ctx.get_language("python"), bare=True)
    assert tags is not None
    assert [d.name for d in tags.definitions] == ["f", "A"]


@pytest.mark.parametrize(
    ("path", "text", "kind", "name"),
    [
        ("a.m", "@interface Desk : NSObject\n@end\n", "class", "Desk"),
        ("a.m", "% Sums.\nfunction y = total(x)\n y = x;\nend\n", "function", "total"),
        ("a.h", "#import <X/X.h>\n@interface Desk : NSObject\n@end\n", "class", "Desk"),
        ("a.fs", "#version 330\nvoid main() {}\n", "function", "main"),
        ("a.v", "Require Import Arith.\nTheorem easy : 1 = 1.\n", "function", "easy"),
        ("a.pl", ":- module(desk, [open/1]).\n", "module", "desk"),
    ],
)
def test_content_tells_languages_of_one_suffix_apart(path: str, text: str, kind: str, name: str):
    assert [(d.kind, d.name) for d in tag(path, text).definitions] == [(kind, name)]


def test_a_part_in_another_language_keeps_its_lines():
    tags = tag(
        "Desk.vue", "<template><Lamp/></template>\n<script>\nfunction open() {}\n</script>\n"
    )
    assert [(d.line, d.name) for d in tags.definitions] == [(1, "Desk"), (3, "open")]
    assert tags.references == {"Lamp": 1}


def test_clauses_of_one_function_are_told_once():
    tags = tag("a.erl", "f(0) -> 1;\nf(N) -> N.\n\ng() -> ok.\n\nf(A, B) -> A + B.\n")
    assert [(d.line, d.end, d.name) for d in tags.definitions] == [
        (1, 2, "f"),
        (4, 4, "g"),
        (6, 6, "f"),
    ]


def test_a_script_held_as_data_is_no_import():
    page = f'<script src="data:text/javascript;base64,{"a" * 5000}"></script>'
    assert all(len(name) < 256 for name in tag("a.html", page).imports)


def test_what_only_a_pattern_finds_has_owner_signature_and_doc():
    source = (
        'class Box {\n    /** Opens it. */\n    void open(String key = "hunter2") {\n    }\n}\n'
    )
    found = [
        (d.kind, d.owner, d.name, d.signature, d.doc) for d in tag("a.groovy", source).definitions
    ]
    assert found == [
        ("class", "", "Box", "class Box", ""),
        ("method", "Box", "open", "void open(String key = …)", "Opens it."),
    ]


def test_an_example_in_a_docstring_is_no_definition_even_in_a_broken_file():
    source = '"""\n    f(x)\n\nstruct Example\nend\n"""\nf(x) = 1\n\nfunction g(\n'
    assert "Example" not in {d.name for d in tag("a.jl", source).definitions}


def test_what_begins_a_comment_inside_a_text_hides_nothing():
    source = (
        'class A {\n    void a() { glob("x/*.txt") }\n    void b() {\n    }\n    /* end */\n}\n'
    )
    assert [d.name for d in tag("a.groovy", source).definitions] == ["A", "a", "b"]


def test_prose_that_explains_code_is_a_document_and_a_change_log_is_none() -> None:
    for path in ("README.md", "docs/guide.txt", "docs/api/door.rst", "web/page.mdx"):
        assert ctx.is_document(path), path
    for path in ("CHANGELOG.md", "docs/releases/2.0.txt", "HISTORY.rst", "notes.txt", "door.py"):
        assert not ctx.is_document(path), path
