#include "io/archive.h"

#ifdef MOBULA_ZIP_FILE
#include <zip.h>

#include "core/late_library.h"
#endif

#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include "core/counted.h"
#include "core/quote.h"
#include "formats/foreign.h"

namespace mobula {

#ifdef MOBULA_ZIP_FILE
namespace {

/// What is called of libzip. It brings a library of cryptography along: with both, starting takes half as long again.
struct Zip {
  decltype(&::zip_discard) discard = nullptr;
  decltype(&::zip_fclose) fclose = nullptr;
  decltype(&::zip_fopen_index) fopen_index = nullptr;
  decltype(&::zip_fread) fread = nullptr;
  decltype(&::zip_get_name) get_name = nullptr;
  decltype(&::zip_get_num_entries) get_num_entries = nullptr;
  decltype(&::zip_open_from_source) open_from_source = nullptr;
  decltype(&::zip_source_buffer_create) source_buffer_create = nullptr;
  decltype(&::zip_source_free) source_free = nullptr;
  decltype(&::zip_stat_index) stat_index = nullptr;
  std::string error;  ///< why it is not to be had

  Zip() {
    LateLibrary library(MOBULA_ZIP_FILE);
    library.find(discard, "zip_discard");
    library.find(fclose, "zip_fclose");
    library.find(fopen_index, "zip_fopen_index");
    library.find(fread, "zip_fread");
    library.find(get_name, "zip_get_name");
    library.find(get_num_entries, "zip_get_num_entries");
    library.find(open_from_source, "zip_open_from_source");
    library.find(source_buffer_create, "zip_source_buffer_create");
    library.find(source_free, "zip_source_free");
    library.find(stat_index, "zip_stat_index");
    error = library.error();
  }
};

const Zip& zip() {
  static const Zip functions;
  return functions;
}

/// What an archive may unpack to: one entry, and all of them. Programs are far smaller.
constexpr std::uint64_t most_of_entry = std::uint64_t{64} << 20, most_of_all = std::uint64_t{512} << 20;
constexpr zip_int64_t most_entries = 1 << 16;

struct CloseArchive {
  void operator()(zip_t* archive) const { zip().discard(archive); }
};
struct CloseEntry {
  void operator()(zip_file_t* entry) const { zip().fclose(entry); }
};
using Archive = std::unique_ptr<zip_t, CloseArchive>;

Archive open_archive(std::span<const std::uint8_t> bytes) {
  zip_source_t* const source = zip().source_buffer_create(bytes.data(), bytes.size(), 0, nullptr);
  if (source == nullptr) return nullptr;
  zip_t* const archive = zip().open_from_source(source, ZIP_RDONLY, nullptr);
  if (archive == nullptr) zip().source_free(source);
  return Archive(archive);
}

/// Why what an entry holds is not known.
enum class Reason : std::uint8_t { encrypted, damaged, broken, archive, large, late };
constexpr std::array<std::string_view, 6> reason_texts{
    "encrypted",
    "damaged or of a method of compression that is not known",
    "MBS or firmware that cannot be read",
    "an archive itself",
    "too large to unpack here",
    "behind the last that is looked at",
};
constexpr std::string_view archives_text = "archives themselves";

/// The entries of an archive whose content is not known, by reason.
struct Unseen {
  std::array<std::size_t, reason_texts.size()> counts{};
  std::string first;  ///< name of the first one

  [[nodiscard]] std::size_t of(Reason reason) const { return counts[static_cast<std::size_t>(reason)]; }
  void count(Reason reason, const char* name) {
    ++counts[static_cast<std::size_t>(reason)];
    if (first.empty()) first = name != nullptr ? name : "?";
  }
  /// "2 entries are encrypted, 1 entry is too large to unpack here; the first is a.mbs"; empty if there are none.
  [[nodiscard]] std::string text() const {
    std::string all;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] == 0) continue;
      all += (all.empty() ? "" : ", ") + counted(counts[i], "entry is ", "entries are ");
      all += counts[i] > 1 && i == static_cast<std::size_t>(Reason::archive) ? archives_text : reason_texts[i];
    }
    return all.empty() ? all : all + "; the first is " + quote(first);
  }
};

