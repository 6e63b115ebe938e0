#include "machines/afuc/text/print.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <utility>

#include "machines/afuc/build.h"
#include "machines/afuc/spec/chips.h"

namespace mobula::afuc {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// The last line of a program of one word; labels around it.
std::string line_of(std::uint32_t word, std::string_view chip) {
  const std::string text =
      text_of(program_of(bytes_of({0, 0x01000000, word, 0x01000000, 0x01000000, 0x01000000}), chip));
  std::size_t begin = 0;
  for (unsigned line = 0; line < 64; ++line) {
    const std::size_t end = text.find('\n', begin);
    const std::string each = text.substr(begin, end - begin);
    if (each == "[01000000]") {  // word 0; the next instruction is the word
      std::size_t at = end + 1;
      while (text.substr(at, text.find('\n', at) - at).find(':') != std::string::npos || text[at] == '\n')
        at = text.find('\n', at) + 1;
      return text.substr(at, text.find('\n', at) - at);
    }
    begin = end + 1;
  }
  return text;
}

struct Example {
  std::uint32_t word;
  std::string_view chip, text;
};
class Examples : public ::testing::TestWithParam<Example> {};

TEST_P(Examples, BothWays) {
  const auto [word, chip, text] = GetParam();
  const auto program =
      assemble_text("[01000000]\nl1: " + std::string(text) + "\nl2: nop\nl3: fxn3: nop\nl4: nop\n", chip);
  ASSERT_TRUE(program) << render(program.error());
  EXPECT_EQ(words_of(*program)[1], word);
  EXPECT_EQ(line_of(word, chip), text);
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Reference8, Examples, ::testing::Values(
    Example{0x08621234, "a530", "add $02, $03, 0x1234"},
    Example{0x98641001, "a530", "add $02, $03, $04"},
    Example{0x98432010, "a630", "cmp $04, $02, $03"},
    Example{0x9843200d, "a730", "cmp $04, $02, $03"},
    Example{0x2b050003, "a530", "and $05, $18, 0x3"},
    Example{0x48a50002, "a630", "shl $05, $05, 0x2"},
    Example{0x90a52002, "a730", "shl $05, $05, 0x2"},
    Example{0xa8a280b0, "a530", "cwrite $02, [$05 + @IB1_BASE]"},
    Example{0xa81f80b8, "a530", "cwrite $data, [$00 + @MEM_READ_ADDR]"},
    Example{0x981d4806, "a530", "mov $09, $memdata"},
    Example{0xb0128040, "a530", "cread $12, [$00 + 0x040]"},
    Example{0x32fde408, "a530", "or $addr, $17, 0xe408\t; VFD_INDEX_OFFSET"},
    Example{0x9c1ff806, "a530", "(rep)mov $data, $data"},
    Example{0xdc400000, "a530", "jump $02"},
    Example{0xb0431000, "a530", "load $03, [$02 + 0x0], 0x1"},
    Example{0xa8028004, "a630", "swrite $02, [$00 + %PREEMPT_INSTR]"},
    Example{0xb0e2003c, "a630", "load $02, [$07 + 0x3c]"},
    Example{0xac1d0061, "a630", "(rep)cwrite $memdata, [$00 + @PACKET_TABLE_WRITE]"},
    Example{0xac5f4001, "a630", "(rep)cwrite $data, [$02 + 0x1]!"},
    Example{0xac1f204a, "a650", "(rep)(sds2)cwrite $data, [$00 + @DRAW_STATE_SET_HDR]"},
    Example{0x985ffa01, "a530", "(xmov1)add $data, $02, $data"},
    Example{0x9c1ffe06, "a530", "(rep)(xmov3)mov $data, $data"},
    Example{0x9fe2f606, "a650", "(rep)(xmov3)or $usraddr, $data, $02"},
    Example{0x8b1d00a0, "a630", "mov $addr, 0xa0 << 24\t; |NRT_ADDR"},
    Example{0x8a1da204, "a630", "mov $addr, 0xa204 << 16\t; |NRT_DATA"},
    Example{0xec000000, "a630", "setsecure $02, #l4"},
    Example{0xc8000000, "a630", "jump #l1"},
    Example{0xd2000000, "a630", "iret"},
    Example{0xe4000002, "a530", "jumpa #l2"},
    Example{0xcc810002, "a630", "breq $04, b1, #l3"},
    Example{0xc4800002, "a630", "breq $04, 0x0, #l3"},
    Example{0xd4000003, "a630", "call #fxn3"},
    Example{0xe0000003, "a630", "bl #fxn3"},
    Example{0x9a83a012, "a660", "setbit $14, $14, $03"},
    Example{0x90637268, "a730", "ubfx $03, $03, b8, b19"},
    Example{0x91e383fe, "a730", "bfi $03, $0f, b30, b31"},
    Example{0x90636005, "a730", "setbit $03, $03, b2"},
    Example{0x90426000, "a730", "clrbit $02, $02, b0"},
    Example{0x93a65008, "a730", "rot $06, $memdata, 0x8"},
    Example{0x90c63006, "a730", "ushr $06, $06, 0x6"},
    Example{0x981f0106, "a730", "(peek)mov $00, $data"},
    Example{0xdf600000, "a750", "sret"},
    Example{0xdf70001b, "a750", "jump $lr"},
    Example{0xdf600000, "a630", "jump $lr"},
    Example{0x9803181c, "gen80000", "popcnt $03, $03"},
    Example{0xa0438004, "gen80000", "store $03, [$02 + 0x4], 0x8"},
    Example{0x9803181c, "a730", "[9803181c]"},
    Example{0x40031234, "a630", "not $03, 0x1234"},
    Example{0x8a0270a1, "a630", "mov $02, 0x70a1 << 16\t; CP_REG_RMW packet"},
    Example{0x8a027010, "a630", "mov $02, 0x7010 << 16\t; CP_NOP packet"},
    Example{0x98641021, "a630", "[98641021]"},
    Example{0xfbadc0de, "a730", "[fbadc0de]"},
    Example{0xc8007fff, "a630", "[c8007fff]"}));
// clang-format on

TEST(Text, OldSpellings) {
  struct Row {
    std::string_view chip, old, now;
  };
  constexpr Row rows[] = {
      {"a530", "cwrite $02, [$05 + 0x0b0], 0x8", "cwrite $02, [$05 + @IB1_BASE]"},
      {"a530", "cread $12, [$00 + 0x040], 0x8", "cread $12, [$00 + 64]"},
      {"a530", "mov $09, $addr", "mov $09, $memdata"},
      {"a530", "mov $addr2, $03", "mov $usraddr, $03"},
      {"a530", "comp $02, $03, $04", "cmp $02, $03, $04"},
      {"a530", "preemptleave #5", "bl #5"},
      {"a530", "breq $04, 0x0, #+69", "breq $04, 0x0, #69"},
      {"a630", "cwrite $02, [$00 + 0x4], 0x8", "swrite $02, [$00 + %PREEMPT_INSTR]"},
      {"a630", "cwrite $02, [$03 + 0x4], 0x4", "cwrite $02, [$03 + 0x4]!"},
      {"a630", "cwrite $02, [$03 + 0x4], 0x2", "(sds2)cwrite $02, [$03 + 0x4]"},
      {"a630", "cwrite $02, [$00 + @PREEMPT_INSTR], 0x8", "swrite $02, [$00 + %PREEMPT_INSTR]"},
      {"a630", "cread $03, [$06 + @PREEMPT_INSTR], 0x0", "cread $03, [$06 + 0x4]"},
      {"a630", "(rep)(sds2)cwrite $data, [$00 + @DRAW_STATE_SET], 0x2",
       "(rep)(sds2)cwrite $data, [$00 + @DRAW_STATE_SET_HDR]"},
      {"a530", "cwrite $04, [$0e + 0x004], 0x4", "store $04, [$0e + 0x4]!"},
      {"a530", "cwrite $02, [$05 + 0x000], 0x0", "store $02, [$05 + 0x0]"},
      {"a530", "cread $03, [$02 + 0x000], 0x1", "load $03, [$02 + 0x0], 0x1"},
      {"a630", "bl #-25165824", "bl #41943040"},
      {"a530", "or $addr, $17, VFD_INDEX_OFFSET", "or $addr, $17, 0xe408"},
      {"a530", "mov $addr, CP_SCRATCH_REG[0x2]", "mov $addr, 0xb7a"},
  };
  for (const Row& row : rows) {
    const auto old = assemble_text(row.old, row.chip), now = assemble_text(row.now, row.chip);
    ASSERT_TRUE(old) << row.old << render(old.error());
    ASSERT_TRUE(now) << row.now << render(now.error());
    EXPECT_EQ(old->code, now->code) << row.old;
  }
}

std::uint32_t first_word(std::string_view text, std::string_view chip, std::string_view syntax) {
  const auto program = assemble_text(text, chip, syntax);
  EXPECT_TRUE(program) << text << ' ' << syntax << '\n' << render(program.error());
  return program ? words_of(*program).at(0) : 0;
}

TEST(Text, NamesAreThoseOfTheMesaThatIsChosen) {
  constexpr std::string_view marker = "cread $02, [$00 + @MARKER]";
  EXPECT_EQ(first_word(marker, "a630", "mesa-22"), 0xB802012Au);
  EXPECT_EQ(first_word(marker, "a630", "mesa"), 0xB802012Au);
  EXPECT_EQ(first_word(marker, "a630", "mesa-26"), 0xB8020098u);
  EXPECT_EQ(first_word(marker, "a730", {}), 0xB8020098u) << "one meaning on a7xx";
  EXPECT_EQ(first_word("cread $02, [$00 + @MARKER_TEMP]", "a630", {}), 0xB802012Au);
  // Mesa 22.3.6 has two names for 0x031; its assembler reads the second, which later releases moved.
  constexpr std::string_view flush = "cread $02, [$00 + @CACHE_FLUSH_PEND_INCR]";
  EXPECT_EQ(first_word(flush, "a630", "mesa"), 0xB8020032u);
  EXPECT_THAT(codes_of(assemble_text(flush, "a630")), ElementsAre("AF136"));
  EXPECT_EQ(line_of(0xB8020032, "a630"), "cread $02, [$00 + 0x032]");
  EXPECT_EQ(first_word(flush, "a630", "mesa-22"), 0xB8020031u);

  const auto unclear = assemble_text(marker, "a630");
  ASSERT_THAT(codes_of(unclear), ElementsAre("AF136"));
  EXPECT_THAT(unclear.error()[0].message, HasSubstr("0x098 in Mesa 26.1.0, 0x12a in Mesa 22.3.6 and 25.0.7"));
  EXPECT_THAT(unclear.error()[0].hint, HasSubstr("mesa-22"));
}

TEST(Text, NoPrintedNameDependsOnTheRelease) {
  EXPECT_EQ(line_of(0xB8020098, "a630"), "cread $02, [$00 + 0x098]");
  EXPECT_EQ(line_of(0xB802012A, "a630"), "cread $02, [$00 + @MARKER_TEMP]");
  EXPECT_EQ(line_of(0xB8020000, "a630"), "cread $02, [$00 + @CHIP_REV]");
  const auto mesa = [](std::uint32_t word) {
    return text_of(program_of(bytes_of({0, 0x016EE001, word}), "a630"), "mesa");
  };
  for (const std::uint32_t number : {0x098u, 0x12Au, 0x000u, 0x0B1u, 0x05Bu})
    EXPECT_EQ(mesa(0xB8020000 | number).find('@'), std::string::npos) << "Mesa 25.0.7 knows no " << number;
  EXPECT_THAT(mesa(0xB8020054), HasSubstr("@IB_LEVEL"));
  EXPECT_THAT(mesa(0xB8028002), HasSubstr("[$00 + 0x2]")) << "nor SQE register 2";
}

TEST(Text, FormsThatAreOnlyReadAreNotPrinted) {
  const auto listing = find_machine("afuc")->disassemble(program_of(bytes_of({0, 0x016EE001})), {.syntax = "mesa-22"});
  ASSERT_FALSE(listing);
  EXPECT_EQ(listing.error()[0].code, "AF140");
  EXPECT_EQ(listing.error()[0].hint, "available: afuc, mesa");
}

/// Mesa 22.3.6 shows an a5xx without its packet table.
TEST(Text, TableOfAnOldListingIsAppended) {
  const std::string text = "[005ff001]  ; nop\n[00000004]  ; nop\nCP_SET_CONSTANT:\nnop\nCP_NOP: nop\n";
  for (const std::string_view syntax : {"mesa-22", "afuc"}) {
    const auto program = assemble_text(text, "auto", syntax);
    ASSERT_TRUE(program) << render(program.error());
    const auto words = words_of(*program);
    ASSERT_EQ(words.size(), 4u + 128u) << syntax;
    EXPECT_EQ(words[4 + 0x2D], 2u) << "a name that only Mesa 22.3.6 has for a5xx";
    EXPECT_EQ(words[4 + 0x10], 3u);
  }
  // Its assembler writes the address of the table too.
  const auto source = assemble_text("[016ee001]\n[01000000]\nCP_NOP: nop\n", "auto", "mesa-22");
  ASSERT_TRUE(source);
  EXPECT_EQ(words_of(*source)[1], 0x01000003u);
  EXPECT_EQ(words_of(*source).size(), 3u + 128u);
  EXPECT_EQ(words_of(*assemble_text("[016ee001]\n[01000000]\nCP_NOP: nop\n")).size(), 3u) << "nobody asked for one";
}

TEST(Text, LpacOfAnOldListingHasLabelsOfItsOwn) {
  const std::string text = "[016dc001]\nl000: jump #l000\nnop\n;\n; LPAC microcode:\n;\n[016ac001]\nl000: jump #l000\n";
  const auto program = assemble_text(text, "auto", "mesa-22");
  ASSERT_TRUE(program) << render(program.error());
  EXPECT_THAT(words_of(*program), ElementsAre(0x016DC001u, 0xC8000000u, 0x01000000u, 0x016AC001u, 0xC8000000u));
}

/// Listings that Mesa's afuc-disasm wrote of real images may lie beside them: NAME.mesa-22.txt and NAME.mesa.txt.
TEST(Text, ListingsOfMesaAssembleToTheirImages) {
  // What they do not tell: bits of `not` that Mesa 25.0.7 does not show, in words of data that look like it.
  constexpr std::uint32_t not_shown = 0x03E00000, not_number = 0x40000000, primary = 0xF8000000;
  std::size_t read = 0;
  for (const auto& image : real_images())
    for (const std::string syntax : {"mesa-22", "mesa"}) {
      const auto file = std::filesystem::path(image).replace_extension(syntax + ".txt");
      const auto bytes = read_bytes(file);
      if (bytes.empty()) continue;
      ++read;
      const auto program = assemble_text({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, "auto", syntax);
      if (!program) {
        // Mesa 22.3.6 gives the targets of data names that it defines nowhere.
        EXPECT_EQ(syntax, "mesa-22") << file;
        EXPECT_THAT(codes_of(program), ::testing::Each("AF131")) << file;
        continue;
      }
      const auto got = words_of(*program), wanted = words_of(program_of(read_bytes(image)));
      ASSERT_EQ(got.size(), wanted.size()) << file;
      for (std::size_t i = 0; i < got.size(); ++i) {
        const bool lost = syntax == "mesa" && (wanted[i] & primary) == not_number;
        EXPECT_EQ(got[i], lost ? wanted[i] & ~not_shown : wanted[i]) << file << " word " << i;
      }
    }
  if (read == 0) GTEST_SKIP() << "no listings beside the images";
}

/// Listings of Mesa show data as instructions, without the bits that these do not use.
TEST(Text, DataThatATextDoesNotSayInFullIsRemarked) {
  const auto remarks = [](std::string_view text) {
    const Result<Program> program = find_machine("afuc")->assemble({"listing.asm", text}, {.syntax = "mesa"});
    EXPECT_TRUE(program);
    return program ? program->remarks : Diagnostics{};
  };
  const Diagnostics found = remarks("[016ee001]\nwaitin\nmov $01, $data\n[ffffffff]\nnot $02, $03\n[ffffffff]\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].code, "AF137");
  EXPECT_EQ(found[0].severity, Severity::warning);
  EXPECT_EQ(found[0].where.line, 5u);
  EXPECT_EQ(remarks("[016ee001]\nnot $02, $03\nwaitin\nmov $01, $data\n").size(), 0u) << "it is reached";
  EXPECT_EQ(remarks("[016ee001]\nwaitin\nmov $01, $data\n[ffffffff]\n[98030008]\n").size(), 0u) << "all bits are said";
}

TEST(Text, UnknownIdsNeedAGpu) {
  const auto refused = assemble_text("[01741001]\nnop\n");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().front().code, "AF138");
  // What disasm says of such an image is that image.
  const auto program = assemble_text(".gpu a740\n[01741001]\n[01000000]\nshl $02, $02, 0x2\n");
  ASSERT_TRUE(program) << render(program.error());
  Program image = *program;
  image.variant = "auto";
  const auto listing = find_machine("afuc")->disassemble(image, {});
  ASSERT_TRUE(listing);
  EXPECT_THAT(listing->text, testing::HasSubstr("; unknown firmware id 0x741: read as"));
  EXPECT_THAT(listing->text, testing::HasSubstr("\n.gpu a740\n"));
  const auto again = assemble_text(listing->text);
  ASSERT_TRUE(again) << render(again.error());
  EXPECT_EQ(again->code, image.code);
}

/// Everything the seed document writes as code, in its order; its labels are added.
TEST(Text, SeedDocumentAssembles) {
  const auto program = assemble_text(data_text("seed.asm"), "a530");
  ASSERT_TRUE(program) << render(program.error());
  const auto words = words_of(*program);
  EXPECT_EQ(words.size(), 62u);
  EXPECT_THAT(words, Contains(0x08621234u));
  EXPECT_THAT(words, Contains(0xa8a280b0u));
  EXPECT_THAT(words, Contains(0x32fde408u));
}

TEST(Text, AnyBytesRoundTrip) {
  std::mt19937 random(7);
  for (const Variant& variant : variants())
    for (unsigned round = 0; round < 60; ++round) {
      std::vector<std::uint8_t> code(random() % 1200);
      for (auto& byte : code) byte = static_cast<std::uint8_t>(random());
      // Half of the programs begin as files do; many words are made likely to be branches and calls nearby.
      for (std::size_t i = 0; i + 4 <= code.size(); i += 4) {
        if (random() % 3 == 0) code[i + 3] = static_cast<std::uint8_t>(0xC0 + random() % 0x30), code[i + 1] = 0;
        if (random() % 5 == 0) code[i + 2] = 0, code[i + 1] = 0;
      }
      if (round % 2 == 0)
        for (std::size_t i = 0; i < std::min<std::size_t>(4, code.size()); ++i) code[i] = 0;
      const Program program = program_of(code, variant.name);
      for (const std::string_view syntax : {"afuc", "mesa"}) {
        const std::string text = text_of(program, syntax);
        const auto back = assemble_text(text, variant.name);
        ASSERT_TRUE(back) << variant.name << '\n' << render(back.error()) << text;
        ASSERT_EQ(back->code, code) << variant.name << '\n' << text;
        // Text that is taken elsewhere says for itself which GPU it is for.
        const auto alone = assemble_text(text);
        ASSERT_TRUE(alone) << render(alone.error());
        ASSERT_EQ(alone->code, code) << text;
      }
    }
}

/// Broken headers, tables and jumps: whatever the text then calls by name, it also defines.
TEST(Text, ImagesWithAWrongWordRoundTrip) {
  std::mt19937 random(11);
  for (const std::string name : {"small.asm", "several.asm"}) {
    auto program = assemble_text(data_text(name));
    ASSERT_TRUE(program) << render(program.error());
    for (std::size_t i = 0; i < program->code.size(); ++i) {
      std::uint8_t& byte = program->code[i];
      const std::uint8_t before = std::exchange(byte, static_cast<std::uint8_t>(byte ^ 1u << random() % 8));
      const std::string text = text_of(*program);
      const auto back = assemble_text(text);
      ASSERT_TRUE(back) << name << " byte " << i << '\n' << render(back.error());
      ASSERT_EQ(back->code, program->code) << name << " byte " << i;
      byte = before;
    }
  }
}

TEST(Text, EmptyAndTinyInputsRoundTrip) {
  for (const std::vector<std::uint8_t>& code : std::vector<std::vector<std::uint8_t>>{
           {}, {0}, {1, 2, 3}, {0, 0, 0, 0}, {0, 0, 0, 0, 9}, {1, 2, 3, 4}, {0, 0, 0, 0, 0, 0, 0, 0}}) {
    const auto back = assemble_text(text_of(program_of(code)));
    ASSERT_TRUE(back) << render(back.error());
    EXPECT_EQ(back->code, code);
  }
}

TEST(Text, PacketTableComesFromLabels) {
  const auto program = assemble_text(data_text("small.asm"));
  ASSERT_TRUE(program) << render(program.error());
  const auto words = words_of(*program);
  const std::uint32_t table = words[1] & 0xFFFFFF;
  ASSERT_EQ(table + 128, words.size());
  EXPECT_EQ(words[1] >> 24, 1u);
  EXPECT_EQ(words[words[table + 0x10]], 0x9C1F0006u) << "CP_NOP drops the rest of its packet";
  EXPECT_EQ(words[table + 2], words[table + 4]) << "UNKN2, UNKN3 and PKT4 share a handler";
  const std::string text = text_of(*program);
  EXPECT_THAT(text, HasSubstr("\nCP_NOP:\n"));
  EXPECT_THAT(text, HasSubstr("\nPKT4:\nUNKN2:\nUNKN3:\n"));
  EXPECT_THAT(text, HasSubstr("; called from CP_MEM_WRITE"));
  EXPECT_THAT(text, HasSubstr("; jumped to from "));
  EXPECT_THAT(text, HasSubstr("[#jumptbl]"));
}

/// Puts `line` in front of the instruction that has number `at` among the instructions of the text.
std::string inserted(const std::string& text, std::string_view marker, std::string_view line) {
  std::string result = text;
  const std::size_t at = result.find(marker);
  EXPECT_NE(at, std::string::npos) << marker;
  return result.insert(at, line);
}

TEST(Text, InsertingAnInstructionMovesEveryAddress) {
  const auto program = assemble_text(data_text("several.asm"));
  ASSERT_TRUE(program) << render(program.error());
  const auto before = words_of(*program);
  // A word more in the first program moves its table, and the other program by a whole alignment.
  const auto moved = assemble_text(inserted(data_text("several.asm"), "boot_br:", "nop\n"));
  ASSERT_TRUE(moved) << render(moved.error());
  const auto after = words_of(*moved);
  ASSERT_EQ(after.size(), before.size() + 8);
  const auto low = [](std::uint32_t word) { return word & 0xFFFF; };
  EXPECT_EQ(low(after[1]), after.size());
  EXPECT_EQ(low(after[3]), low(before[3]) + 8) << "the table stays aligned";
  // mov $02, #handler << 0; add $07, $07, #.BV*4; add $06, $03, #jumptbl*4
  EXPECT_EQ(low(after[5]), low(before[4]) + 1);
  EXPECT_EQ(low(after[6]), low(before[5]) + 4 * 8);
  EXPECT_EQ(low(after[7]), low(before[6]) + 4 * 8);
  EXPECT_EQ(after[after.size() - 1], before[before.size() - 1]) << "the other program is as it was";
  // Disassembling finds the addresses again.
  const std::string text = text_of(*moved);
  EXPECT_THAT(text, HasSubstr("[#.end]"));
  EXPECT_THAT(text, HasSubstr("add $07, $07, #.BV*4"));
  EXPECT_THAT(text, HasSubstr("add $06, $03, #jumptbl*4"));
  EXPECT_THAT(text, HasSubstr("mov $05, #data"));
  EXPECT_THAT(text, HasSubstr("\n.section BV\n"));
  EXPECT_EQ(assemble_text(text).value().code, moved->code);
}

TEST(Text, UnknownIdIsSaid) {
  const std::string text = text_of(program_of(bytes_of({0, 0x01741001, 0x01000000, 0x90422002})));
  EXPECT_THAT(text, HasSubstr("unknown firmware id 0x741"));
  EXPECT_THAT(text, HasSubstr("Adreno 740"));
}

TEST(Text, MesaDialectHasOnlyWhatMesaReads) {
  const auto program = assemble_text(data_text("several.asm"));
  ASSERT_TRUE(program);
  const std::string text = text_of(*program, "mesa");
  EXPECT_EQ(text.find("#."), std::string::npos);
  EXPECT_EQ(text.find("called from"), std::string::npos);
  EXPECT_EQ(text.find(".bare"), std::string::npos);
  EXPECT_EQ(assemble_text(text).value().code, program->code);
}

struct Wrong {
  std::string_view text, code, chip = "a630";
};
class Errors : public ::testing::TestWithParam<Wrong> {};
TEST_P(Errors, AreLocated) {
  const auto result = assemble_text(GetParam().text, GetParam().chip);
  ASSERT_FALSE(result) << GetParam().text;
  EXPECT_THAT(codes_of(result), ElementsAre(GetParam().code)) << render(result.error());
  EXPECT_NE(result.error()[0].where.line, 0u);
}
// clang-format off
INSTANTIATE_TEST_SUITE_P(All, Errors, ::testing::Values(
    Wrong{"cwrite $02, [$00 - 0x1]", "AF101"},
    Wrong{".byte 1\nnop", "AF104"},
    Wrong{".byte 1, 2, 3, 4", "AF104"},
    Wrong{".align 4 4", "AF105"},
    Wrong{"x:\nx:\nnop", "AF106"},
    Wrong{".align x", "AF107"},
    Wrong{".jumptbl\n.jumptbl", "AF108"},
    Wrong{"nop\n.bare", "AF109"},
    Wrong{".gpu a999", "AF110"},
    Wrong{".byte 256", "AF111"},
    Wrong{".jumptable", "AF112"},
    Wrong{".align 3", "AF113"},
    Wrong{".section 3", "AF114"},
    Wrong{"[xyz]", "AF115"},
    Wrong{"(rpt)nop", "AF116"},
    Wrong{"+", "AF117"},
    Wrong{"cread $02, [$00 + 0x4], 0x20", "AF118"},
    Wrong{"cread $02, [$00 + 0x4], 0x1", "AF118"},
    Wrong{"add $02, $03", "AF119"},
    Wrong{"bic $02, $03, $04", "AF120"},
    Wrong{"popcnt $02, $03", "AF120", "a740"},
    Wrong{"sret", "AF120"},
    Wrong{"ad $02, $03, $04", "AF121"},
    Wrong{"mov $20, $02", "AF122"},
    Wrong{"setbit $02, $02, b32", "AF123"},
    Wrong{"mov $02, 1 << 32", "AF124"},
    Wrong{"jump #99999999", "AF125"},
    Wrong{"jump #[", "AF126"},
    Wrong{"mov $02, 0x100000000", "AF127"},
    Wrong{"cwrite $02, [$00 + @NONSENSE]", "AF128"},
    Wrong{"mov $addr, CP_SCRATCHY", "AF128"},
    Wrong{"cwrite $02, [$00 + @MARKER]", "AF136"},
    Wrong{"(xmov1)add $02, $03, 0x4", "AF129"},
    Wrong{"(peek)mov $02, $data", "AF129"},
    Wrong{"(xmov1)(xmov2)mov $02, $data", "AF129"},
    Wrong{"mov $02, 0x10000", "AF130"},
    Wrong{"brne $02, 0x20, #+1", "AF130"},
    Wrong{"shl $02, $02, 0x1000", "AF130", "a740"},
    Wrong{"jump #nowhere", "AF131"},
    Wrong{"mov $02, #.BV", "AF131"},
    Wrong{"jump #+32768", "AF132"},
    Wrong{"setsecure $02, #+2", "AF133"},
    Wrong{"CP_NOP: nop\nUNKN16: nop\n.jumptbl", "AF135"}));
// clang-format on

TEST(Text, AllErrorsOfAText) {
  EXPECT_THAT(codes_of(assemble_text("ad $02\nmov $20, $02\njump #nowhere\n", "a630")),
              ElementsAre("AF121", "AF122", "AF131"));
}

TEST(Text, BranchesReachAsFarAsSixteenBits) {
  std::string text = "jump #far\n.align 4\n";
  for (unsigned i = 0; i < 32766; ++i) text += "nop\n";
  EXPECT_TRUE(assemble_text(text + "far: nop\n", "a630"));
  EXPECT_THAT(codes_of(assemble_text(text + "nop\nfar: nop\n", "a630")), ElementsAre("AF132"));
}

}  // namespace
}  // namespace mobula::afuc
