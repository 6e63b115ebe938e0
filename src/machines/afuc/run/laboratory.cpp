// The laboratory's part of the machine's row.
#include "laboratory/laboratory.h"

#include <array>

#include "machines/afuc/run/emulator.h"
#include "machines/afuc/timing/timing.h"

namespace mobula::afuc {
namespace {

constexpr std::array<HelpText, 5> help{{
    {"info", "an Adreno"},
    {"diff examples", "  mobula diff -m afuc old.asm new.fw\n"},
    {"cfg examples", "  mobula cfg -m afuc --packet CP_MEM_WRITE examples/firmware.afuc | dot -Tsvg -o handler.svg\n"},
    {"cfg --pseudo", "docs/afuc-view.md"},
    {"pm4 examples", "  mobula pm4 -m afuc:a530 --json clear.bin\n"},
}};

}  // namespace

const Laboratory& laboratory() {
  static const Laboratory row{.timing = &timing_model(), .emulator = create_emulator, .help = help};
  return row;
}

}  // namespace mobula::afuc
