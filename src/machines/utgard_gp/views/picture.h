// Programs as a picture: a row a word, a column a unit, with the results on their way to later words.
#pragma once

#include <vector>

#include "mobula/isa/picture.h"
#include "mobula/isa/program.h"

namespace mobula::utgard_gp {

std::vector<Picture> pictures(const Program& program);

}  // namespace mobula::utgard_gp
