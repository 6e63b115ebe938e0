// Programs in zip archives, such as APKs.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "mobula/isa/formats.h"

namespace mobula {

/// Whether the bytes are a zip archive that this build can open: with libzip.
bool is_readable_archive(std::span<const std::uint8_t> bytes);

/// The programs of the entries that tell by themselves that they hold some: chunk trees and firmware, as they
/// are or after a header. FM051: there are none; FM052: the archive is damaged.
Result<std::vector<CodeImage>> read_archive(std::span<const std::uint8_t> bytes, std::string_view file);

}  // namespace mobula
