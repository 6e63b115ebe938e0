#include "servers/gdb_session.h"
#include "core/counted.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace mobula::servers {
namespace {

constexpr std::string_view gdb_error = "E01", gdb_done = "OK";

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// What stands before the separator, which is taken along; all of it where there is none.
std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view first = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return first;
}

struct Range {
  std::uint64_t address = 0;
  std::size_t bytes = 0;
};
/// "address,length", no longer than fits in a packet.
std::optional<Range> range_of(std::string_view text) {
  const auto address = gdb_number(take_until(text, ',')), bytes = gdb_number(text);
  if (!address || !bytes || *bytes > GdbReader::longest / 2) return {};
  return Range{*address, static_cast<std::size_t>(*bytes)};
}

/// The lane of a thread's number.
std::optional<std::uint32_t> lane_of_number(std::string_view text) {
  const auto number = gdb_number(text);
  if (!number || *number == 0 || *number > std::numeric_limits<std::uint32_t>::max()) return {};
  return static_cast<std::uint32_t>(*number - 1);
}
/// Any thread, or all.
bool is_any_thread(std::string_view text) { return text == "0" || text == "-1"; }

/// "05", the number of a signal. Programs have none: it is not passed on.
bool is_signal(std::string_view text) { return text.size() == 2 && gdb_number(text).has_value(); }

/// An error that GDB shows to its user.
std::string gdb_refusal(const Diagnostics& diagnostics) { return "E." + diagnostics.front().message; }

std::vector<std::uint8_t> bytes_of_text(std::string_view text) { return {text.begin(), text.end()}; }

std::string xml_text(std::string_view text) {
  std::string safe;
  for (const char letter : text)
    safe += letter == '<' ? "&lt;" : letter == '&' ? "&amp;" : letter == '"' ? "&quot;" : std::string(1, letter);
  return safe;
}

std::string_view state_name(LaneState state) {
  switch (state) {
    case LaneState::running:
      return "running";
    case LaneState::waiting:
      return "at a barrier";
    case LaneState::blocked:
      return "blocked";
    case LaneState::ended:
      return "ended";
    case LaneState::discarded:
      return "discarded";
    case LaneState::faulted:
      return "faulted";
  }
  return {};
}

}  // namespace

GdbSession::GdbSession(const Program& program, const ir::Program& lifted, Debugger debugger)
    : program_(program),
      debugger_(std::move(debugger)),
      words_(program),
      registers_(gdb_registers(lifted)),
      description_(gdb_target_description(registers_)),
      reading_lane_(debugger_.lane()) {}

// ------------------------------------------------------------------------------------------------ bytes

std::optional<std::string> GdbSession::answer() {
  while (const auto event = reader_.next()) {
    if (event->kind == GdbEvent::Kind::interrupt) {
      if (!running()) continue;
      motion_ = Motion::none;
      return last_ = stand("", interrupt_signal);
    }
    if (event->kind == GdbEvent::Kind::refused) return last_;
    if (event->kind == GdbEvent::Kind::damaged) return acknowledges_ ? "-" : "";
    std::string acknowledgement = acknowledges_ ? "+" : "";
    if (running()) return acknowledgement;  // only an interrupt is heard
    const std::string_view packet = event->data;
    if (packet == "QStartNoAckMode") {
      acknowledges_ = false;
      return acknowledgement + (last_ = gdb_packet(gdb_done));
    }
    const std::string reply = reply_to(packet);
    if (running() || (over_ && reply.empty())) return acknowledgement;
    return acknowledgement + (last_ = gdb_packet(reply));
  }
  return {};
}

