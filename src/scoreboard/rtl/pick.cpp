// Pickers (§2.5): which requests are granted, by number, grants in one clock, and ports of the banks, word lanes and
// byte crossbars (§6.3).
//
// Units have their turns one after the other. Where a turn depends on more than counts, `given` has the units granted
// before it in this clock.
#include <fmt/format.h>

#include <bit>
#include <set>

#include "scoreboard/rtl/rtl.h"

namespace mobula::scoreboard {
namespace {

using fmt::format;

/// A unit, each with the condition under which it is that one; empty = it is.
using Choice = std::vector<std::pair<std::string, std::uint32_t>>;

/// One unit's turn at one picker.
struct Turn {
  std::string name;
  std::uint32_t picker = 0;
  Choice unit;
  Choice high;        ///< the high half that is granted with it; empty = none can be
  std::string given;  ///< what the picker has granted before in this clock; empty = nothing
};

/// What a turn wants: an operand of its unit, or of the high half.
struct Ask {
  std::string name;
  std::uint32_t operand = 0;
  const Choice& who;
};

class PickWriter {
 public:
  PickWriter(const Rtl& rtl, bool reads)
      : rtl_(rtl),
        reads_(reads),
        f_(rtl.g.units),
        pickers_(reads ? rtl.g.read_grants : rtl.g.write_grants),
        firsts_(reads ? rtl.sources() : rtl.destinations()),
        operands_(reads ? rtl.source_registers() : rtl.destination_registers()),
        limit_(reads ? rtl.config.ports.read : rtl.config.ports.write),
        bank_ports_(reads ? rtl.config.banks.read : rtl.config.banks.write),
        lanes_(reads ? rtl.word_lanes() : 0),
        routes_one_(reads && rtl.routes_one()),
        broadcasts_(reads && rtl.broadcasts()),
        halves_share_(rtl.independent_pairs() && bank_ports_ != 0 && !broadcasts_),
        unlimited_(limit_ == 0 && !rtl.selective(reads)),
        rotates_(rtl.config.ports.priority == Priority::rotate && !unlimited_),
        oldest_(rtl.config.ports.priority == Priority::oldest && !unlimited_),
        m_(reads ? "sb_pick_rd" : "sb_pick_wr",
           reads ? "Grants reads of the register file." : "Grants writes of the register file.") {}

  Module make() {
    ports();
    for (std::uint32_t k = 0; k < pickers_; ++k) requests(k);
    if (unlimited_)
      for (std::uint32_t k = 0; k < pickers_; ++k) m_.wire(format("picked{}", k), f_, format("wanted{}", k));
    else if (oldest_ && rtl_.selective(reads_))
      by_age_and_ports();
    else if (oldest_)
      for (std::uint32_t k = 0; k < pickers_; ++k) by_age(k);
    else
      by_number();
    for (std::uint32_t k = 0; k < pickers_; ++k) m_.assign(format("go{}", k), with_high_halves(k));
    return m_.end();
  }

 private:
  void ports() {
    if (rotates_) m_.clock();
    if (rtl_.lockstep()) {
      m_.in("pair_low", f_);
      m_.in("pair_high", f_);
    } else if (halves_share_) {
      m_.in("pair_low", f_);
    }
    if (oldest_)
      for (std::uint32_t u = 0; u < f_; ++u) m_.in(format("older_than_{}", u), f_);
    if (bank_ports_ != 0)
      for (std::uint32_t u = 0; u < f_; ++u)
        for (std::uint32_t k = 0; k < operands_; ++k) m_.in(format("banks{}_{}", k, u), rtl_.banks());
    for (std::uint32_t u = 0; u < f_; ++u)
      for (std::uint32_t k = 0; reads_ && rtl_.compares_registers(u) && k < operands_; ++k)
        m_.in(format("reg{}_{}", k, u), place_bits(rtl_));
    for (std::uint32_t k = 0; k < operands_; ++k) {
      if (lanes_ != 0 || (rtl_.halves_use_ports_apart() && k < firsts_)) m_.in(format("uses{}", k), f_);
      if (routes_one_ && k < firsts_) m_.in(format("narrow{}", k), f_);
    }
    for (std::uint32_t k = 0; k < pickers_; ++k) {
      m_.in(format("request{}", k), f_);
      m_.out(format("go{}", k), f_);
    }
  }

