#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/command.h"
#include "cli/input/input.h"
#include "cli/input/stream_input.h"
#include "cli/terminal/output.h"
#include "mobula/isa/firmware_views.h"
#include "mobula/isa/pm4_capture.h"
#include "mobula/isa/pm4_file.h"

namespace mobula::cli {
namespace {

std::vector<const Machine*> machines_with_pm4() {
  std::vector<const Machine*> found;
  for (const Machine* machine : machines())
    if (const firmware::Views* views = machine->firmware_views(); views != nullptr && views->reads_pm4)
      found.push_back(machine);
  return found;
}

/// Each machine, alone and with a variant.
std::string examples_of(const std::vector<const Machine*>& known) {
  std::vector<std::string> names;
  for (const Machine* machine : known) {
    names.emplace_back(machine->name());
    if (const auto variants = machine->variants(); variants.size() > 1)
      names.push_back(fmt::format("{}:{}", machine->name(), variants[1].name));
  }
  return fmt::format("{} ...", fmt::join(names, ", "));
}

MachineChoice choose_pm4(const std::string& machine) {
  const std::vector<const Machine*> known = machines_with_pm4();
  MachineChoice choice = choose_machine(machine.empty() ? std::string(known.front()->name()) : machine);
  if (std::ranges::find(known, choice.machine) == known.end())
    throw usage_error("machine " + machine + " has no PM4", examples_of(known));
  return choice;
}

Json to_json(const pm4::Packet& packet, std::span<const std::uint32_t> payload, std::string_view variant) {
  Json row{{"word", packet.first}, {"header", hex(packet.header)}};
  if (packet.kind == pm4::Packet::Kind::word) {
    row["problem"] = packet.problem;
    return row;
  }
  const bool type4 = packet.kind == pm4::Packet::Kind::type4;
  row["type"] = type4 ? 4 : 7;
  row["name"] = value_or_stop(pm4::name_of(packet, variant), {});
  row[type4 ? "register" : "opcode"] = hex(packet.number);
  Json values = Json::array(), known = Json::array();
  for (const std::uint32_t word : payload) values.push_back(hex(word));
  for (const pm4::Field& field : value_or_stop(pm4::fields(packet, payload, variant), {})) {
    known.push_back({{"word", field.word}, {"name", field.name}, {"value", hex(field.value)}});
    if (!field.meaning.empty()) known.back()["meaning"] = field.meaning;
  }
  row["payload"] = std::move(values);
  row["fields"] = std::move(known);
  if (const auto buffer = pm4::indirect(packet, payload))
    row["indirect"] = {{"address", hex(buffer->address)}, {"words", buffer->words}};
  return row;
}

void each_row(std::span<const std::uint32_t> words, std::string_view variant, const std::function<void(Json)>& each) {
  pm4::decode_each(words, [&](const pm4::Packet& packet) {
    each(to_json(packet, words.subspan(packet.first + 1, packet.payload), variant));
  });
}

Json to_json(std::span<const std::uint32_t> words, std::string_view variant) {
  Json packets = Json::array();
  each_row(words, variant, [&](Json row) { packets.push_back(std::move(row)); });
  return packets;
}

/// All of a stream but the packets of its ring, which are `packets`.
Json to_json(const pm4::Stream& stream, std::string_view variant, Json packets) {
  Json buffers = Json::array(), registers = Json::array();
  for (const pm4::Buffer& buffer : stream.memory)
    buffers.push_back({{"address", hex(buffer.address)}, {"packets", to_json(buffer.words, variant)}});
  for (const pm4::RegisterValue& each : stream.registers)
    registers.push_back({{"number", hex(each.number)}, {"value", hex(each.value)}});
  return {{"packets", std::move(packets)}, {"memory", std::move(buffers)}, {"registers", std::move(registers)}};
}

void write_json(const Program& target, const pm4::Stream& stream, const Write& write) {
  const Json others = to_json(stream, target.variant, Json::array());
  const auto [before, after] = around_rows(envelope("pm4", &target, others), "packets");
  write(before);
  bool first = true;
  each_row(stream.ring, target.variant,
           [&](const Json& row) { write((std::exchange(first, false) ? "" : ",") + json_text(row)); });
  write(after);
}

/// Command streams of each submit, with the buffers that their packets lead to.
FileResult show_capture(const Pm4Options& options, const std::string& file, pm4::Capture capture) {
  auto [machine, variant] = choose_pm4(options.input.machine);
  if (options.input.machine.find(':') == std::string::npos && !capture.gpu.empty()) variant = capture.gpu;
  FileResult result;
  Json submits = Json::array();
  for (std::size_t i = 0; i < capture.submits.size(); ++i) {
    pm4::Stream& stream = capture.submits[i];
    std::ranges::move(load_memory(options.memory, variant), std::back_inserter(stream.memory));
    const std::size_t buffers = stream.memory.size();
    stream.memory = pm4::reached_buffers(stream);
    if (options.output.json) {
      submits.push_back(to_json(stream, variant, to_json(stream.ring, variant)));
      continue;
    }
    result.text += fmt::format("{}; submit {} of {}: {} command streams; {} buffers in the capture\n",
                               i == 0 ? "" : "\n.ring\n", i, capture.submits.size(), stream.ring.size() / 4, buffers);
    result.text += value_or_stop(pm4::print(stream, {.variant = variant, .fields = !options.plain}), file);
  }
  if (!options.output.json) return result;
  Program target;
  target.file = file;
  target.machine = machine->name();
  target.variant = variant;
  result.text = envelope("pm4", &target, {{"submits", std::move(submits)}});
  return result;
}

FileResult show(const Pm4Options& options, const std::string& file) {
  const std::vector<std::uint8_t> bytes = read_file(file);
  if (options.input.container.empty() && pm4::is_capture(bytes))
    return show_capture(options, file, value_or_stop(pm4::read_capture(bytes, file), file));
  const auto [machine, variant] = choose_pm4(options.input.machine);
  pm4::Stream stream = load_stream(bytes, file, variant, options.input.container, Exit::negative);
  std::ranges::move(load_memory(options.memory, variant), std::back_inserter(stream.memory));
  Program target;
  target.file = file;
  target.machine = machine->name();
  target.variant = variant;
  target.code = pm4::to_bytes(stream.ring);
  FileResult result;
  result.diagnostics = located(pm4::check(stream.ring), file);
  ResultInPieces pieces(options.output, options.input.files.size() > 1, result,
                        [](const std::string&, std::string text) { return text; });
  const Write write = [&](std::string_view piece) { pieces.write(piece); };
  if (options.output.json)
    write_json(target, stream, write);
  else
    value_or_stop(pm4::print(stream, {.variant = variant, .fields = !options.plain, .write = write}), file);
  pieces.finish();
  if (has_errors(result.diagnostics)) result.status = Exit::negative;
  return result;
}

}  // namespace

Exit pm4(const Pm4Options& options) {
  if (!options.assemble)
    return for_each_file(options.input.files, options.output,
                         [&](const std::string& file) { return show(options, file); });
  if (options.input.files.size() != 1) throw usage_error("one text is assembled at a time");
  const std::string& file = options.input.files.front();
  const pm4::Stream stream =
      load_stream(read_file(file), file, choose_pm4(options.input.machine).variant, "text", Exit::negative);
  const std::vector<std::uint8_t> bytes = value_or_stop(pm4::to_bytes(stream), file);
  if (options.hex) {
    write_output(options.output.file, write_hex(bytes));
  } else if (options.output.file == "-" && isatty(STDOUT_FILENO) != 0) {
    throw usage_error("words would go to the terminal", "give -o FILE, or --hex for text");
  } else {
    write_output(options.output.file, as_text(bytes));
  }
  return Exit::done;
}

}  // namespace mobula::cli
