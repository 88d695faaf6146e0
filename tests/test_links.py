"""LINKS: imports as written become files of this repository."""

import json
import time

from hypothesis import given
from hypothesis import strategies as st

import ctx


def links(path, *names, files, configs=None, own=None):
    """What `path` reaches by `names`; `own` maps other files to their namespaces."""
    imports = {other: [f"package {space}"] for other, space in (own or {}).items()}
    imports[path] = [*imports.get(path, ()), *names]
    return ctx.resolve_imports(imports, [path, *files], configs or {}).get(path, [])


# Python


def test_a_python_name_import_lands_on_its_module():
    files = ["pkg/__init__.py", "pkg/mod.py"]
    assert links("main.py", "pkg.mod.name", files=files) == ["pkg/mod.py"]
    assert links("main.py", "pkg.name", files=files) == ["pkg/__init__.py"]


def test_a_python_submodule_beats_its_package():
    files = ["pkg/__init__.py", "pkg/sub/__init__.py", "pkg/sub/deep.py"]
    assert links("main.py", "pkg.sub.deep", files=files) == ["pkg/sub/deep.py"]
    assert links("main.py", "pkg.sub", files=files) == ["pkg/sub/__init__.py"]


def test_python_relative_imports_count_their_dots():
    files = ["pkg/__init__.py", "pkg/x.py", "pkg/sub/__init__.py", "pkg/sub/y.py"]
    assert links("pkg/sub/z.py", ".y", files=files) == ["pkg/sub/y.py"]
    assert links("pkg/sub/z.py", "..x.Name", files=files) == ["pkg/x.py"]
    assert links("pkg/sub/z.py", ".Name", files=files) == ["pkg/sub/__init__.py"]
    assert links("pkg/sub/z.py", "....x", files=files) == []


def test_a_python_package_is_found_in_any_layout():
    for root in ("src/", "lib/", "python/", "services/api/", "backend/code/"):
        files = [f"{root}pkg/__init__.py", f"{root}pkg/mod.py"]
        assert links("tests/test_mod.py", "pkg.mod", files=files) == [f"{root}pkg/mod.py"]


def test_a_python_namespace_package_needs_no_init():
    files = ["src/company/product/__init__.py", "src/company/product/core.py"]
    assert links("t/x.py", "company.product.core.run", files=files) == [files[1]]


def test_a_python_name_means_the_module_that_matches_most_of_it():
    files = ["src/app/app.py", "src/app/db/model.py", "src/app/api/view.py"]
    for path in ("src/app/main.py", "src/app/api/list.py", "tests/test_db.py"):
        assert links(path, "app.db.model.Model", files=files) == ["src/app/db/model.py"], path


def test_a_python_script_imports_its_sibling_and_only_its_own():
    files = ["tools/kernel.py", "other/kernel.py"]
    assert links("tools/run.py", "kernel.boot", files=files) == ["tools/kernel.py"]
    assert links("elsewhere/run.py", "kernel", files=files) == []


def test_a_python_module_inside_a_package_is_not_a_top_level_one():
    files = ["src/web/__init__.py", "src/web/json/__init__.py", "src/web/typing.py"]
    assert links("src/web/app.py", "json", "typing.Any", files=files) == []


def test_the_nearest_of_two_python_packages_of_one_name_wins():
    files = ["a/app/__init__.py", "a/app/models.py", "b/app/__init__.py", "b/app/models.py"]
    assert links("b/tests/test_it.py", "app.models.User", files=files) == ["b/app/models.py"]


def test_a_python_library_is_not_a_test_package_of_its_name():
    files = ["tests/sphinx/__init__.py", "vendor/attr/__init__.py"]
    assert links("docs/conf.py", "sphinx.addnodes", "attr.deep.more.X", files=files) == []
    assert links("tests/unit/test_x.py", "app.run", files=["tests/apps/app/__init__.py"])


def test_a_python_import_of_an_extension_module_lands_on_its_source():
    assert links("pkg/a.py", "._fast.f", files=["pkg/__init__.py", "pkg/_fast.pyx"]) == [
        "pkg/_fast.pyx"
    ]


# JavaScript and TypeScript


def test_a_script_import_may_leave_out_its_extension_or_its_index():
    files = ["src/a.ts", "src/b/index.tsx", "src/c.vue"]
    assert links("src/x.ts", "./a", "./b", "./c.vue", files=files) == files


