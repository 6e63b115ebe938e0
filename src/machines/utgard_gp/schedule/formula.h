// The question whether a trace can be scheduled in so many words, as a propositional formula; see exact.h.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <span>
#include <vector>

#include "machines/utgard_gp/schedule/exact.h"
#include "machines/utgard_gp/schedule/state.h"

namespace mobula::utgard_gp {

class Formula {
 public:
  Formula(const Task& task, unsigned words, bool share_branch_words)
      : task_(task), words_(words), share_branch_words_(share_branch_words), work_(task.nodes.size()) {}

  ExactAnswer run(std::uint64_t conflicts, const Sat::MayGoOn& may_go_on);

 private:
  using Literal = Sat::Literal;
  /// Literals by word; 0 = cannot be.
  using Row = std::vector<Literal>;

  /// What can happen to a value, by word.
  struct Work {
    Row whole;      ///< the operation; of a function its last part: complex1, or postlog2
    Row whole_acc;  ///< the operation in an adder though multipliers can do it too: negation
    Row acc_move, mul_move, pass_move, complex_move;
    Row pre, table, square, combine;  ///< parts of function sequences; `combine` of log2 only
    Row readable;                     ///< by any operand, so not from the complex unit
    Row kept;                         ///< stored to its home
    /// By register and half: the home, a register component that holds nothing else in this trace, is there.
    std::array<std::array<Literal, 2>, register_count> home{};
  };

  /// A register from which a value can be read.
  struct Place {
    NodeId node = no_node;
    std::int16_t port = port_free;           ///< register; port_free = the value's home
    std::int32_t output = -1;                ///< whose store puts it there; -1 = there at entry, or `kept`
    std::vector<std::uint16_t> overwritten;  ///< outputs whose store replaces it
    std::uint8_t flat = 0;
    Row port0, port1;
  };

  [[nodiscard]] const Node& node(NodeId id) const { return task_.nodes[id]; }
  static Literal at(const Row& row, int word);
  /// Latest words in which an operation, a move and a read of each value can be of any use.
  void find_windows();
  [[nodiscard]] int last_store(const Output& output) const;
  Row row(int first, int last);
  void make_variables();
  /// Registers without another use in this trace are alike, so that the first value may only be in the first of them
  /// and each further one is taken after the one before it.
  void make_homes(Work& work);
  /// Every half of a register is home to as many values as it has free components.
  void add_homes();
  void add_place_of(Place place, int first);
  /// Branches are in order, that of the last segment in the last word.
  void add_branches();
  /// If `literal` then word t is not below the branch that ends a segment.
  void not_after(Literal literal, int t, std::size_t segment);
  /// If `literal` then word t is below the branch that ends a segment.
  void not_before(Literal literal, int t, int segment);
  /// A variable for a choice that excludes others, made when first asked for.
  using Choices = std::map<std::int32_t, Literal>;
  Literal choice(std::vector<Choices>& choices, unsigned word, std::int32_t key);
  Literal load(unsigned word, std::uint16_t address) { return choice(loads_, word, address); }
  Literal port0(unsigned word, std::int16_t source) { return choice(ports0_, word, source); }
  Literal port1(unsigned word, std::int16_t source) { return choice(ports1_, word, source); }
  Literal destination(unsigned word, unsigned half, unsigned to);
  /// If `literal` then one of `others`; absent literals (0) are false.
  void imply(Literal literal, std::span<const Literal> others);
  void imply(Literal literal, std::initializer_list<Literal> others) {
    imply(literal, std::span(others.begin(), others.size()));
  }
  /// Numbers that the non-complex units hold after word t.
  void append_plain(NodeId id, int t, bool with_combine, std::vector<Literal>& to) const;
  /// What makes a value in word t so that the same word can store it.
  std::vector<Literal> makers(NodeId id, int t) const;
  void add_value(NodeId id);
  /// One of these.
  void require(std::vector<Literal> literals);
  /// From where word t can read the value.
  void add_sources(NodeId id, int t);
  /// An a operand.
  void reads(Literal reader, NodeId id, int t);
  /// A b operand, or both.
  void reads_b(Literal reader, NodeId id, int t) { imply(reader, {at(work_[id].readable, t)}); }

  void add_operation(NodeId id, int t);
  void add_function(NodeId id, int t);
  void add_place(const Place& place);
  void add_outputs();
  void add_word(unsigned t);
  void add_numbers(unsigned t);
  /// How many of some things have happened: a number that surely have, and literals for one more, two more, ...
  struct Tally {
    unsigned surely = 0;
    std::vector<Literal> more;
  };
  /// By word, whether what must happen in one of the row's has happened in that word or above.
  Row done(const Row& row);
  /// Of these by word t. Numbers above `most` need not be told apart.
  Tally tally(const std::vector<Row>& done, unsigned t, unsigned most);
  [[nodiscard]] Literal at_least(const Tally& tally, int number) const;
  /// Each of the rows must happen, two at most in a word, and one at most beside what `idle` says.
  void limit_in_all(const std::vector<Row>& rows, const Row& idle);
  Row any_of(const std::vector<const Row*>& rows);
  /// What multipliers and adders do in all words.
  void add_counts();
  [[nodiscard]] bool holds(const Row& row, unsigned word) const;
  Plan decode();
  void decode_word(unsigned t, PlannedWord& word) const;
  static void put_store(PlannedWord& word, StoreKind kind, unsigned flat, NodeId id);
  [[nodiscard]] std::int16_t chosen(const std::vector<Choices>& choices, unsigned t) const;
  void decode_loads(unsigned t, Plan& plan) const;
  void choose_homes();

  const Task& task_;
  unsigned words_;
  bool share_branch_words_;
  Sat sat_;
  std::vector<Work> work_;  ///< by node
  std::vector<int> last_work_, last_make_, last_read_;
  std::vector<Place> places_;
  std::vector<Row> stores_;  ///< by output
  std::vector<Choices> loads_, ports0_, ports1_;
  std::array<std::vector<Choices>, 2> destinations_;
  std::vector<Row> branches_;     ///< by segment
  std::vector<Row> branched_;     ///< by segment: in this word or above
  std::vector<Literal> implied_;  ///< of imply
  Literal always_ = 0;            ///< true
  bool impossible_ = false;
  std::array<std::vector<Literal>, register_count> homed_;  ///< who may be at home in each register
  std::map<NodeId, std::uint8_t> homes_;
};

}  // namespace mobula::utgard_gp
