#include "machines/midgard/views/picture.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/listing_pieces.h"
#include "machines/midgard/spec/codec.h"
#include "machines/midgard/spec/operands.h"
#include "machines/midgard/text/print.h"
#include "machines/midgard/text/tokens.h"
#include "mobula/isa/machine.h"

namespace mobula::midgard {
namespace {

using Kind = Picture::Kind;

/// The lines between a word's braces, without the spaces before them.
std::vector<std::string> inner_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (line.starts_with("  ")) lines.emplace_back(line.substr(2));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

class BundlePicture {
 public:
  BundlePicture(const Bundle& bundle, std::string_view text, bool is_followed)
      : bundle_(bundle), lines_(inner_lines(text)), is_followed_(is_followed) {
    std::array<char, 20> room;
    picture_.title.assign(room.data(), put_hex(room.data(), std::uint64_t{bundle.position} * quadword_bytes));
    picture_.title +=
        ": " + std::string(tags[bundle.tag].meaning) + "; next: " + std::string(tags[bundle.next].meaning);
  }

  Picture make() {
    switch (bundle_.form) {
      case Bundle::Form::alu:
        alu();
        break;
      case Bundle::Form::load_store:
        numbered("load/store, slot ");
        break;
      case Bundle::Form::texture:
        numbered("texture pipe ");
        break;
      case Bundle::Form::raw:
        numbered("not understood ");
        break;
    }
    return std::move(picture_);
  }

 private:
  std::size_t add(std::uint32_t column, std::uint32_t row, Kind kind, std::string title,
                  std::vector<std::string> lines) {
    picture_.boxes.push_back(
        {.column = column, .row = row, .kind = kind, .title = std::move(title), .lines = std::move(lines)});
    return picture_.boxes.size() - 1;
  }

  /// The line after those that have boxes already.
  [[nodiscard]] bool has_line() const { return taken_ < lines_.size(); }
  std::vector<std::string> line() { return {lines_[taken_++]}; }

  void numbered(const std::string& title) {
    // Beside its instructions, a word that is not the last one may say that no word follows.
    const bool ends = bundle_.next == tag_break && !lines_.empty() && is_followed_;
    const std::size_t instructions = lines_.size() - (ends ? 1 : 0);
    for (std::uint32_t i = 0; i < instructions; ++i) add(i, 0, Kind::operation, title + std::to_string(i + 1), line());
    if (has_line()) add(0, 1, Kind::control, "next word", line());
  }

  void alu() {
    // Units are where they are in the pipeline; what is idle is shown as such.
    static constexpr std::array<std::uint32_t, unit_count> columns{0, 1, 0, 1, 2};
    const std::span<const AluInstruction> instructions = bundle_.alu_instructions();
    std::array<std::size_t, unit_count> boxes{};
    for (std::size_t unit = 0; unit < unit_count; ++unit) {
      const AluInstruction* const instruction = bundle_.find(static_cast<Unit>(unit));
      const std::string title = std::string(units[unit].name) + ", stage " + std::to_string(units[unit].stage);
      if (instruction == nullptr)
        boxes[unit] = add(columns[unit], units[unit].stage, Kind::idle, title, {});
      else
        boxes[unit] = add(columns[unit], units[unit].stage, Kind::operation, title,
                          {lines_[static_cast<std::size_t>(instruction - instructions.data())]});
    }
    taken_ = instructions.size();
    constexpr std::uint32_t after_stages = 3;
    std::uint32_t column = 0;
    if (bundle_.has_compact) add(column++, after_stages, Kind::control, "compact branch", line());
    if (bundle_.has_extended) add(column++, after_stages, Kind::control, "extended branch", line());
    const std::size_t constants = bundle_.has_constants ? add(2, 0, Kind::input, "constants", line()) : 0;
    if (has_line()) add(column, after_stages, Kind::control, "next word", line());
    for (const AluInstruction& reader : instructions)
      for (unsigned number = 1; number <= 2; ++number) {
        const Touched source = source_bytes(reader, number);
        if (source.bytes == 0) continue;
        if (bundle_.has_constants && source.reg == register_constants) arrow(constants, boxes, reader, source);
        if (const AluInstruction* const writer = writer_before(reader, source))
          arrow(boxes[static_cast<std::size_t>(writer->unit)], boxes, reader, source);
      }
  }

  /// The unit of stage 1 whose result the reader in stage 2 gets.
  [[nodiscard]] const AluInstruction* writer_before(const AluInstruction& reader, const Touched& source) const {
    const AluInstruction* found = nullptr;
    for (const AluInstruction& writer : bundle_.alu_instructions()) {
      const Touched written = destination_bytes(writer);
      if (info(writer.unit).stage < info(reader.unit).stage && written.reg == source.reg &&
          (written.bytes & source.bytes) != 0)
        found = &writer;
    }
    return found;
  }

  void arrow(std::size_t from, const std::array<std::size_t, unit_count>& boxes, const AluInstruction& reader,
             const Touched& source) {
    Picture::Arrow made{.from = from,
                        .to = boxes[static_cast<std::size_t>(reader.unit)],
                        .label = std::string(source_names[source.reg].view())};
    if (std::ranges::find(picture_.arrows, made) == picture_.arrows.end()) picture_.arrows.push_back(std::move(made));
  }

  const Bundle& bundle_;
  std::vector<std::string> lines_;
  bool is_followed_;       ///< by other words in memory
  std::size_t taken_ = 0;  ///< lines that have boxes
  Picture picture_;
};

}  // namespace

std::vector<Picture> pictures(const Program& program) {
  const Listing listing = joined(print_mdg(program, {.words = true}));
  const std::span<const std::uint8_t> code = program.code;
  std::vector<Picture> all;
  for (const Listing::Word& word : listing.words) {
    if (word.byte_length % quadword_bytes != 0) continue;
    const Bundle bundle = decode_bundle(code, static_cast<std::uint32_t>(word.byte_offset / quadword_bytes));
    const std::string_view text =
        std::string_view(listing.text).substr(word.text_begin, word.text_end - word.text_begin);
    const bool is_followed = word.byte_offset + word.byte_length < code.size() / quadword_bytes * quadword_bytes;
    all.push_back(BundlePicture(bundle, text, is_followed).make());
  }
  return all;
}

}  // namespace mobula::midgard
