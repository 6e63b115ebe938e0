"""Programs, listings, errors."""

import copy
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import mobula
import mobula.scoreboard
import numpy as np
import pytest

CHECKER = "examples/checker.frag.bin"


def test_machines_are_listed():
    names = [machine.name for machine in mobula.machines()]
    assert {"midgard", "utgard-gp", "rogue", "afuc"} <= set(names)
    midgard = mobula.machines()[names.index("midgard")]
    assert midgard.word_bytes == 16 and any(row["name"] == "t860" for row in midgard.variants)


def test_a_program_comes_back_from_its_text_and_its_bytes():
    program = mobula.load(CHECKER)
    assert (program.machine, program.stage, len(program.code)) == ("midgard", "fragment", 240)
    again = mobula.assemble(program.disassemble().text, "midgard:t860")
    assert again.code == program.code
    other = mobula.load_bytes(program.code, "midgard:t860", side=program.side_file())
    assert other.code == program.code and other.stage == "fragment"


def test_listings_have_words_tokens_and_jumps():
    listing = mobula.load("examples/loop.vert.bin").disassemble()
    assert len(listing) == len(listing.words) > 2
    assert [jump for jump in listing.jumps if jump.target is not None and jump.target <= jump.source]
    text = listing.text.encode()
    position = 0
    for token in listing.tokens:
        assert text[token.begin : token.end].decode() == token.text
        assert not text[position : token.begin].strip()
        position = token.end
    assert {"mnemonic", "register", "number", "sign"} <= {token.kind for token in listing.tokens}


@pytest.mark.parametrize("file", ["examples/light.vert.bin", "examples/rogue-disc.rgasm", "examples/firmware.afuc"])
def test_tokens_cover_the_text_of_every_machine(file):
    listing = mobula.load(file).disassemble()
    covered = "".join(token.text for token in listing.tokens)
    assert "".join(covered.split()) == "".join(listing.text.split())


def test_errors_carry_diagnostics():
    with pytest.raises(mobula.Error, match="t.mdg:2:") as caught:
        mobula.assemble("{\n  vmul.NOTHING R0, R1, R2\n}\n", "midgard:t860", file="t.mdg")
    first = caught.value.diagnostics[0]
    assert (first.severity, first.file, first.line) == ("error", "t.mdg", 2) and first.code.startswith("MD")
    with pytest.raises(mobula.Error, match="MOB007"):
        mobula.load("no/such/file")
    with pytest.raises(ValueError):
        mobula.load(CHECKER).disassemble("klingon")


def test_rules_point_into_words():
    assert mobula.load(CHECKER).check() == []
    found = mobula.load_bytes(b"\xff" * 16, "midgard:t860").check()
    assert found[0].byte_offset == 0 and found[0].line is None


def test_words_are_explained_and_lifted():
    program = mobula.load(CHECKER)
    word = program.explain()[0]
    assert word.fields[0].low == 0 and "bits 0-" in str(word)
    assert program.svg().startswith("<svg")
    assert "fmul.f32" in program.lift()


def test_effects_are_a_table():
    program = mobula.assemble("{\n  vmul.FMUL.f16 R1.x, R0.x, R0.y\n}\n", "midgard:t860")
    writes = [row for row in program.effects() if row["writes"]]
    assert [(row["slot"], row["bytes"], row["partial"], row["implicit"]) for row in writes if row["slot"] == "r1.x"] == [
        ("r1.x", 2, True, False)
    ]


