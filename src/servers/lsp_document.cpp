#include "servers/lsp_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <set>

#include "mobula/isa/machine.h"
#include "mobula/scoreboard/scoreboard.h"

namespace mobula::servers {
namespace {

constexpr std::string_view workload_language = "scoreboard", workload_extension = ".sb";
/// Of the only errors in a text that have the offset of a byte in it.
constexpr std::string_view not_text_code = "MOB014";
/// More than a person reads, and an editor shows.
constexpr std::size_t most_findings = 1000;

bool is_word_byte(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' || letter == '$';
}
bool begins_word(char letter) { return is_word_byte(letter) && std::isdigit(static_cast<unsigned char>(letter)) == 0; }
/// Of names with the sign before them: $01, @MARKER, |WAIT_FOR_IDLE.
bool is_name_byte(char letter) { return is_word_byte(letter) || letter == '@' || letter == '%' || letter == '|'; }

std::string_view without_comment(std::string_view line) { return line.substr(0, line.find("//")); }

std::string_view last_section(std::string_view label) { return label.substr(label.rfind('.') + 1); }

/// 3 or 2.5.
std::string quotient(std::uint64_t whole, std::uint64_t parts) {
  return whole % parts == 0 ? std::to_string(whole / parts)
                            : fmt::format("{:.1f}", static_cast<double>(whole) / static_cast<double>(parts));
}

std::string counted(const std::string& count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == "1" ? "" : "s");
}

/// What a word of a simulation costs each thread that executes it.
Cost cost_of(const SimulationReport::WordUse& word, TextRange where) {
  const std::uint64_t waiting = std::accumulate(word.waiting.begin(), word.waiting.end(), std::uint64_t{0});
  Cost cost{where, counted(quotient(word.executing + waiting, word.executions), "cycle"), {}};
  cost.explanation = counted(quotient(word.executing, word.executions), "cycle") + " executing";
  for (std::size_t i = 0; i < word.waiting.size(); ++i) {
    if (word.waiting[i] == 0) continue;
    const StallReasonInfo& reason = info(static_cast<StallReason>(i));
    cost.explanation +=
        fmt::format("\n{} waiting, {}: {}", quotient(word.waiting[i], word.executions), reason.name, reason.sentence);
  }
  return cost;
}

/// A carriage return alone ends a line of an editor, and a line feed does everywhere; all stays at its place.
std::string with_line_feeds(std::string text) {
  for (std::size_t at = text.find('\r'); at != std::string::npos; at = text.find('\r', at + 1))
    if (at + 1 == text.size() || text[at + 1] != '\n') text[at] = '\n';
  return text;
}

}  // namespace

std::optional<Language> language_of(std::string_view language_id, std::string_view uri) {
  if (language_id == workload_language) return Language{};
  if (const Machine* machine = find_machine(language_id)) return Language{machine, {}};
  if (uri.ends_with(workload_extension)) return Language{};
  for (const Machine* machine : machines())
    if (uri.ends_with(machine->extension())) return Language{machine, {}};
  return {};
}

const Manual& manual_of(const Machine& machine) {
  static std::map<std::string_view, Manual> made;
  const auto found = made.find(machine.name());
  return found != made.end() ? found->second : made.emplace(machine.name(), machine.manual()).first->second;
}

std::string markdown_of(const ManualEntry& entry) {
  std::string_view body = entry.body;
  while (body.ends_with('\n')) body.remove_suffix(1);
  return fmt::format("**{}** {}\n\n```text\n{}\n```\n\n*{}{}{}*", entry.mnemonic, entry.title, body, name(entry.status),
                     entry.source.empty() ? "" : " ", entry.source);
}

Document::Document(std::string document_uri, Language document_language, std::string content,
                   std::int64_t document_version)
    : uri(std::move(document_uri)),
      language(std::move(document_language)),
      text(with_line_feeds(std::move(content))),
      version(document_version) {
  lines_.push_back(0);
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n') lines_.push_back(i + 1);
  if (language.machine != nullptr) {
    assemble();
    find_labels();
  } else {
    read_workload();
  }
  std::ranges::stable_sort(findings_, {}, [](const Finding& each) { return each.where.begin; });
}

// ------------------------------------------------------------------------------------------------ findings

void Document::assemble() {
  auto program = language.machine->assemble({uri, text}, {.variant = language.variant});
  if (!program) {
    for (const Diagnostic& each : program.error()) add(each);
    return;
  }
  program_ = std::move(*program);
  for (const Diagnostic& each : language.machine->check(*program_)) add(each);
}

void Document::read_workload() {
  const auto workload = scoreboard::parse_workload(uri, text);
  if (workload) return;
  for (const Diagnostic& each : workload.error()) add(each);
}

