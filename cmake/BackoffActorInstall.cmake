# Installs libraries, headers, the CMake package, the pkg-config files, the demo and the tools.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(_cmake_folder "${CMAKE_INSTALL_LIBDIR}/cmake/backoff_actor")
set(_pkgconfig_folder "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

# -- libraries, a target file per component ------------------------------------

foreach(_component IN LISTS BACKOFF_ACTOR_COMPONENTS)
  install(
    TARGETS backoff_actor_${_component}
    EXPORT backoff_actor_${_component}
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
            COMPONENT library
            NAMELINK_COMPONENT development
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development)
  install(
    EXPORT backoff_actor_${_component}
    FILE backoff_actor-${_component}.cmake
    NAMESPACE backoff_actor::
    DESTINATION "${_cmake_folder}"
    COMPONENT development)
endforeach()

# -- headers: all but those of an internal/, of the engines, of the other version of CAF, and of what is not built

set(_left_out "(^|/)internal/|^engine/")
if(CAF_VERSION VERSION_LESS 1.0)
  string(APPEND _left_out "|(^|/)v1/")
else()
  string(APPEND _left_out "|(^|/)v0_17/")
endif()
if(NOT BACKOFF_ACTOR_HAS_STORE)
  string(APPEND _left_out "|^store/(lock/|[^/]*$)")
endif()
if(NOT BACKOFF_ACTOR_HAS_POSTGRES)
  string(APPEND _left_out "|^store/postgres/")
endif()
if(NOT BACKOFF_ACTOR_HAS_ZONES)
  string(APPEND _left_out "|^zones/")
endif()
if(NOT BACKOFF_ACTOR_HAS_REMOTE)
  string(APPEND _left_out "|^caf/(door|remote)/")
endif()
if(NOT BACKOFF_ACTOR_HAS_TLS)
  string(APPEND _left_out "|^(net/tls|web)/")
endif()
set(_library_folder "${PROJECT_SOURCE_DIR}/libbackoff_actor/backoff_actor")
file(GLOB_RECURSE _headers RELATIVE "${_library_folder}" CONFIGURE_DEPENDS "${_library_folder}/*.hpp")
list(FILTER _headers EXCLUDE REGEX "${_left_out}")
foreach(_header IN LISTS _headers)
  cmake_path(GET _header PARENT_PATH _room)
  install(
    FILES "${_library_folder}/${_header}"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/backoff_actor/${_room}"
    COMPONENT development)
endforeach()

# -- CMake package -------------------------------------------------------------

# A static store needs SQLite where it is linked; a shared one has it.
set(BACKOFF_ACTOR_STORE_NEEDS_SQLITE FALSE)
if(BACKOFF_ACTOR_HAS_STORE AND NOT BUILD_SHARED_LIBS)
  set(BACKOFF_ACTOR_STORE_NEEDS_SQLITE TRUE)
endif()
# The same for libpq.
set(BACKOFF_ACTOR_POSTGRES_NEEDS_LIBPQ FALSE)
if(BACKOFF_ACTOR_HAS_POSTGRES AND NOT BUILD_SHARED_LIBS)
  set(BACKOFF_ACTOR_POSTGRES_NEEDS_LIBPQ TRUE)
endif()
# The same for cctz.
set(BACKOFF_ACTOR_ZONES_NEED_CCTZ FALSE)
if(BACKOFF_ACTOR_HAS_ZONES AND NOT BUILD_SHARED_LIBS)
  set(BACKOFF_ACTOR_ZONES_NEED_CCTZ TRUE)
endif()
# The same for OpenSSL.
set(BACKOFF_ACTOR_TLS_NEEDS_OPENSSL FALSE)
if(BACKOFF_ACTOR_HAS_TLS AND NOT BUILD_SHARED_LIBS)
  set(BACKOFF_ACTOR_TLS_NEEDS_OPENSSL TRUE)
endif()
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/backoff_actor-config.cmake.in"
  "${PROJECT_BINARY_DIR}/backoff_actor-config.cmake"
  INSTALL_DESTINATION "${_cmake_folder}"
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/backoff_actor-config-version.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(
  FILES "${PROJECT_BINARY_DIR}/backoff_actor-config.cmake"
        "${PROJECT_BINARY_DIR}/backoff_actor-config-version.cmake"
        "${PROJECT_SOURCE_DIR}/cmake/FindCAF.cmake"
        "${PROJECT_SOURCE_DIR}/cmake/FindCctz.cmake"
  DESTINATION "${_cmake_folder}"
  COMPONENT development)

# -- pkg-config ----------------------------------------------------------------

# CAF 0.17 has no pkg-config file and CAF 1.x need not be installed where the compiler looks. Conan's CAF has no folder
# that could be named here; Conan makes files of its own for pkg-config.
get_target_property(_caf_include CAF::core INTERFACE_INCLUDE_DIRECTORIES)
get_target_property(_caf_library CAF::core IMPORTED_LOCATION)
if(NOT _caf_library)
  get_target_property(_caf_library CAF::core LOCATION)
endif()
set(BACKOFF_ACTOR_PC_CAF_CFLAGS "-I${_caf_include}")
cmake_path(GET _caf_library PARENT_PATH _caf_library_folder)
set(BACKOFF_ACTOR_PC_CAF_LIBS "-L${_caf_library_folder} -lcaf_core")
if(_caf_include STREQUAL "/usr/include" OR NOT _caf_library)
  set(BACKOFF_ACTOR_PC_CAF_CFLAGS "")
  set(BACKOFF_ACTOR_PC_CAF_LIBS "-lcaf_core")
endif()

function(_backoff_actor_pkgconfig name component description requires cflags libs)
  file(
    CONFIGURE
    OUTPUT "${PROJECT_BINARY_DIR}/${name}.pc"
    CONTENT
      "prefix=\${pcfiledir}/@_up@
includedir=\${prefix}/@CMAKE_INSTALL_INCLUDEDIR@
libdir=\${prefix}/@CMAKE_INSTALL_LIBDIR@

Name: @name@
Description: @description@
Version: @PROJECT_VERSION@
Requires: @requires@
Cflags: -I\${includedir} @cflags@
Libs: -L\${libdir} -lbackoff_actor_@component@ @libs@
"
    @ONLY)
  install(
    FILES "${PROJECT_BINARY_DIR}/${name}.pc"
    DESTINATION "${_pkgconfig_folder}"
    COMPONENT development)
endfunction()

file(RELATIVE_PATH _up "/${_pkgconfig_folder}" "/")
string(REGEX REPLACE "/$" "" _up "${_up}")
_backoff_actor_pkgconfig(
  backoff_actor-core core "Backoff policies and the sender's state machine, without an actor library" "" "" "")
_backoff_actor_pkgconfig(backoff_actor-lab lab "Planner of backoff policies" "backoff_actor-core" "" "")
_backoff_actor_pkgconfig(
  backoff_actor actor "Supervision and reliable retry for the C++ Actor Framework" "backoff_actor-core"
  "${BACKOFF_ACTOR_PC_CAF_CFLAGS}" "${BACKOFF_ACTOR_PC_CAF_LIBS}")
_backoff_actor_pkgconfig(backoff_actor-testing testing "Virtual time and scripted failures for guarded actors"
                         "backoff_actor" "" "")
if(BACKOFF_ACTOR_HAS_STORE)
  set(_sqlite "")
  if(BACKOFF_ACTOR_STORE_NEEDS_SQLITE)
    set(_sqlite "-lSQLiteCpp -lsqlite3")
  endif()
  _backoff_actor_pkgconfig(backoff_actor-store store "Keeps what is owed in a file of SQLite"
                           "backoff_actor-core" "" "${_sqlite}")
endif()

if(BACKOFF_ACTOR_HAS_POSTGRES)
  set(_libpq "")
  if(BACKOFF_ACTOR_POSTGRES_NEEDS_LIBPQ)
    set(_libpq "-lpq")
  endif()
  _backoff_actor_pkgconfig(backoff_actor-postgres postgres "Keeps what is owed on a server of PostgreSQL"
                           "backoff_actor-core" "" "${_libpq}")
endif()

if(BACKOFF_ACTOR_HAS_ZONES)
  set(_cctz "")
  if(BACKOFF_ACTOR_ZONES_NEED_CCTZ)
    set(_cctz "-lcctz")
  endif()
  _backoff_actor_pkgconfig(backoff_actor-zones zones "Time zones of the system, for calendars"
                           "backoff_actor-core" "" "${_cctz}")
endif()

if(BACKOFF_ACTOR_HAS_TLS)
  set(_openssl "")
  if(BACKOFF_ACTOR_TLS_NEEDS_OPENSSL)
    set(_openssl "-lssl -lcrypto")
  endif()
  _backoff_actor_pkgconfig(backoff_actor-tls tls "Certificates, for other nodes and for the web server"
                           "backoff_actor-core" "" "${_openssl}")
  _backoff_actor_pkgconfig(backoff_actor-web web "Metrics and probes of guarded actors by HTTP"
                           "backoff_actor-core backoff_actor-tls" "" "")
endif()

if(BACKOFF_ACTOR_HAS_REMOTE)
  _backoff_actor_pkgconfig(backoff_actor-remote remote "Guarded workers on other nodes"
                           "backoff_actor backoff_actor-tls" "" "-lcaf_io")
endif()

# -- documentation, examples, the demo and the tools ---------------------------

install(FILES "${PROJECT_SOURCE_DIR}/README.md" "${PROJECT_SOURCE_DIR}/CHANGELOG.md"
              "${PROJECT_SOURCE_DIR}/LICENSE"
        DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT development)
install(FILES "${PROJECT_SOURCE_DIR}/examples/quickstart/main.cpp"
        DESTINATION "${CMAKE_INSTALL_DOCDIR}/examples/quickstart" COMPONENT development)
install(FILES "${PROJECT_SOURCE_DIR}/examples/quickstart/installed/CMakeLists.txt"
        DESTINATION "${CMAKE_INSTALL_DOCDIR}/examples/quickstart" COMPONENT development)

install(FILES "${PROJECT_SOURCE_DIR}/packaging/prometheus/backoff_actor.rules.yml"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/backoff_actor/prometheus" COMPONENT tools)
install(FILES "${PROJECT_SOURCE_DIR}/packaging/grafana/backoff_actor.json"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/backoff_actor/grafana" COMPONENT tools)

if(TARGET http_guard)
  set(_demo_folder "${CMAKE_INSTALL_LIBEXECDIR}/backoff_actor")
  install(TARGETS http_guard http_guard_service RUNTIME DESTINATION "${_demo_folder}" COMPONENT tools)
  file(RELATIVE_PATH _from_bin "/${CMAKE_INSTALL_BINDIR}" "/${_demo_folder}/http_guard")
  file(CREATE_LINK "${_from_bin}" "${PROJECT_BINARY_DIR}/backoff_actor_demo" SYMBOLIC)
  install(FILES "${PROJECT_BINARY_DIR}/backoff_actor_demo" DESTINATION "${CMAKE_INSTALL_BINDIR}"
          COMPONENT tools)
endif()

if(TARGET backoffctl)
  install(TARGETS backoffctl RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT tools)
endif()
if(TARGET backoffctl_manual)
  get_target_property(_manual backoffctl_manual FOLDER_OF_MANUAL)
  install(DIRECTORY "${_manual}/man1" DESTINATION "${CMAKE_INSTALL_MANDIR}" COMPONENT tools)
  install(FILES "${_manual}/backoffctl.bash" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions"
          RENAME backoffctl COMPONENT tools)
endif()
