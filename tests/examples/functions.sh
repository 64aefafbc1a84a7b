# What tests of the examples have in common; to be sourced.
# shellcheck shell=bash disable=SC2154

# How many seconds a test waits for what must come. Only a wait without hope takes so long: a busy machine may be slow.
patience=120

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

# Starts $program as a service in the background, with its output in the file $said, and sets $service, its process, and
# $url, which its first line ends with.
start_service() { # the program's arguments
  local end=$((SECONDS + patience)) first
  said=$(mktemp)
  "$program" "$@" >"$said" 2>&1 &
  service=$!
  trap 'kill "$service" 2>/dev/null || true; rm -f "$said"' EXIT
  until IFS= read -r first <"$said"; do
    kill -0 "$service" 2>/dev/null || { echo "the service does not start:"; cat "$said"; exit 1; }
    ((SECONDS < end)) || { echo "the service says nothing"; exit 1; }
    sleep 0.05
  done
  url=${first##* }
}
