// Captures of what a driver submitted.
#include "mobula/isa/pm4_capture.h"

#include <gmock/gmock.h>

#include <initializer_list>

namespace mobula::pm4 {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

class File {
 public:
  File& word(std::uint32_t value) {
    for (unsigned i = 0; i < 4; ++i) bytes.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
    return *this;
  }
  File& section(std::uint32_t type, std::initializer_list<std::uint32_t> words) {
    word(type).word(static_cast<std::uint32_t>(4 * words.size()));
    for (const std::uint32_t each : words) word(each);
    return *this;
  }
  File& buffer(std::uint32_t address, std::initializer_list<std::uint32_t> words) {
    section(3, {address, static_cast<std::uint32_t>(4 * words.size()), 1});
    return section(12, words);
  }
  File& stream(std::uint32_t address, std::uint32_t words) { return section(6, {address, words, 1}); }

  std::vector<std::uint8_t> bytes;
};

std::string code_of(const File& file) {
  const auto capture = read_capture(file.bytes, "a.rd");
  return capture ? "" : capture.error().at(0).code;
}

const std::uint32_t nop = type7_header(0x10, 0);

TEST(Captures, ASubmitIsAnIndirectBufferForEachStream) {
  File file;
  file.word(~0u).word(~0u).section(1, {0x61616161}).section(13, {630});
  file.buffer(0x1000, {nop, nop, nop}).buffer(0x2000, {7}).stream(0x1000, 2).stream(0x1008, 1);
  file.word(~0u).word(~0u).buffer(0x1000, {nop}).stream(0x1000, 1);
  ASSERT_TRUE(is_capture(file.bytes));
  const Capture capture = read_capture(file.bytes, "a.rd").value();
  EXPECT_EQ(capture.gpu, "a630");
  ASSERT_THAT(capture.submits, SizeIs(2));
  const std::uint32_t follow = type7_header(0x3F, 3);
  EXPECT_THAT(capture.submits[0].ring, ElementsAre(follow, 0x1000, 1, 2, follow, 0x1008, 1, 1));
  ASSERT_THAT(capture.submits[0].memory, SizeIs(2));
  EXPECT_EQ(capture.submits[0].memory[1].address, 0x1'0000'2000u);
  EXPECT_THAT(capture.submits[0].memory[1].words, ElementsAre(7u));
  EXPECT_THAT(capture.submits[1].ring, ElementsAre(follow, 0x1000, 1, 1));
  EXPECT_THAT(capture.submits[1].memory, SizeIs(1)) << "buffers of the submit before are not there";
}

TEST(Captures, GpusAreNamedByIdOrChip) {
  for (const auto& [type, id, name] :
       std::initializer_list<std::tuple<std::uint32_t, std::uint32_t, const char*>>{{13, 530, "a530"},
                                                                                    {13, 0, ""},
                                                                                    {13, 999, ""},
                                                                                    {14, 0x06030001, "a630"},
                                                                                    {14, 0x07030001, "a730"},
                                                                                    {14, 0x43050a01, "a740"},
                                                                                    {14, 0x12345678, ""}}) {
    File file;
    file.section(type, {id, 0}).buffer(0x1000, {nop}).stream(0x1000, 1);
    EXPECT_EQ(read_capture(file.bytes, "a.rd").value().gpu, name) << std::hex << id;
  }
}

TEST(Captures, WhatPacketsLeadToIsFound) {
  Stream stream;
  const std::uint32_t follow = type7_header(0x3F, 3), states = type7_header(0x43, 6);
  stream.ring = {follow, 0x1004, 1, 11};
  // Another indirect buffer, which leads to itself, and two draw states of which one is not there.
  stream.memory = {{0x1'0000'1000, {0, follow, 0x2000, 1, 4, states, 2, 0x3000, 1, 1, 0x9000, 1}},
                   {0x1'0000'2000, {follow, 0x2000, 1, 4, nop}},
                   {0x1'0000'3000, {nop, nop, nop}},
                   {0x1'0000'4000, {nop}}};
  const std::vector<Buffer> found = reached_buffers(stream);
  ASSERT_THAT(found, SizeIs(3));
  EXPECT_EQ(found[0].address, 0x1'0000'1004u);
  EXPECT_THAT(found[0].words, SizeIs(11));
  EXPECT_THAT(found[1].words, ElementsAre(follow, 0x2000, 1, 4));
  EXPECT_THAT(found[2].words, ElementsAre(nop, nop));
}

TEST(Captures, WhatIsDamagedIsAnError) {
  File good;
  good.section(13, {630}).buffer(0x1000, {nop}).stream(0x1000, 1);
  EXPECT_EQ(code_of(good), "");
  for (std::size_t size = 1; size < good.bytes.size(); ++size) {
    File cut;
    cut.bytes.assign(good.bytes.begin(), good.bytes.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_NE(code_of(cut), "") << size;
  }
  EXPECT_EQ(code_of(File().section(13, {630})), "PM019");
  EXPECT_EQ(code_of(File().section(0x4A5, {})), "PM016");
  EXPECT_EQ(code_of(File().section(12, {nop})), "PM016");
  EXPECT_EQ(code_of(File().section(3, {0x1000})), "PM016");
  EXPECT_EQ(code_of(File().section(3, {0x1002, 4})), "PM016");
  EXPECT_EQ(code_of(File().buffer(0x1000, {nop}).stream(0x1000, 0x100000)), "PM017");
  EXPECT_EQ(code_of(File().buffer(0x1000, {nop}).stream(0x1000, 2)), "PM018");
  EXPECT_EQ(code_of(File().buffer(0x1000, {nop}).stream(0x2000, 1)), "PM018");
  File compressed;
  compressed.bytes = {0x1F, 0x8B, 8, 0};
  EXPECT_TRUE(is_capture(compressed.bytes));
  EXPECT_THAT(read_capture(compressed.bytes, "a.rd").error().at(0).hint, HasSubstr("gunzip"));
}

TEST(Captures, WordsOfAStreamAreNone) {
  EXPECT_FALSE(is_capture(File().word(nop).word(nop).bytes));
  EXPECT_FALSE(is_capture(File().word(0).word(0).bytes));
  EXPECT_FALSE(is_capture(File().word(11).word(0xFFFFFFFF).word(0xFFFFFFFF).word(0x5C).bytes)) << "a table of offsets";
  EXPECT_FALSE(is_capture({}));
}

}  // namespace
}  // namespace mobula::pm4
