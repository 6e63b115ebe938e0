"""Runs with arrays, timing, the debugger."""

import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import threading
import time

import mobula
import numpy as np
import pytest


@pytest.fixture
def checker():
    return mobula.load("examples/checker.frag.bin")


CORNERS = np.array([[0, 0], [4, 0], [0, 4], [4, 4]], np.float32)


def test_arrays_and_documents_give_the_same(checker):
    rows = np.array([[0.6, 0.2], [0.1, 0.2], [0.6, 0.2]], np.float32)
    result = checker.run(arrays={"a": rows, "s": 0})
    assert result["o"].shape == (3, 4) and result["o"].dtype == np.float32
    one = checker.run({"varyings": {"a": [0.1, 0.2]}, "uniforms": {"s": 0}})
    assert np.array_equal(one["o"][0], result["o"][1])
    assert np.array_equal(result["o"][0], result["o"][2]) and not np.array_equal(result["o"][0], result["o"][1])
    assert json.loads(result.json())["threads"] == result.threads == {"started": 3, "ended": 3, "discarded": 0, "faulted": 0}


def test_the_same_as_the_command(checker):
    document = open("examples/checker.inputs.json").read()
    values = json.loads(checker.run(document).json())["outputs"][0]["colours"][0]["value"]
    assert checker.run(document)["o"][0].tolist() == pytest.approx(values)


def test_json_is_the_result_of_the_command(checker):
    command = [shutil.which("mobula", path=os.path.join(os.environ["PYTHONPATH"], os.pardir)), "run", "examples/checker.frag.bin", "--inputs", "examples/checker.inputs.json", "--json"]
    given = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    del given["result"]["diagnostics"]
    assert json.loads(checker.run(open("examples/checker.inputs.json").read()).json()) == given["result"]


def test_outputs_are_views(checker):
    result = checker.run(arrays={"s": 0}, corners={"a": CORNERS}, image=(16, 8))
    image = result.image
    assert image.shape == (8, 16, 4) and not image.flags.owndata
    before = image.copy()
    del result  # the view keeps its memory
    assert np.array_equal(image, before)


def test_images_as_bytes_and_files(checker):
    result = checker.run(arrays={"s": 0}, corners={"a": CORNERS}, image=(16, 8))
    assert result.rgba8().shape == (8, 16, 4) and result.rgba8().dtype == np.uint8
    assert np.array_equal(result.rgba8()[..., 0], np.rint(np.clip(result.image[..., 0], 0, 1) * 255))
    assert result.png()[1:4] == b"PNG"
    with pytest.raises(ValueError, match="image"):
        checker.run(arrays={"s": 0, "a": [0, 0]}).png()


def test_what_does_not_fit_is_refused(checker):
    with pytest.raises(mobula.Error, match="IN005"):
        checker.run(arrays={"b": [0.0]})
    with pytest.raises(mobula.Error, match="IN007"):
        checker.run(arrays={"a": np.zeros((2, 3), np.float32)})
    with pytest.raises(mobula.Error, match="IN022"):
        checker.run(corners={"a": CORNERS[:3]}, image=(4, 4))
    with pytest.raises(ValueError, match="int32"):
        with_whole_numbers().run(arrays={"k": [1 << 40]})
    with pytest.raises(TypeError):
        checker.run(arrays={"s": "text"})
    with pytest.raises(ValueError, match="two dimensions"):
        checker.run(arrays={"a": np.zeros((2, 2, 2), np.float32)})
    for threads in (-1, 0, 1 << 40):
        with pytest.raises(ValueError, match="threads: 1 to"):
            checker.run(arrays={"a": [0, 0], "s": 0}, threads=threads)
    for threads in ("two", 2.0, True, np.bool_(True)):
        for execute in (checker.run, checker.debug):
            with pytest.raises(TypeError, match="threads is a whole number"):
                execute(arrays={"a": [0, 0], "s": 0}, threads=threads)


def test_threads_are_whole_numbers_of_any_kind(checker):
    for threads in (2, np.int64(2), np.uint8(2)):
        assert checker.run(arrays={"a": [0, 0], "s": 0}, threads=threads).threads["started"] == 2
        assert checker.debug(arrays={"a": [0, 0], "s": 0}, threads=threads).threads >= 2