void Document::add(const Diagnostic& diagnostic) {
  if (findings_.size() >= most_findings) return;
  Finding finding{diagnostic.severity, diagnostic.code, diagnostic.message, {}};
  if (!diagnostic.hint.empty()) finding.message += "\nhint: " + diagnostic.hint;
  const Location& where = diagnostic.where;
  if (where.line != 0) {
    finding.where.begin = offset_of(where.line, std::max(where.column, 1u));
    finding.where.end = std::min(finding.where.begin + where.length, line_range(where.line).end);
    if (where.column == 0) finding.where = line_range(where.line);
  } else if (where.byte_offset && diagnostic.code == not_text_code) {
    finding.where.begin = std::min<std::size_t>(*where.byte_offset, text.size());
    finding.where.end = std::min(finding.where.begin + 1, text.size());
  } else if (where.byte_offset && program_ && !program_->lines.empty()) {
    const auto after = std::ranges::upper_bound(program_->lines, *where.byte_offset, {}, &SourceLine::byte_offset);
    const SourceLine& line = after == program_->lines.begin() ? *after : *std::prev(after);
    finding.where = line_range(line.line);
    // A brace alone shows nothing of the word that it opens.
    if (finding.where.end - finding.where.begin == 1) finding.where = line_range(line.line + 1);
  }
  finding.where.end = std::max(finding.where.begin, finding.where.end);
  findings_.push_back(std::move(finding));
}

std::size_t Document::offset_of(std::uint32_t line, std::uint32_t column) const {
  if (line == 0 || line > lines_.size()) return text.size();
  return std::min(lines_[line - 1] + column - 1, text.size());
}

/// A line, from 1, without the blanks around it.
TextRange Document::line_range(std::uint32_t line) const {
  TextRange range{offset_of(line, 1), line < lines_.size() ? lines_[line] : text.size()};
  const auto blank = [&](std::size_t at) { return std::isspace(static_cast<unsigned char>(text[at])) != 0; };
  while (range.end > range.begin && blank(range.end - 1)) --range.end;
  while (range.begin < range.end && blank(range.begin)) ++range.begin;
  return range;
}

// ------------------------------------------------------------------------------------------------ labels

/// A name and ":" at the beginning of a line, outside of braces; of a text that assembles those that are labels indeed.
void Document::find_labels() {
  std::set<std::string_view> known;
  if (program_)
    for (const Label& label : program_->labels) known.insert({label.name, last_section(label.name)});
  int depth = 0;
  for (std::size_t number = 0; number < lines_.size(); ++number) {
    const std::size_t begin = lines_[number];
    const std::size_t end = number + 1 < lines_.size() ? lines_[number + 1] : text.size();
    const std::string_view line = without_comment(std::string_view(text).substr(begin, end - begin));
    for (std::size_t at = 0; depth <= 0;) {
      at = std::min(line.find_first_not_of(" \t", at), line.size());
      std::size_t after = at;
      if (at == line.size() || !begins_word(line[at])) break;
      while (after < line.size() && is_word_byte(line[after])) ++after;
      const std::size_t colon = std::min(line.find_first_not_of(" \t", after), line.size());
      if (colon == line.size() || line[colon] != ':') break;
      const std::string_view name = line.substr(at, after - at);
      if (!program_ || known.contains(name)) definitions_.push_back({std::string(name), {begin + at, begin + after}});
      at = colon + 1;
    }
    depth += static_cast<int>(std::ranges::count(line, '{') - std::ranges::count(line, '}'));
  }
}

std::string_view Document::label_at(std::size_t offset) const {
  std::size_t begin = offset, end = offset;
  while (begin > 0 && is_word_byte(text[begin - 1])) --begin;
  while (end < text.size() && is_word_byte(text[end])) ++end;
  const std::string_view word = std::string_view(text).substr(begin, end - begin);
  return std::ranges::find(definitions_, word, &LabelPlace::name) == definitions_.end() ? std::string_view() : word;
}

std::vector<TextRange> Document::places_of(std::string_view label) const {
  std::vector<TextRange> places;
  const std::string_view whole = text;
  for (std::size_t at = whole.find(label); at != std::string_view::npos && !label.empty();
       at = whole.find(label, at + label.size())) {
    const std::size_t end = at + label.size();
    if ((at == 0 || !is_word_byte(text[at - 1])) && (end == text.size() || !is_word_byte(text[end])))
      places.push_back({at, end});
  }
  return places;
}

// ------------------------------------------------------------------------------------------------ names

/// Letters, digits, dots, and what registers begin with.
TextRange Document::name_around(std::size_t offset) const {
  const auto belongs = [&](std::size_t at) { return is_name_byte(text[at]) || text[at] == '.'; };
  TextRange range{offset, offset};
  while (range.begin > 0 && belongs(range.begin - 1)) --range.begin;
  while (range.end < text.size() && belongs(range.end)) ++range.end;
  return range;
}

TextRange Document::name_before(std::size_t offset) const {
  TextRange range{offset, offset};
  while (range.begin > 0 && is_name_byte(text[range.begin - 1])) --range.begin;
  return range;
}

