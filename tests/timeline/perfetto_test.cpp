#include <gmock/gmock.h>

#include <map>
#include <optional>
#include <set>

#include "timeline/sample.h"

namespace mobula {
namespace {

using ::testing::ElementsAre;

/// A decoded protobuf message: field number -> values. A decoder of its own, so that the encoder is not its own
/// witness.
struct Value {
  std::uint64_t number = 0;
  std::string bytes;
};
using Fields = std::multimap<unsigned, Value>;

std::optional<Fields> decode(std::string_view bytes) {
  Fields fields;
  std::size_t at = 0;
  const auto varint = [&]() -> std::optional<std::uint64_t> {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && at < bytes.size(); shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes[at++]);
      value |= std::uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return value;
    }
    return std::nullopt;
  };
  while (at < bytes.size()) {
    const auto key = varint();
    if (!key) return std::nullopt;
    Value value;
    switch (*key & 7) {
      case 0: {
        const auto number = varint();
        if (!number) return std::nullopt;
        value.number = *number;
        break;
      }
      case 1:
        if (bytes.size() - at < 8) return std::nullopt;
        for (unsigned i = 0; i < 8; ++i)
          value.number |= std::uint64_t{static_cast<unsigned char>(bytes[at++])} << (8 * i);
        break;
      case 2: {
        const auto size = varint();
        if (!size || *size > bytes.size() - at) return std::nullopt;
        value.bytes = bytes.substr(at, *size);
        at += *size;
        break;
      }
      default:
        return std::nullopt;
    }
    fields.emplace(static_cast<unsigned>(*key >> 3), value);
  }
  return fields;
}

std::uint64_t number(const Fields& fields, unsigned field) {
  const auto found = fields.find(field);
  return found == fields.end() ? 0 : found->second.number;
}
std::string text(const Fields& fields, unsigned field) {
  const auto found = fields.find(field);
  return found == fields.end() ? "" : found->second.bytes;
}

/// What a reader of the trace knows in the end.
struct Trace {
  struct Event {
    std::uint64_t time = 0, track = 0, type = 0;
    std::string name, detail;
    std::vector<std::uint64_t> flows;
  };
  std::vector<Event> events;
  std::map<std::uint64_t, std::string> tracks;  ///< uuid -> path of names
};

void read_trace(const std::string& bytes, Trace& trace) {
  const auto packets = decode(bytes);
  ASSERT_TRUE(packets);
  std::map<std::uint64_t, std::string> names, annotations;
  bool first = true;
  for (const auto& [packet_field, packet_value] : *packets) {
    ASSERT_EQ(packet_field, 1u);
    const auto packet = decode(packet_value.bytes);
    ASSERT_TRUE(packet);
    EXPECT_EQ(number(*packet, 10), 1u) << "trusted_packet_sequence_id";
    EXPECT_EQ(number(*packet, 13) & 1, first ? 1u : 0u) << "only the first packet clears the incremental state";
    first = false;
    if (packet->contains(12)) {
      const auto interned = decode(text(*packet, 12));
      ASSERT_TRUE(interned);
      for (const auto& [table, entry_value] : *interned) {
        const auto entry = decode(entry_value.bytes);
        ASSERT_TRUE(entry);
        ASSERT_TRUE(table == 2 || table == 3);
        const bool is_new = (table == 2 ? names : annotations).emplace(number(*entry, 1), text(*entry, 2)).second;
        EXPECT_TRUE(is_new) << "an interned string is written once: " << text(*entry, 2);
      }
    }
    if (packet->contains(60)) {
      const auto track = decode(text(*packet, 60));
      ASSERT_TRUE(track);
      EXPECT_FALSE(trace.tracks.contains(number(*track, 1))) << "a track is declared once";
      const std::uint64_t parent = number(*track, 5);
      EXPECT_TRUE(parent == 0 || trace.tracks.contains(parent));
      trace.tracks[number(*track, 1)] = (parent == 0 ? "" : trace.tracks[parent] + "/") + text(*track, 2);
    }
    if (packet->contains(11)) {
      const auto event = decode(text(*packet, 11));
      ASSERT_TRUE(event);
      ASSERT_TRUE(packet->contains(8)) << "timestamp";
      Trace::Event row{.time = number(*packet, 8), .track = number(*event, 11), .type = number(*event, 9)};
      ASSERT_TRUE(trace.tracks.contains(row.track)) << "track declared before use";
      if (event->contains(10)) {
        EXPECT_EQ(number(*packet, 13), 2u) << "a packet with interned names needs the incremental state";
        ASSERT_TRUE(names.contains(number(*event, 10)));
        row.name = names[number(*event, 10)];
      }
      for (auto [at, end] = event->equal_range(47); at != end; ++at) row.flows.push_back(at->second.number);
      for (auto [at, end] = event->equal_range(4); at != end; ++at) {
        const auto annotation = decode(at->second.bytes);
        ASSERT_TRUE(annotation);
        ASSERT_TRUE(annotations.contains(number(*annotation, 1)));
        if (annotations[number(*annotation, 1)] == "detail") row.detail = text(*annotation, 6);
      }
      trace.events.push_back(row);
    }
  }
}

