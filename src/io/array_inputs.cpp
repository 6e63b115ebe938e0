#include <algorithm>
#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/counted.h"
#include "core/quote.h"
#include "core/source.h"
#include "io/inputs.h"
#include "io/texture.h"
#include "io/values.h"
#include "mobula/lab/arrays.h"

namespace mobula {
namespace {

using Base = io::GlslType::Base;

Unexpected refuse(std::string code, std::string_view name, std::string_view message, std::string hint = {}) {
  return fail(std::move(code), std::string(name).append(": ").append(message), std::move(hint));
}

/// Integers and booleans may be, as floats.
bool are_floats(Base base) { return base == Base::f32 || base == Base::other || io::is_given_as_float(base); }

/// Whole numbers are the same with and without a sign, but for those of which the highest bit is set.
Result<void> expect_same_numbers(std::string_view name, const ArrayView& array, Base base) {
  const bool are_signed = array.kind == NumberKind::i32;
  if (base != (are_signed ? Base::u32 : Base::i32)) return {};
  const auto other = std::ranges::find_if(array.words, [](std::uint32_t word) { return word >> 31 != 0; });
  if (other == array.words.end()) return {};
  const std::string number = are_signed ? std::to_string(static_cast<std::int32_t>(*other)) : std::to_string(*other);
  return refuse(
      "IN024", name,
      number + (are_signed ? " does not fit uint: 0 to 4294967295" : " does not fit int: -2147483648 to 2147483647"),
      are_signed ? "give bits as an array of uint32" : "give bits as an array of int32");
}

/// The words as the program takes them.
Result<RunWords> converted(std::string_view name, const ArrayView& array, Base base) {
  RunWords words(array.words.begin(), array.words.end());
  if (!are_floats(base)) {
    if (array.kind == NumberKind::f32)
      return refuse("IN021", name, "takes whole numbers, and these are floats", "give an array of int32 or uint32");
    if (const auto same = expect_same_numbers(name, array, base); !same) return fail(same.error());
    if (base == Base::boolean)
      for (std::uint32_t& word : words) word = word == 0 ? 0 : 1;
    return words;
  }
  if (array.kind == NumberKind::f32) {
    const auto is_whole = [](std::uint32_t word) {
      const auto number = std::bit_cast<float>(word);
      return std::trunc(number) == number && std::isfinite(number);
    };
    if (base == Base::integer && !std::ranges::all_of(words, is_whole))
      return refuse("IN021", name, "takes whole numbers, and some of these are not",
                    "give an array of int32 or uint32");
    return words;
  }
  for (std::uint32_t& word : words)
    word = std::bit_cast<std::uint32_t>(
        array.kind == NumberKind::i32 ? static_cast<float>(static_cast<std::int32_t>(word)) : static_cast<float>(word));
  return words;
}

Result<std::size_t> columns_of(std::string_view name, const ArrayView& array) {
  if (array.rows == 0 || array.words.empty() || array.words.size() % array.rows != 0)
    return refuse("IN022", name,
                  counted(array.words.size(), "value").append(" are not ").append(counted(array.rows, "row")),
                  "each row has the same number of values, and there is at least one");
  return array.words.size() / array.rows;
}

Unexpected too_many(std::string_view name, std::size_t given, std::size_t room) {
  return refuse("IN007", name,
                counted(given, "value").append(" are given; at most ").append(std::to_string(room)).append(" fit"));
}

/// Writes each row into the components it belongs to. `slots[n]` gets as many vectors as there are rows.
template <class Slots>
Result<void> put_rows(std::string_view name, const ArrayView& array, const Interface& interface,
                      const io::FoundVariable& found, Slots slot_of) {
  const Base base = io::base_of(interface, found.variable);
  const auto columns = columns_of(name, array);
  if (!columns) return fail(columns.error());
  if (*columns > found.components.size()) return too_many(name, *columns, found.components.size());
  const auto words = converted(name, array, base);
  if (!words) return fail(words.error());
  for (std::size_t i = 0; i < *columns; ++i) {
    const auto [slot, component] = found.components[i];
    const std::span<RunVec4> values = slot_of(slot, io::default_vector(base));
    for (std::size_t row = 0; row < values.size(); ++row)
      values[row][component] = (*words)[std::min(row, array.rows - 1) * *columns + i];
  }
  return {};
}

Result<void> set_input(RunInputs& inputs, const Interface& interface, std::string_view name, const ArrayView& array,
                       const io::FoundVariable& found) {
  if (array.rows > inputs.limits.threads)
    return refuse("IN008", name, "is for more threads than limits.threads allows");
  if (array.rows != 1 && inputs.threads != 1 && array.rows != inputs.threads)
    return refuse("IN009", name,
                  "is for " + counted(array.rows, "thread") + ", and the run has " + std::to_string(inputs.threads));
  auto& values = interface.stage == Stage::vertex ? inputs.attributes : inputs.varyings;
  auto done = put_rows(name, array, interface, found, [&](std::uint32_t slot, const RunVec4& fill) {
    std::vector<RunVec4>& vectors = values[slot];
    const RunVec4 rest = vectors.empty() ? fill : vectors.front();
    vectors.resize(std::max(array.rows, vectors.size()), rest);
    return std::span(vectors);
  });
  if (done && array.rows != 1) inputs.threads = static_cast<std::uint32_t>(array.rows);
  return done;
}

Result<void> set_uniform(RunInputs& inputs, const Interface& interface, std::string_view name, const ArrayView& array,
                         const Variable& uniform) {
  const io::GlslType type = io::parse_glsl_type(uniform.type);
  constexpr std::int32_t word_limit = 1 << 20;
  if (type.base == Base::sampler || uniform.type.find("image") != std::string::npos ||
      uniform.driver_location > word_limit)
    return refuse("IN010", name, "is a " + uniform.type + " and has no value in a uniform buffer",
                  "textures are given as textures, images in a document");
  if (const auto room = type.words(); room && array.words.size() > *room)
    return too_many(name, array.words.size(), static_cast<std::size_t>(*room));
  auto words = converted(name, array, io::base_of(interface, type.base));
  if (!words) return fail(words.error());
  for (UniformWords& part : io::placed(interface, uniform, *std::move(words)))
    inputs.uniforms.push_back(std::move(part));
  return {};
}

/// A uniform whose elements have words apart: the array goes on from one to the next.
Result<void> set_elements(RunInputs& inputs, const Interface& interface, std::string_view name, const ArrayView& array,
                          const std::vector<const Variable*>& elements) {
  const std::size_t room = io::room_in(elements);
  if (array.words.size() > room) return too_many(name, array.words.size(), room);
  const auto words = converted(name, array, io::base_of(interface, elements.front()));
  if (!words) return fail(words.error());
  for (UniformWords& part : io::placed(interface, elements, *words)) inputs.uniforms.push_back(std::move(part));
  return {};
}

const Variable* named(const std::vector<Variable>& variables, std::string_view name) {
  const auto found = std::ranges::find(variables, name, &Variable::name);
  return found == variables.end() || found->driver_location < 0 ? nullptr : &*found;
}

/// IN005 with what there is.
Unexpected no_such(std::string_view name, std::initializer_list<const std::vector<Variable>*> lists) {
  Nearest nearest(name);
  std::string allowed;
  for (const std::vector<Variable>* list : lists)
    for (const Variable& variable : *list) {
      nearest.offer(variable.name);
      allowed += (allowed.empty() ? "" : ", ") + variable.name;
    }
  return refuse(
      "IN005", name,
      allowed.empty() ? "no such name; nothing names inputs of this program" : "no such name; allowed: " + allowed,
      nearest.hint());
}

}  // namespace

std::string_view name(NumberKind kind) {
  constexpr std::array<std::string_view, 3> names{"float32", "int32", "uint32"};
  return names[static_cast<std::size_t>(kind)];
}

Result<void> set_array(RunInputs& inputs, const Interface& interface, std::string_view name, const ArrayView& array) {
  if (io::is_unread(name, interface.inputs) || io::is_unread(name, interface.uniforms)) return {};
  const io::FoundVariable input = io::find_components(name, interface.inputs);
  if (!input.components.empty()) return set_input(inputs, interface, name, array, input);
  const auto uniform = std::ranges::find(interface.uniforms, name, &Variable::name);
  if (uniform != interface.uniforms.end()) return set_uniform(inputs, interface, name, array, *uniform);
  if (const auto element = io::uniform_in(interface, name))
    return set_uniform(inputs, interface, name, array, *element);
  if (const auto elements = io::elements_of(name, interface.uniforms); !elements.empty())
    return set_elements(inputs, interface, name, array, elements);
  const Variable* const storage = named(interface.ssbo_blocks, name);
  const Variable* const block = storage != nullptr ? storage : named(interface.ubo_blocks, name);
  if (block == nullptr && (io::is_unread(name, interface.ssbo_blocks) || io::is_unread(name, interface.ubo_blocks)))
    return {};
  if (block == nullptr)
    return no_such(name, {&interface.inputs, &interface.uniforms, &interface.ssbo_blocks, &interface.ubo_blocks});
  const auto base = io::BlockWords(interface, block).all();
  if (!base && array.kind != NumberKind::u32)
    return refuse("IN021", name, "has members of several types", "give all words of it as an array of uint32");
  auto words = converted(name, array, base.value_or(Base::u32));
  if (!words) return fail(words.error());
  auto& buffers = storage != nullptr ? inputs.buffers : inputs.uniform_buffers;
  buffers[static_cast<std::uint32_t>(block->driver_location)] = *std::move(words);
  return {};
}

Result<void> set_corners(RunInputs& inputs, const Interface& interface, std::string_view name, const ArrayView& array) {
  if (io::is_unread(name, interface.inputs)) return {};
  const io::FoundVariable input = io::find_components(name, interface.inputs);
  if (input.components.empty()) return no_such(name, {&interface.inputs});
  if (array.rows != 4)
    return refuse("IN022", name, "has " + counted(array.rows, "row") + "; an image has four corners");
  return put_rows(name, array, interface, input, [&](std::uint32_t slot, const RunVec4& fill) {
    return std::span(inputs.corners.try_emplace(slot, std::array{fill, fill, fill, fill}).first->second);
  });
}

Result<void> set_texture(RunInputs& inputs, const Interface& interface, std::string_view name, ImageSize size,
                         std::string_view format, std::span<const std::uint8_t> texels) {
  const std::vector<Variable> samplers = io::samplers_of(interface);
  if (io::is_unread(name, samplers)) return {};
  const Variable* const sampler = named(samplers, name);
  if (sampler == nullptr) return no_such(name, {&samplers});
  const io::TexelFormat* const known = io::find_texel_format(format);
  if (known == nullptr)
    return refuse("TX016", name, "there is no format " + quote(format), "docs/run-files.md lists them: rgba8_unorm");
  auto texture = io::make_texture({.width = size.width, .height = size.height}, *known, texels, name);
  if (!texture) return fail(std::move(texture).error());
  inputs.textures[static_cast<std::uint32_t>(sampler->driver_location)] =
      std::make_shared<const io::Texture>(*std::move(texture));
  return {};
}

}  // namespace mobula
