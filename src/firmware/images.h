// The images that cores run, and which is whose.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mobula/isa/firmware_info.h"
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

/// The instructions of all images, by core and word.
std::map<std::pair<std::string, std::uint32_t>, Place> texts_of(std::span<const Program> images);

}  // namespace mobula::firmware
