// What all words together can do, as clauses of the formula. It follows from what each word can, but only by counting,
// and without literals for numbers the solver counts by trying every way.
#include <algorithm>

#include "machines/utgard_gp/schedule/formula.h"

namespace mobula::utgard_gp {
namespace {

/// Literals for "at least one is true", "at least two", ... of what two such lists count, up to `most`.
std::vector<Sat::Literal> sum_of(Sat& sat, const std::vector<Sat::Literal>& a, const std::vector<Sat::Literal>& b,
                                 std::size_t most) {
  std::vector<Sat::Literal> sum(std::min(most, a.size() + b.size()));
  for (Sat::Literal& literal : sum) literal = sat.new_variable();
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size() && i + j <= sum.size(); ++j) {
      std::vector<Sat::Literal> enough, too_few;
      if (i > 0) enough.push_back(-a[i - 1]);
      if (j > 0) enough.push_back(-b[j - 1]);
      if (i < a.size()) too_few.push_back(a[i]);
      if (j < b.size()) too_few.push_back(b[j]);
      if (i + j > 0) {
        enough.push_back(sum[i + j - 1]);
        sat.add(enough);
      }
      if (i + j < sum.size()) {
        too_few.push_back(-sum[i + j]);
        sat.add(too_few);
      }
    }
  return sum;
}

std::vector<Sat::Literal> numbers_of(Sat& sat, std::span<const Sat::Literal> literals, std::size_t most) {
  if (literals.size() <= 1) return {literals.begin(), literals.end()};
  const std::size_t half = literals.size() / 2;
  // One after the other: the numbers of their variables decide what the search tries first.
  const std::vector<Sat::Literal> first = numbers_of(sat, literals.first(half), most);
  const std::vector<Sat::Literal> second = numbers_of(sat, literals.subspan(half), most);
  return sum_of(sat, first, second, most);
}

}  // namespace

Formula::Row Formula::done(const Row& row) {
  int last = static_cast<int>(words_) - 1;
  while (last > 0 && at(row, last) == 0) --last;
  Row done(words_, always_);
  Literal before = 0;
  for (int t = 0; t < last; ++t) {
    const Literal now = at(row, t);
    const Literal either = now == 0 && before == 0 ? 0 : sat_.new_variable();
    imply(now, {either});
    imply(before, {either});
    imply(either, {now, before});
    done[static_cast<std::size_t>(t)] = before = either;
  }
  return done;
}

Formula::Tally Formula::tally(const std::vector<Row>& done, unsigned t, unsigned most) {
  Tally tally;
  std::vector<Literal> open;
  for (const Row& row : done) {
    if (row[t] == always_)
      ++tally.surely;
    else if (row[t] != 0)
      open.push_back(row[t]);
  }
  tally.more = numbers_of(sat_, open, most - std::min(most, tally.surely) + 1);
  return tally;
}

Formula::Literal Formula::at_least(const Tally& tally, int number) const {
  const int more = number - static_cast<int>(tally.surely);
  if (more <= 0) return always_;
  return more <= static_cast<int>(tally.more.size()) ? tally.more[static_cast<std::size_t>(more - 1)] : -always_;
}

void Formula::limit_in_all(const std::vector<Row>& rows, const Row& idle) {
  constexpr int capacity = 2;
  std::vector<Row> all;
  for (const Row& row : rows) all.push_back(done(row));
  Tally before;
  for (unsigned t = 0; t < words_; ++t) {
    Tally now = tally(all, t, capacity * (t + 1));
    const int most = static_cast<int>(now.surely + now.more.size());
    for (int number = static_cast<int>(now.surely); number <= most; ++number) {
      sat_.add({-at_least(now, number), at_least(before, number - capacity)});
      if (idle[t] != 0) sat_.add({-at_least(now, number), -idle[t], at_least(before, number - capacity + 1)});
    }
    sat_.add({at_least(now, static_cast<int>(all.size()) - capacity * static_cast<int>(words_ - 1 - t))});
    before = std::move(now);
  }
}

Formula::Row Formula::any_of(const std::vector<const Row*>& rows) {
  Row any(words_, 0);
  for (unsigned t = 0; t < words_; ++t)
    for (const Row* row : rows) {
      const Literal literal = at(*row, static_cast<int>(t));
      if (literal != 0 && any[t] == 0) any[t] = sat_.new_variable();
      imply(literal, {any[t]});
    }
  return any;
}

void Formula::add_counts() {
  always_ = sat_.new_variable();
  sat_.add({always_});
  std::vector<Row> products, sums;
  std::vector<const Row*> multiplier_moves, adder_moves;
  for (NodeId id = 0; id < task_.nodes.size(); ++id) {
    const Node& made = node(id);
    const Work& work = work_[id];
    multiplier_moves.push_back(&work.mul_move);
    adder_moves.insert(adder_moves.end(), {&work.acc_move, &work.whole_acc});
    if (is_function(made.make)) products.push_back(work.square);
    if (is_function(made.make) || made.make == Make::select)  // takes both multipliers
      products.insert(products.end(), 2, made.make == Make::log2 ? work.combine : work.whole);
    if (made.make == Make::mul && !made.clamp) products.push_back(work.whole);
    if (is_adder(made.make) && !made.clamp) sums.push_back(work.whole);
  }
  limit_in_all(products, any_of(multiplier_moves));
  limit_in_all(sums, any_of(adder_moves));
}

}  // namespace mobula::utgard_gp
