// Words of the reference's worked examples as program bytes.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace mobula::utgard_gp {

inline std::vector<std::uint8_t> code_of(std::initializer_list<std::uint32_t> words) {
  std::vector<std::uint8_t> bytes;
  for (const std::uint32_t word : words)
    for (unsigned i = 0; i < 4; ++i) bytes.push_back(static_cast<std::uint8_t>(word >> (8 * i)));
  return bytes;
}

/// 9.1: ARM's compiler, linked: vColor = aColor; gl_Position = aPosition.
inline std::vector<std::uint8_t> program_a() {
  return code_of({0xad4ad463, 0x438002b5, 0x0147ff80, 0x000a8d30, 0xad4fda56, 0x038022ce, 0x0007ff80,
                  0x000ad510, 0xb04b02cd, 0x47802ac2, 0x42462180, 0x000a8d08, 0xad490722, 0x438082b5,
                  0x0007ff80, 0x000d5700, 0xad4a4980, 0x438002b5, 0x0007ff80, 0x000ad500, 0xb5cbcafb,
                  0x038049d3, 0x0007ff80, 0x000ad500, 0x6c8b42b5, 0x03804193, 0xc643c080, 0x000ac508});
}

/// 9.2: v0.xyz = attr0.xyz * u0.xyz * u2.x + u1.xyz; v0.w = u2.x.
inline std::vector<std::uint8_t> program_b() {
  return code_of({0xad4ad6b5, 0x0380a2cc, 0x0007ff80, 0x000ad500, 0xad4685c2, 0x438002b5, 0x0007ff80,
                  0x000ad500, 0xad4cc980, 0x438022d9, 0x0007ff80, 0x000ad500, 0xad48ca3b, 0x038041d3,
                  0x0007ff80, 0x000ad500, 0x6c8b66b5, 0x03804193, 0x4243c080, 0x000ac508});
}

/// 9.3: a counted loop.
inline std::vector<std::uint8_t> program_c() {
  return code_of({0xb0cb0ac0, 0x43802ac1, 0x00006500, 0x000ad500, 0xb00b36b5, 0x4780aacc, 0x84072c00, 0x000ad500,
                  0xad4ad6b5, 0x038002b5, 0x0007ff80, 0x000ad500, 0xad4ad6b5, 0x038002b5, 0x0007ff80, 0x000ad500,
                  0x010ad6b5, 0x838002b5, 0x0017ff80, 0x000ad500, 0x210b42b5, 0x83800ab5, 0x003fff80, 0x000ad500,
                  0x040b4eb5, 0x038002b5, 0x000fff80, 0x000ad500, 0xad484eb5, 0x038002b5, 0x0007ff80, 0x000ad500,
                  0x994ad6b5, 0x838002b5, 0x0027ff80, 0x000ad500, 0xad4ad6b5, 0x038002b5, 0x0007ffe0, 0x0dd85500,
                  0x718ad6b5, 0x838081e5, 0x84070780, 0x000ad500, 0xad4ad6b5, 0x038002b5, 0x0007ff80, 0x000ad500,
                  0xad4ad6b5, 0x0380c2b5, 0x0007ffe0, 0x04d65500, 0xad4ad4e7, 0x038002b5, 0x0147ff80, 0x000a9d30,
                  0xad43da56, 0x038002b5, 0x0007ff80, 0x000ad510, 0xb10ad6b5, 0x03800ab5, 0x0007ff80, 0x000ad500,
                  0xb34d1b50, 0x0380eada, 0x0007ff80, 0x000ad500, 0xb3074e25, 0x03802acd, 0x8246ff80, 0x0008c108,
                  0x74c86a32, 0x838062c6, 0xc647d080, 0x00031908, 0x64cb42d7, 0x038041b2, 0x40026400, 0x000ad508});
}

}  // namespace mobula::utgard_gp
