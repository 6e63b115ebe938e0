// Satisfiability of propositional formulas: clause learning with watched literals, restarts, an activity order, and
// values to begin with from the best that was seen. Small and deterministic; what the exact search of schedules needs
// and no more.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <vector>

namespace mobula::utgard_gp {

class Sat {
 public:
  /// A variable is a positive literal; -x is its negation. 0 is not a literal.
  using Literal = std::int32_t;
  enum class Answer : std::uint8_t { no, yes, unknown };
  using MayGoOn = std::function<bool(std::uint64_t steps)>;

  Literal new_variable();
  /// At least one of the literals is true.
  void add(std::span<const Literal> clause);
  void add(std::initializer_list<Literal> clause) { add(std::span(clause.begin(), clause.size())); }
  /// At most `limit` of the literals are true.
  void at_most(unsigned limit, std::span<const Literal> literals);

  /// `unknown` after so many conflicts, or once `may_go_on` says no. That is asked at each conflict, and told how many
  /// steps there have been in all.
  Answer solve(
      std::uint64_t conflicts, const MayGoOn& may_go_on = [](std::uint64_t) { return true; });
  /// After the answer `yes`.
  [[nodiscard]] bool is_true(Literal literal) const { return value(code(literal)) == Value::yes; }
  [[nodiscard]] std::size_t variables() const { return variables_.size(); }
  [[nodiscard]] std::uint64_t conflicts() const { return conflicts_; }
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  using Code = std::uint32_t;  ///< 2 * variable + 1 if negated
  using ClauseId = std::uint32_t;
  static constexpr ClauseId no_clause = 0xFFFFFFFF;
  enum class Value : std::uint8_t { no, yes, open };

  struct Variable {
    Value value = Value::open;
    bool phase = false;  ///< the value to try first: the last one, or what restart() says
    bool seen = false;   ///< mark of analyse
    std::uint32_t level = 0;
    ClauseId reason = no_clause;
    double activity = 0;
    std::int32_t heap = -1;  ///< place in the heap
  };
  struct Clause {
    std::uint32_t first = 0, size = 0;  ///< its literals; the first two are watched
    float activity = 0;
    bool learnt = false;
    std::uint32_t glue = 0;  ///< decisions that its literals followed from when it was learnt
  };
  struct Watch {
    ClauseId clause;
    bool is_pair;  ///< the clause has this literal and the blocker alone
    Code blocker;  ///< another literal of the clause; if it is true the clause need not be looked at
  };

  static Code code(Literal literal) {
    return literal > 0 ? 2 * static_cast<Code>(literal - 1) : 2 * static_cast<Code>(-literal - 1) + 1;
  }
  [[nodiscard]] Value value(Code literal) const {
    const Value of = variables_[literal / 2].value;
    if (of == Value::open) return of;
    return (of == Value::yes) == (literal % 2 == 0) ? Value::yes : Value::no;
  }
  [[nodiscard]] std::uint32_t level() const { return static_cast<std::uint32_t>(level_starts_.size()); }

  [[nodiscard]] std::span<Code> literals(const Clause& clause) {
    return std::span(literals_).subspan(clause.first, clause.size);
  }
  void keep(std::span<const Code> literals, const Clause& facts);
  void attach(ClauseId id);
  void assign(Code literal, ClauseId reason);
  ClauseId propagate();
  std::uint32_t analyse(ClauseId conflict);
  bool is_implied(Code literal);
  void count_decisions();
  void learn();
  void remember_best();
  void restart();
  void undo(std::uint32_t level);
  bool decide();
  void forget();
  void bump(std::uint32_t variable);
  bool above(std::uint32_t a, std::uint32_t b) const;
  void rise(std::size_t place);
  void sink(std::size_t place);
  void insert(std::uint32_t variable);

  std::vector<Variable> variables_;
  std::vector<Clause> clauses_;
  std::vector<Code> literals_;               ///< of the clauses, one after the other
  std::vector<std::vector<Watch>> watches_;  ///< by literal: clauses to look at when it becomes false
  std::vector<Code> trail_;
  std::vector<std::size_t> level_starts_;
  std::size_t propagated_ = 0;
  std::vector<std::uint32_t> heap_;               ///< open variables, the most active first
  std::vector<Code> learnt_;                      ///< result of analyse; the first literal becomes true
  std::uint32_t glue_ = 0;                        ///< of it
  std::vector<Code> open_;                        ///< of is_implied: what is still to be shown to follow
  std::vector<std::uint32_t> implied_;            ///< variables that it has shown to, for this conflict
  std::vector<std::uint64_t> conflict_of_level_;  ///< of count_decisions: the last one in which the level was counted
  std::vector<Code> added_;                       ///< of add
  std::vector<Code> best_;                        ///< the longest trail up to a conflict, since it was last begun from
  std::uint64_t restarts_ = 0;
  double bump_ = 1;
  float clause_bump_ = 1;
  std::size_t learnt_count_ = 0, learnt_limit_ = 4000;
  std::uint64_t conflicts_ = 0;
  std::uint64_t steps_ = 0;  ///< literals given and clauses looked at: as many on every computer
  bool contradiction_ = false;
};

}  // namespace mobula::utgard_gp
