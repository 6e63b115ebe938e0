// Workgroups of several tasks: shared variables, and barriers at which tasks wait for each other.
#include <gtest/gtest.h>

#include "compile/attempt.h"

namespace mobula::test {
namespace {

std::string expect_verified(const std::string& size, const std::string& body) {
  const std::string text = "#version 310 es\nlayout(local_size_x = " + size +
                           ") in;\nlayout(std430) buffer B { uint b[]; };\nuniform uint u;\nshared uint s[128];\n"
                           "shared uint sum;\nvoid main() { uint k = gl_LocalInvocationIndex, g = "
                           "gl_GlobalInvocationID.x; " +
                           body + " }";
  const Attempt made = attempt(text, Stage::compute, {"rogue", ""}, {.runs = 4});
  EXPECT_TRUE(made.is_verified()) << name(made.end) << ": " << made.code << ' ' << made.why << '\n' << text;
  EXPECT_GT(made.outcome.compared, 0U);
  const auto listing = find_machine("rogue")->disassemble(made.program, {});
  return listing ? listing->text : "";
}

TEST(RogueWorkgroups, ShareVariablesAmongTasks) {
  const std::string body = "s[k] = k * u; barrier(); b[g] = s[63u - k] + s[(k + 32u) % 64u];";
  EXPECT_NE(expect_verified("64", body).find("mutex.release.sleep"), std::string::npos);
  EXPECT_EQ(expect_verified("32", body).find("mutex"), std::string::npos) << "one task, in lockstep";
  expect_verified("48", "s[k] = b[g]; barrier(); b[g] = s[47u - k];");
  expect_verified(
      "128", "s[k] = b[g]; barrier(); uint x = s[127u - k]; barrier(); s[k] = x * u; barrier(); b[g] = s[k ^ 64u];");
}

TEST(RogueWorkgroups, WaitInLoops) {
  expect_verified("128",
                  "s[k] = b[g]; for (uint step = 64u; step > 0u; step >>= 1) { barrier(); if (k < step) s[k] += s[k + "
                  "step]; } barrier(); b[g] = s[0];");
  expect_verified("64",
                  "s[k] = b[g]; for (uint i = 0u; i < (u & 3u) + 2u; ++i) { barrier(); uint x = s[(k + 33u) % 64u]; "
                  "barrier(); s[k] = x + i; } barrier(); b[g] = s[k];");
}

TEST(RogueWorkgroups, ChangeSharedVariablesInTurn) {
  for (const char* const change : {"atomicAdd(sum, b[g])", "atomicMax(sum, b[g])", "atomicXor(sum, b[g] * k)",
                                   "atomicAdd(s[k % 3u], 1u)", "atomicMin(s[k & 7u], b[g])"})
    expect_verified("96", "if (k == 0u) sum = u; s[k] = k + u; barrier(); " + std::string(change) +
                              "; barrier(); b[g] = sum + s[k % 4u];");
}

/// Which thread meets what it compares with is open, but not what all of them together leave.
TEST(RogueWorkgroups, ExchangeInMemoryWhatIsEqual) {
  for (const char* const size : {"8", "32", "64"}) {
    expect_verified(size, "b[g] = k & 1u; uint x = atomicCompSwap(b[g], 1u, u); b[g] += 2u * x;");
    expect_verified(size,
                    "if (g == 0u) b[0] = 7u; s[k] = 0u; barrier(); uint i = 0u; if (k % 3u == 1u) for (uint old = "
                    "b[0]; i < 200u; ++i) { uint seen = atomicCompSwap(b[0], old, old + 1u); if (seen == old) break; "
                    "old = seen; } barrier(); b[g + 1u] = i < 200u ? 1u : 0u;");
  }
}

TEST(RogueWorkgroups, SeeEachOthersStores) {
  expect_verified("64",
                  "b[g] = k * u; memoryBarrierBuffer(); barrier(); uint x = b[g ^ 63u]; barrier(); b[g] = x + 1u;");
}

}  // namespace
}  // namespace mobula::test
