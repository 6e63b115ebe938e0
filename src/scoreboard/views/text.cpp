// What a run looks like as text.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "core/counted.h"
#include "scoreboard/core/lanes.h"
#include "scoreboard/core/units.h"
#include "scoreboard/views/rows.h"

namespace mobula::scoreboard {
namespace {

std::size_t columns(const Config& config) {
  if (config.virtual_registers.rows != 0)
    return std::size_t{config.virtual_registers.rows} * (config.virtual_registers.per_file ? 26 : 1);
  std::size_t registers = 0;
  for (const RegisterFile& file : config.files) registers += std::max(file.count, file.physical);
  return registers;
}

/// Bits say enough where a column is a register and there are few.
bool as_bits(const Config& config) {
  return columns(config) <= 32 && config.lanes == Lanes::lock && config.virtual_registers.rows == 0;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ",") + word;
  return text.empty() ? "-" : text;
}

std::string lane_words(const std::vector<std::string>& names, std::uint16_t lanes) {
  std::string text;
  for (std::size_t i = names.size(); i-- != 0;)
    if ((lanes >> i & 1) != 0) text += (text.empty() ? "" : "+") + names[i];
  return text;
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? "0.0" : fmt::format("{:.1f}", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

/// "mean 1.50, most 4" of clocks by number of entries.
std::string distribution(const std::vector<std::uint64_t>& clocks) {
  std::uint64_t sum = 0, weighted = 0, most = 0;
  for (std::size_t i = 0; i < clocks.size(); ++i) {
    sum += clocks[i];
    weighted += i * clocks[i];
    if (clocks[i] != 0) most = i;
  }
  return fmt::format("mean {:.2f}, most {} of {}",
                     sum == 0 ? 0.0 : static_cast<double>(weighted) / static_cast<double>(sum), most,
                     clocks.size() - 1);
}

}  // namespace

std::string bits(Units set, std::uint32_t width) {
  std::string text(width, '0');
  for (std::uint32_t i = 0; i < width; ++i)
    if (has(set, i)) text[width - 1 - i] = '1';
  return text;
}

std::string bits(std::span<const std::uint16_t> columns) {
  std::string text(columns.size(), '0');
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i] != 0) text[columns.size() - 1 - i] = '1';
  return text;
}

std::vector<std::string> pending_registers(const Config& config, const View& view,
                                           std::span<const std::uint16_t> columns) {
  const std::vector<std::string> names = column_names(config.lanes);
  std::vector<std::string> words;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] == 0) continue;
    words.push_back(view.column_in_clock(i));
    if (names.size() > 1) words.back() += ':' + lane_words(names, columns[i]);
  }
  return words;
}

std::vector<std::pair<std::string, std::string>> virtual_rows(const Config& config, const View& view) {
  std::vector<std::pair<std::string, std::string>> rows;
  if (config.virtual_registers.rows == 0) return rows;
  for (std::size_t row = 0; row < view.pending_reads().size(); ++row)
    if (std::string reg = view.column_in_clock(row); reg != "-")
      rows.emplace_back(row_name(config, row), std::move(reg));
  return rows;
}

std::string signals_header(const Config& config) {
  const std::size_t width = std::max<std::size_t>(config.units(), 5), wide = columns(config);
  std::string text = "     clk";
  for (const char* name : {"issue", "busy", "rdrel", "rdabl", "go_rd", "rqrel", "wrabl", "go_wr", "shadn", "die"})
    text += fmt::format(" {:<{}}", name, width);
  const std::size_t column_width = as_bits(config) ? std::max<std::size_t>(wide, 4) : 4;
  return text + fmt::format(" qlen {:<{}} {}\n", "g_rd", column_width, "g_wr");
}

std::string signals_line(const Config& config, const View& view) {
  const Signals& now = view.signals();
  const std::size_t width = std::max<std::size_t>(config.units(), 5);
  std::string text = fmt::format("{:8}", now.clock);
  for (const Units set : {now.issue, now.busy, now.rd_rel, now.readable, now.go_rd, now.req_rel, now.writable,
                          now.go_wr, now.shadown, now.die})
    text += fmt::format(" {:<{}}", bits(set, config.units()), width);
  const auto pending = [&](std::span<const std::uint16_t> columns) {
    return as_bits(config) ? fmt::format("{:<4}", bits(columns)) : joined(pending_registers(config, view, columns));
  };
  return text + fmt::format(" {:4} {} {}\n", now.queue, pending(view.pending_reads()), pending(view.pending_writes()));
}

