"""`python tests/start.py SCRIPT ARGS` is `python SCRIPT ARGS` for a copy of ctx.py, compiled once for all copies."""

import os
import sys
from importlib.machinery import SourceFileLoader

SOURCE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "ctx.py")

del sys.argv[0]
__file__ = sys.argv[0]
if not sys.flags.safe_path:
    sys.path[0] = os.path.dirname(os.path.abspath(__file__))
exec(SourceFileLoader("__main__", SOURCE).get_code("__main__"))
