#!/usr/bin/env bash
# make-deb.sh FOLDER: makes Debian packages of the release build in FOLDER and prints their names: syncd, and syncd-torrent if
# libtorrent is installed. The same build and commit give the same bytes. SYNCD names another program to package, in the folder of its build.
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
printf 'Source: syncd\n\nPackage: syncd\nArchitecture: any\n\nPackage: syncd-torrent\nArchitecture: any\n' >"$work/debian/control"
# The packages with the libraries that a program of $work needs.
libraries() {
  local needs
  needs=$(cd "$work" && dpkg-shlibdeps -O --ignore-missing-info "$1" 2>/dev/null)
  echo "${needs#shlibs:Depends=}"
}
# Makes a package of a root; reads the fields that differ from the standard input.
package() {
  local root=$work/debian/$1 file=$folder/$1_${version}_$architecture.deb
  install -d "$root/DEBIAN"
  (cd "$root" && find usr -type f -exec md5sum {} + | sort -k 2) >"$root/DEBIAN/md5sums"
  {
    printf '%s: %s\n' Package "$1" Version "$version" Architecture "$architecture" Maintainer "$maintainer" Section utils \
      Priority optional Installed-Size "$(du -k -s "$root/usr" | cut -f 1)"
    cat
  } >"$root/DEBIAN/control"
  dpkg-deb --root-owner-group --build "$root" "$file" >/dev/null
  echo "$file"
}
install -d "$folder"
# These libraries are loaded when a remote needs them, so no tool detects the dependency.
libgit2=$(dpkg -S "$(readlink -f /usr/lib/*/libgit2.so)" | cut -d : -f 1)
libssh2=$(dpkg -S "$(readlink -f /usr/lib/*/libssh2.so)" | cut -d : -f 1)
package syncd <<CONTROL
Depends: $(libraries debian/syncd/usr/bin/syncd)
Recommends: libcurl4, $libgit2, $libssh2
Suggests: syncd-torrent (= $version)
Description: sync and merge Org files of several devices
 syncd syncs a folder of Org files with any number of remotes: folders, WebDAV
 servers, Dropbox, git repositories, hosts with ssh and rsync, and org-mobile.
 If both sides edited the same file, it merges them entry by entry. Every
 version that it replaces or deletes stays in its history.
CONTROL

helper=debian/syncd-torrent/usr/libexec/syncd/syncd-torrent
make_torrent "$work/$helper" || exit 0
# Policy 12.5 allows the link between packages of one source and version.
install -d "$work/debian/syncd-torrent/usr/share/doc"
ln -s syncd "$work/debian/syncd-torrent/usr/share/doc/syncd-torrent"
package syncd-torrent <<CONTROL
Source: syncd
Depends: syncd (= $version), $(libraries "$helper")
Description: BitTorrent helper of syncd
 With this program, syncd syncs devices directly with each other, encrypted and
 without a server (sync = "bittorrent"). syncd starts it; it has no keys, and
 uses neither public trackers nor the distributed hash table.
CONTROL
