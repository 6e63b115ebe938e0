// Addresses as clients are told them, and as they come back.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mobula/lab/expression.h"
#include "servers/arguments.h"

namespace mobula::servers::dap {

/// "0x20" of an instruction, or of memory.
inline std::uint64_t address_in(const std::string& reference) {
  const auto address = read_number(reference);
  if (!address) throw Refusal{fmt::format("\"{}\" is not an address", reference)};
  return *address;
}
inline std::string_view as_text(const std::vector<std::uint8_t>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline std::string reference_to(std::uint64_t address) { return fmt::format("{:#x}", address); }

}  // namespace mobula::servers::dap