std::string matrices(const Config& config, const View& view) {
  const std::vector<std::string> names = column_names(config.lanes);
  const std::uint32_t units = config.units();
  std::string text = fmt::format("clock {}\n", view.signals().clock);
  if (config.virtual_registers.rows != 0) {
    std::vector<std::string> rows;
    for (const auto& [row, reg] : virtual_rows(config, view)) rows.push_back(fmt::format("{}={}", row, reg));
    text += fmt::format("  virtual registers  {}\n", joined(rows));
  }
  text += "  unit  operation  reads / writes still to come (FU-Reg)\n";
  std::string waits = fmt::format("  unit  {:<{}} {:<{}} {} (FU-FU, highest unit first)\n", "waits for write",
                                  std::max(units, 15u), "waits for read", std::max(units, 15u), "held by shadow");
  for (std::uint32_t unit = 0; unit < units; ++unit) {
    if (view.operation(unit) == no_operation) continue;
    std::vector<std::string> reads, writes;
    for (std::size_t i = 0; i < view.pending_reads().size(); ++i) {
      const auto add = [&](std::vector<std::string>& words, std::uint16_t lanes) {
        if (lanes == 0) return;
        words.push_back(view.column(i));
        if (names.size() > 1) words.back() += ':' + lane_words(names, lanes);
      };
      add(reads, view.source_lanes(unit, i));
      add(writes, view.destination_lanes(unit, i));
    }
    text += fmt::format("  {:4}  {:9}  {} / {}\n", unit, view.operation(unit), joined(reads), joined(writes));
    waits +=
        fmt::format("  {:4}  {:<{}} {:<{}} {}\n", unit, bits(view.waits_for_write(unit), units), std::max(units, 15u),
                    bits(view.waits_for_read(unit), units), std::max(units, 15u), bits(view.held_by(unit), units));
  }
  return text + waits;
}

std::string table(const Workload& workload, const RunResult& result) {
  std::string text = "   issue     read  execute    write  unit  operation\n";
  const auto clock = [](std::uint32_t value) { return value == 0 ? std::string("-") : std::to_string(value); };
  for (std::size_t i = 0; i < workload.operations.size(); ++i) {
    const Times& times = result.times[i];
    text +=
        fmt::format("{:>8} {:>8} {:>8} {:>8}  {:>4}  {}{}\n", clock(times.issue), clock(times.read),
                    clock(times.complete), clock(times.write), times.issue == 0 ? "-" : std::to_string(times.unit),
                    print(workload.operations[i]), times.kill != 0 ? fmt::format("  killed at {}", times.kill) : "");
  }
  return text;
}

std::vector<RegisterValue> results(const Workload& workload, const RunResult& result) {
  std::set<std::pair<std::uint8_t, std::uint16_t>> given;
  for (const RegisterValue& reg : workload.registers) given.emplace(reg.which.file, reg.which.number);
  for (const Operation& op : workload.operations)
    for (const RegisterBytes& operand : op.destinations)
      for (std::uint16_t i = 0; operand.used() && i < (operand.bytes == RegisterBytes::quad ? 2 : 1); ++i)
        given.emplace(operand.file, static_cast<std::uint16_t>(operand.number + i));
  std::vector<RegisterValue> values;
  for (const RegisterValue& reg : result.registers)
    if (given.contains({reg.which.file, reg.which.number})) values.push_back(reg);
  return values;
}

std::string registers_text(const Workload& workload, const RunResult& result) {
  std::string text;
  std::uint8_t file = 255;
  for (const RegisterValue& reg : results(workload, result)) {
    text += reg.which.file == file ? " " : text.empty() ? "" : "\n";
    text += print(reg.which) + "=" + std::to_string(reg.value);
    file = reg.which.file;
  }
  return text.empty() ? "no register is written\n" : text + "\n";
}

std::string report(const Config& config, const Workload& workload, const RunResult& result) {
  std::string text = fmt::format("{} on {}: {}, {}, {:.3f} operations a clock\n", workload.name, config.name,
                                 counted(result.executed, "operation"), counted(result.clocks, "clock"), result.ipc());
  if (result.killed != 0 || result.skipped != 0)
    text += fmt::format("{} killed, {} on the path not taken and never issued\n", result.killed, result.skipped);
  if (result.trapped != no_operation)
    text += fmt::format("operation {} trapped; everything before it is done, nothing after it\n",
                        workload.operations[result.trapped].id);
  if (result.mixed_widths != 0)
    text += counted(result.mixed_widths, "operand is", "operands are") + " wider or narrower than the operation\n";
  text += "\nissue stage, one cause a clock\n";
  for (std::size_t i = 0; i < cause_count; ++i)
    if (result.causes[i] != 0)
      text += fmt::format("  {:<14} {:>10} {:>6} %\n", name(static_cast<Cause>(i)), result.causes[i],
                          percent(result.causes[i], result.clocks));
  text += "\nbusy units\n";
  for (std::size_t g = 0; g < config.groups.size(); ++g)
    text += fmt::format("  {:<14} {}\n", config.groups[g].name, distribution(result.busy_units[g]));
  text += fmt::format("  {:<14} {}\n", "queue", distribution(result.queue_entries));
  if (!result.virtual_rows.empty())
    text += fmt::format("  {:<14} {}\n", "virtual rows", distribution(result.virtual_rows));
  std::string conflicts;
  for (const auto& [what, times] : {std::pair<const char*, std::uint64_t>{"read grant", result.conflicts.read_grant},
                                    {"write grant", result.conflicts.write_grant},
                                    {"read bank", result.conflicts.read_bank},
                                    {"write bank", result.conflicts.write_bank},
                                    {"lane mux", result.conflicts.lane_mux},
                                    {"byte crossbar", result.conflicts.byte_crossbar},
                                    {"shared ALU", result.conflicts.alu},
                                    {"memory order", result.conflicts.memory}})
    if (times != 0) conflicts += fmt::format("  {:<14} {:>10}\n", what, times);
  return text + (conflicts.empty() ? "" : "\nrequests put off, by what was taken\n" + conflicts);
}

}  // namespace mobula::scoreboard
