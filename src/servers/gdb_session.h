// A program that GDB steps, forward and back: the answers to its packets. Knows bytes and the debugger, but neither
// sockets nor files, and never waits.
//
// Use: feed() what comes from GDB; then take answer() until there is none; while running(), work() between one look at
// the peer and the next.
//
// All threads of the batch run in lock step, and GDB sees each as a thread, lane k as number k + 1. Memory is that of
// the data the program reaches by address; a program's own words are not in it, so that GDB cannot take them for code
// of an aarch64. Breakpoints are the debugger's, whatever kind GDB asks for. Of an aarch64, GDB expects to be told of a
// store to watched memory before it happens (going back: before it is undone), and steps over it itself.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mobula/lab/debugger.h"
#include "mobula/lab/word_texts.h"
#include "servers/gdb_packets.h"
#include "servers/gdb_target.h"

namespace mobula::servers {

class GdbSession {
 public:
  /// Both programs must outlive it.
  GdbSession(const Program& program, const ir::Program& lifted, Debugger debugger);

  void feed(std::string_view bytes) { reader_.feed(bytes); }
  /// Bytes for GDB, in answer to the next packet that has come; empty where a packet has none. Nothing: there is no
  /// packet, or the program runs and only an interrupt would be heard.
  std::optional<std::string> answer();
  [[nodiscard]] bool running() const { return motion_ != Motion::none; }
  /// Executes some words; the answer to the packet that made the program run, once it stops.
  std::string work();
  /// GDB has left, or ended the program.
  [[nodiscard]] bool over() const { return over_; }
  /// What has come of a packet whose end has not.
  [[nodiscard]] std::string_view unfinished() const { return reader_.unfinished(); }

 private:
  enum class Motion : std::uint8_t { none, step, go, step_back, go_back };

  std::string reply_to(std::string_view packet);
  std::string query(std::string_view packet);
  std::string transfer(std::string_view request) const;
  std::string thread_alive(std::string_view text) const;
  std::string choose_thread(std::string_view text);
  std::string read_registers();
  std::string write_registers(std::string_view hex);
  std::string read_register(std::string_view number);
  std::string write_register(std::string_view text);
  std::string read_memory(std::string_view text) const;
  std::string write_memory(std::string_view text);
  std::string change_point(std::string_view text, bool insert);
  std::string change_watch(Debugger::MemoryRange memory, bool insert);
  std::string change_breakpoint(std::uint64_t address, bool insert);
  std::string resume(std::string_view actions);
  std::string resume_current(std::string_view packet);
  std::string monitor(std::string_view line);
  [[nodiscard]] std::string list_words() const;
  [[nodiscard]] std::string list_slots() const;
  std::string watch_slots(std::string_view name, bool insert);

  static constexpr int trap_signal = 5, interrupt_signal = 2, fault_signal = 11;

  void begin(Motion motion);
  /// A word forward or back; what GDB is told when that was the last one.
  std::optional<std::string> move();
  std::optional<std::string> move_forward();
  void choose_running();
  /// What GDB is told where the debugger does not go on; nothing if it does.
  std::optional<std::string> told_of(Debugger::Halt halt);
  std::string stand(std::string_view reason, int signal = trap_signal);
  std::string stop_packet(std::string_view reason, int signal);
  std::string stand_at_end();
  std::string stand_at_watch(const Debugger::Breakpoint& watch);
  std::string stand_at_fault();
  /// A packet with text for the person at GDB's console.
  static std::string say(std::string_view text);

  [[nodiscard]] std::string register_hex(std::size_t number, std::uint32_t lane) const;
  Result<void> set_register(std::size_t number, std::string_view bytes);
  Result<void> set_pc(std::string_view bytes);
  /// Of the thread whose registers are asked for, which becomes the current one for so long.
  template <class Change>
  Result<void> change_reading_lane(Change change);
  [[nodiscard]] std::uint64_t pc(std::uint32_t lane) const;
  [[nodiscard]] std::vector<std::uint32_t> lanes() const;
  [[nodiscard]] std::string lane_name(std::uint32_t lane) const;
  [[nodiscard]] std::string threads_document() const;
  [[nodiscard]] std::string where(std::uint32_t lane) const;

  const Program& program_;
  Debugger debugger_;
  WordTexts words_;
  std::vector<GdbRegister> registers_;
  std::string description_;
  GdbReader reader_;
  std::string last_;  ///< packet that was sent
  bool acknowledges_ = true;
  bool told_end_ = false;
  bool over_ = false;
  Motion motion_ = Motion::none;
  std::uint64_t wanted_words_ = 0;                          ///< of the current thread, when a step is done
  std::uint32_t reading_lane_ = 0;                          ///< whose registers are asked for
  std::map<Debugger::MemoryRange, std::uint32_t> watches_;  ///< numbers by memory
  std::map<std::uint64_t, std::uint32_t> breakpoints_;      ///< numbers by address
  std::map<const ir::Slot*, std::uint32_t> watched_slots_;  ///< numbers by slot
};

}  // namespace mobula::servers
