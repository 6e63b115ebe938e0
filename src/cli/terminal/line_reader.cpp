#include "cli/terminal/line_reader.h"

#include <cerrno>
#include <cstdio>

#ifdef MOBULA_LIBEDIT
#include <histedit.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>
#endif

namespace mobula::cli {
namespace {

std::string without_line_end(std::string line) {
  while (line.ends_with('\n') || line.ends_with('\r')) line.pop_back();
  return line;
}

}  // namespace

#ifdef MOBULA_LIBEDIT

namespace {

/// Keeps Ctrl-C back while it lives, so that one that is pressed between the prompt and the waiting for a key ends the
/// waiting all the same.
class InterruptsKept {
 public:
  InterruptsKept() {
    sigset_t interrupts;
    sigemptyset(&interrupts);
    sigaddset(&interrupts, SIGINT);
    pthread_sigmask(SIG_BLOCK, &interrupts, &before_);
  }
  ~InterruptsKept() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  InterruptsKept(const InterruptsKept&) = delete;
  InterruptsKept& operator=(const InterruptsKept&) = delete;

  /// Until there is a key; -1 and EINTR if Ctrl-C was pressed.
  [[nodiscard]] int wait_for_key() const {
    pollfd keys{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    return ppoll(&keys, 1, nullptr, &before_);
  }

 private:
  sigset_t before_{};
};

}  // namespace

struct LineReader::Impl {
  std::string prompt;
  EditLine* editor = nullptr;
  History* history = nullptr;
  const InterruptsKept* kept = nullptr;
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
      impl_->editor, EL_GETCFN, +[](EditLine* editor, wchar_t* letter) -> int {
        Impl* self = nullptr;
        el_get(editor, EL_CLIENTDATA, &self);
        if (self->kept->wait_for_key() < 0) return -1;
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
  const InterruptsKept kept;
  impl_->kept = &kept;
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