def test_a_js_extension_may_stand_for_ts():
    assert links("src/x.ts", "./a.js", "../m.mjs", files=["src/a.ts", "m.mts"]) == [
        "m.mts",
        "src/a.ts",
    ]
    assert links("src/x.ts", "./a.js", files=["src/a.ts", "src/a.js"]) == ["src/a.js"]


def test_a_folder_import_follows_the_main_of_its_package():
    configs = {"lib/package.json": '{"main": "./start.js"}'}
    assert links("x.js", "./lib", files=["lib/start.js"], configs=configs) == ["lib/start.js"]


def test_the_root_itself_can_be_imported():
    assert links("test/x.js", "..", "../", files=["index.js"]) == ["index.js"]


def test_tsconfig_paths_hold_with_comments_and_trailing_commas():
    config = """{
      // aliases
      "compilerOptions": {
        "baseUrl": ".", /* here */
        "paths": { "@app/*": ["src/app/*"], "url": ["src/http//x.ts", "src/url.ts",], },
      },
    }"""
    files = ["src/app/main.ts", "src/url.ts", "src/base.ts"]
    found = links(
        "src/x.ts", "@app/main", "url", "src/base", files=files, configs={"tsconfig.json": config}
    )
    assert found == sorted(files)


def test_tsconfig_paths_may_go_on_behind_the_star():
    paths = {"#*/api": ["src/*/api"], "@gen/*.gen": ["gen/*.gen.ts"], "@x/*": ["src/*/index"]}
    configs = {"tsconfig.json": json.dumps({"compilerOptions": {"paths": paths}})}
    files = ["gen/a.gen.ts", "src/one/index.ts", "src/users/api.ts"]
    names = ["#users/api", "@gen/a.gen", "@x/one", "#users/other"]
    assert links("src/x.ts", *names, files=files, configs=configs) == files


def test_tsconfig_paths_are_inherited_from_the_file_that_declares_them():
    configs = {
        "conf/base.json": '{"compilerOptions": {"paths": {"#ui/*": ["../ui/*"]}}}',
        "app/tsconfig.json": '{"extends": "../conf/base"}',
    }
    assert links("app/x.ts", "#ui/button", files=["ui/button.tsx"], configs=configs) == [
        "ui/button.tsx"
    ]


def test_a_workspace_package_is_found_by_name():
    configs = {
        "packages/core/package.json": '{"name": "@acme/core", "main": "dist/main.js"}',
        "packages/util/package.json": '{"name": "util-kit", "types": "./dist/types.d.ts"}',
    }
    files = ["packages/core/src/main.ts", "packages/core/src/sub.ts", "packages/util/src/types.ts"]
    names = ["@acme/core", "@acme/core/sub", "util-kit", "left-pad"]
    assert links("packages/app/x.ts", *names, files=files, configs=configs) == files


def test_package_imports_and_import_maps_are_rules():
    configs = {
        "package.json": '{"imports": {"#db": {"default": "./src/db.js"}}}',
        "tool/deno.json": '{"imports": {"std/": "./vendor/std/"}}',
    }
    assert links("x.js", "#db", files=["src/db.js"], configs=configs) == ["src/db.js"]
    assert links("tool/x.ts", "std/io.ts", files=["tool/vendor/std/io.ts"], configs=configs) == [
        "tool/vendor/std/io.ts"
    ]


def test_usual_aliases_hold_only_where_they_resolve():
    configs = {"web/package.json": "{}"}
    files = ["web/src/store.ts", "web/src/lib/a.ts"]
    assert links("web/src/x.vue", "@/store", "$lib/a", "~/no", files=files, configs=configs) == [
        "web/src/lib/a.ts",
        "web/src/store.ts",
    ]


# Go


def test_a_go_import_reaches_all_files_of_the_package_but_tests():
    files = ["pkg/a.go", "pkg/b.go", "pkg/a_test.go", "pkg/deep/c.go"]
    configs = {"go.mod": "module example.org/mod // here\n\ngo 1.22\n"}
    assert links("main.go", "example.org/mod/pkg", "fmt", files=files, configs=configs) == files[:2]


def test_nested_go_modules_and_local_replaces_are_followed():
    configs = {
        "go.mod": "module example.org/m\nreplace (\n\texample.org/fork v1.2.0 => ./third/fork\n)\n",
        "sdk/go.mod": "module example.org/m/sdk/v2\n",
    }
    files = ["sdk/api/a.go", "third/fork/f.go"]
    names = ["example.org/m/sdk/v2/api", "example.org/fork"]
    assert links("main.go", *names, files=files, configs=configs) == files


