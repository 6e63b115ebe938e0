// Renaming (`waw: rename`): a map that finds the physical register of each register, the free ones, and the window in
// which operations retire in program order.
//
// Everything is kept by physical register: which register it was taken for, and the places in the window of the
// operation that took it and of the one that replaced it. A physical register is *current* if the map names it, and
// *young* until the operation that took it retires. A trap makes current what is neither free nor young.
#include <fmt/format.h>

#include <bit>
#include <functional>

#include "scoreboard/rtl/rtl.h"

namespace mobula::scoreboard {

using fmt::format;

namespace {

std::string zeros(std::uint64_t width) { return repeat(width, "1'b0"); }

/// "{b, a}" of the bits a, b.
std::string vector_of(const std::vector<std::string>& bits) {
  std::vector<std::string> reversed(bits.rbegin(), bits.rend());
  return '{' + join(reversed, ", ", "") + '}';
}

/// A register that gets a new place: of the slot's operation, or the second one of a quad.
struct Written {
  BusOperand operand;
  std::string reg, name;  ///< number, and what names of its signals end with
};

std::string name_of(const BusOperand& operand) {
  return format("{}{}{}_{}", operand.second ? "next_" : "", operand.kind, operand.port, operand.slot);
}

/// In program order; `numbered`: with the register's number.
std::vector<Written> all_written(ModuleText& m, const Rtl& rtl, bool numbered) {
  std::vector<Written> all;
  for (std::uint32_t slot = 0; slot < rtl.g.slots; ++slot)
    for (const BusOperand& operand : operands_of(rtl, slot))
      if (operand.kind == "dst")
        all.push_back({operand, numbered ? register_of(m, rtl, operand) : "", name_of(operand)});
  return all;
}

/// Physical registers of a file, as one of all of them.
struct Places {
  std::uint64_t first_register = 0, registers = 0;  ///< that operations name
  std::uint64_t first = 0, count = 0;
};
std::vector<Places> places_of(const Rtl& rtl) {
  std::vector<Places> all;
  Places next;
  for (const RegisterFile& file : rtl.config.files) {
    next.registers = file.count;
    next.count = file.physical;
    all.push_back(next);
    next.first_register += file.count;
    next.first += file.physical;
  }
  return all;
}

/// Bits first..first+count-1 of the physical registers.
std::string mask_of(const Rtl& rtl, std::uint64_t first, std::uint64_t count) {
  std::vector<std::string> pieces;
  if (rtl.g.rows > first + count) pieces.push_back(zeros(rtl.g.rows - first - count));
  pieces.push_back(repeat(count, "1'b1"));
  if (first != 0) pieces.push_back(zeros(first));
  return '{' + join(pieces, ", ", "") + '}';
}

Module free_module(const Rtl& rtl) {
  const std::uint64_t p = rtl.g.rows, bits = register_bits(rtl);
  const std::vector<Places> files = places_of(rtl);
  ModuleText m("sb_free", "The free physical registers, and the lowest of them for each write.");
  m.clock();
  const bool numbered = files.size() > 1;
  for (std::uint32_t slot = 0; slot < rtl.g.slots; ++slot)
    for (const BusOperand& operand : operands_of(rtl, slot)) {
      if (operand.kind != "dst") continue;
      if (numbered && !operand.second) m.in(operand.first_reg(), bits);
      operand.second ? m.in(operand.used()) : m.in(operand.lanes(), rtl.lanes.size());
    }
  m.in("accept", rtl.g.slots);
  m.in("released", p);
  if (rtl.traps()) {
    m.in("young", p);
    m.in("undo");
  }
  for (std::uint32_t slot = 0; slot < rtl.g.slots; ++slot)
    for (const BusOperand& operand : operands_of(rtl, slot))
      if (operand.kind == "dst") m.out("new_" + name_of(operand), p);
  m.out("fits", rtl.g.slots);
  m.out("free", p);
  m.out("free_next", p);

  std::string left = "free";
  std::vector<std::string> fits(rtl.g.slots), taken;
  const std::vector<Written> written = all_written(m, rtl, numbered);
  for (const Written& each : written) {
    std::vector<std::string> own;
    for (const Places& file : files) {
      const std::uint64_t end = file.first_register + file.registers;
      std::vector<std::string> conditions;
      if (file.first_register != 0)
        conditions.push_back(format("({} >= {})", each.reg, number(bits, file.first_register)));
      if (end != rtl.g.registers) conditions.push_back(format("({} < {})", each.reg, number(bits, end)));
      const std::string mask = mask_of(rtl, file.first, file.count);
      own.push_back(conditions.empty() ? mask
                                       : format("({} & {})", repeat(p, '(' + join(conditions, " & ", "") + ')'), mask));
    }
    m.wire("wanted_" + each.name, 0, each.operand.used());
    m.wire("of_file_" + each.name, p, format("{} & ({})", left, join(own, " | ", "")));
    m.assign("new_" + each.name,
             format("{} & ({})", repeat(p, "wanted_" + each.name), lowest("of_file_" + each.name, p)));
    if (&each != &written.back()) m.wire("left_" + each.name, p, format("{} & ~new_{}", left, each.name));
    left = "left_" + each.name;
    std::string& fit = fits[each.operand.slot];
    fit += format("{}(~wanted_{} | (|of_file_{}))", fit.empty() ? "" : " & ", each.name, each.name);
    taken.push_back(format("(new_{} & {})", each.name, repeat(p, format("accept[{}]", each.operand.slot))));
  }
  m.assign("fits", vector_of(fits));
  const std::string next = format("(free & ~({})) | released", join(taken, " | ", ""));
  m.assign("free_next", rtl.traps() ? format("undo ? (free | young) : ({})", next) : next);
  std::vector<std::string> at_reset;
  for (const Places& file : files) {
    at_reset.insert(at_reset.begin(), zeros(file.registers));
    at_reset.insert(at_reset.begin(), repeat(file.count - file.registers, "1'b1"));
  }
  m.flop("state", p, "free_next", '{' + join(at_reset, ", ", "") + '}');
  m.assign("free", "state");
  return m.end();
}

class MapWriter {
 public:
  explicit MapWriter(const Rtl& rtl)
      : rtl_(rtl),
        p_(rtl.g.rows),
        place_(window_bits(rtl)),
        m_("sb_map", "Which physical register is which register: those that operations read, and new ones.") {}

