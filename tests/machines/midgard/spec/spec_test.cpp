#include "machines/midgard/spec/spec.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

namespace mobula::midgard {
namespace {

void expect_fact(const Fact& fact, std::string_view what) {
  EXPECT_NE(fact.source.find('.'), std::string_view::npos) << what << ": " << fact.source;  // a section number
}

bool is_lower(std::string_view text) {
  return text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos && !text.empty();
}

// ------------------------------------------------------------------------------------------------ formats

TEST(Spec, FormatsTileAndAreDescribed) {
  std::set<std::string_view> names;
  for (const Format* format : formats()) {
    EXPECT_TRUE(names.insert(format->name).second) << format->name;
    EXPECT_TRUE(tiles(*format)) << format->name;
    EXPECT_TRUE(values_fit(*format)) << format->name;
    EXPECT_FALSE(format->meaning.empty()) << format->name;
    std::set<std::string_view> fields;
    for (const Field* field : format->fields) {
      const std::string what = std::string(format->name) + ' ' + std::string(field->name);
      EXPECT_TRUE(fields.insert(field->name).second) << what;
      EXPECT_FALSE(field->meaning.empty()) << what;
      expect_fact(field->fact, what);
      EXPECT_TRUE(!field->reserved || field->fact.status == Status::unknown) << what;
      std::set<std::string_view> values;
      for (const FieldValue& value : field->values) EXPECT_TRUE(values.insert(value.name).second) << what << value.name;
    }
  }
}

/// Every format that lies inside a word of another is as wide as the field that holds it.
TEST(Spec, SourceFormatsFitTheirFields) {
  EXPECT_EQ(vecsrc::format.width, vec::src1.width);
  EXPECT_EQ(vecsrc::format.width, vec::src2.width);
  EXPECT_EQ(vecinline::format.width, vec::src2.width);
  EXPECT_EQ(scalarsrc::format.width, scalar::src2.width);
  EXPECT_EQ(scalarinline::format.width, scalar::src2.width);
  EXPECT_EQ(texselect::format.width, tex::lod_fraction.width);
  EXPECT_EQ(texoffset::format.width, tex::offset.width);
  EXPECT_EQ(texoffsetreg::format.width, tex::offset.width);
  EXPECT_EQ(ls::format.width, ldst::first.width);
  EXPECT_EQ(ls::format.width, ldst::second.width);
  EXPECT_EQ(brcond::format.width, bruncond::format.width);
}

/// Views over a load/store word lie inside the fields they divide.
TEST(Spec, LoadStoreViewsDivideTheirFields) {
  const auto inside = [](const Field& view, const Field& first, const Field& last) {
    return view.low >= first.low && view.low + view.width <= last.low + last.width;
  };
  EXPECT_TRUE(inside(ls::auto32, ls::index_format, ls::index_format));
  EXPECT_TRUE(inside(ls::secondary, ls::index_format, ls::index_format));
  EXPECT_TRUE(inside(ls::ubo_immediate, ls::arg_component, ls::index_format));
  EXPECT_EQ(ls::ubo_immediate.width,
            ls::arg_component.width + ls::arg.width + ls::toggle.width + ls::index_format.width);
  EXPECT_EQ(ls::ubo_register.width + ls::ubo_unknown.width + ls::ubo_offset.width, ls::offset.width);
  EXPECT_EQ(ls::vertex_offset.width + ls::table_offset.width, ls::offset.width);
  EXPECT_EQ(ls::atomic_component.width + ls::atomic_operand.width + ls::atomic_unknown.width, ls::swizzle.width);
  EXPECT_TRUE(inside(ls::tile_target, ls::index_component, ls::index));
  EXPECT_TRUE(inside(ls::tile_sample, ls::arg_component, ls::arg));
  const Field* parameters[] = {&vary::modifier, &vary::flat,       &vary::perspective, &vary::centroid,
                               &vary::sample,   &vary::unknown_49, &vary::position_bit};
  unsigned next = ls::offset.low;
  for (const Field* field : parameters) {
    EXPECT_EQ(field->low, next) << field->name;
    next += field->width;
  }
  EXPECT_EQ(next, ls::table_offset.low);
}

TEST(Spec, TagsTellPipeAndLength) {
  for (unsigned tag = 0; tag < 16; ++tag) {
    EXPECT_EQ(tags[tag].pipe == Pipe::alu, is_alu_tag(tag)) << tag;
    EXPECT_FALSE(tags[tag].meaning.empty()) << tag;
    expect_fact(tags[tag].fact, tags[tag].name);
  }
  for (unsigned tag = 8; tag < 16; ++tag) EXPECT_EQ(quadwords(tag), 1 + tag % 4);
  EXPECT_FALSE(is_writeout_tag(11));
  EXPECT_TRUE(is_writeout_tag(12));
}

TEST(Spec, UnitsLieInOrderOfTheControlWord) {
  for (unsigned i = 0; i < unit_count; ++i) {
    EXPECT_EQ(units[i].control_bit, 17 + 2 * i) << units[i].name;
    EXPECT_EQ(units[i].bytes, units[i].vector ? 6 : 4);
    EXPECT_EQ(units[i].stage, i < 2 ? 1 : 2);
  }
}

// ------------------------------------------------------------------------------------------------ arithmetic

TEST(Spec, AluRowsAreUniqueAndDescribed) {
  std::set<unsigned> opcodes;
  std::set<std::string_view> names;
  for (const AluOp& row : alu_ops) {
    EXPECT_TRUE(opcodes.insert(row.opcode).second) << row.name;
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_TRUE(is_lower(row.name)) << row.name;
    EXPECT_FALSE(row.mnemonic.empty()) << row.name;
    EXPECT_FALSE(row.meaning.empty()) << row.name;
    expect_fact(row.fact, row.name);
    EXPECT_EQ(find_alu_op(row.opcode), &row) << row.name;
    EXPECT_TRUE(row.units != 0 && row.units < 1u << unit_count) << row.name;
    EXPECT_TRUE(row.operands == 1 || row.operands == 2) << row.name;
    EXPECT_TRUE(!row.uses_source2 || row.operands == 1) << row.name;
  }
  for (unsigned opcode = 0; opcode < 256; ++opcode) {
    EXPECT_EQ(find_alu_op(opcode) != nullptr, opcodes.contains(opcode)) << opcode;
    if (!opcodes.contains(opcode)) {
      EXPECT_EQ(input_kind(opcode), output_kind(opcode)) << opcode;
    }
  }
}

/// 3.1: integer input iff 0x40-0x7E or 0xA0-0xC1; only comparisons and conversions change it.
TEST(Spec, AluKindsFollowTheOpcode) {
  for (unsigned opcode = 0; opcode < 256; ++opcode) {
    const bool integer = (opcode >= 0x40 && opcode <= 0x7E) || (opcode >= 0xA0 && opcode <= 0xC1);
    EXPECT_EQ(input_kind(opcode) != Kind::f, integer) << opcode;
    const AluOp* row = find_alu_op(opcode);
    if (row == nullptr) continue;
    const bool compares = opcode >= 0x80 && opcode <= 0x93, from_float = opcode >= 0x98 && opcode <= 0x9F,
               to_float = opcode >= 0xB8 && opcode <= 0xBF;
    EXPECT_EQ((row->in == Kind::f) != (row->out == Kind::f), compares || from_float || to_float) << row->name;
    // Names begin with the kind of their input.
    EXPECT_EQ(row->name[0], row->in == Kind::f ? 'f' : row->in == Kind::i ? 'i' : 'u') << row->name;
  }
}

TEST(Spec, RoundingIsInTheLowOpcodeBits) {
  const std::map<std::string_view, unsigned> rounding{{"_rte", 0}, {"_rtz", 1}, {"_rtn", 2}, {"_rtp", 3}};
  unsigned found = 0;
  for (const AluOp& row : alu_ops)
    for (const auto& [suffix, bits] : rounding)
      if (row.name.ends_with(suffix)) {
        EXPECT_EQ(row.opcode & 3, bits) << row.name;
        EXPECT_EQ(static_cast<unsigned>(row.round), bits) << row.name;
        ++found;
      }
  EXPECT_EQ(found, 4u * 3 + 4 * 4);  // fadd fmul fmov ffma without _rte; f2i f2u i2f u2f with
}

TEST(Spec, AluPropertiesOfFamilies) {
  for (const AluOp& row : alu_ops) {
    EXPECT_EQ(row.shift1, row.name == "ishladd" || row.name == "ishlsub") << row.name;
    EXPECT_EQ(row.uses_source2, row.name.starts_with("fmov") || row.name == "imov") << row.name;
    if (row.is_select()) {
      EXPECT_EQ(row.units & (on_vmul | on_sadd), 0) << row.name;
    }
    EXPECT_EQ(row.look_up, row.opcode >= 0xE8) << row.name;
    if (row.look_up) {
      EXPECT_EQ(row.units, on_vlut) << row.name;
    }
    const bool all_any = row.name.find("ball") == 1 || row.name.find("bany") == 1;
    EXPECT_EQ(row.reduces, all_any || row.name == "fdot4"                ? 4
                           : row.name == "fdot3" || row.name == "fdot3r" ? 3
                                                                         : 0)
        << row.name;
    if (row.reduces != 0) {
      EXPECT_EQ(row.units & (on_sadd | on_smul), 0) << row.name;
    }
  }
}

// ------------------------------------------------------------------------------------------------ load/store, texture

TEST(Spec, LoadStoreRowsAreUniqueAndDescribed) {
  std::set<unsigned> opcodes;
  std::set<std::string_view> names, mnemonics;
  for (const LsOp& row : ls_ops) {
    EXPECT_TRUE(opcodes.insert(row.opcode).second) << row.name;
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_TRUE(mnemonics.insert(row.mnemonic).second) << row.mnemonic;
    EXPECT_TRUE(is_lower(row.name)) << row.name;
    EXPECT_FALSE(row.meaning.empty()) << row.name;
    expect_fact(row.fact, row.name);
    EXPECT_EQ(find_ls_op(row.opcode), &row) << row.name;
    EXPECT_EQ(form_of(row.does).stores, row.name.starts_with("st_")) << row.name;
    EXPECT_EQ(form_of(row.does).stores, row.mnemonic.starts_with("ST")) << row.name;
    EXPECT_EQ(row.opcode == 0x03, row.does == LsMeaning::nop) << row.name;
  }
  for (unsigned opcode = 0; opcode < 256; ++opcode)
    EXPECT_EQ(find_ls_op(opcode) != nullptr, opcodes.contains(opcode)) << opcode;
  EXPECT_EQ(find_ls_op(ls_noop)->does, LsMeaning::nop);
}

/// The width of a memory access and its byte swap are in the mnemonic.
TEST(Spec, AccessWidthsAreInTheMnemonics) {
  for (const LsOp& row : ls_ops) {
    const bool memory = row.does == LsMeaning::load || row.does == LsMeaning::store || row.does == LsMeaning::ubo ||
                        row.does == LsMeaning::atomic;
    unsigned bytes = 0, swap = 0;
    for (const auto& [text, width] :
         std::map<std::string, unsigned>{{"8", 1}, {"16", 2}, {"32", 4}, {"64", 8}, {"128", 16}})
      for (const char* prefix : {".", ".u", ".s"}) {
        const std::string part = prefix + text;
        const std::size_t at = row.mnemonic.find(part);
        if (at == std::string_view::npos) continue;
        const std::size_t end = at + part.size();
        if (end == row.mnemonic.size() || row.mnemonic[end] == '.') bytes = width;
      }
    if (row.mnemonic.ends_with(".be")) swap = bytes;
    if (const std::size_t at = row.mnemonic.find("bswap"); at != std::string_view::npos)
      swap = static_cast<unsigned>(row.mnemonic[at + 5] - '0');
    EXPECT_EQ(row.bytes, memory ? bytes : 0) << row.name;
    EXPECT_EQ(row.swap, swap) << row.name;
    EXPECT_LE(row.swap, row.bytes) << row.name;
  }
}

TEST(Spec, TextureRowsAreUniqueAndDescribed) {
  std::set<unsigned> opcodes;
  std::set<std::string_view> names;
  for (const TexOp& row : tex_ops) {
    EXPECT_LT(opcode_of(row.does), 16u) << row.name;
    EXPECT_TRUE(opcodes.insert(opcode_of(row.does)).second) << row.name;
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.mnemonic.empty() || row.arm_name.empty() || row.meaning.empty()) << row.name;
    expect_fact(row.fact, row.name);
    EXPECT_EQ(find_tex_op(opcode_of(row.does)), &row);
  }
  EXPECT_EQ(opcodes, (std::set<unsigned>{1, 2, 4, 9, 10, 11, 12, 13}));
  EXPECT_EQ(find_tex_op(0), nullptr);
}

// ------------------------------------------------------------------------------------------------ products

/// The tables of 1.6, read once more: pipes, arch, then features as there.
TEST(Spec, ProductsFollowTheFeatureTables) {
  struct Row {
    std::string_view name;
    unsigned gpu_id, arch, pipes;
    bool aliasing, auto32, tilebuffer, lea_image, condition, upper_tags, ooo, mrt, linear_float, broken_lod, old_blend,
        broken_blend_loads, erratum_6402;
  };
  const Row rows[] = {
      {"t604", 0x600, 4, 2, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1},
      {"t620", 0x620, 4, 2, 0, 1, 0, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1},
      {"t720", 0x720, 4, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0},
      {"t760", 0x750, 5, 2, 0, 1, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 0},
      {"t820", 0x820, 5, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0},
      {"t830", 0x830, 5, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0},
      {"t860", 0x860, 5, 2, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0},
      {"t880", 0x880, 5, 3, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0},
  };
  for (const Row& row : rows) {
    const Product& product = find_product(row.name);
    EXPECT_EQ(product.name, row.name);
    EXPECT_EQ(product.gpu_id, row.gpu_id) << row.name;
    EXPECT_EQ(product.arch, row.arch) << row.name;
    EXPECT_EQ(product.alu_pipes, row.pipes) << row.name;
    EXPECT_EQ(product.interpipe_aliasing, row.aliasing) << row.name;
    EXPECT_EQ(product.auto32, row.auto32) << row.name;
    EXPECT_EQ(product.tilebuffer, row.tilebuffer) << row.name;
    EXPECT_EQ(product.lea_image, row.lea_image) << row.name;
    EXPECT_EQ(product.writeout_condition, row.condition) << row.name;
    EXPECT_EQ(product.writeout_tags, row.upper_tags) << row.name;
    EXPECT_EQ(product.out_of_order, row.ooo) << row.name;
    EXPECT_EQ(product.multiple_targets, row.mrt) << row.name;
    EXPECT_EQ(product.linear_float, row.linear_float) << row.name;
    EXPECT_EQ(product.broken_lod, row.broken_lod) << row.name;
    EXPECT_EQ(product.old_blend, row.old_blend) << row.name;
    EXPECT_EQ(product.broken_blend_loads, row.broken_blend_loads) << row.name;
    EXPECT_EQ(product.unaligned_access_fails, row.erratum_6402) << row.name;
  }
  EXPECT_EQ(find_product("t650").alu_pipes, 4);  // never supported by open drivers, so in no table of quirks
  EXPECT_TRUE(find_product("t650").unaligned_access_fails);
  EXPECT_EQ(products.size(), std::size(rows) + 1);
}

TEST(Spec, ProductNamesAndAliasesAreUnique) {
  std::set<std::string_view> names;
  for (const Product& row : products) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.marketing.empty()) << row.name;
    expect_fact(row.fact, row.name);
    EXPECT_EQ(&find_product(row.name), &row);
  }
  for (const ProductAlias& row : product_aliases) {
    EXPECT_TRUE(names.insert(row.alias).second) << row.alias;
    EXPECT_EQ(find_product(row.alias).name, row.name);
  }
  EXPECT_EQ(find_product("").name, "t860");
  EXPECT_EQ(find_product("t999").name, "t860");
}

}  // namespace
}  // namespace mobula::midgard
