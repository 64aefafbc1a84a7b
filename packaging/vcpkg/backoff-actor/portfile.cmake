# The sources are those of the clone that this port lies in.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

vcpkg_check_features(
  OUT_FEATURE_OPTIONS FEATURE_OPTIONS
  INVERTED_FEATURES
    postgres CMAKE_DISABLE_FIND_PACKAGE_PostgreSQL
    store CMAKE_DISABLE_FIND_PACKAGE_SQLiteCpp
    zones CMAKE_DISABLE_FIND_PACKAGE_Cctz)

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    -DBACKOFF_ACTOR_BUILD_TESTS=OFF
    -DBACKOFF_ACTOR_BUILD_EXAMPLES=OFF
    -DBACKOFF_ACTOR_BUILD_TOOLS=OFF
    ${FEATURE_OPTIONS})

vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME backoff_actor CONFIG_PATH lib/cmake/backoff_actor)
vcpkg_fixup_pkgconfig()

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
