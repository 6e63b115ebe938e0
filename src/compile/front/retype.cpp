#include "compile/front/retype.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "compile/front/words.h"

namespace mobula::compile {
namespace {

bool is_interface(std::uint32_t storage) {
  switch (static_cast<spv::StorageClass>(storage)) {
    case spv::StorageClass::Input:
    case spv::StorageClass::Output:
    case spv::StorageClass::Uniform:
    case spv::StorageClass::UniformConstant:
      return true;
    default:
      return false;
  }
}

class Retyper {
 public:
  explicit Retyper(Spirv module) : in_(std::move(module)) {
    for_each_instruction(in_, [&](SpirvWords each) { collect(each); });
  }

  Spirv run() {
    if (boolean_ == 0 || pointers_.empty()) return std::move(in_);
    bound_ = in_[spirv_bound];
    if (unsigned_ == 0) unsigned_ = bound_++;
    zero_ = bound_++;
    one_ = bound_++;
    changed_[boolean_] = unsigned_;
    for (const auto& [type, _] : types_)
      if (has_booleans(type)) changed_[type] = bound_++;
    out_.assign(in_.begin(), in_.begin() + spirv_header_words);
    for_each_instruction(in_, [&](SpirvWords each) { rewrite(each); });
    out_[spirv_bound] = bound_;
    return std::move(out_);
  }

 private:
  using Id = std::uint32_t;

  void collect(SpirvWords each) {
    switch (each.op()) {
      case spv::Op::OpTypeBool:
        boolean_ = each[1];
        with_booleans_.insert(boolean_);
        break;
      case spv::Op::OpTypeInt:
        if (each[2] == 32 && each[3] == 0) unsigned_ = each[1];
        break;
      case spv::Op::OpTypeVector:
        declare(each[1], std::vector<Id>(each[3], each[2]));
        break;
      case spv::Op::OpTypeArray:
        declare(each[1], std::vector<Id>(length_of(each[3]), each[2]));
        break;
      case spv::Op::OpTypeStruct:
        declare(each[1], {each.words.begin() + 2, each.words.end()});
        break;
      case spv::Op::OpConstant:
        constants_[each[2]] = each[3];
        break;
      case spv::Op::OpTypePointer:
        if (is_interface(each[2]) && has_booleans(each[3])) pointers_[each[1]] = each[3];
        break;
      default:
        break;
    }
  }

  std::size_t length_of(Id constant) const {
    constexpr std::size_t most = 4096;  // longer arrays do not fit any interface
    const auto found = constants_.find(constant);
    return found == constants_.end() ? 0 : std::min<std::size_t>(found->second, most);
  }
  /// Types are declared after those that they are made of.
  void declare(Id type, std::vector<Id> parts) {
    if (std::ranges::any_of(parts, [&](Id part) { return has_booleans(part); })) with_booleans_.insert(type);
    types_[type] = std::move(parts);
  }
  bool has_booleans(Id type) const { return with_booleans_.contains(type); }
  Id changed(Id type) const {
    const auto found = changed_.find(type);
    return found == changed_.end() ? type : found->second;
  }

  void copy(SpirvWords each) { out_.insert(out_.end(), each.words.begin(), each.words.end()); }

  void rewrite(SpirvWords each) {
    switch (each.op()) {
      case spv::Op::OpMemberName:
      case spv::Op::OpMemberDecorate:
        copy(each);
        copy_for_changed(each);
        return;
      case spv::Op::OpTypeBool:
        copy(each);
        add_unsigned();
        return;
      case spv::Op::OpTypeInt:
        if (each[1] == unsigned_)
          add_unsigned();
        else
          copy(each);
        return;
      case spv::Op::OpTypeVector:
      case spv::Op::OpTypeArray:
      case spv::Op::OpTypeStruct:
        copy(each);
        if (has_booleans(each[1])) add_changed(each);
        return;
      case spv::Op::OpTypePointer:
        if (pointers_.contains(each[1]))
          append(out_, each.op(), {each[1], each[2], changed(each[3])});
        else
          copy(each);
        return;
      case spv::Op::OpVariable:
      case spv::Op::OpAccessChain:
      case spv::Op::OpInBoundsAccessChain:
        if (const auto pointer = pointers_.find(each[1]); pointer != pointers_.end())
          pointees_[each[2]] = pointer->second;
        copy(each);
        return;
      case spv::Op::OpLoad:
        load(each);
        return;
      case spv::Op::OpStore:
        store(each);
        return;
      default:
        copy(each);
    }
  }

  /// What is said of a structure's members is said of those of the changed one, too.
  void copy_for_changed(SpirvWords each) {
    if (changed(each[1]) == each[1]) return;
    std::vector<Id> operands(each.words.begin() + 1, each.words.end());
    operands[0] = changed(each[1]);
    append(out_, each.op(), operands);
  }

