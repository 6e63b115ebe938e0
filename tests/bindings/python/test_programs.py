"""Programs, listings, errors."""

import os

import mobula
import mobula.scoreboard
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
    with pytest.raises(mobula.Error, match="t.frag:3:"):
        mobula.compile(source.replace("vec2 a", "vec2 b").replace("vec4(a", "vec4(c"), "midgard:t860", file="t.frag")


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
