#include <algorithm>
#include <array>

#include "mobula/isa/ir.h"

namespace mobula::ir {

std::string_view name(Type type) {
  constexpr std::array<std::string_view, 7> names{"i8", "i16", "i32", "i64", "f16", "f32", "f64"};
  return names[static_cast<std::size_t>(type)];
}

std::string_view name(Round round) {
  constexpr std::array<std::string_view, 4> names{"even", "zero", "down", "up"};
  return names[static_cast<std::size_t>(round)];
}

const OpInfo& info(Op op) {
  constexpr char I = 'I', F = 'F', A = 'A';
  static constexpr std::array<OpInfo, op_count> table{{
#define OP(name, sources, types, summary) {#name, sources, types, summary},
#include "mobula/isa/ops.inc"
#undef OP
  }};
  return table[static_cast<std::size_t>(op)];
}

std::string_view name(Service service) {
  constexpr std::array<std::string_view, 19> names{
      "load_memory",   "store_memory", "atomic",       "load_uniform", "attribute",    "varying",   "store_varying",
      "texture",       "load_image",   "store_image",  "fragment_out", "tile_ready",   "load_tile", "load_special",
      "store_special", "device_read",  "device_write", "store_tile",   "image_address"};
  return names[static_cast<std::size_t>(service)];
}

const Slot* Program::find_slot(std::string_view wanted) const {
  const auto found = std::find_if(slots.begin(), slots.end(), [&](const Slot& slot) { return slot.name == wanted; });
  return found == slots.end() ? nullptr : &*found;
}

std::optional<std::uint32_t> Program::block_at(std::uint64_t address) const {
  const auto found = std::lower_bound(blocks.begin(), blocks.end(), address,
                                      [](const Block& block, std::uint64_t wanted) { return block.address < wanted; });
  if (found == blocks.end() || found->address != address) return std::nullopt;
  return static_cast<std::uint32_t>(found - blocks.begin());
}

}  // namespace mobula::ir
