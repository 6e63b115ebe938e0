// Memory, and the program as instructions.
#include <fmt/format.h>

#include "servers/dap/requests.h"

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
  Debuggee& debuggee = server.debuggee();
  std::string bytes;
  for (std::uint64_t at = word.address; at < word.address + word.bytes && at < debuggee.program.code.size(); ++at)
    bytes += fmt::format("{}{:02x}", bytes.empty() ? "" : " ", debuggee.program.code[at]);
  Json row{{"address", reference_to(word.address)},
           {"instructionBytes", bytes},
           {"instruction", debuggee.words.at(word.address)}};
  for (const Label& label : debuggee.debugger().labels())
    if (label.byte_offset == word.address) row["symbol"] = label.name;
  if (const auto line = debuggee.line_of(word.address)) {
    row["location"] = debuggee.source();
    row["line"] = server.to_client(*line);
  }
  return row;
}

}  // namespace

Json answer_read_memory(Server& server, const Arguments& arguments) {
  constexpr std::int64_t most = 1 << 20;
  Debuggee& debuggee = server.stopped_debuggee();
  const std::uint64_t address = offset_reference(arguments);
  const std::int64_t count = arguments.integer("count");
  if (count < 0 || count > most) throw Refusal{fmt::format("\"count\" must be from 0 to {}", most)};
  const std::vector<std::uint8_t> bytes = debuggee.debugger().read_memory(address, static_cast<std::size_t>(count));
  Json body{{"address", reference_to(address)}, {"data", base64(bytes)}};
  if (bytes.size() < static_cast<std::size_t>(count))
    body["unreadableBytes"] = count - static_cast<std::int64_t>(bytes.size());
  return body;
}

/// As many as were asked for: before the first word and after the last one there are some that are none.
Json answer_disassemble(Server& server, const Arguments& arguments) {
  constexpr std::int64_t most = 1 << 16;
  const std::vector<ir::Block>& words = server.debuggee().lifted.blocks;
  const std::uint64_t address = offset_reference(arguments);
  const std::int64_t count = arguments.integer("instructionCount"), from = arguments.integer_or("instructionOffset", 0);
  if (count < 0 || count > most || from < -most || from > most)
    throw Refusal{fmt::format("at most {} instructions are shown", most)};
  const auto start = std::ranges::lower_bound(words, address, {}, &ir::Block::address) - words.begin();
  Json rows = Json::array();
  for (std::int64_t at = start + from; at < start + from + count; ++at) {
    if (at >= 0 && at < static_cast<std::int64_t>(words.size())) {
      rows.push_back(instruction(server, words[static_cast<std::size_t>(at)]));
      continue;
    }
    // Addresses that nothing has, each another.
    const std::uint64_t end = words.empty() ? 0 : words.back().address + words.back().bytes;
    const std::uint64_t nowhere =
        at < 0 ? static_cast<std::uint64_t>(at) : end + static_cast<std::uint64_t>(at) - words.size();
    rows.push_back({{"address", reference_to(nowhere)}, {"instruction", ""}, {"presentationHint", "invalid"}});
  }
  return {{"instructions", std::move(rows)}};
}

}  // namespace mobula::servers::dap
