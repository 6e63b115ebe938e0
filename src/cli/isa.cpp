#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/input/input.h"
#include "cli/terminal/output.h"
#include "core/counted.h"
#include "core/quote.h"
#include "machines/variants.h"
#include "mobula/isa/manual.h"

namespace mobula::cli {
namespace {

std::string fact(Status status, const std::string& source) {
  return "[" + std::string(name(status)) + (source.empty() ? "" : " " + source) + "]";
}

Json describe(const Machine& machine) {
  Json variants = Json::array(), syntaxes = Json::array(), policies = Json::array();
  for (const Variant& row : machine.variants())
    variants.push_back({{"name", row.name}, {"product", row.product}, {"summary", row.summary}});
  for (const Syntax& row : machine.syntaxes())
    syntaxes.push_back({{"name", row.name}, {"prints", row.prints}, {"parses", row.parses}, {"summary", row.summary}});
  for (const Policy& row : machine.policies())
    policies.push_back({{"name", row.name},
                        {"default", row.default_value},
                        {"values", std::vector<std::string_view>(row.values.begin(), row.values.end())},
                        {"summary", row.summary}});
  return {{"name", machine.name()},
          {"summary", machine.summary()},
          {"variants", std::move(variants)},
          {"syntaxes", std::move(syntaxes)},
          {"policies", std::move(policies)}};
}

/// A described machine as text.
std::string machine_text(const Json& machine) {
  const auto line = [](const Json& row, const std::string& title, const std::string& detail) {
    return "    " + row["name"].get<std::string>() + (title.empty() ? "" : "  " + title) +
           (detail.empty() ? "" : "  " + detail) + '\n';
  };
  std::string text = machine["name"].get<std::string>() + "  " + machine["summary"].get<std::string>() +
                     "\n  variants (the first is the default)\n";
  for (const Json& row : machine["variants"]) text += line(row, row["product"], row["summary"]);
  text += "  syntaxes (the first is the default)\n";
  for (const Json& row : machine["syntaxes"])
    text += line(row,
                 !row["parses"].get<bool>()   ? "(prints only)"
                 : !row["prints"].get<bool>() ? "(reads only)"
                                              : "",
                 row["summary"]);
  text += "  policies: what is not published, and what is assumed instead\n";
  for (const Json& row : machine["policies"]) {
    std::string values;
    for (const Json& value : row["values"]) values += (values.empty() ? "" : "|") + value.get<std::string>();
    text += line(row, row["default"].get<std::string>() + " (of " + values + ")", row["summary"]);
  }
  return text;
}

Json to_json(const ManualFormat& format) {
  Json fields = Json::array();
  for (const ExplainedField& field : format.fields)
    fields.push_back({{"name", field.name},
                      {"low", field.low},
                      {"width", field.width},
                      {"meaning", field.meaning},
                      {"status", name(field.status)},
                      {"source", field.source}});
  return {{"name", format.name}, {"width", format.width}, {"fields", std::move(fields)}};
}

Json to_json(const ManualEntry& entry) {
  return {{"mnemonic", entry.mnemonic}, {"title", entry.title},         {"names", entry.names},
          {"body", entry.body},         {"status", name(entry.status)}, {"source", entry.source}};
}

std::string machine_text(const ManualFormat& format) {
  std::string text = format.name + ": " + counted(format.width, "bit") + "\n";
  for (const ExplainedField& field : format.fields)
    text += "  " + std::to_string(field.low) + '+' + std::to_string(field.width) + "  " + field.name + "  " +
            field.meaning + "  " + fact(field.status, field.source) + '\n';
  return text;
}

std::string machine_text(const ManualEntry& entry) {
  std::string text = entry.mnemonic + "  " + entry.title + "  " + fact(entry.status, entry.source) + '\n' + entry.body;
  return text.back() == '\n' ? text : text + '\n';
}

template <class T>
std::vector<const T*> pointers(const std::vector<T>& rows) {
  std::vector<const T*> all;
  all.reserve(rows.size());
  for (const T& row : rows) all.push_back(&row);
  return all;
}

Stop nothing_named(const Machine& machine, const Manual& manual, const std::string& name) {
  const std::string meant = nearest_name(manual, name);
  return {Exit::negative,
          {{Severity::error,
            "",
            {.file = "mobula"},
            std::string(machine.name()) + " has no instruction, format, field or name \"" + name + '"',
            (meant.empty() ? "" : "did you mean " + meant + "? ") + "mobula isa " + std::string(machine.name()) +
                " lists them all"}}};
}

/// A Stop that says what to ask for, where the place of the machine has a name in a manual, or one near it.
void expect_machine(const std::string& name) {
  if (!nearest_machine(name).best().empty()) return;  // a machine's name, misspelt
  std::string meant;
  for (const Machine* machine : machines()) {
    const Manual manual = machine->manual();
    const std::string found = entries_named(manual, name).empty() ? nearest_name(manual, name) : name;
    if (found.empty()) continue;
    meant += meant.empty() ? "did you mean `mobula isa " : ", `mobula isa ";
    meant += machine->name();
    meant += ' ';
    meant += found;
    meant += '`';
  }
  if (!meant.empty())
    throw usage_error("a machine stands before the name, and " + quote(name) + " is not one", meant + '?');
}

std::string how_to_ask_about(const std::string& variant) {
  return "`mobula check -m " + variant + "` says what a program uses that this variant lacks";
}

/// A name that is a variant's is a question about the variant.
void expect_no_variant(const Machine& machine, const std::string& name) {
  const std::string whole = std::string(machine.name()) + ':' + name;
  if (!parse_machine(whole)) return;
  throw usage_error(quote(name) + " is a variant of " + std::string(machine.name()) + ", whose manual is one for all",
                    how_to_ask_about(whole));
}

/// The tables are those of all variants of a machine.
const Machine& machine_asked_for(const std::string& name) {
  if (name != "scoreboard" && !parse_machine(name)) expect_machine(name);
  const Machine& machine = *choose_machine(name).machine;
  if (name == machine.name()) return machine;
  throw usage_error("the manual of " + std::string(machine.name()) + " is one for all variants, and " + quote(name) +
                        " names one of them",
                    "ask for " + std::string(machine.name()) + "; " + how_to_ask_about(name));
}

}  // namespace

Exit isa(const IsaOptions& options) {
  expect_distinct({{"--svg", options.svg}}, {}, options.output.file);
  std::vector<ManualFormat> drawn;
  Json json;
  std::string text;
  if (options.machine.empty()) {
    json = Json::array();
    for (const Machine* machine : machines()) {
      json.push_back(describe(*machine));
      text += machine_text(json.back());
    }
    json = {{"machines", std::move(json)}};
  } else {
    const Machine& machine = machine_asked_for(options.machine);
    const Manual manual = machine.manual();
    const std::string& name = options.mnemonic;
    Json formats = Json::array(), entries = Json::array();
    const auto show = [&](const ManualFormat& format) {
      formats.push_back(to_json(format));
      drawn.push_back(format);
      text += machine_text(format) + '\n';
    };
    const auto show_entry = [&](const ManualEntry* entry) {
      entries.push_back(to_json(*entry));
      text += machine_text(*entry) + '\n';
    };
    // Whoever asks for a name wants what it means, and then its bits.
    if (!name.empty()) std::ranges::for_each(entries_named(manual, name), show_entry);
    for (const ManualFormat* format : name.empty() ? pointers(manual.formats) : formats_named(manual, name))
      show(*format);
    if (name.empty()) std::ranges::for_each(pointers(manual.entries), show_entry);
    // What nothing is called may be a part of a word, or a part of a name.
    if (formats.empty() && entries.empty()) std::ranges::for_each(fields_named(manual, name), show);
    if (formats.empty() && entries.empty()) std::ranges::for_each(entries_about(manual, name), show_entry);
    if (formats.empty() && entries.empty()) std::ranges::for_each(fields_about(manual, name), show);
    if (formats.empty() && entries.empty()) {
      expect_no_variant(machine, name);
      throw nothing_named(machine, manual, name);
    }
    json = {{"formats", std::move(formats)}, {"entries", std::move(entries)}};
  }
  if (!options.svg.empty()) {
    if (drawn.empty())
      throw usage_error("nothing that is shown has bits to draw",
                        "--svg draws formats: name one after the machine, or give the machine alone for all of them");
    write_output(options.svg, svg(drawn));
  }
  write_output(options.output.file, options.output.json ? envelope("isa", nullptr, std::move(json)) : text);
  return Exit::done;
}

}  // namespace mobula::cli
