// The machine's own text form ("mdg"): parser. The grammar is docs/midgard-text.md.
#pragma once

#include <array>
#include <string_view>

#include "mobula/isa/machine.h"

namespace mobula::midgard {

/// What a line that begins with a dot may say.
struct Directive {
  std::string_view name, arguments, meaning;
};
inline constexpr std::array directives{
    Directive{"quad", "WORD WORD WORD WORD", "sixteen bytes, as four words of 8 hexadecimal digits or expressions"},
    Directive{"byte", "VALUE, ...", "bytes; code that follows starts at a multiple of 16"},
    Directive{"equ", "NAME, VALUE", "a named constant, for use below"},
    Directive{"gpu", "NAME", "the product, by name or number: t860 or 0x860; before all code"},
    Directive{"entry", "LABEL", "where the program begins, a label or a byte offset"},
    Directive{"stage", "STAGE", "what the program is: vertex, fragment or compute"},
    Directive{"work", "COUNT", "how many work registers the program announces"},
    Directive{"uniforms", "COUNT", "how many uniform registers it announces"},
    Directive{"first_tag", "TAG", "the tag of the first bundle, if it is not that of the entry"},
};

/// Reads what print_mdg writes, and what people write with labels, constants and expressions.
Result<Program> parse_mdg(const SourceText& source, const AssembleOptions& options);

}  // namespace mobula::midgard
