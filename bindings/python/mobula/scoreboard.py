"""The out-of-order core that the scoreboard keeps in order: runs, sweeps, a debugger. See docs/scoreboard.md."""

from ._mobula import scoreboard as _core

Debugger = _core.Debugger
Run = _core.Run
Workload = _core.Workload
generate = _core.generate
preset = _core.preset
presets = _core.presets
run = _core.run
sweep = _core.sweep

__all__ = ["Debugger", "Run", "Workload", "generate", "preset", "presets", "run", "sweep"]
