#include "compile/front/locations.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

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
    for (const Variable& each : variables_) {
      Taken& taken = each.is_input ? taken_by_inputs_ : taken_by_outputs_;
      append(made, spv::Op::OpDecorate,
             {each.id, static_cast<std::uint32_t>(spv::Decoration::Location), taken.next(each.locations)});
    }
    made.insert(made.end(), module_.begin() + static_cast<std::ptrdiff_t>(types_at_), module_.end());
    return made;
  }

 private:
  /// Locations that the source gives, and those that have been counted.
  class Taken {
   public:
    void add(std::uint32_t first, std::uint32_t count) {
      constexpr std::uint32_t most = 1024;  // more than any shader can have
      for (std::uint32_t at = first; at < first + count && at < most; ++at) given_.insert(at);
    }
    /// So many in a row, behind all that were counted before.
    std::uint32_t next(std::uint32_t count) {
      for (std::uint32_t at = counted_; at < counted_ + count; ++at)
        if (given_.contains(at)) counted_ = at + 1;
      return std::exchange(counted_, counted_ + count);
    }

   private:
    std::set<std::uint32_t> given_;
    std::uint32_t counted_ = 0;
  };
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
        if (is_location(each[2])) given_[each[1]] = each[3];
        break;
      case spv::Op::OpMemberDecorate:
        if (places(each[3])) placed_.insert(each[1]);
        if (is_location(each[3])) given_of_members_[each[1]][each[2]] = each[4];
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
        for (std::size_t i = 2; i < each.size(); ++i) {
          locations_[each[1]] += locations_of(each[i]);
          sizes_of_members_[each[1]].push_back(locations_of(each[i]));
        }
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
  static bool is_location(std::uint32_t decoration) {
    return static_cast<spv::Decoration>(decoration) == spv::Decoration::Location;
  }
  static bool places(std::uint32_t decoration) {
    return is_location(decoration) || static_cast<spv::Decoration>(decoration) == spv::Decoration::BuiltIn;
  }
  std::uint32_t locations_of(Id type) const {
    const auto found = locations_.find(type);
    return found == locations_.end() ? 1 : found->second;
  }

  void place(Id variable, Id type, spv::StorageClass storage) {
    if (storage != spv::StorageClass::Input && storage != spv::StorageClass::Output) return;
    Taken& taken = storage == spv::StorageClass::Input ? taken_by_inputs_ : taken_by_outputs_;
    if (const auto given = given_.find(variable); given != given_.end()) taken.add(given->second, locations_of(type));
    if (const auto given = given_of_members_.find(type); given != given_of_members_.end())
      for (const auto& [member, location] : given->second) taken.add(location, sizes_of_members_[type][member]);
    if (placed_.contains(variable) || placed_.contains(type)) return;
    variables_.push_back({variable, names_[variable], locations_of(type), storage == spv::StorageClass::Input});
  }

  const Spirv& module_;
  std::unordered_set<Id> placed_;  ///< variables and structures with locations, or of GLSL's own
  std::unordered_map<Id, std::uint32_t> constants_, locations_;
  std::unordered_map<Id, Id> pointees_;
  std::unordered_map<Id, std::string> names_;
  std::unordered_map<Id, std::uint32_t> given_;                                      ///< to variables
  std::unordered_map<Id, std::map<std::uint32_t, std::uint32_t>> given_of_members_;  ///< by structure, by member
  std::unordered_map<Id, std::vector<std::uint32_t>> sizes_of_members_;
  Taken taken_by_inputs_, taken_by_outputs_;
  std::vector<Variable> variables_;            ///< that have none
  std::size_t types_at_ = spirv_header_words;  ///< behind all decorations
};

}  // namespace

Spirv with_locations(const Spirv& module, std::span<const std::string> declared) {
  return Locations(module).run(declared);
}

}  // namespace mobula::compile
