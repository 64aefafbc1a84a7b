# Finds cctz, which reads the system's zone database: by its own CMake config, as vcpkg and Conan have it, else by its
# header and library, as Debian has them. Gives cctz::cctz.

find_package(cctz CONFIG QUIET)
if(TARGET cctz::cctz)
  set(Cctz_FOUND TRUE)
  return()
endif()

find_path(CCTZ_INCLUDE_DIR cctz/time_zone.h)
find_library(CCTZ_LIBRARY cctz)
mark_as_advanced(CCTZ_INCLUDE_DIR CCTZ_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Cctz REQUIRED_VARS CCTZ_LIBRARY CCTZ_INCLUDE_DIR)

if(Cctz_FOUND)
  add_library(cctz::cctz UNKNOWN IMPORTED)
  set_target_properties(cctz::cctz PROPERTIES IMPORTED_LOCATION "${CCTZ_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES
                                                                                  "${CCTZ_INCLUDE_DIR}")
endif()
