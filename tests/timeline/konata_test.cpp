#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <vector>

#include "timeline/sample.h"

namespace mobula {
namespace {

TEST(KonataTimeline, WritesTheSample) {
  EXPECT_EQ(view_of_sample(konata_timeline),
            "Kanata\t0004\n"
            "C=\t0\n"
            "I\t0\t0\t0\n"
            "L\t0\t0\t0x0: add r0, r1\n"
            "L\t0\t1\tleft\n"
            "S\t0\t0\tIs\n"
            "S\t0\t0\tXA\n"
            "I\t1\t1\t1\n"
            "L\t1\t0\t0x0: add r0, r1\n"
            "L\t1\t1\tthread 1\n"
            "S\t1\t1\tunit_busy\n"
            "L\t1\t2\tThe unit it needs is still occupied by another word.\n"
            "L\t1\t2\t (waits for A, after left at 0x0)\n"
            "C\t2\n"
            "E\t1\t1\tunit_busy\n"
            "S\t1\t0\tIs\n"
            "S\t1\t0\tXA\n"
            "C\t2\n"
            "E\t0\t0\tXA\n"
            "S\t0\t0\tWb\n"
            "C\t1\n"
            "R\t0\t0\t0\n"
            "I\t2\t2\t0\n"
            "L\t2\t0\t0x10: load r2 \"q\"\n"
            "L\t2\t1\tleft\n"
            "W\t2\t0\t0\n"
            "L\t2\t2\tread_after_write (RAW) on 0x0; \n"
            "S\t2\t0\tXLS\n"
            "I\t3\t3\t1\n"
            "L\t3\t0\t0x10: load r2 \"q\"\n"
            "L\t3\t1\tthread 1\n"
            "W\t3\t1\t0\n"
            "C\t1\n"
            "E\t1\t0\tXA\n"
            "R\t1\t1\t0\n"
            "S\t3\t0\tXLS\n"
            "C\t1\n"
            "E\t3\t0\tXLS\n"
            "R\t3\t2\t1\n"
            "C\t2\n"
            "E\t2\t0\tXLS\n"
            "R\t2\t2\t0\n");
}

/// The format's own rules, checked line by line on a longer log.
TEST(KonataTimeline, KeepsTheRulesOfTheFormat) {
  std::string text;
  const TimelineInfo info = sample_info();
  const auto view = konata_timeline([&](std::string_view piece) { text += piece; });
  play_long(*view, info, 500);
  std::istringstream lines(text);
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  EXPECT_EQ(line, "Kanata\t0004");
  std::map<std::string, bool> alive;
  std::uint64_t retired = 0;
  while (std::getline(lines, line)) {
    std::vector<std::string> columns;
    std::istringstream stream(line);
    for (std::string column; std::getline(stream, column, '\t');) columns.push_back(column);
    const std::string& command = columns.at(0);
    if (command == "C=" || command == "C") continue;
    if (command == "I") {
      ASSERT_EQ(columns.size(), 4u);
      EXPECT_EQ(columns[1], std::to_string(alive.size())) << "ids are sequential";
      alive[columns[1]] = true;
      continue;
    }
    ASSERT_TRUE(alive.contains(columns.at(1))) << line;
    EXPECT_TRUE(alive[columns[1]]) << line << ": after its R";
    if (command == "R") {
      EXPECT_EQ(columns.at(2), std::to_string(retired++));
      alive[columns[1]] = false;
    }
  }
  EXPECT_EQ(alive.size(), 500u);
  for (const auto& [id, is_alive] : alive) EXPECT_FALSE(is_alive) << id << " never retired";
}

}  // namespace
}  // namespace mobula
