// The few functions of load.h that read files.
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "mobula/lab/load.h"

namespace mobula {
namespace {

std::string_view file_text(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// By what errno says.
Unexpected cannot_read(const std::string& file) {
  return fail("MOB007", "cannot read " + file + ": " + std::strerror(errno));
}

/// How much is left to read of a regular file; 0 if it is something else, or does not know.
std::uint64_t bytes_left(std::FILE* stream) {
  struct stat about {};
  if (::fstat(::fileno(stream), &about) != 0 || !S_ISREG(about.st_mode)) return 0;
  const off_t read = std::max<off_t>(::ftello(stream), 0);
  return about.st_size > read ? static_cast<std::uint64_t>(about.st_size - read) : 0;
}

Unexpected too_large(const std::string& name) {
  return fail("MOB011", name + " is larger than " + std::to_string(input_limit >> 20) + " MiB",
              "no input is read beyond that size");
}

}  // namespace

Result<std::vector<std::uint8_t>> load_bytes(const std::string& file) {
  struct Closer {
    void operator()(std::FILE* stream) const { std::fclose(stream); }
  };
  const std::unique_ptr<std::FILE, Closer> stream(std::fopen(file.c_str(), "rb"));
  if (!stream) return cannot_read(file);
  return load_bytes(stream.get(), file);
}

Result<std::vector<std::uint8_t>> load_bytes(std::FILE* stream, const std::string& name) {
  const std::uint64_t known = bytes_left(stream);
  if (known > input_limit) return too_large(name);
  std::vector<std::uint8_t> bytes;
  std::size_t piece = known > 0 ? static_cast<std::size_t>(known) + 1 : 64 << 10;  // a byte more shows the end
  for (std::size_t used = 0;; piece = 2 * used) {
    bytes.resize(std::min(piece, input_limit + 1));
    used += std::fread(bytes.data() + used, 1, bytes.size() - used, stream);
    if (std::ferror(stream) != 0) return cannot_read(name);
    if (used > input_limit) return too_large(name);
    if (used < bytes.size()) {
      bytes.resize(used);
      return bytes;
    }
  }
}

Result<Program> load_program_file(const std::string& file, std::string machine) {
  const auto bytes = load_bytes(file);
  if (!bytes) return fail(bytes.error());
  LoadOptions options{.machine = std::move(machine)};
  const std::string side_name = side_file_name(file);
  std::error_code unknown;
  if (detect_format(*bytes, file) != ContainerFormat::text && side_name != file &&
      std::filesystem::is_regular_file(side_name, unknown)) {
    const auto text = load_bytes(side_name);
    if (!text) return fail(text.error());
    Result<SideFile> side = read_side_file({side_name, file_text(*text)});
    if (!side) return fail(std::move(side).error());
    options.side = std::move(*side);
  }
  return load_program(*bytes, file, std::move(options));
}

Result<RunInputs> load_run_inputs(const std::string& file, const Interface& interface) {
  const auto text = load_bytes(file);
  if (!text) return fail(text.error());
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  return read_run_inputs({file, file_text(*text)}, interface,
                         [&](const std::string& name) { return load_bytes((folder / name).string()); });
}

}  // namespace mobula