  /// The units that may be granted; of a pair in lock step only its low one, and only when both ask.
  void requests(std::uint32_t k) {
    m_.wire(format("wanted{}", k), f_,
            rtl_.lockstep()
                ? format("(request{0} & ~(pair_low | pair_high)) | (request{0} & pair_low & ({1} >> 1))", k,
                         rtl_.halves_use_ports_apart() ? format("(request{0} | ~uses{0})", k) : format("request{}", k))
                : format("request{}", k));
  }
  [[nodiscard]] std::string with_high_halves(std::uint32_t k) const {
    if (!rtl_.lockstep()) return format("picked{}", k);
    if (!rtl_.halves_use_ports_apart()) return format("picked{0} | ((picked{0} & pair_low) << 1)", k);
    return format("picked{0} | (((picked{0} & pair_low) << 1) & request{0})", k);
  }

  /// `limit_` times the oldest of those left. Halves of a pair are of the same age: the low one first.
  void by_age(std::uint32_t k) {
    std::vector<std::string> picked;
    std::string left = format("wanted{}", k);
    for (std::uint32_t n = 0; n < limit_; ++n) {
      const std::string pick = format("pick{}_{}", k, n);
      oldest_of(left, format("{}_{}", k, n));
      picked.push_back(pick);
      const std::string rest = format("left{}_{}", k, n);
      if (n + 1 < limit_) m_.wire(rest, f_, format("{} & ~{}", left, pick));
      left = rest;
    }
    m_.wire(format("picked{}", k), f_, join(picked, " | ", ""));
  }

  /// Wire pick<name>: the oldest unit of `left`.
  void oldest_of(const std::string& left, const std::string& name) {
    std::vector<std::string> bits;
    for (std::uint32_t u = f_; u-- != 0;) bits.push_back(format("{}[{}] & ~|({} & older_than_{})", left, u, left, u));
    m_.wire("oldest" + name, f_, '{' + join(bits, ", ", "") + '}');
    m_.wire("pick" + name, f_, format("oldest{0} & (~oldest{0} + {1})", name, number(f_, 1)));
  }

  /// One unit after the other, the oldest first; one that finds no port of its banks lets younger ones try.
  void by_age_and_ports() {
    if (bank_ports_ != 0) needs();
    const std::uint32_t w = count_width(), counter = static_cast<std::uint32_t>(std::bit_width(limit_));
    std::vector<std::string> used(bank_ports_ == 0 ? 0 : rtl_.banks(), number(w, 0));
    for (std::uint32_t k = 0; k < pickers_; ++k) {
      std::vector<std::string> picked;
      std::string left = format("wanted{}", k), granted = number(counter, 0), given;
      for (std::uint32_t n = 0; n < f_; ++n) {
        const std::string name = format("{}_{}", k, n);
        oldest_of(left, name);
        const Turn turn = oldest_turn(name, k, given);
        std::string condition = "(|pick" + name + ')';
        if (limit_ != 0) condition += format(" & ({} < {})", granted, number(counter, limit_));
        condition += ways(turn);
        for (std::uint32_t b = 0; b < used.size(); ++b) {
          const std::string need = format("need_{}_{}", name, b);
          m_.wire(need, w, shares() ? accesses(turn, b) : choice(turn.unit, w, [&](std::uint32_t u) {
                    return format("need{}_{}_{}", k, u, b);
                  }));
          condition += format(" & ({} + {} <= {})", used[b], need, number(w, bank_ports_));
        }
        m_.wire("grant_" + name, 0, condition);
        picked.push_back(format("({} & pick{})", repeat(f_, "grant_" + name), name));
        const bool last = n + 1 == f_;
        for (std::uint32_t b = 0; b < used.size() && !(last && k + 1 == pickers_); ++b) {
          const std::string after = format("used_{}_{}", name, b);
          m_.wire(after, w, format("grant_{0} ? {1} + need_{0}_{2} : {1}", name, used[b], b));
          used[b] = after;
        }
        if (last) break;
        if (limit_ != 0) {
          const std::string after = "granted_" + name;
          m_.wire(after, counter,
                  format("{} + {{{}grant_{}}}", granted, counter > 1 ? number(counter - 1, 0) + ", " : "", name));
          granted = after;
        }
        if (remembers()) given = give(turn, "given_" + name);
        m_.wire("left" + name, f_, format("{} & ~pick{}", left, name));
        left = "left" + name;
      }
      m_.wire(format("picked{}", k), f_, join(picked, " | ", ""));
    }
  }

