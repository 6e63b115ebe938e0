// How much a test tries where more is only more of the same.
#pragma once

#include <dlfcn.h>

namespace mobula::test {

/// Whether the libraries are built with sanitizers. The test programs are those of a build without: .ci/run compiles
/// them once.
inline const bool sanitized = dlsym(RTLD_DEFAULT, "__asan_init") != nullptr;

/// Sanitizers find what they find in few runs, and make each several times as long.
inline unsigned trials(unsigned count) { return sanitized ? count / 8 + 1 : count; }

}  // namespace mobula::test
