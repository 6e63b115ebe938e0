// What a machine offers in addition if its programs are firmware of command processors.
//
// Use: Machine::firmware_views() asks whether a machine has them. firmware_info.h, firmware_flow.h and firmware_diff.h
// have the same as functions of a program of any machine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mobula/isa/firmware_diff.h"
#include "mobula/isa/firmware_flow.h"
#include "mobula/isa/firmware_info.h"

namespace mobula::firmware {

/// Each function takes only programs of that machine.
struct Views {
  bool reads_pm4 = false;  ///< the packets of its command streams are those of pm4.h
  Result<Info> (*info)(const Program& program) = nullptr;
  Result<std::vector<Place>> (*find)(const Program& program, std::string_view pattern) = nullptr;
  Result<std::vector<Place>> (*instructions)(const Program& program) = nullptr;
  Result<Diff> (*diff)(const Program& old_program, const Program& new_program) = nullptr;
  Result<std::vector<FlowGraph>> (*flow)(const Program& program, const FlowSelection& selection) = nullptr;
  Result<std::string> (*pseudo)(const Program& program, const FlowSelection& selection) = nullptr;
};

}  // namespace mobula::firmware
