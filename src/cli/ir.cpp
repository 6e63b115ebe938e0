#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/input.h"
#include "cli/output.h"
#include "mobula/isa/ir.h"

namespace mobula::cli {
namespace {

FileResult lift(const IrOptions& options, const std::string& file) {
  const Program program = load_program(options.input, file);
  const ir::Program lifted = value_or_stop(machine_of(program).lift(program, parse_policies(options.policies)), file);
  if (!options.output.json) return {ir::print(lifted), {}};
  Json blocks = Json::array();
  for (std::uint32_t i = 0; i < lifted.blocks.size(); ++i)
    blocks.push_back({{"offset", hex(lifted.blocks[i].address)},
                      {"bytes", lifted.blocks[i].bytes},
                      {"fidelity", name(lifted.blocks[i].fidelity)},
                      {"text", ir::print(lifted, i)}});
  return {envelope("ir", &program, {{"blocks", std::move(blocks)}}), {}};
}

}  // namespace

Exit ir(const IrOptions& options) {
  return for_each_file(options.input.files, options.output.file,
                       [&](const std::string& file) { return lift(options, file); });
}

}  // namespace mobula::cli
