#include "compile/verify/outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <iterator>

#include "compile/pixel_formats.h"
#include "compile/verify/permitted.h"
#include "compile/verify/sampling.h"
#include "io/values.h"

namespace mobula::compile {
namespace {

using ssa::Base;
using ssa::Bits;
using ssa::BuiltIn;
using ssa::Storage;

/// The size of a point as it is drawn: a machine's program may keep it to what can be.
std::uint32_t drawn_size(std::uint32_t bits) {
  const float size = std::bit_cast<float>(bits);
  return std::isnan(size) ? bits : std::bit_cast<std::uint32_t>(std::clamp(size, 1.0F, 100.0F));
}

std::string component(const std::string& name, unsigned i, unsigned of) {
  return of == 1 ? name : name + '.' + "xyzw"[i];
}

/// The numbers of a block that are compared: place and type.
template <class Each>
void each_word(const ssa::Variable& block, std::size_t bytes, Each each) {
  for (const ssa::Member& member : block.members) {
    const std::size_t index = member.name.find("[0]") + 1;
    std::uint32_t element = 0;
    for (std::size_t at = member.offset; at + member.extent() <= bytes; at += member.stride, ++element) {
      std::string name = member.name;
      if (member.stride != 0) name.replace(index, 1, std::to_string(element));
      for (unsigned i = 0; i < member.type.components; ++i)
        each(component(name, i, member.type.components), member, at + std::size_t{member.step} * i);
      if (member.stride == 0) break;
    }
  }
}

/// Where a colour goes: gl_FragData[n], a location, or the only one.
std::uint32_t target_of(const ssa::Slot& slot) {
  constexpr std::string_view data = "gl_FragData[";
  if (slot.name.starts_with(data)) return static_cast<std::uint32_t>(std::stoul(slot.name.substr(data.size())));
  return slot.location == ssa::none ? 0 : slot.location;
}

/// By variable: is it a storage image that the program writes?
std::vector<bool> written_images(const ssa::Program& form) {
  std::vector<bool> written(form.variables.size());
  for (const ssa::Block& block : form.blocks)
    for (const ssa::Instruction& each : block.instructions)
      if (each.op == ssa::Op::image_store || each.op == ssa::Op::image_atomic)
        written[form.accesses[each.data[0]].texture] = true;
  return written;
}

/// How far apart the numbers are that the format has.
void rounds_as(const io::TexelFormat& format, OutNumber& number) {
  using Kind = io::TexelFormat::Kind;
  if (format.kind == Kind::real && format.bits == 16) number.type.relaxed = true;
  if (format.kind == Kind::unorm || format.kind == Kind::snorm)
    number.step = 1.0 / ((1 << (format.bits - (format.kind == Kind::snorm ? 1 : 0))) - 1);
}

/// The numbers in the texels of an image, `bytes` of which are as it holds them.
std::vector<OutNumber> numbers_of(const std::string& name, const io::StorageImage& image,
                                  std::span<const std::uint8_t> bytes) {
  const io::TexelFormat& format = *image.format;
  OutNumber number;
  number.lane = OutNumber::of_all;
  number.type = {format.integer() ? Base::integer : Base::real, 1};
  number.is_signed = format.kind == io::TexelFormat::Kind::signed_integer;
  rounds_as(format, number);
  std::vector<OutNumber> numbers;
  for (std::size_t at = 0; at < bytes.size(); at += format.bytes()) {
    const io::Texel texel = io::decode_texel(format, bytes.data() + at);
    const std::string place = name + " at texel " + std::to_string(at / format.bytes());
    for (unsigned i = 0; i < format.components; ++i) {
      number.name = component(place, i, format.components);
      number.bits = texel[i];
      numbers.push_back(number);
    }
  }
  return numbers;
}

class Evaluation {
 public:
  Evaluation(const Binding& binding, const GivenInputs& given, std::uint64_t seed, bool follows, Reach* reach)
      : binding_(binding),
        given_(given),
        images_(given.images),
        seed_(seed),
        evaluator_(binding.form(), binding.lanes()),
        way_(binding.form(), binding.lanes(), seed, follows,
             binding.has_floats_only() ? Integers::floats : Integers::whole, reach) {}

  Outcome run() {
    feed();
    constexpr std::uint64_t spread = 0x9E3779B97F4A7C15;
    evaluator_.set_textures(texture_unit(binding_, given_, static_cast<std::uint32_t>(seed_ * spread >> 32U)));
    evaluator_.set_images(image_unit(binding_, images_));
    evaluator_.set_freedom(&way_);
    if (binding_.form().stage == Stage::compute)
      dispatch();
    else
      evaluate();
    if (!outcome_.problem.empty()) return std::move(outcome_);
    for (std::uint32_t lane = 0; lane < binding_.lanes(); ++lane) {
      outcome_.discarded.push_back(evaluator_.discarded(lane));
      outcome_.astray.push_back(way_.went_outside(lane));
    }
    collect();
    return std::move(outcome_);
  }

