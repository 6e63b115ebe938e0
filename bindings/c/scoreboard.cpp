// The scoreboard core: presets, workloads, runs.
#include "handles.h"

using namespace mobula;
namespace sb = mobula::scoreboard;

struct mobula_scoreboard_run {
  sb::Config config;
  sb::Workload workload;
  sb::RunResult result;
  std::vector<std::pair<std::string, std::uint64_t>> registers;
};

namespace {

mobula_status give_count(std::string_view name, std::uint64_t count, mobula_named_count* out) {
  return c::give({.size = 0, .name = c::view(name), .count = count}, out);
}

}  // namespace

size_t mobula_preset_count() { return sb::presets().size(); }
mobula_status mobula_preset_at(size_t index, mobula_preset* preset) {
  if (index >= sb::presets().size()) return MOBULA_BAD_ARGUMENT;
  const sb::Preset& known = sb::presets()[index];
  return c::give({.size = 0, .name = known.name.data(), .json = c::view(known.json)}, preset);
}

mobula_status mobula_core_new(const char* text, size_t size, mobula_core** core, mobula_diagnostics** diagnostics) {
  if (text == nullptr) return c::misused(core, diagnostics);
  return c::making(core, diagnostics, [&]() -> Result<std::unique_ptr<mobula_core>> {
    const std::string_view given(text, size);
    auto config = given.find('{') == given.npos ? sb::find_preset(given) : sb::parse_config("core", given);
    if (!config) return fail(std::move(config).error());
    return std::make_unique<mobula_core>(mobula_core{*std::move(config)});
  });
}
void mobula_core_free(mobula_core* core) { delete core; }

mobula_status mobula_workload_read(const void* bytes, size_t size, const char* file, mobula_workload** workload,
                                   mobula_diagnostics** diagnostics) {
  if (bytes == nullptr) return c::misused(workload, diagnostics);
  return c::making(workload, diagnostics, [&]() -> Result<std::unique_ptr<mobula_workload>> {
    const std::string_view name = file == nullptr ? "workload" : file;
    const std::span given(static_cast<const std::uint8_t*>(bytes), size);
    auto read = sb::is_binary_workload(given) ? sb::read_workload(name, given)
                                              : sb::parse_workload(name, {static_cast<const char*>(bytes), size});
    if (!read) return fail(std::move(read).error());
    return std::make_unique<mobula_workload>(mobula_workload{*std::move(read)});
  });
}

mobula_status mobula_workload_generate(const char* mix, uint32_t operations, uint64_t seed, mobula_workload** workload,
                                       mobula_diagnostics** diagnostics) {
  if (mix == nullptr || operations == 0 || operations > sb::most_generated_operations)
    return c::misused(workload, diagnostics);
  return c::making(workload, diagnostics, [&]() -> Result<std::unique_ptr<mobula_workload>> {
    const auto found = sb::find_mix(mix);
    if (!found) return fail(found.error());
    return std::make_unique<mobula_workload>(mobula_workload{sb::generate(*found, operations, seed)});
  });
}

size_t mobula_workload_count(const mobula_workload* workload) {
  return workload == nullptr ? 0 : workload->workload.operations.size();
}
mobula_status mobula_workload_text(const mobula_workload* workload, mobula_buffer** text,
                                   mobula_diagnostics** diagnostics) {
  if (workload == nullptr) return c::misused(text, diagnostics);
  return c::making(text, diagnostics, [&] { return c::buffer_of(sb::print(workload->workload)); });
}
void mobula_workload_free(mobula_workload* workload) { delete workload; }

mobula_status mobula_run_scoreboard(const mobula_core* core, const mobula_workload* workload,
                                    const mobula_scoreboard_options* options, mobula_scoreboard_run** run,
                                    mobula_diagnostics** diagnostics) {
  if (core == nullptr || workload == nullptr || c::lack_size(options)) return c::misused(run, diagnostics);
  const mobula_scoreboard_options chosen = c::read(options);
  bool stopped = false;
  const mobula_status status = c::making(run, diagnostics, [&]() -> Result<std::unique_ptr<mobula_scoreboard_run>> {
    sb::RunOptions wanted;
    if (chosen.max_clocks != 0) wanted.max_clocks = chosen.max_clocks;
    if (chosen.stop != nullptr) wanted.stop = [&] { return stopped = chosen.stop(chosen.user) != 0; };
    auto handle =
        std::make_unique<mobula_scoreboard_run>(mobula_scoreboard_run{core->config, workload->workload, {}, {}});
    auto result = sb::run(handle->config, handle->workload, wanted);
    if (!result) return fail(std::move(result).error());
    handle->result = *std::move(result);
    for (const sb::RegisterValue& each : sb::results(handle->workload, handle->result))
      handle->registers.emplace_back(sb::print(each.which), each.value);
    return handle;
  });
  return stopped && status == MOBULA_ERROR ? MOBULA_STOPPED : status;
}
void mobula_scoreboard_run_free(mobula_scoreboard_run* run) { delete run; }

mobula_status mobula_scoreboard_clocks(const mobula_scoreboard_run* run, mobula_clocks* clocks) {
  if (run == nullptr) return MOBULA_BAD_ARGUMENT;
  const sb::RunResult& known = run->result;
  return c::give({.size = 0,
                  .clocks = known.clocks,
                  .executed = known.executed,
                  .killed = known.killed,
                  .skipped = known.skipped,
                  .ipc = known.ipc()},
                 clocks);
}

mobula_status mobula_scoreboard_operation(const mobula_scoreboard_run* run, size_t index, mobula_operation* operation) {
  if (run == nullptr || index >= run->result.times.size()) return MOBULA_BAD_ARGUMENT;
  const sb::Times& times = run->result.times[index];
  return c::give({.size = 0,
                  .id = run->workload.operations[index].id,
                  .unit = times.unit,
                  .issue = times.issue,
                  .read = times.read,
                  .start = times.start,
                  .complete = times.complete,
                  .write = times.write,
                  .kill = times.kill},
                 operation);
}

mobula_status mobula_scoreboard_cause(const mobula_scoreboard_run* run, size_t index, mobula_named_count* cause) {
  if (run == nullptr || index >= sb::cause_count) return MOBULA_BAD_ARGUMENT;
  return give_count(sb::name(static_cast<sb::Cause>(index)), run->result.causes[index], cause);
}

mobula_status mobula_scoreboard_register(const mobula_scoreboard_run* run, size_t index, mobula_named_count* value) {
  if (run == nullptr || index >= run->registers.size()) return MOBULA_BAD_ARGUMENT;
  return give_count(run->registers[index].first, run->registers[index].second, value);
}

mobula_status mobula_scoreboard_report(const mobula_scoreboard_run* run, mobula_buffer** text,
                                       mobula_diagnostics** diagnostics) {
  if (run == nullptr) return c::misused(text, diagnostics);
  return c::making(text, diagnostics,
                   [&] { return c::buffer_of(sb::report(run->config, run->workload, run->result)); });
}
