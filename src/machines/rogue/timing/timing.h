// How long groups of Rogue take (reference 6). The model is explained in docs/rogue-timing.md.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "machines/rogue/spec/codec.h"
#include "mobula/lab/timing.h"
#include "timing/paths.h"

namespace mobula::rogue {

const TimingModel& timing_model();

/// What works for a task, in the order of Estimate::pipes. Groups are issued; what they order from the other three
/// arrives later.
enum class Server : std::uint8_t { issue, iterator, memory, texture };
inline constexpr std::size_t server_count = 4;

/// What timing has to know of a group.
struct TimedGroup {
  std::uint32_t offset = 0;  ///< of its first byte
  std::uint8_t size = 0;     ///< in bytes, padding included
  std::uint8_t repeat = 1;
  Server server = Server::issue;  ///< that it orders something from; issue = none
  std::uint8_t amount = 0;        ///< values, words or samples an instance orders
  int counter = -1;               ///< fence counter that counts the order, or that is waited for
  bool waits = false;             ///< until the counter is 0: before the group, or with an order after it
  bool waits_for_output = false;  ///< wop
  bool branches = false;
  bool counted_in_register = false;  ///< the amount is not known and taken to be 1
  bool raw = false;                  ///< bytes that are not a group
};
TimedGroup timed_group(const Group& group);

/// Node i is groups[i]; node 0 is the entry. Only what the entry reaches is there.
struct Flow : PathGraph {
  std::vector<TimedGroup> groups;
  std::uint32_t calls = 0;         ///< branches that come back; what they call is not on any way
  std::vector<std::string> notes;  ///< places where a way leads nowhere, the first few
};
Flow find_flow(const Program& program);

/// The pipes with the cycles that parameters give a full task.
std::vector<TimingPipe> timing_pipes(std::span<const TimingParameter> parameters);

/// Registers of an instance that a program touches: r and vi, and the shared ones, each up to the highest.
struct RegisterUse {
  std::uint32_t temporaries = 0, vertex_inputs = 0, shared = 0;
};
RegisterUse register_use(const Program& program);
/// Tasks a cluster holds of a program.
std::uint32_t resident_tasks(const RegisterUse& use, std::span<const TimingParameter> parameters);

Result<SimulationReport> simulate(const Program& program, const SimulationRequest& request);

}  // namespace mobula::rogue
