#include "scoreboard/core/reference.h"

#include <algorithm>
#include <optional>
#include <span>

namespace mobula::scoreboard {
namespace {

/// Finalizer of MurmurHash3: every bit of the input changes about half of the output.
std::uint64_t scramble(std::uint64_t value) {
  value = (value ^ value >> 33) * 0xff51afd7ed558ccd;
  value = (value ^ value >> 33) * 0xc4ceb9fe1a85ec53;
  return value ^ value >> 33;
}

std::uint64_t mix(const Operation& operation, std::uint32_t width, const SourceValues& sources, std::size_t port) {
  std::uint64_t value = scramble(operation.id + 1 + (static_cast<std::uint64_t>(port) << 32));
  for (const std::uint64_t source : std::span(sources).first(width > 8 ? 2 * max_sources : max_sources))
    value = scramble(value ^ source) + source;
  return value;
}

/// Of the words of memory that `word_at` gives.
template <class WordAt>
std::uint64_t bytes_of_words(std::uint64_t address, std::uint32_t bytes, WordAt word_at) {
  const auto first = static_cast<std::uint32_t>(address % 8), here = std::min(bytes, 8 - first);
  std::uint64_t value = word_at(address / 8) >> 8 * first & byte_mask(here);
  if (here < bytes) value |= (word_at(address / 8 + 1) & byte_mask(bytes - here)) << 8 * here;
  return value;
}

}  // namespace

Memory::Memory(const Workload& workload) {
  words_.reserve(3 * workload.operations.size());
  for (const Operation& op : workload.operations) {
    if (op.memory_bytes == 0) continue;
    words_.push_back(op.address / 8);
    if (op.memory_bytes > 8) words_.push_back(op.address / 8 + 1);
    words_.push_back((op.address + op.memory_bytes - 1) / 8);
  }
  if (words_.empty()) return;
  const auto [least, most] = std::minmax_element(words_.begin(), words_.end());
  first_ = *least;
  const std::uint64_t range = *most - first_;
  if (range < 4 * words_.size()) {  // they lie close together: no need to search
    values_.assign(range + 1, 0);
    words_.clear();
    return;
  }
  std::sort(words_.begin(), words_.end());
  words_.erase(std::unique(words_.begin(), words_.end()), words_.end());
  values_.assign(words_.size(), 0);
}

std::size_t Memory::index(std::uint64_t word) const {
  if (words_.empty()) return word - first_;
  return static_cast<std::size_t>(std::lower_bound(words_.begin(), words_.end(), word) - words_.begin());
}

std::uint64_t Memory::load(std::uint64_t address, std::uint32_t bytes) const {
  return bytes_of_words(address, bytes, [&](std::uint64_t word) { return values_[index(word)]; });
}

std::uint64_t Memory::peek(std::uint64_t address, std::uint32_t bytes) const {
  return bytes_of_words(address, bytes, [&](std::uint64_t word) {
    const std::size_t at = index(word);
    const bool is_touched = at < values_.size() && (words_.empty() || words_[at] == word);
    return is_touched ? values_[at] : 0;
  });
}

void Memory::store(std::uint64_t address, std::uint32_t bytes, std::uint64_t value) {
  const auto first = static_cast<std::uint32_t>(address % 8), here = std::min(bytes, 8 - first);
  std::uint64_t& low = values_[index(address / 8)];
  low = replace_bytes(low, first, here, value);
  if (here == bytes) return;
  std::uint64_t& high = values_[index(address / 8 + 1)];
  high = replace_bytes(high, 0, bytes - here, value >> 8 * here);
}

namespace {

/// Of numbers of `width` bytes; none for a mix, which is not of two numbers.
std::optional<std::uint64_t> compute(Function function, std::uint32_t width, std::uint64_t a, std::uint64_t b) {
  const std::uint64_t mask = byte_mask(width);
  a &= mask, b &= mask;
  switch (function) {
    case Function::mix:
    case Function::move:
      return std::nullopt;
    case Function::add:
      return (a + b) & mask;
    case Function::sub:
      return (a - b) & mask;
    case Function::mul:
      return (a * b) & mask;
    case Function::shr:
      return b >= 8u * width ? 0 : a >> b;
    case Function::bit_and:
      return a & b;
    case Function::bit_or:
      return a | b;
    case Function::bit_xor:
      return a ^ b;
    case Function::bgt:
      return a > b ? 1 : 0;
    case Function::blt:
      return a < b ? 1 : 0;
    case Function::beq:
      return a == b ? 1 : 0;
    case Function::bne:
      return a != b ? 1 : 0;
  }
  return std::nullopt;
}

}  // namespace

std::uint64_t evaluate(const Operation& operation, std::uint32_t width, const SourceValues& sources,
                       std::uint64_t loaded, std::size_t port) {
  const std::size_t half = width > 8 && port >= max_destinations ? 1 : 0;
  if (port != half * max_destinations) return mix(operation, width, sources, port);
  if (operation.unit == UnitClass::load && operation.memory_bytes != 0) return loaded;
  const std::uint64_t a = sources[half * max_sources], b = sources[half * max_sources + 1];
  if (operation.function == Function::move) return (operation.has_immediate ? b : a) & byte_mask(std::min(width, 8u));
  if (width <= 8) return compute(operation.function, width, a, b).value_or(mix(operation, width, sources, port));
  const auto low = compute(operation.function, 4, a, b), high = compute(operation.function, 4, a >> 32, b >> 32);
  return low ? *low | *high << 32 : mix(operation, width, sources, port);
}

bool is_ok(const Operation& operation, std::uint32_t width, const SourceValues& sources) {
  if (operation.function < Function::bgt) return operation.taken;
  const auto value = [&](std::size_t port) { return evaluate(operation, width, sources, 0, port); };
  if (width <= 8) return value(0) == 1;
  constexpr std::uint64_t both = 0x100000001;
  return value(0) == both && value(max_destinations) == both;
}

}  // namespace mobula::scoreboard
