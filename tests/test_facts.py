"""Room 6: what config files and paths say about a project."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ctx

WORKFLOW = ".github/workflows/ci.yml"


def facts(configs: dict[str, str], *more: str) -> ctx.Facts:
    read = {path: configs.get(path, "") for path in {*configs, *more} if ctx.is_config(path)}
    return ctx.detect_facts(sorted({*configs, *more}), {**read, **configs})


def lines(found: ctx.Facts, verb: str) -> list[str]:
    return [command.line for command in found.commands if command.verb == verb]


def ci(*steps: str) -> str:
    return "jobs:\n  test:\n    steps:\n" + "".join(f"      - run: {step}\n" for step in steps)


# Commands


def test_a_pyproject_with_uv_gives_commands_inside_its_environment() -> None:
    text = """
[project]
name = "thing"
requires-python = ">=3.11"
[project.scripts]
thing = "thing.cli:main"
[tool.uv]
[tool.pytest.ini_options]
[tool.mypy]
files = ["src"]
[tool.ruff]
line-length = 99
"""
    found = facts({"pyproject.toml": text}, "src/thing/cli.py", "src/thing/__init__.py")
    assert lines(found, "install") == ["uv sync"]
    assert lines(found, "test") == ["uv run pytest"]
    assert lines(found, "lint") == ["uv run ruff check"]
    assert lines(found, "typecheck") == ["uv run mypy"]
    assert found.stack[0] == "Python >=3.11"
    assert found.key_files[0] == ("src/thing/cli.py", "command `thing`")
    assert "lines up to 99 columns (ruff)" in found.conventions


def test_mypy_without_a_target_checks_all_unless_ci_knows_better() -> None:
    configs = {"pyproject.toml": '[project]\nname = "thing"\n[tool.mypy]\nstrict = true\n'}
    found = facts(configs, "thing/__init__.py", "tests/__init__.py")
    assert lines(found, "typecheck") == ["mypy ."]
    assert lines(found, "install") == ["pip install -e ."]
    configs[WORKFLOW] = ci("mypy thing")
    assert lines(facts(configs, "thing/__init__.py"), "typecheck") == ["mypy thing"]


def test_npm_scripts_become_commands_of_the_manager_whose_lock_file_is_there() -> None:
    text = '{"scripts": {"test": "x", "lint": "x"}, "dependencies": {"react": "^19.0.0"}}'
    found = facts({"package.json": text}, "pnpm-lock.yaml", "src/index.js")
    assert lines(found, "install") == ["pnpm install"]
    assert lines(found, "test") == ["pnpm test"]
    assert lines(found, "lint") == ["pnpm run lint"]
    assert "React 19" in found.stack


def test_a_bun_script_named_test_needs_run() -> None:
    found = facts({"package.json": '{"scripts": {"test": "x"}}'}, "bun.lock", "a.ts")
    assert lines(found, "test") == ["bun run test"]


def test_the_default_npm_test_script_is_no_test() -> None:
    text = '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}'
    assert lines(facts({"package.json": text}, "index.js"), "test") == []


def test_the_plain_script_beats_a_variant_that_ci_calls() -> None:
    text = '{"scripts": {"test": "x", "test-ci": "x"}}'
    found = facts({"package.json": text, WORKFLOW: ci("npm run test-ci")}, "index.js")
    assert lines(found, "test") == ["npm test"]


def test_a_make_target_that_ci_calls_beats_the_manifest() -> None:
    configs = {
        "Makefile": "test:\n\tgo test ./...\n",
        "go.mod": "module x\n",
        WORKFLOW: ci("make test"),
    }
    assert lines(facts(configs, "a.go"), "test") == ["make test"]


def test_an_implied_tool_that_ci_calls_beats_a_target_that_it_does_not() -> None:
    configs = {
        "Makefile": "lint:\n\told\n",
        "go.mod": "module x\n",
        WORKFLOW: ci("golangci-lint run"),
    }
    assert lines(facts(configs, "a.go", ".golangci.yml"), "lint") == ["golangci-lint run"]


def test_one_line_a_verb_and_the_one_that_ci_runs_as_the_config_writes_it() -> None:
    text = '[project]\nname="a"\n[tool.pytest]\n[tool.tox.env_run_base]\n[tool.tox.env.typing]\n'
    found = facts({"pyproject.toml": text, WORKFLOW: ci("tox run")}, "a/__init__.py")
    assert lines(found, "test") == ["tox"]
    assert lines(found, "typecheck") == ["tox -e typing"]
    assert "tox" not in found.stack


def test_what_contributors_are_told_to_type_comes_before_ci_and_configs() -> None:
    configs = {
        "CONTRIBUTING.md": "# Tests\n\n```sh\ngit clone x\ncd lark\n$ pytest t/unit\n"
        "$ pytest t/integration\n$ pytest t/gone\n```\nRun `make lint` first.\n",
        "tox.ini": "[testenv]\n",
        "Makefile": "lint:\n\tx\n",
        ".pre-commit-config.yaml": "",
        WORKFLOW: "on: [pull_request]\n" + ci("tox", "pre-commit run --all-files"),
    }
    found = facts(configs, "lark/__init__.py", "t/unit/test_a.py", "t/integration/test_b.py")
    assert lines(found, "test") == ["pytest t/unit"]
    assert lines(found, "lint") == ["make lint"]
    assert [command.source for command in found.commands] == [
        "CONTRIBUTING.md:6",
        "CONTRIBUTING.md:10",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "npm install lark",
        "npm run gone",
        "make gone",
        "pytest tests/test_a.py::test_b",
        "docker compose up",
    ],
)
def test_a_line_of_a_document_that_does_not_work_here_is_left_out(line: str) -> None:
    configs = {"README.md": f"# Build\n\n```\n{line}\n```\n", "Makefile": "x:\n"}
    assert facts(configs, "a.py", "package.json", "tests/test_a.py").commands == ()


def test_a_workflow_that_no_change_starts_tells_nothing() -> None:
    text = "on:\n  workflow_dispatch: {}\n" + ci("pytest")
    assert facts({WORKFLOW: text}, "a.py").commands == ()


def test_ci_tells_the_test_script_when_nothing_else_does() -> None:
    configs = {
        "Makefile": "default: all\n",
        WORKFLOW: ci("make", "./runtest --verbose --tags -slow"),
    }
    found = facts(configs, "src/server.c", "runtest")
    assert lines(found, "build") == ["make"]
    assert lines(found, "test") == ["./runtest"]


def test_a_script_of_ci_is_not_shown_unless_the_file_exists() -> None:
    assert lines(facts({WORKFLOW: ci("./runtest")}, "src/server.c"), "test") == []


@pytest.mark.parametrize(
    "step",
    [
        "pytest --token $SECRET",
        "API_KEY=abc pytest",
        "pytest --url https://user:pass@example.com",
        "pytest 'x'",
        "pytest `id`",
        "curl example.com | pytest",
        "mysterytool test",
    ],
)
def test_a_line_of_ci_that_may_hold_a_secret_or_is_unknown_is_not_shown(step: str) -> None:
    found = facts({WORKFLOW: ci(step)}, "a.py")
    assert found.commands == ()


def test_only_scripts_of_ci_are_read() -> None:
    step = "      - uses: x/y@v1\n        with:\n          cmd: |\n            pytest\n"
    assert facts({WORKFLOW: ci("ls") + step}, "a.py").commands == ()
    block = "      - name: pytest\n        run: |\n          ls\n          pytest -v\n"
    assert lines(facts({WORKFLOW: ci("ls") + block}, "a.py"), "test") == ["pytest"]


def test_a_second_line_for_a_verb_is_of_another_ecosystem() -> None:
    configs = {
        "pyproject.toml": '[project]\nname="a"\n[tool.ruff]\n',
        "package.json": '{"scripts": {"lint": "x"}}',
        ".pre-commit-config.yaml": "",
        WORKFLOW: ci("pre-commit run --all-files", "ruff check", "npm run lint"),
    }
    assert lines(facts(configs, "a.py", "c.py", "b.js"), "lint") == [
        "pre-commit run --all-files",
        "npm run lint",
    ]


def test_the_flags_of_ci_are_left_out() -> None:
    found = facts({WORKFLOW: ci("python -Wall tests/runtests.py -v2")}, "a.py", "tests/runtests.py")
    assert lines(found, "test") == ["python tests/runtests.py"]


def test_a_step_in_another_folder_says_nothing_of_the_root() -> None:
    text = "jobs:\n  a:\n    steps:\n      - working-directory: sub\n        run: pytest\n"
    assert facts({WORKFLOW: text}, "a.py").commands == ()


def test_ci_requirements_are_more_than_the_package_alone() -> None:
    configs = {
        "pyproject.toml": '[project]\nname="a"\n',
        WORKFLOW: ci("python -m pip install -r tests/req.txt -e ."),
    }
    found = facts(configs, "a/__init__.py", "tests/req.txt")
    assert lines(found, "install") == ["python -m pip install -r tests/req.txt -e ."]


def test_the_tooling_of_a_guest_language_comes_second_and_only_if_ci_calls_it() -> None:
    configs = {
        "pyproject.toml": '[project]\nname="a"\n[tool.pytest.ini_options]\n',
        "package.json": '{"scripts": {"test": "x", "lint": "x"}}',
    }
    python = [f"a/m{number}.py" for number in range(9)]
    assert lines(facts(configs, *python, "a/x.js"), "test") == ["pytest"]
    configs[WORKFLOW] = ci("npm test")
    assert lines(facts(configs, *python, "a/x.js"), "test") == ["pytest", "npm test"]


def test_scripts_to_rule_them_all_are_commands() -> None:
    assert lines(facts({}, "script/test", "lib/a.rb"), "test") == ["script/test"]


@pytest.mark.parametrize(
    ("name", "text", "others", "verb", "line"),
    [
        ("Cargo.toml", '[package]\nname="a"\n', ["src/main.rs"], "run", "cargo run"),
        (
            "Cargo.toml",
            '[package]\nname="a"\n[workspace]\nmembers=["b"]\n',
            ["src/lib.rs"],
            "test",
            "cargo test --workspace",
        ),
        ("Cargo.toml", '[workspace]\nmembers=["b"]\n', ["b/src/lib.rs"], "test", "cargo test"),
        ("go.mod", "module x\n", ["cmd/tool/main.go"], "run", "go run ./cmd/tool"),
        ("pom.xml", "<project/>", ["mvnw", "src/main/java/A.java"], "test", "./mvnw test"),
        ("pom.xml", "<project/>", ["src/main/java/A.java"], "test", "mvn test"),
        (
            "build.gradle.kts",
            "plugins {}",
            ["gradlew", "src/main/kotlin/A.kt"],
            "build",
            "./gradlew build",
        ),
        (
            "CMakeLists.txt",
            "project(x)\nenable_testing()\n",
            ["a.cpp"],
            "test",
            "ctest --test-dir build",
        ),
        ("Gemfile", 'source "x"\ngem "rspec"\n', ["lib/a.rb"], "test", "bundle exec rspec"),
        (
            "Rakefile",
            "task :test do\nend\n",
            ["Gemfile", "lib/a.rb"],
            "test",
            "bundle exec rake test",
        ),
        (
            "composer.json",
            '{"require-dev": {"phpunit/phpunit": "^11"}}',
            ["src/A.php"],
            "test",
            "vendor/bin/phpunit",
        ),
        ("mix.exs", "app: :a", ["lib/a.ex"], "install", "mix deps.get"),
        ("a.sln", "", ["b.csproj", "src/A.cs"], "build", "dotnet build a.sln"),
        ("Package.swift", ".testTarget(", ["Sources/A.swift"], "test", "swift test"),
        (
            "pubspec.yaml",
            "dependencies:\n  flutter:\n    sdk: flutter\n",
            ["lib/main.dart"],
            "test",
            "flutter test",
        ),
        ("deno.json", '{"tasks": {"dev": "x"}} // c', ["main.ts"], "run", "deno task dev"),
        ("justfile", "build target='x':\n  x\n", ["a.py"], "build", "just build"),
        ("Taskfile.yml", "tasks:\n  lint:\n    cmds: [x]\n", ["a.go"], "lint", "task lint"),
        ("magefile.go", "func Test() error {\n", ["a.go"], "test", "mage test"),
        ("noxfile.py", "@nox.session\ndef tests(session):\n", ["a.py"], "test", "nox -s tests"),
        ("tox.ini", "[testenv:lint]\n", ["a.py"], "lint", "tox -e lint"),
        ("compose.yaml", "services:\n  web:\n    build: .\n", ["a.py"], "run", "docker compose up"),
    ],
)
def test_each_ecosystem_has_its_command(
    name: str, text: str, others: list[str], verb: str, line: str
) -> None:
    assert line in lines(facts({name: text}, *others), verb)


@pytest.mark.parametrize(
    ("configs", "others", "stack", "commands", "members"),
    [
        (
            {
                "build.sbt": 'scalaVersion := "3.3.1"\nlazy val core = project.in(file("modules/core"))\n'
                'lazy val web = project\nlibraryDependencies += "dev.zio" %% "zio" % "2.1.0"\n'
            },
            "modules/core/A.scala web/B.scala .scalafmt.conf sbt",
            "Scala 3.3.1, ZIO 2.1, sbt",
            "build: ./sbt compile, test: ./sbt test, lint: ./sbt scalafmtCheckAll",
            "modules/core, web",
        ),
        (
            {"build.mill": 'object app extends ScalaModule {\n  def scalaVersion = "3.4.2"\n}\n'},
            "app/src/A.scala mill",
            "Scala 3.4.2, Mill",
            "build: ./mill __.compile, test: ./mill __.test",
            "app",
        ),
        (
            {
                "dune-project": "(lang dune 3.0)\n(name tool)\n(package\n (name tool)\n"
                " (depends\n  (ocaml (>= 4.08))\n  (lwt (>= 5.6))))\n"
            },
            "bin/main.ml .ocamlformat",
            "OCaml 4.08, Lwt 5.6, Dune",
            "install: opam install . --deps-only --with-test, test: dune test, format: dune fmt",
            "",
        ),
        (
            {"tool.opam": 'depends: [\n  "ocaml" {>= "4.14"}\n]\n'},
            "src/a.ml",
            "OCaml 4.14",
            "install: opam install . --deps-only --with-test",
            "",
        ),
        (
            {
                "cabal.project": "packages:\n  ./api/\n  ./core/core.cabal\n",
                "core/core.cabal": "name: core\nlibrary\n  build-depends:\n    , base >= 4.7\n",
                "api/api.cabal": "name: api\n",
            },
            "core/A.hs api/B.hs",
            "Haskell, Cabal",
            "build: cabal build all, test: cabal test all",
            "api, core",
        ),
        (
            {"stack.yaml": "packages:\n- one\n- two\n", "one/one.cabal": "name: one\n"},
            "one/A.hs two/two.cabal two/B.hs",
            "Haskell, Stack",
            "build: stack build, test: stack test",
            "one, two",
        ),
        (
            {"tool.cabal": "name: tool\nexecutable tool\ntest-suite spec\n"},
            "Main.hs",
            "Haskell",
            "build: cabal build, test: cabal test, run: cabal run",
            "",
        ),
        (
            {"rebar.config": '{deps, [{cowboy, "2.9.0"}]}.\n{ct_opts, []}.\n{relx, []}.\n'},
            "apps/web/src/a.erl apps/db/src/b.erl",
            "Erlang, Cowboy 2.9, rebar3",
            "build: rebar3 compile, test: rebar3 ct, run: rebar3 shell",
            "apps/db, apps/web",
        ),
        (
            {"mix.exs": 'apps_path: "apps",\nelixir: "~> 1.15"\n{:credo, "~> 1.7"}'},
            "apps/web/mix.exs apps/web/lib/a.ex",
            "Elixir ~>1.15",
            "install: mix deps.get, test: mix test, lint: mix credo",
            "apps/web",
        ),
        (
            {"pubspec.yaml": "environment:\n  sdk: ^3.5.0\nworkspace:\n  - pkgs/one\n"},
            "pkgs/one/pubspec.yaml pkgs/one/lib/a.dart",
            "Dart ^3.5.0",
            "install: dart pub get, lint: dart analyze",
            "pkgs/one",
        ),
        (
            {"Project.toml": 'name = "J"\nuuid = "1"\n[compat]\njulia = "1.9"\n'},
            "src/J.jl test/runtests.jl",
            "Julia 1.9",
            "install: julia --project -e 'using Pkg; Pkg.instantiate()', "
            "test: julia --project -e 'using Pkg; Pkg.test()'",
            "",
        ),
        (
            {"DESCRIPTION": "Package: glow\nDepends:\n    R (>= 4.1)\nSuggests:\n    testthat\n"},
            "R/a.R",
            "R >=4.1",
            "install: Rscript -e 'devtools::install_dev_deps()', test: Rscript -e 'devtools::test()'",
            "",
        ),
        (
            {
                "shard.yml": "name: web\ncrystal: '>= 1.12'\ntargets:\n  web:\n"
                "dependencies:\n  kemal:\n    github: x/y\n  ameba:\n"
            },
            "src/a.cr",
            "Crystal >=1.12, Kemal",
            "install: shards install, build: shards build, test: crystal spec, lint: bin/ameba",
            "",
        ),
        (
            {"a.nimble": 'requires "nim >= 1.6.0"\nbin = @["a"]\ntask lint, "x":\n'},
            "src/a.nim",
            "Nim >=1.6.0",
            "install: nimble install --depsOnly, build: nimble build, test: nimble test, lint: nimble lint",
            "",
        ),
        (
            {
                "build.zig": 'b.step("test", "x"); b.step("run", "x");',
                "build.zig.zon": '.{ .name = .a, .minimum_zig_version = "0.14.0" }',
            },
            "src/main.zig",
            "Zig 0.14.0+",
            "build: zig build, test: zig build test, run: zig build run",
            "",
        ),
        (
            {"foundry.toml": '[profile.default]\nsolc = "0.8.20"\n'},
            "src/A.sol .gitmodules",
            "Solidity 0.8.20, Foundry",
            "install: forge install, build: forge build, test: forge test, format: forge fmt",
            "",
        ),
        (
            {"hardhat.config.ts": 'export default { solidity: "0.8.24" };'},
            "contracts/A.sol yarn.lock",
            "Solidity 0.8.24, Hardhat",
            "install: yarn install, build: npx hardhat compile, test: npx hardhat test",
            "",
        ),
        (
            {
                "main.tf": 'module "a" {\n  source = "./modules/a"\n}\nprovider "aws" {}\n',
                "versions.tf": 'required_version = ">= 1.5"\nsource = "hashicorp/aws"\nversion = "~> 5.0"\n',
            },
            "modules/a/main.tf tests/a.tftest.hcl",
            "Terraform >=1.5, AWS provider 5",
            "install: terraform init, test: terraform test, lint: terraform validate, "
            "format: terraform fmt -recursive, run: terraform plan",
            "modules/a",
        ),
        (
            {"Chart.yaml": "name: web\ndependencies:\n- name: redis\n"},
            "templates/a.yaml",
            "Helm",
            "install: helm dependency update, build: helm package ., lint: helm lint .",
            "",
        ),
        (
            {"MODULE.bazel": 'module(name = "x")'},
            "a.cc",
            "C++, Bazel",
            "build: bazel build //..., test: bazel test //...",
            "",
        ),
        (
            {".buckconfig": "[cells]\n"},
            "a.cc",
            "C++, Buck",
            "build: buck2 build //..., test: buck2 test //...",
            "",
        ),
        (
            {
                "pants.toml": '[GLOBAL]\nbackend_packages = ["pants.backend.python.typecheck.mypy"]\n'
            },
            "a.py",
            "Python, Pants",
            "test: pants test ::, lint: pants lint ::, typecheck: pants check ::, format: pants fmt ::",
            "",
        ),
        (
            {"nx.json": "{}", "package.json": '{"devDependencies": {"nx": "20.1.0"}}'},
            "a.ts",
            "TypeScript, Nx 20.1, npm",
            "install: npm install, build: npx nx run-many -t build, test: npx nx run-many -t test",
            "",
        ),
        (
            {
                "turbo.json": '{"tasks": {"build": {}, "test": {}, "dev": {}}}',
                "package.json": '{"devDependencies": {"turbo": "^2.1"}, "workspaces": ["apps/*"],'
                ' "packageManager": "yarn@4.1.0", "scripts": {"build": "turbo run build"}}',
            },
            "apps/web/package.json apps/web/a.ts",
            "TypeScript, yarn, Turborepo 2.1",
            "install: yarn install, build: yarn build, test: npx turbo run test",
            "apps/web",
        ),
        (
            {"lerna.json": '{"packages": ["libs/*"]}'},
            "libs/a/package.json libs/a/x.js",
            "JavaScript",
            "build: npx lerna run build, test: npx lerna run test",
            "libs/a",
        ),
        (
            {"pnpm-workspace.yaml": "packages:\n- 'libs/*'\n"},
            "libs/a/package.json libs/a/x.ts",
            "TypeScript",
            "build: pnpm -r build, test: pnpm -r test",
            "libs/a",
        ),
        (
            {"pyproject.toml": '[tool.uv.workspace]\nmembers = ["libs/*"]\n'},
            "libs/a/pyproject.toml libs/a/x.py",
            "Python, uv",
            "install: uv sync",
            "libs/a",
        ),
        (
            {"Cargo.toml": '[workspace]\nmembers = ["crates/*"]\n'},
            "crates/a/Cargo.toml crates/a/src/lib.rs",
            "Rust",
            "build: cargo build, test: cargo test",
            "crates/a",
        ),
        (
            {
                "settings.gradle.kts": 'include(":app", ":lib:core")\n',
                "build.gradle.kts": 'plugins { id("com.diffplug.spotless") }\n',
            },
            "app/build.gradle.kts app/A.kt lib/core/build.gradle.kts gradlew",
            "Kotlin, Gradle",
            "build: ./gradlew build, test: ./gradlew test, lint: ./gradlew spotlessCheck",
            "app, lib/core",
        ),
        (
            {"go.work": "go 1.22\n\nuse (\n\t./api\n\t./lib\n)\n", "api/go.mod": "module x/api\n"},
            "api/a.go lib/go.mod lib/b.go",
            "Go 1.22",
            "",
            "api, lib",
        ),
        (
            {"pom.xml": "<modules><module>core</module></modules>\n<source>1.8</source>"},
            "core/pom.xml core/src/main/java/A.java",
            "Java 8+, Maven",
            "build: mvn package, test: mvn test",
            "core",
        ),
        (
            {"gleam.toml": 'name = "a"\ngleam = ">= 1.4"\n'},
            "src/a.gleam",
            "Gleam >=1.4",
            "build: gleam build, test: gleam test, format: gleam format",
            "",
        ),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_each_ecosystem_has_its_stack_commands_and_members(
    configs: dict[str, str], others: str, stack: str, commands: str, members: str
) -> None:
    found = facts(configs, *others.split())
    assert ", ".join(found.stack) == stack
    assert ", ".join(path for path, _, _ in found.packages) == members
    shown = {f"{command.verb}: {command.line}" for command in found.commands}
    assert set(filter(None, commands.split(", "))) <= shown


def test_a_go_workspace_without_a_module_at_the_root_is_used_by_folder() -> None:
    configs = {"go.work": "use ./api\nuse ./lib\n", "api/go.mod": "module x/api\n"}
    found = facts(configs, "api/a.go", "lib/go.mod", "lib/b.go")
    assert ("go test ./...", "api") in [(each.line, each.folder) for each in found.commands]


def test_a_guess_is_made_only_where_nothing_is_told() -> None:
    configs = {"nx.json": "{}", "package.json": '{"scripts": {"test": "nx run-many -t test"}}'}
    found = facts(configs, "a.ts")
    assert lines(found, "test") == ["npm test"]
    assert lines(found, "build") == ["npx nx run-many -t build"]


def test_ci_says_in_which_environment_a_tool_runs() -> None:
    configs = {
        ".pre-commit-config.yaml": "",
        WORKFLOW: ci("uv run --locked --group lint pre-commit run --all-files"),
    }
    found = facts(configs, "a.py")
    assert lines(found, "lint") == ["uv run --group lint pre-commit run --all-files"]


def test_a_check_of_the_format_in_ci_tells_how_to_format() -> None:
    found = facts({"Cargo.toml": "[package]\n", WORKFLOW: ci("cargo fmt -- --check")}, "src/lib.rs")
    assert lines(found, "format") == ["cargo fmt"]


def test_a_workflow_with_a_folder_of_its_own_says_nothing_of_the_root() -> None:
    text = "defaults:\n  run:\n    working-directory: sub\n" + ci("pytest")
    assert facts({WORKFLOW: text}, "a.py").commands == ()


def test_folders_with_their_own_manifest_get_commands_when_the_root_has_none() -> None:
    configs = {"web/package.json": '{"scripts": {"test": "x"}}', "api/go.mod": "module api\n"}
    found = facts(configs, "web/a.ts", "api/a.go")
    assert ("npm test", "web") in [(command.line, command.folder) for command in found.commands]
    assert ("go test ./...", "api") in [
        (command.line, command.folder) for command in found.commands
    ]


def test_a_folder_with_tests_is_told_where_the_root_only_installs() -> None:
    root = "[tool.uv]\nworkspace.members = ['api']\n"
    api = '[project]\nname = "api"\n[tool.uv]\n[tool.pytest.ini_options]\n'
    found = facts({"pyproject.toml": root, "api/pyproject.toml": api}, "api/a.py")
    told = [(command.verb, command.line, command.folder) for command in found.commands]
    assert ("install", "uv sync", "") in told and ("test", "uv run pytest", "api") in told
    section = ctx.render_section_commands(found.commands)
    assert "- Install: `uv sync`\n" in section  # once is enough for all members
    assert "- Test: `uv run pytest` in `api`\n" in section


def test_what_a_document_warns_of_is_no_command() -> None:
    text = "You should not run `cargo test`, or `cargo build`. Never use `make all`.\n"
    configs = {"Cargo.toml": '[package]\nname = "a"\n', "AGENTS.md": text + "`just test` fails.\n"}
    found = facts(configs | {"justfile": "lint:\n  x\n"}, "src/lib.rs")
    assert [command.source for command in found.commands if "AGENTS" in command.source] == []


def test_a_document_may_say_where_its_lines_run() -> None:
    app = "name: app\ndependencies:\n  flutter:\n    sdk: flutter\n"
    configs = {"pubspec.yaml": "name: x_workspace\nworkspace:\n  - app\n", "app/pubspec.yaml": app}
    configs["AGENTS.md"] = "# X\n\nRun from `app/` unless said.\n\n```sh\nfvm flutter test\n```\n"
    configs["README.md"] = "# Thing\n\nStar us!\n\nThing is a way to send files.\n"
    found = facts(configs, "app/lib/main.dart", "app/lib/a.dart")
    told = [(command.verb, command.line, command.folder) for command in found.commands]
    assert ("test", "fvm flutter test", "app") in told and ("test", "dart test", "") not in told
    assert (found.name, found.summary) == ("Thing", "Thing is a way to send files.")
    assert found.key_files[0] == ("app/lib/main.dart", "program entry point")


def test_a_tool_that_is_only_named_gets_its_arguments_from_the_manifest() -> None:
    configs = {"build.zig.zon": ".{ .name = .a }\n", "CONTRIBUTING.md": "Use `zig fmt` first.\n"}
    assert lines(facts(configs, "src/main.zig", "build.zig"), "format") == ["zig fmt ."]


def test_what_a_build_does_not_have_is_no_command() -> None:
    swift = 'let package = Package(name: "A", platforms: [.iOS(.v18)], targets: [.testTarget(name: "T")])'
    assert facts({"Package.swift": swift}, "Sources/A/a.swift").commands == ()
    mac = swift.replace(".iOS", ".macOS(.v14), .iOS")
    assert lines(facts({"Package.swift": mac}, "Sources/A/a.swift"), "test") == ["swift test"]
    auto = {"configure.ac": "AC_INIT([a])\n", "Makefile.am": "SUBDIRS = src\n"}
    assert lines(facts(auto, "a.c"), "test") == []
    assert lines(facts(auto | {"Makefile.am": "TESTS = t/a\n"}, "a.c"), "test") == ["make check"]
    gradle = {
        "settings.gradle": "include 'application'\n",
        "build.gradle": "plugins { id 'java' }\n",
    }
    assert lines(facts(gradle, "src/main/java/A.java"), "run") == []
    rails = {"Gemfile": "source 'x'\ngem 'rails'\n"}
    assert lines(facts(rails, "bin/bundle", "app/a.rb"), "build") == []


def test_a_folder_of_another_ecosystem_gets_only_its_commands() -> None:
    ui = '{"scripts": {"test": "vitest"}, "devDependencies": {"vitest": "1"}}'
    configs = {"build.gradle": "", "gradlew": "", "ui/build.gradle": "", "ui/package.json": ui}
    files = [f"src/main/java/{name}.java" for name in "ab"] + ["ui/src/a.ts", "ui/src/b.ts"]
    found = facts(configs, *files)
    assert lines(found, "test") == ["./gradlew test", "npm test"]


def test_a_version_catalogue_tells_the_frameworks() -> None:
    catalogue = (
        '[versions]\nkotlin = "2.1.0"\n[plugins]\napp = { id = "com.android.application" }\n'
    )
    configs = {"gradle/libs.versions.toml": catalogue, "build.gradle.kts": ""}
    assert facts(configs, "app/src/main/kotlin/A.kt").stack == ("Kotlin 2.1.0", "Android", "Gradle")


def test_of_two_build_systems_the_one_that_is_told_gives_all_commands() -> None:
    configs = {"pom.xml": "<project/>", "build.gradle": "plugins { id 'com.diffplug.spotless' }\n"}
    configs["CONTRIBUTING.md"] = "Run `mvn test` first.\n"
    found = facts(configs, "src/main/java/A.java")
    assert lines(found, "build") == ["mvn package"] and lines(found, "test") == ["mvn test"]
    assert lines(found, "lint") == []
    configs["CONTRIBUTING.md"] = "Run `gradle test` first.\n"
    assert lines(facts(configs, "src/main/java/A.java"), "build") == ["gradle build"]


def test_half_a_build_with_cmake_is_none() -> None:
    configs = {"CMakeLists.txt": "project(x)\n"}
    configs["CONTRIBUTING.md"] = "Without a cache: `cmake -B build -D CACHE=OFF`\n"
    whole = ["cmake -B build && cmake --build build"]
    assert lines(facts(configs, "a.c"), "build") == whole
    configs["CONTRIBUTING.md"] = "Then `cmake --build build`\n"
    assert lines(facts(configs, "a.c"), "build") == whole


def test_a_script_that_a_document_calls_must_be_there() -> None:
    configs = {
        "package.json": '{"scripts": {"test": "x"}}',
        "README.md": "In web: `npm run build`\n",
    }
    assert lines(facts(configs, "a.js"), "build") == []
    assert lines(facts(configs, "a.js"), "test") == ["npm test"]


def test_what_a_guide_tells_to_make_is_what_its_name_says() -> None:
    configs = {"Makefile": "install:\n\tpip install .\n", "pyproject.toml": "[project]\n"}
    assert lines(facts(configs, "a.py"), "install") == ["pip install -e ."]
    configs["CONTRIBUTING.md"] = "```sh\nmake install\n```\n"
    assert lines(facts(configs, "a.py"), "install") == ["make install"]


def test_a_project_is_summed_up_by_its_manifest_or_a_definition_in_its_readme() -> None:
    readme = "# Lark\n\nLark is a parser for all grammars.\n"
    assert facts({"README.md": readme}, "a.py").summary == "Lark is a parser for all grammars."
    manifest = '{"name": "lark", "description": "Parses all languages"}'
    assert (
        facts({"README.md": readme, "package.json": manifest}, "a.js").summary
        == "Parses all languages"
    )
    assert facts({"README.md": "# Lark\n\nClick the button to begin.\n"}, "a.py").summary == ""


@pytest.mark.parametrize(
    ("need", "shown"),
    [
        ("jinja2<4.0,>=3.1", "Jinja >=3.1"),
        ("jinja2[async]>=3.1,<4", "Jinja >=3.1"),
        ("jinja2~=3.1", "Jinja 3.1"),
    ],
)
def test_the_version_in_the_stack_is_the_least_one_and_says_so(need: str, shown: str) -> None:
    configs = {"pyproject.toml": f'[project]\nname = "x"\ndependencies = ["{need}"]\n'}
    assert shown in facts(configs, "a.py").stack


def test_frameworks_of_two_members_are_the_stack() -> None:
    configs = {
        "api/pyproject.toml": '[project]\nname = "api"\ndependencies = ["fastapi>=0.1"]\n',
        "web/package.json": '{"name": "web", "dependencies": {"react": "^19.0.0"}}',
    }
    stack = facts(configs, "api/a.py", "web/a.ts").stack
    assert "FastAPI >=0.1" in stack and "React 19" in stack


def test_a_workflow_that_changes_do_not_start_is_no_key_file() -> None:
    path = ".github/workflows/long-test.yml"
    idle = "on:\n  schedule:\n    - cron: x\n" + ci("pytest")
    assert path not in dict(facts({path: idle}, "a.py").key_files)
    assert path in dict(facts({path: idle.replace("schedule", "push")}, "a.py").key_files)


def test_hostile_names_never_become_commands() -> None:
    text = '{"scripts": {"te`st`": "x", "test\\nrm": "x", "lint $(x)": "x"}}'
    assert facts({"package.json": text}, "a.js").commands == ()


def test_a_star_in_a_name_is_only_a_name() -> None:
    configs = {"go.mod": "module x\n", "package.json": '{"main": "src/*"}', "a.gemspec": ""}
    found = facts(configs, "cmd/*/main.go", "exe/*", "lib/*.rb", "src/a.js")
    assert "src/*" not in [path for path, _ in found.key_files]
    assert all("*" not in command.line for command in found.commands)


def test_the_text_of_a_script_is_never_shown() -> None:
    text = '{"scripts": {"test": "TOKEN=hunter2 mocha", "check": "tsc hunter2"}}'
    assert "hunter2" not in repr(facts({"package.json": text}, "a.js"))


# Packages, key files, conventions


def test_members_of_a_workspace_are_found_by_its_globs() -> None:
    configs = {
        "package.json": '{"workspaces": ["packages/*"]}',
        "packages/a/package.json": '{"name": "@x/a", "dependencies": {"vue": "^3.4"}}',
    }
    found = facts(configs, "packages/a/i.ts", "packages/b/package.json", "other/package.json")
    assert found.packages == (
        ("packages/a", "@x/a", "TypeScript, Vue"),
        ("packages/b", "b", ""),
    )


def test_yaml_and_xml_and_toml_workspaces_have_members() -> None:
    pnpm = facts(
        {"pnpm-workspace.yaml": "packages:\n- 'libs/*'\n"}, "libs/a/package.json", "libs/a/x.ts"
    )
    maven = facts({"pom.xml": "<module>core</module>"}, "core/pom.xml", "core/src/main/java/A.java")
    cargo = facts(
        {"Cargo.toml": '[workspace]\nmembers=["crates/*"]'},
        "crates/a/Cargo.toml",
        "crates/a/src/lib.rs",
    )
    assert [p[0] for f in (pnpm, maven, cargo) for p in f.packages] == [
        "libs/a",
        "core",
        "crates/a",
    ]


def test_a_corner_in_c_is_no_package() -> None:
    go = [f"pkg/m{number}.go" for number in range(9)]
    corners = ["x/a/go.mod", "x/a/a.c", "x/b/CMakeLists.txt", "x/b/b.c"]
    assert facts({"go.mod": "module x\n"}, *go, *corners).packages == ()


def test_the_stack_is_what_the_root_needs_not_the_taste_of_one_package() -> None:
    configs = {
        "package.json": '{"dependencies": {"express": "^5.1"}, "devDependencies": {"vite": "1"}}'
    }
    configs |= {f"packages/{n}/package.json": "{}" for n in range(9)}
    configs["packages/0/package.json"] = '{"dependencies": {"react": "^19", "webpack": "^5"}}'
    found = facts(configs, "packages/0/a.js")
    assert found.stack == ("JavaScript", "Express 5.1", "npm")


def test_libraries_are_what_the_program_needs_when_it_runs() -> None:
    configs = {
        "pyproject.toml": '[project]\nname = "a"\ndependencies = ["kombu>=5.5", "vine"]\n'
        '[project.optional-dependencies]\nweb = ["django"]\n[dependency-groups]\ndev = ["tox"]\n'
    }
    assert facts(configs, "a.py").libraries == ("kombu", "vine")
    told = (
        '[project]\nname = "a"\ndependencies = ["kombu", "pytest-mock", "setuptools", "django"]\n'
    )
    found = facts({"pyproject.toml": told}, "a.py")  # a framework stands in the stack already
    assert (found.stack, found.libraries) == (("Python", "Django"), ("kombu",))
    gems = "source 'x'\ngem 'puma'\ngroup :test do\n  gem 'faker'\nend\ngem 'pry', group: :development\n"
    assert facts({"Gemfile": gems}, "a.rb").libraries == ("puma",)
    pom = (
        "<dependencyManagement><dependency><artifactId>x</artifactId></dependency></dependencyManagement>"
        "<dependency><artifactId>jctools-core</artifactId></dependency>"
        "<dependency><artifactId>y</artifactId><scope>test</scope></dependency>"
    )
    assert facts({"pom.xml": pom}, "src/main/java/A.java").libraries == ("jctools-core",)
    cargo = '[package]\nname = "a"\n[dependencies]\nropey = "1.6"\nx = { version = "1", optional = true }\n'
    assert facts({"Cargo.toml": cargo}, "src/lib.rs").libraries == ("ropey",)
    assert facts({"Makefile": ""}, "src/a.c", "deps/lua/lua.c").libraries == ("lua",)


def test_headers_are_of_the_language_of_the_sources() -> None:
    headers = [f"include/{name}.h" for name in "abcd"]
    assert facts({}, "src/a.cc", "src/b.cc", *headers).stack == ("C++",)
    assert facts({}, "src/a.c", "src/b.c", *headers).stack == ("C",)


def test_tests_are_described_by_place_name_and_runner() -> None:
    found = facts({"pytest.ini": "[pytest]\n"}, "a.py", "tests/test_a.py", "tests/test_b.py")
    assert found.conventions[0] == "tests in tests/, named test_*.py (pytest)"


def test_the_runner_of_tests_is_one_for_their_language() -> None:
    script = {"go.mod": "module x.io/y\n", "package.json": '{"devDependencies": {"vitest": "1"}}'}
    tests = ["a/a_test.go", "b/b_test.go", "ui/app.test.ts"]
    code = [f"ui/{name}.ts" for name in "abc"] + [f"a/{name}.go" for name in "abc"]
    assert facts(script, *tests, *code).conventions[0] == ("tests beside the code, named *_test.go")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("settings.gradle.kts", 'rootProject.name = "lark-parent"\n'),
        (
            "pom.xml",
            "<project>\n<parent>\n  <artifactId>oss</artifactId>\n</parent>\n<groupId>io.x</groupId>\n"
            "<artifactId>lark-parent</artifactId>\n</project>\n",
        ),
        ("configure.ac", "AC_INIT([lark], [1.0])\n"),
        ("meson.build", "project('lark', 'c')\n"),
        ("setup.py", "NAME = 'lark'\nsetup(name=NAME)\n"),
    ],
)
def test_a_build_file_names_the_project(path: str, text: str) -> None:
    code = {"pom.xml": "A.java", "settings.gradle.kts": "A.kt", "setup.py": "a.py"}
    assert facts({path: text}, code.get(path, "a.c")).name == "lark"


# Roles


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("src/app.py", "source"),
        ("django/test/client.py", "source"),
        ("src/_mytest/nodes.py", "source"),
        ("http/src/jvmTest/kotlin/a/Calls.kt", "test"),
        ("app/src/testFixtures/java/a/Calls.java", "test"),
        ("t/unit/app.py", "test"),
        ("numpy/testing/utils.py", "source"),
        ("lib/rails/generators/test/model.rb", "source"),
        ("pkg/test/test_a.py", "test"),
        ("sklearn/tests/common.py", "test"),
        ("tests/helpers.py", "test"),
        ("spec/models/user.rb", "test"),
        ("src/test/java/com/x/Helper.java", "test"),
        ("src/main/java/org/junit/ParameterizedTest.java", "source"),
        ("src/main/java/org/acme/samples/shop/Till.java", "source"),
        ("app/src/main/kotlin/com/example/demo/Main.kt", "source"),
        ("samples/src/main/java/org/acme/Till.java", "example"),
        ("single_include/json.hpp", "generated"),
        ("mvnw", "vendored"),
        ("a/FooTest.java", "test"),
        ("a/latest.java", "source"),
        ("pkg/a_test.go", "test"),
        ("web/a.spec.ts", "test"),
        ("web/__tests__/a.ts", "test"),
        ("Dapper.Tests/Query.cs", "test"),
        ("lib/example.rb", "source"),
        ("examples/a/main.go", "example"),
        ("docs/conf.py", "doc"),
        ("crates/core/flags/doc/man.rs", "source"),
        ("README.md", "doc"),
        ("vendor/a/b.go", "vendored"),
        ("deps/lua/lua.c", "vendored"),
        ("src/deps/graph.py", "source"),
        ("dist/a.js", "generated"),
        ("a/api_pb2.py", "generated"),
        ("package-lock.json", "generated"),
        ("app/migrations/0001_initial.py", "generated"),
        ("django/db/migrations/autodetector.py", "source"),
        ("static/jquery.min.js", "minified"),
        ("build/compile.py", "build"),
        ("Makefile", "build"),
        ("pyproject.toml", "config"),
        (".github/workflows/ci.yml", "config"),
        ("conf/locale/de/formats.py", "data"),
        ("assets/logo.png", "data"),
    ],
)
def test_a_path_tells_what_a_file_is_for(path: str, role: str) -> None:
    assert ctx.role_of(path) == role


def test_configs_of_vendored_and_test_trees_are_not_read() -> None:
    assert ctx.is_config("packages/a/package.json")
    assert ctx.is_config(WORKFLOW)
    assert not ctx.is_config("node_modules/a/package.json")
    assert not ctx.is_config("tests/fixtures/package.json")
    assert not ctx.is_config("src/README.md")


# Structure and modules


def test_the_tree_collapses_chains_and_puts_code_first() -> None:
    files = ["src/main/java/com/x/A.java", "src/main/java/com/x/B.java", "docs/a.md", "README.md"]
    assert ctx.build_tree(files, 3, {}) == [
        (".", 0, "4 files"),
        ("src/main/java/com/x/", 1, "2 Java files"),
        ("docs/", 1, "docs, 1 file"),
    ]


def test_the_formatter_is_the_one_that_the_hooks_run() -> None:
    hooks = "repos:\n- hooks:\n  - id: ruff-format\n- hooks:\n  -   id: blacken-docs\n"
    configs = {"pyproject.toml": "[tool.black]\n", ".pre-commit-config.yaml": hooks}
    found = ctx.detect_facts([*configs, "a.py"], configs).commands
    assert [row.line for row in found if row.verb == "format"] == ["ruff format"]


def test_tests_do_not_name_a_folder_that_holds_code() -> None:
    files = ["doc/man.go", "doc/man_test.go", "doc/yaml_test.go", "crate/src/lib.rs", "main.go"]
    files += [f"crate/tests/t{number}.rs" for number in range(9)] + ["docs/a.md", "docs/conf.py"]
    notes = {path: note for path, _, note in ctx.build_tree(files, 1, {})}
    assert notes["doc/"] == "1 Go file" and notes["docs/"] == "docs, 2 files"
    assert notes["crate/"] == "1 Rust file"


def test_many_siblings_are_folded_and_notes_are_taken() -> None:
    files = [f"lib{number:02}/a.py" for number in range(30)]
    entries = ctx.build_tree(files, 2, {"lib00": "the core"})
    assert ("lib00/", 1, "the core") in entries
    assert entries[-1] == ("…", 1, "and 6 more")


def test_any_first_entries_of_a_tree_are_a_tree() -> None:
    files = ["a/b/c.py", "a/d/e.py", "a/x.py", "f/g.py"]
    entries = ctx.build_tree(files, 4, {})
    for count in range(1, len(entries) + 1):
        shown = {path for path, _, _ in entries[:count]}
        assert all(
            any(path.startswith(p) for p in shown if p != ".")
            for path, depth, _ in entries[:count]
            if depth > 1
        )
    survey = ctx.Survey(ctx.detect_facts(files, {}), entries, [], [], 0, {}, {}, [], True)
    part = next(part for part in ctx.render_parts(survey) if part.title == "Structure")
    printed = [line.split()[0] for _, line in sorted(zip(part.order, part.lines, strict=True))]
    assert printed == [".", "a/", "b/", "d/", "f/"]


def test_a_large_module_is_split_and_described_by_its_own_words() -> None:
    files = [f"src/pkg/{part}/m{n}.py" for part in ("api", "core", "web", "db") for n in range(5)]
    files += ["src/pkg/api/__init__.py", "top.py"]
    modules = ctx.describe_modules(files, {"src/pkg/api/__init__.py": "Talks to clients."})
    assert modules[0] == ("src/pkg/api", 6, "Talks to clients.")
    assert [path for path, _, _ in modules[1:4]] == ["src/pkg/core", "src/pkg/db", "src/pkg/web"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "# Title\n\n[![b](x)](y)\n\nA **small** [tool](http://x) for you. More.",
            "A small tool for you.",
        ),
        (
            "Title\n=====\n\n.. image:: x\n\nIt does one thing, e.g. this. And that.",
            "It does one thing, e.g. this.",
        ),
        (
            "<h1>T</h1>\n<p align=center>Fast code for all &amp; none</p>",
            "Fast code for all & none",
        ),
        ("---\ntitle: x\n---\n<!-- c -->\nPlain words stand here.", "Plain words stand here."),
        ("```\ncode is not prose at all\n```\nThis is the prose.", "This is the prose."),
        ("Please follow the guide.\n\nThing is a tool for all.", "Thing is a tool for all."),
        ("> **Note:** this moved elsewhere.\n\nRun it in the root folder.", ""),
        ("Builds and more: https://example.com/x", ""),
        (
            "Renderers (e.g. @x/dom, i.e. Those) work. More.",
            "Renderers (e.g. @x/dom, i.e. Those) work.",
        ),
        ("", ""),
        ("# Only\n- a list", ""),
    ],
)
def test_the_first_sentence_is_prose_without_markup(text: str, sentence: str) -> None:
    assert ctx.first_sentence(text) == sentence


def test_a_manifest_describes_its_package() -> None:
    found = facts({"a/package.json": '{"description": "Draws boxes on screens."}'})
    assert found.about == {"a/package.json": "Draws boxes on screens."}


# Odd input

KIND_NAMES = """
pyproject.toml setup.cfg tox.ini setup.py requirements.txt noxfile.py package.json
pnpm-workspace.yaml lerna.json deno.jsonc tsconfig.json .prettierrc Cargo.toml
rustfmt.toml go.mod go.work magefile.go Makefile justfile Taskfile.yml pom.xml
build.gradle settings.gradle.kts CMakeLists.txt Gemfile a.gemspec Rakefile composer.json
mix.exs a.sln a.csproj Package.swift pubspec.yaml compose.yml .editorconfig
.gitlab-ci.yml .circleci/config.yml build.sbt build.mill project.clj rebar.config gleam.toml
melos.yaml stack.yaml cabal.project a.cabal dune-project a.opam Project.toml DESCRIPTION shard.yml
a.nimble build.zig build.zig.zon dub.sdl fpm.toml foundry.toml hardhat.config.ts main.tf
versions.tf Chart.yaml MODULE.bazel pants.toml nx.json turbo.json
"""
KINDS = [*KIND_NAMES.split(), WORKFLOW]
KINDS += "Makefile.PL info.rkt spago.yaml Cask Eask a.asd a.rockspec .busted stylua.toml".split()
KINDS += "selene.toml wally.toml default.project.json alire.toml _CoqProject build.ps1".split()
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["scripts", "project", "tool", "dependencies", "workspaces", "bin", "name", "0"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=300))
def test_no_text_in_any_config_raises(text: str) -> None:
    configs = dict.fromkeys(KINDS, text)
    assert all(ctx.is_config(path) for path in configs)
    facts(configs, "a.py")
    ctx.first_sentence(text)


@settings(max_examples=60, deadline=None)
@given(VALUES)
def test_no_shape_of_json_raises(value: object) -> None:
    import json

    text = json.dumps(value)
    facts(
        {name: text for name in ("package.json", "composer.json", "deno.json", "lerna.json")},
        "a.js",
    )


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.sampled_from(["- ", "a: ", "  ", "|", "\n", "run", "[x, y]", "'", "#", ":", "x"]),
        max_size=40,
    )
)
def test_no_yaml_raises(parts: list[str]) -> None:
    facts({WORKFLOW: "".join(parts), "pubspec.yaml": "".join(parts)}, "a.py")


@pytest.mark.parametrize(
    "unit",
    [
        *("[", "{", "- ", "/*", "<module>", " ", "a ", "![", "\n ", '"', "`", "<p ", "("),
        *(
            "requires ",
            'source="a/b" ',
            "\n  a",
            ", a",
            "include ",
            " defaults:\n  run:\n   working-directory: x\n",
            "lazy val root = x\n",
            "% ",
            "(a (>= 1 ",
            "\n a (",
            "/",
        ),
    ],
)
def test_a_long_repetition_costs_no_more_than_a_moment(unit: str) -> None:
    text = unit * (20_000 // len(unit))
    facts(dict.fromkeys(KINDS, text), "a.py")
    ctx.first_sentence(text)


def test_the_order_of_files_changes_nothing() -> None:
    configs = {"package.json": '{"scripts": {"test": "x"}}', "Makefile": "test:\n"}
    files = ["a.js", "package.json", "Makefile", "tests/a.test.js", "tests/b.test.js"]
    assert ctx.detect_facts(files, configs) == ctx.detect_facts(
        files[::-1], dict(reversed(configs.items()))
    )


@pytest.mark.parametrize(
    ("files", "language"),
    [
        (["theories/A.v", "theories/B.v", "_CoqProject"], "Coq"),
        (["rtl/a.v", "rtl/b.v", "Makefile"], "Verilog"),
        (["@Robot/plot.m", "Link.m", "mex/a.h"], "MATLAB"),
        (["App/View.m", "App/View.h", "App/Other.h", "App/Third.h"], "Objective-C"),
        (["prolog/a.pl", "pack.pl"], "Prolog"),
        (["lib/A.pm", "bin/a.pl"], "Perl"),
        (["a.cpp", "a.h", "b.h", "c.h"], "C++"),
    ],
)
def test_a_suffix_of_two_languages_is_told_apart_by_what_stands_around_it(
    files: list[str], language: str
) -> None:
    assert ctx.detect_facts(files, {}).stack[0] == language


def test_where_nearly_all_is_examples_they_are_the_stack() -> None:
    files = ["Common/a.h", *(f"Samples/{n}/kernel.cu" for n in range(9))]
    assert "CUDA" in ctx.detect_facts(files, {}).stack


def test_gradle_includes_projects_whose_build_file_has_another_name() -> None:
    configs = {"settings.gradle.kts": 'include("core")\ninclude("web")\n'}
    found = facts(configs, "core/core.gradle.kts", "core/src/A.java", "web/src/B.java")
    assert [path for path, _, _ in found.packages] == ["core", "web"]


def test_the_java_that_code_is_built_for_counts_before_that_of_the_build() -> None:
    text = "languageVersion = JavaLanguageVersion.of(25)\nsourceCompatibility = '17'\n"
    text += "if (JavaVersion.current() >= JavaVersion.VERSION_18) {}\n"
    assert facts({"build.gradle": text}, "src/main/java/A.java").stack[0] == "Java 17+"


def test_a_perl_distribution_is_tested_by_prove() -> None:
    found = facts({"Makefile.PL": "WriteMakefile(NAME => 'Foo')"}, "lib/Foo.pm", "t/a.t", "t/b.t")
    assert lines(found, "test") == ["prove -lr t"]
    assert "tests in t/" in found.conventions


def test_where_the_build_is_the_product_its_language_is_told() -> None:
    files = ["a.py", *(f"modules/{n}.nix" for n in range(5))]
    assert ctx.detect_facts(files, {}).stack == ("Nix", "Python")
    assert ctx.detect_facts(["a.py", "b.py", "rules.mk", "x.nix"], {}).stack == ("Python",)


def test_what_a_member_needs_counts_for_those_that_build_on_it() -> None:
    code = {f"{name}/lib/x{n}.rb": "" for name in ("base", "web", "mail") for n in range(6)}
    code |= {f"other/lib/y{n}.rb": "" for n in range(50)}
    gems = {f"{n}/{n}.gemspec": f's.name = "{n}"\n' for n in ("base", "web", "mail", "other")}
    gems["base/base.gemspec"] += 's.add_dependency "rack", "3"\n'
    for name in ("web", "mail"):
        gems[f"{name}/{name}.gemspec"] += 's.add_dependency "base"\n'
    facts = ctx.detect_facts([*code, *gems], gems)
    assert facts.libraries == ("rack",)


def test_the_class_of_the_application_is_a_key_file() -> None:
    def symbol(path: str, name: str) -> ctx.Symbol:
        return ctx.Symbol(1.0, path, ctx.Definition(1, 9, "class", name, "", name, "", True))

    symbols = [symbol(f"src/Part{n}.php", f"Part{n}") for n in range(9)]
    symbols += [
        symbol("src/Shop/Other.php", "Shop"),
        symbol("src/Base/Application.php", "Application"),
    ]
    assert ctx.rank_key_files([], symbols, {}, "shop")[0][0] == "src/Base/Application.php"


def test_a_task_of_a_tool_in_bin_is_a_command() -> None:
    flow = ".github/workflows/test.yml"
    texts = {
        "Gemfile": "source 'x'\ngem 'rails'\n",
        flow: "on: push\njobs:\n  a:\n    steps:\n      - run: bin/rails assets:precompile\n",
    }
    facts = ctx.detect_facts(["bin/rails", "app/x.rb", *texts], texts)
    assert ("build", "bin/rails assets:precompile") in [command[:2] for command in facts.commands]


def test_what_a_container_starts_is_an_entry_point() -> None:
    texts = {
        "Dockerfile": 'FROM x\nCOPY . /app\nENTRYPOINT ["/bin/sh", "bin/start.sh"]\nCMD ["gone.py"]\n'
    }
    facts = ctx.detect_facts(["bin/start.sh", "app.rb", *texts], texts)
    assert ("bin/start.sh", "container entry point") in facts.key_files
    assert "gone.py" not in dict(facts.key_files)


# What is not sure is not said


def test_of_two_runners_at_the_root_none_is_named() -> None:
    code = ["a.js", "test/a.js", "test/b.js"]
    both = {"package.json": '{"devDependencies": {"jest": "30", "borp": "1"}}'}
    assert facts(both, *code).conventions == ("tests in test/",)
    one = {"package.json": '{"devDependencies": {"borp": "1"}}'}
    assert facts(one, *code).conventions == ("tests in test/ (borp)",)
    inner = {"Gemfile": "gem 'minitest'\n", "sub/x.gemspec": "s.add_development_dependency 'rspec'"}
    found = facts(inner, "lib/a.rb", "sub/lib/b.rb", "test/a_test.rb", "test/b_test.rb")
    assert found.conventions == ("tests in test/, named *_test.rb (minitest)",)


@pytest.mark.parametrize(
    ("line", "tests"),
    [
        ("Minitest::TestTask.create # default", ["bundle exec rake test"]),
        ("Rake::TestTask.new do |t|", ["bundle exec rake test"]),
        ("Rake::TestTask.new(:test) do |t|", ["bundle exec rake test"]),
        ("Minitest::TestTask.create(:'test:core') do |t|", []),
        ("Rake::TestTask.new(:slow) do |t|", []),
    ],
)
def test_a_test_task_of_rake_counts_under_its_own_name(line: str, tests: list[str]) -> None:
    assert lines(facts({"Rakefile": f"{line}\nend\n"}, "lib/a.rb"), "test") == tests


def test_configure_is_made_first_where_it_is_not_kept() -> None:
    configs = {"configure.ac": "AC_INIT([x], [1])\n", WORKFLOW: ci("./configure --enable-docs")}
    assert lines(facts(configs, "a.c"), "build") == ["autoreconf -i && ./configure && make"]
    assert lines(facts(configs, "a.c", "configure"), "build") == ["./configure && make"]
    found = facts(configs, "a.c", "autogen.sh")
    assert lines(found, "build") == ["./autogen.sh && ./configure && make"]


def test_a_target_that_only_checks_the_format_formats_nothing() -> None:
    configs = {"go.mod": "module x.io/y\n"}
    configs["Makefile"] = "fmt:\n\t@test -z $(shell gofmt -l $(SRC)) || exit 1\n"
    assert lines(facts(configs, "a.go"), "format") == ["gofmt -w ."]
    configs["Makefile"] = "fmt:\n\tgofmt -l -w .\n"
    assert lines(facts(configs, "a.go"), "format") == ["make fmt"]


def test_a_script_of_the_manifest_comes_before_what_it_wraps() -> None:
    configs = {"composer.json": '{"scripts": {"compile": "@php -dx=0 bin/compile"}}'}
    assert lines(facts(configs, "src/a.php", "bin/compile"), "build") == ["composer compile"]


def test_the_source_of_an_npm_line_is_where_it_is_typed() -> None:
    guide = "# Build\n\ntest('x')\n\n```sh\nnpm i\nnpm run test\n```\n"
    package = '{"scripts": {"test": "x"}, "devDependencies": {"x": "1"}}'
    found = facts({"CONTRIBUTING.md": guide, "package.json": package}, "a.js")
    sources = [(command.line, command.source) for command in found.commands]
    assert sources == [("npm install", "CONTRIBUTING.md:6"), ("npm test", "CONTRIBUTING.md:7")]


def test_libraries_of_tests_and_extras_are_not_the_stack() -> None:
    gradle = """kotlin {
  sourceSets {
    val jvmMain by getting {
      dependencies {
        api(libs.okio)
      }
    }
    val jvmTest by getting {
      dependencies {
        implementation(libs.robolectric)
        implementation("org.x:fakes:1.0")
      }
    }
  }
  dependencies {
    implementation("org.x:real:1.0")
  }
}
"""
    found = facts({"build.gradle.kts": gradle}, "src/main/kotlin/A.kt")
    assert found.libraries == ("okio", "real")
    mix = """  @elixir_requirement "~> 1.15"
  def cli, do: [{:no_dep, "1.0"}]
  defp deps do
    [{:plug, "~> 1.14"},
     {:jason, "~> 1.0", optional: true}]
  end
