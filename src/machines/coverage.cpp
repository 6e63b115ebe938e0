#include "mobula/isa/coverage.h"

#include <algorithm>
#include <array>
#include <span>

#include "core/counted.h"
#include "core/hexadecimal.h"

namespace mobula {
namespace {

/// Values that are kept of a field; immediates have as many as there are words.
constexpr std::size_t most_values = 4096;

std::string small_letters(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 32);
  return result;
}

bool is_name(char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; }

/// A number says nothing where it stands in a text.
bool tells_in_text(std::string_view name) {
  return !name.empty() && is_name(name[0]) && (name[0] < '0' || name[0] > '9');
}

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}

/// "12 of 16", or the number alone where there are too many to expect all.
std::string values_text(const FieldCoverage& field) {
  const std::string seen = std::to_string(field.values.size());
  return field.width <= 8 ? seen + " of " + std::to_string(1U << field.width) : seen;
}

std::string names_where(const Coverage& coverage, bool seen) {
  std::string text;
  for (const EntryCoverage& entry : coverage.entries())
    if ((entry.words != 0) == seen) text += ' ' + entry.name + (seen ? ':' + std::to_string(entry.words) : "");
  return text;
}

/// Both are of one machine, whose manual gives the entries their places.
std::string untested_entries(const Coverage& coverage, const Coverage& tested) {
  std::string text = "\nseen, and not tested in " + counted(tested.words(), "word") + " of " +
                     counted(tested.programs(), "program") + "\n ";
  for (std::size_t i = 0; i < coverage.entries().size(); ++i)
    if (coverage.entries()[i].words != 0 && tested.entries()[i].words == 0) text += ' ' + coverage.entries()[i].name;
  return text;
}

std::string untested_fields(std::span<const FieldCoverage> fields, const Coverage& tested) {
  std::string text = "  with values, and none of them tested\n ";
  for (const FieldCoverage& field : fields)
    if (field.set != 0 && values_tested(field, tested) == 0) text += ' ' + field.format + '.' + field.name;
  return text + '\n';
}

}  // namespace

Coverage::Coverage(const Machine& machine) : machine_(&machine) {
  const Manual manual = machine.manual();
  for (const ManualEntry& entry : manual.entries) {
    const std::string name = small_letters(entry.mnemonic);
    // Entries of one name cannot be told apart by what a listing shows.
    if (!entry.in_words || !tells_in_text(name) || !by_name_.try_emplace(name, entries_.size()).second) continue;
    for (const std::string& other : entry.names)
      if (tells_in_text(other)) by_name_.try_emplace(small_letters(other), entries_.size());
    entries_.push_back({entry.mnemonic, entry.status, 0});
  }
  for (const ManualFormat& format : manual.formats)
    for (const ExplainedField& field : format.fields)
      fields_[{format.name, field.name}] = {format.name, field.name, field.width, field.status, 0, 0, {}, {}};
}

/// Names may have parts after dots; the longest name is the one that is meant.
void Coverage::count_entries(std::string_view text) {
  // A word has an entry, however often its name stands there.
  std::set<std::size_t> found;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!is_name(text[at]) || (at != 0 && is_name(text[at - 1]))) continue;
    std::size_t end = at;
    while (end < text.size() && (is_name(text[end]) || text[end] == '.')) ++end;
    std::string name = small_letters(text.substr(at, end - at));
    for (;;) {
      if (const auto row = by_name_.find(name); row != by_name_.end()) {
        found.insert(row->second);
        break;
      }
      const std::size_t dot = name.rfind('.');
      if (dot == std::string::npos) break;
      name.resize(dot);
    }
  }
  for (const std::size_t index : found) ++entries_[index].words;
}

void Coverage::add(const Program& program) {
  ++programs_;
  machine_->explain_each(program, [&](const ExplainedWord& word) { add(program, word); });
}

void Coverage::add(const Program& program, const ExplainedWord& word) {
  if (word.fields.empty()) return;  // bytes around the words, such as the zero that firmware files begin with
  ++words_;
  count_entries(word.text);
  for (const ExplainedField& field : word.fields) {
    FieldCoverage& row = fields_[{field.format, field.name}];
    if (row.times++ == 0) {
      row.format = field.format;
      row.name = field.name;
      row.width = field.width;
      row.status = field.status;
    }
    if (row.values.size() < most_values) row.values.insert(field.value);
    if (field.value != 0 && row.set++ == 0) row.first_set = program.file + " at " + hexadecimal(word.byte_offset);
  }
}

std::vector<FieldCoverage> Coverage::fields() const {
  std::vector<FieldCoverage> all;
  for (const auto& [place, field] : fields_) all.push_back(field);
  return all;
}

const FieldCoverage* Coverage::find_field(const std::string& format, const std::string& name) const {
  const auto found = fields_.find({format, name});
  return found == fields_.end() ? nullptr : &found->second;
}

std::size_t values_tested(const FieldCoverage& field, const Coverage& tested) {
  const FieldCoverage* other = tested.find_field(field.format, field.name);
  if (other == nullptr) return 0;
  return static_cast<std::size_t>(
      std::ranges::count_if(field.values, [&](std::uint64_t value) { return other->values.contains(value); }));
}

std::string report(const Coverage& coverage, bool fields, const Coverage* tested) {
  const auto& entries = coverage.entries();
  const auto seen = std::count_if(entries.begin(), entries.end(), [](const auto& each) { return each.words != 0; });
  const std::vector<FieldCoverage> all = coverage.fields();
  const auto seen_fields = std::count_if(all.begin(), all.end(), [](const auto& each) { return each.times != 0; });
  std::string text = std::string(coverage.machine().name()) + ": " + counted(coverage.programs(), "program") + ", " +
                     counted(coverage.words(), "word") + "\nentries of the manual: " + std::to_string(seen) + " of " +
                     std::to_string(entries.size()) + " seen, each with its words\n " + names_where(coverage, true) +
                     "\nnot seen\n " + names_where(coverage, false) +
                     (tested == nullptr ? "" : untested_entries(coverage, *tested)) +
                     "\nfields: " + std::to_string(seen_fields) + " of " + std::to_string(all.size()) + " seen\n" +
                     (tested == nullptr ? "" : untested_fields(all, *tested));
  for (const FieldCoverage& field : all)
    if (field.status == Status::unknown && field.set != 0)
      text += "  of unknown meaning, and set " + counted(field.set, "time") + ": " + field.format + '.' + field.name +
              ", first in " + field.first_set + '\n';
  if (!fields) return text;
  text += padded("  field", 44) + padded("times", 10) + padded("not 0", 10) + padded("values", 12) +
          (tested == nullptr ? "" : padded("tested", 12)) + "known by\n";
  for (const FieldCoverage& field : all)
    if (field.times != 0)
      text += padded("  " + field.format + '.' + field.name, 44) + padded(std::to_string(field.times), 10) +
              padded(std::to_string(field.set), 10) + padded(values_text(field), 12) +
              (tested == nullptr ? "" : padded(std::to_string(values_tested(field, *tested)), 12)) +
              std::string(name(field.status)) + '\n';
  return text;
}

}  // namespace mobula
