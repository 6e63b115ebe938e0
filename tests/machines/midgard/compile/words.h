// Machine code taken apart, for tests of what it is made of.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <concepts>
#include <vector>

#include "compile/attempt.h"
#include "machines/midgard/spec/codec.h"

namespace mobula::test {

/// Compiled, without findings, and verified.
inline Attempt verified(std::string_view glsl, Stage stage = Stage::fragment, const std::string& product = "t860") {
  Attempt made = attempt(glsl, stage, {"midgard", product});
  EXPECT_TRUE(made.is_verified()) << name(made.end) << ": " << made.code << ' ' << made.why;
  return made;
}

/// The words of a program, and what is asked of them.
class Words {
 public:
  explicit Words(const Program& program) : bundles_(midgard::decode_program(program.code)) {}
  explicit Words(const Attempt& made) : Words(made.program) {}

  [[nodiscard]] const std::vector<midgard::Bundle>& all() const { return bundles_; }

  /// How many operations of arithmetic `holds`.
  template <std::predicate<const midgard::AluInstruction&> Holds>
  [[nodiscard]] std::size_t count(Holds holds) const {
    std::size_t found = 0;
    for (const midgard::Bundle& bundle : bundles_)
      for (const midgard::AluInstruction& each : bundle.alu_instructions()) found += holds(each) ? 1 : 0;
    return found;
  }
  [[nodiscard]] std::size_t count(std::string_view operation) const {
    return count([&](const midgard::AluInstruction& each) { return is(each, operation); });
  }
  /// How many load/store operations are of this name.
  [[nodiscard]] std::size_t count_memory(std::string_view operation) const {
    std::size_t found = 0;
    for (const midgard::Bundle& bundle : bundles_) {
      if (bundle.form != midgard::Bundle::Form::load_store) continue;
      for (const Field* field : {&midgard::ldst::first, &midgard::ldst::second}) {
        const auto opcode = get(get(bundle.word, *field), midgard::ls::op);
        for (const midgard::LsOp& row : midgard::ls_ops) found += row.opcode == opcode && row.name == operation ? 1 : 0;
      }
    }
    return found;
  }
  [[nodiscard]] std::vector<midgard::Branch> branches(midgard::BranchMeaning op) const {
    std::vector<midgard::Branch> found;
    for (const midgard::Bundle& bundle : bundles_)
      for (const midgard::Branch& each : midgard::branches(bundle))
        if (each.op == op) found.push_back(each);
    return found;
  }

  [[nodiscard]] static bool is(const midgard::AluInstruction& each, std::string_view operation) {
    const midgard::AluOp* const row = midgard::find_alu_op(midgard::opcode_of(each));
    return row != nullptr && row->name == operation;
  }
  [[nodiscard]] static unsigned outmod(const midgard::AluInstruction& each) {
    return static_cast<unsigned>(midgard::info(each.unit).vector ? get(each.word, midgard::vec::outmod)
                                                                 : get(each.word, midgard::scalar::outmod));
  }
  [[nodiscard]] static unsigned destination(const midgard::AluInstruction& each) {
    return static_cast<unsigned>(get(each.registers, midgard::reg::dst));
  }

 private:
  std::vector<midgard::Bundle> bundles_;
};

}  // namespace mobula::test
