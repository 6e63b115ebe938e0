// Merging, remembered: the same pairs of groups come again and again under other registers.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "machines/rogue/merge/merge.h"

namespace mobula::rogue {

class Merger {
 public:
  /// The two groups in one, if that breaks no rule and is no longer than both.
  std::optional<Group> merged(const Group& first, const Group& second, const RegisterSet& dead);

 private:
  std::unordered_map<std::string, std::optional<Group>> known_;
};

}  // namespace mobula::rogue
