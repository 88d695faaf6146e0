"""What each signal of a package earns: every one off in turn, on real commits.

    python tests/bench/ablation.py MIRRORS JUDGE [REPO,REPO] [TASKS]

MIRRORS is a folder of git mirrors, JUDGE the folder that holds locate.py, which picks the tasks.
Signals that start from others (near, folder, twin and those below them) are computed once, with all on.
"""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
import ctx  # noqa: E402

KEYS = ("acc1", "acc5", "acc10", "rec10", "mrr")


def measure(order: list[str], gold: list[str]) -> list[float]:
    """Acc@1, Acc@5, Acc@10, Recall@10 and the reciprocal rank of the first hit."""
    ranks = sorted(order.index(path) + 1 for path in gold if path in order)
    found = [float(sum(rank <= k for rank in ranks) == len(gold)) for k in (1, 5, 10)]
    recall = sum(rank <= 10 for rank in ranks) / len(gold)
    return [*found, recall, 1 / ranks[0] if ranks else 0.0]


def main(mirrors: str, judge: str, only: str = "", tasks: str = "8") -> None:
    sys.path.insert(0, judge)
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
                index, head = (
                    ctx.read_linked(project, ctx.list_files(project)),
                    ctx.read_head(project),
                )
                signals = ctx.read_evidence(project, index, task["text"], head).signals
                for off in ("", *ctx.SIGNALS):
                    kept = {name: each for name, each in signals.items() if name != off}
                    scores = ctx.lift_followers(ctx.normalise(ctx.blend(kept, 0.6, 0.4)), kept)
                    order = [
                        path
                        for path in ctx.rank_paths(scores)
                        if path in task["gold"] or locate.kind(path, options) == "source"
                    ]
                    rows.setdefault(off, []).append(measure(order, task["gold"]))
    for off, found in rows.items():
        means = [100 * sum(column) / len(found) for column in zip(*found, strict=True)]
        shown = "".join(f"{value:>7.1f}" for value in means)
        print(f"{'without ' + off if off else f'all, {len(found)} tasks':<20}{shown}")


if __name__ == "__main__":
    print(" " * 20 + "".join(f"{key:>7}" for key in KEYS))
    main(*sys.argv[1:])
