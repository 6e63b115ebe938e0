#include <algorithm>
#include <array>
#include <utility>

#include "core/encoding.h"
#include "core/listing_pieces.h"
#include "core/quote.h"
#include "machines/variants.h"

namespace mobula {

#define MOBULA_MACHINE(folder) \
  namespace folder {           \
  const Machine& machine();    \
  }
#include "machines/machines.inc"
#undef MOBULA_MACHINE

namespace {

Diagnostic unknown_variant(const Machine& machine, std::string_view variant, std::string_view file) {
  std::string known;
  for (const Variant& each : machine.variants()) known += (known.empty() ? "" : ", ") + std::string(each.name);
  return {Severity::error,
          "MOB002",
          {.file = std::string(file)},
          "unknown " + std::string(machine.name()) + " variant '" + std::string(variant) + "'",
          "known variants: " + known};
}

constexpr std::string_view directive_name = ".machine";

/// The same text with blanks in the place of the directive, so that lines and columns stay what they are.
std::string without_directive(std::string_view text, std::string_view directive) {
  std::string rest(text);
  const auto end = static_cast<std::size_t>(directive.data() + directive.size() - text.data());
  const std::size_t begin = text.rfind(directive_name, end);
  rest.replace(begin, end - begin, end - begin, ' ');
  return rest;
}

bool begins_with_directive(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
  return line.starts_with(directive_name);
}

/// The parsers of the machines know nothing of the directive, and meet it only where it may not stand.
void explain_late_directives(Diagnostics& errors) {
  for (Diagnostic& error : errors) {
    if (!begins_with_directive(error.where.source_line)) continue;
    std::string_view rest = error.where.source_line;
    rest.remove_prefix(rest.find(directive_name) + directive_name.size());
    if (rest.find_first_not_of(" \t\r") == std::string_view::npos) {
      error.code = "MOB010";
      error.message = ".machine names no machine";
      error.hint = ".machine NAME or .machine NAME:VARIANT";
      continue;
    }
    error.code = "MOB010";
    error.message = ".machine may appear only once, before everything else";
    error.hint = "a file holds a program of one machine; leave this line out, or put it in the place of the first";
  }
}

/// What is wrong with the text of another machine's program, which follows a directive of its own, says nothing.
void leave_out_other_programs(const Machine& machine, Diagnostics& errors) {
  const auto begins_other = [&](const Diagnostic& error) {
    if (error.code != "MOB010") return false;
    std::string_view name = error.where.source_line;
    name.remove_prefix(name.find(directive_name) + directive_name.size());
    name.remove_prefix(std::min(name.find_first_not_of(" \t\r"), name.size()));
    const auto other = parse_machine(name.substr(0, name.find_first_of(" \t\r;/")));
    return other && other->machine->name() != machine.name();
  };
  const auto other = std::ranges::find_if(errors, begins_other);
  if (other == errors.end()) return;
  other->hint = "a file holds one program; put what follows into a file of its own";
  std::erase_if(errors, [line = other->where.line](const Diagnostic& error) { return error.where.line > line; });
}

/// What a machine can be trusted with: the errors of arguments are given here, once, for all of them.
class CheckedMachine final : public Machine {
 public:
  explicit CheckedMachine(const Machine& machine) : machine_(machine) {}

  [[nodiscard]] std::string_view name() const override { return machine_.name(); }
  [[nodiscard]] std::string_view summary() const override { return machine_.summary(); }
  [[nodiscard]] std::span<const Variant> variants() const override { return machine_.variants(); }
  [[nodiscard]] std::span<const Syntax> syntaxes() const override { return machine_.syntaxes(); }
  [[nodiscard]] std::string_view extension() const override { return machine_.extension(); }
  [[nodiscard]] std::span<const Policy> policies() const override { return machine_.policies(); }
  [[nodiscard]] std::uint32_t word_bytes() const override { return machine_.word_bytes(); }
  void complete(Interface& interface) const override { machine_.complete(interface); }
  [[nodiscard]] std::vector<std::string> slots_meant(std::string_view name, std::uint64_t next,
                                                     std::span<const std::uint64_t> executed) const override {
    return machine_.slots_meant(name, next, executed);
  }

