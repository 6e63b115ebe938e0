// Programs: in, out, checked, explained, lifted.
#include "handles.h"
#include "mobula/isa/explain.h"

using namespace mobula;

namespace {

std::string text_of(std::span<const std::uint8_t> bytes) { return {bytes.begin(), bytes.end()}; }

std::span<const std::uint8_t> bytes_of(const void* bytes, size_t size) {
  return {static_cast<const std::uint8_t*>(bytes), bytes == nullptr ? 0 : size};
}

}  // namespace

mobula_status mobula_load(const void* bytes, size_t size, const mobula_load_options* options, mobula_program** program,
                          mobula_diagnostics** diagnostics) {
  if ((bytes == nullptr && size != 0) || c::lack_size(options)) return c::misused(program, diagnostics);
  return c::making(program, diagnostics, [&]() -> Result<std::unique_ptr<mobula_program>> {
    const mobula_load_options chosen = c::read(options);
    LoadOptions load{.machine = std::string(c::text_or_empty(chosen.machine))};
    if (chosen.side != nullptr) {
      auto side = read_side_file({"side file", {chosen.side, chosen.side_size}});
      if (!side) return fail(std::move(side).error());
      load.side = *std::move(side);
    }
    const std::string_view file = chosen.file == nullptr ? "bytes" : chosen.file;
    return c::handle_of(load_program(bytes_of(bytes, size), file, std::move(load)), diagnostics);
  });
}

mobula_status mobula_load_file(const char* file, const char* machine, mobula_program** program,
                               mobula_diagnostics** diagnostics) {
  if (file == nullptr) return c::misused(program, diagnostics);
  return c::making(program, diagnostics, [&] {
    return c::handle_of(load_program_file(file, std::string(c::text_or_empty(machine))), diagnostics);
  });
}

mobula_status mobula_assemble(const char* text, size_t size, const char* machine, const char* file,
                              mobula_program** program, mobula_diagnostics** diagnostics) {
  if (text == nullptr && size != 0) return c::misused(program, diagnostics);
  return c::making(program, diagnostics, [&] {
    LoadOptions load{.machine = std::string(c::text_or_empty(machine)), .format = ContainerFormat::text};
    return c::handle_of(load_program(bytes_of(text, size), file == nullptr ? "text" : file, std::move(load)),
                        diagnostics);
  });
}

void mobula_program_free(mobula_program* program) { delete program; }

mobula_status mobula_program_about(const mobula_program* program, mobula_program_info* info) {
  if (program == nullptr) return MOBULA_BAD_ARGUMENT;
  const Program& known = program->program;
  return c::give({.size = 0,
                  .file = c::view(known.file),
                  .machine = c::view(known.machine),
                  .variant = c::view(known.variant),
                  .stage = c::view(name(known.interface.stage)),
                  .code = known.code.data(),
                  .code_size = known.code.size(),
                  .entry = known.entry,
                  .labels = known.labels.size()},
                 info);
}

mobula_status mobula_program_label(const mobula_program* program, size_t index, mobula_label* label) {
  if (program == nullptr || index >= program->program.labels.size()) return MOBULA_BAD_ARGUMENT;
  const Label& known = program->program.labels[index];
  return c::give({.size = 0, .name = c::view(known.name), .byte_offset = known.byte_offset}, label);
}

mobula_status mobula_encode(const mobula_program* program, mobula_format format, mobula_buffer** buffer,
                            mobula_diagnostics** diagnostics) {
  if (program == nullptr || format < MOBULA_RAW || format > MOBULA_SIDE_FILE) return c::misused(buffer, diagnostics);
  return c::making(buffer, diagnostics, [&] {
    if (format == MOBULA_SIDE_FILE) return c::buffer_of(write_side_file(program->program));
    return c::buffer_of(format == MOBULA_HEX ? write_hex(program->program.code) : text_of(program->program.code));
  });
}

mobula_status mobula_check(const mobula_program* program, mobula_diagnostics** diagnostics) {
  if (program == nullptr) return c::misused(diagnostics);
  return c::guarded(diagnostics, [&] {
    Diagnostics found = c::machine_of(program->program).check(program->program);
    const bool wrong = has_errors(found);
    c::hand_out(std::move(found), diagnostics);
    return wrong ? MOBULA_ERROR : MOBULA_OK;
  });
}

mobula_status mobula_explain(const mobula_program* program, mobula_picture form, mobula_buffer** text,
                             mobula_diagnostics** diagnostics) {
  if (program == nullptr || form < MOBULA_TEXT || form > MOBULA_SVG) return c::misused(text, diagnostics);
  return c::making(text, diagnostics, [&] {
    const Machine& machine = c::machine_of(program->program);
    const std::vector<ExplainedWord> words = machine.explain(program->program);
    Diagnostics remarks;
    std::string lines;
    for (const ExplainedWord& word : words) {
      remarks.insert(remarks.end(), word.diagnostics.begin(), word.diagnostics.end());
      if (word.byte_length != 0) lines += (lines.empty() ? "" : "\n") + report(word);
    }
    c::hand_out(std::move(remarks), diagnostics);
    return c::buffer_of(form == MOBULA_SVG ? svg(words, machine.pictures(program->program)) : std::move(lines));
  });
}

mobula_status mobula_lift(const mobula_program* program, mobula_buffer** text, mobula_diagnostics** diagnostics) {
  if (program == nullptr) return c::misused(text, diagnostics);
  return c::making(text, diagnostics, [&]() -> Result<std::unique_ptr<mobula_buffer>> {
    auto lifted = c::machine_of(program->program).lift(program->program, {});
    if (!lifted) return fail(std::move(lifted).error());
    return c::buffer_of(ir::print(*lifted));
  });
}
