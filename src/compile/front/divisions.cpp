#include "compile/front/divisions.h"

#include <array>
#include <set>

#include "compile/front/words.h"

namespace mobula::compile {
namespace {

struct Name {
  spv::Op division, other;
};
// Others of two operands without effects, whose order counts.
constexpr std::array names{Name{spv::Op::OpSDiv, spv::Op::OpISubBorrow}, Name{spv::Op::OpSRem, spv::Op::OpOuterProduct},
                           Name{spv::Op::OpSMod, spv::Op::OpMatrixTimesMatrix},
                           Name{spv::Op::OpUDiv, spv::Op::OpMatrixTimesScalar}};

void rename(Spirv& module, spv::Op Name::*from, spv::Op Name::*to) {
  std::set<std::uint32_t> integers;  // types
  for (std::size_t at = spirv_header_words; at < module.size();) {
    const std::size_t length = std::max<std::size_t>(module[at] >> 16, 1);
    const auto op = static_cast<spv::Op>(module[at] & 0xFFFF);
    if (op == spv::Op::OpTypeInt || (op == spv::Op::OpTypeVector && integers.contains(module[at + 2])))
      integers.insert(module[at + 1]);
    for (const Name& name : names)
      if (op == name.*from && integers.contains(module[at + 1]))
        module[at] = (module[at] & 0xFFFF0000) | static_cast<std::uint32_t>(name.*to);
    at += length;
  }
}

}  // namespace

void hide_divisions(Spirv& module) { rename(module, &Name::division, &Name::other); }
void show_divisions(Spirv& module) { rename(module, &Name::other, &Name::division); }

}  // namespace mobula::compile
