#include "machines/utgard_gp/spec/names.h"

#include <algorithm>
#include <charconv>

#include "machines/utgard_gp/spec/spec.h"

namespace mobula::utgard_gp {
namespace {

/// What a comment says for everything that shares a number.
constexpr std::size_t longest_name = 60;

/// The number at the start of the text, at least 1.
unsigned leading_number(std::string_view text) {
  unsigned number = 1;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return std::clamp(number, 1U, memory_vec4s);
}

/// Names come from files; a line break in one must not end a comment.
void append_printable(std::string& text, std::string_view name) {
  for (const char letter : name.substr(0, longest_name)) text += letter >= ' ' && letter <= '~' ? letter : '?';
}

}  // namespace

unsigned vec4s_of(std::string_view type) {
  unsigned count = 1;
  if (const std::size_t matrix = type.find("mat"); matrix != std::string_view::npos)
    count = leading_number(type.substr(matrix + 3));
  for (std::size_t at = type.find('['); at != std::string_view::npos && count < memory_vec4s;
       at = type.find('[', at + 1))
    count = std::min(count * leading_number(type.substr(at + 1)), memory_vec4s);
  return count;
}

Names::Names(const Interface& interface)
    : attributes_(attribute_count), varyings_(varying_count), uniforms_(memory_vec4s) {
  add(attributes_, interface.inputs);
  add(varyings_, interface.outputs);
  add(uniforms_, interface.uniforms);
}

void Names::add(std::vector<std::string>& names, const std::vector<Variable>& variables) {
  for (const Variable& variable : variables) {
    if (variable.driver_location < 0 || variable.name.empty()) continue;
    const auto first = static_cast<std::size_t>(variable.driver_location);
    const unsigned count = vec4s_of(variable.type);
    for (unsigned i = 0; i < count && first + i < names.size(); ++i) {
      std::string& name = names[first + i];
      if (name.size() >= longest_name) continue;
      if (!name.empty()) name += '/';
      append_printable(name, variable.name);
      if (count > 1) name += '[' + std::to_string(i) + ']';
      known_ = true;
    }
  }
}

}  // namespace mobula::utgard_gp
