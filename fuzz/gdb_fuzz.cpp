// Any bytes from GDB, cut anywhere: all of them are answered or passed over, and the program goes on being stepped. The
// first byte says where they are cut.
#include <algorithm>
#include <cstdlib>
#include <string>

#include "fuzz/target.h"
#include "mobula/isa/machine.h"
#include "servers/gdb_session.h"

using namespace mobula;

namespace {

struct GdbProgram {
  Program program;
  ir::Program lifted;
};

/// A loop, a branch and a load that faults.
const GdbProgram& gdb_program() {
  static const GdbProgram made = [] {
    const Machine& machine = *find_machine("midgard");
    GdbProgram both;
    both.program = *machine.assemble({"loop.mdg",
                                      "L:\n{\n  sadd.FADD.f32 R0.x, R0.x, #1\n  smul.FCMP.lt.i32 COND.w, R0.x, #9\n"
                                      "  brx.cond.true L\n}\n{\n  LD.32 R1.x~~~, AL0.u64.x\n}\n"},
                                     {});
    both.lifted = *machine.lift(both.program, {});
    return both;
  }();
  return made;
}

}  // namespace

FUZZ_TARGET(gdb_fuzz) {
  const GdbProgram& both = gdb_program();
  RunInputs inputs;
  inputs.threads = 3;
  inputs.memory.push_back({0x1000, {1, 2, 3, 4}});
  servers::GdbSession session(both.program, both.lifted,
                              std::move(*Debugger::create(both.program, both.lifted, inputs)));
  const std::size_t piece = size == 0 ? 1 : 1 + data[0] % 64;
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  // Packets are rare in random bytes: lines become some, with their sum.
  std::string framed;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = std::min(bytes.find('\n', at), bytes.size());
    framed += end < bytes.size() ? servers::gdb_packet(bytes.substr(at, end - at)) : std::string(bytes.substr(at));
    at = end + 1;
  }
  constexpr std::size_t most_answers = 500;
  std::size_t answers = 0;
  for (std::size_t at = 0; at < framed.size() && !session.over(); at += piece) {
    session.feed(std::string_view(framed).substr(at, piece));
    while (session.answer())
      if (++answers > most_answers) return 0;
    if (session.running()) (void)session.work();
  }
  return 0;
}
