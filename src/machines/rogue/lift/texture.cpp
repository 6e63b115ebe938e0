#include "machines/rogue/lift/texture.h"

#include <set>
#include <vector>

#include "machines/rogue/lift/cube.h"
#include "machines/rogue/lift/fence.h"
#include "machines/rogue/lift/iterate.h"
#include "machines/rogue/lift/pack.h"
#include "machines/rogue/spec/access.h"

namespace mobula::rogue::lifting {
namespace {

constexpr unsigned state_words = 4, colour_words = 4;
constexpr unsigned raw_data = 1;  // of sbmode

ir::Texture::Shape shape_of(unsigned dimensions) {
  constexpr std::array shapes{ir::Texture::Shape::d1, ir::Texture::Shape::d1, ir::Texture::Shape::d2,
                              ir::Texture::Shape::d3};
  return shapes[dimensions];
}

/// The data of a sample: registers in a row, in the order in which Mesa's compiler gives them (docs/decisions/0019).
class Data {
 public:
  Data(GroupContext& context, const Item& item) : c_(context), item_(item) {}

  /// Each takes the words after those that were taken before.
  std::vector<Operand> coordinates(unsigned count) {
    if (item_.get(F::f16input) == 0) {
      std::vector<Operand> words;
      for (unsigned i = 0; i < count; ++i) words.push_back(word());
      return words;
    }
    c_.inferred("where 16-bit coordinates go is not published; see the policy f16_words");
    const bool pairs = c_.settings.is(PolicyId::f16_words, "pairs");
    std::vector<Operand> values;
    Operand packed;
    for (unsigned i = 0; i < count; ++i) {
      if (!pairs || i % 2 == 0) packed = word();
      const Operand high = c_.i32(Op::ilsr, packed, c_.b.constant_u32(pairs && i % 2 != 0 ? 16 : 0));
      values.push_back(c_.b.convert(Op::f2f, Type::f32, Type::f16, c_.keep(c_.b.temporary(Type::i32), high)));
    }
    return values;
  }
  Operand word() { return c_.read(c_.group.slots[1], c_.pass + next_++); }

