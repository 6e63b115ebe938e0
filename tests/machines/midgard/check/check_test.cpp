#include "machines/midgard/check/check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "machines/midgard/build.h"
#include "machines/midgard/check/rules.h"
#include "machines/midgard/words.h"
#include "mobula/lab/run.h"
#include "paths.h"

namespace mobula::midgard {
namespace {

using namespace build;

/// For one rule: a program that breaks it and no other, and one close to it that keeps all.
struct RuleCase {
  std::string_view code;
  Program breaks, keeps;
};

/// The program with its next tag field (of the first word) replaced.
Program with_next(Program program, unsigned next) {
  program.code[0] = static_cast<std::uint8_t>((program.code[0] & 15) | next << 4);
  return program;
}
Program with_bytes(Program program, std::size_t count) {
  program.code.resize(program.code.size() + count, 0xFF);
  return program;
}
Program with_entry(Program program, std::uint64_t entry) {
  program.entry = entry;
  return program;
}

// Frequent pieces.
const AluInstruction multiply = alu(Unit::vmul, Vector{});
Bundle plain() { return bundle(Word{{multiply}}); }
Bundle one(Unit unit, const Vector& op) { return bundle(Word{{alu(unit, op)}}); }
Bundle one(Unit unit, const Scalar& op) { return bundle(Word{{alu(unit, op)}}); }
Branch compact(BranchMeaning op, std::int32_t offset, unsigned tag = 8, std::uint16_t lut = 0xFFFF) {
  return {.op = op, .dest_tag = static_cast<std::uint8_t>(tag), .call_mode = 1, .lut = lut, .offset = offset};
}
Branch far_branch(BranchMeaning op, std::int32_t offset, unsigned tag = 8, std::uint16_t lut = 0xFFFF,
                  unsigned mode = 0) {
  return {.extended = true,
          .op = op,
          .dest_tag = static_cast<std::uint8_t>(tag),
          .call_mode = static_cast<std::uint8_t>(mode),
          .lut = lut,
          .offset = offset};
}
Interface in_stage(Stage stage) { return {.stage = stage}; }
Interface counts(unsigned work, unsigned uniform) { return {.work_registers = work, .uniform_registers = uniform}; }

/// A writeout that is retried by branching to itself.
Bundle writeout(unsigned mask = 0xFF, bool writeout_tag = true, std::uint16_t lut = 0xFFFF,
                std::vector<AluInstruction> more = {}) {
  std::vector<AluInstruction> list{alu(Unit::vmul, Vector{.mask = mask})};
  list.insert(list.end(), more.begin(), more.end());
  Bundle word = bundle(Word{list, compact(BranchMeaning::write, 0), false, writeout_tag});
  word.compact = encode_compact(compact(BranchMeaning::write, -word.quadword_count, word.tag, lut));
  return word;
}

std::vector<RuleCase> cases() {
  std::vector<RuleCase> all;
  const auto add = [&](std::string_view code, Program breaks, Program keeps) {
    all.push_back({code, std::move(breaks), std::move(keeps)});
  };

  // Words and tags.
  const Program single = program({plain()}), pair = program({plain(), plain()});
  add("MD201", with_bytes(single, 3), with_bytes(single, 0));
  add("MD202", program_of({0x00000017, 1, 1, 1}), program({bundle(ls_noop)}));
  add("MD203", program_of({0x0002001B, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}), single);
  add("MD204", program_of({0x00020019, 1, 1, 1}), single);
  add("MD205", with_next(pair, 9), with_next(pair, 8));
  add("MD206", with_next(pair, 0), with_next(pair, 8));
  add("MD207", with_next(single, 8), single);
  add("MD208", program({plain()}, {}, {.first_tag = 5}), program({plain()}, {}, {.first_tag = 8}));
  const Program back = program({plain(), bundle(Word{{}, compact(BranchMeaning::cond, -2)})});
  add("MD209", with_entry(back, 8), with_entry(back, 16));
  add("MD210", program({writeout()}, "t760"), program({writeout()}, "t820"));
  add("MD211", program({plain()}, {}, counts(17, 8)), program({plain()}, {}, counts(8, 16)));
  add("MD212", program({bundle(ls_noop)}, "t604", counts(0, 0)), program({bundle(ls_noop)}, "t620", counts(0, 0)));
  add("MD213", program({plain()}, {}, counts(17, 7)), program({plain()}, {}, counts(16, 8)));
  add("MD214", with_next(pair, 1), pair);

  // Branches.
  const auto jump = [](const Branch& branch) { return program({plain(), bundle(Word{{}, branch})}); };
  add("MD221", jump(compact(BranchMeaning{3}, -1)), jump(compact(BranchMeaning::cond, -1)));
  add("MD222", jump(compact(BranchMeaning::cond, 2)), jump(compact(BranchMeaning::cond, 2, tag_break)));
  const Bundle two_quadwords = bundle(Word{{alu(Unit::vmul, Vector{.src2 = 26})}, {}, true});
  add("MD223", program({two_quadwords, bundle(Word{{}, compact(BranchMeaning::cond, -2, 9)})}),
      program({two_quadwords, bundle(Word{{}, compact(BranchMeaning::cond, -3, 9)})}));
  add("MD224", jump(compact(BranchMeaning::cond, -2, 5)), jump(compact(BranchMeaning::cond, -2, 8)));
  add("MD225", jump(far_branch(BranchMeaning::cond, -2, 8, 0xFFFF, 2)),
      jump(far_branch(BranchMeaning::cond, -2, 8, 0xFFFF, 0)));
  const auto tested = [](std::vector<AluInstruction> units, const Branch& branch) {
    Bundle word = bundle(Word{std::move(units), branch});
    return program({word, plain()});
  };
  const std::vector<AluInstruction> both_conditions{alu(Unit::vadd, Vector{.opcode = ieq, .dst = 31, .mask = 3}),
                                                    condition(Unit::smul)};
  add("MD226", tested(both_conditions, far_branch(BranchMeaning::cond, 0, 8, 0x8888)),
      tested(both_conditions, far_branch(BranchMeaning::cond, 0, 8, 0xAAAA)));
  Bundle two_branches = bundle(Word{{}, compact(BranchMeaning::cond, 0)});
  two_branches.has_extended = true;
  two_branches.extended = encode_extended(far_branch(BranchMeaning::cond, 0));
  two_branches.control |= 1u << 27;
  add("MD227", program({two_branches, plain()}), jump(compact(BranchMeaning::cond, -2)));
  add("MD228", tested({}, compact(BranchMeaning::cond, 0, 8, 0xAAAA)),
      tested({condition(Unit::smul)}, compact(BranchMeaning::cond, 0, 8, 0xAAAA)));
  add("MD229", tested({condition(Unit::sadd)}, compact(BranchMeaning::cond, 0, 8, 0x5555)),
      tested({condition(Unit::smul)}, compact(BranchMeaning::cond, 0, 8, 0x5555)));
  const Bundle discard = bundle(Word{{}, compact(BranchMeaning::discard, 2, 0)});
  add("MD230", program({discard}, {}, in_stage(Stage::vertex)), program({discard}, {}, in_stage(Stage::fragment)));
  add("MD231", jump(far_branch(BranchMeaning::uncond, -2)), jump(far_branch(BranchMeaning::cond, -2)));
  add("MD232", program({writeout(0xFF, false)}, "t860"), program({writeout(0xFF, true)}, "t860"));
  add("MD233", program({bundle(Word{.units = {multiply}, .writeout_tag = true})}), program({plain()}));
  add("MD234", program({writeout(0x3F)}), program({writeout(0xFF)}));
  add("MD235", program({writeout(0xFF, false, 0xAAAA, {condition(Unit::smul)})}, "t720"),
      program({writeout(0xFF, false, 0xAAAA, {condition(Unit::smul)})}, "t760"));
  add("MD236", program({writeout(0xFF, false), plain()}, "t720"), program({writeout(0xFF, false)}, "t720"));

  // Arithmetic. Most rules are about one instruction.
  const auto vector = [&](std::string_view code, Unit unit, const Vector& breaks, const Vector& keeps) {
    add(code, program({one(unit, breaks)}), program({one(unit, keeps)}));
  };
  const auto scalar_op = [&](std::string_view code, Unit unit, const Scalar& breaks, const Scalar& keeps) {
    add(code, program({one(unit, breaks)}), program({one(unit, keeps)}));
  };
  vector("MD241", Unit::vmul, {.opcode = 0}, {.opcode = fmul});
  add("MD242", program({one(Unit::vmul, Vector{.opcode = fadd})}), program({one(Unit::vadd, Vector{.opcode = fadd})}));
  add("MD243", program({bundle(Word{.units = {multiply}, .control = 0x100})}), program({plain()}));
  vector("MD244", Unit::vmul, {.shrink = 3}, {.shrink = 2});
  vector("MD245", Unit::vadd, {.opcode = iadd, .mode = 0, .shrink = 0}, {.opcode = iadd, .mode = 0, .shrink = 2});
  vector("MD246", Unit::vadd, {.opcode = iadd, .expand1 = 1}, {.opcode = iadd, .expand1 = 4});
  vector("MD247", Unit::vadd, {.opcode = iadd, .outmod = 0}, {.opcode = iadd, .outmod = 2});
  vector("MD248", Unit::vmul, {.opcode = fdot3, .mask = 0x0F}, {.opcode = fdot3, .mask = 0x0C});
  vector("MD249", Unit::vlut, {.opcode = frcp, .swizzle1 = 0xE4}, {.opcode = frcp, .swizzle1 = 0x55});
  vector("MD250", Unit::vmul, {.mask = 0x01}, {.mask = 0x03});
  add("MD251", program({one(Unit::vmul, Vector{.opcode = icsel})}),
      program({bundle(Word{{condition(Unit::sadd), alu(Unit::vadd, Vector{.opcode = icsel})}})}));
  add("MD252", program({one(Unit::vadd, Vector{.opcode = icsel})}),
      program({bundle(Word{{condition(Unit::sadd), alu(Unit::vadd, Vector{.opcode = icsel})}})}));
  const AluInstruction wide_condition = alu(Unit::vmul, Vector{.opcode = ieq, .dst = 31});
  add("MD253", program({bundle(Word{{wide_condition, alu(Unit::smul, Scalar{.opcode = icsel_v, .component = 2})}})}),
      program({bundle(Word{{wide_condition, alu(Unit::vadd, Vector{.opcode = icsel_v})}})}));
  add("MD254", program({bundle(Word{{condition(Unit::sadd), alu(Unit::vadd, Vector{.opcode = icsel, .mode = 1})}})}),
      program({bundle(Word{{condition(Unit::sadd), alu(Unit::vadd, Vector{.opcode = icsel, .mode = 2})}})}));
  add("MD255",
      program({bundle(
          Word{{alu(Unit::vmul, Vector{.mask = 0x0F}), alu(Unit::sadd, Scalar{.opcode = fadd, .component = 2})}})}),
      program({bundle(
          Word{{alu(Unit::vmul, Vector{.mask = 0x0F}), alu(Unit::sadd, Scalar{.opcode = fadd, .component = 4})}})}));
  const AluInstruction reads_temporary = alu(Unit::vadd, Vector{.opcode = fadd, .src1 = 24, .mask = 0x3F});
  add("MD256", program({bundle(Word{{alu(Unit::vmul, Vector{.dst = 24, .mask = 0x0F}), reads_temporary}})}),
      program({bundle(Word{{alu(Unit::vmul, Vector{.dst = 24, .mask = 0x3F}), reads_temporary}})}));
  vector("MD257", Unit::vmul, {.dst = 16}, {.dst = 15});
  add("MD258", program({one(Unit::vmul, Vector{.src1 = 4})}, {}, counts(4, 8)),
      program({one(Unit::vmul, Vector{.src1 = 3, .src2 = 16})}, {}, counts(4, 8)));
  vector("MD259", Unit::vmul, {.src1 = 30}, {.src1 = 31});
  add("MD260", program({one(Unit::vmul, Vector{.src1 = 26})}),
      program({bundle(Word{{alu(Unit::vmul, Vector{.src1 = 26})}, {}, true})}));
  add("MD261", program({bundle(Word{{multiply}, {}, true})}),
      program({bundle(Word{{alu(Unit::vmul, Vector{.src2 = 26})}, {}, true})}));
  vector("MD262", Unit::vmul, {.mod2 = 2, .constant = 0x3C00}, {.mod2 = 0, .constant = 0x3C00});
  vector("MD263", Unit::vmul, {.opcode = imov, .mode = 3, .constant = 1}, {.opcode = imov, .mode = 1, .constant = 1});
  scalar_op("MD264", Unit::smul, {.component1 = 3}, {.component1 = 2});
  vector("MD265", Unit::vadd, {.opcode = fadd, .mode = 0}, {.opcode = fadd, .mode = 1});
  vector("MD266", Unit::vlut, {.opcode = frcp, .mode = 1, .mask = 1}, {.opcode = frcp, .mode = 2, .mask = 3});
  scalar_op("MD267", Unit::sadd, {.opcode = iadd, .full1 = false, .mod1 = 2},
            {.opcode = iadd, .full1 = true, .mod1 = 2});
  vector("MD268", Unit::vmul, {.opcode = imov, .mode = 3, .swizzle2 = 0xE9},
         {.opcode = imov, .mode = 3, .swizzle2 = 0x4E});
  add("MD269", program({one(Unit::vmul, Vector{.src1 = 28})}, "t720"),
      program({one(Unit::vmul, Vector{.src1 = 28})}, "t760"));

  // Load/store.
  const auto load = [&](std::string_view code, const LoadStore& breaks, const LoadStore& keeps) {
    add(code, program({bundle(breaks)}), program({bundle(keeps)}));
  };
  const auto load_on = [&](std::string_view code, const LoadStore& op, const char* breaks, const char* keeps) {
    add(code, program({bundle(op)}, breaks), program({bundle(op)}, keeps));
  };
  constexpr unsigned st_32 = 0xC8, st_vary = 0xD4, ld_attr = 0x94, ld_vary = 0x98, ld_special = 0x9E, ld_ubo_128 = 0xB0,
                     ld_tilebuffer = 0xB8, ld_128 = 0x90, lea_image = 0x0D;
  load("MD281", {.op = 0}, {.op = 0x88});
  load("MD282", {.op = st_32, .reg = 8}, {.op = st_32, .reg = 7});
  load("MD283", {.reg = 24}, {.reg = 26});
  add("MD284", program({bundle(LoadStore{.mask = 3}, LoadStore{.mask = 6})}),
      program({bundle(LoadStore{.mask = 3}, LoadStore{.mask = 4})}));
  add("MD285", program({bundle(LoadStore{.reg = 26, .mask = 1}, LoadStore{.op = st_32, .swizzle = 0})}),
      program({bundle(LoadStore{.reg = 26, .mask = 1}, LoadStore{.op = st_32, .swizzle = 0x55})}));
  const LoadStore varying{.op = st_vary, .index_format = 3};
  add("MD286", program({bundle(varying, LoadStore{})}), program({bundle(varying, varying)}));
  load("MD287", {.index_format = 0, .index = 0}, {.index_format = 0, .index = 7});
  load("MD288", {.arg = 0, .arg_component = 1, .toggle = 1}, {.arg = 0, .arg_component = 2, .toggle = 1});
  load_on("MD289", {.op = ld_attr, .index_format = 1}, "t604", "t620");
  load_on("MD290", {.op = ld_tilebuffer}, "t720", "t760");
  load_on("MD291", {.op = lea_image}, "t720", "t760");
  load_on("MD292", {.op = ld_ubo_128, .offset = 8 << 2}, "t620", "t720");
  load_on("MD293", {.op = ld_special, .offset = 0x01 << 9}, "t620", "t720");
  load("MD294", {.op = ld_special, .offset = 0x62 << 9}, {.op = ld_special, .offset = 0x61 << 9});
  load("MD295", {.op = ld_vary, .offset = 5}, {.op = ld_vary, .offset = 4});
  load("MD296", {.op = ld_ubo_128, .offset = 1}, {.op = ld_ubo_128, .offset = 0});
  const Interface local{.thread_local_bytes = 32};
  const LoadStore spill{.op = ld_128, .arg = 3, .toggle = 1};
  LoadStore last = spill, beyond = spill;
  last.offset = 16, beyond.offset = 20;
  add("MD297", program({bundle(beyond)}, {}, local), program({bundle(last)}, {}, local));

  // Texture.
  const auto lookup = [&](std::string_view code, const Texture& breaks, const Texture& keeps) {
    add(code, program({bundle(breaks)}), program({bundle(keeps)}));
  };
  const auto lookup_on = [&](std::string_view code, const Texture& op, const char* breaks, const char* keeps) {
    add(code, program({bundle(op)}, breaks), program({bundle(op)}, keeps));
  };
  lookup("MD311", {.op = 0}, {.op = 1});
  lookup("MD312", {.tag = 2, .op = tex_barrier, .type = 0}, {.tag = 4, .op = tex_barrier, .type = 0});
  lookup("MD313", {.offset = 0xF0}, {.offset = 0x70});
  lookup("MD314", {.in_upper = 1}, {.in_full = 0, .in_upper = 1});
  lookup("MD315", {.exec = 0}, {.exec = 1});
  lookup_on("MD316", {.ooo = 1}, "t720", "t820");
  add("MD317", program({bundle(Texture{.ooo = 2}), plain(), one(Unit::vmul, Vector{.src2 = 28})}),
      program({bundle(Texture{.ooo = 1}), plain(), one(Unit::vmul, Vector{.src2 = 28})}));
  lookup("MD318", {.mode = 2}, {.mode = 5});
  lookup("MD319", {.tag = 3, .op = tex_fetch}, {.tag = 2, .op = tex_fetch});
  add("MD320", program({bundle(Texture{.tag = 3})}, {}, in_stage(Stage::vertex)),
      program({bundle(Texture{.tag = 3})}, {}, in_stage(Stage::fragment)));
  lookup_on("MD321", {.op = tex_gradient}, "t720", "t760");
  lookup("MD322", {.type = 0}, {.type = 1});
  lookup("MD323", {.type = 2, .outmod = 3}, {.type = 1, .outmod = 3});
  lookup("MD324", {.op = tex_derivative, .mask = 7}, {.op = tex_derivative, .mask = 5});
  const Texture barrier{.tag = 4, .op = tex_barrier, .type = 0};
  add("MD325", program({bundle(barrier)}, {}, in_stage(Stage::fragment)),
      program({bundle(barrier)}, {}, in_stage(Stage::compute)));
  return all;
}

std::string rendered(const Diagnostics& findings) { return render(findings); }

std::set<std::string> codes(const Program& program) {
  std::set<std::string> found;
  for (const Diagnostic& entry : check(program)) found.insert(entry.code);
  return found;
}

TEST(Check, EveryRuleCanBeBrokenAloneAndKept) {
  std::set<std::string_view> covered;
  for (const RuleCase& item : cases()) {
    EXPECT_TRUE(covered.insert(item.code).second) << item.code;
    EXPECT_EQ(codes(item.breaks), std::set<std::string>{std::string(item.code)}) << item.code << '\n'
                                                                                 << rendered(check(item.breaks));
    EXPECT_TRUE(check(item.keeps).empty()) << item.code << '\n' << rendered(check(item.keeps));
  }
  for (const Rule& row : rules) EXPECT_TRUE(covered.contains(row.code)) << row.code << " has no case";
}

TEST(Check, FindingsSayWhereWhatAndHow) {
  std::map<std::string_view, const Rule*> rows;
  for (const Rule& row : rules) rows[row.code] = &row;
  for (const RuleCase& item : cases())
    for (const Diagnostic& entry : check(item.breaks)) {
      const Rule& row = *rows.at(entry.code);
      EXPECT_EQ(entry.severity, row.severity) << entry.code;
      EXPECT_EQ(entry.hint, row.mend) << entry.code;
      EXPECT_NE(entry.message.find("; allowed: " + std::string(row.allowed)), std::string::npos) << entry.message;
      if (!row.fault.empty()) {
        EXPECT_TRUE(entry.message.ends_with('[' + std::string(row.fault) + ']')) << entry.message;
      }
      ASSERT_TRUE(entry.where.byte_offset.has_value()) << entry.code;
      EXPECT_LE(*entry.where.byte_offset, item.breaks.code.size()) << entry.code;
      EXPECT_LE(entry.where.bit_low + entry.where.bit_width, 512u) << entry.code;
    }
}

TEST(Check, RulesAreNumberedAndDescribed) {
  std::string_view before;
  for (const Rule& row : rules) {
    EXPECT_LT(before, row.code);
    EXPECT_EQ(row.code.size(), 5u) << row.code;
    EXPECT_FALSE(row.title.empty() || row.allowed.empty() || row.mend.empty() || row.fact.source.empty()) << row.code;
    before = row.code;
  }
  EXPECT_EQ(rules.size(), static_cast<std::size_t>(RuleId::barrier_stage) + 1);
}

/// docs/midgard-rules.md has one line for each rule, as made here.
TEST(Check, PageListsEveryRule) {
  const std::string page = read_file(mobula::test::source_file("docs/midgard-rules.md"));
  std::size_t lines = 0;
  for (std::size_t at = page.find("| MD2"); at != std::string::npos; at = page.find("\n| MD", at + 1)) ++lines;
  EXPECT_EQ(lines, rules.size());
  for (const Rule& row : rules) {
    std::string line = "| " + std::string(row.code) + " | " + std::string(name(row.severity)) + " | " +
                       std::string(row.title) + " | " + std::string(row.allowed) + " | " + std::string(row.fault) +
                       (row.fault.empty() ? "" : " ") + "| " + std::string(name(row.fact.status)) + ", " +
                       std::string(row.fact.source) + " |\n";
    EXPECT_NE(page.find(line), std::string::npos) << "the page lacks\n" << line;
  }
}

/// Bits of a program counted from a byte offset.
std::uint64_t bits_at(const Program& program, const Location& where) {
  std::uint64_t value = 0;
  for (std::uint32_t i = 0; i < where.bit_width && i < 64; ++i) {
    const std::uint64_t bit = *where.byte_offset * 8 + where.bit_low + i;
    value |= std::uint64_t{program.code[bit / 8] >> (bit % 8) & 1u} << i;
  }
  return value;
}

/// The bits a finding names hold the value that is wrong, wherever the unit's field lies in its word.
TEST(Check, PointsAtTheBits) {
  const auto at = [](const Program& program, std::string_view code) {
    for (const Diagnostic& entry : check(program))
      if (entry.code == code) return bits_at(program, entry.where);
    ADD_FAILURE() << code << '\n' << rendered(check(program));
    return ~std::uint64_t{0};
  };
  const auto behind = [](const AluInstruction& last) {
    return program({plain(), bundle(Word{{multiply, alu(Unit::sadd, Scalar{.opcode = fadd, .dst = 1}), last}})});
  };
  EXPECT_EQ(at(behind(alu(Unit::vadd, Vector{.opcode = 0xFF, .dst = 2})), "MD241"), 0xFFu);
  EXPECT_EQ(at(behind(alu(Unit::vadd, Vector{.opcode = iadd, .dst = 2, .outmod = 3})), "MD247"), 3u);
  EXPECT_EQ(at(behind(alu(Unit::vadd, Vector{.opcode = iadd, .dst = 2, .expand2 = 7})), "MD246"), 7u);
  EXPECT_EQ(at(behind(alu(Unit::vadd, Vector{.opcode = iadd, .dst = 17})), "MD257"), 17u);
  EXPECT_EQ(at(behind(alu(Unit::vadd, Vector{.opcode = iadd, .dst = 2, .src2 = 30})), "MD259"), 30u);
  EXPECT_EQ(at(behind(alu(Unit::smul, Scalar{.dst = 2, .component2 = 5})), "MD264"), 5u);
  EXPECT_EQ(at(behind(alu(Unit::smul, Scalar{.dst = 2, .component1 = 7})), "MD264"), 7u);
  EXPECT_EQ(at(program({bundle(Word{{multiply}, far_branch(BranchMeaning::cond, 0x1234)})}), "MD222"), 0x1234u);
  EXPECT_EQ(at(program({bundle(Word{{multiply}, far_branch(BranchMeaning::cond, 0, 5)}), plain()}), "MD224"), 5u);
  EXPECT_EQ(at(program({bundle(LoadStore{}, LoadStore{.reg = 25})}), "MD283"), 25u);
  EXPECT_EQ(at(program({bundle(LoadStore{}, LoadStore{.op = 0xFF})}), "MD281"), 0xFFu);
  EXPECT_EQ(at(program({bundle(Texture{.offset = 0x900})}), "MD313"), 9u);
}

TEST(Check, FindsEveryReservedBit) {
  const auto broken = [](Bundle word) { return codes(program({std::move(word)})); };
  const std::set<std::string> reserved{"MD243"};
  for (unsigned bit = 8; bit < 32; ++bit)
    if (control::reserved_mask >> bit & 1) {
      EXPECT_EQ(broken(bundle(Word{.units = {multiply}, .control = 1u << bit})), reserved) << bit;
    }
  Bundle padded = plain();
  padded.padding_count = 4;
  padded.padding[3] = 0x80;
  EXPECT_EQ(broken(padded), reserved);
  EXPECT_EQ(broken(one(Unit::smul, Scalar{.reserved = 1})), reserved);
  AluInstruction upper = alu(Unit::smul, Scalar{});
  set(upper.word, Field{.name = "upper", .low = 20, .width = 5}, 1);
  EXPECT_EQ(broken(bundle(Word{{upper}})), reserved);
  EXPECT_EQ(broken(bundle(std::uint64_t{ls_noop | 0x100})), reserved);
  EXPECT_EQ(broken(bundle(LoadStore{.op = 0xB0, .offset = 2})), reserved);      // LD_UBO bit 1
  EXPECT_EQ(broken(bundle(LoadStore{.op = 0x40, .swizzle = 0x20})), reserved);  // atomic operand
  EXPECT_EQ(broken(bundle(LoadStore{.op = 0x98, .offset = 0x80})), reserved);   // varying parameters
  EXPECT_EQ(broken(bundle(LoadStore{.op = 0x10, .toggle = 1})), reserved);      // bit 30 of a move
  Bundle texture = bundle(Texture{});
  set(texture.word, tex::unknown_35, 1);
  EXPECT_EQ(broken(texture), reserved);
  texture = bundle(Texture{});
  set(texture.word, tex::unknown_60, 0x80);
  EXPECT_EQ(broken(texture), reserved);
  EXPECT_EQ(broken(bundle(Texture{.offset = 0x801, .offset_register = 1})), reserved);
  EXPECT_EQ(broken(bundle(Texture{.lod_register = 1, .lod = 0x21})), reserved);
  EXPECT_EQ(broken(bundle(Texture{.tag = 2, .op = tex_fetch, .lod_integer = 1})), reserved);
}

TEST(Check, AcceptsPadding) {
  Program padded = program({plain()});
  padded.code.resize(padded.code.size() + 48, 0);
  EXPECT_TRUE(check(padded).empty()) << rendered(check(padded));
  // Constants of zero at the end belong to their word.
  const Program constants = program({bundle(Word{{alu(Unit::vmul, Vector{.src2 = 26})}, {}, true})});
  EXPECT_TRUE(check(constants).empty()) << rendered(check(constants));
  EXPECT_TRUE(check({}).empty());
}

TEST(Check, KnowsOperandsThatAreNotUsed) {
  // fmov's source 1, frcp's source 2 and the bits of an inline constant are not operands.
  EXPECT_TRUE(check(program({one(Unit::vmul, Vector{.opcode = 0x30, .src1 = 24, .expand1 = 7})})).empty());
  EXPECT_TRUE(check(program({one(Unit::vlut, Vector{.opcode = frcp, .src2 = 30, .mask = 3})})).empty());
  EXPECT_TRUE(check(program({one(Unit::vmul, Vector{.constant = 0xF7FF})})).empty());
}

TEST(Check, FollowsTheUniformCount) {
  const auto writes = [](unsigned reg, const Interface& interface) {
    return codes(program({one(Unit::vmul, Vector{.dst = reg})}, {}, interface));
  };
  EXPECT_EQ(writes(12, counts(8, 12)), (std::set<std::string>{"MD257"}));
  EXPECT_EQ(writes(11, counts(8, 12)), (std::set<std::string>{"MD258"}));
  EXPECT_EQ(writes(7, counts(8, 12)), (std::set<std::string>{}));
  // Loads write registers too.
  EXPECT_EQ(codes(program({bundle(LoadStore{.reg = 20})})), (std::set<std::string>{"MD257"}));
}

/// Both conditions of a word: the select's on sadd, the branch's on smul.
TEST(Check, ToldApartConditionsAreFine) {
  const Program program_ =
      program({bundle(Word{{condition(Unit::sadd), alu(Unit::vadd, Vector{.opcode = icsel}), condition(Unit::smul)},
                           compact(BranchMeaning::cond, -2, 9, 0xAAAA)})});
  EXPECT_TRUE(check(program_).empty()) << rendered(check(program_));
}

TEST(Check, SamplesKeepEveryRule) {
  const std::vector<Sample> all = samples();
  if (all.empty()) GTEST_SKIP() << "no samples";
  for (Sample sample : all) {
    const std::string json = read_file(std::filesystem::path(sample.path).replace_extension(".json"));
    const auto side = read_side_file({sample.path.string(), json});
    ASSERT_TRUE(side.has_value()) << rendered(side.error());
    sample.program.interface = side->interface;
    ASSERT_TRUE(sample.program.interface.work_registers && sample.program.interface.first_tag) << sample.path;
    for (const Diagnostic& entry : check(sample.program)) ADD_FAILURE() << sample.path << '\n' << render(entry);
  }
}

TEST(Check, StopsAtItsLimit) {
  Program hostile;
  hostile.code.assign(16 * 3 * check_limit, 0x77);
  const Diagnostics findings = check(hostile);
  const auto count = [&](Severity severity) { return std::ranges::count(findings, severity, &Diagnostic::severity); };
  EXPECT_EQ(count(Severity::error), check_limit);
  EXPECT_LE(count(Severity::warning), check_limit);
  EXPECT_NE(std::ranges::find(findings, "MD200", &Diagnostic::code), findings.end());
}

TEST(Check, TakesAnyBytes) {
  std::mt19937 random(4);
  for (int round = 0; round < 1000; ++round) {
    Program hostile = hostile_program(random);
    hostile.entry = random() % 64;
    hostile.interface = counts(random() % 32, random() % 32);
    hostile.interface.stage = static_cast<Stage>(random() % 4);
    hostile.interface.thread_local_bytes = random();
    for (const Diagnostic& entry : check(hostile)) {
      ASSERT_FALSE(entry.code.empty());
      ASSERT_LE(entry.where.bit_low + entry.where.bit_width, 512u);
    }
  }
}

/// On smul a vector select takes r31.x. That is right where x is what is selected, or all lanes of r31 are equal.
TEST(Check, AVectorSelectOnSmulIsFineWhereItsConditionIsX) {
  const auto found = [](unsigned swizzle, const Scalar& select) {
    return codes(program({bundle(
        Word{{alu(Unit::vmul, Vector{.opcode = imov, .dst = 31, .swizzle2 = swizzle}), alu(Unit::smul, select)}})}));
  };
  constexpr unsigned xyzw = 0xE4, zzzz = 0xAA, xyxy = 0x44;
  EXPECT_EQ(found(xyzw, {.opcode = icsel_v, .component = 0}), std::set<std::string>{});
  EXPECT_EQ(found(xyzw, {.opcode = icsel_v, .component = 6}), std::set<std::string>{"MD253"});
  EXPECT_EQ(found(zzzz, {.opcode = icsel_v, .component = 6}), std::set<std::string>{});
  EXPECT_EQ(found(xyxy, {.opcode = icsel_v, .component = 4}), std::set<std::string>{});
  EXPECT_EQ(found(xyxy, {.opcode = icsel_v, .component = 2}), std::set<std::string>{"MD253"});
  EXPECT_EQ(found(xyzw, {.opcode = icsel_v, .component = 5, .full = false}), std::set<std::string>{"MD253"});
  EXPECT_EQ(found(xyzw, {.opcode = icsel_v, .component = 4, .full = false}), std::set<std::string>{});
}

/// Who writes r31, and from which lanes, decides whether that condition is the one meant.
TEST(Check, AVectorSelectOnSmulKnowsWhoWritesItsCondition) {
  constexpr unsigned xxxx = 0x00, xyzw = 0xE4, component_z = 4, w = 6;
  const auto found = [](const AluInstruction& condition, unsigned component) {
    return codes(
        program({bundle(Word{{condition, alu(Unit::smul, Scalar{.opcode = icsel_v, .component = component})}})}));
  };
  const std::set<std::string> none, warned{"MD253"};
  constexpr unsigned ilt = 0xA4;
  const auto compared = [](unsigned swizzle1, unsigned swizzle2) {
    return alu(Unit::vmul, Vector{.opcode = ilt, .dst = 31, .swizzle1 = swizzle1, .swizzle2 = swizzle2});
  };
  EXPECT_EQ(found(compared(xxxx, xxxx), component_z), none);
  EXPECT_EQ(found(compared(xyzw, xxxx), component_z), warned);
  EXPECT_EQ(found(compared(xxxx, xyzw), component_z), warned);
  // A scalar adder makes one condition: r31.x serves x, and nothing says that another component meant it.
  const auto one_condition = [](unsigned component) {
    return alu(Unit::sadd, Scalar{.opcode = imov, .dst = 31, .component = component});
  };
  EXPECT_EQ(found(one_condition(0), 0), none);
  EXPECT_EQ(found(one_condition(0), component_z), warned);
  EXPECT_EQ(found(one_condition(w), w), (std::set<std::string>{"MD252", "MD253"}))
      << "it takes r31.x, which is not written";
}

/// Erratum 6402: of an aligned base, whatever the mask; nothing is known of the address in a register.
TEST(Check, AccessesCrossSixteenBytesByTheirOffset) {
  constexpr unsigned ld_ubo_32 = 0xA8, ld_ubo_64 = 0xAC, ld_ubo_128 = 0xB0, ld_32 = 0x88, ld_128 = 0x90, st_128 = 0xD0,
                     from_r26 = 0, local = 3, zero = 7;
  const auto found = [](const LoadStore& access, const char* variant = "t620") {
    return codes(program({bundle(access)}, variant)).contains("MD292");
  };
  const auto ubo = [](unsigned op, int byte) { return LoadStore{.op = op, .offset = byte << 2}; };
  for (const int inside : {0, 16, 32}) EXPECT_FALSE(found(ubo(ld_ubo_128, inside))) << inside;
  for (const int across : {4, 8, 12, 20}) EXPECT_TRUE(found(ubo(ld_ubo_128, across))) << across;
  for (const int inside : {0, 4, 8, 24}) EXPECT_FALSE(found(ubo(ld_ubo_64, inside))) << inside;
  for (const int across : {12, 28}) EXPECT_TRUE(found(ubo(ld_ubo_64, across))) << across;
  EXPECT_FALSE(found(ubo(ld_ubo_32, 12)));
  EXPECT_TRUE(found(ubo(ld_ubo_32, 14))) << "the last two bytes are beyond";
  EXPECT_TRUE(found(LoadStore{.op = ld_ubo_128, .mask = 1, .offset = 8 << 2})) << "the mask is of the register";
  const auto memory = [](unsigned op, unsigned base, int byte) {
    return LoadStore{.op = op, .reg = 0, .arg = base, .toggle = 1, .offset = byte};
  };
  for (const unsigned base : {local, zero}) {
    EXPECT_FALSE(found(memory(ld_128, base, 16)));
    EXPECT_TRUE(found(memory(ld_128, base, 8)));
    EXPECT_TRUE(found(memory(st_128, base, 8)));
    EXPECT_FALSE(found(memory(ld_32, base, 12)));
  }
  EXPECT_FALSE(found(memory(ld_128, from_r26, 8))) << "whether the pointer is aligned is not known";
  EXPECT_FALSE(found(LoadStore{.op = ld_128, .arg = local, .toggle = 1, .index = 0, .offset = 8})) << "nor the index";
  for (const char* fails : {"t604", "t620", "t650"}) EXPECT_TRUE(found(ubo(ld_ubo_128, 8), fails)) << fails;
  for (const char* works : {"t720", "t760", "t820", "t880"}) EXPECT_FALSE(found(ubo(ld_ubo_128, 8), works)) << works;
}

/// A mask bit stands for two lanes of 8 bits.
TEST(Check, AnEightBitCombiningOperationWritesAPairOfLanes) {
  constexpr unsigned iball_eq = 0xA8;
  const auto found = [](unsigned mask) {
    return codes(program({one(Unit::vmul, Vector{.opcode = iball_eq, .mode = 0, .mask = mask})}));
  };
  EXPECT_EQ(found(0x10), std::set<std::string>{});
  EXPECT_EQ(found(0x30), std::set<std::string>{"MD248"});
  EXPECT_EQ(found(0x00), std::set<std::string>{"MD248"});
}

/// TEX_GRAD on a product that ignores the sampler's clamp.
TEST(Check, AnLodThatTheShaderClampedNeedsNoSampler) {
  constexpr unsigned fmin = 0x28, fmax = 0x2C, lod_in_r29_z = 1 | 1 << 1 | 2 << 3, z = 4, w = 6;
  const auto found = [](std::vector<Bundle> words, const char* variant = "t620") {
    words.push_back(bundle(Texture{.op = tex_gradient, .lod_register = 1, .lod = lod_in_r29_z}));
    return codes(program(words, variant));
  };
  const std::set<std::string> none, warned{"MD321"};
  const Bundle minimum = one(Unit::vmul, Vector{.opcode = fmin, .dst = 29});
  EXPECT_EQ(found({}), warned);
  EXPECT_EQ(found({minimum}), none);
  EXPECT_EQ(found({minimum, plain()}), none);
  EXPECT_EQ(found({one(Unit::smul, Scalar{.opcode = fmax, .dst = 29, .component = z})}), none);
  EXPECT_EQ(found({one(Unit::smul, Scalar{.opcode = fmax, .dst = 29, .component = w})}), warned);
  EXPECT_EQ(found({minimum, one(Unit::vadd, Vector{.opcode = fadd, .dst = 29})}), warned);
  EXPECT_EQ(found({minimum, bundle(LoadStore{.reg = 29})}), warned);
  // Through moves, and the swizzle of one.
  const Bundle clamp_w = one(Unit::smul, Scalar{.opcode = fmax, .dst = 3, .component = w});
  const auto move = [](unsigned from, unsigned swizzle) {
    return one(Unit::vmul, Vector{.opcode = imov, .dst = 29, .src2 = from, .swizzle2 = swizzle});
  };
  EXPECT_EQ(found({clamp_w, move(3, 0x30)}), none);
  EXPECT_EQ(found({clamp_w, move(3, 0xE4)}), warned);
  EXPECT_EQ(found({clamp_w, move(28, 0x30)}), warned);
  // Units of one stage do not see each other's results; stage 2 sees those of stage 1.
  const AluInstruction scalar_move =
      alu(Unit::smul, Scalar{.opcode = imov, .dst = 29, .component = z, .src2 = 3, .component2 = w});
  EXPECT_EQ(found({bundle(Word{{alu(Unit::vmul, Vector{.opcode = fmin, .dst = 3}), scalar_move}})}), none);
  EXPECT_EQ(found({bundle(Word{{alu(Unit::vadd, Vector{.opcode = fmin, .dst = 3}), scalar_move}})}), warned);
  EXPECT_EQ(found({bundle(Word{{alu(Unit::vmul, Vector{.opcode = fmin, .dst = 24}),
                                alu(Unit::vadd, Vector{.opcode = 0x30, .dst = 29, .src2 = 24})}})})
                .contains("MD321"),
            false);
}

/// Words after an end, after a jump and between; one finding for several in a row.
TEST(Check, FindsWordsThatNoPathReaches) {
  const auto places = [](const Program& program) {
    std::vector<std::uint64_t> found;
    for (const Diagnostic& entry : check(program))
      if (entry.code == "MD214") found.push_back(entry.where.byte_offset.value_or(1));
    return found;
  };
  using Places = std::vector<std::uint64_t>;
  const auto word = [](const Branch& branch, std::vector<AluInstruction> units = {}) {
    return bundle(Word{std::move(units), branch});
  };
  const auto jump = [&](int offset) { return word(compact(BranchMeaning::uncond, offset)); };
  const auto maybe = [&](int offset) {
    return word(compact(BranchMeaning::cond, offset, 8, 0xAAAA), {condition(Unit::smul)});
  };
  EXPECT_EQ(places(program({plain(), plain(), plain()})), Places{});
  EXPECT_EQ(places(with_next(program({plain(), plain(), plain()}), 1)), Places{16});
  EXPECT_EQ(places(program({jump(1), plain(), plain(), jump(-2)})), (Places{16}));
  EXPECT_EQ(places(program({jump(1), plain(), jump(1), plain(), plain()})), (Places{16, 48}));
  EXPECT_EQ(places(program({maybe(1), plain(), plain()})), Places{});
  EXPECT_EQ(places(with_next(program({maybe(1), plain(), plain()}), 1)), (Places{16}));
  // A discard leads nowhere, a writeout goes on and is retried, a call comes back.
  EXPECT_EQ(places(program({word(compact(BranchMeaning::discard, 1, 0)), plain(), plain()})), (Places{16}));
  EXPECT_EQ(places(with_next(program({word(compact(BranchMeaning::write, 1), {multiply}), plain(), plain()}), 1)),
            (Places{16}));
  EXPECT_EQ(places(program({word(far_branch(BranchMeaning::cond, 1, 8, 0xFFFF, 2)), plain(), plain()})), Places{});
  // Where the next tag is wrong, the word that follows counts as reached: the tag is what is reported.
  EXPECT_EQ(places(with_next(program({plain(), plain()}), 9)), Places{});
  EXPECT_EQ(places(with_entry(program({plain(), plain()}), 16)), (Places{0}));
}

/// 64-bit operands of atomics, samples of tile stores, and results whose swizzle is not the argument's.
TEST(Check, InputsOfALoadStoreWordAreThoseTheOperationReads) {
  constexpr unsigned st_tile = 0xE8, cubemap = 0x0E, divide_w = 0x13, add_32 = 0x40, add_64 = 0x41, exchange_64 = 0x65;
  // The other operation writes one component of r27.
  const auto reads = [](unsigned component, const LoadStore& op) {
    return codes(program({bundle(instruction(LoadStore{.reg = 27, .mask = 1u << component}), instruction(op))}))
        .contains("MD285");
  };
  const auto components = [&](const LoadStore& op) {
    std::string found;
    for (unsigned i = 0; i < 4; ++i)
      if (reads(i, op)) found += "xyzw"[i];
    return found;
  };
  const auto operand = [](unsigned component) { return component | 1u << 2; };  // of r27, in the swizzle's place
  EXPECT_EQ(components({.op = add_32, .swizzle = operand(2)}), "z");
  EXPECT_EQ(components({.op = add_64, .swizzle = operand(2)}), "zw");
  EXPECT_EQ(components({.op = exchange_64, .swizzle = operand(0)}), "xy");
  EXPECT_EQ(components({.op = exchange_64, .swizzle = 7 << 2, .index = 1, .index_component = 2}), "zw");
  EXPECT_EQ(components({.op = st_tile, .arg = 1, .arg_component = 1}), "");
  EXPECT_EQ(components({.op = st_tile, .arg = 1, .arg_component = 1, .offset = 1}), "y");
  EXPECT_EQ(components({.op = cubemap, .swizzle = 0xFF, .arg = 1, .toggle = 1}), "xyz");
  EXPECT_EQ(components({.op = cubemap, .swizzle = 0xFF, .arg = 1, .toggle = 0}), "xy");
  EXPECT_EQ(components({.op = divide_w, .swizzle = 0x00, .arg = 1, .toggle = 1}), "xyzw");
  EXPECT_EQ(components({.op = divide_w, .swizzle = 0xFF, .arg = 1, .toggle = 0}), "xy");
}

/// Zeros pad what stands before them; alone they are no program.
TEST(Check, ZerosAloneAreNoProgram) {
  Program zeros = program({});
  for (const std::size_t quadwords : {1, 16}) {
    zeros.code.assign(16 * quadwords, 0);
    EXPECT_FALSE(codes(zeros).empty()) << quadwords;
  }
}

/// What a store reads is named by its register and by every lane of its swizzle.
TEST(Check, AStoreReadsWhatItsSwizzleNames) {
  constexpr unsigned st_32 = 0xC8, register_load_store = 26;
  const auto broken = [](unsigned written, unsigned mask, unsigned stored, unsigned swizzle) {
    return codes(program({bundle(LoadStore{.reg = register_load_store + written, .mask = mask},
                                 LoadStore{.op = st_32, .reg = stored, .swizzle = swizzle})}))
        .contains("MD285");
  };
  for (unsigned written = 0; written < 2; ++written)
    for (unsigned component = 0; component < 4; ++component)
      for (unsigned stored = 0; stored < 2; ++stored)
        for (unsigned swizzle = 0; swizzle < 256; ++swizzle) {
          bool is_read = false;
          for (unsigned lane = 0; lane < 4; ++lane) is_read |= (swizzle >> (2 * lane) & 3) == component;
          EXPECT_EQ(broken(written, 1u << component, stored, swizzle), written == stored && is_read)
              << written << ' ' << component << ' ' << stored << ' ' << swizzle;
        }
}

}  // namespace
}  // namespace mobula::midgard
