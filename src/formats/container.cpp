#include <algorithm>
#include <array>

#include "core/counted.h"
#include "formats/dump.h"
#include "formats/elf.h"
#include "formats/foreign.h"
#include "formats/mbs.h"
#include "mobula/isa/firmware.h"
#include "mobula/isa/formats.h"
#include "mobula/isa/mbs1.h"

namespace mobula {
namespace {

std::string_view as_text(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The first line that has content, with the comment lines before it, is hexadecimal numbers.
bool starts_with_hex(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size()) {
    end = std::min(text.find('\n', end), text.size() - 1) + 1;
    const std::string_view lines = text.substr(0, end);
    const auto bytes = read_hex(lines);
    if (bytes) return true;
    // FM004: nothing but comments so far; FM002: inside a comment. Comments of more than a screen are not worth looking
    // into.
    const std::string& code = bytes.error().front().code;
    if ((code != "FM004" && code != "FM002") || end > 4096) return false;
  }
  return false;
}

/// Text whose numbers are code, in one of the forms that people and tools write.
bool holds_numbers(std::string_view text) {
  return is_dump(text) || is_log(text) || is_array(text) || starts_with_hex(text);
}

std::string_view stage_name(Stage stage) {
  constexpr std::array<std::string_view, 4> names{"unknown", "vertex", "fragment", "compute"};
  return names[static_cast<std::size_t>(stage)];
}

std::string list(const std::vector<CodeImage>& images) {
  constexpr std::size_t shown = 16;
  std::string text;
  for (std::size_t i = 0; i < images.size() && i < shown; ++i) {
    text += (i == 0 ? "" : "; ") + std::to_string(i) + ": " + std::string(stage_name(images[i].interface.stage)) +
            ", " + counted(images[i].code.size(), "byte") + (images[i].path.empty() ? "" : ", " + images[i].path);
  }
  return images.size() > shown ? text + "; and " + std::to_string(images.size() - shown) + " more" : text;
}

Result<std::vector<CodeImage>> read_mbs1(std::span<const std::uint8_t> bytes, std::string_view file) {
  Result<mbs1::VertexShader> shader = mbs1::vertex_shader(bytes, file);
  if (!shader) return fail(std::move(shader).error());
  CodeImage image;
  image.interface = mbs1::interface_of(*shader);
  image.code = std::move(shader->code);
  image.byte_offset = shader->code_offset;
  image.path = "MBS1/CVER/DBIN";
  constexpr std::uint32_t mali200 = 2;
  image.machine = shader->version == mali200 ? "utgard-gp:mali200" : "utgard-gp";
  return std::vector<CodeImage>{std::move(image)};
}

bool is_tree(std::span<const std::uint8_t> bytes) { return is_mbs(bytes) || mbs1::is_mbs1(bytes); }

Result<std::vector<CodeImage>> read_tree(std::span<const std::uint8_t> bytes, std::string_view file) {
  return mbs1::is_mbs1(bytes) ? read_mbs1(bytes, file) : read_mbs(bytes, file);
}

/// The programs of trees that stand after a header of another kind, as in what glGetProgramBinary gives. A tree is one
/// only if all of it can be read.
std::vector<CodeImage> embedded_programs(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view common = "MBS";
  constexpr std::size_t header = 8, most_tried = 64;
  std::vector<CodeImage> images;
  std::size_t tried = 0;
  const std::string_view text = as_text(bytes);
  for (std::size_t at = text.find(common); at != std::string_view::npos && tried < most_tried;
       at = text.find(common, at)) {
    const auto rest = bytes.subspan(at);
    at += common.size();
    if (!is_tree(rest) || rest.size() < header) continue;
    ++tried;
    std::size_t size = 0;
    for (std::size_t i = 0; i < 4; ++i) size |= std::size_t{rest[4 + i]} << (8 * i);
    if (size > rest.size() - header) continue;
    auto found = read_tree(rest.first(header + size), {});
    if (!found) continue;
    const std::size_t begin = at - common.size();
    for (CodeImage& image : *found) {
      image.byte_offset += begin;
      images.push_back(std::move(image));
    }
    at = begin + header + size;
  }
  return images;
}

/// The programs of a text of numbers. What the numbers are may itself be a container.
Result<std::vector<CodeImage>> read_numbers(std::string_view text, std::string_view file) {
  std::vector<NumberedCode> programs;
  if (is_dump(text) || !(is_log(text) || is_array(text))) {
    auto bytes = read_hex(text, file);
    if (!bytes) return fail(std::move(bytes).error());
    programs.push_back({{}, {}, std::move(*bytes)});
  } else {
    auto read = is_log(text) ? read_log(text, file) : read_arrays(text, file);
    if (!read) return fail(std::move(read).error());
    programs = std::move(*read);
  }
  std::vector<CodeImage> images;
  for (NumberedCode& program : programs) {
    const ContainerFormat format = detect_format(program.bytes);
    if (format == ContainerFormat::raw || format == ContainerFormat::text || format == ContainerFormat::hex) {
      CodeImage& image = images.emplace_back();
      image.code = std::move(program.bytes);
      image.machine = std::move(program.machine);
      image.path = std::move(program.name);
      continue;
    }
    auto inner = read_container(program.bytes, format, file);
    if (!inner) return inner;
    for (CodeImage& image : *inner) images.push_back(std::move(image));
  }
  return images;
}

}  // namespace

std::string_view name(ContainerFormat format) {
  constexpr std::array<std::string_view, 7> names{"raw", "hex", "mbs", "text", "fw", "elf", "foreign"};
  return names[static_cast<std::size_t>(format)];
}

ContainerFormat detect_format(std::span<const std::uint8_t> bytes) {
  if (is_tree(bytes)) return ContainerFormat::mbs;
  const bool text = looks_like_text(as_text(bytes));
  if (text && holds_numbers(as_text(bytes))) return ContainerFormat::hex;
  if (foreign(bytes)) return ContainerFormat::foreign;
  if (text) return ContainerFormat::text;
  if (is_elf(bytes)) return ContainerFormat::elf;
  if (firmware::is_firmware(bytes) || firmware::is_older_firmware(bytes)) return ContainerFormat::fw;
  return embedded_programs(bytes).empty() ? ContainerFormat::raw : ContainerFormat::mbs;
}

bool is_named_as_code(std::string_view file) {
  constexpr std::array<std::string_view, 3> endings{".bin", ".raw", ".dat"};
  return std::any_of(endings.begin(), endings.end(), [&](std::string_view each) { return file.ends_with(each); });
}

ContainerFormat detect_format(std::span<const std::uint8_t> bytes, std::string_view file) {
  const ContainerFormat format = detect_format(bytes);
  return format == ContainerFormat::text && is_named_as_code(file) ? ContainerFormat::raw : format;
}

Result<std::vector<CodeImage>> read_container(std::span<const std::uint8_t> bytes,
                                              std::optional<ContainerFormat> format, std::string_view file) {
  const auto problem = [&](std::string code, std::string message, std::string hint) {
    return fail(Diagnostic{Severity::error,
                           std::move(code),
                           {.file = std::string(file), .byte_offset = 0},
                           std::move(message),
                           std::move(hint)});
  };
  if (bytes.empty()) return problem("FM005", "the input is empty", "");
  std::vector<CodeImage> images(1);
  switch (format ? *format : detect_format(bytes, file)) {
    case ContainerFormat::mbs:
      if (!is_tree(bytes))
        if (auto embedded = embedded_programs(bytes); !embedded.empty()) return embedded;
      return read_tree(bytes, file);
    case ContainerFormat::foreign: {
      const auto kind = foreign(bytes);
      return problem("FM050", "this is " + (kind ? kind->what : "nothing that is known") + ", not machine code",
                     kind ? kind->hint + "; --container raw takes the bytes as they are" : "");
    }
    case ContainerFormat::elf:
      return read_elf(bytes, file);
    case ContainerFormat::text:
      return problem("FM006", "this is text, not machine code", "assemble it first");
    case ContainerFormat::fw:
      if (firmware::is_older_firmware(bytes))
        return problem("FM029", "this is firmware of an a2xx, a3xx or a4xx, whose processors are another machine",
                       "afuc begins with a5xx");
      images[0].machine = "afuc";
      images[0].code.assign(bytes.begin(), bytes.end());
      break;
    case ContainerFormat::raw:
      images[0].code.assign(bytes.begin(), bytes.end());
      break;
    case ContainerFormat::hex:
      return read_numbers(as_text(bytes), file);
  }
  return images;
}

Result<CodeImage> select_image(std::vector<CodeImage> images, Stage stage, std::optional<std::size_t> index,
                               std::string_view file) {
  const std::string all = list(images);
  const auto problem = [&](std::string code, std::string message, std::string hint) {
    return fail(
        Diagnostic{Severity::error, std::move(code), {.file = std::string(file)}, std::move(message), std::move(hint)});
  };
  if (stage != Stage::unknown) {
    std::erase_if(images, [&](const CodeImage& image) { return image.interface.stage != stage; });
    if (images.empty()) {
      return problem("FM020", "there is no " + std::string(stage_name(stage)) + " code; there is " + all, "");
    }
  }
  if (!index && images.size() > 1) {
    return problem("FM021", "there are " + counted(images.size(), "program") + " to choose from: " + list(images),
                   "choose by stage or by number");
  }
  const std::size_t chosen = index.value_or(0);
  if (chosen >= images.size()) {
    return problem("FM022", "there is no program number " + std::to_string(chosen) + "; there is " + list(images), "");
  }
  return std::move(images[chosen]);
}

}  // namespace mobula
