// What groups do, by another way than the library's: main groups as expressions over the registers before, bitwise
// groups as numbers. Written after sections 2 and 3 of the reference, to hold merged groups against those they replace.
#pragma once

#include <bit>
#include <map>
#include <string>
#include <vector>

#include "machines/rogue/spec/codec.h"
#include "machines/rogue/text/print_instruction.h"

namespace mobula::rogue {

/// Expressions of registers that were written, P0 under "p0"; and what backends did, in order.
struct Effects {
  std::map<std::string, std::string> registers;
  std::vector<std::string> backend;
};

class Evaluator {
 public:
  Effects effects;

  void run(const Group& group) {
    for (unsigned i = 0; i < slot_count; ++i) s_[i] = read(group.slots[i]);
    group_ = &group;
    const Item &p0 = group.item(Word::p0), &p1 = group.item(Word::p1), &pack = group.item(Word::pack),
               &test = group.item(Word::test), &move = group.item(Word::move), &backend = group.item(Word::backend);
    fte_ = s_[group.external_slot()];
    const std::string early = p0 ? expression(p0, 0) : "";
    if (p0 && p0.op->has(high_result)) fte_ = "high " + early;
    ft_ = {early, p1 ? expression(p1, 3) : "", "", fte_};
    if (pack) {
      const bool reads = pack.op->operand_count > 1;
      ft_[2] = std::string(pack.op->name) + values_of(pack) +
               (reads ? "(" + ft_[group.selector(3)] + (pack.op->name == "pck.prog" ? "," + fte_ : "") + ")" : "");
    }
    std::string ftt;
    if (test) {
      ftt = std::string(test.op->name) + std::to_string(test.get(F::type)) + std::to_string(test.get(F::elem)) + "(";
      for (const OperandSpec& each : test.op->all_operands())
        if (each.name == Name::is1 || each.name == Name::is2) {
          const unsigned which = each.name == Name::is1 ? 1 : 2;
          ftt += (group.selector(which) != 0 ? fte_ : ft_[which - 1]) + ",";
        }
      ftt += (test.op->name == "tstc" ? early : "") + ")";
    }
    std::string w0 = ft_[group.selector(4)], w1 = ft_[group.selector(5)];
    if (p0 && p0.op->has(drives_w0)) w0 = early;
    if (move) {
      const unsigned mask = move.get(F::maskw0);
      const std::string x = ft_[move.get(F::movw0)], y = ft_[move.get(F::movw1)];
      const bool chooses = move.op->name == "movc";
      if (mask != 0 && x != w0)
        w0 = !chooses && mask == 15
                 ? x
                 : "bytes" + std::to_string(mask) + "(" + (chooses ? ftt : "") + "?" + x + ":" + w0 + ")";
      if (chooses && y != w1) w1 = "(" + ftt + "?" + y + ":" + w1 + ")";
    }
    if (backend) send(backend, w0, w1);
    if (group.w0p) effects.registers[name(group.written[0])] = w0;
    if (group.w1p) effects.registers[name(group.written[1])] = w1;
    if (test && test.get(F::pwen) != 0) effects.registers["p0"] = ftt;
  }

 private:
  static std::string name(const Register& reg) {
    std::array<char, 24> buffer{};
    return {buffer.data(), put_register(buffer.data(), reg)};
  }
  std::string read(const Register& reg) {
    const auto found = effects.registers.find(name(reg));
    return found != effects.registers.end() ? found->second : name(reg);
  }
  /// Values of the fields, those that say where a value comes from left out.
  static std::string values_of(const Item& item) {
    Values values = default_values;
    rogue::read(*item.form, item.bits, values);
    std::string text = "{";
    for (std::size_t i = 0; i < field_count; ++i) {
      const auto field = static_cast<F>(i);
      const bool routing = field == F::p2end || field == F::dsel || info(field).kind == Kind::slot ||
                           field == F::sngl_op || field == F::pck_format;
      if (!routing && values[i] != default_values[i])
        text += std::string(info(field).name) + "=" + std::to_string(values[i]) + " ";
      if (field == F::pck_format && item.form->find(field) != nullptr) text += std::to_string(values[i]) + " ";
    }
    return text + "}";
  }
  std::string expression(const Item& item, unsigned base) {
    if (item.op->name == "mbyp" && values_of(item) == "{}") return s_[base];
    std::string text = std::string(item.op->name) + values_of(item) + "(";
    for (const OperandSpec& each : item.op->all_operands()) {
      if (each.what != OperandSpec::What::source) continue;
      text += (each.name == Name::is0 ? s_[group_->external_slot()] : s_[base + number_of(each.name)]) + ",";
    }
    return text + ")";
  }
  void send(const Item& item, const std::string& w0, const std::string& w1) {
    std::string text = std::string(item.op->name), more;
    if (text == "uvsw.write.emit.endtask") text = "uvsw.write", more = "uvsw.emit.endtask{}";
    text += values_of(item);
    if (item.op->has(reads_w0)) text += " " + (item.get(F::dsel) != 0 ? w1 : w0);
    for (const OperandSpec& each : item.op->all_operands()) {
      const bool fixed = each.what != OperandSpec::What::field && is_slot(each.name);
      const bool chosen = each.what == OperandSpec::What::field && info(each.field).kind == Kind::slot;
      if (fixed || chosen) text += " " + s_[fixed ? number_of(each.name) : item.get(each.field)];
    }
    effects.backend.push_back(text);
    if (!more.empty()) effects.backend.push_back(more);
  }

