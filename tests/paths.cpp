#include "paths.h"

namespace mobula::test {

std::string source_file(std::string_view name) { return MOBULA_SOURCE "/" + std::string(name); }
std::string test_data(std::string_view name) { return MOBULA_SOURCE "/tests/data/" + std::string(name); }
std::string sample(std::string_view name) { return MOBULA_SAMPLES "/" + std::string(name); }
std::string command_file() { return MOBULA_COMMAND; }
std::string isa_library_file() { return MOBULA_ISA_LIBRARY; }

}  // namespace mobula::test
