// What the page can ask for. A request is a JSON object whose member "ask" names the question; bytes may come with it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mobula::web {

struct Answer {
  std::string json;
  std::vector<std::uint8_t> bytes;  ///< pixels
};

/// The program and the debugger's session are kept from one question to the next.
Answer answer(std::string_view request, std::span<const std::uint8_t> bytes);

}  // namespace mobula::web
