// Makes micro-operations of the words of a program, one after the other; see lift.h for the slots.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/builder.h"
#include "machines/utgard_gp/lift/policies.h"
#include "machines/utgard_gp/spec/forwarding.h"

namespace mobula::utgard_gp {

class Lifter {
 public:
  /// `settings` must outlive it.
  Lifter(std::span<const Word128> words, const Settings& settings)
      : words_(words), forwarding_(words), settings_(settings) {}

  ir::Program run();

 private:
  using Op = ir::Op;
  using Operand = ir::Operand;
  using Type = ir::Type;

  /// What is read while a write to it may still be on its way keeps the last writes in a queue.
  struct Queue {
    Operand committed;
    std::vector<Operand> value, valid;  ///< [k]: stored k + 1 instructions ago; valid is 0 or ~0
  };

  Operand add_slot(std::string name);
  void lay_out_state();
  /// Uniform memory read at fixed addresses lives in slots, unless the program writes to it.
  void lay_out_word(const Word128& word);
  void lay_out_queues(std::uint16_t word);
  /// Gives what this word reads a queue if a write to it may still be on its way; all others are written at once.
  void add_queue_if_early(std::uint16_t word, unsigned delayed);
  static bool is_temporary(unsigned delayed) { return delayed >= delayed_temporary && delayed < delayed_address; }
  /// Where its value is once it has arrived; none for temporaries, which are in memory.
  [[nodiscard]] Operand delayed_slot(unsigned delayed) const;
  static std::string delayed_name(unsigned delayed);
  static std::string latch_name(const Latch& latch);
  static std::string_view units_name(unsigned channel) { return info(static_cast<Unit>(channel)).name; }
  static Operand register_slot(unsigned reg, unsigned component) { return Operand::state(16 * reg + 4 * component); }

  [[nodiscard]] const Word128& bits() const { return words_[word_]; }
  [[nodiscard]] unsigned field(const Field& field) const { return static_cast<unsigned>(get(bits(), field)); }
  Operand f32(float value) { return builder_->constant_f32(value); }
  Operand poison() { return builder_->constant_u32(0x7FC00000); }

  void lift_word();
  /// Why this word cannot be executed; empty if it can.
  [[nodiscard]] std::string unexecutable() const;
  void rest_on_facts();
  void fetch();
  void fetch_memory();

  Operand extended(Operand address) { return builder_->convert(Op::sext, Type::i64, Type::i32, address); }
  /// Byte address of a vec4 of uniform memory; 64 bits wide, so that no index wraps around.
  Operand memory_address(Operand vec4);
  /// Whether the write `age` instructions ago may have been one of these, on some path here.
  [[nodiscard]] bool pending(unsigned delayed, std::size_t age) const;
  /// The same for the words that may follow.
  [[nodiscard]] bool pending_next(unsigned delayed, std::size_t age) const;
  void note_early(unsigned delayed);
  void note_early_temporaries(Operand vec4);
  /// Writes what arrives before the next word, and takes this word's writes into the queues.
  void advance(unsigned delayed, Operand written);
  /// Writes `value` where it belongs, if `valid`. Temporaries that are not go to a spare vec4 after the memory.
  void arrive(unsigned delayed, Operand value, Operand valid, Operand vec4);
  void advance_temporary_addresses();

  Operand latch(const Latch& latch) { return latches_.at(latch); }
  [[nodiscard]] bool is_latch(Operand value) const;
  /// The bits an operand selects, negation not applied, whatever kind they are.
  Operand raw(const OperandField& operand);
  Operand raw(const Field& field) { return raw(operand_of(field)); }

  [[nodiscard]] ResultKind kind(const Field& which) const;
  /// A number operand of an ordinary operation; a partial result there is reported and poisons the value.
  Operand number(const Field& which);
  /// A result of this word that is stored or decides something; one that is not a number is reported and poisons.
  Operand used(Unit unit, const std::string& use);
  void misuse(const std::string& text);
  Operand truth(Operand value);
  Operand one_if(Operand mask) { return builder_->binary(Op::iand, Type::i32, mask, f32(1)); }

  bool is_identity(const Field& which) const { return field(which) == selector_identity; }

  Operand& result(Unit unit) { return results_[static_cast<std::size_t>(unit)]; }

  void compute_adders();
  Operand add(const Field& a_field, const Field& b_field, const Field& b_negate);
  void compute_multipliers();
  Operand select();
  Operand multiply(const Field& a_field, const Field& b_field, const Field& negate);
  Operand complex2();
  Operand complex1();
  /// `x` if all others have its bits; NaN (or a trap, by policy) otherwise.
  Operand same_or_poison(Operand x, std::initializer_list<Operand> others, const std::string& complaint);
  void compute_pass();
  void compute_complex();
  void set_address(unsigned which, Operand value);

  Operand stored(unsigned selector) { return used(stored_unit(selector), "store of"); }

  void store();
  void store_varying(const StoreHalf& store);
  Operand channel_value(unsigned channel);
  /// What a word leaves in a merge latch; the first half of complex1 is not a value.
  Operand merged_value(const MergeCopy& copy);
  void forward();
  void leave();

  std::span<const Word128> words_;
  Forwarding forwarding_;
  const Settings& settings_;
  std::optional<ir::Builder> builder_;

  std::vector<ir::Slot> slots_;
  std::uint32_t next_byte_ = 0;
  bool has_temporaries_ = false;
  Operand memory_;
  std::map<unsigned, Operand> uniforms_;  ///< vec4 address -> x component
  std::map<Latch, Operand> latches_;
  std::uint32_t first_latch_byte_ = 0, end_latch_byte_ = 0;
  std::map<unsigned, Queue> queues_;  ///< by what is delayed
  std::array<Operand, address_registers> addresses_{}, new_address_{};
  std::vector<Operand> temporary_address_;  ///< A0 of the last words, youngest first

  std::uint16_t word_ = 0;
  std::array<std::array<Operand, 4>, 2> port_{};
  std::array<Operand, 4> load_{};
  std::array<Operand, unit_count> results_{};
  Operand branch_condition_;
  std::vector<std::pair<Operand, std::string>> broken_;  ///< condition (none = always) and reason to stop
};

}  // namespace mobula::utgard_gp
