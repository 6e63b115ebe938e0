#include "machines/midgard/lift/state.h"

#include <algorithm>
#include <string>

#include "core/lexer.h"

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

std::vector<std::string> slots_meant(std::string_view name) {
  std::vector<std::string> meant{std::string(name)};
  const std::string_view component = name.substr(std::min(name.find('.'), name.size()));
  const std::string_view reg = name.substr(0, name.size() - component.size());
  const auto add = [&](std::string kept) { meant.push_back(std::move(kept += component)); };
  std::uint64_t number = 0;
  if ((reg.starts_with('U') || reg.starts_with('u')) && parse_integer(reg.substr(1), number) &&
      number <= last_uniform_register)
    add("r" + std::to_string(last_uniform_register - number));
  if (reg.starts_with("AT")) add("AL" + std::string(reg.substr(2)));  // where pipes alias registers
  if (reg.starts_with("TA")) add("r" + std::string(reg.substr(2)));
  return meant;
}

std::vector<ir::ByteRange> bundle_local() { return {{temporary, 2 * register_bytes}, {condition, register_bytes}}; }

}  // namespace mobula::midgard::state
