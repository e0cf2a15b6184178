#!/usr/bin/env bash
# webdav-server.sh start KIND --root FOLDER --run FOLDER [options]   starts a real WebDAV server on a loopback port
# webdav-server.sh stop --run FOLDER                                 stops it
#
# KIND: apache nginx lighttpd wsgidav rclone
#   --root FOLDER      what it serves; --run FOLDER: where its settings, logs and process id go
#   --user U --password P --auth basic|digest|none   (default none; digest: apache, lighttpd, wsgidav)
#   --tls              https with a certificate of its own authority, RUN/ca.pem
#   --client-certs     with --tls: ask for a certificate (apache); RUN/client.pem is a good one
#   --no-locks         apache, nginx: without locks
#   --deep-tags        wsgidav: a folder's tag changes with everything below it, as on Nextcloud
#   --port N           default: a free one
#   --owner PID        stop when this process has ended
# `start` prints the URL. What is missing is named with the package that holds it, with exit status 3.
set -euo pipefail
umask 077

# shellcheck source=loopback-server.sh
. "$(dirname "$0")/loopback-server.sh"
need() { die "$1 is not installed: $2" 3; }

make_passwords() {
  local realm=webdav hash
  printf '%s:%s\n' "$user" "$(printf '%s\n' "$password" | openssl passwd -apr1 -stdin)" >"$run/htpasswd"
  hash=$(printf '%s:%s:%s' "$user" "$realm" "$password" | openssl md5 | sed 's/^.*= *//')
  printf '%s:%s:%s\n' "$user" "$realm" "$hash" >"$run/htdigest"
}

make_certificates() {
  local name
  cd "$run"
  openssl req -x509 -newkey rsa:2048 -nodes -days 7 -subj "/CN=throwaway authority" \
    -addext "basicConstraints=critical,CA:TRUE" -addext "keyUsage=critical,keyCertSign,cRLSign" \
    -keyout ca.key -out ca.pem 2>/dev/null
  printf 'subjectAltName=IP:127.0.0.1,DNS:localhost\nbasicConstraints=CA:FALSE\n' >leaf.ext
  for name in server client; do
    openssl req -newkey rsa:2048 -nodes -subj "/CN=$name" -keyout $name.key -out $name.csr 2>/dev/null
    openssl x509 -req -in $name.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 7 -extfile leaf.ext \
      -out $name.crt 2>/dev/null
    cat $name.crt $name.key >$name.pem
  done
  cd - >/dev/null
}

# Builds the library that keeps Apache from damaging its lock database.
serialize_locks() {
  local compiler
  compiler=$(find_program cc || find_program clang) || need "a C compiler" "apt-get install gcc"
  "$compiler" -shared -fPIC -O1 -o "$run/locks.so" "$(dirname "$0")/apache-lock-database.c" -ldl
}

start_apache() {
  local program modules=/usr/lib/apache2/modules module plain=()
  program=$(find_program apache2) || need apache2 "apt-get install apache2"
  [ -f $modules/mod_dav_fs.so ] || need "apache's mod_dav_fs" "apt-get install apache2"
  {
    for module in mpm_event authn_core authz_core authn_file authz_user auth_basic auth_digest setenvif reqtimeout \
      socache_shmcb ssl http2 dav dav_fs dav_lock; do
      [ -f $modules/mod_$module.so ] && echo "LoadModule ${module}_module $modules/mod_$module.so"
    done
    cat <<CONF
ServerRoot "$run"
DefaultRuntimeDir "$run"
PidFile "$run/apache.pid"
Mutex "file:$run" default
ServerName 127.0.0.1
Listen 127.0.0.1:$port
ErrorLog "$run/error.log"
LogFormat "%m %U %>s" short
CustomLog "$run/access.log" short
DocumentRoot "$root"
StartServers 1
ServerLimit 2
ThreadsPerChild 64
MaxRequestWorkers 128
MaxKeepAliveRequests 0
DavLockDB "$run/DavLock"
$(if [ "$tls" = yes ]; then
    echo "Protocols h2 http/1.1"
    echo "SSLEngine on"
    echo "SSLCertificateFile \"$run/server.pem\""
    [ "$client_certs" = yes ] && printf 'SSLCACertificateFile "%s"\nSSLVerifyClient require\n' "$run/ca.pem"
  fi)
<Directory />
  Require all denied
</Directory>
<Directory "$root">
  Dav On
  Options None
  AllowOverride None
  $(case $auth in
      none) who="all granted" ;;
      basic) who=valid-user; printf 'AuthType Basic\nAuthName "webdav"\nAuthUserFile "%s"\n' "$run/htpasswd" ;;
      digest) who=valid-user; printf 'AuthType Digest\nAuthName "webdav"\nAuthUserFile "%s"\n' "$run/htdigest" ;;
    esac
    if [ "$locks" = yes ]; then
      echo "Require $who"
    else
      printf '<LimitExcept LOCK UNLOCK>\nRequire %s\n</LimitExcept>\n' "$who"
      printf '<Limit LOCK UNLOCK>\nRequire all denied\n</Limit>\n'
    fi)
