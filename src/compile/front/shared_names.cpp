#include "compile/front/shared_names.h"

#include <glslang/Include/intermediate.h>
#include <glslang/MachineIndependent/localintermediate.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "core/quote.h"

namespace mobula::compile {
namespace {

using glslang::TQualifier;
using glslang::TType;
using Kind = SharedName::Kind;

/// What must be the same in two declarations.
enum class Same : std::uint8_t { types, types_and_precisions, types_and_layouts };

std::string text_of(const TType& type, Same same);

/// In front of "vec4".
std::string_view letter_of_vectors(glslang::TBasicType base) {
  switch (base) {
    case glslang::EbtInt:
      return "i";
    case glslang::EbtUint:
      return "u";
    case glslang::EbtBool:
      return "b";
    case glslang::EbtDouble:
      return "d";
    default:
      return "";
  }
}

std::string layout_of(const TQualifier& how) {
  std::string text;
  for (const auto& [has, word] : {std::pair<bool, const char*>{how.readonly, "readonly "},
                                  {how.writeonly, "writeonly "},
                                  {how.coherent, "coherent "},
                                  {how.volatil, "volatile "},
                                  {how.restrict, "restrict "}})
    if (has) text += word;
  return text;
}

std::string members_of(const TType& type, Same same) {
  std::string text = "{ ";
  for (const glslang::TTypeLoc& member : *type.getStruct()) {
    if (same == Same::types_and_layouts) {
      const TQualifier& how = member.type->getQualifier();
      const bool has_matrix = member.type->contains([](const TType* part) { return part->isMatrix(); });
      if (has_matrix && how.layoutMatrix == glslang::ElmRowMajor) text += "row_major ";
      text += layout_of(how);
    }
    text += text_of(*member.type, same);
    text += ' ';
    text += std::string_view(member.type->getFieldName());
    text += "; ";
  }
  return text + '}';
}

std::string text_of(const TType& type, Same same) {
  std::string text;
  const bool has_precision = type.getQualifier().precision != glslang::EpqNone && !type.isStruct();
  if (same == Same::types_and_precisions && has_precision) {
    text += type.getPrecisionQualifierString();
    text += ' ';
  }
  if (type.isStruct()) {
    text += type.getBasicType() == glslang::EbtBlock ? "block " : "struct ";
    text += std::string_view(type.getTypeName());
    text += ' ';
    text += members_of(type, same);
  } else if (type.isMatrix()) {
    text += "mat" + std::to_string(type.getMatrixCols()) + 'x' + std::to_string(type.getMatrixRows());
  } else if (type.getVectorSize() > 1) {
    text += letter_of_vectors(type.getBasicType());
    text += "vec" + std::to_string(type.getVectorSize());
  } else if (type.getBasicType() == glslang::EbtSampler) {
    text += std::string_view(type.getSampler().getString());
  } else {
    text += std::string_view(type.getBasicTypeString());
  }
  if (const glslang::TArraySizes* const sizes = type.getArraySizes())
    for (int i = 0; i < sizes->getNumDims(); ++i) text += '[' + std::to_string(sizes->getDimSize(i)) + ']';
  return text;
}

const char* interpolation_of(const TQualifier& how) {
  if (how.flat) return "flat";
  return how.nopersp ? "noperspective" : "smooth";
}

/// Of a block, that of each member.
std::string interpolation_of(const TType& type) {
  if (type.getBasicType() != glslang::EbtBlock) return interpolation_of(type.getQualifier());
  std::string text;
  for (const glslang::TTypeLoc& member : *type.getStruct()) {
    if (!text.empty()) text += ", ";
    text += interpolation_of(member.type->getQualifier());
    text += ' ';
    text += std::string_view(member.type->getFieldName());
  }
  return text;
}

std::vector<double> numbers_of(const glslang::TConstUnionArray& values) {
  std::vector<double> numbers;
  for (int i = 0; i < values.size(); ++i) {
    const glslang::TConstUnion& value = values[i];
    switch (value.getType()) {
      case glslang::EbtInt:
        numbers.push_back(value.getIConst());
        break;
      case glslang::EbtUint:
        numbers.push_back(value.getUConst());
        break;
      case glslang::EbtBool:
        numbers.push_back(value.getBConst() ? 1 : 0);
        break;
      default:
        numbers.push_back(value.getDConst());
    }
  }
  return numbers;
}

std::optional<Kind> kind_of(const TType& type) {
  const bool is_block = type.getBasicType() == glslang::EbtBlock;
  switch (type.getQualifier().storage) {
    case glslang::EvqVaryingIn:
      return Kind::input;
    case glslang::EvqVaryingOut:
      return Kind::output;
    case glslang::EvqUniform:
      return is_block ? Kind::uniform_block : Kind::uniform;
    case glslang::EvqBuffer:
      return is_block ? std::optional(Kind::storage_block) : std::nullopt;
    default:
      return {};
  }
}

Same what_is_same(Kind kind) {
  if (kind == Kind::uniform) return Same::types_and_precisions;
  return kind == Kind::input || kind == Kind::output ? Same::types : Same::types_and_layouts;
}

class Collector final : public glslang::TIntermTraverser {
 public:
  Collector(SharedNames& names, const ShaderText& text)
      : names_(names), text_(text), all_invariant_(text.preprocessed().find("STDGL") != std::string_view::npos) {}