std::string GdbSession::reply_to(std::string_view packet) {
  if (packet.empty()) return {};
  const std::string_view rest = packet.substr(1);
  constexpr std::string_view alone = "?gDk";
  if (alone.find(packet.front()) != std::string_view::npos && !rest.empty()) return std::string(gdb_error);
  switch (packet.front()) {
    case '?':
      return stop_packet("", trap_signal);
    case 'g':
      return read_registers();
    case 'G':
      return write_registers(rest);
    case 'p':
      return read_register(rest);
    case 'P':
      return write_register(rest);
    case 'm':
      return read_memory(rest);
    case 'M':
      return write_memory(rest);
    case 'H':
      return choose_thread(rest);
    case 'T':
      return thread_alive(rest);
    case 'Z':
      return change_point(rest, true);
    case 'z':
      return change_point(rest, false);
    case 'c':
    case 'C':
    case 's':
    case 'S':
      return resume_current(packet);
    case 'b':
      if (rest != "s" && rest != "c") return {};
      begin(rest == "s" ? Motion::step_back : Motion::go_back);
      return {};
    case 'D':
      over_ = true;
      return std::string(gdb_done);
    case 'k':
      over_ = true;
      return {};
    case 'q':
      return query(rest);
    case 'v':
      if (rest == "Cont?") return "vCont;c;C;s;S";
      if (rest.starts_with("Cont;")) return resume(rest.substr(5));
      if (rest != "Kill" && !rest.starts_with("Kill;")) return {};
      over_ = true;
      return std::string(gdb_done);
    default:
      return {};
  }
}

// ------------------------------------------------------------------------------------------------ questions

std::string GdbSession::query(std::string_view packet) {
  if (packet == "Supported" || packet.starts_with("Supported:")) {
    return fmt::format(
        "PacketSize={:x};QStartNoAckMode+;qXfer:features:read+;qXfer:threads:read+;vContSupported+;hwbreak+;"
        "ReverseStep+;ReverseContinue+",
        GdbReader::longest / 2);
  }
  if (take_prefix(packet, "Xfer:")) return transfer(packet);
  if (packet == "C") return fmt::format("QC{:x}", debugger_.lane() + 1);
  if (packet == "Attached") return "1";
  if (packet == "fThreadInfo") {
    std::string list;
    for (const std::uint32_t lane : lanes()) list += fmt::format("{}{:x}", list.empty() ? "m" : ",", lane + 1);
    return list;
  }
  if (packet == "sThreadInfo") return "l";
  if (take_prefix(packet, "ThreadExtraInfo,")) {
    const auto lane = lane_of_number(packet);
    if (!lane || *lane >= debugger_.threads()) return std::string(gdb_error);
    return gdb_hex(lane_name(*lane) + ", " + std::string(state_name(debugger_.state(*lane))));
  }
  if (take_prefix(packet, "Rcmd,")) {
    const auto line = gdb_unhex(packet);
    return line ? gdb_hex(monitor(*line)) : std::string(gdb_error);
  }
  return {};
}

std::string GdbSession::transfer(std::string_view request) const {
  const std::string_view object = take_until(request, ':');
  if (take_until(request, ':') != "read") return {};
  const std::string_view annex = take_until(request, ':');
  const auto wanted = range_of(request);
  if (!wanted) return std::string(gdb_error);
  std::string document;
  if (object == "features" && annex == "target.xml")
    document = description_;
  else if (object == "threads" && annex.empty())
    document = threads_document();
  else
    return object == "features" ? "E00" : "";
  if (wanted->address >= document.size()) return "l";
  const std::string piece = document.substr(wanted->address, wanted->bytes);
  return (wanted->address + piece.size() < document.size() ? 'm' : 'l') + piece;
}

std::string GdbSession::threads_document() const {
  std::string text = "<?xml version=\"1.0\"?>\n<threads>\n";
  for (const std::uint32_t lane : lanes())
    text += fmt::format("<thread id=\"{:x}\" name=\"{}\">{}</thread>\n", lane + 1, lane_name(lane),
                        xml_text(state_name(debugger_.state(lane))));
  return text + "</threads>\n";
}

