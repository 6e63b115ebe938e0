#include "machines/midgard/compile/dependencies.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace mobula::midgard_compiler {

/// Finds those of one block after the other; what it needs by value is there once for all of them.
class DependencyFinder {
 public:
  explicit DependencyFinder(const Code& code) : code_(code), places_(code.values.size()) {}

  Dependencies find(const Block& block) {
    made_.before_end_.reserve(block.code.size());
    for (std::uint32_t node = 0; node < block.code.size(); ++node) {
      connect(node, block.code[node]);
      made_.before_end_.push_back(static_cast<std::uint32_t>(made_.before_.size()));
    }
    turn_around();
    find_heights();
    sort_users();
    forget_block();
    return std::exchange(made_, {});
  }

 private:
  /// What has happened until now to one component of a value.
  struct Access {
    std::int64_t writer = -1;
    std::vector<std::pair<std::uint32_t, bool>> readers;  ///< since then, and whether for a guard
  };
  struct Memory {
    std::int64_t last_store = -1;
    std::vector<std::uint32_t> loads;
  };
  static constexpr std::uint32_t no_node = ~std::uint32_t{0};
  /// Among the values that the block uses.
  struct PlaceOf {
    std::uint32_t place = 0;
    std::uint32_t last_user = no_node;  ///< none yet: it has no place
  };
  struct User {
    std::uint32_t place = 0, node = 0;
  };

  void connect(std::uint32_t node, const Instruction& each) {
    each_source(each, [&](const Source& source, std::uint8_t lanes, bool guard) {
      if (source.is_value()) read(node, source.number, components_read(code_, source, lanes), guard);
    });
    if (each.result != no_value) write(node, each);
    if (is_discard(each)) {
      for (const std::uint32_t store : stores_) link(store, node, Edge::Kind::order);
      stores_.clear();
      last_discard_ = node;
    }
    if (each.is_store) {
      if (last_discard_ >= 0) link(static_cast<std::uint32_t>(last_discard_), node, Edge::Kind::order);
      stores_.push_back(node);
    }
    if (each.orders || each.is_barrier) order(node, each);
  }

  void read(std::uint32_t node, Value value, std::uint8_t components, bool guard) {
    const std::uint32_t place = use(value, node);
    for (unsigned c = 0; c < 4; ++c) {
      if ((components >> c & 1U) == 0) continue;
      Access& access = accesses_[place][c];
      if (access.writer >= 0)
        link(static_cast<std::uint32_t>(access.writer), node, guard ? Edge::Kind::guard : Edge::Kind::value);
      access.readers.emplace_back(node, guard);
    }
  }

  void write(std::uint32_t node, const Instruction& each) {
    const std::uint32_t place = use(each.result, node);
    for (unsigned c = 0; c < 4; ++c) {
      if ((each.mask >> c & 1U) == 0) continue;
      Access& access = accesses_[place][c];
      if (access.writer >= 0) link(static_cast<std::uint32_t>(access.writer), node, Edge::Kind::again);
      for (const auto& [reader, guard] : access.readers)
        if (reader != node) link(reader, node, guard ? Edge::Kind::overwritten_guard : Edge::Kind::overwritten);
      access.writer = node;
      access.readers.clear();
    }
    ++made_.used_[place].makers;
    if (each.kind == Instruction::Kind::load_store) made_.used_[place].made_by_memory = true;
  }

  /// Of memory that threads write.
  void order(std::uint32_t node, const Instruction& each) {
    auto& [last_store, loads] = memories_[each.slot];
    if (last_store >= 0) link(static_cast<std::uint32_t>(last_store), node, Edge::Kind::order);
    if (each.is_store || each.is_barrier) {
      for (const std::uint32_t load : loads) link(load, node, Edge::Kind::order);
      loads.clear();
      last_store = node;
    } else {
      loads.push_back(node);
    }
  }

  /// The place of a value among those that the block uses.
  std::uint32_t use(Value value, std::uint32_t node) {
    PlaceOf& known = places_[value];
    if (known.last_user == no_node) {
      known.place = static_cast<std::uint32_t>(made_.used_.size());
      made_.used_.push_back({.value = value});
      accesses_.emplace_back();
    }
    if (std::exchange(known.last_user, node) != node) users_.push_back({known.place, node});
    return known.place;
  }

  /// Precondition: `second` is the node that is connected now.
  void link(std::uint32_t first, std::uint32_t second, Edge::Kind kind) {
    if (first != second) made_.before_.push_back({first, kind});
  }

  static bool is_discard(const Instruction& each) {
    return each.kind == Instruction::Kind::branch && each.branch == BranchMeaning::discard;
  }

  /// From what is before each to what is after each.
  void turn_around() {
    std::vector<std::uint32_t> next(made_.before_end_.size() + 1);
    for (const Edge& edge : made_.before_) ++next[edge.node + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    made_.after_end_.assign(next.begin() + 1, next.end());
    made_.after_.resize(made_.before_.size());
    for (std::uint32_t node = 0; node < made_.before_end_.size(); ++node)
      for (const Edge& edge : made_.before(node)) made_.after_[next[edge.node]++] = {node, edge.kind};
  }

  void find_heights() {
    made_.heights_.resize(made_.before_end_.size());
    for (std::uint32_t node = 0; node < made_.heights_.size(); ++node)
      for (const Edge& edge : made_.before(node)) {
        const std::uint32_t far = made_.heights_[edge.node] + (edge.kind == Edge::Kind::overwritten ? 0 : 1);
        made_.heights_[node] = std::max(made_.heights_[node], far);
      }
  }

  /// From the order of the code to one value after the other.
  void sort_users() {
    std::vector<std::uint32_t> next(made_.used_.size() + 1);
    for (const User& user : users_) ++next[user.place + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    for (std::size_t i = 0; i < made_.used_.size(); ++i) made_.used_[i].users_end = next[i + 1];
    made_.users_.resize(users_.size());
    for (const User& user : users_) made_.users_[next[user.place]++] = user.node;
  }

  void forget_block() {
    for (const Dependencies::Used& used : made_.used_) places_[used.value] = {};
    accesses_.clear();
    memories_.clear();
    last_discard_ = -1;
    stores_.clear();
    users_.clear();
  }

  const Code& code_;
  Dependencies made_;
  std::vector<PlaceOf> places_;                  ///< by value
  std::vector<std::array<Access, 4>> accesses_;  ///< by place
  std::vector<User> users_;
  std::map<std::uint32_t, Memory> memories_;  ///< by slot
  std::int64_t last_discard_ = -1;
  std::vector<std::uint32_t> stores_;  ///< since then
};

std::vector<Dependencies> find_dependencies(const Code& code) {
  DependencyFinder finder(code);
  std::vector<Dependencies> all;
  all.reserve(code.blocks.size());
  for (const Block& block : code.blocks) all.push_back(finder.find(block));
  return all;
}

}  // namespace mobula::midgard_compiler
