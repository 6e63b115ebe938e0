#include "compile/front/es_rules.h"

#include <glslang/Include/intermediate.h>
#include <glslang/MachineIndependent/localintermediate.h>

#include <algorithm>
#include <array>

#include "compile/front/tokens.h"

namespace mobula::compile {
namespace {

class Checker final : public glslang::TIntermTraverser {
 public:
  explicit Checker(std::string_view file) : file_(file) {}

  [[nodiscard]] const std::string& log() const { return log_; }

  void complain(const std::string& place, std::string_view word, std::string_view what) {
    log_.append("ERROR: ").append(place).append(": '").append(word).append("' : ").append(what).append("\n");
  }
  void complain(std::size_t line, std::string_view word, std::string_view what) {
    complain(std::string(file_) + ':' + std::to_string(line), word, what);
  }

  bool visitSwitch(glslang::TVisit, glslang::TIntermSwitch* node) override {
    const glslang::TBasicType type = node->getCondition()->getAsTyped()->getBasicType();
    for (TIntermNode* const each : node->getBody()->getSequence()) {
      const glslang::TIntermBranch* const label = each->getAsBranchNode();
      if (label == nullptr || label->getFlowOp() != glslang::EOpCase) continue;
      if (label->getExpression()->getBasicType() != type)
        complain(place_of(*each), "case", "the label is of another type than what the switch looks at");
    }
    return true;
  }
  void visitSymbol(glslang::TIntermSymbol* symbol) override {
    const glslang::TQualifier& how = symbol->getQualifier();
    if (!in_declarations_ || how.storage != glslang::EvqUniform) return;
    const std::string_view name = symbol->getName();
    if (how.isInterpolation() || how.centroid)
      complain(place_of(*symbol), name, "only inputs and outputs are interpolated, and this is a uniform");
  }
  bool visitAggregate(glslang::TVisit, glslang::TIntermAggregate* node) override {
    if (node->getOp() == glslang::EOpLinkerObjects) in_declarations_ = true;
    return true;
  }

 private:
  [[nodiscard]] std::string place_of(const TIntermNode& node) const {
    return node.getLoc().getStringNameOrNum(false) + ':' + std::to_string(node.getLoc().line);
  }

  std::string_view file_;
  std::string log_;
  bool in_declarations_ = false;  ///< they are the last of the tree
};

/// Whether a declaration begins with this word; names of structures aside.
bool begins_declaration(std::string_view token) {
  constexpr std::array<std::string_view, 13> words{"const", "highp", "mediump", "lowp", "struct", "float",    "int",
                                                   "uint",  "bool",  "mat2",    "mat3", "mat4",   "precision"};
  if (std::ranges::find(words, token) != words.end()) return true;
  const std::size_t vec = token.find("vec");
  return token.size() == vec + 4 && vec <= 1 && token.back() >= '2' && token.back() <= '4';
}

/// Declarations without a value leave nothing in glslang's tree.
void find_early_declarations(std::string_view text, Checker& checker) {
  Tokens tokens(text);
  std::size_t depth = 0;
  bool after_switch = false;
  for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next()) {
    if (token == "switch") {
      after_switch = true;
      depth = 0;
    } else if (after_switch && token == "(") {
      ++depth;
    } else if (after_switch && token == ")") {
      depth -= depth == 0 ? 0 : 1;
    } else if (after_switch && depth == 0) {
      after_switch = false;
      if (token != "{") continue;
      token = tokens.next();
      if (token.empty()) return;
      const auto lines = std::ranges::count(text.substr(0, static_cast<std::size_t>(token.data() - text.data())), '\n');
      if (begins_declaration(token))
        checker.complain(static_cast<std::size_t>(lines) + 1, token, "nothing may stand in front of the first label");
      after_switch = token == "switch";
    }
  }
}

}  // namespace

std::string broken_es_rules(glslang::TIntermediate& shader, std::string_view file, std::string_view text) {
  if (shader.getProfile() != EEsProfile || shader.getTreeRoot() == nullptr) return {};
  Checker checker(file);
  find_early_declarations(text, checker);
  shader.getTreeRoot()->traverse(&checker);
  const bool has_size = shader.isLocalSizeSet() || shader.isLocalSizeSpecialized();
  if (shader.getStage() == EShLangCompute && !has_size)
    checker.complain(1, "layout", "a compute shader says how large its workgroups are: layout(local_size_x = 8) in;");
  return checker.log();
}

}  // namespace mobula::compile