  void visitSymbol(glslang::TIntermSymbol* symbol) override {
    if (is_built_in(*symbol))
      add_built_in(*symbol);
    else if (!in_declarations_)
      used_.insert(symbol->getId());
    else if (const auto kind = kind_of(symbol->getType()))
      add(*symbol, *kind);
  }
  bool visitAggregate(glslang::TVisit, glslang::TIntermAggregate* node) override {
    if (node->getOp() == glslang::EOpLinkerObjects) in_declarations_ = true;
    return true;
  }

 private:
  static bool is_built_in(const glslang::TIntermSymbol& symbol) {
    return std::string_view(symbol.getName()).starts_with("gl_");
  }
  void add_built_in(const glslang::TIntermSymbol& symbol) {
    const bool is_output = names_.stage == Stage::vertex;
    const std::string name(symbol.getName());
    const auto [known, is_new] = names_.built_ins.try_emplace(name);
    if (is_new) known->second.where = text_.declaration_of(name);
    known->second.is_invariant = symbol.getQualifier().invariant || (all_invariant_ && is_output);
  }
  void add(const glslang::TIntermSymbol& symbol, Kind kind) {
    const TType& type = symbol.getType();
    const TQualifier& how = type.getQualifier();
    const bool is_block = type.getBasicType() == glslang::EbtBlock;
    SharedName made;
    made.kind = kind;
    made.name = is_block ? type.getTypeName().c_str() : symbol.getName().c_str();
    made.type = text_of(type, what_is_same(kind));
    if (is_block) made.type = layout_of(how) + TQualifier::getLayoutPackingString(how.layoutPacking) + ' ' + made.type;
    made.interpolation = interpolation_of(type);
    made.where = text_.declaration_of(made.name);
    if (how.hasLocation()) made.location = static_cast<int>(how.layoutLocation);
    if (how.hasComponent()) made.component = static_cast<int>(how.layoutComponent);
    if (kind == Kind::uniform) made.locations = uniform_locations(type);
    if (kind == Kind::uniform) made.initial = numbers_of(symbol.getConstArray());
    if (how.hasFormat()) made.format = TQualifier::getLayoutFormatString(how.getFormat());
    if (how.hasBinding()) made.binding = static_cast<int>(how.layoutBinding);
    made.invariant = how.invariant || (all_invariant_ && kind == Kind::output);
    made.centroid = how.centroid;
    made.used = used_.contains(symbol.getId());
    const bool is_anonymous = is_block && std::string_view(symbol.getName()).starts_with("anon@");
    if (is_anonymous)
      for (const glslang::TTypeLoc& member : *type.getStruct())
        made.members.emplace_back(member.type->getFieldName().c_str());
    names_.all.push_back(std::move(made));
  }

  SharedNames& names_;
  const ShaderText& text_;
  bool all_invariant_;  ///< by #pragma STDGL invariant(all)
  std::set<long long> used_;
  bool in_declarations_ = false;  ///< they are the last of the tree
};

class Fitter {
 public:
  Fitter(const SharedNames& vertex, const SharedNames& fragment) : vertex_(vertex), fragment_(fragment) {}

  Diagnostics take() {
    if (vertex_.version != fragment_.version && (vertex_.is_es || fragment_.is_es))
      complain(fragment_.where, "the vertex shader is of version " + std::to_string(vertex_.version) + ", this of " +
                                    std::to_string(fragment_.version) + "; those of one program have one version");
    for (const SharedName& each : fragment_.all) {
      if (each.kind == Kind::input)
        check_input(each);
      else if (each.kind != Kind::output)
        check_uniform(each);
    }
    check_members();
    check_built_ins();
    return std::move(found_);
  }

 private:
  void complain(Location where, std::string what) {
    if (where.line == 0) where.file = fragment_.where.file;
    found_.push_back({Severity::error, "CO016", std::move(where), std::move(what), {}});
  }
  static std::string differ(const SharedName& here, const char* what, const std::string& mine,
                            const std::string& other) {
    std::string text = quote(here.name);
    return text.append(" ")
        .append(what)
        .append(" ")
        .append(mine)
        .append(" here, and ")
        .append(other)
        .append(" in the vertex shader");
  }

  /// From GLSL 4.40 on, that of the fragment shader counts.
  bool interpolation_must_be_the_same() const {
    if (fragment_.is_es) return fragment_.version >= 300;
    return fragment_.version >= 130 && fragment_.version < 440;
  }

