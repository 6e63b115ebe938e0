#include "jit/texture.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <vector>

#include "jit/approximations.h"

namespace mobula::jit {
namespace {

using ir::Type;
using native::PlainTexture;
using native::Sampling;

class Sampler {
 public:
  Sampler(const Vectors& v, const Sampling& how, Value texture, Value scratch, const SampledPlace& place)
      : v_(v), b_(v.builder()), how_(how), texture_(texture), scratch_(scratch), place_(place) {}

  std::array<Value, 4> run() {
    texels_ = pointer(how_.is_wide ? offsetof(PlainTexture, wide) : offsetof(PlainTexture, texels));
    levels_ = pointer(offsetof(PlainTexture, levels));
    for (std::size_t axis = 0; axis < 2; ++axis) coordinate_[axis] = widened(place_.coordinate[axis]);
    if (!how_.chooses_level) return components(of_first_level());
    const LLVMBasicBlockRef first = new_block(), any = new_block(), after = new_block();
    LLVMBuildCondBr(b_, all_take_first_level(), first, any);
    LLVMPositionBuilderAtEnd(b_, first);
    const Pairs magnified = of_first_level();
    const LLVMBasicBlockRef end_of_first = end_block(after);
    LLVMPositionBuilderAtEnd(b_, any);
    const Pairs chosen = of_chosen_level();
    const LLVMBasicBlockRef end_of_any = end_block(after);
    LLVMPositionBuilderAtEnd(b_, after);
    return components(joined(magnified, chosen, {end_of_first, end_of_any}));
  }

 private:
  /// Texels of two lanes side by side, four components each: lanes 0 and 1, 2 and 3, ...
  using Pairs = std::array<Value, most_lanes / 2>;
  static constexpr unsigned pair_elements = 8;

  /// A level of each lane.
  struct Level {
    std::array<Value, 2> sides, per_side;  ///< i32; binary64
    Value first = nullptr;                 ///< i32: the number of its first texel
  };

  // ---- numbers

  [[nodiscard]] Value real(double value) const { return v_.all_real(Type::f64, value); }
  [[nodiscard]] Value widened(Value single) const { return v_.cast(LLVMFPExt, single, v_.vector(Type::f64)); }
  [[nodiscard]] Value whole(Value number) const { return v_.cast(LLVMFPToSI, number, v_.words()); }
  [[nodiscard]] Value number(Value whole) const { return v_.cast(LLVMSIToFP, whole, v_.vector(Type::f64)); }
  [[nodiscard]] Value less(Value a, Value b) const { return v_.ftest(LLVMRealOLT, a, b); }
  [[nodiscard]] Value least(Value a, Value b) const { return v_.select(less(b, a), b, a); }
  [[nodiscard]] Value greatest(Value a, Value b) const { return v_.select(less(a, b), b, a); }
  [[nodiscard]] Value zero_for_nan(Value a) const { return v_.select(v_.ftest(LLVMRealORD, a, a), a, real(0)); }
  [[nodiscard]] Value pointer(std::size_t byte) const { return v_.load(v_.pointer(), v_.at(texture_, byte), 8); }
  [[nodiscard]] Value parameter(std::size_t byte) const {
    return v_.splat(v_.load(v_.element(Type::f64), v_.at(texture_, byte), 8));
  }

  // ---- levels

  [[nodiscard]] Pairs of_first_level() const { return filtered(level_of(nullptr)); }
  [[nodiscard]] Pairs of_chosen_level() {
    choose_level();
    const Pairs texels = filtered(level_of(whole(low_)));
    return how_.mixes_levels ? mixed_with_next(texels) : texels;
  }

  /// Whether no lane gets beyond the first level: known without a logarithm, since that is at most the next power of
  /// two's, and no step from there makes less of a larger number.
  [[nodiscard]] Value all_take_first_level() {
    if (place_.along_row[0] != nullptr)
      longest_ = greatest(footprint(place_.along_row), footprint(place_.along_column));
    const Value none = real(0);
    Value takes = v_.ftest(LLVMRealOLE, unclamped_level([&](Value a) { return next_exponent(a); }), none);
    if (how_.uses_sampler_lod)
      takes = v_.and_(takes, v_.ftest(LLVMRealOLE, parameter(offsetof(PlainTexture, min_lod)), none));
    return v_.every(takes);
  }

