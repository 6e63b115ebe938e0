// Operations without an encoding: sums of products of halves, texel addresses.
#include "machines/rogue/text/text_only.h"

#include <gmock/gmock.h>

#include <fstream>
#include <random>

#include "machines/rogue/check/check.h"
#include "machines/rogue/machine.h"

#include "machines/rogue/lift_run.h"
#include "paths.h"

namespace mobula::rogue {
namespace {

using testing::HasSubstr;

Program model_program(std::string_view text) {
  auto program = parse({"t", text}, model_variant);
  EXPECT_TRUE(program) << text << render(program.error());
  return program ? std::move(*program) : Program{};
}
std::string model_errors(std::string_view text) {
  const auto program = parse({"t", text}, model_variant);
  return program ? std::string() : codes_of(program.error());
}
/// A task of the model variant.
Task run_model(std::string_view text, const std::function<void(Task&)>& prepare, std::uint32_t lanes = 1,
               const Policies& policies = {}) {
  Task task(model_program(text), lanes, policies);
  prepare(task);
  task.run();
  EXPECT_EQ(task.fault(), "");
  return task;
}

TEST(Sop, StandsInMesasText) {
  const auto listing = [](std::string_view text) {
    return find_machine("rogue")->disassemble(model_program(text), {.syntax = "pco"})->text;
  };
  EXPECT_EQ(listing("sop r8.joutj, r0, r1, add, r2, r3\nnop.end"),
            "0000: { s0 = r0, s1 = r1, s2 = r2, s3 = r3 sop w0.joutj, s0, s1, add, s2, s3; w0 = r8 }\n"
            "0001: { ctrl: nop.end; }\n");
  EXPECT_THAT(listing("0: frcp r8, r5\nsop r7, r0, r1, add, r3, r4\n1: nop.end"), HasSubstr(" p1: frcp "));
}

TEST(Sop, TwoSumsOfTwoProducts) {
  const Task task =
      run_model("0: { sop r8.joutj, r0, r1, add, r2, r3\n   sop r9.koutk, r4, r5, sub, r4, 0.oneminus }\nnop.end",
                [](Task& each) {
                  each.set("r0", 2.0f).set("r1", 3.0f).set("r2", 4.0f).set("r3", 0.5f);
                  each.set("r4", 10.0f).set("r5", 1.5f);
                });
  EXPECT_EQ(task.get_f("r8"), 2 * 3 + 4 * 0.5f);
  EXPECT_EQ(task.get_f("r9"), 10 * 1.5f - 10 * 1);
}

TEST(Sop, EveryJoin) {
  const auto joined = [](const std::string& name) {
    return run_model("0: { sop r8.joutj, r0, r1, " + name + ", r2, r3 }\nnop.end",
                     [](Task& each) { each.set("r0", 2.0f).set("r1", 3.0f).set("r2", 4.0f).set("r3", 5.0f); })
        .get_f("r8");
  };
  EXPECT_EQ(joined("add"), 26);
  EXPECT_EQ(joined("sub"), -14);
  EXPECT_EQ(joined("rsub"), 14);
  EXPECT_EQ(joined("min"), 6);
  EXPECT_EQ(joined("max"), 20);
}

TEST(Sop, HalvesAndModifiers) {
  // r0 holds 1.0 below 2.0, r1 4.0 below -8.0. Results go to the halves of one register.
  const Task task = run_model(
      "0: { sop r8.e0.joutj, r0.e0, r1.e1.abs, add, -r0.e1, r1.e0\n   sop r8.e1.koutc, r1.e0, r0.e0, add, r0.e0, 0\n"
      "   sopmov r9, r5 }\nnop.end",
      [](Task& each) { each.set("r0", 0x40003C00u).set("r1", 0xC8004400u).set("r5", 123u); });
  EXPECT_EQ(task.get("r8"), 0x4400'0000u) << "1 * 8 - 2 * 4 = 0, and c = 4.0";
  EXPECT_EQ(task.get("r9"), 123u);
}

TEST(Sop, SlotsMayBeBound) {
  const Task task = run_model("main { s0 = r4; w0 = r8; sop w0, r1, s0, add, s0, 0.oneminus }\nnop.end",
                              [](Task& each) { each.set("r4", 3.0f).set("r1", 5.0f); });
  EXPECT_EQ(task.get_f("r8"), 5 * 3 + 3);
}

TEST(Sop, TheTermZ) {
  // z = min(S1, 1 - S0); the first two registers that are named are S0 and S1.
  const auto blended = [](float s0, float s1) {
    return run_model("0: { sop r8.joutj, r0, z, add, r1, 0 }\nnop.end",
                     [&](Task& each) { each.set("r0", s0).set("r1", s1); })
        .get_f("r8");
  };
  EXPECT_EQ(blended(0.25f, 0.5f), 0.25f * 0.5f);
  EXPECT_EQ(blended(0.75f, 0.5f), 0.75f * 0.25f);
}

TEST(Sop, PrecisionIsAPolicy) {
  // 2049 is not a half: 1024 * 2 + 1 rounds to 2048 in every step, and again at the end.
  const auto difference = [](const std::string& precision) {
    return run_model("0: { sop r8.joutj, r0, r1, add, r2, r2 }\nnop.end",
                     [](Task& each) { each.set("r0", 1024.0f).set("r1", 2.0f).set("r2", 1.0f); }, 1,
                     {{"sop_precision", precision}})
        .get_f("r8");
  };
  EXPECT_EQ(difference("f16"), 2048);
  EXPECT_EQ(difference("f32"), 2049);
}

TEST(Sop, OperandsBecomeHalvesFirst) {
  const Task task =
      run_model("0: { sop r8.joutj, r0, r1, add, 0, 0 }\nnop.end",
                [](Task& each) { each.set("r0", 2049.0f).set("r1", 1.0f); }, 1, {{"sop_precision", "f32"}});
  EXPECT_EQ(task.get_f("r8"), 2048) << "ties to even";
}

TEST(Sopmad, FourOfThem) {
  const Task task = run_model(
      "0: { sopmad r8.e0, r0.e0, r0.e1, r1.e0\n   sopmad r9.e0, r0.e0, r1.e0, r1.e0\n"
      "   sopmad r8.e1, r0.e1, r0.e1, 0\n   sopmad r9.e1, r1.e0, 0.oneminus, r0.e0 }\nnop.end",
      [](Task& each) { each.set("r0", 0x40003C00u).set("r1", 0x00004400u); });
  EXPECT_EQ(task.get("r8"), 0x44004600u) << "2 * 2 = 4 above 1 * 2 + 4 = 6";
  EXPECT_EQ(task.get("r9"), 0x45004800u) << "4 * 1 + 1 = 5 above 1 * 4 + 4 = 8";
}

TEST(Sop, MayBeConditionalAndTheLast) {
  const Task task = run_model(
      "0: if(p0) end { sop r8.joutj, r0, r1, add, 0, 0 }\nmov r9, sc1",
      [](Task& each) {
        each.set("r0", 2.0f).set("r1", 3.0f).set("p0", [](std::uint32_t lane) { return lane == 1 ? ~0u : 0u; });
      },
      2);
  EXPECT_EQ(task.get_f("r8", 0), 0);
  EXPECT_EQ(task.get_f("r8", 1), 6);
  EXPECT_EQ(task.get("r9", 1), 0u);
}

TEST(Gta, InstancesOfAQuadShareTheState) {
  // Words of the state: of instance 1 the size 4 x 3, of 2 and 3 the address 0x1'0000'1000.
  const std::string text = "gta r8, r9, p0, r3, r0, r1, r4, r5\nnop.end";
  const auto prepare = [](Task& task) {
    task.set("r0", [](std::uint32_t lane) {
      constexpr std::array<std::uint32_t, 4> state{0, 3u << 2 | 2u << 16, 0x400u << 16, 1u << 14};
      return lane < 4 ? state[lane] : 0;
    });
    task.set("r1", [](std::uint32_t lane) { return bits(lane == 3 ? 1.5f : 0.25f * static_cast<float>(lane % 4)); });
    task.set("r4", 0.5f);
  };
  const Task task = run_model(text, prepare, 8, {{"texel_address", "linear"}});
  for (std::uint32_t lane = 0; lane < 3; ++lane) {
    EXPECT_EQ(task.get("r8", lane), 0x1000 + 4 * (1 * 4 + lane)) << "row 1, column " << lane;
    EXPECT_EQ(task.get("r9", lane), 0x10401u) << "one burst, four bytes, bits 39:32 of the address";
    EXPECT_EQ(task.get("p0", lane), 0u);
  }
  EXPECT_EQ(task.get("p0", 3), ~0u) << "outside";
  EXPECT_EQ(task.get("r8", 4), 0u) << "the next quad has a state of its own: one texel at 0";
  Task stopped(model_program(text), 4);
  EXPECT_THAT(stopped.run().fault(), HasSubstr("texel_address"));
}

TEST(TextOnlyGroups, AreRefusedWhereBytesAreAskedFor) {
  EXPECT_EQ(errors_of("0: sop r8.joutj, r0, r1, add, r2, r3"), "RG115 ");
  EXPECT_EQ(errors_of("gta r8, r9, p0, r3, r0, r1, r4, r5"), "RG115 ");
  // Bytes of the model are not a group to any core.
  const Program model = model_program("0: sop r8.joutj, r0, r1, add, r2, r3");
  EXPECT_EQ(model.code.size(), text_only_bytes);
  EXPECT_THAT(Task(model.code).run().fault(), HasSubstr("ALU type 01 does not exist"));
  EXPECT_EQ(parse({"t", print_code(model.code)}, "")->code, model.code);
}

TEST(TextOnlyGroups, RegistersThatAreNotThereStop) {
  EXPECT_THAT(Task(model_program("0: { sop r8.joutj, dc4[idx1], r1, add, 0, 0 }")).run().fault(),
              HasSubstr("register dc4[idx1] cannot be read"));
  EXPECT_THAT(Task(model_program("0: { sop sc8, r1, r1, add, 0, 0 }")).run().fault(), HasSubstr("cannot be written"));
}

/// Its first instruction vanished.
TEST(TextOnlyGroups, TheFoundProgramIsRefused) {
  std::ifstream file(mobula::test::sample("found/rogue-drop.rgasm"));
  if (!file) GTEST_SKIP() << "no samples";
  const std::string text(std::istreambuf_iterator<char>(file), {});
  EXPECT_EQ(model_errors(text), "RG006 ");
}

TEST(TextOnlyGroups, MistakesAreNamed) {
  EXPECT_EQ(model_errors("0: sop r8.joutj, r0, r1, mul, r2, r3"), "RG106 ");
  EXPECT_EQ(model_errors("0: sop r8.joutj, r0, r1"), "RG106 ");
  EXPECT_EQ(model_errors("0: sop r8.joutx, r0, r1, add, r2, r3"), "RG106 ");
  EXPECT_EQ(model_errors("0: sop r8.joutj, r0.sat, r1, add, r2, r3"), "RG032 ");
  EXPECT_EQ(model_errors("0: sop r8, r0, r1, add, r2, r3\n sop r8, r0, r1, add, r2, r3"), "RG003 ");
  EXPECT_EQ(model_errors("0: sop r8, r0, r1, add, r2, r3\n fmul r9, r0, r1"), "RG006 ");
  EXPECT_EQ(model_errors("0: sop r8, r0, r1, add, r2, r3\n sop r9, r4, r5, add, r6, r7"), "RG021 ");
  EXPECT_EQ(model_errors("bit { sop r8, r0, r1, add, r2, r3 }"), "RG001 ");
  EXPECT_EQ(model_errors("0: sopmad r8, r0, r1, r2"), "RG106 ");
  EXPECT_EQ(model_errors("gta r8, r9, p0, r3"), "RG106 ");
  EXPECT_EQ(model_errors("0: sop q8, r0, r1, add, r2, r3"), "RG111 ");
}

TEST(TextOnlyGroups, EveryByteThatDecodesEncodes) {
  std::mt19937_64 random(3);
  const Program seed = model_program("0: sop r8, r0, r1, add, r2, r3");
  unsigned decoded = 0;
  for (unsigned i = 0; i < 20000; ++i) {
    std::array<std::uint8_t, text_only_bytes> bytes = encode_text_only(*decode_text_only(seed.code));
    for (unsigned k = 0; k < 4; ++k) bytes[random() % bytes.size()] ^= static_cast<std::uint8_t>(1u << random() % 8);
    const auto op = decode_text_only(bytes);
    if (!op) continue;
    ++decoded;
    ASSERT_EQ(encode_text_only(*op), bytes);
    if (i % 20 != 0) continue;
    Program program = program_of(Bytes(bytes.begin(), bytes.end()));
    program.variant = model_variant;
    const auto lifted = lift(program, {{"texel_address", "linear"}});
    ASSERT_TRUE(lifted);
    ASSERT_EQ(ir::verify(*lifted), std::vector<std::string>());
  }
  EXPECT_GT(decoded, 1000u);
}

/// Whichever comes first, in both forms of a group.
TEST(TextOnlyGroups, NothingBesideThemIsDropped) {
  const std::string sum = "sop r8.joutj, r0, r1, add, r2, r3", address = "gta r8, r9, p0, r3, r0, r1, r4, r5";
  for (const std::string_view other : {"fmul r7, r0, r1", "pck.zero ft2", "mov r7, ft0", "uvsw.write w0, 0"}) {
    const std::string beside(other);
    EXPECT_EQ(model_errors("0: " + beside + "\n " + sum), "RG006 ") << beside;
    EXPECT_EQ(model_errors("0: " + sum + "\n " + beside), "RG006 ") << beside;
    EXPECT_EQ(model_errors("0: " + address + "\n " + beside), "RG006 ") << beside;
    EXPECT_EQ(model_errors("main { " + beside + "; " + sum + " }"), "RG006 ") << beside;
    EXPECT_EQ(model_errors("main { " + sum + "; " + beside + " }"), "RG006 ") << beside;
  }
  EXPECT_EQ(model_errors("0: fred.sin r8, r9, _, 0, r0, _\n " + sum), "RG006 ") << "is never issued beside others";
}

constexpr std::string_view every_kind =
    "0: if(p0)\n sop r8.e1.jouta, r0.e0, -r1.abs, add, r2, 0.oneminus\n sop r9.koutk, z, r4.e1, rsub, r0, r3\n"
    "1: olchk\n sop o0, sh4, r1, max, r2, r3\n sopmov r9, r5\n"
    "2:\n sopmad r8.e1, r0.e1, r0.e1, 0\n sopmad r9.e0, r1.e0, 0.oneminus, r0.e0\n"
    "3:\n frsq r8, -r6.abs\n sop w1, r0, r1, sub, r2, r3\n w1 = r9\n"
    "4:\n sopmov r9, r5\n"
    "5: (ignorepe) end\n gta r8, r9, p0, r3, r0, r1, r4, r5\n";

TEST(TextOnlyGroups, AreListedAsTheyAreWritten) {
  const Program program = model_program(every_kind);
  const auto listing = machine().disassemble(program, {});
  ASSERT_TRUE(listing);
  EXPECT_THAT(listing->text, testing::Not(HasSubstr(".byte")));
  EXPECT_EQ(model_program(listing->text).code, program.code) << listing->text;
  const auto isr = machine().disassemble(program, {.syntax = "isr"});
  EXPECT_THAT(isr->text, HasSubstr("    sop po0.joutj, sh4, r1, max, r2, r3\n    sopmov r9, r5\n"));
  const auto again = machine().disassemble(model_program(isr->text), {.syntax = "isr"});
  EXPECT_EQ(again->text, isr->text);
}

TEST(TextOnlyGroups, EveryGroupThatDecodesIsListed) {
  std::mt19937_64 random(4);
  const Program seed = model_program(every_kind);
  for (unsigned i = 0; i < 5000; ++i) {
    Program program = program_of(seed.code);
    program.variant = model_variant;
    for (unsigned k = 0; k < 6; ++k)
      program.code[random() % program.code.size()] ^= static_cast<std::uint8_t>(1u << random() % 8);
    const auto listing = machine().disassemble(program, {});
    EXPECT_EQ(model_program(listing->text).code, program.code) << listing->text;
  }
}

TEST(TextOnlyGroups, AreExplainedBitByBit) {
  for (const ExplainedWord& word : machine().explain(model_program(every_kind))) {
    std::uint32_t next = 0;
    for (const ExplainedField& field : word.fields) {
      EXPECT_EQ(field.low, next) << word.text << field.name;
      next = field.low + field.width;
    }
    EXPECT_EQ(next, 8 * word.byte_length) << word.text;
  }
}

TEST(TextOnlyGroups, AreCheckedLikeOthers) {
  EXPECT_EQ(codes_of(check(model_program("0: sop r8, vi0, vi1, add, vi2, vi3\n1: nop.end"))), "");
  EXPECT_EQ(codes_of(check(model_program("0: sop r8, r0, vi1, add, vi2, vi3\n1: nop.end"))), "RG202 ");
  EXPECT_EQ(codes_of(check(model_program("0: sop o0, vi0, vi1, add, vi2, vi3\n1: nop.end"))), "RG018 ");
  EXPECT_EQ(codes_of(check(model_program("0: sop r300, vi0, vi1, add, vi2, vi3\n1: nop.end"))), "RG210 ");
}

// ------------------------------------------------------------------------------------------------ complex operations

TEST(Coissue, AComplexOperationBesideASum) {
  const Task task = run_model("0: { frcp r8, r6.neg\n sop r9, r0, r1, add, r2, r3 }\nnop.end", [](Task& each) {
    each.set("r0", 2.0f).set("r1", 3.0f).set("r2", 4.0f).set("r3", 0.5f).set("r6", 4.0f);
  });
  EXPECT_EQ(task.get_f("r8"), -0.25f) << "W0";
  EXPECT_EQ(task.get_f("r9"), 8) << "W1";
  EXPECT_EQ(model_errors("0: frcp r8, r6\n sop w0, r0, r1, add, r2, r3"), "RG033 ");
  EXPECT_EQ(model_errors("0: frcp r8, r6\n frsq r9, r6\n sop r9, r0, r1, add, r2, r3"), "RG003 ");
  EXPECT_EQ(model_errors("0: frcp r8, r6\n sopmad r9.e0, r0, r1, r2"), "RG006 ");
  EXPECT_EQ(model_errors("0: frcp r8, r6.flr\n sop r9, r0, r1, add, r2, r3"), "RG032 ");
}

TEST(Coissue, AComplexOperationInPhase1) {
  for (const std::string_view variant : {complex_p1_variant, model_variant}) {
    const auto program = parse({"t", "0: fmul ft0, r0, r1\n frcp r8, r6\n mov r9, ft0\n1: nop.end"}, variant);
    ASSERT_TRUE(program) << render(program.error());
    EXPECT_EQ(codes_of(check_groups(*program)), "");
    Task task(*program);
    task.set("r0", 2.0f).set("r1", 3.0f).set("r6", 4.0f).run();
    EXPECT_EQ(task.fault(), "");
    EXPECT_EQ(task.get_f("r8"), 0.25f);
    EXPECT_EQ(task.get_f("r9"), 6);
    const auto listing = machine().disassemble(*program, {});
    EXPECT_THAT(listing->text, HasSubstr("p1: frcp w0, s3"));
    EXPECT_EQ(parse({"t", listing->text}, variant)->code, program->code);
    Program usual = *program;
    usual.variant.clear();
    EXPECT_EQ(codes_of(check_groups(usual)), "RG007 ");
    EXPECT_THAT(Task(usual).run().fault(), HasSubstr("frcp is in phase 1, which is an option of some cores"));
  }
}

TEST(Coissue, WhatPhase0MayNotHold) {
  const auto errors = [](std::string_view text) {
    const auto program = parse({"t", text}, complex_p1_variant);
    return program ? codes_of(check_groups(*program)) : codes_of(program.error());
  };
  EXPECT_EQ(errors("main { p0: umadd32 ft0, r0, r1, r2; p1: frcp w0, r3; w0 = r8 }"), "RG007 ") << "no 32-bit integers";
  EXPECT_EQ(errors("main { p0: uadd8 ft0, r0, r1; p1: frcp w0, r3; w0 = r8 }"), "");
  EXPECT_EQ(errors("main { p0: frsq w0, r0; p1: frcp w0, r3; w0 = r8 }"), "RG007 ");
  EXPECT_EQ(errors("main { p0: mbyp ft0, r0; p1: fred.sin w0, w1, _, 0, r3, _; w0 = r8 }"), "RG008 ");
  EXPECT_EQ(errors("main { p0: mbyp ft0, r0; p1: frcp w0, r3; tstz ftt, p0, ft0; w0 = r8 }"), "RG007 ");
}

}  // namespace
}  // namespace mobula::rogue
