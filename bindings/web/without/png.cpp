// WebAssembly has no libpng: a page reads and draws pictures by means of the browser.
#include "io/png.h"

#include <string>

namespace mobula::io {

Result<Pixels> read_png(std::span<const std::uint8_t>, std::string_view name) {
  return fail("TX001", std::string(name) + ": this build reads no PNG files");
}

Result<std::vector<std::uint8_t>> write_png(std::uint32_t, std::uint32_t, std::span<const std::uint8_t>, unsigned) {
  return fail("TX003", "this build writes no PNG files");
}

}  // namespace mobula::io
