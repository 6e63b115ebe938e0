# glslang and SPIRV-Tools as WebAssembly: their own build files, of the sources that scripts/fetch-page-sources brings. Headers are those
# of the host, of the same version.
foreach(package glslang spirv-tools spirv)
  file(CREATE_LINK /usr/include/${package} ${headers}/${package} SYMBOLIC)
endforeach()
set(SPIRV_HEADERS ${headers})

# What they would look for in /usr: the grammars of SPIR-V.
set(SPIRV-Headers_SOURCE_DIR ${PROJECT_BINARY_DIR}/spirv-headers)
file(MAKE_DIRECTORY ${SPIRV-Headers_SOURCE_DIR}/include)
file(CREATE_LINK /usr/include/spirv ${SPIRV-Headers_SOURCE_DIR}/include/spirv SYMBOLIC)

set(BUILD_SHARED_LIBS OFF)
foreach(off BUILD_EXTERNAL ENABLE_CTEST ENABLE_GLSLANG_BINARIES ENABLE_HLSL ENABLE_OPT ENABLE_PCH ENABLE_SPVREMAPPER SPIRV_WERROR)
  set(${off} OFF CACHE BOOL "" FORCE)
endforeach()
foreach(on SKIP_GLSLANG_INSTALL SKIP_SPIRV_TOOLS_INSTALL SPIRV_SKIP_EXECUTABLES SPIRV_SKIP_TESTS)
  set(${on} ON CACHE BOOL "" FORCE)
endforeach()
# They are not ours to mend. They put their files' names into messages, which would be others in each folder and, relative to it, behind
# a compiler cache.
add_compile_options(-w -fmacro-prefix-map=${MOBULA_PAGE_SOURCES}/= -fmacro-prefix-map=../page-sources/=)
add_subdirectory(${MOBULA_PAGE_SOURCES}/glslang ${PROJECT_BINARY_DIR}/glslang EXCLUDE_FROM_ALL)
block()
  set(CMAKE_SYSTEM_NAME Emscripten)  # the other WebAssembly that it knows
  add_subdirectory(${MOBULA_PAGE_SOURCES}/spirv-tools ${PROJECT_BINARY_DIR}/spirv-tools EXCLUDE_FROM_ALL)
endblock()
set_property(DIRECTORY PROPERTY COMPILE_OPTIONS "")
# What of the system they need, and a page has not.
target_include_directories(SPIRV SYSTEM PRIVATE ${PROJECT_SOURCE_DIR}/bindings/web/system)
add_library(OSDependent STATIC ${PROJECT_SOURCE_DIR}/bindings/web/without/glslang_threads.cpp)
target_include_directories(OSDependent PRIVATE ${MOBULA_PAGE_SOURCES}/glslang)
add_library(glslang-default-resource-limits STATIC ${MOBULA_PAGE_SOURCES}/glslang/StandAlone/ResourceLimits.cpp)
target_include_directories(glslang-default-resource-limits PRIVATE ${MOBULA_PAGE_SOURCES}/glslang)
# Its library "glslang" is the C interface alone.
add_library(glslang::glslang ALIAS MachineIndependent)
add_library(glslang::SPIRV ALIAS SPIRV)
add_library(glslang::glslang-default-resource-limits ALIAS glslang-default-resource-limits)
