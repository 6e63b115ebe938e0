#include <glslang/MachineIndependent/localintermediate.h>
#include <glslang/Public/ShaderLang.h>
#include <glslang/SPIRV/GlslangToSpv.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <exception>
#include <iterator>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "compile/front/block_booleans.h"
#include "compile/front/block_layout.h"
#include "compile/front/block_names.h"
#include "compile/front/constants.h"
#include "compile/front/es_rules.h"
#include "compile/front/glsl_messages.h"
#include "compile/front/keywords.h"
#include "compile/front/large_stack.h"
#include "compile/front/library.h"
#include "compile/front/limits.h"
#include "compile/front/locations.h"
#include "compile/front/long_lists.h"
#include "compile/front/many_functions.h"
#include "compile/front/parsing.h"
#include "compile/front/retype.h"
#include "compile/front/shader.h"
#include "compile/front/shader_text.h"
#include "compile/front/text_size.h"
#include "compile/front/tokens.h"
#include "compile/front/without_function.h"
#include "core/source.h"

namespace mobula::compile {
namespace {

/// Where a macro that takes no arguments is followed by its value without a space: as in C++98, which GLSL refers to.
/// glslang leaves the macro out.
std::vector<std::size_t> values_without_space(std::string_view text) {
  std::vector<std::size_t> found;
  Tokens tokens(text);
  for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next()) {
    if (token != "#" || !tokens.begins_line() || tokens.next() != "define") continue;
    const std::string_view name = tokens.next();
    const std::string_view rest = text.substr(static_cast<std::size_t>(name.data() - text.data()) + name.size());
    constexpr std::string_view others = " \t\r\n\v\f(\\";
    const bool has_comment = rest.starts_with("//") || rest.starts_with("/*");
    if (!rest.empty() && others.find(rest.front()) == others.npos && !has_comment)
      found.push_back(text.size() - rest.size());
  }
  return found;
}

/// The text as glslang reads it rightly: it takes neither vertical tabs nor form feeds for white space.
std::string with_known_spaces(std::string_view text) {
  std::string made;
  std::size_t taken = 0;
  for (const std::size_t at : values_without_space(text)) {
    made.append(text, taken, at - taken) += ' ';
    taken = at;
  }
  made.append(text, taken);
  std::ranges::replace_if(
      made, [](char letter) { return letter == '\v' || letter == '\f'; }, ' ');
  return made;
}

/// Lines of GLSL end with a line feed, a carriage return, or both in either order; of glslang's only the first counts.
std::string with_line_feeds(std::string_view text) {
  std::string made;
  made.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool ends = text[i] == '\n' || text[i] == '\r';
    made += ends ? '\n' : text[i];
    if (ends && i + 1 < text.size() && text[i + 1] == (text[i] == '\n' ? '\r' : '\n')) ++i;
  }
  return made;
}

/// Hands texts to glslang, and keeps them for the messages about them.
class Includer final : public glslang::TShader::Includer {
 public:
  Includer(const FindIncluded& find, NamedTexts& texts, TextSize& size, BlockNames& names)
      : find_(find), texts_(texts), size_(size), names_(names) {}

  /// What made an included text one that is not handed on.
  [[nodiscard]] const Diagnostics& refused() const { return refused_; }
  /// Throws what looking for a text threw.
  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

  IncludeResult* includeLocal(const char* name, const char* from, std::size_t depth) override {
    return find(name, from, depth, true);
  }
  IncludeResult* includeSystem(const char* name, const char* from, std::size_t depth) override {
    return find(name, from, depth, false);
  }
  void releaseInclude(IncludeResult*) override {}  // all go with this object

 private:
  static constexpr std::size_t most_nested = 64;

