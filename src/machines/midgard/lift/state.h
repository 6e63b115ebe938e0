// Where a thread's registers lie in the state of the micro-operations (1.3, 1.5).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "machines/midgard/spec/spec.h"
#include "mobula/isa/ir.h"

namespace mobula::midgard::state {

inline constexpr std::uint32_t register_bytes = 16;
/// First byte of each group of 128-bit registers; work and uniform registers share the first.
inline constexpr std::uint32_t work = 0, load_store = 24 * register_bytes, texture_in = load_store + 2 * register_bytes,
                               texture_out = texture_in + 2 * register_bytes,
                               temporary = texture_out + 2 * register_bytes, condition = temporary + 2 * register_bytes,
                               pc_sp = condition + register_bytes, local_storage = pc_sp + register_bytes,
                               local_id = local_storage + register_bytes, group_id = local_id + register_bytes,
                               global_id = group_id + register_bytes, end = global_id + register_bytes;

/// The slots of a product. Where pipes alias registers, texture inputs are the load/store registers and texture results
/// r0 and r1.
std::vector<ir::Slot> slots(const Product& product);

/// For Machine::slots_meant: a listing calls uniform registers U0, U1..., and registers of pipes by what they do.
std::vector<std::string> slots_meant(std::string_view name);

/// State that lasts no longer than its bundle: pipeline temporaries and conditions.
std::vector<ir::ByteRange> bundle_local();

/// First byte of the texture inputs and results of a product.
constexpr std::uint32_t texture_inputs(const Product& product) {
  return product.interpipe_aliasing ? load_store : texture_in;
}
constexpr std::uint32_t texture_results(const Product& product) {
  return product.interpipe_aliasing ? work : texture_out;
}

/// Registers a result may go to: byte of a 5-bit destination register. False for r30, whose meaning is unknown.
constexpr bool is_destination(unsigned reg) { return reg != 30; }
constexpr std::uint32_t destination(unsigned reg, const Product& product) {
  if (reg < register_tmp0) return work + reg * register_bytes;
  if (reg < register_load_store0) return temporary + (reg - register_tmp0) * register_bytes;
  if (reg < register_texture0) return load_store + (reg - register_load_store0) * register_bytes;
  if (reg <= register_texture1) return texture_inputs(product) + (reg - register_texture0) * register_bytes;
  return condition;
}

}  // namespace mobula::midgard::state
