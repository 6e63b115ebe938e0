#include "machines/utgard_gp/relink.h"

#include <algorithm>
#include <set>
#include <string>

#include "machines/utgard_gp/codec.h"

namespace mobula::utgard_gp {
namespace {

using Map = std::map<std::uint32_t, std::uint32_t>;

std::uint32_t moved(const Map& map, std::uint32_t number) {
  const auto found = map.find(number);
  return found == map.end() ? number : found->second;
}

/// What the program uses, so that a move onto something that stays is seen.
struct Used {
  std::set<std::uint32_t> attributes, varyings, uniforms;
  bool indexed = false;
};

Used find_used(std::span<const std::uint8_t> code) {
  Used used;
  for (std::uint32_t i = 0; i < word_count(code); ++i) {
    const Word128 word = load_word(code, i);
    if (get(word, word::port0_attr) != 0)
      used.attributes.insert(static_cast<std::uint32_t>(get(word, word::port0_index)));
    for (unsigned half = 0; half < 2; ++half)
      if (const StoreHalf store = store_half(word, half); store.kind == StoreKind::varying)
        used.varyings.insert(store.index);
    if (!reads_load(word)) continue;
    used.uniforms.insert(static_cast<std::uint32_t>(get(word, word::ld_addr)));
    used.indexed = used.indexed || get(word, word::ld_off) != no_offset;
  }
  return used;
}

void check(const Map& map, const std::set<std::uint32_t>& used, std::uint32_t limit, const std::string& what,
           Diagnostics& errors) {
  std::map<std::uint32_t, std::uint32_t> taken;
  std::set<std::uint32_t> all = used;
  for (const auto& [from, to] : map) {
    all.insert(from);
    if (to >= limit)
      errors.push_back({Severity::error,
                        "GP201",
                        {},
                        what + " " + std::to_string(from) + " cannot move to " + std::to_string(to),
                        "allowed: 0 to " + std::to_string(limit - 1)});
  }
  for (const std::uint32_t from : all) {
    const auto [other, is_new] = taken.try_emplace(moved(map, from), from);
    if (!is_new)
      errors.push_back({Severity::error,
                        "GP202",
                        {},
                        what + "s " + std::to_string(other->second) + " and " + std::to_string(from) +
                            " would both be number " + std::to_string(other->first),
                        "move one of them elsewhere"});
  }
}

void relink_word(Word128& word, const Moves& moves) {
  if (get(word, word::port0_attr) != 0)
    set(word, word::port0_index, moved(moves.attributes, static_cast<std::uint32_t>(get(word, word::port0_index))));
  for (unsigned half = 0; half < 2; ++half)
    if (const StoreHalf store = store_half(word, half); store.kind == StoreKind::varying)
      set(word, half == 0 ? word::st0_index : word::st1_index, moved(moves.varyings, store.index));
  if (reads_load(word))
    set(word, word::ld_addr, moved(moves.uniforms, static_cast<std::uint32_t>(get(word, word::ld_addr))));
}

void rename(std::vector<Variable>& variables, const Map& map) {
  for (Variable& each : variables)
    each.driver_location = static_cast<std::int32_t>(moved(map, static_cast<std::uint32_t>(each.driver_location)));
}

}  // namespace

Result<Program> relink(Program program, const Moves& moves) {
  const Used used = find_used(program.code);
  Diagnostics errors;
  check(moves.attributes, used.attributes, attribute_count, "attribute", errors);
  check(moves.varyings, used.varyings, varying_count, "varying", errors);
  check(moves.uniforms, used.uniforms, find_product(program.variant).memory, "uniform", errors);
  if (used.indexed && !moves.uniforms.empty())
    errors.push_back({Severity::error,
                      "GP203",
                      {},
                      "the program adds address registers to uniform addresses, so uniforms cannot be moved one by one",
                      "move no uniforms"});
  if (!errors.empty()) return fail(std::move(errors));
  std::vector<std::uint8_t> code;
  code.reserve(program.code.size());
  for (std::uint32_t i = 0; i < word_count(program.code); ++i) {
    Word128 word = load_word(program.code, i);
    relink_word(word, moves);
    append_word(word, code);
  }
  code.insert(code.end(), program.code.begin() + static_cast<std::ptrdiff_t>(code.size()), program.code.end());
  program.code = std::move(code);
  rename(program.interface.inputs, moves.attributes);
  rename(program.interface.outputs, moves.varyings);
  rename(program.interface.uniforms, moves.uniforms);
  for (UniformConstant& constant : program.interface.constants)
    constant.word = 4 * moved(moves.uniforms, constant.word / 4) + constant.word % 4;
  return program;
}

}  // namespace mobula::utgard_gp
