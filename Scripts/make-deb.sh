#!/usr/bin/env bash
# make-deb.sh FOLDER: makes a Debian package of the release build in FOLDER and prints its name. SYNCD names another
# program to package.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:?"usage: make-deb.sh FOLDER"}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/debian/syncd

Scripts/install.sh /usr "$root" >/dev/null
find "$root/usr/share/man" -type f -exec gzip -9n {} +
mv "$root/usr/share/zsh/site-functions" "$root/usr/share/zsh/vendor-completions"
install -D -m 644 LICENSE "$root/usr/share/doc/syncd/copyright"
strip --strip-unneeded "$root/usr/bin/syncd"

version=$("$root/usr/bin/syncd" --version | head -n 1)
architecture=$(dpkg --print-architecture)
# dpkg-shlibdeps requires the description of the source.
printf 'Source: syncd\n\nPackage: syncd\nArchitecture: any\n' >"$work/debian/control"
needs=$(cd "$work" && dpkg-shlibdeps -O --ignore-missing-info debian/syncd/usr/bin/syncd 2>/dev/null)
# These libraries are loaded when a remote needs them, so no tool detects the dependency.
libgit2=$(dpkg -S "$(readlink -f /usr/lib/*/libgit2.so)" | cut -d : -f 1)
libssh2=$(dpkg -S "$(readlink -f /usr/lib/*/libssh2.so)" | cut -d : -f 1)
install -d "$root/DEBIAN"
cat >"$root/DEBIAN/control" <<CONTROL
Package: syncd
Version: $version
Architecture: $architecture
Maintainer: The syncd authors <syncd@localhost>
Section: utils
Priority: optional
Installed-Size: $(du -k -s "$root/usr" | cut -f 1)
Depends: ${needs#shlibs:Depends=}
Recommends: libcurl4, $libgit2, $libssh2
Description: keeps Org files in sync and merges them by what they say
 syncd keeps the Org files of a folder and any number of remotes in agreement.
 Where both sides edited the same file it merges them entry by entry, and every
 version that it replaces or deletes stays in its history.
CONTROL
install -d "$folder"
package=$folder/syncd_${version}_$architecture.deb
dpkg-deb --root-owner-group --build "$root" "$package" >/dev/null
echo "$package"
