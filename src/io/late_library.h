// Libraries of the system that are loaded when they are first wanted, because the command would start noticeably later
// with them.
#pragma once

#include <dlfcn.h>

namespace mobula {

/// One of them, until the program ends. Copies are of the same one.
class LateLibrary {
 public:
  /// As the linker of programs finds it: "libzip.so.4".
  explicit LateLibrary(const char* file)
      : handle_(dlopen(file, RTLD_NOW | RTLD_LOCAL)), complete_(handle_ != nullptr) {}

  /// Sets `function` to the one of that name, or to nothing.
  template <typename Function>
  void find(Function*& function, const char* name) {
    function = handle_ != nullptr ? reinterpret_cast<Function*>(dlsym(handle_, name)) : nullptr;
    complete_ = complete_ && function != nullptr;
  }

  /// Whether the library is there, and all functions that were asked for.
  [[nodiscard]] bool complete() const { return complete_; }

 private:
  void* handle_;
  bool complete_;
};

}  // namespace mobula
