# Precompiled headers, of others' code only: CAF, GoogleTest, the standard library. Reading them takes a compiler most
# of its time for a small file. Presets for developers use them; CMAKE_DISABLE_PRECOMPILE_HEADERS turns them off.

set(_backoff_actor_standard_headers
    <algorithm>
    <array>
    <atomic>
    <chrono>
    <condition_variable>
    <deque>
    <filesystem>
    <functional>
    <map>
    <memory>
    <mutex>
    <optional>
    <random>
    <set>
    <span>
    <sstream>
    <string>
    <thread>
    <unordered_map>
    <variant>
    <vector>)

# backoff_actor_precompile(TARGET [caf] [gtest] [library]): lets a target of ours use the precompiled headers of the
# standard library, and of what is named and it links; `library` for parts of the library. Targets that name the same share one.
function(backoff_actor_precompile target)
  if(CMAKE_DISABLE_PRECOMPILE_HEADERS OR NOT PROJECT_IS_TOP_LEVEL)
    return()
  endif()
  list(JOIN ARGN _ _parts)
  set(_owner backoff_actor_precompiled_${_parts})
  if(NOT TARGET ${_owner})
    set(_source "${PROJECT_BINARY_DIR}/${_owner}.cpp")
    file(CONFIGURE OUTPUT "${_source}" CONTENT "")
    add_library(${_owner} OBJECT "${_source}")
    target_compile_features(${_owner} PRIVATE cxx_std_20)
    target_link_libraries(${_owner} PRIVATE backoff_actor_internal)
    target_precompile_headers(${_owner} PRIVATE ${_backoff_actor_standard_headers})
    if(caf IN_LIST ARGN)
      target_precompile_headers(${_owner} PRIVATE <caf/all.hpp>)
      target_link_libraries(${_owner} PRIVATE CAF::core)
    endif()
    if(gtest IN_LIST ARGN)
      target_precompile_headers(${_owner} PRIVATE <gmock/gmock.h> <gtest/gtest.h>)
      target_link_libraries(${_owner} PRIVATE GTest::gmock GTest::gtest)
    endif()
    if(library IN_LIST ARGN)
      set_target_properties(${_owner} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                                                 VISIBILITY_INLINES_HIDDEN ON)
    endif()
  endif()
  target_precompile_headers(${target} REUSE_FROM ${_owner})
endfunction()
