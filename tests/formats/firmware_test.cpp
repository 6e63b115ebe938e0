#include "mobula/isa/firmware.h"

#include <gtest/gtest.h>

#include <random>

#include "mobula/isa/formats.h"

namespace mobula::firmware {
namespace {

std::vector<std::uint8_t> bytes_of(const std::vector<std::uint32_t>& words) {
  std::vector<std::uint8_t> bytes;
  for (const std::uint32_t word : words)
    for (unsigned i = 0; i < 4; ++i) bytes.push_back(static_cast<std::uint8_t>(word >> (8 * i)));
  return bytes;
}

/// The zero, a header, `code` words of code and a table.
std::vector<std::uint32_t> image(std::uint32_t code) {
  std::vector<std::uint32_t> words{0, 0x016EE001, 0x01000000 | (code + 2)};
  words.insert(words.end(), code, 0xD8000000);
  words.insert(words.end(), table_words, 2);
  return words;
}

TEST(Firmware, OneProgramAndItsTable) {
  const auto bytes = bytes_of(image(10));
  EXPECT_TRUE(is_firmware(bytes));
  const Layout found = layout(bytes);
  EXPECT_TRUE(found.leading_zero);
  EXPECT_EQ(found.words, 12 + table_words);
  ASSERT_EQ(found.sections.size(), 1u);
  EXPECT_EQ(found.sections[0].table, 12u);
}

TEST(Firmware, AnOffsetThatLeadsToNoTableIsNone) {
  auto words = image(10);
  words.back() = 0x98000000;
  EXPECT_EQ(layout(bytes_of(words)).sections[0].table, std::nullopt);
  words = image(10);
  words.pop_back();
  EXPECT_EQ(layout(bytes_of(words)).sections[0].table, std::nullopt);
}

TEST(Firmware, SeveralPrograms) {
  std::vector<std::uint32_t> words{0, 0x01730181, 0, 0x01730149, 0x01000008};
  words.insert(words.end(), 4, 0xD8000000);
  words.insert(words.end(), table_words, 5);  // at 8; the next program is at 136
  words.push_back(0x01730149);
  words.push_back(0x01000000 | 5);
  words.insert(words.end(), 3, 0xD8000000);
  words.insert(words.end(), table_words, 3);
  words.insert(words.end(), 3, 0);
  words.push_back(0x016AC001);  // a program that keeps the offset of its table to itself
  words.insert(words.end(), 6, 0xD8000000);
  words.insert(words.end(), table_words, 3);
  words.push_back(0x30333130);  // what follows the last table is not a program
  words[2] = 0x01000000 | static_cast<std::uint32_t>(words.size() - 1);
  const Layout found = layout(bytes_of(words));
  ASSERT_EQ(found.sections.size(), 3u);
  EXPECT_EQ(found.sections[0].words, 136u);
  EXPECT_EQ(found.sections[1].start, 136u);
  EXPECT_EQ(found.sections[1].table, 5u);
  EXPECT_EQ(found.sections[2].start, 272u);
  EXPECT_EQ(found.sections[2].table, 7u);
  EXPECT_EQ(found.sections[2].words, 7 + table_words + 1);
}

TEST(Firmware, LayoutsOfAnyBytesStayInside) {
  std::mt19937 random(3);
  for (unsigned round = 0; round < 2000; ++round) {
    std::vector<std::uint32_t> words(random() % 600);
    for (auto& word : words) word = static_cast<std::uint32_t>(random() % 3 == 0 ? random() : random() % 700);
    if (words.size() > 4) {
      words[0] = 0;
      words[1] = 0x01000000;
      words[2] = 0x01000000 | static_cast<std::uint32_t>(words.size() - 1);
    }
    const Layout found = layout(bytes_of(words));
    std::uint32_t next = 0;
    for (const Section& section : found.sections) {
      EXPECT_EQ(section.start, next);
      EXPECT_LE(section.table ? *section.table + table_words : 0, section.words);
      next = section.start + section.words;
    }
    EXPECT_EQ(next, found.words);
  }
}

TEST(Firmware, VersionsAsKernelsCompareThem) {
  EXPECT_EQ(kernel_version(0x005FF08A, 0x00087001), 0x087u);
  EXPECT_EQ(kernel_version(0x016EE17A, 0x01177001), 0x177u);
  EXPECT_EQ(kernel_version(0x016DD099, 0x88020001), 0x099u);
  EXPECT_EQ(id(0x016DD099), 0x6DDu);
}

TEST(Firmware, IsAContainer) {
  const auto bytes = bytes_of(image(10));
  EXPECT_EQ(detect_format(bytes), ContainerFormat::fw);
  const auto images = read_container(bytes);
  ASSERT_TRUE(images);
  EXPECT_EQ((*images)[0].machine, "afuc");
  EXPECT_EQ((*images)[0].code, bytes);
}

TEST(Firmware, OlderProcessorsAreRefused) {
  for (const auto& words :
       std::vector<std::vector<std::uint32_t>>{{0, 0x00C60400, 0x007E424B, 1}, {0, 0x00330043, 0xC0200400, 1}}) {
    const auto bytes = bytes_of(words);
    EXPECT_EQ(detect_format(bytes), ContainerFormat::fw);
    const auto images = read_container(bytes);
    ASSERT_FALSE(images);
    EXPECT_EQ(images.error()[0].code, "FM029");
  }
}

}  // namespace
}  // namespace mobula::firmware
