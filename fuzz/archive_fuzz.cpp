// Archives: any bytes, and any bytes after the start of a zip archive, give programs or an error. What the text of a
// machine says it is for gives a machine or an error.
// seeds: tests/data/formats/*.zip examples/*.bin examples/*.mdg examples/*.rgasm
#include <cstdint>
#include <cstdlib>
#include <span>

#include "fuzz/target.h"
#include "mobula/lab/load.h"

using namespace mobula;

FUZZ_TARGET(archive_fuzz) {
  const std::span<const std::uint8_t> bytes(data, size);
  const auto programs = read_programs(bytes, {}, "input");
  if (!programs && !has_errors(programs.error())) std::abort();
  if (programs && programs->empty()) std::abort();
  const auto program = load_program(bytes, "input");
  if (!program && !has_errors(program.error())) std::abort();
  return 0;
}
