// A debugger's session: one batch of threads that goes forward word by word, and backward by running again from the
// start up to where it was. Running again is exact where a snapshot would not be, for it also undoes what went out to
// memory.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/run_input.h"

namespace mobula::cli {

class Debugger {
 public:
  /// `prepared` must outlive it.
  explicit Debugger(const Prepared& prepared);

  /// Why the current thread does not go on.
  enum class Halt : std::uint8_t { stepped, breakpoint, watch, stopped };
  /// Executes words until the current thread has executed `count` of them, or stops.
  Halt step(std::uint64_t count);
  /// Goes on to a breakpoint, a watched slot's change or the thread's end.
  Halt go();
  /// To before the last `count` words of the current thread; false if it has not executed so many.
  bool back(std::uint64_t count);

  std::set<std::uint64_t> breakpoints;  ///< addresses
  std::set<const ir::Slot*> watched;
  [[nodiscard]] const ir::Slot* changed() const { return changed_; }  ///< of the last Halt::watch

  [[nodiscard]] std::uint32_t threads() const;
  [[nodiscard]] std::uint32_t lane() const { return lane_; }
  bool choose(std::uint32_t lane);  ///< the current thread; its history starts anew

  [[nodiscard]] const Thread& thread(std::uint32_t lane) const { return interpreter_->thread(lane); }
  [[nodiscard]] LaneState state(std::uint32_t lane) const { return interpreter_->state(lane); }
  /// Address of the thread's next word; nothing when it has stopped.
  [[nodiscard]] std::optional<std::uint64_t> address(std::uint32_t lane) const;
  [[nodiscard]] std::uint64_t words_executed() const { return history_.size(); }
  /// Addresses of the last words of the current thread, no more than `most`, the last one first.
  [[nodiscard]] std::vector<std::uint64_t> executed(std::size_t most) const;
  [[nodiscard]] const std::vector<LaneFault>& faults() const { return interpreter_->faults(); }

  [[nodiscard]] std::vector<std::uint8_t> read(const ir::Slot& slot) const;
  void write(const ir::Slot& slot, std::vector<std::uint8_t> bytes);
  /// What the threads have put out so far.
  [[nodiscard]] RunResult outputs() const;

 private:
  struct Edit {
    std::uint64_t steps = 0;  ///< made when so many steps had been executed
    std::uint32_t lane = 0, byte = 0;
    std::vector<std::uint8_t> bytes;
  };
  struct Execution {
    Run run;
    Run::Batch batch;
  };

  [[nodiscard]] Execution start() const;
  /// A fresh execution, gone forward by so many steps, with the edits made on the way.
  [[nodiscard]] Execution replay(std::uint64_t steps) const;
  void adopt(Execution execution);
  bool step_once();  ///< true when the current thread executed a word
  void remember_watched();

  const Prepared& prepared_;
  std::optional<Execution> execution_;
  Interpreter* interpreter_ = nullptr;  ///< of the execution
  std::uint32_t lane_ = 0;
  std::uint64_t steps_ = 0;  ///< of the interpreter, from the start
  struct Executed {
    std::uint64_t steps = 0;  ///< steps_ before it
    std::uint64_t address = 0;
  };
  std::vector<Executed> history_;          ///< words of the current thread
  std::optional<std::uint64_t> executed_;  ///< address of the last step's word, if it was the current thread's
  std::vector<Edit> edits_;
  std::vector<std::pair<const ir::Slot*, std::vector<std::uint8_t>>> before_;
  const ir::Slot* changed_ = nullptr;
};

}  // namespace mobula::cli
