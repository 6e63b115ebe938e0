#include "jit/emit.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "ir/operands.h"
#include "jit/arithmetic.h"
#include "jit/texture.h"
#include "jit/vectors.h"

namespace mobula::jit {
namespace {

using How = native::Binding::How;
using ir::Op;
using ir::Operation;
using ir::Service;
using ir::Type;
using native::Frame;

/// Writes to the tile buffer of one fragment, beyond which the interpreter complains.
constexpr std::uint64_t colour_limit = 16;

/// What has no host code.
struct Unsupported {
  std::string what;
};

// Lanes: quads from left to right.
constexpr unsigned column_of(unsigned lane) { return lane / 4 * 2 + lane % 2; }
constexpr unsigned row_of(unsigned lane) { return lane / 2 % 2; }
constexpr unsigned quad_start(unsigned lane) { return lane & ~3u; }
/// The two lanes whose difference a lane sees along a row, and along a column.
constexpr unsigned row_first(unsigned lane) { return lane & ~1u; }
constexpr unsigned row_second(unsigned lane) { return lane | 1; }
constexpr unsigned column_first(unsigned lane) { return lane & ~2u; }
constexpr unsigned column_second(unsigned lane) { return lane | 2; }

class Emitter {
 public:
  Emitter(LLVMModuleRef module, const native::Request& request, const Shape& shape, Width width)
      : program_(*request.program),
        calls_(request.calls),
        places_(request.places),
        keeps_bytes_(request.keeps_bytes),
        shape_(shape),
        v_(module, width),
        b_(v_.builder()) {
    LLVMTypeRef argument = v_.pointer();
    function_ = LLVMAddFunction(module, entry_name, LLVMFunctionType(v_.integer(8), &argument, 1, 0));
    frame_ = LLVMGetParam(function_, 0);
    attribute(LLVMAttributeFunctionIndex, "nounwind");
    attribute(1, "noalias");
  }

  void run() {
    go_on_in(new_block());
    make_variables();
    begin_strip();
    begin_chunk();
    for (std::uint32_t i = 0; i < shape_.segments.size(); ++i) emit_segment(i);
    end_chunk();
    end_strip();
  }

 private:
  // ---- the function

  void attribute(LLVMAttributeIndex index, std::string_view name) {
    const unsigned kind = LLVMGetEnumAttributeKindForName(name.data(), name.size());
    LLVMAddAttributeAtIndex(function_, index, LLVMCreateEnumAttribute(v_.context(), kind, 0));
  }
  LLVMBasicBlockRef new_block() { return LLVMAppendBasicBlockInContext(v_.context(), function_, ""); }
  void go_on_in(LLVMBasicBlockRef block) { LLVMPositionBuilderAtEnd(b_, block); }
  void jump(LLVMBasicBlockRef to) { LLVMBuildBr(b_, to); }
  void jump_if(Value condition, LLVMBasicBlockRef yes, LLVMBasicBlockRef no) {
    LLVMBuildCondBr(b_, condition, yes, no);
  }

  /// A member of the frame.
  Value field(std::size_t byte, unsigned bits) { return v_.load(v_.integer(bits), v_.at(frame_, byte), bits / 8); }
  Value pointer_field(std::size_t byte) { return v_.load(v_.pointer(), v_.at(frame_, byte), 8); }

  /// A local variable; LLVM makes values of all of them.
  Value variable(LLVMTypeRef type) { return LLVMBuildAlloca(b_, type, ""); }
  Value get(LLVMTypeRef type, Value variable) { return LLVMBuildLoad2(b_, type, variable, ""); }
  void set(Value variable, Value value) { LLVMBuildStore(b_, value, variable); }

  void make_variables() {
    for (std::size_t word = 0; word < shape_.read_first.size(); ++word) {
      exact_.push_back(variable(v_.words()));
      loose_.push_back(variable(v_.words()));
    }
    for (std::size_t i = 0; i < shape_.segments.size(); ++i) {
      waiting_.push_back(variable(v_.words()));
      executed_.push_back(variable(v_.integer(64)));
      set(executed_.back(), v_.number(64, 0));
      turns_.push_back(new_block());
      blocks_.push_back(new_block());
    }
    for (Value& each : colour_) each = variable(v_.words());
    has_colour_ = variable(v_.words());
    colour_count_ = variable(v_.words());
    is_discarded_ = variable(v_.words());
    discarded_ = variable(v_.integer(64));
    set(discarded_, v_.number(64, 0));
    steps_ = variable(v_.integer(64));
    column_ = variable(v_.integer(32));
    set(column_, v_.number(32, 0));
    chunk_ = new_block();
    done_ = new_block();
    leave_ = new_block();
  }

  void begin_strip() {
    width_ = field(offsetof(Frame, width), 32);
    even_width_ = v_.and_(v_.add(width_, v_.number(32, 1)), v_.number(32, ~1u));
    strip_rows_ = field(offsetof(Frame, rows), 32);
    step_limit_ = field(offsetof(Frame, step_limit), 64);
    planes_ = pointer_field(offsetof(Frame, planes));
    const Value row = v_.add(v_.splat(field(offsetof(Frame, first_row), 32)), v_.each_lane(row_of));
    y_ = v_.fadd(v_.cast(LLVMUIToFP, row, v_.vector(Type::f32)), v_.all_real(Type::f32, 0.5));
    const Value initial = pointer_field(offsetof(Frame, initial));
    for (std::size_t word = 0; word < shape_.read_first.size(); ++word) {
      initial_.push_back(shape_.read_first[word] ? v_.splat(v_.load(v_.integer(32), v_.at(initial, 4 * word), 4))
                                                 : Vectors::zero(v_.words()));
    }
    for (std::size_t i = 0; i < calls_.size(); ++i) prepare_call(i);
    const bool interpolates = std::any_of(calls_.begin(), calls_.end(),
                                          [](const native::Binding& call) { return call.how == How::interpolated; });
    if (interpolates) {
      const Value height = LLVMBuildUIToFP(b_, field(offsetof(Frame, height), 32), v_.element(Type::f32), "");
      down_ = v_.fdiv(y_, v_.splat(height));
      places_across_ = pointer_field(offsetof(Frame, across));
    }
    jump(chunk_);
  }

