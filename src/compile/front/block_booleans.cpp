#include "compile/front/block_booleans.h"

#include <glslang/Include/intermediate.h>
#include <glslang/MachineIndependent/localintermediate.h>

namespace mobula::compile {
namespace {

using glslang::TIntermTyped;

/// Whether it is a part of a block. An assignment's value is what was assigned, and has its numbers.
bool is_of_block(const TIntermTyped* node) {
  while (node->getBasicType() != glslang::EbtBlock) {
    const glslang::TIntermBinary* const both = node->getAsBinaryNode();
    if (both == nullptr) return false;
    switch (both->getOp()) {
      case glslang::EOpIndexDirect:
      case glslang::EOpIndexIndirect:
      case glslang::EOpIndexDirectStruct:
      case glslang::EOpVectorSwizzle:
        node = both->getLeft();
        break;
      case glslang::EOpAssign:
        node = both->getRight();
        break;
      default:
        return false;
    }
  }
  return true;
}

bool has_numbers_for_booleans(const TIntermTyped& node) {
  const glslang::TType& type = node.getType();
  return (type.isStruct() || type.isArray()) && type.getBasicType() != glslang::EbtBlock &&
         type.containsBasicType(glslang::EbtBool) && is_of_block(&node);
}

class Copier final : public glslang::TIntermTraverser {
 public:
  explicit Copier(glslang::TIntermediate& shader) : shader_(shader) {}

  bool visitBinary(glslang::TVisit, glslang::TIntermBinary* node) override {
    if (node->getOp() != glslang::EOpEqual && node->getOp() != glslang::EOpNotEqual) return true;
    node->setLeft(copied(node->getLeft()));
    node->setRight(copied(node->getRight()));
    return true;
  }
  bool visitSelection(glslang::TVisit, glslang::TIntermSelection* node) override {
    if (node->getBasicType() == glslang::EbtVoid) return true;
    node->setTrueBlock(copied(node->getTrueBlock()->getAsTyped()));
    node->setFalseBlock(copied(node->getFalseBlock()->getAsTyped()));
    return true;
  }
  bool visitAggregate(glslang::TVisit, glslang::TIntermAggregate* node) override {
    glslang::TIntermSequence& parts = node->getSequence();
    if (node->getOp() == glslang::EOpComma) parts.back() = copied(parts.back()->getAsTyped());
    if (node->isConstructor())
      for (TIntermNode*& part : parts) part = copied(part->getAsTyped());
    return true;
  }

 private:
  /// The value of a new variable, which it is assigned to.
  TIntermTyped* copied(TIntermTyped* value) {
    if (value == nullptr || !has_numbers_for_booleans(*value)) return value;
    glslang::TType type;
    type.shallowCopy(value->getType());
    type.getQualifier().makeTemporary();
    const auto number = first_number + copies_++;
    const auto mention = [&] { return new glslang::TIntermSymbol(number, "copy", type); };
    glslang::TIntermAggregate* const both = shader_.makeAggregate(
        shader_.addAssign(glslang::EOpAssign, mention(), value, value->getLoc()), value->getLoc());
    both->getSequence().push_back(mention());
    both->setOperator(glslang::EOpComma);
    both->setType(type);
    return both;
  }

  // The highest seven bits of glslang's own numbers are a level of scopes, the rest counts them.
  static constexpr long long first_number = 127LL << 56 | 1LL << 55;
  glslang::TIntermediate& shader_;
  long long copies_ = 0;
};

}  // namespace

void copy_booleans_of_blocks(glslang::TIntermediate& shader) {
  Copier copier(shader);
  shader.getTreeRoot()->traverse(&copier);
}

}  // namespace mobula::compile