  [[nodiscard]] Turn oldest_turn(const std::string& name, std::uint32_t k, const std::string& given) const {
    Turn turn{name, k, {}, {}, given};
    for (std::uint32_t u = 0; u < f_; ++u) turn.unit.emplace_back(format("pick{}[{}]", name, u), u);
    for (std::uint32_t u = 0; rtl_.lockstep() && u + 1 < f_; ++u)
      turn.high.emplace_back(format("pick{0}[{1}] & pair_low[{1}]", name, u), u + 1);
    return turn;
  }

  void by_number() {
    const std::uint32_t passes = rotates_ ? 2 : 1;
    if (rotates_)
      for (std::uint32_t k = 0; k < pickers_; ++k) pointer(k);
    if (bank_ports_ != 0) needs();
    for (std::uint32_t k = 0; k < pickers_; ++k)
      for (std::uint32_t pass = 0; pass < passes; ++pass)
        for (std::uint32_t u = 0; u < f_; ++u) numbered_turn(k, pass, u);
    for (std::uint32_t k = 0; k < pickers_; ++k) {
      for (std::uint32_t pass = 0; pass < passes; ++pass) {
        std::vector<std::string> bits;
        for (std::uint32_t u = f_; u-- != 0;) bits.push_back(format("grant_{}", index(k, pass, u)));
        m_.wire(format("picked{}_{}", k, pass), f_, '{' + join(bits, ", ", "") + '}');
      }
      m_.wire(format("picked{}", k), f_, rotates_ ? format("picked{0}_0 | picked{0}_1", k) : format("picked{}_0", k));
    }
  }

  [[nodiscard]] std::size_t index(std::uint32_t k, std::uint32_t pass, std::uint32_t unit) const {
    return (std::size_t{k} * (rotates_ ? 2 : 1) + pass) * f_ + unit;
  }

  /// Units after the last one that was granted.
  void pointer(std::uint32_t k) {
    std::vector<std::string> bits;
    for (std::uint32_t u = f_; u-- != 0;) bits.push_back(format("~|last{}[{}:{}]", k, f_ - 1, u));
    m_.wire(format("last{}", k), f_, format("(|picked{0}_1) ? picked{0}_1 : picked{0}_0", k));
    m_.flop(format("from{}", k), f_, format("(|last{0}) ? {{{1}}} : from{0}", k, join(bits, ", ", "")),
            repeat(f_, "1'b1"));
  }

  [[nodiscard]] std::uint32_t count_width() const {
    return static_cast<std::uint32_t>(std::bit_width(bank_ports_ + 2 * operands_));
  }

  /// How many words of each bank a unit's grant moves, of its high half also, where they go together.
  void needs() {
    if (shares()) return;  // that depends on what others have been given
    const std::uint32_t w = count_width();
    for (std::uint32_t k = 0; k < pickers_; ++k)
      for (std::uint32_t u = 0; u < f_; ++u)
        for (std::uint32_t b = 0; b < rtl_.banks(); ++b) {
          std::vector<std::string> terms;
          for (std::uint32_t operand = 0; operand < operands_; ++operand) {
            if (pickers_ != 1 && operand % firsts_ != k) continue;
            // Halves of a pair that move one word of one operand share its access.
            const std::string own = format("banks{}_{}[{}]", operand, u, b);
            const bool paired = rtl_.lockstep() && u + 1 < f_;
            const std::string both = format("{} | (banks{}_{}[{}] & pair_low[{}])", own, operand, u + 1, b, u);
            terms.push_back(format("{{{}, {}}}", number(w - 1, 0), paired ? both : own));
          }
          m_.wire(format("need{}_{}_{}", k, u, b), w, join(terms, " + ", ""));
        }
  }

