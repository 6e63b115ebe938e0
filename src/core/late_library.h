// Libraries that are loaded when they are first wanted: plug-ins, and those of the system with which the command would
// start noticeably later.
#pragma once

#include <dlfcn.h>

#include <string>

namespace mobula {

/// One of them, until the program ends.
class LateLibrary {
 public:
  /// A path, or as the linker of programs finds it: "libzip.so.4".
  explicit LateLibrary(const char* file) : handle_(dlopen(file, RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) error_ = dlerror();
  }

  /// Sets `function` to the one of that name, or to nothing.
  template <typename Function>
  void find(Function*& function, const char* name) {
    function = handle_ != nullptr ? reinterpret_cast<Function*>(dlsym(handle_, name)) : nullptr;
    if (function == nullptr && error_.empty()) error_ = dlerror();
  }

  /// Why it, or the first function that it lacks, could not be had, in the words of the system; empty if all was there.
  [[nodiscard]] const std::string& error() const { return error_; }

 private:
  void* handle_;
  std::string error_;
};

}  // namespace mobula
