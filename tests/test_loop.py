"""The shell loop of the README, with a small agent in place of the real one."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
AGENT = """#!{python}
import os, re, sys
prompt = sys.stdin.read()
with open("seen.txt", "a") as file:
    file.write(prompt + "\\n=====\\n")
task = re.search(r"## Selected task\\n\\n`(.*?)`", prompt)[1]
if task == "T-1" and "needs a door" not in prompt:
    sys.exit()  # the first attempt forgets it; the second reads of it in the failure section
with open("house.txt", "a") as file:
    file.write(f"{{task}} door\\n")
text = open("TASKS.md").read()
open("TASKS.md", "w").write(text.replace(f"- [ ] {{task}}:", f"- [x] {{task}}:"))
print('{{"status": "done", "summary": "built"}}')
"""


def read_loop() -> str:
    """The loop as the README shows it."""
    for name in ("README.md", "README.part.md"):
        text = (ROOT / name).read_text("utf-8") if (ROOT / name).exists() else ""
        found = re.search(r"```sh\n(for i in .*?\ndone\n)```", text, re.S)
        if found:
            return found[1]
    raise AssertionError("no README shows the loop")


def test_the_loop_of_the_readme_has_memory(tmp_path: Path) -> None:
    tools, repo = tmp_path / "tools", tmp_path / "repo"
    tools.mkdir()
    repo.mkdir()
    (tools / "claude").write_text(AGENT.format(python=sys.executable))
    (tools / "python").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    (tools / "make").write_text(
        "#!/bin/sh\nlast=$(grep -c door house.txt 2>/dev/null)\n"
        'ticked=$(grep -c "\\[x\\]" TASKS.md)\n'
        '[ "${last:-0}" -gt 0 ] && [ "$last" = "$ticked" ] || { echo "house needs a door"; exit 1; }\n'
    )
    for tool in tools.iterdir():
        tool.chmod(0o755)
    (repo / "ctx.py").write_bytes((ROOT / "ctx.py").read_bytes())
    (repo / "TASKS.md").write_text("- [ ] T-1: Build a house\n- [ ] T-2: Build a shed\n")
    done = subprocess.run(
        ["sh", "-c", read_loop()],
        cwd=repo,
        capture_output=True,
        encoding="utf-8",
        env=os.environ | {"PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"},
    )
    assert "Traceback" not in done.stderr, done.stderr
    assert (repo / "TASKS.md").read_text().count("[x]") == 2
    first, second, third, _ = (repo / "seen.txt").read_text().split("\n=====\n")
    assert "## Failure" not in first and "house needs a door" in second
    assert "- attempt 1 (retry, guard fail)" in second and "`T-2`" in third
    state = json.loads((repo / ".runner" / "state" / "run_state.json").read_text())
    assert state["next_iter"] == 4 and state["last_status"] == "done"
    lines = (repo / ".ctx" / "ledger" / "T-1.jsonl").read_text().splitlines()
    assert [json.loads(line)["status"] for line in lines] == ["retry", "done"]
