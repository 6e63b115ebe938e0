// One program for all fuzz targets: mobula-fuzz --target=NAME [libFuzzer's arguments].
#include <cstdio>
#include <cstdlib>

#include "fuzz/target.h"

static int (*chosen)(const std::uint8_t* data, std::size_t size) = nullptr;

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  constexpr std::string_view option = "--target=";
  for (int i = 1; i < *argc; ++i) {
    const std::string_view argument = (*argv)[i];
    if (!argument.starts_with(option)) continue;
    for (const mobula::fuzz::Target& target : mobula::fuzz::targets())
      if (target.name == argument.substr(option.size())) chosen = target.run;
  }
  if (chosen == nullptr) {
    std::fputs("mobula-fuzz: give one of these:\n", stderr);
    for (const mobula::fuzz::Target& target : mobula::fuzz::targets())
      std::fprintf(stderr, "  --target=%.*s\n", static_cast<int>(target.name.size()), target.name.data());
    std::exit(2);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) { return chosen(data, size); }
