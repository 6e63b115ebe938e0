#include "io/values.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <iterator>
#include <limits>
#include <utility>

#include "core/source.h"

namespace mobula::io {
namespace {

using Base = GlslType::Base;

constexpr std::string_view allowed_values =
    "a number, true, false, \"nan\", \"inf\", \"-inf\", or a bit pattern in hexadecimal such as \"3f800000\"";

void read_float(const JsonPlace& place, RunWords& out) {
  float number = 0;
  place.read(number);
  out.push_back(std::bit_cast<std::uint32_t>(number));
}
void read_integer(const JsonPlace& place, RunWords& out) {
  constexpr std::int64_t low = std::numeric_limits<std::int32_t>::min();
  constexpr std::int64_t high = std::numeric_limits<std::uint32_t>::max();
  out.push_back(static_cast<std::uint32_t>(place.integer(low, high).value_or(0)));
}
/// Given as a float, which has the number exactly.
void read_integer_as_float(const JsonPlace& place, RunWords& out) {
  constexpr std::int64_t most = std::int64_t{1} << std::numeric_limits<float>::digits;
  out.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(place.integer(-most, most).value_or(0))));
}
void read_number(const JsonPlace& place, Base base, RunWords& out) {
  constexpr std::uint32_t one = std::bit_cast<std::uint32_t>(1.0F);
  switch (base) {
    case Base::integer:
      return read_integer_as_float(place, out);
    case Base::truth:
      return out.push_back(place.value().get<double>() != 0 ? one : 0u);
    case Base::i32:
    case Base::u32:
      return read_integer(place, out);
    case Base::boolean:
      return out.push_back(place.value().get<double>() != 0 ? ~0u : 0u);
    default:
      return read_float(place, out);
  }
}
/// What is no float has bit patterns only.
void read_string(const JsonPlace& place, Base base, RunWords& out) {
  constexpr std::string_view allowed_integers =
      "a whole number, true, false, or a bit pattern in hexadecimal such as \"3f800000\"";
  const auto& text = place.value().get_ref<const std::string&>();
  const bool is_float = base == Base::f32 || base == Base::real || base == Base::other;
  if (is_float && text == "nan") return out.push_back(0x7FC00000);
  if (is_float && text == "inf") return out.push_back(0x7F800000);
  if (is_float && text == "-inf") return out.push_back(0xFF800000);
  if (!is_float && (text == "nan" || text == "inf" || text == "-inf")) return place.wrong(allowed_integers);
  const auto bits = parse_hex(text);
  if (!bits || *bits > std::numeric_limits<std::uint32_t>::max()) return place.wrong(allowed_values);
  out.push_back(static_cast<std::uint32_t>(*bits));
}
/// Of a type of its own, which the bits are of; but integers and booleans that are given as floats are numbers.
void read_typed(const JsonPlace& place, Base base, RunWords& out) {
  const bool is_number = base == Base::integer || base == Base::truth;
  if (place.value().size() != 1) return place.wrong(R"({"f32": value}, {"i32": value} or {"u32": value})");
  place.only({"f32", "i32", "u32"});
  place.member("f32", [&](const JsonPlace& value) { read_words(value, Base::f32, out); });
  place.member("i32", [&](const JsonPlace& value) { read_words(value, is_number ? base : Base::i32, out); });
  place.member("u32", [&](const JsonPlace& value) { read_words(value, is_number ? base : Base::u32, out); });
}

}  // namespace

namespace {

template <class BaseOfNext>
void read_all_words(const JsonPlace& place, BaseOfNext next, RunWords& out) {
  const Json& value = place.value();
  if (value.is_number()) return read_number(place, next(), out);
  if (value.is_boolean()) return out.push_back(!value.get<bool>() ? 0u : is_given_as_float(next()) ? 0x3F800000u : ~0u);
  if (value.is_string()) return read_string(place, next(), out);
  if (value.is_object()) return read_typed(place, next(), out);
  if (!value.is_array()) return place.wrong(allowed_values);
  place.elements([&](const JsonPlace& element) { read_all_words(element, next, out); });
}

}  // namespace

void read_words(const JsonPlace& place, Base base, RunWords& out) {
  read_all_words(
      place, [base] { return base; }, out);
}

void read_words(const JsonPlace& place, const BlockWords& kinds, RunWords& out) {
  read_all_words(
      place, [&] { return kinds[out.size()]; }, out);
}

bool says_type(const JsonPlace& place) { return place.has("f32") || place.has("i32") || place.has("u32"); }