/// Those that go on, and the current one.
std::vector<std::uint32_t> GdbSession::lanes() const {
  std::vector<std::uint32_t> list;
  for (std::uint32_t lane = 0; lane < debugger_.threads(); ++lane)
    if (lane == debugger_.lane() || debugger_.address(lane)) list.push_back(lane);
  return list;
}

std::string GdbSession::lane_name(std::uint32_t lane) const {
  const Thread& thread = debugger_.thread(lane);
  return fmt::format("{} {}", thread.helper ? "helper" : "thread", thread.index);
}

std::string GdbSession::thread_alive(std::string_view text) const {
  const auto lane = lane_of_number(text);
  return std::string(lane && std::ranges::count(lanes(), *lane) != 0 ? gdb_done : gdb_error);
}

std::string GdbSession::choose_thread(std::string_view text) {
  if (text.empty()) return std::string(gdb_error);
  const char purpose = text.front();
  text.remove_prefix(1);
  const auto lane = lane_of_number(text);
  const bool any = is_any_thread(text);
  if ((purpose != 'g' && purpose != 'c') || (!any && (!lane || *lane >= debugger_.threads())))
    return std::string(gdb_error);
  if (purpose == 'g') reading_lane_ = any ? debugger_.lane() : *lane;  // what goes on, vCont says
  return std::string(gdb_done);
}

// ------------------------------------------------------------------------------------------------ registers

std::uint64_t GdbSession::pc(std::uint32_t lane) const {
  if (const auto address = debugger_.address(lane)) return *address;
  for (const LaneFault& fault : debugger_.faults())
    if (fault.lane == lane) return fault.address;
  return program_.code.size();
}

std::string GdbSession::register_hex(std::size_t number, std::uint32_t lane) const {
  if (number < gdb_core_registers) {
    std::array<std::uint8_t, 8> bytes{};
    if (number == gdb_pc || number == gdb_return)
      for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(pc(lane) >> (8 * i));
    return gdb_hex(std::span(bytes).first(gdb_core_bytes(number)));
  }
  std::string text;
  for (const ir::Slot* slot : registers_[number - gdb_core_registers].slots)
    text += gdb_hex(debugger_.read(*slot, lane));
  return text;
}

template <class Change>
Result<void> GdbSession::change_reading_lane(Change change) {
  const std::uint32_t current = debugger_.lane();
  Result<void> done = debugger_.choose(reading_lane_);
  if (done) done = change();
  (void)debugger_.choose(current);
  return done;
}

Result<void> GdbSession::set_pc(std::string_view bytes) {
  std::uint64_t address = 0;
  for (std::size_t i = bytes.size(); i-- != 0;) address = address << 8 | static_cast<std::uint8_t>(bytes[i]);
  return change_reading_lane([&] { return debugger_.jump(address); });
}

Result<void> GdbSession::set_register(std::size_t number, std::string_view bytes) {
  if (number >= gdb_core_registers + registers_.size()) return fail("", "there is no such register");
  const bool is_core = number < gdb_core_registers;
  const std::size_t size = is_core ? gdb_core_bytes(number) : registers_[number - gdb_core_registers].bytes();
  if (bytes.size() != size) return fail("", fmt::format("the register has {} bytes", size));
  if (number == gdb_pc) return set_pc(bytes);
  if (is_core) return fail("", "the program has no such register: slots and pc can be written");
  return change_reading_lane([&] {
    Result<void> done;
    for (const ir::Slot* slot : registers_[number - gdb_core_registers].slots) {
      const std::vector<std::uint8_t> now = bytes_of_text(bytes.substr(0, slot->bytes));
      bytes.remove_prefix(slot->bytes);
      if (done && debugger_.read(*slot) != now) done = debugger_.write(*slot, now);
    }
    return done;
  });
}

std::string GdbSession::read_registers() {
  std::string text;
  for (std::size_t number = 0; number < gdb_core_registers + registers_.size(); ++number)
    text += register_hex(number, reading_lane_);
  return text;
}

