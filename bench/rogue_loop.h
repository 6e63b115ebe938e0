// A Rogue program that several benchmarks execute.
#pragma once

#include <string_view>

/// A loop as a compiler makes it: masks, a test, float and integer groups; every instance goes around 64 times.
inline constexpr std::string_view rogue_loop = R"(
       (ignorepe) ctrl { cndst always, i0, sc0, 1 }
       mov r2, sc0
       (ignorepe) ctrl { cndst always, i0, i0, 2 }
       ctrl { br.allinst after }
 body: fmad r3, r3, sc75, sc64
       fmul r4, r3, r3
       fadd r5, r4, r3
       fmad.sat r6, r5, r4, r3
       umadd32 r2, r2, sc1, sc1
       main { s0 = r2; s3 = vi0; is1 = ft0; is2 = ft1; p0: mbyp ft0, s0; p1: mbyp ft1, s3; p2: tste.u32 ftt, p0, is1, is2 }
       mov r7, sc2
       (ignorepe) ctrl { cndsm p0, i0, i0, r7 }
       (ignorepe) ctrl { cndend i0, i0, 1 }
       (ignorepe) ctrl { cndst always, i0, i0, 1 }
       (ignorepe) ctrl { cndlt always, i0, p0, i0, 2 }
       if(p0) ctrl { br body }
after: nop.end)";
