#include "cli/terminal/line_reader.h"

#include <cerrno>
#include <cstdio>

#ifdef MOBULA_LIBEDIT
#include <histedit.h>
#include <unistd.h>
#endif

namespace mobula::cli {
namespace {

std::string without_line_end(std::string line) {
  while (line.ends_with('\n') || line.ends_with('\r')) line.pop_back();
  return line;
}

}  // namespace

#ifdef MOBULA_LIBEDIT

struct LineReader::Impl {
  std::string prompt;
  EditLine* editor = nullptr;
  History* history = nullptr;
};

LineReader::LineReader(std::string prompt) : impl_(new Impl{.prompt = std::move(prompt)}) {
  constexpr int remembered = 1000;
  HistEvent event{};
  impl_->history = history_init();
  history(impl_->history, &event, H_SETSIZE, remembered);
  history(impl_->history, &event, H_SETUNIQUE, 1);
  impl_->editor = el_init("mobula", stdin, stderr, stderr);
  el_set(impl_->editor, EL_CLIENTDATA, impl_.get());
  el_set(
      impl_->editor, EL_PROMPT, +[](EditLine* editor) -> char* {
        Impl* self = nullptr;
        el_get(editor, EL_CLIENTDATA, &self);
        return self->prompt.data();
      });
  // libedit's own function goes on reading after Ctrl-C.
  el_set(
      impl_->editor, EL_GETCFN, +[](EditLine*, wchar_t* letter) -> int {
        unsigned char byte = 0;
        const ssize_t count = ::read(STDIN_FILENO, &byte, 1);
        *letter = byte;
        return static_cast<int>(count);
      });
  el_set(impl_->editor, EL_EDITOR, "emacs");
  el_set(impl_->editor, EL_HIST, history, impl_->history);
  el_source(impl_->editor, nullptr);  // ~/.editrc
}

LineReader::~LineReader() {
  el_end(impl_->editor);
  history_end(impl_->history);
}

std::optional<std::string> LineReader::next() {
  int length = 0;
  const char* const read = el_gets(impl_->editor, &length);
  if (read == nullptr && length < 0 && errno == EINTR) {
    std::fputs("^C\n", stderr);
    el_reset(impl_->editor);
    return std::string();
  }
  if (read == nullptr || length <= 0) return {};
  std::string line = without_line_end(std::string(read, static_cast<std::size_t>(length)));
  HistEvent event{};
  if (!line.empty()) history(impl_->history, &event, H_ENTER, line.c_str());
  return line;
}

#else

struct LineReader::Impl {
  std::string prompt;
};

LineReader::LineReader(std::string prompt) : impl_(new Impl{.prompt = std::move(prompt)}) {}
LineReader::~LineReader() = default;

std::optional<std::string> LineReader::next() {
  std::fputs(impl_->prompt.c_str(), stderr);
  std::fflush(stderr);
  std::string line;
  int letter = 0;
  while ((letter = std::getc(stdin)) != EOF && letter != '\n') line += static_cast<char>(letter);
  if (letter == EOF && std::ferror(stdin) != 0 && errno == EINTR) {
    std::clearerr(stdin);
    std::fputs("\n", stderr);
    return std::string();
  }
  if (letter == EOF && line.empty()) return {};
  return without_line_end(std::move(line));
}

#endif

}  // namespace mobula::cli
