// The real machine code that benchmarks of texts read.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "mobula/isa/program.h"

namespace mobula {

/// All sample binaries in a folder of the samples, laid end to end in the order of their names.
inline Program join_samples(const std::string& folder, std::string machine, std::string variant = {}) {
  Program all;
  all.machine = std::move(machine);
  all.variant = std::move(variant);
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(MOBULA_SAMPLES) / folder))
    if (entry.path().extension() == ".bin") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    std::ifstream in(file, std::ios::binary);
    all.code.insert(all.code.end(), std::istreambuf_iterator<char>(in), {});
  }
  return all;
}

}  // namespace mobula