std::string GdbSession::write_registers(std::string_view hex) {
  const auto bytes = gdb_unhex(hex);
  // All of them, as "g" gives them.
  if (!bytes || hex.size() != read_registers().size()) return std::string(gdb_error);
  std::string_view rest = *bytes;
  for (std::size_t number = 0; number < gdb_core_registers + registers_.size(); ++number) {
    const bool core = number < gdb_core_registers;
    const std::size_t size = core ? gdb_core_bytes(number) : registers_[number - gdb_core_registers].bytes();
    if (const auto set = core ? Result<void>() : set_register(number, rest.substr(0, size)); !set)
      return gdb_refusal(set.error());
    rest.remove_prefix(size);
  }
  return std::string(gdb_done);
}

std::string GdbSession::read_register(std::string_view number) {
  const auto wanted = gdb_number(number);
  if (!wanted || *wanted >= gdb_core_registers + registers_.size()) return std::string(gdb_error);
  return register_hex(static_cast<std::size_t>(*wanted), reading_lane_);
}

std::string GdbSession::write_register(std::string_view text) {
  const auto number = gdb_number(take_until(text, '='));
  const auto bytes = gdb_unhex(text);
  if (!number || !bytes) return std::string(gdb_error);
  const auto set = set_register(static_cast<std::size_t>(*number), *bytes);
  return set ? std::string(gdb_done) : gdb_refusal(set.error());
}

// ------------------------------------------------------------------------------------------------ memory

std::string GdbSession::read_memory(std::string_view text) const {
  const auto wanted = range_of(text);
  if (!wanted || wanted->bytes == 0) return std::string(gdb_error);  // an empty answer would mean something else
  const std::vector<std::uint8_t> bytes = debugger_.read_memory(wanted->address, wanted->bytes);
  return bytes.size() == wanted->bytes ? gdb_hex(bytes) : std::string(gdb_error);
}

/// "address,length:bytes".
std::string GdbSession::write_memory(std::string_view text) {
  const auto wanted = range_of(take_until(text, ':'));
  const auto bytes = gdb_unhex(text);
  if (!wanted || !bytes || bytes->size() != wanted->bytes) return std::string(gdb_error);
  if (bytes->empty()) return std::string(gdb_done);
  const auto written = debugger_.write_memory(wanted->address, bytes_of_text(*bytes));
  return std::string(written ? gdb_done : gdb_error);
}

/// "type,address,kind": 0 and 1 are breakpoints, 2 watches writes; accesses that read are not watched.
std::string GdbSession::change_point(std::string_view text, bool insert) {
  const std::string_view type = take_until(text, ',');
  const auto place = range_of(text);
  if (type != "0" && type != "1" && type != "2") return {};
  if (!place) return std::string(gdb_error);  // nor has GDB been offered conditions, which would follow
  return type == "2" ? change_watch({place->address, place->bytes}, insert) : change_breakpoint(place->address, insert);
}

std::string GdbSession::change_watch(Debugger::MemoryRange memory, bool insert) {
  const auto known = watches_.find(memory);
  if (insert && known == watches_.end()) {
    const auto number = debugger_.watch(memory);
    if (!number) return std::string(gdb_error);
    watches_.emplace(memory, *number);
  }
  if (!insert && known != watches_.end()) {
    debugger_.remove(known->second);
    watches_.erase(known);
  }
  return std::string(gdb_done);
}

std::string GdbSession::change_breakpoint(std::uint64_t address, bool insert) {
  const auto known = breakpoints_.find(address);
  if (insert && known == breakpoints_.end()) {
    if (!debugger_.address_of(fmt::format("{:#x}", address))) return std::string(gdb_error);
    breakpoints_.emplace(address, debugger_.break_at(address));
  }
  if (!insert && known != breakpoints_.end()) {
    debugger_.remove(known->second);
    breakpoints_.erase(known);
  }
  return std::string(gdb_done);
}

// ------------------------------------------------------------------------------------------------ going on

