#include "machines/afuc/image/calls.h"

#include <gtest/gtest.h>

#include <ctime>

#include "machines/afuc/build.h"
#include "mobula/isa/firmware_flow.h"
#include "mobula/isa/firmware_info.h"
#include "trials.h"

namespace mobula::afuc {
namespace {

const std::string header_of_a630 = "[016ee001]\n[#jumptbl]\n", packet_table = "\njumptbl:\n.jumptbl\n";

/// "0:2 6:1! 10:0": the entries with their depth, a sign after what calls itself.
std::string nesting(const std::string& body) {
  const Program program = assemble_text(header_of_a630 + body + packet_table).value();
  const Image image(program);
  std::string text;
  for (const Function& each : functions(image, image.cores()[0]))
    text += (text.empty() ? "" : " ") + std::to_string(each.entry) + ':' + std::to_string(each.depth) +
            (each.in_cycle ? "!" : "");
  return text;
}

TEST(Calls, DepthCountsReturnAddresses) {
  EXPECT_EQ(nesting("call #a\nnop\nret\nnop\na:\ncall #b\nnop\nret\nnop\nb:\nret\nnop"), "0:2 6:1 10:0");
}

TEST(Calls, WhatFollowsAReturnBelongsToNoFunction) {
  EXPECT_EQ(nesting("call #a\nnop\nret\nnop\na:\nret\nnop\ncall #b\nnop\nb:\nret\nnop"), "0:1 6:0 10:0");
}

TEST(Calls, OnlyWhatTakesPartInARecursionCallsItself) {
  EXPECT_EQ(nesting("call #a\nnop\nret\nnop\na:\ncall #b\nnop\nret\nnop\nb:\ncall #a\nnop\nret\nnop"),
            "0:1 6:0! 10:0!");
  EXPECT_EQ(nesting("call #a\nnop\nret\nnop\na:\njump #a\ncall #b\nb:\nret\nnop"), "0:2 6:1 8:0") << "a loop is none";
}

/// c goes on in the middle of a, which calls itself; c is not called again.
TEST(Calls, SharedEndsCount) {
  EXPECT_EQ(nesting("call #c\nnop\nret\nnop\na:\nmov $02, $03\nmiddle:\ncall #a\nnop\nret\nnop\nc:\njump #middle\nnop"),
            "0:1 6:0! 11:0");
}

/// Processor time of all that follows calls, in images in which each function goes on in all that stand after it, and
/// calls anything.
std::clock_t time_to_follow(std::uint32_t words) {
  std::vector<std::uint32_t> all{0, 0x016EE001, 0x01000000 | (words - 200)}, overlapping = all;
  for (std::uint32_t i = 2; i < words; ++i) {
    all.push_back(0xD4000000 | (2 + i * 7919 % (words - 300)));
    overlapping.push_back(i % 2 == 0 ? 0xD4000000 | (i + 1) : 0x01000000);  // calls its delay slot
  }
  const std::clock_t begin = std::clock();
  for (const auto& image : {all, overlapping}) {
    const Program program = program_of(bytes_of(image));
    EXPECT_TRUE(firmware::info(program));
    EXPECT_FALSE(find_machine("afuc")->check(program).empty());
    (void)firmware::flow(program, {});
    (void)firmware::pseudo(program, {});
  }
  const std::clock_t time = std::clock() - begin;
  EXPECT_EQ(firmware::info(program_of(bytes_of(overlapping)))->cores[0].call_depth, words / 2 - 1);
  return time;
}

/// Following each function by itself would take 64 times as long for eight times the words.
TEST(Calls, TimeGrowsAsTheImageDoes) {
  const std::uint32_t words = test::sanitized ? 1'000 : 5'000;
  EXPECT_LT(time_to_follow(8 * words), 24 * time_to_follow(words));
}

}  // namespace
}  // namespace mobula::afuc
