#!/usr/bin/env bash
# Tests the build plugin RegisterBackends: it registers the linked plugins, and refuses to omit a plugin silently. Builds a tiny
# package with its own SyncKit, so it takes only seconds.
set -euo pipefail
cd "$(dirname "$0")/.."
plugin=$PWD/Plugins/RegisterBackends
package=$(mktemp -d "${TMPDIR:-/tmp}/registration.XXXXXX")
trap 'rm -rf "$package"' EXIT
cd "$package"

mkdir -p Plugins Sources/{SyncKit,CloudLinked,CloudForgotten,CloudStray,daemon}
cp -R "$plugin" Plugins/
echo 'public protocol Plugin { static var id: String { get } }' >Sources/SyncKit/Plugin.swift
for module in CloudLinked CloudForgotten; do
  echo "import SyncKit
    public struct ${module}Plugin: Plugin { public static let id = \"$module\" }
    public let plugins: [any Plugin.Type] = [${module}Plugin.self]" >"Sources/$module/Plugin.swift"
done
echo 'public let plugins: [String] = []' >Sources/CloudStray/Plugin.swift
echo 'import SyncKit
  @main struct Daemon { static func main() { print(linkedPlugins.map { $0.id }) } }' >Sources/daemon/Daemon.swift

# manifest DEPENDENCY…: the package, with the dependencies of its program.
manifest() {
  local dependencies
  dependencies=$(printf '"%s", ' "$@")
  cat >Package.swift <<END
// swift-tools-version: 6.3
import PackageDescription
let package = Package(
  name: "registration",
  platforms: [.macOS(.v15)],
  targets: [
    .target(name: "SyncKit"),
    .target(name: "CloudLinked", dependencies: ["SyncKit"]),
    .target(name: "CloudForgotten", dependencies: ["SyncKit"]),
    .target(name: "CloudStray"),
    .executableTarget(
      name: "daemon", dependencies: ["SyncKit", $dependencies], plugins: ["RegisterBackends"]),
    .plugin(name: "RegisterBackends", capability: .buildTool()),
  ])
END
}

# refused TEXT: the build fails with this text.
refused() {
  if output=$(swift build --product daemon 2>&1); then
    echo "check-registration: was built although $1" >&2
    exit 1
  fi
  grep -qF -- "$1" <<<"$output" || { echo "check-registration: does not say \"$1\":" >&2; echo "$output" >&2; exit 1; }
}

# registered LIST: the program is built and has these plugins.
registered() {
  swift build --product daemon >build.log 2>&1 || { cat build.log >&2; exit 1; }
  local found
  found=$(swift run --skip-build daemon 2>/dev/null)
  [ "$found" = "$1" ] || { echo "check-registration: registered $found, expected $1" >&2; exit 1; }
}

manifest CloudLinked
refused 'the module CloudForgotten looks like a plugin, and daemon is not linked with it'
manifest CloudLinked CloudForgotten
registered '["CloudForgotten", "CloudLinked"]'
manifest CloudLinked CloudForgotten CloudStray
refused 'the module CloudStray is named like a plugin and does not depend on SyncKit'
manifest CloudLinked
echo 'CloudForgotten is tried out in a program of its own' >Sources/daemon/.left-out-plugins
registered '["CloudLinked"]'
manifest CloudLinked CloudForgotten
refused '.left-out-plugins of daemon names CloudForgotten'
