// Programs of Mesa's compiler against what its own listing says they compute: the shader before the compiler's passes
// is evaluated here, value by value, and must agree with the groups that the passes made of it.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <regex>
#include <set>
#include <sstream>

#include "machines/rogue/lift_run.h"
#include "machines/rogue/spec/registers.h"
#include "paths.h"

namespace mobula::rogue {
namespace {

using Inputs = std::map<std::string, std::uint32_t>;  // "sh3" to bits

float flushed(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x; }

/// Evaluates a listing of single operations on numbered values.
class ShaderListing {
 public:
  explicit ShaderListing(const Inputs& inputs) : inputs_(inputs) {}

  std::map<unsigned, std::uint32_t> outputs;  ///< by vertex output, or pixel output

  /// False if the line has something that is not known here.
  bool line(const std::string& text) {
    std::smatch match;
    static const std::regex shape(R"((\S+) ([^;]*);)");
    if (!std::regex_match(text, match, shape)) return false;
    std::vector<std::string> operands;
    std::stringstream list(match[2]);
    for (std::string each; std::getline(list, each, ',');) operands.push_back(each.substr(each.find_first_not_of(' ')));
    return operation(match[1], operands);
  }

 private:
  std::uint32_t value(const std::string& name) {
    if (name[0] == '%') return values_.at(name).at(0);
    if (name.starts_with("sc")) return *constant_value(static_cast<unsigned>(std::stoul(name.substr(2))));
    // What the compiler dropped as unused is not in the program, and does not matter.
    return inputs_.contains(name) ? inputs_.at(name) : 0;
  }
  std::uint32_t operand_bits(const std::string& text) {
    const std::string name = text.substr(0, text.find('.'));
    std::uint32_t result = value(name);
    if (text.find(".flr") != std::string::npos) result = bits(std::floor(flushed(number(result))));
    if (text.find(".abs") != std::string::npos) result &= 0x7FFFFFFF;
    if (text.find(".neg") != std::string::npos) result ^= 0x80000000;
    return result;
  }
  float operand(const std::string& text) { return flushed(number(operand_bits(text))); }

  bool operation(const std::string& mnemonic, const std::vector<std::string>& o) {
    const std::string name = mnemonic.substr(0, mnemonic.find('.'));
    const bool is_saturated = mnemonic.find(".sat") != std::string::npos;
    const auto define = [&](float x) {
      const float kept = flushed(x);
      values_[o[0]] = {bits(!is_saturated ? kept : kept > 0 ? std::min(kept, 1.0f) : 0.0f)};
    };
    if (name == "fadd")
      define(operand(o[1]) + operand(o[2]));
    else if (name == "fmul")
      define(operand(o[1]) * operand(o[2]));
    else if (name == "fmad")
      define(std::fma(operand(o[1]), operand(o[2]), operand(o[3])));
    else if (name == "flr")
      define(std::floor(operand(o[1])));
    else if (name == "abs")
      values_[o[0]] = {operand_bits(o[1]) & 0x7FFFFFFF};
    else if (name == "neg")
      values_[o[0]] = {operand_bits(o[1]) ^ 0x80000000};
    else if (name == "movi32")
      values_[o[0]] = {static_cast<std::uint32_t>(std::stoul(o[1]))};
    else if (name == "comp")
      values_[o[0]] = {values_.at(o[1]).at(std::stoul(o[2], nullptr, 16))};
    else if (name == "uvsw")
      outputs[static_cast<unsigned>(std::stoul(o[1], nullptr, 16))] = value(o[0]);
    else if (name == "mov" && o[0].starts_with("po"))
      outputs[static_cast<unsigned>(std::stoul(o[0].substr(2)))] = value(o[1]);
    else if (name == "mov")
      values_[o[0]] = {operand_bits(o[1])};
    else if (name == "fitrp")
      iterate(o, is_saturated);
    else
      return false;
    return true;
  }

