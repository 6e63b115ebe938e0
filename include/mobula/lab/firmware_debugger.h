// Firmware that is stepped while it processes streams, forward and back.
//
// Use: create() boots and stops before the first instruction of the streams; step(), go(), back(); emulator() shows
// registers and memory. Going back executes everything again up to there, with what was written in between. Errors:
// DB010 no such place, DB011 nothing to go back to, DB012 no such register.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mobula/isa/firmware_info.h"
#include "mobula/lab/firmware_run.h"

namespace mobula::firmware {

class MOBULA_API Debugger {
 public:
  /// unfinished: as much was executed as was allowed; asking again goes on.
  enum class Halt : std::uint8_t { stepped, breakpoint, watch, end, unfinished };
  /// A word of a core's program.
  struct Point {
    std::size_t core = 0;
    std::uint32_t word = 0;
    auto operator<=>(const Point&) const = default;  // NOLINT(modernize-use-nullptr): the 0 it is compared with
  };
  /// A register of a core, by its position in Emulator::register_names().
  struct Register {
    std::size_t core = 0, number = 0;
    auto operator<=>(const Register&) const = default;  // NOLINT(modernize-use-nullptr): the 0 it is compared with
  };

  /// Fails where switching on does, where the boot does, and for words that memory has no room for. `rounds` follow
  /// each other; the streams of one run at the same time. Hooks of `options` are replaced.
  static Result<Debugger> create(std::vector<Program> images, EmulatorOptions options,
                                 std::vector<std::vector<StreamInput>> rounds, std::vector<pm4::Buffer> memory);

  /// The next instructions of the current core, and what others execute in that time.
  Halt step(std::uint64_t count);
  /// To a breakpoint of any core, which becomes the current one, to a change of what is watched, or to the end; `most`
  /// instructions at a time.
  Halt go(std::uint64_t most = ~std::uint64_t{0});
  /// To before the last instructions of the current core.
  Result<void> back(std::uint64_t count);

  std::set<Point> breakpoints;
  std::set<Register> watched;
  std::size_t core = 0;  ///< the current one

  /// "CP_NOP", "CP_NOP+3", "fxn22", "0x21", each with "ME:" in front where it is not the current core's.
  [[nodiscard]] Result<Point> point(std::string_view text) const;
  [[nodiscard]] Result<std::size_t> register_number(std::string_view name) const;
  /// What was watched and has changed.
  [[nodiscard]] Register changed() const { return changed_; }
  /// The place of a word and its instruction; null if it is none.
  [[nodiscard]] const Place* place(Point at) const;
  [[nodiscard]] Point next(std::size_t of_core) const { return {of_core, emulator_->next_word(of_core)}; }
  [[nodiscard]] bool ended() const { return ended_; }
  /// Executed since the streams began, by all cores.
  [[nodiscard]] std::uint64_t instructions() const { return history_.size(); }
  /// What the last step or go did to the world; of the round that runs now.
  [[nodiscard]] std::vector<Event> events() const;

  [[nodiscard]] const Emulator& emulator() const { return *emulator_; }
  void set_register(Register which, std::uint32_t value);
  Result<void> set_memory(std::uint64_t address, std::uint32_t value);

 private:
  /// What a person wrote, and after how many instructions.
  struct Edit {
    std::uint64_t after = 0;
    std::optional<Register> which;  ///< nothing: memory
    std::uint64_t address = 0;
    std::uint32_t value = 0;
  };

  Debugger() = default;
  Result<void> start();
  Result<void> begin_round();
  bool advance();
  void apply(const Edit& edit);

  std::vector<Program> images_;
  EmulatorOptions options_;
  std::vector<std::vector<StreamInput>> rounds_;
  std::vector<pm4::Buffer> memory_;
  std::map<std::pair<std::string, std::uint32_t>, Place> texts_;
  std::vector<std::string> names_;  ///< of cores

  std::unique_ptr<Emulator> emulator_;
  std::unique_ptr<Executed> last_;     ///< at a fixed place, for the hook
  std::vector<std::uint8_t> history_;  ///< which core executed each instruction
  std::vector<Edit> edits_;
  std::size_t round_ = 0, first_event_ = 0;
  bool ended_ = false;
  Register changed_;
};

}  // namespace mobula::firmware
