// The translation of one function of SPIR-V, in parts: blocks, memory, arithmetic, built-in functions, textures.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "compile/ssa/spirv_module.h"

namespace mobula::ssa {

/// A place in a variable: slots, or bytes of a block, and what is added at run time.
struct Place {
  std::uint32_t variable = none;
  Id type = 0;                 ///< of what is there
  std::uint32_t at = 0;        ///< slot or byte
  Value added = none;          ///< slots or bytes
  bool has_component = false;  ///< one component of a vector:
  std::uint32_t component = 0;
  Value chosen = none;  ///< its number, where that is known at run time only
  std::uint32_t matrix_stride = 0;
  bool row_major = false;
  bool relaxed = false;
  bool chooses_block = false;  ///< an array of blocks, each of which is a variable of its own
  Value chosen_block = none;   ///< of one whose number is known at run time only: it, and what there is to choose from
  std::uint32_t blocks = 1, block_step = 1;
  bool chooses_structure = false;  ///< among those of an array, at run time
  bool by_numbers = false;         ///< slots are numbers, not vectors
};

/// A texture, an image or a sampler that was loaded.
struct Resource {
  Id type = 0;
  std::uint32_t texture = none, sampler = none, slot = 0;
  Value index = none;
};

/// A texel of a storage image that something is done to.
struct Texel {
  Resource image;
  Value at = none;
};

class Translator {
 public:
  Translator(const SpirvModule& module, const SpirvModule::Entry& entry);
  Program run();

 private:
  Program translated();

  using Words = compile::SpirvWords;
  using Values = std::vector<Value>;

  // Blocks: translate.cpp
  struct Draft {
    std::vector<Words> body;  ///< without label, merge and end
    std::vector<SourceLine> lines;
    Words end, merge;
    bool has_merge = false, reached = false;
    std::uint32_t first = 0;  ///< block of the program
    SourceLine end_line;
  };
  void collect_drafts();
  std::vector<Id> targets_of(const Draft& draft) const;
  void find_reached(Id label);
  void order_blocks();
  void translate_block(Id label);
  void end_block(Id label, const Draft& draft);
  void end_switch(Id label, const Draft& draft);
  void connect(Id from, Id target);
  void complete_phis();
  void begin_phi(Id label, Words each);
  std::uint32_t block_of(Id label) const;
  void jump(Id from, Id target);
  void branch(Value condition, std::uint32_t yes, std::uint32_t no);

  // Values
  Value make(Op op, Type type, Values operands = {}, std::array<std::uint32_t, 4> data = {});
  Value put_first(Op op, Type type);
  Value constant(Type type, std::uint32_t bits);
  Value integer(std::uint32_t bits) { return constant({Base::integer}, bits); }
  Value real(float value, std::uint8_t components = 1);
  Value swizzle(Value from, std::uint32_t component);
  Value compose(const Values& parts);
  Value splat(Value scalar, std::uint8_t components);
  Value add(Value a, Value b);  ///< of offsets; none is 0
  const Type& type_of(Value value) const { return out_.values[value]; }
  const Values& leaves(Id id);
  Value value(Id id) { return leaves(id).front(); }
  void set_leaves(Words each, Values leaves) {
    types_of_[each[2]] = each[1];
    values_[each[2]] = std::move(leaves);
  }
  void set(Words each, Value value) { set_leaves(each, {value}); }
  Type result_type(Words each) const;
  std::vector<Value> constant_leaves(Id id);

  // Memory: translate_memory.cpp
  void declare(Words each);
  void declare_as_known(Words each);
  void declare_blocks(Id type, const Variable& like);
  void declare_slots(Words each, Id type, Variable& variable);
  void decorate_members(Id block, std::span<Slot> slots) const;
  void declare_numbers(Id type, Variable& variable) const;
  std::uint32_t slots_in(const Place& place, Id type) const;
  void declare_textures_of(std::uint32_t number, const std::vector<Leaf>& leaves);
  Resource texture_of_structure(const Place& place) const;
  void declare_textures(Id type, Variable& variable) const;
  void declare_members(Id type, Variable& variable);
  void add_members(Variable& variable, Id type, const std::string& path, std::uint32_t offset, std::uint32_t stride,
                   const Decorations& how, bool relaxed, std::uint32_t step = 4);
  bool translate_memory(Words each);
  void access_chain(Words each);
  void step_slots(Place& place, Id index);
  std::uint32_t stride_of(Id array) const;
  void step_bytes(Place& place, Id index);
  void step_blocks(Place& place, Id index);
  std::uint32_t blocks_in(Id type) const;
  Values load_from_chosen(const Place& place, const std::function<Values(const Place&)>& load);
  void refuse_chosen_block(const Place& place) const;
  void step_component(Place& place, Id index);
  void step_number(Place& place, Id index);
  void load(Words each);
  void store(Words each);
  Place number_at(const Place& place);
  Values load_from(const Place& place);
  void store_to(const Place& place, std::span<const Value> values);
  Value load_vector(const Place& place, std::uint32_t at, Type type);
  void store_vector(const Place& place, std::uint32_t at, Value value);
  void for_each_byte_leaf(const Place& place, Id type, std::uint32_t at,
                          const std::function<void(const Place&, std::uint32_t, Type)>& act);
  bool in_bytes(const Place& place) const;
  void atomic(Words each);
  Values atomic_operands(Words each);
  void declare_counter(Words each, Id type);
  void array_length(Words each);

