// Texture sampling (reference 3.9, 4.8, 5.7).
//
// What the words of texture and sampler state mean is not published, and a run has textures by number: the register
// that begins the state says which one. State at sh 4 n means texture (sampler) n.
#pragma once

#include <string>

#include "machines/rogue/lift/group.h"

namespace mobula::rogue::lifting {

/// smp1d, smp2d, smp3d.
void lift_sample(GroupContext& context, const Item& item);
/// itrsmp1d, itrsmp2d, itrsmp3d.
void lift_iterate_and_sample(GroupContext& context, const Item& item);

/// Why a sample cannot be executed; empty if it can.
std::string sample_fault(const Group& group, const Item& item, const Settings& settings, const State& state);
std::string iterate_and_sample_fault(const Group& group, const Item& item, const State& state);

}  // namespace mobula::rogue::lifting
