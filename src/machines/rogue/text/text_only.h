// Operations that have text and semantics but no published encoding: sums of products of 16-bit floats, and texel
// addresses (reference 3.3, 3.4). They can be written and executed, as groups of the variant `rogue:model`, and have no
// machine code.
//
// As a program such a group is 32 bytes of ALU type 01, which no hardware has, in an encoding of mobula's own
// (docs/rogue-text-only.md). To other variants these bytes are not a group.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/export.h"
#include "machines/rogue/spec/codec.h"
#include "machines/rogue/spec/cores.h"
#include "machines/rogue/text/group_assembler.h"
#include "mobula/isa/machine.h"
#include "mobula/isa/program.h"

namespace mobula::rogue {

/// Operand of a sum of products.
struct SopOperand {
  static constexpr std::uint8_t zero = 6, z = 7;   ///< in place of a slot: 0; min(S1, 1 - S0)
  enum class View : std::uint8_t { f32, e0, e1 };  ///< the whole register, or one of its halves
  std::uint8_t slot = zero;                        ///< 0..5 = S0..S5
  View view = View::f32;
  bool negated = false, absolute = false, one_minus = false;
  friend constexpr bool operator==(const SopOperand&, const SopOperand&) = default;
};

/// One result of a sum of products: a port, or a half of it.
struct SopLine {
  enum class Join : std::uint8_t { add, sub, min, max, rsub, mad };
  enum class Out : std::uint8_t { result, first, second };  ///< j, a, b or k, c, d
  Join join = Join::add;
  Out out = Out::result;
  SopOperand::View part = SopOperand::View::f32;
  std::uint8_t port = 0;
  std::array<SopOperand, 4> operands{};  ///< x y JOIN u v: (x * y) JOIN (u * v); of mad x * y + u
  /// True for a result of sopmad that nobody asked for.
  [[nodiscard]] bool is_idle() const { return operands == std::array<SopOperand, 4>{}; }
};

struct TextOnly {
  enum class Kind : std::uint8_t { sop, sopmad, gta };
  Kind kind = Kind::sop;
  Group group;  ///< condition, end, slots, registers written; of items a complex operation in phase 1 at most
  std::vector<SopLine> lines;                 ///< two, or four of sopmad, at most
  std::optional<std::uint8_t> moved;          ///< slot that sopmov copies to W1
  bool writes_p0 = false;                     ///< gta
  [[nodiscard]] unsigned slots_used() const;  ///< a bit each
};

/// True for what such operations do.
bool is_text_only(Does does);

/// The operation that the instructions of one group are; `bound` has its condition and flags, and slots and results
/// that are bound by name. Complains and returns nothing where they are none.
std::optional<TextOnly> parse_text_only(std::span<const TextOp> ops, const Group& bound,
                                        const GroupAssembler::Complain& complain);

inline constexpr std::size_t text_only_bytes = 32;
std::array<std::uint8_t, text_only_bytes> encode_text_only(const TextOnly& op);
/// Nothing if the bytes are not such a group.
std::optional<TextOnly> decode_text_only(std::span<const std::uint8_t> bytes);

/// The group at `offset` and all groups, as the program's variant sees them. Those that the model variant alone has
/// stand as main groups that are `modelled`.
MOBULA_INTERNAL Group decode_group(const Program& program, std::uint32_t offset);
MOBULA_INTERNAL std::vector<Group> decode(const Program& program);
/// Calls visit(group) for all of them in their order, and keeps none: a group takes fifty times the room of its bytes.
template <class Visit>
void for_each_group(const Program& program, Visit visit) {
  for (std::uint32_t offset = 0; offset < program.code.size();) {
    const Group group = decode_group(program, offset);
    visit(group);
    offset += group.size;
  }
}
/// What such a group does; its bytes are those of `group`. Precondition: group.modelled.present.
TextOnly text_only_of(const Program& program, const Group& group);

/// Its instructions, but for one of phase 1, each after `before` and followed by `after`. `resolved`: registers in
/// place of slots and ports, where they say the same.
char* put_text_only(char* out, const TextOnly& op, bool resolved, std::string_view before, std::string_view after);
/// True if registers in place of slots say the same.
bool resolves(const TextOnly& op);
/// The fields of its bytes.
std::vector<ExplainedField> explain_text_only(std::span<const std::uint8_t> bytes, const TextOnly& op);

}  // namespace mobula::rogue
