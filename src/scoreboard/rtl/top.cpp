// sb_top: the modules put together.
#include <fmt/format.h>

#include "scoreboard/rtl/rtl.h"

namespace mobula::scoreboard {
namespace {

using fmt::format;

class TopWriter {
 public:
  explicit TopWriter(const Rtl& rtl)
      : rtl_(rtl),
        f_(rtl.g.units),
        sets_(rtl.line_sets()),
        m_("sb_top",
           "Scoreboard \"" + rtl.config.name + "\": what is issued, read, written and killed in each clock.") {}

  Module make() {
    ports();
    issue();
    units();
    pickers();
    matrices();
    shadows();
    memory();
    overwritten();
    outputs();
    return m_.end();
  }

 private:
  [[nodiscard]] bool tables() const { return !rtl_.g.tables.empty(); }
  /// Of operands; `second`: for the next registers of quads, too.
  [[nodiscard]] std::vector<std::string> rows(bool second) const {
    std::vector<std::string> names;
    for (std::uint32_t s = 0; s < rtl_.g.slots; ++s)
      for (const BusOperand& operand : operands_of(rtl_, s))
        if (second || !operand.second) names.push_back(operand.row());
    return names;
  }

  void ports() {
    m_.clock();
    for (std::uint32_t slot = 0; slot < rtl_.g.slots; ++slot)
      for (const BusSignal& signal : slot_bus(rtl_, slot)) m_.in(signal.name, signal.width);
    for (const BusSignal& signal : result_bus(rtl_)) m_.in(signal.name, signal.width);
    m_.out("accept", rtl_.g.slots);
    for (const BusSignal& signal : observed_bus(rtl_)) m_.out(signal.name, signal.width);
    for (std::uint32_t k = 0; k < rtl_.sources(); ++k) m_.out(format("use_rd{}", k), rtl_.columns());
    for (std::uint32_t k = 0; k < rtl_.destinations(); ++k) m_.out(format("use_wr{}", k), rtl_.columns());
    if (tables()) m_.out("ir_names", std::uint64_t{rtl_.g.rows} * rtl_.g.registers);
    if (rtl_.orders_memory()) m_.out("mem_wait", f_);
  }

  void wires(const std::vector<std::string>& names, std::uint64_t width) {
    for (const std::string& name : names) m_.wire(name, width);
  }
  [[nodiscard]] std::vector<std::string> of_sets(const char* prefix) const {
    std::vector<std::string> names;
    for (const std::string& set : sets_) names.push_back(prefix + set);
    return names;
  }
  static void same(Connections& c, const std::vector<std::string>& names) {
    for (const std::string& name : names) c.emplace_back(name, name);
  }
  [[nodiscard]] std::vector<std::string> operand_lines() const {
    std::vector<std::string> names;
    for (const std::string& set : sets_) {
      for (std::uint32_t k = 0; k < rtl_.sources(); ++k) names.push_back(format("src{}_{}", k, set));
      for (std::uint32_t k = 0; k < rtl_.destinations(); ++k) names.push_back(format("dst{}_{}", k, set));
    }
    return names;
  }
  /// Which operands of the issue bus are quads.
  [[nodiscard]] std::vector<std::string> quads() const {
    return rtl_.quads() ? bus("quad", false) : std::vector<std::string>{};
  }
  /// Ports of an operand of the issue bus.
  [[nodiscard]] std::vector<std::string> bus(const char* what, bool by_part) const {
    std::vector<std::string> names;
    for (std::uint32_t s = 0; s < rtl_.g.slots; ++s)
      for (std::uint32_t part = 0; part < (by_part ? rtl_.g.parts : 1); ++part) {
        const std::string end = by_part ? format("_{}", part) : "";
        for (std::uint32_t k = 0; k < rtl_.sources(); ++k) names.push_back(format("op{}_src{}_{}{}", s, k, what, end));
        for (std::uint32_t k = 0; k < rtl_.destinations(); ++k)
          names.push_back(format("op{}_dst{}_{}{}", s, k, what, end));
      }
    return names;
  }

