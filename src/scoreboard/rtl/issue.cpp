// Issue: units for the operations at the head of the queue, virtual registers for their operands, and the lines of the
// matrices (§2.10, §4.4, §4.6, §5).
#include <fmt/format.h>

#include <bit>

#include "scoreboard/rtl/rtl.h"

namespace mobula::scoreboard {

using fmt::format;

std::string BusOperand::first_reg() const { return format("op{}_{}{}_reg", slot, kind, port); }
std::string BusOperand::lanes() const { return format("op{}_{}{}_lanes_{}", slot, kind, port, part); }
std::string BusOperand::used() const { return second ? format("op{}_{}{}_quad", slot, kind, port) : '|' + lanes(); }
std::string BusOperand::row() const {
  return format("row_{}{}{}_{}_{}", second ? "next_" : "", kind, port, slot, part);
}
std::string BusOperand::columns() const { return format("{}{}_{}_{}", kind, port, slot, part); }

std::vector<BusOperand> operands_of(const Rtl& rtl, std::uint32_t slot) {
  std::vector<BusOperand> operands;
  for (std::uint32_t part = 0; part < rtl.g.parts; ++part) {
    const auto add = [&](const char* kind, std::uint32_t port) {
      operands.push_back({kind, port, slot, part});
      if (rtl.quads() && part == 0) operands.push_back({kind, port, slot, part, true});
    };
    for (std::uint32_t k = 0; k < rtl.sources(); ++k) add("src", k);
    for (std::uint32_t k = 0; k < rtl.destinations(); ++k) add("dst", k);
  }
  return operands;
}

std::string register_of(ModuleText& m, const Rtl& rtl, const BusOperand& operand) {
  if (!operand.second) return operand.first_reg();
  std::string name = format("next_{}{}_{}", operand.kind, operand.port, operand.slot);
  m.wire(name, register_bits(rtl), format("{} + {}", operand.first_reg(), number(register_bits(rtl), 1)));
  return name;
}

void operand_inputs(ModuleText& m, const Rtl& rtl, const BusOperand& operand) {
  if (operand.second) return m.in(operand.used());
  if (operand.part == 0) m.in(operand.first_reg(), register_bits(rtl));
  m.in(operand.lanes(), rtl.lanes.size());
}

std::string lowest(const std::string& vector, std::uint64_t width) {
  return format("{0} & (~{0} + {1})", vector, number(width, 1));
}

namespace {

/// The free rows of the table that holds the register.
std::string free_rows(const Rtl& rtl, const std::string& reg, const std::string& free) {
  if (rtl.g.tables.size() <= 1) return free;
  const std::uint64_t bits = register_bits(rtl);
  std::vector<std::string> terms;
  for (const TableGeometry& table : rtl.g.tables) {
    const std::uint64_t end = std::uint64_t{table.first_register} + table.registers;
    std::vector<std::string> conditions, mask;
    if (table.first_register != 0) conditions.push_back(format("({} >= {})", reg, number(bits, table.first_register)));
    if (end != rtl.g.registers) conditions.push_back(format("({} < {})", reg, number(bits, end)));
    for (std::size_t other = rtl.g.tables.size(); other-- != 0;)
      mask.push_back(repeat(rtl.g.tables[other].rows, &rtl.g.tables[other] == &table ? "1'b1" : "1'b0"));
    terms.push_back(
        format("({} & {{{}}})", repeat(rtl.g.rows, '(' + join(conditions, " & ", "") + ')'), join(mask, ", ", "")));
  }
  return format("{} & ({})", free, join(terms, " | ", ""));
}

}  // namespace

std::uint32_t register_bits(const Rtl& rtl) {
  return std::max<std::uint32_t>(1, static_cast<std::uint32_t>(std::bit_width(rtl.g.registers - 1)));
}

std::uint32_t place_bits(const Rtl& rtl) {
  if (!rtl.renames()) return register_bits(rtl);
  return std::max<std::uint32_t>(1, static_cast<std::uint32_t>(std::bit_width(rtl.g.rows - 1)));
}

std::vector<BusSignal> slot_bus(const Rtl& rtl, std::uint32_t slot) {
  std::vector<BusSignal> bus;
  const auto add = [&](const std::string& name, std::uint64_t width) {
    bus.push_back({format("op{}_{}", slot, name), width});
  };
  add("valid", 0);
  add("group", rtl.g.groups.size());
  if (rtl.g.parts == 2) add("pair", 0);
  if (rtl.config.issue.together) add("last", 0);
  if (rtl.branches()) {
    add("branch", 0);
    add("predicted", 0);
    add("conditional", 0);
    add("path", 0);
  }
  if (rtl.config.trap_shadows) add("trap", 0);
  if (rtl.orders_memory()) {
    add("load", 0);
    add("store", 0);
  }
  if (rtl.renames() && rtl.speculates()) add("outside", 0);
  for (const char* kind : {"src", "dst"}) {
    const bool reads = kind[0] == 's';
    for (std::uint32_t k = 0; k < (reads ? rtl.sources() : rtl.destinations()); ++k) {
      add(format("{}{}_reg", kind, k), register_bits(rtl));
      if (rtl.quads()) add(format("{}{}_quad", kind, k), 0);
      if (rtl.quads() && rtl.tells_banks(reads)) add(format("{}{}_next_banks", kind, k), rtl.banks());
      for (std::uint32_t part = 0; part < rtl.g.parts; ++part) {
        add(format("{}{}_lanes_{}", kind, k, part), rtl.lanes.size());
        if (rtl.tells_banks(reads)) add(format("{}{}_banks_{}", kind, k, part), rtl.banks());
        if (reads && rtl.routes_one()) add(format("{}{}_narrow_{}", kind, k, part), 0);
        if (!reads && rtl.drops_overwritten()) add(format("{}{}_bytes_{}", kind, k, part), 8);
      }
    }
  }
  return bus;
}

namespace {

class IssueWriter {
 public:
  explicit IssueWriter(const Rtl& rtl)
      : rtl_(rtl), f_(rtl.g.units), slots_(rtl.g.slots), m_("sb_issue", "Units, rows and lines for what is issued.") {}

