// Pickers (§2.5): which requests are granted, by number, grants in one clock, and ports of the banks (§6.3).
#include <fmt/format.h>

#include <bit>

#include "scoreboard/rtl.h"

namespace mobula::scoreboard {
namespace {

using fmt::format;

/// One unit's turn at one picker.
struct Turn {
  std::uint32_t grant = 0;  ///< the picker
  std::uint32_t unit = 0;
  std::uint32_t pass = 0;  ///< of a rotating picker: 0 = from its pointer up, 1 = the rest
};

class PickWriter {
 public:
  PickWriter(const Rtl& rtl, bool reads)
      : rtl_(rtl),
        f_(rtl.g.units),
        pickers_(reads ? rtl.g.read_grants : rtl.g.write_grants),
        operands_(reads ? rtl.sources() : rtl.destinations()),
        limit_(reads ? rtl.config.ports.read : rtl.config.ports.write),
        bank_ports_(reads ? rtl.config.banks.read : rtl.config.banks.write),
        unlimited_(limit_ == 0 && bank_ports_ == 0),
        rotates_(rtl.config.ports.priority == Priority::rotate && !unlimited_),
        oldest_(rtl.config.ports.priority == Priority::oldest && !unlimited_),
        m_(reads ? "sb_pick_rd" : "sb_pick_wr",
           reads ? "Grants reads of the register file." : "Grants writes of the register file.") {}

  Module make() {
    ports();
    for (std::uint32_t k = 0; k < pickers_; ++k) requests(k);
    if (unlimited_)
      for (std::uint32_t k = 0; k < pickers_; ++k) m_.wire(format("picked{}", k), f_, format("wanted{}", k));
    else if (oldest_ && bank_ports_ != 0)
      by_age_and_banks();
    else if (oldest_)
      for (std::uint32_t k = 0; k < pickers_; ++k) by_age(k);
    else
      by_number();
    for (std::uint32_t k = 0; k < pickers_; ++k)
      m_.assign(format("go{}", k),
                rtl_.lockstep() ? format("picked{} | ((picked{} & pair_low) << 1)", k, k) : format("picked{}", k));
    return m_.end();
  }

 private:
  void ports() {
    if (rotates_) m_.clock();
    if (rtl_.lockstep()) {
      m_.in("pair_low", f_);
      m_.in("pair_high", f_);
    }
    if (oldest_)
      for (std::uint32_t u = 0; u < f_; ++u) m_.in(format("older_than_{}", u), f_);
    if (bank_ports_ != 0)
      for (std::uint32_t u = 0; u < f_; ++u)
        for (std::uint32_t k = 0; k < operands_; ++k) m_.in(format("banks{}_{}", k, u), rtl_.banks());
    for (std::uint32_t k = 0; k < pickers_; ++k) {
      m_.in(format("request{}", k), f_);
      m_.out(format("go{}", k), f_);
    }
  }

