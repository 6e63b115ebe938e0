// Ways through groups, for the estimate and for tasks of which no run is known.
#include <algorithm>
#include <limits>

#include "core/counted.h"
#include "core/hexadecimal.h"
#include "machines/rogue/spec/access.h"
#include "machines/rogue/spec/flow.h"
#include "machines/rogue/text/text_only.h"
#include "machines/rogue/timing/timing.h"

namespace mobula::rogue {
namespace {

constexpr std::uint32_t unseen = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t most_notes = 8;

class Finder {
 public:
  explicit Finder(const Program& program) : program_(program) {
    for (std::uint32_t offset = 0; offset < program.code.size(); offset += size_of_group(program.code, offset))
      offsets_.push_back(offset);
    node_of_.assign(offsets_.size(), unseen);
    const std::size_t entry = index_at(static_cast<std::int64_t>(program.entry));
    if (entry == offsets_.size())
      note(program.entry, "no group begins at the entry");
    else
      node(entry);
    for (std::uint32_t i = 0; i < flow_.nodes.size(); ++i) connect(i);
    if (left_out_ != 0) flow_.notes.push_back("and " + counted(left_out_, "more place") + " like these");
  }

  Flow take() { return std::move(flow_); }

 private:
  /// offsets_.size() if no group begins there.
  [[nodiscard]] std::size_t index_at(std::int64_t offset) const {
    const auto found = std::lower_bound(offsets_.begin(), offsets_.end(), offset);
    return found != offsets_.end() && *found == offset ? static_cast<std::size_t>(found - offsets_.begin())
                                                       : offsets_.size();
  }

  std::uint32_t node(std::size_t index) {
    std::uint32_t& number = node_of_[index];
    if (number == unseen) {
      number = static_cast<std::uint32_t>(flow_.nodes.size());
      flow_.nodes.emplace_back();
      flow_.groups.push_back({.offset = offsets_[index]});
    }
    return number;
  }

  void connect(std::uint32_t number) {
    const Group group = decode_group(program_, flow_.groups[number].offset);
    flow_.groups[number] = timed_group(group);
    if (group.raw()) note(group.offset, "the bytes are not a group; a task that comes here is assumed to end");
    const Exits exits = exits_of(group);
    if (exits.calls) ++flow_.calls;
    flow_.nodes[number].ends = !exits.falls && !exits.target;
    if (exits.target && !exits.calls) lead_to(number, *exits.target, "a branch does not lead to a group");
    if (exits.falls) lead_to(number, std::int64_t{group.offset} + group.size, "the program runs past its end");
  }

  void lead_to(std::uint32_t number, std::int64_t offset, std::string_view otherwise) {
    const std::size_t index = index_at(offset);
    if (index == offsets_.size()) {
      flow_.nodes[number].ends = true;
      return note(flow_.groups[number].offset, std::string(otherwise));
    }
    const std::uint32_t target = node(index);
    flow_.nodes[number].lead_to(target);
  }

  void note(std::uint64_t offset, const std::string& text) {
    if (flow_.notes.size() < most_notes)
      flow_.notes.push_back(hexadecimal(offset) + ": " + text);
    else
      ++left_out_;
  }

  const Program& program_;
  std::vector<std::uint32_t> offsets_, node_of_;
  std::size_t left_out_ = 0;
  Flow flow_;
};

/// The other party of an instruction with a fence counter.
Server server_of(const Op& op) {
  if (op.has(by_texture_unit)) return Server::texture;
  return op.has(by_iterator) ? Server::iterator : Server::memory;
}

}  // namespace

TimedGroup timed_group(const Group& group) {
  TimedGroup timed{.offset = group.offset,
                   .size = static_cast<std::uint8_t>(std::min(group.size, max_group_bytes)),
                   .repeat = group.repeat,
                   .raw = group.raw()};
  if (group.raw()) return timed;
  const Item &control = group.item(Word::control), &backend = group.item(Word::backend);
  const Item& item = control ? control : backend;
  if (!item) return timed;
  const Access access = access_of(group);
  timed.counter = access.counter;
  timed.waits = access.waits;
  timed.waits_for_output = item.op->does == does::Control::wait_output;
  timed.branches = item.op->does == does::Control::branch || item.op->does == does::Control::return_to_link;
  if (access.counter < 0 || access.waits) return timed;
  timed.server = server_of(*item.op);
  timed.counted_in_register = item.form->find(F::srcselbl) != nullptr;
  timed.amount = static_cast<std::uint8_t>(timed.server == Server::texture ? 1 : words_moved(item));
  if (item.op->has(only_fences)) timed.amount = 0;
  constexpr unsigned waits_itself = 2;
  timed.waits = item.form->find(F::sched_ctrl) != nullptr && item.get(F::sched_ctrl) == waits_itself;
  return timed;
}

Flow find_flow(const Program& program) {
  Flow flow = Finder(program).take();
  flow.order();
  return flow;
}

}  // namespace mobula::rogue
