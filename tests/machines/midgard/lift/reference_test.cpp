// Compiled shaders against the results an independent implementation gave for them.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "machines/midgard/lift/lift.h"
#include "machines/midgard/words.h"
#include "mobula/lab/run.h"
#include "paths.h"

namespace mobula::midgard {
namespace {

const std::filesystem::path folder = mobula::test::sample("midgard");

/// A sample with what its side file says of it.
Program load(const std::string& name) {
  const std::string code = read_file(folder / (name + ".bin")), side = read_file(folder / (name + ".json"));
  Program program;
  program.file = name + ".bin";
  program.machine = "midgard";
  program.variant = name.substr(name.rfind('.') + 1);
  program.code.assign(code.begin(), code.end());
  const auto read = read_side_file({.file = name + ".json", .text = side});
  EXPECT_TRUE(read.has_value()) << name;
  if (read) program.interface = read->interface;
  return program;
}

void check(const std::string& reference, const std::string& binary, Engine engine) {
  SCOPED_TRACE(binary);
  const Program program = load(binary);
  const auto lifted = lift(program, {});
  ASSERT_TRUE(lifted.has_value());
  const auto report = check_reference(program, *lifted, {.file = "reference", .text = reference},
                                      {.interpreter = {.engine = engine, .strict = engine == Engine::reference}});
  ASSERT_TRUE(report.has_value()) << render(report.error());
  EXPECT_GT(report->values, 0u);
  EXPECT_EQ(report->passed, report->cases);
  EXPECT_TRUE(report->diagnostics.empty()) << render(report->diagnostics);
  for (const Difference& one : report->differences) {
    ADD_FAILURE() << "case " << one.case_index << " " << one.output << "[" << one.component << "]: expected "
                  << one.expected << ", got " << one.got;
  }
}

/// On both engines; the reference engine also watches for reads of what nothing has written.
TEST(LiftReference, CompiledShadersGiveTheReferenceResults) {
  if (!std::filesystem::exists(folder / "ref")) GTEST_SKIP() << "no samples";
  std::size_t binaries = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "ref")) {
    const std::string text = read_file(entry.path());
    const auto reference = nlohmann::json::parse(text);
    for (const std::string binary : reference["binaries"]) {
      check(text, binary, Engine::simd);
      check(text, binary, Engine::reference);
      ++binaries;
    }
  }
  EXPECT_GE(binaries, 41u);
}

}  // namespace
}  // namespace mobula::midgard
