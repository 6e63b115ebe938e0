// Rules about results of earlier words: what [-1] and [-2] selectors, and store selectors, find on every path.
#include <algorithm>
#include <set>

#include "machines/utgard_gp/check/report.h"
#include "machines/utgard_gp/spec/forwarding.h"

namespace mobula::utgard_gp {
namespace {

std::string_view spelling(const Word128& word, const OperandField& operand) {
  return value::source[get(word, *operand.field)].name;
}

class ForwardingChecker {
 public:
  explicit ForwardingChecker(Report& report) : report_(report) {}

  void check_operand(std::uint16_t word, const OperandField& operand) {
    const ForwardedSource source =
        forwarded_source(static_cast<unsigned>(get(report_.words[word], *operand.field)), operand.b);
    if (source.age == 0 || !is_live(report_.words[word], operand)) return;
    word_ = word;
    operand_ = &operand;
    source_ = source;
    producers_.clear();
    broken_ = false;
    crossing_.clear();
    report_.flow.for_each_path(word, source.age, [&](const Path& path) { follow(path); });
    if (broken_) return;
    if (producers_.size() > 1)
      add(RuleId::forwarded_join, listed_producers() + " on different paths");
    else if (!crossing_.empty())
      add(RuleId::forwarded_edge, "the value of " + address_of(*producers_.begin()) + " on the path " +
                                      text_of(crossing_) + ", which a branch can leave or join");
  }

  void check_store(std::uint16_t word, unsigned half) {
    const Word128& bits = report_.words[word];
    const StoreHalf store = store_half(bits, half);
    const Field* const fields[2][2] = {{&word::st0_x, &word::st0_y}, {&word::st1_z, &word::st1_w}};
    for (unsigned i = 0; i < 2; ++i) {
      const unsigned selector = store.selector[i];
      if (selector == store_nothing || selector == store_unknown) continue;
      const Unit unit = stored_unit(selector);
      const BitRange place = bits_of(*fields[half][i]);
      if (!is_active(bits, unit))
        report_.add(RuleId::idle_unit, word, place, std::string(info(unit).name) + " is stored but idle in this word");
      else if (is_late(bits, unit))
        report_.add(RuleId::complex1_early, word, place, "complex1 is stored in its own word");
    }
  }

 private:
  void add(RuleId id, const std::string& found) {
    report_.add(id, word_, bits_of(*operand_->field),
                std::string(operand_->field->name) + " reads " +
                    std::string(spelling(report_.words[word_], *operand_)) + ": " + found);
  }

  void follow(const Path& path) {
    const std::uint16_t producer = path.front();
    if (producer != before_start && !report_.reached(producer)) return;
    if (producer == before_start) {
      // Word 0 may be reached from a branch as well; the same path is then not said twice.
      if (!producers_.insert(producer).second) return;
      broken_ = true;
      return add(RuleId::nothing_before, "on the path " + text_of(path) + " there is no such word");
    }
    if (!producers_.insert(producer).second) return;
    const Word128& bits = report_.words[producer];
    const bool from_unit = source_.channel < unit_count;
    if (from_unit && !is_active(bits, static_cast<Unit>(source_.channel))) {
      broken_ = true;
      return add(RuleId::idle_unit, "the unit is idle in " + address_of(producer) + ", on the path " + text_of(path));
    }
    if (source_.age == 1 && from_unit && is_late(bits, static_cast<Unit>(source_.channel))) {
      broken_ = true;
      return add(RuleId::complex1_early,
                 address_of(producer) + " is complex1, one word earlier on the path " + text_of(path));
    }
    for (std::size_t at = 1; at < path.size(); ++at)
      if (crossing_.empty() && (is_branch(report_.words[path[at - 1]]) || report_.flow.is_join(path[at])))
        crossing_ = path;
  }

  [[nodiscard]] std::string listed_producers() const {
    constexpr std::size_t shown = 4;
    std::string text = "the value is that of ";
    std::size_t count = 0;
    for (const std::uint16_t producer : producers_) {
      if (count++ == shown) return text + " and others";
      text += (count == 1 ? "" : ", ") + address_of(producer);
    }
    return text;
  }

  Report& report_;
  std::uint16_t word_ = 0;
  const OperandField* operand_ = nullptr;
  ForwardedSource source_;
  std::set<std::uint16_t> producers_;
  bool broken_ = false;
  Path crossing_;  ///< the first path that crosses an edge of the control flow
};

}  // namespace

void check_forwarding(Report& report) {
  ForwardingChecker checker(report);
  report.for_each_reached([&](std::uint16_t word) {
    for (const OperandField& operand : operand_fields) checker.check_operand(word, operand);
    for (unsigned half = 0; half < 2; ++half) checker.check_store(word, half);
  });
}

}  // namespace mobula::utgard_gp
