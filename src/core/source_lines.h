// From machine code back to the source that it was made of.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>

#include "mobula/isa/program.h"

namespace mobula {

/// The line, from 1, that the word at an address was made of; none before the first. Precondition: sorted by offset.
inline std::optional<std::uint32_t> source_line(std::span<const SourceLine> lines, std::uint64_t address) {
  const auto after = std::ranges::upper_bound(lines, address, {}, &SourceLine::byte_offset);
  if (after == lines.begin()) return {};
  return std::prev(after)->line;
}

}  // namespace mobula