  Module make() {
    ports();
    m_.wire("taken_0", f_, "busy");
    for (std::uint32_t slot = 0; slot < slots_; ++slot) choose(slot);
    commit();
    return m_.end();
  }

 private:
  [[nodiscard]] bool tables() const { return rtl_.finds_rows(); }
  [[nodiscard]] bool tells_destinations() const { return rtl_.precise() || !rtl_.compared_sets().empty(); }

  void ports() {
    m_.in("busy", f_);
    m_.in("blocked", slots_);
    if (tables()) m_.in("fits", slots_);
    const std::uint64_t c = rtl_.columns();
    if (rtl_.stalls_for_writes()) m_.in("was_pending_wr", c);
    for (std::uint32_t slot = 0; slot < slots_; ++slot) {
      m_.in(format("op{}_valid", slot));
      m_.in(format("op{}_group", slot), rtl_.g.groups.size());
      if (rtl_.g.parts == 2) m_.in(format("op{}_pair", slot));
      if (rtl_.config.issue.together) m_.in(format("op{}_last", slot));
      for (const BusOperand& operand : operands_of(rtl_, slot)) {
        if (operand.second) {
          if (!tables()) m_.in(operand.used());
          continue;
        }
        if (tables())
          m_.in(operand.row(), rtl_.g.rows);
        else if (operand.part == 0)
          m_.in(operand.first_reg(), register_bits(rtl_));
        m_.in(operand.lanes(), rtl_.lanes.size());
        m_.out(operand.columns(), c);
      }
      for (std::uint32_t part = 0; part < rtl_.g.parts; ++part) {
        m_.out(format("issue_{}_{}", slot, part), f_);
        if (tells_destinations()) m_.out(format("blocked_dst_{}_{}", slot, part), c);
        if (rtl_.precise()) m_.out(format("blocked_src_{}_{}", slot, part), c);
      }
    }
    m_.out("accept", slots_);
  }

