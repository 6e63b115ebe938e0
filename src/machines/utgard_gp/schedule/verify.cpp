#include "machines/utgard_gp/schedule/verify.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <string>
#include <unordered_map>
#include <vector>

#include "machines/utgard_gp/lift/lift.h"
#include "machines/utgard_gp/spec/spec.h"
#include "mobula/lab/interpreter.h"

namespace mobula::utgard_gp {
namespace {

constexpr std::uint64_t step_limit = 1 << 14;
/// Places of random inputs.
constexpr std::uint64_t attributes_at = 0x10000, uniforms_at = 0x20000, registers_at = 0x30000;

/// A number that is the same for the same vertex and place. Vertices differ in what kind of numbers they get.
std::uint32_t random_input(std::uint32_t vertex, std::uint64_t place) {
  std::uint64_t bits = (place * 0x9E3779B97F4A7C15 + vertex + 1) * 0xBF58476D1CE4E5B9;
  bits = (bits ^ (bits >> 29)) * 0x94D049BB133111EB;
  bits ^= bits >> 32;
  const auto pick = static_cast<std::uint32_t>(bits >> 40);
  switch (vertex % 8) {
    case 0:  // small integers: equal values and exact zeros meet
      return std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<int>(pick % 7) - 3));
    case 1:  // truth values
      return std::bit_cast<std::uint32_t>(static_cast<float>(pick % 2));
    case 2: {  // numbers that behave unlike others
      constexpr std::array<std::uint32_t, 12> special{0x00000000, 0x80000000, 0x3F800000, 0xBF800000,
                                                      0x7F800000, 0xFF800000, 0x7FC00000, 0x00000001,
                                                      0x807FFFFF, 0x7F7FFFFF, 0x00800000, 0xFF7FFFFF};
      return special[pick % special.size()];
    }
    case 3:  // any bits
      return static_cast<std::uint32_t>(bits);
    case 4:  // positive
      return std::bit_cast<std::uint32_t>(static_cast<float>(pick) * 0x1p-22F);
    default:
      return std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int32_t>(pick) - (1 << 23)) * 0x1p-21F);
  }
}

struct Outputs {
  std::array<std::uint32_t, 4 * varying_count> values{};
  std::uint64_t written = 0;
  friend bool operator==(const Outputs&, const Outputs&) = default;
};

/// Random attributes and uniforms in, varyings out. Every vertex has its own memory.
class Vertices : public Environment {
 public:
  Vertices(std::uint32_t count, const std::vector<UniformConstant>& constants) : outputs(count), memory_(count) {
    for (const UniformConstant& constant : constants) constants_[constant.word] = constant.bits;
  }

  /// What uniform memory holds before the program runs, by 4 * vec4 + component.
  [[nodiscard]] std::uint32_t uniform(std::uint32_t vertex, std::uint32_t word) const {
    const auto constant = constants_.find(word);
    return constant != constants_.end() ? constant->second : random_input(vertex, uniforms_at + word);
  }

  Fault load_uniform(const Thread& thread, std::uint32_t, std::uint32_t offset, std::span<std::uint8_t> out) override {
    return load_memory(thread, offset, out);
  }

  /// Zero beyond the memory.
  Fault load_memory(const Thread& thread, std::uint64_t address, std::span<std::uint8_t> out) override {
    const Stored& stored = memory_[thread.index];
    for (std::size_t i = 0; i < out.size() / 4; ++i) {
      const std::uint64_t word = address / 4 + i;
      std::uint32_t value = 0;
      if (word < memory_words) {
        const auto known = stored.find(static_cast<std::uint32_t>(word));
        value = known != stored.end() ? known->second : uniform(thread.index, static_cast<std::uint32_t>(word));
      }
      std::memcpy(out.data() + 4 * i, &value, 4);
    }
    return {};
  }

  Fault store_memory(const Thread& thread, std::uint64_t address, std::span<const std::uint8_t> data) override {
    for (std::size_t i = 0; i < data.size() / 4; ++i)
      if (const std::uint64_t word = address / 4 + i; word < memory_words)
        std::memcpy(&memory_[thread.index][static_cast<std::uint32_t>(word)], data.data() + 4 * i, 4);
    return {};
  }

  Fault attribute(const Thread& thread, const ir::Call& call, std::uint32_t number, std::uint32_t,
                  std::span<std::uint8_t> out) override {
    for (std::uint32_t i = 0; i < call.count; ++i) {
      const std::uint32_t value = random_input(thread.index, attributes_at + 4 * number + i);
      std::memcpy(out.data() + 4 * std::size_t{i}, &value, 4);
    }
    return {};
  }

  Fault store_varying(const Thread& thread, const ir::Call& call, std::uint32_t number,
                      std::span<const std::uint8_t> data) override {
    Outputs& vertex = outputs[thread.index];
    for (std::uint32_t i = 0; i < call.count; ++i) {
      const std::uint32_t place = 4 * number + call.index + i;
      std::memcpy(&vertex.values[place], data.data() + 4 * std::size_t{i}, 4);
      vertex.written |= std::uint64_t{1} << place;
    }
    return {};
  }

  std::vector<Outputs> outputs;

