#include "compile/random/shader.h"

#include <array>
#include <initializer_list>
#include <vector>

#include "compile/verify/random.h"

namespace mobula::test {
namespace {

enum class Scalar : std::uint8_t { real, integer, natural, boolean };

struct Type {
  Scalar base = Scalar::real;
  unsigned components = 1;
  unsigned columns = 1;  ///< of matrices, which are square

  friend bool operator==(const Type&, const Type&) = default;
};

std::string name_of(const Type& type) {
  if (type.columns > 1) return "mat" + std::to_string(type.columns);
  constexpr std::array scalars{"float", "int", "uint", "bool"};
  constexpr std::array vectors{"vec", "ivec", "uvec", "bvec"};
  const auto base = static_cast<std::size_t>(type.base);
  return type.components == 1 ? scalars[base] : vectors[base] + std::to_string(type.components);
}

/// The pieces are made in this order, with every compiler.
std::string join(std::initializer_list<std::string> pieces) {
  std::string text;
  for (const std::string& each : pieces) text += each;
  return text;
}

struct Known {
  std::string name;
  Type type;
  unsigned elements = 0;  ///< of an array; 0 = it is none
  bool may_change = false;
};

struct Function {
  std::string name;
  Type result;
  std::vector<Type> parameters;
  bool changes_last = false;  ///< its last parameter is inout
};

constexpr Type real1{Scalar::real, 1}, real2{Scalar::real, 2}, real3{Scalar::real, 3}, real4{Scalar::real, 4};
constexpr Type int1{Scalar::integer, 1}, bool1{Scalar::boolean, 1};

class Generator {
 public:
  Generator(Stage stage, const Choose& choose) : stage_(stage), choose_(choose) {}

  std::string run() {
    text_ = "#version 310 es\nprecision highp float;\nprecision highp int;\n";
    declare_interface();
    const unsigned functions = below(3);
    for (unsigned i = 0; i < functions; ++i) write_function(i);
    text_ += "void main() {\n";
    begin_main();
    const unsigned statements = 2 + below(6);
    for (unsigned i = 0; i < statements; ++i) statement(3);
    end_main();
    text_ += "}\n";
    return std::move(text_);
  }

 private:
  [[nodiscard]] unsigned below(unsigned count) const { return choose_(count); }
  [[nodiscard]] bool one_in(unsigned count) const { return below(count) == count - 1; }

  // ---- what there is

  Type vector_type() const { return {static_cast<Scalar>(below(4)), 1 + below(4)}; }
  Type any_type() const {
    if (one_in(8)) {
      const unsigned size = 2 + below(3);
      return {Scalar::real, size, size};
    }
    return one_in(3) ? vector_type() : Type{Scalar::real, 1 + below(4)};
  }

  void declare(const std::string& how, const Known& what) {
    text_ += how + ' ' + name_of(what.type) + ' ' + what.name;
    if (what.elements != 0) text_ += '[' + std::to_string(what.elements) + ']';
    text_ += ";\n";
    known_.push_back(what);
  }

  void declare_interface() {
    for (unsigned i = 0, count = 1 + below(4); i < count; ++i) {
      const Type type = any_type();
      const unsigned elements = one_in(4) ? 2 + below(3) : 0;
      declare("uniform", {"u" + std::to_string(i), type, elements});
    }
    if (one_in(3)) {
      declare("layout(std140) uniform B {", {"b0", real4, 3});
      text_ += "};\n";
    }
    if (stage_ == Stage::compute) return declare_buffers();
    for (unsigned i = 0, count = 1 + below(3); i < count; ++i) {
      const Type type{one_in(4) ? Scalar::integer : Scalar::real, 1 + below(4)};
      const bool flat = stage_ == Stage::fragment && type.base != Scalar::real;
      declare(flat ? "flat in" : "in", {"i" + std::to_string(i), type});
    }
    stores_ = stage_ == Stage::fragment && one_in(4);
    if (stores_) text_ += "layout(std430) buffer W { vec4 w[4]; } made;\n";
    samplers_ = below(2);
    if (samplers_ != 0) text_ += "uniform sampler2D t0;\n";
    for (unsigned i = 0, count = one_in(2) ? 1 + below(3) : 1; i < count; ++i) {
      const Type type{stage_ == Stage::fragment && one_in(4) ? Scalar::integer : Scalar::real, 1 + below(4)};
      outputs_.push_back({"o" + std::to_string(i), type, 0, true});
      text_ += "layout(location = " + std::to_string(i) + ") out " + name_of(type) + ' ' + outputs_.back().name + ";\n";
    }
  }
  void declare_buffers() {
    text_ += "layout(local_size_x = 8) in;\n";
    text_ += "layout(std430) buffer R { vec4 r[]; } given;\nlayout(std430) buffer N { int n[]; } numbers;\n";
    text_ += "layout(std430) buffer W { vec4 w[16]; ivec2 m[16]; } made;\nshared vec4 s[8];\nshared uint c;\n";
  }

