// The laboratory's part of the machine's row.
#include "laboratory/laboratory.h"

#include <array>

#include "machines/utgard_gp/relink/relink.h"
#include "machines/utgard_gp/run/feeding.h"
#include "machines/utgard_gp/schedule/schedule.h"
#include "machines/utgard_gp/timing/timing.h"

namespace mobula::utgard_gp {
namespace {

constexpr std::array<HelpText, 3> help{{
    {"schedule examples",
     "  mobula schedule -m utgard-gp examples/loop.vert.bin -o shorter.bin\n"
     "  mobula schedule -m utgard-gp --text --effort 1000 examples/loop.vert.bin\n"},
    {"schedule --expr", "docs/utgard-gp-scheduling.md"},
    {"relink examples", "  mobula relink examples/torus.vert.bin --uniform uColour=12 --json\n"},
}};

}  // namespace

const Laboratory& laboratory() {
  static const Laboratory row{.timing = &timing_model(),
                              .feeding = &feeding(),
                              .schedule = schedule,
                              .schedule_expressions = schedule_expressions,
                              .relink = relink,
                              .help = help};
  return row;
}

}  // namespace mobula::utgard_gp
