#include "compile/front/locations.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "compile/front/words.h"

namespace mobula::compile {
namespace {

using Id = std::uint32_t;

class Locations {
 public:
  explicit Locations(const Spirv& module) : module_(module) {
    for_each_instruction(module, [&](SpirvWords each) { read(each); });
  }

  /// Counts them in the order of these names.
  Spirv run(std::span<const std::string> names) {
    std::unordered_map<std::string_view, std::size_t> order;
    for (const std::string& name : names) order.try_emplace(name, order.size());
    std::ranges::stable_sort(variables_, {}, [&](const Variable& each) {
      const auto found = order.find(each.name);
      return found == order.end() ? order.size() : found->second;
    });
    Spirv made(module_.begin(), module_.begin() + static_cast<std::ptrdiff_t>(types_at_));
    std::uint32_t next_input = 0, next_output = 0;
    for (const Variable& each : variables_) {
      std::uint32_t& next = each.is_input ? next_input : next_output;
      append(made, spv::Op::OpDecorate, {each.id, static_cast<std::uint32_t>(spv::Decoration::Location), next});
      next += each.locations;
    }
    made.insert(made.end(), module_.begin() + static_cast<std::ptrdiff_t>(types_at_), module_.end());
    return made;
  }

 private:
  struct Variable {
    Id id = 0;
    std::string name;
    std::uint32_t locations = 1;
    bool is_input = false;
  };

  void read(SpirvWords each) {
    switch (each.op()) {
      case spv::Op::OpTypeVoid:  // glslang begins with it
        types_at_ = static_cast<std::size_t>(each.words.data() - module_.data());
        break;
      case spv::Op::OpName:
        names_[each[1]] = text_at(each.words.subspan(2));
        // not all of GLSL's own are known to SPIR-V: gl_Vertex
        if (names_[each[1]].starts_with("gl_")) placed_.insert(each[1]);
        break;
      case spv::Op::OpDecorate:
        if (places(each[2])) placed_.insert(each[1]);
        break;
      case spv::Op::OpMemberDecorate:
        if (places(each[3])) placed_.insert(each[1]);
        break;
      case spv::Op::OpConstant:
        constants_[each[2]] = each[3];
        break;
      case spv::Op::OpTypeMatrix:
        locations_[each[1]] = each[3];
        break;
      case spv::Op::OpTypeArray:
        locations_[each[1]] = locations_of(each[2]) * constants_[each[3]];
        if (placed_.contains(each[2])) placed_.insert(each[1]);
        break;
      case spv::Op::OpTypeStruct:
        locations_[each[1]] = 0;
        for (std::size_t i = 2; i < each.size(); ++i) locations_[each[1]] += locations_of(each[i]);
        break;
      case spv::Op::OpTypePointer:
        pointees_[each[1]] = each[3];
        break;
      case spv::Op::OpVariable:
        place(each[2], pointees_[each[1]], static_cast<spv::StorageClass>(each[3]));
        break;
      default:
        break;
    }
  }
  static bool places(std::uint32_t decoration) {
    const auto kind = static_cast<spv::Decoration>(decoration);
    return kind == spv::Decoration::Location || kind == spv::Decoration::BuiltIn;
  }
  std::uint32_t locations_of(Id type) const {
    const auto found = locations_.find(type);
    return found == locations_.end() ? 1 : found->second;
  }

  void place(Id variable, Id type, spv::StorageClass storage) {
    if (storage != spv::StorageClass::Input && storage != spv::StorageClass::Output) return;
    if (placed_.contains(variable) || placed_.contains(type)) return;
    variables_.push_back({variable, names_[variable], locations_of(type), storage == spv::StorageClass::Input});
  }

  const Spirv& module_;
  std::unordered_set<Id> placed_;  ///< variables and structures with locations, or of GLSL's own
  std::unordered_map<Id, std::uint32_t> constants_, locations_;
  std::unordered_map<Id, Id> pointees_;
  std::unordered_map<Id, std::string> names_;
  std::vector<Variable> variables_;            ///< that have none
  std::size_t types_at_ = spirv_header_words;  ///< behind all decorations
};

}  // namespace

Spirv with_locations(const Spirv& module, std::span<const std::string> declared) {
  return Locations(module).run(declared);
}

}  // namespace mobula::compile
