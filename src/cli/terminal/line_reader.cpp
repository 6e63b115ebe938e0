#include "cli/terminal/line_reader.h"

#include <cerrno>
#include <cstdio>

#ifdef MOBULA_EDIT_FILE
#include <histedit.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>

#include "core/late_library.h"
#endif

namespace mobula::cli {

class LinesOfTerminal {
 public:
  LinesOfTerminal() = default;
  virtual ~LinesOfTerminal() = default;
  LinesOfTerminal(const LinesOfTerminal&) = delete;
  LinesOfTerminal& operator=(const LinesOfTerminal&) = delete;
  virtual std::optional<std::string> next() = 0;
};

namespace {

std::string without_line_end(std::string line) {
  while (line.ends_with('\n') || line.ends_with('\r')) line.pop_back();
  return line;
}

/// Lines as the terminal gives them.
class PlainLines : public LinesOfTerminal {
 public:
  explicit PlainLines(std::string prompt) : prompt_(std::move(prompt)) {}

  std::optional<std::string> next() override {
    std::fputs(prompt_.c_str(), stderr);
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

 private:
  std::string prompt_;
};

#ifdef MOBULA_EDIT_FILE

/// What is called of libedit.
struct LibEdit {
  decltype(&::el_init) init = nullptr;
  decltype(&::el_end) end = nullptr;
  decltype(&::el_set) set = nullptr;
  decltype(&::el_get) get = nullptr;
  decltype(&::el_gets) gets = nullptr;
  decltype(&::el_reset) reset = nullptr;
  decltype(&::el_source) source = nullptr;
  decltype(&::history_init) history_init = nullptr;
  decltype(&::history_end) history_end = nullptr;
  decltype(&::history) history = nullptr;
  bool is_there = false;

  LibEdit() {
    LateLibrary library(MOBULA_EDIT_FILE);
    library.find(init, "el_init");
    library.find(end, "el_end");
    library.find(set, "el_set");
    library.find(get, "el_get");
    library.find(gets, "el_gets");
    library.find(reset, "el_reset");
    library.find(source, "el_source");
    library.find(history_init, "history_init");
    library.find(history_end, "history_end");
    library.find(history, "history");
    is_there = library.error().empty();
  }
};

const LibEdit& libedit() {
  static const LibEdit functions;
  return functions;
}

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

/// Lines that are edited with libedit, and remembered.
class EditedLines : public LinesOfTerminal {
 public:
  explicit EditedLines(std::string prompt) : prompt_(std::move(prompt)) {
    constexpr int remembered = 1000;
    HistEvent event{};
    history_ = libedit().history_init();
    libedit().history(history_, &event, H_SETSIZE, remembered);
    libedit().history(history_, &event, H_SETUNIQUE, 1);
    editor_ = libedit().init("mobula", stdin, stderr, stderr);
    libedit().set(editor_, EL_CLIENTDATA, this);
    libedit().set(
        editor_, EL_PROMPT, +[](EditLine* editor) -> char* { return of(editor).prompt_.data(); });
    // libedit's own function goes on reading after Ctrl-C.
    libedit().set(
        editor_, EL_GETCFN, +[](EditLine* editor, wchar_t* letter) -> int {
          if (of(editor).kept_->wait_for_key() < 0) return -1;
          unsigned char byte = 0;
          const ssize_t count = ::read(STDIN_FILENO, &byte, 1);
          *letter = byte;
          return static_cast<int>(count);
        });
    libedit().set(editor_, EL_EDITOR, "emacs");
    libedit().set(editor_, EL_HIST, libedit().history, history_);
    libedit().source(editor_, nullptr);  // ~/.editrc
  }
  ~EditedLines() override {
    libedit().end(editor_);
    libedit().history_end(history_);
  }

  std::optional<std::string> next() override {
    const InterruptsKept kept;
    kept_ = &kept;
    int length = 0;
    const char* const read = libedit().gets(editor_, &length);
    if (read == nullptr && length < 0 && errno == EINTR) {
      std::fputs("^C\n", stderr);
      libedit().reset(editor_);
      return std::string();
    }
    if (read == nullptr || length <= 0) return {};
    std::string line = without_line_end(std::string(read, static_cast<std::size_t>(length)));
    HistEvent event{};
    if (!line.empty()) libedit().history(history_, &event, H_ENTER, line.c_str());
    return line;
  }

 private:
  static EditedLines& of(EditLine* editor) {
    void* self = nullptr;
    libedit().get(editor, EL_CLIENTDATA, &self);
    return *static_cast<EditedLines*>(self);
  }

  std::string prompt_;
  EditLine* editor_ = nullptr;
  History* history_ = nullptr;
  const InterruptsKept* kept_ = nullptr;
};

#endif

std::unique_ptr<LinesOfTerminal> lines(std::string prompt) {
#ifdef MOBULA_EDIT_FILE
  if (libedit().is_there) return std::make_unique<EditedLines>(std::move(prompt));
#endif
  return std::make_unique<PlainLines>(std::move(prompt));
}

}  // namespace

LineReader::LineReader(std::string prompt) : lines_(lines(std::move(prompt))) {}
LineReader::~LineReader() = default;

std::optional<std::string> LineReader::next() { return lines_->next(); }

}  // namespace mobula::cli
