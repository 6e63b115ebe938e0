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

/// While it exists, the parser compares a call with none of those before it, if they are many. It keeps then what is
/// called more than once as often.
class UncomparedCall {
 public:
  explicit UncomparedCall(glslang::TIntermediate& tree);
  ~UncomparedCall();
  UncomparedCall(const UncomparedCall&) = delete;
  UncomparedCall& operator=(const UncomparedCall&) = delete;

 private:
  glslang::TIntermediate& tree_;
  bool is_needed_;
};

}  // namespace mobula::compile
