// Which machines can execute firmware.
#pragma once

#include "mobula/firmware_emulator.h"

namespace mobula::firmware {

/// Each image is its words from word 0.
using CreateEmulator = Result<std::unique_ptr<Emulator>> (*)(std::vector<std::vector<std::uint32_t>> images,
                                                             EmulatorOptions options);
/// Nullptr if the machine has none.
CreateEmulator find_emulator(std::string_view machine);

}  // namespace mobula::firmware
