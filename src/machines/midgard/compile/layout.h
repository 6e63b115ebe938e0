// Where the inputs, outputs and uniforms of a shader are on Midgard: which memory, register, attribute or varying, and
// the interface that says so to whoever runs the program. Reference 4.5.
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "compile/ssa/ssa.h"
#include "core/system_values.h"
#include "machines/midgard/compile/code.h"
#include "mobula/isa/program.h"

namespace mobula::midgard_compiler {

/// A word of a uniform buffer.
struct BufferWord {
  std::uint32_t buffer = 0, byte = 0;
  friend bool operator<(const BufferWord& a, const BufferWord& b) {
    return std::pair{a.buffer, a.byte} < std::pair{b.buffer, b.byte};
  }
  friend bool operator==(const BufferWord&, const BufferWord&) = default;
};

struct Layout {
  Interface interface;
  std::vector<std::vector<std::uint32_t>>
      bytes;                           ///< of default uniforms and of shared and local memory: byte of each slot
  std::vector<std::uint32_t> stride;   ///< bytes from slot to slot where they are indexed at run time
  std::vector<std::uint32_t> numbers;  ///< by variable: attribute, varying, texture, uniform buffer or storage buffer
  std::map<std::uint32_t, SystemValueType> driver_uniforms;  ///< variables that the driver fills in
  std::uint32_t system_buffer = 0;                           ///< uniform buffer of the system values

  /// Where a system value is; noted in the interface if it was not before.
  BufferWord system_value(SystemValueType type, std::uint32_t id);
};

Layout lay_out(const ssa::Program& program);

/// The selector of an input that a fragment's machine knows by itself; none of others.
std::optional<std::uint32_t> special_selector(ssa::BuiltIn input);

/// Which words of uniform buffers are in registers when a thread starts.
class UniformRegisters {
 public:
  /// `most`: 128-bit registers there may be.
  explicit UniformRegisters(unsigned most) : most_(most) {}

  /// The words one after the other, in components of one register in this order. None if there is no room.
  std::optional<Source> find(BufferWord first, unsigned words);
  [[nodiscard]] unsigned count() const { return static_cast<unsigned>(used_.size()); }
  [[nodiscard]] std::vector<PushWord> words() const;

 private:
  std::optional<std::pair<unsigned, unsigned>> place(BufferWord first, unsigned words);

  unsigned most_;
  std::vector<std::array<std::optional<BufferWord>, 4>> used_;
  std::map<std::pair<BufferWord, unsigned>, std::pair<unsigned, unsigned>> found_;
};

}  // namespace mobula::midgard_compiler
