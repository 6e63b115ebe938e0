#include "machines/afuc/views/pseudo.h"

#include <algorithm>

#include "machines/afuc/views/statement.h"
#include "machines/afuc/views/structure.h"

namespace mobula::afuc {
namespace {

using EdgeKind = FlowGraph::EdgeKind;

/// Deeper conditions go to the end of the function.
constexpr unsigned deepest = 24;
/// Functions of more blocks are written block by block.
constexpr std::size_t most_structured = 4000;

struct Line {
  unsigned indent = 0;
  std::optional<std::uint32_t> word;   ///< of the program
  std::optional<std::uint32_t> label;  ///< of this block: kept if something goes there
  std::string text;
};

class Writer {
 public:
  Writer(const Image& image, const Core& core, const Functions& functions, const FunctionFlow& flow)
      : image_(image), core_(core), functions_(functions), flow_(flow), labelled_(flow.blocks.size()) {}

  std::string take() {
    std::vector<std::vector<std::uint32_t>> successors(flow_.blocks.size());
    std::vector<bool> choices(flow_.blocks.size());
    for (std::size_t i = 0; i < flow_.blocks.size(); ++i)
      for (const FlowEdge& edge : flow_.blocks[i].edges) {
        if (edge.block) successors[i].push_back(static_cast<std::uint32_t>(*edge.block));
        choices[i] = choices[i] || edge.kind == EdgeKind::indirect || edge.pair;
      }
    if (flow_.blocks.size() <= most_structured) {
      structure_ = structure(successors, choices);
      sequence(0, {}, {});
      while (!later_.empty()) {
        const std::uint32_t block = later_.back();
        later_.pop_back();
        sequence(block, {}, {});
      }
    } else {
      structure_.places.resize(flow_.blocks.size());
      for (std::uint32_t i = 0; i < flow_.blocks.size(); ++i)
        body(i, i + 1 < flow_.blocks.size() ? std::optional(i + 1) : std::nullopt, {});
    }
    return text();
  }

 private:
  using Follow = std::optional<std::uint32_t>;  ///< the block that control falls into after what is written
  struct Loop {
    Follow head, after;
    std::size_t line = 0;    ///< where it begins
    unsigned indent = 0;     ///< of its lines
    bool* closes = nullptr;  ///< set when its last line is written as a condition
  };

  void add(std::string line, std::optional<std::uint32_t> word = {}) {
    lines_.push_back({indent_, word, {}, std::move(line)});
  }
  void label(std::uint32_t block) { lines_.push_back({0, {}, block, "l" + std::to_string(begin(block)) + ':'}); }
  [[nodiscard]] std::uint32_t begin(std::uint32_t block) const { return flow_.blocks[block].begin() - core_.start; }
  [[nodiscard]] std::uint32_t address(std::uint32_t word) const { return word - core_.start; }

  /// A block and all that follows it. No label is needed where its only path reaches it.
  void sequence(std::uint32_t block, Follow follow, const Loop& loop, bool named = true) {
    const Structure::Place& place = structure_.places[block];
    if (named) label(block);
    if (!place.loop) {
      body(block, follow, loop);
      return;
    }
    bool closes = false;
    Loop inner{.head = block,
               .after = place.after.empty() ? follow : Follow(place.after.front()),
               .line = lines_.size(),
               .indent = indent_ + 1,
               .closes = &closes};
    add("while (true) {");
    ++indent_;
    body(block, block, inner);
    --indent_;
    if (!closes) add("}");
    chain(place.after, follow, loop);
  }

  void chain(const std::vector<std::uint32_t>& blocks, Follow follow, const Loop& loop) {
    for (std::size_t i = 0; i < blocks.size(); ++i)
      sequence(blocks[i], i + 1 < blocks.size() ? Follow(blocks[i + 1]) : follow, loop);
  }