  /// The units that may be granted; of a pair in lock step only its low one, and only when both ask.
  void requests(std::uint32_t k) {
    m_.wire(format("wanted{}", k), f_,
            rtl_.lockstep()
                ? format("(request{0} & ~(pair_low | pair_high)) | (request{0} & pair_low & (request{0} >> 1))", k)
                : format("request{}", k));
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
  void by_age_and_banks() {
    needs();
    const std::uint32_t w = count_width(), counter = static_cast<std::uint32_t>(std::bit_width(limit_));
    std::vector<std::string> used(rtl_.banks(), number(w, 0));
    for (std::uint32_t k = 0; k < pickers_; ++k) {
      std::vector<std::string> picked;
      std::string left = format("wanted{}", k), granted = number(counter, 0);
      for (std::uint32_t n = 0; n < f_; ++n) {
        const std::string name = format("{}_{}", k, n);
        oldest_of(left, name);
        std::string condition = "(|pick" + name + ')';
        if (limit_ != 0) condition += format(" & ({} < {})", granted, number(counter, limit_));
        for (std::uint32_t b = 0; b < rtl_.banks(); ++b) {
          std::vector<std::string> needs_of_units;
          for (std::uint32_t u = 0; u < f_; ++u)
            needs_of_units.push_back(format("({} & need{}_{}_{})", repeat(w, format("pick{}[{}]", name, u)), k, u, b));
          m_.wire(format("need_{}_{}", name, b), w, join(needs_of_units, " | ", ""));
          condition += format(" & ({} + need_{}_{} <= {})", used[b], name, b, number(w, bank_ports_));
        }
        m_.wire("grant_" + name, 0, condition);
        picked.push_back(format("({} & pick{})", repeat(f_, "grant_" + name), name));
        const bool last = n + 1 == f_;
        for (std::uint32_t b = 0; b < rtl_.banks() && !(last && k + 1 == pickers_); ++b) {
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
        m_.wire("left" + name, f_, format("{} & ~pick{}", left, name));
        left = "left" + name;
      }
      m_.wire(format("picked{}", k), f_, join(picked, " | ", ""));
    }
  }

  void by_number() {
    const std::uint32_t passes = rotates_ ? 2 : 1;
    std::vector<Turn> turns;
    for (std::uint32_t k = 0; k < pickers_; ++k)
      for (std::uint32_t pass = 0; pass < passes; ++pass)
        for (std::uint32_t u = 0; u < f_; ++u) turns.push_back({k, u, pass});
    if (rotates_)
      for (std::uint32_t k = 0; k < pickers_; ++k) pointer(k);
    if (bank_ports_ != 0) needs();
    for (std::size_t i = 0; i < turns.size(); ++i) turn(i, turns[i]);
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
    const std::uint32_t w = count_width();
    for (std::uint32_t k = 0; k < pickers_; ++k)
      for (std::uint32_t u = 0; u < f_; ++u)
        for (std::uint32_t b = 0; b < rtl_.banks(); ++b) {
          std::vector<std::string> terms;
          for (std::uint32_t operand = 0; operand < operands_; ++operand) {
            if (pickers_ != 1 && operand != k) continue;
            // Halves of a pair that move one word of one operand share its access.
            const std::string own = format("banks{}_{}[{}]", operand, u, b);
            const bool paired = rtl_.lockstep() && u + 1 < f_;
            const std::string both = format("{} | (banks{}_{}[{}] & pair_low[{}])", own, operand, u + 1, b, u);
            terms.push_back(format("{{{}, {}}}", number(w - 1, 0), paired ? both : own));
          }
          m_.wire(format("need{}_{}_{}", k, u, b), w, join(terms, " + ", ""));
        }
  }

  void turn(std::size_t i, const Turn& turn) {
    std::string condition = format("wanted{}[{}]", turn.grant, turn.unit);
    if (rotates_) condition += format(" & {}from{}[{}]", turn.pass == 0 ? "" : "~", turn.grant, turn.unit);
    if (limit_ != 0) {
      const auto w = static_cast<std::uint32_t>(std::bit_width(limit_));
      const bool first = index(turn.grant, 0, 0) == i;
      const std::string before = first ? number(w, 0) : format("granted_{}", i);
      m_.line(format("wire grant_{0};", i));
      condition += format(" & ({} < {})", before, number(w, limit_));
      const bool last = turn.unit + 1 == f_ && turn.pass == (rotates_ ? 1u : 0u);
      if (!last)
        m_.wire(format("granted_{}", i + 1), w,
                format("{} + {{{}grant_{}}}", before, w > 1 ? number(w - 1, 0) + ", " : "", i));
    } else {
      m_.line(format("wire grant_{0};", i));
    }
    if (bank_ports_ != 0) {
      const std::uint32_t w = count_width();
      for (std::uint32_t b = 0; b < rtl_.banks(); ++b) {
        const std::string need = format("need{}_{}_{}", turn.grant, turn.unit, b);
        const std::string before = i == 0 ? number(w, 0) : format("used_{}_{}", i, b);
        condition += format(" & ({} + {} <= {})", before, need, number(w, bank_ports_));
        if (i + 1 < turns_count())
          m_.wire(format("used_{}_{}", i + 1, b), w, format("grant_{} ? {} + {} : {}", i, before, need, before));
      }
    }
    m_.assign(format("grant_{}", i), condition);
  }
  [[nodiscard]] std::size_t turns_count() const { return std::size_t{pickers_} * (rotates_ ? 2 : 1) * f_; }

  const Rtl& rtl_;
  std::uint32_t f_, pickers_, operands_, limit_, bank_ports_;
  bool unlimited_, rotates_, oldest_;
  ModuleText m_;
};

}  // namespace

Module pick_module(const Rtl& rtl, bool reads) { return PickWriter(rtl, reads).make(); }

}  // namespace mobula::scoreboard