  [[nodiscard]] Result<ListingPieces> disassemble_in_pieces(const Program& program,
                                                            const DisassembleOptions& options) const override {
    if (auto known = accept(machine_, program); !known) return fail(known.error());
    Result<ListingPieces> pieces = machine_.disassemble_in_pieces(program, options);
    if (!pieces || !options.directive || !is_own_text(options.syntax)) return pieces;
    return ListingPieces([all = std::move(*pieces), first = directive(program.variant)]() mutable {
      ListingPiece piece = all();
      if (first.empty()) return piece;
      return ListingPiece([piece = std::move(piece), line = std::exchange(first, {})] {
        Listing listing = piece();
        prepend(listing, line);
        return listing;
      });
    });
  }
  [[nodiscard]] Result<Program> assemble(const SourceText& source, const AssembleOptions& options) const override {
    if (auto known = check_variant(machine_, options.variant, source.file); !known) return fail(known.error());
    if (auto problem = refuse_other_than_text(source.file, source.text)) return fail(std::move(*problem));
    std::string text;
    AssembleOptions chosen = options;
    SourceText rest = source;
    rest.text = without_mark(source.text);
    const std::string_view directive = machine_directive(rest.text);
    if (!directive.empty()) {
      if (auto agreed = follow(directive, rest, chosen); !agreed) return fail(agreed.error());
      text = without_directive(rest.text, directive);
      rest.text = text;
    }
    Result<Program> program = machine_.assemble(rest, chosen);
    if (!program) {
      Diagnostics errors = std::move(program).error();
      explain_late_directives(errors);
      leave_out_other_programs(*this, errors);
      return fail(std::move(errors));
    }
    if (program->variant.empty()) program->variant = variants().front().name;
    return program;
  }
  [[nodiscard]] Diagnostics check(const Program& program) const override {
    if (auto known = accept(machine_, program); !known) return known.error();
    return machine_.check(program);
  }
  void explain_each(const Program& program, const ExplainedWordSink& each) const override {
    if (auto known = accept(machine_, program); !known)
      return each({.text = {}, .fields = {}, .diagnostics = known.error()});
    machine_.explain_each(program, each);
  }
  [[nodiscard]] std::vector<Picture> pictures(const Program& program) const override {
    if (!accept(machine_, program)) return {};
    return machine_.pictures(program);
  }
  [[nodiscard]] Manual manual() const override {
    Manual manual = machine_.manual();
    for (const Policy& row : policies()) {
      std::string values;
      for (const std::string_view value : row.values) values.append(values.empty() ? "" : ", ").append(value);
      manual.entries.push_back({.mnemonic = std::string(row.name),
                                .title = "policy, " + std::string(row.default_value) + " by default",
                                .body = std::string(row.summary) + ".\n--policy " + std::string(row.name) +
                                        "=VALUE, which is one of " + values + ".\n",
                                .status = Status::unknown,
                                .source = {},
                                .names = {},
                                .in_words = false});
    }
    manual.entries.push_back({.mnemonic = std::string(directive_name),
                              .title = "directive",
                              .body = "What the text is for, a machine and variant: .machine " + std::string(name()) +
                                      ':' + std::string(variants().front().name) +
                                      "\nBefore anything but comments; the same in every machine's text.\n",
                              .status = Status::document,
                              .source = {},
                              .names = {},
                              .in_words = false});
    return manual;
  }
  [[nodiscard]] Result<ir::Program> lift(const Program& program, const Policies& policies) const override {
    if (auto known = accept(machine_, program); !known) return fail(known.error());
    return machine_.lift(program, policies);
  }
  [[nodiscard]] std::optional<Result<LiftedPieces>> lift_in_pieces(const Program& program,
                                                                   const Policies& policies) const override {
    if (auto known = accept(machine_, program); !known) return fail(known.error());
    return machine_.lift_in_pieces(program, policies);
  }
  [[nodiscard]] const firmware::Views* firmware_views() const override { return machine_.firmware_views(); }

 private:
  [[nodiscard]] bool is_own_text(std::string_view syntax) const {
    return syntax.empty() || syntax == syntaxes().front().name;
  }

  /// The row of a variant's own name; that of the default where none is named.
  [[nodiscard]] const Variant& variant(std::string_view name) const {
    const auto named = [&](std::string_view wanted) {
      return std::find_if(variants().begin(), variants().end(), [&](const Variant& row) { return row.name == wanted; });
    };
    const auto row = name.empty() ? variants().begin() : named(name);
    return row->same_as.empty() ? *row : *named(row->same_as);
  }

  /// The line that tells assemble() what the text is for.
  [[nodiscard]] std::string directive(std::string_view variant_name) const {
    const Variant& row = variant(variant_name);
    return std::string(directive_name) + ' ' + std::string(name()) +
           (row.by_content ? "" : ':' + std::string(row.name)) + '\n';
  }
  static void prepend(Listing& listing, const std::string& line) {
    listing.text.insert(0, line);
    for (Listing::Word& word : listing.words) {
      word.text_begin += static_cast<std::uint32_t>(line.size());
      word.text_end += static_cast<std::uint32_t>(line.size());
    }
  }

