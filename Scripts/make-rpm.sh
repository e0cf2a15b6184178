#!/usr/bin/env bash
# make-rpm.sh FOLDER: makes RPM packages of the release build in FOLDER and prints their names: syncd, and syncd-torrent if
# libtorrent is installed. SYNCD names another program to package, in the folder of its build.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:?"usage: make-rpm.sh FOLDER"}
. Scripts/packaging.sh
{
  cat Packaging/rpm/syncd.spec
  printf '\n%%%%changelog\n* %s %s - %s-1\n- See CHANGELOG.md.\n' "$(date -d "@$SOURCE_DATE_EPOCH" '+%a %b %d %Y')" \
    "$maintainer" "$version"
} >"$work/syncd.spec"
torrent=()
if make_torrent "$work/helper/syncd-torrent"; then torrent=(--define "syncd_torrent $work/helper/syncd-torrent"); fi
rpmbuild -bb "$work/syncd.spec" --define "_topdir $work" --define "_buildhost localhost" \
  --define "syncd_version $version" --define "syncd_source $PWD" --define "syncd_program $syncd" "${torrent[@]}" \
  --define "use_source_date_epoch_as_buildtime 1" \
  --define "clamp_mtime_to_source_date_epoch 1" --define "_binary_payload w6.gzdio" >"$work/log" 2>&1 || {
  cat "$work/log" >&2
  exit 1
}
install -d "$folder"
for package in "$work"/RPMS/*/*.rpm; do
  install -m 644 "$package" "$folder"
  echo "$folder/$(basename "$package")"
done
