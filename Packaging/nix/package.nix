# The program of a release archive (`make dist`), with the libraries of Nix. `release` is the unpacked archive.
{ lib, stdenv, autoPatchelfHook, makeWrapper, release, version, curl, expat, gpgme, libgit2, libssh2, sqlite, openssh, rsync, syncd-torrent, zstd }:

stdenv.mkDerivation {
  pname = "syncd";
  inherit version;
  src = release;
  nativeBuildInputs = [ autoPatchelfHook makeWrapper ];
  buildInputs = [ expat sqlite zstd stdenv.cc.cc.lib ];
  # The program loads these when a remote needs them.
  runtimeDependencies = [ curl gpgme libgit2 libssh2 ];
  dontConfigure = true;
  dontBuild = true;
  installPhase = ''
    mkdir -p $out
    cp -r bin lib share $out
    substituteInPlace $out/lib/systemd/user/syncd.service $out/lib/systemd/system/syncd@.service \
      --replace-quiet /usr/local/bin/syncd $out/bin/syncd
  '';
  postFixup = ''
    wrapProgram $out/bin/syncd --suffix PATH : ${lib.makeBinPath [ openssh rsync syncd-torrent ]}
  '';
  meta = {
    description = "Sync and merge Org files of several devices";
    license = lib.licenses.mit;
    mainProgram = "syncd";
    platforms = [ "x86_64-linux" "aarch64-linux" ];
  };
}
