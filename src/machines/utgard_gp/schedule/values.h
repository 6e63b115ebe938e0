// The values that a program computes, each once, free of when and where.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "machines/utgard_gp/spec/flow.h"
#include "machines/utgard_gp/spec/spec.h"

namespace mobula::utgard_gp {

/// What makes a value.
enum class Make : std::uint8_t {
  attribute,  ///< `index`, `component`
  uniform,    ///< memory that the program does not write to, at a fixed address: `index`, `component`
  load,       ///< memory at `index` plus an address, if there is one, `component`; operands: address, state of memory
  reg,        ///< register `index`, `component` as it is when the trace is entered
  address,    ///< address register A`index` as it is when the trace is entered; only loads and temporaries take it
  memory,     ///< what `component` of every temporary is when the trace is entered: the first state of a chain of them
  store,      ///< the state of memory after a store of a temporary; operands: state before, address, value
  mul,
  negation,  ///< sign bit flipped
  add,
  floor,
  sign,
  ge,
  lt,
  min,
  max,
  select,  ///< operands: condition, value if false, value if true
  rcp,
  rsqrt,
  exp2,
  log2,
};

/// What kind of a thing it is.
enum class MakeKind : std::uint8_t {
  leaf,      ///< a load port delivers it
  state,     ///< what only loads and stores of temporaries take
  product,   ///< a multiplier makes it; of negations, an adder can do as well
  adder,     ///< an adder makes it
  select,    ///< both multipliers together make it
  function,  ///< a sequence of several words makes it (3.5)
};
constexpr MakeKind kind_of(Make make) {
  switch (make) {
    case Make::attribute:
    case Make::uniform:
    case Make::load:
    case Make::reg:
      return MakeKind::leaf;
    case Make::address:
    case Make::memory:
    case Make::store:
      return MakeKind::state;
    case Make::mul:
    case Make::negation:
      return MakeKind::product;
    case Make::add:
    case Make::floor:
    case Make::sign:
    case Make::ge:
    case Make::lt:
    case Make::min:
    case Make::max:
      return MakeKind::adder;
    case Make::select:
      return MakeKind::select;
    case Make::rcp:
    case Make::rsqrt:
    case Make::exp2:
    case Make::log2:
      return MakeKind::function;
  }
  return MakeKind::state;
}
constexpr bool is_leaf(Make make) { return kind_of(make) == MakeKind::leaf; }
constexpr bool is_adder(Make make) { return kind_of(make) == MakeKind::adder; }
constexpr bool is_function(Make make) { return kind_of(make) == MakeKind::function; }

/// What adders make, in the order of Make. An operation that is not here has no values: programs with it are refused.
struct AdderMake {
  Make make;
  std::uint8_t opcode;
};
inline constexpr auto adder_makes = std::to_array<AdderMake>({{Make::add, opcode_of(AccOp::add)},
                                                              {Make::floor, opcode_of(AccOp::floor)},
                                                              {Make::sign, opcode_of(AccOp::sign)},
                                                              {Make::ge, opcode_of(AccOp::ge)},
                                                              {Make::lt, opcode_of(AccOp::lt)},
                                                              {Make::min, opcode_of(AccOp::min)},
                                                              {Make::max, opcode_of(AccOp::max)}});
/// Place in `adder_makes`.
constexpr unsigned adder_index(Make adder) { return static_cast<unsigned>(adder) - static_cast<unsigned>(Make::add); }
static_assert([] {
  for (unsigned i = 0; i < adder_makes.size(); ++i)
    if (!is_adder(adder_makes[i].make) || adder_index(adder_makes[i].make) != i) return false;
  return true;
}());
constexpr unsigned opcode_of(Make adder) { return adder_makes[adder_index(adder)].opcode; }
constexpr const Operation<AccOp>& operation_of(Make adder) { return acc_ops[opcode_of(adder)]; }
constexpr std::optional<Make> make_of(AccOp does) {
  for (const AdderMake& row : adder_makes)
    if (acc_ops[row.opcode].does == does) return row.make;
  return std::nullopt;
}

/// What multipliers make, but for the steps of functions; as for adders.
constexpr std::optional<Make> make_of(MulOp does) {
  if (does == MulOp::mul) return Make::mul;
  if (does == MulOp::select) return Make::select;
  return std::nullopt;
}

/// Functions by the table operation of their sequence, in the order of Make.
struct FunctionMake {
  Make make;
  std::uint8_t table;
  std::uint8_t words;                                 ///< of its sequence
  bool begins_in_pass = false, ends_in_pass = false;  ///< with preexp2, postlog2
};
inline constexpr auto function_makes =
    std::to_array<FunctionMake>({{Make::rcp, opcode_of(ComplexOp::rcp), 2},
                                 {Make::rsqrt, opcode_of(ComplexOp::rsqrt), 2},
                                 {Make::exp2, opcode_of(ComplexOp::exp2), 3, true, false},
                                 {Make::log2, opcode_of(ComplexOp::log2), 4, false, true}});
constexpr const FunctionMake& sequence_of(Make function) {
  return function_makes[static_cast<unsigned>(function) - static_cast<unsigned>(Make::rcp)];
}
static_assert([] {
  for (const FunctionMake& row : function_makes)
    if (!is_function(row.make) || &sequence_of(row.make) != &row) return false;
  return true;
}());
/// The function whose table operation leaves results of this kind.
constexpr std::optional<Make> make_of(ResultKind table) {
  for (const FunctionMake& row : function_makes)
    if (cplx_ops[row.table].traits.result == table) return row.make;
  return std::nullopt;
}

using ValueId = std::uint32_t;
/// No value. As second operand of an adder: its constant 0.0. As operand of a load: no address, memory that stays.
inline constexpr ValueId no_value = 0xFFFFFFFF;

/// An operand; only adders negate theirs.
struct ValueUse {
  ValueId value = no_value;
  bool negate = false;
  friend bool operator==(const ValueUse&, const ValueUse&) = default;
};

/// Lets the operands of an adder change places, if there is a way that keeps its result.
template <class Use>
constexpr void exchange(Make adder, Use& a, Use& b) {
  switch (operation_of(adder).traits.exchanged) {
    case Exchanged::other:
      return;
    case Exchanged::negated:
      a.negate = !a.negate;
      b.negate = !b.negate;
      break;
    case Exchanged::same:
      break;
  }
  std::swap(a, b);
}

struct Value {
  Make make = Make::attribute;
  std::uint8_t component = 0;
  std::uint16_t index = 0;
  std::uint8_t operand_count = 0;
  std::array<ValueUse, 3> operands;
  friend bool operator==(const Value&, const Value&) = default;
};

/// What is known of the memory that uniforms and temporaries share.
struct MemoryFacts {
  Constants constants;                  ///< numbers that come with the program
  std::bitset<memory_vec4s> temporary;  ///< vec4s that a store of the program may hit
  [[nodiscard]] bool may_change(unsigned vec4) const { return temporary[vec4]; }
};
/// The addresses of stores are known if every word that sets A0 takes a constant that no store overwrites.
MemoryFacts memory_facts(std::span<const Word128> words, Constants constants);
/// The vec4 that temporaries of this word go to, if the word itself sets A0 to a known constant.
std::optional<unsigned> stored_vec4(const Word128& word, const MemoryFacts& facts);

/// A vec4 of memory for temporaries, and the word of uniform memory that holds its address as a float.
struct TemporaryPlace {
  std::uint16_t vec4 = 0;
  std::uint32_t address_word = 0;
};
/// Those that stores of known addresses go to, by vec4; none if any store may go anywhere.
std::vector<TemporaryPlace> known_temporaries(const MemoryFacts& facts);

/// All values of one or more programs, each once. The forms are canonical, and every rewriting keeps the results bit
/// for bit: operands of commutative operations are ordered, a negated operand of an adder is a sign at the operand, the
/// clamp is min(max(x, low), high), x >= y is -y >= -x. A load looks through stores that cannot hit its address, and is
/// what the last one stored if that must.
class Values {
 public:
  explicit Values(MemoryFacts facts = {}) : facts_(std::move(facts)) {}
  [[nodiscard]] const MemoryFacts& facts() const { return facts_; }
  [[nodiscard]] MemoryFacts& facts() { return facts_; }

