#include "machines/utgard_gp/schedule/expression.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>
#include <span>
#include <string_view>

#include "core/counted.h"
#include "core/token_cursor.h"

namespace mobula::utgard_gp {
namespace {

constexpr std::size_t max_text_bytes = std::size_t{1} << 20;
constexpr std::size_t max_scalars = 16384;
constexpr unsigned max_depth = 200;
constexpr std::uint32_t max_uniform_vec4s = memory_vec4s_mali400;
// Uniforms of transform() and point_size(); the names with gl_mali are those of ARM's compiler.
constexpr std::string_view viewport_scale = "viewport_scale", viewport_offset = "viewport_offset",
                           viewport_transform = "gl_mali_ViewportTransform",
                           point_size_parameters = "gl_mali_PointSizeParameters";

/// A number, a vector of up to four or a matrix: components of the first column, then of the next ...
struct Quantity {
  unsigned columns = 1;
  std::vector<ScalarId> parts;
  Span where;

  [[nodiscard]] unsigned rows() const { return static_cast<unsigned>(parts.size()) / columns; }
  [[nodiscard]] bool is_scalar() const { return parts.size() == 1; }
  [[nodiscard]] bool is_matrix() const { return columns > 1; }
};

std::string shape(const Quantity& quantity) {
  if (quantity.is_matrix()) return "mat" + std::to_string(quantity.columns);
  return quantity.is_scalar() ? "float" : "vec" + std::to_string(quantity.parts.size());
}

struct Shape {
  std::string_view name;
  unsigned columns, rows;
};
constexpr std::array<Shape, 7> shapes{
    {{"float", 1, 1}, {"vec2", 1, 2}, {"vec3", 1, 3}, {"vec4", 1, 4}, {"mat2", 2, 2}, {"mat3", 3, 3}, {"mat4", 4, 4}}};

/// What has been computed so far. Derived functions are spelled out as the field's compilers do (reference 3.5).
class Scalars {
 public:
  explicit Scalars(std::vector<Scalar>& scalars) : scalars_(scalars) {}

  /// No more fit; what is made then is of no use.
  [[nodiscard]] bool full() const { return scalars_.size() >= max_scalars; }

  ScalarId add(const Scalar& scalar) {
    if (full()) return 0;
    scalars_.push_back(scalar);
    known_.push_back(evaluated(scalar));
    return static_cast<ScalarId>(scalars_.size() - 1);
  }
  [[nodiscard]] const Scalar& operator[](ScalarId id) const { return scalars_[id]; }
  /// The bits of what is computed from numbers alone.
  [[nodiscard]] std::optional<std::uint32_t> known(ScalarId id) const { return known_[id]; }
  ScalarId number(float value) { return add({.is_number = true, .bits = std::bit_cast<std::uint32_t>(value)}); }
  ScalarId make(Make make, ScalarId a, ScalarId b = 0, ScalarId c = 0) {
    return add({.make = make, .operands = {a, b, c}});
  }
  ScalarId negated(ScalarId x) { return make(Make::negation, x); }
  ScalarId clamped(ScalarId x, ScalarId low, ScalarId high) { return make(Make::min, make(Make::max, x, low), high); }
  ScalarId floor(ScalarId x) { return scalars_[x].make == Make::floor ? x : make(Make::floor, x); }
  ScalarId ceil(ScalarId x) { return negated(make(Make::floor, negated(x))); }
  ScalarId fract(ScalarId x) { return make(Make::add, x, negated(make(Make::floor, x))); }
  ScalarId sqrt(ScalarId x) { return make(Make::rcp, make(Make::rsqrt, x)); }
  ScalarId pow(ScalarId x, ScalarId y) { return make(Make::exp2, make(Make::mul, y, make(Make::log2, x))); }
  ScalarId mix(ScalarId x, ScalarId y, ScalarId t) {
    return make(Make::add, make(Make::mul, y, t), make(Make::mul, x, make(Make::add, number(1.0F), negated(t))));
  }

 private:
  [[nodiscard]] std::optional<std::uint32_t> evaluated(const Scalar& scalar) const {
    if (scalar.is_number) return scalar.bits;
    if (is_leaf(scalar.make)) return std::nullopt;
    std::array<std::uint32_t, 3> bits{};
    for (unsigned k = 0; k < operand_count(scalar.make); ++k) {
      const auto& operand = known_[scalar.operands[k]];
      if (!operand) return std::nullopt;
      bits[k] = *operand;
    }
    return evaluate(scalar.make, bits[0], bits[1], bits[2]);
  }

