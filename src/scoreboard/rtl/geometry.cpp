#include "scoreboard/rtl/geometry.h"

#include <algorithm>
#include <bit>

#include "scoreboard/core/lanes.h"

namespace mobula::scoreboard {
namespace {

bool takes(const Group& group, UnitClass wanted) {
  return std::ranges::count(group.classes, wanted) != 0 || std::ranges::count(group.functions, wanted, class_of) != 0;
}

/// Columns that operands of this width set, wherever in the register they lie.
std::uint16_t lanes_of_width(Lanes lanes, std::uint32_t width, std::uint32_t register_bytes) {
  std::uint16_t all = 0;
  width = std::min(width, register_bytes);
  for (std::uint32_t first = 0; first + width <= register_bytes; first += width)
    all = static_cast<std::uint16_t>(all | columns_of(lanes, first, width));
  return all;
}

}  // namespace

std::uint32_t Geometry::sources() const { return std::min<std::uint32_t>(hardware.sources + merges, max_sources); }

std::uint64_t Geometry::columns(std::uint16_t of_lanes) const {
  return std::uint64_t{rows} * static_cast<std::uint32_t>(std::popcount(of_lanes));
}

std::uint32_t Geometry::rows_with(std::uint32_t lane) const {
  std::uint32_t count = 0;
  for (const GroupGeometry& group : groups)
    if ((group.lanes >> lane & 1) != 0) count += group.units;
  return count;
}

Result<Geometry> geometry(const Config& config, const Hardware& hardware) {
  const auto out_of_range = [](const char* what, std::uint32_t found, std::size_t most) {
    return fail("SB401", "units with " + std::to_string(found) + ' ' + what,
                "1 to " + std::to_string(most) + ' ' + what);
  };
  if (hardware.sources < 1 || hardware.sources > max_sources)
    return out_of_range("sources", hardware.sources, max_sources);
  if (hardware.destinations < 1 || hardware.destinations > max_destinations)
    return out_of_range("destinations", hardware.destinations, max_destinations);

  Geometry g;
  g.hardware = hardware;
  std::uint32_t register_bytes = 1;
  for (const RegisterFile& file : config.files) {
    g.registers += file.count;
    register_bytes = std::max(register_bytes, file.bytes);
  }
  std::uint32_t physical = 0;
  for (const RegisterFile& file : config.files) physical += file.physical;
  const std::uint32_t virtual_rows = config.virtual_registers.rows;
  if (virtual_rows != 0 && !config.virtual_registers.per_file)
    g.tables.push_back({"IR table", 0, virtual_rows, 0, g.registers});
  if (virtual_rows != 0 && config.virtual_registers.per_file) {
    std::uint32_t first_register = 0;
    for (const RegisterFile& file : config.files) {
      const auto first_row = static_cast<std::uint32_t>(g.tables.size()) * virtual_rows;
      g.tables.push_back({std::string("IR table ") + file.letter, first_row, virtual_rows, first_register, file.count});
      first_register += file.count;
    }
  }
  g.rows = virtual_rows == 0 ? g.registers : virtual_rows * static_cast<std::uint32_t>(g.tables.size());
  if (config.waw == Waw::rename) g.rows = physical;
  g.slots = config.issue.width;
  for (const Group& group : config.groups) {
    GroupGeometry rows{
        .first_unit = g.units, .units = group.units, .lanes = 0, .pairs = !group.pairs.empty(), .narrow = false};
    if (rows.pairs) g.parts = 2;
    const auto add_width = [&](std::uint32_t width) {
      rows.narrow |= width < 4;
      if (config.waw == Waw::rename && width < register_bytes) g.merges = hardware.destinations;
      rows.lanes = static_cast<std::uint16_t>(rows.lanes | lanes_of_width(config.lanes, width, register_bytes));
    };
    for (const std::uint32_t width : group.widths) add_width(width);
    g.quads |= std::ranges::count(group.widths, std::uint32_t{RegisterBytes::quad}) != 0;
    for (const std::uint32_t width : group.pairs) add_width(width / 2);
    for (std::uint32_t width = 1; hardware.all_columns && width <= register_bytes; width *= 2) add_width(width);
    g.lanes = static_cast<std::uint16_t>(g.lanes | rows.lanes);
    g.units += group.units;
    if (takes(group, UnitClass::branch)) g.branch_units += group.units;
    if (takes(group, UnitClass::load) || takes(group, UnitClass::store)) g.memory_units += group.units;
    g.groups.push_back(rows);
  }
  if (config.ports.per_operand) {
    g.read_grants = g.sources();
    g.write_grants = hardware.destinations;
  }
  return g;
}

}  // namespace mobula::scoreboard