  /// The exponent of the next power of two above a number that is not negative; large for what is no number.
  [[nodiscard]] Value next_exponent(Value a) const {
    constexpr double unit = 0x1p52;
    const auto word = [&](std::uint64_t value) { return v_.all(Type::i64, value); };
    const Value biased = v_.lshr(v_.bits(a, v_.vector(Type::i64)), word(52));
    const Value above_unit = v_.bits(v_.or_(biased, word(std::bit_cast<std::uint64_t>(unit))), v_.vector(Type::f64));
    return v_.fsub(above_unit, real(unit + 1022));
  }

  template <class Logarithm>
  [[nodiscard]] Value unclamped_level(Logarithm logarithm) const {
    Value lod = place_.lod == nullptr ? real(0) : widened(place_.lod);
    if (longest_ != nullptr) lod = v_.fadd(lod, v_.fmul(real(0.5), logarithm(longest_)));
    return how_.uses_sampler_lod ? v_.fadd(lod, parameter(offsetof(PlainTexture, lod_bias))) : lod;
  }

  void choose_level() {
    const Value none = real(0);
    Value lod = unclamped_level([&](Value a) { return logarithm(v_, a); });
    if (how_.uses_sampler_lod) {
      const Value low = parameter(offsetof(PlainTexture, min_lod)), high = parameter(offsetof(PlainTexture, max_lod));
      lod = v_.select(less(lod, low), low, lod);
      lod = v_.select(less(high, lod), high, lod);
    }
    last_ = parameter(offsetof(PlainTexture, last));
    const Value inside = least(greatest(zero_for_nan(lod), none), last_);
    if (how_.mixes_levels) {
      low_ = v_.unary("llvm.floor", inside);
      part_ = v_.fsub(inside, low_);
    } else {
      const Value nearest = v_.fsub(v_.unary("llvm.ceil", v_.fadd(zero_for_nan(lod), real(0.5))), real(1));
      low_ = least(greatest(nearest, none), last_);
    }
  }

  /// The square of how many texels of the largest level one step to the next pixel covers.
  [[nodiscard]] Value footprint(const std::array<Value, 2>& step) const {
    std::array<Value, 2> squares;
    for (std::size_t axis = 0; axis < 2; ++axis) {
      const Value side = v_.splat(
          LLVMBuildSIToFP(b_, v_.load(v_.integer(32), v_.at(levels_, 4 * axis), 4), v_.element(Type::f64), ""));
      const Value length = v_.fmul(widened(step[axis]), side);
      squares[axis] = v_.fmul(length, length);
    }
    return v_.fadd(squares[0], squares[1]);
  }

  /// The level of that number, or the only one.
  [[nodiscard]] Level level_of(Value number) const {
    if (number == nullptr) return shared_level(levels_);
    const Value first = LLVMBuildExtractElement(b_, number, v_.number(32, 0), "");
    const Value differs = v_.test(LLVMIntNE, number, v_.splat(first));
    const LLVMBasicBlockRef one = new_block(), many = new_block(), after = new_block();
    LLVMBuildCondBr(b_, v_.any(differs), many, one);
    LLVMPositionBuilderAtEnd(b_, one);
    const Value at =
        LLVMBuildMul(b_, LLVMBuildZExt(b_, first, v_.integer(64), ""), v_.number(64, sizeof(native::PlainLevel)), "");
    const Level shared = shared_level(v_.at(levels_, at));
    LLVMBuildBr(b_, after);
    LLVMPositionBuilderAtEnd(b_, many);
    const Level own = own_levels(number);
    LLVMBuildBr(b_, after);
    LLVMPositionBuilderAtEnd(b_, after);
    const auto either = [&](Value a, Value b) { return joined({a, b}, {one, many}); };
    return {.sides = {either(shared.sides[0], own.sides[0]), either(shared.sides[1], own.sides[1])},
            .per_side = {either(shared.per_side[0], own.per_side[0]), either(shared.per_side[1], own.per_side[1])},
            .first = either(shared.first, own.first)};
  }
  [[nodiscard]] Level shared_level(Value level) const {
    return load_level([&](std::size_t byte, LLVMTypeRef type, unsigned bytes) {
      return v_.splat(v_.load(type, v_.at(level, byte), bytes));
    });
  }
  [[nodiscard]] Level own_levels(Value number) const {
    Value place = v_.cast(LLVMZExt, number, v_.vector(Type::i64));
    place = v_.mul(place, v_.all(Type::i64, sizeof(native::PlainLevel)));
    return load_level([&](std::size_t byte, LLVMTypeRef type, unsigned bytes) {
      const Value pointers = LLVMBuildGEP2(b_, v_.integer(8), v_.at(levels_, byte), &place, 1, "");
      return v_.call("llvm.masked.gather", {v_.vector(type), LLVMTypeOf(pointers)},
                     {pointers, v_.number(32, bytes), v_.all(v_.number(1, 1)), Vectors::zero(v_.vector(type))});
    });
  }
  template <class Load>
  [[nodiscard]] Level load_level(Load load) const {
    using native::PlainLevel;
    const auto whole = [&](std::size_t byte) { return load(byte, v_.integer(32), 4); };
    const auto real = [&](std::size_t byte) { return load(byte, v_.element(Type::f64), 8); };
    return {.sides = {whole(offsetof(PlainLevel, width)), whole(offsetof(PlainLevel, height))},
            .per_side = {real(offsetof(PlainLevel, per_width)), real(offsetof(PlainLevel, per_height))},
            .first = whole(offsetof(PlainLevel, first))};
  }

