// Interface blocks that have the name of a function, on which glslang crashes.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "mobula/isa/diagnostic.h"
#include "mobula/isa/program.h"

namespace mobula::compile {

/// Follows the texts of one shader; the first one tells the version. Conditions and macros are not looked at.
class BlockNames {
 public:
  explicit BlockNames(Stage stage) : stage_(stage) {}

  /// Takes a text. CO001 with the place of a name that is a block's and a function's.
  std::optional<Diagnostic> refuse(std::string_view file, std::string_view text);

 private:
  [[nodiscard]] bool is_built_in(const std::string& name) const;

  Stage stage_;
  std::optional<std::string> version_;  ///< the line that says it
  std::set<std::string, std::less<>> blocks_, functions_;
};

}  // namespace mobula::compile