  IncludeResult* find(const std::string& name, const std::string& from, std::size_t depth, bool quoted) {
    if (depth > most_nested) return refuse(endless_inclusion);
    std::optional<Included> found;
    try {
      if (find_) found = find_(name, from, quoted);
    } catch (...) {  // glslang would leave what it holds behind
      thrown_ = std::current_exception();
      return refuse("it cannot be read");
    }
    if (!found) return nullptr;
    found->text = with_line_feeds(found->text);
    if (auto large = size_.refuse(found->name, found->text)) {
      refused_ = {std::move(*large)};
      return refuse("the shader becomes too large");
    }
    if (auto crashing = names_.refuse(found->name, found->text)) {
      refused_ = {std::move(*crashing)};
      return refuse("a block has the name of a function");
    }
    texts_.insert_or_assign(found->name, found->text);
    const std::string& text = read_.emplace_back(with_known_spaces(found->text));
    results_.emplace_back(found->name, text.data(), text.size(), nullptr);
    return &results_.back();
  }
  IncludeResult* refuse(std::string_view reason) {
    results_.emplace_back("", reason.data(), reason.size(), nullptr);
    return &results_.back();
  }

  const FindIncluded& find_;
  NamedTexts& texts_;
  TextSize& size_;
  BlockNames& names_;
  Diagnostics refused_;
  std::exception_ptr thrown_;
  std::list<IncludeResult> results_;
  std::list<std::string> read_;  ///< the texts of the results
};

/// What stands behind the first #version on its line; of a text without one, the version that it has then.
std::string_view stated_version(std::string_view text) {
  const std::string_view directive = version_directive(text);
  if (directive.empty()) return "100";
  std::string_view rest = text.substr(static_cast<std::size_t>(directive.data() + directive.size() - text.data()));
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  return rest.substr(0, rest.find('\n'));
}

int number_of_version(std::string_view text) {
  const std::string_view stated = stated_version(text);
  int version = version_if_none;
  std::from_chars(stated.data(), stated.data() + stated.size(), version);
  return version;
}

bool has_word(std::string_view text, std::string_view word) { return text.find(word) != std::string_view::npos; }

bool has_ftransform(std::string_view version) {
  constexpr std::array<std::string_view, 4> old{"110", "120", "130", "140"};
  return has_word(version, "compatibility") ||
         std::ranges::any_of(old, [&](std::string_view each) { return version.starts_with(each); });
}

/// The preprocessor leaves it, as all that the parser reads, too.
constexpr std::string_view includes_directive = "#extension GL_GOOGLE_include_directive : enable\n";

/// What stands in front of every text. glslang crashes on ftransform(): it is what the specification says it is.
std::string preamble_of(const GlslSource& source) {
  const std::string_view version = stated_version(source.text);
  const bool is_140 = version.starts_with("140"), is_es_100 = version.starts_with("100");
  std::string text(includes_directive);
  if (has_word(source.text, "ftransform") && has_ftransform(version))
    text += "#define ftransform() (gl_ModelViewProjectionMatrix * gl_Vertex)\n";
  if (has_word(source.text, "GL_EXT_draw_buffers") && is_es_100) text += "#define GL_EXT_draw_buffers 1\n";
  if (has_word(source.text, "GL_ARB_compatibility") && is_140) text += "#define GL_ARB_compatibility 1\n";
  for (const Macro& macro : source.macros) {
    text += "#define ";
    text += macro.name;
    text += ' ';
    text += macro.value;
    text += '\n';
  }
  return text;
}

/// glslang crashes on the samplers of this extension. A directive cannot come out of a macro.
std::optional<Diagnostic> refuse_bindless(const GlslSource& source) {
  constexpr std::string_view extension = "GL_ARB_bindless_texture";
  const std::size_t at = source.text.find(extension);
  if (at == std::string_view::npos) return {};
  const Source lines(source.file, source.text);
  return Diagnostic{Severity::error, "CO003",
                    lines.locate({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(extension.size())}),
                    "textures without bindings are not supported", "declare samplers as uniforms"};
}

