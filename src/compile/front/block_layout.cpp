#include "compile/front/block_layout.h"

#include <glslang/Include/intermediate.h>
#include <glslang/MachineIndependent/localintermediate.h>

namespace mobula::compile {
namespace {

void place_members(glslang::TIntermTyped& node) {
  if (node.getBasicType() != glslang::EbtBlock) return;
  glslang::TQualifier& how = node.getWritableType().getQualifier();
  if (how.layoutPacking == glslang::ElpShared || how.layoutPacking == glslang::ElpPacked)
    how.layoutPacking = glslang::ElpStd140;
}

/// A block is named as a whole, or as one of an array: each mention has a type of its own.
class Placer final : public glslang::TIntermTraverser {
 public:
  void visitSymbol(glslang::TIntermSymbol* symbol) override { place_members(*symbol); }
  bool visitBinary(glslang::TVisit, glslang::TIntermBinary* index) override {
    place_members(*index);
    return true;
  }
};

}  // namespace

void place_members_of_blocks(glslang::TIntermediate& shader) {
  Placer placer;
  shader.getTreeRoot()->traverse(&placer);
}

}  // namespace mobula::compile