def with_whole_numbers():
    """What its interface says is all that arrays need."""
    side = {
        "stage": "fragment",
        "inputs": [{"name": "a", "type": "vec2", "driver_location": 0}],
        "uniforms": [{"name": "k", "type": "uint", "driver_location": 0}, {"name": "i", "type": "int", "driver_location": 1}],
        "ssbo_blocks": [{"name": "A", "type": "uint[]", "driver_location": 0}],
    }
    return mobula.load_bytes(mobula.load("examples/checker.frag.bin").code, "midgard:t860", side=side)


@pytest.mark.parametrize("most", [4294967295, np.int64(4294967295), np.uint32(4294967295)])
def test_unsigned_numbers_are_given_as_they_are(most):
    program = with_whole_numbers()
    rest = {"a": [0.0, 0.0]}
    program.run(arrays={"k": most, "i": 2147483647, **rest})
    assert program.run(arrays={"k": 1, "i": -1, "A": [1, 2, 3, int(most)], **rest})["A"].tolist() == [1, 2, 3, 4294967295]
    with pytest.raises(mobula.Error, match="4294967295 does not fit int.*IN024"):
        program.run(arrays={"i": most, "k": 0, **rest})


def test_numbers_that_no_uint_holds_are_refused():
    program = with_whole_numbers()
    rest = {"a": [0.0, 0.0], "i": 0}
    for value, kind in ((-1, mobula.Error), (np.int8(-3), mobula.Error), (1 << 32, ValueError), ([-1, 1 << 31], ValueError)):
        with pytest.raises(kind, match="fit"):
            program.run(arrays={"k": value, **rest})
    with pytest.raises(mobula.Error, match="-1 does not fit uint: 0 to 4294967295"):
        program.run(arrays={"k": 0, "A": [1, -1], **rest})


def test_floats_take_any_whole_number(checker):
    for large in (1 << 40, (1 << 40) + 1, -(1 << 40), 1 << 63):
        ours = checker.run(arrays={"a": np.array([[large, 2]]), "s": 0})["o"]
        assert np.array_equal(ours, checker.run(arrays={"a": np.array([[large, 2]], np.float32), "s": 0})["o"])


def test_documents_hold_what_is_no_number(checker):
    for value, text in ((float("nan"), "nan"), (np.float32("inf"), "inf"), (np.float64("-inf"), "-inf")):
        given = checker.run({"varyings": {"a": [value, 1]}, "uniforms": {"s": 0}})
        written = checker.run({"varyings": {"a": [text, 1]}, "uniforms": {"s": 0}})
        assert given["o"].tobytes() == written["o"].tobytes()
    with pytest.raises(mobula.Error, match='"NaN, -Infinity: unknown'):
        checker.run({'"NaN, -Infinity': 1})


def test_firmware_is_no_shader():
    firmware = mobula.load("examples/firmware.afuc", "afuc:a630")
    for execute in (firmware.run, firmware.debug):
        with pytest.raises(ValueError, match=r"firmware.afuc is firmware.*run_firmware\(\)"):
            execute()


def test_a_dispatch_has_the_threads_of_its_groups():
    program = mobula.load("examples/negative.comp.mdg", "midgard:t860")
    document = open("examples/negative.inputs.json").read()
    for execute in (program.run, program.debug):
        with pytest.raises(ValueError, match='vertices or fragments.*"groups" and "local_size"'):
            execute(document, threads=3)


def test_textures_from_arrays():
    program = mobula.load("examples/textured.frag.bin")
    sampler = next(row["name"] for row in json.load(open("examples/textured.frag.json"))["uniforms"] if "sampler" in row["type"])
    document = json.load(open("examples/textured.inputs.json"))
    document.pop("textures")
    red = np.zeros((2, 2, 4), np.uint8)
    red[..., 0] = red[..., 3] = 255
    a = program.run(document, textures={sampler: red}, image=(4, 4)).image
    b = program.run(document, textures={sampler: red.astype(np.float32) / 255}, image=(4, 4)).image
    assert np.array_equal(a, b) and a[..., 0].max() > 0 and a[..., 1].max() < a[..., 0].max()
    with pytest.raises(ValueError, match="shape"):
        program.run(document, textures={sampler: red[0]})


