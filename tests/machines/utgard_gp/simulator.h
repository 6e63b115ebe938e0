// A straightforward simulator of section 4 of the Utgard GP reference, to test the lifter against: every value carries
// what kind of bits it is, and the pipeline is kept as the reference tells it, word by word, with no look at the
// program as a whole. It shares no code with the library.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mobula::utgard_gp::simulated {

enum class Kind : std::uint8_t { number, pre, square, square_of_pre, exp2, log2, rsqrt, rcp, raw_log2, nothing };
/// A partial result carries its argument in `bits`.
struct Value {
  Kind kind = Kind::nothing;
  std::uint32_t bits = 0x7FC00000;
};

enum Unit : unsigned { acc0, acc1, mul0, mul1, pass, cplx, unit_count };

/// One component written to a varying.
struct Stored {
  unsigned varying = 0, component = 0;
  std::uint32_t bits = 0;
};

class Simulator {
 public:
  explicit Simulator(std::span<const std::uint8_t> code) : code_(code) {}

  using RunVec4 = std::array<std::uint32_t, 4>;
  std::array<RunVec4, 16> attributes{}, registers{};
  std::array<RunVec4, 512> memory{};  ///< uniforms and temporaries; reads outside give 0, writes outside are lost
  std::vector<Stored> stored;
  std::vector<unsigned> executed;  ///< words, in order

  /// Policies by the names that the library gives their values.
  std::string truth = "nonzero", address = "floor";

  /// Runs to the end of the program or for `limit` words.
  void run(unsigned limit);

 private:
  struct Write {
    std::uint64_t ready = 0;
    std::uint32_t* target = nullptr;
    std::uint32_t bits = 0;
  };
  [[nodiscard]] unsigned field(unsigned low, unsigned width) const;
  [[nodiscard]] std::uint32_t load(std::int64_t vec4, unsigned component) const;
  [[nodiscard]] bool active(Unit unit) const;
  [[nodiscard]] Value operand(unsigned selector, bool b) const;
  [[nodiscard]] float number(unsigned selector, bool b, float identity = 0) const;
  void step();
  Value add(unsigned a, unsigned b, bool negate_a, bool negate_b) const;
  Value multiply(unsigned a, unsigned b, bool negate) const;
  Value complex1() const;
  Value complex2() const;
  void set_address(unsigned which, float value);
  [[nodiscard]] bool holds(float condition) const;
  void store(unsigned half);

  std::span<const std::uint8_t> code_;
  unsigned pc_ = 0;
  std::uint64_t time_ = 0;
  std::array<Value, unit_count> now_{}, one_ago_{}, two_ago_{};
  bool was_complex1_ = false;
  RunVec4 port0_{}, port1_{}, load_{}, port0_one_ago_{};
  bool has_port0_one_ago_ = false;
  std::array<std::uint32_t, 4> addresses_{};
  std::vector<Write> queue_;
};

}  // namespace mobula::utgard_gp::simulated
