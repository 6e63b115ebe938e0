// Where a program can go: the words reachable from its entry and the ways between them, for the static estimate.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "machines/midgard/codec.h"
#include "mobula/program.h"

namespace mobula::midgard {

struct FlowNode {
  std::uint32_t position = 0;  ///< quadword
  Pipe pipe = Pipe::none;
  bool ends = false;  ///< a thread may end after this word
  std::array<std::uint32_t, 3> next{};
  std::uint8_t next_count = 0;
  [[nodiscard]] std::span<const std::uint32_t> successors() const { return {next.data(), next_count}; }
};

struct Flow {
  std::vector<FlowNode> nodes;           ///< nodes[0] is the entry; empty if the entry lies outside the code
  std::vector<std::uint32_t> postorder;  ///< every node after all nodes reached from it, loops apart
  std::uint32_t loops = 0;               ///< nodes that loops return to
  std::vector<std::string> notes;        ///< places where a thread would fault or where the way is unknown
};

/// Writeouts and waits for the tile buffer are taken to succeed at once (4.4). Linear in the size of the code, which
/// may hold any bytes: a branch may lead into the middle of another bundle.
Flow find_flow(const Program& program);

/// Nodes of the way from the entry to an end with the least weight; nullopt if no way leads to an end. Weights are 0
/// or 1.
std::optional<std::vector<std::uint32_t>> lightest_path(const Flow& flow, std::span<const std::uint8_t> weights);
/// The same with the most weight; nullopt if there is a loop or no way leads to an end.
std::optional<std::vector<std::uint32_t>> heaviest_path(const Flow& flow, std::span<const std::uint8_t> weights);

}  // namespace mobula::midgard
