#include "machines/utgard_gp/lift.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <string>

#include "ir/builder.h"
#include "ir/passes.h"
#include "machines/utgard_gp/forwarding.h"

namespace mobula::utgard_gp {
namespace {

using ir::Op;
using ir::Operand;
using ir::Type;

constexpr std::string_view truth_values[] = {"nonzero", "positive", "half"};
constexpr std::string_view address_values[] = {"floor", "truncate", "nearest"};
constexpr std::string_view sequence_values[] = {"poison", "trap"};
constexpr std::string_view early_values[] = {"old", "trap"};
constexpr Policy policy_rows[] = {
    {"truth", "nonzero", truth_values, "when a select or branch condition holds: != 0, > 0 or >= 0.5"},
    {"address", "floor", address_values, "how an address register rounds its float"},
    {"sequence", "poison", sequence_values,
     "a partial result used outside its sequence gives NaN, or stops the thread"},
    {"early", "old", early_values,
     "a register, temporary or address register read before a write has arrived gives the old value, or stops the "
     "thread"},
};

constexpr std::array<char, 4> letters{'x', 'y', 'z', 'w'};

/// What is read while a write to it may still be on its way keeps the last writes in a queue.
struct Queue {
  Operand committed;
  std::vector<Operand> value, valid;  ///< [k]: stored k + 1 instructions ago; valid is 0 or ~0
};

class Lifter {
 public:
  Lifter(std::span<const Word128> words, const Policies& policies)
      : words_(words),
        forwarding_(words),
        truth_(value_of(policies, 0)),
        address_(value_of(policies, 1)),
        sequence_(value_of(policies, 2)),
        early_(value_of(policies, 3)) {}

  ir::Program run() {
    lay_out_state();
    builder_.emplace(std::move(slots_));
    for (word_ = 0; word_ < words_.size(); ++word_) lift_word();
    ir::Program lifted = builder_->finish(0);
    ir::coalesce(lifted);
    return lifted;
  }

 private:
  static std::string value_of(const Policies& policies, std::size_t row) {
    const auto chosen = policies.find(policy_rows[row].name);
    return std::string(chosen == policies.end() ? policy_rows[row].default_value : std::string_view(chosen->second));
  }

  // ---------------------------------------------------------------------------------------------- state

  Operand add_slot(std::string name) {
    slots_.push_back({std::move(name), next_byte_, 4});
    next_byte_ += 4;
    return Operand::state(next_byte_ - 4);
  }

  void lay_out_state() {
    for (unsigned reg = 0; reg < register_count; ++reg)
      for (const char letter : letters) add_slot("$" + std::to_string(reg) + '.' + letter);
    has_temporaries_ = std::any_of(words_.begin(), words_.end(), [](const Word128& word) {
      return store_half(word, 0).kind == StoreKind::temporary || store_half(word, 1).kind == StoreKind::temporary;
    });
    for (unsigned k = 0; k < 4; ++k) addresses_[k] = add_slot("A" + std::to_string(k));
    for (const Word128& word : words_) lay_out_word(word);
    if (has_temporaries_) {
      next_byte_ = (next_byte_ + 7) & ~7u;
      memory_ = add_slot("MEMORY.x");
      add_slot("MEMORY.y");
    }
    first_latch_byte_ = next_byte_;
    for (const Latch& latch : forwarding_.latches()) latches_[latch] = add_slot(latch_name(latch));
    end_latch_byte_ = next_byte_;
    for (std::uint16_t word = 0; word < forwarding_.count(); ++word) lay_out_queues(word);
  }

  /// Uniform memory read at fixed addresses lives in slots, unless the program writes to it.
  void lay_out_word(const Word128& word) {
    if (!reads_load(word) || has_temporaries_ || get(word, word::ld_off) != no_offset) return;
    const auto address = static_cast<unsigned>(get(word, word::ld_addr));
    if (uniforms_.contains(address)) return;
    const std::string name = "u[" + std::to_string(address) + "].";
    uniforms_[address] = add_slot(name + 'x');
    for (unsigned c = 1; c < 4; ++c) add_slot(name + letters[c]);
  }

  void lay_out_queues(std::uint16_t word) {
    for (unsigned port = 0; port < 2; ++port) {
      if (port == 0 && get(words_[word], word::port0_attr) != 0) continue;
      const auto reg = static_cast<unsigned>(get(words_[word], port == 0 ? word::port0_index : word::port1_index));
      for (unsigned c = 0; c < 4; ++c)
        if (port_component_used(word, port, c)) add_queue_if_early(word, 4 * reg + c);
    }
    if (!reads_load(words_[word])) return;
    const auto offset = static_cast<unsigned>(get(words_[word], word::ld_off));
    if (offset >= 1 && offset <= 3) add_queue_if_early(word, delayed_address + offset - 1);
    if (has_temporaries_)
      for (unsigned c = 0; c < 4; ++c) add_queue_if_early(word, delayed_temporary + c);
  }

