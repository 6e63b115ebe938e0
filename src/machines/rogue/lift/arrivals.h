// Which late results may still be on their way where a group waits for them: a wait that looked for those of the whole
// program would take as many micro-operations as all of its loads, and programs that spill have thousands of both.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "machines/rogue/lift/state.h"
#include "machines/rogue/spec/access.h"
#include "machines/rogue/spec/codec.h"

namespace mobula::rogue::lifting {

class Arrivals {
 public:
  /// Of a whole program, which outlives this.
  explicit Arrivals(std::span<const Group> groups);

  /// False: on no way through the program to this group, nor in it, has something been sent to the register that it
  /// could wait for with the counter. Precondition: the group is one of the program.
  [[nodiscard]] bool may_arrive(const Group& group, unsigned counter, const RegisterPlace& place) const;

 private:
  void follow(unsigned counter);

  std::span<const Group> groups_;
  std::array<std::vector<RegisterSet>, 2> sent_;  ///< by counter and group: up to and with the group
};

}  // namespace mobula::rogue::lifting