  void begin_chunk() {
    go_on_in(chunk_);
    first_column_ = get(v_.integer(32), column_);
    const Value column = v_.add(v_.splat(first_column_), v_.each_lane(column_of));
    x_ = v_.fadd(v_.cast(LLVMUIToFP, column, v_.vector(Type::f32)), v_.all_real(Type::f32, 0.5));
    if (places_across_ != nullptr) {
      constexpr std::uint64_t column_bytes = 2 * sizeof(float);  // of both lanes
      const Value from = v_.mul(LLVMBuildZExt(b_, first_column_, v_.integer(64), ""), v_.number(64, column_bytes));
      across_ = v_.load(v_.vector(Type::f32), v_.at(places_across_, from), sizeof(float));
    }
    const auto below = [&](Value a, Value limit) {
      return v_.cast(LLVMSExt, v_.test(LLVMIntULT, a, v_.splat(limit)), v_.words());
    };
    const Value started = below(column, even_width_);
    is_pixel_ = v_.and_(below(column, width_), below(v_.each_lane(row_of), strip_rows_));
    for (std::size_t word = 0; word < initial_.size(); ++word) {
      set(exact_[word], initial_[word]);
      set(loose_[word], initial_[word]);
    }
    for (const native::PlaceWord& place : places_) {
      const Value centre = v_.bits(place.axis == 0 ? x_ : y_, v_.words());
      set(exact_[place.word], centre);
      set(loose_[place.word], centre);
    }
    const Value none = Vectors::zero(v_.words());
    for (const Value each : waiting_) set(each, none);
    for (const Value each : colour_) set(each, none);
    set(has_colour_, none);
    set(colour_count_, none);
    set(is_discarded_, none);
    set(steps_, v_.number(64, 0));
    const std::uint32_t entry = shape_.segment_of[program_.entry];
    set(waiting_[entry], started);
    jump(blocks_[entry]);
  }

  // ---- lanes

  Value is_in(Value mask) { return v_.test(LLVMIntSLT, mask, Vectors::zero(v_.words())); }
  Value any(Value mask) { return v_.any(is_in(mask)); }
  Value lane_bits(Value mask) { return LLVMBuildZExt(b_, v_.packed(is_in(mask)), v_.integer(32), ""); }
  Value blend(Value mask, Value yes, Value no) { return v_.select(is_in(mask), yes, no); }
  void leave_if(Value condition) {
    const LLVMBasicBlockRef on = new_block();
    jump_if(condition, leave_, on);
    go_on_in(on);
  }

  // ---- state

  Lanes word(std::size_t index) {
    Lanes& known = words_[index];
    if (!known) known = {get(v_.words(), exact_[index]), get(v_.words(), loose_[index])};
    return known;
  }
  void set_word(std::size_t index, Lanes value) {
    if (enabled_ != nullptr) {
      const Lanes old = word(index);
      value = {blend(enabled_, value.exact, old.exact), blend(enabled_, value.loose, old.loose)};
    }
    words_[index] = value;
    is_written_[index] = true;
  }

  /// Which of its two forms is wanted of a value.
  using Form = Value Lanes::*;
  template <class Of>
  static Lanes both_forms(Of of) {
    return {of(&Lanes::exact), of(&Lanes::loose)};
  }

  /// 32 bits at any byte; of a word's last ones only as many as there are.
  Value bits_at(std::uint32_t byte) {
    const Value low = word(byte / 4).exact;
    if (byte % 4 == 0) return low;
    const Value shifted = v_.lshr(low, v_.word(8 * (byte % 4)));
    if (byte / 4 + 1 >= words_.size()) return shifted;
    return v_.or_(shifted, v_.shl(word(byte / 4 + 1).exact, v_.word(32 - 8 * (byte % 4))));
  }
  /// The loose form of a NaN is another NaN; of a part of it, or of several of them side by side, it may be any number.
  /// So it is taken as it was written, or not at all.
  Form loosest_form(std::uint32_t byte, std::uint32_t bytes) const {
    if (byte % bytes != 0) return &Lanes::exact;
    bool is_whole = true;
    for (std::uint32_t half = byte / 2; half < end_half(byte, bytes); ++half)
      is_whole = is_whole && written_pieces_[half] == bytes;
    return is_whole || shape_.pieces[byte / 4] == bytes ? &Lanes::loose : &Lanes::exact;
  }
  /// Lanes that are not enabled keep what they have, of whatever pieces that is.
  void note_piece(std::uint32_t byte, std::uint32_t bytes) {
    const auto size = static_cast<std::uint8_t>(byte % bytes == 0 ? bytes : 1);
    for (std::uint32_t half = byte / 2; half < end_half(byte, bytes); ++half)
      written_pieces_[half] = enabled_ == nullptr || written_pieces_[half] == size ? size : 1;
  }
  static constexpr std::uint32_t end_half(std::uint32_t byte, std::uint32_t bytes) { return (byte + bytes + 1) / 2; }

  Lanes constant(std::uint32_t byte, Type type) {
    std::uint64_t bits = 0;
    for (std::uint32_t i = 0; i < ir::bytes_of(type); ++i)
      bits |= std::uint64_t{program_.constants[byte + i]} << (8 * i);
    return Lanes::plain(v_.bits(v_.all(ir::as_integer(type), bits), v_.vector(type)));
  }

  Lanes read(ir::Operand operand, Type type) {
    if (operand.is_none()) return Lanes::plain(Vectors::zero(v_.vector(type)));
    if (operand.is_constant()) return constant(operand.byte(), type);
    const std::uint32_t byte = operand.byte(), bits = ir::bits_of(type);
    if (bits == 64) {
      const LLVMTypeRef wide = v_.vector(Type::i64);
      const Value low = v_.cast(LLVMZExt, bits_at(byte), wide), high = v_.cast(LLVMZExt, bits_at(byte + 4), wide);
      return Lanes::plain(v_.bits(v_.or_(low, v_.shl(high, v_.all(Type::i64, 32))), v_.vector(type)));
    }
    if (byte % 4 * 8 + bits > 32) return Lanes::plain(narrow_bits(bits_at(byte), type));
    const auto of = [&](Form form) {
      const Value whole = word(byte / 4).*form;
      return narrow_bits(byte % 4 == 0 ? whole : v_.lshr(whole, v_.word(8 * (byte % 4))), type);
    };
    return {of(&Lanes::exact), of(loosest_form(byte, bits / 8))};
  }
  /// The lowest bits of words, as a type of 32 bits or fewer.
  Value narrow_bits(Value words, Type type) {
    if (ir::bits_of(type) < 32) words = v_.cast(LLVMTrunc, words, v_.vector(ir::as_integer(type)));
    return v_.bits(words, v_.vector(type));
  }

