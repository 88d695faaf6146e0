"""Runs commands of ctx.py in forks of one process that has imported it: compiled once, not once a run.

`python [-I -S] tests/forks.py IN OUT`: each line on the pipe IN is a request, the answer on OUT its exit code.
"""

import contextlib
import gc
import importlib
import json
import os
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

FOLDER = str(Path(__file__).resolve().parent.parent)


def serve(requests: int, answers: int) -> dict[str, Any]:
    """Answer until a fork returns, with the request that it is to run."""
    with open(requests, "rb") as lines:
        while line := lines.readline():
            pid = os.fork()
            if pid == 0:
                os.close(answers)
                request: dict[str, Any] = json.loads(line)
                return request
            _, status = os.waitpid(pid, 0)
            os.write(answers, b"%d\n" % os.waitstatus_to_exitcode(status))
    os._exit(0)


if __name__ == "__main__":
    sys.path.append(FOLDER)
    import ctx

    sys.path.remove(FOLDER)
    for name in ("argparse", "sqlite3", "subprocess", "tree_sitter_language_pack"):
        with contextlib.suppress(ImportError):  # what most commands load, loaded once
            importlib.import_module(name)
    with (
        tempfile.TemporaryDirectory() as folder,
        open(os.devnull, "w") as nowhere,
        contextlib.redirect_stdout(nowhere),
        contextlib.redirect_stderr(nowhere),
    ):  # tables and patterns are read once; the folder is gone before any request
        ctx.main(["--root", folder, "init", "--no-setup", "--dry-run"])
    gc.freeze()
    wanted = serve(int(sys.argv[1]), int(sys.argv[2]))
    for number, name in enumerate(wanted["files"]):
        os.dup2(os.open(name, os.O_WRONLY if number else os.O_RDONLY), number)
    os.environ.clear()
    os.environ.update(wanted["environment"])
    os.chdir(wanted["folder"])
    ctx.__file__ = wanted["script"]
    code = ctx.main(wanted["args"])
    for thread in threading.enumerate():
        if not thread.daemon and thread is not threading.main_thread():
            thread.join()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # without taking apart what the parent has made
