// Inputs, runs and their results.
#include "handles.h"
#include "mobula/lab/arrays.h"

using namespace mobula;

struct mobula_result {
  Program program;
  ir::Program lifted;
  RunResult result;
  std::map<std::string, OutputArray> arrays;
};

namespace {

/// Files that a document names are relative to a folder; without one it may name none.
FileReader files_in(const char* folder) {
  if (folder == nullptr) return {};
  return [path = std::string(folder)](const std::string& name) {
    return load_bytes(name.starts_with('/') || path.empty() ? name : path + '/' + name);
  };
}

/// False if these are not values that an array can have.
bool is_view(mobula_number kind, const void* values, size_t rows, size_t columns) {
  constexpr size_t most = size_t{1} << 34;
  return values != nullptr && kind >= MOBULA_FLOAT32 && kind <= MOBULA_UINT32 && rows != 0 && columns != 0 &&
         columns <= most / rows;
}
ArrayView view_of(mobula_number kind, const void* values, size_t rows, size_t columns) {
  return {.words = {static_cast<const std::uint32_t*>(values), rows * columns},
          .rows = rows,
          .kind = static_cast<NumberKind>(kind)};
}

mobula_array array_of(const std::string& name, const OutputArray& array) {
  mobula_array result{.size = 0,
                      .name = c::view(name),
                      .kind = static_cast<mobula_number>(array.kind),
                      .dimensions = array.shape.size(),
                      .shape = {},
                      .values = array.words.data()};
  std::ranges::copy(array.shape, result.shape);
  return result;
}

constexpr std::string_view image_name = "image";
mobula_array array_of(const ImageResult& image) {
  return {.size = 0,
          .name = c::view(image_name),
          .kind = MOBULA_FLOAT32,
          .dimensions = 3,
          .shape = {image.size.height, image.size.width, 4},
          .values = image.colours.data()};
}

}  // namespace

mobula_status mobula_inputs_new(const mobula_program* program, const char* json, size_t size, const char* folder,
                                mobula_inputs** inputs, mobula_diagnostics** diagnostics) {
  if (program == nullptr) return c::misused(inputs, diagnostics);
  return c::making(inputs, diagnostics, [&]() -> Result<std::unique_ptr<mobula_inputs>> {
    auto handle = std::make_unique<mobula_inputs>();
    handle->interface = program->program.interface;
    if (json == nullptr) return handle;
    auto read = read_run_inputs({"inputs", {json, size}}, handle->interface, files_in(folder));
    if (!read) return fail(std::move(read).error());
    c::hand_out(read->warnings, diagnostics);
    handle->inputs = *std::move(read);
    return handle;
  });
}
void mobula_inputs_free(mobula_inputs* inputs) { delete inputs; }

mobula_status mobula_inputs_set(mobula_inputs* inputs, const char* name, mobula_number kind, const void* values,
                                size_t rows, size_t columns, mobula_diagnostics** diagnostics) {
  if (inputs == nullptr || name == nullptr || !is_view(kind, values, rows, columns)) return c::misused(diagnostics);
  return c::guarded(diagnostics, [&] {
    return c::outcome(set_array(inputs->inputs, inputs->interface, name, view_of(kind, values, rows, columns)),
                      diagnostics);
  });
}

mobula_status mobula_inputs_set_corners(mobula_inputs* inputs, const char* name, mobula_number kind, const void* values,
                                        size_t columns, mobula_diagnostics** diagnostics) {
  if (inputs == nullptr || name == nullptr || !is_view(kind, values, 4, columns)) return c::misused(diagnostics);
  return c::guarded(diagnostics, [&] {
    return c::outcome(set_corners(inputs->inputs, inputs->interface, name, view_of(kind, values, 4, columns)),
                      diagnostics);
  });
}

mobula_status mobula_inputs_set_texture(mobula_inputs* inputs, const char* name, uint32_t width, uint32_t height,
                                        const char* format, const void* texels, size_t texels_size,
                                        mobula_diagnostics** diagnostics) {
  if (inputs == nullptr || name == nullptr || format == nullptr || texels == nullptr) return c::misused(diagnostics);
  return c::guarded(diagnostics, [&] {
    return c::outcome(set_texture(inputs->inputs, inputs->interface, name, {width, height}, format,
                                  {static_cast<const std::uint8_t*>(texels), texels_size}),
                      diagnostics);
  });
}

