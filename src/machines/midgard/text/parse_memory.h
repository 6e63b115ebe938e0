// Reading load/store and texture lines of the machine's own text form.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "machines/midgard/spec/spec.h"
#include "machines/midgard/text/line.h"

namespace mobula::midgard {

/// The texture operation a word names, op numbers included ("tex_op_6").
std::optional<TexMeaning> find_texture_name(std::string_view word);
/// Reads a load/store line; the next token is its first word. Returns the 60-bit instruction.
std::uint64_t parse_load_store(LineCursor& line);
/// Reads a texture line; the next token is its operation. Tag and next are those the line implies and 0.
Word128 parse_texture(LineCursor& line, const Product& product);

/// Words a misspelled line may have meant.
void offer_memory_names(Nearest& nearest);
/// True if the word begins a load/store operation's name.
bool begins_load_store(std::string_view word);

}  // namespace mobula::midgard
