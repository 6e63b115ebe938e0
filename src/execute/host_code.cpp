#include "execute/host_code.h"

#include <dlfcn.h>
#include <sys/mman.h>

#include <cstring>
#include <filesystem>
#include <vector>

#include "core/late_library.h"

namespace mobula::native {
namespace {

constexpr const char* plug_in = "libmobula-jit.so";

/// Where plug-ins may be: in a build beside this library or program; installed in a folder of their own beside the
/// libraries, which a program that contains this one has elsewhere.
std::vector<std::filesystem::path> places() {
  Dl_info here{};
  if (dladdr(reinterpret_cast<const void*>(&find_compiler), &here) == 0 || here.dli_fname == nullptr) return {};
  std::error_code ignored;
  const std::filesystem::path folder = std::filesystem::canonical(here.dli_fname, ignored).parent_path();
  return {folder, folder.parent_path(), folder / "mobula", folder / MOBULA_LIBRARIES_FROM_PROGRAMS / "mobula"};
}

std::filesystem::path find_plug_in() {
  if (MOBULA_STATIC) return {};  // nothing can be loaded into such a program
  for (const std::filesystem::path& place : places()) {
    std::error_code ignored;
    if (std::filesystem::exists(place / plug_in, ignored)) return place / plug_in;
  }
  return {};
}

struct Found {
  const Compiler* compiler = nullptr;
  std::string reason;
};

#if MOBULA_STATIC
Found load() { return {nullptr, "this command is linked statically, and loads no plug-ins"}; }
#else
Found load() {
  const std::filesystem::path file = find_plug_in();
  if (file.empty()) return {nullptr, "the library mobula-jit is not installed"};
  LateLibrary library(file.c_str());
  if (!library.error().empty()) return {nullptr, library.error()};
  FindCompiler find = nullptr;
  library.find(find, find_compiler_name);
  if (find == nullptr) return {nullptr, "the library mobula-jit is of another version"};
  return {find(), {}};
}
#endif

}  // namespace

const Compiler* find_compiler(std::string& reason) {
  static const Found found = load();
  reason = found.reason;
  return found.compiler;
}

std::string compiler_identity() {
  const std::filesystem::path file = find_plug_in();
  if (file.empty()) return {};
  std::error_code ignored;
  const auto written = std::filesystem::last_write_time(file, ignored).time_since_epoch().count();
  return MOBULA_JIT_VERSION + (' ' + file.string()) + ' ' + std::to_string(std::filesystem::file_size(file, ignored)) +
         ' ' + std::to_string(written);
}

HostCode::HostCode(const Code& code) : bytes_(code.bytes.size()) {
  void* const memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  memory_ = memory;
  std::memcpy(memory_, code.bytes.data(), bytes_);
  if (mprotect(memory_, bytes_, PROT_READ | PROT_EXEC) != 0) return;
  entry_ = reinterpret_cast<Entry>(static_cast<std::uint8_t*>(memory_) + code.entry);
}

HostCode::~HostCode() {
  if (memory_ != nullptr) munmap(memory_, bytes_);
}

}  // namespace mobula::native
