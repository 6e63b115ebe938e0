// The selection, in parts: operands and arithmetic, memory, blocks, textures, flow.
#pragma once

#include <functional>
#include <map>
#include <tuple>
#include <unordered_set>

#include "machines/rogue/compile/select.h"
#include "machines/rogue/spec/pixel_formats.h"

namespace mobula::rogue_compiler {

class Selector {
 public:
  Selector(const ssa::Program& program, const Layout& layout, const Flow& flow);
  Code run();

 private:
  using Components = std::array<Operand, 4>;
  using Access = ssa::TextureAccess;

  // Operands: select.cpp
  [[nodiscard]] const Operand& at(ssa::Value value, unsigned component) const { return values_[value][component]; }
  [[nodiscard]] const ssa::Type& type_of(ssa::Value value) const { return program_.values[value]; }
  [[nodiscard]] bool is_known(const Operand& operand) const { return operand.kind == Operand::Kind::immediate; }
  /// As a slot can read it; groups that bring it there come first.
  Operand fit(const Operand& operand, const Slot& slot);
  Operand copied(const Operand& operand);
  Operand keep(const Operand& operand, const Row& row, std::array<Operand, 4> sources);
  [[nodiscard]] static unsigned cost_of(const Operand& operand, const Slot& slot);
  Instruction& emit(const Row& row, Operation operation, std::array<Operand, 4> sources, std::array<Operand, 2> results,
                    std::uint32_t number = 0);
  Operand make(const Row& row, Operation operation, std::array<Operand, 4> sources);
  void move(const Operand& from, const Operand& to, Condition condition = Condition::always, bool replaces = true);

  // Arithmetic: select.cpp
  void instruction(const ssa::Instruction& each);
  void pass_on(const ssa::Instruction& each);
  Operand compute(const ssa::Instruction& each, unsigned component);
  Operand sum(Operand a, Operand b);
  Operand product(Operand a, Operand b);
  Operand compare(Operation test, const Operand& a, const Operand& b);
  Operand sine(Operation first, Operation second, const Operand& angle);

  // Memory: select_memory.cpp
  void begin();
  void begin_varyings();
  void load(const ssa::Instruction& each);
  void load_input(const ssa::Instruction& each);
  void store(const ssa::Instruction& each);
  void store_output(const ssa::Instruction& each);
  /// To pixel outputs from `first` on.
  void pack_colour(ssa::Value colour, unsigned components, const rogue::PixelFormat& format, std::uint32_t first);
  /// Sets the index register. \return the number of the shared register that it counts from.
  std::uint32_t set_index(ssa::Value index, std::uint32_t variable, std::uint32_t slot);

  void load_thread(const ssa::Instruction& each);
  /// One of several, by an index that is known when the program runs only.
  Operand chosen(const Operand& index, const std::vector<Operand>& all);

  // Blocks and atomics: select_block.cpp
  [[nodiscard]] Operand buffer_value(std::uint32_t variable) const;
  Operand address_of(std::uint32_t variable, std::uint32_t byte, const Operand& more);
  void load_words(const Operand& address, const ssa::Instruction& each);
  void store_words(const Operand& address, ssa::Value data);
  void read(const ssa::Instruction& each);
  void read_uniform_block(const ssa::Instruction& each, const Operand& more);
  void write(const ssa::Instruction& each);
  void length(const ssa::Instruction& each);
  void wait_for_all();
  void wait_for_tasks();
  void atomic(const ssa::Instruction& each);
  void change_shared(const ssa::Instruction& each);
  void exchange_if_equal(const Operand& address, const ssa::Instruction& each);

  // Textures: select_texture.cpp
  void texture(const ssa::Instruction& each);
  void sample(const ssa::Instruction& each, const Access& access);
  void texture_size(const ssa::Instruction& each, const Access& access);
  /// Coordinates as the data of a sample, and how many dimensions they are of.
  std::uint8_t place_of_sample(const ssa::Instruction& each, const Access& access, std::vector<Operand>& data);
  Operand options(const ssa::Instruction& each, const Access& access);
  Operand offsets(ssa::Value offset);
  void compare(const ssa::Instruction& each, const Access& access, const std::array<Operand, 4>& texels);
  Operand layer(const Operand& number);
  Operand in_a_row(const std::vector<Operand>& values);

  // Images: select_image.cpp
  void load_texel(const ssa::Instruction& each, const Access& access);
  void store_texel(const ssa::Instruction& each);

  // Flow: select_flow.cpp
  void find_lives();
  void read_phis(std::uint32_t from, std::uint32_t to,
                 const std::function<void(ssa::Value phi, ssa::Value value)>& act) const;
  void begin_block();
  void end_block();
  void end_program();
  void copies(std::uint32_t to, Condition condition, bool replaces = true);
  void jump(std::uint32_t to);
  void branch(const ssa::End& end);
  void turn_back();
  void go(const Row& row, std::uint32_t label, Condition condition = Condition::always);
  void mark(std::uint32_t label);
  /// Where the instances that run go next.
  void set_next(std::uint32_t to, Condition condition = Condition::always);
  [[nodiscard]] bool has_to_say(std::uint32_t to) const;
  Operand id_of(std::uint32_t block) const;
  /// Lets those run whose next block this is.
  void run_those_at(std::uint32_t block);
  void run_all();

  const ssa::Program& program_;
  const Layout& layout_;
  const Flow& flow_;
  const std::uint32_t end_;
  Code code_;
  std::uint32_t block_ = 0, line_ = 0;
  std::vector<Components> values_;
  std::vector<std::vector<Components>> locals_;            ///< by variable and slot
  std::map<std::uint32_t, Operand> varyings_;              ///< by set
  std::vector<bool> is_in_masked_loop_;                    ///< by block
  std::vector<std::unordered_set<ssa::Value>> live_phis_;  ///< by block: read there or behind it
  std::vector<std::vector<ssa::Value>> phis_of_;           ///< by value: those whose registers it may be, ascending
  std::map<std::tuple<int, std::uint32_t, bool, bool, bool>, Operand> copies_;  ///< within a block
  bool discards_ = false;
  Operand depth_value_;
};

}  // namespace mobula::rogue_compiler
