#include "machines/afuc/lift/lift.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "core/text_buffer.h"
#include "ir/builder.h"
#include "ir/passes.h"
#include "machines/afuc/lift/policies.h"
#include "machines/afuc/lift/ports.h"
#include "machines/afuc/spec/codec.h"

namespace mobula::afuc {
namespace {

using ir::Type;
using IrOp = ir::Op;
using ir::Operand;

/// State that a person sees: the registers but the queues, what the delay slot has to know, and the carry.
constexpr std::uint32_t carry_byte = 4 * reg_memdata, taken_byte = carry_byte + 4, target_byte = taken_byte + 4,
                        resume_byte = target_byte + 4;
std::vector<ir::Slot> make_slots() {
  std::vector<ir::Slot> all;
  for (unsigned reg = 1; reg < reg_memdata; ++reg) {
    constexpr std::string_view digits = "0123456789abcdef";
    const std::string number{'$', digits[reg / 16], digits[reg % 16]};
    all.push_back({reg == reg_rem ? "$rem" : number, 4 * reg, 4});
  }
  all.push_back({"carry", carry_byte, 4});
  all.push_back({"branch.taken", taken_byte, 4});
  all.push_back({"branch.target", target_byte, 4});
  all.push_back({"branch.resume", resume_byte, 4});
  return all;
}
const std::vector<ir::Slot>& slots() {
  static const std::vector<ir::Slot> all = make_slots();
  return all;
}
constexpr Operand carry = Operand::state(carry_byte), taken = Operand::state(taken_byte),
                  target = Operand::state(target_byte), resume = Operand::state(resume_byte),
                  rem = Operand::state(4 * reg_rem);

std::string no_instruction(std::uint32_t word) {
  std::array<char, 8> digits{};
  put_hex_digits(digits.data(), word, 8);
  return std::string(digits.data(), digits.size()) + " is not an instruction";
}

class Lifter {
 public:
  Lifter(std::span<const std::uint32_t> words, std::uint8_t generation, const Settings& settings)
      : words_(words),
        decoder_(decoder(generation)),
        wrap_shifts_(settings.is(PolicyId::shift, "wrap")),
        trap_pairs_(settings.is(PolicyId::pair, "trap")),
        builder_(slots()) {}

  ir::Program run() {
    for (std::uint32_t index = 0; index < words_.size(); ++index) lift_in_all_roles(index);
    return finish(0);
  }

  /// The words from `index` on that are likely executed one after the other, and of which `is_lifted` knows nothing
  /// yet; it knows them afterwards.
  ir::Program run_from(std::uint32_t index, std::vector<bool>& is_lifted) {
    constexpr std::uint32_t most_words = 16;
    builder_ = ir::Builder(slots());
    const std::uint32_t begin = index;
    for (bool goes_on = true; goes_on && index < words_.size() && index - begin < most_words; ++index) {
      if (is_lifted[index]) break;
      is_lifted[index] = true;
      lift_in_all_roles(index);
      const Opcode* before = transfer_before(index);
      goes_on = index == begin || before == nullptr || is_conditional(before->op) || is_call(before->op);
    }
    return finish(block_address(begin, Role::plain));
  }

 private:
  [[nodiscard]] const Opcode* opcode_at(std::int64_t index) const {
    return index < 0 || index >= static_cast<std::int64_t>(words_.size())
               ? nullptr
               : decoder_.find(words_[static_cast<std::size_t>(index)]);
  }
  /// The instruction in whose delay slot this word stands, or nullptr.
  [[nodiscard]] const Opcode* transfer_before(std::uint32_t index) const {
    const Opcode* before = opcode_at(std::int64_t{index} - 1);
    return before != nullptr && has_delay_slot(before->op) ? before : nullptr;
  }
  [[nodiscard]] std::uint32_t field(const Field& which) const { return field_of(word_, which); }

  ir::Program finish(std::uint64_t entry) {
    ir::Program program = builder_.finish(entry);
    ir::coalesce(program);
    return program;
  }

  // ---------------------------------------------------------------------------------------------- a word

  void lift_in_all_roles(std::uint32_t index) {
    lift_word(index, Role::plain);
    if (transfer_before(index) != nullptr) lift_word(index, Role::slot);
    if (const Opcode* before = opcode_at(std::int64_t{index} - 1); before != nullptr && before->op == Op::setsecure)
      annul(index);
  }

