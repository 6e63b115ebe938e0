// Rules about one word by itself: its selectors, operations, kind, branch and stores.
#include "core/counted.h"
#include "machines/utgard_gp/check/report.h"

namespace mobula::utgard_gp {
namespace {

class WordChecker {
 public:
  WordChecker(Report& report, std::uint16_t word) : report_(report), index_(word), word_(report.words[word]) {}

  void run() {
    for (const OperandField& operand : operand_fields) check_operand(operand);
    check_operations();
    check_negations();
    check_idle();
    check_load();
    check_stores();
    check_flow();
  }

 private:
  [[nodiscard]] unsigned value(const Field& field) const { return static_cast<unsigned>(get(word_, field)); }
  [[nodiscard]] bool active(Unit unit) const { return is_active(word_, unit); }
  void add(RuleId id, const Field& field, const std::string& found) { report_.add(id, index_, bits_of(field), found); }
  /// "mul0.a is 8"
  [[nodiscard]] std::string says(const Field& field) const {
    return std::string(field.name) + " is " + std::to_string(value(field));
  }

  void check_operand(const OperandField& operand) {
    const Source source = selectors[value(*operand.field)].source;
    if (!is_live(word_, operand)) {
      const bool adder = operand.unit == Unit::acc0 || operand.unit == Unit::acc1;
      const bool dead_b = adder && operand.b && active(operand.unit);
      if (dead_b && value(*operand.field) != 0 && source != Source::unused && source != Source::identity_or_complex)
        add(RuleId::dead_operand, *operand.field,
            says(*operand.field) + ", beside an operation that takes one operand");
      return;
    }
    if (source == Source::unknown) add(RuleId::source_known, *operand.field, says(*operand.field));
    if (source == Source::unused)
      add(RuleId::operand_connected, *operand.field, std::string(operand.field->name) + " is not connected");
  }

  template <class Does>
  void check_operation(bool works, const Operation<Does>& operation, const Field& field) {
    if (works && operation.does == Does::unknown) add(RuleId::operation_known, field, says(field));
  }

  void check_operations() {
    check_operation(active(Unit::mul0) || active(Unit::mul1), mul_operation(word_), word::mul_op);
    check_operation(active(Unit::acc0) || active(Unit::acc1), acc_operation(word_), word::acc_op);
    check_operation(true, cplx_operation(word_), word::cplx_op);
    check_operation(active(Unit::pass), pass_operation(word_), word::pass_op);
    if (cplx_operation(word_).traits.from_pass) add(RuleId::set_a01, word::cplx_op, "A0 and A1 are set at once");
    if (mul_operation(word_).traits.selects && value(word::mul0_b) == selector_identity)
      add(RuleId::select_condition, word::mul0_b, "the condition is the identity");
  }

  void check_negations() {
    const Operation<MulOp>& operation = mul_operation(word_);
    if (operation.traits.negates || operation.does == MulOp::unknown) return;
    const std::string beside = " is set beside " + std::string(operation.name);
    if (value(word::mul0_neg) != 0) add(RuleId::wide_negation, word::mul0_neg, "mul0.neg" + beside);
    if (operation.traits.wide && value(word::mul1_neg) != 0)
      add(RuleId::wide_negation, word::mul1_neg, "mul1.neg" + beside);
  }

  void check_idle() {
    const auto at_rest = [&](const Field& field, unsigned rest) {
      if (value(field) != rest) add(RuleId::idle_fields, field, says(field) + " though the unit is idle");
    };
    const bool wide = is_wide(value(word::mul_op));
    if (!active(Unit::mul0)) {
      at_rest(word::mul0_b, selector_unused);
      at_rest(word::mul0_neg, 0);
    }
    if (!active(Unit::mul1) && !wide) {
      at_rest(word::mul1_b, selector_unused);
      at_rest(word::mul1_neg, 0);
    }
    if (!active(Unit::mul0) && !active(Unit::mul1)) at_rest(word::mul_op, opcode_of(MulOp::mul));
    if (mul_operation(word_).traits.selects) at_rest(word::mul1_b, selector_unused);
    for (const OperandField& operand : operand_fields) {
      if (operand.negate == nullptr || active(operand.unit)) continue;
      if (operand.b) at_rest(*operand.field, selector_unused);
      at_rest(*operand.negate, 0);
    }
    if (!active(Unit::acc0) && !active(Unit::acc1)) at_rest(word::acc_op, opcode_of(AccOp::add));
    if (!active(Unit::complex)) at_rest(word::cplx_in, selector_unused);
    if (!active(Unit::pass)) at_rest(word::pass_op, opcode_of(PassOp::mov));
  }

