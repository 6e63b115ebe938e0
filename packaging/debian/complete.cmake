# Run by cpack when the files of all packages lie in folders, before packages are made of them: adds what Debian wants of each
# package (licences, changes, reasons for what lintian says) and compresses what is read compressed.
set(source ${CPACK_MOBULA_PACKAGING}/..)
if(NOT "$ENV{SOURCE_DATE_EPOCH}" STREQUAL "")
  set(when $ENV{SOURCE_DATE_EPOCH})
else()
  string(TIMESTAMP when %s UTC)
endif()
execute_process(COMMAND date -u -R -d @${when} OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)

# Packages of Debian whose code is compiled into a component; theirs are the licences that come along.
set(contained_libmobula0 nlohmann-json3-dev libhwy-dev libprotozero-dev glslang-dev spirv-tools spirv-headers)
set(contained_mobula nlohmann-json3-dev libcli11-dev)
set(contained_python3-mobula pybind11-dev nlohmann-json3-dev)

function(compress)
  execute_process(COMMAND gzip -9n ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

foreach(component ${CPACK_COMPONENTS_ALL})
  set(usr ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr)
  set(folder ${usr}/share/doc/${component})
  file(READ ${source}/LICENSE licence)
  set(copyright "mobula, by the mobula authors.\n\n${licence}")
  foreach(library ${contained_${component}})
    file(READ /usr/share/doc/${library}/copyright theirs)
    string(APPEND copyright "\nThis package contains code of Debian's package ${library}:\n\n${theirs}")
  endforeach()
  if(EXISTS ${usr}/share/mobula/page)
    execute_process(COMMAND ${source}/scripts/sbom --own-licences mobula-${CPACK_PACKAGE_VERSION}.html OUTPUT_VARIABLE of_page COMMAND_ERROR_IS_FATAL ANY)
    string(APPEND copyright "\nThe page contains:\n\n${of_page}")
  endif()
  file(WRITE ${folder}/copyright "${copyright}")
  file(WRITE ${folder}/changelog.Debian
    "mobula (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium\n\n"
    "  * mobula ${CPACK_PACKAGE_VERSION}: changelog.gz says what changed.\n\n -- ${CPACK_DEBIAN_PACKAGE_MAINTAINER}  ${date}\n")
  configure_file(${source}/CHANGELOG.md ${folder}/changelog COPYONLY)
  file(GLOB pages ${usr}/share/man/man1/*.1)
  compress(${folder}/changelog.Debian ${folder}/changelog ${pages})
  # These packages are the project's own, and no upload to Debian that answers a request for them.
  set(overrides "${component}: initial-upload-closes-no-bugs *\n")
  if(EXISTS ${CPACK_MOBULA_PACKAGING}/debian/${component}/lintian-overrides)
    file(READ ${CPACK_MOBULA_PACKAGING}/debian/${component}/lintian-overrides more)
    string(APPEND overrides "${more}")
  endif()
  file(WRITE ${usr}/share/lintian/overrides/${component} "${overrides}")
endforeach()
