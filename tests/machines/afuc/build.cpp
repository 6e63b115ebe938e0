#include "machines/afuc/build.h"

#include <algorithm>
#include <set>

namespace mobula::afuc {

std::vector<std::filesystem::path> real_images() {
  std::vector<std::filesystem::path> files, result;
  std::error_code missing;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(firmware_cache(), missing))
    if (entry.path().extension() == ".fw") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::set<std::vector<std::uint8_t>> seen;
  for (const auto& file : files) {
    auto bytes = read_bytes(file);
    if (!firmware::is_older_firmware(bytes) && seen.insert(std::move(bytes)).second) result.push_back(file);
  }
  return result;
}

std::vector<std::vector<std::uint32_t>> real_a530() {
  const std::vector<std::filesystem::path> files = real_images();
  std::vector<std::vector<std::uint32_t>> images;
  for (const std::string_view wanted : {"a530_pfp.fw", "a530_pm4.fw"}) {
    const auto file = std::find_if(files.begin(), files.end(),
                                   [&](const std::filesystem::path& each) { return each.filename() == wanted; });
    if (file == files.end()) return {};
    images.push_back(words_of_bytes(read_bytes(*file)));
  }
  return images;
}

}  // namespace mobula::afuc
