// Shadows of branches and traps, kills (§2.9, §7), the order of loads and stores (§2.13), and writes that come after a
// younger one to the same bytes (§7.3).
#include <fmt/format.h>

#include "scoreboard/rtl/rtl.h"

namespace mobula::scoreboard {

using fmt::format;

Module speculation_module(const Rtl& rtl) {
  const std::uint64_t f = rtl.g.units;
  ModuleText m("sb_speculation", "Branch and trap shadows, and who dies.");
  if (rtl.speculates()) m.clock();
  if (rtl.traps() || rtl.kills_by_branch()) m.in("busy", f);
  if (rtl.speculates()) m.in("done", f);
  for (const std::string& set : rtl.line_sets()) {
    if (!rtl.speculates()) break;
    m.in("issue_" + set, f);
    m.in("older_" + set, f);
  }
  for (std::uint32_t s = 0; s < rtl.g.slots; ++s) {
    if (rtl.branches())
      for (const char* flag : {"branch", "predicted", "conditional", "path"}) m.in(format("op{}_{}", s, flag));
    if (rtl.config.trap_shadows) m.in(format("op{}_trap", s));
    if (rtl.renames() && rtl.speculates()) m.in(format("op{}_outside", s));
  }
  if (rtl.traps()) {
    m.in("alu_valid", f);
    m.in("alu_trap", f);
    m.in("oldest", f);
  }
  if (rtl.branches()) m.in("alu_ok", f);
  if (rtl.speculates()) {
    m.out("held", f);
    m.out("shadow", f);
  }
  m.out("die", f);
  m.out("blocked", rtl.g.slots);

  /// Units whose operation has a flag, from its issue until it ends, and those of each slot and before.
  const auto flagged = [&](const std::string& name, const std::string& flag, const std::string& cleared) {
    std::vector<std::string> sets;
    for (std::uint32_t s = 0; s < rtl.g.slots; ++s)
      sets.push_back(format("(issue_{}_0 & {})", s, repeat(f, format("op{}_{}", s, flag))));
    m.wire("all_" + name, f, name + " | " + join(sets, " | ", ""));
    m.flop(name, f, format("all_{} & ~({})", name, cleared), repeat(f, "1'b0"));
  };
  std::vector<std::string> deaths, blocked(rtl.g.slots);
  std::vector<std::string> safe, holding;
  if (rtl.branches()) {
    flagged("branches", "branch", "done | die");
    flagged("predicted", "predicted", "done | die");
    safe.emplace_back("(done & branches)");
    holding.emplace_back("all_predicted");
  }
  if (rtl.config.trap_shadows) {
    flagged("traps", "trap", "safe | done | die");
    safe.emplace_back("(alu_valid & traps & ~alu_trap)");
    holding.emplace_back("all_traps");
  }
  if (rtl.speculates()) m.wire("safe", f, join(safe, " | ", ""));

  Connections hold{{"clk", "clk"}, {"rst", "rst"}, {"die", "die"}, {"release_column", "safe | die"}};
  Connections own{{"clk", "clk"}, {"rst", "rst"}, {"die", "die"}, {"release_column", "done | die"}};
  if (rtl.branches()) m.wire("last_0", f, "last_branch");
  for (std::uint32_t s = 0; s < rtl.g.slots; ++s) {
    std::string wait = "1'b0";
    if (rtl.kills_by_branch()) {
      // The last branch before this slot is the one its operation depends on. Of a group, whose operations issue
      // together or not at all, it is looked for as if those before were issued, so that nothing goes in a circle.
      std::string before = format("last_{}", s);
      for (std::uint32_t slot = 0; rtl.config.issue.together && slot < s; ++slot)
        before = format("(op{0}_branch ? issue_{0}_0 : {1})", slot, slot == 0 ? "last_0" : before);
      m.wire(format("own_{}", s), f, format("{} & {}", repeat(f, format("op{}_conditional", s)), before));
      m.wire(format("wrong_{}", s), f, format("done & branches & (alu_ok ^ {})", repeat(f, format("op{}_path", s))));
      m.wire(format("last_{}", s + 1), f, format("(op{0}_branch & (|issue_{0}_0)) ? issue_{0}_0 : last_{0}", s));
      wait = format("|(own_{0} & wrong_{0})", s);
    } else if (rtl.branches()) {
      // With renaming it is issued once the branch is done, and then only on the way that this took.
      std::vector<std::string> before;
      for (std::uint32_t slot = 0; slot < s; ++slot) before.push_back(format("op{}_branch", slot));
      m.wire(format("last_{}", s + 1), f, format("(op{0}_branch & (|issue_{0}_0)) ? issue_{0}_0 : last_{0}", s));
      wait = format("op{0}_conditional & ({1} | (|(last_0 & (~done | (alu_ok ^ {2})))))", s,
                    join(before, " | ", "1'b0"), repeat(f, format("op{}_path", s)));
    }
    blocked[rtl.g.slots - 1 - s] = wait;
    if (rtl.traps()) blocked[rtl.g.slots - 1 - s] = '(' + blocked[rtl.g.slots - 1 - s] + ") | trapped";
    for (std::uint32_t part = 0; rtl.speculates() && part < rtl.g.parts; ++part) {
      const std::string set = format("{}_{}", s, part);
      hold.emplace_back("issue_" + set, "issue_" + set);
      own.emplace_back("issue_" + set, "issue_" + set);
      const std::string open = format("older_{} & ~done", set);
      // What goes to a physical register that nobody else has can be given up.
      const std::string held = rtl.renames() ? repeat(f, format("op{}_outside", s)) + " & " : "";
      hold.emplace_back("hold_" + set,
                        format("{}{} & (({} & ~safe){})", held, open, '(' + join(holding, " | ", "") + ')',
                               rtl.kills_by_branch() ? format(" | own_{}", s) : ""));
      own.emplace_back("hold_" + set, format("{} & own_{}", open, s));
    }
  }
  if (rtl.speculates()) {
    hold.emplace_back("held", "held");
    hold.emplace_back("shadow", "shadow");
    for (std::uint32_t u = 0; u < f; ++u) {
      m.wire(format("unused_held_by_{}", u), f);
      hold.emplace_back(format("held_by_{}", u), format("unused_held_by_{}", u));
    }
    m.instance("sb_shadow", "speculation", hold);
  }
  if (rtl.branches()) m.flop("last_branch", f, format("last_{} & ~(done | die)", rtl.g.slots), repeat(f, "1'b0"));
  if (rtl.kills_by_branch()) {
    std::vector<std::string> paths;
    std::vector<std::string> conditional;
    for (std::uint32_t s = 0; s < rtl.g.slots; ++s)
      for (std::uint32_t part = 0; part < rtl.g.parts; ++part) {
        paths.push_back(format("(issue_{}_{} & {})", s, part, repeat(f, format("op{}_path", s))));
        conditional.push_back(format("issue_{}_{}", s, part));
      }
    m.flop("path", f, format("(path & ~({})) | {}", join(conditional, " | ", ""), join(paths, " | ", "")),
           repeat(f, "1'b0"));
    m.wire("unused_held", f);
    m.wire("unused_shadow", f);
    own.emplace_back("held", "unused_held");
    own.emplace_back("shadow", "unused_shadow");
    std::vector<std::string> dying;
    for (std::uint32_t u = 0; u < f; ++u) {
      m.wire(format("branch_of_{}", u), f);
      own.emplace_back(format("held_by_{}", u), format("branch_of_{}", u));
    }
    for (std::uint64_t u = f; u-- != 0;)
      dying.push_back(
          format("|(branch_of_{0} & done & branches & (alu_ok ^ {1}))", u, repeat(f, format("path[{}]", u))));
    m.instance("sb_shadow", "branch_of", own);
    m.wire("dying", f, '{' + join(dying, ", ", "") + '}');
    deaths.emplace_back("dying");
  }
  if (rtl.traps()) {
    m.wire("trapped", 0, "|(alu_valid & alu_trap & oldest)");
    deaths.push_back(format("({} & busy)", repeat(f, "trapped")));
  }
  if (deaths.empty())
    m.assign("die", repeat(f, "1'b0"));
  else
    m.assign("die", rtl.traps() ? join(deaths, " | ", "") : join(deaths, " | ", "") + " & busy");
  m.assign("blocked", '{' + join(blocked, ", ", "") + '}');
  return m.end();
}

Module memory_module(const Rtl& rtl) {
  const std::uint64_t f = rtl.g.units;
  ModuleText m("sb_memdep", "Loads wait for older stores to end, stores for older loads to start and stores to end.");
  m.clock();
  m.in("done", f);
  m.in("die", f);
  m.in("alu_start", f);
  for (std::uint32_t s = 0; s < rtl.g.slots; ++s) {
    m.in(format("issue_{}_0", s), f);
    m.in(format("older_{}_0", s), f);
    m.in(format("op{}_load", s));
    m.in(format("op{}_store", s));
  }
  if (rtl.config.memory.match_addresses)
    for (std::uint32_t u = 0; u < f; ++u) m.in(format("mem_differ_{}", u), f);
  m.out("held", f);
  m.out("mem_wait", f);
  const auto kind = [&](const char* name, const char* flag, const char* cleared) {
    std::vector<std::string> sets;
    for (std::uint32_t s = 0; s < rtl.g.slots; ++s)
      sets.push_back(format("(issue_{}_0 & {})", s, repeat(f, format("op{}_{}", s, flag))));
    m.wire(format("all_{}", name), f, format("{} | {}", name, join(sets, " | ", "")));
    m.flop(name, f, format("all_{} & ~({})", name, cleared), repeat(f, "1'b0"));
  };
  kind("loads", "load", "alu_start | done | die");
  kind("stores", "store", "done | die");
  m.wire("left", f, "(done & stores) | (alu_start & loads) | die");
  for (std::uint32_t s = 0; s < rtl.g.slots; ++s) {
    m.wire(format("hold_load_{}", s), f, format("all_stores & older_{}_0 & ~done", s));
    m.wire(format("hold_store_{}", s), f, format("hold_load_{0} | (all_loads & older_{0}_0 & ~alu_start)", s));
  }
  std::vector<std::string> held, wait;
  for (std::uint64_t u = 0; u < f; ++u) {
    std::vector<std::string> sets;
    for (std::uint32_t s = 0; s < rtl.g.slots; ++s)
      sets.push_back(format("({} & hold_load_{}) | ({} & hold_store_{})",
                            repeat(f, format("(issue_{0}_0[{1}] & op{0}_load)", s, u)), s,
                            repeat(f, format("(issue_{0}_0[{1}] & op{0}_store)", s, u)), s));
    const std::string differ = rtl.config.memory.match_addresses ? format(" | mem_differ_{}", u) : "";
    storage(m, format("cell_{}", u), f, join(sets, " | ", ""),
            format("left | {}{}", repeat(f, format("die[{}]", u)), differ), {"qi"});
    held.insert(held.begin(), format("|cell_{}_qi", u));
    wait.insert(wait.begin(),
                differ.empty() ? format("|cell_{}_qi", u) : format("|(cell_{0}_qi & ~mem_differ_{0})", u));
  }
  m.assign("held", "stores & {" + join(held, ", ", "") + '}');
  m.assign("mem_wait", "loads & {" + join(wait, ", ", "") + '}');
  return m.end();
}

Module overwritten_module(const Rtl& rtl) {
  const std::uint64_t f = rtl.g.units, bits = register_bits(rtl);
  ModuleText m("sb_overwritten", "What units write, but for the bytes that a younger one has written.");
  m.clock();
  for (const std::string& set : rtl.line_sets()) m.in("issue_" + set, f);
  for (std::uint32_t s = 0; s < rtl.g.slots; ++s)
    for (std::uint32_t k = 0; k < rtl.destinations(); ++k) {
      m.in(format("op{}_dst{}_reg", s, k), bits);
      if (rtl.quads()) m.in(format("op{}_dst{}_quad", s, k));
      for (std::uint32_t part = 0; part < rtl.g.parts; ++part) m.in(format("op{}_dst{}_bytes_{}", s, k, part), 8);
    }
  for (std::uint32_t k = 0; k < rtl.g.write_grants; ++k) m.in(format("go_wr{}", k), f);
  for (std::uint64_t u = 0; u < f; ++u) m.in(format("older_than_{}", u), f);
  for (std::uint64_t u = 0; u < f; ++u)
    for (std::uint32_t k = 0; k < rtl.destination_registers(); ++k) m.out(format("wr_bytes{}_{}", k, u), 8);

  for (std::uint64_t u = 0; u < f; ++u)
    for (std::uint32_t k = 0; k < rtl.destination_registers(); ++k) {
      const std::uint32_t port = k % rtl.destinations();
      const bool second = k != port;
      std::string reg = format("reg{}_{}", k, u), bytes = format("bytes{}_{}", k, u);
      for (std::uint32_t s = 0; s < rtl.g.slots; ++s)
        for (std::uint32_t part = 0; part < rtl.g.parts; ++part) {
          reg = format("issue_{0}_{1}[{2}] ? op{0}_dst{3}_reg{5} : {4}", s, part, u, port, reg,
                       second ? " + " + number(bits, 1) : "");
          const std::string written =
              second ? repeat(8, format("op{}_dst{}_quad", s, port)) : format("op{}_dst{}_bytes_{}", s, port, part);
          bytes = format("issue_{}_{}[{}] ? {} : {}", s, part, u, written, bytes);
        }
      m.flop(format("reg{}_{}", k, u), bits, reg, repeat(bits, "1'b0"));
      m.flop(format("bytes{}_{}", k, u), 8, bytes, number(8, 0));
      m.wire(format("writes{}_{}", k, u), 8,
             format("{} & bytes{}_{}", repeat(8, format("go_wr{}[{}]", rtl.write_grant(port), u)), k, u));
    }
  for (std::uint64_t u = 0; u < f; ++u) {
    std::vector<std::string> issued;
    for (const std::string& set : rtl.line_sets()) issued.push_back(format("issue_{}[{}]", set, u));
    for (std::uint32_t k = 0; k < rtl.destination_registers(); ++k) {
      std::vector<std::string> late{format("late{}_{}", k, u)};
      for (std::uint64_t younger = 0; younger < f; ++younger)
        for (std::uint32_t other = 0; other < rtl.destination_registers(); ++other)
          late.push_back(
              format("({} & writes{}_{})",
                     repeat(8, format("older_than_{}[{}] & (reg{}_{} == reg{}_{})", younger, u, other, younger, k, u)),
                     other, younger));
      m.wire(format("all_late{}_{}", k, u), 8, join(late, " | ", ""));
      m.flop(format("late{}_{}", k, u), 8, format("all_late{}_{} & ~{}", k, u, repeat(8, join(issued, " | ", ""))),
             number(8, 0));
      m.assign(format("wr_bytes{}_{}", k, u), format("writes{0}_{1} & ~all_late{0}_{1}", k, u));
    }
  }
  return m.end();
}

}  // namespace mobula::scoreboard
