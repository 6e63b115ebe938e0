#include "machines/afuc/build.h"

#include <algorithm>
#include <set>

#include "mobula/isa/firmware.h"

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

}  // namespace mobula::afuc
