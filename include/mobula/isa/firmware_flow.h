// The functions and packet handlers of Adreno firmware as graphs and as pseudo-code; docs/afuc-view.md explains both.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mobula/export.h"
#include "mobula/isa/flow.h"
#include "mobula/isa/program.h"
#include "mobula/isa/result.h"

namespace mobula::firmware {

/// Which functions are meant.
struct FlowSelection {
  std::string core;   ///< "BR"; empty = every program of the image
  std::string place;  ///< "CP_NOP", "fxn120", "l12", "SQE", or a word of its program: "0x20"; empty = all
};

/// In order of address. Fails (AF170) if nothing has that name, and (AF171) if there is too much to show.
MOBULA_API Result<std::vector<FlowGraph>> flow(const Program& program, const FlowSelection& selection);

/// One listing of all of them.
MOBULA_API Result<std::string> pseudo(const Program& program, const FlowSelection& selection);

}  // namespace mobula::firmware
