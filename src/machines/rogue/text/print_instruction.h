// What all text forms of Rogue print with: operands and instructions of one group.
#pragma once

#include <span>
#include <vector>

#include "core/export.h"
#include "core/text_buffer.h"
#include "machines/rogue/spec/codec.h"
#include "mobula/isa/program.h"

namespace mobula::rogue {

/// Group starts that branches lead to.
class Labels {
 public:
  MOBULA_INTERNAL explicit Labels(std::span<const Group> groups);
  /// The same where no groups are kept, and only those that may branch are decoded.
  explicit Labels(const Program& program);

  [[nodiscard]] std::size_t groups() const { return offsets_.size(); }
  [[nodiscard]] std::uint32_t offset(std::size_t group) const { return offsets_[group]; }
  /// Index of the labelled group that begins at this byte; -1 if there is none.
  [[nodiscard]] std::int64_t at(std::int64_t byte_offset) const;
  [[nodiscard]] bool labelled(std::size_t group) const { return labelled_[group]; }

 private:
  void add_target(const Group& group);
  void settle();

  std::vector<std::uint32_t> offsets_;  ///< of the groups
  std::vector<std::int64_t> targets_;   ///< of branches, in bytes
  std::vector<bool> labelled_;
};

/// How operands are spelled.
enum class Style : std::uint8_t {
  slots,     ///< s0, is1, fte
  resolved,  ///< the registers behind them
  mesa,      ///< slots, with Mesa's spelling of numbers
};

struct PrintContext {
  const Group& group;
  const Labels& labels;
  Style style = Style::slots;
};

/// An instruction of `unit` without a phase in front; at most 400 bytes.
char* put_instruction(char* out, const PrintContext& context, Unit unit, const Op& op, const Item& item);
/// The register behind FTE, or "fte" where the assembler would choose another slot for it.
char* put_external(char* out, const Group& group);
/// Marker of a form longer than need be: ".x" for the next one, ".xx" for the one after it.
unsigned extra_steps(const Item& item);

/// "p0", "be", ...; empty for control.
std::string_view phase_name(Unit unit);
std::string_view condition_name(Condition condition);

}  // namespace mobula::rogue
