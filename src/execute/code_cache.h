// Code of the host kept from one run to the next: in this process, and in files.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "execute/host_code.h"
#include "execute/native.h"

namespace mobula::native {

/// Everything the code depends on: the program, how its calls are bound, this processor, the compiler and its version.
std::vector<std::uint8_t> key_of(const Request& request);

/// Code in memory where it can run, and what else Code says of it.
struct ReadyCode {
  explicit ReadyCode(const Code& code) : code(code), lanes(code.lanes), counted(code.counted) {}
  HostCode code;
  std::uint32_t lanes;
  std::vector<std::vector<std::uint32_t>> counted;
};

/// What this process has used last.
std::shared_ptr<const ReadyCode> find_ready(const std::vector<std::uint8_t>& key);
void keep_ready(const std::vector<std::uint8_t>& key, std::shared_ptr<const ReadyCode> code);

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
