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

import ast
import bisect
import collections
import functools
import itertools
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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

# One stanza per language: `name: suffixes`, then rows. A row is a verb and its words.
#
# A word is a path through the tree: `a>b` is a child, `a.f>b` a child in field f, `a.f` whatever
# is in field f, `a>=` what follows an equals sign; the last step may name several nodes: `a>b|c`.
# `x/` in front of a path says where it stands, and is not part of it.
#
# `Def` and `Ref` are def and ref for names with a capital only.
#
#   like      start from the rows of another stanza
#   def       path=label   a definition; the last step is its name (without a step: its field name)
#   ref       path         a mention of a name
#   use       path         an import, as text; `edit` rows bring it into shape
#   package   path         the package that the file belongs to
#   export    path         a name that the file exports; `only` the same, and it exports no other
#   value     path         a literal that no signature may show; `skip` what it leaves out
#   wrap      path         belongs to the definition in it: export, decorators, template
#   hide      path         nothing inside is visible from outside; `show` is an exception
#   section   path         `private` or `public:`, for the members that follow
#   raw       one whole pattern, with @def.label, @name, @owner, @body, @end, @value, @ref, ...;
#             of two patterns for one definition the later wins. Label "scope" names an owner
#             and is no definition, "part" adds to a type that stands elsewhere, "none" drops
#
#   grammar   its name in the pack, if it is another        names     file names
#   run       interpreters after #!                         turn      suffix language regex
#   comment   what begins a comment                         docstring yes: docs stand in the body
#   body      nodes that end a signature, beside field body lead      label=word before a signature
#   public    regex on the text up to the name: exported    member    the same for members
#   closed    labels whose members begin private            open      labels with public members
#   drop      names that are no references                  keyword   names that are not defined
#   cut       regex, deleted from owners                    edit      regex => text, on imports
#   flat      labels that in column 0 stand in nothing, whatever a syntax error made of it
#   text      label regex: what to find without a grammar; `text ast` reads it as Python
LANGUAGE_TABLE = r"""
python: py pyi pyw
  run     python pypy
  names   SConstruct SConscript wscript
  comment #
  docstring yes
  public  (^|\s)([^\W_]\w*|__\w+__)$
  wrap    decorated_definition
  def     class_definition=class function_definition=function type_alias_statement.left=type
  Def     module|ERROR/assignment.left>identifier=constant
  raw     (module (assignment left: (identifier) @_a right: [(list) (tuple)] @only) (#eq? @_a "__all__"))
  value   default_parameter.value typed_default_parameter.value module|ERROR/assignment.right
  value   class_definition.superclasses>argument_list>keyword_argument.value>string|integer|float|list|tuple|dictionary|call
  ref     call.function>identifier call.function>attribute.attribute>identifier
  ref     type>identifier type>generic_type>identifier type>attribute.attribute>identifier
  ref     type>binary_operator>identifier type>binary_operator>attribute.attribute>identifier type>binary_operator>subscript.value>identifier
  ref     type>subscript.value>identifier type>subscript.value>attribute.attribute>identifier type>subscript.subscript>identifier type>subscript.subscript>attribute.attribute>identifier
  ref     class_definition.superclasses>argument_list>identifier class_definition.superclasses>argument_list>attribute.attribute>identifier
  ref     class_definition.superclasses>argument_list>subscript.value>identifier class_definition.superclasses>argument_list>subscript.value>attribute.attribute>identifier
  ref     class_definition.superclasses>argument_list>keyword_argument.value>identifier
  ref     decorator>identifier decorator>attribute.attribute>identifier
  raw     (raise_statement . (identifier) @ref)
  ref     except_clause.value>identifier except_clause.value>as_pattern>identifier except_clause.value>attribute.attribute>identifier
  ref     import_from_statement.name>dotted_name>identifier import_from_statement.name>aliased_import.name>dotted_name>identifier
  drop    super str int bool float bytes object dict list tuple set type len isinstance range property staticmethod classmethod
  use     import_statement import_from_statement
  edit    [()] =>
  edit    ^from\s+(\S*\w)\s+import\b\s*(.*) => \1.{\2}
  edit    ^from\s*(\.+)\s*import\b\s*(.*) => \1{\2}
  edit    ^import\s+(.*) => {\1}
  edit    (?<=\w)\.\{\*\}$|\{\*\}$ =>
  text    ast
  text    class ^class\s+(\w+)
  text    function ^(?:async\s+)?def\s+(\w+)

ecma:
  public  ^export\b|^(module\.)?exports\b
  member  ^(?!.*(\b(private|protected)\b|#|\b_\w*$))
  wrap    export_statement
  hide    arrow_function function_expression arguments>object
  show    call_expression.function>parenthesized_expression>function_expression|arrow_function
  def     class_declaration=class function_declaration=function generator_function_declaration=function method_definition=method
  raw     (program (lexical_declaration (variable_declarator name: (identifier) @name value: (_)? @value)) @def.constant)
  raw     (export_statement declaration: (lexical_declaration (variable_declarator name: (identifier) @name value: (_)? @value)) @def.constant)
  raw     (lexical_declaration (variable_declarator name: (identifier) @name value: (call_expression function: (identifier) @_r)) (#eq? @_r "require")) @def.none
  raw     (lexical_declaration (variable_declarator name: (identifier) @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)])) @def.function
  raw     (variable_declaration (variable_declarator name: (identifier) @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)])) @def.function
  raw     (lexical_declaration (variable_declarator name: (identifier) @name value: (class body: (_) @body))) @def.class
  raw     (assignment_expression left: (member_expression object: (_) @owner property: (_) @name) right: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @def.function
  raw     (variable_declarator name: (identifier) @name value: (object)) @def.scope
  raw     (assignment_expression left: (member_expression) @name right: (object)) @def.scope
  raw     (pair key: (property_identifier) @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @def.method
  raw     (export_statement "default" @name value: [(arrow_function body: (_) @body) (function_expression !name body: (_) @body)] @def.function)
  raw     (export_statement "default" @name value: (class !name body: (_) @body) @def.class)
  export  export_specifier.name>identifier export_statement.value>identifier
  raw     (variable_declarator name: (identifier) @export value: (assignment_expression left: (_) @_l) (#match? @_l "exports$"))
  raw     (assignment_expression left: (member_expression) @_l right: (identifier) @export (#match? @_l "^(module\\.)?exports\\b"))
  raw     (assignment_expression left: (member_expression) @_l right: (object [(shorthand_property_identifier) @export (pair value: (identifier) @export)]) (#eq? @_l "module.exports"))
  cut     ^(module\.)?exports$|\.prototype$
  value   assignment_pattern.right object_assignment_pattern.right
  ref     call_expression.function>identifier call_expression.function>member_expression.property>property_identifier
  ref     new_expression.constructor>identifier new_expression.constructor>member_expression.property>property_identifier
  ref     decorator>identifier import_specifier.name>identifier import_clause>identifier
  raw     (export_statement (export_clause (export_specifier name: (identifier) @ref)) source: (_))
  drop    require
  use     import_statement.source export_statement.source
  raw     (call_expression function: (identifier) @_r arguments: (arguments . (string) @use) (#eq? @_r "require"))
  raw     (call_expression function: (import) arguments: (arguments . (string) @use))
  text    class ^(?:export\s+)?(?:default\s+)?(?:abstract\s+)?class\s+(\w+)
  text    function ^(?:export\s+)?(?:default\s+)?(?:async\s+)?function\s*\*?\s*(\w+)
  text    function ^(?:export\s+)?(?:const|let|var)\s+(\w+)\s*=\s*(?:async\s*)?(?:\([^()]*\)|\w+)\s*=>
  text    function ^(?:module\.)?exports\.(\w+)\s*=\s*(?:async\s+)?function\b

jsx:
  Ref     jsx_opening_element.name>identifier jsx_self_closing_element.name>identifier
  ref     jsx_opening_element.name>member_expression.property>property_identifier jsx_self_closing_element.name>member_expression.property>property_identifier

javascript: js jsx mjs cjs
  run     node nodejs
  like    ecma
  like    jsx
  turn    js tsx \A\s*/[*/][^;]*@flow\b
  raw     (field_definition property: (_) @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @def.method
  value   class_heritage>call_expression.arguments>arguments>_
  ref     class_heritage>identifier class_heritage>member_expression.property>property_identifier

typescript: ts mts cts
  run     deno bun ts-node tsx
  like    ecma
  wrap    ambient_declaration
  def     abstract_class_declaration=class interface_declaration=interface enum_declaration=enum type_alias_declaration=type
  def     function_signature=function internal_module=module module.name>identifier|nested_identifier=module
  def     interface_body/method_signature=method class_body/method_signature=method abstract_method_signature=method
  raw     (public_field_definition name: (_) @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @def.method
  raw     (ambient_declaration (lexical_declaration (variable_declarator name: (identifier) @name)) @def.constant)
  value   required_parameter.value optional_parameter.value extends_clause.value>call_expression.arguments>arguments>_
  skip    decorator
  ref     type_identifier extends_clause.value>identifier extends_clause.value>member_expression.property>property_identifier
  use     import_require_clause.source
  text    interface ^(?:export\s+)?(?:declare\s+)?interface\s+(\w+)
  text    type ^(?:export\s+)?(?:declare\s+)?type\s+(\w+)
  text    enum ^(?:export\s+)?(?:declare\s+)?(?:const\s+)?enum\s+(\w+)

tsx: tsx
  like    typescript
  like    jsx

go: go
  public  \b[A-Z]\w*$
  lead    struct=type interface=type type=type constant=const variable=var
  def     function_declaration=function type_alias=type type_spec=type method_elem=method
  raw     (type_spec name: (_) @name type: (struct_type (field_declaration_list) @body)) @def.struct
  raw     (type_spec name: (_) @name type: (interface_type "{" @body)) @def.interface
  raw     (method_declaration receiver: (parameter_list (parameter_declaration type: (_) @owner)) name: (_) @name) @def.method
  def     source_file/const_declaration/const_spec>identifier=constant source_file/var_declaration/var_spec.name>identifier=variable
  def     source_file/var_declaration/var_spec_list/var_spec.name>identifier=variable
  value   const_spec.value var_spec.value
  raw     (type_declaration . (_) .) @wrap
  raw     (const_declaration . (_) .) @wrap
  raw     (var_declaration . (var_spec) .) @wrap
  cut     ^\*|\[.*
  ref     call_expression.function>identifier call_expression.function>selector_expression.field>field_identifier
  ref     type_identifier
  Ref     argument_list>identifier
  drop    string int bool error byte any int64 int32 uint64 uint32 uint8 float64 rune uint append len make new cap panic copy delete close
  use     import_spec.path
  text    function ^func\s+(\w+)
  text    method ^func\s+\([^)]*\)\s*(\w+)
  text    type ^type\s+(\w+)

rust: rs
  public  \bpub\b(?!\s*\()|^macro_rules!|^impl\b.*\bfor\b
  open    trait
  wrap    foreign_mod_item
  def     struct_item=struct enum_item=enum union_item=union trait_item=trait type_item=type
  def     function_item=function function_signature_item=function macro_definition=macro
  raw     (mod_item name: (_) @name body: (_)) @def.module
  raw     (impl_item type: (_) @name) @def.part
  raw     (impl_item body: (declaration_list (type_item name: (_) @name) @def.none))
  raw     (const_item name: (_) @name value: (_)? @value) @def.constant
  raw     (static_item name: (_) @name value: (_)? @value) @def.constant
  raw     (macro_definition name: (_) @name [(macro_rule) "{" "(" "["] @body) @def.macro
  cut     ^&('\w+\s+)?(mut\s+)?|^dyn\s+|<.*|^.*::(?=\w+(<|$))
  skip    attribute_item
  ref     type_identifier macro_invocation.macro>identifier macro_invocation.macro>scoped_identifier.name>identifier
  ref     call_expression.function>identifier call_expression.function>scoped_identifier.name>identifier call_expression.function>field_expression.field>field_identifier
  ref     call_expression.function>generic_function.function>identifier call_expression.function>generic_function.function>scoped_identifier.name>identifier
  ref     call_expression.function>generic_function.function>field_expression.field>field_identifier
  ref     use_declaration.argument>identifier use_declaration.argument>scoped_identifier.name>identifier use_list>identifier use_list>scoped_identifier.name>identifier
  ref     use_as_clause.path>identifier use_as_clause.path>scoped_identifier.name>identifier
  Ref     scoped_identifier.path>identifier
  raw     (token_tree (identifier) @ref . (token_tree))
  raw     (attribute (identifier) @_d arguments: (token_tree (identifier) @ref) (#eq? @_d "derive"))
  drop    Self
  use     use_declaration extern_crate_declaration
  raw     (mod_item name: (_) !body) @use
  edit    ^(?:pub\s*(?:\([^)]*\)\s*)?)?(?:use|extern crate)\s+(.*);$ => \1
  edit    ^(?:pub\s*(?:\([^)]*\)\s*)?)?mod\s+(\w+);$ => self::\1
  text    struct ^(?:pub(?:\([^)]*\))?\s+)?struct\s+(\w+)
  text    enum ^(?:pub(?:\([^)]*\))?\s+)?enum\s+(\w+)
  text    trait ^(?:pub(?:\([^)]*\))?\s+)?(?:unsafe\s+)?trait\s+(\w+)
  text    function ^(?:pub(?:\([^)]*\))?\s+)?(?:const\s+)?(?:async\s+)?(?:unsafe\s+)?fn\s+(\w+)
  text    macro ^macro_rules!\s*(\w+)

java: java
  public  \b(public|protected)\b
  open    interface annotation
  def     class_declaration=class interface_declaration=interface enum_declaration=enum record_declaration=class annotation_type_declaration=annotation
  def     method_declaration=method constructor_declaration=method annotation_type_element_declaration=method
  value   annotation_type_element_declaration.value
  raw     (field_declaration (modifiers "static" "final") declarator: (variable_declarator name: (_) @name value: (_)? @value)) @def.constant
  raw     (constant_declaration declarator: (variable_declarator name: (_) @name value: (_)? @value)) @def.constant
  hide    object_creation_expression>class_body enum_constant.body
  skip    annotation marker_annotation
  ref     type_identifier method_invocation.name annotation.name>identifier marker_annotation.name>identifier
  ref     annotation.name>scoped_identifier.name>identifier marker_annotation.name>scoped_identifier.name>identifier
  raw     (import_declaration (scoped_identifier name: (identifier) @ref) . ";")
  Ref     method_invocation.object>identifier field_access.object>identifier method_reference>identifier
  package package_declaration>scoped_identifier|identifier
  use     import_declaration
  edit    ^import\s+(?:static\s+)?(.*);$ => \1
  text    class ^(?:(?:public|abstract|final|sealed)\s+)*(?:class|record)\s+(\w+)
  text    interface ^(?:(?:public|sealed)\s+)*@?interface\s+(\w+)
  text    enum ^(?:public\s+)?enum\s+(\w+)

c: c h
  flat    function
  public  ^(?!.*\bstatic\b)
  turn    h cpp ^\s*(class\s+\w+[^;{]*[;{]|namespace\s*(\w[\w:]*)?\s*\{|template\s*<|(public|private|protected)\s*:|using\s+\w+)
  def     function_definition.declarator=function type_definition.declarator=type preproc_function_def=macro
  raw     (struct_specifier name: (_) @name body: (_)) @def.struct
  raw     (union_specifier name: (_) @name body: (_)) @def.union
  raw     (enum_specifier name: (_) @name body: (_)) @def.enum
  raw     (type_definition type: (_ body: (_) @value) declarator: (_) @name) @def.type
  raw     (preproc_function_def name: (_) @name value: (_) @body) @def.macro
  raw     (translation_unit (declaration declarator: (init_declarator declarator: (_) @name value: (_) @value)) @def.variable)
  value   enumerator.value
  skip    attribute_specifier attribute_declaration
  ref     call_expression.function>identifier call_expression.function>field_expression.field>field_identifier type_identifier
  Ref     argument_list>identifier binary_expression>identifier case_statement.value>identifier
  keyword if for while switch return sizeof else do defined
  use     preproc_include.path
  text    function ^(?!static|typedef|else|return|#)\w[\w\s*]*?\b(\w+)\s*\([^;{}()]*\)\s*\{
  text    struct ^(?:typedef\s+)?struct\s+(\w+)\s*\{
  text    enum ^(?:typedef\s+)?enum\s+(\w+)\s*\{
  text    macro ^#\s*define\s+(\w+)\(

cpp: cpp cc cxx c++ hpp hh hxx h++ ipp inl tpp cu cuh
  like    c
  closed  class
  wrap    template_declaration
  def     alias_declaration=type concept_definition=type
  raw     (class_specifier name: (_) @name body: (_)) @def.class
  raw     (field_declaration declarator: (function_declarator declarator: [(field_identifier) (operator_name) (destructor_name)] @name)) @def.method
  raw     (field_declaration declarator: (_ (function_declarator declarator: [(field_identifier) (operator_name)] @name))) @def.method
  raw     (field_declaration declarator: (_ (_ (function_declarator declarator: [(field_identifier) (operator_name)] @name)))) @def.method
  raw     (field_declaration_list (declaration declarator: (function_declarator declarator: [(identifier) (destructor_name)] @name)) @def.method)
  raw     (field_declaration_list (template_declaration (declaration declarator: (function_declarator declarator: [(identifier) (destructor_name)] @name)) @def.method))
  raw     (declaration_list (declaration declarator: (init_declarator declarator: (_) @name value: (_) @value)) @def.variable)
  section field_declaration_list>access_specifier
  value   optional_parameter_declaration.default_value
  skip    field_initializer_list
  cut     <.*?>
  ref     call_expression.function>qualified_identifier.name>identifier call_expression.function>template_function.name>identifier
  ref     call_expression.function>qualified_identifier.name>template_function.name>identifier
  ref     call_expression.function>qualified_identifier.name>qualified_identifier.name>identifier
  text    class ^class\s+(\w+)[^;]*$
  text    struct ^struct\s+(\w+)[^;()]*$
  text    enum ^enum\s+(?:class\s+|struct\s+)?(\w+)

csharp: cs csx
  public  \b(public|protected)\b
  open    interface
  def     class_declaration=class struct_declaration=struct interface_declaration=interface enum_declaration=enum record_declaration=class
  def     method_declaration=method constructor_declaration=method property_declaration=property delegate_declaration=type
  raw     (field_declaration (modifier) @_c (variable_declaration (variable_declarator name: (_) @name)) (#eq? @_c "const")) @def.constant
  body    accessor_list arrow_expression_clause
  value   parameter>= variable_declarator>=
  skip    attribute_list constructor_initializer
  ref     invocation_expression.function>identifier invocation_expression.function>member_access_expression.name>identifier
  ref     invocation_expression.function>conditional_access_expression>member_binding_expression.name>identifier
  ref     generic_name>identifier base_list>identifier type_argument_list>identifier attribute.name>identifier
  ref     nullable_type>identifier array_type>identifier
  ref     parameter.type>identifier variable_declaration.type>identifier property_declaration.type>identifier method_declaration.returns>identifier
  ref     object_creation_expression.type>identifier cast_expression.type>identifier typeof_expression.type>identifier catch_declaration.type>identifier
  ref     declaration_pattern.type>identifier type_parameter_constraint.type>identifier delegate_declaration.type>identifier indexer_declaration.type>identifier
  ref     local_function_statement.type>identifier foreach_statement.type>identifier constant_pattern>identifier is_expression.right>identifier as_expression.right>identifier
  Ref     member_access_expression.expression>identifier
  drop    nameof var
  package namespace_declaration.name file_scoped_namespace_declaration.name
  use     using_directive
  edit    ^(?:global )?using (?:static |unsafe )*(?:\w+ ?= ?)?([^<]*).*;$ => \1
  edit    global:: =>
  text    class ^\s*(?:(?:public|internal|abstract|sealed|static|partial)\s+)*(?:class|record)\s+(\w+)
  text    interface ^\s*(?:(?:public|internal|partial)\s+)*interface\s+(\w+)
  text    struct ^\s*(?:(?:public|internal|readonly|ref|partial)\s+)*struct\s+(\w+)
  text    enum ^\s*(?:(?:public|internal)\s+)*enum\s+(\w+)

ruby: rb rake gemspec ru
  run     ruby jruby
  names   Rakefile Gemfile Guardfile Vagrantfile Fastfile Podfile
  comment #
  public  ^(?!private|protected)
  def     class=class module=module method=method singleton_method=method
  raw     (singleton_class value: (_) @name) @def.part
  raw     (assignment left: (constant) @name right: (_) @value) @def.constant
  raw     (assignment left: (constant) @name right: (call receiver: (constant) @_c method: (identifier) @_m block: (_)? @body) (#match? @_c "^(Struct|Class|Data|Module)$") (#match? @_m "^(new|define)$")) @def.class
  raw     (call method: (identifier) @_a arguments: (argument_list (simple_symbol) @name) (#match? @_a "^attr_(reader|writer|accessor)$")) @def.property
  raw     (call arguments: (argument_list [(method) (singleton_method)])) @wrap
  raw     (body_statement (identifier) @section (#match? @section "^(private|public|protected|module_function)$"))
  cut     ^self$
  value   optional_parameter.value keyword_parameter.value
  ref     constant call.method>identifier
  drop    require require_relative autoload load attr_reader attr_writer attr_accessor private public include extend lambda proc raise puts new
  raw     ((call !receiver method: (identifier) @_r arguments: (argument_list (string))) @use (#match? @_r "^(require|require_relative|load|autoload)$"))
  edit    [()] =>
  edit    ^require_relative\s*["'](?=\.\./) =>
  edit    ^require_relative\s*["'] => ./
  edit    ^(require|load|autoload)\b\s*(:\w+,)?\s* =>
  text    class ^\s*class\s+([A-Z][\w:]*)
  text    module ^\s*module\s+([A-Z][\w:]*)
  text    function ^def\s+([\w.?!=]+)

php: php phtml inc
  run     php
  comment // /* #
  public  ^(?!.*\b(private|protected)\b)
  def     class_declaration=class interface_declaration=interface trait_declaration=trait enum_declaration=enum
  def     function_definition=function method_declaration=method
  raw     (const_declaration (const_element . (name) @name (_) @value)) @def.constant
  raw     (function_call_expression function: (name) @_d arguments: (arguments . (argument (string (string_content) @name)) . (argument) @value) (#eq? @_d "define")) @def.constant
  hide    anonymous_function arrow_function anonymous_class
  value   simple_parameter.default_value property_promotion_parameter.default_value
  skip    attribute_list
  ref     function_call_expression.function>name function_call_expression.function>qualified_name>name
  ref     member_call_expression.name>name nullsafe_member_call_expression.name>name scoped_call_expression.name>name
  ref     scoped_call_expression.scope>name scoped_call_expression.scope>qualified_name>name object_creation_expression>name object_creation_expression>qualified_name>name
  ref     base_clause>name base_clause>qualified_name>name class_interface_clause>name class_interface_clause>qualified_name>name
  ref     named_type>name named_type>qualified_name>name use_declaration>name use_declaration>qualified_name>name
  ref     attribute>name attribute>qualified_name>name namespace_use_clause>name namespace_use_clause>qualified_name>name
  raw     (class_constant_access_expression . (name) @ref)
  raw     (class_constant_access_expression . (qualified_name (name) @ref))
  drop    self static parent define function_exists __construct
  package namespace_definition.name
  use     namespace_use_declaration require_expression require_once_expression include_expression include_once_expression
  edit    ^use\s+(?:function\s+|const\s+)?(.*);$ => \1
  edit    ^(require|include)(_once)?\b =>
  edit    [()] =>
  edit    ^\s*__DIR__\s*\.\s*["']/? => ./
  text    class ^(?:(?:abstract|final|readonly)\s+)*class\s+(\w+)
  text    interface ^interface\s+(\w+)
  text    trait ^trait\s+(\w+)
  text    enum ^enum\s+(\w+)
  text    function ^\s*function\s+&?(\w+)

kotlin: kt kts
  public  ^(?!.*\b(private|internal)\b)
  raw     (class_declaration (type_identifier) @name) @def.class
  raw     (class_declaration "interface" (type_identifier) @name) @def.interface
  raw     (class_declaration "enum" (type_identifier) @name) @def.enum
  def     object_declaration>type_identifier=object
  raw     (type_alias . (type_identifier) @name) @def.type
  def     function_declaration>simple_identifier=function property_declaration>variable_declaration>simple_identifier=property
  raw     (function_declaration receiver: (_) @owner (simple_identifier) @name) @def.function
  raw     (property_declaration receiver: (_) @owner (variable_declaration (simple_identifier) @name)) @def.property
  raw     (property_declaration (modifiers (property_modifier) @_c) (variable_declaration (simple_identifier) @name) (#eq? @_c "const")) @def.constant
  raw     (secondary_constructor "constructor" @name) @def.method
  body    class_body enum_class_body function_body getter setter property_delegate {
  hide    object_literal lambda_literal anonymous_initializer getter setter
  value   function_value_parameters>= class_parameter>= property_declaration>= constructor_invocation>value_arguments>value_argument
  skip    annotation constructor_delegation_call
  cut     <.*|\?
  ref     type_identifier call_expression>simple_identifier call_expression>navigation_expression>navigation_suffix>simple_identifier
  raw     (import_header (identifier (simple_identifier) @ref .) .)
  raw     (import_header (identifier (simple_identifier) @ref .) . (import_alias))
  Ref     navigation_expression>simple_identifier
  package package_header>identifier
  use     import_header
  edit    ^import\s+ =>
  text    class ^(?:(?:public|internal|private|abstract|open|data|sealed|inner|value|annotation)\s+)*class\s+(\w+)
  text    interface ^(?:(?:public|internal|sealed|fun)\s+)*interface\s+(\w+)
  text    object ^(?:(?:public|internal|private|data)\s+)*object\s+(\w+)
  text    function ^(?:(?:public|internal|private|inline|suspend|operator)\s+)*fun\s+(?:<[^>]*>\s*)?(?:[\w<>?]+\.)?(\w+)

swift: swift
  public  \b(public|open)\b(?!\()
  open    protocol
  def     protocol_declaration=protocol protocol_function_declaration.name>simple_identifier=method typealias_declaration.name>type_identifier=type
  raw     (class_declaration name: (type_identifier) @name) @def.class
  raw     (class_declaration "struct" name: (type_identifier) @name) @def.struct
  raw     (class_declaration "enum" name: (type_identifier) @name) @def.enum
  raw     (class_declaration "extension" name: (_) @name) @def.part
  raw     (function_declaration "func" . _ @name) @def.function
  raw     (init_declaration "init" @name) @def.method
  def     property_declaration.name>pattern.bound_identifier=property protocol_property_declaration.name>pattern.bound_identifier=property
  body    computed_property willset_didset_block protocol_property_requirements
  hide    lambda_literal computed_property willset_didset_block deinit_declaration subscript_declaration
  raw     (function_declaration default_value: _ @value)
  raw     (init_declaration default_value: _ @value)
  value   property_declaration.value
  skip    attribute
  cut     <.*
  ref     type_identifier call_expression>simple_identifier call_expression>navigation_expression.suffix>navigation_suffix.suffix>simple_identifier
  Ref     navigation_expression.target>simple_identifier
  drop    available discardableResult objc escaping testable init self
  use     import_declaration>identifier
  edit    \..* =>
  text    class ^(?:(?:public|open|final|internal|private)\s+)*(?:class|actor)\s+(\w+)
  text    struct ^(?:(?:public|internal|private)\s+)*struct\s+(\w+)
  text    enum ^(?:(?:public|internal|private|indirect)\s+)*enum\s+(\w+)
  text    protocol ^(?:(?:public|internal|private)\s+)*protocol\s+(\w+)
  text    function ^(?:(?:public|internal|private|static)\s+)*func\s+(\w+)

scala: scala sc sbt
  public  ^(?!.*\b(private|protected)\b)
  def     class_definition=class object_definition=object trait_definition=trait enum_definition=enum type_definition=type
  def     function_definition=function function_declaration=function val_definition.pattern>identifier=property
  hide    instance_expression>template_body lambda_expression
  value   val_definition.value class_parameter.default_value parameter.default_value extends_clause.arguments>arguments>_
  skip    annotation
  ref     type_identifier call_expression.function>identifier call_expression.function>field_expression.field>identifier
  ref     call_expression.function>generic_function.function>identifier namespace_selectors>identifier
  package package_clause.name
  use     import_declaration
  edit    ^import\s+ =>
  edit    \s*=.\s*\w+ =>
  edit    \._$ => .*
  text    class ^(?:(?:sealed|abstract|final|case)\s+)*class\s+(\w+)
  text    object ^(?:case\s+)?object\s+(\w+)
  text    trait ^(?:sealed\s+)?trait\s+(\w+)
  text    enum ^enum\s+(\w+)

dart: dart
  public  (^|[\s.])[^\W_]\w*$
  lead    constant=const
  def     class_definition=class enum_declaration=enum mixin_declaration>identifier=class
  raw     (type_alias . (type_identifier) @name) @def.type
  raw     (extension_declaration class: (_) @name) @def.part
  def     program|ERROR/static_final_declaration_list/static_final_declaration>identifier=constant
  def     program/function_signature=function method_signature>function_signature.name=method declaration>function_signature.name=method
  def     method_signature>getter_signature.name=method declaration>constructor_signature.name>identifier=method
  raw     ((program (function_signature name: (_) @name) @def.function . (function_body) @end))
  raw     ((method_signature (function_signature name: (_) @name)) @def.method . (function_body) @end)
  raw     ((method_signature (getter_signature name: (_) @name)) @def.method . (function_body) @end)
  hide    function_body
  body    class_body
  value   optional_formal_parameters>= static_final_declaration>=
  skip    annotation redirection initializers
  ref     type_identifier annotation.name>identifier combinator>identifier
  raw     ((identifier) @ref . (selector (argument_part)))
  raw     ((selector (unconditional_assignable_selector (identifier) @ref)) . (selector (argument_part)))
  drop    int String bool double void dynamic num List Map override
  use     uri
  text    class ^(?:abstract\s+|final\s+|base\s+|sealed\s+)*class\s+(\w+)
  text    enum ^enum\s+(\w+)
  text    class ^mixin\s+(\w+)

lua: lua
  comment --
  public  ^(?!local\b)
  raw     (function_declaration name: (identifier) @name) @def.function
  raw     (function_declaration name: (dot_index_expression table: (_) @owner field: (_) @name)) @def.function
  raw     (function_declaration name: (method_index_expression table: (_) @owner method: (_) @name)) @def.method
  raw     (chunk (assignment_statement (variable_list name: (identifier) @name) (expression_list value: (_) @value)) @def.constant)
  raw     (chunk (variable_declaration (assignment_statement (variable_list name: (identifier) @name) (expression_list value: (_) @value))) @def.constant)
  raw     (assignment_statement (variable_list name: (identifier) @name) (expression_list value: (table_constructor))) @def.scope
  raw     (assignment_statement (variable_list name: (identifier) @name) (expression_list value: (function_definition body: (_)? @body))) @def.function
  raw     (assignment_statement (variable_list name: (dot_index_expression table: (_) @owner field: (_) @name)) (expression_list value: (function_definition body: (_)? @body))) @def.function
  raw     (field name: (identifier) @name value: (function_definition body: (_)? @body)) @def.method
  hide    function_definition
  ref     function_call.name>identifier function_call.name>dot_index_expression.field>identifier function_call.name>method_index_expression.method>identifier
  drop    require pairs ipairs print type tostring tonumber setmetatable getmetatable pcall error assert select unpack
  raw     (function_call name: (identifier) @_r arguments: (arguments . (string) @use) (#eq? @_r "require"))
  text    function ^(?:local\s+)?function\s+(?:[\w.]+[.:])?(\w+)

bash: sh bash zsh ksh
  run     sh bash dash zsh ksh
  comment #
  def     function_definition=function program/declaration_command>variable_assignment.name=constant
  value   variable_assignment.value
  ref     command_name>word
  drop    echo exit cd set local return source export test printf read shift true false rm mkdir cp mv cat grep sed awk head tail
  raw     ((command name: (command_name) @_s . argument: [(word) (string) (raw_string)] @use) (#match? @_s "^(source|\\.)$"))
  text    function ^(?:function\s+)?([\w-]+)\s*\(\)

elixir: ex exs
  run     elixir
  comment #
  public  ^(?!def(macro)?p\b)
  raw     (call target: (identifier) @_m (arguments . (alias) @name) (do_block) @body (#match? @_m "^def(module|protocol)$")) @def.module
  raw     (call target: (identifier) @_m (arguments . (identifier) @name) (#match? @_m "^def(|p|macro|macrop|delegate|guard)$")) @def.function
  raw     (call target: (identifier) @_m (arguments . (call target: (identifier) @name)) (#match? @_m "^def(|p|macro|macrop|delegate|guard)$")) @def.function
  raw     (call target: (identifier) @_m (arguments . (binary_operator left: (call target: (identifier) @name))) (#match? @_m "^def(|p|macro|macrop|delegate|guard)$")) @def.function
  raw     (call target: (identifier) @_m (arguments (_) (keywords) @skip) (#match? @_m "^def(|p|macro|macrop|delegate)$"))
  raw     (binary_operator operator: "\\\\" right: (_) @value)
  body    do_block
  ref     alias call.target>identifier call.target>dot.right>identifier
  drop    def defp defmodule defmacro defmacrop defprotocol defstruct defdelegate defguard defimpl use import alias require doc moduledoc spec type quote unquote if case cond raise
  raw     (call target: (identifier) @_u (arguments . [(alias) (dot)] @use) (#match? @_u "^(use|import|alias|require)$"))
  text    module ^defmodule\s+([\w.]+)

haskell: hs
  comment -- {-
  def     data_type=type newtype=type type_synomym=type class=class declarations/signature=function class_declarations/signature=method
  only    export.variable export.type
  body    class_declarations data_constructors
  value   newtype.constructor
  ref     name apply.function>variable import_name.variable>variable
  package header.module
  use     import.module
  text    type ^(?:data|newtype|type)\s+([A-Z]\w*)
  text    class ^class\s+(?:.*=>\s*)?([A-Z]\w*)
"""  # noqa: E501