/// Of diagnostics that say the same of the same place, the first.
void keep_once(Diagnostics& found) {
  std::set<std::tuple<std::string, std::uint32_t, std::uint32_t, std::string>> known;
  std::erase_if(found, [&](const Diagnostic& each) {
    return !known.emplace(each.where.file, each.where.line, each.where.column, each.message).second;
  });
}

/// Adds what was looked for later, but for lines in which something is wrong already: it may only follow from that.
void add_of_other_lines(Diagnostics& found, const Diagnostics& later) {
  std::set<std::pair<std::string, std::uint32_t>> wrong;
  for (const Diagnostic& each : found)
    if (each.severity == Severity::error) wrong.emplace(each.where.file, each.where.line);
  std::ranges::copy_if(later, std::back_inserter(found), [&](const Diagnostic& each) {
    return !wrong.contains({each.where.file, each.where.line});
  });
}

Unexpected failure(Diagnostics found, const Diagnostics& later, std::string_view file) {
  add_of_other_lines(found, later);
  keep_once(found);
  if (!has_errors(found)) {
    Diagnostic unknown{Severity::error, "CO003", {}, "glslang does not compile this, and does not say why", {}};
    unknown.where.file = file;
    found.push_back(std::move(unknown));
  }
  for (Diagnostic& each : found)
    if (each.where.file.empty()) each.where.file = file;
  return fail(std::move(found));
}

/// A text on its way through glslang, which points into it.
class Unit {
 public:
  Unit(const GlslSource& source, const std::string& file, std::string_view text, const std::string& preamble)
      : file_(file),
        text_(text),
        preamble_(preamble),
        names_(source.stage),
        limits_(source.limits ? limits_of(*source.limits) : limits_of(number_of_version(text))),
        texts_{{file, std::string(source.text)}},
        includer_(source.find_included, texts_, size_, names_),
        shader_(language_of(source.stage)) {}

  std::optional<Diagnostic> refuse() {
    size_.refuse({}, preamble_);
    if (auto large = size_.refuse(file_, text_)) return large;
    return names_.refuse(file_, text_);
  }

  bool parse() {
    take_text(shader_);
    begin_reading();
    const bool taken = shader_.parse(&limits_, version_if_none, ENoProfile, false, false, messages, includer_);
    if (!taken) includer_.rethrow();
    return taken;
  }

  /// What the preprocessor makes of the text, on the same lines; nothing of one that includes others. To be called
  /// before parse(), since what glslang has allocated for that is not its own while it works on this.
  std::string preprocessed() {
    if (std::ranges::count(text_, '#') <= 1) return std::string(text_);  // only #version
    glslang::TShader shader(shader_.getStage());
    take_text(shader);
    begin_reading();
    std::string made;
    glslang::TShader::ForbidIncluder none;
    const bool taken = shader.preprocess(&limits_, version_if_none, ENoProfile, false, false, messages, &made, none);
    if (!taken) return {};
    return made.starts_with(includes_directive) ? made.substr(includes_directive.size()) : made;
  }

  [[nodiscard]] const Diagnostics& refused() const { return includer_.refused(); }
  [[nodiscard]] const NamedTexts& texts() const { return texts_; }
  glslang::TShader& shader() { return shader_; }

  // Without the rules of SPIR-V all versions of GLSL are taken, and all that they have.
  static constexpr auto messages = static_cast<EShMessages>(EShMsgDefault | EShMsgCascadingErrors);

 private:
  /// glslang keeps what it is given.
  void take_text(glslang::TShader& shader) const {
    shader.setStringsWithLengthsAndNames(&characters_, &length_, &name_, 1);
    shader.setPreamble(preamble_.c_str());
  }

  const std::string& file_;
  std::string_view text_;
  const std::string& preamble_;
  const char* characters_ = text_.data();
  const char* name_ = file_.c_str();
  int length_ = static_cast<int>(text_.size());
  TextSize size_;
  BlockNames names_;
  TBuiltInResource limits_;
  NamedTexts texts_;
  Includer includer_;
  glslang::TShader shader_;
};

