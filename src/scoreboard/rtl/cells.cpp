// Storage primitive, cascade, and rows and matrices of the dependency cells (§2.1 - §2.4, §2.6, §2.12, §4).
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "scoreboard/rtl/rtl.h"

namespace mobula::scoreboard {

using fmt::format;

std::vector<std::string> Rtl::line_sets() const {
  std::vector<std::string> sets;
  for (std::uint32_t slot = 0; slot < g.slots; ++slot)
    for (std::uint32_t part = 0; part < g.parts; ++part) sets.push_back(format("{}_{}", slot, part));
  return sets;
}

std::vector<std::string> Rtl::hazard_sets() const { return precise() ? line_sets() : std::vector<std::string>{"all"}; }

std::vector<std::string> Rtl::compared_sets() const {
  return config.waw == Waw::shadow_same_dest ? line_sets() : std::vector<std::string>{};
}

std::uint32_t bytes_of_lane(Lanes lanes, std::uint32_t lane) {
  if (lanes == Lanes::lock) return 0xff;
  if (lane < 8) return 1u << lane;
  if (lanes == Lanes::two_level) return 0xfu << 4 * (lane - 8);
  if (lane < 12) return 3u << 2 * (lane - 8);
  return lane < 14 ? 0xfu << 4 * (lane - 12) : 0xffu;
}

std::string sr_name(std::uint64_t width) { return format("sb_sr_{}", width); }

Module sr_module(std::uint64_t width) {
  ModuleText m(sr_name(width), "Set/reset storage: q sees set and reset of this clock, qlq only set, qi neither.");
  m.clock();
  m.in("s", width);
  m.in("r", width);
  m.out("q", width);
  m.out("qi", width);
  m.out("qlq", width);
  m.flop("state", width, "q", repeat(width, "1'b0"));
  m.assign("q", "(state & ~r) | s");
  m.assign("qi", "state");
  m.assign("qlq", "state | s");
  return m.end();
}

void storage(ModuleText& m, const std::string& name, std::uint64_t width, const std::string& set,
             const std::string& reset, std::initializer_list<std::string_view> wanted) {
  Connections connections{{"clk", "clk"}, {"rst", "rst"}, {"s", set}, {"r", reset}};
  for (const std::string_view output : {"q", "qi", "qlq"}) {
    const bool used = std::find(wanted.begin(), wanted.end(), output) != wanted.end();
    const std::string wire = format("{}{}_{}", used ? "" : "unused_", name, output);
    m.wire(wire, width);
    connections.emplace_back(output, wire);
  }
  m.instance(sr_name(width), name, connections);
}

Module expand_module(const Rtl& rtl) {
  ModuleText m("sb_expand", "The cascade of one register: the columns that overlap any of the given ones.");
  const std::uint64_t width = rtl.lanes.size();
  m.in("own", width);
  m.out("overlapping", width);
  const auto bytes = [&](std::size_t i) { return bytes_of_lane(rtl.config.lanes, rtl.lanes[i]); };
  const auto inside = [&](std::size_t a, std::size_t b) { return a != b && (bytes(a) & ~bytes(b)) == 0; };
  // Up: a column or any inside it. Columns are in the order of their widths, so the inner ones are there already.
  for (std::size_t i = 0; i < width; ++i) {
    std::vector<std::string> terms{format("own[{}]", i)};
    for (std::size_t inner = 0; inner < i; ++inner) {
      bool direct = inside(inner, i);
      for (std::size_t between = 0; between < i; ++between) direct &= !(inside(inner, between) && inside(between, i));
      if (direct) terms.push_back(format("up_{}", inner));
    }
    m.wire(format("up_{}", i), 0, join(terms, " | ", ""));
  }
  // Down: or any that it is inside of, by themselves.
  for (std::size_t i = 0; i < width; ++i) {
    std::vector<std::string> terms{format("up_{}", i)};
    for (std::size_t outer = i + 1; outer < width; ++outer)
      if (inside(i, outer)) terms.push_back(format("own[{}]", outer));
    m.assign(format("overlapping[{}]", i), join(terms, " | ", ""));
  }
  return m.end();
}

namespace {

/// "|({a | b})" of the terms made by `term` for each port that grant line `grant` grants.
template <class Term, class GrantOf>
std::string over_ports(std::uint32_t ports, std::uint32_t grant, GrantOf grant_of, Term term) {
  std::vector<std::string> terms;
  for (std::uint32_t k = 0; k < ports; ++k)
    if (grant_of(k) == grant) terms.push_back(term(k));
  return join(terms, " | ", "");
}

Module fureg_row(const Rtl& rtl, std::size_t group) {
  const std::uint64_t w = rtl.columns(rtl.g.groups[group]);
  ModuleText m(format("sb_fureg_{}_row", group), "Which registers one unit still has to read and write.");
  m.clock();
  m.in("die");
  m.in("go_rd", rtl.g.read_grants);
  m.in("go_wr", rtl.g.write_grants);
  for (const std::string& set : rtl.line_sets()) {
    m.in("issue_" + set);
    for (std::uint32_t k = 0; k < rtl.sources(); ++k) m.in(format("src{}_{}", k, set), w);
    for (std::uint32_t k = 0; k < rtl.destinations(); ++k) m.in(format("dst{}_{}", k, set), w);
  }
  for (const std::string& set : rtl.hazard_sets()) {
    m.in("blocked_src_" + set, w);
    m.in("blocked_dst_" + set, w);
    m.out("rd_pend_" + set, rtl.g.read_grants);
    m.out("wr_pend_" + set, rtl.g.write_grants);
  }
  for (const std::string& set : rtl.compared_sets()) m.out("ww_pend_" + set);
  if (!rtl.precise())
    for (const std::string& set : rtl.compared_sets()) m.in("blocked_dst_" + set, w);
  m.out("pending_rd", w);
  m.out("pending_wr", w);
  if (rtl.stalls_for_writes()) m.out("was_pending_wr", w);
  if (!rtl.g.tables.empty()) m.out("live", rtl.live_bits(rtl.g.groups[group]));
  if (rtl.keeps_rows()) m.in("done");
  for (std::uint32_t k = 0; k < rtl.sources(); ++k) m.out(format("use_rd{}", k), w);
  for (std::uint32_t k = 0; k < rtl.destinations(); ++k) m.out(format("use_wr{}", k), w);

  const auto cells = [&](const char* kind, std::uint32_t ports, const std::string& name, const char* go, auto grant_of,
                         bool was) {
    for (std::uint32_t k = 0; k < ports; ++k) {
      std::vector<std::string> sets;
      for (const std::string& set : rtl.line_sets())
        sets.push_back(format("({} & {}{}_{})", repeat(w, "issue_" + set), name, k, set));
      m.wire(format("set_{}{}", name, k), w, join(sets, " | ", ""));
      const std::string cell = format("{}{}", kind, k);
      const std::string reset = repeat(w, format("{}[{}] | die", go, grant_of(k)));
      if (was)
        storage(m, cell, w, format("set_{}{}", name, k), reset, {"q", "qi", "qlq"});
      else
        storage(m, cell, w, format("set_{}{}", name, k), reset, {"q", "qlq"});
    }
  };
  const auto read_grant = [&](std::uint32_t k) { return rtl.read_grant(k); };
  const auto write_grant = [&](std::uint32_t k) { return rtl.write_grant(k); };
  const auto all_same = [](std::uint32_t) { return 0u; };
  cells("s", rtl.sources(), "src", "go_rd", read_grant, false);
  cells("d", rtl.destinations(), "dst", "go_wr", write_grant, rtl.stalls_for_writes());
  const auto outputs = [&](const char* kind, const char* output) {
    const bool sources = kind[0] == 's';
    return over_ports(sources ? rtl.sources() : rtl.destinations(), 0, all_same,
                      [&](std::uint32_t k) { return format("{}{}_{}", kind, k, output); });
  };
  m.assign("pending_rd", outputs("s", "qlq"));
  m.assign("pending_wr", outputs("d", "qlq"));
  if (rtl.stalls_for_writes()) m.assign("was_pending_wr", outputs("d", "qi"));
  if (rtl.keeps_rows()) {
    // The rows that the operation names, until it is done.
    std::vector<std::string> sets, rows;
    for (std::uint32_t k = 0; k < rtl.sources(); ++k) sets.push_back(format("set_src{}", k));
    for (std::uint32_t k = 0; k < rtl.destinations(); ++k) sets.push_back(format("set_dst{}", k));
    m.wire("claimed", w, join(sets, " | ", ""));
    const std::uint64_t lanes = w / rtl.g.rows;
    for (std::uint64_t r = rtl.g.rows; r-- != 0;)
      rows.push_back(format("|claimed[{}:{}]", (r + 1) * lanes - 1, r * lanes));
    storage(m, "kept", rtl.g.rows, '{' + join(rows, ", ", "") + '}', repeat(rtl.g.rows, "done | die"), {"q"});
    m.assign("live", "kept_q");
  } else if (!rtl.g.tables.empty()) {
    m.assign("live", outputs("s", "q") + " | " + outputs("d", "q"));
  }
  for (std::uint32_t k = 0; k < rtl.sources(); ++k)
    m.assign(format("use_rd{}", k), format("s{}_qlq & {}", k, repeat(w, format("go_rd[{}]", read_grant(k)))));
  for (std::uint32_t k = 0; k < rtl.destinations(); ++k)
    m.assign(format("use_wr{}", k), format("d{}_qlq & {}", k, repeat(w, format("go_wr[{}]", write_grant(k)))));
  for (const std::string& set : rtl.hazard_sets()) {
    for (std::uint32_t grant = 0; grant < rtl.g.read_grants; ++grant)
      m.assign(format("rd_pend_{}[{}]", set, grant),
               format("|(({}) & blocked_dst_{})",
                      over_ports(rtl.sources(), grant, read_grant, [](std::uint32_t k) { return format("s{}_q", k); }),
                      set));
    for (std::uint32_t grant = 0; grant < rtl.g.write_grants; ++grant)
      m.assign(
          format("wr_pend_{}[{}]", set, grant),
          format("|(({}) & blocked_src_{})",
                 over_ports(rtl.destinations(), grant, write_grant, [](std::uint32_t k) { return format("d{}_q", k); }),
                 set));
  }
  for (const std::string& set : rtl.compared_sets())
    m.assign("ww_pend_" + set, format("|(({}) & blocked_dst_{})", outputs("d", "qlq"), set));
  return m.end();
}

Module fureg_matrix(const Rtl& rtl, std::size_t group) {
  const GroupGeometry& rows = rtl.g.groups[group];
  const std::uint64_t w = rtl.columns(rows);
  ModuleText m(format("sb_fureg_{}", group),
               "FU-Reg matrix of group \"" + rtl.config.groups[group].name + "\": a row for each unit.");
  m.clock();
  m.in("die", rows.units);
  for (std::uint32_t k = 0; k < rtl.g.read_grants; ++k) m.in(format("go_rd{}", k), rows.units);
  for (std::uint32_t k = 0; k < rtl.g.write_grants; ++k) m.in(format("go_wr{}", k), rows.units);
  std::vector<std::string> wide_outputs{"pending_rd", "pending_wr"};
  if (rtl.stalls_for_writes()) wide_outputs.emplace_back("was_pending_wr");
  if (!rtl.g.tables.empty()) wide_outputs.emplace_back("live");
  for (std::uint32_t k = 0; k < rtl.sources(); ++k) wide_outputs.push_back(format("use_rd{}", k));
  for (std::uint32_t k = 0; k < rtl.destinations(); ++k) wide_outputs.push_back(format("use_wr{}", k));
  const auto width_of = [&](const std::string& output) { return output == "live" ? rtl.live_bits(rows) : w; };
  if (rtl.keeps_rows()) m.in("done", rows.units);
  std::vector<std::string> common;
  for (const std::string& set : rtl.line_sets()) {
    m.in("issue_" + set, rows.units);
    for (std::uint32_t k = 0; k < rtl.sources(); ++k) common.push_back(format("src{}_{}", k, set));
    for (std::uint32_t k = 0; k < rtl.destinations(); ++k) common.push_back(format("dst{}_{}", k, set));
  }
  for (const std::string& set : rtl.hazard_sets()) {
    common.push_back("blocked_src_" + set);
    common.push_back("blocked_dst_" + set);
    for (std::uint32_t k = 0; k < rtl.g.read_grants; ++k) m.out(format("rd_pend{}_{}", k, set), rows.units);
    for (std::uint32_t k = 0; k < rtl.g.write_grants; ++k) m.out(format("wr_pend{}_{}", k, set), rows.units);
  }
  for (const std::string& set : rtl.compared_sets()) {
    m.out("ww_pend_" + set, rows.units);
    if (!rtl.precise()) common.push_back("blocked_dst_" + set);
  }
  for (const std::string& name : common) m.in(name, w);
  for (const std::string& name : wide_outputs) m.out(name, width_of(name));

  // {go_rd1[u], go_rd0[u]}
  const auto bits = [](const char* name, std::uint32_t ports, std::uint32_t unit, const std::string& suffix) {
    std::vector<std::string> terms;
    for (std::uint32_t k = ports; k-- != 0;) terms.push_back(format("{}{}{}[{}]", name, k, suffix, unit));
    return '{' + join(terms, ", ", "") + '}';
  };
  for (std::uint32_t u = 0; u < rows.units; ++u) {
    Connections c{{"clk", "clk"},
                  {"rst", "rst"},
                  {"die", format("die[{}]", u)},
                  {"go_rd", bits("go_rd", rtl.g.read_grants, u, "")},
                  {"go_wr", bits("go_wr", rtl.g.write_grants, u, "")}};
    for (const std::string& set : rtl.line_sets()) c.emplace_back("issue_" + set, format("issue_{}[{}]", set, u));
    for (const std::string& name : common) c.emplace_back(name, name);
    for (const std::string& set : rtl.hazard_sets()) {
      c.emplace_back("rd_pend_" + set, bits("rd_pend", rtl.g.read_grants, u, "_" + set));
      c.emplace_back("wr_pend_" + set, bits("wr_pend", rtl.g.write_grants, u, "_" + set));
    }
    for (const std::string& set : rtl.compared_sets())
      c.emplace_back("ww_pend_" + set, format("ww_pend_{}[{}]", set, u));
    for (const std::string& name : wide_outputs) {
      m.wire(format("{}_{}", name, u), width_of(name));
      c.emplace_back(name, format("{}_{}", name, u));
    }
    if (rtl.keeps_rows()) c.emplace_back("done", format("done[{}]", u));
    m.instance(format("sb_fureg_{}_row", group), format("row_{}", u), c);
  }
  for (const std::string& name : wide_outputs) {
    std::vector<std::string> terms;
    for (std::uint32_t u = 0; u < rows.units; ++u) terms.push_back(format("{}_{}", name, u));
    m.assign(name, join(terms, " | ", ""));
  }
  return m.end();
}

}  // namespace

std::vector<Module> fureg_modules(const Rtl& rtl, std::size_t group) {
  return {fureg_row(rtl, group), fureg_matrix(rtl, group)};
}

// ---- FU-FU ----

namespace {

/// Latches of one kind in a row: they wait for `grants` lines of the units in the columns.
struct WaitLines {
  const char* cell;    // "w"
  const char* go;      // "go_wr"
  const char* output;  // "readable"
  std::uint32_t grants;
};

std::vector<WaitLines> waits_of(const Rtl& rtl) {
  return {{"w", "go_wr", "readable", rtl.g.write_grants}, {"r", "go_rd", "writable", rtl.g.read_grants}};
}

Module fufu_row(const Rtl& rtl) {
  const std::uint64_t f = rtl.g.units;
  ModuleText m("sb_fufu_row", "Which units one unit waits for before it reads (w) and before it writes (r).");
  m.clock();
  m.in("die_row");
  m.in("die", f);
  if (latches_results(rtl.config.forwarding)) m.in("valid_now", f);
  for (const std::string& set : rtl.line_sets()) m.in("issue_" + set);
  for (const WaitLines& waits : waits_of(rtl)) {
    for (std::uint32_t k = 0; k < waits.grants; ++k) {
      m.in(format("{}{}", waits.go, k), f);
      for (const std::string& set : rtl.line_sets()) m.in(format("{}{}_{}", waits.cell, k, set), f);
    }
    m.out(waits.output);
  }
  for (const WaitLines& waits : waits_of(rtl)) {
    const bool reads = waits.cell[0] == 'w';
    std::vector<std::string> waiting;
    for (std::uint32_t k = 0; k < waits.grants; ++k) {
      std::vector<std::string> sets;
      for (const std::string& set : rtl.line_sets())
        sets.push_back(format("({} & {}{}_{})", repeat(f, "issue_" + set), waits.cell, k, set));
      std::string reset = format("{}{} | die | {}", waits.go, k, repeat(f, "die_row"));
      if (reads && latches_results(rtl.config.forwarding)) reset += " | valid_now";
      storage(m, format("cell_{}{}", waits.cell, k), f, join(sets, " | ", ""), reset, {"qi"});
      // With write-through, a read sees the write of its own clock.
      waiting.push_back(reads && writes_through(rtl.config.forwarding)
                            ? format("(cell_{}{}_qi & ~{}{})", waits.cell, k, waits.go, k)
                            : format("cell_{}{}_qi", waits.cell, k));
    }
    m.assign(waits.output, "~|(" + join(waiting, " | ", "") + ')');
  }
  return m.end();
}

Module fufu_matrix(const Rtl& rtl) {
  const std::uint64_t f = rtl.g.units;
  ModuleText m("sb_fufu", "FU-FU matrix: writes block reads, reads block writes.");
  m.clock();
  m.in("die", f);
  const bool result_latch = latches_results(rtl.config.forwarding);
  if (result_latch) {
    m.in("valid", f);
    m.in("valid_now", f);
  }
  for (const std::string& set : rtl.line_sets()) {
    m.in("issue_" + set, f);
    m.in("older_" + set, f);
    if (!rtl.tells_use()) continue;
    m.in("reads_" + set);
    m.in("writes_" + set);
  }
  for (std::uint32_t k = 0; k < rtl.g.read_grants; ++k) m.in(format("go_rd{}", k), f);
  for (std::uint32_t k = 0; k < rtl.g.write_grants; ++k) m.in(format("go_wr{}", k), f);
  for (const std::string& set : rtl.hazard_sets()) {
    for (std::uint32_t k = 0; k < rtl.g.read_grants; ++k) m.in(format("rd_pend{}_{}", k, set), f);
    for (std::uint32_t k = 0; k < rtl.g.write_grants; ++k) m.in(format("wr_pend{}_{}", k, set), f);
  }
  m.out("readable", f);
  m.out("writable", f);

  for (const WaitLines& waits : waits_of(rtl))
    for (const std::string& set : rtl.line_sets())
      for (std::uint32_t k = 0; k < waits.grants; ++k) {
        const bool reads = waits.cell[0] == 'w';
        const std::string use = rtl.tells_use() ? " & " + repeat(f, (reads ? "reads_" : "writes_") + set) : "";
        m.wire(format("{}{}_{}", waits.cell, k, set), f,
               format("{}_pend{}_{} & older_{}{}{}", reads ? "wr" : "rd", k, rtl.hazard_set(set), set,
                      reads && result_latch ? " & ~valid" : "", use));
      }
  for (std::uint32_t y = 0; y < f; ++y) {
    Connections c{{"clk", "clk"}, {"rst", "rst"}, {"die_row", format("die[{}]", y)}, {"die", "die"}};
    if (result_latch) c.emplace_back("valid_now", "valid_now");
    for (const std::string& set : rtl.line_sets()) c.emplace_back("issue_" + set, format("issue_{}[{}]", set, y));
    // Without the mask for the same clock, at least a unit does not wait for itself.
    const std::string others = rtl.config.issue.mask_same_clock ? "" : format(" & ~{}", number(f, Units{1} << y));
    for (const WaitLines& waits : waits_of(rtl)) {
      for (std::uint32_t k = 0; k < waits.grants; ++k) {
        c.emplace_back(format("{}{}", waits.go, k), format("{}{}", waits.go, k));
        for (const std::string& set : rtl.line_sets())
          c.emplace_back(format("{}{}_{}", waits.cell, k, set), format("{}{}_{}{}", waits.cell, k, set, others));
      }
      c.emplace_back(waits.output, format("{}[{}]", waits.output, y));
    }
    m.instance("sb_fufu_row", format("row_{}", y), c);
  }
  return m.end();
}

}  // namespace

std::vector<Module> fufu_modules(const Rtl& rtl) { return {fufu_row(rtl), fufu_matrix(rtl)}; }

std::vector<Module> shadow_modules(const Rtl& rtl) {
  const std::uint64_t f = rtl.g.units;
  ModuleText row("sb_shadow_row", "Which units hold one unit back.");
  row.clock();
  row.in("die_row");
  row.in("release_column", f);
  ModuleText m("sb_shadow", "Shadows: row y has the units that hold y back, until their column is released.");
  m.clock();
  m.in("die", f);
  m.in("release_column", f);
  std::vector<std::string> sets;
  for (const std::string& set : rtl.line_sets()) {
    row.in("issue_" + set);
    row.in("hold_" + set, f);
    m.in("issue_" + set, f);
    m.in("hold_" + set, f);
    sets.push_back(format("({} & hold_{})", repeat(f, "issue_" + set), set));
  }
  row.out("held_by", f);
  row.out("shadow");
  storage(row, "holder", f, join(sets, " | ", ""), "release_column | " + repeat(f, "die_row"), {"qi", "qlq"});
  row.assign("held_by", "holder_qi");
  row.assign("shadow", "|holder_qlq");

  m.out("held", f);
  m.out("shadow", f);
  for (std::uint32_t y = 0; y < f; ++y) m.out(format("held_by_{}", y), f);
  for (std::uint32_t y = 0; y < f; ++y) {
    Connections c{{"clk", "clk"},
                  {"rst", "rst"},
                  {"die_row", format("die[{}]", y)},
                  {"release_column", "release_column"},
                  {"held_by", format("held_by_{}", y)},
                  {"shadow", format("shadow[{}]", y)}};
    for (const std::string& set : rtl.line_sets()) {
      c.emplace_back("issue_" + set, format("issue_{}[{}]", set, y));
      c.emplace_back("hold_" + set, "hold_" + set);
    }
    m.instance("sb_shadow_row", format("row_{}", y), c);
    m.assign(format("held[{}]", y), format("|held_by_{}", y));
  }
  return {row.end(), m.end()};
}

// ---- Computation unit ----

Module unit_module(const Rtl& rtl) {
  const std::uint32_t p = rtl.g.read_grants, q = rtl.g.write_grants;
  const bool several = rtl.config.ports.per_operand;
  ModuleText m("sb_cu", "Computation unit: busy, and requests to read and to write.");
  m.clock();
  m.in("issue");
  m.in("die");
  m.in("held");
  m.in("alu_valid");
  m.in("go_rd", p);
  m.in("go_wr", q);
  if (several) {
    m.in("writable");
    m.in("issue_reads", p);
    m.in("issue_writes", q);
  }
  m.out("busy");
  m.out("rd_rel", p);
  m.out("req_rel", q);
  if (rtl.halves_end_apart()) m.in("done");
  const std::string written = rtl.halves_end_apart() ? "written" : "done";
  m.out(written);
  if (several) {
    m.flop("reads", p, format("issue ? issue_reads : (reads & ~{})", repeat(p, "done | die")), repeat(p, "1'b0"));
    m.flop("writes", q, format("issue ? issue_writes : (writes & ~{})", repeat(q, "done | die")), repeat(q, "1'b0"));
    m.flop("unread", p, "issue ? issue_reads : (unread & ~go_rd)", repeat(p, "1'b0"));
    m.flop("unwritten", q, "issue ? issue_writes : (unwritten & ~go_wr)", repeat(q, "1'b0"));
    m.wire("loaded", 0, "((|go_rd) & ~|(unread & ~go_rd)) | (issue_1 & ~|unread)");
    m.assign(written, "((|go_wr) & ~|(unwritten & ~go_wr)) | (alu_valid & busy & ~held & writable & ~|writes)");
  } else {
    m.wire("loaded", 0, "go_rd[0]");
    m.assign(written, "go_wr[0]");
  }
  m.flop("issue_1", 0, "issue", "1'b0");
  m.flop("end_1", 0, "done | die", "1'b0");
  m.flop("loaded_1", 0, "loaded", "1'b0");
  m.flop("read_1", p, "go_rd | " + repeat(p, "die"), repeat(p, "1'b0"));
  m.flop("write_1", q, "go_wr | " + repeat(q, "die"), repeat(q, "1'b0"));
  const std::string reads = several ? repeat(p, "issue_1") + " & reads" : "issue_1";
  const std::string writes = several ? repeat(q, "loaded_1") + " & writes" : "loaded_1";
  storage(m, "opc", 1, "issue_1", "end_1", {"q"});
  storage(m, "src", p, reads, "read_1", {"q"});
  storage(m, "req", q, writes, "write_1", {"q"});
  m.assign("busy", "opc_q[0]");
  m.assign("rd_rel", "src_q & " + repeat(p, "busy"));
  m.assign("req_rel", "req_q & " + repeat(q, "alu_valid & busy & ~held"));
  return m.end();
}

}  // namespace mobula::scoreboard
