#include "machines/afuc/views/flow.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "core/lexer.h"

namespace mobula::afuc {

using EdgeKind = FlowGraph::EdgeKind;

/// Of one function; the largest of real firmware has some thousands.
constexpr std::size_t most_function_words = 1u << 16;

/// Builds the blocks of one function: first the words where blocks begin, then the blocks.
class Functions::Builder {
 public:
  Builder(const Functions& functions, std::uint32_t entry)
      : functions_(functions), image_(functions.image_), core_(functions.core_), entry_(entry) {}

  FunctionFlow take() {
    FunctionFlow flow{.entry = entry_, .blocks = {}};
    if (!is_code(entry_)) return flow;
    begin(entry_);
    while (!open_.empty() && scanned_.size() < most_function_words) {
      const std::uint32_t at = open_.back();
      open_.pop_back();
      scan(at);
    }
    flow.complete = open_.empty();
    finding_ = false;
    // The entry first, the others by address.
    std::vector<std::uint32_t> order{entry_};
    for (const std::uint32_t leader : leaders_)
      if (leader != entry_) order.push_back(leader);
    std::unordered_map<std::uint32_t, std::size_t> positions;
    for (std::size_t i = 0; i < order.size(); ++i) positions.emplace(order[i], i);
    for (const std::uint32_t leader : order) flow.blocks.push_back(scan(leader));
    for (FlowBlock& block : flow.blocks)
      for (FlowEdge& edge : block.edges)
        if (edge.word)
          if (const auto found = positions.find(*edge.word); found != positions.end()) edge.block = found->second;
    return flow;
  }

 private:
  [[nodiscard]] const Opcode* code(std::uint32_t at) const { return at < core_.code_end() ? image_.code(at) : nullptr; }
  /// An instruction, or a header word that does nothing.
  [[nodiscard]] bool is_code(std::uint32_t at) const {
    if (at >= core_.code_end()) return false;
    if (code(at) != nullptr) return true;
    const Opcode* opcode = image_.decoder().find(image_.word(at));
    return opcode != nullptr && opcode->op == Op::nop;
  }
  [[nodiscard]] std::optional<std::uint32_t> target(std::uint32_t at) const {
    return Image::target(core_, at, image_.word(at), *code(at));
  }

  void begin(std::uint32_t at) {
    if (!finding_) return;
    while (is_code(at) && leaders_.insert(at).second) {
      open_.push_back(at);
      // A way that begins with the delay slot of a call meets the call's after it.
      const Opcode* before = at > core_.start ? code(at - 1) : nullptr;
      if (before == nullptr || !is_call(before->op) || functions_.is_entry(at + 1)) return;
      ++at;
    }
  }
  /// Notes that control goes there; what another function begins with is not followed.
  void lead(FlowBlock& block, EdgeKind kind, std::optional<std::uint32_t> to, bool pair = false) {
    if (to && !is_code(*to)) {
      block.edges.push_back({.kind = EdgeKind::stop, .word = to, .pair = pair});
      return;
    }
    block.edges.push_back({.kind = kind, .word = to, .pair = pair});
    if (to && (*to == entry_ || !functions_.is_entry(*to))) begin(*to);
  }

  /// The block that begins at a word, as far as leaders are known.
  FlowBlock scan(std::uint32_t first) {
    FlowBlock block;
    for (std::uint32_t at = first;;) {
      if (at != first && (leaders_.contains(at) || !is_code(at) || functions_.is_entry(at))) {
        lead(block, EdgeKind::next, at);
        return block;
      }
      // What another way came by has been looked at.
      if (finding_ && !scanned_.insert(at).second) return block;
      const Opcode* opcode = code(at);
      if (opcode == nullptr || !is_transfer(opcode->op)) {
        block.steps.push_back({at++});
      } else if (is_call(opcode->op)) {
        block.steps.push_back({at++});
        if (const Opcode* slot = code(at); slot == nullptr || is_transfer(slot->op)) continue;
        block.steps.push_back({at++, true});
      } else {
        end(block, at, *opcode);
        return block;
      }
    }
  }

