#include "cli/terminal/output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <thread>
#include <utility>

#include "cli/terminal/progress.h"
#include "cli/terminal/terminal.h"

namespace mobula::cli {
namespace {

FileResult guarded(const std::function<FileResult(std::size_t)>& job, std::size_t index,
                   const std::vector<std::string>& files) {
  KeptDiagnostics said;
  FileResult result;
  try {
    result = job(index);
  } catch (Stop& stop) {
    if (files.size() > 1) name_file(stop.diagnostics, files[index]);
    result = {.text = {}, .diagnostics = std::move(stop.diagnostics), .status = stop.status};
  }
  result.said = said.take();
  return result;
}

/// The file that symbolic links lead to: it is replaced, and not the link.
std::filesystem::path followed(std::filesystem::path path) {
  constexpr int most = 40;  // as the kernel
  std::error_code none;
  for (int i = 0; i < most && std::filesystem::is_symlink(path, none); ++i)
    path = path.parent_path() / std::filesystem::read_symlink(path, none);
  return path;
}

bool is_same_file(const std::string& one, const std::string& other) {
  if (one == "-" || other == "-") return one == other;
  const auto absolute = [](const std::string& file) {
    return std::filesystem::absolute(followed(file)).lexically_normal();
  };
  return absolute(one) == absolute(other);
}

Json bare_envelope(std::string_view command) {
  return {{"schema", "mobula/" + std::string(command)},
          {"version", 1},
          {"tool", {{"name", "mobula"}, {"version", MOBULA_VERSION}}}};
}

std::string line_of(const Json& json) { return json_text(json) + '\n'; }

}  // namespace

Output::Output(std::string file) : file_(std::move(file)) {
  struct stat info {};
  if (file_ == "-") {
    descriptor_ = STDOUT_FILENO;
    return;
  }
  const bool exists = ::stat(file_.c_str(), &info) == 0;
  if (exists && !S_ISREG(info.st_mode)) {  // a device or pipe cannot be replaced
    descriptor_ = ::open(file_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) failed();
    return;
  }
  file_ = followed(file_).string();
  temporary_ = file_ + ".tmp" + std::to_string(::getpid());
  unfinished_.emplace(temporary_);
  descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor_ < 0) {
    if (exists)
      throw usage_error("cannot write " + file_ + ": cannot make " + std::exchange(temporary_, {}) +
                            " beside it: " + std::strerror(errno),
                        "the new file is made in the same folder, and takes the old one's place");
    temporary_.clear();  // it is not ours
    failed();
  }
  has_other_names_ = exists && info.st_nlink > 1;
  if (exists && ::fchmod(descriptor_, info.st_mode & 07777) != 0) failed();
}

