// Groups as a picture: slots, phases, feedthroughs, ports and back end.
#pragma once

#include <vector>

#include "mobula/isa/picture.h"
#include "mobula/isa/program.h"

namespace mobula::rogue {

std::vector<Picture> pictures(const Program& program);

}  // namespace mobula::rogue
