#include "formats/elf.h"
#include "core/counted.h"

#include <algorithm>
#include <array>

namespace mobula {
namespace {

constexpr std::array<std::uint8_t, 4> magic{0x7F, 'E', 'L', 'F'};
constexpr std::uint32_t loaded = 1;                                         // p_type
constexpr std::uint32_t kind_mask = 0x07000000, hash_segment = 0x02000000;  // p_flags, as Qualcomm uses them
constexpr std::uint32_t most_segments = 64;

/// Where the two sizes of ELF keep what is needed, in bytes.
struct Shape {
  std::size_t header, entry;                    // of the file; of one segment
  std::size_t table, entry_size, count;         // in the file's header
  std::size_t flags, offset, file_bytes, word;  // in a segment's entry; bytes of an address
};
constexpr Shape elf32{52, 32, 28, 42, 44, 24, 4, 16, 4}, elf64{64, 56, 32, 54, 56, 4, 8, 32, 8};

std::uint64_t number(std::span<const std::uint8_t> bytes, std::size_t at, std::size_t width) {
  std::uint64_t value = 0;
  for (std::size_t i = width; i-- > 0;) value = value << 8 | bytes[at + i];
  return value;
}

}  // namespace

bool is_elf(std::span<const std::uint8_t> bytes) {
  return bytes.size() >= magic.size() && std::equal(magic.begin(), magic.end(), bytes.begin());
}

bool has_hash_segment(std::span<const std::uint8_t> bytes) {
  constexpr std::size_t class_byte = 4;
  if (!is_elf(bytes) || bytes.size() < elf32.header) return false;
  const Shape& shape = bytes[class_byte] == 1 ? elf32 : elf64;
  if (bytes.size() < shape.header) return false;
  const std::uint64_t table = number(bytes, shape.table, shape.word), entry_size = number(bytes, shape.entry_size, 2);
  const std::uint64_t count = std::min<std::uint64_t>(number(bytes, shape.count, 2), most_segments);
  if (table > bytes.size() || entry_size < shape.entry || count * entry_size > bytes.size() - table) return false;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto flags = static_cast<std::size_t>(table + i * entry_size + shape.flags);
    if ((number(bytes, flags, 4) & kind_mask) == hash_segment) return true;
  }
  return false;
}

Result<std::vector<CodeImage>> read_elf(std::span<const std::uint8_t> bytes, std::string_view file) {
  const auto problem = [&](std::string code, std::uint64_t at, std::string message, std::string hint = {}) {
    return fail(Diagnostic{Severity::error,
                           std::move(code),
                           {.file = std::string(file), .byte_offset = at},
                           std::move(message),
                           std::move(hint)});
  };
  constexpr std::size_t class_byte = 4, order_byte = 5;
  constexpr std::uint8_t little = 1;
  if (bytes.size() <= order_byte || (bytes[class_byte] != 1 && bytes[class_byte] != 2) || bytes[order_byte] != little)
    return problem("FM043", class_byte, "this is not a little-endian ELF file of 32 or 64 bits",
                   "--container raw takes the bytes as they are");
  const Shape& shape = bytes[class_byte] == 1 ? elf32 : elf64;
  if (bytes.size() < shape.header) return problem("FM040", 0, "the ELF header is cut short");
  const std::uint64_t table = number(bytes, shape.table, shape.word), entry_size = number(bytes, shape.entry_size, 2),
                      count = number(bytes, shape.count, 2);
  if (count > most_segments || (count != 0 && entry_size < shape.entry))
    return problem("FM043", shape.count, "this ELF file has " + counted(count, "segment"),
                   "zap firmware has a handful");
  if (table > bytes.size() || count * entry_size > bytes.size() - table)
    return problem("FM040", shape.table, "the table of segments is beyond the end of the file");
  std::vector<CodeImage> images;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto entry = bytes.subspan(static_cast<std::size_t>(table + i * entry_size), shape.entry);
    const std::uint64_t offset = number(entry, shape.offset, shape.word),
                        size = number(entry, shape.file_bytes, shape.word);
    const std::uint64_t kind = number(entry, shape.flags, 4) & kind_mask;
    if (number(entry, 0, 4) != loaded || size == 0 || kind == hash_segment) continue;
    if (offset > bytes.size() || size > bytes.size() - offset)
      return problem("FM041", table + i * entry_size, "segment " + std::to_string(i) + " is not in this file",
                     "a .mdt has only headers, its segments are the .bNN files; give the .mbn, or a .bNN with "
                     "--container raw");
    CodeImage& image = images.emplace_back();
    const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(offset);
    image.code.assign(begin, begin + static_cast<std::ptrdiff_t>(size));
    image.byte_offset = offset;
    image.path = "segment " + std::to_string(i);
    image.machine = "afuc";
  }
  constexpr std::size_t machine_at = 18;
  if (const std::uint64_t machine = number(bytes, machine_at, 2); machine != 0 && !has_hash_segment(bytes))
    for (CodeImage& image : images)
      image.remarks.push_back({Severity::note,
                               "FM067",
                               {.file = std::string(file), .byte_offset = machine_at},
                               "an ELF file for machine " + std::to_string(machine) +
                                   " without a segment of hashes is taken for firmware of an Adreno, as zap files are",
                               "--container raw takes the bytes as they are"});
  if (images.empty())
    return problem("FM042", table, "this ELF file has no segment that is loaded", "zap firmware has one");
  return images;
}

}  // namespace mobula
