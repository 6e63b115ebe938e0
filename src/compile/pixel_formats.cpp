#include "compile/pixel_formats.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace mobula::compile {
namespace {

using Kind = io::TexelFormat::Kind;

/// Of numbers that are less than the 32 bits of a colour, and share words evenly.
bool is_packed(const io::TexelFormat& format) {
  const bool is_real = format.kind == Kind::unorm || format.kind == Kind::snorm || format.kind == Kind::real;
  return is_real && format.bits < 32 && format.components != 3;
}

Diagnostic refused(std::string what, std::string hint) {
  return {Severity::error, "CO017", {}, std::move(what), std::move(hint)};
}

template <class Names>
std::string listed(const Names& names) {
  std::string list;
  for (const auto& each : names) list.append(list.empty() ? "" : ", ").append(each);
  return list;
}

bool is_colour(const ssa::Variable& variable) {
  return variable.storage == ssa::Storage::output && variable.built_in() == ssa::BuiltIn::none;
}

std::vector<std::string> names_of_colours(const ssa::Program& program) {
  std::vector<std::string> names;
  for (const ssa::Variable& variable : program.variables)
    if (is_colour(variable))
      for (const ssa::Slot& slot : variable.slots) names.push_back(slot.name);
  return names;
}

}  // namespace

std::vector<std::string_view> pixel_formats() {
  std::vector<std::string_view> names;
  for (const io::TexelFormat& each : io::texel_formats())
    if (is_packed(each)) names.push_back(each.name);
  return names;
}

Diagnostics set_pixel_formats(ssa::Program& program, std::span<const PixelFormat> formats) {
  if (formats.empty()) return {};
  if (program.stage != Stage::fragment)
    return {refused("only the colours of fragment shaders have formats of pixels", "leave them out")};
  Diagnostics errors;
  const std::string colours = listed(names_of_colours(program));
  const auto set = [&](ssa::Slot& slot, const std::string& format) {
    if (slot.type.base != ssa::Base::real)
      errors.push_back(refused("the colour " + slot.name + " consists of integers, and " + format + " of real numbers",
                               "give formats to the other colours by name: NAME=" + format));
    slot.format = format;
  };
  // What names a colour goes before what is for all.
  for (const bool by_name : {false, true})
    for (const PixelFormat& each : formats) {
      if (each.output.empty() == by_name) continue;
      const io::TexelFormat* const known = io::find_texel_format(each.format);
      if (known == nullptr || !is_packed(*known)) {
        errors.push_back(refused("there is no format of pixels \"" + each.format + '"', listed(pixel_formats())));
        continue;
      }
      bool any = false;
      for (ssa::Variable& variable : program.variables)
        for (ssa::Slot& slot : variable.slots) {
          if (!is_colour(variable) || (by_name && slot.name != each.output && variable.name != each.output)) continue;
          set(slot, each.format);
          any = true;
        }
      if (!any)
        errors.push_back(refused(by_name ? "there is no colour " + each.output : "the shader puts out no colour",
                                 colours.empty() ? "leave the formats of pixels out" : "its colours: " + colours));
    }
  return errors;
}

bool has_pixel_formats(const ssa::Program& program) {
  return std::ranges::any_of(program.variables, [](const ssa::Variable& variable) {
    return std::ranges::any_of(variable.slots, [](const ssa::Slot& slot) { return !slot.format.empty(); });
  });
}

io::Texel stored_colour(const io::TexelFormat& format, const io::Texel& colour) {
  std::array<std::uint8_t, 16> bytes{};
  io::encode_texel(format, colour, bytes.data());
  io::Texel stored = io::decode_texel(format, bytes.data());
  for (std::size_t i = 0; i < stored.size(); ++i)
    if (!std::isfinite(std::bit_cast<float>(colour[i]))) stored[i] = colour[i];
  return stored;
}

unsigned stored_components(const ssa::Slot& colour) {
  const io::TexelFormat* const format = io::find_texel_format(colour.format);
  return format == nullptr ? colour.type.components : std::min<unsigned>(colour.type.components, format->components);
}

}  // namespace mobula::compile
