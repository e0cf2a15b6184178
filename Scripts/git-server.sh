#!/usr/bin/env bash
# git-server.sh start KIND --root FOLDER --run FOLDER [options]   serves the git repositories in a folder on a loopback port
# git-server.sh stop --run FOLDER                                 stops it
#
# KIND: https (git's own http-backend behind lighttpd, with a password) or ssh (sshd with keys made for the occasion)
#   --root FOLDER      where the repositories are; --run FOLDER: where keys, logs and process id go
#   --user U --password P   for https
#   --port N           default: a free one
#   --owner PID        stop when this process has ended
# `start` prints the URL below which the repositories are; what a client also needs is in the run folder: `ca.pem`, or
# `identity`, `known_hosts` and `ssh_config`. What is missing is named with the package that holds it, with exit status 3.
set -euo pipefail
umask 077

# shellcheck source=loopback-server.sh
. "$(dirname "$0")/loopback-server.sh"
# shellcheck source=loopback-sshd.sh
. "$(dirname "$0")/loopback-sshd.sh"

make_certificates() {
  cd "$run"
  openssl req -x509 -newkey rsa:2048 -nodes -days 7 -subj "/CN=throwaway authority" \
    -addext "basicConstraints=critical,CA:TRUE" -addext "keyUsage=critical,keyCertSign,cRLSign" \
    -keyout ca.key -out ca.pem 2>/dev/null
  printf 'subjectAltName=IP:127.0.0.1,DNS:localhost\nbasicConstraints=CA:FALSE\n' >leaf.ext
  openssl req -newkey rsa:2048 -nodes -subj "/CN=server" -keyout server.key -out server.csr 2>/dev/null
  openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 7 -extfile leaf.ext -out server.crt \
    2>/dev/null
  cat server.crt server.key >server.pem
  cd - >/dev/null
}

start_https() {
  local program backend modules=/usr/lib/lighttpd
  program=$(find_program lighttpd) || need lighttpd "lighttpd lighttpd-mod-openssl"
  [ -f $modules/mod_openssl.so ] || need "lighttpd's mod_openssl" lighttpd-mod-openssl
  backend="$(git --exec-path)/git-http-backend"
  [ -x "$backend" ] || need git-http-backend git
  make_certificates
  mkdir -p "$run/tmp" "$run/empty"
  printf '%s:%s\n' "$user" "$(printf '%s\n' "$password" | openssl passwd -apr1 -stdin)" >"$run/htpasswd"
  cat >"$run/lighttpd.conf" <<CONF
server.modules = ("mod_auth", "mod_authn_file", "mod_alias", "mod_setenv", "mod_cgi", "mod_openssl", "mod_accesslog")
server.document-root = "$run/empty"
server.bind = "127.0.0.1"
server.port = $port
server.errorlog = "$run/error.log"
accesslog.filename = "$run/access.log"
accesslog.format = "%m %U %s"
server.upload-dirs = ("$run/tmp")
# Pushes of a few MB fail over HTTP/2 with mod_cgi in lighttpd 1.4.69.
server.feature-flags = ("server.h2proto" => "disable")
ssl.engine = "enable"
ssl.pemfile = "$run/server.pem"
alias.url = ("/" => "$backend/")
cgi.assign = ("" => "")
setenv.set-environment = ("GIT_PROJECT_ROOT" => "$root", "GIT_HTTP_EXPORT_ALL" => "1", "HOME" => "$run",
  "GIT_CONFIG_NOSYSTEM" => "1", "GIT_CONFIG_COUNT" => "1", "GIT_CONFIG_KEY_0" => "safe.directory",
  "GIT_CONFIG_VALUE_0" => "*", "PATH" => "$PATH")
auth.backend = "htpasswd"
auth.backend.htpasswd.userfile = "$run/htpasswd"
auth.require = ("" => ("method" => "basic", "realm" => "git", "require" => "valid-user"))
CONF
  launch "$program" -D -m $modules -f "$run/lighttpd.conf"
  url="https://127.0.0.1:$port"
}

verb=${1:-}
[ $# -gt 0 ] && shift
kind="" root="" run="" user=user password=secret port="" owner="" url=""
while [ $# -gt 0 ]; do
  case $1 in
    --root) root=$2; shift ;;
    --run) run=$2; shift ;;
    --user) user=$2; shift ;;
    --password) password=$2; shift ;;
    --port) port=$2; shift ;;
    --owner) owner=$2; shift ;;
    -*) die "unknown option $1" 2 ;;
    *) kind=$1 ;;
  esac
  shift
done
[ -n "$run" ] || die "--run is missing" 2

case $verb in
  stop) stop_server ;;
  start)
    case $kind in https | ssh) ;; *) die "no such kind of server: $kind" 2 ;; esac
    [ -n "$root" ] || die "--root is missing" 2
    mkdir -p "$root" "$run"
    [ -n "$port" ] || port=$(free_port)
    "start_$kind"
    serve_until_owner_ends "$kind" ;;
  *) die "say start or stop" 2 ;;
esac
