#include "formats/foreign.h"

#include <algorithm>
#include <array>
#include <bit>

#include "core/encoding.h"
#include "formats/elf.h"

namespace mobula {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view no_source =
    "mobula takes what a compiler made of it; docs/getting-a-binary.md says how to get that";
constexpr std::string_view of_listings =
    "mobula asm --syntax mesa -m MACHINE assembles listings of machine code in it, and says what they leave open";
constexpr std::string_view unpack = "unpack it, and give what is in it";
constexpr std::string_view as_bytes = "write it as xxd, hexdump -C or od -t x1 do";
constexpr std::string_view pick = "is this the right file? docs/getting-a-binary.md says where machine code is found";

/// What stands at the start of a kind of file: at least 56 bits. What has fewer has a test of its own below.
struct Magic {
  std::string_view bytes;
  std::string_view what, hint;
};
constexpr std::array magics = std::to_array<Magic>({
    {"\x89PNG\r\n\x1A\n"sv, "a PNG picture", pick},
    {"\xABKTX 11\xBB\r\n\x1A\n"sv, "a KTX texture", pick},
    {"\xABKTX 20\xBB\r\n\x1A\n"sv, "a KTX texture", pick},
    {"SQLite format 3\0"sv, "an SQLite database", pick},
    {"!<arch>\ndebian-binary"sv, "a package of Debian", "dpkg -x unpacks it; give what is in it"},
    {"!<arch>\n"sv, "an archive of object files", unpack},
    {"dex\n035\0"sv, "Dalvik bytecode", pick},
    {"\xFD"
     "7zXZ\0\0"sv,
     "an xz archive", unpack},
    {"7z\xBC\xAF\x27\x1C\0\4"sv, "a 7-Zip archive", unpack},
    {"%PDF-1."sv, "a PDF document", pick},
    {"%PDF-2."sv, "a PDF document", pick},
    {"BC\xC0\xDE\x35\x14\0\0"sv, "LLVM bitcode", no_source},
    {"\xDE\xC0\x17\x0B\0\0\0\0"sv, "LLVM bitcode", no_source},
    {"\0asm\1\0\0\0"sv, "WebAssembly", pick},
    {"OggS\0\2\0\0\0\0\0\0\0\0"sv, "sound or video in Ogg", pick},
    {"fLaC\0\0\0\x22"sv, "sound in FLAC", pick},
    {"ttcf\0\1\0\0"sv, "a collection of fonts", pick},
    {"ttcf\0\2\0\0"sv, "a collection of fonts", pick},
    {"BLENDER_v"sv, "a scene of Blender", pick},
    {"BLENDER-v"sv, "a scene of Blender", pick},
    {"\x76\x2F\x31\1\2\0\0\0"sv, "an OpenEXR picture", pick},
    {"II*\0\x08\0\0\0"sv, "a TIFF picture", pick},
    {"MM\0*\0\0\0\x08"sv, "a TIFF picture", pick},
    {"DDS \x7C\0\0\0"sv, "a DDS texture", pick},
    {"gimp xcf "sv, "a picture of GIMP", pick},
    {"\xDE\x12\4\x95\0\0\0\0"sv, "translations of gettext", pick},
    {"\xDE\x12\4\x95\1\0\1\0"sv, "translations of gettext", pick},
    {"GVariant"sv, "a database of GLib", pick},
    {"GOBJ\nMETADATA"sv, "a type library of GLib", pick},
    {"\x93NUMPY\1"sv, "an array of NumPy", pick},
    {"\xED\xAB\xEE\xDB\3\0\0"sv, "a package of RPM", unpack},
    {"PACK\0\0\0\2"sv, "a pack of Git", unpack},
});

bool starts_with(std::span<const std::uint8_t> bytes, std::string_view what) {
  return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()).starts_with(what);
}

std::uint32_t word_at(std::span<const std::uint8_t> bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value |= std::uint32_t{bytes[at + i]} << (8 * i);
  return value;
}

std::uint32_t reversed(std::uint32_t word) {
  return word >> 24 | (word >> 8 & 0xFF00) | (word << 8 & 0xFF0000) | word << 24;
}

