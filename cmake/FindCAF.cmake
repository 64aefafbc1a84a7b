# Finds the C++ Actor Framework: CAF 1.x by its own CMake config, else the packaged CAF 0.17, which ships no
# config, by its headers and libraries.
#
#   find_package(CAF REQUIRED COMPONENTS core [OPTIONAL_COMPONENTS io])   gives CAF::core and CAF_VERSION, and CAF::io
#
# A folder on CMAKE_PREFIX_PATH is searched first.

set(CAF_WANTED "0.17.6 or 1.x")

find_package(CAF CONFIG QUIET COMPONENTS core)
if(TARGET CAF::core)
  if(CAF_VERSION VERSION_LESS 1.0 OR CAF_VERSION VERSION_GREATER_EQUAL 2.0)
    message(
      FATAL_ERROR
        "The CAF in ${CAF_DIR} is ${CAF_VERSION}, but backoff_actor needs ${CAF_WANTED}. Install libcaf-dev (Debian, Ubuntu), or CAF 1.x (vcpkg, Conan, Homebrew), and name its folder in CMAKE_PREFIX_PATH."
    )
  endif()
  set(CAF_FOUND TRUE)
  set(CAF_core_FOUND TRUE)
  set(CAF_io_FOUND FALSE)
  if(TARGET CAF::io)
    set(CAF_io_FOUND TRUE)
  elseif(CAF_FIND_REQUIRED_io)
    set(CAF_FOUND FALSE)
    set(CAF_NOT_FOUND_MESSAGE "The CAF in ${CAF_DIR} was built without its module io")
  endif()
  if(CAF_FIND_REQUIRED AND NOT CAF_FOUND)
    message(FATAL_ERROR "${CAF_NOT_FOUND_MESSAGE}")
  endif()
  if(CAF_FOUND AND NOT CAF_FIND_QUIETLY AND NOT _caf_reported)
    message(STATUS "Found CAF ${CAF_VERSION}: ${CAF_DIR}")
    set(_caf_reported TRUE)
  endif()
  return()
endif()

find_path(CAF_INCLUDE_DIR caf/actor_system.hpp)
find_library(CAF_core_LIBRARY caf_core)
find_library(CAF_io_LIBRARY caf_io)
mark_as_advanced(CAF_INCLUDE_DIR CAF_core_LIBRARY CAF_io_LIBRARY)

if(CAF_INCLUDE_DIR AND EXISTS "${CAF_INCLUDE_DIR}/caf/config.hpp")
  # 0.17.6 is written as 1706.
  file(STRINGS "${CAF_INCLUDE_DIR}/caf/config.hpp" _caf_line REGEX "^#define CAF_VERSION [0-9]+")
  if(_caf_line MATCHES "CAF_VERSION ([0-9]+)")
    math(EXPR _caf_major "${CMAKE_MATCH_1} / 10000")
    math(EXPR _caf_minor "(${CMAKE_MATCH_1} / 100) % 100")
    math(EXPR _caf_patch "${CMAKE_MATCH_1} % 100")
    set(CAF_VERSION "${_caf_major}.${_caf_minor}.${_caf_patch}")
  endif()
  if(NOT CAF_VERSION VERSION_GREATER_EQUAL 0.17.6 OR NOT CAF_VERSION VERSION_LESS 0.18)
    set(_caf_found "${CAF_VERSION}")
    if(NOT _caf_found)
      set(_caf_found "of unknown version")
    endif()
    set(CAF_NOT_FOUND_MESSAGE
        "The CAF in ${CAF_INCLUDE_DIR} is ${_caf_found}, but backoff_actor needs ${CAF_WANTED}. On Debian and Ubuntu: apt-get install libcaf-dev")
    unset(CAF_INCLUDE_DIR CACHE)
  endif()
else()
  set(CAF_NOT_FOUND_MESSAGE
      "backoff_actor needs the C++ Actor Framework, ${CAF_WANTED}. On Debian and Ubuntu: apt-get install libcaf-dev")
endif()

if(CAF_core_LIBRARY)
  set(CAF_core_FOUND TRUE)
endif()
if(CAF_io_LIBRARY AND EXISTS "${CAF_INCLUDE_DIR}/caf/io/middleman.hpp")
  set(CAF_io_FOUND TRUE)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  CAF
  REQUIRED_VARS CAF_core_LIBRARY CAF_INCLUDE_DIR
  VERSION_VAR CAF_VERSION
  HANDLE_COMPONENTS
  REASON_FAILURE_MESSAGE "${CAF_NOT_FOUND_MESSAGE}")

if(CAF_FOUND AND NOT TARGET CAF::core)
  find_package(Threads REQUIRED)
  add_library(CAF::core UNKNOWN IMPORTED)
  set_target_properties(
    CAF::core
    PROPERTIES IMPORTED_LOCATION "${CAF_core_LIBRARY}"
               INTERFACE_INCLUDE_DIRECTORIES "${CAF_INCLUDE_DIR}"
               INTERFACE_LINK_LIBRARIES Threads::Threads)
endif()

if(CAF_FOUND AND CAF_io_FOUND AND NOT TARGET CAF::io)
  add_library(CAF::io UNKNOWN IMPORTED)
  set_target_properties(CAF::io PROPERTIES IMPORTED_LOCATION "${CAF_io_LIBRARY}" INTERFACE_LINK_LIBRARIES
                                                                                 CAF::core)
endif()
