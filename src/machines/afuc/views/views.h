// What people ask about whole firmware: implements firmware_views.h for programs of this machine.
#pragma once

#include "mobula/isa/firmware_views.h"

namespace mobula::afuc::views {

Result<firmware::Info> info(const Program& program);
Result<std::vector<firmware::Place>> find(const Program& program, std::string_view pattern);
Result<std::vector<firmware::Place>> instructions(const Program& program);
Result<firmware::Diff> diff(const Program& old_program, const Program& new_program);
Result<std::vector<FlowGraph>> flow(const Program& program, const firmware::FlowSelection& selection);
Result<std::string> pseudo(const Program& program, const firmware::FlowSelection& selection);

}  // namespace mobula::afuc::views