  // Arithmetic: translate_arithmetic.cpp
  bool translate_arithmetic(Words each);
  bool translate_plain(Words each);
  bool translate_matrix(Words each);
  bool translate_composite(Words each);
  void shuffle(Words each);
  std::pair<std::uint32_t, int> find_part(Id type, std::span<const std::uint32_t> indices, Id& part) const;
  Value dot(Value a, Value b);
  Value scale(Value vector, Value scalar);
  Values times_vector(const Values& matrix, Value vector);
  Values transposed(const Values& matrix);
  Value compare(Op op, Value a, Value b, bool negated);

  // GLSL.std.450: translate_functions.cpp
  void translate_function(Words each);
  bool translate_geometry(std::uint32_t function, Words each);
  bool translate_packing(std::uint32_t function, Words each);
  bool translate_clamping(std::uint32_t function, Words each);
  void interpolate(std::uint32_t function, Words each);
  std::vector<Values> numbers_of(const Values& matrix);
  Value determinant_of(const std::vector<Values>& m);
  Value determinant(const Values& m);
  Values inverse(const Values& m);

  // Textures: translate_texture.cpp
  bool translate_texture(Words each);
  void sample(Words each, bool shadow, bool projected);
  void sample_gather(Words each, bool shadow, std::uint8_t component = 0);
  void gather_one_each(Words each, TextureAccess access, const Values& operands, const Values& offsets);
  void query(Words each);
  void point_at_texel(Words each);
  void load_texel(Words each);
  void store_texel(Words each);
  void atomic_of_texel(Words each, const Texel& texel);
  TextureAccess texel_access(const Resource& image, Value at, Values& operands);
  Resource& resource(Id id);
  TextureAccess access_of(const Resource& from);
  void add_operands(TextureAccess& access, Values& operands, std::span<const std::uint32_t> words, Words each);
  Value add_access(Op op, Type type, const TextureAccess& access, Values operands);
  void finish_access(Words each, const TextureAccess& access, Values operands);

  [[noreturn]] void refuse_op(Words each);

  const SpirvModule& module_;
  const SpirvModule::Entry& entry_;
  Program out_;
  Block* block_ = nullptr;
  SourceLine line_;
  bool precise_ = false;
  Id functions_ = 0;  ///< the import of GLSL.std.450

  std::unordered_map<Id, Draft> drafts_;
  std::vector<Id> order_;
  Id first_label_ = 0;
  std::unordered_map<Id, Values> values_;
  std::unordered_map<Id, Id> types_of_;
  std::unordered_map<Id, Words> globals_;
  std::unordered_map<Id, Place> places_;
  std::set<Id> by_numbers_;  ///< variables whose slots are numbers
  std::unordered_map<Id, Resource> resources_;
  std::unordered_map<Id, Texel> texels_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<std::uint32_t, std::uint32_t>>
      textures_of_structures_;                       ///< by variable and slot: those of the texture that is there
  std::map<std::uint32_t, std::uint32_t> counters_;  ///< by binding: the buffer of its atomic counters
  std::map<std::array<std::uint32_t, 3>, Value> constants_;
  std::vector<Instruction> first_;  ///< constants and the like, in front of everything
  struct Phi {
    Words words;
    Id label = 0;
    std::uint32_t block = 0;
    std::vector<std::size_t> at;  ///< its instructions, one a leaf
  };
  std::vector<Phi> phis_;
  std::map<std::pair<Id, Id>, std::uint32_t> edges_;  ///< from label to label: the block that leads there
  std::vector<std::pair<std::uint32_t, Id>> merges_, turns_;
};

}  // namespace mobula::ssa
