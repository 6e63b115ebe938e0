// Utgard GP code on its way to words: scalar operations of the machine, every value made once.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace mobula::utgard_gp_compiler {

using Value = std::uint32_t;  ///< its number in the code
inline constexpr Value no_value = ~Value{0};
inline constexpr std::uint32_t no_block = ~std::uint32_t{0};

struct Operand {
  enum class Kind : std::uint8_t { none, value, attribute, memory, constant };
  Kind kind = Kind::none;
  bool negative = false;   ///< only adders take the opposite of something
  bool addressed = false;  ///< memory at `number` plus what the address register holds
  std::uint8_t component = 0;
  std::uint32_t number = 0;  ///< of the value, the attribute, or the vec4 of memory; of a constant its bits

  [[nodiscard]] bool is_value() const { return kind == Kind::value; }
  friend bool operator==(const Operand&, const Operand&) = default;
};

enum class Do : std::uint8_t {
  add,  ///< a move if there is no second operand
  floor,
  sign,
  ge,
  lt,
  min,
  max,
  mul,
  both,    ///< of two truths, by whatever unit has less to do
  select,  ///< a != 0 ? b : c
  rcp,
  rsqrt,
  exp2,
  log2,
  set_address,  ///< for loads that follow in the block
};

struct Operation {
  Do does = Do::add;
  std::array<Operand, 3> operands;
  Value result = no_value;
  std::int32_t varying =
      -1;                  ///< the component of a varying that the result is stored to instead: 4 * number + component
  std::uint32_t line = 0;  ///< of the source; 0 = not known
  std::int32_t temporary = -1;  ///< the component of memory that it is stored to instead: 4 * vec4 + component
  Operand address;              ///< where the number of that vec4 is
};

/// One operand for each predecessor, in its order.
struct Phi {
  Value result = no_value;
  std::vector<Operand> operands;
};

/// Ends with a branch to the first target if the condition is not 0, and goes on at the second; or goes on at the
/// first; or leaves, if there is none.
struct Block {
  std::vector<std::uint32_t> predecessors;
  std::vector<Phi> phis;
  std::vector<Operation> operations;
  Operand condition;
  std::vector<std::uint32_t> successors;
};

struct Code {
  std::vector<Block> blocks;
  std::vector<std::uint32_t> order;  ///< of blocks in the program
  std::uint32_t values = 0;

  Value add_value() { return values++; }
};

/// Of an Operation, const or not.
template <class Of, class Each>
void each_operand(Of& operation, Each each) {
  for (auto& operand : operation.operands)
    if (operand.kind != Operand::Kind::none) each(operand);
}

/// Of a block with this predecessor: which operand of its phis is for it.
std::size_t way_from(const Block& block, std::uint32_t predecessor);

/// Where a block with several successors leads to one with phis, a block of its own is put between.
void split_edges(Code& code);

/// Without what nobody reads.
void drop_unused(Code& code);

/// By block, the values that are needed where it begins, its phis aside.
std::vector<std::vector<bool>> find_live(const Code& code);

/// Decides by which unit a `both` is done: as a product, or as the lesser of the two.
void choose_units(Code& code);

}  // namespace mobula::utgard_gp_compiler
