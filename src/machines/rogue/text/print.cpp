#include "machines/rogue/text/print.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include "machines/rogue/spec/cores.h"
#include "machines/rogue/spec/layout.h"
#include "machines/rogue/text/print_instruction.h"
#include "machines/rogue/text/text_only.h"

namespace mobula::rogue {
namespace {

/// Room for any group's line: six instructions, bindings, maps and padding.
constexpr std::size_t line_room = 4096;

/// Writes the items of a group with "; " between them.
class GroupPrinter {
 public:
  GroupPrinter(char* out, const PrintContext& context, const Program& program)
      : out_(out), context_(context), group_(context.group), program_(program) {}

  char* run(std::uint32_t default_size) {
    if (group_.condition != Condition::always) out_ = put(put(out_, condition_name(group_.condition)), ' ');
    static constexpr std::array<std::string_view, 3> alus{"main", "bit", "ctrl"};
    out_ = put(out_, alus[static_cast<std::size_t>(group_.alu)]);
    put_flags(default_size);
    out_ = put(out_, " {");
    if (group_.lower != nullptr) put_bindings();
    for (const Unit unit : text_order) put_unit(unit);
    if (group_.modelled.present) put_modelled();
    for (unsigned i = 0; i < 2; ++i)
      if (i == 0 ? group_.w0p : group_.w1p) {
        next();
        out_ = put_register(put(put_decimal(put(out_, 'w'), i), " = "), group_.written[i]);
      }
    if (!group_.modelled.present) put_markers();
    if (irregular_) put_padding();
    return put(out_, " }");
  }

 private:
  void next() {
    out_ = put(out_, first_ ? std::string_view(" ") : std::string_view("; "));
    first_ = false;
  }
  [[nodiscard]] std::span<const std::uint8_t> padding() const {
    return std::span(program_.code).subspan(group_.offset + group_.content, group_.size - group_.content);
  }

  void put_flags(std::uint32_t default_size) {
    if (group_.repeat != 1) out_ = put_decimal(put(out_, " rpt="), group_.repeat);
    if (group_.olchk) out_ = put(out_, " olchk");
    if (group_.atom) out_ = put(out_, " atom");
    if (group_.end) out_ = put(out_, " end");
    Group shortest = group_;
    choose_header(shortest);
    if (shortest.brief != group_.brief) out_ = put(out_, " hdr=3");
    std::vector<std::uint8_t> regular;
    append_padding(group_.content, group_.size / 2, regular);
    const auto actual = padding();
    irregular_ = !std::equal(regular.begin(), regular.end(), actual.begin(), actual.end());
    if (!irregular_ && group_.size != default_size) out_ = put_decimal(put(out_, " len="), group_.size / 2);
  }

  void put_bindings() {
    const unsigned used = slots_used(group_), selectors = selectors_used(group_);
    for (unsigned slot = 0; slot < slot_count; ++slot) {
      if ((used >> slot & 1) == 0 && group_.slots[slot] == Register{}) continue;
      next();
      out_ = put_register(put(put_decimal(put(out_, 's'), slot), " = "), group_.slots[slot]);
    }
    for (unsigned i = 0; i < 6; ++i) {
      if ((selectors >> i & 1) == 0 && group_.selectors[i] == 0) continue;
      next();
      static constexpr std::array<F, 6> fields{F::is0, F::is1, F::is2, F::is3, F::is4, F::is5};
      out_ = put(put_decimal(put(out_, "is"), i), " = ");
      out_ = put(out_, find_name(fields[i], group_.selectors[i]));
    }
  }
  static std::string_view find_name(F field, unsigned value) {
    for (const FieldValue& row : info(field).names)
      if (row.value == value) return row.name;
    return "?";
  }

  void put_unit(Unit unit) {
    const Op* op = visible_op(group_, unit);
    if (op == nullptr) return;
    next();
    if (unit != Unit::control) out_ = put(put(out_, phase_name(unit)), ": ");
    out_ = put_instruction(out_, context_, unit, *op, group_.item(word_of(unit)));
  }

  void put_modelled() {
    out_ = put_text_only(out_, text_only_of(program_, group_), false, first_ ? " " : "; ", "");
    first_ = false;
  }

  void put_markers() {
    struct Map {
      std::string_view name;
      const Form *actual, *shortest;
    };
    for (const Map& map :
         {Map{"map lo=", group_.lower, group_.lower == nullptr ? nullptr : shortest_lower(group_)},
          Map{"map hi=", group_.upper, group_.upper == nullptr ? nullptr : shortest_upper(group_)},
          Map{"map dst=", group_.destination, group_.destination == nullptr ? nullptr : shortest_destination(group_)}})
      if (map.actual != map.shortest) {
        next();
        out_ = put(put(out_, map.name), map.actual->name);
      }
  }
  void put_padding() {
    next();
    out_ = put(out_, "pad=");
    for (const std::uint8_t byte : padding()) out_ = put_hex_digits(out_, byte, 2);
  }

