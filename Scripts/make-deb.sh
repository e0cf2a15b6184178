#!/usr/bin/env bash
# make-deb.sh FOLDER: makes a Debian package of the release build in FOLDER and prints its name. The same build and commit give
# the same bytes. SYNCD names another program to package, in the folder of its build.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:?"usage: make-deb.sh FOLDER"}
. Scripts/packaging.sh
root=$work/debian/syncd

Scripts/install.sh /usr "$root" >/dev/null
find "$root/usr/share/man" -type f -exec gzip -9n {} +
mv "$root/usr/share/zsh/site-functions" "$root/usr/share/zsh/vendor-completions"
Scripts/dependencies.py copyright "$(dirname "$syncd")" >"$root/usr/share/doc/syncd/copyright"
install -m 644 CHANGELOG.md "$root/usr/share/doc/syncd/CHANGELOG.md"
strip --strip-unneeded "$root/usr/bin/syncd"

printf 'syncd (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- %s  %s\n' \
  "$version" "$maintainer" "$(date -R -d "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$root/usr/share/doc/syncd/changelog.gz"
architecture=$(dpkg --print-architecture)
# dpkg-shlibdeps requires the description of the source.
printf 'Source: syncd\n\nPackage: syncd\nArchitecture: any\n' >"$work/debian/control"
needs=$(cd "$work" && dpkg-shlibdeps -O --ignore-missing-info debian/syncd/usr/bin/syncd 2>/dev/null)
# These libraries are loaded when a remote needs them, so no tool detects the dependency.
libgit2=$(dpkg -S "$(readlink -f /usr/lib/*/libgit2.so)" | cut -d : -f 1)
libssh2=$(dpkg -S "$(readlink -f /usr/lib/*/libssh2.so)" | cut -d : -f 1)
install -d "$root/DEBIAN"
(cd "$root" && find usr -type f -exec md5sum {} + | sort -k 2) >"$root/DEBIAN/md5sums"
cat >"$root/DEBIAN/control" <<CONTROL
Package: syncd
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Section: utils
Priority: optional
Installed-Size: $(du -k -s "$root/usr" | cut -f 1)
Depends: ${needs#shlibs:Depends=}
Recommends: libcurl4, $libgit2, $libssh2
Description: sync and merge Org files of several devices
 syncd syncs a folder of Org files with any number of remotes: folders, WebDAV
 servers, Dropbox, git repositories, hosts with ssh and rsync, and org-mobile.
 If both sides edited the same file, it merges them entry by entry. Every
 version that it replaces or deletes stays in its history.
CONTROL
install -d "$folder"
package=$folder/syncd_${version}_$architecture.deb
dpkg-deb --root-owner-group --build "$root" "$package" >/dev/null
echo "$package"
