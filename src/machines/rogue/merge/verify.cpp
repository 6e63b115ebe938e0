#include "machines/rogue/merge/verify.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "mobula/isa/machine.h"
#include "mobula/lab/interpreter.h"

namespace mobula::rogue {
namespace {

constexpr std::uint32_t task_instances = 32;
constexpr std::uint64_t step_limit = 1 << 12;

/// The same number for the same task and key.
std::uint64_t mixed(std::uint64_t task, std::uint64_t key) {
  std::uint64_t bits = (key * 0x9E3779B97F4A7C15 + task + 1) * 0xBF58476D1CE4E5B9;
  bits = (bits ^ (bits >> 29)) * 0x94D049BB133111EB;
  return bits ^ bits >> 32;
}

/// Tasks differ in what kind of numbers they get.
std::uint32_t random_word(std::uint32_t task, std::uint64_t key) {
  const std::uint64_t bits = mixed(task, key);
  const auto pick = static_cast<std::uint32_t>(bits >> 40);
  const auto real = [](float value) { return std::bit_cast<std::uint32_t>(value); };
  switch (task % 4) {
    case 0:
      return pick % 7;
    case 1:
      return real(static_cast<float>(static_cast<int>(pick % 17) - 8) / 4);
    case 2:
      return static_cast<std::uint32_t>(bits);
    default:
      return real(static_cast<float>(static_cast<std::int32_t>(pick) - (1 << 23)) * 0x1p-21F);
  }
}

std::uint64_t key_of(std::string_view name) {
  std::uint64_t key = 0xCBF29CE484222325;
  for (const char c : name) key = (key ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  return key;
}

/// "vi12" is "vi" and a number; the lifter's own slots are not registers.
std::string_view bank_of(std::string_view slot) {
  const std::size_t digits = std::min(slot.find_first_of("0123456789"), slot.size());
  const bool number = digits < slot.size() && slot.find_first_not_of("0123456789", digits) == std::string_view::npos;
  return number ? slot.substr(0, digits) : std::string_view();
}
bool is_one_of(std::string_view name, std::initializer_list<std::string_view> all) {
  return std::find(all.begin(), all.end(), name) != all.end();
}
bool is_of_task(std::string_view bank) { return is_one_of(bank, {"cf", "cfa", "sh", "g"}); }
bool is_input(std::string_view bank) { return is_of_task(bank) || is_one_of(bank, {"r", "vi", "i", "po", "sr"}); }
bool outlives_instances(std::string_view bank) { return is_of_task(bank) || bank == "po"; }

/// Random memory and texels; remembers what a task sends out.
class World : public Environment {
 public:
  explicit World(std::uint32_t task) : task_(task) {}

  std::map<std::uint64_t, std::uint8_t> memory;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::vector<std::uint8_t>> outputs;
  std::map<std::uint32_t, std::array<std::uint32_t, 4>> pixels;

  Fault load_memory(const Thread&, std::uint64_t address, std::span<std::uint8_t> out) override {
    for (std::uint8_t& byte : out) byte = at(address++);
    return {};
  }
  Fault store_memory(const Thread&, std::uint64_t address, std::span<const std::uint8_t> data) override {
    for (const std::uint8_t byte : data) memory[address++] = byte;
    return {};
  }
  Fault varying(const Thread& thread, const ir::Call& call, std::uint32_t number,
                std::span<std::uint8_t> out) override {
    for (std::size_t i = 0; i + 4 <= out.size(); i += 4) {
      const std::uint32_t word =
          random_word(task_, ((std::uint64_t{thread.index} << 20 | number) << 12 | call.index) + i + 1);
      std::memcpy(&out[i], &word, 4);
    }
    return {};
  }
  Fault store_varying(const Thread& thread, const ir::Call& call, std::uint32_t number,
                      std::span<const std::uint8_t> data) override {
    outputs[{thread.index, number, call.index}].assign(data.begin(), data.end());
    return {};
  }
  Fault texture(const Thread&, const TextureRequest& request, std::array<std::uint32_t, 4>& out) override {
    std::uint64_t key = request.texture * 31 + request.sampler;
    for (const std::uint32_t coordinate : request.coordinate) key = mixed(key, coordinate);
    for (std::uint32_t i = 0; i < out.size(); ++i) out[i] = random_word(task_, key + i);
    return {};
  }
  Fault fragment_out(const Thread& thread, std::array<std::uint32_t, 4> colour, std::uint32_t, std::uint32_t,
                     std::uint32_t, bool&) override {
    pixels[thread.index] = colour;
    return {};
  }

 private:
  [[nodiscard]] std::uint8_t at(std::uint64_t address) const {
    const auto stored = memory.find(address);
    if (stored != memory.end()) return stored->second;
    return static_cast<std::uint8_t>(random_word(task_, address / 4 + (1ull << 50)) >> (8 * (address % 4)));
  }

  std::uint32_t task_;
};

/// One task that runs a program to its end.
class Runner {
 public:
  Runner(const ir::Program& program, std::uint32_t task)
      : program_(program), world(task), interpreter_(program, world, options()) {
    std::vector<Thread> threads(task_instances);
    for (std::uint32_t i = 0; i < task_instances; ++i) threads[i].index = threads[i].vertex = i;
    interpreter_.start(threads);
    for (const ir::Slot& slot : program.slots) {
      const std::string_view bank = bank_of(slot.name);
      if (!is_input(bank)) continue;
      for (std::uint32_t lane = 0; lane < task_instances; ++lane)
        interpreter_.write_u32(lane, slot.byte,
                               random_word(task, key_of(slot.name) + (is_of_task(bank) ? 0 : lane + 1)));
    }
    interpreter_.run();
  }

  [[nodiscard]] bool ended() const {
    for (std::uint32_t lane = 0; lane < task_instances; ++lane)
      if (interpreter_.state(lane) != LaneState::ended) return false;
    return true;
  }
  /// What kept it from its end.
  [[nodiscard]] std::string obstacle() const {
    return interpreter_.faults().empty() ? "it does not end" : interpreter_.faults().front().reason;
  }
  /// Registers that others may see, by name; those of a task once.
  [[nodiscard]] std::map<std::string, std::vector<std::uint32_t>> registers() const {
    std::map<std::string, std::vector<std::uint32_t>> all;
    for (const ir::Slot& slot : program_.slots)
      if (outlives_instances(bank_of(slot.name)))
        for (std::uint32_t lane = 0; lane < task_instances; ++lane)
          all[slot.name].push_back(interpreter_.read_u32(lane, slot.byte));
    return all;
  }

 private:
  static InterpreterOptions options() {
    InterpreterOptions chosen;
    chosen.step_limit = step_limit;
    return chosen;
  }

  const ir::Program& program_;

 public:
  World world;

 private:
  Interpreter interpreter_;
};

std::string difference(const Runner& first, const Runner& second) {
  if (!second.ended()) return "the merged program stops: " + second.obstacle();
  if (first.world.outputs != second.world.outputs) return "vertex outputs differ";
  if (first.world.memory != second.world.memory) return "stores differ";
  if (first.world.pixels != second.world.pixels) return "pixels differ";
  const auto theirs = second.registers();
  for (const auto& [name, values] : first.registers()) {
    const auto found = theirs.find(name);
    if (found != theirs.end() && found->second != values) return name + " differs at the end";
  }
  return {};
}

}  // namespace

Comparison compare(const Program& first, const Program& second, std::uint32_t tasks) {
  Comparison result;
  const Machine& machine = *find_machine("rogue");
  const auto lifted = machine.lift(first, {}), merged = machine.lift(second, {});
  if (!lifted || !merged) {
    result.obstacle = (lifted ? merged.error() : lifted.error()).front().message;
    return result;
  }
  for (std::uint32_t task = 0; task < tasks; ++task) {
    const Runner apart(*lifted, task);
    if (!apart.ended()) {
      if (result.instances == 0) result.obstacle = apart.obstacle();
      continue;
    }
    const Runner together(*merged, task);
    result.difference = difference(apart, together);
    if (!result.difference.empty()) return result;
    result.instances += task_instances;
    result.obstacle.clear();
  }
  return result;
}

}  // namespace mobula::rogue
