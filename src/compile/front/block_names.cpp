#include "compile/front/block_names.h"

#include <cctype>
#include <utility>

#include "compile/front/large_stack.h"
#include "compile/front/library.h"
#include "compile/front/limits.h"
#include "compile/front/tokens.h"
#include "core/quote.h"
#include "core/source.h"

namespace mobula::compile {
namespace {

bool begins_name(std::string_view token) {
  return !token.empty() && (std::isalpha(static_cast<unsigned char>(token.front())) != 0 || token.front() == '_');
}

/// Whether a name in front of a brace may be a block's. A macro may have what stands before it in a declaration.
bool may_name_block(std::string_view before, std::string_view name) {
  const bool is_in_expression =
      before == "return" || (before.size() == 1 && std::string_view("=(,+-*/?:<>&|!^%~[").find(before) != before.npos);
  return begins_name(name) && !is_in_expression && before != "struct" && name != "struct" && name != "else" &&
         name != "do";
}

std::string version_line(std::string_view text) {
  Tokens tokens(text);
  const std::string_view hash = tokens.next();
  if (hash != "#" || tokens.next() != "version") return "";
  const std::string_view line = text.substr(static_cast<std::size_t>(hash.data() - text.data()));
  return std::string(line.substr(0, line.find('\n')));
}

}  // namespace

/// Where a version of GLSL forbids to give names of its functions to others, the library says so of a variable.
bool BlockNames::is_built_in(const std::string& name) const {
  const std::string text = *version_ + "\nint " + name + ";\nvoid main() {}\n";
  // In a thread of its own: the library may be in the middle of the text that included this one.
  return on_large_stack([&] {
    initialise_library();
    const char* const string = text.c_str();
    glslang::TShader probe(language_of(stage_));
    probe.setStrings(&string, 1);
    if (probe.parse(&limits_of(version_if_none), version_if_none, false, EShMsgDefault)) return false;
    return std::string_view(probe.getInfoLog()).find("redefinition") != std::string_view::npos;
  });
}

std::optional<Diagnostic> BlockNames::refuse(std::string_view file, std::string_view text) {
  if (!version_) version_ = version_line(text);
  Tokens tokens(text);
  std::string_view before, name;
  for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next()) {
    const bool is_block = token == "{" && may_name_block(before, name), is_function = token == "(" && begins_name(name);
    const bool is_new = (is_block && blocks_.emplace(name).second) || (is_function && functions_.emplace(name).second);
    const bool is_both = is_new && blocks_.contains(name) && functions_.contains(name);
    if (is_both || (is_new && is_block && is_built_in(std::string(name)))) {
      return Diagnostic{Severity::error, "CO001", Source(file, text).locate(span_of(name, text)),
                        quote(name) + " is the name of a block and of a function", "give one of them another name"};
    }
    before = std::exchange(name, token);
  }
  return {};
}

}  // namespace mobula::compile