  void issue() {
    m_.space();
    wires(of_sets("issue_"), f_);
    wires({"done", "any_die"}, f_);
    if (!rtl_.kills()) m_.assign("any_die", repeat(f_, "1'b0"));
    wires({"blocked"}, rtl_.g.slots);
    if (!rtl_.kills()) m_.assign("blocked", repeat(rtl_.g.slots, "1'b0"));
    wires(operand_lines(), rtl_.columns());
    const bool destinations = rtl_.precise() || !rtl_.compared_sets().empty();
    if (destinations) wires(of_sets("blocked_dst_"), rtl_.columns());
    if (rtl_.precise()) wires(of_sets("blocked_src_"), rtl_.columns());
    if (rtl_.stalls_for_writes()) m_.wire("was_pending_wr", rtl_.columns());

    Connections c{{"busy", "busy"}, {"blocked", "blocked"}, {"accept", "accept"}};
    if (rtl_.stalls_for_writes()) c.emplace_back("was_pending_wr", "was_pending_wr");
    for (std::uint32_t s = 0; s < rtl_.g.slots; ++s) {
      same(c, {format("op{}_valid", s), format("op{}_group", s)});
      if (rtl_.g.parts == 2) same(c, {format("op{}_pair", s)});
      if (rtl_.config.issue.together) same(c, {format("op{}_last", s)});
    }
    if (rtl_.finds_rows()) {
      wires(rows(true), rtl_.g.rows);
      m_.wire("fits", rtl_.g.slots);
      if (tables()) m_.wire("live", rtl_.g.rows);
      for (std::uint32_t s = 0; s < rtl_.g.slots; ++s)
        for (const BusOperand& operand : operands_of(rtl_, s)) {
          BusOperand next = operand;
          next.second = true;
          if (operand.second) continue;
          c.emplace_back(operand.row(), rtl_.quads() && operand.part == 0 ? format("{} | {}", operand.row(), next.row())
                                                                          : operand.row());
        }
      same(c, {"fits"});
    } else {
      same(c, bus("reg", false));
      same(c, quads());
    }
    same(c, bus("lanes", true));
    same(c, operand_lines());
    same(c, of_sets("issue_"));
    if (destinations) same(c, of_sets("blocked_dst_"));
    if (rtl_.precise()) same(c, of_sets("blocked_src_"));
    m_.instance("sb_issue", "issue_unit", c);
    if (tables()) {
      Connections t{{"clk", "clk"},   {"rst", "rst"},      {"live", "live"},     {"accept", "accept"},
                    {"fits", "fits"}, {"used", "ir_used"}, {"names", "ir_names"}};
      same(t, bus("reg", false));
      same(t, quads());
      same(t, bus("lanes", true));
      same(t, rows(true));
      m_.instance("sb_irtab", "virtual_registers", t);
    }
    if (rtl_.renames()) renaming();
    older();
  }

  void renaming() {
    const std::uint64_t p = rtl_.g.rows, slots = rtl_.g.slots;
    const bool numbered = rtl_.config.files.size() > 1;
    std::vector<std::string> places, sources, destinations, registers, taken;
    for (std::uint32_t s = 0; s < slots; ++s) {
      places.push_back(format("place{}", s));
      for (const BusOperand& operand : operands_of(rtl_, s)) {
        const bool reads = operand.kind == "src";
        (reads ? sources : destinations).push_back(operand.second ? operand.used() : operand.lanes());
        if (!operand.second) (reads ? sources : registers).push_back(operand.first_reg());
        if (!reads) taken.push_back(format("new_{}_{}", name_of(operand), s));
      }
    }
    wires(taken, p);
    wires(places, window_bits(rtl_));
    wires({"free", "released"}, p);
    wires({"free_fits", "window_fits"}, slots);
    m_.wire("retire", std::uint64_t{1} << window_bits(rtl_));
    m_.assign("fits", "free_fits & window_fits");
    Connections window{{"clk", "clk"},   {"rst", "rst"},          {"accept", "accept"},
                       {"done", "done"}, {"fits", "window_fits"}, {"retire", "retire"}};
    Connections free{{"clk", "clk"},        {"rst", "rst"},   {"accept", "accept"},     {"released", "released"},
                     {"fits", "free_fits"}, {"free", "free"}, {"free_next", "map_free"}};
    Connections map{{"clk", "clk"},       {"rst", "rst"},           {"accept", "accept"},
                    {"retire", "retire"}, {"released", "released"}, {"current_next", "map_current"}};
    if (rtl_.traps()) {
      m_.wire("young", p);
      // Nothing but a trap kills.
      m_.wire("undo", 0, "|any_die");
      same(window, {"undo"});
      same(free, {"undo", "young"});
      same(map, {"undo", "young", "free"});
    }
    same(window, of_sets("issue_"));
    same(window, places);
    same(free, destinations);
    if (numbered) same(free, registers);
    same(free, taken);
    same(map, sources);
    same(map, destinations);
    same(map, registers);
    same(map, taken);
    same(map, places);
    same(map, rows(true));
    m_.instance("sb_window", "window", window);
    m_.instance("sb_free", "free_registers", free);
    m_.instance("sb_map", "map", map);
    placed();
  }

