// Any bytes as a PNG: an error, or pixels that become a texture with all its levels and are written and read back
// unchanged. seeds: examples/*.png
#include <cstdlib>

#include "fuzz/target.h"
#include "io/png_bytes.h"
#include "io/texture.h"

using namespace mobula;

FUZZ_TARGET(picture_fuzz) {
  const auto pixels = io::read_png({data, size}, "input");
  if (!pixels) {
    if (!has_errors(pixels.error())) std::abort();
    return 0;
  }
  if (std::uint64_t{pixels->width} * pixels->height > 1u << 16) return 0;
  auto texture = io::make_texture(*pixels);
  if (!texture || !io::generate_levels(*texture)) std::abort();
  if (pixels->component_bits != 8) return 0;
  const auto file = test::png_bytes(pixels->width, pixels->height, pixels->bytes);
  if (!file) std::abort();
  const auto back = io::read_png(*file, "output");
  if (!back || back->bytes != pixels->bytes) std::abort();
  return 0;
}
