#include "machines/afuc/devices_profile.h"

namespace mobula::afuc {

void CallTree::enter(std::uint32_t what, bool packet) {
  // A function's number has 26 bits.
  const auto [child, is_new] = children_.try_emplace(std::uint64_t{current_} << 32 | what | (packet ? 1u << 31 : 0u),
                                                     static_cast<std::uint32_t>(nodes_.size()));
  if (is_new) {
    if (nodes_.size() == most_nodes) {
      children_.erase(child);
      return;
    }
    nodes_.push_back({.parent = current_, .what = what, .depth = nodes_[current_].depth + 1, .packet = packet});
  }
  current_ = child->second;
}

}  // namespace mobula::afuc
