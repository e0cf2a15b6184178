{
  description = "Sync and merge Org files of several devices";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";
  # The unpacked release archive; to use another one: nix build --override-input release path:/FOLDER
  inputs.release = { url = "path:./release"; flake = false; };

  outputs = { self, nixpkgs, release }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" ];
      each = make: builtins.listToAttrs (map (system: { name = system; value = make nixpkgs.legacyPackages.${system}; }) systems);
    in
    {
      packages = each (pkgs: rec {
        syncd = pkgs.callPackage ./package.nix { inherit release; version = "0.1.0"; };
        default = syncd;
      });
    };
}
