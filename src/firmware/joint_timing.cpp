#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "firmware/images.h"
#include "mobula/isa/firmware_info.h"
#include "mobula/lab/firmware_run.h"

namespace mobula::firmware {
namespace {

/// What a core is at: an instruction that has begun, or a wait. Of each there may be one that has not been told yet, as
/// events are told in the order of time.
struct Track {
  std::size_t first_word = 0;  ///< of its image in TimelineInfo::words
  JointTiming::Core sum;
  std::uint64_t execution = no_execution, end = 0;  ///< of an instruction under way
  std::uint32_t word = 0;
  std::optional<Waiting> waiting;
  std::uint64_t waiting_execution = no_execution;  ///< once the wait has been told
};

StallReason reason_of(Wanting wanting) {
  switch (wanting) {
    case Wanting::words:
      return StallReason::input;
    case Wanting::room:
      return StallReason::no_free_slot;
  }
  return StallReason::input;
}

}  // namespace

struct JointTiming::Impl {
  Images images;
  TimelineInfo info;
  std::vector<std::size_t> first_words;         ///< of each image in info.words
  std::map<std::string, std::uint32_t> starts;  ///< of each core in its image
  TimelineSink* sink = nullptr;
  std::uint64_t max_cycles = 0;
  std::vector<Track> tracks;
  std::uint64_t start = 0, cycles = 0, executions = 0;
  bool began = false, complete = true;

  void tell(std::size_t core, std::uint64_t cycle, std::uint64_t execution, std::uint32_t word, EventKind kind,
            StallReason reason = StallReason::none) const {
    if (sink == nullptr) return;
    sink->on({.cycle = cycle,
              .execution = execution,
              .thread = static_cast<std::uint32_t>(core),
              .word = static_cast<std::uint32_t>(tracks[core].first_word + word),
              .unit = static_cast<std::uint32_t>(core),
              .kind = kind,
              .reason = reason,
              .cause = {}});
  }

  /// Ends and beginnings of waits up to a cycle.
  void tell_until(std::uint64_t cycle) {
    while (true) {
      std::size_t first = tracks.size();
      std::uint64_t when = cycle + 1;
      for (std::size_t core = 0; core < tracks.size(); ++core)
        if (const std::uint64_t next = next_event(tracks[core]); next < when) {
          first = core;
          when = next;
        }
      if (first == tracks.size()) return;
      tell_next(first);
    }
  }
  static std::uint64_t next_event(const Track& track) {
    if (track.execution != no_execution) return track.end;
    return track.waiting && track.waiting_execution == no_execution ? track.waiting->begin : ~std::uint64_t{0};
  }
  void tell_next(std::size_t core) {
    Track& track = tracks[core];
    if (track.execution != no_execution) return retire(core, track.end, EventKind::retire);
    track.waiting_execution = executions++;
    tell(core, track.waiting->begin, track.waiting_execution, track.waiting->word, EventKind::stall_begin,
         reason_of(track.waiting->wanting));
  }
  void retire(std::size_t core, std::uint64_t cycle, EventKind how) {
    Track& track = tracks[core];
    tell(core, cycle, track.execution, track.word, EventKind::execute_end);
    if (how == EventKind::retire) tell(core, cycle, track.execution, track.word, EventKind::write);
    tell(core, cycle, track.execution, track.word, how);
    track.execution = no_execution;
  }

