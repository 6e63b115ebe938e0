// What is behind the handles, and how every function of the C interface begins and ends.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mobula/lab/firmware_run.h"
#include "mobula/mobula.h"
#include "mobula/mobula_c.h"
#include "mobula/scoreboard/scoreboard.h"

struct mobula_buffer {
  std::string text;
};
struct mobula_diagnostics {
  mobula::Diagnostics list;
  std::string text;
};
struct mobula_program {
  mobula::Program program;
};

struct mobula_inputs {
  mobula::RunInputs inputs;
  mobula::Interface interface;
};
struct mobula_core {
  mobula::scoreboard::Config config;
};
struct mobula_workload {
  mobula::scoreboard::Workload workload;
};
struct mobula_firmware {
  std::vector<mobula::Program> images;
  std::string chip;
  std::vector<mobula::firmware::CoreReport> cores;  ///< after the boot
  std::vector<mobula::firmware::StreamInput> streams;
  std::vector<mobula::pm4::Buffer> memory;
};

namespace mobula::c {

inline mobula_string view(std::string_view text) { return {text.data() == nullptr ? "" : text.data(), text.size()}; }
inline const mobula_string nothing = view("");
inline std::string_view text_or_empty(const char* text) { return text == nullptr ? std::string_view() : text; }

/// Fills as much of the caller's structure as the caller knows.
template <class Structure>
mobula_status give(Structure value, Structure* out) {
  if (out == nullptr || out->size < sizeof out->size) return MOBULA_BAD_ARGUMENT;
  value.size = out->size;
  std::memcpy(out, &value, std::min(out->size, sizeof value));
  return MOBULA_OK;
}

/// Whether options are there that do not say how long they are.
template <class Structure>
bool lack_size(const Structure* options) {
  return options != nullptr && options->size < sizeof options->size;
}
/// The caller's options, with zeros for those that the caller does not know.
template <class Structure>
Structure read(const Structure* options) {
  Structure all{};
  if (options != nullptr) std::memcpy(&all, options, std::min(options->size, sizeof all));
  return all;
}

inline void hand_out(Diagnostics list, mobula_diagnostics** diagnostics) {
  if (diagnostics == nullptr || list.empty()) return;
  std::string text = render(list);
  *diagnostics = new mobula_diagnostics{std::move(list), std::move(text)};
}

/// Of a program; its remarks are handed out.
inline Result<std::unique_ptr<mobula_program>> handle_of(Result<Program> program, mobula_diagnostics** diagnostics) {
  if (!program) return fail(std::move(program).error());
  hand_out(program->remarks, diagnostics);
  return std::make_unique<mobula_program>(mobula_program{*std::move(program)});
}

inline mobula_status refuse(Diagnostics list, mobula_diagnostics** diagnostics) {
  hand_out(std::move(list), diagnostics);
  return MOBULA_ERROR;
}

inline mobula_status outcome(Result<void> done, mobula_diagnostics** diagnostics) {
  return done ? MOBULA_OK : refuse(std::move(done).error(), diagnostics);
}

/// For a mistake of the caller, who may free afterwards whatever was to be given out.
inline mobula_status misused(mobula_diagnostics** diagnostics) {
  if (diagnostics != nullptr) *diagnostics = nullptr;
  return MOBULA_BAD_ARGUMENT;
}
template <class Handle>
mobula_status misused(Handle** out, mobula_diagnostics** diagnostics) {
  if (out != nullptr) *out = nullptr;
  return misused(diagnostics);
}

/// No exception leaves the interface.
template <class Act>
mobula_status guarded(mobula_diagnostics** diagnostics, Act act) noexcept {
  if (diagnostics != nullptr) *diagnostics = nullptr;
  try {
    return act();
  } catch (const std::bad_alloc&) {
    return MOBULA_NO_MEMORY;
  } catch (const std::exception& error) {
    try {
      hand_out({{Severity::error, "", {}, std::string("a bug of mobula: ") + error.what(), ""}}, diagnostics);
    } catch (...) {
      return MOBULA_NO_MEMORY;
    }
  } catch (...) {
  }
  return MOBULA_INTERNAL;
}

/// The same for functions that give out a handle: act() returns a Result of it, or of what makes it.
template <class Handle, class Act>
mobula_status making(Handle** out, mobula_diagnostics** diagnostics, Act act) noexcept {
  if (out == nullptr) return misused(diagnostics);
  *out = nullptr;
  return guarded(diagnostics, [&]() -> mobula_status {
    Result<std::unique_ptr<Handle>> made = act();
    if (!made) return refuse(std::move(made).error(), diagnostics);
    *out = made->release();
    return MOBULA_OK;
  });
}

inline Result<std::unique_ptr<mobula_buffer>> buffer_of(std::string text) {
  return std::make_unique<mobula_buffer>(mobula_buffer{std::move(text)});
}

inline const Machine& machine_of(const Program& program) { return *find_machine(program.machine); }

}  // namespace mobula::c