def test_memory_comes_back():
    program = mobula.load("examples/negative.comp.mdg", "midgard:t860")
    result = program.run(open("examples/negative.inputs.json").read())
    assert result.memory[0x2000][:4] == struct.pack("<I", 0x00FFFFFF)


def test_the_debugger_writes_memory():
    program = mobula.load("examples/negative.comp.mdg", "midgard:t860")
    debugger = program.debug(open("examples/negative.inputs.json").read())
    debugger.assign("*0x1000", "3.5")
    assert debugger.evaluate("*0x1000") == 3.5
    with pytest.raises(mobula.Error, match="cannot be written"):
        debugger.assign("*0x99999999", "1")
    with pytest.raises(mobula.Error, match=r"not one slot: there are r0\.x, r0\.y"):
        debugger.assign("r0", "1")


def test_timing_is_tables(checker):
    timing = checker.time(threads=16)
    assert timing.estimate["words"] == len(checker.disassemble())
    assert timing.simulation["cycles"] > 10 and timing.simulation["threads"] == 16
    row = timing.words[0]
    assert row["executions"] == 16 and row["byte_offset"] == 0 and "memory" in row
    assert json.loads(timing.json())["schema"] == "mobula/time" and str(timing)
    with pytest.raises(mobula.Error, match="TM001"):
        checker.time(costs={"no_such": 1})


def test_the_debugger_goes_forward_and_back(checker):
    debugger = checker.debug({"varyings": {"a": [0.6, 0.2]}, "uniforms": {"s": 0}})
    assert debugger.address == 0 and debugger.words_executed == 0
    assert debugger.step(2) == "stepped" and debugger.address == 0x20
    assert "FMUL" in debugger.text and "r0.y" in debugger.written
    value = debugger.evaluate("r0.y")
    assert value == pytest.approx(0.6)
    assert debugger.step() == "stepped" and debugger.back() == "stepped" and debugger.evaluate("r0.y") == value
    number = debugger.break_at(0x40)
    assert debugger.go() == "breakpoint" and debugger.address == 0x40
    assert debugger.remove(number) and not debugger.remove(number)
    debugger.assign("r0.x", "1.5")
    assert debugger.evaluate("r0.x * 2") == 3
    assert debugger.go() == "stopped" and debugger.address is None
    with pytest.raises(mobula.Error):
        debugger.break_at("nowhere")


def test_others_run_meanwhile(checker):
    """Work does not hold the interpreter's lock: this thread counts on."""
    done = threading.Event()

    def work():
        checker.run(arrays={"s": 0}, corners={"a": CORNERS}, image=(1024, 1024))
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    turns = 0
    while not done.wait(0.001):
        turns += 1
    thread.join()
    assert turns > 1


ENDLESS = """
import mobula
print("ready", flush=True)
program = mobula.assemble("L0:\\n{\\n  br.uncond L0\\n}\\n", "midgard:t860")
program.run({"limits": {"steps": 1 << 40, "all_steps": 1 << 60}})
"""


def test_ctrl_c_ends_a_run():
    process = subprocess.Popen([sys.executable, "-c", ENDLESS], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.3)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    errors = process.communicate(timeout=30)[1]
    assert "KeyboardInterrupt" in errors, errors


def test_documents_hold_what_numpy_has(checker):
    document = {"varyings": {"a": np.array([0.6, 0.2])}, "uniforms": {"s": np.int64(0)}}
    assert np.array_equal(checker.run(document)["o"], checker.run({"varyings": {"a": [0.6, 0.2]}, "uniforms": {"s": 0}})["o"])
    with pytest.raises(TypeError, match="not JSON serializable"):
        checker.run({"varyings": {"a": object()}})


def test_results_are_mappings(checker):
    result = checker.run(arrays={"a": [0.6, 0.2], "s": 0})
    assert list(result) == ["o"] == list(result.keys()) and len(result) == 1
    assert "o" in result and "p" not in result and 5 not in result
    assert np.array_equal(dict(result)["o"], result["o"])
