#include "mobula/compile/shader.h"

#include <mutex>
#include <utility>

#include "compile/back_end.h"
#include "compile/front/shader.h"
#include "compile/make/make.h"
#include "compile/passes/optimize.h"
#include "compile/passes/promote.h"
#include "compile/passes/tables.h"
#include "compile/pixel_formats.h"
#include "compile/ssa/declared.h"
#include "compile/ssa/from_spirv.h"
#include "compile/ssa/print.h"
#include "compile/verify/verify.h"
#include "core/encoding.h"
#include "mobula/isa/machine.h"

namespace mobula::compile {
namespace {

std::string_view as_text(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Nothing where no machine is named, or one without a compiler.
std::optional<Limits> limits_of_machine(const std::string& machine) {
  const Result<MachineChoice> choice = parse_machine(machine);
  const BackEnd* const back_end = choice ? find_back_end(choice->machine->name()) : nullptr;
  return back_end == nullptr ? std::nullopt : std::optional(back_end->limits);
}

Result<Spirv> from_glsl(const ShaderSource& source, std::string_view text, Remarks& remarks) {
  const Stage stage = source.stage == Stage::unknown ? stage_of_name(source.file) : source.stage;
  if (stage == Stage::unknown)
    return fail({Severity::error,
                 "CO015",
                 {.file = source.file},
                 "the name of this shader does not tell its stage",
                 "say the stage, or give a name that ends in .vert, .frag or .comp"});
  return glsl_to_spirv(
      {source.file, text, stage, source.macros, source.find_included, limits_of_machine(source.machine)}, &remarks);
}

Result<Spirv> spirv_of(const ShaderSource& source, Remarks& remarks) {
  const Language language = language_of(source.bytes);
  if (language == Language::spirv) return read_spirv(source.bytes, source.file);
  if (auto problem = refuse_other_than_text(source.file, as_text(source.bytes))) return fail(std::move(*problem));
  const std::string_view text = without_mark(as_text(source.bytes));
  return language == Language::spirv_text ? assemble_spirv(text, source.file) : from_glsl(source, text, remarks);
}

Diagnostic no_compiler(std::string_view machine) {
  std::string have;
  for (const std::string_view each : target_machines()) have.append(have.empty() ? "" : ", ").append(each);
  return {
      Severity::error, "MOB003", {}, "there is no compiler for " + std::string(machine), "machines with one: " + have};
}

/// What passes and back ends say knows lines, and neither file nor text.
Unexpected located(Diagnostics errors, const std::string& file, const ShaderText* text) {
  for (Diagnostic& error : errors) {
    if (error.where.file.empty()) error.where.file = file;
    if (text != nullptr) error.where = text->with_line(error.where);
  }
  return fail(std::move(errors));
}

/// Of the block of what vertex shaders put out, the first in the text that not every machine has.
Location declaration_of(const ssa::Variable& variable, const ShaderText& text) {
  const auto find = [&](const std::string& name) {
    return text.declaration_of(name.substr(0, name.find_first_of("[.")));
  };
  if (variable.built_in() != ssa::BuiltIn::position) return find(variable.name);
  for (const ssa::Slot& slot : variable.slots) {
    if (slot.built_in == ssa::BuiltIn::position || slot.built_in == ssa::BuiltIn::point_size) continue;
    if (Location where = find(slot.name); where.line != 0) return where;
  }
  return {};
}

void place_declarations(ssa::Program& form, const ShaderText& text) {
  for (ssa::Variable& variable : form.variables)
    if (variable.storage != ssa::Storage::local) variable.declared_at = declaration_of(variable, text);
}

Diagnostic no_packing(const std::string& machine) {
  std::string have;
  for (const std::string_view each : target_machines())
    if (find_back_end(each)->packs_colours) have.append(have.empty() ? "" : ", ").append(each);
  return {Severity::error,
          "CO030",
          {},
          "programs of " + machine + " pack no colours",
          "leave the formats of pixels out; machines whose programs pack colours: " + have};
}

Diagnostic no_level(unsigned level) {
  return {Severity::error,
          "CO006",
          {},
          "there is no level " + std::to_string(level),
          "levels are 0 to " + std::to_string(most_level)};
}

/// Variables that optimise() leaves in long functions are values from level 1 on; level 2 finds them itself.
ssa::Program optimised(ssa::Program form, unsigned level) {
  if (level == 1) ssa::promote(form);
  ssa::optimize(form, {.level = level});
  return form;
}

}  // namespace

struct Shader::Read {
  Spirv module;
  ssa::Declared declared;
  Result<ssa::Program> form;
  std::string file;
  Remarks remarks;
};

Language language_of(std::span<const std::uint8_t> bytes) {
  if (is_spirv_binary(bytes)) return Language::spirv;
  return is_spirv_text(without_mark(as_text(bytes))) ? Language::spirv_text : Language::glsl;
}

std::vector<std::string_view> target_machines() { return machines_with_back_ends(); }

Result<Shader> Shader::read(const ShaderSource& source) {
  static std::mutex libraries;  // glslang has what is there once
  std::unique_lock reading(libraries);
  Remarks remarks;
  const Result<Spirv> module = spirv_of(source, remarks);
  if (!module) return fail(module.error());
  Result<Spirv> better = optimise(*module, source.file);
  if (!better) return fail(std::move(better).error());
  reading.unlock();
  Result<ssa::Program> form = ssa::from_spirv(*better, source.stage, source.file);
  if (form) {
    ssa::store_initial(*form, ssa::Storage::output);
    if (remarks.text != nullptr) place_declarations(*form, *remarks.text);
    if (Diagnostics errors = set_pixel_formats(*form, source.formats); !errors.empty())
      return located(std::move(errors), source.file, remarks.text.get());
  }
  return Shader(std::make_shared<const Read>(
      Read{std::move(*better), ssa::declared_in(*module), std::move(form), source.file, std::move(remarks)}));
}

Diagnostics Shader::misfits(const Shader& fragment) const {
  const SharedNames &one = read_->remarks.shared, &other = fragment.read_->remarks.shared;
  const bool are_two = one.stage == Stage::vertex && other.stage == Stage::fragment;
  return are_two ? compile::misfits(one, other) : Diagnostics();
}

const Diagnostics& Shader::warnings() const { return read_->remarks.warnings; }

Diagnostics Shader::remarks_on(const VerifyOutcome& outcome) const {
  Diagnostics all = warnings();
  for (Diagnostic& each : remarks_of(outcome)) {
    each.where.file = read_->file;
    all.push_back(std::move(each));
  }
  return all;
}

std::string Shader::spirv() const { return print_spirv(read_->module); }

Result<std::string> Shader::form(unsigned level) const {
  if (level > most_level) return fail(no_level(level));
  if (!read_->form) return located(read_->form.error(), read_->file, read_->remarks.text.get());
  return ssa::print(optimised(*read_->form, level));
}

Result<MachineCode> Shader::compile(std::string_view machine, unsigned level, const Progress& progress) const {
  const Result<MachineChoice> choice = parse_machine(machine);
  if (!choice) return fail(choice.error());
  const std::string name(choice->machine->name());
  if (find_back_end(name) == nullptr) return fail(no_compiler(name));
  if (level > most_level) return fail(no_level(level));
  if (!read_->form) return located(read_->form.error(), read_->file, read_->remarks.text.get());
  if (has_pixel_formats(*read_->form) && !find_back_end(name)->packs_colours)
    return located({no_packing(name)}, read_->file, read_->remarks.text.get());
  auto code = make_code(optimised(*read_->form, level), {name, choice->variant}, level, progress);
  if (!code) return located(std::move(code).error(), read_->file, read_->remarks.text.get());
  code->program.file = read_->file;
  ssa::add_unread(read_->declared, code->program.interface);
  return code;
}

Result<VerifyOutcome> Shader::verify(const mobula::Program& code, const VerifyOptions& options) const {
  if (!read_->form) return located(read_->form.error(), read_->file, read_->remarks.text.get());
  return compile::verify(*read_->form, code, options);
}

}  // namespace mobula::compile
