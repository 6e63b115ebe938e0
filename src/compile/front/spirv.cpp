#include <algorithm>
#include <array>
#include <spirv-tools/libspirv.hpp>
#include <spirv-tools/optimizer.hpp>

#include "compile/front/call_tree.h"
#include "compile/front/divisions.h"
#include "compile/front/large_stack.h"
#include "compile/front/many_calls.h"
#include "compile/front/retype.h"
#include "compile/front/shader.h"
#include "compile/front/words.h"
#include "core/quote.h"
#include "core/source.h"

namespace mobula::compile {
namespace {

/// Modules for OpenGL and for Vulkan: the rules that both have.
constexpr spv_target_env environment = SPV_ENV_UNIVERSAL_1_6;

/// What a library has to say, the first error alone: the others follow from it.
struct Listener {
  std::string message;
  spv_position_t position{};

  spvtools::MessageConsumer consumer() {
    return [this](spv_message_level_t level, const char*, const spv_position_t& at, const char* text) {
      if (level > SPV_MSG_ERROR || !message.empty()) return;
      message = text;
      position = at;
    };
  }
  [[nodiscard]] std::string text() const {
    const std::string first = message.substr(0, message.find('\n'));
    return first.empty() ? "no reason is given" : shown(first, 400);
  }
};

Unexpected fail_in(std::string_view file, std::string code, std::string message, std::string hint = {}) {
  Diagnostic error{Severity::error, std::move(code), {}, std::move(message), std::move(hint)};
  error.where.file = file;
  return fail(std::move(error));
}

Result<Spirv> validated(Spirv module, std::string_view file) {
  Listener listener;
  spvtools::SpirvTools tools(environment);
  tools.SetMessageConsumer(listener.consumer());
  if (!tools.Validate(module)) {
    std::string message = "this is not valid SPIR-V: ";
    message += listener.text();
    return fail_in(file, "CO011", std::move(message), "spirv-val says more");
  }
  return module;
}

constexpr std::size_t most_words = std::size_t{4} << 20;

}  // namespace

bool is_spirv_binary(std::span<const std::uint8_t> bytes) {
  if (bytes.size() < 4) return false;
  const std::uint32_t first = bytes[0] | bytes[1] << 8 | bytes[2] << 16 | std::uint32_t{bytes[3]} << 24;
  return first == spv::MagicNumber || first == __builtin_bswap32(spv::MagicNumber);
}

bool is_spirv_text(std::string_view text) {
  while (!text.empty()) {
    const std::size_t begin = std::min(text.size(), text.find_first_not_of(" \t\r\n"));
    text.remove_prefix(begin);
    if (!text.starts_with(';')) break;
    text.remove_prefix(std::min(text.size(), text.find('\n')));
  }
  return text.starts_with("OpCapability ");
}

Result<Spirv> read_spirv(std::span<const std::uint8_t> bytes, std::string_view file) {
  if (bytes.size() % 4 != 0 || bytes.size() < 4 * spirv_header_words)
    return fail_in(file, "CO010",
                   "SPIR-V of " + std::to_string(bytes.size()) + " bytes; a module is at least 5 words of 4 bytes",
                   "the file may be cut off");
  if (bytes.size() / 4 > most_words) return fail_in(file, "CO010", "a module of more than 16 MiB is not read");
  Spirv module(bytes.size() / 4);
  const bool swapped = bytes[0] == 0x07;
  for (std::size_t i = 0; i < module.size(); ++i) {
    std::uint32_t word = 0;
    for (unsigned byte = 0; byte < 4; ++byte) word |= std::uint32_t{bytes[4 * i + byte]} << 8 * byte;
    module[i] = swapped ? __builtin_bswap32(word) : word;
  }
  return validated(std::move(module), file);
}

namespace {

/// A text names its version in a comment only, as disassemblers write it. Without one, the last that lists no uniforms
/// in its interface.
spv_target_env version_of(std::string_view text) {
  constexpr std::string_view comment = "; Version: 1.";
  const std::size_t at = text.find(comment);
  const char minor =
      at == std::string_view::npos || at + comment.size() >= text.size() ? '3' : text[at + comment.size()];
  constexpr std::array versions{SPV_ENV_UNIVERSAL_1_0, SPV_ENV_UNIVERSAL_1_1, SPV_ENV_UNIVERSAL_1_2,
                                SPV_ENV_UNIVERSAL_1_3, SPV_ENV_UNIVERSAL_1_4, SPV_ENV_UNIVERSAL_1_5,
                                SPV_ENV_UNIVERSAL_1_6};
  return minor >= '0' && minor <= '6' ? versions[static_cast<std::size_t>(minor - '0')] : environment;
}

}  // namespace

Result<Spirv> assemble_spirv(std::string_view text, std::string_view file) {
  Listener listener;
  spvtools::SpirvTools tools(version_of(text));
  tools.SetMessageConsumer(listener.consumer());
  Spirv module;
  if (!tools.Assemble(text.data(), text.size(), &module, SPV_TEXT_TO_BINARY_OPTION_PRESERVE_NUMERIC_IDS)) {
    const Source source(file, text);
    const std::size_t line = listener.position.line;
    Location where;
    where.file = file;
    if (line < source.line_count()) {
      const auto column = std::min<std::size_t>(listener.position.column, source.line(line).size());
      where = source.locate({source.line_offset(line) + static_cast<std::uint32_t>(column), 1});
    }
    return fail(Diagnostic{Severity::error, "CO012", std::move(where), listener.text(), {}});
  }
  return validated(std::move(module), file);
}

std::string print_spirv(const Spirv& module) {
  spvtools::SpirvTools tools(environment);
  std::string text;
  tools.Disassemble(module, &text, SPV_BINARY_TO_TEXT_OPTION_INDENT | SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES);
  return text;
}

namespace {

/// Flags of the library's passes for speed. Those that make values of variables, drop what is inserted in vain, look
/// for equal values and turn branches into choices take four times as long for twice the blocks, or longer, and those
/// that put vectors together for twice the instructions: where these are many, there are only the passes that take
/// calls, early returns and structures apart, and all else is left to passes/.
std::vector<std::string> passes_for(const ExpandedSize& size) {
  constexpr std::uint64_t many_blocks = 400, many_instructions = 20'000;
  if (size.blocks > many_blocks || size.instructions > many_instructions)
    return {"--wrap-opkill",
            "--eliminate-dead-branches",
            "--merge-return",
            "--inline-entry-points-exhaustive",
            "--eliminate-dead-functions",
            "--private-to-local",
            "--scalar-replacement=100",
            "--eliminate-dead-code-aggressive"};
  spvtools::Optimizer usual(environment);
  usual.RegisterPerformancePasses();
  std::vector<std::string> flags;
  for (const char* const name : usual.GetPassNames()) flags.push_back("--" + std::string(name));
  return flags;
}

/// Whether there is something to compute from constants for specialisation, and no division among it: for that there is
/// no other operation that hide_divisions() could call it.
bool computes_constants(const Spirv& module) {
  constexpr std::array divisions{spv::Op::OpSDiv, spv::Op::OpUDiv, spv::Op::OpSRem, spv::Op::OpSMod, spv::Op::OpUMod};
  bool computes = false, divides = false;
  for_each_instruction(module, [&](SpirvWords each) {
    if (each.op() != spv::Op::OpSpecConstantOp) return;
    computes = true;
    divides = divides || std::ranges::find(divisions, static_cast<spv::Op>(each[3])) != divisions.end();
  });
  return computes && !divides;
}

/// Nobody specialises what is compiled: constants for that have the values that the module gives them.
void register_constants(spvtools::Optimizer& optimiser) {
  optimiser.RegisterPass(spvtools::CreateFreezeSpecConstantValuePass());
  optimiser.RegisterPass(spvtools::CreateFoldSpecConstantOpAndCompositePass());
}

/// `is_cut`: blocks have been cut behind calls.
void register_passes(spvtools::Optimizer& optimiser, const ExpandedSize& size, bool is_cut) {
  for (const std::string& flag : passes_for(size)) {
    optimiser.RegisterPassFromFlag(flag);
    if (is_cut && flag == "--inline-entry-points-exhaustive") optimiser.RegisterPass(spvtools::CreateBlockMergePass());
  }
  optimiser.RegisterPass(spvtools::CreateCompactIdsPass());
}

}  // namespace

Result<Spirv> optimise(const Spirv& module, std::string_view file) {
  constexpr std::uint64_t most_instructions = 500'000;
  const ExpandedSize size = expanded_size(module);
  if (size.recursive) return fail_in(file, "CO013", "a function calls itself, which no GLSL allows");
  if (size.instructions > most_instructions) {
    std::string message = quote(size.function);
    message += " becomes more than ";
    message += std::to_string(most_instructions);
    message += " instructions when its calls are replaced by what they call";
    return fail_in(file, "CO013", std::move(message), "functions that call others twice double with each level");
  }
  Listener listener;
  spvtools::Optimizer optimiser(environment);
  optimiser.SetMessageConsumer(listener.consumer());
  Spirv given = module, optimised;
  hide_divisions(given);
  if (computes_constants(given)) register_constants(optimiser);
  register_passes(optimiser, size, cut_behind_calls(given));
  spvtools::OptimizerOptions options;
  options.set_run_validator(false);  // the doors have validated it
  const bool taken = on_large_stack([&] { return optimiser.Run(given.data(), given.size(), &optimised, options); });
  if (!taken) {
    std::string message = "the optimiser of SPIR-V refuses this: ";
    message += listener.text();
    return fail_in(file, "CO014", std::move(message));
  }
  show_divisions(optimised);
  return optimised;
}

}  // namespace mobula::compile
