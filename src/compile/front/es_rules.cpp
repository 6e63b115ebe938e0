#include "compile/front/es_rules.h"

#include <glslang/Include/intermediate.h>
#include <glslang/MachineIndependent/localintermediate.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <vector>

#include "compile/front/limits.h"
#include "compile/front/parsing.h"
#include "compile/front/shared_names.h"
#include "compile/front/tokens.h"

namespace mobula::compile {
namespace {

using glslang::TIntermAggregate;
using glslang::TIntermTyped;
using glslang::TQualifier;
using glslang::TType;

/// What a variable or member belongs to: `a` of `a.b[1].c`.
const TIntermTyped& base_of(const TIntermTyped& place) {
  const TIntermTyped* base = &place;
  while (const auto* part = base->getAsBinaryNode()) base = part->getLeft();
  return *base;
}
/// Whether no part of a place may be read. Writing to one part of it is no reading.
bool is_write_only(const TIntermTyped& place) {
  for (const TIntermTyped* part = &place; part != nullptr;) {
    if (part->getQualifier().isWriteOnly() && !part->getType().isImage()) return true;
    const auto* const index = part->getAsBinaryNode();
    part = index == nullptr ? nullptr : index->getLeft();
  }
  return false;
}

/// What the text calls a variable: a block whose instance has no name, by its own.
std::string_view name_of(const glslang::TIntermSymbol& symbol) {
  const bool has_name = symbol.getBasicType() != glslang::EbtBlock || !glslang::IsAnonymous(symbol.getName());
  return has_name ? symbol.getName() : symbol.getType().getTypeName();
}

/// Whether it is an array of a buffer whose size is that of the buffer.
bool has_no_size(const TIntermTyped& place) {
  return place.getType().isUnsizedArray() && place.getQualifier().storage == glslang::EvqBuffer;
}

/// GL_MAX_UNIFORM_BUFFER_BINDINGS of OpenGL ES 3.2; what any of these machines' drivers has for storage is less.
constexpr int most_blocks = 72;

class Checker final : public glslang::TIntermTraverser {
 public:
  Checker(std::string_view file, std::string_view text, const glslang::TIntermediate& shader)
      : file_(file),
        text_(text),
        stage_(shader.getStage()),
        version_(shader.getVersion()),
        extensions_(shader.getRequestedExtensions()) {}

  [[nodiscard]] const std::string& log() const { return log_; }

  /// What only all declarations show.
  void finish() {
    if (colours_ <= 1 || version_ < 300) return;
    for (const std::string_view name : unplaced_colours_)
      complain_of(name, "of several colours each says which it is: layout(location = 0)");
  }

  void complain(const std::string& place, std::string_view word, std::string_view what) {
    log_.append("ERROR: ").append(place).append(": '").append(word).append("' : ").append(what).append("\n");
  }
  void complain(std::size_t line, std::string_view word, std::string_view what) {
    complain(std::string(file_) + ':' + std::to_string(line), word, what);
  }
  void complain(const glslang::TSourceLoc& where, std::string_view word, std::string_view what) {
    const std::string column = where.column > 0 ? before_column + std::to_string(where.column) : "";
    complain(where.getStringNameOrNum(false) + column + ':' + std::to_string(where.line), word, what);
  }
  void complain(const TIntermNode& node, std::string_view word, std::string_view what) {
    complain(node.getLoc(), word, what);
  }

