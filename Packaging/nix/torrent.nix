# The helper of `sync = "bittorrent"`, built from its source. `source` is the project's folder.
{ lib, stdenv, pkg-config, libtorrent-rasterbar, openssl, source, version }:

stdenv.mkDerivation {
  pname = "syncd-torrent";
  inherit version;
  src = source;
  nativeBuildInputs = [ pkg-config ];
  buildInputs = [ libtorrent-rasterbar openssl ];
  dontConfigure = true;
  buildPhase = ''
    bash Scripts/build-torrent.sh build/syncd-torrent
  '';
  installPhase = ''
    install -D -m 755 build/syncd-torrent $out/bin/syncd-torrent
  '';
  meta = {
    description = "BitTorrent helper of syncd";
    license = lib.licenses.mit;
    mainProgram = "syncd-torrent";
    platforms = [ "x86_64-linux" "aarch64-linux" ];
  };
}
