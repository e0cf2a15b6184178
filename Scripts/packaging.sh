# Sourced by the scripts that make archives and packages: `. Scripts/packaging.sh`, in the folder of the repository. It sets `syncd`
# to the release build, or to the program that the variable SYNCD names, `work` to a folder that is removed at the end, and what
# makes the same build and commit give the same bytes. The helper of `sync = "bittorrent"` is a package of its own, because it needs
# libraries that syncd does not need: `make_torrent FILE` builds it, stripped; it fails if libtorrent is not installed.
syncd=$(realpath "${SYNCD:-$(swift build -c release --static-swift-stdlib --show-bin-path)/syncd}")
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SYNCD=$syncd TORRENT='' SOURCE_DATE_EPOCH LC_ALL=C TZ=UTC
umask 022
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
version=$("$syncd" --version | head -n 1)
make_torrent() {
  Scripts/build-torrent.sh "$work/syncd-torrent" || return
  install -D -m 755 "$work/syncd-torrent" "$1"
  strip --strip-unneeded "$1"
}
maintainer=${MAINTAINER:-The syncd authors <syncd@example.org>}