class Language(NamedTuple):
    """One stanza of the table, compiled; only TAGS reads more than the first four fields."""

    name: str
    suffixes: tuple[str, ...]  # without the dot: "py"
    names: tuple[str, ...]  # whole file names: "Rakefile"
    runs: tuple[str, ...]  # interpreters after "#!", without version
    grammar: str  # its name in the language pack
    query: str  # patterns in the order of the table, one a line
    comments: tuple[str, ...]
    docstring: bool
    public: str
    member: str
    closed: frozenset[str]
    opens: frozenset[str]
    flat: frozenset[str]
    bodies: frozenset[str]
    leads: dict[str, str]
    cut: str
    drops: tuple[str, ...]
    keywords: frozenset[str]
    edits: tuple[tuple[str, str], ...]
    turn: tuple[str, str, str] | None  # suffix, other language, what its content looks like
    texts: tuple[tuple[str, str], ...]  # label, regex


def find_language(path: str, first_line: str = "") -> Language | None:
    """The language of a file, by name, suffix, or the interpreter in its first line."""
    suffixes, names, runs = _language_keys()
    name = path.rsplit("/", 1)[-1]
    found = names.get(name) or suffixes.get(name.rpartition(".")[2].lower() if "." in name else "")
    if not found and first_line.startswith("#!"):
        words = first_line[2:].replace("/usr/bin/env", "").replace("-S ", "").split()
        found = runs.get(words[0].rsplit("/", 1)[-1].rstrip("0123456789.")) if words else None
    return get_language(found) if found else None


