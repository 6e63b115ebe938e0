#include "core/rule.h"

namespace mobula {

void Findings::add(const Rule& rule, std::uint64_t byte_offset, BitRange bits, const std::string& found,
                   std::string mend) {
  std::size_t& count = counts_[static_cast<std::size_t>(rule.severity)];
  if (count > check_limit) return;
  Diagnostic entry;
  entry.where.file = file_;
  entry.where.byte_offset = byte_offset;
  if (count++ == check_limit) {
    entry.severity = Severity::note;
    entry.code = limit_code_;
    entry.message =
        "more than " + std::to_string(check_limit) + ' ' + std::string(name(rule.severity)) + "s; the rest is left out";
  } else {
    entry.severity = rule.severity;
    entry.code = rule.code;
    entry.where.bit_low = bits.low;
    entry.where.bit_width = bits.width;
    entry.message = found + "; allowed: " + std::string(rule.allowed);
    if (!rule.fault.empty()) entry.message += " [" + std::string(rule.fault) + "]";
    entry.hint = mend.empty() ? std::string(rule.mend) : std::move(mend);
  }
  list_.push_back(std::move(entry));
}

}  // namespace mobula