  void lift_word(std::uint32_t index, Role role) {
    index_ = index;
    word_ = words_[index];
    opcode_ = decoder_.find(word_);
    role_ = role;
    before_ = role == Role::slot ? transfer_before(index) : nullptr;
    rep_ = opcode_ != nullptr && has_field(field::rep) && field(field::rep) != 0;
    if (rep_) {
      builder_.begin_block(block_address(index_, role_), 0);
      keep_transfer();
      leave();
      builder_.begin_block(iteration_address(index_, role_), word_bytes);
    } else {
      builder_.begin_block(block_address(index_, role_), word_bytes);
    }
    if (opcode_ == nullptr) {
      builder_.rests_on(Status::unknown);
      builder_.trap(no_instruction(word_));
      return builder_.end_block();
    }
    builder_.rests_on(opcode_->fact.status);
    if (!is_canonical(word_, *opcode_)) builder_.note(Status::unknown, "reserved bits are set");
    if (op_is_lost()) {
      builder_.trap("setsecure in the delay slot of " + std::string(before_->name));
      return builder_.end_block();
    }
    note_pair();
    keep_transfer();
    took_data_ = false;
    execute();
    if (rep_ && !took_data_) builder_.emit(IrOp::isub, Type::i32, rem, rem, constant(1));
    leave();
  }

  [[nodiscard]] bool has_field(const Field& wanted) const { return afuc::has_field(*opcode_, wanted); }

  /// It would skip the word after it, which is not where a transfer by an address leads.
  [[nodiscard]] bool op_is_lost() const {
    if (before_ == nullptr || opcode_->op != Op::setsecure) return false;
    const Way way = before_->op.way;
    return way == Way::packet || way == Way::back || way == Way::computed;
  }

  /// A transfer in a delay slot overwrites what the transfer before it has said.
  void keep_transfer() {
    if (before_ == nullptr || opcode_ == nullptr || !has_delay_slot(opcode_->op)) {
      taken_before_ = taken;
      target_before_ = target;
      return;
    }
    taken_before_ = builder_.unary(IrOp::mov, Type::i32, taken);
    target_before_ = builder_.unary(IrOp::mov, Type::i32, target);
  }

  /// The word after a setsecure that succeeds: time passes, nothing happens, and one more word is skipped.
  void annul(std::uint32_t index) {
    builder_.begin_block(block_address(index, Role::slot), word_bytes);
    builder_.rests_on(Status::inferred);
    builder_.end_block(block_address(std::uint64_t{index} + 2, Role::plain));
  }

  // ---------------------------------------------------------------------------------------------- ends of blocks

  [[nodiscard]] std::uint64_t static_target(std::uint32_t index) const {
    const std::uint32_t word = words_[index];
    if (decoder_.find(word)->op.target == Target::absolute)
      return block_address(field_of(word, field::target), Role::plain);
    // Before word 0 there is nothing: such a target lies beyond every word, where the builder stops the thread.
    const std::int64_t to = std::int64_t{index} + distance_of(word);
    return block_address(to < 0 ? std::uint64_t{1} << 32 : static_cast<std::uint64_t>(to), Role::plain);
  }

  void leave() {
    if (rep_) {
      if (before_ != nullptr && (before_->op == Op::waitin || before_->op == Op::iret)) {
        builder_.trap("(rep) in the delay slot of waitin or iret");
        return builder_.end_block();
      }
      builder_.branch_if(builder_.binary(IrOp::ine, Type::i32, rem, constant(0)), iteration_address(index_, role_));
    }
    if (before_ == nullptr) return builder_.end_block(after());
    switch (before_->op.way) {
      case Way::branch:
        builder_.branch_if(taken_before_, static_target(index_ - 1));
        return builder_.end_block(after());
      case Way::jump:
      case Way::call:
        return leave_jump();
      case Way::packet:
        dispatch();
        return builder_.end_block();
      case Way::back:
      case Way::computed:
        if (before_->op == Op::iret) {
          target_before_ = builder_.unary(IrOp::mov, Type::i32, target_before_);
          builder_.emit(IrOp::mov, Type::i32, target, resume);
          builder_.emit(IrOp::mov, Type::i32, taken, constant(1));
        }
        builder_.branch_indirect(target_before_);
        return builder_.end_block();
      case Way::next:
      case Way::skip:
        return;  // have no delay slot
    }
  }

  /// Where execution continues unless a transfer before has been taken.
  [[nodiscard]] std::uint64_t after() const {
    const bool has_slot = opcode_ != nullptr && has_delay_slot(opcode_->op);
    return block_address(std::uint64_t{index_} + 1, has_slot ? Role::slot : Role::plain);
  }