  /// Of the physical registers that operands go to: their banks, and their numbers, as far as the pickers compare them.
  void placed() {
    for (std::uint32_t s = 0; s < rtl_.g.slots; ++s)
      for (const BusOperand& operand : operands_of(rtl_, s)) {
        const bool reads = operand.kind == "src";
        const std::string name = format("{}_{}", name_of(operand), s);
        if (rtl_.banked(reads)) m_.wire("placed_banks_" + name, rtl_.banks(), banks_of(operand));
        bool compared = false;
        for (std::uint32_t u = 0; reads && u < f_; ++u) compared |= rtl_.compares_registers(u);
        if (!compared) continue;
        std::vector<std::string> bits;
        for (std::uint32_t b = place_bits(rtl_); b-- != 0;)
          bits.push_back(any_row(operand, [&](std::uint64_t row) { return (row >> b & 1) != 0; }));
        m_.wire("placed_" + name, place_bits(rtl_), '{' + join(bits, ", ", "") + '}');
      }
  }
  template <class Wanted>
  [[nodiscard]] std::string any_row(const BusOperand& operand, Wanted wanted) const {
    std::vector<std::string> bits;
    for (std::uint64_t row = 0; row < rtl_.g.rows; ++row)
      if (wanted(row)) bits.push_back(format("{}[{}]", operand.row(), row));
    return join(bits, " | ", "1'b0");
  }
  [[nodiscard]] std::string banks_of(const BusOperand& operand) const {
    const std::uint32_t count = rtl_.config.banks.count;
    const bool halves = rtl_.config.banks.mapping == Mapping::parity_half;
    std::vector<std::string> banks;
    std::uint64_t first = 0;
    for (const RegisterFile& file : rtl_.config.files) {
      for (std::uint32_t bank = 0; bank < count; ++bank) {
        std::string term = any_row(operand, [&](std::uint64_t row) {
          if (row < first || row >= first + file.physical) return false;
          const std::uint64_t number = row - first;
          return halves ? number % 2 == bank / 2 : number % count == bank;
        });
        // The half of a register stays, whatever place it gets.
        if (halves) {
          std::vector<std::string> told;
          for (std::uint32_t b = bank % 2; b < rtl_.banks(); b += 2)
            told.push_back(format("{}[{}]", told_banks(operand), b));
          term = format("({}) & ({})", term, join(told, " | ", ""));
        }
        banks.insert(banks.begin(), term);
      }
      first += file.physical;
    }
    return '{' + join(banks, ", ", "") + '}';
  }
  [[nodiscard]] static std::string told_banks(const BusOperand& operand) {
    return operand.second ? format("op{}_{}{}_next_banks", operand.slot, operand.kind, operand.port)
                          : format("op{}_{}{}_banks_{}", operand.slot, operand.kind, operand.port, operand.part);
  }

  /// Units that cells may be set towards: in flight, or issued by the slots before.
  void older() {
    std::vector<std::string> before{"(busy & ~any_die)"};
    for (std::uint32_t s = 0; s < rtl_.g.slots; ++s) {
      for (std::uint32_t part = 0; part < rtl_.g.parts; ++part)
        m_.wire(format("older_{}_{}", s, part), f_, join(before, " | ", ""));
      for (std::uint32_t part = 0; part < rtl_.g.parts; ++part) before.push_back(format("issue_{}_{}", s, part));
    }
    if (!rtl_.config.issue.mask_same_clock) m_.wire("in_flight", f_, join(before, " | ", ""));
  }

  void units() {
    m_.space();
    wires({"able_to_read", "able_to_write", "held"}, f_);
    m_.assign("readable", "able_to_read");
    m_.assign("writable", "able_to_write");
    const auto per_grant = [&](const char* name, std::uint32_t grants) {
      for (std::uint32_t k = 0; k < grants; ++k) m_.wire(format("{}{}", name, k), f_);
    };
    per_grant("rd_rel", rtl_.g.read_grants);
    per_grant("req_rel", rtl_.g.write_grants);
    per_grant("go_rd", rtl_.g.read_grants);
    per_grant("go_wr", rtl_.g.write_grants);
    if (rtl_.g.parts == 2) pairs();
    const auto bits = [](const char* name, std::uint32_t grants, std::uint64_t unit) {
      std::vector<std::string> terms;
      for (std::uint32_t k = grants; k-- != 0;) terms.push_back(format("{}{}[{}]", name, k, unit));
      return '{' + join(terms, ", ", "") + '}';
    };
    for (std::uint64_t u = 0; u < f_; ++u) {
      Connections c{{"clk", "clk"},
                    {"rst", "rst"},
                    {"issue", format("issue[{}]", u)},
                    {"die", format("any_die[{}]", u)},
                    {"held", format("held[{}]", u)},
                    {"alu_valid", format("alu_valid[{}]", u)},
                    {"go_rd", bits("go_rd", rtl_.g.read_grants, u)},
                    {"go_wr", bits("go_wr", rtl_.g.write_grants, u)},
                    {"busy", format("busy[{}]", u)},
                    {"rd_rel", bits("rd_rel", rtl_.g.read_grants, u)},
                    {"req_rel", bits("req_rel", rtl_.g.write_grants, u)},
                    {"done", format("done[{}]", u)}};
      if (rtl_.halves_end_apart()) c.emplace_back("written", format("now_written[{}]", u));
      if (rtl_.config.ports.per_operand) {
        c.emplace_back("writable", format("able_to_write[{}]", u));
        c.emplace_back("issue_reads", used_ports("src", rtl_.sources(), u));
        c.emplace_back("issue_writes", used_ports("dst", rtl_.destinations(), u));
      }
      m_.instance("sb_cu", format("unit_{}", u), c);
    }
  }