</Directory>
CONF
  } >"$run/apache.conf"
  serialize_locks
  # Apache refuses to serve as root; in a user namespace it runs as another user.
  [ "$(id -u)" = 0 ] && plain=(unshare -U --map-user=33 --map-group=33)
  launch env LD_PRELOAD="$run/locks.so" LOCK_DATABASE="$run/DavLock" \
    ${plain[@]+"${plain[@]}"} "$program" -f "$run/apache.conf" -DFOREGROUND
}

start_nginx() {
  local program module=/usr/lib/nginx/modules/ngx_http_dav_ext_module.so methods="PROPFIND OPTIONS"
  program=$(find_program nginx) || need nginx "apt-get install nginx-light"
  [ -f $module ] || need "nginx's dav-ext module" "apt-get install libnginx-mod-http-dav-ext"
  [ "$auth" = digest ] && die "nginx has no Digest"
  [ "$locks" = yes ] && methods="$methods LOCK UNLOCK"
  mkdir -p "$run/tmp"
  cat >"$run/nginx.conf" <<CONF
load_module $module;
$([ "$(id -u)" = 0 ] && echo "user root;")
daemon off;
worker_processes 1;
pid $run/nginx.pid;
error_log $run/error.log info;
events { worker_connections 256; }
http {
  default_type application/octet-stream;
  log_format short '\$request_method \$uri \$status';
  access_log $run/access.log short;
  client_body_temp_path $run/tmp/body;
  proxy_temp_path $run/tmp/proxy;
  fastcgi_temp_path $run/tmp/fcgi;
  uwsgi_temp_path $run/tmp/uwsgi;
  scgi_temp_path $run/tmp/scgi;
  client_max_body_size 0;
  dav_ext_lock_zone zone=locks:1m;
  server {
    $(if [ "$tls" = yes ]; then
        echo "listen 127.0.0.1:$port ssl http2; ssl_certificate $run/server.pem; ssl_certificate_key $run/server.pem;"
      else
        echo "listen 127.0.0.1:$port;"
      fi)
    location / {
      root $root;
      dav_methods PUT DELETE MKCOL COPY MOVE;
      dav_ext_methods $methods;
      $([ "$locks" = yes ] && echo "dav_ext_lock zone=locks;")
      dav_access user:rw;
      $([ "$auth" = basic ] && echo "auth_basic webdav; auth_basic_user_file $run/htpasswd;")
    }
  }
}
CONF
  launch "$program" -p "$run/" -e "$run/error.log" -c "$run/nginx.conf"
}

start_lighttpd() {
  local program modules=/usr/lib/lighttpd
  program=$(find_program lighttpd) || need lighttpd "apt-get install lighttpd lighttpd-mod-webdav"
  [ -f $modules/mod_webdav.so ] || need "lighttpd's mod_webdav" "apt-get install lighttpd-mod-webdav"
  [ "$tls" = no ] || [ -f $modules/mod_openssl.so ] || need "lighttpd's mod_openssl" "apt-get install lighttpd-mod-openssl"
  mkdir -p "$run/tmp"
  cat >"$run/lighttpd.conf" <<CONF
server.modules = ("mod_auth", "mod_authn_file", "mod_webdav", "mod_accesslog"$([ "$tls" = yes ] && echo ', "mod_openssl"'))
server.document-root = "$root"
server.bind = "127.0.0.1"
server.port = $port
server.errorlog = "$run/error.log"
accesslog.filename = "$run/access.log"
accesslog.format = "%m %U %s"
server.upload-dirs = ("$run/tmp")
webdav.activate = "enable"
webdav.is-readonly = "disable"
webdav.sqlite-db-name = "$run/webdav.db"
$([ "$tls" = yes ] && printf 'ssl.engine = "enable"\nssl.pemfile = "%s"\n' "$run/server.pem")
$(case $auth in
    basic) printf 'auth.backend = "htpasswd"\nauth.backend.htpasswd.userfile = "%s"\n' "$run/htpasswd" ;;
    digest) printf 'auth.backend = "htdigest"\nauth.backend.htdigest.userfile = "%s"\n' "$run/htdigest" ;;
  esac)
