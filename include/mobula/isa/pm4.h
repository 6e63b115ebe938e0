// PM4: the packets of a5xx to a8xx command streams, as words and as text (afuc reference 4.11, docs/pm4.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mobula/export.h"
#include "mobula/isa/machine.h"

namespace mobula::pm4 {

/// Words that are in memory before a stream is processed: an indirect buffer, or data.
struct Buffer {
  std::uint64_t address = 0;  ///< byte address, a multiple of 4
  std::vector<std::uint32_t> words;
};
struct RegisterValue {
  std::uint32_t number = 0, value = 0;
};

/// A command stream and its surroundings.
struct Stream {
  std::vector<std::uint32_t> ring;
  std::vector<Buffer> memory;
  std::vector<RegisterValue> registers;  ///< GPU registers that are set beforehand
};

struct Packet {
  enum class Kind : std::uint8_t {
    type4,  ///< writes consecutive GPU registers
    type7,
    word,  ///< does not begin a packet: see `problem`
  };
  Kind kind = Kind::word;
  std::size_t first = 0;  ///< word index of the header
  std::uint32_t header = 0;
  std::uint32_t number = 0;   ///< type 7: opcode; type 4: first register, with bit 18: without incrementing it
  std::uint32_t payload = 0;  ///< words after the header
  std::string_view code;      ///< of the rule that a lone word breaks
  std::string problem, hint;  ///< what is wrong, and what is probably meant
};

/// The header of a packet. `payload` of type 4 is at most 127, of type 7 16383; other bits of the arguments are
/// dropped.
MOBULA_API std::uint32_t type4_header(std::uint32_t first_register, std::uint32_t payload);
MOBULA_API std::uint32_t type7_header(std::uint32_t opcode, std::uint32_t payload);

/// The packets of the words, in order and without gaps. A word that does not begin a packet is kept as a word, and the
/// decoding resumes at the next word.
MOBULA_API std::vector<Packet> decode(std::span<const std::uint32_t> words);
/// The same, one after the other: a packet takes many times the memory of its words.
MOBULA_API void decode_each(std::span<const std::uint32_t> words,
                            const std::function<void(const Packet& packet)>& each);
/// Errors of the packets of one buffer whose first word is at this byte offset; after a few hundred the rest are only
/// counted.
MOBULA_API Diagnostics check(std::span<const std::uint32_t> words, std::uint64_t byte_offset = 0);

/// Variants below are those of machine afuc: "a630"; empty = a6xx. One that it does not have is an error, MOB002.

/// "CP_NOP", "UNKN15", "pkt4"; "" for a word.
MOBULA_API Result<std::string> name_of(const Packet& packet, std::string_view variant);

/// A piece of a payload word.
struct Field {
  std::size_t word = 0;  ///< in the payload, from 0
  std::string name;      ///< of a field, or of the GPU register that gets the word
  std::uint64_t value = 0;
  std::string meaning;  ///< name of the value, if it has one
};
/// Known fields, in order of words; zero fields are omitted from words with several.
MOBULA_API Result<std::vector<Field>> fields(const Packet& packet, std::span<const std::uint32_t> payload,
                                             std::string_view variant);

/// The indirect buffer that a packet leads to.
struct Indirect {
  std::uint64_t address = 0;
  std::uint32_t words = 0;
};
MOBULA_API std::optional<Indirect> indirect(const Packet& packet, std::span<const std::uint32_t> payload);

struct PrintOptions {
  std::string_view variant;
  bool fields = true;  ///< in comments
  /// If set, it receives the text, some lines at a time, and print() returns nothing of it.
  std::function<void(std::string_view lines)> write = {};
};
/// Text that assembles to the same stream.
MOBULA_API Result<std::string> print(const Stream& stream, const PrintOptions& options = {});
/// All errors of the text are reported. Names are those of the variant.
MOBULA_API Result<Stream> assemble(const SourceText& source, std::string_view variant = {});

}  // namespace mobula::pm4
