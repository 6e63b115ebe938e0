// The laboratory's part of the machine's row.
#include "laboratory/laboratory.h"

#include <array>

#include "machines/afuc/run/emulator.h"
#include "machines/afuc/timing/timing.h"

namespace mobula::afuc {
namespace {

constexpr std::array<HelpText, 8> help{{
    {"info", "an Adreno"},
    {"info examples",
     "  mobula asm -m afuc examples/firmware.afuc -o own.fw && mobula info own.fw\n"
     "  mobula info -m afuc --find 'and $x, $memdata, 0xfff' examples/firmware.afuc\n"},
    {"diff examples",
     "  mobula asm -m afuc examples/firmware.afuc -o own.fw && mobula diff -m afuc examples/firmware.afuc own.fw\n"
     "  mobula diff -m afuc --json examples/firmware.afuc examples/firmware.afuc\n"},
    {"run examples", "  mobula run -m afuc:a630 examples/firmware.afuc --stream examples/stream.pm4\n"},
    {"debug examples", "  mobula debug -m afuc:a630 examples/firmware.afuc --stream examples/stream.pm4\n"},
    {"cfg examples",
     "  mobula cfg -m afuc --packet CP_MEM_WRITE examples/firmware.afuc | dot -Tsvg -o handler.svg\n"
     "  mobula cfg -m afuc --pseudo examples/firmware.afuc\n"},
    {"cfg --pseudo", "docs/afuc-view.md"},
    {"pm4 examples", "  mobula pm4 -m afuc:a530 --json examples/stream.pm4\n"},
}};

}  // namespace

const Laboratory& laboratory() {
  static const Laboratory row{.timing = &timing_model(), .emulator = create_emulator, .help = help};
  return row;
}

}  // namespace mobula::afuc
