// What a program computes, free of when and where: the values of each trace, what leaves it, and through which exits.
//
// A trace is a run of basic blocks that can only be entered at its start: each further block follows its predecessor's
// untaken branch and has no other predecessor. Traces are found by executing the words symbolically; moves vanish,
// function sequences become one value, equal values become one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "machines/utgard_gp/codec.h"
#include "mobula/result.h"

namespace mobula::utgard_gp {

/// What makes a value.
enum class Make : std::uint8_t {
  attribute,  ///< `index`, `component`
  uniform,    ///< memory at a fixed address: `index`, `component`
  reg,        ///< register `index`, `component` as it is when the trace is entered
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
constexpr bool is_leaf(Make make) { return make <= Make::reg; }
constexpr bool is_adder(Make make) { return make >= Make::add && make <= Make::max; }
constexpr bool is_function(Make make) { return make >= Make::rcp; }

using ValueId = std::uint32_t;
/// No value. As second operand of an adder: its constant 0.0.
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

/// All values of one or more programs, each once. The forms are canonical, and every rewriting keeps the results bit
/// for bit: operands of commutative operations are ordered, a negated operand of an adder is a sign at the operand, the
/// clamp is min(max(x, low), high), x >= y is -y >= -x.
class Values {
 public:
  [[nodiscard]] const Value& operator[](ValueId id) const { return values_[id]; }
  [[nodiscard]] std::size_t size() const { return values_.size(); }

  ValueId leaf(Make make, unsigned index, unsigned component);
  ValueId reg(unsigned flat) { return leaf(Make::reg, flat / 4, flat % 4); }
  ValueId mul(ValueId a, ValueId b);
  ValueId negated(ValueId a);
  ValueId adder(Make make, ValueUse a, ValueUse b = {});
  ValueId select(ValueId condition, ValueId if_false, ValueId if_true);
  ValueId function(Make make, ValueId argument);

 private:
  struct Hash {
    std::size_t operator()(const Value& value) const;
  };
  ValueId add(Value value);
  [[nodiscard]] ValueUse without_negation(ValueUse use) const;

  std::vector<Value> values_;
  std::unordered_map<Value, ValueId, Hash> ids_;
};

inline constexpr unsigned flat_registers = 4 * register_count;  ///< scalars: 4 * register + component

struct VaryingStore {
  std::uint8_t index = 0, component = 0;
  ValueId value = no_value;
  friend bool operator==(const VaryingStore&, const VaryingStore&) = default;
};

/// Words, segments and traces are counted in 16 bits; longer programs are refused before.
template <class Range>
std::uint16_t size_of(const Range& range) {
  return static_cast<std::uint16_t>(range.size());
}

/// A basic block of a trace.
struct Segment {
  std::uint16_t first = 0, count = 0;               ///< words
  std::vector<VaryingStore> varyings;               ///< what it leaves in varyings
  std::array<ValueId, flat_registers> registers{};  ///< at its end
  std::uint64_t touched = 0;                        ///< registers stored since the trace was entered
  ValueId condition = no_value;                     ///< of the branch it ends with; no_value = none
  std::uint16_t target = 0;                         ///< trace its branch leads to
};

struct Trace {
  std::vector<Segment> segments;
  std::optional<std::uint16_t> next;            ///< trace that follows the last word; none = the program ends
  std::uint64_t live_in = 0;                    ///< registers whose value at entry matters
  std::array<ValueId, flat_registers> entry{};  ///< registers at its entry: themselves, or what they are known to hold

  [[nodiscard]] std::uint16_t first() const { return segments.front().first; }
  [[nodiscard]] std::uint16_t words() const {
    return static_cast<std::uint16_t>(segments.back().first + segments.back().count - segments.front().first);
  }
};

/// A way out of a trace: after this segment, to this trace (none = the program's end).
struct Exit {
  std::uint16_t segment = 0;
  std::optional<std::uint16_t> target;
  bool taken = false;  ///< by the segment's branch
};
std::vector<Exit> exits(const Trace& trace);

struct Flow {
  std::vector<Trace> traces;  ///< in program order
};

/// Finds what the program computes. `past_branches` = a trace goes on behind an untaken branch.
/// Fails (GP3xx) on what cannot be expressed: temporaries, address registers, unknown opcodes and selectors, results
/// that are not there, registers read before their store arrives, values forwarded into the start of a trace.
Result<Flow> find_flow(std::span<const Word128> words, Values& values, bool past_branches);

/// Holds another program to a flow: the same traces that leave the same values in varyings, in the registers that
/// matter, and for the branches to decide on. Fails (GP302) on the first difference.
Result<void> compare_flow(const Flow& flow, std::span<const Word128> words, Values& values, bool past_branches);

}  // namespace mobula::utgard_gp