  float plane(unsigned first) {
    const auto cf = [&](unsigned i) { return number(value("cf" + std::to_string(first + i))); };
    return std::fma(cf(0), number(inputs_.at("sr97")), std::fma(cf(1), number(inputs_.at("sr100")), cf(2)));
  }
  void iterate(const std::vector<std::string>& o, bool is_saturated) {
    const auto first = static_cast<unsigned>(std::stoul(o[2].substr(2))),
               w = static_cast<unsigned>(std::stoul(o[3].substr(2)));
    values_[o[0]].clear();
    for (unsigned i = 0; i < std::stoul(o[4], nullptr, 16); ++i) {
      float x = plane(first + 4 * i) * (1 / plane(w));
      if (is_saturated) x = x > 0 ? std::min(x, 1.0f) : 0.0f;
      values_[o[0]].push_back(bits(x));
    }
  }

  const Inputs& inputs_;
  std::map<std::string, std::vector<std::uint32_t>> values_;
};

/// The lines of the shader before the passes; nothing if the compiler's encoder is known to drop a part of this one:
/// it has no bit for the negation of the second operand of fadd and fmul (reference D13).
std::optional<std::vector<std::string>> listing_of(const std::filesystem::path& path) {
  static const std::regex numbered(R"(    \d{4}: (.*))"),
      dropped(R"(.*(fadd|fmul)[a-z.]* ft\d, [^,]*, s\d[a-z.]*\.neg.*)");
  std::ifstream stream(path);
  std::vector<std::string> lines;
  bool is_after = false;
  for (std::string text; std::getline(stream, text);) {
    is_after = is_after || text.starts_with("shader ir after");
    std::smatch match;
    if (!is_after && std::regex_match(text, match, numbered)) lines.push_back(match[1]);
    if (is_after && std::regex_match(text, dropped)) return std::nullopt;
  }
  return lines;
}

/// Here the compiler gave a value that is still to be used and one that nobody uses the same register: its own two
/// listings disagree.
bool is_miscompiled(const std::string& name) {
  static const std::set<std::string> names{"rg_fs_011", "rg_fs_042", "rg_vs_005",
                                           "rg_vs_029", "rg_vs_030", "rg_vs_037"};
  return names.contains(name);
}

TEST(Samples, ComputeWhatTheCompilersListingSays) {
  const std::filesystem::path folder = mobula::test::sample("rogue");
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no samples";
  unsigned compared = 0;
  std::mt19937 random(5);
  std::uniform_real_distribution<float> numbers(-2, 2);
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::filesystem::path path = entry.path();
    const std::string name = path.stem().string();
    if (path.extension() != ".bin" || (!name.starts_with("rg_vs") && !name.starts_with("rg_fs"))) continue;
    if (is_miscompiled(name)) continue;
    const auto lines = listing_of(std::filesystem::path(path).replace_extension(".txt"));
    if (!lines) continue;
    std::ifstream stream(path, std::ios::binary);
    for (unsigned round = 0; round < 3; ++round) {
      Task task(Bytes{std::istreambuf_iterator<char>(stream), {}});
      stream.clear();
      stream.seekg(0);
      Inputs inputs;
      for (const ir::Slot& slot : task.program().slots)
        if (slot.name.starts_with("vi") || slot.name.starts_with("sh") || slot.name.starts_with("cf") ||
            slot.name.starts_with("sr")) {
          inputs[slot.name] = bits(numbers(random));
          task.set(slot.name, inputs[slot.name]);
        }
      ShaderListing listing(inputs);
      bool is_known = true;
      for (const std::string& line : *lines) is_known = is_known && listing.line(line);
      if (!is_known) break;
      task.run();
      EXPECT_EQ(task.fault(), "") << name;
      const auto check = [&](unsigned output, std::uint32_t got) {
        const float expected = number(listing.outputs.at(output));
        const bool same = number(got) == expected || (std::isnan(number(got)) && std::isnan(expected));
        EXPECT_TRUE(same) << name << " output " << output << ": " << number(got) << ", should be " << expected;
      };
      if (name.starts_with("rg_vs")) {
        EXPECT_EQ(task.environment.outputs.size(), listing.outputs.size()) << name;
        for (const auto& output : task.environment.outputs) check(output.address, output.value);
      } else {
        for (const auto& [output, bits_expected] : listing.outputs)
          check(output, task.get("po" + std::to_string(output)));
      }
      ++compared;
    }
  }
  EXPECT_GT(compared, 30u);
}

}  // namespace
}  // namespace mobula::rogue
