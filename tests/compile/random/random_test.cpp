// Shaders by chance: all of them compile, and the machine code does what the source says. MOBULA_FIRST_SEED and
// MOBULA_PROGRAMS choose others than the usual ones.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "compile/attempt.h"
#include "compile/random/shader.h"
#include "machines/midgard/spec/spec.h"
#include "trials.h"

namespace mobula::test {
namespace {

std::uint64_t chosen(const char* variable, std::uint64_t usual) {
  const char* const given = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe)
  return given == nullptr ? usual : std::strtoull(given, nullptr, 10);
}

bool is_limit(const Attempt& made) {
  return made.code == "CO030" && made.why.find("one render target") != std::string::npos;
}

class RandomShaders : public testing::TestWithParam<Stage> {};

TEST_P(RandomShaders, CompileAndVerify) {
  const std::uint64_t first = chosen("MOBULA_FIRST_SEED", 0);
  const std::uint64_t count = chosen("MOBULA_PROGRAMS", trials(100));
  std::uint64_t limits = 0, compared = 0, open = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    std::string text = random_shader(GetParam(), seed);
    if (seed % 3 == 2) text.replace(text.find("highp"), 5, "mediump");  // of floats
    const std::string product(midgard::products[seed % midgard::products.size()].name);
    const Attempt made = attempt(text, GetParam(), {"midgard", product}, {.runs = 4, .seed = seed});
    limits += is_limit(made) ? 1 : 0;
    compared += made.outcome.compared;
    open += made.outcome.open;
    if (!made.is_verified() && !is_limit(made))
      ADD_FAILURE() << "seed " << seed << " for " << product << ", " << name(made.end) << ": " << made.code << ' '
                    << made.why << '\n'
                    << text;
  }
  EXPECT_LE(limits, count / 4);
  EXPECT_GT(compared, open / 2);
  std::printf("%llu shaders, %llu beyond limits; %llu numbers compared, %llu open\n",
              static_cast<unsigned long long>(count), static_cast<unsigned long long>(limits),
              static_cast<unsigned long long>(compared), static_cast<unsigned long long>(open));
}

/// Of Rogue's compiler there is more that it does not do yet.
class RandomRogueShaders : public testing::TestWithParam<Stage> {};

TEST_P(RandomRogueShaders, CompileAndVerifyOrAreRefused) {
  const std::uint64_t first = chosen("MOBULA_FIRST_SEED", 0);
  const std::uint64_t count = chosen("MOBULA_PROGRAMS", trials(60));
  std::uint64_t refused = 0, compared = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const std::string text = random_shader(GetParam(), seed);
    const Attempt made = attempt(text, GetParam(), {"rogue", ""}, {.runs = 4, .seed = seed});
    const bool is_refused = made.code == "CO030";
    refused += is_refused ? 1 : 0;
    compared += made.outcome.compared;
    if (!made.is_verified() && !is_refused)
      ADD_FAILURE() << "seed " << seed << ", " << name(made.end) << ": " << made.code << ' ' << made.why << '\n'
                    << text;
  }
  EXPECT_LT(refused, count);
  EXPECT_GT(compared, 0U);
  std::printf("%llu shaders, %llu refused; %llu numbers compared\n", static_cast<unsigned long long>(count),
              static_cast<unsigned long long>(refused), static_cast<unsigned long long>(compared));
}

std::string stage_of(const testing::TestParamInfo<Stage>& each) {
  return each.param == Stage::vertex ? "vertex" : each.param == Stage::fragment ? "fragment" : "compute";
}
INSTANTIATE_TEST_SUITE_P(Rogue, RandomRogueShaders, testing::Values(Stage::vertex, Stage::fragment, Stage::compute),
                         stage_of);
INSTANTIATE_TEST_SUITE_P(All, RandomShaders, testing::Values(Stage::vertex, Stage::fragment, Stage::compute), stage_of);

/// They are of GLSL ES 3.10, of whose integers the machine has little: what it refuses it refuses with a reason.
TEST(RandomShaders, CompileAndVerifyOnUtgardGp) {
  const std::uint64_t first = chosen("MOBULA_FIRST_SEED", 0);
  const std::uint64_t count = chosen("MOBULA_PROGRAMS", trials(100));
  std::uint64_t verified = 0, compared = 0, open = 0;
  std::map<std::string, std::uint64_t> refused;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const std::string text = random_shader(Stage::vertex, seed);
    const Attempt made = attempt(text, Stage::vertex, {"utgard-gp", "mali450"}, {.runs = 4, .seed = seed});
    compared += made.outcome.compared;
    open += made.outcome.open;
    if (made.is_verified())
      ++verified;
    else if (made.end == Attempt::End::back_end && (made.code == "CO030" || made.code == "GP303"))
      ++refused[made.why.substr(0, made.why.find(','))];
    else
      ADD_FAILURE() << "seed " << seed << ", " << name(made.end) << ": " << made.code << ' ' << made.why << '\n'
                    << text;
  }
  EXPECT_GE(verified, count / 8);
  std::printf("%llu of %llu shaders are compiled; %llu numbers compared, %llu open\n",
              static_cast<unsigned long long>(verified), static_cast<unsigned long long>(count),
              static_cast<unsigned long long>(compared), static_cast<unsigned long long>(open));
  for (const auto& [why, times] : refused)
    std::printf("%6llu %s\n", static_cast<unsigned long long>(times), why.c_str());
}

TEST(RandomShader, ComesToAnEndWithEveryChoice) {
  for (const Stage stage : {Stage::vertex, Stage::fragment, Stage::compute}) {
    EXPECT_NE(random_shader(stage, [](std::uint32_t) { return 0U; }), "");
    EXPECT_NE(random_shader(stage, [](std::uint32_t count) { return count - 1; }), "");
  }
}

}  // namespace
}  // namespace mobula::test
