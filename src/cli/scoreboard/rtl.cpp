#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "cli/input/input.h"
#include "cli/process.h"
#include "cli/scoreboard/input.h"
#include "cli/terminal/output.h"
#include "mobula/scoreboard/hardware.h"

namespace mobula::cli {
namespace {

namespace sb = scoreboard;

/// All modules in one file.
std::string joined(const std::vector<sb::Module>& modules) {
  std::string text;
  for (const sb::Module& module : modules) text += (text.empty() ? "" : "\n") + module.text;
  return text;
}

/// A folder gets a file for each module; anything else all of them in one.
void write_modules(const std::string& target, const std::vector<sb::Module>& modules) {
  if (target.ends_with('/') || std::filesystem::is_directory(target)) {
    std::error_code error;
    std::filesystem::create_directories(target, error);
    if (error) throw usage_error("cannot make the folder " + target + ": " + error.message());
    for (const sb::Module& module : modules)
      write_output((std::filesystem::path(target) / (module.name + ".v")).string(), module.text);
    return;
  }
  write_output(target, joined(modules));
}

// ---- Synthesis ----

/// What Yosys counts in one module and all below it.
struct Gates {
  std::uint64_t cells = 0, flip_flops = 0, transistors = 0;
};

/// The number after `label` on the last line that has it.
std::uint64_t number_after(std::string_view text, std::string_view label) {
  const std::size_t at = text.rfind(label);
  if (at == std::string_view::npos) return 0;
  const std::size_t digit = text.find_first_of("0123456789", at + label.size());
  return digit == std::string_view::npos ? 0 : std::strtoull(text.data() + digit, nullptr, 10);
}

/// As the reference measured its figures (§8.2). Flip-flops get their resets as gates: of other kinds Yosys does not
/// know the transistors.
Gates synthesise(const TemporaryFolder& folder, const std::string& module) {
  const std::string log = folder.file(module + ".log");
  run_tool({"yosys", "-p",
            "read_verilog " + folder.file("all.v") + "; synth -flatten -top " + module +
                "; dfflegalize -cell $_DFF_P_ x; abc -g cmos; stat -tech cmos"},
           log, "yosys");
  const std::vector<std::uint8_t> bytes = read_file(log);
  std::string text(as_text(bytes));
  const std::size_t statistics = text.rfind("Printing statistics");
  if (statistics == std::string::npos) throw failed_tool("yosys", "printed no statistics", log);
  text = text.substr(statistics);
  Gates gates{.cells = number_after(text, "Number of cells:"),
              .transistors = number_after(text, "Estimated number of transistors:")};
  // "     $_DFF_P_       32"
  for (std::size_t at = text.find("DFF"); at != std::string::npos; at = text.find("DFF", at + 1)) {
    const std::size_t space = text.find(' ', at);
    if (space != std::string::npos) gates.flip_flops += std::strtoull(text.c_str() + space, nullptr, 10);
  }
  return gates;
}

/// Modules that the formula has figures for, and the top.
Json synthesis(const sb::Cost& cost, const std::vector<sb::Module>& modules) {
  const TemporaryFolder folder;
  write_output(folder.file("all.v"), joined(modules));
  Json rows = Json::array();
  std::vector<sb::Structure> structures = cost.structures;
  structures.push_back(cost.total());
  for (const sb::Structure& structure : structures) {
    if (structure.module.empty()) continue;
    // Some modules are one of several like it.
    const bool each = structure.module == "sb_cu" || structure.module == "sb_expand";
    const Gates gates = synthesise(folder, structure.module);
    const std::uint64_t copies = each ? structure.cells : 1;
    rows.push_back({{"module", structure.module},
                    {"structure", structure.name},
                    {"copies", copies},
                    {"cells", gates.cells * copies},
                    {"flip_flops", gates.flip_flops * copies},
                    {"transistors", gates.transistors * copies},
                    {"formula_transistors", structure.transistors}});
  }
  return rows;
}

std::string synthesis_text(const Json& rows) {
  std::string text = fmt::format("{:<14}{:<26}{:>7}{:>10}{:>12}{:>13}{:>13}{:>8}\n", "module", "structure", "copies",
                                 "cells", "flip-flops", "transistors", "by formula", "ratio");
  for (const Json& row : rows) {
    const auto measured = row["transistors"].get<std::uint64_t>();
    const auto formula = row["formula_transistors"].get<std::uint64_t>();
    text += fmt::format("{:<14}{:<26}{:>7}{:>10}{:>12}{:>13}{:>13}{:>8.2f}\n", row["module"].get<std::string>(),
                        row["structure"].get<std::string>(), row["copies"].get<std::uint64_t>(),
                        row["cells"].get<std::uint64_t>(), row["flip_flops"].get<std::uint64_t>(), measured, formula,
                        formula == 0 ? 0.0 : double(measured) / double(formula));
  }
  return text;
}

// ---- Co-simulation ----

/// The Verilog, built by Verilator, at the other end of a pipe.
class Cosimulation {
 public:
  Cosimulation(const sb::Config& config, const sb::Hardware& hardware)
      : config_(config), hardware_(hardware), build_(value_or_stop(sb::cosim_build(config, hardware), config.name)) {
    write_output(folder_.file("all.v"), joined(build_.modules));
    write_output(folder_.file("main.cpp"), build_.main);
    // A compiler takes minutes for one function of a million characters, seconds for many small ones.
    run_tool({"verilator", "--cc", "--exe", "--build", "-O3", "-Wno-fatal", "-Wno-DECLFILENAME", "--output-split",
              "20000", "--output-split-cfuncs", "1000", "-MAKEFLAGS", "OPT_FAST=-O1 OPT_GLOBAL=-O0", "--top-module",
              "sb_cosim", "--Mdir", folder_.file("build"), folder_.file("all.v"), folder_.file("main.cpp")},
             folder_.file("verilator.log"), "verilator");
    process_.emplace(std::vector<std::string>{folder_.file("build/Vsb_cosim")}, folder_.file("result"), "");
  }

