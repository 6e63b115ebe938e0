// The module, programs and listings.
#include <array>
#include <charconv>
#include <map>
#include <sstream>

#include "mobula/isa/explain.h"
#include "mobula/isa/tokens.h"
#include "module.h"
#ifdef MOBULA_COMPILE
#include "mobula/compile/shader.h"
#endif

namespace mobula::python {
namespace {

/// Set when the module is loaded; the interpreter owns it.
PyObject* error_type = nullptr;

/// Pieces of a listing, with the text itself so that they can show theirs.
struct PyToken {
  std::string kind, text;
  std::uint32_t begin = 0, end = 0;
};
struct PyWord {
  std::uint64_t byte_offset = 0;
  std::uint32_t byte_length = 0;
  std::string text;
};
struct PyListing {
  std::string text;
  std::vector<PyWord> words;
  std::vector<PyToken> tokens;
  std::vector<Jump> jumps;
};

std::shared_ptr<PyProgram> handle_of(Result<Program> program) {
  return std::make_shared<PyProgram>(PyProgram{value_or_raise(std::move(program))});
}

std::string text_or_empty(const std::optional<std::string>& text) { return text.value_or(std::string()); }

/// Of bytes, or of anything that has some: a bytearray, a memoryview, an array of numpy.
std::string bytes_of(const py::object& data) {
  if (PyObject_CheckBuffer(data.ptr()) == 0)
    throw py::type_error("data: bytes, or what has a buffer, not " + py::str(py::type::of(data)).cast<std::string>());
  PyObject* bytes = PyBytes_FromObject(data.ptr());
  if (bytes == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::bytes>(bytes);
}

std::shared_ptr<PyProgram> load_bytes_of(const py::object& data, const std::optional<std::string>& machine,
                                         const std::string& file, const py::object& side) {
  const std::string view = bytes_of(data);
  LoadOptions options{.machine = text_or_empty(machine)};
  if (!side.is_none()) {
    const std::string text = json_text(side);
    options.side = value_or_raise(read_side_file({"side file", text}));
  }
  return handle_of(
      load_program({reinterpret_cast<const std::uint8_t*>(view.data()), view.size()}, file, std::move(options)));
}

std::shared_ptr<PyProgram> assembled(std::string_view text, const std::optional<std::string>& machine,
                                     const std::string& file) {
  return handle_of(load_program({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, file,
                                {.machine = text_or_empty(machine), .format = ContainerFormat::text}));
}

// What pickle keeps: of a program all but its lifted form, which is made again.
using DiagnosticState =
    std::tuple<int, std::string, std::string, std::uint32_t, std::uint32_t, std::uint32_t, std::string,
               std::optional<std::uint64_t>, std::uint32_t, std::uint32_t, std::string, std::string>;
DiagnosticState state_of(const Diagnostic& known) {
  const Location& where = known.where;
  return {static_cast<int>(known.severity),
          known.code,
          where.file,
          where.line,
          where.column,
          where.length,
          where.source_line,
          where.byte_offset,
          where.bit_low,
          where.bit_width,
          known.message,
          known.hint};
}
Diagnostic diagnostic_of(const DiagnosticState& state) {
  const auto& [severity, code, file, line, column, length, source_line, byte_offset, bit_low, bit_width, message,
               hint] = state;
  return {static_cast<Severity>(severity),
          code,
          {file, line, column, length, source_line, byte_offset, bit_low, bit_width},
          message,
          hint};
}

using ProgramState =
    std::tuple<std::string, std::string, std::string, py::bytes, std::uint64_t,
               std::vector<std::pair<std::string, std::uint64_t>>, std::vector<std::pair<std::uint64_t, std::uint32_t>>,
               std::string, std::vector<DiagnosticState>>;
ProgramState state_of(const PyProgram& self) {
  const Program& known = self.program;
  ProgramState state(known.file, known.machine, known.variant,
                     py::bytes(reinterpret_cast<const char*>(known.code.data()), known.code.size()), known.entry, {},
                     {}, write_side_file(known), {});
  for (const Label& label : known.labels) std::get<5>(state).emplace_back(label.name, label.byte_offset);
  for (const SourceLine& line : known.lines) std::get<6>(state).emplace_back(line.byte_offset, line.line);
  for (const Diagnostic& remark : known.remarks) std::get<8>(state).push_back(state_of(remark));
  return state;
}
std::shared_ptr<PyProgram> program_of(const ProgramState& state) {
  const auto& [file, machine, variant, bytes, entry, labels, lines, side, remarks] = state;
  const std::string_view code = bytes;
  auto result = std::make_shared<PyProgram>();
  result->program = {
      .file = file, .machine = machine, .variant = variant, .code = {code.begin(), code.end()}, .entry = entry};
  if (find_machine(machine) == nullptr) throw py::value_error("there is no machine " + machine);
  result->program.interface = value_or_raise(read_side_file({"side file", side})).interface;
  for (const auto& [name, offset] : labels) result->program.labels.push_back({name, offset});
  for (const auto& [offset, line] : lines) result->program.lines.push_back({offset, line});
  for (const DiagnosticState& remark : remarks) result->program.remarks.push_back(diagnostic_of(remark));
  return result;
}

#ifdef MOBULA_COMPILE
std::vector<compile::PixelFormat> formats_of(const py::object& given) {
  if (given.is_none()) return {};
  if (py::isinstance<py::str>(given)) return {{"", given.cast<std::string>()}};
  std::vector<compile::PixelFormat> formats;
  for (auto& [output, format] : given.cast<std::map<std::string, std::string>>()) formats.push_back({output, format});
  return formats;
}

/// Machine code that was found to compute what its source says.
std::shared_ptr<PyProgram> compiled(const py::object& source, const std::string& machine, const std::string& file,
                                    unsigned level, std::uint32_t runs, const py::object& pixel_formats) {
  const auto text = source.cast<std::string>();  // of bytes, too
  if (runs > compile::most_verify_runs)
    throw py::value_error("runs: 0 to " + std::to_string(compile::most_verify_runs) + ", not " + std::to_string(runs));
  const std::vector<compile::PixelFormat> formats = formats_of(pixel_formats);
  return std::make_shared<PyProgram>(PyProgram{value_or_raise(Work::run([&](Work& work) -> Result<Program> {
    const auto shader =
        compile::Shader::read({.file = file,
                               .bytes = {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()},
                               .formats = formats,
                               .machine = machine});
    if (!shader) return fail(shader.error());
    auto code = shader->compile(machine, level);
    if (!code) return fail(std::move(code).error());
    const auto outcome = shader->verify(code->program, {.runs = runs, .stop = [&work] { return work.stop(); }});
    if (!outcome) return fail(outcome.error());
    if (outcome->difference) return fail(compile::to_diagnostic(*outcome->difference));
    code->program.remarks = shader->remarks_on(*outcome);
    return std::move(code->program);
  }))});
}
#else
std::shared_ptr<PyProgram> compiled(const py::object&, const std::string&, const std::string&, unsigned, std::uint32_t,
                                    const py::object&) {
  PyErr_SetString(PyExc_NotImplementedError, "this mobula was built without a compiler of shaders");
  throw py::error_already_set();
}
#endif

PyListing listing_of(const PyProgram& program, const std::optional<std::string>& syntax, bool bytes, bool directive) {
  const std::string name_of_syntax = text_or_empty(syntax);
  const Machine& machine = program.machine();
  Listing listing = value_or_raise(machine.disassemble(
      program.program, {.syntax = name_of_syntax, .bytes = bytes, .words = true, .directive = directive}));
  // What cannot be lifted has no registers and no jumps that are known.
  const ir::Program lifted = machine.lift(program.program, {}).value_or(ir::Program());
  PyListing result;
  for (const Token& token : tokens(machine, listing, lifted))
    result.tokens.push_back({std::string(name(token.kind)), listing.text.substr(token.begin, token.end - token.begin),
                             token.begin, token.end});
  for (const Listing::Word& word : listing.words)
    result.words.push_back(
        {word.byte_offset, word.byte_length, listing.text.substr(word.text_begin, word.text_end - word.text_begin)});
  result.jumps = jumps(lifted);
  result.text = std::move(listing.text);
  return result;
}

py::list effects_of(const PyProgram& program) {
  const Machine& machine = program.machine();
  const ir::Program lifted = program.lifted();
  const Listing listing = value_or_raise(machine.disassemble(program.program, {.words = true}));
  py::list rows;
  for (const WordEffects& word : word_effects(machine, listing, tokens(machine, listing, lifted), lifted))
    for (const SlotEffect& effect : word.effects) {
      py::dict row;
      row["byte_offset"] = word.byte_offset;
      row["slot"] = effect.slot;
      row["writes"] = effect.writes;
      row["first"] = effect.first;
      row["bytes"] = effect.bytes;
      row["slot_bytes"] = effect.slot_bytes;
      row["partial"] = effect.partial();
      row["implicit"] = effect.implicit;
      rows.append(row);
    }
  return rows;
}

template <class T>
py::object or_none(const std::optional<T>& value) {
  return value ? py::cast(*value) : py::none();
}
/// Numbers that diagnostics count from 1 are None where there is none.
py::object or_none(std::uint32_t number) { return number == 0 ? py::none() : py::cast(number); }

/// Python writes NaN and Infinity, which JSON does not know. Documents have "nan", "inf" and "-inf" for them.
std::string with_texts_for_no_numbers(std::string_view json) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> forms{
      {{"NaN", "\"nan\""}, {"Infinity", "\"inf\""}, {"-Infinity", "\"-inf\""}}};
  std::string text;
  bool is_string = false;
  while (!json.empty()) {
    const auto* const form =
        std::ranges::find_if(forms, [&](const auto& each) { return !is_string && json.starts_with(each.first); });
    if (form != forms.end()) {
      text += form->second;
      json.remove_prefix(form->first.size());
      continue;
    }
    if (json.front() == '"') is_string = !is_string;
    const std::size_t size = is_string && json.front() == '\\' ? 2 : 1;  // an escape is no end of a string
    text += json.substr(0, size);
    json.remove_prefix(size);
  }
  return text;
}

void define_diagnostics(py::module_& module) {
  auto diagnostic = define_class<Diagnostic>(module, "Diagnostic",
                                             "What is to be said about an input. str() gives it with place and hint.");
  make_picklable(
      diagnostic, [](const Diagnostic& self) { return state_of(self); }, &diagnostic_of);
  diagnostic
      .def_property_readonly(
          "severity", [](const Diagnostic& self) { return std::string(name(self.severity)); },
          "'error', 'warning' or 'note'.")
      .def_readonly("code", &Diagnostic::code, "Of the rule: 'MD014'.")
      .def_readonly("message", &Diagnostic::message, "What was found, and what is allowed.")
      .def_readonly("hint", &Diagnostic::hint, "How to mend it; may be empty.")
      .def_property_readonly(
          "file", [](const Diagnostic& self) { return self.where.file; }, "The name that its input was given with.")
      .def_property_readonly(
          "line", [](const Diagnostic& self) { return or_none(self.where.line); }, "From 1; None: not in a text.")
      .def_property_readonly(
          "column", [](const Diagnostic& self) { return or_none(self.where.column); }, "In bytes, from 1, or None.")
      .def_property_readonly(
          "byte_offset", [](const Diagnostic& self) { return or_none(self.where.byte_offset); },
          "Of the word in the program, or None.")
      .def_property_readonly(
          "bits",
          [](const Diagnostic& self) -> py::object {
            if (self.where.bit_width == 0) return py::none();
            return py::make_tuple(self.where.bit_low, self.where.bit_width);
          },
          "Lowest bit and width in that word, or None: all of it.")
      .def("__str__", [](const Diagnostic& self) { return render(self); })
      .def("__repr__",
           [](const Diagnostic& self) { return "<mobula.Diagnostic " + self.code + ": " + self.message + '>'; });
}

void define_machines(py::module_& module) {
  define_class<Machine, std::unique_ptr<Machine, py::nodelete>>(module, "Machine", "An instruction set.")
      .def_property_readonly("name", &Machine::name, "'midgard'.")
      .def_property_readonly("summary", &Machine::summary, "What it is, in a line.")
      .def_property_readonly("extension", &Machine::extension, "Of files with its own text: '.mdg'.")
      .def_property_readonly("word_bytes", &Machine::word_bytes, "Whole code is a multiple of this.")
      .def_property_readonly(
          "variants",
          [](const Machine& self) {
            std::vector<std::map<std::string, std::string>> rows;
            for (const Variant& variant : self.variants())
              rows.push_back({{"name", std::string(variant.name)},
                              {"product", std::string(variant.product)},
                              {"summary", std::string(variant.summary)},
                              {"same_as", std::string(variant.same_as)}});
            return rows;
          },
          "A table: name, product, summary, same_as. The first is the default.")
      .def_property_readonly(
          "syntaxes",
          [](const Machine& self) {
            std::vector<std::string> names;
            for (const Syntax& syntax : self.syntaxes()) names.emplace_back(syntax.name);
            return names;
          },
          "Names of its text forms. The first is the default.")
      .def("__repr__", [](const Machine& self) { return "<mobula.Machine " + std::string(self.name()) + '>'; });
  module.def(
      "machines",
      [] {
        py::list list;
        for (const Machine* machine : machines()) list.append(py::cast(machine, py::return_value_policy::reference));
        return list;
      },
      "All machines.");
}

void define_listings(py::module_& module) {
  define_class<PyWord>(module, "Word", "A word of a listing: what the machine executes at once.")
      .def_readonly("byte_offset", &PyWord::byte_offset, "In the code.")
      .def_readonly("byte_length", &PyWord::byte_length, "In the code.")
      .def_readonly("text", &PyWord::text, "Its lines.")
      .def("__repr__", [](const PyWord& self) { return "<mobula.Word at " + hexadecimal(self.byte_offset) + '>'; });
  define_class<PyToken>(module, "Token", "A piece of a listing.")
      .def_readonly("kind", &PyToken::kind,
                    "'comment', 'directive', 'label', 'mnemonic', 'register', 'number', 'name' or 'sign'.")
      .def_readonly("text", &PyToken::text, "Its characters.")
      .def_readonly("begin", &PyToken::begin, "In bytes of the listing's text.")
      .def_readonly("end", &PyToken::end, "The byte after its last.")
      .def("__repr__", [](const PyToken& self) { return "<mobula.Token " + self.kind + " '" + self.text + "'>"; });
  define_class<Jump>(module, "Jump", "Where control may go after a word, other than to the next one.")
      .def_readonly("source", &Jump::from, "Byte offset of the word.")
      .def_property_readonly(
          "target", [](const Jump& self) { return or_none(self.to); },
          "Byte offset, or None: in a register, or the end.")
      .def_property_readonly(
          "kind", [](const Jump& self) { return std::string(name(self.kind)); }, "'taken', 'jump', 'back' ...")
      .def("__repr__", [](const Jump& self) {
        return "<mobula.Jump " + std::string(name(self.kind)) + " from " + hexadecimal(self.from) +
               (self.to ? " to " + hexadecimal(*self.to) : "") + '>';
      });
  define_class<PyListing>(module, "Listing", "Text of a program. str() gives the text.")
      .def_readonly("text", &PyListing::text, "All of it.")
      .def_readonly("words", &PyListing::words, "One for each word of the program.")
      .def_readonly("tokens", &PyListing::tokens, "In order; between them there is only space.")
      .def_readonly("jumps", &PyListing::jumps, "By byte offset.")
      .def("__str__", [](const PyListing& self) { return self.text; })
      .def("__len__", [](const PyListing& self) { return self.words.size(); })
      .def("__repr__",
           [](const PyListing& self) { return "<mobula.Listing of " + std::to_string(self.words.size()) + " words>"; });
}

void define_explanations(py::module_& module) {
  define_class<ExplainedField>(module, "Field", "A field of a word, and what its value means.")
      .def_readonly("format", &ExplainedField::format, "Name of the format that the field is of.")
      .def_readonly("name", &ExplainedField::name, "As in the machine's manual.")
      .def_readonly("low", &ExplainedField::low, "Lowest bit in the word.")
      .def_readonly("width", &ExplainedField::width, "In bits.")
      .def_readonly("value", &ExplainedField::value, "Its bits.")
      .def_readonly("meaning", &ExplainedField::meaning, "What the value says, in words.")
      .def_property_readonly(
          "status", [](const ExplainedField& self) { return std::string(name(self.status)); },
          "How well that is known: 'seed', 'binaries', 'driver', 'document', 'inferred' or 'unknown'.")
      .def_readonly("source", &ExplainedField::source, "Where that is said.")
      .def("__repr__", [](const ExplainedField& self) {
        return "<mobula.Field " + std::string(self.name) + ": " + std::string(self.meaning) + '>';
      });
  define_class<ExplainedWord>(module, "ExplainedWord", "A word, bit by bit. str() gives a table.")
      .def_readonly("byte_offset", &ExplainedWord::byte_offset, "In the code.")
      .def_readonly("byte_length", &ExplainedWord::byte_length, "In the code.")
      .def_readonly("text", &ExplainedWord::text, "As in a listing.")
      .def_readonly("fields", &ExplainedWord::fields, "Each bit is in one of them.")
      .def_readonly("diagnostics", &ExplainedWord::diagnostics, "What is wrong with the word.")
      .def("__str__", [](const ExplainedWord& self) { return report(self); })
      .def("__repr__",
           [](const ExplainedWord& self) { return "<mobula.ExplainedWord at " + hexadecimal(self.byte_offset) + '>'; });
}

}  // namespace

std::string hexadecimal(std::uint64_t offset) {
  std::array<char, 18> digits{"0x"};
  return {digits.data(), std::to_chars(digits.data() + 2, digits.end(), offset, 16).ptr};
}

std::string file_name(const py::object& file) {
  const auto name = py::module_::import("os").attr("fsencode")(file).cast<std::string>();
  if (name.find('\0') != std::string::npos) throw py::value_error("a file's name has no null character");
  return name;
}

PyObject* whole_object(PyTypeObject* kind, PyObject* arguments, PyObject* names) {
  PyObject* object = py::detail::make_new_instance(kind);
  // Python calls the constructor once more after this; pybind11 lets that pass for what has its value.
  if (object != nullptr && kind->tp_init(object, arguments, names) != 0) Py_CLEAR(object);
  return object;
}

PyObject* answer_new(PyObject* kind, PyObject* arguments, PyObject* names) {
  auto* const type = reinterpret_cast<PyTypeObject*>(kind);
  if (PyTuple_GET_SIZE(arguments) == 0 || PyTuple_GET_ITEM(arguments, 0) != kind)
    return PyErr_Format(PyExc_TypeError, "%s.__new__ makes objects of %s: give it that class first", type->tp_name,
                        type->tp_name);
  PyObject* const rest = PyTuple_GetSlice(arguments, 1, PyTuple_GET_SIZE(arguments));
  PyObject* const object = rest == nullptr ? nullptr : whole_object(type, rest, names);
  Py_XDECREF(rest);
  return object;
}

void raise(const Diagnostics& diagnostics) {
  const std::string text = render(diagnostics);
  const py::object error = py::reinterpret_borrow<py::object>(error_type)(text);
  error.attr("diagnostics") = py::cast(diagnostics);
  PyErr_SetObject(error_type, error.ptr());
  throw py::error_already_set();
}

std::string json_text(const py::object& document) {
  if (py::isinstance<py::str>(document)) return document.cast<std::string>();
  // Numbers and arrays of numpy are what tolist() makes of them; of anything else json says that it has no form.
  const py::object json = py::module_::import("json");
  const py::cpp_function plain([json](const py::object& value) -> py::object {
    return py::hasattr(value, "tolist") ? value.attr("tolist")() : json.attr("JSONEncoder")().attr("default")(value);
  });
  return with_texts_for_no_numbers(json.attr("dumps")(document, py::arg("default") = plain).cast<std::string>());
}

void define_programs(py::module_& module) {
  define_diagnostics(module);
  define_machines(module);
  define_listings(module);
  define_explanations(module);
  auto program = define_class<PyProgram, std::shared_ptr<PyProgram>>(
      module, "Program",
      "Machine code of a program, and what is known about it. From load(), load_bytes(), assemble().");
  make_picklable(
      program, [](const PyProgram& self) { return state_of(self); }, &program_of);
  program
      .def_property_readonly(
          "file", [](const PyProgram& self) { return self.program.file; }, "What diagnostics call it.")
      .def_property_readonly(
          "machine", [](const PyProgram& self) { return self.program.machine; }, "'midgard'.")
      .def_property_readonly(
          "variant", [](const PyProgram& self) { return self.program.variant; }, "May be empty: the default one.")
      .def_property_readonly(
          "stage", [](const PyProgram& self) { return std::string(name(self.program.interface.stage)); },
          "'vertex', 'fragment', 'compute' or 'unknown'.")
      .def_property_readonly(
          "code",
          [](const PyProgram& self) {
            return py::bytes(reinterpret_cast<const char*>(self.program.code.data()), self.program.code.size());
          },
          "The code as bytes.")
      .def_property_readonly(
          "entry", [](const PyProgram& self) { return self.program.entry; }, "Byte offset of the first word executed.")
      .def_property_readonly(
          "labels",
          [](const PyProgram& self) {
            std::map<std::string, std::uint64_t> labels;
            for (const Label& label : self.program.labels) labels.emplace(label.name, label.byte_offset);
            return labels;
          },
          "Byte offsets by name.")
      .def_property_readonly(
          "remarks", [](const PyProgram& self) { return self.program.remarks; },
          "Warnings about what was loaded or compiled.")
      .def("disassemble", &listing_of, py::arg("syntax") = py::none(), py::kw_only(), py::arg("bytes") = false,
           py::arg("directive") = false,
           "The program as text. `bytes`: each word is preceded by a comment with its bytes. `directive`: the text "
           "begins with .machine.\n\nRaises Error for an unknown syntax.")
      .def(
          "check", [](const PyProgram& self) { return self.machine().check(self.program); },
          "Every rule of the machine that the program breaks; empty: none.")
      .def(
          "explain", [](const PyProgram& self) { return self.machine().explain(self.program); },
          "Every field of every word.")
      .def(
          "svg",
          [](const PyProgram& self) {
            return svg(self.machine().explain(self.program), self.machine().pictures(self.program));
          },
          "The same as a picture: SVG text.")
      .def(
          "lift", [](const PyProgram& self) { return ir::print(self.lifted()); },
          "The micro-operations of its words, as text.\n\nRaises Error if a word cannot be decoded.")
      .def("effects", &effects_of,
           "What words read and write, to the byte: a table with byte_offset, slot, writes, first, bytes, slot_bytes, "
           "partial and implicit (the word's text does not name it).\n\nRaises Error if a word cannot be decoded.")
      .def(
          "hex", [](const PyProgram& self) { return write_hex(self.program.code); }, "The code as hexadecimal text.")
      .def(
          "side_file", [](const PyProgram& self) { return write_side_file(self.program); },
          "What is known beside the code, as JSON text that load_bytes(side=...) takes.")
      .def("__repr__", [](const PyProgram& self) {
        return "<mobula.Program " + self.program.file + ", " + self.program.machine +
               (self.program.variant.empty() ? "" : ":" + self.program.variant) + ", " +
               std::to_string(self.program.code.size()) + " bytes>";
      });
  module.def(
      "load",
      [](const py::object& file, const std::optional<std::string>& machine) {
        return handle_of(load_program_file(file_name(file), text_or_empty(machine)));
      },
      py::arg("file"), py::arg("machine") = py::none(),
      "The program in a file: machine code in any container, hexadecimal text or assembly, with the side file beside "
      "it. `machine`: 'midgard:t860'; None: what the file says.\n\nRaises Error.");
  module.def("load_bytes", &load_bytes_of, py::arg("data"), py::arg("machine") = py::none(), py::kw_only(),
             py::arg("file") = "bytes", py::arg("side") = py::none(),
             "The same of bytes. `file` is what diagnostics call them; `side` is a side file as text or dict.");
  module.def("assemble", &assembled, py::arg("text"), py::arg("machine") = py::none(), py::kw_only(),
             py::arg("file") = "text", "The program of an assembly text.\n\nRaises Error with all errors of the text.");
  module.def(
      "compile", &compiled, py::arg("source"), py::arg("machine"), py::kw_only(), py::arg("file") = "shader.frag",
      py::arg("level") = 2, py::arg("runs") = 16, py::arg("pixel_formats") = py::none(),
      "The program of a shader in GLSL or SPIR-V (str or bytes), executed `runs` times beside its source. The "
      "ending of `file` tells the stage: .vert, .frag, .comp. `level`: 0 to 2, as -O of mobula compile. "
      "`pixel_formats`, for Rogue: 'rgba8_unorm', or formats by the names of colours, as --pixel-format. "
      "`remarks` of the program are the warnings of the source (CO002), and that nothing was compared (VF003).\n\n"
      "Raises Error; NotImplementedError where mobula was built without a compiler.");
  define_runs(module, program);
}

}  // namespace mobula::python

PYBIND11_MODULE(_mobula, module) {
  using namespace mobula::python;
  module.attr("__version__") = MOBULA_VERSION;
  error_type = PyErr_NewExceptionWithDoc(
      "mobula.Error", "What mobula refuses. `diagnostics` says why; str() shows it as the command does.",
      PyExc_ValueError, nullptr);
  if (error_type == nullptr) throw py::error_already_set();
  module.attr("Error") = py::reinterpret_borrow<py::object>(error_type);
  define_programs(module);
  define_firmware(module);
  auto scoreboard = module.def_submodule("scoreboard", "The out-of-order core that the scoreboard keeps in order.");
  define_scoreboard(scoreboard);
}
