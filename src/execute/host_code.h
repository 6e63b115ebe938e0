// Code of the host in memory where it can run, and the plug-in that makes it.
#pragma once

#include <cstddef>
#include <string>

#include "execute/native.h"

namespace mobula::native {

/// The compiler of the plug-in mobula-jit, or nullptr and why there is none. Loaded at the first call.
const Compiler* find_compiler(std::string& reason);
/// What tells one build of the plug-in from another, without loading it; empty where there is none.
std::string compiler_identity();

class HostCode {
 public:
  explicit HostCode(const Code& code);
  ~HostCode();
  HostCode(const HostCode&) = delete;
  HostCode& operator=(const HostCode&) = delete;

  /// Nothing if the system gives no memory that can be executed.
  [[nodiscard]] Entry entry() const { return entry_; }

 private:
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
  Entry entry_ = nullptr;
};

}  // namespace mobula::native
