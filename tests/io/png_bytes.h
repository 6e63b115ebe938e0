// PNG files as the bytes that are written.
#pragma once

#include "io/png.h"

namespace mobula::test {

inline Result<std::vector<std::uint8_t>> png_bytes(std::uint32_t width, std::uint32_t height,
                                                   std::span<const std::uint8_t> rgba, unsigned os_threads = 1) {
  std::vector<std::uint8_t> file;
  const auto written = io::write_png(width, height, rgba, os_threads, [&](std::span<const std::uint8_t> piece) {
    file.insert(file.end(), piece.begin(), piece.end());
  });
  if (!written) return fail(written.error());
  return file;
}

}  // namespace mobula::test