 private:
  void feed() {
    for (const GivenVector& vector : given_.vectors)
      for (std::uint32_t lane = 0; lane < binding_.lanes(); ++lane) {
        Bits value = vector.of(lane);
        if (vector.type.base == Base::boolean)
          for (std::uint32_t& bits : value) bits &= 1;
        evaluator_.at(vector.place, lane) = value;
      }
    for (const auto& [variable, bytes] : given_.blocks) evaluator_.block(variable) = bytes;
  }

  void set(BuiltIn built_in, std::uint32_t lane, const Bits& value) {
    const auto& variables = binding_.form().variables;
    const auto found = std::ranges::find(variables, built_in, &ssa::Variable::built_in);
    if (found == variables.end()) return;
    evaluator_.at({static_cast<std::uint32_t>(found - variables.begin()), 0}, lane) = value;
  }
  void dispatch() {
    // Of memory that all share nothing is promised once one lane has gone astray, and there is nothing else here.
    evaluator_.end_outside();
    const auto& size = binding_.form().local_size;
    const std::uint32_t groups = given_.groups[0] * given_.groups[1] * given_.groups[2];
    for (std::uint32_t group = 0; group < groups && outcome_.problem.empty() && !evaluator_.is_over(); ++group) {
      const Bits place{group % given_.groups[0], group / given_.groups[0] % given_.groups[1],
                       group / given_.groups[0] / given_.groups[1]};
      for (std::uint32_t lane = 0; lane < binding_.lanes(); ++lane) {
        const Bits local{lane % size[0], lane / size[0] % size[1], lane / size[0] / size[1]};
        set(BuiltIn::local_invocation_index, lane, {lane});
        set(BuiltIn::local_invocation_id, lane, local);
        set(BuiltIn::work_group_id, lane, place);
        set(BuiltIn::num_work_groups, lane, {given_.groups[0], given_.groups[1], given_.groups[2]});
        set(BuiltIn::work_group_size, lane, {size[0], size[1], size[2]});
        set(BuiltIn::global_invocation_id, lane,
            {place[0] * size[0] + local[0], place[1] * size[1] + local[1], place[2] * size[2] + local[2]});
      }
      evaluate();
    }
  }
  void evaluate() {
    outcome_.problem = evaluator_.run(given_.steps);
    outcome_.steps += evaluator_.steps();
    outcome_.work += evaluator_.work();
    const auto& variables = binding_.form().variables;
    if (evaluator_.left() != ssa::none && outcome_.left.empty()) outcome_.left = variables[evaluator_.left()].name;
    for (std::uint32_t number = 0; number < variables.size(); ++number)
      if (const std::uint64_t size = evaluator_.wanted_size(number); size != 0)
        outcome_.too_small[number] = std::max(outcome_.too_small[number], size);
    if (evaluator_.is_over()) outcome_.too_small.clear();  // it would go astray all the same
    if (evaluator_.ended() || outcome_.problem.empty()) return;
    outcome_.problem =
        fmt::format("the source goes through more than {} turns of loops and sides of branches", given_.steps);
    outcome_.advice = "allow more with --verify-steps, or verify it with fewer turns";
  }

