#include "cli/input/stream_input.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/input/input.h"
#include "mobula/isa/pm4_capture.h"
#include "mobula/isa/pm4_file.h"
#include "mobula/lab/expression.h"

namespace mobula::cli {
namespace {

std::optional<ContainerFormat> format_of_stream(const std::string& container) {
  if (container.empty()) return {};
  for (const ContainerFormat format : {ContainerFormat::raw, ContainerFormat::hex, ContainerFormat::text})
    if (mobula::name(format) == container) return format;
  throw usage_error("a stream cannot be " + container, "one of raw, hex, text");
}

pm4::Buffer load_buffer(const std::string& setting, std::string_view variant) {
  const std::size_t equals = setting.find('=');
  const auto address = read_number(std::string_view(setting).substr(0, equals));
  if (equals == std::string::npos || !address || *address % 4 != 0)
    throw usage_error("--memory \"" + setting + "\" is not ADDRESS=FILE",
                      "such as 0x100000=buffer.bin; an address is a multiple of 4");
  const std::string file = setting.substr(equals + 1);
  pm4::Buffer buffer{.address = *address, .words = {}};
  buffer.words = load_stream(read_file(file), file, variant, {}, Exit::usage).ring;
  return buffer;
}

bool overlap(const pm4::Buffer& one, const pm4::Buffer& other) {
  const bool is_first = one.address <= other.address;
  const pm4::Buffer &first = is_first ? one : other, &second = is_first ? other : one;
  return !second.words.empty() && second.address - first.address < 4 * first.words.size();
}

}  // namespace

pm4::Stream load_stream(std::span<const std::uint8_t> bytes, const std::string& file, std::string_view variant,
                        const std::string& container, Exit status) {
  const std::optional<ContainerFormat> format = format_of_stream(container);
  if (!format && pm4::is_capture(bytes))
    throw usage_error(file + " is a capture of what a driver submitted", "mobula pm4 and --stream take it");
  return value_or_stop(pm4::read_stream(bytes, file, variant, format), file, status);
}

std::vector<pm4::Stream> load_streams(const std::string& file, std::string_view variant) {
  return value_or_stop(pm4::read_streams(read_file(file), file, variant), file, Exit::usage);
}

std::vector<pm4::Buffer> load_memory(const std::vector<std::string>& settings, std::string_view variant) {
  std::vector<pm4::Buffer> buffers;
  for (const std::string& setting : settings) {
    pm4::Buffer buffer = load_buffer(setting, variant);
    for (std::size_t i = 0; i < buffers.size(); ++i)
      if (overlap(buffers[i], buffer))
        throw usage_error(fmt::format("--memory {} and --memory {} both give the word at {:#x}", settings[i], setting,
                                      std::max(buffers[i].address, buffer.address)),
                          "give each address once; files of several buffers can be joined before");
    buffers.push_back(std::move(buffer));
  }
  return buffers;
}

}  // namespace mobula::cli
