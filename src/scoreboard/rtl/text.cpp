#include "scoreboard/rtl/text.h"

namespace mobula::scoreboard {

std::string range(std::uint64_t width) { return width == 0 ? "" : '[' + std::to_string(width - 1) + ":0] "; }

std::string number(std::uint64_t width, Units value) {
  if (value >> 64 == 0) return std::to_string(width) + "'d" + std::to_string(static_cast<std::uint64_t>(value));
  std::string digits;
  for (Units rest = value; rest != 0; rest >>= 4) digits.insert(digits.begin(), "0123456789abcdef"[rest & 15]);
  return std::to_string(width) + "'h" + digits;
}

std::string repeat(std::uint64_t times, const std::string& what) {
  return '{' + std::to_string(times) + '{' + what + "}}";
}

std::string join(const std::vector<std::string>& terms, std::string_view separator, const std::string& none) {
  if (terms.empty()) return none;
  std::string text = terms.front();
  for (std::size_t i = 1; i < terms.size(); ++i) text.append(separator).append(terms[i]);
  return text;
}

void ModuleText::flop(const std::string& name, std::uint64_t width, const std::string& next, const std::string& reset) {
  line("reg " + range(width) + name + ';');
  line("always @(posedge clk)");
  line("  if (rst) " + name + " <= " + reset + ';');
  line("  else " + name + " <= " + next + ';');
}

void ModuleText::instance(const std::string& module, const std::string& name, const Connections& connections) {
  std::string text = module + ' ' + name + " (";
  for (std::size_t i = 0; i < connections.size(); ++i) {
    text += i == 0 ? "" : ", ";
    text += '.' + connections[i].first + '(' + connections[i].second + ')';
  }
  line(text + ");");
}

Module ModuleText::end() const {
  std::string text = "// " + comment_ + "\nmodule " + name_ + " (\n";
  for (std::size_t i = 0; i < ports_.size(); ++i) text += "  " + ports_[i] + (i + 1 < ports_.size() ? ",\n" : "\n");
  return {name_, text + ");\n" + body_ + "endmodule\n"};
}

}  // namespace mobula::scoreboard
