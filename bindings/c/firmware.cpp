// Firmware of command processors: streams in, packets and events out.
#include "mobula/lab/firmware_report.h"

#include "handles.h"
#include "mobula/isa/pm4_capture.h"

using namespace mobula;
namespace fw = mobula::firmware;

/// A packet or an event, with what it is called.
struct mobula_firmware_run {
  std::vector<Program> images;
  fw::FirmwareRun run;
  bool has_profile = false;
  std::vector<fw::CoreReport> cores;
  std::vector<std::pair<const fw::PacketRun*, std::string>> packets;
  std::vector<std::pair<const fw::Event*, std::string>> events;
};

namespace {

std::string text_of(const mobula_firmware_run& handle, mobula_firmware_view view) {
  const fw::Emulator& emulator = *handle.run.emulator;
  switch (view) {
    case MOBULA_FIRMWARE_REPORT: {
      std::string text;
      for (const fw::CoreReport& core : handle.run.booted) text += fw::report(core);
      for (const fw::Round& round : handle.run.rounds) text += fw::report(emulator, round);
      return text + fw::counter_table(handle.cores);
    }
    case MOBULA_FIRMWARE_COVERAGE:
      return fw::report(fw::coverage_of(emulator, handle.run.rounds));
    case MOBULA_FIRMWARE_PROFILE:
      return fw::report(fw::profile_of(emulator, handle.images, handle.run.rounds));
    case MOBULA_FIRMWARE_COLLAPSED:
      return fw::collapsed(emulator.profile());
  }
  return {};
}

}  // namespace

mobula_status mobula_firmware_new(const mobula_program* const* images, size_t count, mobula_firmware** firmware,
                                  mobula_diagnostics** diagnostics) {
  if (images == nullptr || count == 0) return c::misused(firmware, diagnostics);
  for (size_t i = 0; i < count; ++i)
    if (images[i] == nullptr) return c::misused(firmware, diagnostics);
  return c::making(firmware, diagnostics, [&]() -> Result<std::unique_ptr<mobula_firmware>> {
    auto handle = std::make_unique<mobula_firmware>();
    for (size_t i = 0; i < count; ++i) handle->images.push_back(images[i]->program);
    auto emulator = fw::switch_on(handle->images);
    if (!emulator) return fail(std::move(emulator).error());
    (*emulator)->boot();  // a boot that fails is told by the run
    handle->chip = (*emulator)->chip();
    handle->cores = (*emulator)->cores();
    return handle;
  });
}
void mobula_firmware_free(mobula_firmware* firmware) { delete firmware; }

mobula_status mobula_firmware_add_stream(mobula_firmware* firmware, const char* core, const void* bytes, size_t size,
                                         const char* file, mobula_diagnostics** diagnostics) {
  if (firmware == nullptr || bytes == nullptr) return c::misused(diagnostics);
  return c::guarded(diagnostics, [&]() -> mobula_status {
    const std::string name = file == nullptr ? "stream" : file;
    std::size_t at = 0;
    if (core != nullptr) {
      const auto found = std::ranges::find(firmware->cores, std::string_view(core), &fw::CoreReport::name);
      if (found == firmware->cores.end())
        return c::refuse(fail("AF166", "the firmware has no core " + std::string(core)).diagnostics, diagnostics);
      at = static_cast<std::size_t>(found - firmware->cores.begin());
    }
    auto streams = pm4::read_streams({static_cast<const std::uint8_t*>(bytes), size}, name, firmware->chip);
    if (!streams) return c::refuse(std::move(streams).error(), diagnostics);
    for (pm4::Stream& stream : *streams) firmware->streams.push_back({at, name, std::move(stream)});
    return MOBULA_OK;
  });
}

mobula_status mobula_firmware_add_memory(mobula_firmware* firmware, uint64_t address, const uint32_t* words,
                                         size_t count) {
  if (firmware == nullptr || words == nullptr || address % 4 != 0) return MOBULA_BAD_ARGUMENT;
  return c::guarded(nullptr, [&] {
    firmware->memory.push_back({.address = address, .words = {words, words + count}});
    return MOBULA_OK;
  });
}

