// What an independent implementation computed of the same GLSL, by machine code of Utgard GP: every case of every
// vertex shader, by GLSL names.
#include "compile/references.h"

#include "compile/machine_reference.h"

namespace mobula::test {
namespace {

TEST(UtgardGpReferences, AreReproduced) {
  const auto files = reference_files();
  if (files.empty()) GTEST_SKIP() << "the samples are missing";
  std::size_t shaders = 0, cases = 0;
  for (const auto& file : files) {
    SCOPED_TRACE(file.filename());
    const nlohmann::json json = read_reference(file);
    if (stage_of_reference(json) != Stage::vertex) continue;
    MachineReference(json, {"utgard-gp", "mali450"}).check();
    ++shaders;
    cases += json["cases"].size();
  }
  EXPECT_EQ(shaders, 22U);
  EXPECT_EQ(cases, 8 * shaders);
}

}  // namespace
}  // namespace mobula::test
