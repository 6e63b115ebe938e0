#include "formats/elf.h"

#include <gtest/gtest.h>

namespace mobula {
namespace {

/// A file of segments: flags and content each.
struct Segment {
  std::uint32_t type = 1, flags = 0;
  std::vector<std::uint8_t> content;
};

std::vector<std::uint8_t> elf(bool wide, const std::vector<Segment>& segments) {
  const std::size_t header = wide ? 64 : 52, entry = wide ? 56 : 32;
  std::vector<std::uint8_t> bytes(header + entry * segments.size());
  const auto put = [&](std::size_t at, std::size_t width, std::uint64_t value) {
    for (std::size_t i = 0; i < width; ++i) bytes[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
  };
  put(0, 4, 0x464C457F);
  bytes[4] = wide ? 2 : 1;
  bytes[5] = 1;
  put(wide ? 32 : 28, wide ? 8 : 4, header);
  put(wide ? 54 : 42, 2, entry);
  put(wide ? 56 : 44, 2, segments.size());
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const std::size_t at = header + entry * i;
    put(at, 4, segments[i].type);
    put(at + (wide ? 4 : 24), 4, segments[i].flags);
    put(at + (wide ? 8 : 4), wide ? 8 : 4, bytes.size());
    put(at + (wide ? 32 : 16), wide ? 8 : 4, segments[i].content.size());
    bytes.insert(bytes.end(), segments[i].content.begin(), segments[i].content.end());
  }
  return bytes;
}

const std::vector<Segment> zap{{0, 0x07000000, {9, 9}}, {1, 0x02200000, {8}}, {1, 0x80000005, {1, 2, 3, 4}}};

TEST(Elf, TakesTheSegmentsThatAreLoaded) {
  for (const bool wide : {false, true}) {
    const auto bytes = elf(wide, zap);
    EXPECT_EQ(detect_format(bytes), ContainerFormat::elf);
    const auto images = read_container(bytes);
    ASSERT_TRUE(images) << images.error()[0].message;
    ASSERT_EQ(images->size(), 1u);
    EXPECT_EQ(images->front().code, (std::vector<std::uint8_t>{1, 2, 3, 4}));
    EXPECT_EQ(images->front().machine, "afuc");
    EXPECT_EQ(images->front().byte_offset, bytes.size() - 4);
    EXPECT_EQ(images->front().path, "segment 2");
  }
}

/// Other files for Qualcomm's signal processor look the same.
TEST(Elf, SaysWhatItIsTakenFor) {
  for (const std::uint8_t machine : {std::uint8_t{0}, std::uint8_t{164}})
    for (const bool hashes : {false, true}) {
      auto bytes = elf(false, hashes ? zap : std::vector<Segment>{{1, 5, {1, 2, 3, 4}}});
      bytes[18] = machine;
      const auto images = read_container(bytes);
      ASSERT_TRUE(images) << images.error()[0].message;
      EXPECT_EQ(images->front().remarks.size(), machine != 0 && !hashes ? 1u : 0u);
    }
}

TEST(Elf, SaysWhatIsMissing) {
  const auto code = [](const std::vector<std::uint8_t>& bytes) {
    const auto images = read_elf(bytes, "zap.mbn");
    return images ? std::string() : images.error()[0].code + images.error()[0].where.file;
  };
  for (const bool wide : {false, true}) {
    auto bytes = elf(wide, zap);
    bytes.resize(bytes.size() - 1);
    EXPECT_EQ(code(bytes), "FM041zap.mbn");
    bytes.resize(wide ? 64 + 56 : 52 + 32);
    EXPECT_EQ(code(bytes), "FM040zap.mbn");
    bytes.resize(20);
    EXPECT_EQ(code(bytes), "FM040zap.mbn");
    bytes.resize(5);
    EXPECT_EQ(code(bytes), "FM043zap.mbn");
    EXPECT_EQ(code(elf(wide, {})), "FM042zap.mbn");
    EXPECT_EQ(code(elf(wide, std::vector<Segment>(65))), "FM043zap.mbn");
  }
  auto big = elf(false, zap);
  big[5] = 2;
  EXPECT_EQ(code(big), "FM043zap.mbn");
}

/// Any number in the headers is survived.
TEST(Elf, HostileHeaders) {
  for (const bool wide : {false, true}) {
    const auto good = elf(wide, zap);
    for (std::size_t at = 4; at < good.size(); ++at)
      for (const unsigned value : {0x00, 0x7F, 0x80, 0xFF}) {
        auto bytes = good;
        bytes[at] = static_cast<std::uint8_t>(value);
        const auto images = read_elf(bytes, "");
        if (!images) continue;
        for (const CodeImage& image : *images) EXPECT_LE(image.code.size(), bytes.size());
      }
  }
}

}  // namespace
}  // namespace mobula