  /// The units that a slot would take, and its columns.
  void choose(std::uint32_t s) {
    std::vector<std::string> of_groups;
    for (std::size_t i = 0; i < rtl_.g.groups.size(); ++i) {
      const GroupGeometry& group = rtl_.g.groups[i];
      Units units = 0;
      for (std::uint32_t u = 0; u < group.units; ++u) units |= Units{1} << (group.first_unit + u);
      of_groups.push_back(format("({} & {})", repeat(f_, format("op{}_group[{}]", s, i)), number(f_, units)));
    }
    m_.wire(format("free_{}", s), f_, format("~taken_{} & ({})", s, join(of_groups, " | ", "")));
    std::string candidates = format("free_{}", s);
    if (rtl_.g.parts == 2)
      candidates = format("op{0}_pair ? (free_{0} & (free_{0} >> 1) & {1}) : free_{0}", s, number(f_, low_halves()));
    m_.wire(format("candidates_{}", s), f_, candidates);
    m_.wire(format("pick_{}", s), f_, lowest(format("candidates_{}", s), f_));
    if (rtl_.g.parts == 2)
      m_.wire(format("high_{}", s), f_, format("{} & (pick_{} << 1)", repeat(f_, format("op{}_pair", s)), s));
    columns(s);
    std::string fits = format("op{0}_valid & (|candidates_{0}) & ~blocked[{0}]", s);
    if (tables()) fits += format(" & fits[{}]", s);
    if (rtl_.stalls_for_writes()) fits += format(" & ~stalled_{}", s);
    if (s != 0) fits += format(" & fit_{}", s - 1);
    m_.wire(format("fit_{}", s), 0, fits);
    if (s + 1 < slots_)
      m_.wire(format("taken_{}", s + 1), f_,
              format("taken_{0} | pick_{0}{1}", s, rtl_.g.parts == 2 ? format(" | high_{}", s) : ""));
  }

  [[nodiscard]] Units low_halves() const {
    Units lows = 0;
    for (const GroupGeometry& group : rtl_.g.groups)
      for (std::uint32_t u = 0; u + 1 < group.units; u += 2) lows |= Units{1} << (group.first_unit + u);
    return lows;
  }

  void columns(std::uint32_t s) {
    const std::uint64_t lanes = rtl_.lanes.size();
    std::vector<std::string> all_destinations, all_sources;
    for (std::uint32_t part = 0; part < rtl_.g.parts; ++part) {
      std::vector<std::string> sources, destinations;
      for (const BusOperand& operand : operands_of(rtl_, s)) {
        if (operand.part != part || operand.second) continue;
        if (!tables() && part == 0) one_hot(operand);
        std::vector<std::string> rows;
        for (std::uint32_t row = rtl_.g.rows; row-- != 0;)
          rows.push_back(format("{} & {}",
                                repeat(lanes, format("{}[{}]", tables() ? operand.row() : unary(operand), row)),
                                operand.lanes()));
        m_.assign(operand.columns(), '{' + join(rows, ", ", "") + '}');
        (operand.kind == "src" ? sources : destinations).push_back(operand.columns());
      }
      if (rtl_.precise()) blocked(format("src_{}_{}", s, part), join(sources, " | ", ""));
      if (!tells_destinations() && rtl_.stalls_for_writes())
        m_.wire(format("blocked_dst_{}_{}", s, part), rtl_.columns());
      if (tells_destinations() || rtl_.stalls_for_writes())
        blocked(format("dst_{}_{}", s, part), join(destinations, " | ", ""));
      all_sources.push_back(format("blocked_src_{}_{}", s, part));
      all_destinations.push_back(format("blocked_dst_{}_{}", s, part));
    }
    if (!rtl_.stalls_for_writes()) return;
    // Writes outstanding, and those of the slots before.
    std::vector<std::string> writes{"was_pending_wr"};
    for (std::uint32_t before = 0; before < s; ++before)
      for (const BusOperand& operand : operands_of(rtl_, before))
        if (operand.kind == "dst") writes.push_back(operand.columns());
    std::vector<std::string> own = all_destinations;
    if (rtl_.config.hazards == Hazards::vector) own.insert(own.end(), all_sources.begin(), all_sources.end());
    m_.wire(format("stalled_{}", s), 0, format("|(({}) & ({}))", join(writes, " | ", ""), join(own, " | ", "")));
  }