  /// Which ports the operation uses that is issued to a unit.
  [[nodiscard]] std::string used_ports(const char* kind, std::uint32_t ports, std::uint64_t unit) const {
    std::vector<std::string> bits;
    for (std::uint32_t k = ports; k-- != 0;) {
      std::vector<std::string> terms;
      for (std::uint32_t s = 0; s < rtl_.g.slots; ++s)
        for (std::uint32_t part = 0; part < rtl_.g.parts; ++part)
          terms.push_back(format("(issue_{0}_{1}[{2}] & |op{0}_{3}{4}_lanes_{1})", s, part, unit, kind, k));
      bits.push_back(join(terms, " | ", ""));
    }
    return '{' + join(bits, ", ", "") + '}';
  }

  void pairs() {
    std::vector<std::string> lows, highs;
    for (std::uint32_t s = 0; s < rtl_.g.slots; ++s) {
      lows.push_back(format("(issue_{0}_0 & {1})", s, repeat(f_, format("op{}_pair", s))));
      highs.push_back(format("issue_{}_1", s));
    }
    m_.flop("pair_low", f_, "(pair_low & ~(done | any_die)) | " + join(lows, " | ", ""), repeat(f_, "1'b0"));
    if (!rtl_.lockstep() && !rtl_.halves_end_apart()) return;
    m_.flop("pair_high", f_, "(pair_high & ~(done | any_die)) | " + join(highs, " | ", ""), repeat(f_, "1'b0"));
    if (!rtl_.halves_end_apart()) return;
    wires({"now_written"}, f_);
    m_.wire("all_written", f_, "written | now_written");
    m_.flop("written", f_, "all_written & ~(done | any_die)", repeat(f_, "1'b0"));
    m_.wire("both_written", f_, "all_written & pair_low & (all_written >> 1)");
    m_.assign("done", "(all_written & ~(pair_low | pair_high)) | both_written | (both_written << 1)");
  }

  void pickers() {
    m_.space();
    direction("sb_pick_rd", true, rtl_.g.read_grants, "rd_rel", "able_to_read", "go_rd");
    direction("sb_pick_wr", false, rtl_.g.write_grants, "req_rel", "able_to_write", "go_wr");
  }
  void direction(const std::string& module, bool reads, std::uint32_t grants, const char* request, const char* able,
                 const char* go) {
    const bool limited = (reads ? rtl_.config.ports.read : rtl_.config.ports.write) != 0 || rtl_.selective(reads);
    Connections c;
    if (limited && rtl_.config.ports.priority == Priority::rotate) same(c, {"clk", "rst"});
    if (rtl_.lockstep())
      same(c, {"pair_low", "pair_high"});
    else if (rtl_.independent_pairs() && rtl_.banked(reads) && !(reads && rtl_.broadcasts()))
      same(c, {"pair_low"});
    if (limited && rtl_.config.ports.priority == Priority::oldest)
      for (std::uint64_t u = 0; u < f_; ++u) same(c, {format("older_than_{}", u)});
    if (rtl_.banked(reads)) banks(c, reads);
    if (rtl_.halves_use_ports_apart() || (reads && rtl_.word_lanes() != 0)) uses(c, reads);
    if (reads) ways(c);
    std::vector<std::string> requests, grants_of_all;
    for (std::uint32_t k = 0; k < grants; ++k) {
      c.emplace_back(format("request{}", k), format("{}{} & {}", request, k, able));
      c.emplace_back(format("go{}", k), format("{}{}", go, k));
      requests.push_back(format("{}{}", request, k));
      grants_of_all.push_back(format("{}{}", go, k));
    }
    m_.instance(module, module.substr(3), c);
    m_.assign(request, join(requests, " | ", ""));
    m_.assign(go, join(grants_of_all, " | ", ""));
  }

  /// What the bus says, kept by a unit from its issue: `of(slot, part)`.
  template <class Of>
  void keep(const std::string& name, std::uint64_t width, std::uint64_t unit, Of of) {
    std::string next = name;
    for (std::uint32_t s = 0; s < rtl_.g.slots; ++s)
      for (std::uint32_t part = 0; part < rtl_.g.parts; ++part)
        next = format("issue_{}_{}[{}] ? {} : {}", s, part, unit, of(s, part), next);
    m_.flop(name, width, next, repeat(width, "1'b0"));
  }
  /// The same of one bit, for all units.
  template <class Of>
  void keep_bits(const std::string& name, Of of) {
    std::vector<std::string> bits{format("({} & ~issue)", name)};
    for (std::uint32_t s = 0; s < rtl_.g.slots; ++s)
      for (std::uint32_t part = 0; part < rtl_.g.parts; ++part)
        bits.push_back(format("(issue_{}_{} & {})", s, part, repeat(f_, of(s, part))));
    m_.flop(name, f_, join(bits, " | ", ""), repeat(f_, "1'b0"));
  }

