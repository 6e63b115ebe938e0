// Gives firmware a command stream: what it does, how long it takes, and what it is to an out-of-order core.
#include <cstdio>

#include "mobula/lab/firmware_report.h"
#include "mobula/mobula.h"
#include "mobula/scoreboard/trace.h"

int failed(const mobula::Diagnostics& diagnostics) {
  std::fputs(mobula::render(diagnostics).c_str(), stderr);
  return 1;
}

int main() {
  const auto image = mobula::load_program_file("examples/firmware.afuc", "afuc:a630");
  const auto stream = mobula::pm4::assemble({"stream", "CP_MEM_WRITE 0x30000 0x1 0xdead\npkt4 0x8100 0x11\n"}, "a630");
  if (!image || !stream) return failed(image ? stream.error() : image.error());
  const mobula::firmware::Feed feed{.rounds = {{{0, "stream", *stream}}}};
  const auto run = mobula::firmware::run({&*image, 1}, feed);
  if (!run || has_errors(run->diagnostics)) return failed(run ? run->diagnostics : run.error());
  for (const auto& round : run->rounds) std::fputs(report(*run->emulator, round).c_str(), stdout);
  const auto timed = mobula::firmware::time_streams({&*image, 1}, feed, {}, nullptr, 1000000);
  if (!timed) return failed(timed.error());
  std::printf("%llu cycles\n", static_cast<unsigned long long>(timed->joint.cycles()));
  const auto workload = mobula::scoreboard::record_firmware({&*image, 1}, feed, 0);
  if (!workload) return failed(workload.error());
  std::printf("%zu micro-operations\n", workload->operations.size());
}
