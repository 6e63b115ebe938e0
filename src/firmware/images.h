// The images that cores run, and which is whose.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mobula/isa/program.h"
#include "mobula/isa/result.h"

namespace mobula::firmware {

struct Images {
  static Result<Images> create(std::span<const Program> programs);
  /// Of a core by its position and name: one image has all cores; of several each has one.
  [[nodiscard]] std::size_t image_of(std::size_t core, const std::string& name) const;

  std::vector<std::uint64_t> offsets;  ///< of word 0 of each in its file
  std::vector<std::string> names;      ///< of the first core of each
};

}  // namespace mobula::firmware
