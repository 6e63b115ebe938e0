#include <algorithm>
#include <array>

#include "formats/elf.h"
#include "formats/mbs.h"
#include "mobula/isa/firmware.h"
#include "mobula/isa/formats.h"
#include "mobula/isa/mbs1.h"

namespace mobula {
namespace {

std::string_view as_text(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// No control characters but white space in the first few kilobytes, and something to read there.
bool looks_like_text(std::string_view text) {
  const std::string_view head = text.substr(0, 4096);
  return !head.empty() && std::all_of(head.begin(), head.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 ? c != 0x7F : c == '\t' || c == '\n' || c == '\r';
  });
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

std::string_view stage_name(Stage stage) {
  constexpr std::array<std::string_view, 4> names{"unknown", "vertex", "fragment", "compute"};
  return names[static_cast<std::size_t>(stage)];
}

std::string list(const std::vector<CodeImage>& images) {
  constexpr std::size_t shown = 16;
  std::string text;
  for (std::size_t i = 0; i < images.size() && i < shown; ++i) {
    text += (i == 0 ? "" : "; ") + std::to_string(i) + ": " + std::string(stage_name(images[i].interface.stage)) +
            ", " + std::to_string(images[i].code.size()) + " bytes" +
            (images[i].path.empty() ? "" : ", " + images[i].path);
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

}  // namespace

std::string_view name(ContainerFormat format) {
  constexpr std::array<std::string_view, 6> names{"raw", "hex", "mbs", "text", "fw", "elf"};
  return names[static_cast<std::size_t>(format)];
}

ContainerFormat detect_format(std::span<const std::uint8_t> bytes) {
  if (is_mbs(bytes) || mbs1::is_mbs1(bytes)) return ContainerFormat::mbs;
  if (is_elf(bytes)) return ContainerFormat::elf;
  if (firmware::is_firmware(bytes) || firmware::is_older_firmware(bytes)) return ContainerFormat::fw;
  if (!looks_like_text(as_text(bytes))) return ContainerFormat::raw;
  return starts_with_hex(as_text(bytes)) ? ContainerFormat::hex : ContainerFormat::text;
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
  switch (format ? *format : detect_format(bytes)) {
    case ContainerFormat::mbs:
      return mbs1::is_mbs1(bytes) ? read_mbs1(bytes, file) : read_mbs(bytes, file);
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
    case ContainerFormat::hex: {
      auto code = read_hex(as_text(bytes), file);
      if (!code) return fail(std::move(code).error());
      images[0].code = std::move(code).value();
      break;
    }
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
    return problem("FM021", "there are " + std::to_string(images.size()) + " programs to choose from: " + list(images),
                   "choose by stage or by number");
  }
  const std::size_t chosen = index.value_or(0);
  if (chosen >= images.size()) {
    return problem("FM022", "there is no program number " + std::to_string(chosen) + "; there is " + list(images), "");
  }
  return std::move(images[chosen]);
}

}  // namespace mobula
