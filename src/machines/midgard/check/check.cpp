#include "machines/midgard/check/check.h"

#include <algorithm>

#include "core/counted.h"
#include "machines/midgard/check/report.h"
#include "machines/midgard/spec/operands.h"

namespace mobula::midgard {
namespace {

constexpr std::uint16_t lut_always = 0xFFFF, lut_never = 0;
constexpr unsigned call_mode_call = 2;

bool is_tile_branch(const Branch& branch) {
  return branch.op == BranchMeaning::write || branch.op == BranchMeaning::tilebuffer;
}
bool is_conditional(const Branch& branch) { return branch.lut != lut_always && branch.lut != lut_never; }
/// True if no thread continues to the word after a branch. A writeout and a wait for the tile do when they succeed.
bool leaves(const Branch& branch) {
  switch (branch.op) {
    case BranchMeaning::uncond:
      return branch.call_mode != call_mode_call;
    case BranchMeaning::cond:
      return branch.lut == lut_always && branch.call_mode != call_mode_call;
    case BranchMeaning::discard:
      return branch.lut == lut_always;
    case BranchMeaning::tilebuffer:
    case BranchMeaning::write:
      return false;
  }
  return false;
}
bool tests_one_condition(const Branch& branch) { return branch.lut == (branch.lut & 3) * 0x5555; }

/// Bytes of a register that the units of a bundle write.
Bytes bytes_written(const Bundle& bundle, unsigned reg) {
  Bytes bytes = 0;
  for (const AluInstruction& instruction : bundle.alu_instructions())
    if (const Touched touched = destination_bytes(instruction); touched.reg == reg) bytes |= touched.bytes;
  return bytes;
}

class Checker {
 public:
  explicit Checker(const Program& program) : report_(program) {}

  Diagnostics run();

 private:
  void decode();
  void check_interface();
  void check_entry();
  void follow();
  void reach(std::int64_t quadword);
  void check_reached(std::size_t index);
  void check_word(std::size_t index);
  void check_raw(const Bundle& bundle);
  void check_next_tag(const Bundle& bundle, const Bundle* following);
  void check_branches(const Bundle& bundle);
  void check_target(const Bundle& bundle, const Branch& branch, unsigned base);
  void check_condition(const Bundle& bundle, const Branch& branch, unsigned base);
  void check_writeout(const Bundle& bundle, const Branch& branch, BitRange bits);
  void check_writeout_tag(const Bundle& bundle);

  Report report_;
  std::span<const std::uint8_t> code_;
  std::vector<Bundle> bundles_;
  std::vector<std::uint8_t> starts_;  ///< by quadword: 16 + tag where a bundle starts, 0 inside one
  std::vector<bool> reached_;         ///< by quadword: a thread may execute the bundle that starts there
  std::vector<std::uint32_t> open_;   ///< quadwords that are reached and not yet followed
};

/// Zero quadwords after the last word are padding and not decoded. Without any word they pad nothing: the first of them
/// is what the program begins with.
void Checker::decode() {
  code_ = report_.program.code;
  std::size_t count = code_.size() / quadword_bytes;
  const auto is_zero = [&](std::size_t quadword) {
    const auto bytes = code_.subspan(quadword * quadword_bytes, quadword_bytes);
    return std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte == 0; });
  };
  while (count > 1 && is_zero(count - 1)) --count;
  // A word may end in zeros, so whole words are taken before the padding is.
  for (std::uint32_t position = 0; position < count; position += bundles_.back().quadword_count)
    bundles_.push_back(decode_bundle(code_, position));
  starts_.assign(code_.size() / quadword_bytes, 0);
  for (const Bundle& bundle : bundles_) starts_[bundle.position] = 16 + bundle.tag;
}

void Checker::check_interface() {
  const Interface& interface = report_.program.interface;
  const std::uint64_t work = interface.work_registers.value_or(0), uniform = interface.uniform_registers.value_or(0);
  constexpr unsigned most_work = 16;
  if (work + uniform > last_uniform_register + 1)
    report_.add(RuleId::register_split, 0, {},
                std::to_string(work) + " work and " + counted(uniform, "uniform register") + " are announced");
  else if (work > most_work)
    report_.add(RuleId::work_limit, 0, {}, counted(work, "work register is", "work registers are") + " announced");
  constexpr unsigned gpu_t60x = 0x600;
  if (interface.work_registers == 0u && report_.product.gpu_id == gpu_t60x)
    report_.add(RuleId::work_registers, 0, {}, "no work register is announced");
}

