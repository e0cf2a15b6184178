#!/usr/bin/env bash
# Starts a real sftp server on a loopback port, for tests and benchmarks.
#
#   sftp-server.sh start KIND --root FOLDER --run FOLDER [--port N] [--owner PID]
#   sftp-server.sh stop --run FOLDER
#   sftp-server.sh hang-up --run FOLDER     end its connections abruptly
#
# KIND: openssh            sshd with its own sftp server
#       openssh-chroot     the same; the account sees only FOLDER, as `/`; only as root
#       openssh-no-links   the same without hardlink@ and posix-rename@
#       openssh-read-only  the same for reading
#       openssh-small      the same for files of up to 8 KiB, like a full disk
#       gesftpserver       sshd with the Green End sftp server
#       dropbear           dropbear with OpenSSH's sftp-server; only as root
#       proftpd            ProFTPD with mod_sftp; only as root
#       rclone             rclone serve sftp, which confirms links and makes none
#
#   --run FOLDER       where keys, logs and process id go
#   --owner PID        stop when this process has ended
# `start` prints the URL of the folder. What is missing is named with the package that holds it, with exit status 3.
set -euo pipefail
umask 077

# shellcheck source=loopback-server.sh
. "$(dirname "$0")/loopback-server.sh"
# shellcheck source=loopback-sshd.sh
. "$(dirname "$0")/loopback-sshd.sh"

only_root() { [ "$(id -u)" = 0 ] || die "$1 runs only as root" 3; }

make_keys() {
  command -v ssh-keygen >/dev/null || need ssh-keygen openssh-client
  ssh-keygen -q -t ed25519 -N '' -C host -f "$run/host"
  ssh-keygen -q -t ed25519 -N '' -C user -f "$run/identity"
  cp "$run/identity.pub" "$run/authorized_keys"
  echo "[127.0.0.1]:$port $(cut -d' ' -f1,2 "$run/host.pub")" >"$run/known_hosts"
  url="ssh://$(id -un)@127.0.0.1:$port$1"
}

server_program() {
  local name package=$1
  shift
  for name in "$@"; do [ -x "$name" ] && { echo "$name"; return; }; done
  need "$(basename "$1")" "$package"
}

start_openssh() {
  local program
  chroot=""
  program=$(server_program openssh-sftp-server /usr/lib/openssh/sftp-server /usr/libexec/sftp-server /usr/libexec/openssh/sftp-server)
  case $kind in
    openssh) sftp=internal-sftp ;;
    openssh-chroot)
      only_root openssh-chroot
      sftp=internal-sftp
      # Only root may be able to change the folders above.
      chroot=/mnt in_front=(unshare -m sh -c 'mount --make-rprivate / && mount --bind "$0" /mnt && exec "$@"' "$root") ;;
    openssh-no-links) sftp="$program -P hardlink,posix-rename" ;;
    openssh-read-only) sftp="$program -R" ;;
    openssh-small)
      printf '#!/bin/bash\ntrap "" XFSZ\nulimit -f 8\nexec %s\n' "$program" >"$run/small"
      chmod 700 "$run/small"
      sftp=$run/small ;;
    gesftpserver) sftp=$(server_program gesftpserver /usr/libexec/gesftpserver /usr/lib/gesftpserver) ;;
  esac
  [ -z "$chroot" ] || chmod 755 "$root"
  start_ssh
  [ -z "$chroot" ] || url="ssh://$(id -un)@127.0.0.1:$port/"
}

# dropbear reads only the account's own authorized_keys, so the server sees another folder in its place.
start_dropbear() {
  only_root dropbear
  command -v dropbear >/dev/null || need dropbear dropbear-bin
  server_program openssh-sftp-server /usr/lib/sftp-server >/dev/null
  make_keys "$root"
  local home
  home=$(getent passwd "$(id -un)" | cut -d: -f6)
  cp "$run/host" "$run/host.pem"
  ssh-keygen -q -p -m PEM -N '' -f "$run/host.pem" >/dev/null
  dropbearconvert openssh dropbear "$run/host.pem" "$run/host.dropbear" >/dev/null 2>&1
  mkdir "$run/home"
  cp "$run/authorized_keys" "$run/home/authorized_keys"
  mkdir -p -m 700 "$home/.ssh"
  launch unshare -m sh -c '
    mount --make-rprivate / && mount --bind "$1" "$2" && exec dropbear -F -E -s -j -k -p "127.0.0.1:$3" -r "$4" -P "$5"' \
    sh "$run/home" "$home/.ssh" "$port" "$run/host.dropbear" "$run/dropbear.pid"
}

start_proftpd() {
  only_root proftpd
  command -v proftpd >/dev/null || need proftpd proftpd-core
  local modules=/usr/lib/proftpd
  [ -f $modules/mod_sftp.so ] || need mod_sftp proftpd-mod-crypto
  make_keys "$root"
  ssh-keygen -e -f "$run/identity.pub" >"$run/authorized_keys.rfc4716"
  cat >"$run/proftpd.conf" <<CONF
ModulePath $modules
LoadModule mod_tls.c
LoadModule mod_sftp.c
ServerName test
ServerType standalone
DefaultAddress 127.0.0.1
SocketBindTight on
UseIPv6 off
UseReverseDNS off
Port $port
PidFile $run/proftpd.pid
ScoreboardFile $run/scoreboard
DelayEngine off
User nobody
Group nogroup
RootLogin on
RequireValidShell off
UseFtpUsers off
AuthOrder mod_auth_unix.c
AllowOverwrite on
DefaultChdir $root
SFTPEngine on
SFTPHostKey $run/host
SFTPAuthMethods publickey
SFTPAuthorizedUserKeys file:$run/authorized_keys.rfc4716
TransferLog none
SystemLog $run/server.log
SFTPLog $run/server.log
CONF
  launch proftpd -n -c "$run/proftpd.conf"
}

start_rclone() {
  command -v rclone >/dev/null || need rclone rclone
  make_keys /
  launch env RCLONE_CONFIG="$run/rclone.conf" rclone serve sftp "$root" --addr "127.0.0.1:$port" --key "$run/host" \
    --authorized-keys "$run/authorized_keys" --vfs-cache-mode writes --vfs-write-back 0s --dir-cache-time 0s \
    --poll-interval 0 --cache-dir "$run/cache"
}

verb=${1:-}
[ $# -gt 0 ] && shift
kind="" root="" run="" port="" owner="" url="" sftp=""
if [ "$verb" = start ]; then kind=${1:-}; [ $# -gt 0 ] && shift; fi
while [ $# -gt 0 ]; do
  case $1 in
    --root) root=$2 ;;
    --run) run=$2 ;;
    --port) port=$2 ;;
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
    end_processes KILL $(descendants "$(cat "$run/server.pid")") ;;
  start)
    [ -n "$root" ] || die "--root is missing" 2
    mkdir -p "$root" "$run"
    [ -n "$port" ] || port=$(free_port)
    case $kind in
      openssh | openssh-chroot | openssh-no-links | openssh-read-only | openssh-small | gesftpserver) start_openssh ;;
      dropbear | proftpd | rclone) "start_$kind" ;;
      *) die "unknown kind $kind" 2 ;;
    esac
    serve_until_owner_ends "$kind" ;;
  *) die "say start, stop or hang-up" 2 ;;
esac
