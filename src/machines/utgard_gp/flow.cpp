#include "machines/utgard_gp/flow.h"

#include <algorithm>

namespace mobula::utgard_gp {

std::string text_of(const Path& path) {
  std::string text;
  for (std::size_t at = 0; at < path.size();) {
    std::size_t end = at + 1;
    while (end < path.size() && path[end] == path[end - 1] + 1) ++end;
    if (end - at < 3) end = at + 1;
    text += at == 0 ? "word " : " -> ";
    text += path[at] == before_start ? "start" : std::to_string(path[at]);
    if (end - at > 1) text += ".." + std::to_string(path[end - 1]);
    at = end;
  }
  return text;
}

ControlFlow::ControlFlow(std::span<const Word128> words) : predecessors_(words.size()), successors_(words.size()) {
  if (words.empty()) return;
  predecessors_[0].push_back(before_start);
  const auto connect = [&](std::uint16_t from, std::size_t to) {
    if (to >= words.size()) return;
    successors_[from].push_back(static_cast<std::uint16_t>(to));
    predecessors_[to].push_back(from);
  };
  for (std::uint16_t word = 0; word < words.size(); ++word) {
    connect(word, word + std::size_t{1});
    if (is_branch(words[word]) && branch_target(words[word]) != word + 1u) connect(word, branch_target(words[word]));
  }
}

Path Reach::path_to(std::uint16_t word) const {
  Path path;
  for (std::uint16_t at = word; at != before_start; at = from_[at]) path.push_back(at);
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace mobula::utgard_gp
