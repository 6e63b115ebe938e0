// Values of constants that glslang 12 does not compute: it takes sinh(1.0) for no constant expression, which GLSL says
// it is. Where it computes constants it is called through these functions (--wrap of the linker, src/CMakeLists.txt),
// so that sizes, labels, constants of the file and all that follows from them see the value.
#include <glslang/Include/intermediate.h>
#include <glslang/MachineIndependent/localintermediate.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "compile/evaluate/operations.h"

// NOLINTBEGIN(readability-identifier-naming): what the linker calls them
#define MOBULA_FOLD_OF_TYPE "_ZNK7glslang20TIntermConstantUnion4foldENS_9TOperatorERKNS_5TTypeE"
#define MOBULA_FOLD_OF_TWO "_ZNK7glslang20TIntermConstantUnion4foldENS_9TOperatorEPKNS_12TIntermTypedE"
#define MOBULA_FOLD_OF_CALL "_ZN7glslang13TIntermediate4foldEPNS_16TIntermAggregateE"
// NOLINTEND(readability-identifier-naming)

namespace mobula::compile {
namespace {

using glslang::TBasicType;
using glslang::TIntermAggregate;
using glslang::TIntermConstantUnion;
using glslang::TIntermTyped;
using glslang::TOperator;
using glslang::TType;

using Words = std::vector<std::uint32_t>;

bool has_32_bits(const TType& type) {
  const TBasicType basic = type.getBasicType();
  return basic == glslang::EbtFloat || basic == glslang::EbtInt || basic == glslang::EbtUint ||
         basic == glslang::EbtBool;
}
Words words_of(const TIntermConstantUnion& constant) {
  Words words;
  const glslang::TConstUnionArray& numbers = constant.getConstArray();
  for (int i = 0; i < numbers.size(); ++i) switch (constant.getBasicType()) {
      case glslang::EbtFloat:
        words.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(numbers[i].getDConst())));
        break;
      case glslang::EbtInt:
        words.push_back(static_cast<std::uint32_t>(numbers[i].getIConst()));
        break;
      case glslang::EbtUint:
        words.push_back(numbers[i].getUConst());
        break;
      default:
        words.push_back(numbers[i].getBConst() ? 1 : 0);
    }
  return words;
}
TIntermConstantUnion* constant_of(const Words& words, const TType& type, const glslang::TSourceLoc& where) {
  glslang::TConstUnionArray numbers(static_cast<int>(words.size()));
  for (std::size_t i = 0; i < words.size(); ++i) {
    glslang::TConstUnion& number = numbers[static_cast<int>(i)];
    switch (type.getBasicType()) {
      case glslang::EbtFloat:
        number.setDConst(std::bit_cast<float>(words[i]));
        break;
      case glslang::EbtInt:
        number.setIConst(static_cast<int>(words[i]));
        break;
      case glslang::EbtUint:
        number.setUConst(words[i]);
        break;
      default:
        number.setBConst(words[i] != 0);
    }
  }
  auto* const made = new TIntermConstantUnion(numbers, type);  // of the library's pool, which frees it
  made->getWritableType().getQualifier().storage = glslang::EvqConst;
  made->setLoc(where);
  return made;
}

/// Component by component; what has one serves all.
Words compute(ssa::Op op, ssa::Base result, std::initializer_list<std::pair<ssa::Base, const Words*>> operands) {
  ssa::Instruction each{.op = op, .type = {result}};
  std::size_t count = 1;
  std::vector<ssa::Type> types;
  for (const auto& [base, words] : operands) {
    count = std::max(count, words->size());
    types.push_back({base});
  }
  Words made;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<ssa::Bits> bits;
    for (const auto& [_, words] : operands) bits.push_back({words->at(words->size() == 1 ? 0 : i)});
    made.push_back(ssa::compute(each, bits, types)[0]);
  }
  return made;
}
Words of_float(ssa::Op op, const Words& a) { return compute(op, ssa::Base::real, {{ssa::Base::real, &a}}); }
Words of_integer(ssa::Op op, const Words& a) { return compute(op, ssa::Base::integer, {{ssa::Base::integer, &a}}); }

