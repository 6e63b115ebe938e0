// Firmware of command processors: streams in; packets, events, registers and memory out.
#include "mobula/isa/pm4_capture.h"
#include "mobula/lab/firmware_report.h"
#include "module.h"

namespace mobula::python {
namespace {

namespace fw = firmware;

/// What processed streams, as it was left.
struct PyFirmwareRun {
  std::vector<Program> images;
  fw::FirmwareRun run;

  [[nodiscard]] const fw::Emulator& emulator() const { return *run.emulator; }
};

std::vector<std::uint8_t> bytes_of(const py::handle& given) {
  if (py::isinstance<py::str>(given)) {
    const auto text = given.cast<std::string>();
    return {text.begin(), text.end()};
  }
  if (py::isinstance<py::bytes>(given)) {
    const auto bytes = given.cast<std::string>();
    return {bytes.begin(), bytes.end()};
  }
  throw py::type_error("a stream or memory is str (text) or bytes (words, or a capture)");
}

std::size_t core_named(const std::string& name, const std::vector<fw::CoreReport>& cores) {
  const auto found = std::ranges::find(cores, name, &fw::CoreReport::name);
  if (found != cores.end()) return static_cast<std::size_t>(found - cores.begin());
  std::string names;
  for (const fw::CoreReport& core : cores) names += (names.empty() ? "" : ", ") + core.name;
  throw py::value_error("the firmware has no core " + name + "; it has " + names);
}

/// A stream, a list of them, or a dict of either by core.
std::vector<fw::StreamInput> streams_of(const py::object& given, const std::vector<fw::CoreReport>& cores,
                                        std::string_view chip) {
  std::vector<fw::StreamInput> inputs;
  const auto add = [&](std::size_t core, const py::handle& stream) {
    for (pm4::Stream& each : value_or_raise(pm4::read_streams(bytes_of(stream), "stream", chip)))
      inputs.push_back({core, "stream " + std::to_string(inputs.size()), std::move(each)});
  };
  const auto add_all = [&](std::size_t core, const py::handle& streams) {
    if (!py::isinstance<py::list>(streams) && !py::isinstance<py::tuple>(streams)) return add(core, streams);
    for (const py::handle each : streams) add(core, each);
  };
  if (given.is_none()) return inputs;
  if (!py::isinstance<py::dict>(given)) {
    add_all(0, given);
    return inputs;
  }
  for (const auto& [core, streams] : given.cast<py::dict>()) add_all(core_named(py::str(core), cores), streams);
  return inputs;
}

std::vector<pm4::Buffer> memory_of(const std::map<std::uint64_t, py::object>& given, std::string_view chip) {
  std::vector<pm4::Buffer> memory;
  for (const auto& [address, content] : given) {
    if (address % 4 != 0) throw py::value_error("addresses of memory are multiples of 4");
    const auto streams = value_or_raise(pm4::read_streams(bytes_of(content), "memory", chip));
    memory.push_back({.address = address, .words = streams.front().ring});
  }
  return memory;
}

std::shared_ptr<PyFirmwareRun> run_firmware(const std::vector<std::shared_ptr<PyProgram>>& images,
                                            const py::object& streams,
                                            const std::map<std::uint64_t, py::object>& memory, bool all_events,
                                            bool profile, std::uint64_t step_limit) {
  auto done = std::make_shared<PyFirmwareRun>();
  for (const std::shared_ptr<PyProgram>& image : images) done->images.push_back(image->program);
  if (done->images.empty()) throw py::value_error("there is no firmware");
  const auto booted = value_or_raise(fw::switch_on(done->images));
  booted->boot();  // a boot that fails is told by the run
  fw::Feed feed;
  feed.memory = memory_of(memory, booted->chip());
  feed.rounds = value_or_raise(fw::in_rounds(streams_of(streams, booted->cores(), booted->chip()), booted->cores()));
  done->run = value_or_raise(Work::run([&](Work& work) {
    fw::RunOptions wanted;
    wanted.emulator.packet_instructions = step_limit;
    wanted.emulator.control_events = wanted.emulator.read_events = all_events;
    wanted.emulator.profile = profile;
    wanted.emulator.on_instruction = [&, count = std::uint64_t{0}](const fw::Executed&) mutable {
      if (++count % 4096 == 0) work.throw_if_stopped();
    };
    return fw::run(done->images, feed, std::move(wanted));
  }));
  return done;
}

py::list cores_of(const PyFirmwareRun& self) {
  py::list rows;
  for (const fw::CoreReport& core : self.emulator().cores()) {
    py::dict row;
    row["name"] = core.name;
    row["halt"] = std::string(name(core.halt));
    row["reason"] = core.reason;
    row["pc"] = core.pc;
    row["instructions"] = core.instructions;
    row["cycle"] = core.cycle;
    rows.append(row);
  }
  return rows;
}

py::list packets_of(const PyFirmwareRun& self) {
  py::list rows;
  for (const fw::Round& round : self.run.rounds)
    for (const fw::PacketRun& packet : round.report.packets) {
      py::dict row;
      row["core"] = round.cores[packet.core].name;
      row["name"] = self.emulator().packet_name(packet.entry);
      row["header"] = packet.header;
      row["level"] = packet.level;
      row["handler"] = packet.handler;
      row["instructions"] = packet.instructions;
      rows.append(row);
    }
  return rows;
}

py::list events_of(const PyFirmwareRun& self) {
  py::list rows;
  for (const fw::Round& round : self.run.rounds)
    for (const fw::Event& event : round.report.events) {
      py::dict row;
      row["core"] = round.cores[event.core].name;
      row["kind"] = std::string(name(event.kind));
      row["name"] = self.emulator().name_of(event);
      row["address"] = event.address;
      row["value"] = event.value;
      rows.append(row);
    }
  return rows;
}

std::map<std::string, std::uint32_t> registers_of(const PyFirmwareRun& self, const std::string& core) {
  const std::vector<fw::CoreReport> cores = self.emulator().cores();
  const std::vector<std::uint32_t> values = self.emulator().registers(core.empty() ? 0 : core_named(core, cores));
  std::map<std::string, std::uint32_t> named;
  for (std::size_t i = 0; i < values.size(); ++i) named.emplace(self.emulator().register_names()[i], values[i]);
  return named;
}

std::string report_of(const PyFirmwareRun& self) {
  std::string text;
  for (const fw::CoreReport& core : self.run.booted) text += fw::report(core);
  for (const fw::Round& round : self.run.rounds) text += fw::report(self.emulator(), round);
  return text + fw::counter_table(self.emulator().cores());
}

}  // namespace

void define_firmware(py::module_& module) {
  define_class<PyFirmwareRun, std::shared_ptr<PyFirmwareRun>>(
      module, "FirmwareRun", "What firmware did with command streams. str() gives a report.")
      .def_property_readonly(
          "chip", [](const PyFirmwareRun& self) { return std::string(self.emulator().chip()); },
          "The GPU it ran as: 'a630'.")
      .def_property_readonly("cores", &cores_of,
                             "A table of the cores as the run has left them: name, halt ('idle': waits for a packet), "
                             "reason, pc, instructions, cycle.")
      .def_property_readonly(
          "packets", &packets_of,
          "A table: core, name, header, level (0: the ring buffer; 1 to 3: indirect buffers), handler, instructions.")
      .def_property_readonly("events", &events_of,
                             "What it did to the world, in order: core, kind ('gpu_write', 'memory_write' ...), name, "
                             "address, value.")
      .def_property_readonly(
          "ok", [](const PyFirmwareRun& self) { return !has_errors(self.run.diagnostics); },
          "Every core waits for a packet, and all words were read.")
      .def_property_readonly(
          "diagnostics", [](const PyFirmwareRun& self) { return self.run.diagnostics; }, "What went wrong, and where.")
      .def("registers", &registers_of, py::arg("core") = "",
           "Registers of a core by name; of the first one without a name.\n\nRaises ValueError if there is no such "
           "core.")
      .def(
          "gpu_register",
          [](const PyFirmwareRun& self, const std::string& name) {
            return self.emulator().read_register(value_or_raise(self.emulator().register_named(name)));
          },
          py::arg("name"), "A register of the GPU, 'CP_SCRATCH[2]'.\n\nRaises Error if there is none.")
      .def(
          "memory",
          [](const PyFirmwareRun& self, std::uint64_t address) { return self.emulator().read_memory(address); },
          py::arg("address"), "The dword at an address.")
      .def(
          "profile",
          [](const PyFirmwareRun& self) {
            return fw::report(fw::profile_of(self.emulator(), self.images, self.run.rounds));
          },
          "Where instructions and traffic went, as text; of a run with profile=True.")
      .def(
          "collapsed", [](const PyFirmwareRun& self) { return fw::collapsed(self.emulator().profile()); },
          "The same as lines for flame graphs.")
      .def(
          "coverage",
          [](const PyFirmwareRun& self) { return fw::report(fw::coverage_of(self.emulator(), self.run.rounds)); },
          "Which words and packets were executed, as text.")
      .def("__str__", &report_of);
  module.def(
      "run_firmware",
      [](const std::vector<std::shared_ptr<PyProgram>>& images, const py::object& streams,
         const std::map<std::uint64_t, py::object>& memory, bool all_events, bool profile,
         std::uint64_t step_limit) { return run_firmware(images, streams, memory, all_events, profile, step_limit); },
      py::arg("images"), py::arg("streams") = py::none(), py::kw_only(),
      py::arg("memory") = std::map<std::uint64_t, py::object>(), py::arg("all_events") = false,
      py::arg("profile") = false, py::arg("step_limit") = fw::EmulatorOptions{}.packet_instructions,
      "Boots the firmware that these programs make up, and processes command streams; Ctrl-C ends it.\n\n"
      "streams: PM4 as text (str), or as words or a capture (bytes); a list of them, one after the other; or a dict of "
      "either by core, whose streams run at the same time. None: only boots.\n"
      "memory: words in memory by address, in the same forms.\n"
      "all_events: keep reads and control registers among the events, too.\n"
      "step_limit: instructions that a core may execute without waiting for a packet.\n\n"
      "Raises Error where something is not what it should be; what goes wrong in the run is among its diagnostics.");
}

}  // namespace mobula::python