  [[nodiscard]] const Value& operator[](ValueId id) const { return values_[id]; }
  [[nodiscard]] std::size_t size() const { return values_.size(); }

  ValueId leaf(Make make, unsigned index, unsigned component);
  ValueId reg(unsigned flat) { return leaf(Make::reg, flat / 4, flat % 4); }
  /// What a load of memory gives; `address` no_value or what the address register holds.
  ValueId load(unsigned base, ValueId address, unsigned component, ValueId state);
  ValueId store(ValueId state, ValueId address, ValueId value);
  ValueId mul(ValueId a, ValueId b);
  ValueId negated(ValueId a);
  ValueId adder(Make make, ValueUse a, ValueUse b = {});
  ValueId select(ValueId condition, ValueId if_false, ValueId if_true);
  ValueId function(Make make, ValueId argument);

  /// Whether the store (a value of Make::store) may hit what the load (of Make::load) reads.
  [[nodiscard]] bool may_alias(ValueId store, ValueId load) const;

 private:
  struct Hash {
    std::size_t operator()(const Value& value) const;
  };
  ValueId add(Value value);
  [[nodiscard]] ValueUse without_negation(ValueUse use) const;
  /// The vec4 that an address names, if it is a constant of the program.
  [[nodiscard]] std::optional<unsigned> known_vec4(ValueId address) const;

  MemoryFacts facts_;
  std::vector<Value> values_;
  std::unordered_map<Value, ValueId, Hash> ids_;
};

}  // namespace mobula::utgard_gp
