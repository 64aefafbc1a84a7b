# Precompiled headers, of others' code only: CAF, GoogleTest, the standard library. Reading them takes a compiler most
# of its time for a small file. CMAKE_DISABLE_PRECOMPILE_HEADERS turns them off. They are off in the project of somebody
# who compiles with a launcher, too: ccache keeps nothing that was compiled with them, unless it is told to.

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

# backoff_actor_precompile(TARGET PART ...): lets a target of ours use the precompiled headers of these parts: `standard`, the
# standard library, which all have; `caf` and `gtest`, which the target must link. Targets that name the same parts share one
# file, so all are compiled as a shared library is.
function(backoff_actor_precompile target)
  if(CMAKE_DISABLE_PRECOMPILE_HEADERS OR (CMAKE_CXX_COMPILER_LAUNCHER AND NOT PROJECT_IS_TOP_LEVEL))
    return()
  endif()
  list(JOIN ARGN _ _parts)
  set(_owner backoff_actor_precompiled_${_parts})
  if(NOT TARGET ${_owner})
    set(_source "${PROJECT_BINARY_DIR}/${_owner}.cpp")
    file(CONFIGURE OUTPUT "${_source}" CONTENT "")
    add_library(${_owner} OBJECT "${_source}")
    target_compile_features(${_owner} PRIVATE cxx_std_20)
    target_compile_options(${_owner} PRIVATE -fPIC -fvisibility=hidden -fvisibility-inlines-hidden)
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
  endif()
  target_compile_options(${target} PRIVATE -fPIC -fvisibility=hidden -fvisibility-inlines-hidden)
  target_precompile_headers(${target} REUSE_FROM ${_owner})
endfunction()