# Rust


def test_rust_paths_start_at_the_crate_at_self_or_at_super():
    files = ["src/lib.rs", "src/a/mod.rs", "src/a/b.rs", "src/c.rs"]
    assert links("src/a/x.rs", "crate::a::b::C", files=files) == ["src/a/b.rs"]
    assert links("src/a/x.rs", "super::b", files=files) == ["src/a/b.rs"]
    assert links("src/a/x.rs", "super::super::c::f", files=files) == ["src/c.rs"]
    assert links("src/a/x.rs", "crate::Name", files=files) == ["src/lib.rs"]


def test_a_rust_program_at_a_path_of_its_own_has_its_modules_beside_it():
    targets = "[[bin]]\npath = 'cmd/tool.rs'\n[[test]]\npath = 'checks/all.rs'\n"
    files = ["checks/all.rs", "checks/util.rs", "cmd/args.rs", "cmd/tool.rs"]
    configs = {"Cargo.toml": f"[package]\nname = 'x'\n{targets}"}
    assert links("cmd/tool.rs", "args", files=files, configs=configs) == ["cmd/args.rs"]
    assert links("checks/all.rs", "util::f", files=files, configs=configs) == ["checks/util.rs"]


def test_a_rust_module_is_not_the_library_of_its_name():
    configs = {"Cargo.toml": "[package]\nname = 'core'\n"}
    files = ["src/lib.rs", "src/alloc.rs"]
    assert links("src/lib.rs", "alloc::vec::Vec", "core::fmt", files=files, configs=configs) == []


def test_a_rust_mod_declaration_finds_its_file():
    assert links("src/lib.rs", "self::x", files=["src/x.rs"]) == ["src/x.rs"]
    assert links("src/foo.rs", "self::x", files=["src/foo/x.rs", "src/x.rs"]) == ["src/foo/x.rs"]
    assert links("src/foo/mod.rs", "self::x", files=["src/foo/x/mod.rs"]) == ["src/foo/x/mod.rs"]
    files = ["Cargo.toml", "tests/common/mod.rs"]
    configs = {"Cargo.toml": "[package]\nname = 'x'\n"}
    assert links("tests/it.rs", "self::common", files=files, configs=configs) == files[1:]


def test_a_rust_crate_of_the_workspace_is_found_by_name():
    configs = {
        "crates/my-core/Cargo.toml": '[package]\nname = "my-core"\n',
        "odd/Cargo.toml": '[package]\nname = "odd"\n[lib]\npath = "code/odd.rs"\n',
    }
    files = ["crates/my-core/src/lib.rs", "crates/my-core/src/io.rs", "odd/code/odd.rs"]
    names = ["my_core::io::Reader", "odd::Thing", "serde::Serialize", "std::io"]
    assert links("app/src/main.rs", *names, files=files, configs=configs) == files[1:]


def test_a_rust_crate_may_be_known_by_another_name():
    configs = {
        "term/Cargo.toml": '[dependencies]\ntui = { path = "../my-tui", package = "my-tui" }\n',
        "my-tui/Cargo.toml": '[package]\nname = "my-tui"\n',
    }
    files = ["my-tui/src/lib.rs", "my-tui/src/text.rs", "term/src/lib.rs"]
    found = links("term/src/app.rs", "tui::text::Span", files=files, configs=configs)
    assert found == ["my-tui/src/text.rs"]


def test_what_only_a_rust_crates_tests_need_is_no_import_of_its_code():
    manifest = (
        '[package]\nname = "core"\n[dependencies]\nbase = "1"\n[dev-dependencies]\nweb = "1"\n'
    )
    configs = {"core/Cargo.toml": manifest, "web/Cargo.toml": '[package]\nname = "web"\n'}
    configs["base/Cargo.toml"] = '[package]\nname = "base"\n'
    files = ["base/src/lib.rs", "core/src/lib.rs", "web/src/lib.rs"]
    names = ["base::Thing", "web::Router"]
    assert links("core/src/io.rs", *names, files=files, configs=configs) == ["base/src/lib.rs"]
    found = links("core/tests/io.rs", *names, files=files, configs=configs)
    assert found == ["base/src/lib.rs", "web/src/lib.rs"]


# Languages with declared namespaces


def test_a_java_import_finds_the_file_by_package_and_name():
    own = {"a/src/com/foo/Bar.java": "com.foo", "b/Odd.kt": "com.foo.sub"}
    names = ["com.foo.Bar.member", "com.foo.sub.Odd", "java.util.List"]
    assert links("X.java", *names, files=list(own), own=own) == sorted(own)


