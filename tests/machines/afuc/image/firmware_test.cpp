// Real images, where scripts/fetch-firmware has put them; skipped elsewhere.
#include <gtest/gtest.h>

#include <sstream>

#include "machines/afuc/build.h"
#include "machines/afuc/image/image.h"
#include "paths.h"
#include "trials.h"

namespace mobula::afuc {
namespace {

class RealImages : public ::testing::Test {
 protected:
  void SetUp() override {
    images_ = real_images();
    if (images_.empty()) GTEST_SKIP() << "no firmware in " << firmware_cache() << "; scripts/fetch-firmware gets it";
  }
  std::vector<std::filesystem::path> images_;
};

TEST_F(RealImages, RoundTripInBothDialects) {
  for (const auto& file : images_) {
    const Program program = program_of(read_bytes(file));
    for (const std::string_view syntax : {"afuc", "mesa"}) {
      const auto back = assemble_text(text_of(program, syntax));
      ASSERT_TRUE(back) << file << render(back.error());
      EXPECT_EQ(back->code, program.code) << file << ' ' << syntax;
    }
  }
}

TEST_F(RealImages, RoundTripWhenCutShort) {
  for (const auto& file : images_) {
    const auto bytes = read_bytes(file);
    for (const std::size_t size :
         {std::size_t{5}, std::size_t{12}, bytes.size() / 3, bytes.size() / 2 + 1, bytes.size() - 3}) {
      const Program program = program_of({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)});
      const auto back = assemble_text(text_of(program));
      ASSERT_TRUE(back) << file << render(back.error());
      EXPECT_EQ(back->code, program.code) << file << ' ' << size;
    }
  }
}

TEST_F(RealImages, IdsAreKnownAndTablesFound) {
  for (const auto& file : images_) {
    const Program program = program_of(read_bytes(file));
    const Image image(program);
    EXPECT_TRUE(image.identity().known) << file;
    const bool aqe = file.filename().string().find("_aqe") != std::string::npos;
    for (const Core& core : image.cores()) EXPECT_EQ(core.table.has_value(), !aqe) << file << ' ' << core.name;
    EXPECT_EQ(image.cores()[0].name == "AQE", aqe) << file;
  }
}

/// Eight words more in front of the first instruction of each core, so that alignments stay what they were: everything
/// that holds an address still does, and taking the words out again gives the image back.
TEST_F(RealImages, EveryAddressFollowsInsertedWords) {
  for (std::size_t number = 0; number < images_.size(); number += test::sanitized ? 8 : 1) {
    const auto& file = images_[number];
    const Program program = program_of(read_bytes(file));
    const Image before(program);
    const std::string text = text_of(program);
    std::string longer;
    std::istringstream lines(text);
    // Behind the header of each program, whose words are literals: in front of its first instruction.
    bool header = true;
    const std::string_view mark = "xor $00, $00, $00";
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with(".section")) header = true;
      const bool instruction = !line.empty() && line[0] != ';' && line[0] != '[' && line[0] != '.' &&
                               line.back() != ':' && line.find(":\t") == std::string::npos && line != "nop";
      if (header && instruction) {
        for (unsigned i = 0; i < section_alignment_words; ++i) longer += std::string(mark) + '\n';
        header = false;
      }
      longer += line + '\n';
    }
    const auto moved = assemble_text(longer);
    ASSERT_TRUE(moved) << file << render(moved.error());
    const Image after(*moved);
    ASSERT_EQ(after.cores().size(), before.cores().size()) << file;
    EXPECT_EQ(after.symbolics().size(), before.symbolics().size()) << file;
    for (std::size_t i = 0; i < before.cores().size(); ++i)
      ASSERT_EQ(after.cores()[i].table.has_value(), before.cores()[i].table.has_value()) << file;
    std::string shorter;
    std::istringstream moved_lines(text_of(*moved));
    for (std::string line; std::getline(moved_lines, line);)
      if (line != mark) shorter += line + '\n';
    const auto back = assemble_text(shorter);
    ASSERT_TRUE(back) << file << render(back.error());
    EXPECT_EQ(back->code, program.code) << file;
  }
}

TEST_F(RealImages, PacketTablesAreTheSamples) {
  std::ifstream rows(mobula::test::sample("afuc/packet_tables.csv"));
  if (!rows) GTEST_SKIP() << "no samples";
  unsigned compared = 0;
  for (std::string line; std::getline(rows, line);) {
    std::istringstream cells(line);
    std::string firmware, core, entry, handler, name;
    std::getline(cells, firmware, ',');
    std::getline(cells, core, ',');
    std::getline(cells, entry, ',');
    std::getline(cells, handler, ',');
    std::getline(cells, name, ',');
    const std::string stem = firmware.substr(0, firmware.find('.'));
    const auto file = firmware_cache() / "20230210-5" / (stem + ".fw");
    if (firmware == "firmware" || !std::filesystem::exists(file)) continue;
    const Program program = program_of(read_bytes(file));
    const Image image(program);
    const Core& first = image.cores()[0];
    EXPECT_EQ(first.name, core) << firmware;
    const auto number = static_cast<unsigned>(std::stoul(entry, nullptr, 16));
    EXPECT_EQ(image.word(*first.table + number), std::stoul(handler, nullptr, 16)) << line;
    EXPECT_EQ(packet_or_number(image.map(), number), name) << line;
    ++compared;
  }
  if (compared == 0) GTEST_SKIP() << "the images of the samples are not there";
  EXPECT_EQ(compared, 384u);
}

/// The names under which an image is read and run are the same.
TEST(Firmware, AnImageWithoutATableThatTellsItsLengthIsAnAqe) {
  const std::vector<std::uint32_t> aqe{0x01500014, 0x01000004, 0x01000006, 0xD0000000};
  EXPECT_EQ(first_core_name(Map::a8xx, aqe), "AQE");
  std::vector<std::uint32_t> with_zero{0};
  with_zero.insert(with_zero.end(), aqe.begin(), aqe.end());
  EXPECT_EQ(Image(program_of(bytes_of(with_zero))).cores()[0].name, "AQE");
  EXPECT_EQ(first_core_name(Map::a8xx, std::vector<std::uint32_t>{0x01500014, 0x01000000, 0xD0000000}), "BR");
  EXPECT_EQ(first_core_name(Map::a6xx, std::vector<std::uint32_t>{0x016EE001, 0x01000000, 0xD0000000}), "SQE");
}

}  // namespace
}  // namespace mobula::afuc
