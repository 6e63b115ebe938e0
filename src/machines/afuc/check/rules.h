// The rules firmware must keep, as data: what `check` reports and docs/afuc-rules.md lists.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/rule.h"

namespace mobula::afuc {

enum class RuleId : std::uint8_t {
  // image
  whole_words,
  known_id,
  id_is_variant,
  header_leads_to_table,
  entry_inside,
  entry_has_handler,
  // words
  instruction_known,
  generation,
  reserved_bits,
  unreached,
  // control flow
  target_inside,
  target_is_code,
  end_of_code,
  transfer_in_slot,
  both_taken,
  branch_on_zero,
  takes_header,
  depth,
  recursion,
  jumpa_generation,
  // registers and numbers
  read_only,
  pipe_address,
  no_effect,
  xmov_source,
  xmov2,
  sds_register,
  peek_source,
  shift_count,
  bit_order,
  alignment,
  access_kind,
};

/// What says that the rest is left out.
inline constexpr std::string_view limit_code = "AF200";

// clang-format off
/// In the order of RuleId.
inline constexpr auto rules = std::to_array<Rule>({
    // image
    {.code = "AF201", .title = "An image is whole words", .fact = {Status::driver, "7.1"}, .allowed = "a length that is a multiple of 4 bytes",
        .mend = "cut the bytes that are not code, or append what is missing"},
    {.code = "AF202", .title = "The firmware id is known", .severity = Severity::warning, .fact = {Status::binaries, "7.1"},
        .allowed = "the ids that mobula isa lists", .mend = "choose the GPU with --machine afuc:CHIP if the nearest known id belongs to another kind of GPU"},
    {.code = "AF203", .title = "The firmware is for the GPU that was chosen", .severity = Severity::warning, .fact = {Status::binaries, "7.1"},
        .allowed = "an id of the generation that --machine names", .mend = "let the id choose the GPU, or choose another"},
    {.code = "AF204", .title = "Word 1 leads to the packet table", .severity = Severity::warning, .fact = {Status::binaries, "7.1"},
        .allowed = "the word offset of 128 handler addresses, or the size of an image of several programs", .mend = "write [#jumptbl]"},
    {.code = "AF205", .title = "A handler is inside its program", .fact = {Status::driver, "3.10"}, .allowed = "an address of code before the packet table", .mend = "put the packet's label at code"},
    {.code = "AF206", .title = "Every packet has a handler", .severity = Severity::warning, .fact = {Status::binaries, "3.10"},
        .allowed = "a label for each entry; real firmware sends unknown packets to an error handler",
        .mend = "put the packets' labels (UNKNn for those without a name) at that handler"},
    // words
    {.code = "AF211", .title = "Every word that control reaches is an instruction", .fact = {Status::unknown, "2.4"},
        .allowed = "the instructions of the generation, or fbadc0de, which stops", .mend = "jump over data"},
    {.code = "AF212", .title = "Every instruction belongs to the GPU's generation", .fact = {Status::binaries, "1.2"},
        .allowed = "instructions of the GPU whose firmware this is", .mend = "write it with the instructions of this generation"},
    {.code = "AF213", .title = "Reserved bits are zero", .severity = Severity::warning, .fact = {Status::binaries, "2.2"}, .allowed = "zero, as in all real firmware", .mend = "clear them"},
    {.code = "AF214", .title = "All code is reached", .severity = Severity::note, .fact = {Status::inferred, "6.5"},
        .allowed = "code that the start, a packet, an interrupt or an address in code leads to",
        .mend = "remove it, or give it a label that something names"},
    // control flow
    {.code = "AF221", .title = "A target is inside the program", .fact = {Status::binaries, "2.8"}, .allowed = "addresses of the program that the instruction is in", .mend = "branch to a label"},
    {.code = "AF222", .title = "A target is code", .fact = {Status::inferred, "2.8"}, .allowed = "addresses of instructions", .mend = "branch to a label of an instruction"},
    {.code = "AF223", .title = "Control does not run out of the code", .fact = {Status::inferred, "3.10"},
        .allowed = "waitin, a jump or a return with its delay slot before the packet table or the end",
        .mend = "end the program with waitin and mov $01, $data"},
    {.code = "AF224", .title = "Calls and returns are not in delay slots", .severity = Severity::warning, .fact = {Status::binaries, "3.8"},
        .allowed = "ordinary instructions, conditional branches, and waitin after a jump", .mend = "put a nop between them"},
    {.code = "AF225", .title = "Only one of two branches is taken", .severity = Severity::warning, .fact = {Status::unknown, "3.8"},
        .allowed = "a branch in the delay slot of another only if they cannot both be taken, or have the same target", .mend = "put a nop between them"},
    {.code = "AF226", .title = "A branch does not test $00", .severity = Severity::warning, .fact = {Status::binaries, "2.6"},
        .allowed = "jump, which is brne $00, b0", .mend = "write jump, or test a register"},
    {.code = "AF227", .title = "The delay slot of waitin takes the header", .severity = Severity::warning, .fact = {Status::binaries, "3.10"},
        .allowed = "mov $01, $data or mov $00, $data", .mend = "write mov $01, $data after waitin"},
    {.code = "AF228", .title = "Calls nest at most eight deep", .fact = {Status::driver, "3.8"}, .allowed = "8 return addresses on the stack",
        .mend = "jump to the last function instead of calling it"},
    {.code = "AF229", .title = "A function does not call itself", .severity = Severity::warning, .fact = {Status::inferred, "3.8"},
        .allowed = "calls without a cycle, as the stack holds 8 addresses", .mend = "make it a loop"},
    {.code = "AF230", .title = "jumpa has not been seen on a6xx", .severity = Severity::warning, .fact = {Status::binaries, "2.7"}, .allowed = "jumpa on a5xx and from a7xx on", .mend = "write jump"},
    // registers and numbers
    {.code = "AF241", .title = "The hardware's own registers are not written", .severity = Severity::warning, .fact = {Status::inferred, "4.3"},
        .allowed = "reads only; no real firmware writes them", .mend = "remove the write"},
    {.code = "AF242", .title = "The address of a pipe register has only its number", .severity = Severity::warning, .fact = {Status::driver, "4.2"},
        .allowed = "bits 31:24, and bit 18 for no increment", .mend = "clear the other bits"},
    {.code = "AF243", .title = "An instruction has an effect", .severity = Severity::note, .fact = {Status::binaries, "1.3"},
        .allowed = "a destination other than $00, a source that is a queue, or nop", .mend = "write nop"},
    {.code = "AF244", .title = "Extra moves have a queue to read", .severity = Severity::warning, .fact = {Status::binaries, "3.4"},
        .allowed = "$memdata, $regdata or $data as a source", .mend = "remove (xmov)"},
    {.code = "AF245", .title = "(xmov2) has not been seen", .severity = Severity::warning, .fact = {Status::binaries, "2.3"},
        .allowed = "(xmov1) and (xmov3)", .mend = "write (xmov1) twice, or (xmov3)"},
    {.code = "AF246", .title = "(sds) is for draw states", .severity = Severity::warning, .fact = {Status::driver, "3.5"},
        .allowed = "a cwrite to the register of draw-state headers, 0x04a or 0x05a; elsewhere the extra words are lost", .mend = "remove (sds)"},
    {.code = "AF247", .title = "(peek) is for $data", .severity = Severity::warning, .fact = {Status::binaries, "2.3"}, .allowed = "$data as a source", .mend = "remove (peek)"},
    {.code = "AF248", .title = "A shift is by less than the width", .severity = Severity::warning, .fact = {Status::unknown, "9.3"},
        .allowed = "0 to 31", .mend = "write mov $dst, 0x0 if that is meant"},
    {.code = "AF249", .title = "A bit field begins below its end", .fact = {Status::driver, "3.1"}, .allowed = "a lowest bit that is not above the highest", .mend = "swap the bit numbers"},
    {.code = "AF250", .title = "Memory is read and written in words", .severity = Severity::warning, .fact = {Status::binaries, "3.6"},
        .allowed = "a byte offset that is a multiple of 4", .mend = "align the offset"},
    {.code = "AF251", .title = "Loads and stores are of kinds seen before", .severity = Severity::warning, .fact = {Status::unknown, "9.3"},
        .allowed = "bits 15:12 without bit 15 before a7xx, and sizes 0, 1 and 2", .mend = "remove the flags"},
});
// clang-format on
static_assert(rules.size() == static_cast<std::size_t>(RuleId::access_kind) + 1);

constexpr const Rule& rule(RuleId id) { return rules[static_cast<std::size_t>(id)]; }

}  // namespace mobula::afuc
