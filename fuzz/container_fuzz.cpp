// Containers: any bytes, read as each format, give images that fit in the input or an error; hexadecimal text
// round-trips.
// seeds: tests/data/afuc/*.fw examples/*.bin
#include <cstdint>
#include <cstdlib>
#include <span>

#include "fuzz/target.h"
#include "mobula/isa/formats.h"

using namespace mobula;

FUZZ_TARGET(container_fuzz) {
  const std::span<const std::uint8_t> bytes(data, size);
  for (const ContainerFormat format :
       {detect_format(bytes), ContainerFormat::raw, ContainerFormat::hex, ContainerFormat::mbs, ContainerFormat::fw}) {
    auto images = read_container(bytes, format, "input");
    if (!images) {
      if (!has_errors(images.error())) std::abort();
      continue;
    }
    std::size_t total = 0;
    for (const CodeImage& image : *images) total += image.code.size();
    if (images->empty() || total > size) std::abort();
  }
  for (const HexUnit unit : {HexUnit::words, HexUnit::bytes}) {
    const auto back = read_hex(write_hex(bytes, unit));
    if (size != 0 && (!back || !std::equal(back->begin(), back->end(), bytes.begin(), bytes.end()))) std::abort();
  }
  return 0;
}
