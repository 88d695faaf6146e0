"""DISK: settings name their faults, reading never leads out, writing is all or nothing."""

import os
import random
import re
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import lab
import pytest

import ctx

TASK = '{"id": "T-1", "title": "Open the door", "status": "open"}\n'


@pytest.fixture
def project(tmp_path: Path) -> ctx.Project:
    return ctx.Project(os.path.realpath(tmp_path))


def change(project: ctx.Project, path: str, new: bytes | None) -> ctx.Change:
    return ctx.plan_file(project, path, new)


# -- configuration


def test_defaults_hold_where_nothing_is_set(tmp_path: Path) -> None:
    assert ctx.read_config(str(tmp_path)) == ctx.Config()


def test_environment_beats_the_config_file_beats_pyproject(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab.plant(
        tmp_path,
        {
            "pyproject.toml": "[tool.ctx.map]\ntoken_budget = 200\nmax_depth = 2\n[tool.ctx.scan]\nmode = 'full'\n",
            ".ctx/config.toml": "\ufeff[map]\ntoken_budget = 300\nmax_depth = 3\n",
        },
    )
    monkeypatch.setenv("CTX_MAP_TOKEN_BUDGET", "400")
    monkeypatch.setenv("CTX_MAP_EXCLUDE", "a/**, b/*.py")
    monkeypatch.setenv("CTX_MAP_CODE_INTEL", "no")
    monkeypatch.setenv("CTX_PACK_AST_WEIGHT", "0.5")
    config = ctx.read_config(str(tmp_path))
    assert (config.map_token_budget, config.map_max_depth, config.scan_mode) == (400, 3, "full")
    assert config.map_exclude == ("a/**", "b/*.py")
    assert (config.map_code_intel, config.pack_ast_weight) == (False, 0.5)


NUMBERS = [
    field for field, value in ctx.Config._field_defaults.items() if type(value) in (int, float)
]


@pytest.mark.parametrize("field", NUMBERS)
def test_a_number_may_be_its_least_and_its_greatest_and_nothing_beyond(field: str) -> None:
    limits = re.search(rf"(?m)^{field} (\d+) (\d+)$", ctx.TEMPLATES["settings.txt"])
    assert limits
    least, greatest = int(limits[1]), int(limits[2])
    assert [ctx.check_setting("x", field, value) for value in (least, greatest)] == [
        least,
        greatest,
    ]
    for value in (least - 1, greatest + 1):
        with pytest.raises(ctx.CtxError, match=f"it must be {least} to {greatest}"):
            ctx.check_setting("x", field, value)


def test_roles_and_domains_are_tables_of_the_user(tmp_path: Path) -> None:
    text = '[roles.docs]\npaths = ["docs/**"]\n[domains]\n"src/api" = "interface"\n'
    lab.plant(tmp_path, {".ctx/config.toml": text})
    config = ctx.read_config(str(tmp_path))
    assert config.roles == {"docs": ["docs/**"]}
    assert config.domains == {"src/api": "interface"}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[map]\ntoken_budget = 50\n", "map.token_budget is 50; it must be 100 to 10000"),
        ("[map]\ntoken_budget = 20000\n", "map.token_budget is 20000; it must be 100 to 10000"),
        ("[map]\ntoken_budget = '900'\n", "map.token_budget must be a whole number"),
        ("[map]\ntoken_budget = true\n", "map.token_budget must be a whole number"),
        ("[map]\ncode_intel = 1\n", "map.code_intel must be true or false"),
        ("[map]\nexclude = 'a'\n", "map.exclude must be a list of texts"),
        ("[map]\nbudget = 900\n", "unknown key map.budget; did you mean"),
        ("[mpa]\nmax_depth = 2\n", "unknown key mpa.max_depth; did you mean map.max_depth?"),
        ("token_budget = 900\n", "unknown key token_budget"),
        ("[pack]\nast_weight = 1.5\n", "pack.ast_weight is 1.5; it must be 0 to 1"),
        ("[pack]\nast_weight = nan\n", "pack.ast_weight is nan; it must be 0 to 1"),
        ("[scan]\nmode = 'slow'\n", "scan.mode is slow; it must be incremental, full"),
        ("[anchor]\nsources = ['git', 'moon']\n", "anchor.sources is moon; it must be prompt,"),
        ("[roles.docs]\npath = 'x'\n", "roles.docs: needs paths, a list of globs"),
        ("[domains]\nsrc = 3\n", "domains: each prefix needs a name"),
        ("[map\n", "not valid TOML: "),
        ("[map]\ntoken_budget = " + "9" * 5000 + "\n", "not valid TOML: "),
        ("x = " + "[" * 5000 + "\n", "not valid TOML: "),
    ],
)
def test_a_wrong_setting_names_file_key_and_range(
    tmp_path: Path, text: str, complaint: str
) -> None:
    lab.plant(tmp_path, {".ctx/config.toml": text})
    with pytest.raises(ctx.CtxError) as caught:
        ctx.read_config(str(tmp_path))
    assert str(caught.value).startswith(".ctx/config.toml: ")
    assert complaint in str(caught.value)