/// A header of five words: magic, version, generator, bound, and a zero.
bool is_spirv(std::span<const std::uint8_t> bytes) {
  constexpr std::uint32_t magic = 0x07230203;
  if (bytes.size() < 20) return false;
  for (const bool other_order : {false, true}) {
    const auto word = [&](std::size_t i) {
      return other_order ? reversed(word_at(bytes, 4 * i)) : word_at(bytes, 4 * i);
    };
    if (word(0) == magic && (word(1) & 0xFF0000FF) == 0 && word(1) >> 16 == 1 && word(3) != 0 && word(4) == 0)
      return true;
  }
  return false;
}

/// Where the central directory at the end says that the archive begins.
std::optional<std::size_t> begin_by_directory(std::span<const std::uint8_t> bytes) {
  constexpr std::size_t record = 22, most_comment = 0xFFFF;
  if (bytes.size() < record) return std::nullopt;
  const std::size_t first = bytes.size() - std::min(bytes.size(), record + most_comment);
  for (std::size_t at = bytes.size() - record + 1; at-- > first;) {
    const auto rest = bytes.subspan(at);
    if (!starts_with(rest, "PK\5\6"sv) || record + (rest[20] | std::size_t{rest[21]} << 8) != rest.size()) continue;
    const std::size_t size = word_at(rest, 12), offset = word_at(rest, 16);
    if (size <= at && offset <= at - size && starts_with(bytes.subspan(at - size), "PK\1\2"sv))
      return at - size - offset;
  }
  return std::nullopt;
}

/// A local file header whose version, flags and lengths are those of a file.
bool is_zip(std::span<const std::uint8_t> bytes) {
  if (bytes.size() < 22) return false;
  if (starts_with(bytes, "PK\5\6\0\0\0\0"sv)) return true;  // an empty archive
  if (bytes.size() < 30 || !starts_with(bytes, "PK\3\4"sv)) return false;
  const std::size_t version = bytes[4], method = word_at(bytes, 8) & 0xFFFF, name = word_at(bytes, 26) & 0xFFFF;
  return version < 100 && bytes[5] < 20 &&
         (method == 0 || method == 8 || method == 12 || method == 14 || method == 93) && name != 0 &&
         name < bytes.size();
}

/// Two bytes of magic, the one method there is, no reserved flag, a known system, and the first block of a stream.
bool is_gzip(std::span<const std::uint8_t> bytes) {
  return bytes.size() >= 18 && starts_with(bytes, "\x1F\x8B\x08"sv) && (bytes[3] & 0xE0) == 0 &&
         (bytes[8] == 0 || bytes[8] == 2 || bytes[8] == 4) && (bytes[9] <= 13 || bytes[9] == 255) &&
         (bytes[3] != 0 || (bytes[10] >> 1 & 3) != 3);
}

/// The frame's magic; then no reserved bit, and a window of a size that programs accept.
bool is_zstd(std::span<const std::uint8_t> bytes) {
  return bytes.size() >= 9 && starts_with(bytes, "\x28\xB5\x2F\xFD"sv) && (bytes[4] & 0x18) == 0 &&
         ((bytes[4] & 0x20) != 0 || bytes[5] >> 3 <= 21);
}

bool is_bzip2(std::span<const std::uint8_t> bytes) {
  return bytes.size() >= 14 && starts_with(bytes, "BZh"sv) && bytes[3] >= '1' && bytes[3] <= '9' &&
         starts_with(bytes.subspan(4), "1AY&SY"sv);
}

bool is_jpeg(std::span<const std::uint8_t> bytes) {
  if (bytes.size() < 11 || !starts_with(bytes, "\xFF\xD8\xFF"sv)) return false;
  if (starts_with(bytes.last(2), "\xFF\xD9"sv)) return true;
  return starts_with(bytes.subspan(6), "JFIF\0"sv) || starts_with(bytes.subspan(6), "Exif\0"sv);
}

bool is_gif(std::span<const std::uint8_t> bytes) {
  return bytes.size() >= 13 && (starts_with(bytes, "GIF87a"sv) || starts_with(bytes, "GIF89a"sv));
}

