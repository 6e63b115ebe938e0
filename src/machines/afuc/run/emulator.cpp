#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <deque>
#include <map>
#include <utility>

#include "core/counted.h"
#include "core/quote.h"
#include "core/source.h"
#include "execute/processor.h"
#include "machines/afuc/devices/devices.h"
#include "machines/afuc/image/image.h"
#include "machines/afuc/lift/lift.h"
#include "machines/afuc/run/emulator.h"
#include "machines/afuc/run/registers.h"
#include "machines/afuc/spec/codec.h"
#include "machines/afuc/timing/timing.h"
#include "mobula/afuc/emulator.h"
#include "mobula/isa/pm4.h"

namespace mobula::afuc {
namespace {

constexpr std::size_t most_words = 1u << 20;
constexpr std::uint64_t image_alignment = 0x1000;
/// Blocks that a core executes at once while no other can continue.
constexpr std::uint64_t blocks_of_one = 1u << 16;

/// What the hardware says of itself to firmware that asks at its start (3.11).
struct Gate {
  std::uint16_t id;  ///< of the firmware
  std::uint32_t revision;
};
constexpr Gate gates[] = {{0x6DD, 1}, {0x7AA, 2}, {0x6DC, 3}};
/// a8xx: cores that read what another passes on, and the number by which they know which they are (decision 0012).
struct Feeding {
  std::string_view core, by;
  std::uint32_t number;
};
constexpr Feeding fed_cores[] = {{"DDE_BR", "BR", 6}, {"DDE_BV", "BV", 7}};

constexpr std::uint32_t revision_a7xx = 7, revision_shift = 28, number_shift = 24, any_chip = 1u << 21,
                        chip_revision = 0x000;

/// The a5xx's PFP never addresses a register through $addr or $usraddr; its ME does from its start (1.3).
bool writes_addresses(std::span<const std::uint32_t> words) {
  const Decoder& decode = decoder(g5);
  return std::any_of(words.begin(), words.end(), [&](std::uint32_t word) {
    const Opcode* opcode = decode.find(word);
    if (opcode == nullptr || opcode->op != Op::alu) return false;
    for (const OperandSpec& operand : opcode->operands) {
      if (operand.kind != OperandKind::destination) continue;
      const std::uint32_t reg = field_of(word, *operand.field);
      return reg == reg_addr || reg == reg_usraddr;
    }
    return false;
  });
}

/// The performance counters by the position of their commands (section 5); bits 13:12 belong to none.
constexpr std::string_view counter_names[Devices::counter_count] = {"NUM_PREEMPTIONS",
                                                                    "PREEMPTION_REACTION_DELAY",
                                                                    "SWITCH_OUT_TIME",
                                                                    "SWITCH_IN_TIME",
                                                                    "DEAD_DRAWS_IN_BIN_RENDER",
                                                                    "PREDICATED_DRAWS_KILLED",
                                                                    "UNKN6",
                                                                    "ZPASS_DONE",
                                                                    "CONTEXT_DONE",
                                                                    "CACHE_FLUSH",
                                                                    "LONG_PREEMPTIONS",
                                                                    "VSD_DECODE_STARVE",
                                                                    "SYNC_STALL",
                                                                    "PM4_WFI_STALL",
                                                                    "SYS_WFI_STALL"};

Unexpected no_chip(const std::string& name) {
  std::string known;
  for (const Chip& chip : chips) known += (known.empty() ? "" : ", ") + std::string(chip.name);
  return fail("AF165", "there is no chip '" + name + "'", "known chips: " + known);
}

std::uint64_t aligned(std::uint64_t value) { return (value + image_alignment - 1) / image_alignment * image_alignment; }

/// A core: its program, lifted as it is executed, and what it has around it.
struct EmulatedCore {
  EmulatedCore(std::string core_name, std::uint64_t first, std::span<const std::uint32_t> program, LazyCode lazy,
               Board& board, CoreKind kind, std::uint8_t index)
      : name(std::move(core_name)),
        first_word(first),
        words(program),
        code(std::move(lazy)),
        devices(board, kind, index),
        processor(code, devices, words.size_bytes()) {
    devices.attach(processor);
  }

  [[nodiscard]] std::uint32_t pc() const { return static_cast<std::uint32_t>(word_of_block(processor.address())); }

  /// An interrupt is wanted, and what is executed next is not a delay slot.
  [[nodiscard]] bool takes_interrupt() const {
    return devices.wants_interrupt() && processor.address() == block_address(pc(), Role::plain);
  }

