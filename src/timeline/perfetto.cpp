#include <algorithm>
#include <protozero/pbf_writer.hpp>
#include <unordered_map>

#include "mobula/lab/timeline.h"
#include "timeline/output.h"

namespace mobula {
namespace {

using namespace timeline;
using protozero::pbf_writer;

// Field numbers: protos/perfetto/trace/{trace,trace_packet}.proto, interned_data/interned_data.proto,
// track_event/{track_event,track_descriptor,debug_annotation}.proto of the Perfetto project.
namespace field {
namespace trace {
constexpr std::uint32_t packet = 1;
}
namespace packet {
constexpr std::uint32_t timestamp = 8, sequence_id = 10, track_event = 11, interned_data = 12, sequence_flags = 13,
                        track_descriptor = 60;
}
namespace interned {
constexpr std::uint32_t event_names = 2, annotation_names = 3, iid = 1, name = 2;
}
namespace descriptor {
constexpr std::uint32_t uuid = 1, name = 2, parent = 5;
}
namespace event {
constexpr std::uint32_t annotations = 4, type = 9, name_iid = 10, track = 11, flow_ids = 47;
}
namespace annotation {
constexpr std::uint32_t name_iid = 1, uint_value = 3, string_value = 6;
}
}  // namespace field

enum SequenceFlags : std::uint32_t { incremental_state_cleared = 1, needs_incremental_state = 2 };
enum class Type : std::uint32_t { slice_begin = 1, slice_end = 2, instant = 3 };
enum AnnotationName : std::uint32_t { annotation_thread = 1, annotation_execution, annotation_detail };
constexpr std::uint64_t sequence = 1;

/// Slices of one Perfetto track must nest. What overlaps (a pipelined unit, out-of-order words of a thread) is spread
/// over as many tracks of the same name as overlap at most: lanes.
class Lanes {
 public:
  /// Occupies the first free lane.
  std::uint32_t take() {
    const auto free = std::find(busy_.begin(), busy_.end(), false);
    const auto lane = static_cast<std::uint32_t>(free - busy_.begin());
    if (free == busy_.end()) busy_.push_back(true);
    busy_[lane] = true;
    return lane;
  }
  void release(std::uint32_t lane) { busy_[lane] = false; }
  [[nodiscard]] bool idle() const { return std::find(busy_.begin(), busy_.end(), true) == busy_.end(); }

 private:
  std::vector<bool> busy_;
};

// Numbers of tracks: three groups, then a range for each unit and each thread with their lanes in the low bits.
constexpr std::uint64_t machine_track = 1, units_track = 2, threads_track = 3;
constexpr unsigned lane_bits = 20;
constexpr std::uint64_t unit_tracks = std::uint64_t{1} << 60, thread_tracks = std::uint64_t{2} << 60;
constexpr std::uint64_t unit_track(std::uint32_t unit, std::uint32_t lane) {
  return unit_tracks | std::uint64_t{unit} << lane_bits | lane;
}
constexpr std::uint64_t thread_track(std::uint32_t thread, std::uint32_t lane) {
  return thread_tracks | std::uint64_t{thread} << lane_bits | lane;
}
constexpr std::uint32_t lane_of(std::uint64_t track) { return track & ((1u << lane_bits) - 1); }

class PerfettoTimeline final : public TimelineSink {
 public:
  explicit PerfettoTimeline(TimelineOutput output) : out_(std::move(output)), finished_(remembered) {}

  void begin(const TimelineInfo& info) override {
    info_ = &info;
    declare_annotation_names();
    declare_track(machine_track, info.machine + " (1 cycle = 1 ns)", 0);
    declare_track(units_track, "units", machine_track);
    declare_track(threads_track, "threads", machine_track);
    units_.resize(info.units.size());
    unit_lanes_.assign(info.units.size(), 1);
    for (std::uint32_t unit = 0; unit < info.units.size(); ++unit)
      declare_track(unit_track(unit, 0), unit_name(info, unit), units_track);
  }

  void on(const TimelineEvent& event) override {
    switch (event.kind) {
      case EventKind::issue:
      case EventKind::write:
        break;  // points inside or beside the slices
      case EventKind::execute_begin:
        execute_begin(event);
        break;
      case EventKind::execute_end:
        execute_end(event);
        break;
      case EventKind::stall_begin:
        stall_begin(event);
        break;
      case EventKind::stall_end:
        stall_end(event);
        break;
      case EventKind::dependency:
        if (event.cause.execution != no_execution) dependency(event);
        break;
      case EventKind::retire:
        in_flight_.erase(event.execution);
        break;
      case EventKind::flush:
        flush(event);
        break;
    }
  }

  void end(std::uint64_t) override { out_.flush(); }

 private:
  /// Tracks of the slices an execution has open (0 = none) and the dependency arrows that wait for a slice to start or
  /// end at.
  struct InFlight {
    std::uint64_t unit_track = 0, thread_track = 0, stall_track = 0;
    std::vector<std::uint64_t> flows_in, flows_out;
    std::string depends;  ///< on what, for a person
  };
  /// Where and when an execution ended; arrows may still start there.
  struct Finished {
    std::uint64_t execution = no_execution, cycle = 0, track = 0;
  };
  /// Executions whose end is remembered. An arrow from an older one is left out.
  static constexpr std::size_t remembered = 1u << 14;