float number(std::uint32_t word) { return std::bit_cast<float>(word); }
std::uint32_t word(double number) { return std::bit_cast<std::uint32_t>(static_cast<float>(number)); }

/// How numbers are packed into a word: so many of them, and what stands for 1.
struct Packing {
  std::size_t count = 0;
  double one = 0;
  [[nodiscard]] unsigned bits() const { return 32 / static_cast<unsigned>(count); }
  [[nodiscard]] bool is_signed() const { return one == 32767 || one == 127; }
};
std::optional<Packing> packing_of(TOperator op) {
  switch (op) {
    case glslang::EOpPackSnorm2x16:
    case glslang::EOpUnpackSnorm2x16:
      return Packing{2, 32767};
    case glslang::EOpPackUnorm2x16:
    case glslang::EOpUnpackUnorm2x16:
      return Packing{2, 65535};
    case glslang::EOpPackSnorm4x8:
    case glslang::EOpUnpackSnorm4x8:
      return Packing{4, 127};
    case glslang::EOpPackUnorm4x8:
    case glslang::EOpUnpackUnorm4x8:
      return Packing{4, 255};
    default:
      return {};
  }
}
Words packed(const Packing& how, const Words& numbers) {
  std::uint32_t made = 0;
  for (std::size_t i = 0; i < how.count; ++i) {
    const double limited = std::clamp<double>(number(numbers[i]), how.is_signed() ? -1 : 0, 1);
    const auto integer = static_cast<std::int32_t>(std::nearbyint(limited * how.one));
    const std::uint32_t mask = (std::uint32_t{1} << how.bits()) - 1;
    made |= (static_cast<std::uint32_t>(integer) & mask) << (how.bits() * i);
  }
  return {made};
}
Words unpacked(const Packing& how, std::uint32_t from) {
  Words made;
  for (std::size_t i = 0; i < how.count; ++i) {
    const std::uint32_t raised = from << (32 - how.bits() * (i + 1));
    const double integer = how.is_signed() ? static_cast<std::int32_t>(raised) >> (32 - how.bits())
                                           : static_cast<double>(raised >> (32 - how.bits()));
    made.push_back(word(std::max(integer / how.one, -1.0)));
  }
  return made;
}

/// Column by column, as GLSL has them.
struct Matrix {
  std::size_t columns = 0, rows = 0;
  std::vector<double> numbers;

  Matrix(std::size_t columns_, std::size_t rows_) : columns(columns_), rows(rows_), numbers(columns_ * rows_) {}
  double& at(std::size_t column, std::size_t row) { return numbers[column * rows + row]; }
  [[nodiscard]] double at(std::size_t column, std::size_t row) const { return numbers[column * rows + row]; }
};
Matrix without(const Matrix& m, std::size_t column, std::size_t row) {
  Matrix rest(m.columns - 1, m.rows - 1);
  for (std::size_t x = 0; x < rest.columns; ++x)
    for (std::size_t y = 0; y < rest.rows; ++y) rest.at(x, y) = m.at(x + (x >= column), y + (y >= row));
  return rest;
}
double determinant(const Matrix& m) {
  if (m.columns == 1) return m.at(0, 0);
  double sum = 0;
  for (std::size_t x = 0; x < m.columns; ++x) sum += (x % 2 == 0 ? 1 : -1) * m.at(x, 0) * determinant(without(m, x, 0));
  return sum;
}
Words of_matrix(TOperator op, const TIntermConstantUnion& constant, const Words& words) {
  Matrix m(static_cast<std::size_t>(constant.getMatrixCols()), static_cast<std::size_t>(constant.getMatrixRows()));
  std::ranges::transform(words, m.numbers.begin(), number);
  if (op == glslang::EOpDeterminant) return {word(determinant(m))};
  Words made;
  for (std::size_t row = 0; row < m.rows; ++row)
    for (std::size_t column = 0; column < m.columns; ++column)
      if (op == glslang::EOpTranspose)
        made.push_back(word(m.at(column, row)));
      else
        made.push_back(
            word(((row + column) % 2 == 0 ? 1 : -1) * determinant(without(m, column, row)) / determinant(m)));
  return made;
}

