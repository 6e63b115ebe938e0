#include "machines/afuc/devices/profile.h"

namespace mobula::afuc {

void CoreProfile::enter(std::uint32_t what, bool packet) {
  // A function's number has 26 bits.
  const auto [place, is_new] = above_.try_emplace(std::uint64_t{top_} << 32 | what | (packet ? 1u << 31 : 0u),
                                                  static_cast<std::uint32_t>(stacks_.size()));
  if (is_new) {
    if (stacks_.size() == most_stacks) {
      above_.erase(place);
      return;
    }
    stacks_.push_back({.below = top_, .what = what, .depth = stacks_[top_].depth + 1, .packet = packet, .spent = {}});
  }
  top_ = place->second;
}

}  // namespace mobula::afuc
