// What a program is given to be verified: values of everything that it reads, by the names of GLSL, for the evaluator
// and for the machine alike.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compile/evaluate/evaluate.h"
#include "compile/verify/random.h"
#include "io/storage_image.h"
#include "io/texture.h"
#include "io/values.h"
#include "mobula/compile/shader.h"
#include "mobula/isa/program.h"
#include "mobula/lab/run.h"

namespace mobula::compile {

/// One vector of an input or a uniform.
struct GivenVector {
  std::string name;
  ssa::SlotPlace place;
  ssa::Type type;
  bool is_signed = false, is_boolean = false;
  ssa::BuiltIn built_in = ssa::BuiltIn::none;
  std::vector<ssa::Bits> values;  ///< one for all lanes, or one for each

  [[nodiscard]] const ssa::Bits& of(std::uint32_t lane) const { return values[values.size() == 1 ? 0 : lane]; }
};

/// A storage image and what is in it.
struct GivenImage {
  std::shared_ptr<const io::StorageImage> image;
  std::vector<std::uint8_t> bytes;
};

/// Everything that a program is given once: a quad of fragments, four vertices, or a dispatch of groups.
struct GivenInputs {
  std::vector<GivenVector> vectors;
  std::map<std::uint32_t, std::vector<std::uint8_t>> blocks;             ///< by variable
  std::map<std::uint32_t, std::shared_ptr<const io::Texture>> textures;  ///< by number of the machine
  std::map<std::uint32_t, GivenImage> images;                            ///< the same
  std::array<std::uint32_t, 3> groups{1, 1, 1};
  std::uint32_t first_vertex = 0;
  std::uint64_t steps = VerifyOptions{}.steps;
  bool is_quad = false;  ///< of fragments; values differ by steps from one to the next
};

/// Words that code may execute for each step of its source.
inline constexpr std::uint64_t words_of_a_step = 512;

/// Where a machine has what a program reads, and which of its numbers are booleans.
class Binding {
 public:
  /// `code` is what a compiler made of the form.
  Binding(const ssa::Program& form, const mobula::Program& code);

  /// The kinds of values take turns: near 1, signed, edges such as 0 and the largest, of any size.
  [[nodiscard]] GivenInputs make(std::uint32_t turn, Random& random) const;
  /// Doubles the length of a block's last array until the block has that many bytes.
  void lengthen(GivenInputs& given, std::uint32_t block, std::uint64_t bytes, std::uint32_t turn, Random& random) const;

  /// The same as the machine takes it.
  [[nodiscard]] RunInputs for_machine(const GivenInputs& given) const;

  /// Whether the length of an array is not given.
  [[nodiscard]] bool has_open_blocks() const;
  [[nodiscard]] std::uint32_t lanes() const { return lanes_; }
  /// Whether integers and booleans are floats to the machine, and every vector of a uniform begins four words.
  [[nodiscard]] bool has_floats_only() const { return interface_.layout == ValueLayout::float_vec4s; }
  /// Whether positions come out in pixels.
  [[nodiscard]] bool places_positions() const { return places_positions_; }
  [[nodiscard]] bool compares_texels() const { return compares_texels_; }
  /// The block that the machine has this number for; none = it has not got it.
  [[nodiscard]] std::optional<std::uint32_t> storage_number(std::uint32_t variable) const;
  [[nodiscard]] std::uint32_t texture_number(std::uint32_t variable, std::uint32_t slot) const;
  [[nodiscard]] const ssa::Program& form() const { return form_; }
  [[nodiscard]] const Interface& interface() const { return interface_; }

 private:
  struct TextureKind {
    std::uint32_t number = 0;
    io::TextureSize size;
    io::Texture::Numbers numbers = io::Texture::Numbers::f32;
  };

  void bind_textures();
  [[nodiscard]] ssa::Bits as_machine_has(const GivenVector& vector, std::uint32_t lane) const;
  void bind_texture(const ssa::TextureAccess& access, const Variable& named);
  void bind_image(const ssa::TextureAccess& access, const Variable& named);
  void put_uniform(const GivenVector& vector, RunInputs& inputs) const;
  void put_input(const GivenVector& vector, RunInputs& inputs) const;
  [[nodiscard]] std::vector<std::uint8_t> make_block(const ssa::Variable& block, std::uint32_t turn,
                                                     Random& random) const;
  /// Where a block ends whose last array has that many elements, if its length is not given.
  [[nodiscard]] static std::size_t size_of(const ssa::Variable& block, std::uint32_t elements);
  /// Of an array whose length is not given: at least as many as there are threads.
  [[nodiscard]] std::uint32_t first_length() const { return std::max(64U, 2 * lanes_); }

  const ssa::Program& form_;
  const Interface& interface_;
  const bool places_positions_, compares_texels_;
  std::uint32_t lanes_;
  std::vector<GivenVector> vectors_;  ///< without values
  std::vector<TextureKind> textures_;
  std::map<std::uint32_t, std::shared_ptr<const io::StorageImage>> images_;
};

/// The member of a list of blocks that a block of the form is: by its own name, or that of its first member.
const Variable* find_block(const std::vector<Variable>& blocks, const ssa::Variable& block);

/// The components of the machine's variables that a vector of the form is. None: the machine has not got it.
std::optional<io::FoundVariable> find_vector(const std::vector<Variable>& variables, const ssa::Variable& of,
                                             std::uint32_t slot);

}  // namespace mobula::compile
