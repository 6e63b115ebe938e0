// What a module declares: types, names, decorations, constants; and how values of any type are taken apart into
// vectors.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "compile/front/words.h"
#include "compile/ssa/ssa.h"

namespace mobula::ssa {

using Id = std::uint32_t;

/// As OpLine tells it.
struct SourceLine {
  Id file = 0;
  std::uint32_t line = 0;  ///< 0 = not known
};

/// Ends the translation; from_spirv() makes it a failed result.
struct NotSupported {
  Diagnostic diagnostic;
};

struct SpirvType {
  enum class Kind : std::uint8_t {
    nothing,
    boolean,
    integer,
    real,
    vector,
    matrix,
    array,
    endless_array,
    structure,
    image,
    sampler,
    combined,
    pointer
  };
  Kind kind = Kind::nothing;
  Id element = 0;           ///< of vectors, matrices, arrays, pointers; the image of a combined one
  std::uint32_t count = 0;  ///< components, columns, elements
  std::vector<Id> members;
  std::vector<std::uint32_t> first_leaf;  ///< of each member
  std::uint32_t leaves = 0;               ///< vectors that it is made of
  std::uint32_t bits = 32;
  bool is_signed = false;
  spv::StorageClass storage{};
  // Images.
  spv::Dim dim{};
  bool layered = false, shadow = false, multisample = false, is_storage = false;
  spv::ImageFormat format{};
};

/// What decorations say of an id or of a member.
struct Decorations {
  std::optional<std::uint32_t> built_in, location, component, binding, set, offset, array_stride, matrix_stride;
  bool relaxed = false, precise = false, invariant = false, flat = false, noperspective = false, row_major = false,
       block = false, buffer_block = false;
};

/// One vector of a type, under the path that GLSL has for it.
struct Leaf {
  std::string path;
  Type type;
  bool is_signed = false;
  Id opaque = 0;  ///< of a texture or an image, which is no vector: its type
};

class SpirvModule {
 public:
  SpirvModule(const compile::Spirv& module, std::string_view file);

  [[nodiscard]] const SpirvType& type(Id id) const;
  [[nodiscard]] std::string name_of(Id id) const;
  [[nodiscard]] std::string member_name(Id structure, std::uint32_t member) const;
  [[nodiscard]] const Decorations& decorations(Id id) const;
  [[nodiscard]] const Decorations& decorations(Id structure, std::uint32_t member) const;
  /// The value of an integer constant.
  [[nodiscard]] std::optional<std::uint32_t> constant(Id id) const;
  /// The vectors of a type that consists of vectors.
  [[nodiscard]] std::vector<Leaf> leaves(Id type, bool relaxed) const;
  /// "[1][0]" of each block of an array of arrays of them, "" of a block alone; none if they are more than 256.
  [[nodiscard]] std::vector<std::string> indices_of_blocks(Id type) const;
  /// The type of what is in a scalar or vector.
  [[nodiscard]] Type vector_type(Id type) const;

  struct Entry {
    Stage stage = Stage::unknown;
    Id function = 0;
    std::string name;
    std::vector<Id> interface;
    std::vector<compile::SpirvWords> modes;  ///< OpExecutionMode and OpExecutionModeId
  };
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  /// The constants that the size of workgroups is made of, whatever modes say of it; none if there are no such.
  [[nodiscard]] std::optional<std::array<Id, 3>> workgroup_size() const { return workgroup_size_; }
  [[nodiscard]] const compile::Spirv& words() const { return module_; }
  [[nodiscard]] Id bound() const { return module_[compile::spirv_bound]; }

  /// The first line that reads or writes a variable; no line if there is none.
  [[nodiscard]] SourceLine first_use(Id variable) const;

  /// What no part of this supports, at a line of the source.
  [[noreturn]] void refuse(std::string what, SourceLine at = {}, std::string hint = {}) const;

 private:
  void read(compile::SpirvWords each);
  void read_entry(compile::SpirvWords each);
  void read_mode(compile::SpirvWords each);
  void read_line(compile::SpirvWords each);
  void read_type(compile::SpirvWords each);
  void decorate(Decorations& target, std::span<const std::uint32_t> words);
  [[nodiscard]] std::uint32_t length_of_array(Id constant) const;
  [[nodiscard]] bool count_leaves(SpirvType& type) const;
  [[noreturn]] void refuse_large(Id type) const;
  void add_leaves(std::vector<Leaf>& found, Id id, const std::string& path, bool relaxed) const;

  const compile::Spirv& module_;
  std::string file_;
  std::unordered_map<Id, std::string> strings_;
  std::unordered_map<Id, SpirvType> types_;
  std::unordered_map<Id, std::string> names_;
  std::map<std::pair<Id, std::uint32_t>, std::string> member_names_;
  std::unordered_map<Id, Decorations> decorations_;
  std::map<std::pair<Id, std::uint32_t>, Decorations> member_decorations_;
  std::unordered_map<Id, std::uint32_t> constants_;
  std::unordered_map<Id, SourceLine> first_uses_;
  SourceLine line_;  ///< of what is being read
  std::vector<Entry> entries_;
  std::optional<std::array<Id, 3>> workgroup_size_;
};

}  // namespace mobula::ssa