  /// An operand register of a unit, by number: the first ones, then the second ones of quads.
  [[nodiscard]] BusOperand operand(bool reads, std::uint32_t index, std::uint32_t slot, std::uint32_t part) const {
    const std::uint32_t firsts = reads ? rtl_.sources() : rtl_.destinations();
    return {reads ? "src" : "dst", index % firsts, slot, part, index >= firsts};
  }
  [[nodiscard]] std::uint32_t operand_registers(bool reads) const {
    return reads ? rtl_.source_registers() : rtl_.destination_registers();
  }
  /// "src1", and of the second one of a quad "next_src1".
  [[nodiscard]] static std::string name_of(const BusOperand& operand) {
    return format("{}{}{}", operand.second ? "next_" : "", operand.kind, operand.port);
  }

  /// Banks of the operands in each unit.
  void banks(Connections& c, bool reads) {
    for (std::uint64_t u = 0; u < f_; ++u)
      for (std::uint32_t k = 0; k < operand_registers(reads); ++k) {
        const std::string name = format("banks_{}_{}", name_of(operand(reads, k, 0, 0)), u);
        keep(name, rtl_.banks(), u, [&](std::uint32_t s, std::uint32_t part) {
          const BusOperand own = operand(reads, k, s, part);
          return rtl_.renames() ? format("placed_banks_{}_{}", name_of(own), s) : told_banks(own);
        });
        c.emplace_back(format("banks{}_{}", k, u), name);
      }
  }

  /// Which units use a port; where there are word lanes, also of the second registers of quads.
  void uses(Connections& c, bool reads) {
    const bool lanes = reads && rtl_.word_lanes() != 0;
    const std::uint32_t firsts = reads ? rtl_.sources() : rtl_.destinations();
    for (std::uint32_t k = 0; k < (lanes ? operand_registers(reads) : firsts); ++k) {
      const std::string name = "uses_" + name_of(operand(reads, k, 0, 0));
      keep_bits(name, [&](std::uint32_t s, std::uint32_t part) {
        const BusOperand own = operand(reads, k, s, part);
        return own.second ? own.used() : '(' + own.used() + ')';
      });
      c.emplace_back(format("uses{}", k), name);
    }
  }

  /// What word lanes and byte crossbars, and readers that share a port, have to know of the operands in each unit.
  void ways(Connections& c) {
    for (std::uint32_t k = 0; k < rtl_.source_registers(); ++k) {
      for (std::uint32_t u = 0; u < f_; ++u) {
        if (!rtl_.compares_registers(u)) continue;
        const std::string name = format("reg_{}_{}", name_of(operand(true, k, 0, 0)), u);
        keep(name, place_bits(rtl_), u, [&](std::uint32_t s, std::uint32_t) {
          const BusOperand own = operand(true, k, s, 0);
          if (rtl_.renames()) return format("placed_{}_{}", name_of(own), s);
          return own.second ? format("({} + {})", own.first_reg(), number(place_bits(rtl_), 1)) : own.first_reg();
        });
        c.emplace_back(format("reg{}_{}", k, u), name);
      }
      if (rtl_.routes_one() && k < rtl_.sources()) {
        keep_bits(format("narrow_src{}", k),
                  [&](std::uint32_t s, std::uint32_t part) { return format("op{}_src{}_narrow_{}", s, k, part); });
        c.emplace_back(format("narrow{}", k), format("narrow_src{}", k));
      }
    }
  }

  /// Of a vector of all columns, those of a group's lanes.
  [[nodiscard]] std::string columns_of(const GroupGeometry& group, const std::string& vector) const {
    if (group.lanes == rtl_.g.lanes) return vector;
    std::vector<std::string> bits;
    for (std::uint64_t row = rtl_.g.rows; row-- != 0;)
      for (std::size_t i = rtl_.lanes.size(); i-- != 0;)
        if ((group.lanes >> rtl_.lanes[i] & 1) != 0)
          bits.push_back(format("{}[{}]", vector, row * rtl_.lanes.size() + i));
    return '{' + join(bits, ", ", "") + '}';
  }
  /// The other way, with 0 for the lanes that the group does not have.
  [[nodiscard]] std::string all_columns(const GroupGeometry& group, const std::string& vector) const {
    if (group.lanes == rtl_.g.lanes) return vector;
    std::vector<std::string> bits;
    std::uint64_t at = rtl_.columns(group);
    for (std::uint64_t row = rtl_.g.rows; row-- != 0;)
      for (std::size_t i = rtl_.lanes.size(); i-- != 0;)
        bits.push_back((group.lanes >> rtl_.lanes[i] & 1) != 0 ? format("{}[{}]", vector, --at) : "1'b0");
    return '{' + join(bits, ", ", "") + '}';
  }

