#include "io/png.h"

#include <png.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstring>
#include <string>

namespace mobula::io {
namespace {

/// What the callbacks of libpng reach. libpng leaves by longjmp on errors, so everything that owns memory lives here,
/// outside of the function that may be left.
struct Reading {
  std::span<const std::uint8_t> rest;
  Pixels pixels;
  std::vector<png_bytep> rows;
  std::array<char, 160> message{};
  bool too_large = false;
};

void remember_message(png_structp png, png_const_charp text) {
  auto* const reading = static_cast<Reading*>(png_get_error_ptr(png));
  std::strncpy(reading->message.data(), text, reading->message.size() - 1);
  longjmp(png_jmpbuf(png), 1);
}
void ignore_warning(png_structp, png_const_charp) {}
void feed(png_structp png, png_bytep out, std::size_t size) {
  auto* const reading = static_cast<Reading*>(png_get_io_ptr(png));
  if (size > reading->rest.size()) png_error(png, "the file ends too early");
  std::memcpy(out, reading->rest.data(), size);
  reading->rest = reading->rest.subspan(size);
}

/// Sizes the pixels; false if there would be too many.
bool make_room(Reading& reading, std::uint32_t width, std::uint32_t height, std::uint32_t bits) {
  if (std::uint64_t{width} * height > texel_limit) {
    reading.too_large = true;
    return false;
  }
  const std::size_t row_bytes = std::size_t{width} * 4 * (bits / 8);
  reading.pixels = {width, height, bits, std::vector<std::uint8_t>(row_bytes * height)};
  reading.rows.resize(height);
  for (std::size_t y = 0; y < height; ++y) reading.rows[y] = reading.pixels.bytes.data() + y * row_bytes;
  return true;
}

/// Holds nothing that needs a destructor: a longjmp may leave it anywhere.
bool decode(png_structp png, png_infop info, Reading& reading) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_read_fn(png, &reading, feed);
  png_set_user_limits(png, image_side_limit, image_side_limit);
  png_set_chunk_malloc_max(png, 8u << 20);
  png_read_info(png, info);
  png_set_expand(png);
  png_set_gray_to_rgb(png);
  png_set_add_alpha(png, 0xFFFF, PNG_FILLER_AFTER);
  png_set_swap(png);  // big-endian in the file
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  const png_byte bits = png_get_bit_depth(png, info);
  if (!make_room(reading, png_get_image_width(png, info), png_get_image_height(png, info), bits)) return false;
  png_read_image(png, reading.rows.data());
  png_read_end(png, nullptr);
  return true;
}

}  // namespace

Result<Pixels> read_png(std::span<const std::uint8_t> file, std::string_view name) {
  Reading reading;
  reading.rest = file;
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reading, remember_message, ignore_warning);
  if (png == nullptr) return fail("TX001", "libpng cannot start");
  png_infop info = png_create_info_struct(png);
  const bool good = info != nullptr && decode(png, info, reading);
  png_destroy_read_struct(&png, &info, nullptr);
  if (good) return std::move(reading.pixels);
  if (reading.too_large) {
    return fail("TX002", std::string(name) + ": more than " + std::to_string(texel_limit) + " pixels");
  }
  return fail("TX001", std::string(name) + ": not a readable PNG: " + reading.message.data());
}

Result<std::vector<std::uint8_t>> write_png(std::uint32_t width, std::uint32_t height,
                                            std::span<const std::uint8_t> rgba) {
  if (width == 0 || height == 0 || width > image_side_limit || height > image_side_limit ||
      std::uint64_t{width} * height > texel_limit || rgba.size() != std::size_t{width} * height * 4) {
    return fail("TX003",
                "an image of " + std::to_string(width) + " x " + std::to_string(height) + " cannot be written");
  }
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = width;
  image.height = height;
  image.format = PNG_FORMAT_RGBA;
  std::vector<std::uint8_t> file(PNG_IMAGE_PNG_SIZE_MAX(image));
  png_alloc_size_t size = file.size();
  if (png_image_write_to_memory(&image, file.data(), &size, 0, rgba.data(), 0, nullptr) == 0) {
    return fail("TX003", std::string("the image cannot be written: ") + image.message);
  }
  file.resize(size);
  return file;
}

}  // namespace mobula::io
