// Speed of afuc text in words of firmware per second, over the real images that scripts/fetch-firmware gets, or a
// program of our own laid end to end where they are missing.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "mobula/isa/firmware.h"
#include "mobula/isa/machine.h"

namespace mobula {
namespace {

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

const std::vector<Program>& images() {
  static const std::vector<Program> all = [] {
    std::vector<Program> list;
    const auto add = [&](std::vector<std::uint8_t> code) {
      Program& program = list.emplace_back();
      program.machine = "afuc";
      program.variant = "auto";
      program.code = std::move(code);
    };
    std::error_code missing;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(cache(), missing))
      if (entry.path().extension() == ".fw")
        if (auto bytes = read_bytes(entry.path()); !firmware::is_older_firmware(bytes)) add(std::move(bytes));
    if (!list.empty()) return list;
    std::string text = "[016ee001]\n[#jumptbl]\n";
    for (unsigned i = 0; i < 200; ++i)
      text += "mov $02, $data\ncwrite $02, [$00 + @REG_WRITE_ADDR]\nbrne $02, 0x1, #+3\nnop\n";
    text += "waitin\nmov $01, $data\njumptbl:\n.jumptbl\n";
    add(find_machine("afuc")->assemble({"own", text}, {}).value().code);
    return list;
  }();
  return all;
}

void count_words(benchmark::State& state) {
  std::size_t bytes = 0;
  for (const Program& image : images()) bytes += image.code.size();
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * bytes / 4));
}

void disassemble(benchmark::State& state) {
  const Machine* machine = find_machine("afuc");
  for (auto _ : state)
    for (const Program& image : images()) {
      auto listing = machine->disassemble(image, {});
      benchmark::DoNotOptimize(listing.value().text.data());
    }
  count_words(state);
}
BENCHMARK(disassemble);

void assemble(benchmark::State& state) {
  const Machine* machine = find_machine("afuc");
  std::vector<std::string> texts;
  for (const Program& image : images()) texts.push_back(machine->disassemble(image, {}).value().text);
  for (auto _ : state)
    for (const std::string& text : texts) {
      auto program = machine->assemble({"text", text}, {});
      benchmark::DoNotOptimize(program.value().code.data());
    }
  count_words(state);
}
BENCHMARK(assemble);

void check(benchmark::State& state) {
  const Machine* machine = find_machine("afuc");
  for (auto _ : state)
    for (const Program& image : images()) {
      auto findings = machine->check(image);
      benchmark::DoNotOptimize(findings.data());
    }
  count_words(state);
}
BENCHMARK(check);

}  // namespace
}  // namespace mobula
