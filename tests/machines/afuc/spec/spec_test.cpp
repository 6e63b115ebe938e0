#include "machines/afuc/spec/spec.h"

#include <gtest/gtest.h>

#include <random>

#include "machines/afuc/spec/codec.h"

namespace mobula::afuc {
namespace {

constexpr std::uint8_t generations[] = {g5, g6, g7, g8};

TEST(Spec, TwoOpcodesOfAGenerationOnlyShareWordsIfTheFirstIsASpecialCase) {
  for (const std::uint8_t generation : generations)
    for (const Opcode& a : opcodes)
      for (const Opcode* b = &a + 1; b != std::end(opcodes); ++b) {
        if ((a.generations & b->generations & generation) == 0) continue;
        const bool disjoint = ((a.match ^ b->match) & a.mask & b->mask) != 0;
        EXPECT_TRUE(disjoint || (a.mask & b->mask) == b->mask) << a.name << " and " << b->name;
      }
}

TEST(Spec, FieldsOfOperandsBelongToTheForm) {
  for (const Opcode& opcode : opcodes)
    for (const OperandSpec& operand : opcode.operands) {
      if (operand.field == nullptr) continue;
      const auto fields = opcode.format->fields;
      EXPECT_NE(std::find(fields.begin(), fields.end(), operand.field), fields.end()) << opcode.name;
    }
}

TEST(Spec, EveryBitIsFixedReservedAPrefixOrAnOperand) {
  for (const Opcode& opcode : opcodes) {
    std::uint32_t covered = opcode.mask | opcode.reserved;
    const auto cover = [&](const Field& field) {
      covered |= static_cast<std::uint32_t>(low_mask(field.width)) << field.low;
    };
    for (const Field* field : {&field::rep, &field::xmov, &field::peek, &field::sds})
      if (std::count(opcode.format->fields.begin(), opcode.format->fields.end(), field) != 0) cover(*field);
    for (const OperandSpec& operand : opcode.operands) {
      if (operand.field != nullptr) cover(*operand.field);
      if (operand.kind == OperandKind::shifted) cover(field::shift);
      if (operand.kind == OperandKind::control || operand.kind == OperandKind::sqe ||
          operand.kind == OperandKind::memory)
        for (const Field* field : {&field::base, &field::pre}) cover(*field);
      if (operand.kind == OperandKind::memory) cover(field::size), cover(field::window);
    }
    EXPECT_EQ(covered, 0xFFFFFFFFu) << opcode.name << ' ' << opcode.format->name;
  }
}

TEST(Codec, FindsWhatALinearSearchFinds) {
  std::mt19937 random(1);
  for (const std::uint8_t generation : generations)
    for (unsigned i = 0; i < 200000; ++i) {
      const std::uint32_t word = static_cast<std::uint32_t>(random());
      const Opcode* expected = nullptr;
      for (const Opcode& opcode : opcodes)
        if (expected == nullptr && (opcode.generations & generation) != 0 && (word & opcode.mask) == opcode.match)
          expected = &opcode;
      ASSERT_EQ(decoder(generation).find(word), expected) << std::hex << word;
    }
}

}  // namespace
}  // namespace mobula::afuc
