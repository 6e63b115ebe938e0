#include "machines/rogue/machine.h"

#include <array>
#include <string>

#include "core/quote.h"
#include "core/text_forms.h"
#include "machines/rogue/check/check.h"
#include "machines/rogue/lift/lift.h"
#include "machines/rogue/lift/policies.h"
#include "machines/rogue/spec/codec.h"
#include "machines/rogue/spec/cores.h"
#include "machines/rogue/text/explain.h"
#include "machines/rogue/text/parse.h"
#include "machines/rogue/text/print.h"
#include "machines/rogue/text/print_isr.h"
#include "machines/rogue/text/print_pco.h"
#include "machines/rogue/text/text_only.h"
#include "machines/rogue/views/picture.h"

namespace mobula::rogue {
namespace {

/// Cores with this instruction set (reference 10: "Volcanic" cores have another one).
constexpr std::array<Variant, 3> variant_list{
    {{usual_variant, "PowerVR Rogue", "BXS, AXE, BXM, GX, G and GE cores alike"},
     {complex_p1_variant, "PowerVR Rogue with an option",
      "cores that issue complex operations in phase 1 beside phase 0; which have that is not published"},
     {model_variant, "no product",
      "also executes what has no published encoding; its bytes are not those of any hardware"}}};

/// A text form and what writes it. All that is read is read by one parser.
struct TextForm {
  Syntax syntax;
  GroupForm print;
};
constexpr std::array<TextForm, 3> text_forms{{
    {{"rogue", true, true, "loses nothing; also reads the Instruction Set Reference's style"}, print},
    {{"isr", true, false,
      "the Instruction Set Reference's style, registers in place of slots; the same instructions, not always the same "
      "bytes"},
     print_isr},
    {{"pco", true, false, "what Mesa's compiler prints of its groups"}, print_pco},
}};
constexpr auto syntax_list = syntaxes_of(text_forms);

/// The listing with a comment of offset and bytes before the text of each group, which the groups' ranges then include.
class Rogue final : public Machine {
 public:
  [[nodiscard]] std::string_view name() const override { return "rogue"; }
  [[nodiscard]] std::string_view summary() const override { return "Imagination PowerVR Rogue USC"; }
  [[nodiscard]] std::span<const Variant> variants() const override { return variant_list; }
  [[nodiscard]] std::span<const Syntax> syntaxes() const override { return syntax_list; }
  [[nodiscard]] std::string_view extension() const override { return ".rgasm"; }
  [[nodiscard]] std::span<const Policy> policies() const override { return policy_rows(); }
  [[nodiscard]] std::uint32_t word_bytes() const override { return 2; }

  [[nodiscard]] Result<ListingPieces> disassemble_in_pieces(const Program& program,
                                                            const DisassembleOptions& options) const override {
    const TextForm* form = find_form(text_forms, options.syntax);
    if (form == nullptr)
      return fail("RG100", "rogue has no text form " + quote(options.syntax) + " to print",
                  "available: rogue, isr, pco");
    return in_pieces(program, form->print, options);
  }
  /// The reference's style is part of what the native text accepts; its name is accepted for it.
  [[nodiscard]] Result<Program> assemble(const SourceText& source, const AssembleOptions& options) const override {
    if (!options.syntax.empty() && options.syntax != "rogue" && options.syntax != "isr")
      return fail("RG100", "rogue has no text form " + quote(options.syntax) + " to read", "available: rogue, isr");
    return parse(source, options.variant);
  }
  [[nodiscard]] Diagnostics check(const Program& program) const override { return rogue::check(program); }
  void explain_each(const Program& program, const ExplainedWordSink& each) const override {
    rogue::explain_each(program, each);
  }
  [[nodiscard]] std::vector<Picture> pictures(const Program& program) const override {
    return rogue::pictures(program);
  }
  [[nodiscard]] Manual manual() const override { return rogue::manual(); }
  [[nodiscard]] Result<ir::Program> lift(const Program& program, const Policies& policies) const override {
    return rogue::lift(program, policies);
  }
};

}  // namespace

const Machine& machine() {
  static const Rogue rogue;
  return rogue;
}

}  // namespace mobula::rogue