$([ "$auth" = none ] || echo "auth.require = (\"\" => (\"method\" => \"$auth\", \"realm\" => \"webdav\", \"require\" => \"valid-user\"))")
CONF
  launch "$program" -D -m $modules -f "$run/lighttpd.conf"
}

start_wsgidav() {
  local python=${WEBDAV_PYTHON:-python3}
  "$python" -c 'import wsgidav, cheroot' 2>/dev/null || need wsgidav "Scripts/install-python.sh FOLDER wsgidav"
  python3 - "$root" "$port" "$auth" "$user" "$password" "$([ "$tls" = yes ] && echo "$run/server.pem")" \
    >"$run/wsgidav.json" <<'PYTHON'
import json, sys
root, port, auth, user, password, certificate = sys.argv[1:]
settings = {
    "host": "127.0.0.1", "port": int(port), "server": "cheroot", "provider_mapping": {"/": root},
    "simple_dc": {"user_mapping": {"*": True if auth == "none" else {user: {"password": password}}}},
    "http_authenticator": {"accept_basic": auth != "digest", "accept_digest": auth == "digest",
                           "default_to_digest": auth == "digest"},
    "server_args": {"numthreads": 200, "request_queue_size": 128}, "dir_browser": {"enable": False}, "property_manager": True, "lock_storage": True, "verbose": 1}
if certificate: settings |= {"ssl_certificate": certificate, "ssl_private_key": certificate}
json.dump(settings, sys.stdout)
PYTHON
  if [ "$deep_tags" = yes ]; then
    launch "$python" "$(dirname "$0")/wsgidav-deep-tags.py" --config "$run/wsgidav.json"
  else
    launch "$python" -c 'import sys; from wsgidav.server.server_cli import run; sys.exit(run())' --config "$run/wsgidav.json"
  fi
}

start_rclone() {
  local program words
  program=$(find_program rclone) || need rclone "apt-get install rclone"
  [ "$auth" = digest ] && die "rclone has no Digest"
  : >"$run/rclone.conf"
  words=(serve webdav "$root" --config "$run/rclone.conf" --addr "127.0.0.1:$port" --dir-cache-time 0s)
  [ "$auth" = basic ] && words+=(--htpasswd "$run/htpasswd" --realm webdav)
  [ "$tls" = yes ] && words+=(--cert "$run/server.pem" --key "$run/server.pem")
  launch "$program" "${words[@]}"
}

verb=${1:-}
[ $# -gt 0 ] && shift
kind="" root="" run="" user=user password=secret auth=none tls=no client_certs=no locks=yes deep_tags=no port="" owner=""
while [ $# -gt 0 ]; do
  case $1 in
    --root) root=$2; shift ;;
    --run) run=$2; shift ;;
    --user) user=$2; shift ;;
    --password) password=$2; shift ;;
    --auth) auth=$2; shift ;;
    --port) port=$2; shift ;;
    --owner) owner=$2; shift ;;
    --tls) tls=yes ;;
    --client-certs) client_certs=yes ;;
    --no-locks) locks=no ;;
    --deep-tags) deep_tags=yes ;;
    -*) die "unknown option $1" 2 ;;
    *) kind=$1 ;;
  esac
  shift
done
[ -n "$run" ] || die "--run is missing" 2

case $verb in
  stop) stop_server ;;
  start)
    case $kind in apache | nginx | lighttpd | wsgidav | rclone) ;; *) die "no such kind of server: $kind" 2 ;; esac
    [ -n "$root" ] || die "--root is missing" 2
    mkdir -p "$root" "$run"
    [ -n "$port" ] || port=$(free_port)
    [ "$auth" = none ] || make_passwords
    [ "$tls" = no ] || make_certificates
    "start_$kind"
    url="$([ "$tls" = yes ] && echo https || echo http)://127.0.0.1:$port/"
    serve_until_owner_ends "$kind" ;;
  *) die "say start or stop" 2 ;;
esac
