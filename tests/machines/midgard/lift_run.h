// Lifts and runs programs for tests; registers are set and read by slot name.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "machines/midgard/lift/lift.h"
#include "mobula/lab/interpreter.h"

namespace mobula::midgard {

/// Gives what it is told to and keeps what it is given.
class TestEnvironment : public Environment {
 public:
  std::map<std::uint64_t, std::uint8_t> memory;
  std::map<std::uint32_t, std::vector<std::uint8_t>> uniforms;
  /// Values by number; elements of any type are cut from these bytes.
  std::map<std::uint32_t, std::vector<std::uint8_t>> attributes, varyings, specials, images;
  std::vector<std::uint8_t> tile;

  struct TypedCall {
    ir::Call call;
    std::uint32_t number = 0, second = 0;
    std::array<std::int32_t, 3> at{};
    std::vector<std::uint8_t> data;
  };
  std::vector<TypedCall> calls;
  std::vector<TextureRequest> texture_requests;
  std::array<std::uint32_t, 4> texel{};
  struct FragmentOut {
    std::array<std::uint32_t, 4> colour;
    std::uint32_t depth, stencil, target;
  };
  std::vector<FragmentOut> fragments;
  std::uint32_t retries = 0, waits = 0;

  void poke(std::uint64_t address, std::uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i) memory[address + i] = static_cast<std::uint8_t>(value >> (8 * i));
  }
  std::uint64_t peek(std::uint64_t address, unsigned bytes) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < bytes; ++i) value |= std::uint64_t{memory[address + i]} << (8 * i);
    return value;
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
    old_value = peek(address, width);
    const auto is_signed = [&](std::uint64_t v) { return sign_extend(v, 8 * width); };
    std::uint64_t value = operand;
    switch (op) {
      case ir::AtomicOp::add:
        value = old_value + operand;
        break;
      case ir::AtomicOp::and_:
        value = old_value & operand;
        break;
      case ir::AtomicOp::or_:
        value = old_value | operand;
        break;
      case ir::AtomicOp::xor_:
        value = old_value ^ operand;
        break;
      case ir::AtomicOp::min_s:
        value = is_signed(old_value) < is_signed(operand) ? old_value : operand;
        break;
      case ir::AtomicOp::min_u:
        value = std::min(old_value, operand);
        break;
      case ir::AtomicOp::max_s:
        value = is_signed(old_value) > is_signed(operand) ? old_value : operand;
        break;
      case ir::AtomicOp::max_u:
        value = std::max(old_value, operand);
        break;
      case ir::AtomicOp::exchange:
        break;
      case ir::AtomicOp::compare_exchange:
        value = old_value == compare ? operand : old_value;
        break;
    }
    poke(address, value, width);
    return {};
  }
  Fault load_uniform(const Thread&, std::uint32_t buffer, std::uint32_t offset, std::span<std::uint8_t> out) override {
    return cut(uniforms, buffer, offset, out);
  }
  Fault attribute(const Thread&, const ir::Call& call, std::uint32_t number, std::uint32_t vertex,
                  std::span<std::uint8_t> out) override {
    calls.push_back({call, number, vertex, {}, {}});
    return cut(attributes, number, 0, out);
  }
  Fault varying(const Thread&, const ir::Call& call, std::uint32_t number, std::span<std::uint8_t> out) override {
    calls.push_back({call, number, 0, {}, {}});
    return cut(varyings, number, 0, out);
  }
  Fault store_varying(const Thread&, const ir::Call& call, std::uint32_t number,
                      std::span<const std::uint8_t> data) override {
    calls.push_back({call, number, 0, {}, {data.begin(), data.end()}});
    return {};
  }
  Fault texture(const Thread&, const TextureRequest& request, std::array<std::uint32_t, 4>& out) override {
    texture_requests.push_back(request);
    out = texel;
    return {};
  }
  Fault load_image(const Thread&, const ir::Call& call, std::uint32_t image, std::array<std::int32_t, 3> at,
                   std::span<std::uint8_t> out) override {
    calls.push_back({call, image, 0, at, {}});
    return cut(images, image, 0, out);
  }
  Fault store_image(const Thread&, const ir::Call& call, std::uint32_t image, std::array<std::int32_t, 3> at,
                    std::span<const std::uint8_t> data) override {
    calls.push_back({call, image, 0, at, {data.begin(), data.end()}});
    return {};
  }
  Fault image_address(const Thread&, std::uint32_t image, std::array<std::int32_t, 3> at,
                      std::uint64_t& address) override {
    address = 0x1'0000'0000u * image + static_cast<std::uint64_t>(at[0] + 100 * at[1] + 10000 * at[2]);
    return {};
  }
  Fault fragment_out(const Thread&, std::array<std::uint32_t, 4> colour, std::uint32_t depth, std::uint32_t stencil,
                     std::uint32_t target, bool& retry) override {
    fragments.push_back({colour, depth, stencil, target});
    retry = retries != 0;
    if (retry) --retries;
    return {};
  }
  Fault tile_ready(const Thread&, bool& wait) override {
    wait = waits != 0;
    if (wait) --waits;
    return {};
  }
  Fault load_tile(const Thread&, const ir::Call& call, std::uint32_t target, std::uint32_t sample,
                  std::span<std::uint8_t> out) override {
    calls.push_back({call, target, sample, {}, {}});
    std::copy_n(tile.begin(), std::min(out.size(), tile.size()), out.begin());
    return {};
  }
  Fault store_tile(const Thread&, const ir::Call& call, std::uint32_t target, std::uint32_t sample,
                   std::span<const std::uint8_t> data) override {
    calls.push_back({call, target, sample, {}, {data.begin(), data.end()}});
    return {};
  }
  Fault load_special(const Thread&, const ir::Call& call, std::uint32_t selector,
                     std::span<std::uint8_t> out) override {
    calls.push_back({call, selector, 0, {}, {}});
    return cut(specials, selector, 0, out);
  }
  Fault store_special(const Thread&, const ir::Call& call, std::uint32_t selector,
                      std::span<const std::uint8_t> data) override {
    calls.push_back({call, selector, 0, {}, {data.begin(), data.end()}});
    return {};
  }

 private:
  static std::int64_t sign_extend(std::uint64_t value, unsigned width) {
    return static_cast<std::int64_t>(value << (64 - width)) >> (64 - width);
  }
  static Fault cut(const std::map<std::uint32_t, std::vector<std::uint8_t>>& all, std::uint32_t number,
                   std::uint32_t offset, std::span<std::uint8_t> out) {
    const auto found = all.find(number);
    if (found == all.end() || offset + out.size() > found->second.size()) return {"nothing there"};
    std::copy_n(found->second.begin() + offset, out.size(), out.begin());
    return {};
  }
};

