#include "mobula/lab/word_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "mobula/isa/machine.h"

namespace mobula {

namespace {

/// Whether a line is empty, or has nothing but a label and perhaps what jumps there.
bool is_before_word(std::string_view line) {
  const std::string_view code = line.substr(0, line.find("\t;"));
  return code.empty() || code.ends_with(':');
}

}  // namespace

WordTexts::WordTexts(const Program& program) {
  const Machine* machine = find_machine(program.machine);
  if (machine == nullptr) return;
  const auto listing = machine->disassemble(program, {.words = true});
  if (!listing) return;
  for (const Listing::Word& word : listing->words) {
    const std::size_t begin = text_after_labels(listing->text, word);
    texts_[word.byte_offset] = one_line(std::string_view(listing->text).substr(begin, word.text_end - begin));
  }
}

std::size_t text_after_labels(std::string_view listing, const Listing::Word& word) {
  std::size_t begin = word.text_begin;
  for (std::size_t line_end = 0; begin < word.text_end; begin = line_end + 1) {
    line_end = listing.find('\n', begin);
    if (line_end >= word.text_end || !is_before_word(listing.substr(begin, line_end - begin))) break;
  }
  return begin;
}

std::string_view WordTexts::at(std::uint64_t address) const {
  const auto found = texts_.find(address);
  return found == texts_.end() ? std::string_view() : found->second;
}

std::string slot_text(const ir::Slot& slot, std::span<const std::uint8_t> bytes) {
  std::uint64_t bits = 0;
  std::copy_n(bytes.begin(), std::min(bytes.size(), sizeof bits), reinterpret_cast<std::uint8_t*>(&bits));
  if (slot.bytes == 4)
    return fmt::format("{:#010x} ({:g})", bits, std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  return fmt::format("{:#x}", bits);
}

Result<std::vector<std::uint8_t>> slot_bytes(const ir::Slot& slot, const Value& value) {
  const bool is_float = value.kind == Value::Kind::real || value.kind == Value::Kind::decimal;
  auto bits = static_cast<std::uint64_t>(value.as_integer());
  if (is_float && slot.bytes == 4) {
    const auto number = static_cast<float>(value.as_real());
    if (std::isinf(number) && !std::isinf(value.as_real()))
      return fail("DB005", fmt::format("{} holds a 32-bit float; {:g} does not fit", slot.name, value.as_real()),
                  "0x7f800000 is infinity");
    bits = std::bit_cast<std::uint32_t>(number);
  } else if (value.kind == Value::Kind::real) {
    return fail("DB005", fmt::format("{} has {} bytes, and holds no float", slot.name, slot.bytes),
                "an integer, or a pattern such as 0x3c00");
  } else if (slot.bytes < sizeof bits) {
    const std::uint64_t most = (std::uint64_t{1} << (8 * slot.bytes)) - 1;
    const bool is_negative = value.as_integer() < 0;
    if (is_negative ? (~bits & ~(most >> 1)) != 0 : bits > most)
      return fail("DB005", fmt::format("{} has {} bytes; {} does not fit", slot.name, slot.bytes, value.as_integer()));
    bits &= most;
  }
  std::vector<std::uint8_t> bytes(slot.bytes);
  std::memcpy(bytes.data(), &bits, std::min(bytes.size(), sizeof bits));
  return bytes;
}

}  // namespace mobula
