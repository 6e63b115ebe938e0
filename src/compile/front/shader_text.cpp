#include "compile/front/shader_text.h"

#include <algorithm>

namespace mobula::compile {

ShaderText::ShaderText(std::string_view file, const NamedTexts& texts, std::string_view preprocessed)
    : file_(file),
      texts_(texts),
      preprocessed_(preprocessed),
      has_own_lines_(texts.size() == 1 && !has_line_directive(texts.find(file)->second)),
      left_(file_, preprocessed_),
      words_(preprocessed_) {
  for (const auto& [name, text] : texts_) known_.try_emplace(name, name, text);
}

Location ShaderText::line(std::size_t number) const {
  const Source& source = known_.at(file_).source;
  const std::string_view line = source.line(number - 1);
  const auto begin = static_cast<std::uint32_t>(std::min(line.find_first_not_of(" \t"), line.size()));
  const auto end = static_cast<std::uint32_t>(line.find_last_not_of(" \t") + 1);
  return source.locate({source.line_offset(number - 1) + begin, std::max(begin, end) - begin});
}

Location ShaderText::declaration_of(std::string_view name) const {
  const std::string_view left = words_.find(name);
  if (has_own_lines_ && !left.empty()) {
    const Text& text = known_.at(file_);
    const std::uint32_t number = left_.locate(span_of(left, preprocessed_)).line;
    const std::string_view line = text.source.line(number - 1);
    Tokens tokens(line);
    for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next())
      if (token == name) return text.source.locate(span_of(token, text.source.text()));
    return this->line(number);
  }
  const Text* found = nullptr;
  for (const auto& [_, text] : known_)
    if (!text.words.find(name).empty() && (found == nullptr || text.words.is_outside(name))) found = &text;
  if (found == nullptr) return {};
  return found->source.locate(span_of(found->words.find(name), found->source.text()));
}

Location ShaderText::version() const {
  const Source& source = known_.at(file_).source;
  const std::string_view directive = version_directive(source.text());
  return source.locate(directive.empty() ? Span{0, 1} : span_of(directive, source.text()));
}

Location ShaderText::with_line(const Location& where) const {
  const bool is_line = has_own_lines_ && where.file == file_ && where.column == 0 && where.line != 0 &&
                       where.line <= known_.at(file_).source.line_count();
  return is_line ? line(where.line) : where;
}

}  // namespace mobula::compile
