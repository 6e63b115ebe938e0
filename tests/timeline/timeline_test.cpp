#include "mobula/lab/timeline.h"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <set>

#include "paths.h"
#include "timeline/contract.h"
#include "timeline/sample.h"

namespace mobula {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(StallReasons, HaveDistinctNamesAndLettersAndASentence) {
  std::set<std::string_view> names;
  std::set<char> letters;
  for (const StallReasonInfo& row : stall_reasons()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_TRUE(letters.insert(row.letter).second) << row.name;
    EXPECT_EQ(std::string("IXWRF").find(row.letter), std::string::npos) << row.name << " takes the letter of an event";
    EXPECT_TRUE(row.sentence.ends_with('.')) << row.name;
    EXPECT_EQ(&info(row.reason), &row);
  }
}

TEST(StallReasons, AreDocumentedAsTheyAre) {
  std::ifstream file(mobula::test::source_file("docs/timeline.md"));
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  for (const StallReasonInfo& row : stall_reasons()) {
    if (row.reason == StallReason::none) continue;
    const std::string line =
        "| `" + std::string(row.name) + "` | `" + row.letter + "` | " + std::string(row.sentence) + " |\n";
    EXPECT_NE(page.find(line), std::string::npos) << line;
  }
}

TEST(EventKinds, HaveDistinctNames) {
  std::set<std::string_view> names;
  for (const EventKind kind : event_kinds()) EXPECT_TRUE(names.insert(name(kind)).second) << name(kind);
  EXPECT_EQ(names.size(), static_cast<std::size_t>(EventKind::flush) + 1);
}

TEST(TimelineContract, HoldsForTheSample) {
  TimelineContract contract;
  const TimelineInfo info = sample_info();
  play_sample(contract, info);
  EXPECT_THAT(contract.broken(), IsEmpty());
}

TEST(TimelineContract, NoticesWhatIsWrong) {
  TimelineContract contract;
  const TimelineInfo info = sample_info();
  contract.begin(info);
  contract.on({.cycle = 5, .execution = 0, .unit = 0, .kind = EventKind::execute_begin});
  contract.on({.cycle = 4, .execution = 0, .kind = EventKind::retire});
  contract.on({.cycle = 4, .execution = 2, .kind = EventKind::stall_begin});
  contract.end(4);
  EXPECT_THAT(contract.broken(), ElementsAre("cycle 4: goes back in time", "cycle 4: ends while executing or stalled",
                                             "cycle 4: execution numbers are not consecutive",
                                             "cycle 4: event of an execution that has ended"));
}

TEST(TimelineFork, PassesEverythingOnToEach) {
  std::string one, two;
  const auto first = konata_timeline([&](std::string_view piece) { one += piece; });
  const auto second = konata_timeline([&](std::string_view piece) { two += piece; });
  TimelineFork fork({first.get(), second.get()});
  const TimelineInfo info = sample_info();
  play_sample(fork, info);
  EXPECT_FALSE(one.empty());
  EXPECT_EQ(one, two);
}

TEST(Views, WriteLongTimelinesInPieces) {
  const TimelineInfo info = sample_info();
  const auto expect_pieces = [&](auto make) {
    std::size_t pieces = 0, largest = 0;
    const auto view = make([&](std::string_view piece) {
      ++pieces;
      largest = std::max(largest, piece.size());
    });
    play_long(*view, info, 20000);
    EXPECT_GT(pieces, 5u);
    EXPECT_LE(largest, 1u << 16);
  };
  expect_pieces(konata_timeline);
  expect_pieces(json_timeline);
  expect_pieces(perfetto_timeline);
}

}  // namespace
}  // namespace mobula
