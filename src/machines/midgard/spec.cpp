#include "machines/midgard/spec.h"

namespace mobula::midgard {

const std::array<TagInfo, 16> tags{{
    {"invalid", 0, Pipe::none, "never legal", {Status::driver, "2.1"}},
    {"break", 0, Pipe::none, "as next or target tag: the thread ends", {Status::seed, "2.1"}},
    {"tex/vt", 1, Pipe::texture, "texture without quad synchronisation", {Status::driver, "2.1"}},
    {"tex", 1, Pipe::texture, "texture with quad synchronisation", {Status::seed, "2.1"}},
    {"tex/bar", 1, Pipe::texture, "barrier", {Status::driver, "2.1"}},
    {"ldst", 1, Pipe::load_store, "load/store", {Status::seed, "2.1"}},
    {"unk1", 1, Pipe::none, "unknown; length assumed", {Status::unknown, "2.1"}},
    {"unk2", 1, Pipe::none, "unknown; length assumed", {Status::unknown, "2.1"}},
    {"alu/4", 1, Pipe::alu, "ALU", {Status::seed, "2.1"}},
    {"alu/8", 2, Pipe::alu, "ALU", {Status::seed, "2.1"}},
    {"alu/12", 3, Pipe::alu, "ALU", {Status::seed, "2.1"}},
    {"alu/16", 4, Pipe::alu, "ALU", {Status::seed, "2.1"}},
    {"aluw/4", 1, Pipe::alu, "ALU with writeout or tile wait", {Status::driver, "2.1"}},
    {"aluw/8", 2, Pipe::alu, "ALU with writeout or tile wait", {Status::driver, "2.1"}},
    {"aluw/12", 3, Pipe::alu, "ALU with writeout or tile wait", {Status::driver, "2.1"}},
    {"aluw/16", 4, Pipe::alu, "ALU with writeout or tile wait", {Status::driver, "2.1"}},
}};

std::span<const Format* const> formats() {
  static constexpr std::array<const Format*, 17> all{
      &control::format, &reg::format,       &vec::format,          &vecsrc::format,    &vecinline::format,
      &scalar::format,  &scalarsrc::format, &scalarinline::format, &brcond::format,    &bruncond::format,
      &brx::format,     &tex::format,       &texselect::format,    &texoffset::format, &texoffsetreg::format,
      &ldst::format,    &ls::format};
  return all;
}

}  // namespace mobula::midgard
