#!/usr/bin/env bash
# make-apt-repository.sh FOLDER PACKAGE.deb…: makes a repository for apt in FOLDER with these packages. SIGNING_KEY names the key
# of gpg that signs it; without one, apt refuses the repository unless its source has trusted=yes.
set -euo pipefail
folder=${1:?"usage: make-apt-repository.sh FOLDER PACKAGE.deb…"}
shift
install -d "$folder/pool/main/s/syncd"
install -m 644 "$@" "$folder/pool/main/s/syncd"
cd "$folder"
for package in pool/main/s/syncd/*.deb; do dpkg-deb --field "$package" Architecture; done | sort -u >architectures
while read -r architecture; do
  index=dists/stable/main/binary-$architecture
  install -d "$index"
  apt-ftparchive --arch "$architecture" packages pool >"$index/Packages"
  gzip -9nc "$index/Packages" >"$index/Packages.gz"
done <architectures
apt-ftparchive -o APT::FTPArchive::Release::Origin=syncd -o APT::FTPArchive::Release::Label=syncd \
  -o APT::FTPArchive::Release::Suite=stable -o APT::FTPArchive::Release::Codename=stable \
  -o APT::FTPArchive::Release::Components=main \
  -o APT::FTPArchive::Release::Architectures="$(tr '\n' ' ' <architectures)" release dists/stable >Release.new
rm architectures
mv Release.new dists/stable/Release
if [ -n "${SIGNING_KEY:-}" ]; then
  gpg --batch --yes --local-user "$SIGNING_KEY" --clearsign --output dists/stable/InRelease dists/stable/Release
  gpg --batch --yes --local-user "$SIGNING_KEY" --armor --detach-sign --output dists/stable/Release.gpg dists/stable/Release
fi
