#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "io/inputs.h"
#include "io/texture.h"
#include "io/texture_inputs.h"
#include "io/values.h"

namespace mobula {
namespace {

using io::JsonPlace;
using Base = io::GlslType::Base;

std::string_view base_name(std::string_view file) {
  return file.substr(file.rfind('/') == std::string_view::npos ? 0 : file.rfind('/') + 1);
}
/// References name a binary without the extension of its file; NAME itself holds dots.
bool is_name_of(const io::Json& name, std::string_view file) {
  return name == file || name == file.substr(0, file.rfind('.'));
}

double number_of(std::uint32_t word, Base base) {
  if (base == Base::i32) return static_cast<std::int32_t>(word);
  if (base == Base::u32) return word;
  return std::bit_cast<float>(word);
}

class Checker {
 public:
  Checker(const Program& program, const ir::Program& lifted, const JsonPlace& root, const RunOptions& options)
      : program_(program), lifted_(lifted), root_(root), options_(options) {
    options_.image.reset();
  }

  ReferenceReport run() {
    root_.member("tolerance", [&](const JsonPlace& tolerance) {
      const auto read = [&](std::string_view key, double& out) {
        tolerance.member(key, [&](const JsonPlace& number) { out = number.number().value_or(0); });
      };
      read("relative", report_.relative);
      read("absolute", report_.absolute);
    });
    choose_group();
    read_textures();
    if (!root_.has("cases")) root_.error("IN003", "has no cases; a reference file needs an array of them");
    root_.member("cases", [&](const JsonPlace& cases) {
      cases.elements([&](const JsonPlace& each) {
        if (has_errors(root_.problems().diagnostics)) return;  // the document is wrong; running on would only add to it
        check_case(each);
        ++report_.cases;
      });
    });
    return std::move(report_);
  }

 private:
  // ---- the document

  static bool lists(const JsonPlace& place, std::string_view name) {
    bool found = false;
    place.member("binaries", [&](const JsonPlace& binaries) {
      binaries.elements([&](const JsonPlace& each) { found |= is_name_of(each.value(), name); });
    });
    return found;
  }

  void choose_group() {
    const std::string_view name = base_name(program_.file);
    std::optional<std::uint32_t> found;
    std::size_t groups = 0;
    root_.member("storage_groups", [&](const JsonPlace& list) {
      list.elements([&](const JsonPlace& group) {
        if (!found && lists(group, name)) found = static_cast<std::uint32_t>(groups);
        ++groups;
      });
    });
    group_ = found.value_or(0);
    if (found || (groups == 0 && lists(root_, name))) return;
    const std::string what = fmt::format("the reference does not list {}", name);
    if (groups > 1) {
      root_.error("IN014", what + ", and its binaries differ in their registers",
                  "give the file the name of one of its binaries");
    } else {
      report_.diagnostics.push_back({Severity::warning, "IN014", {.file = root_.problems().file}, what, ""});
    }
  }

  /// Textures by name. Cases give the colours; these give the sizes.
  void read_textures() {
    const std::vector<Variable> samplers = io::samplers_of(program_.interface);
    root_.member("textures", [&](const JsonPlace& list) {
      list.members([&](std::string_view key, const JsonPlace& place) {
        const auto sampler = std::find_if(samplers.begin(), samplers.end(),
                                          [&](const Variable& variable) { return variable.name == key; });
        if (sampler == samplers.end() || sampler->driver_location < 0) return;  // one that the compiler removed
        auto described = read_texture(place, files_);
        if (described.texture) textures_[static_cast<std::uint32_t>(sampler->driver_location)] = described.texture;
      });
    });
  }
  void add_textures(RunInputs& inputs) const {
    for (const auto& [number, described] : textures_) {
      auto& texture = inputs.textures[number];
      if (!texture) {
        texture = described;
      } else if (texture->constant) {
        auto sized = std::make_shared<io::Texture>(*texture);
        sized->size = described->size;
        texture = std::move(sized);
      }
    }
  }

  // ---- a case

  void check_case(const JsonPlace& place) {
    RunInputs inputs = io::read_inputs(place, program_.interface, files_, group_);
    if (has_errors(root_.problems().diagnostics)) return;
    add_textures(inputs);
    case_good_ = true;
    auto result = run_program(program_, lifted_, inputs, options_);
    const Diagnostics found = result ? result->diagnostics : result.error();
    for (Diagnostic entry : found) {
      entry.message = fmt::format("case {}: {}", report_.cases, entry.message);
      if (entry.severity == Severity::error) case_good_ = false;
      report_.diagnostics.push_back(std::move(entry));
    }
    if (result) compare(place, *result);
    report_.passed += case_good_;
  }

  void compare(const JsonPlace& place, const RunResult& result) {
    place.member("storage", [&](const JsonPlace& list) {
      const JsonPlace storage(list, std::size_t{group_}, list.value().at(group_));
      if (result.threads.empty()) return;
      storage.member("expected_discard",
                     [&](const JsonPlace& expected) { compare_fragment(storage, expected, result.threads[0]); });
      for (const std::string_view key : {"expected_varying_stores", "expected_stores"})
        storage.member(key, [&](const JsonPlace& stores) { compare_varyings(stores, result.threads[0]); });
    });
    place.member("buffers", [&](const JsonPlace& buffers) { compare_buffers(buffers, result); });
  }