  std::vector<Scalar>& scalars_;
  std::vector<std::optional<std::uint32_t>> known_;  ///< by scalar
};

enum class FunctionKind : std::uint8_t { component_wise, dot, normalize, vector, transform, point_size };
struct Function {
  std::string_view name;
  FunctionKind kind;
  unsigned arguments;                                          ///< 0 = any number
  ScalarId (*make)(Scalars&, const std::array<ScalarId, 3>&);  ///< component_wise: of each component
};

using Parts = std::array<ScalarId, 3>;
template <Make how>
ScalarId plain(Scalars& scalars, const Parts& a) {
  return scalars.make(how, a[0], a[1], a[2]);
}

// clang-format off
constexpr std::array<Function, 25> functions{{
    {"min", FunctionKind::component_wise, 2, plain<Make::min>},
    {"max", FunctionKind::component_wise, 2, plain<Make::max>},
    {"floor", FunctionKind::component_wise, 1, plain<Make::floor>},
    {"sign", FunctionKind::component_wise, 1, plain<Make::sign>},
    {"ge", FunctionKind::component_wise, 2, plain<Make::ge>},
    {"lt", FunctionKind::component_wise, 2, plain<Make::lt>},
    {"rcp", FunctionKind::component_wise, 1, plain<Make::rcp>},
    {"rsqrt", FunctionKind::component_wise, 1, plain<Make::rsqrt>},
    {"exp2", FunctionKind::component_wise, 1, plain<Make::exp2>},
    {"log2", FunctionKind::component_wise, 1, plain<Make::log2>},
    {"select", FunctionKind::component_wise, 3, [](Scalars& s, const Parts& a) { return s.make(Make::select, a[0], a[2], a[1]); }},
    {"clamp", FunctionKind::component_wise, 3, [](Scalars& s, const Parts& a) { return s.clamped(a[0], a[1], a[2]); }},
    {"abs", FunctionKind::component_wise, 1, [](Scalars& s, const Parts& a) { return s.make(Make::max, a[0], s.negated(a[0])); }},
    {"ceil", FunctionKind::component_wise, 1, [](Scalars& s, const Parts& a) { return s.ceil(a[0]); }},
    {"fract", FunctionKind::component_wise, 1, [](Scalars& s, const Parts& a) { return s.fract(a[0]); }},
    {"sqrt", FunctionKind::component_wise, 1, [](Scalars& s, const Parts& a) { return s.sqrt(a[0]); }},
    {"pow", FunctionKind::component_wise, 2, [](Scalars& s, const Parts& a) { return s.pow(a[0], a[1]); }},
    {"mix", FunctionKind::component_wise, 3, [](Scalars& s, const Parts& a) { return s.mix(a[0], a[1], a[2]); }},
    {"dot", FunctionKind::dot, 2, nullptr},
    {"normalize", FunctionKind::normalize, 1, nullptr},
    {"vec2", FunctionKind::vector, 0, nullptr},
    {"vec3", FunctionKind::vector, 0, nullptr},
    {"vec4", FunctionKind::vector, 0, nullptr},
    {"transform", FunctionKind::transform, 1, nullptr},
    {"point_size", FunctionKind::point_size, 1, nullptr},
}};
// clang-format on

/// nullptr if there is none of that name.
const Function* find_function(std::string_view name) {
  for (const Function& each : functions)
    if (each.name == name) return &each;
  return nullptr;
}

/// nullptr if there is none of that name.
const Shape* find_shape(const LineToken& type) {
  for (const Shape& each : shapes)
    if (type.is(each.name)) return &each;
  return nullptr;
}

class Parser : TokenCursor {
 public:
  explicit Parser(const SourceText& text) : source_(text.file, text.text), scalars_(result_.scalars) {}

  Result<Expressions> run() {
    if (source_.text().size() > max_text_bytes) return fail("GP154", "the text is longer than 1 MiB");
    std::vector<LineToken> line;
    for (std::size_t i = 0; i < source_.line_count(); ++i) {
      lex_line(source_, i, line, Comments::slashes_only);
      const bool last = i + 1 == source_.line_count();
      tokens_.insert(tokens_.end(), line.begin(), last ? line.end() : line.end() - 1);
    }
    if (tokens_.empty()) tokens_.emplace_back();
    start(tokens_);
    while (!at_end()) statement();
    collect_stores();
    if (diagnostics_.empty() && result_.stores.empty())
      error(tokens_.back().span(), "GP153", "nothing is stored in a varying", "assign to a declared varying");
    if (!diagnostics_.empty()) return fail(std::move(diagnostics_));
    return std::move(result_);
  }