@functools.cache
def get_language(name: str) -> Language:
    """The language of that name, compiled at its first use."""
    suffixes, rows = _split_table(LANGUAGE_TABLE)[name]
    return _build_language(name, suffixes, rows)


def parse_language_table(text: str) -> dict[str, Language]:
    """Every language of a table, by name."""
    stanzas = _split_table(text)
    return {name: _build_language(name, *stanzas[name]) for name in stanzas}


@functools.cache
def _language_keys() -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """Languages by suffix, by file name, and by interpreter."""
    stanzas = _split_table(LANGUAGE_TABLE).items()
    suffixes = {suffix: name for name, (found, _) in stanzas for suffix in found}
    keys: dict[str, dict[str, str]] = {"names": {}, "run": {}}
    for name, (_, rows) in stanzas:
        for verb, rest in rows:
            if verb in keys:
                keys[verb].update(dict.fromkeys(rest.split(), name))
    return suffixes, keys["names"], keys["run"]


@functools.cache
def _split_table(text: str) -> dict[str, tuple[tuple[str, ...], list[tuple[str, str]]]]:
    """Suffixes and rows of each stanza; a `like` row stands for the rows it names."""
    stanzas: dict[str, tuple[tuple[str, ...], list[tuple[str, str]]]] = {}
    rows: list[tuple[str, str]] = []
    for line in text.splitlines():
        verb, _, rest = line.strip().partition(" ")
        if line and not line[0].isspace():
            name, _, suffixes = line.partition(":")
            rows = []
            stanzas[name] = (tuple(suffixes.split()), rows)
        elif verb == "like":
            if rest.strip() not in stanzas:
                raise CtxError(f"language table: like {rest.strip()}: no such language above it")
            rows.extend(stanzas[rest.strip()][1])
        elif verb:
            rows.append((verb, rest.strip()))
    return stanzas