def test_a_wildcard_means_the_whole_package_or_one_class():
    own = {"A.java": "com.foo", "B.java": "com.foo", "C.java": "com.foo.deep"}
    assert links("X.java", "com.foo.*", files=list(own), own=own) == ["A.java", "B.java"]
    assert links("X.java", "com.foo.deep.C.*", files=list(own), own=own) == ["C.java"]


def test_a_kotlin_function_means_the_files_of_its_package():
    own = {"k/Strings.kt": "com.foo"}
    assert links("X.kt", "com.foo.trimAll", files=list(own), own=own) == ["k/Strings.kt"]
    assert links("X.kt", "com.foo.Missing", files=list(own), own=own) == []


def test_a_csharp_using_means_the_files_of_that_namespace_unless_too_many():
    own = {"A.cs": "Foo.Bar", "B.cs": "Foo.Bar", "C.cs": "Foo"}
    assert links("X.cs", "Foo.Bar", files=list(own), own=own) == ["A.cs", "B.cs"]
    own = {"x/Map.Async.cs": "Foo.Baz", "x/Map.cs": "Foo.Baz"}
    assert links("X.cs", "Foo.Baz.Map", files=list(own), own=own) == ["x/Map.cs"]
    own = {f"F{number}.cs": "Foo.Bar" for number in range(51)}
    assert links("X.cs", "Foo.Bar", files=list(own), own=own) == []


def test_a_php_class_is_found_by_its_namespace_and_an_include_by_its_path():
    own = {"app/Models/User.php": "App\\Models", "x/Helper.php": "Odd"}
    names = ["App\\Models\\User", "\\Odd\\Helper"]
    assert links("index.php", *names, files=list(own), own=own) == list(own)
    assert links("web/a.php", "./b.php", files=["web/b.php"]) == ["web/b.php"]


# Paths, and ends of paths


def test_an_include_is_searched_beside_the_file_then_below_the_nearest_root():
    files = ["src/x.h", "include/lib/y.h", "deps/z/include/lib/y.h"]
    assert links("src/a.c", "x.h", "lib/y.h", files=files) == ["include/lib/y.h", "src/x.h"]
    assert links("deps/z/src/a.c", "lib/y.h", files=files) == ["deps/z/include/lib/y.h"]


def test_a_generated_header_is_linked_by_its_template():
    assert links("src/a.c", "config.h", files=["include/config.h.in"]) == ["include/config.h.in"]


def test_a_system_header_is_not_a_file_deep_in_a_vendored_tree():
    assert links("src/a.c", "string.h", files=["deps/compat/string.h"]) == []
    assert links("src/a.c", "string.h", files=["src/string.h"]) == ["src/string.h"]


def test_a_ruby_require_looks_below_load_roots_only():
    files = ["lib/gem/util.rb", "lib/gem/json.rb", "other/lib/tool.rb", "app/models/user.rb"]
    names = ["gem/util", "json", "tool", "user"]
    assert links("lib/gem.rb", *names, files=files) == sorted([files[0], *files[2:]])
    assert links("lib/gem/a.rb", "./util", "../gem/json", files=files) == files[1::-1]


def test_a_ruby_require_is_not_relative_and_finds_the_helper_of_its_own_tests():
    files = ["a/lib/gem/json.rb", "a/test/test_helper.rb", "b/test/test_helper.rb"]
    assert links("a/lib/gem/x.rb", "json", files=files) == []
    assert links("b/test/deep/x_test.rb", "test_helper", files=files) == ["b/test/test_helper.rb"]
    assert links("c/lib/x.rb", "test_helper", files=files) == []


def test_a_dart_package_import_means_the_lib_of_that_package():
    files = ["pkgs/core/lib/src/a.dart", "pkgs/app/lib/b.dart"]
    names = ["lib/src/a.dart", "b.dart", "lib/http.dart"]  # as an edit of the table leaves them
    assert links("pkgs/app/lib/main.dart", *names, files=files) == sorted(files)


