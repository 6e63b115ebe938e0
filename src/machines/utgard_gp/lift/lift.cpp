#include "machines/utgard_gp/lift/lift.h"

#include <algorithm>

#include "core/counted.h"
#include "ir/passes.h"
#include "machines/utgard_gp/lift/lifter.h"

namespace mobula::utgard_gp {
namespace {

constexpr std::array<char, 4> letters{'x', 'y', 'z', 'w'};

}  // namespace

ir::Program Lifter::run() {
  lay_out_state();
  builder_.emplace(std::move(slots_));
  for (word_ = 0; word_ < words_.size(); ++word_) lift_word();
  ir::Program lifted = builder_->finish(0);
  ir::coalesce(lifted);
  return lifted;
}

// ------------------------------------------------------------------------------------------------ state

ir::Operand Lifter::add_slot(std::string name) {
  slots_.push_back({std::move(name), next_byte_, 4});
  next_byte_ += 4;
  return Operand::state(next_byte_ - 4);
}

void Lifter::lay_out_state() {
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

void Lifter::lay_out_word(const Word128& word) {
  if (!reads_load(word) || has_temporaries_ || get(word, word::ld_off) != no_offset) return;
  const auto address = static_cast<unsigned>(get(word, word::ld_addr));
  if (uniforms_.contains(address)) return;
  const std::string name = "u[" + std::to_string(address) + "].";
  uniforms_[address] = add_slot(name + 'x');
  for (unsigned c = 1; c < 4; ++c) add_slot(name + letters[c]);
}

void Lifter::lay_out_queues(std::uint16_t word) {
  const DelayedSet loads = forwarding_.delayed_loads(word);
  for (unsigned delayed = 0; delayed < delayed_count; ++delayed)
    if (loads.test(delayed)) add_queue_if_early(word, delayed);
}

void Lifter::add_queue_if_early(std::uint16_t word, unsigned delayed) {
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

ir::Operand Lifter::delayed_slot(unsigned delayed) const {
  if (is_temporary(delayed)) return {};
  return delayed < delayed_temporary ? register_slot(delayed / 4, delayed % 4)
                                     : addresses_[1 + delayed - delayed_address];
}

std::string Lifter::delayed_name(unsigned delayed) {
  if (delayed >= delayed_address) return "A" + std::to_string(1 + delayed - delayed_address);
  return (is_temporary(delayed) ? std::string("temporary.") : "$" + std::to_string(delayed / 4) + '.') +
         letters[delayed % 4];
}

std::string Lifter::latch_name(const Latch& latch) {
  const std::string channel = latch.channel < unit_count ? std::string(units_name(latch.channel))
                                                         : std::string("p0.") + letters[latch.channel - channel_port0];
  if (!latch.merged) return channel + '@' + std::to_string(latch.word);
  return channel + "[-" + std::to_string(latch.age) + (latch.read_age > latch.age ? "..]@" : "]@") +
         std::to_string(latch.word);
}

// ------------------------------------------------------------------------------------------------ one word

void Lifter::lift_word() {
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

std::string Lifter::unexecutable() const {
  for (const OperandField& operand : operand_fields) {
    if (!is_live(bits(), operand)) continue;
    const unsigned selector = field(*operand.field);
    if (selector == selector_perhaps_unused && settings_.is(PolicyId::selector8, "unused")) continue;
    if (selectors[selector].source == Source::unknown)
      return "source selector " + std::to_string(selector) + " in " + std::string(operand.field->name) + " is unknown";
  }
  if ((is_active(bits(), Unit::mul0) || is_active(bits(), Unit::mul1)) && mul_operation(bits()).does == MulOp::unknown)
    return "mul.op " + std::to_string(field(word::mul_op)) + " is unknown";
  if ((is_active(bits(), Unit::acc0) || is_active(bits(), Unit::acc1)) && acc_operation(bits()).does == AccOp::unknown)
    return "acc.op " + std::to_string(field(word::acc_op)) + " is unknown";
  if (cplx_operation(bits()).does == ComplexOp::unknown)
    return "cplx.op " + std::to_string(field(word::cplx_op)) + " is unknown";
  if (is_active(bits(), Unit::pass) && pass_operation(bits()).does == PassOp::unknown)
    return "pass.op " + std::to_string(field(word::pass_op)) + " is unknown";
  if (const unsigned offset = field(word::ld_off);
      reads_load(bits()) && offset != no_offset && (offset == 0 || offset > 3))
    return "ld.off " + std::to_string(offset) + " is unknown";
  for (unsigned half = 0; half < 2; ++half)
    for (const std::uint8_t selector : store_half(bits(), half).selector)
      if (selector == store_unknown) return "store selector 5 is unknown";
  if (is_branch(bits()) && branch_target(bits()) >= words_.size())
    return "branch to word " + std::to_string(branch_target(bits())) + " of a program of " +
           counted(words_.size(), "word");
  return {};
}

void Lifter::rest_on_facts() {
  ir::Builder& b = *builder_;
  b.rests_on(Status::driver);
  const Operation<MulOp>& multipliers = mul_operation(bits());
  const bool negates0 = field(word::mul0_neg) != 0, negates1 = field(word::mul1_neg) != 0;
  if (is_active(bits(), Unit::mul0) && !multipliers.traits.negates &&
      (negates0 || (negates1 && multipliers.traits.wide)))
    b.note(Status::unknown, "negation bits of " + std::string(multipliers.name) + " are ignored");
  if (multipliers.traits.combines)
    b.note(Status::inferred, "function results are rounded from double; the hardware's tables are unknown");
  if ((field(word::branch) != 0) != (field(word::flow) == flow_branch))
    b.note(Status::inferred, "branch bit and flow disagree; the word does not branch");
  if (forwarding_.merges(word_) && !forwarding_.copies(word_).empty())
    b.note(Status::inferred, "values forwarded across a control-flow edge");
}

void Lifter::fetch() {
  ir::Builder& b = *builder_;
  for (unsigned port = 0; port < 2; ++port) {
    port_[port] = {};
    const bool attribute = port == 0 && field(word::port0_attr) != 0;
    const unsigned index = field(port == 0 ? word::port0_index : word::port1_index);
    bool used = false;
    for (unsigned c = 0; c < 4; ++c) {
      if (!forwarding_.reads_port(word_, port, c)) continue;
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

void Lifter::fetch_memory() {
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

ir::Operand Lifter::memory_address(Operand vec4) {
  ir::Builder& b = *builder_;
  return b.binary(Op::iadd, Type::i64, memory_, b.binary(Op::ishl, Type::i64, vec4, b.constant_u64(4)));
}

// ------------------------------------------------------------------------------------------------ delayed writes (4.2)

bool Lifter::pending(unsigned delayed, std::size_t age) const {
  return forwarding_.written_before(word_, static_cast<unsigned>(age)).test(delayed);
}

bool Lifter::pending_next(unsigned delayed, std::size_t age) const {
  const auto before = [&](unsigned word) {
    return word < words_.size() &&
           forwarding_.written_before(static_cast<std::uint16_t>(word), static_cast<unsigned>(age)).test(delayed);
  };
  return before(word_ + 1u) || (is_branch(bits()) && before(branch_target(bits())));
}

void Lifter::note_early(unsigned delayed) {
  if (!forwarding_.may_be_early(word_, delayed)) return;
  const std::string text = "reads " + delayed_name(delayed) + " less than " +
                           counted(latency_of(delayed), "instruction") + " after a write; gets the old value";
  builder_->note(Status::inferred, text);
  if (!settings_.is(PolicyId::early, "trap")) return;
  const Queue& queue = queues_.at(delayed);
  for (std::size_t k = 0; k < queue.valid.size(); ++k)
    if (pending(delayed, k + 1)) broken_.emplace_back(builder_->unary(Op::mov, Type::i32, queue.valid[k]), text);
}

void Lifter::note_early_temporaries(Operand vec4) {
  ir::Builder& b = *builder_;
  bool early = false;
  const std::string text = "a temporary is read less than 4 instructions after its store";
  for (unsigned c = 0; c < 4; ++c) {
    const unsigned delayed = delayed_temporary + c;
    if (!forwarding_.may_be_early(word_, delayed)) continue;
    early = true;
    if (!settings_.is(PolicyId::early, "trap")) continue;
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

void Lifter::advance(unsigned delayed, Operand written) {
  ir::Builder& b = *builder_;
  const auto found = queues_.find(delayed);
  if (found == queues_.end()) {
    if (!written.is_none()) arrive(delayed, written, {}, addresses_[0]);
    return;
  }
  const Queue& queue = found->second;
  const std::size_t last = queue.value.size() - 1;
  if (pending(delayed, last + 1))
    arrive(delayed, queue.value[last], queue.valid[last], is_temporary(delayed) ? temporary_address_[last] : Operand{});
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

void Lifter::arrive(unsigned delayed, Operand value, Operand valid, Operand vec4) {
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

void Lifter::advance_temporary_addresses() {
  for (std::size_t k = temporary_address_.size(); k-- > 0;)
    builder_->emit(Op::mov, Type::i32, temporary_address_[k], k == 0 ? addresses_[0] : temporary_address_[k - 1]);
}

// ------------------------------------------------------------------------------------------------ programs

Result<ir::Program> lift(const Program& program, const Policies& policies) {
  const std::uint32_t count = word_count(program.code);
  if (count > max_words)
    return fail("GP800", "the program has " + std::to_string(count) + " words; the machine holds 512");
  Result<Settings> settings = choose_settings(policies);
  if (!settings) return fail(std::move(settings).error());
  std::vector<Word128> words;
  for (std::uint32_t i = 0; i < count; ++i) words.push_back(load_word(program.code, i));
  return Lifter(words, *settings).run();
}

}  // namespace mobula::utgard_gp
