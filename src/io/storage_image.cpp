#include "io/storage_image.h"

#include "io/texture_inputs.h"
#include "io/values.h"

namespace mobula::io {
namespace {

std::optional<std::uint64_t> read_address(const JsonPlace& place) {
  std::optional<std::uint64_t> address;
  place.member("address", [&](const JsonPlace& text) {
    const auto spelled = text.value().is_string() ? text.string() : std::nullopt;
    if (spelled && spelled->starts_with("0x")) address = parse_hex(*spelled);
    if (!address) text.wrong("0x and hexadecimal digits, in quotes");
  });
  return address;
}

void read_size(const JsonPlace& list, StorageImage& image) {
  const std::size_t dimensions = list.value().is_array() ? list.value().size() : 0;
  if (dimensions == 0 || dimensions > image.size.size())
    return list.wrong("one to three numbers: width, height, depth or layers");
  image.dimensions = static_cast<std::uint32_t>(dimensions);
  for (std::size_t i = 0; i < dimensions; ++i)
    JsonPlace(list, i, list.value()[i]).read(image.size[i], 1, image_side_limit);
}

}  // namespace

std::optional<std::uint64_t> StorageImage::address_of(const std::array<std::int32_t, 3>& at) const {
  std::uint64_t texel = 0;
  for (std::uint32_t i = dimensions; i-- > 0;) {
    const auto coordinate = static_cast<std::uint32_t>(at[i]);  // negative ones become large
    if (coordinate >= size[i]) return std::nullopt;
    texel = texel * size[i] + coordinate;
  }
  return address + texel * format->bytes();
}

std::optional<StorageImage> read_storage_image(const JsonPlace& place) {
  if (!place.value().is_object()) {
    place.wrong("an object with address, size and format");
    return std::nullopt;
  }
  place.only({"address", "size", "format"});
  for (const char* key : {"address", "size", "format"})
    if (!place.has(key)) place.error("IN006", std::string("has no ") + key, "an image needs address, size and format");
  StorageImage image;
  const auto address = read_address(place);
  place.member("size", [&](const JsonPlace& list) { read_size(list, image); });
  image.format = read_format(place);
  if (!address || image.format == nullptr) return std::nullopt;
  image.address = *address;
  return image;
}

}  // namespace mobula::io
