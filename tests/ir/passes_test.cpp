#include "ir/passes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "execute/semantics.h"
#include "ir/builder.h"

namespace mobula::ir {
namespace {

const Operand r0 = Operand::state(0), r1 = Operand::state(4), r2 = Operand::state(8), r3 = Operand::state(12);

/// One block over r0 .. r3, before and after.
template <class Emit>
std::string coalesced(Emit emit) {
  Builder b({{"r0", 0, 4}, {"r1", 4, 4}, {"r2", 8, 4}, {"r3", 12, 4}});
  b.begin_block(0, 16);
  emit(b);
  b.end_block(std::nullopt);
  Program program = b.finish(0);
  coalesce(program);
  EXPECT_THAT(verify(program), testing::IsEmpty());
  return print(program, 0);
}

TEST(Coalesce, AnOperationWritesItsSlot) {
  EXPECT_EQ(coalesced([](Builder& b) {
              const Operand sum = b.binary(Op::fadd, Type::f32, r1, r2);
              const Operand product = b.binary(Op::fmul, Type::f32, r1, r3);
              b.emit(Op::mov, Type::i32, r0, sum);
              b.emit(Op::mov, Type::i32, r3, product);
            }),
            "r0 = fadd.f32 r1, r2\nr3 = fmul.f32 r1, r3\n");
}

TEST(Coalesce, AnOperationMayReadTheSlotItWrites) {
  EXPECT_EQ(coalesced([](Builder& b) { b.emit(Op::mov, Type::f32, r0, b.binary(Op::iadd, Type::i32, r0, r1)); }),
            "r0 = iadd.i32 r0, r1\n");
}

TEST(Coalesce, NotAcrossAReadOfTheSlot) {
  const std::string expected = "t0 = inot.i32 r1\nr2 = inot.i32 r0\nr0 = mov.i32 t0\n";
  EXPECT_EQ(coalesced([](Builder& b) {
              const Operand t = b.unary(Op::inot, Type::i32, r1);
              b.emit(Op::inot, Type::i32, r2, r0);
              b.emit(Op::mov, Type::i32, r0, t);
            }),
            expected);
}

TEST(Coalesce, NotAcrossAWriteOfAPartOfTheSlot) {
  EXPECT_EQ(coalesced([](Builder& b) {
              const Operand t = b.unary(Op::inot, Type::i32, r1);
              b.emit(Op::inot, Type::i8, r0.plus(3), r2);
              b.emit(Op::mov, Type::i32, r0, t);
            }),
            "t0 = inot.i32 r1\nr0+3 = inot.i8 r2\nr0 = mov.i32 t0\n");
}

TEST(Coalesce, NotAcrossACallThatUsesTheSlot) {
  EXPECT_EQ(coalesced([](Builder& b) {
              const Operand t = b.unary(Op::inot, Type::i32, r1);
              b.call({.service = Service::store_varying, .data = r0, .args = {r3}});
              b.emit(Op::mov, Type::i32, r0, t);
            }),
            "t0 = inot.i32 r1\nstore_varying.i32 r3, r0\nr0 = mov.i32 t0\n");
}

TEST(Coalesce, NotWhenAnotherReadsTheTemporary) {
  EXPECT_EQ(coalesced([](Builder& b) {
              const Operand t = b.unary(Op::inot, Type::i32, r1);
              b.emit(Op::mov, Type::i32, r0, t);
              b.emit(Op::inot, Type::i8, r2, t.plus(3));
            }),
            "t0 = inot.i32 r1\nr0 = mov.i32 t0\nr2 = inot.i8 t3\n");
}

TEST(Coalesce, NotAMoveOfAnotherWidth) {
  EXPECT_EQ(coalesced([](Builder& b) { b.emit(Op::mov, Type::i16, r0, b.unary(Op::inot, Type::i32, r1)); }),
            "t0 = inot.i32 r1\nr0 = mov.i16 t0\n");
}

TEST(Coalesce, NotAResultOverwrittenInPart) {
  EXPECT_EQ(coalesced([](Builder& b) {
              const Operand t = b.unary(Op::inot, Type::i32, r1);
              b.emit(Op::inot, Type::i16, t.plus(2), r2);
              b.emit(Op::mov, Type::i32, r0, t);
            }),
            "t0 = inot.i32 r1\nt2 = inot.i16 r2\nr0 = mov.i32 t0\n");
}

TEST(Coalesce, ReadsTheSourceOfACopy) {
  EXPECT_EQ(coalesced([](Builder& b) {
              const Operand copy = b.unary(Op::mov, Type::i32, r1);
              const Operand constant = b.unary(Op::mov, Type::i32, b.constant_u32(7));
              b.emit(Op::iadd, Type::i32, r0, copy, constant);
              b.emit(Op::iadd, Type::i16, r2, copy.plus(2), constant.plus(2));
              b.branch_if(copy, 0);
            }),
            "r0 = iadd.i32 r1, 0x7\nr2 = iadd.i16 r1+2, 0x0\nbranch.i32 r1 -> 0x0\n");
}

TEST(Coalesce, FollowsChainsOfCopies) {
  EXPECT_EQ(coalesced([](Builder& b) {
              const Operand second = b.unary(Op::mov, Type::i32, b.unary(Op::mov, Type::i32, r1));
              b.emit(Op::mov, Type::i32, r0, second);
            }),
            "r0 = mov.i32 r1\n");
}

TEST(Coalesce, KeepsACopyWhoseSourceChanges) {
  EXPECT_EQ(coalesced([](Builder& b) {
              const Operand copy = b.unary(Op::mov, Type::i32, r1);
              b.emit(Op::inot, Type::i8, r1, r2);
              b.emit(Op::inot, Type::i32, r0, copy);
            }),
            "t0 = mov.i32 r1\nr1 = inot.i8 r2\nr0 = inot.i32 t0\n");
}

TEST(Coalesce, KeepsACopyThatIsChanged) {
  EXPECT_EQ(coalesced([](Builder& b) {
              const Operand copy = b.unary(Op::mov, Type::i32, r1);
              b.emit(Op::inot, Type::i8, copy, r2);
              b.emit(Op::inot, Type::i32, r0, copy);
            }),
            "t0 = mov.i32 r1\nt0 = inot.i8 r2\nr0 = inot.i32 t0\n");
}

TEST(Coalesce, DropsWhatNobodyReads) {
  EXPECT_EQ(coalesced([](Builder& b) {
              b.unary(Op::inot, Type::i32, b.unary(Op::inot, Type::i32, r1));
              b.emit(Op::mov, Type::i32, r0, r0);
              b.emit(Op::mov, Type::i32, r2, r1);
            }),
            "r2 = mov.i32 r1\n");
}

TEST(Coalesce, KeepsWhatACallReads) {
  EXPECT_EQ(coalesced([](Builder& b) {
              const Operand number = b.unary(Op::mov, Type::i32, r1);
              const Operand data = b.unary(Op::inot, Type::i32, r2);
              b.call({.service = Service::store_varying, .data = data, .args = {number}});
            }),
            "t0 = mov.i32 r1\nt4 = inot.i32 r2\nstore_varying.i32 t0, t4\n");
}

TEST(Coalesce, MovesNoWriteOutOfAMask) {
  EXPECT_EQ(coalesced([](Builder& b) {
              const Operand t = b.unary(Op::inot, Type::i32, r1);
              b.emit(Op::enable, Type::i32, {}, r2);
              b.emit(Op::mov, Type::i32, r0, t);
              b.emit(Op::mov, Type::i32, r3, b.unary(Op::inot, Type::i32, r0));
            }),
            "t0 = inot.i32 r1\nenable.i32 r2\nr0 = mov.i32 t0\nr3 = inot.i32 r0\n");
}

TEST(Coalesce, KeepsWhatMaskedLanesNeed) {
  EXPECT_EQ(coalesced([](Builder& b) {
              const Operand t = b.unary(Op::inot, Type::i32, r1);
              b.emit(Op::enable, Type::i32, {}, r2);
              b.emit(Op::mov, Type::i32, t, r3);
              b.end_if(t);
            }),
            "t0 = inot.i32 r1\nenable.i32 r2\nt0 = mov.i32 r3\nend.i32 t0\n");
}

TEST(Coalesce, ForwardsNoCopyOutOfAMask) {
  const std::string expected = "t0 = inot.i32 r0\nenable.i32 r2\nt0 = mov.i32 r3\nenable\nr1 = iadd.i32 t0, t0\n";
  EXPECT_EQ(coalesced([](Builder& b) {
              const Operand t = b.unary(Op::inot, Type::i32, r0);
              b.emit(Op::enable, Type::i32, {}, r2);
              b.emit(Op::mov, Type::i32, t, r3);
              b.emit(Op::enable, Type::i32, {});
              b.emit(Op::iadd, Type::i32, r1, t, t);
            }),
            expected);
}

TEST(Coalesce, TreatsEveryBlockOnItsOwn) {
  Builder b({{"r0", 0, 4}, {"r1", 4, 4}});
  for (std::uint64_t address = 0; address < 3; ++address) {
    b.begin_block(address, 1);
    if (address == 1) b.unary(Op::iclz, Type::i32, r1);
    b.emit(Op::mov, Type::i32, r0, b.unary(Op::inot, Type::i32, r1));
    b.branch(2 - address);
    b.end_block();
  }
  Program program = b.finish(0);
  coalesce(program);
  EXPECT_THAT(verify(program), testing::IsEmpty());
  EXPECT_EQ(print(program),
            "0x0:\n  r0 = inot.i32 r1\n  branch -> 0x2\n"
            "0x1:\n  r0 = inot.i32 r1\n  branch -> 0x1\n"
            "0x2:\n  r0 = inot.i32 r1\n  branch -> 0x0\n");
}

// ---- random programs ----

constexpr std::uint32_t slots = 32;

class RandomProgram {
 public:
  explicit RandomProgram(std::uint32_t seed) : random_(seed), builder_({{"r", 0, slots}}) {}

