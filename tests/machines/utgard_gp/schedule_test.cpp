#include "mobula/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "machines/utgard_gp/codec.h"

namespace mobula::utgard_gp {
namespace {

Program read_program(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  Program program;
  program.file = path.filename().string();
  program.machine = "utgard-gp";
  program.code.assign(std::istreambuf_iterator<char>(file), {});
  return program;
}

std::vector<Program> samples() {
  std::vector<Program> all;
  const std::filesystem::path folder = std::filesystem::path(MOBULA_SAMPLES) / "utgard-gp";
  if (!std::filesystem::exists(folder)) return all;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".bin") all.push_back(read_program(entry.path()));
  return all;
}

TEST(Schedule, SamplesGetShorterAndNoneLonger) {
  const std::vector<Program> programs = samples();
  if (programs.empty()) GTEST_SKIP() << "no samples";
  std::uint32_t before = 0, after = 0;
  for (const Program& program : programs) {
    const auto scheduled = schedule(program, {.effort = 2});
    ASSERT_TRUE(scheduled) << program.file << ": " << scheduled.error().front().message;
    EXPECT_LE(scheduled->words, scheduled->words_before) << program.file;
    EXPECT_GE(scheduled->words, scheduled->bound) << program.file;
    before += scheduled->words_before;
    after += scheduled->words;
  }
  EXPECT_LE(10 * after, 9 * before) << after << " words, were " << before;
}

TEST(Schedule, PlainBranchesStandAloneAndNothingPassesThem) {
  const std::vector<Program> programs = samples();
  if (programs.empty()) GTEST_SKIP() << "no samples";
  for (const Program& program : programs) {
    const auto scheduled = schedule(program, {.effort = 1, .past_branches = false, .share_branch_words = false});
    ASSERT_TRUE(scheduled) << program.file << ": " << scheduled.error().front().message;
    EXPECT_LE(scheduled->words, scheduled->words_before) << program.file;
    for (std::uint32_t i = 0; i < scheduled->words; ++i) {
      const Word128 word = load_word(scheduled->program.code, i);
      if (!is_branch(word)) continue;
      for (const Unit unit : {Unit::acc0, Unit::acc1, Unit::mul0, Unit::mul1, Unit::complex})
        EXPECT_FALSE(is_active(word, unit)) << program.file << " word " << i;
    }
  }
}

}  // namespace
}  // namespace mobula::utgard_gp
