# Looks for cpp-httplib, with which some examples and demos serve HTTP; the library does not use it. Sets
# BACKOFF_ACTOR_HAS_HTTPLIB, and makes the target backoff_actor_httplib.

# Its CMake package, as vcpkg and Conan have it, or its file for pkg-config, as Debian has it.
find_package(httplib QUIET CONFIG)
set(_httplib httplib::httplib)
if(NOT TARGET httplib::httplib)
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(backoff_actor_httplib QUIET IMPORTED_TARGET cpp-httplib)
  endif()
  set(_httplib PkgConfig::backoff_actor_httplib)
endif()

set(BACKOFF_ACTOR_HAS_HTTPLIB FALSE)
if(TARGET ${_httplib} AND OPENSSL_FOUND)
  # Newer headers call libcrypto in inline functions; the file for pkg-config names it for a static library only.
  add_library(backoff_actor_httplib INTERFACE)
  target_link_libraries(backoff_actor_httplib INTERFACE ${_httplib} OpenSSL::Crypto)
  set(BACKOFF_ACTOR_HAS_HTTPLIB TRUE)
endif()