  /// The number of clocks of a workload; nothing more is compared once there was a difference.
  std::uint64_t run(const sb::Workload& workload, const std::string& name) {
    const sb::CosimRun run =
        value_or_stop(sb::cosim_run(config_, hardware_, workload,
                                    [&](std::span<const std::uint32_t> record) {
                                      buffer_.append(reinterpret_cast<const char*>(record.data()), record.size_bytes());
                                      return buffer_.size() < buffer_limit || flush();
                                    }),
                      name);
    if (run.stopped || !flush()) different_ = true;
    if (!different_) measure(workload, name);
    starts_.emplace_back(clocks_, name);
    clocks_ += run.clocks;
    return run.clocks;
  }
  /// Processor time of the simulator alone, and of the Verilog.
  [[nodiscard]] double simulator_seconds() const { return simulator_seconds_; }
  [[nodiscard]] double verilog_seconds() const { return verilog_seconds_; }
  [[nodiscard]] bool different() const { return different_; }
  [[nodiscard]] std::uint64_t clocks() const { return clocks_; }

  /// Waits for the Verilog; throws what differs.
  void finish() {
    const int status = process_->wait();
    const std::vector<std::uint8_t> bytes = read_file(folder_.file("result"));
    const std::string result(as_text(bytes));
    const std::string good = "clocks " + std::to_string(clocks_) + "\nseconds ";
    if (status == 0 && result.starts_with(good)) {
      verilog_seconds_ = std::strtod(result.c_str() + good.size(), nullptr);
      return;
    }
    if (!result.starts_with("difference "))
      throw failed_tool("sb_cosim", "ended with status " + std::to_string(status), folder_.file("result"));
    throw Stop{Exit::negative, {difference(result)}};
  }

 private:
  static constexpr std::size_t buffer_limit = 1 << 16;
  /// The same workload once more, with no observer.
  void measure(const sb::Workload& workload, const std::string& name) {
    const std::clock_t start = std::clock();
    value_or_stop(sb::run(config_, workload), name);
    simulator_seconds_ += double(std::clock() - start) / CLOCKS_PER_SEC;
  }
  bool flush() {
    const bool taken = process_->feed(buffer_);
    buffer_.clear();
    return taken;
  }

  static std::string bits(const std::vector<std::uint32_t>& words, const sb::CosimSignal& signal) {
    std::string text;
    for (std::uint64_t i = signal.first + signal.width; i-- != signal.first;)
      text += (words[i / 32] >> (i % 32) & 1) != 0 ? '1' : '0';
    return text;
  }

