// glslang looks for each constant that it writes among all of its kind, one after the other. It calls what writes them
// through these (--wrap of the linker, src/CMakeLists.txt), which know where each is.
#include "compile/front/constants.h"

#include <glslang/SPIRV/SpvBuilder.h>

#include <bit>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

// NOLINTBEGIN(readability-identifier-naming): what the linker calls them
#define MOBULA_INTEGER "_ZN3spv7Builder15makeIntConstantEjjb"
#define MOBULA_NUMBER "_ZN3spv7Builder17makeFloatConstantEfb"
#ifdef _LIBCPP_VERSION
#define MOBULA_COMPOSITE "_ZN3spv7Builder21makeCompositeConstantEjRKNSt3__26vectorIjNS1_9allocatorIjEEEEb"
#else
#define MOBULA_COMPOSITE "_ZN3spv7Builder21makeCompositeConstantEjRKSt6vectorIjSaIjEEb"
#endif
// NOLINTEND(readability-identifier-naming)

namespace mobula::compile {
namespace {

using spv::Builder;
using spv::Id;

/// By type and what they are made of: bits, or other constants.
using Constants = std::map<std::pair<Id, std::vector<std::uint32_t>>, Id>;
Constants& constants() {
  static thread_local Constants now;
  return now;
}

/// The lists that glslang looks through. It finds what it writes for itself in them, which is little.
class Lists : public Builder {
 public:
  static void keep_short(Builder& builder, spv::Op type_class, Id last) {
    constexpr std::size_t short_enough = 64;
    std::vector<spv::Instruction*>& list = (builder.*(&Lists::groupedConstants))[type_class];
    if (list.size() > short_enough && list.back()->getResultId() == last) list.pop_back();
  }
};

template <class Make>
Id known_or_made(Builder& builder, Id type, std::vector<std::uint32_t> parts, Make make) {
  const auto [known, is_new] = constants().try_emplace({type, std::move(parts)});
  if (!is_new) return known->second;
  known->second = make();
  Lists::keep_short(builder, builder.getTypeClass(type), known->second);
  return known->second;
}

}  // namespace

void begin_writing() { constants().clear(); }

Id library_integer(Builder* builder, Id type, unsigned value, bool is_specialised) asm("__real_" MOBULA_INTEGER);
Id library_number(Builder* builder, float value, bool is_specialised) asm("__real_" MOBULA_NUMBER);
Id library_composite(Builder* builder, Id type, const std::vector<Id>& parts,
                     bool is_specialised) asm("__real_" MOBULA_COMPOSITE);

Id written_integer(Builder* builder, Id type, unsigned value, bool is_specialised) asm("__wrap_" MOBULA_INTEGER)
    __attribute__((used));
Id written_integer(Builder* builder, Id type, unsigned value, bool is_specialised) {
  if (is_specialised) return library_integer(builder, type, value, true);
  return known_or_made(*builder, type, {value}, [&] { return library_integer(builder, type, value, false); });
}

Id written_number(Builder* builder, float value, bool is_specialised) asm("__wrap_" MOBULA_NUMBER)
    __attribute__((used));
Id written_number(Builder* builder, float value, bool is_specialised) {
  if (is_specialised) return library_number(builder, value, true);
  return known_or_made(*builder, builder->makeFloatType(32), {std::bit_cast<std::uint32_t>(value)},
                       [&] { return library_number(builder, value, false); });
}

Id written_composite(Builder* builder, Id type, const std::vector<Id>& parts,
                     bool is_specialised) asm("__wrap_" MOBULA_COMPOSITE) __attribute__((used));
Id written_composite(Builder* builder, Id type, const std::vector<Id>& parts, bool is_specialised) {
  if (is_specialised) return library_composite(builder, type, parts, true);
  return known_or_made(*builder, type, parts, [&] { return library_composite(builder, type, parts, false); });
}

}  // namespace mobula::compile
