# What tests of the live commands have in common; to be sourced. $program is backoffctl.
# shellcheck shell=bash disable=SC2034,SC2154

# How many seconds a test waits for what must come. Only a wait without hope takes so long: a busy machine may be slow.
patience=120

fail() { printf '%s\n' "$*" >&2; exit 1; }

# Starts a server in the background on a free port: its id in $server, its URL in $url,
# its output in $folder/server.
start_server() {
  : >"$folder/server"
  "$program" serve --port 0 --json >"$folder/server" &
  server=$!
  local end=$((SECONDS + patience))
  while ((SECONDS < end)); do
    url=$(sed -nE 's|.*"listening":"([^"]*)".*|http://\1/api|p' "$folder/server")
    [[ -z $url ]] || return 0
    sleep 0.05
  done
  fail 'the server does not say where it listens'
}

# Prints all processes whose parent is the one named.
children_of() { # process
  local file id parent
  for file in /proc/[0-9]*/stat; do
    { read -r id _ _ parent _ <"$file"; } 2>/dev/null || continue
    [[ $parent != "$1" ]] || echo "$id"
  done
}

# Waits until none of the processes is there any more.
are_gone() { # process ...
  local id end=$((SECONDS + patience))
  while ((SECONDS < end)); do
    for id in "$@"; do
      # One that nobody has waited for is dead, too.
      ! [[ -e /proc/$id && $(sed -E 's/^.*\) (.).*/\1/' "/proc/$id/stat" 2>/dev/null) != Z ]] || { sleep 0.05; continue 2; }
    done
    return 0
  done
  return 1
}