  // ---- blocks

  [[nodiscard]] LLVMBasicBlockRef new_block() const {
    const Value function = LLVMGetBasicBlockParent(LLVMGetInsertBlock(b_));
    return LLVMAppendBasicBlockInContext(v_.context(), function, "");
  }
  /// The value that comes from whichever of the blocks led here.
  [[nodiscard]] Value joined(std::array<Value, 2> values, std::array<LLVMBasicBlockRef, 2> blocks) const {
    const Value phi = LLVMBuildPhi(b_, LLVMTypeOf(values[0]), "");
    LLVMAddIncoming(phi, values.data(), blocks.data(), 2);
    return phi;
  }

  [[nodiscard]] unsigned pairs() const { return v_.lanes() / 2; }
  [[nodiscard]] LLVMTypeRef of_a_pair(Type type) const { return LLVMVectorType(v_.element(type), pair_elements); }
  [[nodiscard]] Value widened_pair(Value singles) const { return v_.cast(LLVMFPExt, singles, of_a_pair(Type::f64)); }
  [[nodiscard]] Pairs joined(const Pairs& a, const Pairs& b, std::array<LLVMBasicBlockRef, 2> blocks) const {
    Pairs result{};
    for (unsigned pair = 0; pair < pairs(); ++pair) result[pair] = joined({a[pair], b[pair]}, blocks);
    return result;
  }
  /// Goes on elsewhere; the block that this was.
  [[nodiscard]] LLVMBasicBlockRef end_block(LLVMBasicBlockRef next) const {
    const LLVMBasicBlockRef end = LLVMGetInsertBlock(b_);
    LLVMBuildBr(b_, next);
    return end;
  }

  // ---- texels

  /// The texels beside a coordinate, i32, and how much the upper one counts.
  struct Beside {
    Value lower = nullptr, upper = nullptr, part = nullptr;
  };

  [[nodiscard]] Value scaled(const Level& level, std::size_t axis) const {
    const Value texels = v_.fmul(coordinate_[axis], number(level.sides[axis]));
    return place_.offset[axis] == nullptr ? texels : v_.fadd(texels, number(place_.offset[axis]));
  }

  [[nodiscard]] Value wrapped(const Level& level, std::size_t axis, Value index) const {
    const Value sides = level.sides[axis], size = number(sides);
    if (how_.clamps[axis]) return whole(least(greatest(index, real(0)), v_.fsub(size, real(1))));
    if (how_.has_power_sides) return v_.and_(low_word(index), v_.sub(sides, v_.word(1)));
    const Value turns = v_.unary("llvm.floor", v_.fmul(index, level.per_side[axis]));
    const Value rest = whole(v_.fsub(index, v_.fmul(turns, size)));  // or a multiple beside it
    const Value above = v_.add(rest, v_.and_(v_.ashr(rest, v_.word(31)), sides));
    return v_.select(v_.test(LLVMIntSGE, above, sides), v_.sub(above, sides), above);
  }

  /// The last 32 bits of an integer, in two's complement: small coordinates leave it well below 2^51.
  [[nodiscard]] Value low_word(Value integer) const {
    return v_.cast(LLVMTrunc, v_.bits(v_.fadd(integer, real(0x1.8p52)), v_.vector(Type::i64)), v_.words());
  }

  [[nodiscard]] Beside beside(const Level& level, std::size_t axis) const {
    const Value place = v_.fsub(scaled(level, axis), real(0.5)), low = v_.unary("llvm.floor", place);
    Beside found{.lower = wrapped(level, axis, low), .part = v_.fsub(place, low)};
    if (how_.clamps[axis]) {
      found.upper = wrapped(level, axis, v_.fadd(low, real(1)));
    } else if (how_.has_power_sides) {
      found.upper = v_.and_(v_.add(found.lower, v_.word(1)), v_.sub(level.sides[axis], v_.word(1)));
    } else {
      const Value next = v_.add(found.lower, v_.word(1));
      found.upper = v_.select(v_.test(LLVMIntEQ, next, level.sides[axis]), v_.word(0), next);
    }
    return found;
  }