/// The content of an entry; nothing where it cannot be had, or is larger than `most`.
std::vector<std::uint8_t> entry_content(zip_t* archive, zip_uint64_t index, std::uint64_t most, Unseen& unseen) {
  const char* const name = zip().get_name(archive, index, 0);
  zip_stat_t about;
  const bool known = zip().stat_index(archive, index, 0, &about) == 0;
  if (known && (about.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && about.encryption_method != ZIP_EM_NONE) {
    unseen.count(Reason::encrypted, name);
    return {};
  }
  const std::unique_ptr<zip_file_t, CloseEntry> entry(zip().fopen_index(archive, index, 0));
  if (!entry) {
    unseen.count(Reason::damaged, name);
    return {};
  }
  std::vector<std::uint8_t> content;
  for (std::size_t used = 0;;) {
    // What the archive says of sizes is not believed.
    content.resize(used + (std::size_t{64} << 10));
    const zip_int64_t got = zip().fread(entry.get(), content.data() + used, content.size() - used);
    if (got < 0) {
      unseen.count(Reason::damaged, name);
      return {};
    }
    used += static_cast<std::size_t>(got);
    content.resize(used);
    if (got == 0) return content;
    if (used > most) {
      unseen.count(Reason::large, name);
      return {};
    }
  }
}

bool tells_its_programs(std::span<const std::uint8_t> content) {
  const ContainerFormat format = detect_format(content);
  return format == ContainerFormat::mbs || format == ContainerFormat::fw;
}

}  // namespace

bool is_readable_archive(std::span<const std::uint8_t> bytes) {
  return zip_begin(bytes) && detect_format(bytes) == ContainerFormat::foreign;
}

Result<std::vector<CodeImage>> read_archive(std::span<const std::uint8_t> bytes, std::string_view file) {
  const auto problem = [&](std::string code, std::string message, std::string hint) {
    return fail(
        Diagnostic{Severity::error, std::move(code), {.file = std::string(file)}, std::move(message), std::move(hint)});
  };
  if (!zip().error.empty())
    return problem("FM059", "the library that opens zip archives cannot be loaded: " + zip().error,
                   "install libzip (libzip4 in Debian), or unzip the archive and give its files");
  const Archive archive = open_archive(bytes.subspan(zip_begin(bytes).value_or(0)));
  if (!archive) return problem("FM052", "this zip archive is damaged", "unzip -t says where");
  const zip_int64_t count = zip().get_num_entries(archive.get(), 0);
  if (count == 0) return problem("FM051", "this zip archive is empty", "");
  std::vector<CodeImage> images;
  std::uint64_t room = most_of_all;
  Unseen unseen;
  for (zip_int64_t i = 0; i < count; ++i) {
    const auto index = static_cast<zip_uint64_t>(i);
    const char* const entry_name = zip().get_name(archive.get(), index, 0);
    if (i >= most_entries || room == 0) {
      unseen.count(i >= most_entries ? Reason::late : Reason::large, entry_name);
      continue;
    }
    const std::vector<std::uint8_t> content =
        entry_content(archive.get(), index, std::min(room, most_of_entry), unseen);
    room -= std::min<std::uint64_t>(room, content.size());
    if (content.empty()) continue;
    if (!tells_its_programs(content)) {
      if (zip_begin(content)) unseen.count(Reason::archive, entry_name);
      continue;
    }
    auto found = read_container(content, {}, file);
    if (!found) {
      unseen.count(Reason::broken, entry_name);
      continue;
    }
    for (CodeImage& image : *found) {
      image.path =
          std::string(entry_name != nullptr ? entry_name : "?") + (image.path.empty() ? "" : ": ") + image.path;
      images.push_back(std::move(image));
    }
  }
  const std::string not_seen = unseen.text();
  if (images.empty()) {
    const bool is_damaged = unseen.of(Reason::damaged) + unseen.of(Reason::broken) != 0;
    return problem(is_damaged ? "FM052" : "FM051",
                   "no entry of this zip archive shows that it holds a program; it has " +
                       counted(count, "entry", "entries") + (not_seen.empty() ? "" : ", of which " + not_seen),
                   not_seen.empty() ? "raw code does not say what it is: unzip it, and give the file and --machine"
                                    : "unzip it, and give what holds programs; raw code with --machine");
  }
  for (CodeImage& image : images)
    if (!not_seen.empty())
      image.remarks.push_back({Severity::warning,
                               "FM056",
                               {.file = std::string(file)},
                               not_seen,
                               "unzip them, and give what holds programs"});
  return images;
}

#else

bool is_readable_archive(std::span<const std::uint8_t>) { return false; }

Result<std::vector<CodeImage>> read_archive(std::span<const std::uint8_t> bytes, std::string_view file) {
  return read_container(bytes, ContainerFormat::foreign, file);
}

#endif

}  // namespace mobula
