// How large a text becomes when its macros are replaced, told before anything replaces them.
#pragma once

#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mobula/isa/diagnostic.h"

namespace mobula::compile {

/// Follows the texts of one shader. Conditions are not looked at: of several definitions of a macro the largest counts,
/// wherever it stands. Macros that lead back to themselves count once.
class TextSize {
 public:
  /// Takes a text with its macros, and adds it to what there is. CO004 with the place where it becomes too much: more
  /// than 500,000 tokens, or parentheses that nest more than 1,000 deep.
  std::optional<Diagnostic> refuse(std::string_view file, std::string_view text);

 private:
  struct Macro {
    std::vector<std::string_view> body;
    bool has_arguments = false;
    double uses = 1;  ///< how often the argument that is used most stands in the body
  };
  struct Excess {
    std::string_view at;  ///< in the text
    bool nests = false;   ///< too deep; else too long
  };

  void define(const std::vector<std::string_view>& directive);
  double weight(std::string_view name);
  double measure(const std::vector<std::string_view>& tokens, std::optional<Excess>* excess);

  std::list<std::string> texts_;  // the macros are pieces of them
  std::multimap<std::string_view, Macro> macros_;
  std::map<std::string_view, double> weights_;
  double total_ = 0;
};

}  // namespace mobula::compile
