"""How good the map and the package are, on repositories of yours: `python tests/bench/quality.py REPO ...`

Package: the last commits that changed one to five source files are the tasks. Each is asked by its message, from which every
word that names a changed file is taken, at the commit before; the changed files are the answer. ctx.py `pack` is compared with
BM25 over split identifiers (SQLite FTS5) and with grep (how many different words of the message a file holds).
Map: of the names that the project's documents write as code most often, how many a map shows, against the definitions whose
names most files hold, as grep prints them, up to the same size.

A REPO is a clone with history; nothing in it is changed. Needs git, and an interpreter with the packages of ctx.py.
"""

import argparse
import collections
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence, Set
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "ctx.py"
sys.path.insert(0, str(SCRIPT.parent))
import ctx  # noqa: E402

METRICS = ("Acc@1", "Acc@5", "Acc@10", "Recall@10", "MRR")
ASIDE = re.compile(
    r"(^|/)(tests?|specs?|examples?|docs?|vendor|fixtures?|bench\w*)/|[._]test\.|/test_"
)
COMMON = frozenset(
    "the and for with from this that into when not add fix use are was can now all".split()
)
Task = tuple[str, str, list[str]]  # the commit before, the text, the files to be found


def git(root: Path, *args: str) -> str:
    return subprocess.run(
        ["git", "-C", str(root), *args],
        check=True,
        capture_output=True,
        text=True,
        errors="replace",
    ).stdout


def is_source(path: str) -> bool:
    return ctx.find_language(path) is not None and not ASIDE.search(path)


def split_words(text: str) -> list[str]:
    """`HTTPServer_name2` as http, server, name: lower case, three letters and more."""
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", text)
    return [part.lower() for part in parts if len(part) > 2 and part.lower() not in COMMON]


def list_tasks(root: Path, wanted: int) -> list[Task]:
    """The newest commits that make fair questions."""
    tasks: list[Task] = []
    for line in git(root, "log", "--no-merges", "-n", "2000", "--format=%H %P").splitlines():
        commit, _, before = line.partition(" ")
        if not before or len(tasks) == wanted:
            continue
        changes = git(root, "diff", "--no-renames", "--name-status", before, commit).splitlines()
        gold = [each[2:] for each in changes if is_source(each[2:])]
        if not 1 <= len(gold) <= 5 or any(each[0] != "M" for each in changes if each[2:] in gold):
            continue
        text = hide(git(root, "log", "-1", "--format=%B", commit), gold)
        if len(set(split_words(text))) >= 5:
            tasks.append((before, text, gold))
    return tasks


def hide(text: str, gold: Sequence[str]) -> str:
    """A message without trailers, and without the words that name the files to be found."""
    kept = [line for line in text.splitlines() if not re.match(r"[A-Z][\w-]+-[Bb]y: ", line)]
    for path in gold:
        kept = [re.sub(rf"\S*{re.escape(Path(path).stem)}\S*", "", line) for line in kept]
    return "\n".join(kept)


def run_ctx(root: Path, *args: str, text: str = "") -> str:
    """What ctx.py prints there."""
    command = [sys.executable, str(SCRIPT), "--quiet", *args]
    env = {**os.environ, "CTX_PACK_MIN_RELEVANCE": "0"}
    done = subprocess.run(command, cwd=root, input=text, capture_output=True, text=True, env=env)
    if done.returncode == 2:
        sys.exit(done.stderr)
    return done.stdout


def rank_pack(root: Path, text: str) -> list[str]:
    """What `pack` says, best first."""
    found = run_ctx(root, "pack", "-", "--json", text=text)
    return [each["path"] for each in json.loads(found)["files"]] if found else []


def rank_bm25(root: Path, text: str) -> list[str]:
    """Split words of path and content, in SQLite's own full text search."""
    base = sqlite3.connect(":memory:")
    base.execute("CREATE VIRTUAL TABLE words USING fts5(path UNINDEXED, text)")
    for path, content in read_sources(root):
        base.execute(
            "INSERT INTO words VALUES (?, ?)", (path, " ".join(split_words(path + content)))
        )
    query = " OR ".join(f'"{word}"' for word in sorted(set(split_words(text))))
    found = base.execute("SELECT path FROM words WHERE words MATCH ? ORDER BY rank, path", (query,))
    return [path for (path,) in found]


def rank_grep(root: Path, text: str) -> list[str]:
    """How many different words of the text a file holds."""
    words = set(split_words(text))
    hits = {
        path: sum(word in content.lower() for word in words) for path, content in read_sources(root)
    }
    return sorted((path for path in hits if hits[path]), key=lambda path: (-hits[path], path))


def read_sources(root: Path) -> list[tuple[str, str]]:
    paths = filter(is_source, git(root, "ls-files").splitlines())
    return [
        (path, (root / path).read_text("utf-8", "replace"))
        for path in paths
        if (root / path).is_file()
    ]