  /// Puts the low `bytes` bytes of words somewhere.
  void write_bytes(std::uint32_t byte, std::uint32_t bytes, Lanes value) {
    for (std::uint32_t done = 0; done < bytes;) {
      const std::uint32_t first = (byte + done) % 4, count = std::min(4 - first, bytes - done);
      const std::uint32_t mask = (~0u >> (32 - 8 * count)) << (8 * first);
      const std::size_t index = (byte + done) / 4;
      set_word(index, both_forms([&](Form form) {
                 Value part = done == 0 ? value.*form : v_.lshr(value.*form, v_.word(8 * done));
                 if (first != 0) part = v_.shl(part, v_.word(8 * first));
                 if (mask == ~0u) return part;
                 return v_.or_(v_.and_(word(index).*form, v_.word(~mask)), v_.and_(part, v_.word(mask)));
               }));
      done += count;
    }
  }

  void write(ir::Operand operand, Type type, Lanes value) {
    if (operand.is_none()) return;
    const std::uint32_t byte = operand.byte(), bits = ir::bits_of(type);
    note_piece(byte, bits / 8);
    if (bits == 32 && byte % 4 == 0)
      return set_word(byte / 4, {v_.bits(value.exact, v_.words()), v_.bits(value.loose, v_.words())});
    const auto whole = [&](Form form) { return v_.bits(value.*form, v_.vector(ir::as_integer(type))); };
    const auto low = [&](Value wide) { return Lanes::plain(v_.cast(LLVMTrunc, wide, v_.words())); };
    if (bits == 64) {
      write_bytes(byte, 4, low(whole(&Lanes::exact)));
      write_bytes(byte + 4, 4, low(v_.lshr(whole(&Lanes::exact), v_.all(Type::i64, 32))));
      return;
    }
    write_bytes(byte, bits / 8, both_forms([&](Form form) {
                  return bits == 32 ? whole(form) : v_.cast(LLVMZExt, whole(form), v_.words());
                }));
  }

  // ---- segments

  void emit_segment(std::uint32_t index) {
    const Segment& segment = shape_.segments[index];
    const bool is_last = index + 1 == blocks_.size();
    const LLVMBasicBlockRef next = is_last ? done_ : turns_[index + 1];
    go_on_in(turns_[index]);
    if (segment.partial || (segment.jumps && !is_last))
      jump_if(any(get(v_.words(), waiting_[index])), blocks_[index], next);
    else
      jump(blocks_[index]);
    go_on_in(blocks_[index]);
    segment_ = index;
    mask_ = get(v_.words(), waiting_[index]);
    set(waiting_[index], Vectors::zero(v_.words()));
    count(executed_[index], mask_);
    if (shape_.has_loops) {
      const Value steps = get(v_.integer(64), steps_);
      set(steps_, v_.add(steps, v_.number(64, segment.last - segment.first + 1)));
    }
    words_.assign(exact_.size(), {});
    is_written_.assign(exact_.size(), false);
    written_pieces_.assign(2 * exact_.size(), 0);
    for (std::uint32_t block = segment.first; block <= segment.last; ++block)
      emit_block(block, segment, block == segment.last);
    if (!segment.jumps) jump_back(index, next);
  }

  void count(Value counter, Value mask) {
    const Value ones = v_.call("llvm.ctpop", {v_.integer(32)}, {lane_bits(mask)});
    set(counter, v_.add(get(v_.integer(64), counter), LLVMBuildZExt(b_, ones, v_.integer(64), "")));
  }

  /// A lane executes at most the blocks counted; so it never reaches the limit if they and all that can follow stay
  /// below it.
  void jump_back(std::uint32_t index, LLVMBasicBlockRef next) {
    for (const std::uint32_t to : shape_.segments[index].next) {
      if (to > index) break;
      const LLVMBasicBlockRef goes_back = new_block(), stays = new_block();
      jump_if(any(get(v_.words(), waiting_[to])), goes_back, stays);
      go_on_in(goes_back);
      repeat(to);
      go_on_in(stays);
    }
    jump(next);
  }
  void repeat(std::uint32_t segment) {
    const Value most = v_.add(get(v_.integer(64), steps_), v_.number(64, program_.blocks.size()));
    jump_if(v_.test(LLVMIntUGE, most, step_limit_), leave_, blocks_[segment]);
  }

  void emit_block(std::uint32_t index, const Segment& segment, bool is_last) {
    const ir::Block& block = program_.blocks[index];
    block_ = index;
    std::uint32_t i = block.first;
    const std::uint32_t end = block.first + block.count;
    for (; i < end && !ir::is_control(program_.operations[i].op); ++i) emit_operation(i);
    enabled_ = nullptr;
    if (!is_last) return;
    // Conditions are read before lanes that are elsewhere get their own values back.
    std::vector<Value> conditions;
    for (std::uint32_t k = i; k < end; ++k) {
      const Operation& operation = program_.operations[k];
      const bool is_asked = !shape_.idle[k] && ir::is_conditional(operation.op) && !operation.src[0].is_none();
      if (!is_asked)
        conditions.push_back(nullptr);
      else
        conditions.push_back(segment.jumps ? first_condition(operation) : condition(operation));
    }
    write_back(segment);
    if (segment.jumps) return emit_jumps(block, i, conditions);
    Value going = mask_;
    for (std::uint32_t k = i; k < end; ++k) {
      const Operation& operation = program_.operations[k];
      if (shape_.idle[k]) continue;
      const Value asked = conditions[k - i];
      const Value taken = asked == nullptr ? going : v_.and_(going, asked);
      switch (operation.op) {
        case Op::branch:
          send(taken, operation.extra);
          break;
        case Op::discard:
          set(is_discarded_, v_.or_(get(v_.words(), is_discarded_), taken));
          break;
        case Op::end:
          break;
        case Op::trap:
          leave_if(any(taken));
          break;
        default:
          throw Unsupported{std::string(ir::info(operation.op).name)};
      }
      if (ir::always_leaves(operation)) return;
      going = v_.and_(going, v_.not_(taken));
    }
    if (block.next) send(going, *block.next);
  }