  /// Of a rotating picker, pass 0 is from its pointer up and pass 1 the rest.
  void numbered_turn(std::uint32_t k, std::uint32_t pass, std::uint32_t unit) {
    const std::size_t i = index(k, pass, unit);
    const bool first = index(k, 0, 0) == i, last = unit + 1 == f_ && pass == (rotates_ ? 1u : 0u);
    std::string condition = format("wanted{}[{}]", k, unit);
    if (rotates_) condition += format(" & {}from{}[{}]", pass == 0 ? "" : "~", k, unit);
    m_.line(format("wire grant_{0};", i));
    if (limit_ != 0) {
      const auto w = static_cast<std::uint32_t>(std::bit_width(limit_));
      const std::string before = first ? number(w, 0) : format("granted_{}", i);
      condition += format(" & ({} < {})", before, number(w, limit_));
      if (!last)
        m_.wire(format("granted_{}", i + 1), w,
                format("{} + {{{}grant_{}}}", before, w > 1 ? number(w - 1, 0) + ", " : "", i));
    }
    Turn turn{std::to_string(i), k, {{"", unit}}, {}, first || !remembers() ? "" : format("given_{}", i)};
    if (rtl_.lockstep() && unit + 1 < f_) turn.high = {{format("pair_low[{}]", unit), unit + 1}};
    condition += ways(turn);
    if (bank_ports_ != 0) {
      const std::uint32_t w = count_width();
      for (std::uint32_t b = 0; b < rtl_.banks(); ++b) {
        const std::string need = shares() ? format("need_{}_{}", i, b) : format("need{}_{}_{}", k, unit, b);
        if (shares()) m_.wire(need, w, accesses(turn, b));
        const std::string before = i == 0 ? number(w, 0) : format("used_{}_{}", i, b);
        condition += format(" & ({} + {} <= {})", before, need, number(w, bank_ports_));
        if (i + 1 < turns_count())
          m_.wire(format("used_{}_{}", i + 1, b), w, format("grant_{} ? {} + {} : {}", i, before, need, before));
      }
    }
    if (remembers() && !last) give(turn, format("given_{}", i + 1));
    m_.assign(format("grant_{}", i), condition);
  }
  [[nodiscard]] std::size_t turns_count() const { return std::size_t{pickers_} * (rotates_ ? 2 : 1) * f_; }

  // ---- What has been given before ----

  /// Accesses may be shared, so that their number depends on what has been given.
  [[nodiscard]] bool shares() const { return bank_ports_ != 0 && (broadcasts_ || halves_share_); }
  [[nodiscard]] bool remembers() const { return lanes_ != 0 || shares(); }

  /// A wire with what has been given after the turn.
  std::string give(const Turn& turn, const std::string& name) {
    std::vector<std::string> terms;
    if (!turn.given.empty()) terms.push_back(turn.given);
    for (const Choice* who : {&turn.unit, &turn.high})
      for (const auto& [condition, unit] : *who)
        terms.push_back(format("({} & {})",
                               repeat(f_, "grant_" + turn.name + (condition.empty() ? "" : " & " + condition)),
                               number(f_, Units{1} << unit)));
    m_.wire(name, f_, join(terms, " | ", ""));
    return name;
  }
  /// The units that have been given this operand before the turn; empty if that can be none.
  [[nodiscard]] std::string given(const Turn& turn, std::uint32_t operand) const {
    const std::uint32_t picker = pickers_ == 1 ? 0 : operand % firsts_;
    if (picker == turn.picker) return turn.given;
    return picker < turn.picker ? format("go{}", picker) : "";
  }

  [[nodiscard]] std::vector<Ask> asks(const Turn& turn) const {
    std::vector<Ask> asks;
    for (const Choice* who : {&turn.unit, &turn.high})
      for (std::uint32_t k = 0; !who->empty() && k < operands_; ++k)
        if (pickers_ == 1 || k % firsts_ == turn.picker)
          asks.push_back({format("{}_{}_{}", turn.name, k, who == &turn.unit ? 0 : 1), k, *who});
    return asks;
  }

