#include <gmock/gmock.h>

#include "machines/afuc/build.h"
#include "mobula/isa/pm4.h"

namespace mobula::pm4 {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> codes(const Diagnostics& found) {
  std::vector<std::string> all;
  for (const Diagnostic& each : found) all.push_back(each.code);
  return all;
}

/// The words of a text without memory.
std::vector<std::uint32_t> words_of(std::string_view text) {
  const auto stream = assemble({"test.pm4", text});
  EXPECT_TRUE(stream) << (stream ? "" : render(stream.error()));
  return stream ? stream->ring : std::vector<std::uint32_t>();
}

TEST(Pm4, HeadersHaveOddParity) {  // the reference's own, 4.11 and 8
  EXPECT_EQ(type7_header(0x10, 0), 0x70108000u);
  EXPECT_EQ(type7_header(0x3D, 4), 0x703D0004u);
  EXPECT_EQ(type4_header(0x8100, 1), 0x48810001u);
  EXPECT_EQ(type4_header(0x8101, 1), 0x40810101u);
}

TEST(Pm4, PacketsFollowEachOther) {
  const std::vector<std::uint32_t> words{0x70108000, 0x48810001, 0x11, 0x703D0004, 1, 2, 3, 4};
  const auto packets = decode(words);
  ASSERT_EQ(packets.size(), 3u);
  EXPECT_EQ(name_of(packets[0], "a630").value(), "CP_NOP");
  EXPECT_EQ(packets[1].number, 0x8100u);
  EXPECT_EQ(packets[2].first, 3u);
  EXPECT_EQ(packets[2].payload, 4u);
}

TEST(Pm4, EveryBitOfAHeaderMatters) {
  for (const std::uint32_t header : {type7_header(0x10, 0), type4_header(0x8100, 0)}) {
    for (unsigned bit = 0; bit < 32; ++bit) {
      const std::vector<std::uint32_t> words{header ^ 1u << bit};
      EXPECT_EQ(decode(words)[0].kind, Packet::Kind::word) << bit;
    }
  }
}

TEST(Pm4, ErrorsNameThePlaceAndTheLikelyHeader) {
  const std::vector<std::uint32_t> words{0x70100000, 0x12345678, 0x7010C000, 0x48810001};
  const Diagnostics found = check(words, 0x100);
  EXPECT_THAT(codes(found), ElementsAre("PM010", "PM012", "PM013", "PM011"));
  EXPECT_EQ(found[1].where.byte_offset, 0x104u);
  EXPECT_THAT(found[0].hint, HasSubstr("70108000"));
  EXPECT_THAT(found[3].message, HasSubstr("1 word is missing"));
  EXPECT_EQ(check(std::vector<std::uint32_t>(1000, 0)).size(), 201u) << "hostile input is not repeated at length";
}

TEST(Pm4, FieldsAndTheirNames) {
  const auto words = words_of("CP_REG_RMW 0x05008101 0xf 0x40\nCP_EVENT_WRITE 0x4 \npkt4 0x883 1 2\n");
  const auto packets = decode(words);
  const auto at = [&](std::size_t i) { return std::span(words).subspan(packets[i].first + 1, packets[i].payload); };
  const auto rmw = fields(packets[0], at(0), "a630").value();
  ASSERT_EQ(rmw.size(), 4u);
  EXPECT_EQ(rmw[0].name, "DST_REG");
  EXPECT_EQ(rmw[0].value, 0x8101u);
  EXPECT_EQ(rmw[1].name, "ROTATE");
  EXPECT_EQ(rmw[1].value, 5u);
  EXPECT_EQ(rmw[3].word, 2u);
  EXPECT_EQ(fields(packets[1], at(1), "a630").value()[0].meaning, "CACHE_FLUSH_TS");
  EXPECT_EQ(fields(packets[2], at(2), "a630").value()[1].word, 1u) << "registers are counted up";
}

TEST(Pm4, FieldsOfAPacketThatRepeats) {
  const auto words = words_of("CP_SET_DRAW_STATE 0x01000004 0x5000 0x0 0x02000003 0x6000 0x0\n");
  const auto packets = decode(words);
  const auto found = fields(packets[0], std::span(words).subspan(1), "a630").value();
  EXPECT_EQ(found.size(), 8u);
  EXPECT_EQ(found.back().name, "ADDR_HI");
  EXPECT_EQ(found.back().word, 5u);
}

TEST(Pm4, IndirectBuffers) {
  const auto words = words_of("CP_INDIRECT_BUFFER 0x100000 0x1 0x20\nCP_NOP 1 2 3\n");
  const auto packets = decode(words);
  const auto buffer = indirect(packets[0], std::span(words).subspan(1, 3));
  ASSERT_TRUE(buffer);
  EXPECT_EQ(buffer->address, 0x1'0010'0000u);
  EXPECT_EQ(buffer->words, 0x20u);
  EXPECT_FALSE(indirect(packets[1], std::span(words).subspan(5, 3)));
}

TEST(Pm4, TextAndWordsAreTheSameThing) {
  std::uint32_t random = 1;
  std::vector<std::uint32_t> words;
  for (int i = 0; i < 3000; ++i) {
    random = random * 1664525 + 1013904223;
    words.push_back(i % 5 == 0   ? type7_header(random >> 9, random >> 29)
                    : i % 7 == 0 ? type4_header(random >> 9, 2)
                                 : random);
  }
  for (const std::string_view variant : {"a530", "a630", "a730", "a750", "gen80000"}) {
    const std::string text = print({.ring = words}, {.variant = variant}).value();
    const auto back = assemble({"test.pm4", text}, variant);
    ASSERT_TRUE(back) << render(back.error());
    EXPECT_EQ(back->ring, words) << variant;
  }
}

TEST(Pm4, MemoryAndRegistersRoundTrip) {
  constexpr std::string_view text =
      ".reg 0x8100 0xa\nCP_INDIRECT_BUFFER 0x1000 0x0 0x1\n\n.at 0x1000\nCP_NOP\n\n.at 0x2000\n[00000005]  ; data\n";
  const auto stream = assemble({"test.pm4", text});
  ASSERT_TRUE(stream) << render(stream.error());
  EXPECT_EQ(stream->registers.at(0).value, 0xAu);
  ASSERT_EQ(stream->memory.size(), 2u);
  EXPECT_EQ(stream->memory[1].words, std::vector<std::uint32_t>{5});
  const std::string printed = print(*stream).value();
  EXPECT_THAT(printed, HasSubstr("; to 1 word at 0x1000, see below"));
  const auto again = assemble({"test.pm4", printed});
  ASSERT_TRUE(again) << render(again.error());
  EXPECT_EQ(print(*again).value(), printed);
}

TEST(Pm4, RegistersHaveNames) {
  EXPECT_EQ(words_of("pkt4 CP_SCRATCH[0x2].REG 1\n"), words_of("pkt4 0x885 1\n"));
  EXPECT_EQ(words_of("pkt4 CP_SCRATCH[0x2].REG+0x1 1\n"), words_of("pkt4 0x886 1\n"));
}

TEST(Pm4, EveryErrorOfATextIsReported) {
  const auto stream = assemble({"test.pm4",
                                "CP_NOPE 1\npkt7 0x80\npkt4 0x80000 1\n[xyz]\n.here\nCP_NOP 0x100000000\n"
                                "pkt4 NO_SUCH_REGISTER 1\n.at 0x1001\nCP_NOP q\n"});
  ASSERT_FALSE(stream);
  EXPECT_THAT(codes(stream.error()),
              ElementsAre("PM005", "PM003", "PM003", "PM002", "PM001", "PM003", "PM004", "PM003", "PM002"));
  EXPECT_EQ(stream.error()[1].where.line, 2u);
  EXPECT_THAT(stream.error()[0].hint, HasSubstr("CP_NOP"));
}

TEST(Pm4, UnknownVariantsAreErrors) {
  const Stream stream{.ring = {type7_header(0x10, 0)}};
  const Packet packet = decode(stream.ring)[0];
  for (const std::string_view unknown : {"a999", "A630", "a5xx"}) {
    EXPECT_THAT(codes(name_of(packet, unknown).error()), ElementsAre("MOB002")) << unknown;
    EXPECT_THAT(codes(fields(packet, {}, unknown).error()), ElementsAre("MOB002")) << unknown;
    EXPECT_THAT(codes(print(stream, {.variant = unknown}).error()), ElementsAre("MOB002")) << unknown;
    EXPECT_THAT(codes(assemble({"test.pm4", "CP_NOP"}, unknown).error()), ElementsAre("MOB002")) << unknown;
  }
}

TEST(Pm4, DrawsHaveFieldsInTheirFirstWord) {
  const auto stream = assemble({"test.pm4", "CP_DRAW_INDX_OFFSET 0x20784 1 3\n"}, "a630").value();
  EXPECT_THAT(print(stream, {.variant = "a630"}).value(),
              AllOf(HasSubstr("; 0 PRIM_TYPE = 0x4 DI_PT_TRILIST\n"),
                    HasSubstr("; 0 SOURCE_SELECT = 0x2 DI_SRC_SEL_AUTO_INDEX\n"), HasSubstr("; 0 VIS_CULL = 0x3\n"),
                    HasSubstr("; 0 INDEX_SIZE = 0x1 INDEX4_SIZE_16_BIT\n"), HasSubstr("; 0 TESS_ENABLE = 0x1\n")));
}

/// A word that would be such a header stays a word.
TEST(Pm4, RegisterWritesHaveAPayload) {
  const auto stream = assemble({"test.pm4", "pkt4 0x8100\n"});
  ASSERT_FALSE(stream);
  EXPECT_THAT(codes(stream.error()), ElementsAre("PM021"));
  const Stream header{.ring = {type4_header(0x8100, 0), type7_header(0x10, 0)}};
  EXPECT_THAT(stream.error()[0].hint, HasSubstr("[48810080]"));
  EXPECT_THAT(codes(check(header.ring)), ElementsAre("PM021"));
  const std::string printed = print(header).value();
  EXPECT_THAT(printed, HasSubstr("[48810080]  ; 48810080 does not begin a packet: its payload has 0 words"));
  EXPECT_EQ(words_of(printed), header.ring);
}

TEST(Pm4, PayloadsHaveALimit) {
  std::string text = "pkt4 0x8100";
  for (int i = 0; i < 128; ++i) text += " 1";
  const auto stream = assemble({"test.pm4", text});
  ASSERT_FALSE(stream);
  EXPECT_THAT(codes(stream.error()), ElementsAre("PM006"));
}

}  // namespace
}  // namespace mobula::pm4
