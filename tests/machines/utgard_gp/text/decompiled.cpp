#include "decompiled.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <limits>

namespace mobula::utgard_gp::decompiled {
namespace {

constexpr std::uint32_t not_a_number = 0x7FC00000;

float number(std::uint32_t bits) { return std::bit_cast<float>(bits); }
std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }
std::uint32_t truth(bool holds) { return bits_of(holds ? 1.0F : 0.0F); }

/// The other one if one is no number; -0 is less than 0.
float least(float a, float b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
float greatest(float a, float b) { return -least(-a, -b); }

std::int64_t rounded_down(std::uint32_t bits) {
  const double down = std::floor(static_cast<double>(number(bits)));
  if (std::isnan(down)) return 0;
  return static_cast<std::int64_t>(std::clamp(down, -2147483648.0, 2147483647.0));
}

/// Numbers of a place such as uniform[4+A1].x.
struct Place {
  std::string kind;
  std::int64_t index = 0;
  int address = -1;
  unsigned component = 0;
};
bool read_place(const std::string& name, Place& place) {
  const std::size_t open = name.find('['), close = name.find("].");
  if (open == 0 || open == std::string::npos || close == std::string::npos || close + 3 != name.size()) return false;
  const std::size_t component = std::string_view("xyzw").find(name.back());
  if (component == std::string_view::npos) return false;
  place.kind = name.substr(0, open);
  place.component = static_cast<unsigned>(component);
  std::string index = name.substr(open + 1, close - open - 1);
  if (const std::size_t plus = index.find("+A"); plus != std::string::npos) {
    place.address = std::stoi(index.substr(plus + 2));
    index.resize(plus);
  }
  if (index == "A0") {
    place.address = 0;
    return true;
  }
  if (index.empty() || index.find_first_not_of("0123456789") != std::string::npos) return false;
  place.index = std::stol(index);
  return true;
}

}  // namespace

Text::Text(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t colon = line.find(": ");
    if (colon == std::string_view::npos || line.back() != ';')
      throw NotExecutable("not a statement: " + std::string(line));
    statements_.push_back({static_cast<unsigned>(std::stoul(std::string(line.substr(0, colon)))),
                           std::string(line.substr(colon + 2, line.size() - colon - 3))});
  }
}

void Text::run(std::uint64_t word_limit) {
  std::size_t at = 0;
  unsigned word = 0;  // reached, its statements not yet executed
  while (at < statements_.size()) {
    time_ += statements_[at].word - word;
    if (time_ >= word_limit) return;
    word = statements_[at].word;
    for (const Pending& write : pending_)
      if (write.ready <= time_) *write.target = write.bits;
    std::erase_if(pending_, [&](const Pending& write) { return write.ready <= time_; });
    target_ = -1;
    execute(statements_[at]);
    ++at;
    if (target_ < 0) continue;
    ++time_;
    word = static_cast<unsigned>(target_);
    at = 0;
    while (at < statements_.size() && statements_[at].word < word) ++at;
  }
}

void Text::execute(const Statement& statement) {
  statement_ = &statement;
  rest_ = statement.text;
  if (accept("if ")) {
    const bool holds = number(expression()) != 0;
    expect("goto");
    const std::string target = name();
    if (holds) target_ = std::stol(target);
  } else {
    const std::string to = name();
    expect("=");
    const std::uint32_t bits = expression();
    unsigned delay = 0;
    if (accept("after")) {
      delay = static_cast<unsigned>(std::stoul(name()));
      expect("words");
    }
    assign(to, bits, delay);
  }
  if (!rest_.empty()) refuse("'" + std::string(rest_) + "' is left over");
}

void Text::assign(const std::string& name, std::uint32_t bits, unsigned delay) {
  if (name.size() == 2 && name[0] == 'A') {
    const auto rounded = static_cast<std::uint32_t>(static_cast<std::int32_t>(rounded_down(bits)));
    if (delay == 0)
      names_[name] = rounded;
    else
      pending_.push_back({time_ + delay, &names_[name], rounded});
    return;
  }
  Place place;
  if (!read_place(name, place)) {
    names_[name] = bits;
    return;
  }
  if (place.kind == "varying") {
    stored.push_back({static_cast<unsigned>(place.index), place.component, bits});
    return;
  }
  std::uint32_t* target = nullptr;
  if (place.kind == "register") {
    target = &registers.at(static_cast<std::size_t>(place.index))[place.component];
  } else if (place.kind == "temporary") {
    const auto at = static_cast<std::int32_t>(names_["A0"]);
    if (at < 0 || at >= 512) return;
    target = &memory[static_cast<std::size_t>(at)][place.component];
  } else {
    refuse(place.kind + " cannot be assigned");
  }
  if (delay == 0)
    *target = bits;
  else
    pending_.push_back({time_ + delay, target, bits});
}

