// What the parts of the checker share: the program being checked, its control flow, and where findings go.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "machines/utgard_gp/check/rules.h"
#include "machines/utgard_gp/spec/flow.h"
#include "machines/utgard_gp/spec/names.h"
#include "mobula/isa/diagnostic.h"
#include "mobula/isa/program.h"

namespace mobula::utgard_gp {

class Report {
 public:
  explicit Report(const Program& checked);

  /// `found` says what is there; the rule says what is allowed and, unless `mend` does, how to fix it.
  void add(RuleId id, std::uint16_t word, BitRange bits, const std::string& found, std::string mend = {}) {
    add_at(id, std::uint64_t{word} * word_bytes, bits, found, std::move(mend));
  }
  void add_at(RuleId id, std::uint64_t byte_offset, BitRange bits, const std::string& found, std::string mend = {}) {
    findings_.add(rule(id), byte_offset, bits, found, std::move(mend));
  }
  /// All findings in order of address.
  Diagnostics take();

  [[nodiscard]] std::uint16_t count() const { return static_cast<std::uint16_t>(words.size()); }
  [[nodiscard]] bool reached(std::uint16_t word) const { return reach.reaches(word); }
  /// Calls use(word) for every word that control reaches.
  template <class Use>
  void for_each_reached(Use use) const {
    for (unsigned i = 0; i < words.size(); ++i)
      if (const auto word = static_cast<std::uint16_t>(i); reached(word)) use(word);
  }

  const Program& program;
  const Product& product;
  const Names names;
  const std::vector<Word128> words;  ///< the first 512
  const bool stores_temporaries;     ///< so that memory is not only uniforms
  const Constants constants;         ///< as they are at the start
  const ControlFlow flow;            ///< branches on constants are decided, unless the program may overwrite these
  const Reach reach;                 ///< from the start

 private:
  Findings findings_;
};

/// What a message calls a word: its byte offset, "0x00a0".
std::string address_of(std::uint16_t word);
/// ".xz"
std::string components(unsigned mask);
/// "$3.xz"
std::string register_name(unsigned reg, unsigned mask);
/// "insert 2 words between 0x0030 and 0x0040": where the path goes straight on, so that it alone gets longer if it can.
std::string insert_words(const Path& path, unsigned count);

// The parts. Each adds what it finds. All except check_word and check_branch_target look only at words that control
// reaches.
void check_word(Report& report, std::uint16_t word);
void check_branch_target(Report& report, std::uint16_t word);
void check_forwarding(Report& report);
void check_latencies(Report& report);
void check_definitions(Report& report);
void check_functions(Report& report);
void check_interface(Report& report);

}  // namespace mobula::utgard_gp
