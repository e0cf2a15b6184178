#!/usr/bin/env bash
# make-formula.sh FOLDER URL: makes a source archive of the current commit in FOLDER, and a formula for Homebrew that downloads it
# from URL/NAME; prints their names. The same commit gives the same bytes.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:?"usage: make-formula.sh FOLDER URL"} url=${2:?"usage: make-formula.sh FOLDER URL"}
version=$(sed -n 's/.*static let number = "\(.*\)".*/\1/p' Sources/SyncDaemon/ProgramVersion.swift)
name=syncd-$version.tar.gz
install -d "$folder"
git archive --format=tar --prefix="syncd-$version/" HEAD | gzip -9n >"$folder/$name"
sum=$(sha256sum "$folder/$name" | cut -d ' ' -f 1)
sed "s|@URL@|$url/$name|; s|@VERSION@|$version|; s|@SHA256@|$sum|" Packaging/homebrew/syncd.rb.in >"$folder/syncd.rb"
printf '%s\n' "$folder/$name" "$folder/syncd.rb"