 private:
  /// What a name stands for. Inputs have all their parts, variables those assigned so far.
  struct Name {
    enum class Kind : std::uint8_t { input, variable, varying };
    Kind kind = Kind::variable;
    unsigned columns = 1, place = 0;
    unsigned elements = 0;  ///< of an array; 0 = it is none
    std::vector<std::optional<ScalarId>> parts;
  };
  /// Ends a statement; the error has been reported.
  struct Broken {};

  // ---------------------------------------------------------------------------------------------- tokens

  void error(Span span, std::string code, std::string message, std::string hint = {}) {
    diagnostics_.push_back(
        {Severity::error, std::move(code), source_.locate(span), std::move(message), std::move(hint)});
  }
  [[noreturn]] void give_up(Span span, std::string code, std::string message, std::string hint = {}) {
    error(span, std::move(code), std::move(message), std::move(hint));
    throw Broken{};
  }
  [[noreturn]] void unexpected(const std::string& wanted) {
    give_up(peek().span(), "GP150",
            "expected " + wanted +
                (at_end() ? std::string(", found the end of the text") : ", found '" + std::string(peek().text) + "'"));
  }
  void expect(std::string_view spelling) {
    if (!accept(spelling)) unexpected("'" + std::string(spelling) + "'");
  }
  LineToken word(const std::string& what) {
    if (peek().kind != LineToken::Kind::word) unexpected(what);
    return take();
  }
  unsigned number(unsigned limit, const std::string& what) {
    std::uint64_t value = 0;
    if (peek().kind != LineToken::Kind::number || !parse_integer(peek().text, value)) unexpected("a number of " + what);
    if (value >= limit)
      give_up(peek().span(), "GP154", what + " " + std::string(peek().text) + " does not exist",
              "allowed: 0 to " + std::to_string(limit - 1));
    take();
    return static_cast<unsigned>(value);
  }

  // ---------------------------------------------------------------------------------------------- statements

  void statement() {
    try {
      if (const auto kind = kind_named(peek().text))
        declaration(*kind);
      else
        assignment();
      expect(";");
      if (scalars_.full() && !was_full_) {
        was_full_ = true;
        error(peek().span(), "GP154", "more than " + std::to_string(max_scalars) + " operations");
      }
    } catch (const Broken&) {
      while (!at_end() && !take().is(";")) {
      }
    }
  }

  /// What is declared, and what there is of each.
  enum class Kind : std::uint8_t { attribute, uniform, varying };
  static constexpr std::array<std::string_view, 3> kinds{"attribute", "uniform", "varying"};
  static constexpr std::array<unsigned, 3> most{attribute_count, max_uniform_vec4s, varying_count};

  static std::optional<Kind> kind_named(std::string_view text) {
    const auto found = std::ranges::find(kinds, text);
    return found == kinds.end() ? std::nullopt : std::optional(static_cast<Kind>(found - kinds.begin()));
  }
  static std::string name(Kind kind) { return std::string(kinds[static_cast<std::size_t>(kind)]); }
  unsigned& next(Kind kind) { return next_[static_cast<std::size_t>(kind)]; }
  std::vector<Variable>& variables(Kind kind) {
    switch (kind) {
      case Kind::attribute:
        return result_.interface.inputs;
      case Kind::uniform:
        return result_.interface.uniforms;
      case Kind::varying:
        break;
    }
    return result_.interface.outputs;
  }

  void declaration(Kind kind) {
    take();
    const LineToken type = word("a type");
    const Shape* shape = find_shape(type);
    if (shape == nullptr)
      give_up(type.span(), "GP150", "'" + std::string(type.text) + "' is not a type",
              "the types are float, vec2, vec3, vec4, and mat2, mat3, mat4 for uniforms");
    if (shape->columns > 1 && kind != Kind::uniform)
      give_up(type.span(), "GP152", "a matrix takes several places", "declare its columns as vectors");
    const LineToken named = word("a name");
    if (names_.contains(std::string(named.text)) || find_function(named.text) != nullptr)
      give_up(named.span(), "GP151", "'" + std::string(named.text) + "' is taken");
    const unsigned limit = most[static_cast<std::size_t>(kind)];
    const unsigned elements = array_size(kind);
    const unsigned places = shape->columns * std::max(elements, 1u);
    unsigned place = next(kind);
    if (accept("@")) place = number(limit, name(kind));
    if (place + places > limit)
      give_up(named.span(), "GP154", "no " + name(kind) + " is left for '" + std::string(named.text) + "'",
              "there are " + std::to_string(limit));
    next(kind) = std::max(next(kind), place + places);
    declare(std::string(named.text), kind, *shape, place, elements);
  }

