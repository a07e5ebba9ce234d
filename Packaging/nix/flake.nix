# Tried: parsed by nix-instantiate; not yet built. The archive of `make portable` lies beside this file, known to git.
{
  description = "Voice processing for every application, over PipeWire";
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs =
    { self, nixpkgs }:
    let
      pkgs = nixpkgs.legacyPackages.x86_64-linux;
      version = "0.2.0";
      needed = with pkgs; [ zlib systemd pipewire wireplumber ];
      optional = with pkgs; [ curl libsndfile cairo libsamplerate webrtc-audio-processing_1 espeak-ng dbus ];
    in
    {
      packages.x86_64-linux.default = pkgs.stdenv.mkDerivation {
        pname = "nearend";
        inherit version;
        src = ./. + "/nearend-${version}-x86_64.tar.gz";
        nativeBuildInputs = [ pkgs.autoPatchelfHook pkgs.makeWrapper ];
        buildInputs = needed ++ [ pkgs.stdenv.cc.cc.lib ];
        dontStrip = true;
        installPhase = ''
          patchShebangs install.sh
          DESTDIR=/ ./install.sh --prefix $out
        '';
        # What the program loads when it is asked for. Not by the wrapper: the tray's dashboard is the program without it.
        runtimeDependencies = map pkgs.lib.getLib optional;
        # What it starts.
        postFixup = ''
          wrapProgram $out/bin/nearend \
            --prefix PATH : ${pkgs.lib.makeBinPath (needed ++ optional)}
        '';
        meta = {
          description = "Voice processing for every application, over PipeWire";
          license = pkgs.lib.licenses.mit;
          platforms = [ "x86_64-linux" ];
          mainProgram = "nearend";
        };
      };
    };
}
