// Versions, statuses, buffers, diagnostics.
#include "handles.h"

using namespace mobula;

uint32_t mobula_abi_version() { return MOBULA_ABI_MAJOR << 16 | MOBULA_ABI_MINOR; }
const char* mobula_version() { return MOBULA_VERSION; }

const char* mobula_status_name(mobula_status status) {
  switch (status) {
    case MOBULA_OK:
      return "ok";
    case MOBULA_ERROR:
      return "error";
    case MOBULA_BAD_ARGUMENT:
      return "bad argument";
    case MOBULA_NO_MEMORY:
      return "no memory";
    case MOBULA_INTERNAL:
      return "internal error";
    case MOBULA_STOPPED:
      return "stopped";
    case MOBULA_UNSUPPORTED:
      return "unsupported";
  }
  return "no such status";
}

mobula_string mobula_buffer_text(const mobula_buffer* buffer) {
  return buffer == nullptr ? c::nothing : c::view(buffer->text);
}
void mobula_buffer_free(mobula_buffer* buffer) { delete buffer; }

size_t mobula_diagnostics_count(const mobula_diagnostics* diagnostics) {
  return diagnostics == nullptr ? 0 : diagnostics->list.size();
}

mobula_status mobula_diagnostics_at(const mobula_diagnostics* diagnostics, size_t index,
                                    mobula_diagnostic* diagnostic) {
  if (index >= mobula_diagnostics_count(diagnostics)) return MOBULA_BAD_ARGUMENT;
  const Diagnostic& entry = diagnostics->list[index];
  const Location& where = entry.where;
  return c::give({.size = 0,
                  .severity = static_cast<mobula_severity>(entry.severity),
                  .code = c::view(entry.code),
                  .file = c::view(where.file),
                  .line = where.line,
                  .column = where.column,
                  .length = where.length,
                  .has_byte_offset = where.byte_offset ? 1 : 0,
                  .byte_offset = where.byte_offset.value_or(0),
                  .bit_low = where.bit_low,
                  .bit_width = where.bit_width,
                  .message = c::view(entry.message),
                  .hint = c::view(entry.hint)},
                 diagnostic);
}

mobula_string mobula_diagnostics_text(const mobula_diagnostics* diagnostics) {
  return diagnostics == nullptr ? c::nothing : c::view(diagnostics->text);
}
void mobula_diagnostics_free(mobula_diagnostics* diagnostics) { delete diagnostics; }
