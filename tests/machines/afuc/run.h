// Emulators and streams of tests.
#pragma once

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "machines/afuc/build.h"
#include "mobula/afuc/emulator.h"
#include "mobula/isa/pm4.h"

namespace mobula::afuc {

/// An image of a file of tests/data/afuc.
inline std::vector<std::uint32_t> own_image(const std::string& name) {
  const auto program = assemble_text(data_text(name));
  EXPECT_TRUE(program) << (program ? "" : render(program.error()));
  return program ? words_of(*program) : std::vector<std::uint32_t>{};
}

inline Emulator boot(std::vector<std::vector<std::uint32_t>> images, EmulatorOptions options = {}) {
  auto emulator = Emulator::create(std::move(images), std::move(options));
  EXPECT_TRUE(emulator->boot()) << emulator->cores().front().reason << emulator->cores().back().reason;
  return std::move(*emulator);
}

/// The words of a stream's ring buffer; its buffers and registers are put where they belong.
inline std::vector<std::uint32_t> prepare(Emulator& emulator, std::string_view text) {
  const auto stream = pm4::assemble({"test.pm4", text}, emulator.chip());
  EXPECT_TRUE(stream) << (stream ? "" : render(stream.error()));
  if (!stream) return {};
  for (const pm4::Buffer& buffer : stream->memory) EXPECT_TRUE(emulator.write_memory(buffer.address, buffer.words));
  for (const pm4::RegisterValue& each : stream->registers) emulator.write_register(each.number, each.value);
  return stream->ring;
}
inline RunReport run_text(Emulator& emulator, std::string_view text) { return emulator.run(prepare(emulator, text)); }

/// "8100=11 8101=12" of the events of a kind.
inline std::string listed(const RunReport& report, Event::Kind kind, char between = '=') {
  std::ostringstream text;
  for (const Event& event : report.events) {
    if (event.kind != kind) continue;
    text << (text.tellp() == 0 ? "" : " ") << std::hex << event.address << between << event.value;
  }
  return text.str();
}

}  // namespace mobula::afuc
