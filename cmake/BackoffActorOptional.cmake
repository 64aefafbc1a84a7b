# backoff_actor_missing(RESULT VARIABLE PACKAGE [VARIABLE PACKAGE ...]) sets RESULT to the names of the packages whose
# variables are false.
function(backoff_actor_missing result)
  set(_missing "")
  while(ARGN)
    list(POP_FRONT ARGN _variable _package)
    if(NOT ${_variable})
      list(APPEND _missing ${_package})
    endif()
  endwhile()
  list(JOIN _missing " " _missing)
  set(${result} "${_missing}" PARENT_SCOPE)
endfunction()

# Notes that a part is left out, for `backoff_actor_say_what_is_left_out`.
function(backoff_actor_left_out what)
  set_property(GLOBAL APPEND PROPERTY BACKOFF_ACTOR_LEFT_OUT "${what}")
endfunction()

# Prints in one line what is left out, if anything is: the last word of a configuration.
function(backoff_actor_say_what_is_left_out)
  get_property(_left_out GLOBAL PROPERTY BACKOFF_ACTOR_LEFT_OUT)
  if(_left_out)
    list(JOIN _left_out "; " _left_out)
    message(STATUS "backoff_actor is configured without: ${_left_out}")
  endif()
endfunction()

# Says of an optional part what is missing for it, by the names of Debian's packages.
#
# backoff_actor_skip(RESULT WHAT VARIABLE PACKAGE [VARIABLE PACKAGE ...]) sets RESULT to true, and prints how to get
# WHAT, if one of the variables is false.
function(backoff_actor_skip result what)
  backoff_actor_missing(_missing ${ARGN})
  if(_missing)
    message(STATUS "${what} is skipped. To build it: apt-get install ${_missing}")
    string(REGEX REPLACE "^The " "the " _part "${what}")
    backoff_actor_left_out("${_part} (apt-get install ${_missing})")
    set(${result} TRUE PARENT_SCOPE)
  else()
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()

# backoff_actor_need(WHAT OPTION VARIABLE PACKAGE [VARIABLE PACKAGE ...]) ends the configuration, and says how to get
# WHAT or to do without it by OPTION, if one of the variables is false.
function(backoff_actor_need what option)
  backoff_actor_missing(_missing ${ARGN})
  if(_missing)
    message(FATAL_ERROR "${what} cannot be built. Install what it needs: apt-get install ${_missing}\n"
                        "Or do without it: cmake -D${option}=OFF ...")
  endif()
endfunction()
