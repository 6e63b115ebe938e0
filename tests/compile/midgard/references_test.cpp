// What an independent implementation computed of the same GLSL, by machine code of two products: every case of every
// file of references, by GLSL names.
#include "compile/references.h"

#include "compile/attempt.h"
#include "compile/machine_run.h"

namespace mobula::test {
namespace {

using Json = nlohmann::json;

class MachineReference {
 public:
  MachineReference(const Json& json, const std::string& product)
      : json_(json), compiled_(attempt(json["glsl"].get<std::string>(), stage_of_reference(json), product)) {}

  void check() const {
    ASSERT_TRUE(compiled_.is_verified()) << compiled_.why;
    const auto lifted = find_machine("midgard")->lift(compiled_.program, {});
    ASSERT_TRUE(lifted);
    int number = 0;
    for (const Json& each : json_["cases"]) {
      SCOPED_TRACE("case " + std::to_string(number++));
      MachineRun run(compiled_.form, compiled_.program, *lifted);
      if (compiled_.form.stage == Stage::compute)
        check_buffers(run, each["buffers"]);
      else
        check_outputs(run, each);
    }
  }

 private:
  void check_outputs(MachineRun& run, const Json& given) const {
    for (const auto& [name, numbers] : given["attributes"].items())
      run.put(name.starts_with("hda_") ? name.substr(4) : name, numbers);
    for (const auto& [name, numbers] : given["uniforms"].items()) run.put(name, numbers);
    const Json& outputs = given["outputs"];
    if (outputs.contains("frag_coord")) run.put("gl_FragCoord", outputs["frag_coord"]);
    for (const auto& [name, texture] : json_["textures"].items())
      run.put_texture(name, texture["rgba8_all_texels"].get<std::array<std::uint8_t, 4>>());
    ASSERT_EQ(run.run(), "");
    if (compiled_.form.stage == Stage::vertex) return check_vertex(run, outputs);
    ASSERT_EQ(run.discarded(), outputs["discarded"].get<bool>());
    if (!run.discarded()) check_numbers(run, colour_name(), outputs["color0"]);
  }
  [[nodiscard]] std::string colour_name() const {
    for (const ssa::Variable& each : compiled_.form.variables)
      if (each.storage == ssa::Storage::output) return each.slots[0].name;
    return "";
  }
  void check_numbers(const MachineRun& run, const std::string& name, const Json& numbers) const {
    for (unsigned i = 0; i < numbers.size(); ++i)
      if (i == 0 || !std::isnan(run.get(name, 0, i)))
        expect_near(json_, numbers[i].get<double>(), run.get(name, 0, i), name + " component " + std::to_string(i));
  }
  void check_vertex(const MachineRun& run, const Json& outputs) const {
    for (const auto& [name, numbers] : outputs.items()) {
      if (name == "gl_Position")
        check_position(run, numbers);
      else if (name != "position_skipped")
        check_numbers(run, name, numbers);
    }
  }
  /// The program stores it in pixels. Near the eye they are cut off, and far off.
  void check_position(const MachineRun& run, const std::vector<double>& position) const {
    if (std::fabs(position[3]) < 0.1) return;
    const Viewport viewport;
    for (unsigned i = 0; i < 3; ++i)
      expect_near(json_, position[i] / position[3] * viewport.scale[i] + viewport.offset[i],
                  run.get("gl_Position", 0, i), "gl_Position in pixels, component " + std::to_string(i));
  }

  void check_buffers(MachineRun& run, const Json& given) const {
    for (const char* name : {"a", "b", "r"})
      run.put_block(std::string(name) + "[0]",
                    std::string(name) == "r" ? std::vector<float>(16) : given[name].get<std::vector<float>>());
    run.put_groups(given["groups"].get<std::array<std::uint32_t, 3>>());
    ASSERT_EQ(run.run(), "");
    const auto wanted = given["r"].get<std::vector<double>>();
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const std::string name = "r[" + std::to_string(i) + ']';
      expect_near(json_, wanted[i], run.number(name), name);
    }
  }

  const Json& json_;
  const Attempt compiled_;
};

class MachineReferences : public testing::TestWithParam<const char*> {};

TEST_P(MachineReferences, AreReproduced) {
  const auto files = reference_files();
  if (files.empty()) GTEST_SKIP() << "the samples are missing";
  std::size_t cases = 0;
  for (const auto& file : files) {
    SCOPED_TRACE(file.filename());
    const Json json = read_reference(file);
    MachineReference(json, GetParam()).check();
    cases += json["cases"].size();
  }
  EXPECT_EQ(files.size(), all_reference_files);
  EXPECT_EQ(cases, all_reference_cases);
}

INSTANTIATE_TEST_SUITE_P(Two, MachineReferences, testing::Values("t860", "t720"),
                         [](const auto& each) { return std::string(each.param); });

}  // namespace
}  // namespace mobula::test
