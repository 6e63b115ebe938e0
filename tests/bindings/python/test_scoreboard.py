"""The scoreboard: runs, sweeps, its debugger."""

import json
import signal
import subprocess
import sys
import time

import mobula
import pytest
from mobula import scoreboard


@pytest.fixture
def worked():
    return scoreboard.Workload(open("examples/scoreboard-textbook.sb").read())


def test_runs_give_a_table(worked):
    run = scoreboard.run("textbook6600", worked)
    assert run.clocks > len(worked) and sum(run.causes.values()) == run.clocks
    assert len(run.operations) == len(worked)
    for row in run.operations:
        assert row["issue"] < row["read"] <= row["start"] <= row["complete"] <= row["write"]
    assert run.ipc == pytest.approx(len(worked) / run.clocks)


def test_configurations_are_names_texts_or_dicts(worked):
    text = scoreboard.preset("textbook6600")
    clocks = {scoreboard.run(core, worked).clocks for core in ("textbook6600", text, json.loads(text))}
    assert len(clocks) == 1
    with pytest.raises(mobula.Error, match="SB002"):
        scoreboard.run("no such core", worked)


def test_sweeps_are_tables_of_numbers():
    rows = scoreboard.sweep(["libresoc2020"], axes={"issue.width": [1, 2]}, mixes=["int"], operations=50, seeds=2)
    assert len(rows) == 4 and {row["issue.width"] for row in rows} == {1, 2}
    assert all(isinstance(row["clocks"], int) for row in rows)
    halves = [scoreboard.sweep(["libresoc2020"], axes={"issue.width": [1, 2]}, mixes=["int"], operations=50, seeds=2, shard=(i, 2)) for i in (0, 1)]
    assert sorted(map(str, halves[0] + halves[1])) == sorted(map(str, rows))
    pandas = pytest.importorskip("pandas")
    assert pandas.DataFrame(rows).groupby("issue.width")["clocks"].mean()[1] > 0


@pytest.mark.parametrize("work", ["[scoreboard.generate('int', operations=10_000_000) for _ in range(100)]",
                                  "scoreboard.run('libresoc2020', scoreboard.generate('fp', operations=10_000_000))",
                                  "scoreboard.sweep(['libresoc2020'], mixes=['fp'], operations=10_000_000)"])
def test_ctrl_c_ends_long_work(work):
    script = f"from mobula import scoreboard\nprint('ready', flush=True)\n{work}\n"
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(1)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    assert "KeyboardInterrupt" in process.communicate(timeout=60)[1]


def test_workloads_have_a_size_that_the_command_takes():
    for operations in (0, 10_000_001):
        with pytest.raises(ValueError, match="operations: 1 to"):
            scoreboard.generate("int", operations=operations)
        with pytest.raises(ValueError, match="operations: 1 to"):
            scoreboard.sweep(["libresoc2020"], mixes=["int"], operations=operations)


def test_the_debugger_goes_forward_and_back(worked):
    debugger = scoreboard.Debugger("textbook6600", worked)
    assert debugger.clock == 0 and debugger.step(3) == "stepped" and debugger.clock == 3
    assert debugger.waits and debugger.matrices
    number = debugger.break_at("write")
    assert debugger.go() == "breakpoint" and any(moment == "write" for moment, _ in debugger.happened)
    at = debugger.clock
    assert debugger.back() == "stepped" and debugger.clock == at - 1
    assert debugger.remove(number) and debugger.go() == "finished" and debugger.finished
    with pytest.raises(ValueError):
        debugger.break_at("lunch")