def test_a_wrong_setting_in_pyproject_names_that_file(tmp_path: Path) -> None:
    lab.plant(tmp_path, {"pyproject.toml": "[tool.ctx.map]\nmax_depth = 99\n"})
    with pytest.raises(ctx.CtxError, match=r"^pyproject.toml \[tool.ctx\]: map.max_depth is 99;"):
        ctx.read_config(str(tmp_path))


def test_a_pyproject_that_says_nothing_of_ctx_may_be_broken(tmp_path: Path) -> None:
    lab.plant(tmp_path, {"pyproject.toml": "[project\n"})
    assert ctx.read_config(str(tmp_path)) == ctx.Config()


@pytest.mark.parametrize("text", ["50", "-1", "1e3", "٣٠٠", "9" * 5000, ""])
def test_a_wrong_number_in_the_environment_names_the_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setenv("CTX_MAP_TOKEN_BUDGET", text)
    with pytest.raises(ctx.CtxError, match="^CTX_MAP_TOKEN_BUDGET: "):
        ctx.read_config(str(tmp_path))


def test_a_config_file_that_cannot_be_read_is_not_passed_over(tmp_path: Path) -> None:
    (tmp_path / ".ctx").mkdir()
    (tmp_path / ".ctx/config.toml").symlink_to("elsewhere.toml")
    with pytest.raises(ctx.CtxError, match=r"^\.ctx/config\.toml: cannot be read"):
        ctx.read_config(str(tmp_path))


# -- reading


def test_links_pipes_folders_and_giants_are_not_read(tmp_path: Path) -> None:
    lab.plant(tmp_path, {"real.txt": "words", "folder/x": ""})
    (tmp_path / "link").symlink_to("real.txt")
    os.mkfifo(tmp_path / "pipe")
    assert ctx.read_file(str(tmp_path / "real.txt")) == b"words"
    for name in ("link", "pipe", "folder", "missing", "real.txt/x", "nul\0", "x" * 5000):
        assert ctx.read_file(f"{tmp_path}/{name}") is None
    assert ctx.read_file(str(tmp_path / "real.txt"), limit=4) is None
    assert ctx.read_file(str(tmp_path / "real.txt"), limit=5) == b"words"
    assert ctx.read_file(str(tmp_path / "real.txt"), 3, part="head") == b"wor"
    assert ctx.read_file(str(tmp_path / "real.txt"), 3, part="tail") == b"rds"


def test_a_linked_folder_that_leads_out_is_not_read(tmp_path: Path) -> None:
    lab.plant(tmp_path, {"out/secret.py": "x", "in/a.py": "y", "in/.env": "z"})
    (tmp_path / "in/way").symlink_to("../out")
    inside = ctx.Project(os.path.realpath(tmp_path / "in"))
    assert ctx.read_source(inside, "a.py") == b"y"
    assert ctx.read_source(inside, "way/secret.py") is None
    assert ctx.read_source(inside, "../out/secret.py") is None
    assert ctx.read_source(inside, ".env") is None


def test_text_is_decoded_late_and_without_its_bom(project: ctx.Project) -> None:
    lab.plant(Path(project.root), {"a.md": b"\xef\xbb\xbfcaf\xe9\r\n"})
    assert ctx.read_text(project, "a.md") == "caf\ufffd\n"