  void check_input(const SharedName& input) {
    const auto output = std::ranges::find_if(vertex_.all, [&](const SharedName& each) {
      if (each.kind != Kind::output) return false;
      if (input.location < 0) return each.name == input.name;
      return each.location == input.location && each.component == input.component;
    });
    if (output == vertex_.all.end() || (input.location < 0) != (output->location < 0)) {
      if (input.used)
        complain(input.where, quote(input.name) + " is read here, and the vertex shader has no such output" +
                                  (input.location >= 0 ? " at this location" : ""));
      return;
    }
    if (input.type != output->type) complain(input.where, differ(input, "is", input.type, output->type));
    if (interpolation_must_be_the_same() && input.interpolation != output->interpolation)
      complain(input.where, differ(input, "is", input.interpolation, output->interpolation));
    if (!fragment_.is_es) return;
    const auto word = [](bool has, const char* name) { return (has ? "" : "not ") + std::string(name); };
    if (fragment_.version == 300 && input.centroid != output->centroid)
      complain(input.where, differ(input, "is", word(input.centroid, "centroid"), word(output->centroid, "centroid")));
    if (fragment_.version == 100 && input.invariant != output->invariant)
      complain(input.where,
               differ(input, "is", word(input.invariant, "invariant"), word(output->invariant, "invariant")));
  }

  void check_uniform(const SharedName& here) {
    const bool is_block = here.kind != Kind::uniform;
    for (const SharedName& there : vertex_.all) {
      if (there.kind != here.kind) continue;
      const bool shares_location = !is_block && here.location >= 0 && there.location >= 0 &&
                                   here.location < there.location + there.locations &&
                                   there.location < here.location + here.locations;
      if (shares_location && here.name != there.name)
        complain(here.where, quote(here.name) + " has the location of " + quote(there.name) + " in the vertex shader");
      if (here.name != there.name) continue;
      if (here.type != there.type) complain(here.where, differ(here, "is", here.type, there.type));
      if (here.location >= 0 && there.location >= 0 && here.location != there.location)
        complain(here.where,
                 differ(here, "has the location", std::to_string(here.location), std::to_string(there.location)));
      if (here.binding >= 0 && there.binding >= 0 && here.binding != there.binding)
        complain(here.where,
                 differ(here, "has the binding", std::to_string(here.binding), std::to_string(there.binding)));
      if (fragment_.is_es && here.format != there.format)
        complain(here.where, differ(here, "has the format", here.format, there.format));
      if (!here.initial.empty() && !there.initial.empty() && here.initial != there.initial)
        complain(here.where, quote(here.name) + " is initialized here to another value than in the vertex shader");
      if (is_block && here.members.empty() != there.members.empty())
        complain(here.where, quote(here.name) + " has a name for its instance in one of the shaders only");
    }
  }

  /// Members of blocks without a name of their instance are beside the uniforms.
  void check_members() {
    for (const SharedNames* names : {&vertex_, &fragment_}) {
      const SharedNames& others = names == &vertex_ ? fragment_ : vertex_;
      for (const SharedName& block : names->all)
        for (const std::string& member : block.members)
          for (const SharedName& other : others.all) {
            const bool is_uniform = other.kind == Kind::uniform && other.name == member;
            const bool is_member = other.name != block.name && std::ranges::count(other.members, member) != 0;
            if (is_uniform || (is_member && names == &fragment_))
              complain(names == &fragment_ ? block.where : other.where,
                       quote(member) + " is a member of the block " + quote(block.name) + " in the " +
                           (names == &fragment_ ? "fragment" : "vertex") + " shader, and something else in the other");
          }
    }
  }

  /// In GLSL ES 1.00, what comes of a built-in output is invariant only where that is.
  void check_built_ins() {
    if (!fragment_.is_es || fragment_.version != 100) return;
    for (const auto& [input, output] :
         {std::pair{"gl_FragCoord", "gl_Position"}, std::pair{"gl_PointCoord", "gl_PointSize"}}) {
      const auto here = fragment_.built_ins.find(input);
      const auto there = vertex_.built_ins.find(output);
      if (here == fragment_.built_ins.end() || there == vertex_.built_ins.end()) continue;
      if (here->second.is_invariant && !there->second.is_invariant)
        complain(here->second.where,
                 quote(input) + " is invariant here, and " + quote(output) + " is not in the vertex shader");
    }
  }

  const SharedNames &vertex_, &fragment_;
  Diagnostics found_;
};

}  // namespace

int uniform_locations(const glslang::TType& type) {
  int one = 1;
  if (type.isStruct()) {
    one = 0;
    for (const glslang::TTypeLoc& member : *type.getStruct()) one += uniform_locations(*member.type);
  }
  return type.isSizedArray() ? one * type.getCumulativeArraySize() : one;
}

SharedNames shared_names_of(glslang::TIntermediate& shader, Stage stage, const ShaderText& text) {
  SharedNames names{stage, text.version(), shader.getVersion(), shader.getProfile() == EEsProfile, {}, {}};
  Collector collector(names, text);
  if (shader.getTreeRoot() != nullptr) shader.getTreeRoot()->traverse(&collector);
  return names;
}

Diagnostics misfits(const SharedNames& vertex, const SharedNames& fragment) { return Fitter(vertex, fragment).take(); }

}  // namespace mobula::compile
