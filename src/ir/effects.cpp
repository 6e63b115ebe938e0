#include <algorithm>
#include <cstdint>
#include <vector>

#include "ir/operands.h"
#include "mobula/isa/ir.h"

namespace mobula::ir {
namespace {

/// The bytes whose entry has one of these bits, as ranges.
std::vector<ByteRange> ranges_with(const std::vector<std::uint8_t>& bytes, std::uint8_t bits) {
  std::vector<ByteRange> ranges;
  for (std::uint32_t byte = 0; byte < bytes.size(); ++byte) {
    if ((bytes[byte] & bits) == 0) continue;
    const bool continues = !ranges.empty() && ranges.back().byte + ranges.back().bytes == byte;
    if (continues) {
      ++ranges.back().bytes;
    } else {
      ranges.push_back({byte, 1});
    }
  }
  return ranges;
}

}  // namespace

Effects effects(const Program& program, std::uint32_t block) {
  constexpr std::uint8_t read = 1, written = 2;
  std::vector<std::uint8_t> bytes(program.temporary_byte);
  bool is_masked = false;  // after an `enable`: bytes written keep their old value in some lanes
  const auto mark = [&](const Access& access) {
    if (!access.operand.is_state()) return;
    const std::uint32_t end = std::min(access.operand.byte() + access.bytes(), program.temporary_byte);
    for (std::uint32_t byte = access.operand.byte(); byte < end; ++byte) {
      const bool was_written = (bytes[byte] & written) != 0;
      if (access.is_write) bytes[byte] |= written;
      if (!was_written && (is_masked || !access.is_write)) {
        bytes[byte] |= read;
      }
    }
  };
  const Block& range = program.blocks[block];
  for (std::uint32_t i = 0; i < range.count; ++i) {
    const Operation& operation = program.operations[range.first + i];
    for_each_access(program, operation, mark);
    if (operation.op == Op::enable) is_masked = !operation.src[0].is_none();
  }
  return {ranges_with(bytes, read), ranges_with(bytes, written)};
}

}  // namespace mobula::ir
