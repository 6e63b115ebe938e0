#include "machines/rogue/merge/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "machines/rogue/check/check.h"
#include "machines/rogue/evaluate.h"
#include "machines/rogue/programs.h"
#include "machines/rogue/spec/access.h"

namespace mobula::rogue {
namespace {

RegisterSet temporaries(std::initializer_list<unsigned> numbers) {
  RegisterSet set;
  for (const unsigned number : numbers) set.set(number);
  return set;
}

Bytes bytes_of_group(const Group& group) {
  const unsigned content = content_bytes(group), words = (content + 1) / 2;
  Bytes code;
  encode_content(group, words, code);
  append_padding(content, words, code);
  return code;
}

TEST(Access, AtomicsReadAnAddressAndAnOperand) {
  const std::vector<Group> groups = decode(assemble("main { s0 = r9; s3 = r1; be: atom.add s0, drc0, s3 }"));
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(access_of(groups[0]).reads, temporaries({1, 2, 3}));
  EXPECT_EQ(access_of(groups[0]).late_writes, temporaries({9}));
}

/// The text of what the two groups become; "none" if they stay two.
std::string merged(std::string_view text, const RegisterSet& dead = {}) {
  const std::vector<Group> groups = decode(assemble(text));
  if (groups.size() != 2) return "not two groups";
  const auto result = merge(groups[0], groups[1], dead);
  return result ? print_code(bytes_of_group(*result)) : "none";
}
std::string canonical(std::string_view text) { return print_code(assemble(text)); }

struct Case {
  std::string_view before, after;
  RegisterSet dead = {};
};

TEST(Merge, MainGroupsShareTheirPhases) {
  const Case cases[] = {
      // Two independent ones: one moves to phase 1, whichever can.
      {"fmul r4, r0, r1\nfmad r6, r2, r3, r5", "0: fmul r4, r0, r1\n fmad ft1, r2, r3, r5\n mov r6, ft1"},
      {"fmul r4, r0, r1\numadd32 r6, r2, r3, r5",
       "main { p0: umadd32 ft0, r2, r3, r5; p1: fmul ft1, r0, r1; w0 = r4; is4 = ft1; w1 = r6 }"},
      {"mov r0, vi0\nmov r1, vi1",
       "main { p0: mbyp ft0, s0; s0 = vi0; s1 = vi1; w0 = r0; w1 = r1; is0 = s1; is5 = fte }"},
      // A value handed over by FT0; the register is written all the same.
      {"fmul r0, vi0, vi1\nmain { mbyp ft0, r0; tstz ftt, p0, ft0 }",
       "main { fmul ft0, vi0, vi1; tstz ftt, p0, ft0; w0 = r0 }"},
      {"fmul r0, vi0, vi1\n0: pck.f16f16 ft2, r0\n mov r1, ft2",
       "main { fmul ft0, vi0, vi1; pck.f16f16 ft2, is3; is3 = ft0; w0 = r0; w1 = r1; is4 = ft0; is5 = ft2 }"},
      // Unless nobody reads it.
      {"fmul r0, vi0, vi1\n0: pck.f16f16 ft2, r0\n mov r1, ft2",
       "main { fmul ft0, vi0, vi1; pck.f16f16 ft2, is3; is3 = ft0; w0 = r1; is4 = ft2 }", temporaries({0})},
      {"fmul r0, vi0, vi1\nmov r0, r0", "fmul r0, vi0, vi1"},
      // A complex operation leaves W1 to a copy.
      {"frcp r0, vi0\nmov r1, vi1", "main { frcp r0, s0; s0 = vi0; s1 = vi1; is0 = s1; w1 = r1; is5 = fte }"},
      // Repeated ones, pass by pass: a register of the first is its second pass's, and so on.
      {"main rpt=2 { mbyp ft0, vi0; w0 = r0 }\nmain rpt=2 { mbyp ft0, vi2; w0 = r2 }",
       "main rpt=2 { p0: mbyp ft0, s0; s0 = vi0; s1 = vi2; w0 = r0; w1 = r2; is0 = s1; is5 = fte }"},
      {"main rpt=4 { fmul ft0, vi0, vi4; w0 = r0 }\nmain rpt=4 { uvsw.write w0, 8; s0 = r0; is4 = fte }",
       "main rpt=4 { p0: fmul ft0, vi0, vi4; pck.zero ft2; be: uvsw.write w0, 8; w0 = r0; is4 = ft0 }"},
      {"main rpt=2 { fmul ft0, vi0, vi4; w0 = r0 }\nmain rpt=2 { mbyp ft0, r0; w0 = r4 }",
       "main rpt=2 { fmul ft0, vi0, vi4; w0 = r4 }", temporaries({0, 1})},
      {"main rpt=2 { fmul ft0, vi0, vi4; w0 = r0 }\nmain rpt=2 { mbyp ft0, r0; w0 = r4 }",
       "main rpt=2 { fmul ft0, vi0, vi4; w0 = r0; w1 = r4 }", temporaries({0})},
      // The end is a flag.
      {"mov r0, vi0\nnop.end", "main end len=5 { p0: mbyp ft0, vi0; w0 = r0 }"},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(merged(each.before, each.dead), canonical(each.after)) << each.before;
  }
}

TEST(Merge, MainGroupsStayApart) {
  for (const std::string_view text : {
           "fmul r4, vi0, vi1\nfadd r5, r4, vi1",                   // works on the result
           "umadd32 r4, vi0, vi1, vi2\numadd32 r5, vi0, vi1, vi2",  // both are of phase 0
           "fmul r4, vi0, vi1\nif(p0) main { fmul ft0, vi0, vi1; w0 = r5 }",
           "main { mbyp ft0, vi0; tstz ftt, p0, ft0 }\nmain { mbyp ft0, vi0; tstz ftt, p0, ft0 }",
           "main rpt=2 { mbyp ft0, vi0; w0 = r0 }\nmain rpt=3 { mbyp ft0, vi4; w0 = r4 }",
           "main rpt=2 { mbyp ft0, vi0; w0 = r0 }\nmain rpt=2 { mbyp ft0, vi4; w0 = r1 }",  // r1 twice
           "main rpt=2 { mbyp ft0, vi0; w0 = r0 }\nmain rpt=2 { mbyp ft0, r1; w0 = r4 }",   // the second pass's result
           "main rpt=2 { mbyp ft0, vi0; w0 = r0 }\nmain rpt=2 { mbyp ft0, vi4; w0 = vi1 }",
           "main rpt=2 { mbyp ft0, vi0; w0 = r0 }\nmov r4, vi4",
           "main rpt=2 { s0 = r0; is0 = s0; is3 = fte; is4 = ft2; p2: pck.f16f16 ft2, is3; w0 = r8 }\n"
           "main rpt=2 { mbyp ft0, vi4; w0 = r4 }",  // a pack gathers
           "mov r0, r1[idx0]\nmov r2, vi3",          // which register that is nobody knows
           "mov idx0, vi0\nmov r2, vi3",
           "mov sh0, vi0\nmov r2, sh0",  // all instances see what the last one wrote
           "frcp r0, vi0\nfrcp r1, vi1",
           "frcp r0, vi0\nmain { mbyp ft0, r0; tstz ftt, p0, ft0 }",  // W0 goes to a register only
           "ld r0, drc0, 2, vi0\nmov vi1, vi9",                       // half of the address
           "if(p0) main { mbyp ft0, vi0; w0 = r0 }\nnop.end",
           "mov r0, vi0\nwdf drc0",
           "mov r0, vi0\nmov r1, 5",
       })
    EXPECT_EQ(merged(text), "none") << text;
}

TEST(Merge, BitwiseGroupsGoOnWithAValue) {
  const RegisterSet r0 = temporaries({0});
  const Case cases[] = {
      {"mov r0, 0x1234\n0: mov ft2, vi0\n and ft4, _, ft2, _, r0\n mov r1, ft4",
       "bit { byp ft0, ft1, sc0, 0x1234; byp ft2, s2; and ft4, ft1, ft2, _, s3; s2 = vi0; s3 = sc143; w0 = r1 }", r0},
      {"mov r0, 0x1234\n0: mov ft2, r0\n or ft4, _, ft2, _, vi0\n mov r0, ft4",
       "bit { byp ft0, ft1, sc0, 0x1234; byp ft2, s2; or ft4, ft1, ft2, ft1.invert, s3; s2 = sc143; s3 = vi0; w0 = r0 "
       "}"},
      {"bit { byp ft0, ft1, s0, s1; byp ft2, s2; xor ft4, _, ft2, _, s3; s2 = vi0; s3 = vi1; w0 = r0 }\n"
       "bit { byp ft0, ft1, sc0, s1; shr ft5, ft4, s4; s1 = r0; s4 = sc8; w0 = r1 }",
       "bit { byp ft0, ft1, s0, s1; byp ft2, s2; xor ft4, _, ft2, _, s3; shr ft5, ft4, s4; s2 = vi0; s3 = vi1; "
       "s4 = sc8; w0 = r1 }",
       r0},
      {"bit { byp ft0, ft1, sc0, s1; lsl ft5, ft4, s4; s1 = vi0; s4 = sc4; w0 = r0 }\n"
       "bit { byp ft0, ft1, s0, s1; byp ft2, s2; or ft4, _, ft2, _, s3; s2 = vi1; s3 = r0; w0 = r1 }",
       "bit { byp ft0, ft1, s0, s1; lsl ft2, s2, s1; or ft4, _, ft2, _, s3; s1 = sc4; s2 = vi0; s3 = vi1; w0 = r1 }",
       r0},
      // A test keeps what it tests.
      {"bit { byp ft0, ft1, s0, s1; byp ft2, s2; and ft4, _, ft2, _, s3; s2 = vi0; s3 = vi1; w0 = r0 }\n"
       "bit { byp ft0, ft1, sc0, s1; lsl ft5, ft4, s4; tz p0, ft5; s1 = r0; s4 = sc0 }",
       "bit { byp ft0, ft1, s0, s1; byp ft2, s2; and ft4, _, ft2, _, s3; lsl ft5, ft4, s4; tz p0, ft5; s2 = vi0; "
       "s3 = vi1; s4 = sc0; w0 = r0 }"},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(merged(each.before, each.dead), canonical(each.after)) << each.before;
  }
  // The value is needed after them.
  EXPECT_EQ(merged(cases[0].before), "none");
}

// ------------------------------------------------------------------------------------------------ at random

class Words {
 public:
  explicit Words(std::mt19937_64& random) : random_(random) {}
  std::size_t pick(std::size_t count) { return random_() % count; }
  std::string one_of(std::initializer_list<std::string_view> all) { return std::string(all.begin()[pick(all.size())]); }
  std::string reg() { return one_of({"r0", "r1", "r2", "r3", "vi0", "vi1", "sh0", "sc64", "i0", "sr97"}); }
  std::string target() { return one_of({"r0", "r1", "r2", "r3", "i0", "o0", "sh0"}); }

