// A group being assembled: instructions as written are matched against the table, what was left open is chosen, and
// what cannot exist is refused with the rule that forbids it.
#pragma once

#include <array>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/lexer.h"
#include "machines/rogue/spec/codec.h"

namespace mobula::rogue {

/// One operand as written.
struct TextOperand {
  Span span;
  LineToken base;          ///< word or number
  Name name = Name::none;  ///< that it is, modifiers aside
  bool minus = false, bang = false;
  std::optional<unsigned> index_register;  ///< [idx0] or [idx1]
  std::optional<std::uint32_t> bracketed;  ///< [5]
  std::vector<LineToken> modifiers;

  [[nodiscard]] bool is(Name wanted) const { return name == wanted && !minus && !bang && is_plain(); }
  [[nodiscard]] bool is_plain() const { return !index_register && !bracketed; }
  /// Puts a name in its place.
  void rename(Name other) {
    name = other;
    base.text = spelling(other);
  }
};

/// A float that is written without digits.
inline std::optional<float> float_named(std::string_view word) {
  if (word == "inf") return std::numeric_limits<float>::infinity();
  if (word == "nan") return std::numeric_limits<float>::quiet_NaN();
  return std::nullopt;
}
inline bool is_literal(const TextOperand& text) {
  return text.base.kind == LineToken::Kind::number || float_named(text.base.text);
}

/// One instruction as written.
struct TextOp {
  Span span;
  LineToken phase;  ///< "p0", "be"; empty if not said
  LineToken name;
  std::span<const Op* const> rows;  ///< instructions of that name; empty if there are none
  std::vector<LineToken> modifiers;
  std::vector<TextOperand> operands;
  struct Forced {
    LineToken field;
    std::uint32_t value = 0;
  };
  std::vector<Forced> forced;

  /// True if the name may mean an instruction that does this.
  [[nodiscard]] bool may_mean(Does does) const {
    for (const Op* row : rows)
      if (row->does == does) return true;
    return false;
  }
  /// Puts the name of what does this in its place.
  void rename(Does does);
};

class GroupAssembler {
 public:
  /// Place, code, message, hint.
  using Complain = std::function<void(Severity, Span, std::string, std::string, std::string)>;
  /// `isr`: the style of the Instruction Set Reference, where outputs are moves and selectors follow from the text.
  GroupAssembler(Alu alu, bool isr, Span span, const Complain& complain);

  // What a group says beside its instructions. Each complains about what was said before.
  void bind_slot(unsigned slot, const Register& reg, Span span) {
    said_[slot] = true;
    read_through(slot, reg, span);
  }
  void bind_result(unsigned port, const Register& reg, Span span);
  void select(unsigned selector, const LineToken& name);
  void force_map(unsigned map, const Form& form) { forced_maps_[map] = &form; }  ///< 0 lower, 1 upper, 2 destination
  void add(TextOp op);

  /// Chooses what is open and all forms. False if the group cannot exist or is a template; the reasons were given.
  bool finish();

  Group group;
  bool complex_in_p1 = false;  ///< the core issues complex operations in phase 1, too
  bool long_header = false;
  /// Label or number a branch names; its span, for the complaint that there is none.
  std::optional<TextOperand> target;

 private:
  struct Match {
    const Op* op = nullptr;
    Unit unit{};
    Values values = default_values;  ///< of the word as it would be
    std::array<bool, field_count> said{};
    Span at;  ///< of the mistake
    std::size_t progress = 0;
    std::string message, hint;
    std::string_view code = "RG106";
    // What the operands say beside the values.
    std::vector<std::pair<unsigned, std::pair<Register, Span>>> slots;
    std::vector<std::pair<unsigned, std::uint8_t>> selectors;
    std::vector<std::pair<Register, Span>> external;
    std::vector<std::pair<F, std::pair<Register, Span>>> slot_fields;
    std::vector<std::pair<Name, std::pair<Register, Span>>> outputs;  ///< feedthrough or port, register
    std::vector<unsigned> named_slots;
    bool uses_external = false;
    std::optional<TextOperand> branch_target;

    bool breaks(std::string_view rule, Span span, std::string text, std::string mend = {}) {
      code = rule;
      return fail(span, std::move(text), std::move(mend));
    }
    bool fail(Span span, std::string text, std::string mend = {}) {
      at = span;
      message = std::move(text);
      hint = std::move(mend);
      return false;
    }
  };
  struct PendingSlot {
    Word word{};
    F field{};
    Register reg;
    Span span;
  };

  void error(Span span, std::string code, std::string message, std::string hint = {});
  void read_through(unsigned slot, const Register& reg, Span span);
  [[nodiscard]] bool may_stand(const Op& op, Unit unit) const;
  void refuse_unit(const TextOp& op);
  void select_second_external(unsigned slot, const LineToken& name);
  void rewrite(TextOp& op);
  bool take_output(const TextOp& op);
  void set_group_modifiers(TextOp& op);

  bool match(const TextOp& text, Match& match) const;
  bool match_modifiers(const TextOp& text, Match& match) const;
  bool match_operand(const OperandSpec& operand, const TextOperand& text, Match& match) const;
  bool match_source(const OperandSpec& operand, const TextOperand& text, Match& match) const;
  bool match_source_modifiers(const OperandSpec& operand, const TextOperand& text, Match& match) const;
  bool match_field(F field, const TextOperand& text, Match& match) const;
  bool match_forced(const TextOp& text, Match& match) const;
  void apply(const TextOp& text, Match& match);

  bool check_phases();
  void choose_outputs();
  [[nodiscard]] bool is_port_taken(unsigned port, std::uint8_t code) const;
  void choose_port_drivers();
  bool check_external();
  bool choose_slots();
  bool choose_items();
  bool choose_maps(bool report);
  void explain_template();
  void try_slots(std::size_t next, std::optional<Group>& best);
  void try_group(std::optional<Group>& best);
  void explain_slots();
  [[nodiscard]] bool is_commutable(Word word) const;
  void commute(Word word);

  Values& values(Word word) { return values_[static_cast<std::size_t>(word)]; }

  const Complain& complain_;
  Span span_;
  bool isr_, failed_ = false;
  std::array<Values, word_count> values_;
  std::array<const Op*, unit_count> ops_{};
  std::array<Span, unit_count> spans_{};
  std::array<unsigned, word_count> steps_{};
  std::array<bool, slot_count> bound_{}, named_{};
  std::array<bool, slot_count> said_{};  ///< bound by a binding, not by an instruction
  std::array<Span, slot_count> slot_spans_{};
  std::array<bool, 6> selected_{};
  std::array<bool, 2> result_bound_{};
  std::array<Span, 2> result_spans_{};
  std::array<const Form*, 3> forced_maps_{};
  std::vector<std::pair<Register, Span>> external_;
  std::vector<PendingSlot> pending_;
  struct Output {
    Name source{};  ///< feedthrough, or the port itself
    Register reg;
    Span span;
  };
  std::vector<Output> outputs_;
  std::array<bool, word_count> registers_only_{};  ///< no slot was named, so that sources may change places
  bool uses_external_ = false, address_missing_ = false;
};

/// A register or indexed operand; nothing if the text is none. `complaint` says why where it looks like one.
std::optional<Register> register_of(const TextOperand& text, std::string& complaint);
/// The same, or a float that a special constant holds; the hint belongs to the complaint.
std::optional<Register> source_of(const TextOperand& text, std::string& complaint, std::string& hint);

}  // namespace mobula::rogue
