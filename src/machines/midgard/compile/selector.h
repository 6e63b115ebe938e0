#pragma once

#include <span>
#include <unordered_map>

#include "compile/cannot_do.h"
#include "machines/midgard/compile/select.h"

namespace mobula::midgard_compiler {

using compile::cannot;

/// One component of a value, followed to where it comes from.
struct Part {
  Source::Kind kind = Source::Kind::none;
  std::uint32_t number = 0;
  std::uint8_t component = 0;
  std::uint32_t bits = 0;
  bool absolute = false, negative = false;

  [[nodiscard]] bool same_source(const Part& other) const {
    return kind == other.kind && number == other.number && absolute == other.absolute && negative == other.negative;
  }
};

/// Says for a while whether 16 bits are enough of what is made.
class Precision {
 public:
  Precision(bool& relaxed, bool value) : relaxed_(relaxed), before_(std::exchange(relaxed, value)) {}
  ~Precision() { relaxed_ = before_; }
  Precision(const Precision&) = delete;
  Precision& operator=(const Precision&) = delete;

 private:
  bool& relaxed_;
  bool before_;
};

/// What a varying, an attribute or an image is numbered by.
std::uint64_t table_entry(std::uint32_t number, bool secondary);

class Selector {
 public:
  Selector(const ssa::Program& program, Layout& layout, UniformRegisters& uniforms, const midgard::Product& product)
      : program_(program), layout_(layout), uniforms_(uniforms), product_(product) {}

  Code run();

 private:
  using Op = ssa::Op;

  // the frame
  void find_definitions();
  void find_outputs();
  void lay_out_blocks();
  void select_block(std::uint32_t number);
  void select_instruction(const ssa::Instruction& each);
  void end_block(std::uint32_t number);
  void copy_for_phis(std::uint32_t from, std::uint32_t to);
  void branch_to(std::uint32_t from, ssa::Value condition, std::uint32_t yes, std::uint32_t no);
  void jump(std::uint32_t target);
  void finish_program();
  [[nodiscard]] bool only_discards(std::uint32_t block) const;
  [[nodiscard]] std::uint32_t target_of(std::uint32_t from, std::uint32_t to) const;
  [[nodiscard]] bool falls_into(std::uint32_t target) const;

  // operands
  [[nodiscard]] const ssa::Instruction* maker(ssa::Value value) const { return makers_[value]; }
  [[nodiscard]] const ssa::Type& type_of(ssa::Value value) const { return program_.values[value]; }
  Part part_of(ssa::Value value, unsigned component, bool is_real);
  Source source(ssa::Value value, bool is_real);
  std::optional<Source> joined(std::span<const Part> parts) const;
  Value value_of(ssa::Value value);
  Value in_home(ssa::Value value, Home home, unsigned components, Placement placement = Placement::anywhere);
  void build(Value into, std::span<const Part> parts, unsigned first = 0);
  static Source constant(std::uint32_t bits);
  static Source constant(float number);
  std::optional<std::uint32_t> known(ssa::Value value, unsigned component = 0) const;

  // arithmetic
  Instruction& emit(Instruction instruction);
  [[nodiscard]] bool is_relaxed(ssa::Value value) const;
  Value alu(const AluOp* op, unsigned components, Source a, Source b);
  void alu_into(Value result, std::uint8_t mask, const AluOp* op, Source a, Source b);
  void move(Value result, std::uint8_t mask, Source from);
  void compute(const ssa::Instruction& each);
  /// One operation of the machine does it.
  void give(const ssa::Instruction& each, const AluOp* op, const Source& a, const Source& b);
  void component_by_component(const ssa::Instruction& each, const AluOp* op);
  void insert(const ssa::Instruction& each);
  void extract(const ssa::Instruction& each);
  void look_up(const ssa::Instruction& each, const AluOp* op);
  void arc_tangent(const ssa::Instruction& each);
  void dot(const ssa::Instruction& each);
  void multiply_high(const ssa::Instruction& each, bool is_signed);
  void select_value(const ssa::Instruction& each);
  void all_or_any(const ssa::Instruction& each);
  bool clamp(const ssa::Instruction& each);
  Guard guard_of(ssa::Value condition, bool for_branch, unsigned components);
  ssa::Value without_not(ssa::Value condition, bool& inverted) const;

