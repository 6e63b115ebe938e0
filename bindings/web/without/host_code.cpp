// WebAssembly has no code of the host: the interpreter does every run.
#include "execute/host_code.h"

#include "execute/code_cache.h"

namespace mobula::native {

const Compiler* find_compiler(std::string& reason) {
  reason = "a page has no code of the host";
  return nullptr;
}
std::string compiler_identity() { return {}; }

HostCode::HostCode(const Code&) {}
HostCode::~HostCode() = default;

std::vector<std::uint8_t> key_of(const Request&) { return {}; }
std::shared_ptr<const ReadyCode> find_ready(const std::vector<std::uint8_t>&) { return nullptr; }
void keep_ready(const std::vector<std::uint8_t>&, std::shared_ptr<const ReadyCode>) {}

CodeCache::CodeCache(std::string folder) : folder_(std::move(folder)) {}
std::optional<Code> CodeCache::find(const std::vector<std::uint8_t>&) const { return {}; }
void CodeCache::keep(const std::vector<std::uint8_t>&, const Code&) const {}

}  // namespace mobula::native