Words of_one(TOperator op, const TIntermConstantUnion& constant) {
  Words a = words_of(constant);
  if (const auto how = packing_of(op)) return a.size() == 1 ? unpacked(*how, a[0]) : packed(*how, a);
  switch (op) {
    case glslang::EOpSinh:
      return of_float(ssa::Op::fsinh, a);
    case glslang::EOpCosh:
      return of_float(ssa::Op::fcosh, a);
    case glslang::EOpTanh:
      return of_float(ssa::Op::ftanh, a);
    case glslang::EOpAsinh:
      return of_float(ssa::Op::fasinh, a);
    case glslang::EOpAcosh:
      return of_float(ssa::Op::facosh, a);
    case glslang::EOpAtanh:
      return of_float(ssa::Op::fatanh, a);
    case glslang::EOpFloatBitsToInt:
    case glslang::EOpFloatBitsToUint:
    case glslang::EOpIntBitsToFloat:
    case glslang::EOpUintBitsToFloat:
      return a;
    case glslang::EOpBitFieldReverse:
      return of_integer(ssa::Op::ireverse, a);
    case glslang::EOpBitCount:
      return of_integer(ssa::Op::icount, a);
    case glslang::EOpFindLSB:
      return of_integer(ssa::Op::ilowest, a);
    case glslang::EOpFindMSB:
      return of_integer(constant.getBasicType() == glslang::EbtInt ? ssa::Op::ihighest_s : ssa::Op::ihighest_u, a);
    case glslang::EOpPackHalf2x16: {
      const std::vector<ssa::Bits> both{ssa::Bits{a[0], a[1]}};
      const std::vector<ssa::Type> type{{ssa::Base::real, 2}};
      return {ssa::compute({.op = ssa::Op::pack_half, .type = {ssa::Base::integer}}, both, type)[0]};
    }
    case glslang::EOpUnpackHalf2x16: {
      Words made;
      for (const ssa::Op half : {ssa::Op::unpack_half_low, ssa::Op::unpack_half_high})
        made.push_back(compute(half, ssa::Base::real, {{ssa::Base::integer, &a}})[0]);
      return made;
    }
    case glslang::EOpDeterminant:
    case glslang::EOpMatrixInverse:
    case glslang::EOpTranspose:
      return of_matrix(op, constant, a);
    default:
      return {};
  }
}

Words of_several(TOperator op, TBasicType type, std::span<const Words> from) {
  using enum ssa::Base;
  switch (op) {
    case glslang::EOpBitfieldExtract:
      return compute(type == glslang::EbtInt ? ssa::Op::ibits_s : ssa::Op::ibits_u, integer,
                     {{integer, &from[0]}, {integer, &from[1]}, {integer, &from[2]}});
    case glslang::EOpBitfieldInsert:
      return compute(ssa::Op::ibits_put, integer,
                     {{integer, &from[0]}, {integer, &from[1]}, {integer, &from[2]}, {integer, &from[3]}});
    case glslang::EOpFma:
      return compute(ssa::Op::ffma, real, {{real, &from[0]}, {real, &from[1]}, {real, &from[2]}});
    case glslang::EOpMul:  // matrixCompMult
      return compute(ssa::Op::fmul, real, {{real, &from[0]}, {real, &from[1]}});
    case glslang::EOpLdexp:
      return compute(ssa::Op::fscale, real, {{real, &from[0]}, {integer, &from[1]}});
    case glslang::EOpMix: {  // by booleans: glslang computes the others
      Words made = from[0];
      for (std::size_t i = 0; i < made.size(); ++i)
        if (from[2][i] != 0) made[i] = from[1][i];
      return made;
    }
    default:
      return {};
  }
}

