// Groups made at random from the tables: every form, every field.
#pragma once

#include <random>

#include "machines/rogue/spec/codec.h"

namespace mobula::rogue {

/// The bytes of one group whose fields are random; nearly all of them decode.
inline std::vector<std::uint8_t> random_group(std::mt19937_64& random) {
  const auto pick = [&](std::size_t count) { return static_cast<std::size_t>(random() % count); };
  const auto random_bits = [&](const Form& form, std::uint64_t mask, std::uint64_t fixed) {
    std::uint64_t bits = (random() & low_mask(8u * form.bytes) & ~mask) | fixed;
    for (const Place& place : form.fields()) {
      const FieldInfo& row = info(place.field);
      std::uint64_t place_mask = 0;
      insert(place_mask, place, low_mask(place.width()));
      if ((mask & place_mask) != 0) continue;
      bits &= ~place_mask;
      std::uint32_t value = static_cast<std::uint32_t>(random() & low_mask(place.width()));
      if (row.kind == Kind::names)
        value = row.names[pick(row.names.size())].value & static_cast<std::uint32_t>(low_mask(place.width()));
      if (row.kind == Kind::slot || row.kind == Kind::coverage) value %= slot_count;
      insert(bits, place, value);
    }
    return bits;
  };
  Group group;
  group.alu = static_cast<Alu>(pick(3));
  const auto fill = [&](Unit unit) {
    std::vector<const Candidate*> all;
    for (unsigned byte = 0; byte < 256; ++byte)
      for (const Candidate& each : candidates(unit, static_cast<std::uint8_t>(byte))) all.push_back(&each);
    const Candidate& chosen = *all[pick(all.size())];
    group.item(word_of(unit)) = {chosen.form, chosen.op, random_bits(*chosen.form, chosen.mask, chosen.bits)};
  };
  group.condition = static_cast<Condition>(pick(4));
  group.w0p = pick(2) != 0;
  group.w1p = pick(2) != 0;
  group.olchk = pick(2) != 0;
  bool sources = true;
  if (group.alu == Alu::main) {
    const Phases phases = phase_sets[pick(phase_sets.size())];
    if (phases.p0) fill(Unit::p0);
    if (phases.p1) fill(Unit::p1);
    if (phases.backend) fill(Unit::backend);
    if (phases.p2) {
      const std::size_t units = 1 + pick(7);
      if ((units & 1) != 0) fill(Unit::pack);
      if ((units & 2) != 0) fill(Unit::test);
      if ((units & 4) != 0) fill(Unit::move);
      for (const Word word : {Word::move, Word::test}) {
        Item& item = group.item(word);
        if (!item) continue;
        const bool last = !group.item(Word::pack) && (word == Word::test || !group.item(Word::test));
        const Place* place = item.form->find(F::p2end);
        if (place == nullptr && last) return random_group(random);
        if (place == nullptr) continue;
        item.bits &= ~(std::uint64_t{1} << place->pieces[0].low);
        insert(item.bits, *place, last ? 1 : 0);
      }
    }
    for (std::size_t i = 1; i < 6; ++i) group.selectors[i] = static_cast<std::uint8_t>(pick(i < 3 ? 2 : 4));
  } else if (group.alu == Alu::bitwise) {
    const std::size_t phases = 1 + pick(7);
    if ((phases & 1) != 0) fill(Unit::bitmask);
    if ((phases & 2) != 0) fill(Unit::logical);
    if ((phases & 4) != 0) fill(Unit::shift2);
  } else {
    group.ctrlop = static_cast<std::uint8_t>(pick(13));
    const auto all = control_candidates(group.ctrlop);
    if (all.empty()) return random_group(random);
    const Candidate& chosen = all[pick(all.size())];
    group.item(Word::control) = {chosen.form, chosen.op, random_bits(*chosen.form, chosen.mask, chosen.bits)};
    sources = has_sources(*chosen.op);
    group.w0p = has_destination(*chosen.op);
    group.w1p = false;
    group.miscctl = static_cast<std::uint8_t>(pick(2));
  }
  if (group.alu != Alu::control) {
    group.end = pick(4) == 0;
    group.atom = pick(4) == 0;
    group.repeat = static_cast<std::uint8_t>(1 + pick(4));
    if (pick(2) != 0) choose_header(group);
    if (group.brief) group.end = group.atom = false, group.repeat = 1;
  }
  const auto map = [&](std::span<const Form> forms) {
    const Form& form = forms[pick(forms.size())];
    const std::uint64_t bits = random_bits(form, form.fixed_mask, form.fixed_bits);
    static constexpr std::array<F, 6> banks{F::sb0, F::sb1, F::sb2, F::sb3, F::sb4, F::sb5};
    static constexpr std::array<F, 6> numbers{F::s0, F::s1, F::s2, F::s3, F::s4, F::s5};
    for (unsigned slot = 0; slot < slot_count; ++slot)
      if (form.find(numbers[slot]) != nullptr)
        group.slots[slot] = {static_cast<Bank>(get(form, bits, banks[slot])),
                             static_cast<std::uint16_t>(get(form, bits, numbers[slot]))};
    if (form.find(F::is0) != nullptr) group.selectors[0] = static_cast<std::uint8_t>(get(form, bits, F::is0));
    if (form.find(F::d0) != nullptr)
      group.written = {
          Register{static_cast<Bank>(get(form, bits, F::db0)), static_cast<std::uint16_t>(get(form, bits, F::d0))},
          Register{static_cast<Bank>(get(form, bits, F::db1)), static_cast<std::uint16_t>(get(form, bits, F::d1))}};
    if (form.find(F::dN) != nullptr)
      group.written[group.w0p ? 0 : 1] = {static_cast<Bank>(get(form, bits, F::dbN)),
                                          static_cast<std::uint16_t>(get(form, bits, F::dN))};
    return &form;
  };
  if (sources) {
    group.lower = map(forms::lower);
    group.upper = map(forms::upper);
  }
  if (group.w0p || group.w1p)
    group.destination = group.w0p && group.w1p ? map(forms::two_destinations) : map(forms::one_destination);
  const unsigned content = content_bytes(group);
  if (content > max_group_bytes) return random_group(random);
  const unsigned least = (content + 1) / 2;
  const unsigned words = pick(3) == 0 ? least + static_cast<unsigned>(pick(17 - least)) : least;
  std::vector<std::uint8_t> code;
  encode_content(group, words, code);
  append_padding(content, words, code);
  return code;
}

}  // namespace mobula::rogue
