#!/usr/bin/env bash
# make-archive.sh FOLDER: makes a release archive of the release build in FOLDER, an archive with its debug symbols, a software
# bill of materials and SHA256SUMS; prints their names. The same build and commit give the same bytes. SYNCD names another
# program to archive, in the folder of its build.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:?"usage: make-archive.sh FOLDER"}
. Scripts/packaging.sh

name=syncd-$version-linux-$(uname -m)
Scripts/install.sh /usr/local "$work/root" >/dev/null
tree=$work/$name
mv "$work/root/usr/local" "$tree"
install -m 644 CHANGELOG.md LICENSE "$tree/share/doc/syncd"
Scripts/dependencies.py licenses "$(dirname "$syncd")" "$tree/share/doc/syncd/licenses"

# Debuggers find the symbols in the folder .debug beside the program.
symbols=$work/$name-debug/bin/.debug
install -d "$symbols"
objcopy --only-keep-debug "$tree/bin/syncd" "$symbols/syncd.debug"
strip --strip-unneeded "$tree/bin/syncd"
(cd "$symbols" && objcopy --add-gnu-debuglink=syncd.debug "$tree/bin/syncd")

install -d "$folder"
Scripts/dependencies.py sbom "$(dirname "$syncd")" "$tree/bin/syncd" >"$folder/$name.spdx.json"
archive() {
  tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --format=gnu -cf - "$1" \
    | gzip -9n >"$folder/$1.tar.gz"
}
archive "$name"
archive "$name-debug"
cd "$folder"
sha256sum "$name.tar.gz" "$name-debug.tar.gz" "$name.spdx.json" >SHA256SUMS
printf '%s\n' "$folder/$name.tar.gz" "$folder/$name-debug.tar.gz" "$folder/$name.spdx.json" "$folder/SHA256SUMS"
