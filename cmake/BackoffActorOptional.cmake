# Says of an optional part what is missing for it, by the names of Debian's packages.
#
# backoff_actor_skip(RESULT WHAT VARIABLE PACKAGE [VARIABLE PACKAGE ...]) sets RESULT to true, and prints how to get
# WHAT, if one of the variables is false.
function(backoff_actor_skip result what)
  set(_missing "")
  while(ARGN)
    list(POP_FRONT ARGN _variable _package)
    if(NOT ${_variable})
      list(APPEND _missing ${_package})
    endif()
  endwhile()
  if(_missing)
    list(JOIN _missing " " _missing)
    message(STATUS "${what} is skipped. To build it: apt-get install ${_missing}")
    set(${result} TRUE PARENT_SCOPE)
  else()
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()