  // memory and textures
  void load(const ssa::Instruction& each);
  void load_input(const ssa::Instruction& each, const ssa::Variable& variable);
  void load_special(const ssa::Instruction& each, const ssa::Variable& variable, std::uint32_t selector);
  void load_id(const ssa::Instruction& each, const ssa::Variable& variable);
  void store(const ssa::Instruction& each);
  void write_varying(Value data, std::uint32_t number, const ssa::Type& type);
  void read_block(const ssa::Instruction& each);
  void write_block(const ssa::Instruction& each);
  void atomic(const ssa::Instruction& each);
  void load_uniform_words(const ssa::Instruction& each, std::uint32_t buffer, std::uint32_t byte,
                          std::optional<ssa::Value> index, std::uint32_t stride);
  /// What an access of memory has as operands.
  struct Address {
    Source base;   ///< a pointer; none: the thread's or the group's own memory
    Source index;  ///< none: there is none
    std::uint64_t fields = 0;
    std::uint32_t byte = 0;
    std::uint32_t slot = 0;  ///< as of Instruction
  };
  Source scaled_index(std::uint64_t& fields, std::optional<ssa::Value> index, std::uint32_t stride,
                      std::uint32_t excess);
  Address address_of(const ssa::Instruction& each, std::optional<ssa::Value> index, std::uint32_t byte,
                     std::uint32_t stride);
  Instruction access(const LsOp* op, const Address& address);
  Value memory_value(const Address& address, unsigned components);
  void store_words(const Address& address, ssa::Value data);
  Address address_made_by(Instruction makes);
  void atomic_at(const Address& address, const ssa::Instruction& each);
  Source system_value(SystemValueType kind, std::uint32_t id, unsigned first, unsigned words);
  // textures
  struct TextureWork;
  void texture(const ssa::Instruction& each);
  void texture_size(const ssa::Instruction& each, const ssa::TextureAccess& access);
  void refuse_texture(const ssa::TextureAccess& access) const;
  void set_texture(TextureWork& work);
  void set_coordinates(TextureWork& work);
  void set_level(TextureWork& work);
  void set_level(TextureWork& work, Source level);
  void set_offset(TextureWork& work);
  Source allowed_level(const TextureWork& work, Source level);
  // storage images
  Instruction texel_access(const ssa::Instruction& each, const LsOp* op);
  void set_texel(Instruction& does, const ssa::Instruction& each, const ssa::TextureAccess& access);
  void load_texel(const ssa::Instruction& each);
  void store_texel(const ssa::Instruction& each);
  void atomic_of_texel(const ssa::Instruction& each);
  void difference(const ssa::Instruction& each, unsigned axis);
  void barrier();

  const ssa::Program& program_;
  Layout& layout_;
  UniformRegisters& uniforms_;
  const midgard::Product& product_;
  Code code_;
  std::vector<const ssa::Instruction*> makers_;
  std::vector<std::uint32_t> block_of_;            ///< by value: where it is made
  std::vector<Value> values_;                      ///< by value of the form; none where it is made where it is read
  std::unordered_map<ssa::Value, Value> built_;    ///< in this block
  std::unordered_map<ssa::Value, Source> pushed_;  ///< that are read where they lie: uniform registers, mostly
  /// By variable and slot: the value that an output or local variable is kept in until the end.
  std::vector<std::vector<Value>> kept_;
  std::vector<std::uint32_t> order_;                                        ///< block of the code of each of the form
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> split_;  ///< edges that have a block of their own
  std::uint32_t exit_ = ssa::none;                                          ///< block that ends the program
  std::uint32_t here_ = 0;                                                  ///< block that code is made for
  std::uint32_t form_block_ = 0, line_ = 0;
  bool relaxed_ = false;  ///< of what is made now 16 bits are enough
};

}  // namespace mobula::midgard_compiler
