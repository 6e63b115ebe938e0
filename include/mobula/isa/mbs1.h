// MBS1: ARM's container of Mali-200/400 shaders, read and written chunk by chunk (Utgard GP reference 8.1).
//
// A file is a tree of chunks: four characters, a 32-bit little-endian payload size, the payload. Everything is kept, so
// that writing what was read gives the same bytes.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "mobula/export.h"
#include "mobula/isa/program.h"
#include "mobula/isa/result.h"

namespace mobula::mbs1 {

/// A chunk's payload: raw bytes and chunks in the order they lie in it.
struct Chunk {
  using Piece = std::variant<std::vector<std::uint8_t>, Chunk>;
  std::string ident;  ///< four characters
  std::vector<Piece> pieces;

  /// First child of that name, or nullptr.
  [[nodiscard]] MOBULA_API const Chunk* find(std::string_view name) const;
  [[nodiscard]] MOBULA_API Chunk* find(std::string_view name);
  /// The bytes of a chunk without children, or of the first raw piece; empty if there is none.
  [[nodiscard]] MOBULA_API std::span<const std::uint8_t> bytes() const;
};

/// One entry of a symbol table: an attribute (VATT), a varying (VVAR) or a uniform (VUNI).
struct Symbol {
  std::string name;
  std::uint8_t type = 1;         ///< 1 float, 2 int, 3 bool, 4 matrix, 5 sampler2D, 6 samplerCube, 8 struct, 9 external
  std::uint16_t components = 0;  ///< number of components
  std::uint16_t component_bytes = 0;   ///< size of a component; a stride for varyings
  std::uint16_t entries = 0;           ///< array length; 0 means 1
  std::uint16_t offset = 0;            ///< in float components: vec4 index * 4 + component; 0xFFFF = eliminated
  std::vector<std::uint32_t> initial;  ///< VINI: bits of the initial values, from `offset` on
};

/// A vertex shader of the file.
struct VertexShader {
  std::uint32_t version = 0;       ///< 2 MaliGP2, 6 Mali-400 GP
  std::uint32_t instructions = 0;  ///< as FINS says
  std::uint32_t prefetch = 0;      ///< index of the last attribute load + 1, as FINS says
  std::vector<Symbol> attributes, varyings, uniforms;
  std::vector<std::uint8_t> code;
  std::uint64_t code_offset = 0;  ///< of the code in the file
};

/// True if the bytes begin with MBS1.
MOBULA_API bool is_mbs1(std::span<const std::uint8_t> bytes);
/// The whole tree. Errors FM03x with the byte offset of the chunk at fault.
MOBULA_API Result<Chunk> read(std::span<const std::uint8_t> bytes, std::string_view file = {});
/// The inverse of read(); sizes are computed.
MOBULA_API std::vector<std::uint8_t> write(const Chunk& root);

/// Puts other code into the first vertex shader. False if it has none to replace.
MOBULA_API bool replace_code(Chunk& root, std::span<const std::uint8_t> code);
/// Gives the symbols of a table of the first vertex shader (SATT, SVAR or SUNI) other vec4 indices: old to new, those
/// that are not listed stay. New indices are below 16384.
MOBULA_API void renumber(Chunk& root, std::string_view table, const std::map<std::uint32_t, std::uint32_t>& vec4s);

/// The first vertex shader (CVER). Fails if there is none or its tables are damaged.
MOBULA_API Result<VertexShader> vertex_shader(std::span<const std::uint8_t> bytes, std::string_view file = {});
/// What the tables say about the code: names with the numbers the code uses (driver_location = vec4 index).
MOBULA_API Interface interface_of(const VertexShader& shader);

}  // namespace mobula::mbs1
