#include "machines/utgard_gp/schedule/search.h"

#include <algorithm>
#include <functional>
#include <unordered_set>
#include <utility>

#include "machines/utgard_gp/schedule/fill.h"

namespace mobula::utgard_gp {
namespace {

/// A filled word and what it stands on.
struct Step {
  std::int32_t below = -1;
  FilledWord filled;
};

struct Candidate {
  FillState state;
  std::int32_t step = -1;
  double cost = 0;
};

class Beam {
 public:
  Beam(const Task& task, const SearchLimits& limits) : task_(task), limits_(limits), best_words_(limits.below) {}

  std::optional<Found> run() {
    unsigned width = 4;
    for (std::uint64_t round = 0; best_words_ > limits_.enough && may_go_on(round); ++round) {
      pass(width, round);
      if (round % 2 == 1) width = std::min(width * 2, 256u);
    }
    if (!best_) return std::nullopt;
    return Found{std::move(*best_), fills_};
  }

 private:
  /// Within the budget, except that something is to be found at all.
  [[nodiscard]] bool may_go_on(std::uint64_t round) const {
    return fills_ < limits_.fills || (may_fill() && round < limits_.rounds_without_result);
  }
  [[nodiscard]] bool may_fill() const { return fills_ < limits_.fills + (best_ ? 0 : limits_.more_without_result); }

  void pass(unsigned width, std::uint64_t seed) {
    Random random(seed + 1);
    random.next();
    steps_.clear();
    std::vector<Candidate> level(1);
    level[0].state = first_state(task_);
    const FillStyle base = style(random, seed);
    while (!level.empty() && may_fill()) {
      limits_.tried(fills_);
      std::vector<Candidate> next;
      std::unordered_set<std::uint64_t> seen;
      for (const Candidate& candidate : level) expand(candidate, base, random, next, seen);
      if (next.size() > width) {
        // Of those that cost the same the earlier ones, from the last to the first: whatever the C++ library does with
        // what is equal, the same words come out.
        const auto by_cost = [](const Candidate& each) { return std::pair(each.cost, each.step); };
        std::ranges::nth_element(next, next.begin() + width, {}, by_cost);
        next.resize(width);
        std::ranges::sort(next, std::ranges::greater(), &Candidate::step);
      }
      std::erase_if(next, [&](const Candidate& each) {
        return each.state.words + words_needed(task_, each.state) >= best_words_;
      });
      level = std::move(next);
    }
  }

  [[nodiscard]] FillStyle style(Random& random, std::uint64_t seed) const {
    FillStyle style;
    style.share_branch_words = limits_.share_branch_words;
    if (seed == 0) return style;
    style.height = 0.3 + random.unit() * 1.5;
    style.near = random.unit() * 4;
    style.direct = random.unit();
    style.conflict = random.unit() * 2;
    style.live = random.unit() * 1.5;
    style.noise = 0.2 + random.unit() * 2;
    style.convert = random.unit();
    style.early = random.unit() * 0.3;
    style.live_limit = 6 + static_cast<unsigned>(random.below(8));
    return style;
  }

  void expand(const Candidate& from, const FillStyle& base, Random& random, std::vector<Candidate>& next,
              std::unordered_set<std::uint64_t>& seen) {
    const std::vector<std::int16_t> loads = useful_loads(task_, from.state);
    constexpr unsigned tries = 2;
    for (unsigned i = 0; i < tries; ++i) {
      FillStyle style = random.unit() < 0.5 ? base : this->style(random, 1);
      if (!loads.empty() && random.unit() < 0.7) style.load = loads[random.below(loads.size())];
      Candidate candidate{from.state, -1, 0};
      ++fills_;
      auto filled = fill(task_, candidate.state, style, random);
      if (!filled) continue;
      if (candidate.state.done()) {
        if (candidate.state.words < best_words_) {
          steps_.push_back({from.step, std::move(*filled)});
          keep(static_cast<std::int32_t>(steps_.size()) - 1, candidate.state.words);
        }
        continue;
      }
      const unsigned needed = words_needed(task_, candidate.state);
      if (candidate.state.words + needed >= best_words_) continue;
      if (!seen.insert(signature(candidate.state)).second) continue;
      steps_.push_back({from.step, std::move(*filled)});
      candidate.step = static_cast<std::int32_t>(steps_.size()) - 1;
      candidate.cost = cost(candidate.state, needed);
      next.push_back(std::move(candidate));
    }
  }

  static std::uint64_t signature(const FillState& state) {
    std::uint64_t hash = state.hash;
    for (const Demand& demand : state.demands)
      hash += (std::uint64_t{demand.node} * 32 + demand.bits + 1) * 0x9E3779B97F4A7C15;
    for (const Home& home : state.homes) hash += (std::uint64_t{home.node} + 7) * 0xD6E8FEB86659FD93;
    return hash;
  }

  double cost(const FillState& state, unsigned needed) const {
    double adders = 0, multipliers = 0;
    const auto& counts = state.remaining.by_height;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const std::size_t kind = i % Remaining::kinds;
      if (kind < Remaining::mul)
        adders += counts[i];
      else if (kind == Remaining::mul || kind == Remaining::square)
        multipliers += counts[i];
      else if (kind == Remaining::wide)
        multipliers += 2 * counts[i];
    }
    double pending = 0;
    for (const Demand& demand : state.demands) pending += task_.nodes[demand.node].is_leaf() ? 0.6 : 1.0;
    return needed + 0.4 * loads_needed(task_, state) + 0.3 * (adders / 2 + multipliers / 2) + 0.08 * pending +
           0.05 * static_cast<double>(state.homes.size());
  }

  void keep(std::int32_t last, unsigned words) {
    Plan plan;
    std::vector<const FilledWord*> upward;  // from the top of the trace
    for (std::int32_t step = last; step >= 0; step = steps_[static_cast<std::size_t>(step)].below)
      upward.push_back(&steps_[static_cast<std::size_t>(step)].filled);
    for (const FilledWord* filled : upward) plan.push_back(filled->word);
    for (std::size_t i = 0; i < upward.size(); ++i)
      for (const Patch& patch : upward[i]->patches) {
        PlannedWord& word = plan[i + patch.back];
        load(patch.feed, word);
        word.feeds.push_back(patch.feed);
      }
    best_ = std::move(plan);
    best_words_ = words;
  }

  /// Lets the word load what the feed comes from.
  void load(const PlannedWord::Feed& feed, PlannedWord& word) const {
    if (is_temporary_place(feed.flat))
      word.load = load_at(task_.temporaries[temporary_of(feed.flat)].vec4);
    else
      (feed.port == PlannedWord::Feed::port0 ? word.port0 : word.port1) = static_cast<std::int16_t>(feed.flat / 4);
  }

  const Task& task_;
  SearchLimits limits_;
  std::vector<Step> steps_;
  std::optional<Plan> best_;
  unsigned best_words_;
  std::uint64_t fills_ = 0;
};

}  // namespace

std::optional<Found> search(const Task& task, const SearchLimits& limits) { return Beam(task, limits).run(); }

}  // namespace mobula::utgard_gp
