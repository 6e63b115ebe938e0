// Times a shader on a Mali-T860, and writes the timeline of its threads for https://ui.perfetto.dev.
#include <cstdio>
#include <fstream>

#include "mobula/mobula.h"

int main(int argc, char** argv) {
  const auto program = mobula::load_program_file("examples/checker.frag.bin", "midgard:t860");
  if (!program) return std::fputs(mobula::render(program.error()).c_str(), stderr), 1;
  std::ofstream file(argc > 1 ? argv[1] : "checker.perfetto", std::ios::binary);
  std::size_t written = 0;
  const auto timeline = mobula::perfetto_timeline([&](std::string_view piece) {
    file << piece;
    written += piece.size();
  });
  const auto timing = mobula::time_program(*program, {.threads = 8, .timeline = timeline.get()});
  if (!timing) return std::fputs(mobula::render(timing.error()).c_str(), stderr), 1;
  std::fputs(report(*timing).c_str(), stdout);
  std::printf("%zu bytes of timeline\n", written);
}
