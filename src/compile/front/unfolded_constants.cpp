#include "compile/front/unfolded_constants.h"

#include <glslang/Include/intermediate.h>
#include <glslang/MachineIndependent/localintermediate.h>

#include <algorithm>
#include <set>

namespace mobula::compile {
namespace {

/// Looks at each initialisation of a constant, in the order of the text.
class ConstantChecker final : public glslang::TIntermTraverser {
 public:
  [[nodiscard]] bool are_constant() const { return are_constant_; }

  bool visitBinary(glslang::TVisit, glslang::TIntermBinary* assignment) override {
    const glslang::TIntermSymbol* name = assignment->getLeft()->getAsSymbolNode();
    const bool begins_constant = assignment->getOp() == glslang::EOpAssign && name != nullptr &&
                                 name->getQualifier().storage == glslang::EvqConstReadOnly;
    if (!begins_constant) return true;
    if (is_constant(assignment->getRight()))
      known_.insert(name->getId());
    else
      are_constant_ = false;
    return false;
  }

 private:
  bool is_constant(TIntermNode* node) const {
    if (node->getAsConstantUnion() != nullptr) return true;
    // Parameters that are `const` look the same, and are none.
    if (const auto* symbol = node->getAsSymbolNode()) return known_.contains(symbol->getId());
    if (auto* unary = node->getAsUnaryNode()) return is_constant(unary->getOperand());
    if (auto* binary = node->getAsBinaryNode())
      return is_constant(binary->getLeft()) && is_constant(binary->getRight());
    if (auto* choice = node->getAsSelectionNode())
      return is_constant(choice->getCondition()) && is_constant(choice->getTrueBlock()) &&
             is_constant(choice->getFalseBlock());
    auto* call = node->getAsAggregate();
    if (call == nullptr || call->getOp() == glslang::EOpFunctionCall) return false;
    return std::ranges::all_of(call->getSequence(), [&](TIntermNode* each) { return is_constant(each); });
  }

  std::set<long long> known_;
  bool are_constant_ = true;
};

}  // namespace

bool are_unfolded_constants(const Diagnostics& errors, glslang::TIntermediate& shader) {
  const bool no_others = std::ranges::all_of(errors, [](const Diagnostic& each) {
    return each.severity != Severity::error || each.message.starts_with("'non-constant initializer'");
  });
  if (!no_others || !has_errors(errors) || shader.getTreeRoot() == nullptr) return false;
  ConstantChecker checker;
  shader.getTreeRoot()->traverse(&checker);
  return checker.are_constant();
}

}  // namespace mobula::compile