def test_module_names_become_paths_in_many_languages():
    for path, name, target in [
        ("x.lua", "a.b", "deep/a/b/init.lua"),
        ("x.hs", "Data.Tree.Walk", "src/Data/Tree/Walk.hs"),
        ("x.pl", "My::Mod", "lib/My/Mod.pm"),
        ("x.ex", "MyApp.HTTPServer", "lib/my_app/http_server.ex"),
        ("x.ml", "Parser", "src/parser.ml"),
        ("api/x.proto", "common/v1/t.proto", "proto/common/v1/t.proto"),
        ("a/x.sol", "../b/y.sol", "b/y.sol"),
        ("t/x.sol", "@scope/contracts/y.sol", "contracts/y.sol"),
        ("a/x.zig", "y.zig", "a/y.zig"),
        ("a/x.sh", "./lib.sh", "a/lib.sh"),
        ("a/x.nix", "./pkg", "a/pkg/default.nix"),
        ("x.jl", "src/y.jl", "src/y.jl"),
        ("x.erl", "y.hrl", "include/y.hrl"),
        ("x.tf", "./modules/net", "modules/net/main.tf"),
    ]:
        assert links(path, name, files=[target]) == [target], name


def test_an_elixir_module_is_named_whole():
    files = ["lib/shop/web/supervisor.ex", "lib/shop/cart.ex"]
    assert links("lib/shop/pool.ex", "Supervisor", "Shop.Cart", files=files) == files[1:]


def test_a_module_in_title_case_is_not_the_end_of_another():
    assert links("src/Project/Main.hs", "Prelude", files=["src/Project/Prelude.hs"]) == []
    assert links("t/x.t", "Carp", files=["lib/My/Carp.pm"]) == []


def test_swift_modules_and_unknown_languages_link_to_nothing():
    assert links("Sources/App/a.swift", "Core", files=["Sources/Core/Core.swift"]) == []
    assert links("x.unknown", "y", files=["y.unknown"]) == []


# All of them


def test_a_path_that_leaves_the_repository_resolves_to_nothing():
    files = ["x.js", "a.py", "a/b.c"]
    assert links("m.js", "../x", "../../x", files=files) == []
    assert links("a/b.py", "...a", files=files) == []
    assert links("a/q.c", "../../x.h", files=files) == []


def test_the_files_whose_texts_are_wanted_are_known_by_name():
    wanted = ["package.json", "a/tsconfig.base.json", "jsconfig.json", "x/go.work", "Cargo.toml"]
    assert [
        path
        for path in [*wanted, "Cargo.lock", "a/data.json"]
        if ctx.pattern("import_manifest").fullmatch(ctx.name_of(path))
    ] == wanted


def test_a_malformed_manifest_costs_only_itself():
    configs = {
        "package.json": "{",
        "tsconfig.json": '{"compilerOptions": [], "extends": 7}',
        "a/tsconfig.json": '{"extends": "./tsconfig.json"}',
        "b/package.json": '{"name": 3, "main": {}, "imports": []}',
        "c/package.json": '{"name": "c"}',
        "Cargo.toml": "[package\n",
        "d/Cargo.toml": "lib = 3\npackage = 4\nbin = [1]\n",
        "go.mod": "modul",
    }
    assert links("a/x.ts", "c", files=["c/index.ts"], configs=configs) == ["c/index.ts"]
    for path in ("x.rs", "x.php", "x.go"):
        assert links(path, "a::b", "a\\b", "a/b", files=[], configs=configs) == []


def test_a_hostile_manifest_takes_no_time():
    nested = "[" * 900 + "]" * 900
    loop = json.dumps({"extends": ["./tsconfig.json", "./tsconfig"] * 1000})
    start = time.perf_counter()
    for text in ('"' + '\\"' * 100_000, "/*" * 100_000, f'{{"imports": {{"x": {nested}}}}}', loop):
        configs = {"package.json": text, "tsconfig.json": text}
        assert links("x.ts", "x", files=[], configs=configs) == []
    for text in ("a" * 200_000, " " * 200_000, "replace " * 50_000, "a v" * 50_000):
        assert links("x.go", "x", files=[], configs={"go.mod": text}) == []
    assert time.perf_counter() - start < 5


def test_a_file_never_imports_itself_and_repeats_count_once():
    assert links("a.js", "./a", "./b", "./b.js", files=["b.js"]) == ["b.js"]


