#include "io/memory.h"

#include <algorithm>
#include <limits>

namespace mobula::io {
std::uint64_t read_little_endian(std::span<const std::uint8_t> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | bytes[i];
  return value;
}
void write_little_endian(std::span<std::uint8_t> bytes, std::uint64_t value) {
  for (std::uint8_t& byte : bytes) {
    byte = static_cast<std::uint8_t>(value);
    value >>= 8;
  }
}

bool Memory::add(std::uint64_t address, std::span<std::uint8_t> bytes) {
  if (bytes.empty()) return true;
  if (bytes.size() - 1 > std::numeric_limits<std::uint64_t>::max() - address) return false;
  const std::uint64_t last = address + (bytes.size() - 1);
  const auto next = std::lower_bound(regions_.begin(), regions_.end(), address,
                                     [](const Region& region, std::uint64_t at) { return region.address < at; });
  if (next != regions_.end() && next->address <= last) return false;
  if (next != regions_.begin() && address - std::prev(next)->address < std::prev(next)->bytes.size()) return false;
  regions_.insert(next, {address, bytes});
  return true;
}

std::optional<std::span<std::uint8_t>> Memory::find(std::uint64_t address, std::size_t size) const {
  const auto next = std::upper_bound(regions_.begin(), regions_.end(), address,
                                     [](std::uint64_t at, const Region& region) { return at < region.address; });
  if (next == regions_.begin()) return std::nullopt;
  const Region& region = *std::prev(next);
  const std::uint64_t offset = address - region.address;
  if (offset > region.bytes.size() || size > region.bytes.size() - offset) return std::nullopt;
  return region.bytes.subspan(static_cast<std::size_t>(offset), size);
}

}  // namespace mobula::io
