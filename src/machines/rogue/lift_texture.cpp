#include "machines/rogue/lift_texture.h"

#include <vector>

#include "machines/rogue/lift_fence.h"
#include "machines/rogue/lift_iterate.h"

namespace mobula::rogue::lifting {
namespace {

constexpr unsigned state_words = 4, colour_words = 4;
enum : unsigned { lod_normal, lod_bias, lod_replace, lod_gradient };

ir::Texture::Shape shape_of(unsigned dimensions) {
  constexpr std::array shapes{ir::Texture::Shape::d1, ir::Texture::Shape::d1, ir::Texture::Shape::d2,
                              ir::Texture::Shape::d3};
  return shapes[dimensions];
}

/// Words of the data block, in the order Mesa's compiler gives them (reference 5.7).
unsigned data_words(const Item& item) {
  const unsigned lod = item.get(F::lodm) == lod_bias || item.get(F::lodm) == lod_replace ? 1 : 0;
  return item.get(F::dmn) + item.get(F::proj) + lod + item.get(F::array);
}

/// Calls the texture unit and brings the first channels to where late results go.
void sample(GroupContext& context, ir::Texture texture, unsigned texture_number, unsigned sampler_number) {
  ir::Builder& b = context.b;
  context.unknown("the state of textures and samplers is not published; their registers' numbers choose them");
  texture.texture = b.constant_u32(texture_number);
  texture.sampler = b.constant_u32(sampler_number);
  const Operand colour = b.temporary(Type::i32, colour_words);
  b.texture(texture, colour);
  const LateWrites writes = late_writes(context.group);
  std::vector<Operand> channels;
  for (unsigned i = 0; i < writes.count; ++i) channels.push_back(colour.plus(4 * i));
  write_late(context, writes, channels);
}

std::string state_fault(const Register& reg, std::string_view what) {
  if (reg.bank == Bank::shared && reg.index % state_words == 0) return {};
  return "the " + std::string(what) + " state does not begin at a multiple of 4 of the shared registers";
}

}  // namespace

void lift_sample(GroupContext& context, const Item& item) {
  ir::Builder& b = context.b;
  const Register& data = context.group.slots[1];
  unsigned next = 0;
  const auto word = [&] { return context.read(data, context.pass + next++); };
  const unsigned dimensions = item.get(F::dmn), lod = item.get(F::lodm);
  ir::Texture texture{.shape = shape_of(dimensions), .implicit_lod = lod == lod_normal || lod == lod_bias};
  if (item.get(F::integer) != 0) texture.result = ir::Texture::Result::u32;
  for (unsigned i = 0; i < dimensions; ++i) texture.coordinate[i] = word();
  if (item.get(F::proj) != 0) {
    const Operand factor = b.unary(Op::frcp, Type::f32, word());
    for (unsigned i = 0; i < dimensions; ++i)
      texture.coordinate[i] = b.binary(Op::fmul, Type::f32, texture.coordinate[i], factor);
  }
  if (lod == lod_bias || lod == lod_replace) texture.lod = word();
  if (item.get(F::array) != 0) texture.coordinate[3] = word();
  sample(context, texture, context.group.slots[0].index / state_words, context.group.slots[2].index / state_words);
}

void lift_iterate_and_sample(GroupContext& context, const Item& item) {
  const unsigned dimensions = item.get(F::dmn);
  ir::Texture texture{.shape = shape_of(dimensions), .implicit_lod = true};
  const std::vector<Operand> coordinates = iterated(context, item, dimensions);
  for (unsigned i = 0; i < dimensions; ++i) texture.coordinate[i] = coordinates[i];
  sample(context, texture, item.get(F::texoff), item.get(F::smpoff));
  constexpr unsigned waits = 2;
  if (item.get(F::sched_ctrl) == waits) wait_for(context, item.get(F::drc));
}

std::string sample_fault(const Group& group, const Item& item, const State& state) {
  for (const auto& [field, what] : {std::pair{F::sbmode, "state words as result"},
                                    {F::nncoords, "coordinates in texels"},
                                    {F::sno, "a sample number"},
                                    {F::soo, "an offset"},
                                    {F::tao, "an address override"},
                                    {F::f16, "a result in 16-bit floats"},
                                    {F::f16input, "16-bit coordinates"},
                                    {F::wrt, "a write to a texture"},
                                    {F::comparison, "a comparison"}})
    if (item.get(field) != 0) return "how a sample takes or gives " + std::string(what) + " is not published";
  if (item.get(F::lodm) == lod_gradient) return "how a sample takes gradients is not published";
  if (item.get(F::dmn) == 0) return "a sample of no dimensions is not assigned";
  if (!register_exists(group.slots[1], data_words(item) - 1, state)) return "there are not that many data registers";
  if (std::string fault = state_fault(group.slots[0], "texture"); !fault.empty()) return fault;
  return state_fault(group.slots[2], "sampler");
}

std::string iterate_and_sample_fault(const Group& group, const Item& item, const State& state) {
  for (const F field : {F::f16, F::nncoords, F::proj, F::comparison, F::sat})
    if (item.get(field) != 0) return "what " + std::string(info(field).name) + " does to itrsmp is not published";
  if (item.get(F::count) != 1 && item.form->find(F::count) != nullptr)
    return "what the count of itrsmp does is not published";
  if (item.get(F::dmn) == 0) return "a sample of no dimensions is not assigned";
  return iterate_fault(group, item, state);
}

}  // namespace mobula::rogue::lifting