  enum FixedNames : std::uint64_t { name_result = 1, name_flushed, first_reason_name };
  static std::uint64_t reason_name(StallReason reason) {
    return first_reason_name + static_cast<std::uint64_t>(reason);
  }
  static std::uint64_t word_name(std::uint32_t word) { return first_reason_name + stall_reasons().size() + word; }

  void execute_begin(const TimelineEvent& event) {
    InFlight& state = in_flight_[event.execution];
    if (event.unit < units_.size()) {
      state.unit_track = take_unit(event.unit);
      start_event(Type::slice_begin, state.unit_track);
      annotate(annotation_thread, event.thread);
      annotate(annotation_execution, event.execution);
      write_word_event(event);
    }
    state.thread_track = take_thread(event.thread);
    start_event(Type::slice_begin, state.thread_track);
    annotate(annotation_execution, event.execution);
    if (!state.depends.empty()) annotate(annotation_detail, state.depends);
    state.depends.clear();
    for (const std::uint64_t flow : state.flows_in) add_flow(flow);
    state.flows_in.clear();
    write_word_event(event);
  }

  void execute_end(const TimelineEvent& event) {
    InFlight& state = in_flight_[event.execution];
    if (state.thread_track != 0) {
      if (!state.flows_out.empty()) result(event.cycle, state.thread_track, state.flows_out);
      state.flows_out.clear();
      finished_[event.execution % remembered] = {event.execution, event.cycle, state.thread_track};
      end_thread_slice(event, state.thread_track);
    }
    if (state.unit_track != 0) {
      units_[event.unit].release(lane_of(state.unit_track));
      end_slice(event.cycle, state.unit_track);
    }
  }

  void stall_begin(const TimelineEvent& event) {
    InFlight& state = in_flight_[event.execution];
    state.stall_track = take_thread(event.thread);
    start_event(Type::slice_begin, state.stall_track);
    annotate(annotation_execution, event.execution);
    if (const std::string detail = stall_detail(*info_, event); !detail.empty()) annotate(annotation_detail, detail);
    write_event(event.cycle, reason_name(event.reason), mobula::info(event.reason).name);
  }

  void stall_end(const TimelineEvent& event) {
    InFlight& state = in_flight_[event.execution];
    if (state.stall_track != 0) end_thread_slice(event, state.stall_track);
  }

  /// The arrow ends at the consumer's next slice. It starts where the producer ended, or will end.
  void dependency(const TimelineEvent& event) {
    const std::uint64_t flow = next_flow_;
    if (const auto producer = in_flight_.find(event.cause.execution);
        producer != in_flight_.end() && producer->second.thread_track != 0) {
      producer->second.flows_out.push_back(flow);
    } else if (const Finished& end = finished_[event.cause.execution % remembered];
               end.execution == event.cause.execution) {
      result(end.cycle, end.track, {&flow, 1});
    } else {
      return;
    }
    ++next_flow_;
    InFlight& consumer = in_flight_[event.execution];
    consumer.flows_in.push_back(flow);
    if (const std::string detail = dependency_detail(*info_, event); !detail.empty())
      consumer.depends += (consumer.depends.empty() ? "" : "; ") + detail;
  }

  void flush(const TimelineEvent& event) {
    declare_thread(event.thread, 0);
    start_event(Type::instant, thread_track(event.thread, 0));
    annotate(annotation_execution, event.execution);
    write_event(event.cycle, name_flushed, "flushed");
    in_flight_.erase(event.execution);
  }

  /// A mark that arrows start from. It may lie in the past: the reader sorts packets by time.
  void result(std::uint64_t cycle, std::uint64_t track, std::span<const std::uint64_t> flows) {
    start_event(Type::instant, track);
    for (const std::uint64_t flow : flows) add_flow(flow);
    write_event(cycle, name_result, "result");
  }

  void end_thread_slice(const TimelineEvent& event, std::uint64_t& track) {
    const auto lanes = threads_.find(event.thread);
    lanes->second.release(lane_of(track));
    if (lanes->second.idle()) threads_.erase(lanes);
    end_slice(event.cycle, track);
  }
  void end_slice(std::uint64_t cycle, std::uint64_t& track) {
    start_event(Type::slice_end, track);
    track = 0;
    write_packet(cycle, 0);
  }

  std::uint64_t take_unit(std::uint32_t unit) {
    const std::uint32_t lane = units_[unit].take();
    if (lane >= unit_lanes_[unit]) {
      unit_lanes_[unit] = lane + 1;
      declare_track(unit_track(unit, lane), unit_name(*info_, unit), units_track);
    }
    return unit_track(unit, lane);
  }
  std::uint64_t take_thread(std::uint32_t thread) {
    const std::uint32_t lane = threads_[thread].take();
    declare_thread(thread, lane);
    return thread_track(thread, lane);
  }
  void declare_thread(std::uint32_t thread, std::uint32_t lane) {
    if (thread >= thread_lanes_.size()) thread_lanes_.resize(std::size_t{thread} + 1);
    if (lane < thread_lanes_[thread]) return;
    thread_lanes_[thread] = static_cast<std::uint16_t>(lane + 1);
    declare_track(thread_track(thread, lane), thread_name(*info_, thread), threads_track);
  }

