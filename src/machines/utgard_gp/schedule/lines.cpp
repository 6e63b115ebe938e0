#include "machines/utgard_gp/schedule/lines.h"

#include <algorithm>
#include <unordered_map>

#include "core/source_lines.h"

namespace mobula::utgard_gp {
namespace {

/// Calls each(word, values that it makes) in the order of the program.
template <class Each>
void each_word(const Trace& trace, Each each) {
  for (const Segment& segment : trace.segments)
    for (std::size_t i = 0; i < segment.made.size(); ++i) each(segment.first + i, segment.made[i]);
}

using LinesOfValues = std::unordered_map<ValueId, std::uint32_t>;

LinesOfValues lines_of_values(const Trace& trace, std::span<const SourceLine> lines) {
  LinesOfValues by_value;
  each_word(trace, [&](std::size_t word, const std::vector<ValueId>& made) {
    const auto line = source_line(lines, word * word_bytes);
    for (const ValueId value : made)
      if (line) by_value.emplace(value, *line);
  });
  return by_value;
}

}  // namespace

std::vector<SourceLine> follow_lines(const Flow& before, std::span<const SourceLine> lines, const Flow& after) {
  std::vector<SourceLine> followed;
  for (std::size_t i = 0; i < before.traces.size(); ++i) {
    const LinesOfValues by_value = lines_of_values(before.traces[i], lines);
    each_word(after.traces[i], [&](std::size_t word, const std::vector<ValueId>& made) {
      std::uint32_t last = 0;
      for (const ValueId value : made)
        if (const auto found = by_value.find(value); found != by_value.end()) last = std::max(last, found->second);
      if (last != 0 && (followed.empty() || followed.back().line != last))
        followed.push_back({word * word_bytes, last});
    });
  }
  return followed;
}

}  // namespace mobula::utgard_gp