/// The constant that an array of one is made of. glslang takes an array of one array of matrices for one matrix.
const TIntermConstantUnion* only_element(const TIntermAggregate& made) {
  const bool has_one = made.isConstructor() && made.isArray() && made.getSequence().size() == 1;
  return has_one ? made.getSequence().front()->getAsConstantUnion() : nullptr;
}

}  // namespace

/// Members are called with their object as the first argument.
TIntermTyped* library_fold_unary(const TIntermConstantUnion* constant, TOperator op,
                                 const TType& type) asm("__real_" MOBULA_FOLD_OF_TYPE);
TIntermTyped* library_fold_binary(const TIntermConstantUnion* left, TOperator op,
                                  const TIntermTyped* right) asm("__real_" MOBULA_FOLD_OF_TWO);
TIntermTyped* library_fold_call(glslang::TIntermediate* tree,
                                TIntermAggregate* call) asm("__real_" MOBULA_FOLD_OF_CALL);

TIntermTyped* fold_unary(const TIntermConstantUnion* constant, TOperator op,
                         const TType& type) asm("__wrap_" MOBULA_FOLD_OF_TYPE) __attribute__((used));
TIntermTyped* fold_unary(const TIntermConstantUnion* constant, TOperator op, const TType& type) {
  if (TIntermTyped* const known = library_fold_unary(constant, op, type)) return known;
  if (!has_32_bits(constant->getType()) || !has_32_bits(type)) return nullptr;
  const Words made = of_one(op, *constant);
  return made.empty() ? nullptr : constant_of(made, type, constant->getLoc());
}

/// glslang gives the comparison of vectors a component for each of theirs, and only the first has a value.
TIntermTyped* fold_binary(const TIntermConstantUnion* left, TOperator op,
                          const TIntermTyped* right) asm("__wrap_" MOBULA_FOLD_OF_TWO) __attribute__((used));
TIntermTyped* fold_binary(const TIntermConstantUnion* left, TOperator op, const TIntermTyped* right) {
  TIntermTyped* const made = library_fold_binary(left, op, right);
  const bool compares = op == glslang::EOpEqual || op == glslang::EOpNotEqual;
  if (made == nullptr || !compares || made->getAsConstantUnion()->getConstArray().size() <= 1) return made;
  return constant_of({words_of(*made->getAsConstantUnion()).front()}, made->getType(), made->getLoc());
}

TIntermTyped* fold_call(glslang::TIntermediate* tree, TIntermAggregate* call) asm("__wrap_" MOBULA_FOLD_OF_CALL)
    __attribute__((used));
TIntermTyped* fold_call(glslang::TIntermediate* tree, TIntermAggregate* call) {
  if (const TIntermConstantUnion* const element = only_element(*call))
    return tree->addConstantUnion(element->getConstArray(), call->getType(), call->getLoc());
  // What glslang looks at in calls must stay one: whether this version mixes integers.
  const bool mixes_integers = tree->getVersion() >= (tree->getProfile() == EEsProfile ? 310 : 450);
  TIntermTyped* const made = library_fold_call(tree, call);
  if (made != call || !has_32_bits(call->getType())) return made;
  if (call->getOp() == glslang::EOpMix && call->getBasicType() != glslang::EbtFloat && !mixes_integers) return made;
  std::vector<Words> from;
  for (TIntermNode* const each : call->getSequence()) {
    const TIntermConstantUnion* const constant = each->getAsConstantUnion();
    if (constant == nullptr || !has_32_bits(constant->getType())) return made;
    from.push_back(words_of(*constant));
  }
  const Words words = of_several(call->getOp(), call->getBasicType(), from);
  return words.empty() ? made : constant_of(words, call->getType(), call->getLoc());
}

}  // namespace mobula::compile
