#include "mobula/isa/manual.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "core/lexer.h"
#include "core/source.h"

namespace mobula {
namespace {

std::string_view without_sigil(std::string_view name) {
  return name.empty() || std::string_view("@%|$.").find(name.front()) == std::string_view::npos ? name : name.substr(1);
}

bool is_same(std::string_view name, std::string_view wanted) {
  return std::ranges::equal(name, wanted,
                            [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

/// "rN" stands for r0, r1 and so on.
bool is_numbered(std::string_view pattern, std::string_view wanted) {
  if (pattern.size() < 2 || pattern.back() != 'N') return false;
  const std::string_view letters = pattern.substr(0, pattern.size() - 1);
  if (wanted.size() <= letters.size() || !is_same(letters, wanted.substr(0, letters.size()))) return false;
  return std::ranges::all_of(wanted.substr(letters.size()), [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// 0x3 is also written 0x03, and 3.
bool is_same_number(std::string_view name, std::string_view wanted) {
  const bool is_decimal =
      !wanted.empty() && wanted.front() != '0' && wanted.find_first_not_of("0123456789") == wanted.npos;
  std::uint64_t number = 0, other = 0;
  return name.starts_with("0x") && (wanted.starts_with("0x") || is_decimal) && parse_integer(name, number) &&
         parse_integer(wanted, other) && number == other;
}

/// The manual's name, and what somebody typed.
bool is_called(std::string_view name, std::string_view wanted) {
  // $0 is a register, and not the operation of number 0.
  const std::string_view bare = without_sigil(wanted);
  const bool is_number =
      !bare.empty() && std::ranges::all_of(bare, [](unsigned char c) { return std::isdigit(c) != 0; });
  const bool names_another = is_number && bare.size() != wanted.size() && without_sigil(name).size() == name.size();
  return is_same(name, wanted) || (is_same(without_sigil(name), bare) && !names_another) || is_numbered(name, wanted) ||
         is_same_number(name, wanted);
}

bool begins_with(std::string_view name, std::string_view wanted) {
  name = without_sigil(name);
  return name.size() > wanted.size() && std::string_view("._[").find(name[wanted.size()]) != std::string_view::npos &&
         is_same(name.substr(0, wanted.size()), wanted);
}

/// "sample_id" is the end of special.sample_id.
bool ends_with(std::string_view name, std::string_view wanted) {
  const std::size_t dot = name.rfind('.');
  return dot != std::string_view::npos && is_same(name.substr(dot + 1), wanted);
}

/// True if the parts of a format's name are parts of `name`, in their order.
bool is_part_of(std::string_view format, std::string_view name) {
  while (!format.empty()) {
    const std::string_view part = format.substr(0, format.find('.'));
    const std::size_t dot = name.find('.');
    if (dot == std::string_view::npos) return false;
    if (is_same(part, name.substr(0, dot))) format.remove_prefix(std::min(part.size() + 1, format.size()));
    name.remove_prefix(dot + 1);
  }
  return true;
}

template <class Wanted>
std::vector<const ManualEntry*> entries_that(const Manual& manual, Wanted wanted) {
  std::vector<const ManualEntry*> found;
  for (const ManualEntry& entry : manual.entries)
    if (wanted(entry.mnemonic) || std::ranges::any_of(entry.names, wanted)) found.push_back(&entry);
  return found;
}

}  // namespace

std::vector<const ManualEntry*> entries_named(const Manual& manual, std::string_view name) {
  auto found = entries_that(manual, [&](std::string_view each) { return is_called(each, name); });
  std::stable_partition(found.begin(), found.end(), [&](const ManualEntry* entry) {
    return entry->mnemonic == name || std::ranges::find(entry->names, name) != entry->names.end();
  });
  return found;
}

std::vector<const ManualEntry*> entries_about(const Manual& manual, std::string_view name) {
  auto found = entries_named(manual, name);
  if (found.empty()) found = entries_that(manual, [&](std::string_view each) { return begins_with(each, name); });
  if (found.empty()) found = entries_that(manual, [&](std::string_view each) { return ends_with(each, name); });
  const std::size_t dot = name.rfind('.');
  if (!found.empty() || dot == std::string_view::npos || dot == 0) return found;
  return entries_about(manual, name.substr(0, dot));
}

std::vector<const ManualFormat*> formats_named(const Manual& manual, std::string_view name) {
  std::vector<const ManualFormat*> found;
  for (const ManualFormat& format : manual.formats)
    if (is_called(format.name, name)) found.push_back(&format);
  return found;
}

std::vector<ManualFormat> fields_named(const Manual& manual, std::string_view name) {
  std::vector<ManualFormat> found;
  for (const ManualFormat& format : manual.formats) {
    ManualFormat part{format.name, format.width, {}};
    for (const ExplainedField& field : format.fields)
      if (is_called(field.name, name) || is_called(format.name + '.' + field.name, name)) part.fields.push_back(field);
    if (!part.fields.empty()) found.push_back(std::move(part));
  }
  return found;
}

std::vector<ManualFormat> fields_about(const Manual& manual, std::string_view name) {
  const std::size_t dot = name.rfind('.');
  const std::vector<ManualFormat> all = fields_named(manual, name.substr(dot + 1));
  std::vector<ManualFormat> found;
  std::ranges::copy_if(all, std::back_inserter(found),
                       [&](const ManualFormat& format) { return is_part_of(format.name, name); });
  if (!found.empty() || dot == std::string_view::npos) return found;
  // "src2.component": a field of what a field holds, which is a format of its own.
  const std::string_view outer = name.substr(0, dot);
  const std::string_view holder = outer.substr(outer.rfind('.') + 1);
  std::ranges::copy_if(all, std::back_inserter(found), [&](const ManualFormat& format) {
    return std::ranges::any_of(manual.formats, [&](const ManualFormat& each) {
      return format.name.starts_with(each.name + '.') &&
             std::ranges::any_of(each.fields,
                                 [&](const ExplainedField& field) { return is_called(field.name, holder); });
    });
  });
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
