#include "machines/afuc/machine.h"

#include <array>
#include <memory>
#include <string>
#include <utility>

#include "core/counted.h"
#include "core/text_forms.h"
#include "machines/afuc/check/check.h"
#include "machines/afuc/image/image.h"
#include "machines/afuc/lift/lift.h"
#include "machines/afuc/lift/policies.h"
#include "machines/afuc/spec/chips.h"
#include "machines/afuc/spec/spec.h"
#include "machines/afuc/text/explain.h"
#include "machines/afuc/text/parse.h"
#include "machines/afuc/text/print.h"
#include "machines/afuc/views/picture.h"
#include "machines/afuc/views/views.h"

namespace mobula::afuc {
namespace {

struct TextForm {
  Syntax syntax;
  Dialect dialect;
  Names names;
};
constexpr std::array<TextForm, 4> forms{{
    {{"afuc", true, true, "Mesa's language, with addresses as labels everywhere and cross references"},
     Dialect::own,
     Names::any},
    {{"mesa", true, true, "what the assembler of Mesa 25.0.7 reads"}, Dialect::mesa, Names::mesa25},
    {{"mesa-22", false, true, "sources and listings of Mesa 22.3.6"}, Dialect::mesa, Names::mesa22},
    {{"mesa-26", false, true, "sources and listings of Mesa 26.1.0"}, Dialect::mesa, Names::mesa26},
}};
constexpr auto syntax_list = syntaxes_of(forms);

/// Firmware has data between its functions, and yet more instructions than data; of what has not, all data is none.
Undecoded undecoded(const Program& program, const Image& image) {
  std::size_t words = 0, instructions = 0, data = 0;
  for (const Core& core : image.cores()) {
    const Image::Words count = image.count_words(core);
    instructions += count.instructions;
    words += count.instructions + count.assumed + count.data;
    data += count.data;
  }
  Undecoded left;
  if (2 * data > words) {
    left.add(image.byte_offset(0), std::uint64_t{afuc::word_bytes} * data);
    left.reason = "of " + counted(words, "word") + " outside packet tables, only " +
                  counted(instructions, "is an instruction", "are instructions") + " that control is known to reach";
  }
  left.add(program.code.size() - image.rest().size(), image.rest().size());
  return left;
}

class Afuc final : public Machine {
 public:
  [[nodiscard]] std::string_view name() const override { return "afuc"; }
  [[nodiscard]] std::string_view summary() const override { return "Qualcomm Adreno command-processor microcode"; }
  [[nodiscard]] std::span<const Variant> variants() const override { return afuc::variants(); }
  [[nodiscard]] std::span<const Syntax> syntaxes() const override { return syntax_list; }
  [[nodiscard]] std::string_view extension() const override { return ".afuc"; }
  [[nodiscard]] std::span<const Policy> policies() const override { return afuc::policy_rows(); }
  [[nodiscard]] std::uint32_t word_bytes() const override { return 4; }

  [[nodiscard]] Result<ListingPieces> disassemble_in_pieces(const Program& program,
                                                            const DisassembleOptions& options) const override {
    const TextForm* form = find_form(forms, options.syntax);
    if (form == nullptr || !form->syntax.prints)
      return no_form("AF140", "afuc", syntax_list, options.syntax, TextDirection::print);
    const auto image = std::make_shared<const Image>(program);
    return ListingPieces(
        [pieces = print_in_pieces(image, form->dialect, options), left = undecoded(program, *image)]() mutable {
          ListingPiece piece = pieces();
          if (!piece) return piece;
          return ListingPiece([piece = std::move(piece), left = std::exchange(left, {})] {
            Listing listing = piece();
            listing.undecoded = left;
            return listing;
          });
        });
  }
  [[nodiscard]] Result<Program> assemble(const SourceText& source, const AssembleOptions& options) const override {
    const TextForm* form = find_form(forms, options.syntax);
    if (form == nullptr) return no_form("AF140", "afuc", syntax_list, options.syntax, TextDirection::parse);
    return parse(source, options, form->names);
  }
  [[nodiscard]] Diagnostics check(const Program& program) const override { return afuc::check(program); }
  void explain_each(const Program& program, const ExplainedWordSink& each) const override {
    afuc::explain_each(program, each);
  }
  [[nodiscard]] std::vector<Picture> pictures(const Program& program) const override { return afuc::pictures(program); }
  [[nodiscard]] Manual manual() const override { return afuc::manual(); }
  /// The first program; the others of an image are lifted where its firmware starts them.
  [[nodiscard]] Result<ir::Program> lift(const Program& program, const Policies& policies) const override {
    const Image image(program);
    return afuc::lift(image.all_words(), generation_of(image.map()), policies);
  }
  [[nodiscard]] const firmware::Views* firmware_views() const override {
    static constexpr firmware::Views all{.reads_pm4 = true,
                                         .info = views::info,
                                         .find = views::find,
                                         .instructions = views::instructions,
                                         .diff = views::diff,
                                         .flow = views::flow,
                                         .pseudo = views::pseudo};
    return &all;
  }
};

}  // namespace

const Machine& machine() {
  static const Afuc afuc;
  return afuc;
}

}  // namespace mobula::afuc
