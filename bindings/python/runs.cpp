// Runs with arrays in and out, timing, the debugger.
#include "mobula/lab/arrays.h"
#include "mobula/lab/laboratory.h"
#include "module.h"

namespace mobula::python {
namespace {

// ---- arrays in

/// An array in the memory that it has, if its numbers have 32 bits and lie one after the other; else in a copy.
struct HeldArray {
  py::array array;
  ArrayView view;
  bool is_rounded = false;  ///< whole numbers that need more than 32 bits, as floats
};

/// The same whole numbers in 32 bits, or nothing.
std::optional<py::array> narrowed(const py::array& array, const char* type) {
  const py::module_ numpy = py::module_::import("numpy");
  py::array narrow = numpy.attr("ascontiguousarray")(array.attr("astype")(type));
  if (!numpy.attr("all")(narrow.attr("__eq__")(array)).cast<bool>()) return {};
  return narrow;
}

/// Whole numbers of any width, in the order of what they are likely to be. Those that no 32 bits hold may still be for
/// floats, which round them.
void hold_whole_numbers(HeldArray& result, const py::array& array) {
  const bool is_signed = array.dtype().kind() == 'i';
  if (auto narrow = is_signed ? narrowed(array, "int32") : std::nullopt) {
    result.array = *std::move(narrow);
    result.view.kind = NumberKind::i32;
  } else if (auto natural = narrowed(array, "uint32")) {
    result.array = *std::move(natural);
    result.view.kind = NumberKind::u32;
  } else {
    result.array = py::module_::import("numpy").attr("ascontiguousarray")(array, "float32");
    result.view.kind = NumberKind::f32;
    result.is_rounded = true;
  }
}

HeldArray held(const std::string& name, const py::handle& given) {
  const py::module_ numpy = py::module_::import("numpy");
  py::array array = numpy.attr("asarray")(given);
  if (array.ndim() > 2)
    throw py::value_error(name + ": an array has one row for each thread, and at most two dimensions");
  HeldArray result;
  switch (array.dtype().kind()) {
    case 'f':
      result.array = numpy.attr("ascontiguousarray")(array, "float32");
      result.view.kind = NumberKind::f32;
      break;
    case 'i':
    case 'u':
    case 'b':
      hold_whole_numbers(result, array);
      break;
    default:
      throw py::type_error(name + ": has no numbers");
  }
  const auto size = static_cast<std::size_t>(result.array.size());
  result.view.words = {static_cast<const std::uint32_t*>(result.array.data()), size};
  const auto columns =
      result.array.ndim() == 0 ? 1 : static_cast<std::size_t>(result.array.shape(result.array.ndim() - 1));
  result.view.rows = columns == 0 ? 0 : size / columns;
  return result;
}

/// Gives an array to what has that name, by one of the library's functions.
template <class Set>
void give_array(RunInputs& inputs, const Interface& interface, const py::handle& key, const py::handle& given,
                Set set) {
  const auto name = py::str(key).cast<std::string>();
  const HeldArray array = held(name, given);
  const Result<void> done = set(inputs, interface, name, array.view);
  if (!done && array.is_rounded && done.error().front().code == "IN021")
    throw py::value_error(name + ": has numbers that fit neither int32 nor uint32");
  raise_unless(done);
}

/// What Python takes for an index, of numpy as well; True and False are no numbers here.
std::uint32_t thread_count(const py::object& threads, std::uint32_t most) {
  const auto numpy_kind = py::getattr(py::getattr(threads, "dtype", py::none()), "kind", py::none());
  if (PyBool_Check(threads.ptr()) || numpy_kind.equal(py::str("b")) || PyIndex_Check(threads.ptr()) == 0)
    throw py::type_error("threads is a whole number, not " + py::repr(threads).cast<std::string>());
  const auto count = py::reinterpret_steal<py::object>(PyNumber_Index(threads.ptr()));
  if (!count) throw py::error_already_set();
  if (count < py::int_(1) || count > py::int_(most)) throw py::value_error("threads: 1 to " + std::to_string(most));
  return count.cast<std::uint32_t>();
}

/// Firmware is no program of threads, though its words could be executed as one.
void expect_no_firmware(const PyProgram& program, const char* instead) {
  if (has_ability(program.program.machine, Ability::firmware))
    throw py::value_error(program.program.file + " is firmware, which processes command streams: " + instead);
}

/// A picture of bytes or floats, with one to four components in its last dimension.
void give_texture(RunInputs& inputs, const Interface& interface, const std::string& name, const py::handle& given) {
  const py::module_ numpy = py::module_::import("numpy");
  py::array array = numpy.attr("ascontiguousarray")(given);
  const bool is_bytes = array.dtype().kind() == 'u' && array.itemsize() == 1;
  if (!is_bytes) array = numpy.attr("ascontiguousarray")(array, "float32");
  if (array.ndim() != 3 || array.shape(2) < 1 || array.shape(2) > 4)
    throw py::value_error(name + ": a texture has the shape (height, width, 1 to 4)");
  constexpr std::array<std::string_view, 4> letters{"r", "rg", "rgb", "rgba"};
  const std::string format =
      std::string(letters[static_cast<std::size_t>(array.shape(2)) - 1]) + (is_bytes ? "8_unorm" : "32_float");
  const ImageSize size{static_cast<std::uint32_t>(array.shape(1)), static_cast<std::uint32_t>(array.shape(0))};
  raise_unless(set_texture(inputs, interface, name, size, format,
                           {static_cast<const std::uint8_t*>(array.data()), static_cast<std::size_t>(array.nbytes())}));
}

// ---- arrays out

struct PyResult {
  Program program;
  ir::Program lifted;
  RunResult result;
  std::map<std::string, OutputArray> arrays;
};

/// A view of the result's own memory, which keeps the result alive.
py::array view_of(const py::object& owner, NumberKind kind, const std::vector<std::size_t>& shape, const void* data) {
  return {py::dtype(std::string(name(kind))), shape, data, owner};
}

py::dict arrays_of(const py::object& self) {
  const auto& result = self.cast<const PyResult&>();
  py::dict all;
  for (const auto& [name, array] : result.arrays)
    all[py::str(name)] = view_of(self, array.kind, array.shape, array.words.data());
  return all;
}

py::object image_of(const py::object& self) {
  const auto& image = self.cast<const PyResult&>().result.image;
  if (!image) return py::none();
  return view_of(self, NumberKind::f32, {image->size.height, image->size.width, 4}, image->colours.data());
}

const ImageResult& image_or_raise(const PyResult& result) {
  if (!result.result.image) throw py::value_error("the run made no image: give image=(width, height)");
  return *result.result.image;
}

py::array rgba8_of(const PyResult& result) {
  const ImageResult& image = image_or_raise(result);
  const std::vector<std::uint8_t> bytes = to_rgba8(image, ColourFormat::f32);
  return py::array_t<std::uint8_t>(std::vector<std::size_t>{image.size.height, image.size.width, 4}, bytes.data());
}

py::bytes png_of(const PyResult& result) {
  const auto file = value_or_raise(to_png(image_or_raise(result), ColourFormat::f32));
  return {reinterpret_cast<const char*>(file.data()), file.size()};
}

std::shared_ptr<PyResult> run(const PyProgram& program, const py::object& inputs, const py::dict& arrays,
                              const py::dict& corners, const py::dict& textures, const py::object& threads,
                              const std::optional<std::pair<std::uint32_t, std::uint32_t>>& image,
                              const py::object& folder, unsigned os_threads) {
  expect_no_firmware(program, "mobula.run_firmware() runs it");
  auto result = std::make_shared<PyResult>();
  result->program = program.program;
  const RunInputs given = inputs_of(program.program, inputs, arrays, corners, textures, folder, threads);
  result->lifted = program.lifted(given.policies);
  RunOptions options{.os_threads = std::max(os_threads, 1u), .native = NativeChoice::automatic};
  if (image) options.image = {image->first, image->second};
  auto ran = Work::run([&](Work& work) {
    options.stop = [&work] { return work.stop(); };
    return run_program(result->program, result->lifted, given, options);
  });
  result->result = value_or_raise(std::move(ran));
  result->arrays = output_arrays(result->result, program.program.interface);
  return result;
}

// ---- timing

py::dict estimate_of(const ProgramTiming& timing) {
  const Estimate& known = timing.estimate;
  py::dict row;
  row["words"] = known.words;
  row["instructions"] = known.instructions;
  row["quadwords"] = known.quadwords;
  row["loops"] = known.loops;
  row["spills"] = known.spills;
  row["fills"] = known.fills;
  row["work_registers"] = known.work_registers;
  row["uniform_registers"] = known.uniform_registers;
  row["threads"] = known.threads;
  row["most_threads"] = known.most_threads;
  return row;
}

py::object simulation_of(const ProgramTiming& timing) {
  if (!timing.simulation) return py::none();
  const SimulationReport& known = *timing.simulation;
  py::dict row;
  row["cycles"] = known.cycles;
  row["complete"] = known.complete;
  row["threads"] = known.threads;
  row["threads_at_once"] = known.threads_at_once;
  row["resident"] = known.resident;
  row["executing"] = known.executing;
  return row;
}

void add_waiting(py::dict& row, const WaitingCycles& waiting) {
  for (const StallReasonInfo& reason : stall_reasons())
    if (reason.reason != StallReason::none)
      row[py::str(std::string(reason.name))] = waiting[static_cast<std::size_t>(reason.reason)];
}

py::list words_of(const ProgramTiming& timing) {
  py::list rows;
  if (!timing.simulation) return rows;
  for (const SimulationReport::WordUse& word : timing.simulation->words) {
    py::dict row;
    row["byte_offset"] = word.address;
    row["text"] = word.text;
    row["executions"] = word.executions;
    row["executing"] = word.executing;
    add_waiting(row, word.waiting);
    rows.append(row);
  }
  return rows;
}

ProgramTiming time(const PyProgram& program, std::uint32_t threads, std::uint64_t max_cycles, const py::object& costs) {
  SimulationRequest request;
  request.threads = threads;
  request.max_cycles = max_cycles;
  if (!costs.is_none()) {
    const std::string text = json_text(costs);
    request.parameters = value_or_raise(read_costs({"costs", text}));
  }
  return value_or_raise(Work::run([&](Work& work) {
    StoppingTimeline timeline(work);
    // A program that no path leads through has no timeline.
    request.timeline = &timeline;
    auto timed = time_program(program.program, request);
    if (timed || timed.error().front().code != "TM003") return timed;
    request.timeline = nullptr;
    return time_program(program.program, request);
  }));
}

// ---- the debugger

/// With the programs that it refers to.
struct PyDebugger {
  Program program;
  ir::Program lifted;
  WordTexts texts;
  std::optional<Debugger> debugger;