  /// 0 if what is declared is not an array.
  unsigned array_size(Kind kind) {
    const LineToken bracket = peek();
    if (!accept("[")) return 0;
    if (kind != Kind::uniform)
      give_up(bracket.span(), "GP152", "only uniforms can be arrays", "declare " + name(kind) + "s one by one");
    const LineToken token = peek();
    const unsigned elements = number(max_uniform_vec4s + 1, "elements");
    if (elements == 0) give_up(token.span(), "GP152", "an array has at least one element");
    expect("]");
    return elements;
  }

  void declare(const std::string& name, Kind kind, const Shape& shape, unsigned place, unsigned elements = 0) {
    const unsigned columns = shape.columns * std::max(elements, 1u);
    Name& made = names_[name];
    made.elements = elements;
    made.columns = shape.columns;
    made.place = place;
    made.kind = kind == Kind::varying ? Name::Kind::varying : Name::Kind::input;
    made.parts.resize(std::size_t{columns} * shape.rows);
    variables(kind).push_back(
        {.name = name,
         .type = std::string(shape.name) + (elements == 0 ? "" : '[' + std::to_string(elements) + ']'),
         .location = static_cast<std::int32_t>(place),
         .driver_location = static_cast<std::int32_t>(place)});
    if (kind == Kind::uniform) result_.uniform_vec4s = std::max(result_.uniform_vec4s, place + columns);
    if (made.kind == Name::Kind::varying) return;
    for (unsigned i = 0; i < made.parts.size(); ++i) {
      Scalar scalar{.make = kind == Kind::attribute ? Make::attribute : Make::uniform};
      scalar.index = static_cast<std::uint16_t>(place + i / shape.rows);
      scalar.component = static_cast<std::uint8_t>(i % shape.rows);
      made.parts[i] = scalars_.add(scalar);
    }
  }

  void assignment() {
    const LineToken name = word("a declaration or an assignment");
    std::optional<LineToken> mask;
    if (accept(".")) mask = word("components");
    expect("=");
    const Quantity value = expression();
    if (value.is_matrix()) give_up(value.where, "GP152", "a matrix cannot be assigned");
    const auto known = names_.find(std::string(name.text));
    if (known == names_.end()) {
      if (mask)
        give_up(name.span(), "GP151", "'" + std::string(name.text) + "' is not known", "assign it as a whole first");
      if (find_function(name.text) != nullptr)
        give_up(name.span(), "GP151", "'" + std::string(name.text) + "' is a function");
      names_[std::string(name.text)].parts.assign(value.parts.begin(), value.parts.end());
      return;
    }
    Name& to = known->second;
    if (to.kind == Name::Kind::input)
      give_up(name.span(), "GP151", "'" + std::string(name.text) + "' cannot be assigned",
              "it is an input of the program");
    if (!mask && to.kind == Name::Kind::variable) {
      to.parts.assign(value.parts.begin(), value.parts.end());
      return;
    }
    std::vector<unsigned> places;
    if (mask)
      places = components(*mask, static_cast<unsigned>(to.parts.size()));
    else
      for (unsigned i = 0; i < to.parts.size(); ++i) places.push_back(i);
    if (value.parts.size() != places.size() && !value.is_scalar())
      give_up(value.where, "GP152",
              shape(value) + " does not fit " + counted(places.size(), "component") + " of '" + std::string(name.text) +
                  "'");
    for (std::size_t i = 0; i < places.size(); ++i) to.parts[places[i]] = value.parts[value.is_scalar() ? 0 : i];
  }

