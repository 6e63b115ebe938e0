// Code of the host kept in files from one run to the next.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "execute/native.h"

namespace mobula::native {

/// Everything the code depends on: the program, how its calls are bound, this processor, the compiler and its version.
std::vector<std::uint8_t> key_of(const Request& request);

class CodeCache {
 public:
  /// Keeps nothing where `folder` is empty, cannot be made, or can be written by others: its files are executed.
  explicit CodeCache(std::string folder);
  [[nodiscard]] std::optional<Code> find(const std::vector<std::uint8_t>& key) const;
  /// Files come whole or not at all, whoever else writes at the same time; the oldest go.
  void keep(const std::vector<std::uint8_t>& key, const Code& code) const;

 private:
  std::string folder_;
};

}  // namespace mobula::native
