#include "machines/rogue/spec/spec.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "machines/rogue/programs.h"
#include "machines/rogue/spec/codec.h"
#include "paths.h"

namespace mobula::rogue {
namespace {

// That fields and fixed bits are all bits of a form, once each, is checked where the rows are read: see form().

TEST(Spec, MapsOfOneSetAreToldApartByTheirBits) {
  const auto disjoint = [](std::span<const Form> forms) {
    for (const Form& a : forms)
      for (const Form& b : forms)
        EXPECT_TRUE(&a == &b || ((a.fixed_bits ^ b.fixed_bits) & a.fixed_mask & b.fixed_mask) != 0)
            << a.name << ' ' << b.name;
  };
  disjoint(forms::lower);
  disjoint(forms::upper);
  disjoint(forms::one_destination);
  disjoint(forms::two_destinations);
}

/// True if whatever fits `narrow` fits `wide`.
bool specialises(const Candidate& narrow, const Candidate& wide) {
  return (wide.mask & ~narrow.mask) == 0 && ((narrow.bits ^ wide.bits) & wide.mask) == 0;
}

TEST(Spec, InstructionsOfOneUnitAreToldApartByTheirBits) {
  for (std::size_t i = 0; i < unit_count; ++i) {
    const auto unit = static_cast<Unit>(i);
    for (unsigned byte = 0; byte < 256; ++byte) {
      const auto all =
          unit == Unit::control ? std::span<const Candidate>() : candidates(unit, static_cast<std::uint8_t>(byte));
      for (std::size_t a = 0; a < all.size(); ++a)
        for (std::size_t b = a + 1; b < all.size(); ++b) {
          const bool disjoint = ((all[a].bits ^ all[b].bits) & all[a].mask & all[b].mask) != 0;
          // A special case stands in front of the general row; the integer forms of two and three bytes differ in
          // length alone (4.6).
          const bool lengths = all[a].op == all[b].op && all[a].form->bytes == 2 && all[b].form->bytes == 3;
          EXPECT_TRUE(disjoint || specialises(all[a], all[b]) || lengths)
              << all[a].op->name << ' ' << all[a].form->name << " and " << all[b].op->name << ' ' << all[b].form->name;
        }
    }
  }
}

TEST(Spec, ControlInstructionsAreToldApart) {
  for (unsigned ctrlop = 0; ctrlop < 16; ++ctrlop) {
    const auto all = control_candidates(ctrlop);
    for (std::size_t a = 0; a < all.size(); ++a)
      for (std::size_t b = a + 1; b < all.size(); ++b)
        EXPECT_NE((all[a].bits ^ all[b].bits) & all[a].mask & all[b].mask, 0u)
            << all[a].op->name << ' ' << all[b].op->name;
  }
}

TEST(Spec, EveryOpWithFormsGoesThereAndBack) {
  for (const Op& op : ops()) {
    if (!op.encodable()) continue;
    for (const Form* form : op.all_forms())
      for (std::uint64_t seed = 0; seed < 64; ++seed) {
        Values values = default_values;
        for (const Place& place : form->fields())
          at(values, place.field) = static_cast<std::uint32_t>((seed * 0x9E3779B9u) >> 7 & low_mask(place.width()));
        const std::uint64_t bits = write(*form, values);
        EXPECT_TRUE(form->fits(bits));
        Values back = default_values;
        read(*form, bits, back);
        EXPECT_EQ(back, values) << op.name << ' ' << form->name;
      }
  }
}

TEST(Spec, ConstantsAreThoseOfTheReference) {
  EXPECT_EQ(constant_value(0), 0u);
  EXPECT_EQ(constant_value(31), 31u);
  EXPECT_EQ(constant_value(64), 0x3F800000u);
  EXPECT_EQ(constant_value(74), 0x44800000u);
  EXPECT_EQ(constant_value(75), 0x3F000000u);
  EXPECT_EQ(constant_value(88), 0x38800000u);
  EXPECT_EQ(constant_value(143), 0xFFFFFFFFu);
  EXPECT_EQ(constant_value(44), std::nullopt);
}

/// What the samples call a form, where one of ours stands for several of theirs.
std::string own_name(const std::string& name) {
  static const std::map<std::string, std::string> names{{"fadd_lp", "fadd"},
                                                        {"fmul_lp", "fmul"},
                                                        {"ld_immbl", "ld_imm"},
                                                        {"ld_regbl", "ld_reg"},
                                                        {"st_immbl", "st_imm"},
                                                        {"st_regbl", "st_reg"},
                                                        {"st_immbl_tiled", "st_imm_ext"},
                                                        {"st_regbl_tiled", "st_reg_ext"},
                                                        {"smp_brief", "smp"},
                                                        {"smp_extab_w", "smp_extab"},
                                                        {"smp_extb_w", "smp_extb"}};
  const auto found = names.find(name);
  return found == names.end() ? name : found->second;
}

const Form* form_named(const std::string& name) {
  for (const auto& all :
       {std::span<const Form>(forms::lower), std::span<const Form>(forms::upper),
        std::span<const Form>(forms::one_destination), std::span<const Form>(forms::two_destinations)})
    for (const Form& form : all)
      if (form.name == name) return &form;
  for (const Form* form : {&forms::main_brief, &forms::main, &forms::bitwise, &forms::control, &forms::iss})
    if (form->name == name) return form;
  for (const Op& op : ops())
    for (const Form* form : op.all_forms())
      if (form->name == name) return form;
  return nullptr;
}

TEST(Spec, AgreesWithTheEncodingsOfTheSamples) {
  std::ifstream stream(mobula::test::sample("rogue/encodings.jsonl"));
  if (!stream) GTEST_SKIP() << "no samples";
  unsigned rows = 0, values_checked = 0;
  std::set<std::string> unknown;
  for (std::string line; std::getline(stream, line);) {
    const auto row = nlohmann::json::parse(line);
    const std::string name = row["encoding"];
    ++rows;
    std::string prefix = own_name(name);
    if (row["set"] == "main" && name.starts_with("int8_16") &&
        row["fields"]["int8_16_op"].get<std::string>().starts_with("mad"))
      prefix = "mad" + name.substr(3);
    const Form* form = form_named(prefix);
    if (form == nullptr) {
      unknown.insert(name);
      continue;
    }
    const std::string hex = row["bytes"];
    if (hex.empty()) continue;
    ASSERT_EQ(hex.size(), 2u * form->bytes) << line;
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < hex.size(); i += 2) bits |= std::stoull(hex.substr(i, 2), nullptr, 16) << (4 * i);
    EXPECT_TRUE(form->fits(bits)) << line;
    for (const auto& [key, value] : row["fields"].items()) {
      std::string field_name = name == "sbo" && key == "offset"                               ? "sbo_offset"
                               : name == "phas_imm" && key == "end"                           ? "phas_end"
                               : key == "imm16" || key == "imm32"                             ? "imm"
                               : (name == "ditr" || name.starts_with("itrsmp")) && key == "p" ? "persp"
                                                                                              : key;
      const Place* place = nullptr;
      for (const Place& each : form->fields())
        if (info(each.field).name == field_name) place = &each;
      if (place == nullptr || !value.is_number() || value.get<std::uint64_t>() > 0xFFFFFFFF) {
        const bool named = place != nullptr && value.is_string();
        if (named)
          for (const FieldValue& each : info(place->field).names)
            if (each.name == value.get<std::string>()) {
              EXPECT_EQ(get(bits, *place), each.value) << line << ' ' << key;
              ++values_checked;
            }
        continue;
      }
      std::uint64_t expected = value.get<std::uint64_t>();
      const Kind kind = info(place->field).kind;
      if (kind == Kind::count16) expected &= low_mask(place->width());
      if (kind == Kind::plus1 || place->field == F::rpt) expected -= 1;
      if (kind == Kind::quad || kind == Kind::coefficient || kind == Kind::w_coefficient || kind == Kind::shared_quad)
        expected /= 4;
      if (kind == Kind::target) expected /= 2;
      EXPECT_EQ(get(bits, *place), expected) << line << ' ' << key;
      ++values_checked;
    }
  }
  EXPECT_EQ(rows, 298u);
  EXPECT_GT(values_checked, 1000u);
  EXPECT_EQ(unknown, (std::set<std::string>{"lapc"}));
}

}  // namespace
}  // namespace mobula::rogue