  /// Gives what this word reads a queue if a write to it may still be on its way; all others are written at once.
  void add_queue_if_early(std::uint16_t word, unsigned delayed) {
    if (queues_.contains(delayed) || !forwarding_.may_be_early(word, delayed)) return;
    Queue& queue = queues_[delayed];
    queue.committed = delayed_slot(delayed);
    for (unsigned age = 1; age < latency_of(delayed); ++age) {
      const std::string suffix = "[-" + std::to_string(age) + "]";
      queue.value.push_back(add_slot(delayed_name(delayed) + ".new" + suffix));
      queue.valid.push_back(add_slot(delayed_name(delayed) + ".stored" + suffix));
      const bool temporary = is_temporary(delayed);
      if (temporary && temporary_address_.size() < age)
        temporary_address_.push_back(add_slot("temporary.address" + suffix));
    }
  }
  static bool is_temporary(unsigned delayed) { return delayed >= delayed_temporary && delayed < delayed_address; }
  /// Where its value stands once it has arrived; none for temporaries, which lie in memory.
  [[nodiscard]] Operand delayed_slot(unsigned delayed) const {
    if (is_temporary(delayed)) return {};
    return delayed < delayed_temporary ? register_slot(delayed / 4, delayed % 4)
                                       : addresses_[1 + delayed - delayed_address];
  }
  static std::string delayed_name(unsigned delayed) {
    if (delayed >= delayed_address) return "A" + std::to_string(1 + delayed - delayed_address);
    return (is_temporary(delayed) ? std::string("temporary.") : "$" + std::to_string(delayed / 4) + '.') +
           letters[delayed % 4];
  }

  static std::string latch_name(const Latch& latch) {
    const std::string channel = latch.channel < unit_count
                                    ? std::string(units_name(latch.channel))
                                    : std::string("p0.") + letters[latch.channel - channel_port0];
    if (!latch.merged) return channel + '@' + std::to_string(latch.word);
    return channel + "[-" + std::to_string(latch.age) + (latch.read_age > latch.age ? "..]@" : "]@") +
           std::to_string(latch.word);
  }
  static std::string_view units_name(unsigned channel) { return info(static_cast<Unit>(channel)).name; }
  static Operand register_slot(unsigned reg, unsigned component) { return Operand::state(16 * reg + 4 * component); }

  [[nodiscard]] bool port_component_used(std::uint16_t word, unsigned port, unsigned component) const {
    const Source wanted = port == 0 ? Source::port0 : Source::port1;
    if ((components_read(words_[word], wanted) >> component & 1) != 0) return true;
    if (port != 0) return false;
    const auto channel = static_cast<std::uint8_t>(channel_port0 + component);
    if (forwarding_.needs({false, word, channel, 0})) return true;
    const auto& copies = forwarding_.copies(word);
    return std::any_of(copies.begin(), copies.end(),
                       [&](const MergeCopy& copy) { return copy.own && copy.to.channel == channel; });
  }

  // ---------------------------------------------------------------------------------------------- one word

  [[nodiscard]] const Word128& bits() const { return words_[word_]; }
  [[nodiscard]] unsigned field(const Field& field) const { return static_cast<unsigned>(get(bits(), field)); }
  Operand f32(float value) { return builder_->constant_f32(value); }
  Operand poison() { return builder_->constant_u32(0x7FC00000); }

  void lift_word() {
    ir::Builder& b = *builder_;
    b.begin_block(std::uint64_t{word_} * word_bytes, word_bytes);
    results_ = {};
    broken_ = {};
    new_address_ = {};
    if (const std::string reason = unexecutable(); !reason.empty()) {
      b.note(Status::unknown, reason);
      b.trap(reason);
      b.end_block(std::nullopt);
      return;
    }
    rest_on_facts();
    fetch();
    compute_adders();
    compute_multipliers();
    compute_pass();
    compute_complex();
    if (is_branch(bits())) branch_condition_ = truth(used(Unit::pass, "branch on"));
    store();
    forward();
    leave();
  }

