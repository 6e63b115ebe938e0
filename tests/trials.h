// How much a test tries where more is only more of the same.
#pragma once

#include <dlfcn.h>

#include "paths.h"

namespace mobula::test {

/// Whether the libraries are built with sanitizers. The test programs are those of a build without: .ci/run compiles
/// them once.
inline const bool sanitized = dlsym(RTLD_DEFAULT, "__asan_init") != nullptr;

/// All of them where MOBULA_WHOLE asks for it, otherwise a third. Sanitizers find what they find in few runs, and make
/// each several times as long.
inline unsigned trials(unsigned count) {
  if (sanitized) return count / 8 + 1;
  return whole() ? count : count / 3 + 1;
}

}  // namespace mobula::test
