#include "machines/utgard_gp/spec/flow.h"

#include <algorithm>
#include <array>
#include <charconv>

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

Taken branch_taken(const Word128& word, const Constants& constants) {
  const Selector& selector = selectors[get(word, word::pass_in)];
  if (!pass_operation(word).traits.copies || selector.source != Source::load || get(word, word::ld_off) != no_offset)
    return Taken::maybe;
  const auto found = constants.find(static_cast<std::uint32_t>(4 * get(word, word::ld_addr) + selector.component));
  if (found == constants.end()) return Taken::maybe;
  constexpr std::uint32_t without_sign = 0x7FFFFFFF;
  return (found->second & without_sign) != 0 ? Taken::always : Taken::never;
}

ControlFlow::ControlFlow(std::span<const Word128> words, const Constants& constants)
    : predecessors_(words.size()), successors_(words.size()) {
  if (words.empty()) return;
  predecessors_[0].push_back(before_start);
  const auto connect = [&](std::uint16_t from, std::size_t to) {
    if (to >= words.size()) return;
    successors_[from].push_back(static_cast<std::uint16_t>(to));
    predecessors_[to].push_back(from);
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto word = static_cast<std::uint16_t>(i);
    const bool branches = is_branch(words[i]);
    const Taken taken = branches ? branch_taken(words[i], constants) : Taken::never;
    const std::size_t target = branch_target(words[i]);
    if (taken != Taken::always) connect(word, i + 1);
    if (taken != Taken::never && (target != i + 1 || taken == Taken::always)) connect(word, target);
    falls_through_ = taken != Taken::always;
  }
}

Path Reach::path_to(std::uint16_t word) const {
  Path path;
  for (std::uint16_t at = word; at != before_start; at = from_[at]) path.push_back(at);
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace mobula::utgard_gp
