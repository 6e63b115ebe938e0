// A thin, typed face of LLVM's builder: vectors of one element a lane, or of one for all of them.
#pragma once

#include <llvm-c/Core.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "execute/native.h"
#include "mobula/isa/ir.h"

namespace mobula::jit {

using Value = LLVMValueRef;
inline constexpr unsigned most_lanes = native::most_lanes;

/// What vectors a program is made of.
struct Width {
  unsigned lanes = 8;  ///< 8 or 16
  bool has_avx512 = false;
};

class Vectors {
 public:
  Vectors(LLVMModuleRef module, Width width)
      : module_(module),
        context_(LLVMGetModuleContext(module)),
        builder_(LLVMCreateBuilderInContext(context_)),
        lanes_(width.lanes),
        width_(width.lanes),
        has_avx512_(width.has_avx512) {}
  ~Vectors() { LLVMDisposeBuilder(builder_); }
  Vectors(const Vectors&) = delete;
  Vectors& operator=(const Vectors&) = delete;

  [[nodiscard]] LLVMBuilderRef builder() const { return builder_; }
  [[nodiscard]] LLVMContextRef context() const { return context_; }

  [[nodiscard]] unsigned lanes() const { return lanes_; }
  /// Elements of a vector from now on: lanes(), or 1 while something is computed that is the same in all of them.
  void set_width(unsigned elements) { width_ = elements; }

  // Types.
  [[nodiscard]] LLVMTypeRef integer(unsigned bits) const { return LLVMIntTypeInContext(context_, bits); }
  [[nodiscard]] LLVMTypeRef pointer() const { return LLVMPointerTypeInContext(context_, 0); }
  [[nodiscard]] LLVMTypeRef element(ir::Type type) const {
    switch (type) {
      case ir::Type::f16:
        return LLVMHalfTypeInContext(context_);
      case ir::Type::f32:
        return LLVMFloatTypeInContext(context_);
      case ir::Type::f64:
        return LLVMDoubleTypeInContext(context_);
      default:
        return integer(ir::bits_of(type));
    }
  }
  [[nodiscard]] LLVMTypeRef vector(LLVMTypeRef element) const { return LLVMVectorType(element, width_); }
  [[nodiscard]] LLVMTypeRef vector(ir::Type type) const { return vector(element(type)); }
  [[nodiscard]] LLVMTypeRef words() const { return vector(ir::Type::i32); }

  // Constants.
  [[nodiscard]] Value number(unsigned bits, std::uint64_t value) const { return LLVMConstInt(integer(bits), value, 0); }
  [[nodiscard]] Value all(Value scalar) const {
    std::array<Value, most_lanes> each;
    each.fill(scalar);
    return LLVMConstVector(each.data(), width_);
  }
  [[nodiscard]] Value all(ir::Type integer_type, std::uint64_t value) const {
    return all(number(ir::bits_of(integer_type), value));
  }
  [[nodiscard]] Value all_real(ir::Type type, double value) const { return all(LLVMConstReal(element(type), value)); }
  [[nodiscard]] Value word(std::uint32_t value) const { return all(ir::Type::i32, value); }
  [[nodiscard]] static Value zero(LLVMTypeRef type) { return LLVMConstNull(type); }
  /// What a function gives for the number of each lane.
  template <class Of>
  [[nodiscard]] Value each_lane(Of of) const {
    std::array<Value, most_lanes> each;
    for (unsigned i = 0; i < lanes_; ++i) each[i] = number(32, of(i));
    return LLVMConstVector(each.data(), lanes_);
  }

