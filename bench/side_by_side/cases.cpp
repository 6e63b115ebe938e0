#include "cases.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <stdexcept>

namespace side_by_side {
namespace {

using Json = nlohmann::json;

std::string read_text(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("there is no " + file.string());
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

template <class Value>
Value value_of(mobula::Result<Value> result) {
  if (!result) throw std::runtime_error(mobula::render(result.error()));
  return std::move(*result);
}

std::filesystem::path sample(const std::string& folder, const std::string& name) {
  return std::filesystem::path(MOBULA_SAMPLES) / folder / name;
}

/// The texture that every shader gets under every name: smooth, so that it tells positions of texels and levels, and
/// does not make large what is a small difference of coordinates.
GlTexture make_texture() {
  constexpr std::uint32_t largest = 64;
  GlTexture texture{largest, {}};
  for (std::uint32_t side = largest; side != 0; side /= 2)
    for (std::uint32_t y = 0; y < side; ++y)
      for (std::uint32_t x = 0; x < side; ++x) {
        const double s = (x + 0.5) / side * 6.283185307179586, t = (y + 0.5) / side * 6.283185307179586;
        for (const double value : {std::sin(s), std::cos(t), std::sin(s + 2 * t), std::cos(s - t)})
          texture.texels.push_back(static_cast<std::uint8_t>(std::lround(128 + 100 * value)));
      }
  return texture;
}

Numbers numbers_of(const Json& value) {
  if (!value.is_array()) return {value.get<double>()};
  Numbers numbers;
  for (const Json& part : value)
    for (const double number : numbers_of(part)) numbers.push_back(number);
  return numbers;
}

Vec4 vec4_of(const Json& value) {
  Vec4 vec4{0, 0, 0, 1};
  std::size_t i = 0;
  for (const double number : numbers_of(value)) vec4.at(i++) = static_cast<float>(number);
  return vec4;
}

/// A varying that has a number instead of a name, since several are packed in it: "0" is v0 in GLSL.
std::string glsl_name(const std::string& name) {
  return name.find_first_not_of("0123456789") == name.npos ? "v" + name : name;
}

/// Calls `visit` with the name and value of each member of what the document has under `group`, if it has that.
template <class Visit>
void each_member(const Json& document, const char* group, Visit visit) {
  const auto found = document.find(group);
  if (found == document.end()) return;
  for (const auto& [name, value] : found->items()) visit(name, value);
}

GlInputs gl_inputs(const Json& document) {
  GlInputs inputs;
  each_member(document, "uniforms",
              [&](const std::string& name, const Json& value) { inputs.uniforms[name] = numbers_of(value); });
  each_member(document, "corners", [&](const std::string& name, const Json& value) {
    inputs.corners[glsl_name(name)] = {vec4_of(value[0]), vec4_of(value[1]), vec4_of(value[2])};
  });
  each_member(document, "varyings", [&](const std::string& name, const Json& value) {
    const Vec4 everywhere = vec4_of(value);
    inputs.corners[glsl_name(name)] = {everywhere, everywhere, everywhere};
  });
  each_member(document, "textures",
              [&](const std::string& name, const Json&) { inputs.textures[name] = make_texture(); });
  return inputs;
}

mobula::Program load(const mobula::Machine& machine, const std::string& file) {
  const std::string code = read_text(file + ".bin");
  mobula::Program program;
  program.file = file + ".bin";
  program.machine = machine.name();
  program.code.assign(code.begin(), code.end());
  program.interface = value_of(mobula::read_side_file({file + ".json", read_text(file + ".json")})).interface;
  machine.complete(program.interface);
  return program;
}

Case load_case(const std::string& machine_name, const std::string& name, const std::string& stage,
               const std::string& sample_file, const std::string& variant) {
  const std::filesystem::path shaders = SHADERS;
  const mobula::Machine& machine = *mobula::find_machine(machine_name);
  Case loaded;
  loaded.name = name;
  loaded.glsl = read_text(shaders / (name + "." + stage));
  loaded.program = load(machine, sample_file);
  loaded.program.variant = variant;
  const std::string inputs_file = (shaders / (name + ".json")).string();
  const std::string text = read_text(inputs_file);
  const auto files = [](const std::string&) -> mobula::Result<std::vector<std::uint8_t>> {
    return make_texture().texels;
  };
  loaded.inputs = value_of(mobula::read_run_inputs({inputs_file, text}, loaded.program.interface, files));
  loaded.gl_inputs = gl_inputs(Json::parse(text));
  loaded.lifted = value_of(machine.lift(loaded.program, loaded.inputs.policies));
  return loaded;
}

}  // namespace

std::vector<std::string> case_names(const std::string& stage) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(SHADERS))
    if (entry.path().extension() == "." + stage) names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

Case picture_case(const std::string& name) {
  Case loaded = load_case("midgard", name, "frag", sample("midgard", name + ".frag.t860").string(), "t860");
  constexpr std::uint64_t pixels = std::uint64_t{1} << 24;
  loaded.inputs.limits.threads = std::max<std::uint32_t>(loaded.inputs.limits.threads, pixels);
  return loaded;
}

Case vertex_case(const std::string& name, std::uint32_t vertices) {
  Case loaded = load_case("utgard-gp", name, "vert", sample("utgard-gp", name + ".vert").string(), {});
  std::mt19937 random(1);
  std::uniform_real_distribution<float> numbers(0.25F, 1.75F);
  for (const mobula::Variable& input : loaded.program.interface.inputs) {
    std::vector<Vec4>& gl = loaded.gl_inputs.attributes[input.name];
    auto& words = loaded.inputs.attributes[static_cast<std::uint32_t>(input.driver_location)];
    words.clear();
    for (std::uint32_t i = 0; i < vertices; ++i) {
      gl.push_back({numbers(random), numbers(random), numbers(random), numbers(random)});
      words.push_back(std::bit_cast<mobula::RunVec4>(gl.back()));
    }
  }
  loaded.inputs.threads = vertices;
  return loaded;
}

}  // namespace side_by_side
