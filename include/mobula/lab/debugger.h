// A debugger's session: the first batch of a run's threads goes forward word by word, and backward by running again
// from the start up to where it was. Running again is exact where a snapshot would not be, for it also undoes what went
// out to memory.
//
// One thread is the current one: word counts, and places without a thread, refer to it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mobula/export.h"
#include "mobula/isa/program.h"
#include "mobula/isa/result.h"
#include "mobula/lab/expression.h"
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

  // ---- running

  /// Why it stopped.
  enum class Halt : std::uint8_t {
    stepped,     ///< did what was asked for
    breakpoint,  ///< halted_by() says which
    watch,
    fault,       ///< a thread cannot go on: it is the current one now
    stopped,     ///< the current thread has ended, or nothing can run any more
    beginning,   ///< went back to the start
    unfinished,  ///< executed as much as was allowed; asking again goes on
  };
  /// Executes words until the current thread has executed `count` of them, or stops; breakpoints also stop it.
  Halt step(std::uint64_t count = 1);

  /// Where the current thread is to get.
  struct Goal {
    std::optional<std::uint64_t> address;  ///< before the word there
    bool later = false;                    ///< past the current word: out of the loop that ends here
    bool returned = false;                 ///< after the next return from a subroutine
  };
  /// Runs all threads to a breakpoint of any of them, which becomes the current one, a watched slot's change, a fault,
  /// the goal, or the end; `most` words at a time.
  Halt go(const Goal& goal, std::uint64_t most = ~std::uint64_t{0});
  Halt go() { return go(Goal{}); }
  /// Goes back `count` words of the current thread: `stepped`, or `beginning` where it has executed fewer and
  /// is before its first one.
  Halt back(std::uint64_t count = 1);
  /// Runs back to the previous stop, or to the start. `even_here`: a change of watched memory by the last
  /// word counts, and then it stays where it is.
  Halt go_back(bool even_here = false);
  /// To the start; what was set by hand is lost.
  void restart();
  /// True where a thread can return from a subroutine: Goal::returned may be met.
  [[nodiscard]] bool has_returns() const;

  // ---- where to stop

  /// Bytes that threads reach by address.
  struct MemoryRange {
    std::uint64_t address = 0;
    std::size_t bytes = 0;
    auto operator<=>(const MemoryRange&) const = default;  // NOLINT(modernize-use-nullptr): the 0 it is compared with
  };
  /// A place, or a change of a slot or of memory, that stops it.
  struct Breakpoint {
    std::uint32_t number = 0;              ///< from 1, given by add()
    std::optional<std::uint64_t> address;  ///< before the word there
    const ir::Slot* slot = nullptr;        ///< of the lifted program: after a change of it
    std::optional<MemoryRange> memory;     ///< after a change of it, as thread `lane` sees it
    std::uint32_t lane = 0;
    std::string condition;  ///< empty, or an expression that must be true
    bool enabled = true;
    bool temporary = false;    ///< goes with its first stop
    std::uint64_t ignore = 0;  ///< hits still to ignore
    std::uint64_t hits = 0;
  };
  /// Its number. DB004: no word starts there; DB020: the condition is not an expression; DB023: there is no such
  /// memory.
  Result<std::uint32_t> add(Breakpoint breakpoint);
  std::uint32_t break_at(std::uint64_t address);  ///< where a word starts
  /// A change of the slot in the current thread.
  std::uint32_t watch(const ir::Slot& slot);
  /// A change of memory, whichever thread stores there.
  Result<std::uint32_t> watch(MemoryRange memory) { return add({.memory = memory, .lane = lane()}); }
  /// Replaces the breakpoint of the same number, as Breakpoint of breakpoints() and changed. DB009: there is
  /// none; DB020; DB023.
  Result<void> replace(Breakpoint breakpoint);
  /// False if there is none.
  bool remove(std::uint32_t number);
  [[nodiscard]] std::vector<Breakpoint> breakpoints() const;  ///< by number
  /// What caused the last Halt::breakpoint or Halt::watch, as it was then; otherwise empty.
  [[nodiscard]] const std::optional<Breakpoint>& halted_by() const;

  // ---- places

  /// Address of the word that is denoted by: a label of the text or the listing, LABEL+0x10, a number (32, 0x20), a
  /// line of the assembly text it comes from (":12", "t.mdg:12"). DB003: none of these; DB004: no word starts there.
  [[nodiscard]] Result<std::uint64_t> address_of(std::string_view text) const;
  /// Labels of the assembled text, or else those of a listing.
  [[nodiscard]] const std::vector<Label>& labels() const;
  /// "L13", "L13+0x10", or empty if no label precedes it.
  [[nodiscard]] std::string symbol(std::uint64_t address) const;
  /// Line of the assembly text with the word; nothing if it was not assembled.
  [[nodiscard]] std::optional<std::uint32_t> line_of(std::uint64_t address) const;
  /// Addresses of `count` words around a place, or else the next word; of the last ones when the thread has stopped.
  [[nodiscard]] std::vector<std::uint64_t> around(std::size_t count, std::optional<std::uint64_t> centre = {}) const;

  // ---- state

  /// The slot that a name means, such as "r0.x", "R0.x" or "acc0[-1]". DB006: there is none, or there are several.
  [[nodiscard]] Result<const ir::Slot*> slot(std::string_view name) const;
  /// The slots of a name and its components: "r0" is all of it. Never empty. DB006: there is none.
  [[nodiscard]] Result<std::vector<const ir::Slot*>> slots(std::string_view name) const;
  /// Those that are not zero in the current thread.
  [[nodiscard]] std::vector<const ir::Slot*> slots_in_use() const;
  /// Those that the last word of the current thread wrote; none if it has executed none.
  [[nodiscard]] std::vector<const ir::Slot*> slots_written() const;
  /// Of the current thread. What lies outside its state is zero.
  [[nodiscard]] std::vector<std::uint8_t> read(const ir::Slot& slot) const { return read(slot, lane()); }
  [[nodiscard]] std::vector<std::uint8_t> read(const ir::Slot& slot, std::uint32_t lane) const;
  /// DB007: that many bytes do not fit there.
  Result<void> write(const ir::Slot& slot, std::vector<std::uint8_t> bytes);
  /// The value of an expression: a decimal number is a float in a slot of four bytes, as when next to one. Errors are
  /// those of evaluate(), and DB005: it does not fit.
  Result<void> assign(const ir::Slot& slot, std::string_view expression);
  /// The same of the slot of a name, or of a word of memory, "*0x1000". Errors are also those of slot() and
  /// write_memory().
  Result<void> assign(std::string_view target, std::string_view expression);
  /// Slots, "pc" and labels are names in it, and "*" loads as the current thread would. Errors are those of
  /// Expression::parse and evaluate, DB006, DB023: the thread reaches no such memory, and DB025: it has stopped, and
  /// there is no "pc".
  [[nodiscard]] Result<Value> evaluate(std::string_view expression) const;
  /// `count` bytes as the current thread would load them; up to the first that it cannot.
  [[nodiscard]] std::vector<std::uint8_t> read_memory(std::uint64_t address, std::size_t count) const;
  /// Stores as the current thread would. DB024: it cannot.
  Result<void> write_memory(std::uint64_t address, std::vector<std::uint8_t> bytes);
  /// Lets the current thread go on at another word. DB004: none starts there; DB025: the thread has stopped.
  Result<void> jump(std::uint64_t address);

  // ---- threads

  /// Threads of the batch, helpers included; each runs in a lane.
  [[nodiscard]] std::uint32_t threads() const;
  [[nodiscard]] std::uint32_t lane() const;  ///< of the current thread
  /// Makes another thread the current one. DB008: there is no such lane.
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

  /// What the threads have output so far.
  [[nodiscard]] RunResult outputs() const;

 private:
  struct Impl;
  explicit Debugger(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace mobula
