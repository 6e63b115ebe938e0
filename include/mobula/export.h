// MOBULA_API marks what the shared libraries export: every function and class here that is defined in a source file.
#pragma once

#define MOBULA_API [[gnu::visibility("default")]]