 private:
  static constexpr std::uint32_t memory_words = 4 * memory_vec4s;
  using Stored = std::unordered_map<std::uint32_t, std::uint32_t>;
  std::unordered_map<std::uint32_t, std::uint32_t> constants_;
  std::vector<Stored> memory_;  ///< by vertex: what the program stored, by word
};

bool has_empty_registers(std::uint32_t vertex) { return vertex / 8 % 2 == 0; }

/// Where a slot of uniform memory or of the registers is among the random inputs; slots of the lifter have no
/// place.
std::uint64_t place_of(const std::string& slot) {
  const bool uniform = slot.starts_with("u[");
  if (!uniform && !slot.starts_with("$")) return 0;
  const std::size_t dot = slot.rfind('.');
  const std::size_t component = std::string_view("xyzw").find(slot.back());
  if (dot + 2 != slot.size() || component == std::string_view::npos) return 0;
  const auto number = std::stoul(slot.substr(uniform ? 2 : 1));
  return (uniform ? uniforms_at : registers_at) + 4 * number + component;
}

struct Run {
  std::vector<Outputs> outputs;
  std::vector<bool> ended;
};

Result<Run> run(const Program& program, std::uint32_t vertices, std::uint64_t steps) {
  auto lifted = lift(program, {});
  if (!lifted) return fail(std::move(lifted).error());
  Vertices environment(vertices, program.interface.constants);
  Interpreter interpreter(*lifted, environment, {.step_limit = steps});
  std::vector<Thread> threads(vertices);
  for (std::uint32_t i = 0; i < vertices; ++i) threads[i].index = threads[i].vertex = i;
  interpreter.start(threads);
  for (const ir::Slot& slot : lifted->slots) {
    const std::uint64_t place = place_of(slot.name);
    if (place == 0) continue;
    for (std::uint32_t i = 0; i < vertices; ++i) {
      const std::uint32_t value = place < registers_at
                                      ? environment.uniform(i, static_cast<std::uint32_t>(place - uniforms_at))
                                  : has_empty_registers(i) ? 0
                                                           : random_input(i, place);
      interpreter.write_u32(i, slot.byte, value);
    }
  }
  interpreter.run();
  Run result{std::move(environment.outputs), {}};
  for (std::uint32_t i = 0; i < vertices; ++i) result.ended.push_back(interpreter.state(i) == LaneState::ended);
  return result;
}

std::string component_name(std::size_t place) {
  return "varying " + std::to_string(place / 4) + '.' + "xyzw"[place % 4];
}

std::string describe(const Outputs& first, const Outputs& second) {
  for (unsigned place = 0; place < first.values.size(); ++place) {
    const bool same_mask = (first.written >> place & 1) == (second.written >> place & 1);
    if (same_mask && first.values[place] == second.values[place]) continue;
    const std::string name = component_name(place);
    return same_mask ? name + " differs" : name + " is written by one of them only";
  }
  return "no difference";
}

}  // namespace

Result<void> compare_runs(const Program& first, const Program& second, std::uint32_t vertices) {
  if (vertices == 0) return {};
  const auto before = run(first, vertices, step_limit);
  if (!before) return fail(before.error());
  const auto after = run(second, vertices, 2 * step_limit);
  if (!after) return fail(after.error());
  for (std::uint32_t i = 0; i < vertices; ++i) {
    if (!before->ended[i]) continue;
    if (!after->ended[i]) return fail("GP304", "random vertex " + std::to_string(i) + " does not reach its end");
    if (before->outputs[i] == after->outputs[i]) continue;
    return fail("GP304", "random vertex " + std::to_string(i) + ": " + describe(before->outputs[i], after->outputs[i]));
  }
  return {};
}

Result<void> compare_evaluation(const Expressions& expressions, const Program& program, std::uint32_t vertices) {
  if (vertices == 0) return {};
  const auto ran = run(program, vertices, step_limit);
  if (!ran) return fail(ran.error());
  const Vertices memory(0, program.interface.constants);
  const auto is_nan = [](std::uint32_t bits) { return (bits & 0x7FFFFFFF) > 0x7F800000; };
  for (std::uint32_t i = 0; i < vertices; ++i) {
    const Outputs& outputs = ran->outputs[i];
    const std::vector<std::uint32_t> stored = evaluate(expressions, [&](Make make, unsigned index, unsigned component) {
      const std::uint32_t word = 4 * index + component;
      return make == Make::attribute ? random_input(i, attributes_at + word) : memory.uniform(i, word);
    });
    std::uint64_t written = 0;
    for (std::size_t k = 0; k < stored.size(); ++k) {
      const Expressions::Store& store = expressions.stores[k];
      const std::size_t place = 4u * store.varying + store.component;
      written |= std::uint64_t{1} << place;
      const std::uint32_t bits = outputs.values[place];
      if (ran->ended[i] && (bits == stored[k] || (is_nan(bits) && is_nan(stored[k])))) continue;
      return fail(
          "GP304",
          "random vertex " + std::to_string(i) + ": " + component_name(place) + " is not what the text computes",
          "this is a bug of the scheduler; please report the text");
    }
    if (written != outputs.written)
      return fail("GP304",
                  "random vertex " + std::to_string(i) + ": the varyings written are not those the text assigns",
                  "this is a bug of the scheduler; please report the text");
  }
  return {};
}

}  // namespace mobula::utgard_gp
