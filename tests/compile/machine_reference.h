// A shader of the references by machine code: compiled, verified, and every case executed by GLSL names.
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "compile/attempt.h"
#include "compile/machine_run.h"
#include "compile/references.h"

namespace mobula::test {

class MachineReference {
 public:
  MachineReference(const nlohmann::json& json, const compile::Target& target)
      : json_(json),
        machine_(*find_machine(target.machine)),
        compiled_(attempt(json["glsl"].get<std::string>(), stage_of_reference(json), target)) {}

  [[nodiscard]] const Attempt& compiled() const { return compiled_; }

  void check() const {
    ASSERT_TRUE(compiled_.is_verified()) << compiled_.why;
    const auto lifted = machine_.lift(compiled_.program, {});
    ASSERT_TRUE(lifted);
    int number = 0;
    for (const nlohmann::json& each : json_["cases"]) {
      SCOPED_TRACE("case " + std::to_string(number++));
      MachineRun run(compiled_.form, compiled_.program, *lifted);
      if (compiled_.form.stage == Stage::compute)
        check_buffers(run, each["buffers"]);
      else
        check_outputs(run, each);
    }
  }

 private:
  void check_outputs(MachineRun& run, const nlohmann::json& given) const {
    for (const auto& [name, numbers] : given["attributes"].items())
      run.put(name.starts_with("hda_") ? name.substr(4) : name, numbers);
    for (const auto& [name, numbers] : given["uniforms"].items()) run.put(name, numbers);
    const nlohmann::json& outputs = given["outputs"];
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
  void check_numbers(const MachineRun& run, const std::string& name, const nlohmann::json& numbers) const {
    for (unsigned i = 0; i < numbers.size(); ++i)
      if (i == 0 || !std::isnan(run.get(name, 0, i)))
        expect_near(json_, numbers[i].get<double>(), run.get(name, 0, i), name + " component " + std::to_string(i));
  }
  void check_vertex(const MachineRun& run, const nlohmann::json& outputs) const {
    for (const auto& [name, numbers] : outputs.items()) {
      if (name == "gl_Position")
        check_position(run, numbers);
      else if (name != "position_skipped")
        check_numbers(run, name, numbers);
    }
  }
  /// The program stores it in pixels. Near the eye they are cut off, and far off.
  void check_position(const MachineRun& run, const std::vector<double>& position) const {
    if (!compile::places_positions(compiled_.program.machine)) return check_numbers(run, "gl_Position", position);
    if (std::fabs(position[3]) < 0.1) return;
    const Viewport viewport;
    for (unsigned i = 0; i < 3; ++i)
      expect_near(json_, position[i] / position[3] * viewport.scale[i] + viewport.offset[i],
                  run.get("gl_Position", 0, i), "gl_Position in pixels, component " + std::to_string(i));
  }

  void check_buffers(MachineRun& run, const nlohmann::json& given) const {
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

  const nlohmann::json& json_;
  const Machine& machine_;
  const Attempt compiled_;
};

}  // namespace mobula::test