  /// The register, and of a quad the next one.
  void one_hot(const BusOperand& operand) {
    const std::uint64_t n = rtl_.g.registers;
    std::string registers = format("{} << {}", number_one(n), operand.first_reg());
    if (rtl_.quads() && n > 1)
      registers = format("({}) | (({} & {{{}}}) << {})", registers,
                         repeat(n, format("op{}_{}{}_quad", operand.slot, operand.kind, operand.port)),
                         n > 2 ? repeat(n - 2, "1'b0") + ", 2'b10" : "2'b10", operand.first_reg());
    m_.wire(unary(operand), n, registers);
  }
  [[nodiscard]] static std::string unary(const BusOperand& operand) {
    return format("is_{}{}_{}", operand.kind, operand.port, operand.slot);
  }
  [[nodiscard]] static std::string number_one(std::uint64_t width) {
    return width == 1 ? "1'b1" : '{' + repeat(width - 1, "1'b0") + ", 1'b1}";
  }

  /// The columns that these overlap.
  void blocked(const std::string& name, const std::string& value) {
    if (!rtl_.cascade()) return m_.assign("blocked_" + name, value);
    m_.wire("own_" + name, rtl_.columns(), value);
    const std::uint64_t lanes = rtl_.lanes.size();
    for (std::uint32_t row = 0; row < rtl_.g.rows; ++row) {
      const std::string slice = format("[{}:{}]", (row + 1) * lanes - 1, row * lanes);
      m_.instance("sb_expand", format("expand_{}_{}", name, row),
                  {{"own", format("own_{}{}", name, slice)}, {"overlapping", format("blocked_{}{}", name, slice)}});
    }
  }

  void commit() {
    std::vector<std::string> bits;
    for (std::uint32_t s = slots_; s-- != 0;) {
      std::string commit = format("fit_{}", s);
      if (rtl_.config.issue.together)
        commit = format("op{}_last ? fit_{} : {}", s, s, s + 1 < slots_ ? format("commit_{}", s + 1) : "1'b0");
      m_.wire(format("commit_{}", s), 0, commit);
      bits.push_back(format("commit_{}", s));
      m_.assign(format("issue_{}_0", s), format("pick_{0} & {1}", s, repeat(f_, format("commit_{}", s))));
      if (rtl_.g.parts == 2)
        m_.assign(format("issue_{}_1", s), format("high_{0} & {1}", s, repeat(f_, format("commit_{}", s))));
    }
    m_.assign("accept", '{' + join(bits, ", ", "") + '}');
  }

