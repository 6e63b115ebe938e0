// What the files of the module share.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include "mobula/mobula.h"

namespace mobula::python {

namespace py = pybind11;

/// Raises mobula.Error with these diagnostics.
[[noreturn]] void raise(const Diagnostics& diagnostics);

template <class T>
T value_or_raise(Result<T> result) {
  if (!result) raise(result.error());
  return *std::move(result);
}
inline void raise_unless(const Result<void>& done) {
  if (!done) raise(done.error());
}

/// Long work without the interpreter's lock, which Ctrl-C ends. stop() may be called by any thread, and says whether to
/// end; the thread that the work was started from asks Python, twenty times a second.
class Work {
 public:
  bool stop() {
    if (is_interrupted_) return true;
    const auto now = std::chrono::steady_clock::now();
    if (std::this_thread::get_id() != caller_ || now < next_) return false;
    next_ = now + std::chrono::milliseconds(50);
    const py::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) is_interrupted_ = true;
    return is_interrupted_;
  }

  /// What act() gives; what the signal's handler raised, if there was one.
  template <class Act>
  static auto run(Act act) {
    Work work;
    try {
      auto result = [&] {
        const py::gil_scoped_release unlocked;
        return act(work);
      }();
      if (!work.is_interrupted_) return result;
    } catch (const Interrupted&) {
    }
    throw py::error_already_set();
  }

  /// For work that has no way to be told to stop but an exception.
  void throw_if_stopped() {
    if (stop()) throw Interrupted();
  }

 private:
  struct Interrupted {};
  std::thread::id caller_ = std::this_thread::get_id();
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now();
  std::atomic<bool> is_interrupted_ = false;
};

/// A timeline that nobody sees: it stops a simulation.
class StoppingTimeline : public TimelineSink {
 public:
  explicit StoppingTimeline(Work& work) : work_(work) {}
  void begin(const TimelineInfo&) override {}
  void on(const TimelineEvent&) override {
    if (++events_ % 4096 == 0) work_.throw_if_stopped();
  }
  void end(std::uint64_t) override {}

 private:
  Work& work_;
  std::uint64_t events_ = 0;
};

/// A program, and what is made of it when it is first needed.
struct PyProgram {
  Program program;

  [[nodiscard]] const Machine& machine() const { return *find_machine(program.machine); }
  [[nodiscard]] ir::Program lifted(const Policies& policies = {}) const {
    return value_or_raise(machine().lift(program, policies));
  }
};

/// An object with all that its constructor gives it, or the constructor's exception. Without this,
/// `Class.__new__(Class)` would give one with nothing in it, of which any method reads what is not there.
PyObject* whole_object(PyTypeObject* kind, PyObject* arguments, PyObject* names);
/// The same as `Class.__new__` of Python, whose first argument is the class once more.
PyObject* answer_new(PyObject* kind, PyObject* arguments, PyObject* names);

/// A class whose objects are never without their C++ value. Python classes cannot derive from it, as they could leave
/// the constructor out.
template <class... Kinds>
py::class_<Kinds...> define_class(py::module_& module, const char* name, const char* documentation) {
  static PyMethodDef make{"__new__",
                          reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(answer_new)),  // as Python has it
                          METH_VARARGS | METH_KEYWORDS, "A new object."};
  py::class_<Kinds...> kind(module, name, py::is_final(), documentation);
  kind.attr("__new__") = py::reinterpret_steal<py::object>(PyCFunction_New(&make, kind.ptr()));
  // In this order: to set the attribute sets the slot, to a function that an inherited __new__ would get round.
  reinterpret_cast<PyTypeObject*>(kind.ptr())->tp_new = whole_object;
  return kind;
}

/// How pickle and copy make an object again, in each of pickle's protocols: `again` of what `state` gives. What has no
/// such functions cannot be pickled.
template <class Kind, class State, class Again>
void make_picklable(Kind& kind, State state, Again again) {
  using Object = typename Kind::type;
  const auto reduced = [state](const Object& self) {
    return py::make_tuple(py::module_::import("mobula").attr("_made_again"),
                          py::make_tuple(py::type::of<Object>(), state(self)));
  };
  kind.def_static("_of_state", again);
  kind.def("__reduce__", reduced);
  kind.def("__reduce_ex__", [reduced](const Object& self, int) { return reduced(self); });
}

/// Of a str, bytes or os.PathLike, as the system has it.
std::string file_name(const py::object& file);

/// A JSON document: text as it is, anything else as json.dumps() writes it.
std::string json_text(const py::object& document);

/// The inputs of a run from a document and from arrays. `folder`: where files that the document names are.
RunInputs inputs_of(const Program& program, const py::object& document, const py::dict& arrays, const py::dict& corners,
                    const py::dict& textures, const py::object& folder, const py::object& threads);

/// An integer or a float.
py::object number_of(const Value& value);

/// Of bytes in code, as listings have it: "0x20".
std::string hexadecimal(std::uint64_t offset);

void define_programs(py::module_& module);
void define_runs(py::module_& module, py::class_<PyProgram, std::shared_ptr<PyProgram>>& program);
void define_firmware(py::module_& module);
void define_scoreboard(py::module_& module);

}  // namespace mobula::python
