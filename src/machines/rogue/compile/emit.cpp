#include "machines/rogue/compile/emit.h"

#include <array>
#include <charconv>
#include <limits>
#include <string_view>

#include "machines/rogue/spec/spec.h"
#include "mobula/isa/machine.h"

namespace mobula::rogue_compiler {
namespace {

std::string_view name_of(Operation operation) {
  switch (operation) {
    case Operation::none:
      return "";
    case Operation::fadd:
      return "fadd";
    case Operation::fmul:
      return "fmul";
    case Operation::frcp:
      return "frcp";
    case Operation::frsq:
      return "frsq";
    case Operation::flog:
      return "flog";
    case Operation::fexp:
      return "fexp";
    case Operation::fdsxf:
      return "fdsxf";
    case Operation::fdsyf:
      return "fdsyf";
    case Operation::unpck_s32:
      return "unpck.s32";
    case Operation::unpck_u32:
      return "unpck.u32";
    case Operation::pck_s32:
      return "pck.s32.roundzero";
    case Operation::pck_u32:
      return "pck.u32";
    case Operation::pck_u32_toward_zero:
      return "pck.u32.roundzero";
    case Operation::pck_half:
      return "pck.f16f16";
    case Operation::pck_u8888:
      return "pck.u8888.scale";
    case Operation::pck_s8888:
      return "pck.s8888.scale";
    case Operation::pck_u1616:
      return "pck.u1616.scale";
    case Operation::tstl:
      return "tstl";
    case Operation::tstg:
      return "tstg";
    case Operation::tste:
      return "tste";
    case Operation::tstne:
      return "tstne";
    case Operation::tstle:
      return "tstle";
    case Operation::tstl_s32:
      return "tstl.s32";
    case Operation::tstg_s32:
      return "tstg.s32";
    case Operation::tstle_s32:
      return "tstle.s32";
    case Operation::tstl_u32:
      return "tstl.u32";
    case Operation::tstg_u32:
      return "tstg.u32";
    case Operation::tste_u32:
      return "tste.u32";
    case Operation::tstne_u32:
      return "tstne.u32";
    case Operation::tstle_u32:
      return "tstle.u32";
    case Operation::umadd64:
      return "umadd64";
    case Operation::smadd64:
      return "smadd64";
    case Operation::and_:
      return "and";
    case Operation::or_:
      return "or";
    case Operation::xor_:
      return "xor";
    case Operation::nor_:
      return "nor";
    case Operation::lsl:
      return "lsl";
    case Operation::shr:
      return "shr";
    case Operation::asr:
      return "asr.twb";
    case Operation::cbs:
      return "cbs";
    case Operation::ftb:
      return "ftb";
    case Operation::fred_sin:
      return "fred.sin";
    case Operation::fred_sin_second:
      return "fred.sin.partb";
    case Operation::fred_cos:
      return "fred.cos";
    case Operation::fred_cos_second:
      return "fred.cos.partb";
    case Operation::atom_add:
      return "atom.add";
    case Operation::atom_umin:
      return "atom.umin";
    case Operation::atom_imin:
      return "atom.imin";
    case Operation::atom_umax:
      return "atom.umax";
    case Operation::atom_imax:
      return "atom.imax";
    case Operation::atom_and:
      return "atom.and";
    case Operation::atom_or:
      return "atom.or";
    case Operation::atom_xor:
      return "atom.xor";
    case Operation::atom_xchg:
      return "atom.xchg";
    case Operation::smp:
      return "smp";
  }
  return "";
}

std::string_view name_of(Alu alu) {
  switch (alu) {
    case Alu::main:
      return "main";
    case Alu::main_end:
      return "main end";
    case Alu::main_in_turn:
      return "main atom";
    case Alu::bitwise:
      return "bit";
    case Alu::bitwise_in_turn:
      return "bit atom";
    case Alu::control:
      return "ctrl";
  }
  return "";
}

/// What follows the name of a sample.
void add_modifiers(const Sample& sample, std::string& line) {
  line += static_cast<char>('0' + sample.dimensions);
  line += sample.is_real ? "d.fcnorm" : "d";
  if (sample.in_texels) line += ".nncoords";
  switch (sample.level) {
    case Sample::Level::implicit:
      break;
    case Sample::Level::bias:
      line += ".bias.pplod";
      break;
    case Sample::Level::given:
      line += ".replace.pplod";
      break;
    case Sample::Level::gradients:
      line += ".gradient";
      break;
  }
  if (sample.layered) line += ".array";
  if (!sample.is_real) line += ".integer";
  if (sample.has_offsets) line += ".soo";
  if (sample.has_number) line += ".sno";
  if (sample.is_raw) line += ".data";
  if (sample.writes) line += ".wrt";
}

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
          add_label(each.label);
          text += ":";
          end_line(0);
          last_group_ = 0;
        } else if (each.row == &rows::end && last_group_ != 0) {
          text.insert(last_group_, " end");
        } else if (!is_nothing(each)) {
          add_group(each);
          end_line(each.line);
        }
      }
  }

  std::string text;
  std::vector<std::uint32_t> lines;  ///< of the source, by line of the text

 private:
  void end_line(std::uint32_t of) {
    text += '\n';
    lines.push_back(of);
  }
  void add_number(std::uint32_t number) {
    std::array<char, std::numeric_limits<std::uint32_t>::digits10 + 1> digits{};
    text.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
  }
  void add_label(std::uint32_t number) {
    text += 'L';
    add_number(number);
  }

  /// A word that is copied to where it is.
  [[nodiscard]] bool is_nothing(const Instruction& each) const {
    const Operand &from = each.sources[0], &to = each.results[0];
    return each.row == &rows::move && from.is_word() && to.is_word() && from.is_plain() &&
           registers_[from.number] == registers_[to.number];
  }

  static std::string_view bank_of(Operand::Kind kind) {
    using Kind = Operand::Kind;
    switch (kind) {
      case Kind::word:
      case Kind::indexed_word:
        break;  // which one it is, its number tells
      case Kind::shared:
      case Kind::indexed_shared:
        return "sh";
      case Kind::coefficient:
        return "cf";
      case Kind::input:
        return "vi";
      case Kind::output:
        return "po";
      case Kind::internal:
        return "i";
      case Kind::constant:
        return "sc";
      case Kind::special:
        return "sr";
      case Kind::index:
        return "idx";
      case Kind::immediate:
      case Kind::none:
        break;
    }
    return "";
  }
  void add_operand(const Operand& operand) {
    using Kind = Operand::Kind;
    const bool is_word = operand.kind == Kind::word || operand.kind == Kind::indexed_word;
    if (is_word) {
      const std::uint32_t given = registers_[operand.number];
      const bool is_temporary = given < rogue::temporary_count;
      text += is_temporary ? "r" : "vi";
      add_number(is_temporary ? given : given - rogue::temporary_count);
    } else {
      text += bank_of(operand.kind);
      if (operand.kind != Kind::none) add_number(operand.number);
    }
    if (operand.kind == Kind::indexed_word || operand.kind == Kind::indexed_shared) text += "[idx0]";
    if (operand.floored) text += ".flr";
    if (operand.absolute) text += ".abs";
    if (operand.negated) text += ".neg";
  }

  void add_group(const Instruction& each) {
    static constexpr std::string_view conditions[] = {"", "if(p0) ", "if(!p0) ", "(ignorepe) "};
    text += conditions[static_cast<std::size_t>(each.condition)];
    text += name_of(each.row->alu);
    const bool may_end = each.condition == Condition::always && each.row->alu != Alu::control;
    last_group_ = may_end ? text.size() : 0;
    bool puts_out = false;
    const auto look = [&](const Operand& operand) { puts_out = puts_out || operand.kind == Operand::Kind::output; };
    each_operand(each, look, look);
    if (puts_out) text += " olchk";
    if (each.row->repeats && each.sources[0].count > 1) {
      text += " rpt=";
      add_number(each.sources[0].count);
    }
    text += " { ";
    add_form(each);
    text += " }";
  }
  void add_form(const Instruction& each) {
    const std::string_view form = each.row->text;
    for (std::size_t i = 0; i < form.size(); ++i) {
      if (form[i] != '$') {
        text += form[i];
        continue;
      }
      const char what = form[++i];
      if (what == 't') {
        text += name_of(each.operation);
        if (each.operation == Operation::smp) add_modifiers(each.sample, text);
      } else if (what == 'n') {
        add_number(each.number);
      } else if (what == 'l') {
        add_label(each.target);
      } else if (what == 'd' || what == 'e') {
        add_operand(each.results[what == 'd' ? 0 : 1]);
      } else {
        add_operand(each.sources[static_cast<std::size_t>(what - '0')]);
      }
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
