// What keeps track of constants while glslang writes SPIR-V.
#pragma once

namespace mobula::compile {

/// Must be called before glslang writes a module, in the thread that does.
void begin_writing();

}  // namespace mobula::compile
