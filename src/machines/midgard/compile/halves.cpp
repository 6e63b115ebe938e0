#include "machines/midgard/compile/halves.h"

#include <algorithm>

namespace mobula::midgard_compiler {
namespace {

using midgard::AluMeaning;
using midgard::Kind;

bool moves(AluMeaning does) {
  return does == AluMeaning::imov || does == AluMeaning::fmov || does == AluMeaning::select_by_lane ||
         does == AluMeaning::select_by_w;
}
bool is_real(const AluOp* op) { return op->in == Kind::f && op->out == Kind::f; }
bool is_copy(const AluOp* op) { return op->does == AluMeaning::imov; }

class Finder {
 public:
  explicit Finder(Code& code)
      : code_(code),
        can_(code.values.size()),
        decides_(code.values.size()),
        makers_(code.values.size()),
        moved_to_(code.values.size()) {
    for (Value value = 0; value < code.values.size(); ++value) {
      const ValueInfo& info = code.values[value];
      can_[value] = info.home == Home::work && info.placement == Placement::anywhere && info.fixed < 0;
    }
  }

  bool run() {
    for (const Block& block : code_.blocks)
      for (const Instruction& each : block.code) {
        look_at_result(each);
        look_at_sources(each);
      }
    keep_what_decides();
    keep_what_moves();
    bool any = false;
    for (Value value = 0; value < code_.values.size(); ++value) any |= code_.values[value].half = can_[value];
    for (Block& block : code_.blocks)
      for (Instruction& each : block.code) {
        convert(each);
        any |= round_constants(each);
      }
    return any;
  }

 private:
  void look_at_result(const Instruction& each) {
    if (each.result == no_value) return;
    makers_[each.result].push_back(&each);
    const bool is_number =
        each.kind == Instruction::Kind::alu && !each.high_half && (is_real(each.op) || is_copy(each.op));
    if (!is_number) {
      can_[each.result] = false;
    } else if (!each.relaxed) {
      // 16 bits hold what they have held before, and no result is rounded for some who read it and not for others
      if (!moves(each.op->does)) can_[each.result] = false;
      for (const Source& source : each.sources) {
        if (source.is_value()) moved_to_[source.number].push_back(each.result);
        if (source.kind == Source::Kind::machine) can_[each.result] = false;
        if (source.kind == Source::Kind::constant && !are_halves(source, each.mask)) can_[each.result] = false;
      }
    }
  }

  void look_at_sources(const Instruction& each) {
    const bool is_alu = each.kind == Instruction::Kind::alu;
    each_source(each, [&](const Source& source, std::uint8_t, bool is_guard) {
      if (!source.is_value()) return;
      const AluOp* const op = is_guard ? each.guard.op : each.op;
      if ((is_guard || is_alu) && op->in == Kind::f) {
        if (op->out != Kind::f || op->does == AluMeaning::fround) open_.push_back(source.number);
      } else if (is_guard || !is_alu || !is_copy(op)) {
        can_[source.number] = false;
        if (is_place(each, source)) open_.push_back(source.number);
      }
    });
  }
  /// Whether memory or texture words read there what says where they read or write.
  static bool is_place(const Instruction& each, const Source& source) {
    if (each.kind == Instruction::Kind::texture) return true;
    return each.kind == Instruction::Kind::load_store && &source != each.sources.data();
  }

  void keep_what_decides() {
    while (!open_.empty()) {
      const Value value = open_.back();
      open_.pop_back();
      if (decides_[value]) continue;
      decides_[value] = true;
      can_[value] = false;
      for (const Instruction* maker : makers_[value])
        if (maker->kind == Instruction::Kind::alu)
          each_source(*maker, [&](const Source& source, std::uint8_t, bool) {
            if (source.is_value()) open_.push_back(source.number);
          });
    }
  }

  /// What is moved from 32 bits has 32.
  void keep_what_moves() {
    for (Value value = 0; value < can_.size(); ++value)
      if (!can_[value]) open_.push_back(value);
    while (!open_.empty()) {
      const Value value = open_.back();
      open_.pop_back();
      for (const Value to : moved_to_[value])
        if (can_[to]) {
          can_[to] = false;
          open_.push_back(to);
        }
    }
  }

  void convert(Instruction& each) const {
    if (each.kind != Instruction::Kind::alu || !is_copy(each.op)) return;
    const Source& from = each.sources[1];
    if (!(each.result != no_value && can_[each.result]) && !(from.is_value() && can_[from.number])) return;
    each.op = real_twin(each.op);
    each.outmod = static_cast<std::uint8_t>(midgard::FloatOutmod::none);
  }

  /// Those that 16 bits hold need no room in their word, if all lanes have the same.
  bool round_constants(Instruction& each) const {
    const bool is_relaxed = each.kind == Instruction::Kind::alu && each.relaxed && is_real(each.op);
    if (!is_relaxed || each.result == no_value || decides_[each.result]) return false;
    bool any = false;
    for (Source& source : each.sources) {
      if (source.kind != Source::Kind::constant) continue;
      for (std::uint32_t& bits : source.bits) {
        const std::uint32_t rounded = rounded_to_half(bits).value_or(bits);
        any = any || rounded != bits;
        bits = rounded;
      }
    }
    return any;
  }

  Code& code_;
  std::vector<bool> can_, decides_;  ///< decides_: whether it goes where 32 bits are kept
  std::vector<std::vector<const Instruction*>> makers_;
  std::vector<std::vector<Value>> moved_to_;
  std::vector<Value> open_;
};

}  // namespace

bool use_halves(Code& code) { return Finder(code).run(); }

}  // namespace mobula::midgard_compiler
