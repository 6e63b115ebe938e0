#include "machines/utgard_gp/machine.h"

#include <array>
#include <string>

#include "core/text_forms.h"
#include "machines/utgard_gp/check/check.h"
#include "machines/utgard_gp/lift/lift.h"
#include "machines/utgard_gp/lift/policies.h"
#include "machines/utgard_gp/lift/slot_names.h"
#include "machines/utgard_gp/spec/codec.h"
#include "machines/utgard_gp/spec/interface.h"
#include "machines/utgard_gp/text/decompile.h"
#include "machines/utgard_gp/text/explain.h"
#include "machines/utgard_gp/text/parse.h"
#include "machines/utgard_gp/text/print.h"
#include "machines/utgard_gp/text/print_mesa.h"
#include "machines/utgard_gp/text/print_ogt.h"
#include "machines/utgard_gp/views/picture.h"

namespace mobula::utgard_gp {
namespace {

constexpr auto variant_list = [] {
  std::array<Variant, products.size()> all{};
  for (std::size_t i = 0; i < products.size(); ++i)
    all[i] = {products[i].name, products[i].marketing,
              products[i].fact.status == Status::unknown ? "memory sizes are unknown" : ""};
  return all;
}();

/// Forms whose text is the same whatever the policies.
template <PrintWords (*Print)(const Program&)>
PrintWords print_always(const Program& program, const Settings&) {
  return Print(program);
}

/// A text form and what reads and writes it; `parse` is nullptr where it is print only.
struct TextForm {
  Syntax syntax;
  PrintWords (*print)(const Program&, const Settings&);
  Result<Program> (*parse)(const SourceText&, std::string_view variant);
};
constexpr std::array<TextForm, 4> forms{{
    {{"gpasm", true, true, "loses nothing"}, print_always<print>, parse},
    {{"mesa", true, false, "what Mesa's disassembler prints"}, print_always<print_mesa>, nullptr},
    {{"ogt", true, false, "the verbose form of the open-gpu-tools"}, print_always<print_ogt>, nullptr},
    {{"decompile", true, false, "one expression for every store", true}, print_decompiled, nullptr},
}};
constexpr auto syntax_list = syntaxes_of(forms);

Unexpected no_form(std::string_view name, TextDirection direction) {
  return mobula::no_form("GP100", "utgard-gp", syntax_list, name, direction);
}

class UtgardGp final : public Machine {
 public:
  [[nodiscard]] std::string_view name() const override { return "utgard-gp"; }
  [[nodiscard]] std::string_view summary() const override { return "ARM Mali-200/400/450 geometry processor"; }
  [[nodiscard]] std::span<const Variant> variants() const override { return variant_list; }
  [[nodiscard]] std::span<const Syntax> syntaxes() const override { return syntax_list; }
  [[nodiscard]] std::string_view extension() const override { return ".gpasm"; }
  [[nodiscard]] std::span<const Policy> policies() const override { return utgard_gp::policy_rows(); }
  [[nodiscard]] std::uint32_t word_bytes() const override { return utgard_gp::word_bytes; }

  void complete(Interface& interface) const override { utgard_gp::complete(interface); }

  [[nodiscard]] std::vector<std::string> slots_meant(std::string_view name, std::uint64_t next,
                                                     std::span<const std::uint64_t> executed) const override {
    return utgard_gp::slots_meant(name, next, executed);
  }

  [[nodiscard]] Result<ListingPieces> disassemble_in_pieces(const Program& program,
                                                            const DisassembleOptions& options) const override {
    const TextForm* form = find_form(forms, options.syntax);
    if (form == nullptr) return no_form(options.syntax, TextDirection::print);
    const auto settings = choose_settings(options.policies);
    if (!settings) return fail(settings.error());
    if (const std::string policy = policy_without_text(*settings); form->syntax.has_policies && !policy.empty())
      return fail("GP803", "no statement stops a thread, so there is no text for the policy " + policy,
                  "run the program with it; text follows truth, address and selector8");
    return in_pieces(program, form->print(program, *settings), options);
  }
  [[nodiscard]] Result<Program> assemble(const SourceText& source, const AssembleOptions& options) const override {
    const TextForm* form = find_form(forms, options.syntax);
    if (form == nullptr || form->parse == nullptr) return no_form(options.syntax, TextDirection::parse);
    return form->parse(source, options.variant);
  }
  [[nodiscard]] Diagnostics check(const Program& program) const override { return utgard_gp::check(program); }
  void explain_each(const Program& program, const ExplainedWordSink& each) const override {
    utgard_gp::explain_each(program, each);
  }
  [[nodiscard]] std::vector<Picture> pictures(const Program& program) const override {
    return utgard_gp::pictures(program);
  }
  [[nodiscard]] Manual manual() const override { return utgard_gp::manual(); }
  [[nodiscard]] Result<ir::Program> lift(const Program& program, const Policies& policies) const override {
    return utgard_gp::lift(program, policies);
  }
};

}  // namespace

const Machine& machine() {
  static const UtgardGp utgard_gp;
  return utgard_gp;
}

}  // namespace mobula::utgard_gp