  void begin_main() {
    if (stage_ == Stage::compute) {
      text_ += "uint at = gl_GlobalInvocationID.x;\nuint local = gl_LocalInvocationIndex;\n";
      text_ += "vec4 x0 = given.r[at];\nint x1 = numbers.n[at & 31u];\n";
      known_.push_back({"x0", real4, 0, true});
      known_.push_back({"x1", int1, 0, true});
      return;
    }
    if (stores_) text_ += "uint at = (uint(gl_FragCoord.x) & 1u) + 2u * (uint(gl_FragCoord.y) & 1u);\n";
    for (const Known& each : outputs_) {
      text_ += each.name + " = " + expression(each.type, 1) + ";\n";
      known_.push_back(each);
    }
    if (stage_ == Stage::vertex) text_ += "gl_Position = " + expression(real4, 2) + ";\n";
    if (stage_ == Stage::fragment && one_in(6)) text_ += "gl_FragDepth = " + expression(real1, 1) + ";\n";
  }
  void end_main() {
    if (stage_ != Stage::compute) {
      for (const Known& each : outputs_)
        if (one_in(2)) text_ += each.name + " = " + expression(each.type, 3) + ";\n";
      // differences are only defined where all threads are
      if (stage_ == Stage::fragment && !discards_ && outputs_[0].type.base == Scalar::real && one_in(3))
        text_ += outputs_[0].name + " += dFdx(" + expression(outputs_[0].type, 1) + ");\n";
      return;
    }
    if (one_in(2)) {
      text_ += "if (local == 0u) c = 3u;\nbarrier();\ns[local] = " + expression(real4, 2) + ";\n";
      text_ += "atomicAdd(c, uint(" + expression(int1, 1) + ") & 255u);\nbarrier();\nx0 += s[7u - local];\n";
      text_ += "if (local == 1u) x1 += int(c);\n";
    }
    text_ += "made.w[at] = " + expression(real4, 3) + ";\n";
    text_ += "made.m[at] = " + expression({Scalar::integer, 2}, 3) + ";\n";
  }

  // ---- statements

  void write_function(unsigned number) {
    Function made{"f" + std::to_string(number), any_type(), {}, false};
    const std::size_t before = known_.size();
    std::string parameters;
    for (unsigned i = 0, count = 1 + below(3); i < count; ++i) {
      const Type type = any_type();
      made.parameters.push_back(type);
      made.changes_last = i + 1 == count && one_in(3);
      const std::string name = "p" + std::to_string(i);
      parameters += (parameters.empty() ? "" : ", ") + std::string(made.changes_last ? "inout " : "") + name_of(type);
      parameters += ' ' + name;
      known_.push_back({name, type, 0, true});
    }
    text_ += name_of(made.result) + ' ' + made.name + '(' + parameters + ") {\n";
    in_function_ = true;
    for (unsigned i = 0, count = below(3); i < count; ++i) statement(1);
    if (one_in(3)) text_ += join({"if (", expression(bool1, 1), ") return ", expression(made.result, 1), ";\n"});
    text_ += "return " + expression(made.result, 2) + ";\n}\n";
    in_function_ = false;
    known_.resize(before);
    functions_.push_back(made);
  }

  void block(unsigned depth) {
    const std::size_t before = known_.size();
    text_ += "{\n";
    for (unsigned i = 0, count = 1 + below(3); i < count; ++i) statement(depth);
    text_ += "}\n";
    known_.resize(before);
  }