/// The bytes of 32-bit words.
inline std::vector<std::uint8_t> bytes_of_words(const std::vector<std::uint32_t>& words) {
  std::vector<std::uint8_t> bytes;
  for (const std::uint32_t word : words)
    for (unsigned shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<std::uint8_t>(word >> shift));
  return bytes;
}
inline std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }

class LiftRun {
 public:
  explicit LiftRun(const Program& program, const Policies& policies = {}, std::uint32_t lanes = 1)
      : program_(lifted(program, policies)) {
    EXPECT_EQ(ir::verify(program_), std::vector<std::string>());
    interpreter_ = std::make_unique<Interpreter>(program_, environment, InterpreterOptions{.step_limit = 1000});
    std::vector<Thread> threads(lanes);
    for (std::uint32_t i = 0; i < lanes; ++i) threads[i].index = i;
    interpreter_->start(threads);
  }

  TestEnvironment environment;

  LiftRun& set(std::string_view slot, std::uint32_t value, std::uint32_t lane = 0) {
    interpreter_->write_u32(lane, byte(slot), value);
    return *this;
  }
  LiftRun& setf(std::string_view slot, float value, std::uint32_t lane = 0) { return set(slot, bits(value), lane); }
  /// All four components of a register such as "r3".
  LiftRun& set4(const std::string& name, std::array<std::uint32_t, 4> values) {
    for (unsigned i = 0; i < 4; ++i) set(name + "." + "xyzw"[i], values[i]);
    return *this;
  }
  LiftRun& set4f(const std::string& name, std::array<float, 4> values) {
    return set4(name, {bits(values[0]), bits(values[1]), bits(values[2]), bits(values[3])});
  }
  LiftRun& run() {
    interpreter_->run();
    return *this;
  }
  [[nodiscard]] std::uint32_t get(std::string_view slot, std::uint32_t lane = 0) const {
    return interpreter_->read_u32(lane, byte(slot));
  }
  [[nodiscard]] float getf(std::string_view slot, std::uint32_t lane = 0) const {
    return std::bit_cast<float>(get(slot, lane));
  }
  [[nodiscard]] std::array<std::uint32_t, 4> get4(const std::string& name) const {
    return {get(name + ".x"), get(name + ".y"), get(name + ".z"), get(name + ".w")};
  }
  [[nodiscard]] std::array<float, 4> get4f(const std::string& name) const {
    return {getf(name + ".x"), getf(name + ".y"), getf(name + ".z"), getf(name + ".w")};
  }
  /// Why the lane stopped; empty if it ended by itself.
  [[nodiscard]] std::string fault() const {
    return interpreter_->faults().empty() ? std::string() : interpreter_->faults().front().reason;
  }
  [[nodiscard]] LaneState state(std::uint32_t lane = 0) const { return interpreter_->state(lane); }
  [[nodiscard]] const ir::Program& program() const { return program_; }

 private:
  static ir::Program lifted(const Program& program, const Policies& policies) {
    Result<ir::Program> result = lift(program, policies);
    EXPECT_TRUE(result.has_value());
    return result ? std::move(*result) : ir::Program{};
  }
  [[nodiscard]] std::uint32_t byte(std::string_view slot) const {
    const ir::Slot* found = program_.find_slot(slot);
    EXPECT_NE(found, nullptr) << slot;
    return found == nullptr ? 0 : found->byte;
  }

  ir::Program program_;
  std::unique_ptr<Interpreter> interpreter_;
};

}  // namespace mobula::midgard