Output::~Output() {
  if (descriptor_ > STDERR_FILENO) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void Output::failed() const {
  throw usage_error("cannot write " + (file_ == "-" ? "standard output" : file_) + ": " + std::strerror(errno));
}

void Output::write(std::string_view piece) {
  while (!piece.empty()) {
    const ssize_t written = ::write(descriptor_, piece.data(), piece.size());
    if (written < 0 && errno != EINTR) failed();
    if (written > 0) piece.remove_prefix(static_cast<std::size_t>(written));
  }
}

void Output::commit() {
  if (temporary_.empty()) return;
  if (::close(std::exchange(descriptor_, -1)) != 0) failed();
  if (has_other_names_) {
    std::error_code problem;
    std::filesystem::copy_file(temporary_, file_, std::filesystem::copy_options::overwrite_existing, problem);
    if (problem) throw usage_error("cannot write " + file_ + ": " + problem.message());
    return;
  }
  if (::rename(temporary_.c_str(), file_.c_str()) != 0) failed();
  temporary_.clear();
}

void write_output(const std::string& file, std::string_view content) {
  clear_progress();
  Output output(file);
  output.write(content);
  output.commit();
}

void ResultInPieces::write(std::string&& piece) {
  constexpr std::size_t enough = std::size_t{64} << 10;  // to be worth a call of the system
  if (result_.text.empty())
    result_.text = std::move(piece);
  else
    result_.text += piece;
  if (!several_ && result_.text.size() >= enough) pass_on();
}

void ResultInPieces::finish() {
  if (several_) {
    result_.text = coloured(std::move(result_.text));
    return;
  }
  pass_on();
  output_->commit();
  result_.written = true;
}

std::string ResultInPieces::coloured(std::string text) const {
  return options_.json ? text : coloured_(options_.file, std::move(text));
}

void ResultInPieces::pass_on() {
  if (!output_) output_.emplace(options_.file);
  output_->write(coloured(std::exchange(result_.text, {})));
}

std::vector<FileResult> results_of(const std::vector<std::string>& files, const std::vector<std::size_t>& positions,
                                   const std::function<FileResult(std::size_t)>& job, unsigned cores) {
  std::vector<FileResult> results(positions.size());
  std::vector<std::exception_ptr> bugs(positions.size());
  std::atomic<std::size_t> next = 0, done = 0;
  if (positions.size() > 1) expect_progress(positions.size(), "files");
  const auto work = [&] {
    for (std::size_t i = next++; i < positions.size(); i = next++) {
      try {
        results[i] = guarded(job, positions[i], files);
      } catch (...) {
        bugs[i] = std::current_exception();
      }
      set_progress(++done);
    }
  };
  {
    std::vector<std::jthread> helpers;
    const std::size_t most = cores != 0 ? cores : std::max(1u, std::thread::hardware_concurrency());
    for (std::size_t i = 1; i < std::min(most, positions.size()); ++i) helpers.emplace_back(work);
    work();
  }
  for (const std::exception_ptr& bug : bugs)
    if (bug) std::rethrow_exception(bug);
  return results;
}

Exit write_results(const std::vector<std::string>& files, const std::vector<FileResult>& results,
                   const OutputOptions& output) {
  std::string text, failures;
  Exit status = Exit::done;
  for (std::size_t i = 0; i < files.size(); ++i) {
    print(results[i].said);
    print(results[i].diagnostics);
    status = std::max(status, results[i].status);
    if (!output.json || results[i].written || !results[i].text.empty())
      text += results[i].text;
    else  // in its place among the others, or, where they go to a file, on standard output
      (output.file == "-" ? text : failures) += failure_envelope({results[i].status, results[i].diagnostics}, files[i]);
  }
  if (!text.empty()) write_output(output.file, text);
  if (!failures.empty()) write_output("-", failures);
  return status;
}

Exit for_each(const std::vector<std::string>& files, const OutputOptions& output,
              const std::function<FileResult(std::size_t)>& job) {
  std::vector<std::size_t> all(files.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return write_results(files, results_of(files, all, job), output);
}

Exit for_each_file(const std::vector<std::string>& files, const OutputOptions& output,
                   const std::function<FileResult(const std::string&)>& job) {
  return for_each(files, output, [&](std::size_t index) { return job(files[index]); });
}

std::string json_text(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string envelope(std::string_view command, const Program* program, Json result) {
  if (program != nullptr) return envelope(command, {program->file, program->code.size()}, program, std::move(result));
  Json json = bare_envelope(command);
  json["result"] = std::move(result);
  return line_of(json);
}

std::string envelope(std::string_view command, const InputFile& input, const Program* program, Json result) {
  Json json = bare_envelope(command);
  if (program != nullptr) json["target"] = {{"machine", program->machine}, {"variant", program->variant}};
  json["input"] = {{"file", input.name}, {"bytes", input.bytes}};
  json["result"] = std::move(result);
  return line_of(json);
}

std::pair<std::string, std::string> around_rows(const std::string& envelope, std::string_view array) {
  // Quotes within texts have backslashes, so that this is found in no file's name.
  const std::string begin = '"' + std::string(array) + "\":[";
  const std::size_t rows = envelope.find(begin) + begin.size();
  return {envelope.substr(0, rows), envelope.substr(rows)};
}

std::string failure_envelope(const Stop& stop, const std::string& file) {
  Json json = bare_envelope("error");
  if (!file.empty()) json["input"] = {{"file", file}};
  json["result"] = {{"status", static_cast<int>(stop.status)}, {"diagnostics", to_json(stop.diagnostics)}};
  return line_of(json);
}

void name_file(Diagnostics& diagnostics, const std::string& file) {
  for (Diagnostic& each : diagnostics)
    if (each.where.file == "mobula") each.where.file = file;
}

void Attempts::attempt(const std::string& file, const std::function<void()>& act) {
  try {
    act();
  } catch (Stop& stop) {
    if (several_) name_file(stop.diagnostics, file);
    print(stop.diagnostics);
    if (output_.json) failures_ += failure_envelope(stop, file);
    status_ = std::max(status_, stop.status);
  }
}

void Attempts::warn(const Diagnostics& diagnostics) {
  print(diagnostics);
  if (!diagnostics.empty()) status_ = std::max(status_, Exit::negative);
}

void Attempts::write(const std::string& result) const {
  if (output_.file == "-") return write_output("-", failures_ + result);
  if (!result.empty()) write_output(output_.file, result);
  if (!failures_.empty()) write_output("-", failures_);
}

void expect_distinct(const std::vector<NamedFile>& others, const std::vector<std::string>& inputs,
                     const std::string& output) {
  const auto refuse = [](std::string_view option, std::string what) {
    throw usage_error(std::string(option) + " names " + std::move(what), "give it a file of its own");
  };
  for (std::size_t i = 0; i < others.size(); ++i) {
    const auto& [option, file] = others[i];
    if (file.empty()) continue;
    if (is_same_file(file, output)) refuse(option, "the file of the result");
    for (const std::string& input : inputs)
      if (file != "-" && is_same_file(file, input)) refuse(option, "the input");
    for (std::size_t k = 0; k < i; ++k)
      if (!others[k].file.empty() && is_same_file(file, others[k].file))
        refuse(option, "the file of " + std::string(others[k].option));
  }
}

std::string hex(std::uint64_t value) { return fmt::format("{:#x}", value); }

std::string hex(std::span<const std::uint8_t> bytes) {
  std::string digits(2 * bytes.size(), '\0');
  char* next = digits.data();
  for (const std::uint8_t byte : bytes) {
    *next++ = "0123456789abcdef"[byte >> 4];
    *next++ = "0123456789abcdef"[byte & 15];
  }
  return digits;
}

Json to_json(const Diagnostics& diagnostics) {
  Json list = Json::array();
  for (const Diagnostic& entry : diagnostics) {
    Json where{{"file", entry.where.file}};
    if (entry.where.line != 0) where["line"] = entry.where.line;
    if (entry.where.column != 0) where["column"] = entry.where.column;
    if (entry.where.byte_offset) where["offset"] = hex(*entry.where.byte_offset);
    if (entry.where.bit_width != 0) {
      where["bit_low"] = entry.where.bit_low;
      where["bit_width"] = entry.where.bit_width;
    }
    Json row{{"severity", name(entry.severity)},
             {"code", entry.code},
             {"where", std::move(where)},
             {"message", entry.message}};
    if (!entry.hint.empty()) row["hint"] = entry.hint;
    list.push_back(std::move(row));
  }
  return list;
}

}  // namespace mobula::cli
