#include "machines/rogue/views/picture.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>

#include "core/listing_pieces.h"
#include "machines/rogue/text/print.h"
#include "machines/rogue/text/print_instruction.h"
#include "machines/rogue/text/text_only.h"
#include "mobula/isa/machine.h"

namespace mobula::rogue {
namespace {

using Kind = Picture::Kind;

/// Rows of a group's picture. Feedthroughs are below what drives them.
constexpr std::uint32_t slot_row = 0, first_phase_row = 1;

/// What the code of a selector stands for.
Name fed_by(const Group& group, unsigned selector) {
  static constexpr std::array<F, 6> fields{F::is0, F::is1, F::is2, F::is3, F::is4, F::is5};
  for (const FieldValue& row : info(fields[selector]).names)
    if (row.value == group.selector(selector)) return name_spelled(row.name);
  return Name::none;
}

class GroupPicture {
 public:
  GroupPicture(const Group& group, const Labels& labels, std::string_view text)
      : group_(group), context_{group, labels} {
    picture_.title = text.substr(0, text.find_last_not_of('\n') + 1);
    std::ranges::replace(picture_.title, '\n', ' ');
  }

  Picture make() {
    if (group_.alu != Alu::control || group_.lower != nullptr) slots();
    for (const Unit unit : text_order) {
      // Where phase 0 drives FTE, nothing else does.
      if (unit == Unit::pack && (selectors_used(group_) & 1) != 0 && !feeds_.contains(Name::fte))
        feed(Name::fte, first_phase_row + 1, slots_[group_.external_slot()]);
      if (const Op* const op = visible_op(group_, unit); op != nullptr) instruction(unit, *op);
    }
    for (unsigned i = 0; i < 2; ++i)
      if (i == 0 ? group_.w0p : group_.w1p) port(i);
    return std::move(picture_);
  }

 private:
  std::size_t add(Picture::Box box) {
    next_column_[box.row] = std::max(next_column_[box.row], box.column + box.columns);
    picture_.boxes.push_back(std::move(box));
    return picture_.boxes.size() - 1;
  }
  void arrow(std::size_t from, std::size_t to) {
    Picture::Arrow made{.from = from, .to = to, .label = {}};
    if (std::ranges::find(picture_.arrows, made) == picture_.arrows.end()) picture_.arrows.push_back(std::move(made));
  }

  void slots() {
    const unsigned used = slots_used(group_);
    for (unsigned slot = 0; slot < slot_count; ++slot) {
      const bool is_used = (used >> slot & 1) != 0;
      slots_[slot] = add({.column = slot,
                          .row = slot_row,
                          .kind = is_used ? Kind::input : Kind::idle,
                          .title = 'S' + std::to_string(slot),
                          .lines = is_used ? std::vector{text_of(group_.slots[slot])} : std::vector<std::string>{}});
    }
  }

  /// Phases 0 and 1 of a main group run beside each other; those of a bitwise group one after the other.
  [[nodiscard]] std::uint32_t row_of(Unit unit) const {
    switch (word_of(unit)) {
      case Word::p0:
      case Word::p1:
      case Word::bit0:
      case Word::control:
        return first_phase_row;
      case Word::pack:
      case Word::test:
      case Word::move:
      case Word::bit1:
        return first_phase_row + 2;
      case Word::bit2:
        return first_phase_row + 4;
      case Word::backend:
        return last_row();
    }
    return first_phase_row;
  }
  /// Columns: a main phase has the three slots above it.
  static std::uint32_t width_of(Unit unit) {
    if (unit == Unit::p0 || unit == Unit::p1) return 3;
    return unit == Unit::control ? slot_count : unit == Unit::backend ? 4 : 2;
  }
  [[nodiscard]] std::uint32_t last_row() const { return group_.alu == Alu::bitwise ? 7 : 5; }

  static std::string title_of(Unit unit) {
    switch (unit) {
      case Unit::p0:
      case Unit::bitmask:
      case Unit::shift1:
      case Unit::count:
        return "phase 0";
      case Unit::p1:
      case Unit::logical:
        return "phase 1";
      case Unit::pack:
      case Unit::test:
      case Unit::move:
      case Unit::shift2:
      case Unit::bit_test:
        return "phase 2";
      case Unit::backend:
        return "back end";
      case Unit::control:
        return "control";
    }
    return {};
  }

  void instruction(Unit unit, const Op& op) {
    std::array<char, 512> room;
    const Item& item = group_.item(word_of(unit));
    const std::string text(
        room.data(), static_cast<std::size_t>(put_instruction(room.data(), context_, unit, op, item) - room.data()));
    const std::uint32_t row = row_of(unit);
    const std::size_t box = add({.column = unit == Unit::p1        ? 3U
                                           : unit == Unit::backend ? 2U
                                                                   : next_column_[row],
                                 .row = row,
                                 .columns = width_of(unit),
                                 .kind = unit == Unit::control ? Kind::control : Kind::operation,
                                 .title = title_of(unit),
                                 .lines = {text}});
    for (const OperandSpec& spec : op.all_operands()) operand(spec, unit, item, row, box);
    if (op.has(drives_w0)) drivers_[0] = box;
    if (op.has(drives_w1)) drivers_[1] = box;
    if (op.has(reads_w0)) readers_.push_back(box);
  }

