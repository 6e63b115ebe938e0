#include "mobula/isa/pm4_capture.h"

#include "mobula/isa/pm4_file.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "core/counted.h"
#include "core/hexadecimal.h"
#include "machines/afuc/spec/chips.h"
#include "machines/afuc/text/packets.h"

namespace mobula::pm4 {
namespace {

/// What a section of a capture is. Others tell nothing of command streams.
enum class Section : std::uint32_t {
  buffer_address = 3,    ///< address low, bytes, and in newer files address high
  stream_address = 6,    ///< the same, in words
  buffer_contents = 12,  ///< of the buffer whose address came last
  gpu_id = 13,
  chip_id = 14,
};
constexpr std::uint32_t most_section = 64;             ///< Mesa 26 has 17
constexpr std::uint32_t most_section_size = 1U << 28;  ///< no larger file is read
constexpr std::uint32_t marker = 0xFFFF'FFFF;          ///< twice before a section, in files of Mesa
constexpr std::uint32_t most_stream = 0xF'FFFF;        ///< words of an indirect buffer
constexpr std::uint32_t cp_indirect_buffer = 0x3F, cp_set_draw_state = 0x43;
constexpr std::size_t word_size = 4, header_size = 8;

/// Chip ids that do not spell their GPU.
struct ChipId {
  std::uint32_t id;
  std::string_view name;
};
constexpr ChipId chip_ids[] = {{0x4305'0A01, "a740"}, {0x4305'0C01, "gen70500"}, {0x4305'1401, "a750"}};

std::uint32_t word_at(std::span<const std::uint8_t> bytes, std::size_t at) {
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < word_size && at + i < bytes.size(); ++i) word |= std::uint32_t{bytes[at + i]} << (8 * i);
  return word;
}

class Reader {
 public:
  Reader(std::span<const std::uint8_t> bytes, std::string_view file) : bytes_(bytes), file_(file) {}

  Result<Capture> run() {
    while (at_ < bytes_.size()) {
      const std::size_t begin = at_;
      while (bytes_.size() - at_ >= header_size && word_at(bytes_, at_) == marker && word_at(bytes_, at_ + 4) == marker)
        at_ += header_size;
      if (at_ == bytes_.size()) break;
      if (bytes_.size() - at_ < header_size)
        return problem(begin, "PM015", "the capture ends in the middle of a section's header", "copy the file again");
      const std::uint32_t type = word_at(bytes_, at_), size = word_at(bytes_, at_ + 4);
      if (type == 0 || type > most_section)
        return problem(at_, "PM016", hexadecimal(type) + " is not a section of a capture",
                       "sections have numbers from 1 to 17");
      if (size > bytes_.size() - at_ - header_size)
        return problem(at_, "PM015",
                       "the capture ends in the middle of a section: " +
                           counted(size - (bytes_.size() - at_ - header_size), "byte is", "bytes are") + " missing",
                       "copy the file again");
      const auto contents = bytes_.subspan(at_ + header_size, size);
      if (auto read = section(static_cast<Section>(type), contents); !read) return fail(std::move(read).error());
      at_ += header_size + size;
    }
    if (capture_.submits.empty())
      return problem(0, "PM019", "the capture has no command stream", "a capture of something that draws has one");
    return std::move(capture_);
  }

 private:
  Unexpected problem(std::size_t offset, std::string code, std::string message, std::string hint) const {
    return fail(Diagnostic{Severity::error,
                           std::move(code),
                           {.file = std::string(file_), .byte_offset = offset},
                           std::move(message),
                           std::move(hint)});
  }

  Result<void> section(Section type, std::span<const std::uint8_t> contents) {
    switch (type) {
      case Section::buffer_address:
        return begin_buffer(contents);
      case Section::buffer_contents:
        return fill_buffer(contents);
      case Section::stream_address:
        return add_stream(contents);
      case Section::gpu_id:
        tell('a' + std::to_string(word_at(contents, 0)));
        return {};
      case Section::chip_id:
        tell_chip(word_at(contents, 0));
        return {};
    }
    return {};
  }

  void tell(const std::string& name) {
    if (afuc::find_chip(name) != nullptr) capture_.gpu = name;
  }
  void tell_chip(std::uint32_t id) {
    std::string name =
        'a' + std::to_string(id >> 24) + std::to_string(id >> 16 & 0xFF) + std::to_string(id >> 8 & 0xFF);
    for (const ChipId& each : chip_ids)
      if (each.id == id) name = each.name;
    tell(name);
  }

  /// Address and length of these sections.
  Result<Indirect> extent(std::span<const std::uint8_t> contents) const {
    if (contents.size() < header_size)
      return problem(at_, "PM016", "an address and a length are expected in this section", "copy the file again");
    const Indirect found{word_at(contents, 0) | std::uint64_t{word_at(contents, 8)} << 32, word_at(contents, 4)};
    if (found.address % word_size != 0)
      return problem(at_, "PM016", hexadecimal(found.address) + " is not the address of a word",
                     "the address of a word is a multiple of 4");
    return found;
  }

  Result<void> begin_buffer(std::span<const std::uint8_t> contents) {
    const auto found = extent(contents);
    if (!found) return fail(found.error());
    // What follows command streams is of the next submit.
    if (has_streams_) next_ = {};
    has_streams_ = false;
    address_ = found->address;
    return {};
  }

  Result<void> fill_buffer(std::span<const std::uint8_t> contents) {
    if (!address_)
      return problem(at_, "PM016", "contents come without the address of their buffer", "copy the file again");
    Buffer& buffer = next_.memory.emplace_back(Buffer{*address_, {}});
    for (std::size_t at = 0; at < contents.size(); at += word_size) buffer.words.push_back(word_at(contents, at));
    address_.reset();
    return {};
  }

  Result<void> add_stream(std::span<const std::uint8_t> contents) {
    const auto found = extent(contents);
    if (!found) return fail(found.error());
    if (found->words > most_stream)
      return problem(at_, "PM017", "a command stream of " + counted(found->words, "word") + " is too long",
                     "an indirect buffer has 1048575 words at most");
    const std::vector<Buffer>& memory = has_streams_ ? capture_.submits.back().memory : next_.memory;
    const bool known = std::any_of(memory.begin(), memory.end(), [&](const Buffer& each) {
      return found->address >= each.address &&
             (found->address - each.address) / word_size + found->words <= each.words.size();
    });
    if (!known)
      return problem(at_, "PM018",
                     "the command stream at " + hexadecimal(found->address) + " is in no buffer of the capture",
                     "a capture with the contents of command streams is needed");
    if (!has_streams_) capture_.submits.push_back(std::move(next_));
    has_streams_ = true;
    std::vector<std::uint32_t>& ring = capture_.submits.back().ring;
    ring.push_back(type7_header(cp_indirect_buffer, 3));
    ring.push_back(static_cast<std::uint32_t>(found->address));
    ring.push_back(static_cast<std::uint32_t>(found->address >> 32));
    ring.push_back(found->words);
    return {};
  }

  std::span<const std::uint8_t> bytes_;
  std::string_view file_;
  std::size_t at_ = 0;
  std::optional<std::uint64_t> address_;  ///< of the buffer whose contents come next
  Stream next_;                           ///< the submit before its first command stream
  bool has_streams_ = false;              ///< the last submit is not complete: more command streams may come
  Capture capture_;
};

bool is_compressed(std::span<const std::uint8_t> bytes) {
  return bytes.size() > 2 && bytes[0] == 0x1F && bytes[1] == 0x8B;
}

}  // namespace

bool is_capture(std::span<const std::uint8_t> bytes) {
  if (is_compressed(bytes)) return true;
  std::size_t at = 0;
  while (bytes.size() >= at + header_size && word_at(bytes, at) == marker && word_at(bytes, at + 4) == marker)
    at += header_size;
  // No packet has a type of 0, so words of a stream are larger. Other files begin with a small number, too, but few
  // with the size of a section.
  return bytes.size() >= at + header_size && word_at(bytes, at) - 1 < most_section &&
         word_at(bytes, at + word_size) <= most_section_size;
}

Result<Capture> read_capture(std::span<const std::uint8_t> bytes, std::string_view file) {
  if (is_compressed(bytes))
    return fail(Diagnostic{
        Severity::error, "PM015", {.file = std::string(file)}, "the capture is compressed", "gunzip it first"});
  return Reader(bytes, file).run();
}

Result<bool> take_same_packets(std::string_view variant, std::string_view other) {
  const auto first = map_of(variant), second = map_of(other);
  if (!first || !second) return fail(first ? second.error() : first.error());
  return afuc::generation_of(*first) == afuc::generation_of(*second);
}

Result<std::vector<Stream>> read_streams(std::span<const std::uint8_t> bytes, std::string_view file,
                                         std::string_view variant) {
  if (!is_capture(bytes)) {
    auto stream = read_stream(bytes, file, variant);
    if (!stream) return fail(std::move(stream).error());
    return std::vector<Stream>{std::move(*stream)};
  }
  auto capture = read_capture(bytes, file);
  if (!capture) return fail(std::move(capture).error());
  if (capture->gpu.empty()) return std::move(capture->submits);
  const auto same = take_same_packets(capture->gpu, variant);
  if (!same) return fail(same.error());
  if (!*same)
    return fail("PM020",
                std::string(file) + " is a capture from an " + capture->gpu + ", but the firmware is for an " +
                    std::string(variant),
                "firmware of the same generation takes its packets");
  return std::move(capture->submits);
}

std::vector<Buffer> reached_buffers(const Stream& stream) {
  std::map<std::uint64_t, Buffer> found;
  std::vector<Indirect> wanted;
  // Buffers that lie in each other are many words: of hostile streams not all are followed.
  std::size_t budget = 4 * stream.ring.size();
  for (const Buffer& buffer : stream.memory) budget += 4 * buffer.words.size();
  const auto follow = [&](std::span<const std::uint32_t> words) {
    budget -= std::min(budget, words.size());
    decode_each(words, [&](const Packet& packet) {
      const auto payload = words.subspan(packet.first + 1, packet.payload);
      if (const auto buffer = indirect(packet, payload)) wanted.push_back(*buffer);
      if (packet.kind != Packet::Kind::type7 || packet.number != cp_set_draw_state) return;
      for (std::size_t i = 0; i + 3 <= payload.size(); i += 3)
        wanted.push_back({payload[i + 1] | std::uint64_t{payload[i + 2]} << 32, payload[i] & 0xFFFF});
    });
  };
  follow(stream.ring);
  while (!wanted.empty() && budget != 0) {
    const Indirect next = wanted.back();
    wanted.pop_back();
    if (const auto known = found.find(next.address); known != found.end() && known->second.words.size() >= next.words)
      continue;
    const auto holder = std::find_if(stream.memory.rbegin(), stream.memory.rend(), [&](const Buffer& each) {
      return next.address >= each.address && (next.address - each.address) / word_size < each.words.size();
    });
    if (holder == stream.memory.rend() || next.words == 0 || next.address % word_size != 0) continue;
    const auto words = std::span(holder->words).subspan((next.address - holder->address) / word_size);
    const auto reached = words.first(std::min<std::size_t>(words.size(), next.words));
    found[next.address] = {next.address, {reached.begin(), reached.end()}};
    follow(reached);
  }
  std::vector<Buffer> buffers;
  buffers.reserve(found.size());
  for (auto& [address, buffer] : found) buffers.push_back(std::move(buffer));
  return buffers;
}

}  // namespace mobula::pm4