def _build_language(
    name: str, suffixes: tuple[str, ...], rows: Sequence[tuple[str, str]]
) -> Language:
    patterns: list[str] = []
    for verb, rest in rows:
        if verb == "raw":
            patterns.append(rest)
        elif verb in _PATTERN_VERBS:
            patterns.extend(_compile_path(verb, word) for word in rest.split())

    def every(verb: str) -> list[str]:
        return [rest for row, rest in rows if row == verb]

    def words(verb: str) -> list[str]:
        return " ".join(every(verb)).split()

    def last(verb: str, default: str) -> str:
        return ([default] + every(verb))[-1]

    turn = last("turn", "").split(" ", 2)
    edits = [edit.partition("=>") for edit in every("edit")]
    return Language(
        name=name,
        suffixes=suffixes,
        names=tuple(words("names")),
        runs=tuple(words("run")),
        grammar=last("grammar", name),
        query="\n".join(patterns),
        comments=tuple(last("comment", "// /*").split()),
        docstring=bool(every("docstring")),
        public=last("public", ""),
        member=last("member", last("public", "")),
        closed=frozenset(words("closed")),
        opens=frozenset(words("open")),
        flat=frozenset(words("flat")),
        bodies=frozenset(words("body")),
        leads=dict(word.split("=") for word in words("lead")),
        cut="|".join(every("cut")) or r"\A\Z",
        drops=tuple(words("drop")),
        keywords=frozenset(words("keyword")),
        edits=tuple((old.strip(), new.strip()) for old, _, new in edits),
        turn=(turn[0], turn[1], turn[2]) if len(turn) == 3 else None,
        texts=tuple((row.partition(" ")[0], row.partition(" ")[2]) for row in every("text")),
    )