  /// Why this word cannot be executed; empty if it can.
  [[nodiscard]] std::string unexecutable() const {
    for (const OperandField& operand : operand_fields) {
      if (!is_live(bits(), operand)) continue;
      const unsigned selector = field(*operand.field);
      if (selectors[selector].source == Source::unknown)
        return "source selector " + std::to_string(selector) + " in " + std::string(operand.field->name) +
               " is unknown";
    }
    if ((is_active(bits(), Unit::mul0) || is_active(bits(), Unit::mul1)) && mul_ops[field(word::mul_op)].name.empty())
      return "mul.op " + std::to_string(field(word::mul_op)) + " is unknown";
    if ((is_active(bits(), Unit::acc0) || is_active(bits(), Unit::acc1)) && acc_ops[field(word::acc_op)].name.empty())
      return "acc.op " + std::to_string(field(word::acc_op)) + " is unknown";
    if (cplx_ops[field(word::cplx_op)].name.empty())
      return "cplx.op " + std::to_string(field(word::cplx_op)) + " is unknown";
    if (is_active(bits(), Unit::pass) && pass_ops[field(word::pass_op)].name.empty())
      return "pass.op " + std::to_string(field(word::pass_op)) + " is unknown";
    if (const unsigned offset = field(word::ld_off);
        reads_load(bits()) && offset != no_offset && (offset == 0 || offset > 3))
      return "ld.off " + std::to_string(offset) + " is unknown";
    for (unsigned half = 0; half < 2; ++half)
      for (const std::uint8_t selector : store_half(bits(), half).selector)
        if (selector == store_unknown) return "store selector 5 is unknown";
    if (is_branch(bits()) && branch_target(bits()) >= words_.size())
      return "branch to word " + std::to_string(branch_target(bits())) + " of a program of " +
             std::to_string(words_.size());
    return {};
  }

  void rest_on_facts() {
    ir::Builder& b = *builder_;
    b.rests_on(Status::driver);
    const unsigned op = field(word::mul_op);
    const bool negates0 = field(word::mul0_neg) != 0, negates1 = field(word::mul1_neg) != 0;
    if (is_active(bits(), Unit::mul0) && op != mul_mul && (negates0 || (negates1 && op != mul_complex2)))
      b.note(Status::unknown, "negation bits of " + std::string(mul_ops[op].name) + " are ignored");
    if (op == mul_complex1)
      b.note(Status::inferred, "function results are rounded from double; the hardware's tables are unknown");
    if ((field(word::branch) != 0) != (field(word::flow) == 13))
      b.note(Status::inferred, "branch bit and flow disagree; the word does not branch");
    if (forwarding_.merges(word_) && !forwarding_.copies(word_).empty())
      b.note(Status::inferred, "values forwarded across a control-flow edge");
  }

  void fetch() {
    ir::Builder& b = *builder_;
    for (unsigned port = 0; port < 2; ++port) {
      port_[port] = {};
      const bool attribute = port == 0 && field(word::port0_attr) != 0;
      const unsigned index = field(port == 0 ? word::port0_index : word::port1_index);
      bool used = false;
      for (unsigned c = 0; c < 4; ++c) {
        if (!port_component_used(word_, port, c)) continue;
        used = true;
        if (!attribute) {
          // A copy: a store of this word to the same component must not be seen.
          port_[port][c] = b.unary(Op::mov, Type::i32, register_slot(index, c));
          note_early(4 * index + c);
        }
      }
      if (attribute && used) {
        const Operand data = b.temporary(Type::f32, 4);
        b.call({.service = ir::Service::attribute,
                .type = Type::f32,
                .count = 4,
                .data = data,
                .args = {b.constant_u32(index)}});
        for (unsigned c = 0; c < 4; ++c) port_[port][c] = data.plus(4 * c);
      }
    }
    load_ = {};
    if (reads_load(bits())) fetch_memory();
  }

  void fetch_memory() {
    ir::Builder& b = *builder_;
    const unsigned address = field(word::ld_addr), offset = field(word::ld_off);
    if (offset == no_offset && !has_temporaries_) {
      for (unsigned c = 0; c < 4; ++c) load_[c] = uniforms_.at(address).plus(4 * c);
      return;
    }
    if (offset != no_offset) {
      b.note(Status::inferred, "address register added to a load address; its range and rounding are unknown");
      note_early(delayed_address + offset - 1);
    }
    const Operand data = b.temporary(Type::i32, 4);
    ir::Call call{.type = Type::i32, .count = 4, .data = data};
    if (has_temporaries_) {
      const Operand at = offset == no_offset
                             ? b.constant_u64(address)
                             : b.binary(Op::iadd, Type::i64, extended(addresses_[offset]), b.constant_u64(address));
      note_early_temporaries(at);
      call.service = ir::Service::load_memory;
      call.args[0] = memory_address(at);
    } else {
      // Far enough outside that no sum or byte offset wraps around into uniform memory.
      constexpr std::uint32_t far = 1u << 20;
      const Operand bounded =
          b.binary(Op::imax_s, Type::i32, b.binary(Op::imin_s, Type::i32, addresses_[offset], b.constant_u32(far)),
                   b.constant_u32(~far));
      call.service = ir::Service::load_uniform;
      call.args[0] = b.binary(Op::ishl, Type::i32, b.binary(Op::iadd, Type::i32, bounded, b.constant_u32(address)),
                              b.constant_u32(4));
    }
    b.call(call);
    for (unsigned c = 0; c < 4; ++c) load_[c] = data.plus(4 * c);
  }

