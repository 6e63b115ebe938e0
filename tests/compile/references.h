// What an independent implementation computed of GLSL: files of cases by GLSL names.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "mobula/isa/program.h"
#include "paths.h"

namespace mobula::test {

/// The files of references that have a source; empty where the samples are missing.
inline std::vector<std::filesystem::path> reference_files() {
  std::vector<std::filesystem::path> files;
  for (const char* machine : {"midgard/ref", "utgard-gp/ref"}) {
    const std::filesystem::path folder = sample(machine);
    if (!std::filesystem::is_directory(folder)) return {};
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  return files;
}
inline constexpr std::size_t all_reference_files = 52, all_reference_cases = 416;

inline nlohmann::json read_reference(const std::filesystem::path& file) {
  return nlohmann::json::parse(std::ifstream(file));
}

inline Stage stage_of_reference(const nlohmann::json& reference) {
  return reference["stage"] == "vert" ? Stage::vertex : reference["stage"] == "comp" ? Stage::compute : Stage::fragment;
}

/// As near as the file allows.
inline void expect_near(const nlohmann::json& reference, double expected, double found, const std::string& what) {
  const nlohmann::json& tolerance = reference["tolerance"];
  const double allowed = tolerance["absolute"].get<double>() +
                         tolerance["relative"].get<double>() * std::max(std::fabs(expected), std::fabs(found));
  EXPECT_LE(std::fabs(expected - found), allowed) << what << ": " << expected << " is expected, " << found << " found";
}

}  // namespace mobula::test
