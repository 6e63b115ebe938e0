#include "machines/rogue/merge/order.h"

#include <algorithm>
#include <array>
#include <functional>
#include <queue>
#include <utility>

namespace mobula::rogue {
namespace {

// A longer region is gone through in windows, of which the first part is kept.
constexpr std::size_t window = 40, kept = 28;
// Up to so many groups, the search goes on until it knows.
constexpr std::size_t always_proved = 24;
constexpr std::uint32_t states_to_prove = 200'000;

/// What instructions need, whatever they are put together with.
std::uint32_t least_by_units(std::span<const Group> groups) {
  std::uint32_t early = 0, first_only = 0, driving = 0, packs = 0, tests = 0, choices = 0, backends = 0, logical = 0;
  bool ends = false, any_bitwise = false;
  std::array<bool, 2> waits{};
  for (const Group& group : groups) {
    if (is_wait(group)) waits[group.miscctl & 1] = true;
    if (group.alu == Alu::bitwise) {
      any_bitwise = true;
      const Item& item = group.item(Word::bit1);
      logical += item && item.op->does != does::Logical::pass;
    }
    if (group.alu != Alu::main) continue;
    for (const Word word : {Word::p0, Word::p1}) {
      const Item& item = group.item(word);
      if (!item || is_plain_copy(*item.op, item)) continue;
      ++early;
      first_only += !item.op->in(Unit::p1);
      driving += item.op->has(drives_w0);
    }
    packs += bool(group.item(Word::pack));
    tests += bool(group.item(Word::test));
    choices += group.item(Word::move) && group.item(Word::move).op->does == does::Move::choose;
    backends += bool(group.item(Word::backend));
    ends = ends || (group.ends() && group.item(Word::backend));
  }
  // The end of a vertex joins the last output.
  backends -= ends && backends > 1;
  const std::uint32_t main = std::max({(early + 1) / 2, first_only, driving, packs, tests, choices, backends});
  return main + std::max(logical, std::uint32_t{any_bitwise}) + waits[0] + waits[1];
}

/// The clusters of a region in an order that its members allow, those first whose last member came first before.
class Sequence {
 public:
  Sequence(const Region& region, std::vector<OpenGroup> groups, bool by_last)
      : region_(region), groups_(std::move(groups)), by_last_(by_last) {}

  std::vector<OpenGroup> run() {
    std::vector<std::uint32_t> home(region_.members.size());
    for (std::uint32_t i = 0; i < groups_.size(); ++i)
      for (const std::uint32_t member : groups_[i].members) home[member] = i;
    std::vector<std::vector<std::uint32_t>> behind(groups_.size());
    std::vector<std::uint32_t> waits_for(groups_.size());
    for (std::uint32_t i = 0; i < groups_.size(); ++i) {
      std::vector<std::uint32_t> before;
      for (const std::uint32_t member : groups_[i].members)
        for (const std::uint32_t other : region_.members[member].before)
          if (home[other] != i) before.push_back(home[other]);
      std::ranges::sort(before);
      before.erase(std::ranges::unique(before).begin(), before.end());
      waits_for[i] = static_cast<std::uint32_t>(before.size());
      for (const std::uint32_t other : before) behind[other].push_back(i);
    }
    using Ready = std::pair<std::uint32_t, std::uint32_t>;
    std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
    const auto key = [&](std::uint32_t i) { return by_last_ ? groups_[i].members.back() : groups_[i].members.front(); };
    for (std::uint32_t i = 0; i < groups_.size(); ++i)
      if (waits_for[i] == 0) ready.emplace(key(i), i);
    std::vector<OpenGroup> ordered;
    while (!ready.empty()) {
      const std::uint32_t next = ready.top().second;
      ready.pop();
      ordered.push_back(groups_[next]);
      for (const std::uint32_t other : behind[next])
        if (--waits_for[other] == 0) ready.emplace(key(other), other);
    }
    return ordered;
  }

 private:
  const Region& region_;
  std::vector<OpenGroup> groups_;
  bool by_last_;
};

/// A wait for what has been waited for is the wait before it.
void drop_waits(std::vector<OpenGroup>& groups) {
  std::array<OpenGroup*, 2> done{};  // by counter, the wait behind which nothing has been ordered
  std::vector<bool> idle(groups.size());
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Access access = access_of(groups[i].group);
    if (access.counter < 0) continue;
    OpenGroup*& wait = done[static_cast<std::size_t>(access.counter)];
    idle[i] = access.waits && wait != nullptr;
    if (idle[i]) {
      wait->members.insert(wait->members.end(), groups[i].members.begin(), groups[i].members.end());
      std::ranges::sort(wait->members);
    } else {
      wait = access.waits ? &groups[i] : nullptr;
    }
  }
  std::vector<OpenGroup> kept;
  for (std::size_t i = 0; i < groups.size(); ++i)
    if (!idle[i]) kept.push_back(std::move(groups[i]));
  groups = std::move(kept);
}

}  // namespace

OrderedRegion order(std::span<const Group> groups, const Region& region, const RegisterSet& live, unsigned limit,
                    std::uint32_t effort, bool joins_last, Merger& merger) {
  const std::span<const Group> own = groups.subspan(region.first, region.members.size());
  OrderedRegion made;
  made.bound = least_by_units(own);
  std::vector<OpenGroup> found;
  std::vector<std::uint32_t> open(region.members.size());
  for (std::uint32_t i = 0; i < open.size(); ++i) open[i] = i;
  while (!open.empty()) {
    const bool whole = open.size() <= most_members && found.empty();
    const bool rest = whole || open.size() <= window;
    const std::vector<std::uint32_t> members(open.begin(), rest ? open.end() : open.begin() + window);
    const Clusters clusters(groups, region, members, joins_last, merger);
    const std::uint32_t states = whole && members.size() <= always_proved ? states_to_prove
                                 : whole                                  ? effort
                                                                          : effort / 8;
    const SearchResult result = fewest_groups(clusters.task(), states);
    if (whole && clusters.are_all()) made.bound = std::max(made.bound, result.bound);
    Members done = 0;
    const Members first = rest ? ~Members{0} : (Members{1} << kept) - 1;
    for (const Members each : result.groups) {
      if ((first & ~done) == 0) break;
      done |= each;
      found.push_back(clusters.open_group(each));
    }
    std::vector<std::uint32_t> left;
    for (std::size_t i = 0; i < open.size(); ++i)
      if (i >= members.size() || (done >> i & 1) == 0) left.push_back(open[i]);
    open = std::move(left);
  }
  for (const bool by_last : {true, false}) {
    made.groups = Sequence(region, found, by_last).run();
    drop_waits(made.groups);
    if (assign_registers(region, made.groups, live, limit)) return made;
  }
  made.groups.clear();
  return made;
}

}  // namespace mobula::rogue
