// The emulator as the registry hands it out.
#pragma once

#include "mobula/lab/firmware_emulator.h"

namespace mobula::afuc {

Result<std::unique_ptr<firmware::Emulator>> create_emulator(std::vector<std::vector<std::uint32_t>> images,
                                                            firmware::EmulatorOptions options);

}  // namespace mobula::afuc
