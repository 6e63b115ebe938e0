// Where instructions and traffic of firmware went: by call stack, packet, function and line.
#pragma once

#include <span>
#include <string>

#include "cli/output.h"
#include "mobula/afuc.h"
#include "mobula/program.h"

namespace mobula::cli {

struct Profile {
  struct Packet {
    std::string core, name;
    std::uint64_t runs = 0;
    afuc::Spent spent;  ///< with the functions it called
  };
  struct Function {
    std::string core, name;
    afuc::Spent self, total;  ///< total: with what it called
  };
  struct Line {
    std::string core, where, text;
    std::uint32_t word = 0;
    afuc::Spent spent;
  };
  std::vector<afuc::ProfileRow> stacks;  ///< most instructions first, as the others
  std::vector<Packet> packets;
  std::vector<Function> functions;
  std::vector<Line> lines;
};

/// Of an emulator that kept a profile. `images` are what it runs; `reports` what it was told by its runs.
Profile profile_of(const afuc::Emulator& emulator, std::span<const Program> images,
                   std::span<const afuc::RunReport* const> reports);

std::string profile_text(const Profile& profile);
/// Lines for flame graphs.
std::string collapsed_text(const afuc::Emulator& emulator);
Json to_json(const Profile& profile);

}  // namespace mobula::cli
