#include "machines/rogue/text/link.h"

#include <algorithm>

#include "core/counted.h"
#include "core/quote.h"
#include "machines/rogue/spec/layout.h"

namespace mobula::rogue {
namespace {

class Linker {
 public:
  Linker(ParsedText& text, const GroupAssembler::Complain& complain, Program& program)
      : text_(text), complain_(complain), program_(program) {}

  void run() {
    place();
    for (const auto& [name, index] : text_.label_order) program_.labels.push_back({std::string(name), offsets_[index]});
    if (text_.entry) {
      const auto found = text_.labels.find(std::string(text_.entry->text));
      if (found == text_.labels.end())
        error(text_.entry->span(), "RG112", "there is no label " + quote(text_.entry->text));
      else
        program_.entry = offsets_[found->second];
    }
    for (std::size_t i = 0; i < text_.entries.size(); ++i) {
      Entry& entry = text_.entries[i];
      if (entry.target) aim(entry, offsets_[i]);
      if (offsets_[i + 1] != offsets_[i]) program_.lines.push_back({offsets_[i], entry.line});
      if (!failed_) append(entry, static_cast<unsigned>((offsets_[i + 1] - offsets_[i]) / 2));
    }
  }

 private:
  void error(Span span, std::string code, std::string message, std::string hint = {}) {
    failed_ = true;
    complain_(Severity::error, span, std::move(code), std::move(message), std::move(hint));
  }

  void place() {
    std::vector<Extent> extents;
    for (const Entry& each : text_.entries)
      extents.push_back(each.is_group ? Extent{each.group.content, true, each.group.ends()}
                                      : Extent{static_cast<std::uint32_t>(each.bytes.size()), false, false});
    std::vector<std::uint32_t> sizes = default_sizes(extents);
    for (std::size_t i = 0; i < sizes.size(); ++i)
      if (text_.entries[i].is_group) choose_size(text_.entries[i], sizes[i]);
    reach_positions(sizes);
    for (const std::uint32_t size : sizes) offsets_.push_back(offsets_.back() + size);
  }

  /// .align and .org: groups in front grow, back to the position before. The last group's is one more such position.
  void reach_positions(std::vector<std::uint32_t>& sizes) {
    const auto is_position = [](const Entry& each) { return each.align || each.org; };
    if (std::none_of(text_.entries.begin(), text_.entries.end(), is_position)) return;
    std::size_t free = 0;  // entries from here on may grow
    std::uint64_t offset = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const Entry& entry = text_.entries[i];
      const bool is_end = i + 1 == sizes.size() && entry.is_group && entry.group.ends();
      if (is_position(entry) || is_end) {
        const std::uint64_t align = entry.align.value_or(granule_bytes);
        const std::uint64_t wanted = entry.org ? *entry.org : (offset + align - 1) / align * align;
        offset += grow(sizes, free, i, offset, wanted);
        free = i;
      }
      offset += sizes[i];
    }
  }
  /// Bytes by which entries `first` to before `last` have grown.
  std::uint64_t grow(std::vector<std::uint32_t>& sizes, std::size_t first, std::size_t last, std::uint64_t offset,
                     std::uint64_t wanted) {
    std::uint64_t missing = wanted < offset ? 0 : wanted - offset;
    if (wanted >= offset && missing % 2 == 0)
      for (std::size_t i = last; i-- > first && missing != 0;) {
        if (!text_.entries[i].is_group || text_.entries[i].has_padding || text_.entries[i].words != 0) continue;
        const auto more = static_cast<std::uint32_t>(std::min<std::uint64_t>(missing, max_group_bytes - sizes[i]));
        sizes[i] += more;
        missing -= more;
      }
    if (wanted < offset || missing != 0)
      error(text_.entries[last].span, "RG120",
            "byte " + std::to_string(wanted) + " cannot be reached from byte " + std::to_string(offset),
            wanted < offset ? "positions ascend" : "put `nop` groups before it: each fills up to 32 bytes");
    return wanted < offset ? 0 : wanted - offset - missing;
  }

  void append(const Entry& entry, unsigned words) {
    if (entry.is_group) encode_content(entry.group, words, program_.code);
    if (entry.is_group && !entry.has_padding) append_padding(entry.group.content, words, program_.code);
    program_.code.insert(program_.code.end(), entry.bytes.begin(), entry.bytes.end());
  }

  void choose_size(Entry& entry, std::uint32_t& size) {
    if (entry.has_padding) {
      size = entry.group.content + static_cast<std::uint32_t>(entry.bytes.size());
      if (size % 2 != 0 || size > max_group_bytes)
        error(entry.span, "RG117", "with its padding the group is " + counted(size, "byte") + " long",
              "allowed: an even number up to 32");
    } else if (entry.words != 0) {
      const std::uint32_t least = (entry.group.content + 1) / 2;
      size = 2 * entry.words;
      if (entry.words < least)
        error(entry.span, "RG117",
              "the group needs " + counted(least, "word") + " and len= says " + std::to_string(entry.words),
              "leave len= out");
    }
  }

  void aim(Entry& entry, std::uint64_t offset) {
    const TextOperand& target = *entry.target;
    Item& item = entry.group.item(Word::control);
    const bool absolute = item.get(F::abs) != 0;
    std::int64_t value = 0;
    if (target.base.kind == LineToken::Kind::number) {
      std::uint64_t number = 0;
      constexpr std::uint64_t limit = std::uint64_t{1} << 31;
      if (!parse_integer(target.base.text, number) || number > limit) {
        error(target.span, "RG104", "this offset does not fit into 32 bits");
        return;
      }
      value = target.minus ? -static_cast<std::int64_t>(number) : static_cast<std::int64_t>(number);
    } else {
      const auto found = text_.labels.find(std::string(target.base.text));
      if (found == text_.labels.end()) {
        Nearest nearest(target.base.text);
        for (const auto& each : text_.labels) nearest.offer(each.first);
        error(target.span, "RG112", "there is no label " + quote(target.base.text), nearest.hint());
        return;
      }
      value = static_cast<std::int64_t>(offsets_[found->second]) - (absolute ? 0 : static_cast<std::int64_t>(offset));
    }
    constexpr std::int64_t high = 0x7FFFFFFF, low = -high - 1;
    if (value % 2 != 0 || value < low || value > high) {
      error(target.span, "RG045", "a branch cannot go " + std::to_string(value) + " bytes far",
            "groups begin at even addresses");
      return;
    }
    Values values = default_values;
    read(*item.form, item.bits, values);
    at(values, F::offset) = static_cast<std::uint32_t>(value) >> 1;
    item.bits = write(*item.form, values);
  }

  ParsedText& text_;
  const GroupAssembler::Complain& complain_;
  Program& program_;
  std::vector<std::uint64_t> offsets_{0};  ///< of each entry, and of the end
  bool failed_ = false;
};

}  // namespace

void link(ParsedText& text, const GroupAssembler::Complain& complain, Program& program) {
  Linker(text, complain, program).run();
}

}  // namespace mobula::rogue
