#include "formats/mbs.h"
#include "core/counted.h"

#include <algorithm>
#include <array>

namespace mobula {
namespace {

constexpr std::size_t chunk_header_bytes = 8;

/// Chunks that hold other chunks. Words of their own come before and between those (counts, versions): the walk below
/// steps over words that do not begin a chunk, because how many there are is not documented for every version.
struct ContainerKind {
  std::string_view ident;
  Stage stage = Stage::unknown;
};
constexpr std::array container_kinds = {
    ContainerKind{.ident = "MPB1"},
    ContainerKind{.ident = "MBS2"},
    ContainerKind{.ident = "VERT", .stage = Stage::vertex},
    ContainerKind{.ident = "FRAG", .stage = Stage::fragment},
    ContainerKind{.ident = "COMP", .stage = Stage::compute},
    ContainerKind{.ident = "CVER", .stage = Stage::vertex},
    ContainerKind{.ident = "CFRA", .stage = Stage::fragment},
    ContainerKind{.ident = "CMMN"},
    ContainerKind{.ident = "EBIN"},
};
constexpr std::array<std::string_view, 25> leaf_idents = {
    "VEHW", "VELA", "SSYM", "STRI", "UBUF", "RLOC", "FSHA", "BFRE", "SPDv", "SPDc", "SPDf", "BATT", "KWGS",
    "OBJC", "FOTV", "OUTV", "SYMB", "TYPE", "TPGE", "AINF", "CCOM", "KERN", "TPIB", "TPSE", "TPAR"};

const ContainerKind* find_container(std::string_view ident) {
  for (const ContainerKind& kind : container_kinds)
    if (kind.ident == ident) return &kind;
  return nullptr;
}
bool is_leaf(std::string_view ident) {
  return std::find(leaf_idents.begin(), leaf_idents.end(), ident) != leaf_idents.end();
}
/// Idents are upper-case letters and digits, the last one sometimes a lower-case letter.
bool may_be_ident(std::string_view ident) {
  const auto upper = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); };
  return std::all_of(ident.begin(), ident.end() - 1, upper) &&
         (upper(ident.back()) || (ident.back() >= 'a' && ident.back() <= 'z')) && ident[0] >= 'A';
}

/// A container that is being walked: its children lie in [at, end).
struct Open {
  std::string_view ident;
  Stage stage = Stage::unknown;
  std::size_t at = 0, end = 0;
  std::size_t first_image = 0;  ///< images found before it was entered
  std::optional<std::array<std::uint32_t, 3>> local_size;
};

class Walker {
 public:
  Walker(std::span<const std::uint8_t> bytes, std::string_view file) : bytes_(bytes), file_(file) {}

  Result<std::vector<CodeImage>> walk() {
    open_.push_back({.at = 0, .end = bytes_.size()});
    while (!open_.empty() && errors_.empty()) {
      if (open_.back().end - open_.back().at < chunk_header_bytes) {
        open_.pop_back();
      } else {
        step();
      }
    }
    if (errors_.empty() && images_.empty()) scan();
    if (errors_.empty() && images_.empty()) {
      error("FM012", 0, "there is no OBJC chunk, so no machine code", "was the file written by the offline compiler?");
    }
    if (!errors_.empty()) return fail(std::move(errors_));
    return std::move(images_);
  }

 private:
  void step() {
    const std::size_t at = open_.back().at;
    const std::string_view name = ident(at);
    const ContainerKind* const container = find_container(name);
    const bool known = container != nullptr || is_leaf(name);
    const std::size_t size = word(at + 4);
    const std::size_t room = open_.back().end - at - chunk_header_bytes;
    if (!known && (!may_be_ident(name) || size > room || size % 4 != 0)) {
      open_.back().at += 4;  // a word of the container itself
      return;
    }
    if (size > room) {
      error("FM010", at,
            "chunk " + std::string(name) + " says it is " + counted(size, "byte") + " long but only " +
                std::to_string(room) + " remain in " + (path().empty() ? "the file" : path()),
            "the file is cut off or damaged");
      return;
    }
    if (size % 4 != 0) {
      error("FM011", at,
            "chunk " + std::string(name) + " is " + counted(size, "byte") + " long; sizes are multiples of 4",
            "the file is damaged");
      return;
    }
    const std::size_t payload = at + chunk_header_bytes;
    open_.back().at = payload + size;
    if (container != nullptr) {
      enter(*container, payload, payload + size);
    } else if (name == "OBJC") {
      take_code(payload, size);
    } else if (name == "KWGS" && size >= 12) {
      open_.back().local_size = {word(payload), word(payload + 4), word(payload + 8)};
      apply_local_size();
    }
  }

