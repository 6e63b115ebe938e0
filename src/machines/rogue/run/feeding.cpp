#include "machines/rogue/run/feeding.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>

namespace mobula::rogue {
namespace {

/// The number after a prefix: "vi12" with "vi" is 12; nothing for other names.
std::optional<std::uint32_t> number_behind(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return std::nullopt;
  std::uint32_t number = 0;
  const char* const last = name.data() + name.size();
  const auto [end, error] = std::from_chars(name.data() + prefix.size(), last, number);
  return error == std::errc{} && end == last ? std::optional(number) : std::nullopt;
}

/// What the lifter counts with, and no program writes first.
bool begins_at_zero(std::string_view name) {
  constexpr std::array<std::string_view, 10> names{"masked",  "done",  "base.cf",    "base.sh", "mutexes",
                                                   "visible", "depth", "next_phase", "asleep",  "wakings"};
  return name.starts_with("drc.") || std::find(names.begin(), names.end(), name) != names.end();
}

/// Numbers of special registers: Rogue reference 1.4.
enum : std::uint32_t {
  face_orient = 44,
  cluster_num = 45,
  slot_num = 48,
  task_id = 47,
  inst_num = 51,
  samp_num = 53,
  inst_valid = 63,
  x_p = 97,
  x_s = 98,
  y_p = 100,
  y_s = 101,
  wg_id = 102,
  local_addr_inst_num = 112
};

constexpr std::uint32_t task_lanes = 32, coefficients_of_a_set = 4;

constexpr std::array<std::string_view, 4> ids_of_threads{"gl_VertexID", "gl_InstanceID", "gl_LocalInvocationID",
                                                         "gl_WorkGroupID"};

std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }
float number(std::uint32_t word) { return std::bit_cast<float>(word); }

/// A, B, C with A x + B y + C = value, x and y in pixels.
using Plane = std::array<float, 3>;

/// The plane through the left-top, right-top and left-bottom corner of the image.
Plane plane_through(const std::array<RunVec4, 4>& corners, std::size_t component, ImageSize size) {
  const double left_top = number(corners[0][component]), right_top = number(corners[1][component]),
               left_bottom = number(corners[2][component]);
  return {static_cast<float>((right_top - left_top) / size.width),
          static_cast<float>((left_bottom - left_top) / size.height), static_cast<float>(left_top)};
}

class Registers {
 public:
  explicit Registers(const FedRun& run);
  void fill(Interpreter& interpreter, const BatchLanes& lanes) const;
  /// Nothing where fragments differ by more than their places.
  [[nodiscard]] std::optional<InitialState::OfPicture> of_picture() const;

 private:
  using Bytes = std::vector<std::uint32_t>;  ///< by register number: byte of the state
  void fill_vertex_inputs(Interpreter& interpreter, const BatchLanes& lanes) const;
  void fill_coefficients(Interpreter& interpreter, const BatchLanes& lanes) const;
  // What is the same for all, to something with broadcast_u32().
  template <class To>
  void fill_lifted(To& to) const;
  template <class To>
  void fill_place(To& to) const;
  template <class To>
  void fill_planes(To& to) const;
  template <class To>
  void fill_shared(To& to) const;
  template <class Write>
  void put_plane(std::uint64_t set, const Plane& plane, Write write) const;
  void fill_specials(Interpreter& interpreter, const BatchLanes& lanes) const;
  [[nodiscard]] std::optional<std::uint32_t> input_named(std::string_view name) const;
  /// What the inputs give under that name, if they do.
  [[nodiscard]] const std::vector<RunVec4>* given_as(std::string_view name) const;

