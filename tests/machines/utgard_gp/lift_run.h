// Lifts and runs programs of the geometry processor for tests.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "machines/utgard_gp/lift/lift.h"
#include "machines/utgard_gp/text/parse.h"
#include "machines/utgard_gp/text/print.h"
#include "mobula/lab/interpreter.h"

namespace mobula::utgard_gp {

using Bits4 = std::array<std::uint32_t, 4>;
inline Bits4 bits_of(float x, float y = 0, float z = 0, float w = 1) {
  return {std::bit_cast<std::uint32_t>(x), std::bit_cast<std::uint32_t>(y), std::bit_cast<std::uint32_t>(z),
          std::bit_cast<std::uint32_t>(w)};
}

/// One component that a program wrote to a varying.
struct Store {
  std::uint32_t varying = 0, component = 0;
  float value = 0;
  friend bool operator==(const Store& a, const Store& b) {
    const bool same = std::bit_cast<std::uint32_t>(a.value) == std::bit_cast<std::uint32_t>(b.value);
    return a.varying == b.varying && a.component == b.component &&
           (same || (std::isnan(a.value) && std::isnan(b.value)));
  }
};
inline std::ostream& operator<<(std::ostream& out, const Store& store) {
  return out << 'v' << store.varying << '.' << "xyzw"[store.component] << '=' << store.value;
}

/// Uniform memory and attributes of one vertex; keeps every component stored to a varying, in order.
class VertexEnvironment : public Environment {
 public:
  std::array<Bits4, 16> attributes{};
  std::array<Bits4, 513> memory{};
  std::vector<Store> stores;
  std::vector<std::uint32_t> attributes_read;

  Fault attribute(const Thread&, const ir::Call& call, std::uint32_t number, std::uint32_t,
                  std::span<std::uint8_t> out) override {
    EXPECT_EQ(call.type, ir::Type::f32);
    attributes_read.push_back(number);
    std::memcpy(out.data(), &attributes.at(number), out.size());
    return {};
  }
  Fault store_varying(const Thread&, const ir::Call& call, std::uint32_t number,
                      std::span<const std::uint8_t> data) override {
    EXPECT_EQ(data.size(), 4u * call.count);
    for (std::uint32_t i = 0; i < call.count; ++i) {
      float value = 0;
      std::memcpy(&value, data.data() + 4 * i, 4);
      stores.push_back({number, call.index + i, value});
    }
    return {};
  }
  Fault load_uniform(const Thread&, std::uint32_t, std::uint32_t offset, std::span<std::uint8_t> out) override {
    return load_memory({}, base + offset, out);
  }
  /// Reads outside uniform memory give 0, writes are lost.
  Fault load_memory(const Thread&, std::uint64_t address, std::span<std::uint8_t> out) override {
    std::memset(out.data(), 0, out.size());
    if (holds(address)) std::memcpy(out.data(), bytes() + (address - base), out.size());
    return {};
  }
  Fault store_memory(const Thread&, std::uint64_t address, std::span<const std::uint8_t> data) override {
    if (holds(address)) std::memcpy(bytes() + (address - base), data.data(), data.size());
    return {};
  }

  static constexpr std::uint64_t base = 0x123400000000;

 private:
  bool holds(std::uint64_t address) const { return address >= base && address < base + sizeof memory; }
  std::uint8_t* bytes() { return reinterpret_cast<std::uint8_t*>(memory.data()); }
};

/// One vertex through one program.
class VertexRun {
 public:
  explicit VertexRun(std::vector<std::uint8_t> code, const Policies& policies = {}, InterpreterOptions options = {})
      : options_(options) {
    Program program;
    program.code = std::move(code);
    auto result = lift(program, policies);
    EXPECT_TRUE(result.has_value()) << (result ? "" : render(result.error()));
    if (!result) return;
    lifted = std::move(*result);
    EXPECT_EQ(ir::verify(lifted), std::vector<std::string>());
  }

  ir::Program lifted;
  VertexEnvironment environment;
  std::map<std::string, std::uint32_t> slots;  ///< initial state beside uniform memory
  std::vector<LaneFault> faults;
  std::vector<UndefinedRead> undefined_reads;
  std::vector<std::uint64_t> executions;

  void run() {
    Interpreter interpreter(lifted, environment, options_);
    interpreter.start(std::vector<Thread>(1));
    for (const ir::Slot& slot : lifted.slots) preload(interpreter, slot);
    interpreter.run();
    faults = interpreter.faults();
    undefined_reads = interpreter.undefined_reads();
    executions = interpreter.executions();
  }
  /// The last value of each component of a varying; NaN where nothing was written.
  std::array<float, 4> varying(std::uint32_t number) const {
    std::array<float, 4> result{NAN, NAN, NAN, NAN};
    for (const Store& store : environment.stores)
      if (store.varying == number) result[store.component] = store.value;
    return result;
  }

 private:
  void preload(Interpreter& interpreter, const ir::Slot& slot) {
    unsigned vec4 = 0;
    char letter = 0;
    if (std::sscanf(slot.name.c_str(), "u[%u].%c", &vec4, &letter) == 2)
      interpreter.write_u32(0, slot.byte, environment.memory.at(vec4)[std::string_view("xyzw").find(letter)]);
    else if (slot.name == "MEMORY.x")
      interpreter.write_u32(0, slot.byte, static_cast<std::uint32_t>(VertexEnvironment::base));
    else if (slot.name == "MEMORY.y")
      interpreter.write_u32(0, slot.byte, static_cast<std::uint32_t>(VertexEnvironment::base >> 32));
    else if (const auto wanted = slots.find(slot.name); wanted != slots.end())
      interpreter.write_u32(0, slot.byte, wanted->second);
  }

  InterpreterOptions options_;
};

/// Machine code of a text in the machine's own syntax.
inline std::vector<std::uint8_t> assemble(std::string_view text) {
  const auto program = parse({"test", text}, "");
  EXPECT_TRUE(program.has_value()) << (program ? "" : render(program.error()));
  return program ? program->code : std::vector<std::uint8_t>();
}

}  // namespace mobula::utgard_gp