/// "c", "s", "C05", "S05". The address that might follow GDB does not send: it writes pc.
std::string GdbSession::resume_current(std::string_view packet) {
  const bool has_signal = packet.front() == 'C' || packet.front() == 'S';
  const std::string_view rest = packet.substr(1);
  if (has_signal ? !is_signal(rest) : !rest.empty()) return std::string(gdb_error);
  begin(packet.front() == 's' || packet.front() == 'S' ? Motion::step : Motion::go);
  return {};
}

/// Actions of vCont, "s:1;c": the thread that steps, if one does, takes the others with it.
std::string GdbSession::resume(std::string_view actions) {
  std::optional<Motion> motion;
  std::optional<std::uint32_t> stepping;
  while (!actions.empty() || !motion) {
    std::string_view action = take_until(actions, ';');
    const bool has_thread = action.find(':') != std::string_view::npos;
    const std::string_view verb = take_until(action, ':');
    const bool is_plain = verb == "c" || verb == "s";
    const bool has_signal = (verb.starts_with('C') || verb.starts_with('S')) && is_signal(verb.substr(1));
    if (!is_plain && !has_signal) return std::string(gdb_error);
    const auto lane = lane_of_number(action);
    if (has_thread && !is_any_thread(action) && (!lane || *lane >= debugger_.threads())) return std::string(gdb_error);
    const bool steps = verb.front() == 's' || verb.front() == 'S';
    if (steps && motion != Motion::step) stepping = lane;
    if (steps || !motion) motion = steps ? Motion::step : Motion::go;
  }
  if (stepping) (void)debugger_.choose(*stepping);
  begin(*motion);
  return {};
}

void GdbSession::begin(Motion motion) {
  motion_ = motion;
  wanted_words_ = debugger_.words_executed() + 1;
}

std::string GdbSession::work() {
  auto reply = move();
  if (!reply) return {};
  motion_ = Motion::none;
  return last_ = std::move(*reply);
}

std::optional<std::string> GdbSession::move() {
  switch (motion_) {
    case Motion::step:
    case Motion::go:
      return move_forward();
    case Motion::step_back:
      told_end_ = false;
      return stand(debugger_.back() == Debugger::Halt::stepped ? "" : "replaylog:begin;");
    case Motion::go_back:
      told_end_ = false;
      return told_of(debugger_.go_back(true)).value_or(stand(""));
    case Motion::none:
      break;
  }
  return {};
}

/// As many words as can be executed between one look at GDB and the next; one by one where one is wanted of this
/// thread.
std::optional<std::string> GdbSession::move_forward() {
  constexpr std::uint64_t slice = 2000;
  if (motion_ == Motion::go) return told_of(debugger_.go({}, slice));
  for (std::uint64_t i = 0; i < slice; ++i) {
    if (auto told = told_of(debugger_.go({}, 1))) return told;
    if (debugger_.words_executed() < wanted_words_) continue;
    if (!debugger_.address(debugger_.lane())) choose_running();
    return stand("");
  }
  return {};
}

std::optional<std::string> GdbSession::told_of(Debugger::Halt halt) {
  switch (halt) {
    case Debugger::Halt::breakpoint:
      return stand("hwbreak:;");
    case Debugger::Halt::watch:
      return stand_at_watch(*debugger_.halted_by());
    case Debugger::Halt::fault:
      return stand_at_fault();
    case Debugger::Halt::stopped:
      return stand_at_end();
    case Debugger::Halt::beginning:
      return stand("replaylog:begin;");
    case Debugger::Halt::stepped:
    case Debugger::Halt::unfinished:
      break;
  }
  return {};
}

/// Another thread where the current one has ended.
void GdbSession::choose_running() {
  for (std::uint32_t lane = 0; lane < debugger_.threads(); ++lane) {
    if (!debugger_.address(lane)) continue;
    (void)debugger_.choose(lane);
    return;
  }
}

// ------------------------------------------------------------------------------------------------ standing

std::string GdbSession::say(std::string_view text) { return gdb_packet('O' + gdb_hex(text)); }