  Module make() {
    ports();
    written_ = all_written(m_, rtl_, true);
    find();
    keep();
    return m_.end();
  }

 private:
  void ports() {
    m_.clock();
    for (std::uint32_t slot = 0; slot < rtl_.g.slots; ++slot)
      for (const BusOperand& operand : operands_of(rtl_, slot)) {
        operand_inputs(m_, rtl_, operand);
        if (operand.kind == "dst") m_.in("new_" + name_of(operand), p_);
        m_.out(operand.row(), p_);
      }
    m_.in("accept", rtl_.g.slots);
    for (std::uint32_t slot = 0; slot < rtl_.g.slots; ++slot) m_.in(format("place{}", slot), place_);
    m_.in("retire", std::uint64_t{1} << place_);
    if (rtl_.traps()) {
      m_.in("undo");
      m_.in("free", p_);
    }
    m_.out("released", p_);
    if (rtl_.traps()) m_.out("young", p_);
    m_.out("current_next", p_);
  }

  /// The physical register that the map names, as the slots before leave it.
  std::string found(const BusOperand& operand, const std::string& reg) {
    std::vector<std::string> hits;
    for (std::uint64_t row = 0; row < p_; ++row) hits.push_back(format("name_{} == {}", row, reg));
    const std::string name = name_of(operand);
    m_.wire("is_" + name, p_, vector_of(hits));
    std::string row = format("(current & is_{})", name);
    for (const Written& before : written_) {
      if (before.operand.slot >= operand.slot) break;
      row = format("({} & ({} == {})) ? new_{} : {}", before.operand.used(), before.reg, reg, before.name, row);
    }
    m_.wire("old_" + name, p_, row);
    return "old_" + name;
  }

