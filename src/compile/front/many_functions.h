// Shaders of many functions, on their way through glslang.
#pragma once

namespace glslang {
class TIntermediate;
}  // namespace glslang

namespace mobula::compile {

/// glslang compares each call with each function and with each other call when it links, to find functions that call
/// themselves, or are not there, and those that nothing calls, which it drops. Where there are many calls and neither
/// of the first two, this drops the last, and makes it forget all calls. \return whether it has done so: then it is to
/// be told to keep what is not called.
bool settle_many_calls(glslang::TIntermediate& tree);

}  // namespace mobula::compile
