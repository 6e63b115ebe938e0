// The worked examples of the reference (9), executed.
#include <gmock/gmock.h>

#include "machines/rogue/lift_run.h"

namespace mobula::rogue {
namespace {

/// The example alone: where it does not end the program, the run ends after it with a fault that says so.
Task example(std::string_view bytes, std::uint32_t lanes = 1, const Policies& policies = {}) {
  return Task(bytes_of(bytes), lanes, policies);
}

TEST(Examples, CopiesOfRegisters) {
  EXPECT_EQ(example("25 02 87 81 04 00 00 00 40 ff").set("vi1", 77u).run().get("r0"), 77u);
  EXPECT_EQ(example("46 12 d3 3f 80 ca 83 10 00 00 25 ff").set("g2", 5u).run().get("i1"), 5u);
}

TEST(Examples, TheShortHeaderCarriesACondition) {
  Task task = example("46 13 d3 3f 80 cb 83 10 00 00 25 ff", 4);
  task.set("g3", 9u).set("i1", 1u).set("p0", [](std::uint32_t lane) { return lane == 2 ? ~0u : 0u; }).run();
  EXPECT_EQ(task.get("i1", 1), 1u);
  EXPECT_EQ(task.get("i1", 2), 9u);
}

TEST(Examples, ATestOfAnExternalValue) {
  const std::string_view bytes = "46 40 f9 b0 87 80 40 a0 2a 30 00 02";
  EXPECT_EQ(example(bytes).set("g2", 0u).run().get("p0"), ~0u);
  EXPECT_EQ(example(bytes).set("g2", 3u).set("p0", ~0u).run().get("p0"), 0u);
}

TEST(Examples, A64BitProductAndSum) {
  Task task = example("27 06 eb 84 50 20 86 87 04 00 c0 06 87 22");
  task.set("vi6", 0xFFFFFFF0u).set("vi7", 2u).run();
  EXPECT_EQ(task.get("vi6"), 0x30u);  // 4 * 16 + 0x2FFFFFFF0
  EXPECT_EQ(task.get("vi7"), 3u);
}

TEST(Examples, AComparisonToABool) {
  const std::string_view bytes = "89 52 df 3c fc a0 9c 1e 87 87 80 cf 90 11 01 a0 25 ff";
  EXPECT_EQ(example(bytes).set("vi0", 1u).run().get("i1"), ~0u);
  EXPECT_EQ(example(bytes).set("vi0", 0u).set("i1", 7u).run().get("i1"), 0u);
}

TEST(Examples, BitwiseGroups) {
  Task size = example("68 f2 40 20 41 8c 80 40 80 27 20 8f c0 80 02 42");
  size.set("sr103", 0x1234u).run();
  EXPECT_EQ(size.get("r2"), 0x1234u);
  EXPECT_EQ(size.get("p0"), 0u);
  Task field = example("89 f2 40 21 49 9c c0 00 80 40 00 42 8f c6 80 02 44 ff");
  field.set("r2", 0xFFBFu).run();
  EXPECT_EQ(field.get("r4"), 2u);
  EXPECT_EQ(field.get("p0"), 0u);
  EXPECT_EQ(example("89 f2 40 21 49 9c c0 00 80 40 00 42 8f c6 80 02 44 ff").set("r2", 0x3Fu).run().get("p0"), ~0u);
  EXPECT_EQ(example("86 92 40 93 a4 70 9d 3f 00 00 40 ff").run().get("r0"), 0x3F9D70A4u);
}

TEST(Examples, MasksBeginAndEnd) {
  // cndst 3: where P0 is 0 the instance stays, elsewhere it goes a level away.
  Task start = example("44 82 67 38 24 00 24 ff", 2);
  start.set("p0", [](std::uint32_t lane) { return lane == 0 ? 0u : ~0u; }).set("i0", 0u).run();
  EXPECT_EQ(start.get("i0", 0), 0u);
  EXPECT_EQ(start.get("masked", 0), 0u);
  EXPECT_EQ(start.get("i0", 1), 1u);
  EXPECT_EQ(start.get("masked", 1), ~0u);
  Task end = example("45 82 67 24 24 00 24 ff f1 ff", 3);
  end.set("i0", [](std::uint32_t lane) { return lane; }).set("masked", ~0u).run();
  EXPECT_EQ(end.get("masked", 1), 0u);
  EXPECT_EQ(end.get("i0", 2), 1u);
  EXPECT_EQ(end.get("masked", 2), ~0u);
}

TEST(Examples, ALoadArrivesWithTheWait) {
  // ld vi2 <- [vi1:vi0]; wdf drc0
  Task task = example("55 20 f1 84 02 00 82 c0 18 00 02 80 6a ff");
  task.environment.poke(0x1'0000'0010, 42);
  task.set("vi0", 0x10u).set("vi1", 1u).run();
  EXPECT_EQ(task.get("vi2"), 42u);
  Task early = example("55 20 f1 84 02 00 82 c0 18 00");
  early.environment.poke(0x1'0000'0010, 42);
  early.set("vi0", 0x10u).set("vi1", 1u).run();
  EXPECT_EQ(early.get("vi2"), 0x7FBADBADu) << "nobody has waited";
}

TEST(Examples, AStore) {
  Task task = example("66 20 f2 86 b8 28 00 82 c0 18 00 ff");
  task.set("vi0", 0x20u).set("vi1", 0u).set("vi2", 99u).run();
  EXPECT_EQ(task.environment.peek(0x20), 99u);
}

TEST(Examples, IndexRegisters) {
  Task write = example("25 36 87 87 00 00 40 05 d1 06");
  write.set("idx0", 9u).set("r17", 9u).run();
  EXPECT_EQ(write.get("idx0"), 0u);
  EXPECT_EQ(write.get("r17"), 0u);
  Task store = example("25 02 87 c0 0c 00 00 00 83 0c");
  store.set("idx0", 200u).set("idx1", 30u).set("r30", 5u).run();
  EXPECT_EQ(store.get("sh200"), 5u);
  EXPECT_EQ(store.get("sh199"), 0u);
}

TEST(Examples, AWholeFragmentProgram) {
  Task task = example("58 9a 80 d3 3f 80 08 00 00 00 20 ff f2 ff ff ff", 2);
  task.set("sh0", 0xFF008040u).run();
  EXPECT_EQ(task.fault(), "");
  EXPECT_EQ(task.get("po0", 1), 0xFF008040u);
  EXPECT_EQ(number(task.environment.colours.at(1)[0]), 64 / 255.0f);
  EXPECT_EQ(number(task.environment.colours.at(1)[3]), 1.0f);
}

TEST(Examples, FloatArithmetic) {
  EXPECT_EQ(example("25 02 c0 c1 62 00 43 00 00 40").set("r1", 2.0f).set("r2", 3.0f).set("r3", 4.0f).run().get_f("r0"),
            10.0f);
  EXPECT_EQ(example("26 02 d9 08 c1 62 80 02 80 00 00 40")
                .set("r1", 0.5f)
                .set("r2", -1.5f)
                .set("sh2", 1.0f)
                .run()
                .get_f("r0"),
            0.25f);
  Task both = example("27 36 c0 40 c0 a1 c2 63 00 45 40 84 46 ff");
  both.set("r0", 2.0f).set("r1", 3.0f).set("r2", 4.0f).set("r3", 5.0f).set("r5", 6.0f).run();
  EXPECT_EQ(both.get_f("r4"), 6.0f);
  EXPECT_EQ(both.get_f("r6"), 26.0f);
  EXPECT_EQ(example("25 02 10 80 c0 80 08 00 00 40").set("sh0", 3.0f).run().get_f("r0"), 1.0f);
  EXPECT_EQ(example("25 02 80 80 08 00 00 00 40 ff").set("sh0", 8.0f).run().get_f("r0"), 0.125f);
}

TEST(Examples, PackedBytes) {
  Task task = example("55 9a 06 9c 20 40 00 2c 20 ff");
  task.set("r0", 1.0f).set("r1", 0.0f).set("r2", 0.5f).set("r3", 2.0f).run();
  EXPECT_EQ(task.get("po0"), 0xFF8000FFu);  // 127.5 to even
}

TEST(Examples, VertexOutputs) {
  Task task = example("54 a0 06 08 00 40 00 30 44 a0 80 05 00 00 00 ff");
  for (unsigned i = 0; i < 4; ++i) task.set("r" + std::to_string(i), i + 10u);
  task.run();
  EXPECT_EQ(task.fault(), "");
  ASSERT_EQ(task.environment.outputs.size(), 4u);
  EXPECT_EQ(task.environment.outputs[3].address, 3u);
  EXPECT_EQ(task.environment.outputs[3].value, 13u);
}

TEST(Examples, IteratedValues) {
  Task task = example("45 20 b0 02 c4 40 10 c0 40 00 02 80 6a ff");
  task.set("sr97", 2.0f).set("sr100", 3.0f);
  task.set("cf0", 0.0f).set("cf1", 0.0f).set("cf2", 2.0f);  // W
  task.set("cf4", 1.0f).set("cf5", 10.0f).set("cf6", 100.0f);
  task.set("cf8", 0.5f).set("cf9", 0.0f).set("cf10", 1.0f).run();
  EXPECT_EQ(task.get_f("r0"), 66.0f);
  EXPECT_EQ(task.get_f("r1"), 1.0f);
  Task direct = example("04 80 78 00 05 00 20 00 02 80 6a ff");
  direct.set("sr97", 2.0f).set("sr100", 3.0f).set("cf2", 4.0f).set("cf4", 1.0f).set("cf5", 2.0f).set("cf6", 4.0f).run();
  EXPECT_EQ(direct.get_f("r0"), 3.0f);
}

TEST(Examples, AMinimum) {
  const std::string_view bytes = "66 52 d0 3c f0 11 87 87 41 42 10 40";
  EXPECT_EQ(example(bytes).set("r1", 2.0f).set("r2", 3.0f).run().get_f("r0"), 2.0f);
  EXPECT_EQ(example(bytes).set("r1", 2.0f).set("r2", -3.0f).run().get_f("r0"), -3.0f);
}

TEST(Examples, TheSeedsGroup) {
  const std::string_view bytes = "7a 77 08 00 c4 e1 40 c0 40 c0 61 00 42 c3 64 00 45 61 86 47";
  const auto run = [&](float r0) {
    Task task = example(bytes);
    task.set("p0", ~0u).set("r0", r0).set("r1", 3.0f).set("r3", 4.0f).set("r4", 5.0f).set("r5", 6.0f).run();
    return task;
  };
  const Task task = run(2.0f);
  EXPECT_EQ(task.get_f("r6"), 12.0f);
  EXPECT_EQ(task.get_f("r7"), 26.0f);
  EXPECT_EQ(task.get("p0"), 0u);
  ASSERT_EQ(task.environment.outputs.size(), 1u);
  EXPECT_EQ(number(task.environment.outputs[0].value), 12.0f);
  const Task zero = run(0.0f);
  EXPECT_EQ(zero.get_f("r6"), 0.0f);
  EXPECT_EQ(zero.get("p0"), ~0u);
}

TEST(Examples, LinksReturn) {
  // brl over a nop to savl; lapc returns after the brl.
  const Bytes code = assemble("brl sub\nmov r5, sc2\nnop.end\nsub: savl r0\nlapc");
  Task task(code);
  task.run();
  EXPECT_EQ(task.fault(), "");
  EXPECT_EQ(task.get("r5"), 2u);
  EXPECT_EQ(task.get("r0"), 4u) << "after the brl, in 16-bit units";
}

}  // namespace
}  // namespace mobula::rogue