  char* out_;
  const PrintContext& context_;
  const Group& group_;
  const Program& program_;
  bool first_ = true, irregular_ = false;
};

}  // namespace

char* put_raw(char* out, const Program& program, std::uint32_t offset, std::uint32_t size, std::string_view why) {
  out = put(out, ".byte");
  for (std::uint32_t i = 0; i < size; ++i)
    out = put_hex_digits(put(out, i == 0 ? std::string_view(" 0x") : std::string_view(", 0x")),
                         program.code[offset + i], 2);
  return put(put(out, "  // "), why);
}

namespace {

/// Why a group is shown as bytes; empty: it is not.
std::string reason_for_bytes(const Group& group, const Program& program) {
  if (group.raw()) return std::string(group.problem.text);
  const auto refused = refusal_of(group, program.variant);
  return refused ? std::string(refused->found) : std::string();
}

/// What the assembler makes of each group's text: groups that it pads, or bytes.
Extent extent_of(const Group& group, bool as_bytes) {
  return as_bytes || group.modelled.present ? Extent{group.size, false, false}
                                            : Extent{group.content, true, group.ends()};
}

/// Sizes that need not be said. Those of the last groups, which may grow, depend on all before: they are settled when
/// all others have been counted.
class DefaultSizes {
 public:
  DefaultSizes(const Program& program, const Labels& labels)
      : program_(program), labels_(labels), tail_(labels.groups()) {
    if (tail_ == 0) return;
    const Extent last = decoded(tail_ - 1);
    if (!last.group || !last.ends) return;
    --tail_;
    for (std::uint32_t room = 0; tail_ != 0 && room < granule_bytes; room += room_in(decoded(tail_))) --tail_;
  }

  /// Gives the sizes of some groups one after the other, and counts them in the end.
  class Some {
   public:
    explicit Some(DefaultSizes& all) : all_(all) {}
    ~Some() { count(); }
    Some(const Some&) = delete;
    Some& operator=(const Some&) = delete;
    std::uint32_t of(std::size_t group, const Extent& extent) {
      if (group >= all_.tail_) {
        count();
        if (settled_.empty()) settled_ = all_.settled();
        return settled_[group - all_.tail_];
      }
      const std::uint32_t size = default_size(extent);
      bytes_ += size;
      ++groups_;
      return size;
    }

   private:
    void count() {
      all_.bytes_ += std::exchange(bytes_, 0);
      all_.groups_ += std::exchange(groups_, 0);
    }
    DefaultSizes& all_;
    std::size_t bytes_ = 0, groups_ = 0;
    std::vector<std::uint32_t> settled_;
  };

 private:
  [[nodiscard]] Extent decoded(std::size_t number) const {
    const Group group = decode_group(program_, labels_.offset(number));
    return extent_of(group, !reason_for_bytes(group, program_).empty());
  }
  /// Of the tail's groups. Those before are being printed at this moment at the latest.
  [[nodiscard]] std::vector<std::uint32_t> settled() const {
    while (groups_ != tail_) {
    }
    std::vector<Extent> extents;
    for (std::size_t i = tail_; i < labels_.groups(); ++i) extents.push_back(decoded(i));
    return default_sizes(extents, bytes_);
  }

  const Program& program_;
  const Labels& labels_;
  std::size_t tail_;
  std::atomic<std::size_t> bytes_ = 0, groups_ = 0;  ///< of the groups before the tail that have been counted
};

}  // namespace

PrintGroups print(const Program& program, const Labels& labels) {
  return [&program, &labels, all = std::make_shared<DefaultSizes>(program, labels)](
             std::size_t begin, std::size_t end, TextBuffer& out, std::vector<Listing::Word>* words) {
    DefaultSizes::Some sizes(*all);
    return print_each(program, labels, begin, end, line_room, out, words,
                      [&](const Group& group, std::size_t i, char* line) {
                        if (labels.labelled(i)) line = put(put_decimal(put(line, 'L'), i), ":\n");
                        const std::string reason = reason_for_bytes(group, program);
                        const bool as_bytes = !reason.empty();
                        const std::uint32_t size = sizes.of(i, extent_of(group, as_bytes));
                        if (as_bytes) line = put_raw(line, program, group.offset, group.size, reason);
                        if (as_bytes && !group.raw()) line = put(line, ": ");
                        if (!group.raw()) line = GroupPrinter(line, {group, labels}, program).run(size);
                        return put(line, '\n');
                      });
  };
}

}  // namespace mobula::rogue