  std::string early(unsigned phase) {
    const auto op = [&](const std::string& name, const std::string& sources) {
      return std::string(phase == 0 ? "p0: " : "p1: ") + name + (phase == 0 ? " ft0, " : " ft1, ") + sources;
    };
    switch (pick(phase == 0 ? 8 : 5)) {
      case 0:
        return op("fmul", reg() + ", " + reg());
      case 1:
        return op("fmad", reg() + ", " + reg() + ", " + reg());
      case 2:
        return op("fadd.sat", reg() + ".neg, " + reg());
      case 5:
        return "p0: umadd64 ft0, fte, " + reg() + ", " + reg() + ", " + reg() + ", is0";
      case 6:
        return op("unpck.s32", reg());
      case 7:
        return "p0: frcp w0, " + reg();
      default:
        return op("mbyp", reg());
    }
  }

  std::string main_group() {
    std::string text = "main { ";
    const bool p1 = pick(2) == 0, phase2 = pick(2) == 0, backend = pick(5) == 0;
    if (pick(4) != 0 || p1) text += early(0) + "; ";
    if (p1) text += early(1) + "; ";
    if (phase2 && pick(3) == 0) text += one_of({"pck.zero ft2; ", "pck.u32 ft2, is3; "});
    const bool test = phase2 && pick(2) == 0;
    if (test) text += one_of({"tstz ftt, p0, is1; ", "tstl ftt, _, is1, is2; ", "tstc ftt, _; "});
    if (phase2)
      text += test ? "movc w0, w1, ftt, " + feed() + ", " + feed() + "; "
                   : "mov w0" + one_of({"", ".e1", ".none"}) + ", " + feed() + "; ";
    if (backend)
      text +=
          one_of({"uvsw.write w0, 3; ", "uvsw.write w1, 3; ", "fitr.pixel s3, drc0, s0, 2; ", "uvsw.emit.endtask; "});
    text += "s0 = " + reg() + "; is0 = " + one_of({"s0", "s1", "s3"}) + "; is1 = " + one_of({"ft0", "fte"}) +
            "; is2 = " + one_of({"ft1", "fte"}) + "; is3 = " + one_of({"ft0", "ft1", "fte"}) + "; is4 = " + feed() +
            "; is5 = " + feed() + "; ";
    if (pick(4) != 0) text += "w0 = " + target() + "; ";
    if (pick(4) == 0) text += "w1 = " + target() + "; ";
    return text + "}";
  }
  std::string feed() { return one_of({"ft0", "ft1", "ft2", "fte"}); }

