#include "machines/rogue/merge/rules.h"

#include <array>
#include <map>
#include <utility>

#include "machines/rogue/check/check.h"
#include "machines/rogue/spec/layout.h"

namespace mobula::rogue {
namespace {

/// Broken rules by code; notes are left out.
std::map<std::string, std::size_t> broken(const Diagnostics& findings) {
  std::map<std::string, std::size_t> codes;
  for (const Diagnostic& each : findings)
    if (each.severity != Severity::note) ++codes[each.code];
  return codes;
}

}  // namespace

Program alone(const Group& group) {
  const std::array extents{Extent{content_bytes(group), true, group.ends()}};
  const unsigned words = default_sizes(extents).front() / 2;
  Program program;
  encode_content(group, words, program.code);
  append_padding(content_bytes(group), words, program.code);
  return program;
}

std::uint32_t unpadded(const Group& group) { return (content_bytes(group) + 1) / 2 * 2; }

std::string newly_broken(const Diagnostics& before, const Diagnostics& after) {
  const auto known = broken(before);
  for (const auto& [code, count] : broken(after)) {
    const auto found = known.find(code);
    if (found == known.end() || found->second < count) return code;
  }
  return {};
}

bool keeps_rules(const Group& first, const Group& second, const Group& merged) {
  Diagnostics before = check_groups(alone(first));
  for (Diagnostic& each : check_groups(alone(second))) before.push_back(std::move(each));
  return newly_broken(before, check_groups(alone(merged))).empty();
}

}  // namespace mobula::rogue
