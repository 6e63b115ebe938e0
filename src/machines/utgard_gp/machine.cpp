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

using Words = std::vector<Listing::Word>;

/// Forms whose text is the same whatever the policies.
template <void (*Print)(const Program&, TextBuffer&, Words*)>
void print_always(const Program& program, const Settings&, TextBuffer& out, Words* words) {
  Print(program, out, words);
}

/// A text form and what reads and writes it; `parse` is nullptr where it is print only.
struct TextForm {
  Syntax syntax;
  void (*print)(const Program&, const Settings&, TextBuffer&, Words*);
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

/// "// 0x0010: ad4ad6b5 038002b5 0007ff80 000ad500"
char* put_bytes(char* out, const Word128& word, std::uint64_t byte_offset) {
  out = put_hex_digits(put(out, "// 0x"), byte_offset, byte_offset > 0xFFFF ? 8 : 4);
  out = put(out, ':');
  for (const std::uint32_t part : parts(word)) out = put_hex_digits(put(out, ' '), part, 8);
  return put(out, '\n');
}

/// The listing with a comment of offset and bytes before the text of each word, which the words' ranges then include.
Listing with_bytes(const Listing& plain, std::span<const std::uint8_t> code) {
  Listing listing;
  listing.undecoded = plain.undecoded;
  listing.words.reserve(plain.words.size());
  TextBuffer text(plain.text.size() + 64 * plain.words.size());
  std::uint32_t copied = 0;
  const auto copy_to = [&](std::uint32_t end) {
    text.append(std::string_view(plain.text).substr(copied, end - copied));
    copied = end;
  };
  for (Listing::Word word : plain.words) {
    copy_to(word.text_begin);
    const auto begin = static_cast<std::uint32_t>(text.size());
    const auto index = static_cast<std::uint32_t>(word.byte_offset / word_bytes);
    text.commit(put_bytes(text.reserve(64), load_word(code, index), word.byte_offset));
    copy_to(word.text_end);
    listing.words.push_back({word.byte_offset, word.byte_length, begin, static_cast<std::uint32_t>(text.size())});
  }
  copy_to(static_cast<std::uint32_t>(plain.text.size()));
  listing.text = text.take();
  return listing;
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

  [[nodiscard]] Result<Listing> disassemble(const Program& program, const DisassembleOptions& options) const override {
    const TextForm* form = find_form(forms, options.syntax);
    if (form == nullptr) return no_form(options.syntax, TextDirection::print);
    const auto settings = choose_settings(options.policies);
    if (!settings) return fail(settings.error());
    if (const std::string policy = policy_without_text(*settings); form->syntax.has_policies && !policy.empty())
      return fail("GP803", "no statement stops a thread, so there is no text for the policy " + policy,
                  "run the program with it; text follows truth, address and selector8");
    Listing listing;
    // Bytes beside the words come from the finished listing.
    TextBuffer text(program.code.size() * 8, options.bytes ? nullptr : options.write);
    form->print(program, *settings, text, options.words || options.bytes ? &listing.words : nullptr);
    listing.text = text.take();
    const std::size_t rest = program.code.size() % utgard_gp::word_bytes;
    listing.undecoded.add(program.code.size() - rest, rest);
    return options.bytes ? with_bytes(listing, program.code) : listing;
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
