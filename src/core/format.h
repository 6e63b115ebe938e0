// Formats: the one description of how a machine's words are made of fields.
//
// A machine writes its fields as constexpr data. Decoders read them with get(), encoders write them with set(), and
// `explain`, the manual, the checkers of reserved bits and the fuzzers walk the same rows.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "mobula/isa/machine.h"

namespace mobula {

/// A word of up to 128 bits; bit 0 is the lowest bit of `low`.
struct Word128 {
  std::uint64_t low = 0, high = 0;
  friend constexpr bool operator==(const Word128&, const Word128&) = default;
};

/// How well something is known and from where (section of the machine's reference).
struct Fact {
  Status status = Status::unknown;
  std::string_view source;
};

/// A named value of a field.
struct FieldValue {
  std::uint32_t value = 0;
  std::string_view name;
  std::string_view meaning;
};

/// Bits [low, low + width) of a word. `reserved` fields are zero as far as is known.
struct Field {
  std::string_view name;
  std::uint8_t low = 0;
  std::uint8_t width = 1;
  std::string_view meaning;
  Fact fact;
  std::span<const FieldValue> values{};
  bool is_signed = false;
  bool reserved = false;
};

struct Format {
  std::string_view name;
  std::uint8_t width = 0;
  std::span<const Field* const> fields;
  std::string_view meaning;
};

/// True if the fields, in order, cover bits 0..width-1 without a gap or an overlap.
constexpr bool tiles(const Format& format) {
  unsigned next = 0;
  for (const Field* field : format.fields) {
    if (field->low != next || field->width == 0) return false;
    next += field->width;
  }
  return next == format.width;
}

/// True if every named value fits its field and none is named twice.
constexpr bool values_fit(const Format& format) {
  for (const Field* field : format.fields)
    for (std::size_t i = 0; i < field->values.size(); ++i) {
      if (field->width < 32 && field->values[i].value >> field->width != 0) return false;
      for (std::size_t j = 0; j < i; ++j)
        if (field->values[j].value == field->values[i].value) return false;
    }
  return true;
}

constexpr std::uint64_t low_mask(unsigned width) { return width >= 64 ? ~0ull : (1ull << width) - 1; }

constexpr std::uint64_t get(std::uint64_t word, const Field& field) {
  return (word >> field.low) & low_mask(field.width);
}

/// Fields of a 128-bit word are at most 64 bits wide.
constexpr std::uint64_t get(const Word128& word, const Field& field) {
  std::uint64_t bits = 0;
  if (field.low >= 64) {
    bits = word.high >> (field.low - 64);
  } else {
    bits = word.low >> field.low;
    if (field.low != 0 && field.low + field.width > 64) bits |= word.high << (64 - field.low);
  }
  return bits & low_mask(field.width);
}

/// Replaces the field; bits of `value` beyond its width are ignored.
constexpr void set(std::uint64_t& word, const Field& field, std::uint64_t value) {
  const std::uint64_t mask = low_mask(field.width) << field.low;
  word = (word & ~mask) | ((value << field.low) & mask);
}
constexpr void set(Word128& word, const Field& field, std::uint64_t value) {
  const std::uint64_t mask = low_mask(field.width);
  value &= mask;
  if (field.low >= 64) {
    const unsigned shift = field.low - 64;
    word.high = (word.high & ~(mask << shift)) | value << shift;
    return;
  }
  word.low = (word.low & ~(mask << field.low)) | value << field.low;
  if (field.low + field.width > 64) {
    const unsigned below = 64 - field.low;  // bits of the field in the low half
    word.high = (word.high & ~(mask >> below)) | value >> below;
  }
}

/// The low `width` bits of `value` as a two's complement number.
constexpr std::int64_t sign_extend(std::uint64_t value, unsigned width) {
  const unsigned shift = 64 - width;
  return static_cast<std::int64_t>(value << shift) >> shift;
}
constexpr std::int64_t get_signed(std::uint64_t word, const Field& field) {
  return sign_extend(get(word, field), field.width);
}
constexpr std::int64_t get_signed(const Word128& word, const Field& field) {
  return sign_extend(get(word, field), field.width);
}

/// The named value, or nullptr.
constexpr const FieldValue* find_value(const Field& field, std::uint64_t value) {
  for (const FieldValue& row : field.values)
    if (row.value == value) return &row;
  return nullptr;
}

}  // namespace mobula