  void end(FlowBlock& block, std::uint32_t at, const Opcode& opcode) {
    block.steps.push_back({at});
    block.transfer = at;
    if (opcode.op.way == Way::skip) {
      lead(block, EdgeKind::next, at + 1);
      lead(block, EdgeKind::skip, at + 3);
      return;
    }
    const Opcode* slot = code(at + 1);
    const bool slot_transfers = slot != nullptr && is_transfer(slot->op);
    if (is_conditional(opcode.op)) {
      // A branch in the delay slot of a branch that is not taken is a branch like others.
      if (!slot_transfers && slot != nullptr) block.steps.push_back({at + 1, true});
      lead(block, EdgeKind::taken, target(at), slot_transfers && !is_conditional(slot->op));
      lead(block, EdgeKind::next, at + (slot_transfers ? 1 : 2));
      return;
    }
    if (slot != nullptr) block.steps.push_back({at + 1, true});
    if (slot_transfers && !is_conditional(slot->op) && has_delay_slot(slot->op)) {
      // The slot's slot is the first word at the target: `jump #l; waitin` takes the header there.
      const auto to = opcode.op.way == Way::jump ? target(at) : std::nullopt;
      const Opcode* there = to ? code(*to) : nullptr;
      if (there != nullptr && is_transfer(there->op)) {
        lead(block, EdgeKind::jump, to, true);
        return;
      }
      if (to && is_code(*to)) block.steps.push_back({*to, true});
      block.transfer = at + 1;
      leave(block, at + 1, *slot, slot->op.way != Way::packet);
      return;
    }
    leave(block, at, opcode, slot_transfers);
    if (slot_transfers && is_conditional(slot->op)) lead(block, EdgeKind::taken, target(at + 1), true);
  }

  /// Where a transfer without a condition goes.
  void leave(FlowBlock& block, std::uint32_t at, const Opcode& opcode, bool pair) {
    switch (opcode.op.way) {
      case Way::packet:
        block.edges.push_back({.kind = EdgeKind::packet, .word = {}, .pair = pair});
        return;
      case Way::back:
        block.edges.push_back({.kind = EdgeKind::back, .word = {}, .pair = pair});
        return;
      case Way::computed: {
        const std::vector<std::uint32_t> targets = image_.indirect_targets(at);
        for (const std::uint32_t to : targets) lead(block, EdgeKind::indirect, to, pair);
        if (targets.empty()) block.edges.push_back({.kind = EdgeKind::indirect, .word = {}, .pair = pair});
        return;
      }
      case Way::jump:
      case Way::call:
        lead(block, EdgeKind::jump, target(at), pair);
        return;
      case Way::next:
      case Way::branch:
      case Way::skip:
        return;  // continue
    }
  }

  const Functions& functions_;
  const Image& image_;
  const Core& core_;
  std::uint32_t entry_;
  bool finding_ = true;  // where blocks begin; later the blocks themselves
  std::set<std::uint32_t> leaders_;
  std::vector<std::uint32_t> open_;
  std::unordered_set<std::uint32_t> scanned_;
};

Functions::Functions(const Image& image, const Core& core) : image_(image), core_(core), is_entry_(core.words, false) {
  for (std::uint32_t i = core.start; i < core.code_end(); ++i) {
    if (i != core.start && (image.flags(i) & (word_called | word_handler | word_entered)) == 0) continue;
    entries_.push_back(i);
    is_entry_[i - core.start] = true;
  }
}

FunctionFlow Functions::flow(std::uint32_t entry) const { return Builder(*this, entry).take(); }

std::string Functions::name(std::uint32_t entry) const {
  const bool named = entry == core_.start || (image_.flags(entry) & (word_called | word_handler)) != 0;
  return named ? image_.place(core_, entry) : "l" + std::to_string(entry - core_.start);
}

std::optional<std::uint32_t> Functions::find(std::string_view name) const {
  std::uint64_t number = 0;
  if (name == core_.name) return core_.start;
  if (const auto opcode = find_packet(image_.map(), name); opcode && core_.table) {
    const std::uint64_t handler = std::uint64_t{core_.start} + image_.word(*core_.table + *opcode);
    if (handler < core_.code_end()) return static_cast<std::uint32_t>(handler);
    return std::nullopt;
  }
  for (const std::string_view prefix : {"fxn", "l"})
    if (name.starts_with(prefix) && parse_integer(std::string(name.substr(prefix.size())), number) &&
        number < core_.code_end() - core_.start) {
      const auto word = static_cast<std::uint32_t>(core_.start + number);
      const std::uint16_t wanted = prefix == "l" ? word_branch : word_called;
      if ((image_.flags(word) & wanted) != 0) return word;
    }
  if (parse_integer(std::string(name), number) && number < core_.code_end() - core_.start)
    return static_cast<std::uint32_t>(core_.start + number);
  return std::nullopt;
}

}  // namespace mobula::afuc
