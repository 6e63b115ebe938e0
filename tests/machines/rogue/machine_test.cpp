// The machine as the registry offers it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "paths.h"
#include "programs.h"

namespace mobula::rogue {
namespace {

const Machine& rogue() { return *find_machine("rogue"); }

std::string data(const char* name) {
  std::ifstream stream(std::filesystem::path(mobula::test::test_data("rogue")) / name);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(Machine, EverySyntaxPrintsAndUnknownOnesAreNamed) {
  const Program program = program_of(bytes_of("25 02 87 81 04 00 00 00 40 ff"));
  for (const Syntax& syntax : rogue().syntaxes()) {
    const auto listing = rogue().disassemble(program, {.syntax = syntax.name, .bytes = true, .words = true});
    ASSERT_TRUE(listing);
    EXPECT_THAT(listing->text, testing::StartsWith("// 0x0000: 25 02 87 81 04 00 00 00 40 FF\n")) << syntax.name;
    ASSERT_EQ(listing->words.size(), 1u);
    EXPECT_EQ(listing->words[0].text_end, listing->text.size());
  }
  EXPECT_EQ(rogue().disassemble(program, {.syntax = "att"}).error()[0].code, "RG100");
  EXPECT_EQ(rogue().assemble({"t", ""}, {.syntax = "pco"}).error()[0].code, "RG100");
  EXPECT_TRUE(rogue().assemble({"t", "nop"}, {.syntax = "isr"}));
}

TEST(Machine, TextsOfTheProjectRoundTrip) {
  const Bytes tour = assemble(data("tour.rgasm"));
  ASSERT_GT(tour.size(), 150u);
  expect_round_trip(tour);
  EXPECT_EQ(assemble(data("example38.isr")), bytes_of("7a 77 08 00 c4 e1 40 c0 40 c0 61 00 42 c3 64 00 45 61 86 47"));
}

TEST(Machine, ExplainedFieldsAreAllBitsOfAGroupOnce) {
  const Program program = program_of(assemble(data("tour.rgasm")));
  for (const ExplainedWord& word : rogue().explain(program)) {
    std::vector<unsigned> seen(8 * word.byte_length);
    for (const ExplainedField& field : word.fields)
      for (unsigned i = 0; i < field.width; ++i) {
        const unsigned bit = field.low + i;
        ASSERT_LT(bit, seen.size()) << word.text;
        ++seen[bit];
        EXPECT_EQ(field.value >> i & 1, program.code[word.byte_offset + bit / 8] >> bit % 8 & 1u)
            << word.text << field.name;
      }
    EXPECT_THAT(seen, testing::Each(1u)) << word.text;
  }
}

TEST(Machine, TheManualHasEveryInstructionAndForm) {
  const Manual manual = rogue().manual();
  std::string names;
  for (const ManualEntry& entry : manual.entries) names += ' ' + entry.mnemonic;
  for (const char* name : {" fmad", " pck.zero", " smp2d", " itrsmp3d", " cndlt", " f16sop", " asr.mtb"})
    EXPECT_THAT(names, testing::HasSubstr(name));
  for (const ManualFormat& format : manual.formats) {
    unsigned bits = 0;
    for (const ExplainedField& field : format.fields) bits += field.width;
    EXPECT_LE(bits, format.width) << format.name;
  }
  EXPECT_GT(manual.formats.size(), 80u);
}

}  // namespace
}  // namespace mobula::rogue
