// What people give by mistake, or hope to be understood: files that are not machine code of any machine here.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/export.h"
#include "mobula/isa/formats.h"

namespace mobula {

/// A kind of file, as a sentence names it, and what to do instead.
struct Foreign {
  std::string what;  ///< "a PNG picture"
  std::string hint;
  bool is_shader = false;  ///< the source of one, as text
};

/// What the bytes are, if they are not code. Judged by what stands at their start, and only by so much of it that no
/// code of a machine is taken for it.
MOBULA_INTERNAL std::optional<Foreign> foreign(std::span<const std::uint8_t> bytes);

/// Where a zip archive begins in the bytes: behind what was put before it, such as a program that unpacks it.
MOBULA_INTERNAL std::optional<std::size_t> zip_begin(std::span<const std::uint8_t> bytes);

/// Where the text ends that the bytes begin with, as far as is looked; their size if all of it is text.
std::size_t end_of_text(std::string_view text);
/// Valid UTF-8 without control characters but white space, in the first few kilobytes.
bool looks_like_text(std::string_view text);

}  // namespace mobula