  /// `of(unit)` of the unit chosen. Width 0 = scalar.
  template <class Of>
  static std::string choice(const Choice& who, std::uint64_t width, Of of) {
    std::vector<std::string> terms;
    for (const auto& [condition, unit] : who) {
      std::string value = of(unit);
      if (condition.empty()) return value;
      terms.push_back(format("({} & {})", width == 0 ? condition : repeat(width, condition), value));
    }
    return join(terms, " | ", "");
  }
  /// The same, as a wire where it is not one already.
  template <class Of>
  std::string chosen(const std::string& name, const Choice& who, std::uint64_t width, Of of) {
    if (who.front().first.empty()) return of(who.front().second);
    if (wires_.insert(name).second) m_.wire(name, width, choice(who, width, of));
    return name;
  }
  [[nodiscard]] std::string banks_of(const Ask& ask) {
    return chosen("banks_" + ask.name, ask.who, rtl_.banks(),
                  [&](std::uint32_t u) { return format("banks{}_{}", ask.operand, u); });
  }

  /// Two operands name the same register.
  std::string equal(std::uint32_t k, std::uint32_t u, std::uint32_t other_k, std::uint32_t other_u) {
    if (std::pair(k, u) > std::pair(other_k, other_u)) return equal(other_k, other_u, k, u);
    if (std::pair(k, u) == std::pair(other_k, other_u)) return "1'b1";
    std::string name = format("equal_{}_{}_{}_{}", k, u, other_k, other_u);
    if (wires_.insert(name).second) m_.wire(name, 0, format("reg{}_{} == reg{}_{}", k, u, other_k, other_u));
    return name;
  }
  /// The units whose operand `other` names the same register as one of unit `u`.
  std::string same(std::uint32_t k, std::uint32_t u, std::uint32_t other) {
    std::string name = format("same{}_{}_{}", k, u, other);
    if (!wires_.insert(name).second) return name;
    std::vector<std::string> bits;
    for (std::uint32_t v = f_; v-- != 0;)
      bits.push_back(broadcasts_ || (lane_mates(k, u, other) >> v & 1) != 0 ? equal(k, u, other, v) : "1'b1");
    m_.wire(name, f_, '{' + join(bits, ", ", "") + '}');
    return name;
  }
  [[nodiscard]] std::string same(const Ask& ask, std::uint32_t other) {
    return chosen(format("same_{}_{}", ask.name, other), ask.who, f_,
                  [&](std::uint32_t u) { return same(ask.operand, u, other); });
  }

  /// The second register of a quad comes through the next unit's lane.
  [[nodiscard]] std::uint32_t lane(std::uint32_t operand, std::uint32_t unit) const {
    return (unit + (operand < firsts_ ? 0 : 1)) % lanes_;
  }
  /// The units whose operand `other` comes through the word lane of operand k of unit `unit`, which is one of them.
  [[nodiscard]] Units lane_mates(std::uint32_t k, std::uint32_t unit, std::uint32_t other) const {
    Units mates = 0;
    for (std::uint32_t u = 0; u < f_; ++u)
      if (u == unit || (lanes_ != 0 && lane(other, u) == lane(k, unit))) mates |= Units{1} << u;
    return mates;
  }

  /// Conditions: what has been given leaves a word lane for one register an operand, and its byte crossbar for one
  /// narrow operand. The operands of one turn do not get into each other's way: what does not fit is cracked (SB204).
  std::string ways(const Turn& turn) {
    if (lanes_ == 0 && !routes_one_) return "";
    std::string conditions;
    for (const Ask& ask : asks(turn)) {
      const auto bit_of = [&](const char* what) {
        return chosen(format("{}_{}", what, ask.name), ask.who, 0,
                      [&](std::uint32_t u) { return format("{}{}[{}]", what, ask.operand, u); });
      };
      const auto mates = [&](std::uint32_t other) {
        const std::string what = other == ask.operand ? "" : format("{}_", other);
        return chosen("mates_" + what + ask.name, ask.who, f_,
                      [&](std::uint32_t u) { return number(f_, lane_mates(ask.operand, u, other)); });
      };
      for (std::uint32_t other = ask.operand % firsts_; other < operands_; other += firsts_) {
        const std::string before = lanes_ == 0 ? "" : given(turn, other);
        if (!before.empty())
          conditions += format(" & ~({} & |({} & {} & uses{} & ~{}))", bit_of("uses"), before, mates(other), other,
                               same(ask, other));
      }
      std::vector<std::string> narrow;
      for (std::uint32_t other = 0; routes_one_ && ask.operand < firsts_ && other < firsts_; ++other)
        if (const std::string units = given(turn, other); !units.empty())
          narrow.push_back(format("({} & narrow{})", units, other));
      if (!narrow.empty())
        conditions += format(" & ~({} & |(({}) & {}))", bit_of("narrow"), join(narrow, " | ", ""), mates(ask.operand));
    }
    return conditions;
  }

