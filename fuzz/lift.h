// What the fuzz targets of lifters share: any bytes as code of a machine, under any policies, give a well-formed
// program that does the same on both engines.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <span>
#include <string_view>
#include <vector>

#include "mobula/isa/machine.h"
#include "mobula/lab/interpreter.h"

namespace mobula::fuzz {

/// Gives zeros and takes everything.
class Zeros final : public Environment {
 public:
  Fault load_memory(const Thread&, std::uint64_t, std::span<std::uint8_t>) override { return {}; }
  Fault store_memory(const Thread&, std::uint64_t, std::span<const std::uint8_t>) override { return {}; }
  Fault atomic(const Thread&, ir::AtomicOp, std::uint64_t, std::uint32_t, std::uint64_t, std::uint64_t,
               std::uint64_t&) override {
    return {};
  }
  Fault load_uniform(const Thread&, std::uint32_t, std::uint32_t, std::span<std::uint8_t>) override { return {}; }
  Fault attribute(const Thread&, const ir::Call&, std::uint32_t, std::uint32_t, std::span<std::uint8_t>) override {
    return {};
  }
  Fault store_varying(const Thread&, const ir::Call&, std::uint32_t, std::span<const std::uint8_t>) override {
    return {};
  }
  Fault varying(const Thread&, const ir::Call&, std::uint32_t, std::span<std::uint8_t>) override { return {}; }
  Fault texture(const Thread&, const TextureRequest&, std::array<std::uint32_t, 4>&) override { return {}; }
  Fault fragment_out(const Thread&, std::array<std::uint32_t, 4>, std::uint32_t, std::uint32_t, std::uint32_t,
                     bool&) override {
    return {};
  }
  Fault tile_ready(const Thread&, bool&) override { return {}; }
};

inline constexpr std::uint32_t lanes = 4;

inline std::vector<std::uint8_t> run(const ir::Program& program, Engine engine) {
  Zeros environment;
  Interpreter interpreter(program, environment, {.engine = engine, .step_limit = 200});
  const std::vector<Thread> threads(lanes);
  interpreter.start(threads);
  // Different numbers in different threads.
  for (std::uint32_t lane = 0; lane < lanes; ++lane)
    for (std::uint32_t byte = 0; byte < program.temporary_byte; byte += 4)
      interpreter.write_u32(lane, byte, (lane + 1) * byte * 0x9E3779B9u);
  interpreter.run();
  std::vector<std::uint8_t> all;
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    std::vector<std::uint8_t> state(program.temporary_byte);
    interpreter.read(lane, 0, state);
    all.insert(all.end(), state.begin(), state.end());
    all.push_back(static_cast<std::uint8_t>(interpreter.state(lane)));
  }
  return all;
}

/// The first 32 bytes, a whole number of quadwords so that a shader is a seed, choose variant and policies.
inline void check_lift(std::string_view name, std::span<const std::uint8_t> data) {
  constexpr std::size_t head = 32;
  const Machine& machine = *find_machine(name);
  if (machine.policies().size() >= head) std::abort();
  if (data.size() < head) return;
  Program program;
  program.machine = name;
  program.variant = machine.variants()[data[0] % machine.variants().size()].name;
  program.code.assign(data.begin() + head, data.end());
  Policies policies;
  for (std::size_t i = 0; i < machine.policies().size(); ++i) {
    const Policy& policy = machine.policies()[i];
    policies.emplace(policy.name, policy.values[data[1 + i] % policy.values.size()]);
  }
  const auto lifted = machine.lift(program, policies);
  // What a machine cannot hold it refuses; everything else becomes a program.
  if (!lifted) {
    if (!has_errors(lifted.error())) std::abort();
    return;
  }
  if (!ir::verify(*lifted).empty()) std::abort();
  if (run(*lifted, Engine::simd) != run(*lifted, Engine::reference)) std::abort();
}

}  // namespace mobula::fuzz
