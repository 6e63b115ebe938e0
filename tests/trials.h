// How much a test tries where more is only more of the same.
#pragma once

namespace mobula::test {

#ifdef MOBULA_SANITIZED
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

/// Sanitizers find what they find in few runs, and make each several times as long.
constexpr unsigned trials(unsigned count) { return sanitized ? count / 8 + 1 : count; }

}  // namespace mobula::test
