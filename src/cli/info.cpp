#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/input/input.h"
#include "cli/input/shader.h"
#include "cli/terminal/output.h"
#include "core/counted.h"
#include "core/quote.h"
#include "mobula/isa/pm4_capture.h"
#include "mobula/lab/firmware_report.h"
#include "mobula/lab/load.h"
#include "mobula/lab/timing.h"

namespace mobula::cli {
namespace {

using firmware::CoreInfo;
using firmware::Info;
using firmware::Place;

Json to_json(const CoreInfo& core) {
  Json packets = Json::array();
  for (const firmware::PacketInfo& packet : core.packets)
    packets.push_back({{"opcode", hex(packet.opcode)},
                       {"name", packet.name},
                       {"named", packet.named},
                       {"handler", hex(packet.handler)},
                       {"shared", packet.shared}});
  Json json = {{"name", core.name},           {"start", hex(core.start)},
               {"words", core.words},         {"instructions", core.instructions},
               {"assumed", core.assumed},     {"data", core.data},
               {"functions", core.functions}, {"packets", std::move(packets)}};
  if (core.table) json["table"] = hex(*core.table);
  if (core.call_depth) json["call_depth"] = *core.call_depth;
  return json;
}

Json to_json(const Info& info) {
  Json cores = Json::array(), kernel = Json::array();
  for (const CoreInfo& core : info.cores) cores.push_back(to_json(core));
  for (const auto& each : info.kernel) kernel.push_back({{"question", each.question}, {"answer", each.answer}});
  Json json = {{"chip", info.chip},         {"product", info.product},    {"generation", info.generation},
               {"id_known", info.id_known}, {"bytes", info.bytes},        {"words", info.words},
               {"cores", std::move(cores)}, {"kernel", std::move(kernel)}};
  if (info.id) {
    json["id"] = hex(*info.id);
    json["version"] = hex(info.version);
    json["kernel_version"] = hex(info.kernel_version);
  }
  return json;
}

Json to_json(const std::vector<Place>& places) {
  Json json = Json::array();
  for (const Place& place : places)
    json.push_back({{"core", place.core}, {"word", hex(place.word)}, {"where", place.where}, {"text", place.text}});
  return json;
}

/// `placeless`: what it says of those without a place.
std::string listed_variables(std::string_view title, const std::vector<Variable>& variables,
                             std::string_view placeless) {
  if (variables.empty()) return {};
  std::string text = std::string(title) + ':';
  for (const Variable& each : variables)
    text += ' ' + (each.type.empty() ? "" : shown(each.type) + ' ') + (each.name.empty() ? "?" : shown(each.name)) +
            (each.driver_location < 0 ? std::string(placeless) : "") +
            (each.format.empty() ? "" : " (as " + each.format + ')') +
            (each.initial.empty() ? "" : " (has initial values)") + (&each == &variables.back() ? "" : ",");
  return text + '\n';
}

Json variables_json(const std::vector<Variable>& variables) {
  Json list = Json::array();
  for (const Variable& each : variables) {
    Json row{{"name", each.name}, {"type", each.type}};
    if (each.driver_location >= 0) row["number"] = each.driver_location;
    if (each.driver_location >= 0 && each.component != 0) row["component"] = each.component;
    if (!each.format.empty()) row["format"] = each.format;
    if (!each.initial.empty()) row["initial"] = true;
    list.push_back(std::move(row));
  }
  return list;
}
/// By their names in text and in JSON.
constexpr std::array<std::pair<std::string_view, std::vector<Variable> Interface::*>, 5> variable_lists{
    {{"inputs", &Interface::inputs},
     {"outputs", &Interface::outputs},
     {"uniforms", &Interface::uniforms},
     {"uniform blocks", &Interface::ubo_blocks},
     {"storage blocks", &Interface::ssbo_blocks}}};

void add_variables(const Interface& interface, Json& row) {
  for (const auto& [title, list] : variable_lists) {
    std::string key(title);
    std::ranges::replace(key, ' ', '_');
    if (!(interface.*list).empty()) row[key] = variables_json(interface.*list);
  }
}

/// What is known of one program.
std::string details(const Program& program) {
  const Estimate estimate = value_or_stop(find_timing_model(program.machine)->estimate(program, {}), program.file);
  std::string text = estimate.product + ", " + counted(estimate.words, estimate.word_name) + ", " +
                     counted(estimate.instructions, "instruction") +
                     ", registers: " + std::to_string(estimate.work_registers) + " work, " +
                     std::to_string(estimate.uniform_registers) + " uniform\n";
  for (const auto& [title, list] : variable_lists)  // a depth that is written may have no number
    text += listed_variables(title, program.interface.*list, list == &Interface::outputs ? "" : " (not read)");
  return text;
}

/// Whether its code alone tells the variant.
bool by_content(const Program& program) {
  const auto variants = machine_of(program).variants();
  return std::ranges::any_of(variants,
                             [&](const Variant& each) { return each.by_content && each.name == program.variant; });
}

/// Of firmware the chip that its image names.
std::string variant_of(const Program& program) {
  if (!by_content(program)) return program.variant;
  const auto said = firmware::info(program);
  return said && said->id_known ? said->chip : program.variant;
}

std::string target_of(const HeldProgram& held) {
  if (held.program) return held.program->machine + ':' + variant_of(*held.program);
  return held.image.machine.empty() ? "?" : held.image.machine;
}

std::string listing(const std::vector<HeldProgram>& all, std::string_view container) {
  std::string text = std::string(container) + ": " + counted(all.size(), "program") + '\n';
  text += "  index  machine              stage        bytes      at  where\n";
  bool unknown = false;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const CodeImage& image = all[i].image;
    const Stage stage = all[i].program ? all[i].program->interface.stage : image.interface.stage;
    text += fmt::format("  {:>5}  {:<20} {:<9} {:>8} {:>7}  {}\n", i, target_of(all[i]),
                        stage == Stage::unknown ? "-" : name(stage), image.code.size(), hex(image.byte_offset),
                        shown(image.path));
    unknown = unknown || !all[i].program;
  }
  if (all.size() > 1) text += "choose one with --index N, or with --stage where there is one of that stage\n";
  if (unknown) text += "nothing says which machine this is for: give --machine, one of those that mobula isa lists\n";
  return text;
}

Json to_json(const std::vector<HeldProgram>& all, std::string_view container) {
  Json programs = Json::array();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const CodeImage& image = all[i].image;
    const Stage stage = all[i].program ? all[i].program->interface.stage : image.interface.stage;
    Json row{{"index", i},
             {"stage", name(stage)},
             {"bytes", image.code.size()},
             {"offset", hex(image.byte_offset)},
             {"where", image.path}};
    if (all[i].program) row["target"] = target_of(all[i]);
    add_variables(all[i].program ? all[i].program->interface : image.interface, row);
    programs.push_back(std::move(row));
  }
  return {{"container", container}, {"programs", std::move(programs)}};
}

