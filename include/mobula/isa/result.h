// Result<T>: a value or the diagnostics that explain why there is none. Member names are std::expected's.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "mobula/isa/diagnostic.h"

namespace mobula {

/// Tag that turns diagnostics into a failed Result.
struct Unexpected {
  Diagnostics diagnostics;
};

/// A failed Result with one error and no location.
inline Unexpected fail(std::string code, std::string message, std::string hint = {}) {
  return Unexpected{{Diagnostic{Severity::error, std::move(code), {}, std::move(message), std::move(hint)}}};
}
inline Unexpected fail(Diagnostic diagnostic) { return Unexpected{{std::move(diagnostic)}}; }
inline Unexpected fail(Diagnostics diagnostics) { return Unexpected{std::move(diagnostics)}; }

/// A value, or at least one error. Calling value() on a failed result (or error() on a good one) is a
/// programming error and undefined; test has_value() first.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT(google-explicit-constructor)
  Result(Unexpected error)                                               // NOLINT(google-explicit-constructor)
      : state_(std::in_place_index<1>, std::move(error.diagnostics)) {}

  [[nodiscard]] bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& value() & { return *std::get_if<0>(&state_); }
  const T& value() const& { return *std::get_if<0>(&state_); }
  T&& value() && { return std::move(*std::get_if<0>(&state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return std::get_if<0>(&state_); }
  const T* operator->() const { return std::get_if<0>(&state_); }

  Diagnostics& error() & { return *std::get_if<1>(&state_); }
  const Diagnostics& error() const& { return *std::get_if<1>(&state_); }
  Diagnostics&& error() && { return std::move(*std::get_if<1>(&state_)); }

  template <class U>
  T value_or(U&& other) const& {
    return has_value() ? value() : static_cast<T>(std::forward<U>(other));
  }

 private:
  std::variant<T, Diagnostics> state_;
};

/// Success without a value, or diagnostics.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Unexpected error)
      : error_(std::move(error.diagnostics)), failed_(true) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool has_value() const { return !failed_; }
  explicit operator bool() const { return has_value(); }
  Diagnostics& error() & { return error_; }
  const Diagnostics& error() const& { return error_; }
  Diagnostics&& error() && { return std::move(error_); }

 private:
  Diagnostics error_;
  bool failed_ = false;
};

}  // namespace mobula