  /// The wait is over; the execution that it is told of, if it has been told and continues with this word.
  std::uint64_t end_wait(std::size_t core, std::uint64_t cycle, std::optional<std::uint32_t> word) {
    Track& track = tracks[core];
    if (!track.waiting) return no_execution;
    const Waiting waiting = *std::exchange(track.waiting, std::nullopt);
    const std::uint64_t execution = std::exchange(track.waiting_execution, no_execution);
    if (cycle > waiting.begin)
      (waiting.wanting == Wanting::words ? track.sum.waiting_for_words : track.sum.waiting_for_room) +=
          cycle - waiting.begin;
    if (execution == no_execution) return no_execution;
    tell(core, cycle, execution, waiting.word, EventKind::stall_end, reason_of(waiting.wanting));
    if (word == waiting.word) return execution;
    tell(core, cycle, execution, waiting.word, EventKind::flush);
    return no_execution;
  }
};

JointTiming::JointTiming(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
JointTiming::JointTiming(JointTiming&&) noexcept = default;
JointTiming& JointTiming::operator=(JointTiming&&) noexcept = default;
JointTiming::~JointTiming() = default;

Result<JointTiming> JointTiming::create(std::span<const Program> programs, TimelineSink* sink,
                                        std::uint64_t max_cycles) {
  auto images = Images::create(programs);
  if (!images) return fail(std::move(images).error());
  auto impl = std::make_unique<Impl>();
  impl->images = std::move(*images);
  impl->sink = sink;
  impl->max_cycles = max_cycles;
  impl->info.machine = programs.front().machine + ':' + programs.front().variant;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    impl->first_words.push_back(impl->info.words.size());
    auto places = instructions(programs[i]);
    if (!places) return fail(std::move(places).error());
    const Info described = firmware::info(programs[i]).value();
    for (const CoreInfo& core : described.cores) impl->starts.emplace(core.name, core.start);
    const std::size_t first = impl->info.words.size();
    for (std::uint32_t word = 0; word < described.words; ++word)
      impl->info.words.push_back({impl->images.offsets[i] + std::uint64_t{word} * 4, {}});
    for (const Place& place : *places)
      if (const std::size_t word = first + impl->starts[place.core] + place.word; word < impl->info.words.size())
        impl->info.words[word].text = place.where + "  " + place.text;
  }
  return JointTiming(std::move(impl));
}

void JointTiming::begin(std::span<const CoreReport> cores) {
  Impl& impl = *impl_;
  impl.began = true;
  for (std::size_t i = 0; i < cores.size(); ++i) {
    impl.start = std::max(impl.start, cores[i].cycle);
    const std::size_t image = std::min(impl.images.image_of(i, cores[i].name), impl.first_words.size() - 1);
    impl.tracks.push_back({.first_word = impl.first_words[image], .sum = {.name = cores[i].name}, .waiting = {}});
    if (const auto start = impl.starts.find(cores[i].name); start != impl.starts.end())
      impl.tracks.back().waiting =
          Waiting{static_cast<std::uint8_t>(i), start->second + cores[i].pc, Wanting::words, 0};
    impl.info.threads.push_back(cores[i].name);
    impl.info.units.push_back(cores[i].name);
  }
  if (impl.sink != nullptr) impl.sink->begin(impl.info);
}

void JointTiming::step(const Executed& executed) {
  Impl& impl = *impl_;
  if (!impl.began || executed.core >= impl.tracks.size()) return;
  const std::uint64_t begin = executed.begin - impl.start, end = executed.end - impl.start;
  if (begin >= impl.max_cycles) {
    impl.complete = false;
    return;
  }
  impl.tell_until(begin);
  Track& track = impl.tracks[executed.core];
  const std::uint64_t waited = impl.end_wait(executed.core, begin, executed.word);
  track.execution = waited == no_execution ? impl.executions++ : waited;
  track.word = executed.word;
  track.end = std::min(end, impl.max_cycles);
  impl.tell(executed.core, begin, track.execution, track.word, EventKind::issue);
  impl.tell(executed.core, begin, track.execution, track.word, EventKind::execute_begin);
  ++track.sum.instructions;
  track.sum.executing += track.end - begin;
  track.sum.last = track.end;
  impl.cycles = std::max(impl.cycles, track.end);
}

void JointTiming::wait(const Waiting& waiting) {
  Impl& impl = *impl_;
  if (!impl.began || waiting.core >= impl.tracks.size() || waiting.begin - impl.start >= impl.max_cycles) return;
  Waiting counted = waiting;
  counted.begin -= impl.start;
  impl.tracks[waiting.core].waiting = counted;
}

void JointTiming::end() {
  Impl& impl = *impl_;
  impl.tell_until(impl.cycles);
  for (std::size_t core = 0; core < impl.tracks.size(); ++core) impl.end_wait(core, impl.cycles, std::nullopt);
  if (impl.sink != nullptr) impl.sink->end(impl.cycles);
}

std::vector<JointTiming::Core> JointTiming::cores() const {
  std::vector<Core> all;
  for (const Track& track : impl_->tracks) all.push_back(track.sum);
  return all;
}
std::uint64_t JointTiming::cycles() const { return impl_->cycles; }
bool JointTiming::complete() const { return impl_->complete; }

}  // namespace mobula::firmware
