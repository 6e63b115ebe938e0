#include "cli/output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "cli/terminal.h"

namespace mobula::cli {
namespace {

FileResult guarded(const std::function<FileResult(std::size_t)>& job, std::size_t index) {
  try {
    return job(index);
  } catch (const Stop& stop) {
    return {.text = {}, .diagnostics = stop.diagnostics, .status = stop.status};
  }
}

}  // namespace

Output::Output(std::string file) : file_(std::move(file)) {
  struct stat info {};
  if (file_ == "-") {
    descriptor_ = STDOUT_FILENO;
  } else if (::stat(file_.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {  // a device or pipe cannot be replaced
    descriptor_ = ::open(file_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    temporary_ = file_ + ".tmp" + std::to_string(::getpid());
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  }
  if (descriptor_ < 0) failed();
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
  if (::close(std::exchange(descriptor_, -1)) != 0 || ::rename(temporary_.c_str(), file_.c_str()) != 0) failed();
  temporary_.clear();
}

void write_output(const std::string& file, std::string_view content) {
  Output output(file);
  output.write(content);
  output.commit();
}

Exit for_each(std::size_t count, const std::string& output, const std::function<FileResult(std::size_t)>& job) {
  std::vector<FileResult> results(count);
  std::vector<std::exception_ptr> bugs(count);
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        results[i] = guarded(job, i);
      } catch (...) {
        bugs[i] = std::current_exception();
      }
    }
  };
  {
    std::vector<std::jthread> helpers;
    const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
    for (std::size_t i = 1; i < std::min(cores, count); ++i) helpers.emplace_back(work);
    work();
  }
  std::string text;
  Exit status = Exit::done;
  for (std::size_t i = 0; i < count; ++i) {
    if (bugs[i]) std::rethrow_exception(bugs[i]);
    text += results[i].text;
    print(results[i].diagnostics);
    status = std::max(status, results[i].status);
  }
  if (!text.empty()) write_output(output, text);
  return status;
}

Exit for_each_file(const std::vector<std::string>& files, const std::string& output,
                   const std::function<FileResult(const std::string&)>& job) {
  return for_each(files.size(), output, [&](std::size_t index) { return job(files[index]); });
}

std::string envelope(std::string_view command, const Program* program, Json result) {
  Json json{{"schema", "mobula/" + std::string(command)},
            {"version", 1},
            {"tool", {{"name", "mobula"}, {"version", MOBULA_VERSION}}}};
  if (program != nullptr) {
    json["target"] = {{"machine", program->machine}, {"variant", program->variant}};
    json["input"] = {{"file", program->file}, {"bytes", program->code.size()}};
  }
  json["result"] = std::move(result);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

void refuse_same_file(const std::string& named, std::string_view option, const std::string& input,
                      const std::string& output) {
  if (named.empty() || (named != input && named != output)) return;
  throw usage_error(std::string(option) + " names " + (named == input ? "the input" : "the file of the result"),
                    "give it a file of its own");
}

std::string hex(std::uint64_t value) { return fmt::format("{:#x}", value); }

std::string hex(std::span<const std::uint8_t> bytes) {
  std::string digits;
  digits.reserve(2 * bytes.size());
  for (const std::uint8_t byte : bytes) {
    digits += "0123456789abcdef"[byte >> 4];
    digits += "0123456789abcdef"[byte & 15];
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
