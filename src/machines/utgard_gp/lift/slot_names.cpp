#include "machines/utgard_gp/lift/slot_names.h"

#include <algorithm>
#include <utility>

#include "machines/utgard_gp/spec/spec.h"

namespace mobula::utgard_gp {
namespace {

constexpr std::pair<std::string_view, std::string_view> long_names[] = {
    {"acc0", "a0"}, {"acc1", "a1"}, {"mul0", "m0"},   {"mul1", "m1"},
    {"pass", "p"},  {"cplx", "c"},  {"complex", "c"}, {"port0", "p0"}};

}  // namespace

std::vector<std::string> slots_meant(std::string_view name, std::uint64_t next,
                                     std::span<const std::uint64_t> executed) {
  std::vector<std::string> slots{std::string(name)};
  const std::size_t bracket = name.find('[');
  const std::string_view age_text = name.substr(std::min(bracket, name.size()), 4);
  if (age_text != "[-1]" && age_text != "[-2]") return slots;
  const unsigned age = age_text == "[-1]" ? 1 : 2;
  std::string unit(name.substr(0, bracket));
  for (const auto& [spelled, kept] : long_names)
    if (unit == spelled) unit = kept;
  unit += name.substr(bracket + age_text.size());  // ".x" of a port

  const auto word = [](std::uint64_t address) { return '@' + std::to_string(address / word_bytes); };
  // A word that follows itself has overwritten the slot of its own result.
  const bool overwritten = age == 2 && executed.size() >= 2 && executed[0] == executed[1];
  if (executed.size() >= age && !overwritten) slots.push_back(unit + word(executed[age - 1]));
  slots.push_back(unit + std::string(age_text) + word(next));
  if (age == 1) slots.push_back(unit + "[-1..]" + word(next));
  if (age == 2 && !executed.empty()) slots.push_back(unit + "[-1..]" + word(executed[0]));
  return slots;
}

}  // namespace mobula::utgard_gp