  bool visitSwitch(glslang::TVisit, glslang::TIntermSwitch* node) override {
    check_read(*node->getCondition()->getAsTyped());
    const glslang::TBasicType type = node->getCondition()->getAsTyped()->getBasicType();
    for (TIntermNode* const each : node->getBody()->getSequence()) {
      const glslang::TIntermBranch* const label = each->getAsBranchNode();
      if (label == nullptr || label->getFlowOp() != glslang::EOpCase) continue;
      if (label->getExpression()->getBasicType() != type)
        complain(*each, "case", "the label's type is not that of the switch expression");
    }
    return true;
  }
  void visitSymbol(glslang::TIntermSymbol* symbol) override {
    const TQualifier& how = symbol->getQualifier();
    const std::string_view name = name_of(*symbol);
    if (in_declarations_) check_declaration(*symbol, name);
    const bool may_have = symbol->getType().isImage() || how.storage == glslang::EvqBuffer;
    const bool has_members_told = symbol->getBasicType() == glslang::EbtBlock && how.storage == glslang::EvqUniform;
    if (how.isMemory() && !may_have && !has_members_told && (in_declarations_ || how.storage == glslang::EvqTemporary))
      complain_of(name, "only buffers and images are coherent, volatile, restrict, readonly or writeonly");
  }
  bool visitBinary(glslang::TVisit, glslang::TIntermBinary* node) override {
    if (node->modifiesState() && node->getOp() != glslang::EOpAssign) check_read(*node->getLeft());
    if (node->getOp() == glslang::EOpIndexIndirect) check_read(*node->getRight());
    const bool takes_whole = node->getOp() == glslang::EOpAssign || node->getOp() == glslang::EOpEqual ||
                             node->getOp() == glslang::EOpNotEqual;
    if (takes_whole && (has_no_size(*node->getLeft()) || has_no_size(*node->getRight())))
      complain(*node, "[]", "an array without a size is only indexed, or asked for its length");
    return true;
  }
  bool visitBranch(glslang::TVisit, glslang::TIntermBranch* node) override {
    if (node->getExpression() != nullptr) check_read(*node->getExpression());
    return true;
  }
  bool visitUnary(glslang::TVisit, glslang::TIntermUnary* node) override {
    if (node->modifiesState()) check_read(*node->getOperand());
    if (node->getOp() == glslang::EOpBitwiseNot && node->getOperand()->isArray())
      complain(*node, "~", "arrays have no complement");
    return true;
  }
  bool visitAggregate(glslang::TVisit, TIntermAggregate* node) override {
    if (node->getOp() == glslang::EOpLinkerObjects) in_declarations_ = true;
    if (node->getOp() == glslang::EOpFunction) check_function(*node);
    if (node->getOp() == glslang::EOpFunctionCall) check_call(*node);
    if (node->getOp() == glslang::EOpTextureGatherOffset) check_gather_offset(*node);
    if (stage_ == EShLangCompute && has_bias(*node))
      complain(*node, "texture", "compute shaders choose no level that a bias could be added to");
    return true;
  }

