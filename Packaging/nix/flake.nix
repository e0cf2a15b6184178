{
  description = "Sync and merge Org files of several devices";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";
  # The unpacked release archive; to use another one: nix build --override-input release path:/FOLDER
  inputs.release = { url = "path:./release"; flake = false; };

  # The project, for the helper of `sync = "bittorrent"`.
  inputs.source = { url = "path:../.."; flake = false; };

  outputs = { self, nixpkgs, release, source }:
    let
      version = "0.1.0";
      systems = [ "x86_64-linux" "aarch64-linux" ];
      each = make: builtins.listToAttrs (map (system: { name = system; value = make nixpkgs.legacyPackages.${system}; }) systems);
    in
    {
      packages = each (pkgs: rec {
        syncd = pkgs.callPackage ./package.nix { inherit release syncd-torrent version; };
        syncd-torrent = pkgs.callPackage ./torrent.nix { inherit source version; };
        default = syncd;
      });
    };
}
