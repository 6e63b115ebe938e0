// Debug Adapter Protocol: one client that debugs one program. docs/debugging.md says what it can do.
//
// A request is answered by a function of requests.h, in the order of their coming; between them the program runs in
// slices, so that "pause" is heard. Every request has one answer, and what follows from it is told by events after it.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "servers/arguments.h"
#include "servers/dap/debuggee.h"
#include "servers/serve.h"

namespace mobula::servers::dap {

/// What a client can look into: a number of the protocol stands for it until the program goes on.
struct Container {
  enum class Kind : std::uint8_t {
    changed,
    registers,
    all_registers,
    group,
    uniforms,
    memory,
    outputs,
    thread,
    units,
    matrices,
    rows,
    signals
  };
  Kind kind = Kind::registers;
  std::uint32_t lane = 0;                              ///< or core
  std::string name;                                    ///< of a group: "r0"
  auto operator<=>(const Container&) const = default;  // NOLINT(modernize-use-nullptr): the 0 it is compared with
};

class Server final : public MessageServer {
 public:
  explicit Server(Send send, Compile compile = {}) : send_(std::move(send)), compile_(std::move(compile)) {}

  void receive(std::string_view content) override;
  bool work() override;
  [[nodiscard]] std::size_t waiting() const override { return requests_.size(); }
  [[nodiscard]] bool is_over() const override { return is_over_; }

  // ---- for the functions that answer requests

  /// A Refusal if no program was launched.
  Debuggee& debuggee();
  /// The same if it is running.
  Debuggee& stopped_debuggee();
  void launch(const LaunchOptions& options);
  void restart();
  /// A Refusal if it has begun already.
  void begin_session();
  void end_session() { is_over_ = true; }

  /// After the answer.
  void send_later(std::string event, Json body) { later_.emplace_back(std::move(event), std::move(body)); }
  void run(Running running);
  void pause();
  /// The debugger has gone on, or back, already.
  void has_moved(Halt halt);
  [[nodiscard]] bool is_running() const { return running_.has_value(); }
  /// Events that say where it stands now.
  void tell_halt(Halt halt, const std::string& reason);
  /// Where it stands at the start: goes on unless it is to stop there.
  void begin();
  void tell_end();

  // Numbers of lines and columns as the client counts them.
  [[nodiscard]] std::int64_t to_client(std::uint32_t line) const {
    return std::int64_t{line} - (lines_from_1_ ? 0 : 1);
  }
  /// A Refusal where there is no such line in any text.
  [[nodiscard]] std::uint32_t from_client(std::int64_t line) const;
  void count_lines_from_1(bool from_1) { lines_from_1_ = from_1; }
  void name_files_by_uri(bool by_uri);

  /// Sets of breakpoints, each replaced as a whole: those of lines, labels, instructions, data.
  enum class Group : std::uint8_t { lines, functions, instructions, data };
  void clear_breakpoints(Group group);
  void remember_breakpoint(Group group, std::uint32_t number) { groups_[number] = group; }

  std::int64_t reference_to_container(const Container& container);
  /// A Refusal where the number stands for nothing, or does not any more.
  [[nodiscard]] const Container& container(std::int64_t reference) const;

 private:
  void answer(const Json& request);
  [[nodiscard]] Answer answer_of(const std::string& command) const;
  void send_message(const Json& message);
  void send_event(const std::string& event, Json body);
  void forget_containers();
  void take_back(const Json& cancel);
  bool run_slice();

  Send send_;
  Compile compile_;
  std::deque<Json> requests_;
  std::vector<std::pair<std::string, Json>> later_;
  std::int64_t sequence_ = 0;
  bool is_over_ = false, lines_from_1_ = true, names_files_by_uri_ = false, has_begun_ = false, has_ended_ = false;
  LaunchOptions options_;
  std::unique_ptr<Debuggee> debuggee_;
  std::optional<Running> running_;
  std::map<std::uint32_t, Group> groups_;  ///< of breakpoints, by number
  std::vector<Container> containers_;      ///< by reference, from 1
};

}  // namespace mobula::servers::dap
