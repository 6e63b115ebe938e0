#include "compile/deqp/cases.h"

#include <cctype>
#include <cstdlib>
#include <regex>
#include <stdexcept>

namespace mobula::test::deqp {
namespace {

class Reader {
 public:
  Reader(std::string_view name, std::string_view text) : text_(text), groups_{std::string(name)} {}

  std::vector<Case> read() {
    for (std::string word = next(); !word.empty(); word = next()) {
      if (word == "group") {
        groups_.push_back(groups_.back() + '.' + next());
        next();  // what it is about
      } else if (word == "end") {
        groups_.pop_back();
      } else if (word == "case") {
        cases_.push_back(read_case());
      } else {
        throw std::runtime_error("unknown word " + word);
      }
    }
    return std::move(cases_);
  }

 private:
  void skip_spaces() {
    while (at_ < text_.size()) {
      if (text_[at_] == '#')
        at_ = std::min(text_.find('\n', at_), text_.size());
      else if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0)
        ++at_;
      else
        return;
    }
  }
  std::string until(std::string_view end) {
    const std::size_t begin = at_;
    at_ = std::min(text_.find(end, at_), text_.size());
    std::string found(text_.substr(begin, at_ - begin));
    at_ = std::min(at_ + end.size(), text_.size());
    return found;
  }
  /// A word, a sign, or what stands between quotation marks.
  std::string next() {
    skip_spaces();
    if (at_ == text_.size()) return "";
    if (text_.substr(at_).starts_with("\"\"")) {
      at_ += 2;
      return until("\"\"");
    }
    if (text_[at_] == '"') {
      ++at_;
      return until("\"");
    }
    const auto is_sign = [](char c) { return std::string_view("{}[]|;=(),").find(c) != std::string_view::npos; };
    if (is_sign(text_[at_])) return std::string(1, text_[at_++]);
    const std::size_t begin = at_;
    while (at_ < text_.size() && !is_sign(text_[at_]) && std::isspace(static_cast<unsigned char>(text_[at_])) == 0)
      ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  Case read_case() {
    Case found;
    found.name = groups_.back() + '.' + next();
    for (std::string word = next(); word != "end"; word = next()) {
      if (word == "version")
        next(), next();
      else if (word == "desc")
        next();
      else if (word == "expect")
        found.expect = next();
      else if (word == "require")
        found.requires_what = next();
      else if (word == "values")
        found.blocks.push_back(read_block());
      else if (word == "both")
        found.both = next();
      else if (word == "vertex")
        found.vertex = next();
      else if (word == "fragment")
        found.fragment = next();
      else
        throw std::runtime_error(found.name + ": unknown word " + word);
    }
    return found;
  }
  Block read_block() {
    Block block;
    next();  // {
    for (std::string word = next(); word != "}"; word = next()) {
      Value value;
      value.storage = word == "input"    ? Value::Storage::input
                      : word == "output" ? Value::Storage::output
                                         : Value::Storage::uniform;
      value.type = next();
      skip_spaces();
      value.name = until("=");  // which may be a[0].b
      value.name.erase(value.name.find_last_not_of(' ') + 1);
      std::string sign = next();
      const bool several = sign == "[";
      if (several) sign = next();
      do {
        value.rows.push_back(read_numbers(sign));
        sign = next();
        if (several && sign == "|") sign = next();
      } while (several && sign != "]");
      if (several) next();  // ;
      block.push_back(std::move(value));
    }
    return block;
  }
  /// One number, or what stands in the parentheses behind a type.
  std::vector<double> read_numbers(const std::string& first) {
    const auto number = [](const std::string& word) {
      return word == "true" ? 1.0 : word == "false" ? 0.0 : std::atof(word.c_str());
    };
    if (std::isalpha(static_cast<unsigned char>(first[0])) == 0 || first == "true" || first == "false")
      return {number(first)};
    std::vector<double> numbers;
    next();  // (
    for (std::string word = next(); word != ")"; word = next())
      if (word != ",") numbers.push_back(number(word));
    return numbers;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<std::string> groups_;
  std::vector<Case> cases_;
};

bool is_float(const std::string& type) { return type == "float" || type.starts_with("vec") || type.starts_with("mat"); }
bool is_bool(const std::string& type) { return type.starts_with("b"); }
bool is_modern(const std::string& text) { return text.find("#version 3") != std::string::npos; }
/// What a text of GLSL ES 1.00 and one of 3.00 and later say differently.
struct Dialect {
  bool modern = false;

  explicit Dialect(const std::string& text) : modern(is_modern(text)) {}

  /// The type in which integers and booleans come and go. Old varyings are floats.
  [[nodiscard]] std::string carrier(const std::string& type) const {
    if (is_float(type) || (modern && !is_bool(type))) return type;
    const std::string one = modern ? "int" : "float", several = modern ? "ivec" : "vec";
    return rows(type) == 1 ? one : several + std::to_string(rows(type));
  }
  [[nodiscard]] std::string attribute() const { return modern ? "in" : "attribute"; }
  [[nodiscard]] std::string varying(const std::string& type, bool is_out) const {
    if (!modern) return "varying";
    return std::string(is_float(type) ? "" : "flat ") + (is_out ? "out" : "in");
  }
  /// With as many zeros as it takes.
  [[nodiscard]] std::string colour(const std::string& type, const std::string& source) const {
    std::string zeros;
    for (unsigned i = rows(type); i < 4; ++i) zeros += ", 0";
    return colour_type(type) + '(' + source + zeros + ')';
  }
  [[nodiscard]] std::string colour_type(const std::string& type) const {
    if (!modern || is_float(type)) return "vec4";
    return type.starts_with('u') ? "uvec4" : "ivec4";
  }
};

void replace(std::string& text, const std::string& what, const std::string& with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

struct Parts {
  std::string declarations, setup, output;
};

void declare_input(Parts& parts, const std::string& kind, const Value& value, const std::string& carried,
                   const Dialect& dialect) {
  parts.declarations += kind + " highp " + dialect.carrier(value.type) + ' ' + carried + ";\n";
  if (is_float(value.type)) return;
  parts.declarations += value.type + ' ' + value.name + ";\n";
  parts.setup += value.name + " = " + value.type + '(' + carried + ");\n";
}
void declare_uniform(Parts& parts, const Value& value, const std::string& text) {
  const std::string name = value.name.substr(0, value.name.find_first_of(".["));
  if (std::regex_search(text, std::regex("uniform[^;]*\\b" + name + "\\b"))) return;
  const std::string precision = is_bool(value.type) ? "" : Dialect(text).modern ? "highp " : "mediump ";
  parts.declarations += "uniform " + precision + value.type + ' ' + value.name + ";\n";
}

std::string filled(std::string text, const Parts& parts, const std::string& stage, const std::string& position) {
  text.erase(0, text.find_first_not_of("\r\n\t "));
  std::string one_line = parts.declarations;
  replace(one_line, "\n", " ");
  replace(text, "${DECLARATIONS}", parts.declarations);
  replace(text, "${DECLARATIONS:single-line}", one_line);
  replace(text, "${SETUP}", parts.setup);
  replace(text, "${OUTPUT}", parts.output);
  replace(text, "${" + stage + "_DECLARATIONS}", parts.declarations);
  replace(text, "${" + stage + "_SETUP}", parts.setup);
  replace(text, "${" + stage + "_OUTPUT}", parts.output);
  replace(text, "${POSITION_FRAG_COLOR}", position);
  replace(text, "${FRAG_COLOR}", is_modern(text) ? colour_name(text, 0) : "gl_FragColor");
  return text;
}

}  // namespace

std::vector<Case> read_cases(std::string_view name, std::string_view text) { return Reader(name, text).read(); }

unsigned columns(const std::string& type) { return type.starts_with("mat") ? static_cast<unsigned>(type[3] - '0') : 1; }
unsigned rows(const std::string& type) {
  const char last = type.back();
  return std::isdigit(static_cast<unsigned char>(last)) != 0 ? static_cast<unsigned>(last - '0') : 1;
}

std::string varying_name(const Value& value) { return is_float(value.type) ? value.name : "v_" + value.name; }
std::string attribute_name(const Value& value) { return is_float(value.type) ? value.name : "a_" + value.name; }

unsigned first_colour(const Block& block, const Value& output) {
  unsigned first = 0;
  for (const Value& value : block) {
    if (&value == &output) break;
    if (value.storage == Value::Storage::output) first += columns(value.type);
  }
  return first;
}

std::string colour_name(const std::string& text, unsigned number) {
  const std::string digits = std::to_string(number);
  return is_modern(text) ? "dEQP_colour" + digits : "gl_FragData[" + digits + ']';
}

std::string vertex_text(const std::string& text, const Block& block) {
  const Dialect dialect(text);
  Parts parts;
  parts.declarations = dialect.attribute() + " highp vec4 dEQP_Position;\n";
  parts.output = "gl_Position = dEQP_Position;\n";
  for (const Value& value : block) {
    if (value.storage == Value::Storage::input)
      declare_input(parts, dialect.attribute(), value, attribute_name(value), dialect);
    if (value.storage == Value::Storage::uniform) declare_uniform(parts, value, text);
    if (value.storage != Value::Storage::output) continue;
    parts.declarations +=
        dialect.varying(value.type, true) + " highp " + dialect.carrier(value.type) + ' ' + varying_name(value) + ";\n";
    if (is_float(value.type)) continue;
    parts.declarations += value.type + ' ' + value.name + ";\n";
    parts.output += varying_name(value) + " = " + dialect.carrier(value.type) + '(' + value.name + ");\n";
  }
  return filled(text, parts, "VERTEX", "gl_Position");
}

std::string fragment_text(const std::string& text, const Block& block) {
  const Dialect dialect(text);
  Parts parts;
  for (const Value& value : block) {
    if (value.storage == Value::Storage::input)
      declare_input(parts, dialect.varying(value.type, false), value, varying_name(value), dialect);
    if (value.storage == Value::Storage::uniform) declare_uniform(parts, value, text);
    if (value.storage != Value::Storage::output) continue;
    const std::string precision = is_bool(value.type) ? "" : dialect.modern ? "highp " : "mediump ";
    parts.declarations += precision + value.type + ' ' + value.name + ";\n";
    const bool matrix = columns(value.type) > 1;
    for (unsigned column = 0; column < columns(value.type); ++column) {
      const unsigned number = first_colour(block, value) + column;
      const std::string source = value.name + (matrix ? '[' + std::to_string(column) + ']' : "");
      const std::string colour = colour_name(text, number);
      if (dialect.modern)
        parts.declarations += "layout(location = " + std::to_string(number) + ") out highp " +
                              dialect.colour_type(value.type) + ' ' + colour + ";\n";
      parts.output += colour + " = " + dialect.colour(value.type, source) + ";\n";
    }
  }
  return filled(text, parts, "FRAGMENT", dialect.modern ? colour_name(text, 0) : "gl_FragColor");
}

}  // namespace mobula::test::deqp
