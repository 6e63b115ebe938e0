#include "compile/front/text_size.h"

#include <algorithm>
#include <cctype>

#include "core/source.h"

namespace mobula::compile {
namespace {

constexpr double most_tokens = 500'000;
constexpr std::size_t most_nested = 1'000;

bool is_word(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_'; }

/// Takes tokens from the front of a text, without comments.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : rest_(text) {}

  /// The next token; empty at the end.
  std::string_view next() {
    begins_line_ = at_start_;
    skip();
    at_start_ = false;
    std::size_t length = 0;
    while (length < rest_.size() && is_word(rest_[length])) ++length;
    const std::string_view token = rest_.substr(0, std::max<std::size_t>(length, 1));
    rest_.remove_prefix(token.size());
    return token;
  }
  /// Whether the token before which next() stopped is the first of its line.
  [[nodiscard]] bool begins_line() const { return begins_line_; }

 private:
  void skip() {
    while (!rest_.empty()) {
      if (rest_.starts_with("\\\n")) {
        rest_.remove_prefix(2);
      } else if (rest_.starts_with("\\\r\n")) {
        rest_.remove_prefix(3);
      } else if (rest_.starts_with("//")) {
        rest_.remove_prefix(std::min(rest_.size(), rest_.find('\n')));
      } else if (rest_.starts_with("/*")) {
        const std::size_t end = rest_.find("*/", 2);
        rest_.remove_prefix(end == rest_.npos ? rest_.size() : end + 2);
      } else if (std::isspace(static_cast<unsigned char>(rest_.front())) != 0) {
        begins_line_ = begins_line_ || rest_.front() == '\n';
        rest_.remove_prefix(1);
      } else {
        return;
      }
    }
  }

  std::string_view rest_;
  bool at_start_ = true, begins_line_ = true;
};

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
