#!/usr/bin/env bash
# install.sh PREFIX: installs the release build of syncd and its completions below PREFIX.
set -euo pipefail
cd "$(dirname "$0")/.."
prefix=${1:?"usage: install.sh PREFIX"}
syncd=$(swift build -c release --static-swift-stdlib --show-bin-path)/syncd
install -D -m 755 "$syncd" "$prefix/bin/syncd"
completions() { install -d "$(dirname "$2")" && "$syncd" --generate-completion-script "$1" >"$2"; }
completions bash "$prefix/share/bash-completion/completions/syncd"
completions zsh "$prefix/share/zsh/site-functions/_syncd"
completions fish "$prefix/share/fish/vendor_completions.d/syncd.fish"
install -D -m 644 README.md "$prefix/share/doc/syncd/README.md"
echo "installed $prefix/bin/syncd"
