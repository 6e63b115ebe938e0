// How much a test tries where more is only more of the same.
#pragma once

namespace mobula::test {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif
#else
inline constexpr bool sanitized = false;
#endif

/// Sanitizers find what they find in few runs, and make each several times as long.
constexpr unsigned trials(unsigned count) { return sanitized ? count / 8 + 1 : count; }

}  // namespace mobula::test