  /// Bit 0 of a word, for each lane all ones or 0.
  Value condition(const Operation& operation) {
    const Value source = read(operation.src[0], operation.type).exact;
    const Value bit = v_.cast(LLVMTrunc, source, v_.vector(v_.integer(1)));
    return v_.cast(LLVMSExt, bit, v_.words());
  }

  /// The same of the first lane, which all others have, too.
  Value first_condition(const Operation& operation) {
    const Value source =
        LLVMBuildExtractElement(b_, read(operation.src[0], operation.type).exact, v_.number(32, 0), "");
    return LLVMBuildTrunc(b_, source, v_.integer(1), "");
  }

  /// The controls of a block that all lanes leave the same way.
  void emit_jumps(const ir::Block& block, std::uint32_t first, std::span<const Value> conditions) {
    for (std::size_t k = 0; k < conditions.size(); ++k) {
      const Operation& operation = program_.operations[first + k];
      if (shape_.idle[first + k]) continue;
      if (ir::always_leaves(operation)) return emit_leaving(operation);
      const LLVMBasicBlockRef leaves = new_block(), stays = new_block();
      jump_if(conditions[k], leaves, stays);
      go_on_in(leaves);
      emit_leaving(operation);
      go_on_in(stays);
    }
    if (block.next)
      jump_to(*block.next);
    else
      jump(done_);
  }
  void emit_leaving(const Operation& operation) {
    switch (operation.op) {
      case Op::branch:
        return jump_to(operation.extra);
      case Op::trap:
        return jump_if(any(mask_), leave_, done_);
      case Op::discard:
        set(is_discarded_, v_.or_(get(v_.words(), is_discarded_), mask_));
        return jump(done_);
      default:
        return jump(done_);
    }
  }
  void jump_to(std::uint32_t block) {
    const std::uint32_t to = shape_.segment_of[block];
    set(waiting_[to], mask_);
    if (to <= segment_)
      repeat(to);
    else
      jump(blocks_[to]);
  }

  void send(Value mask, std::uint32_t block) {
    const Value waiting = waiting_[shape_.segment_of[block]];
    set(waiting, v_.or_(get(v_.words(), waiting), mask));
  }

  void write_back(const Segment& segment) {
    for (std::size_t index = 0; index < words_.size(); ++index) {
      if (!is_written_[index]) continue;
      Lanes value = words_[index];
      if (segment.blended[index]) {
        value.exact = blend(mask_, value.exact, get(v_.words(), exact_[index]));
        value.loose = blend(mask_, value.loose, get(v_.words(), loose_[index]));
      }
      set(exact_[index], value.exact);
      set(loose_[index], value.loose);
    }
  }

  // ---- operations

  Value active() { return enabled_ == nullptr ? mask_ : v_.and_(mask_, enabled_); }

  void emit_operation(std::uint32_t index) {
    const Operation& operation = program_.operations[index];
    switch (operation.op) {
      case Op::call:
        return emit_call(operation.extra, shape_.alike[index]);
      case Op::enable:
        enabled_ = operation.src[0].is_none() ? nullptr : narrowed(operation);
        return;
      case Op::ddx:
        return emit_difference(operation, row_first, row_second);
      case Op::ddy:
        return emit_difference(operation, column_first, column_second);
      case Op::quad_first: {
        const Lanes value = read(operation.src[0], operation.type);
        const Value mask = active();
        const Value has_first = is_in(v_.moved(mask, quad_start));
        return write(operation.dst, operation.type,
                     Lanes::plain(v_.select(has_first, v_.moved(value.exact, quad_start), value.exact)));
      }
      case Op::task_lane:
      case Op::task_first:
        throw Unsupported{std::string(ir::info(operation.op).name)};
      default:
        break;
    }
    const Type from = ir::source_type(operation);
    std::array<Lanes, 3> sources;
    for (std::size_t i = 0; i < 3; ++i) sources[i] = read(operation.src[i], from);
    const Lanes result = shape_.alike[index] ? compute_once(operation, sources) : compute(v_, operation, sources);
    if (result) return write(operation.dst, ir::result_type(operation), result);
    operate(index);
  }

  /// What is the same in all lanes, from the first one's operands.
  Lanes compute_once(const Operation& operation, std::array<Lanes, 3> sources) {
    const auto first = [&](Value value) { return v_.shuffle(value, value, {0}); };
    const auto in_each = [&](Value value) { return v_.moved(value, [](unsigned) { return 0u; }); };
    for (Lanes& source : sources) source = {first(source.exact), first(source.loose)};
    v_.set_width(1);
    const Lanes result = compute(v_, operation, sources);
    v_.set_width(v_.lanes());
    if (!result) return {};
    return {in_each(result.exact), in_each(result.loose)};
  }

  Value narrowed(const Operation& operation) {
    const Value bit = condition(operation);
    return enabled_ == nullptr ? bit : v_.and_(enabled_, bit);
  }

  /// Names a lane for each lane.
  using From = unsigned (*)(unsigned lane);

  void emit_difference(const Operation& operation, From first, From second) {
    const Type type = operation.type;
    write(operation.dst, type, difference(type, read(operation.src[0], type).loose, first, second));
  }

  /// Between two lanes of a quad; 0 where one of both is not active.
  Lanes difference(Type type, Value value, From first, From second) {
    const Value mask = active();
    const Value negated = LLVMBuildFNeg(b_, v_.moved(value, first), "");
    const Lanes sum = add_floats(v_, type, v_.moved(value, second), negated);
    const Value chosen = is_in(v_.and_(v_.moved(mask, first), v_.moved(mask, second)));
    const Value none = Vectors::zero(v_.vector(type));
    return {v_.select(chosen, sum.exact, none), v_.select(chosen, sum.loose, none)};
  }

  // ---- what the host does