  void matrices() {
    m_.space();
    if (!rtl_.precise()) {
      pending_of_all("src", "g_rd");
      pending_of_all("dst", "g_wr");
    }
    for (const std::string& set : rtl_.hazard_sets()) {
      for (std::uint32_t k = 0; k < rtl_.g.read_grants; ++k) m_.wire(format("rd_pend{}_{}", k, set), f_);
      for (std::uint32_t k = 0; k < rtl_.g.write_grants; ++k) m_.wire(format("wr_pend{}_{}", k, set), f_);
    }
    for (const std::string& set : rtl_.compared_sets()) m_.wire("ww_pend_" + set, f_);
    for (std::size_t i = 0; i < rtl_.g.groups.size(); ++i) group(i);
    merge("pending_rd", "g_rd");
    merge("pending_wr", "g_wr");
    if (rtl_.stalls_for_writes()) merge("was_pending_wr", "was_pending_wr");
    for (std::uint32_t k = 0; k < rtl_.sources(); ++k) merge(format("use_rd{}", k), format("use_rd{}", k));
    for (std::uint32_t k = 0; k < rtl_.destinations(); ++k) merge(format("use_wr{}", k), format("use_wr{}", k));
    if (rtl_.keeps_rows()) {
      std::vector<std::string> terms;
      for (std::size_t i = 0; i < rtl_.g.groups.size(); ++i) terms.push_back(format("live_{}", i));
      m_.assign("live", join(terms, " | ", ""));
    } else if (tables()) {
      m_.wire("live_columns", rtl_.columns());
      merge("live", "live_columns");
      const std::uint64_t lanes = rtl_.lanes.size();
      std::vector<std::string> rows;
      for (std::uint64_t row = rtl_.g.rows; row-- != 0;)
        rows.push_back(format("|live_columns[{}:{}]", (row + 1) * lanes - 1, row * lanes));
      m_.assign("live", '{' + join(rows, ", ", "") + '}');
    }

    Connections c{{"clk", "clk"},
                  {"rst", "rst"},
                  {"die", "any_die"},
                  {"readable", "able_to_read"},
                  {"writable", "able_to_write"}};
    if (latches_results(rtl_.config.forwarding)) {
      std::string valid = "alu_valid";
      if (rtl_.branches()) {
        // A result on one way of an open branch may never come to be.
        valid = "forwardable";
        keep_bits("conditional", [&](std::uint32_t s, std::uint32_t) { return format("op{}_conditional", s); });
        m_.wire(valid, f_, "alu_valid & ~(speculation_held & conditional)");
      }
      m_.flop(valid + "_1", f_, valid, repeat(f_, "1'b0"));
      c.emplace_back("valid", valid);
      c.emplace_back("valid_now", format("{0} & ~{0}_1", valid));
    }
    same(c, of_sets("issue_"));
    for (const std::string& set : sets_)
      c.emplace_back("older_" + set, rtl_.config.issue.mask_same_clock ? "older_" + set : "in_flight");
    for (std::uint32_t k = 0; k < rtl_.g.read_grants; ++k) same(c, {format("go_rd{}", k)});
    for (std::uint32_t k = 0; k < rtl_.g.write_grants; ++k) same(c, {format("go_wr{}", k)});
    for (const std::string& set : rtl_.hazard_sets()) {
      for (std::uint32_t k = 0; k < rtl_.g.read_grants; ++k) same(c, {format("rd_pend{}_{}", k, set)});
      for (std::uint32_t k = 0; k < rtl_.g.write_grants; ++k) same(c, {format("wr_pend{}_{}", k, set)});
    }
    for (std::uint32_t s = 0; rtl_.tells_use() && s < rtl_.g.slots; ++s)
      for (std::uint32_t part = 0; part < rtl_.g.parts; ++part) {
        c.emplace_back(format("reads_{}_{}", s, part), any_used("src", rtl_.sources(), s, part));
        c.emplace_back(format("writes_{}_{}", s, part), any_used("dst", rtl_.destinations(), s, part));
      }
    m_.instance("sb_fufu", "fufu", c);
  }
  [[nodiscard]] static std::string any_used(const char* kind, std::uint32_t ports, std::uint32_t s,
                                            std::uint32_t part) {
    std::vector<std::string> lanes;
    for (std::uint32_t k = 0; k < ports; ++k) lanes.push_back(format("op{}_{}{}_lanes_{}", s, kind, k, part));
    return "|{" + join(lanes, ", ", "") + '}';
  }

  /// Conservative hazards: what any unit still has to read or write, and what overlaps it.
  void pending_of_all(const std::string& kind, const std::string& vector) {
    const std::string name = "blocked_" + kind + "_all";
    if (!rtl_.cascade()) return m_.wire(name, rtl_.columns(), vector);
    m_.wire(name, rtl_.columns());
    const std::uint64_t lanes = rtl_.lanes.size();
    for (std::uint64_t row = 0; row < rtl_.g.rows; ++row) {
      const std::string slice = format("[{}:{}]", (row + 1) * lanes - 1, row * lanes);
      m_.instance("sb_expand", format("expand_{}_{}", kind, row),
                  {{"own", vector + slice}, {"overlapping", name + slice}});
    }
  }

