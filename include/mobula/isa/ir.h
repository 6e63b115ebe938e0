// The micro-operation language: what every machine lifts to, and what is executed, traced, timed and scheduled.
//
// A thread ("lane") owns a flat byte array, its state. The machine names parts of it as slots ("r3.y"). An operation
// reads and writes elements at byte offsets of the state (little-endian), so views of different width alias as they do
// in the hardware's registers. All sources of one operation are read before its destination is written.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mobula/export.h"

namespace mobula {
enum class Status : std::uint8_t;
}

namespace mobula::ir {

/// Element types. Integers carry no sign; operations that care say so in their name.
enum class Type : std::uint8_t { i8, i16, i32, i64, f16, f32, f64 };
/// 1, 2, 4 or 8.
constexpr std::uint32_t bytes_of(Type type) {
  constexpr std::uint8_t table[] = {1, 2, 4, 8, 2, 4, 8};
  return table[static_cast<std::uint8_t>(type)];
}
constexpr std::uint32_t bits_of(Type type) { return 8 * bytes_of(type); }
constexpr bool is_float(Type type) { return type >= Type::f16; }
/// The integer type of the same width.
constexpr Type as_integer(Type type) {
  return is_float(type) ? static_cast<Type>(static_cast<std::uint8_t>(type) - 3) : type;
}
MOBULA_API std::string_view name(Type type);

/// Rounding: to nearest even, toward zero, toward -infinity, toward +infinity.
enum class Round : std::uint8_t { even, zero, down, up };
MOBULA_API std::string_view name(Round round);

enum class Op : std::uint8_t {
#define OP(name, sources, types, summary) name,
#include "mobula/isa/ops.inc"
#undef OP
};
inline constexpr std::uint32_t op_count = 0
#define OP(name, sources, types, summary) +1
#include "mobula/isa/ops.inc"
#undef OP
    ;
struct OpInfo {
  std::string_view name;
  std::uint8_t sources;
  char types;  ///< 'I' integers, 'F' floats, 'A' all
  std::string_view summary;
};
MOBULA_API const OpInfo& info(Op op);

/// Where an operand lives: nowhere, at a byte offset of the lane's state, or at a byte offset of Program::constants.
class MOBULA_API Operand {
 public:
  constexpr Operand() = default;
  static constexpr Operand state(std::uint32_t byte) { return Operand(byte); }
  static constexpr Operand constant(std::uint32_t byte) { return Operand(byte | constant_bit); }
  [[nodiscard]] constexpr bool is_none() const { return raw_ == none; }
  [[nodiscard]] constexpr bool is_constant() const { return !is_none() && (raw_ & constant_bit) != 0; }
  [[nodiscard]] constexpr bool is_state() const { return (raw_ & constant_bit) == 0; }
  [[nodiscard]] constexpr std::uint32_t byte() const { return raw_ & ~constant_bit; }
  /// The operand `bytes` further on in the same space.
  [[nodiscard]] constexpr Operand plus(std::uint32_t bytes) const { return is_none() ? *this : Operand(raw_ + bytes); }
  friend constexpr bool operator==(Operand, Operand) = default;

