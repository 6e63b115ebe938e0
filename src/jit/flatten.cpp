#include "jit/flatten.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

namespace mobula::jit {
namespace {

class Flattener {
 public:
  explicit Flattener(std::span<const std::uint8_t> object) : object_(object), header_(read<Elf64_Ehdr>(0)) {
    for (std::size_t i = 0; i < header_.e_shnum; ++i)
      sections_.push_back(read<Elf64_Shdr>(header_.e_shoff + i * sizeof(Elf64_Shdr)));
    places_.resize(sections_.size());
  }

  std::string run(std::string_view entry, native::Code& code) {
    for (std::size_t i = 0; i < sections_.size(); ++i) place(i, code.bytes);
    for (const Elf64_Shdr& section : sections_) {
      if (section.sh_type != SHT_RELA || !places_[section.sh_info]) continue;
      for (std::size_t at = 0; at < section.sh_size; at += sizeof(Elf64_Rela)) {
        if (std::string wrong = relocate(section, read<Elf64_Rela>(section.sh_offset + at), code.bytes); !wrong.empty())
          return wrong;
      }
    }
    for (const Elf64_Shdr& section : sections_) {
      if (section.sh_type != SHT_SYMTAB) continue;
      for (std::size_t at = 0; at < section.sh_size; at += sizeof(Elf64_Sym)) {
        const auto symbol = read<Elf64_Sym>(section.sh_offset + at);
        if (name_of(section, symbol) != entry || !is_placed(symbol)) continue;
        code.entry = *places_[symbol.st_shndx] + symbol.st_value;
        return {};
      }
    }
    return "the object has no entry";
  }

 private:
  template <class T>
  T read(std::size_t at) const {
    T value{};
    std::memcpy(&value, object_.data() + at, sizeof value);
    return value;
  }

  void place(std::size_t index, std::vector<std::uint8_t>& bytes) {
    const Elf64_Shdr& section = sections_[index];
    if ((section.sh_flags & SHF_ALLOC) == 0 || section.sh_type != SHT_PROGBITS) return;
    const std::size_t alignment = std::max<std::size_t>(section.sh_addralign, 1);
    bytes.resize((bytes.size() + alignment - 1) / alignment * alignment);
    places_[index] = bytes.size();
    const auto content = object_.subspan(section.sh_offset, section.sh_size);
    bytes.insert(bytes.end(), content.begin(), content.end());
  }

  std::string_view name_of(const Elf64_Shdr& symbols, const Elf64_Sym& symbol) const {
    return reinterpret_cast<const char*>(object_.data() + sections_[symbols.sh_link].sh_offset + symbol.st_name);
  }
  bool is_placed(const Elf64_Sym& symbol) const {
    return symbol.st_shndx != SHN_UNDEF && symbol.st_shndx < places_.size() && places_[symbol.st_shndx];
  }

  std::string relocate(const Elf64_Shdr& section, const Elf64_Rela& relocation,
                       std::vector<std::uint8_t>& bytes) const {
    const Elf64_Shdr& symbols = sections_[section.sh_link];
    const auto symbol = read<Elf64_Sym>(symbols.sh_offset + ELF64_R_SYM(relocation.r_info) * sizeof(Elf64_Sym));
    if (!is_placed(symbol)) return "the code needs the function " + std::string(name_of(symbols, symbol));
    const auto type = ELF64_R_TYPE(relocation.r_info);
    if (type != R_X86_64_PC32 && type != R_X86_64_PLT32) return "the code depends on its place";
    const std::uint64_t at = *places_[section.sh_info] + relocation.r_offset;
    const std::uint64_t to =
        *places_[symbol.st_shndx] + symbol.st_value + static_cast<std::uint64_t>(relocation.r_addend);
    const auto distance = static_cast<std::uint32_t>(to - at);
    std::memcpy(bytes.data() + at, &distance, sizeof distance);
    return {};
  }

  std::span<const std::uint8_t> object_;
  Elf64_Ehdr header_;
  std::vector<Elf64_Shdr> sections_;
  std::vector<std::optional<std::uint64_t>> places_;  ///< by section: its offset in the code
};

}  // namespace

std::string flatten(std::span<const std::uint8_t> object, std::string_view entry, native::Code& code) {
  return Flattener(object).run(entry, code);
}

}  // namespace mobula::jit