mobula_status mobula_run_firmware(const mobula_firmware* firmware, const mobula_firmware_options* options,
                                  mobula_firmware_run** run, mobula_diagnostics** diagnostics) {
  if (firmware == nullptr || c::lack_size(options)) return c::misused(run, diagnostics);
  return c::making(run, diagnostics, [&]() -> Result<std::unique_ptr<mobula_firmware_run>> {
    const mobula_firmware_options chosen = c::read(options);
    fw::RunOptions wanted;
    if (chosen.packet_instructions != 0) wanted.emulator.packet_instructions = chosen.packet_instructions;
    wanted.emulator.control_events = wanted.emulator.read_events = chosen.all_events != 0;
    wanted.emulator.profile = chosen.profile != 0;
    auto rounds = fw::in_rounds(firmware->streams, firmware->cores);
    if (!rounds) return fail(std::move(rounds).error());
    auto handle = std::make_unique<mobula_firmware_run>();
    handle->images = firmware->images;
    handle->has_profile = chosen.profile != 0;
    auto done = fw::run(handle->images, {firmware->memory, *std::move(rounds)}, std::move(wanted));
    if (!done) return fail(std::move(done).error());
    handle->run = *std::move(done);
    const fw::Emulator& emulator = *handle->run.emulator;
    handle->cores = emulator.cores();
    for (const fw::Round& round : handle->run.rounds) {
      for (const fw::PacketRun& each : round.report.packets)
        handle->packets.emplace_back(&each, emulator.packet_name(each.entry));
      for (const fw::Event& each : round.report.events) handle->events.emplace_back(&each, emulator.name_of(each));
    }
    c::hand_out(handle->run.diagnostics, diagnostics);
    return handle;
  });
}
void mobula_firmware_run_free(mobula_firmware_run* run) { delete run; }

mobula_status mobula_firmware_core_at(const mobula_firmware_run* run, size_t index, mobula_firmware_core* core) {
  if (run == nullptr || index >= run->cores.size()) return MOBULA_BAD_ARGUMENT;
  const fw::CoreReport& known = run->cores[index];
  return c::give({.size = 0,
                  .name = c::view(known.name),
                  .halt = c::view(name(known.halt)),
                  .reason = c::view(known.reason),
                  .pc = known.pc,
                  .instructions = known.instructions,
                  .cycle = known.cycle},
                 core);
}

size_t mobula_firmware_packet_count(const mobula_firmware_run* run) { return run == nullptr ? 0 : run->packets.size(); }
mobula_status mobula_firmware_packet(const mobula_firmware_run* run, size_t index, mobula_packet* packet) {
  if (index >= mobula_firmware_packet_count(run)) return MOBULA_BAD_ARGUMENT;
  const auto& [known, called] = run->packets[index];
  return c::give({.size = 0,
                  .core = static_cast<uint32_t>(known->core),
                  .name = c::view(called),
                  .header = known->header,
                  .handler = known->handler,
                  .instructions = known->instructions},
                 packet);
}

size_t mobula_firmware_event_count(const mobula_firmware_run* run) { return run == nullptr ? 0 : run->events.size(); }
mobula_status mobula_firmware_event(const mobula_firmware_run* run, size_t index, mobula_event* event) {
  if (index >= mobula_firmware_event_count(run)) return MOBULA_BAD_ARGUMENT;
  const auto& [known, called] = run->events[index];
  return c::give({.size = 0,
                  .core = known->core,
                  .kind = c::view(name(known->kind)),
                  .name = c::view(called),
                  .address = known->address,
                  .value = known->value},
                 event);
}

mobula_status mobula_firmware_memory(const mobula_firmware_run* run, uint64_t address, uint32_t* value) {
  if (run == nullptr || value == nullptr || address % 4 != 0) return MOBULA_BAD_ARGUMENT;
  return c::guarded(nullptr, [&] {
    *value = run->run.emulator->read_memory(address);
    return MOBULA_OK;
  });
}

mobula_status mobula_firmware_register(const mobula_firmware_run* run, const char* name, uint32_t* value,
                                       mobula_diagnostics** diagnostics) {
  if (run == nullptr || name == nullptr || value == nullptr) return c::misused(diagnostics);
  return c::guarded(diagnostics, [&]() -> mobula_status {
    const auto number = run->run.emulator->register_named(name);
    if (!number) return c::refuse(number.error(), diagnostics);
    *value = run->run.emulator->read_register(*number);
    return MOBULA_OK;
  });
}

mobula_status mobula_firmware_text(const mobula_firmware_run* run, mobula_firmware_view view, mobula_buffer** text,
                                   mobula_diagnostics** diagnostics) {
  if (run == nullptr || view < MOBULA_FIRMWARE_REPORT || view > MOBULA_FIRMWARE_COLLAPSED)
    return c::misused(text, diagnostics);
  const bool needs_profile = view == MOBULA_FIRMWARE_PROFILE || view == MOBULA_FIRMWARE_COLLAPSED;
  if (needs_profile && !run->has_profile) return c::misused(text, diagnostics);
  return c::making(text, diagnostics, [&] { return c::buffer_of(text_of(*run, view)); });
}
