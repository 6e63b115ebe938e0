// The plug-in: programs to code of this processor, by LLVM.
#include <llvm-c/Analysis.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "execute/native.h"
#include "jit/emit.h"
#include "jit/flatten.h"
#include "jit/shape.h"

namespace mobula::jit {
namespace {

/// Beyond this LLVM would take seconds.
constexpr std::size_t most_operations = 20000, most_segments = 256;

template <auto dispose>
struct Dispose {
  template <class T>
  void operator()(T* object) const {
    dispose(object);
  }
};
template <class T, auto dispose>
using Owned = std::unique_ptr<T, Dispose<dispose>>;
using Context = Owned<LLVMOpaqueContext, LLVMContextDispose>;
using Module = Owned<LLVMOpaqueModule, LLVMDisposeModule>;
using Machine = Owned<LLVMOpaqueTargetMachine, LLVMDisposeTargetMachine>;
using Memory = Owned<LLVMOpaqueMemoryBuffer, LLVMDisposeMemoryBuffer>;
using Message = Owned<char, LLVMDisposeMessage>;

/// The processor's names; LLVM's own strings are freed at once.
std::string text_of(char* message) { return Message(message).get(); }

std::string optimise(LLVMModuleRef module, LLVMTargetMachineRef machine) {
  const Owned<LLVMOpaquePassBuilderOptions, LLVMDisposePassBuilderOptions> options(LLVMCreatePassBuilderOptions());
  // Combining may need more than one turn, which LLVM otherwise takes for its own error and ends the process.
  constexpr const char* passes =
      "function(sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg,sccp,instcombine<no-verify-fixpoint>,"
      "loop-mssa(licm),adce,simplifycfg,early-cse)";
  if (LLVMErrorRef error = LLVMRunPasses(module, passes, machine, options.get())) {
    char* const text = LLVMGetErrorMessage(error);
    std::string reason = text;
    LLVMDisposeErrorMessage(text);
    return reason;
  }
  return {};
}

class HostCompiler final : public native::Compiler {
 public:
  HostCompiler()
      : triple_(text_of(LLVMGetDefaultTargetTriple())),
        processor_(text_of(LLVMGetHostCPUName())),
        features_(text_of(LLVMGetHostCPUFeatures())) {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  }

  [[nodiscard]] native::Outcome compile(const native::Request& request) const override {
    for (const std::string_view feature : {"+avx2", "+fma", "+f16c"})
      if (features_.find(feature) == std::string::npos)
        return {{}, "the processor has no " + std::string(feature.substr(1))};
    if (request.program->operations.size() > most_operations) return {{}, "the program is too long"};
    const std::uint32_t lanes = has_avx512() && request.most_lanes >= native::most_lanes ? native::most_lanes : 8;
    const Shape shape = shape_of(request);
    if (shape.segments.size() > most_segments) return {{}, "the program has too many branches"};
    const Context context(LLVMContextCreate());
    const Module module(LLVMModuleCreateWithNameInContext("program", context.get()));
    if (std::string reason = emit(module.get(), request, shape, {lanes, has_avx512()}); !reason.empty())
      return {{}, "the program uses " + reason};
    native::Outcome outcome{native::Code{}, {}};
    outcome.code->lanes = lanes;
    outcome.reason = translate(module.get(), *outcome.code);
    for (const Segment& segment : shape.segments) {
      std::vector<std::uint32_t>& blocks = outcome.code->counted.emplace_back();
      for (std::uint32_t block = segment.first; block <= segment.last; ++block) blocks.push_back(block);
    }
    if (!outcome.reason.empty()) outcome.code.reset();
    return outcome;
  }

 private:
  /// All of it that vectors of 512 bits need.
  [[nodiscard]] bool has_avx512() const {
    const auto is_there = [&](std::string_view feature) { return features_.find(feature) != std::string::npos; };
    return is_there("+avx512f") && is_there("+avx512dq") && is_there("+avx512bw") && is_there("+avx512vl");
  }

  std::string translate(LLVMModuleRef module, native::Code& code) const {
    LLVMTargetRef target = nullptr;
    char* message = nullptr;
    if (LLVMGetTargetFromTriple(triple_.c_str(), &target, &message) != 0) return text_of(message);
    const Machine machine(LLVMCreateTargetMachine(target, triple_.c_str(), processor_.c_str(), features_.c_str(),
                                                  LLVMCodeGenLevelAggressive, LLVMRelocPIC, LLVMCodeModelSmall));
    LLVMSetTarget(module, triple_.c_str());
    const Owned<LLVMOpaqueTargetData, LLVMDisposeTargetData> layout(LLVMCreateTargetDataLayout(machine.get()));
    LLVMSetModuleDataLayout(module, layout.get());
#ifndef NDEBUG
    if (LLVMVerifyModule(module, LLVMReturnStatusAction, &message) != 0) return text_of(message);
    LLVMDisposeMessage(message);
#endif
    if (std::string reason = optimise(module, machine.get()); !reason.empty()) return reason;
    LLVMMemoryBufferRef object = nullptr;
    if (LLVMTargetMachineEmitToMemoryBuffer(machine.get(), module, LLVMObjectFile, &message, &object) != 0)
      return text_of(message);
    const Memory owned(object);
    return flatten({reinterpret_cast<const std::uint8_t*>(LLVMGetBufferStart(object)), LLVMGetBufferSize(object)},
                   entry_name, code);
  }

  std::string triple_, processor_, features_;
};

}  // namespace
}  // namespace mobula::jit

extern "C" [[gnu::visibility("default")]] const mobula::native::Compiler* mobula_jit_compiler() {
  static const mobula::jit::HostCompiler compiler;
  return &compiler;
}
