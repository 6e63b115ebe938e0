// The word that is being filled: what it loads, what its units do, what it stores, and what it demands of the words
// above. It knows what is possible; what is worth doing is decided in fill.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "machines/utgard_gp/schedule/state.h"

namespace mobula::utgard_gp {

class OpenWord {
 public:
  OpenWord(const Task& task, FillState& state, std::int16_t load) : task_(task), state_(state) { ports_.load = load; }

 protected:
  enum class Mul : std::uint8_t { open, plain, square, wide };

  /// What the operands of one node would need of this word.
  struct Operands {
    Ports ports;
    HeldAddresses held;
    std::vector<PlannedWord::Feed> feeds;
    std::array<NodeId, 4> demanded{};
    std::array<bool, 4> demanded_b{};
    unsigned demanded_count = 0;
    unsigned direct = 0, conflicts = 0, added = 0;  ///< for the score
  };

  /// Stores of a value that this word can take.
  struct Stores {
    std::array<PlannedWord::Store, 2> stores;
    std::vector<std::uint16_t> outputs;
    bool home = false;
    bool all = true;            ///< none is left
    NodeId address = no_node;   ///< A0 must be set to this
    bool sets_address = false;  ///< and is not yet
  };

  [[nodiscard]] unsigned here() const { return state_.words; }
  [[nodiscard]] const Node& node(NodeId id) const { return task_.nodes[id]; }

  // Demands and homes.
  Demand* find_demand(NodeId id);
  [[nodiscard]] unsigned bits(NodeId id);
  void demand(NodeId id, bool b);
  /// What the words below wanted of a value is there now.
  void meet(NodeId id, unsigned met = Demand::near | Demand::near_b | Demand::far);
  Home* find_home(NodeId id);

  // Operands.
  [[nodiscard]] Operands operands() const;
  /// The port through which register `index` can be read besides what is loaded already.
  static std::optional<PlannedWord::Feed::Port> register_port(Ports& ports, unsigned index);
  /// The same for a scalar place.
  [[nodiscard]] std::optional<PlannedWord::Feed::Port> place_port(Ports& ports, unsigned flat) const;
  /// True if the word's loads can deliver this leaf. While `storing_` is set its stores count as done: what this word
  /// loads is what was there before.
  bool load_leaf(NodeId id, Operands& operands) const;
  /// `b` = by an operand that cannot take the complex unit's result. Never fails: what cannot be loaded is demanded.
  void read(NodeId id, bool b, Operands& operands);
  /// Reads the operands of an operation of numbers; the one that may come from the complex unit is the a operand.
  void read_operands(const Node& user, Operands& operands);
  void commit(const Operands& operands);
  /// One reading word of `id` is placed.
  void used(NodeId id);
  void used_operands(const Node& user);

  // Slots.
  [[nodiscard]] unsigned free_adders(Make make) const { return adders_ == 0 || adder_ == make ? 2 - adders_ : 0; }
  [[nodiscard]] unsigned free_multipliers() const { return mul_ == Mul::wide ? 0 : 2 - multipliers_; }
  /// Room for the moves decided so far.
  [[nodiscard]] bool moves_fit() const;
  /// The complex unit can be taken.
  [[nodiscard]] bool complex_fits();
  void use_adder(NodeId id, Make make, Part part);
  void use_multiplier(NodeId id, Part part);
  void use_complex(NodeId id, Part part);

  // Stores.
  Stores stores_of(NodeId id) { return stores_of(id, word_.stores, temporary_address_, complex_fits() && !branched_); }
  /// As it were in a word that stores nothing else.
  Stores stores_alone(NodeId id) { return stores_of(id, {}, no_node, true); }
  /// What storing them takes besides a unit that makes the value.
  void read_address(const Stores& stores, Operands& operands) {
    if (stores.sets_address) read(stores.address, false, operands);
  }
  void commit(NodeId id, const Stores& stores);
  [[nodiscard]] bool has_stores(NodeId id);
  /// Sets the A`k` that words below use; false if this word cannot.
  bool set_address(unsigned k);
  /// No word above will load this again.
  [[nodiscard]] bool is_finished(NodeId load);

  const Task& task_;
  FillState& state_;
  PlannedWord word_;
  Ports ports_;
  Mul mul_ = Mul::open;
  unsigned multipliers_ = 0, adders_ = 0, plain_moves_ = 0, any_moves_ = 0;
  Make adder_ = Make::add;
  bool pass_ = false, complex_ = false, branched_ = false;
  bool held_below_ = false;             ///< a store of this word must be below the next branch
  NodeId temporary_address_ = no_node;  ///< what A0 is set to in this word
  Places freed_;
  const Stores* storing_ = nullptr;

 private:
  [[nodiscard]] bool is_stored(std::int32_t output) const;
  bool load_register(NodeId id, Operands& operands) const;
  bool load_memory(NodeId id, Operands& operands) const;
  /// The address register through which loads with this address can go, or 0.
  [[nodiscard]] unsigned address_register(NodeId address, const HeldAddresses& held) const;
  void commit_load(const PlannedWord::Feed& feed);

  [[nodiscard]] bool may_store(std::uint16_t number) const;
  /// `may_set` = A0 can be set in this word.
  Stores stores_of(NodeId id, const std::array<PlannedWord::Store, 2>& taken, NodeId address, bool may_set);
  static bool put_store(Stores& stores, StoreKind kind, unsigned index, unsigned component, NodeId id);
  static bool put_temporary(Stores& stores, unsigned index, unsigned component, NodeId id, NodeId address,
                            bool may_set);
  bool put_home(Stores& stores, const Home& home, bool may_set) const;
  void commit_output(std::uint16_t number);
};

}  // namespace mobula::utgard_gp