  /// In front of all types, since any may need them.
  /// At the first place that needs it: its own, or that of the booleans.
  void add_unsigned() {
    if (std::exchange(has_unsigned_, true)) return;
    append(out_, spv::Op::OpTypeInt, {unsigned_, 32, 0});
    append(out_, spv::Op::OpConstant, {unsigned_, zero_, 0});
    append(out_, spv::Op::OpConstant, {unsigned_, one_, 1});
  }
  void add_changed(SpirvWords type) {
    const Id id = changed_.at(type[1]);
    std::vector<Id> operands(type.words.begin() + 1, type.words.end());
    operands[0] = id;
    if (type.op() == spv::Op::OpTypeStruct)
      for (std::size_t i = 1; i < operands.size(); ++i) operands[i] = changed(operands[i]);
    else
      operands[1] = changed(operands[1]);
    append(out_, type.op(), operands);
    if (type.op() != spv::Op::OpTypeVector) return;
    const std::size_t count = types_[type[1]].size();
    for (auto& [of_vectors, scalar] : {std::pair{&zeros_, zero_}, {&ones_, one_}}) {
      std::vector<Id> parts{id, bound_};
      parts.insert(parts.end(), count, scalar);
      append(out_, spv::Op::OpConstantComposite, parts);
      (*of_vectors)[type[1]] = bound_++;
    }
  }

  void load(SpirvWords each) {
    const auto pointee = pointees_.find(each[3]);
    if (pointee == pointees_.end()) return copy(each);
    const Id loaded = bound_++;
    std::vector<Id> operands(each.words.begin() + 1, each.words.end());
    operands[0] = changed(pointee->second);
    operands[1] = loaded;
    append(out_, spv::Op::OpLoad, operands);
    to_boolean(pointee->second, loaded, each[2]);
  }
  void store(SpirvWords each) {
    const auto pointee = pointees_.find(each[1]);
    if (pointee == pointees_.end()) return copy(each);
    std::vector<Id> operands(each.words.begin() + 1, each.words.end());
    operands[1] = to_unsigned(pointee->second, each[2]);
    append(out_, spv::Op::OpStore, operands);
  }

  bool is_scalar_or_vector(Id type) const { return type == boolean_ || zeros_.contains(type); }

  /// `result` is made of `value`, of the changed `type`.
  void to_boolean(Id type, Id value, Id result) {
    if (is_scalar_or_vector(type)) {
      const Id zero = type == boolean_ ? zero_ : zeros_.at(type);
      append(out_, spv::Op::OpINotEqual, {type, result, value, zero});
      return;
    }
    std::vector<Id> parts{type, result};
    for (Id i = 0; i < types_[type].size(); ++i) {
      const Id member = types_[type][i], extracted = bound_++;
      append(out_, spv::Op::OpCompositeExtract, {changed(member), extracted, value, i});
      Id part = extracted;
      if (changed(member) != member) to_boolean(member, extracted, part = bound_++);
      parts.push_back(part);
    }
    append(out_, spv::Op::OpCompositeConstruct, parts);
  }
  Id to_unsigned(Id type, Id value) {
    const Id result = bound_++;
    if (is_scalar_or_vector(type)) {
      const Id zero = type == boolean_ ? zero_ : zeros_.at(type), one = type == boolean_ ? one_ : ones_.at(type);
      append(out_, spv::Op::OpSelect, {changed(type), result, value, one, zero});
      return result;
    }
    std::vector<Id> parts{changed(type), result};
    for (Id i = 0; i < types_[type].size(); ++i) {
      const Id member = types_[type][i], extracted = bound_++;
      append(out_, spv::Op::OpCompositeExtract, {member, extracted, value, i});
      parts.push_back(changed(member) == member ? extracted : to_unsigned(member, extracted));
    }
    append(out_, spv::Op::OpCompositeConstruct, parts);
    return result;
  }

  Spirv in_, out_;
  bool has_unsigned_ = false;
  Id boolean_ = 0, unsigned_ = 0, zero_ = 0, one_ = 0, bound_ = 0;
  std::set<Id> with_booleans_;
  std::map<Id, std::vector<Id>> types_;  ///< parts of vectors, arrays and structures
  std::map<Id, std::uint32_t> constants_;
  std::map<Id, Id> pointers_;                ///< types that are changed, and what they point to
  std::map<Id, Id> pointees_;                ///< values of such types
  std::map<Id, Id> changed_, zeros_, ones_;  ///< by the type as it was
};

}  // namespace

Spirv without_interface_booleans(Spirv module) { return Retyper(std::move(module)).run(); }

}  // namespace mobula::compile
