# What tests of the examples have in common; to be sourced.
# shellcheck shell=bash disable=SC2154

# Checks that $program refuses bad input with exit code 2.
refuses() { # expected words on stderr, then the arguments
  local words=$1 code=0 output
  shift
  output=$("$program" "$@" 2>&1 >/dev/null) || code=$?
  [[ $code == 2 ]] || { echo "exit code $code instead of 2 for: $*"; exit 1; }
  grep -qF -- "$words" <<<"$output" || { printf "for '%s' expected '%s', got:\n%s\n" "$*" "$words" "$output"; exit 1; }
}

# Prints the child of a process whose name begins so, if there is one. Other processes may come and go meanwhile.
child_of() { # process, beginning of the child's name
  local file id name parent
  for file in /proc/[0-9]*/stat; do
    { read -r id name _ parent _ <"$file"; } 2>/dev/null || continue
    [[ $parent != "$1" || $name != "($2"* ]] || echo "$id"
  done
}
