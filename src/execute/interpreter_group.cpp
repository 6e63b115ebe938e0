#include "execute/interpreter_group.h"

#include <span>

namespace mobula {
namespace {

constexpr std::size_t undefined_reads_limit = 1000;

std::uint64_t read_constant(const std::vector<std::uint8_t>& constants, std::uint32_t byte, std::uint32_t bytes) {
  std::uint64_t value = 0;
  for (std::uint32_t i = 0; i < bytes; ++i) value |= std::uint64_t{constants[byte + i]} << (8 * i);
  return value;
}

constexpr std::uint64_t all_ones(std::uint32_t bytes) { return ~std::uint64_t{0} >> (64 - 8 * bytes); }

}  // namespace

void Group::read_threads() {
  if (source == nullptr) return;
  const std::span<const Thread> list = source->threads();
  threads.assign(list.begin(), list.end());
  source = nullptr;
}

std::uint64_t Group::read(const ir::Program& program, std::uint32_t lane, ir::Operand operand, ir::Type type) const {
  if (operand.is_none()) return 0;
  const std::uint32_t bytes = ir::bytes_of(type);
  return operand.is_constant() ? read_constant(program.constants, operand.byte(), bytes)
                               : state.read(lane, operand.byte(), bytes);
}

void Group::write(std::uint32_t lane, ir::Operand operand, ir::Type type, std::uint64_t value) {
  if (operand.is_none()) return;
  state.write(lane, operand.byte(), ir::bytes_of(type), value);
  if (strict) mark(lane, operand.byte(), ir::bytes_of(type), true);
}

bool Group::is_defined(std::uint32_t lane, ir::Operand operand, ir::Type type) const {
  if (!operand.is_state()) return true;
  const std::uint32_t bytes = ir::bytes_of(type);
  return defined.read(lane, operand.byte(), bytes) == all_ones(bytes);
}

void Group::mark(std::uint32_t lane, std::uint32_t byte, std::uint32_t bytes, bool is_defined) {
  for (std::uint32_t done = 0; done < bytes; done += 8) {
    defined.write(lane, byte + done, std::min(bytes - done, 8u), is_defined ? ~std::uint64_t{0} : 0);
  }
}

void Group::report_undefined(const ir::Program& program, std::uint32_t lane, std::uint32_t block, std::uint32_t byte,
                             std::uint32_t bytes) {
  if (undefined_reads.size() == undefined_reads_limit || !undefined_seen.emplace(block, byte, bytes).second) return;
  undefined_reads.push_back({.lane = lane, .address = program.blocks[block].address, .byte = byte, .bytes = bytes});
}

}  // namespace mobula