  [[nodiscard]] Pairs filtered(const Level& level) const { return how_.is_linear ? linear(level) : nearest(level); }

  [[nodiscard]] Pairs nearest(const Level& level) const {
    std::array<Value, 2> at;
    for (std::size_t axis = 0; axis < 2; ++axis)
      at[axis] = wrapped(level, axis, v_.unary("llvm.floor", scaled(level, axis)));
    note_bytes(0, bytes_to(v_.add(level.first, v_.add(v_.mul(at[1], level.sides[0]), at[0]))));
    Pairs result{};
    for (unsigned pair = 0; pair < pairs(); ++pair) result[pair] = texels(0, pair);
    return result;
  }

  [[nodiscard]] Pairs linear(const Level& level) const {
    const Beside s = beside(level, 0), t = beside(level, 1);
    const Value left = v_.fsub(real(1), s.part), top = v_.fsub(real(1), t.part);
    const auto row = [&](Value of) { return v_.add(level.first, v_.mul(of, level.sides[0])); };
    const Value upper_row = row(t.lower), lower_row = row(t.upper);
    const std::array<Value, 4> places{bytes_to(v_.add(upper_row, s.lower)), bytes_to(v_.add(upper_row, s.upper)),
                                      bytes_to(v_.add(lower_row, s.lower)), bytes_to(v_.add(lower_row, s.upper))};
    const std::array<Value, 4> weights{v_.fmul(left, top), v_.fmul(s.part, top), v_.fmul(left, t.part),
                                       v_.fmul(s.part, t.part)};
    for (unsigned corner = 0; corner < places.size(); ++corner) {
      note_bytes(corner, places[corner]);
      v_.store(weights[corner], weight_of(corner, 0), 8 * v_.lanes());
    }
    Pairs result{};
    for (unsigned pair = 0; pair < pairs(); ++pair) {
      Value sum = Vectors::zero(of_a_pair(Type::f64));  // from which the sign of a zero comes
      for (unsigned corner = 0; corner < places.size(); ++corner)
        sum = v_.fadd(sum, v_.fmul(weights_of_pair(corner, pair), wide_texels(corner, pair)));
      result[pair] = v_.cast(LLVMFPTrunc, sum, of_a_pair(Type::f32));
    }
    return result;
  }

  /// A number of each of the two lanes, for their components.
  [[nodiscard]] Value of_pair(Value numbers, unsigned pair) const {
    const unsigned a = 2 * pair, b = a + 1;
    return v_.shuffle(numbers, numbers, {a, a, a, a, b, b, b, b});
  }

  [[nodiscard]] Value bytes_to(Value texel) const { return v_.shl(texel, v_.word(how_.is_wide ? 5 : 4)); }

  // Numbers of single lanes go through memory: processors load many more of them at a time than they move within
  // vectors.

  /// Where the byte of a lane's texel is noted, of each of the four that a filter takes; and its weight.
  [[nodiscard]] Value byte_of(unsigned corner, unsigned lane) const {
    return v_.at(scratch_, std::uint64_t{4} * (corner * most_lanes + lane));
  }
  [[nodiscard]] Value weight_of(unsigned corner, unsigned lane) const {
    return v_.at(byte_of(4, 0), std::uint64_t{8} * (corner * most_lanes + lane));
  }
  static_assert(native::scratch_bytes >= 4 * most_lanes * (4 + 8));
  void note_bytes(unsigned corner, Value bytes) const { v_.store(bytes, byte_of(corner, 0), 4 * v_.lanes()); }

  /// The weights of both lanes, for their components.
  [[nodiscard]] Value weights_of_pair(unsigned corner, unsigned pair) const {
    const auto all_of = [&](unsigned lane) {
      const Value weight = v_.load(v_.element(Type::f64), weight_of(corner, lane), 8);
      const LLVMTypeRef type = of_a_pair(Type::f64);
      const Value one = LLVMBuildInsertElement(b_, LLVMGetPoison(type), weight, v_.number(32, 0), "");
      return v_.shuffle(one, one, {0, 0, 0, 0, 0, 0, 0, 0});
    };
    return v_.shuffle(all_of(2 * pair), all_of(2 * pair + 1), {0, 1, 2, 3, 12, 13, 14, 15});
  }

