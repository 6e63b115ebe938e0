// Firmware as a picture: which packets its programs take, and where.
#pragma once

#include <vector>

#include "mobula/isa/picture.h"
#include "mobula/isa/program.h"

namespace mobula::afuc {

std::vector<Picture> pictures(const Program& program);

}  // namespace mobula::afuc