  void statement(unsigned depth) {
    switch (depth == 0 ? below(3) : below(10)) {
      case 0:
      case 1:
        return assignment();
      case 2:
        return declaration();
      case 3:
        return array();
      case 4:
      case 5:
        return branch(depth - 1);
      case 6:
      case 7:
        return loop(depth - 1);
      case 8:
        return several(depth - 1);
      default:
        return special();
    }
  }

  void declaration() {
    const Type type = any_type();
    const std::string name = 'v' + std::to_string(next_++);
    text_ += name_of(type) + ' ' + name + " = " + expression(type, 3) + ";\n";
    known_.push_back({name, type, 0, true});
  }
  void array() {
    const Type type{one_in(3) ? Scalar::integer : Scalar::real, 1 + below(4)};
    const unsigned elements = 2 + below(4);
    const std::string name = 'a' + std::to_string(next_++), index = 'k' + std::to_string(next_++);
    const std::string value = expression(type, 2), count = std::to_string(elements);
    text_ += join({name_of(type), " ",   name, "[",  count, "];\nfor (int ", index,  " = 0; ", index, " < ", count,
                   "; ++",        index, ") ", name, "[",   index,           "] = ", value,    ";\n"});
    known_.push_back({name, type, elements, true});
  }

  void assignment() {
    std::vector<const Known*> all;
    for (const Known& each : known_)
      if (each.may_change) all.push_back(&each);
    if (all.empty()) return declaration();
    const Known what = *all[below(static_cast<unsigned>(all.size()))];
    std::string place = what.name;
    if (what.elements != 0) place += '[' + index(what.elements) + ']';
    Type type = what.type;
    if (type.columns > 1 && one_in(2)) {
      place += '[' + index(type.columns) + ']';
      type = {Scalar::real, type.components};
    }
    if (type.columns == 1 && type.components > 1 && one_in(2)) {
      if (one_in(4)) {
        const bool constant_only = stage_ == Stage::fragment && what.name[0] == 'o';  // ES forbids any other
        place += '[' + (constant_only ? std::to_string(below(type.components)) : index(type.components)) + ']';
        type.components = 1;
      } else {
        const unsigned count = 1 + below(type.components), first = below(type.components);
        place += '.';
        for (unsigned i = 0; i < count; ++i) place += "xyzw"[(first + i) % type.components];
        type.components = count;
      }
    }
    const bool computes = type.base != Scalar::boolean && type.columns == 1 && one_in(3);
    text_ += join({place, computes ? one_in(2) ? " += " : " -= " : " = ", expression(type, 3), ";\n"});
  }

  void branch(unsigned depth) {
    text_ += "if (" + expression(bool1, 2) + ") ";
    block(depth);
    if (!one_in(2)) return;
    text_ += "else ";
    block(depth);
  }

  void loop(unsigned depth) {
    const std::string name = 'k' + std::to_string(next_++);
    const std::string most = one_in(2) ? std::to_string(1 + below(4)) : '(' + expression(int1, 1) + " & 3)";
    const std::size_t before = known_.size();
    const std::string limit = 'n' + std::to_string(next_++);
    text_ += "int " + limit + " = " + most + ";\n";
    known_.push_back({name, int1});
    const unsigned kind = below(3);
    if (kind == 0) text_ += "for (int " + name + " = 0; " + name + " < " + limit + "; ++" + name + ") {\n";
    if (kind == 1) text_ += "int " + name + " = 0;\nwhile (" + name + "++ < " + limit + ") {\n";
    if (kind == 2) text_ += "int " + name + " = 0;\ndo {\n";
    const std::size_t inside = known_.size();
    for (unsigned i = 0, count = 1 + below(3); i < count; ++i) {
      statement(depth);
      if (one_in(6)) text_ += join({"if (", expression(bool1, 1), one_in(2) ? ") break;\n" : ") continue;\n"});
    }
    known_.resize(inside);
    text_ += kind == 2 ? "} while (++" + name + " < " + limit + ");\n" : "}\n";
    known_.resize(before);
  }