/// FM068 for what --machine reads otherwise than the file, or its side file, says that it is.
Diagnostics told_otherwise(const InputOptions& options, const std::string& file, const std::vector<std::uint8_t>& bytes,
                           const std::vector<HeldProgram>& all) {
  if (options.machine.find(':') == std::string::npos || is_shader(options, file, bytes)) return {};
  InputOptions own = options;
  own.machine.clear();
  std::vector<HeldProgram> said;
  try {
    said = programs_in(own, file, bytes, true);
  } catch (const Stop&) {  // a text that says nothing
    return {};
  }
  Diagnostics notes;
  for (std::size_t i = 0; i < std::min(all.size(), said.size()); ++i)
    if (said[i].program && all[i].program && !by_content(*said[i].program) && target_of(said[i]) != target_of(all[i]))
      notes.push_back({Severity::note,
                       "FM068",
                       {.file = file},
                       (all.size() == 1 ? "" : "program " + std::to_string(i) + ": ") + "by itself this is for " +
                           target_of(said[i]) + "; --machine takes it for " + target_of(all[i]),
                       "without --machine it is taken as what it says"});
  return notes;
}

/// The same for firmware, whose image says which chip it is for.
Diagnostics told_otherwise(const Program& program, const Info& info) {
  const auto variants = machine_of(program).variants();
  const auto own = std::ranges::find_if(variants, &Variant::by_content);
  if (own == variants.end() || program.variant == own->name) return {};
  Program by_itself = program;
  by_itself.variant = own->name;
  const auto said = firmware::info(by_itself);
  if (!said || !said->id_known || said->chip == info.chip) return {};
  return {{Severity::note,
           "FM068",
           {.file = program.file},
           "by itself this is for " + program.machine + ':' + said->chip + "; --machine takes it for " +
               program.machine + ':' + info.chip,
           "without --machine it is taken as what it says"}};
}

/// FM057 for bytes that are not words of the machine that they are taken for.
Exit tell_of_no_code(const Program& program) {
  const Diagnostics found = told(program, undecoded(program));
  print(found);
  return found.empty() ? Exit::done : Exit::negative;
}

