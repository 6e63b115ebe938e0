#include "io/texture_inputs.h"

#include <algorithm>
#include <utility>

#include "core/counted.h"
#include "io/values.h"

namespace mobula::io {
namespace {

using Shape = ir::Texture::Shape;

void pass_on(const JsonPlace& place, const Diagnostics& diagnostics) {
  for (const Diagnostic& entry : diagnostics) place.error(entry.code, entry.message, entry.hint);
}

void read_shape(const JsonPlace& place, Shape& shape) {
  place.read_choice<Shape>(shape, {{"1d", Shape::d1}, {"2d", Shape::d2}, {"3d", Shape::d3}, {"cube", Shape::cube}});
}

void read_wrap(const JsonPlace& place, Wrap& wrap) {
  place.read_choice<Wrap>(wrap, {{"repeat", Wrap::repeat},
                                 {"clamp_to_edge", Wrap::clamp_to_edge},
                                 {"mirrored_repeat", Wrap::mirrored_repeat},
                                 {"clamp_to_border", Wrap::clamp_to_border},
                                 {"mirror_clamp", Wrap::mirror_clamp}});
}
void read_filter(const JsonPlace& place, Filter& filter) {
  place.read_choice<Filter>(filter, {{"nearest", Filter::nearest}, {"linear", Filter::linear}});
}

/// Four words; fewer are filled up with 0, 0, 0, 1.
Texture::Texel read_texel(const JsonPlace& place, GlslType::Base base) {
  RunWords words;
  read_words(place, base, words);
  if (words.empty() || words.size() > 4) {
    place.wrong("one to four values");
    return {};
  }
  Texture::Texel texel = default_vector(base);
  std::copy(words.begin(), words.end(), texel.begin());
  return texel;
}

void read_size(const JsonPlace& place, TextureSize& size) {
  place.member("kind", [&](const JsonPlace& kind) { read_shape(kind, size.shape); });
  for (const auto& [key, out] : {std::pair{"width", &size.width},
                                 {"height", &size.height},
                                 {"depth", &size.depth},
                                 {"layers", &size.layers},
                                 {"levels", &size.levels}}) {
    place.member(key, [&, into = out](const JsonPlace& number) { number.read(*into, 1); });
  }
  place.member("size", [&](const JsonPlace& list) {
    if (!list.value().is_array() || list.value().empty() || list.value().size() > 3) {
      return list.wrong("one to three numbers: width, height, depth");
    }
    const std::array<std::uint32_t*, 3> sides{&size.width, &size.height, &size.depth};
    for (std::size_t i = 0; i < list.value().size(); ++i) JsonPlace(list, i, list.value()[i]).read(*sides[i], 1);
  });
}

/// A picture holds layers, faces or slices below one another.
Result<Texture> from_picture(const Pixels& pixels, TextureSize size, const std::string& name) {
  const std::uint64_t stacked = std::uint64_t{size.layers} * size.depth * (size.shape == Shape::cube ? 6 : 1);
  if (stacked == 0 || pixels.height % stacked != 0) {
    return fail("TX015", name + ": a height of " + std::to_string(pixels.height) + " cannot be cut into " +
                             counted(stacked, "equal part"));
  }
  size.width = pixels.width;
  size.height = static_cast<std::uint32_t>(pixels.height / stacked);
  size.levels = 1;
  return make_texture(size, *find_texel_format(pixels.component_bits == 16 ? "rgba16_unorm" : "rgba8_unorm"),
                      pixels.bytes, name);
}

Result<Texture> from_file(const JsonPlace& place, const JsonPlace& file, const FileReader& files) {
  std::string name;
  file.read(name);
  TextureSize size;
  read_size(place, size);
  const TexelFormat* const format = read_format(place);
  const auto bytes = files(name);
  if (!bytes) return fail(bytes.error());
  if (format != nullptr) return make_texture(size, *format, *bytes, name);
  const auto pixels = read_png(*bytes, name);
  if (!pixels) return fail(pixels.error());
  return from_picture(*pixels, size, name);
}

/// Every texel the same; the size is only what a program is told when it asks.
Result<Texture> of_one_colour(const JsonPlace& place, const JsonPlace& colour) {
  TextureSize size;
  read_size(place, size);
  if (!colour.value().is_array() || colour.value().size() != 4) {
    colour.wrong("four numbers from 0 to 255");
    return constant_texture({});
  }
  std::array<std::uint8_t, 4> rgba{};
  for (std::size_t i = 0; i < 4; ++i) {
    rgba[i] = static_cast<std::uint8_t>(JsonPlace(colour, i, colour.value()[i]).unsigned_integer(0, 255).value_or(0));
  }
  auto texture = make_texture({}, *find_texel_format("rgba8_unorm"), rgba, "texel");
  if (!texture) return texture;
  texture->constant = true;
  texture->size = size;
  return texture;
}

Result<Texture> described(const JsonPlace& place, const FileReader& files) {
  place.only({"kind", "file", "format", "width", "height", "depth", "size", "layers", "levels", "mipmaps", "sampler",
              "rgba8_all_texels", "constant", "numbers"});
  Result<Texture> texture = fail("IN006", "a texture needs one of file, constant, rgba8_all_texels");
  place.member("file", [&](const JsonPlace& file) { texture = from_file(place, file, files); });
  place.member("rgba8_all_texels", [&](const JsonPlace& colour) { texture = of_one_colour(place, colour); });
  place.member("constant", [&](const JsonPlace& colour) {
    auto numbers = Texture::Numbers::f32;
    place.member("numbers", [&](const JsonPlace& kind) {
      kind.read_choice<Texture::Numbers>(
          numbers, {{"f32", Texture::Numbers::f32}, {"u32", Texture::Numbers::u32}, {"i32", Texture::Numbers::i32}});
    });
    const auto base = numbers == Texture::Numbers::f32 ? GlslType::Base::f32 : GlslType::Base::i32;
    texture = constant_texture(read_texel(colour, base), numbers);
    read_size(place, texture->size);
  });
  if (!texture) return texture;
  bool mipmaps = false;
  place.member("mipmaps", [&](const JsonPlace& flag) { flag.read(mipmaps); });
  if (mipmaps && !texture->constant) {
    if (auto done = generate_levels(*texture); !done) return fail(done.error());
  }
  return texture;
}

}  // namespace

const TexelFormat* read_format(const JsonPlace& place) {
  const TexelFormat* format = nullptr;
  place.member("format", [&](const JsonPlace& name) {
    std::string text, allowed;
    name.read(text);
    format = find_texel_format(text);
    if (format != nullptr) return;
    for (const TexelFormat& each : texel_formats()) allowed.append(allowed.empty() ? "" : ", ").append(each.name);
    name.wrong(allowed);
  });
  return format;
}

Sampler read_sampler(const JsonPlace& place) {
  Sampler sampler;
  place.only({"min", "mag", "mip", "wrap", "border", "lod_bias", "min_lod", "max_lod", "compare", "normalized"});
  place.member("min", [&](const JsonPlace& filter) { read_filter(filter, sampler.min); });
  place.member("mag", [&](const JsonPlace& filter) { read_filter(filter, sampler.mag); });
  place.member("mip", [&](const JsonPlace& filter) {
    filter.read_choice<MipFilter>(
        sampler.mip, {{"none", MipFilter::none}, {"nearest", MipFilter::nearest}, {"linear", MipFilter::linear}});
  });
  place.member("wrap", [&](const JsonPlace& wrap) {
    if (!wrap.value().is_array()) {
      read_wrap(wrap, sampler.wrap[0]);
      sampler.wrap[1] = sampler.wrap[2] = sampler.wrap[0];
    } else if (wrap.value().size() > 3) {
      wrap.wrong("one word, or up to three: for s, t, r");
    } else {
      for (std::size_t i = 0; i < wrap.value().size(); ++i)
        read_wrap(JsonPlace(wrap, i, wrap.value()[i]), sampler.wrap[i]);
    }
  });
  place.member("border", [&](const JsonPlace& colour) { sampler.border = read_texel(colour, GlslType::Base::f32); });
  place.member("lod_bias", [&](const JsonPlace& number) { number.read(sampler.lod_bias); });
  place.member("min_lod", [&](const JsonPlace& number) { number.read(sampler.min_lod); });
  place.member("max_lod", [&](const JsonPlace& number) { number.read(sampler.max_lod); });
  place.member("compare", [&](const JsonPlace& function) {
    function.read_choice<Compare>(sampler.compare, {{"never", Compare::never},
                                                    {"less", Compare::less},
                                                    {"equal", Compare::equal},
                                                    {"less_equal", Compare::less_equal},
                                                    {"greater", Compare::greater},
                                                    {"not_equal", Compare::not_equal},
                                                    {"greater_equal", Compare::greater_equal},
                                                    {"always", Compare::always}});
  });
  place.member("normalized", [&](const JsonPlace& flag) { flag.read(sampler.normalised); });
  return sampler;
}

DescribedTexture read_texture(const JsonPlace& place, const FileReader& files) {
  DescribedTexture result;
  if (place.value().is_array()) {  // the colour of every texel
    result.texture = std::make_shared<Texture>(constant_texture(read_texel(place, GlslType::Base::f32)));
    return result;
  }
  if (!place.value().is_object()) {
    place.wrong("a colour of four values, or an object");
    return result;
  }
  auto texture = described(place, files);
  if (!texture) {
    pass_on(place, texture.error());
    return result;
  }
  result.texture = std::make_shared<Texture>(std::move(texture).value());
  place.member("sampler",
               [&](const JsonPlace& sampler) { result.sampler = std::make_shared<Sampler>(read_sampler(sampler)); });
  return result;
}

}  // namespace mobula::io