  Operand extended(Operand address) { return builder_->convert(Op::sext, Type::i64, Type::i32, address); }
  /// Byte address of a vec4 of uniform memory; 64 bits wide, so that no index wraps around.
  Operand memory_address(Operand vec4) {
    ir::Builder& b = *builder_;
    return b.binary(Op::iadd, Type::i64, memory_, b.binary(Op::ishl, Type::i64, vec4, b.constant_u64(4)));
  }

  // ---------------------------------------------------------------------------------------------- delayed writes (4.2)

  /// Whether the write `age` instructions ago may have been one of these, on some path here.
  [[nodiscard]] bool pending(unsigned delayed, std::size_t age) const {
    return forwarding_.written_before(word_, static_cast<unsigned>(age)).test(delayed);
  }
  /// The same for the words that may follow.
  [[nodiscard]] bool pending_next(unsigned delayed, std::size_t age) const {
    const auto before = [&](unsigned word) {
      return word < words_.size() &&
             forwarding_.written_before(static_cast<std::uint16_t>(word), static_cast<unsigned>(age)).test(delayed);
    };
    return before(word_ + 1u) || (is_branch(bits()) && before(branch_target(bits())));
  }

  void note_early(unsigned delayed) {
    if (!forwarding_.may_be_early(word_, delayed)) return;
    const std::string text = "reads " + delayed_name(delayed) + " less than " + std::to_string(latency_of(delayed)) +
                             " instructions after a write; gets the old value";
    builder_->note(Status::inferred, text);
    if (early_ != "trap") return;
    const Queue& queue = queues_.at(delayed);
    for (std::size_t k = 0; k < queue.valid.size(); ++k)
      if (pending(delayed, k + 1)) broken_.emplace_back(builder_->unary(Op::mov, Type::i32, queue.valid[k]), text);
  }

  void note_early_temporaries(Operand vec4) {
    ir::Builder& b = *builder_;
    bool early = false;
    const std::string text = "a temporary is read less than 4 instructions after its store";
    for (unsigned c = 0; c < 4; ++c) {
      const unsigned delayed = delayed_temporary + c;
      if (!forwarding_.may_be_early(word_, delayed)) continue;
      early = true;
      if (early_ != "trap") continue;
      const Queue& queue = queues_.at(delayed);
      for (std::size_t k = 0; k < queue.valid.size(); ++k) {
        if (!pending(delayed, k + 1)) continue;
        const Operand same = b.convert(Op::trunc, Type::i32, Type::i64,
                                       b.binary(Op::ieq, Type::i64, extended(temporary_address_[k]), vec4));
        broken_.emplace_back(b.binary(Op::iand, Type::i32, same, queue.valid[k]), text);
      }
    }
    if (early) b.note(Status::inferred, text + " if the addresses agree; it gets the old value");
  }

  /// Writes what arrives before the next word, and takes this word's writes into the queues.
  void advance(unsigned delayed, Operand written) {
    ir::Builder& b = *builder_;
    const auto found = queues_.find(delayed);
    if (found == queues_.end()) {
      if (!written.is_none()) arrive(delayed, written, {}, addresses_[0]);
      return;
    }
    const Queue& queue = found->second;
    const std::size_t last = queue.value.size() - 1;
    if (pending(delayed, last + 1))
      arrive(delayed, queue.value[last], queue.valid[last],
             is_temporary(delayed) ? temporary_address_[last] : Operand{});
    for (std::size_t k = last; k > 0; --k) {
      if (!pending_next(delayed, k + 1)) continue;
      if (pending(delayed, k)) {
        b.emit(Op::mov, Type::i32, queue.value[k], queue.value[k - 1]);
        b.emit(Op::mov, Type::i32, queue.valid[k], queue.valid[k - 1]);
      } else {
        b.emit(Op::mov, Type::i32, queue.valid[k], b.constant_u32(0));
      }
    }
    if (!pending_next(delayed, 1)) return;
    if (!written.is_none()) b.emit(Op::mov, Type::i32, queue.value[0], written);
    b.emit(Op::mov, Type::i32, queue.valid[0], b.constant_u32(written.is_none() ? 0 : ~0u));
  }