/// What is foreign and holds programs is an archive.
std::string_view container_name(const InputOptions& options, const std::string& file,
                                const std::vector<std::uint8_t>& bytes) {
  if (is_shader(options, file, bytes)) return "shader";
  const ContainerFormat format = format_or_text(options, bytes, file);
  return format == ContainerFormat::foreign ? "archive" : name(format);
}

/// What a file holds, whatever machine it is for.
FileResult list(const InfoOptions& options, const std::string& file, const std::vector<std::uint8_t>& bytes,
                const std::vector<HeldProgram>& all) {
  const std::string_view format = container_name(options.input, file, bytes);
  FileResult result;
  if (all.size() == 1 && all[0].program) result.status = tell_of_no_code(*all[0].program);
  if (options.output.json) {
    result.text =
        envelope("info", all.size() == 1 && all[0].program ? &*all[0].program : nullptr, to_json(all, format));
    return result;
  }
  result.text = (options.input.files.size() > 1 ? shown(file) + '\n' : "") + listing(all, format);
  if (all.size() == 1 && all[0].program) result.text += details(*all[0].program);
  if (options.input.files.size() > 1) result.text += '\n';
  return result;
}

/// The submits of a capture, none of which is a program.
FileResult describe_capture(const InfoOptions& options, const std::string& file,
                            const std::vector<std::uint8_t>& bytes) {
  const pm4::Capture capture = value_or_stop(pm4::read_capture(bytes, file), file);
  constexpr std::size_t words_of_call = 4;  // the packet that leads to a command stream
  std::string text = "capture of what a driver submitted to " +
                     (capture.gpu.empty() ? "a GPU that it does not name" : "an " + capture.gpu) + ": " +
                     counted(capture.submits.size(), "submit") + '\n';
  Json submits = Json::array();
  for (std::size_t i = 0; i < capture.submits.size(); ++i) {
    const pm4::Stream& submit = capture.submits[i];
    const std::size_t streams = submit.ring.size() / words_of_call;
    std::size_t bytes_held = 0;
    for (const pm4::Buffer& buffer : submit.memory) bytes_held += 4 * buffer.words.size();
    text += fmt::format("  {:>5}  {}, {}, {}\n", i, counted(streams, "command stream"),
                        counted(submit.memory.size(), "buffer"), counted(bytes_held, "byte"));
    submits.push_back({{"command_streams", streams}, {"buffers", submit.memory.size()}, {"bytes", bytes_held}});
  }
  text += "mobula pm4 shows them; run, time and debug take the file with --stream\n";
  if (options.output.json) return {envelope("info", nullptr, {{"gpu", capture.gpu}, {"submits", submits}}), {}, {}};
  const bool several = options.input.files.size() > 1;
  return {several ? shown(file) + '\n' + text + '\n' : text, {}, {}};
}

FileResult describe(const InfoOptions& options, const std::string& file) {
  const std::vector<std::uint8_t> bytes = read_file(file);
  const bool whole = options.pattern.empty() && options.input.stage.empty() && !options.input.index;
  if (whole && options.input.container.empty() && is_plain_capture(bytes))
    return describe_capture(options, file, bytes);
  std::vector<HeldProgram> all;
  if (whole) {
    all = programs_in(options.input, file, bytes, true);
    print(located(told_otherwise(options.input, file, bytes, all), file));
    const bool firmware = all.size() == 1 && all[0].program && has_ability(all[0].program->machine, Ability::firmware);
    if (!firmware) return list(options, file, bytes, all);
  }
  const Program program = whole ? std::move(*all[0].program) : load_program(options.input, file, bytes);
  if (options.pattern.empty() && !has_ability(program.machine, Ability::firmware)) {
    CodeImage image;
    image.code = program.code;
    return list(options, file, bytes, {{std::move(image), program}});
  }
  expect_within_limit(program);
  FileResult result;
  Json json;
  if (options.pattern.empty()) {
    const Info info = value_or_stop(firmware::info(program), file);
    print(located(told_otherwise(program, info), file));
    result.status = tell_of_no_code(program);
    json = to_json(info);
    result.text = report(info);
  } else {
    const auto places = value_or_stop(firmware::find(program, options.pattern), file, Exit::usage);
    json = {{"pattern", options.pattern}, {"count", places.size()}, {"found", to_json(places)}};
    result.text = firmware::report(places);
    if (places.empty()) result.status = Exit::negative;
  }
  if (options.output.json)
    result.text = envelope("info", &program, std::move(json));
  else if (options.input.files.size() > 1)
    result.text = shown(file) + '\n' + result.text + '\n';
  return result;
}

}  // namespace

Exit info(const InfoOptions& options) {
  return for_each_file(options.input.files, options.output,
                       [&](const std::string& file) { return describe(options, file); });
}

}  // namespace mobula::cli
