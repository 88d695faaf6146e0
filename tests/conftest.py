"""What all tests share: ctx.py and this folder are importable, nothing of the user's own is read or written."""

import collections
import os
import sys
from pathlib import Path

import hypothesis
import pytest

sys.path[:0] = [str(Path(__file__).parent.parent), str(Path(__file__).parent)]

import lab  # noqa: E402

for name in list(os.environ):
    if name.startswith(("CTX_", "GIT_", "XDG_", "TIKTOKEN_", "CLAUDE", "PYTHON")):
        del os.environ[name]
for name in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "NPM_CONFIG_CACHE", "PRE_COMMIT_HOME"):
    os.environ[name] = str(lab.cache_home())
os.environ["GIT_CONFIG_NOSYSTEM"] = "1"
# the same examples in every run, on a machine of any speed
hypothesis.settings.register_profile("same", derandomize=True, deadline=None, database=None)
hypothesis.settings.load_profile("same")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--regen", action="store_true", help="rewrite the expected files")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """How many tests were skipped, for each reason."""
    skips = [report.longrepr for report in terminalreporter.getreports("skipped")]
    reasons = collections.Counter(str(skip[2]) for skip in skips if isinstance(skip, tuple))
    for reason, count in sorted(reasons.items()):
        terminalreporter.write_line(f"{count} skipped: {reason.removeprefix('Skipped: ')}")
