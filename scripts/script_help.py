"""For the scripts of this folder that read their arguments by themselves: with --help they print what they begin with."""
import sys

import __main__


def answer():
    if sys.argv[1:2] in (["--help"], ["-h"]):
        print(__main__.__doc__.strip())
        sys.exit(0)
