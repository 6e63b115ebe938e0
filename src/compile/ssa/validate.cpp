#include "compile/ssa/validate.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "compile/ssa/dominators.h"
#include "compile/ssa/print.h"

namespace mobula::ssa {
namespace {

class Validator {
 public:
  explicit Validator(const Program& program)
      : program_(program), made_in_(program.values.size(), none), made_at_(program.values.size(), 0) {}

  std::vector<std::string> run() {
    if (program_.blocks.empty()) return {"there is no block"};
    for (std::uint32_t i = 0; i < program_.blocks.size(); ++i) collect(i);
    check_edges();
    if (!found_.empty()) return std::move(found_);
    tree_.emplace(program_);
    for (std::uint32_t i = 0; i < program_.blocks.size(); ++i) check_block(i);
    return std::move(found_);
  }

 private:
  void complain(const Instruction& each, std::string_view what) {
    found_.push_back(print(program_, each) + ": " + std::string(what));
  }

  void collect(std::uint32_t block) {
    std::uint32_t at = 0;
    for (const Instruction& each : program_.blocks[block].instructions) {
      ++at;
      if (each.result == none) continue;
      if (each.result >= made_in_.size()) return complain(each, "its value has no type");
      if (made_in_[each.result] != none) complain(each, "its value is made twice");
      if (!(program_.values[each.result] == each.type)) complain(each, "its value is known with another type");
      made_in_[each.result] = block;
      made_at_[each.result] = at;
    }
  }

  void check_edges() {
    std::vector<std::vector<std::uint32_t>> from(program_.blocks.size());
    for (std::uint32_t i = 0; i < program_.blocks.size(); ++i) {
      const End& end = program_.blocks[i].end;
      const unsigned count = end.kind == End::Kind::jump ? 1 : end.kind == End::Kind::branch ? 2 : 0;
      for (unsigned k = 0; k < count; ++k) {
        if (end.targets[k] >= program_.blocks.size()) {
          found_.push_back("block " + std::to_string(i) + " leads nowhere");
          return;
        }
        from[end.targets[k]].push_back(i);
      }
      if (count == 2 && end.targets[0] == end.targets[1])
        found_.push_back("block " + std::to_string(i) + " branches to one block");
    }
    for (std::uint32_t i = 0; i < program_.blocks.size(); ++i) {
      std::vector<std::uint32_t> known = program_.blocks[i].predecessors;
      std::ranges::sort(known);
      if (known != from[i]) found_.push_back("block " + std::to_string(i) + " has other predecessors than it says");
    }
  }

  /// Whether the value is there at the end of `block`, or in front of its instruction `at`.
  [[nodiscard]] bool is_there(Value value, std::uint32_t block, std::uint32_t at) const {
    if (value >= made_in_.size() || made_in_[value] == none) return false;
    if (made_in_[value] == block) return made_at_[value] < at;
    return tree_->dominates(made_in_[value], block);
  }

  void check_block(std::uint32_t block) {
    const Block& here = program_.blocks[block];
    std::uint32_t at = 0;
    bool phis = true;
    for (const Instruction& each : here.instructions) {
      ++at;
      if (each.op == Op::phi) {
        if (!phis) complain(each, "phis are the first of their block");
        check_phi(here, each);
        continue;
      }
      phis = false;
      bool there = true;
      for (const Value operand : each.operands) there = there && is_there(operand, block, at);
      if (!there)
        complain(each, "an operand has not been made here");
      else
        check_types(each);
    }
    if (here.end.kind == End::Kind::branch) check_condition(block, at + 1);
  }
  void check_condition(std::uint32_t block, std::uint32_t at) {
    const Value condition = program_.blocks[block].end.condition;
    if (!is_there(condition, block, at) || !type_of(condition).same_numbers({Base::boolean, 1}))
      found_.push_back("block " + std::to_string(block) + " branches by something other than a boolean");
  }
  void check_phi(const Block& here, const Instruction& phi) {
    if (phi.operands.size() != here.predecessors.size())
      return complain(phi, "it does not have one operand for each predecessor");
    for (std::size_t i = 0; i < phi.operands.size(); ++i) {
      if (!is_there(phi.operands[i], here.predecessors[i], none))
        return complain(phi, "an operand has not been made on its way");
      if (!type_of(phi.operands[i]).same_numbers(phi.type)) complain(phi, "an operand is of another type");
    }
  }

  [[nodiscard]] const Type& type_of(Value value) const { return program_.values[value]; }

  void check_types(const Instruction& each) {
    if (each.type.base != Base::none && (each.type.components < 1 || each.type.components > 4))
      return complain(each, "a value has one to four components");
    if (const std::string_view rule = signature(each.op); !rule.empty()) return check_signature(each, rule);
    switch (each.op) {
      case Op::compose:
        return check_compose(each);
      case Op::swizzle:
        return check_swizzle(each);
      case Op::load:
      case Op::store:
        if (each.variable >= program_.variables.size() ||
            each.data[0] >= program_.variables[each.variable].slots.size())
          complain(each, "there is no such slot");
        return;
      case Op::texture:
      case Op::image_load:
      case Op::image_store:
      case Op::image_atomic:
        if (each.data[0] >= program_.accesses.size()) complain(each, "there is no such access");
        return;
      default:
        return;
    }
  }
  void check_signature(const Instruction& each, std::string_view rule) {
    const std::string_view wanted = rule.substr(2);
    if (each.operands.size() != wanted.size()) return complain(each, "it has another number of operands");
    // What all lower-case letters share; a scalar result takes the first operand's.
    const std::uint8_t shared = std::isupper(static_cast<unsigned char>(rule[0])) != 0
                                    ? type_of(each.operands[0]).components
                                    : each.type.components;
    if (!fits(rule[0], each.type, each.type, shared)) complain(each, "its result is of another type");
    for (std::size_t i = 0; i < wanted.size(); ++i)
      if (!fits(wanted[i], type_of(each.operands[i]), each.type, shared))
        complain(each, "an operand is of another type");
  }
  static bool fits(char letter, const Type& type, const Type& result, std::uint8_t shared) {
    const bool scalar = std::isupper(static_cast<unsigned char>(letter)) != 0;
    if (type.components != (scalar ? 1 : shared)) return false;
    switch (std::tolower(static_cast<unsigned char>(letter))) {
      case 'f':
        return type.base == Base::real;
      case 'i':
        return type.base == Base::integer;
      case 'b':
        return type.base == Base::boolean;
      default:
        return type.base == result.base;
    }
  }
  void check_compose(const Instruction& each) {
    unsigned components = 0;
    for (const Value operand : each.operands) {
      components += type_of(operand).components;
      if (type_of(operand).base != each.type.base) complain(each, "an operand is of another type");
    }
    if (components != each.type.components) complain(each, "its operands have another number of components");
  }
  void check_swizzle(const Instruction& each) {
    if (each.operands.size() != 1) return complain(each, "it has one operand");
    const Type& from = type_of(each.operands[0]);
    if (from.base != each.type.base) complain(each, "an operand is of another type");
    for (unsigned i = 0; i < each.type.components; ++i)
      if (each.data[i] >= from.components) complain(each, "there is no such component");
  }

  const Program& program_;
  std::vector<std::uint32_t> made_in_, made_at_;
  std::optional<DominatorTree> tree_;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> faults(const Program& program) { return Validator(program).run(); }

}  // namespace mobula::ssa