words = st.sampled_from(["a", "b", "src", "lib", "index", "..", ".", "*", "@", "crate", "self", ""])
separators = st.sampled_from([".", "/", "::", "\\", " ", "../", "package "])
names = st.lists(st.one_of(words, separators, st.text("ab.#{é\0\n", max_size=3)), max_size=6).map(
    "".join
)
suffixes = st.sampled_from(
    [s for name in ctx.list_languages() for s in ctx.get_language(name).suffixes]
)
paths = st.builds(
    lambda parts, suffix: "/".join([*parts, f"{parts[-1]}.{suffix}"]),
    st.lists(st.sampled_from(["a", "b", "src", "lib", "__init__", "mod"]), min_size=1, max_size=3),
    suffixes,
)
manifests = st.sampled_from(
    ["package.json", "a/tsconfig.json", "go.mod", "Cargo.toml", "composer.json", "a/pubspec.yaml"]
)
values = st.recursive(
    st.one_of(st.none(), st.integers(), names),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["name", "main", "imports", "compilerOptions", "paths", "extends"]),
            inner,
            max_size=3,
        ),
    ),
)


@given(
    st.dictionaries(paths, st.lists(names, max_size=5), max_size=6),
    st.lists(paths, max_size=8),
    st.dictionaries(
        manifests, st.one_of(st.text('ab"{}[]:,=\n'), values.map(json.dumps)), max_size=4
    ),
)
def test_nothing_raises_and_every_link_is_a_file(imports, files, configs):
    found = ctx.resolve_imports(imports, files, configs)
    again = ctx.resolve_imports(imports, files[::-1], configs)
    assert found == again and set(found) <= set(imports)
    for path, targets in found.items():
        assert targets == sorted(set(targets)) and path not in targets
        assert set(targets) <= set(files)


def test_a_hundred_thousand_imports_take_seconds():
    files = [f"p{n % 50}/q{n % 1000}/m{n}.py" for n in range(5_000)]
    imports = {
        path: [f"p{k % 50}.q{k % 1000}.m{k}.Name" for k in range(n, n + 20)]
        for n, path in enumerate(files)
    }
    start = time.process_time()
    ctx.resolve_imports(imports, files, {})
    assert time.process_time() - start < 10


def test_modules_whose_files_carry_their_name():
    files = ["src/app.f90", "lib/letters.F90", "a/post-desk.ads", "a/main.adb", "p/Main.pas"]
    files += ["p/Desk.Tools.pas", "CMakeLists.txt", "sub/CMakeLists.txt", "e/x.erl", "e/y.erl"]
    imports = {
        "src/app.f90": ["letters", "iso_c_binding"],
        "a/main.adb": ["Post-Desk", "Ada-Text_IO"],
        "p/Main.pas": ["Desk.Tools", "SysUtils"],
        "CMakeLists.txt": ["sub"],
        "e/x.erl": ["y", "gen_server"],
    }
    assert ctx.resolve_imports(imports, files, {}) == {
        "src/app.f90": ["lib/letters.F90"],
        "a/main.adb": ["a/post-desk.ads"],
        "p/Main.pas": ["p/Desk.Tools.pas"],
        "CMakeLists.txt": ["sub/CMakeLists.txt"],
        "e/x.erl": ["e/y.erl"],
    }


def test_a_file_that_is_not_there_is_neither_source_nor_target() -> None:
    imports = {"a/a.java": ["a"], "a/a.kt": ["package "]}
    assert ctx.resolve_imports(imports, [], {}) == {}


def test_patterns_alone_give_imports_too() -> None:
    """COBOL, Coq, Prolog, Just, Bazel and shaders, whose files carry the name or a part of it."""
    assert link("app/a.cbl", "LETTER", "cpy/LETTER.cpy") == ["cpy/LETTER.cpy"]
    assert link("theories/a.v", "Basics/Desk", "theories/Basics/Desk.v") == [
        "theories/Basics/Desk.v"
    ]
    assert link("a.pl", "desk/stamps", "desk/stamps.pl") == ["desk/stamps.pl"]
    assert link("just/a.just", "more/b.just", "just/more/b.just") == ["just/more/b.just"]
    assert link("app/BUILD", "tools", "tools/BUILD.bazel") == ["tools/BUILD.bazel"]
    assert link("app/x.bzl", "./y.bzl", "app/y.bzl") == ["app/y.bzl"]
    assert link("a.comp", "common.glsl", "common.glsl") == ["common.glsl"]


def link(path: str, name: str, target: str) -> list[str]:
    return ctx.resolve_imports({path: [name]}, [path, target], {}).get(path, [])


def test_a_second_package_clause_of_scala_is_inside_the_first():
    imports = {"laws/Order.scala": ["package cats.kernel", "package laws"]}
    imports["core/A.scala"] = ["cats.kernel.laws.Order"]
    imports["core/B.scala"] = ["cats.kernel.Order"]
    found = ctx.resolve_imports(imports, sorted(imports), {})
    assert found == {"core/A.scala": ["laws/Order.scala"]}
