// What cores have: registers, and the options of some of them. A group that names what its core lacks has bytes, but
// no text that makes them: the assembler refuses it, a listing shows its bytes, and it stops where it is executed.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/export.h"
#include "machines/rogue/spec/codec.h"
#include "mobula/isa/program.h"

namespace mobula::rogue {

inline constexpr std::string_view usual_variant = "usc";
/// The variant of a program that may name none.
inline std::string_view variant_of(const Program& program) {
  return program.variant.empty() ? usual_variant : std::string_view(program.variant);
}
/// Cores that issue a complex operation in phase 1 beside one in phase 0, an option that the instruction set leaves
/// open.
inline constexpr std::string_view complex_p1_variant = "complex-p1";
/// No core: executes what has no published encoding, too (text/text_only.h), and has all options.
inline constexpr std::string_view model_variant = "model";
constexpr bool has_complex_in_p1(std::string_view variant) {
  return variant == complex_p1_variant || variant == model_variant;
}

/// What rules a group out, and the code of the rule that says so.
struct Refusal {
  std::string_view code;
  std::string found;
  std::optional<unsigned> slot = {}, port = {};  ///< whose register it is
};
/// Nothing for groups that cores of the variant have. Precondition: not raw.
MOBULA_INTERNAL std::optional<Refusal> refusal_of(const Group& group, std::string_view variant);

}  // namespace mobula::rogue