def measure(order: Sequence[str], gold: Sequence[str]) -> list[float]:
    """Acc@1, Acc@5, Acc@10 (all files found so early), Recall@10, reciprocal rank of the first."""
    places = sorted(order.index(path) + 1 for path in gold if path in order)
    early = [sum(place <= limit for place in places) for limit in (1, 5, 10)]
    first = 1 / places[0] if places else 0.0
    return [*(float(found == len(gold)) for found in early), early[2] / len(gold), first]


RANKERS: dict[str, Callable[[Path, str], list[str]]] = {
    "ctx.py pack": rank_pack,
    "BM25": rank_bm25,
    "grep": rank_grep,
}


def judge_packages(root: Path, wanted: int) -> dict[str, list[list[float]]]:
    """One row of metrics for each task, by method."""
    rows: dict[str, list[list[float]]] = {name: [] for name in RANKERS}
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        git(root, "clone", "-q", "--no-checkout", str(root.resolve()), str(copy))
        for before, text, gold in list_tasks(root, wanted):
            move = ["git", "-C", str(copy), "checkout", "-q", "--force", before]
            if subprocess.run(move, capture_output=True).returncode:
                print(f"{before[:12]} cannot be checked out: left out", file=sys.stderr)
                continue
            for name, rank in RANKERS.items():
                order = [path for path in rank(copy, text) if is_source(path)]
                rows[name].append(measure(order, gold))
    return rows


def judge_maps(root: Path, tokens: int) -> tuple[int, dict[str, float]]:
    """How many documented names there are, and the share that each method shows."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        git(root, "clone", "-q", "--depth", "1", f"file://{root.resolve()}", str(copy))
        run_ctx(copy, "scan", "--export", f"{folder}/modules")
        lines: dict[str, str] = {}  # of each name, its first definition as grep prints it
        for place in sorted(Path(folder, "modules").rglob("*.json")):
            for path, found in json.loads(place.read_text())["files"].items():
                for each in found["symbols"] if is_source(path) else ():
                    line = f"{path}:{each['line']}:{each['signature']}"
                    lines.setdefault(each["name"], line)
        texts = {
            "ctx.py map": run_ctx(copy, "map", "--tokens", str(tokens), "--output", "-"),
            "grep": list_mentioned(copy, lines, tokens),
        }
        names = list_documented(copy, lines.keys())
    shares = {}
    for method, text in texts.items():
        words = set(re.findall(r"\w+", text))
        shares[method] = 100 * sum(name in words for name in names) / max(1, len(names))
    return len(names), shares


def list_mentioned(root: Path, lines: Mapping[str, str], tokens: int) -> str:
    """The definitions whose names most files hold, as many as fit."""
    counts: collections.Counter[str] = collections.Counter()
    for _, text in read_sources(root):
        counts.update(set(re.findall(r"\w{4,}", text)) & lines.keys())
    shown = ""
    for name in sorted(counts, key=lambda name: (-counts[name], name)):
        if ctx.estimate_tokens(shown + lines[name]) > tokens:
            break
        shown += lines[name] + "\n"
    return shown


def list_documented(root: Path, defined: Set[str], top: int = 40) -> list[str]:
    """The defined names that most documents write as code; a plain word may be English and does not count."""
    counts: collections.Counter[str] = collections.Counter()
    for path in git(root, "ls-files").splitlines():
        if re.search(r"\.(md|rst|adoc|txt)$", path) and not re.search(
            r"change|history|news|release", path, re.I
        ):
            spans = re.findall(r"`[^`\n]{1,80}`", (root / path).read_text("utf-8", "replace"))
            counts.update(
                {word for span in spans for word in re.findall(r"\w{4,}", span)} & defined
            )
    telling = [name for name in counts if re.search(r"[a-z]", name) and re.search(r"[A-Z_]", name)]
    return sorted(telling, key=lambda name: (-counts[name], name))[:top]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("repositories", nargs="+", type=Path, metavar="REPO")
    parser.add_argument("--tasks", type=int, default=20, help="commits of each repository")
    parser.add_argument("--tokens", type=int, default=1500, help="size of the maps")
    args = parser.parse_args()
    totals: dict[str, list[list[float]]] = {name: [] for name in RANKERS}
    print("| documented names shown | names | ctx.py map | grep |\n|---|--:|--:|--:|")
    for root in args.repositories:
        count, shares = judge_maps(root, args.tokens)
        print(
            f"| {root.resolve().name} | {count} | "
            + " | ".join(f"{share:.0f} %" for share in shares.values())
            + " |"
        )
    for root in args.repositories:
        for name, rows in judge_packages(root, args.tasks).items():
            totals[name] += rows
    count = len(totals["grep"])
    print(
        f"\n| files found, {count} commits | "
        + " | ".join(METRICS)
        + " |\n|---|"
        + "--:|" * len(METRICS)
    )
    for name, rows in totals.items():
        means = [sum(column) / max(1, count) for column in zip(*rows, strict=True)]
        shown = [f"{100 * mean:.0f}" for mean in means[:-1]] + [
            f"{mean:.2f}" for mean in means[-1:]
        ]
        print(f"| {name} | " + " | ".join(shown) + " |", flush=True)


if __name__ == "__main__":
    main()
