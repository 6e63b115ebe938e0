#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mobula/isa/formats.h"

namespace mobula {
namespace {

using testing::HasSubstr;

std::vector<std::uint8_t> bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

TEST(Container, Detects) {
  const auto detect = [](std::string_view text) { return detect_format(bytes_of(text)); };
  EXPECT_EQ(detect("MBS2\x10"), ContainerFormat::mbs);
  EXPECT_EQ(detect("MPB1"), ContainerFormat::mbs);
  EXPECT_EQ(detect(std::string_view("\x15\x90\x78\xC8", 4)), ContainerFormat::raw);
  EXPECT_EQ(detect("C8789015 00403939 00000030 00000000\n"), ContainerFormat::hex);
  EXPECT_EQ(detect("# a comment\n/* and\n another */\n\n0x12, 0x13 // x\nnonsense"), ContainerFormat::hex);
  EXPECT_EQ(detect("add r0, r1, r2\n"), ContainerFormat::text);
  EXPECT_EQ(detect("; assembly\nfade:\n"), ContainerFormat::text);
  EXPECT_EQ(detect("; only a comment\n"), ContainerFormat::text);
  EXPECT_EQ(detect(""), ContainerFormat::raw);
}

TEST(Container, ReadsWhatItDetects) {
  const auto hex = read_container(bytes_of("01 02 03"));
  ASSERT_TRUE(hex);
  EXPECT_EQ(hex->front().code, (std::vector<std::uint8_t>{1, 2, 3}));
  const auto raw = read_container(bytes_of("01 02 03"), ContainerFormat::raw);
  EXPECT_EQ(raw->front().code.size(), 8u);
  EXPECT_EQ(read_container({}, {}, "f").error()[0].code, "FM005");
  EXPECT_EQ(read_container(bytes_of("add r0, r1")).error()[0].code, "FM006");
  EXPECT_EQ(read_container(bytes_of("12 zz"), ContainerFormat::hex, "f.hex").error()[0].where.file, "f.hex");
}

CodeImage image(Stage stage, std::uint8_t code) {
  CodeImage result;
  result.code = {code};
  result.interface.stage = stage;
  return result;
}

TEST(Container, SelectsByStageAndNumber) {
  const std::vector images{image(Stage::vertex, 1), image(Stage::fragment, 2), image(Stage::fragment, 3)};
  EXPECT_EQ(select_image(images, Stage::vertex)->code[0], 1);
  EXPECT_EQ(select_image(images, Stage::fragment, 1)->code[0], 3);
  EXPECT_EQ(select_image(images, Stage::unknown, 1)->code[0], 2);
}

TEST(Container, AmbiguousOrMissingChoiceListsWhatThereIs) {
  const std::vector images{image(Stage::vertex, 1), image(Stage::fragment, 2), image(Stage::fragment, 3)};
  const auto ambiguous = select_image(images, Stage::fragment, {}, "f.mbs");
  ASSERT_FALSE(ambiguous);
  EXPECT_EQ(ambiguous.error()[0].code, "FM021");
  EXPECT_EQ(ambiguous.error()[0].hint, "choose by number") << "both are of this stage";
  EXPECT_EQ(select_image(images, Stage::unknown).error()[0].hint, "choose by stage or by number");
  const auto firmware = select_image({image(Stage::unknown, 1), image(Stage::unknown, 2)}, Stage::unknown);
  EXPECT_EQ(firmware.error()[0].hint, "choose by number");
  EXPECT_THAT(firmware.error()[0].message, HasSubstr("0: 1 byte; 1: 1 byte"));
  EXPECT_EQ(ambiguous.error()[0].where.file, "f.mbs");
  const auto missing = select_image(images, Stage::compute);
  EXPECT_EQ(missing.error()[0].code, "FM020");
  EXPECT_THAT(missing.error()[0].message, HasSubstr("0: vertex, 1 byte; 1: fragment"));
  EXPECT_EQ(select_image(images, Stage::fragment, 2).error()[0].code, "FM022");
}

}  // namespace
}  // namespace mobula
