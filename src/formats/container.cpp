#include <algorithm>
#include <array>

#include "core/counted.h"
#include "core/encoding.h"
#include "core/quote.h"
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

/// The same where they are read as text.
std::string_view text_of(std::span<const std::uint8_t> bytes) { return without_mark(as_text(bytes)); }

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

/// Source in GLSL may have arrays of numbers, too.
bool is_source_of_shader(std::string_view text) {
  if (is_array_of_c(text)) return false;
  if (text.find("void main") != std::string_view::npos) return true;
  const auto other = foreign({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  return other && other->is_shader;
}

/// Text whose numbers are code, in one of the forms that people and tools write.
bool holds_numbers(std::string_view text) {
  if (is_dump(text) || is_log(text)) return true;
  return is_array(text) ? !is_source_of_shader(text) : starts_with_hex(text);
}

/// A dump with a byte in it that is no text, far behind its first lines: where it is. Code does not begin like that.
std::optional<std::size_t> damage_in_numbers(std::span<const std::uint8_t> bytes) {
  constexpr std::size_t least = 48;
  const std::string_view text = text_of(bytes);
  const std::size_t end = end_of_text(text), line = end < text.size() ? text.rfind('\n', end) : std::string_view::npos;
  if (line == std::string_view::npos || line < least || !holds_numbers(text.substr(0, line + 1))) return std::nullopt;
  return end + (bytes.size() - text.size());
}

std::string list(const std::vector<CodeImage>& images) {
  constexpr std::size_t most = 16;
  std::string text;
  for (std::size_t i = 0; i < images.size() && i < most; ++i) {
    const Stage stage = images[i].interface.stage;
    text += (i == 0 ? "" : "; ") + std::to_string(i) + ": " +
            (stage == Stage::unknown ? "" : std::string(name(stage)) + ", ") + counted(images[i].code.size(), "byte") +
            (images[i].path.empty() ? "" : ", " + shown(images[i].path));
  }
  return images.size() > most ? text + "; and " + std::to_string(images.size() - most) + " more" : text;
}

bool stages_differ(const std::vector<CodeImage>& images) {
  return std::ranges::any_of(
      images, [&](const CodeImage& image) { return image.interface.stage != images.front().interface.stage; });
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

/// Bytes of the tree at the start, by its header.
std::size_t tree_size(std::span<const std::uint8_t> bytes) {
  constexpr std::size_t header = 8;
  std::size_t size = 0;
  for (std::size_t i = 0; i < 4 && bytes.size() >= header; ++i) size |= std::size_t{bytes[4 + i]} << (8 * i);
  return header + size;
}

/// The programs of trees that stand after a header of another kind, as in what glGetProgramBinary gives. A tree is one
/// only if all of it can be read.
std::vector<CodeImage> embedded_programs(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view common = "MBS";
  // What looks like a tree and is none may be as long as the rest, again and again.
  std::size_t patience = 16 * bytes.size() + (std::size_t{1} << 20);
  std::vector<CodeImage> images;
  const std::string_view text = as_text(bytes);
  for (std::size_t at = text.find(common); at != std::string_view::npos; at = text.find(common, at)) {
    const std::size_t begin = at;
    const auto rest = bytes.subspan(begin);
    at += common.size();
    const std::size_t size = tree_size(rest);
    if (!is_tree(rest) || size > rest.size()) continue;
    if (size > patience) {
      if (!images.empty())
        images.front().remarks.push_back(
            {Severity::warning,
             "FM053",
             {.byte_offset = begin},
             "the search ended here: too much of this file looks like ARM's chunks, but is not",
             "give the part that holds the programs"});
      break;
    }
    auto found = read_tree(rest.first(size), {});
    if (!found) {
      patience -= size;
      continue;
    }
    for (CodeImage& image : *found) {
      image.byte_offset += begin;
      images.push_back(std::move(image));
    }
    at = begin + size;
  }
  return images;
}

/// The programs of a tree, and a remark on what follows it.
Result<std::vector<CodeImage>> read_tree_and_rest(std::span<const std::uint8_t> bytes, std::string_view file) {
  auto images = read_tree(bytes, file);
  const std::size_t end = tree_size(bytes);
  if (!images || end >= bytes.size()) return images;
  const bool has_more =
      std::any_of(images->begin(), images->end(), [&](const CodeImage& image) { return image.byte_offset >= end; });
  for (CodeImage& image : *images)
    if (!has_more)
      image.remarks.push_back({Severity::warning,
                               "FM054",
                               {.file = std::string(file), .byte_offset = end},
                               std::to_string(bytes.size() - end) +
                                   (bytes.size() - end == 1 ? " byte follows" : " bytes follow") +
                                   " the end of the programs, and have not been read",
                               "is it two files in one?"});
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
      image.remarks = std::move(program.remarks);
      continue;
    }
    auto inner = read_container(program.bytes, format, file);
    if (!inner) return inner;
    for (CodeImage& image : *inner) images.push_back(std::move(image));
  }
  return images;
}

/// Text without a form that only text has, as offsets in order are one of a dump: bytes of code may look like it.
bool may_be_code(std::span<const std::uint8_t> bytes, ContainerFormat format) {
  const std::string_view text = text_of(bytes);
  return format == ContainerFormat::text || (format == ContainerFormat::hex && looks_like_text(text) &&
                                             !is_dump(text) && !is_log(text) && !is_array(text));
}

}  // namespace

