// The laboratory's part of the machine's row.
#include "machines/laboratory.h"

#include <array>

#include "machines/rogue/advise.h"
#include "machines/rogue/feeding.h"
#include "machines/rogue/timing.h"

namespace mobula::rogue {
namespace {

constexpr std::array<HelpText, 1> help{{
    {"time --advise", "Rogue"},
}};

}  // namespace

const Laboratory& laboratory() {
  static const Laboratory row{.timing = &timing_model(), .feeding = &feeding(), .advise = advise, .help = help};
  return row;
}

}  // namespace mobula::rogue