  // Arithmetic; operands of one type.
  Value add(Value a, Value b) const { return LLVMBuildAdd(builder_, a, b, ""); }
  Value sub(Value a, Value b) const { return LLVMBuildSub(builder_, a, b, ""); }
  Value mul(Value a, Value b) const { return LLVMBuildMul(builder_, a, b, ""); }
  Value and_(Value a, Value b) const { return LLVMBuildAnd(builder_, a, b, ""); }
  Value or_(Value a, Value b) const { return LLVMBuildOr(builder_, a, b, ""); }
  Value xor_(Value a, Value b) const { return LLVMBuildXor(builder_, a, b, ""); }
  Value not_(Value a) const { return LLVMBuildNot(builder_, a, ""); }
  Value shl(Value a, Value b) const { return LLVMBuildShl(builder_, a, b, ""); }
  Value lshr(Value a, Value b) const { return LLVMBuildLShr(builder_, a, b, ""); }
  Value ashr(Value a, Value b) const { return LLVMBuildAShr(builder_, a, b, ""); }
  Value fadd(Value a, Value b) const { return LLVMBuildFAdd(builder_, a, b, ""); }
  Value fsub(Value a, Value b) const { return LLVMBuildFSub(builder_, a, b, ""); }
  Value fmul(Value a, Value b) const { return LLVMBuildFMul(builder_, a, b, ""); }
  Value fdiv(Value a, Value b) const { return LLVMBuildFDiv(builder_, a, b, ""); }
  Value test(LLVMIntPredicate how, Value a, Value b) const { return LLVMBuildICmp(builder_, how, a, b, ""); }
  Value ftest(LLVMRealPredicate how, Value a, Value b) const { return LLVMBuildFCmp(builder_, how, a, b, ""); }
  Value select(Value condition, Value yes, Value no) const { return LLVMBuildSelect(builder_, condition, yes, no, ""); }
  Value cast(LLVMOpcode how, Value a, LLVMTypeRef to) const { return LLVMBuildCast(builder_, how, a, to, ""); }
  Value bits(Value a, LLVMTypeRef to) const { return LLVMBuildBitCast(builder_, a, to, ""); }
  Value shuffle(Value a, Value b, std::span<const unsigned> order) const {
    std::vector<Value> indices;
    indices.reserve(order.size());
    for (const unsigned index : order) indices.push_back(number(32, index));
    return LLVMBuildShuffleVector(builder_, a, b,
                                  LLVMConstVector(indices.data(), static_cast<unsigned>(indices.size())), "");
  }
  Value shuffle(Value a, Value b, std::initializer_list<unsigned> order) const {
    return shuffle(a, b, std::span(order.begin(), order.size()));
  }
  /// For each lane the element of the lane that a function names.
  template <class From>
  Value moved(Value a, From from) const {
    std::array<unsigned, most_lanes> order{};
    for (unsigned i = 0; i < lanes_; ++i) order[i] = from(i);
    return shuffle(a, a, std::span(order).first(lanes_));
  }

  /// Conditions of all lanes, as the bits of a number; whether one holds, and whether all do.
  Value packed(Value conditions) const { return bits(conditions, integer(lanes_)); }
  Value any(Value conditions) const { return test(LLVMIntNE, packed(conditions), number(lanes_, 0)); }
  Value every(Value conditions) const {
    return test(LLVMIntEQ, packed(conditions), number(lanes_, (std::uint64_t{1} << lanes_) - 1));
  }

  /// An intrinsic function with these overloaded types.
  Value call(std::string_view name, std::initializer_list<LLVMTypeRef> types,
             std::initializer_list<Value> arguments) const {
    std::vector<LLVMTypeRef> overloads(types);
    std::vector<Value> values(arguments);
    const unsigned id = LLVMLookupIntrinsicID(name.data(), name.size());
    const Value function = LLVMGetIntrinsicDeclaration(module_, id, overloads.data(), overloads.size());
    const LLVMTypeRef type = LLVMIntrinsicGetType(context_, id, overloads.data(), overloads.size());
    return LLVMBuildCall2(builder_, type, function, values.data(), static_cast<unsigned>(values.size()), "");
  }
  /// Whether reciprocal_root_estimate() is there for vectors as they are now.
  [[nodiscard]] bool has_estimates() const { return has_avx512_ && width_ == lanes_; }
  /// 1 / sqrt(a) of f32, also of denormals, with a relative error below 2^-14.
  Value reciprocal_root_estimate(Value a) const {
    const std::string_view name = lanes_ == 16 ? "llvm.x86.avx512.rsqrt14.ps.512" : "llvm.x86.avx512.rsqrt14.ps.256";
    return call(name, {}, {a, zero(LLVMTypeOf(a)), number(lanes_, ~std::uint64_t{0})});
  }
  Value unary(std::string_view name, Value a) const { return call(name, {LLVMTypeOf(a)}, {a}); }
  Value binary(std::string_view name, Value a, Value b) const { return call(name, {LLVMTypeOf(a)}, {a, b}); }

  /// A scalar for every lane.
  Value splat(Value scalar) const {
    const LLVMTypeRef type = vector(LLVMTypeOf(scalar));
    const Value one = LLVMBuildInsertElement(builder_, LLVMGetPoison(type), scalar, number(32, 0), "");
    constexpr std::array<unsigned, most_lanes> first{};
    return shuffle(one, one, std::span(first).first(width_));
  }

  // Memory.
  Value at(Value base, std::uint64_t byte) const {
    Value offset = number(64, byte);
    return LLVMBuildInBoundsGEP2(builder_, integer(8), base, &offset, 1, "");
  }
  Value at(Value base, Value byte) const { return LLVMBuildInBoundsGEP2(builder_, integer(8), base, &byte, 1, ""); }
  Value load(LLVMTypeRef type, Value from, unsigned alignment) const {
    const Value value = LLVMBuildLoad2(builder_, type, from, "");
    LLVMSetAlignment(value, alignment);
    return value;
  }
  void store(Value value, Value to, unsigned alignment) const {
    LLVMSetAlignment(LLVMBuildStore(builder_, value, to), alignment);
  }

 private:
  LLVMModuleRef module_;
  LLVMContextRef context_;
  LLVMBuilderRef builder_;
  unsigned lanes_, width_;
  bool has_avx512_;
};

}  // namespace mobula::jit
