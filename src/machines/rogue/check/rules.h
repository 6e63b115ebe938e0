// The rules a Rogue program must keep, as data: what `check` and the assembler report and docs/rogue-rules.md lists.
// RG001 to RG046 are V-01 to V-46 of the reference (2.4).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/rule.h"

namespace mobula::rogue {

/// Who sees that a rule is broken: some cannot be broken by bytes, some not by text.
enum class SeenBy : std::uint8_t { assembler, checker, both };

struct RogueRule {
  Rule rule;
  SeenBy seen_by = SeenBy::checker;
};

// clang-format off
inline constexpr auto rules = std::to_array<RogueRule>({
    {{.code = "RG001", .title = "A group uses one ALU", .fact = {Status::seed, "V-01"},
        .allowed = "main, bitwise or control instructions, not mixed; ALU type 01 does not exist",
        .mend = "put the instructions of each ALU into groups of their own"}, SeenBy::both},
    {{.code = "RG002", .title = "The phases present are one of eight sets", .fact = {Status::driver, "V-02"},
        .allowed = "{0}, {2}, {BE}, {0,1}, {0,2}, {0,1,2}, {0,2,BE}, {0,1,2,BE}",
        .mend = "phase 1 needs phase 0; a backend instruction is alone or with phases 0 and 2"}, SeenBy::assembler},
    {{.code = "RG003", .title = "A phase holds one instruction", .fact = {Status::seed, "V-03"},
        .allowed = "one in phase 0, 1 and backend; in phase 2 one pack, one test, one move", .mend = "put the second into a later group"},
        SeenBy::assembler},
    {{.code = "RG004", .title = "One instruction drives FT2", .fact = {Status::document, "V-04"},
        .allowed = "a pack, or the phase 2 form of fadd or fmul", .mend = "put the second into a later group"}, SeenBy::assembler},
    {{.code = "RG005", .title = "Text follows the phases", .fact = {Status::seed, "V-05"},
        .allowed = "phase 0, phase 1, pack, test, move, backend in this order", .mend = "reorder the lines"}, SeenBy::assembler},
    {{.code = "RG006", .title = "A range reduction is alone", .fact = {Status::seed, "V-06"}, .allowed = "fred and nothing else in its group",
        .mend = "put the other instructions into groups of their own"}, SeenBy::both},
    {{.code = "RG007", .title = "A complex operation has phases 0 and 1 to itself", .fact = {Status::document, "V-07"},
        .allowed = "frcp, frsq, flog, flogcn, fexp, gcmp, gexp, fsinc, farctanc in phase 0, with pack and move only; in phase 1 beside phase 0 on "
        "rogue:complex-p1", .mend = "move the other instructions to groups of their own"}, SeenBy::both},
    {{.code = "RG008", .title = "Integers, unpck and fred are in phase 0", .fact = {Status::document, "V-08"},
        .allowed = "in phase 1: fadd, fmul, fmad, mbyp, fdsx, fdsy, fdsxf, fdsyf", .mend = "move it to phase 0"}, SeenBy::both},
    {{.code = "RG009", .title = "A bitwise unit holds one instruction", .fact = {Status::document, "V-09"},
        .allowed = "one each of bitmask, shift, count, logical, shift, test; msk excludes an immediate",
        .mend = "put the second into a later group"}, SeenBy::assembler},
    {{.code = "RG010", .title = "Bitwise groups have phase 0", .severity = Severity::warning, .fact = {Status::binaries, "V-10"},
        .allowed = "{0}, {0,1}, {0,2}, {0,1,2}; the others are encodable but were never seen", .mend = "add `byp ft0, ft1, s0, s1`"}},
    {{.code = "RG011", .title = "A control group is one instruction", .fact = {Status::driver, "V-11"},
        .allowed = "one instruction, without rpt, atom and end", .mend = "use a group for each; the end is `nop.end`"}, SeenBy::assembler},
    {{.code = "RG012", .title = "A group has at most 32 bytes", .fact = {Status::driver, "V-12"}, .allowed = "16 words", .mend = "split the group"}, SeenBy::assembler},
    {{.code = "RG013", .title = "There are four conditions", .fact = {Status::driver, "V-13"}, .allowed = "none, if(p0), if(!p0), (ignorepe)", .mend = "use one of them"}, SeenBy::assembler},
    {{.code = "RG014", .title = "The short header says little", .fact = {Status::binaries, "V-14"},
        .allowed = "a main group without repeat, end and atom, whose condition is none or if(p0)", .mend = "leave hdr=2 out"}, SeenBy::assembler},
    {{.code = "RG015", .title = "Waits, mutexes and the end of a task are unconditional", .severity = Severity::warning,
        .fact = {Status::driver, "V-15"}, .allowed = "wdf, wop, mutex and uvsw...endtask without a condition",
        .mend = "branch around the group instead"}},
    {{.code = "RG016", .title = "Execution masks are changed in all instances", .severity = Severity::warning, .fact = {Status::binaries, "V-16"},
        .allowed = "cnd instructions with (ignorepe)", .mend = "write (ignorepe): an instance that is masked out could never come back"}},
    {{.code = "RG017", .title = "Only instructions on elements repeat", .fact = {Status::driver, "V-17"},
        .allowed = "repeat 1 for loads, stores, iterations, samples and emitpix", .mend = "write the group as often as needed"}, SeenBy::both},
    {{.code = "RG018", .title = "Pixel outputs are touched with olchk", .severity = Severity::warning, .fact = {Status::driver, "V-18"},
        .allowed = "olchk on groups that read or write pixel outputs, output_part or tiled components, and on movmsk",
        .mend = "add olchk; without it another task may own the outputs"}},
    {{.code = "RG019", .title = "A shared register is changed with atom", .severity = Severity::warning, .fact = {Status::driver, "V-19"},
        .allowed = "atom on a group that reads and writes the same shared register",
        .mend = "add atom: instances share the register and would lose changes"}},
    {{.code = "RG020", .title = "A program ends", .fact = {Status::driver, "V-20"}, .allowed = "every path reaches a group with end, or nop.end", .mend = "add `nop.end` after the last group"}},
    {{.code = "RG021", .title = "Each phase has its slots", .fact = {Status::document, "V-21"},
        .allowed = "s0, s1, s2 in phase 0; s3, s4, s5 in phase 1; logical s3, second shift s4",
        .mend = "bind the register to the slot of the operand"}, SeenBy::assembler},
    {{.code = "RG022", .title = "Slots are used from the lowest", .severity = Severity::note, .fact = {Status::seed, "V-22"},
        .allowed = "no unused slot below one that an instruction is free to choose",
        .mend = "use the lowest slot that can read the register; the gap costs a byte"}},
    {{.code = "RG023", .title = "Both source maps are there", .fact = {Status::binaries, "V-23"},
        .allowed = "a lower and an upper map in every main and bitwise group, of a form that exists", .mend = "write 00 for a set that is not used"}},
    {{.code = "RG024", .title = "s1, s4 and s5 have four banks", .fact = {Status::binaries, "V-24"},
        .allowed = "special registers, r, vi and cf in s1, s4, s5", .mend = "swap the operands, or copy the register in an earlier group"},
        SeenBy::assembler},
    {{.code = "RG025", .title = "s1, s4 and s5 reach registers up to 255", .fact = {Status::driver, "V-25"},
        .allowed = "register numbers up to 255 in s1, s4, s5 and up to 2047 in s0, s2, s3",
        .mend = "swap the operands, or copy the register in an earlier group"}, SeenBy::assembler},
    {{.code = "RG026", .title = "cf, sh, pixel outputs and indexed registers have their slots", .severity = Severity::warning,
        .fact = {Status::driver, "V-26"}, .allowed = "s0, s2 and s3", .mend = "swap the operands, or copy the register in an earlier group"},
        SeenBy::both},
    {{.code = "RG027", .title = "Special registers have their slots", .severity = Severity::warning, .fact = {Status::driver, "V-27"},
        .allowed = "s1, s2 and s4", .mend = "swap the operands, or copy the register in an earlier group"}, SeenBy::both},
    {{.code = "RG028", .title = "IS0 is one of six slots", .fact = {Status::driver, "V-28"}, .allowed = "s0 to s5; s1 and s2 cost a longer map",
        .mend = "free a slot, or split the group before phase 2"}, SeenBy::both},
    {{.code = "RG029", .title = "Each selector has its choices", .fact = {Status::driver, "V-29"},
        .allowed = "is1: ft0, fte; is2: ft1, fte; is3: ft0, ft1, fte; is4, is5: ft0, ft1, ft2, fte",
        .mend = "swap the operands of the test, or bring the value in by the other phase"}, SeenBy::assembler},
    {{.code = "RG030", .title = "What a selector names is driven", .fact = {Status::driver, "V-30"},
        .allowed = "ft0 with phase 0, ft1 with phase 1, ft2 with a pack, fte always", .mend = "select a feedthrough of a phase that is present"}},
    {{.code = "RG031", .title = "One register reaches phase 2", .fact = {Status::driver, "V-31"}, .allowed = "ft0, ft1 and one register through FTE",
        .mend = "bring the second in by phase 0 or 1 with `mov ft0, r1`, or split"}, SeenBy::assembler},
    {{.code = "RG032", .title = "An operand takes its own modifiers", .fact = {Status::document, "V-32"},
        .allowed = "what `mobula isa rogue` lists for the instruction", .mend = "apply the modifier in an earlier group"}, SeenBy::assembler},
    {{.code = "RG033", .title = "A port that is written has a register, and two ports are all", .fact = {Status::driver, "V-33"},
        .allowed = "W0 and W1, each to one register", .mend = "write further results in a later group"}, SeenBy::both},
    {{.code = "RG034", .title = "Constants are not written", .fact = {Status::driver, "V-34"},
        .allowed = "r, vi, cf, cfa, sh, i, po, sl, g, index and indexed registers", .mend = "write to a temporary"}, SeenBy::both},
    {{.code = "RG035", .title = "W0 and W1 go to different registers", .fact = {Status::inferred, "V-35"}, .allowed = "two registers", .mend = "choose another register for one of them"}},
    {{.code = "RG036", .title = "Bytes that a move leaves out come from IS4", .severity = Severity::warning, .fact = {Status::document, "V-36"},
        .allowed = "a partial mask where the old register is a source of the group",
        .mend = "bring the old value in and select it with is4: the register's old bytes are not kept otherwise"}},
    {{.code = "RG037", .title = "Late results go to plain registers", .fact = {Status::document, "V-37"},
        .allowed = "r, vi, sh or cf as destination of ld, smp, atom, fitr", .mend = "load into a temporary and copy it after the wdf"}, SeenBy::both},
    {{.code = "RG038", .title = "A group writes P0 once", .fact = {Status::document, "V-38"}, .allowed = "one instruction that writes P0", .mend = "write `_` for p0 in all but one"}},
    {{.code = "RG039", .title = "A conditional move has a test", .fact = {Status::document, "V-39"}, .allowed = "movc with a test in the same group", .mend = "add the test, or use mov"}},
    {{.code = "RG040", .title = "Only 32- and 64-bit integers take a carry", .fact = {Status::driver, "V-40"},
        .allowed = "p0 as last operand of add64, [us]add6432, [us]madd32, [us]madd64", .mend = "leave it out"}, SeenBy::assembler},
    {{.code = "RG041", .title = "Late results are waited for", .fact = {Status::driver, "V-41"},
        .allowed = "a wdf on the same counter between a load, sample, iteration or atomic and the next use of its registers",
        .mend = "add the wdf before this group"}},
    {{.code = "RG042", .title = "There are two fence counters", .fact = {Status::driver, "V-42"}, .allowed = "drc0 and drc1", .mend = "share a counter, and wait for both"}, SeenBy::assembler},
    {{.code = "RG043", .title = "Pixels are emitted once before a wait", .fact = {Status::driver, "V-43"}, .allowed = "wop between two emitpix", .mend = "add wop before this group"}},
    {{.code = "RG044", .title = "A vertex task is ended", .fact = {Status::driver, "V-44"},
        .allowed = "a uvsw endtask form in the last group of a program that writes vertex outputs", .mend = "end with uvsw.emit.endtask"}},
    {{.code = "RG045", .title = "Branches go to groups", .fact = {Status::binaries, "V-45"}, .allowed = "targets at the first byte of a group", .mend = "branch to a label"}, SeenBy::both},
    {{.code = "RG046", .title = "The last group is aligned", .fact = {Status::binaries, "V-46"}, .allowed = "start and size multiples of 8 bytes", .mend = "leave len= out: the assembler pads"}},
    // beyond V-01 to V-46
    {{.code = "RG201", .title = "The bytes are a group", .fact = {Status::driver, "4.11"}, .allowed = "groups of section 4", .mend = "see `mobula explain` for the place"}},
    {{.code = "RG202", .title = "Registers are written before they are read", .severity = Severity::warning, .fact = {Status::document, "1.2"},
        .allowed = "r, i and idx registers that some group on every path to here writes",
        .mend = "write the register first; it holds what another task left"}},
    {{.code = "RG203", .title = "P0 is written before it is read", .severity = Severity::warning, .fact = {Status::unknown, "5.1"},
        .allowed = "a test that writes P0 on every path to here; its first value is not published", .mend = "write P0 first"}},
    {{.code = "RG204", .title = "Masked regions are balanced", .severity = Severity::warning, .fact = {Status::driver, "5.4"},
        .allowed = "as much taken off the mask count as was put on, on every path",
        .mend = "pair cndst with cndend, and a loop's head with its tail"}},
    {{.code = "RG205", .title = "A wait waits for something", .severity = Severity::note, .fact = {Status::driver, "V-42"},
        .allowed = "wdf after an instruction that names its counter", .mend = "drop it: it costs a group"}},
    {{.code = "RG206", .title = "Nothing follows the end", .severity = Severity::warning, .fact = {Status::driver, "V-20"},
        .allowed = "groups after an end only where a branch leads there", .mend = "drop the groups, or the end"}},
    {{.code = "RG207", .title = "Constants do not repeat", .severity = Severity::warning, .fact = {Status::unknown, "5.3"},
        .allowed = "repeated groups without sc sources; whether their numbers advance is unknown", .mend = "copy the constant to registers first"}},
    {{.code = "RG208", .title = "Reserved selector values", .severity = Severity::warning, .fact = {Status::driver, "4.11"}, .allowed = "is3 of ft0, ft1, fte", .mend = "bring S2 in through FTE"}},
    {{.code = "RG210", .title = "Registers exist", .fact = {Status::driver, "1.2"},
        .allowed = "r0 to r247 and vi0 to vi247, in every turn of a repeated group and for every word of a burst",
        .mend = "use a register with a lower number"}, SeenBy::both},
    {{.code = "RG209", .title = "The paths are too many to follow", .severity = Severity::note, .fact = {Status::inferred, ""},
        .allowed = "programs of up to 20000 branches and targets", .mend = "check a part"}},
});
// clang-format on

/// The rule of that code. Precondition: there is one.
constexpr const Rule& rule(std::string_view code) {
  for (const RogueRule& each : rules)
    if (each.rule.code == code) return each.rule;
  throw "no such rule";
}

}  // namespace mobula::rogue
