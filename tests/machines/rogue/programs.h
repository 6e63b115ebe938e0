// Small Rogue programs and the ways tests look at them. Words are quoted from the reference (9) or computed from it.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "core/listing_pieces.h"
#include "machines/rogue/text/parse.h"
#include "machines/rogue/text/print.h"
#include "mobula/isa/machine.h"

namespace mobula::rogue {

using Bytes = std::vector<std::uint8_t>;

/// "25 02 87" as bytes.
inline Bytes bytes_of(std::string_view text) {
  Bytes bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 3)
    bytes.push_back(static_cast<std::uint8_t>(std::strtoul(std::string(text.substr(i, 2)).c_str(), nullptr, 16)));
  return bytes;
}

inline Program program_of(Bytes code) {
  Program program;
  program.machine = "rogue";
  program.code = std::move(code);
  return program;
}

inline std::string print_code(const Bytes& code) {
  const Program program = program_of(code);
  return joined(in_pieces(program, print, {})).text;
}

/// The bytes of a text; empty, with the errors shown, if there are none.
inline Bytes assemble(std::string_view text) {
  const auto program = parse({"t", text}, "");
  if (!program) ADD_FAILURE() << text << '\n' << render(program.error());
  return program ? program->code : Bytes{};
}

/// The codes of all errors and notes, a space after each.
inline std::string codes_of(const Diagnostics& diagnostics) {
  std::string codes;
  for (const Diagnostic& each : diagnostics) codes += each.code + ' ';
  return codes;
}
inline std::string errors_of(std::string_view text) {
  const auto program = parse({"t", text}, "");
  return program ? std::string() : codes_of(program.error());
}

inline void expect_round_trip(const Bytes& code) {
  const std::string text = print_code(code);
  const auto program = parse({"printed", text}, "");
  ASSERT_TRUE(program) << text << render(program.error());
  ASSERT_EQ(program->code, code) << text;
}

