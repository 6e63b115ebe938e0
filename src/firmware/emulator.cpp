#include "mobula/lab/firmware_emulator.h"

#include "laboratory/laboratory.h"
#include "mobula/isa/firmware.h"

namespace mobula::firmware {
namespace {

/// The words of an image from its word 0.
std::vector<std::uint32_t> words_of(const Program& image) {
  const Layout found = layout(image.code);
  const auto from_word0 = std::span(image.code).subspan(found.byte_offset);
  std::vector<std::uint32_t> words(found.words);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = load_word(from_word0, i);
  return words;
}

}  // namespace

std::string_view name(Event::Kind kind) {
  constexpr std::string_view names[] = {"packet",       "gpu_write",   "gpu_read", "pipe_select", "pipe_write",
                                        "memory_write", "memory_read", "sds_word", "forward",     "control_write",
                                        "violation",    "error",       "interrupt"};
  return names[static_cast<std::size_t>(kind)];
}

std::string_view name(Halt halt) {
  constexpr std::string_view names[] = {"idle", "stuck", "endless", "fault", "running", "off"};
  return names[static_cast<std::size_t>(halt)];
}

Spent& Spent::operator+=(const Spent& other) {
  instructions += other.instructions;
  waits += other.waits;
  stream_words += other.stream_words;
  memory_reads += other.memory_reads;
  memory_writes += other.memory_writes;
  register_reads += other.register_reads;
  register_writes += other.register_writes;
  return *this;
}

Result<std::unique_ptr<Emulator>> switch_on(std::span<const Program> images, EmulatorOptions options) {
  if (images.empty()) return fail("AF110", "there is no image to run");
  const std::string& machine = images.front().machine;
  if (!has_ability(machine, Ability::firmware)) return fail(lacks_ability(machine, Ability::firmware));
  std::vector<std::vector<std::uint32_t>> words;
  words.reserve(images.size());
  for (const Program& image : images) {
    if (image.machine != machine)
      return fail("AF167", "images of " + machine + " and " + image.machine + " do not run together");
    words.push_back(words_of(image));
  }
  if (options.chip.empty()) options.chip = images.front().variant;
  return find_laboratory(machine)->emulator(std::move(words), std::move(options));
}

}  // namespace mobula::firmware
