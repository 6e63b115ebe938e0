#include "mobula/isa/pm4_file.h"

#include <gtest/gtest.h>

namespace mobula::pm4 {
namespace {

std::vector<std::uint8_t> bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

TEST(Pm4File, TextNumbersAndWordsAreTheSameStream) {
  const std::vector<std::uint8_t> text = bytes_of("pkt4 0x8100 0x11\n"), hex = bytes_of("48810001 00000011 \n\n");
  const Stream stream = read_stream(text, "a.pm4").value();
  const std::vector<std::uint8_t> words = to_bytes(stream).value();
  EXPECT_EQ(words, (std::vector<std::uint8_t>{0x01, 0x00, 0x81, 0x48, 0x11, 0, 0, 0}));
  EXPECT_EQ(read_stream(hex, "a.hex")->ring, stream.ring);
  EXPECT_EQ(read_stream(words, "a.bin")->ring, stream.ring);
  EXPECT_EQ(read_stream(hex, "a.hex", {}, ContainerFormat::raw)->ring.size(), hex.size() / 4);
}

TEST(Pm4File, WhatIsNotAStreamIsAnError) {
  EXPECT_EQ(read_stream({}, "a.bin").error().at(0).code, "FM005");
  const std::uint8_t piece[] = {0x01, 0x00, 0x81, 0x48, 0x11};
  const auto cut = read_stream(piece, "a.bin", {}, ContainerFormat::raw);
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error()[0].code, "PM008");
  EXPECT_EQ(cut.error()[0].where.byte_offset, 4u);
  EXPECT_FALSE(read_stream(bytes_of("CP_NOPE\n"), "a.pm4"));
}

TEST(Pm4File, WordsAloneCannotSayWhereMemoryIs) {
  EXPECT_EQ(to_bytes(read_stream(bytes_of("CP_NOP\n.at 0x1000\nCP_NOP\n"), "a.pm4").value()).error().at(0).code,
            "PM009");
}

}  // namespace
}  // namespace mobula::pm4