def test_shaders_are_compiled():
    source = "precision highp float;\nvarying vec2 a;\nvoid main() { gl_FragColor = vec4(a, 0.0, 1.0); }\n"
    try:
        program = mobula.compile(source, "midgard:t860", file="t.frag")
    except NotImplementedError:
        pytest.skip("built without the compiler")
    assert program.check() == []
    assert list(program.run(arrays={"a": [0.25, 0.5]}).arrays.values())[0].tolist() == [[0.25, 0.5, 0, 1]]
    of_machine = "uniform float u[gl_MaxVertexTextureImageUnits];\nvoid main() { gl_Position = vec4(u[0]); }\n"
    assert mobula.compile(of_machine, "midgard:t860", file="t.vert").check() == []
    packed = mobula.compile(source, "rogue", file="t.frag", pixel_formats="rgba8_unorm")
    assert "pck.scale.u8888" in packed.disassemble().text
    named = mobula.compile(source, "rogue", file="t.frag", pixel_formats={"gl_FragColor": "rgba8_unorm"})
    assert named.code == packed.code
    with pytest.raises(mobula.Error, match="CO017"):
        mobula.compile(source, "rogue", file="t.frag", pixel_formats={"colour": "rgba8_unorm"})
    with pytest.raises(mobula.Error, match="t.frag:3:"):
        mobula.compile(source.replace("vec2 a", "vec2 b").replace("vec4(a", "vec4(c"), "midgard:t860", file="t.frag")


def test_what_is_doubtful_in_a_shader_is_among_remarks():
    source = (
        "#extension GL_NO_such : enable\nprecision highp float;\nuniform float u;\nvoid main() {\n"
        "  float a = u;\n  for (int i = 0; i < 1000000; ++i) a += sin(a);\n  gl_FragColor = vec4(a);\n}\n"
    )
    try:
        program = mobula.compile(source, "midgard:t860", file="t.frag")
    except NotImplementedError:
        pytest.skip("built without the compiler")
    assert [(each.code, each.file, each.line) for each in program.remarks] == [("CO002", "t.frag", 1), ("VF003", "t.frag", None)]


def test_files_have_the_systems_names(tmp_path):
    with open("examples/checker.frag.bin", "rb") as file:
        code = file.read()
    name = os.fsencode(tmp_path) + b"/a\xff.bin"
    with open(name, "wb") as file:
        file.write(code)
    assert mobula.load(os.fsdecode(name), "midgard").code == code
    assert mobula.load(name, "midgard").code == code
    with pytest.raises(TypeError):
        mobula.load(3)
    with pytest.raises(ValueError, match="null"):
        mobula.load("a\0b")


def public(module):
    for kind in vars(module).values():
        if isinstance(kind, type) and kind.__module__.startswith("mobula"):
            for name, member in vars(kind).items():
                if not name.startswith("_") and (callable(member) or isinstance(member, property)):
                    yield f"{kind.__name__}.{name}", member


@pytest.mark.parametrize("module", [mobula, mobula.scoreboard])
def test_everything_public_has_a_docstring(module):
    assert [name for name, member in public(module) if not (member.__doc__ or "").split("\n", 2)[-1].strip()] == []


def test_bytes_come_from_whatever_has_some():
    code = mobula.load(CHECKER).code
    for data in (bytearray(code), memoryview(code), np.frombuffer(code, np.uint8), np.frombuffer(code, np.uint32), memoryview(code * 2)[::2]):
        loaded = mobula.load_bytes(data, "midgard:t860")
        assert loaded.code == bytes(data)
    for data in ("text", 5, None, [1, 2]):
        with pytest.raises(TypeError, match="data: bytes"):
            mobula.load_bytes(data, "midgard:t860")


PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)


@pytest.mark.parametrize("file", [CHECKER, "examples/torus.vert.gpasm", "examples/rogue-disc.rgasm", "examples/firmware.afuc"])
def test_programs_go_to_other_processes(file):
    program = mobula.load(file)
    for again in (*(pickle.loads(pickle.dumps(program, protocol)) for protocol in PROTOCOLS), copy.copy(program), copy.deepcopy(program)):
        assert again is not program and repr(again) == repr(program)
        assert again.code == program.code and again.side_file() == program.side_file() and again.entry == program.entry
        assert again.disassemble(directive=True).text == program.disassemble(directive=True).text
        assert [str(each) for each in again.check()] == [str(each) for each in program.check()]


