// The PFP and the ME of the Adreno document's examples, as images.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/shell.h"
#include "paths.h"

namespace mobula::test {

inline std::string document_example(const std::string& name) { return source_file("examples/documents/afuc/" + name); }

struct TwoCores {
  TwoCores() : pfp(folder.file("pfp.fw")), me(folder.file("me.fw")) {
    EXPECT_EQ(run({"asm", "-m", "afuc", document_example("pfp.afuc"), "-o", pfp}).status, 0);
    EXPECT_EQ(run({"asm", "-m", "afuc", document_example("me.afuc"), "-o", me}).status, 0);
  }
  /// A subcommand with both images, and further arguments.
  [[nodiscard]] std::vector<std::string> command(const std::string& name, const std::vector<std::string>& more) const {
    std::vector<std::string> all{name, pfp, me};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  Folder folder;
  std::string pfp, me;
};

}  // namespace mobula::test