  void several(unsigned depth) {
    text_ += "switch (" + expression(int1, 2) + " & 3) {\n";
    for (unsigned i = 0, count = 1 + below(3); i < count; ++i) {
      text_ += "case " + std::to_string(i) + ": ";
      block(depth);
      if (!one_in(3)) text_ += "break;\n";
    }
    text_ += "default: ";
    block(0);
    text_ += "}\n";
  }

  void special() {
    if (stores_ && !in_function_ && one_in(2)) {
      text_ += "made.w[at] = " + expression(real4, 2) + ";\n";
      return;
    }
    if (stage_ == Stage::fragment && one_in(3)) {
      text_ += "if (" + expression(bool1, 2) + ") discard;\n";
      discards_ = true;
    } else {
      assignment();
    }
  }

  // ---- expressions

  /// Always inside: what lies outside is undefined.
  std::string index(unsigned elements) const {
    if (one_in(2)) return std::to_string(below(elements));
    std::vector<const Known*> all;
    for (const Known& each : known_)
      if (each.type == int1 && each.elements == 0) all.push_back(&each);
    if (all.empty()) return std::to_string(below(elements));
    const std::string& name = all[below(static_cast<unsigned>(all.size()))]->name;
    return "clamp(" + name + ", 0, " + std::to_string(elements - 1) + ')';
  }

  std::string expression(const Type& type, unsigned depth) {
    if (++size_ > most_size || depth == 0 || one_in(5)) return leaf(type);
    if (type.columns > 1) return matrix(type, depth - 1);
    if (one_in(10))
      if (const std::string call = called(type, depth - 1); !call.empty()) return call;
    if (type.components > 1 && one_in(6)) return composed(type, depth - 1);
    if (one_in(8)) return swizzled(type, depth - 1);
    if (one_in(10))
      return join({"(", expression(bool1, depth - 1), " ? ", expression(type, depth - 1), " : ",
                   expression(type, depth - 1), ")"});
    switch (type.base) {
      case Scalar::real:
        return real(type, depth - 1);
      case Scalar::integer:
      case Scalar::natural:
        return whole(type, depth - 1);
      case Scalar::boolean:
        return boolean(type, depth - 1);
    }
    return leaf(type);
  }

  std::string leaf(const Type& type) {
    std::vector<std::string> all;
    for (const Known& each : known_) {
      const std::string name = each.elements == 0 ? each.name : each.name + '[' + index(each.elements) + ']';
      if (each.type == type) all.push_back(name);
      if (each.type.columns > 1 && type == Type{Scalar::real, each.type.components})
        all.push_back(name + '[' + index(each.type.columns) + ']');
      const bool wider = each.type.columns == 1 && each.type.base == type.base && type.columns == 1 &&
                         each.type.components > type.components;
      if (wider) all.push_back(name + std::string(".xyzw").substr(0, type.components + 1));
    }
    if (!all.empty() && !one_in(5)) return all[below(static_cast<unsigned>(all.size()))];
    return constant(type);
  }
  std::string constant(const Type& type) {
    if (type.components > 1 || type.columns > 1) {
      std::string text = name_of(type) + '(';
      const unsigned count = one_in(3) ? 1 : type.components * type.columns;
      for (unsigned i = 0; i < count; ++i) text += (i == 0 ? "" : ", ") + constant({type.base, 1});
      return text + ')';
    }
    constexpr std::array reals{"0.0", "1.0", "0.5", "-1.0", "2.0", "0.3", "-0.75", "3.1", "100.0", "0.001"};
    constexpr std::array wholes{"0", "1", "2", "3", "-1", "7", "255", "-5", "65537", "1000000"};
    constexpr std::array naturals{"0u", "1u", "2u", "5u", "31u", "0xFFFFFFFFu", "65536u", "100u"};
    switch (type.base) {
      case Scalar::real:
        return reals[below(reals.size())];
      case Scalar::integer:
        return wholes[below(wholes.size())];
      case Scalar::natural:
        return naturals[below(naturals.size())];
      case Scalar::boolean:
        return one_in(2) ? "true" : "false";
    }
    return "0";
  }

