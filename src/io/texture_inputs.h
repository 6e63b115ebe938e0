// Textures and samplers as run inputs describe them.
#pragma once

#include <memory>
#include <optional>

#include "io/json.h"
#include "io/texture.h"
#include "mobula/lab/run.h"

namespace mobula::io {

/// A texture and, if its description has one, its sampler. What is wrong is told to `place`; then the texture is null.
struct DescribedTexture {
  std::shared_ptr<const Texture> texture;
  std::shared_ptr<const Sampler> sampler;
};
DescribedTexture read_texture(const JsonPlace& place, const FileReader& files);
Sampler read_sampler(const JsonPlace& place);
/// What its member `format` names. nullptr if there is no such member; or no such format, then `place` is told.
const TexelFormat* read_format(const JsonPlace& place);

}  // namespace mobula::io
