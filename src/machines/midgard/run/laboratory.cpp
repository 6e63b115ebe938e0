// The laboratory's part of the machine's row.
#include "laboratory/laboratory.h"

#include <array>

#include "machines/midgard/run/feeding.h"
#include "machines/midgard/timing/timing.h"

namespace mobula::midgard {
namespace {

constexpr std::array<HelpText, 8> help{{
    {"machine", "midgard:t860"},
    {"examples",
     "  mobula disasm -m midgard:t860 examples/checker.frag.bin\n"
     "  mobula isa midgard\n"},
    {"disasm examples",
     "  mobula disasm -m midgard:t860 examples/checker.frag.bin\n"
     "  mobula disasm -m midgard --bytes - < shader.hex\n"},
    {"asm examples",
     "  mobula asm -m midgard:t860 shader.asm -o shader.bin\n"
     "  mobula asm -m midgard --hex shader.asm\n"
     "  mobula disasm -m midgard a.bin | mobula asm -m midgard - -o b.bin\n"},
    {"check examples",
     "  mobula check -m midgard:t860 examples/checker.frag.bin\n"
     "  mobula check -m midgard shader.asm\n"
     "  mobula check -m midgard --json *.bin\n"},
    {"explain examples",
     "  mobula explain -m midgard 0x00000008 0x00000000 0x00000000 0x00000000\n"
     "  mobula explain -m midgard - < words.txt\n"
     "  mobula explain -m midgard --json 00000008 00000000 00000000 00000000\n"},
    {"isa examples",
     "  mobula isa midgard\n"
     "  mobula isa midgard fmul\n"},
    {"ir examples",
     "  mobula ir -m midgard:t860 examples/checker.frag.bin\n"
     "  mobula ir -m midgard shader.asm\n"
     "  mobula ir -m midgard --json shader.bin\n"},
}};

}  // namespace

const Laboratory& laboratory() {
  static const Laboratory row{.timing = &timing_model(), .feeding = &feeding(), .help = help};
  return row;
}

}  // namespace mobula::midgard
