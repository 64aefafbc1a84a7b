# Looks for cpp-httplib, which is a library in some distributions, and a header alone elsewhere.
#
# backoff_actor_find_httplib(RESULT LIBRARY) sets RESULT to whether it is there, and makes the target
# backoff_actor_httplib, which everything of ours that includes the header links. OpenSSL must have been found. LIBRARY
# becomes the name of the library, for what is linked without that target; empty if there is none.
function(backoff_actor_find_httplib result library)
  set(${result} FALSE PARENT_SCOPE)
  set(${library} "" PARENT_SCOPE)
  if(CMAKE_DISABLE_FIND_PACKAGE_httplib)
    return()
  endif()

  # Its CMake package, as vcpkg and Conan have it.
  find_package(httplib QUIET CONFIG)
  unset(httplib_FOUND) # that of pkg-config is in the cache
  if(TARGET httplib::httplib)
    get_target_property(_type httplib::httplib TYPE)
    if(_type STREQUAL "INTERFACE_LIBRARY")
      set(_folders "$<TARGET_PROPERTY:httplib::httplib,INTERFACE_INCLUDE_DIRECTORIES>")
    endif()
  endif()

  # Its file for pkg-config, as Debian has it.
  if(NOT DEFINED _folders)
    find_package(PkgConfig QUIET)
    if(PkgConfig_FOUND)
      pkg_check_modules(httplib QUIET IMPORTED_TARGET cpp-httplib)
    endif()
    if(NOT httplib_FOUND)
      return()
    endif()
    set(_folders "${httplib_INCLUDE_DIRS}")
  endif()

  add_library(backoff_actor_httplib INTERFACE)
  if("cpp-httplib" IN_LIST httplib_LIBRARIES)
    # Newer headers call libcrypto in inline functions; the file for pkg-config names it for a static library only.
    target_link_libraries(backoff_actor_httplib INTERFACE PkgConfig::httplib OpenSSL::Crypto)
    set(${library} cpp-httplib PARENT_SCOPE)
  else()
    # A program that links ours may use the header with other settings. So ours has another namespace, and none of the
    # settings, which need more libraries.
    target_include_directories(backoff_actor_httplib SYSTEM INTERFACE "${_folders}")
    target_compile_definitions(backoff_actor_httplib INTERFACE httplib=backoff_actor_httplib)
  endif()
  set(${result} TRUE PARENT_SCOPE)
endfunction()