def test_git_runs_no_program_of_the_repository(tmp_path: Path) -> None:
    lab.git(tmp_path, "init", "-q")
    lab.plant(tmp_path, {"hook.sh": f"#!/bin/sh\ntouch {tmp_path}/ran\n", "a.py": ""})
    (tmp_path / "hook.sh").chmod(0o755)
    lab.git(tmp_path, "config", "core.fsmonitor", str(tmp_path / "hook.sh"))
    assert "a.py" in ctx.list_files(ctx.Project(os.path.realpath(tmp_path)))
    assert not (tmp_path / "ran").exists()


def test_git_settings_of_a_caller_do_not_lead_to_another_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("mine", "other"):
        lab.plant(tmp_path / name, {f"{name}.py": ""})
        lab.git(tmp_path / name, "init", "-q")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other/.git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path / "other"))
    assert list(ctx.list_files(ctx.Project(os.path.realpath(tmp_path / "mine")))) == ["mine.py"]


# -- listing

TREE: dict[str, bytes | str] = {
    ".gitignore": "*.log\n/only-root\nbuild/\n!important.log\ndocs/**/draft\n# words\n\\#x\n",
    "src/.gitignore": "!debug.log\n/local\n*.tmp\nkeep/*\n!keep/this\n",
    "src/deep/.gitignore": "!*.tmp\n",
    "a.log": "", "important.log": "", "only-root": "", "src/only-root": "", "build/x": "",
    "src/build/y": "", "src/debug.log": "", "src/other.log": "", "src/local": "",
    "src/deep/local": "", "src/a.tmp": "", "src/deep/b.tmp": "", "src/keep/this": "",
    "src/keep/that": "", "docs/draft": "", "docs/a/b/draft": "", "docs/a/final": "", "#x": "",
    "with space.py": "", "naïve.py": "", ".hidden/file": "", "src/main.py": "",
}  # fmt: skip


def test_git_and_walk_list_the_same_files(tmp_path: Path) -> None:
    plain, tracked = lab.plant(tmp_path / "plain", TREE), lab.plant(tmp_path / "tracked", TREE)
    lab.git(tracked, "init", "-q")
    listed = [
        list(ctx.list_files(ctx.Project(os.path.realpath(root)))) for root in (plain, tracked)
    ]
    assert listed[0] == listed[1]
    assert "src/debug.log" in listed[0] and "src/keep/that" not in listed[0]
    assert listed[0] == sorted(listed[0], key=os.fsencode)


def test_only_regular_files_inside_are_listed(tmp_path: Path) -> None:
    lab.plant(tmp_path, {"out/o.py": "", "in/a.py": "", "in/.ctx/map.md": "", "in/.runner/x": ""})
    root = tmp_path / "in"
    (root / "link.py").symlink_to("a.py")
    (root / "way").symlink_to("../out")
    os.mkfifo(root / "pipe")
    (root / os.fsdecode(b"caf\xe9.py")).write_text("")
    project = ctx.Project(os.path.realpath(root))
    walked = list(ctx.list_files(project))
    lab.git(root, "init", "-q")
    assert walked == list(ctx.list_files(project)) == ["a.py", os.fsdecode(b"caf\xe9.py")]


def test_excluded_globs_and_deleted_files_are_not_listed(tmp_path: Path) -> None:
    lab.plant(tmp_path, {"a.py": "", "gen/b.py": "", "gone.py": ""})
    lab.git(tmp_path, "init", "-q")
    lab.git(tmp_path, "add", ".")
    (tmp_path / "gone.py").unlink()
    config = ctx.Config(map_exclude=("gen/**", "[z-a]"))
    assert list(ctx.list_files(ctx.Project(os.path.realpath(tmp_path), config))) == ["a.py"]


def test_a_project_below_a_folder_named_build_is_not_empty(tmp_path: Path) -> None:
    root = lab.plant(tmp_path / "build/node_modules/mine", {"a.py": ""})
    assert list(ctx.list_files(ctx.Project(os.path.realpath(root)))) == ["a.py"]


