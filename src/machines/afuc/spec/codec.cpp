#include "machines/afuc/spec/codec.h"

namespace mobula::afuc {

Decoder::Decoder(std::uint8_t generation) : nop_(generation == g5 ? 0 : 0x01000000) {
  constexpr std::uint32_t key_bits = 0xFC00001F;
  for (unsigned key = 0; key < starts_.size(); ++key) {
    starts_[key] = static_cast<std::uint16_t>(candidates_.size());
    const std::uint32_t word = (key >> 5) << 26 | (key & 31);
    for (const Opcode& opcode : opcodes)
      if ((opcode.generations & generation) != 0 && ((word ^ opcode.match) & opcode.mask & key_bits) == 0)
        candidates_.push_back({opcode.mask, opcode.match, &opcode});
    candidates_.emplace_back();
  }
}

template <std::uint8_t generation>
const Decoder& decoder_of() {
  static const Decoder one(generation);
  return one;
}

const Decoder& decoder(std::uint8_t generation) {
  switch (generation) {
    case g5:
      return decoder_of<g5>();
    case g6:
      return decoder_of<g6>();
    case g7:
      return decoder_of<g7>();
    default:
      return decoder_of<g8>();
  }
}

}  // namespace mobula::afuc
