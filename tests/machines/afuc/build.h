// Programs and texts of tests.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "mobula/isa/firmware.h"
#include "mobula/isa/machine.h"
#include "paths.h"

namespace mobula::afuc {

inline Program program_of(std::vector<std::uint8_t> code, std::string_view variant = "auto") {
  Program program;
  program.machine = "afuc";
  program.variant = variant;
  program.code = std::move(code);
  return program;
}

inline std::vector<std::uint8_t> bytes_of(const std::vector<std::uint32_t>& words) {
  std::vector<std::uint8_t> bytes;
  for (const std::uint32_t word : words)
    for (unsigned i = 0; i < 4; ++i) bytes.push_back(static_cast<std::uint8_t>(word >> (8 * i)));
  return bytes;
}

/// Words after the leading zero.
inline std::vector<std::uint32_t> words_of(const Program& program) {
  std::vector<std::uint32_t> words;
  for (std::size_t i = 4; i + 4 <= program.code.size(); i += 4)
    words.push_back(program.code[i] | program.code[i + 1] << 8 | program.code[i + 2] << 16 |
                    static_cast<std::uint32_t>(program.code[i + 3]) << 24);
  return words;
}

inline Result<Program> assemble_text(std::string_view text, std::string_view variant = "auto",
                                     std::string_view syntax = {}) {
  return find_machine("afuc")->assemble({"test.asm", text}, {.syntax = syntax, .variant = variant});
}

inline std::string text_of(const Program& program, std::string_view syntax = {}) {
  return find_machine("afuc")->disassemble(program, {.syntax = syntax}).value().text;
}

/// The codes of all errors of a text, in order.
inline std::vector<std::string> codes_of(const Result<Program>& result) {
  std::vector<std::string> codes;
  if (!result)
    for (const Diagnostic& each : result.error()) codes.push_back(each.code);
  return codes;
}

inline std::vector<std::uint8_t> read_bytes(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A file of tests/data/afuc.
inline std::string data_text(const std::string& name) {
  const auto bytes = read_bytes(std::filesystem::path(mobula::test::test_data("afuc")) / name);
  return {bytes.begin(), bytes.end()};
}

/// Word 0 on of an image's bytes.
inline std::vector<std::uint32_t> words_of_bytes(const std::vector<std::uint8_t>& bytes) {
  std::vector<std::uint32_t> words;
  for (std::size_t i = 4; i + 4 <= bytes.size(); i += 4)
    words.push_back(firmware::load_word(std::span(bytes).subspan(i), 0));
  return words;
}

/// Where scripts/fetch-firmware puts real images.
inline std::filesystem::path firmware_cache() {
  if (const char* chosen = std::getenv("MOBULA_FIRMWARE")) return chosen;
  if (const char* cache = std::getenv("XDG_CACHE_HOME")) return std::filesystem::path(cache) / "mobula/firmware";
  const char* home = std::getenv("HOME");
  return std::filesystem::path(home == nullptr ? "" : home) / ".cache/mobula/firmware";
}

/// All real images of a5xx and later, each content once, in the order of their names; empty where they were not
/// fetched.
std::vector<std::filesystem::path> real_images();
/// PFP and ME of the real a530; empty where they were not fetched.
std::vector<std::vector<std::uint32_t>> real_a530();

}  // namespace mobula::afuc