  std::string bitwise_group() {
    std::string text = "bit { ";
    const auto value = [&] { return one_of({"r0", "r1", "r2", "sc143", "vi0"}); };
    if (pick(5) != 0) text += "byp ft0, ft1, s0, " + one_of({"s1", "s1", "0x00FF0F0F", "0x77"}) + "; ";
    const bool logical = pick(2) == 0;
    if (text.size() > 6 && pick(2) == 0) text += one_of({"byp ft2, s2; ", "lsl ft2, s2, s1; "});
    if (logical)
      text += one_of({"and", "or", "xor", "nand", "nor", "xnor"}) + " ft4, " + one_of({"_", "_", "ft1"}) + ", ft2, " +
              one_of({"_", "_", "ft1.invert"}) + ", s3; ";
    if (!logical || pick(3) == 0) {
      text += one_of({"lsl", "shr", "rol", "asr.twb", "asr.mtb", "lsl"}) + " ft5, ft4, s4; ";
      if (pick(3) == 0) text += "tz p0, ft5; ";
    }
    text += "s0 = sc0; s1 = " + value() + "; s2 = " + value() + "; s3 = " + value() +
            "; s4 = " + one_of({"sc0", "sc3", "sc0", "r1"}) + "; ";
    if (pick(5) != 0) text += "w0 = " + one_of({"r0", "r1", "r2"}) + "; ";
    return text + "}";
  }