/// RIFF's size, and what it holds.
std::optional<Foreign> riff(std::span<const std::uint8_t> bytes) {
  if (bytes.size() < 12 || !starts_with(bytes, "RIFF"sv)) return std::nullopt;
  for (const auto& [kind, what] :
       {std::pair{"WAVE"sv, "sound in WAV"sv}, {"WEBP"sv, "a WebP picture"sv}, {"AVI "sv, "video in AVI"sv}})
    if (starts_with(bytes.subspan(8), kind)) return Foreign{std::string(what), std::string(pick)};
  return std::nullopt;
}

/// A font's version; then how many tables it has, and the largest power of two up to that, 16 times.
bool is_font(std::span<const std::uint8_t> bytes) {
  if (bytes.size() < 12) return false;
  if (starts_with(bytes, "wOFF"sv) || starts_with(bytes, "wOF2"sv)) return reversed(word_at(bytes, 8)) == bytes.size();
  if (!starts_with(bytes, "\0\1\0\0"sv) && !starts_with(bytes, "OTTO"sv)) return false;
  const unsigned tables = bytes[4] << 8 | bytes[5], range = bytes[6] << 8 | bytes[7];
  return tables != 0 && tables < 256 && range == 16 * std::bit_floor(tables);
}

/// Python's number of a version, a line end, and flags.
bool is_python_bytecode(std::span<const std::uint8_t> bytes) {
  const auto version = bytes.size() < 16 ? 0 : bytes[0] | bytes[1] << 8;
  return version >= 3300 && version < 4000 && starts_with(bytes.subspan(2), "\r\n"sv) && word_at(bytes, 4) < 4;
}

/// Kinds whose header holds the size of the file.
bool is_bmp(std::span<const std::uint8_t> bytes) {
  return bytes.size() >= 26 && starts_with(bytes, "BM"sv) && word_at(bytes, 2) == bytes.size() &&
         word_at(bytes, 6) == 0;
}
bool is_3ds(std::span<const std::uint8_t> bytes) {
  return bytes.size() >= 12 && starts_with(bytes, "MM"sv) && word_at(bytes, 2) == bytes.size();
}

/// The first picture stands behind the table of all.
bool is_icon(std::span<const std::uint8_t> bytes) {
  if (bytes.size() < 22 || !starts_with(bytes, "\0\0\1\0"sv)) return false;
  const std::uint32_t count = bytes[4] | bytes[5] << 8;
  return count != 0 && count < 256 && bytes[9] == 0 && word_at(bytes, 18) == 6 + 16 * count;
}

bool is_java_class(std::span<const std::uint8_t> bytes) {
  return bytes.size() >= 10 && starts_with(bytes, "\xCA\xFE\xBA\xBE"sv) && bytes[4] == 0 && bytes[6] == 0 &&
         bytes[7] >= 45 && bytes[7] < 100;
}

bool is_tar(std::span<const std::uint8_t> bytes) {
  constexpr std::size_t magic = 257;
  return bytes.size() >= 512 && starts_with(bytes.subspan(magic), "ustar"sv);
}

/// DOS's magic, and where it says, that of a program of today.
bool is_windows_program(std::span<const std::uint8_t> bytes) {
  if (bytes.size() < 64 || !starts_with(bytes, "MZ"sv)) return false;
  const std::size_t header = word_at(bytes, 60);
  return header < bytes.size() && bytes.size() - header >= 4 && starts_with(bytes.subspan(header), "PE\0\0"sv);
}

/// A container of DirectX: the magic, 16 bytes of a sum, version 1, the size of the file.
bool is_directx(std::span<const std::uint8_t> bytes) {
  return bytes.size() >= 32 && starts_with(bytes, "DXBC"sv) && word_at(bytes, 20) == 1 &&
         word_at(bytes, 24) == bytes.size();
}

/// A header of 32 bytes, version 1, and a vendor.
bool is_pipeline_cache(std::span<const std::uint8_t> bytes) {
  constexpr std::array<std::uint32_t, 10> vendors{0x1002, 0x1010,  0x10DE, 0x13B5, 0x5143,
                                                  0x8086, 0x10005, 0x106B, 0x14E4, 0x1AE0};
  return bytes.size() >= 32 && word_at(bytes, 0) == 32 && word_at(bytes, 4) == 1 &&
         std::find(vendors.begin(), vendors.end(), word_at(bytes, 8)) != vendors.end();
}

