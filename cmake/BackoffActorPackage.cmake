# cpack -G DEB: the library, what is needed to build with it, and the demo with the tools. Made for shared libraries
# (BUILD_SHARED_LIBS=ON, see the preset "package").
set(CPACK_PACKAGE_NAME backoff-actor)
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_CONTACT "The backoff_actor authors")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)

set(CPACK_COMPONENTS_ALL library development tools)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)

set(_series "${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME "libbackoff-actor${_series}")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS tzdata) # the zone database
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION
    "Shared libraries\n A BackOffSender supervises a worker actor, keeps every message until it is acknowledged,\n recreates the worker when it dies, and resends after a truncated exponential backoff. What it owes can\n be kept in a file of SQLite or on a server of PostgreSQL, and the worker may be on another node."
)

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libbackoff-actor-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "libbackoff-actor${_series} (= ${PROJECT_VERSION}), libcaf-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
    "Headers, CMake package and example\n What is needed to build programs with backoff_actor, and to test workers in virtual time."
)

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME backoff-actor-tools)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "libbackoff-actor${_series} (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_TOOLS_PACKAGE_RECOMMENDS gnuplot-nox)
set(CPACK_COMPONENT_TOOLS_DESCRIPTION
    "The demo and the tools\n backoffctl answers questions about backoffs: which attempt is due when, how long the delays are, and\n which factor gives the delays that are wanted.\n .\n backoff_actor_demo guards a worker that calls a failing HTTP service, its own or yours, and counts\n what was lost and what was done twice."
)

# The libraries are each other's dependencies, and not installed while they are packed.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}/libbackoff_actor")
include(CPack)
