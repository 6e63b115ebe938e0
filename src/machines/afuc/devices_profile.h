// Where instructions and traffic of a core went.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace mobula::afuc {

/// Counts by call stack, as a tree: a child is a packet handled or a function called.
class CallTree {
 public:
  struct Node {
    std::uint32_t parent = 0;
    std::uint32_t what = 0;  ///< packet-table entry below the root, else word index of the function
    std::uint32_t depth = 0;
    bool packet = false;
    std::uint64_t instructions = 0, memory_reads = 0, memory_writes = 0, register_reads = 0, register_writes = 0;
  };
  [[nodiscard]] Node& current() { return nodes_[current_]; }
  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }
  void packet(std::uint32_t entry) {
    current_ = 0;
    enter(entry, true);
  }
  void enter(std::uint32_t what, bool packet = false);
  /// A packet is not left by ret.
  void leave() {
    if (!nodes_[current_].packet) current_ = nodes_[current_].parent;
  }

 private:
  static constexpr std::size_t most_nodes = 1u << 16;
  std::vector<Node> nodes_{Node{}};
  std::unordered_map<std::uint64_t, std::uint32_t> children_;
  std::uint32_t current_ = 0;
};

}  // namespace mobula::afuc
