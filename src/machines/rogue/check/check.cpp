#include "machines/rogue/check/check.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/counted.h"
#include "machines/rogue/check/rules.h"
#include "machines/rogue/spec/access.h"
#include "machines/rogue/spec/cores.h"
#include "machines/rogue/spec/flow.h"
#include "machines/rogue/spec/slots.h"
#include "machines/rogue/text/print_instruction.h"
#include "machines/rogue/text/text_only.h"

namespace mobula::rogue {
namespace {

// ------------------------------------------------------------------------------------------------ one group

class Checker {
 public:
  explicit Checker(const Program& program)
      : program_(program), groups_(decode(program)), findings_(program.file, "RG200") {
    accesses_.reserve(groups_.size());
    for (const Group& group : groups_) accesses_.push_back(access_of(group));
  }

  Diagnostics run(bool whole_program);

 private:
  void add(std::string_view code, const Group& group, const std::string& found) {
    findings_.add(rule(code), group.offset, {}, found);
  }

  void check_group(const Group& group, const Access& access);
  void check_raw(const Group& group);
  void check_condition(const Group& group);
  // With slots_used() and selectors_used() of the group.
  void check_repeat(const Group& group, unsigned slots);
  void check_selectors(const Group& group, unsigned selectors);
  void check_slots(const Group& group, unsigned slots, unsigned selectors);
  void check_outputs(const Group& group, unsigned slots);
  void check_move(const Group& group, unsigned slots);
  void check_end();

  // paths
  struct State {
    RegisterSet defined;
    std::array<RegisterSet, 2> late_writes, late_reads;
    std::array<bool, 2> counting{};
    bool p0 = false, emitted = false;
    std::int32_t depth = 0;
    std::int32_t loop = 0;  ///< taken off the depth where the loop that was tested ends: where P0 is 0
  };
  /// Groups that may run next; groups_.size() stands for running off the end.
  class Successors {
   public:
    void add(std::size_t index) { all_[count_++] = index; }
    [[nodiscard]] const std::size_t* begin() const { return all_.data(); }
    [[nodiscard]] const std::size_t* end() const { return all_.data() + count_; }
    [[nodiscard]] bool empty() const { return count_ == 0; }
    [[nodiscard]] bool has(std::size_t index) const { return std::find(begin(), end(), index) != end(); }
    [[nodiscard]] bool is_only(std::size_t index) const { return count_ == 1 && all_[0] == index; }

   private:
    std::array<std::size_t, 2> all_{};
    std::size_t count_ = 0;
  };
  [[nodiscard]] Successors successors(std::size_t index) const;
  bool merge(std::size_t leader, const State& state);
  void follow_paths();
  void check_endless(const std::vector<bool>& reached);
  void step(std::size_t index, const Access& access, State& state, bool report);
  void count_masks(const Group& group, const Access& access, State& state, bool report);
  [[nodiscard]] State along(std::size_t index, std::size_t next, const State& state) const;
  void report_late(const Group& group, const Access& access, const State& state);
  void once(std::string_view code, const Group& group, const std::string& found) {
    if (reported_.emplace(group.offset, code).second) add(code, group, found);
  }

