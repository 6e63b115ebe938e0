// Storage images: texels that lie in the memory of a run, which programs load and store without a sampler.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "io/json.h"
#include "io/texture.h"

namespace mobula::io {

/// Rows follow each other from y = 0, slices or layers from z = 0, with no padding (docs/run-files.md, Storage images).
struct StorageImage {
  std::uint64_t address = 0;  ///< of texel (0, 0, 0)
  std::array<std::uint32_t, 3> size{1, 1, 1};
  std::uint32_t dimensions = 2;  ///< coordinates that count; a program may leave anything in the others
  const TexelFormat* format = nullptr;

  [[nodiscard]] std::uint64_t bytes() const { return std::uint64_t{size[0]} * size[1] * size[2] * format->bytes(); }
  /// Address of a texel; nullopt outside of the image.
  [[nodiscard]] MOBULA_INTERNAL std::optional<std::uint64_t> address_of(const std::array<std::int32_t, 3>& at) const;
};

/// An image as run inputs describe it; nullopt, and `place` is told, if the description is wrong.
std::optional<StorageImage> read_storage_image(const JsonPlace& place);

}  // namespace mobula::io