  const Rtl& rtl_;
  std::uint64_t f_;
  std::uint32_t slots_;
  ModuleText m_;
};

}  // namespace

Module issue_module(const Rtl& rtl) { return IssueWriter(rtl).make(); }

Module table_module(const Rtl& rtl) {
  const std::uint64_t v = rtl.g.rows, r = rtl.g.registers;
  ModuleText m("sb_irtab", "Virtual registers: a row names at most one register, a register has at most one row.");
  m.clock();
  m.in("live", v);
  m.in("accept", rtl.g.slots);
  for (std::uint32_t slot = 0; slot < rtl.g.slots; ++slot)
    for (const BusOperand& operand : operands_of(rtl, slot)) {
      operand_inputs(m, rtl, operand);
      m.out(operand.row(), v);
    }
  m.out("fits", rtl.g.slots);
  m.out("used", v);
  m.out("names", v * r);

  // A row has the registers of its table.
  const auto table_of = [&](std::uint64_t row) -> const TableGeometry& {
    return rtl.g.tables[row / rtl.config.virtual_registers.rows];
  };
  const auto of_table = [&](const std::string& registers, std::uint64_t row) {
    const TableGeometry& table = table_of(row);
    if (rtl.g.tables.size() == 1) return registers;
    return format("{}[{}:{}]", registers, table.first_register + table.registers - 1, table.first_register);
  };
  for (std::uint64_t row = 0; row < v; ++row) m.wire(format("claim_{}", row), table_of(row).registers);
  for (std::uint64_t row = 0; row < v; ++row) {
    const std::uint32_t n = table_of(row).registers;
    m.flop(format("name_{}", row), n,
           format("(|claim_{0}) ? claim_{0} : (name_{0} & {1})", row, repeat(n, format("live[{}]", row))),
           repeat(n, "1'b0"));
  }
  std::vector<std::string> names, used;
  for (std::uint64_t row = v; row-- != 0;) {
    const TableGeometry& table = table_of(row);
    const std::uint64_t above = r - table.first_register - table.registers;
    if (above != 0) names.push_back(repeat(above, "1'b0"));
    names.push_back(format("name_{}", row));
    if (table.first_register != 0) names.push_back(repeat(table.first_register, "1'b0"));
    used.push_back(format("|name_{}", row));
  }
  m.assign("names", '{' + join(names, ", ", "") + '}');
  m.assign("used", '{' + join(used, ", ", "") + '}');

  // Operands one after the other: a row that has the register, else that of an earlier operand, else a free one.
  std::vector<std::pair<std::string, std::string>> before;  // register and row
  std::vector<std::vector<std::string>> claims(v);
  m.wire("free_0", v, "~used");
  std::vector<std::string> fits(rtl.g.slots);
  for (std::uint32_t slot = 0; slot < rtl.g.slots; ++slot) {
    std::vector<std::string> found;
    for (const BusOperand& operand : operands_of(rtl, slot)) {
      const std::size_t n = before.size();
      const std::string is = format("is_{}", n);
      const std::string reg = register_of(m, rtl, operand);
      m.wire(format("wanted_{}", n), 0, operand.used());
      m.wire(is, r,
             format("{} & ({} << {})", repeat(r, format("wanted_{}", n)),
                    '{' + (r > 1 ? repeat(r - 1, "1'b0") + ", " : std::string()) + "1'b1}", reg));
      std::vector<std::string> hits, same;
      for (std::uint64_t row = v; row-- != 0;) hits.push_back(format("|(name_{} & {})", row, of_table(is, row)));
      for (std::size_t b = 0; b < n; ++b)
        same.push_back(format("({} & {})", repeat(v, format("(wanted_{} & ({} == {}))", b, before[b].first, reg)),
                              before[b].second));
      m.wire(format("hit_{}", n), v, '{' + join(hits, ", ", "") + '}');
      m.wire(format("known_{}", n), v,
             format("hit_{}", n) + (same.empty() ? "" : " | (" + join(same, " | ", "") + ')'));
      m.wire(format("of_table_{}", n), v, free_rows(rtl, reg, format("free_{}", n)));
      m.wire(format("new_{}", n), v,
             format("{} & {}", repeat(v, format("(wanted_{0} & ~|known_{0})", n)),
                    '(' + lowest(format("of_table_{}", n), v) + ')'));
      m.assign(operand.row(), format("{} & (known_{} | new_{})", repeat(v, format("wanted_{}", n)), n, n));
      m.wire(format("free_{}", n + 1), v, format("free_{0} & ~new_{0}", n));
      found.push_back(format("(~wanted_{0} | (|known_{0}) | (|new_{0}))", n));
      for (std::uint64_t row = 0; row < v; ++row)
        claims[row].push_back(format("({} & {})",
                                     repeat(table_of(row).registers, format("(new_{}[{}] & accept[{}])", n, row, slot)),
                                     of_table(is, row)));
      before.emplace_back(reg, operand.row());
    }
    fits[rtl.g.slots - 1 - slot] = join(found, " & ", "");
  }
  m.wire("unused_free", v, format("free_{}", before.size()));
  for (std::uint64_t row = 0; row < v; ++row) m.assign(format("claim_{}", row), join(claims[row], " | ", ""));
  m.assign("fits", '{' + join(fits, ", ", "") + '}');
  return m.end();
}

}  // namespace mobula::scoreboard
