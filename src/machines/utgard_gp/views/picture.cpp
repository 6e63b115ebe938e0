#include "machines/utgard_gp/views/picture.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "core/listing_pieces.h"
#include "machines/utgard_gp/spec/flow.h"
#include "machines/utgard_gp/spec/forwarding.h"
#include "machines/utgard_gp/text/items.h"
#include "machines/utgard_gp/text/print.h"

namespace mobula::utgard_gp {
namespace {

using Kind = Picture::Kind;

/// Columns of the grid, by what an item is.
enum Column : std::uint8_t {
  at_word,
  at_p0,
  at_p1,
  at_ld,
  at_m0,
  at_m1,
  at_a0,
  at_a1,
  at_c,
  at_p,
  at_st0,
  at_st1,
  at_br
};

Column column_of(Unit unit) {
  switch (unit) {
    case Unit::mul0:
      return at_m0;
    case Unit::mul1:
      return at_m1;
    case Unit::acc0:
      return at_a0;
    case Unit::acc1:
      return at_a1;
    case Unit::complex:
      return at_c;
    case Unit::pass:
      return at_p;
  }
  return at_word;
}

Column column_of(const Item& item) {
  switch (item.kind) {
    case Item::Kind::port0_attribute:
    case Item::Kind::port0_register:
      return at_p0;
    case Item::Kind::port1:
      return at_p1;
    case Item::Kind::load:
      return at_ld;
    case Item::Kind::wide:
      return at_m0;
    case Item::Kind::mul:
    case Item::Kind::acc:
    case Item::Kind::complex:
    case Item::Kind::pass:
      return column_of(item.unit);
    case Item::Kind::store:
      return item.half == 0 ? at_st0 : at_st1;
    case Item::Kind::branch:
      return at_br;
    case Item::Kind::force:
      return at_word;
  }
  return at_word;
}

Kind kind_of(Column column) {
  if (column == at_word || column == at_br) return Kind::control;
  if (column <= at_ld) return Kind::input;
  return column >= at_st0 ? Kind::output : Kind::operation;
}

/// The port of the word itself that the source is loaded through.
std::optional<Column> port_of(Source source) {
  switch (source) {
    case Source::port0:
      return at_p0;
    case Source::port1:
      return at_p1;
    case Source::load:
      return at_ld;
    case Source::result:
    case Source::previous_port0:
    case Source::identity_or_complex:
    case Source::unused:
    case Source::unknown:
      break;
  }
  return std::nullopt;
}

/// What is between the braces of a word's text, cut where items end, in the order of each_item(); then what is
/// forced.
std::vector<std::string> items_of(std::string_view text) {
  std::vector<std::string> items;
  const std::size_t open = text.find("{ ");
  if (open == std::string_view::npos) return items;
  text = text.substr(open + 2, text.find(" }", open) - open - 2);
  for (std::size_t end = 0; end != std::string_view::npos; text.remove_prefix(std::min(end + 2, text.size()))) {
    end = text.find("; ");
    items.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
  }
  return items;
}

class GridPicture {
 public:
  explicit GridPicture(const Program& program) {
    picture_.title =
        "words from top to bottom; arrows: what units take from ports and from units of this word and the two before";
    picture_.columns = {"word", "p0", "p1", "ld", "m0", "m1", "a0", "a1", "c", "p", "st0", "st1", "br"};
    const Listing listing = joined(in_pieces(program, print(program), {.words = true}));
    const std::string_view text = listing.text;
    const std::uint32_t count = word_count(program.code);
    for (std::uint32_t i = 0; i < count; ++i) words_.push_back(load_word(program.code, i));
    boxes_.assign(count, {});
    for (std::uint32_t i = 0; i < count; ++i)
      add_word(i, items_of(text.substr(listing.words[i].text_begin,
                                       listing.words[i].text_end - listing.words[i].text_begin)));
    add_arrows();
  }
  Picture take() { return std::move(picture_); }

 private:
  void add(std::uint32_t word, Column column, std::uint32_t columns, std::vector<std::string> lines) {
    boxes_[word][column] = picture_.boxes.size() + 1;
    picture_.boxes.push_back({.column = column,
                              .row = word,
                              .columns = columns,
                              .kind = kind_of(column),
                              .title = {},
                              .lines = std::move(lines)});
  }

