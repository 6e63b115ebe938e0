// The values that a program computes, each once, free of when and where.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "machines/utgard_gp/flow.h"
#include "machines/utgard_gp/spec.h"

namespace mobula::utgard_gp {

/// What makes a value.
enum class Make : std::uint8_t {
  attribute,  ///< `index`, `component`
  uniform,    ///< memory that the program does not write to, at a fixed address: `index`, `component`
  load,       ///< memory at `index` plus an address, if there is one, `component`; operands: address, state of memory
  reg,        ///< register `index`, `component` as it is when the trace is entered
  address,    ///< address register A`index` as it is when the trace is entered; only loads and temporaries take it
  memory,     ///< what `component` of every temporary is when the trace is entered: the first state of a chain of them
  store,      ///< the state of memory behind a store of a temporary; operands: state before, address, value
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
/// True if a load port delivers it.
constexpr bool is_leaf(Make make) { return make <= Make::reg; }
constexpr bool is_adder(Make make) { return make >= Make::add && make <= Make::max; }
constexpr bool is_function(Make make) { return make >= Make::rcp; }

using ValueId = std::uint32_t;
/// No value. As second operand of an adder: its constant 0.0. As operand of a load: no address, memory that stays.
inline constexpr ValueId no_value = 0xFFFFFFFF;

/// An operand; only adders negate theirs.
struct ValueUse {
  ValueId value = no_value;
  bool negate = false;
  friend bool operator==(const ValueUse&, const ValueUse&) = default;
};

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
  Constants constants;                  ///< numbers the program brings along
  std::bitset<memory_vec4s> temporary;  ///< vec4s that a store of the program may hit
  [[nodiscard]] bool may_change(unsigned vec4) const { return temporary[vec4]; }
};
/// The addresses of stores are known if every word that sets A0 takes a constant that no store overwrites.
MemoryFacts memory_facts(std::span<const Word128> words, Constants constants);
/// Whether a word sets A0, and whether it uses it.
bool sets_store_address(const Word128& word);
bool stores_temporary(const Word128& word);
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