  void find() {
    for (std::uint32_t slot = 0; slot < rtl_.g.slots; ++slot)
      for (const BusOperand& operand : operands_of(rtl_, slot)) {
        if (operand.kind == "dst") {
          m_.assign(operand.row(), "new_" + name_of(operand));
          continue;
        }
        const std::string old = found(operand, register_of(m_, rtl_, operand));
        m_.assign(operand.row(), format("{} & {}", repeat(p_, operand.used()), old));
      }
    for (const Written& each : written_) {
      const std::string old = found(each.operand, each.reg);
      const std::string accepted = format("({} & accept[{}])", each.operand.used(), each.operand.slot);
      m_.wire("replaces_" + each.name, p_, format("{} & {}", old, repeat(p_, accepted)));
      m_.wire("takes_" + each.name, p_,
              format("new_{} & {}", each.name, repeat(p_, format("accept[{}]", each.operand.slot))));
    }
  }

  [[nodiscard]] std::string any(const char* what) const {
    std::vector<std::string> terms;
    for (const Written& each : written_) terms.push_back(what + each.name);
    return join(terms, " | ", "");
  }
  /// A number for each physical register, from the write that `what` says.
  void numbers(const std::string& name, std::uint64_t width, const char* what,
               const std::function<std::string(const Written&)>& of,
               const std::function<std::uint64_t(std::uint64_t)>& reset) {
    for (std::uint64_t row = 0; row < p_; ++row) {
      std::string next = format("{}_{}", name, row);
      for (const Written& each : written_) next = format("{}{}[{}] ? {} : {}", what, each.name, row, of(each), next);
      m_.flop(format("{}_{}", name, row), width, next, number(width, reset(row)));
    }
  }

  void keep() {
    std::vector<std::uint64_t> names(p_, 0);
    std::vector<std::string> named(p_, "1'b0");
    for (const Places& file : places_of(rtl_))
      for (std::uint64_t i = 0; i < file.registers; ++i) {
        names[file.first + i] = file.first_register + i;
        named[file.first + i] = "1'b1";
      }
    const auto place = [](const Written& each) { return format("place{}", each.operand.slot); };
    const auto none = [](std::uint64_t) { return std::uint64_t{0}; };
    numbers(
        "name", register_bits(rtl_), "takes_", [](const Written& each) { return each.reg; },
        [&](std::uint64_t row) { return names[row]; });
    if (rtl_.traps()) numbers("taker", place_, "takes_", place, none);
    numbers("replacer", place_, "replaces_", place, none);
    std::vector<std::string> takers, replacers;
    for (std::uint64_t row = 0; row < p_; ++row) {
      takers.push_back(format("retire[taker_{}]", row));
      replacers.push_back(format("retire[replacer_{}]", row));
    }
    m_.wire("taken", p_, any("takes_"));
    m_.wire("replaced", p_, any("replaces_"));
    const auto unless_undone = [&](const std::string& next, const std::string& otherwise) {
      return rtl_.traps() ? format("undo ? {} : ({})", otherwise, next) : next;
    };
    m_.flop("leaving", p_, unless_undone("replaced | (leaving & ~released)", zeros(p_)), zeros(p_));
    m_.assign("released", "leaving & " + vector_of(replacers));
    if (rtl_.traps()) {
      m_.flop("not_retired", p_, unless_undone("taken | (not_retired & ~" + vector_of(takers) + ')', zeros(p_)),
              zeros(p_));
      m_.assign("young", "not_retired");
    }
    m_.assign("current_next", unless_undone("(current | taken) & ~replaced", "~(free | young)"));
    m_.flop("current", p_, "current_next", vector_of(named));
  }