mobula_status mobula_run(const mobula_program* program, const mobula_inputs* inputs, const mobula_run_options* options,
                         mobula_result** result, mobula_diagnostics** diagnostics) {
  if (program == nullptr || c::lack_size(options)) return c::misused(result, diagnostics);
  const mobula_run_options chosen = c::read(options);
  if ((chosen.image_width == 0) != (chosen.image_height == 0)) {
    const mobula_status status = c::misused(result, diagnostics);
    return c::guarded(diagnostics, [&] {
      c::hand_out({{Severity::error, "", {}, "a picture has image_width and image_height; one of them is 0", ""}},
                  diagnostics);
      return status;
    });
  }
  bool stopped = false;
  const mobula_status status = c::making(result, diagnostics, [&]() -> Result<std::unique_ptr<mobula_result>> {
    auto handle = std::make_unique<mobula_result>();
    handle->program = program->program;
    RunInputs given = inputs == nullptr ? RunInputs() : inputs->inputs;
    if (chosen.threads != 0) given.threads = chosen.threads;
    auto lifted = c::machine_of(handle->program).lift(handle->program, given.policies);
    if (!lifted) return fail(std::move(lifted).error());
    handle->lifted = *std::move(lifted);
    RunOptions run{.os_threads = std::max(chosen.os_threads, 1u), .native = NativeChoice::automatic};
    if (chosen.image_width != 0) run.image = {chosen.image_width, chosen.image_height};
    if (chosen.stop != nullptr) run.stop = [&chosen] { return chosen.stop(chosen.user) != 0; };
    auto ran = run_program(handle->program, handle->lifted, given, run);
    if (!ran) {
      stopped = ran.error().front().code == "RN019";
      return fail(std::move(ran).error());
    }
    handle->result = *std::move(ran);
    handle->arrays = output_arrays(handle->result, handle->program.interface);
    c::hand_out(handle->result.diagnostics, diagnostics);
    return handle;
  });
  return stopped && status == MOBULA_ERROR ? MOBULA_STOPPED : status;
}
void mobula_result_free(mobula_result* result) { delete result; }

mobula_status mobula_result_counts(const mobula_result* result, mobula_counts* counts) {
  if (result == nullptr) return MOBULA_BAD_ARGUMENT;
  const RunResult& known = result->result;
  return c::give({.size = 0,
                  .started = known.started,
                  .ended = known.ended,
                  .discarded = known.discarded,
                  .faulted = known.faulted},
                 counts);
}

size_t mobula_result_array_count(const mobula_result* result) {
  return result == nullptr ? 0 : result->arrays.size() + (result->result.image ? 1 : 0);
}
mobula_status mobula_result_array(const mobula_result* result, size_t index, mobula_array* array) {
  if (index >= mobula_result_array_count(result)) return MOBULA_BAD_ARGUMENT;
  if (index == result->arrays.size()) return c::give(array_of(*result->result.image), array);
  const auto& [name, values] = *std::next(result->arrays.begin(), static_cast<std::ptrdiff_t>(index));
  return c::give(array_of(name, values), array);
}
mobula_status mobula_result_array_named(const mobula_result* result, const char* name, mobula_array* array) {
  if (result == nullptr || name == nullptr) return MOBULA_BAD_ARGUMENT;
  if (name == image_name && result->result.image) return c::give(array_of(*result->result.image), array);
  return c::guarded(nullptr, [&] {
    const auto found = result->arrays.find(name);
    return found == result->arrays.end() ? MOBULA_ERROR : c::give(array_of(found->first, found->second), array);
  });
}

mobula_status mobula_result_json(const mobula_result* result, mobula_buffer** json, mobula_diagnostics** diagnostics) {
  if (result == nullptr) return c::misused(json, diagnostics);
  return c::making(json, diagnostics,
                   [&] { return c::buffer_of(to_json(result->result, result->program, result->lifted)); });
}

mobula_status mobula_result_png(const mobula_result* result, mobula_buffer** png, mobula_diagnostics** diagnostics) {
  if (result == nullptr) return c::misused(png, diagnostics);
  return c::making(png, diagnostics, [&]() -> Result<std::unique_ptr<mobula_buffer>> {
    if (!result->result.image) return fail("RN001", "the run made no image", "give image_width and image_height");
    auto file = to_png(*result->result.image, ColourFormat::f32);
    if (!file) return fail(std::move(file).error());
    return c::buffer_of({file->begin(), file->end()});
  });
}
