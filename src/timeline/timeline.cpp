#include "mobula/lab/timeline.h"

#include <array>

namespace mobula {
namespace {

constexpr std::array kind_names{
    std::string_view{"issue"},      std::string_view{"execute_begin"}, std::string_view{"execute_end"},
    std::string_view{"write"},      std::string_view{"stall_begin"},   std::string_view{"stall_end"},
    std::string_view{"dependency"}, std::string_view{"retire"},        std::string_view{"flush"}};

constexpr auto all_kinds = [] {
  std::array<EventKind, kind_names.size()> kinds{};
  for (std::size_t i = 0; i < kinds.size(); ++i) kinds[i] = static_cast<EventKind>(i);
  return kinds;
}();

using enum StallReason;
constexpr std::array reasons{
    StallReasonInfo{.reason = none, .name = "none", .letter = ' ', .sentence = "It does not wait."},
    StallReasonInfo{.reason = thread_order,
                    .name = "thread_order",
                    .letter = 'o',
                    .sentence = "The words of a thread run one after the other, and the one before is not finished."},
    StallReasonInfo{.reason = unit_busy,
                    .name = "unit_busy",
                    .letter = 'u',
                    .sentence = "The unit it needs is still occupied by another word."},
    StallReasonInfo{.reason = not_selected,
                    .name = "not_selected",
                    .letter = 's',
                    .sentence = "The unit it needs took another ready word in this cycle; its turn comes later."},
    StallReasonInfo{.reason = read_after_write,
                    .name = "read_after_write",
                    .letter = 'd',
                    .sentence = "It reads a value that an earlier word has not delivered yet."},
    StallReasonInfo{.reason = write_after_read,
                    .name = "write_after_read",
                    .letter = 'a',
                    .sentence = "It would overwrite a value that an earlier word has not read yet."},
    StallReasonInfo{
        .reason = write_after_write,
        .name = "write_after_write",
        .letter = 'w',
        .sentence = "It writes where an earlier word has not written yet, and the later value must remain."},
    StallReasonInfo{.reason = register_port,
                    .name = "register_port",
                    .letter = 'p',
                    .sentence = "All ports of the register file that it could read or write through are in use."},
    StallReasonInfo{.reason = result_bus,
                    .name = "result_bus",
                    .letter = 'b',
                    .sentence = "Its result is ready, but another result is on the bus in this cycle."},
    StallReasonInfo{.reason = no_free_slot,
                    .name = "no_free_slot",
                    .letter = 'f',
                    .sentence = "The place it would wait in (a queue, a function unit, a reservation) is full."},
    StallReasonInfo{
        .reason = memory, .name = "memory", .letter = 'm', .sentence = "It waits for an answer from memory."},
    StallReasonInfo{.reason = texture,
                    .name = "texture",
                    .letter = 't',
                    .sentence = "It waits for texels of an earlier texture word."},
    StallReasonInfo{.reason = tile_buffer,
                    .name = "tile_buffer",
                    .letter = 'l',
                    .sentence = "An older fragment of the same pixel has to reach the tile buffer first."},
    StallReasonInfo{.reason = barrier,
                    .name = "barrier",
                    .letter = 'B',
                    .sentence = "It waits until every thread of its group has arrived at the barrier."},
    StallReasonInfo{.reason = branch,
                    .name = "branch",
                    .letter = 'j',
                    .sentence = "Where the program continues is not decided yet."},
    StallReasonInfo{.reason = fetch,
                    .name = "fetch",
                    .letter = 'i',
                    .sentence = "The instruction word itself has not arrived from memory."},
    StallReasonInfo{.reason = input,
                    .name = "input",
                    .letter = 'q',
                    .sentence = "It waits for data from outside the program, such as the next word of a packet."},
    StallReasonInfo{.reason = drain,
                    .name = "drain",
                    .letter = 'z',
                    .sentence = "It was told to wait until all earlier work is finished."},
    StallReasonInfo{.reason = no_work, .name = "no_work", .letter = 'n', .sentence = "There is nothing left to start."},
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < reasons.size(); ++i)
    if (reasons[i].reason != static_cast<StallReason>(i)) return false;
  return reasons.size() == stall_reason_count;
}
static_assert(in_order());
static_assert(kind_names.size() == static_cast<std::size_t>(EventKind::flush) + 1);

}  // namespace

std::string_view name(EventKind kind) { return kind_names[static_cast<std::size_t>(kind)]; }
std::span<const EventKind> event_kinds() { return all_kinds; }

std::span<const StallReasonInfo> stall_reasons() { return reasons; }
const StallReasonInfo& info(StallReason reason) { return reasons[static_cast<std::size_t>(reason)]; }

void TimelineFork::begin(const TimelineInfo& info) {
  for (TimelineSink* sink : sinks_)
    if (sink != nullptr) sink->begin(info);
}
void TimelineFork::on(const TimelineEvent& event) {
  for (TimelineSink* sink : sinks_)
    if (sink != nullptr) sink->on(event);
}
void TimelineFork::end(std::uint64_t cycles) {
  for (TimelineSink* sink : sinks_)
    if (sink != nullptr) sink->end(cycles);
}

}  // namespace mobula
