#include "machines/utgard_gp/schedule/sat.h"

#include <algorithm>
#include <utility>

namespace mobula::utgard_gp {
namespace {

/// 1 1 2 1 1 2 4 1 1 2 ...: restarts after these multiples of a base waste little whatever the right pause is.
std::uint64_t luby(std::uint64_t index) {
  std::uint64_t size = 1, value = 1;
  while (size < index + 1) {
    size = 2 * size + 1;
    value *= 2;
  }
  while (size - 1 != index) {
    size /= 2;
    value /= 2;
    index %= size;
  }
  return value;
}

constexpr std::uint64_t restart_base = 128;

}  // namespace

Sat::Literal Sat::new_variable() {
  variables_.emplace_back();
  watches_.resize(2 * variables_.size());
  insert(static_cast<std::uint32_t>(variables_.size() - 1));
  return static_cast<Literal>(variables_.size());
}

void Sat::add(std::span<const Literal> clause) {
  steps_ += clause.size();
  std::vector<Code>& literals = added_;
  literals.clear();
  for (const Literal literal : clause) literals.push_back(code(literal));
  std::sort(literals.begin(), literals.end());
  literals.erase(std::unique(literals.begin(), literals.end()), literals.end());
  for (std::size_t i = 0; i + 1 < literals.size(); ++i)
    if (literals[i + 1] == (literals[i] ^ 1)) return;
  if (std::any_of(literals.begin(), literals.end(), [&](Code literal) { return value(literal) == Value::yes; })) return;
  std::erase_if(literals, [&](Code literal) { return value(literal) == Value::no; });
  if (literals.empty()) {
    contradiction_ = true;
  } else if (literals.size() == 1) {
    assign(literals[0], no_clause);
    contradiction_ |= propagate() != no_clause;
  } else {
    keep(literals, {});
  }
}

void Sat::at_most(unsigned limit, std::span<const Literal> literals) {
  if (literals.size() <= limit) return;
  if (limit == 0) {
    for (const Literal literal : literals) add({-literal});
    return;
  }
  // counters[j]: more than j of the literals so far are true.
  std::vector<Literal> counters;
  for (std::size_t i = 0; i < literals.size(); ++i) {
    if (counters.size() == limit) add({-literals[i], -counters[limit - 1]});
    if (i + 1 == literals.size()) return;
    std::vector<Literal> next;
    for (std::size_t j = 0; j < std::min<std::size_t>(limit, i + 1); ++j) {
      next.push_back(new_variable());
      if (j < counters.size()) add({-counters[j], next[j]});
      if (j == 0)
        add({-literals[i], next[0]});
      else
        add({-literals[i], -counters[j - 1], next[j]});
    }
    counters = std::move(next);
  }
}

void Sat::keep(std::span<const Code> literals, const Clause& facts) {
  clauses_.push_back(facts);
  clauses_.back().first = static_cast<std::uint32_t>(literals_.size());
  clauses_.back().size = static_cast<std::uint32_t>(literals.size());
  literals_.insert(literals_.end(), literals.begin(), literals.end());
  attach(static_cast<ClauseId>(clauses_.size() - 1));
}

void Sat::attach(ClauseId id) {
  const std::span<const Code> of = literals(clauses_[id]);
  watches_[of[0]].push_back({id, of.size() == 2, of[1]});
  watches_[of[1]].push_back({id, of.size() == 2, of[0]});
}

void Sat::assign(Code literal, ClauseId reason) {
  Variable& variable = variables_[literal / 2];
  variable.value = literal % 2 == 0 ? Value::yes : Value::no;
  variable.phase = literal % 2 == 0;
  variable.level = level();
  variable.reason = reason;
  trail_.push_back(literal);
}

/// Assigns what follows; a clause all of whose literals are false, or none.
Sat::ClauseId Sat::propagate() {
  while (propagated_ < trail_.size()) {
    const Code falsified = trail_[propagated_++] ^ 1;
    std::vector<Watch>& watches = watches_[falsified];
    steps_ += watches.size();
    std::size_t kept = 0;
    for (std::size_t i = 0; i < watches.size(); ++i) {
      const Watch watch = watches[i];
      if (value(watch.blocker) == Value::yes) {
        watches[kept++] = watch;
        continue;
      }
      Code* const of = literals_.data() + clauses_[watch.clause].first;
      Code* const end = of + clauses_[watch.clause].size;
      if (of[0] == falsified) std::swap(of[0], of[1]);
      if (!watch.is_pair) {
        if (value(of[0]) == Value::yes) {
          watches[kept++] = {watch.clause, false, of[0]};
          continue;
        }
        Code* const other = std::find_if(of + 2, end, [&](Code literal) { return value(literal) != Value::no; });
        if (other != end) {
          std::swap(of[1], *other);
          watches_[of[1]].push_back({watch.clause, false, of[0]});
          continue;
        }
      }
      watches[kept++] = watch;
      if (value(of[0]) == Value::no) {
        while (++i < watches.size()) watches[kept++] = watches[i];
        watches.resize(kept);
        return watch.clause;
      }
      assign(of[0], watch.clause);
    }
    watches.resize(kept);
  }
  return no_clause;
}

/// Finds the clause that keeps the solver from running into this conflict again, and the level to return to.
std::uint32_t Sat::analyse(ClauseId conflict) {
  learnt_.assign(1, 0);
  std::size_t at = trail_.size();
  unsigned open = 0;
  Code pivot = 0;
  for (ClauseId id = conflict;;) {
    Clause& clause = clauses_[id];
    if (clause.learnt) clause.activity += clause_bump_;
    for (const Code literal : literals(clause).subspan(id == conflict ? 0 : 1)) {
      Variable& variable = variables_[literal / 2];
      if (variable.seen || variable.level == 0) continue;
      variable.seen = true;
      bump(literal / 2);
      if (variable.level == level())
        ++open;
      else
        learnt_.push_back(literal);
    }
    do pivot = trail_[--at];
    while (!variables_[pivot / 2].seen);
    if (--open == 0) break;
    id = variables_[pivot / 2].reason;
    variables_[pivot / 2].seen = false;
  }
  learnt_[0] = pivot ^ 1;
  const std::vector<Code> marked = learnt_;
  learnt_.erase(std::remove_if(learnt_.begin() + 1, learnt_.end(), [&](Code literal) { return is_implied(literal); }),
                learnt_.end());
  for (const Code literal : marked) variables_[literal / 2].seen = false;
  for (const std::uint32_t variable : implied_) variables_[variable].seen = false;
  implied_.clear();
  count_decisions();
  std::uint32_t back = 0;
  for (std::size_t i = 1; i < learnt_.size(); ++i)
    if (const std::uint32_t level = variables_[learnt_[i] / 2].level; level > back) {
      back = level;
      std::swap(learnt_[1], learnt_[i]);
    }
  return back;
}

/// True if the other literals of the learnt clause make this one superfluous: all that it follows from are among them,
/// or follow from them.
bool Sat::is_implied(Code literal) {
  if (variables_[literal / 2].reason == no_clause) return false;
  const std::size_t before = implied_.size();
  open_.assign(1, literal);
  while (!open_.empty()) {
    const Clause& reason = clauses_[variables_[open_.back() / 2].reason];
    open_.pop_back();
    for (const Code from : literals(reason).subspan(1)) {
      Variable& variable = variables_[from / 2];
      if (variable.seen || variable.level == 0) continue;
      if (variable.reason == no_clause) {
        for (std::size_t k = before; k < implied_.size(); ++k) variables_[implied_[k]].seen = false;
        implied_.resize(before);
        return false;
      }
      variable.seen = true;
      implied_.push_back(from / 2);
      open_.push_back(from);
    }
  }
  return true;
}

void Sat::count_decisions() {
  conflict_of_level_.resize(std::max<std::size_t>(conflict_of_level_.size(), level() + 1));
  glue_ = 0;
  for (const Code literal : learnt_) {
    std::uint64_t& counted = conflict_of_level_[variables_[literal / 2].level];
    if (counted != conflicts_) ++glue_;
    counted = conflicts_;
  }
}

void Sat::learn() {
  if (learnt_.size() == 1) {
    assign(learnt_[0], no_clause);
    return;
  }
  keep(learnt_, {.activity = clause_bump_, .learnt = true, .glue = glue_});
  ++learnt_count_;
  assign(learnt_[0], static_cast<ClauseId>(clauses_.size() - 1));
}

void Sat::undo(std::uint32_t to) {
  if (level() <= to) return;
  while (trail_.size() > level_starts_[to]) {
    const std::uint32_t variable = trail_.back() / 2;
    trail_.pop_back();
    variables_[variable].value = Value::open;
    if (variables_[variable].heap < 0) insert(variable);
  }
  level_starts_.resize(to);
  propagated_ = trail_.size();
}

/// False if every variable has a value.
bool Sat::decide() {
  while (!heap_.empty()) {
    const std::uint32_t variable = heap_[0];
    variables_[variable].heap = -1;
    heap_[0] = heap_.back();
    heap_.pop_back();
    if (!heap_.empty() && variable != heap_[0]) {
      variables_[heap_[0]].heap = 0;
      sink(0);
    }
    if (variables_[variable].value != Value::open) continue;
    level_starts_.push_back(trail_.size());
    assign(2 * variable + (variables_[variable].phase ? 0 : 1), no_clause);
    return true;
  }
  return false;
}

/// Drops the less useful half of what was learnt, but for clauses that connect two decisions. Only at level 0, where no
/// clause is a reason that matters.
void Sat::forget() {
  const auto may_go = [](const Clause& clause) { return clause.learnt && clause.size > 2 && clause.glue > 2; };
  std::vector<float> activities;
  for (const Clause& clause : clauses_)
    if (may_go(clause)) activities.push_back(clause.activity);
  if (activities.empty()) return;
  const auto middle = activities.begin() + static_cast<std::ptrdiff_t>(activities.size() / 2);
  std::nth_element(activities.begin(), middle, activities.end());
  const float limit = *middle;
  for (auto& watches : watches_) watches.clear();
  const std::vector<Clause> clauses = std::exchange(clauses_, {});
  const std::vector<Code> all = std::exchange(literals_, {});
  learnt_count_ = 0;
  for (const Clause& clause : clauses) {
    if (may_go(clause) && clause.activity < limit) continue;
    learnt_count_ += clause.learnt ? 1 : 0;
    keep(std::span(all).subspan(clause.first, clause.size), clause);
  }
  for (const Code literal : trail_) variables_[literal / 2].reason = no_clause;
  propagated_ = 0;
}

/// Where a conflict comes late, most of the values may be those of a solution.
void Sat::remember_best() {
  if (trail_.size() > best_.size()) best_ = trail_;
}

/// Decides anew, now and then from the best values so far, and more rarely from none: in most solutions nearly all
/// variables are false.
void Sat::restart() {
  constexpr std::uint64_t between_values = 4, between_clearings = 16;
  undo(0);
  if (learnt_count_ > learnt_limit_) {
    forget();
    learnt_limit_ += learnt_limit_ / 10;
  }
  if (++restarts_ % between_values != 0) return;
  for (Variable& variable : variables_) variable.phase = false;
  if (restarts_ % between_clearings != 0)
    for (const Code literal : best_) variables_[literal / 2].phase = literal % 2 == 0;
  best_.clear();
}

Sat::Answer Sat::solve(std::uint64_t conflicts, const MayGoOn& may_go_on) {
  if (contradiction_ || propagate() != no_clause) return Answer::no;
  const std::uint64_t last = conflicts_ + conflicts;
  std::uint64_t until_restart = restart_base * luby(restarts_);
  while (true) {
    if (const ClauseId conflict = propagate(); conflict != no_clause) {
      if (level() == 0) return Answer::no;
      ++conflicts_;
      if (!may_go_on(steps_)) {
        undo(0);
        return Answer::unknown;
      }
      remember_best();
      const std::uint32_t back = analyse(conflict);
      undo(back);
      learn();
      bump_ /= 0.95;
      clause_bump_ /= 0.999F;
      if (clause_bump_ > 1e20F) {
        for (Clause& clause : clauses_) clause.activity *= 1e-20F;
        clause_bump_ *= 1e-20F;
      }
      if (until_restart > 0) --until_restart;
      continue;
    }
    if (conflicts_ >= last) {
      undo(0);
      return Answer::unknown;
    }
    if (until_restart == 0) {
      restart();
      until_restart = restart_base * luby(restarts_);
      continue;
    }
    if (!decide()) return Answer::yes;
  }
}

// ------------------------------------------------------------------------------------------------ order of decisions

void Sat::bump(std::uint32_t variable) {
  variables_[variable].activity += bump_;
  if (variables_[variable].activity > 1e100) {
    for (Variable& each : variables_) each.activity *= 1e-100;
    bump_ *= 1e-100;
  }
  if (variables_[variable].heap >= 0) rise(static_cast<std::size_t>(variables_[variable].heap));
}

bool Sat::above(std::uint32_t a, std::uint32_t b) const { return variables_[a].activity > variables_[b].activity; }

void Sat::rise(std::size_t place) {
  const std::uint32_t variable = heap_[place];
  while (place > 0 && above(variable, heap_[(place - 1) / 2])) {
    heap_[place] = heap_[(place - 1) / 2];
    variables_[heap_[place]].heap = static_cast<std::int32_t>(place);
    place = (place - 1) / 2;
  }
  heap_[place] = variable;
  variables_[variable].heap = static_cast<std::int32_t>(place);
}

void Sat::sink(std::size_t place) {
  const std::uint32_t variable = heap_[place];
  while (2 * place + 1 < heap_.size()) {
    std::size_t child = 2 * place + 1;
    if (child + 1 < heap_.size() && above(heap_[child + 1], heap_[child])) ++child;
    if (!above(heap_[child], variable)) break;
    heap_[place] = heap_[child];
    variables_[heap_[place]].heap = static_cast<std::int32_t>(place);
    place = child;
  }
  heap_[place] = variable;
  variables_[variable].heap = static_cast<std::int32_t>(place);
}

void Sat::insert(std::uint32_t variable) {
  heap_.push_back(variable);
  rise(heap_.size() - 1);
}

}  // namespace mobula::utgard_gp
