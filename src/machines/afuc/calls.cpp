#include "machines/afuc/calls.h"

#include <algorithm>
#include <unordered_map>

namespace mobula::afuc {
namespace {

/// Words visited for all functions together; functions may share their ends.
constexpr std::uint32_t visit_limit = 20'000'000;

/// Calls use(at, opcode) for the instructions that control can reach from `entry` without going into calls. False if
/// the budget is spent.
template <class Use>
bool walk(const Image& image, const Core& core, std::uint32_t entry, std::vector<std::uint32_t>& seen,
          std::uint32_t mark, std::uint32_t& budget, Use use) {
  std::vector<std::uint32_t> next{entry};
  while (!next.empty()) {
    const std::uint32_t at = next.back();
    next.pop_back();
    if (at >= core.code_end() || seen[at - core.start] == mark) continue;
    if (budget == 0) return false;
    --budget;
    seen[at - core.start] = mark;
    const Opcode* opcode = image.code(core, at);
    if (opcode == nullptr && image.decoder().find(image.word(at)) != nullptr) {
      // Header words do nothing.
      if (image.decoder().find(image.word(at))->op == Op::nop) next.push_back(at + 1);
      continue;
    }
    if (opcode == nullptr) continue;
    use(at, *opcode);
    if (opcode->op == Op::setsecure) next.push_back(at + 3);
    if (is_relative(opcode->op) || opcode->op == Op::jumpa)
      if (const auto to = Image::target(core, at, image.word(at), *opcode)) next.push_back(*to);
    // Behind the delay slot of what does not come back, control is elsewhere.
    const Opcode* before = at > core.start ? image.code(core, at - 1) : nullptr;
    const bool slot_of_end = before != nullptr && ends_flow(before->op) && seen[at - 1 - core.start] == mark;
    if (!slot_of_end || has_delay_slot(opcode->op)) next.push_back(at + 1);
  }
  return true;
}

/// Marks what calls itself, and finds how deep the rest nests: callees first.
void measure(std::vector<Function>& all) {
  std::vector<std::size_t> open_calls(all.size()), open_callers(all.size());
  std::vector<std::vector<std::size_t>> callers(all.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    for (const Function::Call& call : all[i].calls) {
      ++open_calls[i];
      ++open_callers[call.function];
      callers[call.function].push_back(i);
    }
  std::vector<std::size_t> done;
  std::vector<bool> above(all.size()), below(all.size());  // taken off from the leaves, from the roots
  for (std::size_t i = 0; i < all.size(); ++i)
    if (open_calls[i] == 0) done.push_back(i), below[i] = true;
  for (std::size_t next = 0; next < done.size(); ++next)
    for (const std::size_t caller : callers[done[next]]) {
      all[caller].depth = std::max(all[caller].depth, all[done[next]].depth + 1);
      if (--open_calls[caller] == 0) done.push_back(caller), below[caller] = true;
    }
  done.clear();
  for (std::size_t i = 0; i < all.size(); ++i)
    if (open_callers[i] == 0) done.push_back(i), above[i] = true;
  for (std::size_t next = 0; next < done.size(); ++next)
    for (const Function::Call& call : all[done[next]].calls)
      if (--open_callers[call.function] == 0) done.push_back(call.function), above[call.function] = true;
  for (std::size_t i = 0; i < all.size(); ++i) all[i].in_cycle = !above[i] && !below[i];
}

}  // namespace

std::vector<Function> functions(const Image& image, const Core& core) {
  std::vector<Function> all;
  std::unordered_map<std::uint32_t, std::size_t> positions;
  for (std::uint32_t i = core.start; i < core.code_end(); ++i) {
    const std::uint16_t flags = image.flags(i);
    const bool named = (flags & (word_called | word_handler)) != 0 || i == core.start;
    // What code names by its address may be entered from anywhere, too.
    if (!named && ((flags & word_branch) == 0 || !image.jumps(i).empty())) continue;
    positions.emplace(i, all.size());
    all.push_back({.entry = i, .calls = {}});
  }
  std::vector<std::uint32_t> seen(core.words, 0);
  std::uint32_t budget = visit_limit;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool finished = walk(image, core, all[i].entry, seen, static_cast<std::uint32_t>(i + 1), budget,
                               [&](std::uint32_t at, const Opcode& opcode) {
                                 if (opcode.op != Op::call) return;
                                 const auto to = Image::target(core, at, image.word(at), opcode);
                                 if (!to) return;
                                 if (const auto callee = positions.find(*to); callee != positions.end())
                                   all[i].calls.push_back({at, callee->second});
                               });
    if (!finished) return {};
  }
  measure(all);
  return all;
}

}  // namespace mobula::afuc
