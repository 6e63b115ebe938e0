// What a client debugs, as the protocol sees it: threads, a text with lines, places by number. A program of shader
// cores, or firmware that processes command streams; each answers itself the requests about what it consists of.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mobula/isa/diagnostic.h"
#include "mobula/isa/program.h"
#include "mobula/lab/debugger.h"
#include "servers/arguments.h"

namespace mobula::servers::dap {

class Server;
using Answer = Json (*)(Server&, const Arguments&);
using Halt = Debugger::Halt;

/// A stream for a core, and words for memory, in files.
struct StreamFile {
  std::string core, file;
};
struct MemoryFile {
  std::uint64_t address = 0;
  std::string file;
};

/// The arguments of "launch"; docs/debugging.md describes them.
struct LaunchOptions {
  std::string program, machine, inputs, side;
  std::optional<std::uint32_t> threads, thread;
  std::optional<std::uint64_t> step_limit;
  Policies policies;
  std::vector<std::string> images;  ///< of firmware, that run together with the program
  std::vector<StreamFile> streams;  ///< for firmware
  std::vector<MemoryFile> memory;   ///< likewise
  std::string preset, config;       ///< of the scoreboard core, for workloads; empty = the default
  bool stop_on_entry = true, stop_on_exit = false, no_debug = false;
};
LaunchOptions launch_options(const Arguments& arguments);

/// The code that is made of a shader for a machine; nothing of what is no source of one.
using Compile = std::function<Result<std::optional<Program>>(
    const std::string& file, std::span<const std::uint8_t> bytes, const std::string& machine)>;

/// What it is executed for.
struct Running {
  bool returns = false;                     ///< until a thread has returned from a subroutine
  std::optional<std::uint32_t> call_depth;  ///< until fewer calls than these are open
  std::optional<std::uint32_t> leave_line;  ///< until the current thread is in another line than this
  std::string reason;                       ///< of the event when it gets there
};

class Debuggee {
 public:
  /// A Refusal says why it cannot be. `compile` may be empty.
  static std::unique_ptr<Debuggee> launch(const LaunchOptions& options, const Compile& compile);
  virtual ~Debuggee() = default;
  Debuggee(const Debuggee&) = delete;
  Debuggee& operator=(const Debuggee&) = delete;

  /// What answers requests about its threads, places, registers and memory; null if there is no such request.
  [[nodiscard]] virtual Answer find_answer(std::string_view command) const = 0;
  [[nodiscard]] virtual Diagnostics warnings() const = 0;

  /// Goes on for a while, until what is wanted is reached, or it stops.
  virtual Halt advance(const Running& running) = 0;
  virtual void restart() = 0;

  struct Met {
    std::uint32_t breakpoint = 0;
    std::string text;  ///< what is watched, as it is now
  };
  /// What it stopped at.
  [[nodiscard]] virtual std::optional<Met> met() const = 0;
  virtual void remove_breakpoint(std::uint32_t number) = 0;

  /// Its id.
  [[nodiscard]] virtual std::int64_t current_thread() const = 0;
  /// Why the current thread cannot go on; empty if it can, or has ended.
  [[nodiscard]] virtual std::string fault() const = 0;
  /// Makes one that can go on the current thread. False: it is all over.
  virtual bool choose_live() = 0;
  struct Ending {
    std::string complaints, summary;
    int status = 0;
  };
  [[nodiscard]] virtual Ending ending() const = 0;

  // ---- text: what was assembled, or else a listing

  /// How clients name files, here and in the answers.
  void name_files_by_uri(bool by_uri) { names_files_by_uri_ = by_uri; }
  /// The Source of the protocol.
  [[nodiscard]] Json source() const;
  /// True if the client means this text by its Source.
  [[nodiscard]] bool is_source(const Arguments& source) const;
  [[nodiscard]] const std::string& text() const { return text_; }
  /// 1-based; nothing where no word starts.
  [[nodiscard]] std::optional<std::uint32_t> line_of(std::uint64_t place) const;
  /// Of the first word in the line or after it.
  [[nodiscard]] std::optional<SourceLine> word_from(std::uint32_t line) const;
  /// Of all words, by place.
  [[nodiscard]] const std::vector<SourceLine>& lines() const { return lines_; }

 protected:
  explicit Debuggee(std::string file) : file_(std::move(file)) {}
  void show_text(std::string text, std::vector<SourceLine> lines, bool is_listing);

 private:
  std::string file_, text_;
  std::vector<SourceLine> lines_;    ///< of words that are executed, by place
  std::vector<SourceLine> by_line_;  ///< the same
  bool is_listing_ = false, names_files_by_uri_ = false;
};

/// What a file holds, or a Refusal.
std::vector<std::uint8_t> bytes_of(const std::string& file);

}  // namespace mobula::servers::dap
