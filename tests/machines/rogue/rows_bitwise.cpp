// What the rows of the bitwise ALU compute.
#include <algorithm>
#include <bit>

#include "rows.h"

namespace mobula::rogue {
namespace {

constexpr std::string_view bit_sources = "bit { s0 = r0; s1 = r1; s2 = r2; s3 = r3; s4 = r4; ";

/// FT1 is W0, FT3 is W1.
std::string in_phase0(const std::string& instructions) {
  return std::string(bit_sources) + "p0: " + instructions + "; w0 = r8; w1 = r9 }\nnop.end";
}
std::string in_logical(const std::string& instruction) {
  return std::string(bit_sources) + "p0: byp ft0, ft1, s0, s1; p1: " + instruction + "; w0 = r8 }\nnop.end";
}
std::string in_shift2(const std::string& instruction) {
  return std::string(bit_sources) + "p0: byp ft0, ft1, s0, s1; p0: byp ft3, s2; p2: " + instruction +
         "; w0 = r8 }\nnop.end";
}

std::uint32_t mask_of(std::uint32_t width, std::uint32_t low) {
  std::uint32_t mask = 0;
  for (unsigned i = 0; i < 32; ++i)
    if (i >= low % 64 && i < low % 64 + width % 64) mask |= 1u << i;
  return mask;
}
std::uint32_t interleaved(std::uint32_t even, std::uint32_t odd) {
  std::uint32_t result = 0;
  for (unsigned i = 0; i < 16; ++i) result |= (even >> i & 1) << 2 * i | (odd >> i & 1) << (2 * i + 1);
  return result;
}
std::uint32_t bits_reversed(std::uint32_t x) {
  std::uint32_t result = 0;
  for (unsigned i = 0; i < 32; ++i) result |= (x >> i & 1) << (31 - i);
  return result;
}
/// Bit by bit: above the sign's bit there are copies of it.
std::uint32_t shifted_arithmetically(std::uint32_t x, std::uint32_t by, std::uint32_t sign) {
  std::uint32_t result = 0;
  for (unsigned i = 0; i < 32; ++i) result |= (x >> std::min(i + by % 32, sign % 32) & 1) << i;
  return result;
}

}  // namespace

std::vector<Statement> bitwise_statements() {
  std::vector<Statement> all;
  all.push_back(computes("bitmask byp phase0_src", in_phase0("byp ft0, ft1, s0, s1"),
                         [](const Sources& s) { return word(s[1]); }));
  all.push_back(computes("bitmask byp phase0_imm16", in_phase0("byp ft0, ft1, s0, 0xBEEF"),
                         [](const Sources&) { return word(0xBEEF); }));
  all.push_back(computes("bitmask msk", in_phase0("msk ft0, ft1, s0, s1"),
                         [](const Sources& s) { return word(mask_of(s[0], s[1])); }));
  // The top bit of the mask is FT0, which a shift takes its sign from.
  all.push_back(computes(
      "bitmask msk",
      std::string(bit_sources) + "p0: msk ft0, ft1, s0, s1; p2: asr.mtb ft5, ft4, s4; w0 = r8 }\nnop.end",
      [](const Sources& s) { return word(shifted_arithmetically(mask_of(s[0], s[1]), s[4], s[0] + s[1] - 1)); }));

  const auto shift1 = [&](const std::string& name, const std::string& operands,
                          const std::function<std::uint32_t(const Sources&)>& f) {
    all.push_back(computes("shift1 " + name,
                           in_phase0("byp ft0, ft1, s0, s1; p0: " + name + operands + "; p0: byp ft3, ft2"),
                           [=](const Sources& s) { return Expected{.r8 = s[1], .r9 = f(s)}; }));
  };
  shift1("byp", " ft2, s2", [](const Sources& s) { return s[2]; });
  shift1("shfl", " ft2, s2, s1", [](const Sources& s) { return interleaved(s[2], s[1]); });
  shift1("rev", " ft2, s2", [](const Sources& s) { return bits_reversed(s[2]); });
  shift1("lsl", " ft2, s2, s1", [](const Sources& s) { return s[2] << s[1] % 32; });

  const auto count = [&](const std::string& name, const std::function<std::uint32_t(std::uint32_t)>& f) {
    all.push_back(computes("count " + name, in_phase0("byp ft0, ft1, s0, s1; p0: " + name + " ft3, s2"),
                           [=](const Sources& s) { return Expected{.r9 = f(s[2])}; }));
  };
  count("byp", [](std::uint32_t x) { return x; });
  count("cbs", [](std::uint32_t x) { return static_cast<std::uint32_t>(std::popcount(x)); });
  count("ftb", [](std::uint32_t x) { return static_cast<std::uint32_t>(std::bit_width(x)) - 1; });

  const auto logical = [&](const std::string& name,
                           const std::function<std::uint32_t(std::uint32_t, std::uint32_t)>& f) {
    all.push_back(computes("logical " + name, in_logical(name + " ft4, _, ft2, _, s3"),
                           [=](const Sources& s) { return word(f(s[2], s[3])); }));
    all.push_back(computes("logical " + name, in_logical(name + " ft4, ft1, ft2, ft1.invert, s3"),
                           [=](const Sources& s) { return word(f(s[1] & s[2], ~s[1] & s[3])); }));
  };
  logical("or", [](std::uint32_t x, std::uint32_t y) { return x | y; });
  logical("and", [](std::uint32_t x, std::uint32_t y) { return x & y; });
  logical("xor", [](std::uint32_t x, std::uint32_t y) { return x ^ y; });
  logical("nor", [](std::uint32_t x, std::uint32_t y) { return ~(x | y); });
  logical("nand", [](std::uint32_t x, std::uint32_t y) { return ~(x & y); });
  logical("xnor", [](std::uint32_t x, std::uint32_t y) { return ~(x ^ y); });
  all.push_back(computes("logical byp", in_logical("byp ft4, ft1"), [](const Sources& s) { return word(s[1]); }));

  const auto shift2 = [&](const std::string& name, const std::function<std::uint32_t(const Sources&)>& f,
                          const std::string& operands = " ft5, ft4, s4") {
    all.push_back(computes("shift2 " + name, in_shift2(name + operands), [=](const Sources& s) { return word(f(s)); }));
  };
  shift2("lsl", [](const Sources& s) { return s[1] << s[4] % 32; });
  shift2("shr", [](const Sources& s) { return s[1] >> s[4] % 32; });
  shift2("rol", [](const Sources& s) { return std::rotl(s[1], static_cast<int>(s[4] % 32)); });
  shift2(
      "cps", [](const Sources& s) { return s.p0 ? s[1] | s[4] : s[4] & ~s[1]; }, " ft5, p0, ft4, s4");
  shift2("asr.twb", [](const Sources& s) { return shifted_arithmetically(s[1], s[4], 31); });
  shift2("asr.pwb", [](const Sources& s) { return shifted_arithmetically(s[1], s[4], 15); });
  shift2("asr.mtb", [](const Sources& s) { return shifted_arithmetically(s[1], s[4], s[0]); });
  shift2("asr.ftb", [](const Sources& s) { return shifted_arithmetically(s[1], s[4], s[2]); });

  all.push_back(computes("btest tz", in_shift2("lsl ft5, ft4, s4; p2: tz p0, ft5"),
                         [](const Sources& s) { return truth(s[1] << s[4] % 32 == 0); }));
  all.push_back(computes("btest tnz", in_shift2("lsl ft5, ft4, s4; p2: tnz p0, ft3"),
                         [](const Sources& s) { return truth(s[2] != 0); }));
  return all;
}

}  // namespace mobula::rogue