  const Group* group_ = nullptr;
  std::array<std::string, slot_count> s_;
  std::array<std::string, 4> ft_;
  std::string fte_;
};

/// Registers r0, r1 ... as numbers, and P0.
struct BitState {
  std::map<std::string, std::uint32_t> registers;
  bool p0 = false;
};

inline void run_bitwise(const Group& group, BitState& state) {
  const auto name = [](const Register& reg) {
    std::array<char, 24> buffer{};
    return std::string(buffer.data(), put_register(buffer.data(), reg));
  };
  std::array<std::uint32_t, slot_count> s{};
  for (unsigned i = 0; i < slot_count; ++i)
    s[i] = is(group.slots[i], Special::constant) ? constant_value(group.slots[i].index).value_or(0)
                                                 : state.registers[name(group.slots[i])];
  const Item &bit0 = group.item(Word::bit0), &bit1 = group.item(Word::bit1), &bit2 = group.item(Word::bit2);
  std::uint32_t f0 = s[0], f1 = s[1], f2 = s[2], f3 = 0;
  if (bit0) {
    if (bit0.form->find(F::imm) != nullptr) f1 = bit0.get(F::imm);
    if (bit0.op->name == "msk") {
      f0 = (s[0] + s[1] - 1) & 63;
      f1 = static_cast<std::uint32_t>(((1ull << (s[0] & 63)) - 1) << (s[1] & 31));
    }
    if (bit0.get(F::shift1_op) == 3) f2 = s[2] << (s[1] & 31);
    if (bit0.get(F::shift1_op) == 1 || bit0.get(F::shift1_op) == 2) f2 = 77 * s[2] + s[1];  // some function of both
    const std::uint32_t counted = bit0.get(F::count_src) != 0 ? f2 : s[2];
    f3 = bit0.get(F::count_op) == 2 ? counted : static_cast<std::uint32_t>(std::popcount(counted));
  }
  std::uint32_t f4 = f1;
  if (bit1 && bit1.op->name != "byp") {
    const std::uint32_t a = bit1.get(F::mska) != 0 ? f1 & f2 : f2, b = bit1.get(F::mskb) != 0 ? ~f1 & s[3] : s[3];
    const std::string_view op = bit1.op->name;
    f4 = op.ends_with("or") && op[0] != 'x' ? a | b : op.ends_with("and") ? a & b : a ^ b;
    if (op == "xnor") f4 = a ^ b;
    if (op == "nor" || op == "nand" || op == "xnor") f4 = ~f4;
  }
  std::uint32_t f5 = f4;
  if (bit2) {
    const unsigned by = s[4] & 31;
    const std::string_view op = bit2.op->name;
    f5 = op == "lsl"   ? f4 << by
         : op == "shr" ? f4 >> by
         : op == "rol" ? std::rotl(f4, static_cast<int>(by))
         : op == "cps" ? (s[4] & ~f4) | (state.p0 ? f4 : 0)
                       : f4 * 31 + by +
                             (op == "asr.mtb"   ? f0
                              : op == "asr.ftb" ? f3
                                                : 0);  // some function of these
    const std::uint32_t tested = bit2.get(F::tst_src) != 0 ? f3 : f5;
    if (bit2.get(F::pwen) != 0) state.p0 = (tested == 0) == (bit2.get(F::bw_tst_op) == 0);
  }
  if (group.w0p) state.registers[name(group.written[0])] = bit2 ? f5 : bit1 ? f4 : f1;
  if (group.w1p) state.registers[name(group.written[1])] = f3;
}

}  // namespace mobula::rogue
