// A shader, a text or one whose parts the bytes choose, through every compiler for one of its products: what comes out
// keeps the rules of the machine and computes what the source says, or is refused for a limit. Trying all of them
// with each input came to half as many inputs; the tests of the back ends go through all products.
// seeds: tests/data/compile/*.frag tests/data/compile/*.vert tests/data/compile/*.comp examples/*.frag examples/*.vert
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "compile/back_end.h"
#include "compile/front/shader.h"
#include "compile/make/make.h"
#include "compile/passes/optimize.h"
#include "compile/random/shader.h"
#include "compile/ssa/from_spirv.h"
#include "compile/verify/verify.h"
#include "fuzz/compiled.h"
#include "fuzz/target.h"
#include "mobula/isa/machine.h"

using namespace mobula;

namespace {

struct FuzzedShader {
  std::string text;
  Stage stage = Stage::fragment;
};

/// Bytes that are no text choose: two make a number, and where there are none left it is 0.
FuzzedShader source_of(std::span<const std::uint8_t> bytes) {
  const std::string text(bytes.begin(), bytes.end());
  if (text.find("main") != std::string::npos) return {text, fuzz::likely_stage(text)};
  std::size_t next = 0;
  const auto byte = [&] { return next < bytes.size() ? bytes[next++] : std::uint8_t{0}; };
  const test::Choose choose = [&](std::uint32_t count) { return (byte() * 256U + byte()) % count; };
  constexpr Stage stages[] = {Stage::vertex, Stage::fragment, Stage::compute};
  const Stage stage = stages[byte() % 3];
  return {test::random_shader(stage, choose), stage};
}

[[noreturn]] void broken(const FuzzedShader& source, const std::string& product, const Diagnostic& why) {
  std::fprintf(stderr, "%s for %s: %s %s\n", source.text.c_str(), product.c_str(), why.code.c_str(),
               why.message.c_str());
  std::abort();
}

/// What a product may say instead of making code.
bool is_limit(const Diagnostic& why) { return why.code == "CO020" || why.code == "CO030" || why.code == "GP303"; }

/// Other inputs choose other products.
const Variant& product_of(const Machine& machine, std::uint32_t number) {
  std::vector<const Variant*> products;
  for (const Variant& variant : machine.variants())
    if (variant.same_as.empty() && !variant.by_content) products.push_back(&variant);
  return *products[number % products.size()];
}

void make_for(const Machine& machine, const Variant& variant, const ssa::Program& form, const ssa::Program& better,
              const FuzzedShader& source) {
  constexpr unsigned short_search = 0;
  const std::string product = std::string(machine.name()) + ':' + std::string(variant.name);
  const auto made = compile::make_code(better, {std::string(machine.name()), std::string(variant.name)}, short_search);
  if (!made) {
    for (const Diagnostic& why : made.error())
      if (!is_limit(why)) broken(source, product, why);
    return;
  }
  if (const Diagnostics findings = machine.check(made->program); !findings.empty())
    broken(source, product, findings.front());
  const auto outcome = compile::verify(form, made->program, {.runs = 2});
  if (!outcome) broken(source, product, outcome.error().front());
  if (outcome->difference) broken(source, product, compile::to_diagnostic(*outcome->difference));
}

}  // namespace

FUZZ_TARGET(back_end_fuzz) {
  const FuzzedShader source = source_of({data, size});
  const auto module = compile::glsl_to_spirv({"input", source.text, source.stage, {}, {}});
  if (!module) return 0;
  const auto optimised = compile::optimise(*module, "input");
  if (!optimised) return 0;
  const auto form = ssa::from_spirv(*optimised, source.stage, "input");
  if (!form) return 0;
  constexpr std::size_t largest = 4096;  // values: what can be executed beside its source many times a second
  if (form->values.size() > largest) return 0;
  ssa::Program better = *form;
  ssa::optimize(better, {.level = static_cast<unsigned>(size % 3)});
  std::uint32_t number = 0;
  for (const std::uint8_t byte : std::span(data, size)) number = number * 31 + byte;
  for (const std::string_view name : compile::machines_with_back_ends()) {
    const Machine& machine = *find_machine(name);
    make_for(machine, product_of(machine, number), *form, better, source);
  }
  return 0;
}
