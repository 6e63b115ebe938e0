#include "mobula/scoreboard/trace.h"

#include <algorithm>
#include <array>
#include <bit>

#include "core/counted.h"
#include "ir/operands.h"

namespace mobula::scoreboard {
namespace {

constexpr std::uint8_t state_file = 'F' - 'A', scratch_file = 'I' - 'A';
constexpr std::uint32_t trace_register_bytes = 8;
/// Addresses of device registers lie beyond all memory, each device apart.
constexpr std::uint64_t device_space = std::uint64_t{1} << 63;

UnitClass class_of(const ir::Operation& operation) {
  using ir::Op;
  switch (operation.op) {
    case Op::imul:
    case Op::imulhi_s:
    case Op::imulhi_u:
    case Op::fmul:
    case Op::ffma:
      return UnitClass::mul;
    case Op::frcp:
    case Op::frsqrt:
    case Op::fsqrt:
      return UnitClass::div;
    case Op::fexp2:
    case Op::flog2:
    case Op::fsinpi:
    case Op::fcospi:
    case Op::fatan2_base:
    case Op::fatan2_minor:
    case Op::fatan2_recip:
    case Op::fatan2_final:
    case Op::ddx:
    case Op::ddy:
      return UnitClass::special;
    // what an adder or less does
    case Op::mov:
    case Op::select:
    case Op::iadd:
    case Op::isub:
    case Op::iadd_sat_s:
    case Op::iadd_sat_u:
    case Op::isub_sat_s:
    case Op::isub_sat_u:
    case Op::imin_s:
    case Op::imin_u:
    case Op::imax_s:
    case Op::imax_u:
    case Op::iavg_s:
    case Op::iavg_u:
    case Op::iravg_s:
    case Op::iravg_u:
    case Op::iabsdiff_s:
    case Op::iabsdiff_u:
    case Op::ishl:
    case Op::ilsr:
    case Op::iasr:
    case Op::ishl_sat_s:
    case Op::ishl_sat_u:
    case Op::iand:
    case Op::ior:
    case Op::ixor:
    case Op::inand:
    case Op::inor:
    case Op::inxor:
    case Op::iandnot:
    case Op::iornot:
    case Op::inot:
    case Op::iclz:
    case Op::ipopcnt:
    case Op::ieq:
    case Op::ine:
    case Op::ilt_s:
    case Op::ile_s:
    case Op::ilt_u:
    case Op::ile_u:
    case Op::fadd:
    case Op::fmin:
    case Op::fmax:
    case Op::fmin_nan:
    case Op::fmax_nan:
    case Op::fneg:
    case Op::fabs:
    case Op::fclamp_pos:
    case Op::fclamp_signed:
    case Op::fclamp_unit:
    case Op::fround:
    case Op::fround_away:
    case Op::feq:
    case Op::fne:
    case Op::flt:
    case Op::fle:
    case Op::f2f:
    case Op::f2i:
    case Op::f2u:
    case Op::i2f:
    case Op::u2f:
    case Op::sext:
    case Op::zext:
    case Op::trunc:
    case Op::sat_s2s:
    case Op::sat_s2u:
    case Op::sat_u2s:
    case Op::sat_u2u:
    case Op::quad_first:
    case Op::task_lane:
    case Op::task_first:
    case Op::barrier:
    case Op::branch:
    case Op::branch_indirect:
    case Op::discard:
    case Op::end:
    case Op::trap:
    case Op::enable:
    case Op::call:
      break;
  }
  return is_float(operation.type) || is_float(source_type(operation)) ? UnitClass::fp : UnitClass::integer;
}

bool is_device(ir::Service service) {
  return service == ir::Service::device_read || service == ir::Service::device_write;
}

std::uint64_t address_space(const ir::Call& call, std::uint64_t address) {
  return is_device(call.service) ? device_space | std::uint64_t{call.index} << 40 | address * 4 : address;
}

}  // namespace

void Trace::watch(Interpreter& interpreter, const ir::Program& program, std::uint32_t lane) {
  InterpreterObserver observer;
  observer.access = [this, lane](std::uint32_t at, const ir::Call& call, std::uint64_t address) {
    if (at == lane) accesses_.push_back({&call, address});
  };
  observer.after = [this, lane, &program, &interpreter](std::uint32_t block, std::span<const std::uint32_t> lanes) {
    // A lane that has to wait, or cannot continue, has not executed the block.
    const LaneState state = interpreter.state(lane);
    if (std::ranges::count(lanes, lane) != 0 && state != LaneState::blocked && state != LaneState::faulted)
      record(program, program.blocks[block], accesses_, [&](std::uint32_t byte) {
        std::array<std::uint8_t, 1> value{};
        interpreter.read(lane, byte, value);
        return value[0];
      });
    accesses_.clear();
  };
  interpreter.set_observer(std::move(observer));
}

void Trace::add(const ExecutedBlock& executed) {
  record(executed.program, executed.block, executed.accesses, [&](std::uint32_t byte) { return executed.state[byte]; });
}

void Trace::clear() {
  operations_.clear();
  group_ = 0;
  full_ = false;
}

Result<Workload> Trace::workload(std::string name) const {
  const auto problem = [&](const char* code, std::string message, std::string hint) {
    return fail(Diagnostic{Severity::error, code, {.file = name}, std::move(message), std::move(hint)});
  };
  if (full_)
    return problem("SB142", "the run takes more than " + std::to_string(options_.max_operations) + " micro-operations",
                   "inputs that need fewer steps");
  if (operations_.empty()) return problem("SB140", "the thread executed no micro-operation", "");
  const std::uint32_t most_registers = std::min(options_.most_registers, std::uint32_t{1} << 16);
  if (numbers_.size() > most_registers)
    return problem("SB141",
                   "the run uses " + counted(numbers_.size(), "register") + " of 8 bytes; there are " +
                       std::to_string(most_registers),
                   "--spill-to " + std::to_string(file_registers) + ", or fewer, keeps the others in memory");
  Workload workload;
  workload.name = std::move(name);
  workload.operations = operations_;
  return workload;
}

void Trace::record(const ir::Program& program, const ir::Block& block, Accesses accesses, const ReadByte& read) {
  if (operations_.size() >= options_.max_operations) {
    full_ = true;
    return;
  }
  program_ = &program;
  scratch_.resize(std::max<std::size_t>(scratch_.size(), program.state_bytes - program.temporary_byte));
  ++group_;
  location_ = static_cast<std::uint32_t>(block.address);
  for (std::uint32_t i = 0; i < block.count; ++i) {
    const ir::Operation& operation = program.operations[block.first + i];
    if (operation.op == ir::Op::call)
      add_call(operation, accesses);
    else if (is_control(operation.op) && add_control(block, operation, read))
      return;
    else if (!is_control(operation.op))
      add_operation(operation);
  }
}

void Trace::add_operation(const ir::Operation& operation) {
  Operands sources;
  for (const ir::Operand source : operation.src) append_read(sources, source, bytes_of(source_type(operation)));
  const std::uint32_t width = bytes_of(result_type(operation));
  emit(class_of(operation), width, std::move(sources), written(operation.dst, width));
}

/// An operation for each register that data come from or go to. Takes what it accesses from the front of `accesses`.
void Trace::add_call(const ir::Operation& operation, Accesses& accesses) {
  const ir::Call& call = program_->calls[operation.extra];
  Operands arguments;
  std::vector<ir::Access> results;
  ir::for_each_access(*program_, operation, [&](const ir::Access& access) {
    if (access.role == "data") return;
    if (access.is_write)
      results.push_back(access);
    else
      append_read(arguments, access.operand, access.bytes());
  });
  const bool ordered = ir::has_address(call.service) && !accesses.empty();
  std::uint64_t address = 0;
  if (ordered) {
    address = address_space(call, accesses.front().address);
    accesses = accesses.subspan(1);
  }
  const std::uint32_t bytes = call.count * bytes_of(call.type);
  const auto part = [&](std::uint32_t offset, std::uint32_t width) {
    Operation more;
    if (!ordered) return more;
    more.memory_bytes = static_cast<std::uint8_t>(width);
    more.address = address + offset;
    return more;
  };
  std::uint32_t offset = 0;
  switch (ir::info(call.service).data) {
    case ir::DataUse::loads:
      for (const RegisterBytes& reg : written(call.data, bytes)) {
        emit(UnitClass::load, reg.bytes, arguments, {reg}, part(offset, reg.bytes));
        if (call.service == ir::Service::atomic) emit(UnitClass::store, reg.bytes, {reg}, {}, part(offset, reg.bytes));
        offset += reg.bytes;
      }
      break;
    case ir::DataUse::stores: {
      Operands data;
      append_read(data, call.data, bytes);
      if (data.empty()) emit(UnitClass::store, bytes_of(call.type), arguments, {}, part(0, std::min(bytes, 8u)));
      for (const RegisterBytes& reg : data) {
        Operands sources{reg};
        sources.insert(sources.end(), arguments.begin(), arguments.end());
        emit(UnitClass::store, reg.bytes, std::move(sources), {}, part(offset, reg.bytes));
        offset += reg.bytes;
      }
      break;
    }
    case ir::DataUse::none:
      if (results.empty()) emit(UnitClass::special, 4, arguments, {});
      break;
  }
  for (const ir::Access& result : results)
    emit(UnitClass::load, result.bytes(), arguments, written(result.operand, result.bytes()));
}

/// True if nothing after it in its block was executed.
bool Trace::add_control(const ir::Block& block, const ir::Operation& operation, const ReadByte& read) {
  // Traps are the emulator's, barriers are not waited for, and a thread that ends has nothing after it.
  const bool ends = operation.op == ir::Op::end || operation.op == ir::Op::discard;
  if (operation.op == ir::Op::trap || operation.op == ir::Op::barrier) return false;
  if (ends && operation.src[0].is_none()) return true;
  const std::uint32_t width = bytes_of(operation.type);
  const bool indirect = operation.op == ir::Op::branch_indirect;
  Operation more;
  more.taken = operation.src[0].is_none() || indirect;
  if (!more.taken) {
    const std::uint32_t byte = operation.src[0].byte();
    const std::uint8_t low = operation.src[0].is_constant() ? program_->constants[byte] : read(byte);
    more.taken = (low & 1) != 0;
  }
  const bool back = !ends && !indirect && program_->blocks[operation.extra].address <= block.address;
  const bool guess = operation.src[0].is_none() || back;
  const bool right = options_.predictor == Predictor::perfect || (!indirect && guess == more.taken);
  more.prediction = right ? Prediction::right : Prediction::wrong;
  Operands sources;
  append_read(sources, operation.src[0], width);
  emit(UnitClass::branch, width, std::move(sources), {}, more);
  return more.taken;
}

void Trace::emit(UnitClass unit, std::uint32_t width, Operands sources, const Operands& destinations, Operation more) {
  // What takes more sources than a unit has gathers the first ones in a register of its own before.
  while (sources.size() > max_sources) {
    const RegisterBytes gathered{.file = scratch_file, .bytes = 8, .number = static_cast<std::uint16_t>(fresh())};
    const auto end = sources.begin() + max_sources;
    emit(UnitClass::integer, 8, Operands(sources.begin(), end), {gathered});
    sources.erase(sources.begin(), end - 1);
    sources.front() = gathered;
  }
  more.id = static_cast<std::uint32_t>(operations_.size());
  more.unit = unit;
  more.width = static_cast<std::uint8_t>(std::bit_ceil(width));
  std::ranges::copy(sources, more.sources.begin());
  std::ranges::copy(destinations, more.destinations.begin());
  more.group = group_;
  more.location = location_;
  operations_.push_back(more);
}

RegisterBytes Trace::state_register(std::uint32_t byte) {
  std::uint32_t number = byte / trace_register_bytes;
  if (program_->temporary_byte > file_registers * trace_register_bytes)
    number = numbers_.emplace(number, static_cast<std::uint32_t>(numbers_.size())).first->second;
  return {.file = state_file,
          .first = static_cast<std::uint8_t>(byte % trace_register_bytes),
          .bytes = 1,
          .number = static_cast<std::uint16_t>(number)};
}

/// Bytes that continue the last operand extend it.
void Trace::append_read(Operands& operands, ir::Operand operand, std::uint32_t bytes) {
  if (operand.is_none() || operand.is_constant()) return;
  bool joins = false;  // two operands side by side stay two
  for (std::uint32_t byte = operand.byte(); byte < operand.byte() + bytes; ++byte) {
    RegisterBytes one;
    if (byte < program_->temporary_byte) {
      one = state_register(byte);
    } else {
      const Scratch& at = scratch_[byte - program_->temporary_byte];
      one = {.file = scratch_file, .first = at.byte, .bytes = 1, .number = at.number};
    }
    if (joins && operands.back().file == one.file && operands.back().number == one.number &&
        operands.back().first + operands.back().bytes == one.first)
      ++operands.back().bytes;
    else
      operands.push_back(one);
    joins = true;
  }
}

Trace::Operands Trace::written(ir::Operand operand, std::uint32_t bytes) {
  Operands operands;
  if (operand.is_none()) return operands;
  if (operand.byte() >= program_->temporary_byte) {
    for (std::uint32_t i = 0; i < bytes; i += trace_register_bytes) {
      const auto number = static_cast<std::uint8_t>(fresh());
      for (std::uint32_t k = i; k < std::min(bytes, i + trace_register_bytes); ++k)
        scratch_[operand.byte() + k - program_->temporary_byte] = {number, static_cast<std::uint8_t>(k - i)};
    }
  }
  append_read(operands, operand, bytes);
  return operands;
}

std::uint32_t Trace::fresh() { return next_scratch_++ % file_registers; }

Result<Workload> record_thread(const Program& program, const ir::Program& lifted, const RunInputs& inputs,
                               std::uint32_t thread, TraceOptions options) {
  Result<Run> run = Run::prepare(program, lifted, inputs, {});
  if (!run) return fail(std::move(run).error());
  std::uint32_t threads = 0;
  for (std::uint32_t i = 0; i < run->batches(); ++i) {
    Run::Batch batch = run->start(i);
    for (std::uint32_t lane = 0; lane < batch.interpreter().lanes(); ++lane) {
      if (!batch.input(lane)) continue;
      ++threads;
      if (batch.input(lane) != thread) continue;
      Trace trace(options);
      trace.watch(batch.interpreter(), lifted, lane);
      batch.interpreter().run();
      run->finish(batch);
      Diagnostics faults = run->result().diagnostics;
      if (has_errors(faults)) return fail(std::move(faults));
      return trace.workload(program.file);
    }
  }
  return fail("SB144", "there is no thread " + std::to_string(thread) + "; the run has " + std::to_string(threads),
              "threads count from 0");
}

Result<Workload> record_firmware(std::span<const Program> images, const firmware::Feed& feed, std::size_t core,
                                 firmware::EmulatorOptions emulator, TraceOptions options) {
  Trace trace(options);
  emulator.on_block = [&](std::uint8_t at, const ExecutedBlock& executed) {
    if (at == core) trace.add(executed);
  };
  const auto machine = firmware::switch_on(images, std::move(emulator));
  if (!machine) return fail(machine.error());
  const std::string& file = images.front().file;
  const auto failed = [](Diagnostics found, const std::string& where) {
    for (Diagnostic& each : found)
      if (each.where.file.empty()) each.where.file = where;
    return fail(std::move(found));
  };
  (*machine)->boot();
  const std::vector<firmware::CoreReport> booted = (*machine)->cores();
  if (Diagnostics found = firmware::complaints(booted); has_errors(found)) return failed(std::move(found), file);
  if (core >= booted.size())
    return fail("AF166",
                "there is no core " + std::to_string(core) + "; the firmware has " + std::to_string(booted.size()),
                "cores count from 0");
  for (const pm4::Buffer& buffer : feed.memory)
    if (auto written = (*machine)->write_memory(buffer.address, buffer.words); !written)
      return fail(std::move(written).error());
  if (!feed.rounds.empty()) trace.clear();
  for (const std::vector<firmware::StreamInput>& streams : feed.rounds) {
    const auto round = firmware::process(**machine, streams);
    if (!round) return fail(round.error());
    if (Diagnostics found = firmware::complaints(*round); has_errors(found))
      return failed(std::move(found), streams.front().file);
  }
  return trace.workload(file);
}

}  // namespace mobula::scoreboard
