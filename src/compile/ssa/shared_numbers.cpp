#include "compile/ssa/shared_numbers.h"

#include <map>

namespace mobula::ssa {
namespace {

using compile::SpirvWords;
using Kind = SpirvType::Kind;

/// What a pointer into shared memory leads to.
struct Part {
  Id variable = 0, type = 0;
  bool is_number = false;  ///< of a vector
};

/// The operand that points to what an instruction writes; 0 if it writes nothing.
std::size_t written_operand(spv::Op op) {
  if (op == spv::Op::OpStore || op == spv::Op::OpAtomicStore) return 1;
  return op > spv::Op::OpAtomicStore && op <= spv::Op::OpAtomicXor ? 3 : 0;
}

Part step(const SpirvModule& module, Part part, Id index) {
  const SpirvType& type = module.type(part.type);
  part.is_number = type.kind == Kind::vector;
  const std::size_t member = module.constant(index).value_or(0);
  part.type = type.kind != Kind::structure ? type.element : member < type.members.size() ? type.members[member] : 0;
  return part;
}

}  // namespace

std::set<Id> shared_by_numbers(const SpirvModule& module) {
  std::set<Id> found;
  std::map<Id, Part> parts;
  compile::for_each_instruction(module.words(), [&](SpirvWords each) {
    const spv::Op op = each.op();
    if (op == spv::Op::OpVariable && static_cast<spv::StorageClass>(each[3]) == spv::StorageClass::Workgroup) {
      parts[each[2]] = {each[2], module.type(each[1]).element};
    } else if (op == spv::Op::OpAccessChain || op == spv::Op::OpInBoundsAccessChain) {
      const auto base = parts.find(each[3]);
      if (base == parts.end()) return;
      Part part = base->second;
      for (std::size_t i = 4; i < each.size(); ++i) part = step(module, part, each[i]);
      parts[each[2]] = part;
    } else if (const std::size_t pointer = written_operand(op); pointer != 0) {
      const auto part = parts.find(each[pointer]);
      if (part != parts.end() && part->second.is_number) found.insert(part->second.variable);
    }
  });
  return found;
}

}  // namespace mobula::ssa
