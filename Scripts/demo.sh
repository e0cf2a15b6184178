#!/usr/bin/env bash
# Two edits of one Org file are merged into one correct file: creates a small store and a second folder, syncs them, edits both
# sides, syncs again, and shows the result. Argument: the program; by default the optimized build.
set -euo pipefail
cd "$(dirname "$0")/.."
syncd=${1:-$(swift build -c release --static-swift-stdlib --show-bin-path)/syncd}
demo=$(mktemp -d)
trap 'rm -rf "$demo"' EXIT

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
run() { printf '$ syncd %s\n' "$*"; "$syncd" --settings "$demo/settings.toml" "$@"; }

mkdir "$demo/org" "$demo/phone"
cat >"$demo/settings.toml" <<TOML
[syncd]
state = "state"

[store]
backend = "org-files"
path = "org"

[remotes.phone]
sync = "plain-files"
cloud = "folder"

[remotes.phone.folder]
path = "phone"
create = true
TOML
cat >"$demo/org/garden.org" <<'ORG'
#+title: Garden

* TODO Order seeds
  Tomatoes, beans.

* TODO Sharpen the spade

* Notes
  The pear tree flowered on the third of April.
ORG
cat >"$demo/org/inbox.org" <<'ORG'
* Call Ann back
ORG

say "The settings: one store, one remote"
cat "$demo/settings.toml"

say "First sync: the remote folder is empty"
run --once -v

say "The same file is edited on both sides"
sed -i 's/^\* TODO Sharpen the spade/* DONE Sharpen the spade/' "$demo/org/garden.org"
sed -i 's/Tomatoes, beans\./Tomatoes, beans, and two kinds of squash./' "$demo/phone/garden.org"
echo "in the store:  * DONE Sharpen the spade"
echo "on the phone:  Tomatoes, beans, and two kinds of squash."

say "Second sync"
run --once -v

say "garden.org, the same on both sides"
cmp "$demo/org/garden.org" "$demo/phone/garden.org"
cat "$demo/org/garden.org"

say "What happened, newest first"
run log