  /// Writes `value` where it belongs, if `valid`. Temporaries that are not go to a spare vec4 behind the memory.
  void arrive(unsigned delayed, Operand value, Operand valid, Operand vec4) {
    ir::Builder& b = *builder_;
    if (!is_temporary(delayed)) {
      const Operand slot = delayed_slot(delayed);
      if (valid.is_none())
        b.emit(Op::mov, Type::i32, slot, value);
      else
        b.emit(Op::select, Type::i32, slot, value, slot, valid);
      return;
    }
    if (!valid.is_none()) vec4 = b.ternary(Op::select, Type::i32, vec4, b.constant_u32(memory_vec4s), valid);
    const Operand component = b.constant_u64(4ull * (delayed - delayed_temporary));
    const Operand address = b.binary(Op::iadd, Type::i64, memory_address(extended(vec4)), component);
    const Operand data = b.unary(Op::mov, Type::i32, value);
    b.call({.service = ir::Service::store_memory, .type = Type::i32, .count = 1, .data = data, .args = {address}});
  }

  void advance_temporary_addresses() {
    for (std::size_t k = temporary_address_.size(); k-- > 0;)
      builder_->emit(Op::mov, Type::i32, temporary_address_[k], k == 0 ? addresses_[0] : temporary_address_[k - 1]);
  }

  // ---------------------------------------------------------------------------------------------- operands

  const OperandField& operand_of(const Field& field) const {
    return *std::find_if(operand_fields.begin(), operand_fields.end(),
                         [&](const OperandField& row) { return row.field == &field; });
  }

  Operand latch(const Latch& latch) { return latches_.at(latch); }
  [[nodiscard]] bool is_latch(Operand value) const {
    return value.is_state() && value.byte() >= first_latch_byte_ && value.byte() < end_latch_byte_;
  }

  /// The bits an operand selects, negation not applied, whatever kind they are.
  Operand raw(const OperandField& operand) {
    const unsigned selector = field(*operand.field);
    const Selector& row = selectors[selector];
    if (const ForwardedSource source = forwarded_source(selector, operand.b); source.age != 0)
      return latch(forwarding_.producer(word_, source.channel, source.age));
    switch (row.source) {
      case Source::port0:
        return port_[0][row.component];
      case Source::port1:
        return port_[1][row.component];
      case Source::load:
        return load_[row.component];
      default:
        return poison();
    }
  }
  Operand raw(const Field& field) { return raw(operand_of(field)); }

  [[nodiscard]] ResultKind kind(const Field& which) const {
    if (field(which) == selector_unused) return ResultKind::undefined;
    return forwarding_.operand_kind(word_, operand_of(which));
  }

  /// A number operand of an ordinary operation; a partial result there is reported and poisons the value.
  Operand number(const Field& which) {
    const OperandField& operand = operand_of(which);
    const ResultKind found = kind(which);
    if (found != ResultKind::number) {
      misuse(std::string(which.name) + (found == ResultKind::undefined
                                            ? " reads a result that is not there"
                                            : " uses a partial result outside its sequence"));
      return poison();
    }
    const Operand value = raw(operand);
    if (operand.negate == nullptr || field(*operand.negate) == 0) return value;
    return builder_->unary(Op::fneg, Type::f32, value);
  }

  /// A result of this word that is stored or decides something; one that is no number is reported and poisons.
  Operand used(Unit unit, const std::string& use) {
    const bool partial = forwarding_.result_kind(word_, unit) != ResultKind::number ||
                         (unit == Unit::mul0 && field(word::mul_op) == mul_complex1);
    if (!result(unit).is_none() && !partial) return result(unit);
    misuse(use + ' ' + std::string(info(unit).name) +
           (result(unit).is_none() ? ", which is idle" : ", a partial result"));
    return poison();
  }

  void misuse(const std::string& text) {
    builder_->note(Status::unknown, text);
    if (sequence_ == "trap") broken_.push_back({{}, text});
  }

  Operand truth(Operand value) {
    ir::Builder& b = *builder_;
    if (truth_ == "positive") return b.binary(Op::flt, Type::f32, f32(0), value);
    if (truth_ == "half") return b.binary(Op::fle, Type::f32, f32(0.5F), value);
    return b.binary(Op::fne, Type::f32, value, f32(0));
  }
  Operand one_if(Operand mask) { return builder_->binary(Op::iand, Type::i32, mask, f32(1)); }

  bool is_identity(const Field& which) const { return field(which) == selector_identity; }

  Operand& result(Unit unit) { return results_[static_cast<std::size_t>(unit)]; }

  // ---------------------------------------------------------------------------------------------- units (3)

  void compute_adders() {
    if (is_active(bits(), Unit::acc0)) result(Unit::acc0) = add(word::acc0_a, word::acc0_b, word::acc0_b_neg);
    if (is_active(bits(), Unit::acc1)) result(Unit::acc1) = add(word::acc1_a, word::acc1_b, word::acc1_b_neg);
  }