std::optional<std::uint32_t> parse_number(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> parse_hex(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

RunVec4 default_vector(Base base) { return {0, 0, 0, base == Base::i32 || base == Base::u32 ? 1u : 0x3F800000u}; }

namespace {

/// One variable, or part of one, in a packed slot.
struct Piece {
  std::string_view name;
  std::uint32_t first = 0, count = 0;  ///< components of the slot
};

/// "packed:a,b.x" of 4 components -> a: 0..2, b: 3. Pieces without a suffix share what the others leave.
std::vector<Piece> pieces_of(std::string_view packed, std::uint32_t components) {
  std::vector<Piece> pieces;
  std::uint32_t suffixed = 0, whole = 0;
  while (!packed.empty()) {
    const std::size_t comma = std::min(packed.find(','), packed.size());
    const std::string_view text = packed.substr(0, comma);
    packed.remove_prefix(std::min(comma + 1, packed.size()));
    const std::size_t dot = text.rfind('.');
    const bool has_suffix =
        dot != std::string_view::npos && text.find_first_not_of("xyzw", dot + 1) == std::string_view::npos;
    const auto count = has_suffix ? static_cast<std::uint32_t>(text.size() - dot - 1) : 0;
    pieces.push_back({has_suffix ? text.substr(0, dot) : text, 0, count});
    suffixed += count;
    whole += !has_suffix;
  }
  const std::uint32_t share = whole != 0 && components > suffixed ? (components - suffixed) / whole : 0;
  std::uint32_t next = 0;
  for (Piece& piece : pieces) {
    if (piece.count == 0) piece.count = share;
    piece.first = next;
    next += piece.count;
  }
  return pieces;
}

void add(std::vector<Component>& components, std::uint32_t slot, std::uint32_t first, std::uint32_t count) {
  for (std::uint32_t i = first; i < first + count && i < 4; ++i) components.push_back({slot, i});
}

void add_variable(std::vector<Component>& components, const Variable& variable, const GlslType& type) {
  constexpr std::uint32_t slot_limit = 4096;
  const auto first = static_cast<std::uint32_t>(variable.component);
  const std::uint64_t slots = std::uint64_t{type.columns} * type.length.value_or(1);
  for (std::uint32_t i = 0; i < std::min<std::uint64_t>(slots, slot_limit); ++i) {
    add(components, static_cast<std::uint32_t>(variable.driver_location) + i, first, type.rows);
  }
}

std::string names_of(const std::vector<Variable>& variables, Numbers numbers) {
  constexpr std::size_t shown = 16;
  const bool are_allowed = numbers == Numbers::allowed;
  if (variables.empty())
    return std::string("the program's side file names none") + (are_allowed ? "; a number is allowed" : "");
  std::string text = are_allowed ? "allowed: a number, " : "allowed: ";
  for (std::size_t i = 0; i < variables.size() && i < shown; ++i) text += (i == 0 ? "" : ", ") + variables[i].name;
  return variables.size() > shown ? text + " and " + std::to_string(variables.size() - shown) + " more" : text;
}

/// Which element of an output a render target is by its location, 0 of what is no array; nothing if it is none.
std::optional<std::int64_t> element_of(const Variable& output, std::uint32_t target) {
  constexpr std::int64_t first_colour = 4;  // Mesa's FRAG_RESULT_DATA0; gl_FragColor has a lower number
  const std::int64_t element = first_colour + static_cast<std::int64_t>(target) - output.location;
  if (output.location < first_colour || element < 0 || element >= parse_glsl_type(output.type).length.value_or(1))
    return {};
  return element;
}

}  // namespace

const Variable* find_variable(const std::vector<Variable>& variables, std::uint32_t driver_location) {
  const auto found = std::find_if(variables.begin(), variables.end(), [&](const Variable& variable) {
    return variable.driver_location == static_cast<std::int64_t>(driver_location);
  });
  return found == variables.end() ? nullptr : &*found;
}

const Variable* find_depth_output(const Interface& interface) {
  const auto found = std::ranges::find(interface.outputs, std::string_view("gl_FragDepth"), &Variable::name);
  return found == interface.outputs.end() ? nullptr : &*found;
}

const Variable* find_colour_output(const Interface& interface, std::uint32_t target) {
  const auto found = std::ranges::find_if(
      interface.outputs, [&](const Variable& variable) { return element_of(variable, target).has_value(); });
  if (found != interface.outputs.end()) return &*found;
  const Variable* const of_number = find_variable(interface.outputs, target);
  return of_number == find_depth_output(interface) ? nullptr : of_number;
}

std::string colour_name(const Interface& interface, std::uint32_t target) {
  const Variable* const variable = find_colour_output(interface, target);
  if (variable == nullptr) return "";
  if (!variable->type.ends_with(']')) return variable->name;
  return variable->name + '[' + std::to_string(element_of(*variable, target).value_or(0)) + ']';
}

namespace {
/// How many places columns of a matrix or elements of an array are apart.
enum class Apart : std::uint8_t { vectors, words };

/// As a variable of its own: "m[1]" of a matrix or of an array, "ms[1][0]".
std::optional<Variable> element_in(const std::vector<Variable>& variables, std::string_view name, Apart apart) {
  const std::size_t bracket = name.rfind('[');
  if (bracket == std::string_view::npos || !name.ends_with(']')) return {};
  const auto index = parse_number(name.substr(bracket + 1, name.size() - bracket - 2));
  const std::string_view outside = name.substr(0, bracket);
  const auto found = std::ranges::find(variables, outside, &Variable::name);
  const auto whole = found == variables.end() ? element_in(variables, outside, apart) : *found;
  if (!index || !whole || whole->driver_location < 0) return {};
  const GlslType type = parse_glsl_type(whole->type);
  const std::size_t of_array = whole->type.find('[');
  const bool is_array = of_array != std::string::npos;
  if (type.base == Base::other || type.base == Base::sampler || (!is_array && type.columns == 1)) return {};
  Variable element{.name = std::string(name), .component = whole->component};
  element.type = "vec" + std::to_string(type.rows);
  if (is_array) {  // the elements of its first dimension
    element.type = whole->type;
    element.type.erase(of_array, whole->type.find(']') + 1 - of_array);
  }
  const GlslType its = parse_glsl_type(element.type);
  const std::uint32_t columns = its.columns * its.length.value_or(0);
  if (columns == 0 || *index >= type.columns * type.length.value_or(0) / columns) return {};
  element.driver_location =
      whole->driver_location + static_cast<std::int32_t>(*index * columns * (apart == Apart::words ? type.rows : 1));
  return element;
}
}  // namespace

std::optional<Variable> uniform_in(const Interface& interface, std::string_view name) {
  return element_in(interface.uniforms, name, interface.layout == ValueLayout::words ? Apart::words : Apart::vectors);
}

std::vector<const Variable*> elements_of(std::string_view name, const std::vector<Variable>& variables) {
  std::vector<const Variable*> elements;
  std::size_t parts_of_each = 0;
  for (std::uint32_t i = 0;; ++i) {
    const std::string next = std::string(name) + '[' + std::to_string(i) + ']';
    const auto found = std::ranges::find(variables, next, &Variable::name);
    if (found != variables.end()) {
      elements.push_back(&*found);
      continue;
    }
    const std::string of_parts = next + '[';
    if (std::ranges::none_of(variables, [&](const Variable& each) { return each.name.starts_with(of_parts); }))
      return elements;
    const std::vector<const Variable*> parts = elements_of(next, variables);
    if (std::exchange(parts_of_each, parts.size()) != parts.size() && i != 0)
      return {};  // words would go to wrong ones
    elements.insert(elements.end(), parts.begin(), parts.end());
  }
}

namespace {
std::size_t room_in(const Variable& element) {
  return static_cast<std::size_t>(parse_glsl_type(element.type).words().value_or(0));
}
}  // namespace

std::size_t room_in(const std::vector<const Variable*>& elements) {
  std::size_t room = 0;
  for (const Variable* element : elements) room += room_in(*element);
  return room;
}

std::vector<UniformWords> placed(const Interface& interface, const std::vector<const Variable*>& elements,
                                 std::span<const std::uint32_t> words) {
  std::vector<UniformWords> all;
  for (const Variable* element : elements) {
    const auto own = words.first(std::min(room_in(*element), words.size()));
    words = words.subspan(own.size());
    if (own.empty() || element->driver_location < 0) continue;
    std::ranges::move(placed(interface, *element, RunWords(own.begin(), own.end())), std::back_inserter(all));
  }
  return all;
}

bool is_given_as_float(Base base) { return base == Base::real || base == Base::integer || base == Base::truth; }
Base base_of(const Interface& interface, Base declared) {
  if (interface.layout != ValueLayout::float_vec4s) return declared;
  switch (declared) {
    case Base::f32:
      return Base::real;
    case Base::i32:
    case Base::u32:
      return Base::integer;
    case Base::boolean:
      return Base::truth;
    default:
      return declared;
  }
}
Base base_of(const Interface& interface, const Variable* variable) {
  return base_of(interface, variable == nullptr ? Base::f32 : parse_glsl_type(variable->type).base);
}

namespace {
std::optional<std::uint32_t> output_named(const Interface& interface, std::string_view name) {
  for (const Variable& output : interface.outputs)
    if (output.name == name && output.driver_location >= 0) return static_cast<std::uint32_t>(output.driver_location);
  return std::nullopt;
}
}  // namespace

std::optional<std::uint32_t> position_of(const Interface& interface) {
  return interface.position ? interface.position : output_named(interface, "gl_Position");
}
std::optional<std::uint32_t> point_size_of(const Interface& interface) {
  return interface.point_size ? interface.point_size : output_named(interface, "gl_PointSize");
}

namespace {

/// Of an array, a matrix or an array of those; 1 of what is none, or has no end.
std::uint64_t vectors_of(const Variable& variable) {
  const GlslType type = parse_glsl_type(variable.type);
  return std::uint64_t{type.columns} * type.length.value_or(1);
}

/// As GLSL has it, the indices of arrays from the outermost, then the column: "turns[1][0]".
std::string element_name(const Variable& variable, std::uint32_t vector) {
  std::string name = variable.name, type = variable.type;
  for (std::size_t open = type.find('['); open != std::string::npos; open = type.find('[')) {
    type.erase(open, type.find(']') + 1 - open);
    const GlslType inner = parse_glsl_type(type);
    const std::uint32_t vectors = std::max(inner.columns * inner.length.value_or(1), 1u);
    name += '[' + std::to_string(vector / vectors) + ']';
    vector %= vectors;
  }
  return parse_glsl_type(type).columns == 1 ? name : name + '[' + std::to_string(vector) + ']';
}

bool has_vector(const Variable& variable, std::uint32_t number) {
  const std::int64_t first = variable.driver_location;
  return first >= 0 && first <= number && number - static_cast<std::uint64_t>(first) < vectors_of(variable);
}

const Variable* find_vector(const std::vector<Variable>& variables, std::uint32_t number) {
  if (const Variable* const begins_there = find_variable(variables, number)) return begins_there;
  const auto found = std::ranges::find_if(variables, [&](const Variable& each) { return has_vector(each, number); });
  return found == variables.end() ? nullptr : &*found;
}

/// Of the vector of this number, which is one of the variable's.
std::string name_of_vector(const Variable& variable, std::uint32_t number) {
  if (vectors_of(variable) == 1) return variable.name;
  return element_name(variable, number - static_cast<std::uint32_t>(variable.driver_location));
}

/// Bit c: component c of its vectors. All where it is not known.
std::uint32_t components_of(const Variable& variable) {
  constexpr std::uint32_t all = 15;
  const GlslType type = parse_glsl_type(variable.type);
  if (type.base == Base::other || type.base == Base::sampler || variable.name.starts_with("packed:")) return all;
  return ((1u << type.rows) - 1) << variable.component & all;
}

}  // namespace

std::string vector_name(const std::vector<Variable>& variables, std::uint32_t number) {
  const Variable* const variable = find_vector(variables, number);
  return variable == nullptr ? "" : name_of_vector(*variable, number);
}

std::uint8_t components_of_output(const Interface& interface, std::uint32_t number) {
  constexpr std::uint32_t all = 15;
  std::uint32_t components = 0;
  for (const Variable& each : interface.outputs)
    if (has_vector(each, number)) components |= components_of(each);
  return static_cast<std::uint8_t>(components == 0 ? all : components);
}

std::uint32_t OutputPart::stored_count(std::uint32_t stored) const {
  return static_cast<std::uint32_t>(std::bit_width(stored >> first & ((1u << count) - 1)));
}

std::vector<OutputPart> parts_of_output(const Interface& interface, std::uint32_t number) {
  std::vector<OutputPart> parts;
  std::uint32_t taken = 0;
  const auto add = [&](const Variable& each) {
    const std::uint32_t components = components_of(each);
    if ((components & taken) != 0 || components == 0) return;
    taken |= components;
    parts.push_back({name_of_vector(each, number), &each, static_cast<std::uint32_t>(std::countr_zero(components)),
                     static_cast<std::uint32_t>(std::popcount(components))});
  };
  for (const Variable& each : interface.outputs)
    if (each.driver_location == static_cast<std::int64_t>(number)) add(each);
  for (const Variable& each : interface.outputs)  // less is certain of long arrays
    if (has_vector(each, number)) add(each);
  std::ranges::sort(parts, {}, &OutputPart::first);
  if (parts.empty()) parts.emplace_back();
  for (OutputPart& each : parts) {
    if (!each.name.empty()) continue;
    if (number == point_size_of(interface)) each.name = "gl_PointSize";
    if (number == position_of(interface)) each.name = "gl_Position";
  }
  return parts;
}

std::vector<UniformWords> placed(const Interface& interface, const Variable& uniform, RunWords words) {
  const auto first = static_cast<std::uint32_t>(uniform.driver_location);
  if (interface.layout == ValueLayout::words) return {{first, std::move(words)}};
  const GlslType type = parse_glsl_type(uniform.type);
  const std::size_t column = type.base == Base::other ? 4 : type.rows;
  std::vector<UniformWords> parts;
  for (std::size_t at = 0, vec4 = first; at < words.size(); at += column, ++vec4) {
    const auto begin = words.begin() + static_cast<std::ptrdiff_t>(at);
    const std::size_t count = std::min(column, words.size() - at);
    parts.push_back({static_cast<std::uint32_t>(4 * vec4) + static_cast<std::uint32_t>(uniform.component),
                     RunWords(begin, begin + static_cast<std::ptrdiff_t>(count))});
  }
  return parts;
}

void unknown_name(const JsonPlace& place, std::string_view key, const std::vector<Variable>& variables,
                  Numbers numbers) {
  Nearest nearest(key);
  for (const Variable& variable : variables) nearest.offer(variable.name);
  place.error("IN005", "no such name; " + names_of(variables, numbers), nearest.hint());
}

FoundVariable find_components(std::string_view name, const std::vector<Variable>& variables) {
  constexpr std::string_view packed = "packed:";
  FoundVariable found;
  for (const Variable& variable : variables) {
    const GlslType type = parse_glsl_type(variable.type);
    if (variable.driver_location < 0) continue;
    if (variable.name == name) {
      found.variable = &variable;
      add_variable(found.components, variable, type);
      return found;
    }
    if (!std::string_view(variable.name).starts_with(packed)) continue;
    for (const Piece& piece : pieces_of(std::string_view(variable.name).substr(packed.size()), type.rows)) {
      if (piece.name != name) continue;
      found.variable = &variable;
      add(found.components, static_cast<std::uint32_t>(variable.driver_location),
          static_cast<std::uint32_t>(variable.component) + piece.first, piece.count);
    }
  }
  if (!found.components.empty()) return found;
  if (const auto element = element_in(variables, name, Apart::vectors)) {
    std::string_view whole = name;
    while (found.variable == nullptr) {  // "parts[1].m[0]" is of "parts[1].m"
      whole = whole.substr(0, whole.rfind('['));
      const auto of = std::ranges::find(variables, whole, &Variable::name);
      if (of != variables.end()) found.variable = &*of;
    }
    add_variable(found.components, *element, parse_glsl_type(element->type));
    return found;
  }
  const std::vector<const Variable*> elements = elements_of(name, variables);
  const auto has_place = [](const Variable* element) { return element->driver_location >= 0; };
  if (!std::ranges::all_of(elements, has_place)) return found;  // words would go to the wrong ones
  for (const Variable* element : elements) {
    found.variable = element;
    add_variable(found.components, *element, parse_glsl_type(element->type));
  }
  return found;
}

bool is_unread(std::string_view name, const std::vector<Variable>& variables) {
  const auto has = [&](std::string_view wanted) {
    return std::ranges::any_of(variables, [&](const Variable& each) {
      const bool is_one_block = each.type.empty() && wanted.size() < name.size();
      return each.name == wanted && each.driver_location < 0 && !is_one_block;
    });
  };
  if (!name.ends_with(']')) return has(name);
  return has(name) || has(name.substr(0, name.rfind('['))) || has(name.substr(0, name.find('[')));
}

Named find_named(const JsonPlace& place, std::string_view key, const std::vector<Variable>& variables) {
  Named named;
  if (const auto number = parse_number(key)) {
    const Variable* const variable = find_variable(variables, *number);
    if (variable != nullptr) named.base = parse_glsl_type(variable->type).base;
    add(named.components, *number, 0, 4);
    return named;
  }
  FoundVariable found = find_components(key, variables);
  if (found.variable != nullptr) named.base = parse_glsl_type(found.variable->type).base;
  named.components = std::move(found.components);
  if (named.components.empty() && !is_unread(key, variables)) unknown_name(place, key, variables);
  return named;
}

std::optional<std::uint32_t> find_number(const JsonPlace& place, std::string_view key,
                                         const std::vector<Variable>& variables) {
  if (const auto number = parse_number(key)) return number;
  for (const Variable& variable : variables) {
    if (variable.name == key && variable.driver_location >= 0)
      return static_cast<std::uint32_t>(variable.driver_location);
  }
  if (!is_unread(key, variables)) unknown_name(place, key, variables);
  return std::nullopt;
}

}  // namespace mobula::io
