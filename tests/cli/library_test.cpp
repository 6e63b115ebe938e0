// What the libraries are, seen from outside: the one that reads machine code can execute nothing and carries no
// dependency along, and the public headers mark what shared libraries export.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <regex>
#include <sstream>
#include <vector>

#include "cli/shell.h"
#include "paths.h"

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
  const std::string symbols = symbols_of(isa_library_file());
  ASSERT_NE(symbols.find(" T mobula::machines()"), std::string::npos) << "nm shows nothing of " << isa_library_file();
  std::istringstream lines(symbols);
  for (std::string line; std::getline(lines, line);)
    for (const char* foreign : {"mobula::Interpreter", "mobula::Environment", "mobula::Timeline",
                                "fmt::", "nlohmann::", " png_", "hwy::", "std::ostream", "__printf", " printf"})
      EXPECT_EQ(line.find(foreign), std::string::npos) << line;
}

/// Without what stands between < and >: std::function<void(int)> is not a function.
std::string without_arguments(const std::string& text) {
  std::string kept;
  int depth = 0;
  for (const char c : text) {
    if (c == '<') ++depth;
    if (depth == 0) kept += c;
    if (c == '>') --depth;
  }
  return kept;
}

/// A declaration, up to its semicolon, of a function that is defined elsewhere.
bool declares_function(const std::string& declaration) {
  static const std::regex no_function(R"(^(using|typedef|friend|static_assert|template|struct|class|enum)\b)"),
      here(R"(\b(constexpr|inline)\b|= *(default|delete|0)$)"), operator_name(R"(\boperator[^\s(]+)"),
      initializer(R"( = [^]*)");
  const bool points = declaration.find("(*") != std::string::npos;
  if (points || std::regex_search(declaration, no_function) || std::regex_search(declaration, here)) return false;
  const std::string plain = std::regex_replace(declaration, operator_name, "operator");
  return std::regex_replace(without_arguments(plain), initializer, "").find('(') != std::string::npos;
}

struct Declarations {
  std::size_t marked = 0;
  std::vector<std::string> unmarked;  ///< functions defined elsewhere, and classes with virtual functions
};

/// The functions that a header declares in namespaces and classes, but for templates.
Declarations declarations_of(const std::string& header) {
  static const std::regex comment(R"(//[^\n]*)"), directive(R"((^|\n)#[^\n]*)"), space(R"(\s+)"),
      access(R"(^ *(public|private|protected) *: *)"), class_head(R"(^(class|struct|union)\b)");
  const std::string code =
      std::regex_replace(std::regex_replace(std::regex_replace(header, comment, ""), directive, "\n"), space, " ");
  enum class Scope { named, marked_class, unmarked_class, body };
  std::vector<Scope> scopes{Scope::named};
  Declarations found;
  std::string text;
  int parentheses = 0;
  for (const char c : code) {
    if (c == '(') ++parentheses;
    if (c == ')') --parentheses;
    if (parentheses > 0 || (c != ';' && c != '{' && c != '}')) {
      if (c != ' ' || !text.empty()) text += c;
      text = text.back() == ':' ? std::regex_replace(text, access, "") : text;
      continue;
    }
    const bool is_marked = text.find("MOBULA_API") != std::string::npos;
    const Scope scope = scopes.back();
    if (c == '}') {
      scopes.pop_back();
    } else if (c == '{') {
      const bool nested = scope == Scope::marked_class && text.find("MOBULA_API") == std::string::npos;
      if (scope == Scope::body)
        scopes.push_back(Scope::body);
      else if (text.starts_with("namespace"))
        scopes.push_back(Scope::named);
      else if (std::regex_search(text, class_head))
        scopes.push_back(is_marked || nested ? Scope::marked_class : Scope::unmarked_class);
      else
        scopes.push_back(Scope::body);
    } else if (scope == Scope::unmarked_class && text.starts_with("virtual ")) {
      found.unmarked.push_back(text);
    } else if (scope != Scope::body && declares_function(text)) {
      if (is_marked || scope == Scope::marked_class)
        ++found.marked;
      else
        found.unmarked.push_back(text);
    }
    text.clear();
  }
  return found;
}

TEST(PublicHeaders, MarkEveryFunctionThatTheLibrariesDefine) {
  std::size_t marked = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(source_file("include/mobula"))) {
    if (entry.path().extension() != ".h") continue;
    const Declarations found = declarations_of(read(entry.path()));
    marked += found.marked;
    for (const std::string& declaration : found.unmarked)
      ADD_FAILURE() << entry.path().filename() << " lacks MOBULA_API: " << declaration;
  }
  EXPECT_GT(marked, 200u);
}

TEST(PublicHeaders, WithoutMarksAreFound) {
  const Declarations found = declarations_of(R"(#pragma once
namespace mobula {
int here(int = {});  // seen
MOBULA_API int there(std::span<const int> = {});
inline int inside() { return 1; }
class Plain {
 public:
  explicit Plain(int);
  MOBULA_API void marked();
  Plain& operator=(const Plain&) = default;
  std::function<void(int)> member;
 private:
  bool operator==(const Plain&) const;
};
class Base {
 public:
  virtual ~Base() = default;
};
class MOBULA_API All {
  void one();
  struct Impl;
};
template <class T>
struct Any {
  T value();
};
}
)");
  EXPECT_EQ(found.marked, 3u);
  EXPECT_EQ(found.unmarked,
            (std::vector<std::string>{"int here(int = {})", "explicit Plain(int)",
                                      "bool operator==(const Plain&) const", "virtual ~Base() = default"}));
}

}  // namespace
}  // namespace mobula::test
