#include "machines/utgard_gp/check/report.h"
#include "core/counted.h"

#include <algorithm>
#include <tuple>

namespace mobula::utgard_gp {
namespace {

std::vector<Word128> first_words(const Program& program) {
  std::vector<Word128> words;
  const std::uint32_t count = std::min(word_count(program.code), std::uint32_t{max_words});
  words.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) words.push_back(load_word(program.code, i));
  return words;
}

/// Those inside the memory; a damaged container may claim millions.
Constants constants_of(const Program& program) {
  Constants constants;
  for (const UniformConstant& constant : program.interface.constants)
    if (constant.word < 4 * memory_vec4s) constants[constant.word] = constant.bits;
  return constants;
}

}  // namespace

Report::Report(const Program& checked)
    : program(checked),
      product(find_product(checked.variant)),
      names(checked.interface),
      words(first_words(checked)),
      stores_temporaries(std::any_of(words.begin(), words.end(), stores_temporary)),
      constants(constants_of(checked)),
      flow(words, stores_temporaries ? Constants{} : constants),
      reach(flow, [](std::uint16_t) { return false; }),
      findings_(checked.file, limit_code) {}

Diagnostics Report::take() {
  Diagnostics all = findings_.take();
  // The note that the rest is left out stays the last one. No two findings are in the same place with the same text.
  const auto end = all.end() - (all.size() > check_limit ? 1 : 0);
  std::sort(all.begin(), end, [](const Diagnostic& a, const Diagnostic& b) {
    return std::tie(a.where.byte_offset, a.code, a.where.bit_low, a.message) <
           std::tie(b.where.byte_offset, b.code, b.where.bit_low, b.message);
  });
  return all;
}

std::string address_of(std::uint16_t word) { return text_of({word}); }

std::string components(unsigned mask) {
  std::string text(1, '.');
  for (unsigned c = 0; c < 4; ++c)
    if ((mask >> c & 1) != 0) text += "xyzw"[c];
  return text;
}

std::string register_name(unsigned reg, unsigned mask) { return "$" + std::to_string(reg) + components(mask); }

std::string insert_words(const Path& path, unsigned count) {
  const std::string insert = "insert " + counted(count, "word") + ' ';
  for (std::size_t at = path.size() - 1; at > 0; --at)
    if (path[at] == path[at - 1] + 1)
      return insert + "between " + address_of(path[at - 1]) + " and " + address_of(path[at]);
  return insert + "before " + address_of(path.back()) + " and branch to the first of them";
}

}  // namespace mobula::utgard_gp