  void enter(const ContainerKind& kind, std::size_t begin, std::size_t end) {
    constexpr std::size_t depth_limit = 16;
    if (open_.size() > depth_limit) {
      error("FM013", begin, "chunks are nested more than " + std::to_string(depth_limit) + " deep",
            "the file is damaged");
      return;
    }
    const Stage stage = kind.stage == Stage::unknown ? open_.back().stage : kind.stage;
    open_.push_back({.ident = kind.ident, .stage = stage, .at = begin, .end = end, .first_image = images_.size()});
  }

  void take_code(std::size_t begin, std::size_t size) {
    CodeImage image;
    image.code.assign(bytes_.begin() + static_cast<std::ptrdiff_t>(begin),
                      bytes_.begin() + static_cast<std::ptrdiff_t>(begin + size));
    image.byte_offset = begin;
    image.path = path().empty() ? "OBJC" : path() + "/OBJC";
    image.machine = "midgard";
    image.interface.stage = open_.back().stage;
    images_.push_back(std::move(image));
    apply_local_size();
  }

  /// Not every version's tree is documented; code below a chunk that is assumed to be a leaf is found by its ident
  /// alone.
  void scan() {
    open_.push_back({.at = 0, .end = bytes_.size()});
    for (std::size_t at = 0; at + chunk_header_bytes <= bytes_.size(); at += 4) {
      const std::size_t size = word(at + 4);
      if (ident(at) != "OBJC" || size > bytes_.size() - at - chunk_header_bytes || size % 4 != 0) continue;
      take_code(at + chunk_header_bytes, size);
      at += chunk_header_bytes + size - 4;
    }
  }

  /// KWGS describes the code in the same container, whichever of the two comes first.
  void apply_local_size() {
    const Open& container = open_.back();
    if (!container.local_size) return;
    for (std::size_t i = container.first_image; i < images_.size(); ++i) {
      images_[i].interface.local_size = *container.local_size;
    }
  }

  [[nodiscard]] std::string path() const {
    std::string text;
    for (const Open& container : open_) {
      if (container.ident.empty()) continue;
      if (!text.empty()) text += '/';
      text += container.ident;
    }
    return text;
  }

  [[nodiscard]] std::string_view ident(std::size_t at) const {
    return {reinterpret_cast<const char*>(bytes_.data() + at), 4};
  }
  [[nodiscard]] std::uint32_t word(std::size_t at) const {
    return static_cast<std::uint32_t>(bytes_[at]) | static_cast<std::uint32_t>(bytes_[at + 1]) << 8 |
           static_cast<std::uint32_t>(bytes_[at + 2]) << 16 | static_cast<std::uint32_t>(bytes_[at + 3]) << 24;
  }

  void error(std::string code, std::size_t at, std::string message, std::string hint) {
    errors_.push_back({Severity::error,
                       std::move(code),
                       {.file = std::string(file_), .byte_offset = at},
                       std::move(message),
                       std::move(hint)});
  }

  std::span<const std::uint8_t> bytes_;
  std::string_view file_;
  std::vector<Open> open_;
  std::vector<CodeImage> images_;
  Diagnostics errors_;
};

}  // namespace

bool is_mbs(std::span<const std::uint8_t> bytes) {
  if (bytes.size() < 4) return false;
  const std::string_view magic(reinterpret_cast<const char*>(bytes.data()), 4);
  return magic == "MBS2" || magic == "MPB1";
}

Result<std::vector<CodeImage>> read_mbs(std::span<const std::uint8_t> bytes, std::string_view file) {
  if (!is_mbs(bytes)) {
    return fail(Diagnostic{Severity::error,
                           "FM014",
                           {.file = std::string(file), .byte_offset = 0},
                           "the file does not begin with MBS2 or MPB1",
                           "let the format be detected, or say raw"});
  }
  return Walker(bytes, file).walk();
}

}  // namespace mobula