  void group(std::size_t i) {
    const GroupGeometry& g = rtl_.g.groups[i];
    const std::string slice = format("[{}:{}]", g.first_unit + g.units - 1, g.first_unit);
    const std::uint64_t w = rtl_.columns(g);
    Connections c{{"clk", "clk"}, {"rst", "rst"}, {"die", "any_die" + slice}};
    const auto sliced = [&](const std::string& name) { c.emplace_back(name, name + slice); };
    for (std::uint32_t k = 0; k < rtl_.g.read_grants; ++k) sliced(format("go_rd{}", k));
    for (std::uint32_t k = 0; k < rtl_.g.write_grants; ++k) sliced(format("go_wr{}", k));
    for (const std::string& name : of_sets("issue_")) sliced(name);
    for (const std::string& set : rtl_.hazard_sets()) {
      for (std::uint32_t k = 0; k < rtl_.g.read_grants; ++k) sliced(format("rd_pend{}_{}", k, set));
      for (std::uint32_t k = 0; k < rtl_.g.write_grants; ++k) sliced(format("wr_pend{}_{}", k, set));
    }
    std::vector<std::string> lines = operand_lines();
    for (const std::string& set : rtl_.hazard_sets()) {
      lines.push_back("blocked_src_" + set);
      lines.push_back("blocked_dst_" + set);
    }
    for (const std::string& set : rtl_.compared_sets()) {
      sliced("ww_pend_" + set);
      if (!rtl_.precise()) lines.push_back("blocked_dst_" + set);
    }
    for (const std::string& line : lines) c.emplace_back(line, columns_of(g, line));
    std::vector<std::string> outputs{"pending_rd", "pending_wr"};
    if (rtl_.stalls_for_writes()) outputs.emplace_back("was_pending_wr");
    if (tables()) outputs.emplace_back("live");
    for (std::uint32_t k = 0; k < rtl_.sources(); ++k) outputs.push_back(format("use_rd{}", k));
    for (std::uint32_t k = 0; k < rtl_.destinations(); ++k) outputs.push_back(format("use_wr{}", k));
    if (rtl_.keeps_rows()) sliced("done");
    for (const std::string& output : outputs) {
      m_.wire(format("{}_{}", output, i), output == "live" ? rtl_.live_bits(g) : w);
      c.emplace_back(output, format("{}_{}", output, i));
    }
    m_.instance(format("sb_fureg_{}", i), format("fureg_{}", i), c);
  }

  void merge(const std::string& part, const std::string& all) {
    std::vector<std::string> terms;
    for (std::size_t i = 0; i < rtl_.g.groups.size(); ++i)
      terms.push_back(all_columns(rtl_.g.groups[i], format("{}_{}", part, i)));
    m_.assign(all, join(terms, "\n      | ", ""));
  }

  /// A matrix of units held back by units; unwanted outputs get names that say so.
  void shadow_matrix(const std::string& name, bool held, bool rows, Connections c) {
    const auto output = [&](const std::string& port, const std::string& wire, bool wanted) {
      const std::string target = (wanted ? "" : "unused_") + wire;
      m_.wire(target, f_);
      c.emplace_back(port, target);
    };
    output("held", name + "_held", held);
    output("shadow", name + "_shadow", held);
    for (std::uint64_t u = 0; u < f_; ++u)
      output(format("held_by_{}", u), rows ? format("older_than_{}", u) : format("{}_{}", name, u), rows);
    m_.instance("sb_shadow", name, c);
  }

  void shadows() {
    m_.space();
    std::vector<std::string> held, shadow;
    Connections c{{"clk", "clk"}, {"rst", "rst"}, {"die", "any_die"}, {"release_column", "done | any_die"}};
    same(c, of_sets("issue_"));
    const bool all = rtl_.config.waw == Waw::shadow_all;
    if (all || rtl_.config.waw == Waw::shadow_same_dest) {
      Connections order = c;
      for (const std::string& set : sets_)
        order.emplace_back("hold_" + set, format("older_{0} & ~done{1}", set, all ? "" : " & ww_pend_" + set));
      shadow_matrix("order", true, all && rtl_.needs_age(), order);
      held.emplace_back("order_held");
      shadow.emplace_back("order_shadow");
    }
    if (rtl_.needs_age() && !all) {
      Connections age = c;
      for (const std::string& set : sets_) age.emplace_back("hold_" + set, format("older_{} & ~done", set));
      shadow_matrix("age", false, true, age);
    }
    if (rtl_.kills()) speculation(held, shadow);
    if (rtl_.orders_memory()) held.emplace_back(with_high_halves("memory_held"));
    if (rtl_.traps()) held.emplace_back("(alu_valid & alu_trap)");
    m_.assign("held", join(held, " | ", repeat(f_, "1'b0")));
    m_.assign("shadown", shadow.empty() ? repeat(f_, "1'b1") : "~(" + join(shadow, " | ", "") + ')');
  }

  [[nodiscard]] std::string with_high_halves(const std::string& units) const {
    return rtl_.g.parts == 2 ? format("({0} | (({0} & pair_low) << 1))", units) : units;
  }

