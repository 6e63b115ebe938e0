"""Firmware of command processors: boots, streams, what comes out."""

import signal
import struct
import subprocess
import sys
import time

import mobula
import pytest

WRITE = "CP_MEM_WRITE 0x1000 0 5\n"


@pytest.fixture
def firmware():
    return mobula.load("examples/firmware.afuc", "afuc:a630")


def test_boots_without_a_stream(firmware):
    run = mobula.run_firmware([firmware])
    assert run.ok and run.chip == "a630" and run.packets == [] and run.events == []
    (core,) = run.cores
    assert core["name"] == "SQE" and core["halt"] == "idle" and core["reason"] == "" and core["instructions"] > 100


def test_streams_are_text_or_words(firmware):
    text = mobula.run_firmware([firmware], WRITE)
    words = mobula.run_firmware([firmware], struct.pack("<4I", text.packets[0]["header"], 0x1000, 0, 5))
    for run in (text, words):
        assert [packet["name"] for packet in run.packets] == ["CP_MEM_WRITE"]
        assert {"address": 0x1000, "value": 5} in [{k: event[k] for k in ("address", "value")} for event in run.events if event["kind"] == "memory_write"]
        assert run.memory(0x1000) == 5 and run.memory(0x2000) == 0
    assert str(text) == str(words)
    assert "packet CP_MEM_WRITE" in str(text)


def test_streams_follow_each_other_or_go_to_cores(firmware):
    run = mobula.run_firmware([firmware], {"SQE": [WRITE, "CP_NOP\n"]})
    assert [packet["name"] for packet in run.packets] == ["CP_MEM_WRITE", "CP_NOP"]
    with pytest.raises(ValueError, match="no core BV; it has SQE"):
        mobula.run_firmware([firmware], {"BV": WRITE})
    several = mobula.load("tests/data/afuc/cores.asm", "afuc")
    streams = {core: open(f"tests/data/afuc/{file}").read() for core, file in (("BR", "cores.pm4"), ("BV", "cores-bv.pm4"))}
    assert {packet["core"] for packet in mobula.run_firmware([several], streams).packets} == {"BR", "BV"}


def test_memory_is_there_for_indirect_buffers(firmware):
    run = mobula.run_firmware([firmware], "CP_INDIRECT_BUFFER 0x100000 0 1\n", memory={0x100000: "CP_NOP\n"})
    assert ("CP_NOP", 1) in [(packet["name"], packet["level"]) for packet in run.packets]
    with pytest.raises(ValueError, match="multiples of 4"):
        mobula.run_firmware([firmware], memory={2: "CP_NOP\n"})


def test_registers_profiles_and_coverage(firmware):
    run = mobula.run_firmware([firmware], WRITE, profile=True)
    registers = run.registers()
    assert registers == run.registers("SQE") and "$02" in registers
    assert run.gpu_register("CP_SCRATCH[2]") == 0
    with pytest.raises(mobula.Error):
        run.gpu_register("CP_NOTHING")
    for text in (run.profile(), run.collapsed(), run.coverage()):
        assert "CP_MEM_WRITE" in text
    assert run.collapsed() != mobula.run_firmware([firmware], WRITE).collapsed()
    jump = {"streams": "CP_INDIRECT_BUFFER 0x100000 0 1\n", "memory": {0x100000: "CP_NOP\n"}}
    few, all = (mobula.run_firmware([firmware], **jump, all_events=wanted).events for wanted in (False, True))
    assert "control_write" in {event["kind"] for event in all} - {event["kind"] for event in few}


def test_what_goes_wrong_is_told(firmware):
    run = mobula.run_firmware([firmware], WRITE, step_limit=3)
    assert not run.ok and run.diagnostics[0].code == "AF161"
    with pytest.raises(mobula.Error):
        mobula.run_firmware([firmware], "NO_SUCH_PACKET 1\n")
    with pytest.raises(mobula.Error):
        mobula.run_firmware([mobula.load("examples/checker.frag.bin")])
    with pytest.raises(TypeError):
        mobula.run_firmware([firmware], 5)
    with pytest.raises(ValueError, match="no firmware"):
        mobula.run_firmware([])


ENDLESS = """
import mobula
print("ready", flush=True)
text = open("examples/firmware.afuc").read().replace("CP_MEM_WRITE:\\n", "CP_MEM_WRITE:\\nagain:\\njump #again\\nnop\\n")
firmware = mobula.assemble(text, "afuc:a630")
mobula.run_firmware([firmware], "CP_MEM_WRITE 0x1000 0 5\\n", step_limit=1 << 60)
"""


def test_ctrl_c_ends_a_run():
    process = subprocess.Popen([sys.executable, "-c", ENDLESS], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.5)
    assert process.poll() is None, process.communicate()[1]
    process.send_signal(signal.SIGINT)
    errors = process.communicate(timeout=60)[1]
    assert "KeyboardInterrupt" in errors, errors
