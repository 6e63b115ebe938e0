// What instructions do, executed: the results go to control registers, which tests read.
#include "machines/afuc/lift/lift.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "machines/afuc/build.h"
#include "machines/afuc/spec/spec.h"
#include "mobula/afuc/emulator.h"

namespace mobula::afuc {
namespace {

constexpr std::string_view a6xx = "[016ee001]\n[01000000]\n", a7xx = "[01730001]\n[01000000]\n";

/// Boots `code`, which is to end up in the waitin after it.
Emulator boot_code(std::string_view code, std::string_view header = a6xx, EmulatorOptions options = {}) {
  const auto program = assemble_text(std::string(header) + std::string(code) + "waitin\nmov $01, $data\n");
  EXPECT_TRUE(program) << (program ? "" : render(program.error()));
  auto emulator = Emulator::create({words_of(*program)}, std::move(options));
  EXPECT_TRUE(emulator) << (emulator ? "" : render(emulator.error()));
  emulator->boot();
  return std::move(*emulator);
}

/// What `code` leaves in $02.
std::uint32_t result_of(std::string_view code, std::string_view header = a6xx, const Policies& policies = {}) {
  EmulatorOptions options;
  options.policies = policies;
  const Emulator emulator = boot_code(std::string(code) + "cwrite $02, [$00 + 0x120]\n", header, std::move(options));
  EXPECT_EQ(emulator.cores()[0].halt, Halt::idle) << code << emulator.cores()[0].reason;
  return emulator.read_control(0, 0x120);
}

/// `op $02, $03, $04` of two numbers.
std::uint32_t binary(std::string_view op, std::uint32_t a, std::uint32_t b, std::string_view header = a6xx,
                     const Policies& policies = {}) {
  const auto load = [](std::string_view reg, std::uint32_t value) {
    return "mov " + std::string(reg) + ", " + std::to_string(value >> 16) + " << 16\nor " + std::string(reg) + ", " +
           std::string(reg) + ", " + std::to_string(value & 0xFFFF) + '\n';
  };
  return result_of(load("$03", a) + load("$04", b) + std::string(op) + " $02, $03, $04\n", header, policies);
}

TEST(AfucLift, Arithmetic) {
  EXPECT_EQ(binary("add", 0xFFFFFFFF, 2), 1u);
  EXPECT_EQ(binary("sub", 1, 2), 0xFFFFFFFFu);
  EXPECT_EQ(binary("and", 0xFF00FF00, 0x0FF00FF0), 0x0F000F00u);
  EXPECT_EQ(binary("or", 0xF0, 0x0F), 0xFFu);
  EXPECT_EQ(binary("xor", 0xFF, 0x0F), 0xF0u);
  EXPECT_EQ(binary("mul8", 0x1FF, 0x203), 0xFFu * 3);
  EXPECT_EQ(binary("min", 0xFFFFFFFF, 2), 2u);
  EXPECT_EQ(binary("max", 0xFFFFFFFF, 2), 0xFFFFFFFFu);
  EXPECT_EQ(binary("rot", 0x80000001, 4), 0x18u);
  EXPECT_EQ(binary("rot", 0x80000001, 32), 0x80000001u);
  EXPECT_EQ(binary("bic", 0xFF, 0x0F, a7xx), 0xF0u);
}

/// What an execution of `code` rests on.
std::string reasons(std::string_view code) {
  std::string text;
  for (const firmware::Doubt& doubt : boot_code(code).doubts())
    for (const std::string& reason : doubt.reasons) text += reason + '\n';
  return text;
}

TEST(AfucLift, WhatPoliciesDecideIsInDoubt) {
  const std::string shifts = "what a shift by 32 or more gives is unpublished\n";
  EXPECT_EQ(reasons("shl $02, $03, 0x1f\n"), "");
  EXPECT_EQ(reasons("shl $02, $03, 0x20\n"), shifts);
  EXPECT_EQ(reasons("ishr $02, $03, $04\n"), "what a shift gives, if its register holds 32 or more, is unpublished\n");
  EXPECT_EQ(reasons("rot $02, $03, $04\n"), "") << "which no policy decides";
  const auto pair = [](const std::string& first, const std::string& second, const char* to = "b") {
    return reasons(first + ", #a\n" + second + ", #" + to + "\nnop\na: nop\nb: nop\n");
  };
  const std::string both = "which of two branches in a row wins, if both are taken, is unpublished\n";
  EXPECT_EQ(pair("brne $02, 0x1", "brne $02, 0x2"), both);
  EXPECT_EQ(pair("brne $02, 0x1", "breq $03, 0x0"), both) << "nothing here says that one is not taken";
  EXPECT_EQ(pair("breq $02, b0", "breq $02, b1"), both);
  EXPECT_EQ(pair("brne $02, 0x1", "breq $02, 0x1"), "");
  EXPECT_EQ(pair("brne $02, 0x1", "brne $02, 0x2", "a"), "") << "both lead to one place";
}

TEST(AfucLift, CompareAnswersInThreeBits) {
  EXPECT_EQ(binary("cmp", 3, 2), 0x00u);
  EXPECT_EQ(binary("cmp", 2, 2), 0x2Bu);
  EXPECT_EQ(binary("cmp", 2, 0xFFFFFFFF), 0x1Eu) << "unsigned";
}

TEST(AfucLift, CarryGoesFromAddToAddhiAndFromSubToSubhi) {
  constexpr std::string_view setup = "mov $03, 0xffff << 16\nor $03, $03, 0xffff\nmov $04, 0x1\n";
  EXPECT_EQ(result_of(std::string(setup) + "add $05, $03, $04\naddhi $02, $00, 0x5\n"), 6u);
  EXPECT_EQ(result_of(std::string(setup) + "add $05, $04, $04\naddhi $02, $00, 0x5\n"), 5u);
  EXPECT_EQ(result_of(std::string(setup) + "sub $05, $04, $03\nmov $06, 0x5\nsubhi $02, $06, 0x1\n"), 3u);
  EXPECT_EQ(result_of(std::string(setup) + "sub $05, $03, $04\nmov $06, 0x5\nsubhi $02, $06, 0x1\n"), 4u);
}

TEST(AfucLift, ShiftsBeyondTheWordAreAPolicy) {
  EXPECT_EQ(binary("shl", 1, 31), 0x80000000u);
  EXPECT_EQ(binary("shl", 1, 33), 0u);
  EXPECT_EQ(binary("ushr", 0x80000000, 32), 0u);
  EXPECT_EQ(binary("ishr", 0x80000000, 40), 0xFFFFFFFFu);
  EXPECT_EQ(binary("shl", 1, 33, a6xx, {{"shift", "wrap"}}), 2u);
  EXPECT_EQ(result_of("mov $03, 0x1\nshl $02, $03, 0x21\n"), 0u);
  EXPECT_EQ(result_of("mov $03, 0x1\nshl $02, $03, 0x21\n", a6xx, {{"shift", "wrap"}}), 2u);
}

TEST(AfucLift, BitsAndBitFields) {
  EXPECT_EQ(result_of("mov $03, 0x100\nmsb $02, $03\n"), 8u);
  EXPECT_EQ(result_of("msb $02, $00\n"), 0u);
  EXPECT_EQ(result_of("not $02, 0xff\n"), 0xFFFFFF00u);
  EXPECT_EQ(result_of("mov $03, 0x5\nsetbit $02, $03, b4\n"), 0x15u);
  EXPECT_EQ(result_of("mov $03, 0x15\nclrbit $02, $03, b4\n"), 0x5u);
  EXPECT_EQ(binary("setbit", 0, 4 << 1 | 1), 0x10u);
  EXPECT_EQ(binary("setbit", 0xFF, 4 << 1), 0xEFu);
  EXPECT_EQ(result_of("mov $03, 0xabcd\nubfx $02, $03, b4, b11\n", a7xx), 0xBCu);
  EXPECT_EQ(result_of("mov $02, 0xffff\nmov $03, 0x10\nbfi $02, $03, b4, b7\n", a7xx), 0xFF0Fu)
      << "the old field is cleared, and nothing beside it changes";
}

TEST(AfucLift, DelaySlotsExecuteWhetherOrNotTheBranchIsTaken) {
  EXPECT_EQ(result_of("mov $02, 0x1\nbreq $02, 0x1, #to\nadd $02, $02, 0x10\nadd $02, $02, 0x100\nto:\n"), 0x11u);
  EXPECT_EQ(result_of("mov $02, 0x1\nbrne $02, 0x1, #to\nadd $02, $02, 0x10\nadd $02, $02, 0x100\nto:\n"), 0x111u);
  EXPECT_EQ(result_of("mov $02, 0x2\nbreq $02, b1, #to\nadd $02, $02, 0x10\nadd $02, $02, 0x100\nto:\n"), 0x12u);
  EXPECT_EQ(result_of("jump #to\nmov $02, 0x1\nmov $02, 0x2\nto:\n"), 1u);
  EXPECT_EQ(result_of("mov $02, 0x3\nself:\nbrne $02, 0x0, #self\nsub $02, $02, 0x1\n"), 0xFFFFFFFFu)
      << "the condition is read before the slot";
}

TEST(AfucLift, BranchesInDelaySlotsDecideWhenTheFirstIsNotTaken) {
  constexpr std::string_view choose =
      "breq $03, 0x1, #one\nbreq $03, 0x2, #two\nnop\njump #end\nmov $02, 0x30\none:\njump #end\nmov $02, 0x10\n"
      "two:\nmov $02, 0x20\nend:\n";
  EXPECT_EQ(result_of("mov $03, 0x1\n" + std::string(choose)), 0x10u);
  EXPECT_EQ(result_of("mov $03, 0x2\n" + std::string(choose)), 0x20u);
  EXPECT_EQ(result_of("mov $03, 0x3\n" + std::string(choose)), 0x30u);
}

TEST(AfucLift, TwoTakenBranchesInARowAreAPolicy) {
  constexpr std::string_view both =
      "mov $02, 0x0\nbreq $02, 0x0, #a\nbreq $02, 0x0, #b\nnop\na:\nmov $02, 0x1\njump #end\nnop\nb:\nmov $02, "
      "0x2\nend:\n";
  EXPECT_EQ(result_of(both), 1u);
  EmulatorOptions options;
  options.policies = {{"pair", "trap"}};
  const Emulator emulator = boot_code(both, a6xx, std::move(options));
  EXPECT_EQ(emulator.cores()[0].halt, Halt::fault);
  EXPECT_EQ(emulator.cores()[0].reason, "both of two branches in a row are taken");
}

TEST(AfucLift, CallsReturnAfterTheirDelaySlotAndNest) {
  EXPECT_EQ(
      result_of("jump #main\nnop\ninner:\nret\nadd $02, $02, 0x1\nouter:\ncall #inner\nadd $02, $02, 0x10\n"
                "mov $03, 0x7\ncall #inner\nnop\nret\nadd $02, $02, 0x100\nmain:\nmov $02, 0x0\ncall #outer\nnop\n"),
      0x112u);
  EXPECT_EQ(result_of("jump #main\nnop\nleaf:\njump $1b\nmov $02, 0x5\nmain:\nbl #leaf\nnop\nadd $02, $02, 0x1\n"), 6u);
}

TEST(AfucLift, TheStackHasEightEntries) {
  const Emulator deep = boot_code("self:\ncall #self\nnop\n");
  EXPECT_EQ(deep.cores()[0].halt, Halt::fault);
  EXPECT_EQ(deep.cores()[0].reason, "call finds the stack full: it has 8 entries");
  EXPECT_EQ(boot_code("ret\nnop\n").cores()[0].reason, "ret finds the stack empty");
}

TEST(AfucLift, RepeatsWhileThereIsRem) {
  EXPECT_EQ(result_of("mov $02, 0x0\nmov $rem, 0x5\n(rep)add $02, $02, 0x3\n"), 15u);
  EXPECT_EQ(result_of("mov $02, 0x7\nmov $rem, 0x0\n(rep)add $02, $02, 0x3\n"), 7u);
  EXPECT_EQ(boot_code("mov $rem, 0x5\n(rep)nop\n").cores()[0].instructions, 2u + 1 + 5 + 2)
      << "headers, mov, iterations, waitin and its slot";
}

TEST(AfucLift, PreIncrementWritesTheSumBackFirst) {
  const Emulator emulator = boot_code("mov $02, 0x11f\nmov $rem, 0x3\n(rep)cwrite $02, [$02 + 0x1]!\n");
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(emulator.read_control(0, 0x120 + i), 0x120 + i);
}

TEST(AfucLift, SetsecureSkipsTwoWordsOnSuccess) {
  constexpr std::string_view code = "mov $02, 0x2\nsetsecure $02, #done\nmov $02, 0x10\nadd $02, $02, 0x1\ndone:\n";
  EXPECT_EQ(result_of(code), 2u);
  EmulatorOptions options;
  options.secure = false;
  const Emulator refused = boot_code(std::string(code) + "cwrite $02, [$00 + 0x120]\n", a6xx, std::move(options));
  EXPECT_EQ(refused.read_control(0, 0x120), 0x11u);
}

/// Such a transfer leads to an address, where nothing can be skipped.
TEST(AfucLift, SetsecureInTheSlotOfATransferByAddressDoesNotExecute) {
  for (const std::string_view transfer : {"waitin", "ret", "iret"}) {
    const auto program =
        assemble_text(std::string(a6xx) + std::string(transfer) + "\nsetsecure $02, #done\nnop\nnop\ndone:\nnop\n");
    ASSERT_TRUE(program) << render(program.error());
    const auto lifted = find_machine("afuc")->lift(*program, {});
    ASSERT_TRUE(lifted);
    EXPECT_EQ(ir::verify(*lifted), std::vector<std::string>()) << transfer;
    EXPECT_TRUE(std::ranges::count(lifted->trap_reasons, "setsecure in the delay slot of " + std::string(transfer)) >
                0);
  }
}

TEST(AfucLift, IretGoesOnWhereTheInterruptWas) {
  EXPECT_EQ(result_of("mov $03, #back\nswrite $03, [$00 + %IRET_PC]\nadd $03, $03, 0x1\nswrite $03, [$00 + %IRET_NPC]\n"
                      "iret\nmov $02, 0x1\nmov $02, 0x100\nback:\nadd $02, $02, 0x1\n"),
            2u);
  EXPECT_EQ(result_of("mov $03, #slot\nswrite $03, [$00 + %IRET_PC]\nmov $04, #to\nswrite $04, [$00 + %IRET_NPC]\n"
                      "iret\nmov $02, 0x1\nbreq $00, 0x1, #to\nslot:\nadd $02, $02, 0x2\nmov $02, 0x100\nto:\n"),
            3u)
      << "an interrupt may come between a taken branch and its slot";
}

TEST(AfucLift, StopsAtWhatIsNotAnInstruction) {
  const Emulator emulator = boot_code("jump #bad\nnop\nbad:\n[00000000]\n");
  EXPECT_EQ(emulator.cores()[0].halt, Halt::fault);
  EXPECT_EQ(emulator.cores()[0].reason, "00000000 is not an instruction");
  EXPECT_EQ(emulator.cores()[0].pc, 4u);
}

TEST(AfucLift, AnyWordsLiftToAWellFormedProgram) {
  std::vector<std::uint32_t> words;
  for (std::uint32_t i = 0, word = 1; i < 2000; ++i) words.push_back(word = word * 1664525 + 1013904223);
  for (const std::uint8_t generation : {g5, g6, g7, g8}) {
    const auto lifted = lift(words, generation, {});
    ASSERT_TRUE(lifted);
    EXPECT_EQ(ir::verify(*lifted), std::vector<std::string>());
  }
}

TEST(AfucLift, UnknownPoliciesAreErrors) {
  const std::vector<std::uint32_t> words{0x01000000};
  EXPECT_FALSE(lift(words, g6, {{"shift", "sideways"}}));
  EXPECT_FALSE(lift(words, g6, {{"gravity", "zero"}}));
}

}  // namespace
}  // namespace mobula::afuc
