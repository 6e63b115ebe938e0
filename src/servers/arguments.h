// Arguments of a request, or parameters of a method, read with errors that name the member.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mobula/isa/result.h"
#include "servers/json.h"

namespace mobula::servers {

/// Thrown by a handler: the request's answer is this error.
struct Refusal {
  std::string message;
};

/// The value, or a refusal that says why there is none.
template <class T>
T value_or_refusal(Result<T> result) {
  if (!result) {
    const Diagnostic& first = result.error().front();
    throw Refusal{first.hint.empty() ? first.message : first.message + " (" + first.hint + ')'};
  }
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

/// A JSON object; what is none has no members.
class Arguments {
 public:
  explicit Arguments(const Json& object) : object_(object) {}

  [[nodiscard]] std::string text(std::string_view name) const;
  [[nodiscard]] std::string text_or(std::string_view name, std::string fallback) const;
  [[nodiscard]] std::int64_t integer(std::string_view name) const;
  [[nodiscard]] std::int64_t integer_or(std::string_view name, std::int64_t fallback) const;
  [[nodiscard]] bool flag_or(std::string_view name, bool fallback) const;
  /// Empty if there is none.
  [[nodiscard]] std::vector<Arguments> list(std::string_view name) const;
  /// Without members if there is none.
  [[nodiscard]] Arguments object(std::string_view name) const;
  /// The same, where there must be one.
  [[nodiscard]] Arguments required(std::string_view name) const;
  [[nodiscard]] const Json& json() const { return object_; }

 private:
  [[nodiscard]] const Json* find(std::string_view name) const;

  const Json& object_;
};

}  // namespace mobula::servers
