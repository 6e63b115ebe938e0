#include "compile/front/text_size.h"

#include <algorithm>

#include "compile/front/tokens.h"
#include "core/source.h"

namespace mobula::compile {
namespace {

constexpr double most_tokens = 500'000;
constexpr std::size_t most_nested = 1'000;

bool is(const std::vector<std::string_view>& tokens, std::size_t index, std::string_view token) {
  return index < tokens.size() && tokens[index] == token;
}

}  // namespace

void TextSize::define(const std::vector<std::string_view>& directive) {
  if (directive.size() < 3) return;
  const std::string_view name = directive[2];
  Macro macro;
  std::size_t at = 3;
  std::vector<std::string_view> parameters;
  // Arguments follow the name without a space.
  if (is(directive, 3, "(") && directive[3].data() == name.data() + name.size()) {
    macro.has_arguments = true;
    for (++at; at < directive.size() && directive[at] != ")"; ++at) parameters.push_back(directive[at]);
    ++at;
  }
  if (at < directive.size()) macro.body.assign(directive.begin() + static_cast<std::ptrdiff_t>(at), directive.end());
  for (const std::string_view parameter : parameters)
    macro.uses = std::max(macro.uses, static_cast<double>(std::ranges::count(macro.body, parameter)));
  macros_.emplace(name, std::move(macro));
}

double TextSize::weight(std::string_view name) {
  const auto [known, is_new] = weights_.emplace(name, 1);
  if (!is_new) return known->second;
  double most = 0;
  const auto [begin, end] = macros_.equal_range(name);
  for (auto each = begin; each != end; ++each) most = std::max(most, measure(each->second.body, nullptr));
  return known->second = 1 + most;
}

double TextSize::measure(const std::vector<std::string_view>& tokens, std::optional<Excess>* excess) {
  struct Level {
    std::string_view from;
    double times = 1, sum = 0;
  };
  std::vector<Level> levels(1);
  const auto leave = [&levels] {
    const Level inner = levels.back();
    levels.pop_back();
    levels.back().sum += inner.times * inner.sum;
    return inner.from;
  };
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    std::string_view token = tokens[i];
    levels.back().sum += 1;
    const auto macro = macros_.find(token);
    if (macro != macros_.end()) levels.back().sum += weight(token);
    if (token == "(") {
      levels.push_back({token});
    } else if (macro != macros_.end() && macro->second.has_arguments && is(tokens, i + 1, "(")) {
      double uses = 1;
      const auto [begin, end] = macros_.equal_range(token);
      for (auto each = begin; each != end; ++each) uses = std::max(uses, each->second.uses);
      levels.push_back({token, uses});
      ++i;
    } else if (token == ")" && levels.size() > 1) {
      token = leave();
    }
    if (excess == nullptr) continue;
    const bool nests = levels.size() > most_nested;
    if (!nests && total_ + levels.back().sum <= most_tokens) continue;
    *excess = Excess{token, nests};
    return 0;
  }
  while (levels.size() > 1) leave();
  return levels.front().sum;
}

std::optional<Diagnostic> TextSize::refuse(std::string_view file, std::string_view text) {
  const std::string_view kept = texts_.emplace_back(text);
  weights_.clear();
  std::vector<std::vector<std::string_view>> directives;
  std::vector<std::string_view> plain;
  Tokens source(kept);
  bool inside = false;
  for (std::string_view token = source.next(); !token.empty(); token = source.next()) {
    if (source.begins_line()) inside = token == "#";
    if (inside && source.begins_line()) directives.emplace_back();
    (inside ? directives.back() : plain).push_back(token);
  }
  for (const auto& each : directives)
    if (is(each, 1, "define")) define(each);

  std::optional<Excess> excess;
  for (const auto& each : directives)
    if (!is(each, 1, "define") && !excess) total_ += measure(each, &excess);
  if (!excess) total_ += measure(plain, &excess);
  if (!excess) return {};
  Diagnostic error{Severity::error, "CO004", {}, {}, {}};
  if (excess->nests) {
    error.message = "parentheses nest more than 1000 deep here; at most 1000 are compiled";
    error.hint = "give parts of the expression names";
  } else {
    error.message =
        "the shader has more than 500000 tokens here, once macros are replaced; at most 500000 are compiled";
    error.hint = "a macro that names another one twice doubles it: ten such levels are a thousand times as much";
  }
  error.where = Source(file, kept)
                    .locate({static_cast<std::uint32_t>(excess->at.data() - kept.data()),
                             static_cast<std::uint32_t>(excess->at.size())});
  return error;
}

}  // namespace mobula::compile