 private:
  /// glslang's tree does not tell where a name was declared.
  void complain_of(std::string_view name, std::string_view what) {
    if (!first_words_) first_words_.emplace(text_);
    const std::string_view word = first_words_->find(name);
    complain(word.empty() ? 1 : LineCounter(text_).of(word), name, what);
  }
  /// Of what is declared outside functions.
  void check_declaration(const glslang::TIntermSymbol& symbol, std::string_view name) {
    const TQualifier& how = symbol.getQualifier();
    const TType& type = symbol.getType();
    const bool comes_or_goes = how.storage == glslang::EvqVaryingIn || how.storage == glslang::EvqVaryingOut;
    if (how.storage == glslang::EvqUniform) check_uniform(symbol, name);
    if (!comes_or_goes && how.storage != glslang::EvqUniform && (how.isInterpolation() || how.centroid))
      complain_of(name, "only inputs and outputs are interpolated");
    if (type.getBasicType() == glslang::EbtBlock && glslang::IsAnonymous(symbol.getName())) check_visible_members(type);
    if (type.getBasicType() == glslang::EbtBlock && how.precision != glslang::EpqNone)
      complain_of(type.getTypeName(), "a block has no precision; its members have");
    if (comes_or_goes && type.isStruct() && type.containsBasicType(glslang::EbtBool))
      complain_of(name, "no input or output has booleans");
    if (stage_ == EShLangFragment && how.storage == glslang::EvqVaryingIn && type.getBasicType() == glslang::EbtBlock)
      check_members_coming_in(type);
    if (how.storage == glslang::EvqBuffer) check_binding(symbol, name);
    if (stage_ == EShLangFragment && how.storage == glslang::EvqVaryingOut && how.builtIn == glslang::EbvNone) {
      check_colours(symbol, name);
      ++colours_;
      if (!how.hasLocation()) unplaced_colours_.push_back(name);
    }
    if (how.hasIndex() && !extensions_.contains("GL_EXT_blend_func_extended"))
      complain_of(name, "an index of an output needs #extension GL_EXT_blend_func_extended : require");
    if (stage_ == EShLangVertex && how.storage == glslang::EvqVaryingIn && how.hasLocation()) {
      const int last = static_cast<int>(how.layoutLocation) + std::max(type.getMatrixCols(), 1) - 1;
      const int most = limits_.maxVertexAttribs;
      if (last >= most) complain_of(name, "there are " + std::to_string(most) + " attributes, the first is 0");
    }
  }
  /// Of a block without a name for its instance. glslang compares them with variables, and with functions behind it.
  void check_visible_members(const TType& block) {
    for (const glslang::TTypeLoc& member : *block.getStruct())
      if (functions_.contains(std::string_view(member.type->getFieldName())))
        complain(member.loc, member.type->getFieldName(), "is the name of a function, too");
  }
  /// glslang asks this of inputs that are no blocks.
  void check_members_coming_in(const TType& block) {
    for (const glslang::TTypeLoc& member : *block.getStruct()) {
      const bool has_integers =
          member.type->containsBasicType(glslang::EbtInt) || member.type->containsBasicType(glslang::EbtUint);
      if (has_integers && !member.type->getQualifier().flat)
        complain(member.loc, member.type->getFieldName(), "an input with integers must be qualified as flat");
    }
  }
  void check_uniform(const glslang::TIntermSymbol& symbol, std::string_view name) {
    const TQualifier& how = symbol.getQualifier();
    const TType& type = symbol.getType();
    if (how.isInterpolation() || how.centroid)
      complain_of(name, "only inputs and outputs are interpolated, and this is a uniform");
    if (type.getBasicType() == glslang::EbtAtomicUint && !how.hasBinding())
      complain_of(name, "an atomic counter says in which buffer it is: layout(binding = 0)");
    if (type.getBasicType() == glslang::EbtBlock)
      for (const glslang::TTypeLoc& member : *type.getStruct())
        if (member.type->getQualifier().isMemory())
          complain(member.loc, member.type->getFieldName(),
                   "only images and what is in buffers are coherent, volatile, restrict, readonly or writeonly");
    check_binding(symbol, name);
    if (how.hasLocation()) check_location(symbol, name);
    if (type.isImage() && !how.hasFormat()) complain_of(name, "an image says of which format it is: layout(rgba8)");
  }
  /// glslang takes a structure for as many locations as an input of its type has.
  void check_location(const glslang::TIntermSymbol& symbol, std::string_view name) {
    const auto first = static_cast<int>(symbol.getQualifier().layoutLocation);
    const int count = uniform_locations(symbol.getType());
    for (const Located& other : located_)
      if (first < other.first + other.count && other.first < first + count)
        complain_of(name, "the location is that of '" + std::string(other.name) + "', too");
    located_.push_back({name, first, count});
  }
  /// glslang knows how many textures and counters there are.
  void check_binding(const glslang::TIntermSymbol& symbol, std::string_view name) {
    const TType& type = symbol.getType();
    const bool is_block = type.getBasicType() == glslang::EbtBlock;
    if (!symbol.getQualifier().hasBinding() || !(is_block || type.isImage())) return;
    const int most = is_block ? most_blocks : limits_.maxImageUnits;
    const int count = type.isSizedArray() ? type.getCumulativeArraySize() : 1;
    if (static_cast<int>(symbol.getQualifier().layoutBinding) + count > most)
      complain_of(name,
                  "bindings of " + std::string(is_block ? "blocks" : "images") + " end at " + std::to_string(most - 1));
  }
  void check_colours(const glslang::TIntermSymbol& symbol, std::string_view name) {
    const TType& type = symbol.getType();
    if (!symbol.getQualifier().hasLocation() || !type.isSizedArray()) return;
    const int most = limits_.maxDrawBuffers;
    if (static_cast<int>(symbol.getQualifier().layoutLocation) + type.getCumulativeArraySize() > most)
      complain_of(name, "there are " + std::to_string(most) + " colours, the first is 0");
  }
  /// Of what glslang checks only in textureOffset() and its like.
  void check_gather_offset(const TIntermAggregate& call) {
    const auto& arguments = call.getSequence();
    const std::size_t at = arguments.front()->getAsTyped()->getType().getSampler().shadow ? 3 : 2;
    const glslang::TIntermConstantUnion* const offset = arguments[at]->getAsConstantUnion();
    if (offset == nullptr) return;
    for (int i = 0; i < offset->getConstArray().size(); ++i) {
      const int texels = offset->getConstArray()[i].getIConst();
      if (texels < limits_.minProgramTexelOffset || texels > limits_.maxProgramTexelOffset)
        complain(call, "textureGatherOffset",
                 "an offset is from " + std::to_string(limits_.minProgramTexelOffset) + " to " +
                     std::to_string(limits_.maxProgramTexelOffset) + ", and this is " + std::to_string(texels));
    }
  }
  void check_read(const TIntermTyped& place) {
    if (!is_write_only(place)) return;
    const auto* const symbol = base_of(place).getAsSymbolNode();
    complain(place, symbol == nullptr ? "=" : name_of(*symbol), "what is writeonly may not be read, and this reads it");
  }
  void check_call(const TIntermAggregate& call) {
    const auto& arguments = call.getSequence();
    const auto& how = const_cast<TIntermAggregate&>(call).getQualifierList();
    for (std::size_t i = 0; i < std::min(arguments.size(), how.size()); ++i)
      if (how[i] != glslang::EvqOut) check_read(*arguments[i]->getAsTyped());
  }
  void check_function(const TIntermAggregate& function) {
    const std::string_view name = function.getName();
    functions_.insert(name.substr(0, name.find('(')));
    if (function.getSequence().empty()) return;
    for (TIntermNode* const each : function.getSequence().front()->getAsAggregate()->getSequence()) {
      const auto* const parameter = each->getAsSymbolNode();
      if (parameter == nullptr) continue;
      const std::string_view parameter_name = parameter->getName();
      const TQualifier& how = parameter->getQualifier();
      if ((how.storage == glslang::EvqOut || how.storage == glslang::EvqInOut) && parameter->getType().containsOpaque())
        complain(*parameter, parameter_name, "samplers, images and counters only go into a function");
    }
  }
  static bool has_bias(const TIntermAggregate& call) {
    switch (call.getOp()) {
      case glslang::EOpTexture: {
        const auto& sampler = call.getSequence().front()->getAsTyped()->getType().getSampler();
        const bool is_last_reference = sampler.shadow && sampler.dim == glslang::EsdCube && sampler.arrayed;
        return call.getSequence().size() > (is_last_reference ? 3U : 2U);
      }
      case glslang::EOpTextureProj:
        return call.getSequence().size() > 2;
      case glslang::EOpTextureOffset:
      case glslang::EOpTextureProjOffset:
        return call.getSequence().size() > 3;
      default:
        return false;
    }
  }

