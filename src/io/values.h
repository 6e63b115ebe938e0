// Values in run inputs: lists of numbers and bit patterns, and the names that lead to them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/export.h"
#include "io/block_words.h"
#include "io/glsl_type.h"
#include "io/json.h"
#include "mobula/isa/program.h"
#include "mobula/lab/run.h"

namespace mobula::io {

/// Appends the words of a value: a number, true or false, "nan", "inf", "-inf", a bit pattern in hexadecimal
/// ("bf845378", "0x3f"), an array of values, or {"f32": ...}, {"i32": ...}, {"u32": ...} to say what numbers are to be.
void read_words(const JsonPlace& place, GlslType::Base base, RunWords& out);

/// The same, of the words of a block: the first one read is that after those in `out`.
void read_words(const JsonPlace& place, const BlockWords& kinds, RunWords& out);
/// Whether it is an object that says with f32, i32 or u32 what its numbers are to be.
bool says_type(const JsonPlace& place);

/// Where one component of a named value lives.
struct Component {
  std::uint32_t slot = 0;       ///< attribute or varying number
  std::uint32_t component = 0;  ///< 0..3
};
/// A name, found.
struct Named {
  std::vector<Component> components;  ///< in the order of the value's words
  GlslType::Base base = GlslType::Base::f32;
};

/// A variable and its components, in the order of its words.
struct FoundVariable {
  const Variable* variable = nullptr;  ///< none: there is nothing of that name
  std::vector<Component> components;
};
/// By name, that of a column or an element ("m[0]") included. A matrix or array has one slot a column or element, which
/// may be variables of their own.
/// Knows the names of packed slots, "packed:a,b.x": several variables, or parts of them, in one slot.
MOBULA_INTERNAL FoundVariable find_components(std::string_view name, const std::vector<Variable>& variables);

/// The components of an input or output, by name or by number. Empty if there is none; `place` is told.
Named find_named(const JsonPlace& place, std::string_view key, const std::vector<Variable>& variables);

/// Whether it is declared and the code does not read it, which drivers' side files and our compilers say by a place of
/// -1. As with a driver, giving it a value is right and does nothing.
bool is_unread(std::string_view name, const std::vector<Variable>& variables);

/// Bit c: outputs of this number have a component c by their types. All where that is not known.
std::uint8_t components_of_output(const Interface& interface, std::uint32_t number);

/// The words of a uniform where uniform buffer 0 holds them: packed, or with each column in a vec4 of its own.
std::vector<UniformWords> placed(const Interface& interface, const Variable& uniform, RunWords words);
/// "weights[2]" of an array, or "turn[1]" of a matrix, its column, as a uniform of its own; nothing if there is none.
std::optional<Variable> uniform_in(const Interface& interface, std::string_view name);
/// Variables that are the elements of one of that name, "lights[0]", "lights[1]", or theirs in turn, "m[0][0]",
/// "m[0][1]", "m[1][0]"; none if there is no first one.
std::vector<const Variable*> elements_of(std::string_view name, const std::vector<Variable>& variables);
/// Words that fit all of them together.
std::size_t room_in(const std::vector<const Variable*>& elements);
/// At most so many words, one element after the other. What goes to one that is not read is left out.
std::vector<UniformWords> placed(const Interface& interface, const std::vector<const Variable*>& elements,
                                 std::span<const std::uint32_t> words);
/// What the vector of this number is called, "m[1]" of a matrix or an array, "ms[1][0]" of an array of those; empty if
/// nothing names it.
std::string vector_name(const std::vector<Variable>& variables, std::uint32_t number);
/// What one output has of a varying: outputs may share its four components.
struct OutputPart {
  std::string name;  ///< as of vector_name(), or gl_Position and gl_PointSize where they are announced
  const Variable* variable = nullptr;  ///< nullptr if it is none of the outputs
  std::uint32_t first = 0, count = 4;  ///< components

  /// How many up to the last one that was stored. Bit c of `stored`: component c of the varying was.
  [[nodiscard]] std::uint32_t stored_count(std::uint32_t stored) const;
};
/// By component; all of the varying where it is not known what shares it.
std::vector<OutputPart> parts_of_output(const Interface& interface, std::uint32_t number);

/// The driver location of that name, or the number itself. nullopt, and `place` is told, if there is none.
std::optional<std::uint32_t> find_number(const JsonPlace& place, std::string_view key,
                                         const std::vector<Variable>& variables);

/// The variable with this driver location; nullptr if there is none.
const Variable* find_variable(const std::vector<Variable>& variables, std::uint32_t driver_location);
/// What ColourOutput::target is of what writes a depth alone.
inline constexpr std::uint32_t no_target = 0xFF;
/// Whether a colour with this ColourOutput::target is of render target 0, which pictures show.
constexpr bool is_of_first_target(std::uint32_t target) { return target >> 8 == 0 && target != no_target; }
/// The depth that the program gives its pixels; nullptr if it gives none.
const Variable* find_depth_output(const Interface& interface);
/// The fragment output that is this render target, or an array of which an element is: by its location, or where that
/// says nothing by its driver location, which on some machines counts words. nullptr if there is none.
MOBULA_INTERNAL const Variable* find_colour_output(const Interface& interface, std::uint32_t target);
/// What it is called, "colours[1]" of an array; empty if nothing names it.
std::string colour_name(const Interface& interface, std::uint32_t target);
/// The numbers of a variable as the program has them; floats if there is none.
GlslType::Base base_of(const Interface& interface, const Variable* variable);
GlslType::Base base_of(const Interface& interface, GlslType::Base declared);
/// As numbers of machines that have nothing else, of whatever type.
bool is_given_as_float(GlslType::Base base);
/// The varying that holds the position: the one announced, else the output gl_Position.
std::optional<std::uint32_t> position_of(const Interface& interface);
/// The same for the point size, gl_PointSize.
std::optional<std::uint32_t> point_size_of(const Interface& interface);

/// Whether numbers stand for things as well as their names.
enum class Numbers : std::uint8_t { allowed, refused };
/// IN005: there is no such name; lists what there is.
void unknown_name(const JsonPlace& place, std::string_view key, const std::vector<Variable>& variables,
                  Numbers numbers = Numbers::allowed);

/// A whole decimal number, or nullopt.
std::optional<std::uint32_t> parse_number(std::string_view text);
/// A hexadecimal number with or without 0x.
std::optional<std::uint64_t> parse_hex(std::string_view text);

/// What a vector has where nothing is given: 0, 0, 0, 1.
MOBULA_INTERNAL RunVec4 default_vector(GlslType::Base base);

}  // namespace mobula::io
