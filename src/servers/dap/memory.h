// Memory and instructions as the protocol asks for them, for whatever is debugged.
#pragma once

#include <span>
#include <string_view>

#include "servers/dap/requests.h"

namespace mobula::servers::dap {

struct MemoryRange {
  std::uint64_t address = 0;
  std::int64_t count = 0;  ///< bytes
};
/// Of "readMemory", or a Refusal.
MemoryRange memory_range(const Arguments& arguments);
/// The answer: `bytes` are those of the range, or fewer where it is not readable to its end.
Json memory_body(const MemoryRange& range, std::span<const std::uint8_t> bytes);

struct InstructionRange {
  std::uint64_t place = 0;
  std::int64_t offset = 0, count = 0;  ///< instructions
};
/// Of "disassemble", or a Refusal.
InstructionRange instruction_range(const Arguments& arguments);
Json instruction_at(Server& server, std::uint64_t place, std::string_view text);
/// What stands where no word is. Before place 0 the number is negative, and decimal, as the protocol has it: so clients
/// that sort by addresses find it before the program.
Json no_instruction(std::uint64_t place);
Json no_instruction_before(std::uint64_t place, std::uint64_t distance);

/// The words that are shown, from the place `begin` to before `end`. `start`: the position among them of the one that
/// holds the range's place, if any does.
struct InstructionExtent {
  std::int64_t start = 0, words = 0;
  std::uint64_t begin = 0, end = 0;
};

/// The answer: as many as were asked for, from the range's place on. Before the first word and after the last one there
/// are some that are none, each at another place.
template <class Row>
Json instruction_rows(const InstructionRange& range, const InstructionExtent& extent, Row row) {
  Json rows = Json::array();
  for (std::int64_t step = range.offset; step < range.offset + range.count; ++step) {
    std::int64_t at = extent.start + step;
    if (range.place >= extent.end) {
      const std::uint64_t beyond = range.place - extent.end;
      if (step >= 0 || beyond >= static_cast<std::uint64_t>(-step)) {
        rows.push_back(no_instruction(range.place + static_cast<std::uint64_t>(step)));
        continue;
      }
      at = extent.words + static_cast<std::int64_t>(beyond) + step;
    }
    if (at < 0)
      rows.push_back(no_instruction_before(extent.begin, static_cast<std::uint64_t>(-at)));
    else if (at < extent.words)
      rows.push_back(row(static_cast<std::size_t>(at)));
    else
      rows.push_back(no_instruction(extent.end + static_cast<std::uint64_t>(at - extent.words)));
  }
  return {{"instructions", std::move(rows)}};
}

}  // namespace mobula::servers::dap
