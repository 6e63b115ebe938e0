// Any bytes as firmware that boots, and as streams for firmware that works: it ends, and within its limits. The first
// byte chooses: any words as one image, or a program of tests/data/afuc, of which some words may be changed.
// seeds: tests/data/afuc/*.fw
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "fuzz/target.h"
#include "mobula/afuc/emulator.h"
#include "mobula/isa/machine.h"
#include "paths.h"

using namespace mobula;

namespace {

using Words = std::vector<std::uint32_t>;

Words own_image(const std::string& name) {
  std::ifstream in(test::test_data("afuc/") + name);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto program = find_machine("afuc")->assemble({name, text}, {});
  if (!program) std::abort();
  Words words;
  for (std::size_t i = 4; i + 4 <= program->code.size(); i += 4)
    words.push_back(program->code[i] | program->code[i + 1] << 8 | program->code[i + 2] << 16 |
                    std::uint32_t{program->code[i + 3]} << 24);
  return words;
}

/// Firmware that works: single programs, several cores in one image, and the two of an a5xx.
const std::vector<std::vector<Words>>& own_firmware() {
  static const std::vector<std::vector<Words>> all{{own_image("run.asm")},
                                                   {own_image("hardware.asm")},
                                                   {own_image("cores.asm")},
                                                   {own_image("pfp.asm"), own_image("me.asm")}};
  return all;
}

/// Changes as many words as the low digit of `how` says; the changes are taken off the front of `rest`.
void change(Words& image, std::uint8_t how, Words& rest) {
  const std::size_t changes = std::min<std::size_t>(how & 15, rest.size() / 2);
  for (std::size_t i = 0; i < changes; ++i) image[rest[2 * i] % image.size()] = rest[2 * i + 1];
  rest.erase(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(2 * changes));
}

}  // namespace

FUZZ_TARGET(firmware_fuzz) {
  if (size < 8) return 0;
  Words words;
  for (std::size_t i = 4; i + 4 <= size; i += 4)
    words.push_back(data[i] | data[i + 1] << 8 | data[i + 2] << 16 | std::uint32_t{data[i + 3]} << 24);
  constexpr std::string_view chips[] = {"a530", "a630", "a660", "a730", "a750", "gen80000"};
  afuc::EmulatorOptions options;
  options.packet_instructions = 2000;
  options.buffer_packets = 500;
  options.instructions = 20000;
  options.memory_bytes = 1 << 20;
  options.events = 1000;
  options.control_events = options.read_events = (data[2] & 1) != 0;
  options.profile = (data[2] & 2) != 0;
  options.secure = (data[2] & 4) == 0;
  if ((data[3] & 1) != 0) options.policies = {{"pair", "trap"}, {"shift", "wrap"}};

  std::vector<Words> images;
  if ((data[0] & 0x80) != 0) {
    images = own_firmware()[(data[0] & 0x7F) % own_firmware().size()];
    change(images.back(), data[1], words);
  } else {
    options.chip = chips[data[0] % std::size(chips)];
    const std::size_t split = std::min<std::size_t>(1 + data[1] * 4, words.size());
    images.emplace_back(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(split));
    words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(split));
  }
  auto emulator = afuc::Emulator::create(std::move(images), options);
  if (!emulator) {
    if (!has_errors(emulator.error())) std::abort();
    return 0;
  }
  emulator->boot();
  // The first half of the words is memory, where streams may lead; all of them are each core's stream.
  (void)emulator->write_memory(0x20000, std::span(words).first(words.size() / 2));
  if ((data[3] & 2) != 0) emulator->write_register(0x8A0, 1);
  std::vector<afuc::CoreStream> streams;
  for (std::size_t core = 0; core < emulator->cores().size(); ++core)
    if (core == 0 || (data[3] & 4) != 0) streams.push_back({core, words});
  const auto report = emulator->run(streams);
  if (!report || report->events.size() > options.events || report->packets.size() > options.events) std::abort();
  for (const afuc::Event& event : report->events) (void)emulator->name_of(event);
  const auto cores = emulator->cores();
  for (std::size_t core = 0; core < cores.size(); ++core) {
    if (cores[core].halt == afuc::Halt::fault && cores[core].reason.empty()) std::abort();
    (void)emulator->executions(core);
  }
  (void)emulator->profile();
  return 0;
}