@pytest.mark.parametrize(
    "given", ["--log guard.log", "--log - < guard.log", "--log /dev/stdin < guard.log"]
    + ["--log <(cat guard.log)"],
)  # fmt: skip
def test_a_file_argument_may_be_a_pipe(tmp_path: Path, given: str) -> None:
    if not shutil.which("bash"):
        pytest.skip("there is no bash on this machine")
    lab.plant(tmp_path, {".cub/tasks.jsonl": TASK, "guard.log": "the hinge broke\n"})
    start = shlex.join(lab.command(lab.SCRIPT, "-I", "-S"))
    command = f"{start} record T-1 --status retry {given}"
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (ledger,) = tmp_path.glob(".ctx/**/*.jsonl")
    assert "the hinge broke" in ledger.read_text()


def test_a_file_argument_that_is_missing_is_one_line(tmp_path: Path) -> None:
    lab.plant(tmp_path, {".cub/tasks.jsonl": TASK})
    done = lab.run(tmp_path, "record", "T-1", "--status", "retry", "--log", "none.log")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "none.log: cannot be read; give an existing file, or -" in done.stderr


def test_a_broken_git_folder_is_said_and_walked(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    lab.plant(tmp_path, {".git/HEAD": "nonsense", "a.py": ""})
    assert list(ctx.list_files(ctx.Project(os.path.realpath(tmp_path)))) == ["a.py"]
    assert capfd.readouterr().err.count("\n") == 1


def test_a_folder_that_an_outer_repository_ignores_is_walked(tmp_path: Path) -> None:
    lab.plant(tmp_path, {".gitignore": "inner/\n", "inner/a.py": ""})
    lab.git(tmp_path, "init", "-q")
    assert list(ctx.list_files(ctx.Project(os.path.realpath(tmp_path / "inner")))) == ["a.py"]


# -- writing


def test_bytes_and_mode_and_links_survive_a_write(project: ctx.Project) -> None:
    root = lab.plant(Path(project.root), {"docs/real.md": "old"})
    (root / "docs/real.md").chmod(0o640)
    (root / "AGENTS.md").symlink_to("docs/real.md")
    written = ctx.write_changes(project, [change(project, "AGENTS.md", b"new\xff\r\n")])
    assert written == ["AGENTS.md"]
    assert (root / "AGENTS.md").is_symlink()
    assert (root / "docs/real.md").read_bytes() == b"new\xff\r\n"
    assert stat.S_IMODE((root / "docs/real.md").stat().st_mode) == 0o640


def test_a_new_file_gets_the_mode_that_the_user_wants(project: ctx.Project) -> None:
    mask = os.umask(0o027)
    try:
        ctx.write_changes(project, [change(project, "a/b/new.md", b"x")])
    finally:
        os.umask(mask)
    assert stat.S_IMODE(os.stat(f"{project.root}/a/b/new.md").st_mode) == 0o640


def test_equal_bytes_are_not_written_again(project: ctx.Project) -> None:
    root = lab.plant(Path(project.root), {"a.md": "same"})
    before = lab.snapshot(root)
    assert ctx.write_changes(project, [change(project, "a.md", b"same")]) == []
    assert lab.snapshot(root) == before


def test_a_file_that_changed_meanwhile_is_not_overwritten(project: ctx.Project) -> None:
    root = lab.plant(Path(project.root), {"a.md": "old", "b.md": "old"})
    plan = [change(project, "new/x.md", b"x"), change(project, "a.md", b"new")]
    (root / "a.md").write_text("edited just now")
    with pytest.raises(ctx.CtxError, match="a.md: changed while"):
        ctx.write_changes(project, plan)
    assert lab.contents(root) == {"a.md": b"edited just now", "b.md": b"old"}


def test_a_folder_in_the_way_stops_every_write(project: ctx.Project) -> None:
    root = lab.plant(Path(project.root), {"a.md": "old", "b.md/x": ""})
    plan = [
        change(project, "deep/er/new.md", b"x"),
        change(project, "a.md", b"new"),
        ctx.Change("b.md", None, b"new"),
    ]
    before = lab.snapshot(root)
    with pytest.raises(ctx.CtxError, match="b.md: is a folder"):
        ctx.write_changes(project, plan)
    assert lab.snapshot(root) == before


WRITE = """
import sys; sys.path.insert(0, {home!r})
import ctx
project = ctx.Project({root!r})
plan = [ctx.plan_file(project, path, new) for path, new in {plan!r}]
try:
    ctx.write_changes(project, plan)
except ctx.CtxError as error:
    sys.exit(str(error))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="permissions bind here only")
@pytest.mark.parametrize("last", [b"new", None])
def test_one_read_only_folder_means_that_nothing_is_written(
    project: ctx.Project, last: bytes | None
) -> None:
    root = lab.plant(Path(project.root), {"a.md": "old", "shut/b.md": "old"})
    before = lab.snapshot(root)
    (root / "shut").chmod(0o555)
    plan = [("fresh/c.md", b"new"), ("a.md", b"new"), ("a-gone.md", b"x"), ("shut/b.md", last)]
    code = WRITE.format(home=str(lab.SCRIPT.parent), root=project.root, plan=plan)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, preexec_fn=lab.drop_power
    )
    (root / "shut").chmod(0o755)
    assert "shut/b.md: " in done.stderr and "nothing was changed" in done.stderr
    assert lab.snapshot(root) == before


def test_what_a_killed_run_left_is_swept_after_an_hour(project: ctx.Project) -> None:
    root = lab.plant(Path(project.root), {".ctx-tmp-1-x": "", ".ctx-tmp-2-y": ""})
    os.utime(root / ".ctx-tmp-1-x", (time.time() - 4000,) * 2)
    ctx.write_changes(project, [change(project, "a.md", b"x")])
    assert sorted(lab.contents(root)) == [".ctx-tmp-2-y", "a.md"]


def test_a_link_that_leads_out_or_in_circles_is_refused(tmp_path: Path) -> None:
    lab.plant(tmp_path, {"out.md": "theirs", "in/x": ""})
    project = ctx.Project(os.path.realpath(tmp_path / "in"))
    for name, target in (("a.md", "../out.md"), ("b.md", "c.md"), ("c.md", "b.md")):
        (tmp_path / "in" / name).symlink_to(target)
    for name, complaint in (("a.md", "leads out"), ("b.md", "back to itself")):
        with pytest.raises(ctx.CtxError, match=f"{name}: .*{complaint}"):
            change(project, name, b"x")


def test_an_output_that_the_user_names_may_be_a_device(tmp_path: Path) -> None:
    ctx.write_file(os.devnull, b"x")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
    (tmp_path / "link").symlink_to("real.md")
    ctx.write_file(str(tmp_path / "link"), b"x")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "real.md").read_bytes() == b"x"
    with pytest.raises(ctx.CtxError, match="is a folder"):
        ctx.write_file(str(tmp_path), b"x")


KILLED = """
import os, sys; sys.path.insert(0, {home!r})
import ctx
project = ctx.Project({root!r})
print(flush=True)
while True:
    old = ctx.read_old(project, "AGENTS.md")
    new = {{b"o": b"n", b"n": b"o"}}[old[:1]] * len(old)
    ctx.write_changes(project, [ctx.Change("AGENTS.md", old, new)])
"""


def test_a_file_is_whole_after_kills_at_random_moments(project: ctx.Project) -> None:
    """A run that updates without end is killed; what is there is the old or the new file."""
    root, size = Path(project.root), 200_000
    lab.plant(root, {"AGENTS.md": b"o" * size})
    code = KILLED.format(home=str(lab.SCRIPT.parent), root=project.root)
    lab.plant(root, {"updates.py": code})
    chance, seen = random.Random(7), set()
    for tries in range(400):
        if tries >= 40 and len(seen) == 2:  # a busy machine takes more than forty
            break
        with subprocess.Popen(
            [sys.executable, "-I", "-S", str(root / "updates.py")], stdout=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(chance.random() * (0.02 + 0.001 * tries))
            process.send_signal(signal.SIGKILL)
        source = (root / "AGENTS.md").read_bytes()
        assert source in (b"o" * size, b"n" * size)
        seen.add(source[:1])
        for left in root.glob(".ctx-tmp-*"):
            os.utime(left, (time.time() - 4000,) * 2)
    assert seen == {b"o", b"n"}
    ctx.write_changes(project, [change(project, "AGENTS.md", b"done")])
    assert sorted(os.listdir(root)) == ["AGENTS.md", "updates.py"]


# -- talk


def test_talk_is_one_line_and_tells_no_secret(capfd: pytest.CaptureFixture[str]) -> None:
    ctx.warn("cannot open https://user:hunter22@example.org\nsecond line")
    err = capfd.readouterr().err
    assert err.count("\n") == 1 and "hunter22" not in err


def test_long_work_is_told_off_a_terminal_and_short_work_is_not(
    capfd: pytest.CaptureFixture[str],
) -> None:
    for quiet, is_long in ((False, False), (True, True), (False, True)):
        ctx.show_progress(ctx.Project("/", quiet=quiet), f"reading {is_long}", is_long=is_long)
    assert capfd.readouterr().err == "ctx: reading True\n"


def test_a_terminal_shows_what_is_done_and_how_far_it_is(tmp_path: Path) -> None:
    pty = pytest.importorskip("pty", reason="no terminals to open on this system")
    root = lab.plant(tmp_path, {f"m{at}.py": f"def f{at}(): pass\n" for at in range(9)})
    shown = {}
    for flag in ("--verbose", "--quiet"):
        try:
            ours, theirs = pty.openpty()
        except OSError:
            pytest.skip("no terminals to open on this system")
        command = [*lab.command(lab.SCRIPT, "-I", "-S"), flag, "map", "--output", "-"]
        subprocess.run(command, cwd=root, stdout=subprocess.DEVNULL, stderr=theirs, check=True)
        os.write(theirs, b"end")
        shown[flag] = os.read(ours, 10_000)
        os.close(ours)
        os.close(theirs)
    assert b"reading 9/9 files" in shown["--verbose"] and b"ranking" in shown["--verbose"]
    assert shown["--quiet"] == b"end"


def test_the_defaults_are_those_that_are_documented() -> None:
    config = ctx.Config()
    assert (config.map_token_budget, config.map_max_depth, config.pack_token_budget) == (
        1500,
        4,
        8000,
    )
    assert (config.pack_ast_weight, config.pack_semantic_weight) == (0.6, 0.4)
    assert (config.pack_min_relevance, config.pack_summary_max_tokens) == (0.2, 4000)
    assert (config.prompt_budget_bytes, config.tasks_max_attempts) == (40_000, 5)
    assert (config.anchor_git_commits, config.anchor_progress_lines) == (3, 20)
    assert config.anchor_max_prompt_lines == 100 and config.tokens_encoding == "o200k_base"


def test_a_quiet_project_says_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    ctx.say(ctx.Project("/", quiet=True), "words")
    assert capfd.readouterr().err == ""


def test_a_root_is_found_above_and_its_absence_is_the_folder_itself(tmp_path: Path) -> None:
    lab.plant(tmp_path, {"a/.ctx/x": "", "a/b/c/x": ""})
    assert ctx.find_root(str(tmp_path / "a/b/c")) == os.path.realpath(tmp_path / "a")
    assert ctx.main(["--root", str(tmp_path / "missing"), "tasks"]) == 2


# -- tokens


def test_tokens_are_estimated_where_no_vocabulary_is(
    project: ctx.Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR", "XDG_CACHE_HOME", "TMPDIR"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    counter = ctx.read_counter(project)
    assert (counter.name, counter.count("one two")) == ("estimate", ctx.estimate_tokens("one two"))


@pytest.mark.parametrize("variable", ["TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR", "TMPDIR"])
def test_a_vocabulary_is_looked_for_where_tiktoken_keeps_it(
    variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR", "TMPDIR", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    folder = "data-gym-cache" if variable == "TMPDIR" else "."
    lab.plant(tmp_path / "some" / folder, {"fb374d419588a4632f3f557e76b4b70aebbca790": "words"})
    monkeypatch.setenv(variable, str(tmp_path / "some"))
    where = ctx.find_vocabulary("o200k_base", checked=False)
    assert where and os.path.samefile(where, tmp_path / "some" / folder)


def test_a_vocabulary_that_was_cut_short_is_not_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lab.plant(tmp_path, {"fb374d419588a4632f3f557e76b4b70aebbca790": "half a vocabulary"})
    for name in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR", "XDG_CACHE_HOME", "TMPDIR"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    assert ctx.find_vocabulary("o200k_base") == ""
