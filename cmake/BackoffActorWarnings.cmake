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

# A fused multiply-add rounds otherwise than its two halves, and not every platform has one: a delay must be the same
# everywhere.
target_compile_options(backoff_actor_internal INTERFACE -ffp-contract=off)

# In a unity build every source file is taken for a header, whose classes several files may have.
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(backoff_actor_internal INTERFACE -Wno-subobject-linkage)
  # g++ looks for garbage again and again, which takes an eighth of its time: not below 1 GB.
  target_compile_options(backoff_actor_internal INTERFACE --param=ggc-min-heapsize=1000000)
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
