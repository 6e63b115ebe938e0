// Pixels of pictures as the numbers that files want.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "mobula/lab/run.h"

namespace mobula::io {

/// Of covered pixels, components from this one on are 0, and alpha 1: a number, or where colours are integers one.
void fill_open_components(ImageResult& image, unsigned components, bool are_integers);

/// Only the bytes of the colours were kept.
bool has_bytes(const ImageResult& image);
/// As mobula::to_rgba8(), of the pixels from `first` on that `rgba` has room for.
void to_rgba8(const ImageResult& image, ColourFormat format, std::size_t first, std::span<std::uint8_t> rgba);
/// The colour of a pixel as four binary32 numbers, or the background.
RunVec4 numbers_of(const ImageResult& image, std::size_t pixel, ColourFormat format);

}  // namespace mobula::io
