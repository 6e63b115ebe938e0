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
Json no_instruction(std::uint64_t place);

/// The answer: as many as were asked for. Before the first word and after the last one there are some that are none,
/// each at another place. `start`: position among the `words` of the range's place; `end`: the place after them.
template <class Row>
Json instruction_rows(const InstructionRange& range, std::int64_t start, std::int64_t words, Row row,
                      std::uint64_t end) {
  Json rows = Json::array();
  for (std::int64_t at = start + range.offset; at < start + range.offset + range.count; ++at) {
    if (at < 0)
      rows.push_back(no_instruction(static_cast<std::uint64_t>(at)));
    else if (at < words)
      rows.push_back(row(static_cast<std::size_t>(at)));
    else
      rows.push_back(no_instruction(end + static_cast<std::uint64_t>(at - words)));
  }
  return {{"instructions", std::move(rows)}};
}

}  // namespace mobula::servers::dap