  [[nodiscard]] unsigned plane_bytes() const { return 4 * v_.lanes(); }
  Value plane(std::size_t index) { return v_.at(planes_, 4 * native::plane_pitch * index); }

  /// Visits the words that an operation reads or writes.
  template <class Use>
  void for_each_word(const Operation& operation, bool writes, Use use) {
    ir::for_each_access(program_, operation, [&](const ir::Access& access) {
      if (access.is_write != writes || !access.operand.is_state()) return;
      const std::uint32_t begin = access.operand.byte(), end = begin + access.bytes();
      for (std::uint32_t index = begin / 4; 4 * index < end; ++index) use(index);
    });
  }

  /// Puts a word of the state where the host finds it.
  void show(std::uint32_t index) { v_.store(word(index).exact, plane(index), plane_bytes()); }

  template <class Function>
  void by_host(const Operation& operation, Function function) {
    for (const bool writes : {false, true}) for_each_word(operation, writes, [&](std::uint32_t index) { show(index); });
    function();
    for_each_word(operation, true, [&](std::uint32_t index) {
      set_word(index, Lanes::plain(v_.load(v_.words(), plane(index), plane_bytes())));
    });
  }

  void operate(std::uint32_t index) {
    by_host(program_.operations[index], [&] {
      std::array<LLVMTypeRef, 3> types{v_.pointer(), v_.integer(32), v_.integer(32)};
      const Value which = shape_.alike[index] ? v_.number(32, (1u << v_.lanes()) - 1) : lane_bits(active());
      std::array<Value, 3> arguments{frame_, v_.number(32, index), which};
      LLVMBuildCall2(b_, LLVMFunctionType(LLVMVoidTypeInContext(v_.context()), types.data(), 3, 0),
                     pointer_field(offsetof(Frame, operate)), arguments.data(), 3, "");
    });
  }

  static Operation operation_of(std::uint32_t call) {
    Operation operation{.op = Op::call};
    operation.extra = call;
    return operation;
  }

  void call_host(std::uint32_t index) {
    by_host(operation_of(index), [&] { ask_host(index); });
  }

  void ask_host(std::uint32_t index) {
    v_.store(first_column_, v_.at(frame_, offsetof(Frame, chunk)), 4);
    std::array<LLVMTypeRef, 4> types{v_.pointer(), v_.integer(32), v_.integer(32), v_.integer(32)};
    std::array<Value, 4> arguments{frame_, v_.number(32, index), v_.number(32, block_), lane_bits(active())};
    const Value done = LLVMBuildCall2(b_, LLVMFunctionType(v_.integer(8), types.data(), 4, 0),
                                      pointer_field(offsetof(Frame, call)), arguments.data(), 4, "");
    leave_if(v_.test(LLVMIntEQ, v_.and_(done, v_.number(8, 1)), v_.number(8, 0)));
  }

  // ---- calls

  std::size_t entry_offset(const native::Binding& binding, std::size_t bytes) { return binding.index * bytes; }

  /// What a call gives to all lanes of a strip alike.
  void prepare_call(std::size_t index) {
    const native::Binding& binding = calls_[index];
    const ir::Call& call = program_.calls[index];
    std::vector<Value> values;
    if (binding.how == How::constant) {
      const Value from = v_.at(pointer_field(offsetof(Frame, constants)), entry_offset(binding, 16));
      for (std::uint32_t i = 0; i < 4; ++i) values.push_back(v_.splat(v_.load(v_.integer(32), v_.at(from, 4 * i), 4)));
    } else if (binding.how == How::interpolated) {
      const Value from = v_.at(pointer_field(offsetof(Frame, corners)), entry_offset(binding, 64));
      for (std::uint32_t i = 0; i < 16; ++i)
        values.push_back(v_.splat(v_.load(v_.element(Type::f32), v_.at(from, 4 * i), 4)));
    } else if (binding.how == How::uniform) {
      const std::uint32_t offset = static_cast<std::uint32_t>(constant_bits(call.args[0]));
      const Value from = v_.at(uniform_field(binding, offsetof(native::UniformBytes, bytes)), offset);
      const LLVMTypeRef element = v_.integer(ir::bits_of(call.type));
      for (std::uint32_t i = 0; i < call.count; ++i)
        values.push_back(v_.splat(v_.load(element, v_.at(from, std::uint64_t{i} * ir::bytes_of(call.type)), 1)));
    }
    prepared_.push_back(std::move(values));
  }

  std::uint64_t constant_bits(ir::Operand operand) {
    if (operand.is_none()) return 0;
    std::uint64_t bits = 0;
    for (std::uint32_t i = 0; i < 4; ++i) bits |= std::uint64_t{program_.constants[operand.byte() + i]} << (8 * i);
    return bits;
  }

  Value uniform_field(const native::Binding& binding, std::size_t byte) {
    const Value table = pointer_field(offsetof(Frame, uniforms));
    const LLVMTypeRef type = byte == 0 ? v_.pointer() : v_.integer(64);
    return v_.load(type, v_.at(table, entry_offset(binding, sizeof(native::UniformBytes)) + byte), 8);
  }

  void emit_call(std::uint32_t index, bool is_alike) {
    const ir::Call& call = program_.calls[index];
    switch (calls_[index].how) {
      case How::host:
        return call_host(index);
      case How::interpolated:
      case How::constant:
      case How::position:
        return emit_varying(index);
      case How::uniform:
        return give(call, prepared_[index]);
      case How::uniform_at:
        return is_alike ? emit_uniform_at_one(index) : emit_uniform_at(index);
      case How::colour:
        return emit_colour(call);
      case How::sampled:
        return emit_sample(index);
      case How::ready:
        return write(call.args[3], Type::i32, Lanes::plain(Vectors::zero(v_.words())));
    }
  }

  /// Elements of the call's type, as integers; zeros beyond those there are.
  void give(const ir::Call& call, std::span<const Value> values) {
    const Type type = ir::as_integer(call.type);
    for (std::uint32_t i = 0; i < call.count; ++i)
      write(call.data.plus(i * ir::bytes_of(type)), type,
            Lanes::plain(i < values.size() ? values[i] : Vectors::zero(v_.vector(type))));
  }