 private:
  GroupContext& c_;
  const Item& item_;
  unsigned next_ = 0;
};

/// The word of options: offsets in bits 5:0, 11:6 and 15:12, then a sample number.
void set_offsets(GroupContext& context, Operand options, ir::Texture& texture, unsigned dimensions) {
  constexpr std::array<std::pair<unsigned, unsigned>, 3> fields{{{0, 6}, {6, 6}, {12, 4}}};  // low bit, width
  for (unsigned i = 0; i < dimensions; ++i) {
    const auto [low, width] = fields[i];
    const Operand top = context.i32(Op::ishl, options, context.b.constant_u32(32 - low - width));
    texture.offset[i] = context.i32(Op::iasr, top, context.b.constant_u32(32 - width));
  }
}

/// Number of the texture or sampler whose state begins at a shared register.
Operand state_number(GroupContext& context, unsigned shared_register) {
  ir::Builder& b = context.b;
  if (context.state.bases(Space::shared).empty()) return b.constant_u32(shared_register / state_words);
  const Operand first = context.i32(Op::iadd, context.state.base(Space::shared), b.constant_u32(shared_register));
  return context.i32(Op::ilsr, first, b.constant_u32(2));
}

/// Whether the interface says so of what has its state there: the state itself would, and is not published.
bool is_among(GroupContext& context, const std::set<std::uint32_t>& numbers) {
  return context.state.bases(Space::shared).empty() && numbers.contains(context.group.slots[0].index / state_words);
}

/// The texels that a linear filter would read: from the one with the lowest coordinates, first those of higher t.
std::vector<Operand> raw_texels(GroupContext& context, ir::Texture texture) {
  ir::Builder& b = context.b;
  context.inferred(
      "raw data are assumed to be the four texels of a filter, in the order in which Mesa's compiler takes them");
  texture.kind = ir::Texture::Kind::gather;
  // A gather begins with the one of lower s and higher t, and goes on against the clock.
  constexpr std::array<unsigned, 4> place_of_gathered{1, 3, 2, 0};
  std::vector<Operand> words(colour_words * place_of_gathered.size());
  for (unsigned component = 0; component < colour_words; ++component) {
    texture.gather_component = static_cast<std::uint8_t>(component);
    const Operand four = b.temporary(Type::i32, colour_words);
    b.texture(texture, four);
    for (unsigned i = 0; i < place_of_gathered.size(); ++i)
      words[colour_words * place_of_gathered[i] + component] = four.plus(4 * i);
  }
  return words;
}

/// Calls the texture unit and brings the first channels to where late results go.
void sample(GroupContext& context, ir::Texture texture, const Item& item, unsigned texture_state,
            unsigned sampler_state) {
  ir::Builder& b = context.b;
  context.unknown("the state of textures and samplers is not published; their registers' numbers choose them");
  texture.texture = state_number(context, texture_state);
  texture.sampler = state_number(context, sampler_state);
  const LateWrites writes = late_writes(context.group);
  if (item.get(F::sbmode) == raw_data) return write_late(context, writes, raw_texels(context, texture));
  const Operand colour = b.temporary(Type::i32, colour_words);
  b.texture(texture, colour);
  std::vector<Operand> channels;
  for (unsigned i = 0; i < writes.count; ++i) channels.push_back(colour.plus(4 * i));
  write_late(context, writes, item.get(F::f16) != 0 ? in_halves(context, channels) : channels);
}

/// Coordinates in texels: the texel they lie in, without a filter.
void fetch_texels(GroupContext& context, ir::Texture& texture, unsigned dimensions) {
  context.inferred("coordinates in texels are assumed to fetch the texel they lie in");
  const auto whole = [&](Operand value) {
    return context.b.convert(Op::f2i, Type::i32, Type::f32, value, Round::down);
  };
  texture.kind = ir::Texture::Kind::fetch;
  for (unsigned i = 0; i < dimensions; ++i) texture.coordinate[i] = whole(texture.coordinate[i]);
  if (!texture.coordinate[3].is_none()) texture.coordinate[3] = whole(texture.coordinate[3]);
  if (!texture.lod.is_none()) texture.lod = whole(texture.lod);
}

Operand image_coordinate(GroupContext& context, const ir::Texture& texture, unsigned i) {
  if (i == 2 && !texture.coordinate[3].is_none()) return texture.coordinate[3];
  return texture.coordinate[i].is_none() ? context.zero() : texture.coordinate[i];
}

void load_texel(GroupContext& context, const Item& item, const ir::Texture& texture) {
  ir::Builder& b = context.b;
  context.unknown("the state of images is not published; their registers' numbers choose them");
  const Operand texel = b.temporary(Type::i32, colour_words);
  std::array<Operand, 4> args{state_number(context, context.group.slots[0].index)};
  for (unsigned i = 0; i < 3; ++i) args[i + 1] = image_coordinate(context, texture, i);
  b.call({.service = ir::Service::load_image,
          .type = item.get(F::fcnorm) != 0 ? Type::f32 : Type::i32,
          .count = colour_words,
          .data = texel,
          .args = args});
  const LateWrites writes = late_writes(context.group);
  std::vector<Operand> channels;
  for (unsigned i = 0; i < writes.count; ++i) channels.push_back(texel.plus(4 * i));
  write_late(context, writes, channels);
}

/// `.wrt`: the last words go to the image whose state the slot names; `fcnorm` says that they are floats.
void write_texel(GroupContext& context, const Item& item, const ir::Texture& texture, Data& data) {
  ir::Builder& b = context.b;
  context.unknown("the state of images is not published; their registers' numbers choose them");
  const Operand texel = b.temporary(Type::i32, colour_words);
  for (unsigned i = 0; i < colour_words; ++i)
    context.keep(texel.plus(4 * i), i <= item.get(F::chan) ? data.word() : context.zero());
  std::array<Operand, 4> args{state_number(context, context.group.slots[0].index)};
  for (unsigned i = 0; i < 3; ++i) args[i + 1] = image_coordinate(context, texture, i);
  b.call({.service = ir::Service::store_image,
          .type = item.get(F::fcnorm) != 0 ? Type::f32 : Type::i32,
          .count = colour_words,
          .data = texel,
          .args = args});
}

std::string state_fault(const Register& reg, std::string_view what) {
  if (reg.bank == Bank::shared && reg.index % state_words == 0) return {};
  return "the " + std::string(what) + " state does not begin at a multiple of 4 of the shared registers";
}

}  // namespace

void lift_sample(GroupContext& context, const Item& item) {
  ir::Builder& b = context.b;
  Data data(context, item);
  const unsigned dimensions = item.get(F::dmn), lod = item.get(F::lodm);
  const bool in_texels = item.get(F::nncoords) != 0;
  ir::Texture texture{.shape = shape_of(dimensions),
                      .implicit_lod = !in_texels && (lod == lod_normal || lod == lod_bias)};
  if (item.get(F::integer) != 0) texture.result = ir::Texture::Result::integer;
  const std::vector<Operand> coordinates = data.coordinates(dimensions);
  const Operand factor = item.get(F::proj) != 0 ? b.unary(Op::frcp, Type::f32, data.word()) : Operand{};
  for (unsigned i = 0; i < dimensions; ++i)
    texture.coordinate[i] = factor.is_none() ? coordinates[i] : b.binary(Op::fmul, Type::f32, coordinates[i], factor);
  if (item.get(F::array) != 0) {
    context.inferred("the array layer of a sample is assumed to be an integer");
    texture.coordinate[3] = b.convert(Op::u2f, Type::f32, Type::i32, data.word());
  }
  if (says_lod(item)) texture.lod = data.word();
  for (unsigned i = 0; i < dimensions && lod == lod_gradient; ++i) {
    const Operand row = data.word(), column = data.word();
    if (in_texels) continue;
    texture.ddx[i] = row;
    texture.ddy[i] = column;
  }
  if ((item.get(F::soo) | item.get(F::sno)) != 0) {
    const Operand options = data.word();
    if (item.get(F::soo) != 0) set_offsets(context, options, texture, dimensions);
    if (item.get(F::sno) != 0)
      context.inferred("textures are assumed to have one sample, whatever number is asked for");
  }
  if (item.get(F::comparison) != 0) {
    context.unknown("where a comparison's reference goes is not published; see the policy sample_comparison");
    texture.shadow = true;
    texture.coordinate[2] = data.word();
  }
  if (dimensions == 3 && !in_texels && is_among(context, context.facts.cubes)) place_on_cube(context, texture);
  if (in_texels) fetch_texels(context, texture, dimensions);
  if (item.get(F::wrt) != 0) return write_texel(context, item, texture, data);
  if (in_texels && is_among(context, context.facts.images)) return load_texel(context, item, texture);
  sample(context, texture, item, context.group.slots[0].index, context.group.slots[2].index);
}

void lift_iterate_and_sample(GroupContext& context, const Item& item) {
  const unsigned dimensions = item.get(F::dmn);
  ir::Texture texture{.shape = shape_of(dimensions), .implicit_lod = true};
  const std::vector<Operand> coordinates = iterated(context, item, dimensions);
  for (unsigned i = 0; i < dimensions; ++i) texture.coordinate[i] = coordinates[i];
  sample(context, texture, item, state_words * item.get(F::texoff), state_words * item.get(F::smpoff));
  constexpr unsigned waits = 2;
  if (item.get(F::sched_ctrl) == waits) wait_for(context, item.get(F::drc));
}

std::string sample_fault(const Group& group, const Item& item, const Settings& settings, const State& state) {
  if (item.get(F::tao) != 0) return "a sample with an address override is not modelled: textures have no addresses";
  if (item.get(F::sbmode) > raw_data) return "a sample with coefficients as its result is not modelled";
  if (item.get(F::sbmode) == raw_data &&
      (item.get(F::chan) + 1 != colour_words || item.get(F::nncoords) != 0 || item.get(F::f16) != 0))
    return "raw data other than 32-bit words of four channels are not modelled";
  if (item.get(F::wrt) != 0 && (item.get(F::nncoords) == 0 || item.get(F::f16) != 0 || item.get(F::comparison) != 0))
    return "a write to a texture that is not of 32-bit words at coordinates in texels is not modelled";
  if (item.get(F::comparison) != 0) {
    if (settings.is(PolicyId::sample_comparison, "trap"))
      return "where the reference of a comparison goes is not published; see the policy sample_comparison";
    if (item.get(F::dmn) > 2 || item.get(F::nncoords) != 0) return "such a sample is not compared";
  }
  if (item.get(F::dmn) == 0) return "a sample of no dimensions is not assigned";
  if (!register_exists(group.slots[1], sample_words(item) - 1, state)) return "there are not that many data registers";
  if (std::string fault = state_fault(group.slots[0], "texture"); !fault.empty()) return fault;
  return state_fault(group.slots[2], "sampler");
}

std::string iterate_and_sample_fault(const Group& group, const Item& item, const State& state) {
  for (const F field : {F::nncoords, F::proj, F::comparison, F::sat})
    if (item.get(field) != 0) return "what " + std::string(info(field).name) + " does to itrsmp is not published";
  if (item.get(F::count) != 1 && item.form->find(F::count) != nullptr)
    return "what the count of itrsmp does is not published";
  if (item.get(F::dmn) == 0) return "a sample of no dimensions is not assigned";
  return iterate_fault(group, item, state);
}

}  // namespace mobula::rogue::lifting