/// Of what is declared outside functions, in order.
std::vector<std::string> declared_names(const glslang::TIntermediate& tree) {
  std::vector<std::string> names;
  for (const TIntermNode* const each : tree.findLinkerObjects()->getSequence())
    if (const glslang::TIntermSymbol* const symbol = each->getAsSymbolNode()) names.emplace_back(symbol->getName());
  return names;
}

Result<Spirv> linked(Unit& unit, const GlslSource& source, const std::string& file) {
  glslang::TShader& shader = unit.shader();
  glslang::TProgram program;
  program.addShader(&shader);
  const bool is_settled = settle_many_calls(*shader.getIntermediate());
  const auto messages = static_cast<EShMessages>(Unit::messages | (is_settled ? EShMsgKeepUncalled : EShMsgDefault));
  if (!program.link(messages))
    return failure(read_log(shader.getInfoLog(), unit.texts()), read_log(program.getInfoLog(), unit.texts()), file);

  const EShLanguage language = language_of(source.stage);
  if (auto refused = refuse_long_lists(*program.getIntermediate(language))) return fail(std::move(*refused));
  place_members_of_blocks(*program.getIntermediate(language));
  copy_booleans_of_blocks(*program.getIntermediate(language));
  Spirv module;
  spv::SpvBuildLogger logger;
  glslang::SpvOptions options;
  options.generateDebugInfo =
      true;  // the lines; setDebugInfo() of the shader would ask for scopes, on which glslang 12 crashes
  begin_writing();
  glslang::GlslangToSpv(*program.getIntermediate(language), module, &logger, &options);
  if (const std::string log = logger.getAllMessages(); log.find("error") != log.npos || module.size() < 5)
    return failure(read_log("ERROR: " + log, unit.texts()), {}, file);
  module[1] = 0x00010300;  // glslang says 1.0, or none where there is no environment
  return without_interface_booleans(with_locations(module, declared_names(*program.getIntermediate(language))));
}

/// Every error of a text that glslang does not take, with its column. Where a function has a word that the grammar does
/// not have there, the text is read once more without the function's body: it would be read no farther.
Diagnostics errors_in(const GlslSource& source, const std::string& file, std::string text,
                      const std::string& preamble) {
  constexpr int most_functions = 16;
  const TellsColumns told;
  Diagnostics found;
  std::vector<WithoutFunction> left_out;
  const auto is_left_out = [&](const Diagnostic& each) {
    return each.where.file == file && std::ranges::any_of(left_out, [&](const WithoutFunction& function) {
             return each.where.line >= function.first_line && each.where.line <= function.last_line;
           });
  };
  while (true) {
    Unit unit(source, file, text, preamble);
    unit.parse();
    const std::string_view log = unit.shader().getInfoLog();
    Diagnostics more = read_log(log, unit.texts());
    std::erase_if(more, is_left_out);
    std::ranges::move(more, std::back_inserter(found));
    const auto error = syntax_error_in(log, unit.texts());
    if (!error || error->file != file || left_out.size() == most_functions) return found;
    auto without = without_function_at(text, error->line, error->column);
    if (!without) return found;
    text = without->text;
    left_out.push_back(std::move(*without));
  }
}

/// Of a text that glslang has taken. Where it has something to say, the text is read once more for the columns.
Diagnostics warnings_of(Unit& unit, const GlslSource& source, const std::string& file, std::string_view text,
                        const std::string& preamble) {
  if (std::string_view(unit.shader().getInfoLog()).empty()) return {};
  const TellsColumns told;
  Unit again(source, file, text, preamble);
  again.parse();
  Diagnostics found = read_log(again.shader().getInfoLog(), again.texts());
  keep_once(found);
  return found;
}

