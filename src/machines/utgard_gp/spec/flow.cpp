#include "machines/utgard_gp/spec/flow.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>

namespace mobula::utgard_gp {

std::string text_of(const Path& path) {
  const auto name = [](std::uint16_t word) {
    if (word == before_start) return std::string("start");
    std::array<char, 8> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), word * word_bytes, 16).ptr;
    return "0x" + std::string(digits.data(), end);
  };
  std::string text;
  for (std::size_t at = 0; at < path.size();) {
    std::size_t end = at + 1;
    while (end < path.size() && path[end] == path[end - 1] + 1) ++end;
    if (end - at < 3) end = at + 1;
    if (at != 0) text += " -> ";
    text += name(path[at]);
    if (end - at > 1) text += ".." + name(path[end - 1]);
    at = end;
  }
  return text;
}

std::optional<unsigned> store_address_word(const Word128& word) {
  const Operation<ComplexOp>& operation = cplx_operation(word);
  const Selector& selector = selectors[get(word, word::cplx_in)];
  if (operation.traits.from_pass || !sets_address(word, 0) || selector.source != Source::load ||
      get(word, word::ld_off) != no_offset)
    return {};
  return static_cast<unsigned>(4 * get(word, word::ld_addr) + selector.component);
}

std::optional<unsigned> vec4_of(const Constants& constants, std::uint32_t place) {
  const auto found = constants.find(place);
  if (found == constants.end()) return {};
  const auto address = std::bit_cast<float>(found->second);
  if (!(address >= 0 && address < static_cast<float>(memory_vec4s)) || address != std::floor(address)) return {};
  return static_cast<unsigned>(address);
}

ControlFlow::ControlFlow(std::span<const Word128> words, const Constants& constants) {
  std::vector<Taken> taken(words.size(), Taken::maybe);
  for (std::size_t i = 0; i < words.size(); ++i)
    if (!is_branch(words[i])) taken[i] = Taken::never;
  connect(words, taken);
  if (constants.empty()) return;
  // Each branch that is decided leaves fewer paths, on which more may be known.
  for (bool decided = true; decided;) {
    decided = false;
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (taken[i] != Taken::maybe || !pass_operation(words[i]).traits.copies) continue;
      const auto condition = constant(words, constants, static_cast<std::uint16_t>(i), &operand_of(word::pass_in));
      if (!condition) continue;
      constexpr std::uint32_t without_sign = 0x7FFFFFFF;
      taken[i] = (*condition & without_sign) != 0 ? Taken::always : Taken::never;
      decided = true;
    }
    if (decided) connect(words, taken);
  }
}

void ControlFlow::connect(std::span<const Word128> words, const std::vector<Taken>& taken) {
  predecessors_.assign(words.size(), {});
  successors_.assign(words.size(), {});
  if (words.empty()) return;
  predecessors_[0].push_back(before_start);
  const auto lead = [&](std::size_t from, std::size_t to) {
    if (to >= words.size()) return;
    successors_[from].push_back(static_cast<std::uint16_t>(to));
    predecessors_[to].push_back(static_cast<std::uint16_t>(from));
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t target = branch_target(words[i]);
    if (taken[i] != Taken::always) lead(i, i + 1);
    if (taken[i] != Taken::never && (target != i + 1 || taken[i] == Taken::always)) lead(i, target);
  }
  falls_through_ = taken.back() != Taken::always;
}

std::optional<std::uint16_t> ControlFlow::only_predecessor(std::uint16_t word) const {
  const std::vector<std::uint16_t>& before = predecessors_[word];
  if (before.size() != 1 || before[0] == before_start) return {};
  return before[0];
}

std::optional<std::uint32_t> ControlFlow::constant(std::span<const Word128> words, const Constants& constants,
                                                   std::uint16_t word, const OperandField* operand) const {
  std::uint32_t sign = 0;
  for (std::size_t moves = 0; moves <= words.size(); ++moves) {
    const Selector& selector = selectors[get(words[word], *operand->field)];
    if (selector.source == Source::load) {
      if (get(words[word], word::ld_off) != no_offset) return {};
      const auto found =
          constants.find(static_cast<std::uint32_t>(4 * get(words[word], word::ld_addr) + selector.component));
      if (found == constants.end()) return {};
      return found->second ^ sign;
    }
    const bool is_result =
        selector.source == Source::result || (selector.source == Source::identity_or_complex && !operand->b);
    if (!is_result) return {};
    for (unsigned age = 0; age < selector.age; ++age) {
      const auto before = only_predecessor(word);
      if (!before) return {};
      word = *before;
    }
    const Moved moved = moved_by(words[word], selector.unit);
    if (moved.operand == nullptr) return {};
    operand = moved.operand;
    if (moved.negated) sign ^= 0x80000000;
  }
  return {};
}

Path Reach::path_to(std::uint16_t word) const {
  Path path;
  for (std::uint16_t at = word; at != before_start; at = from_[at]) path.push_back(at);
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace mobula::utgard_gp