  std::vector<unsigned> components(const LineToken& letters, unsigned count) {
    std::vector<unsigned> found;
    for (const char letter : letters.text) {
      std::size_t place = std::string_view("xyzw").find(letter);
      if (place == std::string_view::npos) place = std::string_view("rgba").find(letter);
      if (place == std::string_view::npos || place >= count)
        give_up(letters.span(), "GP152", "there is no component '" + std::string(1, letter) + "'",
                "of " + std::to_string(count) + ": " + std::string(std::string_view("xyzw").substr(0, count)));
      found.push_back(static_cast<unsigned>(place));
    }
    if (found.size() > 4) give_up(letters.span(), "GP152", "a vector has at most 4 components");
    return found;
  }

  void collect_stores() {
    for (const auto& [text, name] : names_)
      if (name.kind == Name::Kind::varying) tell_special(name);
    for (const auto& [text, name] : names_)
      for (std::size_t i = 0; i < name.parts.size() && name.kind == Name::Kind::varying; ++i)
        if (name.parts[i])
          result_.stores.push_back(
              {static_cast<std::uint8_t>(name.place), static_cast<std::uint8_t>(i), *name.parts[i]});
  }

  /// Whoever runs the program has to know which varying holds what transform() and point_size() made.
  void tell_special(const Name& varying) {
    const auto holds = [&](const std::vector<ScalarId>& made) {
      return std::equal(made.begin(), made.end(), varying.parts.begin(), varying.parts.end(),
                        [](ScalarId part, const std::optional<ScalarId>& held) { return held == part; });
    };
    if (std::any_of(positions_.begin(), positions_.end(), holds)) result_.interface.position = varying.place;
    if (std::any_of(point_sizes_.begin(), point_sizes_.end(), holds)) result_.interface.point_size = varying.place;
  }

  // ---------------------------------------------------------------------------------------------- expressions

  Quantity expression() {
    const Deeper deeper(*this);
    Quantity left = product();
    while (peek().is("+") || peek().is("-")) {
      const bool minus = take().is("-");
      Quantity right = product();
      if (minus)
        for (ScalarId& part : right.parts) part = scalars_.negated(part);
      left = combine(Make::add, left, right);
    }
    return left;
  }

  Quantity product() {
    Quantity left = unary();
    while (peek().is("*") || peek().is("/")) {
      const bool quotient = take().is("/");
      Quantity right = unary();
      if (quotient) {
        if (right.is_matrix()) give_up(right.where, "GP152", "nothing can be divided by a matrix");
        for (ScalarId& part : right.parts) part = scalars_.make(Make::rcp, part);
      }
      left = left.is_matrix() && !right.is_scalar() ? transformed(left, right) : combine(Make::mul, left, right);
    }
    return left;
  }

  Quantity unary() {
    const Deeper deeper(*this);
    if (accept("+")) return unary();
    if (!accept("-")) return postfix();
    Quantity value = unary();
    for (ScalarId& part : value.parts) part = scalars_.negated(part);
    return value;
  }

  /// What stands between brackets: a number, or what is computed at run time.
  struct Index {
    std::optional<unsigned> number;
    ScalarId value = 0;
    Span where;
  };
  Index index(unsigned limit, const std::string& what) {
    expect("[");
    const Quantity value = expression();
    if (!value.is_scalar()) give_up(value.where, "GP152", "an index is a float, not a " + shape(value));
    Index made{std::nullopt, value.parts[0], value.where};
    if (const auto bits = scalars_.known(made.value)) {
      const auto chosen = std::bit_cast<float>(*bits);
      if (!(chosen >= 0 && chosen < static_cast<float>(limit)) || chosen != std::floor(chosen)) {
        std::array<char, 32> text{};
        std::snprintf(text.data(), text.size(), "%g", static_cast<double>(chosen));
        give_up(value.where, "GP154", "there is no " + what + ' ' + text.data(),
                "allowed: 0 to " + std::to_string(limit - 1));
      }
      made.number = static_cast<unsigned>(chosen);
    }
    expect("]");
    return made;
  }

  /// Parts of uniform memory at an index that is computed at run time. `first` are those at index 0, and from one index
  /// to the next there are `stride` vec4s. How address registers round is not published, so that they get whole
  /// numbers.
  std::vector<ScalarId> loaded(std::span<const ScalarId> first, ScalarId index, unsigned stride) {
    ScalarId address = scalars_.floor(index);
    if (stride != 1) address = scalars_.make(Make::mul, address, scalars_.number(static_cast<float>(stride)));
    if (const Scalar begin = scalars_[first[0]]; begin.make == Make::load)
      address = scalars_.make(Make::add, begin.operands[0], address);
    std::vector<ScalarId> parts;
    for (const ScalarId part : first) {
      Scalar load = scalars_[part];
      load.make = Make::load;
      load.operands[0] = address;
      parts.push_back(scalars_.add(load));
    }
    return parts;
  }