 private:
  static constexpr std::uint32_t none = 0xFFFFFFFF, constant_bit = 0x80000000;
  explicit constexpr Operand(std::uint32_t raw) : raw_(raw) {}
  std::uint32_t raw_ = none;
};

/// One micro-operation. `type` is the type of the result and, unless `from` is used by the op, of the sources.
/// The result of a comparison is an integer of the same width.
struct Operation {
  Op op = Op::mov;
  Type type = Type::i32;
  Type from = Type::i32;
  Round round = Round::even;
  Operand dst;
  std::array<Operand, 3> src;
  std::uint32_t extra = 0;  ///< target block, trap reason or call index; 0 otherwise
};

/// Operations that end or redirect a block; they come last in it, in the order of their effect.
constexpr bool is_control(Op op) { return op >= Op::barrier && op <= Op::trap; }
/// Operations whose source has the type Operation::from.
constexpr bool is_conversion(Op op) { return op >= Op::f2f && op <= Op::sat_u2u; }
constexpr bool is_float_comparison(Op op) { return op >= Op::feq && op <= Op::fle; }
/// Type of the sources.
constexpr Type source_type(const Operation& operation) {
  return is_conversion(operation.op) ? operation.from : operation.type;
}
/// Type of the destination.
constexpr Type result_type(const Operation& operation) {
  return is_float_comparison(operation.op) ? as_integer(operation.type) : operation.type;
}

/// What a thread asks of its environment. Operands of a call are listed beside each service; `data` is the first
/// of `count` consecutive elements of `type` in the state (destination of loads, source of stores).
enum class Service : std::uint8_t {
  load_memory,   ///< data <- memory; args: 0 address (i64)
  store_memory,  ///< memory <- data; args: 0 address (i64)
  atomic,  ///< data <- old value, count 1; args: 0 address (i64), 1 operand, 2 compare value (cmpxchg); index: AtomicOp
  load_uniform,   ///< data <- uniform buffer; args: 0 byte offset (i32), 1 buffer number (i32) or none: `index`
  attribute,      ///< data <- vertex attribute converted to `type`; args: 0 number (i32), 1 vertex (i32) or none: own
                  ///< vertex
  varying,        ///< data <- interpolated varying; args: 0 number (i32); index: Interpolation bits
  store_varying,  ///< varying of this vertex <- data; args: 0 number (i32); index: first component
  texture,        ///< data <- Program::textures[index]
  load_image,     ///< data <- texel; args: 0 image number (i32), 1..3 x y z (i32)
  store_image,    ///< texel <- data; args: 0 image number (i32), 1..3 x y z (i32)
  fragment_out,   ///< writes colour data (4 x i32); args: 0 depth, 1 stencil, 2 target word, 3 result (i32, written): 0
                  ///< done, ~0 retry
  tile_ready,     ///< args: 3 result (i32, written): 0 ready, ~0 wait
  load_tile,      ///< data <- frame buffer; args: 0 render target (i32), 1 sample (i32); flags
  load_special,   ///< data <- special value; args: 0 selector (i32)
  store_special,  ///< special value <- data; args: 0 selector (i32)
  device_read,    ///< data <- device register; args: 0 address (i32); index: device
  device_write,   ///< device register <- data; args: 0 address (i32); index: device
  store_tile,     ///< frame buffer <- data; args: 0 render target (i32), 1 sample (i32); flags
  image_address,  ///< data (i64) <- address of a texel; args: 0 image number (i32), 1..3 x y z (i32)
};
MOBULA_API std::string_view name(Service service);

enum class AtomicOp : std::uint8_t { add, and_, or_, xor_, min_s, min_u, max_s, max_u, exchange, compare_exchange };

/// Bits of Call::index for Service::varying.
struct Interpolation {
  static constexpr std::uint32_t flat = 1, perspective = 2, centroid = 4, sample = 8;
};
/// Bits of Call::flags: how numbers of a typed load or store are to be read.
struct CallFlags {
  static constexpr std::uint32_t is_unsigned = 1;  ///< integer data are unsigned
  static constexpr std::uint32_t raw = 2;          ///< no format conversion
  static constexpr std::uint32_t depth = 4, stencil = 8;
  static constexpr std::uint32_t big_endian = 16;  ///< atomics: the memory operand is big endian
};

struct Call {
  Service service = Service::load_memory;
  Type type = Type::i32;
  std::uint8_t count = 1;  ///< 1..16
  std::uint32_t index = 0;
  std::uint32_t flags = 0;
  Operand data;
  std::array<Operand, 4> args;
};

/// A texture access. Operands are f32 (or i32 for fetch); absent ones are none. Result: 4 elements (f32 or i32 bits).
struct Texture {
  enum class Kind : std::uint8_t { sample, fetch, gather };
  enum class Shape : std::uint8_t { d1, d2, d3, cube };
  enum class Result : std::uint8_t { f32, u32, i32, integer };  ///< integer: u32 or i32, as the texture has them
  Kind kind = Kind::sample;
  Shape shape = Shape::d2;
  Result result = Result::f32;
  bool shadow = false;
  bool implicit_lod = false;      ///< LOD from the quad's coordinate differences; `lod` is then a bias
  bool skip_sampler_lod = false;  ///< sampler LOD clamp and bias are not applied (an erratum of some products)
  std::uint8_t gather_component = 0;
  std::array<Operand, 4> coordinate;  ///< x y z w; array layer in w, shadow reference or sample index in z;
                                      ///< a cube takes face, s, t in x, y, z (i32, f32, f32)
  Operand lod;                        ///< f32; i32 for fetch
  /// f32 differences of x y z to the next pixel in a row and in a column, where the instruction brings them: then they
  /// choose the LOD, and `lod` is a bias. None = not brought.
  std::array<Operand, 3> ddx, ddy;
  std::array<Operand, 3> offset;  ///< i32 texel offsets
  Operand texture, sampler;       ///< i32 numbers

