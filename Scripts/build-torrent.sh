#!/usr/bin/env bash
# build-torrent.sh FILE: builds syncd-torrent, the helper program of the sync backend `bittorrent`.
# Needs a C++17 compiler and libtorrent-rasterbar 2.0 with its headers (Debian: libtorrent-rasterbar-dev). Exits with 3 if one is
# missing; syncd itself builds and runs without. Does nothing if FILE is newer than its sources.
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:?"usage: build-torrent.sh FILE"}
sources=(Helpers/syncd-torrent/*.cpp)
if [ -x "$out" ] && [ -z "$(find Helpers/syncd-torrent -newer "$out" -print -quit)" ]; then exit 0; fi
compiler=${CXX:-$(command -v c++ || command -v g++ || command -v clang++ || true)}
if [ -z "$compiler" ] || ! command -v pkg-config >/dev/null || ! pkg-config --exists 'libtorrent-rasterbar >= 2.0'; then
  echo "build-torrent: install a C++ compiler, pkg-config and libtorrent-rasterbar-dev" >&2
  exit 3
fi
mkdir -p "$(dirname "$out")"
objects=$(mktemp -d)
trap 'rm -rf "$objects"' EXIT
read -ra flags <<<"$(pkg-config --cflags libtorrent-rasterbar)"
read -ra libraries <<<"$(pkg-config --libs libtorrent-rasterbar)"
for source in "${sources[@]}"; do
  "$compiler" -std=c++17 -O2 -fstack-protector-strong -D_FORTIFY_SOURCE=2 -fPIE -Wall -Wextra -Werror "${flags[@]}" -c "$source" \
    -o "$objects/$(basename "$source").o"
done
# Two builds at a time must not see half a program.
"$compiler" -pie -Wl,-z,relro,-z,now "$objects"/*.o -o "$objects/syncd-torrent" "${libraries[@]}" -lpthread
mv "$objects/syncd-torrent" "$out.$$"
mv "$out.$$" "$out"
