#include "io/png.h"

#include <png.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstring>
#include <string>

#include "io/in_order.h"

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

namespace {

// Writing: rows are filtered and compressed in stripes, each on its own, so that all cores can take part. A stripe is
// one IDAT chunk; its data ends at a whole byte (a sync flush), so that the next can follow.

constexpr std::size_t pixel_bytes = 4;

using Bytes = std::vector<std::uint8_t>;

void put_big_endian(std::uint8_t* out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) *out++ = static_cast<std::uint8_t>(value >> shift);
}
void append_big_endian(Bytes& out, std::uint32_t value) {
  out.resize(out.size() + 4);
  put_big_endian(out.data() + out.size() - 4, value);
}

/// A chunk whose data come next: the place of its length, and its type.
Bytes begin_chunk(std::string_view type) {
  Bytes chunk(4);
  chunk.insert(chunk.end(), type.begin(), type.end());
  return chunk;
}
/// Its length, and what is computed from the rest of it.
void end_chunk(Bytes& chunk) {
  put_big_endian(chunk.data(), static_cast<std::uint32_t>(chunk.size() - 8));
  append_big_endian(chunk, static_cast<std::uint32_t>(crc32(0, chunk.data() + 4, static_cast<uInt>(chunk.size() - 4))));
}

// Filters, by their numbers in the format. Each replaces a byte by its difference to what it guesses from its
// neighbours on the left, above, and above on the left. The loops are such that compilers make vectors of them.

enum class RowFilter : std::uint8_t { left = 1, above = 2, paeth = 4 };

std::int16_t magnitude(std::int16_t value) { return value < 0 ? static_cast<std::int16_t>(-value) : value; }

/// Of the three, the one nearest to left + above - corner.
std::int16_t paeth_guess(std::int16_t left, std::int16_t above, std::int16_t corner) {
  const std::int16_t from_left = magnitude(static_cast<std::int16_t>(above - corner));
  const std::int16_t from_above = magnitude(static_cast<std::int16_t>(left - corner));
  const std::int16_t from_corner = magnitude(static_cast<std::int16_t>(left + above - 2 * corner));
  const bool is_left = static_cast<bool>((from_left <= from_above) & (from_left <= from_corner));
  const std::int16_t other = from_above <= from_corner ? above : corner;
  return is_left ? left : other;
}

/// `above` is the row above, of zeros for the first one.
void filter_row(RowFilter filter, std::span<const std::uint8_t> row, const std::uint8_t* __restrict above,
                std::uint8_t* __restrict out) {
  *out++ = static_cast<std::uint8_t>(filter);
  const std::uint8_t* __restrict const bytes = row.data();
  const std::size_t size = row.size();
  for (std::size_t i = 0; i < pixel_bytes; ++i)
    out[i] = static_cast<std::uint8_t>(bytes[i] - (filter == RowFilter::left ? 0 : above[i]));
  switch (filter) {
    case RowFilter::left:
      for (std::size_t i = pixel_bytes; i < size; ++i)
        out[i] = static_cast<std::uint8_t>(bytes[i] - bytes[i - pixel_bytes]);
      break;
    case RowFilter::above:
      for (std::size_t i = pixel_bytes; i < size; ++i) out[i] = static_cast<std::uint8_t>(bytes[i] - above[i]);
      break;
    case RowFilter::paeth:
      for (std::size_t i = pixel_bytes; i < size; ++i)
        out[i] =
            static_cast<std::uint8_t>(bytes[i] - paeth_guess(bytes[i - pixel_bytes], above[i], above[i - pixel_bytes]));
      break;
  }
}

/// The sum of magnitudes, of differences that are numbers with a sign: small where they compress well.
std::uint32_t sum_of(std::span<const std::uint8_t> differences) {
  std::uint32_t sum = 0;
  for (const std::uint8_t each : differences) sum += std::min(each, static_cast<std::uint8_t>(-each));
  return sum;
}

struct Stripe {
  std::size_t first_row = 0, rows = 0;
  bool is_last = false;
};
struct Compressed {
  bool is_good = false, is_last = false;
  Bytes chunk;  ///< of the last stripe without its end
  std::size_t raw_bytes = 0;
  std::uint32_t check = 0;  ///< Adler-32 of the raw bytes
};

/// Each row by the filter that leaves the least.
Bytes filtered(const Stripe& stripe, std::size_t row_bytes, std::span<const std::uint8_t> rgba) {
  const Bytes zeros(row_bytes);
  Bytes out, best(row_bytes + 1), other(row_bytes + 1);
  out.reserve(stripe.rows * best.size());
  for (std::size_t y = stripe.first_row; y < stripe.first_row + stripe.rows; ++y) {
    const auto row = rgba.subspan(y * row_bytes, row_bytes);
    const std::uint8_t* const above = y == 0 ? zeros.data() : row.data() - row_bytes;
    filter_row(RowFilter::above, row, above, best.data());
    std::uint32_t least = sum_of(std::span(best).subspan(1));
    for (const RowFilter filter : {RowFilter::left, RowFilter::paeth}) {
      if (least == 0) break;
      filter_row(filter, row, above, other.data());
      const std::uint32_t sum = sum_of(std::span(other).subspan(1));
      if (sum >= least) continue;
      least = sum;
      best.swap(other);
    }
    out.insert(out.end(), best.begin(), best.end());
  }
  return out;
}

