// What the parts of the checker share: the program being checked and where its findings go.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/hexadecimal.h"
#include "machines/midgard/check/rules.h"
#include "machines/midgard/spec/codec.h"
#include "mobula/isa/diagnostic.h"
#include "mobula/isa/program.h"

namespace mobula::midgard {

class Report {
 public:
  explicit Report(const Program& checked)
      : program(checked), product(find_product(checked.variant)), findings_(checked.file, "MD200") {}

  /// `found` says what is there; the rule says what is allowed and how to fix it.
  void add(RuleId id, const Bundle& bundle, BitRange bits, const std::string& found) {
    add(id, std::uint64_t{bundle.position} * quadword_bytes, bits, found);
  }
  void add(RuleId id, std::uint64_t byte_offset, BitRange bits, const std::string& found) {
    findings_.add(rule(id), byte_offset, bits, found);
  }

  /// True once the limit has been passed and said so.
  [[nodiscard]] bool full() const { return findings_.full(); }
  Diagnostics take() { return findings_.take(); }

  const Program& program;
  const Product& product;

 private:
  Findings findings_;
};

/// "r5".
std::string register_name(unsigned reg);
/// "0x1F".
/// "tag 8 (alu/4)".
std::string tag_name(unsigned tag);

/// The rule that reading or writing r0..r23 breaks, by the work and uniform registers the interface allots.
std::optional<RuleId> register_rule(const Report& report, unsigned reg, bool written);

// The pipes. Each checks one bundle of its form.
void check_alu(Report& report, const Bundle& bundle);
void check_load_store(Report& report, const Bundle& bundle);
void check_texture(Report& report, const Bundle& bundle, std::span<const Bundle> preceding,
                   std::span<const Bundle> following);

}  // namespace mobula::midgard
