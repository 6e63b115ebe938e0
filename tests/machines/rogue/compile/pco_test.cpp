// The same operations, compiled here and by Mesa's compiler for Rogue, pco: never more groups than it makes.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "compile/attempt.h"
#include "machines/rogue/spec/codec.h"
#include "machines/rogue/spec/registers.h"
#include "paths.h"

namespace mobula::test {
namespace {

std::string as_bits(std::uint32_t bits) { return "uintBitsToFloat(" + std::to_string(bits) + "u)"; }

/// A program of pco's, before its passes, as GLSL of the same operations.
class AsGlsl {
 public:
  explicit AsGlsl(std::istream& text) {
    const std::regex line(R"( +\d+: ([a-z0-9.]+) ([^;]*);)");
    for (std::string read; std::getline(text, read) && !read.starts_with("shader ir after");)
      if (std::smatch parts; std::regex_match(read, parts, line)) add(parts[1], operands(parts[2]));
  }

  [[nodiscard]] std::string text() const {
    std::string all = "#version 320 es\nprecision highp float;\n";
    for (const auto& [name, declaration] : declarations_) all += declaration + ";\n";
    return all + "void main() {\n" + statements_ + "}\n";
  }
  /// Operations that GLSL has no word for, and their results' readers read their operands instead.
  [[nodiscard]] std::size_t left_out() const { return left_out_; }

 private:
  static std::vector<std::string> operands(const std::string& list) {
    const std::regex comma(", ");
    return {std::sregex_token_iterator(list.begin(), list.end(), comma, -1), std::sregex_token_iterator()};
  }

  void add(const std::string& operation, const std::vector<std::string>& of) {
    const std::string name = operation.substr(0, operation.find('.'));
    const auto has = [&](std::string_view modifier) { return operation.find(modifier) != std::string::npos; };
    std::string value;
    if (name == "fitrp")
      return iterate(of[0], std::stoul(of[4], nullptr, 16),
                     has(".centroid") ? "centroid "
                     : has(".sample") ? "sample "
                                      : "",
                     has(".sat"));
    if (name == "uvsw") return put_out(of[0], std::stoul(of[1], nullptr, 16));
    if (name == "comp")
      value = widths_.at(of[1]) == 1 ? source(of[1]) : source(of[1]) + '.' + "xyzw"[std::stoul(of[2], nullptr, 16)];
    else if (name == "movi32")
      value = as_bits(static_cast<std::uint32_t>(std::stoul(of[1])));
    else if (name == "mov" || name == "pck")
      value = source(of[1]);
    else if (name == "fadd" || name == "fmul")
      value = source(of[1]) + (name == "fadd" ? " + " : " * ") + source(of[2]);
    else if (name == "fmad")
      value = source(of[1]) + " * " + source(of[2]) + " + " + source(of[3]);
    else if (name == "neg" || name == "abs" || name == "flr")
      value = (name == "neg" ? "-(" : name == "abs" ? "abs(" : "floor(") + source(of[1]) + ')';
    else
      throw std::invalid_argument(operation);
    if (name == "pck") ++left_out_;
    set(of[0], 1, has(".sat") ? "clamp(" + value + ", 0.0, 1.0)" : value);
  }

  void iterate(const std::string& result, std::size_t width, const std::string& qualifier, bool saturates) {
    const std::string input = 'v' + result.substr(1);
    declarations_[input] = qualifier + "in " + type(width) + ' ' + input;
    set(result, width, saturates ? "clamp(" + input + ", 0.0, 1.0)" : input);
  }
  void put_out(const std::string& value, std::size_t number) {
    if (number < 4) {
      statements_ += std::string("gl_Position.") + "xyzw"[number] + " = " + source(value) + ";\n";
    } else {
      const std::string name = 'o' + std::to_string(number);
      declarations_[name] = "out float " + name;
      statements_ += name + " = " + source(value) + ";\n";
    }
  }
  void set(const std::string& result, std::size_t width, const std::string& value) {
    if (result.starts_with("po")) {
      declarations_[result] = "layout(location = " + result.substr(2) + ") out float " + result;
      statements_ += result + " = " + value + ";\n";
    } else {
      statements_ += type(width) + " p" + result.substr(1) + " = " + value + ";\n";
      widths_[result] = width;
    }
  }

  /// "%1.abs.neg"
  std::string source(const std::string& operand) {
    std::string value = operand.substr(0, operand.find('.'));
    if (value.starts_with("sc")) {
      value = as_bits(rogue::constant_value(static_cast<unsigned>(std::stoul(value.substr(2)))).value());
    } else if (value.starts_with('%')) {
      value[0] = 'p';
    } else {
      declarations_[value] = (value.starts_with("vi") ? "in float " : "uniform float ") + value;
    }
    if (operand.find(".abs") != std::string::npos) value = "abs(" + value + ')';
    return operand.find(".neg") != std::string::npos ? "(-" + value + ')' : value;
  }
  static std::string type(std::size_t width) { return width == 1 ? "float" : "vec" + std::to_string(width); }

  std::map<std::string, std::string> declarations_;
  std::map<std::string, std::size_t> widths_;
  std::string statements_;
  std::size_t left_out_ = 0;
};

TEST(RogueBesidePco, NeverTakesMoreGroups) {
  if (!std::filesystem::exists(sample("rogue"))) GTEST_SKIP() << "the samples are missing";
  std::size_t programs = 0, ours = 0, theirs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(sample("rogue"))) {
    const std::string name = entry.path().stem();
    const bool is_vertex = name.starts_with("rg_vs");
    if (entry.path().extension() != ".json" || (!is_vertex && !name.starts_with("rg_fs"))) continue;
    std::ifstream text(entry.path().parent_path() / (name + ".txt"));
    AsGlsl glsl(text);
    const Attempt made = attempt(glsl.text(), is_vertex ? Stage::vertex : Stage::fragment, {"rogue", ""});
    ASSERT_TRUE(made.is_verified()) << name << ": " << made.why << '\n' << glsl.text();
    const std::size_t groups = rogue::decode(made.program.code).size();
    const std::size_t of_pco = nlohmann::json::parse(std::ifstream(entry.path()))["groups"].size() - glsl.left_out();
    EXPECT_LE(groups, of_pco) << name << '\n' << glsl.text();
    ++programs;
    ours += groups;
    theirs += of_pco;
  }
  EXPECT_EQ(programs, 32u);
  EXPECT_EQ(theirs, 391u);
  EXPECT_LE(ours, 234u) << "as docs/compile.md has it";
}

}  // namespace
}  // namespace mobula::test
