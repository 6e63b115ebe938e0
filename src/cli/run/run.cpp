#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "cli/choices.h"
#include "cli/input/firmware.h"
#include "cli/input/input.h"
#include "cli/run/firmware.h"
#include "cli/run/input.h"
#include "cli/run/output.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/terminal.h"
#include "io/values.h"
#include "mobula/lab/fidelity.h"
#include "mobula/lab/tracer.h"

namespace mobula::cli {
namespace {

ImageSize parse_size(const std::string& text) {
  ImageSize size;
  const char* const end = text.data() + text.size();
  const auto width = std::from_chars(text.data(), end, size.width);
  if (width.ec == std::errc() && width.ptr != end && *width.ptr == 'x') {
    const auto height = std::from_chars(width.ptr + 1, end, size.height);
    if (height.ec == std::errc() && height.ptr == end && size.width != 0 && size.height != 0) return size;
  }
  throw usage_error("--image \"" + text + "\" is not a size", "write WIDTHxHEIGHT, such as 256x192");
}

std::string ending_of(const std::string& file) {
  std::string ending = std::filesystem::path(file).extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return ending;
}

/// By the name that the picture gets, which must not promise what is not written.
PictureFormat format_of_picture(const std::string& file, bool raw) {
  const std::string ending = ending_of(file);
  constexpr std::array<std::string_view, 4> known{".png", ".ppm", ".pfm", ".raw"};
  const bool is_known = std::ranges::find(known, ending) != known.end();
  if (raw && is_known && ending != ".raw")
    throw usage_error("--raw writes numbers alone, and " + file + " is the name of a picture",
                      "leave --raw out, or give a name that ends otherwise, such as .raw");
  if (!raw && !is_known && !ending.empty())
    throw usage_error("pictures are not written as " + ending,
                      "names that end in .png, .ppm, .pfm and .raw say what is written, and PNG is where none does");
  return raw ? PictureFormat::raw : picture_format(ending);
}

bool is_of_bytes(PictureFormat format) { return format == PictureFormat::png || format == PictureFormat::ppm; }

/// Integers would be taken for the bits of tiny numbers.
void expect_colours(const Program& program, PictureFormat format) {
  if (program.interface.stage != Stage::fragment || !is_of_bytes(format)) return;
  const Variable* const shown = io::find_colour_output(program.interface, 0);
  if (shown == nullptr) return;
  using Base = io::GlslType::Base;
  if (const Base base = io::parse_glsl_type(shown->type).base; base == Base::i32 || base == Base::u32)
    throw usage_error("the colour " + shown->name + " consists of integers, of which no picture is made",
                      "-o FILE.raw writes its words; without --image they are shown");
}

/// Without --image the outputs are written, which are a text.
void expect_no_picture(const std::string& file) {
  const std::string ending = ending_of(file);
  if (ending == ".png" || ending == ".ppm" || ending == ".pfm")
    throw usage_error(file + " is the name of a picture, and this run makes none", "--image WIDTHxHEIGHT");
}

Json to_json(const std::vector<ExecutionDoubt>& list) {
  Json rows = Json::array();
  for (const ExecutionDoubt& doubt : list)
    rows.push_back({{"offset", hex(doubt.address)}, {"status", name(doubt.status)}, {"reasons", doubt.reasons}});
  return rows;
}

Json to_json(const std::vector<TraceStep>& steps) {
  Json rows = Json::array();
  for (const TraceStep& step : steps) {
    Json changes = Json::object();
    for (const auto& [slot, bytes] : step.changes) changes[slot->name] = hex(bytes);
    rows.push_back(
        {{"step", step.step}, {"thread", step.thread}, {"offset", hex(step.address)}, {"changes", std::move(changes)}});
  }
  return rows;
}

std::string to_text(const ReferenceReport& report) {
  std::string text;
  for (const Difference& row : report.differences)
    text += fmt::format("case {}: {}[{}] should be {:.9g} and {}\n", row.case_index, row.output, row.component,
                        row.expected, row.missing ? "was not written" : fmt::format("is {:.9g}", row.got));
  return text + fmt::format("{} of {} cases agree, {} values compared within {:g} relative + {:g} absolute\n",
                            report.passed, report.cases, report.values, report.relative, report.absolute);
}

Exit compare(const ExecuteOptions& options, const Prepared& prepared, const mobula::RunOptions& run_options) {
  const std::vector<std::uint8_t> text = read_file(options.reference);
  const ReferenceReport report =
      value_or_stop(check_reference(prepared.program, prepared.lifted, {options.reference, as_text(text)}, run_options),
                    options.reference, Exit::usage);
  print(located(report.diagnostics, prepared.program.file));
  write_output(options.output.file, options.output.json
                                        ? envelope("run", &prepared.program, Json::parse(mobula::to_json(report)))
                                        : to_text(report));
  return report.passed == report.cases && !has_errors(report.diagnostics) ? Exit::done : Exit::negative;
}

/// The engine of that name; the fastest if there is no name.
void choose_engine(const std::string& name, mobula::RunOptions& options) {
  if (!name.empty()) chosen_among(engine_names, "engine", name);
  if (name == "native" && !has_native())
    throw usage_error("--engine native needs the library mobula-jit, which is not installed",
                      "leave it out: the vector engine gives the same results; docs/building.md says how to build it");
  if (name.empty()) options.native = NativeChoice::automatic;
  if (name == "native") options.native = NativeChoice::always;
  if (name == "reference") options.interpreter.engine = Engine::reference;
}

/// Where the user's programs keep what they can make again; empty if there is no such place.
std::string code_folder() {
  const auto variable = [](const char* name) -> std::string {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
  };
  // As its specification says, a relative path is as if there were none.
  if (const std::string cache = variable("XDG_CACHE_HOME"); cache.starts_with('/')) return cache + "/mobula";
  const std::string home = variable("HOME");
  return home.empty() ? "" : home + "/.cache/mobula";
}

std::string_view engine_used(const mobula::RunOptions& options, const RunResult& result) {
  if (result.native.is_used) return "native";
  return options.interpreter.engine == Engine::reference ? "reference" : "vector";
}

Json stats_json(const mobula::RunOptions& options, const RunResult& result) {
  const NativeUse& native = result.native;
  Json json{{"engine", engine_used(options, result)}, {"native_break_even", native.break_even}};
  if (native.is_used) {
    json["preparing_seconds"] = native.preparing_seconds;
  } else if (!native.reason.empty()) {
    json["native_refused"] = native.reason;
  }
  return json;
}

std::string stats_text(const mobula::RunOptions& options, const RunResult& result) {
  const NativeUse& native = result.native;
  std::string text = fmt::format("engine: {}\n", engine_used(options, result));
  if (native.is_used) {
    text += fmt::format("host code: ready after {:.1f} ms\n", native.preparing_seconds * 1000);
  } else if (!native.reason.empty()) {
    text += fmt::format("no host code: {}\n", native.reason);
  }
  return text + fmt::format("host code pays off from {} pixels\n", native.break_even);
}

TracedRun executed(const Prepared& prepared, const ExecuteOptions& options, const mobula::RunOptions& run_options) {
  const auto& [program, lifted, inputs] = prepared;
  if (options.trace)
    return value_or_stop(trace_program(program, lifted, inputs, run_options, options.thread), program.file,
                         Exit::usage);
  return {value_or_stop(run_program(program, lifted, inputs, run_options), program.file, Exit::usage), {}};
}

}  // namespace

Exit execute(const ExecuteOptions& options) {
  const std::string& file = options.input.files.front();
  const std::vector<std::uint8_t> bytes = read_file(file);
  if (is_firmware(options.input, file, bytes)) return run_firmware(options);
  if (options.input.files.size() != 1)
    throw usage_error("one program is run at a time", "only the two images of an a5xx run together");
  if (options.feed.threads == 0u)
    throw usage_error("--threads 0 leaves nothing to run", "give 1 or more, or leave it out");
  mobula::RunOptions run_options;
  run_options.os_threads = options.jobs != 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  if (options.engine == "native" && options.image.empty()) throw nothing_to_act_on("--engine native", "--image");
  choose_engine(options.engine, run_options);
  if (!options.no_cache) run_options.code_folder = code_folder();
  if (options.strict) run_options.interpreter = {.engine = Engine::reference, .strict = true};
  const bool compares = !options.reference.empty();
  if (!options.image.empty() && !compares) run_options.image = parse_size(options.image);
  const PictureFormat picture =
      run_options.image ? format_of_picture(options.output.file, options.raw) : PictureFormat::png;
  const Prepared prepared = prepare(options.input, options.feed, file, bytes);
  if (compares) return compare(options, prepared, run_options);
  if (run_options.image)
    expect_colours(prepared.program, picture);
  else
    expect_no_picture(options.output.file);
  if (is_of_bytes(picture)) run_options.kept_colours = PictureColours::bytes;
  if (run_options.image && options.output.file == "-") {
    if (options.trace || options.fidelity || options.output.json || options.stats)
      throw usage_error("standard output takes the picture",
                        "give -o FILE.png, or leave out what else was to be shown");
    if (isatty(STDOUT_FILENO) != 0) throw usage_error("the picture would go to the terminal", "give -o FILE.png");
  }

  constexpr std::uint32_t most_rows = 1 << 18;
  if (!run_options.image && prepared.inputs.threads > most_rows)
    throw usage_error(
        fmt::format("the outputs of {} threads would be shown; at most {} are", prepared.inputs.threads, most_rows),
        "--image has a thread for each pixel; or run fewer at a time");
  run_options.progress = [started = false](std::uint32_t done, std::uint32_t total) mutable {
    if (!std::exchange(started, true)) expect_progress(total, "groups of threads");
    set_progress(done);
  };
  const auto [result, steps] = executed(prepared, options, run_options);
  if (options.thread && steps.empty())
    throw usage_error(fmt::format("there is no thread {}", *options.thread),
                      fmt::format("the run has {}, counted from 0", result.started));
  Diagnostics diagnostics = result.diagnostics;
  const std::vector<ExecutionDoubt> doubtful = execution_doubts(prepared.lifted, result);
  const bool exact = is_exact(prepared.lifted, result);
  if (options.strict && !doubtful.empty())
    diagnostics.push_back(not_exact(doubtful.size(), doubtful.front().reasons, doubtful.front().address));
  const Exit status = has_errors(result.diagnostics) ? Exit::negative
                      : options.strict && !exact     ? Exit::not_exact
                                                     : Exit::done;
  if (result.image && status != Exit::done)
    diagnostics.push_back({Severity::note, "RN022", {}, "the picture is not written, since the run failed", ""});
  print(located(diagnostics, prepared.program.file));

  Json json = outputs_json(prepared, result);
  std::string text;
  if (options.output.json) {
    json["diagnostics"] = to_json(diagnostics);
    if (options.trace) json["trace"] = to_json(steps);
    if (options.fidelity) json["fidelity"] = to_json(doubtful);
    if (options.stats) json["stats"] = stats_json(run_options, result);
    text = envelope("run", &prepared.program, std::move(json));
  } else {
    if (options.trace) text += report(prepared.program, steps);
    text += outputs_text(json);
    if (options.fidelity) text += report(doubtful);
    if (options.stats) text += stats_text(run_options, result);
  }
  if (result.image && status == Exit::done) {
    Output written(options.output.file);
    value_or_stop(write_picture(*result.image, ColourFormat::f32, picture, run_options.os_threads,
                                [&](std::span<const std::uint8_t> piece) { written.write(as_text(piece)); }),
                  options.output.file);
    written.commit();
  }
  // Where the picture goes, nothing else does.
  if (!result.image)
    write_output(options.output.file, text);
  else if (options.output.file != "-")
    write_output("-", text);
  return status;
}

}  // namespace mobula::cli