  Quantity postfix() {
    Quantity value = primary();
    while (true) {
      if (peek().is("[")) {
        value = part_of(value);
      } else if (accept(".")) {
        const LineToken letters = word("components");
        if (value.is_matrix()) give_up(letters.span(), "GP152", "a matrix has columns", "write [0], [1] ...");
        std::vector<ScalarId> parts;
        for (const unsigned place : components(letters, value.rows())) parts.push_back(value.parts[place]);
        value.parts = std::move(parts);
      } else {
        return value;
      }
    }
  }

  /// A column of a matrix, or a component.
  Quantity part_of(const Quantity& whole) {
    const bool matrix = whole.is_matrix();
    const Index at = matrix ? index(whole.columns, "column") : index(whole.rows(), "component");
    const unsigned size = matrix ? whole.rows() : 1;
    Quantity part{1, {}, whole.where};
    if (at.number) {
      for (unsigned i = 0; i < size; ++i) part.parts.push_back(whole.parts[*at.number * size + i]);
      return part;
    }
    if (!matrix)
      give_up(at.where, "GP152", "a component cannot be chosen at run time",
              "address registers choose vec4s: write a number, or make the components elements of a uniform array");
    if (!is_leaf(scalars_[whole.parts[0]].make))
      give_up(at.where, "GP152", "a column of a matrix that is computed cannot be chosen at run time",
              "address registers choose vec4s of uniform memory: take the column of the uniform and compute with it");
    part.parts = loaded(std::span(whole.parts).first(size), at.value, 1);
    return part;
  }

  Quantity primary() {
    const LineToken token = peek();
    if (accept("(")) {
      Quantity value = expression();
      expect(")");
      return value;
    }
    if (token.kind == LineToken::Kind::number) {
      float value = 0;
      if (!parse_real(token.text, value))
        give_up(token.span(), "GP150", "'" + std::string(token.text) + "' is not a number");
      if (!std::isfinite(value))
        give_up(token.span(), "GP154", "'" + std::string(token.text) + "' is more than a 32-bit float can hold");
      take();
      return {1, {scalars_.number(value)}, token.span()};
    }
    if (token.kind != LineToken::Kind::word) unexpected("a value");
    take();
    return peek().is("(") ? call(token) : named(token);
  }

  Quantity named(const LineToken& token) {
    const std::string text(token.text);
    const auto known = names_.find(text);
    if (known == names_.end()) {
      Nearest nearest(token.text);
      for (const auto& [name, what] : names_) nearest.offer(name);
      give_up(token.span(), "GP151", "'" + text + "' is not known", nearest.hint());
    }
    Quantity value{known->second.columns, {}, token.span()};
    if (known->second.elements != 0) {
      value.parts = element_of(text, known->second, token);
      return value;
    }
    for (std::size_t i = 0; i < known->second.parts.size(); ++i) {
      const auto& part = known->second.parts[i];
      if (!part)
        give_up(token.span(), "GP153",
                "component " + std::string(1, "xyzw"[i % 4]) + " of '" + text + "' is read before it is assigned");
      value.parts.push_back(*part);
    }
    return value;
  }

  /// Arrays are uniforms, so that all their parts are there.
  std::vector<ScalarId> element_of(const std::string& text, const Name& array, const LineToken& token) {
    if (!peek().is("["))
      give_up(token.span(), "GP152", "'" + text + "' is an array",
              "write " + text + "[0] to " + text + '[' + std::to_string(array.elements - 1) + ']');
    const Index at = index(array.elements, "element");
    const std::size_t size = array.parts.size() / array.elements;
    std::vector<ScalarId> parts;
    for (std::size_t i = 0; i < size; ++i) parts.push_back(*array.parts[at.number.value_or(0) * size + i]);
    return at.number ? parts : loaded(parts, at.value, array.columns);
  }

  /// Component by component; a number goes with every component.
  Quantity combine(Make how, const Quantity& a, const Quantity& b) {
    const bool fits = a.is_scalar() || b.is_scalar() || (a.parts.size() == b.parts.size() && a.columns == b.columns);
    if (!fits || (how == Make::mul && a.is_matrix() && b.is_matrix()))
      give_up(b.where, "GP152", shape(a) + " and " + shape(b) + " do not fit");
    Quantity value{std::max(a.columns, b.columns), {}, a.where};
    for (std::size_t i = 0; i < std::max(a.parts.size(), b.parts.size()); ++i)
      value.parts.push_back(scalars_.make(how, a.parts[a.is_scalar() ? 0 : i], b.parts[b.is_scalar() ? 0 : i]));
    return value;
  }