  void speculation(std::vector<std::string>& held, std::vector<std::string>& shadow) {
    Connections c;
    if (rtl_.traps() || rtl_.kills_by_branch()) same(c, {"busy"});
    c.insert(c.end(), {{"die", "any_die"}, {"blocked", "blocked"}});
    for (std::uint32_t s = 0; s < rtl_.g.slots; ++s) {
      if (rtl_.renames() && rtl_.speculates()) same(c, {format("op{}_outside", s)});
      if (rtl_.branches())
        for (const char* flag : {"branch", "predicted", "conditional", "path"}) same(c, {format("op{}_{}", s, flag)});
      if (rtl_.config.trap_shadows) same(c, {format("op{}_trap", s)});
    }
    if (rtl_.branches()) same(c, {"alu_ok"});
    if (rtl_.traps()) {
      std::vector<std::string> bits;
      for (std::uint64_t u = f_; u-- != 0;) bits.push_back(format("~|older_than_{}", u));
      m_.wire("oldest", f_, '{' + join(bits, ", ", "") + '}');
      same(c, {"alu_valid", "alu_trap", "oldest"});
    }
    if (rtl_.speculates()) {
      same(c, {"clk", "rst", "done"});
      same(c, of_sets("issue_"));
      same(c, of_sets("older_"));
      wires({"speculation_held", "speculation_shadow"}, f_);
      c.emplace_back("held", "speculation_held");
      c.emplace_back("shadow", "speculation_shadow");
      held.emplace_back("speculation_held");
      shadow.emplace_back("speculation_shadow");
    }
    m_.instance("sb_speculation", "speculation", c);
  }

  void memory() {
    if (!rtl_.orders_memory()) return;
    m_.wire("memory_held", f_);
    Connections c{{"clk", "clk"},
                  {"rst", "rst"},
                  {"done", "done"},
                  {"die", "any_die"},
                  {"alu_start", "alu_start"},
                  {"held", "memory_held"},
                  {"mem_wait", "mem_wait"}};
    for (std::uint32_t s = 0; s < rtl_.g.slots; ++s)
      same(c, {format("issue_{}_0", s), format("older_{}_0", s), format("op{}_load", s), format("op{}_store", s)});
    if (rtl_.config.memory.match_addresses)
      for (std::uint64_t u = 0; u < f_; ++u) same(c, {format("mem_differ_{}", u)});
    m_.instance("sb_memdep", "memory", c);
  }

  void overwritten() {
    if (!rtl_.drops_overwritten()) return;
    Connections c{{"clk", "clk"}, {"rst", "rst"}};
    same(c, of_sets("issue_"));
    for (std::uint32_t s = 0; s < rtl_.g.slots; ++s)
      for (std::uint32_t k = 0; k < rtl_.destinations(); ++k) {
        same(c, {format("op{}_dst{}_reg", s, k)});
        if (rtl_.quads()) same(c, {format("op{}_dst{}_quad", s, k)});
        for (std::uint32_t part = 0; part < rtl_.g.parts; ++part) same(c, {format("op{}_dst{}_bytes_{}", s, k, part)});
      }
    for (std::uint32_t k = 0; k < rtl_.g.write_grants; ++k) same(c, {format("go_wr{}", k)});
    for (std::uint64_t u = 0; u < f_; ++u) {
      same(c, {format("older_than_{}", u)});
      for (std::uint32_t k = 0; k < rtl_.destination_registers(); ++k) same(c, {format("wr_bytes{}_{}", k, u)});
    }
    m_.instance("sb_overwritten", "overwritten", c);
  }

  void outputs() {
    m_.assign("issue", join(of_sets("issue_"), " | ", ""));
    m_.assign("die", "any_die");
  }

  const Rtl& rtl_;
  std::uint64_t f_;
  std::vector<std::string> sets_;
  ModuleText m_;
};

}  // namespace

std::vector<BusSignal> result_bus(const Rtl& rtl) {
  std::vector<BusSignal> bus{{"alu_valid", rtl.g.units}};
  if (rtl.branches()) bus.push_back({"alu_ok", rtl.g.units});
  if (rtl.traps()) bus.push_back({"alu_trap", rtl.g.units});
  if (rtl.orders_memory()) {
    bus.push_back({"alu_start", rtl.g.units});
    if (rtl.config.memory.match_addresses)
      for (std::uint32_t u = 0; u < rtl.g.units; ++u) bus.push_back({format("mem_differ_{}", u), rtl.g.units});
  }
  return bus;
}

std::vector<BusSignal> observed_bus(const Rtl& rtl) {
  std::vector<BusSignal> bus;
  for (const char* name :
       {"issue", "busy", "rd_rel", "readable", "go_rd", "req_rel", "writable", "go_wr", "shadown", "die"})
    bus.push_back({name, rtl.g.units});
  bus.push_back({"g_rd", rtl.columns()});
  bus.push_back({"g_wr", rtl.columns()});
  if (!rtl.g.tables.empty()) bus.push_back({"ir_used", rtl.g.rows});
  for (std::uint32_t u = 0; rtl.drops_overwritten() && u < rtl.g.units; ++u)
    for (std::uint32_t k = 0; k < rtl.destination_registers(); ++k) bus.push_back({format("wr_bytes{}_{}", k, u), 8});
  if (rtl.renames()) {
    bus.push_back({"map_current", rtl.g.rows});
    bus.push_back({"map_free", rtl.g.rows});
  }
  return bus;
}

Module top_module(const Rtl& rtl) { return TopWriter(rtl).make(); }

}  // namespace mobula::scoreboard