  const Rtl& rtl_;
  std::uint64_t p_;
  std::uint32_t place_;
  std::vector<Written> written_;
  ModuleText m_;
};

/// A one-hot vector `by` places further on in its ring.
std::string rotated(const std::string& vector, std::uint64_t width, std::uint64_t by) {
  by %= width;
  return by == 0 ? vector : format("{{{0}[{1}:0], {0}[{2}:{3}]}}", vector, width - 1 - by, width - 1, width - by);
}

Module window_module(const Rtl& rtl) {
  const std::uint64_t n = rtl.config.renaming.window, f = rtl.g.units, slots = rtl.g.slots;
  const std::uint32_t bits = window_bits(rtl);
  ModuleText m("sb_window", "Operations in program order, which retire when they and all before them are done.");
  m.clock();
  m.in("accept", slots);
  for (std::uint64_t slot = 0; slot < slots; ++slot) m.in(format("issue_{}_0", slot), f);
  m.in("done", f);
  if (rtl.traps()) m.in("undo");
  m.out("fits", slots);
  for (std::uint64_t slot = 0; slot < slots; ++slot) m.out(format("place{}", slot), bits);
  m.out("retire", std::uint64_t{1} << bits);

  std::vector<std::string> fits, taken;
  std::string next = "next";
  for (std::uint64_t slot = 0; slot < slots; ++slot) {
    const std::string at = format("at{}", slot);
    m.wire(at, n, rotated("next", n, slot));
    fits.push_back(slot < n ? format("~|(listed & {})", at) : "1'b0");
    std::vector<std::string> number_bits;
    for (std::uint32_t b = 0; b < bits; ++b) {
      std::vector<std::string> places;
      for (std::uint64_t place = 0; place < n; ++place)
        if ((place >> b & 1) != 0) places.push_back(format("{}[{}]", at, place));
      number_bits.push_back(join(places, " | ", "1'b0"));
    }
    m.assign(format("place{}", slot), vector_of(number_bits));
    taken.push_back(format("({} & {})", at, repeat(n, format("accept[{}]", slot))));
    next = format("accept[{}] ? {} : ({})", slot, rotated("next", n, slot + 1), next);
  }
  m.assign("fits", vector_of(fits));
  m.wire("taken", n, join(taken, " | ", ""));
  m.flop("next", n, next, '{' + (n > 1 ? zeros(n - 1) + ", " : std::string()) + "1'b1}");

  std::vector<std::string> now_done;
  for (std::uint64_t place = 0; place < n; ++place) {
    std::string unit = format("unit_{}", place);
    for (std::uint64_t slot = 0; slot < slots; ++slot)
      unit = format("(at{0}[{1}] & accept[{0}]) ? issue_{0}_0 : {2}", slot, place, unit);
    m.flop(format("unit_{}", place), f, unit, zeros(f));
    now_done.push_back(format("|(unit_{} & done)", place));
  }
  m.wire("all_finished", n, "finished | " + vector_of(now_done));
  m.flop("finished", n, "all_finished & ~taken", zeros(n));
  // A carry that starts at the oldest place clears those that retire, twice around the ring.
  m.wire("closed", n, "listed & all_finished");
  m.wire("carried", 2 * n, format("{{closed, closed}} + {{{}, oldest}}", zeros(n)));
  m.wire("cleared", 2 * n, "{closed, closed} & ~carried");
  m.wire("stopped", 2 * n, "carried & ~{closed, closed}");
  const auto once = [&](const char* twice) {
    return format("({0}[{1}:{2}] | {0}[{3}:0])", twice, 2 * n - 1, n, n - 1);
  };
  m.wire("retiring", n, once("cleared"));
  m.wire("after", n, once("stopped"));
  const std::uint64_t all = std::uint64_t{1} << bits;
  m.assign("retire", all == n ? "retiring" : format("{{{}, retiring}}", zeros(all - n)));
  const std::string oldest = "(|after) ? after : oldest", list = "(listed & ~retiring) | taken";
  m.flop("oldest", n, rtl.traps() ? "undo ? next : (" + oldest + ')' : oldest,
         '{' + (n > 1 ? zeros(n - 1) + ", " : std::string()) + "1'b1}");
  m.flop("listed", n, rtl.traps() ? format("{} & ({})", repeat(n, "~undo"), list) : list, zeros(n));
  return m.end();
}

}  // namespace

std::uint32_t window_bits(const Rtl& rtl) {
  return std::max<std::uint32_t>(1, static_cast<std::uint32_t>(std::bit_width(rtl.config.renaming.window - 1)));
}

std::vector<Module> renaming_modules(const Rtl& rtl) {
  return {window_module(rtl), free_module(rtl), MapWriter(rtl).make()};
}

}  // namespace mobula::scoreboard