/// Appends to the chunk. Of repetitions only runs are looked for: after the filters that is what there is, and at the
/// level that costs no more, others are found in so few places that files are larger.
bool compress(Bytes& chunk, bool is_last, std::span<const std::uint8_t> raw) {
  constexpr int level = 1, raw_deflate = -15, most_memory = 9;
  constexpr std::size_t flush_bytes = 16;
  z_stream stream{};
  if (deflateInit2(&stream, level, Z_DEFLATED, raw_deflate, most_memory, Z_RLE) != Z_OK) return false;
  const std::size_t before = chunk.size();
  chunk.resize(before + deflateBound(&stream, static_cast<uLong>(raw.size())) + flush_bytes);
  stream.next_in = const_cast<Bytef*>(raw.data());
  stream.avail_in = static_cast<uInt>(raw.size());
  stream.next_out = chunk.data() + before;
  stream.avail_out = static_cast<uInt>(chunk.size() - before);
  const int done = deflate(&stream, is_last ? Z_FINISH : Z_SYNC_FLUSH);
  const bool is_good = done == (is_last ? Z_STREAM_END : Z_OK) && stream.avail_in == 0;
  chunk.resize(chunk.size() - stream.avail_out);
  deflateEnd(&stream);
  return is_good;
}

Compressed encode(const Stripe& stripe, std::size_t row_bytes, std::span<const std::uint8_t> rgba) {
  constexpr std::array<std::uint8_t, 2> zlib_header{0x78, 0x01};
  Compressed made{.is_last = stripe.is_last, .chunk = begin_chunk("IDAT")};
  if (stripe.first_row == 0) made.chunk.insert(made.chunk.end(), zlib_header.begin(), zlib_header.end());
  const Bytes raw = filtered(stripe, row_bytes, rgba);
  made.is_good = compress(made.chunk, stripe.is_last, raw);
  made.raw_bytes = raw.size();
  made.check = static_cast<std::uint32_t>(adler32(1, raw.data(), static_cast<uInt>(raw.size())));
  if (!stripe.is_last) end_chunk(made.chunk);
  return made;
}

Bytes header(std::uint32_t width, std::uint32_t height) {
  constexpr std::array<std::uint8_t, 8> signature{0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
  Bytes chunk = begin_chunk("IHDR");
  append_big_endian(chunk, width);
  append_big_endian(chunk, height);
  constexpr std::array<std::uint8_t, 5> rgba8{8, 6, 0, 0, 0};  // bits, RGBA, deflate, five filters, no interlacing
  chunk.insert(chunk.end(), rgba8.begin(), rgba8.end());
  end_chunk(chunk);
  chunk.insert(chunk.begin(), signature.begin(), signature.end());
  return chunk;
}

}  // namespace

Result<void> write_png(std::uint32_t width, std::uint32_t height, std::span<const std::uint8_t> rgba,
                       unsigned os_threads, const WritePiece& write) {
  const std::string size = std::to_string(width) + " x " + std::to_string(height);
  if (!is_possible_image(width, height) || rgba.size() != std::size_t{width} * height * pixel_bytes)
    return fail("TX003", "an image of " + size + " cannot be written");
  constexpr std::size_t stripe_bytes = std::size_t{1} << 18;
  const std::size_t row_bytes = width * pixel_bytes, at_once = std::max<std::size_t>(stripe_bytes / row_bytes, 1);
  bool is_good = true;
  std::uint32_t check = 1;
  write(header(width, height));
  for_each_part_in_order(
      height, at_once, os_threads,
      [&, height = std::size_t{height}](std::size_t first, std::size_t rows) {
        return encode({first, rows, first + rows == height}, row_bytes, rgba);
      },
      [&](Compressed&& made) {
        is_good = is_good && made.is_good;
        check = static_cast<std::uint32_t>(adler32_combine(check, made.check, static_cast<z_off_t>(made.raw_bytes)));
        if (made.is_last) {
          append_big_endian(made.chunk, check);
          end_chunk(made.chunk);
        }
        write(made.chunk);
      });
  if (!is_good) return fail("TX003", "an image of " + size + " cannot be compressed");
  Bytes end = begin_chunk("IEND");
  end_chunk(end);
  write(end);
  return {};
}

}  // namespace mobula::io
