// Programs of the geometry processor for tests.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "machines/utgard_gp/spec/spec.h"
#include "machines/utgard_gp/text/parse.h"
#include "machines/utgard_gp/text/print.h"
#include "mobula/isa/diagnostic.h"
#include "mobula/isa/program.h"

namespace mobula::utgard_gp {

inline Program program_of(std::vector<std::uint8_t> code) {
  Program program;
  program.file = "test";
  program.machine = "utgard-gp";
  program.code = std::move(code);
  return program;
}

/// Empty, and a failure of the test, if the text does not assemble.
inline Program assembled(std::string_view text) {
  auto program = parse({"test", text}, "");
  EXPECT_TRUE(program) << text << render(program.error());
  return program ? program_of(std::move(program->code)) : Program{};
}

/// The last opcode of a table of which nobody knows what it does, as text.
template <class Does, std::size_t count>
std::string unknown_opcode(const std::array<Operation<Does>, count>& table) {
  std::size_t opcode = count;
  while (opcode-- > 0)
    if (table[opcode].does == Does::unknown) return std::to_string(opcode);
  ADD_FAILURE() << "all opcodes are known";
  return {};
}

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace mobula::utgard_gp
