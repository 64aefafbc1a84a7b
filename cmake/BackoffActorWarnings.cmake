# backoff_actor_internal: what our own targets are compiled with, and nobody else's.
add_library(backoff_actor_internal INTERFACE)
target_compile_options(
  backoff_actor_internal
  INTERFACE -Wall
            -Wextra
            -Wpedantic
            -Wshadow
            -Wconversion
            -Wsign-conversion
            -Wnon-virtual-dtor
            -Wold-style-cast
            -Wcast-align
            -Wunused
            -Woverloaded-virtual
            $<$<BOOL:${BACKOFF_ACTOR_WARNINGS_AS_ERRORS}>:-Werror>)

# In a unity build every source file is taken for a header, whose classes several files may have.
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(backoff_actor_internal INTERFACE -Wno-subobject-linkage)
endif()
# To clang, a parameter in one of those files shadows a name in an anonymous namespace of another.
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  target_compile_options(backoff_actor_internal INTERFACE -Wno-shadow)
endif()

if(BACKOFF_ACTOR_SANITIZERS)
  # CAF 0.17.6 dereferences a null pointer, harmlessly, when it spawns a function without arguments.
  set(_flags -fsanitize=${BACKOFF_ACTOR_SANITIZERS} -fno-sanitize=null -fno-sanitize-recover=all
             -fno-omit-frame-pointer)
  target_compile_options(backoff_actor_internal INTERFACE ${_flags})
  # What sanitizers add hides from g++ that a value was set.
  target_compile_options(backoff_actor_internal
                         INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(backoff_actor_internal INTERFACE ${_flags})
  unset(_flags)
endif()
