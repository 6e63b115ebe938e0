#include "machines/midgard/machine.h"

#include <array>
#include <string>

#include "core/text_forms.h"
#include "machines/midgard/check/check.h"
#include "machines/midgard/lift/lift.h"
#include "machines/midgard/lift/policies.h"
#include "machines/midgard/lift/state.h"
#include "machines/midgard/spec/codec.h"
#include "machines/midgard/spec/spec.h"
#include "machines/midgard/text/explain.h"
#include "machines/midgard/text/parse.h"
#include "machines/midgard/text/parse_lima.h"
#include "machines/midgard/text/parse_mesa.h"
#include "machines/midgard/text/print.h"
#include "machines/midgard/text/print_mesa.h"
#include "machines/midgard/views/picture.h"

namespace mobula::midgard {
namespace {

constexpr auto variant_list = [] {
  std::array<Variant, products.size() + product_aliases.size()> all{};
  std::size_t count = 0;
  for (const Product& row : products) all[count++] = {row.name, row.marketing, ""};
  for (const ProductAlias& row : product_aliases)
    all[count++] = {row.alias, find_product(row.name).marketing, "the same as the product it shares its code with",
                    row.name};
  return all;
}();

/// A text form and what reads and writes it; nullptr where it goes one way only.
struct TextForm {
  Syntax syntax;
  ListingPieces (*print)(const Program&, const DisassembleOptions&);
  Result<Program> (*parse)(const SourceText&, const AssembleOptions&);
};
constexpr std::array<TextForm, 4> forms{{
    {{"mdg", true, true, "loses nothing"}, print_mdg, parse_mdg},
    {{"mesa", true, true, "what Mesa's disassembler prints"}, print_mesa, parse_mesa},
    {{"mesa-verbose", true, true, "the same with units and zero bases"}, print_mesa_verbose, parse_mesa},
    {{"lima", false, true, "what the first tools wrote, 2013 to 2019"}, nullptr, parse_lima},
}};
constexpr auto syntax_list = syntaxes_of(forms);

Unexpected no_form(std::string_view name, TextDirection direction) {
  return mobula::no_form("MD100", "midgard", syntax_list, name, direction);
}

class Midgard final : public Machine {
 public:
  [[nodiscard]] std::string_view name() const override { return "midgard"; }
  [[nodiscard]] std::string_view summary() const override { return "ARM Mali T600/T700/T800 shader core"; }
  [[nodiscard]] std::span<const Variant> variants() const override { return variant_list; }
  [[nodiscard]] std::span<const Syntax> syntaxes() const override { return syntax_list; }
  [[nodiscard]] std::string_view extension() const override { return ".mdg"; }
  [[nodiscard]] std::span<const Policy> policies() const override { return policy_rows(); }
  [[nodiscard]] std::uint32_t word_bytes() const override { return quadword_bytes; }

  [[nodiscard]] std::vector<std::string> slots_meant(std::string_view name, std::uint64_t,
                                                     std::span<const std::uint64_t>) const override {
    return state::slots_meant(name);
  }

  [[nodiscard]] Result<ListingPieces> disassemble_in_pieces(const Program& program,
                                                            const DisassembleOptions& options) const override {
    const TextForm* form = find_form(forms, options.syntax);
    if (form == nullptr || form->print == nullptr) return no_form(options.syntax, TextDirection::print);
    return form->print(program, options);
  }
  [[nodiscard]] Result<Program> assemble(const SourceText& source, const AssembleOptions& options) const override {
    const TextForm* form = find_form(forms, options.syntax);
    if (form == nullptr || form->parse == nullptr) return no_form(options.syntax, TextDirection::parse);
    return form->parse(source, options);
  }
  [[nodiscard]] Diagnostics check(const Program& program) const override { return midgard::check(program); }
  void explain_each(const Program& program, const ExplainedWordSink& each) const override {
    midgard::explain_each(program, each);
  }
  [[nodiscard]] std::vector<Picture> pictures(const Program& program) const override {
    return midgard::pictures(program);
  }
  [[nodiscard]] Manual manual() const override { return midgard::manual(); }
  [[nodiscard]] Result<ir::Program> lift(const Program& program, const Policies& policies) const override {
    return midgard::lift(program, policies);
  }
  [[nodiscard]] std::optional<Result<LiftedPieces>> lift_in_pieces(const Program& program,
                                                                   const Policies& policies) const override {
    return midgard::lift_in_pieces(program, policies);
  }
};

}  // namespace

const Machine& machine() {
  static const Midgard midgard;
  return midgard;
}

}  // namespace mobula::midgard