  /// `jump; waitin` goes to the delay slot of another waitin (a5xx): the word there is this waitin's slot, too.
  void leave_jump() {
    std::uint64_t to = static_target(index_ - 1);
    if (opcode_ != nullptr && opcode_->op == Op::waitin) {
      const Opcode* before_target = opcode_at(static_cast<std::int64_t>(word_of_block(to)) - 1);
      if (before_target == nullptr || before_target->op != Op::waitin) {
        builder_.trap("the delay slot of waitin is the target of a jump, which no waitin precedes");
        return builder_.end_block();
      }
      to = block_address(word_of_block(to), Role::slot);
    }
    builder_.end_block(to);
  }

  /// The header that the delay slot of waitin has read chooses the handler (3.10).
  void dispatch() {
    const Operand result = builder_.temporary(Type::i32, 2);
    read_port(Port::dispatch, result, 2, constant(0), 0);
    builder_.emit(IrOp::mov, Type::i32, rem, result);
    builder_.branch_indirect(result.plus(4));
  }

  // ---------------------------------------------------------------------------------------------- operands

  Operand constant(std::uint32_t value) { return builder_.constant_u32(value); }

  void read_port(Port port, Operand data, std::uint8_t count, Operand address, std::uint32_t flags) {
    builder_.call({.service = ir::Service::device_read,
                   .count = count,
                   .index = static_cast<std::uint32_t>(port),
                   .flags = flags,
                   .data = data,
                   .args = {address}});
  }
  Operand read_port(Port port, Operand address, std::uint32_t flags = 0) {
    const Operand data = builder_.temporary(Type::i32);
    read_port(port, data, 1, address, flags);
    return data;
  }
  void write_port(Port port, Operand address, Operand data, std::uint32_t flags = 0) {
    if (!data.is_state()) data = builder_.unary(IrOp::mov, Type::i32, data);
    builder_.call({.service = ir::Service::device_write,
                   .index = static_cast<std::uint32_t>(port),
                   .flags = flags,
                   .data = data,
                   .args = {address}});
  }

  Operand source(std::uint32_t reg) {
    switch (value::registers[reg].reads) {
      case ReadsFrom::value:
        return Operand::state(4 * reg);
      case ReadsFrom::zero:
        return constant(0);
      case ReadsFrom::memdata:
        return read_port(Port::memdata, constant(0));
      case ReadsFrom::regdata:
        return read_port(Port::regdata, constant(0));
      case ReadsFrom::data:
        return read_data();
    }
    return {};
  }
  Operand read_data() {
    took_data_ = true;
    const bool peek = has_field(field::peek) && field(field::peek) != 0;
    const Operand data = builder_.temporary(Type::i32, 2);
    read_port(Port::data, data, 2, constant(0), peek ? peek_flag : 0);
    builder_.emit(IrOp::isub, Type::i32, rem, rem, data.plus(4));
    return data;
  }

  void set(std::uint32_t reg, Operand value) {
    switch (value::registers[reg].writes) {
      case WritesTo::value:
        return builder_.emit(IrOp::mov, Type::i32, Operand::state(4 * reg), value);
      case WritesTo::nothing:
        return;
      case WritesTo::addr:
        return write_port(Port::addr, constant(0), value);
      case WritesTo::usraddr:
        return write_port(Port::usraddr, constant(0), value);
      case WritesTo::data:
        return write_port(Port::data, constant(0), value);
    }
  }

  // ---------------------------------------------------------------------------------------------- instructions

  void execute() {
    switch (opcode_->op.what) {
      case Op::alu:
        return execute_alu();
      case Op::cwrite:
        return execute_control_write();
      case Op::cread:
        return execute_read(Port::control);
      case Op::swrite:
        return execute_write(Port::sqe);
      case Op::sread:
        return execute_read(Port::sqe);
      case Op::store:
        return execute_store();
      case Op::load:
        return execute_load();
      case Op::branch:
        return execute_branch();
      case Op::call:
        return write_port(Port::stack, constant(0), constant(index_ + 2));
      case Op::bl:
        return set(reg_lr, constant(index_ + 2));
      case Op::ret:
        return read_port(Port::stack, target, 1, constant(0), 0);
      case Op::jump_register:
        return execute_register_jump();
      case Op::iret: {
        const Operand both = builder_.temporary(Type::i32, 2);
        read_port(Port::interrupted, both, 2, constant(0), 0);
        builder_.emit(IrOp::mov, Type::i32, target, both);
        builder_.emit(IrOp::mov, Type::i32, resume, both.plus(4));
        return;
      }
      case Op::waitin:
        (void)read_port(Port::header, constant(0));
        return;
      case Op::setsecure:
        return builder_.branch_if(read_port(Port::secure, Operand::state(4 * reg_secure)),
                                  block_address(std::uint64_t{index_} + 1, Role::slot));
      case Op::jump:
      case Op::jumpa:
      case Op::nop:
        return;  // all is said by where the block leads
    }
  }

