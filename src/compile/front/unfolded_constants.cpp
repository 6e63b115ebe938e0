#include "compile/front/unfolded_constants.h"

#include <glslang/Include/intermediate.h>
#include <glslang/MachineIndependent/localintermediate.h>

#include <algorithm>
#include <vector>

#include "compile/front/tokens.h"

namespace mobula::compile {
namespace {

using Names = std::set<std::string, std::less<>>;

/// Looks at each initialisation of a constant, in the order of the text, and at what is written to.
class ConstantChecker final : public glslang::TIntermTraverser {
 public:
  /// In GLSL ES all that begins a variable of the whole file is constant.
  ConstantChecker(const Names& variables, bool is_es) : variables_(variables), is_es_(is_es) {}

  [[nodiscard]] bool are_constant() const { return are_constant_; }

  bool visitBinary(glslang::TVisit, glslang::TIntermBinary* assignment) override {
    const glslang::TIntermSymbol* name = assignment->getLeft()->getAsSymbolNode();
    const bool begins = assignment->getOp() == glslang::EOpAssign && name != nullptr;
    const bool begins_local = begins && name->getQualifier().storage == glslang::EvqConstReadOnly;
    const bool begins_global = begins && name->getQualifier().storage == glslang::EvqGlobal && depth <= 2;
    if (!begins_local && !(begins_global && (is_es_ || is_constant_variable(*name)))) {
      if (assignment->modifiesState()) forbid(assignment->getLeft());
      return true;
    }
    are_constant_ = are_constant_ && is_constant(assignment->getRight());
    if (begins_local || is_constant_variable(*name)) known_.insert(name->getId());
    return false;
  }
  bool visitUnary(glslang::TVisit, glslang::TIntermUnary* unary) override {
    if (unary->modifiesState()) forbid(unary->getOperand());
    return true;
  }
  /// Of a call the parameters tell; functions of the language that write to several places are few.
  bool visitAggregate(glslang::TVisit, glslang::TIntermAggregate* call) override {
    const auto& arguments = call->getSequence();
    for (std::size_t i = 0; i < arguments.size(); ++i)
      if (writes_to(*call, i)) forbid(arguments[i]);
    return true;
  }

 private:
  static bool writes_to(const glslang::TIntermAggregate& call, std::size_t argument) {
    switch (call.getOp()) {
      case glslang::EOpFunctionCall: {
        const auto& parameters = call.getQualifierList();
        return argument < parameters.size() &&
               (parameters[argument] == glslang::EvqOut || parameters[argument] == glslang::EvqInOut);
      }
      case glslang::EOpModf:
      case glslang::EOpFrexp:
        return argument == 1;
      case glslang::EOpAddCarry:
      case glslang::EOpSubBorrow:
      case glslang::EOpUMulExtended:
      case glslang::EOpIMulExtended:
        return argument >= 2;
      default:
        return false;
    }
  }
  [[nodiscard]] bool is_constant_variable(const glslang::TIntermSymbol& symbol) const {
    return symbol.getQualifier().storage == glslang::EvqGlobal && variables_.contains(symbol.getName().c_str());
  }
  void forbid(TIntermNode* place) {
    while (auto* part = place->getAsBinaryNode()) place = part->getLeft();
    if (const auto* symbol = place->getAsSymbolNode(); symbol != nullptr && is_constant_variable(*symbol))
      are_constant_ = false;
  }

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

  const Names& variables_;
  bool is_es_;
  std::set<long long> known_;
  bool are_constant_ = true;
};

constexpr std::string_view no_constant = "'=': global const initializers must be constant";
constexpr std::string_view no_constant_begins = "'non-constant global initializer";

/// Declarations at file scope, one after the other: where `const` stands in them, and what gets a value.
class Declarations {
 public:
  explicit Declarations(std::string_view text) : text_(text), tokens_(text) {}

  struct Declaration {
    std::uint32_t first_line = 0, last_line = 0;
    std::vector<std::size_t> constant_at;  ///< the word `const`
    std::vector<std::string_view> names;
  };

  /// False at the end.
  bool next(Declaration& found) {
    found = {};
    std::string_view before, name;
    for (std::string_view token = tokens_.next(); !token.empty(); token = tokens_.next()) {
      if (token == "#" && tokens_.begins_line()) {
        skip_directive(token);
        continue;
      }
      if (found.first_line == 0) found.first_line = line_of(token);
      const bool is_body = token == "{" && before == ")" && depth_ == 0;
      if (token == "(" || token == "[" || token == "{") ++depth_;
      if ((token == ")" || token == "]" || token == "}") && depth_ > 0) --depth_;
      in_body_ = in_body_ || is_body;
      if (depth_ == 0 && (token == ";" || (token == "}" && in_body_))) {
        found.last_line = line_of(token);
        in_body_ = false;
        return true;
      }
      if (depth_ == 0 && token == "const") found.constant_at.push_back(offset(token));
      if (depth_ == 0 && token == "=" && before != "=") found.names.push_back(name);
      if (depth_ == 0 && is_word(token.front())) name = token;
      before = token;
    }
    return false;
  }

 private:
  [[nodiscard]] std::size_t offset(std::string_view token) const {
    return static_cast<std::size_t>(token.data() - text_.data());
  }
  /// Tokens are asked for in their order.
  std::uint32_t line_of(std::string_view token) {
    const std::size_t at = offset(token);
    line_ += static_cast<std::uint32_t>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(counted_),
                                                   text_.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    counted_ = at;
    return line_;
  }
  void skip_directive(std::string_view hash) {
    std::size_t end = text_.find('\n', offset(hash));
    while (end != text_.npos && (text_[end - 1] == '\\' || text_.substr(end - 2, 2) == "\\\r"))
      end = text_.find('\n', end + 1);
    tokens_ = Tokens(text_.substr(std::min(end, text_.size())));
  }

  std::string_view text_;
  Tokens tokens_;
  std::uint32_t line_ = 1;
  std::size_t counted_ = 0, depth_ = 0;
  bool in_body_ = false;
};

}  // namespace

bool are_unfolded_constants(const Diagnostics& errors, glslang::TIntermediate& shader, const Names& variables) {
  const bool no_others = std::ranges::all_of(errors, [](const Diagnostic& each) {
    return each.severity != Severity::error || each.message.starts_with("'non-constant initializer'");
  });
  if (!no_others || shader.getTreeRoot() == nullptr) return false;
  ConstantChecker checker(variables, shader.getProfile() == EEsProfile);
  shader.getTreeRoot()->traverse(&checker);
  return checker.are_constant();
}

std::optional<WithVariables> with_variables_for_constants(const Diagnostics& errors, std::string_view file,
                                                          std::string_view text) {
  std::set<std::uint32_t> lines;
  bool has_any = false;
  for (const Diagnostic& each : errors) {
    const bool is_constant = each.message.starts_with(no_constant);
    has_any = has_any || is_constant || each.message.starts_with(no_constant_begins);
    if (is_constant && each.where.file == file) lines.insert(each.where.line);
  }
  if (!has_any) return {};
  WithVariables made{std::string(text), {}};
  Declarations declarations(text);
  for (Declarations::Declaration each; !lines.empty() && declarations.next(each);) {
    const auto line = lines.lower_bound(each.first_line);
    if (line == lines.end() || *line > each.last_line) continue;
    constexpr std::string_view word = "const";
    for (const std::size_t at : each.constant_at) made.text.replace(at, word.size(), word.size(), ' ');
    if (!each.constant_at.empty()) made.names.insert(each.names.begin(), each.names.end());
  }
  return made;
}

}  // namespace mobula::compile
