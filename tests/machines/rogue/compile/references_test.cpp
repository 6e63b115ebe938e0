// What an independent implementation computed of the same GLSL, by code for Rogue.
#include "compile/machine_reference.h"

namespace mobula::test {
namespace {

TEST(RogueReferences, AreReproduced) {
  const auto files = reference_files();
  if (files.empty()) GTEST_SKIP() << "the samples are missing";
  std::size_t cases = 0;
  for (const auto& file : files) {
    SCOPED_TRACE(file.filename());
    const nlohmann::json json = read_reference(file);
    const MachineReference reference(json, {"rogue", ""});
    reference.check();
    cases += json["cases"].size();
  }
  EXPECT_EQ(cases, all_reference_cases);
}

}  // namespace
}  // namespace mobula::test
