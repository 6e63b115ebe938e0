// Places in the texts of a shader, of which glslang's tree and SPIR-V know a name or a line.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "compile/front/glsl_messages.h"
#include "compile/front/tokens.h"
#include "core/source.h"

namespace mobula::compile {

class ShaderText {
 public:
  /// `preprocessed` is what the preprocessor leaves of the text of `file`, on the same lines; empty where that is not
  /// known.
  ShaderText(std::string_view file, const NamedTexts& texts, std::string_view preprocessed);

  ShaderText(const ShaderText&) = delete;  // it points into itself
  ShaderText& operator=(const ShaderText&) = delete;

  [[nodiscard]] std::string_view preprocessed() const { return preprocessed_; }
  /// Where a name is declared outside of functions: there, or at the first word of the line in which a macro makes it.
  /// No line where it is not found.
  [[nodiscard]] Location declaration_of(std::string_view name) const;
  /// The directive; the first line of a text that has none.
  [[nodiscard]] Location version() const;
  /// A place of which only the line is known, with the line, from its first word on; as it is where that may be
  /// another line.
  [[nodiscard]] Location with_line(const Location& where) const;

 private:
  struct Text {
    Text(std::string_view file, std::string_view text) : source(file, text), words(text) {}
    Source source;
    FirstWords words;
  };

  [[nodiscard]] Location line(std::size_t number) const;

  std::string file_;
  NamedTexts texts_;
  std::string preprocessed_;
  bool has_own_lines_ = true;  ///< what is said to be a line of the file is one
  std::map<std::string_view, Text> known_;
  Source left_;       ///< the preprocessed text
  FirstWords words_;  ///< of it
};

}  // namespace mobula::compile
