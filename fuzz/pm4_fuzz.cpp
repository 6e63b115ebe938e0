// Any bytes as words, as a capture and as text of a command stream: errors, or a stream that comes back the same.
// seeds: tests/data/afuc/*.pm4
#include <cstdlib>
#include <string>

#include "fuzz/target.h"
#include "mobula/isa/pm4.h"
#include "mobula/isa/pm4_capture.h"

using namespace mobula;

FUZZ_TARGET(pm4_fuzz) {
  constexpr std::string_view variants[] = {"a530", "a630", "a730", "a750", "gen80000"};
  const std::string_view variant = variants[size % std::size(variants)];
  pm4::Stream stream;
  for (std::size_t i = 0; i + 4 <= size; i += 4)
    stream.ring.push_back(data[i] | data[i + 1] << 8 | data[i + 2] << 16 | std::uint32_t{data[i + 3]} << 24);
  (void)pm4::check(stream.ring);
  const auto back = pm4::assemble({"", pm4::print(stream, {.variant = variant}).value()}, variant);
  if (!back || back->ring != stream.ring) std::abort();

  if (const auto capture = pm4::read_capture({data, size}, "input"))
    for (const pm4::Stream& submit : capture->submits) (void)pm4::reached_buffers(submit);

  const auto text = pm4::assemble({"input", {reinterpret_cast<const char*>(data), size}}, variant);
  if (!text && !has_errors(text.error())) std::abort();
  if (text) {
    const auto again = pm4::assemble({"", pm4::print(*text, {.variant = variant}).value()}, variant);
    if (!again || again->ring != text->ring || again->memory.size() != text->memory.size()) std::abort();
  }
  return 0;
}