  [[nodiscard]] Diagnostic difference(const std::string& result) const {
    std::istringstream lines(result);
    std::string word;
    std::uint64_t clock = 0;
    lines >> word >> clock >> word;
    std::vector<std::uint32_t> expected(build_.out_words), found(build_.out_words);
    for (std::uint32_t& each : expected) lines >> std::hex >> each;
    lines >> word;
    for (std::uint32_t& each : found) lines >> std::hex >> each;
    std::string name;
    for (const auto& [start, workload] : starts_)
      if (start <= clock) {
        name = workload;
        word = std::to_string(clock - start + 1);
      }
    std::string differences;
    for (const sb::CosimSignal& signal : build_.out)
      if (bits(expected, signal) != bits(found, signal))
        differences += (differences.empty() ? "" : "\n") + signal.name + ": simulator " + bits(expected, signal) +
                       ", Verilog " + bits(found, signal);
    return {Severity::error,
            "SB410",
            {.file = name},
            "the Verilog differs from the simulator in clock " + word,
            differences};
  }

  const sb::Config& config_;
  const sb::Hardware& hardware_;
  sb::CosimBuild build_;
  TemporaryFolder folder_;
  std::optional<Process> process_;
  std::string buffer_;
  std::vector<std::pair<std::uint64_t, std::string>> starts_;
  std::uint64_t clocks_ = 0;
  bool different_ = false;
  double simulator_seconds_ = 0, verilog_seconds_ = 0;
};

Json cosimulate(const ScoreboardRtlOptions& options, const sb::Config& config, const sb::Hardware& hardware) {
  std::vector<sb::Workload> programs;  // what is wrong with them is told before Verilator takes its minutes
  for (const std::string& program : options.programs) programs.push_back(load_workload(program));
  Cosimulation cosimulation(config, hardware);
  std::uint64_t workloads = 0;
  for (std::size_t i = 0; i < programs.size() && !cosimulation.different(); ++i, ++workloads)
    cosimulation.run(programs[i], options.programs[i]);
  std::uint64_t seed = options.seed;
  while (options.programs.empty() && cosimulation.clocks() < options.clocks && !cosimulation.different()) {
    cosimulation.run(sb::cosim_workload(config, hardware, options.operations, seed), "seed " + std::to_string(seed));
    ++seed;
    ++workloads;
  }
  cosimulation.finish();
  const auto rate = [&](double seconds) { return std::round(double(cosimulation.clocks()) / std::max(seconds, 1e-6)); };
  return {{"workloads", workloads},
          {"clocks", cosimulation.clocks()},
          {"differences", 0},
          {"simulator_clocks_per_second", rate(cosimulation.simulator_seconds())},
          {"verilog_clocks_per_second", rate(cosimulation.verilog_seconds())}};
}

}  // namespace

Exit scoreboard_rtl(const ScoreboardRtlOptions& options) {
  const sb::Config config = load_config(options.hardware.preset, options.hardware.config);
  const sb::Hardware hardware = hardware_of(options.hardware);
  const std::vector<sb::Module> modules = value_or_stop(sb::verilog(config, hardware), config.name);
  if (!options.synth && !options.cosim) {
    if (!options.output.json) {
      write_modules(options.output.file, modules);
      return Exit::done;
    }
    Json files = Json::array();
    for (const sb::Module& module : modules) files.push_back({{"module", module.name}, {"text", module.text}});
    write_output(options.output.file,
                 envelope("scoreboard-rtl", nullptr, {{"config", config.name}, {"modules", std::move(files)}}));
    return Exit::done;
  }
  Json result{{"config", config.name}};
  std::string text;
  if (options.synth) {
    result["synthesis"] = synthesis(value_or_stop(sb::cost(config, hardware), config.name), modules);
    text = synthesis_text(result["synthesis"]);
  }
  if (options.cosim) {
    result["cosimulation"] = cosimulate(options, config, hardware);
    const Json& done = result["cosimulation"];
    const auto simulator = done["simulator_clocks_per_second"].get<double>();
    const auto verilog = done["verilog_clocks_per_second"].get<double>();
    text += fmt::format("{}: {} clocks of {} workloads, the Verilog and the simulator do not differ\n", config.name,
                        done["clocks"].get<std::uint64_t>(), done["workloads"].get<std::uint64_t>());
    text += fmt::format("simulator {:.0f} clocks/s, Verilog {:.0f} clocks/s, {:.1f} times\n", simulator, verilog,
                        simulator / verilog);
  }
  write_output(options.output.file,
               options.output.json ? envelope("scoreboard-rtl", nullptr, std::move(result)) : text);
  return Exit::done;
}

}  // namespace mobula::cli
