// What the lifters of one bundle share: where it stands, what it may rest on, and where its operations go.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ir/builder.h"
#include "machines/midgard/lift/policies.h"
#include "machines/midgard/spec/codec.h"
#include "machines/midgard/spec/spec.h"
#include "mobula/isa/program.h"

namespace mobula::midgard {

struct BundleContext {
  ir::Builder& builder;
  const Bundle& bundle;
  const Product& product;
  const Settings& settings;
  const Interface& interface;

  [[nodiscard]] std::uint64_t address() const { return std::uint64_t{bundle.position} * quadword_bytes; }
  [[nodiscard]] std::uint64_t next_address() const {
    return address() + std::uint64_t{bundle.quadword_count} * quadword_bytes;
  }
  /// r31.xy as a source.
  [[nodiscard]] std::uint64_t program_counter() const {
    return settings.is(PolicyId::pc_value, "this") ? address() : next_address();
  }
  void unknown(std::string text) const { builder.note(Status::unknown, std::move(text)); }
  void inferred(std::string text) const { builder.note(Status::inferred, std::move(text)); }
};

/// Reason of a trap: fault name of the hardware (1.6) and what is wrong.
inline std::string invalid_encoding(const std::string& what) { return "INSTR_INVALID_ENC: " + what; }
inline std::string operand_fault(const std::string& what) { return "INSTR_OPERAND_FAULT: " + what; }

constexpr ir::Type integer_type(unsigned bits) {
  return bits == 8 ? ir::Type::i8 : bits == 16 ? ir::Type::i16 : bits == 32 ? ir::Type::i32 : ir::Type::i64;
}
/// There are no 8-bit floats.
constexpr ir::Type float_type(unsigned bits) {
  return bits == 16 ? ir::Type::f16 : bits == 32 ? ir::Type::f32 : ir::Type::f64;
}

}  // namespace mobula::midgard
