// What the inputs of a run put into the registers of PowerVR Rogue before a program starts (docs/rogue-execution.md).
#pragma once

#include "laboratory/feeding.h"

namespace mobula::rogue {

/// Vertex inputs from attributes, coefficients from varyings, shared registers from uniform buffer 0, positions and
/// numbers of instances.
const Feeding& feeding();

}  // namespace mobula::rogue