  /// Matrix times vector: the columns times the components, added from the first.
  Quantity transformed(const Quantity& matrix, const Quantity& vector) {
    if (vector.is_matrix() || vector.rows() != matrix.columns)
      give_up(vector.where, "GP152", shape(matrix) + " and " + shape(vector) + " do not fit");
    Quantity value{1, {}, matrix.where};
    for (unsigned row = 0; row < matrix.rows(); ++row) {
      ScalarId sum = scalars_.make(Make::mul, matrix.parts[row], vector.parts[0]);
      for (unsigned column = 1; column < matrix.columns; ++column)
        sum = scalars_.make(Make::add, sum,
                            scalars_.make(Make::mul, matrix.parts[column * matrix.rows() + row], vector.parts[column]));
      value.parts.push_back(sum);
    }
    return value;
  }

  // ---------------------------------------------------------------------------------------------- functions

  Quantity call(const LineToken& name) {
    const Function* row = find_function(name.text);
    if (row == nullptr) {
      Nearest nearest(name.text);
      for (const Function& each : functions) nearest.offer(each.name);
      give_up(name.span(), "GP151", "there is no function '" + std::string(name.text) + "'", nearest.hint());
    }
    expect("(");
    std::vector<Quantity> arguments;
    do {
      arguments.push_back(expression());
      if (arguments.back().is_matrix()) give_up(arguments.back().where, "GP152", "functions do not take matrices");
    } while (accept(","));
    expect(")");
    if (row->arguments != 0 && arguments.size() != row->arguments)
      give_up(name.span(), "GP152",
              std::string(name.text) + " takes " + counted(row->arguments, "argument") + ", not " +
                  std::to_string(arguments.size()));
    switch (row->kind) {
      case FunctionKind::component_wise:
        return component_wise(*row, arguments, name);
      case FunctionKind::dot:
        return dot(arguments[0], arguments[1]);
      case FunctionKind::normalize:
        return normalized(arguments[0]);
      case FunctionKind::vector:
        return vector(arguments, static_cast<unsigned>(name.text.back() - '0'), name);
      case FunctionKind::transform:
        return screen_position(arguments[0], name);
      case FunctionKind::point_size:
        break;
    }
    return screen_size(arguments[0], name);
  }

  Quantity component_wise(const Function& row, const std::vector<Quantity>& arguments, const LineToken& name) {
    std::size_t size = 1;
    for (const Quantity& argument : arguments) size = std::max(size, argument.parts.size());
    for (const Quantity& argument : arguments)
      if (!argument.is_scalar() && argument.parts.size() != size)
        give_up(argument.where, "GP152",
                shape(argument) + " does not fit the other arguments of " + std::string(row.name));
    Quantity value{1, {}, name.span()};
    for (std::size_t i = 0; i < size; ++i) {
      std::array<ScalarId, 3> parts{};
      for (std::size_t k = 0; k < arguments.size(); ++k)
        parts[k] = arguments[k].parts[arguments[k].is_scalar() ? 0 : i];
      value.parts.push_back(row.make(scalars_, parts));
    }
    return value;
  }

  Quantity dot(const Quantity& a, const Quantity& b) {
    const Quantity products = combine(Make::mul, a, b);
    ScalarId sum = products.parts[0];
    for (std::size_t i = 1; i < products.parts.size(); ++i) sum = scalars_.make(Make::add, sum, products.parts[i]);
    return {1, {sum}, a.where};
  }
  Quantity normalized(const Quantity& a) {
    Quantity scale = dot(a, a);
    scale.parts[0] = scalars_.make(Make::rsqrt, scale.parts[0]);
    return combine(Make::mul, a, scale);
  }

  Quantity vector(const std::vector<Quantity>& arguments, unsigned size, const LineToken& name) {
    Quantity value{1, {}, name.span()};
    for (const Quantity& argument : arguments)
      value.parts.insert(value.parts.end(), argument.parts.begin(), argument.parts.end());
    if (value.parts.size() == 1) value.parts.resize(size, value.parts[0]);
    if (value.parts.size() != size)
      give_up(name.span(), "GP152",
              std::string(name.text) + " cannot be made of " + counted(value.parts.size(), "component"));
    return value;
  }

