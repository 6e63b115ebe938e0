#include "compile/ssa/spirv_module.h"

#include "core/quote.h"

namespace mobula::ssa {
namespace {

using Kind = SpirvType::Kind;

/// More than any machine holds in registers, and few enough to be listed.
constexpr std::uint32_t most_leaves = 1 << 16;

Stage stage_of_model(std::uint32_t model) {
  switch (static_cast<spv::ExecutionModel>(model)) {
    case spv::ExecutionModel::Vertex:
      return Stage::vertex;
    case spv::ExecutionModel::Fragment:
      return Stage::fragment;
    case spv::ExecutionModel::GLCompute:
      return Stage::compute;
    default:
      return Stage::unknown;
  }
}

}  // namespace

SpirvModule::SpirvModule(const compile::Spirv& module, std::string_view file) : module_(module), file_(file) {
  compile::for_each_instruction(module, [&](compile::SpirvWords each) { read(each); });
}

void SpirvModule::refuse(std::string what, SourceLine at, std::string hint) const {
  Diagnostic error{Severity::error, "CO020", {}, std::move(what), std::move(hint)};
  const auto named = strings_.find(at.file);
  error.where.file = named == strings_.end() ? file_ : named->second;
  error.where.line = at.line;
  throw NotSupported{std::move(error)};
}

void SpirvModule::read(compile::SpirvWords each) {
  switch (each.op()) {
    case spv::Op::OpName:
      names_[each[1]] = compile::text_at(each.words.subspan(2));
      return;
    case spv::Op::OpString:
      strings_[each[1]] = compile::text_at(each.words.subspan(2));
      return;
    case spv::Op::OpMemberName:
      member_names_[{each[1], each[2]}] = compile::text_at(each.words.subspan(3));
      return;
    case spv::Op::OpDecorate:
      return decorate(decorations_[each[1]], each.words.subspan(2));
    case spv::Op::OpMemberDecorate:
      return decorate(member_decorations_[{each[1], each[2]}], each.words.subspan(3));
    case spv::Op::OpEntryPoint:
      return read_entry(each);
    case spv::Op::OpExecutionMode:
    case spv::Op::OpExecutionModeId:
      return read_mode(each);
    case spv::Op::OpConstant:
    case spv::Op::OpSpecConstant:
      constants_[each[2]] = each[3];
      return;
    case spv::Op::OpConstantComposite:
    case spv::Op::OpSpecConstantComposite:
      if (decorations(each[2]).built_in == static_cast<std::uint32_t>(spv::BuiltIn::WorkgroupSize))
        workgroup_size_ = {each[3], each[4], each[5]};
      return;
    case spv::Op::OpLine:
    case spv::Op::OpNoLine:
    case spv::Op::OpLoad:
    case spv::Op::OpStore:
    case spv::Op::OpAccessChain:
    case spv::Op::OpInBoundsAccessChain:
      return read_line(each);
    default:
      return read_type(each);
  }
}

/// Of lines and of what uses variables: where each is used first.
void SpirvModule::read_line(compile::SpirvWords each) {
  if (each.op() == spv::Op::OpLine)
    line_ = {each[1], each[2]};
  else if (each.op() == spv::Op::OpNoLine)
    line_ = {};
  else if (line_.line != 0)
    first_uses_.try_emplace(each[each.op() == spv::Op::OpStore ? 1 : 3], line_);
}

SourceLine SpirvModule::first_use(Id variable) const {
  const auto found = first_uses_.find(variable);
  return found == first_uses_.end() ? SourceLine{} : found->second;
}

void SpirvModule::read_entry(compile::SpirvWords each) {
  Entry entry{stage_of_model(each[1]), each[2], compile::text_at(each.words.subspan(3)), {}};
  const std::size_t after = 3 + entry.name.size() / 4 + 1;
  entry.interface.assign(each.words.begin() + static_cast<std::ptrdiff_t>(after), each.words.end());
  entries_.push_back(std::move(entry));
}

/// Modes are of a function, which may be that of several entry points.
void SpirvModule::read_mode(compile::SpirvWords each) {
  for (Entry& entry : entries_)
    if (entry.function == each[1]) entry.modes.push_back(each);
}

void SpirvModule::decorate(Decorations& target, std::span<const std::uint32_t> words) {
  switch (static_cast<spv::Decoration>(words[0])) {
    case spv::Decoration::BuiltIn:
      target.built_in = words[1];
      return;
    case spv::Decoration::Location:
      target.location = words[1];
      return;
    case spv::Decoration::Component:
      target.component = words[1];
      return;
    case spv::Decoration::Binding:
      target.binding = words[1];
      return;
    case spv::Decoration::DescriptorSet:
      target.set = words[1];
      return;
    case spv::Decoration::Offset:
      target.offset = words[1];
      return;
    case spv::Decoration::ArrayStride:
      target.array_stride = words[1];
      return;
    case spv::Decoration::MatrixStride:
      target.matrix_stride = words[1];
      return;
    case spv::Decoration::RowMajor:
      target.row_major = true;
      return;
    case spv::Decoration::RelaxedPrecision:
      target.relaxed = true;
      return;
    case spv::Decoration::NoContraction:
      target.precise = true;
      return;
    case spv::Decoration::Flat:
      target.flat = true;
      return;
    case spv::Decoration::NoPerspective:
      target.noperspective = true;
      return;
    case spv::Decoration::Invariant:
      target.invariant = true;
      return;
    case spv::Decoration::Block:
      target.block = true;
      return;
    case spv::Decoration::BufferBlock:
      target.buffer_block = true;
      return;
    default:
      return;
  }
}

std::uint32_t SpirvModule::length_of_array(Id constant) const {
  const std::optional<std::uint32_t> length = this->constant(constant);
  if (!length)
    refuse("an array whose length is computed from constants for specialisation is not supported", {},
           "give these constants their values: spirv-opt --freeze-spec-const --fold-spec-const-op-composite");
  return *length;
}

void SpirvModule::read_type(compile::SpirvWords each) {
  SpirvType type;
  switch (each.op()) {
    case spv::Op::OpTypeVoid:
    case spv::Op::OpTypeFunction:
      break;
    case spv::Op::OpTypeBool:
      type.kind = Kind::boolean;
      break;
    case spv::Op::OpTypeInt:
      type.kind = Kind::integer;
      type.bits = each[2];
      type.is_signed = each[3] != 0;
      break;
    case spv::Op::OpTypeFloat:
      type.kind = Kind::real;
      type.bits = each[2];
      break;
    case spv::Op::OpTypeVector:
    case spv::Op::OpTypeMatrix:
      type.kind = each.op() == spv::Op::OpTypeVector ? Kind::vector : Kind::matrix;
      type.element = each[2];
      type.count = each[3];
      break;
    case spv::Op::OpTypeArray:
      type.kind = Kind::array;
      type.element = each[2];
      type.count = length_of_array(each[3]);
      break;
    case spv::Op::OpTypeRuntimeArray:
      type.kind = Kind::endless_array;
      type.element = each[2];
      break;
    case spv::Op::OpTypeStruct:
      type.kind = Kind::structure;
      type.members.assign(each.words.begin() + 2, each.words.end());
      break;
    case spv::Op::OpTypeImage:
      type.kind = Kind::image;
      type.element = each[2];
      type.dim = static_cast<spv::Dim>(each[3]);
      type.shadow = each[4] == 1;
      type.layered = each[5] != 0;
      type.multisample = each[6] != 0;
      type.is_storage = each[7] == 2;
      type.format = static_cast<spv::ImageFormat>(each[8]);
      break;
    case spv::Op::OpTypeSampler:
      type.kind = Kind::sampler;
      break;
    case spv::Op::OpTypeSampledImage:
      type.kind = Kind::combined;
      type.element = each[2];
      break;
    case spv::Op::OpTypePointer:
      type.kind = Kind::pointer;
      type.storage = static_cast<spv::StorageClass>(each[2]);
      type.element = each[3];
      break;
    default:
      return;
  }
  if (!count_leaves(type)) refuse_large(each[1]);
  types_[each[1]] = std::move(type);
}

/// By the variable that has the type, at its first use, if one has it.
void SpirvModule::refuse_large(Id type) const {
  std::optional<Id> pointer, variable;
  SourceLine line, used;
  compile::for_each_instruction(module_, [&](compile::SpirvWords each) {
    const bool accesses = each.op() == spv::Op::OpLoad || each.op() == spv::Op::OpAccessChain;
    if (each.op() == spv::Op::OpTypePointer && each[3] == type) pointer = each[1];
    if (each.op() == spv::Op::OpVariable && pointer == each[1] && !variable) variable = each[2];
    if (each.op() == spv::Op::OpLine) line = {each[1], each[2]};
    if (accesses && variable == each[3] && used.line == 0) used = line;
  });
  const std::string what = variable ? quote(name_of(*variable)) : "an array or a structure";
  refuse(what + " has more than " + std::to_string(most_leaves) + " vectors, which is not supported", used,
         "an array without a length in a buffer may have more");
}

/// False: there are too many.
bool SpirvModule::count_leaves(SpirvType& type) const {
  std::uint64_t leaves = 1;
  switch (type.kind) {
    case Kind::matrix:
      leaves = type.count;
      break;
    case Kind::array:
      leaves = std::uint64_t{type.count} * this->type(type.element).leaves;
      break;
    case Kind::structure:
      leaves = 0;
      for (const Id member : type.members) {
        type.first_leaf.push_back(static_cast<std::uint32_t>(leaves));
        leaves += this->type(member).leaves;
        if (leaves > most_leaves) break;
      }
      break;
    case Kind::endless_array:
      leaves = this->type(type.element).leaves;
      break;
    default:
      break;
  }
  type.leaves = static_cast<std::uint32_t>(leaves);
  return leaves <= most_leaves;
}

const SpirvType& SpirvModule::type(Id id) const {
  static const SpirvType nothing;
  const auto found = types_.find(id);
  return found == types_.end() ? nothing : found->second;
}

std::vector<std::string> SpirvModule::indices_of_blocks(Id type) const {
  constexpr std::uint64_t most = 256;
  std::vector<std::string> indices{""};
  for (const SpirvType* what = &this->type(type); what->kind != SpirvType::Kind::structure;
       what = &this->type(what->element)) {
    if (what->kind != SpirvType::Kind::array || indices.size() * std::uint64_t{what->count} > most) return {};
    std::vector<std::string> longer;
    for (const std::string& each : indices)
      for (std::uint32_t i = 0; i < what->count; ++i) longer.push_back(each + '[' + std::to_string(i) + ']');
    indices = std::move(longer);
  }
  return indices;
}

std::string SpirvModule::name_of(Id id) const {
  const auto found = names_.find(id);
  return found == names_.end() || found->second.empty() ? "_" + std::to_string(id) : found->second;
}

std::string SpirvModule::member_name(Id structure, std::uint32_t member) const {
  const auto found = member_names_.find({structure, member});
  return found == member_names_.end() || found->second.empty() ? "_" + std::to_string(member) : found->second;
}

const Decorations& SpirvModule::decorations(Id id) const {
  static const Decorations nothing;
  const auto found = decorations_.find(id);
  return found == decorations_.end() ? nothing : found->second;
}
const Decorations& SpirvModule::decorations(Id structure, std::uint32_t member) const {
  static const Decorations nothing;
  const auto found = member_decorations_.find({structure, member});
  return found == member_decorations_.end() ? nothing : found->second;
}

std::optional<std::uint32_t> SpirvModule::constant(Id id) const {
  const auto found = constants_.find(id);
  return found == constants_.end() ? std::nullopt : std::optional(found->second);
}

Type SpirvModule::vector_type(Id id) const {
  const SpirvType& found = type(id);
  if (found.kind == Kind::vector) {
    Type element = vector_type(found.element);
    element.components = static_cast<std::uint8_t>(found.count);
    return element;
  }
  if (found.bits != 32)
    refuse("numbers of " + std::to_string(found.bits) + " bits are not supported", {}, "use int, uint and float");
  switch (found.kind) {
    case Kind::boolean:
      return {Base::boolean};
    case Kind::integer:
      return {Base::integer};
    case Kind::real:
      return {Base::real};
    default:
      refuse("a sampler or an image inside an array or a structure is not supported");
  }
}

std::vector<Leaf> SpirvModule::leaves(Id id, bool relaxed) const {
  std::vector<Leaf> found;
  found.reserve(type(id).leaves);
  add_leaves(found, id, "", relaxed);
  return found;
}

void SpirvModule::add_leaves(std::vector<Leaf>& found, Id id, const std::string& path, bool relaxed) const {
  const SpirvType& here = type(id);
  const auto indexed = [&](std::uint32_t index) { return path + '[' + std::to_string(index) + ']'; };
  switch (here.kind) {
    case Kind::matrix:
    case Kind::array:
      for (std::uint32_t i = 0; i < here.count; ++i) add_leaves(found, here.element, indexed(i), relaxed);
      return;
    case Kind::endless_array:
      return add_leaves(found, here.element, indexed(0), relaxed);
    case Kind::structure:
      for (std::uint32_t i = 0; i < here.members.size(); ++i)
        add_leaves(found, here.members[i], path + '.' + member_name(id, i), relaxed || decorations(id, i).relaxed);
      return;
    case Kind::image:
    case Kind::sampler:
    case Kind::combined:
      found.push_back({path, {Base::none, 0}, false, id});
      return;
    default: {
      Type leaf = vector_type(id);
      leaf.relaxed = relaxed && leaf.base != Base::boolean;
      const bool is_signed = type(here.kind == Kind::vector ? here.element : id).is_signed;
      found.push_back({path, leaf, is_signed});
    }
  }
}

}  // namespace mobula::ssa
