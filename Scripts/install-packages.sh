#!/usr/bin/env bash
# install-packages.sh GROUP…: installs the Debian packages that building, testing or measuring needs and that are missing.
# Silent and quick when nothing is missing; uses sudo only when not root.
set -euo pipefail

declare -A packages=(
  [build]="libsqlite3-dev libcurl4-openssl-dev libexpat1-dev libgit2-dev libssh2-1-dev libgpgme-dev make"
  [test]="libsqlite3-dev git rsync strace python3 python3-venv openssl emacs-nox groff systemd apache2 nginx-light
    libnginx-mod-http-dav-ext lighttpd lighttpd-mod-webdav lighttpd-mod-openssl rclone dpkg-dev binutils
    openssh-server openssh-client gnupg age curl python3-prometheus-client socat"
  [deb]="dpkg-dev binutils"
  [bench]="rsync rclone unison time python3 apache2 git age openssh-server openssh-client"
)

missing=()
for group in "$@"; do
  for package in ${packages[$group]}; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$' || missing+=("$package")
  done
done
[ ${#missing[@]} -gt 0 ] || exit 0

if ! command -v apt-get >/dev/null; then
  echo "these packages are needed, and there is no apt-get to install them: ${missing[*]}" >&2
  exit 1
fi
run=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "these packages are needed, and neither root nor sudo is at hand to install them: ${missing[*]}" >&2
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
      || echo "could not install the package $package" >&2
  done
  exit 1
fi
