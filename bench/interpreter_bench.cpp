// Interpreter speed: blocks executed by lanes a second ("thread-bundles" of a Midgard program), both engines in one
// run.
#include <benchmark/benchmark.h>

#include <bit>
#include <string_view>
#include <vector>

#include "execute/kernels.h"
#include "ir/builder.h"
#include "mobula/lab/interpreter.h"

namespace mobula {
namespace {

using ir::Op;
using ir::Operand;
using ir::Type;

/// A loop of 16 words, each a vec4 multiply and a vec4 add on fp32 registers, as ALU-heavy fragment code has them.
ir::Program alu_loop(std::uint32_t turns) {
  std::vector<ir::Slot> slots;
  for (std::uint32_t i = 0; i < 64; ++i) slots.push_back({"r" + std::to_string(i / 4) + '.' + "xyzw"[i % 4], 4 * i, 4});
  ir::Builder builder(std::move(slots));
  const auto reg = [](std::uint32_t number, std::uint32_t component) {
    return Operand::state(16 * number + 4 * component);
  };
  constexpr std::uint32_t words = 16;
  for (std::uint32_t word = 0; word < words; ++word) {
    builder.begin_block(16 * word, 16);
    for (std::uint32_t c = 0; c < 4; ++c)
      builder.emit(Op::fmul, Type::f32, reg(1 + word % 4, c), reg(5 + word % 3, c), reg(8 + word % 5, c));
    for (std::uint32_t c = 0; c < 4; ++c)
      builder.emit(Op::fadd, Type::f32, reg(5 + word % 3, c), reg(1 + word % 4, c), reg(9 + word % 4, c));
    if (word + 1 == words) {
      builder.emit(Op::iadd, Type::i32, reg(15, 0), reg(15, 0), builder.constant_u32(1));
      builder.branch_if(builder.binary(Op::ilt_u, Type::i32, reg(15, 0), builder.constant_u32(turns)), 0);
      builder.end_block(std::nullopt);
    } else {
      builder.end_block();
    }
  }
  return builder.finish(0);
}

void run(benchmark::State& state, Engine engine) {
  const ir::Program program = alu_loop(64);
  Environment environment;
  Interpreter interpreter(program, environment, {.engine = engine});
  const std::vector<Thread> threads(static_cast<std::size_t>(state.range(0)));
  std::int64_t executed = 0;
  for (auto _ : state) {
    interpreter.start(threads);
    for (std::uint32_t byte = 0; byte < 240; byte += 4)
      interpreter.broadcast_u32(byte, std::bit_cast<std::uint32_t>(0.5F));
    interpreter.run();
    for (const std::uint64_t count : interpreter.executions()) executed += static_cast<std::int64_t>(count);
  }
  state.SetItemsProcessed(executed);
}
void simd(benchmark::State& state) {
  state.SetLabel(ir::kernel_target_name(ir::kernel_targets().front()));
  run(state, Engine::simd);
}
/// The same without the vectors of newer processors.
void simd_avx2(benchmark::State& state) {
  for (const std::int64_t target : ir::kernel_targets())
    if (std::string_view(ir::kernel_target_name(target)) == "AVX2") ir::force_kernel_target(target);
  run(state, Engine::simd);
  ir::force_kernel_target(0);
}
void reference(benchmark::State& state) { run(state, Engine::reference); }

BENCHMARK(simd)->Arg(16)->Arg(64)->Arg(128)->Arg(256)->Arg(1024);
BENCHMARK(simd_avx2)->Arg(64)->Arg(256);
BENCHMARK(reference)->Arg(64)->Arg(256);

}  // namespace
}  // namespace mobula
