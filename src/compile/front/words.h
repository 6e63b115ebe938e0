// The instructions of a SPIR-V module, word by word.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <spirv/unified1/spirv.hpp11>
#include <string>
#include <string_view>

#include "compile/front/shader.h"

namespace mobula::compile {

inline constexpr std::size_t spirv_header_words = 5;
inline constexpr std::size_t spirv_bound = 3;  ///< the word of the header that all ids are below

/// One instruction. words[0] holds its length and opcode.
struct SpirvWords {
  std::span<const std::uint32_t> words;

  [[nodiscard]] spv::Op op() const { return static_cast<spv::Op>(words[0] & 0xFFFF); }
  [[nodiscard]] std::size_t size() const { return words.size(); }
  std::uint32_t operator[](std::size_t index) const { return words[index]; }
};

/// Calls `act` for each instruction. The module has been validated, or comes from the libraries.
template <class Act>
void for_each_instruction(const Spirv& module, Act act) {
  for (std::size_t at = spirv_header_words; at < module.size();) {
    const std::size_t length = std::max<std::size_t>(module[at] >> 16, 1);
    if (at + length > module.size()) return;
    act(SpirvWords{std::span(module).subspan(at, length)});
    at += length;
  }
}

/// Appends an instruction.
inline void append(Spirv& module, spv::Op op, std::initializer_list<std::uint32_t> operands) {
  module.push_back(static_cast<std::uint32_t>(operands.size() + 1) << 16 | static_cast<std::uint32_t>(op));
  module.insert(module.end(), operands);
}
inline void append(Spirv& module, spv::Op op, std::span<const std::uint32_t> operands) {
  module.push_back(static_cast<std::uint32_t>(operands.size() + 1) << 16 | static_cast<std::uint32_t>(op));
  module.insert(module.end(), operands.begin(), operands.end());
}

/// The text that begins at a word, and ends with a zero byte.
inline std::string text_at(std::span<const std::uint32_t> words) {
  std::string text;
  for (const std::uint32_t word : words)
    for (unsigned shift = 0; shift < 32; shift += 8) {
      const char letter = static_cast<char>(word >> shift & 0xFF);
      if (letter == 0) return text;
      text += letter;
    }
  return text;
}

}  // namespace mobula::compile