  void add_word(std::uint32_t word, const std::vector<std::string>& texts) {
    std::size_t next = 0;
    std::vector<std::string> head{std::to_string(word)};
    const std::size_t box = picture_.boxes.size();
    add(word, at_word, 1, {});
    each_item(words_[word], [&](const Item& item) {
      add(word, column_of(item), item.kind == Item::Kind::wide ? 2 : 1, {texts[next++]});
    });
    head.insert(head.end(), texts.begin() + static_cast<std::ptrdiff_t>(std::min(next, texts.size())), texts.end());
    std::erase(head, "");
    picture_.boxes[box].lines = std::move(head);
  }

  /// The words that may run `age` instructions before `word`.
  static std::vector<std::uint16_t> before(const ControlFlow& flow, std::uint16_t word, unsigned age) {
    std::vector<std::uint16_t> found;
    flow.for_each_path(word, age, [&](const auto& path) {
      if (path.size() == age + 1 && path.front() != before_start &&
          std::ranges::find(found, path.front()) == found.end())
        found.push_back(path.front());
    });
    return found;
  }

  void add_arrows() {
    const ControlFlow flow(words_);
    const auto count = static_cast<std::uint16_t>(words_.size());
    for (std::uint16_t word = 0; word < count; ++word) {
      for (const OperandField& operand : operand_fields) {
        if (!is_live(words_[word], operand)) continue;
        const auto selector = static_cast<unsigned>(get(words_[word], *operand.field));
        const bool wide = operand.unit == Unit::mul1 && boxes_[word][at_m1] == 0;
        const Column to = wide ? at_m0 : column_of(operand.unit);
        if (const auto port = port_of(selectors[selector].source)) add_arrow(boxes_[word][*port], boxes_[word][to]);
        const auto [channel, age] = forwarded_source(selector, operand.b);
        if (age == 0) continue;
        const Column from = channel < channel_port0 ? column_of(static_cast<Unit>(channel)) : at_p0;
        for (const std::uint16_t maker : before(flow, word, age)) add_arrow(boxes_[maker][from], boxes_[word][to]);
      }
      add_arrows_of_results(word);
    }
  }
  /// What else a word takes from its own units and its load.
  void add_arrows_of_results(std::uint16_t word) {
    const std::array<std::size_t, at_br + 1>& boxes = boxes_[word];
    const Word128& bits = words_[word];
    if (takes_bounds(bits)) add_arrow(boxes[at_ld], boxes[at_p]);
    if (cplx_operation(bits).traits.from_pass) add_arrow(boxes[at_p], boxes[at_c]);
    if (is_branch(bits)) add_arrow(boxes[at_p], boxes[at_br]);
    for (unsigned half = 0; half < 2; ++half) {
      const std::size_t to = boxes[half == 0 ? at_st0 : at_st1];
      const StoreHalf store = store_half(bits, half);
      for (const std::uint8_t selector : store.selector)
        if (selector != store_nothing && selector != store_unknown)
          add_arrow(boxes[column_of(stored_unit(selector))], to);
      if (store.kind == StoreKind::temporary && sets_address(bits, 0)) add_arrow(boxes[at_c], to);
    }
  }
  /// Boxes count from 1 here; 0 is none: the unit was idle.
  void add_arrow(std::size_t from, std::size_t to) {
    if (from == 0 || to == 0) return;
    Picture::Arrow made{.from = from - 1, .to = to - 1, .label = {}};
    if (std::ranges::find(picture_.arrows, made) == picture_.arrows.end()) picture_.arrows.push_back(std::move(made));
  }

  Picture picture_;
  std::vector<Word128> words_;
  std::vector<std::array<std::size_t, at_br + 1>> boxes_;  ///< by word and column: 1 + index of the box
};

}  // namespace

std::vector<Picture> pictures(const Program& program) {
  constexpr std::uint32_t most_words = 512;  // what a branch can reach
  const std::uint32_t count = word_count(program.code);
  if (count == 0 || count > most_words) return {};
  return {GridPicture(program).take()};
}

}  // namespace mobula::utgard_gp
