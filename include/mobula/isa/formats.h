// Containers of machine code: raw bytes, text of numbers and dumps, ARM's MBS2/MPB1 (Midgard reference 7) and MBS1
// (Utgard GP reference 8), firmware of Adreno command processors (afuc reference 7).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mobula/export.h"
#include "mobula/isa/diagnostic.h"
#include "mobula/isa/program.h"
#include "mobula/isa/result.h"

namespace mobula {

enum class ContainerFormat : std::uint8_t {
  raw,      ///< the code and nothing else
  hex,      ///< text whose numbers are code, see read_hex
  mbs,      ///< ARM's chunk trees, MBS1, MBS2 or MPB1 at the start, or MBS1 or MBS2 after a header of another kind
  text,     ///< other text, such as assembly; no container
  fw,       ///< Adreno firmware, see mobula/isa/firmware.h
  elf,      ///< zap-shader firmware of Adreno, .mbn
  foreign,  ///< a known kind of file that holds no code of these machines: SPIR-V, pictures, archives, GLSL, ...
};
MOBULA_API std::string_view name(ContainerFormat format);

/// What the bytes look like: the magic of MBS or ELF; the header of firmware; text that is a dump, a log or an array of
/// numbers, or whose first line with any content consists of hexadecimal numbers; files of kinds that hold no code;
/// other text; everything else is raw.
MOBULA_API ContainerFormat detect_format(std::span<const std::uint8_t> bytes);
/// As above, of machine code: the name of the file decides if the content could be text or code, see
/// is_named_as_code(); words alone on lines, which may be bytes, are foreign.
MOBULA_API ContainerFormat detect_format(std::span<const std::uint8_t> bytes, std::string_view file);
/// Whether a file of that name is code even if all of its bytes can be read as text: .bin, .raw, .dat.
MOBULA_API bool is_named_as_code(std::string_view file);

/// One piece of machine code found in a container.
struct CodeImage {
  std::vector<std::uint8_t> code;
  std::uint64_t byte_offset = 0;  ///< of the code in the file; 0 for hexadecimal text
  std::string path;               ///< chunks from the root, "MBS2/FRAG/CMMN/EBIN/OBJC"; empty where there is no tree
  std::string machine;            ///< registry name the container implies; empty if it does not say
  Interface interface;            ///< stage, and local_size of compute code, where the container says
  Diagnostics remarks;            ///< warnings: what around the code has not been read
};

/// All code in the input, in file order; at least one image. `format` empty = detect. Errors (FM...) carry `file` and
/// the place; FM050 says what kind of file it is if it holds no code. The total size of the images never exceeds the
/// input's, but for the repeated lines of a dump, of which there are at most 16 MiB.
MOBULA_API Result<std::vector<CodeImage>> read_container(std::span<const std::uint8_t> bytes,
                                                         std::optional<ContainerFormat> format = {},
                                                         std::string_view file = {});

/// The image of that stage (Stage::unknown = any) and, among those, that position. Without `index` the choice must be
/// unique; the error lists what there is.
MOBULA_API Result<CodeImage> select_image(std::vector<CodeImage> images, Stage stage,
                                          std::optional<std::size_t> index = {}, std::string_view file = {});

enum class HexUnit : std::uint8_t { words, bytes };

/// Hexadecimal text to bytes. Numbers are separated by whitespace, commas or braces; comments are `#`, `;` or `//` to
/// the end of the line and `/* */`. A number is either a 32-bit little-endian word (8 digits, or 0x and 1 to 8 digits)
/// or a byte (2 digits, or 0x and 1 or 2 digits); a text in which every number has at most two digits is bytes, any
/// other is words throughout. Also read are dumps of bytes or words with offsets (xxd, hexdump, od, gdb), arrays of
/// whole numbers in C, and logs of Mesa's drivers: lines "NNN: wwwwwwww wwwwwwww wwwwwwww wwwwwwww" numbered from 0
/// (LIMA_DEBUG=gp), and dumps under "shader binary" (PCO_DEBUG_PRINT=binary). FM021: there are several programs, which
/// read_container() gives.
MOBULA_API Result<std::vector<std::uint8_t>> read_hex(std::string_view text, std::string_view file = {});

/// 16 bytes a line. Words: four 32-bit words of 8 digits; a tail shorter than a word cannot be written this way, and
/// everything is bytes. read_hex reads it back unchanged.
MOBULA_API std::string write_hex(std::span<const std::uint8_t> bytes, HexUnit unit = HexUnit::words);

}  // namespace mobula
