// How a running program is shown to people: its words as lines, values of its slots.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mobula/export.h"
#include "mobula/isa/ir.h"
#include "mobula/isa/machine.h"
#include "mobula/isa/program.h"
#include "mobula/isa/result.h"
#include "mobula/lab/expression.h"

namespace mobula {

/// A program's words as single lines of text, by address.
class MOBULA_API WordTexts {
 public:
  /// Empty for an unknown machine.
  explicit WordTexts(const Program& program);
  /// Empty where no word starts.
  [[nodiscard]] std::string_view at(std::uint64_t address) const;

 private:
  std::map<std::uint64_t, std::string> texts_;
};

/// Where the text of a word begins, after empty lines and its labels.
MOBULA_API std::size_t text_after_labels(std::string_view listing, const Listing::Word& word);

/// The value of a slot: "0x3f800000 (1)".
MOBULA_API std::string slot_text(const ir::Slot& slot, std::span<const std::uint8_t> bytes);
/// The bytes of a slot that is to hold a value: in four bytes, what was written in decimal is a float; otherwise an
/// integer is its bits. DB005: it does not fit.
MOBULA_API Result<std::vector<std::uint8_t>> slot_bytes(const ir::Slot& slot, const Value& value);

}  // namespace mobula
