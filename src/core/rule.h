// Rules a machine's programs must keep, as data, and what a checker finds against them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/format.h"
#include "mobula/isa/diagnostic.h"

namespace mobula {

/// One rule. An error means that hardware faults or that what the program computes is not defined; a warning, that the
/// program leaves what compilers have been seen to do, or meets an erratum it has to work around itself; a note, that
/// nothing depends on it as far as is known.
struct Rule {
  std::string_view code;
  std::string_view title;
  Severity severity = Severity::error;
  Fact fact;                 ///< how well the rule is established; section of the reference
  std::string_view fault;    ///< what hardware raises; empty if nothing is known
  std::string_view allowed;  ///< completes "allowed: "
  std::string_view mend;
};

/// Bits of a word, counted from the word's bit 0. No width = the whole word.
struct BitRange {
  std::uint32_t low = 0, width = 0;
};
constexpr BitRange bits_of(const Field& field, unsigned base = 0) { return {base + field.low, field.width}; }

/// No more findings of one severity are kept than this; hostile input could break every rule in every word.
inline constexpr std::size_t check_limit = 10000;

/// What a checker found, in the order of adding.
class Findings {
 public:
  /// `limit_code` is that of the note which says that the rest is left out. Both texts must outlive the findings.
  Findings(std::string_view file, std::string_view limit_code) : file_(file), limit_code_(limit_code) {}

  /// `found` says what is there; the rule says what is allowed and, unless `mend` does, how to fix it.
  void add(const Rule& rule, std::uint64_t byte_offset, BitRange bits, const std::string& found, std::string mend = {});

  /// True once nothing that is still to come could change what a person has to do: there are too many errors.
  [[nodiscard]] bool full() const { return counts_[static_cast<std::size_t>(Severity::error)] > check_limit; }
  Diagnostics take() { return std::move(list_); }

 private:
  std::string_view file_, limit_code_;
  Diagnostics list_;
  std::array<std::size_t, 3> counts_{};  ///< by severity
};

}  // namespace mobula
