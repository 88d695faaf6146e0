"""How time and memory grow with the repository: `python tests/bench/scale.py 1000 10000`.

Writes a monorepo of that many files (Python, TypeScript, Go and Java packages whose modules import each other, with
tests and READMEs), always the same for the same number, and runs `ctx.py map` on it cold, warm and after one edit.
Peak memory is the sum over the process and its workers, looked at every 50 ms (Linux). Growth compares each size with
the one before: 1.0 is linear.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent.parent.parent / "ctx.py"
PACKAGE = 40  # files in one package
WORDS = (
    "account address audit batch billing buffer cache cart catalog channel client cluster config contract "
    "cursor customer delivery device discount document driver event feature filter gateway group handler index "
    "invoice ledger listener locale lock mailbox manager member message metric module network notice offer order "
    "parcel parser payment permission pipeline policy price product profile queue quota record region registry "
    "report request resource response retry role route rule schedule schema search segment server session shard "
    "signal snapshot stock storage stream supplier table target task tenant token trace transfer user vault worker"
).split()
LANGUAGES = {  # suffix, comment, import, type, function, call
    "py": ("py", "#", "from {package}.{module} import {type}"),
    "ts": ("ts", "//", 'import {{ {type} }} from "../{package}/{module}"'),
    "go": ("go", "//", 'import "mono/{package}"'),
    "java": ("java", "//", "import {package}.{type};"),
}


def camel(words: list[str]) -> str:
    return "".join(word.title() for word in words)


def module(number: int, count: int) -> tuple[str, str, str, list[str]]:
    """Of one file: its package, its language, its module, the words of its type."""
    package = number // PACKAGE
    language = list(LANGUAGES)[package % len(LANGUAGES)]
    chance = random.Random(number)
    words = [chance.choice(WORDS), chance.choice(WORDS)]
    return (
        f"{language}_{WORDS[package % len(WORDS)]}{package}",
        language,
        f"{'_'.join(words)}{number}",
        words,
    )


def write_file(number: int, count: int) -> tuple[str, str]:
    """Path and text of one file: about 120 lines, with imports mostly from its own package."""
    package, language, name, words = module(number, count)
    chance = random.Random(-number - 1)
    suffix, comment, form = LANGUAGES[language]
    near = [number // PACKAGE * PACKAGE + chance.randrange(PACKAGE) for _ in range(4)]
    far = [number - number % PACKAGE - chance.randrange(1, 60) * 4 * PACKAGE for _ in range(2)]
    others = [
        module(other, count) for other in {*near, *far} if 0 <= other < count and other != number
    ]
    others = [other for other in others if other[1] == language]
    types = [f"{camel(each[3])}{each[2].lstrip('_abcdefghijklmnopqrstuvwxyz')}" for each in others]
    own = f"{camel(words)}{number}"
    lines = (
        [f"package {package}{';' if language == 'java' else ''}"]
        if language in ("go", "java")
        else []
    )
    lines += [
        form.format(package=each[0], module=each[2], type=kind)
        for each, kind in zip(others, types, strict=True)
    ]
    lines += ["", f"{comment} {own} keeps every {words[0]} of a {words[1]}."]
    body: list[str] = []
    for step in range(chance.randrange(4, 20)):
        verb, noun = chance.choice(WORDS), chance.choice(WORDS)
        other = chance.choice(types) if types else own
        body += METHODS[language].format(
            name=f"{verb}_{noun}", camel=camel([verb, noun]), other=other, own=own, step=step
        )
        body.append("")
    lines += [TYPES[language].format(own=own), *"".join(body[:-1]).splitlines()]
    lines += ["}"] if language in ("ts", "java") else []
    folder = f"{package}/tests" if number % 10 == 9 else package
    return f"{folder}/{own if language == 'java' else name}.{suffix}", "\n".join(lines) + "\n"


TYPES = {
    "py": 'class {own}:\n    """One of many parts."""\n',
    "ts": "export class {own} {{",
    "go": "type {own} struct {{\n\tname string\n}}\n",
    "java": "public class {own} {{",
}
METHODS = {
    "py": (
        '    def {name}(self, amount: int, label: str = "x") -> int:\n        """Give the {name} of step {step}."""\n'
        "        part = {other}()\n        if amount > {step}:\n            return part.load(amount) + len(label)\n"
        "        total = sum(each.weight for each in part.items())\n        return self.check(total, label=label)\n\n"
    ),
    "ts": (
        "  /** Give the {name} of step {step}. */\n  {name}(amount: number, label: string): number {{\n"
        "    const part = new {other}();\n    if (amount > {step}) {{\n      return part.load(amount) + label.length;\n    }}\n"
        "    const total = part.items().reduce((sum, each) => sum + each.weight, 0);\n    return this.check(total, label);\n  }}\n\n"
    ),
    "go": (
        "// {camel}{step} gives the {name} of step {step}.\nfunc (own *{own}) {camel}{step}(amount int, label string) int {{\n"
        "\tpart := New{other}()\n\tif amount > {step} {{\n\t\treturn part.Load(amount) + len(label)\n\t}}\n"
        "\ttotal := 0\n\tfor _, each := range part.Items() {{\n\t\ttotal += each.Weight\n\t}}\n\treturn own.Check(total, label)\n}}\n\n"
    ),
    "java": (
        "  /** Gives the {name} of step {step}. */\n  public int {camel}{step}(int amount, String label) {{\n"
        "    {other} part = new {other}();\n    if (amount > {step}) {{\n      return part.load(amount) + label.length();\n    }}\n"
        "    int total = 0;\n    for (Item each : part.items()) {{\n      total += each.weight();\n    }}\n    return check(total, label);\n  }}\n\n"
    ),
}


def plant(root: Path, count: int) -> None:
    """A git repository of `count` source files."""
    for number in range(count):
        path, text = write_file(number, count)
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    (root / "go.mod").write_text("module mono\n")
    (root / "README.md").write_text("# Mono\n\nMany packages of one company.\n")
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    subprocess.run(["git", "add", "-A"], cwd=root, check=True)


def memory(group: int) -> int:
    """Bytes in memory of all processes of a group; what they share is counted once (PSS)."""
    total = 0
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                if os.getpgid(int(name)) == group:
                    for line in Path(f"/proc/{name}/smaps_rollup").read_text().splitlines():
                        total += int(line.split()[1]) * 1024 if line.startswith("Pss:") else 0
            except OSError:
                continue
    return total


def run(root: Path, python: str) -> tuple[float, float, int]:
    """Wall seconds, processor seconds and peak bytes of one map."""
    before, begin, peak = os.times(), time.perf_counter(), 0
    command = [python, str(SCRIPT), "--root", str(root), "--quiet", "map", "--output", os.devnull]
    with subprocess.Popen(command, start_new_session=True) as process:
        while process.poll() is None:
            peak = max(peak, memory(process.pid))
            time.sleep(0.05)
    after = os.times()
    spent = (
        after.children_user + after.children_system - before.children_user - before.children_system
    )
    return time.perf_counter() - begin, spent, peak


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sizes", nargs="*", type=int, default=[1000, 10_000])
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--folder", type=Path, help="where repositories are kept between runs")
    args = parser.parse_args()
    folder = args.folder or Path(tempfile.mkdtemp(prefix="ctx-scale-"))
    last: dict[str, tuple[int, float, int]] = {}
    print(
        "| files | what | wall s | processor s | peak MB | growth of time | of memory |\n|--:|---|--:|--:|--:|--:|--:|"
    )
    for size in args.sizes:
        root = folder / f"mono{size}"
        if not root.is_dir():
            plant(root, size)
        shutil.rmtree(root / ".ctx", ignore_errors=True)
        for what in ("cold", "warm", "edited"):
            if what == "warm":
                run(root, args.python)  # the answer of a fresh repository may not have been kept
            if what == "edited":
                path, text = write_file(size // 2, size)
                (root / path).write_text(text + "\n" * (time.time_ns() % 50 + 1))
            wall, spent, peak = run(root, args.python)
            row = f"| {size} | {what} | {wall:.2f} | {spent:.2f} | {peak / 1e6:.0f} |"
            if what in last:
                times, old, bytes_ = size / last[what][0], last[what][1], last[what][2]
                row += f" {spent / old / times:.2f} | {peak / bytes_ / times:.2f} |"
            else:
                row += " | |"
            last[what] = size, spent, peak
            print(row, flush=True)


if __name__ == "__main__":
    main()