  /// What a call changes is a variable of its own, and the call a statement: the order of effects is not defined.
  std::string called(const Type& type, unsigned depth) {
    for (const Function& each : functions_) {
      if (each.result != type || in_function_) continue;
      std::string text = each.name + '(';
      std::string changed;
      for (std::size_t i = 0; i < each.parameters.size(); ++i) {
        std::string argument = expression(each.parameters[i], depth);
        if (each.changes_last && i + 1 == each.parameters.size()) {
          changed = 'v' + std::to_string(next_++);
          text_ += join({name_of(each.parameters[i]), " ", changed, " = ", argument, ";\n"});
          argument = changed;
        }
        text += (i == 0 ? "" : ", ") + argument;
      }
      if (changed.empty()) return text + ')';
      const std::string result = 'v' + std::to_string(next_++);
      text_ += join({name_of(type), " ", result, " = ", text, ");\n"});
      const bool adds = each.parameters.back() == type && type.base != Scalar::boolean;
      return adds ? join({"(", result, " + ", changed, ")"}) : result;
    }
    return "";
  }
  std::string composed(const Type& type, unsigned depth) {
    const unsigned first = 1 + below(type.components - 1);
    return join({name_of(type), "(", expression({type.base, first}, depth), ", ",
                 expression({type.base, type.components - first}, depth), ")"});
  }
  std::string swizzled(const Type& type, unsigned depth) {
    const unsigned from = 2 + below(3);
    std::string text = '(' + expression({type.base, from}, depth) + ").";
    for (unsigned i = 0; i < type.components; ++i) text += "xyzw"[below(from)];
    return text;
  }
  std::string two(const char* operation, const Type& type, unsigned depth) {
    return join({"(", expression(type, depth), " ", operation, " ", expression(type, depth), ")"});
  }
  std::string call(const std::string& function, const std::vector<Type>& types, unsigned depth) {
    std::string text = function + '(';
    for (std::size_t i = 0; i < types.size(); ++i) text += (i == 0 ? "" : ", ") + expression(types[i], depth);
    return text + ')';
  }

  std::string matrix(const Type& type, unsigned depth) {
    switch (below(5)) {
      case 0:
        return two("*", type, depth);
      case 1:
        return two("+", type, depth);
      case 2:
        return call("transpose", {type}, depth);
      case 3:
        return call("matrixCompMult", {type, type}, depth);
      default:
        return call("outerProduct", {{Scalar::real, type.components}, {Scalar::real, type.components}}, depth);
    }
  }

  std::string real(const Type& type, unsigned depth) {
    constexpr std::array one{"abs", "sign", "floor", "ceil", "fract", "trunc", "sin", "cos", "-"};
    constexpr std::array pairs{"min", "max", "step"};
    constexpr std::array inner{"dot", "distance"};
    constexpr std::array operations{"+", "-", "*"};
    switch (below(15)) {
      case 0:
      case 1:
      case 2:
        return two(operations[below(operations.size())], type, depth);
      case 12:
        return call("mix", {type, type, {Scalar::boolean, type.components}}, depth);
      case 13:
        if (type == real4) return call("unpackUnorm4x8", {{Scalar::natural, 1}}, depth);
        return "roundEven(" + expression(type, depth) + ')';
      case 3:
        return call(one[below(one.size())], {type}, depth);
      case 4:
        return call(pairs[below(pairs.size())], {type, type}, depth);
      case 5:
        return call("mix", {type, type, type}, depth);
      case 6:
        return join({"clamp(", expression(type, depth), ", 0.0, ", one_in(2) ? "1.0)" : "4.0)"});
      case 7:
        return join({"(", expression(type, depth), " / (abs(", expression(type, depth), ") + 0.5))"});
      case 8:
        return name_of(type) + '(' + expression({static_cast<Scalar>(1 + below(3)), type.components}, depth) + ')';
      case 9:
        if (type.components != 1) return call("normalize", {type}, depth);
        return call(inner[below(inner.size())], std::vector<Type>(2, {Scalar::real, 2 + below(3)}), depth);
      case 10:
        return "sqrt(abs(" + expression(type, depth) + "))";
      case 11:
        if (samplers_ != 0 && !in_function_ && type == real4)
          return "textureLod(t0, " + expression(real2, depth) + ", 0.0)";
        if (type == real3) return call("cross", {real3, real3}, depth);
        return "exp2(clamp(" + expression(type, depth) + ", -4.0, 4.0))";
      default:
        if (type.components > 1)
          return join({"(", expression({Scalar::real, type.components, type.components}, depth), " * ",
                       expression(type, depth), ")"});
        return "log2(abs(" + expression(type, depth) + ") + 1.0)";
    }
  }

