// What an independent implementation computed of the same GLSL, by machine code of two products: every case of every
// file of references, by GLSL names.
#include "compile/references.h"

#include "compile/machine_reference.h"

namespace mobula::test {
namespace {

class MachineReferences : public testing::TestWithParam<const char*> {};

TEST_P(MachineReferences, AreReproduced) {
  const auto files = reference_files();
  if (files.empty()) GTEST_SKIP() << "the samples are missing";
  std::size_t cases = 0;
  for (const auto& file : files) {
    SCOPED_TRACE(file.filename());
    const nlohmann::json json = read_reference(file);
    MachineReference(json, {"midgard", GetParam()}).check();
    cases += json["cases"].size();
  }
  EXPECT_EQ(files.size(), all_reference_files);
  EXPECT_EQ(cases, all_reference_cases);
}

INSTANTIATE_TEST_SUITE_P(Two, MachineReferences, testing::Values("t860", "t720"),
                         [](const auto& each) { return std::string(each.param); });

}  // namespace
}  // namespace mobula::test
