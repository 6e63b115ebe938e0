// Any text as side file, as run inputs, as mesh and as reference: errors, or something that runs. Files that inputs
// name are the text itself, so that pictures and raw texels are anything, too. seeds: tests/data/midgard/*.json
// tests/data/midgard/ref/*.json examples/*.json examples/*.png examples/*.obj
#include <algorithm>
#include <cstdlib>

#include "fuzz/target.h"
#include "ir/builder.h"
#include "mobula/lab/run.h"

using namespace mobula;

namespace {

Program program_with(Interface interface, std::string machine = "midgard") {
  Program program;
  program.file = "own_dynidx.frag.t860";
  program.machine = std::move(machine);
  program.interface = std::move(interface);
  return program;
}

/// Reads one of everything, samples a texture where the varying says, writes a colour and stores to memory.
ir::Program touching_everything() {
  using ir::Operand;
  using ir::Service;
  ir::Builder code({{"r0.x", 0, 4}, {"r0.y", 4, 4}, {"r0.z", 8, 4}, {"r0.w", 12, 4}, {"r23.x", 16, 4}});
  const Operand r0 = Operand::state(0), zero = code.constant_u32(0);
  code.begin_block(0, 16);
  code.call({.service = Service::load_uniform, .type = ir::Type::i64, .data = r0, .args = {zero}});
  code.call({.service = Service::store_memory, .data = r0, .args = {r0}});
  code.end_block();
  code.begin_block(16, 16);
  code.call({.service = Service::varying, .type = ir::Type::f32, .count = 4, .data = r0, .args = {zero}});
  ir::Texture texture{.implicit_lod = true};
  for (std::uint32_t i = 0; i < 4; ++i) texture.coordinate[i] = r0.plus(4 * i);
  texture.texture = texture.sampler = zero;
  code.texture(texture, r0);
  code.end_block();
  code.begin_block(32, 16);
  code.call({.service = Service::fragment_out, .count = 4, .data = r0, .args = {zero, zero, zero, Operand::state(16)}});
  code.branch_if(Operand::state(16), 32);
  code.end();
  code.end_block();
  return code.finish(0);
}

/// Stores an attribute and words of uniform memory, one of them where the attribute says, to two varyings.
ir::Program placing_vertices() {
  using ir::Operand;
  using ir::Service;
  ir::Builder code({{"r0.x", 0, 4},
                    {"r0.y", 4, 4},
                    {"r0.z", 8, 4},
                    {"r0.w", 12, 4},
                    {"u[1].x", 16, 4},
                    {"u[9].w", 20, 4},
                    {"MEMORY.x", 24, 4},
                    {"MEMORY.y", 28, 4}});
  const Operand r0 = Operand::state(0), zero = code.constant_u32(0);
  code.begin_block(0, 16);
  code.call({.service = Service::attribute, .type = ir::Type::f32, .count = 4, .data = r0, .args = {zero}});
  code.call({.service = Service::store_varying, .type = ir::Type::f32, .count = 4, .data = r0, .args = {zero}});
  code.call({.service = Service::load_memory, .data = Operand::state(20), .args = {Operand::state(24)}});
  code.call({.service = Service::store_varying,
             .type = ir::Type::f32,
             .count = 2,
             .index = 1,
             .data = Operand::state(16),
             .args = {code.constant_u32(1)}});
  code.end();
  code.end_block();
  return code.finish(0);
}

void run(const Program& program, const ir::Program& code, RunInputs inputs) {
  inputs.limits.memory_bytes = std::min<std::uint64_t>(inputs.limits.memory_bytes, 16u << 20);
  inputs.limits.threads = std::min(inputs.limits.threads, 1000u);
  inputs.limits.steps = std::min<std::uint64_t>(inputs.limits.steps, 1000);
  for (const bool image : {false, true}) {
    RunOptions options;
    if (image) options.image = ImageSize{3, 3};
    const auto result = run_program(program, code, inputs, options);
    if (result) (void)to_json(*result, program, code);
    if (!result && !has_errors(result.error())) std::abort();
    if (result && result->image) (void)to_png(*result->image, ColourFormat::f16);
  }
}

}  // namespace

FUZZ_TARGET(documents_fuzz) {
  static const ir::Program code = touching_everything();
  static const Interface known =
      read_side_file({"", R"({"stage":"frag","num_ubos":0,"sysvals":[{"type":4,"id":0},{"type":3,"id":0}],
    "inputs":[{"name":"a","type":"vec4","driver_location":0},{"name":"packed:b,c.x","type":"vec4","driver_location":1}],
    "uniforms":[{"name":"u","type":"vec4[8]","driver_location":0},{"name":"t","type":"sampler2D","driver_location":0}],
    "ssbo_blocks":[{"name":"r","type":"float[]","driver_location":0}]})"})
          .value()
          .interface;
  const SourceText text{"input", {reinterpret_cast<const char*>(data), size}};
  const FileReader itself = [&](const std::string&) -> Result<std::vector<std::uint8_t>> {
    return std::vector<std::uint8_t>(data, data + size);
  };
  const auto complain = [](const Diagnostics& diagnostics) {
    if (!has_errors(diagnostics)) std::abort();
  };

  Interface interface = known;
  if (auto side = read_side_file(text)) {
    interface = side->interface;
  } else {
    complain(side.error());
  }
  for (const Interface& each : {known, interface}) {
    const Program program = program_with(each);
    if (auto inputs = read_run_inputs(text, each, itself)) {
      run(program, code, std::move(inputs).value());
    } else {
      complain(inputs.error());
    }
  }
  static const ir::Program vertices = placing_vertices();
  Interface vertex = interface;
  vertex.stage = Stage::vertex;
  vertex.layout = ValueLayout::float_vec4s;
  vertex.position = 0;
  for (const std::string_view file : {"input", "input.obj"}) {
    if (auto inputs = read_run_inputs({file, text.text}, vertex, itself)) {
      run(program_with(vertex, "utgard-gp"), vertices, std::move(inputs).value());
    } else {
      complain(inputs.error());
    }
  }
  const auto report = check_reference(program_with(known), code, text);
  if (report) (void)to_json(*report);
  if (!report) complain(report.error());
  return 0;
}
