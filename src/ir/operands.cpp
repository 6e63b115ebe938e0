#include "ir/operands.h"

namespace mobula::ir {

const ServiceInfo& info(Service service) {
  using enum Argument::Need;
  using enum DataUse;
  constexpr Argument number{.need = required}, optional_number{.need = optional};
  constexpr Argument address{.need = required, .type = Type::i64};
  constexpr Argument value{.need = required, .has_call_type = true};
  constexpr Argument optional_value{.need = optional, .has_call_type = true};
  constexpr Argument result{.need = required, .is_written = true};
  // In the order of Service.
  static constexpr std::array<ServiceInfo, 19> table{{
      {.data = loads, .args = {address}},                                                     // load_memory
      {.data = stores, .args = {address}},                                                    // store_memory
      {.data = loads, .args = {address, value, optional_value}},                              // atomic
      {.data = loads, .args = {number, optional_number}},                                     // load_uniform
      {.data = loads, .args = {number, optional_number}},                                     // attribute
      {.data = loads, .args = {number}},                                                      // varying
      {.data = stores, .args = {number}},                                                     // store_varying
      {.data = loads},                                                                        // texture
      {.data = loads, .args = {number, number, optional_number, optional_number}},            // load_image
      {.data = stores, .args = {number, number, optional_number, optional_number}},           // store_image
      {.data = stores, .args = {optional_number, optional_number, optional_number, result}},  // fragment_out
      {.args = {Argument{}, Argument{}, Argument{}, result}},                                 // tile_ready
      {.data = loads, .args = {number, optional_number}},                                     // load_tile
      {.data = loads, .args = {number}},                                                      // load_special
      {.data = stores, .args = {number}},                                                     // store_special
      {.data = loads, .args = {number}},                                                      // device_read
      {.data = stores, .args = {number}},                                                     // device_write
      {.data = stores, .args = {number, optional_number}},                                    // store_tile
      {.data = loads, .args = {number, number, optional_number, optional_number}},            // image_address
  }};
  return table[static_cast<std::size_t>(service)];
}

}  // namespace mobula::ir
