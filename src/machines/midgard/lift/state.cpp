#include "machines/midgard/lift/state.h"

#include <string>

namespace mobula::midgard::state {
namespace {

constexpr char components[] = "xyzw";

void add(std::vector<ir::Slot>& slots, const std::string& name, std::uint32_t byte, unsigned first, unsigned last) {
  for (unsigned i = first; i <= last; ++i) slots.push_back({name + "." + components[i], byte + 4 * i, 4});
}

}  // namespace

std::vector<ir::Slot> slots(const Product& product) {
  std::vector<ir::Slot> all;
  for (unsigned i = 0; i <= last_uniform_register; ++i)
    add(all, "r" + std::to_string(i), work + i * register_bytes, 0, 3);
  const auto add_pair = [&](const std::string& name, std::uint32_t byte) {
    for (unsigned i = 0; i < 2; ++i) add(all, name + std::to_string(i), byte + i * register_bytes, 0, 3);
  };
  add_pair("AL", load_store);
  if (!product.interpipe_aliasing) {
    add_pair("AT", texture_in);
    add_pair("TA", texture_out);
  }
  add_pair("TMP", temporary);
  add(all, "COND", condition, 0, 3);
  add(all, "PC_SP", pc_sp, 2, 3);
  add(all, "LOCAL_STORAGE_PTR", local_storage, 0, 3);
  add(all, "LOCAL_THREAD_ID", local_id, 0, 2);
  add(all, "GROUP_ID", group_id, 0, 2);
  add(all, "GLOBAL_THREAD_ID", global_id, 0, 2);
  return all;
}

std::vector<ir::ByteRange> bundle_local() { return {{temporary, 2 * register_bytes}, {condition, register_bytes}}; }

}  // namespace mobula::midgard::state