 private:
  std::mt19937_64& random_;
};

/// So many groups that break no rule.
template <class Text>
std::vector<Group> groups_of(std::size_t count, Text text) {
  std::vector<Group> all;
  while (all.size() < count) {
    const auto program = parse({"t", text()}, "");
    if (program && !program->code.empty() && check_groups(*program).empty())
      all.push_back(decode_group(program->code, 0));
  }
  return all;
}

TEST(Merge, MergedMainGroupsDoTheSame) {
  std::mt19937_64 random(3);
  Words words(random);
  const std::vector<Group> groups = groups_of(300, [&] { return words.main_group(); });
  std::size_t count = 0;
  for (int run = 0; run < 20000; ++run) {
    const Group &first = groups[words.pick(groups.size())], &second = groups[words.pick(groups.size())];
    RegisterSet dead;
    for (unsigned i = 0; i < 4; ++i) dead.set(i, random() % 2 != 0);
    const auto result = merge(first, second, dead);
    if (!result) continue;
    ++count;
    Evaluator apart, together;
    apart.run(first);
    apart.run(second);
    const Bytes code = bytes_of_group(*result);
    const Group read = decode_group(code, 0);
    ASSERT_FALSE(read.raw());
    together.run(read);
    for (Evaluator* each : {&apart, &together})
      std::erase_if(each->effects.registers, [&](const auto& entry) {
        const bool unneeded = entry.first.size() == 2 && entry.first[0] == 'r' &&
                              dead.test(static_cast<std::size_t>(entry.first[1] - '0'));
        return unneeded || entry.first == entry.second;
      });
    const std::string all = print_code(bytes_of_group(first)) + print_code(bytes_of_group(second)) + print_code(code);
    ASSERT_EQ(apart.effects.registers, together.effects.registers) << all;
    ASSERT_EQ(apart.effects.backend, together.effects.backend) << all;
  }
  EXPECT_GT(count, 500u);
}

TEST(Merge, MergedBitwiseGroupsDoTheSame) {
  std::mt19937_64 random(4);
  Words words(random);
  const std::vector<Group> groups = groups_of(300, [&] { return words.bitwise_group(); });
  std::size_t count = 0;
  for (int run = 0; run < 20000; ++run) {
    const Group &first = groups[words.pick(groups.size())], &second = groups[words.pick(groups.size())];
    RegisterSet dead;
    for (unsigned i = 0; i < 3; ++i) dead.set(i, random() % 2 != 0);
    const auto result = merge(first, second, dead);
    if (!result) continue;
    ++count;
    BitState apart;
    for (const char* name : {"r0", "r1", "r2", "vi0"}) apart.registers[name] = static_cast<std::uint32_t>(random());
    apart.p0 = random() % 2 != 0;
    BitState together = apart;
    run_bitwise(first, apart);
    run_bitwise(second, apart);
    const Bytes code = bytes_of_group(*result);
    run_bitwise(decode_group(code, 0), together);
    const std::string all = print_code(bytes_of_group(first)) + print_code(bytes_of_group(second)) + print_code(code);
    for (unsigned i = 0; i < 3; ++i)
      if (!dead.test(i)) {
        ASSERT_EQ(apart.registers["r" + std::to_string(i)], together.registers["r" + std::to_string(i)]) << all;
      }
    ASSERT_EQ(apart.p0, together.p0) << all;
  }
  EXPECT_GT(count, 150u);
}

}  // namespace
}  // namespace mobula::rogue
