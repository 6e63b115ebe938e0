// Firmware that is stepped while it processes streams, forward and back.
//
// Use: create() boots and stops before the first instruction of the streams; step(), go(), back(); emulator() shows
// registers and memory. Going back executes everything again up to there, with what was written in between. Errors:
// DB009 no such breakpoint, DB010 no such place, DB012 no such register, DB013 memory is addressed
// in dwords, DB020 no expression.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mobula/isa/firmware_info.h"
#include "mobula/lab/expression.h"
#include "mobula/lab/firmware_run.h"

namespace mobula::firmware {

class MOBULA_API Debugger {
 public:
  /// beginning: went back to the start. unfinished: as much was executed as was allowed; asking again goes on.
  enum class Halt : std::uint8_t { stepped, breakpoint, watch, end, beginning, unfinished };
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

  /// Fails if switching on or booting fails, or memory has no room for a word. `rounds` follow
  /// each other; the streams of one run at the same time. Hooks of `options` are replaced.
  static Result<Debugger> create(std::vector<Program> images, EmulatorOptions options,
                                 std::vector<std::vector<StreamInput>> rounds, std::vector<pm4::Buffer> memory);

  ~Debugger();
  Debugger(Debugger&&) noexcept;
  Debugger& operator=(Debugger&&) noexcept;

  // ---- going on

  /// The next instructions of the current core, and what others execute in that time; breakpoints also stop it.
  Halt step(std::uint64_t count);
  /// Where the current core is to get.
  struct Goal {
    std::optional<Point> place;               ///< before this word, of any core
    std::optional<std::uint32_t> call_depth;  ///< to fewer open calls than these
  };
  /// To a breakpoint of any core, which becomes the current one, to a change of what is watched, to the goal, or to the
  /// end; `most` instructions at a time.
  Halt go(const Goal& goal, std::uint64_t most = ~std::uint64_t{0});
  Halt go() { return go(Goal{}); }
  /// Undoes so many instructions of the current core: `stepped`, or `beginning` where it has executed fewer and is
  /// before its first one again. Fails where create() does.
  Result<Halt> back(std::uint64_t count);
  /// Back to where it last would have stopped, or to the start.
  Result<Halt> go_back();
  /// To the start; what was set by hand is lost.
  Result<void> restart();

  std::size_t core = 0;  ///< the current one

  // ---- where to stop

  /// A place, or a change of a register or of memory, that stops it.
  struct Breakpoint {
    std::uint32_t number = 0;             ///< from 1, given by add()
    std::optional<Point> place;           ///< before this word
    std::optional<Register> which;        ///< instead: after a change of it
    std::optional<std::uint64_t> memory;  ///< instead: after a change of the dword there, by any core
    std::string condition;                ///< empty, or an expression that must be true, in the core that came there
    bool enabled = true;
    bool temporary = false;    ///< goes with its first stop
    std::uint64_t ignore = 0;  ///< hits still to ignore
    std::uint64_t hits = 0;
  };
  /// Its number. DB013, DB020.
  Result<std::uint32_t> add(Breakpoint breakpoint);
  /// Replaces the breakpoint of the same number. DB009, DB020.
  Result<void> replace(Breakpoint breakpoint);
  /// False if there is none.
  bool remove(std::uint32_t number);
  [[nodiscard]] std::vector<Breakpoint> breakpoints() const;  ///< by number
  /// What caused the last Halt::breakpoint or Halt::watch, as it was then; otherwise empty.
  [[nodiscard]] const std::optional<Breakpoint>& halted_by() const { return halted_by_; }

  // ---- what is there

  /// "CP_NOP", "CP_NOP+3", "fxn22", "0x21", each with "ME:" in front where it is not the current core's.
  [[nodiscard]] Result<Point> point(std::string_view text) const;
  /// "$02", "ME:$17".
  [[nodiscard]] Result<Register> register_named(std::string_view text) const;
  [[nodiscard]] std::uint32_t value(Register which) const { return emulator_->registers(which.core)[which.number]; }
  /// The dword there. DB013.
  [[nodiscard]] Result<std::uint32_t> memory(std::uint64_t address) const;
  /// Registers, "rem", "pc" and places are names in it, those of other cores with "ME:" in front; "*" reads memory.
  [[nodiscard]] Result<Value> evaluate(std::string_view expression) const;
  /// The place of a word and its instruction; null if there is none.
  [[nodiscard]] const Place* place(Point at) const;
  /// Places of the current core that have a name of their own, rather than a distance from one.
  [[nodiscard]] std::vector<Place> labels() const;
  [[nodiscard]] Point next(std::size_t of_core) const { return {of_core, emulator_->next_word(of_core)}; }
  [[nodiscard]] bool ended() const { return ended_; }
  /// Instructions executed by all cores since the streams began.
  [[nodiscard]] std::uint64_t instructions() const { return history_.size(); }
  /// What the last step or go did to the world; of the round that runs now.
  [[nodiscard]] std::vector<Event> events() const;

  [[nodiscard]] const Emulator& emulator() const { return *emulator_; }
  void set_register(Register which, std::uint32_t value);
  /// DB013, and errors of the emulator's write_memory.
  Result<void> set_memory(std::uint64_t address, std::uint32_t value);

 private:
  /// What a person wrote, and after how many instructions.
  struct Edit {
    std::uint64_t after = 0;
    std::optional<Register> which;  ///< nothing: memory
    std::uint64_t address = 0;
    std::uint32_t value = 0;
  };

  struct Stops;

  Debugger();
  Result<void> start();
  Result<void> begin_round();
  bool advance();
  std::optional<Halt> stop_at_met();
  void apply(const Edit& edit);
  template <class Visit>
  Result<void> run_again(std::size_t wanted, Visit visit);
  void arm();
  std::optional<Breakpoint> met();
  /// The core that a name is about, which is taken from its front; DB010.
  Result<std::size_t> take_core(std::string_view& name, std::size_t otherwise) const;
  [[nodiscard]] Result<Register> register_named(std::string_view text, std::size_t of) const;
  [[nodiscard]] Result<Point> point(std::string_view text, std::size_t of) const;
  [[nodiscard]] Result<Value> value_of(std::string_view name, std::size_t of) const;
  [[nodiscard]] Result<Value> evaluate(const Expression& expression, std::size_t of) const;
  [[nodiscard]] std::uint32_t watched(const Breakpoint& point) const;

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
  std::unique_ptr<Stops> stops_;
  std::optional<Breakpoint> halted_by_;
};

}  // namespace mobula::firmware
