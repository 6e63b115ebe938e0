// The worked examples of the reference (8.2), executed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "machines/midgard/bundles.h"
#include "machines/midgard/lift_run.h"
#include "machines/midgard/words.h"

namespace mobula::midgard {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

/// 8.2.1: gl_Position = mvp * pos; vuv = uv * 2 - 1; vid = gl_VertexID + int(tint.x)
TEST(LiftExample, VertexShader) {
  const Program program = program_of({
      0xC9E09485, 0x00003839, 0x00000030, 0x00000000,                                                  // [0]
      0x02000098, 0x02140414, 0xFF200072, 0x00000000,                                                  // [1]
      0x00220099, 0x07016013, 0x50720214, 0x0210FF25, 0xFF2E4072, 0x00000000, 0x00000000, 0x00000000,  // [2]
      0x00220099, 0x07016012, 0xA0720214, 0x0210FF2A, 0xFF2E4072, 0x00000000, 0x00000000, 0x00000000,  // [3]
      0x00220089, 0x03016011, 0xF0720214, 0x0210FF2F, 0xFF2E4072, 0x00000000, 0x00000000, 0x00000000,  // [4]
      0x02000088, 0x82F08000, 0xC020007F, 0x00000000,                                                  // [5]
      0x02000098, 0x02140000, 0x3F2FF052, 0x00000000,                                                  // [6]
      0x00A20059, 0x6AB862C0, 0x02146818, 0x3F2A4052, 0x40520210, 0x047B3F2A, 0x0000D80D, 0x00000000,  // [7]
      0xC9E0D455, 0x000039B9, 0x00000030, 0x00000000,                                                  // [8]
      0xC8609485, 0x08003839, 0x00000030, 0x00000000,                                                  // [9]
      0x02000058, 0x02148100, 0x0F20002A, 0x00000000,                                                  // [10]
      0x80809795, 0x80003838, 0x00000030, 0x00000000,                                                  // [11]
      0x00AA0059, 0xE41062E0, 0x6B38EAE0, 0x00550240, 0x049903A0, 0x02101800, 0x0F20082A, 0x98010440,  // [12]
      0x55E0D415, 0x100039B9, 0x8A9E0D40, 0x0080039B,                                                  // [13]
  });
  LiftRun run(program);
  run.environment.attributes[0] = bytes_of_words({bits(1), bits(2), bits(3), bits(1)});
  run.environment.attributes[1] = bytes_of_words({bits(0.25f), bits(0.75f), 0, 0});
  run.environment.attributes[16] = bytes_of_words({7, 0, 0, 0});
  // mvp: x' = x, y' = 2 y, z' = 3 z + w, w' = 4 w
  run.set4f("r20", {1, 0, 0, 0}).set4f("r19", {0, 2, 0, 0}).set4f("r18", {0, 0, 3, 0}).set4f("r17", {0, 0, 1, 4});
  run.set("r23.x", 100).set4f("r22", {128, 96, 0.5f, 0}).set4f("r21", {10, 20, 0.5f, 0}).set4f("r16", {2.75f, 0, 0, 0});
  run.run();
  EXPECT_EQ(run.fault(), "");
  std::map<std::uint32_t, std::vector<std::uint8_t>> stored;
  for (const auto& call : run.environment.calls)
    if (!call.data.empty()) stored[call.number] = call.data;
  // clip = (1, 4, 10, 4)
  EXPECT_EQ(stored[0], bytes_of_words({bits(0.25f * 128 + 10), bits(96 + 20), bits(2.5f * 0.5f + 0.5f), bits(0.25f)}));
  EXPECT_EQ(stored[1], bytes_of_words({bits(-0.5f), bits(0.5f), bits(0.5f), bits(0.5f)}));
  EXPECT_EQ(stored[2], bytes_of_words({109, 109, 109, 109})) << "vertex 7 + 100 + int(2.75)";
}

/// 8.2.2: texture, discard, sine, select, writeout.
TEST(LiftExample, FragmentShader) {
  const Program program = program_of({
      0xC8609885, 0x01403939, 0x00000030, 0x00000000,                                                  // [0]
      0x02000038, 0x027B7018, 0x0FAE4000, 0x00000000,                                                  // [1]
      0x210A1193, 0x00E43C40, 0x00000000, 0x00000000,                                                  // [2]
      0x08820099, 0xFCC10798, 0x48000230, 0xB482FF2E, 0x0404D800, 0xAAAA0000, 0x00000000, 0x00000000,  // [3]
      0x00800059, 0x04140340, 0x00001001, 0x00000000, 0x3EA2F983, 0x00000000, 0x00000000, 0x00000000,  // [4]
      0x20409AA5, 0x09603939, 0x00000030, 0x00000000,                                                  // [5]
      0x028A009A, 0xFC006358, 0x8000031A, 0x1000027B, 0x14A503A0, 0x04C1D830, 0x02F65801, 0x03200000,
      0x3FD9999A, 0x3F000000,                                                                          // [6]
      0x00000000, 0x00000000,                                                                          //
      0x022000D9, 0x06E10000, 0x50000210, 0x02140325, 0xFF2E4072, 0x00000000, 0x00000000, 0x00000000,  // [7]
      0x0822001D, 0x841F0001, 0x00720214, 0x0240FF20, 0xC0A00000, 0x0000006F, 0x0000FFFF, 0x00000000,  // [8]
      0x0822001D, 0x841F0018, 0x4000027B, 0x0240FFAE, 0xC0A00000, 0xFFFFFC6F, 0x0000FFFF, 0x00000000,  // [9]
  });
  struct Case {
    float alpha;
    std::uint32_t vid;
    float added;
  };
  for (const auto& [alpha, vid, added] : {Case{0.5f, 3, 1.7f}, {0.5f, 4, 0.5f}, {0.2f, 4, 0}}) {
    LiftRun run(program);
    run.environment.varyings[0] = bytes_of_words({bits(0.6f), bits(0.1f), 0, 0});
    run.environment.varyings[1] = bytes_of_words({vid});
    run.environment.texel = {bits(0.25f), bits(0.5f), bits(0.75f), bits(alpha)};
    run.environment.retries = 1;
    run.set4f("r23", {1, 2, 4, 8}).run();
    EXPECT_EQ(run.fault(), "");
    if (alpha < 0.25f) {
      EXPECT_EQ(run.state(), LaneState::discarded);
      EXPECT_THAT(run.environment.fragments, SizeIs(0));
      continue;
    }
    ASSERT_THAT(run.environment.fragments, SizeIs(2));
    EXPECT_EQ(run.environment.fragments[0].colour, run.environment.fragments[1].colour) << "the retry writes the same";
    const float s = std::sin(0.6f) + added;
    const std::array<float, 4> expected{0.25f * s, 0.5f * 2 * s, 0.75f * 4 * s, alpha * 8 * s};
    for (unsigned i = 0; i < 4; ++i) {
      EXPECT_NEAR(std::bit_cast<float>(run.environment.fragments[1].colour[i]), expected[i],
                  1e-5f * std::abs(expected[i]));
    }
  }
}

/// 8.2.3 [0]-[11]: a loop over halves that ends by its count or by a break, and the value it leaves.
TEST(LiftExample, LoopOverHalves) {
  const Program program = program_of({
      0xA86099A5, 0x01403938, 0x00000030, 0x00000000,  // [0]
      0x02AA008A, 0x00180018, 0x80180018, 0x017B0018, 0x08AFF200, 0x4804047B, 0x5200017B, 0x043002A5,
      0x017B9000,                                      // [1]
      0x01A00200, 0x00000000, 0x00000000,              //
      0x08800088, 0x04A57C17, 0x0242D809, 0x55550000,  // [2]
      0x08000088, 0x00002042, 0x0000FFFF, 0x00000000,  // [3]
      0x00800058, 0x2470E800, 0x00001830, 0x00000000,  // [4]
      0xC9E1B0A5, 0x00010001, 0x00000030, 0x00000000,  // [5]
      0x02AA00AA, 0x00180438, 0x00180018, 0x02300018, 0xFF0E4000, 0x0800047B, 0x5200017B, 0x047B02A5,
      0x017B6806,                          // [6]
      0x04AAA200, 0x00000000, 0x00000000,  //
      0x0022009A, 0x07586020, 0x42721114, 0x11100F2E, 0x0F2E4272, 0x00000000, 0x00000000, 0x00000000,
      0x34003800,                                                                                      // [7]
      0x3C003000, 0x00000000, 0x00000000,                                                              //
      0x088000A9, 0x00837F41, 0x0652D800, 0xAAAA0000, 0x00004400, 0x00000000, 0x00000000, 0x00000000,  // [8]
      0x0AA800AA, 0x00380038, 0x00380038, 0x6806047B, 0xA200017B, 0x047B04AA, 0x017B0800, 0x02A55200,
      0x00000642,                          // [9]
      0x0000FFFF, 0x00000000, 0x00000000,  //
      0x0AAA008A, 0x00380038, 0x00388000, 0x017B0038, 0x08AFF200, 0x4804047B, 0x10550240, 0x047B30A0,
      0x017B0800,                                      // [10]
      0x02A55200, 0xFFFFDC42, 0x0000FFFF,              //
      0x00800018, 0x047B0018, 0x00000800, 0x00000000,  // [11], which ends here
  });
  const auto loop = [&](std::uint32_t count, float k) {
    LiftRun run(program);
    run.environment.varyings[0] = bytes_of_words({0x40003C00, 0x44004200});  // 1, 2, 3, 4
    std::vector<std::uint32_t> uniforms;
    for (unsigned i = 0; i < 16; ++i) uniforms.push_back(bits(k));
    run.environment.uniforms[0] = bytes_of_words(uniforms);
    run.set("r23.x", count).run();
    EXPECT_EQ(run.fault(), "");
    return std::pair{run.get("r0.x"), run.get("r0.y")};
  };
  EXPECT_EQ(loop(0, 2), (std::pair{0x40003C00u, 0x44004200u}));
  // one round: 2 a + (0.5, 0.25, 0.125, 1)
  EXPECT_EQ(loop(1, 2), (std::pair{0x44404100u, 0x48804620u}));
  // a.x: 1, 2.5, 5.5: the second round breaks; 2 * 4.25 + 0.25 = 8.75
  EXPECT_EQ(loop(9, 2), (std::pair{0x48604580u, 0x4CC04A30u}));
}

/// 8.2.5 [28]: multiply, shift, compare, select and a 64-bit move that keeps half, in one bundle.
TEST(LiftExample, FiveUnits) {
  const Program program =
      program_of({0x02AA001B, 0xFC006340, 0x001A8018, 0x02580038, 0x03A55055, 0xD80014A4, 0x80000269, 0x04C130A1,
                  0x037B5805, 0xF0944000, 0x00000000, 0x00000000, 0xFFFFFFFF, 0x01010101, 0x00000000, 0x00000000});
  for (const std::uint32_t y : {5u, 0x80000000u}) {
    LiftRun run(program);
    run.set4("r0", {9, y, 0x01020304, 0}).set4("r1", {0xAAAA, 0xBBBB, 0, 0}).run();
    EXPECT_EQ(run.fault(), "");
    EXPECT_EQ(run.get("r0.z"), 10u) << "the sum of the bytes 1, 2, 3, 4";
    EXPECT_EQ(run.get("r0.y"), y == 5 ? 5u : 0xFFFFFFFF);
    EXPECT_EQ(run.get("r0.w"), 0xAAAAu);
  }
}

// ------------------------------------------------------------------------------------------------ constructed words
// (8.3)

TEST(LiftExample, PipelineRegisterAndUniform) {  // C1
  LiftRun run(program_of({0x00220019, 0x0EF86041, 0x40720214, 0x0210FF2E, 0xFF2E4072, 0, 0, 0}));
  run.set4f("r1", {1, 2, 3, 4}).set4f("r2", {10, 10, 10, 10}).set4f("r23", {0.5f, 0.25f, 0, -1}).run();
  EXPECT_THAT(run.get4f("r3"), ElementsAre(10.5f, 20.25f, 30, 39));
}

TEST(LiftExample, LookUpsWithModifiers) {
  LiftRun reciprocal(program_of({0x02000018, 0x86F00700, 0x0320007F, 0}));  // C5: FRCP R1.x, R0.w.abs
  EXPECT_EQ(reciprocal.setf("r0.w", -8).run().getf("r1.x"), 0.125f);
  LiftRun root(program_of({0x02000018, 0xC2F20700, 0x0C10007F, 0}));  // C6: FRSQRT R1.f.shrink, R0.w.widen
  EXPECT_EQ(root.set("r0.y", 0x44000000).run().get("r1.z"), 0x38000000u);
}

TEST(LiftExample, ConditionalSelect) {  // C7: R31.w = R0.x < -R1.y; R4 = R31.w ? R2 : R3
  LiftRun run(program_of({0x00280019, 0x10627C20, 0xD8058482, 0x407202C5, 0x0000FF2E, 0, 0, 0}));
  run.setf("r0.x", 1).setf("r1.y", -2).set4("r2", {1, 2, 3, 4}).set4("r3", {5, 6, 7, 8}).run();
  EXPECT_THAT(run.get4("r4"), ElementsAre(1, 2, 3, 4));
}

TEST(LiftExample, HalvesWithReplicationAndSwap) {  // C8: FADD.f16 R2.yweg, R0.gehf, R1.eexx.neg
  LiftRun run(program_of({0x00200018, 0xA1100820, 0x5A20070D, 0}));
  // halves of r0: 0 1 2 3 4 5 6 7; of r1: 10 .. 80
  run.set4("r0", {0x3C000000, 0x42004000, 0x45004400, 0x47004600})
      .set4("r1", {0x4D004900, 0x51004F80, 0x53805240, 0x55004F80});
  run.run();
  const auto half = [&](unsigned i) { return run.get(std::string("r2.") + "xyzw"[i / 2]) >> (16 * (i % 2)) & 0xFFFF; };
  EXPECT_EQ(half(0), 0u);
  EXPECT_EQ(half(1), 0xD180u) << "6 - 50";
  EXPECT_EQ(half(2), 0u);
  EXPECT_EQ(half(3), 0xD1C0u) << "4 - 50";
  EXPECT_EQ(half(4), 0xC200u) << "7 - 10";
  EXPECT_EQ(half(5), 0u);
  EXPECT_EQ(half(6), 0xC500u) << "5 - 10";
  EXPECT_EQ(half(7), 0u);
}

/// C13: a varying and a uniform in one bundle.
TEST(LiftExample, TwoLoadsOfOneBundle) {
  LiftRun run(program_of({0xC8E19815, 0x09403939, 0x1C9E2B00, 0x00200380}));
  run.environment.varyings[1] = bytes_of_words({1, 2, 3, 4});
  run.environment.uniforms[0] = bytes_of_words({0, 0, 0, 0, 0, 0, 0, 0, 5, 6, 7, 8});
  run.run();
  EXPECT_EQ(run.fault(), "");
  EXPECT_THAT(run.get4("r1"), ElementsAre(1, 2, 3, 0));
  EXPECT_THAT(run.get4("r2"), ElementsAre(5, 6, 7, 8));
}

}  // namespace
}  // namespace mobula::midgard