  void declare_track(std::uint64_t track, std::string_view track_name, std::uint64_t parent) {
    packet_.clear();
    pbf_writer packet(packet_);
    packet.add_uint64(field::packet::sequence_id, sequence);
    {
      pbf_writer descriptor(packet, field::packet::track_descriptor);
      descriptor.add_uint64(field::descriptor::uuid, track);
      descriptor.add_string(field::descriptor::name, view(track_name));
      if (parent != 0) descriptor.add_uint64(field::descriptor::parent, parent);
    }
    write_trace();
  }

  void declare_annotation_names() {
    packet_.clear();
    pbf_writer packet(packet_);
    packet.add_uint64(field::packet::sequence_id, sequence);
    packet.add_uint32(field::packet::sequence_flags, incremental_state_cleared);
    {
      pbf_writer names(packet, field::packet::interned_data);
      intern(names, field::interned::annotation_names, annotation_thread, "thread");
      intern(names, field::interned::annotation_names, annotation_execution, "execution");
      intern(names, field::interned::annotation_names, annotation_detail, "detail");
    }
    write_trace();
  }

  static protozero::data_view view(std::string_view text) { return {text.data(), text.size()}; }

  static void intern(pbf_writer& data, std::uint32_t table, std::uint64_t iid, std::string_view text) {
    pbf_writer entry(data, table);
    entry.add_uint64(field::interned::iid, iid);
    entry.add_string(field::interned::name, view(text));
  }

  void start_event(Type type, std::uint64_t track) {
    event_.clear();
    pbf_writer event(event_);
    event.add_uint32(field::event::type, static_cast<std::uint32_t>(type));
    event.add_uint64(field::event::track, track);
  }
  void add_flow(std::uint64_t flow) { pbf_writer(event_).add_fixed64(field::event::flow_ids, flow); }
  void annotate(AnnotationName annotation, std::uint64_t value) {
    pbf_writer event(event_), entry(event, field::event::annotations);
    entry.add_uint32(field::annotation::name_iid, annotation);
    entry.add_uint64(field::annotation::uint_value, value);
  }
  void annotate(AnnotationName annotation, std::string_view value) {
    pbf_writer event(event_), entry(event, field::event::annotations);
    entry.add_uint32(field::annotation::name_iid, annotation);
    entry.add_string(field::annotation::string_value, view(value));
  }

  void write_word_event(const TimelineEvent& event) {
    const std::uint64_t iid = word_name(event.word);
    write_event(event.cycle, iid, is_interned(iid) ? std::string() : word_label(*info_, event.word));
  }
  void write_event(std::uint64_t cycle, std::uint64_t iid, std::string_view text) {
    pbf_writer(event_).add_uint64(field::event::name_iid, iid);
    interned_.clear();
    if (!is_interned(iid)) {
      pbf_writer interned(interned_);
      intern(interned, field::interned::event_names, iid, text);
      if (iid >= known_names_.size()) known_names_.resize(iid + 1);
      known_names_[iid] = true;
    }
    write_packet(cycle, needs_incremental_state);
  }
  [[nodiscard]] bool is_interned(std::uint64_t iid) const { return iid < known_names_.size() && known_names_[iid]; }

  void write_packet(std::uint64_t cycle, std::uint32_t flags) {
    packet_.clear();
    pbf_writer packet(packet_);
    packet.add_uint64(field::packet::timestamp, cycle);
    packet.add_uint64(field::packet::sequence_id, sequence);
    if (flags != 0) packet.add_uint32(field::packet::sequence_flags, flags);
    if (!interned_.empty()) packet.add_message(field::packet::interned_data, interned_);
    interned_.clear();
    packet.add_message(field::packet::track_event, event_);
    write_trace();
  }
  void write_trace() {
    trace_.clear();
    pbf_writer(trace_).add_message(field::trace::packet, packet_);
    out_ << trace_;
  }

  OutputBuffer out_;
  const TimelineInfo* info_ = nullptr;
  std::vector<Lanes> units_;
  std::vector<std::uint32_t> unit_lanes_;             ///< declared
  std::unordered_map<std::uint32_t, Lanes> threads_;  ///< of those with an open slice
  std::vector<std::uint16_t> thread_lanes_;           ///< declared
  std::unordered_map<std::uint64_t, InFlight> in_flight_;
  std::vector<Finished> finished_;
  std::vector<bool> known_names_;
  std::uint64_t next_flow_ = 1;
  std::string trace_, packet_, event_, interned_;  ///< messages
};

}  // namespace

std::unique_ptr<TimelineSink> perfetto_timeline(TimelineOutput output) {
  return std::make_unique<PerfettoTimeline>(std::move(output));
}

}  // namespace mobula
