// Control-flow graphs: the basic blocks of a function or program, where control goes after each, and both as DOT.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mobula/export.h"
#include "mobula/isa/ir.h"
#include "mobula/isa/machine.h"

namespace mobula {

/// A piece of code that is entered at its first block.
struct FlowGraph {
  /// How control leaves a block.
  enum class EdgeKind : std::uint8_t {
    next,      ///< continues with the next word, or the condition is false
    taken,     ///< the condition is true
    jump,      ///< always
    skip,      ///< the secure world agreed (afuc's setsecure)
    indirect,  ///< to an address in a register
    packet,    ///< through the packet table, once the next packet has arrived
    back,      ///< returns, or ends the program
    stop,      ///< to something that is not an instruction
  };
  struct Line {
    std::uint64_t address = 0;
    std::string text;
    bool slot = false;  ///< in the delay slot of the line above it: executed before control goes anywhere else
  };
  struct Edge {
    EdgeKind kind = EdgeKind::next;
    std::optional<std::size_t> block;  ///< nullopt: leaves the function
    std::string name;                  ///< if it leaves: the destination, "CP_NOP"; empty if unknown
    bool pair = false;                 ///< a transfer in the delay slot is taken too: what happens is unpublished
  };
  struct Block {
    std::uint64_t address = 0;       ///< of its first line
    std::vector<Line> lines;         ///< in order of execution; a word may be in several blocks
    std::vector<std::string> calls;  ///< names of functions, in order, each once
    std::vector<Edge> edges;
  };
  std::string program;  ///< which of several in one image it belongs to: "BR"; otherwise empty
  std::string name;
  std::vector<Block> blocks;  ///< the first is the entry, the others by address
};
MOBULA_API std::string_view name(FlowGraph::EdgeKind kind);

/// The words that a program lifted to, joined where control has no choice. `listing` gives their texts; its words must
/// have been asked for. Of a program that does not pass
/// ir::verify() there are no blocks.
MOBULA_API FlowGraph flow_graph(const ir::Program& program, const Listing& listing, std::string_view name);

/// A word that control may reach, at which every thread faults: its bytes are not an instruction, or nothing is known
/// about it.
struct ReachableTrap {
  std::uint64_t address = 0;
  std::string reason;
};
/// By address. None for a program that does not pass ir::verify().
MOBULA_API std::vector<ReachableTrap> reachable_traps(const ir::Program& program);

/// Where control may go after a word, other than to the word that follows it.
struct Jump {
  std::uint64_t from = 0;
  FlowGraph::EdgeKind kind = FlowGraph::EdgeKind::jump;
  std::optional<std::uint64_t> to;  ///< nothing: an address in a register, or the end
};
/// By address. None for a program that does not pass ir::verify().
MOBULA_API std::vector<Jump> jumps(const ir::Program& program);

/// A digraph of Graphviz's language, with a cluster for each function. Functions that are both present are joined by
/// edges.
MOBULA_API std::string dot(std::span<const FlowGraph> graphs, std::string_view title);

}  // namespace mobula
