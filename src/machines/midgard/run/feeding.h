// What threads of Midgard programs start with: addresses of their memory and, in a dispatch, who they are.
#pragma once

#include "laboratory/feeding.h"

namespace mobula::midgard {

const Feeding& feeding();

}  // namespace mobula::midgard