/// Of a name with dots, vmul.FCMP.eq.i32, the longest part round the place that the manual has: FCMP.eq.
std::optional<Explanation> Document::explain(std::size_t offset) const {
  if (language.machine == nullptr) return {};
  if (const std::string_view label = label_at(offset); !label.empty()) {
    const auto begin = static_cast<std::size_t>(label.data() - text.data());
    std::string markdown = fmt::format("**{}** label", label);
    if (program_)
      for (const Label& each : program_->labels)
        if (each.name == label || last_section(each.name) == label)
          markdown += fmt::format("\n\nbyte {:#x}", each.byte_offset);
    return Explanation{std::move(markdown), {begin, begin + label.size()}};
  }
  const TextRange whole = name_around(offset);
  constexpr std::size_t longest_name = 100;
  if (whole.begin == whole.end || whole.end - whole.begin > longest_name) return {};
  std::vector<std::size_t> dots;  // ends of parts, and the beginning as one
  for (std::size_t at = whole.begin; at < whole.end; ++at)
    if (text[at] == '.') dots.push_back(at);
  std::vector<TextRange> parts;
  const auto offer = [&](std::size_t begin, std::size_t end) {
    if (begin < end && begin <= offset && offset <= end) parts.push_back({begin, end});
  };
  for (std::size_t first = 0; first <= dots.size(); ++first)
    for (std::size_t last = first; last <= dots.size(); ++last) {
      const std::size_t begin = first == 0 ? whole.begin : dots[first - 1] + 1;
      const std::size_t end = last == dots.size() ? whole.end : dots[last];
      offer(begin, end);
      if (first != 0 && dots[first - 1] == whole.begin) offer(whole.begin, end);  // a directive, with its dot
    }
  std::ranges::stable_sort(parts, std::ranges::greater(), [](TextRange part) { return part.end - part.begin; });
  for (const TextRange& part : parts) {
    const auto entries =
        entries_named(manual_of(*language.machine), std::string_view(text).substr(part.begin, part.end - part.begin));
    if (entries.empty()) continue;
    std::string markdown;
    for (const ManualEntry* entry : entries) markdown += (markdown.empty() ? "" : "\n\n---\n\n") + markdown_of(*entry);
    return Explanation{std::move(markdown), part};
  }
  return {};
}

// ------------------------------------------------------------------------------------------------ costs

const std::vector<Cost>& Document::costs() const {
  if (!costs_) costs_ = language.machine != nullptr ? word_costs() : operation_costs();
  return *costs_;
}

std::vector<Cost> Document::word_costs() const {
  const TimingModel* model = program_ ? find_timing_model(language.machine->name()) : nullptr;
  if (model == nullptr) return {};
  std::map<std::uint64_t, SimulationReport::WordUse> words;
  for (const AssumedPath path : {AssumedPath::shortest, AssumedPath::longest}) {
    const auto report = model->simulate(*program_, {.assumed = path, .threads = 1, .max_cycles = 1'000'000});
    if (!report) continue;
    for (const SimulationReport::WordUse& word : report->words)
      if (word.executions != 0) words.emplace(word.address, word);
  }
  std::vector<Cost> costs;
  for (const SourceLine& line : program_->lines) {
    const auto word = words.find(line.byte_offset);
    if (word == words.end()) continue;
    const std::size_t end = line_range(line.line).end;
    costs.push_back(cost_of(word->second, {end, end}));
  }
  return costs;
}

/// Of the default core, and of workloads that a person wrote: it is run whenever it was changed.
std::vector<Cost> Document::operation_costs() const {
  constexpr std::size_t most_operations = 20'000;
  const auto workload = scoreboard::parse_workload(uri, text);
  const auto core = scoreboard::find_preset("seed_two_level");
  if (!workload || !core || workload->operations.size() > most_operations) return {};
  const auto result = scoreboard::run(*core, *workload, {.max_clocks = 1'000'000});
  if (!result) return {};
  std::vector<Cost> costs;
  for (std::uint32_t line = 1; line <= lines_.size() && costs.size() < result->times.size(); ++line) {
    const TextRange range = line_range(line);
    std::string_view content = std::string_view(text).substr(range.begin, range.end - range.begin);
    content = content.substr(0, content.find('#'));
    const bool blank = content.find_first_not_of(" \t") == std::string_view::npos;
    if (blank || content.substr(0, content.find_first_of(" \t")) == "reg") continue;
    const scoreboard::Times& times = result->times[costs.size()];
    costs.push_back({{range.end, range.end},
                     fmt::format("clocks {} to {}", times.issue, times.write),
                     fmt::format("issue {}, read {}, start {}, complete {}, write {}", times.issue, times.read,
                                 times.start, times.complete, times.write)});
  }
  return costs;
}

}  // namespace mobula::servers
