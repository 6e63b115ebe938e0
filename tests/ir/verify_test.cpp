#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "ir/builder.h"
#include "mobula/isa/ir.h"

namespace mobula::ir {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A program with a bit of everything, well formed.
Program sound_program() {
  Builder b({{"r0", 0, 16}, {"r1", 16, 16}});
  const Operand r0 = Operand::state(0), r1 = Operand::state(16);
  b.begin_block(0x0, 8);
  b.emit(Op::ffma, Type::f32, r0, r0, b.constant_f32(2), r1);
  b.emit_conversion(Op::sext, Type::i64, Type::i8, r1.plus(4), r0.plus(3));
  b.call({.service = Service::load_memory, .count = 4, .data = r0, .args = {r1.plus(4)}});
  b.texture({.coordinate = {r0}, .texture = b.constant_u32(0)}, r1);
  b.branch_if(r0, 0x8);
  b.end_block();
  b.begin_block(0x8, 8);
  const auto add = static_cast<std::uint32_t>(AtomicOp::add);
  b.call({.service = Service::atomic, .index = add, .data = r0, .args = {r1, r1}});
  b.call({.service = Service::fragment_out, .count = 4, .data = r0, .args = {Operand(), {}, {}, r1}});
  b.note(Status{}, "a note");
  b.trap("why");
  b.end_block();
  return b.finish(0);
}

TEST(Verify, AcceptsASoundProgram) { EXPECT_THAT(verify(sound_program()), IsEmpty()); }

struct Defect {
  const char* name;
  std::function<void(Program&)> make;
  const char* complaint;
};

class VerifyDefects : public testing::TestWithParam<Defect> {};

TEST_P(VerifyDefects, AreNamed) {
  Program program = sound_program();
  GetParam().make(program);
  EXPECT_THAT(verify(program), ElementsAre(HasSubstr(GetParam().complaint)));
}

// Operations of the sound program.
constexpr std::size_t fma = 0, sext = 1, load = 2, texture = 3, branch = 4, atomic = 5, out = 6, trap = 7;
constexpr std::size_t load_call = 0, texture_call = 1, atomic_call = 2, out_call = 3;

const Defect defects[] = {
    {"StateSize", [](Program& p) { p.state_bytes = 36; }, "state_bytes is not a multiple of 8"},
    {"TemporaryByte", [](Program& p) { p.temporary_byte = 40; }, "temporary_byte lies outside"},
    {"SlotName", [](Program& p) { p.slots[1].name.clear(); }, "has no name"},
    {"SlotTwice", [](Program& p) { p.slots[1].name = "r0"; }, "two slots are named r0"},
    {"SlotEmpty", [](Program& p) { p.slots[1].bytes = 0; }, "slot r1: has no bytes"},
    {"SlotOverlap", [](Program& p) { p.slots[1].byte = 15; }, "overlaps the slot before it"},
    {"SlotRange", [](Program& p) { p.slots[1].bytes = 17; }, "reaches into the temporaries"},
    {"Entry", [](Program& p) { p.entry = 2; }, "the entry is not a block"},
    {"BlockOrder", [](Program& p) { p.blocks[1].address = 0; }, "does not come after the block before it"},
    {"BlockStart", [](Program& p) { p.blocks[1].first = 4, p.blocks[1].count = 4; }, "does not start at the operation"},
    {"BlockEnd", [](Program& p) { p.blocks[1].count = 2; }, "do not end where the operations end"},
    {"BlockBeyond", [](Program& p) { p.blocks[1].count = 0xFFFFFFFF; }, "do not end where the operations end"},
    {"Successor", [](Program& p) { p.blocks[0].next = 2; }, "its successor is not a block"},
    {"Note", [](Program& p) { p.notes[0].block = 2; }, "a fidelity note names block 2"},
    {"Opcode", [](Program& p) { p.operations[fma].op = static_cast<Op>(250); }, "operation 0: unknown opcode 250"},
    {"Type", [](Program& p) { p.operations[fma].type = static_cast<Type>(7); }, "unknown type or rounding"},
    {"Rounding", [](Program& p) { p.operations[fma].round = static_cast<Round>(4); }, "unknown type or rounding"},
    {"FloatOpOfIntegers", [](Program& p) { p.operations[fma].type = Type::i32; }, "ffma: does not exist for i32"},
    {"BranchOnFloat", [](Program& p) { p.operations[branch].type = Type::f32; }, "branch: does not exist for f32"},
    {"ConversionSource",
     [](Program& p) { p.operations[sext].from = Type::f16, p.operations[sext].src[0] = Operand::state(2); },
     "does not convert from f16"},
    {"SextNarrows",
     [](Program& p) {
       p.operations[sext].type = Type::i8, p.operations[sext].from = Type::i16,
       p.operations[sext].src[0] = Operand::state(2);
     },
     "does not convert from i16 to i8"},
    {"TruncWidens", [](Program& p) { p.operations[sext].op = Op::trunc; }, "does not convert from i8 to i64"},
    {"ControlInTheMiddle", [](Program& p) { std::swap(p.operations[texture], p.operations[branch]); },
     "operation 4: call: follows a control operation"},
    {"BranchTarget", [](Program& p) { p.operations[branch].extra = 2; }, "extra is 2, must be below 2"},
    {"TrapReason", [](Program& p) { p.operations[trap].extra = 1; }, "extra is 1, must be below 1"},
    {"CallIndex", [](Program& p) { p.operations[load].extra = 4; }, "extra is 4, must be below 4"},
    {"StrayExtra", [](Program& p) { p.operations[fma].extra = 1; }, "extra is 1, must be below 1"},
    {"NoResult", [](Program& p) { p.operations[fma].dst = {}; }, "has no result"},
    {"NeedlessResult", [](Program& p) { p.operations[branch].dst = Operand::state(0); }, "has no use for a result"},
    {"ConstantResult", [](Program& p) { p.operations[fma].dst = Operand::constant(0); }, "result is a constant"},
    {"MissingSource", [](Program& p) { p.operations[fma].src[2] = {}; }, "must have 3 sources"},
    {"GapInSources", [](Program& p) { p.operations[fma].src[0] = {}; }, "must have 3 sources"},
    {"ExtraSource", [](Program& p) { p.operations[branch].src[1] = Operand::state(0); }, "must have 1 source"},
    {"SourceRange", [](Program& p) { p.operations[fma].src[1] = Operand::state(32); },
     "source b lies outside the state"},
    {"SourceFarOut", [](Program& p) { p.operations[fma].src[1] = Operand::state(0x7FFFFFFC); },
     "lies outside the state"},
    {"ConstantRange", [](Program& p) { p.operations[fma].src[1] = Operand::constant(8); },
     "source b lies outside the constants"},
    {"WideSourceRange", [](Program& p) { p.operations[sext].dst = Operand::state(28); },
     "result lies outside the state"},
    {"SourceAlignment", [](Program& p) { p.operations[fma].src[0] = Operand::state(2); },
     "source a at byte 2 is not aligned for f32"},
    {"WideAlignment", [](Program& p) { p.operations[sext].dst = Operand::state(2); },
     "result at byte 2 is not aligned"},
    {"Service", [](Program& p) { p.calls[load_call].service = static_cast<Service>(19); }, "unknown service or type"},
    {"CallType", [](Program& p) { p.calls[load_call].type = static_cast<Type>(9); }, "unknown service or type"},
    {"CountZero", [](Program& p) { p.calls[load_call].count = 0; }, "load_memory: count must be 1 to 16"},
    {"CountLarge", [](Program& p) { p.calls[load_call].count = 17, p.calls[load_call].type = Type::i8; },
     "count must be 1 to 16"},
    {"DataMissing", [](Program& p) { p.calls[load_call].data = {}; }, "has no data"},
    {"DataConstant", [](Program& p) { p.constants.resize(16), p.calls[out_call].data = Operand::constant(0); },
     "data must be in the state"},
    {"DataRange", [](Program& p) { p.calls[load_call].data = Operand::state(20); }, "data lies outside the state"},
    {"ArgumentMissing", [](Program& p) { p.calls[load_call].args[0] = {}; }, "argument 0 is missing"},
    {"ArgumentTooMany", [](Program& p) { p.calls[load_call].args[1] = Operand::state(0); },
     "argument 1 is one too many"},
    {"ArgumentRange", [](Program& p) { p.calls[load_call].args[0] = Operand::state(28); }, "argument 0 lies outside"},
    {"WrittenConstant", [](Program& p) { p.calls[out_call].args[3] = Operand::constant(0); },
     "argument 3 is a constant"},
    {"WriteoutCount", [](Program& p) { p.calls[out_call].count = 3; }, "must be four elements of four bytes"},
    {"AtomicType", [](Program& p) { p.calls[atomic_call].type = Type::i16; }, "data must be one i32 or i64"},
    {"AtomicOp", [](Program& p) { p.calls[atomic_call].index = 10; }, "index is not an AtomicOp"},
    {"AtomicCompare", [](Program& p) { p.calls[atomic_call].index = 9; }, "only compare_exchange has an argument 2"},
    {"TextureIndex", [](Program& p) { p.calls[texture_call].index = 1; }, "index 1 is not a texture access"},
    {"TextureKind", [](Program& p) { p.textures[0].kind = static_cast<Texture::Kind>(3); }, "unknown kind"},
    {"TextureComponent", [](Program& p) { p.textures[0].gather_component = 4; },
     "unknown kind, shape, result or component"},
    {"TextureNumber", [](Program& p) { p.textures[0].texture = {}; }, "has no texture number"},
    {"TextureCoordinate", [](Program& p) { p.textures[0].coordinate[0] = {}; }, "has no coordinate"},
    {"TextureLodRange", [](Program& p) { p.textures[0].lod = Operand::state(64); }, "lod lies outside the state"},
    {"TextureCount", [](Program& p) { p.calls[texture_call].count = 3; }, "must be four elements of four bytes"},
};

INSTANTIATE_TEST_SUITE_P(Verify, VerifyDefects, testing::ValuesIn(defects),
                         [](const auto& parameter) { return std::string(parameter.param.name); });

TEST(Verify, NamesThePlace) {
  Program program = sound_program();
  program.operations[out].src[0] = Operand::state(0);
  program.operations[atomic].src[0] = Operand::state(0);
  EXPECT_THAT(verify(program), ElementsAre("block 0x8, operation 0: call: atomic: must have 0 sources",
                                           "block 0x8, operation 1: call: fragment_out: must have 0 sources"));
}

TEST(Verify, AcceptsEveryOperationInEveryTypeItTakes) {
  Builder b({{"r", 0, 64}});
  b.begin_block(0, 4);
  const Operand x = Operand::state(0);
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(Op::barrier); ++i) {
    const OpInfo& op = info(static_cast<Op>(i));
    if (is_conversion(static_cast<Op>(i))) continue;
    for (const Type type : {Type::i8, Type::i16, Type::i32, Type::i64, Type::f16, Type::f32, Type::f64}) {
      if (op.types != 'A' && is_float(type) != (op.types == 'F')) continue;
      b.emit(static_cast<Op>(i), type, x, op.sources > 0 ? x : Operand(), op.sources > 1 ? x : Operand(),
             op.sources > 2 ? x : Operand());
    }
  }
  b.end_block(std::nullopt);
  EXPECT_THAT(verify(b.finish(0)), IsEmpty());
}

TEST(Verify, AcceptsAnEmptyBlockAndAProgramOfTraps) {
  Builder b({});
  b.begin_block(0, 4);
  b.end_block();
  EXPECT_THAT(verify(b.finish(0)), IsEmpty());
}

}  // namespace
}  // namespace mobula::ir