  void emit_varying(std::uint32_t index) {
    const ir::Call& call = program_.calls[index];
    std::vector<Value> values = prepared_[index];
    if (calls_[index].how == How::interpolated) values = interpolated(prepared_[index]);
    if (calls_[index].how == How::position)
      values = {v_.bits(x_, v_.words()), v_.bits(y_, v_.words()), v_.word(0x3F000000), v_.word(0x3F800000)};
    if (call.type == Type::f16) {
      const Operation narrow{.op = Op::f2f, .type = Type::f16, .from = Type::f32};
      for (Value& value : values) {
        const Lanes number = Lanes::plain(v_.bits(value, v_.vector(Type::f32)));
        value = v_.bits(compute(v_, narrow, {number, {}, {}}).exact, v_.vector(Type::i16));
      }
    }
    give(call, values);
  }

  /// As io::between says.
  Value between(Value a, Value b, Value part) { return v_.fadd(a, v_.fmul(v_.fsub(b, a), part)); }

  std::vector<Value> interpolated(std::span<const Value> corners) {
    std::vector<Value> values;
    for (std::size_t i = 0; i < 16; i += 4) {
      const Value left = between(corners[i], corners[i + 2], down_);
      const Value right = between(corners[i + 1], corners[i + 3], down_);
      values.push_back(v_.bits(between(left, right, across_), v_.words()));
    }
    return values;
  }

  /// At an offset that all lanes share.
  void emit_uniform_at_one(std::uint32_t index) {
    const ir::Call& call = program_.calls[index];
    const std::uint32_t size = ir::bytes_of(call.type);
    Value offset = LLVMBuildExtractElement(b_, read(call.args[0], Type::i32).exact, v_.number(32, 0), "");
    offset = LLVMBuildZExt(b_, offset, v_.integer(64), "");
    const Value end = v_.add(offset, v_.number(64, std::uint64_t{call.count} * size));
    leave_if(v_.test(LLVMIntUGT, end, uniform_field(calls_[index], offsetof(native::UniformBytes, size))));
    const Value from = v_.at(uniform_field(calls_[index], offsetof(native::UniformBytes, bytes)), offset);
    std::vector<Value> values;
    for (std::uint32_t i = 0; i < call.count; ++i)
      values.push_back(v_.splat(v_.load(v_.integer(8 * size), v_.at(from, std::uint64_t{i} * size), 1)));
    give(call, values);
  }

  void emit_uniform_at(std::uint32_t index) {
    const ir::Call& call = program_.calls[index];
    const native::Binding& binding = calls_[index];
    const Value offset = v_.cast(LLVMZExt, read(call.args[0], Type::i32).exact, v_.vector(Type::i64));
    const std::uint32_t size = ir::bytes_of(call.type), bytes = call.count * size;
    const Value end = v_.add(offset, v_.all(Type::i64, bytes));
    const Value limit = v_.splat(uniform_field(binding, offsetof(native::UniformBytes, size)));
    const Value mask = is_in(active());
    const Value beyond = v_.and_(mask, v_.test(LLVMIntUGT, end, limit));
    leave_if(v_.any(beyond));
    const Value base = uniform_field(binding, offsetof(native::UniformBytes, bytes));
    const LLVMTypeRef element = v_.vector(v_.integer(ir::bits_of(call.type)));
    const LLVMTypeRef pointers = v_.vector(v_.pointer());
    std::vector<Value> values;
    for (std::uint32_t i = 0; i < call.count; ++i) {
      Value byte = v_.add(offset, v_.all(Type::i64, std::uint64_t{i} * size));
      const Value from = LLVMBuildGEP2(b_, v_.integer(8), base, &byte, 1, "");
      values.push_back(
          v_.call("llvm.masked.gather", {element, pointers}, {from, v_.number(32, 1), mask, Vectors::zero(element)}));
    }
    give(call, values);
  }

  /// Lanes whose coordinates are huge, or none, are left to the host with the others of the chunk.
  void emit_sample(std::uint32_t index) {
    const ir::Call& call = program_.calls[index];
    SampledPlace place = sampled_place(program_.textures[call.index]);
    const Operation operation = operation_of(index);
    for_each_word(operation, false, [&](std::uint32_t word_index) { word(word_index); });  // for both of the ways

    const Value small = are_small(v_, place.coordinate), mask = active();
    for (Value& coordinate : place.coordinate) coordinate = v_.select(small, coordinate, v_.all_real(Type::f32, 0));
    const LLVMBasicBlockRef left = new_block(), here = new_block(), after = new_block();
    jump_if(any(v_.and_(mask, v_.not_(v_.cast(LLVMSExt, small, v_.words())))), left, here);

    go_on_in(left);
    for_each_word(operation, false, [&](std::uint32_t word_index) { show(word_index); });
    ask_host(index);
    std::array<Value, 4> theirs{}, ours{};
    const std::size_t count = std::min<std::size_t>(call.count, 4);
    for (std::size_t i = 0; i < count; ++i)
      theirs[i] = v_.load(v_.words(), plane(call.data.byte() / 4 + i), plane_bytes());
    const LLVMBasicBlockRef end_left = LLVMGetInsertBlock(b_);
    jump(after);

    go_on_in(here);
    const Value texture =
        v_.at(pointer_field(offsetof(Frame, textures)), entry_offset(calls_[index], sizeof(native::PlainTexture)));
    const std::array<Value, 4> texel =
        sampled(v_, calls_[index].sampling, texture, pointer_field(offsetof(Frame, scratch)), place);
    for (std::size_t i = 0; i < count; ++i) ours[i] = v_.bits(texel[i], v_.words());
    const LLVMBasicBlockRef end_here = LLVMGetInsertBlock(b_);
    jump(after);

    go_on_in(after);
    std::array<Value, 4> results{};
    for (std::size_t i = 0; i < count; ++i) {
      results[i] = LLVMBuildPhi(b_, v_.words(), "");
      std::array<Value, 2> values{theirs[i], ours[i]};
      std::array<LLVMBasicBlockRef, 2> blocks{end_left, end_here};
      LLVMAddIncoming(results[i], values.data(), blocks.data(), 2);
    }
    for (std::uint32_t i = 0; i < count; ++i) write(call.data.plus(4 * i), Type::i32, Lanes::plain(results[i]));
  }