  std::string_view file_, text_;
  std::optional<FirstWords> first_words_;  ///< made when it is asked for the first time
  EShLanguage stage_;
  int version_;
  const TBuiltInResource& limits_ = limits_of(version_);
  const std::set<std::string>& extensions_;
  std::string log_;
  bool in_declarations_ = false;  ///< they are the last of the tree
  /// What has a location, of uniforms.
  struct Located {
    std::string_view name;
    int first = 0, count = 0;
  };
  std::vector<Located> located_;
  std::vector<std::string_view> unplaced_colours_;
  std::set<std::string_view> functions_;  ///< that have a body
  int colours_ = 0;
};

/// Declarations without a value and empty statements leave nothing in glslang's tree; it refuses others by itself.
void find_early_statements(std::string_view text, Checker& checker) {
  Tokens tokens(text);
  LineCounter lines(text);
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
      if (token != "case" && token != "default" && token != "}")
        checker.complain(lines.of(token), token, "nothing may stand in front of the first label");
      after_switch = token == "switch";
    }
  }
}

/// In GLSL ES 3.00 one layout stands in front of other qualifiers; glslang's tree does not tell.
void find_late_layouts(std::string_view text, Checker& checker) {
  Tokens tokens(text);
  LineCounter lines(text);
  bool has_qualifier = false;
  std::size_t depth = 0;
  for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next()) {
    constexpr std::array<std::string_view, 6> qualifiers{"in", "out", "uniform", "highp", "mediump", "lowp"};
    if (token == "(") ++depth;
    if (token == ")" && depth > 0) --depth;
    if (token == ";" || token == "{" || token == "}") has_qualifier = false, depth = 0;
    if (depth == 0 && std::ranges::find(qualifiers, token) != qualifiers.end()) has_qualifier = true;
    if (token != "layout") continue;
    if (has_qualifier)
      checker.complain(lines.of(token), token, "one layout stands in front of other qualifiers before GLSL ES 3.10");
    has_qualifier = true;
  }
}

