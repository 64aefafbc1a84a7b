# For tests of what $program does with bad input.

# Bad input is refused with exit code 2.
refuses() { # expected words on stderr, then the arguments
  local words=$1 code=0 output
  shift
  output=$("$program" "$@" 2>&1 >/dev/null) || code=$?
  [[ $code == 2 ]] || { echo "exit code $code instead of 2 for: $*"; exit 1; }
  grep -qF -- "$words" <<<"$output" || { printf "for '%s' expected '%s', got:\n%s\n" "$*" "$words" "$output"; exit 1; }
}