/// Programs for the central processor, by the machine that the header names.
std::optional<std::string> processor_of_elf(std::span<const std::uint8_t> bytes) {
  struct Row {
    std::uint32_t number;
    std::string_view name;
  };
  constexpr std::array rows = std::to_array<Row>({{3, "x86"},
                                                  {8, "MIPS"},
                                                  {20, "PowerPC"},
                                                  {21, "PowerPC"},
                                                  {40, "ARM"},
                                                  {62, "x86-64"},
                                                  {183, "AArch64"},
                                                  {243, "RISC-V"},
                                                  {258, "LoongArch"}});
  if (!is_elf(bytes) || bytes.size() < 52 || (bytes[4] != 1 && bytes[4] != 2) || (bytes[5] != 1 && bytes[5] != 2) ||
      bytes[6] != 1 || has_hash_segment(bytes))
    return std::nullopt;
  const bool little = bytes[5] == 1;
  const std::uint32_t machine = little ? bytes[18] | bytes[19] << 8 : bytes[18] << 8 | bytes[19];
  for (const Row& row : rows)
    if (row.number == machine) return std::string(row.name);
  return std::nullopt;
}

// ------------------------------------------------------------------------------------------------ text

/// What a line of a text is by, wherever it begins. Nothing in it is a comment of an assembler here.
struct LineStart {
  std::string_view start;
  std::string_view what, hint;
  std::string_view ends = {};  ///< letters of which it has one at its end, where a sentence may begin alike
};
constexpr std::string_view glsl = "source text in GLSL", spirv_assembly = "SPIR-V assembly";
constexpr std::string_view of_shaders = "mobula compiles GLSL and SPIR-V, and no other language of shaders";
constexpr std::string_view ends_of_code = "{}();:>";
constexpr std::array line_starts = std::to_array<LineStart>({
    {"void main(", glsl, no_source},
    {"void main (", glsl, no_source},
    {"#version 1", glsl, no_source},
    {"#version 3", glsl, no_source},
    {"#version 4", glsl, no_source},
    {"OpCapability ", spirv_assembly, no_source},
    {"!!ARBvp1.0", "a vertex program in OpenGL's assembly language", of_shaders},
    {"!!ARBfp1.0", "a fragment program in OpenGL's assembly language", of_shaders},
    {"kernel void ", "source text in OpenCL C", of_shaders},
    {"__kernel ", "source text in OpenCL C", of_shaders},
    {"#include <metal_", "source text in Metal's language", of_shaders},
    {"@vertex", "source text in WGSL", of_shaders},
    {"@fragment", "source text in WGSL", of_shaders},
    {"@compute", "source text in WGSL", of_shaders},
    {"target triple = ", "LLVM assembly", no_source},
    {"#include <", "source text in C", "of C only arrays of numbers are read"},
    {"#include \"", "source text in C", "of C only arrays of numbers are read"},
    {"#pragma once", "source text in C", "of C only arrays of numbers are read"},
    {"typedef ", "source text in C", "of C only arrays of numbers are read", ends_of_code},
    {"static inline ", "source text in C", "of C only arrays of numbers are read"},
    {"static void ", "source text in C", "of C only arrays of numbers are read"},
    {"static int ", "source text in C", "of C only arrays of numbers are read"},
    {"int main(", "source text in C", "of C only arrays of numbers are read"},
    {"namespace ", "source text in C++", "of C only arrays of numbers are read", ends_of_code},
    {"using namespace ", "source text in C++", "of C only arrays of numbers are read", ends_of_code},
    {"template <", "source text in C++", "of C only arrays of numbers are read"},
    {"template<", "source text in C++", "of C only arrays of numbers are read"},
    {"class ", "source text in a language with classes", pick, ends_of_code},
    {"def ", "source text in Python", pick, ends_of_code},
    {"from __future__ import ", "source text in Python", pick},
    {"if __name__ == ", "source text in Python", pick},
    {"fn main()", "source text in Rust", pick},
    {"pub fn ", "source text in Rust", pick},
    {"function ", "source text in JavaScript", pick, ends_of_code},
    {"public class ", "source text in Java", pick},
    {"Disassembly of section ", "a listing by objdump of code for the central processor", pick},
    {"<?xml", "XML", pick},
    {"<!DOCTYPE ", "HTML", pick},
    {"<html", "HTML", pick},
    {"Shader 0x", "a dump of Panfrost's jobs, whose listings do not hold every bit of the code", of_listings},
    {"shader: MESA_SHADER_", "a listing in NIR, Mesa's language between GLSL and machine code", of_listings},
});