_PATTERN_VERBS = frozenset(
    ("def", "Def", "ref", "Ref", "use", "package", "export", "only")
    + ("value", "skip", "wrap", "hide", "show", "section")
)


def _compile_path(verb: str, word: str) -> str:
    """The tree-sitter pattern of one word of the table."""
    capital, verb = verb[0].isupper(), verb.lower()
    *context, path = word.split("/")
    path, _, label = path.rpartition("=") if verb == "def" else (path, "", "")
    steps = path.split(">")
    if verb == "def" and len(steps) == 1 and "." not in path:
        steps = [path + ".name"]
    if "." in steps[-1]:
        steps.append("_")
    capture = "name" if verb == "def" else verb
    nodes = " ".join(f"({node})" for node in steps[-1].split("|"))
    text = f'"=" . (_) @{capture}' if steps[-1] == "=" else f"[{nodes}] @{capture}"
    for step in reversed(steps[:-1]):
        node, _, field = step.partition(".")
        text = f"({node} {field}: {text})" if field else f"({node} {text})"
    text += f" @def.{label}" if label else ""
    for around in reversed(context):
        text = "[" + " ".join(f"({node} {text})" for node in around.split("|")) + "]"
    return f'({text} (#match? @{capture} "^[A-Z]"))' if capital else text


# ---- 4 TEMPLATES (pure) ----------------------------------------------------
# The texts that ctx.py writes, copied from templates/ by tests/embed.py. Uses: TYPES.


# ---- 5 TAGS (pure) ---------------------------------------------------------
# Bytes of one file in, its tags out. Uses: TYPES LANGUAGES.

MAX_SIGNATURE = 160  # characters; a longer one pushes other definitions out of a map
MAX_DOC = 140

_CALLABLE = frozenset({"function", "method", "macro"})  # nothing inside is visible from outside
_MINOR = frozenset({"constant", "variable", "property"})  # kept only where others can see them
_OWNERS = frozenset(
    {"class", "struct", "enum", "union", "interface", "trait", "protocol", "annotation"}
    | {"module", "object", "scope", "part"}
)
_LISTED = ("use", "package", "export", "only", "value", "skip")
_VALUE = "…".encode()


class _Place(NamedTuple):
    """A definition, or what wraps, hides or divides definitions."""

    start: int
    inverse_end: int  # negative: of two with one start the longer sorts first
    order: int  # of its pattern in the table
    role: str  # "def", "wrap", "hide", "show" or "section"
    label: str  # of a definition
    node: Any
    captures: Mapping[str, Sequence[Any]]


class _Frame(NamedTuple):
    """What encloses a place."""

    end: int
    kind: str
    name: str
    owner: str  # its own
    inner: str  # the owner of what stands directly inside
    hidden: bool = False
    exported: bool = True
    visible: bool = True  # False after `private`
    reveals: bool = False  # members are exported without saying so
    wrapped: int = -1  # start of the wrap around the next definition


class _Tools(NamedTuple):
    """What parses one language."""

    parser: Any
    query: Any
    cursor: Any
    shapes: list[tuple[str, str, str] | None]  # by pattern: capture, role, label


class _File(NamedTuple):
    """One file while its definitions are read."""

    source: bytes
    language: Language
    public: re.Pattern[str]
    member: re.Pattern[str]
    cut: re.Pattern[str]
    values: list[tuple[int, int, bytes]]  # start, end, what a signature shows instead; sorted
    skips: dict[int, int]  # attributes: start -> end
    jumps: dict[int, int]  # attributes: end -> start
    exports: set[str]
    only: set[str]


