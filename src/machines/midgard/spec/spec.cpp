#include "machines/midgard/spec/spec.h"

namespace mobula::midgard {

std::span<const Format* const> formats() {
  static constexpr std::array<const Format*, 17> all{
      &control::format, &reg::format,       &vec::format,          &vecsrc::format,    &vecinline::format,
      &scalar::format,  &scalarsrc::format, &scalarinline::format, &brcond::format,    &bruncond::format,
      &brx::format,     &tex::format,       &texselect::format,    &texoffset::format, &texoffsetreg::format,
      &ldst::format,    &ls::format};
  return all;
}

}  // namespace mobula::midgard
