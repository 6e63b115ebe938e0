// Bundles as a picture: the units of both stages, with the values that go from one stage to the other.
#pragma once

#include <vector>

#include "mobula/isa/picture.h"
#include "mobula/isa/program.h"

namespace mobula::midgard {

std::vector<Picture> pictures(const Program& program);

}  // namespace mobula::midgard
