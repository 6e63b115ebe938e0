#include "machines/rogue/merge/search.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

namespace mobula::rogue {
namespace {

/// Members, in parts of 60: a group of k saves k - 1 of them.
constexpr std::uint32_t whole = 60;

std::uint32_t count_of(Members set) { return static_cast<std::uint32_t>(std::popcount(set)); }
template <class Act>
void each_member(Members set, Act act) {
  for (; set != 0; set &= set - 1) act(static_cast<std::uint32_t>(std::countr_zero(set)));
}

/// A price for each member, so that no cluster saves more than its members cost together. What any members save is then
/// at most their prices. (The dual of packing clusters into members; any such prices will do, low ones bound better.)
class Prices {
 public:
  explicit Prices(const SearchTask& task) : by_member_(task.before.size()), prices_(task.before.size()) {
    for (const Members cluster : task.clusters)
      each_member(cluster, [&](std::uint32_t member) {
        by_member_[member].push_back(cluster);
        const std::uint32_t size = count_of(cluster);
        prices_[member] = std::max(prices_[member], (whole * (size - 1) + size - 1) / size);
      });
    lower_all();
    while (improve()) {
    }
  }
  [[nodiscard]] std::uint32_t operator[](std::uint32_t member) const { return prices_[member]; }

 private:
  /// What the member has to cost beside the others.
  [[nodiscard]] std::uint32_t least(std::uint32_t member) const {
    std::uint32_t most = 0;
    for (const Members cluster : by_member_[member]) {
      std::uint32_t others = 0;
      each_member(cluster & ~bit(member), [&](std::uint32_t other) { others += prices_[other]; });
      const std::uint32_t saved = whole * (count_of(cluster) - 1);
      most = std::max(most, saved > others ? saved - others : 0);
    }
    return most;
  }
  void lower_all() {
    for (std::uint32_t member = 0; member < prices_.size(); ++member) prices_[member] = least(member);
  }
  /// Whether it is cheaper if one member pays for all clusters that it is in, and its neighbours for less.
  bool improve() {
    bool any = false;
    for (std::uint32_t member = 0; member < prices_.size(); ++member) {
      const std::vector<std::uint32_t> before = prices_;
      Members near = 0;
      for (const Members cluster : by_member_[member]) near |= cluster;
      for (const Members cluster : by_member_[member])
        prices_[member] = std::max(prices_[member], whole * (count_of(cluster) - 1));
      each_member(near & ~bit(member), [&](std::uint32_t other) { prices_[other] = least(other); });
      prices_[member] = least(member);
      if (sum(prices_) < sum(before))
        any = true;
      else
        prices_ = before;
    }
    return any;
  }
  static std::uint64_t sum(const std::vector<std::uint32_t>& prices) {
    std::uint64_t all = 0;
    for (const std::uint32_t price : prices) all += price;
    return all;
  }

  std::vector<std::vector<Members>> by_member_;
  std::vector<std::uint32_t> prices_;
};

/// Goes through what may have been done first, most promising first, and back where the prices say that nothing better
/// comes.
class Search {
 public:
  Search(const SearchTask& task, std::uint32_t states) : task_(task), states_(states), prices_(task) {
    const auto count = static_cast<std::uint32_t>(task.before.size());
    all_ = count == most_members ? ~Members{0} : bit(count) - 1;
    clusters_ = task.clusters;
    std::ranges::sort(
        clusters_, [](Members a, Members b) { return count_of(a) != count_of(b) ? count_of(a) > count_of(b) : a < b; });
    std::erase_if(clusters_, [&](Members cluster) { return stands_in_its_own_way(cluster); });
    for (const Members cluster : clusters_) {
      Members before = 0;
      each_member(cluster, [&](std::uint32_t member) { before |= task.before[member]; });
      before_.push_back(before & ~cluster);
    }
  }

  SearchResult run() {
    best_count_ = count_of(all_) + 1;
    std::vector<std::uint32_t> clusters(clusters_.size());
    for (std::uint32_t i = 0; i < clusters.size(); ++i) clusters[i] = i;
    const std::uint32_t bound = at_least(all_);
    visit(0, 0, clusters);
    return {best_, states_ != 0 ? best_count_ : std::min(best_count_, bound)};
  }

 private:
  /// True if one of its members needs what needs another.
  [[nodiscard]] bool stands_in_its_own_way(Members cluster) const {
    Members behind = 0, in_between = 0;
    for (std::uint32_t member = 0; member < task_.before.size(); ++member) {
      const Members needs = task_.before[member];
      if ((cluster & bit(member)) != 0) {
        if ((needs & in_between) != 0) return true;
        behind |= bit(member);
      } else if ((needs & (behind | in_between)) != 0) {
        in_between |= bit(member);
      }
    }
    return false;
  }
  /// Groups that these members become at least.
  [[nodiscard]] std::uint32_t at_least(Members left) const {
    std::uint64_t saved = 0;
    each_member(left, [&](std::uint32_t member) { saved += prices_[member]; });
    return count_of(left) - static_cast<std::uint32_t>(saved / whole);
  }

  /// `clusters`: those that were open before the last group came.
  void visit(Members done, std::uint32_t count, const std::vector<std::uint32_t>& clusters) {
    const auto [seen, is_new] = seen_.emplace(done, count);
    if (!is_new && seen->second <= count) return;
    seen->second = count;
    std::vector<std::uint32_t> open;
    open.reserve(clusters.size());
    Members partners = 0;
    for (const std::uint32_t i : clusters)
      if ((clusters_[i] & done) == 0) {
        open.push_back(i);
        partners |= clusters_[i];
      }
    const std::size_t mark = way_.size();
    take_lone(partners, done, count);
    go_on(done, count, open);
    way_.resize(mark);
  }
  /// Members that are in no cluster any more come as soon as they can: they are groups by themselves, and keep nobody
  /// waiting.
  void take_lone(Members partners, Members& done, std::uint32_t& count) {
    for (bool changed = true; changed;) {
      changed = false;
      each_member(all_ & ~done & ~partners, [&](std::uint32_t member) {
        if ((task_.before[member] & ~done) != 0) return;
        done |= bit(member);
        way_.push_back(bit(member));
        ++count;
        changed = true;
      });
    }
  }
  void go_on(Members done, std::uint32_t count, const std::vector<std::uint32_t>& open) {
    if (done == all_) {
      if (count < best_count_) {
        best_count_ = count;
        best_ = way_;
      }
      return;
    }
    if (states_ == 0 || count + at_least(all_ & ~done) >= best_count_) return;
    --states_;
    for (const std::uint32_t i : open)
      if (states_ != 0 && (before_[i] & ~done) == 0) step(done, clusters_[i], count, open);
    each_member(all_ & ~done, [&](std::uint32_t member) {
      if (states_ != 0 && (task_.before[member] & ~done) == 0) step(done, bit(member), count, open);
    });
  }
  void step(Members done, Members group, std::uint32_t count, const std::vector<std::uint32_t>& open) {
    if (count + 1 + at_least(all_ & ~done & ~group) >= best_count_) return;
    way_.push_back(group);
    visit(done | group, count + 1, open);
    way_.pop_back();
  }

  const SearchTask& task_;
  std::uint32_t states_;
  Prices prices_;
  Members all_ = 0;
  std::vector<Members> clusters_, before_;
  std::vector<Members> way_, best_;
  std::uint32_t best_count_ = 0;
  std::unordered_map<Members, std::uint32_t> seen_;  ///< with how few groups
};

}  // namespace

SearchResult fewest_groups(const SearchTask& task, std::uint32_t states) { return Search(task, states).run(); }

}  // namespace mobula::rogue
