// Machine code being executed, its values by the names of GLSL, as an Evaluation has them of the source. All lanes have
// the same.
#pragma once

#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "compile/verify/outcome.h"
#include "mobula/isa/machine.h"

namespace mobula::test {

class MachineRun {
 public:
  /// All must outlive it.
  MachineRun(const ssa::Program& form, const Program& code, const ir::Program& lifted)
      : form_(form), code_(code), lifted_(lifted), binding_(form, code), names_(form, 1) {
    compile::Random random(1);
    given_ = binding_.make(0, random);
    for (compile::GivenVector& vector : given_.vectors)
      if (vector.name != "gl_FragCoord") vector.values = {ssa::Bits{}};
    for (auto& [number, bytes] : given_.blocks) std::ranges::fill(bytes, std::uint8_t{0});
  }

  /// Numbers one after the other into the vectors from the named one on. What the shader does not use is not there.
  void put(const std::string& name, const std::vector<double>& numbers) {
    const auto place = names_.find(name);
    if (!place) return;
    std::size_t next = 0;
    for (std::uint32_t slot = place->slot; next < numbers.size(); ++slot) {
      const auto vector = std::ranges::find_if(given_.vectors, [&](const compile::GivenVector& each) {
        return each.place.variable == place->variable && each.place.slot == slot;
      });
      if (vector == given_.vectors.end()) return;
      vector->values.resize(1);
      for (unsigned i = 0; i < vector->type.components && next < numbers.size(); ++i, ++next)
        vector->values[0][i] = bits_as(*vector, numbers[next]);
    }
  }
  /// The block that has a member of this name, from its beginning.
  void put_block(const std::string& member, const std::vector<float>& numbers) {
    std::vector<std::uint8_t> bytes(4 * numbers.size());
    std::memcpy(bytes.data(), numbers.data(), bytes.size());
    for (auto& [number, content] : given_.blocks)
      for (const ssa::Member& each : form_.variables[number].members)
        if (each.name == member) content = bytes;
  }
  void put_groups(const std::array<std::uint32_t, 3>& groups) { given_.groups = groups; }
  /// All texels the same.
  void put_texture(const std::string& name, const std::array<std::uint8_t, 4>& texel) {
    for (std::uint32_t i = 0; i < form_.variables.size(); ++i) {
      if (form_.variables[i].name != name) continue;
      std::vector<std::uint8_t> bytes;
      const io::TextureSize size{.shape = ir::Texture::Shape::d2, .width = 4, .height = 4};
      for (unsigned at = 0; at < size.width * size.height; ++at) bytes.insert(bytes.end(), texel.begin(), texel.end());
      auto texture = io::make_texture(size, *io::find_texel_format("rgba8_unorm"), bytes, name);
      given_.textures[binding_.texture_number(i, 0)] = std::make_shared<const io::Texture>(std::move(*texture));
    }
  }

  /// Why it came to no end; empty if it did.
  std::string run() {
    const compile::Outcome wanted = compile::evaluate(binding_, given_, 0, true);
    found_ = compile::execute(binding_, given_, code_, lifted_, wanted);
    return found_.problem;
  }

  [[nodiscard]] bool discarded() const { return found_.discarded.at(0); }
  /// NaN if nothing of that name is stored.
  [[nodiscard]] double get(const std::string& name, unsigned slot, unsigned component) const {
    const auto place = names_.find(name);
    if (!place || place->slot + slot >= form_.variables[place->variable].slots.size()) return std::nan("");
    const ssa::Slot& at = form_.variables[place->variable].slots[place->slot + slot];
    return number(at.type.components == 1 ? at.name : at.name + '.' + "xyzw"[component]);
  }
  /// As an outcome calls it: "r[3]", "colour.x".
  [[nodiscard]] double number(const std::string& name) const {
    for (const compile::OutNumber& each : found_.numbers)
      if ((each.lane == 0 || each.lane == compile::OutNumber::of_all) && each.name == name && each.is_there)
        return each.value();
    return std::nan("");
  }

 private:
  static std::uint32_t bits_as(const compile::GivenVector& vector, double value) {
    if (vector.is_boolean) return value != 0 ? ~0U : 0U;
    if (vector.type.base == ssa::Base::real) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
  }

  const ssa::Program& form_;
  const Program& code_;
  const ir::Program& lifted_;
  const compile::Binding binding_;
  const ssa::Evaluator names_;
  compile::GivenInputs given_;
  compile::Outcome found_;
};

}  // namespace mobula::test
