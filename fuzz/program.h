// How the fuzz targets make a program of their input: the high digit of the first byte chooses the machine, the
// low one the variant; the rest is code or text.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "mobula/isa/machine.h"

namespace mobula::fuzz {

struct Choice {
  const Machine* machine = nullptr;
  std::string variant;
  std::span<const std::uint8_t> rest;
};

/// `data` is not empty.
inline Choice choose(std::span<const std::uint8_t> data) {
  const Machine& machine = *machines()[(data[0] >> 4) % machines().size()];
  const Variant& variant = machine.variants()[(data[0] & 15) % machine.variants().size()];
  return {&machine, std::string(variant.name), data.subspan(1)};
}

inline Program program_of(const Choice& choice) {
  Program program;
  program.machine = choice.machine->name();
  program.variant = choice.variant;
  program.code.assign(choice.rest.begin(), choice.rest.end());
  return program;
}

}  // namespace mobula::fuzz
