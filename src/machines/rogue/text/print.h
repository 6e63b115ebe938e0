// The native text of Rogue (docs/rogue-text.md), printed: that never fails, and what is printed assembles to the same
// bytes.
#pragma once

#include "core/export.h"
#include "machines/rogue/text/pieces.h"

namespace mobula::rogue {

MOBULA_INTERNAL PrintGroups print(const Program& program, const Labels& labels);

/// ".byte 0x12, 0x34  // why" for bytes that are not a group.
char* put_raw(char* out, const Program& program, std::uint32_t offset, std::uint32_t size, std::string_view why);

}  // namespace mobula::rogue