  std::string whole(const Type& type, unsigned depth) {
    constexpr std::array operations{"+", "-", "*", "&", "|", "^"};
    constexpr std::array pairs{"min", "max"};
    const bool is_signed = type.base == Scalar::integer;
    switch (below(12)) {
      case 0:
      case 1:
      case 2:
        return two(operations[below(operations.size())], type, depth);
      case 3:
        return call(pairs[below(pairs.size())], {type, type}, depth);
      case 8:
      case 9:
        return bits(type, depth);
      case 10:
        return call("mix", {type, type, {Scalar::boolean, type.components}}, depth);
      case 4:
        return join({"(", expression(type, depth), one_in(2) ? " << (" : " >> (", expression(type, depth),
                     is_signed ? " & 31))" : " & 31u))"});
      case 5:
        return join({"(", expression(type, depth), one_in(2) ? " / ((" : " % ((", expression(type, depth),
                     is_signed ? " & 15) + 1))" : " & 15u) + 1u))"});
      case 6:
        if (is_signed)
          return join(
              {name_of(type), "(clamp(", expression({Scalar::real, type.components}, depth), ", -1000.0, 1000.0))"});
        return name_of(type) + '(' + expression({Scalar::integer, type.components}, depth) + ')';
      case 7:
        return is_signed ? call(one_in(2) ? "abs" : "~", {type}, depth) : call("~", {type}, depth);
      default:
        return name_of(type) + '(' +
               expression({is_signed ? Scalar::natural : Scalar::boolean, type.components}, depth) + ')';
    }
  }

  std::string bits(const Type& type, unsigned depth) {
    constexpr std::array counts{"findLSB", "findMSB", "bitCount"};
    const unsigned first = below(32), count = below(33 - first);
    const std::string of_bits = ", " + std::to_string(first) + ", " + std::to_string(count) + ')';
    switch (below(type.base == Scalar::integer ? 5 : 3)) {
      case 0:
        return call("bitfieldReverse", {type}, depth);
      case 1:
        return join({"bitfieldExtract(", expression(type, depth), of_bits});
      case 2:
        return join({"bitfieldInsert(", expression(type, depth), ", ", expression(type, depth), of_bits});
      default:
        return call(counts[below(counts.size())], {{one_in(2) ? Scalar::integer : Scalar::natural, type.components}},
                    depth);
    }
  }

  std::string boolean(const Type& type, unsigned depth) {
    constexpr std::array vectors{"lessThan", "lessThanEqual", "greaterThan", "greaterThanEqual", "equal", "notEqual"};
    constexpr std::array scalars{"<", "<=", ">", ">=", "==", "!="};
    constexpr std::array logic{"&&", "||", "^^"};
    const Scalar base = static_cast<Scalar>(below(3));
    if (type.components > 1)
      return one_in(4) ? call("not", {type}, depth)
                       : call(vectors[below(vectors.size())], std::vector<Type>(2, {base, type.components}), depth);
    switch (below(6)) {
      case 0:
        return two(logic[below(logic.size())], type, depth);
      case 1:
        return "(!" + expression(type, depth) + ')';
      case 2:
        return call(one_in(2) ? "any" : "all", {{Scalar::boolean, 2 + below(3)}}, depth);
      default:
        return two(scalars[below(scalars.size())], {base, 1}, depth);
    }
  }

  static constexpr unsigned most_size = 400;

  const Stage stage_;
  const Choose& choose_;
  std::string text_;
  std::vector<Known> known_, outputs_;
  std::vector<Function> functions_;
  unsigned next_ = 0, size_ = 0, samplers_ = 0;
  bool in_function_ = false, discards_ = false, stores_ = false;
};

}  // namespace

std::string random_shader(Stage stage, const Choose& choose) { return Generator(stage, choose).run(); }

std::string random_shader(Stage stage, std::uint64_t seed) {
  compile::Random random(seed);
  return random_shader(stage, [&](std::uint32_t count) { return random.below(count); });
}

}  // namespace mobula::test
