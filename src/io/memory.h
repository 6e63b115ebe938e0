// Memory that programs reach through 64-bit addresses: regions that do not touch, everything else faults.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mobula::io {

std::uint64_t read_little_endian(std::span<const std::uint8_t> bytes);
void write_little_endian(std::span<std::uint8_t> bytes, std::uint64_t value);

class Memory {
 public:
  /// False if it overlaps a region there is, or wraps around the end of the address space. `bytes` must outlive this.
  bool add(std::uint64_t address, std::span<std::uint8_t> bytes);
  /// The bytes [address, address + size), if they lie in one region.
  [[nodiscard]] std::optional<std::span<std::uint8_t>> find(std::uint64_t address, std::size_t size) const;

 private:
  struct Region {
    std::uint64_t address = 0;
    std::span<std::uint8_t> bytes;
  };
  std::vector<Region> regions_;  // by address
};

}  // namespace mobula::io
