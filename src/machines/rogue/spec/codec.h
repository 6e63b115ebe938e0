// Groups: cutting a program into instruction groups, and putting their bytes together again (reference 4).
//
// A group that decodes encodes to the same bytes. One that does not is kept as bytes, with what was wrong with it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/export.h"
#include "machines/rogue/spec/registers.h"
#include "machines/rogue/spec/spec.h"

namespace mobula::rogue {

enum class Alu : std::uint8_t { main, bitwise, control };

/// One item: an instruction, or in a bitwise group those of a phase.
struct Item {
  const Form* form = nullptr;  ///< nullptr if the group has none here
  const Op* op = nullptr;      ///< of bitwise phases that of the first unit
  std::uint64_t bits = 0;

  explicit operator bool() const { return form != nullptr; }
  /// The field, or its default where the form lacks it.
  [[nodiscard]] std::uint32_t get(F field) const { return rogue::get(*form, bits, field); }
};

enum class Condition : std::uint8_t { always, if_p0, ignore_pe, if_not_p0 };

/// Why bytes are not a group.
struct Problem {
  std::uint32_t byte = 0;              ///< from the group's first
  std::uint8_t bit_low = 0, bits = 8;  ///< in that byte
  std::string_view text;               ///< a sentence; empty = no problem
  std::string_view rule;               ///< code of the rule that is broken; empty = it is simply no group
};

/// Of a group that only the model variant has (text/text_only.h): what it reads and writes beside its items.
struct Modelled {
  bool present = false, writes_p0 = false;
  std::uint8_t slots = 0;  ///< that it reads, a bit each
};

struct Group {
  std::uint32_t offset = 0;  ///< of its first byte in the program
  std::uint32_t size = 0;    ///< in bytes, padding included
  Alu alu = Alu::main;
  bool brief = false;  ///< two-byte header
  Condition condition = Condition::always;
  bool w0p = false, w1p = false, olchk = false, end = false, atom = false;
  std::uint8_t repeat = 1;   ///< 1..4
  std::uint8_t ctrlop = 0;   ///< of a control group
  std::uint8_t miscctl = 0;  ///< likewise
  std::array<Item, word_count> items{};
  const Form *lower = nullptr, *upper = nullptr;  ///< source maps; nullptr in most control groups
  std::array<Register, slot_count> slots{};
  std::array<std::uint8_t, 6> selectors{};  ///< IS0..IS5, as stored
  const Form* destination = nullptr;
  std::array<Register, 2> written{};  ///< registers of W0 and W1, where w0p and w1p
  std::uint32_t content = 0;          ///< bytes before the padding
  Problem problem;                    ///< of bytes that are not a group
  Modelled modelled;

  [[nodiscard]] bool raw() const { return !problem.text.empty(); }
  [[nodiscard]] const Item& item(Word word) const { return items[static_cast<std::size_t>(word)]; }
  [[nodiscard]] Item& item(Word word) { return items[static_cast<std::size_t>(word)]; }
  [[nodiscard]] unsigned selector(unsigned i) const { return selectors[i]; }
  /// Slot that IS0 feeds to FTE.
  [[nodiscard]] MOBULA_INTERNAL unsigned external_slot() const;
  /// True if it ends the program: `end`, or nop.end.
  [[nodiscard]] MOBULA_INTERNAL bool ends() const;
};

/// Order of IS0's codes.
inline constexpr std::array<std::uint8_t, 6> is0_slots{0, 3, 4, 5, 1, 2};

/// Words of a main, bitwise or control group in the order of memory.
std::span<const Word> words_of(Alu alu);
/// True if the operation of a control group reads slots.
bool has_sources(const Op& op);
/// True if it writes W0.
bool has_destination(const Op& op);

/// The group at `offset`. Precondition: offset < code.size().
MOBULA_INTERNAL Group decode_group(std::span<const std::uint8_t> code, std::uint32_t offset);
/// Its size, which the first byte tells even where it is no group: what the header announces, or all that is left.
MOBULA_INTERNAL std::uint32_t size_of_group(std::span<const std::uint8_t> code, std::uint32_t offset);
/// False if it is surely none.
bool may_be_control_group(std::span<const std::uint8_t> code, std::uint32_t offset);
/// All groups, back to back over all bytes.
MOBULA_INTERNAL std::vector<Group> decode(std::span<const std::uint8_t> code);

/// The bytes before the padding, with a header that says `words` is the group's length; at most 64.
/// Precondition: all forms are chosen and hold their values.
MOBULA_INTERNAL void encode_content(const Group& group, unsigned words, std::vector<std::uint8_t>& out);
/// Number of those bytes.
MOBULA_INTERNAL unsigned content_bytes(const Group& group);
/// Appends what fills `content` bytes up to `words`: a byte for an odd one, then the marked run.
MOBULA_INTERNAL void append_padding(unsigned content, unsigned words, std::vector<std::uint8_t>& out);

/// Slots that the instructions of the group read, a bit each, IS0's included.
MOBULA_INTERNAL unsigned slots_used(const Group& group);
/// Selectors IS0..IS5 that something reads, a bit each.
MOBULA_INTERNAL unsigned selectors_used(const Group& group);
/// Shortest forms of header and maps for what the group holds; nullptr where none fits.
MOBULA_INTERNAL void choose_header(Group& group);
MOBULA_INTERNAL const Form* shortest_lower(const Group& group);
MOBULA_INTERNAL const Form* shortest_upper(const Group& group);
MOBULA_INTERNAL const Form* shortest_destination(const Group& group);
/// True if a map of the group's slots or destinations holds them all.
bool map_holds(const Form& map, const Group& group);
/// The shortest form of `op` that holds the values; nullptr if none does.
MOBULA_INTERNAL const Form* shortest_form(const Op& op, const Values& values);

/// The instruction of a unit, or nullptr. In bitwise groups idle units (byp that nothing reads) are left out.
MOBULA_INTERNAL const Op* visible_op(const Group& group, Unit unit);
/// Byte a branch leads to; it may lie outside the program.
std::int64_t branch_target(const Group& group, const Item& branch);

}  // namespace mobula::rogue
