// MOBULA_INTERNAL marks what the shared mobula-isa exports for mobula-lab alone, beside the public MOBULA_API.
#pragma once

#define MOBULA_INTERNAL [[gnu::visibility("default")]]
