// What an operation reads and writes, calls and textures included: the one description that effects, the verifier, the
// passes and the printer share.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/export.h"
#include "mobula/isa/ir.h"

namespace mobula::ir {

/// What a service does with the elements at Call::data.
enum class DataUse : std::uint8_t { none, loads, stores };

/// One of Call::args.
struct Argument {
  enum class Need : std::uint8_t { absent, optional, required };
  Need need = Need::absent;
  Type type = Type::i32;
  bool has_call_type = false;  ///< of Call::type, not `type`
  bool is_written = false;
};

struct ServiceInfo {
  DataUse data = DataUse::none;
  std::array<Argument, 4> args;
};
MOBULA_INTERNAL const ServiceInfo& info(Service service);

/// `count` elements of `type` that an operation reads or writes.
struct Access {
  Operand operand;
  Type type = Type::i32;
  std::uint32_t count = 1;
  bool is_write = false;
  std::string_view role;  ///< "source a", "data", "argument 2", "coordinate x" ...
  [[nodiscard]] std::uint32_t bytes() const { return count * bytes_of(type); }
};

namespace detail {
template <class Visit>
void visit_texture(const Texture& texture, Visit visit) {
  constexpr std::array<std::string_view, 4> coordinates{"coordinate x", "coordinate y", "coordinate z", "coordinate w"};
  constexpr std::array<std::string_view, 3> rows{"ddx x", "ddx y", "ddx z"}, columns{"ddy x", "ddy y", "ddy z"};
  constexpr std::array<std::string_view, 3> offsets{"offset x", "offset y", "offset z"};
  const Type number = texture.kind == Texture::Kind::fetch ? Type::i32 : Type::f32;
  for (std::size_t i = 0; i < 4; ++i) {
    const bool is_cube_face = texture.shape == Texture::Shape::cube && i == 0;
    visit({.operand = texture.coordinate[i], .type = is_cube_face ? Type::i32 : number, .role = coordinates[i]});
  }
  visit({.operand = texture.lod, .type = number, .role = "lod"});
  for (std::size_t i = 0; i < 3; ++i) visit({.operand = texture.ddx[i], .type = Type::f32, .role = rows[i]});
  for (std::size_t i = 0; i < 3; ++i) visit({.operand = texture.ddy[i], .type = Type::f32, .role = columns[i]});
  for (std::size_t i = 0; i < 3; ++i) visit({.operand = texture.offset[i], .role = offsets[i]});
  visit({.operand = texture.texture, .role = "texture number"});
  visit({.operand = texture.sampler, .role = "sampler number"});
}

template <class Visit>
void visit_call(const Program& program, const Call& call, Visit visit) {
  constexpr std::array<std::string_view, 4> roles{"argument 0", "argument 1", "argument 2", "argument 3"};
  const ServiceInfo& service = info(call.service);
  for (std::size_t i = 0; i < 4; ++i) {
    const Argument& argument = service.args[i];
    visit({.operand = call.args[i],
           .type = argument.has_call_type ? call.type : argument.type,
           .is_write = argument.is_written,
           .role = roles[i]});
  }
  if (call.service == Service::texture) visit_texture(program.textures[call.index], visit);
  visit({.operand = call.data,
         .type = call.type,
         .count = call.count,
         .is_write = service.data == DataUse::loads,
         .role = "data"});
}
}  // namespace detail

/// Calls visit(const Access&) for every operand that is there, reads first. Indices of calls and textures must be in
/// range.
template <class Visit>
void for_each_access(const Program& program, const Operation& operation, Visit visit) {
  constexpr std::array<std::string_view, 3> sources{"source a", "source b", "source c"};
  for (std::size_t i = 0; i < 3; ++i) {
    const Operand source = operation.src[i];
    if (!source.is_none()) visit(Access{.operand = source, .type = source_type(operation), .role = sources[i]});
  }
  if (operation.op == Op::call) {
    for (const bool writes : {false, true}) {
      detail::visit_call(program, program.calls[operation.extra], [&](const Access& access) {
        if (!access.operand.is_none() && access.is_write == writes) visit(access);
      });
    }
  }
  if (!operation.dst.is_none()) {
    visit(Access{.operand = operation.dst, .type = result_type(operation), .is_write = true, .role = "result"});
  }
}

/// Services whose argument 0 is an address, of memory or of a device's registers.
constexpr bool has_address(Service service) {
  return service == Service::load_memory || service == Service::store_memory || service == Service::atomic ||
         service == Service::device_read || service == Service::device_write;
}

/// Control operations that happen where bit 0 of their source is 1, and always where they have none.
constexpr bool is_conditional(Op op) {
  return op == Op::branch || op == Op::discard || op == Op::end || op == Op::trap;
}

/// Nothing after this operation in its block is executed.
constexpr bool always_leaves(const Operation& operation) {
  return operation.op == Op::branch_indirect || (is_conditional(operation.op) && operation.src[0].is_none());
}

}  // namespace mobula::ir
