# What the libraries link, for WebAssembly: headers alone. They are those of the host, each behind a link of its own, for its C library's
# must not be seen.
set(headers ${PROJECT_BINARY_DIR}/headers)
file(MAKE_DIRECTORY ${headers})
foreach(package fmt nlohmann hwy protozero stb)
  find_path(${package}_headers ${package} PATHS /usr/include NO_CMAKE_FIND_ROOT_PATH REQUIRED)
  file(CREATE_LINK ${${package}_headers}/${package} ${headers}/${package} SYMBOLIC)
endforeach()
foreach(name fmt::fmt nlohmann_json::nlohmann_json PNG::PNG ZLIB::ZLIB Threads::Threads)
  add_library(${name} INTERFACE IMPORTED GLOBAL)
endforeach()
target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY)
# Its target for WebAssembly has no f64; clang makes vectors of these loops.
target_compile_definitions(mobula-options INTERFACE HWY_COMPILE_ONLY_EMU128)
# system/ has what this C++ library leaves out.
target_include_directories(mobula-options SYSTEM INTERFACE ${PROJECT_SOURCE_DIR}/bindings/web/system ${headers})
