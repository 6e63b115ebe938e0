// What an independent implementation computed of the same GLSL: every case of every file of references, by GLSL names.
#include "compile/references.h"

#include <bit>
#include <cstring>
#include <map>

#include "compile/build.h"
#include "compile/evaluation.h"
#include "compile/passes/blocks.h"

namespace mobula::test {
namespace {

using Json = nlohmann::json;

/// Of programs: how much there is, and how much is executed in all cases.
struct Size {
  std::size_t blocks = 0, instructions = 0, executed = 0;
};

/// One file of references.
class Reference {
 public:
  Reference(Json json, std::map<std::string_view, Size>& sizes)
      : json_(std::move(json)), stage_(stage_of_reference(json_)), sizes_(sizes) {}

  void check() {
    const auto program = ssa_of(json_["glsl"].get<std::string>(), stage_);
    ASSERT_TRUE(program) << errors_of(program);
    const std::vector<Form> forms = forms_of(*program);
    for (const Form& form : forms)
      for (const ssa::Block& block : form.program.blocks) {
        ++sizes_[form.name].blocks;
        sizes_[form.name].instructions += ssa::count_operations(block);
      }
    for (const Json& each : json_["cases"]) {
      SCOPED_TRACE("case " + std::to_string(cases_++));
      for (const Form& form : forms) {
        SCOPED_TRACE(form.name);
        check_case(form.program, each, sizes_[form.name]);
      }
    }
  }
  [[nodiscard]] std::size_t cases() const { return cases_; }

 private:
  void check_case(const ssa::Program& program, const Json& each, Size& size) const {
    if (stage_ == Stage::compute)
      check_buffers(program, each["buffers"], size);
    else
      check_lanes(program, each, size);
  }

  void check_lanes(const ssa::Program& program, const Json& given, Size& size) const {
    Evaluation run(program);
    ssa::Evaluator& evaluator = run.evaluator;
    for (const auto& [name, numbers] : given["attributes"].items()) {
      const bool fragment = name.starts_with("hda_");  // the vertex shader hands it on
      run.put(fragment ? name.substr(4) : name, numbers);
    }
    for (const auto& [name, numbers] : given["uniforms"].items()) run.put(name, numbers);
    if (given["outputs"].contains("frag_coord")) run.put("gl_FragCoord", given["outputs"]["frag_coord"]);
    evaluator.set_textures([&](const ssa::TextureCall& call, ssa::Bits& out) -> std::string {
      const Json& texels = json_["textures"].at(program.variables[call.access->texture].name)["rgba8_all_texels"];
      for (unsigned i = 0; i < 4; ++i) out[i] = std::bit_cast<std::uint32_t>(texels[i].get<float>() / 255);
      return "";
    });
    ASSERT_EQ(evaluator.run(), "");
    size.executed += evaluator.executed();
    if (stage_ == Stage::fragment)
      check_colour(program, evaluator, given["outputs"]);
    else
      for (const auto& [name, numbers] : given["outputs"].items())
        if (name != "position_skipped") expect_numbers(program, evaluator, name, numbers);
  }
  void check_colour(const ssa::Program& program, ssa::Evaluator& evaluator, const Json& outputs) const {
    ASSERT_EQ(evaluator.discarded(0), outputs["discarded"].get<bool>());
    if (evaluator.discarded(0)) return;
    for (const ssa::Variable& variable : program.variables)
      if (variable.storage == ssa::Storage::output)
        return expect_numbers(program, evaluator, variable.slots[0].name, outputs["color0"]);
    FAIL() << "there is no colour";
  }
  void expect_numbers(const ssa::Program& program, ssa::Evaluator& evaluator, const std::string& name,
                      const Json& numbers) const {
    const auto place = evaluator.find(name);
    ASSERT_TRUE(place) << name;
    const unsigned components = program.variables[place->variable].slots[place->slot].type.components;
    for (unsigned i = 0; i < std::min<std::size_t>(numbers.size(), components); ++i)
      expect_near(json_, numbers[i].get<double>(), std::bit_cast<float>(evaluator.at(*place, 0)[i]),
                  name + " component " + std::to_string(i));
  }

  void check_buffers(const ssa::Program& program, const Json& given, Size& size) const {
    const std::uint32_t threads = program.local_size[0] * program.local_size[1] * program.local_size[2];
    ssa::Evaluator evaluator(program, threads);
    const auto floats = [&](const char* name) { return given[name].get<std::vector<float>>(); };
    const auto block = [&](std::string name) -> std::vector<std::uint8_t>* {
      for (std::uint32_t i = 0; i < program.variables.size(); ++i)
        for (const ssa::Member& member : program.variables[i].members)
          if (member.name == name) return &evaluator.block(i);
      return nullptr;
    };
    for (const char* name : {"a", "b", "r"})
      if (auto* bytes = block(std::string(name) + "[0]")) {
        const std::vector<float> content = std::string(name) == "r" ? std::vector<float>(16) : floats(name);
        bytes->resize(4 * content.size());
        std::memcpy(bytes->data(), content.data(), bytes->size());
      }
    const auto groups = given["groups"].get<std::array<std::uint32_t, 3>>();
    for (std::uint32_t group = 0; group < groups[0]; ++group) {
      for (std::uint32_t lane = 0; lane < threads; ++lane) {
        const auto set = [&](const char* name, ssa::Bits value) {
          if (const auto place = evaluator.find(name)) evaluator.at(*place, lane) = value;
        };
        set("gl_WorkGroupID", {group});
        set("gl_LocalInvocationID", {lane});
        set("gl_LocalInvocationIndex", {lane});
        set("gl_GlobalInvocationID", {group * program.local_size[0] + lane});
        set("gl_NumWorkGroups", {groups[0], groups[1], groups[2]});
      }
      ASSERT_EQ(evaluator.run(), "");
      size.executed += evaluator.executed();
    }
    std::vector<float> found(16);
    ASSERT_NE(block("r[0]"), nullptr);
    std::memcpy(found.data(), block("r[0]")->data(), 64);
    for (std::size_t i = 0; i < found.size(); ++i)
      expect_near(json_, floats("r")[i], found[i], "r[" + std::to_string(i) + ']');
  }

  Json json_;
  Stage stage_;
  std::size_t cases_ = 0;
  std::map<std::string_view, Size>& sizes_;  ///< by form
};

TEST(Evaluate, ReproducesReferences) {
  const auto files = reference_files();
  if (files.empty()) GTEST_SKIP() << "the samples are missing";
  std::size_t cases = 0;
  std::map<std::string_view, Size> sizes;
  for (const auto& file : files) {
    SCOPED_TRACE(file.filename());
    Reference reference(read_reference(file), sizes);
    reference.check();
    cases += reference.cases();
  }
  for (const auto& [name, size] : sizes)
    std::printf("%s: %zu blocks, %zu instructions, %zu executed\n", std::string(name).c_str(), size.blocks,
                size.instructions, size.executed);
  EXPECT_EQ(files.size(), all_reference_files);
  EXPECT_EQ(cases, all_reference_cases);
}

}  // namespace
}  // namespace mobula::test
