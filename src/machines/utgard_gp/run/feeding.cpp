#include "machines/utgard_gp/run/feeding.h"

#include <charconv>
#include <set>
#include <string>

namespace mobula::utgard_gp {
namespace {

// Programs that write to uniform memory find it at the address in these slots (reference 4.1); one vec4 more than it
// has takes what is written nowhere.
constexpr std::string_view memory_low = "MEMORY.x", memory_high = "MEMORY.y";
constexpr std::uint32_t memory_bytes = (512 + 1) * 16;

/// Position in uniform buffer 0 of a slot that holds a word of it, "u[12].y"; nullopt for all others.
std::optional<std::uint32_t> uniform_word(std::string_view slot) {
  const std::size_t end = slot.find("].");
  if (!slot.starts_with("u[") || end == std::string_view::npos || end + 3 != slot.size()) return std::nullopt;
  std::uint32_t vec4 = 0;
  const auto [stop, error] = std::from_chars(slot.data() + 2, slot.data() + end, vec4);
  const std::size_t component = std::string_view("xyzw").find(slot.back());
  if (error != std::errc{} || stop != slot.data() + end || component == std::string_view::npos) return std::nullopt;
  return 4 * vec4 + static_cast<std::uint32_t>(component);
}

Diagnostic undefined_uniforms(const std::set<std::uint32_t>& vec4s, std::size_t buffer_bytes) {
  std::string list;
  for (const std::uint32_t vec4 : vec4s) list += (list.empty() ? "u[" : ", u[") + std::to_string(vec4) + ']';
  return {Severity::warning,
          "RN013",
          {},
          "the program reads " + list + ", which nothing provides: uniform memory " +
              (buffer_bytes == 0 ? "is all 0"
                                 : "ends with u[" + std::to_string((buffer_bytes - 1) / 16) + "] and is 0 beyond it"),
          "give the uniforms under uniforms, or all of the memory under uniforms_vec4"};
}

/// Words of uniform buffer 0 that a program has in its state, or the address of each thread's own copy of the buffer
/// where the program writes to it. What the buffer does not reach stays undefined.
InitialState initial_state(const FedRun& run) {
  static const std::vector<std::uint8_t> nothing;
  const auto found = run.uniform_buffers.find(0);
  const std::vector<std::uint8_t>& buffer = found == run.uniform_buffers.end() ? nothing : found->second;
  InitialState state;
  std::set<std::uint32_t> missing;  // vec4s
  for (const ir::Slot& slot : run.lifted.slots) {
    const auto word = uniform_word(slot.name);
    if (!word) continue;
    const std::size_t at = std::size_t{*word} * 4;
    if (at + 4 <= buffer.size())
      state.constants.push_back({slot, buffer[at] | std::uint32_t{buffer[at + 1]} << 8 |
                                           std::uint32_t{buffer[at + 2]} << 16 | std::uint32_t{buffer[at + 3]} << 24});
    else if (std::size_t{*word / 4} * 16 >= buffer.size())  // the last vec4 given may be a part of one
      missing.insert(*word / 4);
  }
  if (!missing.empty()) state.diagnostics.push_back(undefined_uniforms(missing, buffer.size()));
  if (run.lifted.find_slot(memory_low) != nullptr) {
    state.set_address(run.lifted, memory_low, memory_high, run.thread_local_address);
    state.thread_local_image = buffer;
  }
  return state;
}

std::optional<std::uint32_t> thread_local_bytes(const ir::Program& lifted) {
  return lifted.find_slot(memory_low) != nullptr ? std::optional(memory_bytes) : std::nullopt;
}

}  // namespace

/// Positions are stored in pixels, with 1/w (reference 5.1).
const Feeding& feeding() {
  static constexpr Feeding utgard_gp{.initial_state = initial_state, .thread_local_bytes = thread_local_bytes};
  return utgard_gp;
}

}  // namespace mobula::utgard_gp
