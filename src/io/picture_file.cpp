// Files of pictures, in pieces of some rows: all cores make them, and few wait in memory.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "io/in_order.h"
#include "io/picture.h"
#include "io/png.h"
#include "mobula/lab/run.h"

namespace mobula {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// The first three bytes of every four. Two pixels at a time: what is written beyond them is what comes next.
void drop_alpha(Bytes& rgba) {
  const std::size_t pixels = rgba.size() / 4;
  std::size_t pixel = 0;
  for (; pixel + 2 <= pixels; pixel += 2) {
    std::uint64_t two = 0;
    std::memcpy(&two, rgba.data() + 4 * pixel, sizeof two);
    two = (two & 0xff'ffff) | (two >> 8 & 0xffff'ff00'0000);
    std::memcpy(rgba.data() + 3 * pixel, &two, sizeof two);
  }
  for (; pixel < pixels; ++pixel)
    std::copy_n(rgba.begin() + static_cast<std::ptrdiff_t>(4 * pixel), 3,
                rgba.begin() + static_cast<std::ptrdiff_t>(3 * pixel));
  rgba.resize(3 * pixels);
}

/// FileRows of a picture in the order of a file.
struct FileRows {
  const ImageResult& image;
  ColourFormat colours;
  PictureFormat format;

  /// So many rows from `first` on.
  [[nodiscard]] Bytes operator()(std::size_t first, std::size_t count) const {
    if (format == PictureFormat::ppm) {
      Bytes rgba(count * image.size.width * 4);
      io::to_rgba8(image, colours, first * image.size.width, rgba);
      drop_alpha(rgba);
      return rgba;
    }
    const std::size_t pixel_bytes = format == PictureFormat::pfm ? 12 : 16;
    Bytes bytes(count * image.size.width * pixel_bytes);
    std::uint8_t* out = bytes.data();
    for (std::size_t row = first; row < first + count; ++row) {
      const std::size_t y = format == PictureFormat::pfm ? image.size.height - 1 - row : row;
      for (std::size_t x = 0; x < image.size.width; ++x, out += pixel_bytes)
        std::memcpy(out, io::numbers_of(image, y * image.size.width + x, colours).data(), pixel_bytes);
    }
    return bytes;
  }
};

void write_text(const WritePiece& write, const std::string& text) {
  write({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

void write_rows(const FileRows& rows, unsigned os_threads, const WritePiece& write) {
  const auto [width, height] = rows.image.size;
  constexpr std::size_t piece_pixels = std::size_t{1} << 16;
  const std::size_t at_once = std::max<std::size_t>(piece_pixels / width, 1);
  io::for_each_part_in_order(height, at_once, os_threads, rows, [&](Bytes&& piece) { write(piece); });
}

Result<Bytes> whole(auto write_all) {
  Bytes file;
  const Result<void> written =
      write_all([&](std::span<const std::uint8_t> piece) { file.insert(file.end(), piece.begin(), piece.end()); });
  if (!written) return fail(written.error());
  return file;
}

}  // namespace

PictureFormat picture_format(std::string_view file) {
  if (file.ends_with(".ppm")) return PictureFormat::ppm;
  if (file.ends_with(".pfm")) return PictureFormat::pfm;
  return file.ends_with(".raw") ? PictureFormat::raw : PictureFormat::png;
}

Result<void> write_picture(const ImageResult& image, ColourFormat colours, PictureFormat format, unsigned os_threads,
                           const WritePiece& write) {
  const auto [width, height] = image.size;
  if (format == PictureFormat::png) {
    if (io::has_bytes(image)) return io::write_png(width, height, image.rgba8, os_threads, write);
    return io::write_png(width, height, to_rgba8(image, colours, os_threads), os_threads, write);
  }
  if (!io::is_possible_image(width, height))
    return fail("TX003", fmt::format("an image of {} x {} cannot be written", width, height));
  if (format != PictureFormat::ppm && io::has_bytes(image))
    return fail("TX003", "of the colours only bytes were kept", "keep the words: PictureColours::words");
  if (format == PictureFormat::ppm) write_text(write, fmt::format("P6\n{} {}\n255\n", width, height));
  if (format == PictureFormat::pfm) write_text(write, fmt::format("PF\n{} {}\n-1.0\n", width, height));
  write_rows({image, colours, format}, os_threads, write);
  return {};
}

Result<Bytes> to_picture(const ImageResult& image, ColourFormat colours, PictureFormat format, unsigned os_threads) {
  return whole([&](const WritePiece& write) { return write_picture(image, colours, format, os_threads, write); });
}

Result<Bytes> to_png(const ImageResult& image, ColourFormat colours, unsigned os_threads) {
  return to_picture(image, colours, PictureFormat::png, os_threads);
}

}  // namespace mobula
