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
