// Runs the built command as a person would.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace mobula::test {

struct Outcome {
  int status = -1;  ///< exit status; -1 when a signal ended the command
  std::string out, err;
};
/// `environment` adds to the variables of this process ("NO_COLOR=1").
Outcome run(const std::vector<std::string>& arguments, std::string_view input = {},
            const std::vector<std::string>& environment = {});

/// Its standard input is a pipe, which can be read once.
Outcome run_behind_pipe(const std::vector<std::string>& arguments, std::string_view input);

/// Gets `signal` when `until` has returned.
Outcome signalled(const std::vector<std::string>& arguments, int signal, const std::function<void()>& until);
class Folder;
/// Gets `signal` as soon as a temporary file is in the folder.
Outcome interrupted(const std::vector<std::string>& arguments, int signal, const Folder& folder);
/// Prints to a device that is always full.
Outcome run_on_full_disk(const std::vector<std::string>& arguments);
/// May use so many bytes of address space.
Outcome with_memory(std::uint64_t bytes, const std::vector<std::string>& arguments);
/// May use the processor for so long.
Outcome with_processor_seconds(unsigned seconds, const std::vector<std::string>& arguments);

/// The arguments, and more after them.
std::vector<std::string> with(std::vector<std::string> arguments, const std::vector<std::string>& more);

std::string read(const std::filesystem::path& file);
void write(const std::filesystem::path& file, std::string_view content);

/// Path of a file of examples/.
std::string example(const std::string& name);
/// Two digits a byte.
std::string to_hex(std::string_view bytes);

/// A folder of its own for the running test, removed at its end.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  /// Path of a file in it, written when content is given.
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string file(const std::string& name, std::string_view content) const;
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  std::filesystem::path path_;
};

/// Where `value` breaks the schema docs/schemas/NAME.json; empty = nowhere. Knows the keywords the project's schemas
/// use, and complains of any other.
std::vector<std::string> schema_errors(const std::string& name, const nlohmann::json& value);

/// The lines of a --json output, each held to its subcommand's schema.
std::vector<nlohmann::json> parse_json(const std::string& output);

}  // namespace mobula::test
