#include "machines/midgard/text/parse_branch.h"

#include <iterator>
#include <optional>
#include <span>
#include <string>

#include "core/quote.h"
#include "machines/midgard/text/tokens.h"

namespace mobula::midgard {
namespace {

using TokenKind = LineToken::Kind;

class BranchReader {
 public:
  explicit BranchReader(LineCursor& line) : line_(line) {}

  BranchLine read() {
    const LineToken& first = line_.take();
    branch_.extended = same_word(first.text, "brx");
    operation();
    if (!line_.failed() && !is_jump()) condition();
    if (!line_.failed()) target(first);
    if (!line_.failed())
      out_.notes = parse_notes(line_, branch_.extended ? extended_notes : is_jump() ? jump_notes : compact_notes);
    return std::move(out_);
  }

 private:
  void operation();
  void condition();
  void target(const LineToken& first);

  /// The compact jump has a call mode and no condition.
  [[nodiscard]] bool is_jump() const { return !branch_.extended && branch_.op == BranchMeaning::uncond; }
  static std::optional<unsigned> value_of(std::span<const FieldValue> rows, std::string_view name) {
    for (const FieldValue& row : rows)
      if (same_word(name, row.name)) return row.value;
    return std::nullopt;
  }

  LineCursor& line_;
  BranchLine out_;
  Branch& branch_ = out_.branch;
};

void BranchReader::operation() {
  if (!line_.expect(".")) return;
  std::optional<unsigned> mode;
  for (unsigned i = 2; i < 4 && !mode; ++i)
    if (line_.accept(value::call_mode[i].name)) mode = i;
  if (mode && !line_.expect(".")) return;
  const LineToken& name = line_.take();
  std::optional<unsigned> op = value_of(value::branch_op, name.text);
  if (!op && name.text.size() == 3 && same_word(name.text.substr(0, 2), "op") && name.text[2] >= '0' &&
      name.text[2] <= '7')
    op = name.text[2] - '0';
  if (!op) {
    std::string known;
    for (const FieldValue& row : value::branch_op) (known += known.empty() ? "" : " ") += row.name;
    return line_.fail(name, "MD102", "there is no branch " + quote(name.text), "they are " + known);
  }
  branch_.op = static_cast<BranchMeaning>(*op);
  if (mode && !is_jump() && !branch_.extended)
    return line_.fail(name, "MD105", "only br.call.uncond and brx can call or return");
  branch_.call_mode = static_cast<std::uint8_t>(mode.value_or(branch_.extended ? 0 : 1));
}

void BranchReader::condition() {
  if (!line_.expect(".")) return;
  const LineToken& name = line_.take();
  std::optional<unsigned> lut = value_of(value::condition_lut, name.text);
  if (std::uint64_t bits = 0; !lut && name.text.size() == 7 && same_word(name.text.substr(0, 3), "lut") &&
                              parse_integer("0x" + std::string(name.text.substr(3)), bits))
    lut = static_cast<unsigned>(bits);
  if (!lut)
    return line_.fail(name, "MD101", "there is no condition " + quote(name.text),
                      "it is false, true, always, never, or lut and four hexadecimal digits");
  branch_.lut = static_cast<std::uint16_t>(*lut);
  if (!branch_.extended && branch_.lut != (branch_.lut & 3) * 0x5555)
    line_.fail(name, "MD112", "the compact branch tests only one condition", "write brx");
}

void BranchReader::target(const LineToken& first) {
  const LineToken& token = line_.peek();
  out_.where = token.span();
  if (token.is("+") || token.is("-")) {
    const std::int64_t limit = branch_.extended ? 1 << 22 : 64;
    branch_.offset = static_cast<std::int32_t>(line_.integer("the distance in quadwords", -limit, limit - 1));
    if (line_.failed() || !line_.expect("->")) return;
    branch_.dest_tag = static_cast<std::uint8_t>(parse_tag(line_));
    out_.tagged = true;
  } else if (token.kind == TokenKind::word) {
    out_.label = line_.take().text;
    if (!line_.accept("->")) return;
    branch_.dest_tag = static_cast<std::uint8_t>(parse_tag(line_));
    out_.tagged = true;
  } else if (branch_.op == BranchMeaning::discard) {
    out_.where = first.span();
    branch_.offset = discard_offset;
    branch_.dest_tag = tag_invalid;
    out_.tagged = true;
  } else {
    line_.fail_expected("a label, or a distance such as +2 -> alu/4");
  }
}

}  // namespace

BranchLine parse_branch(LineCursor& line) { return BranchReader(line).read(); }

}  // namespace mobula::midgard
