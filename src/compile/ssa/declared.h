// What a module declares, before anything that is not read is taken out of it.
#pragma once

#include <string>
#include <vector>

#include "compile/front/shader.h"
#include "mobula/isa/program.h"

namespace mobula::ssa {

/// Variables and blocks that programs are given by name, at no place in them.
struct Declared {
  std::vector<mobula::Variable> inputs, uniforms;
  std::vector<std::string> ubo_blocks, ssbo_blocks;  ///< "lights", "lights[1]"
};
Declared declared_in(const compile::Spirv& module);

/// Adds those that the interface does not have: who gives values by name gives these, too, whatever the code reads.
void add_unread(const Declared& declared, Interface& interface);

}  // namespace mobula::ssa
