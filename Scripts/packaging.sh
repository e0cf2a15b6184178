# Sourced by the scripts that make archives and packages: `. Scripts/packaging.sh`, in the folder of the repository. It sets `syncd`
# to the release build, or to the program that the variable SYNCD names, `work` to a folder that is removed at the end, and what
# makes the same build and commit give the same bytes.
syncd=$(realpath "${SYNCD:-$(swift build -c release --static-swift-stdlib --show-bin-path)/syncd}")
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SYNCD=$syncd SOURCE_DATE_EPOCH LC_ALL=C TZ=UTC
umask 022
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
version=$("$syncd" --version | head -n 1)
maintainer=${MAINTAINER:-The syncd authors <syncd@example.org>}