  Operand add(const Field& a_field, const Field& b_field, const Field& b_negate) {
    ir::Builder& b = *builder_;
    const unsigned op = field(word::acc_op);
    const Operand x = number(a_field);
    if (op == acc_floor) return b.unary(Op::fround, Type::f32, x, ir::Round::down);
    if (op == acc_sign) {
      const Operand above = one_if(b.binary(Op::flt, Type::f32, f32(0), x));
      const Operand below = b.binary(Op::iand, Type::i32, b.binary(Op::flt, Type::f32, x, f32(0)), f32(-1));
      return b.binary(Op::ior, Type::i32, above, below);
    }
    const bool identity = is_identity(b_field), negative = field(b_negate) != 0;
    if (op == acc_add && identity && negative) return x;  // x + -0.0 is x, bit for bit
    const Operand y = identity ? f32(negative ? -0.0F : 0.0F) : number(b_field);
    switch (op) {
      case acc_ge:
        return one_if(b.binary(Op::fle, Type::f32, y, x));
      case acc_lt:
        return one_if(b.binary(Op::flt, Type::f32, x, y));
      case acc_min:
        return b.binary(Op::fmin, Type::f32, x, y);
      case acc_max:
        return b.binary(Op::fmax, Type::f32, x, y);
      default:
        return b.binary(Op::fadd, Type::f32, x, y);
    }
  }

  void compute_multipliers() {
    const unsigned op = field(word::mul_op);
    if (op == mul_complex1) {
      result(Unit::mul0) = complex1();
      return;
    }
    if (op == mul_select) {
      const Operand condition = truth(is_identity(word::mul0_b) ? f32(1) : number(word::mul0_b));
      result(Unit::mul0) =
          builder_->ternary(Op::select, Type::i32, number(word::mul1_a), number(word::mul0_a), condition);
      return;
    }
    if (is_active(bits(), Unit::mul0))
      result(Unit::mul0) = op == mul_complex2 ? complex2() : multiply(word::mul0_a, word::mul0_b, word::mul0_neg);
    if (is_active(bits(), Unit::mul1)) result(Unit::mul1) = multiply(word::mul1_a, word::mul1_b, word::mul1_neg);
  }

  Operand multiply(const Field& a_field, const Field& b_field, const Field& negate) {
    ir::Builder& b = *builder_;
    const Operand x = number(a_field);
    const Operand product = is_identity(b_field) ? x : b.binary(Op::fmul, Type::f32, x, number(b_field));
    return field(negate) != 0 ? b.unary(Op::fneg, Type::f32, product) : product;
  }

  // Partial results are latched as the argument itself; what they are is known from the words that made them. So the
  // last step computes the function, provided that all its operands stem from the same argument.

  Operand complex2() {
    const ResultKind first = kind(word::mul0_a), second = kind(word::mul0_b);
    const Operand x = raw(word::mul0_a);
    if (first != second || (first != ResultKind::number && first != ResultKind::pre_exp2) ||
        is_identity(word::mul0_b)) {
      misuse("complex2 takes one argument twice");
      return poison();
    }
    return same_or_poison(x, {raw(word::mul0_b)}, "complex2 of two different values");
  }

  Operand complex1() {
    ir::Builder& b = *builder_;
    const ResultKind table = kind(word::mul0_a);
    const bool exponential = table == ResultKind::table_exp2;
    const ResultKind square = exponential ? ResultKind::square_pre_exp2 : ResultKind::square;
    const ResultKind argument = exponential ? ResultKind::pre_exp2 : ResultKind::number;
    const bool known = table >= ResultKind::table_exp2 && table <= ResultKind::table_rcp;
    if (!known || kind(word::mul1_a) != table || kind(word::mul0_b) != square || kind(word::mul1_b) != argument ||
        is_identity(word::mul0_b) || is_identity(word::mul1_b)) {
      misuse("complex1 without the table result, complex2 result and argument of one function");
      return poison();
    }
    const Operand x = same_or_poison(raw(word::mul0_a), {raw(word::mul1_a), raw(word::mul0_b), raw(word::mul1_b)},
                                     "complex1 of different arguments");
    switch (table) {
      case ResultKind::table_exp2:
        return b.unary(Op::fexp2, Type::f32, x);
      case ResultKind::table_log2:
        return b.unary(Op::flog2, Type::f32, x);
      case ResultKind::table_rsqrt:
        return b.unary(Op::frsqrt, Type::f32, x);
      default:
        return b.unary(Op::frcp, Type::f32, x);
    }
  }

