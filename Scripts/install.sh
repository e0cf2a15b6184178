#!/usr/bin/env bash
# install.sh PREFIX [DESTDIR]: installs the release build of syncd with manual pages, completions, service file and the package
# for Emacs below PREFIX. DESTDIR is prepended to PREFIX for the location on disk only, for packaging. SYNCD names another
# program to install, and TORRENT another helper of `sync = "bittorrent"`, or none if it is empty.
set -euo pipefail
cd "$(dirname "$0")/.."
prefix=${1:?"usage: install.sh PREFIX [DESTDIR]"}
root=${2:-}$prefix
syncd=${SYNCD:-$(swift build -c release --static-swift-stdlib --show-bin-path)/syncd}
install -D -m 755 "$syncd" "$root/bin/syncd"
# The helper is built separately, by Scripts/build-torrent.sh.
torrent=${TORRENT-.build/syncd-torrent}
if [ -n "$torrent" ] && [ -x "$torrent" ]; then install -D -m 755 "$torrent" "$root/libexec/syncd/syncd-torrent"; fi
completions() { install -d "$(dirname "$2")" && "$syncd" --generate-completion-script "$1" >"$2"; }
completions bash "$root/share/bash-completion/completions/syncd"
# The file is read by a shell, not run.
sed -i '1{/^#!/d}' "$root/share/bash-completion/completions/syncd"
completions zsh "$root/share/zsh/site-functions/_syncd"
completions fish "$root/share/fish/vendor_completions.d/syncd.fish"
"$syncd" manual "$root/share/man"
unit() {
  install -d "$(dirname "$2")" && "$syncd" service print --for "$1" | sed "s|^ExecStart=.*|ExecStart=$prefix/bin/syncd|" >"$2"
}
unit systemd "$root/lib/systemd/user/syncd.service"
unit systemd-system "$root/lib/systemd/system/syncd@.service"
install -D -m 644 Extras/emacs/syncd.el "$root/share/emacs/site-lisp/syncd.el"
install -D -m 644 README.md "$root/share/doc/syncd/README.md"
echo "installed $root/bin/syncd"
