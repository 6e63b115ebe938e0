#include <algorithm>
#include <array>
#include <optional>

#include "compile/ssa/translate.h"

namespace mobula::ssa {
namespace {

using Kind = SpirvType::Kind;

/// Instructions of SPIR-V that are one operation here, component by component.
std::optional<Op> plain_operation(spv::Op op) {
  switch (op) {
    case spv::Op::OpFNegate:
      return Op::fneg;
    case spv::Op::OpFAdd:
      return Op::fadd;
    case spv::Op::OpFSub:
      return Op::fsub;
    case spv::Op::OpFMul:
      return Op::fmul;
    case spv::Op::OpFDiv:
      return Op::fdiv;
    case spv::Op::OpFMod:
      return Op::fmod;
    case spv::Op::OpFRem:
      return Op::frem;
    case spv::Op::OpSNegate:
      return Op::ineg;
    case spv::Op::OpIAdd:
      return Op::iadd;
    case spv::Op::OpISub:
      return Op::isub;
    case spv::Op::OpIMul:
      return Op::imul;
    case spv::Op::OpSDiv:
      return Op::idiv_s;
    case spv::Op::OpUDiv:
      return Op::idiv_u;
    case spv::Op::OpSRem:
      return Op::irem_s;
    case spv::Op::OpSMod:
      return Op::imod_s;
    case spv::Op::OpUMod:
      return Op::irem_u;
    case spv::Op::OpBitwiseAnd:
      return Op::iand;
    case spv::Op::OpBitwiseOr:
      return Op::ior;
    case spv::Op::OpBitwiseXor:
      return Op::ixor;
    case spv::Op::OpNot:
      return Op::inot;
    case spv::Op::OpShiftLeftLogical:
      return Op::ishl;
    case spv::Op::OpShiftRightLogical:
      return Op::ishr_u;
    case spv::Op::OpShiftRightArithmetic:
      return Op::ishr_s;
    case spv::Op::OpBitFieldSExtract:
      return Op::ibits_s;
    case spv::Op::OpBitFieldUExtract:
      return Op::ibits_u;
    case spv::Op::OpBitFieldInsert:
      return Op::ibits_put;
    case spv::Op::OpBitReverse:
      return Op::ireverse;
    case spv::Op::OpBitCount:
      return Op::icount;
    case spv::Op::OpConvertFToS:
      return Op::f_to_s;
    case spv::Op::OpConvertFToU:
      return Op::f_to_u;
    case spv::Op::OpConvertSToF:
      return Op::s_to_f;
    case spv::Op::OpConvertUToF:
      return Op::u_to_f;
    case spv::Op::OpQuantizeToF16:
      return Op::f_half;
    case spv::Op::OpIsNan:
      return Op::fis_nan;
    case spv::Op::OpIsInf:
      return Op::fis_inf;
    case spv::Op::OpIEqual:
      return Op::ieq;
    case spv::Op::OpINotEqual:
      return Op::ine;
    case spv::Op::OpLogicalAnd:
      return Op::band;
    case spv::Op::OpLogicalOr:
      return Op::bor;
    case spv::Op::OpLogicalNotEqual:
      return Op::bxor;
    case spv::Op::OpLogicalNot:
      return Op::bnot;
    case spv::Op::OpAny:
      return Op::bany;
    case spv::Op::OpAll:
      return Op::ball;
    // Which neighbours the difference is taken of is the machine's choice where the source leaves it open.
    case spv::Op::OpDPdx:
    case spv::Op::OpDPdxFine:
    case spv::Op::OpDPdxCoarse:
      return Op::ddx;
    case spv::Op::OpDPdy:
    case spv::Op::OpDPdyFine:
    case spv::Op::OpDPdyCoarse:
      return Op::ddy;
    default:
      return {};
  }
}

/// A comparison: its operation, whether the operands change places, and whether the result is the opposite.
struct Comparison {
  Op op;
  bool exchanged = false, negated = false;
};
std::optional<Comparison> comparison(spv::Op op) {
  switch (op) {
    case spv::Op::OpFOrdEqual:
    case spv::Op::OpFUnordEqual:  // equal, or one is a NaN: the source does not ask
      return Comparison{Op::feq};
    case spv::Op::OpFOrdNotEqual:
    case spv::Op::OpFUnordNotEqual:
      return Comparison{Op::fne};
    case spv::Op::OpFOrdLessThan:
      return Comparison{Op::flt};
    case spv::Op::OpFOrdGreaterThan:
      return Comparison{Op::flt, true};
    case spv::Op::OpFOrdLessThanEqual:
      return Comparison{Op::fle};
    case spv::Op::OpFOrdGreaterThanEqual:
      return Comparison{Op::fle, true};
    case spv::Op::OpFUnordLessThan:
      return Comparison{Op::fle, true, true};
    case spv::Op::OpFUnordGreaterThan:
      return Comparison{Op::fle, false, true};
    case spv::Op::OpFUnordLessThanEqual:
      return Comparison{Op::flt, true, true};
    case spv::Op::OpFUnordGreaterThanEqual:
      return Comparison{Op::flt, false, true};
    case spv::Op::OpSLessThan:
      return Comparison{Op::ilt_s};
    case spv::Op::OpSGreaterThan:
      return Comparison{Op::ilt_s, true};
    case spv::Op::OpSLessThanEqual:
      return Comparison{Op::ile_s};
    case spv::Op::OpSGreaterThanEqual:
      return Comparison{Op::ile_s, true};
    case spv::Op::OpULessThan:
      return Comparison{Op::ilt_u};
    case spv::Op::OpUGreaterThan:
      return Comparison{Op::ilt_u, true};
    case spv::Op::OpULessThanEqual:
      return Comparison{Op::ile_u};
    case spv::Op::OpUGreaterThanEqual:
      return Comparison{Op::ile_u, true};
    case spv::Op::OpLogicalEqual:
      return Comparison{Op::bxor, false, true};
    default:
      return {};
  }
}

}  // namespace

Value Translator::compare(Op op, Value a, Value b, bool negated) {
  const Type type{Base::boolean, type_of(a).components};
  const Value result = make(op, type, {a, b});
  return negated ? make(Op::bnot, type, {result}) : result;
}

bool Translator::translate_plain(Words each) {
  if (const auto op = plain_operation(each.op())) {
    Values operands;
    for (std::size_t i = 3; i < each.size(); ++i) operands.push_back(value(each[i]));
    set(each, make(*op, result_type(each), std::move(operands)));
    return true;
  }
  if (const auto op = comparison(each.op())) {
    const Value a = value(each[3]), b = value(each[4]);
    set(each, compare(op->op, op->exchanged ? b : a, op->exchanged ? a : b, op->negated));
    return true;
  }
  return false;
}

bool Translator::translate_arithmetic(Words each) {
  if (translate_plain(each) || translate_matrix(each) || translate_composite(each)) return true;
  switch (each.op()) {
    case spv::Op::OpExtInst:
      if (each[3] == functions_) {
        translate_function(each);
        return true;
      }
      return false;
    case spv::Op::OpBitcast: {
      const Type to = result_type(each), from = type_of(value(each[3]));
      if (to.components != from.components)
        module_.refuse("a cast between vectors of other sizes is not supported", line_);
      set(each, to.base == from.base       ? value(each[3])
                : to.base == Base::integer ? make(Op::f_bits, to, {value(each[3])})
                                           : make(Op::f_of_bits, to, {value(each[3])}));
      return true;
    }
    case spv::Op::OpFwidth:
    case spv::Op::OpFwidthFine:
    case spv::Op::OpFwidthCoarse: {
      const Type type = result_type(each);
      const auto size_of = [&](Op difference) {
        return make(Op::fabs, type, {make(difference, type, {value(each[3])})});
      };
      const Value across = size_of(Op::ddx), down = size_of(Op::ddy);
      set(each, make(Op::fadd, type, {across, down}));
      return true;
    }
    // Integers have no sign and one size here.
    case spv::Op::OpUConvert:
    case spv::Op::OpSConvert:
    case spv::Op::OpFConvert:
      result_type(each);
      set_leaves(each, leaves(each[3]));
      return true;
    case spv::Op::OpUndef: {
      Values made;
      for (const Leaf& leaf : module_.leaves(each[1], false)) made.push_back(make(Op::undefined, leaf.type, {}));
      set_leaves(each, std::move(made));
      return true;
    }
    case spv::Op::OpConstantNull: {
      Values made;
      for (const Leaf& leaf : module_.leaves(each[1], false)) made.push_back(constant(leaf.type, 0));
      set_leaves(each, std::move(made));
      return true;
    }
    case spv::Op::OpIAddCarry: {
      const Type type = type_of(value(each[3]));
      const Value sum = make(Op::iadd, type, {value(each[3]), value(each[4])});
      const Value carry = compare(Op::ilt_u, sum, value(each[3]), false);
      set_leaves(each, {sum, make(Op::select, type,
                                  {carry, splat(integer(1), type.components), splat(integer(0), type.components)})});
      return true;
    }
    case spv::Op::OpISubBorrow: {
      const Value a = value(each[3]), b = value(each[4]);
      const Type type = type_of(a);
      const Value borrow = compare(Op::ilt_u, a, b, false);
      set_leaves(each, {make(Op::isub, type, {a, b}),
                        make(Op::select, type,
                             {borrow, splat(integer(1), type.components), splat(integer(0), type.components)})});
      return true;
    }
    case spv::Op::OpUMulExtended:
    case spv::Op::OpSMulExtended: {
      const Type type = type_of(value(each[3]));
      const Op high = each.op() == spv::Op::OpUMulExtended ? Op::imulhi_u : Op::imulhi_s;
      set_leaves(each, {make(Op::imul, type, {value(each[3]), value(each[4])}),
                        make(high, type, {value(each[3]), value(each[4])})});
      return true;
    }
    default:
      return false;
  }
}

// ------------------------------------------------------------------------------------------------ vectors and matrices

Value Translator::dot(Value a, Value b) {
  const Type type = type_of(a);
  if (type.components == 1) return make(Op::fmul, type, {a, b});
  return make(Op::fdot, {Base::real, 1, type.relaxed && type_of(b).relaxed}, {a, b});
}

Value Translator::scale(Value vector, Value scalar) {
  const Type type = type_of(vector);
  return make(Op::fmul, type, {vector, splat(scalar, type.components)});
}

/// The sum of the columns, each times its component.
std::vector<Value> Translator::times_vector(const Values& matrix, Value vector) {
  Value sum = none;
  for (std::uint32_t i = 0; i < matrix.size(); ++i) {
    const Value part = scale(matrix[i], swizzle(vector, i));
    sum = sum == none ? part : make(Op::fadd, type_of(part), {sum, part});
  }
  return {sum};
}

std::vector<Value> Translator::transposed(const Values& matrix) {
  Values rows;
  for (std::uint32_t row = 0; row < type_of(matrix.front()).components; ++row) {
    Values parts;
    for (const Value column : matrix) parts.push_back(swizzle(column, row));
    rows.push_back(compose(parts));
  }
  return rows;
}

bool Translator::translate_matrix(Words each) {
  Values made;
  switch (each.op()) {
    case spv::Op::OpDot: {
      const Value a = value(each[3]), b = value(each[4]);
      set(each, dot(a, b));
      return true;
    }
    case spv::Op::OpVectorTimesScalar: {
      const Value vector = value(each[3]), scalar = value(each[4]);
      set(each, scale(vector, scalar));
      return true;
    }
    case spv::Op::OpMatrixTimesScalar:
      for (const Value column : leaves(each[3])) made.push_back(scale(column, value(each[4])));
      break;
    case spv::Op::OpMatrixTimesVector: {
      const Values& matrix = leaves(each[3]);
      made = times_vector(matrix, value(each[4]));
      break;
    }
    case spv::Op::OpVectorTimesMatrix: {
      Values parts;
      for (const Value column : leaves(each[4])) parts.push_back(dot(value(each[3]), column));
      made = {compose(parts)};
      break;
    }
    case spv::Op::OpMatrixTimesMatrix:
      for (const Value column : leaves(each[4])) made.push_back(times_vector(leaves(each[3]), column).front());
      break;
    case spv::Op::OpOuterProduct: {
      const Value column = value(each[3]), row = value(each[4]);
      for (std::uint32_t i = 0; i < type_of(row).components; ++i) made.push_back(scale(column, swizzle(row, i)));
      break;
    }
    case spv::Op::OpTranspose:
      made = transposed(leaves(each[3]));
      break;
    default:
      return false;
  }
  set_leaves(each, std::move(made));
  return true;
}

// ------------------------------------------------------------------------------------------------ parts of values

/// The first leaf of the part that indices choose, and the component of it, or -1 for all. `part` becomes its type.
std::pair<std::uint32_t, int> Translator::find_part(Id type, std::span<const std::uint32_t> indices, Id& part) const {
  std::uint32_t first = 0;
  int component = -1;
  part = type;
  for (const std::uint32_t index : indices) {
    const SpirvType& here = module_.type(part);
    if (here.kind == Kind::vector) {
      component = static_cast<int>(index);
      part = here.element;
    } else if (here.kind == Kind::structure) {
      // Results of carrying operations have structures that nothing declares leaves of.
      first += here.first_leaf[index];
      part = here.members[index];
    } else {
      part = here.element;
      first += index * module_.type(part).leaves;
    }
  }
  return {first, component};
}

bool Translator::translate_composite(Words each) {
  Values made;
  switch (each.op()) {
    case spv::Op::OpCopyObject:
    case spv::Op::OpCopyLogical:
      if (resources_.contains(each[3]))
        resources_[each[2]] = resources_[each[3]];
      else
        set_leaves(each, leaves(each[3]));
      return true;
    case spv::Op::OpCompositeConstruct:
      for (std::size_t i = 3; i < each.size(); ++i) {
        const Values& part = leaves(each[i]);
        made.insert(made.end(), part.begin(), part.end());
      }
      if (module_.type(each[1]).kind == Kind::vector) made = {compose(made)};
      break;
    case spv::Op::OpCompositeExtract: {
      Id part = 0;
      const Id whole = globals_.contains(each[3]) ? globals_.at(each[3])[1] : types_of_.at(each[3]);
      const auto [first, component] = find_part(whole, each.words.subspan(4), part);
      const Values& from = leaves(each[3]);
      if (component >= 0) {
        made = {swizzle(from[first], static_cast<std::uint32_t>(component))};
      } else {
        const auto begin = from.begin() + static_cast<std::ptrdiff_t>(first);
        made.assign(begin, begin + static_cast<std::ptrdiff_t>(module_.type(part).leaves));
      }
      break;
    }
    case spv::Op::OpCompositeInsert: {
      Id part = 0;
      const auto [first, component] = find_part(each[1], each.words.subspan(5), part);
      made = leaves(each[4]);
      const Values& put = leaves(each[3]);
      if (component >= 0)
        made[first] = make(Op::insert, type_of(made[first]),
                           {made[first], put.front(), integer(static_cast<std::uint32_t>(component))});
      else
        std::ranges::copy(put, made.begin() + static_cast<std::ptrdiff_t>(first));
      break;
    }
    case spv::Op::OpVectorShuffle:
      shuffle(each);
      return true;
    case spv::Op::OpVectorExtractDynamic: {
      const Type type = result_type(each);
      made = {make(Op::extract, type, {value(each[3]), value(each[4])})};
      break;
    }
    case spv::Op::OpVectorInsertDynamic:
      made = {make(Op::insert, result_type(each), {value(each[3]), value(each[4]), value(each[5])})};
      break;
    case spv::Op::OpSelect: {
      const Values &yes = leaves(each[4]), &no = leaves(each[5]);
      Value condition = value(each[3]);
      // glslang takes booleans of a structure in a block for booleans where it copies the structure into another block.
      if (const Type given = type_of(condition); given.base != Base::boolean)
        condition = compare(Op::ieq, condition, splat(integer(0), given.components), true);
      for (std::size_t i = 0; i < yes.size(); ++i) {
        const Type type = type_of(yes[i]);
        made.push_back(
            make(Op::select, type,
                 {type_of(condition).components == type.components ? condition : splat(condition, type.components),
                  yes[i], no[i]}));
      }
      break;
    }
    default:
      return false;
  }
  set_leaves(each, std::move(made));
  return true;
}

void Translator::shuffle(Words each) {
  const Value a = value(each[3]), b = value(each[4]);
  const std::uint32_t split = type_of(a).components;
  std::vector<std::pair<Value, std::uint32_t>> parts;
  for (std::size_t i = 5; i < each.size(); ++i) {
    const std::uint32_t number = each[i] == none ? 0 : each[i];
    parts.push_back(number < split ? std::pair{a, number} : std::pair{b, number - split});
  }
  // Neighbours of one vector stay together.
  Values runs;
  for (std::size_t begin = 0; begin < parts.size();) {
    std::size_t end = begin;
    std::array<std::uint32_t, 4> numbers{};
    while (end < parts.size() && parts[end].first == parts[begin].first) {
      numbers[end - begin] = parts[end].second;
      ++end;
    }
    const Type from = type_of(parts[begin].first);
    runs.push_back(make(Op::swizzle, {from.base, static_cast<std::uint8_t>(end - begin), from.relaxed},
                        {parts[begin].first}, numbers));
    begin = end;
  }
  set(each, compose(runs));
}

}  // namespace mobula::ssa