  void collect() {
    const auto stored = ssa::stored_slots(binding_.form());
    const auto written = written_images(binding_.form());
    for (std::uint32_t number = 0; number < binding_.form().variables.size(); ++number) {
      const ssa::Variable& variable = binding_.form().variables[number];
      if (variable.storage == Storage::output)
        for (std::uint32_t slot = 0; slot < variable.slots.size(); ++slot)
          if (stored[number][slot]) collect_output(number, slot);
      if (variable.storage == Storage::storage_block) collect_block(number);
      for (std::uint32_t slot = 0; written[number] && slot < variable.slots.size(); ++slot) collect_image(number, slot);
    }
  }
  void collect_image(std::uint32_t number, std::uint32_t slot) {
    const auto found = images_.find(binding_.texture_number(number, slot));
    if (found == images_.end()) return;
    const auto numbers =
        numbers_of(binding_.form().variables[number].slots[slot].name, *found->second.image, found->second.bytes);
    outcome_.numbers.insert(outcome_.numbers.end(), numbers.begin(), numbers.end());
  }
  void collect_output(std::uint32_t number, std::uint32_t slot) {
    const ssa::Slot& at = binding_.form().variables[number].slots[slot];
    const io::TexelFormat* const format = io::find_texel_format(at.format);
    const unsigned components = stored_components(at);
    for (std::uint32_t lane = 0; lane < binding_.lanes(); ++lane) {
      Bits value = evaluator_.at({number, slot}, lane);
      if (binding_.places_positions() && at.built_in == BuiltIn::position) value = in_pixels(value);
      if (at.built_in == BuiltIn::point_size) value[0] = drawn_size(value[0]);
      if (format != nullptr) value = stored_colour(*format, value);
      for (unsigned i = 0; i < components; ++i) {
        OutNumber& made = outcome_.numbers.emplace_back(
            OutNumber{component(at.name, i, at.type.components), lane, at.type, at.is_signed, value[i]});
        made.built_in = at.built_in;
        if (format != nullptr) rounds_as(*format, made);
      }
    }
  }
  /// With a viewport as runs have it. Behind the eye, and very near to it, machines cut off at numbers of their own.
  static Bits in_pixels(const Bits& position) {
    const Viewport viewport;
    const float w = std::bit_cast<float>(position[3]);
    constexpr float least = 0x1p-14F;
    if (!(std::fabs(w) > least)) {
      const std::uint32_t nothing = std::bit_cast<std::uint32_t>(std::nanf(""));
      return {nothing, nothing, nothing, nothing};
    }
    Bits result{};
    for (unsigned i = 0; i < 3; ++i)
      result[i] =
          std::bit_cast<std::uint32_t>(std::bit_cast<float>(position[i]) / w * viewport.scale[i] + viewport.offset[i]);
    result[3] = std::bit_cast<std::uint32_t>(1 / w);
    return result;
  }
  void collect_block(std::uint32_t number) {
    std::ranges::move(numbers_of_block(binding_.form().variables[number], evaluator_.block(number)),
                      std::back_inserter(outcome_.numbers));
  }

  const Binding& binding_;
  const GivenInputs& given_;
  std::map<std::uint32_t, GivenImage> images_;  ///< as the program changes them
  std::uint64_t seed_;
  ssa::Evaluator evaluator_;
  OneWay way_;
  Outcome outcome_;
};

/// The numbers of a run, one after the other, in the order of an evaluation.
class Collection {
 public:
  Collection(const Binding& binding, const GivenInputs& given, const RunResult& run, const Outcome& wanted)
      : binding_(binding), given_(given), run_(run), wanted_(wanted) {}

  std::vector<OutNumber> all() {
    const auto stored = ssa::stored_slots(binding_.form());
    const auto written = written_images(binding_.form());
    for (std::uint32_t number = 0; number < binding_.form().variables.size(); ++number) {
      const ssa::Variable& variable = binding_.form().variables[number];
      if (variable.storage == Storage::output)
        for (std::uint32_t slot = 0; slot < variable.slots.size(); ++slot)
          if (stored[number][slot])
            for (const ThreadResult& thread : run_.threads) add_output(variable, slot, thread);
      if (variable.storage == Storage::storage_block) add_block(number);
      for (std::uint32_t slot = 0; written[number] && slot < variable.slots.size(); ++slot) add_image(number, slot);
    }
    return std::move(numbers_);
  }

 private:
  void add(std::uint32_t bits, bool is_there) {
    numbers_.push_back(wanted_.numbers[numbers_.size()]);
    numbers_.back().bits = bits;
    numbers_.back().is_there = is_there;
  }