def test_errors_go_to_other_processes():
    with pytest.raises(mobula.Error) as caught:
        mobula.assemble("{\n  vmul.NOTHING R0, R1, R2\n}\n", "midgard:t860", file="mine.mdg")
    for protocol in PROTOCOLS:
        again = pickle.loads(pickle.dumps(caught.value, protocol))
        assert isinstance(again, mobula.Error) and str(again) == str(caught.value)
        assert [str(each) for each in again.diagnostics] == [str(each) for each in caught.value.diagnostics] != []


def classes(module):
    return [kind for kind in vars(module).values() if isinstance(kind, type) and kind.__module__.startswith("mobula") and kind is not mobula.Error]


@pytest.mark.parametrize("kind", classes(mobula) + classes(mobula.scoreboard))
def test_no_object_is_without_content(kind):
    """Methods of such an object would read what is not there: the interpreter ended."""
    for make in (lambda: kind.__new__(kind), lambda: kind.__new__(), lambda: kind.__base__.__new__(kind), lambda: object.__new__(kind), kind):
        with pytest.raises(TypeError):
            make()
    with pytest.raises(TypeError, match="base type"):
        type("Derived", (kind,), {})


def test_classes_make_whole_objects():
    workload = mobula.scoreboard.generate("int", operations=5)
    kind = mobula.scoreboard.Workload
    assert str(kind(str(workload), file="mine")) == str(kind.__new__(kind, str(workload), file="mine")) == str(workload)
    with pytest.raises(mobula.Error):
        kind.__new__(kind, "no operation")


def test_what_cannot_be_pickled_says_so():
    result = mobula.load(CHECKER).run({"varyings": {"a": [0, 0]}, "uniforms": {"s": 0}})
    for protocol in PROTOCOLS:
        with pytest.raises(TypeError, match="cannot pickle"):
            pickle.dumps(result, protocol)


SHADER = "precision highp float; varying vec4 v; void main() { vec4 s = v; for (int i = 0; i < 30; ++i) s += sin(s); gl_FragColor = s; }"


def compiled(**options):
    try:
        return mobula.compile(SHADER, "midgard:t860", **options)
    except NotImplementedError:
        pytest.skip("there is no compiler")


def test_shaders_are_compiled_by_several_threads():
    code = compiled().code
    done, turns = [], 0
    threads = [threading.Thread(target=lambda: done.append(compiled(runs=200).code)) for _ in range(3)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        time.sleep(0.001)
        turns += 1
    assert done == [code] * 3 and turns > 1
    with pytest.raises(ValueError, match="runs: 0 to 1000000"):
        compiled(runs=1 << 31)


def test_ctrl_c_ends_verification():
    compiled()
    script = f"import mobula\nprint('ready', flush=True)\nmobula.compile({SHADER!r}, 'midgard:t860', runs=1000000)\n"
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.5)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    assert "KeyboardInterrupt" in process.communicate(timeout=60)[1]


def test_objects_show_what_they_are():
    program = mobula.assemble("L0:\n{\n  br.uncond L0\n}\n", "midgard:t860")
    listing, workload = program.disassemble(), mobula.scoreboard.generate("int", operations=5)
    run = mobula.scoreboard.run("libresoc2020", workload)
    assert list(map(repr, listing.words + listing.jumps)) == ["<mobula.Word at 0x0>", "<mobula.Jump jump from 0x0 to 0x0>"]
    assert repr(program.explain()[0]) == "<mobula.ExplainedWord at 0x0>"
    assert repr(program.explain()[0].fields[0]).startswith("<mobula.Field tag: ")
    assert repr(mobula.load(CHECKER).time()) == "<mobula.Timing of 9 words>"
    assert repr(mobula.load(CHECKER).run({"varyings": {"a": [0, 0]}, "uniforms": {"s": 0}})) == "<mobula.Result of 1 threads>"
    assert repr(workload) == "<mobula.scoreboard.Workload synthetic int, 5 operations>"
    assert repr(run) == f"<mobula.scoreboard.Run of synthetic int, {run.clocks} clocks>"
