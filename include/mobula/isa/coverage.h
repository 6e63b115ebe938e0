// What programs use of a machine's tables: entries of the manual, fields and their values, seen and not seen.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "mobula/export.h"
#include "mobula/isa/machine.h"
#include "mobula/isa/program.h"

namespace mobula {

/// An operation, a register or a packet, whatever has a name in the machine's manual.
struct EntryCoverage {
  std::string name;
  Status status = Status::unknown;
  std::uint64_t words = 0;  ///< words whose text mentions it
};

struct FieldCoverage {
  std::string format, name;
  std::uint32_t width = 0;
  Status status = Status::unknown;
  std::uint64_t times = 0;         ///< words that have the field
  std::uint64_t set = 0;           ///< how many of those are nonzero
  std::set<std::uint64_t> values;  ///< of those seen, at most a few thousand
  std::string first_set;           ///< the first place where it is not 0: "a.bin at 0x40"
};

/// Counts over a corpus of one machine.
class MOBULA_API Coverage {
 public:
  /// `machine` must outlive the coverage.
  explicit Coverage(const Machine& machine);

  /// A program of that machine.
  void add(const Program& program);

  [[nodiscard]] const Machine& machine() const { return *machine_; }
  [[nodiscard]] std::uint64_t programs() const { return programs_; }
  [[nodiscard]] std::uint64_t words() const { return words_; }
  /// In the order of the manual.
  [[nodiscard]] const std::vector<EntryCoverage>& entries() const { return entries_; }
  /// Sorted by format and name: the manual's fields and any others met while explaining words.
  [[nodiscard]] std::vector<FieldCoverage> fields() const;
  /// Null if there is none.
  [[nodiscard]] const FieldCoverage* find_field(const std::string& format, const std::string& name) const;

 private:
  void add(const Program& program, const ExplainedWord& word);
  void count_entries(std::string_view text);

  const Machine* machine_;
  std::uint64_t programs_ = 0, words_ = 0;
  std::vector<EntryCoverage> entries_;
  std::map<std::string, std::size_t, std::less<>> by_name_;  ///< positions in entries_, lower case
  std::map<std::pair<std::string, std::string>, FieldCoverage> fields_;
};

/// How many of the field's values `tested` has, too; 0 if it has not seen the field.
MOBULA_API std::size_t values_tested(const FieldCoverage& field, const Coverage& tested);

/// For a person; ends with a newline. With `fields`, a line for each field that was seen. `tested`, which may be null,
/// is of the same machine: what it has not seen is listed.
MOBULA_API std::string report(const Coverage& coverage, bool fields, const Coverage* tested = nullptr);

}  // namespace mobula
