// What is listed piece by piece must not show where pieces meet.
#include "core/listing_pieces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <set>

#include "paths.h"

namespace mobula {
namespace {

std::vector<std::uint8_t> assembled(std::string_view machine, std::string_view text) {
  const auto program = find_machine(machine)->assemble({"t", text}, {});
  EXPECT_TRUE(program) << render(program.error());
  return program ? program->code : std::vector<std::uint8_t>{};
}

Program repeated(std::string_view machine, const std::vector<std::uint8_t>& once, std::size_t bytes) {
  Program program;
  program.machine = machine;
  program.variant = find_machine(machine)->variants().front().name;
  while (program.code.size() < bytes) program.code.insert(program.code.end(), once.begin(), once.end());
  return program;
}

/// Of words that are no branches, whose text depends on words before them at most, and of which the last leads to the
/// first.
std::vector<std::uint8_t> words_of(std::string_view machine) {
  if (machine == "midgard") {
    std::vector<std::uint8_t> code =
        assembled(machine,
                  "{\n  vmul.FMUL.f32 R9.xy, R0.xy, R9.xy\n}\n{\n  LD_VARY.f32 R1.xyzw, 0.x, 0.x\n}\n"
                  "{\n  vmul.FMUL.f32 R2.x, R8.x, R9.x\n  vadd.FADD.f32 R3.x, R8.x, R9.x\n}\n");
    const std::size_t last = code.size() - 32;  // two quadwords
    code[last] = static_cast<std::uint8_t>((code[last] & 15) | (code[0] & 15) << 4);
    return code;
  }
  if (machine == "utgard-gp")
    return assembled(machine,
                     "{ p0 = attr0; a0 = add p0.x, p0.y }\n{ a1 = add p0[-1].x, a0[-1]; p1 = $3 }\n"
                     "{ ld = u[2]; m0 = mul a1[-1], ld.x; st0 v1.x = m0 }\n");
  if (machine == "rogue")
    return assembled(machine,
                     "main { s0 = r1; s1 = r2; is4 = fte; p0: fadd ft0, s0, s1; w0 = r3 }\n"
                     "main { s0 = r1; is4 = fte; p0: mbyp ft0, s0; w0 = r4 }\n");
  return assembled(machine, ".bare\nadd $01, $02, $03\nmov $04, 0x12\nnop\n");
}

/// Without the numbers of words and results: what a colon follows, what `^` precedes, and what begins a line.
std::string without_numbers(const std::string& text) {
  const auto is_digit = [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0 || c == 'x'; };
  std::string kept;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_digit(text[end])) ++end;
    const bool begins_line = at == 0 || text[at - 1] == '\n';
    const bool is_number = end != at && (text[end] == ':' || begins_line || text[at - 1] == '^');
    if (end == at) ++end;
    kept += is_number ? "#" : text.substr(at, end - at);
    at = end;
  }
  return kept;
}

TEST(ListingPieces, DoNotShowWhereTheyMeet) {
  for (const Machine* machine : machines())
    for (const Syntax& syntax : machine->syntaxes()) {
      // The decompiler's text of many words is data.
      if (!syntax.prints || syntax.has_policies) continue;
      SCOPED_TRACE(std::string(machine->name()) + ' ' + std::string(syntax.name));
      const std::vector<std::uint8_t> once = words_of(machine->name());
      ASSERT_FALSE(once.empty());
      const Program program = repeated(machine->name(), once, std::size_t{3} * piece_bytes);
      // Bytes stand before the text, whatever its syntax.
      for (const bool bytes : {false, true}) {
        if (bytes && &syntax != &machine->syntaxes().front() && !test::whole()) continue;
        const auto listing = machine->disassemble(program, {.syntax = syntax.name, .bytes = bytes, .words = true});
        ASSERT_TRUE(listing) << render(listing.error());
        // After the first repetition all have the same text, and the last may say how the program ends.
        std::set<std::string> texts;
        const std::size_t repetitions = program.code.size() / once.size();
        const std::size_t words = listing->words.size() / repetitions;
        for (std::size_t i = 2; i + 2 < repetitions; ++i) {
          const Listing::Word& first = listing->words[i * words];
          ASSERT_EQ(first.byte_offset, i * once.size());
          const std::size_t end = listing->words[(i + 1) * words].text_begin;
          texts.insert(without_numbers(listing->text.substr(first.text_begin, end - first.text_begin)));
        }
        EXPECT_EQ(texts.size(), 1u) << *texts.begin() << "\n and \n" << *texts.rbegin();
      }
    }
}

TEST(ListingPieces, AreSeveral) {
  for (const Machine* machine : machines()) {
    const Program program = repeated(machine->name(), words_of(machine->name()), std::size_t{3} * piece_bytes);
    const auto pieces = machine->disassemble_in_pieces(program, {.directive = true});
    ASSERT_TRUE(pieces) << machine->name();
    std::string text;
    unsigned count = 0;
    while (const ListingPiece piece = (*pieces)()) {
      ++count;
      const std::string more = piece().text;
      EXPECT_LE(more.size(), std::size_t{32} * piece_bytes) << machine->name();
      text += more;
    }
    EXPECT_GE(count, 3u) << machine->name();
    EXPECT_EQ(text, machine->disassemble(program, {.directive = true})->text) << machine->name();
  }
}

/// Labels, names, and what groups at the end are filled with, over the borders of pieces.
TEST(ListingPieces, AssembleToTheSameBytes) {
  for (const Machine* machine : machines()) {
    Program program = repeated(machine->name(), words_of(machine->name()), std::size_t{2} * piece_bytes);
    if (machine->name() == "rogue") {
      const std::vector<std::uint8_t> end =
          assembled("rogue", "main { s0 = r1; s1 = r2; is4 = fte; p0: fadd ft0, s0, s1; w0 = r3 }\nctrl { nop.end }\n");
      program.code.insert(program.code.end(), end.begin(), end.end());
    }
    const auto listing = machine->disassemble(program, {});
    ASSERT_TRUE(listing);
    const auto again = machine->assemble({"t", listing->text}, {});
    ASSERT_TRUE(again) << machine->name() << render(again.error()).substr(0, 1000);
    EXPECT_EQ(again->code, program.code) << machine->name();
  }
}

TEST(ListingPieces, OfNothingAreOne) {
  for (const Machine* machine : machines()) {
    Program program;
    program.machine = machine->name();
    program.variant = machine->variants().front().name;
    const auto pieces = machine->disassemble_in_pieces(program, {.directive = true});
    ASSERT_TRUE(pieces);
    EXPECT_THAT((*pieces)()().text, testing::StartsWith(".machine "));
    EXPECT_FALSE((*pieces)()) << machine->name();
  }
}

}  // namespace
}  // namespace mobula