bool is_json(std::string_view text) {
  constexpr std::string_view blank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blank);
  if (first == std::string_view::npos || (text[first] != '{' && text[first] != '[')) return false;
  const std::size_t second = text.find_first_not_of(blank, first + 1);
  if (second == std::string_view::npos) return false;
  return text[second] == '"' || (text[first] == '[' && text[second] == '{');
}

/// Whether the line is a sentence, or a part of one: at least six words, most of them of letters alone. No assembler
/// here has a line like that outside comments.
bool is_sentence(std::string_view line) {
  constexpr std::size_t least_words = 6;
  line = line.substr(0, std::min({line.find("//"), line.find(';'), line.find("/*")}));
  if (line.starts_with('#') || line.find_first_of("={}$") != std::string_view::npos) return false;
  std::size_t words = 0, plain = 0;
  for (std::size_t at = line.find_first_not_of(" \t\r"); at < line.size();) {
    const std::size_t end = std::min(line.find_first_of(" \t\r", at), line.size());
    std::string_view word = line.substr(at, end - at);
    while (!word.empty() && std::string_view("([\"'*_`").find(word.front()) != std::string_view::npos)
      word.remove_prefix(1);
    while (!word.empty() && std::string_view(".,:;!?)]\"'*_`").find(word.back()) != std::string_view::npos)
      word.remove_suffix(1);
    const auto is_letter = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '\'';
    };
    ++words;
    if (!word.empty() && std::all_of(word.begin(), word.end(), is_letter)) ++plain;
    at = line.find_first_not_of(" \t\r", end);
  }
  return words >= least_words && 4 * plain >= 3 * words;
}

/// Text that people read: three sentences in its first lines.
bool is_prose(std::string_view text) {
  constexpr std::size_t least = 3, looked_at = 16384;
  text = text.substr(0, looked_at);
  std::size_t sentences = 0;
  for (std::size_t at = 0; at < text.size() && sentences < least;) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (is_sentence(text.substr(at, end - at))) ++sentences;
    at = end + 1;
  }
  return sentences >= least;
}

/// Columns of nothing but numbers, which no reader of numbers has known: od -t u4, or od -x without offsets.
bool is_table_of_numbers(std::string_view text) {
  constexpr std::size_t least = 32, looked_at = 4096;
  return text.size() >= least &&
         text.substr(0, looked_at).find_first_not_of("0123456789abcdefABCDEF-* \t\r\n") == std::string_view::npos;
}

/// What stands before text in a mail that somebody answers.
bool is_quoted(std::string_view text) {
  constexpr std::size_t least = 32, looked_at = 4096;
  if (text.size() < least) return false;
  text = text.substr(0, looked_at);
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '>' && text[at] != '\n' && text[at] != '\r') return false;
    at = std::min(text.find('\n', at), text.size()) + 1;
  }
  return true;
}

/// The offsets of od before what is no hexadecimal or octal number: characters (-c, -a), or decimal numbers.
bool is_other_dump(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> offsets{
      {{"0000000 ", "0000020 "}, {"0000000 ", "0000016 "}, {"000000 ", "000010 "}}};
  const std::size_t second = std::min(text.find('\n'), text.size() - 1) + 1;
  return std::any_of(offsets.begin(), offsets.end(), [&](const auto& each) {
    return text.starts_with(each.first) && text.substr(second).starts_with(each.second);
  });
}

