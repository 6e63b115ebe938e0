"""Reads, writes, checks, executes and times the machine code of mobile GPUs. See docs/python.md."""

from . import scoreboard
from ._mobula import (
    Debugger,
    Diagnostic,
    Error,
    ExplainedWord,
    Field,
    FirmwareRun,
    Jump,
    Listing,
    Machine,
    Program,
    Result,
    Timing,
    Token,
    Word,
    __version__,
    assemble,
    compile,
    load,
    load_bytes,
    machines,
    run_firmware,
)

__all__ = [
    "Debugger",
    "Diagnostic",
    "Error",
    "ExplainedWord",
    "Field",
    "FirmwareRun",
    "Jump",
    "Listing",
    "Machine",
    "Program",
    "Result",
    "Timing",
    "Token",
    "Word",
    "__version__",
    "assemble",
    "compile",
    "load",
    "load_bytes",
    "machines",
    "run_firmware",
    "scoreboard",
]


def _made_again(kind, state):
    """What pickle and copy call for an object of this class."""
    return kind._of_state(state)