  /// Chooses the variant that the text names, unless the text is for another machine or variant than the one asked for.
  Result<void> follow(std::string_view directive, const SourceText& source, AssembleOptions& options) const {
    const auto problem = [&](Diagnostic diagnostic) {
      const Source lines(source.file, source.text);
      const auto offset = static_cast<std::uint32_t>(directive.data() - source.text.data());
      diagnostic.where = lines.locate({offset, static_cast<std::uint32_t>(directive.size())});
      return fail(std::move(diagnostic));
    };
    const Result<MachineChoice> named = parse_machine(directive);
    if (!named) return problem(named.error().front());
    const bool says_variant = directive.find(':') != std::string_view::npos;
    const bool agree = named->machine->name() == name() &&
                       (!says_variant || options.variant.empty() || variant(options.variant).by_content ||
                        &variant(options.variant) == &variant(named->variant));
    if (!agree)
      return problem({Severity::error,
                      "MOB008",
                      {},
                      "the text is for " + std::string(directive) + ", but " + std::string(name()) +
                          (options.variant.empty() ? "" : ":" + std::string(options.variant)) + " was asked for",
                      "ask for " + std::string(directive) + ", or change the directive"});
    // The machine's row outlives the text.
    if (says_variant && (options.variant.empty() || variant(options.variant).by_content))
      options.variant = variant(named->variant).name;
    return {};
  }

  const Machine& machine_;
};

}  // namespace

Result<void> accept(const Machine& machine, const Program& program) {
  if (program.machine.empty() || program.machine == machine.name())
    return check_variant(machine, program.variant, program.file);
  return fail(
      Diagnostic{Severity::error,
                 "MOB013",
                 {.file = program.file},
                 "this is a program of machine " + quote(program.machine) + ", not of " + std::string(machine.name()),
                 "find_machine(program.machine) is its own"});
}

Result<void> check_variant(const Machine& machine, std::string_view variant, std::string_view file) {
  const auto variants = machine.variants();
  if (variant.empty() ||
      std::any_of(variants.begin(), variants.end(), [&](const Variant& each) { return each.name == variant; }))
    return {};
  return fail(unknown_variant(machine, variant, file));
}

std::span<const Machine* const> machines() {
#define MOBULA_MACHINE(folder) CheckedMachine(folder::machine()),
  static const std::array checked{
#include "machines/machines.inc"
  };
#undef MOBULA_MACHINE
  static const auto all = [] {
    std::array<const Machine*, checked.size()> pointers{};
    std::transform(checked.begin(), checked.end(), pointers.begin(), [](const Machine& each) { return &each; });
    return pointers;
  }();
  return all;
}

const Machine* find_machine(std::string_view name) {
  for (const Machine* machine : machines())
    if (machine->name() == name) return machine;
  return nullptr;
}

Nearest nearest_machine(std::string_view name) {
  Nearest nearest(name);
  for (const Machine* each : machines()) nearest.offer(each->name());
  return nearest;
}

Diagnostic unknown_machine(std::string_view name) {
  const Nearest nearest = nearest_machine(name);
  std::string known = "known machines";
  const char* separator = ": ";
  for (const Machine* each : machines()) known.append(std::exchange(separator, ", ")).append(each->name());
  return {Severity::error,
          "MOB001",
          {},
          "unknown machine " + quote(name),
          nearest.best().empty() ? known : nearest.hint() + ' ' + known};
}

Result<Listing> Machine::disassemble(const Program& program, const DisassembleOptions& options) const {
  const Result<ListingPieces> pieces = disassemble_in_pieces(program, options);
  if (!pieces) return fail(pieces.error());
  return joined(*pieces);
}

std::vector<ExplainedWord> Machine::explain(const Program& program) const {
  std::vector<ExplainedWord> words;
  explain_each(program, [&](ExplainedWord word) { words.push_back(std::move(word)); });
  return words;
}

std::string_view machine_directive(std::string_view text) {
  constexpr std::string_view blank = " \t\r";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    line.remove_prefix(std::min(line.find_first_not_of(blank), line.size()));
    if (line.empty() || line.starts_with(';') || line.starts_with("//") || line.starts_with('#')) continue;
    if (!line.starts_with(directive_name)) return {};
    line.remove_prefix(directive_name.size());
    if (line.empty() || blank.find(line.front()) == std::string_view::npos) return {};
    line.remove_prefix(std::min(line.find_first_not_of(blank), line.size()));
    return line.substr(0, line.find_first_of(" \t\r;/#"));
  }
  return {};
}

Result<MachineChoice> parse_machine(std::string_view text) {
  const std::size_t colon = text.find(':');
  const Machine* machine = find_machine(text.substr(0, colon));
  if (machine == nullptr) {
    if (text == "scoreboard")
      return fail(
          "MOB001", "the scoreboard core has no instruction set: it executes micro-operations of any machine",
          "`mobula scoreboard presets` lists its cores, and `mobula scoreboard presets NAME` prints one with its units "
          "and all that can be configured; `mobula scoreboard run --help` says which options show its signals");
    return fail(unknown_machine(text.substr(0, colon)));
  }
  if (colon == std::string_view::npos) return MachineChoice{machine, std::string(machine->variants().front().name)};
  const std::string_view wanted = text.substr(colon + 1);
  if (wanted.empty()) return fail(unknown_variant(*machine, wanted, {}));
  if (auto known = check_variant(*machine, wanted, {}); !known) return fail(known.error());
  return MachineChoice{machine, std::string(wanted)};
}

}  // namespace mobula
