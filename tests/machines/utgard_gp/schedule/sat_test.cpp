#include "machines/utgard_gp/schedule/sat.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <vector>

namespace mobula::utgard_gp {
namespace {

using Literal = Sat::Literal;
constexpr std::uint64_t plenty = 1'000'000;

std::vector<Literal> variables(Sat& sat, unsigned count) {
  std::vector<Literal> made;
  for (unsigned i = 0; i < count; ++i) made.push_back(sat.new_variable());
  return made;
}

TEST(Sat, AnswersSmallQuestions) {
  Sat empty;
  EXPECT_EQ(empty.solve(plenty), Sat::Answer::yes);

  Sat chain;
  const auto x = variables(chain, 3);
  chain.add({x[0]});
  chain.add({-x[0], x[1]});
  chain.add({-x[1], -x[2]});
  ASSERT_EQ(chain.solve(plenty), Sat::Answer::yes);
  EXPECT_TRUE(chain.is_true(x[1]));
  EXPECT_FALSE(chain.is_true(x[2]));

  Sat contradiction;
  const Literal y = contradiction.new_variable();
  contradiction.add({y});
  contradiction.add({-y});
  EXPECT_EQ(contradiction.solve(plenty), Sat::Answer::no);
}

TEST(Sat, AtMostCounts) {
  for (unsigned limit = 0; limit <= 4; ++limit)
    for (unsigned wanted = 0; wanted <= 4; ++wanted) {
      Sat sat;
      const auto x = variables(sat, 4);
      sat.at_most(limit, x);
      for (unsigned i = 0; i < wanted; ++i) sat.add({x[3 - i]});
      EXPECT_EQ(sat.solve(plenty) == Sat::Answer::yes, wanted <= limit) << limit << ' ' << wanted;
    }
}

/// More pigeons than holes: the classic that takes search to refute.
TEST(Sat, RefutesPigeons) {
  constexpr unsigned pigeons = 7;
  Sat sat;
  std::vector<std::vector<Literal>> holes(pigeons - 1);
  for (unsigned i = 0; i < pigeons; ++i) {
    const auto places = variables(sat, pigeons - 1);
    sat.add(places);
    for (unsigned hole = 0; hole < holes.size(); ++hole) holes[hole].push_back(places[hole]);
  }
  for (const auto& hole : holes) sat.at_most(1, hole);
  Sat same = sat;
  EXPECT_EQ(same.solve(3), Sat::Answer::unknown);
  Sat bounded = sat;
  std::uint64_t told = 0;
  EXPECT_EQ(bounded.solve(plenty, [&](std::uint64_t steps) { return (told = steps) < 500; }), Sat::Answer::unknown);
  EXPECT_GE(told, 500u);
  EXPECT_LT(told, 5000u);
  EXPECT_EQ(sat.solve(plenty), Sat::Answer::no);
  EXPECT_GT(sat.conflicts(), 3u);
}

TEST(Sat, AgreesWithTryingAllAssignments) {
  std::mt19937 random(1);
  unsigned satisfiable = 0;
  for (unsigned round = 0; round < 400; ++round) {
    constexpr unsigned count = 10;
    Sat sat;
    const auto x = variables(sat, count);
    std::vector<std::vector<Literal>> clauses;
    for (unsigned i = 0; i < 43; ++i) {
      std::vector<Literal> clause;
      for (unsigned k = 0; k < 3; ++k) clause.push_back(x[random() % count] * (random() % 2 == 0 ? 1 : -1));
      sat.add(clause);
      clauses.push_back(std::move(clause));
    }
    const auto holds = [&](const auto& is_true) {
      return std::all_of(clauses.begin(), clauses.end(),
                         [&](const auto& clause) { return std::any_of(clause.begin(), clause.end(), is_true); });
    };
    bool possible = false;
    for (unsigned bits = 0; bits < 1u << count && !possible; ++bits)
      possible = holds([&](Literal literal) { return ((bits >> (std::abs(literal) - 1) & 1) != 0) == (literal > 0); });
    ASSERT_EQ(sat.solve(plenty), possible ? Sat::Answer::yes : Sat::Answer::no);
    EXPECT_EQ(possible && holds([&](Literal literal) { return sat.is_true(literal); }), possible);
    satisfiable += possible ? 1 : 0;
  }
  EXPECT_GT(satisfiable, 40u);
  EXPECT_LT(satisfiable, 360u);
}

}  // namespace
}  // namespace mobula::utgard_gp