  void body(std::uint32_t block, Follow follow, const Loop& loop) {
    const Structure::Place& place = structure_.places[block];
    const Follow next = place.joins.empty() ? follow : Follow(place.joins.front());
    const FlowBlock& flow = flow_.blocks[block];
    const std::vector<Statement> all = statements(image_, core_, functions_, flow);
    const bool holds = condition_is_held(all);
    std::string ending;
    for (const Statement& each : all) {
      if (each.kind == Statement::Kind::condition) {
        if (holds) add("taken = " + condition(image_, all, *flow.transfer).yes + ';', address(each.word));
        continue;
      }
      if (flow.transfer && each.in_slot && is(*flow.transfer, Op::waitin) && &each == &all.back()) {
        ending = each.text();
        break;
      }
      add_statement(each);
    }
    leave(block, all, holds, ending, next, loop);
    chain(place.joins, follow, loop);
  }

  [[nodiscard]] bool is(std::uint32_t word, Op op) const { return image_.code(word)->op == op; }

  /// What the delay slot changes has been asked before; and reading a queue is an effect of its own.
  [[nodiscard]] static bool condition_is_held(const std::vector<Statement>& all) {
    const auto asks = std::find_if(all.begin(), all.end(),
                                   [](const Statement& each) { return each.kind == Statement::Kind::condition; });
    if (asks == all.end()) return false;
    const Expression& tested = asks->operands[0];
    if (tested.moves) return true;
    return std::any_of(asks, all.end(), [&](const Statement& each) {
      const bool takes_words = (each.reads() >> reg_data & 1) != 0 || each.repeats;
      const bool counts = (tested.registers >> reg_rem & 1) != 0 && takes_words && &each != &*asks;
      return counts || (each.writes && (tested.registers >> *each.writes & 1) != 0) ||
             each.kind == Statement::Kind::other;
    });
  }

  void add_statement(const Statement& each) {
    std::string text;
    if (each.kind == Statement::Kind::other && each.operands.empty())
      text = each.target.empty() ? std::string() : each.target + ';';
    else
      text = each.text() + (each.repeats && !each.extra.empty() ? "" : ";");
    if (!each.comment.empty()) text += (text.empty() ? "// " : "  // ") + each.comment;
    add(std::move(text), address(each.word));
  }

  // ---- how a block ends

  void leave(std::uint32_t block, const std::vector<Statement>& all, bool holds, const std::string& ending, Follow next,
             const Loop& loop) {
    const FlowBlock& flow = flow_.blocks[block];
    const auto word = flow.transfer ? std::optional(address(*flow.transfer)) : std::nullopt;
    const std::vector<FlowEdge>& edges = flow.edges;
    const bool pair = std::any_of(edges.begin(), edges.end(), [](const FlowEdge& edge) { return edge.pair; });
    if (pair) add("// both a transfer and the one in its delay slot are taken: see policy pair", word);
    if (flow.transfer && (edges.size() == 2) && (edges[0].kind == EdgeKind::taken || edges[1].kind == EdgeKind::skip)) {
      const bool asks = edges[0].kind == EdgeKind::taken;
      Condition test{"setsecure($02)", "!setsecure($02)"};
      if (asks) test = holds ? Condition{"taken", "!taken"} : condition(image_, all, *flow.transfer);
      choose(block, test, *word, edges[asks ? 0 : 1], edges[asks ? 1 : 0], next, loop);
      return;
    }
    if (!edges.empty() && edges[0].kind == EdgeKind::indirect) {
      indirect(block, all, *word);
      return;
    }
    for (const FlowEdge& edge : edges) {
      if (edge.kind == EdgeKind::taken) add("if (taken in the delay slot)", word);
      go(block, edge, word, ending, next, loop);
    }
  }

