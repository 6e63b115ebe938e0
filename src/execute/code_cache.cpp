#include "execute/code_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <string_view>
#include <utility>

#include "execute/host_code.h"

namespace mobula::native {
namespace {

namespace fs = std::filesystem;

/// To be counted up with every change of the files' form or of what Frame holds.
constexpr std::uint32_t file_version = 6;
constexpr std::size_t most_files = 512, most_ready = 32;

// ---- bytes

class Writer {
 public:
  std::vector<std::uint8_t> bytes;
  void number(std::uint64_t value) {
    std::array<std::uint8_t, 8> word{};
    for (std::size_t i = 0; i < word.size(); ++i) word[i] = static_cast<std::uint8_t>(value >> (8 * i));
    bytes.insert(bytes.end(), word.begin(), word.end());
  }
  template <class Bytes>
  void block(const Bytes& block) {
    number(std::size(block));
    bytes.insert(bytes.end(), std::begin(block), std::end(block));
  }
  void operand(ir::Operand operand) {
    number(operand.is_none() ? ~std::uint64_t{0} : operand.byte() | std::uint64_t{operand.is_constant()} << 32);
  }
};

class Reader {
 public:
  explicit Reader(std::span<const std::uint8_t> bytes) : left_(bytes) {}
  [[nodiscard]] bool is_sound() const { return sound_; }
  [[nodiscard]] bool is_at_end() const { return left_.empty(); }
  std::uint64_t number() {
    std::uint64_t value = 0;
    const auto bytes = take(8);
    for (std::size_t i = 0; i < bytes.size(); ++i) value |= std::uint64_t{bytes[i]} << (8 * i);
    return value;
  }
  std::span<const std::uint8_t> block() { return take(number()); }

 private:
  std::span<const std::uint8_t> take(std::uint64_t count) {
    if (count > left_.size()) {
      sound_ = false;
      left_ = {};
      return {};
    }
    const auto taken = left_.first(static_cast<std::size_t>(count));
    left_ = left_.subspan(taken.size());
    return taken;
  }
  std::span<const std::uint8_t> left_;
  bool sound_ = true;
};

/// FNV-1a.
std::uint64_t hash(std::span<const std::uint8_t> bytes) {
  std::uint64_t value = 0xCBF29CE484222325;
  for (const std::uint8_t byte : bytes) value = (value ^ byte) * 0x100000001B3;
  return value;
}

// ---- what the code depends on

/// What the processor says of itself: its family and everything it can do.
void add_processor(Writer& key) {
#if defined(__x86_64__)
  for (const auto& [leaf, part] : {std::pair{0x1u, 0u}, {0x7u, 0u}, {0x7u, 1u}, {0x80000001u, 0u}, {0xDu, 0u}}) {
    unsigned a = 0, b = 0, c = 0, d = 0;
    __get_cpuid_count(leaf, part, &a, &b, &c, &d);
    if (leaf == 1) b = 0;  // which of the cores this is
    for (const unsigned word : {a, leaf == 0xD ? 0 : b, c, d}) key.number(word);
  }
#else
  key.number(0);
#endif
}

void add_program(Writer& key, const ir::Program& program) {
  for (const std::uint64_t value : {std::uint64_t{program.state_bytes}, std::uint64_t{program.entry}})
    key.number(value);
  key.block(program.constants);
  key.number(program.blocks.size());
  for (const ir::Block& block : program.blocks) {
    key.number(block.first | std::uint64_t{block.count} << 32);
    key.number(block.next ? *block.next : ~std::uint64_t{0});
  }
  for (const ir::Operation& operation : program.operations) {
    key.number(static_cast<std::uint64_t>(operation.op) | static_cast<std::uint64_t>(operation.type) << 8 |
               static_cast<std::uint64_t>(operation.from) << 16 | static_cast<std::uint64_t>(operation.round) << 24 |
               std::uint64_t{operation.extra} << 32);
    key.operand(operation.dst);
    for (const ir::Operand source : operation.src) key.operand(source);
  }
  key.number(program.calls.size());
  for (const ir::Call& call : program.calls) {
    key.number(static_cast<std::uint64_t>(call.service) | static_cast<std::uint64_t>(call.type) << 8 |
               std::uint64_t{call.count} << 16 | std::uint64_t{call.index} << 32);
    key.number(call.flags);
    key.operand(call.data);
    for (const ir::Operand argument : call.args) key.operand(argument);
  }
  // Of textures the code knows the operands, and where levels come from.
  for (const ir::Texture& texture : program.textures) {
    for (const ir::Operand operand : texture.coordinate) key.operand(operand);
    for (const auto* three : {&texture.ddx, &texture.ddy, &texture.offset})
      for (const ir::Operand operand : *three) key.operand(operand);
    for (const ir::Operand operand : {texture.lod, texture.texture, texture.sampler}) key.operand(operand);
    key.number(texture.implicit_lod ? 1 : 0);
  }
}

}  // namespace

std::vector<std::uint8_t> key_of(const Request& request) {
  // Under a hypervisor, asking the processor takes longer than many a picture.
  static const Writer surroundings = [] {
    Writer beginning;
    beginning.number(file_version);
    beginning.block(compiler_identity());
    add_processor(beginning);
    return beginning;
  }();
  Writer key = surroundings;
  key.number(request.most_lanes | std::uint64_t{request.keeps_bytes} << 32);
  key.number(request.places.size());
  for (const PlaceWord& place : request.places) key.number(place.word | std::uint64_t{place.axis} << 32);
  add_program(key, *request.program);
  for (const Binding& binding : request.calls) {
    key.number(static_cast<std::uint64_t>(binding.how) << 32 | binding.index);
    const Sampling& how = binding.sampling;
    std::uint64_t flags = 0;
    for (const bool flag : {how.is_linear, how.is_wide, how.chooses_level, how.mixes_levels, how.uses_sampler_lod,
                            how.has_power_sides, how.clamps[0], how.clamps[1]})
      flags = 2 * flags + (flag ? 1 : 0);
    key.number(flags);
  }
  return std::move(key.bytes);
}

// ---- this process

namespace {

using Ready = std::pair<std::vector<std::uint8_t>, std::shared_ptr<const ReadyCode>>;
/// The one used last is the first.
std::vector<Ready> ready_codes;
std::mutex ready_lock;

}  // namespace

std::shared_ptr<const ReadyCode> find_ready(const std::vector<std::uint8_t>& key) {
  const std::lock_guard lock(ready_lock);
  const auto found =
      std::find_if(ready_codes.begin(), ready_codes.end(), [&](const Ready& each) { return each.first == key; });
  if (found == ready_codes.end()) return nullptr;
  std::rotate(ready_codes.begin(), found, found + 1);
  return ready_codes.front().second;
}

void keep_ready(const std::vector<std::uint8_t>& key, std::shared_ptr<const ReadyCode> code) {
  const std::lock_guard lock(ready_lock);
  if (ready_codes.size() == most_ready) ready_codes.pop_back();
  ready_codes.insert(ready_codes.begin(), {key, std::move(code)});
}

// ---- files

CodeCache::CodeCache(std::string folder) : folder_(std::move(folder)) {
  if (folder_.empty()) return;
  std::error_code ignored;
  fs::create_directories(fs::path(folder_).parent_path(), ignored);
  mkdir(folder_.c_str(), 0700);
  struct stat is {};
  const bool is_safe = stat(folder_.c_str(), &is) == 0 && S_ISDIR(is.st_mode) && is.st_uid == geteuid() &&
                       (is.st_mode & (S_IWGRP | S_IWOTH)) == 0;
  if (!is_safe) folder_.clear();
}

namespace {

std::string name_of(const std::vector<std::uint8_t>& key) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string name;
  for (std::uint64_t left = hash(key), i = 0; i < 16; ++i, left >>= 4) name += digits[left & 15];
  return name + ".code";
}

void remove_oldest(const fs::path& folder) {
  std::error_code wrong;
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  for (fs::directory_iterator at(folder, wrong), end; !wrong && at != end; at.increment(wrong))
    files.emplace_back(at->last_write_time(wrong), at->path());
  if (files.size() <= most_files) return;
  std::sort(files.begin(), files.end());
  for (std::size_t i = 0; i < files.size() - most_files / 2; ++i) fs::remove(files[i].second, wrong);
}

}  // namespace

