#include "core/explain.h"

#include <algorithm>

#include "core/counted.h"
#include "core/hexadecimal.h"
#include "mobula/isa/explain.h"

namespace mobula {
namespace {

std::string pad(std::string text, std::size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}

ExplainedField describe(const Format& format, const Field& field) {
  return {.format = std::string(format.name),
          .name = std::string(field.name),
          .low = field.low,
          .width = field.width,
          .meaning = std::string(field.meaning),
          .status = field.fact.status,
          .source = std::string(field.fact.source)};
}

std::string text_of(const FieldValue& value) {
  std::string text(value.name);
  if (!value.meaning.empty()) text += ", " + std::string(value.meaning);
  return text;
}

}  // namespace

ExplainedField explain_field(const Format& format, const Field& field, std::uint64_t value, unsigned base) {
  ExplainedField result = describe(format, field);
  result.low += base;
  result.value = value;
  if (const FieldValue* row = find_value(field, value)) {
    result.meaning += ": " + text_of(*row);
  } else if (!field.values.empty() || (field.reserved && value != 0)) {
    result.meaning += ": unknown";
    result.status = Status::unknown;
  } else if (field.is_signed) {
    result.meaning += ": " + std::to_string(sign_extend(value, field.width));
  }
  return result;
}

ManualFormat describe_format(const Format& format) {
  ManualFormat result{.name = std::string(format.name), .width = format.width, .fields = {}};
  for (const Field* field : format.fields) {
    ExplainedField& row = result.fields.emplace_back(describe(format, *field));
    std::string separator = ": ";
    for (const FieldValue& value : field->values) {
      row.meaning += separator + std::to_string(value.value) + ' ' + std::string(value.name);
      separator = ", ";
    }
  }
  return result;
}

std::string report(const ExplainedWord& word) {
  std::string text = hexadecimal(word.byte_offset);
  text += ", " + counted(word.byte_length, "byte") + "\n" + word.text;
  if (!text.empty() && text.back() != '\n') text += '\n';
  std::size_t name_width = 0, value_width = 0;
  for (const ExplainedField& field : word.fields) {
    name_width = std::max(name_width, field.format.size() + 1 + field.name.size());
    value_width = std::max(value_width, hexadecimal(field.value).size());
  }
  for (const ExplainedField& field : word.fields) {
    const std::string bits = field.width == 1
                                 ? std::to_string(field.low)
                                 : std::to_string(field.low) + '-' + std::to_string(field.low + field.width - 1);
    text += "  bits " + pad(bits, 8) + pad(field.format + '.' + field.name, name_width) + "  " +
            pad(hexadecimal(field.value), value_width) + "  " + field.meaning + "  [" +
            std::string(name(field.status)) + (field.source.empty() ? "" : " " + field.source) + "]\n";
  }
  return text;
}

}  // namespace mobula
