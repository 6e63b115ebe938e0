// The library that reads machine code can execute nothing and carries no dependency along.
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <sstream>

namespace mobula::test {
namespace {

std::string symbols_of(const std::string& library) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(("nm --demangle " + library).c_str(), "r"), pclose);
  std::string text;
  char piece[4096];
  while (const std::size_t count = std::fread(piece, 1, sizeof piece, pipe.get())) text.append(piece, count);
  return text;
}

TEST(IsaLibrary, NamesNoInterpreterAndNoDependency) {
  const std::string symbols = symbols_of(MOBULA_ISA_LIBRARY);
  ASSERT_NE(symbols.find(" T mobula::machines()"), std::string::npos) << "nm shows nothing of " MOBULA_ISA_LIBRARY;
  std::istringstream lines(symbols);
  for (std::string line; std::getline(lines, line);)
    for (const char* foreign : {"mobula::Interpreter", "mobula::Environment", "mobula::Timeline",
                                "fmt::", "nlohmann::", " png_", "hwy::", "std::ostream", "__printf", " printf"})
      EXPECT_EQ(line.find(foreign), std::string::npos) << line;
}

}  // namespace
}  // namespace mobula::test
