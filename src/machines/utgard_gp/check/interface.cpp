// Rules about what a program and its container or side file tell each other: attributes, varyings, prefetch, position.
#include <bitset>
#include <optional>
#include <string_view>

#include "core/counted.h"
#include "machines/utgard_gp/check/report.h"

namespace mobula::utgard_gp {
namespace {

/// The number of a varying that the interface gives, or that of the output with this name.
std::optional<unsigned> find_varying(const Report& report, const std::optional<std::uint32_t>& told,
                                     std::string_view name) {
  if (told) return *told < varying_count ? told : std::nullopt;
  for (const Variable& output : report.program.interface.outputs)
    if (output.name == name && output.driver_location >= 0 &&
        static_cast<unsigned>(output.driver_location) < varying_count)
      return static_cast<unsigned>(output.driver_location);
  return std::nullopt;
}
std::optional<unsigned> find_position(const Report& report) {
  return find_varying(report, report.program.interface.position, "gl_Position");
}
std::optional<unsigned> find_point_size(const Report& report) {
  return find_varying(report, report.program.interface.point_size, "gl_PointSize");
}

bool loads_attribute(const Report& report, std::uint16_t index) {
  const Word128& word = report.words[index];
  if (get(word, word::port0_attr) == 0) return false;
  if (components_read(word, Source::port0) != 0) return true;
  for (const std::uint16_t next : report.flow.successors(index))
    if (components_read(report.words[next], Source::previous_port0) != 0) return true;
  return false;
}

void check_attributes(Report& report) {
  const Interface& interface = report.program.interface;
  report.for_each_reached([&](std::uint16_t word) {
    if (!loads_attribute(report, word)) return;
    const auto number = static_cast<unsigned>(get(report.words[word], word::port0_index));
    if (!interface.inputs.empty() && report.names.attribute(number).empty())
      report.add(RuleId::attribute_announced, word, bits_of(word::port0_index),
                 "attribute " + std::to_string(number) + " is not among the inputs");
    if (interface.prefetch && word > *interface.prefetch)
      report.add(RuleId::prefetch, word, bits_of(word::port0_attr),
                 "word " + std::to_string(word) +
                     " loads an attribute, but the last word announced to load one is word " +
                     std::to_string(*interface.prefetch));
  });
}

void check_varyings(Report& report) {
  std::bitset<varying_count> stored;
  std::uint16_t word_of_excess = 0;
  std::size_t allowed = fragment_varyings + 2;
  report.for_each_reached([&](std::uint16_t word) {
    for (unsigned half = 0; half < 2; ++half) {
      const StoreHalf store = store_half(report.words[word], half);
      if (store.kind != StoreKind::varying) continue;
      if (!stored.test(store.index) && stored.count() == allowed) word_of_excess = word;
      stored.set(store.index);
      if (!report.program.interface.outputs.empty() && report.names.varying(store.index).empty())
        report.add(RuleId::varying_announced, word, bits_of(half == 0 ? word::st0_index : word::st1_index),
                   "varying " + std::to_string(store.index) + " is not among the outputs");
    }
  });
  if (find_position(report) && !find_point_size(report)) --allowed;
  if (stored.count() > allowed)
    report.add(RuleId::fragment_varyings, word_of_excess, bits_of(word::st0_index),
               counted(stored.count(), "varying is", "varyings are") + " stored");
}

bool stores_varying(const Word128& word, unsigned number, unsigned component) {
  const StoreHalf store = store_half(word, component / 2);
  return store.kind == StoreKind::varying && store.index == number && store.selector[component % 2] != store_nothing;
}

void check_position(Report& report) {
  const std::optional<unsigned> position = find_position(report);
  if (!position || report.words.empty()) return;
  const auto last = static_cast<std::uint16_t>(report.count() - 1);
  if (!report.flow.leaves(last)) return;
  unsigned missing = 0;
  Path path;
  for (unsigned c = 0; c < 4; ++c) {
    const auto stores = [&](std::uint16_t word) { return stores_varying(report.words[word], *position, c); };
    const Reach reach(report.flow, stores);
    if (!reach.reaches(last) || stores(last)) continue;
    missing |= 1u << c;
    if (path.empty()) path = reach.path_to(last);
  }
  if (missing != 0)
    report.add(RuleId::position, last, {},
               "gl_Position (varying " + std::to_string(*position) + ") ends without " + components(missing) +
                   " on the path " + text_of(path));
}

}  // namespace

void check_interface(Report& report) {
  check_attributes(report);
  check_varyings(report);
  check_position(report);
}

}  // namespace mobula::utgard_gp