std::uint32_t Text::expression() {
  if (accept("-")) {
    // A number -0 is the same.
    return expression() ^ 0x80000000U;
  }
  if (!accept("(")) return operand();
  const std::uint32_t a = expression();
  std::uint32_t made = 0;
  if (accept("+")) {
    made = bits_of(number(a) + number(expression()));
  } else if (accept("*")) {
    made = bits_of(number(a) * number(expression()));
  } else if (accept(">=")) {
    made = truth(number(a) >= number(expression()));
  } else if (accept("<")) {
    made = truth(number(a) < number(expression()));
  } else if (accept("?")) {
    const std::uint32_t if_true = expression();
    expect(":");
    const std::uint32_t if_false = expression();
    made = number(a) != 0 ? if_true : if_false;
  } else {
    made = a;
  }
  expect(")");
  return made;
}

std::uint32_t Text::operand() {
  const std::string word = name();
  return accept("(") ? call(word) : value(word);
}

std::uint32_t Text::call(const std::string& function) {
  std::vector<std::uint32_t> x;
  do x.push_back(expression());
  while (accept(","));
  expect(")");
  const auto is = [&](std::string_view wanted, std::size_t arguments) {
    return function == wanted && x.size() == arguments;
  };
  const double first = number(x[0]);
  if (is("floor", 1)) return bits_of(std::floor(number(x[0])));
  if (is("truncate", 1)) return bits_of(std::trunc(number(x[0])));
  if (is("nearest", 1)) return bits_of(std::nearbyint(number(x[0])));
  if (is("sign", 1)) return bits_of(first > 0 ? 1.0F : first < 0 ? -1.0F : 0.0F);
  if (is("min", 2)) return bits_of(least(number(x[0]), number(x[1])));
  if (is("max", 2)) return bits_of(greatest(number(x[0]), number(x[1])));
  if (is("clamp", 3)) return bits_of(least(greatest(number(x[0]), number(x[1])), number(x[2])));
  if (is("rcp", 1)) return bits_of(static_cast<float>(1 / first));
  if (is("rsqrt", 1)) return bits_of(static_cast<float>(1 / std::sqrt(first)));
  if (is("exp2", 1)) return bits_of(static_cast<float>(std::exp2(first)));
  if (is("log2", 1)) return bits_of(static_cast<float>(std::log2(first)));
  if (function == "same")
    return std::all_of(x.begin(), x.end(), [&](std::uint32_t each) { return each == x[0]; }) ? x[0] : not_a_number;
  refuse("no function " + function + " of " + std::to_string(x.size()));
}

std::uint32_t Text::value(const std::string& name) {
  if (name == "undefined") return not_a_number;
  if (name == "0" || name == "1") return truth(name == "1");
  if (name == "0.5") return bits_of(0.5F);
  Place place;
  if (!read_place(name, place)) {
    if (name[0] != '^' && name.find('@') == std::string::npos) refuse("what is " + name + '?');
    const auto known = names_.find(name);
    return known == names_.end() ? not_a_number : known->second;
  }
  if (place.kind == "attribute") return attributes.at(static_cast<std::size_t>(place.index))[place.component];
  if (place.kind == "register") return registers.at(static_cast<std::size_t>(place.index))[place.component];
  if (place.kind != "uniform" || place.address == 0 || place.address > 3) refuse("cannot read " + name);
  const std::int64_t at =
      place.index + (place.address < 0 ? 0 : static_cast<std::int32_t>(names_['A' + std::to_string(place.address)]));
  return at < 0 || at >= 512 ? 0 : memory[static_cast<std::size_t>(at)][place.component];
}

std::string Text::name() {
  while (!rest_.empty() && rest_[0] == ' ') rest_.remove_prefix(1);
  std::size_t end = 0;
  int depth = 0;  // of brackets
  while (end < rest_.size()) {
    const char letter = rest_[end];
    depth += letter == '[' ? 1 : letter == ']' ? -1 : 0;
    const bool inside = depth > 0 && (letter == '+' || letter == '-');
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0 &&
        std::string_view("^[].@").find(letter) == std::string_view::npos && !inside)
      break;
    ++end;
  }
  if (end == 0) refuse("a name is missing");
  std::string found(rest_.substr(0, end));
  rest_.remove_prefix(end);
  return found;
}

bool Text::accept(std::string_view text) {
  while (!rest_.empty() && rest_[0] == ' ') rest_.remove_prefix(1);
  if (!rest_.starts_with(text)) return false;
  rest_.remove_prefix(text.size());
  return true;
}
void Text::expect(std::string_view text) {
  if (!accept(text)) refuse("'" + std::string(text) + "' is missing");
}
void Text::refuse(const std::string& why) const {
  throw NotExecutable(why + " in '" + statement_->text + "' of word " + std::to_string(statement_->word));
}

}  // namespace mobula::utgard_gp::decompiled
