// What firmware of an Adreno command processor is: id, version, programs, packets; and where it does something.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mobula/export.h"
#include "mobula/isa/program.h"
#include "mobula/isa/result.h"

namespace mobula::firmware {

/// An entry of a packet table.
struct PacketInfo {
  std::uint32_t opcode = 0;
  std::string name;           ///< "CP_NOP", or "UNKN15" where no name is known
  bool named = false;         ///< a name is known
  std::uint32_t handler = 0;  ///< word in the program
  bool shared = false;        ///< most unnamed packets share this handler: the packet is not known to the firmware
};

/// A program: what one core runs. Words count from its first word unless said otherwise.
struct CoreInfo {
  std::string name;
  std::uint32_t start = 0, words = 0;  ///< first word in the image; how many
  std::optional<std::uint32_t> table;
  std::uint32_t instructions = 0;      ///< instruction words that control is known to reach
  std::uint32_t assumed = 0;           ///< words that look like code, but nothing known leads there
  std::uint32_t data = 0;              ///< other words before the table, such as id and version, and after it
  std::uint32_t functions = 0;         ///< functions that are called
  std::optional<unsigned> call_depth;  ///< most return addresses at once; nullopt with recursion
  std::vector<PacketInfo> packets;     ///< 128, or none without a table
};

/// A question that Linux asks of a firmware version before it uses or trusts something.
struct KernelAnswer {
  std::string question;
  bool answer = false;
};

struct Info {
  std::optional<std::uint32_t> id;  ///< nullopt if there is no header
  bool id_known = false;
  std::string chip, product, generation;  ///< "a630", "Adreno 630", "a6xx"
  std::uint32_t version = 0, kernel_version = 0;
  std::uint64_t bytes = 0;
  std::uint32_t words = 0;  ///< without the leading zero
  std::vector<CoreInfo> cores;
  std::vector<KernelAnswer> kernel;
};

/// Any bytes; fails for programs of other machines.
MOBULA_API Result<Info> info(const Program& program);

/// A place in an image.
struct Place {
  std::string core;
  std::uint32_t word = 0;  ///< in the program
  std::string where;       ///< "CP_NOP+3"
  std::string text;
};

/// Instructions that look like `pattern`: an instruction in which names such as `$x` stand for any register, the same
/// name for the same register. Errors are those of the assembler.
MOBULA_API Result<std::vector<Place>> find(const Program& program, std::string_view pattern);

/// Every instruction of every program, in order of address.
MOBULA_API Result<std::vector<Place>> instructions(const Program& program);

}  // namespace mobula::firmware
