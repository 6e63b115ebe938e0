#include "execute/code_cache.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "ir/builder.h"

namespace mobula::native {
namespace {

namespace fs = std::filesystem;

class CodeCaches : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "mobula-cache-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder_)) found.push_back(entry.path());
    return found;
  }

  fs::path folder_;
};

const std::vector<std::uint8_t> key{1, 2, 3};

Code code_of(std::uint8_t byte) { return {std::vector<std::uint8_t>(300, byte), 16, 8, {{0, 1}, {2}}}; }

void expect_same(const std::optional<Code>& found, const Code& wanted) {
  ASSERT_TRUE(found);
  EXPECT_EQ(found->bytes, wanted.bytes);
  EXPECT_EQ(found->entry, wanted.entry);
  EXPECT_EQ(found->lanes, wanted.lanes);
  EXPECT_EQ(found->counted, wanted.counted);
}

TEST_F(CodeCaches, FindWhatTheyHaveKept) {
  const CodeCache cache(folder_);
  EXPECT_FALSE(cache.find(key));
  cache.keep(key, code_of(7));
  expect_same(CodeCache(folder_).find(key), code_of(7));
  EXPECT_FALSE(cache.find({1, 2, 4}));
  EXPECT_FALSE(CodeCache("").find(key));
}

/// Cut anywhere, with any byte changed, or of another key: no code comes of it.
TEST_F(CodeCaches, TakeNothingFromBrokenFiles) {
  const CodeCache cache(folder_);
  cache.keep(key, code_of(7));
  ASSERT_EQ(files().size(), 1u);
  std::ifstream stream(files()[0], std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(stream), {}};
  const auto put = [&](const std::string& content) {
    std::ofstream(files()[0], std::ios::binary | std::ios::trunc) << content;
  };
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x20);
    put(changed);
    EXPECT_FALSE(cache.find(key)) << "byte " << at;
    put(whole.substr(0, at));
    EXPECT_FALSE(cache.find(key)) << "cut at " << at;
  }
  put(whole);
  EXPECT_TRUE(cache.find(key));
  fs::rename(files()[0], folder_ / "other");
  cache.keep({9}, code_of(8));
  for (const fs::path& file : files())
    if (file.filename() != "other") fs::copy_file(folder_ / "other", file, fs::copy_options::overwrite_existing);
  EXPECT_FALSE(cache.find({9}));
}

TEST_F(CodeCaches, AreReadWholeWhileOthersWrite) {
  std::vector<std::jthread> writers;
  for (std::uint8_t which = 1; which <= 2; ++which)
    writers.emplace_back([this, which] {
      const CodeCache cache(folder_);
      for (int i = 0; i < 200; ++i) cache.keep(key, code_of(which));
    });
  const CodeCache cache(folder_);
  cache.keep(key, code_of(1));
  for (int i = 0; i < 200; ++i) {
    const auto found = cache.find(key);
    ASSERT_TRUE(found);
    EXPECT_EQ(std::count(found->bytes.begin(), found->bytes.end(), found->bytes.front()), 300);
  }
  writers.clear();
  EXPECT_EQ(files().size(), 1u) << "what is being written goes when it is there";
}

/// A pipe would be waited for.
TEST_F(CodeCaches, TakeNothingFromWhatIsNoFile) {
  const CodeCache cache(folder_);
  cache.keep(key, code_of(7));
  const std::filesystem::path name = files().at(0);
  std::filesystem::remove(name);
  std::filesystem::create_directory(name);
  EXPECT_FALSE(cache.find(key));
  std::filesystem::remove(name);
  ASSERT_EQ(mkfifo(name.c_str(), 0600), 0);
  EXPECT_FALSE(cache.find(key));
}

TEST_F(CodeCaches, UseNoFolderThatOthersCanWriteTo) {
  CodeCache(folder_).keep(key, code_of(7));
  ASSERT_EQ(chmod(folder_.c_str(), 0777), 0);
  EXPECT_FALSE(CodeCache(folder_).find(key));
}

/// All that code depends on is in the key.
TEST_F(CodeCaches, KeysTellProgramsApart) {
  const auto program = [](std::uint32_t word) {
    ir::Builder b(std::vector<ir::Slot>{{"a", 0, 4}, {"b", 4, 4}});
    b.begin_block(0, 16);
    b.emit(ir::Op::iadd, ir::Type::i32, ir::Operand::state(0), ir::Operand::state(4), b.constant_u32(word));
    b.end();
    b.end_block();
    return b.finish(0);
  };
  const ir::Program one = program(1), two = program(2);
  const std::vector<Binding> host{Binding{}}, colour{Binding{.how = Binding::How::colour}};
  EXPECT_EQ(key_of({&one, host}), key_of({&one, host}));
  EXPECT_NE(key_of({&one, host}), key_of({&two, host}));
  EXPECT_NE(key_of({&one, host}), key_of({&one, colour}));
  EXPECT_NE(key_of({&one, host}), key_of({.program = &one, .calls = host, .most_lanes = 8}));
  EXPECT_NE(key_of({&one, host}), key_of({.program = &one, .calls = host, .keeps_bytes = true}));
  const std::vector<PlaceWord> across{{.word = 1, .axis = 0}}, down{{.word = 1, .axis = 1}};
  EXPECT_NE(key_of({&one, host}), key_of({&one, host, across}));
  EXPECT_NE(key_of({&one, host, across}), key_of({&one, host, down}));
}

}  // namespace
}  // namespace mobula::native
