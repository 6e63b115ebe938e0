// What floats and integers of all widths have trouble with: words, and every form of every operation to do with them.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

#include "ir/builder.h"
#include "mobula/isa/ir.h"

namespace mobula::test {

/// Zeros of both signs, denormals, infinities, NaNs of all kinds, ends of ranges, and numbers like any other.
inline std::uint32_t difficult_word(std::mt19937& generator) {
  const auto random = [&] { return static_cast<std::uint32_t>(generator()); };
  static constexpr std::array<std::uint32_t, 24> special{
      0,          0x80000000, 1,          0x80000001, 0x007FFFFF, 0x00800000, 0x3F800000, 0xBF800000,
      0x7F7FFFFF, 0x7F800000, 0xFF800000, 0x7F800001, 0xFFC12345, 0x7FC00000, 0x7C007C00, 0xFC017E00,
      0x00018001, 0x3C00BC00, 0x03FF0400, 0x7BFFFBFF, 0x7FFFFFFF, 0xFFFFFFFF, 0x4F000000, 0x5F800000};
  const std::uint32_t kind = random() % 4;
  if (kind == 0) return special[random() % special.size()];
  if (kind == 1) return special[random() % special.size()] + random() % 5 - 2;
  if (kind == 2) return 0x3E000000 + random() % 0x04000000 + (random() & 0x80000000);
  return random();
}

/// Numbers about the middles between bytes, of which n / 255 is one, and what is no number from 0 to 1.
inline std::vector<std::uint32_t> words_near_half_bytes() {
  std::vector<std::uint32_t> words{0,          0x80000000, 1,          0x3F800000, 0x3F800001, 0x3F7FFFFF, 0x7F7FFFFF,
                                   0x7F800000, 0xFF800000, 0x7F800001, 0xFFC12345, 0xBF800000, 0xBB008081, 0x4F000000};
  for (std::uint32_t byte = 0; byte < 255; ++byte) {
    const auto middle = std::bit_cast<std::uint32_t>((static_cast<float>(byte) + 0.5f) / 255);
    for (std::uint32_t word = middle - 8; word <= middle + 8; ++word) words.push_back(word);
  }
  return words;
}

/// An operation in all its types and roundings, without operands.
inline std::vector<ir::Operation> forms_of(ir::Op op) {
  constexpr std::array types{ir::Type::i8,  ir::Type::i16, ir::Type::i32, ir::Type::i64,
                             ir::Type::f16, ir::Type::f32, ir::Type::f64};
  const ir::OpInfo& info = ir::info(op);
  const bool rounds = info.summary.find("; round") != std::string_view::npos;
  std::vector<ir::Operation> forms;
  for (const ir::Type type : types) {
    if (info.types != 'A' && (info.types == 'F') != ir::is_float(type)) continue;
    for (const ir::Type from : types)
      for (const ir::Round round : {ir::Round::even, ir::Round::zero, ir::Round::down, ir::Round::up}) {
        if ((!ir::is_conversion(op) && from != type) || (!rounds && round != ir::Round::even)) continue;
        forms.push_back({.op = op, .type = type, .from = from, .round = round});
      }
  }
  return forms;
}

/// Whether there is such an operation: some conversions are only of wider types, or of narrower ones.
inline bool is_possible(ir::Operation operation) {
  ir::Builder builder(std::vector<ir::Slot>{{"a", 0, 4}, {"b", 4, 4}});
  builder.begin_block(0, 16);
  for (std::uint32_t i = 0; i < ir::info(operation.op).sources; ++i) operation.src[i] = ir::Operand::state(0);
  operation.dst = ir::Operand::state(0);
  builder.emit(operation);
  builder.end();
  builder.end_block();
  return ir::verify(builder.finish(0)).empty();
}

/// Those of all operations that compute something of a lane's own values, or of its quad's.
inline std::vector<ir::Operation> computing_forms() {
  std::vector<ir::Operation> all;
  for (std::uint32_t number = 0; number < ir::op_count; ++number) {
    const auto op = static_cast<ir::Op>(number);
    if (ir::is_control(op) || op == ir::Op::call || op == ir::Op::enable || op == ir::Op::task_lane ||
        op == ir::Op::task_first)
      continue;
    for (const ir::Operation& form : forms_of(op))
      if (is_possible(form)) all.push_back(form);
  }
  return all;
}

}  // namespace mobula::test