struct Example {
  std::string_view text, bytes;
};
// clang-format off
/// The worked examples of the reference (9), in the forms of text that the assembler accepts.
inline constexpr Example examples[] = {
    {"wdf drc0", "02 80 6a ff"},
    {"nop.end", "04 80 ee 00 f2 ff ff ff"},
    {"mov r0, vi1", "25 02 87 81 04 00 00 00 40 ff"},
    {"main { p2: mov.x w0.e0.e1.e2.e3, fte; s1 = g2; is0 = s1; w0 = i1 }", "46 12 d3 3f 80 ca 83 10 00 00 25 ff"},
    {"if(p0) main { p2: mov.x w0, fte; s1 = g3; is0 = s1; w0 = i1 }", "46 13 d3 3f 80 cb 83 10 00 00 25 ff"},
    {"main { s0 = sc0; s2 = g2; is0 = s2; mbyp ft0, s0; tste.u32 ftt, p0, ft0, fte }", "46 40 f9 b0 87 80 40 a0 2a 30 00 02"},
    {"smadd64 vi6, vi7, sc4, sc16, vi6, vi7, _", "27 06 eb 84 50 20 86 87 04 00 c0 06 87 22"},
    {"main { p0: mbyp ft0, vi0; p1: mbyp ft1, sc1; pck.zero ft2; tstge.u32 ftt, _, ft0, ft1; movc.x w0, w1, ftt, fte, fte; s1 = sc143; is0 = s1; is4 = ft2; is5 = ft2; w0 = i1 }",
     "89 52 df 3c fc a0 9c 1e 87 87 80 cf 90 11 01 a0 25 ff"},
    {"bit { byp ft0, ft1, s0, s1; lsl ft2, s2, s1; cbs ft3, s2; and ft4, _, ft2, _, s3; lsl ft5, ft4, s4; tz p0, ft5; s2 = sr103; s3 = sc143; s4 = sc0; w0 = r2 }",
     "68 f2 40 20 41 8c 80 40 80 27 20 8f c0 80 02 42"},
    {"bit { byp ft0, ft1, sc0, 0xC0; lsl ft2, s2, s1; cbs ft3, s2; and ft4, ft1, ft2, _, s3; shr ft5, ft4, s4; tz p0, ft5; s2 = r2; s3 = sc143; s4 = sc6; w0 = r4 }",
     "89 f2 40 21 49 9c c0 00 80 40 00 42 8f c6 80 02 44 ff"},
    {"(ignorepe) ctrl { cndst 3, i0, i0, 1 }", "44 82 67 38 24 00 24 ff"},
    {"ctrl { br.allinst +104 }", "04 80 60 04 68 00 00 00"},
    {"if(!p0) ctrl { br +84 }", "04 81 61 00 54 00 00 00"},
    {"(ignorepe) ctrl len=5 { cndend i0, i0, 1 }", "45 82 67 24 24 00 24 ff f1 ff"},
    {"ld.slc_write_back vi2, drc0, 1, vi0", "55 20 f1 84 02 00 82 c0 18 00"},
    {"main { ld.slc_write_back s3, drc0, 1, s4; s3 = vi2; s4 = vi0 }", "55 20 f1 84 02 00 82 c0 18 00"},
    {"main { st.write_back_lazy.slc_write_back s3, 2, drc0, 1, s4; s3 = vi2; s4 = vi0 }", "66 20 f2 86 b8 28 00 82 c0 18 00 ff"},
    {"main { idf drc0, s0; s0 = r0; s1 = r1 }", "44 20 e0 00 c0 a1 00 00"},
    {"mutex.lock 4", "02 80 6c c4"},
    {"main { p0: mbyp ft0, sc0; p1: mbyp ft1, sc0; w0 = idx0; w1 = r17; is4 = ft0; is5 = ft1 }", "25 36 87 87 00 00 40 05 d1 06"},
    {"mov sh0[idx0], r0[idx1]", "25 02 87 c0 0c 00 00 00 83 0c"},
    {"main olchk end { p2: mov w0, fte; s0 = sh0; w0 = o0 }", "58 9a 80 d3 3f 80 08 00 00 00 20 ff f2 ff ff ff"},
    {"fmad r0, r1, r2, r3", "25 02 c0 c1 62 00 43 00 00 40"},
    {"fmad.sat r0, -r1, r2.abs, sh2", "26 02 d9 08 c1 62 80 02 80 00 00 40"},
    {"0: fmul r4, r0, r1\n   fmad ft1, r2, r3, r5\n   mov r6, ft1", "27 36 c0 40 c0 a1 c2 63 00 45 40 84 46 ff"},
    {"fadd.sat r0, sh0, sc0", "25 02 10 80 c0 80 08 00 00 40"},
    {"frcp r0, sh0", "25 02 80 80 08 00 00 00 40 ff"},
    {"0: rpt=4 olchk\n  pck.u8888.scale o0, r0", "55 9a 06 9c 20 40 00 2c 20 ff"},
    {"main rpt=4 { uvsw.write w0, 0; s0 = r0; is4 = fte }", "54 a0 06 08 00 40 00 30"},
    {"uvsw.emit.endtask.end", "44 a0 80 05 00 00 00 ff"},
    {"fitrp.pixel r0, drc0, cf4, cf0, 2", "45 20 b0 02 c4 40 10 c0 40 00"},
    {"smp2d.fcnorm drc0, sh4, r1, sh0, _, r0, 4", "46 20 f4 4c 84 61 80 00 88 80 a0 00"},
    {"0: mbyp ft0, r1\n mbyp ft1, r2\n tstl ftt, _, ft0, ft1\n movc.x w0, w1, ftt, ft0, ft0\n mov r0, ft1", "66 52 d0 3c f0 11 87 87 41 42 10 40"},
    {"ditr.pixel r0, drc0, cf4, 2, 1, cf0", "04 80 78 00 05 00 20 00"},
    {"itrsmp2d.pixel.fcnorm.schedwdf r0, 1, drc0, cf4, sh4, sh0, 4, cf0", "05 80 70 00 05 04 02 00 2d ff"},
    {"mov r0, 0x3f9d70a4", "86 92 40 93 a4 70 9d 3f 00 00 40 ff"},
    {"mov r0, 1.23", "86 92 40 93 a4 70 9d 3f 00 00 40 ff"},
    {"lapc", "02 80 62 ff"},
    {"savl r0", "32 82 64 40"},
    {"0 : if (p0)\n s0 = r0; s1 = r1; s2 = r2; s3 = r3; s4 = r4; s5 = r5; w0 = r6; w1 = r7\n mul ft0, s0, s1 # phase 0\n"
     " mad ft1, s3, s4, s5\n mul ft2, is0, ft0\n tstz.f32 ftt, p0, is1\n movc w0,w1, ftt, ft0, ft1\n uvsw.write w0, 0\n",
     "7a 77 08 00 c4 e1 40 c0 40 c0 61 00 42 c3 64 00 45 61 86 47"},
};
// clang-format on

}  // namespace mobula::rogue