  const Program& program_;
  std::vector<Group> groups_;
  std::vector<Access> accesses_;  ///< of each group
  Findings findings_;
  std::map<std::size_t, State> at_leader_;
  std::set<std::pair<std::uint32_t, std::string_view>> reported_;
  bool writes_vertices_ = false;
};

void Checker::check_raw(const Group& group) {
  const Problem& problem = group.problem;
  const std::string_view code = problem.rule.empty() ? "RG201" : problem.rule;
  findings_.add(rule(code), group.offset, {8 * problem.byte + problem.bit_low, problem.bits},
                std::string(problem.text));
}

void Checker::check_condition(const Group& group) {
  const Item &control = group.item(Word::control), &backend = group.item(Word::backend);
  const bool ends = backend && backend.op->has(ends_task);
  const bool conditional = group.condition == Condition::if_p0 || group.condition == Condition::if_not_p0;
  const bool stops = control && control.op->has(task_waits);
  if (conditional && (stops || ends))
    add("RG015", group,
        std::string((stops ? control : backend).op->name) + " runs " + std::string(condition_name(group.condition)));
  if (control && control.op->has(changes_masks) && group.condition != Condition::ignore_pe)
    add("RG016", group, std::string(control.op->name) + " runs only where PE is 1");
}

void Checker::check_repeat(const Group& group, unsigned slots) {
  if (group.repeat == 1) return;
  for (unsigned slot = 0; slot < slot_count; ++slot)
    if ((slots >> slot & 1) != 0 && is(group.slots[slot], Special::constant)) {
      add("RG207", group,
          text_of(group.slots[slot]) + " is a source of a group that runs " + std::to_string(group.repeat) + " times");
      break;
    }
}

/// What a present phase drives, by the code that IS3, IS4 and IS5 have for it.
void Checker::check_selectors(const Group& group, unsigned selectors) {
  const std::array<bool, 4> driven{group.item(Word::p0).form != nullptr, group.item(Word::p1).form != nullptr,
                                   group.item(Word::pack).form != nullptr, true};
  static constexpr std::array<std::string_view, 4> names{"ft0", "ft1", "ft2", "fte"};
  const auto check = [&](const std::string& who, unsigned code) {
    if (!driven[code]) add("RG030", group, who + " is " + std::string(names[code]) + ", which no phase drives");
  };
  if ((selectors >> 1 & 1) != 0) check("is1", group.selectors[1] == 0 ? 0 : 3);
  if ((selectors >> 2 & 1) != 0) check("is2", group.selectors[2] == 0 ? 1 : 3);
  if ((selectors >> 3 & 1) != 0 && group.selectors[3] == 2)
    add("RG208", group, "is3 is s2");
  else if ((selectors >> 3 & 1) != 0)
    check("is3", group.selectors[3]);
  for (unsigned i = 4; i < 6; ++i)
    if ((selectors >> i & 1) != 0) {
      // A move that overrides all of the port leaves nothing of what is selected.
      const Item& move = group.item(Word::move);
      if (i == 4 && move && move.op->does == does::Move::replace && move.get(F::maskw0) == 15) continue;
      check("is" + std::to_string(i), group.selectors[i]);
    }
  if (const Item& move = group.item(Word::move)) {
    if (move.get(F::maskw0) != 0) check("the move's source of w0", move.get(F::movw0));
    if (move.op->does == does::Move::choose && group.w1p) check("the move's source of w1", move.get(F::movw1));
  }
}

void Checker::check_slots(const Group& group, unsigned slots, unsigned selectors) {
  for (unsigned slot = 0; slot < slot_count; ++slot) {
    const Register& reg = group.slots[slot];
    if ((slots >> slot & 1) == 0 || static_cast<int>(slot) == destination_slot(group)) continue;
    const auto rule = forbidden_in_slot(slot, reg);
    if (!rule) continue;
    add(*rule == SlotRule::special ? "RG027" : "RG026", group,
        text_of(reg) + " is read through s" + std::to_string(slot));
  }
  if (group.alu != Alu::main || (selectors & 1) == 0) return;
  const unsigned external = group.external_slot(), first = external < upper_slot ? 0 : upper_slot;
  const bool lowest_fits = !forbidden_in_slot(first, group.slots[external]);
  if (external > first && (slots >> first & 1) == 0 && group.slots[first] == Register{} && lowest_fits &&
      !group.item(Word::backend))
    add("RG022", group, "s" + std::to_string(external) + " is used and s" + std::to_string(first) + " is free");
}

void Checker::check_outputs(const Group& group, unsigned slots) {
  const auto ordered = [](const Register& reg) {
    const bool component =
        reg.bank == Bank::special && ((reg.index >= 54 && reg.index <= 61) || (reg.index >= 119 && reg.index <= 126));
    constexpr unsigned output_part = 46;
    return component || is_pixel_output(reg) || (reg.bank == Bank::special && reg.index == output_part);
  };
  const unsigned used = group.lower != nullptr ? slots : 0;
  std::optional<std::string> touched;
  for (unsigned slot = 0; slot < slot_count; ++slot)
    if ((used >> slot & 1) != 0 && ordered(group.slots[slot])) touched = text_of(group.slots[slot]) + " is read";
  for (unsigned port = 0; port < 2; ++port)
    if ((port == 0 ? group.w0p : group.w1p) && ordered(group.written[port]))
      touched = text_of(group.written[port]) + " is written";
  const Item& backend = group.item(Word::backend);
  if (backend && backend.op->has(reads_masks)) touched = "movmsk reads the mask";
  if (touched && !group.olchk) add("RG018", group, *touched + " without olchk");

  for (unsigned port = 0; port < 2; ++port) {
    if (port == 0 ? !group.w0p : !group.w1p) continue;
    const Register& reg = group.written[port];
    const bool shared = reg.bank == Bank::shared || (reg.indexed() && reg.index_bank() == indexed_shared);
    for (unsigned slot = 0; slot < slot_count; ++slot)
      if (shared && (used >> slot & 1) != 0 && group.slots[slot] == reg && !group.atom) {
        add("RG019", group, text_of(reg) + " is read and written");
        break;
      }
  }
  if (group.w0p && group.w1p && group.written[0] == group.written[1])
    add("RG035", group, "both results go to " + text_of(group.written[0]));
}

void Checker::check_move(const Group& group, unsigned slots) {
  const Item& move = group.item(Word::move);
  if (!move) return;
  if (move.op->does == does::Move::choose && !group.item(Word::test))
    add("RG039", group, "movc is in a group without a test");
  const std::uint32_t mask = move.get(F::maskw0);
  if (mask == 0 || mask == 15 || !group.w0p) return;
  for (unsigned slot = 0; slot < slot_count; ++slot)
    if ((slots >> slot & 1) != 0 && group.slots[slot] == group.written[0]) return;
  add("RG036", group,
      "the move overrides a part of " + text_of(group.written[0]) + ", and the rest is not its old value");
}

void Checker::check_group(const Group& group, const Access& access) {
  if (group.raw()) {
    check_raw(group);
    return;
  }
  if (const auto refused = refusal_of(group, program_.variant)) add(refused->code, group, refused->found);
  check_condition(group);
  const unsigned slots = slots_used(group), selectors = selectors_used(group);
  if (group.alu == Alu::main) {
    check_selectors(group, selectors);
    check_move(group, slots);
  }
  if (group.alu == Alu::bitwise && !group.item(Word::bit0)) add("RG010", group, "the group has no phase 0");
  if (group.alu != Alu::control) check_repeat(group, slots);
  if (group.lower != nullptr && !group.modelled.present) check_slots(group, slots, selectors);
  check_outputs(group, slots);
  if (access.p0_writers > 1) add("RG038", group, std::to_string(access.p0_writers) + " instructions write P0");
  const Item& backend = group.item(Word::backend);
  if (backend && backend.op->has(writes_vertex)) writes_vertices_ = true;
  const Item& control = group.item(Word::control);
  if (control && control.op->does == does::Control::branch && !group_at(groups_, branch_target(group, control)))
    add("RG045", group, "the target " + std::to_string(branch_target(group, control)) + " is not the start of a group");
}

void Checker::check_end() {
  if (groups_.empty()) return;
  const Group& last = groups_.back();
  if (!last.raw() && last.ends() && (last.offset % granule_bytes != 0 || last.size % granule_bytes != 0))
    add("RG046", last,
        "the last group begins at byte " + std::to_string(last.offset) + " and has " + counted(last.size, "byte"));
  for (const Group& group : groups_) {
    if (group.raw() || !group.ends()) continue;
    const Item& backend = group.item(Word::backend);
    if (writes_vertices_ && !(backend && backend.op->has(ends_task)))
      add("RG044", group, "vertex outputs are written and the program ends without an endtask");
  }
}

// ------------------------------------------------------------------------------------------------ paths

Checker::Successors Checker::successors(std::size_t index) const {
  const Exits exits = exits_of(groups_[index]);
  Successors next;
  if (exits.target)
    if (const auto target = group_at(groups_, *exits.target)) next.add(*target);
  if (exits.falls) next.add(index + 1);
  return next;
}

/// What is known at the start of a group when this path joins. True if that changed it.
bool Checker::merge(std::size_t leader, const State& state) {
  const auto [place, added] = at_leader_.try_emplace(leader, state);
  if (added) return true;
  State& known = place->second;
  State merged = known;
  merged.defined &= state.defined;
  for (std::size_t i = 0; i < 2; ++i) {
    merged.late_writes[i] |= state.late_writes[i];
    merged.late_reads[i] |= state.late_reads[i];
    merged.counting[i] = merged.counting[i] || state.counting[i];
  }
  merged.p0 = merged.p0 && state.p0;
  merged.emitted = merged.emitted || state.emitted;
  if (merged.depth != state.depth && leader < groups_.size())
    once("RG204", groups_[leader],
         "paths with mask counts " + std::to_string(merged.depth) + " and " + std::to_string(state.depth) + " meet");
  const bool changed = merged.defined != known.defined || merged.late_writes != known.late_writes ||
                       merged.late_reads != known.late_reads || merged.counting != known.counting ||
                       merged.p0 != known.p0 || merged.emitted != known.emitted;
  known = merged;
  return changed;
}

void Checker::report_late(const Group& group, const Access& access, const State& state) {
  for (std::size_t counter = 0; counter < 2; ++counter) {
    const RegisterSet touched =
        state.late_writes[counter] & (access.reads | access.writes | access.late_writes | access.late_reads);
    const RegisterSet changed = state.late_reads[counter] & (access.writes | access.late_writes);
    if (touched.none() && changed.none()) continue;
    for (unsigned i = 0; i < tracked_count; ++i) {
      if (!touched.test(i) && !changed.test(i)) continue;
      once("RG041", group,
           text_of(tracked_register(i)) +
               (touched.test(i) ? " is used before its late result is waited for"
                                : " is changed before a store has read it") +
               ": `wdf drc" + std::to_string(counter) + "` is missing");
      return;
    }
  }
}

void Checker::step(std::size_t index, const Access& access, State& state, bool report) {
  const Group& group = groups_[index];
  if (group.raw()) return;
  const Item &control = group.item(Word::control), &backend = group.item(Word::backend);
  if (report) {
    report_late(group, access, state);
    const RegisterSet unknown = access.reads & ~state.defined;
    for (unsigned i = 0; i < tracked_count && unknown.any(); ++i)
      if (unknown.test(i)) {
        once("RG202", group, text_of(tracked_register(i)) + " is read, and on some path nothing has written it");
        break;
      }
    if (access.reads_p0 && !state.p0) once("RG203", group, "P0 is read, and on some path nothing has written it");
    if (backend && backend.op->has(emits_pixel) && state.emitted)
      once("RG043", group, "pixels were emitted before, and nothing waited");
    if (access.waits && !state.counting[static_cast<std::size_t>(access.counter)])
      once("RG205", group, "nothing counts drc" + std::to_string(access.counter) + " up on any path to here");
  }
  state.defined |= access.writes | access.late_writes;
  if (access.counter >= 0) {
    const auto counter = static_cast<std::size_t>(access.counter);
    if (access.waits) {
      state.late_writes[counter].reset();
      state.late_reads[counter].reset();
    } else {
      state.late_writes[counter] |= access.late_writes;
      state.late_reads[counter] |= access.late_reads;
    }
    state.counting[counter] = !access.waits;
  }
  state.p0 = state.p0 || access.p0_writers != 0;
  if (backend && backend.op->has(emits_pixel)) state.emitted = true;
  if (control && control.op->does == does::Control::wait_output) state.emitted = false;
  count_masks(group, access, state, report);
}

void Checker::count_masks(const Group& group, const Access& access, State& state, bool report) {
  const Item& control = group.item(Word::control);
  if (access.p0_writers != 0) state.depth -= std::exchange(state.loop, 0);
  if (control && control.op->has(changes_masks)) {
    const auto adjust = static_cast<std::int32_t>(control.get(F::adjust));
    const bool starts = is(group.slots[0], Special::constant);
    if (control.op->has(adds_to_mask)) state.depth = starts ? 0 : state.depth + adjust;
    if (control.op->has(takes_off_mask)) state.depth -= adjust;
    if (control.op->has(tests_mask)) state.loop = adjust;
    if (report && state.depth < state.loop) once("RG204", group, "more is taken off the mask count than was put on");
    state.depth = std::max(state.depth, -1);
  }
  if (report && group.ends() && state.depth > state.loop)
    once("RG204", group, "the program ends with " + std::to_string(state.depth) + " left on the mask count");
}

/// A loop continues where P0 is 1 and ends elsewhere: then its instances take their count off (3.10, cndlt).
Checker::State Checker::along(std::size_t index, std::size_t next, const State& state) const {
  State result = state;
  const Group& group = groups_[index];
  const bool conditional = group.condition == Condition::if_p0 || group.condition == Condition::if_not_p0;
  const bool taken = next != index + 1;
  if (conditional && taken != (group.condition == Condition::if_p0)) result.depth -= result.loop;
  if (conditional) result.loop = 0;
  return result;
}

void Checker::follow_paths() {
  constexpr std::size_t max_leaders = 20000;
  std::vector<bool> leader(groups_.size() + 1);
  std::size_t leaders = 0;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const Successors next = successors(i);
    if (next.is_only(i + 1)) continue;
    for (const std::size_t each : next)
      if (!leader[each]) leader[each] = true, ++leaders;
  }
  const auto entry = group_at(groups_, program_.entry);
  if (!entry) return;
  if (leaders > max_leaders) {
    add("RG209", groups_.front(), counted(leaders, "place") + " where paths meet");
    return;
  }
  State start;
  start.defined = preloaded();
  std::deque<std::size_t> work{*entry};
  at_leader_.emplace(*entry, start);
  leader[*entry] = true;
  std::vector<bool> reached(groups_.size());
  // First what is known everywhere, then the findings.
  const auto walk = [&](std::size_t index, bool report) {
    State state = at_leader_.at(index);
    while (true) {
      reached[index] = true;
      step(index, accesses_[index], state, report);
      const Successors next = successors(index);
      if (report && next.has(groups_.size()))
        once("RG020", groups_[index], "the program runs off its end after this group");
      // A group that nothing but the one before it leads to: the path goes on.
      if (next.is_only(index + 1) && index + 1 < groups_.size() && !leader[index + 1]) {
        ++index;
        continue;
      }
      if (!report)
        for (const std::size_t each : next)
          if (each < groups_.size() && merge(each, along(index, each, state))) work.push_back(each);
      return;
    }
  };
  while (!work.empty()) {
    const std::size_t index = work.front();
    work.pop_front();
    walk(index, false);
  }
  for (const auto& [index, state] : at_leader_) walk(index, true);
  for (std::size_t i = 0; i + 1 < groups_.size(); ++i)
    if (!groups_[i].raw() && groups_[i].ends() && !reached[i + 1])
      add("RG206", groups_[i + 1], "this group follows an end and nothing leads to it");
  check_endless(reached);
}

/// Says so of the first group that is reached and from which no path comes to an end, a return or an error that other
/// rules report.
void Checker::check_endless(const std::vector<bool>& reached) {
  std::vector<bool> comes_to_an_end(groups_.size());
  std::vector<std::vector<std::size_t>> before(groups_.size());
  std::vector<std::size_t> work;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    if (!reached[i]) continue;
    const Successors next = successors(i);
    for (const std::size_t each : next)
      if (each < groups_.size()) before[each].push_back(i);
    comes_to_an_end[i] = next.empty() || next.has(groups_.size());
    if (comes_to_an_end[i]) work.push_back(i);
  }
  for (std::size_t at = 0; at < work.size(); ++at)
    for (const std::size_t each : before[work[at]]) {
      if (comes_to_an_end[each]) continue;
      comes_to_an_end[each] = true;
      work.push_back(each);
    }
  for (std::size_t i = 0; i < groups_.size(); ++i)
    if (reached[i] && !comes_to_an_end[i]) return add("RG020", groups_[i], "no path leads from this group to an end");
}

Diagnostics Checker::run(bool whole_program) {
  for (std::size_t i = 0; i < groups_.size() && !findings_.full(); ++i) check_group(groups_[i], accesses_[i]);
  if (whole_program) {
    check_end();
    follow_paths();
  }
  Diagnostics all = findings_.take();
  std::vector<std::size_t> order(all.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto at = [&](std::size_t i) { return std::pair{all[i].where.byte_offset.value_or(0), i}; };
    return at(a) < at(b);
  });
  Diagnostics sorted;
  sorted.reserve(all.size());
  for (const std::size_t i : order) sorted.push_back(std::move(all[i]));
  return sorted;
}

}  // namespace

Diagnostics check(const Program& program) { return Checker(program).run(true); }

Diagnostics check_groups(const Program& program) { return Checker(program).run(false); }

}  // namespace mobula::rogue
