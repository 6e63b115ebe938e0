#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/input.h"
#include "cli/output.h"
#include "cli/run_firmware.h"
#include "cli/run_input.h"
#include "cli/run_output.h"
#include "cli/terminal.h"

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
  throw usage_error("--image \"" + text + "\" is no size", "write WIDTHxHEIGHT, such as 256x192");
}

// ---- trace

/// What one thread changed in one word.
struct TraceStep {
  std::uint64_t step = 0;  ///< words executed before it in its batch
  std::uint32_t thread = 0;
  std::uint64_t address = 0;
  std::vector<std::pair<const ir::Slot*, std::vector<std::uint8_t>>> changes;
};

class Tracer {
 public:
  Tracer(const ir::Program& program, std::optional<std::uint32_t> thread) : program_(program), thread_(thread) {
    for (std::uint32_t block = 0; block < program.blocks.size(); ++block) written_.push_back(written_slots(block));
  }

  void watch(Interpreter& interpreter) {
    step_ = 0;
    interpreter.set_observer({{}, [this, &interpreter](std::uint32_t block, std::span<const std::uint32_t> lanes) {
                                for (const std::uint32_t lane : lanes) add(interpreter, block, lane);
                                ++step_;
                              }});
  }
  [[nodiscard]] const std::vector<TraceStep>& steps() const { return steps_; }

 private:
  [[nodiscard]] std::vector<const ir::Slot*> written_slots(std::uint32_t block) const {
    const ir::Effects effects = ir::effects(program_, block);
    std::vector<const ir::Slot*> slots;
    for (const ir::Slot& slot : program_.slots)
      if (std::ranges::any_of(effects.writes, [&](const ir::ByteRange& range) {
            return range.byte < slot.byte + slot.bytes && slot.byte < range.byte + range.bytes;
          }))
        slots.push_back(&slot);
    return slots;
  }

  void add(const Interpreter& interpreter, std::uint32_t block, std::uint32_t lane) {
    const Thread& thread = interpreter.thread(lane);
    if (thread.helper || (thread_ && *thread_ != thread.index)) return;
    TraceStep step{step_, thread.index, program_.blocks[block].address, {}};
    for (const ir::Slot* slot : written_[block]) {
      std::vector<std::uint8_t> bytes(slot->bytes);
      interpreter.read(lane, slot->byte, bytes);
      step.changes.emplace_back(slot, std::move(bytes));
    }
    steps_.push_back(std::move(step));
  }

  const ir::Program& program_;
  std::optional<std::uint32_t> thread_;
  std::vector<std::vector<const ir::Slot*>> written_;  ///< by block
  std::uint64_t step_ = 0;
  std::vector<TraceStep> steps_;
};

RunResult traced_run(const Prepared& prepared, const mobula::RunOptions& options, Tracer& tracer) {
  Run run =
      value_or_stop(Run::prepare(prepared.program, prepared.lifted, prepared.inputs, options), prepared.program.file);
  for (std::uint32_t i = 0; i < run.batches(); ++i) {
    Run::Batch batch = run.start(i);
    tracer.watch(batch.interpreter());
    batch.interpreter().run();
    run.finish(batch);
  }
  return run.result();
}

// ---- fidelity

struct Doubt {
  std::uint64_t address = 0;
  Status status{};
  std::vector<std::string> reasons;
};

/// The executed words whose semantics rest on facts that are not exact.
std::vector<Doubt> doubts(const ir::Program& program, const RunResult& result) {
  std::vector<Doubt> list;
  for (std::uint32_t block = 0; block < program.blocks.size(); ++block) {
    const ir::Block& row = program.blocks[block];
    if (result.executions[block] == 0 || (row.fidelity != Status::inferred && row.fidelity != Status::unknown))
      continue;
    Doubt doubt{row.address, row.fidelity, {}};
    for (const ir::FidelityNote& note : program.notes)
      if (note.block == block) doubt.reasons.push_back(note.text);
    list.push_back(std::move(doubt));
  }
  return list;
}

/// Strict runs find reads of what nothing has written; a result that rests on one is not exact either.
bool reads_undefined(const RunResult& result) {
  return std::ranges::any_of(result.diagnostics, [](const Diagnostic& entry) { return entry.code == "RN012"; });
}

// ---- results

std::string to_text(const std::vector<Doubt>& list) {
  if (list.empty()) return "fidelity: every executed word rests on exact facts\n";
  std::string text = fmt::format("fidelity: {} executed words rest on facts that are not exact\n", list.size());
  for (const Doubt& doubt : list) {
    text += fmt::format("  {:#06x} {}", doubt.address, name(doubt.status));
    for (const std::string& reason : doubt.reasons) text += ": " + reason;
    text += '\n';
  }
  return text;
}

std::string to_text(const Program& program, const std::vector<TraceStep>& steps) {
  const WordTexts words(program);
  std::string text;
  for (const TraceStep& step : steps) {
    text += fmt::format("step {} thread {} {:#06x} {}\n", step.step, step.thread, step.address, words.at(step.address));
    for (const auto& [slot, bytes] : step.changes)
      text += fmt::format("    {} = {}\n", slot->name, slot_text(*slot, bytes));
  }
  return text;
}

Json to_json(const std::vector<Doubt>& list) {
  Json rows = Json::array();
  for (const Doubt& doubt : list)
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
                        row.expected, row.missing ? "was not put out" : fmt::format("is {:.9g}", row.got));
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

}  // namespace

Exit execute(const ExecuteOptions& options) {
  if (is_firmware_run(options)) return run_firmware(options);
  if (options.input.files.size() != 1)
    throw usage_error("one program is run at a time", "only the two images of an a5xx run together");
  const Prepared prepared = prepare(options.input, options.feed);
  mobula::RunOptions run_options;
  run_options.os_threads = options.jobs != 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  if (options.strict) run_options.interpreter = {.engine = Engine::reference, .strict = true};
  if (!options.reference.empty()) return compare(options, prepared, run_options);
  if (!options.image.empty()) run_options.image = parse_size(options.image);
  if (run_options.image && options.output.file == "-" && isatty(STDOUT_FILENO) != 0)
    throw usage_error("the picture would go to the terminal", "give -o FILE.png");

  Tracer tracer(prepared.lifted, options.thread);
  const RunResult result =
      options.trace ? traced_run(prepared, run_options, tracer)
                    : value_or_stop(run_program(prepared.program, prepared.lifted, prepared.inputs, run_options),
                                    prepared.program.file);
  print(located(result.diagnostics, prepared.program.file));
  const std::vector<Doubt> doubtful = doubts(prepared.lifted, result);

  Json json = outputs_json(prepared, result);
  std::string text;
  if (options.output.json) {
    json["diagnostics"] = to_json(result.diagnostics);
    if (options.trace) json["trace"] = to_json(tracer.steps());
    if (options.fidelity) json["fidelity"] = to_json(doubtful);
    text = envelope("run", &prepared.program, std::move(json));
  } else {
    if (options.trace) text += to_text(prepared.program, tracer.steps());
    text += outputs_text(json);
    if (options.fidelity) text += to_text(doubtful);
  }
  if (result.image) {
    write_output(options.output.file,
                 as_text(value_or_stop(to_png(*result.image, ColourFormat::f32), options.output.file)));
    if (options.output.file != "-") write_output("-", text);
  } else {
    write_output(options.output.file, text);
  }
  if (has_errors(result.diagnostics)) return Exit::negative;
  const bool exact = doubtful.empty() && !reads_undefined(result);
  return options.strict && !exact ? Exit::not_exact : Exit::done;
}

}  // namespace mobula::cli
