// Looking things up in the reference manual made from a machine's tables.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mobula/export.h"
#include "mobula/isa/machine.h"

namespace mobula {

/// Entries with that name, ignoring case, by mnemonic or alias; exact matches first.
/// Registers may be asked for without their prefix: MARKER is \@MARKER.
MOBULA_API std::vector<const ManualEntry*> entries_named(const Manual& manual, std::string_view name);
MOBULA_API std::vector<const ManualFormat*> formats_named(const Manual& manual, std::string_view name);
/// The same; where nothing has that name, what it is the beginning of, as uvsw is of uvsw.emit, or the end of, as
/// sample_id is of special.sample_id, or else what it adds a part to, as r31.w does to r31.
MOBULA_API std::vector<const ManualEntry*> entries_about(const Manual& manual, std::string_view name);
/// The fields of that name, each in its format: "src1", "alu.src1".
MOBULA_API std::vector<ManualFormat> fields_named(const Manual& manual, std::string_view name);
/// The fields that the last part of the name is called, of the formats whose parts are in it:
/// alu.scalar.source.smul.src2.component, as explain writes it; where there are none, of what the field before it
/// holds: src2.component.
MOBULA_API std::vector<ManualFormat> fields_about(const Manual& manual, std::string_view name);
/// The name of an entry or a format that somebody may have meant; empty if none is close.
MOBULA_API std::string nearest_name(const Manual& manual, std::string_view name);
/// Bits of formats as a picture: boxes with the names of fields and how well they are known. The same text for the same
/// formats, everywhere.
MOBULA_API std::string svg(std::span<const ManualFormat> formats);

}  // namespace mobula