  void check_load() {
    if (!reads_load(word_)) return;
    const unsigned offset = value(word::ld_off), address = value(word::ld_addr);
    if (offset == 0 || (offset > 3 && offset != no_offset)) add(RuleId::offset_known, word::ld_off, says(word::ld_off));
    if (address >= report_.product.memory)
      add(RuleId::load_inside, word::ld_addr,
          "the load is from vec4 " + std::to_string(address) + " of " + std::to_string(report_.product.memory));
  }

  void check_stores() {
    const StoreHalf halves[2] = {store_half(word_, 0), store_half(word_, 1)};
    for (unsigned half = 0; half < 2; ++half) {
      const Field* selectors_of[2][2] = {{&word::st0_x, &word::st0_y}, {&word::st1_z, &word::st1_w}};
      for (unsigned i = 0; i < 2; ++i)
        if (halves[half].selector[i] == store_unknown)
          add(RuleId::stored_known, *selectors_of[half][i], says(*selectors_of[half][i]));
      if (halves[half].kind != StoreKind::temporary) continue;
      const Field& index = half == 0 ? word::st0_index : word::st1_index;
      const Field& varying = half == 0 ? word::st0_var : word::st1_var;
      if (value(index) != 0) add(RuleId::temporary_index, index, says(index) + " where a temporary is stored");
      if (value(varying) != 0)
        add(RuleId::temporary_or_varying, varying, std::string(varying.name) + " is set beside the temporary bit");
    }
    const bool temporary = halves[0].kind == StoreKind::temporary || halves[1].kind == StoreKind::temporary;
    const auto other = [](StoreKind kind) { return kind == StoreKind::reg || kind == StoreKind::varying; };
    if (temporary && (other(halves[0].kind) || other(halves[1].kind)))
      add(RuleId::temporary_alone, other(halves[0].kind) ? word::st0_index : word::st1_index,
          other(halves[0].kind) ? "st0 stores no temporary but st1 does" : "st1 stores no temporary but st0 does");
    check_temporary_flow(temporary);
  }

  void check_temporary_flow(bool temporary) {
    const unsigned flow = value(word::flow);
    if (temporary && value(word::branch) != 0)
      add(RuleId::temporary_or_branch, word::flow, "the word stores a temporary and branches");
    else if (temporary && flow != flow_temporary)
      add(RuleId::temporary_flow, word::flow, says(word::flow) + " where a temporary is stored");
    else if (!temporary && flow == flow_temporary)
      add(RuleId::temporary_flow, word::flow, "flow is 12 where no temporary is stored");
  }

  void check_flow() {
    const unsigned flow = value(word::flow);
    if (find_value(word::flow, flow) == nullptr) add(RuleId::flow_known, word::flow, says(word::flow));
    const bool temporary_beside = value(word::branch) != 0 && flow == flow_temporary;  // said by check_temporary_flow
    if ((value(word::branch) != 0) != (flow == flow_branch) && !temporary_beside)
      add(RuleId::branch_flow, word::flow,
          value(word::branch) != 0 ? "the branch bit is set but " + says(word::flow)
                                   : "flow is 13 but the branch bit is not set");
    if (!is_branch(word_)) return;
    if (!active(Unit::pass))
      add(RuleId::branch_condition, word::pass_in, "the word branches but its pass unit is idle");
    if (does_other_work()) add(RuleId::branch_alone, word::branch, "the word does other work beside its branch");
  }

  [[nodiscard]] bool does_other_work() const {
    for (const Unit unit : {Unit::acc0, Unit::acc1, Unit::mul0, Unit::mul1, Unit::complex})
      if (active(unit)) return true;
    return store_half(word_, 0).kind != StoreKind::none || store_half(word_, 1).kind != StoreKind::none;
  }

  Report& report_;
  std::uint16_t index_;
  const Word128& word_;
};

}  // namespace

void check_word(Report& report, std::uint16_t word) { WordChecker(report, word).run(); }

void check_branch_target(Report& report, std::uint16_t word) {
  const Word128& bits = report.words[word];
  const std::uint32_t count = word_count(report.program.code);
  if (!is_branch(bits) || branch_target(bits) < count) return;
  report.add(
      RuleId::branch_target, word, bits_of(word::branch_target),
      "the branch leads to word " + std::to_string(branch_target(bits)) + " of a program of " + counted(count, "word"));
}

}  // namespace mobula::utgard_gp