  void execute_register_jump() {
    const std::uint32_t reg = has_field(field::jump_register) ? field(field::jump_register) : reg_lr;
    builder_.emit(IrOp::ishl, Type::i32, target, source(reg), constant(2));
  }

  void execute_branch() {
    const Operand value = source(field(field::tested));
    switch (opcode_->op.test) {
      case Test::differs:
        builder_.emit(IrOp::ine, Type::i32, taken, value, constant(field(field::compare)));
        break;
      case Test::equals:
        builder_.emit(IrOp::ieq, Type::i32, taken, value, constant(field(field::compare)));
        break;
      case Test::bit_clear:
        take_if_set(builder_.unary(IrOp::inot, Type::i32, value));
        break;
      case Test::bit_set:
        take_if_set(value);
        break;
    }
    if (before_ != nullptr && is_conditional(before_->op)) check_pair();
  }
  void take_if_set(Operand bits) {
    builder_.emit(IrOp::ilsr, Type::i32, taken, bits, constant(field(field::test_bit)));
  }

  /// What becomes of two branches that are both taken is a policy.
  void note_pair() {
    const auto branches = [](const Opcode* opcode) {
      return opcode != nullptr && (is_conditional(opcode->op) || opcode->op.way == Way::jump);
    };
    if (!branches(before_) || !branches(opcode_)) return;
    const Branch first{words_[index_ - 1], before_}, second{word_, opcode_};
    if (is_relative(before_->op) && is_relative(opcode_->op) && have_one_target(first, second)) return;
    if (!exclude_each_other(first, second))
      builder_.note(Status::unknown, "which of two branches in a row wins, if both are taken, is unpublished");
  }

  /// Two branches in a row, of which firmware takes at most one.
  void check_pair() {
    if (!trap_pairs_) return;
    builder_.trap_if(builder_.binary(IrOp::iand, Type::i32, taken_before_, taken),
                     "both of two branches in a row are taken");
  }

  /// Base and offset; with pre-increment the base has been written back.
  Operand address() {
    const std::uint32_t base = field(field::base), offset = field(field::offset);
    const bool increments = field(field::pre) != 0;
    if (base == reg_zero) return constant(offset);
    if (offset == 0 && !increments) return source(base);
    const Operand sum = builder_.binary(IrOp::iadd, Type::i32, source(base), constant(offset));
    if (increments) set(base, sum);
    return sum;
  }

  [[nodiscard]] MemoryAccess memory_access() {
    const MemoryAccess access{static_cast<std::uint8_t>(field(field::size)), field(field::window) != 0};
    if (access.size != 0) builder_.note(Status::inferred, "bits 13:12 are read as a size");
    if (access.window && decoder_.find(word_)->generations != g5)
      builder_.note(Status::unknown, "memory access of another kind, executed as an ordinary one");
    return access;
  }

  void execute_write(Port port, std::uint32_t flags = 0) {
    const Operand to = address();
    write_port(port, to, source(field(field::data_in)), flags);
  }
  void execute_control_write() {
    const Operand to = address();
    write_port(Port::control, to, source(field(field::data_in)));
    for (std::uint32_t extra = 1; extra <= field(field::sds); ++extra)
      write_port(Port::control_sds, to, source(field(field::data_in)), extra);
  }
  void execute_store() { execute_write(Port::memory, memory_access().flags()); }

  void execute_read(Port port, std::uint32_t flags = 0) {
    const Operand from = address();
    set(field(field::data_out), read_port(port, from, flags));
  }
  void execute_load() { execute_read(Port::memory, memory_access().flags()); }

  // ---------------------------------------------------------------------------------------------- arithmetic

  /// What an instruction computes with.
  struct Input {
    Operand place;
    std::optional<std::uint32_t> value;  ///< if the instruction holds it
  };