/// "path [begin,end) name" for every slice, in order of its end; also that slices of one track nest.
std::vector<std::string> slices(Trace& trace) {
  std::stable_sort(trace.events.begin(), trace.events.end(), [](auto& a, auto& b) { return a.time < b.time; });
  std::map<std::uint64_t, std::vector<Trace::Event>> open;
  std::vector<std::string> result;
  for (const Trace::Event& event : trace.events) {
    auto& stack = open[event.track];
    if (event.type == 1) {
      EXPECT_TRUE(stack.empty()) << "slices of one track do not overlap";
      stack.push_back(event);
    } else if (event.type == 2) {
      if (stack.empty()) {
        ADD_FAILURE() << "end without begin";
        continue;
      }
      result.push_back(trace.tracks[event.track] + " [" + std::to_string(stack.back().time) + "," +
                       std::to_string(event.time) + ") " + stack.back().name);
      stack.pop_back();
    }
  }
  for (const auto& [track, stack] : open) EXPECT_TRUE(stack.empty()) << "open slice on " << trace.tracks[track];
  return result;
}

TEST(PerfettoTimeline, HasASliceForEveryExecutionAndStall) {
  Trace trace;
  read_trace(view_of_sample(perfetto_timeline), trace);
  const std::string root = "toy:one (1 cycle = 1 ns)/";
  EXPECT_THAT(slices(trace), ElementsAre(root + "threads/thread 1 [0,2) unit_busy",             //
                                         root + "threads/left [0,4) 0x0: add r0, r1",           //
                                         root + "units/A [0,4) 0x0: add r0, r1",                //
                                         root + "threads/thread 1 [2,6) 0x0: add r0, r1",       //
                                         root + "units/A [2,6) 0x0: add r0, r1",                //
                                         root + "threads/thread 1 [6,7) 0x10: load\tr2 \"q\"",  //
                                         root + "units/LS [6,7) 0x10: load\tr2 \"q\"",          //
                                         root + "threads/left [5,9) 0x10: load\tr2 \"q\"",      //
                                         root + "units/LS [5,9) 0x10: load\tr2 \"q\""));
}

TEST(PerfettoTimeline, OverlappingSlicesOfAUnitTakeSeveralTracksOfOneName) {
  Trace trace;
  read_trace(view_of_sample(perfetto_timeline), trace);
  int tracks_of_a = 0;
  for (const auto& [uuid, path] : trace.tracks) tracks_of_a += path.ends_with("units/A") ? 1 : 0;
  EXPECT_EQ(tracks_of_a, 2);
}

TEST(PerfettoTimeline, FlowsLeadFromTheProducersEndToTheConsumersBegin) {
  Trace trace;
  read_trace(view_of_sample(perfetto_timeline), trace);
  std::map<std::uint64_t, std::vector<std::string>> flows;
  std::stable_sort(trace.events.begin(), trace.events.end(), [](auto& a, auto& b) { return a.time < b.time; });
  for (const Trace::Event& event : trace.events)
    for (const std::uint64_t flow : event.flows)
      flows[flow].push_back(std::to_string(event.time) + " " + trace.tracks[event.track].substr(25) + " " + event.name);
  ASSERT_EQ(flows.size(), 2u);
  EXPECT_THAT(flows[1], ElementsAre("4 threads/left result", "5 threads/left 0x10: load\tr2 \"q\""));
  EXPECT_THAT(flows[2], ElementsAre("6 threads/thread 1 result", "6 threads/thread 1 0x10: load\tr2 \"q\""));
}

TEST(PerfettoTimeline, TellsTheDetailOfAStallAndMarksFlushes) {
  Trace trace;
  read_trace(view_of_sample(perfetto_timeline), trace);
  bool saw_stall = false, saw_flush = false, saw_dependency = false;
  for (const Trace::Event& event : trace.events) {
    if (event.name == "unit_busy") {
      saw_stall = true;
      EXPECT_EQ(event.detail, "waits for A, after left at 0x0");
    }
    saw_dependency |= event.time == 5 && event.detail == "read_after_write (RAW) on 0x0";
    if (event.name == "flushed") {
      saw_flush = true;
      EXPECT_EQ(event.type, 3u);
      EXPECT_EQ(event.time, 7u);
    }
  }
  EXPECT_TRUE(saw_stall);
  EXPECT_TRUE(saw_dependency);
  EXPECT_TRUE(saw_flush);
}

TEST(PerfettoTimeline, LongTraceDecodes) {
  std::string bytes;
  const TimelineInfo info = sample_info();
  const auto view = perfetto_timeline([&](std::string_view piece) { bytes += piece; });
  play_long(*view, info, 1000);
  Trace trace;
  read_trace(bytes, trace);
  EXPECT_EQ(slices(trace).size(), 2000u);
}

}  // namespace
}  // namespace mobula