def tag_source(path: str, source: bytes, language: Language) -> FileTags | None:
    """What one file defines, mentions and imports; None if there is no grammar for it."""
    language = _spoken_language(path, source, language)
    tools = _load_grammar(language.grammar, language.query)
    if tools is None:
        return None
    tree = tools.parser.parse(source)
    references: list[Any] = []
    places: list[_Place] = []
    nodes: dict[str, list[Any]] = {role: [] for role in _LISTED}
    for order, captures in tools.cursor(tools.query).matches(tree.root_node):
        if "ref" in captures:  # first, because four of five matches are references
            references += captures["ref"]
        elif shape := tools.shapes[order]:
            capture, role, label = shape
            node = captures[capture][0]
            places.append(
                _Place(node.start_byte, -node.end_byte, order, role, label, node, captures)
            )
        else:
            for role in captures.keys() & nodes.keys():
                nodes[role] += captures[role]
    places = _choose_places(places)
    nodes["value"] += [node for place in places for node in place.captures.get("value", ())]
    definitions, docs, own = _find_definitions(_build_file(source, language, nodes), places)
    return FileTags(
        tuple(sorted(set(definitions))),
        _count_references(source, language, references, own),
        _find_imports(source, language, nodes["use"], nodes["package"]),
        _find_file_doc(source, language, docs),
        _find_mark(source),
    )


def _spoken_language(path: str, source: bytes, language: Language) -> Language:
    """The language that the content speaks, where two share a suffix."""
    if language.turn is None or not path.endswith("." + language.turn[0]):
        return language
    is_other = re.search(language.turn[2].encode(), source[:65536], re.MULTILINE)
    return get_language(language.turn[1]) if is_other else language


@functools.cache
def _load_grammar(grammar: str, query: str) -> _Tools | None:
    """What parses one language; None where a package or the grammar is missing."""
    try:
        import tree_sitter
        import tree_sitter_language_pack

        language = tree_sitter_language_pack.get_language(grammar)  # type: ignore[arg-type]
    except (ImportError, LookupError):
        return None
    return _Tools(
        tree_sitter.Parser(language),
        tree_sitter.Query(language, query),
        tree_sitter.QueryCursor,
        [_find_shape(pattern) for pattern in query.splitlines()],
    )


def _find_shape(pattern: str) -> tuple[str, str, str] | None:
    """Capture, role and label of a pattern that shapes a file: "def.class", "def", "class"."""
    found = re.search(r"@((def|wrap|hide|show|section)(?:\.(\w+))?)\b", pattern)
    return (found[1], found[2], found[3] or "") if found else None


