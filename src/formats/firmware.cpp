#include "mobula/isa/firmware.h"

#include <algorithm>

namespace mobula::firmware {
namespace {

constexpr std::uint32_t payload_mask = 0xFFFFFF, later_nop = 0x01;
/// Tables are addressed by 16-bit immediates, so none lies beyond these words of its program.
constexpr std::uint32_t search_limit = 0x10000;
constexpr std::size_t most_sections = 16;
/// Most opcodes of a real table have no packet and share one handler.
constexpr std::uint8_t least_shared = 8;

class Words {
 public:
  explicit Words(std::span<const std::uint8_t> bytes)
      : bytes_(bytes), count_(static_cast<std::uint32_t>(bytes.size() / 4)) {}
  [[nodiscard]] std::uint32_t operator[](std::uint32_t index) const { return load_word(bytes_, index); }
  [[nodiscard]] std::uint32_t size() const { return count_; }

 private:
  std::span<const std::uint8_t> bytes_;
  std::uint32_t count_;
};

/// True if 128 words that may be handlers of a program of `limit` words are there.
bool is_table(const Words& words, std::uint32_t at, std::uint32_t limit) {
  if (at > words.size() || words.size() - at < table_words) return false;
  for (std::uint32_t i = 0; i < table_words; ++i)
    if (words[at + i] >= limit) return false;
  return true;
}

/// A table whose offset no header word gives: 128 consecutive addresses, many of which are the same.
std::optional<std::uint32_t> search_table(const Words& words, std::uint32_t start) {
  const std::uint32_t limit = std::min(words.size() - start, search_limit);
  std::vector<std::uint8_t> counts(limit);  // of the last 128 words, by value
  std::uint32_t run = 0, shared = 0;        // addresses in a row; values that enough of them have
  for (std::uint32_t i = 0; i < limit; ++i) {
    const std::uint32_t word = words[start + i];
    if (word == 0 || word >= limit) {
      for (std::uint32_t back = 1; back <= std::min(run, table_words); ++back) counts[words[start + i - back]] = 0;
      run = shared = 0;
      continue;
    }
    if (run >= table_words && counts[words[start + i - table_words]]-- == least_shared) --shared;
    if (++counts[word] == least_shared) ++shared;
    if (++run >= table_words && shared > 0) return i + 1 - table_words;
  }
  return std::nullopt;
}

/// The offset in a header word, if a table is there.
std::optional<std::uint32_t> table_by_header(const Words& words, std::uint32_t start, std::uint32_t header) {
  if (start + header >= words.size()) return std::nullopt;
  const std::uint32_t word = words[start + header], nop = words[start] >> 24;
  const std::uint32_t offset = word & payload_mask;
  if (word >> 24 != nop || offset <= header || offset > words.size() - start) return std::nullopt;
  if (!is_table(words, start + offset, words.size() - start)) return std::nullopt;
  return offset;
}

/// True if word 1 says that there are several programs in all these words.
bool holds_several(const Words& words) {
  return words.size() > 3 && words[0] >> 24 == later_nop && words[1] == (later_nop << 24 | words.size());
}

}  // namespace

Layout layout(std::span<const std::uint8_t> bytes) {
  Layout result;
  result.leading_zero = bytes.size() >= 4 && load_word(bytes, 0) == 0;
  result.byte_offset = result.leading_zero ? 4 : 0;
  const Words words(bytes.subspan(result.byte_offset));
  result.words = words.size();
  if (!holds_several(words)) {
    result.sections.push_back({0, words.size(), words.size() < 2 ? std::nullopt : table_by_header(words, 0, 1)});
    return result;
  }
  for (std::uint32_t start = 0, header = 3; start < words.size(); header = 1) {
    auto table = table_by_header(words, start, header);
    if (!table) table = search_table(words, start);
    result.sections.push_back({start, words.size() - start, table});
    if (!table) break;
    const std::uint32_t end = start + *table + table_words;
    const std::uint32_t next = (end + section_alignment - 1) / section_alignment * section_alignment;
    // What is after the last table, such as a build date, belongs to the last program.
    if (next >= words.size() || words[next] >> 24 != later_nop || result.sections.size() == most_sections) break;
    result.sections.back().words = next - start;
    start = next;
  }
  return result;
}

std::uint32_t kernel_version(std::uint32_t word0, std::uint32_t word2) {
  return (word0 & 0xF) == 0xA ? word2 >> 12 & 0xFFF : version(word0);
}

bool is_older_firmware(std::span<const std::uint8_t> bytes) {
  constexpr std::uint32_t pfp_word0 = 0x00C60400, me_word1 = 0xC0200400;
  return bytes.size() >= 12 && load_word(bytes, 0) == 0 &&
         (load_word(bytes, 1) == pfp_word0 || load_word(bytes, 2) == me_word1);
}

bool is_firmware(std::span<const std::uint8_t> bytes) {
  constexpr std::uint32_t a5xx_id = 0x5FF;
  if (bytes.size() < 12 || load_word(bytes, 0) != 0) return false;
  const std::uint32_t word0 = load_word(bytes, 1), word1 = load_word(bytes, 2);
  if (word0 >> 24 == later_nop && id(word0) != 0) return word1 >> 24 == later_nop;
  return word0 >> 24 == 0 && id(word0) == a5xx_id && word1 >> 24 == 0;
}

}  // namespace mobula::firmware