  /// Whether the cycles of each instruction matter, and not of all together alone.
  [[nodiscard]] bool is_watched() const { return devices.profile() != nullptr || on_instruction || !cycles.empty(); }

  /// Lets it execute so many blocks, or fewer; an interrupt comes first.
  void advance(std::uint64_t blocks) {
    if (takes_interrupt()) {
      devices.interrupt(pc());
      processor.go_to(block_address(devices.preempt_entry(), Role::plain));
    } else if (devices.wants_interrupt()) {
      blocks = std::min<std::uint64_t>(blocks, 1);
    }
    const std::uint64_t end = processor.blocks() + blocks;
    if (!is_watched()) {
      const std::uint64_t before = processor.words();
      processor.run(blocks);
      clock += processor.words() - before;
      return;
    }
    devices.begin_turn();
    while (processor.blocks() < end && processor.state() == LaneState::running && !devices.gives_way()) {
      watch();
      if (devices.wants_interrupt()) return;
    }
  }

  /// One block of it.
  void watch() {
    const std::uint64_t before = processor.words(), began = clock;
    const std::uint32_t word = pc();
    CoreProfile* const profile = devices.profile();
    if (profile != nullptr) profile->at(word);
    processor.run(1);
    if (processor.words() == before) return;
    clock += cycles.empty() ? 1 : cycles[word];
    if (profile != nullptr) profile->spend(&Spent::instructions);
    if (on_instruction) on_instruction(static_cast<std::uint32_t>(first_word + word), began, clock);
  }

  [[nodiscard]] std::string hint() const {
    if (halt != Halt::fault) return {};
    if (devices.waits_in_packet())
      return "the header that the PFP sent announces more words than the PFP sent after it";
    if (devices.waits_for_room()) return "the error of the core that takes the words comes first";
    if (devices.is_at_header()) return "mobula pm4 shows where packets begin, and checks their headers";
    if (devices.in_packet()) return "run --trace shows how it got there; mobula pm4 shows the words of the packet";
    return "run --trace shows how it got there";
  }

  std::string name;
  std::uint64_t first_word;  ///< of the image
  std::span<const std::uint32_t> words;
  LazyCode code;
  Devices devices;
  Processor processor;
  std::function<void(std::uint32_t word, std::uint64_t begin, std::uint64_t end)>
      on_instruction;                 ///< word in the image
  std::vector<std::uint32_t> cycles;  ///< of each word; empty: one
  std::uint64_t clock = 0;            ///< cycle in which its next instruction begins
  bool waits = false;                 ///< since then
  Halt halt = Halt::running;
  std::string reason;
  std::uint64_t packet_start = 0;  ///< Processor::words() when the core left its last waitin
  std::uint64_t blocks_since_waitin = 0;
  std::uint64_t packets_since_ring = 0;  ///< packets handled since a word of a ring buffer was read
  std::size_t ring_words = 0;            ///< words read of all ring buffers at that time
};

}  // namespace

struct Emulator::Impl {
  Impl(Map map, EmulatorOptions wanted, const Settings& settings)
      : options(std::move(wanted)), board(map, options, settings) {}

  Result<void> start(std::string name, CoreKind kind, std::uint64_t image, std::uint64_t first_word);
  void start_others();
  void feed(EmulatedCore& core);
  void identify_to(Devices& devices) const;
  [[nodiscard]] bool can_go_on(EmulatedCore& core);
  void wake(EmulatedCore& core);
  EmulatedCore* next_core(bool& alone);
  void step_core(EmulatedCore& core, std::uint64_t blocks);
  bool step();
  void settle();
  void finish_packet(EmulatedCore& core);
  void go(std::uint64_t limit);
  void begin(std::span<const CoreStream> streams);
  /// BR and BV read past packets that concern the other one, without waitin.
  [[nodiscard]] bool skips_packets() const {
    return std::any_of(cores.begin(), cores.end(), [](const EmulatedCore& core) { return core.name == "BV"; });
  }
  [[nodiscard]] RunReport report() const;
  [[nodiscard]] std::size_t words_of(std::size_t core) const;