  void add_output(const ssa::Variable& variable, std::uint32_t slot, const ThreadResult& thread) {
    if (binding_.form().stage == Stage::fragment) return add_colour(variable.slots[slot], thread);
    const auto found = find_vector(binding_.interface().outputs, variable, slot);
    for (unsigned i = 0; i < variable.slots[slot].type.components; ++i) {
      const auto stored = std::ranges::find_if(thread.varyings, [&](const VaryingOutput& each) {
        return found && i < found->components.size() && each.number == found->components[i].slot;
      });
      const bool is_there =
          stored != thread.varyings.end() && (stored->stored >> found->components[i].component & 1) != 0;
      add_varying(variable.slots[slot], is_there ? stored->value[found->components[i].component] : 0, is_there);
    }
  }
  void add_varying(const ssa::Slot& slot, std::uint32_t bits, bool is_there) {
    if (slot.built_in == BuiltIn::point_size) bits = drawn_size(bits);
    if (!binding_.has_floats_only() || slot.type.base == Base::real) return add(bits, is_there);
    const float number = std::bit_cast<float>(bits);
    const bool is_whole = std::trunc(number) == number && std::fabs(number) <= 0x1p24F;
    add(is_whole ? static_cast<std::uint32_t>(static_cast<std::int32_t>(number)) : 0, is_there && is_whole);
  }
  /// The last that was written to its target; a write of depth alone is to none.
  void add_colour(const ssa::Slot& slot, const ThreadResult& thread) {
    const bool is_depth = slot.built_in == BuiltIn::frag_depth;
    const ColourOutput* found = nullptr;
    for (const ColourOutput& each : thread.colours)
      if (is_depth || (each.target != io::no_target && each.target >> 8 == target_of(slot))) found = &each;
    for (unsigned i = 0, components = stored_components(slot); i < components; ++i)
      add(found == nullptr ? 0 : is_depth ? found->depth : found->colour[i], found != nullptr);
  }
  void add_image(std::uint32_t number, std::uint32_t slot) {
    const auto given = given_.images.find(binding_.texture_number(number, slot));
    if (given == given_.images.end()) return;
    const io::StorageImage& image = *given->second.image;
    const auto found = std::ranges::find(run_.memory, image.address, &MemoryRegion::address);
    for (const OutNumber& each : numbers_of("", image, found == run_.memory.end() ? given->second.bytes : found->bytes))
      add(each.bits, true);
  }
  /// One that the machine's program does not know stays as it was.
  void add_block(std::uint32_t number) {
    std::vector<std::uint8_t> bytes = given_.blocks.at(number);
    const auto at = binding_.storage_number(number);
    if (const auto found = at ? run_.buffers.find(*at) : run_.buffers.end(); found != run_.buffers.end())
      std::memcpy(bytes.data(), found->second.data(), std::min(bytes.size(), found->second.size() * 4));
    each_word(binding_.form().variables[number], bytes.size(),
              [&](const std::string&, const ssa::Member&, std::size_t place) {
                std::uint32_t word = 0;
                std::memcpy(&word, bytes.data() + place, 4);
                add(word, true);
              });
  }

  const Binding& binding_;
  const GivenInputs& given_;
  const RunResult& run_;
  const Outcome& wanted_;
  std::vector<OutNumber> numbers_;
};

}  // namespace

double OutNumber::value() const {
  if (type.base == Base::real) return std::bit_cast<float>(bits);
  return is_signed ? static_cast<std::int32_t>(bits) : bits;
}

std::vector<OutNumber> numbers_of_block(const ssa::Variable& block, std::span<const std::uint8_t> bytes) {
  std::vector<OutNumber> numbers;
  each_word(block, bytes.size(), [&](std::string name, const ssa::Member& member, std::size_t at) {
    OutNumber& number =
        numbers.emplace_back(OutNumber{std::move(name), OutNumber::of_all, member.type, member.is_signed, 0, true});
    std::memcpy(&number.bits, bytes.data() + at, 4);
  });
  return numbers;
}

Outcome evaluate(const Binding& binding, const GivenInputs& given, std::uint64_t seed, bool follows, Reach* reach) {
  return Evaluation(binding, given, seed, follows, reach).run();
}

Outcome execute(const Binding& binding, const GivenInputs& given, const Program& program, const ir::Program& lifted,
                const Outcome& wanted) {
  Outcome outcome;
  RunInputs inputs = binding.for_machine(given);
  // Code that comes to no end shows it soon. A step is at most all words, and other ways may take a few more steps.
  constexpr std::uint64_t more = 4;
  const std::uint64_t words = std::max<std::uint64_t>(words_of_a_step, program.code.size());
  inputs.limits.steps = std::min(inputs.limits.steps, words * more * wanted.steps);
  const Result<RunResult> run = run_program(program, lifted, inputs);
  if (!run) {
    outcome.problem = run.error().front().message;
    return outcome;
  }
  outcome.discarded.resize(binding.lanes());
  outcome.faulted.resize(binding.lanes());
  for (std::uint32_t thread = 0; thread < run->threads.size(); ++thread) {
    const std::uint32_t lane = thread % binding.lanes();  // one of each workgroup
    if (run->threads[thread].state == LaneState::discarded) outcome.discarded[lane] = true;
    if (run->threads[thread].state == LaneState::faulted) outcome.faulted[lane] = true;
  }
  for (const Diagnostic& each : run->diagnostics)
    if (each.severity == Severity::error && outcome.problem.empty()) outcome.problem = each.message;
  outcome.numbers = Collection(binding, given, *run, wanted).all();
  return outcome;
}

}  // namespace mobula::compile
