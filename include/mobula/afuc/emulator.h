// Execution of Adreno command-processor firmware: the cores of one image, or the PFP and ME of an a5xx, with the
// devices around them (afuc reference, sections 3 and 4). The firmware itself is in memory at
// Emulator::firmware_base. Callers with programs rather than words use switch_on() in firmware_emulator.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mobula/export.h"
#include "mobula/lab/firmware_emulator.h"

namespace mobula::afuc {

using firmware::CoreReport;
using firmware::CoreStream;
using firmware::EmulatorOptions;
using firmware::Event;
using firmware::Halt;
using firmware::PacketRun;
using firmware::ProfileRow;
using firmware::RunReport;
using firmware::Spent;
using firmware::Wanting;

class MOBULA_API Emulator final : public firmware::Emulator {
 public:
  static constexpr std::uint64_t firmware_base = 0x1000;

  /// Each image from its word 0, the one with id and version: one of a6xx and later, where the first core starts the
  /// others; or PFP, ME or both of an a5xx, in any order. Fails (AF1xx) on anything else.
  static Result<Emulator> create(std::vector<std::vector<std::uint32_t>> images, EmulatorOptions options = {});
  ~Emulator() override;
  Emulator(Emulator&&) noexcept;
  Emulator& operator=(Emulator&&) noexcept;

  bool boot() override;
  [[nodiscard]] std::vector<CoreReport> cores() const override;

  Result<void> write_memory(std::uint64_t address, std::span<const std::uint32_t> words) override;
  [[nodiscard]] std::uint32_t read_memory(std::uint64_t address) const override;
  void write_register(std::uint32_t number, std::uint32_t value) override;
  [[nodiscard]] std::uint32_t read_register(std::uint32_t number) const override;
  [[nodiscard]] std::uint32_t read_control(std::size_t core, std::uint32_t number) const override;

  /// Words for the ring buffer of the first core.
  RunReport run(std::span<const std::uint32_t> ring);
  Result<RunReport> run(std::span<const CoreStream> streams) override;
  Result<void> begin(std::span<const CoreStream> streams) override;
  bool step() override;
  [[nodiscard]] RunReport report() const override;

  [[nodiscard]] std::uint32_t next_word(std::size_t core) const override;
  [[nodiscard]] std::uint32_t call_depth(std::size_t core) const override;
  [[nodiscard]] std::span<const std::string> register_names() const override;
  [[nodiscard]] std::vector<std::uint32_t> registers(std::size_t core) const override;
  void set_register(std::size_t core, std::size_t number, std::uint32_t value) override;
  [[nodiscard]] std::string meaning(std::size_t core, std::size_t number, std::uint32_t value,
                                    std::optional<std::uint32_t> word) const override;

  [[nodiscard]] Result<std::uint32_t> register_named(std::string_view name) const override;
  [[nodiscard]] Result<std::uint32_t> control_named(std::string_view name) const override;
  [[nodiscard]] std::string name_of(const Event& event) const override;
  [[nodiscard]] std::string packet_name(std::uint32_t entry) const override;
  [[nodiscard]] std::string_view chip() const override;

  [[nodiscard]] std::vector<firmware::Doubt> doubts() const override;
  [[nodiscard]] std::vector<ProfileRow> profile() const override;
  [[nodiscard]] std::vector<Spent> spent(std::size_t core) const override;
  [[nodiscard]] std::vector<std::uint64_t> executions(std::size_t core) const override;

 private:
  struct Impl;
  explicit Emulator(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace mobula::afuc
