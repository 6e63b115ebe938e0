// The scoreboard: runs, sweeps, its debugger.
#include "mobula/scoreboard/scoreboard.h"

#include <charconv>

#include "mobula/scoreboard/debugger.h"
#include "mobula/scoreboard/sweep.h"
#include "module.h"

namespace mobula::python {
namespace {

namespace sb = scoreboard;

/// The name of a preset, or a configuration as JSON text or dict.
sb::Config config_of(const py::object& core) {
  const std::string text = json_text(core);
  return value_or_raise(text.find('{') == std::string::npos ? sb::find_preset(text) : sb::parse_config("core", text));
}

struct PyRun {
  sb::Config config;
  sb::Workload workload;
  sb::RunResult result;
};

PyRun run_core(const py::object& core, const sb::Workload& workload, std::uint64_t max_clocks) {
  PyRun all{config_of(core), workload, {}};
  all.result = value_or_raise(Work::run([&](Work& work) {
    sb::RunOptions options{.max_clocks = max_clocks};
    options.stop = [&] { return work.stop(); };
    return sb::run(all.config, all.workload, options);
  }));
  return all;
}

/// Clocks of Times are 0 for what never happened.
py::object clock_or_none(std::uint32_t clock) { return clock == 0 ? py::none() : py::cast(clock); }

py::list operations_of(const PyRun& self) {
  py::list rows;
  for (std::size_t i = 0; i < self.result.times.size(); ++i) {
    const sb::Times& times = self.result.times[i];
    py::dict row;
    row["id"] = self.workload.operations[i].id;
    row["text"] = sb::print(self.workload.operations[i]);
    row["unit"] = times.unit;
    row["issue"] = clock_or_none(times.issue);
    row["read"] = clock_or_none(times.read);
    row["start"] = clock_or_none(times.start);
    row["complete"] = clock_or_none(times.complete);
    row["write"] = clock_or_none(times.write);
    row["kill"] = clock_or_none(times.kill);
    rows.append(row);
  }
  return rows;
}

std::map<std::string, std::uint64_t> causes_of(const PyRun& self) {
  std::map<std::string, std::uint64_t> causes;
  for (std::size_t i = 0; i < sb::cause_count; ++i)
    causes.emplace(sb::name(static_cast<sb::Cause>(i)), self.result.causes[i]);
  return causes;
}

std::map<std::string, std::uint64_t> values_of_registers(const std::vector<sb::RegisterValue>& registers) {
  std::map<std::string, std::uint64_t> values;
  for (const sb::RegisterValue& entry : registers) values.emplace(sb::print(entry.which), entry.value);
  return values;
}

/// A number where all of the cell is one; None where it is empty.
py::object cell(const std::string& text) {
  if (text.empty()) return py::none();
  const char* const end = text.data() + text.size();
  std::int64_t whole = 0;
  if (const auto read = std::from_chars(text.data(), end, whole); read.ec == std::errc() && read.ptr == end)
    return py::int_(whole);
  double real = 0;
  if (const auto read = std::from_chars(text.data(), end, real); read.ec == std::errc() && read.ptr == end)
    return py::float_(real);
  return py::str(text);
}

void expect_generated(std::uint32_t operations) {
  if (operations < 1 || operations > sb::most_generated_operations)
    throw py::value_error("operations: 1 to " + std::to_string(sb::most_generated_operations));
}

py::list sweep(const py::object& cores, const std::map<std::string, std::vector<py::object>>& axes,
               const std::vector<sb::Workload>& workloads, const std::vector<std::string>& mixes,
               std::uint32_t operations, std::uint32_t seeds, const std::pair<std::uint64_t, std::uint64_t>& shard) {
  expect_generated(operations);
  if (shard.first >= shard.second) throw py::value_error("shard is (index, count), the index from 0");
  sb::SweepOptions options{.workloads = workloads, .operations = operations, .seeds = seeds};
  // Presets refer to texts, which stay as they are while the sweep is made.
  std::vector<std::pair<std::string, std::string>> texts;
  if (py::isinstance<py::dict>(cores)) {
    for (const auto& [label, core] : cores.cast<py::dict>())
      texts.emplace_back(py::str(label), json_text(py::reinterpret_borrow<py::object>(core)));
  } else {
    for (const py::handle core : cores) {
      const auto label = core.cast<std::string>();
      const auto presets = sb::presets();
      const auto found = std::ranges::find(presets, label, &sb::Preset::name);
      if (found == presets.end()) value_or_raise(sb::find_preset(label));
      texts.emplace_back(label, std::string(found->json));
    }
  }
  for (const auto& [label, text] : texts) options.cores.push_back({label, text});
  for (const auto& [path, values] : axes) {
    sb::Axis axis{.path = path, .values = {}};
    for (const py::object& value : values) axis.values.push_back(json_text(value));
    options.axes.push_back(std::move(axis));
  }
  for (const std::string& mix : mixes) options.mixes.push_back(value_or_raise(sb::find_mix(mix)));
  const sb::Sweep points = value_or_raise(sb::Sweep::make(std::move(options)));
  const auto rows = Work::run([&](Work& work) {
    std::vector<std::uint64_t> own;
    for (std::uint64_t point = shard.first; point < points.points(); point += shard.second) own.push_back(point);
    std::vector<std::vector<std::string>> table(own.size());
    for (const std::uint64_t point : points.in_order_of_workloads(own)) {
      if (work.stop()) break;
      table[(point - shard.first) / shard.second] = points.run(point, [&] { return work.stop(); });
    }
    return table;
  });
  const std::vector<std::string> header = points.header();
  py::list table;
  for (const std::vector<std::string>& row : rows) {
    py::dict named;
    for (std::size_t i = 0; i < header.size(); ++i) named[py::str(header[i])] = cell(row[i]);
    table.append(named);
  }
  return table;
}

std::string name_of_halt(sb::Debugger::Halt halt) {
  constexpr std::array<std::string_view, 7> names{"stepped",  "breakpoint", "watch",     "finished",
                                                  "deadlock", "beginning",  "unfinished"};
  return std::string(names[static_cast<std::size_t>(halt)]);
}

std::uint32_t break_at_moment(sb::Debugger& self, const std::string& moment, const std::optional<std::uint32_t>& id) {
  for (const sb::Moment known : sb::moments())
    if (sb::name(known) == moment) {
      const std::uint32_t operation = id ? value_or_raise(self.operation(*id)) : sb::no_operation;
      return value_or_raise(self.add({.place = sb::Happening{known, operation}}));
    }
  throw py::value_error("there is no moment '" + moment + "'; there are issue, read, start, complete, write, kill");
}

void define_core_debugger(py::module_& module) {
  define_class<sb::Debugger>(module, "Debugger",
                             "A workload on a core, clock by clock, forward and back. What makes it go on gives why it "
                             "stopped: 'stepped', 'breakpoint', 'watch', 'finished', 'deadlock', 'beginning'.")
      .def(py::init([](const py::object& core, const sb::Workload& workload) {
             return std::make_unique<sb::Debugger>(value_or_raise(sb::Debugger::create(config_of(core), workload)));
           }),
           py::arg("core"), py::arg("workload"))
      .def(
          "step", [](sb::Debugger& self, std::uint64_t clocks) { return name_of_halt(self.step(clocks)); },
          py::arg("clocks") = 1, "So many clocks, or to a breakpoint, a watched change or the end.")
      .def(
          "go",
          [](sb::Debugger& self) {
            return name_of_halt(Work::run([&](Work& work) {
              auto halt = sb::Debugger::Halt::unfinished;
              while (halt == sb::Debugger::Halt::unfinished && !work.stop()) halt = self.go(1 << 14);
              return halt;
            }));
          },
          "To a breakpoint, a watched change or the end.")
      .def(
          "back", [](sb::Debugger& self, std::uint64_t clocks) { return name_of_halt(self.back(clocks)); },
          py::arg("clocks") = 1, "Takes back so many clocks.")
      .def(
          "go_back", [](sb::Debugger& self) { return name_of_halt(self.go_back()); },
          "Back to a breakpoint, a watched change or the beginning.")
      .def(
          "break_at", &break_at_moment, py::arg("moment"), py::arg("operation") = py::none(),
          "Stops after 'issue', 'read', 'start', 'complete', 'write' or 'kill' of the operation of that id, or of any. "
          "Gives the breakpoint's number.")
      .def("remove", &sb::Debugger::remove, py::arg("number"), "False if there is none.")
      .def(
          "evaluate",
          [](const sb::Debugger& self, const std::string& expression) {
            return number_of(value_or_raise(self.evaluate(expression)));
          },
          py::arg("expression"), "The value of an expression of registers, 'F1 + 1'.\n\nRaises Error.")
      .def_property_readonly("clock", &sb::Debugger::clock, "Clocks that have passed.")
      .def_property_readonly("finished", &sb::Debugger::finished, "Whether all operations are done.")
      .def_property_readonly("waits", &sb::Debugger::waits,
                             "A sentence for each operation in flight, and the next one: what it waits for.")
      .def_property_readonly(
          "registers", [](const sb::Debugger& self) { return values_of_registers(self.registers()); },
          "Values by name.")
      .def_property_readonly(
          "happened",
          [](const sb::Debugger& self) {
            std::vector<std::pair<std::string, std::uint32_t>> list;
            for (const sb::Happening& happening : self.happened())
              list.emplace_back(sb::name(happening.moment), self.workload().operations[happening.operation].id);
            return list;
          },
          "In the last clock: (moment, id of the operation).")
      .def_property_readonly(
          "matrices", [](const sb::Debugger& self) { return sb::matrices(self.config(), self.view()); },
          "The matrices after the last clock, as text.");
}

}  // namespace

void define_scoreboard(py::module_& module) {
  define_class<sb::Workload>(module, "Workload", "A list of operations. str() gives its text.")
      .def(py::init([](const std::string& text, const std::string& file) {
             return value_or_raise(sb::parse_workload(file, text));
           }),
           py::arg("text"), py::arg("file") = "workload",
           "From the text form of docs/scoreboard.md.\n\nRaises Error with all errors of the text.")
      .def_readonly("name", &sb::Workload::name, "What tables call it.")
      .def("__len__", [](const sb::Workload& self) { return self.operations.size(); })
      .def("__str__", [](const sb::Workload& self) { return sb::print(self); })
      .def("__repr__", [](const sb::Workload& self) {
        return "<mobula.scoreboard.Workload " + self.name + ", " + std::to_string(self.operations.size()) +
               " operations>";
      });
  define_class<PyRun>(module, "Run", "What a core did. str() gives a report.")
      .def_property_readonly(
          "clocks", [](const PyRun& self) { return self.result.clocks; }, "Until the last operation was done.")
      .def_property_readonly(
          "ipc", [](const PyRun& self) { return self.result.ipc(); }, "Operations a clock.")
      .def_property_readonly("operations", &operations_of,
                             "A table: id, text, unit, and the clocks of issue, read, start, complete, write and kill, "
                             "None where that did not happen.")
      .def_property_readonly("causes", &causes_of, "Clocks by the reason why the oldest operation was not issued.")
      .def_property_readonly(
          "registers", [](const PyRun& self) { return values_of_registers(sb::results(self.workload, self.result)); },
          "Final values of the registers that the workload touches.")
      .def("__str__", [](const PyRun& self) { return sb::report(self.config, self.workload, self.result); })
      .def("__repr__", [](const PyRun& self) {
        return "<mobula.scoreboard.Run of " + self.workload.name + ", " + std::to_string(self.result.clocks) +
               " clocks>";
      });
  define_core_debugger(module);
  module.def(
      "presets",
      [] {
        std::vector<std::string> names;
        for (const sb::Preset& preset : sb::presets()) names.emplace_back(preset.name);
        return names;
      },
      "Names of the cores that come with mobula.");
  module.def(
      "preset",
      [](const std::string& name) {
        value_or_raise(sb::find_preset(name));
        return std::string(std::ranges::find(sb::presets(), name, &sb::Preset::name)->json);
      },
      py::arg("name"), "A core's configuration as JSON text.\n\nRaises Error if there is none of that name.");
  module.def(
      "generate",
      [](const std::string& mix, std::uint32_t operations, std::uint64_t seed) {
        expect_generated(operations);
        const sb::Mix found = value_or_raise(sb::find_mix(mix));
        return Work::run(
            [&](Work& work) { return sb::generate(found, operations, seed, [&] { return work.stop(); }); });
      },
      py::arg("mix"), py::arg("operations") = 1000, py::arg("seed") = 1,
      "A synthetic workload of the mix 'int' or 'fp'; the same for the same arguments. `operations`: 1 to "
      "10 million.\n\nRaises Error.");
  module.def("run", &run_core, py::arg("core"), py::arg("workload"), py::kw_only(), py::arg("max_clocks") = 100'000'000,
             "Runs a workload; Ctrl-C ends it. `core`: the name of a preset, or a configuration as JSON text or "
             "dict.\n\nRaises Error where they do not fit, and for a deadlock.");
  module.def(
      "sweep", &sweep, py::arg("cores"), py::kw_only(),
      py::arg("axes") = std::map<std::string, std::vector<py::object>>(),
      py::arg("workloads") = std::vector<sb::Workload>(), py::arg("mixes") = std::vector<std::string>(),
      py::arg("operations") = 1000, py::arg("seeds") = 1, py::arg("shard") = std::pair(0, 1),
      "Every combination of cores, values of their configuration, workloads and seeds, as a table: a dict for "
      "each point; Ctrl-C ends it.\n\ncores: names of presets, or a dict of configurations by label.\naxes: values "
      "by path: {'issue.width': [1, 2, 4]}.\nmixes: 'int', 'fp'; each with seeds 1 to `seeds`, of `operations` "
      "operations.\nshard: (index, count), every count-th point from index.\n\nRaises Error.");
}

}  // namespace mobula::python
