#include "machines/midgard/timing/flow.h"

#include <limits>

#include "core/counted.h"
#include "core/hexadecimal.h"

namespace mobula::midgard {
namespace {

constexpr std::uint32_t unseen = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t most_notes = 8;

bool is_always_taken(const Branch& branch) { return branch.op == BranchMeaning::uncond || branch.lut == 0xFFFF; }
bool is_never_taken(const Branch& branch) { return !is_always_taken(branch) && branch.lut == 0; }

class Finder {
 public:
  explicit Finder(const Program& program)
      : code_(program.code), count_(static_cast<std::uint32_t>(program.code.size() / quadword_bytes)) {
    const std::uint64_t entry = program.entry / quadword_bytes;
    if (entry >= count_) {
      note(program.entry, "the entry lies outside the code");
    } else {
      if (program.entry % quadword_bytes != 0) note(program.entry, "the entry is not at the start of a quadword");
      node_at_.assign(count_, unseen);
      node(static_cast<std::uint32_t>(entry));
      for (std::size_t i = 0; i < flow_.nodes.size(); ++i) connect(static_cast<std::uint32_t>(i));
    }
    if (notes_left_out_ != 0) flow_.notes.push_back("and " + counted(notes_left_out_, "more place") + " like these");
  }

  Flow take() { return std::move(flow_); }

 private:
  std::uint32_t node(std::uint32_t position) {
    std::uint32_t& index = node_at_[position];
    if (index == unseen) {
      index = static_cast<std::uint32_t>(flow_.nodes.size());
      flow_.nodes.emplace_back();
      flow_.words.push_back({.position = position});
    }
    return index;
  }

  void connect(std::uint32_t index) {
    const Bundle bundle = decode_bundle(code_, flow_.words[index].position);
    const std::uint64_t address = std::uint64_t{bundle.position} * quadword_bytes;
    if (bundle.form == Bundle::Form::raw) {
      flow_.nodes[index].ends = true;
      return note(address, "the word cannot be decoded; a thread that comes here faults");
    }
    flow_.words[index].pipe = tags[bundle.tag].pipe;
    bool falls_through = true;
    for (const Branch& branch : branches(bundle)) {
      if (!falls_through) break;
      falls_through = follow(index, bundle, branch);
    }
    if (!falls_through) return;
    if (bundle.next == tag_break) {
      flow_.nodes[index].ends = true;
    } else {
      lead_to(index, std::int64_t{bundle.position} + bundle.quadword_count, "the program runs past its end");
    }
  }

  /// Adds where the branch leads when it is taken; true if it may also not be taken.
  bool follow(std::uint32_t index, const Bundle& bundle, const Branch& branch) {
    const bool always = is_always_taken(branch);
    switch (branch.op) {
      case BranchMeaning::write:
      case BranchMeaning::tilebuffer:
        return true;
      case BranchMeaning::discard:
        flow_.nodes[index].ends |= !is_never_taken(branch);
        return !always;
      case BranchMeaning::uncond:
      case BranchMeaning::cond:
        return follow_jump(index, bundle, branch);
    }
    flow_.nodes[index].ends = true;
    note(std::uint64_t{bundle.position} * quadword_bytes,
         "unknown branch operation " + std::to_string(opcode_of(branch.op)));
    return false;
  }

  bool follow_jump(std::uint32_t index, const Bundle& bundle, const Branch& branch) {
    const bool always = is_always_taken(branch);
    if (branch.call_mode >= 2) {
      flow_.nodes[index].ends = true;
      note(std::uint64_t{bundle.position} * quadword_bytes, "where calls and returns lead is unknown");
      return !always;
    }
    if (!is_never_taken(branch)) {
      if (branch.dest_tag == tag_break)
        flow_.nodes[index].ends = true;
      else
        lead_to(index, target_of(bundle, branch), "a branch leads outside the program");
    }
    return !always;
  }

  void lead_to(std::uint32_t index, std::int64_t position, std::string_view otherwise) {
    if (position < 0 || position >= count_) {
      flow_.nodes[index].ends = true;
      return note(std::uint64_t{flow_.words[index].position} * quadword_bytes, std::string(otherwise));
    }
    const std::uint32_t target = node(static_cast<std::uint32_t>(position));
    flow_.nodes[index].lead_to(target);
  }

  void note(std::uint64_t address, const std::string& text) {
    if (flow_.notes.size() < most_notes)
      flow_.notes.push_back(hexadecimal(address) + ": " + text);
    else
      ++notes_left_out_;
  }

  std::span<const std::uint8_t> code_;
  std::uint32_t count_;
  std::vector<std::uint32_t> node_at_;
  std::size_t notes_left_out_ = 0;
  Flow flow_;
};

}  // namespace

Flow find_flow(const Program& program) {
  Flow flow = Finder(program).take();
  flow.order();
  return flow;
}

}  // namespace mobula::midgard
