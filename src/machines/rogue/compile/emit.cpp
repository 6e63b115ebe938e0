#include "machines/rogue/compile/emit.h"

#include <algorithm>

#include "mobula/isa/machine.h"

namespace mobula::rogue_compiler {
namespace {

class Writer {
 public:
  Writer(const Code& code, const std::vector<std::uint32_t>& registers)
      : code_(code), registers_(registers), is_aimed_at_(code.labels) {
    for (const Block& block : code.blocks)
      for (const Instruction& each : block.code)
        if (each.target != no_number) is_aimed_at_[each.target] = true;
  }

  void write() {
    for (const Block& block : code_.blocks)
      for (const Instruction& each : block.code) {
        if (each.is_label()) {
          if (!is_aimed_at_[each.label]) continue;
          add_line(label(each.label) + ":", 0);
          last_group_ = 0;
        } else if (each.row == &rows::end && last_group_ != 0) {
          text.insert(last_group_, " end");
        } else if (!is_nothing(each)) {
          const std::size_t line = text.size();
          add_line(text_of(each), each.line);
          const bool may_end = each.condition == Condition::always && each.row->alu != "ctrl";
          last_group_ = may_end ? line + each.row->alu.size() : 0;
        }
      }
  }

  std::string text;
  std::vector<std::uint32_t> lines;  ///< of the source, by line of the text

 private:
  void add_line(const std::string& line, std::uint32_t of) {
    text += line;
    text += '\n';
    lines.push_back(of);
  }
  static std::string label(std::uint32_t number) { return "L" + std::to_string(number); }

  /// A word that is copied to where it is.
  [[nodiscard]] bool is_nothing(const Instruction& each) const {
    const Operand &from = each.sources[0], &to = each.results[0];
    return each.row == &rows::move && from.is_word() && to.is_word() && from.is_plain() &&
           registers_[from.number] == registers_[to.number];
  }

  [[nodiscard]] std::string name_of(const Operand& operand) const {
    using Kind = Operand::Kind;
    const bool is_word = operand.kind == Kind::word || operand.kind == Kind::indexed_word;
    const std::string number = std::to_string(is_word ? registers_[operand.number] : operand.number);
    std::string name;
    switch (operand.kind) {
      case Kind::word:
      case Kind::indexed_word:
        name = 'r' + number;
        break;
      case Kind::shared:
      case Kind::indexed_shared:
        name = "sh" + number;
        break;
      case Kind::coefficient:
        name = "cf" + number;
        break;
      case Kind::input:
        name = "vi" + number;
        break;
      case Kind::output:
        name = "po" + number;
        break;
      case Kind::internal:
        name = 'i' + number;
        break;
      case Kind::constant:
        name = "sc" + number;
        break;
      case Kind::special:
        name = "sr" + number;
        break;
      case Kind::index:
        name = "idx" + number;
        break;
      case Kind::immediate:
      case Kind::none:
        break;
    }
    if (operand.kind == Kind::indexed_word || operand.kind == Kind::indexed_shared) name += "[idx0]";
    if (operand.floored) name += ".flr";
    if (operand.absolute) name += ".abs";
    if (operand.negated) name += ".neg";
    return name;
  }

  [[nodiscard]] std::string text_of(const Instruction& each) const {
    static constexpr std::string_view conditions[] = {"", "if(p0) ", "if(!p0) ", "(ignorepe) "};
    std::string line(conditions[static_cast<std::size_t>(each.condition)]);
    line += each.row->alu;
    bool puts_out = false;
    const auto look = [&](const Operand& operand) { puts_out = puts_out || operand.kind == Operand::Kind::output; };
    each_operand(each, look, look);
    if (puts_out) line += " olchk";
    line += " { ";
    write_form(each.row->text, each, line);
    line += " }";
    return line;
  }
  void write_form(std::string_view form, const Instruction& each, std::string& line) const {
    for (std::size_t i = 0; i < form.size(); ++i) {
      if (form[i] != '$') {
        line += form[i];
        continue;
      }
      const char what = form[++i];
      if (what == 't')
        write_form(each.operation, each, line);
      else if (what == 'n')
        line += std::to_string(each.number);
      else if (what == 'l')
        line += label(each.target);
      else if (what == 'd' || what == 'e')
        line += name_of(each.results[what == 'd' ? 0 : 1]);
      else
        line += name_of(each.sources[static_cast<std::size_t>(what - '0')]);
    }
  }

  const Code& code_;
  const std::vector<std::uint32_t>& registers_;
  std::vector<bool> is_aimed_at_;
  std::size_t last_group_ = 0;  ///< behind the unit of the last line, if that group can end the program
};

}  // namespace

Result<void> emit(const Code& code, const std::vector<std::uint32_t>& registers, Program& program) {
  Writer writer(code, registers);
  writer.write();
  auto made = find_machine("rogue")->assemble({"the compiler's groups", writer.text},
                                              {.syntax = "", .variant = program.variant});
  if (!made) return fail(std::move(made).error());
  program.code = std::move(made->code);
  program.entry = made->entry;
  for (const SourceLine& each : made->lines) {
    const std::uint32_t line = writer.lines.at(each.line - 1);
    if (line != 0 && (program.lines.empty() || program.lines.back().line != line))
      program.lines.push_back({each.byte_offset, line});
  }
  return {};
}

}  // namespace mobula::rogue_compiler
