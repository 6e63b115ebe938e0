// Where $data, $memdata and $regdata come from: streams, packets and queues (3.10, 4.6).
#include <fmt/format.h>

#include <algorithm>

#include "core/counted.h"
#include "machines/afuc/devices/devices.h"
#include "machines/afuc/spec/codec.h"
#include "machines/afuc/spec/names.h"
#include "mobula/isa/pm4.h"

namespace mobula::afuc {
namespace {

constexpr std::size_t most_queued_reads = 1u << 16;
/// Two sources and three further moves.
constexpr std::uint32_t most_words_of_instruction = 5;

// Headers of PM4 (4.11).
constexpr std::uint32_t ib_end_header = 0x708A'8000, states_end_header = 0x7089'8000;

}  // namespace

// ------------------------------------------------------------------------------------------------ streams

std::uint32_t Devices::level() const {
  if (kind_ == CoreKind::me) return reads_states() ? numbers_.sds_level : 0;
  return control_[numbers_.ib_level] & 7;
}

const Devices::Stream* Devices::stream() const {
  const std::uint32_t now = level();
  if (now == 0) return nullptr;
  if (now == numbers_.sds_level) return pushed_groups_.empty() ? nullptr : &groups_[pushed_groups_.front()].stream;
  return now > buffers_.size() || buffers_[now - 1].empty() ? nullptr : &buffers_[now - 1].front();
}
Devices::Stream* Devices::stream() {
  return const_cast<Stream*>(static_cast<const Devices*>(this)->stream());  // NOLINT: same object
}

void Devices::end_stream() {
  if (stream() == nullptr) return;
  if (level() == numbers_.sds_level) {
    pushed_groups_.pop_front();
  } else {
    buffers_[level() - 1].pop_front();
  }
}

bool Devices::has_word() const {
  std::uint32_t word = 0;
  return word_ahead(0, word);
}

/// The word so many words ahead; false if the stream has no such word.
bool Devices::word_ahead(std::uint32_t ahead, std::uint32_t& word) const {
  if (kind_ == CoreKind::me) {
    const std::deque<std::uint32_t>& queue = reads_states() ? board_.states : board_.meq;
    if (ahead >= queue.size() || (reads_states() && ahead >= states_left_)) return false;
    word = queue[ahead];
  } else if (level() == 0) {
    if (ahead >= ring.size() - ring_position) return false;
    word = ring[ring_position + ahead];
  } else {
    const Stream* from = stream();
    if (from == nullptr || ahead >= from->words) return false;
    word = board_.memory.read((from->address + 4 * std::uint64_t{ahead}) & address_mask);
  }
  return true;
}

/// Takes the next word off the stream; false if there is none.
bool Devices::next_word(std::uint32_t& word) {
  if (kind_ == CoreKind::me) {
    if (!word_ahead(0, word)) return false;
    if (reads_states()) --states_left_;
    (reads_states() ? board_.states : board_.meq).pop_front();
  } else if (level() == 0) {
    if (ring_position == ring.size()) return false;
    word = ring[ring_position++];
  } else {
    Stream* from = stream();
    if (from == nullptr || from->words == 0) return false;
    word = board_.memory.read(from->address);
    from->address = (from->address + 4) & address_mask;
    --from->words;
  }
  return true;
}

bool Devices::looks_ahead() const {
  return numbers_.look_ahead != no_register && (control_[numbers_.look_ahead] >> level() & 1) != 0;
}

bool Devices::peeks() const { return numbers_.peek != no_register && control_[numbers_.peek] == numbers_.peek_value; }

std::string Devices::place() const {
  if (kind_ == CoreKind::me) return reads_states() ? "the words of draw states" : "the words from the PFP";
  if (level() == 0) return ring_place();
  const Stream* from = stream();
  if (from == nullptr) return fmt::format("level {}, where there is no indirect buffer", level());
  return fmt::format("address {:#x} of {}", (from->address - 4) & address_mask,
                     level() == numbers_.sds_level ? std::string("a draw state") : fmt::format("IB{}", level()));
}

std::string Devices::ring_place() const {
  return fmt::format("word {} of the ring buffer", ring_position == 0 ? 0 : ring_position - 1);
}

bool Devices::take(std::uint32_t word) {
  if (ring_position == ring.size()) {
    ring.clear();
    ring_position = 0;
  }
  if (ring.size() >= board_.options.memory_bytes / word_bytes) return false;
  ring.push_back(word);
  return true;
}

namespace {
/// Words that a header announces.
std::uint32_t payload_of(std::uint32_t header) {
  return header >> 28 == 4 ? header & 0x7F : header >> 28 == 7 ? header & 0x3FFF : 0;
}
}  // namespace

/// The ME continues inside a packet when the words are there that one instruction can take at most.
bool Devices::has_input() const {
  if (reads_states()) return has_words_of_packet();
  if (kind_ == CoreKind::me) return waits_for_data_ ? has_words_of_packet() : !board_.meq.empty();
  if (level() != 0) return true;
  if (ring_position == ring.size()) return false;
  return !is_fed || ring.size() - ring_position > payload_of(ring[ring_position]);
}

Fault Devices::read_data(bool peek, std::uint32_t& word, std::uint32_t& consumed) {
  if (wants_header_) {
    consumed = 0;
    return read_header(word);
  }
  waits_for_data_ = false;
  if (peek || peeks() || looks_ahead()) {  // what is not there is looked at as 0
    consumed = word = 0;
    (void)word_ahead(looks_ahead() ? looked_ahead_++ : 0, word);
    return {};
  }
  if (!secure_words()) {
    waits_for_data_ = true;
    return {.reason = {}, .waits = true};
  }
  consumed = 1;
  if (next_word(word)) {
    spend(&Spent::stream_words);
    if (payload_left_ != 0) --payload_left_;
    return {};
  }
  // CP_INDIRECT_BUFFER_CHAIN starts the next buffer, and looks whether its own ends.
  const std::uint32_t now = level();
  if (now != 0 && now <= buffers_.size() && now != numbers_.sds_level && buffers_[now - 1].size() > 1) {
    end_stream();
    word = ib_end_header;
    return {};
  }
  // A core that is not concerned by packets skips them without waitin.
  if ((!in_packet_ || payload_left_ == 0) && level() == 0 && kind_ == CoreKind::sqe) {
    waits_for_data_ = true;
    return {.reason = {}, .waits = true};
  }
  return {lack_of_words()};
}

/// An instruction that has begun to take words cannot wait for more. False if they have not all come yet.
bool Devices::secure_words() {
  if (kind_ != CoreKind::me || board_.feeding == nullptr || processor_->blocks() == secured_block_) return true;
  if (!has_words_of_packet()) return false;
  secured_block_ = processor_->blocks();
  return true;
}

bool Devices::has_words_of_packet() const {
  if (reads_states()) return states_left_ == 0 || !board_.states.empty();  // all words of a fetch come at once
  return !board_.meq.empty() && board_.meq.size() >= std::min(payload_left_, most_words_of_instruction);
}

std::string Devices::lack_of_words() const {
  const std::string where = reads_states()          ? "what the PFP has fetched for draw states"
                            : kind_ == CoreKind::me ? "what the PFP has sent"
                            : level() == 0          ? "the ring buffer"
                                                    : fmt::format("the buffer at level {}", level());
  return in_packet_ ? fmt::format("{} ends in the middle of packet {}, header {:08x}", where,
                                  packet_or_number(board_.map, packet_.entry), packet_.header)
                    : where + " is read where it is empty";
}

std::string Devices::awaited_word() const {
  if (!waits_for_data_ || kind_ == CoreKind::me) return {};
  std::string where = "waits at $data, and not at waitin, for a word of the ring buffer";
  if (packet_.header == 0) return where;
  return fmt::format("{} beyond packet {}, header {:08x} with {}", where, packet_or_number(board_.map, packet_.entry),
                     packet_.header, counted(payload_of(packet_.header), "word"));
}

std::string Devices::left_states() const {
  if (kind_ != CoreKind::me) return {};
  if (reads_states() && states_left_ != 0)
    return fmt::format("waits for {} of draw states that the PFP has not fetched", counted(states_left_, "word"));
  if (!board_.states.empty())
    return fmt::format("has not read {} of draw states", counted(board_.states.size(), "word"));
  return {};
}

/// The first word after waitin. The end of an indirect buffer looks like a packet (3.10).
Fault Devices::read_header(std::uint32_t& word) {
  wants_header_ = false;
  packet_.level = static_cast<std::uint8_t>(level());
  if (!next_word(word)) {
    if (level() == 0) return {"a header is read where there is none"};
    end_stream();
    word = kind_ == CoreKind::me ? states_end_header : ib_end_header;
  }
  header_ = word;
  return {};
}

std::uint32_t Devices::entry_of(std::uint32_t header) const {
  if (header >> 28 == 7) return header >> 16 & 0x7F;
  constexpr std::uint32_t other_bank = 2, draw_bank = 3, one_bank = 4;
  if (kind_ != CoreKind::me) return one_bank;
  switch (banked(header >> 8 & 0x3FFFF)) {
    case Banked::other:
      return other_bank;
    case Banked::draw:
      return draw_bank;
    case Banked::none:
      break;
  }
  return one_bank;
}

Fault Devices::dispatch(std::uint32_t& payload, std::uint32_t& address) {
  if (!header_) return {"the delay slot of waitin has not read a header"};
  const std::uint32_t header = *header_;
  const std::uint32_t type = header >> 28;
  const bool is4 = type == 4, is7 = type == 7;
  const std::uint32_t count = is4 ? header & 0x7F : header & 0x3FFF;
  if (!is4 && !is7)
    return {
        fmt::format("{:08x} at {} is not a packet header: its type is {}, known are 4 and 7", header, place(), type)};
  // The PFP makes up headers for the ME without parity.
  const std::uint32_t wanted =
      is4 ? pm4::type4_header(header >> 8 & 0x7FFFF, count) : pm4::type7_header(header >> 16 & 0x7F, count);
  if (header != wanted && kind_ != CoreKind::me) {
    const bool parity_only = ((header ^ wanted) & ~(is4 ? 0x0800'0080u : 0x0080'8000u)) == 0;
    return {fmt::format("{:08x} at {} is not a packet header: {}; such a packet has the header {:08x}", header, place(),
                        parity_only ? "its parity is wrong" : "bits that must be 0 are set", wanted)};
  }
  header_.reset();
  payload = payload_left_ = count;
  packet_.core = index_;
  packet_.header = header;
  packet_.entry = entry_of(header);
  packet_.handler = table_[packet_.entry];
  address = static_cast<std::uint32_t>(block_address(packet_.handler, Role::plain));
  in_packet_ = true;
  if (profile_) profile_->packet(packet_.entry);
  spend(&Spent::stream_words);
  board_.log(
      {.kind = Event::Kind::packet, .core = index_, .level = packet_.level, .value = header, .address = packet_.entry});
  return {};
}

// ------------------------------------------------------------------------------------------------ queues

Fault Devices::queue_reads(std::deque<Reads>& queue, std::uint64_t address, std::uint32_t count) {
  if (count == 0) return {};
  if (queue.size() == most_queued_reads) return {"more reads were started than are taken"};
  queue.push_back({address, count});
  return {};
}

Fault Devices::read_memory_queue(std::uint32_t& word) {
  if (memory_reads_.empty() && kind_ == CoreKind::me && board_.ports_of_document) {
    word = read_document_port();
    return {};
  }
  if (memory_reads_.empty()) return {"$memdata is read, but no memory is being fetched"};
  Reads& reads = memory_reads_.front();
  word = read_memory(reads.address);
  reads.address = (reads.address + 4) & address_mask;
  if (--reads.count == 0) memory_reads_.pop_front();
  return {};
}

Fault Devices::read_register_queue(std::uint32_t& word) {
  if (register_reads_.empty()) return {"$regdata is read, but no register is being fetched"};
  Reads& reads = register_reads_.front();
  word = read_gpu(static_cast<std::uint32_t>(reads.address));
  ++reads.address;
  if (--reads.count == 0) register_reads_.pop_front();
  return {};
}

Fault Devices::read_queue(std::uint32_t source, std::uint32_t& word) {
  if (source == reg_memdata) return read_memory_queue(word);
  if (source == reg_regdata) return read_register_queue(word);
  std::uint32_t consumed = 0;
  return read_data(false, word, consumed);
}

}  // namespace mobula::afuc