  SampledPlace sampled_place(const ir::Texture& op) {
    const auto number = [&](ir::Operand operand) { return read(operand, Type::f32).loose; };
    SampledPlace place;
    if (!op.lod.is_none()) place.lod = number(op.lod);
    for (std::size_t axis = 0; axis < 2; ++axis) {
      const Value coordinate = place.coordinate[axis] = number(op.coordinate[axis]);
      if (!op.offset[axis].is_none()) place.offset[axis] = read(op.offset[axis], Type::i32).exact;
      if (op.implicit_lod) {
        place.along_row[axis] = difference(Type::f32, coordinate, row_first, row_second).loose;
        place.along_column[axis] = difference(Type::f32, coordinate, column_first, column_second).loose;
      } else if (op.explicit_gradients()) {
        place.along_row[axis] = number(op.ddx[axis]);
        place.along_column[axis] = number(op.ddy[axis]);
      }
    }
    return place;
  }

  void emit_colour(const ir::Call& call) {
    Value mask = active();
    if (const ir::Operand target = call.args[2]; !target.is_none()) {
      constexpr std::uint32_t no_target = 0xFF, first_of_next = 0x100;  // as io::is_of_first_target has it
      const Value word = read(target, Type::i32).exact;
      const Value is_shown =
          v_.and_(v_.test(LLVMIntULT, word, v_.word(first_of_next)), v_.test(LLVMIntNE, word, v_.word(no_target)));
      mask = v_.and_(mask, v_.cast(LLVMSExt, is_shown, v_.words()));
    }
    for (std::uint32_t i = 0; i < 4; ++i) {
      const Lanes number = read(call.data.plus(4 * i), Type::i32);
      const Value value = keeps_bytes_ ? number.loose : number.exact;  // every NaN is the same byte
      set(colour_[i], blend(mask, value, get(v_.words(), colour_[i])));
    }
    set(has_colour_, v_.or_(get(v_.words(), has_colour_), mask));
    const Value count = v_.sub(get(v_.words(), colour_count_), mask);
    set(colour_count_, count);
    if (shape_.has_loops || calls_.size() > colour_limit) {
      const Value many = v_.test(LLVMIntUGT, count, v_.word(colour_limit));
      leave_if(v_.any(many));
    }
    write(call.args[3], Type::i32, Lanes::plain(Vectors::zero(v_.words())));
  }

  // ---- results

  void end_chunk() {
    go_on_in(done_);
    const Value discarded = get(v_.words(), is_discarded_);
    count(discarded_, v_.and_(discarded, is_pixel_));
    const Value kept = v_.and_(v_.and_(get(v_.words(), has_colour_), is_pixel_), v_.not_(discarded));
    const LLVMBasicBlockRef all = new_block(), parts = new_block(), next = new_block();
    jump_if(v_.every(is_in(kept)), all, parts);

    go_on_in(all);
    store_colours(last_colours(), nullptr);
    std::array<Value, most_lanes / 2> mark;
    mark.fill(v_.number(8, 1));
    for (unsigned row = 0; row < 2; ++row) v_.store(LLVMConstVector(mark.data(), v_.lanes() / 2), covered_at(row), 1);
    jump(next);

    go_on_in(parts);
    std::array<Value, 4> colours = last_colours();
    for (Value& colour : colours) colour = v_.and_(colour, kept);
    const Value is_there = is_in(is_pixel_);
    store_colours(colours, is_there);
    for (unsigned row = 0; row < 2; ++row)
      store_some(v_.cast(LLVMZExt, in_row(is_in(kept), row), LLVMVectorType(v_.integer(8), v_.lanes() / 2)),
                 covered_at(row), 1, in_row(is_there, row));
    jump(next);

    go_on_in(next);
    const Value column = v_.add(first_column_, v_.number(32, v_.lanes() / 2));
    set(column_, column);
    const LLVMBasicBlockRef finished = new_block();
    jump_if(v_.test(LLVMIntULT, column, even_width_), chunk_, finished);
    go_on_in(finished);
  }

  std::array<Value, 4> last_colours() {
    std::array<Value, 4> colours;
    for (std::size_t i = 0; i < 4; ++i) colours[i] = get(v_.words(), colour_[i]);
    return colours;
  }

  /// `is_there`: of the lanes, those in the picture; none: all.
  void store_colours(const std::array<Value, 4>& colours, Value is_there) {
    if (!keeps_bytes_) {
      for (const Pixels& pixels : pixels_in_order(colours))
        if (is_there == nullptr)
          v_.store(pixels.colours, pixels.at, 16);
        else
          store_some(pixels.colours, pixels.at, 16,
                     v_.moved(is_there, [&](unsigned word) { return pixels.lane(word / 4); }));
      return;
    }
    Value pixels = unorm8(colours[0]);
    for (unsigned i = 1; i < 4; ++i) pixels = v_.or_(pixels, v_.shl(unorm8(colours[i]), v_.word(8 * i)));
    for (unsigned row = 0; row < 2; ++row) {
      const Value of_row = in_row(pixels, row);
      const Value at = v_.at(pointer_field(offsetof(Frame, rgba8) + 8 * row),
                             v_.mul(LLVMBuildZExt(b_, first_column_, v_.integer(64), ""), v_.number(64, 4)));
      if (is_there == nullptr)
        v_.store(of_row, at, 4);
      else
        store_some(of_row, at, 4, in_row(is_there, row));
    }
  }
  void store_some(Value elements, Value at, unsigned alignment, Value mask) {
    v_.call("llvm.masked.store", {LLVMTypeOf(elements), v_.pointer()}, {elements, at, v_.number(32, alignment), mask});
  }

  /// A binary32 number from 0 to 1 as 0 to 255, rounded to nearest, ties up, and NaN to 0. What is added is the number
  /// below 1/2: 1/2 itself would make 1 of it.
  Value unorm8(Value word) {
    const LLVMTypeRef reals = v_.vector(Type::f32);
    const Value value = v_.bits(word, reals), zero = Vectors::zero(reals), most = v_.all_real(Type::f32, 255);
    const Value scaled = v_.fmul(v_.select(v_.ftest(LLVMRealOGT, value, zero), value, zero), most);
    const Value limited = v_.select(v_.ftest(LLVMRealOLT, scaled, most), scaled, most);
    return v_.cast(LLVMFPToSI, v_.fadd(limited, v_.all_real(Type::f32, 0x1.fffffep-2)), v_.words());
  }

