// Instructions as statements of pseudo-code, and values put into the one place that uses them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "machines/afuc/views/flow.h"

namespace mobula::afuc {

/// A value as text.
struct Expression {
  std::string text;
  std::string_view symbol;      ///< of the operator on its top; empty: nothing that needs parentheses
  std::uint32_t registers = 0;  ///< read, as bits
  bool moves = false;           ///< reading it again may give something else: queues, memory, control registers
};

struct Statement {
  enum class Kind : std::uint8_t {
    assign,
    condition,  ///< of the branch at the end; nothing is printed for it
    other,      ///< calls and the like: may read and change everything
  };
  Kind kind = Kind::assign;
  std::uint32_t word = 0;
  const Opcode* opcode = nullptr;
  std::string target;                  ///< what is assigned to; empty: nothing
  std::uint32_t target_registers = 0;  ///< read for it, as bits
  std::optional<unsigned> writes;      ///< the register that is assigned to, whole
  bool effect = false;                 ///< changes more than that register
  std::vector<Expression> operands;
  std::string extra;  ///< further moves, after the statement
  std::string comment;
  bool repeats = false;
  bool in_slot = false;  ///< of the transfer at the end

  [[nodiscard]] Expression value() const;
  /// Without ';' and comment.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::uint32_t reads() const;
};

/// A condition and its opposite.
struct Condition {
  std::string yes, no;
};

/// The statements of a block in order of execution, with values folded into their only use in it. A transfer at its end
/// is not among them, apart from its condition; nops are left out.
std::vector<Statement> statements(const Image& image, const Core& core, const Functions& functions,
                                  const FlowBlock& block);

/// What the conditional branch at the end of the block asks.
Condition condition(const Image& image, const std::vector<Statement>& block, std::uint32_t branch);

/// "$02", "0" for $00 as a source.
std::string register_text(const Image& image, unsigned reg, bool destination);

}  // namespace mobula::afuc
