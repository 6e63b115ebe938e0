// Files that stand beside the program on the desk, and stay when another program comes.
#include "laboratory.h"

namespace mobula::web {
namespace {

using Files = std::map<std::string, std::vector<std::uint8_t>, std::less<>>;

Files& files() {
  static Files all;
  return all;
}

/// "files", a list of names and sizes, whose bytes come one after another: these, and no others.
Answer ask_files(const Json& request, Bytes bytes) {
  Files all;
  for (const Json& each : request.value("files", Json::array())) {
    const auto size = std::min(each.value("size", std::size_t{0}), bytes.size());
    all[given(each, "name")].assign(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    bytes = bytes.subspan(size);
  }
  files() = std::move(all);
  return done(Json::object());
}

}  // namespace

const std::vector<std::uint8_t>* find_file(std::string_view name) {
  auto found = files().find(name);
  if (found == files().end()) found = files().find(name.substr(name.rfind('/') + 1));
  return found == files().end() ? nullptr : &found->second;
}

std::span<const Question> file_questions() {
  static constexpr Question all[] = {{"files", ask_files, Question::Needs::nothing}};
  return all;
}

}  // namespace mobula::web