  void indirect(std::uint32_t block, const std::vector<Statement>& all, std::uint32_t word) {
    const FlowBlock& flow = flow_.blocks[block];
    const std::uint32_t bits = image_.word(*flow.transfer);
    const Opcode& opcode = *image_.code(*flow.transfer);
    const unsigned reg = has_field(opcode, field::jump_register) ? field_of(bits, field::jump_register) : reg_lr;
    std::string text = "goto *" + register_text(image_, reg, false) + ';';
    const bool changed = !all.empty() && all.back().in_slot && all.back().writes == reg;
    std::string separator = "  // ";
    if (changed) {
      text += "  // as it was before " + all.back().target + " changed";
      separator = ": ";
    }
    for (const FlowEdge& edge : flow.edges) {
      if (!edge.word) continue;
      text += separator + name_of(edge);
      separator = ", ";
    }
    add(std::move(text), word);
  }

  /// Names where an edge leads, as a label of the listing if it is inside.
  std::string name_of(const FlowEdge& edge) {
    if (edge.block) {
      labelled_[*edge.block] = true;
      return "l" + std::to_string(begin(static_cast<std::uint32_t>(*edge.block)));
    }
    return functions_.name(*edge.word);
  }

  void choose(std::uint32_t block, const Condition& test, std::uint32_t word, const FlowEdge& yes, const FlowEdge& no,
              Follow next, const Loop& loop) {
    const auto goes_to = [](const FlowEdge& edge, Follow where) {
      return edge.block && where && *edge.block == *where;
    };
    // The last line of a loop: it continues under a condition.
    if (loop.closes != nullptr && indent_ == loop.indent && next == loop.head) {
      const bool again = goes_to(yes, loop.head), done = goes_to(no, loop.after);
      const bool other_again = goes_to(no, loop.head), other_done = goes_to(yes, loop.after);
      if ((again && done) || (other_again && other_done)) {
        lines_[loop.line].text = "do {";
        *loop.closes = true;
        --indent_;
        add("} while (" + (again ? test.yes : test.no) + ");", word);
        ++indent_;
        return;
      }
    }
    // Its first line: it is left under a condition.
    if (loop.head == block && lines_.size() == loop.line + 1 && goes_to(yes, loop.after) != goes_to(no, loop.after)) {
      const bool leaves = goes_to(yes, loop.after);
      lines_[loop.line].text = "while (" + (leaves ? test.no : test.yes) + ") {";
      lines_[loop.line].word = word;
      go(block, leaves ? no : yes, word, {}, next, loop);
      return;
    }
    const std::size_t first = lines_.size();
    add("if (" + test.yes + ") {", word);
    ++indent_;
    Loop nested = loop;
    nested.closes = nullptr;
    go(block, yes, {}, {}, next, nested);
    --indent_;
    const std::size_t written = lines_.size() - first - 1;
    if (written == 0) {
      lines_[first].text = "if (" + test.no + ") {";
      ++indent_;
      go(block, no, {}, {}, next, nested);
      --indent_;
      if (!on_one_line(first)) add("}");
      return;
    }
    // Nothing comes after what does not fall out of its braces.
    if (written == 1 && leaves_for_good(lines_.back().text) && on_one_line(first)) {
      go(block, no, {}, {}, next, loop);
      return;
    }
    if (leaves_for_good(lines_.back().text) && lines_.back().indent == indent_ + 1) {
      add("}");
      go(block, no, {}, {}, next, loop);
      return;
    }
    if (goes_to(no, next)) {
      if (!on_one_line(first)) add("}");
      return;
    }
    const std::size_t otherwise = lines_.size();
    add("} else {");
    ++indent_;
    go(block, no, {}, {}, next, nested);
    --indent_;
    if (!chains(otherwise)) add("}");
  }

  /// Makes "} else {" and the one condition in it "} else if"; false if there is more.
  bool chains(std::size_t otherwise) {
    if (otherwise + 1 >= lines_.size() || !lines_[otherwise + 1].text.starts_with("if (")) return false;
    const auto inside = lines_.begin() + static_cast<std::ptrdiff_t>(otherwise) + 1;
    const bool more = std::any_of(inside + 1, lines_.end(), [&](const Line& line) {
      return !line.label && line.indent == indent_ + 1 && !line.text.starts_with('}');
    });
    if (more) return false;
    lines_[otherwise].text = "} else " + inside->text;
    lines_[otherwise].word = inside->word;
    lines_.erase(inside);
    for (std::size_t i = otherwise + 1; i < lines_.size(); ++i)
      if (!lines_[i].label) --lines_[i].indent;
    return true;
  }

