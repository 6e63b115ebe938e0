// The text forms of a machine. A machine lists them in an array of its own type: a `syntax`, and what prints and parses
// it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "mobula/isa/machine.h"
#include "mobula/isa/result.h"

namespace mobula {

/// How the forms introduce themselves, in their order.
template <class Form, std::size_t N>
constexpr std::array<Syntax, N> syntaxes_of(const std::array<Form, N>& forms) {
  std::array<Syntax, N> all{};
  for (std::size_t i = 0; i < N; ++i) all[i] = forms[i].syntax;
  return all;
}

/// The form of that name, the first one for an empty name; nullptr if there is none.
template <class Form, std::size_t N>
const Form* find_form(const std::array<Form, N>& forms, std::string_view name) {
  if (name.empty()) return &forms.front();
  for (const Form& form : forms)
    if (form.syntax.name == name) return &form;
  return nullptr;
}

enum class TextDirection : std::uint8_t { print, parse };

/// Says that there is no such form to print or to read, and which ones there are.
inline Unexpected no_form(std::string_view code, std::string_view machine, std::span<const Syntax> syntaxes,
                          std::string_view name, TextDirection direction) {
  const bool parsing = direction == TextDirection::parse;
  std::string known;
  for (const Syntax& syntax : syntaxes)
    if (parsing ? syntax.parses : syntax.prints) known += (known.empty() ? "" : ", ") + std::string(syntax.name);
  return fail(std::string(code),
              std::string(machine) + " has no text form '" + std::string(name) + (parsing ? "' to read" : "' to print"),
              "available: " + known);
}

}  // namespace mobula
