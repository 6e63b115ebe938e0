#include "machines/midgard/run/feeding.h"

#include <string>

namespace mobula::midgard {
namespace {

/// Names of the reference's sections 1.4 and 1.5.
InitialState initial_state(const FedRun& run) {
  InitialState state;
  state.set_address(run.lifted, "LOCAL_STORAGE_PTR.x", "LOCAL_STORAGE_PTR.y", run.thread_local_address);
  state.set_address(run.lifted, "LOCAL_STORAGE_PTR.z", "LOCAL_STORAGE_PTR.w", run.workgroup_local_address);
  state.set_address(run.lifted, "PC_SP.z", "PC_SP.w", run.stack_address);
  if (!run.dispatch) return state;
  const auto add_ids = [&](const std::string& name, std::array<std::uint32_t, 3> Thread::*id) {
    for (std::size_t i = 0; i < 3; ++i)
      if (const ir::Slot* const slot = run.lifted.find_slot(name + "xyz"[i])) state.ids.push_back({slot->byte, id, i});
  };
  add_ids("LOCAL_THREAD_ID.", &Thread::local_id);
  add_ids("GROUP_ID.", &Thread::group_id);
  add_ids("GLOBAL_THREAD_ID.", &Thread::global_id);
  return state;
}

}  // namespace

/// Positions are stored in pixels, with 1/w (reference 4.5).
const Feeding& feeding() {
  static constexpr Feeding midgard{.initial_state = initial_state};
  return midgard;
}

}  // namespace mobula::midgard