std::optional<Code> CodeCache::find(const std::vector<std::uint8_t>& key) const {
  if (folder_.empty()) return std::nullopt;
  const fs::path path = fs::path(folder_) / name_of(key);
  std::error_code wrong;
  if (!fs::is_regular_file(path, wrong)) return std::nullopt;  // a pipe would be waited for
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  const std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
  if (bytes.size() < 8) return std::nullopt;
  const auto content = std::span(bytes).first(bytes.size() - 8);
  if (Reader(std::span(bytes).last(8)).number() != hash(content)) return std::nullopt;
  Reader reader(content);
  const auto found = reader.block();
  if (!std::equal(found.begin(), found.end(), key.begin(), key.end())) return std::nullopt;
  Code code;
  const auto code_bytes = reader.block();
  code.bytes.assign(code_bytes.begin(), code_bytes.end());
  code.entry = reader.number();
  code.lanes = static_cast<std::uint32_t>(reader.number());
  for (std::uint64_t left = reader.number(); left != 0 && reader.is_sound(); --left) {
    std::vector<std::uint32_t>& blocks = code.counted.emplace_back();
    for (std::uint64_t count = reader.number(); count != 0 && reader.is_sound(); --count)
      blocks.push_back(static_cast<std::uint32_t>(reader.number()));
  }
  if (!reader.is_sound() || !reader.is_at_end()) return std::nullopt;
  return code;
}

void CodeCache::keep(const std::vector<std::uint8_t>& key, const Code& code) const {
  if (folder_.empty()) return;
  Writer file;
  file.block(key);
  file.block(code.bytes);
  file.number(code.entry);
  file.number(code.lanes);
  file.number(code.counted.size());
  for (const std::vector<std::uint32_t>& blocks : code.counted) {
    file.number(blocks.size());
    for (const std::uint32_t block : blocks) file.number(block);
  }
  file.number(hash(file.bytes));

  std::string temporary = (fs::path(folder_) / "new-XXXXXX").string();
  const int descriptor = mkstemp(temporary.data());
  if (descriptor < 0) return;
  const ssize_t written = write(descriptor, file.bytes.data(), file.bytes.size());
  close(descriptor);
  std::error_code wrong;
  if (written == static_cast<ssize_t>(file.bytes.size()))
    fs::rename(temporary, fs::path(folder_) / name_of(key), wrong);
  if (written != static_cast<ssize_t>(file.bytes.size()) || wrong) fs::remove(temporary, wrong);
  remove_oldest(folder_);
}

}  // namespace mobula::native
