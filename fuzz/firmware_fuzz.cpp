// Any bytes as firmware that boots and gets the rest of them as a command stream: it ends, and within its limits.
// seeds: tests/data/afuc/*.pm4
#include <algorithm>
#include <cstdlib>

#include "mobula/afuc.h"

using namespace mobula;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 8) return 0;
  std::vector<std::uint32_t> words;
  for (std::size_t i = 4; i + 4 <= size; i += 4)
    words.push_back(data[i] | data[i + 1] << 8 | data[i + 2] << 16 | std::uint32_t{data[i + 3]} << 24);
  if (words.empty()) return 0;
  const std::size_t split = std::min<std::size_t>(1 + data[1] * 4, words.size());
  std::vector<std::vector<std::uint32_t>> images{{words.begin(), words.begin() + static_cast<std::ptrdiff_t>(split)}};
  constexpr std::string_view chips[] = {"a530", "a630", "a660", "a730", "a750", "gen80000"};
  afuc::EmulatorOptions options;
  options.chip = chips[data[0] % std::size(chips)];
  options.packet_instructions = 2000;
  options.instructions = 20000;
  options.memory_bytes = 1 << 20;
  options.events = 1000;
  options.control_events = options.read_events = (data[2] & 1) != 0;
  if ((data[3] & 1) != 0) options.policies = {{"pair", "trap"}, {"shift", "wrap"}};
  auto emulator = afuc::Emulator::create(std::move(images), options);
  if (!emulator) {
    if (!has_errors(emulator.error())) std::abort();
    return 0;
  }
  emulator->boot();
  const auto report = emulator->run(std::span(words).subspan(split));
  if (report.events.size() > options.events) std::abort();
  for (const afuc::Event& event : report.events) (void)emulator->name_of(event);
  for (const afuc::CoreReport& core : emulator->cores())
    if (core.halt == afuc::Halt::fault && core.reason.empty()) std::abort();
  return 0;
}