  EmulatorOptions options;
  Board board;
  std::optional<Costs> costs;  ///< nothing: a cycle each
  std::vector<std::vector<std::uint32_t>> images;
  std::vector<std::uint64_t> bases;  ///< byte addresses of the images
  std::uint16_t id = 0;
  std::string_view chip;
  std::deque<EmulatedCore> cores;
  std::vector<PacketRun> packets;
  std::uint64_t now = 0;  ///< cycle that the core which executed last has come to
};

/// Firmware asks for the revision of the chip it was made for.
void Emulator::Impl::identify_to(Devices& devices) const {
  std::uint32_t revision = board.map >= Map::a7xx ? revision_a7xx : 0;
  for (const Gate& gate : gates)
    if (gate.id == id) revision = gate.revision;
  devices.set_control(chip_revision, revision << revision_shift);
  if (board.map == Map::a7xx) devices.set_control(0x0EF, any_chip);
  if (board.map >= Map::a750) devices.set_control(0x002, any_chip);
}

Result<void> Emulator::Impl::start(std::string name, CoreKind kind, std::uint64_t image, std::uint64_t first_word) {
  const auto words = std::span<const std::uint32_t>(images[image]).subspan(first_word);
  auto code = LazyCode::create(words, generation_of(board.map), options.policies);
  if (!code) return fail(std::move(code).error());
  const auto index = static_cast<std::uint8_t>(cores.size());
  EmulatedCore& core = cores.emplace_back(std::move(name), first_word, words, std::move(*code), board, kind, index);
  if (options.profile) {
    core.devices.keep_profile(words);
  }
  if (options.on_instruction)
    core.on_instruction = [this, index](std::uint32_t word, std::uint64_t begin, std::uint64_t end) {
      options.on_instruction({index, word, begin, end, board.events.size()});
    };
  if (costs) {
    const Decoder& decode = decoder(generation_of(board.map));
    for (const std::uint32_t word : words)
      core.cycles.push_back(static_cast<std::uint32_t>(costs->of(decode.find(word), word)));
  }
  core.clock = now;
  if (kind == CoreKind::pfp && images.size() == 2) board.feeding = &core.devices;
  if (options.on_block)
    core.processor.set_observer([this, index](const ExecutedBlock& executed) { options.on_block(index, executed); });
  identify_to(core.devices);
  return {};
}

/// Starts the cores that the others have asked for. One that runs already continues.
void Emulator::Impl::start_others() {
  for (const CoreStart& wanted : std::exchange(board.starts, {})) {
    const bool runs =
        std::any_of(cores.begin(), cores.end(), [&](const EmulatedCore& core) { return core.name == wanted.name; });
    const std::uint64_t offset = wanted.base - bases.front();
    if (runs || cores.size() == 8) continue;
    if (wanted.base < bases.front() || offset % word_bytes != 0 || offset / word_bytes >= images.front().size()) {
      cores.front().reason =
          fmt::format("{} was started at {:#x}, where there is no firmware", wanted.name, wanted.base);
      continue;
    }
    (void)start(std::string(wanted.name), CoreKind::sqe, 0, offset / word_bytes);
    feed(cores.back());
    if (wanted.base_register != ~0u) {
      cores.back().devices.set_control(wanted.base_register, static_cast<std::uint32_t>(wanted.base));
      cores.back().devices.set_control(wanted.base_register + 1, static_cast<std::uint32_t>(wanted.base >> 32));
    }
  }
}

/// Lets a core read what another passes on.
void Emulator::Impl::feed(EmulatedCore& core) {
  for (const Feeding& feeding : fed_cores) {
    if (feeding.core != core.name) continue;
    core.devices.is_fed = true;
    core.devices.set_control(chip_revision, core.devices.control(chip_revision) | feeding.number << number_shift);
    for (std::size_t i = 0; i < cores.size(); ++i)
      if (cores[i].name == feeding.by) board.further[i] = &core.devices;
  }
}

void Emulator::Impl::finish_packet(EmulatedCore& core) {
  if (!core.devices.in_packet()) return;
  PacketRun packet = core.devices.packet();
  packet.instructions = core.processor.words() + 1 - core.packet_start;
  if (packets.size() < options.events) {
    packets.push_back(packet);
  } else {
    ++board.dropped_events;
  }
  core.devices.leave_packet();
  std::size_t ring_words = 0;
  for (const EmulatedCore& each : cores)
    if (!each.devices.is_fed) ring_words += each.devices.ring_position;
  if (ring_words != core.ring_words) {
    core.ring_words = ring_words;
    core.packets_since_ring = 0;
  } else if (++core.packets_since_ring == options.buffer_packets) {
    core.halt = Halt::endless;
    core.reason = fmt::format("has handled {} since {}, the last, {}, at level {}: its indirect buffers do not end",
                              counted(options.buffer_packets, "packet"), cores.front().devices.ring_place(),
                              packet_or_number(board.map, packet.entry), packet.level);
  }
}

/// Whether there is what a core waits for. One that waits has its next instruction when that has come.
bool Emulator::Impl::can_go_on(EmulatedCore& core) {
  if (core.halt == Halt::fault || core.halt == Halt::stuck || core.halt == Halt::endless) return false;
  const bool blocked = core.processor.state() == LaneState::blocked;
  if (blocked ? !core.takes_interrupt() && !core.devices.has_input() : core.devices.waits_for_room()) {
    if (!core.waits && options.on_wait)
      options.on_wait({core.devices.index(), static_cast<std::uint32_t>(core.first_word + core.pc()),
                       blocked ? Wanting::words : Wanting::room, core.clock});
    core.waits = true;
    return false;
  }
  if (!core.waits) return true;
  core.waits = false;
  core.clock = std::max(core.clock, now);
  return true;
}

/// Lets a core that waited for words continue.
void Emulator::Impl::wake(EmulatedCore& core) {
  if (!core.takes_interrupt() && !core.devices.waits_in_packet()) {
    core.devices.grant();
    core.packet_start = core.processor.words();
    core.blocks_since_waitin = 0;
  }
  core.processor.unblock();
}

/// The core whose next instruction is the first in time; nullptr if none can continue. `alone`: no other can.
EmulatedCore* Emulator::Impl::next_core(bool& alone) {
  EmulatedCore* first = nullptr;
  alone = true;
  for (EmulatedCore& core : cores) {
    if (!can_go_on(core)) continue;
    alone = first == nullptr;
    if (first == nullptr || core.clock < first->clock) first = &core;
  }
  return first;
}

/// Lets a core that can continue execute so many blocks, or fewer.
void Emulator::Impl::step_core(EmulatedCore& core, std::uint64_t blocks) {
  Processor& processor = core.processor;
  if (processor.state() == LaneState::blocked) wake(core);
  core.halt = Halt::running;
  const std::uint64_t before = processor.blocks();
  core.advance(std::min(blocks, options.packet_instructions - core.blocks_since_waitin));
  core.blocks_since_waitin += processor.blocks() - before;
  now = core.clock;
  switch (processor.state()) {
    case LaneState::blocked:
      if (!core.devices.waits_in_packet()) finish_packet(core);
      break;
    case LaneState::running:
      if (core.blocks_since_waitin < options.packet_instructions) break;
      core.halt = Halt::stuck;
      core.reason =
          fmt::format("has not come back to waitin within {}", counted(options.packet_instructions, "instruction"));
      if (core.devices.in_packet())
        core.reason += ", in packet " + packet_or_number(board.map, core.devices.packet().entry);
      break;
    case LaneState::waiting:
    case LaneState::ended:
    case LaneState::discarded:
    case LaneState::faulted:
      core.halt = Halt::fault;
      core.reason = processor.reason();
      break;
  }
  if (!board.starts.empty()) start_others();
}

void Emulator::Impl::go(std::uint64_t limit) {
  bool alone = false;
  for (std::uint64_t done = 0; done < limit;) {
    EmulatedCore* const core = next_core(alone);
    if (core == nullptr) return settle();
    const std::uint64_t before = core->processor.blocks();
    step_core(*core, alone ? blocks_of_one : 1);
    done += core->processor.blocks() - before;
  }
}

/// No core can continue: says of each why.
void Emulator::Impl::settle() {
  for (EmulatedCore& core : cores) {
    if (core.halt != Halt::running) continue;
    core.halt = core.devices.waits_in_packet() || core.devices.waits_for_room() ? Halt::fault : Halt::idle;
    if (core.devices.waits_in_packet()) core.reason = core.devices.lack_of_words();
    if (core.halt == Halt::idle) core.reason = core.devices.left_states();
    if (!core.reason.empty()) core.halt = Halt::fault;
    if (core.devices.waits_for_room())
      core.reason = fmt::format("waits for room in the queue to the {}, which takes none of its {}", cores.back().name,
                                counted(board.meq.size(), "word"));
  }
}

/// Where the next core of the image starts, a core's words end.
std::size_t Emulator::Impl::words_of(std::size_t core) const {
  const EmulatedCore& chosen = cores[core];
  std::size_t words = chosen.words.size();
  for (const EmulatedCore& other : cores)
    if (other.first_word > chosen.first_word && images.size() == 1)
      words = std::min(words, static_cast<std::size_t>(other.first_word - chosen.first_word));
  return words;
}

void Emulator::Impl::begin(std::span<const CoreStream> streams) {
  for (const CoreStream& stream : streams) {
    EmulatedCore& core = cores[stream.core];
    std::vector<std::uint32_t>& words = core.devices.ring;
    words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(core.devices.ring_position));
    core.devices.ring_position = 0;
    words.insert(words.end(), stream.words.begin(), stream.words.end());
  }
  for (EmulatedCore& core : cores) {
    core.packets_since_ring = core.ring_words = 0;
    now = std::max(now, core.clock);
  }
  for (EmulatedCore& core : cores) core.clock = now;
  packets.clear();
  board.events.clear();
  board.dropped_events = 0;
}