  [[nodiscard]] bool explicit_gradients() const { return !ddx[0].is_none(); }
};

/// What the machine executes as one word, and the unit in which everything a person sees is counted.
struct Block {
  std::uint64_t address = 0;  ///< byte offset of the word in the program
  std::uint32_t bytes = 0;
  std::uint32_t first = 0, count = 0;  ///< range of Program::operations
  std::optional<std::uint32_t> next;   ///< block executed on fall-through; none = the lane ends
  Status fidelity{};                   ///< worst status among the facts its semantics rest on
};

/// A named part of the state.
struct Slot {
  std::string name;
  std::uint32_t byte = 0;
  std::uint32_t bytes = 4;
};

/// Why a block's semantics are not exact.
struct FidelityNote {
  std::uint32_t block = 0;
  Status status{};
  std::string text;
};

/// A byte range of the state.
struct ByteRange {
  std::uint32_t byte = 0, bytes = 0;
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

struct Program {
  std::vector<Operation> operations;
  std::vector<Block> blocks;  ///< in order of address
  std::vector<Call> calls;
  std::vector<Texture> textures;
  std::vector<std::uint8_t> constants;
  std::vector<std::string> trap_reasons;
  std::vector<Slot> slots;           ///< architectural state, by byte
  std::uint32_t state_bytes = 0;     ///< slots and temporaries; a multiple of 8
  std::uint32_t temporary_byte = 0;  ///< state from here on is the lifter's scratch, dead between blocks
  std::uint32_t entry = 0;           ///< block
  /// Architectural state that holds its value only to the end of a block; strict runs treat it as undefined after that.
  std::vector<ByteRange> volatile_state;
  std::vector<FidelityNote> notes;

  [[nodiscard]] MOBULA_API const Slot* find_slot(std::string_view name) const;
  /// Block at this byte address, or nullopt.
  [[nodiscard]] MOBULA_API std::optional<std::uint32_t> block_at(std::uint64_t address) const;
};

/// The architectural state that a block reads before writing it, and that it writes; sorted, merged byte ranges.
struct Effects {
  std::vector<ByteRange> reads, writes;
};
/// The program must pass verify().
MOBULA_API Effects effects(const Program& program, std::uint32_t block);

/// The operations of one block as text, one a line; slots by name, temporaries as t0, t4... The program must pass
/// verify().
MOBULA_API std::string print(const Program& program, std::uint32_t block);
MOBULA_API std::string print(const Program& program);
/// The same of the blocks from number `first` to before `end`.
MOBULA_API std::string print(const Program& program, std::uint32_t first, std::uint32_t end);

/// Structural check: operand ranges, types, control operations at the end, targets that exist. Empty = well formed.
MOBULA_API std::vector<std::string> verify(const Program& program);

}  // namespace mobula::ir