  void execute_alu() {
    std::array<Input, 3> inputs{};
    std::array<std::uint32_t, 2> sources{};
    std::size_t count = 0;
    std::uint32_t dst = reg_zero;
    for (const OperandSpec& operand : opcode_->operands) {
      const std::uint32_t value = field(*operand.field);
      switch (operand.kind) {
        case OperandKind::destination:
          dst = value;
          break;
        case OperandKind::source:
          sources[count] = value;
          inputs[count++].place = source(value);
          break;
        case OperandKind::number:
          inputs[count++] = {constant(value), value};
          break;
        case OperandKind::shifted:
          inputs[count++].place = constant(value << field(field::shift));
          break;
        case OperandKind::bit:
          inputs[count++].value = value;
          break;
        case OperandKind::control:
        case OperandKind::sqe:
        case OperandKind::memory:
        case OperandKind::relative:
        case OperandKind::absolute:
        case OperandKind::skip:
        case OperandKind::secure:
          break;  // of no arithmetic
      }
    }
    set(dst, compute(dst, inputs[0], inputs[1], inputs[2]));
    if (!has_field(field::xmov) || field(field::xmov) == 0) return;
    const std::size_t last = count - 1;
    const std::uint32_t queue = is_fifo(sources[last]) || last == 0 ? sources[last]
                                : is_fifo(sources[0])               ? sources[0]
                                                                    : reg_zero;
    move_more(field(field::xmov), queue, dst, inputs[last].place);
  }

  /// Ones at bits low to high; none if these are exchanged.
  static std::uint32_t bits_between(std::uint32_t low, std::uint32_t high) {
    return high < low ? 0 : static_cast<std::uint32_t>(low_mask(high - low + 1)) << low;
  }

  Operand binary(IrOp op, Operand a, Operand b) { return builder_.binary(op, Type::i32, a, b); }

  Operand compute(std::uint32_t dst, const Input& first, const Input& second, const Input& third) {
    const Operand a = first.place, b = second.place;
    switch (opcode_->op.alu) {
      case Alu::add: {
        const Operand sum = binary(IrOp::iadd, a, b);
        builder_.emit(IrOp::isub, Type::i32, carry, constant(0), binary(IrOp::ilt_u, sum, b));
        return sum;
      }
      case Alu::addhi:
        return binary(IrOp::iadd, binary(IrOp::iadd, a, b), carry);
      case Alu::sub: {
        const Operand difference = binary(IrOp::isub, a, b);
        builder_.emit(IrOp::ilt_u, Type::i32, carry, a, b);
        return difference;
      }
      case Alu::subhi:
        return binary(IrOp::iadd, binary(IrOp::isub, a, b), carry);
      case Alu::band:
        return binary(IrOp::iand, a, b);
      case Alu::bor:
        return binary(IrOp::ior, a, b);
      case Alu::bxor:
        return binary(IrOp::ixor, a, b);
      case Alu::bic:
        return binary(IrOp::iandnot, a, b);
      case Alu::bnot:
        return first.value ? constant(~*first.value) : builder_.unary(IrOp::inot, Type::i32, a);
      case Alu::mov:
        return a;
      case Alu::shl:
        return shift(IrOp::ishl, a, second);
      case Alu::ushr:
        return shift(IrOp::ilsr, a, second);
      case Alu::ishr:
        return shift(IrOp::iasr, a, second);
      case Alu::rot:
        return binary(
            IrOp::ior, binary(IrOp::ishl, a, b),
            binary(IrOp::ilsr, a, second.value ? constant(-*second.value) : binary(IrOp::isub, constant(0), b)));
      case Alu::mul8:
        return binary(IrOp::imul, binary(IrOp::iand, a, constant(0xFF)), binary(IrOp::iand, b, constant(0xFF)));
      case Alu::min:
        return binary(IrOp::imin_u, a, b);
      case Alu::max:
        return binary(IrOp::imax_u, a, b);
      case Alu::cmp: {
        const Operand when_equal = binary(IrOp::iand, binary(IrOp::ieq, a, b), constant(0x2B));
        return builder_.ternary(IrOp::select, Type::i32, constant(0x1E), when_equal, binary(IrOp::ilt_u, a, b));
      }
      case Alu::setbit:
        return binary(IrOp::ior, a, constant(1u << *second.value));
      case Alu::clrbit:
        return binary(IrOp::iand, a, constant(~(1u << *second.value)));
      case Alu::replacebit: {  // bit (b >> 1) & 31 of a becomes b & 1
        const Operand number = binary(IrOp::ilsr, b, constant(1));
        const Operand value = binary(IrOp::ishl, b, number);  // bit 0 of b is where it belongs, others aside
        return builder_.ternary(IrOp::select, Type::i32, value, a, binary(IrOp::ishl, constant(1), number));
      }
      case Alu::ubfx: {
        const std::uint32_t low = *second.value;
        return binary(IrOp::iand, binary(IrOp::ilsr, a, constant(low)),
                      constant(bits_between(low, *third.value) >> low));
      }
      case Alu::bfi: {
        const Operand value = binary(IrOp::ishl, a, constant(*second.value));
        const Operand old = is_fifo(dst) || dst == reg_zero ? constant(0) : source(dst);
        return builder_.ternary(IrOp::select, Type::i32, value, old,
                                constant(bits_between(*second.value, *third.value)));
      }
      case Alu::msb:
        return binary(IrOp::imax_s, binary(IrOp::isub, constant(31), builder_.unary(IrOp::iclz, Type::i32, a)),
                      constant(0));
      case Alu::popcnt:
        return builder_.unary(IrOp::ipopcnt, Type::i32, a);
    }
    return a;
  }

