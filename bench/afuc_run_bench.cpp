// Speed of the firmware emulator: switching on (a start of the command without its process), and instructions per
// second over a stream of packets and over a loop that only computes. Real images where scripts/fetch-firmware has put
// them; the emulator's own test firmware otherwise.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "mobula/afuc/emulator.h"
#include "mobula/isa/firmware.h"
#include "mobula/isa/machine.h"
#include "mobula/isa/pm4.h"

namespace mobula {
namespace {

using Words = std::vector<std::uint32_t>;

std::vector<std::uint8_t> read_bytes(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::filesystem::path cache() {
  if (const char* chosen = std::getenv("MOBULA_FIRMWARE")) return chosen;
  if (const char* user = std::getenv("XDG_CACHE_HOME")) return std::filesystem::path(user) / "mobula/firmware";
  const char* home = std::getenv("HOME");
  return std::filesystem::path(home == nullptr ? "" : home) / ".cache/mobula/firmware";
}

Words words_of(const std::vector<std::uint8_t>& code) {
  Words words;
  for (std::size_t i = 4; i + 4 <= code.size(); i += 4)
    words.push_back(firmware::load_word(std::span(code).subspan(i), 0));
  return words;
}

Words assembled(const std::string& text) {
  return words_of(find_machine("afuc")->assemble({"bench", text}, {}).value().code);
}

Words own_firmware() {
  const auto bytes = read_bytes(MOBULA_SOURCE "/tests/data/afuc/run.asm");
  return assembled({bytes.begin(), bytes.end()});
}

/// The newest image of this name; our own firmware where there is none.
Words image(const std::string& name) {
  std::filesystem::path newest;
  std::error_code missing;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(cache(), missing))
    if (entry.path().filename() == name && entry.path() > newest) newest = entry.path();
  return newest.empty() ? own_firmware() : words_of(read_bytes(newest));
}

std::uint64_t instructions_of(const afuc::Emulator& emulator) {
  std::uint64_t all = 0;
  for (const afuc::CoreReport& core : emulator.cores()) all += core.instructions;
  return all;
}

void boot(benchmark::State& state, const char* name) {
  const Words words = image(name);
  for (auto _ : state) {
    auto emulator = afuc::Emulator::create({words});
    benchmark::DoNotOptimize(emulator->boot());
  }
}
BENCHMARK_CAPTURE(boot, a630, "a630_sqe.fw")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(boot, gen70900, "gen70900_sqe.fw")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(boot, gen80100, "gen80100_sqe.fw")->Unit(benchmark::kMillisecond);

/// What a driver sends for a draw: states, registers, memory, waits, from an indirect buffer.
constexpr std::string_view frame = R"(
CP_INDIRECT_BUFFER 0x100000 0 0x2c
CP_MEM_WRITE 0x30000 1 1 2
.at 0x100000
pkt4 0x8100 0x11
pkt4 0x8101 1 2 3
CP_CONTEXT_REG_BUNCH 0x8102 1 0x8104 2 0x8106 3
CP_SET_DRAW_STATE 0x01000000 0x50000 0 0x02000000 0x60000 0
CP_NOP 1 2 3 4 5
CP_MEM_WRITE 0x20000 1 0xdead
pkt4 0x8110 1 2 3 4 5 6 7 8
CP_NOP
CP_NOP 1
pkt4 0x8100 0x12
)";

void packets(benchmark::State& state, const char* name) {
  auto emulator = afuc::Emulator::create({image(name)});
  emulator->boot();
  const auto stream = pm4::assemble({"frame", frame}).value();
  for (const pm4::Buffer& buffer : stream.memory) (void)emulator->write_memory(buffer.address, buffer.words);
  Words ring;
  for (unsigned i = 0; i < 1000; ++i) ring.insert(ring.end(), stream.ring.begin(), stream.ring.end());
  const std::uint64_t before = instructions_of(*emulator);
  for (auto _ : state)
    if (!emulator->run(ring).ok) state.SkipWithError(emulator->cores().front().reason.c_str());
  state.SetItemsProcessed(static_cast<std::int64_t>(instructions_of(*emulator) - before));
}
BENCHMARK_CAPTURE(packets, own, "");
BENCHMARK_CAPTURE(packets, a630, "a630_sqe.fw");
BENCHMARK_CAPTURE(packets, a740, "a740_sqe.fw");

void loop(benchmark::State& state) {
  const Words words = assembled(
      "[016ee001]\n[#jumptbl]\nmov $02, 0x2\nmov $03, 0x10 << 16\nmov $04, 0x1\nagain:\nadd $05, $05, $04\n"
      "xor $06, $05, $02\nshl $07, $06, 0x3\nmin $08, $07, $05\nsub $03, $03, 0x1\nbrne $03, 0x0, #again\n"
      "addhi $09, $09, $00\nwaitin\nmov $01, $data\njumptbl:\n.jumptbl\n");
  std::uint64_t instructions = 0;
  for (auto _ : state) {
    auto emulator = afuc::Emulator::create({words}, {.packet_instructions = 1u << 24});
    if (!emulator->boot()) state.SkipWithError(emulator->cores().front().reason.c_str());
    instructions += instructions_of(*emulator);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(instructions));
}
BENCHMARK(loop)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace mobula
