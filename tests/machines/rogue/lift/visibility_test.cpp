// Alpha tests, depth feedback and masks, against what the policies say.
#include <gmock/gmock.h>

#include <array>

#include "machines/rogue/lift_run.h"

namespace mobula::rogue {
namespace {

/// P0 of data OP reference, by Vulkan's number of the comparison.
bool passes(std::uint32_t operation, float data, float reference) {
  Task task("main { s0 = r0; s1 = r1; s2 = r2; be: atst.ifb p0, s0, s1, s2 }\nnop.end");
  task.set("r0", reference).set("r1", data).set("r2", operation).run();
  EXPECT_EQ(task.fault(), "");
  return task.get("p0") != 0;
}

TEST(AlphaTest, ComparesAsTheStateSays) {
  // never, less, equal, less or equal, greater, not equal, greater or equal, always
  constexpr std::array<std::array<bool, 4>, 8> expected{{{false, false, false, false},
                                                         {true, false, false, false},
                                                         {false, true, false, false},
                                                         {true, true, false, false},
                                                         {false, false, true, false},
                                                         {true, false, true, true},
                                                         {false, true, true, false},
                                                         {true, true, true, true}}};
  for (std::uint32_t operation = 0; operation < 8; ++operation) {
    EXPECT_EQ(passes(operation, 0.25f, 0.5f), expected[operation][0]) << operation;
    EXPECT_EQ(passes(operation, 0.5f, 0.5f), expected[operation][1]) << operation;
    EXPECT_EQ(passes(operation, 0.75f, 0.5f), expected[operation][2]) << operation;
    EXPECT_EQ(passes(operation, number(0x7FC00000), 0.5f), expected[operation][3]) << operation << " NaN";
  }
}

TEST(AlphaTest, IsAPolicy) {
  Task task("main { s0 = r0; s1 = r1; s2 = r2; be: atst p0, s0, s1, s2 }", 1, {{"alpha_test", "trap"}});
  EXPECT_THAT(task.run().fault(), testing::HasSubstr("alpha_test"));
}

constexpr std::string_view colour = "main olchk { s0 = r9; is4 = ft0; p0: mbyp ft0, s0; w0 = po0 }\nnop.end";

TEST(AlphaTest, WithoutIfbItHidesPixels) {
  // What Mesa's compiler makes of discard: feedback that always passes, where the pixel is kept.
  Task task("if(p0) main { s0 = sc0; s1 = sc0; s2 = sc7; be: atst _, s0, s1, s2 }\n" + std::string(colour), 3);
  task.set("p0", [](std::uint32_t lane) { return lane == 1 ? 0u : ~0u; }).run();
  EXPECT_EQ(task.fault(), "");
  EXPECT_TRUE(task.environment.colours.contains(0));
  EXPECT_FALSE(task.environment.colours.contains(1));
  EXPECT_TRUE(task.environment.colours.contains(2));
  Task failing("main { s0 = sc0; s1 = sc0; s2 = sc0; be: atst _, s0, s1, s2 }\n" + std::string(colour));
  EXPECT_TRUE(failing.run().environment.colours.empty());
  Task asked("main { s0 = sc0; s1 = sc0; s2 = sc0; be: atst.ifb _, s0, s1, s2 }\n" + std::string(colour));
  EXPECT_EQ(asked.run().environment.colours.size(), 1u) << "only asks";
}

TEST(Depth, LeavesWithThePixel) {
  Task task("main { s0 = r0; is0 = s0; is4 = fte; be: depthf w0 }\n" + std::string(colour), 2);
  task.set("r0", [](std::uint32_t lane) { return bits(lane == 0 ? 0.25f : 0.75f); }).run();
  EXPECT_EQ(task.fault(), "");
  EXPECT_EQ(number(task.environment.depths.at(0)), 0.25f);
  EXPECT_EQ(number(task.environment.depths.at(1)), 0.75f);
}

TEST(Masks, SamplesOfAPixel) {
  Task task("main { be: savmsk.vm w0, w1; w0 = r0 }\nmain { be: savmsk.icm w0, w1; w0 = r1 }\nnop.end", 2);
  task.set("sr63", [](std::uint32_t lane) { return lane == 0 ? 1u : 0u; }).run();
  EXPECT_EQ(task.fault(), "");
  EXPECT_EQ(task.get("r0", 0), 1u);
  EXPECT_EQ(task.get("r0", 1), 0u) << "a helper";
  EXPECT_EQ(task.get("r1", 0), 1u);
  EXPECT_THAT(Task("main { be: savmsk.icm w0, w1; w0 = r1 }", 1, {{"coverage", "trap"}}).run().fault(),
              testing::HasSubstr("coverage"));
}

TEST(Masks, InstancesThatRun) {
  const auto run = [](const std::string& value) {
    Task task("(ignorepe) ctrl { cndst p0, i0, i0, 1 }\n(ignorepe) main olchk { be: movmsk w0; w0 = r0 }\nnop.end", 4,
              {{"execution_mask", value}});
    task.set("p0", [](std::uint32_t lane) { return lane % 2 == 0 ? 0u : ~0u; }).run();
    return task;
  };
  EXPECT_THAT(run("trap").fault(), testing::HasSubstr("execution_mask"));
  EXPECT_EQ(run("instance").get("r0", 0), 0u);
  EXPECT_EQ(run("instance").get("r0", 1), 1u);
  EXPECT_EQ(run("task").get("r0", 0), 0b1010u);
}

TEST(Masks, WhatHasNoMeaningStops) {
  for (const std::string text :
       {"main { be: savmsk.caxy w0, w1; w0 = r0 }", "main { be: savmsk.vm w0, w1; w0 = r0; w1 = r1 }",
        "main olchk { s0 = r0; be: movmsk.sm w0, s0; w0 = r1 }"})
    EXPECT_THAT(Task(text).run().fault(), testing::HasSubstr("not published")) << text;
}

}  // namespace
}  // namespace mobula::rogue
