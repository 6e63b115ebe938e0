// Executes what `--syntax decompile` prints, by docs/utgard-gp-mesa.md alone: it knows the language and nothing of the
// machine, and shares no code with the library.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace mobula::utgard_gp::decompiled {

/// The text is not of the language, or says that nobody knows what it does.
struct NotExecutable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Text {
 public:
  explicit Text(std::string_view text);

  using Vec4 = std::array<std::uint32_t, 4>;
  struct Stored {
    unsigned varying = 0, component = 0;
    std::uint32_t bits = 0;
  };
  std::array<Vec4, 16> attributes{}, registers{};
  std::array<Vec4, 512> memory{};
  std::vector<Stored> stored;

  /// Runs to the end of the text or for as many words.
  void run(std::uint64_t word_limit);

 private:
  struct Statement {
    unsigned word = 0;
    std::string text;
  };
  struct Pending {
    std::uint64_t ready = 0;
    std::uint32_t* target = nullptr;
    std::uint32_t bits = 0;
  };

  void execute(const Statement& statement);
  void assign(const std::string& name, std::uint32_t bits, unsigned delay);
  std::uint32_t expression();
  std::uint32_t operand();
  std::uint32_t call(const std::string& function);
  std::uint32_t value(const std::string& name);
  std::string name();
  /// Skips spaces; true if `text` follows, which is then behind us.
  bool accept(std::string_view text);
  void expect(std::string_view text);
  [[noreturn]] void refuse(const std::string& why) const;

  std::vector<Statement> statements_;
  std::map<std::string, std::uint32_t> names_;
  std::vector<Pending> pending_;
  std::uint64_t time_ = 0;  ///< words executed
  std::string_view rest_;   ///< of the statement being executed
  const Statement* statement_ = nullptr;
  long target_ = -1;
};

}  // namespace mobula::utgard_gp::decompiled
