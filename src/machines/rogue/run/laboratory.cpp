// The laboratory's part of the machine's row.
#include "laboratory/laboratory.h"

#include <array>

#include "machines/rogue/merge/advise.h"
#include "machines/rogue/run/feeding.h"
#include "machines/rogue/timing/timing.h"

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