/// Each declaration of the workgroup's size says the whole of it, what it leaves out being 1; glslang takes them
/// together.
void find_other_sizes(std::string_view text, const glslang::TIntermediate& shader, Checker& checker) {
  constexpr std::array<std::string_view, 3> sizes{"local_size_x", "local_size_y", "local_size_z"};
  Tokens tokens(text);
  LineCounter lines(text);
  std::array<bool, sizes.size()> said{};
  for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next()) {
    for (std::size_t i = 0; i < sizes.size(); ++i)
      if (token == sizes[i]) said[i] = true;
    if (token != ";") continue;
    for (std::size_t i = 0; i < sizes.size(); ++i)
      if (std::ranges::find(said, true) != said.end() && !said[i] && shader.getLocalSize(static_cast<int>(i)) != 1)
        checker.complain(lines.of(token), sizes[i], "is 1 where it is left out, and another number elsewhere");
    said = {};
  }
}

/// What is declared outside functions, the last of a tree; null where that is not there.
TIntermAggregate* declarations_of(TIntermNode& tree) {
  const TIntermAggregate* const all = tree.getAsAggregate();
  if (all == nullptr || all->getSequence().empty()) return nullptr;
  TIntermAggregate* const last = all->getSequence().back()->getAsAggregate();
  return last != nullptr && last->getOp() == glslang::EOpLinkerObjects ? last : nullptr;
}

}  // namespace

std::string broken_es_rules(glslang::TIntermediate& shader, std::string_view file, std::string_view text) {
  if (shader.getProfile() != EEsProfile || shader.getTreeRoot() == nullptr) return {};
  Checker checker(file, text, shader);
  find_early_statements(text, checker);
  if (shader.getVersion() == 300) find_late_layouts(text, checker);
  if (shader.getStage() == EShLangCompute) find_other_sizes(text, shader, checker);
  shader.getTreeRoot()->traverse(&checker);
  checker.finish();
  const bool has_size = shader.isLocalSizeSet() || shader.isLocalSizeSpecialized();
  if (shader.getStage() == EShLangCompute && !has_size)
    checker.complain(1, "layout", "a compute shader says how large its workgroups are: layout(local_size_x = 8) in;");
  return checker.log();
}

std::string broken_rules_of_declarations(glslang::TIntermediate& shader, std::string_view file, std::string_view text) {
  if (shader.getProfile() != EEsProfile || shader.getTreeRoot() == nullptr) return {};
  TIntermAggregate* const declarations = declarations_of(*shader.getTreeRoot());
  if (declarations == nullptr || text.empty()) return {};  // without a text they have no places
  Checker checker(file, text, shader);
  declarations->traverse(&checker);
  checker.finish();
  return checker.log();
}

}  // namespace mobula::compile