/// Whether a text without #version, which is GLSL ES 1.00, may be meant as desktop GLSL: it has words that only that
/// has, or lacks the precisions that only GLSL ES has.
bool may_lack_version(std::string_view text, const Diagnostic& first_error) {
  if (!version_directive(text).empty()) return false;
  constexpr int first_version = 110;
  Tokens tokens(text);
  bool is_desktop = is_of_precision(first_error);
  for (std::string_view token = tokens.next(); !token.empty() && !is_desktop; token = tokens.next())
    is_desktop = is_of_fixed_functions(token, first_version);
  return is_desktop;
}

/// Of a text that glslang has taken: layouts of the whole shader that its code would have to follow.
std::optional<Diagnostic> refuse_layouts(const glslang::TIntermediate& tree, const ShaderText& text) {
  const auto refused = [&](const char* layout, const char* why, const char* hint) {
    return Diagnostic{Severity::error, "CO020", text.declaration_of(layout),
                      "layout(" + std::string(layout) + ") is not supported: " + why, hint};
  };
  if (tree.getPixelCenterInteger())
    return refused("pixel_center_integer", "the centre of a pixel is at a half",
                   "leave it out, and subtract 0.5 from gl_FragCoord.xy");
  if (tree.getPostDepthCoverage())
    return refused("post_depth_coverage", "gl_SampleMaskIn has all samples that the primitive covers", "leave it out");
  return {};
}

Result<Spirv> parsed(const GlslSource& source, Remarks* remarks) {
  if (auto refused = refuse_bindless(source)) return fail(std::move(*refused));
  initialise_library();

  const std::string file(source.file.empty() ? "shader" : source.file), preamble = preamble_of(source);
  const std::string text = with_known_spaces(source.text);
  Unit unit(source, file, text, preamble);
  if (auto refused = unit.refuse()) return fail(std::move(*refused));
  const std::string preprocessed = unit.preprocessed();
  glslang::TIntermediate& tree = *unit.shader().getIntermediate();
  if (unit.parse()) {
    const std::string broken = broken_es_rules(tree, file, preprocessed);
    if (!broken.empty()) return failure(read_log(broken, unit.texts()), {}, file);
    const auto shown = std::make_shared<const ShaderText>(file, unit.texts(), preprocessed);
    if (auto refused = refuse_layouts(tree, *shown)) return failure({std::move(*refused)}, {}, file);
    if (remarks != nullptr) {
      *remarks = {shared_names_of(tree, source.stage, *shown), warnings_of(unit, source, file, text, preamble), shown};
    }
    return linked(unit, source, file);
  }
  if (!unit.refused().empty()) return fail(unit.refused());
  const std::string broken = broken_rules_of_declarations(tree, file, preprocessed);
  Diagnostics found = errors_in(source, file, text, preamble);
  if (!found.empty() && may_lack_version(text, found.front())) {
    std::string& hint = found.front().hint;
    hint += hint.empty() ? "" : "; or ";
    hint += "a text without #version is GLSL ES 1.00; '#version 110' in its first line makes it desktop GLSL";
  }
  return failure(std::move(found), read_log(broken, unit.texts()), file);
}

}  // namespace

Stage stage_of_name(std::string_view file) {
  file = file.substr(file.find_last_of('/') + 1);
  for (const auto& [suffix, stage] :
       {std::pair{".vert", Stage::vertex}, {".frag", Stage::fragment}, {".comp", Stage::compute}}) {
    const std::size_t at = file.rfind(suffix);
    if (at != file.npos && (at + 5 == file.size() || file[at + 5] == '.')) return stage;
  }
  return Stage::unknown;
}

Result<Spirv> glsl_to_spirv(const GlslSource& source, Remarks* remarks) {
  constexpr std::size_t most_bytes = std::size_t{4} << 20;
  if (source.text.size() > most_bytes)
    return fail("CO004", "a shader of " + std::to_string(source.text.size()) + " bytes; at most 4 MiB are compiled");
  const std::string text = with_line_feeds(source.text);
  GlslSource with_lines = source;
  with_lines.text = text;
  return on_large_stack([&] { return parsed(with_lines, remarks); });
}

}  // namespace mobula::compile
