#include <algorithm>
#include <charconv>

#include "scoreboard/core/lanes.h"
#include "scoreboard/core/units.h"
#include "scoreboard/views/rows.h"

namespace mobula::scoreboard {
namespace {

constexpr std::size_t piece = 1u << 16;

/// VCD names wires by printable characters.
std::string code(std::size_t wire) {
  std::string text;
  do text += static_cast<char>('!' + wire % 94);
  while ((wire /= 94) != 0);
  return text;
}

/// "F12" as letter and number; "-" as 0 and 0.
std::pair<std::uint64_t, std::uint64_t> parts_of_register(const std::string& name) {
  if (name == "-") return {0, 0};
  std::uint64_t number = 0;
  std::from_chars(name.data() + 1, name.data() + name.size(), number);
  return {static_cast<unsigned char>(name.front()), number};
}

/// The rows of virtual registers that can ever be in use.
std::vector<std::size_t> usable_rows(const Config& config) {
  const std::size_t height = config.virtual_registers.rows;
  std::vector<std::size_t> rows;
  const auto add_table = [&](std::size_t first) {
    for (std::size_t row = 0; row < height; ++row) rows.push_back(first + row);
  };
  if (!config.virtual_registers.per_file) {
    add_table(0);
    return rows;
  }
  for (const RegisterFile& file : config.files) add_table(static_cast<std::size_t>(file.letter - 'A') * height);
  return rows;
}

}  // namespace

Vcd::Vcd(const Config& config, TimelineOutput output)
    : output_(std::move(output)), units_(config.units()), rows_(usable_rows(config)) {
  for (const char* name :
       {"issue", "busy", "rd_rel", "readable", "go_rd", "req_rel", "writable", "go_wr", "shadown", "go_die"})
    wires_.push_back({.name = name, .width = units_});
  for (const char* name : {"qlen", "virtual_rows"}) wires_.push_back({.name = name, .width = 32});
  for (std::uint32_t unit = 0; unit < units_; ++unit)
    for (const char* matrix : {"wait_write_", "wait_read_", "shadow_"})
      wires_.push_back({.name = matrix + std::to_string(unit), .width = units_});
  for (const std::size_t row : rows_) {
    std::string prefix = "row_" + row_name(config, row);
    std::ranges::replace(prefix, '.', '_');
    wires_.push_back({.name = prefix + "_file", .width = 8});
    wires_.push_back({.name = prefix + "_register", .width = 16});
    for (const char* pending : {"_reads", "_writes"})
      wires_.push_back({.name = prefix + pending, .width = column_count(config.lanes)});
  }
  pending_ = "$version mobula scoreboard $end\n$timescale 1ns $end\n$scope module scoreboard $end\n";
  for (std::size_t i = 0; i < wires_.size(); ++i)
    pending_ += "$var wire " + std::to_string(wires_[i].width) + ' ' + code(i) + ' ' + wires_[i].name + " $end\n";
  pending_ += "$upscope $end\n$enddefinitions $end\n";
}

void Vcd::change(std::size_t wire, Units value) {
  Wire& state = wires_[wire];
  if (state.known && state.last == value) return;
  state.known = true;
  state.last = value;
  pending_ += 'b' + bits(value, state.width) + ' ' + code(wire) + '\n';
}

void Vcd::on(const View& view) {
  const Signals& now = view.signals();
  clock_ = now.clock;
  pending_ += '#' + std::to_string(clock_) + '\n';
  std::size_t wire = 0;
  for (const Units value : {now.issue, now.busy, now.rd_rel, now.readable, now.go_rd, now.req_rel, now.writable,
                            now.go_wr, now.shadown, now.die, Units{now.queue}, Units{now.virtual_rows}})
    change(wire++, value);
  for (std::uint32_t unit = 0; unit < units_; ++unit) {
    change(wire++, view.waits_for_write(unit));
    change(wire++, view.waits_for_read(unit));
    change(wire++, view.held_by(unit));
  }
  for (const std::size_t row : rows_) {
    const auto [letter, number] = parts_of_register(view.column_in_clock(row));
    change(wire++, letter);
    change(wire++, number);
    change(wire++, view.pending_reads()[row]);
    change(wire++, view.pending_writes()[row]);
  }
  if (pending_.size() < piece) return;
  output_(pending_);
  pending_.clear();
}

void Vcd::end() {
  pending_ += '#' + std::to_string(clock_ + 1) + '\n';
  output_(pending_);
  pending_.clear();
}

}  // namespace mobula::scoreboard