  /// How many accesses to a bank the turn adds to those that have been given.
  std::string accesses(const Turn& turn, std::uint32_t bank) {
    std::vector<std::string> terms;
    const std::vector<Ask> all = asks(turn);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Ask& ask = all[i];
      std::vector<std::string> shared;
      for (std::uint32_t other = 0; other < operands_; ++other) {
        if (!broadcasts_ && other != ask.operand) continue;
        if (const std::string units = given(turn, other); !units.empty())
          shared.push_back(format("|({} & {} & {})", units, broadcasts_ ? same(ask, other) : other_half(ask),
                                  units_at(other, bank)));
      }
      for (std::size_t before = 0; before < i; ++before) {
        const Ask& other = all[before];
        const std::string there = format("{}[{}]", banks_of(other), bank);
        if (other.operand == ask.operand)
          shared.push_back(there);
        else if (broadcasts_)
          shared.push_back(format("({} & {})", there, within(turn, ask.operand, other.operand)));
      }
      const std::string own = format("{}[{}]", banks_of(ask), bank);
      terms.push_back(format("{{{}, {}{}}}", number(count_width() - 1, 0), own,
                             shared.empty() ? "" : format(" & ~({})", join(shared, " | ", ""))));
    }
    return join(terms, " + ", "");
  }
  /// The units whose operand is in a bank.
  std::string units_at(std::uint32_t operand, std::uint32_t bank) {
    std::string name = format("at{}_{}", operand, bank);
    if (!wires_.insert(name).second) return name;
    std::vector<std::string> bits;
    for (std::uint32_t u = f_; u-- != 0;) bits.push_back(format("banks{}_{}[{}]", operand, u, bank));
    m_.wire(name, f_, '{' + join(bits, ", ", "") + '}');
    return name;
  }
  /// The other half of the pair, one of whose halves asks. Only turns that rotate begin with a high one.
  [[nodiscard]] std::string other_half(const Ask& ask) {
    return chosen("other_" + ask.name, ask.who, f_, [&](std::uint32_t u) {
      std::vector<std::string> halves;
      if (u != 0) halves.push_back(format("(pair_low & {})", number(f_, Units{1} << (u - 1))));
      if (rotates_ && u + 1 < f_) halves.push_back(format("((pair_low << 1) & {})", number(f_, Units{1} << (u + 1))));
      if (halves.empty()) return repeat(f_, "1'b0");
      return halves.size() == 1 ? halves[0] : '(' + join(halves, " | ", "") + ')';
    });
  }
  /// Two operands of the operation name the same register.
  [[nodiscard]] std::string within(const Turn& turn, std::uint32_t a, std::uint32_t b) {
    return chosen(format("within_{}_{}_{}", turn.name, a, b), turn.unit, 0,
                  [&](std::uint32_t u) { return equal(a, u, b, u); });
  }

  const Rtl& rtl_;
  bool reads_;
  std::uint32_t f_, pickers_;
  std::uint32_t firsts_, operands_;  ///< the second registers of quads come after the first ones
  std::uint32_t limit_, bank_ports_;
  std::uint32_t lanes_;  ///< 0 = each unit has its own
  bool routes_one_, broadcasts_, halves_share_;
  bool unlimited_, rotates_, oldest_;
  ModuleText m_;
  std::set<std::string> wires_;  ///< that are made when they are first used
};

}  // namespace

Module pick_module(const Rtl& rtl, bool reads) { return PickWriter(rtl, reads).make(); }

}  // namespace mobula::scoreboard
