#include "cli/response_file.h"

#include <cctype>
#include <filesystem>

#include "cli/command.h"
#include "cli/input/input.h"

namespace mobula::cli {
namespace {

constexpr int deepest_response_file = 10;
constexpr std::size_t most_arguments = 100'000;

void append(std::vector<std::string>& arguments, const std::string& argument, int depth) {
  std::error_code unreadable;
  const std::string file = argument.starts_with('@') ? argument.substr(1) : std::string();
  if (file.empty() || !std::filesystem::is_regular_file(file, unreadable)) {
    arguments.push_back(argument);
    return;
  }
  if (depth == deepest_response_file)
    throw usage_error("@" + file + " is the " + std::to_string(depth + 1) + "th file of arguments within others",
                      "does one of them name itself?");
  const std::vector<std::uint8_t> bytes = read_file(file);
  for (const std::string& word : words_of(text_of(bytes, file), file)) {
    if (arguments.size() >= most_arguments)
      throw usage_error("the files of arguments hold more than " + std::to_string(most_arguments) + " of them");
    append(arguments, word, depth + 1);
  }
}

}  // namespace

std::vector<std::string> words_of(std::string_view text, const std::string& file) {
  std::vector<std::string> words;
  std::string word;
  bool open = false;  // a word has begun, even if it is empty so far
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if (letter == '\\' && quote != '\'' && i + 1 < text.size()) {
      word += text[++i];
      open = true;
    } else if (quote != 0) {
      if (letter == quote)
        quote = 0;
      else
        word += letter;
    } else if (letter == '\'' || letter == '"') {
      quote = letter;
      open = true;
    } else if (std::isspace(static_cast<unsigned char>(letter)) == 0) {
      word += letter;
      open = true;
    } else if (open) {
      words.push_back(std::move(word));
      word.clear();
      open = false;
    }
  }
  if (quote != 0) throw usage_error("a quote is not closed in @" + file, std::string("close it with ") + quote);
  if (open) words.push_back(std::move(word));
  return words;
}

std::vector<std::string> with_response_files(const std::vector<std::string>& arguments) {
  std::vector<std::string> all;
  for (const std::string& argument : arguments) append(all, argument, 0);
  return all;
}

}  // namespace mobula::cli