  /// What the hardware wants in the position varying (reference 5.1, in the order of ARM's compiler).
  Quantity screen_position(const Quantity& clip, const LineToken& name) {
    if (clip.parts.size() != 4) give_up(clip.where, "GP152", "transform takes a vec4, not a " + shape(clip));
    const auto [scale, offset] = viewport(name);
    const ScalarId r =
        scalars_.clamped(scalars_.make(Make::rcp, clip.parts[3]), scalars_.number(-1e10F), scalars_.number(1e10F));
    Quantity value{1, {}, name.span()};
    for (std::size_t i = 0; i < 3; ++i) {
      const ScalarId scaled = scalars_.make(Make::mul, scalars_.make(Make::mul, clip.parts[i], scale.parts[i]), r);
      value.parts.push_back(scalars_.make(Make::add, scaled, offset.parts[i]));
    }
    value.parts.push_back(r);
    positions_.push_back(value.parts);
    return value;
  }

  /// What the hardware wants in the point size varying (5.2): clamped to the limits, and scaled.
  Quantity screen_size(const Quantity& size, const LineToken& name) {
    if (!size.is_scalar()) give_up(size.where, "GP152", "point_size takes a float, not a " + shape(size));
    const Quantity limits = helper(point_size_parameters, 0, name);
    const ScalarId clamped = scalars_.clamped(size.parts[0], limits.parts[0], limits.parts[1]);
    Quantity value{1, {scalars_.make(Make::mul, clamped, limits.parts[2])}, name.span()};
    point_sizes_.push_back(value.parts);
    return value;
  }

  /// Scale and offset, which whoever runs the program fills in if they follow each other.
  std::pair<Quantity, Quantity> viewport(const LineToken& name) {
    const auto array = names_.find(std::string(viewport_transform));
    if (array != names_.end() && array->second.elements >= 2) {
      result_.interface.viewport_vec4 = array->second.place;
      return {helper(viewport_transform, 0, name), helper(viewport_transform, 1, name)};
    }
    std::pair<Quantity, Quantity> both{helper(viewport_scale, 0, name), helper(viewport_offset, 0, name)};
    const unsigned scale = names_[std::string(viewport_scale)].place;
    if (names_[std::string(viewport_offset)].place == scale + 1) result_.interface.viewport_vec4 = scale;
    return both;
  }

  /// A uniform, or an element of it, that a built-in function reads; declared after the others if the text does not.
  Quantity helper(std::string_view uniform, unsigned element, const LineToken& name) {
    const std::string text(uniform);
    if (!names_.contains(text)) {
      if (next(Kind::uniform) >= max_uniform_vec4s) give_up(name.span(), "GP154", "no uniform is left for " + text);
      declare(text, Kind::uniform, shapes[3], next(Kind::uniform)++);
    }
    const Name& found = names_[text];
    const std::size_t size = found.parts.size() / std::max(found.elements, 1u);
    if (found.kind != Name::Kind::input || found.columns > 1 || size < 3)
      give_up(name.span(), "GP152", text + " must be a vec3 or vec4 that is an input");
    Quantity value{1, {}, name.span()};
    for (std::size_t i = 0; i < size; ++i) value.parts.push_back(*found.parts[element * size + i]);
    return value;
  }

  /// Counts nesting, so that hostile texts cannot exhaust the stack.
  class Deeper {
   public:
    explicit Deeper(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > max_depth) {
        --parser_.depth_;
        parser_.give_up(parser_.peek().span(), "GP154", "nested deeper than " + std::to_string(max_depth));
      }
    }
    ~Deeper() { --parser_.depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;

   private:
    Parser& parser_;
  };

  mobula::Source source_;
  std::vector<LineToken> tokens_;
  unsigned depth_ = 0;
  bool was_full_ = false;
  std::map<std::string, Name> names_;
  std::array<unsigned, 3> next_{};                              ///< by kind: the first place that is free
  std::vector<std::vector<ScalarId>> positions_, point_sizes_;  ///< made by transform() and point_size()
  Expressions result_;
  Scalars scalars_;
  Diagnostics diagnostics_;
};

}  // namespace

Result<Expressions> parse_expressions(const SourceText& source) { return Parser(source).run(); }

}  // namespace mobula::utgard_gp
