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

# Says of an optional part what is missing for it, by the names of Debian's packages.
#
# backoff_actor_skip(RESULT WHAT VARIABLE PACKAGE [VARIABLE PACKAGE ...]) sets RESULT to true, and prints how to get
# WHAT, if one of the variables is false.
function(backoff_actor_skip result what)
  backoff_actor_missing(_missing ${ARGN})
  if(_missing)
    message(STATUS "${what} is skipped. To build it: apt-get install ${_missing}")
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
