// Programs for tests: from words in memory order, and the sample shaders.
#pragma once

#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "mobula/isa/program.h"
#include "paths.h"

namespace mobula::midgard {

/// A program of 32-bit words in memory order.
inline Program program_of(std::initializer_list<std::uint32_t> words, std::string variant = {}) {
  Program program;
  program.machine = "midgard";
  program.variant = std::move(variant);
  for (const std::uint32_t word : words)
    for (unsigned shift = 0; shift < 32; shift += 8) program.code.push_back(static_cast<std::uint8_t>(word >> shift));
  return program;
}

/// Random bytes; every second program has tags that head words and control words without unknown bits, so that most of
/// it decodes.
inline Program hostile_program(std::mt19937& random) {
  Program program;
  program.machine = "midgard";
  program.variant = random() % 2 != 0 ? "t720" : "t860";
  program.code.resize(random() % 512);
  for (std::uint8_t& byte : program.code) byte = static_cast<std::uint8_t>(random());
  if (random() % 2 != 0) return program;
  for (std::size_t at = 0; at + 16 <= program.code.size(); at += 16) {
    constexpr std::uint8_t tags_of_words[] = {2, 3, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15};
    program.code[at] = static_cast<std::uint8_t>((program.code[at] & 0xF0) | tags_of_words[random() % 12]);
    program.code[at + 1] = 0;
    program.code[at + 2] &= static_cast<std::uint8_t>(0xAA & random());
    program.code[at + 3] &= static_cast<std::uint8_t>(0x0E & random());
  }
  return program;
}

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Sample {
  std::filesystem::path path;  ///< of the binary
  Program program;
};

/// All sample shaders; empty when the folder is missing. The product is the last part of a sample's name.
inline std::vector<Sample> samples() {
  std::vector<Sample> all;
  const std::filesystem::path folder = mobula::test::sample("midgard");
  if (!std::filesystem::exists(folder)) return all;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".bin") continue;
    const std::string bytes = read_file(entry.path()), stem = entry.path().stem().string();
    Program program;
    program.machine = "midgard";
    program.variant = stem.substr(stem.rfind('.') + 1);
    program.code.assign(bytes.begin(), bytes.end());
    all.push_back({entry.path(), std::move(program)});
  }
  return all;
}

}  // namespace mobula::midgard