  Program make() {
    for (std::uint64_t address = 0; address < 3; ++address) {
      builder_.begin_block(address, 1);
      scratch_ = builder_.temporary(Type::i64, scratch / 8);
      for (int i = 0; i < 25; ++i) emit();
      builder_.end_block(address + 1);
    }
    builder_.begin_block(3, 1);
    builder_.end();
    builder_.end_block();
    return builder_.finish(0);
  }

 private:
  static constexpr std::uint32_t scratch = 32;

  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }

  Operand place(Type type) {
    const std::uint32_t alignment = std::min(4u, bytes_of(type));
    const std::uint32_t byte = below((scratch - bytes_of(type)) / alignment + 1) * alignment;
    return below(3) == 0 ? Operand::state(byte) : scratch_.plus(byte);
  }

  Operand source(Type type) { return below(8) == 0 ? builder_.constant(type, random_()) : place(type); }

  void emit() {
    constexpr Type types[] = {Type::i8, Type::i16, Type::i32, Type::i64};
    const Type type = types[below(4)];
    switch (below(8)) {
      case 0:
        return builder_.emit(Op::iadd, type, place(type), source(type), source(type));
      case 1:
        return builder_.emit(Op::select, type, place(type), source(type), source(type), source(type));
      case 2:
        return builder_.emit_conversion(Op::sext, Type::i64, type, place(Type::i64), source(type));
      case 3:
        return builder_.call({.service = below(2) == 0 ? Service::varying : Service::store_varying,
                              .type = type,
                              .data = place(type),
                              .args = {source(Type::i32)}});
      default:
        return builder_.emit(Op::mov, type, place(type), source(type));
    }
  }