  static bool leaves_for_good(std::string_view text) {
    return text.starts_with("goto ") || text.starts_with("break;") || text.starts_with("continue;") ||
           text.starts_with("return;") || text.starts_with("iret;") || text.starts_with("waitin(");
  }

  /// Makes "if (x) {" and the one line after it one line; false if there are more.
  bool on_one_line(std::size_t first) {
    if (lines_.size() != first + 2 || lines_.back().label) return false;
    Line inner = std::move(lines_.back());
    lines_.pop_back();
    if (inner.text.starts_with("if (") || inner.text.starts_with("while (") || inner.text.starts_with("do {")) {
      lines_.push_back(std::move(inner));
      return false;
    }
    std::string& text = lines_.back().text;
    text.replace(text.size() - 1, 1, inner.text);
    return true;
  }

  void go(std::uint32_t block, const FlowEdge& edge, std::optional<std::uint32_t> word, const std::string& ending,
          Follow next, const Loop& loop) {
    switch (edge.kind) {
      case EdgeKind::packet:
        add("waitin(" + ending + ");", word);
        return;
      case EdgeKind::back:
        add(flow_.blocks[block].transfer && is(*flow_.blocks[block].transfer, Op::iret) ? "iret;" : "return;", word);
        return;
      case EdgeKind::stop:
        stop(*edge.word, word);
        return;
      case EdgeKind::next:
      case EdgeKind::taken:
      case EdgeKind::jump:
      case EdgeKind::skip:
      case EdgeKind::indirect:
        break;
    }
    if (!edge.block) {
      add("goto " + functions_.name(*edge.word) + ';', word);
      return;
    }
    const auto to = static_cast<std::uint32_t>(*edge.block);
    if (next == to) return;
    if (structure_.places[to].nested) {
      if (indent_ < deepest) {
        sequence(to, next, loop, false);
        return;
      }
      later_.push_back(to);
    } else if (loop.head == to) {
      add("continue;", word);
      return;
    } else if (loop.head && loop.after == to) {
      add("break;", word);
      return;
    }
    labelled_[to] = true;
    add("goto l" + std::to_string(begin(to)) + ';', word);
  }
  void stop(std::uint32_t at, std::optional<std::uint32_t> word) {
    constexpr std::uint32_t trap_word = 0xFBADC0DE;
    if (at >= core_.code_end())
      add("stop;  // control leaves the code", word);
    else if (image_.word(at) == trap_word)
      add("trap;", address(at));
    else
      add("stop;  // word " + std::to_string(address(at)) + " is not an instruction", word);
  }

  std::string text() const {
    std::string out;
    for (const Line& line : lines_) {
      if (line.label && !labelled_[*line.label]) continue;
      std::string margin(6, ' ');
      if (line.word)
        for (unsigned i = 0; i < 4; ++i) margin[i] = "0123456789abcdef"[*line.word >> (12 - 4 * i) & 15];
      out += line.label ? std::string() : margin + std::string(std::size_t{2} * line.indent + 2, ' ');
      out += line.text + '\n';
    }
    return out;
  }

  const Image& image_;
  const Core& core_;
  const Functions& functions_;
  const FunctionFlow& flow_;
  Structure structure_;
  std::vector<Line> lines_;
  std::vector<bool> labelled_;
  std::vector<std::uint32_t> later_;
  unsigned indent_ = 0;
};

}  // namespace

std::string pseudo(const Image& image, const Core& core, const Functions& functions, const FunctionFlow& flow) {
  if (flow.blocks.empty()) return "      // no instruction\n";
  std::string text = Writer(image, core, functions, flow).take();
  if (!flow.complete) text += "      // and more: the function is too large to be shown whole\n";
  return text;
}

}  // namespace mobula::afuc
