// Verilog-2005 text, module by module (§10.1): plain numbers, one rising-edge clock, synchronous reset, no arrays.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mobula/scoreboard/hardware.h"

namespace mobula::scoreboard {

using Connections = std::vector<std::pair<std::string, std::string>>;  // port, expression

/// "[7:0] ", also for one bit; nothing for width 0, a scalar.
std::string range(std::uint64_t width);
/// "4'd11"
std::string number(std::uint64_t width, Units value);
/// "{8{x}}"
std::string repeat(std::uint64_t times, const std::string& what);
/// "a | b | c"; `none` if there is nothing to join.
std::string join(const std::vector<std::string>& terms, std::string_view separator, const std::string& none);

class ModuleText {
 public:
  ModuleText(std::string name, std::string comment) : name_(std::move(name)), comment_(std::move(comment)) {}

  void in(const std::string& name, std::uint64_t width = 0) { port("input ", name, width); }
  void out(const std::string& name, std::uint64_t width = 0) { port("output", name, width); }
  void clock() {
    in("clk");
    in("rst");
  }
  void wire(const std::string& name, std::uint64_t width) { line("wire " + range(width) + name + ';'); }
  void wire(const std::string& name, std::uint64_t width, const std::string& value) {
    line("wire " + range(width) + name + " = " + value + ';');
  }
  void assign(const std::string& name, const std::string& value) { line("assign " + name + " = " + value + ';'); }
  /// A register that takes `next` at each edge, and `reset` when rst is 1.
  void flop(const std::string& name, std::uint64_t width, const std::string& next, const std::string& reset);
  void instance(const std::string& module, const std::string& name, const Connections& connections);
  void line(const std::string& text) { body_ += "  " + text + '\n'; }
  void space() { body_ += '\n'; }
  [[nodiscard]] Module end() const;

 private:
  void port(const char* direction, const std::string& name, std::uint64_t width) {
    ports_.push_back(std::string(direction) + " wire " + range(width) + name);
  }

  std::string name_, comment_;
  std::vector<std::string> ports_;
  std::string body_;
};

}  // namespace mobula::scoreboard
