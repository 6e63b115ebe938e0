// The program's own names for what its words load and store by number, as its interface gives them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mobula/isa/program.h"

namespace mobula::utgard_gp {

/// vec4s that a variable of this GLSL type takes: one for every array element and matrix column. At least 1, at most
/// the whole memory.
unsigned vec4s_of(std::string_view type);

class Names {
 public:
  explicit Names(const Interface& interface);

  /// True if anything has a name.
  [[nodiscard]] bool known() const { return known_; }
  // Empty if the number has no name. Elements of arrays and columns of matrices are "name[i]"; variables that share a
  // number are separated by '/'. Names are printable and short whatever the interface says.
  [[nodiscard]] std::string_view attribute(unsigned number) const { return attributes_[number]; }
  [[nodiscard]] std::string_view varying(unsigned number) const { return varyings_[number]; }
  [[nodiscard]] std::string_view uniform(unsigned vec4) const { return uniforms_[vec4]; }

 private:
  void add(std::vector<std::string>& names, const std::vector<Variable>& variables);

  bool known_ = false;
  std::vector<std::string> attributes_, varyings_, uniforms_;
};

}  // namespace mobula::utgard_gp
