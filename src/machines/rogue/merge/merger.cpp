#include "machines/rogue/merge/merger.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "machines/rogue/merge/rules.h"

namespace mobula::rogue {
namespace {

/// What two groups of an ALU hold together, where no merging makes less of it.
bool is_too_much(const Group& first, const Group& second, const RegisterSet& dead) {
  if (first.alu != second.alu) return second.alu != Alu::control;
  if (first.alu != Alu::main) return first.alu == Alu::control;
  const auto both = [&](Word word) { return first.item(word) && second.item(word); };
  const auto chooses = [](const Group& group) {
    return group.item(Word::move) && group.item(Word::move).op->does == does::Move::choose;
  };
  if (both(Word::test) || both(Word::pack) || (chooses(first) && chooses(second))) return true;
  if (both(Word::backend) && !second.ends()) return true;
  unsigned early = 0;
  for (const Group* group : {&first, &second})
    for (const Word word : {Word::p0, Word::p1})
      if (const Item& item = group->item(word); item && !is_plain_copy(*item.op, item)) ++early;
  if (early > 2) return true;
  std::array<Register, 4> results{};
  std::size_t count = 0;
  for (const Group* group : {&first, &second})
    for (unsigned port = 0; port < 2; ++port) {
      const Register& reg = group->written[port];
      const bool written = (port == 0 ? group->w0p : group->w1p) && (group == &second || !is_dead(reg, dead));
      const auto end = results.begin() + count;
      if (written && std::find(results.begin(), end, reg) == end) results.at(count++) = reg;
    }
  return count > 2;
}

/// Registers of the two by numbers that tell only which are the same.
class Renaming {
 public:
  void add(const Group& group) {
    const unsigned used = slots_read(group);
    for (unsigned slot = 0; slot < slot_count; ++slot)
      if ((used >> slot & 1) != 0) add(group.slots[slot]);
    for (unsigned port = 0; port < 2; ++port)
      if (port == 0 ? group.w0p : group.w1p) add(group.written[port]);
  }
  [[nodiscard]] Group renamed(Group group) const {
    const unsigned used = slots_read(group);
    for (unsigned slot = 0; slot < slot_count; ++slot)
      group.slots[slot] = (used >> slot & 1) != 0 ? other_name(group.slots[slot]) : Register{};
    for (unsigned port = 0; port < 2; ++port)
      group.written[port] = (port == 0 ? group.w0p : group.w1p) ? other_name(group.written[port]) : Register{};
    return group;
  }
  [[nodiscard]] Group named_back(Group group) const {
    for (Register& reg : group.slots) reg = old_name(reg);
    for (unsigned port = 0; port < 2; ++port)
      if (port == 0 ? group.w0p : group.w1p) group.written[port] = old_name(group.written[port]);
    return group;
  }
  [[nodiscard]] RegisterSet dead(const RegisterSet& dead) const {
    RegisterSet renamed;
    for (std::size_t i = 0; i < temporaries_.size(); ++i)
      renamed.set(i, dead.test(static_cast<std::size_t>(tracked(temporaries_[i]))));
    return renamed;
  }

  /// The same as text.
  [[nodiscard]] std::string lives(const RegisterSet& dead) const {
    std::string text;
    for (const Register& reg : temporaries_) text += dead.test(static_cast<std::size_t>(tracked(reg))) ? '0' : '1';
    return text;
  }

 private:
  static bool is_temporary(const Register& reg) {
    return (reg.bank == Bank::temporary || reg.bank == Bank::vertex_input) && tracked(reg) >= 0;
  }
  void add(const Register& reg) {
    if (!is_temporary(reg) && reg.bank != Bank::shared) return;
    std::vector<Register>& all = is_temporary(reg) ? temporaries_ : shared_;
    if (std::ranges::find(all, reg) == all.end()) all.push_back(reg);
  }
  static Register nth(Bank bank, const std::vector<Register>& all, const Register& reg) {
    return {bank, static_cast<std::uint16_t>(std::ranges::find(all, reg) - all.begin())};
  }
  [[nodiscard]] Register other_name(const Register& reg) const {
    if (is_temporary(reg)) return nth(Bank::temporary, temporaries_, reg);
    return reg.bank == Bank::shared ? nth(Bank::shared, shared_, reg) : reg;
  }
  [[nodiscard]] Register old_name(const Register& reg) const {
    if (reg.bank == Bank::temporary) return temporaries_[reg.index];
    return reg.bank == Bank::shared ? shared_[reg.index] : reg;
  }

  std::vector<Register> temporaries_, shared_;
};

template <class T>
void add(std::string& key, const T& value) {
  std::array<char, sizeof(T)> bytes{};
  std::memcpy(bytes.data(), &value, sizeof(T));
  key.append(bytes.data(), bytes.size());
}
void add_group(std::string& key, const Group& group) {
  add(key, group.alu);
  add(key, group.condition);
  add(key, static_cast<std::uint8_t>(group.w0p | group.w1p << 1 | group.olchk << 2 | group.end << 3));
  for (const Item& item : group.items) {
    add(key, std::bit_cast<std::uintptr_t>(item.form));
    if (item) add(key, item.bits);
  }
  add(key, group.selectors);
  for (const Register& reg : group.slots) {
    add(key, reg.bank);
    add(key, reg.index);
  }
  for (const Register& reg : group.written) {
    add(key, reg.bank);
    add(key, reg.index);
  }
}

/// True if only its operands name registers.
bool can_be_renamed(const Group& group) {
  return group.alu != Alu::control && group.repeat == 1 && !goes_on_beside(group);
}

std::optional<Group> tried(const Group& first, const Group& second, const RegisterSet& dead) {
  auto made = merge(first, second, dead);
  if (!made || unpadded(*made) > unpadded(first) + unpadded(second) || !keeps_rules(first, second, *made)) return {};
  return made;
}

}  // namespace

std::optional<Group> Merger::merged(const Group& first, const Group& second, const RegisterSet& dead) {
  if (is_too_much(first, second, dead)) return {};
  if (!can_be_renamed(first) || !can_be_renamed(second)) return tried(first, second, dead);
  Renaming renaming;
  renaming.add(first);
  renaming.add(second);
  const auto a = fitted(renaming.renamed(first)), b = fitted(renaming.renamed(second));
  if (!a || !b) return {};
  std::string key = renaming.lives(dead);
  add_group(key, *a);
  add_group(key, *b);
  const auto [found, is_new] = known_.try_emplace(std::move(key));
  if (is_new) found->second = tried(*a, *b, renaming.dead(dead));
  if (!found->second) return {};
  return fitted(renaming.named_back(*found->second));
}

}  // namespace mobula::rogue
