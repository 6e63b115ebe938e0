#include "machines/rogue/spec/cores.h"

#include "machines/rogue/spec/access.h"

namespace mobula::rogue {
namespace {

/// Registers of a bank of which the number is known; nothing for those that a program or a driver sizes.
std::optional<unsigned> size_of(Bank bank) {
  if (bank == Bank::temporary) return temporary_count;
  return bank == Bank::vertex_input ? std::optional(vertex_input_count) : std::nullopt;
}

std::optional<Refusal> beyond_bank(const Register& first, unsigned count) {
  const auto size = size_of(first.bank);
  if (!size || first.index + count <= *size) return std::nullopt;
  Register last = first;
  last.index = static_cast<std::uint16_t>(first.index + count - 1);
  Register highest = first;
  highest.index = static_cast<std::uint16_t>(*size - 1);
  return Refusal{"RG210", text_of(last) + " does not exist: the last one is " + text_of(highest)};
}

/// Registers that the group goes through from the one a slot names.
unsigned registers_from(const Group& group, unsigned slot) {
  constexpr unsigned address_words = 2;
  const Item& backend = group.item(Word::backend);
  if (!backend) return source_turns(group);
  const auto names = [&](F field) { return backend.form->find(field) != nullptr && backend.get(field) == slot; };
  if (static_cast<int>(slot) == destination_slot(group) || names(F::srcseldata)) return words_moved(backend);
  return names(F::srcseladd) && !backend.op->has(only_fences) ? address_words : source_turns(group);
}

std::optional<Refusal> registers_refused(const Group& group) {
  const unsigned used = slots_read(group);
  for (unsigned slot = 0; slot < slot_count; ++slot) {
    if ((used >> slot & 1) == 0) continue;
    if (auto refused = beyond_bank(group.slots[slot], registers_from(group, slot))) {
      refused->slot = slot;
      return refused;
    }
  }
  for (unsigned port = 0; port < 2; ++port) {
    if (port == 0 ? !group.w0p : !group.w1p) continue;
    if (is(group.written[port], Special::constant))
      return Refusal{"RG034", "the constant " + text_of(group.written[port]) + " is written", {}, port};
    if (auto refused = beyond_bank(group.written[port], result_turns(group))) {
      refused->port = port;
      return refused;
    }
  }
  if (const Item& control = group.item(Word::control); control && control.form->find(F::dest) != nullptr)
    return beyond_bank({Bank::temporary, static_cast<std::uint16_t>(control.get(F::dest))}, words_moved(control));
  return std::nullopt;
}

/// A range reduction beside anything, and a complex operation beside more than it may have or where the core has none
/// (V-06, V-07).
std::optional<Refusal> complex_refused(const Group& group, std::string_view variant) {
  const Item &p0 = group.item(Word::p0), &p1 = group.item(Word::p1);
  const bool more = group.item(Word::test) || group.item(Word::backend);
  if (p0 && p0.op->has(drives_w1)) {
    if (!p1 && !more && !group.item(Word::pack) && !group.item(Word::move)) return std::nullopt;
    return Refusal{"RG006", std::string(p0.op->name) + " has other instructions beside it"};
  }
  const bool in_p1 = p1 && p1.op->has(drives_w0);
  const Item& complex = in_p1 ? p1 : p0;
  if (!complex || !complex.op->has(drives_w0)) return std::nullopt;
  const std::string name(complex.op->name);
  if (in_p1) {
    const std::string found = name + " is in phase 1";
    if (!has_complex_in_p1(variant)) return Refusal{"RG007", found + ", which is an option of some cores"};
    // Without phase 0 it is beside a sum of products.
    if (p0 && p0.op->has(drives_w0))
      return Refusal{"RG007", found + " and " + std::string(p0.op->name) + " in phase 0"};
    if (p0 && p0.op->has(gives_carry))
      return Refusal{"RG007", found + " beside " + std::string(p0.op->name) + ", an integer of 32 or 64 bits"};
  }
  if (!more && (in_p1 || !p1)) return std::nullopt;
  return Refusal{"RG007", name + " has more than a pack and a move beside it"};
}

/// What arrives later goes to a store that takes it, and once (V-17, V-37).
std::optional<Refusal> backend_refused(const Group& group) {
  const Item& backend = group.item(Word::backend);
  if (!backend) return std::nullopt;
  const std::string name(backend.op->name);
  if (group.repeat != 1 && (goes_on_beside(group) || backend.op->has(emits_pixel)))
    return Refusal{"RG017", name + " repeats " + std::to_string(group.repeat) + " times"};
  const int slot = destination_slot(group);
  if (slot < 0) return std::nullopt;
  const Register& reg = group.slots[static_cast<std::size_t>(slot)];
  const bool is_plain = reg.bank == Bank::temporary || reg.bank == Bank::vertex_input || reg.bank == Bank::shared ||
                        reg.bank == Bank::coefficient;
  if (is_plain) return std::nullopt;
  return Refusal{"RG037", name + " writes " + text_of(reg), static_cast<unsigned>(slot)};
}

}  // namespace

std::optional<Refusal> refusal_of(const Group& group, std::string_view variant) {
  if (auto refused = registers_refused(group)) return refused;
  if (auto refused = backend_refused(group)) return refused;
  return complex_refused(group, variant);
}

}  // namespace mobula::rogue
