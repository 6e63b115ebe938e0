#include "scoreboard/core/units.h"

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

}  // namespace

Vcd::Vcd(const Config& config, TimelineOutput output) : output_(std::move(output)) {
  const std::uint32_t units = config.units();
  for (const char* name :
       {"issue", "busy", "rd_rel", "readable", "go_rd", "req_rel", "writable", "go_wr", "shadown", "go_die"})
    wires_.push_back({.name = name, .width = units});
  for (const char* name : {"qlen", "virtual_rows"}) wires_.push_back({.name = name, .width = 32});
  for (std::uint32_t unit = 0; unit < units; ++unit)
    for (const char* matrix : {"wait_write_", "wait_read_", "shadow_"})
      wires_.push_back({.name = matrix + std::to_string(unit), .width = units});
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
  for (std::uint32_t unit = 0; wire < wires_.size(); ++unit) {
    change(wire++, view.waits_for_write(unit));
    change(wire++, view.waits_for_read(unit));
    change(wire++, view.held_by(unit));
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
