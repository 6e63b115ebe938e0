// The generator's entry: all modules of a configuration (§10.1).
#include "scoreboard/rtl/rtl.h"

#include <algorithm>
#include <set>

#include "scoreboard/core/lanes.h"

namespace mobula::scoreboard {
namespace {

/// Widths of the storage primitives that the modules name.
std::set<std::uint64_t> storage_widths(const std::vector<Module>& modules) {
  std::set<std::uint64_t> widths;
  const std::string mark = "  sb_sr_";
  for (const Module& module : modules)
    for (std::size_t at = module.text.find(mark); at != std::string::npos; at = module.text.find(mark, at + 1))
      widths.insert(std::stoull(module.text.substr(at + mark.size())));
  return widths;
}

}  // namespace

Result<Rtl> make_rtl(const Config& config, const Hardware& hardware) {
  const Result<Geometry> shape = geometry(config, hardware);
  if (!shape) return fail(shape.error());
  Rtl rtl{config, *shape, {}};
  for (std::uint32_t lane = 0; lane < column_count(config.lanes); ++lane)
    if ((shape->lanes >> lane & 1) != 0) rtl.lanes.push_back(lane);
  return rtl;
}

Result<std::vector<Module>> verilog(const Config& config, const Hardware& hardware) {
  const Result<Rtl> made = make_rtl(config, hardware);
  if (!made) return fail(made.error());
  const Rtl& rtl = *made;
  std::vector<Module> modules;
  const auto add = [&](std::vector<Module> more) {
    for (Module& module : more) modules.push_back(std::move(module));
  };
  if (rtl.cascade()) modules.push_back(expand_module(rtl));
  modules.push_back(issue_module(rtl));
  if (!rtl.g.tables.empty()) modules.push_back(table_module(rtl));
  if (rtl.renames())
    for (Module& module : renaming_modules(rtl)) modules.push_back(std::move(module));
  for (std::size_t i = 0; i < rtl.g.groups.size(); ++i) add(fureg_modules(rtl, i));
  add(fufu_modules(rtl));
  modules.push_back(pick_module(rtl, true));
  modules.push_back(pick_module(rtl, false));
  add(shadow_modules(rtl));
  if (rtl.kills()) modules.push_back(speculation_module(rtl));
  if (rtl.orders_memory()) modules.push_back(memory_module(rtl));
  if (rtl.drops_overwritten()) modules.push_back(overwritten_module(rtl));
  modules.push_back(unit_module(rtl));
  modules.push_back(top_module(rtl));

  std::vector<Module> all;
  for (const std::uint64_t width : storage_widths(modules)) all.push_back(sr_module(width));
  for (Module& module : modules) all.push_back(std::move(module));
  return all;
}

}  // namespace mobula::scoreboard
