// A debugger's session: the first batch of a run's threads goes forward word by word, and backward by running again
// from the start up to where it was. Running again is exact where a snapshot would not be, for it also undoes what went
// out to memory.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mobula/export.h"
#include "mobula/isa/program.h"
#include "mobula/isa/result.h"
#include "mobula/lab/interpreter.h"
#include "mobula/lab/run.h"

namespace mobula {

class MOBULA_API Debugger {
 public:
  /// Both programs must outlive it. Errors are those of Run::prepare, and DB001: there is no thread.
  static Result<Debugger> create(const Program& program, const ir::Program& lifted, RunInputs inputs);
  ~Debugger();
  Debugger(Debugger&&) noexcept;
  Debugger& operator=(Debugger&&) noexcept;

  /// Why the current thread stopped.
  enum class Halt : std::uint8_t { stepped, breakpoint, watch, stopped };
  /// Executes words until the current thread has executed `count` of them, or stops.
  Halt step(std::uint64_t count = 1);
  /// Continues to a breakpoint, a change of a watched slot or the end of the thread.
  Halt go();
  /// To before the last `count` words of the current thread. DB002: it has not executed that many.
  Result<void> back(std::uint64_t count = 1);

  /// Address of the word that a label or a number, 32 or 0x20, stands for. DB003: not a number; DB004: no word starts
  /// there.
  [[nodiscard]] Result<std::uint64_t> address_of(std::string_view text) const;
  std::set<std::uint64_t> breakpoints;  ///< addresses; those at which no word starts stop nothing

  /// The slot that is meant by a name, such as "r0.x" or "acc0[-1]". DB006: there is none.
  [[nodiscard]] Result<const ir::Slot*> slot(std::string_view name) const;
  /// The slots of a name and its components: "r0" is all of it. Never empty. DB006: there is none.
  [[nodiscard]] Result<std::vector<const ir::Slot*>> slots(std::string_view name) const;
  /// Those that are not zero in the current thread.
  [[nodiscard]] std::vector<const ir::Slot*> slots_in_use() const;
  std::set<const ir::Slot*> watched;              ///< of the lifted program
  [[nodiscard]] const ir::Slot* changed() const;  ///< of the last Halt::watch; else nullptr

  /// Of the current thread. What lies outside its state is zero.
  [[nodiscard]] std::vector<std::uint8_t> read(const ir::Slot& slot) const;
  /// DB007: that many bytes do not fit there.
  Result<void> write(const ir::Slot& slot, std::vector<std::uint8_t> bytes);

  /// Threads of the batch, helpers included; each runs in a lane.
  [[nodiscard]] std::uint32_t threads() const;
  [[nodiscard]] std::uint32_t lane() const;  ///< of the current thread
  /// Makes another thread the current one; its history starts over. DB008: there is no such lane.
  Result<void> choose(std::uint32_t lane);
  /// The lane of the thread with that number; nothing if there is none, or it is a helper.
  [[nodiscard]] std::optional<std::uint32_t> lane_of(std::uint64_t thread) const;
  [[nodiscard]] const Thread& thread(std::uint32_t lane) const;
  [[nodiscard]] LaneState state(std::uint32_t lane) const;
  /// Address of the thread's next word; nothing when it has stopped.
  [[nodiscard]] std::optional<std::uint64_t> address(std::uint32_t lane) const;
  [[nodiscard]] std::uint64_t words_executed() const;
  /// Addresses of the last words of the current thread, no more than `most`, the last one first.
  [[nodiscard]] std::vector<std::uint64_t> executed(std::size_t most) const;
  [[nodiscard]] const std::vector<LaneFault>& faults() const;
  /// Addresses of `count` words around the next one; of the last ones when the thread has stopped.
  [[nodiscard]] std::vector<std::uint64_t> around(std::size_t count) const;

  /// What the threads have output so far.
  [[nodiscard]] RunResult outputs() const;

 private:
  struct Impl;
  explicit Debugger(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace mobula
