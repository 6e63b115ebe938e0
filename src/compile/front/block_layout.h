// Blocks whose members GLSL leaves the implementation to place.
#pragma once

namespace glslang {
class TIntermediate;
}

namespace mobula::compile {

/// Gives blocks that are `shared` or `packed`, as all are that say nothing, the layout std140, which drivers give them,
/// too: without one SPIR-V does not say where members are.
void place_members_of_blocks(glslang::TIntermediate& shader);

}  // namespace mobula::compile
