// How glslang reads texts, and tells where errors are: it knows columns, and its log has none.
#pragma once

#include <string_view>

namespace mobula::compile {

/// Stands in a log between a file's name and a column.
inline constexpr char before_column = '\x01';

/// What is told of a macro that cannot be replaced begins with this; why follows.
inline constexpr std::string_view macro_not_replaced = "the macro cannot be replaced here: ";
/// Of a call of what is called as no function is.
inline constexpr std::string_view no_function = "there is no function of this name";
/// Of a name where a type must stand.
inline constexpr std::string_view no_type = "is neither a type nor a keyword";
/// Of a quotation, which is left out.
inline constexpr std::string_view no_quotations = "unexpected token; GLSL has no quotations";
inline constexpr std::string_view arguments_without_end = "its arguments do not end";

/// To be called in front of each text that this thread parses: what the last one ended in is forgotten.
void begin_reading();

/// While one is there, this thread's parser tells columns: "file\x01" "7:3" is the seventh of line 3.
class TellsColumns {
 public:
  TellsColumns();
  ~TellsColumns();
  TellsColumns(const TellsColumns&) = delete;
  TellsColumns& operator=(const TellsColumns&) = delete;
};

}  // namespace mobula::compile
