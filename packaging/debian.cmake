# Packages of Debian, which cpack makes of the components that are installed: `scripts/packages` does it from a clean build.
set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL libmobula0 libmobula-dev mobula mobula-doc)
set(CPACK_PACKAGE_NAME mobula)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Machine code of mobile GPUs")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)
# What each package has besides: see there.
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_SOURCE_DIR}/debian/complete.cmake)
set(CPACK_MOBULA_PACKAGING ${CMAKE_CURRENT_SOURCE_DIR})

set(MOBULA_MAINTAINER "The mobula authors <maintainers@mobula.invalid>" CACHE STRING "Who answers for the packages: name and address")
set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${MOBULA_MAINTAINER})
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(this_version "(= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")

# describe(COMPONENT SECTION SUMMARY TEXT [DEPENDS]): the description is for people who have not heard of mobula.
function(describe component section summary text)
  string(TOUPPER ${component} key)
  set(about "mobula reads, writes, checks, executes and times the machine code of mobile\nGPUs (ARM Midgard and Utgard, Imagination Rogue, the firmware of Adreno's\ncommand processors) on any computer.")
  set(CPACK_DEBIAN_${key}_PACKAGE_NAME ${component} PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_DESCRIPTION "${summary}\n${about}\n.\n${text}" PARENT_SCOPE)
  list(JOIN ARGN ", " depends)
  set(CPACK_DEBIAN_${key}_PACKAGE_DEPENDS ${depends} PARENT_SCOPE)
endfunction()

describe(libmobula0 libs "machine code of mobile GPUs - shared libraries"
  "This package has the libraries: for C++ those that read, write and check\nmachine code (mobula-isa), execute and time it (mobula) and compile shaders\nto it (mobula-compile), and one for C (mobula-c).")
describe(libmobula-dev libdevel "machine code of mobile GPUs - development files"
  "This package has what programs are built with: headers for C++ and C, and\nfiles for CMake and pkg-config."
  "libmobula0 ${this_version}")
describe(mobula devel "disassembler, assembler and simulator for the machine code of mobile GPUs"
  "This package has the command, its manual pages, completions for shells and\nsyntax files for editors."
  "libmobula0 ${this_version}")
set(CPACK_DEBIAN_MOBULA_PACKAGE_SUGGESTS "mobula-doc, mobula-jit")
describe(mobula-doc doc "machine code of mobile GPUs - documentation and examples"
  "This package has manuals of the command, the machines and the libraries, and\nthe examples that they use.")
set(CPACK_DEBIAN_MOBULA-DOC_PACKAGE_ARCHITECTURE all)
if(TARGET mobula-jit)
  list(APPEND CPACK_COMPONENTS_ALL mobula-jit)
  describe(mobula-jit libs "machine code of mobile GPUs - faster pictures"
    "This package has a plug-in that compiles shaders to code of this computer by\nLLVM, with which pictures are computed several times as fast."
    "libmobula0 ${this_version}")
endif()
if(MOBULA_PYTHON)
  list(APPEND CPACK_COMPONENTS_ALL python3-mobula)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  math(EXPR next_minor "${Python3_VERSION_MINOR} + 1")
  describe(python3-mobula python "machine code of mobile GPUs - Python module"
    "This package has the module mobula, which runs programs on arrays of numpy."
    "libmobula0 ${this_version}" "python3 (>= 3.${Python3_VERSION_MINOR})" "python3 (<< 3.${next_minor})" "python3-numpy")
  set(CPACK_DEBIAN_PYTHON3-MOBULA_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_SOURCE_DIR}/debian/python3-mobula/postinst
                                                        ${CMAKE_CURRENT_SOURCE_DIR}/debian/python3-mobula/prerm)
endif()

# Loaded by name when they are wanted.
set(CPACK_DEBIAN_LIBMOBULA0_PACKAGE_RECOMMENDS libzip4)
set(CPACK_DEBIAN_MOBULA_PACKAGE_RECOMMENDS libedit2)

# Versions of what the libraries need come from the packages that have it; of these libraries before 1.0 those of a minor version fit.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_MOBULA-DOC_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_LIBMOBULA-DEV_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/src ${PROJECT_BINARY_DIR}/bindings/c)
math(EXPR next_minor "${PROJECT_VERSION_MINOR} + 1")
set(shlibs "")
foreach(library mobula-isa mobula-lab mobula-compile mobula-c)
  if(TARGET ${library})
    get_target_property(soversion ${library} SOVERSION)
    get_target_property(name ${library} OUTPUT_NAME)
    if(NOT name)
      set(name ${library})
    endif()
    string(APPEND shlibs "lib${name} ${soversion} libmobula0 (>= ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}), "
                         "libmobula0 (<< ${PROJECT_VERSION_MAJOR}.${next_minor})\n")
  endif()
endforeach()
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/debian/shlibs "${shlibs}")
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/debian/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBMOBULA0_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_BINARY_DIR}/debian/shlibs ${CMAKE_CURRENT_BINARY_DIR}/debian/triggers)
include(CPack)