  void note_shift(const Input& count) {
    if (!count.value)
      builder_.note(Status::unknown, "what a shift gives, if its register holds 32 or more, is unpublished");
    else if (*count.value >= 32)
      builder_.note(Status::unknown, "what a shift by 32 or more gives is unpublished");
  }

  /// Micro-operations shift by the count modulo 32; what the machine does from 32 on is a policy.
  Operand shift(IrOp op, Operand a, const Input& count) {
    const Operand b = count.place;
    note_shift(count);
    if (wrap_shifts_ || (count.value && *count.value < 32)) return binary(op, a, b);
    if (op == IrOp::iasr) return binary(op, a, binary(IrOp::imin_u, b, constant(31)));
    if (count.value) return constant(0);
    return binary(IrOp::iand, binary(op, a, b), binary(IrOp::ilt_u, b, constant(32)));
  }

  /// The moves of (xmovN): as many as $rem still allows (3.4).
  void move_more(std::uint32_t most, std::uint32_t queue, std::uint32_t dst, Operand repeated) {
    const Operand count = binary(IrOp::imin_u, rem, constant(most));
    const ExtraMoves moves{static_cast<std::uint8_t>(queue), static_cast<std::uint8_t>(dst)};
    write_port(Port::extra_moves, count, repeated, moves.flags());
    if (queue == reg_data) builder_.emit(IrOp::isub, Type::i32, rem, rem, count);
  }

  std::span<const std::uint32_t> words_;
  const Decoder& decoder_;
  bool wrap_shifts_, trap_pairs_;
  ir::Builder builder_;

  // The word being lifted.
  std::uint32_t index_ = 0, word_ = 0;
  const Opcode* opcode_ = nullptr;
  const Opcode* before_ = nullptr;  ///< transfer in whose delay slot the word is being lifted
  Role role_ = Role::plain;
  bool rep_ = false, took_data_ = false;
  Operand taken_before_, target_before_;
};

}  // namespace

std::span<const ir::Slot> register_slots() { return std::span(slots()).first(reg_memdata); }

Result<ir::Program> lift(std::span<const std::uint32_t> words, std::uint8_t generation, const Policies& chosen) {
  Result<Settings> settings = choose_settings(chosen);
  if (!settings) return fail(std::move(settings).error());
  return Lifter(words, generation, *settings).run();
}

struct LazyCode::Impl {
  Lifter lifter;
  std::vector<bool> is_lifted;
};

Result<LazyCode> LazyCode::create(std::span<const std::uint32_t> words, std::uint8_t generation,
                                  const Policies& chosen) {
  Result<Settings> settings = choose_settings(chosen);
  if (!settings) return fail(std::move(settings).error());
  return LazyCode(std::make_unique<Impl>(Impl{Lifter(words, generation, *settings), std::vector<bool>(words.size())}));
}
LazyCode::LazyCode(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LazyCode::~LazyCode() = default;
LazyCode::LazyCode(LazyCode&&) noexcept = default;
LazyCode& LazyCode::operator=(LazyCode&&) noexcept = default;

std::optional<ir::Program> LazyCode::lift(std::uint64_t address) {
  const std::uint64_t word = word_of_block(address);
  if (word >= impl_->is_lifted.size() || impl_->is_lifted[word]) return std::nullopt;
  return impl_->lifter.run_from(static_cast<std::uint32_t>(word), impl_->is_lifted);
}

}  // namespace mobula::afuc
