#!/usr/bin/env bash
# ssh-server.sh start --root FOLDER --run FOLDER [--port N] [--command COMMAND] [--sftp COMMAND] [--option LINE] [--owner PID]   starts sshd on a loopback port
# ssh-server.sh stop --run FOLDER                                                               stops it
# ssh-server.sh hang-up --run FOLDER                                                            breaks its connections off
#
#   --run FOLDER       where keys, logs and process id go
#   --command COMMAND  all that the key may do, such as `rrsync FOLDER`
#   --sftp COMMAND     what serves sftp, where it is not sshd itself; `none`: nothing does
#   --option LINE      a line of its configuration, such as `MACs hmac-sha2-256`
#   --owner PID        stop when this process has ended
# `start` prints the URL of the folder. What is missing is named with the package that holds it, with exit status 3.
set -euo pipefail
umask 077

# shellcheck source=loopback-server.sh
. "$(dirname "$0")/loopback-server.sh"
# shellcheck source=loopback-sshd.sh
. "$(dirname "$0")/loopback-sshd.sh"

verb=${1:-}
[ $# -gt 0 ] && shift
root="" run="" port="" owner="" url="" command="" sftp="" option=""
while [ $# -gt 0 ]; do
  case $1 in
    --root) root=$2 ;;
    --run) run=$2 ;;
    --port) port=$2 ;;
    --command) command=$2 ;;
    --sftp) sftp=$2 ;;
    --option) option=$2 ;;
    --owner) owner=$2 ;;
    *) die "unknown option $1" 2 ;;
  esac
  shift 2
done
[ -n "$run" ] || die "--run is missing" 2

case $verb in
  stop) stop_server ;;
  hang-up)
    # shellcheck disable=SC2046
    end_processes TERM $(descendants "$(cat "$run/server.pid")") ;;
  start)
    [ -n "$root" ] || die "--root is missing" 2
    mkdir -p "$root" "$run"
    [ -n "$port" ] || port=$(free_port)
    start_ssh
    serve_until_owner_ends ssh ;;
  *) die "say start, stop or hang-up" 2 ;;
esac
