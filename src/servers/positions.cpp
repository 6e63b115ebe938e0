#include "servers/positions.h"

#include <algorithm>

namespace mobula::servers {
namespace {

std::size_t letter_bytes(unsigned char first) { return first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4; }

}  // namespace

Positions::Positions(std::string_view text, PositionEncoding encoding) : text_(text), encoding_(encoding) {
  starts_.push_back(0);
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n' || (text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n'))) starts_.push_back(i + 1);
}

std::uint64_t Positions::units(unsigned char first) const {
  switch (encoding_) {
    case PositionEncoding::utf8:
      return letter_bytes(first);
    case PositionEncoding::utf16:
      return first < 0xF0 ? 1 : 2;
    case PositionEncoding::utf32:
      return 1;
  }
  return 1;
}

std::string_view Positions::line(std::size_t number) const {
  if (number >= starts_.size()) return {};
  const std::size_t end = number + 1 < starts_.size() ? starts_[number + 1] : text_.size();
  std::string_view line = text_.substr(starts_[number], end - starts_[number]);
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::optional<std::size_t> Positions::offset(Position position) const {
  if (position.line >= starts_.size()) return {};
  const std::string_view text = line(static_cast<std::size_t>(position.line));
  std::size_t at = 0;
  for (std::uint64_t left = position.character; at < text.size();) {
    const auto first = static_cast<unsigned char>(text[at]);
    if (left < units(first)) break;
    left -= units(first);
    at = std::min(text.size(), at + letter_bytes(first));
  }
  return starts_[static_cast<std::size_t>(position.line)] + at;
}

Position Positions::at(std::size_t offset) const {
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), offset);
  const auto number = static_cast<std::size_t>(after - starts_.begin() - 1);
  Position position{number, 0};
  const std::string_view text = line(number);
  for (std::size_t at = 0; at < text.size() && starts_[number] + at < offset;) {
    const auto first = static_cast<unsigned char>(text[at]);
    if (starts_[number] + at + letter_bytes(first) > offset) break;
    position.character += units(first);
    at += letter_bytes(first);
  }
  return position;
}

}  // namespace mobula::servers
