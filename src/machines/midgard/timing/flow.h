// Where a program can go: the words reachable from its entry and the ways between them, for the static estimate.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "machines/midgard/spec/codec.h"
#include "mobula/isa/program.h"
#include "timing/paths.h"

namespace mobula::midgard {

struct FlowWord {
  std::uint32_t position = 0;  ///< quadword
  Pipe pipe = Pipe::none;
};

struct Flow : PathGraph {
  std::vector<FlowWord> words;     ///< by node
  std::vector<std::string> notes;  ///< places where a thread would fault or where the way is unknown
};

/// Writeouts and waits for the tile buffer are taken to succeed at once (4.4). Linear in the size of the code, which
/// may hold any bytes: a branch may lead into the middle of another bundle.
Flow find_flow(const Program& program);

}  // namespace mobula::midgard