"""
    found = facts({"mix.exs": mix}, "lib/a.ex")
    assert (found.stack, found.libraries) == (("Elixir ~>1.15",), ("plug",))
    settings = 'include(":core")\ninclude(":core-testing-support")\n'
    parts = {
        f"{n}/build.gradle": f"api('org.x:{n}-dep:1')" for n in ("core", "core-testing-support")
    }
    code = [f"{path.rpartition('/')[0]}/src/main/java/A.java" for path in parts]
    assert facts({"settings.gradle": settings, **parts}, *code).libraries == ("core-dep",)


def test_examples_and_the_project_itself_are_not_the_stack() -> None:
    crate = '[package]\nname = "x"\n[dev-dependencies]\ntokio = "1.25"\n'
    example = '[package]\nname = "e{}"\n[dependencies]\ntokio = "1"\n'
    examples = {f"examples/e{n}/Cargo.toml": example.format(n) for n in range(5)}
    assert facts({"Cargo.toml": crate, **examples}, "src/lib.rs").stack == ("Rust",)
    package = {"package.json": '{"name": "svelte"}', "svelte.config.js": ""}
    assert "Svelte" not in facts(package, "a.js").stack


def test_of_several_versions_all_are_shown() -> None:
    needs = '{"require": {"php": "^7.2.5 || ^8.0", "symfony/console": "^5.4.47 || ^6.4"}}'
    found = facts({"composer.json": needs}, "src/a.php")
    assert found.stack == ("PHP ^7.2.5 || ^8.0", "Symfony Console", "Composer")
    crate = {"Cargo.toml": '[package]\nname = "x"\nedition = "2021"\n'}
    assert facts(crate, "src/lib.rs").stack == ("Rust 2021 edition",)


def test_images_and_settings_do_not_hide_the_code_beside_them() -> None:
    images = [f"app/res/{number}.png" for number in range(20)]
    roles = [f"roles/r/tasks/{number}.yml" for number in range(60)]
    files = ["app/Main.kt", "app/Two.kt", "app/Three.kt", "app/Four.kt", *images, *roles, "x.py"]
    told = {path: note for path, _, note in ctx.build_tree(files, 1, {})}
    assert told["app/"] == "4 Kotlin files"
    assert [*told][1:] == ["app/", "roles/r/tasks/"]  # most of the files are never left out
    notes = [(path, note) for path, _, note in ctx.build_tree([*images, "app/a.sh"], 1, {})]
    assert notes[1] == ("app/", "data, 21 files")


def test_benchmarks_are_not_called_tests() -> None:
    folders = ctx.build_folders(("x/benches/a.rs", "benchmarks/b/c.js", "tests/bench.py"))
    told = [folders[folder].describe() for folder in ("x/benches", "benchmarks", "tests")]
    assert told == ["benchmarks, 1 file", "benchmarks, 1 file", "tests, 1 file"]


def test_a_flag_is_taken_out_whole_or_not_at_all() -> None:
    configs = {"mix.exs": "", WORKFLOW: ci("mix format --check-formatted")}
    assert "mix format-formatted" not in lines(facts(configs, "lib/a.ex"), "format")


def test_lines_of_a_wrapper_script_are_read_like_those_of_its_tool() -> None:
    guide = "Run `./gradlew check` before you commit, `./gradlew spotlessApply` to format.\n"
    configs = {"build.gradle": "plugins { id 'com.diffplug.spotless' }", "CONTRIBUTING.md": guide}
    found = facts(configs, "gradlew", "src/main/java/A.java")
    assert lines(found, "test") == ["./gradlew check"]
    assert lines(found, "format") == ["./gradlew spotlessApply"]


def test_a_format_script_that_only_reports_is_a_check() -> None:
    scripts = '{"scripts": {"format": "prettier \\"**/*\\"", "fix": "run-s fix:prettier"}}'
    found = facts({"package.json": scripts}, "a.js")
    assert (lines(found, "lint"), lines(found, "format")) == (["npm run format"], ["npm run fix"])


def test_what_only_ci_runs_is_not_how_to_run_the_program() -> None:
    configs = {"Cargo.toml": '[package]\nname = "a"\n', WORKFLOW: ci("cargo run --package notes")}
    assert lines(facts(configs, "src/lib.rs"), "run") == []


def test_lints_of_a_tool_are_no_single_test() -> None:
    guide = "`cargo clippy --workspace -- -D clippy::unwrap_used`\n"
    configs = {"Cargo.toml": '[package]\nname = "a"\n', "CONTRIBUTING.md": guide}
    found = facts(configs, "src/lib.rs")
    assert lines(found, "lint") == ["cargo clippy --workspace -- -D clippy::unwrap_used"]


def test_a_library_that_tests_need_too_is_still_a_library() -> None:
    crate = '[package]\nname = "a"\n[dependencies]\ntower = "1"\n[dev-dependencies]\ntower = "1"\n'
    assert facts({"Cargo.toml": crate}, "src/lib.rs").libraries == ("tower",)
    gems = {"a.gemspec": 's.add_dependency "rack", "~> 3"\n'}
    gems["Gemfile"] = 'source "x"\ngemspec\ngem "rack"\ngem "pry"\n'
    assert facts(gems, "lib/a.rb").libraries == ("rack",)
    package = '{"peerDependencies": {"vue": "3"}, "devDependencies": {"vue": "3", "tsx": "1"}}'
    assert facts({"package.json": package}, "a.js").libraries == ()


def test_members_are_no_libraries_and_vague_names_get_their_owner() -> None:
    member = '[package]\nname = "nu-path"\n'
    root = '[workspace]\nmembers = ["crates/x"]\n'
    crate = '[package]\nname = "x"\n[dependencies]\nnu-path = { path = "../p" }\nserde = "1"\n'
    configs = {"Cargo.toml": root, "crates/x/Cargo.toml": crate, "crates/p/Cargo.toml": member}
    found = facts(configs, "crates/x/src/lib.rs")
    assert "nu-path" not in found.libraries
    needs = "module github.com/a/own\n\ngo 1.22\n\nrequire (\n\tgithub.com/aws/sdk/config v1.0.0\n"
    needs += "\tgithub.com/b/telemetry v1.0.0\n\tgithub.com/a/own/inner v1.0.0\n)\n"
    found = facts({"go.mod": needs}, "main.go", "config/a.go")
    assert found.libraries == ("sdk/config", "telemetry")
    php = '{"name": "a/b", "require": {"psr/log": "1", "psr/cache": "1"}}'
    assert facts({"composer.json": php}, "src/a.php").libraries == ("psr/log", "psr/cache")


def test_libraries_are_ranked_by_imports_before_they_are_cut() -> None:
    names = [f"lib-{number:02d}" for number in range(60)]
    files = {"a.py": ctx.FileTags((), {}, ("lib_59.core", "lib_58"), "")}
    files["b.py"] = ctx.FileTags((), {}, ("lib_59",), "")
    ranked = ctx.rank_libraries(names, files)
    assert ranked[:3] == ["lib-59", "lib-58", "lib-00"] and len(ranked) == 40


@pytest.mark.parametrize(
    ("readme", "summary"),
    [
        ("# Kite\n\nScala 2.13 is the only supported version.\n", ""),
        ("# Kite\n\nKite, a project of ours, is a toy.\n", "Kite, a project of ours, is a toy."),
        ("# Kite\n\nHTTP is everywhere.\n\nKite is a client:\n\n- fast\n", "Kite is a client."),
        ("# Kite\n\nKite allows you to fly.\n", "Kite allows you to fly."),
    ],
)
def test_a_summary_is_about_the_project_itself(readme: str, summary: str) -> None:
    assert facts({"README.md": readme}, "a.py").summary == summary


def test_fixtures_and_benchmarks_do_not_tell_where_tests_are() -> None:
    data = [f"pkg/testdata/{number}.tf" for number in range(9)]
    bench = [f"benches/{number}.go" for number in range(9)]
    found = facts({"go.mod": "module a\n"}, *data, *bench, "pkg/a_test.go", "pkg/b_test.go")
    assert found.conventions == ("tests beside the code, named *_test.go",)


def test_a_folder_without_code_is_no_module_for_its_manifest() -> None:
    configs = {f"tool/{name}/composer.json": "{}" for name in ("a", "b")}
    assert facts({"composer.json": "{}", **configs}, "src/a.php").packages == ()


def test_entry_points_are_sources_not_what_is_built_from_them() -> None:
    package = '{"exports": {".": {"types": "./types/i.d.ts", "default": "./dist/i.js"}}}'
    files = ("types/i.d.ts", "dist/i.js", "src/i.js")
    found = facts({"package.json": package}, *files)
    assert [path for path, reason in found.key_files if "entry" in reason] == ["src/i.js"]
    found = facts({"composer.json": '{"bin": ["bin/thing"]}'}, "bin/thing", "src/A.php")
    assert ("bin/thing", "command") in found.key_files


def test_versions_of_sdks_and_standards() -> None:
    sdk = {"global.json": '{"sdk": {"version": "10.0.100"}}', "a.csproj": "<Project/>"}
    assert ".NET 10.0.100" in facts(sdk, "A.cs").stack
    cmake = "project(x)\nset(CMAKE_C_STANDARD 11)\ntarget_compile_features(x PUBLIC cxx_std_17)\n"
    assert "C 11" in facts({"CMakeLists.txt": cmake}, "a.c").stack
    assert "C++ 17" in facts({"CMakeLists.txt": cmake}, "a.cpp").stack
    modules = {"CMakeLists.txt": cmake, ".gitmodules": '[submodule "x"]\n'}
    assert lines(facts(modules, "a.c"), "install") == ["git submodule update --init"]


@pytest.mark.parametrize(
    ("line", "manifest"),
    [
        ("cargo test -p xtask", {"Cargo.toml": '[package]\nname = "a"\n'}),
        ("./mvnw package -P css", {"pom.xml": "<project/>", "mvnw": ""}),
        ("go run script/build.go", {"go.mod": "module a\n", "script/build.go": ""}),
        ("./setup.py test", {"setup.py": "setup(name='a')"}),
    ],
)
def test_a_line_for_one_case_is_not_the_command(line: str, manifest: dict[str, str]) -> None:
    found = facts({**manifest, "CONTRIBUTING.md": f"`{line}`\n"}, "src/lib.rs", "a.go", "a.py")
    assert line not in [command.line for command in found.commands]
    assert "./setup.py" not in [command.line for command in found.commands]


def test_indentation_is_told_only_where_no_language_differs() -> None:
    config = "[*]\nindent_style = space\nindent_size = 2\n\n[Makefile]\nindent_style = tab\n"
    assert "indent with 2 spaces" in facts({".editorconfig": config}, "a.js").conventions
    config += "\n[*.go]\nindent_style = tab\n"
    assert "indent with 2 spaces" not in facts({".editorconfig": config}, "a.go").conventions


def test_automake_runs_tests_only_where_it_names_some() -> None:
    fuzz = {"configure.ac": "AC_INIT([x])", "Makefile.am": "check_PROGRAMS = fuzz\n"}
    assert lines(facts(fuzz, "a.c"), "test") == []
    tests = {**fuzz, "Makefile.am": "TESTS = a.sh\n"}
    assert lines(facts(tests, "a.c"), "test") == ["make check"]


@pytest.mark.parametrize(
    ("configs", "name", "summary"),
    [
        (
            {"go.mod": "module go.etcd.io/kv/v3\n", "README.md": "# kv\n\nkv is a store.\n"},
            "kv",
            "kv is a store.",
        ),
        (
            {
                "package.json": '{"name": "@acme/sky-router"}',
                "README.md": "# Hi!\n\nSky Router is a router for\npilots.\n",
            },
            "@acme/sky-router",
            "Sky Router is a router for pilots.",
        ),
        (
            {"README.md": '<h1><img alt="Elm logo"></h1>\n\n> [!NOTE]\n> Old is the rest.\n'},
            "Elm",
            "",
        ),
        ({"README.md": "# Kit\n\nKit is supported on Linux.\n\nThis is a must!\n"}, "Kit", ""),
        ({"README.md": "The home of all.\n\nForum is a place.\n"}, "", "Forum is a place."),
        ({"README.md": "Simple.\n\nBig queries are a breeze here.\n\nThis is a must!\n"}, "", ""),
    ],
)
def test_names_and_summaries_are_read_as_people_write_them(
    configs: dict[str, str], name: str, summary: str
) -> None:
    found = facts(configs, "a.js", "a.go")
    assert (found.name, found.summary) == (name, summary)


def test_files_named_as_tests_tell_where_tests_are_if_they_are_many() -> None:
    helpers = [f"tests/framework/{number}.go" for number in range(6)]
    named = [f"pkg/{number}_test.go" for number in range(5)]
    found = facts({"go.mod": "module a\n"}, *helpers, *named)
    assert found.conventions == ("tests beside the code, named *_test.go",)
