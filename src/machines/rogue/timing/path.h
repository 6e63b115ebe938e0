// What tasks execute: the groups one after the other, and for which earlier group each has to wait.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "machines/rogue/timing/timing.h"
#include "timing/shared_paths.h"

namespace mobula::rogue {

/// Groups this far back have surely finished: group_latency is at most as many cycles.
inline constexpr std::uint32_t longest_distance = 32;

struct Step {
  std::uint32_t group = 0;    ///< index in TimedTasks::groups
  std::uint8_t distance = 0;  ///< steps back to the last group whose results it uses; 0 = none so near
};
using Path = std::vector<Step>;

/// Instances that go the same way together.
struct TimedTask {
  std::uint32_t instances = 0;
  std::shared_ptr<const Path> path;
};

class TimedTasks {
 public:
  /// The tasks of a run: so many neighbouring threads as a task has instances, those that take different ways apart.
  /// TM005 where the program has no group. `paths` must outlive them.
  static Result<TimedTasks> from_run(const Program& program, const ThreadPaths& paths, std::uint32_t instances,
                                     std::vector<std::string>& notes);
  /// `threads` instances that all take the assumed way; TM003 if there is none.
  static Result<TimedTasks> assumed(const Program& program, AssumedPath which, std::uint32_t threads,
                                    std::uint32_t instances, std::vector<std::string>& notes);

  [[nodiscard]] std::uint32_t count() const { return count_; }
  [[nodiscard]] TimedTask task(std::uint32_t number);
  /// Every group that some task reaches, by address.
  [[nodiscard]] const std::vector<Group>& groups() const { return groups_; }

 private:
  /// What a group uses and makes, as places.
  struct Places {
    std::vector<std::uint16_t> used, made;
  };
  struct TaskOfRun {
    std::uint32_t instances = 0, path_id = 0;
  };
  static Places places_of(const Group& group);
  Result<bool> load_groups(const Program& program, std::vector<std::uint64_t> addresses);
  [[nodiscard]] Path path_of(std::span<const std::uint64_t> addresses) const;

  std::vector<Group> groups_;
  std::vector<Places> places_;  ///< by group
  const ThreadPaths* run_ = nullptr;
  std::vector<TaskOfRun> tasks_;
  SharedPaths<Path> paths_of_run_;
  std::shared_ptr<const Path> assumed_;  ///< by all tasks, where there is no run
  std::uint32_t count_ = 0, threads_ = 0, instances_ = 0;
};

}  // namespace mobula::rogue
