#include <gtest/gtest.h>

#include "timeline/sample.h"

namespace mobula {
namespace {

TEST(TextTimeline, ShowsARowAnExecutionAndAColumnACycle) {
  EXPECT_EQ(view_of_sample([](TimelineOutput output) { return text_timeline(std::move(output)); }),
            "          |0.........|\n"
            "left      |IXXXWR    |  0x0: add r0, r1\n"
            "left      |     XXXXR|  0x10: load\tr2 \"q\"\n"
            "thread 1  |uuIXXXR   |  0x0: add r0, r1\n"
            "thread 1  |      XF  |  0x10: load\tr2 \"q\"\n"
            "I issued, X executing, W result written, R finished, F abandoned; waiting:\n"
            "u unit_busy: The unit it needs is still occupied by another word.\n");
}

TEST(TextTimeline, SaysWhatIsCut) {
  const std::string text = view_of_sample(
      [](TimelineOutput output) { return text_timeline(std::move(output), {.max_cycles = 4, .max_rows = 1}); });
  EXPECT_EQ(text,
            "      |0...|\n"
            "left  |IXXX|  0x0: add r0, r1\n"
            "I issued, X executing, W result written, R finished, F abandoned; waiting:\n"
            "Cut after cycle 3 of 9.\n"
            "1 of 4 word executions shown.\n");
}

/// The abbreviations stand beside the names.
TEST(TextTimeline, NamesHazardsAsBooksDo) {
  using enum StallReason;
  for (const auto& [reason, line] : {std::pair{read_after_write, "\nd read_after_write (RAW): It reads"},
                                     {write_after_read, "\na write_after_read (WAR): It would"},
                                     {write_after_write, "\nw write_after_write (WAW): It writes"}}) {
    std::string text;
    const auto view = text_timeline([&](std::string_view piece) { text += piece; });
    const TimelineInfo info = sample_info();
    view->begin(info);
    for (const auto& [cycle, kind] : {std::pair{0u, EventKind::stall_begin}, {2u, EventKind::stall_end}})
      view->on({.cycle = cycle, .execution = 0, .thread = 0, .word = 0, .kind = kind, .reason = reason});
    view->on({.cycle = 2, .execution = 0, .thread = 0, .word = 0, .kind = EventKind::retire});
    view->end(2);
    EXPECT_NE(text.find(line), std::string::npos) << text;
  }
}

TEST(TextTimeline, KeepsOnlyTheRowsItShows) {
  std::string text;
  const TimelineInfo info = sample_info();
  const auto view = text_timeline([&](std::string_view piece) { text += piece; }, {.max_cycles = 10, .max_rows = 3});
  play_long(*view, info, 50000);
  EXPECT_LT(text.size(), 400u);
  EXPECT_NE(text.find("Cut after cycle 9 of 100000.\n3 of 50000 word executions shown.\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace mobula
