// The groups of the machine for the operations of the form. What is a vector there is registers here, one a component.
#pragma once

#include "machines/rogue/compile/code.h"
#include "machines/rogue/compile/flow.h"
#include "machines/rogue/compile/layout.h"

namespace mobula::rogue_compiler {

/// `program` has been lowered to what native() of the back end says. Throws CannotDo.
Code select(const ssa::Program& program, const Layout& layout, const Flow& flow);

/// The place where a block begins that has to be marked.
inline std::uint32_t label_of(std::uint32_t block) { return 2 * block; }
/// The same behind what chooses the instances that go through it.
inline std::uint32_t label_inside(std::uint32_t block) { return 2 * block + 1; }

}  // namespace mobula::rogue_compiler