/// What od and hexdump write for one byte or one number: an escape, the name of a control character, a character, or
/// digits with a sign, a point or an exponent.
bool is_part_of_dump(std::string_view token) {
  constexpr std::array names = std::to_array<std::string_view>(
      {"nul", "soh", "stx", "etx", "eot", "enq", "ack", "bel", "bs",  "ht",  "nl",  "vt",  "ff", "cr",   "so",  "si",
       "dle", "dc1", "dc2", "dc3", "dc4", "nak", "syn", "etb", "can", "em",  "sub", "esc", "fs", "gs",   "rs",  "us",
       "sp",  "del", "inf", "nan", "\\0", "\\a", "\\b", "\\t", "\\n", "\\v", "\\f", "\\r", "**", "-inf", "-nan"});
  if (character_bytes(token) == token.size() || std::find(names.begin(), names.end(), token) != names.end())
    return true;
  const bool all_hex = token.find_first_not_of("0123456789abcdefABCDEF") == token.npos;
  return (all_hex && token.size() % 2 == 0) || (token.find_first_of("0123456789") != token.npos &&
                                                token.find_first_not_of("0123456789abcdefABCDEF+-.") == token.npos);
}

/// Nothing but an offset and such parts, and the characters that od -t z or hexdump -C writes beside them. Only offsets
/// stand at the start of a line.
bool is_line_of_dump(std::string_view line) {
  constexpr std::string_view blank = " \t\r";
  constexpr std::size_t least_in_offset = 6;
  line = line.substr(0, line.find_last_not_of(blank) + 1);
  if (line.ends_with('<')) line = line.substr(0, line.find("  >"));
  if (line.ends_with('|')) line = line.substr(0, line.find("  |"));
  if (line.empty() || line == "*") return true;
  std::size_t at = 0;
  if (line.front() != ' ') {
    at = std::min(line.find_first_of(blank), line.size());
    if (at < least_in_offset || line.substr(0, at).find_first_not_of("0123456789abcdefABCDEF") != line.npos)
      return false;
  }
  while ((at = line.find_first_not_of(blank, at)) != line.npos) {
    const std::size_t end = std::min(line.find_first_of(blank, at), line.size());
    if (!is_part_of_dump(line.substr(at, end - at))) return false;
    at = end;
  }
  return true;
}

/// The offset of xxd, digits, and anything beside them.
bool is_line_of_xxd(std::string_view line) {
  constexpr std::string_view hex = "0123456789abcdefABCDEF";
  const std::size_t colon = line.find_first_not_of(hex);
  if (line == "*") return true;
  if (colon == line.npos || colon < 8 || !line.substr(colon).starts_with(": ")) return false;
  const std::size_t number = line.find_first_not_of(' ', colon + 1);
  return number != line.npos && line.find_first_not_of(hex, number) >= number + 2;
}

/// Whether the text is lines of one form, as far as is looked.
bool is_made_of(bool (*is_line)(std::string_view), std::string_view text) {
  constexpr std::size_t least = 16, looked_at = 4096;
  if (text.size() < least) return false;
  // The last line that is looked at may not be whole.
  if (text.size() > looked_at) text = text.substr(0, text.substr(0, looked_at).rfind('\n') + 1);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (!is_line(text.substr(at, end - at))) return false;
    at = end + 1;
  }
  return !text.empty();
}

/// Corners of a mesh, three numbers each, and no other statement before them.
bool is_obj(std::string_view text) {
  constexpr int least = 3;
  int corners = 0;
  for (std::size_t at = 0; at < text.size() && corners < least;) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    if (line.starts_with("v ") && line.find_first_not_of("0123456789+-.eE \t\r", 2) == std::string_view::npos)
      ++corners;
    else if (!line.starts_with('#') && !line.starts_with("mtllib ") && !line.starts_with("o ") &&
             !line.starts_with("g ") && line.find_first_not_of(" \t\r") != std::string_view::npos)
      return false;
    at = end + 1;
  }
  return corners >= least;
}

/// Tests of piglit's shader_runner say first what they need.
bool is_shader_test(std::string_view text) {
  return text.starts_with("[require]") || text.find("\n[require]") != text.npos;
}

/// That is not blank; 0 of a line that is.
char last_letter(std::string_view line) {
  const std::size_t at = line.find_last_not_of(" \t\r");
  return at == line.npos ? '\0' : line[at];
}