  FedRun run_;
  Bytes vertex_inputs_, coefficients_, shared_;
  std::map<std::uint32_t, std::uint32_t> specials_;  ///< number to byte
  std::vector<std::uint32_t> zeros_;                 ///< what the hardware starts with
};

Registers::Registers(const FedRun& run) : run_(run) {
  for (const ir::Slot& slot : run.lifted.slots) {
    const auto append = [&](Bytes& list, std::string_view prefix) {
      if (number_behind(slot.name, prefix) == list.size()) list.push_back(slot.byte);
    };
    append(vertex_inputs_, "vi");
    append(coefficients_, "cf");
    append(shared_, "sh");
    if (const auto special = number_behind(slot.name, "sr")) specials_[*special] = slot.byte;
    if (begins_at_zero(slot.name)) zeros_.push_back(slot.byte);
  }
}

template <class To>
void Registers::fill_lifted(To& to) const {
  for (const std::uint32_t byte : zeros_) to.broadcast_u32(byte, 0);
  for (const auto& [name, shift] : {std::pair{"memory.low", 0U}, {"memory.high", 32U}})
    if (const ir::Slot* const slot = run_.lifted.find_slot(name))
      to.broadcast_u32(slot->byte, static_cast<std::uint32_t>(run_.workgroup_local_address >> shift));
}

void Registers::fill(Interpreter& interpreter, const BatchLanes& lanes) const {
  fill_lifted(interpreter);
  fill_vertex_inputs(interpreter, lanes);
  fill_coefficients(interpreter, lanes);
  fill_shared(interpreter);
  fill_specials(interpreter, lanes);
}

/// Attribute n fills vi n to vi n + 3; where several meet, the highest wins. Numbers of vertex and instance, which the
/// inputs need not give, fill one, those of threads and workgroups three.
void Registers::fill_vertex_inputs(Interpreter& interpreter, const BatchLanes& lanes) const {
  const std::span threads = lanes.threads();
  const std::span inputs = lanes.inputs();
  for (const auto& [name, id] :
       {std::pair{"gl_VertexID", &Thread::vertex}, std::pair{"gl_InstanceID", &Thread::instance}})
    if (const auto number = input_named(name); number && *number < vertex_inputs_.size())
      for (std::uint32_t lane = 0; lane < lanes.count(); ++lane)
        interpreter.write_u32(lane, vertex_inputs_[*number], threads[lane].*id);
  for (const auto& [name, id] :
       {std::pair{"gl_LocalInvocationID", &Thread::local_id}, std::pair{"gl_WorkGroupID", &Thread::group_id}})
    if (const auto number = input_named(name))
      for (std::uint32_t i = 0; i < 3 && std::uint64_t{*number} + i < vertex_inputs_.size(); ++i)
        for (std::uint32_t lane = 0; lane < lanes.count(); ++lane)
          interpreter.write_u32(lane, vertex_inputs_[*number + i], (threads[lane].*id)[i]);
  for (const auto& [first, values] : run_.inputs.attributes)
    for (std::uint32_t lane = 0; lane < lanes.count(); ++lane) {
      const std::size_t index = values.size() == 1 ? 0 : std::min<std::size_t>(inputs[lane], values.size() - 1);
      for (std::uint32_t i = 0; i < 4 && std::uint64_t{first} + i < vertex_inputs_.size(); ++i)
        interpreter.write_u32(lane, vertex_inputs_[first + i], values[index][i]);
    }
}

template <class Write>
void Registers::put_plane(std::uint64_t set, const Plane& plane, Write write) const {
  for (std::uint32_t i = 0; i < coefficients_of_a_set; ++i) {
    const std::uint64_t at = set * coefficients_of_a_set + i;
    if (at < coefficients_.size()) write(coefficients_[at], i < 3 ? bits(plane[i]) : 0);
  }
}

/// The pixel's depth and 1/w, which the inputs need not give.
template <class To>
void Registers::fill_place(To& to) const {
  if (const auto place = input_named("gl_FragCoord"))
    for (const auto& [component, value] : {std::pair{2U, 0.5F}, std::pair{3U, 1.0F}})
      put_plane(std::uint64_t{*place} + component, {0, 0, value},
                [&](std::uint32_t byte, std::uint32_t bits) { to.broadcast_u32(byte, bits); });
}

template <class To>
void Registers::fill_planes(To& to) const {
  if (!run_.image) return;
  for (const auto& [first, corners] : run_.inputs.corners)
    for (std::uint32_t i = 0; i < 4; ++i)
      put_plane(std::uint64_t{first} + i, plane_through(corners, i, *run_.image),
                [&](std::uint32_t byte, std::uint32_t value) { to.broadcast_u32(byte, value); });
}

/// Component c of varying n is coefficient set n + c.
void Registers::fill_coefficients(Interpreter& interpreter, const BatchLanes& lanes) const {
  const std::span inputs = lanes.inputs();
  fill_place(interpreter);
  for (const auto& [first, values] : run_.inputs.varyings)
    for (std::uint32_t lane = 0; lane < lanes.count(); ++lane) {
      const std::size_t index = values.size() == 1 ? 0 : std::min<std::size_t>(inputs[lane], values.size() - 1);
      for (std::uint32_t i = 0; i < 4; ++i)
        put_plane(std::uint64_t{first} + i, {0, 0, number(values[index][i])},
                  [&](std::uint32_t byte, std::uint32_t value) { interpreter.write_u32(lane, byte, value); });
    }
  fill_planes(interpreter);
}

/// Word n of uniform buffer k is sh k + n.
template <class To>
void Registers::fill_shared(To& to) const {
  for (const auto& [first, bytes] : run_.uniform_buffers)
    for (std::size_t i = 0; first + i < shared_.size() && 4 * i + 4 <= bytes.size(); ++i)
      to.broadcast_u32(shared_[first + i], bytes[4 * i] | std::uint32_t{bytes[4 * i + 1]} << 8 |
                                               std::uint32_t{bytes[4 * i + 2]} << 16 |
                                               std::uint32_t{bytes[4 * i + 3]} << 24);
}

std::optional<std::uint32_t> Registers::input_named(std::string_view name) const {
  for (const Variable& each : run_.interface.inputs)
    if (each.name == name && each.driver_location >= 0) return static_cast<std::uint32_t>(each.driver_location);
  return std::nullopt;
}

const std::vector<RunVec4>* Registers::given_as(std::string_view name) const {
  const auto number = input_named(name);
  const auto given = number ? run_.inputs.varyings.find(*number) : run_.inputs.varyings.end();
  return given == run_.inputs.varyings.end() ? nullptr : &given->second;
}

/// A fragment's triangle faces the eye, and the fragment is where its thread is, unless the inputs say otherwise by the
/// names of GLSL; a helper's place is its own.
void Registers::fill_specials(Interpreter& interpreter, const BatchLanes& lanes) const {
  const std::span threads = lanes.threads();
  const std::vector<RunVec4>*const faces = given_as("gl_FrontFacing"), *const places = given_as("gl_FragCoord");
  const auto of_lane = [&](const std::vector<RunVec4>& given, std::uint32_t lane) -> const RunVec4& {
    return given[std::min<std::size_t>(lanes.inputs()[lane], given.size() - 1)];
  };
  for (const auto& [special, byte] : specials_)
    for (std::uint32_t lane = 0; lane < lanes.count(); ++lane) {
      const Thread& thread = threads[lane];
      const auto put = [&interpreter, lane, at = byte](std::uint32_t value) { interpreter.write_u32(lane, at, value); };
      switch (special) {
        case face_orient:
          put(faces == nullptr || of_lane(*faces, lane)[0] != 0 ? 0 : 1);
          break;
        case samp_num:
        case cluster_num:
          put(0);
          break;
        case slot_num:  // of those that run at once
          put(lane / task_lanes);
          break;
        case task_id:
          put(thread.index / task_lanes);
          break;
        case inst_num:
        case local_addr_inst_num:
          put(lane % task_lanes);
          break;
        case inst_valid:
          put(thread.helper ? 0 : 1);
          break;
        case x_p:
        case x_s:
          put(places == nullptr || thread.helper ? bits(thread.x) : of_lane(*places, lane)[0]);
          break;
        case y_p:
        case y_s:
          put(places == nullptr || thread.helper ? bits(thread.y) : of_lane(*places, lane)[1]);
          break;
        case wg_id:
          put(thread.group_id[0]);
          break;
        default:  // the inputs may give it under `slots`
          break;
      }
    }
}

std::optional<InitialState::OfPicture> Registers::of_picture() const {
  if (!run_.inputs.attributes.empty() || !run_.inputs.varyings.empty()) return std::nullopt;
  for (const std::string_view id : ids_of_threads)
    if (input_named(id)) return std::nullopt;
  struct Writer {
    InitialState::OfPicture written;
    void broadcast_u32(std::uint32_t byte, std::uint32_t value) { written.words.push_back({byte, value}); }
  } writer;
  fill_lifted(writer);
  fill_place(writer);
  fill_planes(writer);
  fill_shared(writer);
  for (const auto& [special, byte] : specials_) switch (special) {
      case face_orient:
      case samp_num:
      case cluster_num:
        writer.broadcast_u32(byte, 0);
        break;
      case x_p:
      case x_s:
        writer.written.places.push_back({byte, 0});
        break;
      case y_p:
      case y_s:
        writer.written.places.push_back({byte, 1});
        break;
      case slot_num:
      case task_id:
      case inst_num:
      case local_addr_inst_num:
      case inst_valid:
      case wg_id:
        return std::nullopt;
      default:  // the inputs may give it under `slots`
        break;
    }
  return std::move(writer.written);
}

/// What every run has, whatever the inputs give.
bool given_by_the_run(std::string_view name) {
  return std::find(ids_of_threads.begin(), ids_of_threads.end(), name) != ids_of_threads.end() ||
         name == "gl_FragCoord" || name == "gl_FrontFacing";
}

/// RN012 for each input of the program that nothing gives: inputs are registers, which a thread reads as they are.
Diagnostics missing_inputs(const FedRun& run) {
  const bool is_vertex = run.interface.stage == Stage::vertex;
  Diagnostics found;
  for (const Variable& each : run.interface.inputs) {
    if (each.driver_location < 0 || given_by_the_run(each.name)) continue;
    const auto number = static_cast<std::uint32_t>(each.driver_location);
    if (run.inputs.attributes.contains(number) || run.inputs.varyings.contains(number) ||
        run.inputs.corners.contains(number))
      continue;
    found.push_back({Severity::warning,
                     "RN012",
                     {},
                     std::string("the inputs give no ") + (is_vertex ? "attribute " : "varying ") +
                         std::to_string(number) + " (" + each.name + "); it is 0",
                     is_vertex ? "give it under attributes" : "give it under varyings or corners"});
  }
  return found;
}

/// RN021 for corners that are those of no plane, such as (x, y) of a saddle: what iterates has three coefficients.
Diagnostics uneven_corners(const FedRun& run) {
  Diagnostics found;
  for (const Variable& each : run.interface.inputs) {
    const auto at = run.inputs.corners.find(static_cast<std::uint32_t>(each.driver_location));
    const bool is_integer = each.type.starts_with("i") || each.type.starts_with("u") || each.type.starts_with("b");
    if (!run.image || each.driver_location < 0 || is_integer || at == run.inputs.corners.end()) continue;
    for (std::size_t i = 0; i < 4; ++i) {
      const auto corner = [&](std::size_t which) -> double { return number(at->second[which][i]); };
      const double size = std::max({std::fabs(corner(0)), std::fabs(corner(1)), std::fabs(corner(2))});
      constexpr double rounding = 1e-5;
      if (std::fabs(corner(1) + corner(2) - corner(0) - corner(3)) <= rounding * std::max(size, std::fabs(corner(3))))
        continue;
      found.push_back({Severity::warning,
                       "RN021",
                       {},
                       "the corners of " + each.name +
                           " are on no plane: the machine has the plane through the first "
                           "three, and the bottom right one is left out",
                       "give bottom left + top right - top left there"});
      break;
    }
  }
  return found;
}

InitialState initial_state(const FedRun& run) {
  InitialState state;
  state.diagnostics = missing_inputs(run);
  std::ranges::move(uneven_corners(run), std::back_inserter(state.diagnostics));
  const Registers registers(run);
  if (run.image) state.of_picture = registers.of_picture();
  state.fill = [registers](Interpreter& interpreter, const BatchLanes& lanes) { registers.fill(interpreter, lanes); };
  return state;
}

}  // namespace

const Feeding& feeding() {
  static constexpr Feeding rogue{.initial_state = initial_state, .positions = Positions::in_clip_space};
  return rogue;
}

}  // namespace mobula::rogue