  /// `x` if all others have its bits; NaN (or a trap, by policy) otherwise.
  Operand same_or_poison(Operand x, std::initializer_list<Operand> others, const std::string& complaint) {
    ir::Builder& b = *builder_;
    Operand differs;
    for (const Operand other : others) {
      if (other == x) continue;
      const Operand unequal = b.binary(Op::ine, Type::i32, x, other);
      differs = differs.is_none() ? unequal : b.binary(Op::ior, Type::i32, differs, unequal);
    }
    if (differs.is_none()) return x;
    if (sequence_ == "trap") broken_.emplace_back(differs, complaint);
    return b.ternary(Op::select, Type::i32, poison(), x, differs);
  }

  void compute_pass() {
    if (!is_active(bits(), Unit::pass)) return;
    ir::Builder& b = *builder_;
    Operand& out = result(Unit::pass);
    switch (field(word::pass_op)) {
      case pass_postlog2:
        if (kind(word::pass_in) == ResultKind::raw_log2) {
          out = raw(word::pass_in);
        } else {
          misuse("postlog2 without the result of a log2 sequence");
          out = poison();
        }
        break;
      case pass_clamp:
        out = b.binary(Op::fmin, Type::f32, b.binary(Op::fmax, Type::f32, number(word::pass_in), load_[0]), load_[1]);
        break;
      default:
        out = number(word::pass_in);  // preexp2 latches its argument
    }
  }

  void compute_complex() {
    const unsigned op = field(word::cplx_op);
    if (op == cplx_nop) return;
    ir::Builder& b = *builder_;
    if (op == cplx_exp2) {
      if (kind(word::cplx_in) != ResultKind::pre_exp2) {
        misuse("exp2 without preexp2");
        result(Unit::complex) = poison();
      } else {
        result(Unit::complex) = raw(word::cplx_in);
      }
      return;
    }
    if (op == cplx_set_a01) {
      b.note(Status::seed, "cplx.op 10 takes the pass result");
      result(Unit::complex) = used(Unit::pass, "address from");
      set_address(0, result(Unit::complex));
      set_address(1, result(Unit::complex));
      return;
    }
    result(Unit::complex) = number(word::cplx_in);
    if (op >= cplx_set_a0) set_address(op - cplx_set_a0, result(Unit::complex));
  }

  void set_address(unsigned which, Operand value) {
    ir::Builder& b = *builder_;
    const ir::Round round = address_ == "truncate"  ? ir::Round::zero
                            : address_ == "nearest" ? ir::Round::even
                                                    : ir::Round::down;
    new_address_[which] = b.convert(Op::f2i, Type::i32, Type::f32, value, round);
    // The temporary store address counts at once.
    if (which == 0) b.emit(Op::mov, Type::i32, addresses_[0], new_address_[0]);
  }

  // ---------------------------------------------------------------------------------------------- stores (4.2 step 5)

  Operand stored(unsigned selector) { return used(stored_unit(selector), "store of"); }

  void store() {
    std::array<Operand, delayed_count> written{};
    for (unsigned half = 0; half < 2; ++half) {
      const StoreHalf store = store_half(bits(), half);
      if (store.kind == StoreKind::varying) store_varying(store);
      for (unsigned i = 0; i < 2; ++i) {
        if (store.selector[i] == store_nothing) continue;
        const unsigned component = store.first_component + i;
        if (store.kind == StoreKind::reg) written[4u * store.index + component] = stored(store.selector[i]);
        if (store.kind == StoreKind::temporary) written[delayed_temporary + component] = stored(store.selector[i]);
      }
    }
    for (unsigned k = 1; k < 4; ++k) written[delayed_address + k - 1] = new_address_[k];
    for (unsigned delayed = 0; delayed < delayed_count; ++delayed) advance(delayed, written[delayed]);
    advance_temporary_addresses();
  }

  void store_varying(const StoreHalf& store) {
    ir::Builder& b = *builder_;
    const unsigned first = store.selector[0] == store_nothing ? 1 : 0;
    const unsigned count = store.selector[0] != store_nothing && store.selector[1] != store_nothing ? 2 : 1;
    const Operand data = b.temporary(Type::f32, count);
    for (unsigned i = 0; i < count; ++i)
      b.emit(Op::mov, Type::i32, data.plus(4 * i), stored(store.selector[first + i]));
    b.call({.service = ir::Service::store_varying,
            .type = Type::f32,
            .count = static_cast<std::uint8_t>(count),
            .index = store.first_component + first,
            .data = data,
            .args = {b.constant_u32(store.index)}});
  }

  // ---------------------------------------------------------------------------------------------- leaving the word

  Operand channel_value(unsigned channel) {
    const Operand value = channel < unit_count ? results_[channel] : port_[0][channel - channel_port0];
    return value.is_none() ? poison() : value;
  }