  void operand(const OperandSpec& spec, Unit unit, const Item& item, std::uint32_t row, std::size_t box) {
    const Name name = in_unit(spec.name, unit);
    switch (spec.what) {
      case OperandSpec::What::source:
      case OperandSpec::What::maybe: {
        const bool upper = unit == Unit::p1 && is_slot(name) && number_of(name) < upper_slot;
        return read(upper ? static_cast<Name>(static_cast<unsigned>(name) + upper_slot) : name, box);
      }
      case OperandSpec::What::fixed:
        if (is_port(name))
          drivers_[number_of(name)] = box;
        else if (feeds_.contains(name))  // each is driven once in a group, before it is read
          read(name, box);
        else if (is_feedthrough(name) || name == Name::ftt)
          feed(name, row + 1, box);
        return;
      case OperandSpec::What::field:
        if (info(spec.field).kind == rogue::Kind::slot) return arrow(slots_[item.get(spec.field)], box);
        for (const FieldValue& row_of_names : info(spec.field).names)
          if (row_of_names.value == item.get(spec.field)) read(name_spelled(row_of_names.name), box);
        return;
      case OperandSpec::What::predicate:
        return;
      case OperandSpec::What::mask:
        also_drives_w0_ = box;
        return;
    }
  }

  /// A feedthrough that `from` drives.
  void feed(Name name, std::uint32_t row, std::size_t from) {
    const std::uint32_t column = std::max(next_column_[row], picture_.boxes[from].column);
    const std::size_t box =
        add({.column = column, .row = row, .kind = Kind::input, .title = {}, .lines = {std::string(spelling(name))}});
    feeds_[name] = box;
    arrow(from, box);
  }

  void read(Name name, std::size_t reader) {
    if (is_selector(name)) name = fed_by(group_, number_of(name));
    if (is_slot(name)) return arrow(slots_[number_of(name)], reader);
    if (const auto found = feeds_.find(name); found != feeds_.end()) arrow(found->second, reader);
  }

  void port(unsigned number) {
    const std::size_t box = add({.column = number,
                                 .row = last_row(),
                                 .kind = Kind::output,
                                 .title = 'W' + std::to_string(number),
                                 .lines = {text_of(group_.written[number])}});
    if (const auto driver = drivers_.find(number); driver != drivers_.end())
      arrow(driver->second, box);
    else if (group_.alu == Alu::main)
      read(static_cast<Name>(static_cast<unsigned>(Name::is4) + number), box);
    else
      read(number == 1 ? Name::ft3 : last_of_bitwise(), box);
    if (number == 0 && also_drives_w0_) arrow(*also_drives_w0_, box);
    for (const std::size_t reader : readers_) arrow(box, reader);
  }

  /// W0 of a bitwise group is the result of its last phase; an absent phase hands on what it would have taken.
  [[nodiscard]] Name last_of_bitwise() const {
    for (const Name name : {Name::ft5, Name::ft4})
      if (feeds_.contains(name)) return name;
    return Name::ft1;
  }

  const Group& group_;
  PrintContext context_;
  Picture picture_;
  std::array<std::size_t, slot_count> slots_{};
  std::map<std::uint32_t, std::uint32_t> next_column_;  ///< by row
  std::map<Name, std::size_t> feeds_;
  std::map<unsigned, std::size_t> drivers_;    ///< of ports that no selector feeds
  std::optional<std::size_t> also_drives_w0_;  ///< beside its selector, where a mask lets it
  std::vector<std::size_t> readers_;           ///< of ports
};

/// A group that the model variant alone has: its instructions are one operation.
Picture modelled_picture(std::string_view text) {
  Picture picture;
  picture.title = text.substr(0, text.find_last_not_of('\n') + 1);
  const std::size_t open = text.find('{');
  std::string_view inside = text.substr(open + 1, text.rfind('}') - open - 1);
  Picture::Box box{.columns = slot_count, .kind = Kind::operation, .title = "one operation", .lines = {}};
  while (!inside.empty()) {
    const std::size_t end = std::min(inside.find(';'), inside.size());
    const std::string_view part = inside.substr(0, end);
    const std::size_t begin = std::min(part.find_first_not_of(' '), part.size());
    box.lines.emplace_back(part.substr(begin, part.find_last_not_of(' ') + 1 - begin));
    inside.remove_prefix(std::min(end + 1, inside.size()));
  }
  picture.boxes.push_back(std::move(box));
  return picture;
}

}  // namespace

std::vector<Picture> pictures(const Program& program) {
  const std::vector<Group> groups = decode(program);
  const Labels labels(groups);
  const Listing listing = joined(in_pieces(program, print, {.words = true}));
  const std::vector<Listing::Word>& lines = listing.words;
  std::vector<Picture> all;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::string_view own =
        std::string_view(listing.text).substr(lines[i].text_begin, lines[i].text_end - lines[i].text_begin);
    if (groups[i].modelled.present)
      all.push_back(modelled_picture(own));
    else if (!groups[i].raw())
      all.push_back(GroupPicture(groups[i], labels, own).make());
  }
  return all;
}

}  // namespace mobula::rogue
