#include <gtest/gtest.h>

#include "ir/builder.h"
#include "mobula/isa/ir.h"

namespace mobula::ir {
namespace {

class Printer : public testing::Test {
 protected:
  /// What one emitted operation prints as.
  template <class Emit>
  std::string line(Emit emit) {
    Builder b({{"r0.x", 0, 4}, {"r0.y", 4, 4}, {"r1", 8, 16}});
    b.begin_block(0, 16);
    emit(b);
    b.end_block(std::nullopt);
    const Program program = b.finish(0);
    EXPECT_EQ(verify(program), std::vector<std::string>());
    return print(program, 0);
  }
  const Operand x = Operand::state(0), y = Operand::state(4), vector = Operand::state(8);
};

TEST_F(Printer, NamesSlotsTemporariesAndConstants) {
  EXPECT_EQ(line([&](Builder& b) { b.emit(Op::fadd, Type::f32, x, y, b.constant_f32(1.5f)); }),
            "r0.x = fadd.f32 r0.y, 1.5\n");
  EXPECT_EQ(line([&](Builder& b) { b.binary(Op::iadd, Type::i16, y.plus(2), b.constant_u16(0xFFF)); }),
            "t0 = iadd.i16 r0.y+2, 0xfff\n");
  EXPECT_EQ(line([&](Builder& b) { b.emit(Op::mov, Type::i32, vector.plus(12), vector.plus(4)); }),
            "r1+12 = mov.i32 r1+4\n");
}

TEST_F(Printer, WritesConstantsByType) {
  const auto constant = [&](Type type, std::uint64_t bits) {
    const std::string text = line([&](Builder& b) { b.unary(Op::fneg, type, b.constant(type, bits)); });
    return text.substr(text.rfind(' ') + 1);
  };
  EXPECT_EQ(constant(Type::f16, 0x3E00), "1.5\n");
  EXPECT_EQ(constant(Type::f16, 0x0001), "5.9604645e-08\n");
  EXPECT_EQ(constant(Type::f32, 0xC0000000), "-2.0\n");
  EXPECT_EQ(constant(Type::f32, 0x80000000), "-0.0\n");
  EXPECT_EQ(constant(Type::f32, 0xFF800000), "-inf\n");
  EXPECT_EQ(constant(Type::f32, 0x7FC00001), "0x7fc00001\n");
  EXPECT_EQ(constant(Type::f64, 0x3FB999999999999A), "0.1\n");
}

TEST_F(Printer, ShowsConversionTypesAndRounding) {
  EXPECT_EQ(line([&](Builder& b) { b.emit_conversion(Op::f2f, Type::f16, Type::f32, x, y, Round::zero); }),
            "r0.x = f2f.f16.f32.zero r0.y\n");
  EXPECT_EQ(line([&](Builder& b) { b.emit(Op::ffma, Type::f32, x, y, y, x, Round::up); }),
            "r0.x = ffma.f32.up r0.y, r0.y, r0.x\n");
}

TEST_F(Printer, ShowsControl) {
  EXPECT_EQ(line([&](Builder& b) { b.branch(0); }), "branch -> 0x0\n");
  EXPECT_EQ(line([&](Builder& b) { b.branch_if(x, 0, Type::i8); }), "branch.i8 r0.x -> 0x0\n");
  EXPECT_EQ(line([&](Builder& b) { b.discard_if(y); }), "discard.i32 r0.y\n");
  EXPECT_EQ(line([&](Builder& b) { b.end_if(y); }), "end.i32 r0.y\n");
  EXPECT_EQ(line([&](Builder& b) {
              b.barrier();
              b.trap("no such opcode");
            }),
            "barrier\ntrap \"no such opcode\"\n");
}

TEST_F(Printer, ShowsCalls) {
  EXPECT_EQ(
      line([&](Builder& b) {
        b.call(
            {.service = Service::load_uniform, .type = Type::f32, .count = 4, .index = 2, .data = vector, .args = {x}});
      }),
      "r1 = load_uniform.f32*4 r0.x, - index 2\n");
  EXPECT_EQ(line([&](Builder& b) {
              b.call({.service = Service::store_memory, .type = Type::i8, .data = vector, .args = {x}});
            }),
            "store_memory.i8 r0.x, r1\n");
  EXPECT_EQ(line([&](Builder& b) {
              const auto index = static_cast<std::uint32_t>(AtomicOp::max_u);
              b.call({.service = Service::atomic, .index = index, .data = vector, .args = {x, y}});
            }),
            "r1 = atomic.i32 r0.x, r0.y, - max_u\n");
  EXPECT_EQ(line([&](Builder& b) {
              b.call({.service = Service::fragment_out, .count = 4, .data = vector, .args = {Operand(), {}, {}, x}});
            }),
            "r0.x = fragment_out.i32*4 -, -, -, r1\n");
  EXPECT_EQ(line([&](Builder& b) {
              b.call({.service = Service::tile_ready, .args = {Operand(), {}, {}, x}});
            }),
            "r0.x = tile_ready\n");
  EXPECT_EQ(line([&](Builder& b) {
              b.call({.service = Service::varying,
                      .type = Type::f16,
                      .index = Interpolation::perspective | Interpolation::sample,
                      .flags = CallFlags::raw,
                      .data = vector,
                      .args = {b.constant_u32(3)}});
            }),
            "r1 = varying.f16 0x3 perspective sample raw\n");
}

TEST_F(Printer, ShowsTextures) {
  EXPECT_EQ(
      line([&](Builder& b) {
        b.texture({.shape = Texture::Shape::cube,
                   .shadow = true,
                   .implicit_lod = true,
                   .coordinate = {x, y, x},
                   .lod = b.constant_f32(0.5f),
                   .texture = b.constant_u32(1),
                   .sampler = b.constant_u32(2)},
                  vector);
      }),
      "r1 = texture.f32*4 sample cube shadow implicit_lod, coordinate x r0.x, coordinate y r0.y, coordinate z r0.x, "
      "lod 0.5, texture number 0x1, sampler number 0x2\n");
}

TEST_F(Printer, PrintsAProgramWordByWord) {
  Builder b({{"r0", 0, 4}});
  b.begin_block(0x10, 16);
  b.branch_if(Operand::state(0), 0x30);
  b.end_block();
  b.begin_block(0x20, 16);
  b.emit(Op::inot, Type::i32, Operand::state(0), Operand::state(0));
  b.end_block(std::nullopt);
  b.begin_block(0x30, 16);
  b.end();
  b.end_block();
  EXPECT_EQ(print(b.finish(0x10)),
            "0x10:\n  branch.i32 r0 -> 0x30\n  next 0x20\n"
            "0x20:\n  r0 = inot.i32 r0\n  next end\n"
            "0x30:\n  end\n");
}

}  // namespace
}  // namespace mobula::ir
