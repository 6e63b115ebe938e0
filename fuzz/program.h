// How the fuzz targets make a program of their input: the first byte chooses machine and variant, the rest is code or
// text.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mobula/machine.h"

namespace mobula::fuzz {

struct Choice {
  const Machine* machine = nullptr;
  std::string variant;
  std::span<const std::uint8_t> rest;
};

/// `data` is not empty.
inline Choice choose(std::span<const std::uint8_t> data) {
  std::vector<std::pair<const Machine*, std::string>> all;
  for (const Machine* machine : machines())
    for (const Variant& variant : machine->variants()) all.emplace_back(machine, variant.name);
  const auto& [machine, variant] = all[data[0] % all.size()];
  return {machine, variant, data.subspan(1)};
}

inline Program program_of(const Choice& choice) {
  Program program;
  program.machine = choice.machine->name();
  program.variant = choice.variant;
  program.code.assign(choice.rest.begin(), choice.rest.end());
  return program;
}

}  // namespace mobula::fuzz
