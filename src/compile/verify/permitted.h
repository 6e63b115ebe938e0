// What GLSL permits a machine to make of an operation: how far its result may be off, and where it may be anything.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "compile/evaluate/evaluate.h"
#include "compile/verify/random.h"
#include "compile/verify/reach.h"

namespace mobula::compile {

/// How far component `i` of a result may be from `exact`, by table 4.7.1 of GLSL ES 3.20 and, for what that leaves to
/// the machine, by that of Vulkan. Infinity: it may be anything, as of 1/0, of the root of -1, of what is not finite.
/// `is_wide`: 32 bits also where 16 are enough.
double permitted_error(const ssa::Instruction& each, std::span<const ssa::Bits> operands,
                       std::span<const ssa::Type> types, unsigned i, double exact, bool is_wide = false);

/// What a machine has for integers: words, or floats, which are exact up to 2^24 and know of nothing unsigned.
enum class Integers : std::uint8_t { whole, floats };

/// The order in which lanes come to memory that they share.
enum class Order : std::uint8_t { as_numbered, backwards, by_chance };

/// One of the many ways in which a machine that keeps to GLSL may compute a program: every result is off as far as it
/// may be, or less, or not at all, as chance has it; what is anything is something. What the results of several such
/// ways have in common is what a program promises.
class OneWay final : public ssa::Freedom {
 public:
  /// `follows`: as it is defined instead, only to see where lanes go astray. `integers`: what the machine has for them.
  /// `reach`: half of all ways note there what they have, and the others go to edges that those may have come to; by
  /// fours, lanes with the same numbers err alike or apart.
  OneWay(const ssa::Program& program, std::uint32_t lanes, std::uint64_t seed, bool follows,
         Integers integers = Integers::whole, Reach* reach = nullptr);

  void gave(const ssa::Instruction& each, std::span<const ssa::Bits> operands, std::span<const ssa::Type> types,
            std::uint32_t lane, ssa::Bits& result) override;
  void left_open(const ssa::Instruction& each, std::uint32_t lane, ssa::Bits& result) override;
  void begins(const ssa::Type& type, ssa::Bits& content) override;
  void is_outside(std::uint32_t lane) override { outside_[lane] = true; }
  void put_in_order(std::span<std::uint32_t> lanes) override;

  /// A lane has read or written beyond the end of something: GLSL says nothing about all it does. Or its integers are
  /// beyond what the machine has.
  [[nodiscard]] bool went_outside(std::uint32_t lane) const { return outside_[lane]; }

 private:
  [[nodiscard]] bool is_inexact(const ssa::Instruction& each, std::span<const ssa::Bits> operands,
                                std::span<const ssa::Type> types, const ssa::Bits& result) const;
  void find_indices(const ssa::Program& program);
  void find_products(const ssa::Program& program);
  [[nodiscard]] double error_of_contraction(const ssa::Instruction& each, std::span<const ssa::Bits> operands,
                                            std::span<const ssa::Type> types, unsigned i) const;
  std::uint32_t choose_zero(const ssa::Instruction& each, std::span<const ssa::Bits> operands,
                            std::span<const ssa::Type> types, unsigned i, std::uint32_t result);
  std::uint32_t anything(ssa::Base base);
  double off_by(double error);
  void meet_edges(const ssa::Instruction& each, std::span<const ssa::Bits> operands, std::span<const ssa::Type> types,
                  std::uint32_t lane, ssa::Bits& result);
  void err(const ssa::Instruction& each, std::span<const ssa::Bits> operands, std::span<const ssa::Type> types,
           ssa::Bits& result);
  void turn(const ssa::Instruction& each, const ssa::Bits& angles, ssa::Bits& result);
  void depart(const ssa::Instruction& each, std::span<const ssa::Bits> operands, std::span<const ssa::Type> types,
              ssa::Bits& result);
  void round_operands(const ssa::Instruction& each, std::span<const ssa::Bits> operands,
                      std::span<const ssa::Type> types, ssa::Bits& result);

  std::uint64_t seed_;
  Random random_;
  bool follows_;
  Order order_;
  bool flushes_;  ///< all numbers that are too small for 32 bits; for 16 bits, where they are enough
  bool is_wide_;  ///< 32 bits also where 16 are enough
  Integers integers_;
  bool errs_alike_;  ///< by the same wherever it computes the same, as machines do; else by chance in each lane
  bool is_nan_;      ///< floats of which nothing is promised, so that what rests on them shows
  Reach* reach_;
  bool seeks_edges_;
  std::vector<std::uint32_t> turns_;  ///< by value and lane: how often it was made
  std::vector<bool> outside_;
  std::set<ssa::Value> indices_;  ///< and what they are the sums and products of
  std::set<ssa::Value> clamps_;   ///< that keep an index inside of an array
  std::vector<bool> products_;    ///< by value: may be a product that nothing has rounded
};

}  // namespace mobula::compile
