// Results: written whole to standard output or, by way of a temporary file, to a file; and the JSON envelope around
// them.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/terminal/interrupt.h"
#include "mobula/isa/program.h"

namespace mobula::cli {

using Json = nlohmann::ordered_json;

/// An output that is written in pieces; "-" is standard output. A file is replaced in one step by commit(), or left as
/// it was.
class Output {
 public:
  explicit Output(std::string file);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  void write(std::string_view piece);
  void commit();

 private:
  [[noreturn]] void failed() const;

  std::string file_, temporary_;  ///< temporary_ is empty where nothing is to be renamed
  std::optional<Unfinished> unfinished_;
  bool has_other_names_ = false;  ///< hard links, which are to name the new content, too
  int descriptor_ = -1;
};
/// The same for content that is given.
void write_output(const std::string& file, std::string_view content);

/// What a subcommand has to say about one of its files.
struct FileResult {
  std::string text;
  Diagnostics diagnostics;
  Exit status = Exit::done;
  Diagnostics said;                                        ///< while it was worked on
  bool written = false;                                    ///< in pieces, as it was made
  std::vector<std::pair<std::string, std::string>> files;  ///< that go into a folder: their names and contents
};

/// Where a result goes, some lines or rows at a time: there may be millions of them.
using Write = std::function<void(std::string_view piece)>;

/// The result of one file, which is written as it is made; those of several are kept, to come in the order of their
/// files. Texts that are not JSON are coloured for the file that they go to.
class ResultInPieces {
 public:
  using Coloured = std::string (*)(const std::string& file, std::string text);
  ResultInPieces(const OutputOptions& output, bool several, FileResult& result, Coloured coloured)
      : options_(output), several_(several), result_(result), coloured_(coloured) {}

  /// Whole lines, unless it is JSON.
  void write(std::string_view piece) { write(std::string(piece)); }
  void write(std::string&& piece);
  void finish();

 private:
  [[nodiscard]] std::string coloured(std::string text) const;
  void pass_on();

  const OutputOptions& options_;
  bool several_;
  FileResult& result_;
  Coloured coloured_;
  std::optional<Output> output_;
};

/// What `job` has to say about the files at these positions, in the same order; on so many cores, 0 = all.
std::vector<FileResult> results_of(const std::vector<std::string>& files, const std::vector<std::size_t>& positions,
                                   const std::function<FileResult(std::size_t index)>& job, unsigned cores = 0);
/// Writes texts and diagnostics in the order of the files.
Exit write_results(const std::vector<std::string>& files, const std::vector<FileResult>& results,
                   const OutputOptions& output);

/// Calls `job` for the position of every file, on all cores, and writes texts and diagnostics in the order of the
/// files, of which some may be the same.
Exit for_each(const std::vector<std::string>& files, const OutputOptions& output,
              const std::function<FileResult(std::size_t index)>& job);

/// Calls `job` for every file, on all cores, and writes texts and diagnostics in the order of the files.
Exit for_each_file(const std::vector<std::string>& files, const OutputOptions& output,
                   const std::function<FileResult(const std::string& file)>& job);

/// On one line, whatever bytes its texts have.
std::string json_text(const Json& json);

/// What a result is about.
struct InputFile {
  std::string name;
  std::size_t bytes = 0;
};

/// The envelope every --json result comes in, as one line. `program` may be null: no target, no input.
std::string envelope(std::string_view command, const Program* program, Json result);
/// That of what is made from another input than the program itself.
std::string envelope(std::string_view command, const InputFile& input, const Program* program, Json result);

/// What stands before and after the rows of an envelope whose result has an array of that name, which is empty.
std::pair<std::string, std::string> around_rows(const std::string& envelope, std::string_view array);

/// The same for what did not come about. `file` is the input it was to be about; empty = none.
std::string failure_envelope(const Stop& stop, const std::string& file = {});

/// Puts the file in the place of the command: of several files, the one with which the command is used wrongly.
void name_file(Diagnostics& diagnostics, const std::string& file);

/// Work on inputs that go into one result: what fails is told, and the others are worked on all the same.
class Attempts {
 public:
  /// Of several inputs, misuse names the one that it is about.
  Attempts(const OutputOptions& output, bool several) : output_(output), several_(several) {}
  void attempt(const std::string& file, const std::function<void()>& act);
  /// Tells what makes the result a negative one; nothing if there is nothing.
  void warn(const Diagnostics& diagnostics);
  /// The largest of all.
  [[nodiscard]] Exit status() const { return status_; }
  /// Writes the result, unless there is none, and the lines of --json for what failed: before it or, where it goes to a
  /// file, on standard output.
  void write(const std::string& result) const;

 private:
  const OutputOptions& output_;
  bool several_;
  Exit status_ = Exit::done;
  std::string failures_;
};

/// What an option has named a file for; empty = the option was not given.
struct NamedFile {
  std::string_view option;
  std::string file;
};
/// A Stop where two results would go to the same place, or one of `others` where something is read. `output` is that
/// of -o.
void expect_distinct(const std::vector<NamedFile>& others, const std::vector<std::string>& inputs,
                     const std::string& output);

/// A number as the hex string it is in JSON: "0x40".
std::string hex(std::uint64_t value);
/// Bytes in memory order, two digits each.
std::string hex(std::span<const std::uint8_t> bytes);
/// Diagnostics as a JSON array.
Json to_json(const Diagnostics& diagnostics);

}  // namespace mobula::cli