void Checker::check_entry() {
  const std::uint64_t entry = report_.program.entry, quadword = entry / quadword_bytes;
  if (bundles_.empty() && entry == 0) return;
  if (entry % quadword_bytes != 0 || quadword >= starts_.size() || starts_[quadword] == 0) {
    report_.add(RuleId::entry, entry, {}, "the entry " + capital_hexadecimal(entry) + " is not the start of a word");
    return;
  }
  const auto announced = report_.program.interface.first_tag;
  const unsigned tag = starts_[quadword] - 16u;
  if (announced && *announced != tag)
    report_.add(
        RuleId::first_tag, entry, bits_of(control::tag),
        "the first tag announced is " + std::to_string(*announced) + " but the first word has " + tag_name(tag));
}

void Checker::reach(std::int64_t quadword) {
  if (quadword < 0 || quadword >= static_cast<std::int64_t>(starts_.size())) return;
  const auto position = static_cast<std::uint32_t>(quadword);
  if (starts_[position] == 0 || reached_[position]) return;
  reached_[position] = true;
  open_.push_back(position);
}

/// Finds the words that some path from the entry leads to. Where a word breaks a rule, the path continues as it seems
/// to be meant, so that one mistake is not reported twice.
void Checker::follow() {
  reached_.assign(starts_.size(), false);
  reach(static_cast<std::int64_t>(report_.program.entry / quadword_bytes));
  while (!open_.empty()) {
    const std::uint32_t position = open_.back();
    open_.pop_back();
    const Bundle bundle = decode_bundle(code_, position);
    bool goes_on = bundle.next != tag_break || bundle.form == Bundle::Form::raw;
    for (const Branch& branch : branches(bundle)) {
      const bool taken = branch.op != BranchMeaning::discard && branch.dest_tag != tag_break && branch.lut != lut_never;
      if (taken) reach(target_of(bundle, branch));
      if (leaves(branch)) goes_on = false;
    }
    if (goes_on) reach(std::int64_t{position} + bundle.quadword_count);
  }
}

/// Says of the first of several words in a row that none is reached.
void Checker::check_reached(std::size_t index) {
  const auto is_reached = [&](std::size_t i) { return reached_[bundles_[i].position]; };
  if (is_reached(index) || (index != 0 && !is_reached(index - 1))) return;
  std::size_t count = 1;
  while (index + count < bundles_.size() && !is_reached(index + count)) ++count;
  report_.add(RuleId::reached, bundles_[index], {},
              count == 1 ? "no path leads to this word"
                         : "no path leads to this word or the " + std::to_string(count - 1) + " after it");
}

void Checker::check_raw(const Bundle& bundle) {
  const std::string reason = raw_reason(code_, bundle.position);
  const std::size_t left = code_.size() / quadword_bytes - bundle.position;
  if (!is_alu_tag(bundle.tag))
    report_.add(RuleId::known_tag, bundle, bits_of(control::tag), reason);
  else if (quadwords(bundle.tag) > left)
    report_.add(RuleId::complete_word, bundle, bits_of(control::tag), reason);
  else
    report_.add(RuleId::length_by_tag, bundle, bits_of(control::tag), reason);
}

void Checker::check_next_tag(const Bundle& bundle, const Bundle* following) {
  if (bundle.next == tag_break) return;
  if (bundle.next == tag_invalid)
    report_.add(RuleId::next_tag_valid, bundle, bits_of(control::next), "the next tag is 0");
  else if (following == nullptr)
    report_.add(RuleId::last_word_ends, bundle, bits_of(control::next),
                "the last word announces " + tag_name(bundle.next) + " but nothing follows");
  else if (following->tag != bundle.next)
    report_.add(
        RuleId::next_tag, bundle, bits_of(control::next),
        "the next tag is " + std::to_string(bundle.next) + " but the following word has " + tag_name(following->tag));
}

