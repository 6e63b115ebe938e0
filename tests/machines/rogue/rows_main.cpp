// What the rows of the main ALU compute.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "rows.h"

namespace mobula::rogue {
namespace {

std::string in_p0(const std::string& instruction, const std::string& more = "") {
  return "main { s0 = r0; s1 = r1; s2 = r2; is4 = ft0; p0: " + instruction + "; w0 = r8" + more + " }\nnop.end";
}
std::string in_p1(const std::string& instruction) {
  return "main { s0 = r5; s3 = r0; s4 = r1; s5 = r2; is4 = ft1; p0: mbyp ft0, s0; p1: " + instruction +
         "; w0 = r8 }\nnop.end";
}

/// Of a number of `width` bits, what it is in two's complement.
std::int64_t as_signed(std::uint64_t x, unsigned width) {
  const std::uint64_t top = 1ull << (width - 1);
  return static_cast<std::int64_t>(((x & (2 * top - 1)) ^ top) - top);
}

void add_floats(std::vector<Statement>& all) {
  const auto both = [&](const std::string& name, const std::string& p0, const std::string& p1, const Function& f) {
    all.push_back(computes("p0 " + name, in_p0(name + p0), f));
    all.push_back(computes("p1 " + name, in_p1(name + p1), f));
  };
  both("fmad", " ft0, s0, s1, s2", " ft1, s3, s4, s5",
       [](const Sources& s) { return real(std::fma(s.f(0), s.f(1), s.f(2))); });
  both("fadd", " ft0, s0, s1", " ft1, s3, s4", [](const Sources& s) { return real(s.f(0) + s.f(1)); });
  both("fmul", " ft0, s0, s1", " ft1, s3, s4", [](const Sources& s) { return real(s.f(0) * s.f(1)); });
  both("mbyp", " ft0, s0", " ft1, s3", [](const Sources& s) { return word(s[0]); });
  all.push_back(
      computes("p0 mbyp", in_p0("mbyp ft0, s0.abs.neg"), [](const Sources& s) { return word(s[0] | 1u << 31); }));
  all.push_back(computes("p0 fmad", in_p0("fmad.sat ft0, s0.neg, s1.abs, s2.flr"), [](const Sources& s) {
    const float sum = std::fma(-s.f(0), std::fabs(s.f(1)), std::floor(s.f(2)));
    return word(bits(flush(sum > 0 ? std::min(sum, 1.0f) : 0.0f)));
  }));
  all.push_back(computes("pack fadd",
                         "main { s0 = r0; s1 = r1; is0 = s1; is3 = ft0; is4 = ft2; p0: mbyp ft0, s0; "
                         "p2: fadd ft2, is3, fte; w0 = r8 }\nnop.end",
                         [](const Sources& s) { return real(s.f(0) + s.f(1)); }));
  all.push_back(computes("pack fmul",
                         "main { s0 = r0; s1 = r1; is0 = s1; is3 = ft0; is4 = ft2; p0: mbyp ft0, s0; "
                         "p2: fmul ft2, is3, fte; w0 = r8 }\nnop.end",
                         [](const Sources& s) { return real(s.f(0) * s.f(1)); }));
}

void add_complex(std::vector<Statement>& all) {
  const auto one = [&](const std::string& name, const std::function<double(double)>& f, double least = -INFINITY,
                       double most = INFINITY) {
    all.push_back(computes("p0 " + name, in_p0(name + " w0, s0"), [=](const Sources& s) {
      if (s.f(0) < least || s.f(0) > most) return Expected{.is_outside = true};
      return real(f(s.f(0)), 2e-7);
    }));
  };
  one("frcp", [](double x) { return 1 / x; });
  one("frsq", [](double x) { return 1 / std::sqrt(x); });
  one("flog", [](double x) { return std::log2(x); });
  one("flogcn", [](double x) { return std::log2(x); });
  one("fexp", [](double x) { return std::exp2(x); });
  one(
      "farctanc", [](double x) { return x == 0 ? 1 : std::atan(x) / x; }, -1, 1);
  one(
      "gcmp", [](double x) { return x < 0.0031308 ? 12.92 * x : 1.055 * std::pow(x, 1 / 2.4) - 0.055; }, 0, 2);
  // Whether its denormal results are flushed is not looked at.
  constexpr double least_normal = 0x1p-120;
  one(
      "gexp", [](double x) { return x < 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4); }, least_normal, 2);
  all.push_back(computes("p0 fsinc", in_p0("fsinc w0, p0, s0"), [](const Sources& s) {
    const double x = s.f(0);
    if (!(std::abs(x) <= 1)) return Expected{.is_outside = true};
    Expected expected = real(x == 0 ? std::numbers::pi / 2 : std::sin(x * std::numbers::pi / 2) / x, 2e-7);
    expected.p0 = true;
    return expected;
  }));
  // Part A hands its argument to part B, which gives r with sin(pi r / 2) the sine or cosine of it.
  for (const bool is_cosine : {false, true}) {
    const std::string name = is_cosine ? "fred.cos" : "fred.sin";
    all.push_back(acts(
        "p0 fred", name + " r8, r9, _, 0, r0, _\n" + name + ".partb r8, r10, _, 0, r0, r9\nnop.end",
        [](Task& task) {
          task.set("r0", [](std::uint32_t lane) { return bits(0.37f * static_cast<float>(lane) - 11); });
        },
        [=](Task& task) {
          for (std::uint32_t lane = 0; lane < 64; ++lane) {
            const double x = task.get_f("r0", lane), r = task.get_f("r8", lane);
            EXPECT_LE(std::abs(r), 1);
            EXPECT_NEAR(std::sin(std::numbers::pi / 2 * r), is_cosine ? std::cos(x) : std::sin(x), 1e-6) << x;
            EXPECT_EQ(task.get_f("r9", lane), task.get_f("r0", lane));
          }
        },
        64));
  }
}

void add_derivatives(std::vector<Statement>& all) {
  struct Kind {
    std::string name;
    std::uint32_t step;  ///< to the neighbour: 1 across, 2 down
    bool is_fine;
  };
  for (const Kind& kind : {Kind{"fdsx", 1, false}, {"fdsy", 2, false}, {"fdsxf", 1, true}, {"fdsyf", 2, true}})
    for (const bool first : {true, false})
      all.push_back(acts(
          (first ? "p0 " : "p1 ") + kind.name, first ? in_p0(kind.name + " ft0, s0") : in_p1(kind.name + " ft1, s3"),
          [](Task& task) {
            task.set("r0", [](std::uint32_t lane) { return bits(static_cast<float>(lane * lane * lane)); });
          },
          [=](Task& task) {
            for (std::uint32_t lane = 0; lane < 8; ++lane) {
              const std::uint32_t at = kind.is_fine ? lane & ~kind.step : lane & ~3u;
              const float expected = task.get_f("r0", at + kind.step) - task.get_f("r0", at);
              EXPECT_EQ(task.get_f("r8", lane), expected) << lane;
            }
          },
          8));
}

void add_narrow(std::vector<Statement>& all) {
  for (const bool is_signed : {false, true})
    for (const unsigned width : {8u, 16u})
      for (const std::string kind : {"add", "mul", "mad"})
        for (const bool saturates : {false, true}) {
          const std::string name = (is_signed ? "i" : "u") + kind + std::to_string(width);
          const std::string text =
              name + (saturates ? ".sat ft0, s0.e1, s1" : " ft0, s0, s1") + (kind == "mad" ? ", s2" : "");
          all.push_back(computes("p0 " + name, in_p0(text), [=](const Sources& s) {
            const std::uint64_t mask = (1ull << width) - 1;
            const auto operand = [&](unsigned i) -> std::int64_t {
              const std::uint32_t element = s[i] >> (i == 0 && saturates ? width : 0);
              return is_signed ? as_signed(element, width) : static_cast<std::int64_t>(element & mask);
            };
            std::int64_t x = kind == "add" ? operand(0) + operand(1) : operand(0) * operand(1);
            if (kind == "mad") x += operand(2);
            if (saturates)
              x = is_signed ? std::clamp(x, -std::int64_t(mask / 2) - 1, std::int64_t(mask / 2))
                            : std::min(x, std::int64_t(mask));
            return word(static_cast<std::uint32_t>(is_signed ? as_signed(static_cast<std::uint64_t>(x), width)
                                                             : x & static_cast<std::int64_t>(mask)));
          }));
        }
}

std::uint64_t joined(std::uint32_t low, std::uint32_t high) { return low | std::uint64_t{high} << 32; }
Expected pair_of(std::uint64_t x) {
  return {.r8 = static_cast<std::uint32_t>(x), .r9 = static_cast<std::uint32_t>(x >> 32)};
}

void add_wide(std::vector<Statement>& all) {
  const auto wide = [&](const std::string& name, const std::string& operands,
                        const std::function<std::uint64_t(const Sources&)>& f) {
    const std::string head = "main { s0 = r0; s1 = r1; s2 = r2; s3 = r3; is0 = s3; is4 = ft0; is5 = fte; p0: ";
    for (const bool carries : {false, true})
      all.push_back(computes("p0 " + name,
                             head + name + operands + (carries ? ", p0" : "") + "; w0 = r8; w1 = r9 }\nnop.end",
                             [=](const Sources& s) { return pair_of(f(s) + (carries && s.p0 ? 1 : 0)); }));
  };
  const auto extended = [](std::uint32_t x) { return static_cast<std::uint64_t>(as_signed(x, 32)); };
  wide("uadd6432", " ft0, fte, s0, s1, s2", [](const Sources& s) { return joined(s[0], s[1]) + s[2]; });
  wide("sadd6432", " ft0, fte, s0, s1, s2", [=](const Sources& s) { return joined(s[0], s[1]) + extended(s[2]); });
  wide("add64", " ft0, fte, s0, s1, s2, is0", [](const Sources& s) { return joined(s[0], s[1]) + joined(s[2], s[3]); });
  wide("umadd64", " ft0, fte, s0, s1, s2, is0",
       [](const Sources& s) { return std::uint64_t{s[0]} * s[1] + joined(s[2], s[3]); });
  wide("smadd64", " ft0, fte, s0, s1, s2, is0",
       [=](const Sources& s) { return extended(s[0]) * extended(s[1]) + joined(s[2], s[3]); });
  for (const std::string name : {"umadd32", "smadd32"}) {
    all.push_back(computes("p0 " + name, in_p0(name + " ft0, s0, s1, s2"),
                           [](const Sources& s) { return word(s[0] * s[1] + s[2]); }));
    all.push_back(computes("p0 " + name, in_p0(name + " ft0, s0.neg, s1, s2, p0"),
                           [](const Sources& s) { return word(0 - s[0] * s[1] + s[2] + (s.p0 ? 1 : 0)); }));
  }
}

void add_packs(std::vector<Statement>& all) {
  all.push_back(
      computes("p0 unpck", in_p0("unpck.u8888 ft0, s0.e2"), [](const Sources& s) { return real(s[0] >> 16 & 0xFF); }));
  all.push_back(computes("p0 unpck", in_p0("unpck.s1616 ft0, s0.e1"),
                         [](const Sources& s) { return real(static_cast<double>(as_signed(s[0] >> 16, 16))); }));
  all.push_back(computes("p0 unpck", in_p0("unpck.u8888.scale ft0, s0"),
                         [](const Sources& s) { return real((s[0] & 0xFF) / 255.0); }));
  const auto pack = [](const std::string& instruction) {
    return "main { s0 = r0; is3 = ft0; is4 = ft2; p0: mbyp ft0, s0; p2: " + instruction + "; w0 = r8 }\nnop.end";
  };
  all.push_back(computes("pack pck.zero", pack("pck.zero ft2"), [](const Sources&) { return word(0); }));
  all.push_back(computes("pack pck.one", pack("pck.one ft2"), [](const Sources&) { return word(bits(1.0f)); }));
  all.push_back(computes("pack pck", pack("pck.u8888.scale ft2, is3"), [](const Sources& s) {
    const double x = number(s[0]);
    return word(std::isnan(x) ? 0 : static_cast<std::uint32_t>(std::nearbyint(std::clamp(x, 0.0, 1.0) * 255)));
  }));
  all.push_back(computes("pack pck", pack("pck.s32.roundzero ft2, is3"), [](const Sources& s) {
    const double x = number(s[0]);
    if (std::isnan(x)) return Expected{.is_outside = true};
    return word(static_cast<std::uint32_t>(static_cast<std::int32_t>(std::clamp(x, -2147483648.0, 2147483647.0))));
  }));
  all.push_back(computes("pack pck", pack("pck.f32 ft2, is3"), [](const Sources& s) { return word(s[0]); }));
  all.push_back(stops("pack pck.prog",
                      "main { s0 = r0; is3 = ft0; is4 = ft2; p0: mbyp ft0, s0; "
                      "p2: pck.prog.u8888 ft2, is3, fte; w0 = r8 }\nnop.end",
                      "the format word of pck.prog is not published"));
}

void add_tests(std::vector<Statement>& all) {
  struct Kind {
    std::string name;
    bool is_of_one;
    std::function<bool(double, double)> holds;
  };
  const std::vector<Kind> kinds{{"tstz", true, [](double x, double) { return x == 0; }},
                                {"tstgz", true, [](double x, double) { return x > 0; }},
                                {"tstgez", true, [](double x, double) { return x >= 0; }},
                                {"tste", false, [](double x, double y) { return x == y; }},
                                {"tstg", false, [](double x, double y) { return x > y; }},
                                {"tstge", false, [](double x, double y) { return x >= y; }},
                                {"tstne", false, [](double x, double y) { return x != y; }},
                                {"tstl", false, [](double x, double y) { return x < y; }},
                                {"tstle", false, [](double x, double y) { return x <= y; }}};
  const std::vector<std::pair<std::string, std::function<double(const Sources&, unsigned)>>> types{
      {"", [](const Sources& s, unsigned i) { return s.f(i); }},
      {".u32", [](const Sources& s, unsigned i) { return s[i]; }},
      {".s32", [](const Sources& s, unsigned i) { return static_cast<double>(as_signed(s[i], 32)); }},
      {".u16", [](const Sources& s, unsigned i) { return s[i] & 0xFFFF; }},
      {".s16", [](const Sources& s, unsigned i) { return static_cast<double>(as_signed(s[i], 16)); }},
      {".u8", [](const Sources& s, unsigned i) { return s[i] & 0xFF; }},
      {".s8", [](const Sources& s, unsigned i) { return static_cast<double>(as_signed(s[i], 8)); }}};
  for (const Kind& kind : kinds)
    for (const auto& [type, value] : types)
      all.push_back(computes(
          "test " + kind.name,
          "main { s0 = r0; s3 = r1; is1 = ft0; is2 = ft1; p0: mbyp ft0, s0; p1: mbyp ft1, s3; p2: " + kind.name + type +
              " ftt, p0, is1" + (kind.is_of_one ? "" : ", is2") + " }\nnop.end",
          [kind, value = value](const Sources& s) { return truth(kind.holds(value(s, 0), value(s, 1))); }));
  all.push_back(computes("test tstc",
                         "main { s0 = r0; s1 = r1; s2 = r2; is4 = ft0; p0: umadd32 ft0, s0, s1, s2; "
                         "p2: tstc.u32 ftt, p0; w0 = r8 }\nnop.end",
                         [](const Sources& s) { return truth(std::uint64_t{s[0] * s[1]} + s[2] > 0xFFFFFFFF); }));
}

void add_moves(std::vector<Statement>& all) {
  all.push_back(computes("move mov",
                         "main { s0 = r0; s3 = r1; is4 = ft0; p0: mbyp ft0, s0; p1: mbyp ft1, s3; "
                         "p2: mov w0.e0.e2, ft1; w0 = r0 }\nmov r8, r0\nnop.end",
                         [](const Sources& s) { return word((s[1] & 0x00FF00FF) | (s[0] & 0xFF00FF00)); }));
  all.push_back(
      computes("move movc",
               "main { s0 = r0; s3 = r1; s1 = r2; is0 = s1; is1 = fte; is4 = ft0; is5 = ft0; p0: mbyp ft0, s0; "
               "p1: mbyp ft1, s3; p2: tstgez.s32 ftt, _, is1; p2: movc w0, w1, ftt, ft1, fte; "
               "w0 = r8; w1 = r9 }\nnop.end",
               [](const Sources& s) {
                 const bool holds = as_signed(s[2], 32) >= 0;
                 return Expected{.r8 = holds ? s[1] : s[0], .r9 = holds ? s[2] : s[0]};
               }));
}

}  // namespace

std::vector<Statement> main_statements() {
  std::vector<Statement> all;
  add_floats(all);
  add_complex(all);
  add_derivatives(all);
  add_narrow(all);
  add_wide(all);
  add_packs(all);
  add_tests(all);
  add_moves(all);
  return all;
}

}  // namespace mobula::rogue