  PyDebugger(const PyProgram& from, RunInputs inputs)
      : program(from.program), lifted(from.lifted(inputs.policies)), texts(program) {
    debugger = value_or_raise(Debugger::create(program, lifted, std::move(inputs)));
  }
};

std::string name_of(Debugger::Halt halt) {
  constexpr std::array<std::string_view, 7> names{"stepped", "breakpoint", "watch",     "fault",
                                                  "stopped", "beginning",  "unfinished"};
  return std::string(names[static_cast<std::size_t>(halt)]);
}

std::string go(PyDebugger& self) {
  return name_of(Work::run([&](Work& work) {
    constexpr std::uint64_t words = 1 << 16;
    auto halt = Debugger::Halt::unfinished;
    while (halt == Debugger::Halt::unfinished && !work.stop()) halt = self.debugger->go({}, words);
    return halt;
  }));
}

std::uint64_t place_of(const PyDebugger& self, const py::object& place) {
  return value_or_raise(self.debugger->address_of(py::str(place).cast<std::string>()));
}

std::uint32_t break_at(PyDebugger& self, const py::object& place, const std::string& condition) {
  Debugger::Breakpoint breakpoint{.address = place_of(self, place)};
  breakpoint.condition = condition;
  return value_or_raise(self.debugger->add(std::move(breakpoint)));
}

py::dict values_of(const PyDebugger& self, const std::vector<const ir::Slot*>& slots) {
  py::dict values;
  for (const ir::Slot* slot : slots) {
    const std::vector<std::uint8_t> bytes = self.debugger->read(*slot);
    values[py::str(slot->name)] = py::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  return values;
}

py::object address_of(const PyDebugger& self) {
  const auto address = self.debugger->address(self.debugger->lane());
  return address ? py::cast(*address) : py::none();
}

void define_debugger(py::module_& module) {
  define_class<PyDebugger>(
      module, "Debugger",
      "The first threads of a run, word by word, forward and back. From Program.debug(). What makes "
      "it go on gives why it stopped: 'stepped', 'breakpoint', 'watch', 'fault', 'stopped', "
      "'beginning'.")
      .def(
          "step", [](PyDebugger& self, std::uint64_t words) { return name_of(self.debugger->step(words)); },
          py::arg("words") = 1, "Executes words of the current thread.")
      .def("go", &go, "To a breakpoint, a watched change, a fault or the end.")
      .def(
          "back", [](PyDebugger& self, std::uint64_t words) { return name_of(self.debugger->back(words)); },
          py::arg("words") = 1, "Undoes words of the current thread.")
      .def(
          "go_back", [](PyDebugger& self) { return name_of(self.debugger->go_back()); },
          "Back to the previous stop, or to the start.")
      .def("break_at", &break_at, py::arg("place"), py::arg("condition") = "",
           "Stops before the word at a byte offset, label or ':LINE' of the source. Gives the breakpoint's number.\n\n"
           "Raises Error if there is no such place, or the condition is no expression.")
      .def(
          "watch",
          [](PyDebugger& self, const std::string& slot) {
            return self.debugger->watch(*value_or_raise(self.debugger->slot(slot)));
          },
          py::arg("slot"), "Stops after a change of a slot of the current thread. Gives the breakpoint's number.")
      .def(
          "remove", [](PyDebugger& self, std::uint32_t number) { return self.debugger->remove(number); },
          py::arg("number"), "Removes a breakpoint; False if there is none.")
      .def(
          "evaluate",
          [](const PyDebugger& self, const std::string& expression) {
            return number_of(value_or_raise(self.debugger->evaluate(expression)));
          },
          py::arg("expression"), "The value of an expression such as 'r0.x * 2'.\n\nRaises Error.")
      .def(
          "assign",
          [](PyDebugger& self, const std::string& slot, const std::string& expression) {
            raise_unless(self.debugger->assign(slot, expression));
          },
          py::arg("slot"), py::arg("expression"),
          "Writes a slot of the current thread, or the word of memory at '*0x1000'.\n\nRaises Error.")
      .def_property_readonly("address", &address_of, "Byte offset of the next word; None: the thread has stopped.")
      .def_property_readonly(
          "text",
          [](const PyDebugger& self) {
            const auto address = self.debugger->address(self.debugger->lane());
            return address ? std::string(self.texts.at(*address)) : std::string();
          },
          "The next word on one line.")
      .def_property_readonly(
          "slots", [](const PyDebugger& self) { return values_of(self, self.debugger->slots_in_use()); },
          "Bytes of the slots of the current thread that are not zero.")
      .def_property_readonly(
          "written", [](const PyDebugger& self) { return values_of(self, self.debugger->slots_written()); },
          "Bytes of the slots that the last word wrote.")
      .def_property_readonly(
          "words_executed", [](const PyDebugger& self) { return self.debugger->words_executed(); }, "By all threads.")
      .def_property_readonly(
          "threads", [](const PyDebugger& self) { return self.debugger->threads(); }, "Their number.")
      .def_property(
          "thread", [](const PyDebugger& self) { return self.debugger->lane(); },
          [](PyDebugger& self, std::uint32_t lane) { raise_unless(self.debugger->choose(lane)); },
          "The current thread, from 0.");
}

}  // namespace

py::object number_of(const Value& value) {
  if (value.kind == Value::Kind::real) return py::float_(value.number);
  if (value.kind == Value::Kind::word) return py::float_(value.as_real());
  return py::int_(value.bits);
}

RunInputs inputs_of(const Program& program, const py::object& document, const py::dict& arrays, const py::dict& corners,
                    const py::dict& textures, const py::object& folder, const py::object& threads) {
  RunInputs inputs;
  if (!document.is_none()) {
    const std::string text = json_text(document);
    FileReader files;
    if (!folder.is_none())
      files = [path = file_name(folder)](const std::string& name) {
        return load_bytes(name.starts_with('/') ? name : path + '/' + name);
      };
    inputs = value_or_raise(read_run_inputs({"inputs", text}, program.interface, files));
  }
  for (const auto& [name, given] : arrays) give_array(inputs, program.interface, name, given, set_array);
  for (const auto& [name, given] : corners) give_array(inputs, program.interface, name, given, set_corners);
  for (const auto& [name, given] : textures)
    give_texture(inputs, program.interface, py::str(name).cast<std::string>(), given);
  if (!threads.is_none()) {
    if (is_dispatch(program.interface.stage, inputs))
      throw py::value_error(
          "threads counts vertices or fragments, and this is a compute program: its inputs say with \"groups\" and "
          "\"local_size\" how many threads there are");
    inputs.threads = thread_count(threads, inputs.limits.threads);
  }
  return inputs;
}

void define_runs(py::module_& module, py::class_<PyProgram, std::shared_ptr<PyProgram>>& program) {
  define_class<PyResult, std::shared_ptr<PyResult>>(
      module, "Result", "What a run gave. Arrays are views of its memory, which they keep alive; nothing is copied.")
      .def_property_readonly("arrays", &arrays_of,
                             "Outputs by name: float32, int32 or uint32; varyings and colours (threads, components), "
                             "storage buffers (words,).")
      .def(
          "__getitem__",
          [](const py::object& self, const py::str& name) -> py::object { return arrays_of(self)[name]; },
          "The output of that name.")
      .def("__contains__",
           [](const py::object& self, const py::object& name) { return arrays_of(self).contains(name); })
      .def("__iter__", [](const py::object& self) { return py::iter(arrays_of(self)); })
      .def("__len__", [](const py::object& self) { return py::len(arrays_of(self)); })
      .def(
          "keys", [](const py::object& self) { return py::object(arrays_of(self).attr("keys")()); },
          "Names of outputs.")
      .def_property_readonly("image", &image_of, "float32 (height, width, 4), rows from the top; None: no image.")
      .def("rgba8", &rgba8_of, "The image as uint8 (height, width, 4), clamped to 0..1 and rounded.")
      .def("png", &png_of, "The image as the bytes of a PNG file.")
      .def_property_readonly(
          "threads",
          [](const PyResult& self) {
            const RunResult& known = self.result;
            return std::map<std::string, std::uint64_t>{{"started", known.started},
                                                        {"ended", known.ended},
                                                        {"discarded", known.discarded},
                                                        {"faulted", known.faulted}};
          },
          "How many started, ended, were discarded, faulted.")
      .def_property_readonly(
          "memory",
          [](const PyResult& self) {
            std::map<std::uint64_t, py::bytes> regions;
            for (const MemoryRegion& region : self.result.memory)
              regions.emplace(region.address,
                              py::bytes(reinterpret_cast<const char*>(region.bytes.data()), region.bytes.size()));
            return regions;
          },
          "Regions of memory after the run: bytes by address.")
      .def_property_readonly(
          "diagnostics", [](const PyResult& self) { return self.result.diagnostics; },
          "Faults of threads as errors, other remarks as warnings.")
      .def(
          "__repr__",
          [](const PyResult& self) { return "<mobula.Result of " + std::to_string(self.result.started) + " threads>"; })
      .def(
          "json", [](const PyResult& self) { return to_json(self.result, self.program, self.lifted); },
          "All of it but the diagnostics, as JSON text: the member `result` of what `mobula run --json` gives.");
  define_class<ProgramTiming>(module, "Timing", "How long a program takes. str() gives a report.")
      .def("__repr__",
           [](const ProgramTiming& self) {
             return "<mobula.Timing of " + std::to_string(self.estimate.words) + " words>";
           })
      .def_property_readonly("estimate", &estimate_of,
                             "From the code alone: words, instructions, registers, threads ...")
      .def_property_readonly(
          "simulation", &simulation_of,
          "cycles, complete, threads, threads_at_once, resident and executing (thread-cycles); None: "
          "no path leads through the program.")
      .def_property_readonly(
          "words", &words_of,
          "A table: byte_offset, text, executions, executing, and thread-cycles of each reason to wait.")
      .def(
          "json",
          [](const ProgramTiming& self) {
            std::vector<SimulationReport> simulations;
            if (self.simulation) simulations.push_back(*self.simulation);
            return timing_json({&self.estimate, 1}, simulations);
          },
          "As `mobula time --json` gives it.")
      .def("__str__", [](const ProgramTiming& self) { return report(self); });
  define_debugger(module);
  program
      .def(
          "run", &run, py::arg("inputs") = py::none(), py::kw_only(), py::arg("arrays") = py::dict(),
          py::arg("corners") = py::dict(), py::arg("textures") = py::dict(), py::arg("threads") = py::none(),
          py::arg("image") = py::none(), py::arg("folder") = py::none(), py::arg("os_threads") = 1,
          "Runs the program; Ctrl-C ends it.\n\n"
          "inputs: a document as `mobula run --inputs` takes it, as text or dict; files that it names are in "
          "`folder`.\n"
          "arrays: values by the names of the source. Attributes and varyings: (threads, components), or (components,) "
          "for all threads. Uniforms and buffers: any shape.\n"
          "corners: varyings at the corners of an image, (4, components): left-top, right-top, left-bottom, "
          "right-bottom.\n"
          "textures: uint8 or float32 pictures (height, width, 1 to 4) by the names of samplers.\n"
          "image: (width, height): a fragment for each pixel, or the lines of triangles.\n\n"
          "Raises Error where inputs do not fit; faults of threads are among the result's diagnostics.")
      .def("time", &time, py::arg("threads") = 0, py::kw_only(), py::arg("max_cycles") = SimulationRequest{}.max_cycles,
           py::arg("costs") = py::none(),
           "Estimates and simulates; Ctrl-C ends it. `threads`: 0 = twice what the core holds. `costs`: parameters of "
           "the model by name (mobula time --params).\n\nRaises Error.")
      .def(
          "debug",
          [](const PyProgram& self, const py::object& inputs, const py::dict& arrays, const py::dict& corners,
             const py::dict& textures, const py::object& threads, const py::object& folder) {
            expect_no_firmware(self,
                               "mobula.run_firmware() runs it, and the commands `mobula debug` and `mobula dap` step "
                               "through it");
            return std::make_unique<PyDebugger>(
                self, inputs_of(self.program, inputs, arrays, corners, textures, folder, threads));
          },
          py::arg("inputs") = py::none(), py::kw_only(), py::arg("arrays") = py::dict(),
          py::arg("corners") = py::dict(), py::arg("textures") = py::dict(), py::arg("threads") = py::none(),
          py::arg("folder") = py::none(),
          "A debugger at the first word of a run with these inputs, as run() takes them.\n\nRaises Error.");
}

}  // namespace mobula::python
