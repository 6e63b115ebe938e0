// What formats say about a word's bits, as explain and the reference manual show it.
#pragma once

#include "core/format.h"

namespace mobula {

/// The field with this value: what it is, then the value's name and meaning as far as the table has them. A value that
/// a table of names lacks, and a reserved field that is not zero, are of unknown status. `base` is the bit of the whole
/// word at which the format begins.
ExplainedField explain_field(const Format& format, const Field& field, std::uint64_t value, unsigned base = 0);

/// All fields of a format, with the names of their values.
ManualFormat describe_format(const Format& format);

}  // namespace mobula