std::optional<Foreign> foreign_text(std::string_view text) {
  constexpr std::size_t looked_at = 65536;
  if (is_json(text))
    return Foreign{"JSON", "a side file is found beside its program, or given with --side; inputs with --inputs"};
  text = text.substr(0, looked_at);
  if (text.starts_with("#!/") || text.starts_with("#! /")) return Foreign{"a script", std::string(pick)};
  if (is_shader_test(text))
    return Foreign{"a test of piglit's shader_runner, which holds several shaders",
                   "cut one of them out into a file of its own that ends in .vert, .frag or .comp"};
  Foreign prose{"text for people to read", std::string(pick)};
  // A page shows pieces of all kinds of text below its heading.
  if (text.starts_with("# ") && is_prose(text)) return prose;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    for (const LineStart& row : line_starts)
      if (line.starts_with(row.start) && (row.ends.empty() || row.ends.find(last_letter(line)) != row.ends.npos))
        return Foreign{std::string(row.what), std::string(row.hint), row.what == glsl || row.what == spirv_assembly};
    at = end + 1;
  }
  if (is_quoted(text))
    return Foreign{"text quoted as in a mail", "take the marks before its lines away: sed 's/^> *//'"};
  if (is_obj(text))
    return Foreign{"a mesh in Wavefront OBJ", "the inputs of a run name it: \"mesh\" in docs/run-files.md"};
  Foreign other_dump{"an od dump in decimal, or as characters", std::string(as_bytes)};
  if (is_other_dump(text)) return other_dump;
  if (is_table_of_numbers(text))
    return Foreign{"a table of numbers whose form does not tell which bytes they are", std::string(as_bytes)};
  if (is_made_of(is_line_of_dump, text)) return other_dump;
  if (is_made_of(is_line_of_xxd, text))
    return Foreign{"an xxd dump whose form does not tell which bytes they are", std::string(as_bytes)};
  if (is_prose(text)) return prose;
  return std::nullopt;
}

}  // namespace

std::optional<std::size_t> zip_begin(std::span<const std::uint8_t> bytes) {
  if (is_zip(bytes)) return 0;
  return begin_by_directory(bytes);
}

std::size_t end_of_text(std::string_view text) {
  constexpr std::size_t looked_at = 4096;
  std::size_t at = 0;
  while (at < std::min(text.size(), looked_at)) {
    const std::size_t length = character_bytes(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return text.size();
}

bool looks_like_text(std::string_view text) { return !text.empty() && end_of_text(text) == text.size(); }

std::optional<Foreign> foreign(std::span<const std::uint8_t> bytes) {
  const auto is = [](std::string_view what, std::string_view hint) {
    return Foreign{std::string(what), std::string(hint)};
  };
  for (const Magic& row : magics)
    if (starts_with(bytes, row.bytes)) return is(row.what, row.hint);
  if (is_spirv(bytes)) return is("SPIR-V", no_source);
  if (const auto begin = zip_begin(bytes))
    return is(*begin == 0 ? "a zip archive, as an APK is" : "a zip archive, with a program or something else before it",
              unpack);
  if (is_gzip(bytes)) return is("a gzip archive", unpack);
  if (is_zstd(bytes)) return is("a zstd archive", unpack);
  if (is_bzip2(bytes)) return is("a bzip2 archive", unpack);
  if (is_jpeg(bytes)) return is("a JPEG picture", pick);
  if (is_gif(bytes)) return is("a GIF picture", pick);
  if (auto kind = riff(bytes)) return kind;
  if (is_font(bytes)) return is("a font", pick);
  if (is_python_bytecode(bytes)) return is("bytecode of Python", pick);
  if (is_bmp(bytes)) return is("a BMP picture", pick);
  if (is_icon(bytes)) return is("an icon", pick);
  if (is_3ds(bytes)) return is("a mesh in 3DS", pick);
  if (is_java_class(bytes)) return is("bytecode of Java", pick);
  if (is_tar(bytes)) return is("a tar archive", unpack);
  if (is_windows_program(bytes)) return is("a program for Windows", pick);
  if (is_directx(bytes)) return is("a shader for DirectX", no_source);
  if (is_pipeline_cache(bytes))
    return is("a pipeline cache of Vulkan", "what follows its header is the driver's own; give the code alone");
  if (const auto processor = processor_of_elf(bytes))
    return Foreign{"an ELF file for " + *processor + ", the central processor", std::string(pick)};
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (is_utf16(text)) return is("text in UTF-16", utf16_hint);
  return looks_like_text(text) ? foreign_text(without_mark(text)) : std::nullopt;
}

}  // namespace mobula