  /// The texels of both lanes: binary32, or binary64 where they are held so.
  [[nodiscard]] Value texels(unsigned corner, unsigned pair) const {
    const Type type = how_.is_wide ? Type::f64 : Type::f32;
    const auto texel = [&](unsigned lane) {
      const Value byte = v_.load(v_.integer(32), byte_of(corner, lane), 4);
      const Value from = v_.at(texels_, LLVMBuildZExt(b_, byte, v_.integer(64), ""));
      return v_.load(LLVMVectorType(v_.element(type), 4), from, ir::bytes_of(type));
    };
    return v_.shuffle(texel(2 * pair), texel(2 * pair + 1), {0, 1, 2, 3, 4, 5, 6, 7});
  }
  [[nodiscard]] Value wide_texels(unsigned corner, unsigned pair) const {
    return how_.is_wide ? texels(corner, pair) : widened_pair(texels(corner, pair));
  }

  /// Where no lane is between two levels, there is nothing to do.
  [[nodiscard]] Pairs mixed_with_next(const Pairs& texels) const {
    const LLVMBasicBlockRef before = LLVMGetInsertBlock(b_), mixing = new_block(), after = new_block();
    const Value is_mixed = v_.ftest(LLVMRealONE, part_, real(0));
    LLVMBuildCondBr(b_, v_.any(is_mixed), mixing, after);

    LLVMPositionBuilderAtEnd(b_, mixing);
    const Pairs next = filtered(level_of(whole(least(v_.fadd(low_, real(1)), last_))));
    const Value rest = v_.fsub(real(1), part_);
    Pairs mixed{};
    for (unsigned pair = 0; pair < pairs(); ++pair) {
      const Value part = of_pair(part_, pair);
      const Value sum =
          v_.fadd(v_.fmul(widened_pair(texels[pair]), of_pair(rest, pair)), v_.fmul(widened_pair(next[pair]), part));
      const Value single = v_.cast(LLVMFPTrunc, sum, of_a_pair(Type::f32));
      mixed[pair] = v_.select(v_.ftest(LLVMRealOEQ, part, Vectors::zero(LLVMTypeOf(part))), texels[pair], single);
    }
    const LLVMBasicBlockRef end = end_block(after);

    LLVMPositionBuilderAtEnd(b_, after);
    return joined(texels, mixed, {before, end});
  }

  /// Texels side by side to components side by side.
  [[nodiscard]] std::array<Value, 4> components(const Pairs& pairs_of_lanes) const {
    std::array<Value, 4> result{};
    for (unsigned half = 0; half < 2; ++half) {
      const unsigned c = 2 * half;
      std::array<std::vector<Value>, 2> parts;  // of a component: eight lanes each
      for (unsigned pair = 0; pair < pairs(); pair += 4) {
        const auto two = [&](unsigned first) {
          return v_.shuffle(pairs_of_lanes[first], pairs_of_lanes[first + 1],
                            {c, c + 4, c + 8, c + 12, c + 1, c + 5, c + 9, c + 13});
        };
        const Value left = two(pair), right = two(pair + 2);
        parts[0].push_back(v_.shuffle(left, right, {0, 1, 2, 3, 8, 9, 10, 11}));
        parts[1].push_back(v_.shuffle(left, right, {4, 5, 6, 7, 12, 13, 14, 15}));
      }
      for (unsigned i = 0; i < 2; ++i) result[c + i] = parts[i].size() == 1 ? parts[i][0] : side_by_side(parts[i]);
    }
    return result;
  }
  [[nodiscard]] Value side_by_side(const std::vector<Value>& two) const {
    return v_.shuffle(two[0], two[1], {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
  }

  const Vectors& v_;
  LLVMBuilderRef b_;
  const Sampling& how_;
  Value texture_, scratch_;
  const SampledPlace& place_;
  Value texels_ = nullptr, levels_ = nullptr;
  std::array<Value, 2> coordinate_{};
  Value longest_ = nullptr;  ///< the square of a step to the next pixel, in texels of the first level
  Value last_ = nullptr, low_ = nullptr, part_ = nullptr;  ///< of the levels: chosen is `low_`, and of the next `part_`
};

}  // namespace

Value are_small(const Vectors& v, const std::array<Value, 2>& coordinate) {
  constexpr double limit = 1 << 20;
  const auto is_small = [&](Value number) {
    return v.ftest(LLVMRealOLT, v.unary("llvm.fabs", number), v.all_real(Type::f32, limit));
  };
  return v.and_(is_small(coordinate[0]), is_small(coordinate[1]));
}

std::array<Value, 4> sampled(const Vectors& v, const native::Sampling& how, Value texture, Value scratch,
                             const SampledPlace& place) {
  return Sampler(v, how, texture, scratch, place).run();
}

}  // namespace mobula::jit
