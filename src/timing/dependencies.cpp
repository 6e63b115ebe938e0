#include "timing/dependencies.h"

#include <map>
#include <utility>

namespace mobula {
namespace {

std::vector<std::uint32_t> bytes_of(const std::vector<ir::ByteRange>& ranges) {
  std::vector<std::uint32_t> bytes;
  for (const ir::ByteRange& range : ranges)
    for (std::uint32_t i = 0; i < range.bytes; ++i) bytes.push_back(range.byte + i);
  return bytes;
}

}  // namespace

void Dependencies::add(const Result<ir::Program>& lifted, std::span<const std::uint64_t> addresses) {
  const std::size_t first = words_.size();
  words_.resize(first + addresses.size());
  if (!lifted) return;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const auto block = lifted->block_at(addresses[i]);
    if (!block) continue;
    const ir::Effects effects = ir::effects(*lifted, *block);
    words_[first + i] = {bytes_of(effects.reads), bytes_of(effects.writes)};
  }
}

void Dependencies::tell(const TimedExecution& now, Thread& thread, Recorder& recorder) const {
  const Word& word = words_[now.word];
  std::map<std::uint64_t, std::pair<StallReason, TimelineCause>> arrows;  // by execution
  const auto depend = [&](const TimelineCause& cause, StallReason how) {
    if (cause.execution != no_execution) arrows.try_emplace(cause.execution, how, cause);
  };
  for (const std::uint32_t byte : word.reads)
    if (const auto found = thread.find(byte); found != thread.end())
      depend(found->second.writer, StallReason::read_after_write);
  for (const std::uint32_t byte : word.writes)
    if (const auto found = thread.find(byte); found != thread.end())
      depend(found->second.writer, StallReason::write_after_write);
  for (const std::uint32_t byte : word.writes)
    if (const auto found = thread.find(byte); found != thread.end())
      depend(found->second.reader, StallReason::write_after_read);
  for (const auto& [execution, arrow] : arrows) recorder.tell(now, EventKind::dependency, arrow.first, arrow.second);
  for (const std::uint32_t byte : word.reads) thread[byte].reader = now.as_cause();
  for (const std::uint32_t byte : word.writes) thread[byte] = {now.as_cause(), {}};
}

}  // namespace mobula
