#include "firmware/images.h"

#include <algorithm>

#include "mobula/isa/firmware.h"

namespace mobula::firmware {

Result<Images> Images::create(std::span<const Program> programs) {
  Images images;
  for (const Program& program : programs) {
    auto described = info(program);
    if (!described) {
      Diagnostics errors = std::move(described).error();
      for (Diagnostic& error : errors) error.where.file = program.file;
      return fail(std::move(errors));
    }
    images.offsets.push_back(layout(program.code).byte_offset);
    images.names.push_back(described->cores.empty() ? std::string() : described->cores.front().name);
  }
  return images;
}

std::size_t Images::image_of(std::size_t core, const std::string& name) const {
  if (names.size() == 1) return 0;
  const auto named = std::find(names.begin(), names.end(), name);
  return named == names.end() ? core : static_cast<std::size_t>(named - names.begin());
}

std::map<std::pair<std::string, std::uint32_t>, Place> texts_of(std::span<const Program> images) {
  std::map<std::pair<std::string, std::uint32_t>, Place> texts;
  for (const Program& image : images)
    if (auto places = instructions(image))
      for (Place& place : *places) texts.emplace(std::pair(place.core, place.word), std::move(place));
  return texts;
}

}  // namespace mobula::firmware