@functools.cache
def _regex(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """A pattern, compiled at its first use: most runs need few of them."""
    return re.compile(pattern, flags)


def _build_file(source: bytes, language: Language, nodes: Mapping[str, Sequence[Any]]) -> _File:
    skips = {node.start_byte: node.end_byte for node in nodes["skip"]}
    values = [(node.start_byte, node.end_byte, _VALUE) for node in nodes["value"]]
    listed = b" ".join(source[node.start_byte : node.end_byte] for node in nodes["only"])
    return _File(
        source,
        language,
        _regex(language.public),
        _regex(language.member),
        _regex(language.cut),
        sorted(values + [(start, end, b"") for start, end in skips.items()]),
        skips,
        {end: start for start, end in skips.items()},
        {_text(source, node) for node in nodes["export"]},
        {name.decode() for name in re.findall(rb"\w[\w']*\b", listed)},
    )


def _text(source: bytes, node: Any) -> str:
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _choose_places(places: list[_Place]) -> list[_Place]:
    """Places in the order of the file; where two rows found one definition, the later row's."""
    places.sort(key=operator.itemgetter(0, 1, 2))
    chosen: dict[tuple[int, int, int, str], _Place] = {}
    for place in places:
        name = place.captures.get("name")
        role = "hide" if place.role == "show" else place.role
        key = (place.start, place.inverse_end, name[0].start_byte if name else -1, role)
        chosen[key] = place
    return list(chosen.values())


def _find_definitions(
    file: _File, places: Sequence[_Place]
) -> tuple[list[Definition], set[int], set[int]]:
    """Definitions, the starts of their doc comments, and the ends of their names."""
    definitions: list[Definition] = []
    docs: set[int] = set()
    own: set[int] = set()
    stack = [_Frame(len(file.source) + 1, "", "", "", "")]
    for place in places:
        while stack[-1].end <= place.start:
            stack.pop()
        top, end = stack[-1], -place.inverse_end
        if place.role == "wrap":
            wrapped = top.wrapped if top.wrapped >= 0 else place.start
            stack.append(top._replace(end=end, wrapped=wrapped))
        elif place.role == "hide":
            stack.append(top._replace(end=end, hidden=True))
        elif place.role == "show":
            stack.append(top._replace(end=end, wrapped=-1))
        elif place.role == "section":
            stack[-1] = top._replace(visible=b"private" not in file.source[place.start : end])
        else:
            name_node = _find_name(place)
            own.add(name_node.end_byte)
            if top.hidden and place.label in file.language.flat:
                top = stack[0] if not place.node.start_point.column else top
            if top.hidden or place.label == "none":
                continue
            frame = _build_frame(file, place, name_node, top)
            if frame.kind not in _MINOR:
                stack.append(frame)
            if _is_kept(file, frame, top):
                definition, doc_start = _build_definition(file, place, frame, top)
                definitions.append(definition)
                docs.add(doc_start)
    return definitions, docs, own


def _find_name(place: _Place) -> Any:
    """The node that holds the name: inside C declarators, as deep as they nest."""
    node = place.captures["name"][0]
    while node.type.endswith("declarator"):
        inner = node.child_by_field_name("declarator") or next(iter(node.named_children), None)
        if inner is None:
            break
        node = inner
    return node


def _build_frame(file: _File, place: _Place, name_node: Any, top: _Frame) -> _Frame:
    """What a definition is, and what it means for those inside it."""
    kind = place.label
    owner, name = _full_name(file, place, name_node, top)
    start = _skip_attributes(file, place.start if top.wrapped < 0 else top.wrapped)
    head = file.source[start : name_node.end_byte].decode("utf-8", "replace").replace("\n", " ")
    is_member = top.kind in _OWNERS
    is_public = bool((file.member if is_member else file.public).search(head))
    if not owner and file.only:
        is_public = name in file.only
    elif not is_member:
        is_public = is_public or (owner or name).partition(".")[0] in file.exports
    if kind == "function" and owner and (top.kind != "module" or owner != top.inner):
        kind = "method"
    elif kind == "method" and not owner:
        kind = "function"
    return _Frame(
        -place.inverse_end,
        kind,
        name,
        owner,
        f"{owner}.{name}".strip(".") if kind in _OWNERS else owner,
        hidden=kind in _CALLABLE,
        exported=kind == "part" or (top.exported and top.visible and (top.reveals or is_public)),
        visible=kind not in file.language.closed,
        reveals=kind in file.language.opens or (is_public and kind in ("scope", "part")),
    )


def _is_kept(file: _File, frame: _Frame, top: _Frame) -> bool:
    """Whether a definition is worth telling."""
    name = frame.name.strip("_")
    if frame.kind in ("scope", "part") or not name or name in file.language.keywords:
        return False
    if frame.kind in _MINOR:
        return frame.exported or (not frame.owner and frame.name.isupper())
    # typedef struct x { ... } x: one name, told once
    return frame.kind in _CALLABLE or top.name != frame.name or top.kind not in ("type", frame.kind)


def _build_definition(
    file: _File, place: _Place, frame: _Frame, top: _Frame
) -> tuple[Definition, int]:
    """The definition of a frame, and where its doc comment begins."""
    start = _skip_attributes(file, place.start)
    body = _find_body(file, place)
    if file.language.docstring:
        doc, doc_start = _find_docstring(file.source, body), -1
    else:
        doc, doc_start = _find_doc_above(file, place.start if top.wrapped < 0 else top.wrapped)
    end_point = place.captures.get("end", (place.node,))[0].end_point
    definition = Definition(
        place.node.start_point.row + 1 + file.source.count(b"\n", place.start, start),
        end_point.row + (1 if end_point.column else 0),
        frame.kind,
        frame.name,
        frame.owner,
        _build_signature(file, start, body, frame.kind),
        doc,
        frame.exported,
    )
    return definition, doc_start


def _skip_attributes(file: _File, start: int) -> int:
    """Where the text behind the attributes at this place begins."""
    while start in file.skips:
        start = file.skips[start]
        blank = file.source[start : start + 400]
        start += len(blank) - len(blank.lstrip())
    return start


def _full_name(file: _File, place: _Place, name_node: Any, top: _Frame) -> tuple[str, str]:
    """Owner and name; the owner is what encloses it, a receiver, or a prefix: `Foo::bar`."""
    name = _text(file.source, name_node).lstrip(":$")
    owner = top.inner
    if place.label in ("scope", "part"):
        return owner, file.cut.sub("", name)
    if "::" in name:
        prefix, _, name = name.rpartition("::")
        owner = f"{owner}.{file.cut.sub('', prefix).replace('::', '.')}".strip(".")
    if "owner" in place.captures:
        receiver = file.cut.sub("", _text(file.source, place.captures["owner"][0]))
        owner = f"{owner}.{receiver}".strip(".")
    return owner, name


def _find_body(file: _File, place: _Place) -> int:
    """Where the signature ends: at the body, or with the node."""
    if place.captures.get("body"):
        return int(place.captures["body"][0].start_byte)
    body = place.node.child_by_field_name("body")
    if body is None and file.language.bodies:
        children = place.node.children
        body = next((child for child in children if child.type in file.language.bodies), None)
    return body.start_byte if body is not None else -place.inverse_end


def _build_signature(file: _File, start: int, stop: int, kind: str) -> str:
    """One line from the first keyword to the body, without comments, attributes and values."""
    pieces = []
    index = bisect.bisect_left(file.values, (start,))
    for cut_start, cut_end, shown in itertools.islice(file.values, index, None):
        if cut_start >= stop:
            break
        if cut_start >= start:
            pieces += [file.source[start:cut_start], shown]
            start = cut_end
    pieces.append(file.source[start:stop])
    text = b"".join(pieces).decode("utf-8", "replace").rstrip()
    text = _regex(r"[;\n]\s*end$").sub("", text) if text.endswith("end") else text
    has_comment = any(comment in text for comment in file.language.comments)
    if has_comment or "\n" in text or len(pieces) > 1:
        text = " ".join(_comment_pattern(file.language.comments).sub(" ", text).split())
        text = _regex(r"(?<=[(\[]) +| *,? +(?=[)\]])").sub("", text)
    lead = file.language.leads.get(kind, "")
    text = f"{lead} {text}".strip(" ;{:,\\\t").removesuffix(" =")
    return _shorten(text, MAX_SIGNATURE)


def _shorten(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    return text[: limit - 1].rstrip(" ,") + "…"


@functools.cache
def _comment_pattern(comments: tuple[str, ...]) -> re.Pattern[str]:
    forms = {"/*": r"/\*.*?\*/", "{-": r"\{-.*?-\}"}
    return re.compile("|".join(forms.get(c) or re.escape(c) + r"[^\n]*" for c in comments), re.S)


def _find_docstring(source: bytes, start: int) -> str:
    """First sentence of the string literal that stands at this place."""
    if not source.startswith(_QUOTES, start):
        return ""
    found = re.compile(rb"""[rRuU]?("{3}|'{3}|"|')(.*?)\1""", re.S).match(source, start)
    return _first_sentence(found.group(2).decode("utf-8", "replace")) if found else ""


_QUOTES = (b'"', b"'", b"r", b"R", b"u", b"U")


def _find_doc_above(file: _File, start: int) -> tuple[str, int]:
    """First sentence of the comment directly above this place, and where that begins."""
    source, stop = file.source, start
    while True:  # past attributes, which may stand between a doc and its definition
        blank = source[max(0, stop - 400) : stop]
        stop -= len(blank) - len(blank.rstrip())
        if stop not in file.jumps:
            break
        start = stop = file.jumps[stop]
    gap = source.count(b"\n", stop, start)
    begin = _comment_start(source, stop, file.language.comments)
    is_doc_block = source.startswith(b"/**", begin) if begin >= 0 else False
    if begin < 0 or gap > 1 + is_doc_block:
        return "", -1
    return _clean_comment(source[begin:stop]), begin


def _comment_start(source: bytes, stop: int, comments: Sequence[str]) -> int:
    """Where the comment that ends at `stop` begins; -1 if none does, or code stands before it."""
    if "/*" in comments and source.endswith(b"*/", 0, stop):
        begin = source.rfind(b"/*", 0, stop)
        line = source.rfind(b"\n", 0, begin) + 1 if begin >= 0 else 0
        return begin if begin >= 0 and not source[line:begin].strip() else -1
    leaders = tuple(comment.encode() for comment in comments if comment != "/*")
    begin = -1
    while stop > 0:
        line = source.rfind(b"\n", 0, stop) + 1
        text = source[line:stop].lstrip()
        if not text.startswith(leaders) or text.startswith(_NO_COMMENT):
            break
        begin, stop = stop - len(text), line - 1
    return begin


_NO_COMMENT = (b"#[", b"#!", b"#pragma")
_NO_DOC = ("copyright", "license", "licence", "spdx-", "all rights reserved", "file is part of")
_NO_DOC_EITHER = ("do not edit", "@generated", "auto-generated", "automatically generated")
_LEADER = r"[ \t]*(?:/\*+!?|\*+(?!/)|//+!?|#+|--+|\{-)?[ \t]?"
_DIRECTIVE = (  # lines for tools, and lines that only draw
    r"(?i)\W*(?:eslint|prettier|jshint|jslint|istanbul|biome|globals? |noinspection|nolint|noqa"
    r"|pylint|flake8|type: ignore|rubocop|frozen_string_literal|encoding:|go:|\+build|@ts-|@flow"
    r"|@format|@jsx|@preserve|-\*-|vim?:|region\b|endregion|pragma|mark:|use strict|sourcemapping"
    r"|swiftlint|ktlint|clang-format|cspell|module dependencies|todo\b|fixme\b|[-=*#/~]{3,})"
)
_FILE_TAG = r"\s*[@\\](?:fileoverview|file|overview|brief|module|desc\w*)\b[ \t]*"
_OTHER_TAG = r"\s*(?:[@\\][a-zA-Z_]|:\w+|- (?:Parameter|Returns|Throws))"
_MARKUP = (
    r"</?(?:p|b|i|em|tt|code|pre|strong|a|br|ul|ol|li|summary|remarks|para|c|span|h\d)\b[^>]*>"
)


def _clean_comment(comment: bytes) -> str:
    """First sentence of a comment; "" for licences and directives to tools."""
    text = comment[:1000].decode("utf-8", "replace")
    lower = text.lower()
    if any(phrase in lower for phrase in _NO_DOC + _NO_DOC_EITHER):
        return ""
    lines: list[str] = []
    for line in text.splitlines():
        line = line[_regex(_LEADER).match(line).end() :].rstrip()  # type: ignore[union-attr]
        line = line.removesuffix("*/").removesuffix("-}").rstrip(" *")
        if tag := _regex(_FILE_TAG).match(line):
            line = line[tag.end() :]
        elif _regex(_OTHER_TAG).match(line) or (lines and not line):
            break
        if line and not _regex(_DIRECTIVE).match(line):
            lines.append(line)
    return _first_sentence("\n".join(lines))


def _first_sentence(text: str) -> str:
    """The first sentence of the first paragraph, on one line."""
    text = text.strip()
    if "{@" in text:
        text = _regex(r"\{@\w+\s+(?:[^\s}]+\s+)?([^}]*)\}").sub(r"\1", text)
    if "<" in text:
        text = _regex(r"<see(?:also)?\s+\w+=\"([^\"]*)\"\s*/>").sub(r"\1", text)
        text = _regex(_MARKUP).sub("", text).strip()
    paragraph = _regex(r"\n\s*(?:[=~^#*+-]{3,}\s*)?\n|\n\s*[=~^#*+-]{3,}$").split(text, 1)[0]
    paragraph = " ".join(paragraph.split()).lstrip("=# |")
    found = _regex(r".+?(?<![ (][ei]\.[ge])[.!?](?=\s+[^\sa-z]|$)").match(paragraph)
    return _shorten(found.group() if found else paragraph, MAX_DOC)


def _find_file_doc(source: bytes, language: Language, docs: set[int]) -> str:
    """First sentence of the comment or docstring that opens the file and documents no name."""
    stop = min(len(source), 8192)
    place = 3 if source.startswith(b"\xef\xbb\xbf") else 0
    leaders = tuple(comment.encode() for comment in language.comments if comment != "/*")
    while place < stop:
        blank = re.compile(_PREAMBLE).match(source, place)
        place = blank.end() if blank else place
        if language.docstring and source.startswith(_QUOTES, place):
            return _find_docstring(source, place)
        if source.startswith(b"/*", place) and "/*" in language.comments:
            end = source.find(b"*/", place) + 2
            if end < 2:
                return ""
        elif source.startswith(leaders, place):
            lines = rb"(?:[ \t]*(?:" + b"|".join(map(re.escape, leaders)) + rb")[^\n]*\n?)+"
            found = re.compile(lines).match(source, place)
            end = found.end() if found else stop
        else:
            return ""
        doc = _clean_comment(source[place:end])
        names_file = re.search(rb"@(fileoverview|file|module|overview)\b", source[place:end])
        if doc and not language.docstring and (place not in docs or names_file):
            return doc
        place = end
    return ""


_PREAMBLE = (
    rb"(?:\s+|#!(?!\[)[^\n]*|<\?php|[\"']use \w+[\"'];?|declare\([^)]*\);|#!?\[[^\n]*\]"
    rb"|#ifndef[^\n]*|#define \w+\s*\n|#pragma[^\n]*)+"
)


def _count_references(
    source: bytes, language: Language, references: Sequence[Any], own: set[int]
) -> dict[str, int]:
    """How often each name is mentioned; where it is defined does not count."""
    counts = collections.Counter(
        [source[node.start_byte : end] for node in references if (end := node.end_byte) not in own]
    )
    names = {name.decode("utf-8", "replace"): count for name, count in counts.items()}
    for name in language.drops:
        names.pop(name, None)
    return {name: names[name] for name in sorted(names) if len(name) > 1}


def _find_imports(
    source: bytes, language: Language, uses: Sequence[Any], packages: Sequence[Any]
) -> tuple[str, ...]:
    """Imports as the language writes them, one per name, in the order of the file."""
    found = {f"package {_text(source, node)}": None for node in packages}
    edits = [(_regex(old), new) for old, new in language.edits]
    for node in sorted(uses, key=lambda node: int(node.start_byte)):
        text = _text(source, node)
        if "\n" in text:
            text = " ".join(_comment_pattern(language.comments).sub(" ", text).split())
        for old, new in edits:
            text = old.sub(new, text)
        for name in _expand_braces(text):
            found[name] = None
    return tuple(found)


def _expand_braces(text: str) -> list[str]:
    """`a.{b, c.{d}}` as ["a.b", "a.c.d"], without aliases; nothing for what is no plain name."""
    names = []
    prefixes, current = [""], ""
    for part in _regex(r"([{},])").split(text) + [","]:
        if part == "{":
            prefixes.append(prefixes[-1] + current)
            current = ""
        elif part in (",", "}"):
            name = f"{prefixes[-1]}{current.partition(' as ')[0]}".strip("\"'`<> ")
            if current and not _regex(r"[\s$()\"'<>]").search(name):
                names.append(name.removesuffix("::self"))
            current = ""
            if part == "}" and len(prefixes) > 1:
                prefixes.pop()
        else:
            current = part.strip()
    return names


def _find_mark(source: bytes) -> str:
    """What the content says of itself: "generated", "minified", or ""."""
    head = source[:2048].lower()
    if any(phrase in head for phrase in _GENERATED):
        return "generated"
    lines = source.count(b"\n") + 1
    return "minified" if len(source) > 2000 and len(source) / lines > 400 else ""


_GENERATED = (
    b"do not edit",
    b"@generated",
    b"code generated by",
    b"auto-generated",
    b"autogenerated",
    b"automatically generated",
)


def tag_without_grammar(path: str, source: bytes, language: Language) -> FileTags | None:
    """What the standard library alone can tell of one file; None if nothing."""
    language = _spoken_language(path, source, language)
    tags = tag_python_ast(source, language) if ("ast", "") in language.texts else None
    if tags or not language.texts:
        return tags
    text = source.decode("utf-8", "replace")
    definitions = set()
    for kind, pattern in language.texts:
        if not pattern:
            continue
        for found in _regex(pattern, re.MULTILINE).finditer(text):
            line = text.count("\n", 0, found.start(1)) + 1
            sign = " ".join(text[found.start() : found.end(1)].split())
            is_public = bool(_regex(language.public).search(sign))
            definitions.add(Definition(line, line, kind, found[1], "", sign, "", is_public))
    names = collections.Counter(_regex(r"\b(?:[A-Z]\w+|\w+(?=\())").findall(text))
    names.subtract(definition.name for definition in definitions)
    return FileTags(
        tuple(sorted(definitions)),
        {name: names[name] for name in sorted(names) if names[name] > 0 and len(name) > 1},
        (),
        _find_file_doc(source, language, set()),
        _find_mark(source),
    )


def tag_python_ast(source: bytes, language: Language) -> FileTags | None:
    """What one Python file defines, mentions and imports; None if it does not parse."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    names: collections.Counter[str] = collections.Counter()
    imports: list[tuple[int, str]] = []
    only: set[str] = set()
    for node in ast.walk(tree):
        names.update(_ast_mentions(node))
        imports += [(node.lineno, name) for name in _ast_imports(node)]  # type: ignore[attr-defined]
    for node in tree.body:
        if isinstance(node, ast.Assign) and "__all__" in [_ast_name(it) for it in node.targets]:
            parts = ast.walk(node.value)
            only = {str(it.value) for it in parts if isinstance(it, ast.Constant)}
    for name in language.drops:
        names.pop(name, None)
    return FileTags(
        tuple(sorted(_ast_definitions(tree, only, _regex(language.public)))),
        {name: names[name] for name in sorted(names) if len(name) > 1},
        tuple(dict.fromkeys(name for _, name in sorted(imports, key=operator.itemgetter(0)))),
        _first_sentence(ast.get_docstring(tree) or ""),
        _find_mark(source),
    )


def _ast_definitions(
    tree: ast.Module, only: set[str], public: re.Pattern[str]
) -> Iterator[Definition]:
    """Definitions outside of functions, found without recursion."""
    todo: list[tuple[ast.AST, str, bool]] = [(node, "", True) for node in tree.body]
    while todo:
        node, owner, visible = todo.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            name, doc = node.name, _first_sentence(ast.get_docstring(node) or "")
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            name, doc = _ast_name(target), ""
            if owner or not name[:1].isupper():
                continue
        else:
            todo += [(child, owner, visible) for child in ast.iter_child_nodes(node)]
            continue
        exported = visible and bool(name in only if only and not owner else public.search(name))
        kind, sign = _ast_sign(node, owner)
        if kind in _MINOR and not exported and not name.isupper():
            continue
        end = node.end_lineno or node.lineno
        yield Definition(node.lineno, end, kind, name, owner, sign, doc, exported)
        if isinstance(node, ast.ClassDef):
            todo += [(child, f"{owner}.{name}".strip("."), exported) for child in node.body]


def _ast_sign(node: ast.AST, owner: str) -> tuple[str, str]:
    """Kind and signature of a definition, its values replaced."""
    value = ast.Name("…")
    if isinstance(node, ast.ClassDef):
        for keyword in node.keywords:
            keyword.value = keyword.value if isinstance(keyword.value, ast.Name) else value
        bases = ", ".join(ast.unparse(it) for it in [*node.bases, *node.keywords])
        return "class", _shorten(f"class {node.name}({bases})".removesuffix("()"), MAX_SIGNATURE)
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        node.args.defaults = [value for _ in node.args.defaults]
        node.args.kw_defaults = [it and value for it in node.args.kw_defaults]
        start = "def" if isinstance(node, ast.FunctionDef) else "async def"
        returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
        text = f"{start} {node.name}({ast.unparse(node.args)}){returns}"
        return "method" if owner else "function", _shorten(text, MAX_SIGNATURE)
    if isinstance(node, ast.AnnAssign):
        return "constant", f"{ast.unparse(node.target)}: {ast.unparse(node.annotation)} = …"
    return "constant", f"{ast.unparse(node.targets[0])} = …" if isinstance(node, ast.Assign) else ""


def _ast_name(node: ast.AST | None) -> str:
    """The last name of `a`, `a.b` or `a.b[c]`; "" of anything else."""
    node = node.value if isinstance(node, ast.Subscript) else node
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _ast_mentions(node: ast.AST) -> list[str]:
    """Names that one node calls, inherits from, is typed or decorated with, raises or imports."""
    found: list[ast.AST | None] = []
    if isinstance(node, ast.Call):
        found = [node.func]
    elif isinstance(node, ast.ClassDef):
        found = [*node.bases, *(it.value for it in node.keywords), *node.decorator_list]
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        found = [*node.decorator_list, *_ast_types(node.returns)]
    elif isinstance(node, (ast.arg, ast.AnnAssign)):
        found = _ast_types(node.annotation)
    elif isinstance(node, ast.Raise):
        found = [node.exc]
    elif isinstance(node, ast.ExceptHandler):
        found = [node.type]
    elif isinstance(node, ast.ImportFrom) and node.module != "__future__":
        return [alias.name for alias in node.names if alias.name != "*"]
    return [name for name in map(_ast_name, found) if name]


def _ast_types(node: ast.AST | None) -> list[ast.AST | None]:
    return (
        [it for it in ast.walk(node) if isinstance(it, (ast.Name, ast.Attribute))] if node else []
    )


def _ast_imports(node: ast.AST) -> list[str]:
    """Imports of one node, written as the grammar's path writes them."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module != "__future__":
        base = "." * node.level + (f"{node.module}." if node.module else "")
        names = [base + alias.name for alias in node.names]
        return [
            name.removesuffix("*").rstrip(".") or base if name[-1] == "*" else name
            for name in names
        ]
    return []


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
