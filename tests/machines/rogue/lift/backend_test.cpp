// Backend instructions: memory, iterators, outputs.
#include <gmock/gmock.h>

#include "machines/rogue/lift_run.h"
#include "mobula/isa/machine.h"
#include "mobula/lab/run.h"

namespace mobula::rogue {
namespace {

TEST(Memory, StoresOfEverySize) {
  const auto stored = [](unsigned size) {
    Task task("main { s3 = r2; s4 = r0; be: st s3, " + std::to_string(size) + ", drc0, 1, s4 }");
    task.environment.poke(8, 0xEEEEEEEE);
    task.set("r0", 8u).set("r2", 0x44332211u).run();
    return task.environment.peek(8);
  };
  EXPECT_EQ(stored(0), 0xEEEEEE11u);
  EXPECT_EQ(stored(1), 0xEEEE2211u);
  EXPECT_EQ(stored(2), 0x44332211u);
}

TEST(Memory, Bursts) {
  Task task(R"(main { s3 = r8; s4 = r0; be: ld s3, drc0, 16, s4 }
               ctrl { wdf drc0 }
               main { s3 = r8; s4 = r2; be: st s3, 2, drc0, 4, s4 }
               nop.end)");
  for (unsigned i = 0; i < 16; ++i) task.environment.poke(4 * i, 100 + i);
  task.set("r2", 0x100u).run();
  EXPECT_EQ(task.fault(), "");
  EXPECT_EQ(task.get("r23"), 115u);
  EXPECT_EQ(task.environment.peek(0x10C), 103u);
  EXPECT_FALSE(task.environment.memory.contains(0x110));
}

TEST(Memory, ARegisterMaySayHowManyWords) {
  const auto loaded = [](std::uint32_t count) {
    Task task("main { s2 = r5; s3 = r8; s4 = r0; be: ld s3, drc0, s2, s4 }\nctrl { wdf drc0 }\nnop.end");
    for (unsigned i = 0; i < 16; ++i) task.environment.poke(4 * i, 100 + i);
    task.set("r5", count).run();
    EXPECT_EQ(task.fault(), "");
    unsigned words = 0;
    while (words < 16 && task.get("r" + std::to_string(8 + words)) == 100 + words) ++words;
    return words;
  };
  EXPECT_EQ(loaded(1), 1u);
  EXPECT_EQ(loaded(5), 5u);
  EXPECT_EQ(loaded(0), 16u);
  Task store("main { s2 = r5; s3 = r8; s4 = r0; be: st s3, 2, drc0, s2, s4 }\nnop.end");
  store.set("r5", 3u).run();
  EXPECT_EQ(store.environment.memory.size(), 12u);
}

TEST(Memory, TiledStoresAskTheMaskOfSamples) {
  Task task("main { s3 = r2; s4 = r0; s5 = r9; be: st.tiled s3, 2, drc0, 2, s4, s5 }\nnop.end", 2);
  task.set("r0", [](std::uint32_t lane) { return 16 * lane; });
  task.set("r9", [](std::uint32_t lane) { return lane == 0 ? 2u : 1u; }).set("r2", 7u).set("r3", 8u).run();
  EXPECT_EQ(task.fault(), "");
  EXPECT_EQ(task.environment.memory.size(), 8u) << "the first instance's sample is not covered";
  EXPECT_EQ(task.environment.peek(16), 7u);
  EXPECT_EQ(task.environment.peek(20), 8u);
}

TEST(Memory, AddressesAre64Bits) {
  Task task("main { s3 = r2; s4 = r0; be: st s3, 2, drc0, 1, s4 }");
  task.set("r0", 4u).set("r1", 7u).set("r2", 9u).run();
  EXPECT_EQ(task.environment.peek(0x7'0000'0004), 9u);
}

TEST(Memory, AMissingOneStopsTheInstance) {
  Task task("main { s3 = r8; s4 = r0; be: ld s3, drc0, 1, s4 }");
  EXPECT_EQ(task.run().fault(), "no memory");
}

TEST(Memory, Atomics) {
  const auto result = [](const std::string& op, std::uint32_t old, std::uint32_t operand) {
    Task task("main { s3 = r8; s4 = r0; be: atom." + op + " s3, drc0, s4 }\nctrl { wdf drc0 }\nnop.end");
    task.environment.poke(16, old);
    task.set("r0", 16u).set("r2", operand).run();
    EXPECT_EQ(task.get("r8"), old) << op << ": the old value is returned";
    return task.environment.peek(16);
  };
  EXPECT_EQ(result("add", 5, 3), 8u);
  EXPECT_EQ(result("sub", 5, 3), 2u);
  EXPECT_EQ(result("xchg", 5, 3), 3u);
  EXPECT_EQ(result("umin", 5, ~0u), 5u);
  EXPECT_EQ(result("imin", 5, ~0u), ~0u);
  EXPECT_EQ(result("umax", 5, ~0u), ~0u);
  EXPECT_EQ(result("imax", 5, ~0u), 5u);
  EXPECT_EQ(result("and", 6, 3), 2u);
  EXPECT_EQ(result("or", 6, 3), 7u);
  EXPECT_EQ(result("xor", 6, 3), 5u);
}

TEST(Memory, LoadsOfRegistersOfTheTaskReachAllInstances) {
  Task task("if(p0) main { s3 = sh4; s4 = r0; be: ld s3, drc0, 2, s4 }\nnop.end", 4);
  task.environment.poke(0, 50);
  task.environment.poke(4, 51);
  task.set("p0", [](std::uint32_t lane) { return lane == 2 ? ~0u : 0u; }).run();
  EXPECT_EQ(task.get("sh4", 0), 50u);
  EXPECT_EQ(task.get("sh5", 3), 51u);
}

TEST(Memory, WhatIsNotPublishedStops) {
  EXPECT_EQ(errors_of("main { s3 = r247; s4 = r0; be: ld s3, drc0, 2, s4 }"), "RG210 ");
  EXPECT_EQ(errors_of("main { s3 = r2; s4 = r247; be: st s3, 2, drc0, 1, s4 }"), "RG210 ") << "an address is a pair";
  EXPECT_EQ(errors_of("main { s3 = i2; s4 = r0; be: ld s3, drc0, 1, s4 }"), "RG037 ");
}

TEST(Iterators, PerspectiveIsKept) {
  // ditr: 1 divides, 2 divides and keeps 1/W, 3 takes the kept one.
  Task task(R"(ctrl { ditr.pixel r0, drc0, cf4, 1, 2, cf0 }
               ctrl { ditr.pixel.schedwdf r1, drc0, cf8, 1, 3, cf0 }
               nop.end)");
  task.set("cf2", 4.0f).set("cf6", 8.0f).set("cf10", 2.0f).run();
  EXPECT_EQ(task.fault(), "");
  EXPECT_EQ(task.get_f("r0"), 2.0f) << "the second one's wait is for both";
  EXPECT_EQ(task.get_f("r1"), 0.5f);
}

TEST(Iterators, ValuesSaturate) {
  Task task("fitr.pixel.sat r0, drc0, cf0, 2\nctrl { wdf drc0 }\nnop.end");
  task.set("cf2", 4.0f).set("cf6", -1.0f).run();
  EXPECT_EQ(task.get_f("r0"), 1.0f);
  EXPECT_EQ(task.get_f("r1"), 0.0f);
}

TEST(Iterators, CoefficientsMayBeIndexed) {
  Task task("ctrl { ditr.pixel.schedwdf r0, drc0, cf8[idx0], 1, 0, cf0 }\nnop.end");
  task.set("idx0", 4u).set("cf14", 3.0f).run();
  EXPECT_EQ(task.get_f("r0"), 3.0f);
}

TEST(Iterators, HalvesStandInPairs) {
  const auto run = [](const std::string& words) {
    Task task("ctrl { ditr.pixel.schedwdf.f16 r0, drc0, cf0, 3, 0, cf0 }\nnop.end", 1, {{"f16_words", words}});
    task.set("cf2", 1.0f).set("cf6", 2.0f).set("cf10", -2.0f).run();
    return std::array{task.get("r0"), task.get("r1"), task.get("r2")};
  };
  EXPECT_EQ(run("pairs"), (std::array{0x40003C00u, 0x0000C000u, 0u}));
  EXPECT_EQ(run("low-halves"), (std::array{0x3C00u, 0x4000u, 0xC000u}));
}

TEST(Outputs, AddressesMayComeFromARegister) {
  Task task("main { s0 = r0; s1 = r1; is0 = s0; is4 = fte; be: uvsw.write w0, s1 }\nnop.end", 2);
  task.set("r0", [](std::uint32_t lane) { return lane + 10; });
  task.set("r1", [](std::uint32_t lane) { return lane == 0 ? 6u : 256u; }).run();
  ASSERT_EQ(task.environment.outputs.size(), 1u);
  EXPECT_EQ(task.environment.outputs[0].address, 6u);
  EXPECT_EQ(task.environment.outputs[0].value, 10u);
  EXPECT_THAT(task.fault(), testing::HasSubstr("256 vertex outputs"));
}

TEST(Outputs, TheTaskEndsWithItsOutputs) {
  Task task(R"(main { s0 = r0; is0 = s0; is4 = fte; be: uvsw.write.emit.endtask w0, 3 }
               mov r9, sc1)");
  task.run();
  EXPECT_EQ(task.get("r9"), 0u);
  EXPECT_EQ(task.fault(), "");
  EXPECT_EQ(task.environment.outputs.at(0).address, 3u);
}

TEST(Outputs, PixelsLeaveWhereTheyAreEmitted) {
  Task task(R"(main olchk { s0 = r0; is4 = ft0; p0: mbyp ft0, s0; w0 = po0 }
               main { s0 = sh0; s2 = sh4; be: emitpix.freep s0, s2 }
               main olchk { s0 = sc0; is4 = ft0; p0: mbyp ft0, s0; w0 = po0 }
               nop.end)");
  task.set("r0", 0xFF000000u).run();
  EXPECT_EQ(number(task.environment.colours.at(0)[3]), 1.0f) << "the later change stays inside";
}

TEST(Outputs, PixelsMayBeFloats) {
  Task task("main olchk { s0 = r0; is4 = ft0; p0: mbyp ft0, s0; w0 = po2 }\nnop.end", 1, {{"pixel_output", "f32"}});
  task.set("r0", 0.25f).run();
  EXPECT_EQ(number(task.environment.colours.at(0)[2]), 0.25f);
}

TEST(Outputs, PixelsAreWhatTheInterfaceDeclares) {
  const Machine& rogue = *find_machine("rogue");
  auto program = rogue.assemble({"t", "main olchk { p0: mbyp ft0, sc64; w0 = po5 }\nnop.end"}, {});
  ASSERT_TRUE(program);
  program->interface.stage = Stage::fragment;
  program->interface.outputs = {{"a", "vec2", 4, 0, 0, ""}, {"b", "vec3", 6, 3, 0, ""}};
  const auto lifted = rogue.lift(*program, {});
  ASSERT_TRUE(lifted);
  const auto run = run_program(*program, *lifted, {});
  ASSERT_TRUE(run);
  const auto& colours = run->threads.at(0).colours;
  ASSERT_EQ(colours.size(), 2u);
  EXPECT_EQ(colours[0].target >> 8, 0u);
  EXPECT_EQ(colours[1].target >> 8, 2u);
  EXPECT_EQ(colours[1].colour[2], 0x3F800000u);
}

TEST(Outputs, PixelsThatAreNotSeenAreDiscarded) {
  const Machine& rogue = *find_machine("rogue");
  auto program = rogue.assemble(
      {"t", "main { be: atst _, sc0, sc64, sc2 }\nmain olchk { p0: mbyp ft0, sc64; w0 = po0 }\nnop.end"}, {});
  ASSERT_TRUE(program);
  program->interface.stage = Stage::fragment;
  const auto run = run_program(*program, *rogue.lift(*program, {}), {});
  ASSERT_TRUE(run);
  EXPECT_EQ(run->threads.at(0).state, LaneState::discarded);
}

TEST(Outputs, LinksCanBeSet) {
  Task task("main { s0 = r0; is0 = s0; is4 = fte; be: setl w0 }");
  EXPECT_EQ(task.set("r0", 0x21u).run().get("link"), 0x42u);
}

}  // namespace
}  // namespace mobula::rogue
