#include "mobula/isa/flow.h"

#include <array>
#include <map>
#include <string>

#include "core/hexadecimal.h"

namespace mobula {
namespace {

using EdgeKind = FlowGraph::EdgeKind;
constexpr std::array<std::string_view, 8> names{"next", "taken", "jump", "skip", "indirect", "packet", "back", "stop"};

/// Inside quotes of the DOT language.
void append_escaped(std::string& out, std::string_view text) {
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') out += '\\';
    out += letter == '\n' || letter == '\t' ? ' ' : letter;
  }
}

/// Where an edge leads that leaves the function.
std::string_view outside(const FlowGraph::Edge& edge) {
  if (!edge.name.empty()) return edge.name;
  switch (edge.kind) {
    case EdgeKind::packet:
      return "next packet";
    case EdgeKind::back:
      return "return";
    case EdgeKind::indirect:
      return "?";
    case EdgeKind::stop:
      return "no instruction";
    default:
      return "outside";
  }
}

class Writer {
 public:
  Writer(std::span<const FlowGraph> graphs, std::string_view title) : graphs_(graphs) {
    for (std::size_t i = 0; i < graphs.size(); ++i) positions_.emplace(Name{graphs[i].program, graphs[i].name}, i);
    out_ = "digraph \"";
    append_escaped(out_, title);
    out_ +=
        "\" {\n  node [shape=box, fontname=\"monospace\", fontsize=10];\n  edge [fontname=\"monospace\", "
        "fontsize=9];\n";
  }

  std::string take() {
    for (std::size_t i = 0; i < graphs_.size(); ++i) cluster(i);
    out_ += links_;
    out_ += "}\n";
    return std::move(out_);
  }

 private:
  using Name = std::pair<std::string_view, std::string_view>;

  static std::string node(std::size_t graph, std::size_t block) {
    return "f" + std::to_string(graph) + "_b" + std::to_string(block);
  }

  void cluster(std::size_t graph) {
    const FlowGraph& function = graphs_[graph];
    out_ += "  subgraph cluster_" + std::to_string(graph) + " {\n    label=\"";
    if (!function.program.empty()) append_escaped(out_, function.program + ' ');
    append_escaped(out_, function.name);
    out_ += "\";\n";
    outsides_.clear();
    for (std::size_t block = 0; block < function.blocks.size(); ++block) {
      out_ += "    " + node(graph, block) + " [label=\"";
      for (const FlowGraph::Line& line : function.blocks[block].lines) {
        append_hexadecimal(out_, line.address, 4);
        out_ += line.slot ? ":   " : ": ";
        append_escaped(out_, line.text);
        out_ += "\\l";
      }
      out_ += "\"];\n";
    }
    for (std::size_t block = 0; block < function.blocks.size(); ++block) {
      for (const FlowGraph::Edge& edge : function.blocks[block].edges) {
        const std::string to = edge.block ? node(graph, *edge.block) : end_of(graph, outside(edge));
        const bool inside = edge.block || to.find("_x") != std::string::npos;
        std::string& out = inside ? out_ : links_;
        out +=
            (inside ? "    " : "  ") + node(graph, block) + " -> " + to + " [label=\"" + std::string(name(edge.kind));
        out += edge.pair ? ", pair\"];\n" : "\"];\n";
      }
      for (const std::string& callee : function.blocks[block].calls) {
        const std::string to = end_of(graph, callee);
        std::string& out = to.find("_x") != std::string::npos ? out_ : links_;
        out += "    " + node(graph, block) + " -> " + to + " [style=dashed, label=\"call\"];\n";
      }
    }
    out_ += "  }\n";
  }

  /// The entry of that function if it is drawn, else a node that only names it.
  std::string end_of(std::size_t graph, std::string_view called) {
    if (const auto found = positions_.find(Name{graphs_[graph].program, called}); found != positions_.end())
      return node(found->second, 0);
    const auto [at, fresh] = outsides_.emplace(called, outsides_.size());
    std::string id = "f" + std::to_string(graph) + "_x" + std::to_string(at->second);
    if (fresh) {
      out_ += "    " + id + " [shape=oval, label=\"";
      append_escaped(out_, called);
      out_ += "\"];\n";
    }
    return id;
  }

  std::span<const FlowGraph> graphs_;
  std::map<Name, std::size_t> positions_;
  std::map<std::string, std::size_t, std::less<>> outsides_;  // of the function being written
  std::string out_, links_;                                   // links_: between functions
};

}  // namespace

std::string_view name(FlowGraph::EdgeKind kind) { return names[static_cast<std::size_t>(kind)]; }

std::string dot(std::span<const FlowGraph> graphs, std::string_view title) { return Writer(graphs, title).take(); }

}  // namespace mobula