/// The next instruction, or iteration, of all cores.
bool Emulator::Impl::step() {
  bool alone = false;
  while (EmulatedCore* const core = next_core(alone)) {
    const std::uint64_t before = core->processor.words();
    step_core(*core, 1);
    if (core->processor.words() != before) return true;
  }
  settle();
  return false;
}

RunReport Emulator::Impl::report() const {
  RunReport report;
  // Copies, so that the next run finds memory that is there already.
  report.packets = packets;
  report.events = board.events;
  report.dropped_events = board.dropped_events;
  report.ok = board.meq.empty();
  for (const EmulatedCore& core : cores) {
    report.unread_words += core.devices.ring.size() - core.devices.ring_position;
    report.ok &= core.halt == Halt::idle;
  }
  report.ok &= report.unread_words == 0;
  return report;
}

// ------------------------------------------------------------------------------------------------ the public face

Emulator::Emulator(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Emulator::~Emulator() = default;
Emulator::Emulator(Emulator&&) noexcept = default;
Emulator& Emulator::operator=(Emulator&&) noexcept = default;

Result<Emulator> Emulator::create(std::vector<std::vector<std::uint32_t>> images, EmulatorOptions options) {
  if (images.empty()) return fail("AF110", "there is no image to run");
  for (const auto& image : images) {
    if (image.empty()) return fail("AF111", "an image is empty");
    if (image.size() > most_words)
      return fail("AF112", "an image is longer than " + std::to_string(most_words) + " words");
  }
  const bool by_id = options.chip.empty() || options.chip == automatic;
  const Chip* chip = by_id ? identify(images.front()).chip : find_chip(options.chip);
  if (chip == nullptr) return no_chip(options.chip);
  const bool a5xx = chip->map == Map::a5xx;
  for (const auto& image : std::span(images).subspan(1))
    if (const Chip* each = chip_of_id(image.front()); each != nullptr && each->map != chip->map)
      return fail("AF167", fmt::format("firmware of {} and {} does not run together", chip->name, each->name),
                  "PFP and ME of an a5xx run together; all others have one image");
  if (images.size() > (a5xx ? 2u : 1u))
    return fail("AF113", a5xx ? "more than two images" : "more than one image",
                "PFP and ME of an a5xx run together; all others have one image");

  std::optional<Costs> costs;
  if (!options.costs.empty()) {
    auto parameters = with_timing_choices(timing_model().parameters(chip->name), options.costs);
    if (!parameters) return fail(std::move(parameters).error());
    costs.emplace(*parameters);
  }
  const auto settings = choose_settings(options.policies);
  if (!settings) return fail(settings.error());
  auto impl = std::make_unique<Impl>(chip->map, std::move(options), *settings);
  impl->costs = costs;
  impl->id = chip->id;
  impl->chip = chip->name;
  if (a5xx && images.size() == 2) {
    const bool first_is_me = writes_addresses(images[0]), second_is_me = writes_addresses(images[1]);
    if (first_is_me == second_is_me)
      return fail("AF114", "these are not one PFP and one ME", "the PFP is the one without $addr");
    if (first_is_me) std::swap(images[0], images[1]);
  }
  std::uint64_t base = firmware_base;
  for (const auto& image : images) {
    impl->bases.push_back(base);
    for (std::size_t i = 0; i < image.size(); ++i)
      if (!impl->board.memory.write(base + i * word_bytes, image[i]))
        return fail("AF115", "the memory limit is too small for the firmware");
    base = aligned(base + image.size() * word_bytes);
  }
  impl->images = std::move(images);

  auto& gpu = impl->board.gpu;
  const auto set_base = [&](unsigned low, std::uint64_t address) { gpu[low] = static_cast<std::uint32_t>(address); };
  for (std::size_t i = 0; i < impl->images.size(); ++i) {
    std::string core_name(first_core_name(impl->board.map, impl->images[i]));
    CoreKind kind = CoreKind::sqe;
    unsigned base_register = impl->board.map == Map::a8xx ? 0x816 : 0x830;  // 7.2
    if (a5xx) {
      const bool me = writes_addresses(impl->images[i]);
      core_name = me ? "ME" : "PFP";
      kind = me ? CoreKind::me : CoreKind::pfp;
      base_register = me ? 0x838 : 0x835;
    }
    set_base(base_register, impl->bases[i]);
    if (auto started = impl->start(core_name, kind, i, 0); !started) return fail(std::move(started).error());
  }
  return Emulator(std::move(impl));
}

bool Emulator::boot() {
  impl_->go(impl_->options.instructions);
  return std::all_of(impl_->cores.begin(), impl_->cores.end(),
                     [](const EmulatedCore& core) { return core.halt == Halt::idle; });
}

std::vector<CoreReport> Emulator::cores() const {
  std::vector<CoreReport> reports;
  for (const EmulatedCore& core : impl_->cores) {
    CoreReport report;
    report.name = core.name;
    report.halt = core.halt;
    report.reason = core.reason;
    report.hint = core.hint();
    if (core.halt == Halt::idle && !impl_->skips_packets()) report.awaits = core.devices.awaited_word();
    report.pc = core.pc();
    report.first_word = static_cast<std::uint32_t>(core.first_word);
    report.instructions = core.processor.words();
    if (core.processor.state() == LaneState::blocked) report.instructions += core.devices.waits_for_data() ? 1 : 2;
    report.cycle = core.clock;
    report.packet_table = core.devices.table();
    report.preempt_entry = core.devices.preempt_entry();
    report.unread_words = core.devices.ring.size() - core.devices.ring_position;
    if (impl_->images.size() == 2 && &core != &impl_->cores.front()) report.fed_by = impl_->cores.front().name;
    for (std::size_t i = 0; i < Devices::counter_count; ++i) {
      const Devices::Counter& counter = core.devices.counters()[i];
      if (counter.count != 0 || counter.instructions != 0)
        report.counters.push_back({counter_names[i], counter.count, counter.instructions});
    }
    reports.push_back(std::move(report));
  }
  return reports;
}

RunReport Emulator::run(std::span<const std::uint32_t> ring) {
  const CoreStream first{0, ring};
  return run({&first, 1}).value();
}

Result<void> Emulator::write_memory(std::uint64_t address, std::span<const std::uint32_t> words) {
  for (std::size_t i = 0; i < words.size(); ++i)
    if (!impl_->board.memory.write(address + i * word_bytes, words[i]))
      return fail("AF115", fmt::format("the memory limit of {} bytes is reached", impl_->options.memory_bytes));
  return {};
}
std::uint32_t Emulator::read_memory(std::uint64_t address) const { return impl_->board.memory.read(address); }
void Emulator::write_register(std::uint32_t number, std::uint32_t value) {
  impl_->board.write_gpu(number % gpu_registers, value);
}
std::uint32_t Emulator::read_register(std::uint32_t number) const { return impl_->board.gpu[number % gpu_registers]; }
std::uint32_t Emulator::read_control(std::size_t core, std::uint32_t number) const {
  return core < impl_->cores.size() ? impl_->cores[core].devices.control(number) : 0;
}

Result<RunReport> Emulator::run(std::span<const CoreStream> streams) {
  if (auto begun = begin(streams); !begun) return fail(std::move(begun).error());
  impl_->go(impl_->options.instructions);
  return impl_->report();
}

Result<void> Emulator::begin(std::span<const CoreStream> streams) {
  for (const CoreStream& stream : streams)
    if (stream.core >= impl_->cores.size())
      return fail("AF166", fmt::format("there is no core {}; the firmware has {}", stream.core, impl_->cores.size()));
  impl_->begin(streams);
  return {};
}
bool Emulator::step() { return impl_->step(); }
RunReport Emulator::report() const { return impl_->report(); }

std::uint32_t Emulator::next_word(std::size_t core) const {
  return core < impl_->cores.size() ? impl_->cores[core].pc() : 0;
}

std::uint32_t Emulator::call_depth(std::size_t core) const {
  return core < impl_->cores.size() ? impl_->cores[core].devices.call_depth() : 0;
}

std::span<const std::string> Emulator::register_names() const { return afuc::register_names(); }

std::vector<std::uint32_t> Emulator::registers(std::size_t core) const {
  std::vector<std::uint32_t> values;
  if (core >= impl_->cores.size()) return values;
  for (const ir::Slot& slot : register_slots()) values.push_back(impl_->cores[core].processor.read_u32(slot.byte));
  return values;
}

void Emulator::set_register(std::size_t core, std::size_t number, std::uint32_t value) {
  if (core < impl_->cores.size() && number < register_slots().size())
    impl_->cores[core].processor.write_u32(register_slots()[number].byte, value);
}

std::string Emulator::meaning(std::size_t core, std::size_t number, std::uint32_t value,
                              std::optional<std::uint32_t> word) const {
  if (core >= impl_->cores.size()) return {};
  const EmulatedCore& chosen = impl_->cores[core];
  if (word && *word >= chosen.first_word && *word - chosen.first_word < chosen.words.size())
    if (std::string said = result_meaning(impl_->board.map, chosen.words[*word - chosen.first_word], number, value);
        !said.empty())
      return said;
  return register_meaning(impl_->board.map, chosen.devices.kind(), number, value);
}

Result<std::uint32_t> Emulator::register_named(std::string_view name) const {
  const auto ends_name = [](char c) { return c <= ' ' || c > '~' || c == ';'; };
  if (std::ranges::any_of(name, ends_name)) return fail("PM004", shown(name) + " is not a GPU register");
  const std::string line = fmt::format(".reg {} 0", name);
  auto stream = pm4::assemble({{}, line}, impl_->chip);
  if (!stream) {
    Diagnostic error = std::move(stream).error().front();
    error.where = {};
    return fail(std::move(error));
  }
  if (stream->registers.size() != 1) return fail("PM004", shown(name) + " is not a GPU register");
  return stream->registers.front().number;
}

Result<std::uint32_t> Emulator::control_named(std::string_view name) const {
  const std::size_t plus = name.find('+');
  std::string_view base = name.substr(0, plus);
  if (base.starts_with('@')) base.remove_prefix(1);
  std::uint32_t offset = 0;
  if (plus != std::string_view::npos) {
    std::string_view number = name.substr(plus + 1);
    const bool hexadecimal = number.starts_with("0x");
    if (hexadecimal) number.remove_prefix(2);
    const auto parsed = std::from_chars(number.data(), number.data() + number.size(), offset, hexadecimal ? 16 : 10);
    if (parsed.ec != std::errc() || parsed.ptr != number.data() + number.size())
      return fail("AF128", fmt::format("{} is not a number", name.substr(plus + 1)));
  }
  const Map map = impl_->board.map;
  const auto meanings = control_registers_named(map, base, Names::any);
  if (meanings.size() == 1) return meanings.front().number + offset;
  if (!meanings.empty())
    return fail("AF136", fmt::format("releases of Mesa mean different control registers by {}", base),
                fmt::format("mobula isa afuc {} lists them; give the number", base));
  Nearest nearest(base);
  for (const std::string_view each : control_register_names(map)) nearest.offer(each);
  const std::string hint = nearest.hint();
  return fail("AF128", fmt::format("{} is not a control register of {}", base, impl_->chip),
              hint.empty() ? "give its number" : hint);
}

std::string Emulator::name_of(const Event& event) const {
  const Map map = impl_->board.map;
  const auto number = static_cast<unsigned>(event.address);
  switch (event.kind) {
    case Event::Kind::packet:
      return packet_name(number);
    case Event::Kind::gpu_write:
    case Event::Kind::gpu_read:
    case Event::Kind::violation:
      return gpu_register(map, number);
    case Event::Kind::pipe_select:
    case Event::Kind::pipe_write:
      return std::string(pipe_register(map, number));
    case Event::Kind::control_write: {
      const bool is_me = event.core < impl_->cores.size() && impl_->cores[event.core].devices.kind() == CoreKind::me;
      const RegisterName found = is_me && is_of_pfp_alone(map, number) ? RegisterName{} : control_register(map, number);
      std::string text(found.name);
      if (found && found.offset != 0) text += fmt::format("+{:#x}", found.offset);
      return text;
    }
    case Event::Kind::memory_write:
    case Event::Kind::memory_read:
    case Event::Kind::sds_word:
    case Event::Kind::forward:
    case Event::Kind::error:
    case Event::Kind::interrupt:
      return {};
  }
  return {};
}
std::string Emulator::packet_name(std::uint32_t entry) const { return packet_or_number(impl_->board.map, entry); }
std::string_view Emulator::chip() const { return impl_->chip; }

std::vector<firmware::Doubt> Emulator::doubts() const {
  const auto is_doubtful = [](Status status) { return status == Status::inferred || status == Status::unknown; };
  std::vector<firmware::Doubt> found;
  for (std::size_t i = 0; i < impl_->cores.size(); ++i) {
    const EmulatedCore& core = impl_->cores[i];
    const auto program = lift(core.words, generation_of(impl_->board.map), impl_->options.policies);
    if (!program) continue;  // the policies are those of the start
    std::map<std::uint32_t, firmware::Doubt> by_word;
    constexpr std::uint32_t header_words = 2;  // do nothing, whatever they are (3.11)
    core.processor.for_each_executed([&](std::uint64_t address, std::uint64_t) {
      const auto block = std::lower_bound(program->blocks.begin(), program->blocks.end(), address,
                                          [](const ir::Block& each, std::uint64_t at) { return each.address < at; });
      if (block == program->blocks.end() || block->address != address || !is_doubtful(block->fidelity)) return;
      const auto word = static_cast<std::uint32_t>(word_of_block(address));
      if (word < header_words) return;
      firmware::Doubt& doubt =
          by_word.try_emplace(word, firmware::Doubt{.core = i, .word = word, .status = Status::inferred}).first->second;
      if (block->fidelity == Status::unknown) doubt.status = Status::unknown;
      for (const ir::FidelityNote& note : program->notes)
        if (note.block == block - program->blocks.begin() &&
            std::find(doubt.reasons.begin(), doubt.reasons.end(), note.text) == doubt.reasons.end())
          doubt.reasons.push_back(note.text);
    });
    for (auto& [word, doubt] : by_word) found.push_back(std::move(doubt));
    for (const std::uint32_t number : core.devices.doubtful_registers())
      found.push_back({.core = i,
                       .word = {},
                       .control = number,
                       .status = Status::inferred,
                       .reasons = {"what the register does is known from what images do with it"}});
  }
  return found;
}

std::vector<ProfileRow> Emulator::profile() const {
  std::vector<ProfileRow> rows;
  for (const EmulatedCore& core : impl_->cores) {
    if (core.devices.profile() == nullptr) continue;
    const auto& stacks = core.devices.profile()->stacks();
    for (const CoreProfile::Stack& stack : stacks) {
      if (stack.spent == Spent{}) continue;
      ProfileRow row{{}, stack.spent};
      for (const CoreProfile::Stack* at = &stack; at->depth != 0; at = &stacks[at->below])
        row.stack.push_back(at->depth == 1 && at->packet ? packet_name(at->what) : fmt::format("fxn{}", at->what));
      row.stack.push_back(core.name);
      std::reverse(row.stack.begin(), row.stack.end());
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

std::vector<Spent> Emulator::spent(std::size_t core) const {
  if (core >= impl_->cores.size()) return {};
  const CoreProfile* const profile = impl_->cores[core].devices.profile();
  std::vector<Spent> words;
  if (profile != nullptr) words = profile->words();
  words.resize(impl_->words_of(core));
  return words;
}

std::vector<std::uint64_t> Emulator::executions(std::size_t core) const {
  if (core >= impl_->cores.size()) return {};
  const EmulatedCore& chosen = impl_->cores[core];
  std::vector<std::uint64_t> counts(impl_->words_of(core), 0);
  chosen.processor.for_each_executed([&](std::uint64_t address, std::uint64_t executions) {
    if (word_of_block(address) < counts.size()) counts[word_of_block(address)] += executions;
  });
  return counts;
}

Result<std::unique_ptr<firmware::Emulator>> create_emulator(std::vector<std::vector<std::uint32_t>> images,
                                                            EmulatorOptions options) {
  auto emulator = Emulator::create(std::move(images), std::move(options));
  if (!emulator) return fail(std::move(emulator).error());
  return std::unique_ptr<firmware::Emulator>(std::make_unique<Emulator>(std::move(*emulator)));
}

}  // namespace mobula::afuc