  /// The lanes of a row of the picture, from left to right.
  Value in_row(Value lanes, unsigned row) {
    std::array<unsigned, most_lanes / 2> of_row{};
    for (unsigned lane = 0; lane < v_.lanes(); ++lane)
      if (row_of(lane) == row) of_row[column_of(lane)] = lane;
    return v_.shuffle(lanes, lanes, std::span(of_row).first(v_.lanes() / 2));
  }

  /// The chunk's part of a row of the picture.
  Value covered_at(unsigned row) {
    return v_.at(pointer_field(offsetof(Frame, covered) + 8 * row),
                 LLVMBuildZExt(b_, first_column_, v_.integer(64), ""));
  }

  /// The colours of neighbours in a row, as many as fill a vector.
  struct Pixels {
    unsigned row, first_column;
    Value colours, at;
    [[nodiscard]] unsigned lane(unsigned pixel) const {
      const unsigned column = first_column + pixel;
      return column / 2 * 4 + row * 2 + column % 2;
    }
  };
  std::array<Pixels, 4> pixels_in_order(const std::array<Value, 4>& c) {
    const unsigned lanes = v_.lanes();
    // Of each quad of two vectors, these words of the first and the same of the second: side by side, or in turns.
    const auto halves = [&](Value a, Value b, unsigned first) {
      return merged(a, b, [&](unsigned i) { return i / 4 * 4 + first + i % 2 + (i % 4 < 2 ? 0 : lanes); });
    };
    const auto in_turns = [&](Value a, Value b, unsigned first) {
      return merged(a, b, [&](unsigned i) { return i / 4 * 4 + first + i % 4 / 2 + (i % 2 == 0 ? 0 : lanes); });
    };
    std::array<Pixels, 4> result;
    const unsigned pixels = lanes / 4;
    for (unsigned row = 0; row < 2; ++row) {
      const Value xy = in_turns(c[0], c[1], 2 * row), zw = in_turns(c[2], c[3], 2 * row);
      const Value even = halves(xy, zw, 0), odd = halves(xy, zw, 2);  // of each quad one pixel of the row
      const Value start = v_.at(pointer_field(offsetof(Frame, colours) + 8 * row),
                                v_.mul(LLVMBuildZExt(b_, first_column_, v_.integer(64), ""), v_.number(64, 16)));
      for (unsigned part = 0; part < 2; ++part) {
        const unsigned first = part * pixels;
        const Value colours = merged(even, odd, [&](unsigned i) {
          const unsigned column = first + i / 4;
          return column / 2 * 4 + i % 4 + (column % 2 == 0 ? 0 : lanes);
        });
        result[2 * row + part] = {row, first, colours, v_.at(start, std::uint64_t{16} * first)};
      }
    }
    return result;
  }
  template <class Order>
  Value merged(Value a, Value b, Order order) {
    std::array<unsigned, most_lanes> elements{};
    for (unsigned i = 0; i < v_.lanes(); ++i) elements[i] = order(i);
    return v_.shuffle(a, b, std::span(elements).first(v_.lanes()));
  }

  void end_strip() {
    const Value counts = pointer_field(offsetof(Frame, executions));
    for (std::size_t i = 0; i < executed_.size(); ++i) {
      const Value to = v_.at(counts, 8 * i);
      v_.store(v_.add(v_.load(v_.integer(64), to, 8), get(v_.integer(64), executed_[i])), to, 8);
    }
    const Value to = v_.at(frame_, offsetof(Frame, discarded));
    v_.store(v_.add(v_.load(v_.integer(64), to, 8), get(v_.integer(64), discarded_)), to, 8);
    LLVMBuildRet(b_, v_.number(8, 1));
    go_on_in(leave_);
    LLVMBuildRet(b_, v_.number(8, 0));
  }

  const ir::Program& program_;
  std::span<const native::Binding> calls_;
  std::span<const native::PlaceWord> places_;
  bool keeps_bytes_;
  const Shape& shape_;
  Vectors v_;
  LLVMBuilderRef b_;
  Value function_ = nullptr, frame_ = nullptr;
  LLVMBasicBlockRef chunk_ = nullptr, done_ = nullptr, leave_ = nullptr;

  // Of the function: variables.
  std::vector<Value> exact_, loose_;       ///< by word of the state
  std::vector<Value> waiting_;             ///< by segment: its lanes, as all ones or 0
  std::vector<Value> executed_;            ///< by segment: lanes that have executed it
  std::vector<LLVMBasicBlockRef> turns_;   ///< by segment: runs it if lanes wait there, else the next has its turn
  std::vector<LLVMBasicBlockRef> blocks_;  ///< by segment, with lanes
  std::array<Value, 4> colour_{};
  Value has_colour_ = nullptr, colour_count_ = nullptr, is_discarded_ = nullptr;
  Value discarded_ = nullptr, steps_ = nullptr, column_ = nullptr;

  // Of a strip.
  Value width_ = nullptr, even_width_ = nullptr, strip_rows_ = nullptr, step_limit_ = nullptr, planes_ = nullptr;
  Value y_ = nullptr, down_ = nullptr, places_across_ = nullptr;
  std::vector<Value> initial_;                ///< by word of the state
  std::vector<std::vector<Value>> prepared_;  ///< by call

  // Of a chunk.
  Value first_column_ = nullptr, x_ = nullptr, across_ = nullptr, is_pixel_ = nullptr;

  // Of the segment that is being made.
  Value mask_ = nullptr, enabled_ = nullptr;
  std::vector<Lanes> words_;
  std::vector<bool> is_written_;
  std::vector<std::uint8_t> written_pieces_;  ///< by half of a word: bytes of what was written there last; 0: not here
  std::uint32_t segment_ = 0, block_ = 0;
};

}  // namespace

std::string emit(LLVMModuleRef module, const native::Request& request, const Shape& shape, Width width) {
  try {
    Emitter(module, request, shape, width).run();
  } catch (const Unsupported& found) {
    return found.what;
  }
  return {};
}

}  // namespace mobula::jit