void Checker::check_target(const Bundle& bundle, const Branch& branch, unsigned base) {
  // A discard's target is a dummy; a target tag of 1 ends the thread wherever it points.
  if (branch.op == BranchMeaning::discard || branch.dest_tag == tag_break || branch.lut == lut_never) return;
  const BitRange offset = bits_of(branch.extended                      ? brx::offset
                                  : branch.op == BranchMeaning::uncond ? bruncond::offset
                                                                       : brcond::offset,
                                  base);
  const std::int64_t target = target_of(bundle, branch);
  const std::string place = "the branch leads to quadword " + std::to_string(target);
  if (target < 0 || target >= static_cast<std::int64_t>(starts_.size())) {
    report_.add(RuleId::target_inside, bundle, offset,
                place + " of a program of " + counted(starts_.size(), "quadword"));
    return;
  }
  const std::uint8_t start = starts_[static_cast<std::size_t>(target)];
  if (start == 0)
    report_.add(RuleId::target_start, bundle, offset, place + ", where no word starts");
  else if (start - 16 != branch.dest_tag)
    report_.add(RuleId::target_tag, bundle, bits_of(branch::dest_tag, base),
                "the branch announces " + tag_name(branch.dest_tag) + " but its target has " + tag_name(start - 16u));
}

void Checker::check_condition(const Bundle& bundle, const Branch& branch, unsigned base) {
  const BitRange bits = bits_of(branch.extended ? brx::lut : brcond::condition, base);
  const bool compact_jump = !branch.extended && branch.op == BranchMeaning::uncond;
  if (compact_jump) return;
  if (!tests_one_condition(branch) || branch.lut == lut_never)
    report_.add(RuleId::single_condition, bundle, bits, "the condition table is " + capital_hexadecimal(branch.lut));
  if (!is_conditional(branch)) return;
  constexpr Bytes component_x = 0x000F;
  const Bytes needed = tests_one_condition(branch) ? component_w : component_w | component_x;
  if ((needed & ~bytes_written(bundle, register_condition)) != 0) {
    report_.add(RuleId::condition_written, bundle, bits, "the condition is tested but this word does not write it");
    return;
  }
  for (const AluInstruction& instruction : bundle.alu_instructions()) {
    const Touched touched = destination_bytes(instruction);
    if (touched.reg != register_condition || (touched.bytes & component_w) == 0 || instruction.unit == Unit::smul)
      continue;
    // In the word of a select, the condition of stage 1 is the select's.
    if (info(instruction.unit).stage == 1 && bundle.find(Unit::smul) != nullptr &&
        destination_bytes(*bundle.find(Unit::smul)).reg == register_condition)
      continue;
    report_.add(RuleId::condition_unit, bundle, bits,
                "the condition is written by " + std::string(info(instruction.unit).name));
  }
}

void Checker::check_writeout(const Bundle& bundle, const Branch& branch, BitRange bits) {
  if (branch.op != BranchMeaning::write) return;
  if (bytes_written(bundle, 0) != all_bytes)
    report_.add(RuleId::writeout_colour, bundle, bits,
                "the word writes bytes " + capital_hexadecimal(bytes_written(bundle, 0)) + " of r0 (one bit per byte)");
  if (branch.lut != lut_always && !report_.product.writeout_condition)
    report_.add(RuleId::writeout_condition, bundle, bits,
                "the writeout has condition table " + capital_hexadecimal(branch.lut));
  if (bundle.next != tag_break && !report_.product.multiple_targets)
    report_.add(RuleId::one_target, bundle, bits_of(control::next), "the thread continues after its writeout");
}

void Checker::check_writeout_tag(const Bundle& bundle) {
  const Branches list = branches(bundle);
  const bool tile = std::any_of(list.begin(), list.end(), is_tile_branch);
  const BitRange tag = bits_of(control::tag);
  if (is_writeout_tag(bundle.tag) && !report_.product.writeout_tags)
    report_.add(RuleId::writeout_tag_exists, bundle, tag,
                tag_name(bundle.tag) + " on " + std::string(report_.product.marketing));
  else if (is_writeout_tag(bundle.tag) && !tile)
    report_.add(RuleId::writeout_tag_needed, bundle, tag, tag_name(bundle.tag) + " without a writeout or tile wait");
  else if (!is_writeout_tag(bundle.tag) && tile && report_.product.writeout_tags)
    report_.add(RuleId::writeout_tag_used, bundle, tag, "a writeout or tile wait under " + tag_name(bundle.tag));
}