  void compare_fragment(const JsonPlace& storage, const JsonPlace& expected, const ThreadResult& thread) {
    const bool wanted = expected.boolean().value_or(false), got = thread.state == LaneState::discarded;
    compare_value("discard", 0, wanted, got);
    if (wanted || got) return;
    const Base base = io::base_of(program_.interface, io::find_variable(program_.interface.outputs, 0));
    storage.member("expected_r0", [&](const JsonPlace& list) {
      compare_list("r0", list, 0, base,
                   thread.colours.empty() ? std::span<const std::uint32_t>() : thread.colours[0].colour);
    });
  }

  void compare_varyings(const JsonPlace& stores, const ThreadResult& thread) {
    stores.members([&](std::string_view key, const JsonPlace& store) {
      const auto number = io::parse_number(key);
      if (!number) return store.error("IN003", "is not the number of a varying");
      std::string name;
      std::uint32_t component = 0;
      store.member("name", [&](const JsonPlace& text) { text.read(name); });
      store.member("component", [&](const JsonPlace& first) { first.read(component, 0, 3); });
      const auto stored = std::find_if(thread.varyings.begin(), thread.varyings.end(),
                                       [&](const VaryingOutput& each) { return each.number == *number; });
      std::span<const std::uint32_t> words;
      if (stored != thread.varyings.end()) words = std::span(stored->value).first(stored->count());
      const Base base = io::base_of(program_.interface, io::find_variable(program_.interface.outputs, *number));
      store.member("value", [&](const JsonPlace& list) {
        compare_list(fmt::format("varying {} ({})", *number, name), list, component, base, words);
      });
    });
  }

  void compare_buffers(const JsonPlace& buffers, const RunResult& result) {
    buffers.members([&](std::string_view key, const JsonPlace& expected) {
      const Variable* const block = io::find_reference_buffer(program_.interface, key);
      if (key == "groups" || block == nullptr) return;  // a buffer the program has not
      const auto number = static_cast<std::uint32_t>(block->driver_location);
      const auto words = result.buffers.find(number);
      compare_list(fmt::format("buffer {} ({})", number, key), expected, 0, io::base_of(program_.interface, block),
                   words == result.buffers.end() ? std::span<const std::uint32_t>() : words->second);
    });
  }

  // ---- values

  /// A list of expected values, or a single one, against the words from `first` on.
  void compare_list(const std::string& output, const JsonPlace& expected, std::uint32_t first, Base base,
                    std::span<const std::uint32_t> words) {
    const auto compare_one = [&](const JsonPlace& value, std::size_t index) {
      const auto wanted = expected_number(value, base);
      const std::size_t at = first + index;
      if (!wanted) return;
      if (at < words.size()) {
        compare_value(output, static_cast<std::uint32_t>(at), *wanted, number_of(words[at], base));
      } else {
        ++report_.values;
        differ({.output = output, .component = static_cast<std::uint32_t>(at), .expected = *wanted, .missing = true});
      }
    };
    if (!expected.value().is_array()) return compare_one(expected, 0);
    std::size_t index = 0;
    expected.elements([&](const JsonPlace& value) { compare_one(value, index++); });
  }

  /// null stands for NaN, which JSON cannot write.
  static std::optional<double> expected_number(const JsonPlace& place, Base base) {
    if (place.value().is_null()) return std::numeric_limits<double>::quiet_NaN();
    if (place.value().is_number()) return place.number();
    RunWords words;
    io::read_words(place, base, words);
    if (words.size() == 1) return number_of(words[0], base);
    return std::nullopt;
  }

  void compare_value(const std::string& output, std::uint32_t component, double expected, double got) {
    ++report_.values;
    if (expected == got || (std::isnan(expected) && std::isnan(got))) return;
    const double error = std::abs(expected - got);
    const double allowed = report_.absolute + report_.relative * std::max(std::abs(expected), std::abs(got));
    // An infinite side is only near the same infinity; NaN compares false.
    if (std::isfinite(expected) && std::isfinite(got) && error <= allowed) return;
    differ({.output = output, .component = component, .expected = expected, .got = got, .error = error});
  }

  void differ(Difference difference) {
    constexpr std::size_t limit = 1000;
    case_good_ = false;
    difference.case_index = report_.cases;
    if (report_.differences.size() < limit) report_.differences.push_back(std::move(difference));
  }

  static Result<std::vector<std::uint8_t>> refuse_files(const std::string& name) {
    return fail("IN015", "a reference names no files; found " + name);
  }

  const FileReader files_ = refuse_files;
  const Program& program_;
  const ir::Program& lifted_;
  const JsonPlace& root_;
  RunOptions options_;
  std::uint32_t group_ = 0;
  std::map<std::uint32_t, std::shared_ptr<const io::Texture>> textures_;
  ReferenceReport report_;
  bool case_good_ = true;
};

}  // namespace

Result<ReferenceReport> check_reference(const Program& program, const ir::Program& lifted, const SourceText& reference,
                                        const RunOptions& options) {
  const auto document = io::parse_json(reference);
  if (!document) return fail(document.error());
  io::JsonProblems problems{.file = std::string(reference.file), .diagnostics = {}};
  const JsonPlace root(*document, problems);
  ReferenceReport report;
  if (document->is_object()) {
    report = Checker(program, lifted, root, options).run();
  } else {
    root.wrong("an object");
  }
  if (has_errors(problems.diagnostics)) return fail(std::move(problems.diagnostics));
  report.diagnostics.insert(report.diagnostics.begin(), problems.diagnostics.begin(), problems.diagnostics.end());
  return report;
}

}  // namespace mobula
