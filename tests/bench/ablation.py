"""What each signal of a package earns: every one off in turn, on real commits.

    python tests/bench/ablation.py MIRRORS JUDGE [REPO,REPO] [TASKS] [TOKENS]

MIRRORS is a folder of git mirrors, JUDGE the folder that holds locate.py and cover.py. First the signals
of files (Acc@1, 5, 10, Recall@10, MRR), then those of blocks (lines and hunks shown, tasks with all).
Signals that start from others (near, folder, twin and those below them) are computed once, with all on.
"""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
import ctx  # noqa: E402

WEIGHTS = {  # constant -> its value when the signal is off
    "": 0.0,
    "_FILE_POWER": 0.0,
    "_AROUND": 0.0,
    "_NAMED": 0.0,
    "_DEFINED": 0.0,
    "_SHARED": 0.0,
    "_COMMENT_SHARE": 1.0,
    "_THRIFT": 0.0,
}


def measure(order: list[str], gold: list[str]) -> list[float]:
    """Acc@1, Acc@5, Acc@10, Recall@10 and the reciprocal rank of the first hit."""
    ranks = sorted(order.index(path) + 1 for path in gold if path in order)
    found = [float(sum(rank <= k for rank in ranks) == len(gold)) for k in (1, 5, 10)]
    recall = sum(rank <= 10 for rank in ranks) / len(gold)
    return [*found, recall, 1 / ranks[0] if ranks else 0.0]


def main(mirrors: str, judge: str, only: str = "", tasks: str = "8", tokens: str = "4000") -> None:
    sys.path.insert(0, judge)
    import cover
    import locate

    rows: dict[str, list[list[float]]] = {}
    for name, pin, years, options in locate.REPOS:
        place = locate.mirror(mirrors, name)
        if not place or not any(part in name for part in only.split(",")):
            continue
        with tempfile.TemporaryDirectory() as folder:
            tree = locate.Worktree(place, f"{folder}/tree")
            for task in locate.select(place, pin, years, options, "open", int(tasks)):
                tree.move(task["base"])
                project = ctx.Project(str(Path(tree.root).resolve()), quiet=True)
                index = ctx.read_word_index(project, ctx.list_files(project))
                head = ctx.read_head(project)
                request = ctx.Request(task["text"], 8000)
                evidence = ctx.read_evidence(project, index, request, lambda path: True, head)
                signals = evidence.signals
                for off in ("", *ctx.load_signals()):
                    kept = {name: each for name, each in signals.items() if name != off}
                    scores = ctx.lift_followers(ctx.normalise(ctx.blend(kept, 0.6, 0.4)), kept)
                    order = [
                        path
                        for path in ctx.rank_keys(scores)
                        if path in task["gold"] or locate.kind(path, options) == "source"
                    ]
                    row = measure(order, task["gold"])
                    rows.setdefault(f"file {off}", []).append(row)
                for constant, off_value in WEIGHTS.items():
                    value = getattr(ctx, constant, None)
                    setattr(ctx, constant, off_value)
                    package = ctx.make_pack(project, ctx.Request(task["text"], int(tokens)))
                    setattr(ctx, constant, value)
                    shown = {
                        file.path: {
                            n for block in file.blocks for n in range(block.first, block.last + 1)
                        }
                        for file in package.files
                    }
                    hunks = cover.gold_hunks(task)
                    result = cover.score(hunks, shown, package.size, int(tokens))
                    row = [result["lines"], result["hunks"], result["all"]]
                    rows.setdefault(f"block {constant.strip('_').lower()}", []).append(row)
    for off, found in rows.items():
        means = [100 * sum(column) / len(found) for column in zip(*found, strict=True)]
        kind, _, name = off.partition(" ")
        label = f"{kind}s without {name}" if name else f"{kind}s, {len(found)} tasks"
        print(f"{label:<30}" + "".join(f"{value:>7.1f}" for value in means), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
