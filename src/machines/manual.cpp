#include "mobula/isa/manual.h"

#include <algorithm>
#include <cctype>

#include "core/source.h"

namespace mobula {
namespace {

std::string_view without_sigil(std::string_view name) {
  return name.empty() || std::string_view("@%|$").find(name.front()) == std::string_view::npos ? name : name.substr(1);
}

/// The manual's name, and what somebody typed.
bool is_called(std::string_view name, std::string_view wanted) {
  const auto same = [&](std::string_view each) {
    return std::ranges::equal(each, wanted,
                              [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
  };
  return same(name) || same(without_sigil(name));
}

}  // namespace

std::vector<const ManualEntry*> entries_named(const Manual& manual, std::string_view name) {
  std::vector<const ManualEntry*> found;
  for (const ManualEntry& entry : manual.entries)
    if (is_called(entry.mnemonic, name) ||
        std::ranges::any_of(entry.names, [&](std::string_view other) { return is_called(other, name); }))
      found.push_back(&entry);
  return found;
}

std::vector<const ManualFormat*> formats_named(const Manual& manual, std::string_view name) {
  std::vector<const ManualFormat*> found;
  for (const ManualFormat& format : manual.formats)
    if (is_called(format.name, name)) found.push_back(&format);
  return found;
}

std::string nearest_name(const Manual& manual, std::string_view name) {
  Nearest nearest(name);
  for (const ManualEntry& entry : manual.entries) {
    nearest.offer(without_sigil(entry.mnemonic));
    for (const std::string& other : entry.names) nearest.offer(without_sigil(other));
  }
  for (const ManualFormat& format : manual.formats) nearest.offer(format.name);
  return std::string(nearest.best());
}

}  // namespace mobula
