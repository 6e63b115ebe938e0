#include "machines/rogue/timing/path.h"

#include <algorithm>

#include "core/hexadecimal.h"
#include "machines/rogue/spec/access.h"
#include "machines/rogue/text/text_only.h"

namespace mobula::rogue {
namespace {

/// P0 comes after the registers.
constexpr std::uint16_t p0_place = tracked_count;

}  // namespace

TimedTasks::Places TimedTasks::places_of(const Group& group) {
  const Access access = access_of(group);
  Places places;
  for (std::uint16_t i = 0; i < tracked_count; ++i) {
    if (access.reads.test(i)) places.used.push_back(i);
    if (access.writes.test(i)) places.made.push_back(i);
  }
  if (access.reads_p0) places.used.push_back(p0_place);
  if (access.p0_writers != 0) places.made.push_back(p0_place);
  return places;
}

Result<bool> TimedTasks::load_groups(const Program& program, std::vector<std::uint64_t> addresses) {
  std::ranges::sort(addresses);
  addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
  for (const std::uint64_t address : addresses) {
    if (address >= program.code.size())
      return fail("TM005", "a path leads to " + hexadecimal(address) + ", where the program has no group");
    groups_.push_back(decode_group(program, static_cast<std::uint32_t>(address)));
    places_.push_back(places_of(groups_.back()));
  }
  return true;
}

Path TimedTasks::path_of(std::span<const std::uint64_t> addresses) const {
  std::vector<std::uint64_t> made_at(tracked_count + 1);  // step, counted from 1
  Path path;
  path.reserve(addresses.size());
  for (const std::uint64_t address : addresses) {
    const auto found = std::ranges::lower_bound(groups_, address, {}, &Group::offset);
    const auto index = static_cast<std::uint32_t>(found - groups_.begin());
    const std::uint64_t step = path.size() + 1;
    std::uint64_t last = 0;
    for (const std::uint16_t place : places_[index].used) last = std::max(last, made_at[place]);
    for (const std::uint16_t place : places_[index].made) made_at[place] = step;
    const bool near = last != 0 && step - last <= longest_distance;
    path.push_back({index, static_cast<std::uint8_t>(near ? step - last : 0)});
  }
  return path;
}

Result<TimedTasks> TimedTasks::from_run(const Program& program, const ThreadPaths& paths, std::uint32_t instances,
                                        std::vector<std::string>& notes) {
  TimedTasks result;
  if (auto loaded = result.load_groups(program, paths.all_addresses()); !loaded) return fail(std::move(loaded).error());
  result.run_ = &paths;
  bool split = false;
  for (std::uint32_t first = 0; first < paths.threads(); first += instances) {
    const std::uint32_t end = std::min(paths.threads() - first, instances) + first;
    std::map<std::uint32_t, std::uint32_t> ways;  // path and the instances that take it
    for (std::uint32_t thread = first; thread < end; ++thread) ++ways[paths.path_id(thread)];
    split = split || ways.size() > 1;
    for (const auto& [id, count] : ways) result.tasks_.push_back({count, id});
  }
  result.count_ = static_cast<std::uint32_t>(result.tasks_.size());
  if (split) notes.emplace_back("Instances of a task went different ways: each way is timed as a task of its own.");
  if (paths.truncated()) notes.emplace_back("The run was too long to remember: the tasks' paths are cut short.");
  return result;
}

Result<TimedTasks> TimedTasks::assumed(const Program& program, AssumedPath which, std::uint32_t threads,
                                       std::uint32_t instances, std::vector<std::string>& notes) {
  const Flow flow = find_flow(program);
  std::vector<std::uint8_t> weights(flow.nodes.size());
  std::ranges::transform(flow.groups, weights.begin(), &TimedGroup::repeat);
  const bool shortest = which == AssumedPath::shortest;
  const auto nodes = shortest ? lightest_path(flow, weights) : heaviest_path(flow, weights);
  if (!nodes) return fail(no_path(flow.nodes.empty(), shortest, flow.loops != 0));
  notes.push_back(assumption(shortest, nodes->size()));
  std::vector<std::uint64_t> addresses;
  for (const std::uint32_t node : *nodes) addresses.push_back(flow.groups[node].offset);
  TimedTasks result;
  if (auto loaded = result.load_groups(program, addresses); !loaded) return fail(std::move(loaded).error());
  result.assumed_ = std::make_shared<const Path>(result.path_of(addresses));
  result.threads_ = threads;
  result.instances_ = instances;
  result.count_ = threads / instances + (threads % instances != 0 ? 1 : 0);
  return result;
}

TimedTask TimedTasks::task(std::uint32_t number) {
  if (assumed_) return {std::min(instances_, threads_ - number * instances_), assumed_};
  const TaskOfRun& task = tasks_[number];
  return {task.instances, paths_of_run_.of(task.path_id, [&] { return path_of(run_->addresses(task.path_id)); })};
}

}  // namespace mobula::rogue
