// Containers: any bytes, read as each format, give images that fit in the input or an error; hexadecimal text
// round-trips. Dumps, logs and arrays are read by the format hex.
// seeds: tests/data/afuc/*.fw tests/data/formats/* examples/*.bin
#include <cstdint>
#include <cstdlib>
#include <span>

#include "fuzz/target.h"
#include "mobula/isa/formats.h"

using namespace mobula;

/// Of the lines that a dump leaves out.
constexpr std::size_t most_left_out = std::size_t{16} << 20;

FUZZ_TARGET(container_fuzz) {
  const std::span<const std::uint8_t> bytes(data, size);
  for (const ContainerFormat format :
       {detect_format(bytes), ContainerFormat::raw, ContainerFormat::hex, ContainerFormat::mbs, ContainerFormat::fw,
        ContainerFormat::elf, ContainerFormat::foreign}) {
    auto images = read_container(bytes, format, "input");
    if (!images) {
      if (!has_errors(images.error())) std::abort();
      continue;
    }
    std::size_t total = 0;
    for (const CodeImage& image : *images) total += image.code.size();
    if (images->empty() || total > size + most_left_out) std::abort();
  }
  for (const HexUnit unit : {HexUnit::words, HexUnit::bytes}) {
    const auto back = read_hex(write_hex(bytes, unit));
    if (size != 0 && (!back || !std::equal(back->begin(), back->end(), bytes.begin(), bytes.end()))) std::abort();
  }
  return 0;
}
