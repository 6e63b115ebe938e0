// Lifts and runs programs for tests; registers are set and read by slot name.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "execute/atomic.h"
#include "machines/rogue/lift/lift.h"
#include "mobula/lab/interpreter.h"
#include "programs.h"

namespace mobula::rogue {

inline std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }
inline float number(std::uint32_t word) { return std::bit_cast<float>(word); }

/// Memory by byte, and a record of what left.
class TestEnvironment : public Environment {
 public:
  std::map<std::uint64_t, std::uint8_t> memory;
  struct Output {
    std::uint32_t lane, address, value;
  };
  std::vector<Output> outputs;  ///< vertex outputs
  std::map<std::uint32_t, std::array<std::uint32_t, 4>> colours;
  std::map<std::uint32_t, std::uint32_t> depths;

  void poke(std::uint64_t address, std::uint32_t word) {
    for (unsigned i = 0; i < 4; ++i) memory[address + i] = static_cast<std::uint8_t>(word >> 8 * i);
  }
  std::uint32_t peek(std::uint64_t address) {
    std::uint32_t word = 0;
    for (unsigned i = 0; i < 4; ++i) word |= std::uint32_t{memory[address + i]} << 8 * i;
    return word;
  }

  Fault load_memory(const Thread&, std::uint64_t address, std::span<std::uint8_t> out) override {
    for (std::uint8_t& byte : out) {
      if (!memory.contains(address)) return {"no memory"};
      byte = memory[address++];
    }
    return {};
  }
  Fault store_memory(const Thread&, std::uint64_t address, std::span<const std::uint8_t> data) override {
    for (const std::uint8_t byte : data) memory[address++] = byte;
    return {};
  }
  Fault atomic(const Thread&, ir::AtomicOp op, std::uint64_t address, std::uint32_t width, std::uint64_t operand,
               std::uint64_t compare, std::uint64_t& old_value) override {
    old_value = peek(address);
    poke(address, static_cast<std::uint32_t>(ir::atomic_result(op, width, old_value, operand, compare)));
    return {};
  }
  Fault store_varying(const Thread& thread, const ir::Call& call, std::uint32_t number,
                      std::span<const std::uint8_t> data) override {
    std::uint32_t word = 0;
    for (unsigned i = 0; i < 4; ++i) word |= std::uint32_t{data[i]} << 8 * i;
    outputs.push_back({thread.index, 4 * number + call.index, word});
    return {};
  }
  std::vector<TextureRequest> requests;
  Fault texture(const Thread&, const TextureRequest& request, std::array<std::uint32_t, 4>& out) override {
    requests.push_back(request);
    out = {100, 101, 102, 103};
    return {};
  }
  struct Texel {
    std::uint32_t image = 0;
    std::array<std::int32_t, 3> at{};
    std::vector<std::uint32_t> words;
  };
  std::vector<Texel> texels;  ///< written
  /// Every word of a texel says where it is.
  Fault load_image(const Thread&, const ir::Call&, std::uint32_t image, std::array<std::int32_t, 3> at,
                   std::span<std::uint8_t> out) override {
    const std::uint32_t word = image * 1'000'000 + static_cast<std::uint32_t>(at[0] * 10'000 + at[1] * 100 + at[2]);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::uint8_t>(word >> i % 4 * 8);
    return {};
  }
  Fault store_image(const Thread&, const ir::Call&, std::uint32_t image, std::array<std::int32_t, 3> at,
                    std::span<const std::uint8_t> data) override {
    Texel texel{image, at, {}};
    for (std::size_t i = 0; i + 4 <= data.size(); i += 4)
      texel.words.push_back(static_cast<std::uint32_t>(data[i] | data[i + 1] << 8 | data[i + 2] << 16) |
                            std::uint32_t{data[i + 3]} << 24);
    texels.push_back(std::move(texel));
    return {};
  }
  Fault fragment_out(const Thread& thread, std::array<std::uint32_t, 4> colour, std::uint32_t depth, std::uint32_t,
                     std::uint32_t, bool&) override {
    colours[thread.index] = colour;
    depths[thread.index] = depth;
    return {};
  }
};

/// A task that runs a program.
class Task {
 public:
  explicit Task(Bytes code, std::uint32_t lanes = 1, const Policies& policies = {}, bool strict = false)
      : Task(program_of(std::move(code)), lanes, policies, strict) {}
  explicit Task(const Program& code, std::uint32_t lanes = 1, const Policies& policies = {}, bool strict = false) {
    auto lifted = lift(code, policies);
    EXPECT_TRUE(lifted) << (lifted ? std::string() : render(lifted.error()));
    if (!lifted) return;
    program_ = std::make_unique<ir::Program>(std::move(*lifted));
    EXPECT_EQ(ir::verify(*program_), std::vector<std::string>());
    interpreter_ = std::make_unique<Interpreter>(
        *program_, environment, InterpreterOptions{.engine = Engine::reference, .strict = strict, .step_limit = 10000});
    std::vector<Thread> threads(lanes);
    for (std::uint32_t i = 0; i < lanes; ++i) threads[i].index = i;
    interpreter_->start(threads);
    if (strict)
      for (const ir::Slot& slot : program_->slots)
        if (slot.name == "masked" || slot.name == "done" || slot.name.starts_with("drc.") ||
            slot.name.starts_with("base.") || slot.name == "mutexes" || slot.name == "visible")
          set(slot.name, 0u);
  }
  explicit Task(std::string_view text, std::uint32_t lanes = 1, const Policies& policies = {}, bool strict = false)
      : Task(assemble(text), lanes, policies, strict) {}

  TestEnvironment environment;

  Task& set(std::string_view name, std::uint32_t value) {
    return set(name, [value](std::uint32_t) { return value; });
  }
  Task& set(std::string_view name, float value) { return set(name, bits(value)); }
  Task& set(std::string_view name, const std::function<std::uint32_t(std::uint32_t)>& of_lane) {
    for (std::uint32_t lane = 0; lane < interpreter_->lanes(); ++lane)
      interpreter_->write_u32(lane, byte_of(name), of_lane(lane));
    return *this;
  }
  Task& run() {
    interpreter_->run();
    return *this;
  }
  [[nodiscard]] std::uint32_t get(std::string_view name, std::uint32_t lane = 0) const {
    return interpreter_->read_u32(lane, byte_of(name));
  }
  [[nodiscard]] float get_f(std::string_view name, std::uint32_t lane = 0) const { return number(get(name, lane)); }
  [[nodiscard]] std::string fault() const {
    return interpreter_->faults().empty() ? std::string() : interpreter_->faults()[0].reason;
  }
  [[nodiscard]] std::size_t undefined_reads() const { return interpreter_->undefined_reads().size(); }
  [[nodiscard]] const ir::Program& program() const { return *program_; }

 private:
  [[nodiscard]] std::uint32_t byte_of(std::string_view name) const {
    const ir::Slot* slot = program_->find_slot(name);
    EXPECT_NE(slot, nullptr) << name;
    return slot == nullptr ? 0 : slot->byte;
  }

  std::unique_ptr<ir::Program> program_;
  std::unique_ptr<Interpreter> interpreter_;
};

}  // namespace mobula::rogue
