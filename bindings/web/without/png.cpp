// WebAssembly has no libpng, which needs setjmp. The page draws what it shows itself.
#include "io/png.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <string>

#define STBI_ONLY_PNG
#define STBI_NO_STDIO
#define STBI_NO_HDR
#define STBI_NO_LINEAR
#define STBI_NO_SIMD
#define STBI_NO_THREAD_LOCALS
#define STBI_ASSERT(is) ((is) ? void() : std::abort())
#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Weverything"
#include <stb/stb_image.h>
#pragma clang diagnostic pop

namespace mobula::io {
namespace {

std::uint32_t big_endian(std::span<const std::uint8_t> bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 | bytes[3];
}

std::uint32_t crc_of(std::span<const std::uint8_t> bytes) {
  std::uint32_t crc = ~0u;
  for (const std::uint8_t byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xEDB88320u : 0);
  }
  return ~crc;
}

/// What the library below takes as it is: whether each chunk's sum is that of its bytes, up to the last chunk.
bool has_right_sums(std::span<const std::uint8_t> file) {
  constexpr std::size_t signature = 8, around = 12;
  if (file.size() < signature) return false;
  file = file.subspan(signature);
  while (file.size() >= around) {
    const std::uint32_t length = big_endian(file);
    if (length > file.size() - around) return false;
    const auto chunk = file.subspan(4, std::size_t{length} + 4);  // its type, and its data
    if (crc_of(chunk) != big_endian(file.subspan(8 + length))) return false;
    if (std::ranges::equal(chunk, std::array{'I', 'E', 'N', 'D'})) return true;
    file = file.subspan(around + length);
  }
  return false;
}

}  // namespace

Result<Pixels> read_png(std::span<const std::uint8_t> file, std::string_view name) {
  const auto unreadable = [&](const std::string& why) {
    return fail("TX001", std::string(name) + ": not a readable PNG: " + why);
  };
  const auto size = static_cast<int>(file.size());
  int width = 0, height = 0, channels = 0;
  if (stbi_info_from_memory(file.data(), size, &width, &height, &channels) == 0)
    return unreadable(stbi_failure_reason());
  if (!is_possible_image(static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height)))
    return fail("TX002", std::string(name) + ": more than " + std::to_string(texel_limit) + " pixels");
  if (!has_right_sums(file)) return unreadable("the file is damaged, or ends too early");
  const bool is_deep = stbi_is_16_bit_from_memory(file.data(), size) != 0;
  const std::unique_ptr<void, decltype(&stbi_image_free)> pixels(
      is_deep ? static_cast<void*>(stbi_load_16_from_memory(file.data(), size, &width, &height, &channels, 4))
              : stbi_load_from_memory(file.data(), size, &width, &height, &channels, 4),
      stbi_image_free);
  if (pixels == nullptr) return unreadable(stbi_failure_reason());
  const auto* const first = static_cast<const std::uint8_t*>(pixels.get());
  const std::size_t bytes =
      std::size_t{4} * (is_deep ? 2 : 1) * static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  return Pixels{static_cast<std::uint32_t>(width),
                static_cast<std::uint32_t>(height),
                is_deep ? 16u : 8u,
                {first, first + bytes}};
}

}  // namespace mobula::io
