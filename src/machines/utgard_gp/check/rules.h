// The rules a Utgard GP program must keep, as data: what `check` reports and docs/utgard-gp-rules.md lists.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/rule.h"

namespace mobula::utgard_gp {

enum class RuleId : std::uint8_t {
  // program
  whole_words,
  program_length,
  reachable,
  comes_to_its_end,
  // words
  source_known,
  operand_connected,
  operation_known,
  set_a01,
  stored_known,
  offset_known,
  flow_known,
  wide_negation,
  select_condition,
  dead_operand,
  idle_fields,
  // branches
  branch_flow,
  branch_condition,
  branch_target,
  branch_alone,
  // memory and stores
  load_inside,
  temporary_flow,
  temporary_index,
  temporary_or_branch,
  temporary_alone,
  temporary_or_varying,
  // forwarding
  idle_unit,
  nothing_before,
  complex1_early,
  forwarded_join,
  forwarded_edge,
  // latencies
  register_latency,
  temporary_latency,
  temporary_may_be_early,
  address_latency,
  store_before_edge,
  // what is read has been written
  register_defined,
  store_address_defined,
  load_offset_defined,
  // functions
  partial_result,
  square_argument,
  exp2_argument,
  complex1_parts,
  complex1_argument,
  log2_result,
  // interface
  attribute_announced,
  varying_announced,
  fragment_varyings,
  prefetch,
  position,
};

/// What says that the rest is left out.
inline constexpr std::string_view limit_code = "GP310";

// clang-format off
/// In the order of RuleId.
inline constexpr auto rules = std::to_array<Rule>({
    // program
    {.code = "GP311", .title = "A program is whole words", .fact = {Status::seed, "2"}, .allowed = "a length that is a multiple of 16 bytes",
        .mend = "cut the bytes that are not code, or append what is missing"},
    {.code = "GP312", .title = "A program fits the machine", .fact = {Status::document, "1.2"}, .allowed = "1 to 512 words", .mend = "shorten the program; words after the 512th are not checked"},
    {.code = "GP313", .title = "Every word can be reached", .severity = Severity::warning, .fact = {Status::inferred, "4.2"},
        .allowed = "words that some path from word 0 leads to", .mend = "remove the words, or branch to them"},
    {.code = "GP314", .title = "The program reaches its end", .fact = {Status::inferred, "4.2"},
        .allowed = "a path past the last word from every word reached", .mend = "give the loop a way out"},
    // words
    {.code = "GP315", .title = "Source selectors are known", .severity = Severity::warning, .fact = {Status::unknown, "2.2"},
        .allowed = "selectors 0 to 7 and 12 to 31", .mend = "select a port, the memory load or a result"},
    {.code = "GP316", .title = "A unit's operands are connected", .fact = {Status::unknown, "11"},
        .allowed = "a source for every operand of a unit that works",
        .mend = "select a source, or ident for a second operand; selector 21 means that the unit is idle"},
    {.code = "GP317", .title = "Operations are known", .severity = Severity::warning, .fact = {Status::unknown, "11"},
        .allowed = "the operations of section 3", .mend = "see `mobula isa utgard-gp` for what exists"},
    {.code = "GP318", .title = "setA01 is known from one source only", .severity = Severity::warning, .fact = {Status::seed, "3.3"},
        .allowed = "setA0, setA1, setA2 and setA3", .mend = "set the address registers one by one"},
    {.code = "GP319", .title = "Store selectors are known", .severity = Severity::warning, .fact = {Status::unknown, "2.4"}, .allowed = "0 to 4, 6 and 7", .mend = "store the result of a unit"},
    {.code = "GP320", .title = "Load offsets are known", .severity = Severity::warning, .fact = {Status::unknown, "2.3"}, .allowed = "1, 2, 3 (A1 to A3) and 7 (none)", .mend = "use A1, A2 or A3"},
    {.code = "GP321", .title = "The kind of word is known", .severity = Severity::warning, .fact = {Status::unknown, "2.5"},
        .allowed = "flow 0, 12 where a temporary is stored, 13 where the word branches", .mend = "clear the field"},
    {.code = "GP322", .title = "Operations that take both multipliers negate nothing", .severity = Severity::warning,
        .fact = {Status::unknown, "3.1"}, .allowed = "negation bits 0 beside complex1 and select, and mul0.neg 0 beside complex2",
        .mend = "negate where the result is used"},
    {.code = "GP323", .title = "A select tests a value", .severity = Severity::warning, .fact = {Status::driver, "2.2"},
        .allowed = "a condition other than the identity, which is always true; the complex result cannot be the condition",
        .mend = "move the complex result through another unit first"},
    {.code = "GP324", .title = "floor and sign leave their second operand alone", .severity = Severity::note, .fact = {Status::driver, "2.1"},
        .allowed = "0 (Mesa), 21 (open-gpu-tools) or 22 in the operand that is not read", .mend = "write 0"},
    {.code = "GP325", .title = "Idle units are left as compilers leave them", .severity = Severity::note, .fact = {Status::driver, "2.1"},
        .allowed = "21 in operands of idle units, negation bits 0, operation 0 (pass: 2)",
        .mend = "restore the idle fields, or select a first operand if the unit should work"},
    // branches
    {.code = "GP326", .title = "The branch bit and flow agree", .fact = {Status::inferred, "2.5"}, .allowed = "the branch bit with flow 13, neither without the other", .mend = "set or clear both"},
    {.code = "GP327", .title = "A branch tests the pass result of its own word", .fact = {Status::driver, "2.5"},
        .allowed = "a working pass unit in a word that branches", .mend = "move the condition through the pass unit in this word: p = mov ..."},
    {.code = "GP328", .title = "A branch stays inside the program", .fact = {Status::inferred, "2.5"},
        .allowed = "the number of a word of the program", .mend = "branch to a word that exists; the program ends after its last word"},
    {.code = "GP329", .title = "A branch is alone in its word", .severity = Severity::warning, .fact = {Status::inferred, "2.5"},
        .allowed = "the branch and its condition on the pass unit, which is all that compilers put there",
        .mend = "move the other work to the word before"},
    // memory and stores
    {.code = "GP331", .title = "Loads stay inside the memory", .fact = {Status::document, "1.2"}, .allowed = "vec4 addresses below 304 on Mali-400 and Mali-450", .mend = "use a lower address"},
    {.code = "GP332", .title = "A word that stores a temporary says so", .fact = {Status::seed, "2.4"},
        .allowed = "flow 12 in words that store a temporary and in no others", .mend = "set flow to 12 if a temporary is stored, to 0 if none is"},
    {.code = "GP333", .title = "Temporaries have no index", .fact = {Status::driver, "2.4"},
        .allowed = "index 0 in a half that stores a temporary; A0 is the address", .mend = "clear the index and set A0"},
    {.code = "GP334", .title = "A word branches or stores temporaries", .fact = {Status::inferred, "2.5"},
        .allowed = "one of the two, as flow can only name one", .mend = "store the temporary in another word"},
    {.code = "GP335", .title = "Temporaries are not stored alongside anything else", .severity = Severity::warning, .fact = {Status::unknown, "11"},
        .allowed = "a second half that stores a temporary or nothing", .mend = "store the register or varying in another word"},
    {.code = "GP336", .title = "A half stores to one kind of place", .severity = Severity::warning, .fact = {Status::driver, "2.4"},
        .allowed = "the temporary bit or the varying bit of a half, not both", .mend = "clear the varying bit; the temporary wins"},
    // forwarding
    {.code = "GP341", .title = "Results come from units that work", .fact = {Status::unknown, "11"},
        .allowed = "selectors whose unit computes something in the word they refer to",
        .mend = "let the unit compute the value there, or select another unit"},
    {.code = "GP342", .title = "The first words do not look back past the start", .fact = {Status::unknown, "11"},
        .allowed = "[-1] from the second word on, [-2] from the third", .mend = "compute the value first"},
    {.code = "GP343", .title = "A complex1 result takes two words", .fact = {Status::driver, "4.3"},
        .allowed = "m0[-2] two words after complex1, and nothing else",
        .mend = "read m0[-2] one word later; to store it, move it through a unit there"},
    {.code = "GP344", .title = "A forwarded value comes from one word", .severity = Severity::warning, .fact = {Status::inferred, "4.4"},
        .allowed = "the same word on every path; what selectors see where paths meet is not proven on hardware",
        .mend = "carry the value in a register"},
    {.code = "GP345", .title = "Values are not forwarded past branches", .severity = Severity::warning, .fact = {Status::inferred, "1.4"},
        .allowed = "[-1] and [-2] within words that always follow each other, as in all that compilers emit",
        .mend = "carry the value in a register"},
    // latencies
    {.code = "GP351", .title = "A register is loaded three words after its store", .fact = {Status::driver, "4.3"},
        .allowed = "a load 3 or more words after the store, on every path; before that it gives the old value", .mend = {}},
    {.code = "GP352", .title = "A temporary is loaded four words after its store", .fact = {Status::driver, "4.3"},
        .allowed = "a load 4 or more words after the store, on every path; before that it gives the old value", .mend = {}},
    {.code = "GP353", .title = "A load that may be of a temporary comes four words after the store", .severity = Severity::warning,
        .fact = {Status::driver, "4.3"}, .allowed = "a load 4 or more words after the store, unless the two addresses differ", .mend = {}},
    {.code = "GP354", .title = "A load offset is used four words after it is set", .fact = {Status::seed, "4.3"},
        .allowed = "a load with A1 to A3 that comes 4 or more words after the register is set, on every path", .mend = {}},
    {.code = "GP355", .title = "Registers are not stored right before a jump or a join", .severity = Severity::warning,
        .fact = {Status::unknown, "4.4"},
        .allowed = "no register store in the last two words of a block; whether the latency counts across branches is not known",
        .mend = "store the register earlier, or put empty words after it"},
    // what is read has been written
    {.code = "GP361", .title = "A register is stored before it is loaded", .fact = {Status::unknown, "11"},
        .allowed = "components that every path has stored; what registers hold at the start is not known",
        .mend = "store the register on this path, too"},
    {.code = "GP362", .title = "A0 is set before a temporary is stored", .fact = {Status::unknown, "4.4"},
        .allowed = "setA0 in the word of the store or before it, on every path", .mend = "set the address in the word of the store: c = setA0 ..."},
    {.code = "GP363", .title = "A1 to A3 are set before they are used", .fact = {Status::unknown, "11"},
        .allowed = "load offsets that every path has set", .mend = "set the address register 4 or more words earlier"},
    // functions
    {.code = "GP371", .title = "Partial results stay in their sequence", .fact = {Status::inferred, "3.6"},
        .allowed = "results of preexp2, of table operations, of complex2 and of log2's complex1 only where the next step takes them",
        .mend = "use the value before or after the sequence of section 3.5"},
    {.code = "GP372", .title = "complex2 takes the same argument twice", .fact = {Status::driver, "3.1"}, .allowed = "the same value in both operands", .mend = "write m0 = complex2 X, X"},
    {.code = "GP373", .title = "exp2 takes the result of preexp2", .fact = {Status::driver, "3.5"},
        .allowed = "a preexp2 result read straight from the pass unit", .mend = "begin with p = preexp2 x in the word before"},
    {.code = "GP374", .title = "complex1 takes a table result twice and a complex2 result", .fact = {Status::driver, "3.5"},
        .allowed = "c[-1] of a table operation as first and third operand, the complex2 result as second",
        .mend = "write m01 = complex1 c[-1], m0[-1], c[-1], X"},
    {.code = "GP375", .title = "All steps of a function take the same argument", .fact = {Status::driver, "3.5"},
        .allowed = "the same value in the table operation, complex2 and the last operand of complex1", .mend = "give all three the same argument"},
    {.code = "GP376", .title = "postlog2 takes the result of log2's complex1", .fact = {Status::driver, "3.5"},
        .allowed = "m0[-2] two words after the complex1 of log2", .mend = "read m0[-2] two words after complex1"},
    // interface
    {.code = "GP381", .title = "Attributes that are loaded are announced", .severity = Severity::warning, .fact = {Status::driver, "4.4"},
        .allowed = "attributes that the container or side file lists", .mend = "announce the attribute, or load one that exists"},
    {.code = "GP382", .title = "Varyings that are stored are announced", .severity = Severity::warning, .fact = {Status::driver, "4.4"},
        .allowed = "varyings that the container or side file lists", .mend = "announce the varying, or store to one that exists"},
    {.code = "GP383", .title = "The fragment side takes 12 varyings", .severity = Severity::warning, .fact = {Status::document, "1.2"},
        .allowed = "12 varyings besides position and point size", .mend = "pack varyings together"},
    {.code = "GP384", .title = "The prefetch announced covers every attribute load", .fact = {Status::driver, "5.4"},
        .allowed = "attribute loads up to the word announced as the last one",
        .mend = "announce the number of the last word that loads an attribute"},
    {.code = "GP385", .title = "The position is written in full", .fact = {Status::inferred, "4.4"},
        .allowed = "x, y, z and w of gl_Position stored on every path", .mend = "store the missing components before the program ends"},
});
// clang-format on

constexpr const Rule& rule(RuleId id) { return rules[static_cast<std::size_t>(id)]; }
static_assert(rules.size() == static_cast<std::size_t>(RuleId::position) + 1);

}  // namespace mobula::utgard_gp