void Checker::check_branches(const Bundle& bundle) {
  if (bundle.has_compact && bundle.has_extended)
    report_.add(RuleId::one_branch, bundle, {control::branch_compact.low, 2}, "a compact and an extended branch");
  // Branches come after the units' fields.
  unsigned base = 32;
  for (const AluInstruction& instruction : bundle.alu_instructions()) base += 16 + 8 * info(instruction.unit).bytes;
  const Stage stage = report_.program.interface.stage;
  for (const Branch& branch : branches(bundle)) {
    const unsigned width = branch.extended ? brx::format.width : brcond::format.width;
    const BitRange op = bits_of(branch::op, base);
    if (find_value(branch::op, opcode_of(branch.op)) == nullptr)
      report_.add(RuleId::branch_op, bundle, op, "operation " + std::to_string(opcode_of(branch.op)));
    const bool plain = branch.extended ? branch.call_mode <= 1 : branch.call_mode == 1;
    if (!plain)
      report_.add(RuleId::call_mode, bundle, bits_of(brx::call_mode, base),
                  "call mode " + std::to_string(branch.call_mode));
    if (branch.extended && branch.op == BranchMeaning::uncond)
      report_.add(RuleId::extended_jump, bundle, op, "an extended branch with operation 1");
    if ((branch.op == BranchMeaning::discard || is_tile_branch(branch)) && stage != Stage::unknown &&
        stage != Stage::fragment)
      report_.add(RuleId::fragment_only, bundle, op,
                  "operation " + std::string(find_value(branch::op, opcode_of(branch.op))->name) +
                      " outside a fragment shader");
    check_target(bundle, branch, base);
    check_condition(bundle, branch, base);
    check_writeout(bundle, branch, {base, width});
    base += width;
  }
}

void Checker::check_word(std::size_t index) {
  const Bundle& bundle = bundles_[index];
  const std::span<const Bundle> all = bundles_, preceding = all.first(index), following = all.subspan(index + 1);
  if (bundle.form == Bundle::Form::raw) return check_raw(bundle);
  check_next_tag(bundle, following.empty() ? nullptr : &following.front());
  switch (bundle.form) {
    case Bundle::Form::alu:
      check_writeout_tag(bundle);
      check_alu(report_, bundle);
      check_branches(bundle);
      break;
    case Bundle::Form::load_store:
      check_load_store(report_, bundle);
      break;
    case Bundle::Form::texture:
      check_texture(report_, bundle, preceding, following);
      break;
    case Bundle::Form::raw:
      break;
  }
}

Diagnostics Checker::run() {
  decode();
  check_interface();
  check_entry();
  follow();
  const bool has_entry =
      report_.program.entry / quadword_bytes < reached_.size() && reached_[report_.program.entry / quadword_bytes];
  for (std::size_t i = 0; i < bundles_.size() && !report_.full(); ++i) {
    if (has_entry) check_reached(i);
    check_word(i);
  }
  if (code_.size() % quadword_bytes != 0)
    report_.add(RuleId::whole_quadwords, code_.size() / quadword_bytes * quadword_bytes, {},
                "the last " + counted(code_.size() % quadword_bytes, "byte does", "bytes do") + " not fill a quadword");
  return report_.take();
}

}  // namespace

std::string register_name(unsigned reg) { return "r" + std::to_string(reg); }

std::string tag_name(unsigned tag) { return "tag " + std::to_string(tag) + " (" + std::string(tags[tag].name) + ")"; }

std::optional<RuleId> register_rule(const Report& report, unsigned reg, bool written) {
  if (reg > last_uniform_register) return {};
  const Interface& interface = report.program.interface;
  // Without a count, r16 to r23 are uniforms and r8 to r15 may be either.
  constexpr unsigned registers = last_uniform_register + 1, most_work = 16, least_work = 8;
  const unsigned uniforms_from = interface.uniform_registers
                                     ? registers - std::min<unsigned>(*interface.uniform_registers, registers)
                                     : (written ? most_work : least_work);
  if (reg >= uniforms_from) return written ? std::optional(RuleId::uniform_write) : std::nullopt;
  if (interface.work_registers && reg >= *interface.work_registers) return RuleId::register_range;
  return {};
}

Diagnostics check(const Program& program) { return Checker(program).run(); }

}  // namespace mobula::midgard
