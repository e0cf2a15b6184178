#!/usr/bin/env bash
# Usage: install-packages.sh GROUP…
# Installs the missing Debian packages of each group: build, torrent, check, test, deb, packages, bench.
# Silent and quick if nothing is missing; uses sudo unless run as root.
set -euo pipefail

declare -A packages=(
  [build]="libsqlite3-dev libcurl4-openssl-dev libexpat1-dev libgit2-dev libssh2-1-dev libgpgme-dev libzstd-dev
    make git"
  [torrent]="g++ pkg-config libtorrent-rasterbar-dev"
  [test]="libsqlite3-dev git rsync strace python3 python3-venv openssl emacs-nox groff systemd apache2 nginx-light
    libnginx-mod-http-dav-ext lighttpd lighttpd-mod-webdav lighttpd-mod-openssl rclone dpkg-dev binutils
    openssh-server openssh-client openssh-sftp-server dropbear-bin proftpd-core proftpd-mod-crypto gesftpserver gnupg age
    curl python3-prometheus-client python3-zbar zbar-tools socat dbus python3-cryptography python3-dbusmock python3-icalendar
    python3-vobject mandoc chromium g++ pkg-config libtorrent-rasterbar-dev python3-libtorrent iproute2"
  [check]="python3"
  [deb]="dpkg-dev binutils"
  [packages]="apt-utils cpio gnupg lintian rpm rpm2cpio rpmlint ruby nix-bin zsh fish python3-venv"
  [bench]="rsync rclone unison time python3 apache2 git age openssh-server openssh-client binutils strace valgrind"
)

missing=()
for group in "$@"; do
  for package in ${packages[$group]}; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$' || missing+=("$package")
  done
done
[ ${#missing[@]} -gt 0 ] || exit 0

if ! command -v apt-get >/dev/null; then
  echo "install-packages: cannot install ${missing[*]}: apt-get not found; install them with your package manager" >&2
  exit 1
fi
run=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "install-packages: cannot install ${missing[*]}: not root, and sudo not found; run this script as root" >&2
    exit 1
  fi
  run=(sudo)
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "installing ${missing[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
if ! { "${run[@]}" apt-get update && "${run[@]}" apt-get install -y --no-install-recommends "${missing[@]}"; } \
    >"$log" 2>&1 </dev/null; then
  tail -n 20 "$log" >&2
  for package in "${missing[@]}"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$' \
      || echo "install-packages: cannot install $package" >&2
  done
  exit 1
fi
