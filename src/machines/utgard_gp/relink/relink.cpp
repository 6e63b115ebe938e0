#include "machines/utgard_gp/relink/relink.h"

#include <algorithm>
#include <set>
#include <string>

#include "machines/utgard_gp/spec/codec.h"
#include "machines/utgard_gp/spec/names.h"

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

void add_named(const std::vector<Variable>& variables, std::set<std::uint32_t>& used) {
  for (const Variable& each : variables)
    for (unsigned i = 0; each.driver_location >= 0 && i < vec4s_of(each.type); ++i)
      used.insert(static_cast<std::uint32_t>(each.driver_location) + i);
}

Used find_used(const Program& program) {
  Used used;
  for (std::uint32_t i = 0; i < word_count(program.code); ++i) {
    const Word128 word = load_word(program.code, i);
    if (get(word, word::port0_attr) != 0)
      used.attributes.insert(static_cast<std::uint32_t>(get(word, word::port0_index)));
    for (unsigned half = 0; half < 2; ++half)
      if (const StoreHalf store = store_half(word, half); store.kind == StoreKind::varying)
        used.varyings.insert(store.index);
    if (!reads_load(word)) continue;
    used.uniforms.insert(static_cast<std::uint32_t>(get(word, word::ld_addr)));
    used.indexed = used.indexed || get(word, word::ld_off) != no_offset;
  }
  add_named(program.interface.inputs, used.attributes);
  add_named(program.interface.outputs, used.varyings);
  add_named(program.interface.uniforms, used.uniforms);
  for (const UniformConstant& constant : program.interface.constants)
    if (constant.word / 4 < memory_vec4s) used.uniforms.insert(constant.word / 4);
  return used;
}

/// What is wrong with the moves of one kind of thing.
class MoveChecker {
 public:
  MoveChecker(std::string what, const Map& map, Diagnostics& errors)
      : what_(std::move(what)), map_(map), errors_(errors) {}

  void check_numbers(const std::set<std::uint32_t>& used, std::uint32_t limit) {
    for (const auto& [from, to] : map_) {
      if (!used.contains(from))
        error("GP204", "the program has no " + what_ + ' ' + std::to_string(from), "leave this move out");
      if (to >= limit)
        error("GP201", what_ + ' ' + std::to_string(from) + " cannot move to " + std::to_string(to),
              "allowed: 0 to " + std::to_string(limit - 1));
    }
  }

  void check_collisions(const std::set<std::uint32_t>& used) {
    std::map<std::uint32_t, std::uint32_t> taken;
    for (const std::uint32_t from : used) {
      const auto [other, is_new] = taken.try_emplace(moved(map_, from), from);
      if (!is_new)
        error("GP202",
              what_ + "s " + std::to_string(other->second) + " and " + std::to_string(from) + " would both be number " +
                  std::to_string(other->first),
              "move one of them elsewhere");
    }
  }

  void check_arrays(const std::vector<Variable>& variables) {
    for (const Variable& each : variables) {
      const unsigned count = vec4s_of(each.type);
      if (each.driver_location < 0 || count < 2) continue;
      const auto first = static_cast<std::uint32_t>(each.driver_location);
      for (unsigned i = 1; i < count; ++i) {
        if (moved(map_, first + i) == moved(map_, first) + i) continue;
        error("GP205",
              each.name + " takes " + what_ + "s " + std::to_string(first) + " to " +
                  std::to_string(first + count - 1) + " and would be torn apart",
              "move all of them by the same distance");
        break;
      }
    }
  }

 private:
  void error(std::string code, std::string message, std::string hint) {
    errors_.push_back({Severity::error, std::move(code), {}, std::move(message), std::move(hint)});
  }

  std::string what_;
  const Map& map_;
  Diagnostics& errors_;
};

void check(std::string what, const Map& map, const std::set<std::uint32_t>& used, std::uint32_t limit,
           const std::vector<Variable>& variables, Diagnostics& errors) {
  MoveChecker checker(std::move(what), map, errors);
  checker.check_numbers(used, limit);
  if (map.empty()) return;
  checker.check_collisions(used);
  checker.check_arrays(variables);
}

void relink_word(Word128& word, const RelinkMoves& moves) {
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

Result<Program> relink(Program program, const RelinkMoves& moves) {
  const Used used = find_used(program);
  const Interface& interface = program.interface;
  Diagnostics errors;
  check("attribute", moves.attributes, used.attributes, attribute_count, interface.inputs, errors);
  check("varying", moves.varyings, used.varyings, varying_count, interface.outputs, errors);
  check("uniform", moves.uniforms, used.uniforms, find_product(program.variant).memory, interface.uniforms, errors);
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
  if (auto& position = program.interface.position) position = moved(moves.varyings, *position);
  if (auto& size = program.interface.point_size) size = moved(moves.varyings, *size);
  if (auto& viewport = program.interface.viewport_vec4) viewport = moved(moves.uniforms, *viewport);
  for (UniformConstant& constant : program.interface.constants)
    constant.word = 4 * moved(moves.uniforms, constant.word / 4) + constant.word % 4;
  return program;
}

}  // namespace mobula::utgard_gp
