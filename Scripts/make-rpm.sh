#!/usr/bin/env bash
# make-rpm.sh FOLDER: makes an RPM package of the release build in FOLDER and prints its name. SYNCD names another program to
# package, in the folder of its build.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:?"usage: make-rpm.sh FOLDER"}
. Scripts/packaging.sh
{
  cat Packaging/rpm/syncd.spec
  printf '\n%%%%changelog\n* %s %s - %s-1\n- See CHANGELOG.md.\n' "$(date -d "@$SOURCE_DATE_EPOCH" '+%a %b %d %Y')" \
    "$maintainer" "$version"
} >"$work/syncd.spec"
rpmbuild -bb "$work/syncd.spec" --define "_topdir $work" --define "_buildhost localhost" \
  --define "syncd_version $version" --define "syncd_source $PWD" --define "syncd_program $syncd" \
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