  /// What a word leaves in a merge latch; the first half of complex1 is not a value.
  Operand merged_value(const MergeCopy& copy) {
    if (!copy.own) return latch(copy.from);
    const bool half_done = copy.to.read_age == 1 && copy.to.channel == static_cast<unsigned>(Unit::mul0) &&
                           field(word::mul_op) == mul_complex1;
    return half_done ? poison() : channel_value(copy.to.channel);
  }

  void forward() {
    ir::Builder& b = *builder_;
    std::vector<std::pair<Operand, Operand>> moves;
    for (unsigned channel = 0; channel < channel_count; ++channel)
      if (const Latch own{false, word_, static_cast<std::uint8_t>(channel)}; forwarding_.needs(own))
        moves.emplace_back(latch(own), channel_value(channel));
    for (const MergeCopy& copy : forwarding_.copies(word_)) moves.emplace_back(latch(copy.to), merged_value(copy));
    // A value may be another latch, as it is when a unit moves it: take all such values before any latch changes.
    for (auto& [to, from] : moves)
      if (is_latch(from)) from = b.unary(Op::mov, Type::i32, from);
    for (const auto& [to, from] : moves) b.emit(Op::mov, Type::i32, to, from);
  }

  void leave() {
    ir::Builder& b = *builder_;
    for (const auto& [condition, reason] : broken_) {
      if (condition.is_none()) {
        b.trap(reason);
        b.end_block(std::nullopt);
        return;
      }
      b.trap_if(condition, reason);
    }
    const bool last = word_ + 1u == words_.size();
    const std::uint64_t next = (word_ + 1ull) * word_bytes;
    if (is_branch(bits())) b.branch_if(branch_condition_, std::uint64_t{branch_target(bits())} * word_bytes);
    b.end_block(last ? std::nullopt : std::optional<std::uint64_t>(next));
  }

  std::span<const Word128> words_;
  Forwarding forwarding_;
  std::string truth_, address_, sequence_, early_;
  std::optional<ir::Builder> builder_;

  std::vector<ir::Slot> slots_;
  std::uint32_t next_byte_ = 0;
  bool has_temporaries_ = false;
  Operand memory_;
  std::map<unsigned, Operand> uniforms_;  ///< vec4 address -> x component
  std::map<Latch, Operand> latches_;
  std::uint32_t first_latch_byte_ = 0, end_latch_byte_ = 0;
  std::map<unsigned, Queue> queues_;  ///< by what is delayed
  std::array<Operand, 4> addresses_{}, new_address_{};
  std::vector<Operand> temporary_address_;  ///< A0 of the last words, youngest first

  std::uint16_t word_ = 0;
  std::array<std::array<Operand, 4>, 2> port_{};
  std::array<Operand, 4> load_{};
  std::array<Operand, unit_count> results_{};
  Operand branch_condition_;
  std::vector<std::pair<Operand, std::string>> broken_;  ///< condition (none = always) and reason to stop
};

std::string listed(std::span<const std::string_view> values) {
  std::string text;
  for (const std::string_view value : values) text.append(text.empty() ? "" : ", ").append(value);
  return text;
}

std::string no_such_value(const std::string& policy, const std::string& value) {
  return "policy " + policy + " has no value '" + value + "'";
}

Diagnostics unknown_policies(const Policies& policies) {
  Diagnostics wrong;
  std::vector<std::string_view> names;
  for (const Policy& row : policy_rows) names.push_back(row.name);
  for (const auto& [name, value] : policies) {
    const auto row = std::find_if(std::begin(policy_rows), std::end(policy_rows),
                                  [&wanted = name](const Policy& each) { return each.name == wanted; });
    if (row == std::end(policy_rows))
      wrong.push_back(
          {Severity::error, "GP801", {}, "utgard-gp has no policy '" + name + "'", "there are " + listed(names)});
    else if (std::find(row->values.begin(), row->values.end(), value) == row->values.end())
      wrong.push_back({Severity::error, "GP802", {}, no_such_value(name, value), "one of " + listed(row->values)});
  }
  return wrong;
}

}  // namespace

std::span<const Policy> policies() { return policy_rows; }

Result<ir::Program> lift(const Program& program, const Policies& policies) {
  const std::uint32_t count = word_count(program.code);
  if (count > max_words)
    return fail("GP800", "the program has " + std::to_string(count) + " words; the machine holds 512");
  if (Diagnostics wrong = unknown_policies(policies); !wrong.empty()) return fail(std::move(wrong));
  std::vector<Word128> words;
  for (std::uint32_t i = 0; i < count; ++i) words.push_back(load_word(program.code, i));
  return Lifter(words, policies).run();
}

}  // namespace mobula::utgard_gp
