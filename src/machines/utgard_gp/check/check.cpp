#include "machines/utgard_gp/check/check.h"

#include "core/counted.h"
#include "machines/utgard_gp/check/report.h"

namespace mobula::utgard_gp {
namespace {

void check_whole_words(Report& report) {
  const std::size_t bytes = report.program.code.size(), rest = bytes % word_bytes;
  if (rest != 0)
    report.add_at(RuleId::whole_words, bytes - rest, {},
                  "the last " + counted(rest, "byte does", "bytes do") + " not fill a word");
}

void check_length(Report& report) {
  const std::uint32_t count = word_count(report.program.code);
  if (count == 0 || count > max_words)
    report.add_at(RuleId::program_length, std::uint64_t{report.count()} * word_bytes, {},
                  "the program has " + counted(count, "word"));
}

/// One finding for each run of words that nothing leads to.
void check_reach(Report& report) {
  for (std::size_t first = 0; first < report.words.size();) {
    std::size_t end = first;
    while (end < report.words.size() && !report.reached(static_cast<std::uint16_t>(end))) ++end;
    if (end > first) {
      const std::string last = end - first == 1 ? "" : " through " + address_of(static_cast<std::uint16_t>(end - 1));
      report.add(RuleId::reachable, static_cast<std::uint16_t>(first), {},
                 "no path leads to " + address_of(static_cast<std::uint16_t>(first)) + last);
    }
    first = end + 1;
  }
}

/// The words from which some path leads beyond the last word.
std::vector<bool> words_that_end(const Report& report) {
  std::vector<bool> ends(report.words.size());
  std::vector<std::uint16_t> queue;
  const auto add = [&](std::uint16_t word) {
    if (word == before_start || ends[word]) return;
    ends[word] = true;
    queue.push_back(word);
  };
  if (const auto last = static_cast<std::uint16_t>(report.count() - 1); report.flow.leaves(last)) add(last);
  for (std::size_t at = 0; at < queue.size(); ++at)
    for (const std::uint16_t before : report.flow.predecessors(queue[at])) add(before);
  return ends;
}

void check_end(Report& report) {
  if (report.words.empty()) return;
  const std::vector<bool> ends = words_that_end(report);
  for (std::uint32_t i = 0; i < report.words.size(); ++i) {
    const auto word = static_cast<std::uint16_t>(i);
    if (!report.reached(word) || ends[word]) continue;
    report.add(RuleId::comes_to_its_end, word, {},
               "no path leads out of the program from " + address_of(word) + ", which is reached by " +
                   text_of(report.reach.path_to(word)));
    return;
  }
}

}  // namespace

Diagnostics check(const Program& program) {
  Report report(program);
  check_whole_words(report);
  check_length(report);
  check_reach(report);
  check_end(report);
  for (std::uint32_t word = 0; word < report.words.size(); ++word) {
    check_word(report, static_cast<std::uint16_t>(word));
    check_branch_target(report, static_cast<std::uint16_t>(word));
  }
  check_forwarding(report);
  check_latencies(report);
  check_definitions(report);
  check_functions(report);
  check_interface(report);
  return report.take();
}

Diagnostics check_words(const Program& program) {
  Report report(program);
  check_whole_words(report);
  for (std::uint32_t word = 0; word < report.words.size(); ++word) check_word(report, static_cast<std::uint16_t>(word));
  return report.take();
}

}  // namespace mobula::utgard_gp