  std::mt19937 random_;
  Builder builder_;
  Operand scratch_;
};

/// Runs the blocks in order. Loads give a function of their argument and of what was stored before.
class Machine {
 public:
  explicit Machine(const Program& program) : program_(program), state_(program.state_bytes) {
    for (std::uint32_t i = 0; i < slots; ++i) state_[i] = static_cast<std::uint8_t>(37 * i + 11);
  }

  /// Architectural state after every block, and what was stored.
  std::vector<std::uint64_t> run() {
    std::vector<std::uint64_t> seen;
    for (const Block& block : program_.blocks) {
      std::fill(state_.begin() + program_.temporary_byte, state_.end(), std::uint8_t{0xEE});
      for (std::uint32_t i = 0; i < block.count; ++i) execute(program_.operations[block.first + i]);
      seen.insert(seen.end(), state_.begin(), state_.begin() + program_.temporary_byte);
      seen.push_back(stored_);
    }
    return seen;
  }

 private:
  std::uint64_t read(Operand operand, Type type) const {
    if (operand.is_none()) return 0;
    const std::vector<std::uint8_t>& space = operand.is_constant() ? program_.constants : state_;
    std::uint64_t value = 0;
    for (std::uint32_t i = 0; i < bytes_of(type); ++i) value |= std::uint64_t{space[operand.byte() + i]} << (8 * i);
    return value;
  }
  void write(Operand operand, Type type, std::uint64_t value) {
    for (std::uint32_t i = 0; i < bytes_of(type); ++i) {
      state_[operand.byte() + i] = static_cast<std::uint8_t>(value >> (8 * i));
    }
  }
  void execute(const Operation& operation) {
    if (operation.op == Op::call) return call(program_.calls[operation.extra]);
    if (is_control(operation.op)) return;
    const Type type = source_type(operation);
    const auto& src = operation.src;
    write(operation.dst, operation.type,
          evaluate(operation, read(src[0], type), read(src[1], type), read(src[2], type)));
  }
  void call(const Call& call) {
    const std::uint64_t argument = read(call.args[0], Type::i32);
    if (call.service == Service::varying) return write(call.data, call.type, (stored_ + argument) * 0x9E3779B97F4A7C15);
    stored_ = stored_ * 31 + argument * 7 + read(call.data, call.type);
  }

  const Program& program_;
  std::vector<std::uint8_t> state_;
  std::uint64_t stored_ = 0;
};

TEST(Coalesce, KeepsWhatRandomProgramsDo) {
  std::size_t removed = 0;
  for (std::uint32_t seed = 0; seed < 4000; ++seed) {
    const Program before = RandomProgram(seed).make();
    ASSERT_THAT(verify(before), testing::IsEmpty());
    Program after = before;
    coalesce(after);
    ASSERT_THAT(verify(after), testing::IsEmpty());
    ASSERT_EQ(Machine(before).run(), Machine(after).run()) << "seed " << seed << "\n"
                                                           << print(before) << "\n"
                                                           << print(after);
    removed += before.operations.size() - after.operations.size();
  }
  EXPECT_GT(removed, 40000u);
}

}  // namespace
}  // namespace mobula::ir