std::string_view name(ContainerFormat format) {
  constexpr std::array<std::string_view, 7> names{"raw", "hex", "mbs", "text", "fw", "elf", "foreign"};
  return names[static_cast<std::size_t>(format)];
}

ContainerFormat detect_format(std::span<const std::uint8_t> bytes) {
  if (is_tree(bytes)) return ContainerFormat::mbs;
  const bool text = looks_like_text(text_of(bytes));
  if (text && holds_numbers(text_of(bytes))) return ContainerFormat::hex;
  if (foreign(bytes)) return ContainerFormat::foreign;
  if (!text && damage_in_numbers(bytes)) return ContainerFormat::hex;
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
  if (is_named_as_code(file) && may_be_code(bytes, format)) return ContainerFormat::raw;
  // Which bytes of a program these are cannot be told; command streams consist of words.
  const bool is_open = format == ContainerFormat::hex && !first_of_words_on_lines(text_of(bytes)).empty();
  return is_open ? ContainerFormat::foreign : format;
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
      return read_tree_and_rest(bytes, file);
    case ContainerFormat::foreign: {
      if (const std::string_view word = first_of_words_on_lines(text_of(bytes)); !word.empty())
        return fail(error_in_text(file, text_of(bytes), word, "FM069",
                                  "eight digits on each line are words, or bytes as xxd -p -c 4 writes them",
                                  "--container hex takes words, as does 0x before them; of bytes, write xxd -g 1"));
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
      if (const auto at = damage_in_numbers(bytes))
        return fail(Diagnostic{Severity::error,
                               "FM058",
                               {.file = std::string(file), .byte_offset = at},
                               "this is a text of numbers, and here is a byte that no text has",
                               "write the text again; --container raw takes the bytes as they are"});
      return read_numbers(text_of(bytes), file);
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
      return problem("FM020", "there is no " + std::string(name(stage)) + " code; there is " + all, "");
    }
  }
  if (!index && images.size() > 1) {
    return problem("FM021", "there are " + counted(images.size(), "program") + " to choose from: " + list(images),
                   stages_differ(images) ? "choose by stage or by number" : "choose by number");
  }
  const std::size_t chosen = index.value_or(0);
  if (chosen >= images.size()) {
    return problem("FM022", "there is no program number " + std::to_string(chosen) + "; there is " + list(images), "");
  }
  return std::move(images[chosen]);
}

}  // namespace mobula
