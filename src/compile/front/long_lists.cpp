#include "compile/front/long_lists.h"

#include <glslang/Include/intermediate.h>
#include <glslang/MachineIndependent/localintermediate.h>

#include <algorithm>
#include <string>

namespace mobula::compile {
namespace {

constexpr std::size_t instruction_words = 0xFFFF;
constexpr std::size_t most_elements = instruction_words - 3;  // after the instruction itself, its type and its result
constexpr std::size_t most_cases = (instruction_words - 3) / 2;  // a number and a label each

/// Of the array and of those in it.
std::size_t longest_in(const glslang::TType& type) {
  std::size_t longest = 0;
  if (const auto* const sizes = type.getArraySizes())
    for (int i = 0; i < sizes->getNumDims(); ++i) longest = std::max<std::size_t>(longest, sizes->getDimSize(i));
  if (type.isStruct())
    for (const glslang::TTypeLoc& member : *type.getStruct()) longest = std::max(longest, longest_in(*member.type));
  return longest;
}

class Finder final : public glslang::TIntermTraverser {
 public:
  [[nodiscard]] const std::optional<Diagnostic>& found() const { return found_; }

  void visitSymbol(glslang::TIntermSymbol* symbol) override {
    if (!symbol->getConstArray().empty()) expect_short(*symbol, longest_in(symbol->getType()));
  }
  void visitConstantUnion(glslang::TIntermConstantUnion* constant) override {
    expect_short(*constant, longest_in(constant->getType()));
  }
  bool visitAggregate(glslang::TVisit, glslang::TIntermAggregate* node) override {
    if (node->isConstructor()) expect_short(*node, node->getSequence().size());
    return true;
  }
  bool visitSwitch(glslang::TVisit, glslang::TIntermSwitch* node) override {
    const auto is_case = [](TIntermNode* each) {
      const glslang::TIntermBranch* const branch = each->getAsBranchNode();
      return branch != nullptr && branch->getFlowOp() == glslang::EOpCase;
    };
    const auto cases = std::ranges::count_if(node->getBody()->getSequence(), is_case);
    if (static_cast<std::size_t>(cases) > most_cases)
      refuse(*node, "a switch of more than " + std::to_string(most_cases) + " cases is not supported");
    return true;
  }

 private:
  void expect_short(const TIntermNode& node, std::size_t elements) {
    if (elements > most_elements)
      refuse(node, "a list of more than " + std::to_string(most_elements) + " values is not supported");
  }
  void refuse(const TIntermNode& node, std::string message) {
    if (found_) return;
    const glslang::TSourceLoc& where = node.getLoc();
    found_ = Diagnostic{Severity::error, "CO020", {}, std::move(message), "read them from a buffer or a texture"};
    found_->where.file = where.getFilenameStr();
    found_->where.line = static_cast<std::uint32_t>(std::max(where.line, 0));
  }

  std::optional<Diagnostic> found_;
};

}  // namespace

std::optional<Diagnostic> refuse_long_lists(glslang::TIntermediate& shader) {
  Finder finder;
  shader.getTreeRoot()->traverse(&finder);
  return finder.found();
}

}  // namespace mobula::compile
