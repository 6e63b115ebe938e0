// Microcode to micro-operations: a block an instruction word, see ports.h. Semantics: sections 2 and 3 of the afuc
// reference.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "core/export.h"
#include "ir/code_source.h"
#include "mobula/isa/machine.h"

namespace mobula::afuc {

/// The registers as micro-operations have them, those of one core: "$01" to "$rem", and "carry".
MOBULA_INTERNAL std::span<const ir::Slot> register_slots();

/// `words` is one (sub)program from its word 0; `generation` is one of g5, g6, g7, g8. Any words are good: what is no
/// instruction stops the thread that comes there. AF801, AF802: policies and values that do not exist.
MOBULA_INTERNAL Result<ir::Program> lift(std::span<const std::uint32_t> words, std::uint8_t generation,
                                         const Policies& chosen);

/// The same, but words are lifted when they are first executed: of an image, few ever are.
class LazyCode final : public CodeSource {
 public:
  /// `words` must outlive it. AF801, AF802: policies and values that do not exist.
  MOBULA_INTERNAL static Result<LazyCode> create(std::span<const std::uint32_t> words, std::uint8_t generation,
                                                 const Policies& chosen);
  MOBULA_INTERNAL ~LazyCode() override;
  MOBULA_INTERNAL LazyCode(LazyCode&&) noexcept;
  LazyCode& operator=(LazyCode&&) noexcept;
  std::optional<ir::Program> lift(std::uint64_t address) override;

 private:
  struct Impl;
  explicit LazyCode(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace mobula::afuc
