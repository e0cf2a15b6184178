# Functions for starting and stopping any server on a loopback port; to be sourced. `run` is the folder for its log and its
# process id, `port` the port that it listens on, `owner` the process that it ends with, or empty.

die() { echo "$(basename "$0"): $1" >&2; exit "${2:-1}"; }

need() { die "$1 is not installed: apt-get install $2" 3; }

find_program() {
  local folder
  for folder in ${PATH//:/ } /usr/sbin /usr/local/sbin; do
    [ -x "$folder/$1" ] && { echo "$folder/$1"; return; }
  done
  return 1
}

# The caller may wait until the last process has closed its inherited descriptors.
close_inherited() {
  local number
  for number in $(ls /proc/self/fd 2>/dev/null); do
    [ "$number" -le 2 ] || [ "$number" = 255 ] || eval "exec $number>&-"
  done
}

# Start the process in a separate session, so that its children can be ended with it.
launch() {
  (close_inherited; exec setsid "$@") >>"$run/server.log" 2>&1 </dev/null &
  echo $! >"$run/server.pid"
}

# Prints the processes that a process has started, and theirs.
descendants() {
  local child
  for child in $(cat "/proc/$1/task"/*/children 2>/dev/null); do
    echo "$child"
    descendants "$child"
  done
}

# True while a process runs; one that has ended may wait for its parent.
is_running() {
  case $(sed 's/^.*) //' "/proc/$1/stat" 2>/dev/null) in '' | Z*) return 1 ;; esac
}

# Sends a signal to processes, and waits until they have ended: until then they may still answer.
end_processes() {
  local signal=$1 id
  shift
  for id in "$@"; do kill "-$signal" "$id" 2>/dev/null || true; done
  for id in "$@"; do
    for _ in $(seq 600); do is_running "$id" || break; sleep 0.1; done
  done
}

stop_server() {
  [ -f "$run/server.pid" ] || return 0
  local leader; leader=$(cat "$run/server.pid")
  rm -f "$run/server.pid"
  end_group "$leader"
}

end_group() {
  local leader=$1
  kill -TERM -- "-$leader" 2>/dev/null || return 0
  for _ in $(seq 50); do kill -0 -- "-$leader" 2>/dev/null || return 0; sleep 0.1; done
  kill -KILL -- "-$leader" 2>/dev/null || true
}

# Stops the server when the process `owner` has ended, if there is one; also if the whole group of an interrupted test run is
# stopped, or its folders have been removed by then.
stop_with_owner() {
  [ -n "$owner" ] || return 0
  local leader; leader=$(cat "$run/server.pid")
  (
    trap '' HUP INT TERM
    close_inherited
    # The process id may be reused later.
    while kill -0 "$owner" 2>/dev/null && kill -0 -- "-$leader" 2>/dev/null; do sleep 1; done
    end_group "$leader"
  ) >/dev/null 2>&1 </dev/null &
}

free_port() { python3 "$(dirname "${BASH_SOURCE[0]}")/free-port.py"; }

answers() { (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; }

# Waits until the server answers, for at most five minutes, and prints its `url`; if there is an `owner`, the server ends with it.
serve_until_owner_ends() {
  for _ in $(seq 3000); do
    if answers; then
      stop_with_owner
      echo "$url"
      exit 0
    fi
    kill -0 "$(cat "$run/server.pid")" 2>/dev/null || break
    sleep 0.1
  done
  cat "$run/server.log" >&2
  stop_server
  die "$1 did not answer"
}
