// Memory, and the program as instructions.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "servers/dap/memory.h"
#include "servers/dap/shader.h"

namespace mobula::servers::dap {
namespace {

std::string base64(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t three = 0;
    for (std::size_t i = 0; i < 3; ++i) three = three << 8 | (i < count ? bytes[at + i] : 0u);
    for (std::size_t i = 0; i < 4; ++i) text += i <= count ? digits[three >> (18 - 6 * i) & 63] : '=';
  }
  return text;
}

std::uint64_t offset_reference(const Arguments& arguments) {
  return address_in(arguments.text("memoryReference")) + static_cast<std::uint64_t>(arguments.integer_or("offset", 0));
}

/// One of the program's words.
Json instruction(Server& server, const ir::Block& word) {
  ShaderDebuggee& debuggee = shader(server);
  std::string bytes;
  for (std::uint64_t at = word.address; at < word.address + word.bytes && at < debuggee.program.code.size(); ++at)
    bytes += fmt::format("{}{:02x}", bytes.empty() ? "" : " ", debuggee.program.code[at]);
  Json row = instruction_at(server, word.address, debuggee.words.at(word.address));
  row["instructionBytes"] = bytes;
  for (const Label& label : debuggee.debugger().labels())
    if (label.byte_offset == word.address) row["symbol"] = label.name;
  return row;
}

}  // namespace

MemoryRange memory_range(const Arguments& arguments) {
  constexpr std::int64_t most = 1 << 20;
  const MemoryRange range{offset_reference(arguments), arguments.integer("count")};
  if (range.count < 0 || range.count > most) throw Refusal{fmt::format("\"count\" must be from 0 to {}", most)};
  return range;
}

Json memory_body(const MemoryRange& range, std::span<const std::uint8_t> bytes) {
  Json body{{"address", reference_to(range.address)}, {"data", base64(bytes)}};
  if (bytes.size() < static_cast<std::size_t>(range.count))
    body["unreadableBytes"] = range.count - static_cast<std::int64_t>(bytes.size());
  return body;
}

InstructionRange instruction_range(const Arguments& arguments) {
  constexpr std::int64_t most = 1 << 16;
  InstructionRange range{offset_reference(arguments), arguments.integer_or("instructionOffset", 0),
                         arguments.integer("instructionCount")};
  if (range.count < 0 || range.count > most || range.offset < -most || range.offset > most)
    throw Refusal{fmt::format("at most {} instructions are shown", most)};
  const std::uint64_t reference = address_in(arguments.text("memoryReference"));
  const std::int64_t bytes = arguments.integer_or("offset", 0);
  if (const std::uint64_t back = bytes < 0 ? -static_cast<std::uint64_t>(bytes) : 0; back > reference) {
    constexpr std::uint64_t farthest = std::uint64_t{1} << 62;
    range.place = 0;  // and as many places before it
    range.offset -= static_cast<std::int64_t>(std::min(back - reference, farthest));
  }
  return range;
}

Json instruction_at(Server& server, std::uint64_t place, std::string_view text) {
  Json row{{"address", reference_to(place)}, {"instruction", text}};
  if (const auto line = server.debuggee().line_of(place)) {
    row["location"] = server.debuggee().source();
    row["line"] = server.to_client(*line);
  }
  return row;
}

namespace {

Json invalid_row(const std::string& address) {
  return {{"address", address}, {"instruction", ""}, {"presentationHint", "invalid"}};
}

}  // namespace

Json no_instruction(std::uint64_t place) { return invalid_row(reference_to(place)); }

Json no_instruction_before(std::uint64_t place, std::uint64_t distance) {
  if (distance <= place) return no_instruction(place - distance);
  return invalid_row(fmt::format("-{}", distance - place));
}

Json answer_read_memory(Server& server, const Arguments& arguments) {
  ShaderDebuggee& debuggee = stopped_shader(server);
  const MemoryRange range = memory_range(arguments);
  return memory_body(range, debuggee.debugger().read_memory(range.address, static_cast<std::size_t>(range.count)));
}

Json answer_disassemble(Server& server, const Arguments& arguments) {
  const std::vector<ir::Block>& words = shader(server).lifted.blocks;
  const InstructionRange range = instruction_range(arguments);
  const auto next = std::ranges::upper_bound(words, range.place, {}, &ir::Block::address) - words.begin();
  InstructionExtent extent{.start = std::max<std::int64_t>(next - 1, 0), .words = std::ssize(words)};
  if (!words.empty()) extent.end = words.back().address + words.back().bytes;
  return instruction_rows(range, extent, [&](std::size_t at) { return instruction(server, words[at]); });
}

}  // namespace mobula::servers::dap
