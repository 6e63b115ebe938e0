// Bitwise instructions against values computed here.
#include <gmock/gmock.h>

#include <algorithm>
#include <bit>

#include "machines/rogue/lift_run.h"

namespace mobula::rogue {
namespace {

constexpr std::uint32_t samples[] = {0, 1, 0x80000000, 0xFFFFFFFF, 0x12345678, 0x0000FFFF, 0xDEADBEEF};

/// Runs a bitwise group over r0..r4 in the slots s0..s4.
Task group(const std::string& operations, std::array<std::uint32_t, 5> slots) {
  Task task("bit { s0 = r0; s1 = r1; s2 = r2; s3 = r3; s4 = r4; " + operations + "; w0 = r8 }");
  for (unsigned i = 0; i < 5; ++i) task.set("r" + std::to_string(i), slots[i]);
  task.run();
  return task;
}

TEST(Bitwise, Masks) {
  const auto mask = [](std::uint32_t width, std::uint32_t low) {
    const Task task = group("p0: msk ft0, ft1, s0, s1", {width, low, 0, 0, 0});
    EXPECT_EQ(task.get("ft0"), (width + low - 1) & 63);
    return task.get("r8");
  };
  EXPECT_EQ(mask(8, 4), 0xFF0u);
  EXPECT_EQ(mask(32, 0), ~0u);
  EXPECT_EQ(mask(0, 5), 0u);
  EXPECT_EQ(mask(31, 0), 0x7FFFFFFFu);
}

TEST(Bitwise, FirstShift) {
  const auto ft2 = [](const std::string& op, std::uint32_t s1, std::uint32_t s2) {
    return group("p0: byp ft0, ft1, s0, s1; p0: " + op, {0, s1, s2, 0, 0}).get("ft2");
  };
  EXPECT_EQ(ft2("lsl ft2, s2, s1", 36, 3), 0x30u) << "amounts are mod 32";
  for (const std::uint32_t each : samples) {
    std::uint32_t reversed = 0, woven = 0;
    for (unsigned i = 0; i < 32; ++i) reversed |= (each >> i & 1) << (31 - i);
    for (unsigned i = 0; i < 16; ++i) woven |= (each >> i & 1) << (2 * i) | (0x5A5Au >> i & 1) << (2 * i + 1);
    EXPECT_EQ(ft2("rev ft2, s2", 0, each), reversed);
    EXPECT_EQ(ft2("shfl ft2, s2, s1", 0x5A5A, each), woven);
  }
}

TEST(Bitwise, Counts) {
  for (const std::uint32_t each : samples) {
    const auto ft3 = [&](const std::string& op) {
      return group("p0: byp ft0, ft1, s0, s1; p0: " + op + " ft3, s2", {0, 0, each, 0, 0}).get("ft3");
    };
    EXPECT_EQ(ft3("cbs"), static_cast<std::uint32_t>(std::popcount(each)));
    EXPECT_EQ(ft3("ftb"), static_cast<std::uint32_t>(31 - std::countl_zero(each)));
  }
}

TEST(Bitwise, Logic) {
  const std::uint32_t a = 0x0F0F1234, c = 0x00FF5678, m = 0xFFFF0000;
  const auto ft4 = [&](const std::string& op, const std::string& first, const std::string& second) {
    return group("p0: byp ft0, ft1, s0, s1; p1: " + op + " ft4, " + first + ", ft2, " + second + ", s3",
                 {0, m, a, c, 0})
        .get("r8");
  };
  EXPECT_EQ(ft4("or", "_", "_"), a | c);
  EXPECT_EQ(ft4("and", "_", "_"), a & c);
  EXPECT_EQ(ft4("xor", "_", "_"), a ^ c);
  EXPECT_EQ(ft4("nor", "_", "_"), ~(a | c));
  EXPECT_EQ(ft4("nand", "_", "_"), ~(a & c));
  EXPECT_EQ(ft4("xnor", "_", "_"), ~(a ^ c));
  EXPECT_EQ(ft4("or", "ft1", "ft1.invert"), (a & m) | (c & ~m)) << "a bitfield insert";
}

TEST(Bitwise, SecondShift) {
  const auto ft5 = [](const std::string& op, std::uint32_t value, std::uint32_t amount, std::uint32_t s0 = 0) {
    return group("p0: byp ft0, ft1, s0, s1; p2: " + op + " ft5, ft4, s4", {s0, value, 0, 0, amount}).get("r8");
  };
  for (const std::uint32_t each : samples)
    for (const std::uint32_t amount : {0u, 1u, 31u, 33u}) {
      const int by = static_cast<int>(amount % 32);
      EXPECT_EQ(ft5("lsl", each, amount), each << by);
      EXPECT_EQ(ft5("shr", each, amount), each >> by);
      EXPECT_EQ(ft5("rol", each, amount), std::rotl(each, by));
      EXPECT_EQ(ft5("asr.twb", each, amount), static_cast<std::uint32_t>(static_cast<std::int32_t>(each) >> by));
      const auto half = static_cast<std::int16_t>(each);
      EXPECT_EQ(ft5("asr.pwb", each, amount), static_cast<std::uint32_t>(half >> std::min(by, 15)));
    }
  EXPECT_EQ(ft5("asr.mtb", 0xF80, 4, 11), 0xFFFFFFF8u) << "sign in bit 11";
}

TEST(Bitwise, ConditionalSetOrClear) {
  const auto run = [](std::uint32_t p0) {
    Task task("bit { s1 = r1; s4 = r4; p0: byp ft0, ft1, s0, s1; p2: cps ft5, p0, ft4, s4; w0 = r8 }");
    return task.set("r1", 0xFF00u).set("r4", 0x0FF0u).set("p0", p0).run().get("r8");
  };
  EXPECT_EQ(run(0), 0x00F0u);
  EXPECT_EQ(run(~0u), 0xFFF0u);
}

TEST(Bitwise, TestsWritePredicates) {
  const auto p0 = [](const std::string& test, std::uint32_t value) {
    return group("p0: byp ft0, ft1, s0, s1; p0: cbs ft3, s2; p2: lsl ft5, ft4, s4; p2: " + test,
                 {0, value, value, 0, 0})
        .get("p0");
  };
  EXPECT_EQ(p0("tz p0, ft5", 0), ~0u);
  EXPECT_EQ(p0("tnz p0, ft5", 0), 0u);
  EXPECT_EQ(p0("tnz p0, ft3", 8), ~0u);
}

TEST(Bitwise, TheSecondPortCarriesTheCount) {
  Task task("bit { s2 = r2; p0: byp ft0, ft1, s0, 0x12345678; p0: cbs ft3, s2; w0 = r8; w1 = r9 }");
  task.set("r2", 0xFu).run();
  EXPECT_EQ(task.get("r8"), 0x12345678u);
  EXPECT_EQ(task.get("r9"), 4u);
}

}  // namespace
}  // namespace mobula::rogue
