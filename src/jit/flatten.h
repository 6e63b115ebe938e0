// Object files to code that runs wherever it is put.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "execute/native.h"

namespace mobula::jit {

/// Joins the sections of a relocatable ELF object that are needed to run. An empty string, or what keeps it from being
/// independent of its place.
std::string flatten(std::span<const std::uint8_t> object, std::string_view entry, native::Code& code);

}  // namespace mobula::jit