std::string GdbSession::stop_packet(std::string_view reason, int signal) {
  reading_lane_ = debugger_.lane();
  return fmt::format("T{:02x}thread:{:x};{:x}:{};{}", signal, debugger_.lane() + 1, gdb_pc,
                     register_hex(gdb_pc, debugger_.lane()), reason);
}

std::string GdbSession::stand(std::string_view reason, int signal) { return gdb_packet(stop_packet(reason, signal)); }

/// First as the end of what can be executed, so that one can go back from there; asked to go on, the program is over.
std::string GdbSession::stand_at_end() {
  if (std::exchange(told_end_, true)) {
    over_ = true;
    return gdb_packet("W00");
  }
  return stand("replaylog:end;");
}

std::string GdbSession::stand_at_watch(const Debugger::Breakpoint& watch) {
  if (watch.slot != nullptr)
    return say(fmt::format("{} is now {}\n", watch.slot->name,
                           slot_text(*watch.slot, debugger_.read(*watch.slot, watch.lane)))) +
           stand("");
  if (motion_ != Motion::go_back) (void)debugger_.back();
  return stand(fmt::format("watch:{:x};", watch.memory->address));
}

std::string GdbSession::stand_at_fault() {
  const auto found = std::ranges::find(debugger_.faults(), debugger_.lane(), &LaneFault::lane);
  const std::string why = found == debugger_.faults().end()
                              ? std::string()
                              : say(fmt::format("at {:#06x}: {}\n", found->address, found->reason));
  return why + stand("", fault_signal);
}

// ------------------------------------------------------------------------------------------------ monitor

std::string GdbSession::where(std::uint32_t lane) const {
  const auto address = debugger_.address(lane);
  return address ? fmt::format("{} at {:#06x}: {}\n", lane_name(lane), *address, words_.at(*address))
                 : fmt::format("{} {}\n", lane_name(lane), state_name(debugger_.state(lane)));
}

std::string GdbSession::monitor(std::string_view line) {
  constexpr std::string_view help =
      "where          the word that the thread comes to next\n"
      "list           the words around it\n"
      "slots          the slots that are not zero\n"
      "watch SLOT     stop when this slot of the current thread changes, as r0.x\n"
      "unwatch SLOT   stop watching it\n";
  const std::string_view verb = take_until(line, ' ');
  if (verb == "where") return where(reading_lane_);
  if (verb == "list") return list_words();
  if (verb == "slots") return list_slots();
  if (verb == "watch" || verb == "unwatch") return watch_slots(line, verb == "watch");
  if (verb.empty() || verb == "help") return std::string(help);
  return fmt::format("there is no \"monitor {}\", but\n{}", verb, help);
}

std::string GdbSession::list_words() const {
  std::string text;
  const auto next = debugger_.address(debugger_.lane());
  for (const std::uint64_t address : debugger_.around(11))
    text += fmt::format("{} {:#06x}: {}\n", address == next ? "=>" : "  ", address, words_.at(address));
  return text;
}

std::string GdbSession::list_slots() const {
  std::string text;
  for (const ir::Slot* slot : debugger_.slots_in_use())
    text += fmt::format("{} = {}\n", slot->name, slot_text(*slot, debugger_.read(*slot)));
  return text.empty() ? "every slot is zero\n" : text;
}

std::string GdbSession::watch_slots(std::string_view name, bool insert) {
  const auto slots = debugger_.slots(name);
  if (!slots) return slots.error().front().message + '\n';
  for (const ir::Slot* slot : *slots) {
    const auto known = watched_slots_.find(slot);
    if (insert && known == watched_slots_.end()) watched_slots_.emplace(slot, debugger_.watch(*slot));
    if (!insert && known != watched_slots_.end()) {
      debugger_.remove(known->second);
      watched_slots_.erase(known);
    }
  }
  return counted(watched_slots_.size(), "slot is", "slots are") + " watched\n";
}

}  // namespace mobula::servers
