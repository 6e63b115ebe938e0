// The laboratory's part of the machine's row.
#include "laboratory/laboratory.h"

#include <array>

#include "machines/midgard/run/feeding.h"
#include "machines/midgard/timing/timing.h"

namespace mobula::midgard {
namespace {

constexpr std::array<HelpText, 9> help{{
    {"machine", "midgard:t860"},
    {"examples",
     "  mobula disasm -m midgard:t860 examples/checker.frag.bin\n"
     "  mobula isa midgard\n"},
    {"disasm examples",
     "  mobula disasm -m midgard:t860 examples/checker.frag.bin\n"
     "  mobula asm -m midgard examples/brighten.frag.mdg --hex | mobula disasm -m midgard --bytes -\n"},
    {"compile examples",
     "  mobula compile examples/ripple.frag -m midgard:t860 -o ripple.bin\n"
     "  mobula compile examples/ripple.frag -m midgard:t860 --explain-cost\n"},
    {"asm examples",
     "  mobula asm -m midgard examples/brighten.frag.mdg -o brighten.bin\n"
     "  mobula asm -m midgard --hex examples/brighten.frag.mdg\n"
     "  mobula disasm examples/checker.frag.bin | mobula asm -m midgard - -o checker.bin\n"},
    {"check examples",
     "  mobula check -m midgard:t860 examples/checker.frag.bin\n"
     "  mobula check -m midgard examples/brighten.frag.mdg\n"
     "  mobula check --json examples/checker.frag.bin examples/waves.frag.bin\n"},
    {"explain examples",
     "  mobula explain -m midgard 0x00000008 0x00000000 0x00000000 0x00000000\n"
     "  mobula explain -m midgard - < examples/words.hex\n"
     "  mobula explain -m midgard --json 00000008 00000000 00000000 00000000\n"},
    {"isa examples",
     "  mobula isa midgard\n"
     "  mobula isa midgard fmul\n"},
    {"ir examples",
     "  mobula ir -m midgard:t860 examples/checker.frag.bin\n"
     "  mobula ir -m midgard examples/brighten.frag.mdg\n"
     "  mobula ir --json examples/waves.frag.bin\n"},
}};

}  // namespace

const Laboratory& laboratory() {
  static const Laboratory row{.timing = &timing_model(), .feeding = &feeding(), .help = help};
  return row;
}

}  // namespace mobula::midgard
