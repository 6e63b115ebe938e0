#include "io/glsl_type.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace mobula::io {
namespace {

/// 2, 3 or 4; 0 for anything else.
std::uint32_t dimension(std::string_view text) {
  return text.size() == 1 && text[0] >= '2' && text[0] <= '4' ? static_cast<std::uint32_t>(text[0] - '0') : 0;
}

bool parse_element(std::string_view text, GlslType& type) {
  using Base = GlslType::Base;
  if (text == "float") return true;
  if (text == "int") return type.base = Base::i32, true;
  if (text == "uint") return type.base = Base::u32, true;
  if (text == "bool") return type.base = Base::boolean, true;
  if (text.find("sampler") != std::string_view::npos) return type.base = Base::sampler, true;
  if (text.starts_with("mat")) {
    text.remove_prefix(3);
    type.columns = dimension(text.substr(0, 1));
    type.rows = text.size() == 3 && text[1] == 'x' ? dimension(text.substr(2)) : text.size() == 1 ? type.columns : 0;
    return type.columns != 0 && type.rows != 0;
  }
  if (text.starts_with("ivec")) {
    type.base = Base::i32;
  } else if (text.starts_with("uvec")) {
    type.base = Base::u32;
  } else if (text.starts_with("bvec")) {
    type.base = Base::boolean;
  } else if (!text.starts_with("vec")) {
    return false;
  }
  type.rows = dimension(text.substr(text[0] == 'v' ? 3 : 4));
  return type.rows != 0;
}

}  // namespace

std::optional<std::uint64_t> GlslType::words() const {
  if (base == Base::other || base == Base::sampler || !length) return std::nullopt;
  return std::uint64_t{rows} * columns * *length;
}

namespace {

/// Of "[2]", "[]", or "[2][3]", which has six elements; nothing where it is none of these.
std::optional<std::optional<std::uint32_t>> parse_lengths(std::string_view text) {
  if (text == "[]") return std::optional<std::uint32_t>();
  std::uint64_t all = 1;
  while (!text.empty()) {
    std::uint32_t length = 0;
    const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), length);
    if (!text.starts_with('[') || error != std::errc{} || end == text.data() + text.size() || *end != ']') return {};
    all *= length;
    if (all > std::numeric_limits<std::uint32_t>::max()) return {};
    text.remove_prefix(static_cast<std::size_t>(end + 1 - text.data()));
  }
  return static_cast<std::uint32_t>(all);
}

}  // namespace

GlslType parse_glsl_type(std::string_view text) {
  GlslType type;
  const std::size_t bracket = std::min(text.find('['), text.size());
  const auto length = parse_lengths(text.substr(bracket));
  if (!length) return {.base = GlslType::Base::other};
  type.length = *length;
  return parse_element(text.substr(0, bracket), type) ? type
                                                      : GlslType{.base = GlslType::Base::other, .length = type.length};
}

}  // namespace mobula::io
